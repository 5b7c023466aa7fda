//! Changes of the membership: asked for, answered, followed up.
//!
//! What it is: the one change that is under way, the requests it is made of, and the question for the list of
//! members that keeps the page's picture of them true.
//! What it is not: etcd's checks, which the cluster makes; a refusal is shown in etcd's words.
//! Invariants: at most one change at a time; a request that may have been applied is never sent again; only
//! refusals that came before anything was proposed, and pass with time, are tried again.

use crate::api;
use crate::playground::cluster::Cluster;
use crate::playground::console::Wires;
use crate::playground::edge::Effect;
use crate::types::MemberId;

/// Most members. Source: etcd's advice; the ring has places for so many.
pub const MEMBERS_MAX: usize = 7;

/// A refusal that passes with time is tried again after this. Unit: ms.
const RETRY_MS: u64 = 1_000;
/// So often. Range: longer than the 5 s after which etcd trusts a connection.
const RETRIES_MAX: u32 = 10;
/// The list is asked for again after a failure. Unit: ms.
const LIST_AGAIN_MS: u64 = 2_000;

/// What can be done to the membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Add a member that votes.
    Add,
    /// Add one that does not.
    AddLearner,
    /// Let a learner vote.
    Promote(MemberId),
    /// Take a member out.
    Remove(MemberId),
    /// Let it lead.
    Lead(MemberId),
    /// Take out a member that lost its disk, and add one in its place.
    Replace(MemberId),
    /// Make it a cluster of its own.
    ForceNew(MemberId),
    /// Delete the disk of a member that was taken out.
    Delete(MemberId),
    /// Delete the database of one that was not: a fault.
    Wipe(MemberId),
}

impl Change {
    /// True if it cannot be undone, so that a person is asked first.
    #[must_use]
    pub const fn is_asked(self) -> bool {
        matches!(
            self,
            Self::Remove(_)
                | Self::Replace(_)
                | Self::ForceNew(_)
                | Self::Delete(_)
                | Self::Wipe(_)
        )
    }

    /// Whom it is about.
    #[must_use]
    pub const fn member(self) -> Option<MemberId> {
        match self {
            Self::Add | Self::AddLearner => None,
            Self::Promote(member)
            | Self::Remove(member)
            | Self::Lead(member)
            | Self::Replace(member)
            | Self::ForceNew(member)
            | Self::Wipe(member)
            | Self::Delete(member) => Some(member),
        }
    }
}

/// Why a change did not come about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The cluster refuses it.
    Refused(api::Error),
    /// Nobody leads who could do it.
    NoLeader,
    /// The member that was asked went away; it may have been done.
    Lost,
    /// There are [`MEMBERS_MAX`] members.
    Full,
}

/// What the panel says about changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It is under way; perhaps the cluster was not ready for it yet.
    Working(Change, Option<api::Error>),
    /// It failed.
    Failed(Change, Trouble),
}

/// What an answer leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to be done for it.
    Nothing,
    /// There is a new member, which is to be started.
    Added(api::Member),
    /// A member is none any more; with true, its disk is to be deleted.
    Removed(MemberId, bool),
    /// These are the members.
    Listed(Vec<api::Member>),
    /// A change has come about that needs nothing more.
    Done(Change),
}

/// One request of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Add { number: u32, is_learner: bool },
    Remove(MemberId),
    Promote(MemberId),
    Lead(MemberId),
}

#[derive(Clone, Debug)]
struct Open {
    change: Change,
    step: Step,
    call: u64,
    timer: Option<u64>,
    tries: u32,
    refused: Option<api::Error>,
    /// A replacement's second half.
    next: Option<Step>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    open: Option<Open>,
    failed: Option<(Change, Trouble)>,
    listing: Option<u64>,
    list_timer: Option<u64>,
    is_list_due: bool,
}

/// The number in a name such as `infra3`.
#[must_use]
pub fn number_of(name: &str) -> Option<u32> {
    name.strip_prefix("infra")?.parse().ok()
}

/// Where member `number` listens for its peers. Source: DESIGN 16.
fn peer_url(number: u32) -> String {
    format!("http://127.0.0.1:{number}2380")
}

