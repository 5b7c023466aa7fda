//! The address of a run: `time=lesson-04@57`, `time=error-01-compacted`, `seed=7@120`, `time=s=…@57`.
//!
//! What it is: reading and writing addresses, and keeping the bar in step with what is open and where it stands.
//! What it is not: the bar itself, which is the page's.
//! Invariants: reading what was written gives the same; an address that names nothing gives a sentence and goes out of the
//! bar; a text of somebody's own has none; while a run plays the bar stands still.
//! Ruling: `s=…` is a link, whose dialog says first what it does. `time=s=…` is a moment of its run in the lab, to which reload
//! and Back return without the dialog: nothing of it plays before somebody says so, and the saved cluster is not touched.

use super::shelf::{Listed, Told};
use super::{Folder, LINK_BYTES_MAX, Name, Stage, TimeSource, TimeState, To};
use crate::playground::insight::LessonAsk;
use crate::playground::insight::fetched::Fetched;
use crate::playground::insight::protocol::Ask;
use crate::types::Millis;

/// The most characters of a name. Source: ours; file names are shorter.
const NAME_MAX: usize = 64;
/// The bar follows when a run has stood still for so long: browsers refuse to write it at every step of a held key. Unit: ms.
const REST_MS: u64 = 300;

/// What an address means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    Lesson(u32),
    Error(String),
    Seed(u64),
    /// What stands behind `#` in a link.
    Link(String),
}

/// True if it is meant to be one.
pub(super) fn is_meant(fragment: &str) -> bool {
    fragment.starts_with("time=") || fragment.starts_with("seed=")
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What stands behind `#`, and the event.
pub(super) fn read(fragment: &str) -> Option<(Meant, u64)> {
    let (place, event) = match fragment.split_once('@') {
        Some((place, event)) => (place, number(event)?),
        None => (fragment, 0),
    };
    if let Some(seed) = place.strip_prefix("seed=") {
        return Some((Meant::Seed(number(seed)?), event));
    }
    let name = place.strip_prefix("time=")?;
    if let Some(lesson) = name.strip_prefix("lesson-") {
        let lesson = number(lesson).filter(|_| lesson.len() <= 2)?;
        return Some((Meant::Lesson(u32::try_from(lesson).ok()?), event));
    }
    if let Some(encoded) = name.strip_prefix("s=") {
        let is_its = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_link = !encoded.is_empty() && name.len() <= LINK_BYTES_MAX;
        let is_link = is_link && encoded.bytes().all(is_its);
        return is_link.then(|| (Meant::Link(name.to_owned()), event));
    }
    let name = name.strip_prefix("error-")?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_name = !name.is_empty() && name.len() <= NAME_MAX && name.bytes().all(is_plain);
    is_name.then(|| (Meant::Error(name.to_owned()), event))
}

fn stem(file: &str) -> &str {
    file.split('.').next().unwrap_or_default()
}

/// A stem without the number before it.
fn bare(stem: &str) -> &str {
    stem.trim_start_matches(|it: char| it.is_ascii_digit()).trim_start_matches('-')
}

/// The address of what is open, without its moment; nothing of what has none.
pub(super) fn write(name: &Name) -> Option<String> {
    match name {
        Name::File(Folder::Lessons, file) => {
            let number: String = file.chars().take_while(char::is_ascii_digit).collect();
            (!number.is_empty()).then(|| format!("time=lesson-{number}"))
        }
        Name::File(Folder::Errors, file) => Some(format!("time=error-{}", stem(file))),
        Name::Seed(seed) => Some(format!("seed={seed}")),
        Name::Link(fragment) => (!fragment.is_empty()).then(|| format!("time={fragment}")),
        Name::Script | Name::Session => None,
    }
}

impl Meant {
    /// Its file in a list.
    fn file<'list>(&self, list: &'list [Listed]) -> Option<&'list Listed> {
        match self {
            Self::Lesson(number) => list.iter().find(|it| it.number == *number),
            Self::Error(name) => {
                let is_it = |it: &&Listed| stem(&it.file) == name;
                // Its number changes when another error comes before it.
                let is_like = |it: &&Listed| bare(stem(&it.file)) == bare(name);
                list.iter().find(is_it).or_else(|| list.iter().find(is_like))
            }
            Self::Seed(_) | Self::Link(_) => None,
        }
    }

    const fn folder(&self) -> Option<Folder> {
        match self {
            Self::Lesson(_) => Some(Folder::Lessons),
            Self::Error(_) => Some(Folder::Errors),
            Self::Seed(_) | Self::Link(_) => None,
        }
    }
}

