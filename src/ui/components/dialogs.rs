//! The question before a cluster is thrown away, and a link that cannot be opened.

use leptos::html;
use leptos::prelude::*;

use crate::playground::event::{Event, ShareEvent};
use crate::ui::context::Context;

/// Opens and closes a dialog with a signal; Escape is told to `on_escape`.
pub(crate) fn follow(dialog: NodeRef<html::Dialog>, is_open: Memo<bool>) {
    Effect::new(move |_| {
        let is_open = is_open.get();
        let Some(dialog) = dialog.get() else { return };
        if is_open && !dialog.open() {
            let _ = dialog.show_modal();
        } else if !is_open && dialog.open() {
            dialog.close();
        }
    });
}

/// Both dialogs.
#[component]
pub(crate) fn Dialogs(context: Context) -> impl IntoView {
    view! {
        <NewCluster context />
        <BrokenLink context />
    }
}

#[component]
fn NewCluster(context: Context) -> impl IntoView {
    let text = context.text;
    let frame = context.views.frame;
    let dialog = NodeRef::<html::Dialog>::new();
    let asks = Memo::new(move |_| frame.with(|frame| frame.asks_new));
    follow(dialog, Memo::new(move |_| asks.with(Option::is_some)));
    let answer = move |is_yes| context.send(Event::AnswerNewCluster(is_yes));
    view! {
        <dialog
            class="dialog dialog-small"
            node_ref=dialog
            aria-labelledby="new-cluster-title"
            on:cancel=move |event: leptos::ev::Event| {
                event.prevent_default();
                answer(false);
            }
        >
            <h2 id="new-cluster-title">{move || asks.get().map(text.new_cluster_title)}</h2>
            <p>{text.new_cluster_warning}</p>
            <div class="row row-end">
                <button type="button" class="button" data-testid="new-cluster-no" on:click=move |_| answer(false)>
                    {text.cancel}
                </button>
                <button
                    type="button"
                    class="button button-bad"
                    data-testid="new-cluster-yes"
                    on:click=move |_| answer(true)
                >
                    {text.new_cluster_yes}
                </button>
            </div>
        </dialog>
    }
}

#[component]
fn BrokenLink(context: Context) -> impl IntoView {
    let text = context.text;
    let frame = context.views.frame;
    let dialog = NodeRef::<html::Dialog>::new();
    let why = Memo::new(move |_| frame.with(|frame| frame.broken_link.clone()));
    follow(dialog, Memo::new(move |_| why.with(Option::is_some)));
    let close = move || context.send(Event::Share(ShareEvent::Close));
    view! {
        <dialog
            class="dialog dialog-small"
            node_ref=dialog
            aria-labelledby="broken-link-title"
            data-testid="broken-link"
            on:cancel=move |event: leptos::ev::Event| {
                event.prevent_default();
                close();
            }
        >
            <h2 id="broken-link-title">{text.link_broken_title}</h2>
            <p data-testid="broken-link-reason">{why}</p>
            <div class="row row-end">
                <button type="button" class="button button-primary" on:click=move |_| close()>
                    {text.link_close}
                </button>
            </div>
        </dialog>
    }
}
