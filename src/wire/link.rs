//! One member's end of its port to one peer: handshake, boots and credit, without the port.
//!
//! What it is: the rules of the peer protocol as a value; `browser::transport` owns the port.
//! What it is not: a delivery guarantee; messages may be lost, as between real members.
//! Invariants: nothing is sent or taken before the peer's hello on this very port;
//! a hello of an older boot than one heard before never brings the link up;
//! at most [`CREDIT_MESSAGES`] messages are on their way unconfirmed.

use crate::wire::{Letter, PeerFrame, PeerMessage};

/// Messages that may be on their way to one peer, unconfirmed.
///
/// Unit: messages. Range: above a full append window (256 messages) of a slow peer.
/// Source: ours; about a minute of heartbeats and a second of load.
pub const CREDIT_MESSAGES: u64 = 4096;

/// Received messages after which credit is returned at once, not with the next tick.
const CREDIT_RETURN_MESSAGES: u64 = CREDIT_MESSAGES / 8;

/// Why a message from a peer was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A frame before the hello.
    #[error("a frame came before the hello")]
    NoHello,
    /// The sender has been started again since.
    #[error("the message is of boot {found}, the peer is at boot {newest}")]
    OldBoot {
        /// The boot it came from.
        found: u64,
        /// The newest boot heard of.
        newest: u64,
    },
    /// More was confirmed than sent.
    #[error("{confirmed} messages were confirmed, {sent} were sent")]
    CreditTooHigh {
        /// What the peer said.
        confirmed: u64,
        /// What is true.
        sent: u64,
    },
}

/// The state of the link to one peer.
#[derive(Clone, Debug, Default)]
pub struct Link {
    peer_boot: Option<u64>,
    newest_boot: u64,
    sent: u64,
    /// Invariant: at most `sent`.
    confirmed: u64,
    received: u64,
    /// Invariant: at most `received`.
    returned: u64,
}

impl Link {
    /// A new port: the handshake and the counts start again, the boots heard of stay known.
    pub const fn reset(&mut self) {
        self.peer_boot = None;
        self.sent = 0;
        self.confirmed = 0;
        self.received = 0;
        self.returned = 0;
    }

