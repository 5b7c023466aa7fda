//! Every key with every revision of it, live, and the key space as it was at one of them.
//!
//! What it is: a bounded copy of the history, fed by a watch on the whole key space that the page opens through the
//! client API, and reads at a revision through the same API.
//! What it is not: the store, or words: the program `insight` shows it; what was compacted before the watch began is
//! known only as it was at the compacted revision.
//! Invariants: revisions of a key are in order; at most about [`REVISIONS_MAX`] revisions and [`VALUES_MAX`] bytes of
//! values are kept, the oldest go first, and the newest of a key that exists goes last; one watch at a time.

mod listing;
mod past;
mod view;

use std::collections::VecDeque;

use bytes::Bytes;

use crate::api;
use crate::playground::console::Wires;
use crate::playground::edge::Effect;
use crate::playground::escape;
use crate::playground::insight::Watcher;
use crate::types::{BigMap, LeaseId, MemberId};
use listing::{Listing, Order, Place};
use past::Past;

pub use view::{
    Folder, KeyRow, KeysEvent, KeysView, Part, PastRow, PastView, Reading, RevisionRow, Slice,
    ValueView,
};

/// Most revisions kept, all keys together. Unit: revisions. Source: ours; some 30 MB with their keys.
pub const REVISIONS_MAX: usize = 200_000;
/// Most of all values together. Unit: bytes. Source: ours, twice the page's quota for the whole store.
pub const VALUES_MAX: usize = 32 * 1024 * 1024;
/// Most of a value that is kept. Unit: bytes. Source: ours; what can be put back and compared.
pub const VALUE_KEPT: usize = 16 * 1024;
/// So many keys that exist are passed over when something must go, before their only revisions go, too.
const PASSED_OVER_MAX: u32 = 64;
/// Most keys of a page that is read when history was compacted. Unit: keys.
const PAGE: i64 = 1_000;
/// Before a watch that ended is opened again. Unit: ms.
const RETRY_MS: u64 = 400;
/// What a watch is canceled with that nobody may open.
const REFUSALS: [&str; 3] = ["PermissionDenied", "user name is empty", "Unauthenticated"];
/// Characters of a value in a list.
const VALUE_SHOWN: u32 = 160;
/// Characters of a key in a list.
const KEY_SHOWN: u32 = 200;
/// Rows that are told before somebody has said which can be seen.
const FIRST_ROWS: u64 = 60;
/// Most rows that are told at once.
const ROWS_MAX: u64 = 400;

/// One change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The revision that made it.
    pub mod_revision: i64,
    /// The revision that created this generation; 0 for a delete.
    pub create_revision: i64,
    /// Its version; 0 for a delete.
    pub version: i64,
    /// The lease it hangs on.
    pub lease: LeaseId,
    /// The value, cut at [`VALUE_KEPT`].
    pub value: Bytes,
    /// Its whole length.
    pub value_len: u64,
    /// It is a tombstone.
    pub is_delete: bool,
}

/// What is known of a key.
#[derive(Clone, Debug, Default)]
struct History {
    revisions: VecDeque<Revision>,
    /// How many older ones were known.
    dropped: u64,
    /// It was there when the key space was read at this revision.
    listed_at: i64,
}

impl History {
    /// The newest one that a revision still sees.
    fn at(&self, revision: i64) -> Option<&Revision> {
        let after = self.revisions.partition_point(|it| it.mod_revision <= revision);
        self.revisions.get(after.checked_sub(1)?)
    }

    fn find(&self, revision: i64) -> Option<&Revision> {
        self.at(revision).filter(|it| it.mod_revision == revision)
    }

