//! `cargo xtask bench`: the figures of the page, measured in a headless browser by `benches/page.rs`.

use crate::browser;
use crate::dist::{self, Freshness};
use crate::run;
use crate::suite;
use crate::tell::{Problem, Steps};

/// Builds and serves the page, and runs the measurements; the words go to `benches/page.rs`.
///
/// # Errors
/// When the page cannot be built or a measurement cannot be taken.
pub fn bench(words: &[&str]) -> Result<(), Problem> {
    dist::build(Freshness::Enough)?;
    let browser = browser::find_or_install(&mut Steps::new(1))?;
    suite::with_page(&browser, "/", |environment| {
        let mut bench = run::command("cargo");
        bench.args(["bench", "--bench", "page", "--"]).args(words);
        bench.envs(environment.iter().map(|(k, v)| (k, v)));
        match run::shown("bench", &mut bench)? {
            (_, true) => Ok(()),
            (_, false) => Err(Problem::new("the measurements did not finish; see above")),
        }
    })
}
