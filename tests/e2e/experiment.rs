//! The failover experiment, step by step as the tutorial has it, with real keys and clicks.

use std::time::Duration;

use super::browser::Browser;

const KEY: &str = "/registry/pods/default/web-1";

const COLUMNS: [&str; 16] = [
    "ENDPOINT",
    "ID",
    "VERSION",
    "STORAGE VERSION",
    "DB SIZE",
    "IN USE",
    "PERCENTAGE NOT IN USE",
    "QUOTA",
    "IS LEADER",
    "IS LEARNER",
    "RAFT TERM",
    "RAFT INDEX",
    "RAFT APPLIED INDEX",
    "ERRORS",
    "DOWNGRADE TARGET VERSION",
    "DOWNGRADE ENABLED",
];

/// Steps 1 to 7 and 9 on one cluster; see `isolation` for step 8.
pub(crate) async fn failover(browser: Browser) {
    browser.visit_ready().await;
    status_table(&browser).await;
    revisions(&browser).await;
    watch_replays_then_goes_live(&browser).await;
    let killed = kill_the_leader(&browser).await;
    restart_and_compare(&browser, &killed).await;
    lose_the_quorum(&browser).await;
    reload_and_go_on(&browser).await;
}

async fn status_table(browser: &Browser) {
    let stores =
        browser.run_async("return (await indexedDB.databases()).map((found) => found.name)").await;
    assert!(stores.as_array().is_some_and(|names| names.len() >= 3), "on IndexedDB: {stores}");
    let table = browser.ok("etcdctl endpoint status -w table").await;
    let rows: Vec<Vec<String>> = table
        .lines()
        .filter(|line| line.starts_with('│'))
        .map(|line| line.trim_matches('│').split('│').map(|cell| cell.trim().to_owned()).collect())
        .collect();
    assert_eq!(rows[0], COLUMNS, "{table}");
    assert_eq!(rows.len(), 4, "{table}");
    let leaders = rows.iter().filter(|row| row[8] == "true").count();
    assert_eq!(leaders, 1, "{table}");
}

async fn revisions(browser: &Browser) {
    for value in ["v1", "v2", "v3"] {
        assert_eq!(browser.ok(&format!("put {KEY} {value}")).await, "OK\n");
    }
    let found = browser.json(&format!("get {KEY} -w json")).await;
    let kv = &found["kvs"][0];
    assert_eq!(kv["create_revision"], 2);
    assert_eq!(kv["mod_revision"], 4);
    assert_eq!(kv["version"], 3);
    assert_eq!(kv["value"], "djM=");
    assert_eq!(browser.ok(&format!("get {KEY} --rev=2")).await, format!("{KEY}\nv1\n"));
    assert_eq!(browser.ok(&format!("get {KEY} --rev=3")).await, format!("{KEY}\nv2\n"));
}

async fn watch_replays_then_goes_live(browser: &Browser) {
    browser.click("new-tab").await;
    browser.start(&format!("watch {KEY} --rev=2 -w json")).await;
    wait_messages(browser, 1).await;
    browser.click("console-tab-1").await;
    browser.ok(&format!("put {KEY} v4")).await;
    browser.click("console-tab-2").await;
    let messages = wait_messages(browser, 2).await;
    let revisions = |at: usize| -> Vec<u64> {
        let events = messages[at]["Events"].as_array().cloned().unwrap_or_default();
        events.iter().filter_map(|event| event["kv"]["mod_revision"].as_u64()).collect()
    };
    assert_eq!(revisions(0), [2, 3, 4]);
    assert_eq!(messages[0]["Header"]["revision"], 4);
    assert_eq!(revisions(1), [5]);
    browser.click("console-tab-1").await;
}

