//! Faults: presets, the matrix of directed links, the choices for one direction, and those for a member.
//!
//! What it is: what is in force, in a sign and in words, and what a press would do.
//! What it is not: the faults (see `cluster::fault`); a button never does more than its action says.
//! Invariants: see `view`; what is in force is always among the choices, also when a verb has set it.

use crate::cluster::fault::{LinkFault, Links, MemberFault, MemberFaults, Speed, WHOLE};
use crate::playground::cluster::{Action, Cluster, Node, Phase};
use crate::playground::membership::number_of;
use crate::playground::strings::Strings;
use crate::playground::timeline::{faults_of, link_fault_parts, rule_words};
use crate::scenario::verb::{Sides, duration, percent};
use crate::types::MemberId;

/// What makes a leader's disk slow enough for etcd to complain of it. Unit: ms. Source: etcd warns above 1 s.
const SLOW_DISK_MS: u32 = 1_500;

/// Delays to choose from. Unit: ms.
const DELAYS_MS: [u32; 4] = [0, 50, 200, 1_000];
/// Latencies of all links to choose from. Unit: ms.
const LATENCIES_MS: [u32; 5] = [0, 10, 50, 200, 1_000];
/// Speeds to choose from: so many times slower than real time.
const SLOWER: [u32; 5] = [1, 2, 5, 10, 50];
/// Shares to choose from. Unit: thousandths.
const SHARES: [u32; 4] = [0, 100, 300, WHOLE];
/// What a disk may take longer. Unit: ms.
const DISK_DELAYS_MS: [u32; 4] = [0, 100, 500, SLOW_DISK_MS];
/// Rates of a clock. Unit: thousandths.
const CLOCKS: [u32; 4] = [500, WHOLE, 1_500, 2_000];

/// A fault that is a press away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetView {
    /// For tests: `preset-split`, ….
    pub id: &'static str,
    /// What it says.
    pub label: String,
    /// What it would do now, or why it cannot.
    pub hint: String,
    /// What it does; nothing while it cannot.
    pub action: Option<Action>,
}

/// One direction in the matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellView {
    /// From whom to whom.
    pub ends: (MemberId, MemberId),
    /// For tests: `infra1-infra2`.
    pub id: String,
    /// Its state as a sign and in a few words.
    pub sign: String,
    /// The direction and its state.
    pub label: String,
    /// For style sheets: `open`, `cut` or `disturbed`.
    pub state: &'static str,
    /// Its choices are shown.
    pub is_edited: bool,
}

/// One of several values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionView {
    /// What it does.
    pub action: Action,
    /// What it says.
    pub label: String,
    /// It is in force.
    pub is_on: bool,
}

/// Values of which one is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoicesView {
    /// What of.
    pub label: &'static str,
    /// The values.
    pub options: Vec<OptionView>,
}

/// The choices for one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorView {
    /// Which direction.
    pub title: String,
    /// The choices.
    pub choices: Vec<ChoicesView>,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultsView {
    /// What is a press away.
    pub presets: Vec<PresetView>,
    /// The members, in the order of rows and columns.
    pub names: Vec<String>,
    /// One row a sender; nothing on the diagonal.
    pub rows: Vec<Vec<Option<CellView>>>,
    /// The choices for the direction that was pressed.
    pub editor: Option<EditorView>,
    /// How fast everything goes: speed and latency.
    pub pace: Vec<ChoicesView>,
    /// All that run stand still.
    pub is_paused: bool,
    /// Another tab has the members: nothing can be stopped here.
    pub is_elsewhere: bool,
}

/// Makes the view; `edited` is the direction whose choices are shown.
#[must_use]
pub fn view(cluster: &Cluster, edited: Option<(MemberId, MemberId)>, s: &Strings) -> FaultsView {
    let nodes: Vec<&Node> = cluster.nodes.iter().filter(|node| !node.is_removed).collect();
    let row = |from: &&Node| nodes.iter().map(|to| cell(cluster, (from, to), edited, s)).collect();
    let ends = edited.and_then(|(from, to)| Some((cluster.node(from)?, cluster.node(to)?)));
    FaultsView {
        presets: presets(cluster, &nodes, s),
        names: nodes.iter().map(|node| node.shown_name()).collect(),
        rows: nodes.iter().map(row).collect(),
        editor: ends.map(|ends| editor(&cluster.links, ends, s)),
        pace: pace(cluster, s),
        is_paused: is_paused(&nodes),
        is_elsewhere: cluster.phase == Phase::TakenOver,
    }
}

