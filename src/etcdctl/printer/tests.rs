//! Whole outputs, against text recorded from etcdctl 3.7.1 (ids as in its one-member cluster).

use bytes::Bytes;

use super::*;
use crate::api::{Event, EventType, KeyValue, Member, ResponseHeader};
use crate::types::{ClusterId, Index, LeaseId, MemberId, Term};

const MEMBER: MemberId = MemberId(0xddd6_7b31_2462_fd7b);

fn style(format: Format) -> Style {
    Style {
        format,
        hex: false,
        value_only: false,
        rare: Some(&crate::etcdctl::command::rare::PARTS),
    }
}

fn header(revision: i64) -> ResponseHeader {
    let cluster_id = ClusterId(0xa7ef_944b_9571_1739);
    ResponseHeader { cluster_id, member_id: MEMBER, revision, raft_term: Term(2) }
}

fn kv(key: &str, value: &str, revisions: [i64; 3]) -> KeyValue {
    let [create_revision, mod_revision, version] = revisions;
    KeyValue {
        key: Bytes::copy_from_slice(key.as_bytes()),
        create_revision,
        mod_revision,
        version,
        value: Bytes::copy_from_slice(value.as_bytes()),
        lease: LeaseId(0),
    }
}

fn text(printed: Printed) -> String {
    String::from_utf8(printed.unwrap()).unwrap()
}

#[test]
fn get_prints_the_recorded_json_and_fields() {
    let response = RangeResponse {
        header: header(4),
        kvs: vec![kv("foo", "v2", [2, 3, 2])],
        more: false,
        count: 1,
    };
    assert_eq!(
        text(get(style(Format::Json), &response)),
        "{\"header\":{\"cluster_id\":12101053776118486841,\"member_id\":15985099378392235387,\"revision\":4,\"raft_term\":2},\"kvs\":[{\"key\":\"Zm9v\",\"create_revision\":2,\"mod_revision\":3,\"version\":2,\"value\":\"djI=\"}],\"count\":1}\n"
    );
    let hex = Style { hex: true, ..style(Format::Fields) };
    assert_eq!(
        text(get(hex, &response)),
        "\"ClusterID\" : a7ef944b95711739\n\"MemberID\" : ddd67b312462fd7b\n\"Revision\" : 4\n\"RaftTerm\" : 2\n\"Key\" : \"foo\"\n\"CreateRevision\" : 2\n\"ModRevision\" : 3\n\"Version\" : 2\n\"Value\" : \"v2\"\n\"Lease\" : 0000000000000000\n\"More\" : false\n\"Count\" : 1\n"
    );
}

#[test]
fn bytes_go_out_raw_or_in_hex() {
    let mut response = RangeResponse::default();
    response.kvs.push(KeyValue {
        key: Bytes::from_static(b"bin"),
        value: Bytes::from_static(b"\x00\xff\n"),
        ..KeyValue::default()
    });
    assert_eq!(get(style(Format::Simple), &response).unwrap(), b"bin\n\x00\xff\n\n");
    let hex = Style { hex: true, ..style(Format::Simple) };
    assert_eq!(text(get(hex, &response)), "\\x62\\x69\\x6e\n\\x00\\xff\\x0a\n");
    let value_only = Style { value_only: true, ..style(Format::Simple) };
    assert_eq!(get(value_only, &response).unwrap(), b"\x00\xff\n\n");
}

#[test]
fn a_watch_in_json_is_the_clients_own_type() {
    let event = Event {
        event_type: EventType::Delete,
        kv: kv("foo", "", [0, 3, 0]),
        prev_kv: Some(kv("foo", "1", [2, 2, 1])),
    };
    let response =
        WatchResponse { header: header(3), events: vec![event], ..WatchResponse::default() };
    assert_eq!(
        text(watch(style(Format::Json), &response)),
        "{\"Header\":{\"cluster_id\":12101053776118486841,\"member_id\":15985099378392235387,\"revision\":3,\"raft_term\":2},\"Events\":[{\"type\":1,\"kv\":{\"key\":\"Zm9v\",\"mod_revision\":3},\"prev_kv\":{\"key\":\"Zm9v\",\"create_revision\":2,\"mod_revision\":2,\"version\":1,\"value\":\"MQ==\"}}],\"CompactRevision\":0,\"Canceled\":false,\"Created\":false,\"CancelReason\":\"\"}\n"
    );
}

