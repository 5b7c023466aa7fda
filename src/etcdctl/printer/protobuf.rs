//! The `protobuf` format: the answer as it travels on etcd's wire, with nothing around it.
//!
//! What it is: an encoder for the answers that etcdctl can print so.
//! What it is not: a decoder, or fit for anything with other types than these.
//! Invariants: fields in the order of their numbers, empty ones left out, as etcd's encoder does it.
//! Source: the protobuf encoding guide; etcd `rpc.proto`, `kv.proto`, `auth.proto` for the numbers.

use crate::api::{
    AlarmMember, AlarmType, AuthResponse, DeleteRangeResponse, DowngradeResponse, Event, EventType,
    KeyValue, Member, Permission, PutResponse, RangeResponse, Response, ResponseHeader, ResponseOp,
    TxnResponse, WatchResponse,
};

/// A message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(u8::try_from(value & 0x7f).unwrap_or_default() | 0x80);
            value >>= 7;
        }
        self.0.push(u8::try_from(value).unwrap_or_default());
    }

    /// An unsigned number unless it is 0.
    fn number(mut self, field: u64, value: u64) -> Self {
        if value != 0 {
            self.varint(field << 3);
            self.varint(value);
        }
        self
    }

    /// A signed number unless it is 0.
    fn signed(self, field: u64, value: i64) -> Self {
        self.number(field, value.cast_unsigned())
    }

    fn truth(self, field: u64, value: bool) -> Self {
        self.number(field, u64::from(value))
    }

    /// Bytes even if there are none, as elements of a list and messages are written.
    fn element(mut self, field: u64, content: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(u64::try_from(content.len()).unwrap_or(u64::MAX));
        self.0.extend_from_slice(content);
        self
    }

    /// Bytes unless there are none.
    fn bytes(self, field: u64, content: &[u8]) -> Self {
        if content.is_empty() { self } else { self.element(field, content) }
    }

    fn message(self, field: u64, message: &Self) -> Self {
        self.element(field, &message.0)
    }

    fn messages<T>(self, field: u64, list: &[T], encode: impl Fn(&T) -> Self) -> Self {
        list.iter().fold(self, |message, item| message.message(field, &encode(item)))
    }

    fn texts(self, field: u64, list: &[String]) -> Self {
        list.iter().fold(self, |message, text| message.element(field, text.as_bytes()))
    }
}

fn header_message(header: &ResponseHeader) -> Message {
    Message::default()
        .number(1, header.cluster_id.0)
        .number(2, header.member_id.0)
        .signed(3, header.revision)
        .number(4, header.raft_term.0)
}

/// A message that begins with the header.
fn answer(header: &ResponseHeader) -> Message {
    Message::default().message(1, &header_message(header))
}

/// The header as a message of its own.
pub(super) fn header(header: &ResponseHeader) -> Vec<u8> {
    header_message(header).0
}

fn kv(kv: &KeyValue) -> Message {
    Message::default()
        .bytes(1, &kv.key)
        .signed(2, kv.create_revision)
        .signed(3, kv.mod_revision)
        .signed(4, kv.version)
        .bytes(5, &kv.value)
        .signed(6, kv.lease.0)
}

fn event(event: &Event) -> Message {
    let message = Message::default()
        .number(1, u64::from(event.event_type == EventType::Delete))
        .message(2, &kv(&event.kv));
    match &event.prev_kv {
        Some(prev) => message.message(3, &kv(prev)),
        None => message,
    }
}

fn member(member: &Member) -> Message {
    Message::default()
        .number(1, member.id.0)
        .bytes(2, member.name.as_bytes())
        .texts(3, &member.peer_urls)
        .texts(4, &member.client_urls)
        .truth(5, member.is_learner)
}

fn alarm(alarm: &AlarmMember) -> Message {
    let kind = match alarm.alarm {
        AlarmType::NoSpace => 1,
        AlarmType::Corrupt => 2,
    };
    Message::default().number(1, alarm.member_id.0).number(2, kind)
}

fn permission(permission: &Permission) -> Message {
    Message::default()
        .number(1, permission.perm_type as u64)
        .bytes(2, &permission.key)
        .bytes(3, &permission.range_end)
}

fn range_message(range: &RangeResponse) -> Message {
    answer(&range.header).messages(2, &range.kvs, kv).truth(3, range.more).signed(4, range.count)
}

fn put_message(put: &PutResponse) -> Message {
    let message = answer(&put.header);
    match &put.prev_kv {
        Some(prev) => message.message(2, &kv(prev)),
        None => message,
    }
}

fn delete_message(delete: &DeleteRangeResponse) -> Message {
    answer(&delete.header).signed(2, delete.deleted).messages(3, &delete.prev_kvs, kv)
}

