//! Snapshots as files: what `etcdctl snapshot save` keeps, and what `etcdutl` makes of it.
//!
//! What it is: our own file of one member's state; its facts; and the disks of a new cluster made from it.
//! What it is not: bbolt's format, a way to the disk, or a command (names, directories and flags are the
//! caller's).
//!
//! The file: a magic word, the format, a head, then sections (first everything small, then rows), each with
//! its length and CRC-32C; zeros up to a multiple of 512 bytes; then the SHA-256 digest of all that, which
//! is how etcd tells a saved snapshot from a copied database.
//!
//! Invariants: foreign bytes give an error and never a guess, with etcd's words where it has some; a
//! restored cluster has new ids, a log without entries at term 1, and the data, leases, users and alarms
//! of the file; with a bumped revision everything before it is compacted.
//! Source: behaviour of etcd `etcdutl/snapshot/v3_snapshot.go`, `etcdutl/etcdutl/snapshot_command.go`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::applied_state::AppliedState;
use super::disk::{self, encode as postcard_of};
use super::io::DiskImage;
use super::record::Meta;
use super::recover::{not_rising, split_compacted};
use super::snapshot::SnapshotPayload;
use crate::api;
use crate::auth::AuthState;
use crate::lease::{self, StoredLease};
use crate::membership::{Cluster, member_id};
use crate::mvcc::{self, WatchableStore};
use crate::raft;
use crate::types::{self, CRC32C, ClusterId, Index, MemberId, SmallSet, Term};

/// The first bytes of a file.
const MAGIC: &[u8; 16] = b"etcd-playground\0";

/// Format of a file. A reader of a newer format keeps reading the older ones.
const FORMAT: u32 = 1;

/// A saved file without its digest has a multiple of this. Unit: bytes. Source: etcd `hasChecksum`.
const BLOCK_BYTES: usize = 512;

/// Unit: bytes. Source: SHA-256.
const DIGEST_BYTES: usize = 32;

/// Rows of one section. Unit: bytes of keys and values. Source: ours.
const SECTION_BYTES: usize = 1024 * 1024;

/// The largest revision a store may be bumped to, so that counting up from it cannot overflow.
const REVISION_MAX: i64 = i64::MAX / 2;

/// The term of a cluster that has not elected anybody yet. Source: etcd's bootstrap entries.
const FIRST_TERM: Term = Term(1);

/// What a file says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    /// Who saved it.
    member: MemberId,
    cluster_id: ClusterId,
    /// etcd's schema version of the storage.
    version: String,
    sections: u32,
}

/// Everything but the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Small {
    state: AppliedState,
    leases: Vec<StoredLease>,
    auth: AuthState,
}

/// What `etcdutl snapshot status` tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// CRC-32C over the file's content.
    pub hash: u32,
    /// The newest revision there is a row of; 0 without rows.
    pub revision: i64,
    /// Keys that exist at it.
    pub total_keys: u64,
    /// Bytes of the database.
    pub total_size: i64,
    /// The schema version of the storage.
    pub version: String,
    /// Who saved it; etcd does not tell.
    pub member: MemberId,
    /// Of which cluster; etcd does not tell.
    pub cluster_id: ClusterId,
}

/// How a cluster is restored: the flags of `etcdutl snapshot restore`, for all members at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreSpec {
    /// `--initial-cluster`: name and peer URLs of each member.
    pub members: Vec<(String, Vec<String>)>,
    /// `--initial-cluster-token`. Default: `etcd-cluster`.
    pub token: String,
    /// `--bump-revision`. Default: 0.
    pub bump_revision: u64,
    /// `--mark-compacted`: everything up to the bumped revision is compacted. Default: false.
    pub mark_compacted: bool,
    /// `--skip-hash-check`. Default: false.
    pub skip_hash_check: bool,
}

/// A cluster that has not started yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// Its id.
    pub cluster_id: ClusterId,
    /// Its members, by id.
    pub members: Vec<api::Member>,
    /// The disk of each, in the same order. A fence begins anew.
    pub disks: Vec<DiskImage>,
    /// Where its revisions go on.
    pub revision: i64,
}

