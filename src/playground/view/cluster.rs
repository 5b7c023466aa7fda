//! The cluster panel: the ring, the links, the cards.
//!
//! Invariants: see `view`; role is told by shape, word and colour, never by colour alone.

use crate::api::Role;
use crate::cluster::fault::{LinkRule, MemberFault};
use crate::playground::cluster::{Action, Cluster, Life, Node, Phase};
use crate::playground::escape;
use crate::playground::membership::{Change, Changes, MEMBERS_MAX, Notice, Trouble};
use crate::playground::strings::{self, Strings};
use crate::playground::timeline::{down_sentence, rule_words};
use crate::playground::view::faults::{self, ChoicesView, FaultsView};
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
    /// It is no part of the cluster any more.
    pub is_removed: bool,
    /// What it waits for, in words; mostly nothing.
    pub waits: String,
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
    /// What helps it now, such as a promotion; mostly nothing.
    pub offers: Vec<ButtonView>,
    /// What can be done, of the rarer things.
    pub rare: Vec<ButtonView>,
    /// What is wrong with its clock and its disk, in words; mostly nothing.
    pub fault_words: String,
    /// What can be made wrong with them.
    pub faults: Vec<ChoicesView>,
}

/// Whether a link is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Both ways.
    Open,
    /// Both ways, and not as it should be.
    Disturbed,
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
    /// Adds members.
    pub adds: Vec<ButtonView>,
    /// A change of the membership that is under way, or why it failed.
    pub notice: Option<NoticeView>,
    /// The matrix of links, and faults that are a press away.
    pub faults: FaultsView,
}

/// A sentence about a change of the membership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeView {
    /// The sentence.
    pub text: String,
    /// It failed.
    pub is_trouble: bool,
}

/// A question before something that cannot be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionView {
    /// What.
    pub title: String,
    /// What follows.
    pub warning: &'static str,
    /// The yes.
    pub yes: &'static str,
}

/// The question before a change of the membership.
#[must_use]
pub fn question(change: Change, cluster: &Cluster, s: &Strings) -> QuestionView {
    let name = change.member().map(|member| cluster.name(member)).unwrap_or_default();
    let (warning, yes) = match change {
        Change::Replace(_) => (s.ask_replace, s.action_replace),
        Change::ForceNew(_) => (s.ask_force, s.action_force),
        Change::Delete(_) => (s.ask_delete, s.action_delete),
        Change::Wipe(_) => (s.ask_wipe, s.action_wipe),
        Change::Remove(_)
        | Change::Add
        | Change::AddLearner
        | Change::Promote(_)
        | Change::Lead(_) => (s.ask_remove, s.action_remove),
    };
    QuestionView { title: s.ask_title.of(yes, &name), warning, yes }
}

/// What is said of the change that is under way, or that failed.
pub fn change_notice(changes: &Changes, cluster: &Cluster, s: &Strings) -> Option<NoticeView> {
    let told = |change: Change| {
        let (_, label, _) = labels(Action::Change(change), s);
        match change.member() {
            Some(member) => s.action_on.of(label, &cluster.name(member)),
            None => label.to_owned(),
        }
    };
    Some(match changes.notice()? {
        Notice::Working(change, None) => {
            NoticeView { text: s.change_works.of(&told(change)), is_trouble: false }
        }
        Notice::Working(change, Some(error)) => NoticeView {
            text: s.change_waits.of(&told(change), &error.to_string()),
            is_trouble: false,
        },
        Notice::Failed(change, trouble) => {
            let why = match trouble {
                Trouble::Refused(error) => error.to_string(),
                Trouble::NoLeader => s.change_no_leader.to_owned(),
                Trouble::Lost => s.change_lost.to_owned(),
                Trouble::Full => s.change_full.to_owned(),
            };
            NoticeView { text: s.change_failed.of(&told(change), &why), is_trouble: true }
        }
    })
}

