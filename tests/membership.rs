//! Members come and go while the cluster runs.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

mod support;

use etcd_playground::api::{
    Error, Member, MemberAddRequest, MemberAddResponse, MemberListRequest, MemberPromoteRequest,
    MemberRemoveRequest, MemberUpdateRequest, MoveLeaderRequest, Request, Response, Role,
    StatusRequest,
};
use etcd_playground::membership::{client_url, member_id, peer_url};
use etcd_playground::raft::{
    AsConfChange, ConfChangeSingle, ConfChangeTransition, ConfChangeType, ConfChangeV2, Entry,
    EntryType,
};
use etcd_playground::random::Pcg32;
use etcd_playground::types::{ClusterId, MemberId};
use support::Run;

const UNHEALTHY: &str = "etcdserver: unhealthy cluster";
const NOT_ENOUGH: &str = "etcdserver: re-configuration failed due to not enough started members";

fn add_request(number: u32, is_learner: bool) -> Request {
    Request::MemberAdd(MemberAddRequest { peer_urls: vec![peer_url(number)], is_learner })
}

fn add(run: &mut Run, to: MemberId, number: u32, is_learner: bool) -> MemberAddResponse {
    match run.ask(to, add_request(number, is_learner)) {
        Ok(Response::MemberAdd(added)) => added,
        other => panic!("{other:?}"),
    }
}

fn join(run: &mut Run, added: &MemberAddResponse, number: u32) {
    run.sim.join(added, &format!("infra{number}"), &client_url(number));
}

fn remove(id: MemberId) -> Request {
    Request::MemberRemove(MemberRemoveRequest { id })
}

fn promote(id: MemberId) -> Request {
    Request::MemberPromote(MemberPromoteRequest { id })
}

fn move_leader(target_id: MemberId) -> Request {
    Request::MoveLeader(MoveLeaderRequest { target_id })
}

fn list(run: &mut Run, member: MemberId) -> Vec<Member> {
    match run.ask(member, Request::MemberList(MemberListRequest { linearizable: true })) {
        Ok(Response::MemberList(list)) => list.members,
        other => panic!("{other:?}"),
    }
}

/// A settled cluster: its peers have been connected for more than 5 s.
fn settled(members: u32, seed: u64) -> (Run, MemberId) {
    let mut run = Run::new(members, seed, |_| {});
    run.wait_leader();
    run.run_ms(6_000);
    let leader = run.wait_leader();
    (run, leader)
}

#[test]
fn an_added_voter_joins_gets_everything_and_counts() {
    for snapshot in [false, true] {
        let mut run = Run::new(3, 3, |config| {
            if snapshot {
                config.snapshot_count = 10;
                config.snapshot_catchup_entries = 1;
            }
        });
        run.wait_leader();
        run.run_ms(6_000);
        let leader = run.wait_leader();
        run.puts(leader, 40);
        let added = add(&mut run, leader, 4, false);
        assert_eq!(added.members.len(), 4);
        assert_eq!(added.header.revision, 0, "as in etcd");
        let unstarted = list(&mut run, leader);
        let own = unstarted.iter().find(|member| member.id == added.member.id).unwrap();
        assert!(own.name.is_empty() && own.client_urls.is_empty(), "{own:?}");
        join(&mut run, &added, 4);
        run.run_ms(3_000);
        let id = added.member.id;
        let members = list(&mut run, id);
        let own = members.iter().find(|member| member.id == id).unwrap();
        assert_eq!((own.name.as_str(), own.client_urls.len()), ("infra4", 1));
        assert_eq!(members.len(), 4);
        run.assert_equal();
        // Two of four do not suffice, three do, with the new one among them.
        let others: Vec<MemberId> =
            run.ids().into_iter().filter(|other| *other != leader && *other != id).collect();
        run.sim.kill(others[0]);
        run.wait_leader();
        run.put(id, "with three", "1").unwrap();
        run.sim.kill(others[1]);
        run.run_ms(4_000);
        assert!(run.ask_5s(id, support::put("with two", "1")).is_err());
        run.assert_nobody_crashed();
    }
}

