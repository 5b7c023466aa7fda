//! The history and the verdict: what the verdict is, what must hold, a lane per client, and one operation.

use leptos::prelude::*;
use leptos::web_sys;

use super::Context;
use crate::playground::insight::{
    AxisMarkKind, AxisMarkView, BarKind, BarView, FactView, HistoryStrings, InvariantView, Tone,
};
use crate::ui::dom;
use crate::ui::node::{
    Kept, Node, Place, Row, button, dd, div, dl, dt, effect, found, h3, li, memo, next_frame, p,
    place, rows, section, show, span, ul,
};

/// How wide a column is. Unit: rem. Source: ours; a short command fits.
const COLUMN: u32 = 8;
/// How high a row of a lane is. Unit: quarters of a rem; a finger finds it.
const ROW: u32 = 11;

pub(super) fn history(context: Context) -> Node {
    let below = div().class("history-below").child(detail(context)).child(invariants(context));
    div()
        .class("insight-view history")
        .testid("history-view")
        .child(verdict(context))
        .child(axis(context))
        .child(below)
        .child(keys(context))
}

fn texts(context: Context) -> &'static HistoryStrings {
    context.text.history
}

const fn tone_name(tone: Tone) -> &'static str {
    match tone {
        Tone::Idle => "idle",
        Tone::Good => "good",
        Tone::Busy => "busy",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
    }
}

const fn tone_sign(tone: Tone) -> &'static str {
    match tone {
        Tone::Idle => "–",
        Tone::Good => "✓",
        Tone::Busy => "…",
        Tone::Warn => "?",
        Tone::Bad => "✕",
    }
}

fn facts(each: impl Fn() -> Vec<FactView> + Send + Sync + 'static) -> Node {
    let list = rows(move || {
        let row = |fact: FactView| {
            let key = format!("{} {}", fact.name, fact.value);
            Row::new(key, move || {
                div()
                    .class("history-fact")
                    .child(dt().child(fact.name))
                    .child(dd().child(fact.value))
            })
        };
        each().into_iter().map(row).collect()
    });
    dl().class("history-facts").child(list)
}

fn verdict(context: Context) -> Node {
    let view = context.views.history;
    let tone = memo(move || view.with(|view| view.verdict.tone));
    let title = memo(move || view.with(|view| view.verdict.title));
    section()
        .class("history-verdict")
        .testid("history-verdict")
        .follow("data-tone", move || tone_name(tone.get()).to_owned())
        .label(texts(context).verdict)
        .child(
            h3().class("history-title")
                .child(
                    span()
                        .class("history-sign")
                        .set("aria-hidden", "true")
                        .text(move || tone_sign(tone.get()).to_owned()),
                )
                .child(
                    span()
                        .testid("history-title")
                        .set("aria-live", "polite")
                        .text(move || title.get().to_owned()),
                ),
        )
        .child(
            p().class("history-sentence")
                .testid("history-sentence")
                .text(move || view.with(|view| view.verdict.sentence.clone())),
        )
        .child(facts(move || view.with(|view| view.verdict.facts.clone())))
}

fn invariants(context: Context) -> Node {
    let text = texts(context);
    let view = context.views.history;
    let lines = rows(move || {
        let row = |line: InvariantView| {
            let key = format!("{} {:?} {}", line.name, line.tone, line.words);
            Row::new(key, move || invariant(context, line))
        };
        view.with(|view| view.invariants.clone()).into_iter().map(row).collect()
    });
    let now = button("button button-small")
        .testid("history-hash")
        .press(move || context.act(|model| model.compare_hashes()))
        .child(text.hash_now);
    section()
        .class("history-monitor")
        .label(text.monitor)
        .child(div().class("history-monitor-head").child(h3().child(text.monitor)).child(now))
        .child(ul().class("history-lines").child(lines))
}

