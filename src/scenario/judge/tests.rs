//! Every claim judged once where it holds and once where it does not.

use super::*;
use crate::api;
use crate::scenario::Script;
use crate::scenario::script::Action;
use crate::scenario::world::tests::three;
use crate::types::Term;

struct Scene {
    world: World,
    roster: Roster,
    witness: Witness,
    said: Said,
    writes: Option<Result<u64, Told>>,
}

/// Three members at term 2 and revision 5, infra2 leads; a put and a get of a=1 were answered, a put of b=2 was not.
fn scene() -> Scene {
    let world = three();
    let mut witness = Witness::default();
    witness.mark(&world);
    let put = |key: &'static str, value: &'static str| {
        api::Request::Put(api::PutRequest {
            key: key.into(),
            value: value.into(),
            ..api::PutRequest::default()
        })
    };
    let header = api::ResponseHeader { revision: 5, ..api::ResponseHeader::default() };
    let answer = api::PutResponse { header, prev_kv: None };
    witness.saw_answer(MemberId(1), &put("a", "1"), &Ok(api::Response::Put(answer)));
    witness.saw_answer(MemberId(1), &put("b", "2"), &Err(api::Error::Timeout));
    let kv = api::KeyValue { key: "a".into(), value: "1".into(), ..api::KeyValue::default() };
    let range = api::RangeResponse { kvs: vec![kv], ..api::RangeResponse::default() };
    let get = api::RangeRequest { key: "a".into(), ..api::RangeRequest::default() };
    let request = api::Request::Range(get);
    witness.saw_answer(MemberId(1), &request, &Ok(api::Response::Range(range)));
    witness.saw_event(MemberId(2), &api::MemberEvent::BecameLeader { term: Term(2) });
    Scene {
        world,
        roster: Roster {
            voters: vec![MemberId(1), MemberId(2), MemberId(3)],
            learners: vec![MemberId(4)],
        },
        witness,
        said: Said { stdout: b"OK\n".to_vec(), stderr: b"Error: x\n".to_vec(), status: Some(1) },
        writes: Some(Ok(1)),
    }
}

fn read(claim: &str) -> Claim {
    let script = Script::parse(&format!("expect {claim}")).unwrap();
    let Action::Expect(claim) = &script.steps[0].action else { panic!("{claim}") };
    claim.clone()
}

fn judge(scene: &Scene, claim: &str) -> Judged {
    judge_claim(scene, &read(claim))
}

fn judge_claim(scene: &Scene, claim: &Claim) -> Judged {
    let said = |console: Option<u32>| (console != Some(3)).then(|| scene.said.clone());
    let Scene { world, roster, witness, writes, .. } = scene;
    Sight { world, roster, witness, said: &said, writes: writes.as_ref() }.judge(claim)
}

#[track_caller]
fn assert_judged(scene: &Scene, met: &[&str], unmet: &[&str]) {
    for claim in met {
        let judged = judge(scene, claim);
        assert!(judged.is_met, "{claim}: {}", judged.found);
        let denied = Claim::Not(Box::new(read(claim)));
        assert!(!judge_claim(scene, &denied).is_met, "{claim}");
    }
    for claim in unmet {
        let judged = judge(scene, claim);
        assert!(!judged.is_met, "{claim}: {}", judged.found);
    }
}

#[test]
fn a_quiet_cluster_is_told_from_another() {
    assert_judged(
        &scene(),
        &[
            "leader",
            "leader is infra2",
            "infra1 is follower",
            "infra1 is voter",
            "all are up",
            "all are caught-up",
            "links are whole",
            "term is 2",
            "term >= 2",
            "revision < 6",
            "members is 4",
            "voters is 3",
            "learners is 1",
            "running is 3",
            "elections is 1",
            "events campaign is 0",
            "event elected",
            "event elected by infra2",
            "no write lost",
        ],
        &[
            "no leader",
            "leader changed",
            "leader is infra1",
            "infra1 is learner",
            "infra1 is isolated",
            "infra1 is paused",
            "infra7 is up",
            "all are down",
            "term rose",
            "term is 3",
            "revision rose by 1",
            "event elected by infra1",
            "event snapshot",
            "hashes are equal",
        ],
    );
}

