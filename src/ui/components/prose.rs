//! Sentences with code and emphasis.

use leptos::prelude::*;

use crate::playground::view::prose::Span;

/// Writes spans down.
pub(crate) fn spans(spans: Vec<Span>) -> impl IntoView {
    spans
        .into_iter()
        .map(|span| match span {
            Span::Text(text) => text.into_any(),
            Span::Code(text) => view! { <code>{text}</code> }.into_any(),
            Span::Emphasis(text) => view! { <em>{text}</em> }.into_any(),
        })
        .collect_view()
}
