//! The shown part of a lesson: dots, prose, lines to run, goals, questions, hints, solution, and the way on.

use leptos::prelude::*;

use super::Desk;
use crate::playground::insight::{
    GoalView, LessonLine, LessonPiece, Lessons, PartDot, PartView, PrepareState, ReplyVerdict,
};
use crate::playground::view::prose::Span;
use crate::ui::components::{Sign, icon};
use crate::ui::dom;
use crate::ui::node::{
    Build, Node, Row, button, div, either, h3, h4, input, label, li, memo, ol, p, part as part_of,
    parts, rows, show, span, ul,
};

pub(super) fn part(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let shown = memo(move || view.with(|view| view.part.clone()));
    let count = move || view.with(|view| (text.part_of)(view.part.part, view.part.parts));
    let fresh = move || {
        let members = view.with_untracked(|view| view.wants_fresh.unwrap_or_default());
        div().class("step-fresh").child(p().child((text.wants_fresh)(members))).child(
            button("button")
                .testid("tutorial-fresh")
                .press(move || desk.act(Lessons::start_fresh))
                .child(text.start_fresh),
        )
    };
    let prose = part_of(move || Some(said(desk, &shown.get())));
    let told = p()
        .class("visually-hidden")
        .set("aria-live", "polite")
        .text(move || view.with(|view| view.told.clone()));
    let step = div()
        .class("step")
        .testid("tutorial-step")
        .follow("data-step", move || view.with(|view| view.part.part.to_string()))
        .follow("data-lesson", move || view.with(|view| view.part.number.to_string()))
        .follow("data-done", move || view.with(|view| view.is_done.to_string()))
        .child(p().class("step-count").set("aria-live", "polite").text(count))
        .child(h3().class("step-title").text(move || view.with(|view| view.part.title.clone())))
        .child(show(move || view.with(|view| view.wants_fresh.is_some()), fresh))
        .child(prepare(desk))
        .child(prose)
        .child(h4().class("step-checks-title").child(text.goals))
        .child(goals(desk))
        .child(show(
            move || view.with(|view| view.is_waiting),
            move || p().class("lesson-note").child(text.waiting),
        ))
        .child(done(desk))
        .child(queries(desk))
        .child(help(desk));
    div().child(dots(desk)).child(step).child(told)
}

fn dots(desk: Desk) -> Node {
    let view = desk.view;
    let numbers = memo(move || {
        view.with(|view| {
            let dot = |dot: &PartDot| (view.part.number, dot.number);
            view.dots.iter().map(dot).collect::<Vec<_>>()
        })
    });
    ol().class("dots").child(rows(move || {
        let row = |(lesson, number): (u32, u32)| {
            Row::new(format!("{lesson}/{number}"), move || dot(desk, number))
        };
        numbers.get().into_iter().map(row).collect()
    }))
}

fn dot(desk: Desk, number: u32) -> Node {
    let (text, view) = (desk.text, desk.view);
    let read = move |of: &dyn Fn(&PartDot) -> String| {
        view.with(|view| {
            let dot = view.dots.iter().find(|dot| dot.number == number);
            dot.map(of).unwrap_or_default()
        })
    };
    let is_done =
        move || view.with(|view| view.dots.iter().any(|dot| dot.number == number && dot.is_done));
    let words = move || {
        read(&|dot| {
            let state = if dot.is_done { text.done } else { text.open };
            format!("{} ({state})", (text.part_name)(dot.number, &dot.title))
        })
    };
    let sign = either(
        is_done,
        || span().child(icon(Sign::Check)),
        move || span().child(number.to_string()),
    );
    li().child(
        button("dot")
            .class_while("is-done", is_done)
            .testid(format!("tutorial-dot-{number}"))
            .follow("aria-label", words)
            .follow("title", words)
            .follow("aria-current", move || {
                read(&|dot| if dot.is_current { "step" } else { "false" }.to_owned())
            })
            .press(move || desk.act(|model| model.show_part(number)))
            .child(sign),
    )
}

fn said(desk: Desk, part: &PartView) -> Node {
    let mut prose = div().class("lesson-prose");
    for piece in &part.pieces {
        prose = prose.child(match piece {
            LessonPiece::Paragraph(spans) => p().class("step-why").child(spans.clone()),
            LessonPiece::List(items) => {
                let mut list = ul().class("lesson-items");
                for item in items {
                    list = list.child(li().child(item.clone()));
                }
                list
            }
            LessonPiece::Lines(lines) => lines_of(desk, lines),
        });
    }
    prose
}

