//! Watches and leases as they pass the page's edge.
//!
//! What it is: who opened which watch, what came on it and how it ended; which leases were renewed or revoked.
//! What it is not: a judgement; whether events were lost is found out from the marks, by the program.
//! Invariants: at most [`ITEMS_MAX`] items are kept, the oldest go first; a watch that is open is told, however old;
//! that something went before it was told is told.

use std::collections::VecDeque;

use super::protocol::Item;
use crate::api::{self, HeldKey, WatchRequest};
use crate::playground::cluster::SECOND;
use crate::playground::edge::{Effect, News};
use crate::types::{LeaseId, MemberId, Millis};

use serde::{Deserialize, Serialize};

/// Most items that are kept. Unit: items. Source: ours; some minutes of a busy cluster.
const ITEMS_MAX: usize = 1_000;
/// Open watches that are told although what came before is not kept any more. Unit: watches.
const HEADS_MAX: usize = 64;
/// Responses that follow one another within this time are told as one item. Unit: ms.
const JOINED_MS: u64 = 40;
/// So far back a response is looked for that another one can be joined to. Unit: items.
const JOINED_BACK: usize = 8;
/// Events of one item that are marked; what is beyond is counted only. Unit: events.
const MARKS_MAX: usize = 256;
/// Revocations on their way that are known. Unit: calls.
const REVOKING_MAX: usize = 100;

/// Who has a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watcher {
    /// The console's tab; 0 is the page, which watches its keys.
    pub tab: u32,
    /// Which of the tab's commands.
    pub run: u64,
    /// Its line.
    pub line: String,
}

/// What happens to a watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchNote {
    /// A client asks for it.
    Opened(Box<OpenedWatch>),
    /// The member has made it, at this revision.
    Created(i64),
    /// Events came.
    Batch(Batch),
    /// Nothing came; it is as far as this revision.
    Progress(i64),
    /// The member has ended it.
    Canceled {
        /// Its words.
        reason: String,
        /// The revision up to which history is gone, if that is why; else 0.
        compact_revision: i64,
    },
    /// Its stream was cut here, as a network does.
    Cut,
    /// The client needs it no more.
    Closed,
    /// Its member went away, or was not there.
    Lost,
    /// The member ended the stream, with this error.
    Failed(String),
    /// Something of any watch was dropped before it was told.
    Dropped,
}

/// What a client asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedWatch {
    /// Whom.
    pub member: MemberId,
    /// Who asks.
    pub watcher: Watcher,
    /// The first key.
    pub key: HeldKey,
    /// As in the request.
    pub range_end: HeldKey,
    /// From where on; 0 means "from now".
    pub from: i64,
}

/// Events that came, in one response or in some that followed at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Responses.
    pub responses: u32,
    /// Those among them that another part follows.
    pub fragments: u32,
    /// Events.
    pub events: u64,
    /// The first revision.
    pub first: i64,
    /// The last.
    pub last: i64,
    /// The first events, so that one sees whether any is missing.
    pub marks: Vec<EventMark>,
}

impl Batch {
    /// One that followed goes into this.
    pub(super) fn join(&mut self, more: &Self) {
        self.responses = self.responses.saturating_add(more.responses);
        self.fragments = self.fragments.saturating_add(more.fragments);
        self.events = self.events.saturating_add(more.events);
        self.last = more.last;
    }
}

/// What of an event tells whether another one is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventMark {
    /// A digest of the key.
    pub key: u64,
    /// Its revision.
    pub revision: i64,
    /// The key's version after it; 0 if it was deleted.
    pub version: i64,
}

/// What happens to a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeaseNote {
    /// Its time began anew.
    Renewed,
    /// A client ended it.
    Revoked,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Passed {
    items: VecDeque<Item>,
    /// Open watches of which the beginning is not kept any more.
    heads: VecDeque<Item>,
    open: Vec<u64>,
    revoking: Vec<(u64, LeaseId)>,
    /// How many of the newest items nobody has taken.
    untold: usize,
    are_heads_untold: bool,
    has_dropped: bool,
}

