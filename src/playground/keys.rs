//! Every key with every revision of it, live, and the key space as it was at one of them.
//!
//! What it is: a bounded copy of the history, fed by a watch on the whole key space that the page
//! opens through the client API, and reads at a revision through the same API.
//! What it is not: the store; what was compacted before the watch began was never seen here.
//! Invariants: revisions of a key are in order; at most [`REVISIONS_MAX`] are kept, the oldest go first;
//! one watch at a time.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use crate::api;
use crate::playground::console::Wires;
use crate::playground::edge::Effect;
use crate::playground::escape;
use crate::types::{BigMap, MemberId};

/// Most revisions kept, all keys together.
pub const REVISIONS_MAX: usize = 20_000;
/// Most keys shown at once.
pub const ROWS_MAX: usize = 200;
/// Most revisions of one key shown at once.
pub const KEY_REVISIONS_SHOWN: usize = 200;
/// Most of a value that is kept. Unit: bytes. Source: `browser.md` 5.3.
pub const VALUE_KEPT: usize = 4096;
/// Most keys asked for at an old revision.
const AT_LIMIT: i64 = 200;
/// Before a watch that ended is opened again. Unit: ms.
const RETRY_MS: u64 = 400;
/// What a watch is canceled with that nobody may open.
const REFUSALS: [&str; 3] = ["PermissionDenied", "user name is empty", "Unauthenticated"];
/// Characters of a value in a list.
const VALUE_SHOWN: u32 = 160;
/// Characters of a key in a list.
const KEY_SHOWN: u32 = 200;

/// One change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The revision that made it.
    pub mod_revision: i64,
    /// The revision that created this generation; 0 for a delete.
    pub create_revision: i64,
    /// Its version; 0 for a delete.
    pub version: i64,
    /// The value, cut at [`VALUE_KEPT`].
    pub value: Bytes,
    /// Its whole length.
    pub value_len: u64,
    /// It is a tombstone.
    pub is_delete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Watch {
    /// None is open.
    Closed,
    /// Open at this member.
    Open { call: u64, member: MemberId },
    /// Opened again when the timer runs out.
    Waiting { timer: u64 },
}

#[derive(Clone, Debug)]
struct Past {
    revision: i64,
    call: u64,
    answer: Option<Result<api::RangeResponse, String>>,
}

/// A key in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// The key itself.
    pub key: Bytes,
    /// The key as shown.
    pub name: String,
    /// How many revisions of it are known.
    pub revisions: u64,
    /// The revision that changed it last.
    pub mod_revision: i64,
    /// Its newest version; 0 if it is deleted.
    pub version: i64,
    /// It does not exist any more.
    pub is_deleted: bool,
    /// It is chosen.
    pub is_selected: bool,
}

/// A revision of the chosen key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionRow {
    /// The revision that made it.
    pub mod_revision: i64,
    /// The revision that created this generation.
    pub create_revision: i64,
    /// Its version.
    pub version: i64,
    /// Its value as shown.
    pub value: String,
    /// It is a tombstone.
    pub is_delete: bool,
    /// It lies below the compacted revision.
    pub is_compacted: bool,
    /// The key space is shown as of this one.
    pub is_selected: bool,
}

/// A key as it was at a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastRow {
    /// The key as shown.
    pub name: String,
    /// Its value then, as shown.
    pub value: String,
    /// The revision that had changed it last.
    pub mod_revision: i64,
    /// Its version then.
    pub version: i64,
    /// It was changed by exactly this revision.
    pub is_fresh: bool,
}

/// The key space as it was at a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastView {
    /// The revision.
    pub revision: i64,
    /// `None` while it is read; the error is etcd's text.
    pub rows: Option<Result<Vec<PastRow>, String>>,
    /// How many keys there were, also those not shown.
    pub count: i64,
}

