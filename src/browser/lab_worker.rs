//! The lab in a worker: questions in, answers out, one after the other; nothing is stored.
//!
//! What it is: the thin shell around `lab`. What it is not: the lab.
//! Invariants: an answer carries its question's number; a question that cannot be read is a crash, since page and
//! lab are of one build.

use wasm_bindgen::prelude::*;
use web_sys::MessageEvent;

use super::boot::{post_bytes, prepare_worker, scope};
use super::js;
use crate::lab;
use crate::scenario::Question;
use crate::wire;

/// Waits for encoded `(u64, Question)`, posts encoded `(u64, Result<Sheet, String>)`.
pub fn start_lab() {
    prepare_worker();
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let bytes = js::bytes(&event.data()).unwrap_or_default();
        let (call, question) = match wire::decode::<(u64, Question)>(&bytes) {
            Ok(asked) => asked,
            Err(error) => unreachable!("a question cannot be read: {error}"),
        };
        match wire::encode(&(call, lab::answer(question))) {
            Ok(bytes) => post_bytes(&bytes),
            Err(error) => unreachable!("an answer cannot be encoded: {error}"),
        }
    });
    scope().set_onmessage(Some(listener.into_js_value().unchecked_ref()));
}
