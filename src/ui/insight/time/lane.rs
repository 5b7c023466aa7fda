//! One timeline at its moment: picture, members, messages in flight, logs, what happened, and the script.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use leptos::prelude::*;

use std::sync::Arc;

use super::{Desk, script};
use crate::playground::insight::{
    DiscView, DotView, EndView, FlightRow, HappeningRow, PictureView, TimeState, TimedCell,
    TimedLogs, TimedMember, TimedRow, TimelineView, WireView,
};
use crate::playground::view::ring::{HEIGHT, NODE_RADIUS, WIDTH};
use crate::types::MemberId;
use crate::ui::components::role_glyph;
use crate::ui::dom;
use crate::ui::node::{
    Build, Kept, Node, Row, button, div, h4, input, label, li, memo, ol, p, parts, rows, show,
    span, table, tbody, td, th, thead, tr, ul,
};
use crate::ui::shape::{Shape, circle, group, line, path, svg, text, title};

/// A timeline, by its place.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) desk: Desk,
    pub(super) at: usize,
}

impl Place {
    /// A part of what there is to see of it; told only when it is another one.
    pub(super) fn part<T>(self, of: fn(&TimelineView) -> &T) -> Kept<T>
    where
        T: Clone + Default + PartialEq + Send + Sync + 'static,
    {
        memo(move || {
            self.desk.view.with(|view| view.lanes.get(self.at).map(of).cloned().unwrap_or_default())
        })
    }

    fn words(self, of: fn(&TimelineView) -> String) -> impl Fn() -> String + Copy {
        move || self.desk.view.with(|view| view.lanes.get(self.at).map(of).unwrap_or_default())
    }

    pub(super) fn act(self, act: impl FnOnce(&mut TimeState, usize)) {
        self.desk.act(|model| act(model, self.at));
    }

    /// A test's name for something of this timeline.
    pub(super) fn testid(self, name: &str) -> String {
        let lane = if self.at == 0 { "a" } else { "b" };
        format!("time-{lane}-{name}")
    }
}

fn key_of(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish().to_string()
}

/// A part with its heading.
pub(super) fn block(title: &'static str, class: &'static str) -> Node {
    div().class("time-part").class(class).child(h4().child(title))
}

/// A timeline.
pub(super) fn lane(desk: Desk, at: usize) -> Node {
    let place = Place { desk, at };
    let name = if at == 0 { "A" } else { "B" };
    div()
        .class("time-lane")
        .testid(place.testid("lane"))
        .set("role", "group")
        .label((desk.text.timeline)(name))
        .child(head(place, name))
        .child(end(place))
        .child(changes(place))
        .child(picture(place))
        .child(members(place))
        .child(cuts(place))
        .child(flights(place))
        .child(line_field(place))
        .child(happenings(place))
        .child(script::script(place))
        .child(logs(place))
}

fn head(place: Place, name: &'static str) -> Node {
    let text = place.desk.text;
    let view = place.desk.view;
    let has_two = move || view.with(|view| view.lanes.len() > 1);
    let close = move || {
        button("button button-small")
            .testid(place.testid("close"))
            .press(move || place.act(TimeState::close_lane))
            .child(text.close_fork)
    };
    let fork = (place.at == 0).then(|| {
        button("button button-small")
            .testid("time-fork")
            .set("title", text.fork_hint)
            // A second fork would take the place of the first, and of what was changed there.
            .disabled_while(has_two)
            .press(move || place.desk.act(TimeState::fork))
            .child(text.fork)
    });
    div()
        .class("time-lane-head")
        .child(show(has_two, move || {
            span().class("time-name").set("aria-hidden", "true").child(name)
        }))
        .child(
            span()
                .class("time-place")
                .testid(place.testid("place"))
                .text(place.words(|view| view.place.clone())),
        )
        .child(span().class("time-place").text(place.words(|view| view.step.clone())))
        .child(fork)
        .child(show(has_two, close))
}

/// How the run came out, at its end.
fn end(place: Place) -> AnyView {
    let text = place.desk.text;
    let end = place.part(|view| &view.end);
    let has_end = move || end.get().is_some();
    let read = move |of: fn(EndView) -> String| end.get().map(of).unwrap_or_default();
    show(has_end, move || {
        block(text.end, "time-end")
            .testid(place.testid("end"))
            .follow("data-kind", move || read(|end| end.kind.to_owned()))
            .child(
                p().class("time-verdict")
                    .testid(place.testid("verdict"))
                    .text(move || read(|end| end.verdict)),
            )
            .child(p().class("time-hint").text(move || read(|end| end.at)))
            .child(p().class("time-hash").text(move || read(|end| end.hashes)))
    })
}

