//! The page's side of the program `insight`: fetched when one of its views is first opened.
//!
//! What it is: its loading, the feed of what passed by, and its questions.
//! What it is not: what it shows (see `playground::insight` and `ui::insight`).
//! Invariants: it is told at most once per [`TELL_MS`], and only while a view of it is open; a program that could not
//! be fetched is fetched again when a view is asked for again.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use bytes::Bytes;
use js_sys::{Array, Function, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::effects::Browser;
use super::js;
use crate::playground::edge::News;
use crate::playground::event::Lower;
use crate::playground::insight::{Ask, Feed, Item, decode_asked};
use crate::types::Millis;
use crate::wire::{self, PageToMember};

/// States are told to the program so much after the first new one. Unit: ms.
const TELL_MS: u64 = 50;

/// What the program calls with its questions.
type Listener = Closure<dyn FnMut(JsValue)>;

/// See the module.
#[derive(Default)]
pub(super) struct Insight {
    pub(super) feed: RefCell<Feed>,
    shown: Cell<Lower>,
    is_loading: Cell<bool>,
    is_due: Cell<bool>,
    program: OnceCell<(JsValue, Listener)>,
}

impl Insight {
    /// The program, while a view of it is open that shows more than keys.
    fn listener(&self) -> Option<&JsValue> {
        let is_open = self.shown.get() != Lower::Keys;
        self.program().filter(|_| is_open)
    }

    fn program(&self) -> Option<&JsValue> {
        self.program.get().map(|(program, _)| program)
    }
}

fn call(program: &JsValue, method: &str, argument: &JsValue) {
    let Some(function) = js::get(program, method).dyn_ref::<Function>().cloned() else {
        log::error!("insight has no {method}");
        return;
    };
    if let Err(error) = function.call1(program, argument) {
        log::error!("{method}: {}", js::error_text(&error));
    }
}

impl Browser {
    /// Shows a view of the program, fetching it first.
    pub(super) fn show_insight(self: &Rc<Self>, lower: Lower) {
        self.insight.shown.set(lower);
        if let Some((program, _)) = self.insight.program.get() {
            self.tell_insight();
            call(program, "show", &JsValue::from_str(lower.name()));
        } else if !self.insight.is_loading.replace(true) {
            let browser = Rc::clone(self);
            spawn_local(async move {
                let loaded = browser.load_insight().await;
                browser.insight.is_loading.set(false);
                let result = loaded.map_err(|error| js::error_text(&error));
                if result.is_ok() {
                    browser.show_insight(browser.insight.shown.get());
                }
                browser.tell(News::InsightLoaded(result));
            });
        }
    }

    async fn load_insight(self: &Rc<Self>) -> Result<(), JsValue> {
        let program = js::page_call("insight", &Array::new()).await?;
        let document = web_sys::window().and_then(|window| window.document());
        let element = document.and_then(|document| document.get_element_by_id("insight"));
        let browser = Rc::downgrade(self);
        let asked: Listener = Closure::new(move |bytes: JsValue| {
            let Some(browser) = browser.upgrade() else { return };
            match decode_asked(&Uint8Array::new(&bytes).to_vec()) {
                Ok(ask) => browser.insight_asks(ask),
                Err(error) => log::error!("a question of insight was dropped: {error}"),
            }
        });
        let mount: Function = js::get(&program, "mount").dyn_into()?;
        mount.call2(&program, &element.into(), asked.as_ref())?;
        self.insight.feed.borrow_mut().rewind();
        let first = self.insight.program.set((program, asked));
        debug_assert!(first.is_ok(), "it is loaded once");
        Ok(())
    }

    fn insight_asks(self: &Rc<Self>, ask: Ask) {
        match ask {
            Ask::TellMessages { for_ms } => {
                self.tell_insight_ring();
                self.post_all(PageToMember::TellMessages { for_ms });
            }
            Ask::ReadLog { member, from, to } => {
                self.queue(member, PageToMember::ReadLog { from, to });
            }
            Ask::Lab(question) => self.ask_time(question),
            Ask::EndLab => self.end_time(),
            Ask::ReadHoldings(member) => self.queue(member, PageToMember::ReadHoldings),
            Ask::ReadTrace { member, calls, proposals } => {
                self.queue(member, PageToMember::ReadTrace { calls, proposals });
            }
            ask => {
                // The program has called; it is told of what follows when it has returned.
                let browser = Rc::clone(self);
                spawn_local(async move { browser.tell(News::InsightAsked(ask)) });
            }
        }
    }

    /// Tells the program what is new, soon.
    pub(super) fn tell_insight_soon(self: &Rc<Self>) {
        if self.insight.listener().is_some() && !self.insight.is_due.replace(true) {
            let browser = Rc::clone(self);
            self.timers().after(TELL_MS, move || {
                browser.insight.is_due.set(false);
                browser.tell_insight();
            });
        }
    }

    /// Tells the program what is new.
    pub(super) fn tell_insight(&self) {
        let Some(program) = self.insight.listener() else { return };
        let items = self.insight.feed.borrow_mut().take();
        if !items.is_empty() {
            hear(program, &items);
        }
    }

    /// Tells the program what is new whichever view is open: it draws messages in flight, and must know between whom.
    ///
    /// All of it, in its order: that a cluster was opened lets the program forget who was there before.
    fn tell_insight_ring(self: &Rc<Self>) {
        // The program has called; it is told when it has returned.
        let browser = Rc::clone(self);
        spawn_local(async move {
            let Some(program) = browser.insight.program() else { return };
            let items = browser.insight.feed.borrow_mut().take();
            if !items.is_empty() {
                hear(program, &items);
            }
        });
    }

    /// Tells the program one thing.
    pub(super) fn tell_insight_one(&self, item: Item) {
        if let Some(program) = self.insight.program() {
            hear(program, &vec![item]);
        }
    }

    /// Hands what a member holds to the program.
    pub(super) fn tell_insight_holdings(&self, part: Bytes) {
        // What it tells of was asked for before.
        self.tell_insight();
        if let Some(program) = self.insight.listener() {
            hear(program, &vec![Item::Holdings { at: Millis(js::now_ms()), part }]);
        }
    }

    /// Hands what a member knows of calls to the program.
    pub(super) fn tell_insight_trace(&self, part: Bytes) {
        if let Some(program) = self.insight.listener() {
            let at = self.insight.feed.borrow().now();
            hear(program, &vec![Item::Trace { at, part }]);
        }
    }

    /// Hands a part of a member's log to the program.
    pub(super) fn tell_insight_log(&self, part: Bytes) {
        if let Some(program) = self.insight.listener() {
            hear(program, &vec![Item::Log(part)]);
        }
    }
}

fn hear(program: &JsValue, items: &Vec<Item>) {
    match wire::encode(items) {
        Ok(bytes) => call(program, "hear", &Uint8Array::from(bytes.as_slice())),
        Err(error) => log::error!("{} items for insight were dropped: {error}", items.len()),
    }
}
