//! A member's ports to its peers: frames out and in, under the rules of the links.
//!
//! What it is: one `MessagePort` and one [`wire::Link`] per peer, the cuts that the page ordered, and what it said
//! that links do to messages: those wait here, at the sender.
//! What it is not: reliable; a message that cannot go out is dropped, and its peer reported once per
//! tick as unreachable where the network would tell.
//! Invariants: a cut applies at both ends, so it drops what is in flight as well, and what waits;
//! what is not disturbed draws no random number and does not wait;
//! foreign bytes are logged and dropped; the listener of a replaced port is gone before the next one
//! listens.

use std::collections::VecDeque;

use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

use super::js;
use crate::cluster::fault::{LinkRule, Speed};
use crate::etcdserver::Input;
use crate::raft::MessageType;
use crate::random::Pcg32;
use crate::types::{ClusterId, MemberId, SmallMap, SmallSet};
use crate::wire::{self, Fate, Letter, MessageSample, PeerMessage, Tap};

/// Messages that wait for their time; what comes while so many wait is lost. Unit: messages.
/// Source: as many as may be on their way to one peer.
const LATE_MAX: usize = 4_096;

/// The purpose of the stream that faults draw from.
const FAULTS_STREAM: u64 = 0x4641_554c;

/// A message that a link holds back.
struct Late {
    due_ms: u64,
    to: MemberId,
    letter: Letter,
}

/// A port with its listener.
struct Port {
    port: MessagePort,
    _listener: Closure<dyn FnMut(MessageEvent)>,
}

impl Drop for Port {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
        self.port.close();
    }
}

#[derive(Default)]
struct Peer {
    port: Option<Port>,
    link: wire::Link,
    /// Of its hello.
    cluster_id: Option<ClusterId>,
    /// Messages to it were lost since the last tick.
    is_losing: bool,
    /// The member was told that it is unreachable.
    is_reported: bool,
}

/// What a member says of itself.
#[derive(Clone, Copy)]
struct Own {
    boot: u64,
    cluster_id: ClusterId,
}

impl Own {
    const fn hello(self) -> PeerMessage {
        PeerMessage::Hello { boot: self.boot, cluster_id: self.cluster_id }
    }
}

/// See the module.
#[derive(Default)]
pub(super) struct Transport {
    /// Known once the member has started; before that nothing is said.
    own: Option<Own>,
    peers: SmallMap<MemberId, Peer>,
    no_send_to: SmallSet<MemberId>,
    no_hear_from: SmallSet<MemberId>,
    /// Few: those that the page disturbs.
    rules: Vec<(MemberId, LinkRule)>,
    /// In the order of their times.
    late: VecDeque<Late>,
    /// One stream per start; there when the member has started.
    random: Option<Pcg32>,
    /// How fast the cluster's time passes.
    speed: Speed,
    /// For somebody who looks.
    tap: Tap,
}

impl Transport {
    /// A new port to a peer takes the place of the old one.
    pub(super) fn attach(
        &mut self,
        member: MemberId,
        port: MessagePort,
        mut on_bytes: impl FnMut(Vec<u8>) + 'static,
    ) {
        let peer = self.peers.get_or_insert_with(member, Peer::default);
        peer.port = None;
        peer.link.reset();
        let listener = Closure::new(move |event: MessageEvent| {
            if let Some(bytes) = js::bytes(&event.data()) {
                on_bytes(bytes);
            }
        });
        port.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        peer.port = Some(Port { port, _listener: listener });
        if let Some(own) = self.own {
            peer.post(&own.hello());
        }
    }

    /// The peer's worker is gone: what is sent to it is lost.
    pub(super) fn detach(&mut self, member: MemberId) {
        if let Some(peer) = self.peers.get_mut(&member) {
            peer.port = None;
            peer.link.reset();
        }
    }

