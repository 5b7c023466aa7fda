//! A dozen ways to be stuck, and the chains of those that are not: what members say, put in by hand.

use super::*;
use crate::api::{CallKind, Error, MemberStatus, PeerProgress, Role, TracedStep};
use crate::playground::insight::model::{Insight, View};
use crate::playground::insight::protocol::{CallNote, Item, MemberNote};
use crate::playground::insight::strings::EN as WORDS;
use crate::types::{Index, Term};
use crate::wire;

const A: MemberId = MemberId(1);
const B: MemberId = MemberId(2);
const C: MemberId = MemberId(3);

fn member(id: MemberId) -> MemberNote {
    MemberNote {
        id,
        name: format!("infra{}", id.0),
        is_learner: false,
        is_up: true,
        is_paused: false,
        is_removed: false,
    }
}

/// A cluster of three; `told` is what happened after it was opened, before the members say what they know.
struct World {
    insight: Insight,
}

impl World {
    fn new() -> Self {
        let mut insight = Insight::new(&WORDS);
        insight.show(View::Why);
        insight.hear(vec![Item::Opened { at: Millis(0) }]);
        insight.hear([A, B, C].map(member).map(Item::Member).to_vec());
        Self { insight }
    }

    fn status(mut self, id: MemberId, role: Role, leader: Option<MemberId>, term: u64) -> Self {
        let status =
            MemberStatus { member: id, role, leader, term: Term(term), ..Default::default() };
        self.insight.hear(vec![Item::Status(status)]);
        self
    }

    fn down(mut self, id: MemberId, at: u64) -> Self {
        let fault = Item::Fault { at: Millis(at), fault: Fault::Down(id) };
        self.insight.hear(vec![fault, Item::Member(MemberNote { is_up: false, ..member(id) })]);
        self
    }

    fn paused(mut self, id: MemberId, at: u64) -> Self {
        let fault = Item::Fault { at: Millis(at), fault: Fault::Paused(id) };
        self.insight.hear(vec![fault, Item::Member(MemberNote { is_paused: true, ..member(id) })]);
        self
    }

    fn cut(mut self, links: &[(MemberId, MemberId)], at: u64) -> Self {
        let fault = Fault::Links(u32::try_from(links.len()).unwrap());
        self.insight.hear(vec![Item::Fault { at: Millis(at), fault }, Item::Cuts(links.to_vec())]);
        self
    }

    fn says(mut self, at: u64, part: TracePart) -> Self {
        let part = wire::encode(&part).unwrap().into();
        self.insight.hear(vec![Item::Trace { at: Millis(at), part }]);
        self
    }

    /// What is said of call 7, asked of `asked` at 1 s.
    fn explain(mut self, asked: MemberId, end: CallEnd) -> CallView {
        let call = CallNote {
            call: 7,
            member: Some(asked),
            at: Millis(1_000),
            ended: (end != CallEnd::Open).then_some(Millis(1_023)),
            end,
        };
        let is_running = end == CallEnd::Open;
        let note =
            WhyNote { line: "put foo bar".to_owned(), is_running, calls: vec![call], ..note() };
        self.insight.hear(vec![Item::Why(Some(Box::new(note)))]);
        self.insight.why_view().calls.remove(0)
    }
}

fn note() -> WhyNote {
    WhyNote::default()
}

fn part(id: MemberId) -> TracePart {
    TracePart {
        member: id,
        boot: 1,
        tick: 60,
        tick_ms: 100,
        election_ticks: 10,
        role: Role::Follower,
        term: Term(3),
        leader: Some(A),
        leader_known_at: 60,
        last_index: Index(41),
        commit: Index(40),
        commit_term: Some(Term(3)),
        applied: Index(40),
        voters: vec![A, B, C],
        heard: [A, B, C].iter().filter(|it| **it != id).map(|it| (*it, 60)).collect(),
        ..TracePart::default()
    }
}

