//! The logs of all members, aligned by index.
//!
//! What it is: what members told of their logs, what to ask them next, and [`LogView`].
//! What it is not: a second Raft; a mark is what the member itself said.
//! Invariants: only a window of rows is kept and asked for; an entry above a member's commit index may be replaced
//! and is asked for again; at most one question per member is open.

use std::collections::BTreeMap;

use super::model::{Known, bytes_words};
use super::protocol::{Ask, MemberNote};
use super::strings::InsightStrings;
use crate::api::{self, ConfigChange, LogContent, LogEntry, LogPart, Role};
use crate::playground::escape;
use crate::types::{Index, MemberId, SmallMap, Term};

/// Most rows in a view. Unit: rows. Source: ours; a wall of 4K has some 80.
const ROWS_MAX: u64 = 160;
/// Rows at the end before somebody knows how many can be seen.
const ROWS_FIRST: u64 = 41;
/// Entries kept of each log. Unit: entries. Source: ours; what the clocks look back on, and some windows.
const KEPT_MAX: usize = 2_000;
/// A question without an answer is asked again after this. Unit: looks, some 250 ms each.
const PATIENCE: u32 = 8;
/// So much of a key is shown. Unit: characters.
pub(super) const KEY_CHARS: u32 = 40;
/// The same where all of a cell is said: members tell no more bytes of it. Unit: characters.
const KEY_CHARS_WHOLE: u32 = 400;

/// How far an entry has come on one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellState {
    /// The log ends before.
    Absent,
    /// The log begins after; the snapshot contains it.
    Snapshot,
    /// It was not told yet.
    Unknown,
    /// It is in memory.
    Memory,
    /// It is on disk.
    Durable,
    /// The member knows that it is committed.
    Committed,
    /// The member's store contains it.
    Applied,
}

/// One member's place at one index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogCell {
    /// How far it has come; as a number for keys of rows.
    pub state: u8,
    /// Its term, if it is known.
    pub term: Option<u64>,
    /// What it says.
    pub text: String,
    /// Its type, for style sheets: `normal`, `config`, `empty` or nothing.
    pub kind: &'static str,
    /// The key it puts or deletes.
    pub key: Option<bytes::Bytes>,
    /// Another member has another term here.
    pub is_conflict: bool,
    /// `match` or `next`: up to here the leader knows it, or sends next.
    pub mark: &'static str,
    /// All of it in words.
    pub label: String,
}

impl LogCell {
    /// How far it has come.
    #[must_use]
    pub const fn state(&self) -> CellState {
        match self.state {
            1 => CellState::Snapshot,
            2 => CellState::Unknown,
            3 => CellState::Memory,
            4 => CellState::Durable,
            5 => CellState::Committed,
            6 => CellState::Applied,
            _ => CellState::Absent,
        }
    }
}

/// One index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogRow {
    /// Which.
    pub index: u64,
    /// One cell per column.
    pub cells: Vec<LogCell>,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogColumn {
    /// Its name.
    pub name: String,
    /// Its role in a word, or why it says nothing.
    pub role: &'static str,
    /// It leads.
    pub is_leader: bool,
    /// It says nothing at present.
    pub is_stale: bool,
    /// Commit and applied.
    pub numbers: String,
    /// A follower's match and next, as the leader knows them.
    pub progress: String,
    /// Where its log begins, if not at the first entry.
    pub begins: String,
}

/// The logs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogView {
    /// The members, in the order of their names.
    pub columns: Vec<LogColumn>,
    /// The first index there is to see; 0 without any.
    pub low: u64,
    /// The last.
    pub high: u64,
    /// The window, in order.
    pub rows: Vec<LogRow>,
}

/// What is known of one log.
#[derive(Clone, Debug, Default)]
struct OneLog {
    /// The newest part, without its entries.
    head: LogPart,
    entries: BTreeMap<u64, LogEntry>,
    /// The member's state when the newest part was told.
    told_at: Option<(Term, Index, Index, Index, Index)>,
    waiting: u32,
    /// Entries up to here will never be others.
    settled: u64,
}

/// Which rows can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Window {
    /// These.
    Rows(u64, u64),
    /// The newest ones, so many, whatever is added.
    End(u64),
}

impl Window {
    /// The first and the last row in a log that ends at `high`.
    fn rows(self, high: u64) -> (u64, u64) {
        match self {
            Self::Rows(first, last) => (first.min(high), last.min(high)),
            Self::End(count) => (high.saturating_sub(count.saturating_sub(1)), high),
        }
    }
}

