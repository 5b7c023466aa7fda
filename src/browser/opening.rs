//! How a cluster comes to be: the saved one, a new one, or one in memory.
//!
//! What it is: ownership, the probe of IndexedDB, the saved description, the first start of all members.
//! What it is not: an engine's bootstrap. Invariants: the saved cluster is touched by its owner only;
//! a cluster in memory saves nothing; old data is deleted only after its members are gated and ended.
//! Source: DESIGN 11, 15.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::boot::hex;
use super::cluster::Cluster;
use super::descriptor::Descriptor;
use super::effects::Browser;
use super::membership::delete_disk;
use super::names::{self, Names};
use super::owner::Claim;
use super::signal::within;
use super::storage::{DiskError, IndexedDb};
use super::watchdog::DISK_SILENT_MS;
use super::{opfs, workers};
use crate::etcdserver::backup::Restored;
use crate::playground::edge::{ClusterSpec, News};
use crate::wire::{DownReason, PersistenceMode};

/// Attempts to use IndexedDB before it is given up. Source: DESIGN (reference 4.7).
const PROBE_TRIES: u32 = 3;

/// Time the members of a cluster that is thrown away get to end. Unit: ms.
const GATE_MS: u32 = 50;

/// What is wanted.
#[derive(Clone, Debug)]
pub(super) enum Wish {
    /// The saved cluster, or a new one.
    Open(ClusterSpec),
    /// A new one in place of the saved one.
    Replace(ClusterSpec),
    /// One that was restored from a file, in place of the saved one.
    Restore(Box<Restored>),
    /// The saved cluster, which another tab owns.
    TakeOver,
}

/// Most members of a restored cluster: what the page can show.
const MEMBERS_MAX: usize = 7;

/// What a cluster that is not the saved one is, and whether there is data of it.
fn described(wish: &Wish, spec: &ClusterSpec) -> (Descriptor, bool) {
    match wish {
        Wish::Restore(restored) => (Descriptor::restored(spec, restored.members.clone()), true),
        Wish::Open(_) | Wish::Replace(_) | Wish::TakeOver => (Descriptor::fresh(spec), false),
    }
}

impl Browser {
    /// Fulfils a wish; a later wish overtakes an earlier one.
    pub(super) fn wish(self: &Rc<Self>, wish: Wish) {
        let turn = self.next_turn();
        let browser = Rc::clone(self);
        spawn_local(async move {
            if let Err(error) = browser.fulfil(turn, wish).await {
                browser.tell(News::ClusterFailed(error));
            }
        });
    }

    async fn fulfil(self: &Rc<Self>, turn: u64, wish: Wish) -> Result<(), String> {
        let module = workers::module(workers::Program::Node).await?;
        let claim = match wish {
            Wish::TakeOver => self.owner().take_over().await,
            Wish::Open(_) | Wish::Replace(_) | Wish::Restore(_) => self.owner().claim().await,
        };
        let memory_reason = match claim {
            Claim::Owned => self.probe().await.err(),
            Claim::Elsewhere => {
                self.tell(News::OwnedElsewhere);
                Some("another tab of this browser has the saved cluster".to_owned())
            }
            Claim::Silent => {
                self.tell(News::OwnerSilent);
                return Ok(());
            }
            Claim::Impossible(reason) => Some(reason),
        };
        if !self.is_turn(turn) {
            if matches!(wish, Wish::TakeOver) {
                self.owner().release();
            }
            return Ok(());
        }
        self.close_cluster().await;
        let spec = match &wish {
            Wish::Open(spec) | Wish::Replace(spec) => spec.clone(),
            Wish::TakeOver => self.last_spec(),
            Wish::Restore(restored) if restored.members.len() > MEMBERS_MAX => {
                return Err(format!("a cluster has at most {MEMBERS_MAX} members here"));
            }
            Wish::Restore(restored) => ClusterSpec {
                members: u32::try_from(restored.members.len()).unwrap_or(u32::MAX),
                ..self.last_spec()
            },
        };
        let (descriptor, is_resumed) = if memory_reason.is_some() {
            described(&wish, &spec)
        } else {
            self.saved_or_fresh(&wish, &spec).await?
        };
        if !self.is_turn(turn) {
            return Ok(());
        }
        let mode = if memory_reason.is_some() {
            PersistenceMode::Memory
        } else {
            PersistenceMode::IndexedDb
        };
        let opened = News::ClusterOpened {
            spec: descriptor.spec(),
            members: descriptor.members(),
            mode,
            mode_reason: memory_reason,
            is_resumed,
        };
        let mut cluster = Cluster::new(descriptor, mode, module);
        if let Wish::Restore(restored) = wish {
            cluster.take_restored(*restored);
        }
        self.set_cluster(Some(cluster));
        self.tell(opened);
        self.start_all();
        Ok(())
    }

