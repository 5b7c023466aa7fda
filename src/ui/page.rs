//! The loop between model, browser and components.
//!
//! Invariants: one event at a time, events that arrive meanwhile wait; effects are handed over after the
//! model was let go.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use leptos::mount::mount_to;
use leptos::prelude::*;

use crate::playground::edge;
use crate::playground::event::Event;
use crate::playground::model::Model;
use crate::playground::strings::Spoken;
use crate::ui::app::app;
use crate::ui::components::LANGUAGE_ID;
use crate::ui::context::{Context, Sender, Signals};
use crate::ui::dom;
use crate::ui::node::{Row, memo, next_frame, rows};

/// In a hidden tab no frame comes; then this is how much later the page is.
const HIDDEN_FLUSH: Duration = Duration::from_millis(250);

/// What members tell is shown at most so often: five of them tell in every frame of a screen, and each frame would be
/// laid out and painted for one number. What a person does is shown at once.
const FLUSH_EVERY: Duration = Duration::from_millis(100);

/// If for [`RUSH_FLUSHES`] in a row more news came than this in [`FLUSH_EVERY`], they are more than anybody can follow.
const RUSH_NEWS: u32 = 25;
/// About a second of [`FLUSH_EVERY`].
const RUSH_FLUSHES: u32 = 10;
/// Then what members tell is shown so often; what a person waits for, or must not miss, is still shown at once.
const RUSH_EVERY: Duration = Duration::from_millis(400);

/// The list of keys is drawn at most so often: under load each frame would bring hundreds of new ones.
const KEYS_EVERY: Duration = Duration::from_millis(700);

/// Puts the page into the element `app` and returns what takes the browser's news.
pub fn mount(perform: impl Fn(edge::Effect) + 'static) -> impl Fn(edge::News) {
    let page = Rc::new(Page {
        model: RefCell::new(Model::default()),
        waiting: RefCell::new(VecDeque::new()),
        is_busy: Cell::new(false),
        is_flush_due: Cell::new(false),
        flushed_ms: Cell::new(0),
        heard: Cell::new(0),
        rush: Cell::new(0),
        are_keys_fresh: Cell::new(false),
        are_keys_due: Cell::new(false),
        signals: OnceCell::new(),
        perform: Box::new(perform),
    });
    let parts = Rc::clone(&page);
    mount_to(dom::app_element(), move || {
        let signals = Signals::new(&mut parts.model.borrow_mut());
        let _ = parts.signals.set(signals);
        let taker = Rc::clone(&parts);
        let sender = Sender::new(Rc::new(move |event| {
            taker.take(event);
            // What a person does is seen at once.
            taker.are_keys_fresh.set(false);
            taker.flush();
        }));
        // In another language the whole page is another one; what it shows is kept by the model.
        let spoken = memo(move || signals.frame.with(|frame| frame.spoken));
        rows(move || {
            // Its button is made anew as well.
            if dom::is_focused(LANGUAGE_ID) {
                next_frame(|| dom::focus_on(LANGUAGE_ID));
            }
            let row = |Spoken { language, strings: text }: Spoken| {
                Row::new(language.name().to_owned(), move || {
                    app(Context { text, language, views: signals, sender })
                })
            };
            spoken.get().into_iter().map(row).collect()
        })
    })
    .forget();
    move |news| {
        // What a person does in a view of another program is seen at once, too.
        let is_from_view = matches!(news, edge::News::InsightAsked(_));
        page.take(Event::News(news));
        if is_from_view || page.model.borrow().shows_at_once() {
            page.are_keys_fresh.set(false);
            page.flush();
        } else {
            page.flush_soon();
        }
    }
}

