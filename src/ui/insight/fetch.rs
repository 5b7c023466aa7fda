//! Files from beside the page: lists, lessons, entries, scenarios.
//!
//! Invariants: what cannot be fetched gives a reason in words, never a panic; files are those of the page's own build.

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

pub(super) fn words_of(error: &JsValue) -> String {
    let message = get(error, "message").as_string();
    message.or_else(|| error.as_string()).unwrap_or_default()
}

pub(super) fn get(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}

/// A file that stands beside the page.
async fn fetched(file: &str) -> Result<web_sys::Response, JsValue> {
    let build = get(&get(&js_sys::global(), "playground"), "build").as_string().unwrap_or_default();
    let address = format!("{file}?v={build}");
    let response = JsFuture::from(window().fetch_with_str(&address)).await?;
    let response: web_sys::Response = response.dyn_into()?;
    if response.ok() {
        Ok(response)
    } else {
        Err(JsValue::from_str(&format!("{file}: {}", response.status())))
    }
}

/// What a file in JSON says.
pub(super) async fn read_json(file: &str) -> Result<JsValue, JsValue> {
    JsFuture::from(fetched(file).await?.json()?).await
}

pub(super) async fn read_text(file: &str) -> Result<String, JsValue> {
    let text = JsFuture::from(fetched(file).await?.text()?).await?;
    text.as_string().ok_or(text)
}
