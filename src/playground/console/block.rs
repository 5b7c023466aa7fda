//! One command and what it printed.
//!
//! What it is: escaped text in pieces that are shared with the views, bounded in size.
//! What it is not: a terminal; nothing in the output moves a cursor or changes a colour.
//! Invariants: a piece that is full is never changed again; text is escaped before it is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::playground::console::asked::Asked;
use crate::playground::escape::Escaper;
use crate::playground::insight::WhyNote;

/// Most text kept of one command. Unit: bytes after escaping.
pub const TEXT_MAX: usize = 24 * 1024 * 1024;
/// A piece is not filled beyond this size where a line ends. Unit: bytes.
const PIECE_FULL: usize = 4096;
/// A longer line is cut in pieces, each in a row of its own. Unit: bytes.
const ROW_FULL: usize = 64 * 1024;
/// A piece that ends with a line is closed at this size, so that what a screen reader hears again is
/// short. Unit: bytes.
const PIECE_LINES: usize = 256;
/// A block with more rows is shown as far as it can be seen.
const ROWS_WHOLE: u32 = 150;
/// Rows that are shown above and below what can be seen.
const ROWS_AROUND: u32 = 40;
/// A window begins at a multiple of so many rows: of an answer that grows, not each new row takes an old one away.
const ROWS_STEP: u32 = 16;

/// So much of an error line is told to those who ask why. Unit: bytes.
const SAID_MAX: usize = 400;

/// Where a piece of text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
    /// What a person typed while the command ran.
    In,
}

/// A piece of text of one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its number within its block.
    pub id: u64,
    /// Where it comes from.
    pub stream: Stream,
    /// The text, escaped.
    pub text: String,
    /// How many rows it fills.
    pub rows: u32,
}

/// What a block stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An etcdctl command.
    Command,
    /// A verb such as `kill leader`.
    Verb,
}

/// A block as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockView {
    /// Its number within its tab.
    pub id: u64,
    /// The line that was typed, escaped.
    pub line: String,
    /// What it stands for.
    pub kind: Kind,
    /// What it printed.
    pub pieces: Vec<Arc<Piece>>,
    /// How many rows that fills.
    pub rows: u32,
    /// Text was thrown away because there was too much of it.
    pub is_cut: bool,
    /// It still runs.
    pub is_running: bool,
    /// Its exit status, if it ended with one that is not 0.
    pub failure: Option<i32>,
}

/// The pieces of a block that are in the page, and how many rows stand above and below them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The pieces.
    pub pieces: Vec<Arc<Piece>>,
    /// Rows above.
    pub above: u32,
    /// Rows below.
    pub below: u32,
}

impl BlockView {
    /// True if it is so long that only what can be seen is in the page.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        self.rows > ROWS_WHOLE
    }

    /// The pieces around the rows `first` to `last`; all of them in a block that is not long.
    #[must_use]
    pub fn window(&self, first: u32, last: u32) -> Window {
        if !self.is_long() {
            return Window { pieces: self.pieces.clone(), above: 0, below: 0 };
        }
        let first = first.min(self.rows).saturating_sub(ROWS_AROUND);
        let first = first - first % ROWS_STEP;
        let last = last.saturating_add(ROWS_AROUND);
        let mut window = Window { pieces: Vec::new(), above: 0, below: 0 };
        let mut row = 0_u32;
        for piece in &self.pieces {
            let end = row.saturating_add(piece.rows);
            if end <= first {
                window.above = end;
            } else if row < last {
                window.pieces.push(Arc::clone(piece));
            } else {
                window.below = window.below.saturating_add(piece.rows);
            }
            row = end;
        }
        window
    }
}

/// One command and what it printed.
#[derive(Debug)]
pub struct Block {
    id: u64,
    line: String,
    kind: Kind,
    pieces: VecDeque<Arc<Piece>>,
    next_piece: u64,
    size: usize,
    is_cut: bool,
    is_running: bool,
    failure: Option<i32>,
    out: Escaper,
    err: Escaper,
    view: Option<Arc<BlockView>>,
    pub(super) asked: Asked,
}

impl Block {
    /// A command that has just been started.
    #[must_use]
    pub fn new(id: u64, line: String, kind: Kind) -> Self {
        Self {
            id,
            line,
            kind,
            pieces: VecDeque::new(),
            next_piece: 0,
            size: 0,
            is_cut: false,
            is_running: true,
            failure: None,
            out: Escaper::default(),
            err: Escaper::default(),
            view: None,
            asked: Asked::default(),
        }
    }

