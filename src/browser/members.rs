//! The life of the members' workers: start, hear, kill, restart, pause, crash.
//!
//! What it is: everything the page does with a running member.
//! What it is not: how a cluster comes to be (see `opening`).
//! Invariants: what a member says after its kill is not heard, but for "gate closed";
//! every call open at a kill fails at that moment; a worker that says nothing for
//! [`SILENT_MS_MAX`] while the page itself ran is ended.
//! Source: DESIGN 13.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use web_sys::MessageChannel;

use super::boot::encode_image;
use super::calls::{Outcome, Waiter};
use super::cluster::{Cluster, Slot, SlotPhase};
use super::effects::Browser;
use super::js;
use super::workers::{BootExtras, Heard, NodeWorker, PeerPort, Program};
use crate::cluster::fault::{MemberFaults, Speed};
use crate::etcdserver::{DiskImage, DiskPut, Fence, Round, Ticket};
use crate::playground::cluster::SECOND;
use crate::playground::edge::News;
use crate::playground::insight::Item;
use crate::types::{Index, MemberId, Millis};
use crate::wire::{self, DownReason, KeptRound, MemberToPage, PageToMember, PersistenceMode};

/// A killed worker's time to end its round. Unit: ms. Source: DESIGN 13.
const KILL_MS: u64 = 50;

/// A member that is silent for so long while the page runs is given up. Unit: ms.
const SILENT_MS_MAX: u64 = 3000;

/// A page whose own beat was late by this much was frozen or busy itself. Unit: ms.
const BEAT_LATE_MS: u64 = 1500;

impl Browser {
    /// Starts the workers of all members that are down.
    pub(super) fn start_all(self: &Rc<Self>) {
        let members = self.with_cluster(|cluster| {
            cluster.members.iter().map(|member| member.id).collect::<Vec<_>>()
        });
        for member in members.unwrap_or_default() {
            self.start_member(member);
        }
    }

    /// Starts a member's worker from its disk; does nothing if it runs.
    pub(super) fn start_member(self: &Rc<Self>, member: MemberId) {
        let started = self.with_cluster(|cluster| {
            let phase = cluster.slots.get(&member).map(|slot| slot.phase);
            if cluster.descriptor.is_retired(member) {
                return (phase == Some(SlotPhase::Down)).then_some(Err(DownReason::Removed));
            }
            match phase {
                Some(SlotPhase::Down) => {
                    let spawned = self.spawn(cluster, member);
                    Some(spawned.map_err(|message| DownReason::Crashed { message }))
                }
                Some(SlotPhase::Closing) => {
                    if let Some(slot) = cluster.slots.get_mut(&member) {
                        slot.restart_when_down = true;
                    }
                    None
                }
                Some(SlotPhase::Starting | SlotPhase::Up) | None => None,
            }
        });
        match started.flatten() {
            None => {}
            Some(Ok(())) => self.tell(News::MemberStarting(member)),
            Some(Err(reason)) => self.tell(News::MemberDown { member, reason }),
        }
    }

    fn spawn(self: &Rc<Self>, cluster: &mut Cluster, member: MemberId) -> Result<(), String> {
        let mut extras = BootExtras::default();
        for peer in cluster.running() {
            let channel = MessageChannel::new().map_err(|error| js::error_text(&error))?;
            extras.ports.push(PeerPort { peer, port: channel.port1() });
            if let Some(worker) = cluster.slots.get(&peer).and_then(|slot| slot.worker.as_ref()) {
                worker.post_port(member, Some(&channel.port2()));
            }
        }
        if cluster.mode == PersistenceMode::Memory {
            let image = cluster.images.get_or_insert_with(member, DiskImage::default);
            extras.image = Some(encode_image(image).map_err(|error| error.to_string())?);
        }
        let boot = cluster.boot_of(self.prefix(), member);
        let name = cluster.name_of(member);
        let faults = vec![
            cluster.links_of(member),
            cluster.faults_of(member),
            PageToMember::Speed(cluster.speed),
        ];
        let faults = wire::encode(&faults).map_err(|error| error.to_string())?;
        let Some(slot) = cluster.slots.get_mut(&member) else {
            return Err("no such member".to_owned());
        };
        slot.life = self.next_life();
        let life = slot.life;
        let browser = Rc::downgrade(self);
        let on_heard = move |heard: Heard| {
            if let Some(browser) = browser.upgrade() {
                browser.hear(member, life, heard);
            }
        };
        let worker =
            NodeWorker::start(&name, Program::Node, &cluster.module, &boot, extras, on_heard)?;
        worker.post_bytes(&faults);
        slot.worker = Some(worker);
        slot.phase = SlotPhase::Starting;
        slot.force_new_cluster = false;
        slot.is_paused = false;
        slot.status = None;
        slot.last_heard_ms = js::now_ms();
        Ok(())
    }

