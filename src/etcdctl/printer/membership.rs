//! Answers to changes of the membership, in every format.
//!
//! Invariants: ids in sentences are padded to 16 places with blanks; only `member list` has `fields` and `table`.

use crate::api::{Member, MemberAddResponse, ResponseHeader};
use crate::etcdctl::go;
use crate::etcdctl::printer::json::{self, Object};
use crate::etcdctl::printer::{Format, Printed, Style, no_table, protobuf, unsupported};
use crate::types::MemberId;

/// What was done with a member.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemberChange {
    Removed(MemberId),
    Updated(MemberId),
    Promoted(MemberId),
}

pub(crate) fn change(
    style: Style,
    change: MemberChange,
    header: &ResponseHeader,
    members: &[Member],
) -> Printed {
    let (id, what) = match change {
        MemberChange::Removed(id) => (id, "removed from"),
        MemberChange::Updated(id) => (id, "updated in"),
        MemberChange::Promoted(id) => (id, "promoted in"),
    };
    let sentence = format!("Member {id:16x} {what} cluster {:16x}\n", header.cluster_id);
    print(style, sentence, header, None, members)
}

/// `name` and `typed` (the URLs) are shown as they were given.
pub(crate) fn add(style: Style, name: &str, typed: &str, response: &MemberAddResponse) -> Printed {
    let MemberAddResponse { header, member, members } = response;
    let role = if member.is_learner { " as learner " } else { " " };
    let first =
        format!("Member {:16x} added{role}to cluster {:16x}\n", member.id, header.cluster_id);
    let peers = members.iter().flat_map(|one| {
        let name = if one.id == member.id { name } else { one.name.as_str() };
        one.peer_urls.iter().map(move |url| format!("{name}={url}"))
    });
    let peers: Vec<String> = peers.collect();
    let [name, peers, typed] =
        [name, &peers.join(","), typed].map(|text| go::quote(text.as_bytes()));
    let variables = format!(
        "\nETCD_NAME={name}\nETCD_INITIAL_CLUSTER={peers}\nETCD_INITIAL_ADVERTISE_PEER_URLS={typed}\nETCD_INITIAL_CLUSTER_STATE=\"existing\"\n"
    );
    print(style, first + &variables, header, Some(member), members)
}

fn print(
    style: Style,
    sentence: String,
    header: &ResponseHeader,
    member: Option<&Member>,
    members: &[Member],
) -> Printed {
    match style.format {
        Format::Simple => Ok(sentence.into_bytes()),
        Format::Fields => Err(unsupported("fields")),
        Format::Json => {
            let mut object = Object::new().raw("header", &json::hex_header(style, header));
            if let Some(member) = member {
                object = object.raw("member", &json::member(style, member));
            }
            let all: Vec<String> = members.iter().map(|one| json::member(style, one)).collect();
            Ok(json::line(&object.array("members", &all).end()))
        }
        Format::Table => no_table(),
        Format::Protobuf => Ok(protobuf::change(header, member, members)),
    }
}
