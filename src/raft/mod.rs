//! The Raft consensus algorithm as a pure state machine.
pub mod conf_change;
pub mod confchange;
pub mod entry;
mod error;
pub mod quorum;
pub mod state;
pub mod tracker;

pub use error::{Error, StorageError};
