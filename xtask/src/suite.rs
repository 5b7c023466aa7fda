//! `cargo xtask test`: everything that must pass before a change is accepted, in order, with one closing line.
//!
//! A failing step does not stop the later ones, so that one run shows everything that is wrong.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::browser::{self, Driver};
use crate::dist::{self, Freshness};
use crate::place;
use crate::run;
use crate::server::Running;
use crate::setup::{self, BUILD_STEPS, Tools};
use crate::suites::{self, Row};
use crate::tell::{Problem, Steps, short};
use crate::toolchain::COMPONENTS_REMEDY;

/// The browser tests serve the page from here, which proves that it works from any sub-path.
const SUB_PATH: &str = "/some/sub-path/";

/// The tests plant mistakes in the engine, each to be caught on its recorded seed; one build serves them all.
pub const MUTANTS: &str = "--features=etcd-playground/mutants";

/// How long fresh seeds of the simulator are played at least. Unit: s.
const SIMULATOR_SECONDS: &str = "360";

/// What one program of wasm tests may take. Unit: s.
const WASM_SECONDS: &str = "900";

/// The end-to-end test that needs Firefox.
const FIREFOX_TEST: &str = "firefox_main_path";

/// What a part of the suite is called on the command line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Lint,
    Native,
    Wasm,
    E2e,
}

const ALL: &[Part] = &[Part::Lint, Part::Native, Part::Wasm, Part::E2e];

/// Tests that ran, as their runners counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// As the page shows it, if nothing failed: what fails is told by its own step.
    fn row(self, suite: &str) -> Option<Row> {
        let Self { passed, failed } = self;
        (failed == 0).then(|| Row { suite: suite.to_owned(), passed, failed })
    }
}

/// One finished step.
struct Done {
    name: String,
    took: Duration,
    tally: Tally,
    problem: Option<Problem>,
}

/// `cargo xtask test [PART…]`.
///
/// # Errors
/// When a tool cannot be had or a step fails.
pub fn test(arguments: &[&str]) -> Result<(), Problem> {
    let (parts, names) = parts(arguments)?;
    let mut done = Vec::new();
    let mut counts = Vec::new();
    let Means { tools, browser, e2e } = means(&parts, &names)?;
    if let (Some(tools), true) = (&tools, parts.contains(&Part::Lint)) {
        lint(tools, &mut done);
    }
    if parts.contains(&Part::Native) {
        record(&mut done, "native tests", || {
            let mut tests = run::command("cargo");
            tests.args(["test", "--release", "--workspace", "--no-fail-fast", MUTANTS]);
            tests.env("SIMULATOR_SECONDS", SIMULATOR_SECONDS);
            let (tally, text) = counted("native", &mut tests)?;
            if tally.failed == 0 {
                counts.extend(suites::rows_of(&text).unwrap_or_default());
            }
            Ok(tally)
        });
    }
    if parts.contains(&Part::E2e) {
        record(&mut done, "build dist/", || {
            let total = dist::build(Freshness::Enough)?;
            let has_small_std = tools.as_ref().is_some_and(Tools::has_small_std);
            dist::check_size(total, has_small_std)?;
            Ok(Tally::default())
        });
    }
    if let (Some(tools), Some(browser), true) = (&tools, &browser, parts.contains(&Part::Wasm)) {
        record(&mut done, "wasm tests in the browser", || {
            let tally = wasm_tests(tools, browser, &["--test", "wasm", "--test", "scenario_wasm"])?;
            counts.extend(tally.row("wasm tests in the browser"));
            Ok(tally)
        });
        // 200 runs of the simulator: with optimisation they take a minute, without it a quarter of an hour.
        // Only this crate is built once more for it, not what it depends on.
        record(&mut done, "traces in the browser", || {
            let quick = "profile.dev.package.etcd-playground.opt-level=2";
            let tally = wasm_tests(tools, browser, &["--config", quick, "--test", "traces"])?;
            counts.extend(tally.row("traces in the browser"));
            Ok(tally)
        });
        record(&mut done, "lessons and errors in the browser", || {
            let quick = "profile.dev.package.etcd-playground.opt-level=2";
            wasm_tests(tools, browser, &["--config", quick, "--test", "catalogue"])
        });
    }
    if let (Some(browser), Some(e2e)) = (&browser, &e2e) {
        record(&mut done, "end-to-end tests", || {
            let tally = with_firefox(browser, e2e, &names)?;
            if names.is_empty() {
                counts.extend(tally.row("end-to-end tests"));
            }
            Ok(tally)
        });
    }
    if !counts.is_empty() {
        record(&mut done, "counts shown by the page", || {
            suites::check(&counts)?;
            Ok(Tally::default())
        });
    }
    close(&done)
}

