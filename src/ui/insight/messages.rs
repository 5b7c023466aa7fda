//! The messages between members: filters, a list, each message to open.

use leptos::prelude::*;

use super::Context;
use crate::playground::insight::{ChoiceOf, MessageRow, MessagesView, Shown};
use crate::types::MemberId;
use crate::ui::node::{
    Node, Row, button, dd, div, dl, dt, li, memo, p, part, rows, show, span, ul,
};

fn read<T>(context: Context, of: impl FnOnce(&MessagesView) -> T) -> T {
    context.views.messages.with(of)
}

pub(super) fn messages(context: Context) -> Node {
    let text = context.text.messages;
    div()
        .class("insight-view messages")
        .testid("messages-view")
        .set("role", "region")
        .label(text.title)
        .follow("data-samples", move || read(context, |view| view.samples.to_string()))
        .child(bar(context))
        .child(list(context))
}

/// What can be chosen.
fn bar(context: Context) -> Node {
    let text = context.text.messages;
    let kinds = move || read(context, |view| view.kinds.clone());
    let kinds = choices(text.kinds, kinds, move |shown: Shown| {
        let name = format!("messages-{}", shown.name());
        (name, Box::new(move || context.act(|model| model.show_messages(shown))))
    });
    let members = move || read(context, |view| view.members.clone());
    let members = choices(text.member, members, move |member: Option<MemberId>| {
        let name = member.map_or_else(|| "any".to_owned(), |member| format!("{member:x}"));
        let choose = move || context.act(|model| model.show_messages_of(member));
        (format!("messages-of-{name}"), Box::new(choose))
    });
    let is_paused = move || read(context, |view| view.is_paused);
    let pause = button("button button-small")
        .testid("messages-pause")
        .follow("aria-pressed", move || is_paused().to_string())
        .press(move || context.act(|model| model.pause_messages()))
        .text(move || if is_paused() { text.resume } else { text.pause }.to_owned());
    let counted = span()
        .class("keys-note")
        .testid("messages-counted")
        .set("title", text.hint)
        .text(move || read(context, |view| view.counted.clone()));
    div().class("keys-bar").child(kinds).child(members).child(pause).child(counted)
}

/// Values of which one is chosen.
fn choices<T: Clone + Send + Sync + PartialEq + 'static>(
    label: &'static str,
    all: impl Fn() -> Vec<ChoiceOf<T>> + Clone + Send + Sync + 'static,
    make: impl Fn(T) -> (String, Box<dyn FnMut()>) + Clone + Send + Sync + 'static,
) -> Node {
    let list = rows(move || {
        let row = |(at, choice): (usize, ChoiceOf<T>)| {
            let (all, make) = (all.clone(), make.clone());
            let is_on = memo(move || all().get(at).is_some_and(|choice| choice.is_on));
            Row::new(choice.label.clone(), move || {
                let (name, press) = make(choice.value);
                button("keys-option")
                    .testid(name)
                    .follow("aria-pressed", move || is_on.get().to_string())
                    .press(press)
                    .child(choice.label)
            })
        };
        all().into_iter().enumerate().map(row).collect()
    });
    div().class("keys-switch").set("role", "group").label(label).child(list)
}

fn list(context: Context) -> Node {
    let list = rows(move || {
        let row = |row: MessageRow| {
            // Made anew when it is opened; what is in it stays as it is.
            Row::new(row.id.to_string(), move || message(context, row))
        };
        read(context, |view| view.rows.clone()).into_iter().map(row).collect()
    });
    let empty = memo(move || read(context, |view| view.empty));
    div()
        .class("messages-list")
        .set("tabindex", "0")
        .set("role", "group")
        .label(context.text.messages.title)
        .on("mouseleave", move |_| context.act(|model| model.point_at(None)))
        .child(ul().child(list))
        .child(show(
            move || !empty.get().is_empty(),
            move || p().class("empty").text(move || empty.get().to_owned()),
        ))
}

fn message(context: Context, row: MessageRow) -> Node {
    let (id, link) = (row.id, row.link);
    let find = move || {
        read(context, |view| {
            view.rows.iter().find(|row| row.id == id).map(|row| row.fields.clone())
        })
    };
    let fields = memo(move || find().unwrap_or_default());
    let point = move || context.act(|model| model.point_at(Some(link)));
    let head = button("message-head")
        .testid("message")
        .set("data-kind", row.kind.clone())
        .follow("aria-expanded", move || (!fields.get().is_empty()).to_string())
        .press(move || context.act(|model| model.open_message(id)))
        .on("mouseenter", move |_| point())
        .on("focus", move |_| point())
        .on("blur", move |_| context.act(|model| model.point_at(None)))
        .child(span().class("message-time").child(row.time))
        .child(span().class("message-way").child(row.way))
        .child(span().class("message-kind").child(row.kind))
        .child(span().class("message-summary").child(row.summary))
        .child(span().class("message-fate").child(row.fate));
    let open = part(move || {
        let fields = fields.get();
        if fields.is_empty() {
            return None;
        }
        let mut list = dl().class("message-fields").testid("message-fields");
        for (name, value) in fields {
            list = list.child(div().child(dt().child(name)).child(dd().child(value)));
        }
        Some(list)
    });
    li().class("message")
        .set("data-class", row.class)
        .class_if("is-dropped", row.is_dropped)
        .child(head)
        .child(open)
}
