//! The cluster panel: the ring, the links, the cards.
//!
//! Invariants: see `view`; role is told by shape, word and colour, never by colour alone.

use crate::api::Role;
use crate::playground::cluster::{Action, Cluster, Life, Node};
use crate::playground::escape;
use crate::playground::strings::Strings;
use crate::playground::timeline::down_sentence;
use crate::playground::view::ring::{self, Point, Segment};
use crate::types::MemberId;
use crate::wire::DownReason;

/// What a member looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Leads: a filled disc with a crown of rays.
    Leader,
    /// Follows: a ring.
    Follower,
    /// Campaigns: a diamond.
    Candidate,
    /// Asks whether it could win: a dashed diamond.
    PreCandidate,
    /// Learns: a small ring.
    Learner,
    /// Runs but stands still: two bars.
    Paused,
    /// Comes up: a dotted ring.
    Starting,
    /// Does not run: a cross.
    Down,
}

impl Mark {
    /// For style sheets and tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leader => "leader",
            Self::Follower => "follower",
            Self::Candidate => "candidate",
            Self::PreCandidate => "pre-candidate",
            Self::Learner => "learner",
            Self::Paused => "paused",
            Self::Starting => "starting",
            Self::Down => "down",
        }
    }
}

/// A button and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ButtonView {
    /// What it does.
    pub action: Action,
    /// For tests: `kill`, `restart`, ….
    pub id: &'static str,
    /// What it says.
    pub label: &'static str,
    /// What it says to those who do not see whose it is.
    pub title: String,
    /// It can be pressed.
    pub is_enabled: bool,
    /// It ends or breaks something.
    pub is_harsh: bool,
}

/// A number with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldView {
    /// For tests: `term`, `commit`, ….
    pub id: &'static str,
    /// Its name.
    pub label: &'static str,
    /// Its value.
    pub value: String,
}

/// A member's card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardView {
    /// Who.
    pub member: MemberId,
    /// Its name.
    pub name: String,
    /// Where it stands in the ring.
    pub at: Point,
    /// What it looks like.
    pub mark: Mark,
    /// Its role in a word.
    pub role: &'static str,
    /// It is cut from all others.
    pub is_isolated: bool,
    /// It runs and knows no leader.
    pub lacks_leader: bool,
    /// Its client endpoint and its id.
    pub endpoint: String,
    /// The numbers always shown.
    pub fields: Vec<FieldView>,
    /// The numbers shown on demand.
    pub more: Vec<FieldView>,
    /// How far its election timer is. Unit: thousandths.
    pub timer_permille: u64,
    /// The timer in words.
    pub timer: String,
    /// Why it is down, with the remedy.
    pub trouble: Option<(String, &'static str)>,
    /// What can be done.
    pub buttons: Vec<ButtonView>,
    /// What can be done, of the rarer things.
    pub rare: Vec<ButtonView>,
}

/// Whether a link is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Both ways.
    Open,
    /// Neither way.
    Cut,
    /// Cut from the first to the second only.
    CutForth,
    /// Cut from the second to the first only.
    CutBack,
    /// An end does not run.
    Idle,
}

/// The link between two members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkView {
    /// For tests: `infra1-infra2`.
    pub id: String,
    /// Its ends.
    pub ends: (MemberId, MemberId),
    /// Its name.
    pub name: String,
    /// Where it is drawn.
    pub line: Segment,
    /// Whether it is open.
    pub state: LinkState,
    /// It carries a leader's heartbeats.
    pub is_led: bool,
    /// Its state in words.
    pub words: String,
    /// Its state in a whole sentence.
    pub sentence: String,
    /// Cuts or heals it.
    pub button: ButtonView,
    /// Cuts one direction, each.
    pub one_way: Vec<ButtonView>,
}

/// The whole panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterView {
    /// One card a member.
    pub cards: Vec<CardView>,
    /// One link a pair.
    pub links: Vec<LinkView>,
    /// The picture in a sentence.
    pub summary: String,
    /// Something is cut.
    pub can_heal: bool,
    /// How many members.
    pub size: u32,
    /// The panel waits for a yes to a new cluster of so many.
    pub asks_new: Option<u32>,
}

/// Makes the panel's view.
#[must_use]
pub fn view(cluster: &Cluster, asks_new: Option<u32>, s: &Strings) -> ClusterView {
    let count = u32::try_from(cluster.nodes.len()).unwrap_or(0);
    let cards: Vec<CardView> = cluster
        .nodes
        .iter()
        .zip(0_u32..)
        .map(|(node, at)| card(cluster, node, ring::node(at, count), s))
        .collect();
    let mut links = Vec::new();
    for (at, one) in cards.iter().enumerate() {
        for other in cards.iter().skip(at + 1) {
            links.push(link(cluster, one, other, s));
        }
    }
    let leader = cluster.known_leader().map(|leader| cluster.name(leader));
    let mut summary =
        leader.map_or_else(|| s.ring_no_leader.to_owned(), |name| (s.ring_leader)(&name));
    for card in &cards {
        summary.push_str(&format!(", {} {}", card.name, card.role));
    }
    ClusterView {
        cards,
        links,
        summary,
        can_heal: !cluster.links.is_whole(),
        size: count,
        asks_new,
    }
}

