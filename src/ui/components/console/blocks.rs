//! What commands printed.
//!
//! What it is: the log of one console, following its end unless one has scrolled up.
//! What it is not: a bound on what is kept (see `playground::console`).
//! Invariants: of a long answer only the rows that can be seen, and some around them, are elements; what stands in
//! the place of the others is as high as they would be, for every row is one line.

use std::sync::Arc;

use leptos::prelude::*;

use super::{Fields, send};
use crate::playground::event::ConsoleEvent;
use crate::playground::view::prose;
use crate::playground::view::{BlockView, Kind, Piece, Stream};
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Kept, Node, Place, Row, button, div, effect, either, found, memo, next_frame, p, part, place,
    pre, rows, show, span,
};
use crate::ui::tail::{ROWS_MEASURED, Tail};

/// Height of a row. Unit: tenths of the font size. Source: `.piece` in the style sheet.
const ROW_TENTHS: u64 = 16;

/// What part of the log can be seen.
#[derive(Clone, Copy)]
struct Sight {
    tail: Tail,
    /// All that stands in it.
    whole: Place,
    /// Is another one after each move that shows other rows.
    moved: RwSignal<bool>,
}

impl Sight {
    fn new() -> Self {
        // Before it was laid out it is as high as any.
        let tail = Tail::new(ROWS_MEASURED.into());
        Self { tail, whole: place(), moved: RwSignal::new(false) }
    }

    /// The rows of a text of so many that can be seen.
    ///
    /// Who is at the end sees the last ones: then no element is asked for its place, which would cost a layout.
    fn rows_of(self, text: Place, rows: u32) -> (u32, u32) {
        self.moved.track();
        let (log, text) = match found(self.tail.scroller).zip(found(text)) {
            Some(parts) if !self.tail.is_following() => parts,
            _ => return (rows.saturating_sub(self.tail.fit().saturating_add(1)), rows),
        };
        let above = log.scroll_top() - text.offset_top();
        (self.tail.rows_in(above), self.tail.rows_in(above + log.client_height()))
    }

    /// Shows the rows that can be seen now.
    fn show_others(self) {
        // The log may have gone with the frame.
        let _ = self.moved.try_update(|moved| *moved = !*moved);
    }

    /// Somebody has scrolled, or we have.
    fn scrolled(self) {
        if self.tail.scrolled() {
            self.show_others();
        }
    }
}

/// The log.
pub(super) fn output(context: Context, fields: Fields) -> Node {
    let text = context.text;
    let console = context.views.console;
    let sight = Sight::new();
    let hello = move || {
        div()
            .class("console-hello")
            .child(p().child(text.console_hello))
            .child(p().child(prose::parse(text.console_hint)))
            .child(p().class("console-keys").child(text.console_keys))
    };
    let ids = memo(move || {
        console.with(|console| {
            let ids: Vec<u64> = console.blocks.iter().map(|block| block.id).collect();
            (console.active, ids)
        })
    });
    let blocks = rows(move || {
        let (tab, ids) = ids.get();
        let row = |id: u64| Row::new(format!("{tab} {id}"), move || block(context, id, sight));
        ids.into_iter().map(row).collect()
    });
    let measure =
        pre().class("piece").height(height_of(ROWS_MEASURED.into())).at(sight.tail.measure);
    follow_the_end(context, sight);
    let whole = div()
        .at(sight.whole)
        .child(show(move || console.with(|console| console.blocks.is_empty()), hello))
        .child(blocks);
    div()
        .class("console-output")
        .testid("console-output")
        .set("role", "log")
        .set("aria-live", "polite")
        .label(text.console_output)
        .set("tabindex", "0")
        .at(sight.tail.scroller)
        .on("scroll", move |_| sight.scrolled())
        .press(move || {
            if !dom::has_selection() && dom::is_wide() {
                fields.focus();
            }
        })
        .child(div().class("measure").set("aria-hidden", "true").child(measure))
        .child(whole)
}

/// The height of so many rows.
fn height_of(rows: u32) -> String {
    let tenths = u64::from(rows) * ROW_TENTHS;
    format!("{}.{}em", tenths / 10, tenths % 10)
}

/// Stays at the end when there is more.
fn follow_the_end(context: Context, sight: Sight) {
    let console = context.views.console;
    let newest = memo(move || {
        console.with(|console| (console.active, console.blocks.last().map(|block| block.id)))
    });
    effect(move || {
        newest.track();
        // Who starts a command wants to see what it says.
        sight.tail.set_following(true);
        sight.show_others();
        next_frame(move || sight.tail.to_end());
    });
    effect(move || {
        if let Some(whole) = sight.whole.get() {
            sight.tail.keep(&whole, move || sight.show_others());
        }
    });
}

/// A block, which tells its readers only when it is another one; it may just have gone.
///
/// Of hundreds of blocks one grows at a time: the others' texts are not asked again.
type Shown = Kept<Option<Arc<BlockView>>>;

