//! The page's driver: does effects, tells news.
//!
//! What it is: [`Browser`], the only thing the page holds of this layer.
//! What it is not: a model of the page. Invariants: news are told in order and never while a borrow is
//! held, so that the listener may ask for effects at once; the time is told before other news.

use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Array, Function, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::calls::{Calls, Waiter};
use super::cluster::Cluster;
use super::descriptor::local_storage;
use super::insight::Insight;
use super::lab_desk::Room;
use super::opening::Wish;
use super::owner::Owner;
use super::timers::Timers;
use super::workers::NodeWorker;
use super::{bench, console, js, names};
use crate::lab::Files;
use crate::playground::cluster::DEFAULT_SPEC;
use crate::playground::edge::{ClusterSpec, Effect, News};
use crate::playground::insight::Item;
use crate::playground::strings::Language;
use crate::types::{MemberId, Millis};
use crate::wire::{ClientCall, PageToMember};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = history, js_name = pushState)]
    fn push_state(data: &JsValue, title: &str, url: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(catch, js_namespace = history, js_name = replaceState)]
    fn replace_state(data: &JsValue, title: &str, url: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(js_name = Blob)]
    type Blob;
    #[wasm_bindgen(constructor, js_class = "Blob")]
    fn new(parts: &Array) -> Blob;
    #[wasm_bindgen(catch, js_namespace = URL, js_name = createObjectURL)]
    fn create_object_url(blob: &Blob) -> Result<String, JsValue>;
    #[wasm_bindgen(js_namespace = URL, js_name = revokeObjectURL)]
    fn revoke_object_url(url: &str);
}

/// Time a download's address stays valid. Unit: ms.
const DOWNLOAD_MS: u64 = 60_000;

/// A listener on the window.
type Listener = Closure<dyn FnMut(JsValue)>;

/// The page's driver.
pub struct Browser {
    prefix: String,
    on_news: Box<dyn Fn(News)>,
    news: RefCell<VecDeque<News>>,
    is_delivering: Cell<bool>,
    told_ms: Cell<u64>,
    beat_ms: Cell<u64>,
    turn: Cell<u64>,
    /// Workers started so far, over all clusters: a timer of an older one finds nothing.
    lives: Cell<u64>,
    spec: RefCell<Option<ClusterSpec>>,
    cluster: RefCell<Option<Cluster>>,
    second: RefCell<Option<NodeWorker>>,
    calls: RefCell<Calls>,
    files: RefCell<Files>,
    /// The order whose file found no room.
    pub(super) no_room: Cell<Option<u64>>,
    lab: RefCell<Vec<Room>>,
    pub(super) insight: Insight,
    owner: OnceCell<Owner>,
    timers: OnceCell<Timers>,
    listeners: RefCell<Vec<Listener>>,
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Browser").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

/// Starts the driver; [`News::Started`] comes soon, through `on_news`.
pub fn start(on_news: impl Fn(News) + 'static) -> Rc<Browser> {
    console::install();
    js::tell_panics();
    let location = web_sys::window().map(|window| window.location());
    let path = location.and_then(|location| location.pathname().ok()).unwrap_or_default();
    let browser = Rc::new(Browser {
        prefix: names::prefix(&path),
        on_news: Box::new(on_news),
        news: RefCell::default(),
        is_delivering: Cell::new(false),
        told_ms: Cell::new(0),
        beat_ms: Cell::new(js::now_ms()),
        turn: Cell::new(0),
        lives: Cell::new(0),
        spec: RefCell::new(None),
        cluster: RefCell::new(None),
        second: RefCell::new(None),
        calls: RefCell::default(),
        files: RefCell::default(),
        no_room: Cell::new(None),
        lab: RefCell::default(),
        insight: Insight::default(),
        owner: OnceCell::new(),
        timers: OnceCell::new(),
        listeners: RefCell::default(),
    });
    browser.set_up();
    bench::expose(&browser);
    let told = Rc::clone(&browser);
    spawn_local(async move {
        told.tell(News::Started {
            now: Millis(js::now_ms()),
            fragment: fragment(),
            remembered: told.remembered(),
            languages: languages(),
            seed: js::random_u64(),
        });
    });
    browser
}

/// The texts of a language, by the function that `www/boot.mjs` leaves.
async fn texts(language: Language) -> Result<String, JsValue> {
    let text = js::page_call("texts", &Array::of1(&JsValue::from_str(language.name()))).await?;
    text.as_string().ok_or(text)
}

/// What the person prefers to read, best first.
fn languages() -> Vec<String> {
    let listed = web_sys::window().map(|window| window.navigator().languages());
    listed.iter().flat_map(Array::iter).filter_map(|tag| tag.as_string()).collect()
}

/// After `#` in the address bar.
fn fragment() -> String {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok());
    hash.map(|hash| hash.trim_start_matches('#').to_owned()).unwrap_or_default()
}

