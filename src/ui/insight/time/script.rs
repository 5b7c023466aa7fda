//! The script of a run: a list in which one row is chosen, and what the chosen one has printed.
//!
//! What it is: one stop of the Tab key; arrows, Home and End move within it, Enter goes to the moment.
//! What it is not: what the rows are (see `playground::insight`).
//! Invariants: rows are made once for a script and a language, and only their marks follow the run.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::web_sys;

use super::lane::{Place, block};
use crate::playground::insight::{PrintedView, RowId, RowMark, StepKind, StepRow, TimeStrings};
use crate::ui::components::{Sign, icon};
use crate::ui::dom;
use crate::ui::node::{
    Kept, Node, Place as At, Row, button, div, effect, found, h4, li, memo, next_frame, ol, p,
    part, pre, rows, show, span,
};

/// The rows, and how they stand.
#[derive(Clone, Copy)]
struct List {
    place: Place,
    steps: Kept<Arc<Vec<StepRow>>>,
    marks: Kept<Vec<RowMark>>,
    chosen: Kept<Option<usize>>,
    current: Kept<Option<usize>>,
}

impl List {
    /// The row that the Tab key comes to.
    fn active(self) -> usize {
        let last = self.steps.get().len().saturating_sub(1);
        self.chosen.get().or_else(|| self.current.get()).unwrap_or(0).min(last)
    }

    fn id(self, at: usize) -> String {
        self.place.testid(&format!("step-{at}"))
    }

    fn row(self, at: usize) -> Option<RowId> {
        untrack(|| self.steps.get()).get(at).map(|row| row.id)
    }

    fn choose(self, at: usize) {
        if let Some(id) = self.row(at) {
            self.place.act(|model, lane| model.choose(lane, id));
        }
    }

    fn go(self, at: usize) {
        if let Some(RowId::Step(number)) = self.row(at) {
            self.place.act(|model, lane| model.go_to_step(lane, number));
        }
    }

    /// Keys of the list; others are those of the whole view.
    fn key(self, event: &web_sys::Event) {
        let at = untrack(|| self.active());
        let last = untrack(|| self.steps.get()).len().saturating_sub(1);
        let to = match dom::key_of(event).as_str() {
            "ArrowDown" => at.saturating_add(1).min(last),
            "ArrowUp" => at.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            "Enter" => {
                event.prevent_default();
                return self.go(at);
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        self.choose(to);
        let id = self.id(to);
        next_frame(move || dom::focus_on(&id));
    }
}

/// The script, and what its steps have printed.
pub(super) fn script(place: Place) -> Node {
    let text = place.desk.text;
    let list = List {
        place,
        steps: place.part(|view| &view.steps),
        marks: place.part(|view| &view.marks),
        chosen: place.part(|view| &view.chosen),
        current: place.part(|view| &view.current),
    };
    let has_rows = memo(move || !list.steps.get().is_empty());
    let has_script = place.part(|view| &view.has_script);
    let scroller = crate::ui::node::place();
    keep_the_step_in_sight(list, scroller);
    let content = move || {
        let lines = rows(move || {
            let steps = list.steps.get();
            let row = |(at, step): (usize, &StepRow)| {
                let (key, step) = (format!("{at} {step:?}"), step.clone());
                Row::new(key, move || option(list, at, step))
            };
            steps.iter().enumerate().map(row).collect()
        });
        ol().class("time-scroll time-steps-list")
            .at(scroller)
            .set("role", "listbox")
            .label(format!("{} {}", text.steps, text.steps_hint))
            .on("keydown", move |event| list.key(&event))
            .child(lines)
    };
    block(text.steps, "time-script")
        .testid(place.testid("script"))
        .child(show(move || has_rows.get(), content))
        .child(show(
            move || !has_script.get(),
            move || p().class("time-hint").child(text.steps_none),
        ))
        .child(show(move || has_rows.get(), move || printed(place)))
}

/// The step under way comes into sight, unless somebody looks at another one.
fn keep_the_step_in_sight(list: List, scroller: At) {
    effect(move || {
        let (at, chosen) = (list.current.get(), list.chosen.get());
        if chosen.is_some() {
            return;
        }
        next_frame(move || {
            let Some(element) = found(scroller) else { return };
            match at {
                Some(at) => dom::reveal(&element, &list.id(at)),
                None => element.set_scroll_top(0),
            }
        });
    });
}

const fn sign(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Question => "?",
        StepKind::Own => "+",
        StepKind::Check => "○",
        StepKind::Prose | StepKind::Part | StepKind::Line => "",
    }
}

/// What a row is, for those who do not see its sign.
const fn kind_words(kind: StepKind, text: &TimeStrings) -> &'static str {
    match kind {
        StepKind::Check => text.check,
        StepKind::Question => text.question,
        StepKind::Own => text.own_line,
        StepKind::Prose | StepKind::Part | StepKind::Line => "",
    }
}

