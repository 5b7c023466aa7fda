//! The field with the text, the numbers of its lines, and what is wrong with it.
//!
//! Invariants: the field's text is set only when it was replaced by something else than typing; the mark stands at the fault's
//! line and moves nothing.

use std::time::Duration;

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

use super::Desk;
use crate::ui::dom;
use crate::ui::node::{Node, button, div, effect, found, memo, p, pre, show, span, textarea};

/// Most lines that get a number. Source: ours; a scenario has 5,000 steps at most.
const NUMBERS_MAX: u32 = 20_000;
/// The field takes the focus so long after it was wanted.
const FOCUS_AFTER: Duration = Duration::from_millis(150);

pub(super) fn text(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let scroll = RwSignal::new(0);
    let lines = memo(move || view.with(|view| view.lines.clamp(1, NUMBERS_MAX)));
    let numbers = pre().class("scenario-numbers").set("aria-hidden", "true").text(move || {
        let numbers: Vec<String> = (1..=lines.get()).map(|line| line.to_string()).collect();
        numbers.join("\n")
    });
    let line = move || view.with(|view| view.fault.as_ref().map_or(0, |fault| fault.line));
    let has_fault = move || line() > 0;
    let mark = move || div().class("scenario-fault-line").set("aria-hidden", "true");
    let frame = div()
        .class("scenario-field")
        .class_while("has-fault", has_fault)
        .property("--scroll", move || format!("{}px", scroll.get()))
        .property("--line", move || line().to_string())
        .property("--lines", move || lines.get().to_string())
        .child(show(has_fault, mark))
        .child(div().class("scenario-gutter").child(numbers))
        .child(field(desk, scroll));
    div()
        .class("scenario-text")
        .child(frame)
        .child(p().class("scenario-label").set("id", "scenario-note").child(text.field_note))
}

fn field(desk: Desk, scroll: RwSignal<i32>) -> Node {
    let (text, view) = (desk.text, desk.view);
    let placed = memo(move || view.with(|view| view.placed));
    effect(move || {
        placed.track();
        if let Some(field) = area(desk.field.get()) {
            field.set_value(&desk.written());
            field.set_scroll_top(0);
            scroll.set(0);
        }
    });
    let wanted = memo(move || view.with(|view| view.focus));
    effect(move || {
        let wanted = wanted.get();
        if area(desk.field.get()).is_some() && desk.is_focus_new(wanted) {
            // The dialog that the text comes from gives the focus back to its button first.
            set_timeout(move || go_to(desk, 1, 1), FOCUS_AFTER);
        }
    });
    textarea()
        .class("scenario-input")
        .testid("scenario-text")
        .at(desk.field)
        .label(text.field)
        .set("aria-describedby", "scenario-note scenario-status")
        .follow("aria-invalid", move || view.with(|view| view.fault.is_some()).to_string())
        .set("wrap", "off")
        .set("spellcheck", "false")
        .set("autocapitalize", "off")
        .set("autocomplete", "off")
        .disabled_while(move || view.with(|view| !view.is_known))
        .on("input", move |event| {
            let text = dom::value_of(&event);
            desk.act(|editor| editor.set_text(text));
        })
        .on("change", move |_| desk.act(crate::playground::insight::Editor::keep))
        .on("scroll", move |_| {
            if let Some(field) = found(desk.field) {
                scroll.set(field.scroll_top());
            }
        })
}

fn area(element: Option<web_sys::HtmlElement>) -> Option<web_sys::HtmlTextAreaElement> {
    element?.dyn_into().ok()
}

/// What the text is: a scenario, or where it is none.
pub(super) fn status(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let words = move || {
        view.with(|view| match &view.fault {
            Some(fault) => (text.fault)(fault.line, fault.column, &fault.message),
            None if !view.is_known => text.loading.to_owned(),
            None if !view.is_good => text.nothing.to_owned(),
            None => text.good.to_owned(),
        })
    };
    let kind = move || {
        view.with(|view| match (&view.fault, view.is_good) {
            (Some(_), _) => "bad",
            (None, true) => "good",
            (None, false) => "plain",
        })
        .to_owned()
    };
    let go = move || {
        button("button button-small")
            .testid("scenario-to-fault")
            .press(move || {
                let place = view.with_untracked(|view| {
                    view.fault.as_ref().map(|fault| (fault.line, fault.column))
                });
                if let Some((line, column)) = place {
                    go_to(desk, line, column);
                }
            })
            .child(text.to_fault)
    };
    let counts = move || {
        view.with(|view| {
            let mut words = (text.steps)(view.steps, view.sentences);
            if let Some(chars) = view.link {
                words.push_str(" · ");
                words.push_str(&(text.link)(chars));
            }
            words
        })
    };
    div()
        .class("scenario-status")
        .child(
            p().class("verdict")
                .set("id", "scenario-status")
                .testid("scenario-status")
                .set("aria-live", "polite")
                .follow("data-kind", kind)
                .text(words),
        )
        .child(show(move || view.with(|view| view.fault.is_some()), go))
        .child(show(
            move || view.with(|view| !view.no_link.is_empty()),
            move || {
                p().class("scenario-label")
                    .testid("scenario-no-link")
                    .set("role", "status")
                    .text(move || view.with(|view| view.no_link.clone()))
            },
        ))
        .child(span().class("scenario-label").testid("scenario-counts").text(counts))
}

/// Puts the caret there: a line and a character of it, from 1.
pub(super) fn go_to(desk: Desk, line: u32, column: u32) {
    let Some(field) = area(found(desk.field)) else { return };
    let written = field.value();
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    let mut at = 0_u32;
    let mut last = "";
    for (text, number) in written.split('\n').zip(1_u32..) {
        last = text;
        if number >= line {
            break;
        }
        at = at.saturating_add(units(text)).saturating_add(1);
    }
    let before: String =
        last.chars().take(usize::try_from(column.saturating_sub(1)).unwrap_or(0)).collect();
    let caret = at.saturating_add(units(&before));
    let _ = field.focus();
    let _ = field.set_selection_range(caret, caret);
    let lines = i32::try_from(written.split('\n').count()).unwrap_or(i32::MAX).max(1);
    let height = field.scroll_height() / lines;
    let line = i32::try_from(line).unwrap_or(i32::MAX);
    field.set_scroll_top(line.saturating_sub(4).max(0).saturating_mul(height));
}