/// What is known of all logs.
#[derive(Clone, Debug)]
pub(super) struct Logs {
    of: SmallMap<MemberId, OneLog>,
    window: Window,
    /// The last index that any member told of.
    high: u64,
}

impl Default for Logs {
    fn default() -> Self {
        Self { of: SmallMap::default(), window: Window::End(ROWS_FIRST), high: 0 }
    }
}

const fn fingerprint(status: &api::MemberStatus) -> (Term, Index, Index, Index, Index) {
    (status.term, status.last_index, status.durable_index, status.commit, status.applied)
}

impl Logs {
    /// The rows that can be seen; true if they are other ones.
    pub(super) fn see(&mut self, first: u64, last: u64) -> bool {
        self.turn_to(Window::Rows(first, last.min(first.saturating_add(ROWS_MAX - 1))))
    }

    /// So many rows at the end can be seen, and those that come; true if that is new.
    pub(super) fn see_end(&mut self, count: u64) -> bool {
        self.turn_to(Window::End(count.clamp(1, ROWS_MAX)))
    }

    fn turn_to(&mut self, window: Window) -> bool {
        std::mem::replace(&mut self.window, window) != window
    }

    /// The member begins anew: what was only in its memory is gone.
    pub(super) fn forget(&mut self, member: MemberId) {
        self.of.remove(&member);
    }

    /// The newest part of a member, without entries.
    pub(super) fn head(&self, member: MemberId) -> Option<&LogPart> {
        self.of.get(&member).map(|log| &log.head)
    }

