//! What can happen to the page.
//!
//! What it is: the closed set of things a person does, and [`Event::News`] for all that the browser says.
//! What it is not: a DOM event; components translate.
//! Invariants: an event carries all it needs; none refers to an element.

use bytes::Bytes;

use crate::playground::cluster::Action;
use crate::playground::edge::News;
use crate::playground::keys::KeysEvent;
use crate::playground::layout::Split;
use crate::playground::settings::Setting;
use crate::playground::strings::Language;
use crate::types::MemberId;

/// The largest file that is read from a person's disk. Unit: bytes. Source: ours; what a session keeps in all.
pub const FILE_BYTES_MAX: u32 = 256 * 1024 * 1024;

/// What a person brought when a file was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brought {
    /// What is in it.
    File(Bytes),
    /// It is larger than [`FILE_BYTES_MAX`], or cannot be read.
    TooLarge,
    /// None.
    Nothing,
}

/// A part of the page that a narrow screen shows alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    /// The lesson.
    Tutorial,
    /// The consoles.
    #[default]
    Console,
    /// Members and links.
    Cluster,
    /// Keys and their history.
    Keys,
    /// What happened.
    Events,
}

/// What the lower centre panel shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lower {
    /// Keys and their history.
    #[default]
    Keys,
    /// The members' logs.
    Log,
    /// What members send one another.
    Messages,
    /// Time, Raft and revision.
    Clocks,
    /// What a set of members can do.
    Quorum,
    /// Watches and leases.
    Watches,
    /// What clients did, and whether it fits.
    History,
    /// What is exact.
    Exact,
    /// Why a command got its answer, or gets none.
    Why,
    /// The reference of commands.
    Commands,
    /// A run in the lab, moment by moment.
    Time,
    /// A scenario that is written.
    Scenario,
    /// The catalogue of error messages.
    Errors,
}

impl Lower {
    /// All, in the order of their tabs.
    pub const ALL: [Self; 13] = [
        Self::Keys,
        Self::Log,
        Self::Messages,
        Self::Clocks,
        Self::Quorum,
        Self::History,
        Self::Watches,
        Self::Why,
        Self::Time,
        Self::Scenario,
        Self::Commands,
        Self::Errors,
        Self::Exact,
    ];

    /// One works in it, rather than beside the console: it has more room unless a person arranged it.
    #[must_use]
    pub const fn is_workplace(self) -> bool {
        matches!(self, Self::Time | Self::Scenario | Self::Errors)
    }

    /// Its name, for what is remembered and for tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Log => "log",
            Self::Messages => "messages",
            Self::Clocks => "clocks",
            Self::Quorum => "quorum",
            Self::Watches => "watches",
            Self::History => "history",
            Self::Exact => "exact",
            Self::Commands => "commands",
            Self::Why => "why",
            Self::Time => "time",
            Self::Scenario => "scenario",
            Self::Errors => "errors",
        }
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// The browser says something.
    News(News),
    /// What a person does in the console.
    Console(ConsoleEvent),
    /// A button on a member, a link or all.
    Act(Action),
    /// The faults of the direction from the first to the second are to be chosen; again: no more.
    EditLink((MemberId, MemberId)),
    /// What a person does with the keys.
    Keys(KeysEvent),
    /// What a person does with links.
    Share(ShareEvent),
    /// The size of the next cluster was chosen: asks first.
    AskNewCluster(u32),
    /// The answer.
    AnswerNewCluster(bool),
    /// A setting of the next cluster was edited.
    SetSetting(Setting, String),
    /// Whether a change of the membership that was asked about shall be done.
    AnswerChange(bool),
    /// The file that a command asked for, or none.
    AnswerFile(Brought),
    /// A file was dropped on the console: its name and what is in it.
    DropFile(String, Brought),
    /// The saved cluster shall come into this tab.
    TakeOver,
    /// Another panel is shown.
    ShowPanel(Panel),
    /// Another tab of the lower centre panel is shown, or the same one fetched again.
    ShowLower(Lower),
    /// The tutorial is shown or hidden.
    ToggleTutorial,
    /// Light or dark.
    SetTheme(Theme),
    /// A line between panels is moved, or put back where it was at first. Unit: percent.
    MoveSplit(Split, Option<u8>),
    /// Letters become large, or usual again.
    ToggleLarge,
    /// The page speaks this language.
    SetLanguage(Language),
}

/// In the console.
#[derive(Clone, Debug)]
pub enum ConsoleEvent {
    /// The line was edited.
    Typed(String),
    /// Enter.
    Submit,
    /// Arrow up.
    Older,
    /// Arrow down.
    Newer,
    /// Tab: complete the word before the caret, or choose the next completion.
    Complete {
        /// How much of the line stands after the caret. Unit: UTF-16 code units.
        after: u32,
    },
    /// Ctrl-R: search in the history.
    Search,
    /// Escape: close the list above the line.
    CloseMenu,
    /// This row of the list, from 0.
    Choose(u32),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    EndOfInput,
    /// Ctrl-L.
    Clear,
    /// Several lines were pasted.
    Pasted(String),
    /// Run them, or not.
    AnswerPaste(bool),
    /// Write on at them.
    EditPaste,
    /// A new tab.
    OpenTab,
    /// Another tab.
    SelectTab(u32),
    /// Away with it.
    CloseTab(u32),
    /// A block's output onto the clipboard.
    CopyBlock(u64),
    /// A block's output as a file.
    SaveBlock(u64),
    /// Why it got its answer, or gets none.
    Why(u64),
}

/// With links.
#[derive(Clone, Debug)]
pub enum ShareEvent {
    /// Show what was recorded and make a link of it.
    Open,
    /// The title was edited.
    Title(String),
    /// Replay in the lab.
    Replay,
    /// This text onto the clipboard.
    Copy(String),
    /// The script as a file.
    Download,
    /// The script into the editor of scenarios.
    Edit,
    /// Forget what was recorded.
    Forget,
    /// Close the dialog.
    Close,
}
