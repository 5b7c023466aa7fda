//! The words between the page and the program.
//!
//! What it is: [`Item`], what the program is told, and [`Ask`], what it asks for; both travel as postcard.
//! What it is not: the contract with members: parts of logs go through unread.
//! Invariants: items are told in order; [`Item::Opened`] voids all before it; foreign bytes give an error.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::lesson::{LessonAsk, LessonNote};
use super::passed::{LeaseNote, WatchNote};
use super::scenario::{ScenarioAsk, ScenarioNote};
use super::tap::Note;
use crate::api;
use crate::playground::keys::{KeysEvent, KeysView};
use crate::playground::reference::{CommandPage, CommandSection};
use crate::scenario::Question;
use crate::types::{Index, LeaseId, MemberId, Millis, Term};
use crate::wire;

/// What the program is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// A cluster was opened.
    Opened {
        /// When.
        at: Millis,
    },
    /// A member as it is now, new or not.
    Member(MemberNote),
    /// A member of which nothing is left.
    Gone(MemberId),
    /// The directions that are cut: from, to.
    Cuts(Vec<(MemberId, MemberId)>),
    /// A member's newest state.
    Status(api::MemberStatus),
    /// How far the cluster had come.
    Sample(Sample),
    /// What a member did.
    Event {
        /// When the page heard it.
        at: Millis,
        /// Who.
        member: MemberId,
        /// What.
        event: api::MemberEvent,
    },
    /// What was done to the cluster, or happened to it.
    Fault {
        /// When.
        at: Millis,
        /// What.
        fault: Fault,
    },
    /// A client asked.
    Called {
        /// When.
        at: Millis,
        /// Number of the call.
        call: u64,
        /// Whom.
        member: MemberId,
    },
    /// A client was answered.
    Answered {
        /// When.
        at: Millis,
        /// Number of the call.
        call: u64,
        /// The revision in the answer's header; the error's text; or nothing: the member went away.
        result: Option<Result<i64, String>>,
    },
    /// A piece of the history of clients.
    History(Note),
    /// A part of a member's log: an encoded [`api::LogPart`].
    Log(Bytes),
    /// A sample of what a member sent: an encoded [`wire::MessageSample`].
    Messages {
        /// When the page heard it.
        at: Millis,
        /// Who.
        member: MemberId,
        /// What.
        sample: Bytes,
    },
    /// What a member knows of some calls: an encoded [`api::TracePart`].
    Trace {
        /// When.
        at: Millis,
        /// What.
        part: Bytes,
    },
    /// The command to explain, and its calls; nothing if there is none.
    Why(Option<Box<WhyNote>>),
    /// The keys as they are to be seen.
    Keys(Box<KeysView>),
    /// All commands.
    Commands(Vec<CommandSection>),
    /// The page of a command.
    Command(CommandPage),
    /// Something happened to a watch.
    Watch {
        /// When.
        at: Millis,
        /// Number of the call that opened it.
        call: u64,
        /// What.
        note: WatchNote,
    },
    /// Something happened to a lease.
    Lease {
        /// When.
        at: Millis,
        /// To which.
        lease: LeaseId,
        /// What.
        note: LeaseNote,
    },
    /// What a member holds.
    Holdings {
        /// When the page heard it.
        at: Millis,
        /// Encoded [`api::Holdings`].
        part: Bytes,
    },
    /// Something that concerns lessons.
    Lesson(LessonNote),
    /// Something that concerns the editor of scenarios.
    Scenario(ScenarioNote),
    /// What the lab's program answered an [`Ask::Lab`]: the page does not read it. An error: it could not be loaded, or it
    /// stopped, with the reason.
    Lab(Result<Bytes, String>),
    /// What was done, as it is asked of the lab: see [`Ask::Session`].
    Session(Box<Question>),
    /// What stands in the address bar behind `#`.
    Address(String),
    /// What the page keeps alive.
    Kept {
        /// The leases.
        leases: Vec<LeaseId>,
        /// Those that it just ceased to keep because it could not, with the reason.
        failed: Vec<(LeaseId, String)>,
    },
}

impl Item {
    /// A person waits for it.
    #[must_use]
    pub const fn is_asked(&self) -> bool {
        matches!(
            self,
            Self::Keys(_) | Self::Why(_) | Self::Commands(_) | Self::Command(_) | Self::Lab(_)
        )
    }
}

/// A member as the page sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberNote {
    /// Who.
    pub id: MemberId,
    /// Its name.
    pub name: String,
    /// It receives the log and does not vote.
    pub is_learner: bool,
    /// It serves.
    pub is_up: bool,
    /// Its world stands still.
    pub is_paused: bool,
    /// It is no member any more.
    pub is_removed: bool,
}

