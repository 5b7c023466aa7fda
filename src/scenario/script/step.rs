//! The steps of version 2 that are neither console lines nor verbs.
//!
//! What it is: their types and their grammar, one line each:
//!
//! ```text
//! > a sentence            >[zh] 一句话         narration; the languages of one passage stand one after the other
//! part Kill the leader    part[zh] …           a part begins: goals are judged at its end, claims count from here
//! mark                                         claims count from here
//! wait for CLAIM [within TIME]                 see `claim`; 10 s if no time is given
//! expect CLAIM                                 judged here; a run with an unmet one fails
//! goal CLAIM                                   judged at the end of its part
//! means A new leader.     means[zh] …          the goal or expectation before, in words
//! hint Look at the term.  hint[zh] …           shown on request
//! ask Who leads now?      ask[zh] …            a question, and below it whose answer is right:
//! answer leader|term|revision|members|voters|learners|running|quorum
//! answer whether CLAIM                         yes or no
//! reply infra2                                 a person's answer to the last question
//! solution … end                               the steps between are what a learner has to do
//! add [learner], remove MEMBER, promote MEMBER changes of the membership; a new member gets the next free number and starts
//! open infra1.etcd                             the cluster that `etcdutl snapshot restore` made takes the place of this one
//! @2 < text               @2 ^D                a line, or the end of input, for what runs in console 2
//! ```
//!
//! What it is not: version 1, which is `script` and `verb`.
//! Invariants: those of `script`.

use std::fmt;

use super::{Action, CONSOLE_MAX, Fault};
use crate::scenario::claim::{self, Claim, Cursor, Quantity};
use crate::scenario::token::tokens;
use crate::scenario::units::parse_duration;
use crate::scenario::verb::{self, Target, WAIT_LIMIT_DEFAULT_MS, WAIT_LIMIT_MAX_MS};
use crate::scenario::wrong::{Thing, Wanted, Wrong};

/// Every first word of version 2.
pub const NAMES: [&str; 15] = [
    "add", "remove", "promote", "open", "expect", "goal", "ask", "answer", "reply", "hint",
    "means", "part", "mark", "solution", "end",
];

/// Most letters of a language's tag.
const TAG_BYTES_MAX: usize = 12;

/// A language's tag: `en`, `zh`, `zh-Hant`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Language(String);

/// What a sentence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SayKind {
    /// Something to read, in the closed subset of Markdown that `prose` reads.
    Narration,
    /// The title of a part.
    Part,
    /// Help on request.
    Hint,
    /// What the goal or expectation before it asks for.
    Means,
    /// A question.
    Ask,
}

/// A sentence for the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Say {
    /// What it is for.
    pub kind: SayKind,
    /// Its language; `None`: that of the script.
    pub language: Option<Language>,
    /// One line, no blanks at its ends.
    pub text: String,
}

/// A change of the membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new member is added and started.
    Add {
        /// It does not vote.
        is_learner: bool,
    },
    /// A member is taken out.
    Remove(Target),
    /// A learner gets a vote.
    Promote(Target),
}

/// What the right answer to a question is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Who leads.
    Leader,
    /// How many votes decide.
    Quorum,
    /// A number of the cluster.
    Number(Quantity),
    /// Yes or no.
    Whether(Claim),
}

impl Language {
    /// Reads a tag.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (first, rest) = text.split_once('-').unwrap_or((text, "x"));
        let is_first =
            matches!(first.len(), 2 | 3) && first.bytes().all(|b| b.is_ascii_lowercase());
        let is_rest = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (is_first && is_rest && text.len() <= TAG_BYTES_MAX).then(|| Self(text.to_owned()))
    }

    /// The tag.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.0
    }
}

impl Default for Language {
    fn default() -> Self {
        Self("en".to_owned())
    }
}

/// A word and its language: `hint`, `hint[zh]`; `None` if the brackets hold no language.
pub(super) fn tagged(word: &str) -> Option<(&str, Option<Language>)> {
    match word.split_once('[') {
        None => Some((word, None)),
        Some((name, tag)) => Some((name, Some(Language::parse(tag.strip_suffix(']')?)?))),
    }
}

