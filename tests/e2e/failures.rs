//! What browsers do to a page: kill it, lose or garble its data, clear it, hide it, freeze it, refuse it storage.
//!
//! Each way in which a browser fails, and the test that shows what happens then:
//!
//! | what fails | shown by |
//! |---|---|
//! | a worker is ended in the middle of a transaction | `chaos` |
//! | a database that never answers (one engine's fault: an open transaction when a worker ends) | `mined_members`, `tests/wasm` |
//! | the browser is killed | `killed_browser` |
//! | the power fails | `tests/wasm`: every round is strictly durable |
//! | the database's log is cut | `cut_log` |
//! | bits in the database's log are flipped | `flipped_log` |
//! | the browser's own store cannot be opened | `unopenable_store` |
//! | the file of a large value is missing | `no_large_files`: there is none |
//! | the quota is used up | `full_disk` |
//! | data is cleared while the page is open | `cleared_data` |
//! | two tabs | `second_tab`, `hanging_owner` |
//! | another version of the page replaces the database | `newer_schema` |
//! | the database has no stores | `missing_stores` |
//! | the tab is hidden | `hidden_tab` |
//! | the page is frozen, or comes back from the cache of pages | `frozen_page` |
//! | the machine sleeps | no browser can be asked to; a tick after a gap counts once: `cluster` tests, `frozen_page` |
//! | a program traps | `crashed_member`, `page_panic` |
//! | memory or stack runs out | as a trap: `page_panic` |
//! | an error in a worker that nobody hears, or a worker that hangs | `mined_members`, `hanging_owner` |
//! | storage is forbidden | `no_storage` |
//! | the connection is closed in use | `mined_members`, `cleared_data` |
//! | one engine cannot write after its quota until it is opened again | not in this browser |

use std::path::PathBuf;
use std::time::Duration;

use super::browser::Browser;
use super::mirror::Mirror;

const SOON: Duration = Duration::from_secs(30);

impl Browser {
    /// The folder of the databases of this profile, once the browser has made it.
    fn database_folder(&self) -> PathBuf {
        let folder = self.profile().join("Default/IndexedDB");
        let found = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut found = found.flatten().map(|entry| entry.path());
        let is_database = |path: &PathBuf| path.extension().is_some_and(|end| end == "leveldb");
        found.find(is_database).expect("the page has databases")
    }

    /// The files of the databases whose names fit, the newest last.
    fn database_files(&self, fits: fn(&str) -> bool) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.database_folder()).unwrap().flatten();
        let mut files: Vec<PathBuf> = files
            .filter(|file| fits(&file.file_name().to_string_lossy()))
            .map(|file| file.path())
            .collect();
        files.sort();
        files
    }

    /// The name of a member's database, which ends in its id.
    async fn database_of(&self, member: &str) -> String {
        let list = self.ok("member list").await;
        let line = list.lines().find(|line| line.contains(&format!(", {member}, ")));
        let id = line.and_then(|line| line.split(',').next()).unwrap_or_else(|| panic!("{list}"));
        let script = format!(
            "return (await indexedDB.databases()).map((it) => it.name).find((name) => name.endsWith({id:?}))"
        );
        let name = self.run_async(&script).await;
        name.as_str().unwrap_or_else(|| panic!("no database of {member}, {id}")).to_owned()
    }

    /// Ends the browser as a crash of the machine would, does something to its files, and opens it again.
    async fn broken_and_opened(&self, breaks: impl FnOnce(&Self)) -> Self {
        self.kill_process();
        tokio::time::sleep(Duration::from_millis(500)).await;
        breaks(self);
        let again = self.again().await;
        again.driver().goto(self.url()).await.expect("the page can be opened");
        again
    }

    /// All members stand with a reason that they do not start, or serve what was acknowledged.
    async fn nothing_old_is_served(&self, wanted: &str) {
        let settled = "const cards = [...document.querySelectorAll('.card')];
            return cards.length === 3 && cards.every((it) => ['leader', 'follower', 'down'].includes(it.dataset.mark))";
        self.wait_true("state of every member", SOON, settled).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let down = self.down().await;
        if down.len() >= 2 {
            return;
        }
        self.wait_ready().await;
        let read = self.ok("get k").await;
        assert_eq!(read, wanted, "an older state is served; down are {down:?}");
    }
}