#[test]
fn the_id_of_an_added_member_is_sha1_over_urls_token_and_second() {
    let (mut run, leader) = settled(1, 1);
    let second = 1_700_000_000 + i64::try_from(run.sim.now().0 / 1000).unwrap();
    let added = add(&mut run, leader, 2, true);
    let candidates: Vec<MemberId> = (second - 1..=second + 1)
        .map(|at| member_id(&[peer_url(2)], "etcd-cluster", Some(at)))
        .collect();
    assert!(candidates.contains(&added.member.id), "{:x}", added.member.id);
}

#[test]
fn a_change_within_five_seconds_of_the_start_is_refused() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    run.run_ms(1_000);
    for is_learner in [false, true] {
        let answer = run.ask(leader, add_request(4, is_learner));
        assert_eq!(answer.unwrap_err(), UNHEALTHY);
    }
    let follower = run.follower();
    assert_eq!(run.ask(leader, remove(follower)).unwrap_err(), UNHEALTHY);
    run.run_ms(5_500);
    assert!(run.ask(leader, add_request(4, false)).is_ok());
}

#[test]
fn with_one_of_three_down_nobody_is_added_and_only_the_dead_one_is_removed() {
    let (mut run, leader) = settled(3, 2);
    let others: Vec<MemberId> = run.ids().into_iter().filter(|id| *id != leader).collect();
    run.sim.kill(others[0]);
    run.run_ms(6_000);
    for is_learner in [false, true] {
        assert_eq!(run.ask(leader, add_request(4, is_learner)).unwrap_err(), UNHEALTHY);
    }
    assert_eq!(run.ask(leader, remove(others[1])).unwrap_err(), UNHEALTHY);
    assert!(run.ask(leader, remove(others[0])).is_ok());
    assert_eq!(list(&mut run, leader).len(), 2);
}

#[test]
fn members_that_never_started_block_the_next_one() {
    let (mut run, leader) = settled(3, 4);
    add(&mut run, leader, 4, false);
    add(&mut run, leader, 5, false);
    assert_eq!(run.ask(leader, add_request(6, false)).unwrap_err(), NOT_ENOUGH, "three of six");
    let (mut run, only) = settled(1, 4);
    add(&mut run, only, 2, true);
    let answer = run.ask(only, add_request(3, true)).unwrap_err();
    assert_eq!(answer, "etcdserver: too many learner members in cluster");
    assert_eq!(run.ask(only, remove(only)).unwrap_err(), NOT_ENOUGH, "it is the only voter");
}

#[test]
fn one_member_joined_by_a_second_that_never_comes_has_no_quorum() {
    let (mut run, only) = settled(1, 5);
    let added = add(&mut run, only, 2, false);
    assert!(run.ask_5s(only, support::put("k", "v")).is_err());
    let again = run.ask(only, add_request(3, false)).unwrap_err();
    assert_eq!(again, NOT_ENOUGH);
    // Its log has the put; it commits once the second one is there.
    join(&mut run, &added, 2);
    run.run_ms(5_000);
    assert_eq!(run.get(only, "k", false), Ok(Some("v".to_owned())));
    run.assert_equal();
    run.assert_nobody_crashed();
}

#[test]
fn refused_changes_say_why_and_change_nothing() {
    let (mut run, leader) = settled(3, 6);
    let before = list(&mut run, leader);
    let other = run.follower();
    let update = |id, number| {
        Request::MemberUpdate(MemberUpdateRequest { id, peer_urls: vec![peer_url(number)] })
    };
    let unknown = MemberId(0x1234);
    let bad = MemberAddRequest { peer_urls: vec!["http://x".to_owned()], is_learner: false };
    let exists = "etcdserver: Peer URLs already exists";
    let not_found = "etcdserver: member not found";
    for (request, text) in [
        (add_request(1, false), exists),
        (add_request(1, true), exists),
        (Request::MemberAdd(bad), "etcdserver: given member URLs are invalid"),
        (remove(unknown), not_found),
        (update(unknown, 9), not_found),
        (promote(unknown), not_found),
        (promote(other), "etcdserver: can only promote a learner member"),
    ] {
        // Everybody has caught up: who lags is told so instead.
        run.run_ms(300);
        assert_eq!(run.ask(leader, request.clone()).unwrap_err(), text, "{request:?}");
    }
    let taken = before.iter().find(|member| member.id != other).unwrap().peer_urls.clone();
    let request = Request::MemberUpdate(MemberUpdateRequest { id: other, peer_urls: taken });
    assert_eq!(run.ask(leader, request).unwrap_err(), exists);
    assert_eq!(list(&mut run, leader), before);
    assert!(run.ask(leader, update(other, 7)).is_ok());
    let after = list(&mut run, leader);
    let own = after.iter().find(|member| member.id == other).unwrap();
    assert_eq!(own.peer_urls, [peer_url(7)]);
    run.assert_equal();
}