/// What was changed, and the way back.
fn changes(place: Place) -> AnyView {
    let text = place.desk.text;
    let changes = place.part(|view| &view.changes);
    let content = move || {
        let list = rows(move || {
            let row = |(at, words): (usize, String)| {
                Row::new(format!("{at} {words}"), move || li().child(words))
            };
            changes.get().into_iter().enumerate().map(row).collect()
        });
        block(text.changes, "time-changes")
            .testid(place.testid("changes"))
            .child(ol().child(list))
            .child(
                button("button button-small")
                    .testid(place.testid("undo"))
                    .press(move || place.act(TimeState::undo))
                    .child(text.undo),
            )
    };
    show(move || !changes.get().is_empty(), content)
}

/// The cluster as a picture; its text twins are its label and the table below it.
fn picture(place: Place) -> Shape {
    let picture = place.part(|view| &view.picture);
    let wires = memo(move || picture.get().wires);
    let dots = memo(move || picture.get().dots);
    let names =
        memo(move || picture.get().discs.into_iter().map(|disc| disc.name).collect::<Vec<_>>());
    let discs = rows(move || {
        let row = |name: String| {
            let key = name.clone();
            Row::new(key, move || disc(picture, &name))
        };
        names.get().into_iter().map(row).collect()
    });
    svg(format!("0 0 {WIDTH} {HEIGHT}"))
        .class("ring time-ring")
        .set("role", "img")
        .set("data-testid", place.testid("ring"))
        .follow("aria-label", move || picture.get().summary)
        .child(parts(move || wires.get().iter().map(|it| wire(it).build()).collect()))
        .child(discs)
        .child(parts(move || dots.get().into_iter().map(|it| dot(it).build()).collect()))
}

fn wire(wire: &WireView) -> Shape {
    let (from, to) = (wire.line.from, wire.line.to);
    let broken = wire.break_at.map(|at| {
        let (left, right, top) = (at.x - 6, at.x + 6, at.y - 6);
        let strokes = format!("M{left} {top}l12 12M{right} {top}l-12 12");
        path().class("ring-break").set("d", strokes)
    });
    group()
        .class("ring-link")
        .set("data-state", wire.state)
        .child(line((from.x, from.y), (to.x, to.y)).class("ring-line"))
        .child(broken)
}

fn disc(picture: Kept<PictureView>, name: &str) -> Shape {
    let wanted = name.to_owned();
    let found = memo(move || picture.get().discs.into_iter().find(|disc| disc.name == wanted));
    let read = move |of: fn(&DiscView) -> String| {
        move || found.get().map(|disc| of(&disc)).unwrap_or_default()
    };
    let mark = read(|disc| disc.mark.name().to_owned());
    group()
        .class("ring-node")
        .follow("data-mark", mark)
        .follow("transform", read(|disc| format!("translate({} {})", disc.at.x, disc.at.y)))
        .child(circle("0", "0", (NODE_RADIUS + 6).to_string()).class("ring-halo"))
        .child(circle("0", "0", NODE_RADIUS.to_string()).class("ring-disc"))
        .child(
            circle("0", "0", (NODE_RADIUS + 3).to_string())
                .class("ring-timer")
                .set("pathLength", "1000")
                .follow("stroke-dasharray", read(|disc| format!("{} 1000", disc.timer_permille))),
        )
        .child(role_glyph(mark, move || found.get().map(|disc| disc.mark)))
        .child(
            text()
                .class("ring-name")
                .set("y", (NODE_RADIUS + 17).to_string())
                .text(read(|disc| disc.name.clone())),
        )
        .child(title().text(read(|disc| disc.words.clone())))
}

fn dot(dot: DotView) -> Shape {
    group()
        .class("time-dot")
        .set("data-class", dot.class)
        .set("transform", format!("translate({} {})", dot.at.x, dot.at.y))
        .child(circle("0", "0", "5").class("flight-dot"))
        .child(title().text(move || dot.words.clone()))
}

fn members(place: Place) -> Node {
    let text = place.desk.text;
    let members = place.part(|view| &view.members);
    let ids = memo(move || members.get().into_iter().map(|it| it.id).collect::<Vec<_>>());
    let list = rows(move || {
        let row = |id: MemberId| Row::new(id.to_string(), move || member(place, members, id));
        ids.get().into_iter().map(row).collect()
    });
    block(text.members, "time-members")
        .testid(place.testid("members"))
        .child(ul().class("time-member-list").child(list))
        .child(
            button("button button-small")
                .testid(place.testid("split"))
                .set("title", text.split_hint)
                .press(move || place.act(TimeState::split_vote))
                .child(text.split_vote),
        )
}

