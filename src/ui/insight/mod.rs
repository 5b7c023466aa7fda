//! The markup of the program `insight`: views in, questions and clicks out.
//!
//! What it is: [`InsightPage`], which the program's entry drives, and one component per view.
//! What it is not: a decision about what is shown; that stands in `playground::insight`.
//! Invariants: members are asked only while a view is open and can be seen; what is seen is brought up to date once
//! per frame; no markup is made of strings.

mod clocks;
mod commands;
mod exact;
mod history;
mod keys;
mod log;
mod quorum;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::web_sys;

use crate::playground::insight::{
    Ask, ClocksView, DetailView, EN, ExactView, HistoryView, Insight, InsightStrings, LogView,
    QuorumView, View, ZH, decode_items, encode_ask,
};
use crate::playground::keys::KeysView;
use crate::playground::reference::ReferenceView;
use crate::playground::strings::{KeysStrings, Language};
use crate::ui::dom;
use crate::ui::node::{Node, Row, div, next_frame, rows, show};

/// Between two looks at what is not known yet.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The views, each behind a signal.
#[derive(Clone, Copy)]
struct Signals {
    view: RwSignal<View>,
    /// The element is on the screen.
    is_seen: RwSignal<bool>,
    language: RwSignal<Language>,
    keys: RwSignal<KeysView>,
    detail: RwSignal<Option<DetailView>>,
    log: RwSignal<LogView>,
    clocks: RwSignal<ClocksView>,
    quorum: RwSignal<QuorumView>,
    history: RwSignal<HistoryView>,
    exact: RwSignal<ExactView>,
    commands: RwSignal<ReferenceView>,
}

/// What every component gets.
#[derive(Clone, Copy)]
struct Context {
    text: &'static InsightStrings,
    /// The texts of the view of the keys.
    words: &'static KeysStrings,
    views: Signals,
    page: StoredValue<Rc<InsightPage>, LocalStorage>,
}

impl Context {
    /// Changes the model, and shows it at once.
    fn act(self, act: impl FnOnce(&mut Insight)) {
        if let Some(page) = self.page.try_get_value() {
            act(&mut page.model.borrow_mut());
            page.flush();
        }
    }

    fn ask(self, ask: &Ask) {
        if let Some(page) = self.page.try_get_value() {
            (page.ask)(&encode_ask(ask));
        }
    }
}

/// Takes encoded questions.
type Asker = Box<dyn Fn(&[u8])>;
/// Makes a view.
type Make = fn(Context) -> Node;

/// The program's page: a part of the page that the visitor sees.
pub struct InsightPage {
    model: RefCell<Insight>,
    host: web_sys::HtmlElement,
    views: Signals,
    is_flush_due: Cell<bool>,
    ask: Asker,
}

impl std::fmt::Debug for InsightPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InsightPage").finish_non_exhaustive()
    }
}

impl InsightPage {
    /// Puts the views into `element`; questions go to `ask`, encoded.
    pub fn mount(element: web_sys::HtmlElement, ask: impl Fn(&[u8]) + 'static) -> Rc<Self> {
        let model = Insight::new(&EN);
        let views = Signals {
            view: RwSignal::new(View::None),
            is_seen: RwSignal::new(false),
            language: RwSignal::new(language()),
            keys: RwSignal::new(KeysView::default()),
            detail: RwSignal::new(None),
            log: RwSignal::new(model.log_view()),
            clocks: RwSignal::new(model.clocks_view()),
            quorum: RwSignal::new(model.quorum_view()),
            history: RwSignal::new(model.history_view()),
            exact: RwSignal::new(model.exact_view()),
            commands: RwSignal::new(model.commands_view()),
        };
        // In another language the page makes its elements anew: what stands in this one is kept.
        let host = dom::element("insight-host").unwrap_or_else(|| element.clone());
        let _ = element.append_child(&host);
        let page = Rc::new(Self {
            model: RefCell::new(model),
            host: host.clone(),
            views,
            is_flush_due: Cell::new(false),
            ask: Box::new(ask),
        });
        let shown = Rc::clone(&page);
        mount_to(host, move || {
            let looker = Rc::clone(&shown);
            // It lives as long as the page does.
            let _ = set_interval_with_handle(move || looker.look(), LOOK_EVERY);
            let page = StoredValue::new_local(shown);
            rows(move || {
                let language = views.language.get();
                let words = KeysStrings::of(language);
                let text = match language {
                    Language::English => &EN,
                    Language::Chinese => &ZH,
                };
                // Views that are made of words are made anew.
                if let Some(page) = page.try_get_value() {
                    page.model.borrow_mut().speak(text);
                    page.flush_all();
                }
                let make = move || app(Context { text, words, views, page });
                vec![Row::new(language.name().to_owned(), make)]
            })
        })
        .forget();
        page
    }

