//! The guarantees of watches, held against the history that really happened.
//!
//! What it is: for every watch: only what it asked for (filter), in order (ordered), each event once (unique), a
//! revision as a whole (atomic), nothing older after a progress message (bookmarkable), from the revision asked for
//! (resumable), without a gap and to the end (reliable), with the right previous versions (prev-kv) and creations
//! (is-create), and nothing after its end (canceled).
//! What it is not: a check of one member; a watch is what its client saw.
//! Invariants: a fault names the guarantee, the watch and the event; the first fault of a watch is enough.
//! Source: etcd's API guarantees for watches.

use std::collections::BTreeSet;

use super::history::{History, WatchLog};
use super::linear::Replay;
use super::ranges;
use crate::api::{Event, EventType, WatchCreateRequest, WatchFilter, WatchResponse};

/// A promise that a watch did not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchFault {
    /// Which one.
    pub guarantee: &'static str,
    /// The watch and the event, in words.
    pub what: String,
}

/// Checks all watches of a history.
#[must_use]
pub fn check_watches(history: &History, replay: &Replay) -> Vec<WatchFault> {
    let compactions = history.compactions();
    (0..)
        .zip(&history.watches)
        .filter_map(|(number, watch)| {
            let mut checked = Checked::new(&watch.request, replay, &compactions);
            let (guarantee, what) = checked.run(watch).err()?;
            let WatchCreateRequest { key, range_end, start_revision, .. } = &watch.request;
            let whole =
                format!("watch {number} of {key:?}..{range_end:?} from {start_revision}: {what}");
            Some(WatchFault { guarantee, what: whole })
        })
        .collect()
}

type Fault = (&'static str, String);

fn fault<T>(guarantee: &'static str, what: impl Into<String>) -> Result<T, Fault> {
    Err((guarantee, what.into()))
}

struct Checked<'h> {
    request: &'h WatchCreateRequest,
    replay: &'h Replay,
    compactions: &'h [(i64, u64)],
    /// The next revision that may hold something not seen yet; `None` before the watch was created.
    next: Option<i64>,
    /// The newest revision of which events came.
    last: i64,
    /// The newest revision that a progress message promised.
    bookmark: i64,
    seen: BTreeSet<(i64, Vec<u8>, bool)>,
    /// Events of a revision that comes in fragments.
    part: Vec<Event>,
    has_ended: bool,
}

impl<'h> Checked<'h> {
    const fn new(
        request: &'h WatchCreateRequest,
        replay: &'h Replay,
        compactions: &'h [(i64, u64)],
    ) -> Self {
        Self {
            request,
            replay,
            compactions,
            next: None,
            last: 0,
            bookmark: 0,
            seen: BTreeSet::new(),
            part: Vec::new(),
            has_ended: false,
        }
    }

    fn run(&mut self, watch: &WatchLog) -> Result<(), Fault> {
        for (at, response) in &watch.responses {
            self.take(*at, response)?;
        }
        match (watch.must_reach, self.next) {
            (Some(revision), _) if self.has_ended || watch.canceled.is_some() => {
                let _ = revision;
                Ok(())
            }
            (Some(_), None) => fault("reliable", "it was never created"),
            (Some(revision), Some(next)) => match self.missing(next, revision) {
                Some(missing) => fault(
                    "reliable",
                    format!("revision {missing} never came, {revision} was reached"),
                ),
                None => Ok(()),
            },
            (None, _) => Ok(()),
        }
    }

    fn take(&mut self, at: u64, response: &WatchResponse) -> Result<(), Fault> {
        if self.has_ended {
            return fault("canceled", format!("a message after the end: {response:?}"));
        }
        if response.created {
            if self.next.is_some() {
                return fault("canceled", "it was created twice");
            }
            let from_now = response.header.revision + 1;
            let start = self.request.start_revision;
            self.next = Some(if start > 0 { start } else { from_now });
            self.has_ended = response.canceled;
            return Ok(());
        }
        if self.next.is_none() {
            return fault("ordered", "a message before its creation");
        }
        if response.canceled {
            self.has_ended = true;
            return self.take_end(response);
        }
        if response.events.is_empty() {
            return self.take_progress(response.header.revision);
        }
        for event in &response.events {
            self.take_event(at, event)?;
        }
        if response.header.revision < self.last {
            return fault("ordered", format!("its header says less than {}", self.last));
        }
        self.take_batch(response)
    }

    fn take_end(&self, response: &WatchResponse) -> Result<(), Fault> {
        let compacted = response.compact_revision;
        if compacted == 0 {
            return Ok(());
        }
        let is_real = self.compactions.iter().any(|(revision, _)| *revision == compacted);
        if !is_real {
            return fault(
                "reliable",
                format!("ended by a compaction at {compacted} that never was"),
            );
        }
        if self.next.is_some_and(|next| next >= compacted) {
            return fault(
                "reliable",
                format!("ended by a compaction at {compacted} that it had passed"),
            );
        }
        Ok(())
    }

