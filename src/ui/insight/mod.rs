//! The markup of the program `insight`: views in, questions and clicks out.
//!
//! What it is: [`InsightPage`], which the program's entry drives, and one component per view.
//! What it is not: a decision about what is shown; that stands in `playground::insight`.
//! Invariants: members are asked only while a view is open and can be seen; what is seen is brought up to date once
//! per frame; no markup is made of strings.

mod clocks;
mod commands;
mod errors;
mod exact;
mod fetch;
mod history;
mod keys;
mod leases;
mod lesson;
mod log;
mod messages;
mod quorum;
mod scenario;
mod stop;
mod time;
mod traffic;
mod watches;
mod why;

use std::cell::{Cell, RefCell};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::rc::Rc;
use std::time::Duration;

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

use crate::playground::insight::{
    Ask, ClocksView, DetailView, EN, ErrorsView, ExactView, HistoryView, Insight, InsightStrings,
    Item, LessonNote, LogView, Mark, MessagesView, QuorumView, View, WatchesView, WhyView, ZH,
    decode_items, encode_ask,
};
use crate::playground::keys::KeysView;
use crate::playground::reference::ReferenceView;
use crate::playground::strings::{KeysStrings, Language};
use crate::types::Millis;
use crate::ui::dom;
use crate::ui::node::{Node, Row, div, effect, next_frame, rows, show};

use self::lesson::{Asker, LessonPage};
use self::scenario::ScenarioPage;
use self::time::TimePage;
use self::traffic::Stage;

/// Between two looks at what is not known yet.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// So many looks pass until members are asked again to tell what they send.
const LOOKS_PER_ASK: u32 = 4;

/// A view that is told of something more often than that goes on with the next look: nobody can read it faster.
const FLUSH_EVERY_MS: u64 = 350;

/// Looks in a row with more than [`RUSH_ITEMS`] each after which it is told more than anybody can follow: it goes on with
/// every second look.
const RUSH_LOOKS: u32 = 4;

/// So many items between two looks are a rush: idle members tell a tenth of that.
const RUSH_ITEMS: usize = 100;

/// What members send is drawn at most so often: each new dot costs a layout of the ring.
const DRAW_EVERY_MS: u64 = 80;

/// So many looks pass until the list goes on: a list that changes more often cannot be read.
const LOOKS_PER_LIST: u32 = 2;

/// The name of the view of time.
const TIME_NAME: &str = "time";

/// For so long they tell it: a little longer than until they are asked again. Unit: ms.
const TELL_MS: u32 = 1_500;

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
    messages: RwSignal<MessagesView>,
    clocks: RwSignal<ClocksView>,
    quorum: RwSignal<QuorumView>,
    watches: RwSignal<WatchesView>,
    history: RwSignal<HistoryView>,
    exact: RwSignal<ExactView>,
    commands: RwSignal<ReferenceView>,
    errors: RwSignal<ErrorsView>,
    /// What is looked at, in whichever view.
    mark: RwSignal<Mark>,
    why: RwSignal<WhyView>,
    /// The entry that somebody wants to see in the log.
    sought: RwSignal<Option<u64>>,
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

    /// As [`Context::act`], where it may turn out that nothing has changed.
    fn act_if(self, act: impl FnOnce(&mut Insight) -> bool) {
        if let Some(page) = self.page.try_get_value()
            && act(&mut page.model.borrow_mut())
        {
            page.flush();
        }
    }

    /// Marks an entry or a revision, and what belongs to it, in every view.
    fn mark(self, mark: Mark) {
        if let Some(page) = self.page.try_get_value() {
            let mark = page.model.borrow().marked(mark);
            write(self.views.mark, mark);
        }
    }

    /// True while an entry is marked.
    fn is_marked(self, is_it: impl Fn(Mark) -> bool) -> bool {
        self.views.mark.with(|mark| is_it(*mark))
    }

    fn ask(self, ask: &Ask) {
        if let Some(page) = self.page.try_get_value() {
            (page.ask)(&encode_ask(ask));
        }
    }

    /// Opens a script in the view of time, and shows it there.
    fn open_in_time(self, script: String) {
        if let Some(page) = self.page.try_get_value() {
            page.time.open_script(script);
            (page.ask)(&encode_ask(&Ask::View(TIME_NAME.to_owned())));
        }
    }
}

