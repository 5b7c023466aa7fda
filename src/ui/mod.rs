//! The Leptos page: components render view structs and call back, nothing else.
#![expect(unreachable_pub, reason = "Leptos' component macro writes `pub` items")]

mod app;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;

/// Puts the user interface into the element `#app` of the page.
///
/// # Panics
/// When the page has no such element: `index.html` and this program belong together.
pub fn mount() {
    let root = document()
        .get_element_by_id("app")
        .and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    assert!(root.is_some(), "index.html has an element with the id `app`");
    if let Some(root) = root {
        mount_to(root, app::App).forget();
    }
}
