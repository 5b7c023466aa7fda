//! Measures the live cluster from within the page, when its address has `?bench`.
//!
//! What it is: `playgroundBench(json)` on the window, which gives a promise of a JSON text;
//! N clients write distinct keys for some seconds, or the leader is killed some times.
//! What it is not: part of the product; without `?bench` nothing of it is reachable.
//! Invariants: an answer counts only if it came as a success; times are the page's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::Bytes;
use gloo_timers::future::TimeoutFuture;
use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{future_to_promise, spawn_local};

use super::calls::{Outcome, Waiter};
use super::cluster::SlotPhase;
use super::effects::Browser;
use super::js;
use super::signal::Signal;
use crate::api;
use crate::types::{self, MemberId};
use crate::wire::{ClientCall, PageToMember};

/// Calls of the bench are numbered from here, far above the page's.
const FIRST_CALL: u64 = 1 << 48;

/// The longest wait for a leader or for a member. Unit: ms.
const WAIT_MS_MAX: u64 = 30_000;

thread_local! {
    static NEXT_CALL: Cell<u64> = const { Cell::new(FIRST_CALL) };
}

/// What to measure.
struct Spec(JsValue);

impl Spec {
    fn text(&self, name: &str) -> String {
        js::get(&self.0, name).as_string().unwrap_or_default()
    }

    fn number(&self, name: &str) -> Result<u32, String> {
        let number = js::get(&self.0, name).as_f64().ok_or_else(|| format!("{name} is missing"))?;
        u32::try_from(js::whole(number)).map_err(|error| format!("{name}: {error}"))
    }
}

/// Puts `playgroundBench` on the window if the address has `?bench`.
pub(super) fn expose(browser: &Rc<Browser>) {
    let Some(window) = web_sys::window() else {
        return;
    };
    let search = window.location().search().unwrap_or_default();
    if !search.trim_start_matches('?').split('&').any(|part| part == "bench") {
        return;
    }
    let browser = Rc::clone(browser);
    let run: Closure<dyn FnMut(String) -> Promise> = Closure::new(move |json: String| {
        let browser = Rc::clone(&browser);
        future_to_promise(async move {
            let result = run(&browser, &json).await;
            result.map(|json| JsValue::from_str(&json)).map_err(|text| JsValue::from_str(&text))
        })
    });
    js::set(&window, "playgroundBench", &run.into_js_value());
}

/// Runs one measurement and gives its report as JSON: an object of whole numbers, or a list of them or of texts.
///
/// Modes: `puts` (`clients`, `seconds`, `value_bytes`, `leader_only`, and `pause_ms` between an answer and the next put)
/// counts puts per second, to the leader or round-robin to all; `failover` (`kills`) takes the time from a leader's kill
/// to the next leader; `stream`
/// (`clients`, `seconds`) puts until the page goes away and keeps what was acknowledged in `playgroundAcked`;
/// `keys` (`prefix`) reads every key with its mod revision; `fill` (`clients`, `count`, `value_bytes`, `keys`) puts
/// that many times below `/fill/`, to so many different keys; `restart` (`times`) kills a follower and takes the time
/// from its start to its service.
///
/// # Errors
/// If the JSON is not understood, or there is no cluster with a leader.
pub async fn run(browser: &Rc<Browser>, json: &str) -> Result<String, String> {
    let spec = Spec(js_sys::JSON::parse(json).map_err(|error| js::error_text(&error))?);
    let report = match spec.text("mode").as_str() {
        "puts" => {
            let leader_only = js::get(&spec.0, "leader_only").is_truthy();
            let load = Load::new(browser, spec.number("value_bytes")?, leader_only).await?;
            load.pause_ms.set(spec.number("pause_ms").unwrap_or(0));
            load.run(spec.number("clients")?, spec.number("seconds")?).await
        }
        "stream" => {
            let load = Load::new(browser, 64, false).await?;
            load.is_kept.set(true);
            load.run(spec.number("clients")?, spec.number("seconds")?).await
        }
        "fill" => {
            let count = spec.number("count")?;
            let load = Load::new(browser, spec.number("value_bytes")?, true).await?;
            load.is_filling.set(Some(u64::from(spec.number("keys")?.max(1))));
            load.left.set(u64::from(count));
            load.run(spec.number("clients")?, 0).await
        }
        "restart" => restart(browser, spec.number("times")?).await?,
        "failover" => failover(browser, spec.number("kills")?).await?,
        "keys" => keys(browser, &spec.text("prefix")).await?.into(),
        other => return Err(format!("there is no mode {other:?}")),
    };
    js_sys::JSON::stringify(&report).map(String::from).map_err(|error| js::error_text(&error))
}

/// An object of whole numbers.
fn report_of(fields: &[(&str, u64)]) -> JsValue {
    let report = js_sys::Object::new();
    for (name, value) in fields {
        js::set(&report, name, &JsValue::from_f64(js::number(*value)));
    }
    report.into()
}

