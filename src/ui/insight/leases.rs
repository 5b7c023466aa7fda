//! Leases: what is left of each, its keys, and a switch that keeps it alive.

use leptos::prelude::*;

use super::Context;
use super::watches::written;
use crate::playground::insight::{Ask, LeaseKeyView, LeaseView};
use crate::types::LeaseId;
use crate::ui::node::{
    Node, Row, button, code, div, h3, li, memo, p, rows, section, show, span, ul,
};

/// A line to begin with.
const TRY_LEASE: &str = "etcdctl lease grant 30";

pub(super) fn leases(context: Context) -> Node {
    let text = context.text.held;
    let view = context.views.watches;
    let ids = memo(move || {
        view.with(|view| view.leases.leases.iter().map(|it| it.lease).collect::<Vec<_>>())
    });
    let leases = rows(move || {
        let row = |id: LeaseId| Row::new(format!("{id:x}"), move || lease(context, id));
        ids.get().into_iter().map(row).collect()
    });
    section()
        .class("held-part")
        .set("tabindex", "0")
        .label(text.leases)
        .child(
            div().class("held-head").child(h3().child(text.leases)).child(
                span()
                    .class("held-primary")
                    .testid("lease-primary")
                    .text(move || view.with(|view| view.leases.primary.clone())),
            ),
        )
        .child(ul().class("leases").testid("leases").child(leases))
        .child(show(
            move || view.with(|view| view.leases.is_known && view.leases.leases.is_empty()),
            move || written(context, text.no_lease, TRY_LEASE, "held-try-lease"),
        ))
        .child(p().class("held-hint").text(move || view.with(|view| view.leases.more.clone())))
}

/// Reads one lease; it may just have gone.
fn read<T: Default>(context: Context, id: LeaseId, of: impl FnOnce(&LeaseView) -> T) -> T {
    context.views.watches.with(|view| {
        view.leases.leases.iter().find(|it| it.lease == id).map(of).unwrap_or_default()
    })
}

fn lease(context: Context, id: LeaseId) -> Node {
    let name = untrack(|| read(context, id, |it| it.id.clone()));
    let head = div()
        .class("lease-head")
        .child(code().class("lease-id").child(name.clone()))
        .child(
            span()
                .class("lease-left")
                .testid(format!("lease-left-{name}"))
                .text(move || read(context, id, |it| it.words.clone())),
        )
        .child(
            span().class("lease-granted").text(move || read(context, id, |it| it.granted.clone())),
        )
        .child(
            span()
                .class("lease-granted")
                .text(move || read(context, id, |it| it.checkpoint.clone())),
        );
    li().class("lease")
        .testid(format!("lease-{name}"))
        .follow("data-state", move || read(context, id, |it| it.state.name().to_owned()))
        .child(head)
        .child(bar(context, id, &name))
        .child(keys(context, id, &name))
        .child(actions(context, id, &name))
}

fn bar(context: Context, id: LeaseId, name: &str) -> Node {
    let text = context.text.held;
    let part = move || format!("{}e-3", read(context, id, |it| it.share));
    div()
        .class("lease-bar")
        .set("role", "meter")
        .label(text.time_left.of(name))
        .set("aria-valuemin", "0")
        .follow("aria-valuemax", move || read(context, id, |it| it.granted_seconds.to_string()))
        .follow("aria-valuenow", move || read(context, id, |it| it.seconds.to_string()))
        .follow("aria-valuetext", move || read(context, id, |it| it.words.clone()))
        .child(div().class("lease-rest").property("--part", part))
}

fn keys(context: Context, id: LeaseId, name: &str) -> Node {
    let text = context.text.held;
    let keys = memo(move || read(context, id, |it| it.keys.clone()));
    let is_over = memo(move || read(context, id, |it| it.state.is_over()));
    let keys = rows(move || {
        let is_over = is_over.get();
        let row = |view: LeaseKeyView| {
            let name = format!("{is_over} {}", view.words);
            Row::new(name, move || key(context, view, is_over))
        };
        keys.get().into_iter().map(row).collect()
    });
    div()
        .class("lease-keys")
        .child(ul().class("lease-key-list").label(text.keys_of.of(name)).child(keys))
        .child(
            span().class("lease-note").text(move || read(context, id, |it| it.keys_note.clone())),
        )
}

fn key(context: Context, view: LeaseKeyView, is_over: bool) -> Node {
    let text = context.text.held;
    let LeaseKeyView { words, key } = view;
    let Some(key) = key.filter(|_| !is_over) else {
        return li().child(code().class("lease-key").child(words));
    };
    let shown = button("lease-key")
        .label(text.show_key.of(&words))
        .press(move || context.ask(&Ask::Key(key.clone())))
        .child(words);
    li().child(shown)
}

fn actions(context: Context, id: LeaseId, name: &str) -> Node {
    let text = context.text.held;
    let is_kept = move || read(context, id, |it| it.is_kept);
    let is_over = move || read(context, id, |it| it.state.is_over());
    let is_failed = move || read(context, id, |it| it.is_failed);
    let renewed = move || read(context, id, |it| it.renewed.clone());
    let keep = button("lease-keep")
        .testid(format!("lease-keep-{name}"))
        .set("role", "switch")
        .set("title", text.keep_hint.of(name))
        .follow("aria-checked", move || is_kept().to_string())
        .disabled_while(is_over)
        .press(move || {
            let is_on = !untrack(is_kept);
            context.ask(&Ask::KeepAlive { lease: id, is_on });
        })
        .child(span().class("lease-knob").set("aria-hidden", "true"))
        .child(span().child(text.keep));
    let line = format!("etcdctl lease revoke {name}");
    let revoke = button("button button-small")
        .testid(format!("lease-revoke-{name}"))
        .set("title", text.revoke_hint.of(name))
        .disabled_while(is_over)
        .press(move || context.ask(&Ask::Write(line.clone())))
        .child(text.revoke);
    div()
        .class("lease-actions")
        .child(keep)
        .child(
            span()
                .class("lease-note")
                .testid(format!("lease-renewed-{name}"))
                .text(move || if is_failed() { String::new() } else { renewed() }),
        )
        .child(show(is_failed, move || {
            span().class("lease-note is-failed").set("role", "alert").text(renewed)
        }))
        .child(revoke)
}
