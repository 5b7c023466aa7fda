//! Work that lasts: what is said of it while time passes.
//!
//! Invariants: see `model`; what is quick is not spoken of.

use super::{Model, Phase};

impl Model {
    pub(super) fn begin_opening(&mut self) {
        self.cluster.phase = Phase::Opening;
        self.began_opening = self.now;
    }

    /// An opening that lasts tells for how long.
    pub(super) fn tell_opening(&mut self) {
        self.changes.frame |= self.cluster.phase == Phase::Opening;
    }

    /// What stands under the running command counts the time.
    pub(super) fn tell_running(&mut self) {
        // While somebody is asked for a file, nothing works on it.
        let words = match &self.files.asks {
            Some((call, _)) if self.console.active().awaits_file(*call) => {
                self.strings.file_title.of(&self.asked_file().unwrap_or_default())
            }
            _ => self.console.active().running_words(self.now, &self.cluster, self.strings),
        };
        if words != self.running {
            self.running = words;
            self.changes.console = true;
        }
    }
}
