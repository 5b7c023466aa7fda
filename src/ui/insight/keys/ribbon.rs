//! The ribbon of a key: its revisions, newest first, in their generations.

use leptos::prelude::*;

use super::scroll::{Extent, List, list};
use super::{Context, told};
use crate::playground::insight::{Ask, Mark};
use crate::playground::keys::{KeysEvent, KeysView, Part, RevisionRow};
use crate::ui::node::{Node, Row, button, div, h3, p, show, span};

pub(super) fn ribbon(context: Context) -> Node {
    let words = context.words;
    let title =
        move || {
            words.ribbon.of(&context.views.detail.with(|detail| {
                detail.as_ref().map(|detail| detail.name.clone()).unwrap_or_default()
            }))
        };
    let back = button("button button-small keys-back")
        .testid("ribbon-back")
        .press(move || context.ask(&Ask::Keys(KeysEvent::Select(None))))
        .child(span().set("aria-hidden", "true").child("← "))
        .child(words.keys);
    let head = div()
        .class("keys-head")
        .child(back)
        .child(h3().class("keys-title").testid("key-history").text(title));
    let columns = div()
        .class("ribbon-row ribbon-columns")
        .set("aria-hidden", "true")
        .child(span())
        .child(span().class("is-number").child(words.revision))
        .child(span().class("is-number").child(words.version))
        .child(span().child(words.value));
    let rows = list(
        context,
        List {
            part: Part::Ribbon,
            name: "ribbon",
            role: "listbox",
            label: |context| {
                format!("{}. {}", context.words.revision, context.words.ribbon_keyboard)
            },
            extent: |keys| Extent {
                first: keys.ribbon.first,
                told: u64::try_from(keys.ribbon.rows.len()).unwrap_or(0),
                count: keys.ribbon.count,
                at: keys.ribbon.at,
            },
            rows: revision_rows,
            key: pin,
        },
    );
    let dropped = show(
        move || told(context, |keys| keys.dropped > 0),
        move || {
            let words =
                move || told(context, |keys| context.words.dropped.of(&keys.dropped.to_string()));
            p().class("keys-foot").testid("ribbon-dropped").text(words)
        },
    );
    div().class("keys-ribbon").child(head).child(columns).child(rows).child(dropped)
}

/// Space: the chosen revision is the one that others are compared with, or is not any more.
fn pin(context: Context, pressed: &str) -> bool {
    if pressed != " " {
        return false;
    }
    let chosen = untrack(|| {
        told(context, |keys| {
            let chosen = keys.chosen.as_ref().map(|chosen| chosen.mod_revision);
            let compared = keys.compared.as_ref().map(|compared| compared.mod_revision);
            chosen.filter(|_| chosen != compared)
        })
    });
    context.ask(&Ask::Keys(KeysEvent::Compare(chosen)));
    true
}

fn revision_rows(context: Context, keys: &KeysView) -> Vec<Row> {
    let (count, at, compact) = (keys.ribbon.count, keys.ribbon.at, keys.compact_revision);
    let row = |(place, row): (u64, RevisionRow)| {
        let marks = u32::from(row.is_chosen)
            | u32::from(row.is_compared) << 1
            | u32::from(row.is_compacted) << 2
            | u32::from(row.is_surviving) << 3
            | u32::from(row.is_last) << 4
            | u32::from(at == Some(place)) << 5;
        let key = format!("{place} {count} {marks} {} {compact}", row.mod_revision);
        Row::new(key, move || match row.is_edge {
            true => edge(context, place, compact),
            false => revision_row(context, row, place, count),
        })
    };
    (keys.ribbon.first..).zip(keys.ribbon.rows.clone()).map(row).collect()
}

/// Where the compacted ones begin, in etcd's words.
fn edge(context: Context, place: u64, compact: i64) -> Node {
    let words = context.words;
    div()
        .class("keys-row ribbon-edge")
        .set("id", format!("ribbon-{place}"))
        .set("role", "option")
        .set("aria-disabled", "true")
        .set("aria-selected", "false")
        .testid("ribbon-edge")
        .set("title", words.edge_hint)
        .child(words.edge.of(&compact.to_string()))
}

fn revision_row(context: Context, row: RevisionRow, place: u64, count: u64) -> Node {
    let words = context.words;
    let revision = row.mod_revision;
    let number = revision.to_string();
    let mut label = if row.is_delete {
        words.said_tombstone.of(&number)
    } else {
        words.said_revision.of(&number, &row.version.to_string())
    };
    let state = match (row.is_compacted, row.is_surviving) {
        (false, _) => "",
        (true, true) => words.surviving,
        (true, false) => words.gone,
    };
    for more in [state, &row.value] {
        if !more.is_empty() {
            label.push_str(", ");
            label.push_str(more);
        }
    }
    let lease = (row.lease.0 != 0)
        .then(|| span().class("tag").set("title", format!("{:x}", row.lease.0)).child(words.lease));
    // One sentence says it all.
    let seen = || span().set("aria-hidden", "true");
    let mut value = seen().class("ribbon-value");
    value = if row.is_delete {
        value.child(span().class("tag tag-bad").child(words.tombstone))
    } else if row.value.is_empty() {
        value.child(span().class("ribbon-empty").child(words.empty_value))
    } else {
        value.child(row.value)
    };
    let state = (!state.is_empty()).then(|| span().class("tag").child(words.gone));
    let compared = row.is_compared.then(|| span().class("tag tag-accent").child(words.compare));
    let rail = span()
        .class("ribbon-rail")
        .class_if("is-first", row.is_first)
        .class_if("is-last", row.is_last)
        .class_if("is-delete", row.is_delete)
        .set("aria-hidden", "true")
        .child(span().class("ribbon-dot").child(if row.is_delete { "✕" } else { "" }));
    div()
        .class("keys-row ribbon-row")
        .class_if("is-at", row.is_chosen)
        .class_while("is-marked", move || context.is_marked(|mark| mark.revision == Some(revision)))
        .on("pointerenter", move |_| context.mark(Mark { index: None, revision: Some(revision) }))
        .class_if("is-compared", row.is_compared)
        .class_if("is-compacted", row.is_compacted && !row.is_surviving)
        .class_if("is-surviving", row.is_surviving)
        .set("id", format!("ribbon-{place}"))
        .set("role", "option")
        .set("aria-selected", row.is_chosen.to_string())
        .set("aria-posinset", (place + 1).to_string())
        .set("aria-setsize", count.to_string())
        .testid("key-revision")
        .set("data-revision", number.clone())
        .press(move || context.ask(&Ask::Keys(KeysEvent::Choose(revision))))
        .child(rail)
        .child(seen().class("is-number").child(number))
        .child(seen().class("is-number").child(match row.is_delete {
            true => "–".to_owned(),
            false => row.version.to_string(),
        }))
        .child(value)
        .child(seen().class("ribbon-tags").child(lease).child(compared).child(state))
        .child(span().class("visually-hidden").child(label))
}