/// One client load.
struct Load {
    browser: Rc<Browser>,
    targets: Vec<MemberId>,
    value: Bytes,
    run: u64,
    is_over: Cell<bool>,
    /// A client waits so long after an answer.
    pause_ms: Cell<u32>,
    /// What was acknowledged is told to the window.
    is_kept: Cell<bool>,
    /// The load ends after so many puts instead of after a time; to so many keys.
    is_filling: Cell<Option<u64>>,
    left: Cell<u64>,
    errors: Cell<u64>,
    latencies_us: RefCell<Vec<u64>>,
}

impl Load {
    async fn new(browser: &Rc<Browser>, size: u32, leader_only: bool) -> Result<Rc<Self>, String> {
        let leader = leader(browser, 0).await?;
        let members = browser.with_cluster(|cluster| cluster.running()).unwrap_or_default();
        let targets = if leader_only { vec![leader] } else { members };
        let size = usize::try_from(size).map_err(|error| error.to_string())?;
        Ok(Rc::new(Self {
            browser: Rc::clone(browser),
            targets,
            value: Bytes::from(vec![b'x'; size]),
            run: js::random_u64() >> 32,
            is_over: Cell::new(false),
            pause_ms: Cell::new(0),
            is_kept: Cell::new(false),
            is_filling: Cell::new(None),
            left: Cell::new(0),
            errors: Cell::new(0),
            latencies_us: RefCell::default(),
        }))
    }

    async fn run(self: Rc<Self>, clients: u32, seconds: u32) -> JsValue {
        let began_us = js::now_us();
        let mut ends = Vec::new();
        for client in 0..clients {
            let (load, end) = (Rc::clone(&self), Signal::new());
            ends.push(end.clone());
            spawn_local(async move {
                load.client(client).await;
                end.set(());
            });
        }
        if self.is_filling.get().is_none() {
            TimeoutFuture::new(seconds * 1000).await;
            self.is_over.set(true);
        }
        for end in ends {
            end.wait().await;
        }
        self.report(js::now_us().saturating_sub(began_us))
    }

    /// One client: a put, its answer, the next put.
    async fn client(&self, client: u32) {
        let mut number = 0_u64;
        while !self.is_over.get() {
            let turn = usize::try_from(u64::from(client) + number).unwrap_or(0);
            let Some(target) = self.targets.get(turn % self.targets.len().max(1)) else {
                return;
            };
            let key = match self.is_filling.get() {
                Some(keys) => {
                    let Some(left) = self.left.get().checked_sub(1) else { return };
                    self.left.set(left);
                    Bytes::from(format!("/fill/{:06}", left % keys))
                }
                None => Bytes::from(format!("/bench/{:x}/{client}/{number}", self.run)),
            };
            let name = String::from_utf8_lossy(&key).into_owned();
            let put = api::PutRequest { key, value: self.value.clone(), ..Default::default() };
            let began_us = js::now_us();
            match call(&self.browser, *target, api::Request::Put(put)).await {
                Outcome::Reply(Ok(api::Response::Put(put))) => {
                    if self.is_kept.get() {
                        keep(&name, put.header.revision);
                    }
                    let took_us = js::now_us().saturating_sub(began_us);
                    self.latencies_us.borrow_mut().push(took_us);
                }
                Outcome::Reply(_) | Outcome::Failed(_) => {
                    self.errors.set(self.errors.get() + 1);
                    TimeoutFuture::new(10).await;
                }
            }
            number += 1;
            if self.pause_ms.get() > 0 {
                TimeoutFuture::new(self.pause_ms.get()).await;
            }
        }
    }

    fn report(&self, elapsed_us: u64) -> JsValue {
        let mut latencies = self.latencies_us.borrow().clone();
        types::sort(&mut latencies);
        let acks = u64::try_from(latencies.len()).unwrap_or(u64::MAX);
        report_of(&[
            ("acks", acks),
            ("errors", self.errors.get()),
            ("elapsed_us", elapsed_us),
            ("per_second", acks * 1_000_000 / elapsed_us.max(1)),
            ("p50_us", percentile(&latencies, 50)),
            ("p90_us", percentile(&latencies, 90)),
            ("p99_us", percentile(&latencies, 99)),
            ("max_us", percentile(&latencies, 100)),
        ])
    }
}

/// Adds an acknowledged put to the window's list, which a test reads just before it reloads the page.
fn keep(key: &str, revision: i64) {
    let Some(window) = web_sys::window() else {
        return;
    };
    let name = JsValue::from_str("playgroundAcked");
    let list = js_sys::Reflect::get(&window, &name).ok();
    let list = list.and_then(|list| list.dyn_into::<js_sys::Array>().ok()).unwrap_or_default();
    list.push(&JsValue::from_str(&format!("{key} {revision}")));
    js::set(&window, "playgroundAcked", &list);
}