impl Browser {
    fn fetch_texts(self: &Rc<Self>, language: Language) {
        let told = Rc::clone(self);
        spawn_local(async move {
            let fetched = texts(language).await.map_err(|error| js::error_text(&error));
            told.tell(News::Texts(fetched));
        });
    }

    /// Does one effect; its results come as news.
    pub fn perform(self: &Rc<Self>, effect: Effect) {
        self.insight.feed.borrow_mut().effect(&effect);
        self.tell_insight_soon();
        match effect {
            Effect::OpenCluster(spec) => self.open(Wish::Open(spec.clone()), spec),
            Effect::NewCluster(spec) => self.open(Wish::Replace(spec.clone()), spec),
            Effect::TakeOver if self.owner().is_asking() => {}
            Effect::TakeOver => self.wish(Wish::TakeOver),
            Effect::Request { call, member, token, request, .. } => {
                let message = PageToMember::Requests(vec![ClientCall { call, token, request }]);
                self.call((call, member), Waiter::Page, message);
            }
            Effect::File { call, order } => self.file_order(call, order),
            Effect::CancelFile { call } => self.cancel_file(call),
            Effect::KeepFile { name, bytes, call } => {
                if !self.files().keep(&name, bytes) {
                    log::warn!("there is no room for {name}");
                    self.no_room.set(call);
                }
            }
            Effect::StartRestored { data_dir } => self.start_restored(&data_dir),
            Effect::Watch { call, member, token, request, watcher: _ } => {
                let message = PageToMember::Watch { call, token, request };
                if self.calls().is_open(call) {
                    self.queue(member, message);
                } else {
                    self.call((call, member), Waiter::PageStream, message);
                }
            }
            Effect::Cancel { call, member } => self.cancel(call, member),
            Effect::Kill(member) => self.kill(member),
            Effect::Restart(member) => self.start_member(member),
            Effect::Admit(member) => self.admit(&member),
            Effect::Retire(member) => self.retire(member),
            Effect::ForceNewCluster(member) => self.force_new_cluster(member),
            Effect::DeleteMember(member) => self.delete_member(member),
            Effect::Pause(member) => self.set_paused(member, true),
            Effect::Resume(member) => self.set_paused(member, false),
            Effect::Crash(member) => self.post(member, &vec![PageToMember::Panic]),
            Effect::SetLinks(links) => self.set_links(links),
            Effect::SetFaults(member, faults) => self.set_faults(member, faults),
            Effect::SetSpeed(speed) => self.set_speed(speed),
            Effect::PowerCut(member) => self.cut_power(member),
            Effect::Wipe(member) => self.wipe(member),
            Effect::SetTimer { timer, after_ms } => {
                let browser = Rc::clone(self);
                self.timers().after(after_ms, move || browser.tell(News::Timer(timer)));
            }
            Effect::AskLab { call, question } => self.ask_lab(call, question),
            Effect::LoadProgram => self.load_program(),
            Effect::FetchTexts(language) => self.fetch_texts(language),
            Effect::EndLab => self.end_lab(),
            Effect::ShowInsight(lower) => self.show_insight(lower),
            Effect::TellKeys(view) => self.tell_insight_one(Item::Keys(view)),
            Effect::TellInsight(item) => self.tell_insight_one(*item),
            Effect::Remember { name, text } => self.remember(name, &text),
            Effect::SetFragment { fragment, push } => set_fragment(&fragment, push),
            Effect::Copy(text) => copy(&text),
            Effect::Download { name, bytes } => self.download(&name, &bytes),
        }
    }

    fn open(self: &Rc<Self>, wish: Wish, spec: ClusterSpec) {
        *self.spec.borrow_mut() = Some(spec);
        self.wish(wish);
    }

