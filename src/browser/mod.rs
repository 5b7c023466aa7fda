//! The browser edge: IndexedDB, MessagePort, timers, workers.
//!
//! So far it only answers the first message, which proves the worker's start.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::DedicatedWorkerGlobalScope;

/// Tells the page that this worker runs, with the configuration it was given.
///
/// Outside a dedicated worker it does nothing.
pub fn start(config: JsValue, _ports: JsValue) {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return;
    };
    let message = js_sys::Array::of2(&JsValue::from_str("ready"), &config);
    if let Err(error) = scope.post_message(&message) {
        log::error!("the page cannot be reached: {error:?}");
    }
}
