//! The consoles: a row of tabs, a log of commands, a line to write in.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::web_sys;

use crate::playground::event::{ConsoleEvent, Event};
use crate::playground::view::prose;
use crate::playground::view::{BlockView, Piece, Stream, TabView};
use crate::ui::components::icon::{Icon, Sign};
use crate::ui::components::prose::spans;
use crate::ui::context::Context;
use crate::ui::dom;

/// How near the end of the output one must be for it to follow. Unit: CSS pixels.
const FOLLOW_WITHIN: i32 = 32;

/// The panel.
#[component]
pub(crate) fn Console(context: Context) -> impl IntoView {
    let text = context.text;
    let console = context.views.console;
    let input = NodeRef::<html::Textarea>::new();
    let tabs = Memo::new(move |_| console.with(|console| console.tabs.clone()));
    let can_open = Memo::new(move |_| console.with(|console| console.can_open));
    focus_when_ready(context, input);
    view! {
        <section class="panel panel-console" aria-labelledby="console-title">
            <div class="panel-head console-head">
                <h2 id="console-title" class="visually-hidden">{text.panel_console}</h2>
                <div class="tabs">
                    <For
                        each=move || tabs.get()
                        key=|tab| (tab.id, tab.place, tab.is_active, tab.has_news, tab.running.clone())
                        let(tab)
                    >
                        <Tab context tab count=tabs.with_untracked(Vec::len) />
                    </For>
                    <button
                        type="button"
                        class="button button-quiet"
                        data-testid="new-tab"
                        aria-label=text.tab_new
                        title=text.tab_new
                        prop:disabled=move || !can_open.get()
                        on:click=move |_| {
                            context.send(Event::Console(ConsoleEvent::OpenTab));
                            focus(input);
                        }
                    >
                        <Icon sign=Sign::Add />
                    </button>
                </div>
            </div>
            <Output context input />
            <Paste context />
            <Prompt context input />
        </section>
    }
}

fn focus(input: NodeRef<html::Textarea>) {
    if let Some(input) = input.get_untracked() {
        let _ = input.focus();
    }
}

/// When the prompt becomes usable and nothing else has the focus, it gets it; not where a keyboard
/// would jump up.
fn focus_when_ready(context: Context, input: NodeRef<html::Textarea>) {
    let frame = context.views.frame;
    let is_ready = Memo::new(move |_| frame.with(|frame| frame.is_ready));
    Effect::new(move |_| {
        if is_ready.get() && dom::is_wide() && dom::is_focus_free() {
            focus(input);
        }
    });
}

#[component]
fn Tab(context: Context, tab: TabView, count: usize) -> impl IntoView {
    let text = context.text;
    let id = tab.id;
    let place = tab.place.to_string();
    let testid = format!("console-tab-{place}");
    let label = if tab.running.is_empty() {
        (text.tab_name)(&place)
    } else {
        (text.tab_runs)(&place, &tab.running)
    };
    let close_label = (text.tab_close)(&place);
    view! {
        <div class="tab" class:is-active=tab.is_active>
            <button
                type="button"
                class="tab-name"
                data-testid=testid
                aria-current=if tab.is_active { "true" } else { "false" }
                aria-label=label
                on:click=move |_| context.send(Event::Console(ConsoleEvent::SelectTab(id)))
            >
                <span>{place}</span>
                {(!tab.running.is_empty())
                    .then(|| view! { <span class="tab-running">{tab.running.clone()}</span> })}
                {tab.has_news
                    .then(|| {
                        view! {
                            <span class="tab-news">
                                <span class="visually-hidden">{text.tab_has_news}</span>
                            </span>
                        }
                    })}
            </button>
            {(count > 1)
                .then(|| {
                    view! {
                        <button
                            type="button"
                            class="tab-close"
                            aria-label=close_label
                            on:click=move |_| context.send(Event::Console(ConsoleEvent::CloseTab(id)))
                        >
                            <Icon sign=Sign::Close />
                        </button>
                    }
                })}
        </div>
    }
}

