//! Files that commands want, and the cluster that was made of one.
//!
//! Invariants: see `model`; a command that waits for a file hears of it once; nothing is thrown away without a yes.

use super::{Effect, Model};
use crate::etcdctl::{FileAnswer, FileError, FileOrder};
use crate::playground::edge::{LabAnswer, News};
use crate::playground::event::Brought;
use crate::playground::view::QuestionView;

/// Most characters of a name that are repeated. Source: ours.
const NAME_SHOWN: u32 = 80;

/// What is under way with files.
#[derive(Debug, Default)]
pub(super) struct FileOrders {
    /// Orders without an answer.
    open: Vec<(u64, FileOrder)>,
    /// The order that waits for a file from the person's disk.
    pub(super) asks: Option<(u64, FileOrder)>,
    /// The name of a new cluster's data, which waits for a yes.
    restored: Option<String>,
    /// The names of all data that was restored and not started.
    kept: Vec<String>,
    /// The cluster that is opened next is that one.
    pub(super) is_starting: bool,
}

/// The file that an order reads.
fn name_of(order: &FileOrder) -> Option<&str> {
    match order {
        FileOrder::Save { .. } => None,
        FileOrder::SnapshotStatus { name } => Some(name),
        FileOrder::Restore(order) => Some(&order.name),
    }
}

impl Model {
    /// Remembers orders on their way out that read a file.
    pub(super) fn note_orders(&mut self, effects: &[Effect]) {
        for effect in effects {
            if let Effect::CancelFile { call } = effect {
                self.files.open.retain(|(open, _)| open != call);
            }
            if let Effect::File { call, order } = effect
                && name_of(order).is_some()
            {
                self.files.open.push((*call, order.clone()));
            }
        }
    }

    /// What came of an order; true if the command has to wait for a file.
    pub(super) fn file_answered(
        &mut self,
        call: u64,
        result: &Result<FileAnswer, FileError>,
    ) -> bool {
        let Some(at) = self.files.open.iter().position(|(open, _)| *open == call) else {
            return false;
        };
        let (_, order) = self.files.open.swap_remove(at);
        match (result, order) {
            (Err(FileError::Missing), order) if self.files.asks.is_none() => {
                self.files.asks = Some((call, order));
                self.changes.frame = true;
                true
            }
            (Ok(FileAnswer::Restored), FileOrder::Restore(order)) => {
                let name = order.data_dir;
                if !self.files.kept.contains(&name) {
                    self.files.kept.push(name.clone());
                }
                self.files.restored = Some(name);
                self.changes.frame = true;
                false
            }
            _ => false,
        }
    }

    /// Whoever was to work on a file could not.
    pub(super) fn file_failed(&mut self, call: u64, answer: &LabAnswer) {
        let s = self.strings;
        let words = match answer {
            LabAnswer::NotLoaded(why) => s.no_program.of(why),
            LabAnswer::Stopped(why) => s.program_failed.of(why),
            LabAnswer::Sheet(_) | LabAnswer::Refused(_) => return,
        };
        self.hear_call(&News::File { call, result: Err(FileError::Refused(words)) });
    }

    /// The name of the file that a command asks for.
    pub(super) fn asked_file(&self) -> Option<String> {
        let (_, order) = self.files.asks.as_ref()?;
        name_of(order).map(str::to_owned)
    }

    /// The person gave the file, or has none.
    pub(super) fn answer_file(&mut self, brought: Brought) {
        self.changes.frame = true;
        let Some((call, order)) = self.files.asks.take() else { return };
        let name = name_of(&order).unwrap_or_default().to_owned();
        let failed = |error| News::File { call, result: Err(error) };
        match brought {
            Brought::File(bytes) => {
                self.effects.push(Effect::KeepFile { name, bytes, call: Some(call) });
                let effect = Effect::File { call, order };
                // What is missing now stays missing, and what is restored is asked about.
                if let Effect::File { order: FileOrder::Restore(_), .. } = &effect {
                    self.note_orders(std::slice::from_ref(&effect));
                }
                self.effects.push(effect);
            }
            Brought::TooLarge => self.hear_call(&failed(FileError::Full)),
            Brought::Nothing => self.hear_call(&failed(FileError::Missing)),
        }
    }

    /// A command that asked for a file was ended: nobody waits for it any more.
    pub(super) fn tend_files(&mut self) {
        let waits = |call: u64| self.console.awaits_file(call);
        if self.files.asks.as_ref().is_some_and(|(call, _)| !waits(*call)) {
            self.files.asks = None;
            self.changes.frame = true;
        }
    }

    /// A file was brought without being asked for: it is kept, and the line proposes to look at it.
    ///
    /// One that is too large is not; the line's command asks for it then, and says so.
    pub(super) fn drop_file(&mut self, name: &str, brought: Brought) {
        let name: String = name.chars().filter(|c| !c.is_control() && *c != '/').collect();
        if let Brought::File(bytes) = brought {
            self.effects.push(Effect::KeepFile { name: name.clone(), bytes, call: None });
        }
        if self.console.draft().is_empty() && !self.console.active().is_running() {
            let word = crate::etcdctl::lexer::quote(&name);
            self.console.typed(format!("etcdutl snapshot status {word}"));
        }
        self.changes.console = true;
    }

    /// Whether the restored cluster shall be started.
    pub(super) fn restore_question(&self) -> Option<QuestionView> {
        let s = self.strings;
        self.files.restored.as_ref().map(|name| QuestionView {
            title: s.restored_title.of(name),
            warning: s.restored_warning,
            yes: s.restored_yes,
        })
    }

    /// Asks whether the cluster that was restored under this name shall be started; a sentence, or why not.
    pub(super) fn ask_restored(&mut self, name: &str) -> Result<String, String> {
        let shown = crate::playground::escape::clipped(name.as_bytes(), NAME_SHOWN);
        if !self.files.kept.iter().any(|kept| kept == name) {
            return Err(self.strings.open_unknown.of(&shown));
        }
        self.files.restored = Some(name.to_owned());
        self.changes.frame = true;
        Ok(self.strings.open_asked.of(&shown))
    }

    /// The answer to that; false if it was not asked.
    pub(super) fn answer_restored(&mut self, is_yes: bool) -> bool {
        let Some(data_dir) = self.files.restored.take() else { return false };
        self.changes.frame = true;
        if is_yes {
            self.files.kept.retain(|name| *name != data_dir);
            self.begin_opening();
            self.was_ready = false;
            self.files.is_starting = true;
            self.effects.push(Effect::StartRestored { data_dir });
        }
        true
    }
}