/// What the wanted parts need.
struct Means {
    tools: Option<Tools>,
    browser: Option<browser::Browser>,
    e2e: Option<EndToEnd>,
}

/// What the end-to-end tests need beside a browser.
struct EndToEnd {
    axe: PathBuf,
    firefox: Option<browser::Browser>,
}

/// Finds or installs it.
fn means(parts: &[Part], names: &[&str]) -> Result<Means, Problem> {
    let needs_wasm = parts.iter().any(|part| *part != Part::Native);
    let needs_browser = parts.iter().any(|part| matches!(part, Part::Wasm | Part::E2e));
    let needs_axe = parts.contains(&Part::E2e);
    let needs_firefox = needs_axe && wants_firefox(names);
    let rest = u32::from(needs_browser) + u32::from(needs_axe) + 2 * u32::from(needs_firefox);
    let mut steps = Steps::new(BUILD_STEPS + rest);
    let tools = if needs_wasm { Some(setup::build_tools(&mut steps)?) } else { None };
    let browser = if needs_browser { Some(browser::find_or_install(&mut steps)?) } else { None };
    let e2e = if needs_axe {
        let axe = setup::axe(&mut steps)?;
        let firefox =
            if needs_firefox { Some(browser::find_or_install_firefox(&mut steps)?) } else { None };
        Some(EndToEnd { axe, firefox })
    } else {
        None
    };
    Ok(Means { tools, browser, e2e })
}

/// Runs the end-to-end tests, with a driver of Firefox beside the other where one of them needs it.
fn with_firefox(
    browser: &browser::Browser,
    e2e: &EndToEnd,
    names: &[&str],
) -> Result<Tally, Problem> {
    let axe = e2e.axe.display().to_string();
    let axe = ("PLAYGROUND_AXE", axe.as_str());
    let Some(firefox) = &e2e.firefox else { return Ok(end_to_end(browser, names, &[axe])?.0) };
    let driver = Driver::start(firefox)?;
    let (url, program) = (driver.url(), firefox.program.display().to_string());
    let settings = [axe, ("PLAYGROUND_GECKODRIVER", &url), ("PLAYGROUND_FIREFOX", &program)];
    Ok(end_to_end(browser, names, &settings)?.0)
}

/// Whether these end-to-end tests have one in Firefox among them.
fn wants_firefox(names: &[&str]) -> bool {
    names.is_empty() || names.iter().any(|name| FIREFOX_TEST.contains(name))
}

/// `cargo xtask fmt`.
///
/// # Errors
/// When the formatter is missing or the sources do not parse.
pub fn format() -> Result<(), Problem> {
    run::logged("fmt", run::command("cargo").args(["fmt", "--all"]))
        .map_err(|p| p.or_remedy(COMPONENTS_REMEDY))
}

fn parts<'a>(arguments: &[&'a str]) -> Result<(Vec<Part>, Vec<&'a str>), Problem> {
    let mut parts = Vec::new();
    let mut names = Vec::new();
    for word in arguments {
        match *word {
            "lint" => parts.push(Part::Lint),
            "native" => parts.push(Part::Native),
            "wasm" => parts.push(Part::Wasm),
            "e2e" => parts.push(Part::E2e),
            name if parts.last() == Some(&Part::E2e) => names.push(name),
            other => {
                return Err(Problem::new(format!(
                    "unknown part `{other}`; the parts are lint, native, wasm, e2e [NAME…]"
                )));
            }
        }
    }
    if parts.is_empty() {
        parts.extend_from_slice(ALL);
    }
    Ok((parts, names))
}

