//! Three clocks on one axis: a column per thing that happened.
//!
//! Hundreds of columns change with every write, so none of them listens or follows anything itself: the strip hears
//! for all, and what is looked at or marked moves from element to element. While nobody looks back, only the newest
//! columns are made.

use std::cell::RefCell;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::web_sys;

use super::{Context, hash_of, move_class, write};
use crate::playground::insight::{ClocksView, InsightStrings, Mark, MomentKind, MomentView};
use crate::ui::dom;
use crate::ui::node::{
    Kept, Node, Place, Row, button, div, effect, found, memo, next_frame, p, place, rows, show,
    span,
};

/// The attribute by which an element names its moment.
const MOMENT: &str = "data-moment";

/// Columns that have room before one was measured. Unit: columns. Source: ours; a wide desk's screen.
const FIT_FIRST: usize = 16;

/// So many columns more than have room are made while nobody looks back: there is something to scroll to. Unit:
/// columns.
const COLUMNS_AROUND: usize = 6;

/// At most so many marks of writes and entries stand on the ruler. Unit: marks. Source: ours; more lie over one another.
const RULER_PARTS: u64 = 120;

/// Which moment is looked at: nothing stands for the newest.
type Chosen = RwSignal<Option<String>>;

/// The box of the columns, and whether all of them are made.
#[derive(Clone, Copy)]
struct Strip {
    place: Place,
    is_whole: RwSignal<bool>,
    /// Columns that have room.
    fit: RwSignal<usize>,
}

impl Strip {
    /// So many of the newest columns are made.
    fn most(self) -> usize {
        if self.is_whole.get() { usize::MAX } else { self.fit.get() + COLUMNS_AROUND }
    }

    /// Goes to the newest, and sees how many columns have room.
    fn to_end(self) {
        let Some(strip) = found(self.place) else { return };
        strip.set_scroll_left(strip.scroll_width());
        let column = strip.last_element_child().map_or(0, |column| column.client_width());
        if column > 0 {
            let fit = usize::try_from(strip.client_width() / column).unwrap_or(0) + 1;
            write(self.fit, fit);
        }
    }

    /// Somebody looks back: all columns are made, and what was in sight stays there.
    fn make_whole(self) {
        if self.is_whole.get_untracked() {
            return;
        }
        let before = found(self.place).map_or(0, |strip| strip.scroll_width());
        self.is_whole.set(true);
        next_frame(move || {
            if let Some(strip) = found(self.place) {
                let more = strip.scroll_width() - before;
                strip.set_scroll_left(strip.scroll_left() + more);
            }
        });
    }

    /// It was scrolled: to older ones, or back to the newest.
    fn scrolled(self, context: Context, chosen: Chosen) {
        let Some(strip) = found(self.place) else { return };
        let right = strip.scroll_width() - strip.scroll_left() - strip.client_width();
        let is_calm = || context.views.mark.get_untracked() == Mark::default();
        if right > 2 {
            self.make_whole();
        } else if chosen.with_untracked(Option::is_none) && is_calm() {
            write(self.is_whole, false);
        }
    }
}

pub(super) fn clocks(context: Context) -> Node {
    let text = context.text;
    let clocks = context.views.clocks;
    let chosen: Chosen = RwSignal::new(None);
    let strip =
        Strip { place: place(), is_whole: RwSignal::new(false), fit: RwSignal::new(FIT_FIRST) };
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
    let current = memo(move || looked_at.get().map(|moment| moment.id.clone()).unwrap_or_default());
    keep_the_newest_in_sight(context, chosen, strip);
    move_current(current);
    // What is marked in another view is marked here.
    let mark = context.views.mark;
    move_class("is-marked", move || {
        let mark = mark.get();
        clocks.with_untracked(|clocks| {
            let marked = clocks.moments.iter().filter(|moment| belongs(moment, mark));
            marked.map(|moment| column_id(&moment.id)).collect()
        })
    });
    show_what_is_marked(context, strip);
    let moments = rows(move || {
        let row = |moment: &Arc<MomentView>| {
            let moment = Arc::clone(moment);
            Row::new(format!("{} {}", moment.id, hash_of(&moment)), move || {
                let is_current = current.get() == moment.id;
                let is_marked = context.is_marked(|mark| belongs(&moment, mark));
                column(context.text, &moment, is_current).class_if("is-marked", is_marked)
            })
        };
        let most = strip.most();
        clocks.with(|clocks| {
            let skipped = clocks.moments.len().saturating_sub(most);
            clocks.moments.iter().skip(skipped).map(row).collect()
        })
    });
    let place = strip;
    let strip = strip_of(context, chosen, current, strip).child(moments);
    let sentence =
        p().class("clock-sentence").testid("clock-sentence").set("aria-live", "polite").text(
            move || looked_at.get().map(|moment| moment.sentence.clone()).unwrap_or_default(),
        );
    div()
        .class("insight-view clocks")
        .testid("clocks-view")
        // Before there is a moment, nothing in it takes the focus, and it may have to be scrolled.
        .set("tabindex", "0")
        .set("role", "region")
        .label(text.clocks_title)
        .child(faces(context, looked_at))
        .child(sentence)
        .child(div().class("clock-axis").child(lanes(context)).child(strip))
        .child(ruler(context, chosen, current, place))
        .child(show(
            move || clocks.with(|clocks| clocks.moments.is_empty()),
            move || p().class("empty").child(text.clocks_empty),
        ))
        .child(hint(context))
}

