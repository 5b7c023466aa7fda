//! One watcher: what it asked for, what came, and how its streams ended.
//!
//! Invariants: entries stand in the order in which they came; of each key the versions follow one another, or the
//! difference is counted.

use std::collections::{BTreeMap, VecDeque};

use crate::api::HeldKey;
use crate::playground::insight::passed::{Batch, EventMark, OpenedWatch, WatchNote, Watcher};
use crate::types::{MemberId, Millis};

/// Entries of one lane that are kept. Unit: entries. Source: ours; a minute of a busy watch.
const ENTRIES_MAX: usize = 240;
/// So long a watch that ended is shown. Unit: ms. Source: ours.
const ENDED_SHOWN_MS: u64 = 300_000;
/// Keys of one lane whose versions are known. Unit: keys. Source: ours.
const KEYS_MAX: usize = 4_096;
/// A lane with so many entries within [`CROWDED_MS`] joins batches. Unit: entries.
const CROWDED: usize = 20;
/// See [`CROWDED`]. Unit: ms.
const CROWDED_MS: u64 = 4_000;
/// Batches that are joined came within this. Unit: ms.
const JOINED_MS: u64 = 500;

/// Something that happened to a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: u64,
    pub(super) at: Millis,
    pub(super) what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Opened { member: MemberId, from: i64, after: Option<i64> },
    Note(WatchNote),
}

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Away,
    Closed,
    Canceled { reason: String, compact_revision: i64 },
    Failed(String),
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) id: u64,
    pub(super) watcher: Watcher,
    pub(super) key: HeldKey,
    pub(super) range_end: HeldKey,
    pub(super) member: MemberId,
    /// The call of the newest stream.
    pub(super) call: u64,
    /// The call of the stream before it, which its member may not know to be over.
    call_before: u64,
    pub(super) is_created: bool,
    /// Any stream of it was.
    was_created: bool,
    pub(super) ended: Option<Ended>,
    pub(super) entries: VecDeque<Entry>,
    /// From when to when a stream was open; the last one may still be.
    pub(super) spans: VecDeque<(Millis, Option<Millis>)>,
    next_entry: u64,
    /// The revision from which its client would go on.
    pub(super) next_revision: i64,
    pub(super) events: u64,
    pub(super) batches: u64,
    pub(super) resumed: u64,
    pub(super) versions: Versions,
}

impl Lane {
    pub(super) fn new(id: u64, at: Millis, call: u64, opened: OpenedWatch) -> Self {
        let mut lane = Self {
            id,
            watcher: opened.watcher,
            key: opened.key,
            range_end: opened.range_end,
            member: opened.member,
            call,
            call_before: call,
            is_created: false,
            was_created: false,
            ended: None,
            entries: VecDeque::new(),
            spans: VecDeque::from([(at, None)]),
            next_entry: 0,
            next_revision: opened.from.max(0),
            events: 0,
            batches: 0,
            resumed: 0,
            versions: Versions::default(),
        };
        lane.push(at, What::Opened { member: opened.member, from: opened.from, after: None });
        lane
    }

    /// True if a watch that is opened is this one again.
    pub(super) fn goes_on_with(&self, opened: &OpenedWatch) -> bool {
        let is_same = self.watcher.tab == opened.watcher.tab
            && self.watcher.run == opened.watcher.run
            && (&self.key, &self.range_end) == (&opened.key, &opened.range_end);
        self.ended.is_some() && is_same
    }

    pub(super) fn open_again(&mut self, at: Millis, call: u64, opened: &OpenedWatch) {
        let is_next = opened.from > 0 && opened.from == self.next_revision;
        let after = is_next.then_some(opened.from - 1);
        if !is_next {
            // It does not go on where it ended, so what follows need not fit.
            self.versions.forget();
        }
        self.call_before = self.call;
        (self.call, self.member) = (call, opened.member);
        (self.is_created, self.ended) = (false, None);
        // Before it was ever made there is nothing to go on with.
        self.resumed += u64::from(self.was_created);
        self.next_revision = self.next_revision.max(opened.from);
        if self.spans.len() == ENTRIES_MAX {
            self.spans.pop_front();
        }
        self.spans.push_back((at, None));
        self.push(at, What::Opened { member: opened.member, from: opened.from, after });
    }

    /// True if a stream is this lane's, or was before the newest.
    pub(super) const fn had(&self, stream: u64) -> bool {
        self.call == stream || self.call_before == stream
    }

