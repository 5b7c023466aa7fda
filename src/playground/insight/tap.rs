//! What clients asked and were told, for the verdict.
//!
//! What it is: a bounded ring of [`Note`]s at the page's edge, with requests and answers about keys whole.
//! What it is not: a judge; and of other services it carries the name alone, so that no password is in it.
//! Invariants: at most [`NOTES_MAX`] notes and about [`BYTES_MAX`] bytes are kept; what is dropped before somebody
//! heard it is counted and told; a note stands in the order in which the page saw it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::api;
use crate::playground::cluster::SECOND;
use crate::playground::edge::{Effect, News};
use crate::types::{MemberId, Millis};

/// Most notes that are kept. Unit: notes. Source: ours; a thousand operations.
const NOTES_MAX: usize = 2_000;
/// Most bytes of keys and values that are kept. Unit: bytes. Source: ours.
const BYTES_MAX: usize = 2 * 1024 * 1024;
/// An answer with more is told by its revision alone. Unit: bytes.
const ANSWER_MAX: usize = 512 * 1024;
/// What a note costs besides keys and values. Unit: bytes.
const NOTE_BYTES: usize = 256;

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asked {
    /// Something about keys or leases, or a hash.
    Keys(Box<api::Request>),
    /// Something of another service.
    Other(Service),
}

/// Another service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Service {
    /// Leases, but grants and revocations.
    Lease,
    /// Members.
    Cluster,
    /// Maintenance.
    Maintenance,
    /// Users and roles.
    Auth,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// It was answered.
    Answered(Box<Result<api::Response, api::Error>>),
    /// It was answered with too much to be told, at this revision.
    TooLarge(i64),
    /// It never reached a member.
    Unsent,
    /// The member went away.
    Lost,
    /// Its client waited no longer.
    GivenUp,
}

/// A piece of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// A cluster was opened.
    Began {
        /// Its store is empty.
        is_empty: bool,
    },
    /// Members go on without what the others had: what was known of the order is void.
    Forced,
    /// So many notes are missing here.
    Dropped(u64),
    /// A client asks.
    Called {
        /// When.
        at: Millis,
        /// Number of the call.
        call: u64,
        /// Who: a tab of the console; 0: the page itself.
        client: u32,
        /// Whom.
        member: MemberId,
        /// What.
        asked: Asked,
    },
    /// A call ended.
    Ended {
        /// When.
        at: Millis,
        /// Number of the call.
        call: u64,
        /// How.
        end: End,
    },
    /// A watch told events.
    Saw {
        /// The events.
        events: Vec<api::Event>,
        /// The watch is of every key, whole.
        is_everything: bool,
    },
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Tap {
    notes: VecDeque<(usize, Note)>,
    bytes: usize,
    untold: usize,
    /// Notes that went before anybody heard them, and those that somebody heard.
    missed: u64,
    dropped: u64,
    /// Watches of every key.
    whole: Vec<u64>,
    is_restoring: bool,
}

impl Tap {
    pub(super) const fn has_news(&self) -> bool {
        self.untold > 0 || self.missed > 0
    }

    pub(super) fn take(&mut self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.missed > 0 {
            notes.push(Note::Dropped(std::mem::take(&mut self.missed)));
        }
        let skipped = self.notes.len() - self.untold.min(self.notes.len());
        notes.extend(self.notes.iter().skip(skipped).map(|(_, note)| note.clone()));
        self.untold = 0;
        notes
    }

    pub(super) fn rewind(&mut self) {
        self.untold = self.notes.len();
        self.missed = self.dropped;
    }

    /// A cluster is opened: what is told of it.
    pub(super) fn opened(&self, is_resumed: bool) -> Self {
        let mut tap = Self::default();
        tap.push(0, Note::Began { is_empty: !is_resumed && !self.is_restoring });
        tap
    }

    pub(super) fn effect(&mut self, at: Millis, effect: &Effect) {
        match effect {
            Effect::StartRestored { .. } => self.is_restoring = true,
            Effect::ForceNewCluster(_) => self.push(0, Note::Forced),
            Effect::Request { call, member, client, request, .. } if *member != SECOND => {
                let (call, client, member) = (*call, *client, *member);
                let asked = asked(request);
                let bytes =
                    if matches!(asked, Asked::Keys(_)) { request_bytes(request) } else { 0 };
                self.push(bytes, Note::Called { at, call, client, member, asked });
            }
            Effect::Watch { call, member, request, .. } if *member != SECOND => {
                if let api::WatchRequest::Create(create) = request
                    && is_everything(create)
                {
                    self.whole.push(*call);
                }
            }
            Effect::Cancel { call, .. } => {
                self.whole.retain(|it| it != call);
                self.push(0, Note::Ended { at, call: *call, end: End::GivenUp });
            }
            _ => {}
        }
    }

