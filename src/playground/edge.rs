//! The page's contract with the browser: what it wants done and what it hears back.
//!
//! What it is: [`Effect`] (out) and [`News`] (in), the only words between `playground` and `browser`.
//! What it is not: a DOM event or a JavaScript value.
//! Invariants: an effect is done once, in order; every request gets exactly one reply or
//! [`News::CallFailed`]; calls, timers and questions are numbered by the page and never reused.

use bytes::Bytes;

use crate::api;
use crate::cluster::fault::{Links, MemberFaults, Speed};
use crate::etcdctl::away::Program;
use crate::etcdctl::{FileAnswer, FileError, FileOrder};
use crate::playground::event::Lower;
use crate::playground::insight::{Ask, Item, Watcher};
use crate::playground::keys::KeysView;
use crate::playground::strings::Language;
use crate::scenario::{Question, Refusal, Sheet};
use crate::types::{MemberId, Millis};
use crate::wire::{DownReason, PersistenceMode};

/// How a cluster is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSpec {
    /// Range: 1 to 7.
    pub members: u32,
    /// Milliseconds per tick. Default: 100, etcd's heartbeat interval.
    pub tick_ms: u64,
    /// Ticks per election timeout. Default: 10.
    pub election_ticks: u32,
    /// Quota in bytes. Default in the page: 16 MiB.
    pub quota_bytes: i64,
    /// `--snapshot-count`. Unit: entries. Range: 1 or more. Default: etcd's 10,000.
    pub snapshot_count: u64,
    /// `--snapshot-catchup-entries`. Unit: entries. Default: etcd's 5,000.
    pub snapshot_catchup_entries: u64,
    /// `--pre-vote`. Default: true.
    pub pre_vote: bool,
    /// Raft's `CheckQuorum`, which etcd always has on. Default: true.
    pub check_quorum: bool,
}

/// What the page wants done.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Open the saved cluster, or make one with these settings if there is none.
    OpenCluster(ClusterSpec),
    /// Throw the saved cluster away and make a new one.
    NewCluster(ClusterSpec),
    /// Ask the tab that owns the saved cluster to give it up.
    TakeOver,
    /// Send a client's request to a member.
    Request {
        /// Number of the call.
        call: u64,
        /// Where to.
        member: MemberId,
        /// Who asks: a tab of the console; 0: the page itself.
        client: u32,
        /// What `Authenticate` gave; `None` without.
        token: Option<String>,
        /// What.
        request: api::Request,
    },
    /// Send a message on a watch stream; the first opens it.
    Watch {
        /// Number of the call.
        call: u64,
        /// Where to.
        member: MemberId,
        /// What `Authenticate` gave; `None` without.
        token: Option<String>,
        /// What.
        request: api::WatchRequest,
        /// Who has the watch.
        watcher: Watcher,
    },
    /// Do something with a file of the page's own; what is saved is downloaded, too.
    File {
        /// Number of the order.
        call: u64,
        /// What to do.
        order: FileOrder,
    },
    /// Nobody waits for what comes of an order about a file any more: whoever works on it ends.
    CancelFile {
        /// Number of the order.
        call: u64,
    },
    /// Keep a file that the person brought, under this name; one with the same name is replaced.
    KeepFile {
        /// Its name.
        name: String,
        /// What is in it.
        bytes: Bytes,
        /// The order that asked for it, which fails if there is no room.
        call: Option<u64>,
    },
    /// Start the cluster whose data was restored under this name, in place of the saved one.
    StartRestored {
        /// The name of its data.
        data_dir: String,
    },
    /// Give up a request or close a stream.
    Cancel {
        /// Number of the call.
        call: u64,
        /// Where it went.
        member: MemberId,
    },
    /// Kill a member: gate, then terminate.
    Kill(MemberId),
    /// Start a member from its disk.
    Restart(MemberId),
    /// Keep a place for a member that was added to the cluster; it is started by `Restart`.
    Admit(api::Member),
    /// The member is no part of the cluster any more: never start it again.
    Retire(MemberId),
    /// Retire all others, and start this member as a cluster of its own, with its data.
    ForceNewCluster(MemberId),
    /// Delete the disk of a member that does not run, and forget it.
    DeleteMember(MemberId),
    /// Stop a member's world.
    Pause(MemberId),
    /// Let it go on.
    Resume(MemberId),
    /// Make a member panic.
    Crash(MemberId),
    /// The links from now on.
    SetLinks(Links),
    /// What is wrong with a member's clock and disk from now on, also after a restart.
    SetFaults(MemberId, MemberFaults),
    /// How fast the cluster's time passes from now on.
    SetSpeed(Speed),
    /// End a member at once: no gate, and what its disk works on is nobody's business.
    PowerCut(MemberId),
    /// Kill a member if it runs, and delete its database; its fence stays.
    Wipe(MemberId),
    /// Wake me: timers run on workers' ticks, not on page timers.
    SetTimer {
        /// Number of the timer.
        timer: u64,
        /// Milliseconds.
        after_ms: u64,
    },
    /// Ask the lab's program, which is loaded if it is not there.
    AskLab {
        /// Number of the question.
        call: u64,
        /// What.
        question: Question,
    },
    /// Nobody waits for the lab any more: end it.
    EndLab,
    /// Show this view; fetches its program first if it is not there.
    ShowInsight(Lower),
    /// Fetch the texts of a language that the page is not built with.
    FetchTexts(Language),
    /// Fetch the program of etcdctl's rare commands.
    LoadProgram,
    /// Tell the program's view of the keys what there is to see.
    TellKeys(Box<KeysView>),
    /// Tell the program something that it asked for.
    TellInsight(Box<Item>),
    /// Remember a small text across reloads.
    Remember {
        /// Its name.
        name: &'static str,
        /// The text.
        text: String,
    },
    /// Put this after `#` in the address bar.
    SetFragment {
        /// Without `#`.
        fragment: String,
        /// True: Back leads to where we were.
        push: bool,
    },
    /// Put text on the clipboard.
    Copy(String),
    /// Offer a file.
    Download {
        /// Its name.
        name: String,
        /// Its content.
        bytes: Vec<u8>,
    },
}