/// A browser that is killed loses nothing that was acknowledged.
pub(crate) async fn a_killed_browser_loses_nothing(browser: Browser) {
    browser.visit_ready().await;
    for number in 0..10 {
        browser.ok(&format!("put k {number}")).await;
    }
    let again = browser.broken_and_opened(|_| {}).await;
    again.wait_ready().await;
    assert_eq!(again.ok("get k").await, "k\n9\n");
    assert!(again.down().await.is_empty());
    again.ok("put k on").await;
    again.leave().await;
}

/// A database whose log lost its end has an older state: its members notice and do not serve it.
pub(crate) async fn a_cut_log_is_noticed(browser: Browser) {
    browser.visit_ready().await;
    for number in 0..10 {
        browser.ok(&format!("put k {number}")).await;
    }
    // The fence is written after a while.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let again = browser
        .broken_and_opened(|browser| {
            let log = browser.database_files(|name| name.ends_with(".log")).pop().unwrap();
            let file = std::fs::OpenOptions::new().write(true).open(&log).unwrap();
            let size = file.metadata().unwrap().len();
            file.set_len(size / 2).unwrap();
        })
        .await;
    again.nothing_old_is_served("k\n9\n").await;
    let told = again.run("return document.querySelector('.panel-cluster').textContent").await;
    assert!(told.as_str().unwrap().contains("rolled back"), "{told}");
    again.leave().await;
}

/// A garbled log leaves an empty database: no member starts as if it were new.
pub(crate) async fn a_garbled_log_is_noticed(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k mine").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let again = browser
        .broken_and_opened(|browser| {
            for log in browser.database_files(|name| name.ends_with(".log")) {
                let mut bytes = std::fs::read(&log).unwrap();
                let from = 40.min(bytes.len());
                for byte in bytes.iter_mut().skip(from).step_by(97) {
                    *byte ^= 0x55;
                }
                std::fs::write(&log, bytes).unwrap();
            }
        })
        .await;
    again.nothing_old_is_served("k\nmine\n").await;
    again.leave().await;
}

/// A store that the browser itself cannot open: the page says so and goes on in memory.
pub(crate) async fn an_unopenable_store_leaves_memory(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k mine").await;
    let again = browser
        .broken_and_opened(|browser| {
            for file in browser.database_files(|name| name.starts_with("MANIFEST")) {
                std::fs::remove_file(file).unwrap();
            }
        })
        .await;
    again.expect_complaint("IndexedDB").await;
    let settled = "return document.querySelectorAll('.card').length === 3 && !!document.querySelector('[data-testid=banner]')";
    again.wait_true("a banner", SOON, settled).await;
    let banner = again.text("banner").await;
    let is_told = ["memory", "cannot", "disk"].iter().any(|word| banner.contains(word));
    assert!(is_told, "the banner reads {banner}");
    // Never an empty cluster that passes for the old one.
    if again.text("storage-mode").await.contains("IndexedDB") {
        again.nothing_old_is_served("k\nmine\n").await;
    }
    again.leave().await;
}

/// Large values lie in no files beside the database, which a browser may lose one by one.
pub(crate) async fn large_values_lie_in_no_files(browser: Browser) {
    browser.visit_ready().await;
    for number in 0..8 {
        browser.run("document.querySelector('[data-testid=console-input]').focus()").await;
        // As by a paste: so many keys take minutes.
        let line = format!("put big/{number} {}", "x".repeat(50_000));
        browser.devtools("Input.insertText", serde_json::json!({ "text": line })).await;
        browser.ok("").await;
    }
    assert_eq!(browser.ok("get big/ --prefix --keys-only").await.lines().count(), 16);
    let beside = browser.database_folder().with_extension("blob");
    let files = std::fs::read_dir(beside).map(|files| files.flatten().count()).unwrap_or(0);
    assert_eq!(files, 0);
}

