//! What members want done, done by the simulated world.
//!
//! What it is: rounds to disks, messages to links, answers to clients, each after its time.
//! What it is not: the time at which they arrive; those are events of the parent.
//! Invariants: outputs are done in their order; a member that crashes in the middle does no more.

use super::{CLIENT_MS, Simulation};
use crate::cluster::disk::CrashPoint;
use crate::cluster::event::{CallId, Event, SimNews};
use crate::etcdserver::{DiskStore, Output, PeerMessage, Round, Server};
use crate::raft::MessageType;
use crate::types::MemberId;

/// True if this begins a snapshot.
fn is_first_part(message: &PeerMessage) -> bool {
    matches!(message, PeerMessage::SnapshotPart(part) if part.part == 0)
}

impl Simulation {
    /// The crash points of a round, as it is handed out or as it has landed.
    pub(super) fn points_of(
        &self,
        id: MemberId,
        round: &Round,
        is_before: bool,
    ) -> Vec<CrashPoint> {
        let pick = |before, after| if is_before { before } else { after };
        let mut points = vec![pick(CrashPoint::BeforePersist, CrashPoint::AfterPersist)];
        if round.deletes.iter().any(|(store, _)| *store == DiskStore::Wal) {
            points.push(pick(CrashPoint::BeforeWalTruncate, CrashPoint::AfterWalTruncate));
        }
        let server = self.members.get(&id).and_then(|member| member.server.as_ref());
        let left = server.and_then(|server| server.observe().chunks_to_install());
        let has_log = round.puts.iter().any(|put| put.store == DiskStore::Wal);
        match left {
            Some(0) if has_log => {
                points.push(pick(CrashPoint::BeforeInstallFlip, CrashPoint::AfterInstallFlip));
            }
            Some(_) if !has_log => {
                points.push(pick(CrashPoint::BeforeInstallRound, CrashPoint::AfterInstallRound));
            }
            _ => {}
        }
        points
    }

    pub(super) fn drain(&mut self, id: MemberId) {
        while let Some(output) = self
            .members
            .get_mut(&id)
            .and_then(|member| member.server.as_mut())
            .and_then(Server::poll_output)
        {
            self.output(id, output);
        }
    }

    /// When copies of a message arrive over this link, given when they would; none if it is lost.
    fn disturbed(
        &mut self,
        (from, to): (MemberId, MemberId),
        usual: Vec<u64>,
        may_double: bool,
    ) -> Vec<u64> {
        let rule = self.links.rule(from, to);
        let mut arrivals = usual;
        if !rule.is_none() {
            let usual = std::mem::take(&mut arrivals);
            for ms in usual {
                let late = rule.arrivals(may_double, &mut self.random);
                arrivals.extend(late.into_iter().map(|late| ms + late));
            }
        }
        for ms in &mut arrivals {
            *ms = self.speed.way_ms(*ms);
        }
        arrivals
    }

    fn output(&mut self, id: MemberId, output: Output) {
        let epoch = self.members.get(&id).map_or(0, |member| member.epoch);
        match output {
            Output::Persist(round) => {
                if self.passes_any(id, &self.points_of(id, &round, true)) {
                    return;
                }
                let mut ms = self.disk.duration(&mut self.random);
                if let Some(member) = self.members.get_mut(&id) {
                    ms = ms.max(member.stalled_until.0.saturating_sub(self.now.0));
                    ms += self.speed.stretch(u64::from(member.faults.disk_delay_ms()));
                    assert!(member.in_flight.is_none(), "two rounds in flight");
                    member.in_flight = Some((round.clone(), self.now));
                }
                self.schedule(ms, Event::DiskDone { member: id, epoch, round });
            }
            Output::Send(message) => {
                if self.passes(id, CrashPoint::BeforeSend) {
                    return;
                }
                if let Some(invariants) = &mut self.invariants {
                    invariants.sent(id, &message);
                }
                let usual = self.network.arrivals(message.msg_type, &mut self.random);
                let may_double = message.msg_type != MessageType::MsgProp;
                for ms in self.disturbed((id, message.to), usual, may_double) {
                    let message = message.clone();
                    self.schedule(ms, Event::Deliver { message, from_epoch: epoch });
                }
                self.passes(id, CrashPoint::AfterSend);
            }
            Output::SendPeer { to, message } => {
                if is_first_part(&message) && self.passes(id, CrashPoint::SnapshotMade) {
                    return;
                }
                let usual = self.network.arrivals_of_peer(&mut self.random);
                for ms in self.disturbed((id, to), usual, true) {
                    let message = message.clone();
                    let event = Event::DeliverPeer { from: id, to, message, from_epoch: epoch };
                    self.schedule(ms, event);
                }
            }
            Output::Stop(reason) => self.stop_by_itself(id, &reason.to_string()),
            Output::Reply { id, result } => {
                let news = SimNews::Reply { call: CallId(id.0), result };
                self.schedule(CLIENT_MS, Event::ToClient(news));
            }
            Output::ReplyPart { id, part } => {
                let news = SimNews::ReplyPart { call: CallId(id.0), part };
                self.schedule(CLIENT_MS, Event::ToClient(news));
            }
            Output::KeepAlive { stream, response } => {
                let news = SimNews::KeepAlive { call: CallId(stream.0), response };
                self.schedule(CLIENT_MS, Event::ToClient(news));
            }
            Output::Watch { stream, response } => {
                let news = SimNews::Watch { call: CallId(stream.0), response };
                self.schedule(CLIENT_MS, Event::ToClient(news));
            }
            Output::StreamEnded { stream, error } => {
                let news = SimNews::StreamEnded { call: CallId(stream.0), error };
                self.schedule(CLIENT_MS, Event::ToClient(news));
            }
            Output::Event(event) => {
                self.outcome.add(format!("{id:x} {event:?}").as_bytes());
                self.record(&format!("{id:x} {event:?}"));
                self.news.push_back(SimNews::MemberEvent { member: id, event });
            }
        }
    }
}
