//! What the editor of scenarios wants of the page: it lives in the program of the views.
//!
//! What it is: its draft, which is remembered; texts on their way to it and into the dialog of links; the export.
//! What it is not: a reader of scenarios.
//! Invariants: see `model`; a text that comes before the editor listens waits for it, the newest only.

use super::{Effect, Lower, Model, Panel, Phase};
use crate::playground::edge::LabAnswer;
use crate::playground::escape;
use crate::playground::insight::{Item, ScenarioAsk, ScenarioNote};
use crate::scenario::Question;

/// Under this name the draft is remembered.
pub(super) const DRAFT_NAME: &str = "scenario";

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub(super) draft: String,
    is_heard: bool,
    /// To be edited once the editor listens.
    waiting: Option<String>,
    /// The question whose answer is a shell script.
    export: Option<u64>,
}

impl Model {
    fn tell_scenario(&mut self, note: ScenarioNote) {
        self.effects.push(Effect::TellInsight(Box::new(Item::Scenario(note))));
    }

    pub(super) fn scenario_asked(&mut self, ask: ScenarioAsk) {
        match ask {
            ScenarioAsk::Begin => {
                self.writer.is_heard = true;
                self.tell_scenario(ScenarioNote::Draft(self.writer.draft.clone()));
                if let Some(text) = self.writer.waiting.take() {
                    self.tell_scenario(ScenarioNote::Edit(text));
                }
            }
            ScenarioAsk::Keep(text) => {
                self.writer.draft.clone_from(&text);
                // The tab that has the saved cluster has the saved draft.
                if !self.cluster.is_owned_elsewhere && self.cluster.phase != Phase::TakenOver {
                    self.remember(DRAFT_NAME, text);
                }
            }
            ScenarioAsk::Export(script) => {
                let call = self.numbers.next();
                self.writer.export = Some(call);
                self.effects.push(Effect::AskLab { call, question: Question::Export { script } });
            }
        }
    }

    /// Shows a written scenario in the dialog of links, where the lab plays it.
    pub(super) fn share_text(&mut self, script: String) {
        self.end_lab();
        let call = self.numbers.next();
        let effect = self.share.open_text(script, call);
        self.effects.push(effect);
        self.changes.share = true;
    }

    /// What the dialog shows goes into the editor; of somebody's link nothing runs.
    pub(super) fn edit_shared(&mut self) {
        let Some(text) = self.share.script().cloned() else { return };
        self.end_lab();
        if self.share.close() {
            // Back leads to the link.
            self.effects.push(Effect::SetFragment { fragment: String::new(), push: true });
            self.teller.fragment.clear();
            self.open_saved();
        }
        self.show_lower(Lower::Scenario);
        self.panel = Panel::Keys;
        self.changes.frame = true;
        if self.writer.is_heard {
            self.tell_scenario(ScenarioNote::Edit(text));
        } else {
            self.writer.waiting = Some(text);
        }
    }

    /// How long the link of a written text became.
    pub(super) fn tell_link(&mut self) {
        if let Some(chars) = self.share.written_link() {
            self.tell_scenario(ScenarioNote::Link(chars));
        }
    }

    /// The answer to an export; gives the answer back if it is to something else.
    pub(super) fn exported(&mut self, call: u64, answer: LabAnswer) -> Option<LabAnswer> {
        if self.writer.export.take_if(|own| *own == call).is_none() {
            return Some(answer);
        }
        let failure = match answer {
            LabAnswer::Sheet(sheet) => {
                let name = format!("{}.sh", escape::file_stem(&sheet.title, "scenario"));
                self.effects.push(Effect::Download { name, bytes: sheet.script.into_bytes() });
                None
            }
            LabAnswer::Refused(why) => Some(why.english),
            LabAnswer::NotLoaded(why) | LabAnswer::Stopped(why) => Some(why),
        };
        if !self.share.is_open() {
            self.effects.push(Effect::EndLab);
        }
        self.tell_scenario(ScenarioNote::Exported(failure));
        None
    }
}
