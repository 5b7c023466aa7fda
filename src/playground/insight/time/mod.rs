//! Time: a run in the lab that can be stopped, taken back, changed and compared with what it was.
//!
//! What it is: [`TimeState`]: what can be played, the run that is open with its one or two timelines, and what a person does
//! with them. Files to fetch come out as [`TimeWanted`]s, questions to the lab as [`Ask`]s; the lab's answers come in as
//! bytes.
//! What it is not: an engine: every moment is what the lab said of it; nor a clock: the page's time comes from outside.
//! Invariants: at most one question is open; of several wishes where a timeline shall stand the newest counts; what was
//! answered to a question that is not open any more is dropped; a run that was lost with its worker can be opened again, with
//! its changes; foreign texts are escaped.

mod address;
mod flow;
mod picture;
mod script;
mod shelf;
mod sight;
mod speed;
mod strings;
mod view;
mod words;

use std::collections::VecDeque;

use self::flow::{Asked, Told};
use self::script::Scripted;
use self::shelf::Shelf;
use self::speed::Playing;
use super::protocol::Ask;
use super::strings::{EN as INSIGHT_EN, InsightStrings};
use super::zh::ZH as INSIGHT_ZH;
use crate::playground::strings::Language as Spoken;
use crate::scenario::moment::{Comparison, Moment, Opened, TimeChange, TimeQuestion, TimeSource};
use crate::scenario::{self, Question, SheetStep};
use crate::types::{MemberId, Millis};

pub use crate::scenario::moment::To;
pub use script::{RowId, RowMark, StepKind, StepRow};
pub use shelf::{Folder, Listed, ShelfList, ShelfRow, ShelfView, TimeWanted};
pub use speed::Speed;
pub use strings::{EN as TIME_EN, TimeStrings, ZH as TIME_ZH};
pub use view::{
    ComparisonView, ControlsView, DiscView, DotView, EndView, FlightRow, HappeningRow, Moves,
    PictureView, PrintedView, SHARES, TimeStage, TimeView, TimedCell, TimedLogs, TimedMember,
    TimedRow, TimelineView, WireView,
};

/// A longer link has no place in the address bar. Unit: bytes. Source: what is a file and no link any more.
const LINK_BYTES_MAX: usize = 8_000;

/// What the run that is open is called.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    File(Folder, String),
    /// What stands behind `#` in its address; nothing of one that is too long for one.
    Link(String),
    Script,
    /// What was done in the page's cluster.
    Session,
    Seed(u64),
}

/// What shall be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wish {
    name: Name,
    /// Nothing while its file is fetched.
    source: Option<TimeSource>,
    /// Its length is found out first: played to its end, and back.
    is_measured: bool,
    /// The event at which it stands first.
    at: u64,
}

/// One timeline.
#[derive(Clone, Debug, Default)]
struct Lane {
    moment: Moment,
    /// Where it shall stand.
    wish: Option<To>,
    /// What somebody chose in the script; nothing: it goes along with the run.
    chosen: Option<RowId>,
    /// What a step had printed that the moment does not tell: its number, and the step if it had begun.
    printed: Option<(u32, Option<SheetStep>)>,
}

/// A run that was opened.
#[derive(Clone, Debug, Default)]
struct Run {
    opened: Opened,
    script: Scripted,
    /// One, or two.
    lanes: Vec<Lane>,
    /// Where the second one left the first, and how many changes it took along.
    fork: Option<(u64, usize)>,
    comparison: Compared,
    moves: Moves,
    /// The timeline that moves now, and whose time the other one comes to when it has arrived.
    guide: Option<usize>,
}

/// Whether two timelines were compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Compared {
    #[default]
    Not,
    Asked,
    Refused,
    There(Box<Comparison>),
}

/// Something to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Job {
    Ask(TimeQuestion),
    /// How long is a timeline? Afterwards it stands where it stood.
    Measure(u8),
}

/// Where things stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Shelf,
    /// Something is opened.
    Opening,
    Open,
    /// The lab's program could not be fetched: why.
    NotLoaded(String),
    Failed(String),
    Refused(String),
}

