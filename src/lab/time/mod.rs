//! The time machine: a run that can be stopped, rewound, changed and forked.
//!
//! What it is: [`Machine`], which answers [`TimeQuestion`](crate::scenario::moment::TimeQuestion)s about a script in the lab or a
//! seed of the simulator. A timeline is its source and a list of changes, each at an event number, so any moment of it is made by
//! playing that: a recorder goes along, counts the events, makes the changes, and stops the run where it is told to.
//! What it is not: another engine; what is played is the lab's own player, and a run without a recorder does not know of one.
//! Invariants: the same timeline gives the same moments, in whatever order they are asked for, natively and in WebAssembly; a
//! timeline without changes that is played to its end has the hashes of its script or seed.

mod changes;
mod machine;
mod print;
mod recorder;
mod scene;
mod snapshots;
mod words;

pub use machine::Machine;

pub(super) use changes::{OWN_CONSOLES, change};
pub(super) use recorder::Recorder;
pub(super) use scene::Scene;
