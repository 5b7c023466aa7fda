//! The lesson: a step, its lines to run, its checks.

use leptos::prelude::*;

use crate::playground::event::{Event, ShareEvent, TutorialEvent};
use crate::playground::view::{CheckView, Dot, LineView, Progress, Way};
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Build, Node, Row, button, div, either, h2, h3, h4, li, memo, ol, p, part, parts, rows, section,
    show, span, ul,
};

/// The panel.
pub(crate) fn tutorial(context: Context) -> Node {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let head = div()
        .class("panel-head")
        .child(
            h2().set("id", "tutorial-title")
                .text(move || tutorial.with(|tutorial| tutorial.lesson.to_owned())),
        )
        .child(
            button("button button-quiet tutorial-hide")
                .label(text.hide_tutorial)
                .set("title", text.hide_tutorial)
                .press(move || context.send(Event::ToggleTutorial))
                .child(icon(Sign::Close)),
        );
    let body = div()
        .class("panel-body")
        .set("tabindex", "0")
        .set("role", "group")
        .set("aria-labelledby", "tutorial-title")
        .child(dots(context))
        .child(step(context));
    section()
        .class("panel panel-tutorial")
        .set("aria-labelledby", "tutorial-title")
        .child(head)
        .child(body)
        .child(steer(context))
}

fn dots(context: Context) -> Node {
    let tutorial = context.views.tutorial;
    let numbers = memo(move || {
        tutorial.with(|tutorial| tutorial.dots.iter().map(|dot| dot.number).collect::<Vec<_>>())
    });
    ol().class("dots").child(rows(move || {
        let row = |number: u32| Row::new(number.to_string(), move || dot(context, number));
        numbers.get().into_iter().map(row).collect()
    }))
}

fn dot(context: Context, number: u32) -> Node {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let read = move |of: &dyn Fn(&Dot) -> String| {
        tutorial.with(|tutorial| {
            let dot = tutorial.dots.iter().find(|dot| dot.number == number);
            dot.map(of).unwrap_or_default()
        })
    };
    let progress = move || {
        tutorial.with(|tutorial| {
            let dot = tutorial.dots.iter().find(|dot| dot.number == number);
            dot.map_or(Progress::Locked, |dot| dot.progress)
        })
    };
    let label = move || {
        read(&|dot| {
            let state = match dot.progress {
                Progress::Done => text.step_done,
                Progress::Open => text.step_open,
                Progress::Locked => text.step_locked,
            };
            text.noted.of(&text.step_name.of(&number.to_string(), dot.title), state)
        })
    };
    let sign = either(
        move || progress() == Progress::Done,
        || span().child(icon(Sign::Check)),
        move || span().child(number.to_string()),
    );
    li().child(
        button("dot")
            .class_while("is-done", move || progress() == Progress::Done)
            .testid(format!("tutorial-dot-{number}"))
            .follow("aria-label", label)
            .follow("title", label)
            .follow("aria-current", move || {
                read(&|dot| if dot.is_current { "step" } else { "false" }.to_owned())
            })
            .disabled_while(move || progress() == Progress::Locked)
            .press(move || context.send(Event::Tutorial(TutorialEvent::Show(number))))
            .child(sign),
    )
}

fn step(context: Context) -> Node {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let count = move || {
        tutorial.with(|tutorial| {
            let count = u64::try_from(tutorial.dots.len()).unwrap_or(0);
            text.step_of.of(&tutorial.number.to_string(), &count.to_string())
        })
    };
    let fresh = move || {
        div().class("step-fresh").child(p().child(text.wants_fresh)).child(
            button("button")
                .testid("tutorial-fresh")
                .press(move || context.send(Event::AskNewCluster(3)))
                .child(text.start_fresh),
        )
    };
    let why = memo(move || tutorial.with(|tutorial| tutorial.why.clone()));
    div()
        .class("step")
        .testid("tutorial-step")
        .follow("data-step", move || tutorial.with(|tutorial| tutorial.number.to_string()))
        .child(p().class("step-count").set("aria-live", "polite").text(count))
        .child(
            h3().class("step-title")
                .text(move || tutorial.with(|tutorial| tutorial.title.to_owned())),
        )
        .child(show(move || tutorial.with(|tutorial| tutorial.wants_fresh), fresh))
        .child(part(move || Some(p().class("step-why").child(why.get()))))
        .child(lines(context))
        .child(h4().class("step-checks-title").child(text.checks))
        .child(checks(context))
        .child(done(context))
}

