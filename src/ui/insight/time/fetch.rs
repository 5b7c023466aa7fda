//! Fetching lists and scenarios from beside the page.
//!
//! Invariants: what cannot be fetched or read gives a sentence, never a panic.

use wasm_bindgen::JsValue;

use crate::playground::insight::{Folder, Listed};
use crate::ui::insight::fetch::{get, read_json, read_text, words_of};

/// The text of a file.
pub(super) async fn script(folder: Folder, file: &str) -> Result<String, String> {
    let text = read_text(&format!("{}/{file}", folder.name())).await;
    text.map_err(|error| words_of(&error))
}

/// The list of a folder.
pub(super) async fn list(folder: Folder) -> Result<Vec<Listed>, String> {
    let address = format!("{}/index.json", folder.name());
    let list = read_json(&address).await.map_err(|error| words_of(&error))?;
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
