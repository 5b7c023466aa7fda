//! What members send one another, one by one.
//!
//! What it is: the newest messages of which members told, to filter, to open, to stop; with each field that travels.
//! What it is not: all messages (members tell samples and count the others), or what entries hold: that is the log's.
//! Invariants: at most [`NOTES_KEPT`] messages are kept and [`ROWS_MAX`] shown, newest first; while the list stands
//! still nothing moves in it, and what comes is counted; names of fields are etcd's.

use std::collections::VecDeque;

use super::message_strings::MessageStrings;
use super::model::Known;
use super::strings::InsightStrings;
use super::traffic::Traffic;
use crate::playground::strings::clock;
use crate::types::{MemberId, Millis};
use crate::wire::{Fate, MessageKind, MessageNote, MessageSample};

/// Messages that are kept. Unit: messages. Source: ours; some minutes of a calm cluster.
const NOTES_KEPT: usize = 600;

/// Messages that are shown. Unit: rows. Source: ours; the newest, as many as one scrolls through.
const ROWS_MAX: usize = 60;

/// What messages are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The leader is alive.
    Heartbeat,
    /// Entries, and who has them.
    Append,
    /// Who shall lead.
    Vote,
    /// The whole state.
    Snapshot,
    /// Linearizable reads.
    Read,
    /// Whatever else.
    Other,
}

impl Class {
    /// One of Raft's by its name; another one is something else.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "MsgHeartbeat" | "MsgHeartbeatResp" => Self::Heartbeat,
            "MsgApp" | "MsgAppResp" | "MsgProp" => Self::Append,
            "MsgVote" | "MsgVoteResp" | "MsgPreVote" | "MsgPreVoteResp" | "MsgTimeoutNow"
            | "MsgTransferLeader" => Self::Vote,
            "MsgSnap" => Self::Snapshot,
            "MsgReadIndex" | "MsgReadIndexResp" => Self::Read,
            _ => Self::Other,
        }
    }

    pub(super) fn of(kind: MessageKind) -> Self {
        match kind {
            MessageKind::Raft(raft) => Self::named(&raft.to_string()),
            MessageKind::SnapshotPart(..)
            | MessageKind::SnapshotProgress(_)
            | MessageKind::SnapshotRefused => Self::Snapshot,
            MessageKind::Removed
            | MessageKind::Promote
            | MessageKind::HashKv
            | MessageKind::Lease => Self::Other,
        }
    }

    /// For style sheets.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Heartbeat => "heartbeat",
            Self::Append => "append",
            Self::Vote => "vote",
            Self::Snapshot => "snapshot",
            Self::Read => "read",
            Self::Other => "other",
        }
    }
}

/// What a message is called: as etcd does, where it is one of Raft's.
pub(super) fn kind_name(kind: MessageKind, s: &MessageStrings) -> String {
    match kind {
        MessageKind::Raft(raft) => raft.to_string(),
        MessageKind::SnapshotPart(..) => s.snapshot_part.to_owned(),
        MessageKind::SnapshotProgress(_) => s.snapshot_progress.to_owned(),
        MessageKind::SnapshotRefused => s.snapshot_refused.to_owned(),
        MessageKind::Removed => s.removed.to_owned(),
        MessageKind::Promote => s.promote.to_owned(),
        MessageKind::HashKv => s.hash.to_owned(),
        MessageKind::Lease => s.lease.to_owned(),
    }
}

/// What became of a message, for style sheets.
pub(super) const fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::Sent => "sent",
        Fate::Held(_) => "held",
        Fate::Doubled(_) => "doubled",
        Fate::Lost => "lost",
        Fate::Cut => "cut",
        Fate::Away => "away",
    }
}

fn fate_words(fate: Fate, s: &MessageStrings) -> String {
    match fate {
        Fate::Sent => s.sent.to_owned(),
        Fate::Held(ms) => (s.held_back)(u64::from(ms)),
        Fate::Doubled(ms) => (s.twice)(u64::from(ms)),
        Fate::Lost => s.lost.to_owned(),
        Fate::Cut => s.cut.to_owned(),
        Fate::Away => s.away.to_owned(),
    }
}

