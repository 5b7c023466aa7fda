//! The logs of all members, aligned by index; only the rows that can be seen are elements.
//!
//! Under load every row is another one at each look, so none of them listens or follows anything itself: the table
//! hears for all.

use std::cell::Cell;
use std::rc::Rc;

use bytes::Bytes;
use leptos::prelude::*;
use leptos::web_sys;

use super::{Context, hash_of, move_class};
use crate::playground::insight::{Ask, CellState, LogCell, LogColumn, LogRow, Mark};
use crate::ui::dom;
use crate::ui::node::{
    Node, Place, Row, button, div, effect, found, memo, next_frame, p, part, place, rows, show,
    span,
};
use crate::ui::tail::{ROWS_MEASURED, Tail};

/// The attribute by which a row names its index.
const INDEX: &str = "data-index";
/// The attribute by which a cell names its column.
const COLUMN: &str = "data-column";
/// The attribute of what shows a key when it is pressed.
const KEYED: &str = "data-keyed";

/// Rows made above and below those that can be seen.
const ROWS_AROUND: u64 = 6;

/// The scrolled box, and the cell that somebody pressed.
#[derive(Clone, Copy)]
struct Sight {
    tail: Tail,
    /// The cell that somebody pressed, which has no room for all it says.
    whole: RwSignal<Option<Whole>>,
}

/// All that a cell says, and the key that it is about.
type Whole = (String, Option<Bytes>);

impl Sight {
    /// Tells the model which rows can be seen.
    ///
    /// Who is at the end sees the last ones: then no element is asked for its place, which would cost a layout.
    fn look(self, context: Context) {
        let fit = u64::from(self.tail.fit());
        if fit == 0 {
            return;
        }
        if self.tail.is_following() {
            return context.act_if(|model| model.see_last_rows(fit + 2 * ROWS_AROUND));
        }
        let Some(scroller) = found(self.tail.scroller) else { return };
        let low = context.views.log.with_untracked(|log| log.low.max(1));
        let first = low.saturating_add(self.tail.rows_in(scroller.scroll_top()).into());
        let last = first.saturating_add(fit + ROWS_AROUND);
        context.act_if(|model| model.see_rows(first.saturating_sub(ROWS_AROUND).max(1), last));
    }
}

pub(super) fn log(context: Context) -> Node {
    let text = context.text;
    let log = context.views.log;
    let sight = Sight { tail: Tail::new(0), whole: RwSignal::new(None) };
    let whole_table = place();
    follow_the_end(context, sight, whole_table);
    seek(context, sight);
    let (mark, sought) = (context.views.mark, context.views.sought);
    move_class("is-marked", move || mark.with(|mark| mark.index).map(row_id).into_iter().collect());
    move_class("is-sought", move || sought.get().map(row_id).into_iter().collect());
    let columns = memo(move || log.with(|log| log.columns.clone()));
    let head = rows(move || {
        let index = Row::new("index".to_owned(), move || {
            div().class("log-index").set("role", "columnheader").child(text.log_index)
        });
        let column = |column: LogColumn| Row::new(hash_of(&column), move || head_of(column));
        std::iter::once(index).chain(columns.get().into_iter().map(column)).collect()
    });
    let body = rows(move || {
        let (seen, low, high) = log.with(|log| (log.rows.clone(), log.low, log.high));
        let first = seen.first().map_or(low, |row| row.index);
        let last = seen.last().map_or(high, |row| row.index);
        let gap = |name: &str, count: u64| {
            let make = move || div().height(height_of(count));
            (count > 0).then(|| Row::new(format!("{name} {count}"), make))
        };
        let above = gap("above", first.saturating_sub(low));
        let below = gap("below", high.saturating_sub(last));
        let row = |row: LogRow| Row::new(hash_of(&row), move || row_of(context, row));
        above.into_iter().chain(seen.into_iter().map(row)).chain(below).collect()
    });
    let table = table(context, sight, head, body).at(whole_table);
    let scroller = div()
        .class("log-scroll")
        .set("tabindex", "0")
        .set("role", "region")
        .label(text.log_title)
        .testid("log-scroll")
        .at(sight.tail.scroller)
        .on("scroll", scrolled(context, sight))
        .child(
            div()
                .class("log-measure")
                .set("aria-hidden", "true")
                .child(div().height(height_of(ROWS_MEASURED.into())).at(sight.tail.measure)),
        )
        .child(table)
        .child(show(
            move || log.with(|log| log.high == 0),
            move || p().class("empty").child(text.log_waiting),
        ));
    div()
        .class("insight-view log")
        .testid("log-view")
        .child(div().class("log-bar").child(legend(context)).child(newest(context, sight)))
        .child(scroller)
        .child(whole(context, sight))
}

