//! What there is to see of a lesson.

use crate::playground::view::prose::Span;

/// A lesson in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonRow {
    /// Its number.
    pub number: u32,
    /// Its title in the language of the page.
    pub title: String,
    /// How many of its parts are done.
    pub done: u32,
    /// How many it has.
    pub parts: u32,
    /// It is shown.
    pub is_current: bool,
}

/// A part in the row of parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartDot {
    /// Its number, from 1.
    pub number: u32,
    /// Its title.
    pub title: String,
    /// Its goals were met.
    pub is_done: bool,
    /// It is shown.
    pub is_current: bool,
}

/// A line to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonLine {
    /// Its number within the part, for [`super::Lessons::run`].
    pub id: u32,
    /// The line.
    pub text: String,
    /// The console that it names, if it is not the first.
    pub console: Option<u32>,
}

/// A piece of what is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LessonPiece {
    /// Sentences.
    Paragraph(Vec<Span>),
    /// Items.
    List(Vec<Vec<Span>>),
    /// Lines to run.
    Lines(Vec<LessonLine>),
}

/// A goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalView {
    /// In words.
    pub means: Vec<Span>,
    /// It is met.
    pub is_met: bool,
    /// It is being looked at.
    pub is_checked: bool,
}

/// How an answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyVerdict {
    /// Nothing was answered.
    #[default]
    None,
    /// It is being looked at.
    Checking,
    /// It is right.
    Right,
    /// It is not.
    Wrong,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryView {
    /// The question.
    pub text: Vec<Span>,
    /// How the last answer was.
    pub verdict: ReplyVerdict,
}

/// Where what the lesson prepares stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrepareState {
    /// Nobody asked for it.
    #[default]
    Waits,
    /// It runs.
    Runs,
    /// It has run.
    Ended,
}

/// Whether the lesson is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LessonState {
    /// It is fetched.
    #[default]
    Loading,
    /// It could not be, with the reason.
    Failed(String),
    /// It is.
    Ready,
}

/// The shown part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartView {
    /// The lesson's number and title.
    pub number: u32,
    /// Its title.
    pub lesson: String,
    /// The part's number, from 1.
    pub part: u32,
    /// How many parts there are.
    pub parts: u32,
    /// Its title.
    pub title: String,
    /// What is said.
    pub pieces: Vec<LessonPiece>,
    /// What the lesson does before.
    pub preparation: Vec<LessonLine>,
    /// The hints.
    pub hints: Vec<Vec<Span>>,
    /// One way to do it.
    pub solution: Vec<LessonLine>,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonView {
    /// Whether the shown lesson is there.
    pub state: LessonState,
    /// All lessons.
    pub list: Vec<LessonRow>,
    /// The list is shown.
    pub is_list_open: bool,
    /// The parts of the shown lesson.
    pub dots: Vec<PartDot>,
    /// The shown part.
    pub part: PartView,
    /// Where what it prepares stands.
    pub prepare: PrepareState,
    /// Its goals.
    pub goals: Vec<GoalView>,
    /// Its questions.
    pub queries: Vec<QueryView>,
    /// All its goals were met.
    pub is_done: bool,
    /// Goals do not count yet: nobody leads.
    pub is_waiting: bool,
    /// Hints are shown.
    pub shows_hints: bool,
    /// The solution is shown.
    pub shows_solution: bool,
    /// The lesson wants a fresh cluster of so many members.
    pub wants_fresh: Option<u32>,
    /// There is a part before.
    pub can_go_back: bool,
    /// It is the last part.
    pub is_last: bool,
    /// There is a lesson after this one.
    pub has_next_lesson: bool,
    /// What was met last, for a screen reader.
    pub told: String,
    /// What came of reading progress from a file.
    pub notice: Option<&'static str>,
}
