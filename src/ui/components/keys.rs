//! Keys, every revision of one, and the key space as it was.

use leptos::prelude::*;

use crate::playground::event::{Event, KeysEvent, Lower};
use crate::playground::view::{InsightState, KeyRow, PastRow, PastView, RevisionRow};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Node, Row, button, div, either, h2, h3, input, li, memo, p, part, rows, section, show, span,
    table, tbody, td, th, thead, tr, ul,
};

/// The panel.
pub(crate) fn keys(context: Context) -> Node {
    let text = context.text;
    let keys = context.views.keys;
    let filter = input()
        .set("type", "search")
        .class("field-input")
        .testid("key-filter")
        .label(text.keys_filter)
        .set("placeholder", text.keys_filter)
        .set("spellcheck", "false")
        .value(move || keys.with(|keys| keys.filter.clone()))
        .on("input", move |event| {
            context.send(Event::Keys(KeysEvent::Filter(dom::value_of(&event))));
        });
    let head = div()
        .class("panel-head console-head")
        .child(h2().set("id", "keys-title").class("visually-hidden").child(text.lower_tabs))
        .child(lower_tabs(context))
        .child(p().class("panel-note").testid("keys-note").text(move || note(context)))
        .child(filter);
    let body = div().class("keys-body").child(space(context)).child(history(context));
    section()
        .class("panel panel-keys")
        .set("aria-labelledby", "keys-title")
        .follow("data-lower", move || lower_of(context).name().to_owned())
        .child(head)
        .child(body)
        .child(insight_wait(context))
        .child(div().class("insight").set("id", "insight"))
}

fn lower_of(context: Context) -> Lower {
    context.views.frame.with(|frame| frame.lower)
}

/// The tabs of the panel; arrow keys go from one to the next.
fn lower_tabs(context: Context) -> Node {
    let text = context.text;
    let labels = [
        text.panel_keys,
        text.tab_log,
        text.tab_clocks,
        text.tab_quorum,
        text.tab_commands,
        text.tab_exact,
    ];
    let mut tabs = div().class("tabs").set("role", "tablist").label(text.lower_tabs).on(
        "keydown",
        move |event| {
            let at = Lower::ALL.iter().position(|it| *it == untrack(|| lower_of(context)));
            let at = at.unwrap_or_default() + Lower::ALL.len();
            let to = match dom::key_of(&event).as_str() {
                "ArrowLeft" => at - 1,
                "ArrowRight" => at + 1,
                _ => return,
            };
            event.prevent_default();
            if let Some(lower) = Lower::ALL.get(to % Lower::ALL.len()) {
                context.send(Event::ShowLower(*lower));
                dom::focus_on(&format!("lower-{}", lower.name()));
            }
        },
    );
    for (lower, label) in Lower::ALL.into_iter().zip(labels) {
        let is_on = move || lower_of(context) == lower;
        let name = format!("lower-{}", lower.name());
        let tab = button("tab tab-name")
            .set("id", name.clone())
            .testid(name)
            .set("role", "tab")
            .class_while("is-active", is_on)
            .follow("aria-selected", move || is_on().to_string())
            .follow("tabindex", move || if is_on() { "0" } else { "-1" }.to_owned())
            .press(move || context.send(Event::ShowLower(lower)));
        tabs = tabs.child(tab.child(label));
    }
    tabs
}

/// What stands in the place of a view whose program is not there.
fn insight_wait(context: Context) -> AnyView {
    let text = context.text;
    let state = memo(move || {
        context.views.frame.with(|frame| {
            let is_wanted = frame.lower != Lower::Keys && frame.insight != InsightState::Ready;
            is_wanted.then(|| frame.insight.clone())
        })
    });
    part(move || {
        let wait = div().class("empty insight-wait").testid("insight-wait");
        Some(match state.get()? {
            InsightState::Failed(reason) => {
                let again = button("button")
                    .testid("insight-again")
                    .press(move || context.send(Event::ShowLower(untrack(|| lower_of(context)))))
                    .child(text.lab_again);
                wait.set("role", "alert")
                    .child(p().child(text.insight_failed.of(&reason)))
                    .child(again)
            }
            InsightState::Loading | InsightState::Ready => {
                let pulse = span().class("pulse").set("aria-hidden", "true");
                wait.set("role", "status").child(pulse).child(text.insight_loading)
            }
        })
    })
}

