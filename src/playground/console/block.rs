//! One command and what it printed.
//!
//! What it is: escaped text in pieces that are shared with the views, bounded in size.
//! What it is not: a terminal; nothing in the output moves a cursor or changes a colour.
//! Invariants: a piece that is full is never changed again; text is escaped before it is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::playground::escape::Escaper;

/// Most text kept of one command. Unit: bytes after escaping.
pub const TEXT_MAX: usize = 1024 * 1024;
/// A piece that has reached this size is closed. Unit: bytes.
const PIECE_FULL: usize = 4096;
/// A piece that ends with a line is closed at this size, so that what a screen reader hears again is
/// short. Unit: bytes.
const PIECE_LINES: usize = 256;
/// Lines shown of one command before "show all".
pub const LINES_SHOWN: u32 = 240;

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
    /// What it printed, as far as shown.
    pub pieces: Vec<Arc<Piece>>,
    /// Lines above those that are shown.
    pub hidden_lines: u32,
    /// Text was thrown away because there was too much of it.
    pub is_cut: bool,
    /// It still runs.
    pub is_running: bool,
    /// Its exit status, if it ended with one that is not 0.
    pub failure: Option<i32>,
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
    is_expanded: bool,
    failure: Option<i32>,
    out: Escaper,
    err: Escaper,
    view: Option<Arc<BlockView>>,
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
            is_expanded: false,
            failure: None,
            out: Escaper::default(),
            err: Escaper::default(),
            view: None,
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

    /// Shows everything that is kept.
    pub fn expand(&mut self) {
        self.is_expanded = true;
        self.view = None;
    }

    /// All that is kept of its output.
    #[must_use]
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    fn add(&mut self, stream: Stream, text: String) {
        if text.is_empty() {
            return;
        }
        self.view = None;
        self.size += text.len();
        match self.pieces.back_mut() {
            Some(last) if last.stream == stream && !is_full(&last.text) => {
                Arc::make_mut(last).text.push_str(&text);
            }
            _ => {
                self.pieces.push_back(Arc::new(Piece { id: self.next_piece, stream, text }));
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
        let (pieces, hidden_lines) = self.shown();
        let view = Arc::new(BlockView {
            id: self.id,
            line: self.line.clone(),
            kind: self.kind,
            pieces,
            hidden_lines,
            is_cut: self.is_cut,
            is_running: self.is_running,
            failure: self.failure,
        });
        self.view = Some(Arc::clone(&view));
        view
    }

    /// The last pieces that hold [`LINES_SHOWN`] lines, and how many lines stand above them.
    fn shown(&self) -> (Vec<Arc<Piece>>, u32) {
        let total: u32 = self.pieces.iter().map(|piece| line_count(&piece.text)).sum();
        if self.is_expanded || total <= LINES_SHOWN {
            return (self.pieces.iter().cloned().collect(), 0);
        }
        let mut left = LINES_SHOWN;
        let mut shown = VecDeque::new();
        for piece in self.pieces.iter().rev() {
            let lines = line_count(&piece.text);
            if lines <= left {
                left -= lines;
                shown.push_front(Arc::clone(piece));
                continue;
            }
            if left > 0 {
                let text = last_lines(&piece.text, left).to_owned();
                shown.push_front(Arc::new(Piece { id: piece.id, stream: piece.stream, text }));
            }
            break;
        }
        (shown.into(), total - LINES_SHOWN)
    }
}

fn is_full(text: &str) -> bool {
    text.len() >= PIECE_FULL || (text.len() >= PIECE_LINES && text.ends_with('\n'))
}

fn line_count(text: &str) -> u32 {
    u32::try_from(text.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX)
}

/// The last `count` complete lines of `text`, and what follows the last line break.
fn last_lines(text: &str, count: u32) -> &str {
    let skip = usize::try_from(count).unwrap_or(usize::MAX);
    text.rmatch_indices('\n').nth(skip).and_then(|(at, _)| text.get(at + 1..)).unwrap_or(text)
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

    #[test]
    fn only_the_last_lines_are_shown_until_asked_for_all() {
        let mut block = block();
        for line in 0..1000 {
            block.write(Stream::Out, format!("line {line}\n").as_bytes());
        }
        block.end(Some(0));
        let view = block.view();
        assert_eq!(view.hidden_lines, 1000 - LINES_SHOWN);
        let text: String = view.pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert!(text.starts_with("line 760\n"), "{}", &text[..20]);
        assert!(text.ends_with("line 999\n"));
        block.expand();
        assert_eq!(block.view().hidden_lines, 0);
        assert!(block.text().starts_with("line 0\n"));
    }

    #[test]
    fn endless_output_is_bounded_and_says_so() {
        let mut block = block();
        for _ in 0..400 {
            block.write(Stream::Out, &[b'x'; 5000]);
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