#[test]
fn a_status_table_is_as_wide_as_its_cells() {
    let answer = StatusResponse {
        header: header(2),
        version: "3.7.1".to_owned(),
        db_size: 20_480,
        db_size_in_use: 16_384,
        leader: Some(MEMBER),
        raft_index: Index(5),
        raft_term: Term(2),
        raft_applied_index: Index(5),
        storage_version: "3.7.0".to_owned(),
        db_size_quota: 2_147_483_648,
        ..StatusResponse::default()
    };
    let answers = [("127.0.0.1:12379".to_owned(), answer)];
    assert_eq!(
        text(status(style(Format::Table), &answers)),
        "\
┌─────────────────┬──────────────────┬─────────┬─────────────────┬─────────┬────────┬───────────────────────┬────────┬───────────┬────────────┬───────────┬────────────┬────────────────────┬────────┬──────────────────────────┬───────────────────┐
│    ENDPOINT     │        ID        │ VERSION │ STORAGE VERSION │ DB SIZE │ IN USE │ PERCENTAGE NOT IN USE │ QUOTA  │ IS LEADER │ IS LEARNER │ RAFT TERM │ RAFT INDEX │ RAFT APPLIED INDEX │ ERRORS │ DOWNGRADE TARGET VERSION │ DOWNGRADE ENABLED │
├─────────────────┼──────────────────┼─────────┼─────────────────┼─────────┼────────┼───────────────────────┼────────┼───────────┼────────────┼───────────┼────────────┼────────────────────┼────────┼──────────────────────────┼───────────────────┤
│ 127.0.0.1:12379 │ ddd67b312462fd7b │   3.7.1 │           3.7.0 │   20 kB │  16 kB │                   20% │ 2.1 GB │      true │      false │         2 │          5 │                  5 │        │                          │             false │
└─────────────────┴──────────────────┴─────────┴─────────────────┴─────────┴────────┴───────────────────────┴────────┴───────────┴────────────┴───────────┴────────────┴────────────────────┴────────┴──────────────────────────┴───────────────────┘
"
    );
    assert_eq!(
        text(status(style(Format::Simple), &answers)),
        "127.0.0.1:12379, ddd67b312462fd7b, 3.7.1, 3.7.0, 20 kB, 16 kB, 20%, 2.1 GB, true, false, 2, 5, 5, , , false\n"
    );
}

#[test]
fn wide_characters_keep_a_table_straight() {
    let member = Member { id: MemberId(1), name: "数据库".to_owned(), ..Member::default() };
    let list = MemberListResponse { members: vec![member], ..MemberListResponse::default() };
    let table = text(member_list(style(Format::Table), &list));
    let widths: Vec<usize> = table.lines().map(unicode_width::UnicodeWidthStr::width).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
    assert!(table.contains("│ started │ 数据库 │"), "{table}");
}

#[test]
fn health_goes_to_the_stream_it_belongs_to() {
    let line = |endpoint: &str, error: &str| Health {
        endpoint: endpoint.to_owned(),
        healthy: error.is_empty(),
        took: "3ms".to_owned(),
        error: error.to_owned(),
    };
    let list = [line("a:1", ""), line("b:2", "context deadline exceeded")];
    let (out, err) = health(style(Format::Simple), &list).unwrap();
    assert_eq!(out, b"a:1 is healthy: successfully committed proposal: took = 3ms\n");
    assert_eq!(err, b"b:2 is unhealthy: failed to commit proposal: context deadline exceeded\n");
    let (out, _) = health(style(Format::Json), &list).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "[{\"endpoint\":\"a:1\",\"health\":true,\"took\":\"3ms\"},{\"endpoint\":\"b:2\",\"health\":false,\"took\":\"3ms\",\"error\":\"context deadline exceeded\"}]\n"
    );
    assert!(health(style(Format::Protobuf), &list).is_err());
}

#[test]
fn formats_that_do_not_fit_are_refused_with_exit_4() {
    let refused = put(style(Format::Table), &PutResponse::default()).unwrap_err();
    assert_eq!(
        (refused.status, refused.message.as_str()),
        (4, "table not supported as output format")
    );
    assert!(status(style(Format::Protobuf), &[]).is_err());
    assert_eq!(text(status(style(Format::Json), &[])), "null\n");
}
