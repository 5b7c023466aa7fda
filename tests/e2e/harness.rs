//! Runs the cases, two at a time, each in a browser of its own, and prints cargo's closing line.
//!
//! Most of a case is waiting for elections and timeouts, so that two of them share two cores without hurry.
//! After each case no console may hold an error, and the content security policy must have been in force and kept.

use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::browser::{Browser, Kind, Site};

/// How long one test may take before it counts as failed.
const CASE_LIMIT: Duration = Duration::from_secs(300);

/// The same in a campaign, which sets the number of rounds.
const CAMPAIGN_LIMIT: Duration = Duration::from_secs(3_600);

fn case_limit() -> Duration {
    if std::env::var_os("PLAYGROUND_ROUNDS").is_some() { CAMPAIGN_LIMIT } else { CASE_LIMIT }
}

/// How many cases run at a time.
const LANES: usize = 2;

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A test with its name.
pub(crate) struct Case {
    name: &'static str,
    kind: Kind,
    run: Box<dyn Fn(Browser) -> Boxed + Send + Sync>,
}

/// Makes a case of an `async fn(Browser)`.
pub(crate) fn case<F, R>(name: &'static str, run: F) -> Case
where
    F: Fn(Browser) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    Case { name, kind: Kind::Chromium, run: Box::new(move |browser| Box::pin(run(browser))) }
}

/// A case in Firefox; without one it is skipped, which is said.
pub(crate) fn in_firefox<F, R>(name: &'static str, run: F) -> Case
where
    F: Fn(Browser) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    Case { kind: Kind::Firefox, ..case(name, run) }
}

/// Runs the cases whose name contains one of the words on the command line; all without a word.
pub(crate) fn run(cases: Vec<Case>) -> ExitCode {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let Some(site) = Site::from_environment() else {
        println!("skipped: {} end-to-end tests; `cargo xtask test e2e` runs them", cases.len());
        println!("test result: ok. 0 passed; 0 failed; {} ignored", cases.len());
        return ExitCode::SUCCESS;
    };
    let chosen: Vec<Case> = cases
        .into_iter()
        .filter(|case| {
            words.is_empty() || words.iter().any(|word| case.name.contains(word.as_str()))
        })
        .collect();
    if chosen.is_empty() {
        println!("no end-to-end test has a name with {words:?}");
        return ExitCode::FAILURE;
    }
    println!("\nrunning {} end-to-end tests", chosen.len());
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..LANES.min(chosen.len()) {
            scope.spawn(|| {
                while let Some(case) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = played(case, &site);
                    outcomes.lock().unwrap().push((case.name, outcome));
                }
            });
        }
    });
    close(&outcomes.into_inner().unwrap())
}

/// How a case came out.
enum Outcome {
    Passed,
    Ignored,
    Failed(String),
}

/// Runs one case and says how it came out.
fn played(case: &Case, site: &Site) -> Outcome {
    if !site.has(case.kind) {
        println!("test {} ... ignored: there is no {:?} here", case.name, case.kind);
        return Outcome::Ignored;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime can be made");
    let started = Instant::now();
    let result = runtime.block_on(one(case, site));
    let seconds = started.elapsed().as_secs_f32();
    match result {
        Ok(()) => {
            println!("test {} ... ok ({seconds:.1} s)", case.name);
            Outcome::Passed
        }
        Err(reason) => {
            println!("test {} ... FAILED ({seconds:.1} s)\n    {reason}", case.name);
            Outcome::Failed(reason)
        }
    }
}

/// Says it all in the end.
fn close(outcomes: &[(&'static str, Outcome)]) -> ExitCode {
    let failed: Vec<_> = outcomes
        .iter()
        .filter_map(|(name, outcome)| match outcome {
            Outcome::Failed(reason) => Some((name, reason)),
            Outcome::Passed | Outcome::Ignored => None,
        })
        .collect();
    let ignored = outcomes.iter().filter(|(_, it)| matches!(it, Outcome::Ignored)).count();
    // Once more at the end: whoever reads only the last lines of a log finds the reasons there.
    if !failed.is_empty() {
        println!("\nfailures:");
    }
    for (name, reason) in &failed {
        println!("    {name}: {reason}");
    }
    let passed = outcomes.len() - failed.len() - ignored;
    let word = if failed.is_empty() { "ok" } else { "FAILED" };
    println!("\ntest result: {word}. {passed} passed; {} failed; {ignored} ignored", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one case; whatever happens, its browser is closed.
async fn one(case: &Case, site: &Site) -> Result<(), String> {
    let opened = match case.kind {
        Kind::Chromium => Browser::open(site, case.name).await,
        Kind::Firefox => Browser::open_firefox(site, case.name).await,
    };
    let browser = opened.map_err(|error| format!("no browser: {error}"))?;
    let body = tokio::time::timeout(case_limit(), tokio::spawn((case.run)(browser.clone())));
    let mut result = match body.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(reason_of(error)),
        Err(_) => Err(format!("it took longer than {} s", case_limit().as_secs())),
    };
    if result.is_ok() {
        let wrong = browser.verdict().await;
        if !wrong.is_empty() {
            result = Err(format!("the browser complains:\n    {}", wrong.join("\n    ")));
        }
    }
    if result.is_err() {
        for line in browser.leave_evidence(case.name).await {
            println!("    {line}");
        }
    }
    browser.quit().await;
    result
}

fn reason_of(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "it panicked".to_owned()),
        Err(error) => error.to_string(),
    }
}
