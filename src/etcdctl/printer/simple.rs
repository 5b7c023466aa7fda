//! The `simple` format: keys and values on lines of their own, lists as rows.

use crate::api::{
    DeleteRangeResponse, EventType, KeyValue, PutResponse, RangeResponse, WatchResponse,
};
use crate::etcdctl::printer::{Health, Style};

pub(super) fn put(style: Style, response: &PutResponse) -> Vec<u8> {
    let mut out = b"OK\n".to_vec();
    if let Some(kv) = &response.prev_kv {
        push_kv(&mut out, style, kv);
    }
    out
}

pub(super) fn get(style: Style, response: &RangeResponse) -> Vec<u8> {
    let mut out = Vec::new();
    for kv in &response.kvs {
        push_kv(&mut out, style, kv);
    }
    out
}

pub(super) fn del(style: Style, response: &DeleteRangeResponse) -> Vec<u8> {
    let mut out = format!("{}\n", response.deleted).into_bytes();
    for kv in &response.prev_kvs {
        push_kv(&mut out, style, kv);
    }
    out
}

pub(super) fn watch(style: Style, response: &WatchResponse) -> Vec<u8> {
    let mut out = Vec::new();
    for event in &response.events {
        out.extend_from_slice(event_name(event.event_type).as_bytes());
        out.push(b'\n');
        if let Some(kv) = &event.prev_kv {
            push_kv(&mut out, style, kv);
        }
        push_kv(&mut out, style, &event.kv);
    }
    out
}

pub(super) const fn event_name(event: EventType) -> &'static str {
    match event {
        EventType::Put => "PUT",
        EventType::Delete => "DELETE",
    }
}

pub(super) fn rows(rows: &[Vec<String>]) -> Vec<u8> {
    let lines: Vec<String> = rows.iter().map(|row| format!("{}\n", row.join(", "))).collect();
    lines.concat().into_bytes()
}

/// Healthy endpoints go to standard output, the others to standard error.
pub(super) fn health(list: &[Health]) -> (Vec<u8>, Vec<u8>) {
    let (mut out, mut err) = (String::new(), String::new());
    for Health { endpoint, healthy, took, error } in list {
        if *healthy {
            out.push_str(&format!(
                "{endpoint} is healthy: successfully committed proposal: took = {took}\n"
            ));
        } else {
            err.push_str(&format!("{endpoint} is unhealthy: failed to commit proposal: {error}\n"));
        }
    }
    (out.into_bytes(), err.into_bytes())
}

fn push_kv(out: &mut Vec<u8>, style: Style, kv: &KeyValue) {
    if !style.value_only {
        push_line(out, style, &kv.key);
    }
    push_line(out, style, &kv.value);
}

fn push_line(out: &mut Vec<u8>, style: Style, bytes: &[u8]) {
    if style.hex {
        for byte in bytes {
            out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    } else {
        out.extend_from_slice(bytes);
    }
    out.push(b'\n');
}
