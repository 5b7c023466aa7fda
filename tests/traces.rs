//! 200 seeds of the simulator give the same traces natively and in WebAssembly.
//!
//! What it is: `tests/data/traces.txt` has one line for each seed, and both builds are held against it; natively
//! `UPDATE_GOLDEN=1` writes it anew, which a change of the engine or of the simulator's draws makes necessary.
//! In WebAssembly it runs in a dedicated worker, by `cargo xtask test wasm`, without a server for files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "test code: it panics to fail"
)]

#[cfg(not(target_arch = "wasm32"))]
#[path = "support/golden.rs"]
mod golden;

use std::fmt::Write as _;

use etcd_playground::cluster::run_seed;

const TRACES: &str = include_str!("data/traces.txt");

/// The seeds are 1 to this.
#[cfg(not(target_arch = "wasm32"))]
const SEEDS: u64 = 200;

/// Seed, hash over every event, and what the run came to.
fn line(seed: u64) -> String {
    let report = run_seed(seed, false, &mut |_| {});
    format!(
        "{seed} {:016x} {} writes, {} events, {} operations, {} steps",
        report.trace_hash, report.writes, report.events, report.operations, report.steps
    )
}

/// The lines of `seeds` that are not what the file says.
fn different(seeds: impl Iterator<Item = u64>) -> String {
    let mut found = String::new();
    for seed in seeds {
        let (have, want) = (line(seed), TRACES.lines().nth(usize::try_from(seed - 1).unwrap()));
        if want != Some(have.as_str()) {
            writeln!(found, "here {have}\nfile {}", want.unwrap_or("has no such line")).unwrap();
        }
    }
    found
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::{SEEDS, TRACES, different, golden, line};

    #[test]
    fn every_seed_has_its_recorded_trace() {
        if golden::is_writing() {
            let text: String = (1..=SEEDS).map(|seed| line(seed) + "\n").collect();
            golden::write("data/traces.txt", &text);
            return;
        }
        assert_eq!(u64::try_from(TRACES.lines().count()).unwrap(), SEEDS);
        golden::assert_none(|first| different((1..=SEEDS).skip(first).step_by(2)));
    }
}

#[cfg(target_arch = "wasm32")]
mod wasm {
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::different;

    wasm_bindgen_test_configure!(run_in_dedicated_worker);

    /// Several tests, so that a slow machine shows how far it is.
    macro_rules! stretches {
        ($($name:ident: $from:literal to $to:literal,)*) => {$(
            #[wasm_bindgen_test]
            fn $name() {
                let found = different($from..=$to);
                assert!(found.is_empty(), "\n{found}");
            }
        )*};
    }

    stretches! {
        seeds_1_to_50_have_the_native_traces: 1 to 50,
        seeds_51_to_100_have_the_native_traces: 51 to 100,
        seeds_101_to_150_have_the_native_traces: 101 to 150,
        seeds_151_to_200_have_the_native_traces: 151 to 200,
    }
}
