//! The time machine's words: what the page asks the lab about a run that it can stop, rewind and fork, and what it hears.
//!
//! What it is: plain data. A [`TimeQuestion`] there, a [`TimeAnswer`] back: a [`Moment`] of a timeline, a [`Comparison`]
//! of two. A timeline is a source and a list of changes, each at an event number; it can always be made again from these.
//! What it is not: a run (see `lab::time`), nor markup: texts of the run are raw, whoever shows them escapes them.
//! Invariants: events are counted from 1, and moment `n` is what there is right before event `n + 1`: after event `n`, after
//! what the script's steps do at once, and after the changes that were made at `n`. Moment 0 is before the first event.
//! Every list is bounded by a constant of this module.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api;
use crate::scenario::link::Refusal;
use crate::scenario::report::Verdict;
use crate::scenario::sheet::SheetStep;
use crate::types::{Index, MemberId, Millis, Term};

/// Timelines that can be looked at side by side: 0 and 1.
pub const TIMELINES_MAX: u8 = 2;
/// Changes of one timeline.
pub const CHANGES_MAX: usize = 64;
/// Messages in flight that a moment tells, the next to arrive first.
pub const FLIGHTS_MAX: usize = 64;
/// Happenings that a moment tells, the newest.
pub const HAPPENINGS_MAX: usize = 48;
/// Steps with what they printed that a moment tells, the newest.
pub const STEPS_TOLD_MAX: usize = 6;
/// Steps begun that a moment tells where they began, the newest.
pub const STEPS_BEGUN_MAX: usize = 512;
/// Entries at the end of each member's log that a moment tells.
pub const TAIL_MAX: u64 = 16;
/// Most of one output that a moment tells, the end of it. Unit: bytes.
pub const OUTPUT_BYTES_MAX: usize = 4_000;
/// Longest text about one event or one change. Unit: bytes.
pub const WORDS_BYTES_MAX: usize = 240;
/// Longest script or link that is read. Unit: bytes.
pub const SOURCE_BYTES_MAX: usize = 512 * 1024;
/// Longest line of [`TimeChange::Line`]. Unit: bytes.
pub const LINE_BYTES_MAX: usize = 4_096;

/// How a failure begins that came before the lab's program was there; any other is of a program that stopped.
pub const NOT_LOADED: &str = "not loaded: ";

/// What is asked of the time machine. Each question has one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeQuestion {
    /// Open this as timeline 0; all others are forgotten. Answer: [`TimeAnswer::Opened`], at moment 0.
    Open(TimeSource),
    /// Go to a moment. Answer: [`TimeAnswer::Moment`]. A moment that does not exist becomes the end.
    Go {
        /// Which timeline.
        timeline: u8,
        /// Where.
        to: To,
    },
    /// Make timeline 1 a copy of timeline 0 with its changes up to this event, and go there. A timeline 1 that there is already is
    /// forgotten. Answer: [`TimeAnswer::Moment`] of timeline 1.
    Fork {
        /// Event number.
        at: u64,
    },
    /// Change something at an event, and go there. Changes that stand at later events are taken back, since the future they were
    /// made in is gone. Answer: [`TimeAnswer::Moment`]; what the change did stands in [`Moment::changes`].
    Change {
        /// Which timeline.
        timeline: u8,
        /// Event number.
        at: u64,
        /// What.
        change: TimeChange,
    },
    /// Take the newest change of a timeline back, and go to where it was made. Answer: [`TimeAnswer::Moment`].
    Undo {
        /// Which timeline.
        timeline: u8,
    },
    /// Forget a timeline: of 1 nothing is left, 0 gives way to 1 if there is one. Answer: [`TimeAnswer::Closed`].
    Close {
        /// Which timeline.
        timeline: u8,
    },
    /// Where do timelines 0 and 1 differ? Plays both to their ends, which can take as long as the runs.
    /// Answer: [`TimeAnswer::Comparison`]. Neither timeline moves.
    Compare,
    /// A part of a member's log at the moment where a timeline stands. Answer: [`TimeAnswer::Log`]; at most 200 entries.
    Log {
        /// Which timeline.
        timeline: u8,
        /// Whose.
        member: MemberId,
        /// The first entry.
        from: Index,
        /// The last.
        to: Index,
    },
    /// What a step had printed at the moment where a timeline stands. Answer: [`TimeAnswer::Step`].
    Step {
        /// Which timeline.
        timeline: u8,
        /// Its number, counted from 0.
        step: u32,
    },
}

