//! The saved cluster's description: what has to be known before its members can be started again.
//!
//! What it is: settings and members in a small JSON text in `localStorage`, and a second copy in the private
//! file system. Members that were added, removed and deleted stand beside the founders, from whom the cluster's
//! id follows, so that founders start as they did the first time.
//! What it is not: the cluster's data. Invariants: a text of a newer version is refused, not guessed at.

use serde::Serialize;

use super::boot::{MemberRow, from_hex, hex};
use super::fields::Fields;
use super::{js, names, opfs};
use crate::api;
use crate::etcdserver::{SNAPSHOT_CATCHUP_ENTRIES_DEFAULT, SNAPSHOT_COUNT_DEFAULT};
use crate::membership;
use crate::playground::edge::ClusterSpec;
use crate::types::{ClusterId, MemberId, SmallMap};

/// Version of the text. Changes when a field changes its meaning.
const VERSION: u32 = 1;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Descriptor {
    version: u32,
    /// Local name of the data, hex.
    pub(super) uid: String,
    /// Seed of the members' random draws, hex.
    pub(super) seed: String,
    members: u32,
    /// The members' ids, hex, in the order infra1…N.
    ids: Vec<String>,
    tick_ms: u64,
    election_ticks: u32,
    quota_bytes: i64,
    snapshot_count: u64,
    snapshot_catchup_entries: u64,
    pre_vote: bool,
    check_quorum: bool,
    /// The members of a cluster that was restored from a file; else they are infra1…N.
    founders: Vec<MemberRow>,
    /// Members that were added since.
    added: Vec<MemberRow>,
    /// Ids of members that are no part of the cluster any more, hex: their data is there, but they never start.
    retired: Vec<String>,
    /// Ids of static members whose data was deleted, hex.
    gone: Vec<String>,
}

/// In the order of their names.
fn by_name(members: impl Iterator<Item = api::Member>) -> Vec<api::Member> {
    let members: SmallMap<(String, MemberId), api::Member> =
        members.map(|member| ((member.name.clone(), member.id), member)).collect();
    members.into_iter().map(|(_, member)| member).collect()
}

/// The static members infra1…N, in the order of their names.
fn static_members(count: u32) -> Vec<api::Member> {
    by_name(membership::Cluster::new_static(count).member_list().into_iter())
}

impl Descriptor {
    /// A new cluster.
    pub(super) fn fresh(spec: &ClusterSpec) -> Self {
        let members = static_members(spec.members);
        Self {
            version: VERSION,
            uid: hex(js::random_u64()),
            seed: hex(js::random_u64()),
            members: spec.members,
            ids: members.iter().map(|member| hex(member.id.0)).collect(),
            tick_ms: spec.tick_ms,
            election_ticks: spec.election_ticks,
            quota_bytes: spec.quota_bytes,
            snapshot_count: spec.snapshot_count,
            snapshot_catchup_entries: spec.snapshot_catchup_entries,
            pre_vote: spec.pre_vote,
            check_quorum: spec.check_quorum,
            founders: Vec::new(),
            added: Vec::new(),
            retired: Vec::new(),
            gone: Vec::new(),
        }
    }

    /// A cluster of these members, whose disks are written already.
    pub(super) fn restored(spec: &ClusterSpec, members: Vec<api::Member>) -> Self {
        let members = by_name(members.into_iter());
        let mut found = Self::fresh(spec);
        found.ids = members.iter().map(|member| hex(member.id.0)).collect();
        found.founders = (1..)
            .zip(members)
            .map(|(number, mut member)| {
                member.client_urls = vec![membership::client_url(number)];
                MemberRow::from(&member)
            })
            .collect();
        found
    }

    /// Its settings.
    pub(super) const fn spec(&self) -> ClusterSpec {
        ClusterSpec {
            members: self.members,
            tick_ms: self.tick_ms,
            election_ticks: self.election_ticks,
            quota_bytes: self.quota_bytes,
            snapshot_count: self.snapshot_count,
            snapshot_catchup_entries: self.snapshot_catchup_entries,
            pre_vote: self.pre_vote,
            check_quorum: self.check_quorum,
        }
    }

    /// The members that founded it, whether they are still there or not.
    pub(super) fn static_members(&self) -> Vec<api::Member> {
        if self.founders.is_empty() {
            return static_members(self.members);
        }
        by_name(self.founders.iter().filter_map(|row| row.member().ok()))
    }

    /// Its id, which follows from its founders.
    pub(super) fn cluster_id(&self) -> ClusterId {
        let founders = self.static_members().into_iter();
        membership::Cluster::new(founders).map(|cluster| cluster.id).unwrap_or_default()
    }

    /// The members that have data here, or may have it soon.
    pub(super) fn members(&self) -> Vec<api::Member> {
        let founders = self.static_members().into_iter();
        let founders = founders.filter(|member| !self.gone.contains(&hex(member.id.0)));
        let added = self.added.iter().filter_map(|row| row.member().ok());
        by_name(founders.chain(added))
    }

