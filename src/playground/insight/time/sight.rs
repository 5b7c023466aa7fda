//! What there is to see of it all.
//!
//! Invariants: those of the module above; of sentences for the reader those of one language are shown.

use super::picture::{self, Texts};
use super::view::{
    ComparisonView, ControlsView, EndView, HappeningRow, StepRow, TimeStage, TimeView, TimelineView,
};
use super::words;
use super::{Compared, Lane, Name, Run, Spoken, Stage, TimeState};
use crate::playground::escape;
use crate::playground::view::prose;
use crate::scenario::SheetStep;
use crate::scenario::moment::{Changed, Happened, Happening, Moment};

/// The names of the timelines.
const NAMES: [&str; 2] = ["A", "B"];

impl TimeState {
    fn texts(&self) -> Texts {
        Texts { own: self.strings(), shared: self.shared() }
    }

    /// What there is to see.
    #[must_use]
    pub fn view(&self) -> TimeView {
        let mut view = TimeView {
            stage: self.stage_view(),
            shelf: self.shelf.view(self.spoken, self.strings()),
            title: self.title(),
            hint: match self.stage {
                Stage::NotLoaded(_) => self.strings().not_loaded_hint,
                _ => self.strings().failed_hint,
            },
            can_retry: self.wish.as_ref().is_some_and(|wish| wish.source.is_none()),
            told: self.told.words.clone(),
            notice: self.notice.clone(),
            is_late: self.is_late(),
            ..TimeView::default()
        };
        if let Some(run) = self.run.as_ref().filter(|_| self.stage == Stage::Open) {
            view.plan = words::cut(&run.opened.plan);
            view.controls = self.controls(run);
            view.lanes = (0..run.lanes.len()).filter_map(|at| self.lane(run, at)).collect();
            view.comparison = self.comparison(run);
        }
        view
    }

    fn stage_view(&self) -> TimeStage {
        let s = self.strings();
        match &self.stage {
            Stage::Shelf => TimeStage::Shelf,
            Stage::Opening => TimeStage::Loading((s.loading)(&self.title())),
            Stage::Open => TimeStage::Open,
            Stage::NotLoaded(reason) => TimeStage::Failed(s.not_loaded, (s.failed)(reason)),
            Stage::Failed(reason) => TimeStage::Failed(s.failed_title, (s.failed)(reason)),
            Stage::Refused(reason) => TimeStage::Refused(reason.clone()),
        }
    }

    fn title(&self) -> String {
        let s = self.strings();
        let title = self.run.as_ref().map(|run| words::cut(&run.opened.title));
        let title = title.filter(|title| !title.is_empty());
        match self.wish.as_ref().map(|wish| &wish.name) {
            None => String::new(),
            Some(Name::File(folder, file)) => self.shelf.title(*folder, file, self.spoken),
            Some(Name::Link) => title.unwrap_or_else(|| s.link_name.to_owned()),
            Some(Name::Script) => title.unwrap_or_else(|| s.script_name.to_owned()),
            Some(Name::Seed(seed)) => (s.seed_name)(*seed),
        }
    }

    fn controls(&self, run: &Run) -> ControlsView {
        let Some(lane) = run.lanes.get(run.leading()) else { return ControlsView::default() };
        let moment = &lane.moment;
        let (high, value) = if run.is_timed() {
            let ends = run.lanes.iter().map(|it| it.moment.known_until.max(it.moment.now).0);
            (ends.max().unwrap_or_default(), run.now().0)
        } else {
            (moment.known.max(moment.event), moment.event)
        };
        // What follows is behind its leader for a moment.
        let all = || run.lanes.iter().filter(|_| run.is_timed());
        ControlsView {
            is_playing: self.is_playing(),
            is_at_start: moment.event == 0 && all().all(|it| it.moment.event == 0),
            is_at_end: run.is_over(),
            has_steps: !run.opened.steps.is_empty(),
            speed: self.speed,
            high,
            value,
            is_timed: run.is_timed(),
            place: words::place(moment, self.strings()),
            moves: run.moves,
        }
    }

    fn lane(&self, run: &Run, at: usize) -> Option<TimelineView> {
        let s = self.strings();
        let lane = run.lanes.get(at)?;
        let moment = &lane.moment;
        let all = u64::try_from(run.opened.steps.len()).unwrap_or(u64::MAX);
        let step = match moment.step {
            0 => String::new(),
            step => (s.step_of)(u64::from(step), all),
        };
        let more = moment.more_flights;
        Some(TimelineView {
            name: NAMES.get(at).copied().unwrap_or_default(),
            place: words::place(moment, s),
            step,
            changes: moment.changes.iter().map(|it| self.change_words(it, moment)).collect(),
            picture: picture::picture(moment, self.texts()),
            members: picture::members(moment, self.texts()),
            cuts: picture::cuts(moment, s),
            flights: picture::flights(moment, self.texts()),
            more_flights: if more > 0 { (s.flights_more)(more) } else { String::new() },
            logs: picture::logs(moment, self.texts()),
            happenings: self.happenings(run, moment),
            steps: self.steps(run, lane),
            has_script: !run.opened.steps.is_empty(),
            end: self.end(moment),
            is_busy: self.is_late(),
        })
    }

    fn change_words(&self, changed: &Changed, moment: &Moment) -> String {
        let s = self.strings();
        let what = match &changed.said {
            Some(said) => words::cut(&self.said(said)),
            None => words::change(&changed.change, moment, s),
        };
        (s.change_at)(&(s.change_event)(changed.at), &what)
    }