/// How far the member that was furthest had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// When.
    pub at: Millis,
    /// Its term.
    pub term: Term,
    /// The last entry that its store contained.
    pub applied: Index,
    /// Its store's revision.
    pub revision: i64,
}

/// What was done to the cluster, or happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// A member does not run any more.
    Down(MemberId),
    /// A member starts from its disk.
    Started(MemberId),
    /// A member's world stands still.
    Paused(MemberId),
    /// It goes on.
    Resumed(MemberId),
    /// So many directions of links are cut from now on.
    Links(u32),
}

/// A command of a console, and what it asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyNote {
    /// Its line, escaped.
    pub line: String,
    /// It is a verb of the page: no member is asked.
    pub is_verb: bool,
    /// It runs.
    pub is_running: bool,
    /// Its exit status, if it ended with one that is not 0.
    pub failure: Option<i32>,
    /// The last that it printed as an error, escaped and cut.
    pub said: String,
    /// Calls that are not among `calls`, since there were too many.
    pub older: u64,
    /// Its calls.
    pub calls: Vec<CallNote>,
}

/// One call of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallNote {
    /// Its number; 0 if it was never made.
    pub call: u64,
    /// Whom; nothing if nobody has the address.
    pub member: Option<MemberId>,
    /// When.
    pub at: Millis,
    /// When it ended.
    pub ended: Option<Millis>,
    /// How.
    pub end: CallEnd,
}

/// How a call stands, as the page knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallEnd {
    /// It waits for an answer, or is a stream that is open.
    #[default]
    Open,
    /// It was answered.
    Answered,
    /// It never left the page: the member does not serve.
    Refused,
    /// The member went away before it answered.
    Lost,
    /// The command waits no more.
    Canceled,
}

/// What the program asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// A part of a member's log.
    ReadLog {
        /// Whose.
        member: MemberId,
        /// The first entry.
        from: Index,
        /// The last.
        to: Index,
    },
    /// Samples of what members send, for so long; asked again while somebody looks.
    TellMessages {
        /// For how long. Unit: ms.
        for_ms: u32,
    },
    /// What became of calls, and of what others proposed.
    ReadTrace {
        /// Whom.
        member: MemberId,
        /// Numbers of calls.
        calls: Vec<u64>,
        /// What others proposed.
        proposals: Vec<api::ProposalName>,
    },
    /// Something that a lesson wants.
    Lesson(LessonAsk),
    /// Something that the editor of scenarios wants.
    Scenario(ScenarioAsk),
    /// Something for the lab's program, in a worker of its own that stays until it is ended: the page does not read it.
    Lab(Bytes),
    /// End that worker.
    EndLab,
    /// Show this script in the dialog of links, and play it in the lab.
    Share(String),
    /// What was done, for a script.
    Session,
    /// The command to explain.
    Why,
    /// Show the view of this name.
    View(String),
    /// Ask a member something; the answer comes as a piece of the history.
    Request {
        /// Whom.
        member: MemberId,
        /// What.
        request: Box<api::Request>,
    },
    /// Run this line in the console.
    Line(String),
    /// Put this line into the console, for the person to run; of several, the console asks whether to run them.
    Write(String),
    /// Show this key.
    Key(Bytes),
    /// What a person does with the keys.
    Keys(KeysEvent),
    /// All commands.
    Commands,
    /// The page of this command.
    Command(String),
    /// What a member holds: its watches and leases.
    ReadHoldings(MemberId),
    /// Cut a watch's stream, as a network does.
    CutWatch {
        /// Number of the call that opened it.
        call: u64,
        /// Where it goes.
        member: MemberId,
    },
    /// End what runs in this console.
    Interrupt(u32),
    /// Begin to keep a lease alive, or end it.
    KeepAlive {
        /// Which.
        lease: LeaseId,
        /// Begin.
        is_on: bool,
    },
}

/// Items as the page sent them.
///
/// # Errors
/// If they are none of this version.
pub fn decode_items(bytes: &[u8]) -> Result<Vec<Item>, wire::Error> {
    wire::decode(bytes)
}

/// A question as the program sent it.
///
/// # Errors
/// If it is none of this version.
pub fn decode_asked(bytes: &[u8]) -> Result<Ask, wire::Error> {
    wire::decode(bytes)
}

/// A question for the page.
#[must_use]
pub fn encode_ask(ask: &Ask) -> Vec<u8> {
    match wire::encode(ask) {
        Ok(bytes) => bytes,
        Err(error) => unreachable!("a question cannot be encoded: {error}"),
    }
}