    async fn saved_or_fresh(
        &self,
        wish: &Wish,
        spec: &ClusterSpec,
    ) -> Result<(Descriptor, bool), String> {
        let saved = Descriptor::load(self.prefix()).await;
        let described = described(wish, spec);
        // Only what is written is worth the data that it replaces.
        if let Wish::Restore(restored) = wish {
            self.write_disks(&described.0.uid, restored).await?;
        }
        let keeps = matches!(wish, Wish::Open(_) | Wish::TakeOver);
        match saved {
            Ok(Some(saved)) if keeps => return Ok((saved, true)),
            Ok(Some(saved)) => self.delete_data(saved),
            Err(error) if keeps => return Err(error),
            Err(error) => log::warn!("the data of the old cluster stays behind: {error}"),
            Ok(None) => {}
        }
        described.0.save(self.prefix());
        Ok(described)
    }

    /// Writes the disks of a restored cluster.
    async fn write_disks(&self, uid: &str, restored: &Restored) -> Result<(), String> {
        let names = Names::new(self.prefix(), uid);
        for (member, image) in restored.members.iter().zip(&restored.disks) {
            let name = names.database(&hex(member.id.0));
            let opened = within(DISK_SILENT_MS, IndexedDb::open(&name)).await;
            let disk = opened.unwrap_or(Err(DiskError::Silent)).map_err(|e| e.to_string())?;
            disk.write(&image.as_round()).await.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Gates and ends all members of the cluster there is.
    pub(super) async fn close_cluster(self: &Rc<Self>) {
        let running = self.with_cluster(|cluster| cluster.running()).unwrap_or_default();
        for member in &running {
            self.kill(*member);
        }
        if !running.is_empty() {
            gloo_timers::future::TimeoutFuture::new(GATE_MS).await;
            for member in running {
                let life = self.with_cluster(|cluster| cluster.slots.get(&member).map(|s| s.life));
                if let Some(life) = life.flatten() {
                    self.finish(member, life, DownReason::Killed);
                }
            }
        }
        self.set_cluster(None);
        self.deliver();
    }

    /// Deletes a cluster's databases and fences; nobody waits for it.
    fn delete_data(&self, old: Descriptor) {
        let prefix = self.prefix().to_owned();
        spawn_local(async move {
            let names = Names::new(&prefix, &old.uid);
            for member in old.members() {
                delete_disk(names.clone(), hex(member.id.0)).await;
            }
            // There is no folder where there is no private file system.
            let _gone = opfs::remove(&[&prefix], &old.uid).await;
        });
    }

    /// Finds out whether IndexedDB works here.
    async fn probe(&self) -> Result<(), String> {
        let name = names::probe_database(self.prefix());
        let mut last = DiskError::Silent;
        for _ in 0..PROBE_TRIES {
            let opened = within(DISK_SILENT_MS, IndexedDb::open(&name)).await;
            match opened.unwrap_or(Err(DiskError::Silent)) {
                Ok(_works) => return Ok(()),
                Err(error) => last = error,
            }
        }
        Err(format!("IndexedDB does not work here: {last}"))
    }

    /// Another tab wants the saved cluster.
    pub(super) fn give_up(self: &Rc<Self>) {
        self.next_turn();
        let browser = Rc::clone(self);
        spawn_local(async move {
            browser.tell(News::GivingUp);
            browser.close_cluster().await;
            browser.owner().release();
            browser.tell(News::TakenOver);
        });
    }
}
