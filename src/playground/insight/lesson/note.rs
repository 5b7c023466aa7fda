//! What the page tells of lessons, and what a lesson wants of the page.
//!
//! Invariants: notes are told in the order in which things happened, and only while a lesson is open; passwords are in
//! none but where a person typed them.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api;
use crate::scenario::World;
use crate::types::MemberId;

/// What the page tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonNote {
    /// Where the reader stood, and what stands behind `#` in the address bar; told first.
    Known {
        /// As [`LessonAsk::Remember`] gave it.
        progress: String,
        /// Without `#`.
        fragment: String,
    },
    /// The address bar changed. Without `#`.
    Address(String),
    /// A cluster was opened, with these settings in the order of `settings::SETTINGS`.
    Opened {
        /// Its members at first.
        members: u32,
        /// The settings.
        settings: Vec<u64>,
        /// Its data was there already.
        is_resumed: bool,
        /// It was open before a lesson was.
        is_old: bool,
    },
    /// The cluster as it is now.
    World(Box<World>),
    /// A member told what it did.
    Event(MemberId, Box<api::MemberEvent>),
    /// Something was done to the cluster.
    Acted,
    /// A console's request was answered.
    Answered {
        /// By whom.
        member: MemberId,
        /// What was asked.
        request: Box<api::Request>,
        /// What came of it.
        result: Box<Result<api::Response, api::Error>>,
    },
    /// A console's request got no answer.
    Failed(Box<api::Request>),
    /// A console's command asks for a watch.
    Watching(u32, Box<api::WatchRequest>),
    /// A console's watch got a message.
    Watched(u32, Box<api::WatchResponse>),
    /// A command began in a console.
    Began(u32),
    /// A console's command printed more.
    Said {
        /// Which console.
        console: u32,
        /// More of its standard output.
        stdout: String,
        /// More of its standard error.
        stderr: String,
        /// Exit status; nothing while it runs.
        status: Option<i32>,
    },
    /// The first console is busy, or is not any more.
    Busy(bool),
    /// Another tab has the cluster now: nothing runs here until another one is opened.
    TakenOver,
    /// What came of [`LessonAsk::Read`].
    Proved {
        /// Who asked.
        reader: Reader,
        /// The answer, or none.
        answer: Option<Box<Result<api::Response, api::Error>>>,
    },
}

/// Who reads beside the consoles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reader {
    /// A lesson.
    Lesson,
    /// A scenario that is played on the live cluster.
    Scenario,
}

/// What is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// The line, and Enter.
    Enter,
    /// The line and Enter, for a command that reads; otherwise nothing.
    Input,
    /// Ctrl-D.
    End,
    /// Ctrl-C.
    Interrupt,
}

/// What a lesson wants of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonAsk {
    /// Tell what happens.
    Listen,
    /// Type something into the console at this place, from 1.
    Type {
        /// Which console.
        console: u32,
        /// The line; empty for a key alone.
        line: String,
        /// With which key.
        key: Key,
    },
    /// Ask whether a new cluster shall be made.
    NewCluster {
        /// Its members.
        members: u32,
        /// The settings, in the order of `settings::SETTINGS`; nothing for what is usual.
        settings: Vec<Option<u64>>,
    },
    /// Keep where the reader stands.
    Remember(String),
    /// The address bar.
    Address {
        /// Without `#`.
        fragment: String,
        /// Back leads to where we were.
        push: bool,
    },
    /// Read a key at a revision beside the consoles; one at a time for each reader.
    Read {
        /// Who asks.
        reader: Reader,
        /// Whom to ask.
        member: MemberId,
        /// The key.
        key: Bytes,
        /// The revision.
        revision: i64,
    },
    /// Offer a text as a file of this name.
    Save(String, String),
    /// Show what was done as a link.
    Share,
}
