//! Three clocks on one axis: a column per thing that happened.

use leptos::prelude::*;
use leptos::web_sys;

use super::{Context, write};
use crate::playground::insight::{MomentKind, MomentView};
use crate::ui::dom;
use crate::ui::node::{
    Kept, Node, Place, Row, button, div, effect, found, memo, next_frame, p, place, rows, show,
    span,
};

/// Which moment is looked at: nothing stands for the newest.
type Chosen = RwSignal<Option<String>>;

pub(super) fn clocks(context: Context) -> Node {
    let text = context.text;
    let clocks = context.views.clocks;
    let chosen: Chosen = RwSignal::new(None);
    let strip = place();
    let looked_at = memo(move || {
        let id = chosen.get();
        clocks.with(|clocks| {
            let found = clocks.moments.iter().find(|moment| Some(&moment.id) == id.as_ref());
            found.or_else(|| clocks.moments.last()).cloned()
        })
    });
    effect(move || {
        // Nobody looks at the newest because it is the newest.
        if chosen.with(Option::is_some)
            && let Some(moment) = looked_at.get()
        {
            write(context.views.mark, moment.mark());
        }
    });
    let current = memo(move || looked_at.get().map(|moment| moment.id).unwrap_or_default());
    keep_the_newest_in_sight(context, chosen, strip);
    let moments = rows(move || {
        let row = |moment: MomentView| {
            let key = format!("{} {:?} {}", moment.id, moment.revision, moment.sentence);
            let id = moment.id.clone();
            let is_current = move || current.get() == id;
            Row::new(key, move || column(context, moment, chosen, is_current))
        };
        clocks.with(|clocks| clocks.moments.clone()).into_iter().map(row).collect()
    });
    let strip = div()
        .class("clock-strip")
        .set("role", "group")
        .label(text.clocks_title)
        .set("aria-describedby", "clocks-keys")
        .testid("clock-strip")
        .at(strip)
        .on("keydown", move |event| walk(context, chosen, &current.get(), &event))
        .on("focusout", move |_| chosen.set(None))
        .on("pointerleave", move |_| {
            if !is_in_use() {
                chosen.set(None);
            }
        })
        .child(moments);
    let sentence = p()
        .class("clock-sentence")
        .testid("clock-sentence")
        .set("aria-live", "polite")
        .text(move || looked_at.get().map(|moment| moment.sentence).unwrap_or_default());
    div()
        .class("insight-view clocks")
        .testid("clocks-view")
        .child(faces(context, looked_at))
        .child(sentence)
        .child(div().class("clock-axis").child(lanes(context)).child(strip))
        .child(ruler(context, chosen, current))
        .child(show(
            move || clocks.with(|clocks| clocks.moments.is_empty()),
            move || p().class("empty").child(text.clocks_empty),
        ))
        .child(hint(context))
}

/// True if a moment has the focus: then it is the one that is looked at.
fn is_in_use() -> bool {
    document().active_element().is_some_and(|element| element.class_name().starts_with("moment"))
}

/// The moments where they stand in time: crowded where much happened at once, empty where nothing did.
///
/// For the pointer only: the columns say the same, and take the keyboard.
fn ruler(context: Context, chosen: Chosen, current: Kept<String>) -> Node {
    let clocks = context.views.clocks;
    let marks = rows(move || {
        let row = |moment: MomentView| {
            let key = format!("{} {} {:?}", moment.id, moment.place, moment.kind);
            Row::new(key, move || ruler_mark(moment, chosen, current))
        };
        clocks.with(|clocks| clocks.moments.clone()).into_iter().map(row).collect()
    });
    let end = |read: fn(&(String, String)) -> &String| {
        span().class("clock-end").text(move || clocks.with(|clocks| read(&clocks.ends).clone()))
    };
    div()
        .class("clock-ruler")
        .set("title", context.text.clocks_ruler)
        .set("aria-hidden", "true")
        .testid("clock-ruler")
        .child(end(|ends| &ends.0))
        .child(div().class("clock-scale").child(marks))
        .child(end(|ends| &ends.1))
}

fn ruler_mark(moment: MomentView, chosen: Chosen, current: Kept<String>) -> Node {
    let (sign, kind) = sign(moment.kind);
    let place = format!("{}.{}%", moment.place / 10, moment.place % 10);
    let id = moment.id;
    let (by_pointer, by_press) = (id.clone(), id.clone());
    span()
        .class("clock-mark")
        .set("data-kind", kind)
        .set("title", moment.sentence)
        .class_while("is-current", move || current.get() == id)
        .property("--place", move || place.clone())
        .on("pointerenter", move |_| chosen.set(Some(by_pointer.clone())))
        .on("click", move |_| dom::focus_on(&format!("moment-{by_press}")))
        .child(sign)
}

/// The names of the rows.
fn lanes(context: Context) -> Node {
    let text = context.text;
    let mut labels = div().class("clock-lanes").set("aria-hidden", "true").child(span());
    for lane in [text.clock_time, text.clock_raft, text.clock_revision] {
        labels = labels.child(span().class("clock-lane").child(lane));
    }
    labels
}

fn hint(context: Context) -> Node {
    let text = context.text;
    let older = move || match context.views.clocks.with(|clocks| clocks.older) {
        0 => String::new(),
        older => format!(" {}", (text.clocks_older)(older)),
    };
    p().class("clock-hint")
        .set("id", "clocks-keys")
        .child(text.clocks_hint)
        .child(" ")
        .child(text.clocks_keys)
        .child(span().text(older))
}