    /// True if it was added to a cluster that was there already.
    pub(super) fn is_added(&self, member: MemberId) -> bool {
        self.added.iter().any(|row| row.is(member))
    }

    /// True if it must not start.
    pub(super) fn is_retired(&self, member: MemberId) -> bool {
        self.retired.contains(&hex(member.0))
    }

    /// A member was added.
    pub(super) fn admit(&mut self, member: &api::Member) {
        if !self.members().iter().any(|known| known.id == member.id) {
            self.added.push(MemberRow::from(member));
        }
    }

    /// A member is no part of the cluster any more.
    pub(super) fn retire(&mut self, member: MemberId) {
        if !self.is_retired(member) {
            self.retired.push(hex(member.0));
        }
    }

    /// A member's data is deleted.
    pub(super) fn forget(&mut self, member: MemberId) {
        let id = hex(member.0);
        self.retired.retain(|retired| *retired != id);
        if self.is_added(member) {
            self.added.retain(|row| !row.is(member));
        } else {
            self.gone.push(id);
        }
    }

    /// What is missing was written before there were such settings.
    fn from_fields(fields: &Fields) -> Result<Self, String> {
        let no_rows = Some(Vec::new());
        let no_ids = Some(Vec::new());
        let catchup = Some(SNAPSHOT_CATCHUP_ENTRIES_DEFAULT);
        Ok(Self {
            version: fields.number("version", None)?,
            uid: fields.text("uid")?,
            seed: fields.text("seed")?,
            members: fields.number("members", None)?,
            ids: fields.texts("ids", None)?,
            tick_ms: fields.number("tick_ms", None)?,
            election_ticks: fields.number("election_ticks", None)?,
            quota_bytes: fields.number("quota_bytes", None)?,
            snapshot_count: fields.number("snapshot_count", Some(SNAPSHOT_COUNT_DEFAULT))?,
            snapshot_catchup_entries: fields.number("snapshot_catchup_entries", catchup)?,
            pre_vote: fields.is("pre_vote", Some(true))?,
            check_quorum: fields.is("check_quorum", Some(true))?,
            founders: fields.objects("founders", no_rows.clone(), MemberRow::read)?,
            added: fields.objects("added", no_rows, MemberRow::read)?,
            retired: fields.texts("retired", no_ids.clone())?,
            gone: fields.texts("gone", no_ids)?,
        })
    }

    fn read(text: &str) -> Result<Self, String> {
        let found = js_sys::JSON::parse(text)
            .map_err(|error| js::error_text(&error))
            .and_then(|value| Self::from_fields(&Fields(value)))
            .map_err(|error| format!("the description of the saved cluster is damaged: {error}"))?;
        if found.version != VERSION {
            return Err(format!(
                "the saved cluster has version {}, this page knows {VERSION}: reload the page",
                found.version
            ));
        }
        let ids: Result<Vec<u64>, String> = found.ids.iter().map(|id| from_hex(id)).collect();
        let known: Vec<u64> = found.static_members().iter().map(|member| member.id.0).collect();
        let are_added_known = found.added.iter().all(|row| row.member().is_ok());
        let are_hex = from_hex(&found.uid).is_ok() && from_hex(&found.seed).is_ok();
        if ids? == known && are_hex && are_added_known {
            Ok(found)
        } else {
            Err("the description of the saved cluster is damaged: its ids".to_owned())
        }
    }

    /// The saved cluster, if there is one.
    ///
    /// # Errors
    /// If its description cannot be understood.
    pub(super) async fn load(prefix: &str) -> Result<Option<Self>, String> {
        let stored = local_storage()
            .and_then(|storage| storage.get_item(&names::saved_cluster(prefix)).ok().flatten());
        let text = match stored {
            Some(text) => Some(text),
            None => opfs::read_text(&[prefix], names::REGISTRY_FILE).await.ok(),
        };
        text.filter(|text| !text.is_empty()).map(|text| Self::read(&text)).transpose()
    }

    /// Makes this the saved cluster.
    pub(super) fn save(&self, prefix: &str) {
        let text = serde_wasm_bindgen::to_value(self)
            .ok()
            .and_then(|value| js_sys::JSON::stringify(&value).ok())
            .map(String::from);
        let Some(text) = text else {
            unreachable!("a description is plain data");
        };
        if let Some(storage) = local_storage()
            && let Err(error) = storage.set_item(&names::saved_cluster(prefix), &text)
        {
            log::warn!("the cluster's description: {}", js::error_text(&error));
        }
        let prefix = prefix.to_owned();
        wasm_bindgen_futures::spawn_local(async move {
            let written = opfs::write_text(&[&prefix], names::REGISTRY_FILE, &text).await;
            if let Err(error) = written {
                log::warn!("the second copy of the description: {}", js::error_text(&error));
            }
        });
    }
}

/// `localStorage`, if this context may use it.
pub(super) fn local_storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}
