//! What a person does with links, and what follows for the page.
//!
//! What it is: the dialog's events, and the address bar's part in them: somebody's link is shown exactly as long as its address is.
//! Invariants: see `model`; opening a link, and editing it, runs nothing and touches no saved cluster.

use super::{Effect, Model, Record, ShareEvent, link};
use crate::playground::edge::LabAnswer;

impl Model {
    pub(super) fn on_share(&mut self, event: ShareEvent) {
        self.changes.share = true;
        match event {
            ShareEvent::Open => {
                self.end_lab();
                let call = self.numbers.next();
                let steps = self.record.steps(&self.cluster.spec, self.seed);
                let effect = self.share.open_here(steps, call);
                self.effects.push(effect);
            }
            ShareEvent::Title(title) => {
                let call = self.numbers.next();
                self.effects.extend(self.share.set_title(&title, call));
            }
            ShareEvent::Replay => {
                let call = self.numbers.next();
                self.effects.extend(self.share.replay(call));
            }
            ShareEvent::Copy(text) => self.effects.push(Effect::Copy(text)),
            ShareEvent::Download => {
                if let Some((name, bytes)) = self.share.file() {
                    self.effects.push(Effect::Download { name, bytes });
                }
            }
            ShareEvent::Edit => self.edit_shared(),
            ShareEvent::Forget => {
                self.record = Record::default();
                self.end_lab();
                self.share.close();
                self.remember_record();
                self.changes.frame = true;
            }
            ShareEvent::Close => {
                if self.close_share() {
                    self.effects.push(Effect::SetFragment { fragment: String::new(), push: false });
                }
            }
        }
    }

    /// Closes the dialog of links; true if somebody's link was open, in whose place the saved cluster comes.
    pub(super) fn close_share(&mut self) -> bool {
        self.end_lab();
        self.changes.share = true;
        self.changes.frame = true;
        let was_link = self.share.close();
        if was_link {
            self.open_saved();
        }
        was_link
    }

    /// What the lab does for the dialog is not wanted any more.
    pub(super) fn end_lab(&mut self) {
        if self.share.is_open() {
            self.effects.push(Effect::EndLab);
        }
    }

    /// Shows somebody's link; the saved cluster stays as it is.
    pub(super) fn open_link(&mut self, fragment: &str) {
        self.end_lab();
        let call = self.numbers.next();
        let effect = self.share.open_link(fragment, call);
        self.effects.push(effect);
        self.changes.share = true;
        self.changes.frame = true;
    }

    /// The address bar has changed.
    pub(super) fn fragment_changed(&mut self, fragment: String) {
        if link::is_link(&fragment) {
            return self.open_link(&fragment);
        }
        // Back leads out of somebody's link.
        if self.share.is_link_open() {
            self.close_share();
        }
        self.lesson_address(fragment);
        self.errors_address();
    }

    /// The lab has answered, or cannot.
    pub(super) fn hear_lab(&mut self, call: u64, answer: LabAnswer) {
        let Some(answer) = self.exported(call, answer) else { return };
        let next = self.numbers.next();
        self.effects.extend(self.share.hear(call, answer, next));
        self.tell_link();
        self.changes.share = true;
        self.changes.frame = true;
    }
}
