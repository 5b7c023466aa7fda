//! A worker's first message: which role, and all that it needs for it.
//!
//! What it is: the structured boot object (written by serde-wasm-bindgen, 64-bit ids as hex strings) and the
//! start of each role.
//! What it is not: a place where a role works (see `node_loop`, `lab_worker`).
//! Invariants: the panic hook is installed before anything else, and tells the page before the worker
//! ends; a boot message that cannot be read is a crash with its reason.

use std::rc::Rc;

use bytes::Bytes;
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessagePort};

use super::fields::Fields;
use super::js;
use super::node_loop::NodeLoop;
use super::storage::MemoryDisk;
use crate::api;
use crate::etcdserver::{DiskImage, InitialState, ServerConfig};
use crate::types::{BigMap, ClusterId, MemberId};
use crate::wire::{self, DownReason, MemberToPage, PersistenceMode};

/// What a worker is told first.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Boot {
    /// Run one member.
    Member(MemberBoot),
    /// Do errands about scripts and files.
    Lab,
}

/// One member's settings.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MemberBoot {
    /// Names of the page's databases, files and locks begin with this.
    pub(super) prefix: String,
    /// Local name of the cluster's data, as hex.
    pub(super) uid: String,
    /// Which of `members` this is.
    pub(super) member: String,
    /// The static members; for a member that was added later: itself.
    pub(super) members: Vec<MemberRow>,
    /// For a member that was added later: the cluster that it was added to, hex.
    pub(super) joins: Option<String>,
    /// See [`ServerConfig`]; for this start only.
    pub(super) force_new_cluster: bool,
    /// See [`ServerConfig`].
    pub(super) tick_ms: u32,
    /// See [`ServerConfig`].
    pub(super) election_ticks: u32,
    /// See [`ServerConfig`]; a decimal text.
    pub(super) quota_bytes: String,
    /// See [`ServerConfig`].
    pub(super) snapshot_count: u64,
    /// See [`ServerConfig`].
    pub(super) snapshot_catchup_entries: u64,
    /// See [`ServerConfig`].
    pub(super) pre_vote: bool,
    /// See [`ServerConfig`].
    pub(super) check_quorum: bool,
    /// See [`ServerConfig`]; hex.
    pub(super) seed: String,
    /// True: the page keeps the rounds; false: IndexedDB.
    pub(super) in_memory: bool,
    /// The page has seen it store something: an empty disk is a lost disk.
    pub(super) has_data: bool,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct MemberRow {
    id: String,
    name: String,
    peer_urls: Vec<String>,
    client_urls: Vec<String>,
}

impl From<&api::Member> for MemberRow {
    fn from(member: &api::Member) -> Self {
        Self {
            id: hex(member.id.0),
            name: member.name.clone(),
            peer_urls: member.peer_urls.clone(),
            client_urls: member.client_urls.clone(),
        }
    }
}

impl MemberRow {
    /// # Errors
    /// The name of a field that is not as it should be.
    pub(super) fn read(fields: &Fields) -> Result<Self, String> {
        Ok(Self {
            id: fields.text("id")?,
            name: fields.text("name")?,
            peer_urls: fields.texts("peer_urls", None)?,
            client_urls: fields.texts("client_urls", None)?,
        })
    }

    /// As the engine knows it.
    ///
    /// # Errors
    /// If its id cannot be read.
    pub(super) fn member(&self) -> Result<api::Member, String> {
        Ok(api::Member {
            id: MemberId(from_hex(&self.id)?),
            name: self.name.clone(),
            peer_urls: self.peer_urls.clone(),
            client_urls: self.client_urls.clone(),
            is_learner: false,
        })
    }

    /// True if it is this member's.
    pub(super) fn is(&self, member: MemberId) -> bool {
        from_hex(&self.id) == Ok(member.0)
    }
}

/// A 64-bit id as the boot message writes it.
pub(super) fn hex(id: u64) -> String {
    format!("{id:016x}")
}

/// Reads [`hex`] back.
pub(super) fn from_hex(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16).map_err(|error| format!("{text:?} is no id: {error}"))
}

impl MemberBoot {
    /// # Errors
    /// The name of a field that is not as it should be.
    fn read(fields: &Fields) -> Result<Self, String> {
        Ok(Self {
            prefix: fields.text("prefix")?,
            uid: fields.text("uid")?,
            member: fields.text("member")?,
            members: fields.objects("members", None, MemberRow::read)?,
            joins: fields.text_if_any("joins")?,
            force_new_cluster: fields.is("force_new_cluster", None)?,
            tick_ms: fields.number("tick_ms", None)?,
            election_ticks: fields.number("election_ticks", None)?,
            quota_bytes: fields.text("quota_bytes")?,
            snapshot_count: fields.number("snapshot_count", None)?,
            snapshot_catchup_entries: fields.number("snapshot_catchup_entries", None)?,
            pre_vote: fields.is("pre_vote", None)?,
            check_quorum: fields.is("check_quorum", None)?,
            seed: fields.text("seed")?,
            in_memory: fields.is("in_memory", None)?,
            has_data: fields.is("has_data", None)?,
        })
    }

