//! What there is to see of the editor of scenarios.

/// What a row of the outline stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowKind {
    /// A part begins.
    Part,
    /// A passage for the reader.
    Say,
    /// A question.
    Ask,
    /// A console line, or something typed.
    Command,
    /// Something done to the cluster.
    Verb,
    /// A wait for a claim.
    Wait,
    /// An expectation, a goal, a reply.
    Claim,
    /// Another step.
    #[default]
    Other,
}

impl RowKind {
    /// Its name, for the style sheet and tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Part => "part",
            Self::Say => "say",
            Self::Ask => "ask",
            Self::Command => "command",
            Self::Verb => "verb",
            Self::Wait => "wait",
            Self::Claim => "claim",
            Self::Other => "other",
        }
    }
}

/// What became of a step on the live cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepMark {
    /// Nothing yet.
    #[default]
    None,
    /// It is being done, or waited for.
    Runs,
    /// It was done.
    Done,
    /// It came out as it should.
    Met,
    /// It did not.
    Unmet,
    /// It could not be done.
    Failed,
    /// It was passed over.
    Passed,
}

impl StepMark {
    /// Its name, for the style sheet and tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Runs => "runs",
            Self::Done => "done",
            Self::Met => "met",
            Self::Unmet => "unmet",
            Self::Failed => "failed",
            Self::Passed => "passed",
        }
    }
}

/// A row of the outline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutlineRow {
    /// The step's number, from 0.
    pub step: u32,
    /// Its line, from 1.
    pub line: u32,
    /// What it stands for.
    pub kind: RowKind,
    /// Its text, cut.
    pub text: String,
    /// What became of it on the live cluster.
    pub mark: StepMark,
    /// The same in a sentence.
    pub said: String,
}

/// Where a text ceases to be a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultView {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// How far a run on the live cluster is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiveState {
    /// There is none.
    #[default]
    None,
    /// It waits for a person before the next step.
    Waits,
    /// It goes on.
    Runs,
    /// It came to its end.
    Ended,
    /// It was stopped.
    Stopped,
}

impl LiveState {
    /// Its name, for the style sheet and tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Waits => "waits",
            Self::Runs => "runs",
            Self::Ended => "ended",
            Self::Stopped => "stopped",
        }
    }
}

/// A run on the live cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveView {
    /// How far it is.
    pub state: LiveState,
    /// Steps behind it.
    pub done: u32,
    /// All steps.
    pub all: u32,
    /// Expectations that were met.
    pub met: u32,
    /// Those that were not.
    pub unmet: u32,
    /// What is said of it, in sentences.
    pub said: String,
    /// Why the cluster is another one than the scenario wants, in sentences; empty if it is as wanted.
    pub other: String,
    /// A cluster as the scenario wants it can be made: so many members.
    pub can_make: Option<u32>,
    /// Some cluster is there to play on.
    pub can_play: bool,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioView {
    /// The draft is known, so that it can be edited.
    pub is_known: bool,
    /// How often the text was replaced by something else than typing.
    pub placed: u64,
    /// Lines of the text, at least 1.
    pub lines: u32,
    /// The text is a scenario with something to play.
    pub is_good: bool,
    /// Why it may have no link, in a sentence.
    pub no_link: String,
    /// How often the field asked for the focus.
    pub focus: u64,
    /// Where it is none.
    pub fault: Option<FaultView>,
    /// The outline.
    pub rows: Vec<OutlineRow>,
    /// Rows that are not shown.
    pub more: u32,
    /// Steps that do something.
    pub steps: u32,
    /// Sentences.
    pub sentences: u32,
    /// The length of the link that the lab made of this text.
    pub link: Option<u64>,
    /// What was replaced can be had back.
    pub can_undo: bool,
    /// What happened last, in a sentence.
    pub notice: String,
    /// The text is too long to be remembered, in a sentence.
    pub too_long: String,
    /// The shell script is being made.
    pub is_exporting: bool,
    /// The run on the live cluster.
    pub live: LiveView,
}