    fn is_deleted(&self) -> bool {
        self.revisions.back().is_none_or(|last| last.is_delete)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Watch {
    /// None is open.
    Closed,
    /// Open at this member.
    Open { call: u64, member: MemberId },
    /// The key space is read at the compacted revision first.
    Listing { call: u64, member: MemberId, revision: i64 },
    /// Opened again when the timer runs out.
    Waiting { timer: u64 },
}

/// Which rows of a list can be seen: the first, and the one after the last.
#[derive(Clone, Copy, Debug)]
struct Window(u64, u64);

impl Window {
    fn within(self, length: usize) -> (usize, usize) {
        let last = place(self.1.min(self.0.saturating_add(ROWS_MAX))).min(length);
        (place(self.0).min(last), last)
    }
}

/// The history of the key space.
#[derive(Clone, Debug)]
pub struct Keys {
    keys: BigMap<Bytes, History>,
    /// Whose revision came when, oldest first.
    order: VecDeque<Bytes>,
    value_bytes: usize,
    all_dropped: u64,
    watch: Watch,
    next_revision: i64,
    seen_revision: i64,
    /// The last watch was not allowed.
    is_refused: bool,
    how: Order,
    shows_deleted: bool,
    /// The rows; nothing after a change of which there are.
    listing: Option<Listing>,
    /// The row that the keyboard moves: its name, and whether it is a folder.
    at: Option<(Bytes, bool)>,
    seen: Window,
    seen_ribbon: Window,
    selected: Option<Bytes>,
    chosen: Option<i64>,
    compared: Option<i64>,
    past: Option<Past>,
    most: (usize, usize),
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            keys: BigMap::new(),
            order: VecDeque::new(),
            value_bytes: 0,
            all_dropped: 0,
            watch: Watch::Closed,
            next_revision: 1,
            seen_revision: 0,
            is_refused: false,
            how: Order::default(),
            shows_deleted: true,
            listing: None,
            at: None,
            seen: Window(0, FIRST_ROWS),
            seen_ribbon: Window(0, FIRST_ROWS),
            selected: None,
            chosen: None,
            compared: None,
            past: None,
            most: (REVISIONS_MAX, VALUES_MAX),
        }
    }
}

impl Keys {
    /// The revisions known of a key, oldest first.
    pub fn revisions(&self, key: &[u8]) -> impl Iterator<Item = &Revision> {
        self.keys.get(key).into_iter().flat_map(|history| &history.revisions)
    }

    /// The revision the history is complete up to.
    #[must_use]
    pub const fn seen_revision(&self) -> i64 {
        self.seen_revision
    }

