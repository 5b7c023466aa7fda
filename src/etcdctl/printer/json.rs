//! The `json` format: one line per answer, as Go encodes etcd's messages.
//!
//! Invariants: fields that hold nothing are left out, except where etcdctl's own types keep them; strings are
//! escaped as Go does it, `<`, `>` and `&` included.

use crate::api::{
    DeleteRangeResponse, Event, EventType, HashKvResponse, KeyValue, Member, MemberListResponse,
    PutResponse, RangeResponse, ResponseHeader, StatusResponse, WatchResponse,
};
use crate::etcdctl::printer::{Health, Style};
use crate::types::Base64;

/// An object under construction.
pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        Self(String::from("{"))
    }

    /// Adds a field whose value is JSON already.
    pub(super) fn raw(mut self, name: &str, value: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&text(name));
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    /// Adds a number unless it is 0.
    pub(super) fn number<N: Default + PartialEq + std::fmt::Display>(
        self,
        name: &str,
        value: N,
    ) -> Self {
        if value == N::default() { self } else { self.raw(name, &value.to_string()) }
    }

    /// Adds bytes in base64 unless there are none.
    pub(super) fn bytes(self, name: &str, value: &[u8]) -> Self {
        if value.is_empty() {
            self
        } else {
            self.raw(name, &format!("\"{}\"", Base64::STANDARD.encode(value)))
        }
    }

    /// Adds a text unless it is empty.
    pub(super) fn text(self, name: &str, value: &str) -> Self {
        if value.is_empty() { self } else { self.raw(name, &text(value)) }
    }

    /// Adds `true`, or nothing.
    pub(super) fn truth(self, name: &str, value: bool) -> Self {
        if value { self.raw(name, "true") } else { self }
    }

    /// Adds an array unless it is empty.
    pub(super) fn array(self, name: &str, values: &[String]) -> Self {
        if values.is_empty() { self } else { self.raw(name, &array(values)) }
    }

    pub(super) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

pub(super) fn array(values: &[String]) -> String {
    format!("[{}]", values.join(","))
}

pub(super) fn texts(values: &[String]) -> Vec<String> {
    values.iter().map(|value| text(value)).collect()
}