fn mark(node: &Node) -> Mark {
    match &node.life {
        Life::Down(_) | Life::Stopping => Mark::Down,
        Life::Starting => Mark::Starting,
        Life::Up if node.is_paused => Mark::Paused,
        Life::Up => match node.status.role {
            Role::Leader => Mark::Leader,
            Role::Follower => Mark::Follower,
            Role::Candidate => Mark::Candidate,
            Role::PreCandidate => Mark::PreCandidate,
            Role::Learner => Mark::Learner,
        },
    }
}

fn role_word(node: &Node, mark: Mark, s: &Strings) -> &'static str {
    if node.life == Life::Stopping {
        return s.role_stopping;
    }
    match mark {
        Mark::Leader => s.role_leader,
        Mark::Follower => s.role_follower,
        Mark::Candidate => s.role_candidate,
        Mark::PreCandidate => s.role_pre_candidate,
        Mark::Learner => s.role_learner,
        Mark::Paused => s.role_paused,
        Mark::Starting => s.role_starting,
        Mark::Down => s.role_down,
    }
}

fn card(cluster: &Cluster, node: &Node, at: Point, s: &Strings) -> CardView {
    let mark = mark(node);
    let status = &node.status;
    let is_isolated = cluster.is_isolated(node.member.id);
    let field = |id, label, value: String| FieldView { id, label, value };
    let url = node.member.client_urls.first().map_or("", String::as_str);
    let timeout = status.election_timeout.max(1);
    let ticks = status.election_elapsed.min(timeout);
    let runs = node.life == Life::Up;
    let has_timer = runs && !node.is_paused && mark != Mark::Leader;
    CardView {
        member: node.member.id,
        name: node.member.name.clone(),
        at,
        mark,
        role: role_word(node, mark, s),
        is_isolated,
        lacks_leader: runs && !node.is_paused && status.leader.is_none(),
        endpoint: format!("{url}  ·  {:x}", node.member.id),
        fields: vec![
            field("term", s.field_term, status.term.to_string()),
            field("commit", s.field_commit, status.commit.to_string()),
            field("applied", s.field_applied, status.applied.to_string()),
            field("revision", s.field_revision, status.revision.to_string()),
        ],
        more: vec![
            field("last", s.field_last, status.last_index.to_string()),
            field("size", s.field_size, (s.bytes)(status.db_size)),
            field("boot", s.field_boot, node.boot.to_string()),
            field("watchers", s.field_watchers, status.watch_streams.to_string()),
        ],
        timer_permille: if has_timer { ticks * 1000 / timeout } else { 0 },
        timer: if has_timer {
            (s.timer_words)(&ticks.to_string(), &timeout.to_string())
        } else if mark == Mark::Leader {
            s.timer_leader.to_owned()
        } else {
            String::new()
        },
        trouble: trouble(node, s),
        buttons: buttons(node, is_isolated, s),
        rare: vec![button(
            Action::Crash(node.member.id),
            &node.member.name,
            runs && !node.is_paused,
            s,
        )],
    }
}

fn trouble(node: &Node, s: &Strings) -> Option<(String, &'static str)> {
    let Life::Down(reason) = &node.life else { return None };
    let remedy = match reason {
        DownReason::Killed => return None,
        DownReason::Crashed { .. } | DownReason::Unresponsive | DownReason::DiskSilent => {
            s.remedy_restart
        }
        DownReason::DiskFailed { .. } => s.remedy_full,
        DownReason::DiskRolledBack { .. } | DownReason::DiskUnreadable { .. } => s.remedy_fresh,
    };
    let sentence = down_sentence(&node.member.name, reason, s);
    Some((escape::block(sentence.as_bytes()), remedy))
}

fn buttons(node: &Node, is_isolated: bool, s: &Strings) -> Vec<ButtonView> {
    let (member, name) = (node.member.id, node.member.name.as_str());
    let is_down = matches!(node.life, Life::Down(_));
    let runs = matches!(node.life, Life::Up | Life::Starting);
    let first = if is_down || node.life == Life::Stopping {
        button(Action::Restart(member), name, is_down, s)
    } else {
        button(Action::Kill(member), name, runs, s)
    };
    let second = if node.is_paused {
        button(Action::Resume(member), name, true, s)
    } else {
        button(Action::Pause(member), name, node.life == Life::Up, s)
    };
    let third = if is_isolated {
        button(Action::HealMember(member), name, true, s)
    } else {
        button(Action::Isolate(member), name, true, s)
    };
    vec![first, second, third]
}

