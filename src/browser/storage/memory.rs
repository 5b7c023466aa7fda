//! A disk in the page's memory, for browsers that refuse IndexedDB.
//!
//! What it is: rounds are handed to the page and are durable once the page says that it holds them,
//! so that a killed member restarts from every round it acknowledged.
//! What it is not: anything that survives a reload, and the page says so.
//! Invariants: rounds are confirmed in order, one in flight.

use std::cell::RefCell;
use std::fmt;

use crate::browser::signal::Signal;
use crate::etcdserver::{DiskImage, Round};
use crate::wire::KeptRound;

/// See the module.
pub struct MemoryDisk {
    image: RefCell<DiskImage>,
    send: Box<dyn Fn(KeptRound)>,
    waiting: RefCell<Option<(u64, Signal<()>)>>,
}

impl fmt::Debug for MemoryDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryDisk").finish_non_exhaustive()
    }
}

impl MemoryDisk {
    /// A disk that holds `image` and hands its rounds to `send`.
    pub fn new(image: DiskImage, send: impl Fn(KeptRound) + 'static) -> Self {
        Self { image: RefCell::new(image), send: Box::new(send), waiting: RefCell::new(None) }
    }

    pub(super) fn take_image(&self) -> DiskImage {
        self.image.take()
    }

    pub(super) async fn write(&self, round: &Round) {
        let signal = Signal::new();
        let before = self.waiting.replace(Some((round.ticket.0, signal.clone())));
        assert!(before.is_none(), "at most one round is in flight");
        (self.send)(KeptRound {
            ticket: round.ticket.0,
            puts: round.puts.iter().map(|put| (put.store, put.key, put.bytes.clone())).collect(),
            deletes: round.deletes.clone(),
        });
        signal.wait().await;
    }

    /// The page holds the round; other tickets than the one in flight are ignored.
    pub fn kept(&self, ticket: u64) {
        let waiting = self.waiting.borrow_mut().take_if(|(awaited, _)| *awaited == ticket);
        if let Some((_, signal)) = waiting {
            signal.set(());
        }
    }
}