/// What a timeline plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeSource {
    /// The text of a script.
    Script(String),
    /// An address with `#s=…`, or its fragment.
    Link(String),
    /// A seed of the simulator, as `playground replay` plays it.
    Seed(u64),
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum To {
    /// Moment 0.
    Start,
    /// The moment of this number.
    Event(u64),
    /// The last moment whose time is not later than this virtual time.
    Time(Millis),
    /// The first moment at which the step of this number (from 0) has begun.
    Step(u32),
    /// One event back.
    Back,
    /// One event on.
    NextEvent,
    /// Right after the next message between members has arrived, or did not because its way is cut.
    NextMessage,
    /// Right after the next tick of a member that runs.
    NextTick,
    /// The first later moment at which another step has begun.
    NextStep,
    /// To the end: after the last event, with all that is judged there.
    End,
}

/// What can be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeChange {
    /// A message that is in flight is lost: [`Flight::id`].
    Drop(u64),
    /// A member's election timer runs out now.
    ///
    /// The member gets the ticks that its timer lacks, all at once, as if its clock had made a jump: what happens then is what its
    /// own Raft does on a tick. It cannot be done to a leader, a learner, or a member that is down or paused; then nothing
    /// happens, and the change says why.
    Fire(MemberId),
    /// The election timers of all running voters but the leader run out at once, so that each of them has voted for itself before
    /// it hears of the others.
    ///
    /// With fewer than two of them there is nothing to split, and the change says so.
    SplitVote,
    /// A verb as a script has it (`kill leader`, `cut infra1 infra2`), or a command for a console of its own
    /// (`etcdctl put a b`): it begins now and goes on beside the script. Waits, claims and changes of the membership by verb are
    /// refused. A seed has no consoles, and takes verbs only.
    Line(String),
}

/// What the time machine answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeAnswer {
    /// A timeline was opened.
    Opened(Box<Opened>),
    /// Where a timeline stands now.
    Moment(Box<Moment>),
    /// How two timelines compare.
    Comparison(Box<Comparison>),
    /// A part of a log; `None`: the member does not run.
    Log(Option<Box<api::LogPart>>),
    /// What a step has printed; `None`: it has not begun.
    Step(Option<Box<SheetStep>>),
    /// The timeline is forgotten.
    Closed,
    /// It cannot be done: the source cannot be read, there is no such timeline, a bound is reached. Nothing has changed.
    Refused(Refusal),
}

/// A source that was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The script's title; empty for a seed, or without one.
    pub title: String,
    /// The script's canonical text; empty for a seed.
    pub script: String,
    /// All steps of the script, none of them with outputs; nothing for a seed.
    pub steps: Vec<SheetStep>,
    /// Of a seed: what it drew, in one line.
    pub plan: Refusal,
    /// Moment 0.
    pub moment: Moment,
}

/// A timeline at an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Which timeline.
    pub timeline: u8,
    /// Events that have happened.
    pub event: u64,
    /// Most events of this timeline that are known; of a timeline that was played to its end: all.
    pub known: u64,
    /// `known` is the end.
    pub is_whole: bool,
    /// This is the end.
    pub is_end: bool,
    /// Virtual time.
    pub now: Millis,
    /// Virtual time of event `known`.
    pub known_until: Millis,
    /// What event number `event` was.
    pub last: Occurred,
    /// Steps begun; the one under way is the last of them. 0 for a seed, and while the cluster elects its first leader.
    pub step: u32,
    /// Where steps began: number of the step and of the moment. At most [`STEPS_BEGUN_MAX`], the newest.
    pub begun: Vec<Begun>,
    /// The newest steps with what they have printed so far: number and step. At most [`STEPS_TOLD_MAX`].
    pub told: Vec<(u32, SheetStep)>,
    /// What commands of [`TimeChange::Line`] have printed: number of the change in `changes`, and the step that it is.
    pub own: Vec<(u32, SheetStep)>,
    /// The members, in the order of their names' numbers; also those that were taken out.
    pub members: Vec<MomentMember>,
    /// The directions that are cut: from, to.
    pub cuts: Vec<(MemberId, MemberId)>,
    /// The cluster's time is slowed down or links are disturbed: one line each.
    pub faults: Vec<Refusal>,
    /// Messages between members, the next to arrive first. At most [`FLIGHTS_MAX`].
    pub flights: Vec<Flight>,
    /// Those that are not told.
    pub more_flights: u64,
    /// What happened last, the newest last. At most [`HAPPENINGS_MAX`].
    pub happenings: Vec<Happening>,
    /// Store revision of the running member that has applied most; 0 without one.
    pub revision: i64,
    /// Hash over answers, elections and applied commands; at the end of a script that of its report.
    pub outcome: u64,
    /// Hash over every event.
    pub trace: u64,
    /// The changes of this timeline, in order.
    pub changes: Vec<Changed>,
    /// At the end: how it came out.
    pub ending: Option<Ending>,
}

