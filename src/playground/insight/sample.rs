//! Pictures of clusters for the tests of the views.

use crate::api;
use crate::scenario::{MemberView, World};
use crate::types::{MemberId, Term};

/// infra1 to infra3, all up, all at this term and revision, one of which leads.
pub(super) fn world(leader: u64, term: u64, revision: i64) -> World {
    let member = |id: u64| MemberView {
        member: api::Member {
            id: MemberId(id),
            name: format!("infra{id}"),
            ..api::Member::default()
        },
        is_up: true,
        is_paused: false,
        status: Some(api::MemberStatus {
            member: MemberId(id),
            role: if id == leader { api::Role::Leader } else { api::Role::Follower },
            leader: Some(MemberId(leader)),
            term: Term(term),
            revision,
            ..api::MemberStatus::default()
        }),
    };
    World { members: (1..=3).map(member).collect(), ..World::default() }
}