fn leader(acknowledged: &[(MemberId, u64)]) -> TracePart {
    let progress = |member: MemberId| PeerProgress {
        member,
        matched: Index(if acknowledged.iter().any(|(id, _)| *id == member) { 41 } else { 40 }),
        next: Index(42),
        state: "StateReplicate".to_owned(),
        is_recently_active: true,
    };
    TracePart {
        role: Role::Leader,
        progress: vec![progress(B), progress(C)],
        entries: vec![EntryTrace {
            proposal: ProposalName { member: B, boot: 1, sequence: 5 },
            index: Index(41),
            term: Some(Term(3)),
            appended: Some(50),
            durable: Some(51),
            acknowledged: acknowledged.to_vec(),
            ..EntryTrace::default()
        }],
        ..part(A)
    }
}

fn trace(kind: CallKind, steps: &[(u64, CallStep)]) -> CallTrace {
    let mut all = vec![TracedStep { tick: 20, step: CallStep::Received }];
    all.extend(steps.iter().map(|(tick, step)| TracedStep { tick: *tick, step: *step }));
    CallTrace { call: 7, kind, steps: all }
}

fn with(mut part: TracePart, kind: CallKind, steps: &[(u64, CallStep)]) -> TracePart {
    part.calls.push(trace(kind, steps));
    part
}

const HANDED: [(u64, CallStep); 2] = [
    (20, CallStep::Queued(5)),
    (20, CallStep::Proposed { sequence: 5, to: A, term: Term(3), index: None }),
];

fn states(call: &CallView) -> Vec<(&str, StepState)> {
    call.steps.iter().map(|step| (step.name, step.state)).collect()
}

fn has(call: &CallView, wanted: &[&str]) {
    for words in wanted {
        assert!(call.stuck.iter().any(|it| it == words), "{words:?} is not in {:#?}", call.stuck);
    }
}

#[test]
fn a_put_through_a_follower_shows_all_six_steps_with_names_and_figures() {
    let mut done = HANDED.to_vec();
    done.push((22, CallStep::Applied { index: Index(41), revision: 7 }));
    let answered = CallStep::Answered { error: None, applied: Index(41), revision: 7 };
    done.push((22, answered));
    let mut at_leader = leader(&[(B, 52)]);
    at_leader.entries[0].committed = Some(52);
    let call = World::new()
        .says(2_000, with(part(B), CallKind::Write, &done))
        .says(2_000, at_leader)
        .explain(B, CallEnd::Answered);
    let names: Vec<&str> = call.steps.iter().map(|step| step.name).collect();
    assert_eq!(
        names,
        ["received", "proposed", "appended", "acknowledged", "committed", "applied", "answered"]
    );
    assert!(call.steps.iter().all(|step| step.state == StepState::Done), "{:#?}", call.steps);
    assert_eq!(call.verdict, "infra2 answered after 23 ms.");
    assert_eq!(call.index, Some(41));
    let words = |at: usize| call.steps[at].words.as_str();
    assert_eq!(words(1), "infra2 forwarded it to infra1, the leader of term 3.");
    assert_eq!(words(2), "infra1 wrote it into its log as index 41, term 3.");
    assert_eq!(words(3), "On the disks of infra1, infra2: needs 2 of 3, has 2.");
    assert_eq!(words(5), "infra2 applied index 41; its store is at revision 7 now.");
    assert_eq!(call.steps[3].when, "+2 ticks · up to 200 ms");
    assert_eq!(call.steps[2].when, "at once");
    assert!(call.stuck.is_empty());
}

#[test]
fn what_was_said_of_a_time_stays_when_it_is_said_no_more() {
    let mut world = World::new().says(2_000, with(part(B), CallKind::Write, &HANDED));
    world = world.says(2_000, leader(&[(C, 52)]));
    let mut later = leader(&[]);
    later.entries[0].appended = None;
    let call = world.says(3_000, later).explain(B, CallEnd::Open);
    assert_eq!(call.steps[3].state, StepState::Done, "{:#?}", call.steps);
    assert_eq!(call.steps[2].when, "at once");
}