    /// What a member's log holds of a stretch, as far as it is known.
    pub(super) fn entries(
        &self,
        member: MemberId,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = &LogEntry> {
        let log = self.of.get(&member);
        log.into_iter()
            .flat_map(move |log| log.entries.range(from..=to.max(from)).map(|(_, it)| it))
    }

    /// A member tells a part.
    pub(super) fn hear(&mut self, mut part: LogPart, status: Option<&api::MemberStatus>) {
        self.high = self.high.max(part.last_index.0);
        let log = self.of.get_or_insert_with(part.member, OneLog::default);
        log.waiting = 0;
        let entries = std::mem::take(&mut part.entries);
        // A new leader's entries replace what was not committed.
        let settled = log.settled.min(part.last_index.0);
        log.entries.retain(|index, _| *index <= settled);
        log.settled = settled.max(part.commit.0);
        log.entries.extend(entries.into_iter().map(|entry| (entry.index.0, entry)));
        let part_is_now = status.is_none_or(|status| {
            fingerprint(status)
                == (part.term, part.last_index, part.durable_index, part.commit, part.applied)
        });
        log.told_at = status.filter(|_| part_is_now).map(fingerprint);
        log.head = part;
        while log.entries.len() > KEPT_MAX {
            let (first, last) = self.window.rows(self.high);
            let oldest = log.entries.keys().next().copied().unwrap_or(0);
            let newest = log.entries.keys().next_back().copied().unwrap_or(0);
            let far_end = if first.saturating_sub(oldest) >= newest.saturating_sub(last) {
                oldest
            } else {
                newest
            };
            log.entries.remove(&far_end);
        }
    }

    /// What to ask a member for, so that `from..=to` of its log is known and as it is now.
    pub(super) fn ask(
        &mut self,
        status: &api::MemberStatus,
        (from, to): (u64, u64),
    ) -> Option<Ask> {
        let member = status.member;
        let log = self.of.get_or_insert_with(member, OneLog::default);
        if log.waiting > 0 {
            log.waiting -= 1;
            return None;
        }
        let from = from.max(log.head.first_index.0).max(1);
        let to = to.min(status.last_index.0);
        let missing = (from..=to).find(|index| !log.entries.contains_key(index));
        let is_current = log.told_at == Some(fingerprint(status));
        // Where the stretch that is not known, or may be another one by now, begins.
        let first = match missing {
            Some(missing) => missing.min(log.settled.saturating_add(1).max(from)),
            None if is_current => return None,
            None => log.settled.saturating_add(1).max(from),
        };
        log.waiting = PATIENCE;
        Some(Ask::ReadLog { member, from: Index(first), to: Index(to) })
    }

    /// The questions for the window.
    pub(super) fn asks(&mut self, known: &Known) -> Vec<Ask> {
        let (_, high) = self.bounds(known);
        let window = self.window.rows(high);
        let mut asks = Vec::new();
        for status in known.serving() {
            asks.extend(self.ask(status, window));
        }
        asks
    }

    fn bounds(&self, known: &Known) -> (u64, u64) {
        let (mut low, mut high) = (u64::MAX, 0);
        for status in &known.statuses {
            high = high.max(status.last_index.0);
            let first = self.head(status.member).map_or(0, |head| head.first_index.0);
            if first > 0 {
                // The row before shows that there is a snapshot.
                low = low.min(first.saturating_sub(1).max(1));
            }
        }
        (low.min(high), high)
    }

    /// The view of the window.
    pub(super) fn view(&self, known: &Known, s: &InsightStrings) -> LogView {
        let (low, high) = self.bounds(known);
        let notes = known.shown();
        let columns = notes.iter().map(|note| self.column(note, known, s)).collect();
        if high == 0 {
            return LogView { columns, ..LogView::default() };
        }
        let (first, last) = self.window.rows(high);
        let first = first.max(low).min(last);
        let rows = (first..=last).map(|index| self.row(index, &notes, known, s)).collect();
        LogView { columns, low, high, rows }
    }

    fn column(&self, note: &MemberNote, known: &Known, s: &InsightStrings) -> LogColumn {
        let status = known.status(note.id);
        let is_stale = !note.is_up || note.is_paused || note.is_removed;
        let progress = known.progress_of(note.id).map(|it| (s.log_peer)(it.matched.0, it.next.0));
        let first = self.head(note.id).map_or(0, |head| head.first_index.0);
        LogColumn {
            name: note.name.clone(),
            role: role_words(note, status, s),
            is_leader: !is_stale && status.is_some_and(|status| status.role == Role::Leader),
            is_stale,
            numbers: status
                .map(|it| (s.log_numbers)(it.commit.0, it.applied.0))
                .unwrap_or_default(),
            progress: progress.unwrap_or_default(),
            begins: if first > 1 { (s.log_begins)(first) } else { String::new() },
        }
    }

    fn row(&self, index: u64, notes: &[MemberNote], known: &Known, s: &InsightStrings) -> LogRow {
        let terms: Vec<Term> = notes
            .iter()
            .filter_map(|note| Some(self.of.get(&note.id)?.entries.get(&index)?.term))
            .collect();
        let is_conflict = terms.windows(2).any(|pair| pair.first() != pair.last());
        let cell = |note: &MemberNote| {
            let mut cell = self.cell(index, note, known, s);
            cell.is_conflict = is_conflict && cell.term.is_some();
            if cell.is_conflict {
                cell.label.push_str(", ");
                cell.label.push_str(s.log_conflict);
            }
            cell
        };
        LogRow { index, cells: notes.iter().map(cell).collect() }
    }

    fn cell(&self, index: u64, note: &MemberNote, known: &Known, s: &InsightStrings) -> LogCell {
        let log = self.of.get(&note.id);
        let head = log.map(|log| &log.head);
        let entry = log.and_then(|log| log.entries.get(&index));
        let last = known.status(note.id).map_or(0, |status| status.last_index.0);
        let state = match (head, entry) {
            (Some(head), None) if index < head.first_index.0 => 1,
            (_, None) if index > last => 0,
            (_, None) | (None, _) => 2,
            (Some(head), Some(_)) if index <= head.applied.0 => 6,
            (Some(head), Some(_)) if index <= head.commit.0 => 5,
            (Some(head), Some(_)) if index <= head.durable_index.0 => 4,
            (Some(_), Some(_)) => 3,
        };
        let progress = known.progress_of(note.id);
        let mark = match progress {
            Some(it) if it.matched.0 == index => s.log_match,
            Some(it) if it.next.0 == index => s.log_next,
            _ => "",
        };
        let mut cell = LogCell {
            state,
            term: entry.map(|entry| entry.term.0),
            text: String::new(),
            kind: "",
            key: None,
            is_conflict: false,
            mark,
            label: (s.log_place)(&note.name, index),
        };
        cell.label.push_str(": ");
        if let Some(entry) = entry {
            cell.text = entry_words(&entry.content, known, s, KEY_CHARS);
            let whole = entry_words(&entry.content, known, s, KEY_CHARS_WHOLE);
            cell.kind = kind_of(&entry.content);
            cell.key = key_of(&entry.content);
            let kind = kind_words(&entry.content, s);
            cell.label.push_str(&(s.log_term)(entry.term.0));
            for part in [kind, &whole, state_words(cell.state(), s), mark] {
                if !part.is_empty() {
                    cell.label.push_str(", ");
                    cell.label.push_str(part);
                }
            }
        } else {
            cell.label.push_str(state_words(cell.state(), s));
        }
        cell
    }
}

/// A member's role in a word, or why it says nothing.
pub(super) fn role_words(
    note: &MemberNote,
    status: Option<&api::MemberStatus>,
    s: &InsightStrings,
) -> &'static str {
    if note.is_removed {
        return s.removed;
    }
    if !note.is_up {
        return s.down;
    }
    if note.is_paused {
        return s.paused;
    }
    match status.map(|status| status.role) {
        Some(Role::Leader) => s.leader,
        Some(Role::Candidate) => s.candidate,
        Some(Role::PreCandidate) => s.pre_candidate,
        Some(Role::Learner) => s.learner,
        Some(Role::Follower) | None => s.follower,
    }
}

