//! The formats that are for programs, of the answers to commands that are for everybody.
//!
//! Invariants: only `command::rare` names it, so that a program may be built without these formats.

use crate::api::{
    DeleteRangeResponse, MemberListResponse, PutResponse, RangeResponse, StatusResponse,
    WatchResponse,
};
use crate::etcdctl::printer::{
    Format, Health, Printed, Style, fields, json, no_protobuf, protobuf,
};

/// An answer to print.
#[derive(Clone, Copy)]
pub(crate) enum Answer<'a> {
    Put(&'a PutResponse),
    Get(&'a RangeResponse),
    Del(&'a DeleteRangeResponse),
    Watch(&'a WatchResponse),
    MemberList(&'a MemberListResponse),
    Status(&'a [(String, StatusResponse)]),
    Health(&'a [Health]),
}

/// Prints it; the other formats are not for here.
pub(crate) fn print(style: Style, answer: Answer<'_>) -> Printed {
    match style.format {
        Format::Fields => Ok(as_fields(style, answer)),
        Format::Json => Ok(match answer {
            Answer::Put(it) => json::line(&json::put(it)),
            Answer::Get(it) => json::line(&json::get(it)),
            Answer::Del(it) => json::line(&json::del(it)),
            Answer::Watch(it) => json::watch(it),
            Answer::MemberList(it) => json::member_list(style, it),
            Answer::Status(it) => json::status(it),
            Answer::Health(it) => json::health(it),
        }),
        Format::Protobuf => match answer {
            Answer::Put(it) => Ok(protobuf::put(it)),
            Answer::Get(it) => Ok(protobuf::range(it)),
            Answer::Del(it) => Ok(protobuf::delete_range(it)),
            Answer::Watch(it) => Ok(protobuf::watch(it)),
            Answer::MemberList(it) => Ok(protobuf::change(&it.header, None, &it.members)),
            Answer::Status(_) | Answer::Health(_) => no_protobuf(),
        },
        Format::Simple | Format::Table => unreachable!("{:?} is not rare", style.format),
    }
}

fn as_fields(style: Style, answer: Answer<'_>) -> Vec<u8> {
    match answer {
        Answer::Put(it) => fields::put(style, it),
        Answer::Get(it) => fields::get(style, it),
        Answer::Del(it) => fields::del(style, it),
        Answer::Watch(it) => fields::watch(style, it),
        Answer::MemberList(it) => fields::member_list(style, it),
        Answer::Status(it) => fields::status(style, it),
        Answer::Health(it) => fields::health(it),
    }
}
