//! What a reader does with the shown part, what is judged of it, and what there is to see.
//!
//! Invariants: those of the module above.

use super::{
    Fetched, GoalView, Key, Language, LessonAsk, LessonLine, LessonPiece, LessonRow, LessonState,
    LessonView, Lessons, Line, Millis, Next, Part, PartDot, PartView, Piece, Preparation,
    PrepareState, Progress, Proof, Purpose, QueryView, Reader, ReplyVerdict, Under, Way, Wish,
    book, count, place_of,
};
use crate::api;
use crate::playground::strings::Language as Spoken;
use crate::playground::view::prose::Span;
use crate::scenario::{Answer, Told, is_right};
use crate::types::SmallSet;

/// Between two proofs that failed. Unit: ms. Source: ours.
const PROOF_AGAIN_MS: u64 = 3_000;

fn flat(spans: &[Span]) -> String {
    let text = |span: &Span| match span {
        Span::Text(text) | Span::Code(text) | Span::Emphasis(text) => text.clone(),
    };
    spans.iter().map(text).collect()
}

impl Lessons {
    /// Opens or closes the list of lessons.
    pub const fn toggle_list(&mut self) {
        self.is_list_open = !self.is_list_open;
    }

    /// Shows this lesson where the reader left it.
    pub fn choose(&mut self, lesson: u32) {
        let part = self.progress.places.get(&lesson).map_or(1, |place| place.shown);
        self.go(lesson, part, Some(true));
    }

    /// Shows this part of the lesson, from 1.
    pub fn show_part(&mut self, part: u32) {
        if (1..=count(&self.parts)).contains(&part) && part != self.shown() {
            self.go(self.open, part, Some(true));
        }
    }

    /// Shows the part before.
    pub fn back(&mut self) {
        self.show_part(self.shown().saturating_sub(1));
    }

    /// Shows the next part, or the next lesson after the last one.
    pub fn forward(&mut self) {
        if self.shown() < count(&self.parts) {
            self.show_part(self.shown() + 1);
        } else if let Some(next) = self.next_lesson() {
            self.choose(next);
        }
    }

    fn next_lesson(&self) -> Option<u32> {
        self.entries().iter().map(|entry| entry.number).filter(|number| *number > self.open).min()
    }

    /// Shows or hides the hints.
    pub const fn toggle_hints(&mut self) {
        self.desk.shows_hints = !self.desk.shows_hints;
    }

    /// Shows or hides the solution.
    pub const fn toggle_solution(&mut self) {
        self.desk.shows_solution = !self.desk.shows_solution;
    }

    /// The shown part begins anew: its goals count from now.
    pub fn restart(&mut self) {
        let shown = self.shown();
        let place = self.progress.place(self.open);
        place.done.remove(&shown);
        place.met.remove(&shown);
        self.under = None;
        self.leave();
        self.settle();
        self.remember();
    }

    /// Asks for a cluster as the lesson wants it.
    pub fn start_fresh(&mut self) {
        if let Some(script) = self.script() {
            let members = script.cluster.members;
            let settings = Wish::of(script).settings;
            self.wants_first = true;
            self.asks.push(LessonAsk::NewCluster { members, settings });
        }
    }

    /// Shows what was done as a link.
    pub fn share(&mut self) {
        self.asks.push(LessonAsk::Share);
    }

    /// Offers all progress as a file.
    pub fn export(&mut self) {
        let text = format!("{}\n", self.progress.to_text());
        self.asks.push(LessonAsk::Save("etcd-lessons.txt".to_owned(), text));
    }

    /// Takes progress from a file.
    pub fn import(&mut self, text: &str) {
        let read = Progress::parse(text);
        let strings = self.strings();
        self.notice = Some(if read.is_some() { strings.imported } else { strings.not_imported });
        if let Some(other) = read {
            self.progress.join(&other);
            self.remember();
        }
    }

    /// Runs what the lesson prepares.
    pub fn prepare(&mut self) {
        if self.desk.prepare == PrepareState::Runs {
            return;
        }
        let Some(part) = self.part() else { return };
        self.preparation = part.preparation.iter().cloned().collect();
        self.desk.prepare = PrepareState::Runs;
        self.is_typed = false;
        self.prepare_on();
        self.settle();
    }

