//! What there is to see: plain structs, cheap to compare, made from the model.
//!
//! What it is: the last step before markup; components write these down and decide nothing.
//! What it is not: state; nothing is kept here.
//! Invariants: every text is escaped and in the page's language; geometry is in whole numbers.

pub mod cluster;
pub mod faults;
pub mod frame;
pub mod prose;
pub mod ring;
pub mod waiting;

pub use crate::playground::console::{
    BlockView, ChoiceView, ConsoleView, Kind, MenuView, Piece, Stream, TabView, Window,
};
pub use crate::playground::share::{ShareView, StageView, StepView};
pub use cluster::{
    ButtonView, CardView, ClusterView, LinkState, LinkView, Mark, NoticeView, QuestionView,
    change_notice,
};
pub use faults::{CellView, ChoicesView, EditorView, FaultsView, OptionView, PresetView};
pub use frame::{BannerView, FrameView, InsightState, LogLine, LogView, Remedy, SettingView};
