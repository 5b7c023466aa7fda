//! Web Locks, through a binding of our own: `web-sys` hides them behind an unstable flag.
//!
//! What it is: acquire, hold, release. What it is not: `steal`, which is never used.
//! Invariants: a lock is held until its [`Held`] is dropped or its page or worker ends.
//! Source: W3C Web Locks API.

use js_sys::{Array, Function, Object, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::js;

#[wasm_bindgen]
extern "C" {
    type LockManager;
    #[wasm_bindgen(method, catch)]
    fn request(
        this: &LockManager,
        name: &str,
        options: &Object,
        callback: &JsValue,
    ) -> Result<Promise, JsValue>;
}

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    release: Function,
}

impl Drop for Held {
    fn drop(&mut self) {
        let _released = self.release.call0(&JsValue::UNDEFINED);
    }
}

/// Whether to stand in line for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Wait until it is free.
    Wait,
    /// Take it now or not at all.
    IfAvailable,
}

fn manager() -> Option<LockManager> {
    let navigator = js::get(&js_sys::global(), "navigator");
    let locks = js::get(&navigator, "locks");
    locks.is_object().then(|| locks.unchecked_into())
}

/// True if this context has Web Locks (secure contexts only).
pub(super) fn are_supported() -> bool {
    manager().is_some()
}

/// A promise and the function that resolves it.
fn deferred() -> (Promise, Function) {
    let mut resolver = None;
    let promise = Promise::new(&mut |resolve, _reject| resolver = Some(resolve));
    let Some(resolve) = resolver else { unreachable!("a promise calls its executor at once") };
    (promise, resolve)
}

/// Takes a lock; `Ok(None)`: it is not available.
///
/// # Errors
/// What the browser says if it has no locks or refuses.
pub(super) async fn acquire(name: &str, patience: Patience) -> Result<Option<Held>, String> {
    let manager = manager().ok_or_else(|| "this browser has no Web Locks here".to_owned())?;
    let options = Object::new();
    let if_available = patience == Patience::IfAvailable;
    js::set(&options, "ifAvailable", &JsValue::from_bool(if_available));
    let (granted, grant) = deferred();
    let (holding, release) = deferred();
    let callback = Closure::once_into_js(move |lock: JsValue| -> JsValue {
        let is_granted = !lock.is_null() && !lock.is_undefined();
        let _granted = grant.call1(&JsValue::UNDEFINED, &JsValue::from_bool(is_granted));
        if is_granted { holding.into() } else { JsValue::UNDEFINED }
    });
    let request =
        manager.request(name, &options, &callback).map_err(|error| js::error_text(&error))?;
    let first = Promise::race(&Array::of2(&granted, &request));
    let outcome = JsFuture::from(first).await.map_err(|error| js::error_text(&error))?;
    Ok(outcome.is_truthy().then_some(Held { release }))
}