    fn hear(self: &Rc<Self>, member: MemberId, life: u64, heard: Heard) {
        let messages = match heard {
            Heard::Fatal(message) => vec![MemberToPage::Down(DownReason::Crashed { message })],
            Heard::Bytes(bytes) => match wire::decode::<Vec<MemberToPage>>(&bytes) {
                Ok(messages) => messages,
                Err(error) => {
                    log::error!("a message of {member:x} was dropped: {error}");
                    return;
                }
            },
        };
        for message in messages {
            match (self.heard_in(member, life), message) {
                (SlotPhase::Closing, MemberToPage::GateClosed | MemberToPage::Down(_)) => {
                    self.finish(member, life, DownReason::Killed);
                }
                (SlotPhase::Down | SlotPhase::Closing, _) => {}
                (SlotPhase::Starting | SlotPhase::Up, message) => {
                    self.hear_message(member, life, message);
                }
            }
        }
        self.deliver();
    }

    /// The phase in which a worker was heard; `Down` if it is not the newest any more.
    fn heard_in(&self, member: MemberId, life: u64) -> SlotPhase {
        let phase = self.with_cluster(|cluster| {
            let slot = cluster.slots.get_mut(&member).filter(|slot| slot.life == life)?;
            slot.last_heard_ms = js::now_ms();
            Some(slot.phase)
        });
        phase.flatten().unwrap_or_default()
    }

    pub(super) fn hear_message(
        self: &Rc<Self>,
        member: MemberId,
        life: u64,
        message: MemberToPage,
    ) {
        match message {
            MemberToPage::Up { boot: _, has_fence } => {
                let mode = self.with_cluster(|cluster| {
                    if let Some(slot) = cluster.slots.get_mut(&member) {
                        slot.phase = SlotPhase::Up;
                    }
                    cluster.mode
                });
                self.queue_news(News::MemberUp(member));
                if mode == Some(PersistenceMode::IndexedDb) && !has_fence {
                    self.queue_news(News::NoFence(member));
                }
            }
            MemberToPage::KeepRound(round) => self.keep_round(member, round),
            MemberToPage::Replies(replies) => {
                for (call, result) in replies {
                    let waiter = self.calls().close(call);
                    self.answer(call, waiter, Outcome::Reply(result));
                }
            }
            MemberToPage::ReplyPart { call, part } => {
                if self.calls().is_open(call) {
                    self.queue_news(News::ReplyPart { call, part });
                }
            }
            MemberToPage::Watch { call, response } => {
                if self.calls().is_open(call) {
                    self.queue_news(News::Watch { call, response });
                }
            }
            MemberToPage::StreamEnded { call, error } => {
                if self.calls().close(call).is_some() {
                    self.queue_news(News::StreamEnded { call, error });
                }
            }
            MemberToPage::Events(events) => {
                self.queue_news(News::MemberEvents { member, events });
            }
            MemberToPage::Status(status) => {
                self.with_cluster(|cluster| {
                    if let Some(slot) = cluster.slots.get_mut(&member) {
                        slot.has_data |= status.durable_index > Index(0);
                        slot.status = Some(status.clone());
                    }
                });
                self.queue_news(News::Status(status));
                self.tell_insight_soon();
            }
            MemberToPage::TickGap { gap_ms } => {
                self.queue_news(News::TickGap { member, gap_ms });
            }
            MemberToPage::Log(part) => self.tell_insight_log(part),
            MemberToPage::Holdings(part) => self.tell_insight_holdings(part),
            MemberToPage::Messages(sample) => {
                let at = Millis(js::now_ms());
                self.tell_insight_one(Item::Messages { at, member, sample });
            }
            MemberToPage::Trace(part) => self.tell_insight_trace(part),
            MemberToPage::GateClosed => {}
            MemberToPage::Down(reason) => self.finish(member, life, reason),
        }
    }

