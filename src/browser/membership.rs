//! Members that come and go while the cluster runs: their places, their disks, and who must not start again.
//!
//! What it is: what the page does in the browser after the cluster has changed its membership.
//! What it is not: the change itself, which is a request to the cluster (see `playground::membership`).
//! Invariants: the description is saved before anything follows from it; a retired member is never started,
//! also not after a reload; a disk is deleted only when no worker holds it.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::boot::hex;
use super::cluster::{Cluster, SlotPhase};
use super::effects::Browser;
use super::names::{self, Names};
use super::opfs;
use super::storage::IndexedDb;
use crate::api;
use crate::playground::edge::News;
use crate::types::MemberId;
use crate::wire::{DownReason, PersistenceMode};

impl Browser {
    /// Changes the description and saves it.
    fn describe(&self, change: impl FnOnce(&mut Cluster)) {
        self.with_cluster(|cluster| {
            change(cluster);
            cluster.members_changed();
            if cluster.mode == PersistenceMode::IndexedDb {
                cluster.descriptor.save(self.prefix());
            }
        });
    }

    /// Makes a place for a member that was added.
    pub(super) fn admit(&self, member: &api::Member) {
        self.describe(|cluster| cluster.descriptor.admit(member));
    }

    /// The member is none any more; if it runs, it learns that from its peers.
    pub(super) fn retire(&self, member: MemberId) {
        self.describe(|cluster| cluster.descriptor.retire(member));
        let is_down = self.with_cluster(|cluster| {
            cluster.slots.get(&member).is_some_and(|slot| slot.phase == SlotPhase::Down)
        });
        if is_down == Some(true) {
            self.tell(News::MemberDown { member, reason: DownReason::Removed });
        }
    }

    /// Ends everybody, retires all others and starts this one alone.
    pub(super) fn force_new_cluster(self: &Rc<Self>, member: MemberId) {
        let others = self.with_cluster(|cluster| {
            let ids = cluster.members.iter().map(|known| known.id);
            ids.filter(|known| *known != member).collect::<Vec<_>>()
        });
        let Some(others) = others else { return };
        self.describe(|cluster| {
            for other in &others {
                cluster.descriptor.retire(*other);
            }
            if let Some(slot) = cluster.slots.get_mut(&member) {
                slot.force_new_cluster = true;
            }
        });
        for other in others {
            self.kill(other);
            self.retire(other);
        }
        self.kill(member);
        self.start_member(member);
    }

    /// Kills a member if it runs, and deletes its database once nobody holds it; its fence stays.
    pub(super) fn wipe(self: &Rc<Self>, member: MemberId) {
        let phase = self.with_cluster(|cluster| {
            let slot = cluster.slots.get_mut(&member)?;
            slot.wipe_when_down = slot.phase != SlotPhase::Down;
            Some(slot.phase)
        });
        match phase.flatten() {
            Some(SlotPhase::Starting | SlotPhase::Up) => self.kill(member),
            Some(SlotPhase::Down) => self.delete_database(member),
            Some(SlotPhase::Closing) | None => {}
        }
    }

    /// Deletes what a member that is down has stored. It stays known that it had something.
    pub(super) fn delete_database(&self, member: MemberId) {
        let uid = self.with_cluster(|cluster| {
            cluster.images.remove(&member);
            let is_stored = cluster.mode == PersistenceMode::IndexedDb;
            is_stored.then(|| cluster.descriptor.uid.clone())
        });
        if let Some(uid) = uid.flatten() {
            let name = Names::new(self.prefix(), &uid).database(&hex(member.0));
            // A start waits for it: the browser takes what is asked of a database in order.
            spawn_local(async move {
                if let Err(error) = IndexedDb::delete(&name).await {
                    log::warn!("{name} stays behind: {error}");
                }
            });
        }
    }

    /// Deletes a member's disk and fence, and forgets it.
    pub(super) fn delete_member(&self, member: MemberId) {
        let is_down = self.with_cluster(|cluster| {
            cluster.slots.get(&member).is_some_and(|slot| slot.phase == SlotPhase::Down)
        });
        if is_down != Some(true) {
            log::warn!("{member:x} runs: its disk stays");
            return;
        }
        self.describe(|cluster| {
            cluster.descriptor.forget(member);
            cluster.slots.remove(&member);
            cluster.images.remove(&member);
        });
        let uid = self.with_cluster(|cluster| {
            let is_stored = cluster.mode == PersistenceMode::IndexedDb;
            is_stored.then(|| cluster.descriptor.uid.clone())
        });
        if let Some(uid) = uid.flatten() {
            let names = Names::new(self.prefix(), &uid);
            spawn_local(delete_disk(names, hex(member.0)));
        }
    }
}

/// Deletes a member's database and its fence.
pub(super) async fn delete_disk(names: Names, member: String) {
    let name = names.database(&member);
    if let Err(error) = IndexedDb::delete(&name).await {
        log::warn!("{name} stays behind: {error}");
    }
    // There is no file where there is no private file system.
    let _gone = opfs::remove(&names.fence_folder(), &names::fence_file(&member)).await;
}
