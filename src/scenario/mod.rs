//! Scenarios: scripts of console lines, cluster verbs, expectations and lessons, and the links that carry them.
//!
//! What it is: one grammar ([`Script`], [`verb`], [`Claim`]) for files, links, tutorials and the page's console;
//! the picture that verbs act on ([`World`]); checks over what was seen ([`Check`], [`Facts`]), and claims judged from it
//! ([`Witness`], [`Sight`]), told in the page's languages ([`Told`]); narration as nodes ([`prose`]); what is asked about scripts ([`Question`], [`Sheet`]); the
//! tutorials themselves ([`catalog`]); the words of the time machine ([`moment`]).
//! What it is not: a runner; `lab` plays scripts, the page plays them live.
//! The page's first program reads no script: it has verbs, world and sheets only, and asks the lab's program; lessons are read
//! and judged by the program of the views.
//! Invariants: foreign text gives an error with its place and what was expected, never a panic;
//! nothing here knows engine, clock or DOM.

pub mod catalog;
mod check;
mod claim;
mod judge;
pub mod link;
pub mod moment;
pub mod prose;
mod report;
pub mod script;
mod sheet;
mod token;
mod told;
mod units;
pub mod verb;
mod witness;
mod words;
mod world;
mod wrong;

pub use check::{Check, Facts};
pub use claim::{Claim, Compare, EventKind, MemberState, Quantity, Source, TextTest};
pub use judge::{Judged, Roster, Said, Sight, is_right, told_answer};
pub use link::Refusal;
pub use report::{Report, StepReport, Verdict};
pub use script::{
    Action, Answer, Change, ClusterSettings, Expected, Flag, Flags, Grammar, Language, ParseError,
    Say, SayKind, Script, Step,
};
pub use sheet::{LeftOut, Question, Sheet, SheetStep, answer, compose};
pub use told::{Saying, Told, lines};
pub use verb::{Condition, Target, Verb, VerbError};
pub use witness::{KEPT_MAX, Witness, Write};
pub use words::put_in;
pub use world::Reason;
pub use world::{Cannot, MemberView, Order, World, fill, member_at};
pub use wrong::{Rule, Takes, Thing, Wanted, Wrong};
