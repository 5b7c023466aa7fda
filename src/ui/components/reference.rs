//! The reference of commands: a list to choose from, the page of the chosen one, examples to try.

use leptos::prelude::*;

use crate::playground::event::{Event, ReferenceEvent};
use crate::playground::reference::{CommandRow, ReferenceView};
use crate::ui::components::dialogs::modal;
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Node, Row, button, code, div, h2, h3, input, li, p, part, pre, rows, show, span, ul,
};

/// Reads the dialog's view; the default while it is closed.
fn read<T: Default>(context: Context, of: impl FnOnce(&ReferenceView) -> T) -> T {
    context.views.reference.with(|reference| reference.as_ref().map(of).unwrap_or_default())
}

fn send(context: Context, event: ReferenceEvent) {
    context.send(Event::Reference(event));
}

/// What opens it.
pub(super) fn reference_button(context: Context) -> Node {
    let text = context.text;
    button("button button-quiet")
        .testid("reference-open")
        .press(move || send(context, ReferenceEvent::Open))
        .child(text.reference)
}

/// The dialog.
pub(crate) fn reference(context: Context) -> Node {
    let text = context.text;
    let is_open = move || context.views.reference.with(Option::is_some);
    let close = button("button button-quiet")
        .testid("reference-close")
        .label(text.close)
        .press(move || send(context, ReferenceEvent::Close))
        .child(icon(Sign::Close));
    let head = div()
        .class("dialog-head")
        .child(h2().set("id", "reference-title").child(text.reference))
        .child(close);
    modal(is_open, move || send(context, ReferenceEvent::Close))
        .class("dialog-reference")
        .set("aria-labelledby", "reference-title")
        .testid("reference")
        .child(head)
        .child(p().class("dialog-intro").child(text.reference_hint))
        .child(filter(context))
        .child(div().class("reference").child(list(context)).child(page(context)))
}

fn filter(context: Context) -> Node {
    let text = context.text;
    input()
        .set("type", "search")
        .class("field-input reference-filter")
        .testid("reference-filter")
        .label(text.reference_filter)
        .set("placeholder", text.reference_filter)
        .set("spellcheck", "false")
        .value(move || read(context, |view| view.filter.clone()))
        .on("input", move |event| {
            send(context, ReferenceEvent::Filter(dom::value_of(&event)));
        })
}

fn list(context: Context) -> Node {
    let sections = rows(move || {
        let sections = read(context, |view| view.sections.clone());
        let section = |(heading, commands): (&'static str, Vec<CommandRow>)| {
            let names: Vec<&str> = commands.iter().map(|row| row.name.as_str()).collect();
            let key = format!("{heading} {}", names.join(" "));
            Row::new(key, move || section_of(context, heading, commands))
        };
        sections.into_iter().map(section).collect()
    });
    let is_empty = move || read(context, |view| Some(view.sections.is_empty())) == Some(true);
    div().class("reference-list").child(sections).child(show(is_empty, move || {
        p().class("empty").set("role", "status").child(context.text.reference_none)
    }))
}

fn section_of(context: Context, heading: &'static str, commands: Vec<CommandRow>) -> Node {
    let mut list = ul();
    for row in commands {
        let (name, chosen) = (row.name.clone(), row.name.clone());
        let is_chosen = move || {
            read(context, |view| view.page.as_ref().is_some_and(|page| page.name == chosen))
        };
        list = list.child(
            li().child(
                button("reference-row")
                    .testid(format!("reference-{}", row.name.replace(' ', "-")))
                    .follow("aria-current", move || is_chosen().to_string())
                    .press(move || send(context, ReferenceEvent::Choose(name.clone())))
                    .child(code().child(row.name))
                    .child(span().child(row.about)),
            ),
        );
    }
    div().child(h3().child(heading)).child(list)
}

/// The chosen command.
fn page(context: Context) -> Node {
    let text = context.text;
    let chosen = part(move || {
        let page = read(context, |view| view.page.clone())?;
        let mut node = div()
            .child(h3().child(page.name))
            .child(pre().class("piece").testid("reference-page").child(page.text));
        if !page.examples.is_empty() {
            node = node.child(h3().child(text.reference_examples));
        }
        for example in page.examples {
            node = node.child(
                button("button reference-example")
                    .press(move || send(context, ReferenceEvent::Write(example.to_owned())))
                    .child(code().child(example)),
            );
        }
        Some(node)
    });
    let is_none = move || read(context, |view| Some(view.page.is_none())) == Some(true);
    div()
        .class("reference-page")
        .set("aria-live", "polite")
        .set("tabindex", "0")
        .label(text.reference)
        .child(chosen)
        .child(show(is_none, move || p().class("empty").child(text.reference_choose)))
}