pub(super) fn text(value: &str) -> String {
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(super) fn line(object: &str) -> Vec<u8> {
    format!("{object}\n").into_bytes()
}

pub(super) fn header(header: &ResponseHeader) -> String {
    in_header(Object::new(), header).end()
}

/// The fields of a header as part of an object.
pub(super) fn in_header(object: Object, header: &ResponseHeader) -> Object {
    object
        .number("cluster_id", header.cluster_id.0)
        .number("member_id", header.member_id.0)
        .number("revision", header.revision)
        .number("raft_term", header.raft_term.0)
}

fn kv(kv: &KeyValue) -> String {
    Object::new()
        .bytes("key", &kv.key)
        .number("create_revision", kv.create_revision)
        .number("mod_revision", kv.mod_revision)
        .number("version", kv.version)
        .bytes("value", &kv.value)
        .number("lease", kv.lease.0)
        .end()
}

pub(super) fn kvs(list: &[KeyValue]) -> Vec<String> {
    list.iter().map(kv).collect()
}

pub(super) fn put(response: &PutResponse) -> String {
    let object = Object::new().raw("header", &header(&response.header));
    let object = match &response.prev_kv {
        Some(prev) => object.raw("prev_kv", &kv(prev)),
        None => object,
    };
    object.end()
}

pub(super) fn get(response: &RangeResponse) -> String {
    Object::new()
        .raw("header", &header(&response.header))
        .array("kvs", &kvs(&response.kvs))
        .truth("more", response.more)
        .number("count", response.count)
        .end()
}

pub(super) fn del(response: &DeleteRangeResponse) -> String {
    Object::new()
        .raw("header", &header(&response.header))
        .number("deleted", response.deleted)
        .array("prev_kvs", &kvs(&response.prev_kvs))
        .end()
}

fn event(event: &Event) -> String {
    let object = Object::new();
    let object = match event.event_type {
        EventType::Put => object,
        EventType::Delete => object.raw("type", "1"),
    };
    let object = object.raw("kv", &kv(&event.kv));
    let object = match &event.prev_kv {
        Some(prev) => object.raw("prev_kv", &kv(prev)),
        None => object,
    };
    object.end()
}

/// A watch is printed from the client's own type, which leaves nothing out.
pub(super) fn watch(response: &WatchResponse) -> Vec<u8> {
    let events: Vec<String> = response.events.iter().map(event).collect();
    let events = if events.is_empty() { "null".to_owned() } else { array(&events) };
    let object = Object::new()
        .raw("Header", &header(&response.header))
        .raw("Events", &events)
        .raw("CompactRevision", &response.compact_revision.to_string())
        .raw("Canceled", &response.canceled.to_string())
        .raw("Created", &response.created.to_string())
        .raw("CancelReason", &text(&response.cancel_reason));
    line(&object.end())
}

/// With `--hex` ids are texts in hexadecimal.
fn id(style: Style, object: Object, name: &str, id: u64) -> Object {
    if style.hex { object.raw(name, &format!("\"{id:x}\"")) } else { object.number(name, id) }
}

/// A header where ids may be texts.
pub(super) fn hex_header(style: Style, header: &ResponseHeader) -> String {
    let object = id(style, Object::new(), "cluster_id", header.cluster_id.0);
    id(style, object, "member_id", header.member_id.0)
        .number("revision", header.revision)
        .number("raft_term", header.raft_term.0)
        .end()
}

/// A member whose id may be a text.
pub(super) fn member(style: Style, member: &Member) -> String {
    id(style, Object::new(), "ID", member.id.0)
        .text("name", &member.name)
        .array("peerURLs", &texts(&member.peer_urls))
        .array("clientURLs", &texts(&member.client_urls))
        .truth("isLearner", member.is_learner)
        .end()
}

pub(super) fn member_list(style: Style, response: &MemberListResponse) -> Vec<u8> {
    let members: Vec<String> = response.members.iter().map(|one| member(style, one)).collect();
    let header = hex_header(style, &response.header);
    line(&Object::new().raw("header", &header).array("members", &members).end())
}

/// A list of `{"Endpoint": …, NAME: …}`; Go writes an empty one as `null`.
fn endpoints<T>(name: &str, answers: &[(String, T)], encode: impl Fn(&T) -> String) -> Vec<u8> {
    if answers.is_empty() {
        return line("null");
    }
    let all: Vec<String> = answers
        .iter()
        .map(|(endpoint, answer)| {
            Object::new().raw("Endpoint", &text(endpoint)).raw(name, &encode(answer)).end()
        })
        .collect();
    line(&array(&all))
}

pub(super) fn status(answers: &[(String, StatusResponse)]) -> Vec<u8> {
    endpoints("Status", answers, |status| {
        Object::new()
            .raw("header", &header(&status.header))
            .text("version", &status.version)
            .number("dbSize", status.db_size)
            .number("leader", status.leader.map_or(0, |leader| leader.0))
            .number("raftIndex", status.raft_index.0)
            .number("raftTerm", status.raft_term.0)
            .number("raftAppliedIndex", status.raft_applied_index.0)
            .array("errors", &texts(&status.errors))
            .number("dbSizeInUse", status.db_size_in_use)
            .truth("isLearner", status.is_learner)
            .text("storageVersion", &status.storage_version)
            .number("dbSizeQuota", status.db_size_quota)
            .raw(
                "downgradeInfo",
                &Object::new()
                    .truth("enabled", status.downgrade_info.enabled)
                    .text("targetVersion", &status.downgrade_info.target_version)
                    .end(),
            )
            .end()
    })
}

pub(super) fn hashkv(answers: &[(String, HashKvResponse)]) -> Vec<u8> {
    endpoints("HashKV", answers, |answer| {
        Object::new()
            .raw("header", &header(&answer.header))
            .number("hash", answer.hash)
            .number("compact_revision", answer.compact_revision)
            .number("hash_revision", answer.hash_revision)
            .end()
    })
}

pub(super) fn health(list: &[Health]) -> Vec<u8> {
    if list.is_empty() {
        return line("null");
    }
    let all: Vec<String> = list
        .iter()
        .map(|health| {
            Object::new()
                .raw("endpoint", &text(&health.endpoint))
                .raw("health", &health.healthy.to_string())
                .raw("took", &text(&health.took))
                .text("error", &health.error)
                .end()
        })
        .collect();
    line(&array(&all))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn strings_are_escaped_as_go_does_it() {
        assert_eq!(
            text("a<b>&\"\\\n\u{1}\u{2028}é"),
            r#""a\u003cb\u003e\u0026\"\\\n\u0001\u2028é""#
        );
    }
}
