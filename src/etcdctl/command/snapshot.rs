//! `snapshot save`, and `etcdutl snapshot status` and `restore` beside it.
//!
//! Files have plain names: a session keeps them, and the page offers what is saved as a download.

use bytes::{Bytes, BytesMut};

use crate::api::{Request, Response, SnapshotRequest, SnapshotResponse};
use crate::etcdctl::command::{
    Command, Config, EXIT_BAD_FEATURE, EXIT_ERROR, EXIT_INTERRUPTED, Failure, Invocation, Made,
    unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io, RequestError};
use crate::etcdctl::printer::{self, Format};
use crate::etcdctl::protocol::{FileAnswer, FileError, FileOrder, RestoreOrder};

/// A saved snapshot without its digest has a multiple of this. Unit: bytes. Source: etcd `hasChecksum`.
const BLOCK_BYTES: usize = 512;

/// Unit: bytes. Source: SHA-256.
const DIGEST_BYTES: usize = 32;

const NO_SUCH_FILE: &str = "no such file or directory";
const NO_SPACE: &str = "no space left on device";

/// The name of a file as the session keeps it; `None`: it stands in a directory that does not exist.
fn plain_name(path: &str) -> Option<&str> {
    let name = path.strip_prefix("./").unwrap_or(path);
    Some(name).filter(|name| !name.is_empty() && !name.contains('/'))
}

struct Save {
    config: Config,
    path: String,
    bytes: BytesMut,
    version: String,
}

pub(crate) fn save(invocation: &Invocation) -> Made {
    let [path] = invocation.args.as_slice() else {
        return Err(Failure::bad_args("snapshot save expects one argument <filename>").into());
    };
    let mut config = invocation.config()?;
    if !invocation.flags.is_given("command-timeout") {
        config = config.without_timeout();
    }
    if config.endpoints.len() != 1 {
        let all = config.endpoints.join(" ");
        let message =
            format!("snapshot must be requested to one selected node, not multiple [{all}]");
        return Err(Failure::new(EXIT_INTERRUPTED, message).into());
    }
    config.access.fails_fast = true;
    let config = invocation.connected(config, EXIT_INTERRUPTED)?;
    if plain_name(path).is_none() {
        let part = format!("{path}.part");
        let message = format!("could not open {part} (open {part}: {NO_SUCH_FILE})");
        return Err(Failure::new(EXIT_INTERRUPTED, message).into());
    }
    let (path, version) = (path.clone(), String::new());
    Ok(Box::new(Save { config, path, bytes: BytesMut::new(), version }))
}

impl Command for Save {
    fn start(&mut self, io: &mut Io) {
        io.ask(&self.config, Request::Snapshot(SnapshotRequest {}));
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Part(Response::Snapshot(part)) => self.take(part),
            Event::Reply(_, Ok(Response::Snapshot(part))) => {
                self.take(part);
                self.keep(io);
            }
            // A stream's errors keep the form of the wire.
            Event::Reply(_, Err(RequestError::Status(error))) => {
                let (code, text) = (error.code(), error.text());
                fail(io, format!("rpc error: code = {code} desc = {text}"));
            }
            Event::Reply(_, Err(error)) => fail(io, error.to_string()),
            Event::Part(..) | Event::Reply(_, Ok(_)) => io.fail(&unexpected_answer()),
            Event::File(Ok(_)) => {
                let (path, version) = (&self.path, &self.version);
                let mut text = format!("Snapshot saved at {path}\n");
                if !version.is_empty() {
                    text.push_str(&format!("Server version {version}\n"));
                }
                io.finish(Ok(text.into_bytes()));
            }
            Event::File(Err(error)) => {
                let why = match error {
                    FileError::Refused(why) => why,
                    FileError::Full => NO_SPACE.to_owned(),
                    FileError::Missing | FileError::Exists => NO_SUCH_FILE.to_owned(),
                };
                fail(io, format!("write {}.part: {why}", self.path));
            }
            _ => {}
        }
    }
}

fn fail(io: &mut Io, message: String) {
    io.fail(&Failure::new(EXIT_INTERRUPTED, message));
}

impl Save {
    fn take(&mut self, part: SnapshotResponse) {
        self.bytes.extend_from_slice(&part.blob);
        self.version = part.version;
    }

    fn keep(&mut self, io: &mut Io) {
        let bytes: Bytes = std::mem::take(&mut self.bytes).freeze();
        if bytes.len() % BLOCK_BYTES != DIGEST_BYTES {
            return fail(io, format!("sha256 checksum not found [bytes: {}]", bytes.len()));
        }
        let name = plain_name(&self.path).unwrap_or_default().to_owned();
        io.file(FileOrder::Save { name, bytes });
    }
}

