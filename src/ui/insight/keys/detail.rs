//! The chosen revision: its numbers, its value in three forms, what can be done with it, and a comparison.

use leptos::prelude::*;

use super::{Context, told};
use crate::playground::insight::{Ask, DetailView, DiffLine, DiffView, Form, Hindrance, LineKind};
use crate::playground::keys::KeysEvent;
use crate::ui::node::{
    Node, Row, button, code, dd, div, dl, dt, either, h3, memo, p, part, pre, rows, show, span,
};

pub(super) fn detail(context: Context) -> Node {
    let words = context.words;
    let is_compared = move || read(context, |detail| detail.diff.is_some());
    let title = move || {
        read(context, |detail| match &detail.diff {
            Some(diff) => words.compared.of(&diff.from.to_string(), &diff.to.to_string()),
            None => format!("{} {}", words.revision, detail.value.mod_revision),
        })
    };
    let head = div().class("keys-head").child(
        h3().class("keys-title").testid("key-detail").set("aria-live", "polite").text(title),
    );
    div()
        .class("keys-detail")
        .set("role", "region")
        .follow("aria-label", title)
        .child(head)
        .child(actions(context))
        .child(either(is_compared, move || difference(context), move || value(context)))
}

/// Reads the chosen revision; there may just be none any more.
fn read<T: Default>(context: Context, of: impl FnOnce(&DetailView) -> T) -> T {
    context.views.detail.with(|detail| detail.as_ref().map(of).unwrap_or_default())
}

fn actions(context: Context) -> Node {
    let words = context.words;
    let revision = move || untrack(|| read(context, |detail| detail.value.mod_revision));
    let is_pinned = move || told(context, |keys| keys.compared.is_some());
    let pin = button("button button-small")
        .testid("compare")
        .follow("aria-pressed", move || is_pinned().to_string())
        .press(move || {
            let to = if untrack(is_pinned) { None } else { Some(revision()) };
            context.ask(&Ask::Keys(KeysEvent::Compare(to)));
        })
        .text(move || if is_pinned() { words.compare_end } else { words.compare }.to_owned());
    let before = button("button button-small")
        .testid("compare-before")
        .press(move || context.ask(&Ask::Keys(KeysEvent::CompareBefore)))
        .child(words.compare_before);
    let look = button("button button-small")
        .testid("look-at")
        .press(move || context.ask(&Ask::Keys(KeysEvent::LookAt(revision()))))
        .text(move || {
            read(context, |detail| words.look_at.of(&detail.value.mod_revision.to_string()))
        });
    let hint = show(
        move || is_pinned() && read(context, |detail| detail.diff.is_none()),
        move || p().class("keys-hint").child(words.compare_hint),
    );
    div()
        .class("keys-actions")
        .child(div().class("keys-buttons").child(before).child(pin).child(look))
        .child(hint)
        .child(put(context))
}

/// Puts the value back, or says why not.
fn put(context: Context) -> AnyView {
    let words = context.words;
    let put = memo(move || read(context, |detail| detail.put.clone()));
    part(move || {
        Some(match put.get()? {
            Ok(line) => {
                let sent = RwSignal::new(false);
                let again = line.clone();
                let act = button("button button-small button-primary")
                    .testid("put-back")
                    .set("title", words.put_hint)
                    .press(move || {
                        context.ask(&Ask::Line(again.clone()));
                        sent.set(true);
                    })
                    .child(words.put_back);
                let shown = crate::playground::escape::clipped(line.as_bytes(), 200);
                let done = p()
                    .class("keys-hint")
                    .set("role", "status")
                    .text(move || if sent.get() { words.put_done } else { "" }.to_owned());
                div()
                    .class("keys-put")
                    .child(act)
                    .child(code().class("keys-line").testid("put-line").child(shown))
                    .child(done)
            }
            Err(hindrance) => {
                let why = words.hindrances.get(hindrance_number(hindrance)).copied();
                p().class("keys-hint").testid("put-hindrance").child(why.unwrap_or_default())
            }
        })
    })
}

const fn hindrance_number(hindrance: Hindrance) -> usize {
    match hindrance {
        Hindrance::Deleted => 0,
        Hindrance::Newest => 1,
        Hindrance::Cut => 2,
        Hindrance::KeyNoText => 3,
        Hindrance::ValueNoText => 4,
        Hindrance::TooLong => 5,
    }
}

