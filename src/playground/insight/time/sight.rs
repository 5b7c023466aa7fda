//! What there is to see of it all.
//!
//! Invariants: those of the module above; of sentences for the reader those of one language are shown.

use std::sync::Arc;

use super::picture::{self, Texts};
use super::view::{
    ComparisonView, ControlsView, EndView, HappeningRow, TimeStage, TimeView, TimelineView,
};
use super::words;
use super::{Compared, Name, Run, Stage, TimeState, count};
use crate::scenario::moment::{Changed, Happening, Moment};

/// Rows of a list while a run passes so fast that nobody can read it. Unit: rows. Source: ours; what fits without scrolling.
const RUSH_ROWS: usize = 12;

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
            view.plan = words::plan(&run.opened.plan, self.strings());
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
            Some(Name::Link(_)) => title.unwrap_or_else(|| s.link_name.to_owned()),
            Some(Name::Script) => title.unwrap_or_else(|| s.script_name.to_owned()),
            Some(Name::Session) => s.session_name.to_owned(),
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
            is_rushing: self.is_rushing(),
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
        let current = run.script.current(moment);
        let step = current.map(|at| (s.step_of)(number(at + 1), count(&run.script.rows)));
        let (steps, marks) = self.rows(run, moment);
        let chosen = lane.chosen.and_then(|id| steps.iter().position(|row| row.id == id));
        let (most, some) = if self.is_rushing() {
            (RUSH_ROWS, moment.flights.len().saturating_sub(RUSH_ROWS))
        } else {
            (usize::MAX, 0)
        };
        let more = moment.more_flights.saturating_add(number(some));
        Some(TimelineView {
            name: NAMES.get(at).copied().unwrap_or_default(),
            place: words::place(moment, s),
            step: step.unwrap_or_default(),
            changes: moment.changes.iter().map(|it| self.change_words(it, moment)).collect(),
            picture: picture::picture(moment, self.texts()),
            members: picture::members(moment, self.texts()),
            cuts: picture::cuts(moment, s),
            flights: Arc::new(picture::flights(moment, self.texts(), most)),
            more_flights: if more > 0 { (s.flights_more)(more) } else { String::new() },
            logs: picture::logs(moment, self.texts(), self.is_rushing()),
            happenings: self.happenings(run, moment, most),
            steps,
            marks,
            chosen,
            current,
            printed: self.printed(run, lane),
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

    fn happenings(&self, run: &Run, moment: &Moment, most: usize) -> Vec<HappeningRow> {
        let first = run.first_difference();
        let mut rows: Vec<HappeningRow> = Vec::new();
        let mut place = 0;
        for it in words::worth_telling(moment) {
            let is_same = rows.last().is_some_and(|row| row.event == it.event);
            place = if is_same { place + 1 } else { 0 };
            rows.push(self.happening(it, place, first, moment));
        }
        rows.reverse();
        rows.truncate(most);
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

    /// A run that was written to teach: what fails in it is meant to fail.
    pub(super) fn is_taught(&self) -> bool {
        self.wish.as_ref().is_some_and(|wish| matches!(wish.name, Name::File(..)))
    }

    fn end(&self, moment: &Moment) -> Option<EndView> {
        let s = self.strings();
        let ending = moment.ending.as_ref().filter(|_| moment.is_end)?;
        let (kind, verdict) = words::verdict(ending, self.is_taught(), s);
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

fn number(at: usize) -> u64 {
    u64::try_from(at).unwrap_or(u64::MAX)
}