struct Page {
    model: RefCell<Model>,
    waiting: RefCell<VecDeque<Event>>,
    is_busy: Cell<bool>,
    is_flush_due: Cell<bool>,
    /// When the signals were last brought up to date, in the page's time. Unit: ms.
    flushed_ms: Cell<u64>,
    /// News since then.
    heard: Cell<u32>,
    /// Flushes in a row before which very many came.
    rush: Cell<u32>,
    /// The keys were drawn less than [`KEYS_EVERY`] ago.
    are_keys_fresh: Cell<bool>,
    /// The keys changed since they were drawn.
    are_keys_due: Cell<bool>,
    signals: OnceCell<Signals>,
    perform: Box<dyn Fn(edge::Effect)>,
}

impl Page {
    fn take(&self, event: Event) {
        self.waiting.borrow_mut().push_back(event);
        if self.is_busy.replace(true) {
            return;
        }
        loop {
            let next = self.waiting.borrow_mut().pop_front();
            let Some(event) = next else { break };
            let effects = self.model.borrow_mut().update(event);
            for effect in effects {
                (self.perform)(effect);
            }
        }
        self.is_busy.set(false);
    }

    fn flush_soon(self: &Rc<Self>) {
        self.heard.set(self.heard.get().saturating_add(1));
        if self.is_flush_due.replace(true) {
            return;
        }
        let since = Duration::from_millis(dom::now_ms().saturating_sub(self.flushed_ms.get()));
        let page = Rc::clone(self);
        let flush = move || next_frame(move || page.flush_if_due());
        let is_rush = self.rush.get() >= RUSH_FLUSHES;
        let rest = if is_rush { RUSH_EVERY } else { FLUSH_EVERY }.saturating_sub(since);
        match rest {
            Duration::ZERO => flush(),
            rest => set_timeout(flush, rest),
        }
        let (page, flushed_ms) = (Rc::clone(self), self.flushed_ms.get());
        let late = move || {
            // Only if no frame came: what is due since then has its own time.
            if page.flushed_ms.get() == flushed_ms {
                page.flush_if_due();
            }
        };
        set_timeout(late, rest + HIDDEN_FLUSH);
    }

    /// What a person does may have come before.
    fn flush_if_due(self: &Rc<Self>) {
        if self.is_flush_due.get() {
            let since = Duration::from_millis(dom::now_ms().saturating_sub(self.flushed_ms.get()));
            let is_much = FLUSH_EVERY * self.heard.get() > since * RUSH_NEWS;
            self.rush.set(if is_much { self.rush.get().saturating_add(1) } else { 0 });
            self.flush();
        }
    }

    /// Brings the signals of changed views up to date.
    fn flush(self: &Rc<Self>) {
        self.is_flush_due.set(false);
        self.flushed_ms.set(dom::now_ms());
        self.heard.set(0);
        let Some(signals) = self.signals.get() else { return };
        let mut model = self.model.borrow_mut();
        let changes = model.take_changes();
        let mut keys = None;
        if changes.frame {
            show(signals.frame, model.frame_view());
        }
        if changes.console {
            show(signals.console, model.console_view());
        }
        if changes.cluster {
            show(signals.cluster, model.cluster_view());
        }
        if changes.log {
            show(signals.log, model.log_view());
        }
        if changes.keys || self.are_keys_due.get() {
            self.are_keys_due.set(self.are_keys_fresh.get());
            if !self.are_keys_fresh.get() {
                keys = model.shows_keys().then(|| model.keys_view());
                self.keys_were_drawn();
            }
        }
        if changes.share {
            show(signals.share, model.share_view());
        }
        drop(model);
        if let Some(keys) = keys {
            // The program of the views draws them.
            (self.perform)(edge::Effect::TellKeys(Box::new(keys)));
        }
    }

    /// Lets the next drawing of the keys wait a little.
    fn keys_were_drawn(self: &Rc<Self>) {
        self.are_keys_fresh.set(true);
        let page = Rc::clone(self);
        set_timeout(
            move || {
                page.are_keys_fresh.set(false);
                if page.are_keys_due.get() {
                    page.flush_soon();
                }
            },
            KEYS_EVERY,
        );
    }
}

/// Writes a signal only if its view is another one.
fn show<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, view: T) {
    if signal.try_with_untracked(|old| *old != view) == Some(true) {
        signal.try_set(view);
    }
}
