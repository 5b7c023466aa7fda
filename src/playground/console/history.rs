//! Lines typed before, for the arrow keys.
//!
//! What it is: a bounded list shared by all tabs, and its text form that survives a reload.
//! What it is not: a record of what was done (see `share`).
//! Invariants: no line twice in a row; a line that may hold a password is not kept.

use std::collections::VecDeque;

use crate::etcdctl;

/// Most lines kept. Unit: lines.
pub(super) const LINES_MAX: usize = 500;

/// Longest line kept. Unit: bytes.
const LINE_MAX: usize = 4096;

/// Lines typed before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    lines: VecDeque<String>,
}

/// Where the arrow keys stand in a tab; 0 is the line being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    back: usize,
    written: String,
}

impl History {
    /// Reads what [`History::to_text`] wrote.
    #[must_use]
    pub(super) fn from_text(text: &str) -> Self {
        let mut history = Self::default();
        for line in text.lines() {
            history.add(line);
        }
        history
    }

    /// One line each, oldest first.
    #[must_use]
    pub(super) fn to_text(&self) -> String {
        self.lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Keeps a line.
    pub(super) fn add(&mut self, line: &str) {
        let line = line.trim();
        let is_kept = !line.is_empty() && line.len() <= LINE_MAX && !line.contains('\n');
        if !is_kept || etcdctl::holds_secret(line) {
            return;
        }
        if self.lines.back().is_some_and(|last| last == line) {
            return;
        }
        if self.lines.len() == LINES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(line.to_owned());
    }

    /// The line before; `None` at the oldest.
    pub(super) fn older(&self, cursor: &mut Cursor, draft: &str) -> Option<String> {
        let at = self.lines.len().checked_sub(cursor.back + 1)?;
        if cursor.back == 0 {
            draft.clone_into(&mut cursor.written);
        }
        cursor.back += 1;
        self.lines.get(at).cloned()
    }

    /// Lines that hold `text`, the newest first, each once, at most `most`; and how many more there are.
    pub(super) fn search(&self, text: &str, most: usize) -> (Vec<String>, u64) {
        let mut found: Vec<String> = Vec::new();
        for line in self.lines.iter().rev().filter(|line| line.contains(text)) {
            if !found.contains(line) {
                found.push(line.clone());
            }
        }
        let more = u64::try_from(found.len().saturating_sub(most)).unwrap_or(u64::MAX);
        found.truncate(most);
        (found, more)
    }

    /// The line after; the line being written at the end; `None` when already there.
    pub(super) fn newer(&self, cursor: &mut Cursor) -> Option<String> {
        cursor.back = cursor.back.checked_sub(1)?;
        if cursor.back == 0 {
            return Some(std::mem::take(&mut cursor.written));
        }
        self.lines.get(self.lines.len().checked_sub(cursor.back)?).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arrows_walk_back_and_return_to_the_unfinished_line() {
        let mut history = History::default();
        history.add("put a 1");
        history.add("get a");
        history.add("get a");
        let mut cursor = Cursor::default();
        assert_eq!(history.older(&mut cursor, "del").as_deref(), Some("get a"));
        assert_eq!(history.older(&mut cursor, "get a").as_deref(), Some("put a 1"));
        assert_eq!(history.older(&mut cursor, "put a 1"), None);
        assert_eq!(history.newer(&mut cursor).as_deref(), Some("get a"));
        assert_eq!(history.newer(&mut cursor).as_deref(), Some("del"));
        assert_eq!(history.newer(&mut cursor), None);
    }

    #[test]
    fn a_search_finds_each_line_once_the_newest_first() {
        let mut history = History::default();
        for line in ["put a 1", "get a", "put b 2", "put a 1", "del b"] {
            history.add(line);
        }
        assert_eq!(history.search("put", 9), (vec!["put a 1".to_owned(), "put b 2".to_owned()], 0));
        assert_eq!(history.search("a", 1), (vec!["put a 1".to_owned()], 1));
        assert_eq!(history.search("nowhere", 9), (Vec::new(), 0));
    }

    #[test]
    fn passwords_are_not_kept_and_the_list_is_bounded() {
        let mut history = History::default();
        history.add("user add alice:secret");
        history.add("etcdctl user passwd bob");
        history.add("get a --user=root:pw");
        assert_eq!(history.to_text(), "");
        for at in 0..2 * LINES_MAX {
            history.add(&format!("get {at}"));
        }
        assert_eq!(history.lines.len(), LINES_MAX);
        assert_eq!(History::from_text(&history.to_text()), history);
    }
}
