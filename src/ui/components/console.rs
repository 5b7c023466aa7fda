//! The consoles: a row of tabs, a log of commands, a line to write in.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

use crate::playground::event::{ConsoleEvent, Event};
use crate::playground::view::prose;
use crate::playground::view::{BlockView, Piece, Stream, TabView};
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Node, Place, Row, button, div, either, h2, label, memo, p, part, place, pre, rows, section,
    show, span, textarea,
};

/// How near the end of the output one must be for it to follow. Unit: CSS pixels.
const FOLLOW_WITHIN: i32 = 32;

fn send(context: Context, event: ConsoleEvent) {
    context.send(Event::Console(event));
}

/// The panel.
pub(crate) fn console(context: Context) -> Node {
    let text = context.text;
    let console = context.views.console;
    let input = place();
    focus_when_ready(context, input);
    let tabs = rows(move || {
        let tabs = console.with(|console| console.tabs.clone());
        let is_only = tabs.len() < 2;
        let row = |tab: TabView| {
            let (id, place, running) = (tab.id, tab.place, &tab.running);
            let key =
                format!("{id} {place} {} {} {is_only} {running}", tab.is_active, tab.has_news);
            Row::new(key, move || tab_view(context, tab, is_only))
        };
        tabs.into_iter().map(row).collect()
    });
    let new = button("button button-quiet")
        .testid("new-tab")
        .label(text.tab_new)
        .set("title", text.tab_new)
        .disabled_while(move || console.with(|console| !console.can_open))
        .press(move || {
            send(context, ConsoleEvent::OpenTab);
            focus(input);
        })
        .child(icon(Sign::Add));
    let title = h2().set("id", "console-title").class("visually-hidden").child(text.panel_console);
    section()
        .class("panel panel-console")
        .set("aria-labelledby", "console-title")
        .child(
            div()
                .class("panel-head console-head")
                .child(title)
                .child(div().class("tabs").child(tabs).child(new)),
        )
        .child(output(context, input))
        .child(paste(context))
        .child(prompt(context, input))
}

fn focus(input: Place) {
    if let Some(input) = input.get_untracked() {
        let _ = input.focus();
    }
}

/// When the prompt becomes usable and nothing else has the focus, it gets it; not where a keyboard
/// would jump up.
fn focus_when_ready(context: Context, input: Place) {
    let frame = context.views.frame;
    let is_ready = memo(move || frame.with(|frame| frame.is_ready));
    Effect::new(move |_| {
        if is_ready.get() && dom::is_wide() && dom::is_focus_free() {
            focus(input);
        }
    });
}

fn tab_view(context: Context, tab: TabView, is_only: bool) -> Node {
    let text = context.text;
    let id = tab.id;
    let place = tab.place.to_string();
    let label = if tab.running.is_empty() {
        (text.tab_name)(&place)
    } else {
        (text.tab_runs)(&place, &tab.running)
    };
    let close = (!is_only).then(|| {
        button("tab-close")
            .label((text.tab_close)(&place))
            .press(move || send(context, ConsoleEvent::CloseTab(id)))
            .child(icon(Sign::Close))
    });
    let running = (!tab.running.is_empty()).then(|| span().class("tab-running").child(tab.running));
    let news = tab.has_news.then(|| {
        span().class("tab-news").child(span().class("visually-hidden").child(text.tab_has_news))
    });
    let name = button("tab-name")
        .testid(format!("console-tab-{place}"))
        .set("aria-current", tab.is_active.to_string())
        .label(label)
        .press(move || send(context, ConsoleEvent::SelectTab(id)))
        .child(span().child(place))
        .child(running)
        .child(news);
    div().class("tab").class_if("is-active", tab.is_active).child(name).child(close)
}