/// How it came out, for the same.
fn outcome_words(kind: StepKind, outcome: &str, text: &TimeStrings) -> &'static str {
    match (kind, outcome) {
        (_, "met") => text.check_met,
        (_, "unmet") => text.check_unmet,
        (_, "error") => text.line_error,
        (StepKind::Check, _) => text.check_open,
        _ => "",
    }
}

fn option(list: List, at: usize, row: StepRow) -> Node {
    let text = list.place.desk.text;
    let mark = memo(move || list.marks.get().get(at).copied());
    let is_active = memo(move || list.active() == at);
    let is_current = memo(move || mark.get().is_some_and(|it| it.state == "current"));
    let outcome = move || mark.get().map_or("", |it| it.outcome);
    let is_secret = move || mark.get().is_some_and(|it| it.is_secret);
    let StepRow { kind, line, prose, .. } = row;
    let kind_words = kind_words(kind, text);
    let outcome_words = move || outcome_words(kind, outcome(), text);
    let shown = move || match outcome() {
        "met" => "✓",
        "unmet" => "✗",
        "error" => "!",
        _ => sign(kind),
    };
    let title = move || match kind {
        StepKind::Check | StepKind::Line => outcome_words().to_owned(),
        _ => String::new(),
    };
    let content = part(move || {
        let words = span().class("time-what");
        Some(if is_secret() {
            words.child(text.check_later)
        } else if prose.is_empty() {
            words.child(line.clone())
        } else {
            words.child(prose.clone())
        })
    });
    li().class("time-step time-jump")
        .set("id", list.id(at))
        .testid(list.place.testid("step"))
        .set("role", "option")
        .set("data-kind", kind.name())
        .follow("data-state", move || mark.get().map_or("open", |it| it.state).to_owned())
        .follow("data-outcome", move || outcome().to_owned())
        .follow("tabindex", move || if is_active.get() { "0" } else { "-1" }.to_owned())
        .follow("aria-selected", move || is_active.get().to_string())
        .follow("aria-current", move || if is_current.get() { "step" } else { "false" }.to_owned())
        .follow("title", title)
        .on("click", move |_| list.choose(at))
        .on("dblclick", move |_| list.go(at))
        .child(
            span()
                .class("time-step-sign")
                .set("aria-hidden", "true")
                .child(show(move || is_current.get(), || span().child(icon(Sign::Run))))
                .child(span().text(move || shown().to_owned())),
        )
        .child(
            (!kind_words.is_empty())
                .then(|| span().class("visually-hidden").child(format!("{kind_words}: "))),
        )
        .child(content)
        .child(span().class("visually-hidden").text(move || outcome_words().to_owned()))
}

/// What the row that is looked at has printed.
fn printed(place: Place) -> Node {
    let text = place.desk.text;
    let printed = place.part(|view| &view.printed);
    let read = move |of: fn(&PrintedView) -> String| memo(move || of(&printed.get()));
    let title = read(|it| it.title.clone());
    let note = read(|it| it.note.to_owned());
    let can_go = memo(move || printed.get().can_go && printed.get().number > 0);
    let kind = memo(move || printed.get().is_meant);
    let piece = move |class: &'static str, of: fn(&PrintedView) -> String| {
        let words = read(of);
        show(move || !words.get().is_empty(), move || pre().class(class).text(move || words.get()))
    };
    let go = move || {
        button("button button-small")
            .testid(place.testid("step-go"))
            .press(move || {
                let number = untrack(|| printed.get()).number;
                place.act(|model, lane| model.go_to_step(lane, number));
            })
            .child(text.step_here)
    };
    div()
        .class("time-printed")
        .testid(place.testid("printed"))
        .set("role", "group")
        .label(text.printed)
        .child(
            div()
                .class("time-printed-head")
                .child(show(
                    move || !title.get().is_empty(),
                    move || h4().text(move || title.get()),
                ))
                .child(show(move || can_go.get(), go)),
        )
        .child(
            div()
                .class("time-scroll time-printed-text")
                .set("tabindex", "0")
                .set("role", "group")
                .label(text.printed)
                .follow("data-meant", move || kind.get().to_string())
                .child(piece("time-output", |it| it.output.clone()))
                .child(piece("time-output is-error", |it| it.errors.clone()))
                .child(piece("time-output is-failure", |it| it.failure.clone()))
                .child(p().class("time-hint").text(move || note.get())),
        )
}
