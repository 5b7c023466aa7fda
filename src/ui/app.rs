//! The frame of the page.

use leptos::prelude::*;

/// The whole page.
#[component]
pub(crate) fn App() -> impl IntoView {
    view! {
        <main data-testid="app">
            <h1>"etcd playground"</h1>
        </main>
    }
}
