//! The key space as it was at a revision, read page by page.
//!
//! What it is: [`Past`], which asks for the next page until there is none, and keeps what a row shows.
//! What it is not: the history; that tells only which keys had been deleted by then.
//! Invariants: every page is of the same revision; rows are in the order of their keys.

use bytes::Bytes;

use super::view::{PastRow, PastView, Reading, Slice};
use super::{History, KEY_SHOWN, VALUE_SHOWN, Window, count, place};
use crate::api;
use crate::playground::console::Wires;
use crate::playground::edge::Effect;
use crate::playground::escape;
use crate::types::BigMap;

/// Most keys of a page. Unit: keys.
const PAGE: i64 = 1_000;
/// Most keys that are read. Unit: keys. Source: ours, twice what the page promises to list.
const PAST_MAX: usize = 200_000;
/// Most bytes of a value that are kept: as many characters as are shown, of four each.
const VALUE_BYTES: usize = 640;

/// A key.
#[derive(Clone, Debug)]
struct Item {
    key: Bytes,
    value: Bytes,
    mod_revision: i64,
    /// 0 if it had been deleted.
    version: i64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Past {
    pub(super) revision: i64,
    pub(super) call: u64,
    pub(super) reading: Reading,
    items: Vec<Item>,
    read: u64,
    existing: i64,
    /// Those that match the filter; nothing after a change.
    shown: Option<Vec<u32>>,
    at: Option<Bytes>,
}

impl Past {
    pub(super) fn new(revision: i64, wires: &mut Wires<'_>) -> Self {
        let mut past = Self {
            revision,
            call: 0,
            reading: Reading::Going,
            items: Vec::new(),
            read: 0,
            existing: 0,
            shown: None,
            at: None,
        };
        past.ask(Bytes::from_static(&[0]), wires);
        past
    }

    fn ask(&mut self, from: Bytes, wires: &mut Wires<'_>) {
        self.call = wires.numbers.next();
        match wires.cluster.best_reader() {
            None => self.fail(wires.strings.nobody_reads.to_owned()),
            Some(member) => {
                let request = page(from, self.revision, PAGE);
                wires.effects.push(Effect::Request {
                    call: self.call,
                    member,
                    client: 0,
                    token: None,
                    request,
                });
            }
        }
    }

    pub(super) fn fail(&mut self, reason: String) {
        self.reading = Reading::Failed(reason);
    }

    /// Takes a page.
    pub(super) fn take(
        &mut self,
        answer: &api::RangeResponse,
        known: &BigMap<Bytes, History>,
        wires: &mut Wires<'_>,
    ) {
        self.shown = None;
        // The count is of what is left.
        self.existing = answer.count.saturating_add(i64::try_from(self.read).unwrap_or(i64::MAX));
        for kv in &answer.kvs {
            let value = kv.value.get(..VALUE_BYTES.min(kv.value.len())).unwrap_or_default();
            self.items.push(Item {
                key: kv.key.clone(),
                value: Bytes::copy_from_slice(value),
                mod_revision: kv.mod_revision,
                version: kv.version,
            });
        }
        self.read = count(self.items.len());
        let last = answer.kvs.last().filter(|_| answer.more && self.items.len() < PAST_MAX);
        match last {
            Some(last) => self.ask(after(&last.key), wires),
            None => {
                self.reading = Reading::Done;
                self.add_deleted(known);
            }
        }
    }

    /// Keys that had existed by then and did not any more.
    fn add_deleted(&mut self, known: &BigMap<Bytes, History>) {
        let mut merged = Vec::with_capacity(self.items.len());
        let mut living = std::mem::take(&mut self.items).into_iter().peekable();
        for (key, history) in known {
            let Some(then) = history.at(self.revision).filter(|then| then.is_delete) else {
                continue;
            };
            while let Some(item) = living.next_if(|item| item.key < *key) {
                merged.push(item);
            }
            let value = Bytes::new();
            let mod_revision = then.mod_revision;
            merged.push(Item { key: key.clone(), value, mod_revision, version: 0 });
        }
        merged.extend(living);
        self.items = merged;
    }

    /// Which keys are looked for is another question now.
    pub(super) fn filter_again(&mut self) {
        self.shown = None;
    }

    fn shown(&mut self, matches: &dyn Fn(&[u8]) -> bool) -> &[u32] {
        let items = &self.items;
        self.shown.get_or_insert_with(|| {
            let mut shown = Vec::new();
            for (at, item) in (0_u32..).zip(items) {
                if matches(&item.key) {
                    shown.push(at);
                }
            }
            shown
        })
    }

    /// Moves the chosen row; the key that is chosen now.
    pub(super) fn step(&mut self, by: i64, matches: &dyn Fn(&[u8]) -> bool) -> Option<Bytes> {
        let at = self.at.clone();
        self.shown(matches);
        let shown = self.shown.as_ref()?;
        let from = at.and_then(|key| self.position(shown, &key));
        let to = super::stepped(from, by, shown.len())?;
        let item = self.items.get(place(u64::from(*shown.get(to)?)))?;
        self.at = Some(item.key.clone());
        self.at.clone()
    }

    pub(super) fn choose(&mut self, key: Option<Bytes>) {
        self.at = key;
    }

    fn position(&self, shown: &[u32], key: &Bytes) -> Option<usize> {
        let key_of = |at: &u32| self.items.get(place(u64::from(*at))).map(|item| &item.key);
        shown.binary_search_by(|at| key_of(at).cmp(&Some(key))).ok()
    }

    pub(super) fn view(
        &mut self,
        window: Window,
        matches: &dyn Fn(&[u8]) -> bool,
        selected: Option<&Bytes>,
    ) -> PastView {
        self.shown(matches);
        let shown = self.shown.as_deref().unwrap_or_default();
        let (first, last) = window.within(shown.len());
        let mut rows = Vec::new();
        for at in shown.get(first..last).unwrap_or_default() {
            let Some(item) = self.items.get(place(u64::from(*at))) else { continue };
            rows.push(PastRow {
                key: item.key.clone(),
                name: escape::clipped(&item.key, KEY_SHOWN),
                value: escape::clipped(&item.value, VALUE_SHOWN),
                mod_revision: item.mod_revision,
                version: item.version,
                is_fresh: item.mod_revision == self.revision,
                is_selected: selected == Some(&item.key),
            });
        }
        let at = self.at.as_ref().and_then(|key| self.position(shown, key));
        PastView {
            revision: self.revision,
            reading: self.reading.clone(),
            list: Slice { rows, first: count(first), count: count(shown.len()), at: at.map(count) },
            read: self.read,
            existing: u64::try_from(self.existing).unwrap_or(0),
        }
    }
}

/// A page of the key space at a revision.
pub(super) fn page(from: Bytes, revision: i64, limit: i64) -> api::Request {
    api::Request::Range(api::RangeRequest {
        key: from,
        range_end: Bytes::from_static(&[0]),
        revision,
        limit,
        serializable: true,
        ..api::RangeRequest::default()
    })
}

/// The first key behind this one.
pub(super) fn after(key: &Bytes) -> Bytes {
    let mut next = key.to_vec();
    next.push(0);
    next.into()
}
