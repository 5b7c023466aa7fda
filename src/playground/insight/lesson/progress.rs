//! How far a reader is in every lesson, as one small text.
//!
//! What it is: for each lesson which parts are done, which one is shown, and what of those under way is met:
//! `lessons 1; on 4; 4 shown 2 done 1,2 met 3:1; 7 shown 1 done`. It is what the page keeps, and what a person can take along.
//! What it is not: the state of a cluster.
//! Invariants: reading what was written gives the same; a foreign text gives nothing, never a panic; numbers are bounded by
//! [`LESSONS_MAX`] and [`PARTS_MAX`].

use crate::types::{SmallMap, SmallSet};

/// The highest number of a lesson.
pub(super) const LESSONS_MAX: u32 = 99;
/// The highest number of a part or a goal.
pub(super) const PARTS_MAX: u32 = 64;
/// With this a text begins.
const HEAD: &str = "lessons 1";

/// How far one lesson is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The part that is shown, from 1.
    pub(super) shown: u32,
    /// Parts that are done, from 1.
    pub(super) done: SmallSet<u32>,
    /// For parts that were begun, from 1, which of their goals are met, from 0.
    pub(super) met: SmallMap<u32, SmallSet<u32>>,
}

impl Default for Place {
    fn default() -> Self {
        Self { shown: 1, done: SmallSet::new(), met: SmallMap::new() }
    }
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// The lesson that was opened last.
    pub(super) last: Option<u32>,
    /// The lesson that the cluster was made for.
    pub(super) owner: Option<u32>,
    pub(super) places: SmallMap<u32, Place>,
}

fn number(text: &str, most: u32) -> Option<u32> {
    text.parse().ok().filter(|number| (1..=most).contains(number))
}

fn list(numbers: &SmallSet<u32>) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    words.join(",")
}

impl Progress {
    /// As [`Self::parse`] reads it.
    pub(super) fn to_text(&self) -> String {
        let mut text = HEAD.to_owned();
        if let Some(last) = self.last {
            text.push_str(&format!("; on {last}"));
        }
        if let Some(owner) = self.owner {
            text.push_str(&format!("; cluster {owner}"));
        }
        for (lesson, place) in self.places.iter() {
            text.push_str(&format!("; {lesson} shown {} done {}", place.shown, list(&place.done)));
            if !place.met.is_empty() {
                text.push_str(" met");
            }
            for (part, goals) in place.met.iter() {
                text.push_str(&format!(" {part}:{}", list(goals)));
            }
        }
        text
    }

    /// Reads a text; nothing if it is none of this version.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split(';').map(str::trim);
        if parts.next() != Some(HEAD) {
            return None;
        }
        let mut progress = Self::default();
        for part in parts {
            let mut words = part.split_whitespace();
            match (words.next()?, words.next()?) {
                ("on", last) => progress.last = Some(number(last, LESSONS_MAX)?),
                ("cluster", owner) => progress.owner = Some(number(owner, LESSONS_MAX)?),
                (lesson, "shown") => {
                    let place = read_place(words)?;
                    progress.places.insert(number(lesson, LESSONS_MAX)?, place);
                }
                _ => return None,
            }
        }
        Some(progress)
    }

    /// What another visit reached counts here, too.
    pub(super) fn join(&mut self, other: &Self) {
        for (lesson, theirs) in other.places.iter() {
            let place = self
                .places
                .get_or_insert_with(*lesson, || Place { shown: theirs.shown, ..Place::default() });
            for part in theirs.done.iter() {
                place.done.insert(*part);
            }
        }
    }

    /// The place in a lesson, made if there is none.
    pub(super) fn place(&mut self, lesson: u32) -> &mut Place {
        self.places.get_or_insert_with(lesson, Place::default)
    }

    /// How many parts of a lesson are done.
    pub(super) fn done(&self, lesson: u32) -> u32 {
        let done = self.places.get(&lesson).map_or(0, |place| place.done.iter().count());
        u32::try_from(done).unwrap_or(u32::MAX)
    }
}

fn read_list(text: &str, most: u32) -> Option<SmallSet<u32>> {
    let mut found = SmallSet::new();
    for word in text.split(',').filter(|word| !word.is_empty()) {
        found.insert(word.parse().ok().filter(|number| *number <= most)?);
    }
    Some(found)
}

fn read_place<'text>(mut words: impl Iterator<Item = &'text str>) -> Option<Place> {
    let shown = number(words.next()?, PARTS_MAX)?;
    if words.next()? != "done" {
        return None;
    }
    let mut place = Place { shown, ..Place::default() };
    let mut is_met = false;
    for word in words {
        match (is_met, word) {
            (false, "met") => is_met = true,
            (false, done) => place.done = read_list(done, PARTS_MAX)?,
            (true, met) => {
                let (part, goals) = met.split_once(':')?;
                place.met.insert(number(part, PARTS_MAX)?, read_list(goals, PARTS_MAX)?);
            }
        }
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_written_is_read_and_foreign_text_is_nothing() {
        let text = "lessons 1; on 4; cluster 4; 4 shown 2 done 1,2 met 3:0,1; 7 shown 1 done ";
        let progress = Progress::parse(text).unwrap();
        assert_eq!(progress.to_text(), text);
        assert_eq!((progress.done(4), progress.done(7), progress.done(8)), (2, 0, 0));
        let wrong = [
            "",
            "failover 4 3",
            "lessons 2",
            "lessons 1; on 0",
            "lessons 1; 4 shown 0 done 1",
            "lessons 1; 4 shown 1 done 1 met x",
            "lessons 1; 4 shown 1 done 1 met 1:99999",
            "lessons 1; 4",
        ];
        for text in wrong {
            assert_eq!(Progress::parse(text), None, "{text}");
        }
    }

    #[test]
    fn progress_of_two_visits_is_joined() {
        let mut one = Progress::parse("lessons 1; 4 shown 2 done 1").unwrap();
        let other =
            Progress::parse("lessons 1; on 9; 4 shown 3 done 2,3; 9 shown 2 done 1").unwrap();
        one.join(&other);
        assert_eq!(one.to_text(), "lessons 1; 4 shown 2 done 1,2,3; 9 shown 2 done 1");
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(lessons 1)?[;: ,a-z0-9]{0,60}") {
            if let Some(progress) = Progress::parse(&text) {
                prop_assert_eq!(Progress::parse(&progress.to_text()), Some(progress));
            }
        }
    }
}
