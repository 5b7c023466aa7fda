//! The dialog of links: what was done here, or what somebody sent.

use leptos::html;
use leptos::prelude::*;
use leptos::web_sys::HtmlInputElement;

use crate::playground::event::{Event, ShareEvent};
use crate::playground::view::{StageView, StepView};
use crate::ui::components::dialogs::follow;
use crate::ui::components::icon::{Icon, Sign};
use crate::ui::components::prose::spans;
use crate::ui::context::Context;
use crate::ui::dom;

/// The dialog.
#[component]
pub(crate) fn ShareDialog(context: Context) -> impl IntoView {
    let text = context.text;
    let share = context.views.share;
    let dialog = NodeRef::<html::Dialog>::new();
    let is_open = Memo::new(move |_| share.with(Option::is_some));
    follow(dialog, is_open);
    let is_link =
        Memo::new(move |_| share.with(|share| share.as_ref().is_some_and(|share| share.is_link)));
    let close = move || context.send(Event::Share(ShareEvent::Close));
    let setting =
        Memo::new(move |_| share.with(|share| share.as_ref().map(|share| share.setting.clone())));
    let title =
        Memo::new(move |_| share.with(|share| share.as_ref().map(|share| share.title.clone())));
    view! {
        <dialog
            class="dialog"
            node_ref=dialog
            aria-labelledby="share-title"
            data-testid="share-dialog"
            on:cancel=move |event: leptos::ev::Event| {
                event.prevent_default();
                close();
            }
        >
            <div class="dialog-head">
                <h2 id="share-title">
                    {move || if is_link.get() { text.link_title } else { text.share_title }}
                </h2>
                <button
                    type="button"
                    class="button button-quiet"
                    data-testid="share-close"
                    aria-label=text.close
                    on:click=move |_| close()
                >
                    <Icon sign=Sign::Close />
                </button>
            </div>
            <p class="dialog-intro">
                {move || if is_link.get() { text.link_intro } else { text.share_intro }}
            </p>
            <Show when=move || is_link.get() fallback=move || view! { <Title context /> }>
                <h3 class="run-title" data-testid="link-title">
                    {move || {
                        title
                            .get()
                            .filter(|title| !title.is_empty())
                            .unwrap_or_else(|| text.link_untitled.to_owned())
                    }}
                </h3>
            </Show>
            <p class="run-setting">{setting}</p>
            <Warning context />
            <Steps context />
            <Result context />
            <Foot context is_link />
        </dialog>
    }
}

#[component]
fn Title(context: Context) -> impl IntoView {
    let text = context.text;
    let share = context.views.share;
    let title = Memo::new(move |_| {
        share.with(|share| share.as_ref().map(|share| share.title.clone())).unwrap_or_default()
    });
    view! {
        <label class="field-label">
            <span>{text.share_name}</span>
            <input
                type="text"
                class="field-input"
                data-testid="share-name"
                autofocus
                maxlength="80"
                placeholder=text.share_name_hint
                prop:value=move || title.get()
                on:input=move |event| {
                    context.send(Event::Share(ShareEvent::Title(event_target_value(&event))));
                }
            />
        </label>
    }
}

#[component]
fn Warning(context: Context) -> impl IntoView {
    let share = context.views.share;
    let warning = Memo::new(move |_| {
        share.with(|share| share.as_ref().and_then(|share| share.warning.clone()))
    });
    move || warning.get().map(|warning| view! { <p class="run-warning">{warning}</p> })
}

#[component]
fn Steps(context: Context) -> impl IntoView {
    let text = context.text;
    let share = context.views.share;
    let steps = Memo::new(move |_| {
        share.with(|share| share.as_ref().map(|share| share.steps.clone())).unwrap_or_default()
    });
    view! {
        <h3 class="visually-hidden">{text.share_steps}</h3>
        <ol class="run-steps" data-testid="run-steps" tabindex="0">
            {move || steps.get().into_iter().map(|step| step_row(context, step)).collect_view()}
        </ol>
    }
}