impl Passed {
    pub(super) const fn has_news(&self) -> bool {
        self.untold > 0 || self.are_heads_untold
    }

    pub(super) fn take(&mut self, items: &mut Vec<Item>) {
        if std::mem::take(&mut self.has_dropped) {
            items.push(Item::Watch { at: Millis(0), call: 0, note: WatchNote::Dropped });
        }
        if std::mem::take(&mut self.are_heads_untold) {
            items.extend(self.heads.iter().cloned());
        }
        let skipped = self.items.len() - self.untold.min(self.items.len());
        items.extend(self.items.iter().skip(skipped).cloned());
        self.untold = 0;
    }

    /// Everything is news again: somebody new listens.
    pub(super) fn rewind(&mut self) {
        self.untold = self.items.len();
        self.are_heads_untold = !self.heads.is_empty();
        self.has_dropped = false;
    }

    pub(super) fn effect(&mut self, effect: &Effect, at: Millis) {
        match effect {
            Effect::Watch {
                call, member, request: WatchRequest::Create(create), watcher, ..
            } if *member != SECOND => {
                let opened = OpenedWatch {
                    member: *member,
                    watcher: watcher.clone(),
                    key: HeldKey::new(&create.key),
                    range_end: HeldKey::new(&create.range_end),
                    from: create.start_revision,
                };
                self.open.push(*call);
                self.push(Item::Watch {
                    at,
                    call: *call,
                    note: WatchNote::Opened(Box::new(opened)),
                });
            }
            Effect::Cancel { call, .. } => self.end(*call, at, WatchNote::Closed),
            Effect::Request {
                call, request: api::Request::LeaseRevoke(revoke), member, ..
            } if *member != SECOND && self.revoking.len() < REVOKING_MAX => {
                self.revoking.push((*call, revoke.id));
            }
            _ => {}
        }
    }

    pub(super) fn reply(
        &mut self,
        call: u64,
        result: &Result<api::Response, api::Error>,
        at: Millis,
    ) {
        let revoked = self.take_revoking(call).filter(|_| result.is_ok());
        let note = match (revoked, result) {
            (Some(lease), _) => Some((lease, LeaseNote::Revoked)),
            (None, Ok(api::Response::LeaseKeepAlive(renewed))) if renewed.ttl > 0 => {
                Some((renewed.id, LeaseNote::Renewed))
            }
            (None, _) => None,
        };
        if let Some((lease, note)) = note {
            self.push(Item::Lease { at, lease, note });
        }
    }

    fn take_revoking(&mut self, call: u64) -> Option<LeaseId> {
        let place = self.revoking.iter().position(|(revoking, _)| *revoking == call)?;
        Some(self.revoking.swap_remove(place).1)
    }

    /// A call was not answered; true if it was a watch.
    pub(super) fn failed(&mut self, call: u64, at: Millis) -> bool {
        self.take_revoking(call);
        let is_watch = self.open.contains(&call);
        self.end(call, at, WatchNote::Lost);
        is_watch
    }

    pub(super) fn news(&mut self, news: &News, at: Millis) {
        match news {
            News::Watch { call, response } => self.heard(*call, response, at),
            News::StreamEnded { call, error } => {
                self.end(*call, at, WatchNote::Failed(error.to_string()));
            }
            News::InsightAsked(super::Ask::CutWatch { call, .. }) => {
                self.end(*call, at, WatchNote::Cut);
            }
            _ => {}
        }
    }