/// Why a file, or an order to restore it, is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackupError {
    /// Not a file of ours; bbolt's words.
    #[error("invalid database")]
    Invalid,
    /// A format that this engine does not read; bbolt's words.
    #[error("version mismatch")]
    Version,
    /// The head is damaged; bbolt's words.
    #[error("checksum error")]
    Checksum,
    /// Sections are damaged.
    #[error("snapshot file integrity check failed. {} errors found.\n{}", .0.len(), .0.join("\n"))]
    Integrity(Vec<String>),
    /// The digest is missing, and nobody said that it may be.
    #[error("snapshot missing hash but --skip-hash-check=false")]
    MissingHash,
    /// The digest is not the file's.
    #[error("expected sha256 {}, got {}", go_bytes(.expected), go_bytes(.found))]
    WrongHash {
        /// What the file says.
        expected: Vec<u8>,
        /// What it has.
        found: Vec<u8>,
    },
    /// A bump without its mark, or a mark without a bump.
    #[error("--mark-compacted required if --revision-bump > 0")]
    MarkCompacted,
    /// A bump beyond what a revision can be.
    #[error("the revision cannot be raised by {0}")]
    BumpTooLarge(u64),
    /// No member was named.
    #[error("initial cluster unset and no discovery endpoints found")]
    NoMembers,
    /// A member without a URL.
    #[error("no valid URLs given")]
    NoUrls,
    /// A URL of another scheme.
    #[error("URL scheme must be http, https, unix, or unixs: {0}")]
    Scheme(String),
    /// A URL without a host or a port.
    #[error("URL address does not have the form \"host:port\": {0}")]
    HostPort(String),
    /// A URL with a path.
    #[error("URL must not contain a path: {0}")]
    Path(String),
    /// Two members are reached at one URL.
    #[error("initial cluster {0} has duplicate url")]
    DuplicateUrl(String),
}

/// Bytes as Go prints a slice of them.
fn go_bytes(bytes: &[u8]) -> String {
    let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("[{}]", numbers.join(" "))
}

// ---- writing ----

/// The file of a member's state, without its digest.
pub(super) fn encode(content: &SnapshotPayload, member: MemberId, version: &str) -> Vec<u8> {
    let SnapshotPayload { state, rows, leases, auth } = content;
    let small = Small { state: state.clone(), leases: leases.clone(), auth: auth.clone() };
    let mut sections = vec![postcard_of(&small)];
    let mut rest = rows.as_slice();
    while !rest.is_empty() {
        let (section, after) = rest.split_at(section_length(rest));
        sections.push(postcard_of(&section));
        rest = after;
    }
    let head = Head {
        member,
        cluster_id: state.cluster.id,
        version: version.to_owned(),
        sections: u32::try_from(sections.len()).unwrap_or(u32::MAX),
    };
    let mut file = MAGIC.to_vec();
    file.extend(FORMAT.to_le_bytes());
    put_section(&mut file, &postcard_of(&head));
    for section in &sections {
        put_section(&mut file, section);
    }
    file.resize(file.len().next_multiple_of(BLOCK_BYTES), 0);
    file
}

/// How many of the first rows make a section: at least one.
fn section_length(rows: &[mvcc::Row]) -> usize {
    let mut bytes = 0_usize;
    let fits = rows.iter().take_while(|row| {
        let is_in = bytes < SECTION_BYTES;
        bytes = bytes.saturating_add(row.kv.key.len() + row.kv.value.len());
        is_in
    });
    fits.count().max(1)
}

fn put_section(file: &mut Vec<u8>, payload: &[u8]) {
    let length = u64::try_from(payload.len()).unwrap_or(u64::MAX);
    file.extend(length.to_le_bytes());
    file.extend(CRC32C.checksum(payload).to_le_bytes());
    file.extend_from_slice(payload);
}

// ---- reading ----

/// A section's payload and whether its checksum holds; `None` at a cut.
fn take_section<'f>(file: &mut &'f [u8]) -> Option<(&'f [u8], bool)> {
    let (length, rest) = file.split_first_chunk::<8>()?;
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (payload, rest) = rest.split_at_checked(length)?;
    *file = rest;
    Some((payload, CRC32C.checksum(payload) == u32::from_le_bytes(*checksum)))
}

/// A file that was read, and the hash over its sections.
struct Read {
    head: Head,
    small: Small,
    rows: Vec<mvcc::Row>,
    hash: u32,
}

