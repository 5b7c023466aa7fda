//! What there is to see of the catalogue.

use super::entry::{Section, Told};
use super::strings::{ErrorStrings, put};
use super::{Area, Catalogue, ErrorEntry, Fetched, matching, shown};
use crate::playground::strings::Language;
use crate::playground::view::prose::Span;

/// Whether a file is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FetchState {
    /// It is fetched.
    #[default]
    Loading,
    /// It could not be, or cannot be read, with the reason.
    Failed(String),
    /// There is none of this name, in a sentence.
    Missing(String),
    /// It is.
    Ready,
}

/// An entry in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorRow {
    /// Its name in addresses.
    pub name: String,
    /// Its message.
    pub message: String,
    /// What it means, in a sentence.
    pub about: String,
}

/// Entries that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorGroup {
    /// What they have in common.
    pub title: &'static str,
    /// The entries.
    pub rows: Vec<ErrorRow>,
}

/// A line of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorLine {
    /// The line as the grammar of scenarios has it; it may have several lines.
    pub text: String,
    /// It can be put into a console.
    pub can_write: bool,
}

/// Where an error that was printed is explained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorLink {
    /// The entry's name.
    pub name: String,
    /// Its message.
    pub message: String,
}

/// The chosen entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorEntryView {
    /// Its name in addresses.
    pub name: String,
    /// Whether its file is there.
    pub state: FetchState,
    /// Its message.
    pub message: String,
    /// A line as it is printed.
    pub printed: String,
    /// The gRPC code; empty if it has none.
    pub code: String,
    /// What the code tells, or why there is none.
    pub code_words: &'static str,
    /// What it is about.
    pub area: &'static str,
    /// What it means and where it comes from: paragraphs.
    pub meaning: Vec<Vec<Span>>,
    /// The cluster that the lines run on, in a sentence.
    pub cluster: String,
    /// The lines that produce it; none if nothing here does.
    pub lines: Vec<ErrorLine>,
    /// Why nothing here produces it: paragraphs; none where there are lines.
    pub not_here: Vec<Vec<Span>>,
    /// What to do: paragraphs.
    pub remedy: Vec<Vec<Span>>,
    /// The lines that do it.
    pub remedy_lines: Vec<ErrorLine>,
    /// The lines that produce it can run in a console, all of them.
    pub can_run: bool,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorsView {
    /// Whether the list is there.
    pub state: FetchState,
    /// What is searched for.
    pub query: String,
    /// What was found, in words.
    pub found: String,
    /// The entries.
    pub groups: Vec<ErrorGroup>,
    /// The chosen one.
    pub entry: Option<ErrorEntryView>,
}

impl Catalogue {
    /// What there is to see.
    #[must_use]
    pub fn view(&self, s: &'static ErrorStrings) -> ErrorsView {
        let groups = self.groups(s);
        let count = groups.iter().map(|group| group.rows.len()).sum::<usize>();
        let state = match &self.list {
            Fetched::Not | Fetched::Asked => FetchState::Loading,
            Fetched::Failed(reason) => FetchState::Failed(shown(reason)),
            Fetched::There(_) => FetchState::Ready,
        };
        let found = match (&state, self.query.trim(), count) {
            (FetchState::Ready, "", _) => put(s.count, &[&count.to_string()]),
            (FetchState::Ready, _, 0) => s.none.to_owned(),
            (FetchState::Ready, _, 1) => s.found_one.to_owned(),
            (FetchState::Ready, ..) => put(s.found, &[&count.to_string()]),
            _ => String::new(),
        };
        ErrorsView { state, query: self.query.clone(), found, groups, entry: self.entry_view(s) }
    }

    pub(super) fn groups(&self, s: &'static ErrorStrings) -> Vec<ErrorGroup> {
        let row = |entry: &ErrorEntry| ErrorRow {
            name: entry.name.clone(),
            message: shown(&entry.message),
            about: shown(match s.language {
                Language::English => &entry.about,
                Language::Chinese => &entry.about_zh,
            }),
        };
        let pasted = matching::of_message(self.entries(), &self.query);
        if !pasted.is_empty() {
            let rows = pasted.into_iter().map(row).collect();
            return vec![ErrorGroup { title: s.pasted, rows }];
        }
        let group = |area: Area| {
            let title = s.area(area);
            let fits = |entry: &&ErrorEntry| {
                entry.area == area && matching::has_words(entry, title, &self.query)
            };
            let rows: Vec<ErrorRow> = self.entries().iter().filter(fits).map(row).collect();
            (!rows.is_empty()).then_some(ErrorGroup { title, rows })
        };
        Area::ALL.into_iter().filter_map(group).collect()
    }

    fn entry_view(&self, s: &'static ErrorStrings) -> Option<ErrorEntryView> {
        let name = self.chosen.as_ref()?;
        let Some(entry) = self.chosen() else {
            // An address that names nothing; while the list is fetched it may still be there.
            let is_known = matches!(self.list, Fetched::There(_));
            let state = FetchState::Missing(put(s.no_entry, &[&shown(name)]));
            return is_known.then(|| ErrorEntryView { state, ..ErrorEntryView::default() });
        };
        let head = ErrorEntryView {
            name: entry.name.clone(),
            message: shown(&entry.message),
            printed: shown(&entry.printed),
            code: shown(&entry.code),
            code_words: s.code_words(&entry.code, entry.origin),
            area: s.area(entry.area),
            ..ErrorEntryView::default()
        };
        let text = match self.texts.get(name) {
            Some(Fetched::There(text)) => text,
            Some(Fetched::Failed(reason)) => {
                return Some(ErrorEntryView { state: FetchState::Failed(shown(reason)), ..head });
            }
            Some(Fetched::Not | Fetched::Asked) | None => return Some(head),
        };
        let told = match Told::read(text, s) {
            Ok(told) => told,
            Err(reason) => {
                return Some(ErrorEntryView { state: FetchState::Failed(shown(&reason)), ..head });
            }
        };
        let can_run = told.can_run();
        let members = told.members.to_string();
        let mut cluster = match told.members {
            1 => s.cluster_one.to_owned(),
            _ => put(s.cluster, &[&members]),
        };
        if !told.settings.is_empty() {
            cluster.push_str(&put(s.cluster_with, &[&shown(&told.settings)]));
        }
        let mut sections = told.sections.into_iter();
        let mut next = || -> Section { sections.next().unwrap_or_default() };
        let (first, second, third) = (next(), next(), next());
        Some(ErrorEntryView {
            state: FetchState::Ready,
            meaning: first.prose,
            lines: first.lines,
            cluster,
            remedy: second.prose,
            remedy_lines: second.lines,
            not_here: third.prose,
            can_run,
            ..head
        })
    }
}
