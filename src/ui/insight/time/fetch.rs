//! Fetching lists and scenarios from beside the page.
//!
//! Invariants: what cannot be fetched or read gives a sentence, never a panic.

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::playground::insight::{Folder, Listed};

fn get(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}

fn words_of(error: &JsValue) -> String {
    let message = get(error, "message").as_string();
    message.or_else(|| error.as_string()).unwrap_or_default()
}

async fn fetched(folder: Folder, file: &str) -> Result<web_sys::Response, JsValue> {
    let build = get(&get(&js_sys::global(), "playground"), "build").as_string().unwrap_or_default();
    let address = format!("{}/{file}?v={build}", folder.name());
    let response = JsFuture::from(window().fetch_with_str(&address)).await?;
    let response: web_sys::Response = response.dyn_into()?;
    if response.ok() {
        Ok(response)
    } else {
        Err(JsValue::from_str(&format!("{file}: {}", response.status())))
    }
}

/// The text of a file.
pub(super) async fn script(folder: Folder, file: &str) -> Result<String, String> {
    let text = async {
        let text = JsFuture::from(fetched(folder, file).await?.text()?).await?;
        text.as_string().ok_or(text)
    };
    text.await.map_err(|error| words_of(&error))
}

/// The list of a folder.
pub(super) async fn list(folder: Folder) -> Result<Vec<Listed>, String> {
    let list = async { JsFuture::from(fetched(folder, "index.json").await?.json()?).await };
    let list = list.await.map_err(|error| words_of(&error))?;
    Ok(js_sys::Array::from(&list).iter().map(|entry| listed(&entry)).collect())
}

fn listed(entry: &JsValue) -> Listed {
    let text = |name: &str| get(entry, name).as_string().unwrap_or_default();
    let number = get(entry, "number").as_f64().unwrap_or(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturating is what is wanted"
    )]
    let number = number as u32;
    // The catalogue of errors calls its titles messages.
    let title = [text("title"), text("message"), text("file")];
    let title = title.into_iter().find(|it| !it.is_empty()).unwrap_or_default();
    Listed { number, file: text("file"), title, title_zh: text("title_zh") }
}
