//! What the page costs while much happens on screen: main-thread time per frame, and memory over time.
//!
//! Five members and clients that put, with pauses or as fast as they are answered; the clients live in the page, so
//! their time counts.
//! Figures of a headless browser that draws without a graphics card: they compare, they are no promise.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::browser::{Browser, Site};
use super::{READY, bench, number, row};

/// How long each view is looked at. Unit: s.
const VIEW_SECONDS: u64 = 20;
/// Minutes of the load whose memory is watched, unless a number is on the command line.
const MINUTES: u64 = 3;
/// Between two looks at the memory.
const LOOK_EVERY: Duration = Duration::from_secs(15);

/// Adds up what the main thread does from frame to frame: handlers of messages, timers, callbacks of frames, and what
/// the browser does then (style, layout, paint), up to the first task after it.
const INSTRUMENT: &str = "(() => {
    const now = performance.now.bind(performance);
    const frames = [];
    let busy = 0, messages = 0, isInside = false;
    const timed = (work, isMessage) => typeof work !== 'function' ? work : function (...what) {
      if (isMessage) messages += 1;
      if (isInside) return work.apply(this, what);
      isInside = true;
      const began = now();
      try { return work.apply(this, what); } finally { busy += now() - began; isInside = false; }
    };
    for (const kind of [MessagePort, Worker]) {
      const given = Object.getOwnPropertyDescriptor(kind.prototype, 'onmessage');
      Object.defineProperty(kind.prototype, 'onmessage', { ...given, set(work) { given.set.call(this, timed(work, true)); } });
      const add = kind.prototype.addEventListener;
      kind.prototype.addEventListener = function (name, work, ...rest) {
        return add.call(this, name, name === 'message' ? timed(work, true) : work, ...rest);
      };
    }
    const later = window.setTimeout.bind(window);
    window.setTimeout = (work, ...rest) => later(timed(work, false), ...rest);
    const frame = requestAnimationFrame.bind(window);
    const after = new MessageChannel();
    const hear = Object.getOwnPropertyDescriptor(EventTarget.prototype, 'addEventListener').value;
    let began = 0, before = 0;
    hear.call(after.port1, 'message', () => {
      // What other tasks took since the frame began is theirs: it counts with the next one.
      const others = busy - before;
      frames.push(before + now() - began - others);
      busy = others;
    });
    after.port1.start();
    const tick = () => {
      began = now();
      before = busy;
      after.port2.postMessage(0);
      frame(tick);
    };
    frame(tick);
    window.frameTimes = {
      begin() { frames.length = 0; messages = 0; this.began = now(); },
      end() {
        const sorted = [...frames].sort((a, b) => a - b);
        const at = (part) => Math.round(1000 * (sorted[Math.floor((sorted.length - 1) * part)] ?? 0));
        const seconds = (now() - this.began) / 1000;
        return { p50: at(0.5), p95: at(0.95), max: at(1), rate: Math.round(sorted.length / seconds),
                 messages: Math.round(messages / seconds) };
      },
    };
  })()";

/// A page with five members, measured from its first script on.
async fn five_members(site: &Site, name: &str) -> Browser {
    let browser = Browser::open_sized(site, name, 1440, 900).await.expect("a browser opens");
    let first = serde_json::json!({ "source": INSTRUMENT });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", first).await;
    browser.visit_at("?bench").await;
    browser.run_async(READY).await;
    browser.click("new-cluster-5").await;
    browser.click("new-cluster-yes").await;
    browser.wait_for("member-card-infra5").await;
    browser.run_async(READY).await;
    browser.driver().set_script_timeout(Duration::from_secs(300)).await.expect("long scripts");
    // The views are fetched with the first key.
    browser.type_into("console-input", "put /first key\n").await;
    browser.type_into("console-input", "watch --prefix /\n").await;
    browser
}

/// Loads: a client that pauses, so that some thousand events happen a second, and clients that do not.
/// Unit of the pauses: ms.
const LOADS: [(u64, u64); 3] = [(1, 30), (1, 0), (4, 0)];
/// What happens in five idle members in a second, and for one put: ticks, messages, writes, answers.
/// Source: `figures` of tests/time.rs, which counts them in the simulation.
const EVENTS: (u64, u64) = (131, 32);

