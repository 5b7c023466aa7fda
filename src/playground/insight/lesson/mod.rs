//! Lessons: which there are, which part is shown, and what of it is met.
//!
//! What it is: [`Lessons`]: the list and the open lesson, judged against what the page tells ([`LessonNote`]); what it wants of
//! the page comes out as [`LessonAsk`]s, and files to fetch as [`Wanted`]s.
//! What it is not: a script runner: lines run in the consoles, as if typed, when somebody asks for them.
//! Invariants: nothing goes on by itself; a goal that was met stays met while the cluster is the same, and those that held
//! already when the part began count with the last of the others; claims count from when the part began, which is not before
//! somebody leads; foreign texts give an error with its place.

mod address;
mod book;
mod course;
mod note;
mod progress;
mod strings;
mod view;
mod wish;

use std::collections::VecDeque;

use self::book::{Line, Part, Piece, Preparation, Way};
use self::progress::{Place, Progress};
use super::fetched::Fetched;
use super::proof::{Next, Proof};
use super::scene::Scene;
use crate::playground::strings::Language as Spoken;
use crate::scenario::{Language, Script};
use crate::types::{Millis, SmallMap};

pub use note::{Key, LessonAsk, LessonNote, Reader};
pub use strings::{EN as LESSONS_EN, LessonStrings, ZH as LESSONS_ZH};
pub use view::{
    GoalView, LessonLine, LessonPiece, LessonRow, LessonState, LessonView, PartDot, PartView,
    PrepareState, QueryView, ReplyVerdict,
};
pub(super) use wish::Wish;

/// The lesson of a first visit.
const FIRST: u32 = 4;

/// A lesson in the list, as `lessons/index.json` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub number: u32,
    /// Its file, beside the list.
    pub file: String,
    /// Its title.
    pub title: String,
    /// Its title in Chinese.
    pub title_zh: String,
    /// How many parts it has.
    pub parts: u32,
}

/// A file to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The list.
    List,
    /// The lesson of this number, in this file.
    Lesson(u32, String),
}

/// What is known of the cluster's making.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Made {
    members: u32,
    settings: Vec<u64>,
}

/// The part in which goals count.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Under {
    lesson: u32,
    /// From 1.
    part: u32,
    /// Goals that held already when it began.
    held: Vec<bool>,
    /// Goals that were met.
    met: Vec<bool>,
}

/// What asked for the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Goals of the part under way.
    Goals,
    /// The question at this place, from 0.
    Query(usize),
}

/// What the reader did with the shown part.
#[derive(Clone, Debug, Default)]
struct Desk {
    shows_hints: bool,
    shows_solution: bool,
    verdicts: Vec<ReplyVerdict>,
    prepare: PrepareState,
    replies: SmallMap<u32, String>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Lessons {
    spoken: Spoken,
    list: Fetched<Vec<Entry>>,
    scripts: SmallMap<u32, Fetched<Script>>,
    wanted: Vec<Wanted>,
    asks: Vec<LessonAsk>,
    /// The page told where the reader stood.
    is_known: bool,
    progress: Progress,
    /// The place of this visit's beginning: where Back leads in the end.
    first: (u32, u32),
    /// The lesson that is shown.
    open: u32,
    parts: Vec<Part>,
    is_list_open: bool,
    desk: Desk,
    scene: Scene,
    made: Option<Made>,
    under: Option<Under>,
    /// What the lesson still prepares.
    preparation: VecDeque<Preparation>,
    /// A line of it was typed and has not ended.
    is_typed: bool,
    /// When the wait under way ends at the latest.
    wait_until: Option<Millis>,
    proof: Option<(Purpose, Proof)>,
    /// Before that no proof is tried again.
    proof_after: Millis,
    now: Millis,
    told: String,
    notice: Option<&'static str>,
    /// A fresh cluster was asked for: it begins at the first part.
    wants_first: bool,
    /// An address named the part that is shown, which may not be there.
    is_addressed: bool,
    remembered: String,
}

fn place_of(number: u32) -> usize {
    usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX)
}

fn count<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