    /// Takes in encoded items; what cannot be read is dropped.
    pub fn hear(self: &Rc<Self>, bytes: &[u8]) {
        match decode_items(bytes) {
            Ok(items) => {
                self.model.borrow_mut().hear(items);
                self.flush_soon();
            }
            Err(error) => leptos::logging::warn!("items were dropped: {error}"),
        }
    }

    /// Shows the view of this name, or none.
    pub fn show(self: &Rc<Self>, name: &str) {
        let view = View::named(name);
        self.model.borrow_mut().show(view);
        self.flush();
        self.views.view.set(view);
        self.look();
    }

    /// True if somebody can see it.
    fn is_seen(&self) -> bool {
        !document().hidden() && self.host.offset_height() > 0
    }

    /// Comes along when the page was made anew in another language.
    fn settle(&self) {
        if !self.host.is_connected()
            && let Some(element) = document().get_element_by_id("insight")
        {
            let _ = element.append_child(&self.host);
        }
        write(self.views.language, language());
    }

    fn look(&self) {
        self.settle();
        let is_seen = self.is_seen();
        write(self.views.is_seen, is_seen);
        if !is_seen {
            return;
        }
        let asks = self.model.borrow_mut().asks();
        for ask in asks {
            (self.ask)(&encode_ask(&ask));
        }
    }

    fn flush_soon(self: &Rc<Self>) {
        if !self.is_flush_due.replace(true) {
            let page = Rc::clone(self);
            next_frame(move || {
                page.is_flush_due.set(false);
                let has_more = page.model.borrow_mut().work();
                page.flush();
                if has_more {
                    page.flush_soon();
                }
            });
        }
    }

    /// Brings every view that is made of words up to date.
    fn flush_all(&self) {
        let model = self.model.borrow();
        write(self.views.log, model.log_view());
        write(self.views.clocks, model.clocks_view());
        write(self.views.quorum, model.quorum_view());
        write(self.views.history, model.history_view());
        write(self.views.exact, model.exact_view());
    }

    /// Brings the view that is shown up to date.
    fn flush(&self) {
        let mut model = self.model.borrow_mut();
        match self.views.view.get_untracked() {
            View::None => {}
            View::Keys => {
                write(self.views.detail, model.detail_view());
                write(self.views.keys, model.keys_view().clone());
            }
            View::Log => write(self.views.log, model.log_view()),
            View::Clocks => write(self.views.clocks, model.clocks_view()),
            View::Quorum => write(self.views.quorum, model.quorum_view()),
            View::History => write(self.views.history, model.history_view()),
            View::Exact => write(self.views.exact, model.exact_view()),
            View::Commands => write(self.views.commands, model.commands_view()),
        }
    }
}

/// Writes a signal only if its view is another one.
fn write<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, view: T) {
    if signal.with_untracked(|old| *old != view) {
        signal.set(view);
    }
}

/// The page's language.
fn language() -> Language {
    dom::root_attribute("lang").and_then(|tag| Language::of_tag(&tag)).unwrap_or_default()
}

fn app(context: Context) -> Node {
    let view = context.views.view;
    let is = move |wanted: View| move || view.get() == wanted;
    let views: [(View, Make); 7] = [
        (View::Keys, keys::keys),
        (View::Log, log::log),
        (View::Clocks, clocks::clocks),
        (View::Quorum, quorum::quorum),
        (View::History, history::history),
        (View::Exact, exact::exact),
        (View::Commands, commands::commands),
    ];
    let mut all = div().class("insight-views");
    for (wanted, make) in views {
        all = all.child(show(is(wanted), move || make(context)));
    }
    all
}
