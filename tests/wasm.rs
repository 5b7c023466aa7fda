//! Tests that need WebAssembly: they run in a dedicated worker of a headless browser.
//!
//! `cargo xtask test wasm` runs them; natively this file is empty.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test is meant to panic"
)]

#[path = "behaviour/mod.rs"]
mod behaviour;
#[path = "wasm/browser.rs"]
mod browser;

use etcd_playground::random::Pcg32;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::DedicatedWorkerGlobalScope;
use web_sys::wasm_bindgen::JsCast;

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn tests_run_in_a_dedicated_worker_with_indexed_db() {
    let scope = js_sys::global();
    assert!(scope.is_instance_of::<DedicatedWorkerGlobalScope>());
    let factory =
        js_sys::Reflect::get(&scope, &"indexedDB".into()).expect("a property can be read");
    assert!(factory.is_object(), "IndexedDB is there: {factory:?}");
}

#[wasm_bindgen_test]
fn random_numbers_are_the_native_ones() {
    // The first outputs of the reference implementation's own demonstration.
    let mut pcg = Pcg32::from_state_and_stream(42, 54);
    let drawn = [pcg.next_u32(), pcg.next_u32(), pcg.next_u32()];
    assert_eq!(drawn, [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330]);
}