/// The log; follows its end unless one has scrolled up.
#[component]
fn Output(context: Context, input: NodeRef<html::Textarea>) -> impl IntoView {
    let text = context.text;
    let console = context.views.console;
    let place = NodeRef::<html::Div>::new();
    let follows = StoredValue::new_local(Rc::new(Cell::new(true)));
    let last_top = StoredValue::new_local(Rc::new(Cell::new(0)));
    // Growing output moves the end away without anybody scrolling: only a step up stops following.
    let on_scroll = move |_| {
        if let Some(place) = place.get_untracked() {
            let top = place.scroll_top();
            let below = place.scroll_height() - top - place.client_height();
            let was_up = last_top.with_value(|last| top < last.replace(top));
            if below <= FOLLOW_WITHIN {
                follows.with_value(|follows| follows.set(true));
            } else if was_up {
                follows.with_value(|follows| follows.set(false));
            }
        }
    };
    Effect::new(move |_| {
        console.track();
        if follows.with_value(|follows| follows.get()) {
            request_animation_frame(move || {
                if let Some(place) = place.get_untracked() {
                    place.set_scroll_top(place.scroll_height());
                }
            });
        }
    });
    let active = Memo::new(move |_| console.with(|console| console.active));
    let is_empty = Memo::new(move |_| console.with(|console| console.blocks.is_empty()));
    let ids = Memo::new(move |_| {
        let blocks = console.with(|console| console.blocks.clone());
        blocks.iter().map(|block| (active.get(), block.id)).collect::<Vec<_>>()
    });
    view! {
        <div
            class="console-output"
            data-testid="console-output"
            role="log"
            aria-live="polite"
            aria-label=text.console_output
            tabindex="0"
            node_ref=place
            on:scroll=on_scroll
            on:click=move |_| {
                if !dom::has_selection() && dom::is_wide() {
                    focus(input);
                }
            }
        >
            <Show when=move || is_empty.get()>
                <div class="console-hello">
                    <p>{text.console_hello}</p>
                    <p>{spans(prose::parse(text.console_hint))}</p>
                    <p class="console-keys">{text.console_keys}</p>
                </div>
            </Show>
            <For each=move || ids.get() key=|id| *id let(id)>
                <Block context id=id.1 />
            </For>
        </div>
    }
}

fn find(context: Context, id: u64) -> Option<Arc<BlockView>> {
    context.views.console.with(|console| {
        let at = console.blocks.binary_search_by_key(&id, |block| block.id).ok()?;
        console.blocks.get(at).cloned()
    })
}

/// One command and what it printed.
#[component]
fn Block(context: Context, id: u64) -> impl IntoView {
    let text = context.text;
    let block = Memo::new(move |_| find(context, id));
    let line = block.with_untracked(|block| block.as_ref().map(|block| block.line.clone()));
    let pieces = move || {
        block.with(|block| block.as_ref().map(|block| block.pieces.clone())).unwrap_or_default()
    };
    let hidden = Memo::new(move |_| {
        block.with(|block| block.as_ref().map_or(0, |block| block.hidden_lines))
    });
    let has_hidden = Memo::new(move |_| hidden.get() > 0);
    let is_cut =
        Memo::new(move |_| block.with(|block| block.as_ref().is_some_and(|block| block.is_cut)));
    let is_running = Memo::new(move |_| {
        block.with(|block| block.as_ref().is_some_and(|block| block.is_running))
    });
    let failure =
        Memo::new(move |_| block.with(|block| block.as_ref().and_then(|block| block.failure)));
    view! {
        <div class="block" data-testid="console-block" data-running=move || is_running.get().to_string()>
            <pre class="block-line">
                <span class="block-prompt" aria-hidden="true">"$ "</span>
                {line}
            </pre>
            <Show when=move || has_hidden.get()>
                <p class="block-tools">
                    <button
                        type="button"
                        class="button button-small"
                        on:click=move |_| context.send(Event::Console(ConsoleEvent::Expand(id)))
                    >
                        {move || (text.show_all)(&hidden.get().to_string())}
                    </button>
                    <button
                        type="button"
                        class="button button-small"
                        on:click=move |_| context.send(Event::Console(ConsoleEvent::CopyBlock(id)))
                    >
                        <Icon sign=Sign::Copy />
                        {text.copy_output}
                    </button>
                </p>
            </Show>
            <Show when=move || is_cut.get()>
                <p class="block-note">{text.output_cut}</p>
            </Show>
            <For each=pieces key=|piece| (piece.id, piece.text.len()) let(piece)>
                {piece_view(context, &piece)}
            </For>
            <Show when=move || is_running.get()>
                <p class="block-running">
                    <span class="pulse" aria-hidden="true"></span>
                    {text.running}
                </p>
            </Show>
            {move || {
                failure
                    .get()
                    .map(|status| {
                        view! {
                            <p class="block-status" data-testid="exit-status">
                                {(text.exit_status)(&status.to_string())}
                            </p>
                        }
                    })
            }}
        </div>
    }
}

fn piece_view(context: Context, piece: &Arc<Piece>) -> impl IntoView + use<> {
    let class = match piece.stream {
        Stream::Out => "piece",
        Stream::Err => "piece is-error",
        Stream::In => "piece is-input",
    };
    let mark = (piece.stream == Stream::Err)
        .then(|| view! { <span class="visually-hidden">{context.text.error_mark} ": "</span> });
    view! {
        <pre class=class>
            {mark}
            {piece.text.clone()}
        </pre>
    }
}