    fn start_restored(self: &Rc<Self>, data_dir: &str) {
        let restored = self.files().take_restored(data_dir);
        match restored {
            Some(restored) => self.wish(Wish::Restore(Box::new(restored))),
            None => self.tell(News::ClusterFailed(format!("there is no data named {data_dir}"))),
        }
    }

    fn cancel(self: &Rc<Self>, call: u64, member: MemberId) {
        let waiter = self.calls().close(call);
        match waiter {
            Some(Waiter::PageStream) => self.queue(member, PageToMember::CloseStream { call }),
            Some(Waiter::Page | Waiter::Bench(_)) => {
                self.queue(member, PageToMember::CancelRequest { call });
            }
            None => {}
        }
    }

    fn set_up(self: &Rc<Self>) {
        let browser = Rc::clone(self);
        match Timers::start(move || browser.beat()) {
            Ok(timers) => {
                let first = self.timers.set(timers);
                debug_assert!(first.is_ok(), "set up once");
            }
            Err(error) => unreachable!("the page's own clock cannot start: {error}"),
        }
        let browser = Rc::clone(self);
        let owner = Owner::new(&self.prefix, move || browser.give_up());
        let first = self.owner.set(owner);
        debug_assert!(first.is_ok(), "set up once");
        let browser = Rc::clone(self);
        self.listen("hashchange", move || browser.tell(News::FragmentChanged(fragment())));
        let asked = Cell::new(false);
        let ask = move || {
            if !asked.replace(true) {
                ask_for_persistence();
            }
        };
        let ask = Rc::new(ask);
        let by_key = Rc::clone(&ask);
        self.listen("pointerdown", move || ask());
        self.listen("keydown", move || by_key());
    }

    fn listen(&self, event: &str, act: impl Fn() + 'static) {
        let listener: Listener = Closure::new(move |_event| act());
        if let Some(window) = web_sys::window() {
            let function = listener.as_ref().unchecked_ref();
            if let Err(error) = window.add_event_listener_with_callback(event, function) {
                log::warn!("{event} is not heard: {}", js::error_text(&error));
            }
        }
        self.listeners.borrow_mut().push(listener);
    }

    fn beat(self: &Rc<Self>) {
        self.tell_insight();
        let now_ms = js::now_ms();
        let since_ms = now_ms.saturating_sub(self.beat_ms.replace(now_ms));
        self.watch_members(since_ms);
        self.tell(News::Now(Millis(now_ms)));
    }

    /// Tells news now, after what waits to be told.
    pub(super) fn tell(&self, news: News) {
        self.queue_news(news);
        self.deliver();
    }

    /// Queues news until [`Browser::deliver`].
    pub(super) fn queue_news(&self, news: News) {
        self.news.borrow_mut().push_back(news);
    }

    /// Tells all queued news, also those that come while telling.
    pub(super) fn deliver(&self) {
        if self.is_delivering.replace(true) {
            return;
        }
        loop {
            let next = self.news.borrow_mut().pop_front();
            let Some(news) = next else {
                break;
            };
            let now_ms = js::now_ms();
            if self.told_ms.replace(now_ms) != now_ms && !matches!(news, News::Now(_)) {
                self.hand_over(News::Now(Millis(now_ms)));
            }
            self.hand_over(news);
        }
        self.is_delivering.set(false);
    }

    fn hand_over(&self, news: News) {
        self.insight.feed.borrow_mut().news(&news);
        (self.on_news)(news);
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn calls(&self) -> RefMut<'_, Calls> {
        self.calls.borrow_mut()
    }