/// Makes the panel's view.
#[must_use]
pub fn view(cluster: &Cluster, changes: &Changes, s: &Strings) -> ClusterView {
    let count = u32::try_from(cluster.nodes.len()).unwrap_or(0);
    let cards: Vec<CardView> = cluster
        .nodes
        .iter()
        .zip(0_u32..)
        .map(|(node, at)| card(cluster, node, (ring::node(at, count), changes.is_busy()), s))
        .collect();
    let mut links = Vec::new();
    for (at, one) in cards.iter().enumerate() {
        for other in cards.iter().skip(at + 1) {
            links.push(link(cluster, one, other, s));
        }
    }
    let leader = cluster.known_leader().map(|leader| cluster.name(leader));
    let mut summary =
        leader.map_or_else(|| s.ring_no_leader.to_owned(), |name| s.ring_leader.of(&name));
    for card in &cards {
        summary.push_str(&format!("{}{} {}", s.list_gap, card.name, card.role));
    }
    let can_change = !changes.is_busy() && cluster.leader().is_some_and(Node::is_serving);
    let has_room = cluster.nodes.iter().filter(|node| !node.is_removed).count() < MEMBERS_MAX;
    let add = |change| button(Action::Change(change), "", can_change && has_room, s);
    ClusterView {
        cards,
        links,
        summary,
        can_heal: !cluster.links.is_whole(),
        size: count,
        adds: vec![add(Change::Add), add(Change::AddLearner)],
        notice: change_notice(changes, cluster, s),
        faults: FaultsView::default(),
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

fn card(cluster: &Cluster, node: &Node, (at, is_busy): (Point, bool), s: &Strings) -> CardView {
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
        name: node.shown_name(),
        at,
        mark,
        role: role_word(node, mark, s),
        is_isolated,
        is_removed: node.is_removed,
        waits: String::new(),
        endpoint: format!("{url}  ·  {:x}", node.member.id),
        fields: vec![
            field("term", s.field_term, status.term.to_string()),
            field("commit", s.field_commit, status.commit.to_string()),
            field("applied", s.field_applied, status.applied.to_string()),
            field("revision", s.field_revision, status.revision.to_string()),
        ],
        more: vec![
            field("log", s.field_log, format!("{}…{}", status.first_index, status.last_index)),
            field("size", s.field_size, strings::bytes(status.db_size)),
            field("boot", s.field_boot, node.boot.to_string()),
            field("watchers", s.field_watchers, status.watch_streams.to_string()),
            field("timer", s.field_timer, format!("{} / {timeout}", status.election_elapsed)),
        ],
        timer_permille: if has_timer { ticks * 1000 / timeout } else { 0 },
        timer: if has_timer {
            s.timer_words.of(&ticks.to_string(), &timeout.to_string())
        } else if mark == Mark::Leader {
            s.timer_leader.to_owned()
        } else {
            String::new()
        },
        trouble: trouble(node, s),
        buttons: here(cluster, buttons(node, is_isolated, s)),
        offers: here(cluster, offers(cluster, node, is_busy, s)),
        rare: here(cluster, rare(cluster, node, is_busy, s)),
        fault_words: faults::member_words(node.faults, s),
        faults: faults::member_choices(node, s),
    }
}

impl Node {
    /// The name as it may stand on a screen: a restored cluster's may be anything.
    #[must_use]
    pub fn shown_name(&self) -> String {
        escape::line(self.member.name.as_bytes())
    }
}

/// Buttons, which do nothing while another tab has the members.
fn here(cluster: &Cluster, mut buttons: Vec<ButtonView>) -> Vec<ButtonView> {
    buttons.iter_mut().for_each(|it| it.is_enabled &= cluster.phase != Phase::TakenOver);
    buttons
}

/// What helps a member as it is.
fn offers(cluster: &Cluster, node: &Node, is_busy: bool, s: &Strings) -> Vec<ButtonView> {
    let (member, name) = (node.member.id, &node.shown_name());
    let is_down = matches!(node.life, Life::Down(_));
    let has_leader = !is_busy && cluster.leader().is_some_and(Node::is_serving);
    let offer = |change, is_enabled| button(Action::Change(change), name, is_enabled, s);
    if node.is_removed {
        return vec![offer(Change::Delete(member), is_down)];
    }
    let has_lost_disk = matches!(
        node.life,
        Life::Down(DownReason::DiskRolledBack { .. } | DownReason::DiskUnreadable { .. })
    );
    if has_lost_disk && cluster.nodes.len() > 1 {
        return vec![offer(Change::Replace(member), has_leader)];
    }
    if node.member.is_learner && node.life == Life::Up {
        return vec![offer(Change::Promote(member), has_leader)];
    }
    Vec::new()
}

/// What is done seldom.
fn rare(cluster: &Cluster, node: &Node, is_busy: bool, s: &Strings) -> Vec<ButtonView> {
    let (member, name) = (node.member.id, &node.shown_name());
    let runs = node.is_serving();
    let leader = cluster.leader().filter(|leader| leader.is_serving() && !is_busy);
    let change = |change, is_enabled| button(Action::Change(change), name, is_enabled, s);
    let mut rare = Vec::new();
    if node.is_voter() {
        let leads = leader.is_some_and(|leader| leader.member.id == member);
        rare.push(change(Change::Lead(member), runs && leader.is_some() && !leads));
    }
    if !node.is_removed {
        rare.push(change(Change::Remove(member), leader.is_some() && cluster.nodes.len() > 1));
    }
    let can_stand_alone = node.is_voter() && node.boot > 0 && cluster.nodes.len() > 1;
    if can_stand_alone && !cluster.has_quorum() {
        rare.push(change(Change::ForceNew(member), true));
    }
    rare.push(button(Action::Crash(member), name, runs, s));
    if !node.is_removed {
        let power = Action::Afflict(member, MemberFault::PowerCut);
        rare.push(button(power, name, node.life == Life::Up, s));
        rare.push(change(Change::Wipe(member), node.life != Life::Stopping));
    }
    rare
}

fn trouble(node: &Node, s: &Strings) -> Option<(String, &'static str)> {
    let Life::Down(reason) = &node.life else { return None };
    let remedy = match reason {
        DownReason::Killed | DownReason::PowerCut => return None,
        DownReason::DiskFailed { .. } if node.faults.is_disk_full() => s.remedy_free,
        DownReason::Crashed { .. } | DownReason::Unresponsive | DownReason::DiskSilent => {
            s.remedy_restart
        }
        DownReason::Removed => s.remedy_removed,
        DownReason::NotStarted => s.remedy_not_started,
        DownReason::DiskFailed { .. } => s.remedy_full,
        DownReason::DiskRolledBack { .. } | DownReason::DiskUnreadable { .. } => s.remedy_fresh,
    };
    let sentence = down_sentence(&node.shown_name(), reason, s);
    Some((escape::block(sentence.as_bytes()), remedy))
}

fn buttons(node: &Node, is_isolated: bool, s: &Strings) -> Vec<ButtonView> {
    let (member, name) = (node.member.id, &node.shown_name());
    let is_down = matches!(node.life, Life::Down(_));
    let runs = matches!(node.life, Life::Up | Life::Starting);
    let first = if is_down || node.life == Life::Stopping {
        let mut first = button(Action::Restart(member), name, is_down && !node.is_removed, s);
        if node.life == Life::Down(DownReason::NotStarted) {
            first.label = s.action_start;
            first.title = s.action_on.of(s.action_start, name);
        }
        first
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
        button(Action::Isolate(member), name, !node.is_removed, s)
    };
    vec![first, second, third]
}

fn button(action: Action, name: &str, is_enabled: bool, s: &Strings) -> ButtonView {
    let (id, label, is_harsh) = labels(action, s);
    let title = if name.is_empty() { label.to_owned() } else { s.action_on.of(label, name) };
    ButtonView { action, id, label, title, is_enabled, is_harsh }
}

/// A button's id and text, and whether it ends or breaks something.
const fn labels(action: Action, s: &Strings) -> (&'static str, &'static str, bool) {
    match action {
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
        Action::Change(change) => match change {
            Change::Add => ("add-member", s.action_add, false),
            Change::AddLearner => ("add-learner", s.action_add_learner, false),
            Change::Promote(_) => ("promote", s.action_promote, false),
            Change::Lead(_) => ("lead", s.action_lead, false),
            Change::Remove(_) => ("remove", s.action_remove, true),
            Change::Replace(_) => ("replace", s.action_replace, true),
            Change::ForceNew(_) => ("force-new", s.action_force, true),
            Change::Delete(_) => ("delete", s.action_delete, true),
            Change::Wipe(_) => ("wipe", s.action_wipe, true),
        },
        Action::Afflict(..) => ("power-cut", s.action_power_cut, true),
        // These are not among a card's or a link's buttons.
        Action::Speed(_) | Action::Latency(_) => ("pace", s.pace, false),
        Action::PauseAll(true) => ("pause-all", s.pause_all, false),
        Action::PauseAll(false) => ("resume-all", s.resume_all, false),
        Action::Partition(_) => ("partition", s.faults, true),
        Action::Disturb { .. } => ("disturb", s.faults, true),
    }
}

fn link(cluster: &Cluster, one: &CardView, other: &CardView, s: &Strings) -> LinkView {
    let ends = (one.member, other.member);
    let forth = cluster.links.is_open(one.member, other.member);
    let back = cluster.links.is_open(other.member, one.member);
    let rules = (
        cluster.links.rule(one.member, other.member),
        cluster.links.rule(other.member, one.member),
    );
    let is_idle = one.mark == Mark::Down || other.mark == Mark::Down;
    let state = match (forth, back) {
        (true, true) if !(rules.0.is_none() && rules.1.is_none()) => LinkState::Disturbed,
        (true, true) if is_idle => LinkState::Idle,
        (true, true) => LinkState::Open,
        (false, false) => LinkState::Cut,
        (false, true) => LinkState::CutForth,
        (true, false) => LinkState::CutBack,
    };
    let (words, sentence) = link_words(state, (one, other), rules, s);
    let name = s.link_between.of(&one.name, &other.name);
    let action = if matches!(state, LinkState::Open | LinkState::Idle) {
        Action::Cut(ends.0, ends.1)
    } else {
        Action::HealPair(ends.0, ends.1)
    };
    let mut one_way = Vec::new();
    if matches!(action, Action::Cut(..)) {
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

/// A link's state in words, and in a whole sentence.
fn link_words(
    state: LinkState,
    (one, other): (&CardView, &CardView),
    rules: (LinkRule, LinkRule),
    s: &Strings,
) -> (String, String) {
    match state {
        LinkState::Open | LinkState::Idle => {
            (s.link_state_open.to_owned(), s.link_open.of(&one.name, &other.name))
        }
        LinkState::Disturbed => {
            let told = |from: &CardView, to: &CardView, rule| {
                let words = rule_words(rule, s);
                let link = format!("{}{}{}", from.name, s.arrow_one_way, to.name);
                if words.is_empty() { None } else { Some(format!("{link}: {words}")) }
            };
            let words: Vec<String> = if rules.0 == rules.1 {
                vec![rule_words(rules.0, s)]
            } else {
                [told(one, other, rules.0), told(other, one, rules.1)]
                    .into_iter()
                    .flatten()
                    .collect()
            };
            let words = words.join("; ");
            let sentence = s.link_disturbed.of(&one.name, &other.name, &words);
            (words, sentence)
        }
        LinkState::Cut => (s.link_state_cut.to_owned(), s.link_cut.of(&one.name, &other.name)),
        LinkState::CutForth => (
            s.link_state_one_way.of(&one.name, &other.name),
            s.link_one_way.of(&one.name, &other.name),
        ),
        LinkState::CutBack => (
            s.link_state_one_way.of(&other.name, &one.name),
            s.link_one_way.of(&other.name, &one.name),
        ),
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
        let view = view(&three(), &Changes::default(), &EN);
        let roles: Vec<&str> = view.cards.iter().map(|card| card.role).collect();
        assert_eq!(roles, ["leader", "follower", "follower"]);
        assert_eq!(view.links.len(), 3);
        assert!(view.links[0].is_led && !view.links[2].is_led);
        assert!(view.summary.starts_with("infra1 leads"));
    }

    #[test]
    fn a_name_that_hides_characters_is_spelled_out() {
        let mut cluster = three();
        "nul\u{1}\u{202e}".clone_into(&mut cluster.nodes[1].member.name);
        let view = view(&cluster, &Changes::default(), &EN);
        let shown = "nul\\x01\\u{202e}";
        assert_eq!(view.cards[1].name, shown);
        assert_eq!(faults::view(&cluster, None, &EN).names[1], shown);
        assert_eq!(cluster.name(MemberId(2)), shown);
    }

    #[test]
    fn a_link_cut_one_way_names_who_does_not_hear_whom() {
        let mut cluster = three();
        assert!(cluster.act(Action::CutOneWay(MemberId(2), MemberId(1))).is_ok());
        let view = view(&cluster, &Changes::default(), &EN);
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
        let view = view(&cluster, &Changes::default(), &EN);
        let card = &view.cards[1];
        assert_eq!((card.role, card.mark), ("down", Mark::Down));
        assert_eq!(card.buttons[0].id, "restart");
        let (sentence, remedy) = card.trouble.clone().unwrap();
        assert!(sentence.contains("rolled back") && remedy.contains("new member"));
        assert_eq!(card.offers[0].id, "replace");
        assert_eq!(view.links[0].state, LinkState::Idle);
    }

    #[test]
    fn an_isolated_member_offers_to_come_back() {
        let mut cluster = three();
        assert!(cluster.act(Action::Isolate(MemberId(3))).is_ok());
        let card = &view(&cluster, &Changes::default(), &EN).cards[2];
        assert!(card.is_isolated);
        assert_eq!(card.buttons[2].id, "heal");
    }
}
