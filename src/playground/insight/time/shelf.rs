//! What can be played: lessons, the catalogue of errors, a seed of the simulator, somebody's link.
//!
//! What it is: [`Shelf`], the lists as they were fetched and the fields as they are filled in.
//! What it is not: a fetcher: what is to be fetched comes out as [`TimeWanted`], once each.
//! Invariants: a list that could not be fetched says why and can be asked for again; a title is escaped before it is shown.

use super::strings::TimeStrings;
use crate::playground::escape;
use crate::playground::insight::errors::NOTES_FILE;
use crate::playground::insight::fetched::Fetched;
use crate::playground::strings::Language;

/// Characters of a title that are shown. Unit: characters. Source: ours; the longest message of etcd's fits.
const TITLE_CHARS: u32 = 160;

/// A folder of scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// The lessons.
    Lessons,
    /// The catalogue of errors.
    Errors,
}

impl Folder {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Lessons, Self::Errors];

    /// Its name below the page's address.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lessons => "lessons",
            Self::Errors => "errors",
        }
    }
}

/// A scenario in a list, as the folder's `index.json` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its number.
    pub number: u32,
    /// Its file, beside the list.
    pub file: String,
    /// Its title.
    pub title: String,
    /// Its title in Chinese; empty if it is the same.
    pub title_zh: String,
}

/// A file to fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeWanted {
    /// The list of a folder.
    List(Folder),
    /// A scenario of a folder: its file.
    Script(Folder, String),
}

/// A list, as far as it has come.
type List = Fetched<Vec<Listed>>;

/// What has to be said of what somebody came or asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Told {
    #[default]
    Nothing,
    /// The address names no run.
    NoRun,
    /// The address names a seed that is none.
    NoSeed,
    /// Nothing was done yet that could be played.
    NothingDone,
}

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfRow {
    /// Its folder.
    pub folder: Folder,
    /// Its file.
    pub file: String,
    /// Number and title.
    pub title: String,
}

/// One list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShelfList {
    /// Its folder.
    pub folder: Folder,
    /// What is in it.
    pub title: &'static str,
    /// What contains the filter.
    pub rows: Vec<ShelfRow>,
    /// Why there are no rows: it is on its way, could not be fetched, or holds nothing of that kind.
    pub note: String,
    /// It could not be fetched.
    pub has_failed: bool,
}

/// What there is to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShelfView {
    /// The lists.
    pub lists: Vec<ShelfList>,
    /// What has to be said first: why what somebody came for is not here.
    pub told: &'static str,
    /// What is wrong with the seed.
    pub wrong_seed: &'static str,
    /// What is wrong with the link.
    pub wrong_link: &'static str,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    lessons: List,
    errors: List,
    filter: String,
    pub(super) seed: String,
    pub(super) link: String,
    pub(super) is_seed_wrong: bool,
    pub(super) is_link_wrong: bool,
    pub(super) told: Told,
}

impl Shelf {
    /// A folder's list.
    pub(super) const fn listed(&self, folder: Folder) -> &List {
        match folder {
            Folder::Lessons => &self.lessons,
            Folder::Errors => &self.errors,
        }
    }

    const fn list(&mut self, folder: Folder) -> &mut List {
        match folder {
            Folder::Lessons => &mut self.lessons,
            Folder::Errors => &mut self.errors,
        }
    }

    /// What is not there and not under way.
    pub(super) fn want(&mut self) -> Vec<TimeWanted> {
        let mut wanted = Vec::new();
        for folder in Folder::ALL {
            let list = self.list(folder);
            if *list == Fetched::Not {
                *list = Fetched::Asked;
                wanted.push(TimeWanted::List(folder));
            }
        }
        wanted
    }

    /// Lists that failed are wanted again.
    pub(super) fn again(&mut self) {
        for folder in Folder::ALL {
            let list = self.list(folder);
            if matches!(list, Fetched::Failed(_)) {
                *list = Fetched::Not;
            }
        }
    }

    pub(super) fn set(&mut self, folder: Folder, found: Result<Vec<Listed>, String>) {
        *self.list(folder) = found
            .map(|mut list| {
                // Messages that are only explained have nothing to play.
                list.retain(|listed| listed.file != NOTES_FILE);
                list
            })
            .into();
    }

    pub(super) fn set_filter(&mut self, filter: &str) {
        self.filter = filter.trim().to_lowercase();
    }

    /// The title of a file in this language; its name if the list does not have it.
    pub(super) fn title(&self, folder: Folder, file: &str, spoken: Language) -> String {
        let found = match self.listed(folder) {
            Fetched::There(list) => list.iter().find(|it| it.file == file),
            _ => None,
        };
        found.map_or_else(|| escape::line(file.as_bytes()), |it| title(it, spoken))
    }

    pub(super) fn view(&self, spoken: Language, s: &TimeStrings) -> ShelfView {
        let lists = Folder::ALL.map(|folder| {
            let (list, title) = match folder {
                Folder::Lessons => (&self.lessons, s.lessons),
                Folder::Errors => (&self.errors, s.errors),
            };
            self.list_view(folder, list, (title, spoken), s)
        });
        ShelfView {
            told: match self.told {
                Told::Nothing => "",
                Told::NoRun => s.no_run,
                Told::NoSeed => s.no_seed,
                Told::NothingDone => s.nothing_done,
            },
            lists: lists.to_vec(),
            wrong_seed: if self.is_seed_wrong { s.wrong_seed } else { "" },
            wrong_link: if self.is_link_wrong { s.wrong_link } else { "" },
        }
    }

    fn list_view(
        &self,
        folder: Folder,
        list: &List,
        (name, spoken): (&'static str, Language),
        s: &TimeStrings,
    ) -> ShelfList {
        let (rows, note) = match list {
            Fetched::Not | Fetched::Asked => (Vec::new(), s.list_loading.to_owned()),
            Fetched::Failed(reason) => {
                (Vec::new(), (s.list_failed)(&escape::line(reason.as_bytes())))
            }
            Fetched::There(list) => {
                let row = |it: &Listed| {
                    let row = ShelfRow { folder, file: it.file.clone(), title: title(it, spoken) };
                    let has_it = |text: &str| text.to_lowercase().contains(&self.filter);
                    let is_in = has_it(&row.title) || has_it(&it.title) || has_it(&it.file);
                    is_in.then_some(row)
                };
                let rows: Vec<ShelfRow> = list.iter().filter_map(row).collect();
                let note = if rows.is_empty() { s.list_none.to_owned() } else { String::new() };
                (rows, note)
            }
        };
        let has_failed = matches!(list, Fetched::Failed(_));
        ShelfList { folder, title: name, rows, note, has_failed }
    }
}

fn title(it: &Listed, spoken: Language) -> String {
    let title = match spoken {
        Language::Chinese if !it.title_zh.is_empty() => &it.title_zh,
        _ => &it.title,
    };
    let title = escape::clipped(title.as_bytes(), TITLE_CHARS);
    if it.number == 0 { title } else { format!("{}. {title}", it.number) }
}