impl TimeState {
    /// What stands behind `#` in the address bar; true if it is a run, which is opened then.
    pub fn address(&mut self, fragment: &str) -> bool {
        if !is_meant(fragment) {
            // Back leads out of what had an address.
            if !self.bar.is_empty() && self.bar != fragment {
                self.leave_bar();
                self.close();
            }
            return false;
        }
        if self.bar == fragment {
            return true;
        }
        self.leave_bar();
        match read(fragment) {
            Some((meant, event)) => {
                fragment.clone_into(&mut self.bar);
                self.meant(meant, event);
            }
            None => self.is_nothing(fragment.starts_with("seed=")),
        }
        true
    }

    /// The bar is none of ours any more.
    fn leave_bar(&mut self) {
        self.bar.clear();
        self.awaited = None;
        self.bar_due = None;
    }

    /// The address names no run: that is said, and nobody comes here by it again.
    fn is_nothing(&mut self, is_seed: bool) {
        self.leave_bar();
        self.close();
        self.shelf.told = if is_seed { Told::NoSeed } else { Told::NoRun };
        self.shelf.is_seed_wrong = is_seed;
        self.write_bar(String::new(), false);
    }

    fn meant(&mut self, meant: Meant, event: u64) {
        let folder = match (&meant, meant.folder()) {
            (Meant::Seed(seed), _) => {
                self.shelf.seed = seed.to_string();
                return self.come(Name::Seed(*seed), Some(TimeSource::Seed(*seed)), event);
            }
            (Meant::Link(link), _) => {
                let source = TimeSource::Link(link.clone());
                return self.come(Name::Link(link.clone()), Some(source), event);
            }
            (_, Some(folder)) => folder,
            (_, None) => return,
        };
        match self.shelf.listed(folder) {
            Fetched::There(list) => match meant.file(list).map(|it| it.file.clone()) {
                Some(file) => self.come(Name::File(folder, file), None, event),
                None => self.is_nothing(false),
            },
            Fetched::Not | Fetched::Asked | Fetched::Failed(_) => {
                self.close_run();
                self.awaited = Some((meant, event));
                self.show();
            }
        }
    }

    /// Opens something at an event, or goes there if it is open.
    fn come(&mut self, name: Name, source: Option<TimeSource>, event: u64) {
        if self.is_open(&name) {
            match &mut self.wish {
                Some(wish) if self.run.is_none() => wish.at = event,
                _ => self.travel(To::Event(event)),
            }
            return;
        }
        match (name, source) {
            (name, Some(source)) => self.open(name, source),
            (Name::File(folder, file), None) => self.want_file(folder, file),
            _ => {}
        }
        if let Some(wish) = &mut self.wish {
            wish.at = event;
        }
    }

    /// A list came for which an address waits.
    pub(super) fn list_came(&mut self, folder: Folder) {
        if let Some((meant, event)) =
            self.awaited.take_if(|(meant, _)| meant.folder() == Some(folder))
        {
            self.meant(meant, event);
        }
    }

    fn write_bar(&mut self, fragment: String, push: bool) {
        self.asks.push(Ask::Lesson(LessonAsk::Address { fragment, push }));
    }