fn button(action: Action, name: &str, is_enabled: bool, s: &Strings) -> ButtonView {
    let (id, label, is_harsh) = match action {
        Action::Kill(_) => ("kill", s.action_kill, true),
        Action::Restart(_) => ("restart", s.action_restart, false),
        Action::Pause(_) => ("pause", s.action_pause, false),
        Action::Resume(_) => ("resume", s.action_resume, false),
        Action::Isolate(_) => ("isolate", s.action_isolate, true),
        Action::HealMember(_) => ("heal", s.action_rejoin, false),
        Action::Crash(_) => ("crash", s.action_crash, true),
        Action::Cut(..) => ("cut", s.link_cut_action, true),
        Action::CutOneWay(..) => ("cut-one-way", s.link_cut_action, true),
        Action::HealPair(..) | Action::HealOneWay(..) => ("heal-link", s.link_heal_action, false),
        Action::HealAll => ("heal-all", s.heal_all, false),
    };
    ButtonView { action, id, label, title: (s.action_on)(label, name), is_enabled, is_harsh }
}

fn link(cluster: &Cluster, one: &CardView, other: &CardView, s: &Strings) -> LinkView {
    let ends = (one.member, other.member);
    let forth = cluster.links.is_open(one.member, other.member);
    let back = cluster.links.is_open(other.member, one.member);
    let is_idle = one.mark == Mark::Down || other.mark == Mark::Down;
    let state = match (forth, back) {
        (true, true) if is_idle => LinkState::Idle,
        (true, true) => LinkState::Open,
        (false, false) => LinkState::Cut,
        (false, true) => LinkState::CutForth,
        (true, false) => LinkState::CutBack,
    };
    let (words, sentence) = match state {
        LinkState::Open | LinkState::Idle => {
            (s.link_state_open.to_owned(), (s.link_open)(&one.name, &other.name))
        }
        LinkState::Cut => (s.link_state_cut.to_owned(), (s.link_cut)(&one.name, &other.name)),
        LinkState::CutForth => (
            (s.link_state_one_way)(&one.name, &other.name),
            (s.link_one_way)(&one.name, &other.name),
        ),
        LinkState::CutBack => (
            (s.link_state_one_way)(&other.name, &one.name),
            (s.link_one_way)(&other.name, &one.name),
        ),
    };
    let name = (s.link_between)(&one.name, &other.name);
    let action =
        if forth && back { Action::Cut(ends.0, ends.1) } else { Action::HealPair(ends.0, ends.1) };
    let mut one_way = Vec::new();
    if forth && back {
        for (from, to) in [(one, other), (other, one)] {
            let arrow = format!("{} → {}", from.name, to.name);
            one_way.push(button(Action::CutOneWay(from.member, to.member), &arrow, true, s));
        }
    }
    LinkView {
        id: format!("{}-{}", one.name, other.name),
        ends,
        line: ring::link(one.at, other.at),
        state,
        is_led: state == LinkState::Open
            && (one.mark == Mark::Leader || other.mark == Mark::Leader),
        words,
        sentence,
        button: button(action, &name, true, s),
        one_way,
        name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::cluster::tests::three;
    use crate::playground::edge::News;
    use crate::playground::strings::EN;
    use crate::types::Millis;

    #[test]
    fn each_member_has_a_word_and_a_shape_and_every_pair_a_link() {
        let view = view(&three(), None, &EN);
        let roles: Vec<&str> = view.cards.iter().map(|card| card.role).collect();
        assert_eq!(roles, ["leader", "follower", "follower"]);
        assert_eq!(view.links.len(), 3);
        assert!(view.links[0].is_led && !view.links[2].is_led);
        assert!(view.summary.starts_with("infra1 leads"));
    }

    #[test]
    fn a_link_cut_one_way_names_who_does_not_hear_whom() {
        let mut cluster = three();
        assert!(cluster.act(Action::CutOneWay(MemberId(2), MemberId(1))).is_ok());
        let view = view(&cluster, None, &EN);
        assert_eq!(view.links[0].state, LinkState::CutBack);
        assert_eq!(view.links[0].sentence, "infra1 does not hear infra2");
        assert!(matches!(view.links[0].button.action, Action::HealPair(..)));
        assert!(view.can_heal);
    }

    #[test]
    fn a_member_that_is_down_offers_restart_and_a_broken_disk_its_remedy() {
        let mut cluster = three();
        let message = "term 3 is below the fence's 5".to_owned();
        let reason = DownReason::DiskRolledBack { message };
        cluster.hear(&News::MemberDown { member: MemberId(2), reason }, Millis(1));
        let view = view(&cluster, None, &EN);
        let card = &view.cards[1];
        assert_eq!((card.role, card.mark), ("down", Mark::Down));
        assert_eq!(card.buttons[0].id, "restart");
        let (sentence, remedy) = card.trouble.clone().unwrap();
        assert!(sentence.contains("rolled back") && remedy.contains("new cluster"));
        assert_eq!(view.links[0].state, LinkState::Idle);
    }

    #[test]
    fn an_isolated_member_offers_to_come_back() {
        let mut cluster = three();
        assert!(cluster.act(Action::Isolate(MemberId(3))).is_ok());
        let card = &view(&cluster, None, &EN).cards[2];
        assert!(card.is_isolated);
        assert_eq!(card.buttons[2].id, "heal");
    }
}