fn lines_of(desk: Desk, lines: &[LessonLine]) -> Node {
    let mut list = ol().class("step-lines");
    for line in lines {
        list = list.child(li().child(line_of(desk, line)));
    }
    list
}

fn line_of(desk: Desk, line: &LessonLine) -> Node {
    let text = desk.text;
    let shown = if line.text.trim().is_empty() { text.empty_line } else { &line.text };
    // Each word is kept whole where it can be: flags do not break after their hyphens.
    let mut words = span().class("step-line-text");
    for word in shown.split(' ') {
        words = words.child(span().class("word").child(word.to_owned())).child(" ");
    }
    let note =
        line.console.map(|console| span().class("step-line-note").child((text.console)(console)));
    let id = line.id;
    button("step-line")
        .testid(format!("tutorial-line-{id}"))
        .label((text.run)(shown))
        .press(move || desk.act(|model| model.run(id)))
        .child(words)
        .child(note)
        .child(span().class("step-line-sign").child(icon(Sign::Run)))
}

fn prepare(desk: Desk) -> AnyView {
    let (text, view) = (desk.text, desk.view);
    let lines = memo(move || view.with(|view| view.part.preparation.clone()));
    part_of(move || {
        let lines = lines.get();
        if lines.is_empty() {
            return None;
        }
        let state = move || view.with(|view| view.prepare);
        let label = move || {
            match state() {
                PrepareState::Waits => text.prepare,
                PrepareState::Runs => text.preparing,
                PrepareState::Ended => text.prepared,
            }
            .to_owned()
        };
        let mut list = ol().class("lesson-preparation");
        for line in &lines {
            list = list.child(li().child(span().class("step-line-text").child(line.text.clone())));
        }
        Some(
            div()
                .class("step-fresh lesson-prepare")
                .child(p().child(text.prepare_title))
                .child(list)
                .child(
                    button("button")
                        .testid("lesson-prepare")
                        .follow("data-state", move || {
                            match state() {
                                PrepareState::Waits => "waits",
                                PrepareState::Runs => "runs",
                                PrepareState::Ended => "ended",
                            }
                            .to_owned()
                        })
                        .disabled_while(move || state() == PrepareState::Runs)
                        .press(move || desk.act(Lessons::prepare))
                        .text(label),
                ),
        )
    })
}

fn goals(desk: Desk) -> Node {
    let view = desk.view;
    let goals = memo(move || view.with(|view| view.goals.clone()));
    let list = parts(move || goals.get().iter().map(|goal| goal_row(desk, goal).build()).collect());
    ul().class("step-checks").testid("lesson-goals").child(list)
}

fn goal_row(desk: Desk, goal: &GoalView) -> Node {
    let text = desk.text;
    let state = match (goal.is_met, goal.is_checked) {
        (true, _) => text.met,
        (false, true) => text.checking,
        (false, false) => text.unmet,
    };
    let checking = (goal.is_checked && !goal.is_met)
        .then(|| span().class("lesson-note").child(format!(" {state}")));
    li().class("check")
        .class_if("is-met", goal.is_met)
        .set("data-met", goal.is_met.to_string())
        .child(span().class("check-sign").child(goal.is_met.then(|| icon(Sign::Check))))
        .child(span().child(goal.means.clone()).child(checking))
        .child(span().class("visually-hidden").child(format!(": {state}")))
}

fn done(desk: Desk) -> AnyView {
    let (text, view) = (desk.text, desk.view);
    let done = memo(move || view.with(|view| (view.is_done, view.is_last)));
    part_of(move || match done.get() {
        (false, _) => None,
        (true, is_last) => {
            let words = if is_last { text.lesson_done } else { text.part_done };
            Some(p().class("step-done").testid("tutorial-done").child(words))
        }
    })
}

fn queries(desk: Desk) -> Node {
    let view = desk.view;
    let places = memo(move || {
        view.with(|view| {
            let place = |at: usize| (view.part.number, view.part.part, at);
            (0..view.queries.len()).map(place).collect::<Vec<_>>()
        })
    });
    div().class("lesson-queries").child(rows(move || {
        let row = |(lesson, part, at): (u32, u32, usize)| {
            Row::new(format!("{lesson}/{part}/{at}"), move || query(desk, at))
        };
        places.get().into_iter().map(row).collect()
    }))
}