/// What another view marks has its column.
fn show_what_is_marked(context: Context, strip: Strip) {
    let (mark, clocks) = (context.views.mark, context.views.clocks);
    effect(move || {
        let mark = mark.get();
        let is_older = clocks.with_untracked(|clocks| {
            let made = strip.fit.get_untracked() + COLUMNS_AROUND;
            let older = clocks.moments.len().saturating_sub(made);
            clocks.moments.iter().take(older).any(|moment| belongs(moment, mark))
        });
        if is_older {
            strip.make_whole();
        }
    });
}

/// The strip, which hears for its columns.
fn strip_of(context: Context, chosen: Chosen, current: Kept<String>, strip: Strip) -> Node {
    div()
        .at(strip.place)
        .class("clock-strip")
        .set("role", "group")
        .label(context.text.clocks_title)
        .set("aria-describedby", "clocks-keys")
        .testid("clock-strip")
        .on("keydown", move |event| walk(context, chosen, strip, &current.get(), &event))
        .on("scroll", move |_| strip.scrolled(context, chosen))
        .on("focusin", move |event| choose(chosen, &event))
        .on("focusout", move |_| chosen.set(None))
        .on("pointerover", move |event| choose(chosen, &event))
        .on("pointerleave", move |_| {
            if !is_in_use() {
                chosen.set(None);
            }
        })
}

/// Chooses the moment on which something happened.
fn choose(chosen: Chosen, event: &web_sys::Event) {
    let named = dom::attribute_above(event, MOMENT);
    if named.is_some() && chosen.with_untracked(|chosen| *chosen != named) {
        chosen.set(named);
    }
}

/// True if an entry or a revision that is marked is this moment's.
fn belongs(moment: &MomentView, marked: Mark) -> bool {
    let mark = moment.mark();
    (mark.index.is_some() && marked.index == mark.index)
        || (mark.revision.is_some() && marked.revision == mark.revision)
}

fn column_id(id: &str) -> String {
    format!("moment-{id}")
}

fn column_of(id: &str) -> Option<web_sys::Element> {
    document().get_element_by_id(&column_id(id))
}

fn ruler_mark_of(id: &str) -> Option<web_sys::Element> {
    document().get_element_by_id(&format!("mark-{id}"))
}

/// The attributes of a column that is looked at, or not.
const fn looked_at_words(is_current: bool) -> (&'static str, &'static str) {
    if is_current { ("true", "0") } else { ("false", "-1") }
}

/// What is looked at shows it, and alone can be reached by the tab key.
fn move_current(current: Kept<String>) {
    let before = RefCell::new(String::new());
    effect(move || {
        let id = current.get();
        let before = before.replace(id.clone());
        for (id, is_current) in [(before, false), (id, true)] {
            if let Some(column) = column_of(&id) {
                let (said, tabs) = looked_at_words(is_current);
                let _ = column.class_list().toggle_with_force("is-current", is_current);
                let _ = column.set_attribute("aria-current", said);
                let _ = column.set_attribute("tabindex", tabs);
            }
            if let Some(mark) = ruler_mark_of(&id) {
                let _ = mark.class_list().toggle_with_force("is-current", is_current);
            }
        }
    });
}

/// True if a moment has the focus: then it is the one that is looked at.
fn is_in_use() -> bool {
    document().active_element().is_some_and(|element| element.class_name().starts_with("moment"))
}

/// The moments where they stand in time: crowded where much happened at once, empty where nothing did.
///
/// For the pointer only: the columns say the same, and take the keyboard.
fn ruler(context: Context, chosen: Chosen, current: Kept<String>, strip: Strip) -> Node {
    let clocks = context.views.clocks;
    let marks = rows(move || {
        let row = |moment: &Arc<MomentView>| {
            let moment = Arc::clone(moment);
            let key = format!("{} {}", moment.id, moment.at);
            Row::new(key, move || ruler_mark(&moment, current.get() == moment.id))
        };
        clocks.with(|clocks| thinned(clocks).map(row).collect())
    });
    let bound =
        |read: fn((u64, u64)) -> u64| move || clocks.with(|clocks| read(clocks.span).to_string());
    let scale = div()
        .class("clock-scale")
        .property("--first", bound(|(first, _)| first))
        .property("--length", bound(|(first, last)| last.saturating_sub(first).max(1)))
        .on("pointerover", move |event| choose(chosen, &event))
        .on("click", move |event| {
            if let Some(id) = dom::attribute_above(&event, MOMENT) {
                // Its column may not be made yet.
                strip.make_whole();
                next_frame(move || dom::focus_on(&column_id(&id)));
            }
        })
        .child(marks);
    let end = |read: fn(&(String, String)) -> &String| {
        span().class("clock-end").text(move || clocks.with(|clocks| read(&clocks.ends).clone()))
    };
    div()
        .class("clock-ruler")
        .set("title", context.text.clocks_ruler)
        .set("aria-hidden", "true")
        .testid("clock-ruler")
        .child(end(|ends| &ends.0))
        .child(scale)
        .child(end(|ends| &ends.1))
}

