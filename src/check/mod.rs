//! Checkers over what clients saw: is there one order of all operations, and did every watch keep its promises?
//!
//! What it is: a client history ([`History`]), an independent model of the store ([`Model`]), a search for a
//! linearization ([`linearize`]) and the watch guarantees held against the order that was found
//! ([`check_watches`], [`check_serializable_reads`]).
//! What it is not: part of the engine. It shares nothing with `mvcc` but the words of `api`, so that a mistake
//! there is not repeated here.
//! Invariants: pure; the same history gives the same verdict after the same number of steps.
//! Source: G. Lowe, "Testing for linearizability"; J. Wing, C. Gong, "Testing and verifying concurrent objects";
//! the guarantees of watches as etcd's documentation states them.

mod fencing;
mod hints;
mod history;
mod leases;
mod linear;
mod live;
mod model;
mod ranges;
mod serializable;
mod txn;
mod watch;

pub use fencing::check_fencing;
pub use history::{History, Operation, Outcome, WatchLog, is_ambiguous};
pub use linear::{
    Replay, STEPS_MAX, Verdict, is_serializable, linearize, linearize_as, revision_of,
};
pub use live::{Breach, Live, OperationId, Ruling, Standing};
pub use model::{Change, LeaseChange, Model};
pub use serializable::check_serializable_reads;
pub use watch::{WatchFault, check_watches};

#[cfg(test)]
mod tests;