fn shown(context: Context, id: u64) -> Shown {
    let console = context.views.console;
    memo(move || {
        console.with(|console| {
            let at = console.blocks.binary_search_by_key(&id, |block| block.id).ok();
            at.and_then(|at| console.blocks.get(at)).cloned()
        })
    })
}

/// Reads a block.
fn read<T: Default>(shown: Shown, of: impl FnOnce(&BlockView) -> T) -> T {
    shown.get().map(|block| of(&block)).unwrap_or_default()
}

/// One command and what it printed.
fn block(context: Context, id: u64, sight: Sight) -> Node {
    let text = context.text;
    let block = shown(context, id);
    let line = untrack(|| read(block, |block| block.line.clone()));
    let tools_of = line.clone();
    let doing = move || context.views.console.with(|console| console.running.clone());
    let running = move || {
        p().class("block-running")
            // It counts, which nobody wants to hear.
            .set("aria-live", "off")
            .child(span().class("pulse").set("aria-hidden", "true"))
            .child(span().testid("block-doing").text(doing))
    };
    let failure = memo(move || read(block, |block| block.failure));
    let status = part(move || {
        let words = text.exit_status.of(&failure.get()?.to_string());
        Some(p().class("block-status").testid("exit-status").child(words))
    });
    let mark = span().class("block-prompt").set("aria-hidden", "true").child("$ ");
    let tools = show(
        move || read(block, |block| block.rows) > 0,
        move || block_tools(context, id, &tools_of),
    );
    let is_command = untrack(|| read(block, |block| block.kind == Kind::Command));
    let why = is_command.then(|| why_button(context, id, &line));
    div()
        .class("block")
        .testid("console-block")
        .follow("data-running", move || read(block, |block| block.is_running).to_string())
        .child(
            div()
                .class("block-head")
                .child(pre().class("block-line").child(mark).child(line))
                .child(div().class("block-acts").child(tools).child(why)),
        )
        .child(show(
            move || read(block, |block| block.is_cut),
            move || p().class("block-note").child(text.output_cut),
        ))
        .child(printed(context, block, sight))
        .child(show(move || read(block, |block| block.is_running), running))
        .child(status)
}

/// What explains an answer, an error, or that there is none.
fn why_button(context: Context, id: u64, line: &str) -> Node {
    button("button button-small button-quiet block-why")
        .testid("why")
        .label(context.text.why_label.of(line))
        // Its name is not what the command said.
        .set("aria-live", "off")
        .press(move || send(context, ConsoleEvent::Why(id)))
        .child(context.text.why)
}

/// What a command printed, as far as it can be seen.
fn printed(context: Context, block: Shown, sight: Sight) -> Node {
    let at = place();
    let pieces = rows(move || {
        let (is_long, rows) = read(block, |block| (block.is_long(), block.rows));
        let (first, last) = if is_long { sight.rows_of(at, rows) } else { (0, 0) };
        let Some(window) = read(block, |block| Some(block.window(first, last))) else {
            return Vec::new();
        };
        let gap = |name: &str, rows: u32| {
            let make = move || pre().class("piece").height(height_of(rows));
            (rows > 0).then(|| Row::new(format!("{name} {rows}"), make))
        };
        let row = |piece: Arc<Piece>| {
            let key = format!("{} {}", piece.id, piece.text.len());
            Row::new(key, move || piece_view(context, &piece))
        };
        let pieces = window.pieces.into_iter().map(row);
        let (above, below) = (gap("above", window.above), gap("below", window.below));
        above.into_iter().chain(pieces).chain(below).collect()
    });
    div()
        .class("block-text")
        .class_while("is-long", move || read(block, BlockView::is_long))
        .at(at)
        .child(pieces)
}

/// All of what a command printed, for elsewhere.
fn block_tools(context: Context, id: u64, line: &str) -> Node {
    let text = context.text;
    let is_copied = RwSignal::new(false);
    let tool = |name: &'static str, words: String| {
        button("button button-small button-quiet")
            .testid(name)
            .set("title", words.clone())
            .label(words)
    };
    let sign = either(
        move || is_copied.get(),
        || span().class("whole").child(icon(Sign::Check)),
        || span().class("whole").child(icon(Sign::Copy)),
    );
    let copy = tool("copy-output", text.copy_output.of(line)).child(sign).press(move || {
        send(context, ConsoleEvent::CopyBlock(id));
        is_copied.set(true);
    });
    let save = tool("save-output", text.save_output.of(line))
        .child(icon(Sign::Save))
        .press(move || send(context, ConsoleEvent::SaveBlock(id)));
    // Their names are not what the command said.
    div().class("block-tools").set("aria-live", "off").child(copy).child(save)
}

fn piece_view(context: Context, piece: &Piece) -> Node {
    let class = match piece.stream {
        Stream::Out => "piece",
        Stream::Err => "piece is-error",
        Stream::In => "piece is-input",
    };
    let mark = (piece.stream == Stream::Err).then(|| {
        span().class("visually-hidden").child(context.text.labelled.of(context.text.error_mark, ""))
    });
    pre().class(class).child(mark).child(piece.text.clone())
}