/// The log; follows its end unless one has scrolled up.
fn output(context: Context, input: Place) -> Node {
    let text = context.text;
    let console = context.views.console;
    let at = place();
    let hello = move || {
        div()
            .class("console-hello")
            .child(p().child(text.console_hello))
            .child(p().child(prose::parse(text.console_hint)))
            .child(p().class("console-keys").child(text.console_keys))
    };
    let ids = memo(move || {
        console.with(|console| {
            let ids: Vec<u64> = console.blocks.iter().map(|block| block.id).collect();
            (console.active, ids)
        })
    });
    let blocks = rows(move || {
        let (tab, ids) = ids.get();
        let row = |id: u64| Row::new(format!("{tab} {id}"), move || block(context, id));
        ids.into_iter().map(row).collect()
    });
    div()
        .class("console-output")
        .testid("console-output")
        .set("role", "log")
        .set("aria-live", "polite")
        .label(text.console_output)
        .set("tabindex", "0")
        .at(at)
        .on("scroll", follow_the_end(context, at))
        .press(move || {
            if !dom::has_selection() && dom::is_wide() {
                focus(input);
            }
        })
        .child(show(move || console.with(|console| console.blocks.is_empty()), hello))
        .child(blocks)
}

/// Scrolls to the end when there is more, and gives what is to be done when somebody scrolls.
fn follow_the_end(context: Context, at: Place) -> impl FnMut(web_sys::Event) + 'static {
    let console = context.views.console;
    let follows = Rc::new(Cell::new(true));
    let last_top = Cell::new(0);
    let is_following = Rc::clone(&follows);
    Effect::new(move |_| {
        console.track();
        if is_following.get() {
            request_animation_frame(move || {
                if let Some(place) = at.get_untracked() {
                    place.set_scroll_top(place.scroll_height());
                }
            });
        }
    });
    // Growing output moves the end away without anybody scrolling: only a step up stops following.
    move |_| {
        if let Some(place) = at.get_untracked() {
            let top = place.scroll_top();
            let below = place.scroll_height() - top - place.client_height();
            let was_up = top < last_top.replace(top);
            if below <= FOLLOW_WITHIN {
                follows.set(true);
            } else if was_up {
                follows.set(false);
            }
        }
    }
}

/// Reads a block; it may just have gone.
fn read<T: Default>(context: Context, id: u64, of: impl FnOnce(&BlockView) -> T) -> T {
    context.views.console.with(|console| {
        let at = console.blocks.binary_search_by_key(&id, |block| block.id).ok();
        at.and_then(|at| console.blocks.get(at)).map(|block| of(block)).unwrap_or_default()
    })
}

/// One command and what it printed.
fn block(context: Context, id: u64) -> Node {
    let text = context.text;
    let line = untrack(|| read(context, id, |block| block.line.clone()));
    let pieces = rows(move || {
        let row = |piece: Arc<Piece>| {
            let key = format!("{} {}", piece.id, piece.text.len());
            Row::new(key, move || piece_view(context, &piece))
        };
        read(context, id, |block| block.pieces.clone()).into_iter().map(row).collect()
    });
    let running = move || {
        p().class("block-running")
            .child(span().class("pulse").set("aria-hidden", "true"))
            .child(text.running)
    };
    let failure = memo(move || read(context, id, |block| block.failure));
    let status = part(move || {
        let words = (text.exit_status)(&failure.get()?.to_string());
        Some(p().class("block-status").testid("exit-status").child(words))
    });
    let mark = span().class("block-prompt").set("aria-hidden", "true").child("$ ");
    div()
        .class("block")
        .testid("console-block")
        .follow("data-running", move || read(context, id, |block| block.is_running).to_string())
        .child(pre().class("block-line").child(mark).child(line))
        .child(show(
            move || read(context, id, |block| block.hidden_lines) > 0,
            move || block_tools(context, id),
        ))
        .child(show(
            move || read(context, id, |block| block.is_cut),
            move || p().class("block-note").child(text.output_cut),
        ))
        .child(pieces)
        .child(show(move || read(context, id, |block| block.is_running), running))
        .child(status)
}

/// For a long output: all of it, here or in the clipboard.
fn block_tools(context: Context, id: u64) -> Node {
    let text = context.text;
    let hidden =
        move || read(context, id, |block| (text.show_all)(&block.hidden_lines.to_string()));
    p().class("block-tools")
        .child(
            button("button button-small")
                .press(move || send(context, ConsoleEvent::Expand(id)))
                .text(hidden),
        )
        .child(
            button("button button-small")
                .press(move || send(context, ConsoleEvent::CopyBlock(id)))
                .child(icon(Sign::Copy))
                .child(text.copy_output),
        )
}

