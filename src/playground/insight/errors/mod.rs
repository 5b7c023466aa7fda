//! The catalogue of error messages: which there are, which one is shown, and which one a pasted message is.
//!
//! What it is: [`Catalogue`]: the list and the entries' files, as they are fetched; a search; the chosen entry. What it wants
//! of the page comes out as [`Ask`]s, and files to fetch as [`WantedError`]s.
//! What it is not: a cause of errors: an entry's lines run in the lab, or in the consoles when somebody asks for it. Some entries
//! have no lines, since a page cannot bring their messages about: they say why.
//! Invariants: a message is shown as etcd prints it, in every language; foreign texts give a sentence, never a panic; foreign
//! bytes are escaped before they reach a view.

mod address;
mod entry;
mod matching;
mod note;
mod strings;
mod view;

use self::entry::Told;
use super::fetched::Fetched;
use super::lesson::LessonAsk;
use super::protocol::Ask;
use crate::playground::escape;
use crate::types::SmallMap;

pub(super) use note::FILE as NOTES_FILE;
pub use strings::ErrorStrings;
pub(super) use strings::{EN, ZH};
pub use view::{
    ErrorEntryView, ErrorGroup, ErrorLine, ErrorLink, ErrorRow, ErrorsView, FetchState,
};

/// Most characters of a search that are looked at. Source: ours; a long line of a log.
const QUERY_MAX: usize = 4_000;

/// What an entry is about: the list is grouped by it, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// Nobody leads, or nobody answers in time.
    Quorum,
    /// Keys, revisions, transactions, watches.
    Keys,
    /// Space, sizes, leases.
    Limits,
    /// Members.
    Members,
    /// Users and roles.
    Auth,
    /// Snapshots, restoring, versions.
    Backup,
    /// What etcdctl refuses by itself.
    #[default]
    Client,
}

impl Area {
    /// All, in the order of the list.
    pub const ALL: [Self; 7] = [
        Self::Quorum,
        Self::Keys,
        Self::Limits,
        Self::Members,
        Self::Auth,
        Self::Backup,
        Self::Client,
    ];

    /// Its name in `errors/index.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quorum => "quorum",
            Self::Keys => "keys",
            Self::Limits => "limits",
            Self::Members => "members",
            Self::Auth => "auth",
            Self::Backup => "backup",
            Self::Client => "client",
        }
    }

    /// The area of this name; the last one for a foreign name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|area| area.name() == name).unwrap_or_default()
    }
}

/// Who words a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A member answers a request with it: it has a gRPC code.
    Member,
    /// The client's library.
    Client,
    /// The last message of a watch gives it as the reason.
    Watch,
    /// A member writes it into its own log.
    Log,
    /// etcdctl, before or after it asks.
    #[default]
    Etcdctl,
}

impl Origin {
    /// All.
    pub const ALL: [Self; 5] = [Self::Member, Self::Client, Self::Watch, Self::Log, Self::Etcdctl];

    /// Its name in `errors/index.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Client => "client",
            Self::Watch => "watch",
            Self::Log => "log",
            Self::Etcdctl => "etcdctl",
        }
    }

    /// The one of this name; the last one for a foreign name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|origin| origin.name() == name).unwrap_or_default()
    }
}

/// An entry in the list, as `errors/index.json` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorEntry {
    /// Its name in addresses.
    pub name: String,
    /// Its file, beside the list; notes have one together.
    pub file: String,
    /// The part of the message that is always the same.
    pub message: String,
    /// A line as it is printed.
    pub printed: String,
    /// The gRPC code by its name; empty if it has none.
    pub code: String,
    /// Who words it.
    pub origin: Origin,
    /// What it is about.
    pub area: Area,
    /// Ways in which the message is worded: the fixed pieces of each, in order.
    pub forms: Vec<Vec<String>>,
    /// The first sentence of what it means.
    pub about: String,
    /// The same in Chinese.
    pub about_zh: String,
}

/// A file to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedError {
    /// The list.
    List,
    /// The entry of this name, in this file.
    Entry(String, String),
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    list: Fetched<Vec<ErrorEntry>>,
    texts: SmallMap<String, Fetched<String>>,
    wanted: Vec<WantedError>,
    asks: Vec<Ask>,
    query: String,
    chosen: Option<String>,
}

impl Catalogue {
    /// What to fetch, once each.
    pub fn take_wanted(&mut self) -> Vec<WantedError> {
        std::mem::take(&mut self.wanted)
    }