fn lint(tools: &Tools, done: &mut Vec<Done>) {
    let edges = ["--target", "wasm32-unknown-unknown", "--lib"];
    let bins = ["--bin", "app", "--bin", "lab", "--bin", "insight", "--bin", "ctl"];
    record(done, "formatting", || {
        plain("fmt-check", run::command("cargo").args(["fmt", "--all", "--check"])).map_err(|p| {
            p.or_remedy("run `cargo xtask fmt`; if the formatter itself is missing, `rustup component add rustfmt`")
        })
    });
    record(done, "clippy, native", || {
        let mut clippy = run::command("cargo");
        clippy.args(["clippy", "--workspace", "--all-targets", MUTANTS, "--", "-D", "warnings"]);
        plain("clippy", &mut clippy).map_err(|p| p.or_remedy(COMPONENTS_REMEDY))
    });
    record(done, "clippy, wasm", || {
        let mut clippy = tools.command("cargo");
        clippy.arg("clippy").args(edges).args(bins).args(["--", "-D", "warnings"]);
        plain("clippy-wasm", &mut clippy)
    });
    record(done, "clippy, wasm tests", || {
        let mut clippy = tools.command("cargo");
        clippy.args([
            "clippy",
            "--target",
            "wasm32-unknown-unknown",
            "--test",
            "wasm",
            "--test",
            "traces",
            "--test",
            "catalogue",
            "--",
            "-D",
            "warnings",
        ]);
        plain("clippy-wasm-tests", &mut clippy)
    });
    record(done, "rustdoc, native", || {
        let mut doc = run::command("cargo");
        doc.args(["doc", "--workspace", "--no-deps", "--document-private-items"]);
        plain("doc", doc.env("RUSTDOCFLAGS", "-D warnings"))
    });
    record(done, "rustdoc, wasm", || {
        let mut doc = tools.command("cargo");
        doc.arg("doc").args(edges).args(["--no-deps", "--document-private-items"]);
        plain("doc-wasm", doc.env("RUSTDOCFLAGS", tools.rustdoc_flags()))
    });
}

fn plain(name: &str, command: &mut std::process::Command) -> Result<Tally, Problem> {
    let (_, passed) = run::shown(name, command)?;
    if passed { Ok(Tally::default()) } else { Err(Problem::new("it found something; see above")) }
}

/// Runs a test runner and counts what it says; no test at all is a failure.
fn counted(name: &str, command: &mut std::process::Command) -> Result<(Tally, String), Problem> {
    let (text, passed) = run::shown(name, command)?;
    let tally = count(&text);
    if !passed && tally.failed == 0 {
        return Err(Problem::new(format!("the runner of the {name} tests failed; see above")));
    }
    if passed && tally.passed == 0 {
        return Err(Problem::new(format!("no test ran among the {name} tests")));
    }
    Ok((tally, text))
}

fn wasm_tests(tools: &Tools, browser: &browser::Browser, which: &[&str]) -> Result<Tally, Problem> {
    let mut tests = tools.command("cargo");
    tests
        .args(["test", "--target", "wasm32-unknown-unknown"])
        .args(which)
        .env("WASM_BINDGEN_TEST_TIMEOUT", WASM_SECONDS)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
        .env("CHROMEDRIVER", &browser.driver)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", place::root().join("tests/webdriver.json"));
    Ok(counted("wasm", &mut tests)?.0)
}

/// Serves the page, starts a driver, and runs the tests of `tests/e2e` whose names contain one of `names`.
fn end_to_end(
    browser: &browser::Browser,
    names: &[&str],
    settings: &[(&str, &str)],
) -> Result<(Tally, String), Problem> {
    with_page(browser, SUB_PATH, |environment| {
        let mut tests = run::command("cargo");
        tests.args(["test", "--release", "--workspace", MUTANTS, "--test", "e2e"]);
        tests.args(["--", "--nocapture"]);
        tests
            .args(names)
            .envs(environment.iter().map(|(k, v)| (k, v)))
            .envs(settings.iter().copied());
        counted("e2e", &mut tests)
    })
}

