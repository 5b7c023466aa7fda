//! The saved cluster's description: what has to be known before its members can be started again.
//!
//! What it is: a small JSON text in `localStorage`, and a second copy in the private file system.
//! What it is not: the cluster's data. Invariants: a text of a newer version is refused, not guessed at.

use serde::{Deserialize, Serialize};

use super::boot::{from_hex, hex};
use super::{js, names, opfs};
use crate::api;
use crate::membership;
use crate::playground::edge::ClusterSpec;
use crate::types::SmallMap;

/// Version of the text. Changes when a field changes its meaning.
const VERSION: u32 = 1;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// The static members infra1…N, in the order of their names.
fn static_members(count: u32) -> Vec<api::Member> {
    let members = membership::Cluster::new_static(count).member_list();
    let by_name: SmallMap<String, api::Member> =
        members.into_iter().map(|member| (member.name.clone(), member)).collect();
    by_name.into_iter().map(|(_, member)| member).collect()
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
        }
    }

    /// Its settings.
    pub(super) const fn spec(&self) -> ClusterSpec {
        ClusterSpec {
            members: self.members,
            tick_ms: self.tick_ms,
            election_ticks: self.election_ticks,
            quota_bytes: self.quota_bytes,
        }
    }

    /// Its members.
    pub(super) fn members(&self) -> Vec<api::Member> {
        static_members(self.members)
    }

    fn read(text: &str) -> Result<Self, String> {
        let found = js_sys::JSON::parse(text)
            .map_err(|error| js::error_text(&error))
            .and_then(|value| {
                serde_wasm_bindgen::from_value::<Self>(value).map_err(|error| error.to_string())
            })
            .map_err(|error| format!("the description of the saved cluster is damaged: {error}"))?;
        if found.version != VERSION {
            return Err(format!(
                "the saved cluster has version {}, this page knows {VERSION}: reload the page",
                found.version
            ));
        }
        let ids: Result<Vec<u64>, String> = found.ids.iter().map(|id| from_hex(id)).collect();
        let known: Vec<u64> = found.members().iter().map(|member| member.id.0).collect();
        if ids? == known && from_hex(&found.uid).is_ok() && from_hex(&found.seed).is_ok() {
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
