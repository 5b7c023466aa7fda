//! The Raft consensus algorithm as a pure state machine.
