//! Scenarios: scripts of console lines and cluster verbs, and the links that carry them.
//!
//! What it is: one grammar ([`Script`], [`verb`]) for files, links, tutorials and the page's console;
//! the picture that verbs act on ([`World`]); checks over what was seen ([`Check`], [`Facts`]); what
//! is asked about scripts ([`Question`], [`Sheet`]); the tutorials themselves ([`catalog`]).
//! What it is not: a runner; `lab` plays scripts, the page plays them live.
//! Invariants: foreign text gives an error with its place and what was expected, never a panic;
//! nothing here knows engine, clock or DOM.

pub mod catalog;
mod check;
pub mod link;
mod report;
pub mod script;
mod sheet;
mod units;
pub mod verb;
mod world;

pub use check::{Check, Facts};
pub use report::{Report, StepReport, Verdict};
pub use script::{Action, ClusterSettings, Expected, ParseError, Script, Step};
pub use sheet::{Question, Sheet, SheetStep, answer};
pub use verb::{Condition, Target, Verb, VerbError};
pub use world::{MemberView, Order, World, member_at};
