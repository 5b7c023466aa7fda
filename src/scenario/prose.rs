//! Narration as typed nodes, and which sentences a reader of one language sees.
//!
//! What it is: the closed subset of Markdown of the house: paragraphs, lists, commands to run, and within them `code` and
//! *emphasis*; all else is text.
//! A passage is the narration that stands together: its lines join into paragraphs, an empty one parts them, `- ` begins an item
//! of a list, `$ ` a command.
//! What it is not: Markdown (no HTML, no links), nor a view; who shows text escapes it.
//! Invariants: every character but the marks is in exactly one span; never panics.

use crate::scenario::script::{Action, Language, Say, SayKind, Step};

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// As it stands.
    Text(String),
    /// A command or a value.
    Code(String),
    /// Stressed.
    Emphasis(String),
}

/// A piece of a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Sentences.
    Paragraph(Vec<Span>),
    /// Items.
    List(Vec<Vec<Span>>),
    /// Lines to type.
    Commands(Vec<String>),
}

/// Reads a passage from its lines.
#[must_use]
pub fn read<'text>(lines: impl IntoIterator<Item = &'text str>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut sentences: Vec<&str> = Vec::new();
    for line in lines {
        let item = line.strip_prefix("- ");
        let command = line.strip_prefix("$ ");
        if (line.is_empty() || item.is_some() || command.is_some()) && !sentences.is_empty() {
            blocks.push(Block::Paragraph(spans(&sentences.join(" "))));
            sentences.clear();
        }
        match (item, command) {
            (Some(item), _) => match blocks.last_mut() {
                Some(Block::List(items)) => items.push(spans(item)),
                _ => blocks.push(Block::List(vec![spans(item)])),
            },
            (_, Some(command)) => match blocks.last_mut() {
                Some(Block::Commands(commands)) => commands.push(command.to_owned()),
                _ => blocks.push(Block::Commands(vec![command.to_owned()])),
            },
            _ if line.is_empty() => {}
            _ => sentences.push(line),
        }
    }
    if !sentences.is_empty() {
        blocks.push(Block::Paragraph(spans(&sentences.join(" "))));
    }
    blocks
}

/// Reads a sentence; a mark without its partner is text.
fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*']) {
        let (before, marked) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let mark = if marked.starts_with('`') { '`' } else { '*' };
        let inner = marked.get(1..).unwrap_or_default();
        plain.push_str(before);
        let Some(end) = inner.find(mark).filter(|end| *end > 0) else {
            plain.push(mark);
            rest = inner;
            continue;
        };
        if !plain.is_empty() {
            found.push(Span::Text(std::mem::take(&mut plain)));
        }
        let content = inner.get(..end).unwrap_or_default().to_owned();
        found.push(if mark == '`' { Span::Code(content) } else { Span::Emphasis(content) });
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        found.push(Span::Text(plain));
    }
    found
}

/// For each step, whether a reader of `language` sees it: of sentences that stand together and are for the same, those in that
/// language if there are any, else those of the script's own.
#[must_use]
pub fn told(steps: &[Step], own: &Language, language: &Language) -> Vec<bool> {
    let say = |step: &Step| match &step.action {
        Action::Say(say) => Some(say.clone()),
        _ => None,
    };
    let kind = |step: &Step| say(step).map(|say| say.kind);
    let mut shown = Vec::with_capacity(steps.len());
    // Parts with a title of their own language stand together as well; a second untagged title begins another part.
    for passage in steps.chunk_by(|one, other| {
        let is_new_part = kind(other) == Some(SayKind::Part)
            && say(other).is_some_and(|say| say.language.is_none());
        kind(one).is_some() && kind(one) == kind(other) && !is_new_part
    }) {
        let is_in = |say: &Say, wanted: &Language| say.language.as_ref().unwrap_or(own) == wanted;
        let has_it = passage.iter().filter_map(say).any(|say| is_in(&say, language));
        let wanted = if has_it { language } else { own };
        shown.extend(passage.iter().map(|step| say(step).is_none_or(|say| is_in(&say, wanted))));
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scenario::Script;

    fn text(text: &str) -> Span {
        Span::Text(text.to_owned())
    }

    fn code(text: &str) -> Span {
        Span::Code(text.to_owned())
    }

    #[test]
    fn a_passage_has_paragraphs_lists_and_commands() {
        let lines =
            ["One `a`", "and *b*.", "", "Two:", "- x", "- `y`", "$ put a 1", "$ get a", "2*3"];
        assert_eq!(
            read(lines),
            [
                Block::Paragraph(vec![
                    text("One "),
                    code("a"),
                    text(" and "),
                    Span::Emphasis("b".to_owned()),
                    text(".")
                ]),
                Block::Paragraph(vec![text("Two:")]),
                Block::List(vec![vec![text("x")], vec![code("y")]]),
                Block::Commands(vec!["put a 1".to_owned(), "get a".to_owned()]),
                Block::Paragraph(vec![text("2*3")]),
            ]
        );
    }

    #[test]
    fn a_reader_sees_each_passage_in_one_language() {
        let script = Script::parse(
            "> One.\n> Two.\n>[zh] 一。\nput a 1\n> Three.\nhint A\nhint[zh] 甲\npart P\npart[zh] 部\npart Q\n",
        )
        .unwrap();
        let seen = |tag: &str| -> String {
            let language = Language::parse(tag).unwrap();
            let told = told(&script.steps, &script.language, &language);
            told.iter().map(|is_told| if *is_told { 'x' } else { '.' }).collect()
        };
        assert_eq!(seen("en"), "xx.xxx.x.x");
        assert_eq!(seen("zh"), "..xxx.x.xx");
        assert_eq!(seen("de"), seen("en"));
    }

    proptest! {
        #[test]
        fn any_lines_give_blocks(lines in prop::collection::vec("[-$ `*a\u{e9}]{0,9}", 0..6)) {
            let _ = read(lines.iter().map(String::as_str));
        }
    }
}
