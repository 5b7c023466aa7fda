//! The Raft consensus algorithm as a pure state machine.

use serde::{Deserialize, Serialize};

/// A message between members; its real shape arrives with the engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {}