fn lines(context: Context) -> Node {
    let tutorial = context.views.tutorial;
    let shown = memo(move || tutorial.with(|tutorial| (tutorial.number, tutorial.lines.len())));
    ol().class("step-lines").child(rows(move || {
        let (step, count) = shown.get();
        let row = |at| Row::new(format!("{step} {at}"), move || line(context, at));
        (0..count).map(row).collect()
    }))
}

fn line(context: Context, at: usize) -> Node {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let first = tutorial.with_untracked(|tutorial| tutorial.lines.get(at).cloned());
    let Some(LineView { text: words, way, .. }) = first else { return li() };
    let was_run =
        move || tutorial.with(|tutorial| tutorial.lines.get(at).is_some_and(|line| line.was_run));
    let (label, note) = match way {
        Way::Console(place) => {
            let note = (place > 1).then(|| text.run_in_console.of(&place.to_string()));
            (text.run_line.of(&words), note)
        }
        Way::Reload => (text.reload_page.to_owned(), None),
    };
    let shown = if way == Way::Reload { text.reload_page.to_owned() } else { words };
    let press = move || {
        if way == Way::Reload {
            dom::reload();
        } else if let Ok(at) = u32::try_from(at) {
            context.send(Event::Tutorial(TutorialEvent::Run(at)));
        }
    };
    let sign =
        either(was_run, || span().child(icon(Sign::Check)), || span().child(icon(Sign::Run)));
    // Each word is kept whole where it can be: flags do not break after their hyphens.
    let mut words = span().class("step-line-text");
    for word in shown.split(' ') {
        words = words.child(span().class("word").child(word)).child(" ");
    }
    li().child(
        button("step-line")
            .class_while("was-run", was_run)
            .testid(format!("tutorial-line-{at}"))
            .label(label)
            .press(press)
            .child(words)
            .child(note.map(|note| span().class("step-line-note").child(note)))
            .child(span().class("step-line-sign").child(sign)),
    )
}

fn checks(context: Context) -> Node {
    let tutorial = context.views.tutorial;
    let checks = memo(move || tutorial.with(|tutorial| tutorial.checks.clone()));
    let list =
        parts(move || checks.get().iter().map(|check| check_row(context, check).build()).collect());
    ul().class("step-checks").child(list)
}

fn check_row(context: Context, check: &CheckView) -> Node {
    let text = context.text;
    let state = if check.is_met { text.check_met } else { text.check_open };
    li().class("check")
        .class_if("is-met", check.is_met)
        .set("data-met", check.is_met.to_string())
        .child(span().class("check-sign").child(check.is_met.then(|| icon(Sign::Check))))
        .child(span().child(check.text))
        .child(span().class("visually-hidden").child(text.noted.of("", state)))
}

fn done(context: Context) -> Node {
    let tutorial = context.views.tutorial;
    let done = memo(move || tutorial.with(|tutorial| tutorial.done));
    let words = part(move || {
        let done = done.get()?;
        Some(p().class("step-done").testid("tutorial-done").child(done))
    });
    div().set("aria-live", "polite").child(words)
}

/// Previous and Next.
fn steer(context: Context) -> Node {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let can_go_on = move || tutorial.with(|tutorial| tutorial.can_go_on);
    let back = button("button")
        .testid("tutorial-prev")
        .disabled_while(move || tutorial.with(|tutorial| !tutorial.can_go_back))
        .press(move || context.send(Event::Tutorial(TutorialEvent::Back)))
        .child(text.previous);
    let finish = move || {
        button("button button-primary")
            .testid("tutorial-share")
            .press(move || context.send(Event::Share(ShareEvent::Open)))
            .child(text.finished)
    };
    let next = move || {
        let title = move || if can_go_on() { "" } else { text.next_locked }.to_owned();
        button("button button-primary")
            .testid("tutorial-next")
            .disabled_while(move || !can_go_on())
            .follow("title", title)
            .press(move || context.send(Event::Tutorial(TutorialEvent::Forward)))
            .child(text.next)
    };
    let is_finished = move || tutorial.with(|tutorial| tutorial.is_last && tutorial.done.is_some());
    div().class("steer").child(back).child(either(is_finished, finish, next))
}
