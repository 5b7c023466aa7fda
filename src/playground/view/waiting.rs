//! What a member waits for, in words.
//!
//! What it is: one sentence of a member's state, or none; the gravest reason wins.
//! What it is not: a guess: everything is read from states, links and what was done to the member.
//! Invariants: see `view`; whoever waits for nothing has no words.

use super::cluster::ClusterView;
use crate::api::Role;
use crate::playground::cluster::{Cluster, Life, Node, Phase};
use crate::playground::strings::Strings;
use crate::types::{Index, Millis};
use crate::wire::DownReason;

/// Fewer entries are on their way in a healthy cluster under load. Unit: entries. Source: ours.
const BEHIND_MIN: u64 = 50;

/// An entry that is committed sooner is not worth a word. Unit: ms. Source: ours, etcd's default election timeout.
const STUCK_MS_MIN: u64 = 1_000;

/// Writes the words into the cards, and into the sentence that stands for the picture.
pub(in crate::playground) fn fill(
    view: &mut ClusterView,
    cluster: &Cluster,
    now: Millis,
    s: &Strings,
) {
    for (card, node) in view.cards.iter_mut().zip(&cluster.nodes) {
        card.waits = words(cluster, node, now, s);
        if !card.waits.is_empty() {
            view.summary.push_str(s.sentence_gap);
            view.summary.push_str(&s.labelled.of(&card.name, &card.waits));
        }
    }
}

/// What a member waits for; nothing if it waits for nothing.
#[must_use]
pub fn words(cluster: &Cluster, node: &Node, now: Millis, s: &Strings) -> String {
    match &node.life {
        // It lives on in another tab, where it may be told.
        _ if node.is_removed || cluster.phase == Phase::TakenOver => String::new(),
        Life::Starting => s.wait_starting.to_owned(),
        Life::Up if node.is_paused => s.wait_paused.to_owned(),
        Life::Up => running(cluster, node, now, s),
        Life::Down(_) if node.faults.is_disk_full() => s.wait_full.to_owned(),
        Life::Down(
            DownReason::Killed
            | DownReason::PowerCut
            | DownReason::NotStarted
            | DownReason::Crashed { .. }
            | DownReason::Unresponsive,
        ) => s.wait_down.to_owned(),
        // What its trouble needs is said beside it.
        Life::Down(_) | Life::Stopping => String::new(),
    }
}

fn running(cluster: &Cluster, node: &Node, now: Millis, s: &Strings) -> String {
    let (status, waits) = (&node.status, node.waits);
    let reach = cluster.reach(node);
    let number = |number: u64| number.to_string();
    let since = |at: Millis| s.seconds.of(now.since(at));
    if node.faults.is_disk_full() {
        return s.wait_full.to_owned();
    }
    if let Some(at) = waits.alone {
        let words = if reach.is_cut { s.wait_cut } else { s.wait_alone };
        let (needs, of, has) = (number(reach.needs), number(reach.of), number(reach.has));
        return s.wait_needs.of(&needs, &of, &has, &words.of(&since(at)));
    }
    if matches!(status.role, Role::Candidate | Role::PreCandidate) {
        return s.wait_votes.of(&number(status.votes), &number(reach.needs));
    }
    if let Some((part, parts)) = status.receiving {
        return s.wait_snapshot.of(&part.to_string(), &parts.to_string());
    }
    if let Some(at) = waits.leaderless {
        return s.wait_leader.of(&since(at));
    }
    let behind = behind(cluster, node);
    if behind >= BEHIND_MIN {
        return s.wait_behind.of(behind);
    }
    if let Some((commit, at)) = waits.stuck
        && now.since(at) >= STUCK_MS_MIN
    {
        let next = commit.next();
        let has = number(holders(cluster, node, next));
        return s.wait_entry.of(&number(next.0), &number(reach.needs), &number(reach.of), &has);
    }
    let unwritten = status.last_index.0.saturating_sub(status.durable_index.0);
    if node.faults.disk_delay_ms() > 0 && unwritten > 0 {
        return s.wait_disk.of(unwritten);
    }
    String::new()
}

