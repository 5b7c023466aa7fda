//! Hash chains over what happened in a run.
//!
//! What it is: SHA-256 chained over length-prefixed parts, cut to 8 bytes when read.
//! What it is not: a security measure; it tells two runs apart.
//! Invariants: the same parts in the same order give the same hash on every machine;
//! a change of what is fed in goes together with a new [`ENGINE_TRACE`].

use sha2::{Digest, Sha256};

/// Version of the engine's trace: traces of different versions are not compared.
pub const ENGINE_TRACE: u32 = 4;

/// A running chain.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    state: [u8; 32],
}

impl Chain {
    /// Adds one part.
    pub fn add(&mut self, part: &[u8]) {
        let mut hasher = Sha256::new();
        hasher.update(self.state);
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(part);
        self.state = hasher.finalize().into();
    }

    /// The first 8 bytes of the state, as a big-endian number.
    #[must_use]
    pub fn value(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.state;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_gives_its_golden_value() {
        let mut chain = Chain::default();
        chain.add(b"put foo bar");
        chain.add(&7_u64.to_le_bytes());
        assert_eq!(format!("{:016x}", chain.value()), "05086e20e9cc50cc");
    }

    #[test]
    fn order_and_borders_of_parts_count() {
        let hash = |parts: &[&[u8]]| {
            let mut chain = Chain::default();
            for part in parts {
                chain.add(part);
            }
            chain.value()
        };
        assert_eq!(hash(&[b"ab", b"c"]), hash(&[b"ab", b"c"]));
        assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
        assert_ne!(hash(&[b"a", b"b"]), hash(&[b"b", b"a"]));
    }
}
