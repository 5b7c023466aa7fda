//! Snapshots saved, looked at, and made into new clusters.

use bytes::Bytes;
use etcd_playground::api::{
    AuthEnableRequest, AuthRequest, AuthUserAddRequest, AuthUserGrantRoleRequest,
    AuthenticateRequest, CompactionRequest, DeleteRangeRequest, LeaseGrantRequest,
    LeaseTimeToLiveRequest, MemberListRequest, PutRequest, RangeRequest, Request, Response,
    SnapshotRequest, SnapshotResponse,
};
use etcd_playground::auth::AuthConfig;
use etcd_playground::etcdserver::backup::{self, BackupError, RestoreSpec, Restored};
use etcd_playground::membership::{client_url, member_name, peer_url};
use etcd_playground::types::{ClusterId, LeaseId, MemberId, Term};

use crate::support::{Run, put};

/// As the static topology, so that a simulated cluster can start from it.
fn spec(members: u32) -> RestoreSpec {
    let named = |number| (member_name(number), vec![peer_url(number)]);
    RestoreSpec {
        members: (1..=members).map(named).collect(),
        token: "etcd-cluster".to_owned(),
        bump_revision: 0,
        mark_compacted: false,
        skip_hash_check: false,
    }
}

/// A cluster that starts from these disks.
fn start(restored: &Restored, seed: u64) -> Run {
    let count = u32::try_from(restored.members.len()).unwrap();
    let mut run = Run::new(count, seed, |config| {
        config.auth = AuthConfig { bcrypt_cost: 4, ..AuthConfig::default() };
    });
    // Nothing of theirs has landed yet.
    for id in run.ids() {
        run.sim.kill(id);
    }
    for (member, disk) in restored.members.iter().zip(&restored.disks) {
        *run.sim.disk_mut(member.id).unwrap() = disk.clone();
        run.sim.restart(member.id);
    }
    run.down.clear();
    run.run_ms(100);
    run.down.retain(|(_, reason)| reason != "killed");
    assert!(run.down.is_empty(), "{:?}", run.down);
    run
}