    /// Every event up to `revision` has come, says the member.
    fn take_progress(&mut self, revision: i64) -> Result<(), Fault> {
        if let Some(missing) = self.next.and_then(|next| self.missing(next, revision)) {
            return fault(
                "bookmarkable",
                format!("progress to {revision}, and revision {missing} has not come"),
            );
        }
        self.bookmark = self.bookmark.max(revision);
        Ok(())
    }

    /// What each event must satisfy alone.
    fn take_event(&mut self, at: u64, event: &Event) -> Result<(), Fault> {
        let revision = event.kv.mod_revision;
        if !self.wants(event) {
            return fault("filter", format!("not asked for: {event:?}"));
        }
        if revision < self.last {
            return fault("ordered", format!("revision {revision} after {}", self.last));
        }
        let is_put = event.event_type == EventType::Put;
        if !self.seen.insert((revision, event.kv.key.to_vec(), is_put)) {
            return fault("unique", format!("twice: {event:?}"));
        }
        if revision <= self.bookmark {
            return fault(
                "bookmarkable",
                format!("{revision} after progress to {}", self.bookmark),
            );
        }
        if self.replay.invoked.get(&revision).is_none_or(|invoked| *invoked > at) {
            return fault("reliable", format!("before anybody asked for it: {event:?}"));
        }
        self.last = revision;
        self.compare(event)
    }

    /// Holds the event against the one that happened.
    fn compare(&self, event: &Event) -> Result<(), Fault> {
        let revision = event.kv.mod_revision;
        let happened = self
            .replay
            .model
            .changes(revision)
            .iter()
            .map(|change| &change.event)
            .find(|other| other.event_type == event.event_type && other.kv.key == event.kv.key);
        let Some(happened) = happened else {
            return fault("reliable", format!("never happened: {event:?}"));
        };
        if (event.kv.create_revision, event.kv.version)
            != (happened.kv.create_revision, happened.kv.version)
        {
            return fault("is-create", format!("{event:?} was {happened:?}"));
        }
        if event.kv != happened.kv {
            return fault("reliable", format!("{event:?} was {happened:?}"));
        }
        let may_be_compacted = happened.prev_kv.is_some()
            && self.compactions.iter().any(|(compacted, _)| revision - 1 < *compacted);
        let is_right = if self.request.prev_kv {
            event.prev_kv == happened.prev_kv || (event.prev_kv.is_none() && may_be_compacted)
        } else {
            event.prev_kv.is_none()
        };
        if is_right { Ok(()) } else { fault("prev-kv", format!("{event:?} was {happened:?}")) }
    }

    /// What a message must satisfy as a whole: no gap before it, and no revision in pieces.
    fn take_batch(&mut self, response: &WatchResponse) -> Result<(), Fault> {
        let mut events = std::mem::take(&mut self.part);
        events.extend(response.events.iter().cloned());
        if response.fragment {
            if !self.request.fragment {
                return fault("atomic", "in fragments that nobody asked for");
            }
            self.part = events;
            return Ok(());
        }
        let revisions: BTreeSet<i64> = events.iter().map(|event| event.kv.mod_revision).collect();
        for revision in revisions {
            let next = self.next.unwrap_or_default();
            if revision < next {
                let what = format!("revision {revision}, the next was to be {next}");
                let is_first = next == self.request.start_revision;
                return fault(if is_first { "resumable" } else { "atomic" }, what);
            }
            if let Some(missing) = self.missing(next, revision - 1) {
                let is_first = next == self.request.start_revision;
                let what = format!("revision {missing} is missing before {revision}");
                return fault(if is_first { "resumable" } else { "reliable" }, what);
            }
            let came = events.iter().filter(|event| event.kv.mod_revision == revision);
            let happened = self.wanted(revision);
            if came.clone().count() != happened.len()
                || !came.zip(&happened).all(|(one, other)| one.kv.key == other.kv.key)
            {
                return fault("atomic", format!("revision {revision} is not whole: {events:?}"));
            }
            self.next = Some(revision + 1);
        }
        Ok(())
    }

    fn wants(&self, event: &Event) -> bool {
        let unwanted = match event.event_type {
            EventType::Put => WatchFilter::NoPut,
            EventType::Delete => WatchFilter::NoDelete,
        };
        let start: &[u8] = if self.request.key.is_empty() { &[0] } else { &self.request.key };
        ranges::contains(start, &self.request.range_end, &event.kv.key)
            && !self.request.filters.contains(&unwanted)
    }

    fn wanted(&self, revision: i64) -> Vec<&'h Event> {
        let changes = self.replay.model.changes(revision).iter();
        changes.map(|change| &change.event).filter(|event| self.wants(event)).collect()
    }

    /// The first revision in `from..=to` with an event that the watch wants.
    fn missing(&self, from: i64, to: i64) -> Option<i64> {
        let to = to.min(self.replay.model.revision());
        (from.max(1)..=to).find(|revision| !self.wanted(*revision).is_empty())
    }
}
