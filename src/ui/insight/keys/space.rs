//! The list of keys: now, flat or as a tree, or as it was at a revision.

use bytes::Bytes;
use leptos::prelude::*;

use super::scroll::{Extent, List, list};
use super::{Context, told};
use crate::playground::insight::Ask;
use crate::playground::keys::{Folder, KeyRow, KeysEvent, KeysView, Part, PastRow, Reading, Slice};
use crate::ui::node::{Node, Row, button, div, either, h3, memo, p, part, show, span};

/// The key space: now, or at a revision.
pub(super) fn space(context: Context) -> Node {
    let is_past = move || told(context, |keys| keys.past.is_some());
    let is_grouped = move || told(context, |keys| keys.is_grouped);
    let now = move || {
        div().class("keys-part").child(nothing(context)).child(either(
            is_grouped,
            move || now(context, true),
            move || now(context, false),
        ))
    };
    div().class("keys-space").child(either(is_past, move || past(context), now))
}

fn extent<T>(slice: &Slice<T>) -> Extent {
    Extent {
        first: slice.first,
        told: u64::try_from(slice.rows.len()).unwrap_or(0),
        count: slice.count,
        at: slice.at,
    }
}

fn now(context: Context, is_grouped: bool) -> Node {
    let role = if is_grouped { "tree" } else { "listbox" };
    list(
        context,
        List {
            part: Part::Keys,
            name: "key-list",
            role,
            label: |context| format!("{}. {}", context.words.keys, context.words.keyboard),
            extent: |keys| extent(&keys.list),
            rows: key_rows,
            key: turn,
        },
    )
}

/// Keys of the keyboard beside those that move.
fn turn(context: Context, pressed: &str) -> bool {
    let event = match pressed {
        "ArrowRight" => KeysEvent::Turn(true),
        "ArrowLeft" => KeysEvent::Turn(false),
        "Enter" | " " => match untrack(|| told(context, folder_at)) {
            Some(prefix) => KeysEvent::Toggle(prefix),
            None => return false,
        },
        _ => return false,
    };
    context.ask(&Ask::Keys(event));
    true
}

/// The folder that the keyboard is at.
fn folder_at(keys: &KeysView) -> Option<Bytes> {
    let at = keys.list.at?.checked_sub(keys.list.first)?;
    let row = keys.list.rows.get(usize::try_from(at).ok()?)?;
    row.folder.map(|_| row.key.clone())
}

/// Where a row stands.
#[derive(Clone, Copy)]
struct Spot {
    place: u64,
    /// The keyboard is there.
    is_at: bool,
}

impl Spot {
    fn key(self) -> String {
        format!("{} {}", self.place, self.is_at)
    }
}

/// The rows with their places in the whole list.
fn placed<T: Clone>(slice: &Slice<T>) -> impl Iterator<Item = (Spot, T)> {
    let at = slice.at;
    let spot = move |place| Spot { place, is_at: at == Some(place) };
    (slice.first..).map(spot).zip(slice.rows.clone())
}

fn key_rows(context: Context, keys: &KeysView) -> Vec<Row> {
    let is_grouped = keys.is_grouped;
    let row = |(spot, row): (Spot, KeyRow)| {
        let key = format!(
            "{} {} {} {} {} {:?} {:?}",
            spot.key(),
            row.is_selected,
            row.is_deleted,
            row.count,
            row.mod_revision,
            row.folder,
            row.key
        );
        Row::new(key, move || key_row(context, row, spot, is_grouped))
    };
    placed(&keys.list).map(row).collect()
}

/// A row: how many there are in all it follows, so that one more does not make all of them anew.
fn option(
    context: Context,
    (name, count): (&str, fn(&KeysView) -> u64),
    role: &'static str,
    spot: Spot,
) -> Node {
    div()
        .class("keys-row")
        .class_if("is-at", spot.is_at)
        .set("id", format!("{name}-{}", spot.place))
        .set("role", role)
        .set("aria-posinset", (spot.place + 1).to_string())
        .follow("aria-setsize", move || told(context, count).to_string())
}

fn key_row(context: Context, row: KeyRow, spot: Spot, is_grouped: bool) -> Node {
    let words = context.words;
    let role = if is_grouped { "treeitem" } else { "option" };
    let mut node = option(context, ("key-list", |keys| keys.list.count), role, spot)
        .class_if("is-deleted", row.is_deleted)
        .set("aria-selected", row.is_selected.to_string())
        .set("data-depth", row.depth.min(8).to_string())
        .set("title", row.name.clone());
    if is_grouped {
        node = node.set("aria-level", (row.depth + 1).to_string());
    }
    let key = row.key;
    if let Some((folder, is_open)) = row.folder {
        let tag = folder_number(folder).and_then(|number| words.folders.get(number).copied());
        let tag = tag.map(|tag| span().class("tag").child(tag));
        return node
            .class("is-folder")
            .testid("key-folder")
            .set("aria-expanded", is_open.to_string())
            .press(move || context.ask(&Ask::Keys(KeysEvent::Toggle(key.clone()))))
            .child(span().class("keys-turn").set("aria-hidden", "true").child("▸"))
            .child(span().class("keys-name").child(row.name))
            .child(tag)
            .child(span().class("keys-count").child(words.count.of(row.count)));
    }
    let deleted = row.is_deleted.then(|| span().class("tag tag-bad").child(words.deleted));
    let revisions = span()
        .class("keys-count")
        .set("title", words.revisions.of(row.count))
        .child(format!("×{}", row.count));
    node.testid("key-row")
        .press(move || context.ask(&Ask::Keys(KeysEvent::Select(Some(key.clone())))))
        .child(span().class("keys-name").child(row.name))
        .child(deleted)
        .child(revisions)
}