    /// Its number.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Adds what a stream said.
    pub fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let text = match stream {
            Stream::Out => self.out.push(bytes),
            Stream::Err => self.err.push(bytes),
            Stream::In => crate::playground::escape::block(bytes),
        };
        self.add(stream, text);
    }

    /// The command ended.
    pub fn end(&mut self, status: Option<i32>) {
        let (out, err) = (self.out.finish(), self.err.finish());
        self.add(Stream::Out, out);
        self.add(Stream::Err, err);
        self.is_running = false;
        self.failure = status.filter(|status| *status != 0);
        self.view = None;
    }

    /// The line, escaped.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// It is what an etcdctl command printed.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.kind == Kind::Command
    }

    /// What there is to know for those who ask why.
    #[must_use]
    pub fn why(&self) -> WhyNote {
        let errors = self.pieces.iter().rev().filter(|piece| piece.stream == Stream::Err);
        let mut lines = errors.flat_map(|piece| piece.text.lines().rev());
        let said = lines.find(|line| line.starts_with("Error")).unwrap_or_default();
        let (older, calls) = self.asked.notes();
        WhyNote {
            line: self.line.clone(),
            is_verb: self.kind == Kind::Verb,
            is_running: self.is_running,
            failure: self.failure,
            said: said.get(..said.floor_char_boundary(SAID_MAX)).unwrap_or_default().to_owned(),
            older,
            calls,
        }
    }

    /// How much text is kept. Unit: bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// All that is kept of its output.
    #[must_use]
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// It runs.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.is_running
    }

    /// Its exit status, if it ended with one that is not 0.
    #[must_use]
    pub const fn failure(&self) -> Option<i32> {
        self.failure
    }

    /// What it printed from this byte of this piece on, of each stream, and where that ends.
    #[must_use]
    pub fn since(&self, piece: u64, byte: usize) -> (String, String, u64, usize) {
        let (mut out, mut err) = (String::new(), String::new());
        let (mut last, mut end) = (piece, byte);
        for found in self.pieces.iter().filter(|found| found.id >= piece) {
            let from = if found.id == piece { byte } else { 0 };
            let text = found.text.get(from..).unwrap_or_default();
            match found.stream {
                Stream::Out => out.push_str(text),
                Stream::Err => err.push_str(text),
                Stream::In => {}
            }
            (last, end) = (found.id, found.text.len());
        }
        (out, err, last, end)
    }

    fn add(&mut self, stream: Stream, text: String) {
        if text.is_empty() {
            return;
        }
        self.view = None;
        self.size += text.len();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let open = self.pieces.back_mut().filter(|last| last.stream == stream);
            let open = open.filter(|last| !is_full(&last.text));
            let (now, later) =
                rest.split_at(fitting(open.as_ref().map_or(0, |p| p.text.len()), rest));
            rest = later;
            if let Some(last) = open {
                let last = Arc::make_mut(last);
                last.text.push_str(now);
                last.rows = row_count(&last.text);
            } else {
                let (id, rows) = (self.next_piece, row_count(now));
                self.pieces.push_back(Arc::new(Piece { id, stream, text: now.to_owned(), rows }));
                self.next_piece += 1;
            }
        }
        while self.size > TEXT_MAX && self.pieces.len() > 1 {
            if let Some(oldest) = self.pieces.pop_front() {
                self.size -= oldest.text.len();
                self.is_cut = true;
            }
        }
    }

    /// What there is to see; the same value as before if nothing changed.
    pub fn view(&mut self) -> Arc<BlockView> {
        if let Some(view) = &self.view {
            return Arc::clone(view);
        }
        let view = Arc::new(BlockView {
            id: self.id,
            line: self.line.clone(),
            kind: self.kind,
            pieces: self.pieces.iter().cloned().collect(),
            rows: self.pieces.iter().map(|piece| piece.rows).sum(),
            is_cut: self.is_cut,
            is_running: self.is_running,
            failure: self.failure,
        });
        self.view = Some(Arc::clone(&view));
        view
    }
}

fn is_full(text: &str) -> bool {
    let is_whole = text.ends_with('\n');
    text.len() >= ROW_FULL || (is_whole && text.len() >= PIECE_LINES)
}