#[test]
fn what_was_printed_written_and_read_is_told_from_what_was_not() {
    assert_judged(
        &scene(),
        &[
            "output is OK",
            "output contains K",
            "@2 error contains x",
            "status is 1",
            "wrote a 1",
            "wrote a",
            "refused b 2",
            "read a 1",
            "not @3 status is 0",
        ],
        &[
            "output is empty",
            "output lacks OK",
            "output is OK2",
            "error is empty",
            "status is 0",
            "@3 output is OK",
            "wrote a 2",
            "wrote b",
            "refused a",
            "read a 1 at 3",
            "read a 2",
            "read failed",
            "@2 saw a 1",
            "@2 saw each event once",
        ],
    );
}

#[test]
fn a_failover_is_seen_against_the_mark() {
    let mut scene = scene();
    for view in &mut scene.world.members {
        if let Some(status) = &mut view.status {
            status.term = Term(4);
            status.revision = 7;
            status.leader = Some(MemberId(3));
            status.role = match view.member.id {
                MemberId(3) => api::Role::Leader,
                _ => api::Role::Follower,
            };
        }
    }
    scene.world.members[1].is_up = false;
    scene.world.members[1].status = None;
    scene.writes = Some(Err(Told::of(Saying::Gone, "a").and(5)));
    let met = [
        "leader changed",
        "term rose",
        "term rose by 2",
        "revision rose by 2",
        "infra2 is down",
        "running is 2",
        "leader is not infra2",
    ];
    assert_judged(&scene, &met, &["all are up", "term rose by 1", "no write lost"]);
    assert!(
        judge(&scene, "no write lost")
            .found
            .to_string()
            .contains("revision 5 was acknowledged and is not there")
    );
    assert_eq!(judge(&scene, "term rose by 1").found.to_string(), "term is 4 and was 2");
}

#[test]
fn hashes_and_watches_are_compared() {
    let mut scene = scene();
    let hash = |hash| {
        let header = api::ResponseHeader { revision: 5, ..api::ResponseHeader::default() };
        let answer = api::HashKvResponse { header, hash, ..api::HashKvResponse::default() };
        Ok(api::Response::HashKv(answer))
    };
    let request = api::Request::HashKv(api::HashKvRequest::default());
    for member in 1..=3 {
        scene.witness.saw_answer(MemberId(member), &request, &hash(9));
    }
    assert_judged(&scene, &["hashes are equal"], &[]);
    scene.witness.saw_answer(MemberId(3), &request, &hash(8));
    assert_judged(&scene, &[], &["hashes are equal"]);
    let create = api::WatchCreateRequest {
        key: "a".into(),
        start_revision: 5,
        ..api::WatchCreateRequest::default()
    };
    scene.witness.watch_asked(2, &api::WatchRequest::Create(create));
    let kv = api::KeyValue {
        key: "a".into(),
        value: "1".into(),
        mod_revision: 5,
        ..api::KeyValue::default()
    };
    let event = api::Event { event_type: api::EventType::Put, kv, prev_kv: None };
    let response = api::WatchResponse { events: vec![event], ..api::WatchResponse::default() };
    scene.witness.saw_watch(2, &response);
    assert_judged(
        &scene,
        &["@2 saw a 1", "@2 saw each event once"],
        &["@2 saw a 1 1", "@2 saw a 2"],
    );
}

#[test]
fn replies_are_right_however_they_are_written() {
    for (right, reply) in [
        ("infra2", " Infra2 "),
        ("infra2", "2"),
        ("yes", "是"),
        ("3", "3."),
        ("3", "３。"),
        ("nobody", "none"),
    ] {
        assert!(is_right(right, reply), "{reply}");
    }
    for (right, reply) in
        [("infra2", "infra1"), ("yes", "no"), ("3", "30"), ("nobody", ""), ("2", "infra2")]
    {
        assert!(!is_right(right, reply), "{reply}");
    }
}

#[test]
fn questions_are_answered_from_the_cluster() {
    let scene = scene();
    let answer = |line: &str| {
        let script = Script::parse(&format!("ask ?\nanswer {line}")).unwrap();
        let Action::Answer(answer) = &script.steps[1].action else { panic!("{line}") };
        let said = |_| None;
        let Scene { world, roster, witness, .. } = &scene;
        Sight { world, roster, witness, said: &said, writes: None }.answer(answer)
    };
    for (line, right) in [
        ("leader", "infra2"),
        ("quorum", "2"),
        ("term", "2"),
        ("learners", "1"),
        ("whether infra1 is leader", "no"),
        ("whether all are up", "yes"),
    ] {
        assert_eq!(answer(line), right, "{line}");
    }
}
