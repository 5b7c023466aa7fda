//! Every planted mistake is found by the simulator's general invariants, and the engine without it is clean.
//!
//! What it is: the recorded seed of each mutant, with and without the mistake. `playground mutants` searches the seeds.
//! Needs the feature `mutants`; without it this file is empty.
#![cfg(all(feature = "mutants", not(target_arch = "wasm32")))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test code")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use etcd_playground::cluster::{Judged, run_seed};
use etcd_playground::mutant::{self, Mutant};

/// Name and seed of each line of `tests/mutants.txt`.
fn recorded() -> Vec<(Mutant, u64)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutants.txt");
    let text = fs::read_to_string(path).expect("the list can be read");
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap();
            let mutant = Mutant::ALL.iter().copied().find(|mutant| mutant.name() == name);
            let seed = words.next().and_then(|word| word.parse().ok());
            let seed = seed.unwrap_or_else(|| panic!("no seed in {line:?}"));
            (mutant.unwrap_or_else(|| panic!("unknown {name}")), seed)
        })
        .collect()
}

#[test]
fn each_mutant_is_caught_on_its_seed_and_the_engine_is_not() {
    let recorded = recorded();
    let names: BTreeSet<Mutant> = recorded.iter().map(|(mutant, _)| *mutant).collect();
    let missing: Vec<&Mutant> = Mutant::ALL.iter().filter(|m| !names.contains(m)).collect();
    assert!(missing.is_empty(), "no seed is recorded for {missing:?}");
    for (mutant, seed) in recorded {
        let clean = run_seed(seed, false, &mut |_| {}).judged;
        assert!(!matches!(clean, Judged::Broken(_)), "seed {seed} without a mutant: {clean:?}");
        mutant::set(Some(mutant));
        let judged = run_seed(seed, false, &mut |_| {}).judged;
        mutant::set(None);
        assert!(matches!(judged, Judged::Broken(_)), "{} lives on seed {seed}", mutant.name());
    }
}
