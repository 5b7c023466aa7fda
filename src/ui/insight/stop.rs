//! A long list that is one stop of the Tab key: arrows, Home and End move within it, Enter chooses.
//!
//! What it is: which row the Tab key comes to, and what a list and its rows say of themselves to those who do not see them.
//! What it is not: the rows, or which of them is chosen.
//! Invariants: as long as there are rows, exactly one of them is a stop: that which had the focus last, else the chosen
//! one, else the first. Moving chooses nothing.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::web_sys;

use crate::ui::dom;
use crate::ui::node::{Kept, Node, div, effect, h3, li, memo, ul};

/// See the module.
#[derive(Clone, Copy)]
pub(super) struct OneStop {
    /// What the ids of its rows begin with.
    kind: &'static str,
    names: Kept<Arc<Vec<String>>>,
    chosen: Kept<Option<String>>,
    touched: RwSignal<Option<String>>,
    stop: Kept<Option<String>>,
}

impl OneStop {
    /// For the rows of these names, in their order, of which one may be chosen.
    ///
    /// Call it when the list is made: what it keeps goes with the list.
    pub(super) fn new(
        kind: &'static str,
        names: impl Fn() -> Vec<String> + Send + Sync + 'static,
        chosen: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let names = memo(move || Arc::new(names()));
        let chosen = memo(chosen);
        let touched = RwSignal::new(None::<String>);
        effect(move || {
            chosen.track();
            touched.set(None);
        });
        let stop = memo(move || {
            let names = names.get();
            let among = |name: &String| names.contains(name);
            let name = touched.get().filter(among).or_else(|| chosen.get().filter(among));
            name.or_else(|| names.first().cloned())
        });
        Self { kind, names, chosen, touched, stop }
    }

    fn id(self, name: &str) -> String {
        format!("{}-row-{}", self.kind, name.replace(' ', "-"))
    }

    /// What holds the groups.
    pub(super) fn list(self, label: &'static str) -> Node {
        div().set("role", "listbox").label(label).on("keydown", move |event| self.key(&event))
    }

    /// Rows below a title.
    pub(super) fn group(self, title: String, rows: Vec<Node>) -> Node {
        let mut list = ul().set("role", "none");
        for row in rows {
            list = list.child(li().set("role", "none").child(row));
        }
        let heading = h3().set("role", "presentation").child(title.clone());
        div().set("role", "group").label(title).child(heading).child(list)
    }

    /// Makes this a row of the list.
    pub(super) fn row(self, name: &str, row: Node) -> Node {
        let is =
            move |which: Kept<Option<String>>, name: &str| which.get().as_deref() == Some(name);
        let (stop, chosen, touched) = (name.to_owned(), name.to_owned(), name.to_owned());
        row.set("id", self.id(name))
            .set("role", "option")
            .follow("tabindex", move || if is(self.stop, &stop) { "0" } else { "-1" }.to_owned())
            .follow("aria-selected", move || is(self.chosen, &chosen).to_string())
            .on("focus", move |_| self.touched.set(Some(touched.clone())))
    }

    fn key(self, event: &web_sys::Event) {
        let names = untrack(|| self.names.get());
        let at = untrack(|| self.stop.get());
        let at = names.iter().position(|name| Some(name) == at.as_ref()).unwrap_or(0);
        let last = names.len().saturating_sub(1);
        let Some(name) = step(&dom::key_of(event), at, last).and_then(|to| names.get(to)) else {
            return;
        };
        event.prevent_default();
        event.stop_propagation();
        dom::focus_on(&self.id(name));
    }
}

/// Where a key leads; nowhere if it is none of a list's.
fn step(key: &str, at: usize, last: usize) -> Option<usize> {
    match key {
        "ArrowDown" => Some(at.saturating_add(1).min(last)),
        "ArrowUp" => Some(at.saturating_sub(1)),
        "Home" => Some(0),
        "End" => Some(last),
        _ => None,
    }
}
