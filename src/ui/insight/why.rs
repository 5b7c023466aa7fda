//! Why a command got its answer: each call as a list of steps, what it is stuck on, and what to do.
//!
//! Invariants: elements stay while words in them change, so that nothing that has the focus goes.

use leptos::prelude::*;

use super::Context;
use crate::playground::insight::{Ask, CallView, StepState, StepView};
use crate::ui::node::{Node, Row, button, div, h3, li, memo, ol, p, part, rows, show, span, ul};

pub(super) fn why(context: Context) -> Node {
    let text = context.text.why;
    let why = context.views.why;
    let is_empty = move || why.with(|why| why.line.is_empty());
    let ids = memo(move || {
        // The newest call is the one that is asked about.
        why.with(|why| why.calls.iter().rev().map(|call| call.id.clone()).collect::<Vec<_>>())
    });
    let calls = rows(move || {
        let row = |id: String| Row::new(id.clone(), move || call_of(context, id));
        ids.get().into_iter().map(row).collect()
    });
    let notes = rows(move || {
        let row = |note: String| Row::new(note.clone(), move || p().class("why-note").child(note));
        why.with(|why| why.notes.clone()).into_iter().map(row).collect()
    });
    let line = p()
        .class("why-line")
        .child(span().class("why-label").child(text.explains))
        .child(" ")
        .child(
            span()
                .class("why-command")
                .testid("why-command")
                .text(move || why.with(|why| why.line.clone())),
        );
    div()
        .class("insight-view why")
        .testid("why-view")
        .set("tabindex", "0")
        .set("role", "region")
        .label(text.title)
        .child(entry_link(context))
        .child(show(is_empty, move || p().class("empty").child(text.hint)))
        .child(
            div()
                .class("why-found")
                .class_while("is-empty", is_empty)
                .child(line)
                .child(notes)
                .child(calls),
        )
}

/// Leads to what the catalogue says of the error that was printed.
fn entry_link(context: Context) -> AnyView {
    let error = memo(move || context.views.why.with(|why| why.error.clone()));
    part(move || {
        let error = error.get()?;
        let words = context.text.errors.see_entry.replace("{0}", &error.message);
        Some(
            p().class("why-error").child(
                button("button button-small")
                    .testid("why-error")
                    .press(move || {
                        super::errors::act(context, |catalogue| catalogue.choose(&error.name));
                        context.ask(&Ask::View("errors".to_owned()));
                    })
                    .child(words),
            ),
        )
    })
}

/// Reads one call; it may just have gone.
fn read<T: Default>(context: Context, id: &str, of: impl FnOnce(&CallView) -> T) -> T {
    context
        .views
        .why
        .with(|why| why.calls.iter().find(|call| call.id == id).map(of).unwrap_or_default())
}

fn call_of(context: Context, id: String) -> Node {
    let text = context.text.why;
    let reader = |of: fn(&CallView) -> String| {
        let id = id.clone();
        move || read(context, &id, of)
    };
    let (title, verdict) = (reader(|it| it.title.clone()), reader(|it| it.verdict.clone()));
    let state = reader(|it| state_name(it.state).to_owned());
    let names = {
        let id = id.clone();
        memo(move || {
            read(context, &id, |it| it.steps.iter().map(|step| step.name).collect::<Vec<_>>())
        })
    };
    let step_id = id.clone();
    let steps = rows(move || {
        let row = |name: &'static str| {
            let id = step_id.clone();
            Row::new(name.to_owned(), move || step_of(context, id, name))
        };
        names.get().into_iter().map(row).collect()
    });
    let stuck_id = id.clone();
    let count = {
        let id = id.clone();
        memo(move || read(context, &id, |it| it.stuck.len()))
    };
    let stuck = rows(move || {
        let row = |at: usize| {
            let id = stuck_id.clone();
            Row::new(at.to_string(), move || {
                li().text(move || {
                    read(context, &id, |it| it.stuck.get(at).cloned().unwrap_or_default())
                })
            })
        };
        (0..count.get()).map(row).collect()
    });
    let said = |label: &'static str, name: &'static str, words: fn(&CallView) -> String| {
        let id = id.clone();
        part(move || {
            let words = read(context, &id, words);
            let label = span().class("why-label").child(label);
            let line = p().class("why-said").testid(name).child(label).child(" ").child(words);
            (!read(context, &id, |it| it.rule.clone()).is_empty()).then_some(line)
        })
    };
    div()
        .class("why-call")
        .testid("why-call")
        .follow("data-state", state)
        .child(h3().text(title))
        .child(
            p().class("why-verdict").testid("why-verdict").set("aria-live", "polite").text(verdict),
        )
        .child(
            div()
                .class("why-stuck")
                .class_while("is-empty", move || count.get() == 0)
                .testid("why-stuck")
                .child(p().class("why-label").child(text.stuck_on))
                .child(ul().child(stuck)),
        )
        .child(said(text.rule, "why-rule", |it| it.rule.clone()))
        .child(said(text.advice, "why-advice", |it| it.advice.to_owned()))
        .child(ol().class("why-steps").label(text.steps).child(steps))
        .child(log_button(context, id))
}

/// Leads to the entry.
fn log_button(context: Context, id: String) -> AnyView {
    let text = context.text.why;
    let index = memo(move || read(context, &id, |it| it.index));
    part(move || {
        let index = index.get()?;
        let words = text.show_log.replace("{0}", &index.to_string());
        Some(
            button("button button-small")
                .testid("why-log")
                .press(move || {
                    context.views.sought.set(Some(index));
                    context.ask(&Ask::View("log".to_owned()));
                })
                .child(words),
        )
    })
}

/// The sign of a state, beside its word.
const fn sign(state: StepState) -> &'static str {
    match state {
        StepState::Done => "✓",
        StepState::Now => "…",
        StepState::Failed => "✕",
        StepState::Later => "○",
    }
}

const fn state_name(state: StepState) -> &'static str {
    match state {
        StepState::Done => "done",
        StepState::Now => "now",
        StepState::Failed => "failed",
        StepState::Later => "later",
    }
}

fn step_of(context: Context, id: String, name: &'static str) -> Node {
    let text = context.text.why;
    let read_step = move |of: fn(&StepView) -> String| {
        let id = id.clone();
        move || {
            read(context, &id, |call| {
                call.steps.iter().find(|step| step.name == name).map(of).unwrap_or_default()
            })
        }
    };
    let state_words = {
        let word = read_step(|it| state_name(it.state).to_owned());
        move || {
            match word().as_str() {
                "done" => text.state_done,
                "now" => text.state_now,
                "failed" => text.state_failed,
                _ => text.state_later,
            }
            .to_owned()
        }
    };
    li().class("why-step")
        .testid(format!("why-step-{name}"))
        .follow("data-state", read_step(|it| state_name(it.state).to_owned()))
        .child(
            span()
                .class("why-sign")
                .set("aria-hidden", "true")
                .text(read_step(|it| sign(it.state).to_owned())),
        )
        .child(span().class("why-title").text(read_step(|it| it.title.to_owned())))
        .child(span().class("visually-hidden").text(state_words))
        .child(span().class("why-words").text(read_step(|it| it.words.clone())))
        .child(span().class("why-when").text(read_step(|it| it.when.clone())))
}
