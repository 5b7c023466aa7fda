//! What the view of watches and leases asks for.
//!
//! Invariants: see `model`; a stream that is cut is one that the client loses, and its client does what it then does.

use super::{Keeper, Model};
use crate::playground::console::{Tab, Wires};
use crate::playground::edge::{Effect, News};
use crate::playground::insight::Item;
use crate::types::{LeaseId, MemberId};

impl Model {
    /// Cuts a watch's stream as a network does: neither end is told more than that it is gone.
    pub(super) fn cut_watch(&mut self, call: u64, member: MemberId) {
        self.effects.push(Effect::Cancel { call, member });
        self.hear_call(&News::CallFailed { call, was_sent: true });
        self.changes.console = true;
    }

    /// Ends what runs in a console.
    pub(super) fn interrupt_tab(&mut self, id: u32) {
        let was_running = self.with_console(|console, wires| {
            let tab = console.tab(id).filter(|tab| tab.is_running());
            tab.map(|tab| tab.interrupt(wires)).is_some()
        });
        if was_running {
            self.record.interrupted(id);
            self.remember_record();
            self.changes.console = true;
        }
    }

    /// Begins or ends to keep a lease alive.
    pub(super) fn keep_lease(&mut self, lease: LeaseId, is_on: bool) {
        self.with_keeper(&mut |keeper, wires| keeper.keep(lease, is_on, wires));
        let ended = self.keeper.settle();
        self.tell_kept(ended);
    }

    /// Offers something to the keep-alives that no console shows.
    pub(super) fn offer_kept(&mut self, take: &dyn Fn(&mut Tab, &mut Wires<'_>) -> bool) -> bool {
        let mut is_taken = false;
        self.with_keeper(&mut |keeper, wires| is_taken = keeper.offer(take, wires));
        let ended = self.keeper.settle();
        if !ended.is_empty() {
            self.tell_kept(ended);
        }
        is_taken
    }

    fn tell_kept(&mut self, ended: Vec<(LeaseId, Option<String>)>) {
        let failed = ended.into_iter().filter_map(|(lease, why)| Some((lease, why?))).collect();
        let kept = Item::Kept { leases: self.keeper.leases(), failed };
        self.effects.push(Effect::TellInsight(Box::new(kept)));
    }

    fn with_keeper(&mut self, run: &mut dyn FnMut(&mut Keeper, &mut Wires<'_>)) {
        let mut wires = Wires {
            now: self.now,
            cluster: &self.cluster,
            numbers: &mut self.numbers,
            effects: &mut self.effects,
            away: &mut self.away,
            strings: self.strings,
        };
        run(&mut self.keeper, &mut wires);
    }
}
