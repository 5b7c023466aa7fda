//! Ids of members and clusters, and the addresses of the static topology.
//!
//! What it is: the first 8 bytes of a SHA-1, as etcd takes them. What it is not: a secret.
//! Invariants: ids depend on nothing but the arguments, so that every member computes the same.
//! Source: etcd `server/etcdserver/api/membership/member.go` (`computeMemberID`), `cluster.go` (`genID`).

use sha1::{Digest, Sha1};

use crate::types::{ClusterId, MemberId, SmallSet};

/// The cluster token of the static topology.
pub const CLUSTER_TOKEN: &str = "etcd-cluster";

/// The id of the member that peers reach at `peer_urls`, in any order.
///
/// `added_at_s` is the moment of its addition to a running cluster (seconds since 1970), which makes
/// the id of a member added again a new one; members of the first configuration have none.
#[must_use]
pub fn member_id(peer_urls: &[String], token: &str, added_at_s: Option<i64>) -> MemberId {
    let mut sorted: Vec<&str> = Vec::new();
    for url in peer_urls {
        // There are one or two of them; one that is there twice counts twice.
        let at = sorted.partition_point(|before| *before < url.as_str());
        sorted.insert(at, url);
    }
    let mut hash = Sha1::new();
    for url in sorted {
        hash.update(url);
    }
    hash.update(token);
    if let Some(seconds) = added_at_s {
        hash.update(seconds.to_string());
    }
    MemberId(first_8_bytes(hash))
}

/// The id of the cluster that started with `members`, in any order.
#[must_use]
pub fn cluster_id(members: impl IntoIterator<Item = MemberId>) -> ClusterId {
    let sorted: SmallSet<MemberId> = members.into_iter().collect();
    let mut hash = Sha1::new();
    for member in sorted {
        hash.update(member.0.to_be_bytes());
    }
    ClusterId(first_8_bytes(hash))
}

fn first_8_bytes(hash: Sha1) -> u64 {
    let digest = hash.finalize();
    digest.iter().take(8).fold(0, |id, byte| (id << 8) | u64::from(*byte))
}

/// The name of the `number`th member of the static topology, from 1.
#[must_use]
pub fn member_name(number: u32) -> String {
    format!("infra{number}")
}

/// Where peers reach the `number`th member of the static topology.
#[must_use]
pub fn peer_url(number: u32) -> String {
    format!("http://127.0.0.1:{number}2380")
}

/// Where clients reach the `number`th member of the static topology.
#[must_use]
pub fn client_url(number: u32) -> String {
    format!("http://127.0.0.1:{number}2379")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn static_id(number: u32) -> MemberId {
        member_id(&[peer_url(number)], CLUSTER_TOKEN, None)
    }

    #[test]
    fn ids_equal_those_recorded_from_etcd() {
        assert_eq!(static_id(1), MemberId(0xddd6_7b31_2462_fd7b));
        assert_eq!(static_id(2), MemberId(0x9e73_7feb_b6b9_9eee));
        assert_eq!(static_id(3), MemberId(0x0628_170c_800d_bcee));
        assert_eq!(cluster_id([static_id(1)]), ClusterId(0xa7ef_944b_9571_1739));
        let three = ClusterId(0x7384_1b4a_9097_c907);
        assert_eq!(cluster_id((1..=3).map(static_id)), three);
        assert_eq!(cluster_id((1..=3).rev().map(static_id)), three);
    }

    #[test]
    fn order_of_urls_is_nothing_and_time_is_everything() {
        let (a, b) = ("http://a:1".to_owned(), "http://b:1".to_owned());
        let id = |urls: &[String], at| member_id(urls, "token", at);
        let both = id(&[a.clone(), b.clone()], None);
        assert_eq!(id(&[b.clone(), a.clone()], None), both);
        assert_ne!(id(std::slice::from_ref(&a), None), both);
        assert_ne!(id(&[a.clone(), b.clone()], Some(1)), both);
        assert_ne!(id(&[a.clone(), b.clone()], Some(1)), id(&[a, b], Some(2)));
    }
}