    /// Hands an outcome to whoever waits.
    pub(super) fn answer(&self, call: u64, waiter: Option<Waiter>, outcome: Outcome) {
        match (waiter, outcome) {
            (None, _) => {}
            (Some(Waiter::Bench(waiter)), outcome) => waiter(outcome),
            (Some(Waiter::Page | Waiter::PageStream), Outcome::Reply(result)) => {
                self.queue_news(News::Reply { call, result });
            }
            (Some(Waiter::Page | Waiter::PageStream), Outcome::Failed(was_sent)) => {
                self.queue_news(News::CallFailed { call, was_sent });
            }
        }
    }

    fn keep_round(&self, member: MemberId, kept: KeptRound) {
        let ticket = kept.ticket;
        let put = |(store, key, bytes)| DiskPut { store, key, bytes };
        let round = Round {
            ticket: Ticket(ticket),
            puts: kept.puts.into_iter().map(put).collect(),
            deletes: kept.deletes,
            fence: Fence::default(),
            must_flush_fence: false,
        };
        self.with_cluster(|cluster| {
            cluster.images.get_or_insert_with(member, DiskImage::default).apply(&round);
        });
        self.post(member, &vec![PageToMember::RoundKept { ticket }]);
    }

    /// Sends messages to a member at once, after what waits for it.
    pub(super) fn post(&self, member: MemberId, messages: &Vec<PageToMember>) {
        self.flush();
        self.post_bundle(member, messages);
    }

    fn post_bundle(&self, member: MemberId, messages: &Vec<PageToMember>) {
        match wire::encode(messages) {
            Ok(bytes) if member == SECOND => self.post_second(&bytes),
            Ok(bytes) => {
                self.with_cluster(|cluster| {
                    let slot = cluster.slots.get(&member).filter(|slot| slot.is_running());
                    if let Some(worker) = slot.and_then(|slot| slot.worker.as_ref()) {
                        worker.post_bytes(&bytes);
                    }
                });
            }
            Err(error) => log::error!("messages for {member:x} were dropped: {error}"),
        }
    }

    /// Sends what is queued for the members.
    pub(super) fn flush(&self) {
        let bundles = self.calls().take_bundles();
        for (member, messages) in bundles {
            self.post_bundle(member, &messages);
        }
    }

    /// Queues a message for a member; all of one microtask go together.
    pub(super) fn queue(self: &Rc<Self>, member: MemberId, message: PageToMember) {
        if self.calls().queue(member, message) {
            let browser = Rc::clone(self);
            spawn_local(async move { browser.flush() });
        }
    }

    /// Opens a call; it fails at once if the member is not there.
    pub(super) fn call(
        self: &Rc<Self>,
        (call, member): (u64, MemberId),
        waiter: Waiter,
        message: PageToMember,
    ) {
        let is_running =
            self.with_cluster(|cluster| cluster.slots.get(&member).is_some_and(Slot::is_running));
        if is_running == Some(true) || (member == SECOND && self.start_second()) {
            self.calls().open(call, member, waiter);
            self.queue(member, message);
        } else {
            self.answer(call, Some(waiter), Outcome::Failed(false));
            self.deliver();
        }
    }

    pub(super) fn fail_calls(&self, member: MemberId, was_sent: bool) {
        let calls = self.calls().close_all(member);
        for (call, waiter) in calls {
            self.answer(call, Some(waiter), Outcome::Failed(was_sent));
        }
    }

    /// Kills a member: the gate, then the end.
    pub(super) fn kill(self: &Rc<Self>, member: MemberId) {
        let life = self.with_cluster(|cluster| {
            let slot = cluster.slots.get_mut(&member).filter(|slot| slot.is_running())?;
            Some((slot.life, slot.phase))
        });
        let Some((life, phase)) = life.flatten() else {
            return;
        };
        self.post(member, &vec![PageToMember::CloseGate]);
        self.with_cluster(|cluster| {
            if let Some(slot) = cluster.slots.get_mut(&member) {
                slot.phase = SlotPhase::Closing;
            }
        });
        self.fail_calls(member, phase == SlotPhase::Up);
        let browser = Rc::clone(self);
        self.timers().after(KILL_MS, move || {
            browser.finish(member, life, DownReason::Killed);
            browser.deliver();
        });
        self.deliver();
    }