/// Main-thread time per frame, in each view in which much moves.
pub(super) async fn frames(site: &Site) {
    let browser = five_members(site, "bench-frames").await;
    for view in ["keys", "log", "clocks", "quorum"] {
        browser.click(&format!("lower-{view}")).await;
        browser.wait_for(&format!("{view}-view")).await;
        for (clients, pause) in LOADS {
            browser.run("window.frameTimes.begin()").await;
            let load = format!(
                r#"{{"mode":"puts","clients":{clients},"pause_ms":{pause},"seconds":{VIEW_SECONDS},"value_bytes":64,"leader_only":false}}"#
            );
            let report = bench(&browser, &load).await;
            let seen = browser.run("return window.frameTimes.end()").await;
            let rate = number(&report["per_second"]);
            let (messages, events) = (number(&seen["messages"]), EVENTS.0 + EVENTS.1 * rate);
            println!(
                "{view}, {clients} clients, pauses of {pause} ms: {rate} puts/s, some {events} events/s, {messages} messages/s to the page"
            );
            row("    main thread per frame, median", "us", vec![number(&seen["p50"])]);
            row("    main thread per frame, 95th percentile", "us", vec![number(&seen["p95"])]);
            row("    main thread per frame, longest", "us", vec![number(&seen["max"])]);
            row("    frames", "/s", vec![number(&seen["rate"])]);
        }
    }
    browser.quit().await;
    lab_frames(site).await;
}

/// A run of the simulator with five members, and how long it is played. Unit: s.
const RUN: (&str, u64) = ("?bench#seed=37", 20);

/// The same while a run in the lab is played at a thousand events a second.
async fn lab_frames(site: &Site) {
    let browser =
        Browser::open_sized(site, "bench-lab-frames", 1440, 900).await.expect("a browser opens");
    let first = serde_json::json!({ "source": INSTRUMENT });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", first).await;
    browser.visit_at(RUN.0).await;
    browser.wait_for("time-play").await;
    browser.click("time-speed-events-1000").await;
    browser.click("time-play").await;
    let from = browser.text("time-place").await;
    browser.run("window.frameTimes.begin()").await;
    tokio::time::sleep(Duration::from_secs(RUN.1)).await;
    let seen = browser.run("return window.frameTimes.end()").await;
    let to = browser.text("time-place").await;
    println!("a run in the lab, five members: from {from} to {to} in {} s", RUN.1);
    row("    main thread per frame, median", "us", vec![number(&seen["p50"])]);
    row("    main thread per frame, 95th percentile", "us", vec![number(&seen["p95"])]);
    row("    main thread per frame, longest", "us", vec![number(&seen["max"])]);
    row("    frames", "/s", vec![number(&seen["rate"])]);
    browser.quit().await;
}

/// Keys of the long list.
const KEYS: u64 = 100_000;
/// Keys whose ribbons are opened.
const RIBBONS: u64 = 30;

/// Opens the ribbons of keys one after the other; gives the times from the click to the frame after its rows are there.
/// Unit: us.
const OPEN_RIBBONS: &str = "
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const list = document.querySelector('[data-testid=key-list]');
    const scroller = list.closest('.keys-scroll') ?? list;
    const times = [];
    for (let at = 0; at < COUNT; at += 1) {
        scroller.scrollTop = (scroller.scrollHeight / COUNT) * at;
        for (let wait = 0; wait < 5; wait += 1) { await frame(); }
        const rows = [...document.querySelectorAll('[data-testid=key-row]')];
        const row = rows[Math.floor(rows.length / 2)];
        const name = row.querySelector('.keys-name').textContent;
        const began = performance.now();
        row.click();
        const isThere = () => document.querySelector('[data-testid=key-history]')?.textContent.includes(name)
            && document.querySelector('[data-testid=ribbon] [role=option]');
        while (!isThere()) { await new Promise((resolve) => setTimeout(resolve)); }
        await frame();
        times.push(Math.round(1000 * (performance.now() - began)));
    }
    return times;";

/// Scrolls through the whole list, a screen per frame.
const SCROLL: &str = "
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const list = document.querySelector('[data-testid=key-list]');
    const scroller = list.closest('.keys-scroll') ?? list;
    scroller.scrollTop = 0;
    await frame();
    window.frameTimes.begin();
    for (let at = 0; at < 300; at += 1) {
        scroller.scrollTop += (scroller.scrollHeight - scroller.clientHeight) / 300;
        await frame();
    }
    return window.frameTimes.end();";