/// A pasted text of several lines asks first.
#[component]
fn Paste(context: Context) -> impl IntoView {
    let text = context.text;
    let console = context.views.console;
    let paste = Memo::new(move |_| console.with(|console| console.paste.clone()));
    let answer = move |is_yes| context.send(Event::Console(ConsoleEvent::AnswerPaste(is_yes)));
    move || {
        paste.get().map(|lines| {
            let count = u64::try_from(lines.len()).unwrap_or(u64::MAX);
            view! {
                <div class="paste" role="group" data-testid="paste">
                    <p class="paste-title" role="alert">{(text.paste_title)(count)}</p>
                    <pre class="paste-lines" tabindex="0">{lines.join("\n")}</pre>
                    <div class="row">
                        <button
                            type="button"
                            class="button button-primary"
                            data-testid="paste-run"
                            on:click=move |_| answer(true)
                        >
                            {text.paste_yes}
                        </button>
                        <button
                            type="button"
                            class="button"
                            data-testid="paste-cancel"
                            on:click=move |_| answer(false)
                        >
                            {text.cancel}
                        </button>
                    </div>
                </div>
            }
        })
    }
}

/// The line being written.
#[component]
fn Prompt(context: Context, input: NodeRef<html::Textarea>) -> impl IntoView {
    let text = context.text;
    let console = context.views.console;
    let draft = Memo::new(move |_| console.with(|console| console.draft.clone()));
    let is_running = Memo::new(move |_| console.with(|console| console.is_running));
    let queued = Memo::new(move |_| console.with(|console| console.queued));
    let has_queued = Memo::new(move |_| queued.get() > 0);
    let send = move |event| context.send(Event::Console(event));
    let may_leave = StoredValue::new_local(Rc::new(Cell::new(false)));
    let on_key = move |event: ev::KeyboardEvent| {
        let leaves = may_leave.with_value(|may_leave| may_leave.replace(event.key() == "Escape"));
        if leaves && event.key() == "Tab" {
            return;
        }
        if let Some(wanted) = key_event(&event, is_running.get_untracked()) {
            event.prevent_default();
            send(wanted);
        }
    };
    let on_paste = move |event: ev::ClipboardEvent| {
        let pasted = dom::pasted_text(&event).unwrap_or_default();
        if pasted.trim_end().contains('\n') {
            event.prevent_default();
            send(ConsoleEvent::Pasted(pasted));
        }
    };
    let placeholder = move || {
        if is_running.get() { text.console_stdin } else { text.console_placeholder }
    };
    view! {
        <div class="prompt">
            <label class="prompt-mark" for="console-input">
                <span aria-hidden="true">"$"</span>
                <span class="visually-hidden">{text.console_input}</span>
            </label>
            <textarea
                id="console-input"
                class="prompt-input"
                data-testid="console-input"
                rows="1"
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                placeholder=placeholder
                node_ref=input
                prop:value=move || draft.get()
                on:input=move |event| send(ConsoleEvent::Typed(event_target_value(&event)))
                on:keydown=on_key
                on:paste=on_paste
            ></textarea>
            <Show when=move || has_queued.get()>
                <span class="prompt-note">{move || (text.queued)(u64::from(queued.get()))}</span>
            </Show>
            <Show
                when=move || is_running.get()
                fallback=move || {
                    view! {
                        <button
                            type="button"
                            class="button button-quiet"
                            data-testid="console-run"
                            aria-label=text.run
                            title=text.run
                            on:click=move |_| {
                                send(ConsoleEvent::Submit);
                                focus(input);
                            }
                        >
                            <Icon sign=Sign::Run />
                        </button>
                    }
                }
            >
                <button
                    type="button"
                    class="button button-small"
                    data-testid="console-stop"
                    on:click=move |_| {
                        send(ConsoleEvent::Interrupt);
                        focus(input);
                    }
                >
                    <Icon sign=Sign::Stop />
                    {text.interrupt}
                </button>
            </Show>
        </div>
    }
}

/// What a key means in the line; `None` leaves it to the browser.
fn key_event(event: &ev::KeyboardEvent, is_running: bool) -> Option<ConsoleEvent> {
    if event.is_composing() {
        return None;
    }
    let area = event_target::<web_sys::HtmlTextAreaElement>(event);
    let line = area.value();
    let key = event.key();
    if event.ctrl_key() && !event.alt_key() && !event.meta_key() {
        let has_selection = area.selection_start() != area.selection_end() || dom::has_selection();
        return match key.as_str() {
            "c" | "C" if !has_selection => Some(ConsoleEvent::Interrupt),
            "l" | "L" => Some(ConsoleEvent::Clear),
            "d" | "D" if is_running && line.is_empty() => Some(ConsoleEvent::EndOfInput),
            _ => None,
        };
    }
    match key.as_str() {
        "Enter" if !event.shift_key() => Some(ConsoleEvent::Submit),
        "ArrowUp" if !line.contains('\n') => Some(ConsoleEvent::Older),
        "ArrowDown" if !line.contains('\n') => Some(ConsoleEvent::Newer),
        "Tab" if !event.shift_key() && !line.trim().is_empty() => Some(ConsoleEvent::Complete),
        _ => None,
    }
}
