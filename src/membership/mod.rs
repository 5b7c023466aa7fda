//! Who belongs to the cluster, and what ids that gives.
//!
//! What it is: ids by SHA-1 as etcd derives them, the list of members, and the changes to it as pure
//! functions with etcd's checks.
//! What it is not: Raft's configuration (voters and learners there follow the same entries), health
//! checks before a change is proposed (see `etcdserver`), or a connection to anybody.
//!
//! Invariants: a removed id never comes back; no two members share a peer URL; an `Err` means that
//! nothing changed.
//! Source: etcd `server/etcdserver/api/membership/{cluster,member}.go`.

mod cluster;
mod identity;
mod readiness;
mod urls;

pub use cluster::{Cluster, LEARNERS_MAX};
pub use identity::{CLUSTER_TOKEN, client_url, cluster_id, member_id, member_name, peer_url};
pub use urls::checked_peer_urls;
