//! Answers about alarms, leadership and downgrades, in every format.

use crate::api::{AlarmMember, AlarmType, DowngradeAction, DowngradeResponse, ResponseHeader};
use crate::etcdctl::printer::fields::Lines;
use crate::etcdctl::printer::json::{self, Object};
use crate::etcdctl::printer::{Format, Printed, Style, no_table, protobuf, unsupported};
use crate::types::MemberId;

/// No header is how etcd's client answers when it lifted the alarms one by one.
pub(crate) fn alarms(
    style: Style,
    header: Option<&ResponseHeader>,
    alarms: &[AlarmMember],
) -> Printed {
    match style.format {
        Format::Simple => {
            let lines: String = alarms.iter().map(|alarm| format!("{alarm}\n")).collect();
            Ok(lines.into_bytes())
        }
        Format::Fields => {
            let mut lines = Lines::new(style);
            lines.header(header.unwrap_or(&ResponseHeader::default()));
            for alarm in alarms {
                lines.id("MemberID", alarm.member_id.0);
                lines.plain("AlarmType", alarm.alarm);
                lines.blank();
            }
            Ok(lines.end())
        }
        Format::Json => {
            let mut object = Object::new();
            if let Some(header) = header {
                object = object.raw("header", &json::header(header));
            }
            let all: Vec<String> = alarms.iter().map(alarm_object).collect();
            Ok(json::line(&object.array("alarms", &all).end()))
        }
        Format::Table => no_table(),
        Format::Protobuf => Ok(protobuf::alarms(header, alarms)),
    }
}

fn alarm_object(alarm: &AlarmMember) -> String {
    let number = match alarm.alarm {
        AlarmType::NoSpace => 1,
        AlarmType::Corrupt => 2,
    };
    Object::new().number("memberID", alarm.member_id.0).number("alarm", number).end()
}

pub(crate) fn move_leader(style: Style, from: MemberId, to: MemberId) -> Printed {
    match style.format {
        Format::Simple => {
            Ok(format!("Leadership transferred from {from:x} to {to:x}\n").into_bytes())
        }
        Format::Fields => Err(unsupported("fields")),
        Format::Json => Ok(json::line(&Object::new().end())),
        Format::Table => no_table(),
        // Its header is never filled in.
        Format::Protobuf => Ok(Vec::new()),
    }
}

pub(crate) fn downgrade(
    style: Style,
    action: DowngradeAction,
    response: &DowngradeResponse,
) -> Printed {
    let name = match action {
        DowngradeAction::Validate => "validate",
        DowngradeAction::Enable => "enable",
        DowngradeAction::Cancel => "cancel",
    };
    let version = &response.version;
    match style.format {
        Format::Simple => {
            Ok(format!("Downgrade {name} success, cluster version {version}\n").into_bytes())
        }
        Format::Fields => Err(unsupported("fields")),
        Format::Json => {
            let object = Object::new()
                .raw("header", &json::header(&response.header))
                .text("version", version);
            Ok(json::line(&object.end()))
        }
        Format::Table => no_table(),
        Format::Protobuf => Ok(protobuf::downgrade(response)),
    }
}