    fn heard(&mut self, call: u64, response: &api::WatchResponse, at: Millis) {
        if !self.open.contains(&call) {
            return;
        }
        let note = if response.canceled {
            let (reason, compact_revision) =
                (response.cancel_reason.clone(), response.compact_revision);
            self.end(call, at, WatchNote::Canceled { reason, compact_revision });
            return;
        } else if response.created {
            WatchNote::Created(response.header.revision)
        } else if response.events.is_empty() {
            WatchNote::Progress(response.header.revision)
        } else {
            let batch = batch_of(response);
            if self.join(call, &batch, at) {
                return;
            }
            WatchNote::Batch(batch)
        };
        self.push(Item::Watch { at, call, note });
    }

    /// Adds a batch to one that came just before it, if that was not told yet.
    fn join(&mut self, wanted: u64, more: &Batch, now: Millis) -> bool {
        let newest = self.items.iter_mut().rev().take(self.untold.min(JOINED_BACK));
        for item in newest {
            let Item::Watch { at, call, note } = item else { continue };
            if *call != wanted {
                continue;
            }
            let WatchNote::Batch(batch) = note else { return false };
            if now.since(*at) > JOINED_MS {
                return false;
            }
            batch.responses = batch.responses.saturating_add(more.responses);
            batch.fragments = batch.fragments.saturating_add(more.fragments);
            // Marks stand for the first events only: after some without, none may follow.
            let is_marked = u64::try_from(batch.marks.len()) == Ok(batch.events);
            batch.events = batch.events.saturating_add(more.events);
            batch.last = more.last;
            if is_marked {
                let room = MARKS_MAX.saturating_sub(batch.marks.len());
                batch.marks.extend(more.marks.iter().take(room));
            }
            return true;
        }
        false
    }

    fn end(&mut self, call: u64, at: Millis, note: WatchNote) {
        let before = self.open.len();
        self.open.retain(|open| *open != call);
        if self.open.len() < before {
            self.heads.retain(|head| !matches!(head, Item::Watch { call: it, .. } if *it == call));
            self.push(Item::Watch { at, call, note });
        }
    }

    fn push(&mut self, item: Item) {
        if self.items.len() == ITEMS_MAX
            && let Some(oldest) = self.items.pop_front()
        {
            self.has_dropped |= self.untold == ITEMS_MAX;
            self.keep_head(oldest);
        }
        self.items.push_back(item);
        self.untold = (self.untold + 1).min(ITEMS_MAX);
    }

    fn keep_head(&mut self, item: Item) {
        let Item::Watch { call, note: WatchNote::Opened(_), .. } = &item else { return };
        if self.open.contains(call) {
            if self.heads.len() == HEADS_MAX {
                self.heads.pop_front();
            }
            self.heads.push_back(item);
            self.are_heads_untold = true;
        }
    }
}

fn batch_of(response: &api::WatchResponse) -> Batch {
    let revision = |event: Option<&api::Event>| event.map_or(0, |event| event.kv.mod_revision);
    let mark = |event: &api::Event| {
        let is_put = event.event_type == api::EventType::Put;
        let version = if is_put { event.kv.version } else { 0 };
        EventMark { key: digest(&event.kv.key), revision: event.kv.mod_revision, version }
    };
    Batch {
        responses: 1,
        fragments: u32::from(response.fragment),
        events: u64::try_from(response.events.len()).unwrap_or(u64::MAX),
        first: revision(response.events.first()),
        last: revision(response.events.last()),
        marks: response.events.iter().take(MARKS_MAX).map(mark).collect(),
    }
}