    /// True if no key is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// True if the members do not let the page read.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Keys that exist now, for completion, in order.
    pub fn live_keys(&self) -> impl Iterator<Item = &Bytes> {
        self.keys.iter().filter(|(_, history)| !history.is_deleted()).map(|(key, _)| key)
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
        let watcher = Watcher::default();
        wires.effects.push(Effect::Watch { call, member, token: None, request, watcher });
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
            self.learn(&event.kv, event.event_type == api::EventType::Delete);
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
                // The events up to there are gone; what they left is not.
                self.list(response.compact_revision, member, Bytes::from_static(&[0]), wires);
            } else {
                self.retry(wires);
            }
        }
        true
    }

    /// Asks for a page of the keys as they were at the compacted revision.
    fn list(&mut self, revision: i64, member: MemberId, from: Bytes, wires: &mut Wires<'_>) {
        let call = wires.numbers.next();
        let request = past::page(from, revision, PAGE);
        wires.effects.push(Effect::Request { call, member, client: 0, token: None, request });
        self.watch = Watch::Listing { call, member, revision };
    }

    /// Takes a page of them.
    fn listed(
        &mut self,
        member: MemberId,
        revision: i64,
        answer: &api::RangeResponse,
        wires: &mut Wires<'_>,
    ) {
        for kv in &answer.kvs {
            self.learn(kv, false);
            if let Some(history) = self.keys.get_mut(&kv.key) {
                history.listed_at = revision;
            }
        }
        if let Some(last) = answer.kvs.last().filter(|_| answer.more) {
            self.list(revision, member, past::after(&last.key), wires);
            return;
        }
        // Who is not there was deleted, and nobody says any more when.
        let mut gone = Vec::new();
        for (key, history) in &self.keys {
            let is_older =
                history.revisions.back().is_some_and(|last| last.mod_revision <= revision);
            if is_older && !history.is_deleted() && history.listed_at != revision {
                gone.push(key.clone());
            }
        }
        for key in gone {
            self.forget(&key);
        }
        self.next_revision = self.next_revision.max(revision.saturating_add(1));
        self.seen_revision = self.seen_revision.max(revision);
        self.watch = Watch::Closed;
        self.tend(wires);
    }

    fn forget(&mut self, key: &Bytes) {
        if let Some(history) = self.keys.remove(key) {
            for revision in &history.revisions {
                self.value_bytes = self.value_bytes.saturating_sub(revision.value.len());
            }
        }
        self.listing = None;
    }

    /// The stream or the member is gone; false if it is not ours.
    pub fn lost(&mut self, call: u64, wires: &mut Wires<'_>) -> bool {
        if let Some(past) = self.past.as_mut().filter(|past| past.call == call) {
            past.fail(wires.strings.nobody_reads.to_owned());
            return true;
        }
        let is_ours = match self.watch {
            Watch::Open { call: own, .. } | Watch::Listing { call: own, .. } => own == call,
            Watch::Closed | Watch::Waiting { .. } => false,
        };
        if is_ours {
            self.retry(wires);
        }
        is_ours
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
    pub fn reply(
        &mut self,
        call: u64,
        result: &Result<api::Response, api::Error>,
        wires: &mut Wires<'_>,
    ) -> bool {
        if let Watch::Listing { call: own, member, revision } = self.watch
            && own == call
        {
            match result {
                Ok(api::Response::Range(answer)) => self.listed(member, revision, answer, wires),
                // Compacted further, say: the next watch tells.
                _ => self.retry(wires),
            }
            return true;
        }
        let Some(past) = self.past.as_mut().filter(|past| past.call == call) else { return false };
        match result {
            Ok(api::Response::Range(answer)) => past.take(answer, &self.keys, wires),
            Ok(_) => {}
            Err(error) => past.fail(error.to_string()),
        }
        true
    }

    fn learn(&mut self, kv: &api::KeyValue, is_delete: bool) {
        let history = self.keys.get_or_insert_with(kv.key.clone(), History::default);
        let last = history.revisions.back();
        if last.is_some_and(|last| last.mod_revision >= kv.mod_revision) {
            return;
        }
        if last.is_none_or(|last| last.is_delete != is_delete) {
            self.listing = None;
        }
        let kept = kv.value.get(..VALUE_KEPT.min(kv.value.len())).unwrap_or_default();
        self.value_bytes += kept.len();
        history.revisions.push_back(Revision {
            mod_revision: kv.mod_revision,
            create_revision: kv.create_revision,
            version: kv.version,
            lease: kv.lease,
            value: Bytes::copy_from_slice(kept),
            value_len: count(kv.value.len()),
            is_delete,
        });
        self.order.push_back(kv.key.clone());
        self.next_revision = self.next_revision.max(kv.mod_revision + 1);
        self.seen_revision = self.seen_revision.max(kv.mod_revision);
        self.forget_oldest();
    }

    /// Lets the oldest go until what is left is within bounds.
    fn forget_oldest(&mut self) {
        let (revisions, bytes) = self.most;
        let mut passed_over = 0;
        while self.order.len() > revisions || self.value_bytes > bytes {
            let Some(key) = self.order.pop_front() else { return };
            let is_crowded = self.keys.len() > revisions || self.value_bytes > 2 * bytes;
            let Some(history) = self.keys.get_mut(&key) else { continue };
            if history.revisions.len() == 1 && !history.is_deleted() && !is_crowded {
                // Without it the key would not be listed.
                self.order.push_back(key);
                passed_over += 1;
                if passed_over == PASSED_OVER_MAX {
                    return;
                }
                continue;
            }
            if let Some(oldest) = history.revisions.pop_front() {
                self.value_bytes = self.value_bytes.saturating_sub(oldest.value.len());
                history.dropped += 1;
                self.all_dropped += 1;
            }
            if history.revisions.is_empty() {
                self.forget(&key);
            }
        }
    }

    /// Does what a person wants.
    pub fn act(&mut self, event: KeysEvent, wires: &mut Wires<'_>) {
        match event {
            KeysEvent::Filter(filter) => {
                self.how.filter(filter);
                self.list_again();
            }
            KeysEvent::Group(is_grouped) => {
                self.how.is_grouped = is_grouped;
                self.list_again();
            }
            KeysEvent::ShowDeleted(shows) => {
                self.shows_deleted = shows;
                self.list_again();
            }
            KeysEvent::Toggle(prefix) => self.toggle(prefix),
            KeysEvent::Select(key) => self.select(key),
            KeysEvent::Step(Part::Keys, by) => self.step(by),
            KeysEvent::Step(Part::Ribbon, by) => self.step_ribbon(by),
            KeysEvent::Turn(is_right) => self.turn(is_right),
            KeysEvent::See(Part::Keys, first, last) => self.seen = Window(first, last),
            KeysEvent::See(Part::Ribbon, first, last) => self.seen_ribbon = Window(first, last),
            KeysEvent::Choose(revision) => self.chosen = Some(revision),
            KeysEvent::Compare(revision) => self.compared = revision,
            KeysEvent::CompareBefore => self.compared = self.before(),
            KeysEvent::LookAt(revision) => self.past = Some(Past::new(revision, wires)),
            KeysEvent::LookAtNow => self.past = None,
        }
    }

    fn list_again(&mut self) {
        self.listing = None;
        if let Some(past) = &mut self.past {
            past.filter_again();
        }
    }

    fn toggle(&mut self, prefix: Bytes) {
        self.how.toggle(prefix.clone());
        self.at = Some((prefix, true));
        self.listing = None;
    }

    /// Chooses a key, or none.
    pub fn select(&mut self, key: Option<Bytes>) {
        if self.selected != key {
            self.compared = None;
            self.seen_ribbon = Window(0, FIRST_ROWS);
            self.chosen = None;
        }
        if let (Some(past), Some(key)) = (&mut self.past, &key) {
            // The value that is looked at is the one of then.
            let then = self.keys.get(key).and_then(|history| history.at(past.revision));
            self.chosen = then.map(|then| then.mod_revision);
            past.choose(Some(key.clone()));
        }
        if let Some(key) = &key {
            self.at = Some((key.clone(), false));
        }
        self.selected = key;
    }

    fn listing(&mut self) -> &Listing {
        let (keys, how, shows_deleted) = (&self.keys, &self.how, self.shows_deleted);
        self.listing.get_or_insert_with(|| {
            let is_shown = |entry: &(&Bytes, &History)| shows_deleted || !entry.1.is_deleted();
            Listing::new(&mut keys.iter().filter(is_shown).map(|(key, _)| key), how)
        })
    }

    /// The place of the row that the keyboard moves.
    fn position(&mut self) -> Option<usize> {
        let (name, is_folder) = self.at.clone()?;
        self.listing().position(&name, is_folder)
    }

    fn step(&mut self, by: i64) {
        if let Some(past) = &mut self.past {
            let how = &self.how;
            let key = past.step(by, &|key| how.matches(key));
            if key.is_some() {
                self.select(key);
            }
            return;
        }
        let from = self.position();
        let length = self.listing().places.len();
        if let Some(to) = stepped(from, by, length) {
            self.go(to);
        }
    }

    fn go(&mut self, to: usize) {
        let Some(place) = self.listing().places.get(to) else { return };
        let (name, is_folder) = (place.name.clone(), place.folder.is_some());
        if is_folder {
            self.at = Some((name, true));
        } else {
            self.select(Some(name));
        }
    }

    /// As trees do: right opens a folder or goes into it, left closes it or goes out.
    fn turn(&mut self, is_right: bool) {
        let Some(at) = self.position() else { return };
        let Some(Place { name, folder, .. }) = self.listing().places.get(at).cloned() else {
            return;
        };
        match (folder, is_right) {
            (Some((_, is_open)), is_right) if is_open != is_right => self.toggle(name),
            (Some(_), true) => self.go(at + 1),
            (_, false) => {
                if let Some(parent) = self.listing().parent(at) {
                    self.go(parent);
                }
            }
            (None, true) => {}
        }
    }

    fn history(&self) -> Option<&History> {
        self.keys.get(self.selected.as_ref()?)
    }

    /// The chosen revision; the newest if none is, or if it is not known any more.
    fn chosen(&self) -> Option<&Revision> {
        let history = self.history()?;
        let chosen = self.chosen.and_then(|revision| history.find(revision));
        chosen.or_else(|| history.revisions.back())
    }

    fn step_ribbon(&mut self, by: i64) {
        let Some(history) = self.history() else { return };
        let length = history.revisions.len();
        let chosen = self.chosen().map(|it| it.mod_revision);
        let newest_first = |at: usize| length.saturating_sub(at + 1);
        let from = chosen.map(|chosen| {
            history.revisions.partition_point(|it| it.mod_revision <= chosen).saturating_sub(1)
        });
        let to = stepped(from.map(newest_first), by, length).map(newest_first);
        self.chosen = to.and_then(|to| history.revisions.get(to)).map(|it| it.mod_revision);
    }

    /// What there is to see.
    pub fn view(&mut self, compact_revision: i64) -> KeysView {
        let how = &self.how;
        let selected = self.selected.as_ref();
        let past =
            self.past.as_mut().map(|past| past.view(self.seen, &|key| how.matches(key), selected));
        let list = if past.is_some() { Slice::default() } else { self.rows() };
        KeysView {
            list,
            matching: self.listing().matching,
            total: count(self.keys.len()),
            filter: self.how.filtered().to_owned(),
            is_grouped: self.how.is_grouped,
            shows_deleted: self.shows_deleted,
            selected: self.selected.clone(),
            ribbon: self.ribbon(compact_revision),
            dropped: self.history().map_or(0, |history| history.dropped),
            newest: self
                .history()
                .and_then(|history| history.revisions.back())
                .map_or(0, |newest| newest.mod_revision),
            chosen: self.chosen().map(value_view),
            compared: self.compared_revision().map(value_view),
            past,
            compact_revision,
            revision: self.seen_revision,
            is_live: matches!(self.watch, Watch::Open { .. }) && !self.is_refused,
            is_refused: self.is_refused,
            all_dropped: self.all_dropped,
        }
    }

    /// The revision of the key before the chosen one.
    fn before(&self) -> Option<i64> {
        let chosen = self.chosen()?.mod_revision;
        self.history()?.at(chosen.checked_sub(1)?).map(|before| before.mod_revision)
    }

    fn compared_revision(&self) -> Option<&Revision> {
        self.history()?.find(self.compared?)
    }

    fn rows(&mut self) -> Slice<KeyRow> {
        let at = self.position().map(count);
        let seen = self.seen;
        self.listing();
        let places = self.listing.as_ref().map(|listing| listing.places.as_slice());
        let places = places.unwrap_or_default();
        let (first, last) = seen.within(places.len());
        let rows = places.get(first..last).unwrap_or_default();
        let rows = rows.iter().map(|place| self.key_row(place)).collect();
        Slice { rows, first: count(first), count: count(places.len()), at }
    }

    fn key_row(&self, place: &Place) -> KeyRow {
        let shown = place.name.get(place.from..).unwrap_or_default();
        let mut row = KeyRow {
            key: place.name.clone(),
            name: escape::clipped(shown, KEY_SHOWN),
            depth: place.depth,
            folder: place.folder,
            count: place.keys,
            ..KeyRow::default()
        };
        if place.folder.is_none()
            && let Some(history) = self.keys.get(&place.name)
        {
            row.count = count(history.revisions.len()).saturating_add(history.dropped);
            row.mod_revision = history.revisions.back().map_or(0, |last| last.mod_revision);
            row.is_deleted = history.is_deleted();
            row.is_selected = self.selected.as_ref() == Some(&place.name);
        }
        row
    }

    /// The revisions of the chosen key, newest first, with a row where the compacted ones begin.
    fn ribbon(&self, compact_revision: i64) -> Slice<RevisionRow> {
        let Some(history) = self.history() else { return Slice::default() };
        let known = &history.revisions;
        let compacted = known.partition_point(|it| it.mod_revision < compact_revision);
        // In the order that is shown: the newer ones, the edge, the older ones.
        let newer = known.len() - compacted;
        let length = known.len() + usize::from(compacted > 0);
        let (first, last) = self.seen_ribbon.within(length);
        let chosen = self.chosen().map(|it| it.mod_revision);
        let mut rows = Vec::new();
        for at in first..last {
            if compacted > 0 && at == newer {
                rows.push(RevisionRow { is_edge: true, ..RevisionRow::default() });
                continue;
            }
            let skipped = usize::from(compacted > 0 && at > newer);
            let place = known.len().saturating_sub(at - skipped + 1);
            let Some(revision) = known.get(place) else { continue };
            let next = known.get(place + 1);
            let is_delete = revision.is_delete;
            let is_compacted = revision.mod_revision < compact_revision;
            rows.push(RevisionRow {
                is_edge: false,
                mod_revision: revision.mod_revision,
                version: revision.version,
                lease: revision.lease,
                value: escape::clipped(&revision.value, VALUE_SHOWN),
                is_delete,
                is_first: revision.version == 1,
                is_last: is_delete
                    || next.is_none_or(|next| {
                        !next.is_delete && next.create_revision != revision.create_revision
                    }),
                is_compacted,
                is_surviving: is_compacted
                    && !is_delete
                    && next.is_none_or(|next| next.mod_revision > compact_revision),
                is_chosen: chosen == Some(revision.mod_revision),
                is_compared: self.compared == Some(revision.mod_revision),
            });
        }
        let at = chosen.map(|chosen| {
            let at = known.len() - known.partition_point(|it| it.mod_revision <= chosen);
            count(at + usize::from(compacted > 0 && at >= newer))
        });
        Slice { rows, first: count(first), count: count(length), at }
    }
}

fn value_view(revision: &Revision) -> ValueView {
    ValueView {
        mod_revision: revision.mod_revision,
        create_revision: revision.create_revision,
        version: revision.version,
        lease: revision.lease,
        value: revision.value.clone(),
        value_len: revision.value_len,
        is_delete: revision.is_delete,
    }
}

/// Where so many steps lead in a list; the first row from nowhere.
fn stepped(from: Option<usize>, by: i64, length: usize) -> Option<usize> {
    let last = i64::try_from(length.checked_sub(1)?).ok()?;
    let to = match from {
        Some(from) => i64::try_from(from).ok()?.saturating_add(by),
        None if by == i64::MAX => by,
        None => 0,
    };
    usize::try_from(to.clamp(0, last)).ok()
}

/// A length as a number that is told.
fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// A number that was told as a place.
fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