fn piece_view(context: Context, piece: &Piece) -> Node {
    let class = match piece.stream {
        Stream::Out => "piece",
        Stream::Err => "piece is-error",
        Stream::In => "piece is-input",
    };
    let mark = (piece.stream == Stream::Err)
        .then(|| span().class("visually-hidden").child(context.text.error_mark).child(": "));
    pre().class(class).child(mark).child(piece.text.clone())
}

/// A pasted text of several lines asks first.
fn paste(context: Context) -> AnyView {
    let text = context.text;
    let console = context.views.console;
    let paste = memo(move || console.with(|console| console.paste.clone()));
    let answer = move |is_yes| send(context, ConsoleEvent::AnswerPaste(is_yes));
    part(move || {
        let lines = paste.get()?;
        let count = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        let title = p().class("paste-title").set("role", "alert").child((text.paste_title)(count));
        let yes = button("button button-primary")
            .testid("paste-run")
            .press(move || answer(true))
            .child(text.paste_yes);
        let no =
            button("button").testid("paste-cancel").press(move || answer(false)).child(text.cancel);
        Some(
            div()
                .class("paste")
                .set("role", "group")
                .testid("paste")
                .child(title)
                .child(pre().class("paste-lines").set("tabindex", "0").child(lines.join("\n")))
                .child(div().class("row").child(yes).child(no)),
        )
    })
}

/// The line being written.
fn prompt(context: Context, input: Place) -> Node {
    let text = context.text;
    let console = context.views.console;
    let is_running = move || console.with(|console| console.is_running);
    let queued = move || console.with(|console| console.queued);
    let mark = label()
        .class("prompt-mark")
        .set("for", "console-input")
        .child(span().set("aria-hidden", "true").child("$"))
        .child(span().class("visually-hidden").child(text.console_input));
    let placeholder =
        move || if is_running() { text.console_stdin } else { text.console_placeholder }.to_owned();
    let field = textarea()
        .set("id", "console-input")
        .class("prompt-input")
        .testid("console-input")
        .set("rows", "1")
        .set("spellcheck", "false")
        .set("autocapitalize", "off")
        .set("autocomplete", "off")
        .follow("placeholder", placeholder)
        .at(input)
        .value(move || console.with(|console| console.draft.clone()))
        .on("input", move |event| send(context, ConsoleEvent::Typed(dom::value_of(&event))))
        .on("keydown", on_key(context))
        .on("paste", move |event| on_paste(context, &event));
    let waiting = move || span().class("prompt-note").text(move || (text.queued)(queued().into()));
    let act = move |event: ConsoleEvent| {
        send(context, event);
        focus(input);
    };
    let stop = move || {
        button("button button-small")
            .testid("console-stop")
            .press(move || act(ConsoleEvent::Interrupt))
            .child(icon(Sign::Stop))
            .child(text.interrupt)
    };
    let run = move || {
        button("button button-quiet")
            .testid("console-run")
            .label(text.run)
            .set("title", text.run)
            .press(move || act(ConsoleEvent::Submit))
            .child(icon(Sign::Run))
    };
    div()
        .class("prompt")
        .child(mark)
        .child(field)
        .child(show(move || queued() > 0, waiting))
        .child(either(is_running, stop, run))
}

/// Hears keys; after Escape, Tab leaves the field.
fn on_key(context: Context) -> impl FnMut(web_sys::Event) + 'static {
    let console = context.views.console;
    let mut may_leave = false;
    move |event| {
        let Ok(event) = event.dyn_into::<web_sys::KeyboardEvent>() else { return };
        let leaves = std::mem::replace(&mut may_leave, event.key() == "Escape");
        if leaves && event.key() == "Tab" {
            return;
        }
        let is_running = console.with_untracked(|console| console.is_running);
        if let Some(wanted) = key_event(&event, is_running) {
            event.prevent_default();
            send(context, wanted);
        }
    }
}

fn on_paste(context: Context, event: &web_sys::Event) {
    let pasted = dom::pasted_text(event).unwrap_or_default();
    if pasted.trim_end().contains('\n') {
        event.prevent_default();
        send(context, ConsoleEvent::Pasted(pasted));
    }
}

/// What a key means in the line; `None` leaves it to the browser.
fn key_event(event: &web_sys::KeyboardEvent, is_running: bool) -> Option<ConsoleEvent> {
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
