//! The lab in a worker: errands in, answers out, one after the other; nothing is stored.
//!
//! What it is: the thin shell around `lab`. What it is not: the lab.
//! Invariants: an answer carries its errand's number; an errand that cannot be read is a crash, since page and
//! lab are of one build.

use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

use super::boot::{post_bytes, prepare_worker, scope};
use super::errand::Errand;
use super::js;
use crate::lab::time::Machine;
use crate::wire;

/// Waits for encoded `(u64, Errand)`, posts encoded `(u64, Done)`.
pub fn start_lab() {
    prepare_worker();
    let mut machine = Machine::default();
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let bytes = js::bytes(&event.data()).unwrap_or_default();
        let (call, errand) = match wire::decode::<(u64, Errand)>(&bytes) {
            Ok(asked) => asked,
            Err(error) => unreachable!("an errand cannot be read: {error}"),
        };
        match errand.run(&mut machine).and_then(|done| wire::encode(&(call, done))) {
            Ok(bytes) => post_bytes(&bytes),
            Err(error) => unreachable!("an answer cannot be encoded: {error}"),
        }
    });
    scope().set_onmessage(Some(listener.into_js_value().unchecked_ref()));
}