/// The keys below a prefix as `key revision`.
async fn keys(browser: &Rc<Browser>, prefix: &str) -> Result<js_sys::Array, String> {
    let leader = leader(browser, 0).await?;
    let range = api::RangeRequest {
        key: Bytes::copy_from_slice(prefix.as_bytes()),
        range_end: Bytes::from(format!("{prefix}\u{7f}")),
        keys_only: true,
        ..Default::default()
    };
    match call(browser, leader, api::Request::Range(range)).await {
        Outcome::Reply(Ok(api::Response::Range(found))) => Ok(found
            .kvs
            .iter()
            .map(|kv| format!("{} {}", String::from_utf8_lossy(&kv.key), kv.mod_revision))
            .map(|line| JsValue::from_str(&line))
            .collect()),
        Outcome::Reply(Err(error)) => Err(format!("the keys cannot be read: {error}")),
        Outcome::Reply(Ok(_)) => Err("the keys cannot be read: an odd answer".to_owned()),
        Outcome::Failed(_) => Err("the leader went away".to_owned()),
    }
}

/// The value at or below which `percent` of the sorted values lie.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * percent / 100).copied().unwrap_or(0)
}

/// Sends one request and waits for its outcome.
async fn call(browser: &Rc<Browser>, member: MemberId, request: api::Request) -> Outcome {
    let number = NEXT_CALL.with(|next| next.replace(next.get() + 1));
    let signal = Signal::new();
    let waiter = signal.clone();
    let waiter = Waiter::Bench(Box::new(move |outcome| waiter.set(outcome)));
    browser.call(
        (number, member),
        waiter,
        PageToMember::Requests(vec![ClientCall { call: number, token: None, request }]),
    );
    signal.wait().await
}

/// The leader of the newest term above `above_term`, as soon as there is one.
async fn leader(browser: &Rc<Browser>, above_term: u64) -> Result<MemberId, String> {
    let deadline_ms = js::now_ms() + WAIT_MS_MAX;
    while js::now_ms() < deadline_ms {
        if let Some(leader) = known_leader(browser).filter(|(term, _)| *term > above_term) {
            return Ok(leader.1);
        }
        TimeoutFuture::new(1).await;
    }
    Err("there is no leader".to_owned())
}

fn known_leader(browser: &Rc<Browser>) -> Option<(u64, MemberId)> {
    browser.with_cluster(|cluster| {
        let statuses = cluster.slots.values().filter_map(|slot| slot.status.as_ref());
        let leaders = statuses.filter(|status| status.role == api::Role::Leader);
        leaders.map(|status| (status.term.0, status.member)).max()
    })?
}

async fn failover(browser: &Rc<Browser>, kills: u32) -> Result<JsValue, String> {
    let mut took_ms = Vec::new();
    for _ in 0..kills {
        all_up(browser).await?;
        leader(browser, 0).await?;
        TimeoutFuture::new(1500).await;
        let Some((term, old)) = known_leader(browser) else {
            return Err("the leader is gone".to_owned());
        };
        let began_ms = js::now_ms();
        browser.kill(old);
        leader(browser, term).await?;
        took_ms.push(js::now_ms().saturating_sub(began_ms));
        browser.start_member(old);
    }
    let list: js_sys::Array =
        took_ms.iter().map(|took| JsValue::from_f64(js::number(*took))).collect();
    types::sort(&mut took_ms);
    let report = report_of(&[("median_ms", percentile(&took_ms, 50))]);
    js::set(&report, "to_leader_ms", &list);
    Ok(report)
}

/// Starts a follower again and again from what its disk holds.
async fn restart(browser: &Rc<Browser>, times: u32) -> Result<JsValue, String> {
    let mut took_ms = Vec::new();
    for _ in 0..times {
        all_up(browser).await?;
        let leader = leader(browser, 0).await?;
        let others = browser.with_cluster(|cluster| cluster.running()).unwrap_or_default();
        let follower = others.into_iter().find(|member| *member != leader).unwrap_or(leader);
        browser.kill(follower);
        TimeoutFuture::new(1000).await;
        let began_ms = js::now_ms();
        browser.start_member(follower);
        let deadline_ms = began_ms + WAIT_MS_MAX;
        while js::now_ms() < deadline_ms {
            let phase =
                browser.with_cluster(|cluster| cluster.slots.get(&follower).map(|slot| slot.phase));
            if phase.flatten() == Some(SlotPhase::Up) {
                break;
            }
            TimeoutFuture::new(1).await;
        }
        took_ms.push(js::now_ms().saturating_sub(began_ms));
    }
    let list: js_sys::Array =
        took_ms.iter().map(|took| JsValue::from_f64(js::number(*took))).collect();
    types::sort(&mut took_ms);
    let report = report_of(&[("median_ms", percentile(&took_ms, 50))]);
    js::set(&report, "to_service_ms", &list);
    Ok(report)
}

/// Waits until every member has told its status.
async fn all_up(browser: &Rc<Browser>) -> Result<(), String> {
    let deadline_ms = js::now_ms() + WAIT_MS_MAX;
    while js::now_ms() < deadline_ms {
        let all = browser
            .with_cluster(|cluster| cluster.slots.values().all(|slot| slot.status.is_some()));
        if all == Some(true) {
            return Ok(());
        }
        TimeoutFuture::new(10).await;
    }
    Err("not all members run".to_owned())
}