fn value(context: Context) -> Node {
    let words = context.words;
    let is_delete = move || read(context, |detail| detail.value.is_delete);
    let cut = move || read(context, |detail| detail.cut);
    let text = move || {
        read(context, |detail| match detail.text.is_empty() {
            true => words.empty_value.to_owned(),
            false => detail.text.clone(),
        })
    };
    let form_name = move || read(context, |detail| detail.form.name().to_owned());
    let shown = move || {
        div()
            .class("keys-part")
            .child(forms(context))
            .child(
                pre()
                    .class("keys-text")
                    .set("tabindex", "0")
                    .label(words.value)
                    .testid("key-value")
                    .follow("data-form", form_name)
                    .text(text),
            )
            .child(show(
                move || cut() > 0,
                move || p().class("keys-foot").text(move || words.cut.of(&cut().to_string())),
            ))
    };
    div().class("keys-part").child(facts(context)).child(either(
        is_delete,
        move || p().class("keys-hint keys-tombstone").child(words.tombstone_hint),
        shown,
    ))
}

fn facts(context: Context) -> Node {
    let words = context.words;
    let fact = |name: &'static str, read_it: fn(&DetailView) -> String| {
        div().class("keys-fact").child(dt().child(name)).child(dd().text(move || {
            match read(context, read_it) {
                text if text.is_empty() => "–".to_owned(),
                text => text,
            }
        }))
    };
    dl().class("keys-facts")
        .testid("key-facts")
        .child(fact(words.version, |it| shown_number(it.value.version)))
        .child(fact(words.create, |it| shown_number(it.value.create_revision)))
        .child(fact(words.lease, |it| {
            if it.value.lease.0 == 0 { String::new() } else { format!("{:016x}", it.value.lease.0) }
        }))
        .child(
            div()
                .class("keys-fact")
                .child(dt().child(words.size))
                .child(dd().text(move || read(context, |it| words.bytes.of(it.value.value_len)))),
        )
}

fn shown_number(number: i64) -> String {
    if number == 0 { String::new() } else { number.to_string() }
}

fn forms(context: Context) -> Node {
    let words = context.words;
    let mut group = div().class("keys-switch").set("role", "group").label(words.form);
    for (form, name) in Form::ALL.into_iter().zip(words.forms) {
        let is_on = move || read(context, |detail| detail.form == form);
        let is_off = move || form == Form::Json && !read(context, |detail| detail.is_json);
        group = group.child(
            button("keys-option")
                .testid(format!("form-{}", form.name()))
                .follow("aria-pressed", move || is_on().to_string())
                .follow("title", move || if is_off() { words.no_json } else { "" }.to_owned())
                .disabled_while(is_off)
                .press(move || context.act(|model| model.set_form(form)))
                .child(name),
        );
    }
    group
}

fn difference(context: Context) -> Node {
    let words = context.words;
    let diff = memo(move || {
        context.views.detail.with(|detail| detail.as_ref().and_then(|it| it.diff.clone()))
    });
    let sum = move || {
        let Some(diff) = diff.get() else { return String::new() };
        let mut sum = if diff.added == 0 && diff.removed == 0 {
            words.same.to_owned()
        } else {
            words.changed.of(&diff.added.to_string(), &diff.removed.to_string())
        };
        if diff.is_json {
            sum.push_str(" · ");
            sum.push_str(words.compared_json);
        }
        if diff.uncompared > 0 {
            sum.push_str(" · ");
            sum.push_str(&words.uncompared.of(&diff.uncompared.to_string()));
        }
        sum
    };
    let lines = rows(move || {
        let DiffView { lines, from, to, .. } = diff.get().unwrap_or_default();
        let row = |(at, line): (u64, DiffLine)| {
            Row::new(format!("{from} {to} {at} {:?} {}", line.kind, line.text), move || {
                diff_line(context, line)
            })
        };
        (0..).zip(lines).map(row).collect()
    });
    div()
        .class("keys-part")
        .child(p().class("keys-hint").testid("diff-sum").set("aria-live", "polite").text(sum))
        .child(
            div()
                .class("diff")
                .set("tabindex", "0")
                .set("role", "region")
                .label(words.compare)
                .testid("diff")
                .child(div().class("diff-lines").child(lines)),
        )
}

fn diff_line(context: Context, line: DiffLine) -> Node {
    let words = context.words;
    let (kind, sign, said) = match line.kind {
        LineKind::Same => ("same", "", ""),
        LineKind::Old => ("old", "−", words.removed),
        LineKind::New => ("new", "+", words.added),
        LineKind::Folded(count) => {
            let words = format!("⋯ {}", words.folded.of(count));
            return div().class("diff-line").set("data-kind", "folded").child(words);
        }
    };
    let number = |number: Option<u64>| {
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        span().class("diff-number").set("aria-hidden", "true").child(number)
    };
    let said =
        (!said.is_empty()).then(|| span().class("visually-hidden").child(format!("{said}: ")));
    div()
        .class("diff-line")
        .set("data-kind", kind)
        .child(number(line.old))
        .child(number(line.new))
        .child(span().class("diff-sign").set("aria-hidden", "true").child(sign))
        .child(span().class("diff-text").child(said).child(line.text))
}
