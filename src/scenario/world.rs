//! The cluster as a verb sees it: who runs, who leads, who hears whom.
//!
//! What it is: a picture taken by the driver (the lab from its simulation, the page from its model),
//! and the decisions that verbs need: which member is meant, what has to be done, whether a wait is
//! over, which endpoint `$LEADER` stands for.
//! What it is not: the doing; drivers carry out [`Order`]s.
//! Invariants: nothing here changes a cluster; the same picture gives the same answers.

mod cannot;

use serde::{Deserialize, Serialize};

use crate::api;
use crate::cluster::fault::{Links, MemberFault, Speed};
use crate::etcdctl;
use crate::scenario::verb::{Condition, Sides, Target, Verb};
use crate::types::{LeaseId, MemberId, Term};

use cannot::State;

pub use cannot::{Cannot, Reason};

/// One member in the picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberView {
    /// Its identity.
    pub member: api::Member,
    /// It serves.
    pub is_up: bool,
    /// It is frozen.
    pub is_paused: bool,
    /// Its last known state; `None` if it does not run.
    pub status: Option<api::MemberStatus>,
}

/// The whole picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    /// In the order infra1 … infraN.
    pub members: Vec<MemberView>,
    /// What is cut.
    pub links: Links,
    /// The lease that a console was granted last.
    pub lease: Option<LeaseId>,
    /// The highest revision that an answer told, where what members say of themselves comes later than that; else 0.
    pub answered: i64,
}

/// What a driver has to do for a verb, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Kill the member.
    Kill(MemberId),
    /// Start it from its disk.
    Restart(MemberId),
    /// Freeze it.
    Pause(MemberId),
    /// Let it go on.
    Resume(MemberId),
    /// The links from now on.
    SetLinks(Links),
    /// Something happens to the member.
    Member(MemberId, MemberFault),
    /// How fast the cluster's time passes from now on.
    SetSpeed(Speed),
}

/// Names that stand for an endpoint in a console line, for the newest lease, and for the newest revision.
const VARIABLES: [&str; 6] = ["LEADER", "FOLLOWER", "KILLED", "ISOLATED", "LEASE", "REVISION"];

/// The member that serves clients at an endpoint, as the user wrote it; nobody serves TLS here.
#[must_use]
pub fn member_at(members: &[api::Member], endpoint: &str) -> Option<MemberId> {
    let endpoint = endpoint.trim();
    if endpoint.split_once("://").is_some_and(|(scheme, _)| scheme != "http") {
        return None;
    }
    let plain = |endpoint: &str| {
        let address = etcdctl::endpoint_address(endpoint);
        match address.strip_prefix("localhost:") {
            Some(port) => format!("127.0.0.1:{port}"),
            None => address.to_owned(),
        }
    };
    let address = plain(endpoint);
    let serves = |member: &&api::Member| member.client_urls.iter().any(|url| plain(url) == address);
    members.iter().find(serves).map(|member| member.id)
}

impl World {
    /// The member that leads: with those that hear it, and follow it in its term, it is a majority.
    #[must_use]
    pub fn leader(&self) -> Option<MemberId> {
        let leads = |view: &&MemberView| {
            view.runs() && view.role() == Some(api::Role::Leader) && self.has_majority(view)
        };
        self.members.iter().filter(leads).max_by_key(|view| view.term()).map(MemberView::id)
    }

    /// The member that leads or, where nobody does with a majority, the running one that still thinks it does.
    fn crowned(&self) -> Option<MemberId> {
        let thinks = |view: &&MemberView| view.runs() && view.role() == Some(api::Role::Leader);
        self.leader().or_else(|| {
            self.members.iter().filter(thinks).max_by_key(|view| view.term()).map(MemberView::id)
        })
    }

    fn has_majority(&self, leader: &MemberView) -> bool {
        let follows = |view: &&MemberView| {
            let is_leader = view.id() == leader.id();
            let knows = view.status.as_ref().and_then(|status| status.leader) == Some(leader.id());
            let is_current = view.term() == leader.term();
            let hears = self.is_linked(view.id(), leader.id());
            is_leader || (view.runs() && knows && is_current && hears)
        };
        self.members.iter().filter(follows).count() * 2 > self.members.len()
    }