/// Data that is cleared under an open page: members stop with a reason, and none starts as if it were new.
pub(crate) async fn cleared_data_stops_members(browser: Browser) {
    browser.visit_ready().await;
    browser.expect_complaint("disk").await;
    browser.ok("put k mine").await;
    let origin = browser.run("return location.origin").await;
    let what = serde_json::json!({ "origin": origin, "storageTypes": "indexeddb" });
    browser.devtools("Storage.clearDataForOrigin", what).await;
    let all_down = "return document.querySelectorAll('.card[data-mark=down]').length === 3";
    browser.command("put k other --command-timeout=2s").await;
    browser.wait_true("end of every member", SOON, all_down).await;
    let told = browser.run("return document.querySelector('.panel-cluster').textContent").await;
    assert!(told.as_str().unwrap().contains("closed"), "{told}");
    for member in ["infra1", "infra2", "infra3"] {
        browser.click(&format!("restart-{member}")).await;
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    browser.wait_true("refusal of every member", SOON, all_down).await;
    browser.reload().await;
    browser.wait_true("refusal of every member", SOON, all_down).await;
    let told = browser.run("return document.querySelector('.panel-cluster').textContent").await;
    assert!(told.as_str().unwrap().contains("does not start"), "{told}");
}

/// Another version of the page replaces a database: its member closes it, and says so from then on.
pub(crate) async fn a_newer_database_is_left_alone(browser: Browser) {
    browser.visit_ready().await;
    browser.expect_complaint("disk").await;
    browser.expect_complaint("version").await;
    browser.ok("put k mine").await;
    let leader = browser.leader().await;
    let victim = if leader == "infra2" { "infra3" } else { "infra2" };
    let name = browser.database_of(victim).await;
    let upgrade = format!(
        "return await new Promise((resolve, reject) => {{
           const ask = indexedDB.open({name:?}, 99);
           ask.onsuccess = () => {{ ask.result.close(); resolve(true); }};
           ask.onerror = () => reject(ask.error);
         }})"
    );
    assert_eq!(browser.run_async(&upgrade).await, true, "the member lets go of its database");
    let one_down = "return document.querySelectorAll('.card[data-mark=down]').length === 1";
    browser.wait_true("end of that member", SOON, one_down).await;
    let down = browser.down().await;
    browser.ok("put k on").await;
    browser.click(&format!("restart-{}", down[0])).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    browser.wait_true("refusal of that member", SOON, one_down).await;
    let card = browser.text(&format!("member-card-{}", down[0])).await;
    assert!(card.to_lowercase().contains("version"), "{card}");
    assert_eq!(browser.ok("get k").await, "k\non\n");
}

/// A database of the right version without its stores: its member does not start as if it were new.
pub(crate) async fn a_database_without_stores_is_refused(browser: Browser) {
    browser.visit_ready().await;
    browser.expect_complaint("disk").await;
    browser.ok("put k mine").await;
    let victim = browser.leader().await;
    browser.click(&format!("kill-{victim}")).await;
    browser.wait_other_leader(&victim).await;
    let name = browser.database_of(&victim).await;
    let replace = format!(
        "const version = (await indexedDB.databases()).find((it) => it.name === {name:?}).version;
         const done = (ask) => new Promise((resolve, reject) => {{ ask.onsuccess = () => resolve(ask.result); ask.onerror = () => reject(ask.error); }});
         await done(indexedDB.deleteDatabase({name:?}));
         (await done(indexedDB.open({name:?}, version))).close();
         return true"
    );
    assert_eq!(browser.run_async(&replace).await, true);
    browser.click(&format!("restart-{victim}")).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(browser.down().await, std::slice::from_ref(&victim));
    let card = browser.text(&format!("member-card-{victim}")).await;
    assert!(card.contains("does not start") || card.contains("disk failed"), "{card}");
    assert_eq!(browser.ok("get k").await, "k\nmine\n");
}

/// Stands in front of a member's own script: does to it what a browser may do, when it is told.
const MINE: &str = "
    const opened = [];
    const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (...what) {
      const ask = open.apply(this, what);
      ask.addEventListener('success', () => opened.push(ask.result));
      return ask;
    };
    new BroadcastChannel('mine').onmessage = ({ data: [who, what] }) => {
      if (!self.name.endsWith(who)) return;
      if (what === 'hang') for (;;);
      if (what === 'reject') Promise.reject(new Error('nobody waits for this'));
      if (what === 'close') for (const database of opened) database.close();
      if (what === 'mute') {
        const real = IDBDatabase.prototype.transaction;
        IDBDatabase.prototype.transaction = function (...what) {
          const made = real.apply(this, what);
          // It never ends: somebody asks it for more, again and again.
          const keep = () => { made.objectStore(made.objectStoreNames[0]).count().onsuccess = keep; };
          keep();
          return made;
        };
      }
    };
