//! How answers are printed: one module per format, chosen here.
//!
//! What it is: pure functions from an answer to bytes; answers with something in common have a module of their own.
//! What it is not: escaping for a screen; keys and values go out as they are.
//! Invariants: what a format cannot show is refused with etcdctl's text and exit code; each output ends in a newline
//! or is empty.
//! Source: recorded output of etcdctl 3.7.1.

mod auth;
mod fields;
mod json;
mod lease;
mod maintenance;
mod membership;
mod protobuf;
mod rare;
mod simple;
mod snapshot;
mod table;
mod txn;

pub(crate) use lease::{
    grant as lease_grant, keep_alive as lease_keep_alive, list as lease_list,
    revoke as lease_revoke, time_to_live as lease_time_to_live,
};
pub(crate) use maintenance::{alarms, downgrade, move_leader};
pub(crate) use membership::{MemberChange, add as member_add, change as member_change};
pub(crate) use protobuf::answer_size;
pub(crate) use rare::{Answer, print as rare};
pub(crate) use snapshot::status as snapshot_status;
pub(crate) use txn::txn;

use crate::api::{
    DeleteRangeResponse, HashKvResponse, MemberListResponse, PutResponse, RangeResponse,
    StatusResponse, WatchResponse,
};
use crate::etcdctl::command::{EXIT_BAD_FEATURE, Failure, rare::Parts};

pub(crate) use auth::auth;

/// What was printed, or why it could not be.
pub(crate) type Printed = Result<Vec<u8>, Failure>;

/// The formats of `--write-out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Simple,
    Fields,
    Json,
    Protobuf,
    Table,
}

impl Format {
    /// By its name, which is case sensitive.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "simple" => Self::Simple,
            "fields" => Self::Fields,
            "json" => Self::Json,
            "protobuf" => Self::Protobuf,
            "table" => Self::Table,
            _ => return None,
        })
    }
}

/// How to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) format: Format,
    pub(crate) hex: bool,
    /// Keys are left out; simple format only.
    pub(crate) value_only: bool,
    /// What prints the formats that are rare.
    pub(crate) rare: Option<&'static Parts>,
}

impl Style {
    /// Prints in a format that is rare.
    fn rarely(self, answer: Answer<'_>) -> Printed {
        match self.rare {
            Some(parts) => (parts.print)(self, answer),
            None => unreachable!("another program prints {:?}", self.format),
        }
    }
}

/// Health of one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Health {
    pub(crate) endpoint: String,
    pub(crate) healthy: bool,
    /// As Go writes a duration.
    pub(crate) took: String,
    /// Empty if healthy.
    pub(crate) error: String,
}

/// Standard output and standard error of a health check.
pub(crate) type PrintedHealth = Result<(Vec<u8>, Vec<u8>), Failure>;

fn unsupported(format: &str) -> Failure {
    Failure::new(EXIT_BAD_FEATURE, format!("{format} not supported as output format"))
}

fn no_table() -> Printed {
    Err(unsupported("table"))
}

fn no_protobuf() -> Printed {
    Err(unsupported("protobuf"))
}

pub(crate) fn put(style: Style, response: &PutResponse) -> Printed {
    match style.format {
        Format::Simple => Ok(simple::put(style, response)),
        Format::Table => no_table(),
        Format::Fields | Format::Json | Format::Protobuf => style.rarely(Answer::Put(response)),
    }
}

pub(crate) fn get(style: Style, response: &RangeResponse) -> Printed {
    match style.format {
        Format::Simple => Ok(simple::get(style, response)),
        Format::Table => no_table(),
        Format::Fields | Format::Json | Format::Protobuf => style.rarely(Answer::Get(response)),
    }
}

pub(crate) fn del(style: Style, response: &DeleteRangeResponse) -> Printed {
    match style.format {
        Format::Simple => Ok(simple::del(style, response)),
        Format::Table => no_table(),
        Format::Fields | Format::Json | Format::Protobuf => style.rarely(Answer::Del(response)),
    }
}

pub(crate) fn watch(style: Style, response: &WatchResponse) -> Printed {
    match style.format {
        Format::Simple => Ok(simple::watch(style, response)),
        Format::Table => no_table(),
        Format::Fields | Format::Json | Format::Protobuf => style.rarely(Answer::Watch(response)),
    }
}

pub(crate) fn member_list(style: Style, response: &MemberListResponse) -> Printed {
    match style.format {
        Format::Simple => Ok(simple::rows(&member_rows(response))),
        Format::Table => Ok(table::render(&MEMBER_HEADINGS, &member_rows(response))),
        Format::Fields | Format::Json | Format::Protobuf => {
            style.rarely(Answer::MemberList(response))
        }
    }
}

