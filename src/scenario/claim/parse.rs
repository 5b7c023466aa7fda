//! Reads claims.
//!
//! What it is: a [`Cursor`] over the words of a line, shared by everything of version 2 that stands on one, and the reader of
//! [`Claim`]s.
//! What it is not: a reader of whole steps (see `script::step`).
//! Invariants: those of the module above.

use super::{Claim, Compare, EventKind, MemberState, Quantity, Source, TextTest};
use crate::scenario::script::CONSOLE_MAX;
use crate::scenario::token::{Fault, Token};
use crate::scenario::units::parse_number;
use crate::scenario::verb::{self, Target};
use crate::scenario::wrong::{Thing, Wanted, Wrong};

/// A place among the words of a line.
pub(crate) struct Cursor<'line> {
    tokens: &'line [Token],
    next: usize,
    /// Bytes of the line, blanks at its end aside.
    end: usize,
    /// The lines of the line's here-document.
    document: Option<String>,
}

impl<'line> Cursor<'line> {
    /// Before the word of this number.
    pub(crate) const fn new(
        tokens: &'line [Token],
        next: usize,
        end: usize,
        document: Option<String>,
    ) -> Self {
        Self { tokens, next, end, document }
    }

    fn token(&self) -> Option<&'line Token> {
        self.tokens.get(self.next)
    }

    /// The word here, if it is one of the grammar.
    pub(crate) fn word(&self) -> Option<&'line str> {
        self.token().filter(|token| !token.is_quoted).map(|token| token.text.as_str())
    }

    /// Goes on behind the word here.
    pub(crate) const fn step(&mut self) {
        self.next += 1;
    }

    /// Goes on behind this word, if it stands here.
    pub(crate) fn takes(&mut self, word: &str) -> bool {
        let is_here = self.word() == Some(word);
        self.next += usize::from(is_here);
        is_here
    }

    /// The fault that something else was expected here.
    pub(crate) fn expected<T>(&self, what: impl Into<Wanted>) -> Result<T, Fault> {
        let what = what.into();
        match self.token() {
            Some(token) => {
                let found = &token.text;
                let found: String = found.chars().take(40).collect();
                Err((token.at, Wrong::Expected(what, Some(found))))
            }
            None => Err((self.end, Wrong::missing(what))),
        }
    }

    /// The fault with its place at the word before.
    fn fault_before<T>(&self, wrong: Wrong) -> Result<T, Fault> {
        let before = self.next.checked_sub(1).and_then(|at| self.tokens.get(at));
        Err((before.map_or(self.end, |token| token.at), wrong))
    }

    /// Nothing follows.
    pub(crate) fn finish(&self) -> Result<(), Fault> {
        match self.token() {
            None => Ok(()),
            Some(_) => self.expected(Thing::End),
        }
    }

    /// A number.
    pub(crate) fn number(&mut self) -> Result<u64, Fault> {
        match self.word().and_then(parse_number) {
            Some(found) => {
                self.step();
                Ok(found)
            }
            None => self.expected(verb::Thing::Number),
        }
    }

    /// A text on the line.
    pub(crate) fn text(&mut self, what: Thing) -> Result<String, Fault> {
        match self.token() {
            Some(token) if token.is_quoted || !token.text.starts_with("<<") => {
                self.step();
                Ok(token.text.clone())
            }
            _ => self.expected(what),
        }
    }

    /// A text on the line or below it.
    fn long_text(&mut self) -> Result<String, Fault> {
        if self.word().is_some_and(|word| word.starts_with("<<"))
            && let Some(document) = self.document.take()
        {
            self.step();
            return Ok(document);
        }
        self.text(Thing::Text)
    }

    fn one_of<T: Copy>(&mut self, all: &[T], word: fn(T) -> &'static str) -> Result<T, Fault> {
        match all.iter().find(|one| self.word() == Some(word(**one))) {
            Some(found) => {
                self.step();
                Ok(*found)
            }
            None => {
                let known: Vec<&str> = all.iter().map(|one| word(*one)).collect();
                self.expected(Wanted::OneOf(known.join(", ")))
            }
        }
    }

    /// `infraN`
    pub(crate) fn infra(&mut self) -> Result<Target, Fault> {
        match self.word().and_then(verb::infra) {
            Some(found) => {
                self.step();
                Ok(found)
            }
            None => self.expected(Wanted::Verb(verb::Wanted::Member(&[]))),
        }
    }
}

