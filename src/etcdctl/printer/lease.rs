//! Answers about leases, in every format.
//!
//! Invariants: ids have 16 digits in text; JSON is written from the client's own types, which hold the header's fields
//! themselves and leave nothing else out.

use crate::api::{
    LeaseGrantResponse, LeaseKeepAliveResponse, LeaseLeasesResponse, LeaseRevokeResponse,
    LeaseTimeToLiveResponse,
};
use crate::etcdctl::command::{EXIT_BAD_FEATURE, Failure};
use crate::etcdctl::printer::fields::Lines;
use crate::etcdctl::printer::json::{self, Object};
use crate::etcdctl::printer::{Format, Printed, Style, no_table, protobuf};
use crate::types::{Base64, LeaseId};

/// The one of the client's own types for leases that has no such form; the others pass as the header they hold.
fn no_protobuf() -> Printed {
    let message = "marshal unsupported for type *clientv3.LeaseRevokeResponse";
    Err(Failure::new(EXIT_BAD_FEATURE, message))
}

pub(crate) fn grant(style: Style, response: &LeaseGrantResponse) -> Printed {
    let LeaseGrantResponse { header, id, ttl, error } = response;
    Ok(match style.format {
        Format::Simple => format!("lease {id:016x} granted with TTL({ttl}s)\n").into_bytes(),
        Format::Fields => {
            let mut lines = Lines::new(style);
            lines.header(header);
            lines.lease("ID", *id);
            lines.plain("TTL", ttl);
            lines.end()
        }
        Format::Json => {
            let object = json::in_header(Object::new(), header)
                .raw("ID", &id.to_string())
                .raw("TTL", &ttl.to_string())
                .raw("Error", &json::text(error));
            json::line(&object.end())
        }
        Format::Table => return no_table(),
        Format::Protobuf => protobuf::header(header),
    })
}

pub(crate) fn revoke(style: Style, id: LeaseId, response: &LeaseRevokeResponse) -> Printed {
    Ok(match style.format {
        Format::Simple => format!("lease {id:016x} revoked\n").into_bytes(),
        Format::Fields => {
            let mut lines = Lines::new(style);
            lines.header(&response.header);
            lines.end()
        }
        Format::Json => {
            json::line(&Object::new().raw("header", &json::header(&response.header)).end())
        }
        Format::Table => return no_table(),
        Format::Protobuf => return no_protobuf(),
    })
}

pub(crate) fn keep_alive(style: Style, response: &LeaseKeepAliveResponse) -> Printed {
    let LeaseKeepAliveResponse { header, id, ttl } = response;
    Ok(match style.format {
        Format::Simple => format!("lease {id:016x} keepalived with TTL({ttl})\n").into_bytes(),
        Format::Fields => {
            let mut lines = Lines::new(style);
            lines.header(header);
            lines.lease("ID", *id);
            lines.plain("TTL", ttl);
            lines.end()
        }
        Format::Json => {
            let object = json::in_header(Object::new(), header)
                .raw("ID", &id.to_string())
                .raw("TTL", &ttl.to_string());
            json::line(&object.end())
        }
        Format::Table => return no_table(),
        Format::Protobuf => protobuf::header(header),
    })
}