    fn is_linked(&self, one: MemberId, other: MemberId) -> bool {
        self.links.is_open(one, other) && self.links.is_open(other, one)
    }

    /// True if the member can exchange messages with no other member.
    #[must_use]
    pub fn is_isolated(&self, member: MemberId) -> bool {
        self.members.len() > 1
            && !self
                .members
                .iter()
                .any(|view| view.id() != member && self.is_linked(view.id(), member))
    }

    /// A member's name.
    #[must_use]
    pub fn name(&self, member: MemberId) -> String {
        let found = self.members.iter().find(|view| view.id() == member);
        found.map_or_else(|| format!("{member:x}"), |view| view.member.name.clone())
    }

    fn view(&self, member: MemberId) -> Option<&MemberView> {
        self.members.iter().find(|view| view.id() == member)
    }

    fn all_ids(&self) -> Vec<MemberId> {
        self.members.iter().map(MemberView::id).collect()
    }

    fn first(&self, wanted: impl Fn(&MemberView) -> bool) -> Option<MemberId> {
        self.members.iter().find(|view| wanted(view)).map(MemberView::id)
    }

    /// The member that a target means now.
    ///
    /// # Errors
    /// Nobody fits, or more than one member is meant.
    pub fn resolve(&self, target: Target) -> Result<MemberId, Cannot> {
        let (found, without) = match target {
            Target::Infra(number) => {
                let name = format!("infra{number}");
                let found = self.first(|view| view.member.name == name);
                let count = self.members.len();
                return found.ok_or(Cannot::NoMember(name, count));
            }
            Target::Leader => (self.crowned(), Cannot::Because(Reason::NoLeader)),
            Target::Follower => {
                let leader = self.crowned();
                let follower = self.first(|view| view.runs() && Some(view.id()) != leader);
                (follower, Cannot::Because(Reason::NoFollower))
            }
            Target::Killed => (self.first(|view| !view.is_up), Cannot::Because(Reason::NoneDown)),
            Target::Paused => {
                (self.first(|view| view.is_up && view.is_paused), State::Paused.nobody())
            }
            Target::All => (None, Cannot::Because(Reason::NotAll)),
        };
        found.ok_or(without)
    }

    /// What has to be done for a verb; nothing for a wait.
    ///
    /// # Errors
    /// Why it cannot be done now.
    pub fn plan(&self, verb: &Verb) -> Result<Vec<Order>, Cannot> {
        match verb {
            Verb::Kill(target) => {
                self.each(*target, State::Running, |view| view.is_up, |id| vec![Order::Kill(id)])
            }
            Verb::Restart(target) => self.plan_restart(*target),
            Verb::Pause(target) => {
                self.each(*target, State::Running, MemberView::runs, |id| vec![Order::Pause(id)])
            }
            Verb::Resume(target) => {
                let is_paused = |view: &MemberView| view.is_up && view.is_paused;
                self.each(*target, State::Paused, is_paused, |id| vec![Order::Resume(id)])
            }
            Verb::Isolate(target) => {
                let member = self.resolve(*target)?;
                let mut links = self.links.clone();
                links.isolate(member, &self.all_ids());
                Ok(vec![Order::SetLinks(links)])
            }
            Verb::Cut { from, to, one_way } => self.plan_link(*from, *to, &|links, from, to| {
                links.cut_one_way(from, to);
                if !one_way {
                    links.cut_one_way(to, from);
                }
            }),
            Verb::HealLink { from, to, one_way } => {
                self.plan_link(*from, *to, &|links, from, to| {
                    links.heal_one_way(from, to);
                    if !one_way {
                        links.heal_one_way(to, from);
                    }
                })
            }
            Verb::Disturb { from, to, one_way, fault } => {
                self.plan_link(*from, *to, &|links, from, to| {
                    links.disturb(from, to, *one_way, *fault);
                })
            }
            Verb::Partition(sides) => {
                let mut links = self.links.clone();
                links.partition(&self.sides(sides)?);
                Ok(vec![Order::SetLinks(links)])
            }
            Verb::Member(target, fault @ MemberFault::PowerCut) => {
                let order = |id| vec![Order::Member(id, *fault)];
                self.each(*target, State::Running, |view| view.is_up, order)
            }
            Verb::Member(target, fault) => {
                self.each(*target, State::There, |_| true, |id| vec![Order::Member(id, *fault)])
            }
            Verb::Speed(speed) => Ok(vec![Order::SetSpeed(*speed)]),
            Verb::Latency(ms) => {
                let mut links = self.links.clone();
                links.delay_all(*ms, &self.all_ids());
                Ok(vec![Order::SetLinks(links)])
            }
            Verb::Heal(target) => {
                let mut links = self.links.clone();
                match target {
                    Some(target) => links.heal_member(self.resolve(*target)?),
                    None => links.heal(),
                }
                Ok(vec![Order::SetLinks(links)])
            }
            Verb::Wait { .. } => Ok(Vec::new()),
        }
    }

