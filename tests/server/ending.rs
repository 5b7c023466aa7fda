//! How a member ends, and how one of a lost majority begins anew.

use etcd_playground::api::{
    CompactionRequest, MemberEvent, MemberRemoveRequest, RangeRequest, Request, Role,
};
use etcd_playground::cluster::CallId;
use etcd_playground::etcdserver::{
    DiskImage, Input, Output, Server, ServerConfig, StartError, StopReason,
};
use etcd_playground::membership::client_url;
use etcd_playground::raft::{
    AsConfChange, ConfChangeSingle, ConfChangeTransition, ConfChangeType, ConfChangeV2, Entry,
    EntryType,
};
use etcd_playground::types::{Index, MemberId};

use crate::support::{Run, put};

const STOPPED: &str = "etcdserver: server stopped";

/// A cluster of three, and somebody who follows.
fn three(seed: u64, configure: impl Fn(&mut ServerConfig)) -> (Run, MemberId, MemberId) {
    let mut run = Run::new(3, seed, configure);
    let leader = run.wait_leader();
    // The protection of the quorum wants members that were connected for 5 s.
    run.run_ms(6_000);
    let follower = run.follower();
    (run, leader, follower)
}

fn get_k() -> Request {
    let key = bytes::Bytes::from_static(b"k");
    Request::Range(RangeRequest { key, ..RangeRequest::default() })
}

fn remove(run: &mut Run, asked: MemberId, id: MemberId) {
    run.ask(asked, Request::MemberRemove(MemberRemoveRequest { id })).unwrap();
}

/// What came of these calls, once their member has stopped.
fn answers_at_the_end(run: &mut Run, member: MemberId, calls: &[CallId]) -> Vec<Option<String>> {
    while run.sim.is_up(member) {
        run.run_ms(50);
    }
    run.run_ms(10);
    calls.iter().map(|call| run.reply(*call).and_then(Result::err)).collect()
}

#[test]
fn a_removed_member_stays_for_one_second_before_it_stops() {
    for (seed, is_leader) in [(1, false), (2, true)] {
        let (mut run, leader, follower) = three(seed, |_| {});
        let gone = if is_leader { leader } else { follower };
        run.sim.request(leader, Request::MemberRemove(MemberRemoveRequest { id: gone }));
        let knows = |run: &Run| run.member_events.contains(&(gone, MemberEvent::Removed));
        while !knows(&run) {
            run.run_ms(1);
        }
        let removed = run.sim.now().0;
        while run.sim.is_up(gone) {
            run.run_ms(1);
        }
        let stayed = run.sim.now().0 - removed;
        // Ten ticks, of which the first one may be about to end.
        assert!((900..=1_000).contains(&stayed), "seed={seed}: {stayed} ms");
        let reason = "the member has been permanently removed from the cluster";
        assert_eq!(run.down, [(gone, reason.to_owned())]);
        // It is not started again.
        run.sim.restart(gone);
        run.run_ms(100);
        assert!(!run.sim.is_up(gone));
        run.wait_leader();
    }
}

#[test]
fn who_waits_for_a_physical_compaction_hears_that_the_member_stopped() {
    let (mut run, leader, follower) = three(3, |config| config.compaction_batch_limit = 1);
    run.puts(leader, 300);
    run.run_ms(200);
    let revision = run.sim.status(follower).unwrap().revision;
    let compact = Request::Compaction(CompactionRequest { revision, physical: true });
    let waits = run.sim.request(follower, compact);
    run.run_ms(100);
    assert_eq!(run.reply(waits), None, "its rows are not gone yet");
    remove(&mut run, leader, follower);
    let told = answers_at_the_end(&mut run, follower, &[waits]);
    assert_eq!(told, [Some(STOPPED.to_owned())]);
}

#[test]
fn whatever_a_member_has_not_answered_it_answers_when_it_stops() {
    let (mut run, leader, follower) = three(4, |_| {});
    remove(&mut run, leader, follower);
    let known = (follower, MemberEvent::Removed);
    while !run.member_events.contains(&known) {
        run.run_ms(1);
    }
    // Nobody takes up anything for it any more.
    let write = run.sim.request(follower, put("k", "v"));
    let read = run.sim.request(follower, get_k());
    let given_up = run.sim.request(follower, put("k", "w"));
    run.run_ms(100);
    run.sim.cancel(given_up);
    let told = answers_at_the_end(&mut run, follower, &[write, read, given_up]);
    let stopped = Some(STOPPED.to_owned());
    assert_eq!(told, [stopped.clone(), stopped, None]);
}

/// A member without anybody, on a disk that is done at once.
struct Alone {
    server: Server,
    disk: DiskImage,
    has_stopped: Option<StopReason>,
}

impl Alone {
    fn start(config: ServerConfig, disk: DiskImage) -> Result<Self, StartError> {
        let server = Server::start(config, &disk, None)?;
        let mut alone = Self { server, disk, has_stopped: None };
        alone.drain();
        for _ in 0..60 {
            alone.server.handle(Input::Tick);
            alone.drain();
        }
        Ok(alone)
    }