#[test]
fn a_learner_follows_refuses_clients_and_is_promoted_when_it_has_caught_up() {
    let (mut run, leader) = settled(1, 7);
    run.puts(leader, 200);
    let added = add(&mut run, leader, 2, true);
    let id = added.member.id;
    let not_ready = "etcdserver: can only promote a learner member which is in sync with leader";
    assert_eq!(run.ask(leader, promote(id)).unwrap_err(), not_ready);
    run.put(leader, "quorum", "stays").unwrap();
    join(&mut run, &added, 2);
    run.run_ms(2_500);
    let refused = Error::NotSupportedForLearner.text();
    assert_eq!(run.get(id, "quorum", false).unwrap_err(), refused);
    assert_eq!(run.put(id, "a", "2").unwrap_err(), refused);
    assert_eq!(run.ask(id, promote(id)).unwrap_err(), refused);
    let members = Request::MemberList(MemberListRequest { linearizable: false });
    assert_eq!(run.ask(id, members).unwrap_err(), refused);
    assert_eq!(run.get(id, "quorum", true), Ok(Some("stays".to_owned())));
    match run.ask(id, Request::Status(StatusRequest {})) {
        Ok(Response::Status(status)) => assert!(status.is_learner),
        other => panic!("{other:?}"),
    }
    assert_eq!(run.sim.status(id).unwrap().role, Role::Learner);
    let watch = run.watch(id, "a", 0);
    run.run_ms(100);
    assert_eq!(run.ended.get(&watch), Some(&Error::NotSupportedForLearner));
    let target = "etcdserver: bad leader transferee";
    assert_eq!(run.ask(leader, move_leader(id)).unwrap_err(), target);
    assert!(run.ask(leader, promote(id)).is_ok());
    run.run_ms(500);
    assert_eq!(run.put(id, "a", "3"), Ok(203));
    assert!(list(&mut run, id).iter().all(|member| !member.is_learner));
    run.assert_equal();
    run.assert_nobody_crashed();
}

