//! Small bindings to JavaScript that `web-sys` lacks, hides or makes long.
//!
//! What it is: clock, console, byte buffers, error texts, property access.
//! What it is not: a wrapper around everything. Invariants: nothing here panics on a foreign value.

use js_sys::{Array, ArrayBuffer, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    pub(super) fn console_error(text: &str);
    #[wasm_bindgen(js_namespace = console, js_name = warn)]
    pub(super) fn console_warn(text: &str);
    #[wasm_bindgen(js_namespace = console, js_name = info)]
    pub(super) fn console_info(text: &str);
    #[wasm_bindgen(catch, js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(array: &Uint8Array) -> Result<JsValue, JsValue>;
}

/// Tells the page's script where the program panicked; what it says may hold values, so it goes to the console only.
pub(super) fn tell_panics() {
    std::panic::set_hook(Box::new(|info| {
        console_error(&info.to_string());
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let page = page();
        if let Some(tell) = get(&page, "panicked").dyn_ref::<Function>() {
            let _told = tell.call1(&page, &JsValue::from_str(&place));
        }
    }));
}

/// The wall clock, for what only people compare. Unit: s since 1970.
pub(super) fn unix_s() -> i64 {
    i64::try_from(whole(js_sys::Date::now()) / 1000).unwrap_or(i64::MAX)
}

/// Milliseconds since this page or worker began.
pub(super) fn now_ms() -> u64 {
    whole(performance_now())
}

/// Microseconds since this page or worker began, as exact as the browser tells.
pub(super) fn now_us() -> u64 {
    #[expect(clippy::float_arithmetic, reason = "the browser's clock is a float")]
    whole(performance_now() * 1000.0)
}

/// A JavaScript number as a whole number; what is negative or no number is 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturating is what is wanted"
)]
pub(super) const fn whole(number: f64) -> u64 {
    number as u64
}

/// A whole number below 2^53 as a JavaScript number.
#[expect(clippy::cast_precision_loss, reason = "callers stay below 2^53")]
pub(super) const fn number(whole: u64) -> f64 {
    debug_assert!(whole < 1 << 53);
    whole as f64
}

/// 64 random bits from the browser.
pub(super) fn random_u64() -> u64 {
    let bytes = Uint8Array::new_with_length(8);
    if get_random_values(&bytes).is_err() {
        return now_us();
    }
    bytes.to_vec().iter().fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// Bytes in a fresh JavaScript buffer, ready to be transferred.
pub(super) fn buffer(bytes: &[u8]) -> ArrayBuffer {
    Uint8Array::from(bytes).buffer()
}

/// The bytes of an `ArrayBuffer`; `None` for every other value.
pub(super) fn bytes(value: &JsValue) -> Option<Vec<u8>> {
    value.dyn_ref::<ArrayBuffer>().map(|buffer| Uint8Array::new(buffer).to_vec())
}

/// A one-element list, as `postMessage` wants it for transfers.
pub(super) fn list(value: &JsValue) -> Array {
    Array::of1(value)
}

/// A property; `undefined` if there is none.
pub(super) fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}

/// Sets a property of an object of ours.
pub(super) fn set(object: &JsValue, name: &str, value: &JsValue) {
    let done = Reflect::set(object, &JsValue::from_str(name), value);
    debug_assert!(done.is_ok(), "our own plain objects take properties");
}

/// The object `www/boot.mjs` leaves: build id, addresses of scripts, and what it does for the program.
pub(super) fn page() -> JsValue {
    get(&js_sys::global(), "playground")
}

/// Calls a function of [`page`] and waits for what it promises.
///
/// # Errors
/// What it throws or is rejected with; or that there is no such function.
pub(super) async fn page_call(name: &str, arguments: &Array) -> Result<JsValue, JsValue> {
    let page = page();
    let Some(function) = get(&page, name).dyn_ref::<Function>().cloned() else {
        return Err(JsValue::from_str("the page was not started by boot.mjs"));
    };
    let promise = function.apply(&page, arguments)?;
    JsFuture::from(Promise::resolve(&promise)).await
}

/// What an exception says: `Name: message`, or the value itself.
pub(super) fn error_text(error: &JsValue) -> String {
    let part = |name| get(error, name).as_string().filter(|text| !text.is_empty());
    match (part("name"), part("message")) {
        (Some(name), Some(message)) => format!("{name}: {message}"),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}

/// An exception's name, such as `QuotaExceededError`.
pub(super) fn error_name(error: &JsValue) -> String {
    get(error, "name").as_string().unwrap_or_default()
}

/// Handles both ends of a promise that nobody waits for, so that a refusal is not reported as lost.
pub(super) fn ignore(promise: Promise) {
    wasm_bindgen_futures::spawn_local(async move {
        let _outcome = JsFuture::from(promise).await;
    });
}
