//! Samples of what a member sends, for somebody who looks.
//!
//! What it is: [`Tap`], which sees every message that a member sends, and the [`MessageSample`] it gives from time to
//! time: every message is counted, and some are told with all their fields.
//! What it is not: a part of the conversation between members; nothing is held back, changed or repeated for it.
//! Invariants: at most [`NOTES_MAX`] messages are told a sample; of those that say much none is left out for one that
//! says little; who does not look costs one comparison a message; nothing of a value is told, only sizes.

use serde::{Deserialize, Serialize};

use super::Letter;
use crate::etcdserver::PeerMessage;
use crate::raft::{self, MessageType};
use crate::types::{Index, MemberId, Term};

/// Messages that a sample tells with all their fields. Unit: messages. Source: ours; a person reads fewer.
pub const NOTES_MAX: usize = 12;

/// An append with more data than this is not encoded a second time only to learn its size. Unit: bytes.
const ENCODED_BYTES_MAX: u64 = 16 * 1024;

/// What kind of a message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageKind {
    /// One of Raft's.
    Raft(MessageType),
    /// A part of a snapshot: which, from 0, and how many there are.
    SnapshotPart(u32, u32),
    /// How many parts of a snapshot have arrived in one piece.
    SnapshotProgress(u32),
    /// The snapshot cannot be used.
    SnapshotRefused,
    /// The receiver is no longer a member.
    Removed,
    /// Promote a learner, or the answer.
    Promote,
    /// The hash of the data at a revision, or the question.
    HashKv,
    /// Something of a lease that only the leader knows, or the question.
    Lease,
}

#[cfg(test)]
impl MessageKind {
    /// One of Raft's by its name; a heartbeat if it is none that tests name.
    pub(crate) const fn named(name: &str) -> Self {
        Self::Raft(match name.as_bytes() {
            b"MsgApp" => MessageType::MsgApp,
            b"MsgVote" => MessageType::MsgVote,
            b"MsgSnap" => MessageType::MsgSnap,
            _ => MessageType::MsgHeartbeat,
        })
    }
}

/// What became of a message where it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// It went at once.
    Sent,
    /// The link holds it back for so long. Unit: ms.
    Held(u32),
    /// It goes twice, the first time after so long. Unit: ms.
    Doubled(u32),
    /// The link lost it.
    Lost,
    /// The link is cut.
    Cut,
    /// Nobody is at the other end.
    Away,
}

/// A message with all its fields, but for what its entries hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageNote {
    /// How long before the sample it was sent. Unit: ms.
    pub age_ms: u64,
    /// To whom.
    pub to: MemberId,
    /// What it is.
    pub kind: MessageKind,
    /// What became of it.
    pub fate: Fate,
    /// The sender's term; 0 for forwarded proposals and reads, and for what is not Raft's.
    pub term: Term,
    /// Of the entry before the first one sent, or of the one answered.
    pub log_term: Term,
    /// The entry before the first one sent, the last accepted, or the one rejected.
    pub index: Index,
    /// The sender's commit index.
    pub commit: Index,
    /// Entries in it.
    pub entries: u32,
    /// What its entries, its snapshot's state or its part hold. Unit: bytes.
    pub data_bytes: u64,
    /// The answer is no.
    pub reject: bool,
    /// With a no: where the logs may agree.
    pub reject_hint: Index,
    /// What an answer must bring back, or why a vote is asked for. Unit: bytes.
    pub context_bytes: u32,
    /// All of it as it travels. Unit: bytes.
    pub size: u64,
}

/// How many messages of a kind went to a member with the same fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageCount {
    /// To whom.
    pub to: MemberId,
    /// What they are; of parts of a snapshot the newest.
    pub kind: MessageKind,
    /// What became of them; the newest where the link holds them back.
    pub fate: Fate,
    /// How many.
    pub count: u32,
}

/// What a member sent since its last sample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSample {
    /// Some of the messages, in order.
    pub notes: Vec<MessageNote>,
    /// All of them, counted.
    pub counts: Vec<MessageCount>,
    /// How many of them are not among the notes.
    pub left_out: u32,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Tap {
    /// Unit: ms on the member's clock.
    until_ms: u64,
    sample: MessageSample,
    /// When each note was made, and how much it says.
    marks: Vec<(u64, u8)>,
}

impl Tap {
    /// Somebody looks until then. Unit: ms on the member's clock.
    pub const fn look_until(&mut self, until_ms: u64) {
        self.until_ms = until_ms;
    }

    /// True while somebody looks.
    #[must_use]
    pub const fn is_on(&self, now_ms: u64) -> bool {
        now_ms < self.until_ms
    }