/// See the module.
#[derive(Debug, Default)]
pub struct TimeState {
    spoken: Spoken,
    now: Millis,
    shelf: Shelf,
    is_begun: bool,
    /// What the address bar has of ours.
    bar: String,
    /// When it follows the run.
    bar_due: Option<Millis>,
    /// An address whose list is not there yet, with its event.
    awaited: Option<(address::Meant, u64)>,
    /// Somebody waits for what was done in the page's cluster.
    awaits_session: bool,
    wanted: Vec<TimeWanted>,
    asks: Vec<Ask>,
    stage: Stage,
    wish: Option<Wish>,
    run: Option<Run>,
    speed: Speed,
    playing: Option<Playing>,
    /// Questions that wait for the one that is open.
    queue: VecDeque<Job>,
    asked: Option<Asked>,
    /// The number of the newest question.
    number: u64,
    /// When the last question was asked while a run plays.
    paced: Millis,
    /// When the last frame was counted.
    framed: Millis,
    /// Motion is not wanted.
    is_still: bool,
    told: Told,
    notice: (String, bool),
}

fn count<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

impl TimeState {
    /// What to fetch, once each.
    pub fn take_wanted(&mut self) -> Vec<TimeWanted> {
        std::mem::take(&mut self.wanted)
    }

    /// What to ask the page for, once each.
    pub fn take_asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }

    /// The texts of the view.
    #[must_use]
    pub const fn strings(&self) -> &'static TimeStrings {
        match self.spoken {
            Spoken::English => &TIME_EN,
            Spoken::Chinese => &TIME_ZH,
        }
    }

    /// The texts that are shared with the other views.
    const fn shared(&self) -> &'static InsightStrings {
        match self.spoken {
            Spoken::English => &INSIGHT_EN,
            Spoken::Chinese => &INSIGHT_ZH,
        }
    }

    /// Speaks this language from now on.
    pub fn speak(&mut self, spoken: Spoken) {
        if self.spoken != spoken {
            self.spoken = spoken;
            // What was said in the other language is not translated.
            self.notice = (String::new(), false);
            self.told.words.clear();
            if let Some(run) = &mut self.run {
                run.script = Scripted::of(&run.opened.steps, spoken);
            }
        }
    }

    /// Motion is wanted, or not: then a run that plays moves a few times a second only.
    pub const fn be_still(&mut self, is_still: bool) {
        self.is_still = is_still;
    }

    /// The view is looked at: what there is to choose from is fetched once.
    pub fn show(&mut self) {
        if !self.is_begun {
            self.is_begun = true;
            self.wanted.extend(self.shelf.want());
        }
    }

    /// Fetches again what could not be fetched.
    pub fn fetch_again(&mut self) {
        self.shelf.again();
        self.wanted.extend(self.shelf.want());
    }

    /// A list came, or why not.
    pub fn set_list(&mut self, folder: Folder, list: Result<Vec<Listed>, String>) {
        let is_there = list.is_ok();
        self.shelf.set(folder, list);
        if is_there {
            self.list_came(folder);
        }
    }

    /// Only what contains this is listed.
    pub fn set_filter(&mut self, filter: &str) {
        self.shelf.set_filter(filter);
    }

    /// What was written in the field of the seed.
    pub fn set_seed(&mut self, seed: String) {
        self.shelf.seed = seed;
        self.shelf.is_seed_wrong = false;
    }

    /// What was written in the field of the link.
    pub fn set_link(&mut self, link: String) {
        self.shelf.link = link;
        self.shelf.is_link_wrong = false;
    }

    /// Opens a scenario of a folder; its file is fetched first.
    pub fn open_file(&mut self, folder: Folder, file: String) {
        self.enter(&Name::File(folder, file.clone()));
        self.want_file(folder, file);
    }

    fn want_file(&mut self, folder: Folder, file: String) {
        let name = Name::File(folder, file.clone());
        self.wish = Some(Wish { name, source: None, is_measured: true, at: 0 });
        self.stage = Stage::Opening;
        self.shelf.told = shelf::Told::Nothing;
        self.wanted.push(TimeWanted::Script(folder, file));
    }

    /// The text of a file came, or why not.
    pub fn set_script(&mut self, folder: Folder, file: &str, text: Result<String, String>) {
        let name = Name::File(folder, file.to_owned());
        let is_it = |wish: &Wish| wish.name == name && wish.source.is_none();
        if self.stage != Stage::Opening || !self.wish.as_ref().is_some_and(is_it) {
            return;
        }
        match text {
            Ok(text) => {
                let at = self.wish.as_ref().map_or(0, |wish| wish.at);
                self.open(name, TimeSource::Script(text));
                if let Some(wish) = &mut self.wish {
                    wish.at = at;
                }
            }
            Err(reason) => {
                let reason = crate::playground::escape::line(reason.as_bytes());
                self.stage = Stage::Refused((self.strings().file_failed)(&reason));
            }
        }
    }

    /// Opens the text of a script, from whichever view it comes.
    pub fn open_script(&mut self, text: String) {
        self.enter(&Name::Script);
        self.open(Name::Script, TimeSource::Script(text));
    }

    /// Opens what was done in the page's cluster; the page is asked for it.
    pub fn open_session(&mut self) {
        self.awaits_session = true;
        self.asks.push(Ask::Session);
    }

    /// What was done in the page's cluster, as it is asked of the lab.
    pub fn hear_session(&mut self, steps: Question) {
        let Question::Compose { cluster, lines, left_out } = steps else { return };
        if !std::mem::take(&mut self.awaits_session) {
            return;
        }
        if lines.is_empty() {
            self.shelf.told = shelf::Told::NothingDone;
            return;
        }
        let (text, _) = scenario::compose(cluster, &lines, left_out);
        self.enter(&Name::Session);
        self.open(Name::Session, TimeSource::Script(text));
    }

    /// Opens the link that was written, if it is one.
    pub fn open_link(&mut self) {
        let link = self.shelf.link.trim().to_owned();
        let fragment = link.split_once('#').map_or(link.as_str(), |(_, fragment)| fragment);
        if fragment.starts_with("s=") {
            let is_short = fragment.len() <= LINK_BYTES_MAX;
            let fragment = if is_short { fragment.to_owned() } else { String::new() };
            self.open(Name::Link(fragment), TimeSource::Link(link));
        } else {
            self.shelf.is_link_wrong = true;
        }
    }

    /// Opens the seed that was written, if it is one, and lets the address bar say so.
    pub fn open_seed(&mut self) {
        match self.shelf.seed.trim().parse() {
            Ok(seed) => {
                self.enter(&Name::Seed(seed));
                self.open(Name::Seed(seed), TimeSource::Seed(seed));
            }
            Err(_) => self.shelf.is_seed_wrong = true,
        }
    }

    fn is_open(&self, name: &Name) -> bool {
        let is_it = self.wish.as_ref().is_some_and(|wish| wish.name == *name);
        is_it && matches!(self.stage, Stage::Opening | Stage::Open)
    }

    fn open(&mut self, name: Name, source: TimeSource) {
        self.forget();
        self.awaits_session = false;
        self.shelf.told = shelf::Told::Nothing;
        self.wish = Some(Wish { name, source: Some(source.clone()), is_measured: true, at: 0 });
        self.stage = Stage::Opening;
        self.queue.push_back(Job::Ask(TimeQuestion::Open(source)));
        self.ask_on();
    }

    /// Back to the list; the lab's worker is ended.
    pub fn close(&mut self) {
        self.leave();
        self.close_run();
    }

    fn close_run(&mut self) {
        self.shelf.told = shelf::Told::Nothing;
        if self.run.is_some() || self.asked.is_some() {
            self.asks.push(Ask::EndLab);
        }
        self.forget();
        self.wish = None;
        self.stage = Stage::Shelf;
    }

    /// Nothing of the run that is open is kept.
    fn forget(&mut self) {
        self.run = None;
        self.playing = None;
        self.queue.clear();
        self.asked = None;
        self.told = Told::default();
        self.notice = (String::new(), false);
    }

    /// True while time passes by itself.
    #[must_use]
    pub const fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// How fast it plays from now on.
    pub fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
        if self.is_playing() {
            self.play_from_here();
        }
    }

    /// Plays, or stops. At the end it begins again.
    pub fn toggle_play(&mut self) {
        if self.playing.take().is_some() {
            return self.rest();
        }
        let Some(run) = &mut self.run else { return };
        for lane in &mut run.lanes {
            lane.chosen = None;
        }
        if run.is_over() {
            self.go(To::Start);
            let since = self.now;
            self.framed = since;
            self.playing = Some(Playing { since, event: 0, virtual_ms: 0 });
        } else {
            self.play_from_here();
        }
    }

    /// What played stands: where, is told at once.
    fn rest(&mut self) {
        self.playing = None;
        self.bar_follows();
        if let Some(leading) = self.run.as_ref().map(Run::leading) {
            self.tell(leading);
        }
    }

    /// It plays so fast that nobody can read what passes.
    #[must_use]
    pub const fn is_rushing(&self) -> bool {
        self.is_playing() && self.speed.is_rush()
    }

    fn play_from_here(&mut self) {
        let since = self.now;
        self.framed = since;
        let playing = self.run.as_ref().map(|run| Playing {
            since,
            event: run.lanes.get(run.leading_to(To::NextEvent)).map_or(0, |it| it.moment.event),
            virtual_ms: run.now().0,
        });
        self.playing = playing;
    }

    /// The timeline that others follow.
    fn leading(&self) -> Option<&Lane> {
        let run = self.run.as_ref()?;
        run.lanes.get(run.leading())
    }

    /// Goes somewhere; what plays stops.
    pub fn travel(&mut self, to: To) {
        self.playing = None;
        self.go(to);
    }

    fn go(&mut self, to: To) {
        let Some(run) = &mut self.run else { return };
        let leading = run.leading_to(to);
        let asked = self.asked.as_ref().and_then(|asked| asked.goes(leading));
        run.guide = None;
        if run.is_timed() && matches!(to, To::Start | To::End | To::Time(_)) {
            for lane in &mut run.lanes {
                lane.wish = Some(to);
            }
        } else if let Some(lane) = run.lanes.get_mut(leading) {
            lane.wish = Some(lane.joined(asked, to));
            run.guide = Some(leading);
        }
        self.ask_on();
    }

    /// Where the scrubber was dragged: an event, or, of two that move together, a time.
    pub fn scrub(&mut self, value: u64) {
        let Some(run) = &self.run else { return };
        let to = if run.is_timed() { To::Time(Millis(value)) } else { To::Event(value) };
        self.travel(to);
    }

    /// To the beginning of a step, from 1.
    pub fn go_to_step(&mut self, lane: usize, number: u64) {
        let step = u32::try_from(number.saturating_sub(1)).unwrap_or(u32::MAX);
        self.go_in(lane, To::Step(step));
    }

    /// To an event of a timeline.
    pub fn go_to_event(&mut self, lane: usize, event: u64) {
        self.go_in(lane, To::Event(event));
    }

    fn go_in(&mut self, at: usize, to: To) {
        self.playing = None;
        let Some(run) = &mut self.run else { return };
        let Some(lane) = run.lanes.get_mut(at) else { return };
        lane.chosen = None;
        lane.wish = Some(to);
        run.guide = Some(at);
        self.ask_on();
    }

    /// One script step back: to where the one before began.
    pub fn step_back(&mut self) {
        let Some(moment) = self.leading().map(|lane| &lane.moment) else { return };
        let current = moment.begun.iter().rev().find(|it| it.event < moment.event);
        let to = current.map_or(To::Start, |it| To::Event(it.event));
        self.travel(to);
    }

    /// Which timelines move.
    pub fn set_moves(&mut self, moves: Moves) {
        self.playing = None;
        if let Some(run) = &mut self.run {
            run.moves = if run.lanes.len() > 1 { moves } else { Moves::Both };
            if run.is_timed() {
                run.follow(0);
            }
        }
        self.ask_on();
    }

    /// A second timeline begins where the first one stands.
    pub fn fork(&mut self) {
        if self.has_two() {
            return;
        }
        self.playing = None;
        let Some(lane) = self.run.as_ref().and_then(|run| run.lanes.first()) else { return };
        self.queue.push_back(Job::Ask(TimeQuestion::Fork { at: lane.moment.event }));
        self.ask_on();
    }

    /// One of two timelines is closed.
    pub fn close_lane(&mut self, lane: usize) {
        self.playing = None;
        if let Some(timeline) = self.timeline(lane).filter(|_| self.has_two()) {
            self.queue.push_back(Job::Ask(TimeQuestion::Close { timeline }));
            self.ask_on();
        }
    }

    fn has_two(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.lanes.len() > 1)
    }

    fn timeline(&self, lane: usize) -> Option<u8> {
        self.run.as_ref()?.lanes.get(lane)?;
        u8::try_from(lane).ok()
    }

    fn change(&mut self, lane: usize, change: TimeChange) {
        self.playing = None;
        self.notice = (String::new(), false);
        let Some(timeline) = self.timeline(lane) else { return };
        let at = self.run.as_ref().and_then(|run| run.lanes.get(lane));
        let at = at.map_or(0, |lane| lane.moment.event);
        self.queue.push_back(Job::Ask(TimeQuestion::Change { timeline, at, change }));
        self.ask_on();
    }

    /// A message in flight is lost.
    pub fn drop_message(&mut self, lane: usize, id: u64) {
        self.change(lane, TimeChange::Drop(id));
    }

    /// A member's election timer runs out.
    pub fn fire(&mut self, lane: usize, member: MemberId) {
        self.change(lane, TimeChange::Fire(member));
    }

    /// Votes are split.
    pub fn split_vote(&mut self, lane: usize) {
        self.change(lane, TimeChange::SplitVote);
    }

    /// A console line or a verb is carried out.
    pub fn do_line(&mut self, lane: usize, line: &str) {
        let line = line.trim();
        if !line.is_empty() {
            self.change(lane, TimeChange::Line(line.to_owned()));
        }
    }

    /// The newest change of a timeline is taken back.
    pub fn undo(&mut self, lane: usize) {
        self.playing = None;
        if let Some(timeline) = self.timeline(lane) {
            self.queue.push_back(Job::Ask(TimeQuestion::Undo { timeline }));
            self.ask_on();
        }
    }

    /// Both timelines go to where they begin to differ.
    pub fn go_to_difference(&mut self) {
        self.playing = None;
        let Some(run) = &mut self.run else { return };
        let Some(event) = run.first_difference() else { return };
        run.guide = None;
        for lane in &mut run.lanes {
            lane.wish = Some(To::Event(event));
        }
        self.ask_on();
    }
}