    /// Ends a member at once: its gate stays open, and what its disk works on may land or not.
    pub(super) fn cut_power(self: &Rc<Self>, member: MemberId) {
        let life = self.with_cluster(|cluster| {
            let slot = cluster.slots.get(&member).filter(|slot| slot.is_running())?;
            Some(slot.life)
        });
        if let Some(life) = life.flatten() {
            self.finish(member, life, DownReason::PowerCut);
            self.deliver();
        }
    }

    /// What is wrong with a member's clock and disk from now on.
    pub(super) fn set_faults(&self, member: MemberId, faults: MemberFaults) {
        self.with_cluster(|cluster| {
            if let Some(slot) = cluster.slots.get_mut(&member) {
                slot.faults = faults;
            }
        });
        self.post(member, &vec![PageToMember::Faults(faults)]);
    }

    /// Tells all members that run.
    pub(super) fn post_all(&self, message: PageToMember) {
        self.flush();
        let bytes = match wire::encode(&vec![message]) {
            Ok(bytes) => bytes,
            Err(error) => unreachable!("an order of the page's own cannot be encoded: {error}"),
        };
        self.with_cluster(|cluster| {
            for slot in cluster.slots.values().filter(|slot| slot.is_running()) {
                if let Some(worker) = &slot.worker {
                    worker.post_bytes(&bytes);
                }
            }
        });
    }

    /// How fast the cluster's time passes from now on.
    pub(super) fn set_speed(&self, speed: Speed) {
        self.with_cluster(|cluster| cluster.speed = speed);
        self.post_all(PageToMember::Speed(speed));
    }

    /// A member's worker is over: ends it and tells everybody.
    pub(super) fn finish(self: &Rc<Self>, member: MemberId, life: u64, reason: DownReason) {
        let ended = self.with_cluster(|cluster| {
            let slot = cluster.slots.get_mut(&member).filter(|slot| slot.life == life)?;
            let worker = slot.worker.take()?;
            drop(worker);
            let was_up = slot.phase != SlotPhase::Starting;
            slot.phase = SlotPhase::Down;
            slot.status = None;
            let is_removed = cluster.descriptor.is_retired(member);
            let restart = std::mem::take(&mut slot.restart_when_down);
            let wipe = std::mem::take(&mut slot.wipe_when_down);
            for peer in cluster.running() {
                let slot = cluster.slots.get(&peer);
                if let Some(worker) = slot.and_then(|slot| slot.worker.as_ref()) {
                    worker.post_port(member, None);
                }
            }
            Some((was_up, (restart, wipe), is_removed))
        });
        let Some((was_up, (restart, wipe), is_removed)) = ended.flatten() else {
            return;
        };
        if wipe {
            self.delete_database(member);
        }
        self.fail_calls(member, was_up);
        let reason = if is_removed { DownReason::Removed } else { reason };
        self.queue_news(News::MemberDown { member, reason });
        if restart {
            self.start_member(member);
        }
    }

    /// Stops or resumes a member's world.
    pub(super) fn set_paused(&self, member: MemberId, is_paused: bool) {
        let message = if is_paused { PageToMember::Pause } else { PageToMember::Resume };
        self.post(member, &vec![message]);
        self.with_cluster(|cluster| {
            if let Some(slot) = cluster.slots.get_mut(&member) {
                slot.is_paused = is_paused;
                slot.last_heard_ms = js::now_ms();
            }
        });
    }

    /// The page's beat: looks for members that say nothing any more.
    pub(super) fn watch_members(self: &Rc<Self>, since_last_beat_ms: u64) {
        let now_ms = js::now_ms();
        let silent = self.with_cluster(|cluster| {
            let mut silent = Vec::new();
            for (member, slot) in cluster.slots.iter_mut() {
                if since_last_beat_ms > BEAT_LATE_MS {
                    slot.last_heard_ms = now_ms;
                }
                let is_watched = slot.phase == SlotPhase::Up && !slot.is_paused;
                if is_watched && now_ms.saturating_sub(slot.last_heard_ms) > SILENT_MS_MAX {
                    silent.push((*member, slot.life));
                }
            }
            silent
        });
        for (member, life) in silent.unwrap_or_default() {
            self.finish(member, life, DownReason::Unresponsive);
        }
    }
}