/// The panel as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeysView {
    /// The keys that match the filter, as many as are shown.
    pub rows: Vec<KeyRow>,
    /// How many match.
    pub matching: u64,
    /// How many are known.
    pub total: u64,
    /// What the keys must contain.
    pub filter: String,
    /// The chosen key as shown.
    pub selected: Option<String>,
    /// Its revisions, newest first.
    pub revisions: Vec<RevisionRow>,
    /// Older ones that are not shown.
    pub older_revisions: u64,
    /// The key space in the past, if one is looked at.
    pub past: Option<PastView>,
    /// History at or below this is compacted; 0 if none is.
    pub compact_revision: i64,
    /// The revision the history is complete up to.
    pub revision: i64,
    /// The watch is open.
    pub is_live: bool,
    /// The members do not let the page read: there are users, and it is none of them.
    pub is_refused: bool,
    /// Old revisions were dropped because there were too many.
    pub is_bounded: bool,
}

/// The history of the key space.
#[derive(Clone, Debug)]
pub struct Keys {
    keys: BigMap<Bytes, VecDeque<Revision>>,
    order: VecDeque<Bytes>,
    watch: Watch,
    next_revision: i64,
    seen_revision: i64,
    is_bounded: bool,
    /// The last watch was not allowed.
    is_refused: bool,
    filter: String,
    selected: Option<Bytes>,
    past: Option<Past>,
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            keys: BigMap::new(),
            order: VecDeque::new(),
            watch: Watch::Closed,
            next_revision: 1,
            seen_revision: 0,
            is_bounded: false,
            is_refused: false,
            filter: String::new(),
            selected: None,
            past: None,
        }
    }
}

impl Keys {
    /// The revisions known of a key, oldest first.
    pub fn revisions(&self, key: &[u8]) -> impl Iterator<Item = &Revision> {
        self.keys.get(key).into_iter().flatten()
    }

    /// The revision the history is complete up to.
    #[must_use]
    pub const fn seen_revision(&self) -> i64 {
        self.seen_revision
    }

    /// Keys that exist now, for completion, in order.
    pub fn live_keys(&self) -> impl Iterator<Item = &Bytes> {
        self.keys
            .iter()
            .filter(|(_, revisions)| revisions.back().is_some_and(|last| !last.is_delete))
            .map(|(key, _)| key)
    }

    /// Sees to it that a watch is open at a member that can serve it. Returns true if something changed.
    pub fn tend(&mut self, wires: &mut Wires<'_>) -> bool {
        let best = wires.cluster.best_reader();
        if let Watch::Open { call, member } = self.watch {
            let knows_leader = |id: MemberId| {
                wires.cluster.node(id).is_some_and(|node| node.status.leader.is_some())
            };
            let is_serving = wires.cluster.node(member).is_some_and(|node| node.is_serving());
            let is_better = best.is_some_and(|best| knows_leader(best) && !knows_leader(member));
            if is_serving && !is_better {
                return false;
            }
            wires.effects.push(Effect::Cancel { call, member });
            self.watch = Watch::Closed;
        }
        if self.watch != Watch::Closed {
            return false;
        }
        let Some(member) = best else { return false };
        let call = wires.numbers.next();
        let everything = Bytes::from_static(&[0]);
        let request = api::WatchRequest::Create(api::WatchCreateRequest {
            key: everything.clone(),
            range_end: everything,
            start_revision: self.next_revision,
            ..api::WatchCreateRequest::default()
        });
        wires.effects.push(Effect::Watch { call, member, token: None, request });
        self.watch = Watch::Open { call, member };
        true
    }

