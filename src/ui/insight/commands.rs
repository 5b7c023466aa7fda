//! The reference of commands: a list to choose from, the page of the chosen one, examples to try.

use super::Context;
use super::stop::OneStop;
use crate::playground::insight::Ask;
use crate::playground::reference::{CommandRow, CommandSection, ReferenceView};
use crate::ui::dom;
use crate::ui::node::{Node, Row, button, code, div, h3, input, p, part, pre, rows, show, span};
use leptos::prelude::*;

fn read<T>(context: Context, of: impl FnOnce(&ReferenceView) -> T) -> T {
    context.views.commands.with(of)
}

pub(super) fn commands(context: Context) -> Node {
    let text = context.text;
    div()
        .class("insight-view commands")
        .testid("commands-view")
        .set("role", "region")
        .label(text.commands_title)
        .child(
            div()
                .class("commands-head")
                .child(p().class("commands-hint").child(text.commands_hint))
                .child(filter(context)),
        )
        .child(div().class("reference").child(list(context)).child(page(context)))
}

fn filter(context: Context) -> Node {
    let text = context.text;
    input()
        .set("type", "search")
        .class("field-input reference-filter")
        .testid("reference-filter")
        .label(text.commands_filter)
        .set("placeholder", text.commands_filter)
        .set("spellcheck", "false")
        .value(move || read(context, |view| view.filter.clone()))
        .on("input", move |event| {
            let text = dom::value_of(&event);
            context.act(|model| model.reference().filter(text));
        })
}

fn list(context: Context) -> Node {
    let names = move || {
        read(context, |view| {
            let commands = view.sections.iter().flat_map(|section| &section.commands);
            commands.map(|row| row.name.clone()).collect()
        })
    };
    let chosen = move || read(context, |view| view.page.as_ref().map(|page| page.name.clone()));
    let stop = OneStop::new("reference", names, chosen);
    let sections = rows(move || {
        let sections = read(context, |view| view.sections.clone());
        let section = |section: CommandSection| {
            let names: Vec<&str> = section.commands.iter().map(|row| row.name.as_str()).collect();
            let key = format!("{} {}", section.heading, names.join(" "));
            Row::new(key, move || section_of(context, stop, section))
        };
        sections.into_iter().map(section).collect()
    });
    let is_empty = move || read(context, |view| view.is_known && view.sections.is_empty());
    let list = stop.list(context.text.commands_title).child(sections);
    div().class("reference-list").child(list).child(show(is_empty, move || {
        p().class("empty").set("role", "status").child(context.text.commands_none)
    }))
}

fn section_of(context: Context, stop: OneStop, section: CommandSection) -> Node {
    let row = |row: CommandRow| {
        let name = row.name.clone();
        let shown = button("reference-row")
            .testid(format!("reference-{}", name.replace(' ', "-")))
            .press(move || context.ask(&Ask::Command(name.clone())))
            .child(code().child(row.name.clone()))
            .child(span().child(row.about));
        stop.row(&row.name, shown)
    };
    stop.group(section.heading, section.commands.into_iter().map(row).collect())
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
            node = node.child(h3().child(text.commands_examples));
        }
        for example in page.examples {
            node = node.child(
                button("button reference-example")
                    .child(code().child(example.clone()))
                    .press(move || context.ask(&Ask::Write(example.clone()))),
            );
        }
        Some(node)
    });
    let is_none = move || read(context, |view| view.page.is_none());
    div()
        .class("reference-page")
        .set("aria-live", "polite")
        .set("tabindex", "0")
        .label(text.commands_title)
        .child(chosen)
        .child(show(is_none, move || p().class("empty").child(text.commands_choose)))
}