    /// A message leaves, or does not.
    pub fn see(&mut self, to: MemberId, letter: &Letter, fate: Fate, now_ms: u64) {
        let kind = kind_of(letter);
        self.count(to, kind, fate);
        let rank = rank_of(letter, fate);
        if self.sample.notes.len() >= NOTES_MAX {
            self.sample.left_out = self.sample.left_out.saturating_add(1);
            let least = self.marks.iter().rposition(|(_, old)| *old < rank);
            let Some(at) = least else { return };
            self.sample.notes.remove(at);
            self.marks.remove(at);
        }
        self.sample.notes.push(note_of(to, letter, (kind, fate)));
        self.marks.push((now_ms, rank));
    }

    fn count(&mut self, to: MemberId, kind: MessageKind, fate: Fate) {
        let is_same = std::mem::discriminant::<Fate>;
        let known = self.sample.counts.iter_mut().find(|count| {
            count.to == to && is_alike(count.kind, kind) && is_same(&count.fate) == is_same(&fate)
        });
        match known {
            Some(known) => {
                *known = MessageCount { to, kind, fate, count: known.count.saturating_add(1) };
            }
            None => self.sample.counts.push(MessageCount { to, kind, fate, count: 1 }),
        }
    }

    /// What was sent since this was last asked, if anything.
    pub fn take(&mut self, now_ms: u64) -> Option<MessageSample> {
        if self.sample.counts.is_empty() {
            return None;
        }
        let mut sample = std::mem::take(&mut self.sample);
        for (note, (at_ms, _)) in sample.notes.iter_mut().zip(self.marks.drain(..)) {
            note.age_ms = now_ms.saturating_sub(at_ms);
        }
        Some(sample)
    }
}

/// True if two kinds are counted as one.
fn is_alike(one: MessageKind, other: MessageKind) -> bool {
    match (one, other) {
        (MessageKind::Raft(one), MessageKind::Raft(other)) => one == other,
        _ => std::mem::discriminant(&one) == std::mem::discriminant(&other),
    }
}

const fn kind_of(letter: &Letter) -> MessageKind {
    match letter {
        Letter::Raft(message) => MessageKind::Raft(message.msg_type),
        Letter::Server(message) => match &**message {
            PeerMessage::SnapshotPart(part) => MessageKind::SnapshotPart(part.part, part.parts),
            PeerMessage::SnapshotProgress { next, .. } => MessageKind::SnapshotProgress(*next),
            PeerMessage::SnapshotRefused { .. } => MessageKind::SnapshotRefused,
            PeerMessage::Removed => MessageKind::Removed,
            PeerMessage::Promote { .. } | PeerMessage::PromoteRefused { .. } => {
                MessageKind::Promote
            }
            PeerMessage::HashKv { .. } | PeerMessage::HashKvAnswer { .. } => MessageKind::HashKv,
            PeerMessage::Lease { .. } | PeerMessage::LeaseAnswer { .. } => MessageKind::Lease,
        },
    }
}

/// How much a message says: 0 for heartbeats, 2 for what elections, snapshots and writes are made of.
const fn rank_of(letter: &Letter, fate: Fate) -> u8 {
    let Letter::Raft(message) = letter else { return 2 };
    let says_much = message.reject
        || !message.entries.is_empty()
        || message.snapshot.is_some()
        || matches!(fate, Fate::Doubled(_) | Fate::Lost);
    match message.msg_type {
        MessageType::MsgHeartbeat | MessageType::MsgHeartbeatResp => 0,
        MessageType::MsgVote
        | MessageType::MsgVoteResp
        | MessageType::MsgPreVote
        | MessageType::MsgPreVoteResp
        | MessageType::MsgTimeoutNow
        | MessageType::MsgTransferLeader => 2,
        _ if says_much => 2,
        _ => 1,
    }
}

fn note_of(to: MemberId, letter: &Letter, (kind, fate): (MessageKind, Fate)) -> MessageNote {
    let bytes = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    let mut note = MessageNote {
        age_ms: 0,
        to,
        kind,
        fate,
        term: Term(0),
        log_term: Term(0),
        index: Index(0),
        commit: Index(0),
        entries: 0,
        data_bytes: 0,
        reject: false,
        reject_hint: Index(0),
        context_bytes: 0,
        size: 0,
    };
    match letter {
        Letter::Raft(message) => fill(&mut note, message),
        Letter::Server(message) => {
            if let PeerMessage::SnapshotPart(part) = &**message {
                fill(&mut note, &part.message);
                note.data_bytes = bytes(part.bytes.len());
            }
        }
    }
    note.size = note.data_bytes;
    if note.data_bytes <= ENCODED_BYTES_MAX {
        note.size = super::encode(letter).map_or(0, |encoded| bytes(encoded.len()));
    }
    note
}

