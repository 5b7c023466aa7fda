//! The lab and headless runner: scenario, etcdctl and simulation joined.
//!
//! What it is: consoles around a simulated cluster ([`Session`]), the player of scripts ([`Lab`]), the
//! text of a run (`transcript`) and the commands of the native program ([`program`], [`ctl`], [`simulator`]), and runs that can be stopped, rewound and
//! forked ([`time`]). The same code
//! runs natively and in the lab's worker.
//! What it is not: the live cluster, nor a store; nothing survives a run.
//! Invariants: no clock and no randomness but the simulation's: one script, one report, everywhere.

pub mod ctl;
mod export;
mod files;
mod play;
pub mod program;
mod session;
pub mod simulator;
pub mod time;
mod transcript;

pub use export::export;
pub use files::{FileErrand, Files};
pub use play::Lab;
pub use session::{EVENTS_MAX, Ran, Session};
pub use transcript::{printable, sentence, transcript};

use crate::scenario::{self, Question, Refusal, Report, Script, Sheet};

/// Plays a script to its end.
///
/// # Errors
/// The text is no script: line, column and what was expected.
pub fn run_script(text: &str) -> Result<Report, String> {
    let script = Script::parse(text).map_err(|fault| fault.to_string())?;
    Ok(Lab::new(script).play_all())
}

/// Answers a question about a script.
///
/// # Errors
/// Why the link or the script cannot be read.
pub fn answer(question: Question) -> Result<Sheet, Refusal> {
    let play = |script| Lab::new(script).play_all();
    if let Question::Export { script } = &question {
        let found = Script::parse(script)?;
        let shell = export(&found, &play(found.clone()));
        return Ok(Sheet { script: shell, ..scenario::answer(question, play)? });
    }
    scenario::answer(question, play)
}