fn read(file: &[u8]) -> Result<Read, BackupError> {
    let rest = file.strip_prefix(MAGIC).ok_or(BackupError::Invalid)?;
    let (format, mut rest) = rest.split_first_chunk::<4>().ok_or(BackupError::Invalid)?;
    if u32::from_le_bytes(*format) != FORMAT {
        return Err(BackupError::Version);
    }
    let (head, is_whole) = take_section(&mut rest).ok_or(BackupError::Invalid)?;
    let head: Head = match postcard::from_bytes(head) {
        Ok(head) if is_whole => head,
        Ok(_) | Err(_) => return Err(BackupError::Checksum),
    };
    let mut errors = Vec::new();
    let mut hash = CRC32C.digest();
    let (mut small, mut rows) = (None, Vec::new());
    for number in 0..head.sections {
        let Some((payload, is_whole)) = take_section(&mut rest) else {
            errors.push(format!("section {number} is cut short"));
            break;
        };
        if !is_whole {
            errors.push(format!("section {number}: its checksum does not match"));
            continue;
        }
        hash.update(payload);
        let read = if number == 0 {
            decoded::<Small>(payload).map(|read| small = Some(read))
        } else {
            decoded::<Vec<mvcc::Row>>(payload).map(|read| rows.extend(read))
        };
        errors.extend(read.err().map(|error| format!("section {number}: {error}")));
    }
    match small {
        Some(small) if errors.is_empty() => Ok(Read { head, small, rows, hash: hash.finalize() }),
        Some(_) => Err(BackupError::Integrity(errors)),
        None => {
            if errors.is_empty() {
                errors.push("there is no section".to_owned());
            }
            Err(BackupError::Integrity(errors))
        }
    }
}

fn decoded<T: DeserializeOwned>(payload: &[u8]) -> Result<T, postcard::Error> {
    postcard::from_bytes(payload)
}

/// Proves that what was read is a store with its leases and users.
fn prove(read: &Read) -> Result<WatchableStore, BackupError> {
    let wrong = |error: String| BackupError::Integrity(vec![error]);
    if let Some((before, row)) = not_rising(&read.rows) {
        return Err(wrong(format!("row {row} follows row {before}")));
    }
    let state = &read.small.state;
    let compacted = state.compact_revision;
    let rows = read.rows.iter().cloned();
    let store = WatchableStore::restore(rows, compacted, compacted, state.revision)
        .map_err(|error| wrong(error.to_string()))?;
    read.small.auth.validate().map_err(|error| wrong(error.to_string()))?;
    // The shortest time to live is the restored cluster's own.
    let leases = read.small.leases.iter().copied();
    lease::Lessor::restore(lease::Config::for_timing(100, 10), leases)
        .map_err(|error| wrong(error.to_string()))?;
    let ids: SmallSet<_> = read.small.leases.iter().map(|lease| lease.id).collect();
    let no_lease = types::LeaseId(0);
    let of_none = |row: &&mvcc::Row| {
        let is_newest = store.row_is_newest(row);
        is_newest && row.kv.lease != no_lease && !ids.contains(&row.kv.lease)
    };
    if let Some(row) = read.rows.iter().find(of_none) {
        return Err(wrong(format!(
            "row {} has lease {:016x}, which is none",
            row.revision, row.kv.lease
        )));
    }
    Ok(store)
}

/// The facts of a file, with or without its digest, which is not looked at.
///
/// # Errors
/// [`BackupError`]: the file is damaged, or none of ours.
pub fn status(file: &[u8]) -> Result<Status, BackupError> {
    let read = read(file)?;
    let store = prove(&read)?;
    Ok(Status {
        hash: read.hash,
        revision: read.rows.last().map_or(0, |row| row.revision.main),
        total_keys: store.keys_total(),
        total_size: read.small.state.db_size,
        version: read.head.version,
        member: read.head.member,
        cluster_id: read.head.cluster_id,
    })
}

/// The file without its digest, which is looked at unless that is skipped.
fn checked(file: &[u8], skip_hash_check: bool) -> Result<&[u8], BackupError> {
    let split = (file.len() % BLOCK_BYTES == DIGEST_BYTES)
        .then(|| file.split_at_checked(file.len() - DIGEST_BYTES))
        .flatten();
    let Some((body, digest)) = split else {
        return if skip_hash_check { Ok(file) } else { Err(BackupError::MissingHash) };
    };
    let found = Sha256::digest(body);
    if !skip_hash_check && digest != found.as_slice() {
        return Err(BackupError::WrongHash { expected: digest.to_vec(), found: found.to_vec() });
    }
    Ok(body)
}

// ---- restoring ----