    pub(super) fn news(&mut self, at: Millis, news: &News) {
        match news {
            News::Reply { call, result } => {
                let bytes = result.as_ref().map_or(0, response_bytes);
                let end = match result {
                    Ok(api::Response::Range(range)) if bytes > ANSWER_MAX => {
                        End::TooLarge(range.header.revision)
                    }
                    Ok(response) if !is_told(response) => return self.aside(at, *call),
                    result => End::Answered(Box::new(result.clone())),
                };
                self.push(bytes.min(ANSWER_MAX), Note::Ended { at, call: *call, end });
            }
            News::CallFailed { call, was_sent } => {
                self.whole.retain(|it| it != call);
                let end = if *was_sent { End::Lost } else { End::Unsent };
                self.push(0, Note::Ended { at, call: *call, end });
            }
            News::StreamEnded { call, .. } => self.whole.retain(|it| it != call),
            News::Watch { call, response } if !response.events.is_empty() => {
                let is_everything = self.whole.contains(call) && !response.fragment;
                let bytes = response.events.iter().map(|event| kv_bytes(&event.kv)).sum();
                let events = response.events.clone();
                self.push(bytes, Note::Saw { events, is_everything });
            }
            _ => {}
        }
    }

    /// An answer of which only the end is told.
    fn aside(&mut self, at: Millis, call: u64) {
        self.push(0, Note::Ended { at, call, end: End::TooLarge(0) });
    }

    fn push(&mut self, bytes: usize, note: Note) {
        let bytes = bytes + NOTE_BYTES;
        self.notes.push_back((bytes, note));
        self.bytes += bytes;
        self.untold += 1;
        while self.notes.len() > NOTES_MAX || (self.bytes > BYTES_MAX && self.notes.len() > 1) {
            if self.untold == self.notes.len() {
                self.untold -= 1;
                self.missed += 1;
            }
            self.dropped += 1;
            if let Some((bytes, _)) = self.notes.pop_front() {
                self.bytes -= bytes;
            }
        }
    }
}

fn is_everything(create: &api::WatchCreateRequest) -> bool {
    create.key.as_ref() <= [0].as_slice()
        && create.range_end.as_ref() == [0].as_slice()
        && create.filters.is_empty()
        && !create.fragment
}

fn asked(request: &api::Request) -> Asked {
    use api::Request::{
        Alarm, Auth, Authenticate, Compaction, Defragment, DeleteRange, Downgrade, HashKv,
        LeaseGrant, LeaseKeepAlive, LeaseLeases, LeaseRevoke, LeaseTimeToLive, MemberAdd,
        MemberList, MemberPromote, MemberRemove, MemberUpdate, MoveLeader, Put, Range, Snapshot,
        Status, Txn,
    };
    match request {
        Range(_) | Put(_) | DeleteRange(_) | Txn(_) | Compaction(_) | LeaseGrant(_)
        | LeaseRevoke(_) | HashKv(_) => Asked::Keys(Box::new(request.clone())),
        LeaseKeepAlive(_) | LeaseTimeToLive(_) | LeaseLeases(_) => Asked::Other(Service::Lease),
        MemberList(_) | MemberAdd(_) | MemberRemove(_) | MemberUpdate(_) | MemberPromote(_)
        | MoveLeader(_) => Asked::Other(Service::Cluster),
        Status(_) | Alarm(_) | Defragment(_) | Downgrade(_) | Snapshot(_) => {
            Asked::Other(Service::Maintenance)
        }
        Auth(_) | Authenticate(_) => Asked::Other(Service::Auth),
    }
}

/// True if an answer is about keys, leases or a hash.
const fn is_told(response: &api::Response) -> bool {
    use api::Response::{
        Compaction, DeleteRange, HashKv, LeaseGrant, LeaseRevoke, Put, Range, Txn,
    };
    matches!(
        response,
        Range(_)
            | Put(_)
            | DeleteRange(_)
            | Txn(_)
            | Compaction(_)
            | LeaseGrant(_)
            | LeaseRevoke(_)
            | HashKv(_)
    )
}

fn kv_bytes(kv: &api::KeyValue) -> usize {
    kv.key.len() + kv.value.len() + NOTE_BYTES / 4
}