fn invariant(context: Context, line: InvariantView) -> Node {
    let text = texts(context);
    let said = match line.tone {
        Tone::Good => text.sign_good,
        Tone::Bad => text.sign_bad,
        Tone::Idle | Tone::Busy | Tone::Warn => text.sign_idle,
    };
    li().class("history-line")
        .testid(format!("history-line-{}", line.name))
        .set("data-tone", tone_name(line.tone))
        .child(
            span().class("history-sign").set("role", "img").label(said).child(tone_sign(line.tone)),
        )
        .child(span().class("history-line-title").child(line.title))
        .child(span().class("history-line-words").child(line.words))
}

fn rem(count: u32) -> String {
    format!("{count}rem")
}

fn height(rows: u32) -> String {
    let quarters = rows * ROW;
    format!("{}.{:02}rem", quarters / 4, quarters % 4 * 25)
}

fn axis(context: Context) -> Node {
    let text = texts(context);
    let view = context.views.history;
    let strip = place();
    keep_the_newest_in_sight(context, strip);
    let is_empty = move || view.with(|view| view.lanes.is_empty());
    let names = rows(move || {
        let row = |(client, name, rows): (u32, String, u32)| {
            Row::new(format!("{client} {rows}"), move || {
                div().class("history-name").property("height", move || height(rows)).child(name)
            })
        };
        let lanes = view.with(|view| {
            let of = |lane: &crate::playground::insight::ClientLaneView| {
                (lane.client, lane.name.clone(), lane.rows)
            };
            view.lanes.iter().map(of).collect::<Vec<_>>()
        });
        lanes.into_iter().map(row).collect()
    });
    let labels = div()
        .class("history-names")
        .set("aria-hidden", "true")
        .child(div().class("history-name history-time-name").child(context.text.clock_time))
        .child(div().class("history-name history-mark-name").child(text.lane_faults))
        .child(names);
    let strip = div()
        .class("history-strip")
        .set("role", "group")
        .label(text.lanes)
        .set("aria-describedby", "history-keys")
        .testid("history-strip")
        .at(strip)
        .on("keydown", move |event| walk(context, &event))
        .child(plot(context));
    div()
        .class("history-lanes")
        .child(h3().class("visually-hidden").child(text.lanes))
        .child(div().class("history-axis").child(labels).child(strip))
        .child(show(is_empty, move || p().class("empty").child(text.lanes_empty)))
}

/// What the signs mean, and which keys of the keyboard do what.
fn keys(context: Context) -> Node {
    let text = texts(context);
    let view = context.views.history;
    let older = move || match view.with(|view| view.older) {
        0 => String::new(),
        older => format!(" {}", (text.lanes_older)(older)),
    };
    let hint = p()
        .class("history-hint")
        .set("id", "history-keys")
        .child(text.lanes_hint)
        .child(" ")
        .child(text.lanes_keys)
        .child(span().text(older));
    div().class("history-keys").child(legend(text)).child(hint)
}

fn legend(text: &'static HistoryStrings) -> Node {
    let kinds = [
        (BarKind::Write, text.legend_write),
        (BarKind::Read, text.legend_read),
        (BarKind::Serializable, text.legend_serializable),
        (BarKind::Failed, text.legend_failed),
        (BarKind::Unknown, text.legend_unknown),
        (BarKind::Other, text.legend_other),
        (BarKind::Violation, text.legend_violation),
    ];
    let mut list = ul().class("history-legend");
    for (kind, words) in kinds {
        let (sign, name) = bar_sign(kind);
        list = list.child(
            li().child(
                span()
                    .class("history-key")
                    .set("data-kind", name)
                    .set("aria-hidden", "true")
                    .child(sign),
            )
            .child(words),
        );
    }
    list
}