/// Makes a view.
type Make = fn(Context) -> Node;

/// The program's page: a part of the page that the visitor sees.
pub struct InsightPage {
    model: RefCell<Insight>,
    host: web_sys::HtmlElement,
    views: Signals,
    is_flush_due: Cell<bool>,
    /// When what was told was last shown, in the page's time. Unit: ms.
    flushed_ms: Cell<u64>,
    /// Something was told since.
    is_flush_late: Cell<bool>,
    /// Looks in a row before which very much was told.
    rush: Cell<u32>,
    /// Items since the last look.
    heard: Cell<usize>,
    stage: Stage,
    /// When it was last drawn, in the page's time. Unit: ms.
    drawn_ms: Cell<u64>,
    /// Looks until members are asked again for samples of what they send.
    looks: Cell<u32>,
    ask: Asker,
    lesson: Option<Rc<LessonPage>>,
    scenario: Rc<ScenarioPage>,
    time: Rc<TimePage>,
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
            messages: RwSignal::new(model.messages_view()),
            clocks: RwSignal::new(model.clocks_view()),
            quorum: RwSignal::new(model.quorum_view()),
            watches: RwSignal::new(model.watches_view()),
            history: RwSignal::new(model.history_view()),
            exact: RwSignal::new(model.exact_view()),
            commands: RwSignal::new(model.commands_view()),
            errors: RwSignal::new(model.errors_view()),
            mark: RwSignal::new(Mark::default()),
            why: RwSignal::new(model.why_view()),
            sought: RwSignal::new(None),
        };
        // In another language the page makes its elements anew: what stands in this one is kept.
        let host = dom::element("insight-host").unwrap_or_else(|| element.clone());
        let _ = element.append_child(&host);
        let ask: Asker = Rc::new(ask);
        let lesson = LessonPage::mount(Rc::clone(&ask));
        let time = TimePage::new(Rc::clone(&ask));
        let page = Rc::new(Self {
            model: RefCell::new(model),
            host: host.clone(),
            views,
            is_flush_due: Cell::new(false),
            flushed_ms: Cell::new(0),
            is_flush_late: Cell::new(false),
            rush: Cell::new(0),
            heard: Cell::new(0),
            stage: Stage::default(),
            drawn_ms: Cell::new(0),
            looks: Cell::new(0),
            scenario: ScenarioPage::new(Rc::clone(&ask)),
            ask,
            lesson,
            time,
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
                    page.scenario.speak(language);
                    page.flush_all();
                }
                let make = move || app(Context { text, words, views, page });
                vec![Row::new(language.name().to_owned(), make)]
            })
        })
        .forget();
        if let Some(lesson) = &page.lesson {
            lesson.begin();
        }
        page.scenario.begin(page.lesson.is_some());
        page
    }

    /// Takes in encoded items; what cannot be read is dropped, which is said in the browser's console.
    pub fn hear(self: &Rc<Self>, bytes: &[u8]) {
        match decode_items(bytes) {
            Ok(items) => {
                let items = self.hear_others(items);
                if items.is_empty() {
                    return;
                }
                self.heard.set(self.heard.get() + items.len());
                let is_asked = items.iter().any(Item::is_asked);
                self.model.borrow_mut().hear(items);
                for error in self.model.borrow_mut().take_unread() {
                    leptos::logging::warn!("what a member told was dropped: {error}");
                }
                // Watches bring very many: what is seen of them follows the time, at each look.
                if self.views.view.get_untracked() != View::Watches {
                    if is_asked {
                        self.flushed_ms.set(0);
                    }
                    self.flush_soon();
                }
            }
            Err(error) => leptos::logging::warn!("items were dropped: {error}"),
        }
    }

    /// Hands on what concerns no view of the cluster: lessons, scenarios, runs in the lab; gives back the rest.
    fn hear_others(&self, items: Vec<Item>) -> Vec<Item> {
        let mut rest = Vec::new();
        for item in items {
            match item {
                Item::Lesson(note) => self.hear_lesson(note),
                Item::Scenario(note) => self.scenario.hear(note),
                Item::Lab(told) => self.time.hear(told),
                Item::Session(steps) => self.time.act(|model| model.hear_session(*steps)),
                item => rest.push(item),
            }
        }
        rest
    }

    fn hear_lesson(&self, note: LessonNote) {
        let fragment = match &note {
            LessonNote::Known { fragment, .. } | LessonNote::Address(fragment) => {
                Some(fragment.clone())
            }
            _ => None,
        };
        self.scenario.hear_live(&note);
        if let Some(lesson) = &self.lesson {
            lesson.hear(note);
        }
        if fragment.is_some_and(|fragment| self.time.address(&fragment)) {
            (self.ask)(&encode_ask(&Ask::View(TIME_NAME.to_owned())));
        }
    }

    /// Shows the view of this name, or none.
    pub fn show(self: &Rc<Self>, name: &str) {
        let view = View::named(name);
        self.model.borrow_mut().show(view);
        self.flush();
        self.views.view.set(view);
        reveal_tab(&format!("#lower-{name}"));
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
        if let Some(lesson) = &self.lesson {
            lesson.look();
        }
        self.scenario.look();
        let is_seen = self.is_seen();
        if is_seen && !self.views.is_seen.get_untracked() {
            // While it was not seen, the row of tabs could not be moved.
            reveal_tab(".panel-keys .tab.is-active");
        }
        write(self.views.is_seen, is_seen);
        if is_seen && self.views.view.get_untracked() == View::Time {
            self.time.look();
        }
        self.look_at_messages(is_seen && self.views.view.get_untracked() == View::Messages);
        if !is_seen {
            return;
        }
        self.model.borrow_mut().look(Millis(dom::now_ms()));
        let is_rush = self.heard.take() > RUSH_ITEMS;
        let rush = if is_rush { self.rush.get() + 1 } else { 0 };
        // Odd and even looks go on alternating.
        self.rush.set(if rush > 2 * RUSH_LOOKS { RUSH_LOOKS + 1 } else { rush });
        let is_turn = self.rush.get() < RUSH_LOOKS || self.rush.get().is_multiple_of(2);
        if self.views.view.get_untracked() == View::Watches || (self.is_flush_late.get() && is_turn)
        {
            self.flush();
        }
        let asks = self.model.borrow_mut().asks();
        for ask in asks {
            (self.ask)(&encode_ask(&ask));
        }
    }

    /// Asks for samples of what members send while somebody sees the ring or the list.
    fn look_at_messages(&self, is_listed: bool) {
        if !self.stage.is_seen() && !is_listed {
            self.looks.set(0);
            return;
        }
        if self.looks.get() == 0 {
            (self.ask)(&encode_ask(&Ask::TellMessages { for_ms: TELL_MS }));
        }
        self.looks.set((self.looks.get() + 1) % LOOKS_PER_ASK);
        if is_listed && self.looks.get().is_multiple_of(LOOKS_PER_LIST) {
            let view = self.model.borrow().messages_view();
            write(self.views.messages, view);
        }
        self.model.borrow_mut().pass(dom::now());
        self.draw_traffic();
    }

    /// Draws what leaves now, and the way that is pointed at.
    fn draw_traffic(&self) {
        self.drawn_ms.set(dom::now_ms());
        let flights = self.model.borrow_mut().flights();
        let marked = self.model.borrow().marked_way();
        self.stage.draw(flights, marked);
    }

    fn flush_soon(self: &Rc<Self>) {
        if !self.is_flush_due.replace(true) {
            let page = Rc::clone(self);
            next_frame(move || {
                page.is_flush_due.set(false);
                let has_more = page.model.borrow_mut().work();
                let now = dom::now_ms();
                let is_rush = page.rush.get() >= RUSH_LOOKS;
                let every_ms = if is_rush { 2 * FLUSH_EVERY_MS } else { FLUSH_EVERY_MS };
                if now.saturating_sub(page.flushed_ms.get()) < every_ms {
                    page.is_flush_late.set(true);
                    if now.saturating_sub(page.drawn_ms.get()) >= DRAW_EVERY_MS {
                        page.draw_traffic();
                    }
                } else {
                    page.flush_told();
                }
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
        write(self.views.messages, model.messages_view());
        write(self.views.clocks, model.clocks_view());
        write(self.views.quorum, model.quorum_view());
        write(self.views.history, model.history_view());
        write(self.views.exact, model.exact_view());
        write(self.views.watches, model.watches_view());
        write(self.views.why, model.why_view());
        write(self.views.errors, model.errors_view());
    }

    /// Brings the view that is shown up to date after something that a person did.
    fn flush(&self) {
        if self.views.view.get_untracked() == View::Messages {
            write(self.views.messages, self.model.borrow().messages_view());
        }
        self.flush_told();
    }

    /// Brings the view that is shown up to date; the list of messages only goes on with each look, or nobody could
    /// read it.
    fn flush_told(&self) {
        self.draw_traffic();
        self.flushed_ms.set(dom::now_ms());
        self.is_flush_late.set(false);
        let mut model = self.model.borrow_mut();
        match self.views.view.get_untracked() {
            View::None | View::Messages => {}
            View::Keys => {
                write(self.views.detail, model.detail_view());
                write(self.views.keys, model.keys_view().clone());
            }
            View::Log => write(self.views.log, model.log_view()),
            View::Clocks => write(self.views.clocks, model.clocks_view()),
            View::Quorum => write(self.views.quorum, model.quorum_view()),
            View::Watches => write(self.views.watches, model.watches_view()),
            View::History => write(self.views.history, model.history_view()),
            View::Exact => write(self.views.exact, model.exact_view()),
            View::Why => {
                write(self.views.why, model.why_view());
                // What it wants to fetch is seen there.
                write(self.views.errors, model.errors_view());
            }
            View::Errors => write(self.views.errors, model.errors_view()),
            View::Commands => write(self.views.commands, model.commands_view()),
            View::Time | View::Scenario => {}
        }
    }
}

/// Writes a signal only if its view is another one.
fn write<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, view: T) {
    if signal.with_untracked(|old| *old != view) {
        signal.set(view);
    }
}

/// The name of a row that is made anew whenever anything of it is another one.
fn hash_of(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish().to_string()
}

/// Lets the elements of these ids have a class, and those that had it before no more.
///
/// For long lists that change often: what is made later asks itself whether it has the class.
fn move_class(name: &'static str, ids: impl Fn() -> Vec<String> + 'static) {
    let before = RefCell::new(Vec::new());
    effect(move || {
        let ids = ids();
        let before = before.replace(ids.clone());
        for (ids, has_it) in [(before, false), (ids, true)] {
            let elements = ids.iter().filter_map(|id| document().get_element_by_id(id));
            for element in elements {
                let _ = element.class_list().toggle_with_force(name, has_it);
            }
        }
    });
}

/// Scrolls the page's tabs so that the one that is found stands in the middle: on a phone not all are in sight.
fn reveal_tab(selector: &str) {
    let tab = document().query_selector(selector).ok().flatten();
    let tabs = tab.as_ref().and_then(|tab| tab.parent_element());
    let element = |it: Option<web_sys::Element>| it?.dyn_into::<web_sys::HtmlElement>().ok();
    let (Some(tab), Some(tabs)) = (element(tab), element(tabs)) else { return };
    let spare = (tabs.offset_width() - tab.offset_width()) / 2;
    tabs.set_scroll_left(tab.offset_left() - tabs.offset_left() - spare);
}

/// The page's language.
fn language() -> Language {
    dom::root_attribute("lang").and_then(|tag| Language::of_tag(&tag)).unwrap_or_default()
}

fn app(context: Context) -> Node {
    let view = context.views.view;
    let is = move |wanted: View| move || view.get() == wanted;
    let views: [(View, Make); 13] = [
        (View::Keys, keys::keys),
        (View::Log, log::log),
        (View::Messages, messages::messages),
        (View::Clocks, clocks::clocks),
        (View::Quorum, quorum::quorum),
        (View::Watches, watches::watches),
        (View::History, history::history),
        (View::Exact, exact::exact),
        (View::Why, why::why),
        (View::Commands, commands::commands),
        (View::Time, time::time),
        (View::Scenario, scenario::scenario),
        (View::Errors, errors::errors),
    ];
    errors::fetch_wanted(context);
    let mut all = div().class("insight-views");
    for (wanted, make) in views {
        all = all.child(show(is(wanted), move || make(context)));
    }
    all
}
