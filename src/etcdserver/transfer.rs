//! Snapshots on their way between members, in parts.
//!
//! What it is: a window of parts in flight, acknowledged by "everything before this one is here",
//! repeated when nothing is heard, and given up when nothing is heard for long.
//! What it is not: the content (see `snapshot`).
//! Invariants: Raft is told how every `MsgSnap` ended, once; a part is at most [`PART_BYTES`];
//! at most [`WINDOW_PARTS`] parts of a transfer are unacknowledged; a broken link only delays a transfer:
//! it goes on where it was; what an aborted one left is dropped with the next one.
//! Source: behaviour of etcd `rafthttp/snapshot_sender.go`; parts instead of one HTTP body are ours.

use bytes::Bytes;

use super::peer::{PeerMessage, SnapshotPart};
use super::server::Server;
use super::snapshot::SnapshotPayload;
use crate::raft;
use crate::types::{Index, MemberId, SmallMap};

/// Size of a part. Unit: bytes. Source: ours; a frame that a link can carry beside heartbeats.
pub(super) const PART_BYTES: usize = 64 * 1024;

/// Parts on their way unacknowledged. Unit: parts. Source: ours; 1 MiB.
const WINDOW_PARTS: u32 = 16;

/// Without an acknowledgement for this long the window is sent again. Unit: ticks. Source: ours.
const REPEAT_TICKS: u64 = 5;

/// Without one for this many election timeouts the transfer is given up. Source: ours.
const SILENCE_TIMEOUTS: u64 = 3;

/// Parts that a receiver accepts. Unit: parts. Source: ours; 8 GiB, etcd's largest recommended quota.
const PARTS_MAX: u32 = 131_072;

/// A snapshot that goes out.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    transfer: u64,
    message: raft::Message,
    data: Bytes,
    parts: u32,
    /// The first part that is not known to have arrived.
    next: u32,
    /// The first part that was not sent yet.
    unsent: u32,
    heard_at: u64,
    sent_at: u64,
}

/// A snapshot that comes in.
#[derive(Clone, Debug)]
pub(super) struct Incoming {
    from: MemberId,
    transfer: u64,
    parts: u32,
    index: Index,
    arrived: SmallMap<u32, Bytes>,
    next: u32,
}

impl Outgoing {
    fn part(&self, part: u32) -> SnapshotPart {
        let at = |part: u32| {
            let offset = usize::try_from(part).unwrap_or(usize::MAX).saturating_mul(PART_BYTES);
            offset.min(self.data.len())
        };
        SnapshotPart {
            transfer: self.transfer,
            part,
            parts: self.parts,
            message: Box::new(self.message.clone()),
            bytes: self.data.slice(at(part)..at(part + 1)),
        }
    }
}

impl Server {
    pub(super) fn is_sending_snapshots(&self) -> bool {
        !self.transfers.is_empty()
    }

    /// Of the snapshot that comes in: the parts that are there in one piece, and how many there are.
    pub(super) fn receiving(&self) -> Option<(u32, u32)> {
        self.incoming.as_ref().map(|incoming| (incoming.next, incoming.parts))
    }

    // ---- sending ----

    /// Raft wants `message`, a `MsgSnap`, to be sent.
    pub(super) fn send_snapshot(&mut self, mut message: raft::Message) {
        let to = message.to;
        let data = self.fill_snapshot(&mut message);
        let parts = u32::try_from(data.len().div_ceil(PART_BYTES)).unwrap_or(u32::MAX);
        self.last_transfer += 1;
        let outgoing = Outgoing {
            transfer: self.last_transfer,
            message,
            data,
            parts,
            next: 0,
            unsent: 0,
            heard_at: self.ticks,
            sent_at: self.ticks,
        };
        log::info!("sends a snapshot in {parts} parts to {to:x}");
        self.transfers.insert(to, outgoing);
        self.send_parts(to);
    }

    /// Sends what the window allows.
    fn send_parts(&mut self, to: MemberId) {
        let Some(outgoing) = self.transfers.get_mut(&to) else { return };
        let end = outgoing.parts.min(outgoing.next.saturating_add(WINDOW_PARTS));
        let parts: Vec<SnapshotPart> =
            (outgoing.unsent..end).map(|part| outgoing.part(part)).collect();
        outgoing.unsent = end.max(outgoing.unsent);
        outgoing.sent_at = self.ticks;
        for part in parts {
            self.send_peer(to, PeerMessage::SnapshotPart(part));
        }
    }

    pub(super) fn snapshot_progress(&mut self, from: MemberId, transfer: u64, next: u32) {
        let Some(outgoing) = self.transfers.get_mut(&from) else { return };
        if outgoing.transfer != transfer || next > outgoing.parts || next < outgoing.next {
            return;
        }
        outgoing.heard_at = self.ticks;
        outgoing.next = next;
        outgoing.unsent = outgoing.unsent.max(next);
        if next == outgoing.parts {
            self.end_transfer(from, true);
        } else {
            self.send_parts(from);
        }
    }