/// Which messages are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// All but heartbeats.
    #[default]
    Most,
    /// All.
    All,
    /// Elections.
    Votes,
    /// Entries.
    Appends,
    /// Snapshots.
    Snapshots,
    /// Reads.
    Reads,
}

impl Shown {
    const ALL: [Self; 6] =
        [Self::Most, Self::All, Self::Votes, Self::Appends, Self::Snapshots, Self::Reads];

    fn has(self, kind: MessageKind) -> bool {
        let class = Class::of(kind);
        match self {
            Self::Most => class != Class::Heartbeat,
            Self::All => true,
            Self::Votes => class == Class::Vote,
            Self::Appends => class == Class::Append,
            Self::Snapshots => class == Class::Snapshot,
            Self::Reads => class == Class::Read,
        }
    }

    const fn label(self, s: &MessageStrings) -> &'static str {
        match self {
            Self::Most => s.most,
            Self::All => s.all,
            Self::Votes => s.elections,
            Self::Appends => s.appends,
            Self::Snapshots => s.snapshots,
            Self::Reads => s.reads,
        }
    }

    /// For tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Most => "most",
            Self::All => "all",
            Self::Votes => "votes",
            Self::Appends => "appends",
            Self::Snapshots => "snapshots",
            Self::Reads => "reads",
        }
    }
}

/// A message in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRow {
    /// Its number.
    pub id: u64,
    /// When it was sent.
    pub time: String,
    /// From whom to whom.
    pub link: (MemberId, MemberId),
    /// The same, by name.
    pub way: String,
    /// What it is.
    pub kind: String,
    /// What matters most of it.
    pub summary: String,
    /// What became of it, if that is not the usual.
    pub fate: String,
    /// It does not arrive.
    pub is_dropped: bool,
    /// For style sheets.
    pub class: &'static str,
    /// Its fields, while it is open.
    pub fields: Vec<(&'static str, String)>,
    /// It is open.
    pub is_open: bool,
}

/// Something to filter by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceOf<T> {
    /// What it chooses.
    pub value: T,
    /// What it says.
    pub label: String,
    /// It is chosen.
    pub is_on: bool,
}

/// The list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessagesView {
    /// The messages, newest first.
    pub rows: Vec<MessageRow>,
    /// The kinds to choose from.
    pub kinds: Vec<ChoiceOf<Shown>>,
    /// The members to choose from; the first is anybody.
    pub members: Vec<ChoiceOf<Option<MemberId>>>,
    /// The list stands still.
    pub is_paused: bool,
    /// How many messages were sent and told, and how many wait.
    pub counted: String,
    /// Why there are no rows.
    pub empty: &'static str,
    /// Samples heard so far; for tests.
    pub samples: u64,
}

#[derive(Clone, Debug)]
struct Kept {
    id: u64,
    at: Millis,
    from: MemberId,
    note: MessageNote,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    pub(super) traffic: Traffic,
    kept: VecDeque<Kept>,
    next: u64,
    opened: Millis,
    shown: Shown,
    member: Option<MemberId>,
    /// While the list stands still: the first message that is not in it.
    stands_at: Option<u64>,
    open: Option<u64>,
    marked: Option<(MemberId, MemberId)>,
    samples: u64,
    counted: u64,
}

impl Messages {
    /// A cluster was opened.
    pub(super) fn opened(at: Millis, before: &Self) -> Self {
        Self { opened: at, shown: before.shown, samples: before.samples, ..Self::default() }
    }

    pub(super) fn hear(&mut self, at: Millis, from: MemberId, sample: MessageSample) {
        self.samples += 1;
        self.counted += sample.counts.iter().map(|count| u64::from(count.count)).sum::<u64>();
        self.traffic.hear(from, &sample);
        for note in sample.notes {
            let at = Millis(at.0.saturating_sub(note.age_ms));
            // What another member told first may have been sent later.
            let place = self.kept.partition_point(|kept| kept.at <= at);
            self.kept.insert(place, Kept { id: self.next, at, from, note });
            self.next += 1;
            if self.kept.len() > NOTES_KEPT {
                self.kept.pop_front();
            }
        }
    }

    pub(super) const fn choose(&mut self, shown: Shown) {
        self.shown = shown;
    }

