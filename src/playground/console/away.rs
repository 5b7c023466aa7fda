//! The program of etcdctl's rare commands, as the consoles know it.
//!
//! What it is: whether it is there, and the wish for it, which is uttered once.
//! What it is not: its loading, nor what it says (see `etcdctl::away`).
//! Invariants: one that failed, or that could not be fetched, is fetched again for the next line that needs it.

use crate::etcdctl::away::Program;
use crate::playground::edge::Effect;

/// See the module.
#[derive(Debug, Default)]
pub struct Away {
    program: Option<Program>,
    is_loading: bool,
}

impl Away {
    /// The program; if there is none, it is asked for.
    pub fn program(&mut self, effects: &mut Vec<Effect>) -> Option<Program> {
        let usable = self.program.take().filter(|program| !program.is_broken());
        self.program = usable;
        if self.program.is_none() && !std::mem::replace(&mut self.is_loading, true) {
            effects.push(Effect::LoadProgram);
        }
        self.program.clone()
    }

    /// It is there, or could not be fetched.
    pub fn loaded(&mut self, program: &Result<Program, String>) {
        self.is_loading = false;
        self.program = program.as_ref().ok().cloned();
    }
}