/// Goes to the newest row, and follows it.
fn newest(context: Context, sight: Sight) -> Node {
    button("button button-small")
        .testid("log-newest")
        .disabled_while(move || sight.tail.follows())
        .press(move || {
            context.views.sought.set(None);
            sight.tail.set_following(true);
            sight.look(context);
            sight.tail.to_end();
        })
        .child(context.text.log_follow)
}

/// What a finger cannot read in its cell: all of it, and the way to its key.
fn whole(context: Context, sight: Sight) -> Node {
    let text = context.text;
    let content = part(move || {
        let (words, key) = sight.whole.get()?;
        let show_key = key.map(|key| {
            button("button button-small")
                .testid("log-whole-key")
                .press(move || context.ask(&Ask::Key(key.clone())))
                .child(text.log_show_key)
        });
        let close = button("button button-small button-quiet")
            .testid("log-whole-close")
            .label(text.log_close)
            .press(move || sight.whole.set(None))
            .child("✕");
        Some(div().class("log-whole").child(p().child(words)).child(show_key).child(close))
    });
    div().testid("log-whole").set("role", "status").child(content)
}

/// The table, which hears for its rows.
fn table(context: Context, sight: Sight, head: AnyView, body: AnyView) -> Node {
    let (text, log) = (context.text, context.views.log);
    let body = div()
        .class("log-body")
        .set("role", "rowgroup")
        .on("pointerover", move |event| point(context, &event))
        .on("click", move |event| press(context, sight, &event))
        .child(body);
    div()
        .class("log-table")
        .set("role", "table")
        .label(text.log_title)
        .testid("log-table")
        .follow("data-columns", move || log.with(|log| log.columns.len().to_string()))
        .follow("aria-rowcount", move || log.with(|log| log.high.to_string()))
        .child(div().class("log-row log-head").set("role", "row").child(head))
        .child(body)
}

/// Stays at the newest row when there are more, unless somebody has scrolled up.
fn follow_the_end(context: Context, sight: Sight, table: Place) {
    effect(move || {
        if let Some(table) = table.get() {
            sight.tail.keep(&table, move || sight.look(context));
        }
    });
}

/// Shows the entry that somebody wants to see.
fn seek(context: Context, sight: Sight) {
    let (sought, log) = (context.views.sought, context.views.log);
    let is_there = memo(move || log.with(|log| log.high > 0));
    effect(move || {
        let Some(index) = sought.get().filter(|_| is_there.get()) else { return };
        sight.tail.set_following(false);
        next_frame(move || {
            let places = found(sight.tail.scroller).zip(found(sight.tail.measure));
            let Some((scroller, measure)) = places else { return };
            let above = log.with_untracked(|log| index.saturating_sub(log.low.max(1)));
            let pixels = i64::try_from(above).unwrap_or(0) * i64::from(measure.offset_height())
                / i64::from(ROWS_MEASURED);
            let pixels = i32::try_from(pixels).unwrap_or(i32::MAX);
            scroller.set_scroll_top(pixels.saturating_sub(scroller.client_height() / 3));
            sight.look(context);
        });
    });
}

fn scrolled(context: Context, sight: Sight) -> impl FnMut(web_sys::Event) + 'static {
    let is_due = Rc::new(Cell::new(false));
    move |_| {
        if !sight.tail.scrolled() {
            return;
        }
        if !is_due.replace(true) {
            let is_due = Rc::clone(&is_due);
            next_frame(move || {
                is_due.set(false);
                sight.look(context);
            });
        }
    }
}

/// The height of so many rows; the style sheet says how high one is.
fn height_of(rows: u64) -> String {
    format!("calc({rows} * var(--log-row))")
}

/// The sign of a state.
const fn sign(state: CellState) -> &'static str {
    match state {
        CellState::Absent => "",
        CellState::Snapshot => "▒",
        CellState::Unknown => "…",
        CellState::Memory => "○",
        CellState::Durable => "◐",
        CellState::Committed => "✓",
        CellState::Applied => "●",
    }
}

const fn state_name(state: CellState) -> &'static str {
    match state {
        CellState::Absent => "absent",
        CellState::Snapshot => "snapshot",
        CellState::Unknown => "unknown",
        CellState::Memory => "memory",
        CellState::Durable => "durable",
        CellState::Committed => "committed",
        CellState::Applied => "applied",
    }
}

