//! Watches as lanes under a moving minute; beside them the leases.
//!
//! What moves is one property of the list: marks keep their places, the axis runs under them.

use leptos::prelude::*;

use super::Context;
use super::leases;
use crate::playground::insight::{
    Ask, LaneState, LaneView, MarkKind, MarkView, StoryView, WatchesView,
};
use crate::playground::strings::HeldStrings;
use crate::ui::node::{
    Kept, Node, Row, button, code, div, h3, li, memo, ol, p, rows, section, show, span, ul,
};

/// A line to begin with.
const TRY_WATCH: &str = "etcdctl watch --prefix /";

/// Times on the axis. Unit: s ago.
const TICKS: [u64; 3] = [60, 40, 20];

pub(super) fn watches(context: Context) -> Node {
    let text = context.text.held;
    let view = context.views.watches;
    let is_waiting = move || view.with(|view| view.is_waiting);
    let told = p()
        .class("visually-hidden")
        .testid("held-told")
        .set("role", "status")
        .text(move || view.with(|view| view.told.clone()));
    let parts = div()
        .class("held-parts")
        .set("role", "region")
        .label(text.title)
        .child(lanes_part(context))
        .child(leases::leases(context));
    div()
        .class("insight-view held")
        .testid("watches-view")
        .child(told)
        .child(show(is_waiting, move || {
            p().class("empty").set("role", "status").child(text.waiting)
        }))
        .child(parts)
}

/// A share of the axis as the style sheet takes it, of so many ms.
fn percent(ms: u64) -> String {
    let share = ms.saturating_mul(10_000) / WatchesView::WINDOW_MS;
    format!("{}.{:02}%", share / 100, share % 100)
}

fn lanes_part(context: Context) -> Node {
    let text = context.text.held;
    let view = context.views.watches;
    let ids =
        memo(move || view.with(|view| view.lanes.iter().map(|lane| lane.id).collect::<Vec<_>>()));
    let lanes = rows(move || {
        let row = |id: u64| Row::new(id.to_string(), move || lane(context, id));
        ids.get().into_iter().map(row).collect()
    });
    let notes = rows(move || {
        let row = |note: String| Row::new(note.clone(), move || li().child(note));
        view.with(|view| view.notes.clone()).into_iter().map(row).collect()
    });
    let shift = move || {
        let now = view.with(|view| view.now);
        match now.checked_sub(WatchesView::WINDOW_MS) {
            Some(passed) => format!("-{}", percent(passed)),
            None => percent(WatchesView::WINDOW_MS.saturating_sub(now)),
        }
    };
    section()
        .class("held-part")
        .set("tabindex", "0")
        .label(text.watches)
        .child(div().class("held-head").child(h3().child(text.watches)).child(axis(text)))
        .child(ul().class("lanes").property("--shift", shift).child(lanes))
        .child(show(
            move || view.with(|view| view.is_alone && !view.is_waiting),
            move || written(context, text.no_watch, TRY_WATCH, "held-try-watch"),
        ))
        .child(ul().class("held-notes").child(notes))
        .child(p().class("held-hint").child(text.watches_hint))
}

/// A sentence, and a line for the console.
pub(super) fn written(
    context: Context,
    sentence: &'static str,
    line: &'static str,
    name: &'static str,
) -> Node {
    div().class("held-try").child(p().child(sentence)).child(
        button("button button-small")
            .testid(name)
            .press(move || context.ask(&Ask::Write(line.to_owned())))
            .child(code().child(line)),
    )
}

fn axis(text: &'static HeldStrings) -> Node {
    let mut axis = div().class("lane-axis").set("aria-hidden", "true");
    for seconds in TICKS {
        axis = axis.child(span().child(text.ago.of(&seconds.to_string())));
    }
    axis.child(span().child(text.now))
}

/// Reads one lane; it may just have gone.
fn read<T: Default>(context: Context, id: u64, of: impl FnOnce(&LaneView) -> T) -> T {
    context
        .views
        .watches
        .with(|view| view.lanes.iter().find(|lane| lane.id == id).map(of).unwrap_or_default())
}

fn lane(context: Context, id: u64) -> Node {
    let text = context.text.held;
    let state = memo(move || read(context, id, |lane| lane.state));
    let has_story = memo(move || read(context, id, |lane| lane.story.is_some()));
    let head = div()
        .class("lane-head")
        .child(sign(state))
        .child(name(context, id, has_story))
        .child(span().class("lane-keys").text(move || read(context, id, |it| it.keys.clone())))
        .child(
            span()
                .class("lane-state")
                .testid(format!("lane-state-{id}"))
                .text(move || read(context, id, |it| it.words.clone())),
        )
        .child(span().class("lane-place").text(move || read(context, id, place_of)));
    let story = show(
        move || has_story.get(),
        move || {
            let entries =
                memo(move || read(context, id, |it| it.story.clone().unwrap_or_default()));
            let title = untrack(|| read(context, id, |it| it.title.clone()));
            let entries = rows(move || entries.get().into_iter().map(story_row).collect());
            ol().class("lane-story")
                .set("tabindex", "0")
                .testid(format!("lane-story-{id}"))
                .label(text.story_of.of(&title))
                .child(entries)
        },
    );
    li().class("lane")
        .testid(format!("lane-{id}"))
        .follow("data-state", move || state.get().name().to_owned())
        .follow("data-tab", move || read(context, id, |it| it.tab.to_string()))
        .child(head)
        .child(strip(context, id))
        .child(div().class("lane-foot").child(facts(context, id)).child(actions(context, id)))
        .child(story)
}