fn member(place: Place, members: Kept<Vec<TimedMember>>, id: MemberId) -> Node {
    let desk = place.desk;
    let found = memo(move || members.get().into_iter().find(|it| it.id == id));
    let read = move |of: fn(&TimedMember) -> String| {
        move || found.get().map(|it| of(&it)).unwrap_or_default()
    };
    let name = untrack(|| found.get().map(|it| it.name)).unwrap_or_default();
    let can_fire = move || found.get().is_some_and(|it| it.can_fire);
    let (fire_words, fire_label) = ((desk.text.fire)(&name), (desk.text.fire_named)(&name));
    let fire_id = place.testid(&format!("fire-{name}"));
    let fire = move || {
        button("button button-small")
            .testid(fire_id.clone())
            .label(fire_label.clone())
            .set("title", fire_words.clone())
            .press(move || place.act(|model, at| model.fire(at, id)))
            .child(desk.text.fire_short)
    };
    let mark = read(|it| it.mark.name().to_owned());
    let has_timer = move || found.get().is_some_and(|it| !it.timer.is_empty());
    let timer = move || {
        let bar = move || {
            let run = span().class("time-timer-run").width(read(|it| {
                format!("{}.{}%", it.timer_permille / 10, it.timer_permille % 10)
            }));
            span().class("time-timer").set("aria-hidden", "true").child(run)
        };
        div()
            .class("time-member-timer")
            .child(show(can_fire, bar))
            .child(span().class("time-numbers").text(read(|it| it.timer.clone())))
    };
    let sign = svg("-14 -14 28 28")
        .class("time-role-sign")
        .set("aria-hidden", "true")
        .child(role_glyph(mark, move || found.get().map(|it| it.mark)));
    li().class("time-member")
        .testid(place.testid(&format!("member-{name}")))
        .follow("data-role", mark)
        .child(
            div()
                .class("time-member-head")
                .child(sign)
                .child(span().class("time-member-name").child(name))
                .child(span().class("time-role").text(read(|it| it.role.clone())))
                .child(show(can_fire, fire)),
        )
        .child(
            p().class("time-numbers")
                .child(span().text(read(|it| it.numbers.clone())))
                .child(span().text(read(|it| it.revision.clone()))),
        )
        .child(show(has_timer, timer))
}

fn cuts(place: Place) -> AnyView {
    let text = place.desk.text;
    let cuts = place.part(|view| &view.cuts);
    show(
        move || !cuts.get().is_empty(),
        move || {
            let list = rows(move || {
                let row = |words: String| Row::new(words.clone(), move || li().child(words));
                cuts.get().into_iter().map(row).collect()
            });
            block(text.cuts, "time-cuts").child(ul().child(list))
        },
    )
}

fn flights(place: Place) -> Node {
    let text = place.desk.text;
    let flights = place.part(|view| &view.flights);
    let more = place.words(|view| view.more_flights.clone());
    // A row stays, whichever message is in it: what has the focus keeps it, and little is made anew while a run plays.
    let places = memo(move || flights.get().len());
    let is_empty = move || places.get() == 0;
    let list = rows(move || {
        let row = |at: usize| Row::new(at.to_string(), move || flight(place, flights, at));
        (0..places.get()).map(row).collect()
    });
    block(text.flights, "time-flights")
        .testid(place.testid("flights"))
        .child(ul().class("time-flight-list").child(list))
        .child(show(is_empty, move || p().class("time-hint").child(text.flights_none)))
        .child(p().class("time-hint").text(more))
}

fn flight(place: Place, flights: Kept<Arc<Vec<FlightRow>>>, at: usize) -> Node {
    let text = place.desk.text;
    let found = memo(move || flights.get().get(at).cloned());
    let read = move |of: fn(&FlightRow) -> String| {
        move || found.get().map(|it| of(&it)).unwrap_or_default()
    };
    li().class("time-flight")
        .testid(place.testid("flight"))
        .follow("data-class", read(|it| it.class.to_owned()))
        .child(span().class("message-kind").text(read(|it| it.kind.clone())))
        .child(span().class("time-way").text(read(|it| it.way.clone())))
        .child(span().class("time-fields").text(read(|it| it.fields.clone())))
        .child(span().class("time-arrives").text(read(|it| it.arrives.clone())))
        .child(
            button("button button-small")
                .testid(place.testid("drop"))
                .follow("aria-label", read(|it| it.label.clone()))
                .set("title", text.drop)
                .press(move || {
                    if let Some(id) = untrack(|| found.get()).map(|it| it.id) {
                        place.act(|model, at| model.drop_message(at, id));
                    }
                })
                .child(text.drop_short),
        )
}