fn legend(context: Context) -> Node {
    let text = context.text;
    let states = [
        (CellState::Memory, text.log_state_memory),
        (CellState::Durable, text.log_state_durable),
        (CellState::Committed, text.log_state_committed),
        (CellState::Applied, text.log_state_applied),
    ];
    let mut list = p().class("log-legend").set("title", text.log_hint);
    for (state, words) in states {
        let glyph = span()
            .class("log-sign")
            .set("data-state", state_name(state))
            .set("aria-hidden", "true")
            .child(sign(state));
        list = list.child(span().class("log-legend-item").child(glyph).child(words));
    }
    let conflict = span().class("log-sign is-conflict").set("aria-hidden", "true").child("≠");
    list.child(span().class("log-legend-item").child(conflict).child(text.log_conflict))
}

fn head_of(column: LogColumn) -> Node {
    let stale = column.is_stale;
    let line =
        |words: String| (!words.is_empty()).then(|| span().class("log-head-line").child(words));
    div()
        .class("log-column")
        .class_if("is-leader", column.is_leader)
        .class_if("is-stale", stale)
        .set("role", "columnheader")
        .testid(format!("log-column-{}", column.name))
        .child(
            span()
                .class("log-name")
                .child(column.name)
                .child(" ")
                .child(span().class("log-role").child(column.role)),
        )
        .child(line(column.numbers))
        .child(line(column.progress))
        .child(line(column.begins))
}

fn row_of(context: Context, row: LogRow) -> Node {
    let number = row.index;
    let index = number.to_string();
    let is_marked = context.is_marked(|mark| mark.index == Some(number));
    let mut line = div()
        .class("log-row")
        .class_if("is-marked", is_marked)
        .class_if("is-sought", context.views.sought.get() == Some(number))
        .set("id", row_id(number))
        .set("role", "row")
        .set("aria-rowindex", index.clone())
        .testid("log-row")
        .set(INDEX, index.clone())
        .child(div().class("log-index").set("role", "rowheader").child(index));
    for (column, cell) in row.cells.into_iter().enumerate() {
        line = line.child(cell_of(column, cell));
    }
    line
}

fn row_id(index: u64) -> String {
    format!("log-row-{index}")
}

/// The index of the row on which something happened.
fn row_at(event: &web_sys::Event) -> Option<u64> {
    dom::attribute_above(event, INDEX)?.parse().ok()
}

/// The pointer is over a row.
fn point(context: Context, event: &web_sys::Event) {
    let index = row_at(event);
    if index.is_some() && context.views.mark.with_untracked(|mark| mark.index != index) {
        context.mark(Mark { index, revision: None });
    }
}

/// A cell was pressed: shows its key, or all that it says where there is no room for its words.
fn press(context: Context, sight: Sight, event: &web_sys::Event) {
    let column =
        dom::attribute_above(event, COLUMN).and_then(|column| column.parse::<usize>().ok());
    let (Some(index), Some(column)) = (row_at(event), column) else { return };
    let cell = context.views.log.with_untracked(|log| {
        let row = log.rows.iter().find(|row| row.index == index)?;
        row.cells.get(column).map(|cell| (cell.label.clone(), cell.key.clone()))
    });
    let Some((label, key)) = cell else { return };
    if let Some(key) = key.clone().filter(|_| dom::is_wide())
        && dom::attribute_above(event, KEYED).is_some()
    {
        context.ask(&Ask::Key(key));
    }
    sight.whole.set(Some((label, key)));
}

fn cell_of(column: usize, cell: LogCell) -> Node {
    let state = cell.state();
    let mark = if cell.is_conflict { "≠" } else { sign(state) };
    let sign = span()
        .class("log-sign")
        .class_if("is-conflict", cell.is_conflict)
        .set("data-state", state_name(state))
        .set("aria-hidden", "true")
        .child(mark);
    let term = cell
        .term
        .map(|term| span().class("log-term").set("aria-hidden", "true").child(term.to_string()));
    let words = match cell.key {
        // Where there is no room for the words, they are shown first.
        Some(_) => {
            button("log-words log-key").label(cell.text.clone()).set(KEYED, "").child(cell.text)
        }
        None => span().class("log-words").set("aria-hidden", "true").child(cell.text),
    };
    let tag = (!cell.mark.is_empty())
        .then(|| span().class("log-mark").set("aria-hidden", "true").child(cell.mark));
    div()
        .class("log-cell")
        .class_if("is-conflict", cell.is_conflict)
        .set("role", "cell")
        .set("data-state", state_name(state))
        .set("data-kind", cell.kind)
        .set("title", cell.label.clone())
        .set(COLUMN, column.to_string())
        .child(span().class("visually-hidden").child(cell.label))
        .child(sign)
        .child(term)
        .child(words)
        .child(tag)
}