/// Whose it is; opens its story.
fn name(context: Context, id: u64, has_story: Kept<bool>) -> Node {
    let text = context.text.held;
    button("lane-name")
        .testid(format!("lane-more-{id}"))
        .set("title", text.story)
        .follow("aria-expanded", move || has_story.get().to_string())
        .press(move || context.act(|model| model.choose_lane(id)))
        .child(span().class("keys-turn").set("aria-hidden", "true").child("▸"))
        .child(span().class("lane-title").text(move || read(context, id, |it| it.title.clone())))
}

fn sign(state: Kept<LaneState>) -> Node {
    span().class("lane-sign").set("aria-hidden", "true").text(move || state.get().sign().to_owned())
}

fn place_of(lane: &LaneView) -> String {
    if lane.place.is_empty() {
        lane.member_name.clone()
    } else {
        format!("{} → {}", lane.place, lane.member_name)
    }
}

/// The last minute.
fn strip(context: Context, id: u64) -> Node {
    let marks = memo(move || read(context, id, |it| it.marks.clone()));
    let spans = memo(move || read(context, id, |it| it.spans.clone()));
    let opened =
        memo(move || spans.get().last().and_then(|(from, end)| end.is_none().then_some(*from)));
    let live = move || {
        let now = context.views.watches.with(|view| view.now);
        let since = opened.get().map_or(0, |from| now.saturating_sub(from));
        format!("{}e-3", since.min(WatchesView::WINDOW_MS) * 1_000 / WatchesView::WINDOW_MS)
    };
    let marks = rows(move || marks.get().into_iter().map(mark).collect());
    let spans = rows(move || {
        let closed = |(from, end): (u64, Option<u64>)| {
            let end = end?;
            let node = move || {
                div()
                    .class("lane-span")
                    .property("left", move || percent(from))
                    .property("width", move || percent(end.saturating_sub(from)))
            };
            Some(Row::new(format!("{from} {end}"), node))
        };
        spans.get().into_iter().filter_map(closed).collect()
    });
    div()
        .class("lane-strip")
        .set("aria-hidden", "true")
        .child(div().class("lane-live").property("--part", live))
        .child(div().class("lane-track").child(spans).child(marks))
}

fn mark(mark: MarkView) -> Row {
    let MarkView { id, kind, at, size, words } = mark;
    Row::new(id, move || {
        span()
            .class("lane-mark")
            .set("data-kind", kind.name())
            .set("data-size", size.to_string())
            .set("title", words)
            .property("left", move || percent(at))
            .child(sign_of(kind))
    })
}

/// What stands in a mark that is no bar.
const fn sign_of(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Batch | MarkKind::Progress => "",
        MarkKind::Opened => "▸",
        MarkKind::Away => "⚡",
        MarkKind::Canceled => "✕",
        MarkKind::Closed => "■",
    }
}

fn facts(context: Context, id: u64) -> Node {
    let text = context.text.held;
    let tags = memo(move || read(context, id, |it| it.tags.clone()));
    let tags = rows(move || {
        let tag = |tag: String| Row::new(tag.clone(), move || span().class("tag").child(tag));
        tags.get().into_iter().map(tag).collect()
    });
    let is_broken = move || read(context, id, |it| it.is_broken);
    let next = move || {
        let (next, is_open) =
            read(context, id, |it| (it.next_revision, it.can_stop || it.tab == 0));
        if is_open && next > 0 { text.next.of(&next.to_string()) } else { String::new() }
    };
    div()
        .class("lane-facts")
        .child(
            span()
                .testid(format!("lane-counts-{id}"))
                .text(move || read(context, id, |it| it.counts.clone())),
        )
        .child(
            span()
                .class("lane-check")
                .class_while("is-broken", is_broken)
                .class_while("is-unchecked", move || read(context, id, |it| it.is_unchecked))
                .testid(format!("lane-check-{id}"))
                .text(move || read(context, id, check_of)),
        )
        .child(span().class("lane-next").text(next))
        .child(tags)
}

fn check_of(lane: &LaneView) -> String {
    let sign = match (lane.check.is_empty(), lane.is_broken, lane.is_unchecked) {
        (true, ..) => return String::new(),
        (false, true, _) => "✕",
        (false, false, true) => "–",
        (false, false, false) => "✓",
    };
    format!("{sign} {}", lane.check)
}

fn actions(context: Context, id: u64) -> Node {
    let text = context.text.held;
    let tab = untrack(|| read(context, id, |it| it.tab));
    let hint = move || text.cut_hint.of(&read(context, id, |it| it.next_revision.to_string()));
    let cut = button("button button-small")
        .testid(format!("lane-cut-{id}"))
        .follow("title", hint)
        .disabled_while(move || !read(context, id, |it| it.can_cut))
        .press(move || {
            let (call, member) = untrack(|| read(context, id, |it| (it.call, it.member)));
            context.ask(&Ask::CutWatch { call, member });
        })
        .child(text.cut);
    let stop = (tab != 0).then(|| {
        button("button button-small")
            .testid(format!("lane-stop-{id}"))
            .set("title", text.stop_hint.of(&tab.to_string()))
            .disabled_while(move || !read(context, id, |it| it.can_stop))
            .press(move || context.ask(&Ask::Interrupt(tab)))
            .child(text.stop)
    });
    div().class("lane-actions").child(cut).child(stop)
}

fn story_row(story: StoryView) -> Row {
    let StoryView { id, time, kind, words } = story;
    Row::new(id, move || {
        li().set("data-kind", kind.name())
            .child(span().class("lane-time").child(time))
            .child(span().child(words))
    })
}