/// True if somebody stands still, and nobody goes on.
fn is_paused(nodes: &[&Node]) -> bool {
    nodes.iter().any(|node| node.is_paused) && !nodes.iter().any(|node| node.is_serving())
}

fn pace(cluster: &Cluster, s: &Strings) -> Vec<ChoicesView> {
    let mut speeds: Vec<Speed> = SLOWER.iter().filter_map(|times| Speed::slower(*times)).collect();
    if !speeds.contains(&cluster.speed) {
        speeds.push(cluster.speed);
    }
    let speed = |speed: Speed| OptionView {
        action: Action::Speed(speed),
        label: if speed.is_real() { s.pace_real.to_owned() } else { speed.to_string() },
        is_on: speed == cluster.speed,
    };
    let now = cluster.links.common_delay(&cluster.ids());
    let mut latencies = LATENCIES_MS.to_vec();
    latencies.extend(now.filter(|now| !latencies.contains(now)));
    let latency = |ms: u32| OptionView {
        action: Action::Latency(ms),
        label: if ms == 0 { s.fault_off.to_owned() } else { duration(ms) },
        is_on: Some(ms) == now,
    };
    vec![
        ChoicesView { label: s.pace_speed, options: speeds.into_iter().map(speed).collect() },
        ChoicesView {
            label: s.pace_latency,
            options: latencies.into_iter().map(latency).collect(),
        },
    ]
}

fn link_name((from, to): (&Node, &Node), s: &Strings) -> String {
    format!("{}{}{}", from.shown_name(), s.arrow_one_way, to.shown_name())
}

fn cell(
    cluster: &Cluster,
    (from, to): (&Node, &Node),
    edited: Option<(MemberId, MemberId)>,
    s: &Strings,
) -> Option<CellView> {
    let ends = (from.member.id, to.member.id);
    if ends.0 == ends.1 {
        return None;
    }
    let words = rule_words(cluster.links.rule(ends.0, ends.1), s);
    let (state, sign, told) = if !cluster.links.is_open(ends.0, ends.1) {
        ("cut", s.cell_cut.to_owned(), s.link_state_cut.to_owned())
    } else if words.is_empty() {
        ("open", s.cell_open.to_owned(), s.link_state_open.to_owned())
    } else {
        ("disturbed", s.cell_disturbed.of(&words), words)
    };
    Some(CellView {
        ends,
        id: format!("{}-{}", from.shown_name(), to.shown_name()),
        sign,
        label: s.cell_label.of(&link_name((from, to), s), &told),
        state,
        is_edited: edited == Some(ends),
    })
}

fn editor(links: &Links, (from, to): (&Node, &Node), s: &Strings) -> EditorView {
    let (one, other) = (from.member.id, to.member.id);
    let is_open = links.is_open(one, other);
    let option = |action, label: &str, is_on| OptionView { action, label: label.to_owned(), is_on };
    let link = ChoicesView {
        label: s.fault_link,
        options: vec![
            option(Action::HealOneWay(one, other), s.link_state_open, is_open),
            option(Action::CutOneWay(one, other), s.link_state_cut, !is_open),
        ],
    };
    let mut choices = vec![link];
    for (now, _) in faults_of(links.rule(one, other)) {
        let offered = match now {
            LinkFault::Delay { .. } => DELAYS_MS.map(|ms| LinkFault::Delay { ms, jitter_ms: 0 }),
            LinkFault::Loss(_) => SHARES.map(LinkFault::Loss),
            LinkFault::Duplicate(_) => SHARES.map(LinkFault::Duplicate),
            LinkFault::Reorder(_) => SHARES.map(LinkFault::Reorder),
        };
        let mut offered = offered.to_vec();
        if !offered.contains(&now) {
            offered.push(now);
        }
        let option = |fault: LinkFault| OptionView {
            action: Action::Disturb { from: one, to: other, one_way: true, fault },
            label: link_fault_parts(fault, s).1,
            is_on: fault == now,
        };
        let label = link_fault_parts(now, s).0;
        choices.push(ChoicesView { label, options: offered.into_iter().map(option).collect() });
    }
    EditorView { title: s.faults_of.of(&link_name((from, to), s)), choices }
}