fn query(desk: Desk, at: usize) -> Node {
    let (text, view) = (desk.text, desk.view);
    let question: Vec<Span> = view.with_untracked(|view| {
        view.queries.get(at).map(|query| query.text.clone()).unwrap_or_default()
    });
    let place = u32::try_from(at).unwrap_or(u32::MAX);
    let verdict = move || {
        view.with(|view| view.queries.get(at).map(|query| query.verdict).unwrap_or_default())
    };
    let words = move || {
        match verdict() {
            ReplyVerdict::None => "",
            ReplyVerdict::Checking => text.checking,
            ReplyVerdict::Right => text.right,
            ReplyVerdict::Wrong => text.wrong,
        }
        .to_owned()
    };
    let field = input()
        .set("type", "text")
        .class("field-input")
        .testid(format!("lesson-reply-{at}"))
        .label(text.reply)
        .set("placeholder", text.reply)
        .set("autocomplete", "off")
        .set("spellcheck", "false")
        .on("input", move |event| {
            let reply = dom::value_of(&event);
            desk.act(|model| model.set_reply(place, reply));
        })
        .on("keydown", move |event| {
            if dom::key_of(&event) == "Enter" {
                desk.act(|model| model.reply(place));
            }
        });
    div()
        .class("lesson-query")
        .child(h4().class("step-checks-title").child(text.question))
        .child(p().class("step-why").child(question))
        .child(
            div().class("lesson-reply").child(label().child(field)).child(
                button("button")
                    .testid(format!("lesson-check-{at}"))
                    .press(move || desk.act(|model| model.reply(place)))
                    .child(text.check),
            ),
        )
        .child(
            p().class("lesson-verdict")
                .testid(format!("lesson-verdict-{at}"))
                .set("aria-live", "polite")
                .follow("data-kind", move || {
                    match verdict() {
                        ReplyVerdict::None | ReplyVerdict::Checking => "none",
                        ReplyVerdict::Right => "good",
                        ReplyVerdict::Wrong => "bad",
                    }
                    .to_owned()
                })
                .text(words),
        )
}

/// Hint, solution, and a new beginning.
fn help(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let shows_hints = move || view.with(|view| view.shows_hints);
    let shows_solution = move || view.with(|view| view.shows_solution);
    let shown = memo(move || view.with(|view| view.part.clone()));
    let hints = move || {
        let mut all = div().class("lesson-hint").testid("lesson-hint-text");
        for hint in shown.get().hints {
            all = all.child(p().child(hint));
        }
        all
    };
    let solution = move || {
        div()
            .class("lesson-solution")
            .testid("lesson-solution-lines")
            .child(p().child(text.solution_title))
            .child(lines_of(desk, &shown.get().solution))
    };
    let solution_words =
        move || if shows_solution() { text.hide_solution } else { text.solution }.to_owned();
    div()
        .class("lesson-help")
        .child(
            div()
                .class("lesson-tools")
                .child(
                    button("button button-small")
                        .testid("lesson-hint")
                        .follow("aria-expanded", move || shows_hints().to_string())
                        .press(move || desk.act(Lessons::toggle_hints))
                        .child(text.hint),
                )
                .child(
                    button("button button-small")
                        .testid("lesson-solution")
                        .follow("aria-expanded", move || shows_solution().to_string())
                        .press(move || desk.act(Lessons::toggle_solution))
                        .text(solution_words),
                )
                .child(
                    button("button button-small")
                        .testid("lesson-restart")
                        .set("title", text.restart_hint)
                        .press(move || desk.act(Lessons::restart))
                        .child(text.restart),
                ),
        )
        .child(show(shows_hints, hints))
        .child(show(shows_solution, solution))
}

/// Previous and Next.
pub(super) fn steer(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let is_last = move || view.with(|view| view.is_last);
    let is_done = move || view.with(|view| view.is_done);
    let back = button("button")
        .testid("tutorial-prev")
        .disabled_while(move || view.with(|view| !view.can_go_back))
        .press(move || desk.act(Lessons::back))
        .child(text.previous);
    let next = button("button")
        .testid("tutorial-next")
        .class_while("button-primary", is_done)
        .disabled_while(move || view.with(|view| view.is_last && !view.has_next_lesson))
        .press(move || desk.act(Lessons::forward))
        .text(move || if is_last() { text.next_lesson } else { text.next }.to_owned());
    let share = move || {
        button("button")
            .testid("tutorial-share")
            .press(move || desk.act(Lessons::share))
            .child(text.share)
    };
    div().class("steer").child(back).child(show(move || is_last() && is_done(), share)).child(next)
}
