use bytes::Bytes;

use super::*;
use crate::types::LeaseId;

fn row(main: i64, key: &'static str) -> mvcc::Row {
    let kv = api::KeyValue {
        key: Bytes::from_static(key.as_bytes()),
        create_revision: main,
        mod_revision: main,
        version: 1,
        value: Bytes::from_static(b"value"),
        lease: LeaseId(0),
    };
    mvcc::Row { revision: mvcc::Revision::new(main, 0), is_tombstone: false, kv }
}

fn content() -> SnapshotPayload {
    let member = api::Member {
        id: MemberId(9),
        peer_urls: vec!["http://old:1".to_owned()],
        ..api::Member::default()
    };
    let cluster = Cluster::new([member]).unwrap();
    let state = AppliedState {
        index: Index(40),
        cluster,
        revision: 4,
        db_size: 20_480,
        ..Default::default()
    };
    let rows = vec![row(2, "a"), row(3, "b"), row(4, "c")];
    SnapshotPayload { state, rows, leases: Vec::new(), auth: AuthState::default() }
}

/// As a client saves it.
fn file() -> Vec<u8> {
    let mut file = encode(&content(), MemberId(9), "3.7.0");
    let digest = Sha256::digest(&file);
    file.extend(digest);
    file
}

fn spec() -> RestoreSpec {
    RestoreSpec {
        members: parse_initial_cluster("default=http://localhost:2380").unwrap(),
        token: "etcd-cluster".to_owned(),
        bump_revision: 0,
        mark_compacted: false,
        skip_hash_check: false,
    }
}

fn refused(file: &[u8], spec: &RestoreSpec) -> String {
    restore(file, spec).unwrap_err().to_string()
}

#[test]
fn a_restored_cluster_has_the_ids_that_etcd_gives_it() {
    let restored = restore(&file(), &spec()).unwrap();
    assert_eq!(restored.cluster_id, ClusterId(0xcdf8_1819_4e3a_8c32));
    assert_eq!(restored.members[0].id, MemberId(0x8e9e_05c5_2164_694d));
    assert_eq!(restored.revision, 4);
    let recovered = crate::etcdserver::recover::recover(&restored.disks[0]).unwrap();
    let meta = recovered.meta.as_ref().unwrap();
    assert_eq!((meta.boot, meta.state.index, recovered.last_id().index), (0, Index(1), Index(1)));
    assert_eq!(recovered.hard_state.term, Term(1));
    assert_eq!(recovered.hard_state.vote, Some(restored.members[0].id));
    assert_eq!(recovered.hard_state.commit, Index(1));
    assert_eq!(recovered.rows, content().rows);
    assert!(recovered.entries.is_empty() && recovered.orphans.is_empty());
}

#[test]
fn files_that_are_none_are_refused_in_etcds_words() {
    let file = file();
    let text = |bytes: &[u8]| status(bytes).unwrap_err().to_string();
    assert_eq!(text(b"junk"), "invalid database");
    assert_eq!(text(b""), "invalid database");
    assert_eq!(refused(b"junk", &spec()), "snapshot missing hash but --skip-hash-check=false");
    let skip = RestoreSpec { skip_hash_check: true, ..spec() };
    assert_eq!(refused(b"junk", &skip), "invalid database");
    let mut newer = file.clone();
    newer[16] = 2;
    assert_eq!(text(&newer), "version mismatch");
    let mut head = file.clone();
    head[30] ^= 1;
    assert_eq!(text(&head), "checksum error");
}

#[test]
fn the_digest_is_asked_for_unless_that_is_skipped() {
    let file = file();
    let body = &file[..file.len() - 32];
    assert_eq!(refused(body, &spec()), "snapshot missing hash but --skip-hash-check=false");
    let skip = RestoreSpec { skip_hash_check: true, ..spec() };
    assert_eq!(restore(body, &skip), restore(&file, &spec()));
    let mut wrong = file.clone();
    let end = wrong.len();
    wrong[end - 32..].fill(7);
    let text = refused(&wrong, &spec());
    let expected = format!("expected sha256 [{}], got [", vec!["7"; 32].join(" "));
    assert!(text.starts_with(&expected) && text.ends_with(']'), "{text}");
    assert!(restore(&wrong, &skip).is_ok());
}

#[test]
fn no_cut_and_no_flipped_byte_gets_through() {
    let file = file();
    let body = file.len() - 32;
    let whole = status(&file).unwrap();
    let skip = RestoreSpec { skip_hash_check: true, ..spec() };
    // What follows the sections is filling.
    let used = body - file[..body].iter().rev().take_while(|byte| **byte == 0).count();
    for cut in 0..used {
        assert!(status(&file[..cut]).is_err(), "cut at {cut}");
        assert!(restore(&file[..cut], &spec()).is_err(), "cut at {cut}");
        assert!(restore(&file[..cut], &skip).is_err(), "cut at {cut}");
    }
    for at in 0..used {
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        assert!(status(&damaged).is_err(), "byte {at}");
        assert!(restore(&damaged, &spec()).is_err(), "byte {at}");
    }
    assert_eq!((whole.revision, whole.total_keys, whole.total_size), (4, 3, 20_480));
}