/// Where a step began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Its number, counted from 0.
    pub step: u32,
    /// The moment at which it began.
    pub event: u64,
    /// Its virtual time.
    pub at: Millis,
    /// It has ended, with this exit status if it is not 0.
    pub failure: Option<i32>,
}

/// A member at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MomentMember {
    /// Who.
    pub id: MemberId,
    /// Its name, such as `infra1`.
    pub name: String,
    /// It receives the log and does not vote.
    pub is_learner: bool,
    /// It belongs to the cluster no more.
    pub is_removed: bool,
    /// It runs; a paused one does.
    pub is_up: bool,
    /// Its world stands still.
    pub is_paused: bool,
    /// Its state, with its election timer in ticks; `None` if it is down.
    pub status: Option<api::MemberStatus>,
    /// What its clock takes for a tick. Unit: ms.
    pub tick_ms: u64,
    /// A round of its disk is under way since then.
    pub writes_since: Option<Millis>,
    /// The end of its log; `None` if it is down. At most [`TAIL_MAX`] entries.
    pub tail: Option<Box<api::LogPart>>,
}

/// A message on its way from member to member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flight {
    /// Its number: no other message of the timeline has it, and up to the first difference it is the same in a fork.
    pub id: u64,
    /// Who sent it.
    pub from: MemberId,
    /// To whom.
    pub to: MemberId,
    /// Raft's name for it, such as `MsgApp`; of what members send beside Raft's the server's name.
    pub kind: String,
    /// Its term; 0 for a local one, and for what is not Raft's.
    pub term: Term,
    /// Of an append the index before its entries, of an answer the index it is about, and so on.
    pub index: Index,
    /// The term of the entry at `index`.
    pub log_term: Term,
    /// The sender's commit index, if it tells it.
    pub commit: Index,
    /// Entries in it.
    pub entries: u64,
    /// It says no.
    pub is_reject: bool,
    /// When it was sent.
    pub sent_at: Millis,
    /// When it arrives.
    pub arrives_at: Millis,
    /// Its way is cut, or its receiver is down: it will not arrive as things are.
    pub is_doomed: bool,
}

/// What one event is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Occurred {
    /// Nothing has happened yet.
    #[default]
    Nothing,
    /// A member's clock ticks.
    Tick(MemberId),
    /// A message arrives, or does not since its way is cut or its receiver is down ([`Flight::is_doomed`]).
    Message(Box<Flight>),
    /// Two members hear that the connection between them is there.
    Connected(MemberId, MemberId),
    /// A round of a member's disk is durable.
    Disk(MemberId),
    /// What a client asks, gives up or closes reaches a member.
    Asked {
        /// Whom.
        member: MemberId,
        /// What, in words of etcd's API such as `Put a`; at most [`WORDS_BYTES_MAX`] bytes.
        what: String,
    },
    /// A client hears an answer, a piece of one, or that there is none.
    Answered {
        /// What: words of etcd's API, or a sentence.
        what: Refusal,
        /// It is an error, or the member is not there.
        is_failure: bool,
    },
    /// A timer of a console, of the script, or of a seed's client runs out.
    Timer,
    /// Something that was meant for a member's earlier life; nothing happens.
    Stale,
}

