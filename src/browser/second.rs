//! The second cluster: one member in a worker of its own, where `etcd` without flags would be.
//!
//! What it is: somewhere to mirror to; it starts when somebody first asks it something, and ends with the page.
//! What it is not: the cluster that is shown, killed, cut or saved (see `cluster`): its disk is nowhere.
//! Invariants: nothing that it says of itself becomes news; every call to it is answered or fails.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::boot::{Boot, MemberBoot, MemberRow, hex};
use super::effects::Browser;
use super::js;
use super::workers::{BootExtras, Heard, NodeWorker, Program};
use crate::api;
use crate::playground::cluster::{SECOND, SECOND_ENDPOINT, SECOND_NAME};
use crate::wire::{self, DownReason, MemberToPage, PageToMember};

/// Its peers' URL. Source: etcd's default.
const PEER_URL: &str = "http://localhost:2380";

impl Browser {
    /// Starts it if it does not run; false: it cannot be started.
    pub(super) fn start_second(self: &Rc<Self>) -> bool {
        if self.second().is_some() {
            return true;
        }
        let module = self.with_cluster(|cluster| cluster.module.clone());
        let Some(module) = module else { return false };
        let browser = Rc::downgrade(self);
        let on_heard = move |heard: Heard| {
            if let Some(browser) = browser.upgrade() {
                browser.hear_second(heard);
            }
        };
        let boot = Boot::Member(self.second_boot());
        let extras = BootExtras::default();
        match NodeWorker::start(SECOND_NAME, Program::Node, &module, &boot, extras, on_heard) {
            Ok(worker) => {
                *self.second() = Some(worker);
                true
            }
            Err(error) => {
                log::error!("the second cluster does not start: {error}");
                false
            }
        }
    }

    fn second_boot(&self) -> MemberBoot {
        let spec = self.last_spec();
        let member = api::Member {
            id: SECOND,
            name: SECOND_NAME.to_owned(),
            peer_urls: vec![PEER_URL.to_owned()],
            client_urls: vec![format!("http://{SECOND_ENDPOINT}")],
            is_learner: false,
        };
        MemberBoot {
            prefix: self.prefix().to_owned(),
            uid: hex(0),
            member: hex(SECOND.0),
            members: vec![MemberRow::from(&member)],
            joins: None,
            force_new_cluster: false,
            tick_ms: u32::try_from(spec.tick_ms).unwrap_or(u32::MAX),
            election_ticks: spec.election_ticks,
            quota_bytes: spec.quota_bytes.to_string(),
            snapshot_count: spec.snapshot_count,
            snapshot_catchup_entries: spec.snapshot_catchup_entries,
            pre_vote: spec.pre_vote,
            check_quorum: spec.check_quorum,
            seed: hex(js::random_u64()),
            in_memory: true,
            has_data: false,
        }
    }

    /// Sends encoded messages to it.
    pub(super) fn post_second(&self, bytes: &[u8]) {
        if let Some(worker) = self.second().as_ref() {
            worker.post_bytes(bytes);
        }
    }

    fn hear_second(self: &Rc<Self>, heard: Heard) {
        let messages = match heard {
            Heard::Fatal(message) => vec![MemberToPage::Down(DownReason::Crashed { message })],
            Heard::Bytes(bytes) => wire::decode::<Vec<MemberToPage>>(&bytes).unwrap_or_default(),
        };
        for message in messages {
            match message {
                // Its worker is its disk: the round is as durable as it ever gets.
                MemberToPage::KeepRound(round) => {
                    self.post(SECOND, &vec![PageToMember::RoundKept { ticket: round.ticket }]);
                }
                MemberToPage::Replies(_)
                | MemberToPage::ReplyPart { .. }
                | MemberToPage::Watch { .. }
                | MemberToPage::StreamEnded { .. } => self.hear_message(SECOND, 0, message),
                MemberToPage::Down(_) => {
                    log::error!("the second cluster ended");
                    // The worker's own listener runs this, so the worker is dropped a moment later.
                    let worker = self.second().take();
                    spawn_local(async move { drop(worker) });
                    self.fail_calls(SECOND, true);
                }
                MemberToPage::Up { .. }
                | MemberToPage::Events(_)
                | MemberToPage::Status(_)
                | MemberToPage::TickGap { .. }
                | MemberToPage::Log(_)
                | MemberToPage::Holdings(_)
                | MemberToPage::Messages(_)
                | MemberToPage::Trace(_)
                | MemberToPage::GateClosed => {}
            }
        }
        self.deliver();
    }
}