    fn each(
        &self,
        target: Target,
        state: State,
        fits: impl Fn(&MemberView) -> bool,
        order: impl Fn(MemberId) -> Vec<Order>,
    ) -> Result<Vec<Order>, Cannot> {
        if target == Target::All {
            let fitting = self.members.iter().filter(|view| fits(view));
            let orders: Vec<Order> = fitting.flat_map(|view| order(view.id())).collect();
            if orders.is_empty() {
                return Err(state.nobody());
            }
            return Ok(orders);
        }
        let member = self.resolve(target)?;
        if self.view(member).is_some_and(fits) {
            Ok(order(member))
        } else {
            Err(state.not(self.name(member)))
        }
    }

    /// All: everybody is killed first, then everybody starts, as when a page is reloaded.
    fn plan_restart(&self, target: Target) -> Result<Vec<Order>, Cannot> {
        let members = match target {
            Target::All => self.all_ids(),
            _ => vec![self.resolve(target)?],
        };
        let running = |id: &&MemberId| self.view(**id).is_some_and(|view| view.is_up);
        let mut orders: Vec<Order> =
            members.iter().filter(running).map(|id| Order::Kill(*id)).collect();
        orders.extend(members.iter().map(|id| Order::Restart(*id)));
        Ok(orders)
    }

    fn plan_link(
        &self,
        from: Target,
        to: Target,
        change: &dyn Fn(&mut Links, MemberId, MemberId),
    ) -> Result<Vec<Order>, Cannot> {
        let (from, to) = (self.resolve(from)?, self.resolve(to)?);
        if from == to {
            return Err(Cannot::Member(Reason::OwnLink, self.name(from)));
        }
        let mut links = self.links.clone();
        change(&mut links, from, to);
        Ok(vec![Order::SetLinks(links)])
    }

    /// The members of a partition's sides.
    fn sides(&self, sides: &Sides) -> Result<Vec<(MemberId, u8)>, Cannot> {
        let found = |(number, side)| Ok((self.resolve(Target::Infra(number))?, side));
        sides.members().map(found).collect()
    }

    /// True if a wait for this is over. Time alone is the driver's to count.
    #[must_use]
    pub fn is_met(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Leader => self.leader().is_some(),
            Condition::Term(term) => {
                self.members.iter().any(|view| view.runs() && view.term() >= Term(*term))
            }
            Condition::Revision(revision) => {
                let counts = |view: &&MemberView| view.runs() && !self.is_isolated(view.id());
                let mut counting = self.members.iter().filter(counts).peekable();
                counting.peek().is_some() && counting.all(|view| view.revision() >= Some(*revision))
            }
            Condition::Up(target) => self
                .resolve(*target)
                .is_ok_and(|id| self.view(id).is_some_and(|view| view.is_up && !view.is_paused)),
            Condition::Time => false,
        }
    }

    /// Puts endpoints in the place of `$LEADER`, `$FOLLOWER`, `$KILLED` and `$ISOLATED`, the newest lease in that of
    /// `$LEASE`, and the highest revision of a running member in that of `$REVISION`, except within single quotes and
    /// after a backslash, as a shell would.
    ///
    /// # Errors
    /// There is nothing that a name stands for.
    pub fn expand(&self, line: &str) -> Result<String, Cannot> {
        fill(line, &mut |name| self.value_of(name))
    }

    fn value_of(&self, variable: &str) -> Result<String, Cannot> {
        let member = match variable {
            "LEASE" => {
                let id = self.lease.map(|lease| format!("{:016x}", lease.0));
                return id.ok_or(Cannot::Because(Reason::NoLease));
            }
            "REVISION" => {
                let highest = self.members.iter().filter_map(MemberView::revision).max();
                let highest = highest.map(|revision| revision.max(self.answered).to_string());
                return highest.ok_or(State::Running.nobody());
            }
            "LEADER" => self.resolve(Target::Leader)?,
            "FOLLOWER" => self.resolve(Target::Follower)?,
            "KILLED" => self.resolve(Target::Killed)?,
            _ => {
                let found = self.first(|view| self.is_isolated(view.id()));
                found.ok_or(Cannot::Because(Reason::NoneIsolated))?
            }
        };
        let urls = self.view(member).map(|view| &view.member.client_urls);
        let url = urls.and_then(|urls| urls.first());
        url.cloned().ok_or_else(|| Cannot::Member(Reason::NoClients, self.name(member)))
    }
}