pub(crate) fn status(style: Style, answers: &[(String, StatusResponse)]) -> Printed {
    match style.format {
        Format::Simple => Ok(simple::rows(&status_rows(answers))),
        Format::Table => Ok(table::render(&STATUS_HEADINGS, &status_rows(answers))),
        Format::Fields | Format::Json | Format::Protobuf => style.rarely(Answer::Status(answers)),
    }
}

pub(crate) fn hashkv(style: Style, answers: &[(String, HashKvResponse)]) -> Printed {
    match style.format {
        Format::Simple => Ok(simple::rows(&hashkv_rows(answers))),
        Format::Fields => Ok(fields::hashkv(style, answers)),
        Format::Json => Ok(json::hashkv(answers)),
        Format::Table => Ok(table::render(&HASHKV_HEADINGS, &hashkv_rows(answers))),
        Format::Protobuf => no_protobuf(),
    }
}

pub(crate) fn health(style: Style, list: &[Health]) -> PrintedHealth {
    let out = match style.format {
        Format::Simple => return Ok(simple::health(list)),
        Format::Table => table::render(&HEALTH_HEADINGS, &health_rows(list)),
        Format::Fields | Format::Json | Format::Protobuf => style.rarely(Answer::Health(list))?,
    };
    Ok((out, Vec::new()))
}

const MEMBER_HEADINGS: [&str; 6] =
    ["ID", "STATUS", "NAME", "PEER ADDRS", "CLIENT ADDRS", "IS LEARNER"];

fn member_rows(response: &MemberListResponse) -> Vec<Vec<String>> {
    response
        .members
        .iter()
        .map(|member| {
            let status = if member.name.is_empty() { "unstarted" } else { "started" };
            vec![
                format!("{:x}", member.id),
                status.to_owned(),
                member.name.clone(),
                member.peer_urls.join(","),
                member.client_urls.join(","),
                member.is_learner.to_string(),
            ]
        })
        .collect()
}

const STATUS_HEADINGS: [&str; 16] = [
    "ENDPOINT",
    "ID",
    "VERSION",
    "STORAGE VERSION",
    "DB SIZE",
    "IN USE",
    "PERCENTAGE NOT IN USE",
    "QUOTA",
    "IS LEADER",
    "IS LEARNER",
    "RAFT TERM",
    "RAFT INDEX",
    "RAFT APPLIED INDEX",
    "ERRORS",
    "DOWNGRADE TARGET VERSION",
    "DOWNGRADE ENABLED",
];

fn status_rows(answers: &[(String, StatusResponse)]) -> Vec<Vec<String>> {
    use crate::etcdctl::go::size;
    answers
        .iter()
        .map(|(endpoint, status)| {
            let used = status.db_size_in_use.saturating_mul(100).checked_div(status.db_size);
            vec![
                endpoint.clone(),
                format!("{:x}", status.header.member_id),
                status.version.clone(),
                status.storage_version.clone(),
                size(status.db_size),
                size(status.db_size_in_use),
                format!("{}%", 100 - used.unwrap_or(100)),
                size(status.db_size_quota),
                (status.leader == Some(status.header.member_id)).to_string(),
                status.is_learner.to_string(),
                status.raft_term.to_string(),
                status.raft_index.to_string(),
                status.raft_applied_index.to_string(),
                status.errors.join(", "),
                status.downgrade_info.target_version.clone(),
                status.downgrade_info.enabled.to_string(),
            ]
        })
        .collect()
}

const HASHKV_HEADINGS: [&str; 3] = ["ENDPOINT", "HASH", "HASH REVISION"];

fn hashkv_rows(answers: &[(String, HashKvResponse)]) -> Vec<Vec<String>> {
    answers
        .iter()
        .map(|(endpoint, answer)| {
            vec![endpoint.clone(), answer.hash.to_string(), answer.hash_revision.to_string()]
        })
        .collect()
}

const HEALTH_HEADINGS: [&str; 4] = ["ENDPOINT", "HEALTH", "TOOK", "ERROR"];

fn health_rows(list: &[Health]) -> Vec<Vec<String>> {
    list.iter()
        .map(|health| {
            vec![
                health.endpoint.clone(),
                health.healthy.to_string(),
                health.took.clone(),
                health.error.clone(),
            ]
        })
        .collect()
}

#[cfg(test)]
mod tests;