const fn state_words(state: CellState, s: &InsightStrings) -> &'static str {
    match state {
        CellState::Absent => s.log_absent,
        CellState::Snapshot => s.log_state_snapshot,
        CellState::Unknown => s.log_state_unknown,
        CellState::Memory => s.log_state_memory,
        CellState::Durable => s.log_state_durable,
        CellState::Committed => s.log_state_committed,
        CellState::Applied => s.log_state_applied,
    }
}

const fn kind_of(content: &LogContent) -> &'static str {
    match content {
        LogContent::Empty => "empty",
        LogContent::Config { .. } => "config",
        _ => "normal",
    }
}

const fn kind_words(content: &LogContent, s: &InsightStrings) -> &'static str {
    match content {
        LogContent::Empty => s.kind_empty,
        LogContent::Config { .. } => s.kind_config,
        _ => s.kind_normal,
    }
}

fn key_of(content: &LogContent) -> Option<bytes::Bytes> {
    let (LogContent::Put { key, .. } | LogContent::Delete { key, .. }) = content else {
        return None;
    };
    // What was cut cannot be looked up.
    let is_whole = u64::try_from(key.len()).is_ok_and(|length| length < api::LOG_KEY_BYTES_MAX);
    is_whole.then(|| key.clone())
}

/// What an entry says, in few words.
pub(super) fn entry_words(
    content: &LogContent,
    known: &Known,
    s: &InsightStrings,
    key_chars: u32,
) -> String {
    let key = |key: &[u8]| escape::clipped(key, key_chars);
    let hex = |lease: crate::types::LeaseId| format!("{lease:x}");
    match content {
        LogContent::Empty => s.entry_empty.to_owned(),
        LogContent::Put { key: name, value_bytes, lease } => {
            let mut words = (s.entry_put)(&key(name), &bytes_words(*value_bytes));
            if lease.0 != 0 {
                words.push_str(&(s.entry_lease)(&hex(*lease)));
            }
            words
        }
        LogContent::Delete { key: name, is_range: false } => (s.entry_delete)(&key(name)),
        LogContent::Delete { key: name, is_range: true } => (s.entry_delete_range)(&key(name)),
        LogContent::Txn { compares, success, failure, .. } => {
            (s.entry_txn)(*compares, *success, *failure)
        }
        LogContent::Compaction { revision } => (s.entry_compaction)(&revision.to_string()),
        LogContent::LeaseGrant { lease, ttl } => {
            (s.entry_lease_grant)(&hex(*lease), &ttl.to_string())
        }
        LogContent::LeaseRevoke { lease } => (s.entry_lease_revoke)(&hex(*lease)),
        LogContent::LeaseCheckpoint => s.entry_lease_checkpoint.to_owned(),
        LogContent::Alarm => s.entry_alarm.to_owned(),
        LogContent::Auth => s.entry_auth.to_owned(),
        LogContent::Downgrade => s.entry_downgrade.to_owned(),
        LogContent::Publish { name } => (s.entry_publish)(&escape::line(name.as_bytes())),
        LogContent::Config { change, member, name } => {
            let name =
                if name.is_empty() { known.name(*member) } else { escape::line(name.as_bytes()) };
            match change {
                ConfigChange::AddVoter => (s.entry_add)(&name),
                ConfigChange::AddLearner => (s.entry_add_learner)(&name),
                ConfigChange::Promote => (s.entry_promote)(&name),
                ConfigChange::Remove => (s.entry_remove)(&name),
                ConfigChange::Update => (s.entry_update)(&name),
                ConfigChange::Joint => s.entry_joint.to_owned(),
            }
        }
        LogContent::Unreadable => s.entry_unreadable.to_owned(),
    }
}