#[test]
fn no_majority_acknowledges_since_one_is_paused_and_the_link_to_the_other_is_cut() {
    let call = World::new()
        .status(A, Role::Leader, Some(A), 3)
        .paused(B, 2_000)
        .cut(&[(A, C)], 2_800)
        .says(7_000, {
            let mut at_leader = leader(&[]);
            at_leader.entries[0].proposal.member = A;
            let own =
                CallStep::Proposed { sequence: 5, to: A, term: Term(3), index: Some(Index(41)) };
            with(at_leader, CallKind::Write, &[(20, CallStep::Queued(5)), (20, own)])
        })
        .explain(A, CallEnd::Open);
    assert_eq!(call.verdict, "No answer for 6.0 s. Next step: Acknowledged.");
    has(
        &call,
        &[
            "Index 41 of term 3 is acknowledged by infra1 (itself); needs 2 of 3, has 1.",
            "Missing: infra2 has been paused for 5.0 s.",
            "Missing: the link infra1 → infra3 has been cut for 4.2 s.",
        ],
    );
    assert_eq!(
        states(&call)[2..5],
        [
            ("appended", StepState::Done),
            ("acknowledged", StepState::Now),
            ("committed", StepState::Later)
        ]
    );
}

#[test]
fn without_a_leader_the_arithmetic_of_an_election_is_told() {
    let mut alone = part(B);
    (alone.leader, alone.leader_known_at) = (None, 18);
    let call = World::new()
        .status(B, Role::PreCandidate, None, 3)
        .down(A, 2_000)
        .down(C, 3_000)
        .says(7_000, with(alone, CallKind::Write, &[(20, CallStep::Queued(5))]))
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "infra2 has known no leader for 4.2 s.",
            "An election cannot be won: needs 2 of 3, has 1.",
            "Missing: infra1 has been down for 5.0 s.",
            "Missing: infra3 has been down for 4.0 s.",
        ],
    );
    assert_eq!(states(&call)[1], ("proposed", StepState::Now));
}

#[test]
fn an_election_that_can_be_won_is_waited_for() {
    let mut waits = part(B);
    (waits.leader, waits.leader_known_at) = (None, 55);
    let call = World::new()
        .status(B, Role::Follower, None, 3)
        .status(C, Role::Follower, None, 3)
        .down(A, 6_000)
        .says(7_000, with(waits, CallKind::Read, &[(20, CallStep::ReadQueued)]))
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "An election can be won (needs 2 of 3, has 2): one begins after an election timeout without a leader, here 1.0 s to 2.0 s.",
        ],
    );
}

#[test]
fn who_is_cut_off_hears_that_the_others_have_a_leader() {
    let mut alone = part(B);
    (alone.leader, alone.leader_known_at) = (None, 30);
    let cut = [(A, B), (B, A), (B, C), (C, B)];
    let call = World::new()
        .status(A, Role::Leader, Some(A), 4)
        .status(B, Role::PreCandidate, None, 3)
        .cut(&cut, 4_000)
        .says(7_000, with(alone, CallKind::Write, &[(20, CallStep::Queued(5))]))
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "infra1 leads term 4, but infra2 does not follow it: the link infra1 → infra2 has been cut for 3.0 s.",
        ],
    );
}

#[test]
fn what_was_forwarded_over_a_cut_link_is_told_to_be_lost() {
    let call = World::new()
        .cut(&[(B, A)], 6_000)
        .says(7_000, with(part(B), CallKind::Write, &HANDED))
        .says(7_000, TracePart { entries: Vec::new(), ..leader(&[]) })
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "infra1 does not have it: the link infra2 → infra1 has been cut for 1.0 s.",
            "A proposal is handed over once; nobody does it again. After 7.0 s infra2 answers with a timeout.",
        ],
    );
}

#[test]
fn a_leader_that_died_with_it_is_told() {
    let mut steps = HANDED.to_vec();
    steps.push((22, CallStep::LeaderLost));
    let call = World::new()
        .down(A, 6_500)
        .says(7_000, with(part(B), CallKind::Write, &steps))
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "infra1 does not have it: infra1 has been down for 500 ms.",
            "The leader that it was handed to leads no more; what is not committed may be lost.",
        ],
    );
}

#[test]
fn an_entry_that_was_replaced_is_gone() {
    let mut lost = leader(&[]);
    lost.entries[0].is_lost = true;
    let call = World::new()
        .says(7_000, with(part(B), CallKind::Write, &HANDED))
        .says(7_000, lost)
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "Another leader's entry stands at index 41 now: this one was never committed and is gone.",
        ],
    );
    assert_eq!(states(&call)[2], ("appended", StepState::Now));
}

