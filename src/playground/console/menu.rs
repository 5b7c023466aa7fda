//! The list above the line: what may stand there, or lines of the history that hold what is written.
//!
//! What it is: a bounded list with at most one chosen row.
//! What it is not: the finding (see `complete` and `history`).
//! Invariants: the chosen row exists; an empty list of completions is no menu.

use crate::playground::complete::{Candidate, Found, Place};
use crate::playground::escape;

/// Longest text of a row. Unit: characters.
const SHOWN: u32 = 200;

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceView {
    /// What is taken.
    pub text: String,
    /// What it means, or nothing.
    pub about: String,
}

/// The list as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuView {
    /// Lines of the history; else completions.
    pub is_search: bool,
    /// The rows.
    pub choices: Vec<ChoiceView>,
    /// The one that is chosen.
    pub chosen: Option<u32>,
    /// How many more there are.
    pub more: u64,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Menu {
    /// Where a completion goes; `None`: a search.
    place: Option<Place>,
    /// The line when a search began.
    pub(super) written: String,
    choices: Vec<Candidate>,
    more: u64,
    chosen: Option<u32>,
}

impl Menu {
    /// Completions; nothing is chosen yet.
    pub(super) fn of_completions(place: Place, found: Found) -> Option<Self> {
        let Found { candidates, more, .. } = found;
        let is_empty = candidates.is_empty();
        let menu = Self {
            place: Some(place),
            written: String::new(),
            choices: candidates,
            more,
            chosen: None,
        };
        (!is_empty).then_some(menu)
    }

    /// Lines of the history; the newest is chosen.
    pub(super) fn of_lines(written: String, lines: Vec<String>, more: u64) -> Self {
        let choice = |text| Candidate { text, about: String::new() };
        let choices: Vec<Candidate> = lines.into_iter().map(choice).collect();
        let chosen = (!choices.is_empty()).then_some(0);
        Self { place: None, written, choices, more, chosen }
    }

    pub(super) const fn is_search(&self) -> bool {
        self.place.is_none()
    }

    /// Chooses the next row or the one before, around the ends.
    pub(super) fn step(&mut self, is_forward: bool) {
        let count = u32::try_from(self.choices.len()).unwrap_or(u32::MAX);
        let last = count.checked_sub(1);
        self.chosen = match self.chosen {
            None if is_forward => last.map(|_| 0),
            None => last,
            Some(at) if is_forward => last.map(|last| if at >= last { 0 } else { at + 1 }),
            Some(at) => at.checked_sub(1).or(last),
        };
    }

    /// Chooses a row.
    pub(super) fn choose(&mut self, at: u32) {
        let is_there = usize::try_from(at).is_ok_and(|at| at < self.choices.len());
        self.chosen = is_there.then_some(at);
    }

    /// The line with the chosen row; `None` if none is chosen.
    pub(super) fn line(&self, draft: &str) -> Option<String> {
        let choice = self.choices.get(usize::try_from(self.chosen?).ok()?)?;
        Some(match &self.place {
            Some(place) => place.with(draft, &choice.text),
            None => choice.text.clone(),
        })
    }

    pub(super) fn view(&self) -> MenuView {
        let row = |choice: &Candidate| ChoiceView {
            text: escape::clipped(choice.text.as_bytes(), SHOWN),
            about: choice.about.clone(),
        };
        MenuView {
            is_search: self.is_search(),
            choices: self.choices.iter().map(row).collect(),
            chosen: self.chosen,
            more: self.more,
        }
    }
}
