//! Links: made from what was done, and opened from what somebody sent.
//!
//! What it is: the dialog's state: steps, the run in the lab, the verdict, the link.
//! What it is not: the lab, nor a reader of scripts and links; the lab's program is asked by effect and answers
//! with sheets.
//! Invariants: nothing runs before the steps were shown; a link is offered only after the lab has played
//! it; neither touches the saved cluster; one question at a time, and an answer to an older one is not heard.

use crate::playground::edge::{Effect, LabAnswer};
use crate::playground::escape;
use crate::playground::strings::Strings;
use crate::playground::view::prose::{self, Span};
use crate::scenario::{Question, Refusal, Sheet, Verdict};

/// Longest title. Unit: characters.
pub const TITLE_MAX: usize = 80;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// The lab is asked for the steps.
    Loading,
    Shown,
    Running,
    Done,
    Failed(Refusal),
    NotLoaded(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// What was done here.
    Here,
    /// A link that somebody sent.
    Link,
    /// A text that was written.
    Text,
}

/// What the lab was asked.
#[derive(Clone, Debug)]
enum Asked {
    Steps,
    Run,
    Title(String),
}

#[derive(Clone, Debug)]
struct Dialog {
    source: Source,
    /// Asks for the steps.
    opening: Question,
    /// As the person sees and edits it.
    title: String,
    /// As the sheet's script and link have it.
    written_title: String,
    sheet: Option<Box<Sheet>>,
    /// What came with the steps.
    warning: Option<Refusal>,
    stage: Stage,
    /// What is not answered yet, with its number.
    waits_for: Option<(u64, Asked)>,
}

/// A step in the dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepView {
    /// Its number among those that do something; `None` for a sentence.
    pub number: Option<u32>,
    /// A sentence for the reader.
    pub prose: Vec<Span>,
    /// The line as written.
    pub line: String,
    /// What the lab printed.
    pub output: String,
    /// What the lab printed as errors.
    pub errors: String,
    /// Its exit status, if it is not 0.
    pub failure: Option<i32>,
    /// The first answer that differs is this one's.
    pub differs: bool,
}

/// How far the run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StageView {
    /// The lab is loaded and asked for the steps.
    Loading,
    /// The steps are shown; nothing has run.
    Shown,
    /// It runs in the lab.
    Running,
    /// It has run.
    Done,
    /// It could not run, with the reason.
    Failed(String),
    /// The lab could not be loaded, with the reason.
    NotLoaded(String),
}

/// The dialog as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareView {
    /// True: somebody's link is open; false: what was done here, or written, is shared.
    pub is_link: bool,
    /// Above it all.
    pub heading: &'static str,
    /// What happens here.
    pub intro: &'static str,
    /// The title.
    pub title: String,
    /// Members, tick and election of the run, in words.
    pub setting: String,
    /// The steps.
    pub steps: Vec<StepView>,
    /// How far the run is.
    pub stage: StageView,
    /// What the lab says, in words.
    pub verdict: Option<String>,
    /// It is the best verdict.
    pub is_exact: bool,
    /// How many expectations were met, in words, and whether all were; nothing without any.
    pub tally: Option<(String, bool)>,
    /// The fragment without `#`, or why there is none.
    pub link: Option<Result<String, String>>,
    /// Script and link are there, and have the title that is shown.
    pub is_written: bool,
    /// Steps were left out, or the cluster was not fresh.
    pub warning: Option<String>,
}

/// The dialog.
#[derive(Clone, Debug, Default)]
pub struct Share {
    dialog: Option<Dialog>,
    broken: Option<Refusal>,
}

impl Share {
    /// True if somebody's link is shown, or one that cannot be read.
    #[must_use]
    pub fn is_link_open(&self) -> bool {
        self.broken.is_some()
            || self.dialog.as_ref().is_some_and(|dialog| dialog.source == Source::Link)
    }

    /// Asks for the steps of somebody's link.
    pub fn open_link(&mut self, fragment: &str, call: u64) -> Effect {
        self.open(Source::Link, Question::Open { link: fragment.to_owned() }, call)
    }

    /// Asks for the script of what was done here; it is played as soon as it is shown.
    pub fn open_here(&mut self, steps: Question, call: u64) -> Effect {
        self.open(Source::Here, steps, call)
    }