impl Lessons {
    /// What to fetch, once each.
    pub fn take_wanted(&mut self) -> Vec<Wanted> {
        std::mem::take(&mut self.wanted)
    }

    /// What to ask the page for, once each.
    pub fn take_asks(&mut self) -> Vec<LessonAsk> {
        std::mem::take(&mut self.asks)
    }

    /// The texts around lessons.
    #[must_use]
    pub const fn strings(&self) -> &'static LessonStrings {
        match self.spoken {
            Spoken::English => &LESSONS_EN,
            Spoken::Chinese => &LESSONS_ZH,
        }
    }

    fn language(&self) -> Language {
        Language::parse(self.spoken.name()).unwrap_or_default()
    }

    /// Speaks this language from now on.
    pub fn speak(&mut self, spoken: Spoken) {
        self.spoken = spoken;
        self.read_parts();
    }

    /// Begins: the page is asked to tell what happens.
    pub fn begin(&mut self) {
        self.asks.push(LessonAsk::Listen);
        self.want_list();
    }

    fn want_list(&mut self) {
        if matches!(self.list, Fetched::Not | Fetched::Failed(_)) {
            self.list = Fetched::Asked;
            self.wanted.push(Wanted::List);
        }
    }

    /// The list came, or why not.
    pub fn set_list(&mut self, list: Result<Vec<Entry>, String>) {
        self.list = list.into();
        self.find_open();
        self.want_lesson();
    }

    /// A lesson that does not exist cannot stay open: the list is shown instead, over one that does.
    fn find_open(&mut self) {
        let is_there = |number: u32| self.entries().iter().any(|entry| entry.number == number);
        if !self.is_known || self.entries().is_empty() || is_there(self.open) {
            return;
        }
        let (lesson, part) = if is_there(self.first.0) { self.first } else { (FIRST, 1) };
        self.progress.places.remove(&self.open);
        self.first = (lesson, part);
        self.go(lesson, part, Some(false));
        self.say_missing();
    }

    fn say_missing(&mut self) {
        self.notice = Some(self.strings().missing);
        self.is_list_open = true;
    }

    /// The text of a lesson came, or why not.
    pub fn set_lesson(&mut self, number: u32, text: Result<String, String>) {
        let script = text.and_then(|text| Script::parse(&text).map_err(|error| error.to_string()));
        self.scripts.insert(number, script.into());
        self.read_parts();
        self.mend_address();
        self.settle();
    }

    /// A part that does not exist is the last one; its address says so then.
    fn mend_address(&mut self) {
        if self.parts.is_empty() || !std::mem::take(&mut self.is_addressed) {
            return;
        }
        let (lesson, part) = (self.open, self.shown());
        if self.progress.place(lesson).shown != part {
            self.go(lesson, part, Some(false));
        }
    }

    /// Fetches again what could not be fetched.
    pub fn fetch_again(&mut self) {
        if let Some(script) = self.scripts.get_mut(&self.open)
            && matches!(script, Fetched::Failed(_))
        {
            *script = Fetched::Not;
        }
        self.want_list();
        self.want_lesson();
    }

    fn entries(&self) -> &[Entry] {
        match &self.list {
            Fetched::There(list) => list,
            _ => &[],
        }
    }

    fn want_lesson(&mut self) {
        if !self.is_known {
            return;
        }
        let file = self.entries().iter().find(|entry| entry.number == self.open);
        let Some(file) = file.map(|entry| entry.file.clone()) else { return };
        let script = self.scripts.get_or_insert_with(self.open, Fetched::default);
        if *script == Fetched::Not {
            *script = Fetched::Asked;
            self.wanted.push(Wanted::Lesson(self.open, file));
        }
    }

    fn script(&self) -> Option<&Script> {
        match self.scripts.get(&self.open)? {
            Fetched::There(script) => Some(script),
            _ => None,
        }
    }

    fn read_parts(&mut self) {
        let language = self.language();
        self.parts = self.script().map(|script| book::parts(script, &language)).unwrap_or_default();
    }

    /// The number of the shown part, from 1.
    fn shown(&self) -> u32 {
        let shown = self.progress.places.get(&self.open).map_or(1, |place| place.shown);
        shown.min(count(&self.parts).max(1))
    }

    fn part(&self) -> Option<&Part> {
        self.parts.get(place_of(self.shown()))
    }

    fn place(&self) -> Option<&Place> {
        self.progress.places.get(&self.open)
    }

    fn is_done(&self, part: u32) -> bool {
        self.place().is_some_and(|place| place.done.contains(&part))
    }

    /// Shows a part of a lesson. Without `address` the address bar stays as it is.
    fn go(&mut self, lesson: u32, part: u32, address: Option<bool>) {
        let is_other = lesson != self.open;
        self.open = lesson;
        self.progress.last = Some(lesson);
        let was = std::mem::replace(&mut self.progress.place(lesson).shown, part);
        if is_other || was != part {
            self.leave();
        }
        if is_other {
            self.read_parts();
        }
        self.is_list_open = false;
        self.want_lesson();
        self.remember();
        if let Some(push) = address {
            let fragment = address::write(lesson, part);
            self.asks.push(LessonAsk::Address { fragment, push });
        }
        self.settle();
    }

    /// What was done with a part is forgotten when another one is shown.
    fn leave(&mut self) {
        self.desk = Desk::default();
        self.preparation.clear();
        self.is_typed = false;
        self.wait_until = None;
        self.proof = None;
        self.told.clear();
        self.notice = None;
    }

    fn remember(&mut self) {
        let text = self.progress.to_text();
        if self.is_known && text != self.remembered {
            self.remembered.clone_from(&text);
            self.asks.push(LessonAsk::Remember(text));
        }
    }

    /// Takes in what the page tells.
    pub fn hear(&mut self, note: LessonNote) {
        match note {
            LessonNote::Known { progress, fragment } => self.known(&progress, &fragment),
            LessonNote::Address(fragment) => {
                let place =
                    address::read(&fragment).or_else(|| fragment.is_empty().then_some(self.first));
                match place.filter(|_| self.is_known) {
                    Some((lesson, part)) => {
                        self.is_addressed = !fragment.is_empty();
                        self.go(lesson, part, None);
                        self.find_open();
                        self.mend_address();
                    }
                    None if address::is_meant(&fragment) => self.say_missing(),
                    None => {}
                }
            }
            LessonNote::Opened { members, settings, is_resumed, is_old } => {
                self.scene = Scene::default();
                self.under = None;
                self.proof = None;
                self.made = Some(Made { members, settings });
                if !is_resumed && !is_old {
                    self.fresh_cluster();
                }
            }
            LessonNote::Proved { reader: Reader::Lesson, answer } => {
                self.proved(answer.map(|answer| *answer));
            }
            note => {
                let was_busy = self.scene.is_busy;
                self.scene.hear(note);
                if self.is_typed && was_busy && !self.scene.is_busy {
                    self.is_typed = false;
                }
            }
        }
        self.prepare_on();
        self.settle();
    }

    fn known(&mut self, progress: &str, fragment: &str) {
        self.progress = Progress::parse(progress).unwrap_or_default();
        self.remembered = self.progress.to_text();
        self.is_known = true;
        let last = self.progress.last.unwrap_or(FIRST);
        let part = self.progress.places.get(&last).map_or(1, |place| place.shown);
        self.first = (last, part);
        let addressed = address::read(fragment);
        self.is_addressed = addressed.is_some();
        let (lesson, part) = addressed.unwrap_or((last, part));
        self.go(lesson, part, None);
        self.find_open();
        self.mend_address();
        if address::is_meant(fragment) && addressed.is_none() {
            self.say_missing();
        }
    }

    /// What was met on another cluster does not count on a new one.
    fn fresh_cluster(&mut self) {
        self.progress.owner = None;
        for (_, place) in self.progress.places.iter_mut() {
            place.met.clear();
        }
        if std::mem::take(&mut self.wants_first) {
            self.go(self.open, 1, Some(true));
        }
        self.remember();
    }

    /// Time passes.
    pub fn look(&mut self, now: Millis) {
        self.now = now;
        self.prepare_on();
        self.settle();
    }
}

#[cfg(test)]
mod tests;