/// Runs something while the page is served and a driver waits; both end with it.
///
/// # Errors
/// When one of them does not start, or `what` fails.
pub fn with_page<T>(
    browser: &browser::Browser,
    prefix: &str,
    what: impl FnOnce(&[(&'static str, String)]) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let server = Running::on_free_port(prefix)?;
    let driver = Driver::start(browser)?;
    what(&[
        ("PLAYGROUND_URL", server.url()),
        ("PLAYGROUND_WEBDRIVER", driver.url()),
        ("PLAYGROUND_CHROMIUM", browser.program.display().to_string()),
        ("PLAYGROUND_PROFILES", driver.profiles().display().to_string()),
        // Where the tests put screenshots of failures.
        ("PLAYGROUND_SCREENSHOTS", place::target().join("xtask/screenshots").display().to_string()),
        ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
        // A failed test says where it failed; the way through the async runtime helps nobody.
        ("RUST_BACKTRACE", "0".to_owned()),
    ])
}

/// Builds the page and runs the end-to-end tests of one name with settings; gives back the counts and the output.
///
/// # Errors
/// When the page cannot be built or served, or nothing ran.
pub fn long_run(name: &str, settings: &[(&str, &str)]) -> Result<((u64, u64), String), Problem> {
    dist::build(Freshness::Enough)?;
    let browser = browser::find_or_install(&mut Steps::new(1))?;
    let (tally, text) = end_to_end(&browser, &[name], settings)?;
    Ok(((tally.passed, tally.failed), text))
}

/// Runs native tests; gives back the counts and the output.
///
/// # Errors
/// When nothing ran.
pub fn long_tests(
    name: &str,
    tests: &mut std::process::Command,
) -> Result<((u64, u64), String), Problem> {
    let (tally, text) = counted(name, tests)?;
    Ok(((tally.passed, tally.failed), text))
}

fn record(done: &mut Vec<Done>, name: &str, step: impl FnOnce() -> Result<Tally, Problem>) {
    println!("\n== {name}");
    let started = Instant::now();
    let result = step();
    let took = started.elapsed();
    let (tally, problem) = match result {
        Ok(tally) if tally.failed > 0 => (tally, Some(Problem::new("tests failed; see above"))),
        Ok(tally) => (tally, None),
        // A step that fails without counting tests counts as one failure.
        Err(problem) => (Tally { passed: 0, failed: 1 }, Some(problem)),
    };
    match &problem {
        None => println!("== {name}: passed in {}", short(took)),
        Some(problem) => println!("== {name}: FAILED after {}\n{problem}", short(took)),
    }
    done.push(Done { name: name.to_owned(), took, tally, problem });
}

fn close(done: &[Done]) -> Result<(), Problem> {
    println!("\n{:<28}{:>9}{:>9}{:>9}", "step", "time", "passed", "failed");
    let mut sum = Tally::default();
    for step in done {
        let Tally { passed, failed } = step.tally;
        let mark = if step.problem.is_some() { "  FAILED" } else { "" };
        println!("{:<28}{:>9}{passed:>9}{failed:>9}{mark}", step.name, short(step.took));
        sum.passed += passed;
        sum.failed += failed;
    }
    println!("\n{} passed, {} failed", sum.passed, sum.failed);
    let failed: Vec<&str> =
        done.iter().filter(|step| step.problem.is_some()).map(|step| step.name.as_str()).collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Problem::new(format!("failed: {}", failed.join(", "))))
    }
}

/// Sums the lines `test result: ok. 3 passed; 0 failed; …`.
fn count(text: &str) -> Tally {
    let mut tally = Tally::default();
    for line in text.lines().filter(|line| line.trim_start().starts_with("test result:")) {
        tally.passed += number_before(line, " passed");
        tally.failed += number_before(line, " failed");
    }
    tally
}

fn number_before(line: &str, word: &str) -> u64 {
    line.split_once(word)
        .and_then(|(before, _)| before.rsplit(' ').next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_several_runners_are_summed() {
        let text = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n\
                    test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 filtered out\n5 passed by\n";
        assert_eq!(count(text), Tally { passed: 13, failed: 2 });
    }

    #[test]
    fn a_runner_without_a_test_is_a_failure() {
        let result = counted("self_test_none", run::command("sh").args(["-c", "echo nothing"]));
        assert!(result.is_err());
    }

    #[test]
    fn a_failing_step_counts_as_a_failure() {
        let mut done = Vec::new();
        record(&mut done, "self test", || Err(Problem::new("broken")));
        record(&mut done, "self test", || Ok(Tally { passed: 1, failed: 0 }));
        assert!(close(&done).is_err());
        assert!(close(&done[1..]).is_ok());
    }

    #[test]
    fn names_belong_to_the_end_to_end_tests() {
        let Ok((parts, names)) = parts(&["e2e", "loads"]) else { panic!("both words are known") };
        assert!(parts == [Part::E2e]);
        assert_eq!(names, ["loads"]);
        assert!(super::parts(&["loads"]).is_err());
        assert!(wants_firefox(&[]) && wants_firefox(&["chaos", "firefox"]));
        assert!(!wants_firefox(&names));
    }
}