/// The moments that have a mark: of writes and entries that stand in one place, one.
///
/// The places stay while the ruler moves on, or every mark would be another one at each look.
fn thinned(clocks: &ClocksView) -> impl Iterator<Item = &Arc<MomentView>> {
    let (first, last) = clocks.span;
    let part = (last.saturating_sub(first) / RULER_PARTS + 1).next_power_of_two();
    let mut taken = None;
    clocks.moments.iter().filter(move |moment| {
        if !matches!(moment.kind, MomentKind::Write | MomentKind::Entry) {
            return true;
        }
        let place = Some(moment.at / part);
        taken.replace(place) != Some(place)
    })
}

fn ruler_mark(moment: &MomentView, is_current: bool) -> Node {
    let (sign, kind) = sign(moment.kind);
    let at = moment.at.to_string();
    span()
        .class("clock-mark")
        .class_if("is-current", is_current)
        .set("id", format!("mark-{}", moment.id))
        .set(MOMENT, moment.id.clone())
        .set("data-kind", kind)
        .set("title", moment.sentence.clone())
        .property("--at", move || at.clone())
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
fn faces(context: Context, looked_at: Kept<Option<Arc<MomentView>>>) -> Node {
    let text = context.text;
    let time = move || {
        let time = looked_at.get().map(|moment| moment.time.clone());
        (time.unwrap_or_else(|| "–".to_owned()), true)
    };
    let raft = move || {
        let of = |moment: Arc<MomentView>| {
            (format!("{} · {}", moment.term, moment.index), moment.has_term || moment.has_index)
        };
        looked_at.get().map_or_else(|| ("0 · 0".to_owned(), false), of)
    };
    let revision = move || {
        let of = |moment: Arc<MomentView>| (number_of(moment.revision), moment.has_revision);
        looked_at.get().map_or_else(|| (number_of(None), false), of)
    };
    div()
        .class("clock-faces")
        .child(face(text.clock_time, "time", time))
        .child(face(text.clock_raft, "raft", raft))
        .child(face(text.clock_revision, "revision", revision))
}

fn number_of(revision: Option<i64>) -> String {
    revision.map_or_else(|| "…".to_owned(), |revision| revision.to_string())
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
fn keep_the_newest_in_sight(context: Context, chosen: Chosen, strip: Strip) {
    let clocks = context.views.clocks;
    let newest =
        memo(move || clocks.with(|clocks| clocks.moments.last().map(|moment| moment.id.clone())));
    effect(move || {
        newest.track();
        if chosen.get().is_none() {
            next_frame(move || strip.to_end());
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

fn column(text: &InsightStrings, moment: &MomentView, is_current: bool) -> Node {
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
    let since =
        (!moment.since.is_empty()).then(|| span().class("clock-since").child(moment.since.clone()));
    let (said, tabs) = looked_at_words(is_current);
    button("moment")
        .set("id", column_id(&moment.id))
        .set(MOMENT, moment.id.clone())
        .testid("moment")
        .set("data-kind", kind)
        .class_if("is-current", is_current)
        .set("aria-current", said)
        .set("tabindex", tabs)
        .child(
            span()
                .class("moment-what")
                .set("aria-hidden", "true")
                .child(span().class("moment-sign").child(sign))
                .child(span().class("moment-words").child(moment.what.clone())),
        )
        .child(lane(moment.time.clone(), true).child(since))
        .child(lane(raft, moment.has_term || moment.has_index))
        .child(lane(number_of(moment.revision), moment.has_revision))
        .child(span().class("visually-hidden").child(moment.sentence.clone()))
}

/// Left, right, home and end.
fn walk(context: Context, chosen: Chosen, strip: Strip, current: &str, event: &web_sys::Event) {
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
    let Some(id) = ids.get(to).map(|id| column_id(id)) else { return };
    if to + strip.fit.get_untracked() > end {
        dom::focus_on(&id);
    } else {
        // Its column may not be made yet.
        strip.make_whole();
        next_frame(move || dom::focus_on(&id));
    }
}
