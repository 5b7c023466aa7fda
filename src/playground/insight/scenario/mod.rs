//! The editor of scenarios: a text, what it is, and where it can run.
//!
//! What it is: [`Editor`]: what is typed, checked as it is typed; templates, files and drafts; and what it wants of the page.
//! What it is not: a runner: the lab plays a text in its own program ([`Ask::Share`]), and on the live cluster lines are typed
//! as a person types them (`live`).
//! Invariants: what is typed is never changed by a check; what is replaced can be had back; nothing runs before a person
//! wants it; foreign text is escaped wherever it is shown outside the field.

mod check;
mod live;
mod note;
mod strings;
mod templates;
mod view;

use self::check::Checked;
use self::live::{Consoles, Run, Said};
use super::lesson::{LessonAsk, LessonNote, Wish};
use super::protocol::Ask;
use crate::playground::escape;
use crate::playground::strings::Language as Spoken;
use crate::scenario::link::Fit;
use crate::scenario::{Language, Script, World};
use crate::types::Millis;

pub use note::{ScenarioAsk, ScenarioNote};
pub use strings::{EN as SCENARIO_EN, ScenarioStrings, ZH as SCENARIO_ZH};
pub use templates::Template;
pub use view::{FaultView, LiveState, LiveView, OutlineRow, RowKind, ScenarioView, StepMark};

/// The longest draft that is remembered. Unit: bytes. Source: ours; browsers keep 5 MB for a whole site.
const DRAFT_BYTES_MAX: usize = 100_000;
/// The largest file that is opened. Unit: bytes. Source: the largest scenario.
const FILE_BYTES_MAX: usize = crate::scenario::script::TEXT_BYTES_MAX;
/// A longer text is looked at a moment after it was typed. Unit: bytes.
const AT_ONCE_BYTES_MAX: usize = 16 * 1024;
/// Most characters of a file's name in a sentence.
const NAME_CHARS_MAX: u32 = 60;

/// How the live cluster was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Made {
    members: u32,
    settings: Vec<u64>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Editor {
    spoken: Spoken,
    is_known: bool,
    text: String,
    /// What the page keeps, or what needs no keeping.
    kept: String,
    placed: u64,
    /// How often the field asked for the focus.
    focus: u64,
    /// What was replaced.
    undo: Option<String>,
    notice: String,
    checked: Checked,
    is_unchecked: bool,
    /// The length of the link of the text that was played last, and that text.
    link: Option<(u64, String)>,
    /// The text that the dialog of links shows.
    shared: Option<String>,
    is_exporting: bool,
    now: Millis,
    world: World,
    consoles: Consoles,
    made: Option<Made>,
    /// Another tab has the cluster.
    is_taken: bool,
    run: Option<Run>,
    asks: Vec<Ask>,
    is_changed: bool,
}

impl Editor {
    /// What to ask the page for, once each.
    pub fn take_asks(&mut self) -> Vec<Ask> {
        if let Some(run) = &mut self.run {
            self.asks.extend(run.take_asks().into_iter().map(Ask::Lesson));
        }
        std::mem::take(&mut self.asks)
    }