fn fill(note: &mut MessageNote, message: &raft::Message) {
    let bytes = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
    note.term = message.term;
    note.log_term = message.log_term;
    note.index = message.index;
    note.commit = message.commit;
    note.entries = u32::try_from(message.entries.len()).unwrap_or(u32::MAX);
    note.data_bytes = message.entries.iter().map(|entry| bytes(entry.data.len())).sum();
    note.reject = message.reject;
    note.reject_hint = message.reject_hint;
    note.context_bytes = u32::try_from(message.context.len()).unwrap_or(u32::MAX);
    if let Some(snapshot) = &message.snapshot {
        note.index = snapshot.metadata.index;
        note.log_term = snapshot.metadata.term;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: MemberId = MemberId(2);

    fn letter(msg_type: MessageType, entries: u64) -> Letter {
        let mut message = raft::Message::new(msg_type, TWO);
        (message.term, message.index, message.log_term) = (Term(3), Index(7), Term(2));
        for at in 0..entries {
            let mut entry = raft::Entry::normal(vec![0; 10].into());
            (entry.term, entry.index) = (Term(3), Index(8 + at));
            message.entries.push(entry);
        }
        Letter::Raft(Box::new(message))
    }

    #[test]
    fn a_message_is_told_with_its_fields_and_its_size() {
        let mut tap = Tap::default();
        let append = letter(MessageType::MsgApp, 2);
        tap.see(TWO, &append, Fate::Held(40), 100);
        let sample = tap.take(130).unwrap();
        let note = &sample.notes[0];
        assert_eq!((note.age_ms, note.to, note.fate), (30, TWO, Fate::Held(40)));
        assert_eq!((note.term, note.index, note.log_term), (Term(3), Index(7), Term(2)));
        assert_eq!((note.entries, note.data_bytes), (2, 20));
        let encoded = crate::wire::encode(&append).unwrap();
        assert_eq!(note.size, encoded.len() as u64);
        assert_eq!(tap.take(140), None, "nothing was sent since");
    }

    #[test]
    fn under_load_all_are_counted_and_what_says_much_is_told() {
        let mut tap = Tap::default();
        for _ in 0..100 {
            tap.see(TWO, &letter(MessageType::MsgHeartbeat, 0), Fate::Sent, 1);
        }
        for _ in 0..4 {
            tap.see(TWO, &letter(MessageType::MsgApp, 1), Fate::Sent, 2);
        }
        tap.see(TWO, &letter(MessageType::MsgVote, 0), Fate::Cut, 3);
        let sample = tap.take(5).unwrap();
        assert_eq!(sample.notes.len(), NOTES_MAX);
        assert_eq!(sample.left_out, 105 - 12);
        let kinds: Vec<u32> = sample.counts.iter().map(|count| count.count).collect();
        assert_eq!(kinds, [100, 4, 1]);
        let told = |kind| {
            let is_kind = |note: &&MessageNote| note.kind == MessageKind::Raft(kind);
            sample.notes.iter().filter(is_kind).count()
        };
        assert_eq!(told(MessageType::MsgApp), 4);
        assert_eq!(told(MessageType::MsgVote), 1);
        let ages: Vec<u64> = sample.notes.iter().map(|note| note.age_ms).collect();
        assert!(ages.is_sorted_by(|one, next| one >= next), "in order: {ages:?}");
    }

    #[test]
    fn a_full_sample_of_writes_keeps_its_oldest_ones() {
        let mut tap = Tap::default();
        for at in 0..50 {
            tap.see(TWO, &letter(MessageType::MsgApp, 1), Fate::Sent, at);
        }
        let sample = tap.take(50).unwrap();
        assert_eq!((sample.notes.len(), sample.notes[0].age_ms), (NOTES_MAX, 50));
        assert_eq!(sample.counts[0].count, 50);
    }

    #[test]
    fn who_does_not_look_is_not_told() {
        let mut tap = Tap::default();
        assert!(!tap.is_on(0));
        tap.look_until(100);
        assert!(tap.is_on(99) && !tap.is_on(100));
    }

    #[test]
    fn parts_of_a_snapshot_are_one_kind() {
        let mut tap = Tap::default();
        for part in 0..3 {
            let part = crate::etcdserver::SnapshotPart {
                transfer: 1,
                part,
                parts: 9,
                message: Box::new(raft::Message::new(MessageType::MsgSnap, TWO)),
                bytes: vec![1; 5].into(),
            };
            let letter = Letter::Server(Box::new(PeerMessage::SnapshotPart(part)));
            tap.see(TWO, &letter, Fate::Sent, 1);
        }
        let sample = tap.take(1).unwrap();
        assert_eq!(sample.counts.len(), 1);
        assert_eq!(sample.counts[0].kind, MessageKind::SnapshotPart(2, 9));
        assert_eq!(sample.notes[0].data_bytes, 5);
    }
}
