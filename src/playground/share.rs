//! Links: made from what was done, and opened from what somebody sent.
//!
//! What it is: the dialog's state: steps, the run in the lab, the verdict, the link.
//! What it is not: the lab; it is asked by effect and answers with a report.
//! Invariants: nothing runs before the steps were shown; a link is offered only after the lab has played
//! it; neither touches the saved cluster.

use crate::playground::edge::Effect;
use crate::playground::escape;
use crate::playground::strings::Strings;
use crate::playground::view::prose::{self, Span};
use crate::scenario::{self, Report, Script, Verdict, link};

/// Longest title. Unit: characters.
pub const TITLE_MAX: usize = 80;
/// Most of a step's output that is shown. Unit: characters.
const OUTPUT_SHOWN: u32 = 4000;

#[derive(Clone, Debug)]
enum Stage {
    Shown,
    Running { run: u64 },
    Done(Box<Report>),
    Failed(String),
}

#[derive(Clone, Debug)]
enum Source {
    /// What was done here.
    Here,
    /// A link that somebody sent.
    Link,
}

#[derive(Clone, Debug)]
struct Dialog {
    source: Source,
    script: Script,
    stage: Stage,
    link: Option<Result<String, String>>,
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
    /// The steps are shown; nothing has run.
    Shown,
    /// It runs in the lab.
    Running,
    /// It has run.
    Done,
    /// It could not run, with the reason.
    Failed(String),
}

/// The dialog as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareView {
    /// True: somebody's link is open; false: what was done here is shared.
    pub is_link: bool,
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
    /// The fragment without `#`, or why there is none.
    pub link: Option<Result<String, String>>,
    /// Steps were left out, or the cluster was not fresh.
    pub warning: Option<String>,
}

/// The dialog.
#[derive(Clone, Debug, Default)]
pub struct Share {
    dialog: Option<Dialog>,
    broken: Option<String>,
    warning: Option<String>,
}

impl Share {
    /// True if somebody's link is shown, or one that cannot be read.
    #[must_use]
    pub fn is_link_open(&self) -> bool {
        self.broken.is_some()
            || self.dialog.as_ref().is_some_and(|dialog| matches!(dialog.source, Source::Link))
    }

    /// Shows the steps of somebody's link, or why it cannot be read.
    pub fn open_link(&mut self, fragment: &str) {
        *self = Self::default();
        match link::open(fragment) {
            Ok(script) => {
                self.dialog =
                    Some(Dialog { source: Source::Link, script, stage: Stage::Shown, link: None });
            }
            Err(error) => self.broken = Some(error.to_string()),
        }
    }

    /// Shows what was done here and plays it in the lab.
    pub fn open_here(&mut self, script: Script, warning: Option<String>, run: u64) -> Effect {
        let text = script.to_string();
        self.broken = None;
        self.warning = warning;
        let stage = Stage::Running { run };
        self.dialog = Some(Dialog { source: Source::Here, script, stage, link: None });
        Effect::RunLab { run, script: text }
    }

    /// The title was edited; the link is written anew.
    pub fn set_title(&mut self, title: &str) {
        if let Some(dialog) = &mut self.dialog {
            dialog.script.title =
                title.chars().filter(|c| !c.is_control()).take(TITLE_MAX).collect();
            dialog.write_link();
        }
    }

    /// Plays what is shown in the lab.
    pub fn replay(&mut self, run: u64) -> Option<Effect> {
        let dialog = self.dialog.as_mut()?;
        if matches!(dialog.stage, Stage::Running { .. }) {
            return None;
        }
        dialog.stage = Stage::Running { run };
        Some(Effect::RunLab { run, script: dialog.script.to_string() })
    }

    /// The lab has finished.
    pub fn lab_done(&mut self, run: u64, result: &Result<Report, String>) {
        let Some(dialog) = &mut self.dialog else { return };
        if !matches!(dialog.stage, Stage::Running { run: own } if own == run) {
            return;
        }
        match result {
            Err(reason) => dialog.stage = Stage::Failed(reason.clone()),
            Ok(report) => {
                if matches!(dialog.source, Source::Here) {
                    dialog.script.expected = Some(report.expected());
                }
                dialog.stage = Stage::Done(Box::new(report.clone()));
                dialog.write_link();
            }
        }
    }

    /// The script as a file.
    #[must_use]
    pub fn file(&self) -> Option<(String, Vec<u8>)> {
        let script = &self.dialog.as_ref()?.script;
        let name = escape::file_stem(&script.title, "etcd-playground");
        Some((format!("{name}.txt"), script.to_string().into_bytes()))
    }

    /// Closes it. Returns true if somebody's link was open.
    pub fn close(&mut self) -> bool {
        let was_link = self.is_link_open();
        *self = Self::default();
        was_link
    }