fn txn_message(response: &TxnResponse) -> Message {
    answer(&response.header).truth(2, response.succeeded).messages(3, &response.responses, |op| {
        let (field, message) = match op {
            ResponseOp::Range(range) => (1, range_message(range)),
            ResponseOp::Put(put) => (2, put_message(put)),
            ResponseOp::DeleteRange(delete) => (3, delete_message(delete)),
            ResponseOp::Txn(nested) => (4, txn_message(nested)),
        };
        Message::default().message(field, &message)
    })
}

pub(super) fn range(response: &RangeResponse) -> Vec<u8> {
    range_message(response).0
}

pub(super) fn put(response: &PutResponse) -> Vec<u8> {
    put_message(response).0
}

pub(super) fn delete_range(response: &DeleteRangeResponse) -> Vec<u8> {
    delete_message(response).0
}

pub(super) fn txn(response: &TxnResponse) -> Vec<u8> {
    txn_message(response).0
}

/// What etcd's watch client keeps of a message; the watch's id and the reason are not among it.
pub(super) fn watch(response: &WatchResponse) -> Vec<u8> {
    answer(&response.header)
        .truth(3, response.created)
        .truth(4, response.canceled)
        .signed(5, response.compact_revision)
        .messages(11, &response.events, event)
        .0
}

/// The members after a change, or a list of them; an addition names the new one, too.
pub(super) fn change(
    header: &ResponseHeader,
    added: Option<&Member>,
    members: &[Member],
) -> Vec<u8> {
    let message = answer(header);
    match added {
        Some(added) => message.message(2, &member(added)).messages(3, members, member).0,
        None => message.messages(2, members, member).0,
    }
}

pub(super) fn alarms(header: Option<&ResponseHeader>, list: &[AlarmMember]) -> Vec<u8> {
    header.map(answer).unwrap_or_default().messages(2, list, alarm).0
}

pub(super) fn downgrade(response: &DowngradeResponse) -> Vec<u8> {
    answer(&response.header).bytes(2, response.version.as_bytes()).0
}

/// How many bytes an answer takes on etcd's wire, for those that are encoded here.
pub(crate) fn answer_size(response: &Response) -> Option<u64> {
    let bytes = match response {
        Response::Range(range) => self::range(range),
        Response::Put(put) => self::put(put),
        Response::DeleteRange(delete) => delete_range(delete),
        Response::Txn(txn) => self::txn(txn),
        Response::MemberList(list) => change(&list.header, None, &list.members),
        Response::Auth(auth) => self::auth(auth),
        _ => return None,
    };
    u64::try_from(bytes.len()).ok()
}

pub(super) fn auth(response: &AuthResponse) -> Vec<u8> {
    let message = answer(response.clone().header_mut());
    match response {
        AuthResponse::Status(status) => {
            message.truth(2, status.enabled).number(3, status.auth_revision).0
        }
        AuthResponse::UserGet(user) => message.texts(2, &user.roles).0,
        AuthResponse::UserList(list) => message.texts(2, &list.users).0,
        AuthResponse::RoleGet(role) => message.messages(2, &role.perm, permission).0,
        AuthResponse::RoleList(list) => message.texts(2, &list.roles).0,
        _ => message.0,
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use bytes::Bytes;

    use super::*;
    use crate::types::{ClusterId, MemberId, Term};

    fn header(revision: i64) -> ResponseHeader {
        ResponseHeader {
            cluster_id: ClusterId(0xa7ef_944b_9571_1739),
            member_id: MemberId(0xddd6_7b31_2462_fd7b),
            revision,
            raft_term: Term(2),
        }
    }

    fn nested(revision: i64) -> ResponseHeader {
        ResponseHeader { revision, ..ResponseHeader::default() }
    }

    /// Recorded from etcdctl 3.7.1.
    #[test]
    fn a_transaction_is_encoded_as_etcdctl_encodes_it() {
        let kv = KeyValue {
            key: Bytes::from_static(b"a"),
            create_revision: 2,
            mod_revision: 3,
            version: 2,
            value: Bytes::from_static(b"2"),
            ..KeyValue::default()
        };
        let put = PutResponse { header: nested(3), prev_kv: None };
        let range = RangeResponse {
            header: nested(3),
            kvs: vec![kv],
            count: 1,
            ..RangeResponse::default()
        };
        let response = TxnResponse {
            header: header(3),
            succeeded: true,
            responses: vec![ResponseOp::Put(put), ResponseOp::Range(range)],
        };
        let recorded =
            "ChoIua7Eq7mJ5fenARD7+oujkuae690BGAMgAhABGgYSBAoCGAMaFgoUCgIYAxIMCgFhEAIYAyACKgEyIAE=";
        let ours = txn(&response);
        assert_eq!(STANDARD.encode(ours), recorded);
    }

    #[test]
    fn negative_numbers_take_ten_bytes() {
        let message = Message::default().signed(5, -1);
        assert_eq!(message.0, [0x28, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }
}
