//! The lab in a worker: one script in, one report out; nothing is stored.
//!
//! What it is: the thin shell around `lab`. What it is not: the lab.
//! Invariants: the worker runs one script; the page ends it after the answer.

use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

use super::boot::{post_bytes, scope};
use crate::scenario::Report;
use crate::wire;

/// Runs a script.
fn run(script: &str) -> Result<Report, String> {
    let _ = script;
    Err("the lab is not part of this build".to_owned())
}

/// Waits for the script, runs it, posts the encoded `Result<Report, String>`.
pub(super) fn listen() {
    let listener = Closure::once_into_js(|event: MessageEvent| {
        let script = event.data().as_string().ok_or_else(|| "no script came".to_owned());
        let result: Result<Report, String> = script.and_then(|script| run(&script));
        match wire::encode(&result) {
            Ok(bytes) => post_bytes(&bytes),
            Err(error) => unreachable!("a report cannot be encoded: {error}"),
        }
    });
    scope().set_onmessage(Some(listener.unchecked_ref()));
}
