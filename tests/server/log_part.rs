//! What a member tells of its log.

use bytes::Bytes;
use etcd_playground::api::{
    CompactionRequest, ConfigChange, DeleteRangeRequest, LOG_PART_ENTRIES_MAX, LeaseGrantRequest,
    LogContent, MemberAddRequest, Request, RequestOp, TxnRequest,
};
use etcd_playground::membership::peer_url;
use etcd_playground::types::{Index, LeaseId, Term};

use crate::support::{self, Run};

#[test]
fn entries_are_told_in_words_and_in_order() {
    let mut run = Run::new(3, 1, |_| {});
    let leader = run.wait_leader();
    // Members are added only while all have been heard for a while.
    run.run_ms(6_000);
    let before = run.sim.status(leader).unwrap().last_index;
    run.put(leader, "foo", "bar").unwrap();
    let delete = DeleteRangeRequest { key: Bytes::from_static(b"foo"), ..Default::default() };
    run.ask(leader, Request::DeleteRange(delete)).unwrap();
    let Request::Put(put) = support::put("a", "1") else { unreachable!() };
    let success = vec![RequestOp::Put(put)];
    run.ask(leader, Request::Txn(TxnRequest { success, ..Default::default() })).unwrap();
    let grant = LeaseGrantRequest { ttl: 60, id: LeaseId(7) };
    run.ask(leader, Request::LeaseGrant(grant)).unwrap();
    let compaction = CompactionRequest { revision: 2, physical: false };
    run.ask(leader, Request::Compaction(compaction)).unwrap();
    let add = MemberAddRequest { peer_urls: vec![peer_url(4)], is_learner: true };
    run.ask(leader, Request::MemberAdd(add)).unwrap();
    let part = run.sim.log_part(leader, before.next(), Index(u64::MAX)).unwrap();
    let content: Vec<LogContent> = part.entries.iter().map(|entry| entry.content.clone()).collect();
    let key = Bytes::from_static(b"foo");
    assert_eq!(
        content[..5],
        [
            LogContent::Put { key: key.clone(), value_bytes: 3, lease: LeaseId(0) },
            LogContent::Delete { key, is_range: false },
            LogContent::Txn { compares: 0, success: 1, failure: 0, may_write: true },
            LogContent::LeaseGrant { lease: LeaseId(7), ttl: 60 },
            LogContent::Compaction { revision: 2 },
        ]
    );
    assert!(matches!(content[5], LogContent::Config { change: ConfigChange::AddLearner, .. }));
    let indexes: Vec<u64> = part.entries.iter().map(|entry| entry.index.0).collect();
    let expected: Vec<u64> = (before.0 + 1..=before.0 + 6).collect();
    assert_eq!(indexes, expected);
    assert_eq!(part.voters.len(), 3);
    assert_eq!(part.progress.len(), run.sim.status(leader).unwrap().progress.len());
}

#[test]
fn the_first_entries_are_the_founders_and_the_leader_begins_with_an_empty_one() {
    let mut run = Run::new(3, 2, |_| {});
    let leader = run.wait_leader();
    run.run_ms(300);
    let part = run.sim.log_part(leader, Index(0), Index(4)).unwrap();
    for (number, entry) in part.entries.iter().take(3).enumerate() {
        assert_eq!(entry.term, Term(1));
        let LogContent::Config { change: ConfigChange::AddVoter, name, .. } = &entry.content else {
            panic!("{entry:?}");
        };
        assert!(name.starts_with("infra"), "entry {number}: {name}");
    }
    assert!(part.entries[3].term >= Term(2));
    assert_eq!(part.entries[3].content, LogContent::Empty);
}

#[test]
fn a_part_is_bounded_and_begins_where_the_log_does() {
    let mut run = Run::new(1, 3, |config| {
        config.snapshot_count = 300;
        config.snapshot_catchup_entries = 250;
    });
    let only = run.wait_leader();
    run.puts(only, 700);
    run.run_ms(300);
    let part = run.sim.log_part(only, Index(0), Index(u64::MAX)).unwrap();
    assert!(part.first_index > Index(1), "{:?}", part.first_index);
    assert_eq!(part.entries.len() as u64, LOG_PART_ENTRIES_MAX);
    assert_eq!(part.entries[0].index, part.first_index);
    let nothing = run.sim.log_part(only, Index(u64::MAX), Index(0)).unwrap();
    assert!(nothing.entries.is_empty());
}