#[test]
fn a_follower_passes_a_promotion_to_the_leader_and_brings_its_answer() {
    let (mut run, leader) = settled(3, 8);
    run.puts(leader, 200);
    let added = add(&mut run, leader, 4, true);
    let follower = run.follower();
    let not_ready = "etcdserver: can only promote a learner member which is in sync with leader";
    assert_eq!(run.ask(follower, promote(added.member.id)).unwrap_err(), not_ready);
    join(&mut run, &added, 4);
    run.run_ms(3_000);
    match run.ask(follower, promote(added.member.id)) {
        Ok(Response::MemberPromote(done)) => {
            assert_eq!(done.members.iter().filter(|member| !member.is_learner).count(), 4);
            assert_eq!(done.header.member_id, follower);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_removed_follower_stops_says_so_and_does_not_start_again() {
    for seed in 1..=10 {
        let (mut run, leader) = settled(3, seed);
        let gone = run.follower();
        assert!(run.ask(leader, remove(gone)).is_ok());
        run.run_ms(8_000);
        assert!(!run.sim.is_up(gone), "seed={seed}");
        let text = "the member has been permanently removed from the cluster";
        assert_eq!(run.down.last().unwrap(), &(gone, text.to_owned()));
        run.sim.restart(gone);
        run.run_ms(8_000);
        assert!(!run.sim.is_up(gone), "seed={seed}");
        assert_eq!(run.down.last().unwrap().1, text);
        let left = run.wait_leader();
        run.put(left, "k", "v").unwrap();
        assert_eq!(list(&mut run, left).len(), 2);
        let again = run.ask(left, remove(gone)).unwrap_err();
        assert_eq!(again, "etcdserver: member not found");
        let crashed = run.down.iter().find(|(_, reason)| reason != text);
        assert!(crashed.is_none(), "{crashed:?} seed={seed}");
    }
}

#[test]
fn a_removed_leader_hands_over_and_stops() {
    for seed in 1..=10 {
        let (mut run, leader) = settled(3, seed);
        assert!(run.ask(leader, remove(leader)).is_ok(), "seed={seed}");
        run.run_ms(6_000);
        assert!(!run.sim.is_up(leader), "seed={seed}");
        let next = run.wait_leader();
        assert_ne!(next, leader);
        run.put(next, "k", "v").unwrap();
        assert_eq!(list(&mut run, next).len(), 2);
        run.assert_equal();
    }
}

#[test]
fn the_only_voter_is_not_removed_even_without_the_strict_check() {
    let mut run = Run::new(1, 5, |config| config.strict_reconfig_check = false);
    let one = run.wait_leader();
    assert_eq!(run.ask(one, remove(one)).unwrap_err(), NOT_ENOUGH);
    run.put(one, "k", "v").unwrap();
    assert_eq!(list(&mut run, one).len(), 1);
}

/// A joint change that no client can ask for: the simulator hands it to Raft.
fn change_jointly(run: &mut Run, leader: MemberId, changes: &[(ConfChangeType, MemberId)]) {
    let single = |(change_type, node_id): &(_, _)| ConfChangeSingle {
        change_type: *change_type,
        node_id: *node_id,
    };
    let change = ConfChangeV2 {
        transition: ConfChangeTransition::JointImplicit,
        changes: changes.iter().map(single).collect(),
        ..ConfChangeV2::default()
    };
    let data = change.encode().expect("it is encoded");
    let entry = Entry { entry_type: EntryType::ConfChangeV2, data, ..Entry::default() };
    run.sim.forward(leader, leader, entry);
    run.run_ms(3_000);
}

#[test]
fn a_joint_change_moves_votes_and_the_membership_follows_it() {
    let (mut run, leader) = settled(3, 21);
    let learner = add(&mut run, leader, 4, true);
    join(&mut run, &learner, 4);
    run.run_ms(1_000);
    let others: Vec<MemberId> =
        list(&mut run, leader).iter().map(|m| m.id).filter(|id| *id != leader).collect();
    let old: Vec<MemberId> = others.into_iter().filter(|id| *id != learner.member.id).collect();
    let (gone, demoted) = (old[0], old[1]);
    let changes = [
        (ConfChangeType::AddNode, learner.member.id),
        (ConfChangeType::RemoveNode, gone),
        (ConfChangeType::AddLearnerNode, demoted),
    ];
    change_jointly(&mut run, leader, &changes);
    let members = list(&mut run, leader);
    assert_eq!(members.len(), 3, "{members:?}");
    let is_learner = |id| members.iter().find(|m| m.id == id).map(|m| m.is_learner);
    assert_eq!(is_learner(learner.member.id), Some(false));
    assert_eq!(is_learner(demoted), Some(true));
    assert_eq!(is_learner(gone), None);
    assert!(!run.sim.is_up(gone), "it was removed and stopped");
    // Whom the membership does not know, and nobody at all, changes nothing.
    change_jointly(&mut run, leader, &[(ConfChangeType::AddNode, MemberId(99))]);
    let voters =
        [(ConfChangeType::RemoveNode, leader), (ConfChangeType::RemoveNode, learner.member.id)];
    change_jointly(&mut run, leader, &voters);
    assert_eq!(list(&mut run, leader), members);
}

#[test]
fn a_member_that_lost_its_disk_is_replaced_under_a_new_id() {
    let (mut run, leader) = settled(3, 9);
    run.puts(leader, 30);
    let lost = run.follower();
    run.sim.kill(lost);
    *run.sim.disk_mut(lost).unwrap() = etcd_playground::etcdserver::DiskImage::default();
    run.sim.restart(lost);
    run.run_ms(1_000);
    assert!(!run.sim.is_up(lost), "its fence knows better");
    assert!(run.ask(leader, remove(lost)).is_ok());
    run.run_ms(6_000);
    let urls = run.sim.members().iter().find(|member| member.id == lost).unwrap().peer_urls.clone();
    let request = MemberAddRequest { peer_urls: urls, is_learner: false };
    let added = match run.ask(leader, Request::MemberAdd(request)) {
        Ok(Response::MemberAdd(added)) => added,
        other => panic!("{other:?}"),
    };
    assert_ne!(added.member.id, lost);
    join(&mut run, &added, 9);
    run.run_ms(3_000);
    run.put(added.member.id, "k", "v").unwrap();
    run.run_ms(500);
    run.assert_equal();
    assert_eq!(list(&mut run, leader).len(), 3);
}

#[test]
fn a_member_of_another_cluster_is_not_let_in() {
    let (mut run, leader) = settled(1, 10);
    run.puts(leader, 5);
    let mut added = add(&mut run, leader, 2, true);
    added.header.cluster_id = ClusterId(0xdead);
    join(&mut run, &added, 2);
    run.run_ms(5_000);
    let status = run.sim.status(added.member.id).unwrap();
    assert_eq!((status.leader, status.applied.0), (None, 0));
    run.assert_nobody_crashed();
}

#[test]
fn leadership_moves_where_it_is_asked_to() {
    let (mut run, leader) = settled(3, 11);
    let target = run.follower();
    let bad = "etcdserver: bad leader transferee";
    assert_eq!(run.ask(leader, move_leader(MemberId(0x1234))).unwrap_err(), bad);
    assert_eq!(run.ask(target, move_leader(target)).unwrap_err(), "etcdserver: not leader");
    assert!(run.ask(leader, move_leader(leader)).is_ok(), "to itself");
    let started = run.sim.now();
    assert!(run.ask(leader, move_leader(target)).is_ok());
    assert!(run.sim.now().since(started) < 500, "a transfer is no election by timeout");
    run.run_ms(300);
    assert_eq!(run.leader(), Some(target));
    run.put(leader, "k", "v").unwrap();
    // A target that is cut off makes it time out, and the leader stays.
    let ids = run.ids();
    let other = ids.iter().copied().find(|id| *id != target && *id != leader).unwrap();
    run.sim.kill(other);
    let answer = run.ask(target, move_leader(other));
    assert_eq!(answer.unwrap_err(), "etcdserver: request timed out");
    assert_eq!(run.wait_leader(), target);
    run.assert_nobody_crashed();
}

#[test]
fn one_survivor_of_three_starts_a_cluster_of_its_own_and_grows_again() {
    for seed in 1..=10 {
        let (mut run, leader) = settled(3, seed);
        run.puts(leader, 20);
        run.run_ms(300);
        let survivor = run.follower();
        for id in run.ids() {
            run.sim.kill(id);
        }
        run.sim.config_mut(survivor).unwrap().force_new_cluster = true;
        run.sim.restart(survivor);
        run.run_ms(3_000);
        assert_eq!(run.sim.status(survivor).unwrap().role, Role::Leader, "seed={seed}");
        assert_eq!(list(&mut run, survivor).len(), 1);
        assert_eq!(run.get(survivor, "k5", false), Ok(Some("v19".to_owned())), "seed={seed}");
        run.put(survivor, "alone", "1").unwrap();
        run.sim.config_mut(survivor).unwrap().force_new_cluster = false;
        run.sim.kill(survivor);
        run.sim.restart(survivor);
        run.run_ms(3_000);
        assert_eq!(run.get(survivor, "alone", false), Ok(Some("1".to_owned())));
        let added = add(&mut run, survivor, 4, false);
        join(&mut run, &added, 4);
        run.run_ms(4_000);
        run.put(added.member.id, "two", "2").unwrap();
        run.assert_equal();
        run.assert_nobody_crashed();
    }
}

/// An addition whose client gave up may have happened all the same.
fn join_whoever_was_added(run: &mut Run, number: &mut u32) {
    for asked in run.ids() {
        let request = Request::MemberList(MemberListRequest { linearizable: false });
        let Ok(Response::MemberList(list)) = run.ask_5s(asked, request) else { continue };
        for member in &list.members {
            if !run.ids().contains(&member.id) {
                let added = MemberAddResponse {
                    header: list.header.clone(),
                    member: member.clone(),
                    members: list.members.clone(),
                };
                *number += 1;
                join(run, &added, *number);
            }
        }
    }
}

/// Asks for a change, or does harm; how many changes were acknowledged.
fn random_change(run: &mut Run, random: &mut Pcg32, one: MemberId, number: &mut u32) -> u32 {
    let first = run.ids().into_iter().find(|id| run.sim.is_up(*id)).unwrap();
    let mut changes = 0;
    match random.below(10) {
        0 => {
            *number += 1;
            let is_learner = random.chance(1, 2);
            if let Ok(Response::MemberAdd(added)) =
                run.ask_5s(one, add_request(*number, is_learner))
            {
                changes += 1;
                join(run, &added, *number);
            }
        }
        1 => changes += u32::from(run.ask_5s(one, remove(one)).is_ok()),
        2 => {
            changes += u32::from(run.ask_5s(one, remove(first)).is_ok());
        }
        3 => {
            for id in run.ids() {
                let Some(leader) = run.leader() else { continue };
                changes += u32::from(run.ask_5s(leader, promote(id)).is_ok());
            }
        }
        4 => {
            run.ask_5s(one, move_leader(first)).ok();
        }
        5 => run.sim.kill(one),
        6 => {
            let all = run.ids();
            run.sim.links_mut().isolate(one, &all);
            run.run_ms(u64::from(random.between(100, 3_000)));
        }
        _ => {}
    }
    changes
}

/// Members come and go under faults: nobody ends up with another membership, nothing is lost.
fn random_run(seed: u64) -> u32 {
    let mut random = Pcg32::for_stream(seed, &[0x6d65_6d62]);
    let is_short = random.chance(1, 2);
    let mut run = Run::new(3, seed, |config| {
        if is_short {
            config.snapshot_count = 15;
            config.snapshot_catchup_entries = 3;
        }
    });
    run.wait_leader();
    run.run_ms(6_000);
    let mut number = 3;
    let mut changes = 0;
    let mut acknowledged = Vec::new();
    for round in 0..25 {
        let ids: Vec<MemberId> = run.ids().into_iter().filter(|id| run.sim.is_up(*id)).collect();
        let one = ids[usize::try_from(random.below(u32::try_from(ids.len()).unwrap())).unwrap()];
        changes += random_change(&mut run, &mut random, one, &mut number);
        run.sim.links_mut().heal();
        let key = format!("r{round}");
        if run.ask_5s(one, support::put(&key, "v")).is_ok() {
            acknowledged.push(key);
        }
        for id in run.ids() {
            run.sim.restart(id);
        }
        run.run_ms(u64::from(random.between(500, 7_000)));
        join_whoever_was_added(&mut run, &mut number);
    }
    run.run_ms(8_000);
    join_whoever_was_added(&mut run, &mut number);
    run.run_ms(8_000);
    // Removed members may still campaign among themselves; the leader is who gets a write done.
    let leader = run.leader().unwrap_or_else(|| panic!("no leader; seed={seed}"));
    run.put(leader, "end", "end").unwrap_or_else(|error| panic!("{error}; seed={seed}"));
    run.run_ms(8_000);
    let members = list(&mut run, leader);
    for member in &members {
        assert!(run.sim.is_up(member.id), "{:x} is down; seed={seed} {:?}", member.id, run.down);
        let status = run.sim.status(member.id).unwrap();
        let applied = run.sim.status(leader).unwrap().applied;
        assert_eq!(status.applied, applied, "{:x} seed={seed}", member.id);
    }
    // A removed member that knows only removed ones cannot hear of it, and stays as it was.
    // Learners give no hash.
    let voters = members.iter().filter(|member| !member.is_learner);
    let ids: Vec<MemberId> = voters.map(|member| member.id).collect();
    run.assert_these_equal(&ids);
    for key in acknowledged {
        assert!(run.get(leader, &key, false).unwrap().is_some(), "{key} is gone; seed={seed}");
    }
    let removed = "the member has been permanently removed from the cluster";
    let crashed = run.down.iter().find(|(_, why)| why != "killed" && why != removed);
    assert!(crashed.is_none(), "{crashed:?} seed={seed}");
    changes
}

#[test]
fn random_changes_under_faults_leave_one_membership_and_lose_nothing() {
    let changes: u32 = (1..=100).map(random_run).sum();
    assert!(changes > 150, "only {changes} changes in 100 runs");
}