    pub(super) const fn choose_member(&mut self, member: Option<MemberId>) {
        self.member = member;
    }

    /// Lets the list stand still, or go on.
    pub(super) const fn toggle_pause(&mut self) {
        self.stands_at = match self.stands_at {
            None => Some(self.next),
            Some(_) => None,
        };
    }

    /// Opens a message, or closes it.
    pub(super) fn toggle(&mut self, id: u64) {
        self.open = (self.open != Some(id)).then_some(id);
    }

    /// The direction that is pointed at; with nothing, that of the open message.
    pub(super) const fn mark(&mut self, link: Option<(MemberId, MemberId)>) {
        self.marked = link;
    }

    /// The direction that the ring shows as chosen.
    pub(super) fn marked(&self) -> Option<(MemberId, MemberId)> {
        let open = || {
            let kept = self.kept.iter().find(|kept| Some(kept.id) == self.open)?;
            Some((kept.from, kept.note.to))
        };
        self.marked.or_else(open)
    }

    pub(super) fn view(&self, known: &Known, strings: &InsightStrings) -> MessagesView {
        let s = strings.messages;
        let is_member = |kept: &&Kept| {
            self.member.is_none_or(|member| member == kept.from || member == kept.note.to)
        };
        let is_in = |kept: &&Kept| self.stands_at.is_none_or(|first| kept.id < first);
        let fitting = || {
            self.kept.iter().rev().filter(|kept| self.shown.has(kept.note.kind)).filter(is_member)
        };
        let rows: Vec<MessageRow> =
            fitting().filter(is_in).take(ROWS_MAX).map(|kept| self.row(kept, known, s)).collect();
        let kinds = Shown::ALL.map(|shown| ChoiceOf {
            value: shown,
            label: shown.label(s).to_owned(),
            is_on: shown == self.shown,
        });
        let anybody =
            ChoiceOf { value: None, label: s.anybody.to_owned(), is_on: self.member.is_none() };
        let member = |note: super::MemberNote| ChoiceOf {
            value: Some(note.id),
            label: note.name,
            is_on: self.member == Some(note.id),
        };
        let waiting = u64::try_from(fitting().filter(|kept| !is_in(kept)).count()).unwrap_or(0);
        let mut counted = (s.seen)(self.counted, self.next);
        if self.stands_at.is_some() {
            counted = format!("{counted} · {}", (s.held)(waiting));
        }
        MessagesView {
            empty: match (rows.is_empty(), self.kept.is_empty()) {
                (true, true) => s.waiting,
                (true, false) => s.none,
                (false, _) => "",
            },
            rows,
            kinds: kinds.to_vec(),
            members: std::iter::once(anybody)
                .chain(known.shown().into_iter().map(member))
                .collect(),
            is_paused: self.stands_at.is_some(),
            counted,
            samples: self.samples,
        }
    }

    fn row(&self, kept: &Kept, known: &Known, s: &MessageStrings) -> MessageRow {
        let note = &kept.note;
        let is_open = self.open == Some(kept.id);
        let is_usual = note.fate == Fate::Sent;
        MessageRow {
            id: kept.id,
            time: clock(kept.at.since(self.opened)),
            link: (kept.from, note.to),
            way: format!("{} → {}", known.name(kept.from), known.name(note.to)),
            kind: kind_name(note.kind, s),
            summary: summary(note, s),
            fate: if is_usual { String::new() } else { fate_words(note.fate, s) },
            is_dropped: matches!(note.fate, Fate::Lost | Fate::Cut | Fate::Away),
            class: Class::of(note.kind).name(),
            fields: if is_open { fields(kept, known, s) } else { Vec::new() },
            is_open,
        }
    }
}

/// What its entries are: how many, how large, and which.
fn entries_words(note: &MessageNote, s: &MessageStrings) -> String {
    let count = u64::from(note.entries);
    let first = note.index.next().0;
    match (count, note.kind) {
        (0, _) => s.no_entries.to_owned(),
        // Proposals have no place in the log yet.
        (_, MessageKind::Raft(raft)) if raft.to_string() != "MsgApp" => {
            (s.proposed)(count, note.data_bytes)
        }
        _ => (s.entries)(count, note.data_bytes, first, first + count - 1),
    }
}