    /// Takes a watch message; false if it is not for this panel.
    pub fn hear(
        &mut self,
        call: u64,
        response: &api::WatchResponse,
        wires: &mut Wires<'_>,
    ) -> bool {
        let Watch::Open { call: own, member } = self.watch else { return false };
        if own != call {
            return false;
        }
        for event in &response.events {
            self.learn(event);
        }
        self.seen_revision = self.seen_revision.max(response.header.revision);
        if response.canceled || response.created || !response.events.is_empty() {
            let reason = &response.cancel_reason;
            self.is_refused = REFUSALS.iter().any(|code| reason.contains(code));
        }
        if response.canceled {
            wires.effects.push(Effect::Cancel { call, member });
            self.watch = Watch::Closed;
            if response.compact_revision > 0 {
                self.next_revision = self.next_revision.max(response.compact_revision);
                self.tend(wires);
            } else {
                self.retry(wires);
            }
        }
        true
    }

    /// The stream or the member is gone; false if it is not ours.
    pub fn lost(&mut self, call: u64, wires: &mut Wires<'_>) -> bool {
        if let Some(past) = self.past.as_mut().filter(|past| past.call == call) {
            past.answer = Some(Err(wires.strings.nobody_reads.to_owned()));
            return true;
        }
        if !matches!(self.watch, Watch::Open { call: own, .. } if own == call) {
            return false;
        }
        self.retry(wires);
        true
    }

    fn retry(&mut self, wires: &mut Wires<'_>) {
        let timer = wires.numbers.next();
        wires.effects.push(Effect::SetTimer { timer, after_ms: RETRY_MS });
        self.watch = Watch::Waiting { timer };
    }

    /// A timer ran out; false if it is not ours.
    pub fn timer(&mut self, timer: u64, wires: &mut Wires<'_>) -> bool {
        if self.watch != (Watch::Waiting { timer }) {
            return false;
        }
        self.watch = Watch::Closed;
        self.tend(wires);
        true
    }

    /// Takes an answer; false if it is not for this panel.
    pub fn reply(&mut self, call: u64, result: &Result<api::Response, api::Error>) -> bool {
        let Some(past) = self.past.as_mut().filter(|past| past.call == call) else { return false };
        past.answer = match result {
            Ok(api::Response::Range(range)) => Some(Ok(range.clone())),
            Ok(_) => None,
            Err(error) => Some(Err(error.to_string())),
        };
        true
    }