/// Something worth telling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// Virtual time.
    pub at: Millis,
    /// The number of the event in which it happened; what steps and changes do belongs to the moment of that number.
    pub event: u64,
    /// What.
    pub what: Happened,
}

/// What is worth telling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Happened {
    /// A member did something.
    Member(MemberId, api::MemberEvent),
    /// A member started.
    Up(MemberId),
    /// A member stopped: why, in words.
    Down(MemberId, Refusal),
    /// A verb of the script did this.
    Done(Refusal),
    /// A change did this, or why it did nothing: see [`Changed::said`].
    Changed(Refusal),
    /// Of a seed: a fault, a phase of the run, in words.
    Phase(Refusal),
    /// Of a seed: a client asked a member.
    Asked(MemberId, String),
    /// Of a seed: a client was answered; true: with an error.
    Answered(Refusal, bool),
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// At which event.
    pub at: u64,
    /// What.
    pub change: TimeChange,
    /// What it did, or why it did nothing; `None` while the timeline stands before it.
    pub said: Option<Refusal>,
    /// It did nothing.
    pub is_void: bool,
}

/// How a timeline ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Events in all.
    pub events: u64,
    /// Virtual time at the end.
    pub now: Millis,
    /// Who leads, as the running members with the highest term know it.
    pub leader: Option<MemberId>,
    /// The highest term of a running member.
    pub term: Term,
    /// As in [`Moment`].
    pub revision: i64,
    /// Hash over answers, elections and applied commands.
    pub outcome: u64,
    /// Hash over every event.
    pub trace: u64,
    /// Claims, goals and replies of the script that came out as they should.
    pub met: u32,
    /// Those that did not.
    pub unmet: u32,
    /// Commands and verbs that ended with an error.
    pub failed: u32,
    /// How the run compares with what the script expects; `None` if it expects nothing, or if the timeline has changes.
    pub verdict: Option<Verdict>,
    /// Of a seed: how the simulator judges it.
    pub seed: Option<SeedVerdict>,
    /// The run has used up its events before its end.
    pub is_exhausted: bool,
}

/// How a seed came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeedVerdict {
    /// Everything held.
    Valid,
    /// Everything held, but there was too little traffic to mean anything.
    TooLittle,
    /// Everything held until nobody could be elected any more, which is no fault of the engine.
    Stranded,
    /// No invariant broke, and the search for an order of the operations was given up: where.
    Unknown(String),
    /// An invariant is broken: its number, its name, and what was seen.
    Broken(u32, String, String),
}

/// Two timelines side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// The first difference; `None`: both are the same to their ends.
    pub first: Option<Difference>,
    /// How timeline 0 ends.
    pub one: Ending,
    /// How timeline 1 ends.
    pub other: Ending,
    /// Answers, elections and applied commands are not the same.
    pub outcomes_differ: bool,
}

/// Where two timelines differ first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Number of the first event that is not the same in both; both sides have this event, or one has ended before it.
    pub event: u64,
    /// Its virtual time in timeline 0; `None`: that has ended.
    pub one_at: Option<Millis>,
    /// What it is there.
    pub one: Occurred,
    /// Its virtual time in timeline 1; `None`: that has ended.
    pub other_at: Option<Millis>,
    /// What it is there.
    pub other: Occurred,
    /// The moment from which the members' states differ, which is not later: where the first change was made.
    pub from: u64,
}

/// An encoded output, cut at its beginning to what a moment tells.
#[must_use]
pub fn newest(bytes: &[u8]) -> Bytes {
    let from = bytes.len().saturating_sub(OUTPUT_BYTES_MAX);
    let is_first = |byte: &u8| !(0x80..0xc0).contains(byte);
    let kept = bytes.get(from..).unwrap_or_default();
    let skip = if from == 0 { 0 } else { kept.iter().position(is_first).unwrap_or_default() };
    Bytes::copy_from_slice(kept.get(skip..).unwrap_or_default())
}

/// A text cut to [`WORDS_BYTES_MAX`], between characters.
#[must_use]
pub fn words(text: &str) -> String {
    if text.len() <= WORDS_BYTES_MAX {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(WORDS_BYTES_MAX - '…'.len_utf8());
    format!("{}…", text.get(..end).unwrap_or_default())
}