/// Narration of version 2.
pub(super) fn narration(line: &str) -> Say {
    let text = line.trim().strip_prefix('>').unwrap_or_default();
    let tagged = text.strip_prefix('[').and_then(|rest| {
        let (tag, text) = rest.split_once(']')?;
        Some((Language::parse(tag)?, text))
    });
    let (language, text) = match tagged {
        Some((language, text)) => (Some(language), text),
        None => (None, text),
    };
    Say { kind: SayKind::Narration, language, text: text.trim().to_owned() }
}

/// The mark of a here-document on a line with a claim.
pub(super) fn document_mark(line: &str) -> Option<(usize, String)> {
    let is_mark = |text: &str| {
        let word = text.strip_prefix("<<").unwrap_or_default();
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let tokens = tokens(line).ok()?;
    let found = tokens.into_iter().find(|token| !token.is_quoted && is_mark(&token.text))?;
    Some((found.at, found.text.trim_start_matches('<').to_owned()))
}

/// True for a line that has a claim, so that a text may stand below it.
pub(super) fn has_claim(words: &[(usize, &str)]) -> bool {
    let second = words.get(1).map(|(_, word)| *word);
    match words.first() {
        Some((_, "expect" | "goal")) => true,
        Some((_, "answer")) => second == Some("whether"),
        Some((_, "wait")) => second == Some("for"),
        _ => false,
    }
}

/// Reads a step of version 2; `None` if its first word is none of these.
pub(super) fn read(
    words: &[(usize, &str)],
    line: &str,
    document: Option<String>,
) -> Option<Result<Action, Fault>> {
    let (at, first) = words.first().copied()?;
    let (name, language) = match tagged(first) {
        Some(found) => found,
        None if first.split_once('[').is_some_and(|(name, _)| says(name).is_some()) => {
            return Some(Err((at, Wrong::NoTag(first.to_owned()))));
        }
        None => (first, None),
    };
    if let Some(kind) = says(name) {
        let text = super::from_word(words, 1, line).to_owned();
        if text.is_empty() {
            let missing = Wrong::missing(Wanted::Sentence(name.to_owned()));
            return Some(Err((line.trim_end().len(), missing)));
        }
        return Some(Ok(Action::Say(Say { kind, language, text })));
    }
    let is_wait = first == "wait" && words.get(1).is_some_and(|(_, word)| *word == "for");
    if !is_wait && !NAMES.contains(&first) {
        return None;
    }
    if first == "reply" {
        let text = super::from_word(words, 1, line).to_owned();
        let missing = || (line.trim_end().len(), Thing::Reply.into());
        return Some(if text.is_empty() { Err(missing()) } else { Ok(Action::Reply(text)) });
    }
    Some(read_words(first, line, document))
}

fn says(name: &str) -> Option<SayKind> {
    Some(match name {
        "part" => SayKind::Part,
        "hint" => SayKind::Hint,
        "means" => SayKind::Means,
        "ask" => SayKind::Ask,
        _ => return None,
    })
}

fn read_words(first: &str, line: &str, document: Option<String>) -> Result<Action, Fault> {
    let tokens = tokens(line)?;
    let mut at = Cursor::new(&tokens, 1, line.trim_end().len(), document);
    let action = match first {
        "wait" => {
            at.step();
            read_wait(&mut at)?
        }
        "expect" => Action::Expect(claim::read(&mut at)?),
        "goal" => Action::Goal(claim::read(&mut at)?),
        "answer" => Action::Answer(read_answer(&mut at)?),
        "add" => Action::Change(Change::Add { is_learner: at.takes("learner") }),
        "remove" => Action::Change(Change::Remove(read_member(&mut at, true)?)),
        "promote" => Action::Change(Change::Promote(read_member(&mut at, false)?)),
        "open" => {
            let Some(name) = at.word().map(str::to_owned) else {
                return at.expected(verb::Thing::DataName);
            };
            at.step();
            Action::Open(name)
        }
        "mark" => Action::Mark,
        "solution" => Action::Solution,
        _ => Action::EndSolution,
    };
    at.finish()?;
    Ok(action)
}

fn read_member(at: &mut Cursor<'_>, may_vote: bool) -> Result<Target, Fault> {
    let named =
        [("leader", Target::Leader), ("follower", Target::Follower), ("killed", Target::Killed)];
    if let Some((_, found)) = named.iter().find(|(word, _)| may_vote && at.word() == Some(*word)) {
        at.step();
        return Ok(*found);
    }
    match at.word().and_then(verb::infra) {
        Some(found) => {
            at.step();
            Ok(found)
        }
        None if may_vote => at.expected(Wanted::Verb(verb::Wanted::Member(verb::REMOVE))),
        None => at.expected(verb::Thing::Learner),
    }
}

fn read_wait(at: &mut Cursor<'_>) -> Result<Action, Fault> {
    let claim = claim::read(at)?;
    if claim.asks() {
        return at.expected(Thing::Waitable);
    }
    let mut limit_ms = WAIT_LIMIT_DEFAULT_MS;
    if at.takes("within") {
        let within = at.word().and_then(parse_duration).filter(|ms| *ms <= WAIT_LIMIT_MAX_MS);
        let Some(found) = within else {
            return at.expected(Wanted::LimitedTime);
        };
        limit_ms = found;
        at.step();
    }
    Ok(Action::WaitFor { claim, limit_ms })
}

fn read_answer(at: &mut Cursor<'_>) -> Result<Answer, Fault> {
    if at.takes("whether") {
        return claim::read(at).map(Answer::Whether);
    }
    let found = match at.word() {
        Some("leader") => Some(Answer::Leader),
        Some("quorum") => Some(Answer::Quorum),
        Some(word) => Quantity::named(word).map(Answer::Number),
        None => None,
    };
    let Some(found) = found else {
        return at.expected(Thing::Answer);
    };
    at.step();
    Ok(found)
}

/// What stands behind a console, where that is something to type; `None`: a command.
pub(super) fn typed(console: u32, second: &str, rest: &str) -> Option<Action> {
    assert!(console <= CONSOLE_MAX, "consoles are checked before");
    match second {
        "^D" if rest == "^D" => Some(Action::EndInput { console }),
        "<" => {
            let text = rest.strip_prefix('<').unwrap_or_default().trim_start().to_owned();
            Some(Action::Type { console, text })
        }
        _ => None,
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Say {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            SayKind::Narration => ">",
            SayKind::Part => "part",
            SayKind::Hint => "hint",
            SayKind::Means => "means",
            SayKind::Ask => "ask",
        })?;
        if let Some(language) = &self.language {
            write!(f, "[{language}]")?;
        }
        if self.text.is_empty() { Ok(()) } else { write!(f, " {}", self.text) }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add { is_learner: false } => f.write_str("add"),
            Self::Add { is_learner: true } => f.write_str("add learner"),
            Self::Remove(target) => write!(f, "remove {target}"),
            Self::Promote(target) => write!(f, "promote {target}"),
        }
    }
}

/// A claim behind a word, and below it its text.
pub(super) fn write_claim(
    f: &mut fmt::Formatter<'_>,
    before: &str,
    claim: &Claim,
    after: &str,
) -> fmt::Result {
    write!(f, "{before} {claim:#}{after}")?;
    match claim.document() {
        Some(text) => write!(f, "\n{text}\n{}", Claim::delimiter(text)),
        None => Ok(()),
    }
}

pub(super) fn write_answer(f: &mut fmt::Formatter<'_>, answer: &Answer) -> fmt::Result {
    match answer {
        Answer::Leader => f.write_str("answer leader"),
        Answer::Quorum => f.write_str("answer quorum"),
        Answer::Number(quantity) => write!(f, "answer {quantity}"),
        Answer::Whether(claim) => write_claim(f, "answer whether", claim, ""),
    }
}