    /// Goes on with what is prepared, as far as it can.
    pub(super) fn prepare_on(&mut self) {
        while self.desk.prepare == PrepareState::Runs && !self.is_typed {
            match self.preparation.front().cloned() {
                None => self.desk.prepare = PrepareState::Ended,
                Some(Preparation::Run(line)) => {
                    self.is_typed = line.console == 1 && line.way == Way::Type;
                    self.type_line(&line);
                    self.preparation.pop_front();
                }
                Some(Preparation::Wait(claim, limit_ms)) => {
                    let until = self
                        .wait_until
                        .unwrap_or_else(|| Millis(self.now.0.saturating_add(limit_ms)));
                    if !self.scene.holds(&claim, None) && self.now < until {
                        self.wait_until = Some(until);
                        return;
                    }
                    self.wait_until = None;
                    self.preparation.pop_front();
                }
                Some(Preparation::Mark) => {
                    self.scene.mark();
                    self.begin_goals();
                    self.preparation.pop_front();
                }
            }
        }
    }

    /// Runs the line of this number of the shown part.
    pub fn run(&mut self, id: u32) {
        let Some(part) = self.part() else { return };
        let line = lines(part).nth(usize::try_from(id).unwrap_or(usize::MAX)).cloned();
        if let Some(line) = line {
            self.type_line(&line);
        }
    }

    fn type_line(&mut self, line: &Line) {
        let console = line.console;
        let key = |line: String, key| LessonAsk::Type { console, line, key };
        let ask = match line.way {
            Way::Type => key(line.text.clone(), Key::Enter),
            Way::End => key(String::new(), Key::End),
            Way::Interrupt => key(String::new(), Key::Interrupt),
        };
        self.asks.push(ask);
    }

    /// What was written in the field of a question, from 0.
    pub fn set_reply(&mut self, at: u32, text: String) {
        self.desk.replies.insert(at, text);
    }

    /// Judges the answer to a question, from 0.
    pub fn reply(&mut self, at: u32) {
        let place = usize::try_from(at).unwrap_or(usize::MAX);
        let has_reply = self.desk.replies.get(&at).is_some_and(|text| !text.trim().is_empty());
        let answer = self.part().and_then(|part| part.queries.get(place));
        let Some(answer) = answer.map(|query| query.answer.clone()).filter(|_| has_reply) else {
            return;
        };
        let asks = matches!(&answer, Answer::Whether(claim) if claim.asks());
        if asks {
            self.set_verdict(place, ReplyVerdict::Checking);
            self.start_proof(Purpose::Query(place));
        } else {
            self.judge_reply(place, None);
        }
    }

    fn judge_reply(&mut self, place: usize, writes: Option<&Result<u64, Told>>) {
        let Some(query) = self.part().and_then(|part| part.queries.get(place)) else { return };
        let right = self.scene.answer(&query.answer, writes);
        let at = u32::try_from(place).unwrap_or(u32::MAX);
        let reply = self.desk.replies.get(&at).map(String::as_str).unwrap_or_default();
        let is_right = is_right(&right, reply);
        self.set_verdict(place, if is_right { ReplyVerdict::Right } else { ReplyVerdict::Wrong });
    }

    fn set_verdict(&mut self, place: usize, verdict: ReplyVerdict) {
        if self.desk.verdicts.len() <= place {
            self.desk.verdicts.resize(place + 1, ReplyVerdict::None);
        }
        if let Some(its) = self.desk.verdicts.get_mut(place) {
            *its = verdict;
        }
    }

    fn start_proof(&mut self, purpose: Purpose) {
        let proof = Proof::new(Reader::Lesson, self.scene.witness.writes());
        self.proof = Some((purpose, proof));
        self.prove_on();
    }

    fn prove_on(&mut self) {
        let Some((_, proof)) = &self.proof else { return };
        match proof.next(&self.scene.world) {
            Next::Ask(ask) => self.asks.push(ask),
            Next::Ended(result) => self.end_proof(&result),
        }
    }

    pub(super) fn proved(&mut self, answer: Option<Result<api::Response, api::Error>>) {
        let Some((_, proof)) = &mut self.proof else { return };
        match proof.hear(answer) {
            Ok(()) => self.prove_on(),
            Err(reason) => self.end_proof(&Err(reason)),
        }
    }

    fn end_proof(&mut self, result: &Result<u64, Told>) {
        let Some((purpose, _)) = self.proof.take() else { return };
        match purpose {
            Purpose::Query(place) => self.judge_reply(place, Some(result)),
            Purpose::Goals => {
                self.proof_after = Millis(self.now.0.saturating_add(PROOF_AGAIN_MS));
                self.judge(Some(result));
            }
        }
    }

