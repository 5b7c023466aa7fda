//! The page's view of its live cluster: who runs, with what links, on which disks.
//!
//! What it is: plain state. What it is not: an actor (see `members`, `opening`).
//! Invariants: a slot has a worker in every phase but `Down`; `life` grows with every worker.

use wasm_bindgen::JsValue;

use super::boot::{Boot, MemberBoot, MemberRow, hex};
use super::descriptor::Descriptor;
use super::workers::NodeWorker;
use crate::api;
use crate::cluster::fault::{Links, MemberFaults, Speed};
use crate::etcdserver::DiskImage;
use crate::etcdserver::backup::Restored;
use crate::types::{MemberId, SmallMap};
use crate::wire::{PageToMember, PersistenceMode};

/// The life of a member as the page sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SlotPhase {
    /// No worker.
    #[default]
    Down,
    /// Its worker reads its disk.
    Starting,
    /// It serves.
    Up,
    /// Its gate is closed; its worker ends in a moment.
    Closing,
}

/// One member's place.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) phase: SlotPhase,
    pub(super) worker: Option<NodeWorker>,
    /// Counts the workers; what an older one says is not heard any more.
    pub(super) life: u64,
    pub(super) is_paused: bool,
    pub(super) last_heard_ms: u64,
    pub(super) restart_when_down: bool,
    /// Its next start makes it a cluster of its own.
    pub(super) force_new_cluster: bool,
    /// Something of it is durable, so its disk is never empty again.
    pub(super) has_data: bool,
    /// Its database is to be deleted once its worker is gone.
    pub(super) wipe_when_down: bool,
    /// What is wrong with its clock and its disk; it outlives its workers.
    pub(super) faults: MemberFaults,
    /// The newest status, for the bench and for questions of the page.
    pub(super) status: Option<api::MemberStatus>,
}

impl Slot {
    /// True if messages for the member make sense.
    pub(super) const fn is_running(&self) -> bool {
        matches!(self.phase, SlotPhase::Starting | SlotPhase::Up)
    }
}

/// See the module.
pub(super) struct Cluster {
    pub(super) descriptor: Descriptor,
    pub(super) members: Vec<api::Member>,
    pub(super) mode: PersistenceMode,
    pub(super) module: JsValue,
    pub(super) links: Links,
    pub(super) speed: Speed,
    pub(super) slots: SmallMap<MemberId, Slot>,
    /// Memory mode: the disks.
    pub(super) images: SmallMap<MemberId, DiskImage>,
}

impl Cluster {
    pub(super) fn new(descriptor: Descriptor, mode: PersistenceMode, module: JsValue) -> Self {
        let members = descriptor.members();
        let slots = members.iter().map(|member| (member.id, Slot::default())).collect();
        Self {
            descriptor,
            members,
            mode,
            module,
            links: Links::default(),
            speed: Speed::REAL,
            slots,
            images: SmallMap::new(),
        }
    }

    /// Takes the disks of a restored cluster: its members have data from the beginning.
    pub(super) fn take_restored(&mut self, restored: Restored) {
        for (member, image) in restored.members.iter().zip(restored.disks) {
            if let Some(slot) = self.slots.get_mut(&member.id) {
                slot.has_data = true;
            }
            if self.mode == PersistenceMode::Memory {
                self.images.insert(member.id, image);
            }
        }
    }

    /// A member's name, for its worker.
    pub(super) fn name_of(&self, member: MemberId) -> String {
        let found = self.members.iter().find(|known| known.id == member);
        found.map_or_else(|| hex(member.0), |known| known.name.clone())
    }

    /// Takes the members from the description again, after it has changed.
    pub(super) fn members_changed(&mut self) {
        self.members = self.descriptor.members();
        for member in &self.members {
            self.slots.get_or_insert_with(member.id, Slot::default);
        }
    }

    /// A member's boot message.
    pub(super) fn boot_of(&self, prefix: &str, member: MemberId) -> Boot {
        let spec = self.descriptor.spec();
        let joins = self.descriptor.is_added(member);
        let members = if joins {
            self.members.iter().filter(|known| known.id == member).map(MemberRow::from).collect()
        } else {
            self.descriptor.static_members().iter().map(MemberRow::from).collect()
        };
        let slot = self.slots.get(&member);
        Boot::Member(MemberBoot {
            prefix: prefix.to_owned(),
            uid: self.descriptor.uid.clone(),
            member: hex(member.0),
            members,
            joins: joins.then(|| hex(self.descriptor.cluster_id().0)),
            force_new_cluster: slot.is_some_and(|slot| slot.force_new_cluster),
            tick_ms: u32::try_from(spec.tick_ms).unwrap_or(u32::MAX),
            election_ticks: spec.election_ticks,
            quota_bytes: spec.quota_bytes.to_string(),
            snapshot_count: spec.snapshot_count,
            snapshot_catchup_entries: spec.snapshot_catchup_entries,
            pre_vote: spec.pre_vote,
            check_quorum: spec.check_quorum,
            seed: self.descriptor.seed.clone(),
            in_memory: self.mode == PersistenceMode::Memory,
            has_data: slot.is_some_and(|slot| slot.has_data),
        })
    }

    /// The links as one member must know them.
    pub(super) fn links_of(&self, member: MemberId) -> PageToMember {
        let cuts = || self.links.cut_links();
        PageToMember::Links {
            no_send_to: cuts().filter(|(from, _)| *from == member).map(|(_, to)| to).collect(),
            no_hear_from: cuts().filter(|(_, to)| *to == member).map(|(from, _)| from).collect(),
            rules: self
                .links
                .rules()
                .filter(|(from, ..)| *from == member)
                .map(|(_, to, rule)| (to, rule))
                .collect(),
        }
    }

    /// What is wrong with a member, as it must know it.
    pub(super) fn faults_of(&self, member: MemberId) -> PageToMember {
        PageToMember::Faults(self.slots.get(&member).map(|slot| slot.faults).unwrap_or_default())
    }

    /// The members whose workers are there.
    pub(super) fn running(&self) -> Vec<MemberId> {
        let running = self.slots.iter().filter(|(_, slot)| slot.is_running());
        running.map(|(member, _)| *member).collect()
    }
}
