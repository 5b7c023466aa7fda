//! Which tab owns the saved cluster.
//!
//! What it is: one Web Lock, and a channel on which tabs ask "who" and "give it to me".
//! What it is not: `steal`; a tab gives the cluster up itself, after gating its members.
//! Invariants: the saved cluster's disks are opened only while the lock is held.
//! Source: DESIGN 15.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use wasm_bindgen::prelude::*;
use web_sys::{BroadcastChannel, MessageEvent};

use super::js;
use super::locks::{self, Held, Patience};
use super::names;

/// A tab that is being closed or reloaded holds its lock for a moment (measured: 203 ms); only a
/// living owner answers, so silence means "wait". Tries and the pause between them in ms.
const TRIES: u32 = 30;
const PAUSE_MS: u32 = 50;

/// How long the owner is waited for when it is asked for the cluster. It gates its members first, which takes a
/// moment; a tab that the browser has put to sleep never answers. Tries, each after [`PAUSE_MS`].
const ASKS: u32 = 100;
/// The question is put again after so many tries: it may have come while the owner was still waking.
const ASKS_BETWEEN: u32 = 20;

const WHO: &str = "who";
const MINE: &str = "mine";
const GIVE: &str = "give";

/// How an attempt to own the saved cluster ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It is ours.
    Owned,
    /// Another tab has it.
    Elsewhere,
    /// The tab that has it was asked for it and does not answer.
    Silent,
    /// The browser has no locks here; the text says why.
    Impossible(String),
}

/// See the module.
pub(super) struct Owner {
    prefix: String,
    channel: Option<BroadcastChannel>,
    held: Rc<RefCell<Option<Held>>>,
    /// Another tab said that the cluster is its own.
    is_claimed: Rc<Cell<bool>>,
    /// This tab stands in line for the lock.
    is_asking: Cell<bool>,
    _listener: Closure<dyn FnMut(MessageEvent)>,
}

impl Owner {
    /// `on_give` is called when another tab asks for the cluster and it is ours.
    pub(super) fn new(prefix: &str, on_give: impl Fn() + 'static) -> Self {
        let channel = BroadcastChannel::new(&names::owner_channel(prefix)).ok();
        let held: Rc<RefCell<Option<Held>>> = Rc::default();
        let is_claimed = Rc::new(Cell::new(false));
        let (have, claimed, answer) = (Rc::clone(&held), Rc::clone(&is_claimed), channel.clone());
        let listener = Closure::new(move |event: MessageEvent| {
            let is_ours = have.borrow().is_some();
            match event.data().as_string().as_deref() {
                Some(WHO) if is_ours => post(answer.as_ref(), MINE),
                Some(GIVE) if is_ours => on_give(),
                Some(MINE) => claimed.set(true),
                _ => {}
            }
        });
        if let Some(channel) = &channel {
            channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        }
        Self {
            prefix: prefix.to_owned(),
            channel,
            held,
            is_claimed,
            is_asking: Cell::new(false),
            _listener: listener,
        }
    }

    /// True while the saved cluster is ours.
    pub(super) fn is_owner(&self) -> bool {
        self.held.borrow().is_some()
    }

    /// True while this tab waits for another one to give the cluster up.
    pub(super) const fn is_asking(&self) -> bool {
        self.is_asking.get()
    }

    /// Tries to own the saved cluster.
    pub(super) async fn claim(&self) -> Claim {
        if self.is_owner() {
            return Claim::Owned;
        }
        if !locks::are_supported() {
            return Claim::Impossible("this page's address is not a secure context".to_owned());
        }
        self.is_claimed.set(false);
        for attempt in 0..TRIES {
            match locks::acquire(&names::owner_lock(&self.prefix), Patience::IfAvailable).await {
                Ok(Some(held)) => {
                    *self.held.borrow_mut() = Some(held);
                    return Claim::Owned;
                }
                Ok(None) => {}
                Err(error) => return Claim::Impossible(error),
            }
            if attempt == 0 {
                post(self.channel.as_ref(), WHO);
            }
            TimeoutFuture::new(PAUSE_MS).await;
            if self.is_claimed.get() {
                break;
            }
        }
        Claim::Elsewhere
    }

    /// Asks the owner for the cluster and waits until it is ours, for some seconds.
    pub(super) async fn take_over(&self) -> Claim {
        if self.is_owner() {
            return Claim::Owned;
        }
        self.is_asking.set(true);
        let claim = self.ask().await;
        self.is_asking.set(false);
        claim
    }

    async fn ask(&self) -> Claim {
        let lock = names::owner_lock(&self.prefix);
        for attempt in 0..ASKS {
            if attempt % ASKS_BETWEEN == 0 {
                post(self.channel.as_ref(), GIVE);
            }
            match locks::acquire(&lock, Patience::IfAvailable).await {
                Ok(Some(held)) => {
                    *self.held.borrow_mut() = Some(held);
                    return Claim::Owned;
                }
                Ok(None) => TimeoutFuture::new(PAUSE_MS).await,
                Err(error) => return Claim::Impossible(error),
            }
        }
        Claim::Silent
    }

    /// Gives the cluster up.
    pub(super) fn release(&self) {
        self.held.take();
    }
}

fn post(channel: Option<&BroadcastChannel>, word: &str) {
    if let Some(channel) = channel
        && let Err(error) = channel.post_message(&JsValue::from_str(word))
    {
        log::warn!("the other tabs were not told: {}", js::error_text(&error));
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some(channel) = &self.channel {
            channel.set_onmessage(None);
            channel.close();
        }
    }
}