    fn learn(&mut self, event: &api::Event) {
        let kv = &event.kv;
        let revisions = self.keys.get_or_insert_with(kv.key.clone(), VecDeque::new);
        if revisions.back().is_some_and(|last| last.mod_revision >= kv.mod_revision) {
            return;
        }
        let kept = kv.value.get(..VALUE_KEPT.min(kv.value.len())).unwrap_or_default();
        revisions.push_back(Revision {
            mod_revision: kv.mod_revision,
            create_revision: kv.create_revision,
            version: kv.version,
            value: Bytes::copy_from_slice(kept),
            value_len: u64::try_from(kv.value.len()).unwrap_or(u64::MAX),
            is_delete: event.event_type == api::EventType::Delete,
        });
        self.order.push_back(kv.key.clone());
        self.next_revision = self.next_revision.max(kv.mod_revision + 1);
        self.seen_revision = self.seen_revision.max(kv.mod_revision);
        if self.order.len() > REVISIONS_MAX {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some(key) = self.order.pop_front() else { return };
        self.is_bounded = true;
        if let Some(revisions) = self.keys.get_mut(&key) {
            revisions.pop_front();
            if revisions.is_empty() {
                self.keys.remove(&key);
            }
        }
    }

    /// Only keys that contain this are shown.
    pub fn set_filter(&mut self, filter: String) {
        self.filter = filter;
    }

    /// Chooses a key, or none.
    pub fn select(&mut self, key: Option<Bytes>) {
        if self.selected != key {
            self.past = None;
        }
        self.selected = key;
    }

    /// Looks at the key space as it was at a revision.
    pub fn look_at(&mut self, revision: i64, wires: &mut Wires<'_>) {
        let call = wires.numbers.next();
        let mut past = Past { revision, call, answer: None };
        match wires.cluster.best_reader() {
            None => past.answer = Some(Err(wires.strings.nobody_reads.to_owned())),
            Some(member) => {
                let everything = Bytes::from_static(&[0]);
                let request = api::Request::Range(api::RangeRequest {
                    key: everything.clone(),
                    range_end: everything,
                    revision,
                    limit: AT_LIMIT,
                    serializable: true,
                    ..api::RangeRequest::default()
                });
                wires.effects.push(Effect::Request { call, member, token: None, request });
            }
        }
        self.past = Some(past);
    }

    /// Back to the newest revision.
    pub fn look_at_now(&mut self) {
        self.past = None;
    }

    /// What there is to see.
    #[must_use]
    pub fn view(&self, compact_revision: i64) -> KeysView {
        let (rows, matching) = self.rows();
        let known = self.selected.as_ref().and_then(|key| self.keys.get(key));
        let older = known.map_or(0, |known| known.len().saturating_sub(KEY_REVISIONS_SHOWN));
        KeysView {
            rows,
            matching,
            total: u64::try_from(self.keys.len()).unwrap_or(u64::MAX),
            filter: self.filter.clone(),
            selected: self.selected.as_ref().map(|key| escape::clipped(key, KEY_SHOWN)),
            revisions: known
                .into_iter()
                .flat_map(|known| known.iter().rev().take(KEY_REVISIONS_SHOWN))
                .map(|revision| self.revision_row(revision, compact_revision))
                .collect(),
            older_revisions: u64::try_from(older).unwrap_or(u64::MAX),
            past: self.past.as_ref().map(past_view),
            compact_revision,
            revision: self.seen_revision,
            is_live: matches!(self.watch, Watch::Open { .. }) && !self.is_refused,
            is_refused: self.is_refused,
            is_bounded: self.is_bounded,
        }
    }

    /// The first keys that match, and how many do. Without a filter the others are not looked at:
    /// this runs while thousands of keys a second come in.
    fn rows(&self) -> (Vec<KeyRow>, u64) {
        let mut rows = Vec::new();
        let mut matching = 0_u64;
        for (key, revisions) in &self.keys {
            if self.filter.is_empty() && rows.len() >= ROWS_MAX {
                return (rows, u64::try_from(self.keys.len()).unwrap_or(u64::MAX));
            }
            let name = escape::clipped(key, KEY_SHOWN);
            let Some(last) = revisions.back().filter(|_| name.contains(&self.filter)) else {
                continue;
            };
            matching += 1;
            if rows.len() < ROWS_MAX {
                rows.push(KeyRow {
                    key: key.clone(),
                    name,
                    revisions: u64::try_from(revisions.len()).unwrap_or(u64::MAX),
                    mod_revision: last.mod_revision,
                    version: last.version,
                    is_deleted: last.is_delete,
                    is_selected: self.selected.as_ref() == Some(key),
                });
            }
        }
        (rows, matching)
    }

    fn revision_row(&self, revision: &Revision, compact_revision: i64) -> RevisionRow {
        RevisionRow {
            mod_revision: revision.mod_revision,
            create_revision: revision.create_revision,
            version: revision.version,
            value: escape::clipped(&revision.value, VALUE_SHOWN),
            is_delete: revision.is_delete,
            is_compacted: revision.mod_revision < compact_revision,
            is_selected: self
                .past
                .as_ref()
                .is_some_and(|past| past.revision == revision.mod_revision),
        }
    }
}

fn past_view(past: &Past) -> PastView {
    let rows = past.answer.as_ref().map(|answer| {
        answer.as_ref().map_err(String::clone).map(|range| {
            range
                .kvs
                .iter()
                .map(|kv| PastRow {
                    name: escape::clipped(&kv.key, KEY_SHOWN),
                    value: escape::clipped(&kv.value, VALUE_SHOWN),
                    mod_revision: kv.mod_revision,
                    version: kv.version,
                    is_fresh: kv.mod_revision == past.revision,
                })
                .collect()
        })
    });
    let count = match &past.answer {
        Some(Ok(range)) => range.count,
        Some(Err(_)) | None => 0,
    };
    PastView { revision: past.revision, rows, count }
}

/// A view that is shared until something changes.
pub type Shared = Arc<KeysView>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::cluster::Cluster;
    use crate::playground::cluster::tests::{status, three};
    use crate::playground::console::Numbers;
    use crate::playground::edge::News;
    use crate::playground::strings::EN;
    use crate::types::Millis;

