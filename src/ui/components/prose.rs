//! Sentences with code and emphasis.

use leptos::prelude::AnyView;

use crate::playground::view::prose::Span;
use crate::ui::node::{Child, code, em};

impl Child for Span {
    fn add_to(self, children: &mut Vec<AnyView>) {
        match self {
            Self::Text(text) => text.add_to(children),
            Self::Code(text) => code().child(text).add_to(children),
            Self::Emphasis(text) => em().child(text).add_to(children),
        }
    }
}