/// Where a step leads from a place that is known; nothing of a step that only the lab can take.
const fn stepped(from: u64, to: To) -> Option<To> {
    match to {
        To::NextEvent => Some(To::Event(from.saturating_add(1))),
        To::Back => Some(To::Event(from.saturating_sub(1))),
        _ => None,
    }
}

impl Lane {
    /// A wish behind the one there is, and behind what is being asked: presses add up where their sum is known.
    fn joined(&self, asked: Option<To>, to: To) -> To {
        let event = self.moment.event;
        let place = |it: To| match it {
            To::Event(event) => Some(event),
            To::NextEvent => Some(event.saturating_add(1)),
            To::Back => Some(event.saturating_sub(1)),
            _ => None,
        };
        let from = self.wish.or(asked).and_then(place);
        from.and_then(|from| stepped(from, to)).unwrap_or(to)
    }
}

impl Run {
    /// The timeline that moves, and that the other follows if both do.
    const fn leading(&self) -> usize {
        match self.moves {
            Moves::Second => 1,
            Moves::Both | Moves::First => 0,
        }
    }

    /// The timeline that a step moves: of two the one that has more to come, or more behind it.
    fn leading_to(&self, to: To) -> usize {
        let (Some(one), Some(other)) = (self.lanes.first(), self.lanes.get(1)) else { return 0 };
        let is_other = match to {
            To::Back => other.moment.now > one.moment.now,
            _ => one.moment.is_end && !other.moment.is_end,
        };
        if self.moves == Moves::Both && is_other { 1 } else { self.leading() }
    }

