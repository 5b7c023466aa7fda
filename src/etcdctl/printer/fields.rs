//! The `fields` format: one `"Name" : value` a line.

use std::fmt::Display;

use crate::api::{
    DeleteRangeResponse, HashKvResponse, KeyValue, MemberListResponse, PutResponse, RangeResponse,
    ResponseHeader, StatusResponse, WatchResponse,
};
use crate::etcdctl::go;
use crate::etcdctl::printer::simple::event_name;
use crate::etcdctl::printer::{Health, Style};
use crate::types::LeaseId;

/// Lines under construction.
pub(super) struct Lines {
    out: String,
    hex: bool,
}

impl Lines {
    pub(super) const fn new(style: Style) -> Self {
        Self { out: String::new(), hex: style.hex }
    }

    pub(super) fn plain(&mut self, name: &str, value: impl Display) {
        self.out.push_str(&format!("\"{name}\" : {value}\n"));
    }

    pub(super) fn quoted(&mut self, name: &str, value: &[u8]) {
        let value = go::quote(value);
        self.plain(name, value);
    }

    /// Several on one line.
    pub(super) fn quoted_list(&mut self, name: &str, values: &[String]) {
        let values: Vec<String> =
            values.iter().map(|v| format!(" {}", go::quote(v.as_bytes()))).collect();
        self.out.push_str(&format!("\"{name}\" :{}\n", values.concat()));
    }

    pub(super) fn id(&mut self, name: &str, id: u64) {
        if self.hex {
            self.plain(name, format!("{id:x}"));
        } else {
            self.plain(name, id);
        }
    }

    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    pub(super) fn header(&mut self, header: &ResponseHeader) {
        self.id("ClusterID", header.cluster_id.0);
        self.id("MemberID", header.member_id.0);
        if header.revision != 0 {
            self.plain("Revision", header.revision);
        }
        self.plain("RaftTerm", header.raft_term);
    }

    fn kv(&mut self, prefix: &str, kv: &KeyValue) {
        self.quoted(&format!("{prefix}Key"), &kv.key);
        self.plain(&format!("{prefix}CreateRevision"), kv.create_revision);
        self.plain(&format!("{prefix}ModRevision"), kv.mod_revision);
        self.plain(&format!("{prefix}Version"), kv.version);
        self.quoted(&format!("{prefix}Value"), &kv.value);
        self.lease(&format!("{prefix}Lease"), kv.lease);
    }

    pub(super) fn lease(&mut self, name: &str, lease: LeaseId) {
        if self.hex {
            self.plain(name, format!("{lease:016x}"));
        } else {
            self.plain(name, lease);
        }
    }

    pub(super) fn end(self) -> Vec<u8> {
        self.out.into_bytes()
    }
}

pub(super) fn put(style: Style, response: &PutResponse) -> Vec<u8> {
    let mut lines = Lines::new(style);
    lines.header(&response.header);
    if let Some(kv) = &response.prev_kv {
        lines.kv("Prev", kv);
    }
    lines.end()
}

pub(super) fn get(style: Style, response: &RangeResponse) -> Vec<u8> {
    let mut lines = Lines::new(style);
    lines.header(&response.header);
    for kv in &response.kvs {
        lines.kv("", kv);
    }
    lines.plain("More", response.more);
    lines.plain("Count", response.count);
    lines.end()
}

pub(super) fn del(style: Style, response: &DeleteRangeResponse) -> Vec<u8> {
    let mut lines = Lines::new(style);
    lines.header(&response.header);
    lines.plain("Deleted", response.deleted);
    for kv in &response.prev_kvs {
        lines.kv("Prev", kv);
    }
    lines.end()
}

pub(super) fn watch(style: Style, response: &WatchResponse) -> Vec<u8> {
    let mut lines = Lines::new(style);
    lines.header(&response.header);
    for event in &response.events {
        lines.plain("Type", event_name(event.event_type));
        if let Some(kv) = &event.prev_kv {
            lines.kv("Prev", kv);
        }
        lines.kv("", &event.kv);
    }
    lines.end()
}

pub(super) fn member_list(style: Style, response: &MemberListResponse) -> Vec<u8> {
    let mut lines = Lines::new(style);
    lines.header(&response.header);
    for member in &response.members {
        lines.id("ID", member.id.0);
        lines.quoted("Name", member.name.as_bytes());
        for url in &member.peer_urls {
            lines.quoted("PeerURL", url.as_bytes());
        }
        for url in &member.client_urls {
            lines.quoted("ClientURL", url.as_bytes());
        }
        lines.plain("IsLearner", member.is_learner);
        lines.blank();
    }
    lines.end()
}

pub(super) fn status(style: Style, answers: &[(String, StatusResponse)]) -> Vec<u8> {
    let mut lines = Lines::new(style);
    for (endpoint, status) in answers {
        lines.header(&status.header);
        lines.quoted("Version", status.version.as_bytes());
        lines.quoted("StorageVersion", status.storage_version.as_bytes());
        lines.plain("DBSize", status.db_size);
        lines.plain("DBSizeInUse", status.db_size_in_use);
        lines.plain("DBSizeQuota", status.db_size_quota);
        // Decimal even with --hex, as etcdctl prints it.
        lines.plain("Leader", status.leader.map_or(0, |leader| leader.0));
        lines.plain("IsLearner", status.is_learner);
        lines.plain("RaftIndex", status.raft_index);
        lines.plain("RaftTerm", status.raft_term);
        lines.plain("RaftAppliedIndex", status.raft_applied_index);
        lines.plain("Errors", format!("[{}]", status.errors.join(" ")));
        lines.quoted("Endpoint", endpoint.as_bytes());
        let downgrade = &status.downgrade_info;
        lines.quoted("DowngradeTargetVersion", downgrade.target_version.as_bytes());
        lines.plain("DowngradeEnabled", downgrade.enabled);
        lines.blank();
    }
    lines.end()
}

pub(super) fn hashkv(style: Style, answers: &[(String, HashKvResponse)]) -> Vec<u8> {
    let mut lines = Lines::new(style);
    for (endpoint, answer) in answers {
        lines.header(&answer.header);
        lines.quoted("Endpoint", endpoint.as_bytes());
        lines.plain("Hash", answer.hash);
        lines.plain("HashRevision", answer.hash_revision);
        lines.blank();
    }
    lines.end()
}

pub(super) fn health(list: &[Health]) -> Vec<u8> {
    let mut lines = Lines { out: String::new(), hex: false };
    for health in list {
        lines.quoted("Endpoint", health.endpoint.as_bytes());
        lines.plain("Health", health.healthy);
        lines.plain("Took", &health.took);
        lines.plain("Error", &health.error);
        lines.blank();
    }
    lines.end()
}
