//! The exact protobuf bytes of a stored version, and sizes of watch responses.
//!
//! What it is: `mvccpb.KeyValue` as prost writes it, fields in order and zero fields left out.
//! What it is not: what our own disk or wire uses.
//! Source: etcd `api/mvccpb/kv.proto`, `api/etcdserverpb/rpc.proto`.

use bytes::Bytes;
use prost::Message as _;
use prost::encoding::encoded_len_varint;

use crate::api;

#[derive(Clone, PartialEq, prost::Message)]
struct KeyValue {
    #[prost(bytes = "bytes", tag = "1")]
    key: Bytes,
    #[prost(int64, tag = "2")]
    create_revision: i64,
    #[prost(int64, tag = "3")]
    mod_revision: i64,
    #[prost(int64, tag = "4")]
    version: i64,
    #[prost(bytes = "bytes", tag = "5")]
    value: Bytes,
    #[prost(int64, tag = "6")]
    lease: i64,
}

impl KeyValue {
    fn of(kv: &api::KeyValue) -> Self {
        Self {
            key: kv.key.clone(),
            create_revision: kv.create_revision,
            mod_revision: kv.mod_revision,
            version: kv.version,
            value: kv.value.clone(),
            lease: kv.lease.0,
        }
    }
}

/// Writes the bytes of `kv` into `buffer`, which is emptied first.
pub(super) fn encode_key_value(kv: &api::KeyValue, buffer: &mut Vec<u8>) {
    buffer.clear();
    // A `Vec` grows as needed, so that encoding cannot fail.
    let encoded = KeyValue::of(kv).encode(buffer);
    assert!(encoded.is_ok(), "encoding a key value into memory failed: {encoded:?}");
}

/// Bytes that [`encode_key_value`] writes.
pub(super) fn key_value_size(kv: &api::KeyValue) -> u64 {
    to_u64(KeyValue::of(kv).encoded_len())
}

/// Bytes that `event` takes in an encoded watch response.
pub(super) fn event_size(event: &api::Event) -> u64 {
    let event_type = match event.event_type {
        api::EventType::Put => 0,
        api::EventType::Delete => 2,
    };
    let kv = field_size(key_value_size(&event.kv));
    let prev_kv = event.prev_kv.as_ref().map_or(0, |kv| field_size(key_value_size(kv)));
    field_size(event_type + kv + prev_kv)
}

/// A field of `length` bytes with its tag and its length.
fn field_size(length: u64) -> u64 {
    1 + to_u64(encoded_len_varint(length)) + length
}

/// Lengths of things in memory fit into 64 bits on every target.
fn to_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::LeaseId;

    #[test]
    fn zero_fields_are_left_out_and_order_is_by_tag() {
        let mut buffer = vec![9];
        let key = Bytes::from_static(b"a");
        encode_key_value(&api::KeyValue { key: key.clone(), ..Default::default() }, &mut buffer);
        assert_eq!(buffer, [0x0a, 1, b'a']);
        let kv = api::KeyValue {
            key,
            create_revision: 2,
            mod_revision: 300,
            version: 1,
            value: Bytes::from_static(b"xy"),
            lease: LeaseId(-1),
        };
        encode_key_value(&kv, &mut buffer);
        let mut expected =
            vec![0x0a, 1, b'a', 0x10, 2, 0x18, 0xac, 2, 0x20, 1, 0x2a, 2, b'x', b'y', 0x30];
        expected.extend([0xff; 9]);
        expected.push(1);
        assert_eq!(buffer, expected);
        assert_eq!(key_value_size(&kv), 25);
    }

    #[test]
    fn event_size_counts_type_and_previous_version() {
        let kv = api::KeyValue { key: Bytes::from_static(b"a"), ..Default::default() };
        let put = api::Event { event_type: api::EventType::Put, kv: kv.clone(), prev_kv: None };
        assert_eq!(event_size(&put), 7);
        let delete =
            api::Event { event_type: api::EventType::Delete, kv: kv.clone(), prev_kv: Some(kv) };
        assert_eq!(event_size(&delete), 14);
    }
}