fn key(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

fn delete(run: &mut Run, member: MemberId, name: &'static str) {
    let request = DeleteRangeRequest { key: key(name), ..Default::default() };
    run.ask(member, Request::DeleteRange(request)).unwrap();
}

fn get_at(
    run: &mut Run,
    member: MemberId,
    name: &'static str,
    revision: i64,
) -> Result<i64, String> {
    let range = RangeRequest { key: key(name), revision, ..Default::default() };
    match run.ask(member, Request::Range(range))? {
        Response::Range(found) => Ok(found.kvs.first().map_or(0, |kv| kv.mod_revision)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_saved_file_tells_revision_keys_size_and_version() {
    let mut run = Run::new(1, 1, |_| {});
    let only = run.wait_leader();
    run.put(only, "foo", "bar").unwrap();
    run.put(only, "foo", "baz").unwrap();
    run.put(only, "gone", "x").unwrap();
    delete(&mut run, only, "gone");
    let file = run.save(only).unwrap();
    assert_eq!(file.len() % 512, 32, "the digest stands behind whole blocks");
    let status = backup::status(&file).unwrap();
    assert_eq!((status.revision, status.total_keys), (5, 1));
    assert_eq!((status.total_size, status.version.as_str()), (20_480, "3.7.0"));
    assert_eq!((status.member, status.cluster_id), (only, ClusterId(0xa7ef_944b_9571_1739)));
    // Without the digest it is the same database, and other data has another hash.
    assert_eq!(backup::status(&file[..file.len() - 32]).unwrap(), status);
    run.put(only, "foo", "qux").unwrap();
    let later = backup::status(&run.save(only).unwrap()).unwrap();
    assert_eq!(later.revision, 6);
    assert_ne!(later.hash, status.hash);
}

#[test]
fn pieces_are_32_kib_and_count_down_to_the_digest() {
    let mut run = Run::new(1, 2, |_| {});
    let only = run.wait_leader();
    for number in 0..12 {
        run.put(only, &format!("k{number}"), &"v".repeat(700_000)).unwrap();
    }
    let call = run.sim.request(only, Request::Snapshot(SnapshotRequest {}));
    run.run_ms(1_000);
    let Some(Ok(Response::Snapshot(last))) = run.reply(call) else { panic!("no digest") };
    assert_eq!((last.remaining_bytes, last.blob.len()), (0, 32));
    let pieces: Vec<SnapshotResponse> = run.parts[&call]
        .iter()
        .map(|part| match part {
            Response::Snapshot(piece) => piece.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    let total: usize = pieces.iter().map(|piece| piece.blob.len()).sum();
    assert!(total > 8_400_000 && total.is_multiple_of(512), "{total}");
    let mut left = total;
    for piece in &pieces {
        left -= piece.blob.len();
        assert_eq!(piece.remaining_bytes, u64::try_from(left).unwrap());
        assert_eq!((piece.version.as_str(), piece.header.revision), ("3.7.0", 0));
        assert!(piece.blob.len() == 32 * 1024 || left == 0);
    }
    assert_eq!(left, 0);
}

#[test]
fn a_canceled_save_sends_no_more_and_a_member_without_quorum_still_saves() {
    let mut run = Run::new(3, 3, |_| {});
    let leader = run.wait_leader();
    for number in 0..20 {
        run.put(leader, &format!("k{number}"), &"v".repeat(700_000)).unwrap();
    }
    run.run_ms(500);
    let call = run.sim.request(leader, Request::Snapshot(SnapshotRequest {}));
    run.run_ms(5);
    run.sim.cancel(call);
    run.run_ms(1_000);
    let pieces = run.parts.get(&call).map_or(0, Vec::len);
    assert!((1..=256).contains(&pieces), "{pieces} of 428 pieces");
    let ids = run.ids();
    let alone = run.follower();
    for id in ids.iter().filter(|id| **id != alone) {
        run.sim.kill(*id);
    }
    run.run_ms(5_000);
    let file = run.save(alone).unwrap();
    assert_eq!(backup::status(&file).unwrap().revision, 21);
}

#[test]
fn a_learner_saves_too_and_a_user_who_is_no_admin_does_not() {
    let mut run = Run::new(1, 4, |config| config.auth.bcrypt_cost = 4);
    let only = run.wait_leader();
    run.put(only, "foo", "bar").unwrap();
    let added = run.add_learner(only);
    run.sim.join(&added, "infra4", &client_url(4));
    run.run_ms(2_000);
    let learner = added.member.id;
    let refused = run.put(learner, "foo", "bar").unwrap_err();
    assert_eq!(refused, "etcdserver: rpc not supported for learner");
    let status = backup::status(&run.save(learner).unwrap()).unwrap();
    assert_eq!((status.revision, status.total_keys, status.member), (2, 1, learner));
    add_root(&mut run, only);
    let refused = run.save(only).unwrap_err();
    assert_eq!(refused, "etcdserver: user name is empty");
}

fn auth(run: &mut Run, member: MemberId, request: AuthRequest) {
    run.ask(member, Request::Auth(request)).unwrap();
}

fn add_root(run: &mut Run, member: MemberId) {
    let (name, password) = ("root".to_owned(), "secret".to_owned());
    let add = AuthUserAddRequest { name, password, ..Default::default() };
    auth(run, member, AuthRequest::UserAdd(add));
    let (user, role) = ("root".to_owned(), "root".to_owned());
    auth(run, member, AuthRequest::UserGrantRole(AuthUserGrantRoleRequest { user, role }));
    auth(run, member, AuthRequest::Enable(AuthEnableRequest {}));
}

#[test]
fn three_members_start_from_one_file_with_new_ids_and_the_old_data() {
    let mut old = Run::new(1, 5, |_| {});
    let only = old.wait_leader();
    old.puts(only, 30);
    old.compact(only, 12);
    old.run_ms(300);
    let hash = old.hash(only);
    let file = old.save(only).unwrap();
    let restored = backup::restore(&file, &spec(3)).unwrap();
    assert_eq!(restored.cluster_id, ClusterId(0x7384_1b4a_9097_c907));
    assert_eq!(restored.revision, 31);
    let mut new = start(&restored, 6);
    let leader = new.wait_leader();
    assert_eq!(new.sim.status(leader).unwrap().term, Term(2), "as after a first start");
    new.run_ms(500);
    for id in new.ids() {
        assert_eq!(new.hash(id), hash, "the same data everywhere");
        assert_eq!(new.sim.status(id).unwrap().boot, 1);
    }
    assert_eq!(get_at(&mut new, leader, "k1", 11).unwrap_err(), COMPACTED);
    assert!(get_at(&mut new, leader, "k1", 12).is_ok());
    assert_eq!(new.put(leader, "k1", "new"), Ok(32), "revisions go on");
    let list = Request::MemberList(MemberListRequest { linearizable: true });
    let Ok(Response::MemberList(list)) = new.ask(leader, list) else { panic!("no list") };
    let names: Vec<&str> = list.members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["infra3", "infra2", "infra1"], "by id");
    assert!(list.members.iter().all(|member| !member.client_urls.is_empty()), "published");
    // They are members like any other: they restart, and get along without one.
    for id in new.ids() {
        new.sim.kill(id);
        new.sim.restart(id);
    }
    new.wait_leader();
    new.run_ms(1_000);
    let down = new.follower();
    new.sim.kill(down);
    let leader = new.wait_leader();
    assert_eq!(new.put(leader, "k1", "newer"), Ok(33));
    new.assert_equal();
    new.assert_nobody_crashed();
}

const COMPACTED: &str = "etcdserver: mvcc: required revision has been compacted";

#[test]
fn a_bumped_restore_goes_on_from_there_and_has_compacted_everything_before() {
    let mut old = Run::new(1, 7, |_| {});
    let only = old.wait_leader();
    old.put(only, "foo", "1").unwrap();
    old.put(only, "foo", "2").unwrap();
    old.put(only, "gone", "x").unwrap();
    delete(&mut old, only, "gone");
    let file = old.save(only).unwrap();
    let bumped = RestoreSpec { bump_revision: 1_000, mark_compacted: true, ..spec(1) };
    let restored = backup::restore(&file, &bumped).unwrap();
    assert_eq!(restored.revision, 1_005);
    let mut new = start(&restored, 8);
    let only = new.wait_leader();
    assert_eq!(new.get(only, "foo", false), Ok(Some("2".to_owned())));
    assert_eq!(get_at(&mut new, only, "foo", 1_005), Ok(3));
    for revision in [1, 3, 1_004] {
        assert_eq!(get_at(&mut new, only, "foo", revision).unwrap_err(), COMPACTED);
    }
    // Watches of the time before are told so; those from the mark on see what comes.
    let before = new.watch(only, "foo", 6);
    let last = new.watch(only, "foo", 1_004);
    let mark = new.watch(only, "foo", 1_005);
    new.run_ms(300);
    for watch in [before, last] {
        let end = new.watched[&watch].last().unwrap();
        assert!(end.canceled);
        assert_eq!((end.compact_revision, end.cancel_reason.as_str()), (1_005, ""));
    }
    assert_eq!(new.put(only, "foo", "3"), Ok(1_006));
    new.run_ms(100);
    assert_eq!(new.events(mark), [1_006]);
    let again = CompactionRequest { revision: 1_005, physical: false };
    assert_eq!(new.ask(only, Request::Compaction(again)).unwrap_err(), COMPACTED);
    let status = backup::status(&new.save(only).unwrap()).unwrap();
    assert_eq!((status.revision, status.total_keys), (1_006, 1));
}

#[test]
fn leases_and_users_come_along() {
    let mut old = Run::new(1, 9, |config| config.auth.bcrypt_cost = 4);
    let only = old.wait_leader();
    let grant = LeaseGrantRequest { ttl: 600, id: LeaseId(7) };
    old.ask(only, Request::LeaseGrant(grant)).unwrap();
    let leased = PutRequest { key: key("leased"), lease: LeaseId(7), ..Default::default() };
    old.ask(only, Request::Put(leased)).unwrap();
    add_root(&mut old, only);
    let login = |run: &mut Run, member| {
        let (name, password) = ("root".to_owned(), "secret".to_owned());
        let request = Request::Authenticate(AuthenticateRequest { name, password });
        let Ok(Response::Authenticate(answer)) = run.ask(member, request) else { panic!("login") };
        answer.token
    };
    let token = login(&mut old, only);
    let call = old.sim.request_as(only, Some(token), Request::Snapshot(SnapshotRequest {}));
    old.run_ms(500);
    let Some(Ok(digest)) = old.reply(call) else { panic!("no snapshot") };
    let parts = old.parts.remove(&call).unwrap();
    let mut file = Vec::new();
    for part in parts.iter().chain([&digest]) {
        let Response::Snapshot(part) = part else { panic!("{part:?}") };
        file.extend_from_slice(&part.blob);
    }
    let mut new = start(&backup::restore(&file, &spec(3)).unwrap(), 10);
    let leader = new.wait_leader();
    new.run_ms(500);
    assert_eq!(new.put(leader, "k", "v").unwrap_err(), "etcdserver: user name is empty");
    let token = login(&mut new, leader);
    let asked = LeaseTimeToLiveRequest { id: LeaseId(7), keys: true };
    let answer = new.ask_as(leader, Some(&token), Request::LeaseTimeToLive(asked));
    let Ok(Response::LeaseTimeToLive(lease)) = answer else { panic!("{answer:?}") };
    assert_eq!((lease.granted_ttl, lease.keys), (600, vec![key("leased")]));
    assert!((595..=601).contains(&lease.ttl), "{}", lease.ttl);
}

#[test]
fn a_restored_member_is_not_let_into_the_old_cluster() {
    let mut old = Run::new(3, 11, |_| {});
    let leader = old.wait_leader();
    old.puts(leader, 5);
    let file = old.save(leader).unwrap();
    let other = RestoreSpec { token: "another".to_owned(), ..spec(3) };
    let restored = backup::restore(&file, &other).unwrap();
    assert_ne!(restored.cluster_id, ClusterId(0x7384_1b4a_9097_c907));
    let old_ids = old.ids();
    assert!(restored.members.iter().all(|member| !old_ids.contains(&member.id)));
    // The member that has the old one's place does not take the disk for its own.
    let follower = old.follower();
    old.sim.kill(follower);
    *old.sim.disk_mut(follower).unwrap() = restored.disks[0].clone();
    old.sim.restart(follower);
    old.run_ms(100);
    let (_, reason) = old.down.last().unwrap();
    assert!(reason.starts_with("the disk"), "{reason}");
}

#[test]
fn a_file_is_refused_when_it_was_damaged_on_its_way() {
    let mut run = Run::new(1, 12, |_| {});
    let only = run.wait_leader();
    run.sim.request(only, put("foo", "GOOD-VALUE"));
    run.run_ms(200);
    let file = run.save(only).unwrap();
    let mut damaged = file.clone();
    let at = file.windows(10).position(|window| window == b"GOOD-VALUE").unwrap();
    damaged[at] ^= 1;
    assert!(matches!(backup::restore(&damaged, &spec(1)), Err(BackupError::WrongHash { .. })));
    let expected = "snapshot file integrity check failed. 1 errors found.\n\
                    section 1: its checksum does not match";
    assert_eq!(backup::status(&damaged).unwrap_err().to_string(), expected);
    let skip = RestoreSpec { skip_hash_check: true, ..spec(1) };
    assert_eq!(backup::restore(&damaged, &skip).unwrap_err().to_string(), expected);
}
