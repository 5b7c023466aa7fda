//! What somebody sees and does who has stopped the clock.
//!
//! What it is: the next event and the messages in flight, as they stand in the heap; a message taken out of it, and an
//! election timer that runs out at once.
//! What it is not: part of any run that nobody stops.
//! Invariants: looking changes nothing; what is done leaves a line in the trace and draws no random number.

use std::cmp::Reverse;

use super::Simulation;
use crate::api;
use crate::cluster::event::{Event, Scheduled, SimNews};
use crate::etcdserver::{Input, PeerMessage, Server};
use crate::raft;
use crate::types::{MemberId, Millis};

/// Most ticks that a member gets at once. Range: twice the longest election timeout of a script, in ticks.
const HURRY_TICKS_MAX: u64 = 2_000;

/// An event that has not happened yet.
#[derive(Clone, Copy, Debug)]
pub struct Glimpse<'s> {
    /// When it is due.
    pub at: Millis,
    /// When it was scheduled: of a message when it was sent.
    pub since: Millis,
    /// No other event of the simulation has this number.
    pub number: u64,
    /// Of a message: as things are it will not arrive, since its way is cut, its receiver is down, or its sender has stopped.
    pub is_doomed: bool,
    /// What it is.
    pub what: Coming<'s>,
}

/// What an event will be.
#[derive(Clone, Copy, Debug)]
pub enum Coming<'s> {
    /// A member's tick.
    Tick(MemberId),
    /// Raft's message arrives.
    Message(&'s raft::Message),
    /// A message beside Raft's arrives.
    Peer {
        /// Who sent it.
        from: MemberId,
        /// To whom.
        to: MemberId,
        /// What it says.
        message: &'s PeerMessage,
    },
    /// Two members hear that they are connected.
    Connected(MemberId, MemberId),
    /// A member's disk round is durable.
    Disk(MemberId),
    /// An input reaches a member.
    Input(MemberId, &'s Input),
    /// A client hears something.
    Client(&'s SimNews),
    /// A timer runs out.
    Timer,
    /// It is for an earlier life of a member, or for a pause: nothing will happen.
    Stale,
}

/// Why an election timer cannot run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTimer {
    /// The member is down.
    Down,
    /// It is paused.
    Paused,
    /// It leads: a leader has none.
    Leads,
    /// It ran out and the member does not stand: it has no vote, or has not applied a change of the members yet.
    CannotStand,
}

impl Simulation {
    /// The next event.
    #[must_use]
    pub fn glimpse(&self) -> Option<Glimpse<'_>> {
        self.heap.peek().map(|Reverse(next)| self.see(next))
    }

    /// The messages between members that are on their way, the next to arrive first.
    #[must_use]
    pub fn in_flight(&self) -> Vec<Glimpse<'_>> {
        let messages = self.heap.iter().filter(|Reverse(it)| is_message(&it.event));
        let mut found: Vec<Glimpse<'_>> = messages.map(|Reverse(it)| self.see(it)).collect();
        found.sort_by_key(|glimpse| (glimpse.at, glimpse.number));
        found
    }

    /// True if a message would not arrive now.
    fn is_doomed(&self, event: &Event) -> bool {
        let (from, to, epoch) = match event {
            Event::Deliver { message, from_epoch } => (message.from, message.to, *from_epoch),
            Event::DeliverPeer { from, to, from_epoch, .. } => (*from, *to, *from_epoch),
            _ => return false,
        };
        let is_sent = self.network.outlives_sender || self.has_epoch(from, epoch);
        !(is_sent && self.links.is_open(from, to) && self.is_up(to))
    }

    fn see<'s>(&'s self, scheduled: &'s Scheduled) -> Glimpse<'s> {
        let what = match &scheduled.event {
            Event::Tick { member, epoch } | Event::DiskDone { member, epoch, .. }
                if !self.has_epoch(*member, *epoch) =>
            {
                Coming::Stale
            }
            Event::Input { member, epoch, .. } if !self.has_epoch(*member, *epoch) => Coming::Stale,
            Event::Tick { member, .. } if self.is_paused(*member) => Coming::Stale,
            Event::Tick { member, .. } => Coming::Tick(*member),
            Event::Input { member, input, .. } => Coming::Input(*member, input),
            Event::Connected { one, other, .. } => Coming::Connected(*one, *other),
            Event::Deliver { message, .. } => Coming::Message(message),
            Event::DeliverPeer { from, to, message, .. } => {
                Coming::Peer { from: *from, to: *to, message }
            }
            Event::DiskDone { member, .. } => Coming::Disk(*member),
            Event::ToClient(news) => Coming::Client(news),
            Event::Timer(timer) if self.canceled_timers.contains(timer) => Coming::Stale,
            Event::Timer(_) => Coming::Timer,
        };
        let is_doomed = self.is_doomed(&scheduled.event);
        let Scheduled { at, since, sequence: number, .. } = *scheduled;
        Glimpse { at, since, number, is_doomed, what }
    }

    /// Loses a message that is in flight; false if there is none of this number.
    pub fn lose(&mut self, number: u64) -> bool {
        let before = self.heap.len();
        self.heap.retain(|Reverse(it)| it.sequence != number || !is_message(&it.event));
        let is_lost = self.heap.len() < before;
        if is_lost {
            self.record(&format!("lost {number}"));
        }
        is_lost
    }

    /// A member's election timer runs out now: it gets the ticks that its timer lacks, at once, as if its clock had made a
    /// jump. Gives back how many.
    ///
    /// # Errors
    /// Why it cannot; of the reasons only [`NoTimer::CannotStand`] comes after the ticks.
    pub fn run_out(&mut self, member: MemberId) -> Result<u64, NoTimer> {
        if self.is_paused(member) {
            return Err(NoTimer::Paused);
        }
        let Some(status) = self.status(member) else { return Err(NoTimer::Down) };
        if status.role == api::Role::Leader {
            return Err(NoTimer::Leads);
        }
        let lacks = status.election_timeout.saturating_sub(status.election_elapsed);
        let ticks = lacks.clamp(1, HURRY_TICKS_MAX);
        self.record(&format!("hurry {member:x} {ticks}"));
        let campaigns = self.campaigns(member);
        for _ in 0..ticks {
            self.input(member, Input::Tick);
        }
        if self.campaigns(member) > campaigns { Ok(ticks) } else { Err(NoTimer::CannotStand) }
    }

    /// How often a running member has stood for election, told or not.
    fn campaigns(&self, member: MemberId) -> u64 {
        let stood = |news: &&SimNews| match news {
            SimNews::MemberEvent { member: who, event } => {
                *who == member
                    && matches!(
                        event,
                        api::MemberEvent::PreVoteStarted { .. }
                            | api::MemberEvent::CampaignStarted { .. }
                    )
            }
            _ => false,
        };
        u64::try_from(self.news.iter().filter(stood).count()).unwrap_or(u64::MAX)
    }

    /// What a running member's clock takes for a tick, and since when its disk works on a round. Unit: ms.
    #[must_use]
    pub fn pace(&self, member: MemberId) -> (u64, Option<Millis>) {
        let Some(member) = self.members.get(&member) else { return (0, None) };
        let writes = member.in_flight.as_ref().map(|(_, since)| *since);
        (self.speed.stretch(member.tick_ms), writes)
    }

    /// What is wrong with a member's clock and disk.
    #[must_use]
    pub fn faults(&self, member: MemberId) -> crate::cluster::fault::MemberFaults {
        self.members.get(&member).map(|member| member.faults).unwrap_or_default()
    }

    /// How fast the cluster's time passes.
    #[must_use]
    pub const fn speed(&self) -> crate::cluster::fault::Speed {
        self.speed
    }

    /// The revision of the running member that has applied most; 0 without one.
    #[must_use]
    pub fn newest_revision(&self) -> i64 {
        let servers = self.members.values().filter_map(|member| member.server.as_ref());
        let newest = servers.map(Server::observe).max_by_key(|view| view.applied());
        newest.map_or(0, |view| view.store().current_revision())
    }
}

const fn is_message(event: &Event) -> bool {
    matches!(event, Event::Deliver { .. } | Event::DeliverPeer { .. })
}