    fn happenings(&self, run: &Run, moment: &Moment) -> Vec<HappeningRow> {
        let first = run.first_difference();
        let mut rows: Vec<HappeningRow> = Vec::new();
        let mut place = 0;
        // Whoever comes up says itself that it starts.
        for it in moment.happenings.iter().filter(|it| !matches!(it.what, Happened::Up(_))) {
            let is_same = rows.last().is_some_and(|row| row.event == it.event);
            place = if is_same { place + 1 } else { 0 };
            rows.push(self.happening(it, place, first, moment));
        }
        rows.reverse();
        rows
    }

    fn happening(
        &self,
        it: &Happening,
        place: u32,
        first: Option<u64>,
        moment: &Moment,
    ) -> HappeningRow {
        let (kind, words) = words::happened(&it.what, moment, self);
        HappeningRow {
            key: format!("{}.{place} {words}", it.event),
            event: it.event,
            time: words::time(it.at.0),
            words,
            kind,
            is_different: first.is_some_and(|first| it.event >= first),
        }
    }

    fn steps(&self, run: &Run, lane: &Lane) -> Vec<StepRow> {
        let moment = &lane.moment;
        let shows = self.shows(&run.opened.steps);
        let numbered = (0_u32..).zip(&run.opened.steps);
        let shown = numbered.filter(|(_, step)| shows(step));
        let row = |(at, step): (u32, &SheetStep)| {
            let told = moment.told.iter().find(|(number, _)| *number == at).map(|(_, it)| it);
            let failure = told.and_then(|told| told.failure);
            let (line, prose) = if step.is_prose {
                (String::new(), prose::parse(&step.text))
            } else {
                (line_of(step), Vec::new())
            };
            StepRow {
                number: u64::from(at) + 1,
                line,
                prose,
                is_current: at + 1 == moment.step,
                is_here: begun(moment, at) == Some(moment.event),
                is_done: at + 1 < moment.step,
                output: told.map(|it| escape::block(&it.output)).unwrap_or_default(),
                errors: told.map(|it| escape::block(&it.errors)).unwrap_or_default(),
                failure: failure.map(self.strings().step_failed).unwrap_or_default(),
            }
        };
        let mut rows: Vec<StepRow> = shown.map(row).collect();
        rows.extend(moment.own.iter().map(|(number, step)| self.own(*number, step)));
        rows
    }

    /// What a change's command printed, behind the script.
    fn own(&self, number: u32, step: &SheetStep) -> StepRow {
        StepRow {
            // It has no place in the script.
            number: 0,
            line: format!("+{} {}", number.saturating_add(1), escape::line(step.text.as_bytes())),
            prose: Vec::new(),
            is_current: false,
            is_here: false,
            is_done: true,
            output: escape::block(&step.output),
            errors: escape::block(&step.errors),
            failure: step.failure.map(self.strings().step_failed).unwrap_or_default(),
        }
    }

    /// Which steps are for readers of this language: sentences in another one are left out.
    fn shows(&self, steps: &[SheetStep]) -> impl Fn(&SheetStep) -> bool + use<> {
        let has_chinese = steps.iter().any(|step| step.language.starts_with("zh"));
        let wants_chinese = self.spoken == Spoken::Chinese && has_chinese;
        move |step: &SheetStep| {
            let is_its = match step.language.as_str() {
                "" => !wants_chinese || !is_said(step),
                tag => wants_chinese && tag.starts_with("zh"),
            };
            is_its && !step.text.is_empty()
        }
    }

    fn end(&self, moment: &Moment) -> Option<EndView> {
        let s = self.strings();
        let ending = moment.ending.as_ref().filter(|_| moment.is_end)?;
        let (kind, verdict) = words::verdict(ending, s);
        let hash = |hash: u64| format!("{hash:016x}");
        Some(EndView {
            at: (s.end_at)(&words::time(ending.now.0)),
            verdict,
            kind,
            hashes: (s.hashes)(&hash(ending.outcome), &hash(ending.trace)),
        })
    }

    fn comparison(&self, run: &Run) -> Option<ComparisonView> {
        let s = self.strings();
        let (Some(one), Some(other)) = (run.lanes.first(), run.lanes.get(1)) else { return None };
        let plain = |sentence: &str| ComparisonView {
            sentence: sentence.to_owned(),
            ..ComparisonView::default()
        };
        if !run.differ() {
            return Some(plain(s.same_so_far));
        }
        let comparison = match &run.comparison {
            Compared::There(comparison) => comparison,
            Compared::Not | Compared::Asked => return Some(plain(s.computing)),
            Compared::Refused => return Some(plain(s.outcomes_unknown)),
        };
        let outcome = words::outcome(comparison, &other.moment, s);
        let Some(first) = &comparison.first else {
            return Some(ComparisonView { outcome, ..plain(s.same_to_the_end) });
        };
        let at = first.one_at.or(first.other_at).unwrap_or_default();
        Some(ComparisonView {
            sentence: (s.first_difference)(&words::time(at.0), &first.event.to_string()),
            sides: words::sides(first, [&one.moment, &other.moment], s),
            outcome,
            has_difference: true,
        })
    }
}

/// The moment at which a step began.
fn begun(moment: &Moment, step: u32) -> Option<u64> {
    moment.begun.iter().find(|it| it.step == step).map(|it| it.event)
}

/// True of what is said to readers, in whichever language.
fn is_said(step: &SheetStep) -> bool {
    let word = step.text.split(' ').next().unwrap_or_default();
    step.is_prose || matches!(word, "part" | "hint" | "means" | "ask")
}

/// A step as the script has it; whose language a sentence is in goes without saying.
fn line_of(step: &SheetStep) -> String {
    let tag = format!("[{}] ", step.language);
    let text = match step.text.split_once(&tag) {
        Some((word, rest)) if !step.language.is_empty() => format!("{word} {rest}"),
        _ => step.text.clone(),
    };
    escape::block(text.as_bytes())
}
