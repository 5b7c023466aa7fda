//! What was acknowledged is there after kills and reloads in the middle of a stream of puts.
//!
//! `PLAYGROUND_ROUNDS` sets the number of rounds: 10 in every test run, 100 and more in a campaign.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::browser::Browser;

/// Rounds of every test run.
const ROUNDS: u64 = 10;

/// Eight clients write for longer than a round lasts.
const STREAM: &str =
    r#"playgroundBench('{"mode":"stream","clients":8,"seconds":20}').catch(() => 0);"#;

pub(crate) async fn acknowledged_writes_survive(browser: Browser) {
    let rounds = std::env::var("PLAYGROUND_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(ROUNDS);
    let mut acknowledged = BTreeSet::new();
    browser.visit_at("?bench").await;
    for round in 0..rounds {
        browser.wait_ready().await;
        browser.run(&format!("window.playgroundAcked = []; {STREAM}")).await;
        // Another moment of the stream in each round.
        tokio::time::sleep(Duration::from_millis(300 + 97 * (round % 8))).await;
        let reloads = round % 2 == 0;
        if reloads {
            keep(&mut acknowledged, &browser.run("return window.playgroundAcked").await);
            browser.reload().await;
        } else {
            let leader = browser.leader().await;
            browser.click(&format!("kill-{leader}")).await;
            browser.wait_other_leader(&leader).await;
            tokio::time::sleep(Duration::from_millis(500)).await;
            browser.click(&format!("restart-{leader}")).await;
            browser.wait_role(&leader, "follower").await;
            keep(&mut acknowledged, &browser.run("return window.playgroundAcked").await);
            browser.reload().await;
        }
        browser.wait_ready().await;
        let found = browser
            .run_async(
                r#"return JSON.parse(await playgroundBench('{"mode":"keys","prefix":"/bench/"}'))"#,
            )
            .await;
        let found: BTreeSet<&str> =
            found.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let lost: Vec<&String> =
            acknowledged.iter().filter(|put| !found.contains(put.as_str())).collect();
        assert!(lost.is_empty(), "round {round} lost {} puts: {:?}", lost.len(), lost.first());
    }
    let least = usize::try_from(rounds * 20).unwrap_or(usize::MAX);
    assert!(acknowledged.len() > least, "only {} puts in {rounds} rounds", acknowledged.len());
    println!("result: {} acknowledged puts, none lost in {rounds} rounds", acknowledged.len());
}

fn keep(acknowledged: &mut BTreeSet<String>, acked: &Value) {
    let acked = acked.as_array().into_iter().flatten().filter_map(Value::as_str);
    acknowledged.extend(acked.map(str::to_owned));
}