    struct Bench {
        cluster: Cluster,
        numbers: Numbers,
        effects: Vec<Effect>,
        keys: Keys,
    }

    impl Bench {
        fn new() -> Self {
            let mut bench = Self {
                cluster: three(),
                numbers: Numbers::default(),
                effects: Vec::new(),
                keys: Keys::default(),
            };
            bench.with(|keys, wires| assert!(keys.tend(wires)));
            bench
        }

        fn with<T>(&mut self, run: impl FnOnce(&mut Keys, &mut Wires<'_>) -> T) -> T {
            let mut wires = Wires {
                now: Millis(0),
                cluster: &self.cluster,
                numbers: &mut self.numbers,
                effects: &mut self.effects,
                strings: &EN,
            };
            run(&mut self.keys, &mut wires)
        }

        fn watch(&self) -> (u64, MemberId, i64) {
            let open = self.effects.iter().rev().find_map(|effect| match effect {
                Effect::Watch {
                    call, member, request: api::WatchRequest::Create(create), ..
                } => Some((*call, *member, create.start_revision)),
                _ => None,
            });
            open.unwrap()
        }

        fn hear(&mut self, events: Vec<api::Event>, revision: i64) {
            let (call, ..) = self.watch();
            let header = api::ResponseHeader { revision, ..Default::default() };
            let response = api::WatchResponse { header, events, ..Default::default() };
            assert!(self.with(|keys, wires| keys.hear(call, &response, wires)));
        }
    }

    fn put(
        key: &'static str,
        value: &'static str,
        create: i64,
        revision: i64,
        version: i64,
    ) -> api::Event {
        api::Event {
            event_type: api::EventType::Put,
            kv: api::KeyValue {
                key: key.into(),
                value: value.into(),
                create_revision: create,
                mod_revision: revision,
                version,
                ..Default::default()
            },
            prev_kv: None,
        }
    }

    fn delete(key: &'static str, revision: i64) -> api::Event {
        let kv = api::KeyValue { key: key.into(), mod_revision: revision, ..Default::default() };
        api::Event { event_type: api::EventType::Delete, kv, prev_kv: None }
    }

    #[test]
    fn every_revision_of_a_key_is_listed_newest_first_with_its_tombstones() {
        let mut bench = Bench::new();
        bench.hear(vec![put("a", "1", 2, 2, 1), put("a", "2", 2, 3, 2)], 3);
        bench.hear(vec![delete("a", 4)], 4);
        bench.hear(vec![put("a", "\u{202e}x", 5, 5, 1), put("b", "", 6, 6, 1)], 6);
        bench.keys.select(Some("a".into()));
        let view = bench.keys.view(3);
        let seen: Vec<(i64, i64, bool, bool)> = view
            .revisions
            .iter()
            .map(|row| (row.mod_revision, row.version, row.is_delete, row.is_compacted))
            .collect();
        assert_eq!(
            seen,
            [(5, 1, false, false), (4, 0, true, false), (3, 2, false, false), (2, 1, false, true)]
        );
        assert_eq!(view.revisions[0].value, "\\u{202e}x");
        assert_eq!((view.total, view.revision), (2, 6));
        assert!(view.rows[0].is_selected);
    }

    #[test]
    fn the_watch_goes_on_elsewhere_after_the_last_revision_when_its_member_goes_down() {
        let mut bench = Bench::new();
        bench.hear(vec![put("a", "1", 2, 2, 1)], 2);
        let (call, first, start) = bench.watch();
        assert_eq!(start, 1);
        let reason = crate::wire::DownReason::Killed;
        bench.cluster.hear(&News::MemberDown { member: first, reason }, Millis(5));
        assert!(bench.with(|keys, wires| keys.tend(wires)));
        let (again, second, start) = bench.watch();
        assert_ne!(first, second);
        assert_ne!(call, again);
        assert_eq!(start, 3);
    }

