//! What an execution and its driver tell each other.
//!
//! What it is: the closed sums [`Input`] and [`Output`].
//! What it is not: a transport; the driver decides what an endpoint is and how long a message takes.
//! Invariants: every `Call` is answered by at most one `Reply`, every `OpenWatch` ends with at most one
//! `StreamEnded`; what comes later, or for an unknown id, is ignored.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::api;

/// One request in flight, unique within the tab that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId(pub u64);

/// One timer, unique within the tab that set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TimerId(pub u64);

/// Lines on standard error that begin so are the page's own and not etcdctl's.
///
/// They stand where etcdctl would write its JSON log line, and a comparison leaves them out likewise.
pub const NOTICE_PREFIX: &str = "notice: ";

/// What the driver tells an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// The answer to an [`Output::Call`].
    Reply {
        /// Which one.
        call: CallId,
        /// What came of it.
        result: Result<api::Response, CallError>,
    },
    /// A piece of an answer that comes in pieces; the last one is an [`Input::Reply`].
    ReplyPart {
        /// Which call.
        call: CallId,
        /// The piece.
        part: api::Response,
    },
    /// What came of an [`Output::File`].
    File {
        /// Which one.
        call: CallId,
        /// What came of it.
        result: Result<FileAnswer, FileError>,
    },
    /// A message on the stream that [`Output::OpenWatch`] opened.
    Watch {
        /// Which one.
        call: CallId,
        /// The message.
        response: api::WatchResponse,
    },
    /// The stream is gone, or could not be opened.
    StreamEnded {
        /// Which one.
        call: CallId,
        /// Why.
        error: CallError,
    },
    /// A timer ran out.
    Timer {
        /// Which one.
        timer: TimerId,
    },
    /// Ctrl-C.
    Interrupt,
    /// More standard input.
    Stdin(Bytes),
    /// The end of standard input.
    StdinEnd,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallError {
    /// The member answered with an error.
    Status(api::Error),
    /// The request never reached the member; sending it again cannot apply it twice.
    Unreachable {
        /// The endpoint that was tried.
        endpoint: String,
        /// What happened to the member: "infra2 was killed", "no such endpoint".
        reason: String,
    },
    /// The request reached the member, which then went away without an answer; it may have been applied.
    Lost {
        /// The endpoint it was sent to.
        endpoint: String,
        /// What happened to the member.
        reason: String,
    },
    /// The member or the driver gave up waiting; it may still be applied.
    DeadlineExceeded,
    /// It was canceled.
    Canceled,
}

/// What may be done with the files of a session, which have plain names and no directories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileOrder {
    /// Keep a file; the page offers it as a download, too. One with the same name is replaced.
    Save {
        /// Its name.
        name: String,
        /// What is in it.
        bytes: Bytes,
    },
    /// What a snapshot file says of itself.
    SnapshotStatus {
        /// Its name.
        name: String,
    },
    /// Make the data of a new cluster from a snapshot file.
    Restore(RestoreOrder),
}

/// The flags of `etcdutl snapshot restore`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreOrder {
    /// The file.
    pub name: String,
    /// Under which name the new cluster's data is kept.
    pub data_dir: String,
    /// Which member the data is for: `--name`.
    pub member: String,
    /// `--initial-advertise-peer-urls`.
    pub peer_urls: String,
    /// `--initial-cluster`.
    pub initial_cluster: String,
    /// `--initial-cluster-token`.
    pub token: String,
    /// `--bump-revision`.
    pub bump_revision: u64,
    /// `--mark-compacted`.
    pub mark_compacted: bool,
    /// `--skip-hash-check`.
    pub skip_hash_check: bool,
}

/// What came of a [`FileOrder`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAnswer {
    /// It is kept.
    Saved,
    /// The facts of a snapshot.
    Status(SnapshotStatus),
    /// The new cluster's data is there.
    Restored,
}

/// What `etcdutl snapshot status` tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotStatus {
    /// A checksum of the content.
    pub hash: u32,
    /// The newest revision.
    pub revision: i64,
    /// Keys in it.
    pub total_keys: u64,
    /// Bytes of it.
    pub total_size: i64,
    /// The schema version of the storage.
    pub version: String,
}

/// Why a [`FileOrder`] was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileError {
    /// There is no file of that name.
    Missing,
    /// Something is kept under the name of the new data already.
    Exists,
    /// The files have no room for it.
    Full,
    /// The file or the order is no good.
    Refused(String),
}

/// What an execution asks of the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// Send a request.
    Call {
        /// Its id.
        call: CallId,
        /// Whom to ask, as the user wrote it; see `endpoint_address`.
        endpoint: String,
        /// What a login gave, if there was one.
        token: Option<String>,
        /// What to ask.
        request: api::Request,
    },
    /// Open a watch stream and send its first message.
    OpenWatch {
        /// Its id.
        call: CallId,
        /// Whom to ask.
        endpoint: String,
        /// What a login gave, if there was one.
        token: Option<String>,
        /// The first message.
        request: api::WatchRequest,
    },
    /// Do something with a file of the session's own.
    File {
        /// Its id.
        call: CallId,
        /// What to do.
        order: FileOrder,
    },
    /// Send a further message on a stream.
    SendWatch {
        /// Which stream.
        call: CallId,
        /// The message.
        request: api::WatchRequest,
    },
    /// Forget a call, or close a stream.
    CancelCall {
        /// Which one.
        call: CallId,
    },
    /// Give [`Input::Timer`] after some time.
    SetTimer {
        /// Its id.
        timer: TimerId,
        /// How long from now, in milliseconds.
        after_ms: u64,
    },
    /// Bytes for standard output, raw.
    Stdout(Vec<u8>),
    /// Bytes for standard error, raw.
    Stderr(Vec<u8>),
    /// It is over; nothing follows.
    Exit {
        /// The exit code.
        status: i32,
    },
}
