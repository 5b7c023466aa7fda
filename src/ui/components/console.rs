//! The consoles: a row of tabs, a log of commands, a line to write in.

mod blocks;
mod line;

use leptos::prelude::*;

use crate::playground::event::{ConsoleEvent, Event, Lower};
use crate::playground::view::TabView;
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Node, Place, Row, button, div, effect, found, h2, memo, next_frame, p, part, place, pre, rows,
    section, span,
};

fn send(context: Context, event: ConsoleEvent) {
    context.send(Event::Console(event));
}

/// What opens the reference of commands.
fn commands_button(context: Context) -> Node {
    button("button button-quiet")
        .testid("reference-open")
        .press(move || context.send(Event::ShowLower(Lower::Commands)))
        .child(context.text.tab_commands)
}

/// The panel.
pub(crate) fn console(context: Context) -> Node {
    let text = context.text;
    let console = context.views.console;
    let fields = Fields { line: place(), secret: place() };
    focus_when_ready(context, fields);
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
            fields.focus();
        })
        .child(icon(Sign::Add));
    let title = h2().set("id", "console-title").class("visually-hidden").child(text.panel_console);
    section()
        .class("panel panel-console")
        .set("aria-labelledby", "console-title")
        .on("dragover", |event| event.prevent_default())
        .on("drop", move |event| {
            for file in dom::dropped_files(&event) {
                dom::read_file(&file, move |name, brought| {
                    context.send(Event::DropFile(name, brought));
                });
            }
            event.prevent_default();
        })
        .child(
            div()
                .class("panel-head console-head")
                .child(title)
                .child(div().class("tabs").child(tabs).child(new))
                .child(commands_button(context)),
        )
        .child(blocks::output(context, fields))
        .child(paste(context, fields))
        .child(line::menu(context))
        .child(line::prompt(context, fields))
}

/// What is written in: the line, or a field that does not show what is written; one of them is hidden.
#[derive(Clone, Copy)]
struct Fields {
    line: Place,
    secret: Place,
}

impl Fields {
    /// Puts the cursor into the field that is there.
    fn focus(self) {
        let secret = found(self.secret).filter(|secret| !secret.hidden());
        if let Some(field) = secret.or_else(|| found(self.line)) {
            let _ = field.focus();
        }
    }
}

/// When the prompt becomes usable and nothing else has the focus, it gets it; not where a keyboard
/// would jump up.
fn focus_when_ready(context: Context, fields: Fields) {
    let frame = context.views.frame;
    let is_ready = memo(move || frame.with(|frame| frame.is_ready));
    effect(move || {
        if is_ready.get() && dom::is_wide() && dom::is_focus_free() {
            fields.focus();
        }
    });
}

fn tab_view(context: Context, tab: TabView, is_only: bool) -> Node {
    let text = context.text;
    let id = tab.id;
    let place = tab.place.to_string();
    let label = if tab.running.is_empty() {
        text.tab_name.of(&place)
    } else {
        text.tab_runs.of(&place, &tab.running)
    };
    let close = (!is_only).then(|| {
        button("tab-close")
            .testid(format!("close-tab-{place}"))
            .label(text.tab_close.of(&place))
            .press(move || send(context, ConsoleEvent::CloseTab(id)))
            .child(icon(Sign::Close))
    });
    let running = (!tab.running.is_empty())
        .then(|| span().class("tab-running").set("aria-hidden", "true").child(tab.running));
    let news = tab.has_news.then(|| {
        span().class("tab-news").child(span().class("visually-hidden").child(text.tab_has_news))
    });
    let name = button("tab-name")
        .testid(format!("console-tab-{place}"))
        .set("aria-current", tab.is_active.to_string())
        .press(move || send(context, ConsoleEvent::SelectTab(id)))
        .child(span().class("visually-hidden").child(label))
        .child(span().set("aria-hidden", "true").child(place))
        .child(running)
        .child(news);
    div().class("tab").class_if("is-active", tab.is_active).child(name).child(close)
}

/// A pasted text of several lines asks first.
fn paste(context: Context, fields: Fields) -> AnyView {
    let text = context.text;
    let console = context.views.console;
    let paste = memo(move || console.with(|console| console.paste.clone()));
    let yes = place();
    // Enter runs them, Escape does not.
    effect(move || {
        if paste.get().is_some() {
            next_frame(move || {
                if let Some(yes) = found(yes) {
                    let _ = yes.focus();
                }
            });
        }
    });
    let act = move |event: ConsoleEvent| {
        send(context, event);
        fields.focus();
    };
    let choice = move |class, name, words, event: ConsoleEvent| {
        button(class).testid(name).press(move || act(event.clone())).child(words)
    };
    part(move || {
        let lines = paste.get()?;
        let count = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        let words = text.paste_title.of(count);
        let title = p().class("paste-title").set("id", "paste-title").set("role", "alert");
        let primary = "button button-primary";
        let run = choice(primary, "paste-run", text.paste_yes, ConsoleEvent::AnswerPaste(true));
        let edit = choice("button", "paste-edit", text.paste_edit, ConsoleEvent::EditPaste);
        let no = choice("button", "paste-cancel", text.cancel, ConsoleEvent::AnswerPaste(false));
        Some(
            div()
                .class("paste")
                .set("role", "group")
                .set("aria-labelledby", "paste-title")
                .testid("paste")
                .on("keydown", move |event| {
                    if dom::key_of(&event) == "Escape" {
                        act(ConsoleEvent::AnswerPaste(false));
                    }
                })
                .child(title.child(words))
                .child(pre().class("paste-lines").set("tabindex", "0").child(lines.join("\n")))
                .child(div().class("row").child(run.at(yes)).child(edit).child(no)),
        )
    })
}