/// Makes the disks of a new cluster from a file.
///
/// # Errors
/// [`BackupError`]: the file cannot be used, or the cluster cannot be made.
pub fn restore(file: &[u8], spec: &RestoreSpec) -> Result<Restored, BackupError> {
    if (spec.bump_revision > 0) != spec.mark_compacted {
        return Err(BackupError::MarkCompacted);
    }
    let cluster = new_cluster(spec)?;
    let mut read = read(checked(file, spec.skip_hash_check)?)?;
    prove(&read)?;
    let mut rows = std::mem::take(&mut read.rows);
    let Small { state: old, leases, auth } = read.small;
    let (mut revision, mut compact_revision) = (old.revision, old.compact_revision);
    if spec.bump_revision > 0 {
        let bump = i64::try_from(spec.bump_revision).ok();
        let bumped = bump.and_then(|bump| revision.checked_add(bump));
        revision = bumped
            .filter(|bumped| *bumped <= REVISION_MAX)
            .ok_or(BackupError::BumpTooLarge(spec.bump_revision))?;
        compact_revision = Some(revision);
    }
    if let Some(compacted) = compact_revision {
        rows = split_compacted(rows, compacted).0;
    }
    let voters: Vec<MemberId> = cluster.members.keys().copied().collect();
    let index = Index(u64::try_from(voters.len()).unwrap_or(u64::MAX));
    let hard_state =
        raft::HardState { term: FIRST_TERM, vote: voters.first().copied(), commit: index };
    let version = old.cluster.version;
    let state = AppliedState {
        index,
        conf_state: raft::ConfState { voters: voters.clone(), ..raft::ConfState::default() },
        cluster: Cluster { version, ..cluster.clone() },
        revision,
        compact_revision,
        db_size: old.db_size,
        alarms: old.alarms,
        downgrade: old.downgrade,
    };
    let disk_of = |member: &MemberId| {
        let meta = Meta {
            member: *member,
            cluster_id: cluster.id,
            boot: 0,
            log_base: raft::EntryId { term: FIRST_TERM, index },
            snapshot_index: index,
            generation: 0,
            state: state.clone(),
            auth: auth.clone(),
        };
        disk::image(meta, hard_state, &rows, &leases)
    };
    let disks = voters.iter().map(disk_of).collect();
    Ok(Restored { cluster_id: cluster.id, members: cluster.member_list(), disks, revision })
}

fn new_cluster(spec: &RestoreSpec) -> Result<Cluster, BackupError> {
    if spec.members.is_empty() {
        return Err(BackupError::NoMembers);
    }
    let mut seen = SmallSet::new();
    let mut members = Vec::new();
    for (name, urls) in &spec.members {
        if urls.is_empty() {
            return Err(BackupError::NoUrls);
        }
        let mut peer_urls = Vec::new();
        for url in urls {
            let url = checked_url(url.trim())?;
            if !seen.insert(url.to_owned()) {
                return Err(BackupError::DuplicateUrl(listed(&spec.members)));
            }
            peer_urls.push(url.to_owned());
        }
        types::sort(&mut peer_urls);
        let id = member_id(&peer_urls, &spec.token, None);
        members.push(api::Member { id, name: name.clone(), peer_urls, ..Default::default() });
    }
    // Ids are hashes over URLs that differ.
    Cluster::new(members).map_err(|_twice| BackupError::DuplicateUrl(listed(&spec.members)))
}

/// A URL that peers can be reached at.
fn checked_url(url: &str) -> Result<&str, BackupError> {
    let after = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let after = after.ok_or_else(|| BackupError::Scheme(url.to_owned()))?;
    let (host, path) =
        after.split_once('/').map_or((after, None), |(host, path)| (host, Some(path)));
    let has_port = host.rsplit_once(':').is_some_and(|(name, port)| {
        let is_bracketed = name.starts_with('[') && name.ends_with(']');
        (is_bracketed || !name.contains(':')) && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    if !has_port {
        return Err(BackupError::HostPort(url.to_owned()));
    }
    if path.is_some() { Err(BackupError::Path(url.to_owned())) } else { Ok(url) }
}

/// As `--initial-cluster` has it, by name.
fn listed(members: &[(String, Vec<String>)]) -> String {
    let pairs =
        members.iter().flat_map(|(name, urls)| urls.iter().map(move |url| format!("{name}={url}")));
    let mut pairs: Vec<String> = pairs.collect();
    types::sort(&mut pairs);
    pairs.join(",")
}

/// Reads the value of `--initial-cluster`: `name=url,name=url`, a name once for each of its URLs.
///
/// # Errors
/// [`BackupError::NoMembers`] if it names nobody.
pub fn parse_initial_cluster(text: &str) -> Result<Vec<(String, Vec<String>)>, BackupError> {
    let mut members: Vec<(String, Vec<String>)> = Vec::new();
    for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
        let (name, url) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, url) = (name.trim(), url.trim().to_owned());
        match members.iter_mut().find(|(known, _)| known == name) {
            Some((_, urls)) => urls.push(url),
            None => members.push((name.to_owned(), vec![url])),
        }
    }
    if members.is_empty() { Err(BackupError::NoMembers) } else { Ok(members) }
}

#[cfg(test)]
mod tests;