/// Reads a claim; what follows it is the caller's.
pub(crate) fn read(at: &mut Cursor<'_>) -> Result<Claim, Fault> {
    let Some(word) = at.word() else { return at.expected(Thing::Claim) };
    at.step();
    match word {
        "not" if at.word() == Some("not") => at.expected(Thing::NotAndClaim),
        "not" => match read(at)? {
            Claim::Not(_) => at.fault_before(Thing::OneNot.into()),
            claim => Ok(not(claim)),
        },
        "no" => read_no(at),
        "leader" => read_leader(at),
        "all" => {
            if !(at.takes("are") || at.takes("is")) {
                return at.expected(Wanted::Word("are"));
            }
            read_state(at, Target::All)
        }
        "links" => {
            if !(at.takes("are") && at.takes("whole")) {
                return at.expected(Wanted::Word("are whole"));
            }
            Ok(Claim::LinksWhole)
        }
        "hashes" => {
            if !(at.takes("are") && at.takes("equal")) {
                return at.expected(Wanted::Word("are equal"));
            }
            Ok(Claim::HashesEqual)
        }
        "event" => {
            let kind = at.one_of(&EventKind::ALL, EventKind::word)?;
            let by = if at.takes("by") { Some(at.infra()?) } else { None };
            Ok(Claim::Event(kind, by))
        }
        "events" => {
            let kind = at.one_of(&EventKind::ALL, EventKind::word)?;
            read_number(at, Quantity::Events(kind))
        }
        "output" | "error" | "status" => read_printed(at, None, word),
        "wrote" => read_pair(at).map(|(key, value)| Claim::Wrote(key, value)),
        "refused" => read_pair(at).map(|(key, value)| Claim::Refused(key, value)),
        "read" => read_read(at),
        _ => read_other(at, word),
    }
}

fn not(claim: Claim) -> Claim {
    Claim::Not(Box::new(claim))
}

fn read_no(at: &mut Cursor<'_>) -> Result<Claim, Fault> {
    if at.takes("leader") {
        return Ok(not(Claim::HasLeader));
    }
    let _ = at.takes("acknowledged");
    if !(at.takes("write") && at.takes("lost")) {
        return at.expected(Thing::NoWhat);
    }
    Ok(Claim::NoWriteLost)
}

fn read_leader(at: &mut Cursor<'_>) -> Result<Claim, Fault> {
    if at.takes("changed") {
        return Ok(Claim::LeaderChanged);
    }
    if at.takes("is") {
        let is_not = at.takes("not");
        let claim = Claim::Member(at.infra()?, MemberState::Leader);
        return Ok(if is_not { not(claim) } else { claim });
    }
    Ok(Claim::HasLeader)
}

fn read_state(at: &mut Cursor<'_>, target: Target) -> Result<Claim, Fault> {
    let is_not = at.takes("not");
    let state = at.one_of(&MemberState::ALL, MemberState::word)?;
    let claim = Claim::Member(target, state);
    Ok(if is_not { not(claim) } else { claim })
}

fn read_number(at: &mut Cursor<'_>, quantity: Quantity) -> Result<Claim, Fault> {
    let compare = match at.word() {
        Some("is" | "=" | "are") => Compare::Is,
        Some("!=") => {
            at.step();
            return Ok(not(Claim::Number(quantity, Compare::Is, at.number()?)));
        }
        Some(">") => Compare::More,
        Some(">=") => Compare::AtLeast,
        Some("<") => Compare::Less,
        Some("<=") => Compare::AtMost,
        _ => {
            let can_rise = matches!(quantity, Quantity::Term | Quantity::Revision);
            return at.expected(if can_rise { Thing::CompareOrRose } else { Thing::Compare });
        }
    };
    at.step();
    let is_not = compare == Compare::Is && at.takes("not");
    let claim = Claim::Number(quantity, compare, at.number()?);
    Ok(if is_not { not(claim) } else { claim })
}

