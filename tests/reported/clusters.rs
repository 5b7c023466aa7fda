//! F and G: members and elections.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use etcd_playground::api::{
    MemberAddRequest, MemberEvent, MemberRemoveRequest, MoveLeaderRequest, Request, Response,
};
use etcd_playground::membership::{client_url, peer_url};
use etcd_playground::types::MemberId;

use crate::support::{Run, put};
use crate::talk::one;

const UNHEALTHY: &str = "etcdserver: unhealthy cluster";
const NOT_ENOUGH: &str = "etcdserver: re-configuration failed due to not enough started members";
const NO_ANSWER: &str = "context deadline exceeded";

fn add(number: u32, is_learner: bool) -> Request {
    Request::MemberAdd(MemberAddRequest { peer_urls: vec![peer_url(number)], is_learner })
}

fn remove(id: MemberId) -> Request {
    Request::MemberRemove(MemberRemoveRequest { id })
}

/// Three members that have been connected for more than 5 s, the leader first.
fn settled(seed: u64) -> (Run, Vec<MemberId>) {
    let mut run = Run::new(3, seed, |_| {});
    run.wait_leader();
    run.run_ms(6_000);
    let leader = run.wait_leader();
    let others = run.ids().into_iter().filter(|id| *id != leader);
    let ids = std::iter::once(leader).chain(others).collect();
    (run, ids)
}

fn isolate(run: &mut Run, member: MemberId) {
    let ids = run.ids();
    run.sim.links_mut().isolate(member, &ids);
}

/// 52
#[test]
fn one_member_that_adds_a_second_which_never_starts_has_lost_its_quorum() {
    let (mut run, only) = one();
    let Ok(Response::MemberAdd(added)) = run.ask(only, add(2, false)) else { panic!() };
    let write = run.ask_5s(only, put("k", "v"));
    assert_eq!(write.unwrap_err(), NO_ANSWER);
    let taken_back = run.ask_5s(only, remove(added.member.id));
    assert_eq!(taken_back.unwrap_err(), NO_ANSWER, "nor can it be taken back");
    assert_eq!(run.ask_5s(only, add(3, false)).unwrap_err(), NOT_ENOUGH);
}

/// 53
#[test]
fn a_dead_member_may_be_removed_and_a_living_one_beside_it_may_not() {
    let (mut run, ids) = settled(1);
    run.sim.kill(ids[2]);
    run.run_ms(1_000);
    assert_eq!(run.ask(ids[0], remove(ids[1])).unwrap_err(), UNHEALTHY);
    assert!(run.ask(ids[0], remove(ids[2])).is_ok());
}

/// 54
#[test]
fn with_one_of_three_down_nobody_is_added_until_it_is_removed() {
    let mut fresh = Run::new(3, 2, |_| {});
    let leader = fresh.wait_leader();
    assert_eq!(fresh.ask(leader, add(4, false)).unwrap_err(), UNHEALTHY, "within 5 s of the start");
    let (mut run, ids) = settled(2);
    run.sim.kill(ids[2]);
    run.run_ms(1_000);
    for is_learner in [false, true] {
        assert_eq!(run.ask(ids[0], add(4, is_learner)).unwrap_err(), UNHEALTHY);
    }
    run.ask(ids[0], remove(ids[2])).unwrap();
    let Ok(Response::MemberAdd(added)) = run.ask(ids[0], add(4, false)) else { panic!() };
    run.sim.join(&added, "infra4", &client_url(4));
    run.run_ms(3_000);
    assert!(run.ask(added.member.id, put("k", "v")).is_ok());
}