/// The clocks at the moment that is looked at.
fn faces(context: Context, looked_at: Kept<Option<MomentView>>) -> Node {
    let text = context.text;
    let read = move || looked_at.get().unwrap_or_else(nothing);
    let raft = move || {
        let moment = read();
        (format!("{} · {}", moment.term, moment.index), moment.has_term || moment.has_index)
    };
    let revision = move || {
        let moment = read();
        (number_of(moment.revision), moment.has_revision)
    };
    div()
        .class("clock-faces")
        .child(face(text.clock_time, "time", move || (read().time, true)))
        .child(face(text.clock_raft, "raft", raft))
        .child(face(text.clock_revision, "revision", revision))
}

fn number_of(revision: Option<i64>) -> String {
    revision.map_or_else(|| "…".to_owned(), |revision| revision.to_string())
}

/// What stands where nothing has happened.
fn nothing() -> MomentView {
    MomentView {
        id: String::new(),
        kind: MomentKind::Entry,
        time: "–".to_owned(),
        since: String::new(),
        place: 0,
        term: 0,
        index: 0,
        revision: None,
        has_term: false,
        has_index: false,
        has_revision: false,
        what: String::new(),
        sentence: String::new(),
    }
}

fn face(
    title: &'static str,
    name: &'static str,
    read: impl Fn() -> (String, bool) + Clone + Send + Sync + 'static,
) -> Node {
    let moved = read.clone();
    div()
        .class("clock-face")
        .testid(format!("clock-{name}"))
        .follow("data-moved", move || moved().1.to_string())
        .child(span().class("clock-title").child(title))
        .child(span().class("clock-number").text(move || read().0))
}

/// The newest is in sight while nobody looks at an older one.
fn keep_the_newest_in_sight(context: Context, chosen: Chosen, strip: Place) {
    let clocks = context.views.clocks;
    let newest =
        memo(move || clocks.with(|clocks| clocks.moments.last().map(|moment| moment.id.clone())));
    effect(move || {
        newest.track();
        if chosen.get().is_none() {
            next_frame(move || {
                if let Some(strip) = found(strip) {
                    strip.set_scroll_left(strip.scroll_width());
                }
            });
        }
    });
}

const fn sign(kind: MomentKind) -> (&'static str, &'static str) {
    match kind {
        MomentKind::Election => ("★", "election"),
        MomentKind::Campaign => ("☆", "campaign"),
        MomentKind::Write => ("✎", "write"),
        MomentKind::Compaction => ("⇤", "compaction"),
        MomentKind::Entry => ("·", "entry"),
        MomentKind::Fault => ("✕", "fault"),
    }
}

fn column(
    context: Context,
    moment: MomentView,
    chosen: Chosen,
    is_current: impl Fn() -> bool + Clone + Send + 'static,
) -> Node {
    let text = context.text;
    let (sign, kind) = sign(moment.kind);
    let lane = |words: String, has_moved: bool| {
        let said = if has_moved { text.clock_moved } else { text.clock_stood };
        span()
            .class("clock-tick")
            .set("aria-hidden", "true")
            .class_if("has-moved", has_moved)
            .set("title", said)
            .child(span().class("clock-dot").set("aria-hidden", "true"))
            .child(words)
    };
    let raft = if moment.has_term || !moment.has_index {
        format!("t{} · {}", moment.term, moment.index)
    } else {
        moment.index.to_string()
    };
    let revision = number_of(moment.revision);
    let mark = moment.mark();
    let is_marked = move || {
        context.is_marked(|it| {
            (mark.index.is_some() && it.index == mark.index)
                || (mark.revision.is_some() && it.revision == mark.revision)
        })
    };
    let since = (!moment.since.is_empty()).then(|| span().class("clock-since").child(moment.since));
    let by_focus = moment.id.clone();
    let by_pointer = moment.id.clone();
    let tabs = is_current.clone();
    button("moment")
        .set("id", format!("moment-{}", moment.id))
        .testid("moment")
        .set("data-kind", kind)
        .class_while("is-current", is_current.clone())
        .class_while("is-marked", is_marked)
        .follow("aria-current", move || is_current().to_string())
        .follow("tabindex", move || if tabs() { "0" } else { "-1" }.to_owned())
        .on("focus", move |_| chosen.set(Some(by_focus.clone())))
        .on("pointerenter", move |_| chosen.set(Some(by_pointer.clone())))
        .child(
            span()
                .class("moment-what")
                .set("aria-hidden", "true")
                .child(span().class("moment-sign").child(sign))
                .child(span().class("moment-words").child(moment.what)),
        )
        .child(lane(moment.time, true).child(since))
        .child(lane(raft, moment.has_term || moment.has_index))
        .child(lane(revision, moment.has_revision))
        .child(span().class("visually-hidden").child(moment.sentence))
}

/// Left, right, home and end.
fn walk(context: Context, chosen: Chosen, current: &str, event: &web_sys::Event) {
    let ids: Vec<String> = context
        .views
        .clocks
        .with_untracked(|clocks| clocks.moments.iter().map(|moment| moment.id.clone()).collect());
    let at = ids.iter().position(|id| id == current).unwrap_or(0);
    let end = ids.len().saturating_sub(1);
    let to = match dom::key_of(event).as_str() {
        "ArrowLeft" => at.saturating_sub(1),
        "ArrowRight" => (at + 1).min(end),
        "Home" => 0,
        "End" => end,
        "Escape" => {
            chosen.set(None);
            return;
        }
        _ => return,
    };
    event.prevent_default();
    let Some(id) = ids.get(to) else { return };
    dom::focus_on(&format!("moment-{id}"));
}