/// `etcdutl`: one order about a file, and what to print of the answer.
struct Utl {
    order: Option<FileOrder>,
    path: String,
    data_dir: String,
    format: Format,
}

/// `-w` of `etcdutl`.
fn format(invocation: &Invocation) -> Result<Format, Failure> {
    Format::named(invocation.flags.text("write-out"))
        .ok_or_else(|| Failure::new(EXIT_BAD_FEATURE, "unsupported output format"))
}

fn missing(operation: &str, path: &str) -> Failure {
    Failure::new(EXIT_ERROR, format!("{operation} {path}: {NO_SUCH_FILE}"))
}

pub(crate) fn status(invocation: &Invocation) -> Made {
    let [path] = invocation.args.as_slice() else {
        return Err(Failure::bad_args("snapshot status requires exactly one argument").into());
    };
    let format = format(invocation)?;
    let name = plain_name(path).ok_or_else(|| missing("stat", path))?.to_owned();
    let order = Some(FileOrder::SnapshotStatus { name });
    Ok(Box::new(Utl { order, path: path.clone(), data_dir: String::new(), format }))
}

pub(crate) fn restore(invocation: &Invocation) -> Made {
    let flags = &invocation.flags;
    let [path] = invocation.args.as_slice() else {
        return Err(Failure::bad_args("snapshot restore requires exactly one argument").into());
    };
    let format = format(invocation)?;
    let member = flags.text("name").to_owned();
    let data_dir = match flags.text("data-dir") {
        "" => format!("{member}.etcd"),
        given => given.to_owned(),
    };
    let (bump_revision, mark_compacted) =
        (flags.uint("bump-revision"), flags.bool("mark-compacted"));
    if (bump_revision > 0) != mark_compacted {
        return Err(Failure::bad_args("--mark-compacted required if --revision-bump > 0").into());
    }
    let name = plain_name(path).ok_or_else(|| missing("open", path))?.to_owned();
    let order = RestoreOrder {
        name,
        data_dir: data_dir.clone(),
        member,
        peer_urls: flags.text("initial-advertise-peer-urls").to_owned(),
        initial_cluster: flags.text("initial-cluster").to_owned(),
        token: flags.text("initial-cluster-token").to_owned(),
        bump_revision,
        mark_compacted,
        skip_hash_check: flags.bool("skip-hash-check"),
    };
    let order = Some(FileOrder::Restore(order));
    Ok(Box::new(Utl { order, path: path.clone(), data_dir, format }))
}

pub(crate) fn utl_version(_invocation: &Invocation) -> Made {
    let text = "etcdutl version: 3.7.1\nAPI version: 3.7\n";
    Ok(Box::new(super::Text(text.as_bytes().to_vec())))
}

/// `defrag` wants the directory of a member, and there is none.
pub(crate) fn utl_defrag(_invocation: &Invocation) -> Made {
    let why = "the members' data lies in the browser here, not in a directory; `etcdctl defrag` asks the member itself";
    Err(Failure::new(EXIT_ERROR, why).into())
}

/// `hashkv` reads a database file, of which there are only snapshots.
pub(crate) fn utl_hashkv(_invocation: &Invocation) -> Made {
    let why = "there is no database file here; `etcdctl endpoint hashkv` asks the members, and `etcdutl snapshot status` gives the hash of a snapshot";
    Err(Failure::new(EXIT_ERROR, why).into())
}

impl Command for Utl {
    fn start(&mut self, io: &mut Io) {
        if let Some(order) = self.order.take() {
            io.file(order);
        }
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        let Event::File(result) = event else { return };
        let error = match result {
            Ok(FileAnswer::Status(status)) => {
                return io.finish(printer::snapshot_status(self.format, &status));
            }
            Ok(FileAnswer::Restored) => {
                io.notice(&format!("the new cluster's data is kept as {}", self.data_dir));
                return io.exit(0);
            }
            Ok(FileAnswer::Saved) => return io.fail(&unexpected_answer()),
            Err(error) => error,
        };
        let message = match error {
            FileError::Missing if self.data_dir.is_empty() => {
                return io.fail(&missing("stat", &self.path));
            }
            FileError::Missing => return io.fail(&missing("open", &self.path)),
            FileError::Exists => {
                format!("data-dir \"{}\" not empty or could not be read", self.data_dir)
            }
            FileError::Full => NO_SPACE.to_owned(),
            FileError::Refused(why) => why,
        };
        io.fail(&Failure::new(EXIT_ERROR, message));
    }
}