    /// True once the peer's hello was heard on this port.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        self.peer_boot.is_some()
    }

    /// Messages sent and not confirmed.
    #[must_use]
    pub const fn outstanding(&self) -> u64 {
        self.sent - self.confirmed
    }

    /// Wraps messages for the port; `None`: no hello yet or no credit, the messages are lost.
    #[must_use]
    pub fn send(&mut self, own_boot: u64, messages: Vec<Letter>) -> Option<PeerMessage> {
        let count = u64::try_from(messages.len()).unwrap_or(u64::MAX);
        if !self.is_up() || count > CREDIT_MESSAGES - self.outstanding() {
            return None;
        }
        self.sent += count;
        self.returned = self.received;
        Some(PeerMessage::Frame {
            frame: PeerFrame { boot: own_boot, messages },
            received: self.received,
        })
    }

    /// Takes a message from the port; the messages in it are counted as received.
    ///
    /// # Errors
    /// Every variant of [`Refused`]; the link is then as it was.
    pub fn receive(&mut self, message: PeerMessage) -> Result<Vec<Letter>, Refused> {
        match message {
            PeerMessage::Hello { boot, .. } => {
                if boot < self.newest_boot {
                    return Err(Refused::OldBoot { found: boot, newest: self.newest_boot });
                }
                self.newest_boot = boot;
                self.peer_boot = Some(boot);
                Ok(Vec::new())
            }
            PeerMessage::Frame { frame, received } => {
                let boot = self.peer_boot.ok_or(Refused::NoHello)?;
                if frame.boot != boot {
                    return Err(Refused::OldBoot { found: frame.boot, newest: boot });
                }
                self.confirm(received)?;
                let count = u64::try_from(frame.messages.len()).unwrap_or(u64::MAX);
                self.received = self.received.saturating_add(count);
                Ok(frame.messages)
            }
            PeerMessage::Received { total } => {
                self.confirm(total)?;
                Ok(Vec::new())
            }
        }
    }

    /// Credit to return now, if a lot is owed.
    #[must_use]
    pub fn credit_owed_now(&mut self) -> Option<PeerMessage> {
        if self.received - self.returned >= CREDIT_RETURN_MESSAGES {
            self.credit_owed()
        } else {
            None
        }
    }

    /// Credit to return, if any is owed.
    #[must_use]
    pub fn credit_owed(&mut self) -> Option<PeerMessage> {
        if self.received == self.returned {
            return None;
        }
        self.returned = self.received;
        Some(PeerMessage::Received { total: self.received })
    }

    const fn confirm(&mut self, total: u64) -> Result<(), Refused> {
        if total > self.sent {
            return Err(Refused::CreditTooHigh { confirmed: total, sent: self.sent });
        }
        if total > self.confirmed {
            self.confirmed = total;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ClusterId;

    fn messages(count: usize) -> Vec<Letter> {
        vec![Letter::Raft(Box::default()); count]
    }

    fn hello(boot: u64) -> PeerMessage {
        PeerMessage::Hello { boot, cluster_id: ClusterId(1) }
    }

    fn pair() -> (Link, Link) {
        let (mut one, mut other) = (Link::default(), Link::default());
        one.receive(hello(2)).unwrap();
        other.receive(hello(1)).unwrap();
        (one, other)
    }

    #[test]
    fn nothing_passes_before_the_hello() {
        let mut link = Link::default();
        assert!(link.send(1, messages(1)).is_none());
        let frame = PeerFrame { boot: 1, messages: messages(1) };
        assert_eq!(link.receive(PeerMessage::Frame { frame, received: 0 }), Err(Refused::NoHello));
        link.receive(hello(1)).unwrap();
        assert!(link.send(1, messages(1)).is_some());
    }

    #[test]
    fn older_boots_are_refused_and_a_new_port_remembers_them() {
        let (mut one, _) = pair();
        one.reset();
        assert!(!one.is_up());
        assert_eq!(one.receive(hello(1)), Err(Refused::OldBoot { found: 1, newest: 2 }));
        assert!(!one.is_up());
        one.receive(hello(3)).unwrap();
        let frame = PeerFrame { boot: 2, messages: messages(1) };
        assert_eq!(
            one.receive(PeerMessage::Frame { frame, received: 0 }),
            Err(Refused::OldBoot { found: 2, newest: 3 })
        );
    }

    #[test]
    fn credit_ends_and_comes_back_with_the_peers_frames() {
        let (mut one, mut other) = pair();
        let full = usize::try_from(CREDIT_MESSAGES).unwrap();
        let frame = one.send(1, messages(full)).unwrap();
        assert!(one.send(1, messages(1)).is_none(), "no credit is left");
        assert_eq!(other.receive(frame).unwrap().len(), full);
        let back = other.send(2, messages(1)).unwrap();
        assert_eq!(one.receive(back).unwrap().len(), 1);
        assert_eq!(one.outstanding(), 0);
        assert!(one.send(1, messages(1)).is_some());
        assert!(other.credit_owed().is_none(), "the frame has carried it");
    }

    #[test]
    fn credit_comes_back_alone_when_much_is_owed() {
        let (mut one, mut other) = pair();
        let frame = one.send(1, messages(1)).unwrap();
        other.receive(frame).unwrap();
        assert!(other.credit_owed_now().is_none());
        let much = usize::try_from(CREDIT_RETURN_MESSAGES).unwrap();
        let frame = one.send(1, messages(much)).unwrap();
        other.receive(frame).unwrap();
        let credit = other.credit_owed_now().unwrap();
        one.receive(credit).unwrap();
        assert_eq!(one.outstanding(), 0);
        assert!(other.credit_owed().is_none());
    }

    #[test]
    fn too_much_credit_is_refused() {
        let (mut one, _) = pair();
        assert_eq!(
            one.receive(PeerMessage::Received { total: 1 }),
            Err(Refused::CreditTooHigh { confirmed: 1, sent: 0 })
        );
    }
}