    /// Whether there is something new to see since this was last asked.
    pub fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }

    /// The texts.
    #[must_use]
    pub const fn strings(&self) -> &'static ScenarioStrings {
        match self.spoken {
            Spoken::English => &SCENARIO_EN,
            Spoken::Chinese => &SCENARIO_ZH,
        }
    }

    /// Speaks this language from now on.
    pub fn speak(&mut self, spoken: Spoken) {
        self.spoken = spoken;
        self.notice.clear();
        let strings = self.strings();
        if let Some(run) = &mut self.run {
            run.speak(strings);
        }
        self.check();
    }

    /// Begins: the draft is asked for.
    pub fn begin(&mut self) {
        self.asks.push(Ask::Scenario(ScenarioAsk::Begin));
    }

    /// Nothing was written yet: a template stands there.
    #[must_use]
    pub fn is_new(&self) -> bool {
        Template::ALL.iter().any(|template| template.text() == self.text)
    }

    /// What is written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn check(&mut self) {
        let language = Language::parse(self.spoken.name()).unwrap_or_default();
        self.checked = Checked::of(&self.text, &language, self.strings());
        self.is_unchecked = false;
        self.is_changed = true;
    }

    /// The text was edited.
    pub fn set_text(&mut self, text: String) {
        if text == self.text {
            return;
        }
        self.text = text;
        self.notice.clear();
        self.end_run();
        self.is_unchecked = true;
        self.is_changed = true;
        if self.text.len() <= AT_ONCE_BYTES_MAX {
            self.check();
        }
    }

    /// What became of a run that is over is shown until the text changes.
    fn end_run(&mut self) {
        let is_over = |run: &mut Run| matches!(run.state, LiveState::Ended | LiveState::Stopped);
        self.run.take_if(is_over);
    }

    /// Puts a text in the place of what is written, which can be had back.
    fn place(&mut self, text: &str, notice: String) {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        let is_own = |text: &str| {
            !text.trim().is_empty() && Template::ALL.iter().all(|known| known.text() != text)
        };
        let old = std::mem::replace(&mut self.text, text);
        if old != self.text && is_own(&old) {
            self.undo = Some(old);
        }
        self.placed += 1;
        self.end_run();
        self.check();
        self.notice = notice;
    }

    /// Begins with a template.
    pub fn take_template(&mut self, template: Template) {
        let notice = self.strings().took_template;
        self.place(template.text(), notice.to_owned());
    }

    /// Takes what was replaced back; again: the other way.
    pub fn undo(&mut self) {
        if let Some(old) = self.undo.take() {
            let notice = self.strings().took_back;
            self.place(&old, notice.to_owned());
        }
    }

    /// A file was brought: its name and what is in it; nothing if it could not be read.
    pub fn open_file(&mut self, name: &str, bytes: Option<&[u8]>) {
        let s = self.strings();
        let shown = escape::clipped(name.as_bytes(), NAME_CHARS_MAX);
        let is_small = |bytes: &&[u8]| bytes.len() <= FILE_BYTES_MAX;
        match bytes.filter(is_small).map(std::str::from_utf8) {
            Some(Ok(text)) => self.place(text, (s.took_file)(&shown)),
            Some(Err(_)) => self.say((s.no_text)(&shown)),
            None => self.say((s.too_large)(&shown)),
        }
    }

    fn say(&mut self, notice: String) {
        self.notice = notice;
        self.is_changed = true;
    }

    /// Offers the text as a file.
    pub fn save(&mut self) {
        let name = format!("{}.txt", escape::file_stem(&self.title(), "scenario"));
        self.asks.push(Ask::Lesson(LessonAsk::Save(name, self.text.clone())));
    }

    fn title(&self) -> String {
        if let Some(script) = &self.checked.script {
            return script.title.clone();
        }
        let title = self.text.lines().find_map(|line| line.trim().strip_prefix("title:"));
        title.unwrap_or_default().trim().to_owned()
    }

    /// The script that is written, looked at now; nothing while it is none.
    fn script(&mut self) -> Option<Script> {
        if self.is_unchecked {
            self.check();
        }
        self.checked.script.clone()
    }

    /// Shows the text in the dialog of links, where the lab plays it.
    pub fn share(&mut self) {
        if self.script().is_some() {
            self.shared = Some(self.text.clone());
            self.asks.push(Ask::Share(self.text.clone()));
        }
    }

    /// Asks for the text as a shell script.
    pub fn export(&mut self) {
        if self.script().is_some() && !self.is_exporting {
            self.is_exporting = true;
            self.say(self.strings().exporting.to_owned());
            self.asks.push(Ask::Scenario(ScenarioAsk::Export(self.text.clone())));
        }
    }

    /// Takes in what the page tells.
    pub fn hear(&mut self, note: ScenarioNote) {
        let s = self.strings();
        match note {
            ScenarioNote::Draft(text) if self.is_known => drop(text),
            ScenarioNote::Draft(text) => {
                self.is_known = true;
                let is_none = text.is_empty();
                self.text = if is_none { Template::Failover.text().to_owned() } else { text };
                self.kept.clone_from(&self.text);
                self.placed += 1;
                self.check();
            }
            // It is here already.
            ScenarioNote::Edit(text) if text == self.text => self.focus += 1,
            ScenarioNote::Edit(text) => {
                self.focus += 1;
                self.place(&without_hashes(&text), s.took_shared.to_owned());
            }
            ScenarioNote::Link(chars) => {
                if let Some(text) = self.shared.clone() {
                    self.link = Some((chars, text));
                }
            }
            ScenarioNote::Exported(result) => {
                self.is_exporting = false;
                self.notice = match result {
                    None => s.exported.to_owned(),
                    Some(why) => (s.not_exported)(&escape::line(why.as_bytes())),
                };
            }
        }
        self.is_changed = true;
    }

    /// Takes in what happens in the cluster and the consoles.
    pub fn hear_live(&mut self, note: &LessonNote, now: Millis) {
        self.now = now;
        self.consoles.hear(note);
        match note {
            LessonNote::World(world) => {
                self.is_changed = true;
                self.world = (**world).clone();
            }
            LessonNote::Opened { members, settings, .. } => {
                self.is_changed = true;
                self.world = World::default();
                self.made = Some(Made { members: *members, settings: settings.clone() });
                self.is_taken = false;
            }
            LessonNote::TakenOver => {
                self.is_changed = true;
                (self.made, self.is_taken) = (None, true);
            }
            _ => {}
        }
        if let Some(run) = &mut self.run {
            run.hear(note.clone(), now);
            self.is_changed = true;
        }
    }

    /// Time passes.
    pub fn look(&mut self, now: Millis) {
        self.now = now;
        if self.is_unchecked {
            self.check();
        }
        if let Some(run) = &mut self.run {
            run.look(now);
            self.is_changed |= run.state == LiveState::Runs;
        }
        self.keep();
    }

    /// Lets the page remember what is written.
    pub fn keep(&mut self) {
        if self.is_known && self.text != self.kept && self.text.len() <= DRAFT_BYTES_MAX {
            self.kept.clone_from(&self.text);
            self.asks.push(Ask::Scenario(ScenarioAsk::Keep(self.text.clone())));
        }
    }

    /// Plays the text on the live cluster, step by step or all at once; or goes on with that.
    pub fn play_live(&mut self, is_single: bool) {
        self.end_run();
        if self.run.is_none() && self.made.is_some() {
            let Some(script) = self.script() else { return };
            let (world, consoles) = (self.world.clone(), self.consoles.clone());
            let run = Run::new(script, self.strings(), world, consoles, self.now);
            self.run = Some(run);
        }
        if let Some(run) = &mut self.run {
            run.go_on(is_single);
        }
        self.is_changed = true;
    }

    /// Ends what is played on the live cluster.
    pub fn stop_live(&mut self) {
        if let Some(run) = &mut self.run {
            run.stop(Said::Stopped);
        }
        self.is_changed = true;
    }

    /// Asks for a cluster as the scenario wants it.
    pub fn make_cluster(&mut self) {
        if let Some(script) = self.script() {
            let (members, settings) = (script.cluster.members, Wish::of(&script).settings);
            self.asks.push(Ask::Lesson(LessonAsk::NewCluster { members, settings }));
        }
    }

    /// Why the live cluster is another one than the scenario wants, in sentences, and whether one can be made that is as wanted.
    fn other(&self, script: &Script) -> (String, bool) {
        let s = self.strings();
        let Some(made) = &self.made else {
            let why = if self.is_taken { s.live_is_taken } else { s.live_none };
            return (why.to_owned(), false);
        };
        let mut found = Vec::new();
        let wanted = script.cluster.members;
        if wanted != made.members {
            found.push((s.live_members)(wanted, made.members));
        }
        let Wish { settings, only_lab } = Wish::of(script);
        let mut both = settings.iter().zip(&made.settings);
        if both.any(|(wanted, found)| wanted.is_some_and(|wanted| wanted != *found)) {
            found.push(s.live_settings.to_owned());
        }
        let statuses = self.world.members.iter().filter_map(|view| view.status.as_ref());
        let revision = statuses.map(|status| status.revision).max().unwrap_or_default();
        if revision > 1 {
            found.push((s.live_revision)(revision));
        }
        let can_make = !found.is_empty();
        if !only_lab.is_empty() {
            found.push((s.live_flags)(&only_lab.join(" ")));
        }
        let learners = self.world.members.iter().filter(|view| view.member.is_learner).count();
        if script.learners > check::count(learners) {
            found.push((s.live_learners)(script.learners));
        }
        (found.join(s.gap), can_make)
    }

    fn live_view(&self) -> LiveView {
        let mut live = self.run.as_ref().map(Run::view).unwrap_or_default();
        live.can_play = self.made.is_some() && self.checked.is_playable();
        if let Some(script) = self.checked.script.as_ref().filter(|_| self.run.is_none()) {
            let (other, can_make) = self.other(script);
            live.other = other;
            live.can_make = can_make.then_some(script.cluster.members);
        }
        live
    }

    /// What there is to see.
    #[must_use]
    pub fn view(&self) -> ScenarioView {
        let s = self.strings();
        let mut checked = self.checked.clone();
        if let Some(run) = &self.run {
            let language = Language::parse(self.spoken.name()).unwrap_or_default();
            let is_its = checked.script.as_ref() == Some(run.script());
            let is_over = matches!(run.state, LiveState::Ended | LiveState::Stopped);
            if !is_its && !is_over {
                checked.rows = Checked::outlined(run.script(), &language).rows;
            }
            // Of a text that was edited since, the list shows what is written, once the run is over.
            for row in checked.rows.iter_mut().filter(|_| is_its || !is_over) {
                (row.mark, row.said) = run.mark(row.step);
            }
        }
        let link = self.link.as_ref().filter(|(_, text)| *text == self.text);
        let is_long = self.text.len() > DRAFT_BYTES_MAX;
        ScenarioView {
            is_known: self.is_known,
            placed: self.placed,
            lines: check::count(self.text.split('\n').count()),
            is_good: checked.is_playable(),
            no_link: match checked.fit {
                Fit::Fits => String::new(),
                Fit::Large => s.large_link.to_owned(),
                Fit::TooMuch => s.no_link.to_owned(),
            },
            focus: self.focus,
            fault: checked.fault,
            rows: checked.rows,
            more: checked.more,
            steps: checked.steps,
            sentences: checked.sentences,
            link: link.map(|(chars, _)| *chars),
            can_undo: self.undo.is_some(),
            notice: self.notice.clone(),
            too_long: if is_long { s.too_long.to_owned() } else { String::new() },
            is_exporting: self.is_exporting,
            live: self.live_view(),
        }
    }
}

/// A scenario without what an earlier run of it gave, which would not be that of an edited one.
fn without_hashes(text: &str) -> String {
    let is_head = |line: &&str| line.split(' ').next().is_some_and(|word| word.ends_with(':'));
    let head = text.lines().take_while(is_head).position(|line| line.starts_with("expect: "));
    let lines = text.lines().enumerate().filter(|(at, _)| Some(*at) != head);
    lines.map(|(_, line)| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests;