/// How much of `text` goes into a piece that has `length` bytes: whole lines, unless one is very long.
fn fitting(length: usize, text: &str) -> usize {
    let upto =
        |limit: usize| text.floor_char_boundary(limit.saturating_sub(length).min(text.len()));
    let line_end = |at: usize| text.get(..at).and_then(|part| part.rfind('\n'));
    if upto(PIECE_FULL) == text.len() {
        return text.len();
    }
    if let Some(end) = line_end(upto(PIECE_FULL)) {
        return end + 1;
    }
    let most = upto(ROW_FULL);
    let end = text.get(..most).and_then(|part| part.find('\n')).map_or(most, |end| end + 1);
    // A character that does not fit begins the next piece; one always moves on.
    if end == 0 { text.chars().next().map_or(0, char::len_utf8) } else { end }
}

/// How many rows a text fills.
fn row_count(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Block {
        Block::new(1, "get a".to_owned(), Kind::Command)
    }

    #[test]
    fn output_and_errors_stay_apart_and_in_order() {
        let mut block = block();
        block.write(Stream::Out, b"one\n");
        block.write(Stream::Err, b"bad\n");
        block.write(Stream::Out, b"two\n");
        block.end(Some(1));
        let view = block.view();
        let streams: Vec<Stream> = view.pieces.iter().map(|piece| piece.stream).collect();
        assert_eq!(streams, [Stream::Out, Stream::Err, Stream::Out]);
        assert_eq!(view.failure, Some(1));
        assert!(!view.is_running);
    }

    #[test]
    fn escapes_reach_the_view_even_when_cut_in_two() {
        let mut block = block();
        block.write(Stream::Out, b"\x1b[2J\xe2\x80");
        block.write(Stream::Out, b"\xae!");
        block.end(Some(0));
        assert_eq!(block.text(), "\\x1b[2J\\u{202e}!");
        assert_eq!(block.view().failure, None);
    }

    fn numbered(count: u32, at_once: bool) -> Block {
        let mut block = block();
        let lines: Vec<String> = (0..count).map(|line| format!("line {line}\n")).collect();
        if at_once {
            block.write(Stream::Out, lines.concat().as_bytes());
        } else {
            lines.iter().for_each(|line| block.write(Stream::Out, line.as_bytes()));
        }
        block.end(Some(0));
        block
    }

    #[test]
    fn of_a_long_answer_only_what_can_be_seen_is_in_the_page() {
        for at_once in [true, false] {
            let mut block = numbered(100_000, at_once);
            let view = block.view();
            assert!(view.is_long());
            assert_eq!(view.rows, 100_000);
            let window = view.window(50_000, 50_030);
            let text: String = window.pieces.iter().map(|piece| piece.text.as_str()).collect();
            assert!(text.contains("line 49965\n") && text.contains("line 50065\n"));
            assert!(text.starts_with(&format!("line {}\n", window.above)), "{window:?}");
            let shown: u32 = window.pieces.iter().map(|piece| piece.rows).sum();
            assert_eq!(window.above + shown + window.below, 100_000);
            assert!(shown < 1200, "{shown}");
            assert_eq!(block.text().lines().count(), 100_000);
        }
    }

    #[test]
    fn a_window_at_or_beyond_an_end_shows_that_end() {
        let view = numbered(1000, true).view();
        assert_eq!(view.window(0, 10).above, 0);
        let end = view.window(u32::MAX, u32::MAX);
        assert_eq!(end.below, 0);
        assert!(end.pieces.last().unwrap().text.ends_with("line 999\n"));
        let short = numbered(100, true).view();
        assert_eq!(short.window(0, 0).pieces, short.pieces);
    }

    #[test]
    fn a_line_without_end_is_cut_in_rows_and_stays_whole_as_a_text() {
        let mut block = block();
        let line = "é".repeat(200_000);
        block.write(Stream::Out, line.as_bytes());
        block.write(Stream::Out, b"\nafter\n");
        block.end(Some(0));
        assert_eq!(block.text(), format!("{line}\nafter\n"));
        let view = block.view();
        assert!(
            view.pieces.len() > 5 && view.pieces.iter().all(|piece| piece.text.len() <= ROW_FULL)
        );
    }

    #[test]
    fn endless_output_is_bounded_and_says_so() {
        let mut block = block();
        for _ in 0..600 {
            block.write(Stream::Out, &[b'x'; 50_000]);
        }
        assert!(block.text().len() <= TEXT_MAX);
        assert!(block.view().is_cut);
    }

    #[test]
    fn a_view_is_shared_until_something_changes() {
        let mut block = block();
        block.write(Stream::Out, b"a");
        let before = block.view();
        assert!(Arc::ptr_eq(&before, &block.view()));
        block.write(Stream::Out, b"b");
        assert!(!Arc::ptr_eq(&before, &block.view()));
        assert_eq!(before.pieces[0].text, "a");
    }
}
