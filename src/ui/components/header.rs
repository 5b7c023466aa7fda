//! Name, the cluster in one line, storage, sharing, colours.

use leptos::prelude::*;

use crate::playground::event::{Event, ShareEvent, Theme};
use crate::ui::components::icon::{Icon, Sign};
use crate::ui::context::Context;

/// The top of the page.
#[component]
pub(crate) fn Header(context: Context) -> impl IntoView {
    let text = context.text;
    view! {
        <header class="top">
            <h1 class="brand">
                <svg class="brand-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
                    <path class="brand-lines" d="M10 4.5L4.5 14.5h11z" />
                    <circle class="brand-lead" cx="10" cy="4.5" r="3.2" />
                    <circle class="brand-dot" cx="4.5" cy="14.5" r="2.6" />
                    <circle class="brand-dot" cx="15.5" cy="14.5" r="2.6" />
                </svg>
                {text.title}
            </h1>
            <Summary context />
            <Tools context />
        </header>
    }
}

/// The cluster in one line.
#[component]
fn Summary(context: Context) -> impl IntoView {
    let text = context.text;
    let frame = context.views.frame;
    let leader = move || frame.with(|frame| frame.leader.clone());
    let has_leader = move || frame.with(|frame| frame.has_leader);
    view! {
        <dl class="summary" data-testid="summary">
            <div class="summary-item" class:is-missing=move || !has_leader()>
                <dt>{text.summary_leader}</dt>
                <dd data-testid="leader">{leader}</dd>
            </div>
            <div class="summary-item">
                <dt>{text.summary_term}</dt>
                <dd data-testid="term">{move || frame.with(|frame| frame.term)}</dd>
            </div>
            <div class="summary-item">
                <dt>{text.summary_revision}</dt>
                <dd data-testid="revision">{move || frame.with(|frame| frame.revision)}</dd>
            </div>
        </dl>
    }
}

/// Storage, tutorial, colours, sharing.
#[component]
fn Tools(context: Context) -> impl IntoView {
    let text = context.text;
    let frame = context.views.frame;
    let theme_label = move || match frame.with(|frame| frame.theme) {
        Theme::System => text.theme_system,
        Theme::Light => text.theme_light,
        Theme::Dark => text.theme_dark,
    };
    let next_theme = move |_| {
        let next = match frame.with_untracked(|frame| frame.theme) {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        };
        context.send(Event::SetTheme(next));
    };
    view! {
        <div class="top-tools">
            <span
                class="chip"
                class:is-durable=move || frame.with(|frame| frame.is_durable)
                data-testid="storage-mode"
                title=move || frame.with(|frame| if frame.is_durable { text.mode_indexed_db_hint } else { "" })
            >
                <span class="visually-hidden">{text.storage} ": "</span>
                {move || frame.with(|frame| frame.storage)}
            </span>
            <button
                type="button"
                class="button tutorial-toggle"
                data-testid="tutorial-toggle"
                aria-pressed=move || frame.with(|frame| frame.has_tutorial).to_string()
                title=move || frame.with(|frame| if frame.has_tutorial { text.hide_tutorial } else { text.show_tutorial })
                on:click=move |_| context.send(Event::ToggleTutorial)
            >
                <Icon sign=Sign::Tutorial />
                <span class="wide-only">{text.panel_tutorial}</span>
            </button>
            <button
                type="button"
                class="button"
                data-testid="theme-toggle"
                aria-label=theme_label
                title=theme_label
                on:click=next_theme
            >
                <Icon sign=Sign::Theme />
            </button>
            <button
                type="button"
                class="button button-primary"
                data-testid="share-button"
                prop:disabled=move || frame.with(|frame| !frame.can_share)
                on:click=move |_| context.send(Event::Share(ShareEvent::Open))
            >
                <Icon sign=Sign::Share />
                {text.share}
            </button>
        </div>
    }
}