    pub(super) fn snapshot_refused(&mut self, from: MemberId, transfer: u64) {
        if self.transfers.get(&from).is_some_and(|outgoing| outgoing.transfer == transfer) {
            self.end_transfer(from, false);
        }
    }

    fn end_transfer(&mut self, to: MemberId, is_delivered: bool) {
        self.transfers.remove(&to);
        let traffic = self.counters.peer(to);
        traffic.snapshots_sent += u64::from(is_delivered);
        traffic.snapshots_failed += u64::from(!is_delivered);
        self.raft.report_snapshot(to, is_delivered);
    }

    /// The peer is there again: what was on its way is lost.
    pub(super) fn repeat_transfer(&mut self, to: MemberId) {
        if let Some(outgoing) = self.transfers.get_mut(&to) {
            outgoing.unsent = outgoing.next;
            self.send_parts(to);
        }
    }

    /// Repeats what nobody answers, and gives up what nobody answers for long.
    pub(super) fn tick_transfers(&mut self) {
        if self.transfers.is_empty() {
            return;
        }
        let silence_ticks = SILENCE_TIMEOUTS * u64::from(self.config.election_ticks);
        let progress = self.raft.status().progress;
        let open: Vec<MemberId> = self.transfers.keys().copied().collect();
        for to in open {
            let Some(outgoing) = self.transfers.get(&to) else { continue };
            let is_wanted = progress
                .get(&to)
                .is_some_and(|progress| progress.state == raft::ProgressState::Snapshot);
            if !is_wanted {
                // Not the leader any more, or the follower got there by its log.
                self.end_transfer(to, false);
            } else if self.ticks >= outgoing.heard_at + silence_ticks {
                log::info!("gives up a snapshot to {to:x}");
                self.raft.report_unreachable(to);
                self.end_transfer(to, false);
            } else if self.ticks >= outgoing.sent_at + REPEAT_TICKS {
                self.repeat_transfer(to);
            }
        }
    }

    // ---- receiving ----

    pub(super) fn snapshot_part(&mut self, from: MemberId, part: SnapshotPart) {
        let is_stale = part.message.term < self.raft.term();
        let is_ours = part.message.from == from
            && part.message.to == self.config.member
            && part.message.msg_type == raft::MessageType::MsgSnap;
        let is_sane =
            part.part < part.parts && part.parts <= PARTS_MAX && part.bytes.len() <= PART_BYTES;
        // While one is installed no other is taken; the sender tries again.
        let is_busy = self.raft.pending_snapshot().is_some();
        if is_stale || !is_ours || !is_sane || is_busy {
            log::debug!("dropped a part of a snapshot from {from:x}");
            return;
        }
        let index = part.message.snapshot.as_ref().map_or(Index(0), |own| own.metadata.index);
        let is_same = |own: &Incoming| {
            (own.from, own.transfer, own.parts, own.index)
                == (from, part.transfer, part.parts, index)
        };
        let mut incoming = self.incoming.take().filter(is_same).unwrap_or_else(|| Incoming {
            from,
            transfer: part.transfer,
            parts: part.parts,
            index,
            arrived: SmallMap::new(),
            next: 0,
        });
        incoming.arrived.insert(part.part, part.bytes);
        while incoming.arrived.contains_key(&incoming.next) {
            incoming.next += 1;
        }
        let (transfer, next) = (part.transfer, incoming.next);
        if next < part.parts {
            self.incoming = Some(incoming);
            self.send_peer(from, PeerMessage::SnapshotProgress { transfer, next });
            return;
        }
        let arrived: Vec<Bytes> = incoming.arrived.into_iter().map(|(_, bytes)| bytes).collect();
        let data = arrived.concat();
        let answer = match self.read_snapshot(&part.message, &data) {
            Ok(payload) => {
                self.counters.peer(from).snapshots_received += 1;
                self.take_snapshot(*part.message, payload);
                PeerMessage::SnapshotProgress { transfer, next }
            }
            Err(error) => {
                log::warn!("a snapshot from {from:x} is of no use: {error}");
                self.counters.peer(from).snapshots_refused += 1;
                PeerMessage::SnapshotRefused { transfer }
            }
        };
        self.send_peer(from, answer);
    }

    /// A snapshot is complete: Raft decides whether it wants it.
    fn take_snapshot(&mut self, message: raft::Message, payload: SnapshotPayload) {
        self.received = Some((message.from, payload));
        if let Err(error) = self.raft.step(message) {
            log::debug!("dropped a snapshot: {error}");
        }
    }
}
