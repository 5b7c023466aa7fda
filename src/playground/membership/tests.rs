//! Changes of the membership, against an imagined cluster.

use super::*;
use crate::playground::cluster::tests::{opened, three};
use crate::playground::console::{Away, Numbers};
use crate::playground::edge::News;
use crate::playground::strings::EN;
use crate::types::Millis;

struct Bench {
    changes: Changes,
    cluster: Cluster,
    numbers: Numbers,
    effects: Vec<Effect>,
}

impl Bench {
    fn new() -> Self {
        Self {
            changes: Changes::default(),
            cluster: three(),
            numbers: Numbers::default(),
            effects: Vec::new(),
        }
    }

    fn with<T>(&mut self, run: impl FnOnce(&mut Changes, &mut Wires<'_>) -> T) -> T {
        let mut wires = Wires {
            now: Millis(0),
            cluster: &self.cluster,
            numbers: &mut self.numbers,
            effects: &mut self.effects,
            away: &mut Away::default(),
            strings: &EN,
        };
        run(&mut self.changes, &mut wires)
    }

    fn asked(&self) -> (u64, api::Request) {
        let asked = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Request { call, request, .. } => Some((*call, request.clone())),
            _ => None,
        });
        asked.unwrap()
    }

    fn timer(&self) -> u64 {
        let timer = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::SetTimer { timer, .. } => Some(*timer),
            _ => None,
        });
        timer.unwrap()
    }

    fn answer(&mut self, result: Result<api::Response, api::Error>) -> Outcome {
        let (call, _) = self.asked();
        self.with(|changes, wires| changes.reply(call, &result, wires)).unwrap()
    }
}

fn added(id: u64, number: u32) -> api::Response {
    let peer_urls = vec![peer_url(number)];
    let member = api::Member { id: MemberId(id), peer_urls, ..api::Member::default() };
    api::Response::MemberAdd(api::MemberAddResponse { member, ..Default::default() })
}

#[test]
fn a_new_member_gets_the_lowest_free_number_and_the_name_that_goes_with_it() {
    let mut bench = Bench::new();
    bench.with(|changes, wires| changes.begin(Change::AddLearner, wires));
    let (_, request) = bench.asked();
    let api::Request::MemberAdd(add) = request else { panic!("not an add") };
    assert_eq!((add.peer_urls, add.is_learner), (vec![peer_url(4)], true));
    let Outcome::Added(member) = bench.answer(Ok(added(9, 4))) else { panic!("not added") };
    assert_eq!(member.name, "infra4");
    assert_eq!(member.client_urls, ["http://127.0.0.1:42379"]);
    assert!(!bench.changes.is_busy());
}

#[test]
fn a_cluster_that_is_not_healthy_yet_is_asked_again_and_other_refusals_are_told() {
    let mut bench = Bench::new();
    bench.with(|changes, wires| changes.begin(Change::Add, wires));
    assert_eq!(bench.answer(Err(api::Error::Unhealthy)), Outcome::Nothing);
    let waits = Notice::Working(Change::Add, Some(api::Error::Unhealthy));
    assert_eq!(bench.changes.notice(), Some(waits));
    let before = bench.asked().0;
    let timer = bench.timer();
    assert!(bench.with(|changes, wires| changes.timer(timer, wires)));
    assert!(bench.asked().0 > before, "asked again with a call of its own");
    bench.answer(Err(api::Error::PeerUrlExist));
    let failed = Notice::Failed(Change::Add, Trouble::Refused(api::Error::PeerUrlExist));
    assert_eq!(bench.changes.notice(), Some(failed));
}

#[test]
fn a_member_that_lost_its_disk_is_removed_first_and_then_its_number_is_used_again() {
    let mut bench = Bench::new();
    bench.with(|changes, wires| changes.begin(Change::Replace(MemberId(2)), wires));
    let (_, request) = bench.asked();
    assert!(matches!(request, api::Request::MemberRemove(remove) if remove.id == MemberId(2)));
    let removed = api::Response::MemberRemove(api::MemberRemoveResponse::default());
    assert_eq!(bench.answer(Ok(removed)), Outcome::Removed(MemberId(2), true));
    let (_, request) = bench.asked();
    assert!(matches!(request, api::Request::MemberAdd(add) if add.peer_urls == [peer_url(2)]));
    assert!(matches!(bench.answer(Ok(added(9, 2))), Outcome::Added(new) if new.name == "infra2"));
}

#[test]
fn without_a_leader_nothing_is_asked_and_a_lost_request_is_never_sent_again() {
    let mut bench = Bench::new();
    bench.with(|changes, wires| changes.begin(Change::Lead(MemberId(2)), wires));
    let (call, _) = bench.asked();
    assert!(bench.with(|changes, wires| changes.lost(call, wires)));
    let lost = Notice::Failed(Change::Lead(MemberId(2)), Trouble::Lost);
    assert_eq!(bench.changes.notice(), Some(lost));
    let asked = bench.effects.len();
    bench.cluster = Cluster::default();
    bench.cluster.hear(&opened(3), Millis(0));
    bench.with(|changes, wires| changes.begin(Change::Add, wires));
    assert_eq!(bench.changes.notice(), Some(Notice::Failed(Change::Add, Trouble::NoLeader)));
    assert_eq!(bench.effects.len(), asked);
}

#[test]
fn a_member_that_has_lost_its_leader_is_asked_for_its_own_list() {
    let mut bench = Bench::new();
    bench.cluster = Cluster::default();
    bench.cluster.hear(&opened(1), Millis(0));
    bench.changes.look_again();
    bench.with(Changes::tend);
    assert!(bench.effects.is_empty(), "nobody serves yet");
    bench.cluster.hear(&News::MemberUp(MemberId(1)), Millis(0));
    bench.with(Changes::tend);
    let (_, request) = bench.asked();
    assert!(matches!(request, api::Request::MemberList(list) if !list.linearizable));
}

#[test]
fn a_list_that_was_asked_for_before_a_change_is_not_believed() {
    let mut bench = Bench::new();
    bench.changes.look_again();
    bench.with(Changes::tend);
    let (list, request) = bench.asked();
    assert!(matches!(request, api::Request::MemberList(list) if list.linearizable));
    bench.with(|changes, wires| changes.begin(Change::Add, wires));
    let answer = Ok(api::Response::MemberList(api::MemberListResponse::default()));
    let outcome = bench.with(|changes, wires| changes.reply(list, &answer, wires));
    assert_eq!(outcome, Some(Outcome::Nothing));
    bench.answer(Ok(added(9, 4)));
    bench.with(Changes::tend);
    assert!(matches!(bench.asked().1, api::Request::MemberList(_)), "asked again afterwards");
}
