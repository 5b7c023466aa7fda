//! Names of what a page stores: databases, files, locks, remembered texts.
//!
//! What it is: one place, so that page and workers agree.
//! What it is not: an address of a cluster; etcd's ids are the same in every fresh cluster, so a local
//! uid stands in each name.
//! Invariants: all begin with `etcdpg-<hash of the page's folder>`, since other pages share the origin.

use crate::types::CRC32C;

/// Names of one cluster's things.
#[derive(Clone, Debug)]
pub(super) struct Names {
    prefix: String,
    uid: String,
}

/// The prefix for a page at `path_name`: the folder counts, not `index.html`.
pub(super) fn prefix(path_name: &str) -> String {
    let folder = path_name.trim_end_matches(|letter| letter != '/');
    format!("etcdpg-{:08x}", CRC32C.checksum(folder.as_bytes()))
}

impl Names {
    pub(super) fn new(prefix: &str, uid: &str) -> Self {
        Self { prefix: prefix.to_owned(), uid: uid.to_owned() }
    }

    pub(super) fn member_lock(&self, member: &str) -> String {
        format!("{}/{}/{member}", self.prefix, self.uid)
    }

    pub(super) fn database(&self, member: &str) -> String {
        format!("{}-{}-{member}", self.prefix, self.uid)
    }

    pub(super) fn fence_folder(&self) -> [&str; 2] {
        [&self.prefix, &self.uid]
    }
}

/// A member's fence file, in [`Names::fence_folder`].
pub(super) fn fence_file(member: &str) -> String {
    format!("{member}.fence")
}

/// The lock that the owner of the saved cluster holds.
pub(super) fn owner_lock(prefix: &str) -> String {
    format!("etcdpg-owner-{prefix}")
}

/// The channel on which tabs speak about ownership.
pub(super) fn owner_channel(prefix: &str) -> String {
    format!("{prefix}-owner")
}

/// The database that is made and deleted to see whether IndexedDB works.
pub(super) fn probe_database(prefix: &str) -> String {
    format!("{prefix}-probe")
}

/// Where the saved cluster is described, in `localStorage`.
pub(super) fn saved_cluster(prefix: &str) -> String {
    format!("{prefix}:cluster")
}

/// Where it is described a second time, in the private file system.
pub(super) const REGISTRY_FILE: &str = "cluster.json";

/// Before the name of a remembered text, in `localStorage`.
pub(super) fn remembered(prefix: &str) -> String {
    format!("{prefix}:text:")
}
