//! The lower centre panel: which view is shown, what it is told, and what it asks.
//!
//! Invariants: see `model`; the program of the views is asked for when one of them has something to show.

use super::{InsightState, Lower, Model, Panel, Wires};
use crate::playground::edge::Effect;
use crate::playground::insight::{Ask, Item};
use crate::playground::keys::{Keys, KeysEvent, KeysView};
use crate::playground::reference;

/// Under this name it is remembered what the panel shows.
pub(super) const LOWER_NAME: &str = "lower";

/// So an address begins that names an entry of the catalogue of errors.
const ERROR_ADDRESS: &str = "error=";

impl Model {
    pub(super) fn show_lower(&mut self, lower: Lower) {
        self.lower = lower;
        if matches!(self.insight, InsightState::Failed(_)) {
            self.insight = InsightState::Loading;
        }
        self.remember(LOWER_NAME, lower.name().to_owned());
        // An empty list needs no program.
        if lower != Lower::Keys || self.is_insight_wanted || self.has_keys() {
            self.is_insight_wanted = true;
            self.effects.push(Effect::ShowInsight(lower));
        } else if self.teller.is_wanted {
            // So do lessons that could not be fetched.
            self.effects.push(Effect::ShowInsight(lower));
        }
        self.changes.keys = true;
        self.changes.frame = true;
    }

    /// There is something for the view of the keys to show.
    fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Fetches the view of the keys once there is something to show.
    pub(super) fn want_keys(&mut self) {
        if self.lower == Lower::Keys && !self.is_insight_wanted && self.has_keys() {
            self.is_insight_wanted = true;
            self.effects.push(Effect::ShowInsight(Lower::Keys));
            self.changes.frame = true;
        }
    }

    /// The keys.
    pub fn keys_view(&mut self) -> KeysView {
        self.keys.view(self.cluster.compact_revision())
    }

    /// True if the keys can be seen.
    #[must_use]
    pub fn shows_keys(&self) -> bool {
        self.lower == Lower::Keys && self.insight == InsightState::Ready
    }

    /// What stands in the place of the keys while there is nothing to show.
    pub(super) fn no_keys(&self) -> Option<&'static str> {
        let s = self.strings;
        let is_empty = self.lower == Lower::Keys && !self.is_insight_wanted;
        is_empty.then_some(if self.keys.is_refused() { s.keys_refused } else { s.keys_empty })
    }

    pub(super) fn on_keys(&mut self, event: KeysEvent) {
        self.changes.keys = true;
        self.with_keys(|keys, wires| keys.act(event, wires));
    }

    pub(super) fn with_keys<T>(&mut self, run: impl FnOnce(&mut Keys, &mut Wires<'_>) -> T) -> T {
        let mut wires = Wires {
            now: self.now,
            cluster: &self.cluster,
            numbers: &mut self.numbers,
            effects: &mut self.effects,
            away: &mut self.away,
            strings: self.strings,
        };
        run(&mut self.keys, &mut wires)
    }

    /// A view wants something of the page; parts of logs and holdings are the browser's to fetch.
    pub(super) fn insight_asked(&mut self, ask: Ask) {
        match ask {
            Ask::Key(key) => {
                self.keys.select(Some(key));
                self.changes.keys = true;
                self.show_lower(Lower::Keys);
            }
            Ask::Write(line) => {
                if line.contains('\n') {
                    self.console.pasted(&line);
                } else {
                    self.console.typed(line);
                }
                self.changes.console = true;
                self.panel = Panel::Console;
                self.changes.frame = true;
            }
            Ask::Line(line) => self.run_asked(line),
            Ask::Keys(event) => self.on_keys(event),
            Ask::Commands => self.tell_insight(Item::Commands(reference::sections())),
            Ask::Command(name) => {
                if let Some(page) = reference::page(&name) {
                    self.tell_insight(Item::Command(page));
                }
            }
            Ask::CutWatch { call, member } => self.cut_watch(call, member),
            Ask::Interrupt(tab) => self.interrupt_tab(tab),
            Ask::KeepAlive { lease, is_on } => self.keep_lease(lease, is_on),
            Ask::Lesson(ask) => self.lesson_asked(ask),
            Ask::Why => self.tell_why(),
            Ask::View(name) => {
                if let Some(lower) = Lower::ALL.into_iter().find(|it| it.name() == name) {
                    self.show_lower(lower);
                }
            }
            Ask::Request { member, request } => {
                let call = self.numbers.next();
                let (client, token, request) = (0, None, *request);
                self.effects.push(Effect::Request { call, member, client, token, request });
            }
            Ask::Scenario(ask) => self.scenario_asked(ask),
            Ask::Session => {
                let steps = self.record.steps(&self.cluster.spec, self.seed);
                self.tell_insight(Item::Session(Box::new(steps)));
            }
            Ask::Share(script) => self.share_text(script),
            Ask::Lab(_)
            | Ask::EndLab
            | Ask::ReadLog { .. }
            | Ask::ReadHoldings(_)
            | Ask::ReadTrace { .. }
            | Ask::TellMessages { .. } => {}
        }
    }

    /// The address bar names an entry of the catalogue of errors, or does no more.
    pub(super) fn errors_address(&mut self) {
        if self.teller.fragment.starts_with(ERROR_ADDRESS) && self.lower != Lower::Errors {
            self.panel = Panel::Keys;
            self.show_lower(Lower::Errors);
        }
        self.tell_address();
    }

    /// The program of the views is there, or not.
    pub(super) fn insight_loaded(&mut self, result: Result<(), String>) {
        self.insight = match result {
            Ok(()) => {
                self.tell_address();
                InsightState::Ready
            }
            Err(reason) => InsightState::Failed(reason),
        };
        self.changes.frame = true;
        self.changes.keys = true;
    }

    /// Tells the views what stands in the address bar.
    pub(super) fn tell_address(&mut self) {
        self.tell_insight(Item::Address(self.teller.fragment.clone()));
    }

    fn tell_insight(&mut self, item: Item) {
        self.effects.push(Effect::TellInsight(Box::new(item)));
    }

    /// Runs a line in a console in which nothing runs, so that it is seen at once.
    fn run_asked(&mut self, line: String) {
        if self.console.active().is_running() {
            let idle = self.console.tabs().find(|tab| !tab.is_running()).map(|tab| tab.id());
            match idle {
                Some(id) => self.console.select(id),
                None if self.console.can_open() => {
                    self.console.open_tab();
                }
                None => {}
            }
        }
        self.console.keep(&line, &mut self.effects);
        self.console.enqueue(line);
        self.changes.console = true;
    }
}