    /// A link that cannot be read: why.
    #[must_use]
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// What there is to see.
    #[must_use]
    pub fn view(&self, s: &Strings) -> Option<ShareView> {
        let dialog = self.dialog.as_ref()?;
        let report = match &dialog.stage {
            Stage::Done(report) => Some(report.as_ref()),
            Stage::Shown | Stage::Running { .. } | Stage::Failed(_) => None,
        };
        let played = report.filter(|_| matches!(dialog.source, Source::Link));
        let expected = dialog.script.expected.as_ref();
        let verdict = played.zip(expected).map(|(report, expected)| report.compare(expected));
        let first_difference = match &verdict {
            Some(Verdict::OutcomeDiffers { step, .. }) => *step,
            _ => None,
        };
        let cluster = &dialog.script.cluster;
        Some(ShareView {
            is_link: matches!(dialog.source, Source::Link),
            title: escape::line(dialog.script.title.as_bytes()),
            setting: (s.lab_setting)(
                cluster.members,
                cluster.tick_ms,
                cluster.tick_ms * u64::from(cluster.election_ticks),
                cluster.seed,
            ),
            steps: step_views(&dialog.script, report, first_difference),
            stage: match &dialog.stage {
                Stage::Shown => StageView::Shown,
                Stage::Running { .. } => StageView::Running,
                Stage::Done(_) => StageView::Done,
                Stage::Failed(reason) => StageView::Failed(reason.clone()),
            },
            is_exact: verdict == Some(Verdict::Exact),
            verdict: match (&verdict, played) {
                (Some(verdict), _) => Some(verdict_words(verdict, s)),
                (None, Some(_)) => Some(s.verdict_nothing.to_owned()),
                (None, None) => None,
            },
            link: dialog.link.clone(),
            warning: self.warning.clone(),
        })
    }
}

impl Dialog {
    fn write_link(&mut self) {
        if matches!(self.stage, Stage::Done(_)) {
            self.link = Some(link::write(&self.script).map_err(|error| error.to_string()));
        }
    }
}

fn verdict_words(verdict: &Verdict, s: &Strings) -> String {
    match verdict {
        Verdict::Exact => s.verdict_exact.to_owned(),
        Verdict::OutcomesEqual { made_by } => (s.verdict_outcomes)(*made_by),
        Verdict::TraceDiffers => s.verdict_trace.to_owned(),
        Verdict::OutcomeDiffers { line, made_by, .. } => {
            (s.verdict_differs)(*made_by, &escape::clipped(line.as_bytes(), 120))
        }
    }
}

fn step_views(script: &Script, report: Option<&Report>, differs: Option<usize>) -> Vec<StepView> {
    let mut number = 0_u32;
    let mut views = Vec::new();
    for (at, step) in script.steps.iter().enumerate() {
        let is_narration = matches!(step.action, scenario::Action::Narration(_));
        let found = report.and_then(|report| report.steps.get(at));
        let text = |bytes: &[u8]| escape::block(bytes).chars().take(limit()).collect::<String>();
        let mut output = found.map(|found| text(&found.stdout)).unwrap_or_default();
        for (label, bytes) in found.map(|found| found.background.as_slice()).unwrap_or_default() {
            output.push_str(&format!("[{label}] {}", text(bytes)));
        }
        let (prose, line) = match &step.action {
            scenario::Action::Narration(text) => (prose::parse(text), String::new()),
            action => (Vec::new(), escape::line(action.to_string().as_bytes())),
        };
        number += u32::from(!is_narration);
        views.push(StepView {
            number: (!is_narration).then_some(number),
            prose,
            line,
            output,
            errors: found.map(|found| text(&found.stderr)).unwrap_or_default(),
            failure: found.and_then(|found| found.status).filter(|status| *status != 0),
            differs: differs == Some(at),
        });
    }
    views
}

fn limit() -> usize {
    usize::try_from(OUTPUT_SHOWN).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::strings::EN;
    use crate::scenario::StepReport;

    fn script() -> Script {
        Script::parse("title: Two puts\n> A *sentence*.\nput a 1\nput a 2\n").unwrap()
    }

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

    fn shared() -> String {
        let mut share = Share::default();
        let Effect::RunLab { run, .. } = share.open_here(script(), None, 5) else {
            panic!("the lab was not asked");
        };
        assert!(share.view(&EN).unwrap().link.is_none());
        share.lab_done(run, &Ok(report()));
        share.view(&EN).unwrap().link.unwrap().unwrap()
    }

    #[test]
    fn a_link_is_offered_after_the_lab_has_played_it_and_opens_to_the_same_steps() {
        let link = shared();
        let mut share = Share::default();
        share.open_link(&link);
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
            let mut share = Share::default();
            share.open_link(&link);
            assert!(share.replay(9).is_some());
            assert!(share.replay(10).is_none());
            share.lab_done(8, &Ok(report.clone()));
            assert_eq!(share.view(&EN).unwrap().stage, StageView::Running);
            share.lab_done(9, &Ok(report));
            share.view(&EN).unwrap()
        };
        assert!(run(report()).is_exact);
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
    fn a_broken_link_says_why_and_shows_no_steps() {
        let mut share = Share::default();
        share.open_link("s=!!!");
        assert!(share.broken().is_some());
        assert!(share.view(&EN).is_none());
        assert!(share.is_link_open());
        assert!(share.close());
    }
}
