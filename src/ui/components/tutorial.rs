//! The lesson: a step, its lines to run, its checks.

use leptos::prelude::*;

use crate::playground::event::{Event, ShareEvent, TutorialEvent};
use crate::playground::view::{CheckView, Dot, LineView, Progress, Way};
use crate::ui::components::icon::{Icon, Sign};
use crate::ui::components::prose::spans;
use crate::ui::context::Context;
use crate::ui::dom;

/// The panel.
#[component]
pub(crate) fn Tutorial(context: Context) -> impl IntoView {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let dots = Memo::new(move |_| tutorial.with(|tutorial| tutorial.dots.clone()));
    let number = Memo::new(move |_| tutorial.with(|tutorial| tutorial.number));
    let wants_fresh = Memo::new(move |_| tutorial.with(|tutorial| tutorial.wants_fresh));
    let count = move || dots.with(|dots| u64::try_from(dots.len()).unwrap_or(0));
    view! {
        <section class="panel panel-tutorial" aria-labelledby="tutorial-title">
            <div class="panel-head">
                <h2 id="tutorial-title">{move || tutorial.with(|tutorial| tutorial.lesson)}</h2>
                <button
                    type="button"
                    class="button button-quiet tutorial-hide"
                    aria-label=text.hide_tutorial
                    title=text.hide_tutorial
                    on:click=move |_| context.send(Event::ToggleTutorial)
                >
                    <Icon sign=Sign::Close />
                </button>
            </div>
            <div class="panel-body" tabindex="0" role="region" aria-labelledby="tutorial-title">
                <ol class="dots">
                    <For
                        each=move || dots.get()
                        key=|dot| dot.number
                        let(dot)
                    >
                        <StepDot context number=dot.number />
                    </For>
                </ol>
                <div class="step" data-testid="tutorial-step" data-step=move || number.get()>
                    <p class="step-count" aria-live="polite">{move || (text.step_of)(number.get(), count())}</p>
                    <h3 class="step-title">{move || tutorial.with(|tutorial| tutorial.title)}</h3>
                    <Show when=move || wants_fresh.get()>
                        <div class="step-fresh">
                            <p>{text.wants_fresh}</p>
                            <button
                                type="button"
                                class="button"
                                data-testid="tutorial-fresh"
                                on:click=move |_| context.send(Event::AskNewCluster(3))
                            >
                                {text.start_fresh}
                            </button>
                        </div>
                    </Show>
                    <Why context />
                    <Lines context />
                    <Checks context />
                </div>
            </div>
            <Steer context />
        </section>
    }
}

#[component]
fn StepDot(context: Context, number: u32) -> impl IntoView {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let dot = Memo::new(move |_| {
        tutorial.with(|tutorial| tutorial.dots.iter().find(|dot| dot.number == number).cloned())
    });
    let progress =
        move || dot.with(|dot| dot.as_ref().map_or(Progress::Locked, |dot| dot.progress));
    let is_current = move || dot.with(|dot| dot.as_ref().is_some_and(|dot| dot.is_current));
    let label = move || {
        let state = match progress() {
            Progress::Done => text.step_done,
            Progress::Open => text.step_open,
            Progress::Locked => text.step_locked,
        };
        let title = dot.with(|dot: &Option<Dot>| dot.as_ref().map_or("", |dot| dot.title));
        format!("{} ({state})", (text.step_name)(number, title))
    };
    view! {
        <li>
            <button
                type="button"
                class="dot"
                class:is-done=move || progress() == Progress::Done
                data-testid=format!("tutorial-dot-{number}")
                aria-label=label
                title=label
                aria-current=move || if is_current() { "step" } else { "false" }
                prop:disabled=move || progress() == Progress::Locked
                on:click=move |_| context.send(Event::Tutorial(TutorialEvent::Show(number)))
            >
                {move || {
                    if progress() == Progress::Done {
                        view! { <Icon sign=Sign::Check /> }.into_any()
                    } else {
                        number.into_any()
                    }
                }}
            </button>
        </li>
    }
}

#[component]
fn Why(context: Context) -> impl IntoView {
    let tutorial = context.views.tutorial;
    let why = Memo::new(move |_| tutorial.with(|tutorial| tutorial.why.clone()));
    view! { <p class="step-why">{move || spans(why.get())}</p> }
}

#[component]
fn Lines(context: Context) -> impl IntoView {
    let tutorial = context.views.tutorial;
    let shown =
        Memo::new(move |_| tutorial.with(|tutorial| (tutorial.number, tutorial.lines.len())));
    view! {
        <ol class="step-lines">
            {move || {
                let (_, count) = shown.get();
                (0..count).map(|at| view! { <StepLine context at /> }).collect_view()
            }}
        </ol>
    }
}