/// What is wrong with a member's disk and clock, in a few words; nothing if nothing is.
pub(super) fn member_words(faults: MemberFaults, s: &Strings) -> String {
    let mut words = Vec::new();
    if faults.disk_delay_ms() > 0 {
        words.push(format!(
            "{} {}",
            s.fault_disk,
            s.fault_slower.of(&duration(faults.disk_delay_ms()))
        ));
    }
    if faults.is_disk_full() {
        words.push(format!("{} {}", s.fault_disk, s.fault_full));
    }
    if faults.clock() != WHOLE {
        words.push(format!("{} {}", s.fault_clock, percent(faults.clock())));
    }
    words.join(", ")
}

/// What can be made wrong with a member's disk and clock.
pub(super) fn member_choices(node: &Node, s: &Strings) -> Vec<ChoicesView> {
    if node.is_removed {
        return Vec::new();
    }
    let option = |fault, label, is_on| OptionView {
        action: Action::Afflict(node.member.id, fault),
        label,
        is_on,
    };
    let choose = |label, offered: [u32; 4], now: u32, of: fn(u32) -> MemberFault| {
        let mut offered = offered.to_vec();
        if !offered.contains(&now) {
            offered.push(now);
        }
        let words = |value| match of(value) {
            MemberFault::SlowDisk(0) => s.fault_quick.to_owned(),
            MemberFault::SlowDisk(ms) => s.fault_slower.of(&duration(ms)),
            _ => percent(value),
        };
        let one = |value: u32| option(of(value), words(value), value == now);
        ChoicesView { label, options: offered.into_iter().map(one).collect() }
    };
    let (faults, is_full) = (node.faults, node.faults.is_disk_full());
    vec![
        choose(s.fault_disk, DISK_DELAYS_MS, faults.disk_delay_ms(), MemberFault::SlowDisk),
        ChoicesView {
            label: s.fault_space,
            options: vec![
                option(MemberFault::FreeDisk, s.fault_free.to_owned(), !is_full),
                option(MemberFault::FillDisk, s.fault_full.to_owned(), is_full),
            ],
        },
        choose(s.fault_clock, CLOCKS, faults.clock(), MemberFault::Clock),
    ]
}