    /// The workers of the lab's program.
    pub(super) fn lab(&self) -> RefMut<'_, Vec<Room>> {
        self.lab.borrow_mut()
    }

    /// The files of this session.
    pub(super) fn files(&self) -> RefMut<'_, Files> {
        self.files.borrow_mut()
    }

    /// The worker of the second cluster.
    pub(super) fn second(&self) -> RefMut<'_, Option<NodeWorker>> {
        self.second.borrow_mut()
    }

    pub(super) fn owner(&self) -> &Owner {
        let Some(owner) = self.owner.get() else {
            unreachable!("set up before use");
        };
        owner
    }

    pub(super) fn timers(&self) -> &Timers {
        let Some(timers) = self.timers.get() else {
            unreachable!("set up before use");
        };
        timers
    }

    /// Looks at or changes the cluster, if there is one; `act` must not tell news.
    pub(super) fn with_cluster<T>(&self, act: impl FnOnce(&mut Cluster) -> T) -> Option<T> {
        self.cluster.borrow_mut().as_mut().map(act)
    }

    pub(super) fn set_cluster(&self, cluster: Option<Cluster>) {
        *self.cluster.borrow_mut() = cluster;
    }

    /// The settings asked for last.
    pub(super) fn last_spec(&self) -> ClusterSpec {
        self.spec.borrow().clone().unwrap_or(DEFAULT_SPEC)
    }

    pub(super) fn next_turn(&self) -> u64 {
        let turn = self.turn.get() + 1;
        self.turn.set(turn);
        turn
    }

    pub(super) fn is_turn(&self, turn: u64) -> bool {
        self.turn.get() == turn
    }

    fn set_links(&self, links: crate::cluster::fault::Links) {
        let rules = self.with_cluster(|cluster| {
            cluster.links = links;
            let members = cluster.running();
            members.into_iter().map(|member| (member, cluster.links_of(member))).collect::<Vec<_>>()
        });
        for (member, rule) in rules.unwrap_or_default() {
            self.post(member, &vec![rule]);
        }
    }

    /// A number for a worker's life that no other worker of this page ever has.
    pub(super) fn next_life(&self) -> u64 {
        self.lives.set(self.lives.get() + 1);
        self.lives.get()
    }

    fn remembered(&self) -> Vec<(String, String)> {
        let Some(storage) = local_storage() else {
            return Vec::new();
        };
        let prefix = names::remembered(&self.prefix);
        let count = storage.length().unwrap_or(0);
        let keys = (0..count).filter_map(|index| storage.key(index).ok().flatten());
        keys.filter_map(|key| {
            let name = key.strip_prefix(&prefix)?.to_owned();
            Some((name, storage.get_item(&key).ok().flatten()?))
        })
        .collect()
    }

    fn remember(&self, name: &str, text: &str) {
        if let Some(storage) = local_storage() {
            let key = format!("{}{name}", names::remembered(&self.prefix));
            if let Err(error) = storage.set_item(&key, text) {
                log::warn!("{name} is not remembered: {}", js::error_text(&error));
            }
        }
    }

    pub(super) fn download(&self, name: &str, bytes: &[u8]) {
        let blob = Blob::new(&js::list(&Uint8Array::from(bytes)));
        let address = match create_object_url(&blob) {
            Ok(address) => address,
            Err(error) => {
                log::error!("{name} cannot be offered: {}", js::error_text(&error));
                return;
            }
        };
        let document = web_sys::window().and_then(|window| window.document());
        let anchor = document.and_then(|document| document.create_element("a").ok());
        if let Some(anchor) = anchor {
            js::set(&anchor, "href", &JsValue::from_str(&address));
            js::set(&anchor, "download", &JsValue::from_str(name));
            anchor.unchecked_into::<web_sys::HtmlElement>().click();
        }
        self.timers().after(DOWNLOAD_MS, move || revoke_object_url(&address));
    }
}

fn set_fragment(fragment: &str, push: bool) {
    let url = format!("#{fragment}");
    let change = if push { push_state } else { replace_state };
    if let Err(error) = change(&JsValue::NULL, "", &url) {
        log::warn!("the address bar stays as it is: {}", js::error_text(&error));
    }
}

/// Calls a method that gives a promise, and lets it go its way.
fn call_and_ignore(object: &JsValue, method: &str, arguments: &Array) {
    let function = js::get(object, method);
    let Some(function) = function.dyn_ref::<Function>() else {
        return;
    };
    match function.apply(object, arguments) {
        Ok(promise) => js::ignore(Promise::resolve(&promise)),
        Err(error) => log::warn!("{method}: {}", js::error_text(&error)),
    }
}

fn navigator() -> JsValue {
    js::get(&js_sys::global(), "navigator")
}

fn copy(text: &str) {
    let clipboard = js::get(&navigator(), "clipboard");
    call_and_ignore(&clipboard, "writeText", &Array::of1(&JsValue::from_str(text)));
}

/// Asks the browser to keep our data; it may ask the person, so nobody waits for it.
fn ask_for_persistence() {
    call_and_ignore(&js::get(&navigator(), "storage"), "persist", &Array::new());
}