/// What can be seen: times, marks, and the lanes.
fn plot(context: Context) -> Node {
    let view = context.views.history;
    let columns = memo(move || view.with(|view| view.columns));
    let current = memo(move || current(context));
    let times = rows(move || {
        let row = |(at, time): (usize, String)| {
            Row::new(format!("{at} {time}"), move || {
                let left = u32::try_from(at).unwrap_or(0) * COLUMN;
                span().class("history-time").property("left", move || rem(left)).child(time)
            })
        };
        let times = view.with(|view| view.times.clone());
        let told = times.into_iter().enumerate().filter(|(_, time)| !time.is_empty());
        told.map(row).collect()
    });
    let marks = rows(move || {
        let row = |mark: AxisMarkView| {
            let key = format!("{} {} {}", mark.column, mark.words, mark.time);
            Row::new(key, move || mark_of(mark))
        };
        view.with(|view| view.marks.clone()).into_iter().map(row).collect()
    });
    let lanes = rows(move || {
        let row = |(client, rows): (u32, u32)| {
            let lane = (client, rows);
            Row::new(format!("{client} {rows}"), move || self::lane(context, lane, current))
        };
        let lanes = view.with(|view| {
            view.lanes.iter().map(|lane| (lane.client, lane.rows)).collect::<Vec<_>>()
        });
        lanes.into_iter().map(row).collect()
    });
    div()
        .class("history-plot")
        .width(move || rem(columns.get() * COLUMN))
        .child(div().class("history-times").set("aria-hidden", "true").child(times))
        .child(ul().class("history-marks").child(marks))
        .child(lanes)
}

fn mark_of(mark: AxisMarkView) -> Node {
    let kind = match mark.kind {
        AxisMarkKind::Fault => "fault",
        AxisMarkKind::Leader => "leader",
    };
    let left = mark.column * COLUMN;
    li().class("history-mark")
        .testid("history-mark")
        .set("data-kind", kind)
        .set("title", format!("{} {}", mark.time, mark.words))
        .property("left", move || rem(left))
        .child(span().class("history-mark-words").child(mark.words))
}

fn lane(context: Context, (client, count): (u32, u32), current: Kept<Option<u64>>) -> Node {
    let view = context.views.history;
    let calls = memo(move || {
        view.with(|view| {
            let lane = view.lanes.iter().find(|lane| lane.client == client);
            lane.map(|lane| lane.bars.iter().map(|bar| bar.call).collect::<Vec<_>>())
                .unwrap_or_default()
        })
    });
    let bars = rows(move || {
        let row =
            |call: u64| Row::new(call.to_string(), move || bar(context, client, call, current));
        calls.get().into_iter().map(row).collect()
    });
    let name = untrack(|| {
        view.with(|view| {
            let lane = view.lanes.iter().find(|lane| lane.client == client);
            lane.map(|lane| lane.name.clone()).unwrap_or_default()
        })
    });
    div()
        .class("history-lane")
        .set("role", "group")
        .label(name)
        .testid(format!("history-lane-{client}"))
        .property("height", move || height(count))
        .child(bars)
}

const fn bar_sign(kind: BarKind) -> (&'static str, &'static str) {
    match kind {
        BarKind::Write => ("✎", "write"),
        BarKind::Read => ("◉", "read"),
        BarKind::Serializable => ("◌", "serializable"),
        BarKind::Failed => ("⊘", "failed"),
        BarKind::Unknown => ("?", "unknown"),
        BarKind::Other => ("·", "other"),
        BarKind::Violation => ("✕", "violation"),
    }
}

fn bar(context: Context, client: u32, call: u64, current: Kept<Option<u64>>) -> Node {
    let view = context.views.history;
    let found = memo(move || {
        view.with(|view| {
            let lane = view.lanes.iter().find(|lane| lane.client == client)?;
            lane.bars.iter().find(|bar| bar.call == call).cloned()
        })
    });
    let read = move || found.get().unwrap_or_else(nothing);
    let is_chosen = memo(move || view.with(|view| view.chosen_call) == Some(call));
    button("history-bar")
        .set("id", format!("operation-{call}"))
        .testid("history-bar")
        .follow("data-kind", move || bar_sign(read().kind).1.to_owned())
        .class_while("is-open", move || read().is_open)
        .class_while("is-current", move || is_chosen.get())
        .follow("aria-current", move || is_chosen.get().to_string())
        .follow("tabindex", move || if current.get() == Some(call) { "0" } else { "-1" }.to_owned())
        .follow("aria-label", move || read().label)
        .follow("title", move || read().label)
        .property("left", move || rem(read().column * COLUMN))
        .property("width", move || rem(read().span * COLUMN))
        .property("top", move || height(read().row))
        .on("focus", move |_| context.act(|model| model.choose_operation(call)))
        .press(move || context.act(|model| model.choose_operation(call)))
        .child(
            span()
                .class("history-bar-sign")
                .set("aria-hidden", "true")
                .text(move || bar_sign(read().kind).0.to_owned()),
        )
        .child(
            span()
                .class("history-bar-text")
                .child(span().class("history-bar-words").text(move || read().words))
                // As in its label, a blank stands between the two.
                .child(span().class("history-bar-note").text(move || format!(" {}", read().note))),
        )
}

