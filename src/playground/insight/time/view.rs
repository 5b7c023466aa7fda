//! What there is to see of a run.
//!
//! What it is: plain structs that components write down; places of the picture are in its own units.
//! What it is not: a decision; see the modules beside it.
//! Invariants: every text is escaped; lists are bounded by what the lab tells.

use std::sync::Arc;

use super::script::{RowMark, StepRow};
use super::shelf::ShelfView;
use super::speed::Speed;
use crate::playground::view::Mark;
use crate::playground::view::ring::{Point, Segment};

/// What stands in the view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TimeStage {
    /// What can be played.
    #[default]
    Shelf,
    /// A run of this name is being opened.
    Loading(String),
    /// A run.
    Open,
    /// The lab could not be fetched, or it stopped: a heading, and why.
    Failed(&'static str, String),
    /// The run cannot be played: why.
    Refused(String),
}

/// Which timelines move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moves {
    /// Both, by time.
    #[default]
    Both,
    /// The first alone.
    First,
    /// The second alone.
    Second,
}

impl Moves {
    /// For tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::First => "a",
            Self::Second => "b",
        }
    }
}

/// The controls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlsView {
    /// It plays.
    pub is_playing: bool,
    /// So fast that nobody can read it.
    pub is_rushing: bool,
    /// It stands at its start.
    pub is_at_start: bool,
    /// It stands at its end.
    pub is_at_end: bool,
    /// There is a script with steps.
    pub has_steps: bool,
    /// How fast it plays.
    pub speed: Speed,
    /// Where the scrubber ends.
    pub high: u64,
    /// Where it stands.
    pub value: u64,
    /// It counts time, not events. Unit: ms.
    pub is_timed: bool,
    /// The same in words.
    pub place: String,
    /// Which timelines move.
    pub moves: Moves,
}

/// A member in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscView {
    /// Its name.
    pub name: String,
    /// Where.
    pub at: Point,
    /// Its role by shape.
    pub mark: Mark,
    /// How much of its election timer has run. Unit: thousandths.
    pub timer_permille: u64,
    /// All of it in words.
    pub words: String,
}

/// A link in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireView {
    /// From where to where.
    pub line: Segment,
    /// For style sheets: `open`, `cut`, `cut-forth` or `cut-back`.
    pub state: &'static str,
    /// Where the sign of a break stands, if it is broken.
    pub break_at: Option<Point>,
}

/// A message in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DotView {
    /// Where.
    pub at: Point,
    /// For style sheets.
    pub class: &'static str,
    /// What it is.
    pub words: String,
}

/// The cluster as a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PictureView {
    /// The members.
    pub discs: Vec<DiscView>,
    /// The links.
    pub wires: Vec<WireView>,
    /// The messages in flight.
    pub dots: Vec<DotView>,
    /// All of it in words.
    pub summary: String,
}

/// A member in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedMember {
    /// Its id.
    pub id: crate::types::MemberId,
    /// Its name.
    pub name: String,
    /// Its role by shape.
    pub mark: Mark,
    /// Its role in a word.
    pub role: String,
    /// Term, commit and applied.
    pub numbers: String,
    /// Its revision.
    pub revision: String,
    /// Its election timer in words.
    pub timer: String,
    /// How much of it has run. Unit: thousandths.
    pub timer_permille: u64,
    /// Its timer can be fired.
    pub can_fire: bool,
}

/// A message in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlightRow {
    /// Its number.
    pub id: u64,
    /// For style sheets.
    pub class: &'static str,
    /// What it is.
    pub kind: String,
    /// From whom to whom.
    pub way: String,
    /// What matters most of it.
    pub fields: String,
    /// When it arrives.
    pub arrives: String,
    /// All of it, for the button that drops it.
    pub label: String,
}

/// One member's place at one index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TimedCell {
    /// For style sheets: `absent`, `memory`, `durable`, `committed` or `applied`.
    pub state: &'static str,
    /// Its term.
    pub term: String,
    /// What it says.
    pub text: String,
    /// Another member has another term here.
    pub is_conflict: bool,
    /// All of it in words.
    pub label: String,
}

/// One index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TimedRow {
    /// Which.
    pub index: u64,
    /// One cell per member.
    pub cells: Vec<TimedCell>,
}

/// The logs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimedLogs {
    /// The members.
    pub names: Vec<String>,
    /// The newest rows, the highest index first.
    pub rows: Vec<TimedRow>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HappeningRow {
    /// The event's number and its place among those of that event.
    pub key: String,
    /// The event at which it happened.
    pub event: u64,
    /// When.
    pub time: String,
    /// What.
    pub words: String,
    /// For style sheets: `leader`, `vote`, `fault`, `change` or `other`.
    pub kind: &'static str,
    /// It is the first that differs from the other timeline, or comes after it.
    pub is_different: bool,
}