/// How many entries a member lacks that its leader has, as the leader knows. Unit: entries.
fn behind(cluster: &Cluster, node: &Node) -> u64 {
    let Some(leader) = node.status.leader.and_then(|leader| cluster.node(leader)) else { return 0 };
    let its = leader.status.progress.iter().find(|peer| peer.member == node.member.id);
    let its = its.filter(|peer| peer.is_recently_active && leader.is_serving());
    its.map_or(0, |peer| leader.status.last_index.0.saturating_sub(peer.matched.0))
}

/// How many voters have an entry, as the leader knows, itself included.
fn holders(cluster: &Cluster, leader: &Node, index: Index) -> u64 {
    let has = |id| {
        let its = leader.status.progress.iter().find(|peer| peer.member == id);
        its.map_or(leader.status.durable_index, |peer| peer.matched) >= index
    };
    let voters = cluster.nodes.iter().filter(|node| node.is_voter());
    let holders = voters.filter(|node| has(node.member.id)).count();
    u64::try_from(holders).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::PeerProgress;
    use crate::cluster::fault::MemberFault;
    use crate::playground::cluster::Action;
    use crate::playground::cluster::tests::three;
    use crate::playground::edge::News;
    use crate::playground::strings::EN;
    use crate::types::MemberId;

    const ONE: MemberId = MemberId(1);
    const TWO: MemberId = MemberId(2);
    const THREE: MemberId = MemberId(3);

    /// What a member's words are, `later` after its wait began.
    fn told(cluster: &mut Cluster, member: MemberId, later: u64) -> String {
        cluster.note_waits(Millis(10_000));
        cluster.note_waits(Millis(10_500));
        words(cluster, cluster.node(member).unwrap(), Millis(10_000 + later), &EN)
    }

    fn change(cluster: &mut Cluster, member: MemberId, change: impl FnOnce(&mut Node)) {
        let node = cluster.nodes.iter_mut().find(|node| node.member.id == member);
        change(node.unwrap());
    }

    fn down(cluster: &mut Cluster, member: MemberId, reason: DownReason) {
        cluster.hear(&News::MemberDown { member, reason }, Millis(9_000));
    }

    #[test]
    fn whoever_waits_for_nothing_has_no_words() {
        let mut cluster = three();
        for member in [ONE, TWO, THREE] {
            assert_eq!(told(&mut cluster, member, 4_200), "");
        }
        assert!(!cluster.note_waits(Millis(11_000)), "so nothing has to count the time");
    }

    #[test]
    fn who_is_cut_off_needs_a_majority_since_a_time() {
        let mut cluster = three();
        assert!(cluster.act(Action::Isolate(ONE)).is_ok());
        assert_eq!(told(&mut cluster, ONE, 4_200), "needs 2 of 3, has 1; cut off since 4.2 s");
        assert_eq!(told(&mut cluster, TWO, 4_200), "", "the others are two");
        assert!(cluster.act(Action::HealAll).is_ok());
        assert_eq!(told(&mut cluster, ONE, 4_200), "");
    }

    #[test]
    fn the_last_of_three_needs_a_majority_and_the_dead_need_a_start() {
        let mut cluster = three();
        down(&mut cluster, ONE, DownReason::Killed);
        down(&mut cluster, TWO, DownReason::PowerCut);
        assert_eq!(told(&mut cluster, THREE, 700), "needs 2 of 3, has 1; no majority since 0.7 s");
        assert_eq!(told(&mut cluster, ONE, 700), "waits to be started");
        let message = "term 3 is below the fence's 5".to_owned();
        down(&mut cluster, ONE, DownReason::DiskRolledBack { message });
        assert_eq!(told(&mut cluster, ONE, 700), "", "its trouble says what it needs");
    }

    #[test]
    fn a_candidate_counts_its_votes() {
        let mut cluster = three();
        change(&mut cluster, TWO, |node| {
            node.status.role = Role::Candidate;
            node.status.leader = None;
            node.status.votes = 1;
        });
        assert_eq!(told(&mut cluster, TWO, 0), "asks for votes: has 1 of 2");
    }

    #[test]
    fn who_knows_no_leader_says_since_when() {
        let mut cluster = three();
        change(&mut cluster, THREE, |node| node.status.leader = None);
        assert_eq!(told(&mut cluster, THREE, 3_100), "no leader for 3.1 s");
    }

    #[test]
    fn who_is_behind_says_how_far_or_how_much_of_a_snapshot_is_there() {
        let mut cluster = three();
        change(&mut cluster, ONE, |node| {
            node.status.last_index = Index(200);
            node.status.commit = Index(200);
            node.status.progress = vec![PeerProgress {
                member: TWO,
                matched: Index(80),
                next: Index(81),
                state: "StateReplicate".to_owned(),
                is_recently_active: true,
            }];
        });
        assert_eq!(told(&mut cluster, TWO, 0), "catching up: 120 entries behind");
        change(&mut cluster, TWO, |node| node.status.receiving = Some((3, 9)));
        assert_eq!(told(&mut cluster, TWO, 0), "receives a snapshot: 3 of 9 parts");
    }

    #[test]
    fn a_leader_whose_entry_is_not_committed_says_who_has_it() {
        let mut cluster = three();
        change(&mut cluster, ONE, |node| {
            node.status.last_index = Index(9);
            node.status.durable_index = Index(9);
            let peer = |member| PeerProgress {
                member,
                matched: Index(8),
                next: Index(10),
                state: "StateReplicate".to_owned(),
                is_recently_active: true,
            };
            node.status.progress = vec![peer(TWO), peer(THREE)];
        });
        assert_eq!(told(&mut cluster, ONE, 900), "", "it is on its way");
        assert_eq!(told(&mut cluster, ONE, 1_500), "entry 9 needs 2 of 3, has 1");
    }

    #[test]
    fn disks_and_clocks_are_told() {
        let mut cluster = three();
        assert!(cluster.act(Action::Afflict(TWO, MemberFault::SlowDisk(500))).is_ok());
        change(&mut cluster, TWO, |node| node.status.durable_index = Index(6));
        assert_eq!(told(&mut cluster, TWO, 0), "waits for its disk: 2 entries");
        assert!(cluster.act(Action::Afflict(TWO, MemberFault::FillDisk)).is_ok());
        assert_eq!(told(&mut cluster, TWO, 0), "disk full");
        let message = "the disk is full".to_owned();
        down(&mut cluster, TWO, DownReason::DiskFailed { message });
        assert_eq!(told(&mut cluster, TWO, 0), "disk full");
        assert!(cluster.act(Action::Pause(THREE)).is_ok());
        assert_eq!(told(&mut cluster, THREE, 0), "its clock stands still");
        cluster.hear(&News::MemberStarting(ONE), Millis(9_000));
        assert_eq!(told(&mut cluster, ONE, 0), "starting: reads its disk");
    }

    #[test]
    fn the_words_stand_on_the_card_and_in_the_sentence_for_the_picture() {
        let mut cluster = three();
        assert!(cluster.act(Action::Isolate(ONE)).is_ok());
        cluster.note_waits(Millis(10_000));
        let changes = crate::playground::membership::Changes::default();
        let mut view = super::super::cluster::view(&cluster, &changes, &EN);
        fill(&mut view, &cluster, Millis(11_000), &EN);
        assert_eq!(view.cards[0].waits, "needs 2 of 3, has 1; cut off since 1.0 s");
        assert!(view.summary.ends_with("infra1: needs 2 of 3, has 1; cut off since 1.0 s"));
    }
}