/// The minority side has the leader, so that the others must elect.
fn presets(cluster: &Cluster, nodes: &[&Node], s: &Strings) -> Vec<PresetView> {
    let leader = cluster.leader().map(|node| node.member.id);
    let numbers: Vec<u32> = nodes.iter().filter_map(|node| number_of(&node.member.name)).collect();
    let leads = |number: &u32| {
        let named = nodes.iter().find(|node| number_of(&node.member.name) == Some(*number));
        named.is_some_and(|node| Some(node.member.id) == leader)
    };
    let first = numbers.iter().position(leads).unwrap_or(0);
    let few = numbers.len().saturating_sub(1) / 2;
    // The leader and those behind it, round the ring.
    let is_few = |at: usize| (at + numbers.len() - first) % numbers.len() < few;
    let side = |wanted: bool| -> Vec<u32> {
        let places = numbers.iter().enumerate().filter(|(at, _)| is_few(*at) == wanted);
        places.map(|(_, number)| *number).collect()
    };
    let (minority, majority) = (side(true), side(false));
    let label = match (minority.len(), majority.len()) {
        // There is nobody to be on one side.
        (0, _) => s.preset_split.of("", ""),
        (few, many) => s.preset_split.of(&few.to_string(), &many.to_string()),
    };
    let split = Sides::new(&[minority, majority]).ok().filter(|_| leader.is_some());
    let alone: Vec<Vec<u32>> = numbers.iter().map(|number| vec![*number]).collect();
    let alone = Sides::new(&alone).ok();
    let follower = nodes.iter().find(|node| node.is_serving() && Some(node.member.id) != leader);
    let one_way = leader.zip(follower.map(|node| node.member.id));
    let name = |id| cluster.name(id);
    let preset = |id, label: &str, hint: Option<String>, action: Option<Action>| PresetView {
        id,
        label: label.to_owned(),
        hint: hint.unwrap_or_else(|| s.preset_none.to_owned()),
        action,
    };
    vec![
        preset(
            "preset-isolate",
            s.preset_isolate,
            leader.map(|leader| s.action_on.of(s.action_isolate, &name(leader))),
            leader.map(Action::Isolate),
        ),
        preset(
            "preset-split",
            &label,
            split.map(|sides| s.preset_split_hint.of(&sides.to_string())),
            split.map(Action::Partition),
        ),
        preset(
            "preset-one-way",
            s.preset_one_way,
            one_way.map(|(from, to)| s.preset_one_way_hint.of(&name(from), &name(to))),
            one_way.map(|(from, to)| Action::CutOneWay(from, to)),
        ),
        preset(
            "preset-slow-disk",
            s.preset_slow,
            leader.map(|leader| s.preset_slow_hint.of(&name(leader), &duration(SLOW_DISK_MS))),
            leader.map(|leader| Action::Afflict(leader, MemberFault::SlowDisk(SLOW_DISK_MS))),
        ),
        preset(
            "preset-quorum",
            s.preset_quorum,
            alone.map(|_| s.preset_quorum_hint.to_owned()),
            alone.map(Action::Partition),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::cluster::tests::{opened, status, three};
    use crate::playground::edge::{Effect, News};
    use crate::playground::strings::EN;
    use crate::types::Millis;

    const ONE: MemberId = MemberId(1);
    const TWO: MemberId = MemberId(2);

    /// `count` members, infra1 leads.
    fn cluster(count: u64) -> Cluster {
        let mut cluster = Cluster::default();
        cluster.hear(&opened(count), Millis(0));
        for id in 1..=count {
            cluster.hear(&News::MemberUp(MemberId(id)), Millis(10));
            cluster.hear(&News::Status(status(id, 1, 2)), Millis(20));
        }
        cluster
    }

    fn pressed(cluster: &mut Cluster, id: &str) -> Effect {
        let view = view(cluster, None, &EN);
        let preset = view.presets.iter().find(|preset| preset.id == id).unwrap();
        cluster.act(preset.action.unwrap()).unwrap()
    }

    fn signs(cluster: &Cluster) -> Vec<String> {
        let view = view(cluster, None, &EN);
        view.rows.iter().flatten().flatten().map(|cell| cell.sign.clone()).collect()
    }

    #[test]
    fn every_direction_has_a_cell_with_a_sign_and_a_sentence() {
        let mut cluster = three();
        assert_eq!(signs(&cluster), ["✓"; 6]);
        let loss = LinkFault::Loss(300);
        let disturb = Action::Disturb { from: ONE, to: TWO, one_way: true, fault: loss };
        assert!(cluster.act(disturb).is_ok());
        assert!(cluster.act(Action::CutOneWay(TWO, ONE)).is_ok());
        let view = view(&cluster, None, &EN);
        let (forth, back) = (view.rows[0][1].clone().unwrap(), view.rows[1][0].clone().unwrap());
        assert_eq!((forth.state, forth.sign.as_str()), ("disturbed", "~ loss 30%"));
        assert_eq!(forth.label, "infra1 → infra2: loss 30%");
        assert_eq!((back.state, back.sign.as_str()), ("cut", "✕ cut"));
        assert!(view.rows[0][0].is_none());
    }

    #[test]
    fn an_editor_marks_what_is_in_force_and_offers_the_rest() {
        let mut cluster = three();
        let delay = LinkFault::Delay { ms: 200, jitter_ms: 50 };
        let disturb = Action::Disturb { from: ONE, to: TWO, one_way: false, fault: delay };
        assert!(cluster.act(disturb).is_ok());
        let editor = view(&cluster, Some((ONE, TWO)), &EN).editor.unwrap();
        let on = |choices: &ChoicesView| {
            let on: Vec<&OptionView> = choices.options.iter().filter(|one| one.is_on).collect();
            assert_eq!(on.len(), 1, "{choices:?}");
            on[0].label.clone()
        };
        let marked: Vec<String> = editor.choices.iter().map(on).collect();
        assert_eq!(marked, ["open", "200ms and up to 50ms more", "off", "off", "off"]);
        // Pressing a choice does what it says, in this direction only.
        let loses_all = editor.choices[2].options[3].action;
        assert!(cluster.act(loses_all).is_ok());
        assert_eq!(cluster.links.rule(ONE, TWO).loss, WHOLE);
        assert_eq!(cluster.links.rule(TWO, ONE).loss, 0);
        assert_eq!(view(&cluster, Some((ONE, MemberId(9))), &EN).editor, None);
    }

    #[test]
    fn a_split_leaves_the_leader_in_the_minority() {
        let mut cluster = cluster(5);
        let preset = view(&cluster, None, &EN).presets[1].clone();
        assert_eq!((preset.label.as_str(), preset.id), ("Split 2/3", "preset-split"));
        assert!(preset.hint.ends_with("infra1,infra2 | infra3,infra4,infra5"));
        let Effect::SetLinks(links) = pressed(&mut cluster, "preset-split") else { panic!() };
        assert_eq!(links.cut_links().count(), 12);
        assert!(links.is_open(ONE, TWO) && !links.is_open(ONE, MemberId(3)));
    }

    #[test]
    fn a_lost_quorum_leaves_everybody_alone_and_a_cluster_of_one_cannot_be_split() {
        let mut five = cluster(5);
        let Effect::SetLinks(links) = pressed(&mut five, "preset-quorum") else { panic!() };
        assert_eq!(links.cut_links().count(), 20);
        assert!(!five.has_quorum());
        let one = view(&cluster(1), None, &EN);
        let can: Vec<bool> = one.presets.iter().map(|preset| preset.action.is_some()).collect();
        assert_eq!(can, [true, false, false, true, false]);
        assert_eq!(one.presets[1].hint, EN.preset_none);
    }

    #[test]
    fn a_split_is_said_in_numbers_only_where_there_are_two_sides() {
        let label = |cluster: &Cluster| view(cluster, None, &EN).presets[1].label.clone();
        assert_eq!(label(&Cluster::default()), "Split the network", "no cluster is open");
        assert_eq!(label(&cluster(1)), "Split the network");
        assert_eq!(label(&cluster(2)), "Split the network");
        assert_eq!(label(&cluster(3)), "Split 1/2");
    }

    #[test]
    fn presets_name_whom_they_mean() {
        let mut three = three();
        let Effect::SetLinks(links) = pressed(&mut three, "preset-one-way") else { panic!() };
        assert_eq!(links.cut_links().collect::<Vec<_>>(), [(ONE, TWO)]);
        let Effect::SetFaults(member, faults) = pressed(&mut three, "preset-slow-disk") else {
            panic!()
        };
        assert_eq!((member, faults.disk_delay_ms()), (ONE, SLOW_DISK_MS));
        let Effect::SetLinks(links) = pressed(&mut three, "preset-isolate") else { panic!() };
        assert_eq!(links.cut_links().count(), 4);
    }

    #[test]
    fn a_members_faults_are_told_and_can_be_ended() {
        let mut cluster = three();
        for fault in [MemberFault::SlowDisk(250), MemberFault::FillDisk, MemberFault::Clock(1_500)]
        {
            assert!(cluster.act(Action::Afflict(ONE, fault)).is_ok());
        }
        let node = cluster.node(ONE).unwrap();
        assert_eq!(member_words(node.faults, &EN), "disk +250ms, disk full, clock 150%");
        let choices = member_choices(node, &EN);
        let on = |at: usize| choices[at].options.iter().position(|option| option.is_on);
        assert_eq!([on(0), on(1), on(2)], [Some(4), Some(1), Some(2)]);
        for (at, place) in [(0, 0), (1, 0), (2, 1)] {
            assert!(cluster.act(choices[at].options[place].action).is_ok());
        }
        assert!(cluster.node(ONE).unwrap().faults.is_none());
    }

    fn chosen(cluster: &Cluster) -> Vec<String> {
        let lists = view(cluster, None, &EN).pace.into_iter();
        let on = lists.map(|list| list.options.into_iter().find(|option| option.is_on));
        on.map(|option| option.map_or_else(String::new, |option| option.label)).collect()
    }

    #[test]
    fn speed_and_latency_show_what_is_in_force() {
        let mut cluster = cluster(3);
        assert_eq!(chosen(&cluster), ["real time", "off"]);
        let slow = Speed::slower(7).unwrap();
        assert!(
            matches!(cluster.act(Action::Speed(slow)), Ok(Effect::SetSpeed(now)) if now == slow)
        );
        let Ok(Effect::SetLinks(links)) = cluster.act(Action::Latency(30)) else {
            panic!("a latency is a matter of links");
        };
        assert_eq!(links.rules().count(), 6);
        assert_eq!(chosen(&cluster), ["1/7", "30ms"]);
        let delay = LinkFault::Delay { ms: 5, jitter_ms: 0 };
        let one = Action::Disturb { from: ONE, to: TWO, one_way: true, fault: delay };
        assert!(cluster.act(one).is_ok());
        assert_eq!(chosen(&cluster), ["1/7", ""], "they are not the same any more");
        assert!(cluster.act(Action::Latency(0)).is_ok());
        assert!(cluster.links.is_whole());
    }

    #[test]
    fn a_cluster_is_paused_when_nobody_goes_on() {
        let mut cluster = cluster(3);
        for id in 1..=3 {
            assert!(!view(&cluster, None, &EN).is_paused);
            assert!(cluster.act(Action::Pause(MemberId(id))).is_ok());
        }
        assert!(view(&cluster, None, &EN).is_paused);
    }
}