    /// What to ask the page for, once each.
    pub fn take_asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }

    /// Somebody looks: the list is wanted, and the chosen entry.
    pub fn begin(&mut self) {
        if self.list == Fetched::Not {
            self.list = Fetched::Asked;
            self.wanted.push(WantedError::List);
        }
        self.want_entry();
    }

    /// Fetches again what could not be fetched.
    pub fn fetch_again(&mut self) {
        if matches!(self.list, Fetched::Failed(_)) {
            self.list = Fetched::Not;
        }
        if let Some(name) = &self.chosen
            && let Some(text) = self.texts.get_mut(name)
            && matches!(text, Fetched::Failed(_))
        {
            *text = Fetched::Not;
        }
        self.begin();
    }

    /// The list came, or why not.
    pub fn set_list(&mut self, list: Result<Vec<ErrorEntry>, String>) {
        self.list = list.into();
        self.want_entry();
    }

    /// The file of an entry came, or why not.
    pub fn set_entry(&mut self, name: String, text: Result<String, String>) {
        let is_note = |entry: &ErrorEntry| entry.name == name && entry.file == note::FILE;
        let text = if self.entries().iter().any(is_note) {
            text.and_then(|text| {
                let note = note::read(&text, &name).map(str::to_owned);
                note.ok_or_else(|| format!("{} has no {name}", note::FILE))
            })
        } else {
            text
        };
        self.texts.insert(name, text.into());
    }

    fn entries(&self) -> &[ErrorEntry] {
        match &self.list {
            Fetched::There(list) => list,
            _ => &[],
        }
    }

    fn chosen(&self) -> Option<&ErrorEntry> {
        let name = self.chosen.as_ref()?;
        self.entries().iter().find(|entry| entry.name == *name)
    }

    fn want_entry(&mut self) {
        let Some(entry) = self.chosen() else { return };
        let (name, file) = (entry.name.clone(), entry.file.clone());
        let text = self.texts.get_or_insert_with(name.clone(), Fetched::default);
        if *text == Fetched::Not {
            *text = Fetched::Asked;
            self.wanted.push(WantedError::Entry(name, file));
        }
    }

    /// Only entries that have to do with this.
    pub fn search(&mut self, query: &str) {
        self.query = query.chars().take(QUERY_MAX).collect();
        // A message that was pasted is looked up at once.
        let found =
            matching::of_message(self.entries(), &self.query).first().map(|it| it.name.clone());
        if let Some(name) = found {
            self.show(name, false);
        }
    }

    /// Shows an entry, under an address of its own.
    pub fn choose(&mut self, name: &str) {
        self.show(name.to_owned(), true);
        self.keep_listed();
    }

    /// An entry that was not found by the search, but was chosen elsewhere, ends the search: the list has it again.
    fn keep_listed(&mut self) {
        let Some(name) = self.chosen().map(|entry| entry.name.clone()) else { return };
        let is_listed = |strings| {
            self.groups(strings).iter().flat_map(|group| &group.rows).any(|row| row.name == name)
        };
        if !is_listed(&EN) && !is_listed(&ZH) {
            self.query.clear();
        }
    }

    fn show(&mut self, name: String, push: bool) {
        if self.chosen.as_ref() == Some(&name) {
            return;
        }
        let fragment = address::write(&name);
        self.asks.push(Ask::Lesson(LessonAsk::Address { fragment, push }));
        self.chosen = Some(name);
        self.want_entry();
    }

    /// The address bar has changed: it names an entry, or none.
    pub fn hear_address(&mut self, fragment: &str) {
        self.chosen = address::read(fragment);
        self.keep_listed();
        self.want_entry();
    }

    /// The entry of what a command printed, if there is one.
    pub(super) fn of_message(&self, said: &str) -> Option<ErrorLink> {
        let entry = *matching::of_message(self.entries(), said).first()?;
        Some(ErrorLink { name: entry.name.clone(), message: shown(&entry.message) })
    }

    /// The script of the chosen entry, once it was fetched.
    #[must_use]
    pub fn text(&self) -> Option<&String> {
        match self.texts.get(self.chosen.as_ref()?)? {
            Fetched::There(text) => Some(text),
            _ => None,
        }
    }

    /// Plays the chosen entry in the lab.
    pub fn play(&mut self) {
        let Some(text) = self.text() else { return };
        if Told::read(text, &EN).is_ok_and(|told| !told.lines().is_empty()) {
            self.asks.push(Ask::Share(text.clone()));
        }
    }

    /// Puts the lines that produce the message into the console, which asks before it runs them.
    pub fn run(&mut self) {
        let Some(told) = self.text().and_then(|text| Told::read(text, &EN).ok()) else { return };
        if !told.can_run() {
            return;
        }
        let lines: Vec<&str> = told.lines().iter().map(|line| line.text.as_str()).collect();
        self.asks.push(Ask::Write(lines.join("\n")));
    }
}

fn shown(text: &str) -> String {
    escape::block(text.as_bytes())
}

#[cfg(test)]
mod tests;