    /// True if not each event was held against others.
    pub(super) const fn is_unchecked(&self) -> bool {
        self.versions.unchecked > 0
    }

    /// True if it ended so long ago that nobody looks for it.
    pub(super) fn is_old(&self, now: Millis) -> bool {
        let is_over = !matches!(self.ended, None | Some(Ended::Away));
        let last = self.entries.back().map_or(Millis(0), |entry| entry.at);
        is_over && now.since(last) > ENDED_SHOWN_MS
    }

    pub(super) fn forget_versions(&mut self) {
        self.versions.forget();
    }

    pub(super) fn take(&mut self, at: Millis, note: WatchNote) {
        match &note {
            WatchNote::Created(revision) => {
                (self.is_created, self.was_created) = (true, true);
                if self.next_revision == 0 {
                    self.next_revision = revision.saturating_add(1);
                }
            }
            WatchNote::Progress(revision) => {
                self.next_revision = self.next_revision.max(revision.saturating_add(1));
            }
            WatchNote::Batch(batch) => {
                self.next_revision = self.next_revision.max(batch.last.saturating_add(1));
                self.events += batch.events;
                self.batches += u64::from(batch.responses);
                self.versions.take(batch);
                if self.join(at, batch) {
                    return;
                }
            }
            WatchNote::Canceled { reason, compact_revision } => {
                let (reason, compact_revision) = (reason.clone(), *compact_revision);
                self.end(at, Ended::Canceled { reason, compact_revision });
            }
            WatchNote::Cut | WatchNote::Lost => self.end(at, Ended::Away),
            WatchNote::Closed => self.end(at, Ended::Closed),
            WatchNote::Failed(text) => self.end(at, Ended::Failed(text.clone())),
            WatchNote::Opened(_) | WatchNote::Dropped => return,
        }
        self.push(at, What::Note(note));
    }

    fn end(&mut self, at: Millis, ended: Ended) {
        self.ended = Some(ended);
        if let Some((_, end)) = self.spans.back_mut() {
            *end = Some(at);
        }
    }

    /// In a crowded lane a batch goes into the one before it.
    fn join(&mut self, now: Millis, more: &Batch) -> bool {
        let crowd = self.entries.iter().rev().nth(CROWDED);
        if crowd.is_none_or(|entry| now.since(entry.at) > CROWDED_MS) {
            return false;
        }
        let Some(Entry { at, what: What::Note(WatchNote::Batch(batch)), .. }) =
            self.entries.back_mut()
        else {
            return false;
        };
        if now.since(*at) > JOINED_MS {
            return false;
        }
        batch.join(more);
        true
    }

    fn push(&mut self, at: Millis, mut what: What) {
        if let What::Note(WatchNote::Batch(batch)) = &mut what {
            // They have been looked at.
            batch.marks = Vec::new();
        }
        if self.entries.len() == ENTRIES_MAX {
            self.entries.pop_front();
        }
        self.next_entry += 1;
        self.entries.push_back(Entry { id: self.next_entry, at, what });
    }
}

/// Whether the events of each key follow one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Versions {
    /// By key: the newest revision, and the version then.
    keys: BTreeMap<u64, (i64, i64)>,
    pub(super) lost: u64,
    pub(super) doubled: u64,
    /// Events that could not be held against others.
    pub(super) unchecked: u64,
}

impl Versions {
    fn forget(&mut self) {
        self.keys.clear();
    }

    fn take(&mut self, batch: &Batch) {
        for mark in &batch.marks {
            self.take_one(*mark);
        }
        let marked = u64::try_from(batch.marks.len()).unwrap_or(u64::MAX);
        if batch.events > marked {
            self.unchecked += batch.events - marked;
            self.forget();
        }
    }

    fn take_one(&mut self, mark: EventMark) {
        let EventMark { key, revision, version } = mark;
        match self.keys.get(&key) {
            Some((newest, _)) if revision <= *newest => {
                self.doubled += 1;
                return;
            }
            // A deletion tells no version: what came before it cannot be missed by this.
            Some((_, before)) if version > 0 && version != before + 1 => {
                let missing = version.saturating_sub(before + 1).max(1);
                self.lost += u64::try_from(missing).unwrap_or(1);
            }
            Some(_) => {}
            None if self.keys.len() >= KEYS_MAX => {
                self.unchecked += 1;
                return;
            }
            None => {}
        }
        self.keys.insert(key, (revision, version));
    }
}