#[test]
fn content_that_is_no_store_fails_the_integrity_check() {
    let text = |change: fn(&mut SnapshotPayload)| {
        let mut content = content();
        change(&mut content);
        status(&encode(&content, MemberId(9), "3.7.0")).unwrap_err().to_string()
    };
    let head = "snapshot file integrity check failed. 1 errors found.\n";
    assert_eq!(text(|c| c.rows.swap(0, 1)), format!("{head}row 2.0 follows row 3.0"));
    assert_eq!(
        text(|c| c.rows[0].kv.version = 0),
        format!("{head}row at revision 2.0 has fields that contradict it")
    );
    assert_eq!(
        text(|c| c.rows[1].kv.lease = LeaseId(0x2a)),
        format!("{head}row 3.0 has lease 000000000000002a, which is none")
    );
    assert_eq!(
        text(|c| c.leases = vec![StoredLease { id: LeaseId(1), ttl: 0, remaining_ttl: 0 }]),
        format!("{head}lease 0000000000000001 is stored with times that cannot be")
    );
}

#[test]
fn orders_that_make_no_cluster_are_refused_in_etcds_words() {
    let file = file();
    let with = |change: &dyn Fn(&mut RestoreSpec)| {
        let mut spec = spec();
        change(&mut spec);
        refused(&file, &spec)
    };
    let mark = "--mark-compacted required if --revision-bump > 0";
    assert_eq!(with(&|spec| spec.bump_revision = 1), mark);
    assert_eq!(with(&|spec| spec.mark_compacted = true), mark);
    let bump = |by: u64| {
        with(&move |spec: &mut RestoreSpec| {
            spec.bump_revision = by;
            spec.mark_compacted = true;
        })
    };
    assert_eq!(bump(u64::MAX), format!("the revision cannot be raised by {}", u64::MAX));
    assert_eq!(bump(1 << 62), format!("the revision cannot be raised by {}", 1_u64 << 62));
    assert_eq!(
        with(&|spec| spec.members.clear()),
        "initial cluster unset and no discovery endpoints found"
    );
    let urls = |text: &str| with(&|spec| spec.members = parse_initial_cluster(text).unwrap());
    assert_eq!(
        urls("a=localhost:2380"),
        "URL scheme must be http, https, unix, or unixs: localhost:2380"
    );
    assert_eq!(
        urls("a=http://localhost"),
        "URL address does not have the form \"host:port\": http://localhost"
    );
    assert_eq!(urls("a=http://a:1/x"), "URL must not contain a path: http://a:1/x");
    assert_eq!(
        urls("b=http://a:1,a=http://a:1"),
        "initial cluster a=http://a:1,b=http://a:1 has duplicate url"
    );
    assert_eq!(parse_initial_cluster(" , "), Err(BackupError::NoMembers));
    let two = parse_initial_cluster("a=http://a:1,b=http://b:1,a=http://a:2").unwrap();
    assert_eq!(two[0], ("a".to_owned(), vec!["http://a:1".to_owned(), "http://a:2".to_owned()]));
    assert_eq!(two.len(), 2);
}

#[test]
fn a_bumped_store_keeps_what_is_newest_and_nothing_else() {
    let mut content = content();
    let mut newer = row(5, "a");
    (newer.kv.create_revision, newer.kv.version) = (2, 2);
    content.rows.push(newer);
    let kv = api::KeyValue { key: Bytes::from_static(b"b"), ..Default::default() };
    content.rows.push(mvcc::Row { revision: mvcc::Revision::new(6, 0), is_tombstone: true, kv });
    content.state.revision = 6;
    let mut file = encode(&content, MemberId(9), "3.7.0");
    assert_eq!(status(&file).unwrap().total_keys, 2);
    let digest = Sha256::digest(&file);
    file.extend(digest);
    let spec = RestoreSpec { bump_revision: 100, mark_compacted: true, ..spec() };
    let restored = restore(&file, &spec).unwrap();
    assert_eq!(restored.revision, 106);
    let recovered = crate::etcdserver::recover::recover(&restored.disks[0]).unwrap();
    let revisions: Vec<i64> = recovered.rows.iter().map(|row| row.revision.main).collect();
    assert_eq!(revisions, [4, 5], "the tombstone is older than the mark");
    let state = &recovered.meta.unwrap().state;
    assert_eq!((state.revision, state.compact_revision), (106, Some(106)));
}