/// 59
#[test]
fn a_member_that_comes_back_from_isolation_disturbs_nobody() {
    let (mut run, ids) = settled(3);
    let before = run.sim.status(ids[0]).unwrap();
    isolate(&mut run, ids[2]);
    run.run_ms(10_000);
    assert_eq!(run.sim.status(ids[2]).unwrap().term, before.term, "it asks before it campaigns");
    run.sim.links_mut().heal();
    run.run_ms(2_000);
    for id in &ids {
        let status = run.sim.status(*id).unwrap();
        assert_eq!((status.term, status.leader), (before.term, Some(ids[0])));
    }
    // Without asking before, its term rises, and the others follow once.
    let mut run = Run::new(3, 3, |config| config.pre_vote = false);
    let leader = run.wait_leader();
    run.run_ms(2_000);
    let before = run.sim.status(leader).unwrap().term;
    let alone = run.follower();
    isolate(&mut run, alone);
    run.run_ms(10_000);
    let high = run.sim.status(alone).unwrap().term;
    assert!(high > before, "{high} {before}");
    run.sim.links_mut().heal();
    run.run_ms(4_000);
    let leader = run.wait_leader();
    assert!(run.sim.status(leader).unwrap().term >= high);
    assert!(run.ask(leader, put("k", "v")).is_ok());
}

/// 60: what a change that is refused when it is applied does
#[test]
fn a_refused_change_of_the_membership_changes_nothing_and_its_asker_hears_so() {
    let (mut run, ids) = settled(4);
    let changes = |run: &Run| {
        let told = run.member_events.iter();
        let own = told.filter(|(id, event)| {
            *id == ids[0] && matches!(event, MemberEvent::ConfChanged { .. })
        });
        own.count()
    };
    let before = changes(&run);
    run.ask(ids[0], add(4, true)).unwrap();
    // Nothing stops the second one before its entry is applied: it is one learner too many.
    let again = run.ask(ids[0], add(5, true)).unwrap_err();
    assert_eq!(again, "etcdserver: too many learner members in cluster");
    run.run_ms(300);
    for id in &ids {
        assert!(run.sim.status(*id).unwrap().leader == Some(ids[0]));
    }
    assert_eq!(changes(&run), before + 1, "the refused one is no change");
}

/// 61
#[test]
fn a_write_without_a_leader_waits_and_a_transfer_to_a_learner_is_refused() {
    let (mut run, ids) = settled(5);
    let Ok(Response::MemberAdd(added)) = run.ask(ids[0], add(4, true)) else { panic!() };
    let id = added.member.id;
    run.sim.join(&added, "infra4", &client_url(4));
    run.run_ms(2_000);
    let to_learner = Request::MoveLeader(MoveLeaderRequest { target_id: id });
    assert_eq!(run.ask(ids[0], to_learner).unwrap_err(), "etcdserver: bad leader transferee");
    // A leader that is cut off steps down within an election timeout or two.
    isolate(&mut run, ids[0]);
    run.run_ms(2_100);
    let told = run.member_events.iter().any(|(who, event)| {
        *who == ids[0] && matches!(event, MemberEvent::SteppedDown { quorum_lost: true, .. })
    });
    assert!(told, "it knows that it lost its quorum");
    run.sim.links_mut().heal();
    run.run_ms(8_000);
    // The leader removes itself and stops leading.
    let leader = run.wait_leader();
    run.ask(leader, remove(leader)).unwrap();
    run.run_ms(4_000);
    assert!(!run.sim.is_up(leader));
    let next = run.wait_leader();
    assert_ne!(next, leader);
    assert!(run.ask(next, put("k", "v")).is_ok());
}

/// 62
#[test]
fn split_votes_end_and_every_term_has_one_leader() {
    let mut elections = 0;
    for seed in 1..=10 {
        let mut run = Run::new(5, seed, |config| config.initial_election_tick_advance = false);
        for _ in 0..4 {
            let leader = run.wait_leader();
            run.sim.kill(leader);
            run.run_ms(3_000);
            run.sim.restart(leader);
        }
        run.wait_leader();
        let mut leaders = std::collections::BTreeMap::new();
        for (who, event) in &run.member_events {
            if let MemberEvent::BecameLeader { term } = event {
                assert_eq!(*leaders.entry(*term).or_insert(*who), *who, "two leaders in {term}");
            }
        }
        elections += leaders.len();
    }
    assert!(elections >= 50, "{elections}");
}
