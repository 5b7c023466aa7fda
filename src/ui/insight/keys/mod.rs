//! The keys: the list, the ribbon of the chosen one, and its chosen revision.
//!
//! What it is: the view's bar and its three columns; on a narrow screen one after the other.
//! What it is not: the history; the page tells what can be seen of it, and is told what a person does.

mod detail;
mod ribbon;
mod scroll;
mod space;

use leptos::prelude::*;

use super::Context;
use crate::playground::insight::Ask;
use crate::playground::keys::{KeysEvent, KeysView};
use crate::ui::dom;
use crate::ui::node::{Node, button, div, either, input, p, span};

/// The view.
pub(super) fn keys(context: Context) -> Node {
    let words = context.words;
    let is_chosen = move || told(context, |keys| keys.selected.is_some());
    let chosen = move || {
        div().class("keys-key").child(ribbon::ribbon(context)).child(detail::detail(context))
    };
    let choose = move || div().class("keys-key").child(p().class("empty").child(words.choose));
    div().class("insight-view keys-view").testid("keys-view").child(bar(context)).child(
        div()
            .class("keys-columns")
            .class_while("has-key", is_chosen)
            .class_while("has-past", move || told(context, |keys| keys.past.is_some()))
            .child(space::space(context))
            .child(either(is_chosen, chosen, choose)),
    )
}

/// Reads what the page told.
fn told<T>(context: Context, read: impl FnOnce(&KeysView) -> T) -> T {
    context.views.keys.with(read)
}

fn bar(context: Context) -> Node {
    let words = context.words;
    let filter = input()
        .set("type", "search")
        .class("field-input keys-filter")
        .testid("key-filter")
        .label(words.filter)
        .set("placeholder", words.filter)
        .set("spellcheck", "false")
        .value(move || told(context, |keys| keys.filter.clone()))
        .on("input", move |event| {
            context.ask(&Ask::Keys(KeysEvent::Filter(dom::value_of(&event))));
        });
    let mut arrangement = div().class("keys-switch").set("role", "group").label(words.arrangement);
    for (is_grouped, name, id) in
        [(false, words.flat, "keys-flat"), (true, words.tree, "keys-tree")]
    {
        arrangement = arrangement.child(
            button("keys-option")
                .testid(id)
                .follow("aria-pressed", move || {
                    told(context, |keys| keys.is_grouped == is_grouped).to_string()
                })
                .press(move || context.ask(&Ask::Keys(KeysEvent::Group(is_grouped))))
                .child(name),
        );
    }
    let shows_deleted = move || told(context, |keys| keys.shows_deleted);
    let deleted = button("keys-option keys-single")
        .testid("keys-deleted")
        .set("title", words.deleted_keys_hint)
        .follow("aria-pressed", move || shows_deleted().to_string())
        .press(move || {
            context.ask(&Ask::Keys(KeysEvent::ShowDeleted(!untrack(shows_deleted))));
        })
        .child(words.deleted_keys);
    div()
        .class("keys-bar")
        .child(filter)
        .child(arrangement)
        .child(deleted)
        .child(at_revision(context))
        .child(
            span()
                .class("keys-note")
                .testid("keys-note")
                .follow("title", move || note(context))
                .text(move || note(context)),
        )
}

/// The field for a revision at which the key space is looked at.
fn at_revision(context: Context) -> Node {
    let words = context.words;
    let wish = RwSignal::new(String::new());
    let look = move || {
        if let Ok(revision) = wish.get_untracked().trim().parse::<i64>() {
            context.ask(&Ask::Keys(KeysEvent::LookAt(revision.max(1))));
        }
    };
    let field = input()
        .set("type", "text")
        .set("inputmode", "numeric")
        .set("size", "5")
        .class("field-input keys-wish")
        .testid("at-revision")
        .label(words.look_hint)
        .set("placeholder", words.revision)
        .value(move || wish.get())
        .on("input", move |event| wish.set(dom::value_of(&event)))
        .on("keydown", move |event| {
            if dom::key_of(&event) == "Enter" {
                look();
            }
        });
    div().class("keys-at").child(field).child(
        button("button button-small").testid("at-revision-show").press(look).child(words.look),
    )
}

/// How many keys, and which revision they are of.
fn note(context: Context) -> String {
    let words = context.words;
    told(context, |keys| {
        let mut note = if keys.matching == keys.total {
            words.count.of(keys.total)
        } else {
            words.count_of.of(&keys.matching.to_string(), &keys.total.to_string())
        };
        let mut add = |more: &str| {
            note.push_str(" · ");
            note.push_str(more);
        };
        if keys.is_live {
            add(&words.live.of(&keys.revision.to_string()));
        } else {
            add(words.behind);
        }
        if keys.compact_revision > 0 {
            add(&words.compacted.of(&keys.compact_revision.to_string()));
        }
        if keys.all_dropped > 0 {
            add(&words.all_dropped.of(&keys.all_dropped.to_string()));
        }
        note
    })
}