    /// The member serves: says hello on every port.
    pub(super) fn open(
        &mut self,
        boot: u64,
        cluster_id: ClusterId,
        (seed, member): (u64, MemberId),
    ) {
        self.random = Some(Pcg32::for_stream(seed, &[FAULTS_STREAM, member.0, boot]));
        let own = Own { boot, cluster_id };
        self.own = Some(own);
        for (member, peer) in self.peers.iter_mut() {
            // Its hello may have come first.
            if peer.cluster_id.is_some_and(|other| other != cluster_id) {
                log::warn!("{member:x} is of another cluster");
                peer.link.reset();
            }
            peer.post(&own.hello());
        }
    }

    /// The cuts and the rules from now on.
    pub(super) fn set_links(
        &mut self,
        no_send_to: Vec<MemberId>,
        no_hear_from: Vec<MemberId>,
        rules: Vec<(MemberId, LinkRule)>,
    ) {
        self.rules = rules;
        self.no_send_to = no_send_to.into_iter().collect();
        self.no_hear_from = no_hear_from.into_iter().collect();
    }

    /// How fast the cluster's time passes from now on.
    pub(super) const fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
    }

    /// Somebody looks at what is sent, for so long from now on.
    pub(super) fn look_for(&mut self, for_ms: u32) {
        self.tap.look_until(js::now_ms() + u64::from(for_ms));
    }

    /// What was sent since this was last asked, if somebody looked.
    pub(super) fn take_sample(&mut self, now_ms: u64) -> Option<MessageSample> {
        self.tap.take(now_ms)
    }

    /// Sends messages to a peer, as the link to it lets them through.
    pub(super) fn send(&mut self, to: MemberId, messages: Vec<Letter>) {
        let rule = self.rules.iter().find(|(peer, _)| *peer == to).map(|(_, rule)| *rule);
        let now = if rule.is_some() || !self.speed.is_real() {
            self.disturb(to, rule.unwrap_or_default(), messages)
        } else {
            let now_ms = js::now_ms();
            if self.tap.is_on(now_ms) {
                let fate = self.fate(to);
                messages.iter().for_each(|letter| self.tap.see(to, letter, fate, now_ms));
            }
            messages
        };
        if !now.is_empty() {
            self.send_now(to, now);
        }
    }

    /// What becomes of a message that is sent to a peer now, if its link does nothing to it.
    fn fate(&self, to: MemberId) -> Fate {
        let peer = self.peers.get(&to);
        if self.no_send_to.contains(&to) {
            Fate::Cut
        } else if peer.is_some_and(|peer| peer.port.is_some() && peer.link.is_up()) {
            Fate::Sent
        } else {
            Fate::Away
        }
    }

    /// Lets some messages wait, doubles or loses some; gives back what goes at once.
    fn disturb(&mut self, to: MemberId, rule: LinkRule, messages: Vec<Letter>) -> Vec<Letter> {
        let fate = self.fate(to);
        let Some(random) = &mut self.random else { return messages };
        let mut now = Vec::new();
        let now_ms = js::now_ms();
        for letter in messages {
            let may_double =
                !matches!(&letter, Letter::Raft(raft) if raft.msg_type == MessageType::MsgProp);
            let arrivals = rule.arrivals(may_double, random);
            if self.tap.is_on(now_ms) {
                let ways = arrivals.iter().map(|late_ms| self.speed.way_ms(*late_ms));
                let ways = (ways.clone().count(), ways.min().unwrap_or(0));
                let ms = u32::try_from(ways.1).unwrap_or(u32::MAX);
                let fate = match (fate, ways.0) {
                    (Fate::Sent, 0) => Fate::Lost,
                    (Fate::Sent, 1) if ms > 0 => Fate::Held(ms),
                    (Fate::Sent, 2) => Fate::Doubled(ms),
                    (fate, _) => fate,
                };
                self.tap.see(to, &letter, fate, now_ms);
            }
            for late_ms in arrivals {
                let late_ms = self.speed.way_ms(late_ms);
                let letter = letter.clone();
                if late_ms == 0 {
                    now.push(letter);
                } else if self.late.len() < LATE_MAX {
                    let due_ms = now_ms + late_ms;
                    let at = self.late.partition_point(|late| late.due_ms <= due_ms);
                    self.late.insert(at, Late { due_ms, to, letter });
                }
            }
        }
        now
    }

    /// When the next message that waits is due.
    pub(super) fn next_due_ms(&self) -> Option<u64> {
        self.late.front().map(|late| late.due_ms)
    }

    /// Sends what has waited long enough.
    pub(super) fn send_due(&mut self, now_ms: u64) {
        while let Some(late) = self.late.pop_front_if(|late| late.due_ms <= now_ms) {
            self.send_now(late.to, vec![late.letter]);
        }
    }

    /// Sends messages to a peer as one frame, or loses them.
    fn send_now(&mut self, to: MemberId, messages: Vec<Letter>) {
        let Some(Own { boot, .. }) = self.own else {
            return;
        };
        if self.no_send_to.contains(&to) {
            return;
        }
        let Some(peer) = self.peers.get_mut(&to) else {
            // It has been down since this member started: nobody is there to lose a connection to.
            log::debug!("messages for {to:x}, which has no port yet");
            return;
        };
        let frame = if peer.port.is_some() { peer.link.send(boot, messages) } else { None };
        match frame {
            Some(frame) => peer.post(&frame),
            None => peer.is_losing = true,
        }
    }

    /// Takes a buffer from a peer's port.
    pub(super) fn receive(&mut self, from: MemberId, bytes: &[u8]) -> Vec<Input> {
        let Some(peer) = self.peers.get_mut(&from) else {
            return Vec::new();
        };
        let message = match wire::decode::<PeerMessage>(bytes) {
            Ok(message) => message,
            Err(error) => {
                log::warn!("a frame from {from:x} was dropped: {error}");
                return Vec::new();
            }
        };
        if let PeerMessage::Hello { cluster_id, .. } = &message {
            peer.cluster_id = Some(*cluster_id);
            if self.own.is_some_and(|own| own.cluster_id != *cluster_id) {
                log::warn!("{from:x} is of another cluster");
                return Vec::new();
            }
        }
        let was_up = peer.link.is_up();
        let messages = match peer.link.receive(message) {
            Ok(messages) => messages,
            Err(refused) => {
                log::warn!("a message from {from:x} was dropped: {refused}");
                return Vec::new();
            }
        };
        if let Some(credit) = peer.link.credit_owed_now() {
            peer.post(&credit);
        }
        if !was_up && peer.link.is_up() {
            peer.is_reported = false;
            return vec![Input::PeerConnected(from)];
        }
        if self.no_hear_from.contains(&from) {
            return Vec::new();
        }
        let input = |letter| match letter {
            Letter::Raft(message) => Input::Peer(message),
            Letter::Server(message) => Input::FromPeer { from, message },
        };
        messages.into_iter().map(input).collect()
    }

    /// Once per tick: returns owed credit, and tells to which peers messages were lost since, and
    /// to which they get through again.
    pub(super) fn tick(&mut self) -> Vec<Input> {
        let mut inputs = Vec::new();
        for (member, peer) in self.peers.iter_mut() {
            if let Some(credit) = peer.link.credit_owed() {
                peer.post(&credit);
            }
            if std::mem::take(&mut peer.is_losing) {
                peer.is_reported = true;
                inputs.push(Input::PeerUnreachable(*member));
            } else if peer.is_reported && peer.link.is_up() {
                peer.is_reported = false;
                inputs.push(Input::PeerConnected(*member));
            }
        }
        inputs
    }

    /// Sends nothing and hears nothing from now on.
    pub(super) fn close(&mut self) {
        self.own = None;
        self.peers.clear();
        self.late.clear();
    }
}

impl Peer {
    fn post(&self, message: &PeerMessage) {
        let Some(port) = &self.port else {
            return;
        };
        let posted = wire::encode(message).map_err(|error| error.to_string()).and_then(|bytes| {
            let buffer = js::buffer(&bytes);
            port.port
                .post_message_with_transferable(&buffer, &js::list(&buffer))
                .map_err(|error| js::error_text(&error))
        });
        if let Err(error) = posted {
            log::warn!("a frame could not be posted: {error}");
        }
    }
}