/// What the row of the script that is looked at has printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedView {
    /// The row; empty without a script.
    pub title: String,
    /// Its step, from 1; 0 of what has no place in the script.
    pub number: u64,
    /// One can go where it begins.
    pub can_go: bool,
    /// What it printed.
    pub output: String,
    /// What it printed as errors.
    pub errors: String,
    /// How it failed.
    pub failure: String,
    /// It was meant to fail.
    pub is_meant: bool,
    /// Why there is nothing else, or how a check came out.
    pub note: &'static str,
}

/// How the run came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndView {
    /// When it ended.
    pub at: String,
    /// What came of it.
    pub verdict: String,
    /// For style sheets: `good`, `bad` or `none`.
    pub kind: &'static str,
    /// Its hashes.
    pub hashes: String,
}

/// One timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineView {
    /// `A` or `B`.
    pub name: &'static str,
    /// Event and time.
    pub place: String,
    /// Where the script stands.
    pub step: String,
    /// What was changed, oldest first.
    pub changes: Vec<String>,
    /// The cluster.
    pub picture: PictureView,
    /// The members.
    pub members: Vec<TimedMember>,
    /// Directions that are cut.
    pub cuts: Vec<String>,
    /// The messages in flight, the next to arrive first.
    pub flights: Arc<Vec<FlightRow>>,
    /// Messages that are not shown.
    pub more_flights: String,
    /// The logs.
    pub logs: TimedLogs,
    /// What happened, the newest first.
    pub happenings: Vec<HappeningRow>,
    /// The script.
    pub steps: Arc<Vec<StepRow>>,
    /// How each of its rows stands.
    pub marks: Vec<RowMark>,
    /// The row that somebody chose.
    pub chosen: Option<usize>,
    /// The row under way.
    pub current: Option<usize>,
    /// What the row that is looked at has printed.
    pub printed: PrintedView,
    /// There is a script.
    pub has_script: bool,
    /// How it came out, at the end.
    pub end: Option<EndView>,
    /// The lab computes.
    pub is_busy: bool,
}

/// Two timelines beside one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparisonView {
    /// Whether and where they differ.
    pub sentence: String,
    /// What happens there, in each.
    pub sides: Vec<String>,
    /// Whether the outcomes differ.
    pub outcome: String,
    /// They differ somewhere.
    pub has_difference: bool,
}

/// The view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeView {
    /// What stands in it.
    pub stage: TimeStage,
    /// What can be played.
    pub shelf: ShelfView,
    /// The name of the run.
    pub title: String,
    /// Of a seed: what it drew.
    pub plan: String,
    /// What could not be fetched can be fetched again.
    pub can_retry: bool,
    /// What was lost, and what comes back.
    pub hint: &'static str,
    /// The controls.
    pub controls: ControlsView,
    /// One timeline, or two.
    pub lanes: Vec<TimelineView>,
    /// How two compare.
    pub comparison: Option<ComparisonView>,
    /// What is new, for those who do not see it.
    pub told: String,
    /// What came of what was done last, and whether it could be done.
    pub notice: (String, bool),
    /// The lab computes for so long that somebody may want to stop it.
    pub is_late: bool,
}

/// Parts in which a view that changes many times a second is written, one a frame.
pub const SHARES: u32 = 4;

impl TimeView {
    /// This view as far as it is written in so many frames: the picture first, then messages, then logs, then the rest; what is
    /// not written yet is as it is `shown`. With [`SHARES`] it is all of it.
    #[must_use]
    pub fn share(&self, shown: &Self, frames: u32) -> Self {
        if frames >= SHARES || self.lanes.len() != shown.lanes.len() {
            return self.clone();
        }
        let lane = |(new, old): (&TimelineView, &TimelineView)| {
            let messages = if frames >= 2 { new } else { old };
            let logs = if frames >= 3 { new } else { old };
            TimelineView {
                flights: Arc::clone(&messages.flights),
                more_flights: messages.more_flights.clone(),
                logs: logs.logs.clone(),
                happenings: old.happenings.clone(),
                steps: Arc::clone(&old.steps),
                marks: old.marks.clone(),
                current: old.current,
                printed: old.printed.clone(),
                ..new.clone()
            }
        };
        let lanes = self.lanes.iter().zip(&shown.lanes).map(lane).collect();
        Self { lanes, ..self.clone() }
    }
}