#[test]
fn a_slow_disk_and_a_member_that_is_far_behind_are_told_with_figures() {
    let mut slow = part(B);
    slow.writes_since = Some(42);
    let mut at_leader = leader(&[]);
    at_leader.progress[1].matched = Index(12);
    let call = World::new()
        .says(7_000, with(slow, CallKind::Write, &HANDED))
        .says(7_000, at_leader.clone())
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "Missing: the disk of infra2 has worked on one round for 1.8 s.",
            "Missing: infra3 is behind: its log matches up to index 12, 41 is wanted.",
        ],
    );
    "StateSnapshot".clone_into(&mut at_leader.progress[1].state);
    at_leader.heard = vec![(B, 60), (C, 60)];
    let call = World::new()
        .says(7_000, with(part(B), CallKind::Write, &HANDED))
        .says(7_000, at_leader.clone())
        .explain(B, CallEnd::Open);
    has(&call, &["Missing: infra3 is being sent a snapshot first."]);
    at_leader.heard = vec![(B, 60), (C, 39)];
    let call = World::new()
        .says(7_000, with(part(B), CallKind::Write, &HANDED))
        .says(7_000, at_leader)
        .explain(B, CallEnd::Open);
    has(&call, &["Missing: infra1 has not heard from infra3 for 2.1 s."]);
}

#[test]
fn the_leaders_own_disk_counts_too() {
    let mut at_leader = leader(&[]);
    (at_leader.entries[0].durable, at_leader.writes_since) = (None, Some(20));
    let call = World::new()
        .says(7_000, with(part(B), CallKind::Write, &HANDED))
        .says(7_000, at_leader)
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "Index 41 of term 3 is on no disk yet; needs 2 of 3, has 0.",
            "Missing: the disk of infra1 has worked on one round for 4.0 s.",
        ],
    );
}

#[test]
fn who_asked_may_not_know_yet_that_it_is_committed_or_be_behind() {
    let mut at_leader = leader(&[(C, 52)]);
    at_leader.entries[0].committed = Some(52);
    let call = World::new()
        .cut(&[(A, B)], 5_000)
        .says(7_000, with(part(B), CallKind::Write, &HANDED))
        .says(7_000, at_leader.clone())
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "infra2 does not know yet that it is committed: the link infra1 → infra2 has been cut for 2.0 s.",
        ],
    );
    let mut behind = part(B);
    (behind.commit, behind.applied) = (Index(41), Index(38));
    let call = World::new()
        .says(7_000, with(behind, CallKind::Write, &HANDED))
        .says(7_000, at_leader)
        .explain(B, CallEnd::Open);
    has(&call, &["infra2 has applied index 38, 3 behind its commit index 41."]);
}

const ASKED: [(u64, CallStep); 2] =
    [(20, CallStep::ReadQueued), (20, CallStep::ReadAsked { of: A, context: 9, times: 4 })];

#[test]
fn a_read_tells_whose_heartbeats_are_missing() {
    let read = ReadTrace {
        from: B,
        boot: 1,
        context: 9,
        index: Index(40),
        by: vec![A],
        is_answered: false,
    };
    let at_leader = TracePart { reads: vec![read.clone()], entries: Vec::new(), ..leader(&[]) };
    let call = World::new()
        .down(C, 6_000)
        .says(7_000, with(part(B), CallKind::Read, &ASKED))
        .says(7_000, at_leader)
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "infra1 must know that it still leads: heartbeats answered by infra1; needs 2 of 3, has 1.",
            "Missing: infra3 has been down for 1.0 s.",
        ],
    );
    assert_eq!(
        call.steps[1].words,
        "infra2 asked infra1, the leader, how far the log is committed; 4 times so far."
    );
    let answered = ReadTrace { by: vec![A, C], is_answered: true, ..read };
    let at_leader = TracePart { reads: vec![answered], ..leader(&[]) };
    let call = World::new()
        .cut(&[(A, B)], 6_000)
        .says(7_000, with(part(B), CallKind::Read, &ASKED))
        .says(7_000, at_leader)
        .explain(B, CallEnd::Open);
    has(
        &call,
        &[
            "infra1 has answered, but infra2 does not hear it: the link infra1 → infra2 has been cut for 1.0 s.",
        ],
    );
}

