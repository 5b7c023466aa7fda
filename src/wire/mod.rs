//! Envelopes between the page, the members' workers and the lab's worker.
//!
//! What it is: the closed sets of messages and their codec ([`encode`], [`decode`]): a format byte,
//! then postcard. Boot and status travel as structured objects (serde-wasm-bindgen) instead.
//! What it is not: a transport (see `browser`).
//! Invariants: `decode` of foreign bytes gives `Err`, never a panic; the format byte changes with any
//! change of these types; limits stand beside each type.

mod codec;
mod link;
mod member;
mod tap;

pub use codec::{ENVELOPE_BYTES_MAX, Error, FORMAT, decode, encode};
pub use link::{CREDIT_MESSAGES, Link, Refused};
pub use member::{
    ClientCall, DownReason, KeptRound, Letter, MemberToPage, PageToMember, PeerFrame, PeerMessage,
    PersistenceMode,
};
pub use tap::{Fate, MessageCount, MessageKind, MessageNote, MessageSample, NOTES_MAX, Tap};