";

/// A member that hangs, whose promise is refused, whose connection is closed or whose disk never answers goes down with
/// a reason; the others go on, and it comes back from its disk.
pub(crate) async fn mined_members_go_down_and_come_back(browser: Browser) {
    for part in ["nobody waits", "disk", "answer"] {
        browser.expect_complaint(part).await;
    }
    let mirror = Mirror::planting(browser.url(), Some(("node_worker.mjs", MINE)));
    let browser = browser.at(&mirror.url());
    browser.visit_ready().await;
    for (at, what) in ["hang", "reject", "close", "mute"].into_iter().enumerate() {
        let value = format!("v{at}");
        browser.ok(&format!("put k {value}")).await;
        let victim = browser.leader().await;
        let tell = format!("new BroadcastChannel('mine').postMessage([{victim:?}, {what:?}])");
        browser.run(&tell).await;
        // What is closed is noticed when it is used.
        browser.command("put used yes --command-timeout=2s").await;
        let card = format!("role-{victim}");
        browser.wait_text_within(SOON, &card, "that it is down", |text| text == "down").await;
        browser.wait_other_leader(&victim).await;
        assert_eq!(browser.ok("get k").await, format!("k\n{value}\n"), "after {what}");
        browser.click(&format!("restart-{victim}")).await;
        browser.wait_role(&victim, "follower").await;
    }
}

/// Behind another tab, members go on as before.
pub(crate) async fn a_hidden_tab_keeps_its_leader(browser: Browser) {
    browser.visit_ready().await;
    browser.ok("put k v").await;
    let before = (browser.leader().await, browser.term().await);
    let first = browser.driver().window().await.unwrap();
    let second = browser.driver().new_tab().await.unwrap();
    browser.driver().switch_to_window(second).await.unwrap();
    browser.driver().goto("about:blank").await.unwrap();
    tokio::time::sleep(Duration::from_secs(8)).await;
    browser.driver().switch_to_window(first).await.unwrap();
    assert_eq!((browser.leader().await, browser.term().await), before);
    assert_eq!(browser.ok("get k").await, "k\nv\n");
}

/// A frozen page goes on where it was: the gap counts as one tick, and no lease ends by it.
pub(crate) async fn a_frozen_page_goes_on(browser: Browser) {
    browser.visit_ready().await;
    let granted = browser.ok("lease grant 5").await;
    let lease = granted.split(' ').nth(1).unwrap_or_default().to_owned();
    browser.ok(&format!("put k v --lease={lease}")).await;
    let frozen = |state: &str| serde_json::json!({ "state": state });
    browser.devtools("Page.setWebLifecycleState", frozen("frozen")).await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    browser.devtools("Page.setWebLifecycleState", frozen("active")).await;
    // A browser that did not freeze its workers let the time pass; then the lease is over, as it should.
    let gap = "return document.querySelector('.events').textContent.includes('stood still')";
    let was_frozen = browser.run(gap).await == true;
    let read = browser.ok("get k").await;
    assert!(!was_frozen || read == "k\nv\n", "the lease ended with the gap");
    browser.ok("put after v").await;
    assert!(browser.down().await.is_empty());
    println!("    the members stood still: {was_frozen}");
}

/// Where storage is forbidden the page says that nothing survives, and everything else works.
pub(crate) async fn forbidden_storage_leaves_memory(browser: Browser) {
    let forbidden = serde_json::json!({ "profile.default_content_setting_values.cookies": 2 });
    let private = browser.with_settings("no-storage", forbidden).await;
    private.visit_ready().await;
    let banner = private.text("banner").await;
    assert!(banner.contains("nothing survives a reload"), "{banner}");
    private.ok("put k v").await;
    let leader = private.leader().await;
    private.click(&format!("kill-{leader}")).await;
    private.wait_other_leader(&leader).await;
    assert_eq!(private.ok("get k").await, "k\nv\n");
    private.click("theme-toggle").await;
    let complaints = private.complaints().await;
    assert_eq!(complaints, Vec::<String>::new());
    private.leave().await;
    browser.visit_ready().await;
}