#[test]
fn a_leader_without_an_entry_of_its_own_term_lets_reads_wait() {
    let at_leader = TracePart { commit_term: Some(Term(2)), ..leader(&[]) };
    let call = World::new()
        .down(B, 5_000)
        .down(C, 6_000)
        .says(7_000, with(at_leader, CallKind::Read, &[ASKED[0], ASKED[1]]))
        .explain(A, CallEnd::Open);
    has(
        &call,
        &[
            "infra1 has not committed an entry of its own term 3 yet; until then it cannot know how far the log is committed.",
            "Missing: infra2 has been down for 2.0 s.",
        ],
    );
}

#[test]
fn a_confirmed_read_waits_until_its_member_has_caught_up() {
    let mut steps = ASKED.to_vec();
    steps.push((21, CallStep::ReadConfirmed(Index(44))));
    let call =
        World::new().says(7_000, with(part(B), CallKind::Read, &steps)).explain(B, CallEnd::Open);
    has(&call, &["infra2 has applied index 40, and waits for 44."]);
    assert_eq!(states(&call)[3], ("caught-up", StepState::Now));
}

#[test]
fn a_paused_member_and_a_crowd_are_told() {
    let call = World::new()
        .says(6_000, with(part(B), CallKind::Write, &HANDED))
        .paused(B, 6_500)
        .explain(B, CallEnd::Open);
    has(&call, &["infra2 has been paused for 0 ms."]);
    let mut crowd = part(B);
    crowd.waiting = 900;
    let call =
        World::new().says(7_000, with(crowd, CallKind::Write, &HANDED)).explain(B, CallEnd::Open);
    has(&call, &["899 other requests wait at infra2."]);
}

#[test]
fn errors_tell_their_rule_what_is_known_of_it_and_what_to_do() {
    let mut steps = ASKED.to_vec();
    steps.push((21, CallStep::ReadConfirmed(Index(40))));
    let error = Some(Error::Compacted);
    steps.push((21, CallStep::Answered { error, applied: Index(40), revision: 20 }));
    let mut told = with(part(B), CallKind::Read, &steps);
    told.compacted = Some((12, Index(30)));
    let call = World::new().says(2_000, told).explain(B, CallEnd::Answered);
    assert_eq!(
        call.verdict,
        "infra2 refused it after 23 ms: etcdserver: mvcc: required revision has been compacted"
    );
    assert!(
        call.rule.ends_with("Everything before revision 12 was removed by the entry at index 30.")
    );
    assert!(call.advice.starts_with("Read at a newer revision"), "{}", call.advice);
    let error = Some(Error::EmptyKey);
    let refused = [(20, CallStep::Answered { error, applied: Index(40), revision: 20 })];
    let call = World::new()
        .says(2_000, with(part(B), CallKind::Write, &refused))
        .explain(B, CallEnd::Answered);
    assert_eq!(
        states(&call),
        [("received", StepState::Done), ("answered", StepState::Failed)],
        "nothing was proposed"
    );
}

#[test]
fn what_the_client_gave_up_on_may_still_be_done() {
    let mut steps = HANDED.to_vec();
    steps.push((70, CallStep::Canceled));
    let mut at_leader = leader(&[(B, 90), (C, 90)]);
    (at_leader.entries[0].committed, at_leader.entries[0].applied) = (Some(90), Some(90));
    let world = World::new().says(9_000, with(part(B), CallKind::Write, &steps));
    let call = world.says(9_000, at_leader).explain(B, CallEnd::Canceled);
    assert_eq!(
        call.verdict,
        "No answer: the client gave up after 23 ms; what it asked was done nevertheless."
    );
    assert_eq!(states(&call).last(), Some(&("answered", StepState::Failed)));
    assert_eq!(states(&call)[5], ("applied", StepState::Done));
}

