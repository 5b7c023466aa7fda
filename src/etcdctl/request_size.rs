//! How many bytes a request would take on etcd's wire, for the client's own limit.
//!
//! What it is: protobuf sizes of the requests.
//! What it is not: an encoder.
//! Invariants: equal to the size that a protobuf encoder would give.
//! Source: the protobuf encoding guide; etcd `rpc.proto` for the field types.

use crate::api::{Compare, CompareTarget, Request, RequestOp, TxnRequest};

/// Bytes of the encoded message.
pub(crate) fn request_size(request: &Request) -> u64 {
    match request {
        Request::Range(range) => {
            let numbers = [
                range.limit,
                range.revision,
                range.sort_order as i64,
                range.sort_target as i64,
                range.min_mod_revision,
                range.max_mod_revision,
                range.min_create_revision,
                range.max_create_revision,
            ];
            let switches = [range.serializable, range.keys_only, range.count_only];
            bytes(&range.key)
                + bytes(&range.range_end)
                + numbers.into_iter().map(number).sum::<u64>()
                + switches.into_iter().map(switch).sum::<u64>()
        }
        Request::Put(put) => {
            bytes(&put.key)
                + bytes(&put.value)
                + number(put.lease.0)
                + switch(put.prev_kv)
                + switch(put.ignore_value)
                + switch(put.ignore_lease)
        }
        Request::DeleteRange(delete) => {
            bytes(&delete.key) + bytes(&delete.range_end) + switch(delete.prev_kv)
        }
        Request::Txn(txn) => txn_size(txn),
        Request::Status(_)
        | Request::Alarm(_)
        | Request::MemberAdd(_)
        | Request::MemberRemove(_)
        | Request::MemberUpdate(_)
        | Request::MemberPromote(_)
        | Request::MoveLeader(_)
        | Request::Defragment(_)
        | Request::Downgrade(_)
        | Request::LeaseGrant(_)
        | Request::LeaseRevoke(_)
        | Request::LeaseKeepAlive(_)
        | Request::LeaseTimeToLive(_)
        | Request::LeaseLeases(_)
        | Request::Auth(_)
        | Request::Authenticate(_)
        | Request::Snapshot(_) => 0,
        Request::Compaction(compaction) => {
            number(compaction.revision) + switch(compaction.physical)
        }
        Request::MemberList(list) => switch(list.linearizable),
        Request::HashKv(hash) => number(hash.revision),
    }
}

fn txn_size(txn: &TxnRequest) -> u64 {
    let operations = txn.success.iter().chain(&txn.failure).map(|op| message(op_size(op)));
    txn.compare.iter().map(|compare| message(compare_size(compare))).sum::<u64>()
        + operations.sum::<u64>()
}

fn op_size(op: &RequestOp) -> u64 {
    message(match op {
        RequestOp::Range(range) => request_size(&Request::Range(range.clone())),
        RequestOp::Put(put) => request_size(&Request::Put(put.clone())),
        RequestOp::DeleteRange(delete) => request_size(&Request::DeleteRange(delete.clone())),
        RequestOp::Txn(txn) => txn_size(txn),
    })
}

fn compare_size(compare: &Compare) -> u64 {
    let (kind, target) = match &compare.target {
        CompareTarget::Version(value) => (0, present(*value)),
        CompareTarget::Create(value) => (1, present(*value)),
        CompareTarget::Mod(value) => (2, present(*value)),
        CompareTarget::Value(value) => (3, message(length(value))),
        CompareTarget::Lease(value) => (4, present(value.0)),
    };
    // `range_end` has field number 64, which makes its tag one byte longer.
    let range_end = bytes(&compare.range_end);
    number(compare.result as i64)
        + number(kind)
        + bytes(&compare.key)
        + target
        + range_end
        + u64::from(range_end > 0)
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// A field of a message or of bytes that is there even if empty: tag, length, content.
const fn message(size: u64) -> u64 {
    1 + varint(size) + size
}

fn bytes(content: &[u8]) -> u64 {
    if content.is_empty() { 0 } else { message(length(content)) }
}

const fn present(value: i64) -> u64 {
    1 + varint(value.cast_unsigned())
}

const fn number(value: i64) -> u64 {
    if value == 0 { 0 } else { present(value) }
}

const fn switch(value: bool) -> u64 {
    if value { 2 } else { 0 }
}

const fn varint(value: u64) -> u64 {
    let bits = u64::BITS - value.leading_zeros();
    let sevens = bits.div_ceil(7) as u64;
    if sevens == 0 { 1 } else { sevens }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::api::PutRequest;
    use crate::types::LeaseId;

    #[test]
    fn a_put_has_the_size_that_etcdctl_reports() {
        let value = Bytes::from(vec![b'a'; 3_000_000]);
        let put = PutRequest { key: Bytes::from_static(b"k"), value, ..PutRequest::default() };
        assert_eq!(request_size(&Request::Put(put)), 3_000_008);
    }

    #[test]
    fn requests_without_text_have_a_size_as_well() {
        use crate::api::{CompactionRequest, HashKvRequest, MemberListRequest, StatusRequest};
        let compaction = CompactionRequest { revision: 300, physical: true };
        assert_eq!(request_size(&Request::Compaction(compaction)), 5);
        assert_eq!(request_size(&Request::HashKv(HashKvRequest { revision: -1 })), 11);
        let list = MemberListRequest { linearizable: true };
        assert_eq!(request_size(&Request::MemberList(list)), 2);
        assert_eq!(request_size(&Request::Status(StatusRequest {})), 0);
    }

    #[test]
    fn negative_numbers_take_ten_bytes() {
        let put = PutRequest { lease: LeaseId(-1), ..PutRequest::default() };
        assert_eq!(request_size(&Request::Put(put)), 11);
        assert_eq!(varint(0), 1);
        assert_eq!(varint(127), 1);
        assert_eq!(varint(128), 2);
    }
}
