//! Keep-alives that a person switched on for a lease.
//!
//! What it is: for each such lease an `etcdctl lease keep-alive` that no console shows.
//! What it is not: a member's doing: a lease is kept by what its client sends, and by nothing else.
//! Invariants: at most [`KEPT_MAX`] leases; one that is gone is kept no more; a keep-alive that fails says why.

use crate::playground::console::{Tab, Wires};
use crate::types::{LeaseId, SmallMap};

/// Most leases that are kept at a time. Unit: leases. Source: ours.
const KEPT_MAX: usize = 32;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    kept: SmallMap<LeaseId, Tab>,
}

impl Keeper {
    /// The leases that are kept.
    pub(super) fn leases(&self) -> Vec<LeaseId> {
        self.kept.keys().copied().collect()
    }

    /// Begins or ends to keep a lease.
    pub(super) fn keep(&mut self, lease: LeaseId, is_on: bool, wires: &mut Wires<'_>) {
        if let Some(mut tab) = self.kept.remove(&lease) {
            tab.forget(wires);
        }
        if is_on && self.kept.iter().len() < KEPT_MAX {
            let mut tab = Tab::new(0, wires.cluster.endpoints());
            let line = format!("etcdctl lease keep-alive {lease:x}");
            tab.start(&line, &line, wires);
            self.kept.insert(lease, tab);
        }
    }

    /// Offers something to every keep-alive until one takes it; true if one did.
    pub(super) fn offer(
        &mut self,
        take: &dyn Fn(&mut Tab, &mut Wires<'_>) -> bool,
        wires: &mut Wires<'_>,
    ) -> bool {
        self.kept.values_mut().any(|tab| take(tab, wires))
    }

    /// Forgets the leases that are kept no more; why, where it is no matter of the lease itself.
    pub(super) fn settle(&mut self) -> Vec<(LeaseId, Option<String>)> {
        let ended = self.kept.iter().filter(|(_, tab)| !tab.is_running());
        let ended = ended.map(|(lease, tab)| (*lease, tab.last_error())).collect();
        self.kept.retain(|_, tab| tab.is_running());
        ended
    }
}
