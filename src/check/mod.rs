//! Checkers over a client history.