    /// Asks for the steps of a text; it is played as soon as they are shown.
    pub fn open_text(&mut self, script: String, call: u64) -> Effect {
        self.open(Source::Text, Question::Read { script }, call)
    }

    /// The script; a written text as it was written.
    #[must_use]
    pub fn script(&self) -> Option<&String> {
        let dialog = self.dialog.as_ref()?;
        match &dialog.opening {
            Question::Read { script } => Some(script),
            _ => Some(&dialog.sheet.as_ref()?.script),
        }
    }

    /// What its author has to know; who opens a link is told in the steps.
    fn warning_of(&self, s: &Strings) -> Option<String> {
        let dialog = self.dialog.as_ref().filter(|dialog| dialog.source != Source::Link)?;
        Some(dialog.warning.as_ref()?.of(s.language).to_owned())
    }

    /// How long the link of a written text is, if it has one. Unit: characters.
    #[must_use]
    pub fn written_link(&self) -> Option<u64> {
        let dialog = self.dialog.as_ref().filter(|dialog| dialog.source == Source::Text)?;
        let link = dialog.sheet.as_ref()?.link.as_ref()?.as_ref().ok()?;
        Some(u64::try_from(link.len()).unwrap_or(u64::MAX))
    }

    fn open(&mut self, source: Source, opening: Question, call: u64) -> Effect {
        self.broken = None;
        let dialog = self.dialog.insert(Dialog {
            source,
            opening,
            title: String::new(),
            written_title: String::new(),
            sheet: None,
            warning: None,
            stage: Stage::Loading,
            waits_for: None,
        });
        dialog.go_on(call)
    }

    /// The title was edited; the link is written anew.
    pub fn set_title(&mut self, title: &str, call: u64) -> Option<Effect> {
        let dialog = self.dialog.as_mut()?;
        dialog.title = title.chars().filter(|c| !c.is_control()).take(TITLE_MAX).collect();
        dialog.write_title(call)
    }

    /// Plays what is shown in the lab, or asks again for what could not be loaded.
    pub fn replay(&mut self, call: u64) -> Option<Effect> {
        let dialog = self.dialog.as_mut()?;
        (!matches!(dialog.stage, Stage::Loading | Stage::Running)).then(|| dialog.go_on(call))
    }

    /// The lab has answered; gives back what it is asked next.
    pub fn hear(&mut self, call: u64, answer: LabAnswer, next: u64) -> Option<Effect> {
        let dialog = self.dialog.as_mut()?;
        let (_, asked) = dialog.waits_for.take_if(|(own, _)| *own == call)?;
        match answer {
            LabAnswer::Sheet(sheet) => return dialog.take(asked, sheet, next),
            LabAnswer::Refused(why) => match (asked, dialog.source) {
                (Asked::Steps, Source::Link) => {
                    *self = Self { broken: Some(why), ..Self::default() }
                }
                _ => dialog.stage = Stage::Failed(why),
            },
            LabAnswer::Stopped(why) => {
                dialog.stage = Stage::Failed(Refusal { english: why.clone(), chinese: why });
            }
            LabAnswer::NotLoaded(why) => dialog.stage = Stage::NotLoaded(why),
        }
        None
    }

    /// The script as a file.
    #[must_use]
    pub fn file(&self) -> Option<(String, Vec<u8>)> {
        let dialog = self.dialog.as_ref().filter(|dialog| dialog.is_written())?;
        let name = escape::file_stem(&dialog.title, "etcd-playground");
        Some((format!("{name}.txt"), dialog.sheet.as_ref()?.script.clone().into_bytes()))
    }