#[component]
fn StepLine(context: Context, at: usize) -> impl IntoView {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let line = Memo::new(move |_| tutorial.with(|tutorial| tutorial.lines.get(at).cloned()));
    let first: Option<LineView> = line.get_untracked();
    let Some(LineView { text: words, way, .. }) = first else { return ().into_any() };
    let was_run = move || line.with(|line| line.as_ref().is_some_and(|line| line.was_run));
    let (label, note) = match way {
        Way::Console(place) => {
            let note = (place > 1).then(|| (text.run_in_console)(&place.to_string()));
            ((text.run_line)(&words), note)
        }
        Way::Reload => (text.reload_page.to_owned(), None),
    };
    let shown = if way == Way::Reload { text.reload_page.to_owned() } else { words };
    let press = move |_| {
        if way == Way::Reload {
            dom::reload();
        } else if let Ok(at) = u32::try_from(at) {
            context.send(Event::Tutorial(TutorialEvent::Run(at)));
        }
    };
    view! {
        <li>
            <button
                type="button"
                class="step-line"
                class:was-run=was_run
                data-testid=format!("tutorial-line-{at}")
                aria-label=label
                on:click=press
            >
                <span class="step-line-text">{words_of(&shown)}</span>
                {note.map(|note| view! { <span class="step-line-note">{note}</span> })}
                <span class="step-line-sign">
                    {move || {
                        if was_run() {
                            view! { <Icon sign=Sign::Check /> }
                        } else {
                            view! { <Icon sign=Sign::Run /> }
                        }
                    }}
                </span>
            </button>
        </li>
    }
    .into_any()
}

/// The words of a line, each kept whole where it can be: flags do not break after their hyphens.
fn words_of(line: &str) -> impl IntoView + use<> {
    line.split(' ')
        .map(|word| view! { <span class="word">{word.to_owned()}</span> " " })
        .collect_view()
}

#[component]
fn Checks(context: Context) -> impl IntoView {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let checks = Memo::new(move |_| tutorial.with(|tutorial| tutorial.checks.clone()));
    let done = Memo::new(move |_| tutorial.with(|tutorial| tutorial.done));
    view! {
        <h4 class="step-checks-title">{text.checks}</h4>
        <ul class="step-checks">
            {move || {
                checks.get().into_iter().map(|check| check_row(context, &check)).collect_view()
            }}
        </ul>
        <div aria-live="polite">
            {move || {
                done.get().map(|done| view! { <p class="step-done" data-testid="tutorial-done">{done}</p> })
            }}
        </div>
    }
}

fn check_row(context: Context, check: &CheckView) -> impl IntoView + use<> {
    let text = context.text;
    let state = if check.is_met { text.check_met } else { text.check_open };
    view! {
        <li class="check" class:is-met=check.is_met data-met=check.is_met.to_string()>
            <span class="check-sign">{check.is_met.then(|| view! { <Icon sign=Sign::Check /> })}</span>
            <span>{check.text}</span>
            <span class="visually-hidden">" (" {state} ")"</span>
        </li>
    }
}

/// Previous and Next.
#[component]
fn Steer(context: Context) -> impl IntoView {
    let text = context.text;
    let tutorial = context.views.tutorial;
    let can_go_back = Memo::new(move |_| tutorial.with(|tutorial| tutorial.can_go_back));
    let can_go_on = Memo::new(move |_| tutorial.with(|tutorial| tutorial.can_go_on));
    let is_finished =
        Memo::new(move |_| tutorial.with(|tutorial| tutorial.is_last && tutorial.done.is_some()));
    view! {
        <div class="steer">
            <button
                type="button"
                class="button"
                data-testid="tutorial-prev"
                prop:disabled=move || !can_go_back.get()
                on:click=move |_| context.send(Event::Tutorial(TutorialEvent::Back))
            >
                {text.previous}
            </button>
            <Show
                when=move || is_finished.get()
                fallback=move || {
                    view! {
                        <button
                            type="button"
                            class="button button-primary"
                            data-testid="tutorial-next"
                            prop:disabled=move || !can_go_on.get()
                            title=move || if can_go_on.get() { "" } else { text.next_locked }
                            on:click=move |_| context.send(Event::Tutorial(TutorialEvent::Forward))
                        >
                            {text.next}
                        </button>
                    }
                }
            >
                <button
                    type="button"
                    class="button button-primary"
                    data-testid="tutorial-share"
                    on:click=move |_| context.send(Event::Share(ShareEvent::Open))
                >
                    {text.finished}
                </button>
            </Show>
        </div>
    }
}