/// What came of a question to the lab.
#[derive(Clone, Debug)]
pub enum LabAnswer {
    /// The answer.
    Sheet(Box<Sheet>),
    /// The script or the link cannot be read, with the reason.
    Refused(Refusal),
    /// Its program could not be loaded, with the reason.
    NotLoaded(String),
    /// It stopped before it answered, with the reason.
    Stopped(String),
}

/// What the page hears from the browser.
#[derive(Clone, Debug)]
pub enum News {
    /// The page starts.
    Started {
        /// Now.
        now: Millis,
        /// After `#` in the address bar.
        fragment: String,
        /// What was remembered: (name, text).
        remembered: Vec<(String, String)>,
        /// The languages that the person prefers, as tags such as `zh-CN`, best first.
        languages: Vec<String>,
        /// Random bits for new seeds.
        seed: u64,
    },
    /// About four times a second, and before every other news: the time.
    Now(Millis),
    /// The cluster exists; its members start.
    ClusterOpened {
        /// Settings.
        spec: ClusterSpec,
        /// Its members, in the order infra1…N.
        members: Vec<api::Member>,
        /// Where they keep their data.
        mode: PersistenceMode,
        /// With `Memory`: why.
        mode_reason: Option<String>,
        /// True if its data was there already.
        is_resumed: bool,
    },
    /// Another tab owns the saved cluster; this one got a fresh cluster in memory.
    OwnedElsewhere,
    /// The tab that owns the saved cluster was asked for it and does not answer.
    OwnerSilent,
    /// Another tab asked for the cluster: the members here end now, for nobody killed them.
    GivingUp,
    /// Another tab asked for the cluster and has it now.
    TakenOver,
    /// The cluster cannot be opened, with the reason.
    ClusterFailed(String),
    /// A member's worker exists and reads its disk.
    MemberStarting(MemberId),
    /// A member serves.
    MemberUp(MemberId),
    /// A member that serves from IndexedDB has no fence.
    NoFence(MemberId),
    /// A member does not run any more.
    MemberDown {
        /// Who.
        member: MemberId,
        /// Why.
        reason: DownReason,
    },
    /// A member's state.
    Status(api::MemberStatus),
    /// What a member did.
    MemberEvents {
        /// Who.
        member: MemberId,
        /// What.
        events: Vec<api::MemberEvent>,
    },
    /// The member did not tick for a while.
    TickGap {
        /// Who.
        member: MemberId,
        /// How long.
        gap_ms: u64,
    },
    /// Answer to a request.
    Reply {
        /// Number of the call.
        call: u64,
        /// The answer.
        result: Result<api::Response, api::Error>,
    },
    /// A piece of an answer that comes in pieces.
    ReplyPart {
        /// Number of the call.
        call: u64,
        /// The piece.
        part: api::Response,
    },
    /// What came of an order about a file.
    File {
        /// Number of the order.
        call: u64,
        /// What came of it.
        result: Result<FileAnswer, FileError>,
    },
    /// The program that was to carry out an order about a file could not be loaded, or stopped.
    FileFailed {
        /// Number of the order.
        call: u64,
        /// Which of the two.
        answer: LabAnswer,
    },
    /// A message on a watch stream.
    Watch {
        /// Number of the call.
        call: u64,
        /// The message.
        response: api::WatchResponse,
    },
    /// A watch stream ended.
    StreamEnded {
        /// Number of the call.
        call: u64,
        /// Why.
        error: api::Error,
    },
    /// The member is not there, or went away before it answered.
    CallFailed {
        /// Number of the call.
        call: u64,
        /// False: the request never reached a member, so it may go to another one.
        was_sent: bool,
    },
    /// A timer ran out.
    Timer(u64),
    /// The lab has answered, or cannot.
    Lab {
        /// Number of the question.
        call: u64,
        /// What came of it.
        answer: LabAnswer,
    },
    /// The texts of [`Effect::FetchTexts`], or why not.
    Texts(Result<String, String>),
    /// The program of [`Effect::LoadProgram`], or why not.
    ProgramLoaded(Result<Program, String>),
    /// The program of the views is there, or why not.
    InsightLoaded(Result<(), String>),
    /// A view asks for something of the page.
    InsightAsked(Ask),
    /// The address bar changed (Back, or a pasted link).
    FragmentChanged(String),
}