fn nothing() -> BarView {
    BarView {
        call: 0,
        column: 0,
        span: 1,
        row: 0,
        kind: BarKind::Other,
        words: String::new(),
        note: String::new(),
        label: String::new(),
        is_open: false,
    }
}

/// The operations in the order of their calls.
fn order(context: Context) -> Vec<u64> {
    context.views.history.with(|view| {
        let bars = view.lanes.iter().flat_map(|lane| &lane.bars);
        let mut calls: Vec<(u32, u64)> = bars.map(|bar| (bar.column, bar.call)).collect();
        calls.sort_unstable();
        calls.into_iter().map(|(_, call)| call).collect()
    })
}

/// The one that the tabulator finds: the chosen one, or the newest.
fn current(context: Context) -> Option<u64> {
    let calls = order(context);
    let chosen = context.views.history.with(|view| view.chosen_call);
    chosen.filter(|call| calls.contains(call)).or_else(|| calls.last().copied())
}

/// The newest is in sight while nobody looks at an older one.
fn keep_the_newest_in_sight(context: Context, strip: Place) {
    let view = context.views.history;
    let newest = memo(move || view.with(|view| (view.columns, view.older, view.marks.len())));
    let has_chosen = memo(move || view.with(|view| view.chosen_call.is_some()));
    // A view that has just been made shows it in any case.
    let mut is_first = true;
    effect(move || {
        newest.track();
        let is_new = std::mem::take(&mut is_first);
        if !has_chosen.get() || is_new {
            next_frame(move || {
                if let Some(strip) = found(strip) {
                    strip.set_scroll_left(strip.scroll_width());
                }
            });
        }
    });
}

/// Left, right, home and end.
fn walk(context: Context, event: &web_sys::Event) {
    let calls = untrack(|| order(context));
    let now = untrack(|| current(context));
    let at = calls.iter().position(|call| Some(*call) == now).unwrap_or(0);
    let end = calls.len().saturating_sub(1);
    let to = match dom::key_of(event).as_str() {
        "ArrowLeft" => at.saturating_sub(1),
        "ArrowRight" => (at + 1).min(end),
        "Home" => 0,
        "End" => end,
        _ => return,
    };
    event.prevent_default();
    if let Some(call) = calls.get(to) {
        dom::focus_on(&format!("operation-{call}"));
    }
}

fn detail(context: Context) -> Node {
    let text = texts(context);
    let view = context.views.history;
    let chosen = memo(move || view.with(|view| view.chosen.clone()));
    let tone = move || chosen.get().map(|it| it.tone).unwrap_or_default();
    section()
        .class("history-detail")
        .testid("history-detail")
        .follow("data-tone", move || tone_name(tone()).to_owned())
        .child(show(
            move || chosen.get().is_none(),
            move || p().class("history-hint").child(text.choose),
        ))
        .child(
            h3().class("history-command")
                .testid("history-command")
                .text(move || chosen.get().map(|it| it.title).unwrap_or_default()),
        )
        .child(
            p().class("history-sentence")
                .testid("history-ruling")
                .text(move || chosen.get().map(|it| it.sentence).unwrap_or_default()),
        )
        .child(facts(move || chosen.get().map(|it| it.facts).unwrap_or_default()))
}