/// The member as the page will start it; its number is in its peer URL.
#[must_use]
pub fn as_started(member: &api::Member, taken: &[String]) -> api::Member {
    let of_url = (1..100).find(|number| member.peer_urls.contains(&peer_url(*number)));
    let free = || (1..).find(|number| !taken.contains(&format!("infra{number}")));
    let number = of_url.or_else(free).unwrap_or(0);
    api::Member {
        name: format!("infra{number}"),
        client_urls: vec![format!("http://127.0.0.1:{number}2379")],
        ..member.clone()
    }
}

/// The lowest number that no member has.
fn free_number(cluster: &Cluster) -> u32 {
    let taken = |number: &u32| {
        cluster.nodes.iter().any(|node| number_of(&node.member.name) == Some(*number))
    };
    (1..).find(|number| !taken(number)).unwrap_or(u32::MAX)
}

impl Changes {
    /// What the panel says.
    #[must_use]
    pub fn notice(&self) -> Option<Notice> {
        let working = self.open.as_ref().map(|open| Notice::Working(open.change, open.refused));
        working.or_else(|| {
            let (change, trouble) = self.failed.clone()?;
            Some(Notice::Failed(change, trouble))
        })
    }

    /// True while a change is under way.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.open.is_some()
    }

    /// The members may be others than the page believes.
    pub const fn look_again(&mut self) {
        self.is_list_due = true;
    }

    /// Begins a change that is made of requests.
    pub fn begin(&mut self, change: Change, wires: &mut Wires<'_>) {
        self.failed = None;
        if self.open.is_some() {
            return;
        }
        let add = |number, is_learner| Step::Add { number, is_learner };
        let count = wires.cluster.nodes.iter().filter(|node| !node.is_removed).count();
        let (step, next) = match change {
            Change::Add | Change::AddLearner if count >= MEMBERS_MAX => {
                self.failed = Some((change, Trouble::Full));
                return;
            }
            Change::Add | Change::AddLearner => {
                (add(free_number(wires.cluster), change == Change::AddLearner), None)
            }
            Change::Promote(member) => (Step::Promote(member), None),
            Change::Remove(member) => (Step::Remove(member), None),
            Change::Lead(member) => (Step::Lead(member), None),
            Change::Replace(member) => {
                let Some(node) = wires.cluster.node(member) else { return };
                let number = number_of(&node.member.name);
                let number = number.unwrap_or_else(|| free_number(wires.cluster));
                (Step::Remove(member), Some(add(number, node.member.is_learner)))
            }
            Change::ForceNew(_) | Change::Delete(_) | Change::Wipe(_) => return,
        };
        let open = Open { change, step, call: 0, timer: None, tries: 0, refused: None, next };
        self.ask(open, wires);
    }

    fn ask(&mut self, mut open: Open, wires: &mut Wires<'_>) {
        // The leader knows best who is connected, and only it can hand over.
        let Some(leader) = wires.cluster.leader().filter(|node| node.is_serving()) else {
            self.failed = Some((open.change, Trouble::NoLeader));
            return;
        };
        let request = match open.step {
            Step::Add { number, is_learner } => api::Request::MemberAdd(api::MemberAddRequest {
                peer_urls: vec![peer_url(number)],
                is_learner,
            }),
            Step::Remove(id) => api::Request::MemberRemove(api::MemberRemoveRequest { id }),
            Step::Promote(id) => api::Request::MemberPromote(api::MemberPromoteRequest { id }),
            Step::Lead(target_id) => api::Request::MoveLeader(api::MoveLeaderRequest { target_id }),
        };
        open.call = wires.numbers.next();
        open.timer = None;
        let (call, member) = (open.call, leader.member.id);
        wires.effects.push(Effect::Request { call, member, client: 0, token: None, request });
        self.open = Some(open);
    }

    /// Asks for the list of members if that is due.
    pub fn tend(&mut self, wires: &mut Wires<'_>) {
        if !self.is_list_due || self.open.is_some() || self.listing.is_some() {
            return;
        }
        // Without a leader the change itself may be the reason: a second member has to be started.
        let leader = wires.cluster.leader().filter(|node| node.is_serving());
        let linearizable = leader.is_some();
        let asked = leader.map(|node| node.member.id).or_else(|| wires.cluster.best_reader());
        let Some(member) = asked else { return };
        self.is_list_due = false;
        let call = wires.numbers.next();
        self.listing = Some(call);
        let request = api::Request::MemberList(api::MemberListRequest { linearizable });
        wires.effects.push(Effect::Request { call, member, client: 0, token: None, request });
    }

    /// Takes an answer; `None`: it is none of ours.
    pub fn reply(
        &mut self,
        call: u64,
        result: &Result<api::Response, api::Error>,
        wires: &mut Wires<'_>,
    ) -> Option<Outcome> {
        if self.listing == Some(call) {
            self.listing = None;
            return Some(match result {
                // What was asked before a change says nothing of what it did.
                Ok(api::Response::MemberList(list)) if self.open.is_none() => {
                    Outcome::Listed(list.members.clone())
                }
                Ok(_) => {
                    self.is_list_due = true;
                    Outcome::Nothing
                }
                Err(_) => self.list_later(wires),
            });
        }
        let open = self.open.take_if(|open| open.call == call && open.timer.is_none())?;
        Some(match result {
            Ok(response) => self.succeeded(open, response, wires),
            Err(error) => self.refused(open, *error, wires),
        })
    }

    fn list_later(&mut self, wires: &mut Wires<'_>) -> Outcome {
        let timer = wires.numbers.next();
        self.list_timer = Some(timer);
        wires.effects.push(Effect::SetTimer { timer, after_ms: LIST_AGAIN_MS });
        Outcome::Nothing
    }

    fn succeeded(
        &mut self,
        open: Open,
        response: &api::Response,
        wires: &mut Wires<'_>,
    ) -> Outcome {
        match (open.step, response) {
            (Step::Add { .. }, api::Response::MemberAdd(added)) => {
                let ours = &wires.cluster.nodes;
                let taken: Vec<String> = ours.iter().map(|node| node.member.name.clone()).collect();
                Outcome::Added(as_started(&added.member, &taken))
            }
            (Step::Remove(member), _) => {
                let is_replaced = open.next.is_some();
                if let Some(step) = open.next {
                    self.ask(Open { step, next: None, tries: 0, refused: None, ..open }, wires);
                }
                Outcome::Removed(member, is_replaced)
            }
            _ => Outcome::Done(open.change),
        }
    }

    fn refused(&mut self, open: Open, error: api::Error, wires: &mut Wires<'_>) -> Outcome {
        let passes = matches!(
            error,
            api::Error::Unhealthy
                | api::Error::MemberNotEnoughStarted
                | api::Error::LearnerNotReady
        );
        if passes && open.tries < RETRIES_MAX {
            let timer = wires.numbers.next();
            wires.effects.push(Effect::SetTimer { timer, after_ms: RETRY_MS });
            let (timer, tries, refused) = (Some(timer), open.tries + 1, Some(error));
            self.open = Some(Open { timer, tries, refused, ..open });
        } else {
            self.failed = Some((open.change, Trouble::Refused(error)));
            self.is_list_due = true;
        }
        Outcome::Nothing
    }

    /// The member that was asked is gone; true: it was one of ours.
    pub fn lost(&mut self, call: u64, wires: &mut Wires<'_>) -> bool {
        if self.listing == Some(call) {
            self.listing = None;
            self.list_later(wires);
            return true;
        }
        let Some(open) = self.open.take_if(|open| open.call == call && open.timer.is_none()) else {
            return false;
        };
        self.failed = Some((open.change, Trouble::Lost));
        self.list_later(wires);
        true
    }

    /// A timer ran out; true: it was one of ours.
    pub fn timer(&mut self, timer: u64, wires: &mut Wires<'_>) -> bool {
        if self.list_timer == Some(timer) {
            self.list_timer = None;
            self.is_list_due = true;
            return true;
        }
        let Some(open) = self.open.take_if(|open| open.timer == Some(timer)) else { return false };
        self.ask(open, wires);
        true
    }
}

#[cfg(test)]
mod tests;