fn op_bytes(op: &api::RequestOp) -> usize {
    match op {
        api::RequestOp::Put(put) => put.key.len() + put.value.len(),
        api::RequestOp::Txn(txn) => txn_bytes(txn),
        api::RequestOp::Range(_) | api::RequestOp::DeleteRange(_) => NOTE_BYTES,
    }
}

fn txn_bytes(txn: &api::TxnRequest) -> usize {
    txn.success.iter().chain(&txn.failure).map(op_bytes).sum()
}

fn request_bytes(request: &api::Request) -> usize {
    match request {
        api::Request::Put(put) => put.key.len() + put.value.len(),
        api::Request::Txn(txn) => txn_bytes(txn),
        _ => 0,
    }
}

fn kvs_bytes(kvs: &[api::KeyValue]) -> usize {
    kvs.iter().map(kv_bytes).sum()
}

fn response_bytes(response: &api::Response) -> usize {
    fn of_txn(txn: &api::TxnResponse) -> usize {
        let of_one = |response: &api::ResponseOp| match response {
            api::ResponseOp::Range(range) => kvs_bytes(&range.kvs),
            api::ResponseOp::Put(put) => kvs_bytes(put.prev_kv.as_slice()),
            api::ResponseOp::DeleteRange(delete) => kvs_bytes(&delete.prev_kvs),
            api::ResponseOp::Txn(txn) => of_txn(txn),
        };
        txn.responses.iter().map(of_one).sum()
    }
    match response {
        api::Response::Range(range) => kvs_bytes(&range.kvs),
        api::Response::Put(put) => kvs_bytes(put.prev_kv.as_slice()),
        api::Response::DeleteRange(delete) => kvs_bytes(&delete.prev_kvs),
        api::Response::Txn(txn) => of_txn(txn),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::types::Millis;

    fn put(call: u64, bytes: usize) -> Effect {
        let request = api::Request::Put(api::PutRequest {
            key: Bytes::from_static(b"a"),
            value: Bytes::from(vec![7; bytes]),
            ..api::PutRequest::default()
        });
        Effect::Request { call, member: MemberId(1), client: 1, token: None, request }
    }

    #[test]
    fn what_is_dropped_is_counted_and_said() {
        let mut tap = Tap::default();
        for call in 0..3_000 {
            tap.effect(Millis(0), &put(call, 1));
        }
        let told = tap.take();
        assert_eq!(told.first(), Some(&Note::Dropped(1_000)));
        assert_eq!(told.len(), 2_001);
        tap.effect(Millis(0), &put(3_000, 1));
        assert_eq!(tap.take().len(), 1, "what was heard and then dropped is not missing");
        tap.rewind();
        assert_eq!(tap.take().first(), Some(&Note::Dropped(1_001)));
    }

    #[test]
    fn bytes_are_bounded_and_a_large_answer_is_told_by_its_revision() {
        let mut tap = Tap::default();
        for call in 0..10 {
            tap.effect(Millis(0), &put(call, 500_000));
        }
        assert!(tap.bytes <= BYTES_MAX);
        let kv = api::KeyValue { value: Bytes::from(vec![1; 600_000]), ..Default::default() };
        let mut range = api::RangeResponse { kvs: vec![kv], ..Default::default() };
        range.header.revision = 9;
        let result = Ok(api::Response::Range(range));
        tap.take();
        tap.news(Millis(0), &News::Reply { call: 1, result });
        let end = End::TooLarge(9);
        assert_eq!(tap.take().last(), Some(&Note::Ended { at: Millis(0), call: 1, end }));
    }

    #[test]
    fn passwords_are_not_told() {
        let mut tap = Tap::default();
        let request = api::Request::Authenticate(api::AuthenticateRequest {
            name: "root".to_owned(),
            password: "secret".to_owned(),
        });
        let (call, member, client, token) = (1, MemberId(1), 1, None);
        tap.effect(Millis(0), &Effect::Request { call, member, client, token, request });
        let told = format!("{:?}", tap.take());
        assert!(told.contains("Auth") && !told.contains("secret"), "{told}");
    }

    #[test]
    fn only_a_new_cluster_begins_empty() {
        let mut tap = Tap::default();
        let began = |tap: &mut Tap| tap.take().first().cloned();
        assert_eq!(began(&mut tap.opened(false)), Some(Note::Began { is_empty: true }));
        assert_eq!(began(&mut tap.opened(true)), Some(Note::Began { is_empty: false }));
        tap.effect(Millis(0), &Effect::StartRestored { data_dir: "d".to_owned() });
        assert_eq!(began(&mut tap.opened(false)), Some(Note::Began { is_empty: false }));
    }
}
