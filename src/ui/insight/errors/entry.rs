//! The chosen entry: its message, what it means, the lines that produce it, what to do, and what can be done with it.

use leptos::prelude::*;

use super::super::Context;
use super::{act, read, waiting};
use crate::playground::insight::{Ask, Catalogue, ErrorEntryView, ErrorLine, FetchState};
use crate::playground::view::prose::Span;
use crate::ui::components::{Sign, icon};
use crate::ui::node::{Node, button, code, div, h3, h4, li, memo, ol, p, part, pre, show, span};

pub(super) fn entry(context: Context) -> Node {
    let text = context.text.errors;
    let chosen = memo(move || read(context, |view| view.entry.clone()));
    let is_none = move || chosen.get().is_none();
    div()
        .class("reference-page error-page")
        .set("aria-live", "polite")
        .set("tabindex", "0")
        .set("role", "group")
        .label(text.title)
        .child(part(move || Some(shown(context, chosen.get()?))))
        .child(show(is_none, move || p().class("empty").child(text.choose)))
}

fn shown(context: Context, entry: ErrorEntryView) -> Node {
    let text = context.text.errors;
    let mut all = div().testid("error-entry").set("data-name", entry.name.clone());
    if !entry.message.is_empty() {
        all = all
            .child(h3().class("error-title").testid("error-title").child(entry.message.clone()))
            .child(facts(context, &entry));
    }
    if entry.state != FetchState::Ready {
        return all.child(waiting(context, entry.state, text.loading_entry, "error-wait"));
    }
    all = all.child(h4().child(text.meaning)).child(prose(&entry.meaning, "error-meaning"));
    if !entry.lines.is_empty() {
        all = all
            .child(h4().child(text.produce))
            .child(p().class("error-cluster").child(entry.cluster.clone()))
            .child(lines(context, &entry.lines, "error-lines"))
            .child(tools(context, entry.can_run));
    }
    all = all.child(h4().child(text.remedy)).child(prose(&entry.remedy, "error-remedy"));
    if !entry.remedy_lines.is_empty() {
        all = all.child(p().class("error-cluster").child(text.remedy_lines)).child(lines(
            context,
            &entry.remedy_lines,
            "error-remedy-lines",
        ));
    }
    if !entry.not_here.is_empty() {
        all = all.child(h4().child(text.not_here)).child(prose(&entry.not_here, "error-not-here"));
    }
    all
}

/// The line as it is printed, and its code.
fn facts(context: Context, entry: &ErrorEntryView) -> Node {
    let text = context.text.errors;
    let label = |words: &'static str| span().class("why-label").child(words);
    let code_of = (!entry.code.is_empty())
        .then(|| code().class("error-code").testid("error-code").child(entry.code.clone()));
    div()
        .class("error-facts")
        .child(p().child(label(text.printed)))
        .child(pre().class("piece").testid("error-printed").child(entry.printed.clone()))
        .child(
            p().child(label(text.code))
                .child(" ")
                .child(code_of)
                .child(" ")
                .child(span().child(entry.code_words)),
        )
        .child(p().child(label(text.area)).child(" ").child(entry.area))
}

fn prose(paragraphs: &[Vec<Span>], name: &'static str) -> Node {
    let mut all = div().class("lesson-prose").testid(name);
    for paragraph in paragraphs {
        all = all.child(p().class("step-why").child(paragraph.clone()));
    }
    all
}

fn lines(context: Context, lines: &[ErrorLine], name: &'static str) -> Node {
    let mut list = ol().class("step-lines").testid(name);
    for line in lines {
        list = list.child(li().child(line_of(context, line)));
    }
    list
}

/// A line; a click puts it into the console, where a person runs it.
fn line_of(context: Context, line: &ErrorLine) -> Node {
    let words = span().class("step-line-text error-line").child(line.text.clone());
    if !line.can_write || line.text.contains('\n') {
        return div().class("step-line").child(words);
    }
    let text = line.text.clone();
    button("step-line")
        .label(context.text.errors.write.replace("{0}", &line.text))
        .press(move || context.ask(&Ask::Write(text.clone())))
        .child(words)
        .child(span().class("step-line-sign").child(icon(Sign::Run)))
}

fn tools(context: Context, can_run: bool) -> Node {
    let text = context.text.errors;
    let run = can_run.then(|| {
        button("button")
            .testid("error-run")
            .set("title", text.run_hint)
            .press(move || act(context, Catalogue::run))
            .child(text.run)
    });
    div()
        .class("error-tools")
        .child(
            button("button button-primary")
                .testid("error-play")
                .set("title", text.play_hint)
                .press(move || act(context, Catalogue::play))
                .child(text.play),
        )
        .child(
            button("button")
                .testid("error-travel")
                .press(move || {
                    let text = context
                        .page
                        .try_get_value()
                        .and_then(|page| page.model.borrow_mut().catalogue().text().cloned());
                    if let Some(text) = text {
                        context.open_in_time(text);
                    }
                })
                .child(text.travel),
        )
        .child(run)
}