    /// The goals of the shown part count from now on.
    fn begin_goals(&mut self) {
        let (lesson, shown) = (self.open, self.shown());
        let Some(part) = self.part() else { return };
        let held: Vec<bool> = part
            .goals
            .iter()
            .map(|goal| !goal.claim.asks() && self.scene.holds(&goal.claim, None))
            .collect();
        let known = self.place().and_then(|place| place.met.get(&shown));
        let is_known = |at: u32| known.is_some_and(|goals| goals.contains(&at));
        let met = (0..count(&held)).map(is_known).collect();
        self.under = Some(Under { lesson, part: shown, held, met });
    }

    /// Begins the shown part if it can begin, and judges.
    pub(super) fn settle(&mut self) {
        if !self.is_known || self.parts.is_empty() || self.made.is_none() {
            return;
        }
        let (lesson, shown) = (self.open, self.shown());
        let is_under =
            self.under.as_ref().is_some_and(|it| (it.lesson, it.part) == (lesson, shown));
        if !is_under && !self.is_done(shown) && self.scene.world.leader().is_some() {
            self.scene.mark();
            self.begin_goals();
            if self.scene.revision() <= 1 && self.fits() {
                self.progress.owner = Some(lesson);
            }
            self.remember();
        }
        self.judge(None);
    }

    /// Judges the goals of the part under way.
    fn judge(&mut self, writes: Option<&Result<u64, Told>>) {
        let Some(mut under) = self.under.take_if(|under| under.lesson == self.open) else { return };
        let goals = self.parts.get(place_of(under.part)).map(|part| part.goals.clone());
        let (mut is_done, mut asks, mut all_but_asking) = (true, false, true);
        let mut is_new = false;
        let places = under.met.iter_mut().zip(&mut under.held);
        for (goal, (met, held)) in goals.unwrap_or_default().iter().zip(places) {
            let is_asking = goal.claim.asks();
            let holds =
                *met || ((!is_asking || writes.is_some()) && self.scene.holds(&goal.claim, writes));
            // What held from the beginning counts with the last of the others.
            *held &= holds;
            if holds && !*met && !*held && !is_asking {
                *met = true;
                is_new = true;
                self.told = (self.strings().now_met)(&flat(&goal.means));
            }
            is_done &= holds;
            asks |= is_asking && !holds;
            all_but_asking &= holds || is_asking;
        }
        let (lesson, part) = (under.lesson, under.part);
        if is_new {
            let mut kept = SmallSet::new();
            for (_, at) in under.met.iter().zip(0_u32..).filter(|(is_met, _)| **is_met) {
                kept.insert(at);
            }
            self.progress.place(lesson).met.insert(part, kept);
            self.remember();
        }
        self.under = Some(under);
        if is_done {
            self.part_done(lesson, part);
        } else if asks
            && all_but_asking
            && writes.is_none()
            && self.proof.is_none()
            && self.now >= self.proof_after
        {
            self.start_proof(Purpose::Goals);
        }
    }

    fn part_done(&mut self, lesson: u32, part: u32) {
        let is_last = part >= count(&self.parts);
        let strings = self.strings();
        self.told = if is_last { strings.lesson_done } else { strings.part_done }.to_owned();
        self.under = None;
        let place = self.progress.place(lesson);
        place.done.insert(part);
        place.met.remove(&part);
        self.remember();
    }

