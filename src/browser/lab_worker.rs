//! The lab in a worker: one script in, one report out; nothing is stored.
//!
//! What it is: the thin shell around `lab`. What it is not: the lab.
//! Invariants: the worker runs one script; the page ends it after the answer.

use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

use super::boot::{post_bytes, prepare_worker, scope};
use crate::lab;
use crate::scenario::Report;
use crate::wire;

/// Waits for the script, runs it, posts the encoded `Result<Report, String>`.
pub fn start_lab() {
    prepare_worker();
    let listener = Closure::once_into_js(|event: MessageEvent| {
        let script = event.data().as_string().ok_or_else(|| "no script came".to_owned());
        let result: Result<Report, String> = script.and_then(|script| lab::run_script(&script));
        match wire::encode(&result) {
            Ok(bytes) => post_bytes(&bytes),
            Err(error) => unreachable!("a report cannot be encoded: {error}"),
        }
    });
    scope().set_onmessage(Some(listener.unchecked_ref()));
}