/// How many keys, and which revision they are of.
fn note(context: Context) -> String {
    let text = context.text;
    context.views.keys.with(|keys| {
        let mut note = text.keys_count.of(keys.total);
        note.push_str(" · ");
        if keys.is_live {
            note.push_str(&text.keys_live.of(&keys.revision.to_string()));
        } else {
            note.push_str(text.keys_behind);
        }
        if keys.compact_revision > 0 {
            note.push_str(" · ");
            note.push_str(&text.keys_compacted.of(&keys.compact_revision.to_string()));
        }
        note
    })
}

/// The key space: now, or at a revision.
fn space(context: Context) -> Node {
    let text = context.text;
    let keys = context.views.keys;
    let past = memo(move || keys.with(|keys| keys.past.clone()));
    let shown = either(
        move || keys.with(|keys| keys.past.is_some()),
        move || {
            let view = part(move || past.get().map(|past| past_view(context, past)));
            div().class("whole").child(view)
        },
        move || now(context),
    );
    div()
        .class("space")
        .set("tabindex", "0")
        .set("role", "region")
        .label(text.panel_keys)
        .child(shown)
}

fn now(context: Context) -> Node {
    let text = context.text;
    let keys = context.views.keys;
    let more = move || {
        keys.with(|keys| {
            keys.matching.saturating_sub(u64::try_from(keys.rows.len()).unwrap_or(u64::MAX))
        })
    };
    let list = rows(move || {
        let row = |row: KeyRow| {
            let key =
                format!("{:?} {} {} {}", row.key, row.mod_revision, row.revisions, row.is_selected);
            Row::new(key, move || key_row(context, row))
        };
        keys.with(|keys| keys.rows.clone()).into_iter().map(row).collect()
    });
    div()
        .class("whole")
        .child(ul().class("key-list").testid("key-list").child(list))
        .child(show(
            move || keys.with(|keys| keys.total == 0),
            move || {
                let is_refused = keys.with(|keys| keys.is_refused);
                p().class("empty").child(if is_refused {
                    text.keys_refused
                } else {
                    text.keys_empty
                })
            },
        ))
        .child(show(
            move || more() > 0,
            move || p().class("empty").text(move || text.keys_more.of(more())),
        ))
}

fn key_row(context: Context, row: KeyRow) -> Node {
    let text = context.text;
    let key = row.key;
    let deleted = row.is_deleted.then(|| span().class("tag").child(text.key_deleted));
    li().child(
        button("key")
            .class_if("is-deleted", row.is_deleted)
            .testid("key-row")
            .set("aria-pressed", row.is_selected.to_string())
            .press(move || context.send(Event::Keys(KeysEvent::Select(Some(key.clone())))))
            .child(span().class("key-name").child(row.name))
            .child(
                span().class("key-meta").child(deleted).child(text.key_versions.of(row.revisions)),
            ),
    )
}

fn past_view(context: Context, past: PastView) -> Node {
    let text = context.text;
    let mut view = div().class("past").testid("key-space-at").child(
        div()
            .class("past-head")
            .child(h3().child(text.past_title.of(&past.revision.to_string())))
            .child(
                button("button button-small")
                    .testid("past-back")
                    .press(move || context.send(Event::Keys(KeysEvent::LookAtNow)))
                    .child(text.past_back),
            ),
    );
    match past.rows {
        None => view = view.child(p().class("empty").child(text.past_loading)),
        Some(Err(error)) => {
            let words = text.past_error.of(&error);
            let words =
                p().class("past-error").set("role", "alert").testid("past-error").child(words);
            view = view.child(words);
        }
        Some(Ok(rows)) if rows.is_empty() => {
            view = view.child(p().class("empty").child(text.past_empty));
        }
        Some(Ok(rows)) => {
            let shown = i64::try_from(rows.len()).unwrap_or(i64::MAX);
            let more = u64::try_from(past.count.saturating_sub(shown)).unwrap_or(0);
            let rows: Vec<Node> = rows.into_iter().map(|row| past_row(context, row)).collect();
            view = view
                .child(ul().class("past-list").testid("past-list").child(rows))
                .child((more > 0).then(|| p().class("empty").child(text.keys_more.of(more))));
        }
    }
    view
}