    /// The cluster was made as the lesson wants it.
    fn fits(&self) -> bool {
        let (Some(script), Some(made)) = (self.script(), &self.made) else { return false };
        let settings = Wish::of(script).settings;
        made.members == script.cluster.members
            && settings
                .iter()
                .zip(&made.settings)
                .all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == *found))
    }

    fn wants_fresh(&self) -> Option<u32> {
        let script = self.script()?;
        self.made.as_ref()?;
        let is_its =
            self.progress.owner == Some(self.open) || (self.fits() && self.scene.revision() <= 1);
        let is_seen = self.scene.world.leader().is_some();
        (!is_its && is_seen && !self.is_done(self.shown())).then_some(script.cluster.members)
    }

    /// What there is to see.
    #[must_use]
    pub fn view(&self) -> LessonView {
        let shown = self.shown();
        LessonView {
            state: self.state(),
            list: self
                .entries()
                .iter()
                .map(|entry| LessonRow {
                    number: entry.number,
                    title: match self.spoken {
                        Spoken::English => entry.title.clone(),
                        Spoken::Chinese => entry.title_zh.clone(),
                    },
                    done: self.progress.done(entry.number).min(entry.parts),
                    parts: entry.parts,
                    is_current: entry.number == self.open,
                })
                .collect(),
            is_list_open: self.is_list_open,
            dots: self.dots(shown),
            part: self.part_view(shown),
            prepare: self.desk.prepare,
            goals: self.goal_views(shown),
            queries: self.query_views(),
            is_done: self.is_done(shown),
            is_waiting: self.under.is_none() && !self.is_done(shown),
            shows_hints: self.desk.shows_hints,
            shows_solution: self.desk.shows_solution,
            wants_fresh: self.wants_fresh(),
            can_go_back: shown > 1,
            is_last: shown >= count(&self.parts),
            has_next_lesson: self.next_lesson().is_some(),
            told: self.told.clone(),
            notice: self.notice,
        }
    }

    fn state(&self) -> LessonState {
        match (&self.list, self.scripts.get(&self.open)) {
            (Fetched::Failed(reason), _) | (_, Some(Fetched::Failed(reason))) => {
                LessonState::Failed(crate::playground::escape::block(reason.as_bytes()))
            }
            (_, Some(Fetched::There(_))) => LessonState::Ready,
            (Fetched::There(list), _)
                if self.is_known && !list.iter().any(|entry| entry.number == self.open) =>
            {
                LessonState::Failed(self.strings().missing.to_owned())
            }
            _ => LessonState::Loading,
        }
    }

    fn dots(&self, shown: u32) -> Vec<PartDot> {
        let dot = |(part, number): (&Part, u32)| PartDot {
            number,
            title: part.title.clone(),
            is_done: self.is_done(number),
            is_current: number == shown,
        };
        self.parts.iter().zip(1_u32..).map(dot).collect()
    }

    fn part_view(&self, shown: u32) -> PartView {
        let Some(part) = self.part() else {
            return PartView { number: self.open, ..PartView::default() };
        };
        let language: Language = self.language();
        let mut ids = 0_u32..;
        let mut view_line = |line: &Line| LessonLine {
            id: ids.next().unwrap_or(u32::MAX),
            text: line.text.clone(),
            console: (line.console > 1).then_some(line.console),
        };
        // The order of `lines`.
        let pieces = part.pieces.iter().map(|piece| match piece {
            Piece::Paragraph(spans) => LessonPiece::Paragraph(spans.clone()),
            Piece::List(items) => LessonPiece::List(items.clone()),
            Piece::Lines(lines) => LessonPiece::Lines(lines.iter().map(&mut view_line).collect()),
        });
        let pieces = pieces.collect();
        let preparation = prepared(part).map(&mut view_line).collect();
        let solution = part.solution.iter().map(&mut view_line).collect();
        PartView {
            number: self.open,
            lesson: self.script().map(|script| book::title(script, &language)).unwrap_or_default(),
            part: shown,
            parts: count(&self.parts),
            title: part.title.clone(),
            pieces,
            preparation,
            hints: part.hints.clone(),
            solution,
        }
    }

    fn goal_views(&self, shown: u32) -> Vec<GoalView> {
        let Some(part) = self.part() else { return Vec::new() };
        let is_done = self.is_done(shown);
        let under = self.under.as_ref().filter(|it| (it.lesson, it.part) == (self.open, shown));
        let is_proving = matches!(&self.proof, Some((Purpose::Goals, _)));
        let view = |(at, goal): (usize, &book::Goal)| {
            let is_latched = under.is_some_and(|it| it.met.get(at).copied().unwrap_or(false));
            let is_held = under.is_some_and(|it| it.held.get(at).copied().unwrap_or(false));
            let is_met = is_done || is_latched || (is_held && self.scene.holds(&goal.claim, None));
            let is_checked = !is_met && is_proving && goal.claim.asks();
            GoalView { means: goal.means.clone(), is_met, is_checked }
        };
        part.goals.iter().enumerate().map(view).collect()
    }

    fn query_views(&self) -> Vec<QueryView> {
        let Some(part) = self.part() else { return Vec::new() };
        let verdict = |at: usize| self.desk.verdicts.get(at).copied().unwrap_or_default();
        let view = |(at, query): (usize, &book::Query)| QueryView {
            text: query.text.clone(),
            verdict: verdict(at),
        };
        part.queries.iter().enumerate().map(view).collect()
    }
}

/// What the lesson prepares, as lines.
fn prepared(part: &Part) -> impl Iterator<Item = &Line> {
    part.preparation.iter().filter_map(|step| match step {
        Preparation::Run(line) => Some(line),
        Preparation::Wait(..) | Preparation::Mark => None,
    })
}

/// Every line of a part, in the order of their numbers.
fn lines(part: &Part) -> impl Iterator<Item = &Line> {
    let said = part.pieces.iter().flat_map(|piece| match piece {
        Piece::Lines(lines) => lines.as_slice(),
        Piece::Paragraph(_) | Piece::List(_) => &[],
    });
    said.chain(prepared(part)).chain(&part.solution)
}