/// `keys`: they were asked for.
pub(crate) fn time_to_live(
    style: Style,
    keys: bool,
    response: &LeaseTimeToLiveResponse,
) -> Printed {
    let LeaseTimeToLiveResponse { header, id, ttl, granted_ttl, keys: attached } = response;
    Ok(match style.format {
        Format::Simple if *granted_ttl == 0 && *ttl == -1 => {
            format!("lease {id:016x} already expired\n").into_bytes()
        }
        Format::Simple => {
            let text =
                format!("lease {id:016x} granted with TTL({granted_ttl}s), remaining({ttl}s)");
            let mut out = text.into_bytes();
            if keys {
                out.extend_from_slice(b", attached keys([");
                out.extend(attached.join(&b' '));
                out.extend_from_slice(b"])");
            }
            out.push(b'\n');
            out
        }
        Format::Fields => {
            let mut lines = Lines::new(style);
            lines.header(header);
            lines.lease("ID", *id);
            lines.plain("TTL", ttl);
            lines.plain("GrantedTTL", granted_ttl);
            for key in attached {
                lines.quoted("Key", key);
            }
            lines.end()
        }
        Format::Json => {
            let coded = attached.iter().map(|key| format!("\"{}\"", Base64::STANDARD.encode(key)));
            let coded: Vec<String> = coded.collect();
            // Go writes a list that is not there as null.
            let coded = if coded.is_empty() { "null".to_owned() } else { json::array(&coded) };
            let object = json::in_header(Object::new(), header)
                .raw("id", &id.to_string())
                .raw("ttl", &ttl.to_string())
                .raw("granted-ttl", &granted_ttl.to_string())
                .raw("keys", &coded);
            json::line(&object.end())
        }
        Format::Table => return no_table(),
        Format::Protobuf => protobuf::header(header),
    })
}

pub(crate) fn list(style: Style, response: &LeaseLeasesResponse) -> Printed {
    let LeaseLeasesResponse { header, leases } = response;
    Ok(match style.format {
        Format::Simple => {
            let ids = leases.iter().map(|lease| format!("{:016x}\n", lease.id));
            format!("found {} leases\n{}", leases.len(), ids.collect::<String>()).into_bytes()
        }
        Format::Fields => {
            let mut lines = Lines::new(style);
            lines.header(header);
            for lease in leases {
                lines.lease("ID", lease.id);
            }
            lines.end()
        }
        Format::Json => {
            let ids =
                leases.iter().map(|lease| Object::new().raw("id", &lease.id.to_string()).end());
            let ids: Vec<String> = ids.collect();
            let object = json::in_header(Object::new(), header).raw("leases", &json::array(&ids));
            json::line(&object.end())
        }
        Format::Table => return no_table(),
        Format::Protobuf => protobuf::header(header),
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::api::ResponseHeader;

    #[test]
    fn the_protobuf_form_is_the_header_alone() {
        let style = Style {
            format: Format::Protobuf,
            hex: false,
            value_only: false,
            rare: Some(&crate::etcdctl::command::rare::PARTS),
        };
        let header = ResponseHeader { revision: 3, ..ResponseHeader::default() };
        let response = LeaseLeasesResponse { header: header.clone(), leases: Vec::new() };
        assert_eq!(list(style, &response).unwrap(), [0x18, 3]);
        let response = LeaseRevokeResponse { header };
        assert_eq!(revoke(style, LeaseId(1), &response).unwrap_err().status, EXIT_BAD_FEATURE);
    }

    #[test]
    fn keys_are_listed_only_if_asked_for() {
        let mut style = Style {
            format: Format::Simple,
            hex: false,
            value_only: false,
            rare: Some(&crate::etcdctl::command::rare::PARTS),
        };
        let keys = vec![Bytes::from_static(b"a"), Bytes::from_static(b"\xff")];
        let mut response = LeaseTimeToLiveResponse {
            id: LeaseId(0x1234),
            ttl: 9,
            granted_ttl: 10,
            ..LeaseTimeToLiveResponse::default()
        };
        let start = b"lease 0000000000001234 granted with TTL(10s), remaining(9s)";
        let printed = |style, response: &LeaseTimeToLiveResponse, keys| {
            time_to_live(style, keys, response).unwrap()
        };
        assert_eq!(printed(style, &response, false), [start.as_slice(), b"\n"].concat());
        let empty = [start.as_slice(), b", attached keys([])\n"].concat();
        assert_eq!(printed(style, &response, true), empty);
        response.keys = keys;
        let both = [start.as_slice(), b", attached keys([a \xff])\n"].concat();
        assert_eq!(printed(style, &response, true), both);
        style.format = Format::Json;
        assert!(printed(style, &response, true).ends_with(b"\"keys\":[\"YQ==\",\"/w==\"]}\n"));
    }
}