    /// What moves stands at its end.
    fn is_over(&self) -> bool {
        let alone = self.lanes.get(self.leading());
        match self.moves {
            Moves::Both => self.lanes.iter().all(|lane| lane.moment.is_end),
            Moves::First | Moves::Second => alone.is_none_or(|lane| lane.moment.is_end),
        }
    }

    /// The time of what moves.
    fn now(&self) -> Millis {
        let alone = self.lanes.get(self.leading()).map(|lane| lane.moment.now);
        match self.moves {
            Moves::Both => self.lanes.iter().map(|lane| lane.moment.now).max().unwrap_or_default(),
            Moves::First | Moves::Second => alone.unwrap_or_default(),
        }
    }

    /// The first event that is not the same in both.
    fn first_difference(&self) -> Option<u64> {
        match &self.comparison {
            Compared::There(comparison) => comparison.first.as_ref().map(|first| first.event),
            _ => None,
        }
    }

    /// Two move together, by time.
    fn is_timed(&self) -> bool {
        self.lanes.len() > 1 && self.moves == Moves::Both
    }

    /// The others come to the time of this one.
    fn follow(&mut self, leader: usize) {
        let Some(now) = self.lanes.get(leader).map(|lane| lane.moment.now) else { return };
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            if at != leader && lane.moment.now != now && lane.wish.is_none() {
                lane.wish = Some(To::Time(now));
            }
        }
    }
}

#[cfg(test)]
mod tests;