    /// True if the dialog is open, or a link could not be read.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.dialog.is_some() || self.broken.is_some()
    }

    /// Closes it. Returns true if somebody's link was open.
    pub fn close(&mut self) -> bool {
        let was_link = self.is_link_open();
        *self = Self::default();
        was_link
    }

    /// A link that cannot be read: why, as a sentence.
    #[must_use]
    pub fn broken(&self, s: &Strings) -> Option<String> {
        let why = escape::line(self.broken.as_ref()?.of(s.language).as_bytes());
        let (first, rest) = why.split_at_checked(1).unwrap_or(("", &why));
        let stop = if why.is_ascii() { "." } else { "。" };
        Some(format!("{}{rest}{stop}", first.to_ascii_uppercase()))
    }

    /// What there is to see.
    #[must_use]
    pub fn view(&self, s: &Strings) -> Option<ShareView> {
        let dialog = self.dialog.as_ref()?;
        let is_link = dialog.source == Source::Link;
        let sheet = dialog.sheet.as_deref();
        let done = sheet.filter(|_| dialog.stage == Stage::Done);
        let verdict = done.and_then(|sheet| sheet.verdict.as_ref());
        let first_difference = match verdict {
            Some(Verdict::OutcomeDiffers { step, .. }) => *step,
            _ => None,
        };
        let setting = |sheet: &Sheet| {
            let cluster = &sheet.cluster;
            let election_ms = cluster.tick_ms * u64::from(cluster.election_ticks);
            s.lab_setting.of(
                &s.size_words.of(cluster.members),
                &cluster.tick_ms.to_string(),
                &election_ms.to_string(),
                &cluster.seed.to_string(),
            )
        };
        let steps = |sheet| step_views(sheet, done.is_some(), first_difference, s);
        let (heading, intro) = match dialog.source {
            Source::Here => (s.share_title, s.share_intro),
            Source::Link => (s.link_title, s.link_intro),
            Source::Text => (s.text_title, s.share_intro),
        };
        let tally = |sheet: &Sheet| {
            let all = sheet.met.saturating_add(sheet.unmet);
            let words = || s.share_tally.of(&sheet.met.to_string(), &all.to_string());
            (all > 0).then(|| (words(), sheet.unmet == 0))
        };
        Some(ShareView {
            is_link,
            heading,
            intro,
            tally: done.and_then(tally),
            title: escape::line(dialog.title.as_bytes()),
            setting: sheet.map(setting).unwrap_or_default(),
            steps: sheet.map(steps).unwrap_or_default(),
            stage: match &dialog.stage {
                Stage::Loading => StageView::Loading,
                Stage::Shown => StageView::Shown,
                Stage::Running => StageView::Running,
                Stage::Done => StageView::Done,
                Stage::Failed(reason) => {
                    StageView::Failed(escape::line(reason.of(s.language).as_bytes()))
                }
                Stage::NotLoaded(reason) => StageView::NotLoaded(reason.clone()),
            },
            is_exact: verdict == Some(&Verdict::Exact),
            verdict: match (verdict, done) {
                (Some(verdict), _) => Some(verdict_words(verdict, s)),
                (None, Some(_)) if is_link => Some(s.verdict_nothing.to_owned()),
                (None, _) => None,
            },
            link: done.and_then(|sheet| {
                let link = sheet.link.as_ref()?.as_ref();
                Some(link.cloned().map_err(|why| why.of(s.language).to_owned()))
            }),
            is_written: dialog.is_written(),
            warning: self.warning_of(s),
        })
    }
}

impl Dialog {
    fn ask(&mut self, call: u64, asked: Asked, question: Question) -> Effect {
        self.waits_for = Some((call, asked));
        Effect::AskLab { call, question }
    }

    /// Asks for the steps if there are none, else for a run.
    fn go_on(&mut self, call: u64) -> Effect {
        let Some(sheet) = &self.sheet else {
            self.stage = Stage::Loading;
            return self.ask(call, Asked::Steps, self.opening.clone());
        };
        self.stage = Stage::Running;
        let script = sheet.script.clone();
        let question = match self.source {
            Source::Here => Question::Play { script, is_own: true },
            Source::Link => Question::Play { script, is_own: false },
            Source::Text => Question::Check { script },
        };
        self.ask(call, Asked::Run, question)
    }

    fn take(&mut self, asked: Asked, sheet: Box<Sheet>, next: u64) -> Option<Effect> {
        match asked {
            Asked::Steps => {
                self.stage = Stage::Shown;
                self.warning.clone_from(&sheet.warning);
                self.written_title.clone_from(&sheet.title);
                if self.source != Source::Here {
                    self.title.clone_from(&sheet.title);
                }
                self.sheet = Some(sheet);
                return (self.source != Source::Link).then(|| self.go_on(next));
            }
            Asked::Run => {
                self.stage = Stage::Done;
                self.sheet = Some(sheet);
            }
            Asked::Title(title) => {
                self.written_title = title;
                if let Some(shown) = &mut self.sheet {
                    shown.script = sheet.script;
                    shown.link = sheet.link;
                }
            }
        }
        self.write_title(next)
    }