fn read_pair(at: &mut Cursor<'_>) -> Result<(String, Option<String>), Fault> {
    let key = at.text(Thing::Key)?;
    let has_value = at.token().is_some_and(|token| token.is_quoted || token.text != "within");
    let value = if has_value { Some(at.text(Thing::Value)?) } else { None };
    Ok((key, value))
}

fn read_read(at: &mut Cursor<'_>) -> Result<Claim, Fault> {
    let is_last = at.tokens.len() == at.next + 1
        || at.tokens.get(at.next + 1).is_some_and(|token| token.text == "within");
    if is_last && at.takes("failed") {
        return Ok(Claim::ReadFailed);
    }
    let key = at.text(Thing::KeyOrFailed)?;
    let value = at.text(Thing::ReadValue)?;
    let revision = if at.takes("at") { Some(at.number()?) } else { None };
    Ok(Claim::Read { key, value, revision })
}

/// `output …`, `error …` or `status …`.
fn read_printed(at: &mut Cursor<'_>, console: Option<u32>, what: &str) -> Result<Claim, Fault> {
    if what == "status" {
        if !(at.takes("is") || at.takes("=")) {
            return at.expected(Thing::IsNumber);
        }
        let is_not = at.takes("not");
        let claim = Claim::Status(console, at.number()?);
        return Ok(if is_not { not(claim) } else { claim });
    }
    let source = Source { console, is_error: what == "error" };
    let Some(how) = at.word().filter(|word| matches!(*word, "is" | "contains" | "lacks")) else {
        return at.expected(Thing::Test);
    };
    at.step();
    let is_not = how == "lacks" || (how == "is" && at.takes("not"));
    let test = match how {
        "is" if at.takes("empty") => TextTest::IsEmpty,
        "is" => TextTest::Is(at.long_text()?),
        _ => TextTest::Contains(at.long_text()?),
    };
    let claim = Claim::Output(source, test);
    Ok(if is_not { not(claim) } else { claim })
}

/// What begins with a console, a number of the cluster or a member.
fn read_other(at: &mut Cursor<'_>, word: &str) -> Result<Claim, Fault> {
    if let Some(console) = word.strip_prefix('@') {
        let number = parse_number(console).and_then(|number| u32::try_from(number).ok());
        let is_plain = console.len() == 1;
        let Some(console) = number.filter(|number| is_plain && (1..=CONSOLE_MAX).contains(number))
        else {
            return at.fault_before(Wrong::missing(Wanted::Console));
        };
        return read_console(at, console);
    }
    if let Some(quantity) = Quantity::named(word) {
        let can_rise = matches!(quantity, Quantity::Term | Quantity::Revision);
        if can_rise && at.takes("rose") {
            let by = if at.takes("by") { Some(at.number()?) } else { None };
            return Ok(Claim::Rose(quantity, by));
        }
        return read_number(at, quantity);
    }
    if let Some(target) = verb::infra(word) {
        if !at.takes("is") {
            return at.expected(Thing::IsState);
        }
        return read_state(at, target);
    }
    let found: String = word.chars().take(40).collect();
    at.fault_before(Wrong::NoClaim(found))
}

fn read_console(at: &mut Cursor<'_>, console: u32) -> Result<Claim, Fault> {
    if let Some(what) = at.word().filter(|word| matches!(*word, "output" | "error" | "status")) {
        at.step();
        return read_printed(at, Some(console), what);
    }
    if !at.takes("saw") {
        return at.expected(Thing::OfConsole);
    }
    let words = at.tokens.get(at.next..).unwrap_or_default();
    let is_each = ["each", "event", "once"].iter().enumerate().all(|(place, word)| {
        words.get(place).is_some_and(|token| !token.is_quoted && token.text == *word)
    });
    if is_each {
        at.next += 3;
        return Ok(Claim::SawEachOnce(console));
    }
    let key = at.text(Thing::Saw)?;
    let mut values = Vec::new();
    while at.token().is_some_and(|token| token.is_quoted || token.text != "within") {
        values.push(at.text(Thing::Value)?);
    }
    if values.is_empty() {
        return at.expected(Thing::SawValues);
    }
    Ok(Claim::Saw(console, key, values))
}