/// Puts values in the place of `$LEADER`, `$FOLLOWER`, `$KILLED`, `$ISOLATED`, `$LEASE` and `$REVISION`, except within single
/// quotes and after a backslash.
///
/// # Errors
/// There is nothing that a name stands for.
pub fn fill(
    line: &str,
    value_of: &mut dyn FnMut(&'static str) -> Result<String, Cannot>,
) -> Result<String, Cannot> {
    let mut expanded = String::with_capacity(line.len());
    let mut is_quoted = false;
    let mut rest = line;
    while let Some(found) = rest.chars().next() {
        let after = rest.get(found.len_utf8()..).unwrap_or_default();
        if found == '\\' && !is_quoted {
            let next = after.chars().next();
            expanded.push(found);
            expanded.extend(next);
            rest = after.get(next.map_or(0, char::len_utf8)..).unwrap_or_default();
            continue;
        }
        if found == '\'' {
            is_quoted = !is_quoted;
        }
        let name = if found == '$' && !is_quoted { name_at(after) } else { "" };
        if let Some(known) = VARIABLES.into_iter().find(|known| *known == name) {
            let cannot = |why| Cannot::Variable(known, Box::new(why));
            expanded.push_str(&value_of(known).map_err(cannot)?);
            rest = after.get(name.len()..).unwrap_or_default();
            continue;
        }
        expanded.push(found);
        rest = after;
    }
    Ok(expanded)
}

/// The name with which a text begins, or nothing.
fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

impl MemberView {
    /// Its id.
    #[must_use]
    pub const fn id(&self) -> MemberId {
        self.member.id
    }

    /// It serves and is not frozen.
    #[must_use]
    pub const fn runs(&self) -> bool {
        self.is_up && !self.is_paused
    }

    fn role(&self) -> Option<api::Role> {
        self.status.as_ref().map(|status| status.role)
    }

    fn term(&self) -> Term {
        self.status.as_ref().map_or(Term(0), |status| status.term)
    }

    fn revision(&self) -> Option<i64> {
        self.status.as_ref().map(|status| status.revision)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Three members at term 2 and revision 5; infra2 leads.
    pub(in crate::scenario) fn three() -> World {
        let member = |number: u64| MemberView {
            member: api::Member {
                id: MemberId(number),
                name: format!("infra{number}"),
                client_urls: vec![format!("http://127.0.0.1:{number}2379")],
                ..api::Member::default()
            },
            is_up: true,
            is_paused: false,
            status: Some(api::MemberStatus {
                member: MemberId(number),
                role: if number == 2 { api::Role::Leader } else { api::Role::Follower },
                term: Term(2),
                leader: Some(MemberId(2)),
                revision: 5,
                ..api::MemberStatus::default()
            }),
        };
        World { members: (1..=3).map(member).collect(), ..World::default() }
    }

    #[test]
    fn a_line_as_long_as_a_request_may_be_is_expanded_in_one_pass() {
        // Looking at the rest of the line for each of its characters would take hours.
        let line = format!("put k {} --endpoints=$LEADER", "v".repeat(1_500_000));
        let expanded = three().expand(&line).unwrap();
        assert_eq!(expanded.len(), line.len() - "$LEADER".len() + "http://127.0.0.1:22379".len());
    }

    fn stop(world: &mut World, at: usize) {
        world.members[at].is_up = false;
        world.members[at].status = None;
    }

    #[test]
    fn a_leader_needs_a_majority_that_follows_and_hears_it() {
        let mut world = three();
        assert_eq!(world.leader(), Some(MemberId(2)));
        world.links.cut_one_way(MemberId(1), MemberId(2));
        assert_eq!(world.leader(), Some(MemberId(2)));
        world.links.isolate(MemberId(2), &world.all_ids());
        assert_eq!(world.leader(), None);
        assert!(world.is_isolated(MemberId(2)) && !world.is_isolated(MemberId(1)));
        let mut world = three();
        stop(&mut world, 0);
        assert_eq!(world.leader(), Some(MemberId(2)));
        world.members[2].is_paused = true;
        assert_eq!(world.leader(), None);
    }

    #[test]
    fn a_leader_that_has_lost_its_majority_is_still_the_one_that_is_meant() {
        let mut world = three();
        world.links.isolate(MemberId(2), &world.all_ids());
        assert_eq!(world.leader(), None);
        assert_eq!(world.resolve(Target::Leader), Ok(MemberId(2)));
        assert_eq!(world.resolve(Target::Follower), Ok(MemberId(1)));
        stop(&mut world, 1);
        assert!(world.resolve(Target::Leader).is_err());
    }

    #[test]
    fn targets_are_chosen_by_state_and_lowest_number() {
        let mut world = three();
        assert_eq!(world.resolve(Target::Follower), Ok(MemberId(1)));
        assert_eq!(world.resolve(Target::Infra(3)), Ok(MemberId(3)));
        assert!(
            world.resolve(Target::Infra(4)).unwrap_err().to_string().contains("has 3 member(s)")
        );
        assert!(world.resolve(Target::Killed).is_err());
        stop(&mut world, 0);
        assert_eq!(world.resolve(Target::Killed), Ok(MemberId(1)));
        assert_eq!(world.resolve(Target::Follower), Ok(MemberId(3)));
    }

    #[test]
    fn verbs_become_orders_or_say_why_not() {
        let mut world = three();
        stop(&mut world, 0);
        let (one, two, three) = (MemberId(1), MemberId(2), MemberId(3));
        assert_eq!(world.plan(&Verb::Kill(Target::Leader)), Ok(vec![Order::Kill(two)]));
        assert_eq!(
            world.plan(&Verb::Kill(Target::Infra(1))).unwrap_err().to_string(),
            "infra1 is not running"
        );
        assert_eq!(world.plan(&Verb::Restart(Target::Killed)), Ok(vec![Order::Restart(one)]));
        let all = [Order::Kill(two), Order::Kill(three)];
        let all = [all.to_vec(), [one, two, three].map(Order::Restart).to_vec()].concat();
        assert_eq!(world.plan(&Verb::Restart(Target::All)), Ok(all));
        assert_eq!(
            world.plan(&Verb::Resume(Target::All)).unwrap_err().to_string(),
            "no member is paused"
        );
        let itself = Verb::Cut { from: Target::Infra(2), to: Target::Leader, one_way: false };
        assert!(world.plan(&itself).unwrap_err().to_string().contains("no link to itself"));
        let Ok(orders) = world.plan(&Verb::Isolate(Target::Leader)) else { panic!("refused") };
        let [Order::SetLinks(links)] = orders.as_slice() else { panic!("{orders:?}") };
        assert_eq!(links.cut_links().count(), 4);
    }

    #[test]
    fn links_and_members_are_disturbed_by_name_and_nobody_is_who_is_not_there() {
        let world = three();
        let (one, two, three) = (MemberId(1), MemberId(2), MemberId(3));
        let links = |line: &str| -> Result<Links, String> {
            let words: Vec<&str> = line.split_whitespace().collect();
            let verb = crate::scenario::verb::parse(&words).unwrap().unwrap();
            match world.plan(&verb)?.as_slice() {
                [Order::SetLinks(links)] => Ok(links.clone()),
                orders => panic!("{orders:?}"),
            }
        };
        let loss = links("loss leader infra1 30% one-way").unwrap();
        assert_eq!((loss.rule(two, one).loss, loss.rules().count()), (300, 1));
        assert_eq!(links("delay infra1 infra3 1s").unwrap().rules().count(), 2);
        let apart = links("partition infra1,infra3 | infra2").unwrap();
        assert!(
            apart.is_open(one, three) && !apart.is_open(one, two) && !apart.is_open(two, three)
        );
        assert!(links("partition infra1 | infra4").unwrap_err().to_string().contains("no infra4"));
        assert!(
            links("loss leader infra2 30%").unwrap_err().to_string().contains("no link to itself")
        );

        let mut world = self::three();
        stop(&mut world, 0);
        let slow = Verb::Member(Target::Infra(1), MemberFault::SlowDisk(100));
        let order = Order::Member(one, MemberFault::SlowDisk(100));
        assert_eq!(world.plan(&slow), Ok(vec![order]));
        let power = Verb::Member(Target::Infra(1), MemberFault::PowerCut);
        assert_eq!(world.plan(&power).unwrap_err().to_string(), "infra1 is not running");
        let orders = world.plan(&Verb::Member(Target::All, MemberFault::PowerCut));
        assert_eq!(orders.map(|orders| orders.len()), Ok(2));
    }

    #[test]
    fn waits_are_over_when_the_picture_says_so() {
        let mut world = three();
        assert!(world.is_met(&Condition::Leader));
        assert!(world.is_met(&Condition::Term(2)) && !world.is_met(&Condition::Term(3)));
        assert!(world.is_met(&Condition::Revision(5)) && !world.is_met(&Condition::Revision(6)));
        world.members[0].status.as_mut().unwrap().revision = 4;
        assert!(!world.is_met(&Condition::Revision(5)));
        world.links.isolate(MemberId(1), &world.all_ids());
        assert!(world.is_met(&Condition::Revision(5)));
        assert!(!world.is_met(&Condition::Time));
        stop(&mut world, 0);
        assert!(!world.is_met(&Condition::Up(Target::Infra(1))));
    }

    #[test]
    fn endpoints_are_found_as_users_write_them() {
        let members: Vec<api::Member> =
            three().members.iter().map(|view| view.member.clone()).collect();
        for endpoint in ["127.0.0.1:22379", "http://127.0.0.1:22379/", " localhost:22379"] {
            assert_eq!(member_at(&members, endpoint), Some(MemberId(2)), "{endpoint}");
        }
        for endpoint in ["https://127.0.0.1:22379", "127.0.0.1:2", "unix://x", "", "localhost"] {
            assert_eq!(member_at(&members, endpoint), None, "{endpoint}");
        }
    }

    #[test]
    fn variables_become_endpoints_except_where_a_shell_would_keep_them() {
        let mut world = three();
        let cases = [
            ("put a b --endpoints=$LEADER", "put a b --endpoints=http://127.0.0.1:22379"),
            ("put '$LEADER' \\$LEADER $LEADERS $x $", "put '$LEADER' \\$LEADER $LEADERS $x $"),
            ("\"$FOLLOWER,é\"", "\"http://127.0.0.1:12379,é\""),
            ("compact $REVISION", "compact 5"),
        ];
        for (line, expanded) in cases {
            assert_eq!(world.expand(line).as_deref(), Ok(expanded));
        }
        let answered = World { answered: 9, ..world.clone() };
        assert_eq!(answered.expand("compact $REVISION").as_deref(), Ok("compact 9"));
        assert_eq!(world.expand("$KILLED").unwrap_err().to_string(), "$KILLED: no member is down");
        assert_eq!(
            World::default().expand("$REVISION").unwrap_err().to_string(),
            "$REVISION: no member is running"
        );
        assert_eq!(world.expand("$LEASE").unwrap_err().to_string(), "$LEASE: no lease was granted");
        world.lease = Some(LeaseId(0x1f));
        assert_eq!(world.expand("a --lease=$LEASE").as_deref(), Ok("a --lease=000000000000001f"));
        world.links.isolate(MemberId(3), &world.all_ids());
        assert_eq!(world.expand("$ISOLATED").as_deref(), Ok("http://127.0.0.1:32379"));
    }
}