    fn drain(&mut self) {
        while let Some(output) = self.server.poll_output() {
            match output {
                Output::Persist(round) => {
                    self.disk.apply(&round);
                    self.server.handle(Input::Persisted(round.ticket));
                }
                Output::Stop(reason) => self.has_stopped = Some(reason),
                _ => {}
            }
        }
    }

    fn assert_leads_alone(&self, what: &str) {
        let status = self.server.status();
        assert_eq!((status.role, self.has_stopped), (Role::Leader, None), "{what}");
        let view = self.server.observe();
        let conf = view.applied_conf();
        assert_eq!(conf.voters, [self.server.member()], "{what}");
        assert!(conf.voters_outgoing.is_empty() && conf.learners.is_empty(), "{what}");
        assert_eq!(view.members().len(), 1, "{what}");
    }
}

/// Each state that a disk is in during a joint change that nobody leaves by itself.
fn disks_of_a_joint_change(seed: u64) -> (Vec<(ServerConfig, DiskImage)>, MemberId) {
    let (mut run, leader, follower) = three(seed, |_| {});
    run.puts(leader, 10);
    let added = run.add_learner(leader);
    run.sim.join(&added, "infra4", &client_url(4));
    run.run_ms(1_000);
    let ids = run.ids();
    let learner = added.member.id;
    let demoted = ids.iter().copied().find(|id| ![leader, follower, learner].contains(id)).unwrap();
    let single = |change_type, node_id| ConfChangeSingle { change_type, node_id };
    let changes = vec![
        single(ConfChangeType::AddNode, learner),
        single(ConfChangeType::RemoveNode, follower),
        single(ConfChangeType::AddLearnerNode, demoted),
    ];
    let transition = ConfChangeTransition::JointExplicit;
    let change = ConfChangeV2 { transition, changes, ..ConfChangeV2::default() };
    let data = change.encode().unwrap();
    let entry = Entry { entry_type: EntryType::ConfChangeV2, data, ..Entry::default() };
    run.sim.forward(leader, leader, entry);
    let mut disks: Vec<(ServerConfig, DiskImage)> = Vec::new();
    for step in 0..600 {
        if step == 300 {
            // The empty change leaves it.
            let entry = Entry { entry_type: EntryType::ConfChangeV2, ..Entry::default() };
            run.sim.forward(leader, leader, entry);
        }
        run.sim.step();
        for id in &ids {
            let mut config = run.sim.config_mut(*id).unwrap().clone();
            config.force_new_cluster = true;
            let disk = run.sim.disk_mut(*id).unwrap().clone();
            if !disks.iter().any(|(known, old)| known.member == *id && *old == disk) {
                disks.push((config, disk));
            }
        }
    }
    (disks, follower)
}

#[test]
fn a_survivor_of_a_joint_configuration_becomes_a_cluster_of_its_own_at_every_moment() {
    let (mut lead, mut removed, mut joint) = (0, 0, 0);
    for seed in 1..=4 {
        let (disks, gone) = disks_of_a_joint_change(seed);
        for (number, (config, disk)) in disks.into_iter().enumerate() {
            let what = format!("seed={seed}, disk {number} of {:x}", config.member);
            let member = config.member;
            let unforced = ServerConfig { force_new_cluster: false, ..config.clone() };
            let is_joint =
                |server: &Server| !server.observe().conf_state().voters_outgoing.is_empty();
            joint += u32::from(Server::start(unforced, &disk, None).is_ok_and(|it| is_joint(&it)));
            match Alone::start(config.clone(), disk) {
                Ok(alone) => {
                    alone.assert_leads_alone(&what);
                    // It stays what it is.
                    let config = ServerConfig { force_new_cluster: false, ..config };
                    Alone::start(config, alone.disk).unwrap().assert_leads_alone(&what);
                    lead += 1;
                }
                Err(StartError::Removed) => {
                    assert_eq!(member, gone, "{what}");
                    removed += 1;
                }
                Err(error) => panic!("{what}: {error}"),
            }
        }
    }
    assert!(lead > 20 && removed > 0, "{lead} lead, {removed} were removed");
    assert!(joint > 10, "{joint} disks were in a joint configuration");
}

#[test]
fn a_snapshot_and_a_learner_are_told_by_name() {
    let (mut run, only) = Run::with_short_log(6);
    let added = run.add_learner(only);
    let id = added.member.id;
    run.sim.join(&added, "infra4", &client_url(4));
    run.run_ms(3_000);
    let conf = MemberEvent::ConfChanged { voters: vec![only], learners: vec![id] };
    assert!(run.member_events.contains(&(only, conf.clone())));
    let told: Vec<&MemberEvent> = run
        .member_events
        .iter()
        .filter(|(member, event)| {
            let is_start = matches!(event, MemberEvent::Started { .. });
            *member == id && !is_start && !matches!(event, MemberEvent::LeaderChanged { .. })
        })
        .map(|(_, event)| event)
        .collect();
    let [MemberEvent::SnapshotInstalled { index, from }, second] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(*from, only);
    assert!(*index > Index(20), "{index}");
    assert_eq!(**second, conf, "the configuration came with the snapshot");
}
