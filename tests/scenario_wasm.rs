//! The lab in WebAssembly gives the native run, byte for byte.
//!
//! Runs in a dedicated worker by `wasm-bindgen-test`; natively there is nothing in it.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, reason = "a failed test is meant to panic")]

use etcd_playground::lab::{run_script, transcript};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn the_experiment_gives_the_native_transcript_and_hashes() {
    let report = run_script(include_str!("scenarios/failover.txt")).unwrap();
    assert_eq!(transcript(&report), include_str!("scenarios/failover.golden"));
}

#[wasm_bindgen_test]
fn a_lesson_gives_the_native_transcript_and_hashes() {
    let report = run_script(include_str!("scenarios/lesson.txt")).unwrap();
    assert_eq!(transcript(&report), include_str!("scenarios/lesson.golden"));
}