    #[test]
    fn the_watch_leaves_a_member_that_lost_its_leader_for_one_that_has_one() {
        let mut bench = Bench::new();
        let (_, first, _) = bench.watch();
        let mut alone = status(first.0, 9, 2);
        alone.leader = None;
        bench.cluster.hear(&News::Status(alone), Millis(5));
        assert!(bench.with(|keys, wires| keys.tend(wires)));
        assert_ne!(bench.watch().1, first);
    }

    #[test]
    fn a_watch_that_nobody_may_open_is_told_apart_from_one_that_ended() {
        let canceled = |reason: String| api::WatchResponse {
            canceled: true,
            cancel_reason: reason,
            ..api::WatchResponse::default()
        };
        // As the members say it; see `etcdserver::auth`.
        let refusal = |error: api::Error| {
            format!("rpc error: code = {} desc = {}", error.code(), error.text())
        };
        for (reason, is_refused) in [
            (refusal(api::Error::PermissionDenied), true),
            (refusal(api::Error::UserEmpty), true),
            (refusal(api::Error::InvalidAuthToken), true),
            (refusal(api::Error::NoLeader), false),
            (String::new(), false),
        ] {
            let mut bench = Bench::new();
            let (call, ..) = bench.watch();
            bench.with(|keys, wires| keys.hear(call, &canceled(reason.clone()), wires));
            assert_eq!(bench.keys.view(0).is_refused, is_refused, "{reason}");
        }
    }

    #[test]
    fn compacted_history_is_asked_for_again_from_where_it_begins() {
        let mut bench = Bench::new();
        let (call, ..) = bench.watch();
        let response = api::WatchResponse {
            canceled: true,
            compact_revision: 9,
            ..api::WatchResponse::default()
        };
        bench.with(|keys, wires| keys.hear(call, &response, wires));
        assert_eq!(bench.watch().2, 9);
    }

    #[test]
    fn the_past_shows_the_keys_or_etcds_own_words() {
        let mut bench = Bench::new();
        bench.with(|keys, wires| keys.look_at(3, wires));
        let Some(Effect::Request { call, request: api::Request::Range(range), .. }) =
            bench.effects.last().cloned()
        else {
            panic!("no request was made");
        };
        assert_eq!((range.revision, range.serializable), (3, true));
        let answer = api::RangeResponse {
            kvs: vec![put("a", "2", 2, 3, 2).kv, put("b", "0", 2, 2, 1).kv],
            count: 2,
            ..Default::default()
        };
        assert!(bench.keys.reply(call, &Ok(api::Response::Range(answer))));
        let past = bench.keys.view(0).past.unwrap();
        let rows = past.rows.unwrap().unwrap();
        assert_eq!(rows.iter().map(|row| row.is_fresh).collect::<Vec<_>>(), [true, false]);
        bench.keys.reply(call, &Err(api::Error::Compacted));
        assert_eq!(
            bench.keys.view(0).past.unwrap().rows,
            Some(Err("etcdserver: mvcc: required revision has been compacted".to_owned()))
        );
    }

    #[test]
    fn the_history_is_bounded() {
        let mut keys = Keys::default();
        let most = i64::try_from(REVISIONS_MAX).unwrap();
        for revision in 1..=most + 100 {
            keys.learn(&put("a", "v", 1, revision, revision));
        }
        keys.select(Some("a".into()));
        assert_eq!(keys.revisions(b"a").count(), REVISIONS_MAX);
        assert!(keys.view(0).is_bounded);
        assert_eq!(keys.view(0).older_revisions, u64::try_from(REVISIONS_MAX - 200).unwrap());
    }
}
