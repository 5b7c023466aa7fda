//! A list of any length, of which only what can be seen is elements.
//!
//! What it is: [`list`]: a scrolled box with rows of one height, which tells the page which of them can be seen, is one
//! stop for the Tab key, and is moved through by arrow keys.
//! What it is not: what a row says.
//! Invariants: the box is as high inside as if all rows were there; the row that the keyboard moves is scrolled into
//! view when the keyboard moved it, and only then.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use leptos::web_sys;

use super::Context;
use crate::playground::insight::Ask;
use crate::playground::keys::{KeysEvent, KeysView, Part};
use crate::ui::dom;
use crate::ui::node::{Node, Place, Row, div, effect, found, memo, next_frame, place, rows};

/// Rows of the element by which they are measured. Source: the style sheet.
const ROWS_MEASURED: i64 = 100;
/// Rows made above and below those that can be seen.
const ROWS_AROUND: u64 = 12;
/// A panel that another size was given is measured again after this.
const LOOK_EVERY: Duration = Duration::from_millis(400);

/// Where a list stands: its first row that is told, how many are told, how many there are, and the chosen one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) first: u64,
    pub(super) told: u64,
    pub(super) count: u64,
    pub(super) at: Option<u64>,
}

/// A list before it is made.
pub(super) struct List {
    pub(super) part: Part,
    /// Its name for tests, and of its rows.
    pub(super) name: &'static str,
    pub(super) role: &'static str,
    pub(super) label: fn(Context) -> String,
    pub(super) extent: fn(&KeysView) -> Extent,
    pub(super) rows: fn(Context, &KeysView) -> Vec<Row>,
    /// A key that is not one of those that move; true if it is taken.
    pub(super) key: fn(Context, &str) -> bool,
}

#[derive(Clone)]
struct Sight {
    scroller: Place,
    measure: Place,
    part: Part,
    told: Rc<Cell<(u64, u64)>>,
    /// The keyboard moves, and what it moves to is not known yet.
    is_moving: Rc<Cell<bool>>,
}

impl Sight {
    fn row_height(&self) -> Option<(web_sys::HtmlElement, i64)> {
        let scroller = found(self.scroller)?;
        let hundred = i64::from(found(self.measure)?.offset_height());
        (hundred > 0).then_some((scroller, hundred))
    }

    /// Tells the page which rows can be seen, if they are other ones. A box is scrolled at most once per frame, and what
    /// is told at once is drawn in the same one.
    fn look(&self, context: Context) {
        let Some((scroller, hundred)) = self.row_height() else { return };
        let row_of = |pixels: i32| {
            u64::try_from(i64::from(pixels.max(0)) * ROWS_MEASURED / hundred).unwrap_or(0)
        };
        if scroller.client_height() == 0 {
            return;
        }
        let top = row_of(scroller.scroll_top());
        let first = top.saturating_sub(ROWS_AROUND);
        let last = top + row_of(scroller.client_height()) + 1 + ROWS_AROUND;
        if self.told.replace((first, last)) != (first, last) {
            context.ask(&Ask::Keys(KeysEvent::See(self.part, first, last)));
        }
    }

    /// How many rows fit.
    fn page(&self) -> i64 {
        self.row_height().map_or(10, |(scroller, hundred)| {
            (i64::from(scroller.client_height()) * ROWS_MEASURED / hundred - 1).max(1)
        })
    }

    fn reveal(&self, at: u64) {
        let Some((scroller, hundred)) = self.row_height() else { return };
        let at = i64::try_from(at).unwrap_or(0);
        let pixels = |rows: i64| i32::try_from(rows * hundred / ROWS_MEASURED).unwrap_or(i32::MAX);
        let (top, bottom) = (pixels(at), pixels(at + 1));
        let seen = scroller.scroll_top();
        if top < seen {
            scroller.set_scroll_top(top);
        } else if bottom > seen + scroller.client_height() {
            scroller.set_scroll_top(bottom - scroller.client_height());
        }
    }
}

/// The list.
pub(super) fn list(context: Context, list: List) -> Node {
    let List { part, name, role, label, extent, rows: make, key } = list;
    let keys = context.views.keys;
    let sight = Sight {
        scroller: place(),
        measure: place(),
        part,
        told: Rc::default(),
        is_moving: Rc::default(),
    };
    let extent = memo(move || keys.with(extent));
    follow(context, &sight, move || extent.get());
    let body = rows(move || {
        let Extent { first, told, count, .. } = extent.get();
        let gap = |name: &str, rows: u64| {
            let make = move || div().set("aria-hidden", "true").height(height_of(rows));
            (rows > 0).then(|| Row::new(format!("{name} {rows}"), make))
        };
        let above = gap("above", first);
        let below = gap("below", count.saturating_sub(first.saturating_add(told)));
        let seen = keys.with(|keys| make(context, keys));
        above.into_iter().chain(seen).chain(below).collect()
    });
    let scrolled = sight.clone();
    let moved = sight.clone();
    div()
        .class("keys-scroll")
        .set("tabindex", "0")
        .set("role", role)
        .follow("aria-label", move || label(context))
        .follow("aria-activedescendant", move || {
            extent.get().at.map(|at| format!("{name}-{at}")).unwrap_or_default()
        })
        .testid(name)
        .at(sight.scroller)
        .on("scroll", move |_| scrolled.look(context))
        .on("keydown", move |event| {
            let pressed = dom::key_of(&event);
            let by = match pressed.as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                "PageDown" => moved.page(),
                "PageUp" => -moved.page(),
                "Home" => -i64::MAX,
                "End" => i64::MAX,
                _ => {
                    if key(context, &pressed) {
                        event.prevent_default();
                        moved.is_moving.set(true);
                    }
                    return;
                }
            };
            event.prevent_default();
            moved.is_moving.set(true);
            context.ask(&Ask::Keys(KeysEvent::Step(part, by)));
        })
        .child(
            div()
                .class("keys-measure")
                .set("aria-hidden", "true")
                .child(div().class("keys-hundred").at(sight.measure)),
        )
        .child(div().class("keys-rows").set("role", "presentation").child(body))
}

/// Looks again whenever what can be seen may be something else.
fn follow(context: Context, sight: &Sight, extent: impl Fn() -> Extent + 'static) {
    let shown = sight.clone();
    effect(move || {
        let extent = extent();
        context.views.is_seen.track();
        let shown = shown.clone();
        next_frame(move || {
            if let Some(at) = extent.at
                && shown.is_moving.replace(false)
            {
                shown.reveal(at);
            }
            shown.look(context);
        });
    });
    let sight = sight.clone();
    if let Ok(interval) = set_interval_with_handle(move || sight.look(context), LOOK_EVERY) {
        on_cleanup(move || interval.clear());
    }
}

/// The height of so many rows.
fn height_of(rows: u64) -> String {
    format!("calc({rows} * var(--key-row))")
}