fn past_row(context: Context, row: PastRow) -> Node {
    let text = context.text;
    let fresh = row.is_fresh.then(|| span().class("tag tag-good").child(text.past_fresh));
    let numbers = format!(
        "{} {} · {} {}",
        text.col_revision, row.mod_revision, text.col_version, row.version
    );
    li().class("past-row")
        .class_if("is-fresh", row.is_fresh)
        .child(span().class("past-key").child(row.name))
        .child(span().class("past-value").child(row.value))
        .child(span().class("key-meta").child(fresh).child(numbers))
}

/// Every revision of the chosen key.
fn history(context: Context) -> Node {
    let text = context.text;
    let keys = context.views.keys;
    div()
        .class("history")
        .set("tabindex", "0")
        .set("role", "region")
        .label(text.panel_history)
        .child(either(
            move || keys.with(|keys| keys.selected.is_some()),
            move || chosen(context),
            move || p().class("empty").child(text.key_choose),
        ))
}

fn chosen(context: Context) -> Node {
    let text = context.text;
    let keys = context.views.keys;
    let title = move || {
        keys.with(|keys| {
            keys.selected.as_deref().map(|key| text.key_history.of(key)).unwrap_or_default()
        })
    };
    let list = rows(move || {
        let row = |row: RevisionRow| {
            let key = format!("{} {} {}", row.mod_revision, row.is_selected, row.is_compacted);
            Row::new(key, move || revision_row(context, row))
        };
        keys.with(|keys| keys.revisions.clone()).into_iter().map(row).collect()
    });
    let column = |name: &'static str, hint: &'static str| {
        th().set("scope", "col").class("is-number").set("title", hint).child(name)
    };
    let head = tr()
        .child(column(text.col_revision, text.col_revision_hint))
        .child(column(text.col_create, text.col_create_hint))
        .child(column(text.col_version, text.col_version_hint))
        .child(th().set("scope", "col").child(text.col_value));
    div()
        .class("whole")
        .child(h3().class("history-title").testid("key-history").text(title))
        .child(table().class("revisions").child(thead().child(head)).child(tbody().child(list)))
        .child(show(
            move || keys.with(|keys| keys.older_revisions > 0),
            move || {
                let older = move || keys.with(|keys| text.key_older.of(keys.older_revisions));
                p().class("empty").text(older)
            },
        ))
        .child(show(
            move || keys.with(|keys| keys.is_bounded),
            move || p().class("empty").child(text.keys_bounded),
        ))
}

fn revision_row(context: Context, row: RevisionRow) -> Node {
    let text = context.text;
    let revision = row.mod_revision;
    let look = text.look_at.of(&revision.to_string());
    let dash = |number: i64| if number == 0 { "–".to_owned() } else { number.to_string() };
    let mut value = td().class("revision-value");
    value = if row.is_delete {
        value.child(span().class("tag tag-bad").child(text.tombstone))
    } else {
        value.child(row.value)
    };
    let compacted = row.is_compacted.then(|| span().class("tag").child(text.compacted_mark));
    tr().class("revision")
        .class_if("is-selected", row.is_selected)
        .class_if("is-compacted", row.is_compacted)
        .testid("key-revision")
        .child(
            td().class("is-number").child(
                button("revision-button")
                    .testid(format!("revision-{revision}"))
                    .label(look.clone())
                    .set("aria-pressed", row.is_selected.to_string())
                    .set("title", look)
                    .press(move || context.send(Event::Keys(KeysEvent::LookAt(revision))))
                    .child(revision.to_string()),
            ),
        )
        .child(td().class("is-number").child(dash(row.create_revision)))
        .child(td().class("is-number").child(dash(row.version)))
        .child(value.child(compacted))
}