/// A line that is carried out at this moment.
fn line_field(place: Place) -> Node {
    let text = place.desk.text;
    let written = RwSignal::new(String::new());
    let run = move || {
        let line = written.get_untracked();
        place.act(|model, at| model.do_line(at, &line));
        written.set(String::new());
    };
    let field = input()
        .set("type", "text")
        .class("field-input")
        .testid(place.testid("line"))
        .set("autocomplete", "off")
        .set("autocapitalize", "off")
        .set("spellcheck", "false")
        .set("placeholder", text.line_example)
        .value(move || written.get())
        .on("input", move |event| written.set(dom::value_of(&event)))
        .on("keydown", move |event| {
            if dom::key_of(&event) == "Enter" {
                run();
            }
        });
    block(text.line_title, "time-line").child(
        div()
            .class("time-entry")
            .child(label().class("field-label").child(text.line_field).child(field))
            .child(button("button").testid(place.testid("do")).press(run).child(text.line_do)),
    )
}

fn happenings(place: Place) -> Node {
    let text = place.desk.text;
    let happenings = place.part(|view| &view.happenings);
    let is_empty = move || happenings.get().is_empty();
    let list = rows(move || {
        let row = |row: HappeningRow| {
            let key = format!("{} {}", row.key, row.is_different);
            Row::new(key, move || happening(place, row))
        };
        happenings.get().into_iter().map(row).collect()
    });
    block(text.happenings, "time-happenings")
        .testid(place.testid("happenings"))
        .child(
            ol().class("time-scroll")
                .set("tabindex", "0")
                .set("role", "list")
                .label(text.happenings)
                .child(list),
        )
        .child(show(is_empty, move || p().class("time-hint").child(text.happenings_none)))
}

fn happening(place: Place, row: HappeningRow) -> Node {
    let sign = match row.kind {
        "leader" => "★",
        "vote" => "◇",
        "fault" => "✕",
        "change" => "✎",
        _ => "·",
    };
    let event = row.event;
    let different = row.is_different.then(|| {
        span()
            .class("time-different")
            .label(place.desk.text.different)
            .set("role", "img")
            .child("≠")
    });
    li().class("time-happening").set("data-kind", row.kind).child(
        button("time-jump")
            .testid(place.testid("happening"))
            .press(move || place.act(|model, at| model.go_to_event(at, event)))
            .child(span().class("time-when").child(row.time))
            .child(span().class("time-mark").set("aria-hidden", "true").child(sign))
            .child(span().class("time-what").child(row.words))
            .child(different),
    )
}

fn logs(place: Place) -> Node {
    let text = place.desk.text;
    let logs = place.part(|view| &view.logs);
    let names = memo(move || logs.get().names);
    let has_rows = memo(move || !logs.get().rows.is_empty());
    let head = rows(move || {
        let row = |(at, name): (usize, String)| {
            Row::new(format!("{at} {name}"), move || th().set("scope", "col").child(name))
        };
        names.get().into_iter().enumerate().map(row).collect()
    });
    let body = rows(move || {
        let TimedLogs { rows, .. } = logs.get();
        rows.into_iter().map(|row| Row::new(key_of(&row), move || log_row(row))).collect()
    });
    let index = th().set("scope", "col").child("#");
    let content = table()
        .class("time-log")
        .child(thead().child(tr().child(index).child(head)))
        .child(tbody().child(body));
    block(text.logs, "time-logs")
        .testid(place.testid("logs"))
        .child(
            div()
                .class("time-scroll")
                .set("tabindex", "0")
                .set("role", "group")
                .label(text.logs)
                .child(content),
        )
        .child(show(move || !has_rows.get(), move || p().class("time-hint").child(text.logs_none)))
}

fn log_row(row: TimedRow) -> Node {
    let mut line = tr().child(th().set("scope", "row").child(row.index.to_string()));
    for cell in row.cells {
        line = line.child(log_cell(cell));
    }
    line
}

fn log_cell(cell: TimedCell) -> Node {
    let sign = match cell.state {
        "snapshot" => "▒",
        "memory" => "○",
        "durable" => "◐",
        "committed" => "✓",
        "applied" => "●",
        _ => "",
    };
    let sign = if cell.is_conflict { "≠" } else { sign };
    let term = (!cell.term.is_empty())
        .then(|| span().class("log-term").set("aria-hidden", "true").child(cell.term));
    td().class("time-cell")
        .class_if("is-conflict", cell.is_conflict)
        .set("data-state", cell.state)
        .set("title", cell.label.clone())
        .child(span().class("visually-hidden").child(cell.label))
        .child(
            span()
                .class("log-sign")
                .class_if("is-conflict", cell.is_conflict)
                .set("data-state", cell.state)
                .set("aria-hidden", "true")
                .child(sign),
        )
        .child(term)
        .child(span().class("time-cell-text").set("aria-hidden", "true").child(cell.text))
}
