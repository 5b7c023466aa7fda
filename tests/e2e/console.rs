//! The page as a person uses it: type a line, read what it printed; look at the cards.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::browser::Browser;

/// What a console line printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// Standard output as shown.
    pub(crate) out: String,
    /// Standard error as shown.
    pub(crate) err: String,
    /// True if the page shows an exit status, which it does unless it is 0.
    pub(crate) failed: bool,
    /// The exit status as shown, or 0.
    pub(crate) status: i32,
}

const LOOK: &str = r"
    const blocks = [...document.querySelectorAll('[data-testid=console-block]')];
    const last = blocks.at(-1);
    const text = (kind) => last ? [...last.querySelectorAll(kind)]
        .map((piece) => [...piece.childNodes]
            .filter((node) => node.nodeType === Node.TEXT_NODE)
            .map((node) => node.data).join('')).join('') : '';
    return {
        count: blocks.length,
        line: last ? last.querySelector('.block-line').textContent : '',
        running: last ? last.dataset.running : 'false',
        out: text('pre.piece:not(.is-error):not(.is-input)'),
        err: text('pre.piece.is-error'),
        failed: !!(last && last.querySelector('[data-testid=exit-status]')),
        status: (last && last.querySelector('[data-testid=exit-status]') || {}).textContent || '',
    };";

fn answer(seen: &Value) -> Answer {
    let text = |name: &str| seen[name].as_str().unwrap_or_default().to_owned();
    let status = text("status");
    let status = status.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    Answer { out: text("out"), err: text("err"), failed: seen["failed"] == true, status }
}

impl Browser {
    /// Opens the page and waits until a leader is known and the prompt is usable.
    pub(crate) async fn visit_ready(&self) {
        self.visit().await;
        self.wait_ready().await;
    }

    /// Waits until a leader is known and the prompt is usable.
    pub(crate) async fn wait_ready(&self) {
        self.wait_true("a leader and a usable prompt", Duration::from_secs(20), READY).await;
    }

    /// Waits until JavaScript says so.
    pub(crate) async fn wait_true(&self, what: &str, patience: Duration, script: &str) {
        let deadline = Instant::now() + patience;
        while self.run(script).await != true {
            assert!(Instant::now() < deadline, "no {what} within {} s", patience.as_secs());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// What the last block of the active tab shows now.
    pub(crate) async fn last_answer(&self) -> Answer {
        answer(&self.run(LOOK).await)
    }

    /// Types a line, presses Enter, and does not wait for its end.
    pub(crate) async fn start(&self, line: &str) {
        let before = self.run(LOOK).await["count"].as_u64().unwrap_or(0);
        self.type_into("console-input", &format!("{line}\n")).await;
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.run(LOOK).await["count"].as_u64().unwrap_or(0) <= before {
            assert!(Instant::now() < deadline, "`{line}` did not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Types a line, presses Enter, waits until it has ended, and reads what it printed.
    pub(crate) async fn command(&self, line: &str) -> Answer {
        self.start(line).await;
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let seen = self.run(LOOK).await;
            if seen["running"] == "false" {
                return answer(&seen);
            }
            assert!(Instant::now() < deadline, "`{line}` did not end; it shows {seen}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// A command that must succeed; gives its standard output.
    pub(crate) async fn ok(&self, line: &str) -> String {
        let answer = self.command(line).await;
        assert!(!answer.failed, "`{line}` failed: {answer:?}");
        answer.out
    }

    /// A command that must succeed and answers in JSON.
    pub(crate) async fn json(&self, line: &str) -> Value {
        let out = self.ok(line).await;
        serde_json::from_str(&out)
            .unwrap_or_else(|error| panic!("`{line}` did not answer in JSON: {error}\n{out}"))
    }

    /// The leader's name as the header shows it.
    pub(crate) async fn leader(&self) -> String {
        self.text("leader").await
    }

    /// The term as the header shows it.
    pub(crate) async fn term(&self) -> u64 {
        self.text("term").await.trim().parse().unwrap_or(0)
    }

    /// The members that are down.
    pub(crate) async fn down(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('.card[data-mark=down] .card-name')]
            .map((name) => name.textContent)";
        let names = self.run(script).await;
        names
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    /// Waits until a member other than `old` leads; gives its name.
    pub(crate) async fn wait_other_leader(&self, old: &str) -> String {
        let is_name = |text: &str| text.starts_with("infra") && text != old;
        self.wait_text("leader", "another leader", is_name).await
    }

    /// Waits until a member's card shows this role.
    pub(crate) async fn wait_role(&self, name: &str, role: &str) {
        let role = role.to_lowercase();
        self.wait_text(&format!("role-{name}"), &role, |text| text.to_lowercase() == role).await;
    }
}

const READY: &str = "return !!document.querySelector('[data-ready=true]')";