/// Tells keys apart. Source: FNV-1a with 64 bits.
fn digest(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::insight::Feed;

    fn open(call: u64) -> Effect {
        let create = api::WatchCreateRequest { key: "k".into(), ..Default::default() };
        Effect::Watch {
            call,
            member: MemberId(1),
            token: None,
            request: WatchRequest::Create(create),
            watcher: Watcher { tab: 2, run: 1, line: "watch k".to_owned() },
        }
    }

    fn put(call: u64, revision: i64) -> News {
        let kv = api::KeyValue {
            key: "k".into(),
            mod_revision: revision,
            version: revision - 1,
            ..Default::default()
        };
        let event = api::Event { event_type: api::EventType::Put, kv, prev_kv: None };
        let response = api::WatchResponse { events: vec![event], ..Default::default() };
        News::Watch { call, response }
    }

    fn notes(items: &[Item]) -> Vec<(u64, &WatchNote)> {
        let mut notes = Vec::new();
        for item in items {
            if let Item::Watch { call, note, .. } = item {
                notes.push((*call, note));
            }
        }
        notes
    }

    #[test]
    fn what_comes_at_once_is_one_batch_and_what_comes_later_another() {
        let mut feed = Feed::default();
        feed.effect(&open(7));
        for (at, revision) in [(0, 2), (10, 3), (500, 4)] {
            feed.news(&News::Now(Millis(at)));
            feed.news(&put(7, revision));
        }
        let items = feed.take();
        let batches: Vec<_> = notes(&items)
            .into_iter()
            .filter_map(|(_, note)| match note {
                WatchNote::Batch(batch) => Some((batch.responses, batch.first, batch.last)),
                _ => None,
            })
            .collect();
        assert_eq!(batches, [(2, 2, 3), (1, 4, 4)]);
    }

    #[test]
    fn a_cut_stream_is_told_as_cut_and_closing_it_afterwards_as_nothing() {
        let mut feed = Feed::default();
        feed.effect(&open(7));
        let cut = super::super::Ask::CutWatch { call: 7, member: MemberId(1) };
        feed.news(&News::InsightAsked(cut));
        feed.effect(&Effect::Cancel { call: 7, member: MemberId(1) });
        feed.news(&put(7, 2));
        let items = feed.take();
        let last = notes(&items).last().map(|(_, note)| (*note).clone());
        assert_eq!((notes(&items).len(), last), (2, Some(WatchNote::Cut)));
        assert!(!feed.has_news());
    }

    #[test]
    fn an_open_watch_is_told_however_long_ago_it_began_and_a_gap_is_told_once() {
        let mut feed = Feed::default();
        feed.effect(&open(7));
        for revision in 2..3_000 {
            feed.news(&News::Now(Millis(u64::try_from(revision).unwrap() * 100)));
            feed.news(&put(7, revision));
        }
        let items = feed.take();
        let told = notes(&items);
        assert!(matches!(told[0], (0, WatchNote::Dropped)), "{:?}", told[0]);
        assert!(matches!(told[1], (7, WatchNote::Opened(_))), "{:?}", told[1]);
        assert_eq!(told.len(), 2 + ITEMS_MAX);
        feed.news(&put(7, 3_000));
        assert_eq!(notes(&feed.take()).len(), 1);
    }

    #[test]
    fn renewals_and_revocations_are_told_when_they_are_answered() {
        let mut feed = Feed::default();
        let lease = LeaseId(5);
        let request = api::Request::LeaseRevoke(api::LeaseRevokeRequest { id: lease });
        for call in [1, 2] {
            let (member, token, request) = (MemberId(1), None, request.clone());
            feed.effect(&Effect::Request { call, member, client: 0, token, request });
        }
        let renewed = api::LeaseKeepAliveResponse { id: lease, ttl: 9, ..Default::default() };
        let answers = [
            (1, Err(api::Error::Timeout)),
            (2, Ok(api::Response::LeaseRevoke(api::LeaseRevokeResponse::default()))),
            (3, Ok(api::Response::LeaseKeepAlive(renewed))),
        ];
        for (call, result) in answers {
            feed.news(&News::Reply { call, result });
        }
        let leases: Vec<LeaseNote> = feed
            .take()
            .into_iter()
            .filter_map(|item| match item {
                Item::Lease { note, .. } => Some(note),
                _ => None,
            })
            .collect();
        assert_eq!(leases, [LeaseNote::Revoked, LeaseNote::Renewed]);
    }
}