    fn is_written(&self) -> bool {
        self.sheet.is_some() && self.title == self.written_title
    }

    /// Asks for a script and a link with the title, once the lab has nothing else to do.
    fn write_title(&mut self, call: u64) -> Option<Effect> {
        let sheet = self.sheet.as_ref().filter(|_| self.stage == Stage::Done)?;
        if self.is_written() {
            self.waits_for = None;
            return None;
        }
        let title = self.title.clone();
        let question = Question::Rename { script: sheet.script.clone(), title: title.clone() };
        Some(self.ask(call, Asked::Title(title), question))
    }
}

fn verdict_words(verdict: &Verdict, s: &Strings) -> String {
    match verdict {
        Verdict::Exact => s.verdict_exact.to_owned(),
        Verdict::OutcomesEqual { made_by } => s.verdict_outcomes.of(*made_by),
        Verdict::TraceDiffers => s.verdict_trace.to_owned(),
        Verdict::OutcomeDiffers { line, made_by, .. } => {
            s.verdict_differs.of(&made_by.to_string(), &escape::clipped(line.as_bytes(), 120))
        }
    }
}

fn step_views(sheet: &Sheet, has_run: bool, differs: Option<u32>, s: &Strings) -> Vec<StepView> {
    let is_chinese = s.language.starts_with("zh");
    let mut number = 0_u32;
    let mut views = Vec::new();
    for (at, step) in (0..).zip(&sheet.steps) {
        if if is_chinese { step.is_not_chinese } else { step.is_not_english } {
            continue;
        }
        let text = |bytes| if has_run { escape::block(bytes) } else { String::new() };
        let (output, errors) = step.printed(is_chinese);
        number += u32::from(!step.is_prose);
        let (prose, line) = if step.is_prose {
            (prose::parse(&step.text), String::new())
        } else {
            (Vec::new(), escape::line(step.text.as_bytes()))
        };
        views.push(StepView {
            number: (!step.is_prose).then_some(number),
            prose,
            line,
            output: text(output),
            errors: text(errors),
            failure: step.failure.filter(|_| has_run),
            differs: differs == Some(at),
        });
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::strings::{EN, ZH};
    use crate::scenario::{ClusterSettings, LeftOut, Report, StepReport, answer};

    fn report() -> Report {
        let step = |line: &str, outcome: u64| StepReport {
            line: line.to_owned(),
            stdout: b"OK\n".to_vec(),
            status: Some(0),
            outcome,
            ..StepReport::default()
        };
        Report {
            steps: vec![
                step("> A *sentence*.", 1 << 48),
                step("put a 1", 2 << 48),
                step("put a 2", 3 << 48),
            ],
            outcome: 3 << 48,
            trace: 77,
            engine_trace: 1,
            ..Report::default()
        }
    }

    /// Lets the lab answer, also what it is asked because of the answer; a run gives this report.
    fn answer_all(share: &mut Share, first: Option<Effect>, report: &Report) {
        let mut next = 1000;
        let mut effect = first;
        while let Some(Effect::AskLab { call, question }) = effect {
            let result = answer(question, |_| report.clone());
            let said =
                result.map_or_else(LabAnswer::Refused, |sheet| LabAnswer::Sheet(Box::new(sheet)));
            next += 1;
            effect = share.hear(call, said, next);
        }
        assert!(effect.is_none());
    }

    fn steps() -> Question {
        let lines = ["> A *sentence*.", "put a 1", "put a 2"].map(str::to_owned).to_vec();
        Question::Compose {
            cluster: ClusterSettings::default(),
            lines,
            left_out: LeftOut::default(),
        }
    }

    fn opened_here() -> Share {
        let mut share = Share::default();
        let effect = share.open_here(steps(), 5);
        assert_eq!(share.view(&EN).unwrap().stage, StageView::Loading);
        answer_all(&mut share, Some(effect), &report());
        share
    }

    fn shared() -> String {
        let mut share = opened_here();
        let effect = share.set_title("Two puts", 6);
        answer_all(&mut share, effect, &report());
        share.view(&EN).unwrap().link.unwrap().unwrap()
    }

    fn opened(link: &str) -> Share {
        let mut share = Share::default();
        let effect = share.open_link(link, 1);
        assert!(share.is_link_open());
        answer_all(&mut share, Some(effect), &report());
        share
    }

    #[test]
    fn a_link_is_offered_after_the_lab_has_played_it_and_opens_to_the_same_steps() {
        let mut share = Share::default();
        let effect = share.open_here(steps(), 5);
        let Effect::AskLab { call, question } = effect else { panic!("the lab was not asked") };
        let sheet = Box::new(answer(question, |_| report()).unwrap());
        let run = share.hear(call, LabAnswer::Sheet(sheet), 6);
        let view = share.view(&EN).unwrap();
        assert_eq!((view.stage, view.link), (StageView::Running, None));
        assert_eq!(view.steps.len(), 3);
        assert!(matches!(
            run,
            Some(Effect::AskLab { question: Question::Play { is_own: true, .. }, .. })
        ));

        let share = opened(&shared());
        let view = share.view(&EN).unwrap();
        assert!(view.is_link);
        assert_eq!(view.title, "Two puts");
        assert_eq!(view.stage, StageView::Shown);
        let lines: Vec<&str> = view.steps.iter().map(|step| step.line.as_str()).collect();
        assert_eq!(lines, ["", "put a 1", "put a 2"]);
        assert!(share.is_link_open());
    }

    #[test]
    fn the_verdict_is_exact_or_names_the_first_answer_that_differs() {
        let link = shared();
        let run = |report: Report| {
            let mut share = opened(&link);
            let play = share.replay(9);
            assert!(play.is_some() && share.replay(10).is_none());
            assert!(share.hear(8, LabAnswer::Stopped("late".to_owned()), 11).is_none());
            assert_eq!(share.view(&EN).unwrap().stage, StageView::Running);
            answer_all(&mut share, play, &report);
            share.view(&EN).unwrap()
        };
        let view = run(report());
        assert!(view.is_exact && view.steps[1].output == "OK\n");
        let mut other_engine = report();
        other_engine.engine_trace = 2;
        other_engine.trace = 5;
        let view = run(other_engine);
        assert!(!view.is_exact && view.verdict.unwrap().contains("engine 1"));
        let mut differing = report();
        differing.steps[1].outcome = 9 << 48;
        differing.steps[2].outcome = 10 << 48;
        differing.outcome = 10 << 48;
        let view = run(differing);
        assert!(view.verdict.unwrap().contains("put a 1"));
        assert_eq!(
            view.steps.iter().map(|step| step.differs).collect::<Vec<_>>(),
            [false, true, false]
        );
    }

    #[test]
    fn a_written_text_is_played_at_once_compared_with_its_hashes_and_gets_a_link() {
        let mut share = Share::default();
        let text = "title: Mine\n> One\n>[zh] 一\nput a 1\nput a 2\n";
        let effect = share.open_text(text.to_owned(), 1);
        answer_all(&mut share, Some(effect), &report());
        let view = share.view(&EN).unwrap();
        assert_eq!((view.stage, view.is_link), (StageView::Done, false));
        assert_eq!((view.title.as_str(), view.verdict, view.steps.len()), ("Mine", None, 3));
        let chinese = share.view(&ZH).unwrap();
        assert_eq!(chinese.steps[0].prose, [Span::Text("一".to_owned())]);
        let link = view.link.unwrap().unwrap();
        assert_eq!(share.written_link(), u64::try_from(link.len()).ok());
        // A file has the hashes of that run in it.
        let (_, file) = share.file().unwrap();
        let file = String::from_utf8(file).unwrap();
        let mut again = Share::default();
        let effect = again.open_text(file.clone(), 1);
        answer_all(&mut again, Some(effect), &report());
        assert!(again.view(&EN).unwrap().is_exact);
        assert!(file.contains("\nexpect: outcome="));
        assert_eq!(again.script(), Some(&file));
        assert!(opened(&link).script().unwrap().ends_with("\nput a 1\nput a 2\n"));
        // What is no script says where, and what was expected.
        let mut broken = Share::default();
        let effect = broken.open_text("kill infra9".to_owned(), 1);
        answer_all(&mut broken, Some(effect), &report());
        let StageView::Failed(why) = broken.view(&EN).unwrap().stage else { panic!("it ran") };
        assert!(why.contains("line 1, column 6"), "{why}");
        assert_eq!(broken.script().map(String::as_str), Some("kill infra9"));
        assert!(!broken.is_link_open());
    }

    #[test]
    fn what_was_expected_is_counted() {
        let mut share = Share::default();
        let effect = share.open_text("> x\nput a 1\nexpect status is 0\n".to_owned(), 1);
        let mut found = report();
        found.steps[1].is_met = Some(true);
        found.steps[2].is_met = Some(false);
        answer_all(&mut share, Some(effect), &found);
        let (words, is_all) = share.view(&EN).unwrap().tally.unwrap();
        assert!(words.contains("1 of 2") && !is_all, "{words}");
    }

    #[test]
    fn a_broken_link_says_why_and_shows_no_steps() {
        let mut share = opened("s=!!!");
        let english = share.broken(&EN).unwrap();
        assert!(english.starts_with("The link is damaged at character 1"), "{english}");
        assert!(english.ends_with('.'), "{english}");
        let chinese = share.broken(&ZH).unwrap();
        assert!(chinese.contains("第 1 个字符") && !chinese.contains("damaged"), "{chinese}");
        assert!(share.view(&EN).is_none());
        assert!(share.is_link_open());
        assert!(share.close());
    }

    #[test]
    fn a_title_is_in_script_and_link_before_they_can_be_taken_and_an_older_answer_is_not_heard() {
        let mut share = opened_here();
        assert!(share.view(&EN).unwrap().is_written);
        let one = share.set_title("One", 10).unwrap();
        assert!(!share.view(&EN).unwrap().is_written && share.file().is_none());
        let two = share.set_title("One two", 11);
        let Effect::AskLab { call, question } = one else { panic!("the lab was not asked") };
        let sheet = Box::new(answer(question, |_| report()).unwrap());
        assert!(share.hear(call, LabAnswer::Sheet(sheet), 12).is_none());
        assert!(!share.view(&EN).unwrap().is_written);
        answer_all(&mut share, two, &report());
        let view = share.view(&EN).unwrap();
        assert!(view.is_written && view.steps[1].output == "OK\n");
        assert_eq!(opened(&view.link.unwrap().unwrap()).view(&EN).unwrap().title, "One two");
        let (name, bytes) = share.file().unwrap();
        assert_eq!(name, "one-two.txt");
        assert!(String::from_utf8(bytes).unwrap().contains("\ntitle: One two\n"));
    }

    #[test]
    fn a_lab_that_cannot_be_loaded_is_asked_again_and_a_title_typed_meanwhile_is_kept() {
        let mut share = Share::default();
        let Effect::AskLab { call, .. } = share.open_here(steps(), 1) else {
            panic!("the lab was not asked");
        };
        assert!(share.set_title("Kept", 2).is_none());
        assert!(share.replay(3).is_none(), "it is being asked");
        assert!(share.hear(call, LabAnswer::NotLoaded("404".to_owned()), 4).is_none());
        assert_eq!(share.view(&EN).unwrap().stage, StageView::NotLoaded("404".to_owned()));
        let again = share.replay(5);
        assert_eq!(share.view(&EN).unwrap().stage, StageView::Loading);
        answer_all(&mut share, again, &report());
        let view = share.view(&EN).unwrap();
        assert_eq!(view.stage, StageView::Done);
        assert_eq!(opened(&view.link.unwrap().unwrap()).view(&EN).unwrap().title, "Kept");
    }

    #[test]
    fn a_lab_that_stops_in_a_run_says_why_and_can_play_again() {
        let mut share = opened(&shared());
        let Some(Effect::AskLab { call, .. }) = share.replay(9) else {
            panic!("the lab was not asked");
        };
        share.hear(call, LabAnswer::Stopped("trap".to_owned()), 10);
        assert_eq!(share.view(&EN).unwrap().stage, StageView::Failed("trap".to_owned()));
        let again = share.replay(11);
        answer_all(&mut share, again, &report());
        assert!(share.view(&EN).unwrap().is_exact);
    }
}
