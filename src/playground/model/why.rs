//! Why a command got its answer, or gets none: which command is explained, and what the page knows of it.
//!
//! Invariants: see `model`; the explanation itself is the program's (see `insight`).

use super::{Effect, Kind, Lower, Model, Panel, Stream};
use crate::playground::insight::Item;

/// What the console calls it.
pub(super) const WHY: &str = "why";

impl Model {
    /// Explains a block of the console that is shown.
    pub(super) fn explain(&mut self, block: u64) {
        self.explains = Some((self.console.active_id(), block));
        self.tell_why();
        self.panel = Panel::Keys;
        self.show_lower(Lower::Why);
    }

    /// `why`: explains the newest command of this console, or else what runs in another one.
    pub(super) fn run_why(&mut self, tab: u32) {
        let newest = |model: &mut Self, id| {
            let block = model.console.tab(id)?.asked(None)?;
            Some((id, block.id(), block.line().to_owned()))
        };
        let running = self.console.running_tabs();
        let found = newest(self, tab).or_else(|| newest(self, *running.first()?));
        if let Some((id, block, _)) = found {
            self.explains = Some((id, block));
            self.tell_why();
            self.show_lower(Lower::Why);
        }
        let Some(tab) = self.console.tab(tab) else { return };
        tab.open_block(WHY, Kind::Verb);
        match &found {
            Some((_, _, line)) => tab.print(Stream::Out, &self.strings.why_shown.of(line)),
            None => tab.print(Stream::Err, self.strings.why_nothing),
        }
        tab.end_block(Some(i32::from(found.is_none())));
    }

    /// Tells the program what the page knows of the command that is explained: by default the newest one.
    pub(super) fn tell_why(&mut self) {
        let (tab, block) = match self.explains {
            Some((tab, block)) => (tab, Some(block)),
            None => (self.console.active_id(), None),
        };
        let block = self.console.tab(tab).and_then(|tab| tab.asked(block));
        let note = block.map(|block| Box::new(block.why()));
        self.effects.push(Effect::TellInsight(Box::new(Item::Why(note))));
    }
}
