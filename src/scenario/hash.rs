//! The chain behind the two hashes of a run.
//!
//! What it is: a SHA-256 chain cut to 8 bytes: each link hashes the state before it, a length and the
//! bytes, so that neither order nor boundaries can be mistaken.
//! What it is not: a signature; a link's author is not proven by it.
//! Invariants: the same bytes in the same order give the same value everywhere and for ever
//! (golden test below).

use sha2::{Digest, Sha256};

/// A running hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    state: [u8; 32],
}

impl Chain {
    /// An empty chain for one purpose; chains of different purposes never meet.
    #[must_use]
    pub fn new(purpose: &str) -> Self {
        Self { state: Sha256::digest(purpose.as_bytes()).into() }
    }

    /// Takes in one piece.
    pub fn push(&mut self, bytes: &[u8]) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let mut next = Sha256::new();
        next.update(self.state);
        next.update(length.to_be_bytes());
        next.update(bytes);
        self.state = next.finalize().into();
    }

    /// Takes in one number.
    pub fn push_number(&mut self, number: u64) {
        self.push(&number.to_be_bytes());
    }

    /// The first 8 bytes, high byte first.
    #[must_use]
    pub fn value(&self) -> u64 {
        let mut value = 0;
        for byte in self.state.iter().take(8) {
            value = (value << 8) | u64::from(*byte);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_gives_its_golden_values() {
        let mut chain = Chain::new("outcome");
        chain.push(b"put foo bar");
        chain.push_number(7);
        assert_eq!(format!("{:016x}", chain.value()), "fb92ca5601c97b66");
    }

    #[test]
    fn order_boundaries_and_purpose_matter() {
        let of = |purpose: &str, pieces: &[&[u8]]| {
            let mut chain = Chain::new(purpose);
            for piece in pieces {
                chain.push(piece);
            }
            chain.value()
        };
        let values = [
            of("a", &[b"x", b"y"]),
            of("a", &[b"y", b"x"]),
            of("a", &[b"xy"]),
            of("a", &[b"x", b"y", b""]),
            of("b", &[b"x", b"y"]),
        ];
        for (at, value) in values.iter().enumerate() {
            assert!(!values[at + 1..].contains(value), "{at}");
        }
    }
}