/// Waits until the watch in the active tab has printed so many messages.
async fn wait_messages(browser: &Browser, count: usize) -> Vec<serde_json::Value> {
    for _ in 0..400 {
        let out = browser.last_answer().await.out;
        let messages: Vec<serde_json::Value> =
            out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if messages.len() >= count {
            assert_eq!(messages.len(), count, "{out}");
            return messages;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("no {count} messages: {:?}", browser.last_answer().await);
}

async fn kill_the_leader(browser: &Browser) -> String {
    let (leader, term) = (browser.leader().await, browser.term().await);
    let elections = elections(browser).await;
    browser.click(&format!("kill-{leader}")).await;
    let next = browser.wait_other_leader(&leader).await;
    term_rises_by_one_per_election(browser, term, elections).await;
    browser
        .wait_text("event-log", "a sentence on the new leader", |log| {
            log.contains(&format!("{next} became leader")) && log.contains(&leader)
        })
        .await;
    assert_eq!(browser.ok(&format!("get {KEY}")).await, format!("{KEY}\nv4\n"));
    let put = browser.json(&format!("put {KEY} v5 -w json")).await;
    assert_eq!(put["header"]["revision"], 6);
    leader
}

/// The header's term comes with a status and the count with events, so they may meet a moment later.
pub(crate) async fn term_rises_by_one_per_election(browser: &Browser, term: u64, elections: u64) {
    let (mut risen, mut held) = (0, 0);
    for _ in 0..100 {
        risen = browser.term().await - term;
        held = self::elections(browser).await - elections;
        if risen >= 1 && risen == held {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the term rose by {risen} in {held} elections");
}

/// Elections held so far, as the page counts them.
pub(crate) async fn elections(browser: &Browser) -> u64 {
    let text = browser.text("elections").await;
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

async fn restart_and_compare(browser: &Browser, killed: &str) {
    browser.click(&format!("restart-{killed}")).await;
    browser.wait_role(killed, "follower").await;
    for _ in 0..100 {
        let out = browser.ok("etcdctl endpoint hashkv").await;
        let hashes: Vec<&str> =
            out.lines().filter_map(|line| line.split_once(", ").map(|(_, rest)| rest)).collect();
        assert_eq!(hashes.len(), 3, "{out}");
        if hashes.iter().all(|hash| *hash == hashes[0]) {
            assert!(hashes[0].ends_with(", 6"), "{out}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the hashes stay different");
}

async fn lose_the_quorum(browser: &Browser) {
    let leader = browser.leader().await;
    let others: Vec<String> =
        (1..=3).map(|number| format!("infra{number}")).filter(|name| *name != leader).collect();
    for name in &others {
        let said = browser.command(&format!("kill {name}")).await;
        assert!(!said.failed, "{said:?}");
    }
    let read = browser.command(&format!("get {KEY}")).await;
    assert!(read.failed, "{read:?}");
    assert!(read.err.contains("context deadline exceeded"), "{read:?}");
    let stale = browser.ok(&format!("get {KEY} --consistency=s")).await;
    assert_eq!(stale, format!("{KEY}\nv5\n"));
    browser.click(&format!("restart-{}", others[0])).await;
    browser.wait_text("leader", "a leader", |text| text.starts_with("infra")).await;
    let put = browser.json(&format!("put {KEY} v6 -w json")).await;
    assert_eq!(put["header"]["revision"], 7);
    browser.click(&format!("restart-{}", others[1])).await;
    browser.wait_role(&others[1], "follower").await;
}

async fn reload_and_go_on(browser: &Browser) {
    browser.reload().await;
    browser.wait_ready().await;
    assert_eq!(browser.ok(&format!("get {KEY}")).await, format!("{KEY}\nv6\n"));
    let put = browser.json(&format!("put {KEY} v7 -w json")).await;
    assert_eq!(put["header"]["revision"], 8);
    browser.start(&format!("watch {KEY} --rev=6 -w json")).await;
    let messages = wait_messages(browser, 1).await;
    assert_eq!(messages[0]["Events"].as_array().map(Vec::len), Some(3));
    browser.press_with_control('c').await;
}

/// Step 8: an isolated leader steps down, the others elect, its writes fail, healing disturbs nobody.
pub(crate) async fn isolation(browser: Browser) {
    browser.visit_ready().await;
    browser.ok(&format!("put {KEY} before")).await;
    let old = browser.leader().await;
    let number = old.trim_start_matches("infra").to_owned();
    browser.click(&format!("isolate-{old}")).await;
    let refused =
        browser.command(&format!("put {KEY} lost --endpoints=http://127.0.0.1:{number}2379")).await;
    assert!(refused.failed && refused.err.contains("context deadline exceeded"), "{refused:?}");
    let new = browser.wait_other_leader(&old).await;
    browser.wait_text(&format!("role-{old}"), "no leader any more", |role| role != "leader").await;
    let term = browser.term().await;
    // A client that asks the isolated member first would wait there, as etcd's does.
    let serving = format!("http://127.0.0.1:{}2379", new.trim_start_matches("infra"));
    browser.ok(&format!("put {KEY} after --endpoints={serving}")).await;
    browser.click("heal-all").await;
    browser.wait_role(&old, "follower").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(browser.leader().await, new, "the leader is undisturbed");
    assert_eq!(browser.term().await, term, "and so is its term");
    let healed = browser.ok(&format!("get {KEY} --endpoints=http://127.0.0.1:{number}2379")).await;
    assert_eq!(healed, format!("{KEY}\nafter\n"));
    let hashes = browser.ok("endpoint hashkv").await;
    let distinct: std::collections::BTreeSet<&str> =
        hashes.lines().filter_map(|line| line.split_once(", ").map(|(_, rest)| rest)).collect();
    assert_eq!(distinct.len(), 1, "{hashes}");
}