fn summary(note: &MessageNote, s: &MessageStrings) -> String {
    let class = Class::of(note.kind);
    let mut words = Vec::new();
    match note.kind {
        MessageKind::SnapshotPart(part, parts) => {
            words.push((s.part)(u64::from(part) + 1, u64::from(parts)));
        }
        MessageKind::SnapshotProgress(parts) => words.push((s.arrived)(u64::from(parts))),
        _ => {}
    }
    if note.term.0 > 0 {
        words.push(format!("term {}", note.term));
    }
    if note.entries > 0 {
        words.push(entries_words(note, s));
    } else if note.index.0 > 0 && class != Class::Heartbeat {
        words.push(format!("index {}", note.index));
    }
    if note.reject {
        words.push("reject".to_owned());
    }
    words.join(" · ")
}

/// Every field that travels, in etcd's words.
fn fields(kept: &Kept, known: &Known, s: &MessageStrings) -> Vec<(&'static str, String)> {
    let note = &kept.note;
    let name = |member| format!("{} ({member:x})", known.name(member));
    let context = if note.context_bytes == 0 {
        s.no_entries.to_owned()
    } else {
        (s.bytes)(u64::from(note.context_bytes))
    };
    let mut fields = vec![
        ("type", kind_name(note.kind, s)),
        ("from", name(kept.from)),
        ("to", name(note.to)),
        ("term", note.term.to_string()),
        ("logTerm", note.log_term.to_string()),
        ("index", note.index.to_string()),
        ("commit", note.commit.to_string()),
        ("entries", entries_words(note, s)),
        ("reject", note.reject.to_string()),
        ("rejectHint", note.reject_hint.to_string()),
        ("context", context),
    ];
    if let MessageKind::SnapshotPart(part, parts) = note.kind {
        let words = (s.part)(u64::from(part) + 1, u64::from(parts));
        fields.push(("snapshot", format!("{words}, {}", (s.bytes)(note.data_bytes))));
    }
    fields.push((s.size, (s.bytes)(note.size)));
    fields.push((s.fate, fate_words(note.fate, s)));
    fields
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::MemberNote;
    use super::super::strings::EN;
    use super::*;
    use crate::types::{Index, Term};
    use crate::wire::MessageCount;

    const ONE: MemberId = MemberId(1);
    pub(in super::super) const TWO: MemberId = MemberId(2);

    /// So many members, infra1 with id 1 and so on.
    pub(in super::super) fn known(count: u64) -> Known {
        let note = |id| MemberNote {
            id: MemberId(id),
            name: format!("infra{id}"),
            is_learner: false,
            is_up: true,
            is_paused: false,
            is_removed: false,
        };
        Known { members: (1..=count).map(note).collect(), ..Known::default() }
    }

    fn kind(name: &str) -> MessageKind {
        MessageKind::named(name)
    }

    pub(in super::super) fn counted(name: &str, fate: Fate, count: u32) -> MessageCount {
        MessageCount { to: TWO, kind: kind(name), fate, count }
    }

    fn note(name: &str, age_ms: u64) -> MessageNote {
        MessageNote {
            age_ms,
            to: TWO,
            kind: kind(name),
            fate: Fate::Sent,
            term: Term(3),
            log_term: Term(2),
            index: Index(7),
            commit: Index(6),
            entries: 0,
            data_bytes: 0,
            reject: false,
            reject_hint: Index(0),
            context_bytes: 0,
            size: 40,
        }
    }

    fn heard(notes: Vec<MessageNote>) -> Messages {
        let mut messages = Messages::default();
        let counts = notes
            .iter()
            .map(|note| MessageCount { to: note.to, kind: note.kind, fate: note.fate, count: 2 })
            .collect();
        messages.hear(Millis(5_000), ONE, MessageSample { notes, counts, left_out: 0 });
        messages
    }

    fn listed(messages: &Messages) -> Vec<String> {
        let rows = messages.view(&known(3), &EN).rows.into_iter();
        rows.map(|row| format!("{} {} {}", row.way, row.kind, row.summary)).collect()
    }

    #[test]
    fn an_append_is_told_with_every_field() {
        let mut append = note("MsgApp", 100);
        (append.entries, append.data_bytes, append.fate) = (2, 30, Fate::Held(200));
        let mut messages = heard(vec![append]);
        let row = &messages.view(&known(3), &EN).rows[0];
        assert_eq!((row.way.as_str(), row.time.as_str()), ("infra1 → infra2", "0:04.9"));
        assert_eq!(row.summary, "term 3 · 2 entries, 30 B, index 8…9");
        assert_eq!(row.fate, "200 ms on its way");
        assert!(row.fields.is_empty() && !row.is_open);
        messages.toggle(row.id);
        let view = messages.view(&known(3), &EN);
        let told: Vec<String> =
            view.rows[0].fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            told.join(" "),
            "type=MsgApp from=infra1 (1) to=infra2 (2) term=3 logTerm=2 index=7 commit=6 \
             entries=2 entries, 30 B, index 8…9 reject=false rejectHint=0 context=none size=40 B \
             outcome=200 ms on its way"
        );
        assert_eq!(messages.marked(), Some((ONE, TWO)), "the open one is marked in the ring");
        messages.mark(Some((TWO, ONE)));
        assert_eq!(messages.marked(), Some((TWO, ONE)));
    }

    #[test]
    fn heartbeats_are_left_out_at_first_and_kinds_and_members_filter() {
        let mut to_three = note("MsgVote", 20);
        to_three.to = MemberId(3);
        let mut messages = heard(vec![note("MsgHeartbeat", 30), to_three, note("MsgApp", 10)]);
        assert_eq!(listed(&messages).len(), 2);
        assert!(listed(&messages)[0].contains("MsgApp"), "the newest first");
        messages.choose(Shown::All);
        assert_eq!(listed(&messages).len(), 3);
        messages.choose(Shown::Votes);
        assert_eq!(listed(&messages), ["infra1 → infra3 MsgVote term 3 · index 7"]);
        messages.choose_member(Some(TWO));
        let view = messages.view(&known(3), &EN);
        assert_eq!((view.rows.len(), view.empty), (0, EN.messages.none));
        assert_eq!(view.counted, "6 sent, 3 told");
    }

    #[test]
    fn a_list_that_stands_still_counts_what_waits() {
        let mut messages = heard(vec![note("MsgApp", 10)]);
        messages.toggle_pause();
        let before = listed(&messages);
        let sample =
            MessageSample { notes: vec![note("MsgApp", 0); 3], ..MessageSample::default() };
        messages.hear(Millis(6_000), ONE, sample);
        assert_eq!(listed(&messages), before);
        let view = messages.view(&known(3), &EN);
        assert!(view.is_paused && view.counted.ends_with("3 newer ones wait"), "{}", view.counted);
        messages.toggle_pause();
        assert_eq!(listed(&messages).len(), 4);
    }

    #[test]
    fn what_is_kept_and_shown_is_bounded() {
        let mut messages = Messages::default();
        for at in 0..1_000 {
            let sample =
                MessageSample { notes: vec![note("MsgApp", 0)], ..MessageSample::default() };
            messages.hear(Millis(at), ONE, sample);
        }
        assert_eq!((messages.kept.len(), listed(&messages).len()), (NOTES_KEPT, ROWS_MAX));
        assert_eq!(messages.view(&known(3), &EN).rows[0].id, 999);
    }

    #[test]
    fn a_part_of_a_snapshot_says_which_and_a_dropped_message_says_why() {
        let mut part = note("MsgSnap", 10);
        (part.kind, part.fate, part.data_bytes) =
            (MessageKind::SnapshotPart(2, 9), Fate::Cut, 65_536);
        let mut messages = heard(vec![part]);
        messages.toggle(0);
        let row = &messages.view(&known(3), &EN).rows[0];
        assert_eq!((row.kind.as_str(), row.class), ("snapshot part", "snapshot"));
        assert!(row.summary.starts_with("part 3 of 9"), "{}", row.summary);
        assert!(row.is_dropped && row.fate == EN.messages.cut);
        assert!(row.fields.contains(&("snapshot", "part 3 of 9, 65536 B".to_owned())));
    }
}
