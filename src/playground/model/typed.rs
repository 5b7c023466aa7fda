//! `add`, `remove infra3`, `promote infra4`, `open NAME` and `help kill` as console lines.
//!
//! What it is: the line of a change that is under way, until the cluster has done it or not.
//! What it is not: the change itself (see `membership`).
//! Invariants: see `model`; a typed line does what its button does, and says what came of it; typing it is a yes: nothing is
//! asked, but whether a restored cluster shall take the place of this one.

use super::{Change, Kind, Model, Phase, Stream};
use crate::playground::membership::{Notice, number_of};
use crate::playground::timeline::done_sentence;
use crate::playground::view;
use crate::scenario::Target;
use crate::scenario::VerbError;
use crate::scenario::script;
use crate::scenario::verb::{self, Typed};
use crate::types::MemberId;

/// The change that is under way, as the page will tell of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Begun {
    /// What a script says for it; nothing if a script has no words.
    step: Option<script::Change>,
    /// The change.
    change: Option<Change>,
    /// The console whose line it is.
    tab: Option<u32>,
}

impl Model {
    /// Runs a line of the page's own that is neither a verb nor a command; false if it is none.
    pub(super) fn run_own_line(&mut self, tab: u32, line: &str, words: &[&str]) -> bool {
        if let ["help", name] = words
            && let Some(text) = verb::help(name)
        {
            self.say(tab, line, Ok(text.to_owned()));
            return true;
        }
        match verb::typed(words) {
            None => return false,
            Some(typed) => self.run_typed(tab, line, typed),
        }
        true
    }

    fn run_typed(&mut self, tab: u32, line: &str, typed: Result<Typed, VerbError>) {
        if self.cluster.phase != Phase::Open {
            let refusal = self.not_open().to_owned();
            return self.say(tab, line, Err(refusal));
        }
        match typed {
            Err(error) => {
                let refusal = error.wrong.told(&self.strings.verb_wrong);
                self.say(tab, line, Err(refusal));
            }
            Ok(Typed::Open(name)) => {
                let said = self.ask_restored(&name);
                self.say(tab, line, said);
            }
            Ok(Typed::Change(step)) => self.run_change(tab, line, step),
        }
    }

    /// A line that is over at once.
    fn say(&mut self, tab: u32, line: &str, said: Result<String, String>) {
        match said {
            Err(refusal) => self.refuse(tab, line, Kind::Verb, &refusal),
            Ok(sentence) => {
                let Some(tab) = self.console.tab(tab) else { return };
                tab.open_block(line, Kind::Verb);
                tab.print(Stream::Out, &sentence);
                tab.end_block(Some(0));
            }
        }
    }

    fn run_change(&mut self, tab: u32, line: &str, step: script::Change) {
        if self.membership.is_busy() {
            let refusal = self.strings.change_busy.to_owned();
            return self.say(tab, line, Err(refusal));
        }
        let world = self.cluster.world();
        let change = match step {
            script::Change::Add { is_learner: false } => Ok(Change::Add),
            script::Change::Add { is_learner: true } => Ok(Change::AddLearner),
            script::Change::Remove(target) => world.resolve(target).map(Change::Remove),
            script::Change::Promote(target) => world.resolve(target).map(Change::Promote),
        };
        let change = match change {
            Ok(change) => change,
            Err(cannot) => {
                let refusal = cannot.told(&self.strings.verb_cannot);
                return self.say(tab, line, Err(refusal));
            }
        };
        if let Some(tab) = self.console.tab(tab) {
            tab.open_block(line, Kind::Verb);
            tab.start_change(line, self.now);
        }
        self.begun = Begun { step: Some(step), change: None, tab: Some(tab) };
        self.begin_change(change);
        self.changes.cluster = true;
        self.changes.frame = true;
    }

    /// A change begins: what a script would say for it is kept until it has come about.
    pub(super) fn note_change(&mut self, change: Change) {
        let leader = self.cluster.known_leader();
        let infra = |member: MemberId| {
            let node = self.cluster.node(member)?;
            number_of(&node.member.name).map(Target::Infra)
        };
        let step = match change {
            Change::Add => Some(script::Change::Add { is_learner: false }),
            Change::AddLearner => Some(script::Change::Add { is_learner: true }),
            Change::Remove(member) if leader == Some(member) => {
                Some(script::Change::Remove(Target::Leader))
            }
            Change::Remove(member) => infra(member).map(script::Change::Remove),
            Change::Promote(member) => infra(member).map(script::Change::Promote),
            Change::Lead(_)
            | Change::Replace(_)
            | Change::ForceNew(_)
            | Change::Delete(_)
            | Change::Wipe(_) => None,
        };
        // What was typed says it best.
        let typed = std::mem::take(&mut self.begun);
        self.begun = Begun { step: typed.step.or(step), change: Some(change), tab: typed.tab };
    }

    /// Tells what came of the change if it is over.
    pub(super) fn settle_change(&mut self) {
        let Some(change) = self.begun.change.filter(|_| !self.membership.is_busy()) else { return };
        let begun = std::mem::take(&mut self.begun);
        let is_failed = matches!(self.membership.notice(), Some(Notice::Failed(..)));
        let said = if is_failed {
            let notice = view::change_notice(&self.membership, &self.cluster, self.strings);
            Err(notice.map(|notice| notice.text).unwrap_or_default())
        } else {
            let action = super::Action::Change(change);
            Ok(done_sentence(action, self.strings, &|id| self.cluster.name(id)))
        };
        if said.is_ok() {
            match begun.step {
                Some(step) => {
                    let has_leader = self.cluster.known_leader().is_some();
                    self.record.change(step, self.now, has_leader);
                }
                None => self.record.left_out(),
            }
            self.remember_record();
        }
        if let Some(tab) = begun.tab.and_then(|tab| self.console.tab(tab)) {
            tab.end_change(&said);
            self.changes.console = true;
        }
    }
}