    /// The engine's settings.
    fn server_config(&self) -> Result<ServerConfig, String> {
        let members: Result<_, String> = self.members.iter().map(MemberRow::member).collect();
        let member = MemberId(from_hex(&self.member)?);
        let mut config = ServerConfig::new(member, members?, from_hex(&self.seed)?);
        config.tick_ms = u64::from(self.tick_ms);
        config.election_ticks = self.election_ticks;
        config.unix_s = js::unix_s();
        config.quota_bytes = self.quota_bytes.parse().map_err(|error| format!("{error}"))?;
        config.snapshot_count = self.snapshot_count;
        config.snapshot_catchup_entries = self.snapshot_catchup_entries;
        config.pre_vote = self.pre_vote;
        config.check_quorum = self.check_quorum;
        config.force_new_cluster = self.force_new_cluster;
        if let Some(cluster) = &self.joins {
            config.initial_state = InitialState::Existing(ClusterId(from_hex(cluster)?));
        }
        Ok(config)
    }
}

/// The worker's own scope.
pub(super) fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Posts messages to the page as one buffer.
pub(super) fn post_to_page(messages: &Vec<MemberToPage>) {
    match wire::encode(messages) {
        Ok(bytes) => post_bytes(&bytes),
        Err(error) => log::error!("messages to the page were dropped: {error}"),
    }
}

/// Posts a buffer to the page.
pub(super) fn post_bytes(bytes: &[u8]) {
    let buffer = js::buffer(bytes);
    if let Err(error) = scope().post_message_with_transfer(&buffer, &js::list(&buffer)) {
        log::error!("a message to the page was dropped: {}", js::error_text(&error));
    }
}

/// What every worker does first.
pub(super) fn prepare_worker() {
    super::console::install();
    install_panic_hook();
}

/// Tells the page about a panic first, then ends the worker: the instance is never called again.
fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        js::console_error(&message);
        post_to_page(&vec![MemberToPage::Down(DownReason::Crashed { message })]);
        scope().close();
    }));
}

/// Starts the member that the page's first message describes; the other roles need no module of ours.
///
/// # Panics
/// If the message cannot be read: the page and its workers are then of different versions.
pub fn start_node(message: &JsValue) {
    prepare_worker();
    let config = js::get(message, "config");
    match MemberBoot::read(&Fields(js::get(&config, "member"))) {
        Ok(boot) => start_member(&boot, message),
        Err(field) => unreachable!("the boot message cannot be read: its {field}"),
    }
}

fn start_member(boot: &MemberBoot, message: &JsValue) {
    let config = match boot.server_config() {
        Ok(config) => config,
        Err(error) => unreachable!("the boot message cannot be read: {error}"),
    };
    let mode = if boot.in_memory { PersistenceMode::Memory } else { PersistenceMode::IndexedDb };
    let memory = (mode == PersistenceMode::Memory).then(|| {
        let image = js::bytes(&js::get(message, "image"));
        let image = image.map(|bytes| decode_image(&bytes)).unwrap_or_default();
        MemoryDisk::new(image, |round| post_to_page(&vec![MemberToPage::KeepRound(round)]))
    });
    let node = NodeLoop::new(boot.clone(), config);
    for entry in js_sys::Array::from(&js::get(message, "ports")).iter() {
        attach_port(&node, &entry);
    }
    node.listen();
    node.start(memory);
}

/// Takes `{ peer, port }`; without a port: the peer is gone.
pub(super) fn attach_port(node: &Rc<NodeLoop>, entry: &JsValue) {
    let peer = js::get(entry, "peer").as_string().ok_or_else(|| "no peer".to_owned());
    match peer.and_then(|peer| from_hex(&peer)) {
        Ok(peer) => match js::get(entry, "port").dyn_into::<MessagePort>() {
            Ok(port) => node.attach_peer(MemberId(peer), port),
            Err(_none) => node.detach_peer(MemberId(peer)),
        },
        Err(error) => log::warn!("a port was dropped: {error}"),
    }
}

/// A store as it travels.
type Chunks = Vec<(u64, Bytes)>;

/// A disk image as one buffer, for members in memory mode.
pub(super) fn encode_image(image: &DiskImage) -> Result<Vec<u8>, wire::Error> {
    let chunks = |store: &BigMap<u64, Bytes>| -> Chunks {
        store.iter().map(|(key, bytes)| (*key, bytes.clone())).collect()
    };
    wire::encode(&(chunks(&image.wal), chunks(&image.rows), chunks(&image.meta)))
}

pub(super) fn decode_image(bytes: &[u8]) -> DiskImage {
    match wire::decode::<(Chunks, Chunks, Chunks)>(bytes) {
        Ok((wal, rows, meta)) => DiskImage {
            wal: wal.into_iter().collect(),
            rows: rows.into_iter().collect(),
            meta: meta.into_iter().collect(),
        },
        Err(error) => unreachable!("a disk image of our own cannot be read: {error}"),
    }
}