const fn folder_number(folder: Folder) -> Option<usize> {
    match folder {
        Folder::Plain => None,
        Folder::Kubernetes => Some(0),
        Folder::Group => Some(1),
        Folder::Resource => Some(2),
        Folder::Namespace => Some(3),
    }
}

/// What stands there when no key is listed.
fn nothing(context: Context) -> AnyView {
    let words = context.words;
    let why = memo(move || {
        told(context, |keys| match keys {
            keys if keys.is_refused => words.refused,
            // Nothing was told yet.
            keys if keys.revision == 0 => "",
            keys if keys.total == 0 => words.empty,
            keys if keys.list.count == 0 => words.no_match,
            _ => "",
        })
    });
    part(move || {
        Some(why.get()).filter(|why| !why.is_empty()).map(|why| p().class("empty").child(why))
    })
}

fn past(context: Context) -> Node {
    let words = context.words;
    let past = move |read: fn(Context, &crate::playground::keys::PastView) -> String| {
        told(context, |keys| keys.past.as_ref().map(|past| read(context, past)).unwrap_or_default())
    };
    let title =
        move || past(|context, past| context.words.past_title.of(&past.revision.to_string()));
    let state = move || {
        past(|context, past| match past.reading {
            Reading::Going => {
                context.words.past_reading.of(&past.read.to_string(), &past.existing.to_string())
            }
            Reading::Done if past.read == 0 => context.words.past_empty.to_owned(),
            Reading::Done => context.words.past_count.of(past.existing),
            Reading::Failed(_) => String::new(),
        })
    };
    let error = move || {
        past(|context, past| match &past.reading {
            Reading::Failed(error) => context.words.past_error.of(error),
            Reading::Going | Reading::Done => String::new(),
        })
    };
    let head = div()
        .class("keys-head keys-past-head")
        .child(h3().child(span().text(title)))
        .child(span().class("keys-note").set("aria-live", "polite").text(state))
        .child(
            button("button button-small")
                .testid("past-back")
                .press(move || context.ask(&Ask::Keys(KeysEvent::LookAtNow)))
                .child(words.past_back),
        );
    let failed = show(
        move || !error().is_empty(),
        move || p().class("keys-error").set("role", "alert").testid("past-error").text(error),
    );
    let list = list(
        context,
        List {
            part: Part::Keys,
            name: "past-list",
            role: "listbox",
            label: |context| context.words.keys.to_owned(),
            extent: |keys| keys.past.as_ref().map(|past| extent(&past.list)).unwrap_or_default(),
            rows: past_rows,
            key: |_, _| false,
        },
    );
    div().class("keys-part").testid("key-space-at").child(head).child(failed).child(list)
}

fn past_rows(context: Context, keys: &KeysView) -> Vec<Row> {
    let Some(past) = &keys.past else { return Vec::new() };
    let row = |(spot, row): (Spot, PastRow)| {
        let key = format!("{} {} {} {:?}", spot.key(), row.is_selected, row.mod_revision, row.key);
        Row::new(key, move || past_row(context, row, spot))
    };
    placed(&past.list).map(row).collect()
}

fn past_row(context: Context, row: PastRow, spot: Spot) -> Node {
    let words = context.words;
    let is_deleted = row.version == 0;
    let deleted = is_deleted.then(|| span().class("tag tag-bad").child(words.deleted));
    let fresh = row.is_fresh.then(|| span().class("tag tag-good").child(words.past_fresh));
    let key = row.key;
    let count = |keys: &KeysView| keys.past.as_ref().map_or(0, |past| past.list.count);
    option(context, ("past-list", count), "option", spot)
        .class("keys-past-row")
        .class_if("is-deleted", is_deleted)
        .class_if("is-fresh", row.is_fresh)
        .testid("past-row")
        .set("aria-selected", row.is_selected.to_string())
        .set("title", row.name.clone())
        .press(move || context.ask(&Ask::Keys(KeysEvent::Select(Some(key.clone())))))
        .child(span().class("keys-name").child(row.name))
        .child(span().class("keys-value").child(row.value))
        .child(deleted)
        .child(fresh)
        .child(span().class("keys-count").child(row.mod_revision.to_string()))
}