#[test]
fn what_never_reached_a_member_says_so() {
    let mut world = World::new().down(B, 500);
    let refused = CallNote {
        member: Some(B),
        at: Millis(1_000),
        ended: Some(Millis(1_000)),
        end: CallEnd::Refused,
        ..CallNote::default()
    };
    let nobody = CallNote { member: None, ..refused.clone() };
    let calls = vec![refused, nobody];
    world.insight.hear(vec![Item::Why(Some(Box::new(WhyNote { calls, ..note() })))]);
    let view = world.insight.why_view();
    assert_eq!(view.calls[0].stuck, ["infra2 was not asked: infra2 has been down for 0 ms."]);
    assert_eq!(view.calls[1].stuck, ["No member has this address, so nobody was asked."]);
    let told = |note: WhyNote| {
        let mut insight = Insight::new(&WORDS);
        insight.hear(vec![Item::Why(Some(Box::new(note)))]);
        insight.why_view().notes.join(" ")
    };
    let said = "Error: unknown flag: --nope".to_owned();
    assert_eq!(
        told(WhyNote { failure: Some(1), said, ..note() }),
        "No member was asked: etcdctl refused the line itself. It said: Error: unknown flag: --nope"
    );
    assert!(told(WhyNote { is_verb: true, ..note() }).contains("verb of the page"));
    assert!(told(WhyNote { is_running: true, ..note() }).contains("standard input"));
}

#[test]
fn what_has_its_answer_is_not_stuck_though_nobody_knows_of_it_any_more() {
    let forgotten = World::new().says(2_000, part(B)).explain(B, CallEnd::Answered);
    assert!(forgotten.stuck.is_empty() && forgotten.state == StepState::Done, "{forgotten:?}");
    assert!(forgotten.verdict.starts_with("infra2 answered after 23 ms. "), "{forgotten:?}");
    assert!(forgotten.verdict.contains("does not know this call any more"), "{forgotten:?}");
    let asked = World::new().explain(B, CallEnd::Answered);
    assert!(asked.stuck.is_empty() && asked.verdict.contains("is being asked"), "{asked:?}");
    let down = World::new().says(2_000, part(B)).down(B, 3_000).explain(B, CallEnd::Answered);
    assert!(down.stuck.is_empty() && down.verdict.contains("cannot be asked"), "{down:?}");
    let canceled = World::new().says(2_000, part(B)).explain(B, CallEnd::Canceled);
    assert!(canceled.stuck.is_empty() && canceled.state == StepState::Failed, "{canceled:?}");
    let open = World::new().says(2_000, part(B)).explain(B, CallEnd::Open);
    assert_eq!(open.stuck.len(), 1, "who waits is stuck: {open:?}");
}

#[test]
fn members_are_asked_until_the_chain_is_whole_and_then_no_more() {
    let mut steps = HANDED.to_vec();
    steps.push((70, CallStep::Canceled));
    let mut world = World::new().says(2_000, with(part(B), CallKind::Write, &steps));
    let call = CallNote { call: 7, member: Some(B), end: CallEnd::Canceled, ..Default::default() };
    let note = WhyNote { calls: vec![call], ..note() };
    world.insight.hear(vec![Item::Why(Some(Box::new(note)))]);
    let asks = world.insight.asks();
    assert_eq!(asks.len(), 4, "the page and three members: {asks:?}");
    let name = ProposalName { member: B, boot: 1, sequence: 5 };
    assert!(asks.contains(&Ask::ReadTrace { member: A, calls: vec![7], proposals: vec![name] }));
    let mut at_leader = leader(&[(B, 90), (C, 90)]);
    at_leader.entries[0].applied = Some(90);
    let mut world = world.says(3_000, at_leader);
    assert_eq!(world.insight.asks(), [Ask::Why]);
}

#[test]
fn a_text_and_its_translation_have_the_same_places() {
    for [english, chinese] in strings::ALL {
        for place in 0..6 {
            let place = format!("{{{place}}}");
            assert_eq!(english.contains(&place), chinese.contains(&place), "{english} {chinese}");
        }
        assert!(!chinese.is_empty() && !english.is_empty());
    }
}

#[test]
fn no_space_stands_between_two_chinese_letters_whatever_a_value_ends_with() {
    assert_eq!(put("{0} 在 {1} 后回答。", &["infra1", "5.1 秒"]), "infra1 在 5.1 秒后回答。");
    assert_eq!(put("{0} 后回答。", &["infra1"]), "infra1 后回答。");
}