fn step_row(context: Context, step: StepView) -> impl IntoView {
    let text = context.text;
    let Some(number) = step.number else {
        return view! { <li class="run-prose">{spans(step.prose)}</li> }.into_any();
    };
    view! {
        <li class="run-step" class:differs=step.differs data-testid="run-step">
            <span class="run-number">{number}</span>
            <div class="run-text">
                <code class="run-line">{step.line}</code>
                {(!step.output.is_empty()).then(|| view! { <pre class="piece">{step.output}</pre> })}
                {(!step.errors.is_empty())
                    .then(|| {
                        view! {
                            <pre class="piece is-error">
                                <span class="visually-hidden">{text.error_mark} ": "</span>
                                {step.errors}
                            </pre>
                        }
                    })}
                {step
                    .failure
                    .map(|status| {
                        view! { <p class="block-status">{(text.exit_status)(&status.to_string())}</p> }
                    })}
            </div>
        </li>
    }
    .into_any()
}

/// What the lab says, and the link.
#[component]
fn Result(context: Context) -> impl IntoView {
    let text = context.text;
    let share = context.views.share;
    let verdict = Memo::new(move |_| {
        share.with(|share| {
            let share = share.as_ref()?;
            match &share.stage {
                StageView::Shown => None,
                StageView::Running => Some((text.share_running.to_owned(), "running")),
                StageView::Failed(why) => Some(((text.lab_failed)(why), "bad")),
                StageView::Done => match &share.verdict {
                    Some(words) => {
                        Some((words.clone(), if share.is_exact { "good" } else { "plain" }))
                    }
                    None => Some((text.share_played.to_owned(), "good")),
                },
            }
        })
    });
    let link = Memo::new(move |_| {
        share.with(|share| {
            share.as_ref().filter(|share| !share.is_link).and_then(|share| share.link.clone())
        })
    });
    view! {
        <div aria-live="polite">
            {move || {
                verdict
                    .get()
                    .map(|(words, kind)| {
                        view! { <p class="verdict" data-kind=kind data-testid="replay-result">{words}</p> }
                    })
            }}
        </div>
        {move || {
            link.get()
                .map(|link| match link {
                    Ok(fragment) => view! { <Link context fragment /> }.into_any(),
                    Err(why) => view! { <p class="run-warning" role="alert">{why}</p> }.into_any(),
                })
        }}
    }
}

#[component]
fn Link(context: Context, fragment: String) -> impl IntoView {
    let text = context.text;
    let address = format!("{}#{fragment}", dom::address());
    let size = u64::try_from(address.chars().count()).unwrap_or(u64::MAX);
    let is_copied = RwSignal::new(false);
    let copied = address.clone();
    let copy = move |_| {
        context.send(Event::Share(ShareEvent::Copy(copied.clone())));
        is_copied.set(true);
    };
    view! {
        <label class="field-label">
            <span>{text.share_link} " · " {(text.share_size)(size)}</span>
            <span class="row">
                <input
                    type="text"
                    class="field-input field-mono"
                    data-testid="share-link"
                    readonly
                    prop:value=address
                    on:focus=move |event| select_all(&event)
                />
                <button
                    type="button"
                    class="button button-primary"
                    data-testid="share-copy"
                    on:click=copy
                >
                    <Icon sign=Sign::Copy />
                    <span aria-live="polite">
                        {move || if is_copied.get() { text.share_copied } else { text.share_copy }}
                    </span>
                </button>
            </span>
        </label>
    }
}

#[component]
fn Foot(context: Context, is_link: Memo<bool>) -> impl IntoView {
    let text = context.text;
    let share = context.views.share;
    let send = move |event| context.send(Event::Share(event));
    let stage =
        Memo::new(move |_| share.with(|share| share.as_ref().map(|share| share.stage.clone())));
    let is_running = move || stage.with(|stage| *stage == Some(StageView::Running));
    let has_run =
        move || stage.with(|stage| matches!(stage, Some(StageView::Done | StageView::Failed(_))));
    view! {
        <div class="row row-end dialog-foot">
            <button
                type="button"
                class="button"
                data-testid="share-download"
                on:click=move |_| send(ShareEvent::Download)
            >
                {text.share_download}
            </button>
            <Show when=move || is_link.get()>
                <button
                    type="button"
                    class="button"
                    data-testid="link-close"
                    on:click=move |_| send(ShareEvent::Close)
                >
                    {text.link_close}
                </button>
                <button
                    type="button"
                    class="button button-primary"
                    data-testid="replay"
                    autofocus
                    prop:disabled=is_running
                    on:click=move |_| send(ShareEvent::Replay)
                >
                    {move || if has_run() { text.link_again } else { text.link_replay }}
                </button>
            </Show>
        </div>
    }
}

fn select_all(event: &leptos::ev::FocusEvent) {
    event_target::<HtmlInputElement>(event).select();
}