    /// Somebody opened something: Back leads out of it.
    pub(super) fn enter(&mut self, name: &Name) {
        let fragment = write(name).unwrap_or_default();
        if fragment != self.bar {
            self.leave_bar();
            self.bar.clone_from(&fragment);
            self.write_bar(fragment, true);
        }
    }

    /// A link could be opened, so it is one: the bar says so, unless somebody came by it.
    pub(super) fn enter_link(&mut self, name: &Name) {
        let bar = self.bar.split_once('@').map_or(self.bar.as_str(), |(place, _)| place);
        if write(name).as_deref() != Some(bar) {
            self.enter(name);
        }
    }

    /// The link by which somebody came cannot be opened: nobody comes here by it again.
    pub(super) fn forget_link(&mut self) {
        if self.bar.starts_with("time=s=") {
            self.leave_bar();
            self.write_bar(String::new(), false);
        }
    }

    /// Somebody went back to the list.
    pub(super) fn leave(&mut self) {
        if !self.bar.is_empty() {
            self.leave_bar();
            self.write_bar(String::new(), true);
        }
    }

    /// The run stands elsewhere: the bar follows soon.
    pub(super) const fn bar_follows(&mut self) {
        self.bar_due = Some(Millis(self.now.0.saturating_add(REST_MS)));
    }

    /// Time passes: the bar follows.
    pub(super) fn settle_bar(&mut self) {
        let is_due = self.bar_due.is_some_and(|due| due <= self.now);
        if !is_due || self.is_playing() || self.stage != Stage::Open || self.bar.is_empty() {
            return;
        }
        self.bar_due = None;
        let Some(name) = self.wish.as_ref().map(|wish| &wish.name) else { return };
        let event = self.run.as_ref().and_then(|run| run.lanes.first());
        let event = event.map_or(0, |lane| lane.moment.event);
        let Some(place) = write(name) else { return };
        let fragment = if event == 0 { place } else { format!("{place}@{event}") };
        if fragment != self.bar {
            self.bar.clone_from(&fragment);
            self.write_bar(fragment, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let lesson = Name::File(Folder::Lessons, "04-failover.txt".to_owned());
        assert_eq!(write(&lesson).as_deref(), Some("time=lesson-04"));
        assert_eq!(read("time=lesson-04"), Some((Meant::Lesson(4), 0)));
        assert_eq!(read("time=lesson-04@57"), Some((Meant::Lesson(4), 57)));
        let error = Name::File(Folder::Errors, "01-compacted.txt".to_owned());
        assert_eq!(write(&error).as_deref(), Some("time=error-01-compacted"));
        let meant = Meant::Error("01-compacted".to_owned());
        assert_eq!(read("time=error-01-compacted@3"), Some((meant, 3)));
        assert_eq!(write(&Name::Seed(7)).as_deref(), Some("seed=7"));
        assert_eq!(read("seed=7@120"), Some((Meant::Seed(7), 120)));
        let link = Name::Link("s=AAA-_".to_owned());
        assert_eq!(write(&link).as_deref(), Some("time=s=AAA-_"));
        assert_eq!(read("time=s=AAA-_@9"), Some((Meant::Link("s=AAA-_".to_owned()), 9)));
        assert_eq!(write(&Name::Link(String::new())), None);
        assert_eq!((write(&Name::Script), write(&Name::Session)), (None, None));
    }

    #[test]
    fn what_names_no_run_is_none() {
        for text in [
            "time=",
            "time=lesson-",
            "time=lesson-004",
            "time=lesson-+4",
            "time=lesson-4@",
            "time=lesson-4@-1",
            "time=error-",
            "time=error-A/../b",
            "time=s=",
            "time=s=A/b",
            "time=s=AA@x",
            "seed=",
            "seed=-1",
            "seed=1@x",
            "seed=99999999999999999999999",
        ] {
            assert!(is_meant(text));
            assert_eq!(read(text), None, "{text}");
        }
        assert!(!is_meant("lesson=04/1"));
    }
}