/// A hundred thousand keys: how long a ribbon takes to open, and what a frame costs while the list is scrolled.
pub(super) async fn keys(site: &Site) {
    let browser =
        Browser::open_sized(site, "bench-keys", 1440, 900).await.expect("a browser opens");
    let first = serde_json::json!({ "source": INSTRUMENT });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", first).await;
    browser.visit_at("?bench").await;
    browser.run_async(READY).await;
    browser.driver().set_script_timeout(Duration::from_secs(900)).await.expect("long scripts");
    let load =
        format!(r#"{{"mode":"fill","clients":256,"count":{KEYS},"keys":{KEYS},"value_bytes":32}}"#);
    let report = bench(&browser, &load).await;
    assert_eq!(report["errors"], 0, "{report}");
    browser.wait_for("key-row").await;
    let script = OPEN_RIBBONS.replace("COUNT", &RIBBONS.to_string());
    let times = browser.run_async(&script).await;
    let times = times.as_array().expect("times").iter().map(number).collect();
    println!("{}", browser.text("keys-note").await);
    row("a key's ribbon, from the click to the next frame", "us", times);
    let seen = browser.run_async(SCROLL).await;
    row("main thread per frame while scrolling, median", "us", vec![number(&seen["p50"])]);
    row("main thread per frame while scrolling, 95th percentile", "us", vec![number(&seen["p95"])]);
    row("frames while scrolling", "/s", vec![number(&seen["rate"])]);
    browser.quit().await;
}

/// Memory of the page, its members and its browser, while keys are written over and over and what is old is compacted.
pub(super) async fn memory(site: &Site, minutes: Option<u64>) {
    let browser = five_members(site, "bench-memory").await;
    let begun = Instant::now();
    let whole = Duration::from_secs(60 * minutes.unwrap_or(MINUTES));
    println!("{:>8}{:>12}{:>14}{:>12}", "seconds", "RSS, MB", "JS heap, MB", "revision");
    let mut looks = Vec::new();
    while begun.elapsed() < whole {
        let next = Instant::now() + LOOK_EVERY;
        while Instant::now() < next {
            let load = r#"{"mode":"fill","clients":4,"count":1000,"keys":1000,"value_bytes":64}"#;
            bench(&browser, load).await;
        }
        let revision = browser.text("revision").await;
        browser.click("new-tab").await;
        browser.type_into("console-input", &format!("compaction {revision}\n")).await;
        browser.click("close-tab-2").await;
        let heap = number(&browser.run("return performance.memory.usedJSHeapSize").await);
        let rss = resident(&browser);
        let seconds = begun.elapsed().as_secs();
        println!("{seconds:>8}{:>12}{:>14}{revision:>12}", rss >> 20, heap >> 20);
        looks.push(rss);
    }
    // The first third is warming up.
    let (early, late) = (looks[looks.len() / 3], looks[looks.len() - 1]);
    println!("from a third of the time to its end: {} MB to {} MB", early >> 20, late >> 20);
    browser.quit().await;
}

/// Resident memory of the browser's processes. Unit: bytes.
fn resident(browser: &Browser) -> u64 {
    let marker = format!("--user-data-dir={}", browser.profile().display());
    let mut parents = BTreeMap::new();
    let mut ours = Vec::new();
    let mut pages = BTreeMap::new();
    for process in std::fs::read_dir("/proc").expect("processes are listed").flatten() {
        let Ok(id) = process.file_name().to_string_lossy().parse::<u64>() else { continue };
        let read = |name: &str| std::fs::read_to_string(process.path().join(name));
        let (Ok(status), Ok(line)) = (read("stat"), read("cmdline")) else { continue };
        let rest = status.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let parent = rest.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok());
        parents.insert(id, parent.unwrap_or(0));
        let resident = read("statm").unwrap_or_default();
        let resident = resident.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok());
        pages.insert(id, resident.unwrap_or(0));
        if line.contains(&marker) {
            ours.push(id);
        }
    }
    let is_ours = |id: u64| {
        let mut at = id;
        while at > 1 {
            if ours.contains(&at) {
                return true;
            }
            at = parents.get(&at).copied().unwrap_or(0);
        }
        false
    };
    pages.iter().filter(|(id, _)| is_ours(**id)).map(|(_, pages)| pages * 4096).sum()
}
