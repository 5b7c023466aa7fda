//! Consensus made visible: the model of the program `insight`, which is fetched when a view of it is first opened.
//!
//! What it is: [`Feed`], which the page fills with what passes by; [`Item`] and [`Ask`], the words between page and
//! program; [`Insight`], what the program knows; and its views.
//! What it is not: markup, or a part of the engine: what is shown is what members said.
//! Invariants: no clock (items carry their times); every text comes from [`InsightStrings`]; foreign bytes are
//! escaped before they reach a view; what is kept is bounded.
//! Lessons ([`Lessons`]) stand beside the views: they share the program and nothing else.

mod clocks;
mod commands_zh;
mod diff;
mod errors;
mod exact;
mod feed;
mod fetched;
mod history;
mod history_strings;
mod json;
mod keys;
mod leases;
mod lesson;
mod log;
mod message_strings;
mod messages;
mod model;
mod monitor;
mod passed;
mod proof;
mod protocol;
mod quorum;
#[cfg(test)]
mod sample;
mod scenario;
mod scene;
mod strings;
mod tap;
mod time;
mod traffic;
mod watches;
mod why;
mod zh;

pub use clocks::{ClocksView, Mark, MomentKind, MomentView};
pub use commands_zh::{Phrase, page, phrase};
pub use diff::{DiffLine, DiffView, LineKind};
pub use errors::{
    Area, Catalogue, ErrorEntry, ErrorEntryView, ErrorGroup, ErrorLine, ErrorLink, ErrorRow,
    ErrorStrings, ErrorsView, FetchState, Origin, WantedError,
};
pub use exact::{ExactGroup, ExactView, Suite};
pub use feed::{Feed, revision_of};
pub use history::{
    AxisMarkKind, AxisMarkView, BarKind, BarView, ClientLaneView, FactView, HistoryView,
    OperationView, Tone, VerdictView,
};
pub use history_strings::HistoryStrings;
pub use keys::{DetailView, Form, Hindrance};
pub use leases::{LeaseKeyView, LeaseState, LeaseView, LeasesView};
pub use lesson::{
    Entry, GoalView, Key, LESSONS_EN, LESSONS_ZH, LessonAsk, LessonLine, LessonNote, LessonPiece,
    LessonRow, LessonState, LessonStrings, LessonView, Lessons, PartDot, PartView, PrepareState,
    QueryView, Reader, ReplyVerdict, Wanted,
};
pub use log::{CellState, LogCell, LogColumn, LogRow, LogView};
pub use message_strings::MessageStrings;
pub use messages::{ChoiceOf, MessageRow, MessagesView, Shown};
pub use model::{Insight, View};
pub use monitor::{InvariantView, Monitor};
pub use passed::{Batch, EventMark, LeaseNote, OpenedWatch, WatchNote, Watcher};
pub use protocol::{
    Ask, CallEnd, CallNote, Fault, Item, MemberNote, Sample, WhyNote, decode_asked, decode_items,
    encode_ask,
};
pub use quorum::{AnswerView, QuorumView, ReachView};
pub use scenario::{
    Editor, FaultView, LiveState, LiveView, OutlineRow, RowKind, SCENARIO_EN, SCENARIO_ZH,
    ScenarioAsk, ScenarioNote, ScenarioStrings, ScenarioView, StepMark, Template,
};
pub use strings::{EN, InsightStrings};
pub use tap::{Asked, End, Note};
pub use time::{
    ComparisonView, ControlsView, DiscView, DotView, EndView, FlightRow, Folder, HappeningRow,
    Listed, Moves, PictureView, PrintedView, RowId, RowMark, SHARES, ShelfList, ShelfRow,
    ShelfView, Speed, StepKind, StepRow, TIME_EN, TIME_ZH, TimeStage, TimeState, TimeStrings,
    TimeView, TimeWanted, TimedCell, TimedLogs, TimedMember, TimedRow, TimelineView, To, WireView,
};
pub use traffic::Flight;
pub use watches::{LaneState, LaneView, MarkKind, MarkView, StoryView, WatchesView};
pub use why::{CallView, StepState, StepView, WhyStrings, WhyView};
pub use zh::ZH;
