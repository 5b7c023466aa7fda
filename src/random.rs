//! The project's random numbers: PCG32 seeded through `SplitMix64`.
//!
//! What it is: a small generator whose sequence never changes, natively and in WebAssembly,
//! so that a shared seed replays for ever.
//! What it is not: a source of secrets, or of entropy; seeds come from the edges.
//! Invariants: integer arithmetic only; every draw consumes a number of outputs that depends on the
//! sequence alone; golden vectors below pin the algorithm.
//! Source: M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms
//! for Random Number Generation" (XSH RR 64/32); G. Steele et al., "Fast Splittable Pseudorandom
//! Number Generators" (`SplitMix64`).

use serde::{Deserialize, Serialize};

const PCG_MULTIPLIER: u64 = 6_364_136_223_846_793_005;

/// `SplitMix64`: turns any 64-bit number into a well-mixed stream; used for seeding only.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts at `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// PCG32 (XSH RR 64/32): one independent stream per (seed, purpose).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pcg32 {
    state: u64,
    /// Invariant: odd.
    increment: u64,
}

impl Pcg32 {
    /// The reference initialisation with an explicit state and stream.
    #[must_use]
    pub const fn from_state_and_stream(state: u64, stream: u64) -> Self {
        let mut pcg = Self { state: 0, increment: (stream << 1) | 1 };
        pcg.step();
        pcg.state = pcg.state.wrapping_add(state);
        pcg.step();
        pcg
    }

    /// One stream per `(seed, parts…)`, for example `(seed, [member, boot])`.
    #[must_use]
    pub fn for_stream(seed: u64, parts: &[u64]) -> Self {
        let mut mixed = SplitMix64::new(seed).next_u64();
        for part in parts {
            mixed = SplitMix64::new(mixed ^ *part).next_u64();
        }
        let mut split = SplitMix64::new(mixed);
        let state = split.next_u64();
        let stream = split.next_u64();
        Self::from_state_and_stream(state, stream)
    }

    const fn step(&mut self) {
        self.state = self.state.wrapping_mul(PCG_MULTIPLIER).wrapping_add(self.increment);
    }

    /// The next 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "the algorithm keeps the low 32 bits")]
    pub const fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.step();
        let xorshifted = (((old >> 18) ^ old) >> 27) as u32;
        let rotation = (old >> 59) as u32;
        xorshifted.rotate_right(rotation)
    }

    /// The next 64 bits: high word first.
    pub const fn next_u64(&mut self) -> u64 {
        let high = self.next_u32() as u64;
        let low = self.next_u32() as u64;
        (high << 32) | low
    }

    /// A uniform draw from `0..bound`; 0 if `bound` is 0 (nothing is drawn then).
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound == 0 {
            return 0;
        }
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let draw = self.next_u32();
            if draw >= threshold {
                return draw % bound;
            }
        }
    }

    /// A uniform draw from `low..=high`; `low` if the range is empty.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        if high <= low {
            return low;
        }
        match (high - low).checked_add(1) {
            Some(width) => low + self.below(width),
            None => self.next_u32(),
        }
    }

    /// True in `numerator` of `denominator` draws.
    pub fn chance(&mut self, numerator: u32, denominator: u32) -> bool {
        self.below(denominator) < numerator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pcg32_gives_the_reference_vector() {
        // The output of the reference implementation's demo: seed 42, stream 54.
        let mut pcg = Pcg32::from_state_and_stream(42, 54);
        let drawn: Vec<u32> = (0..6).map(|_| pcg.next_u32()).collect();
        assert_eq!(
            drawn,
            [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e]
        );
    }

    #[test]
    fn splitmix64_gives_the_reference_vector() {
        let mut split = SplitMix64::new(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| split.next_u64()).collect();
        assert_eq!(
            drawn,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn streams_differ_and_draws_stay_in_range() {
        let mut one = Pcg32::for_stream(1, &[7, 0]);
        let mut two = Pcg32::for_stream(1, &[7, 1]);
        assert_ne!(one.next_u64(), two.next_u64());
        for _ in 0..1000 {
            assert!(one.below(10) < 10);
            assert!((10..=20).contains(&two.between(10, 20)));
        }
        assert_eq!(one.below(0), 0);
        assert_eq!(one.between(5, 5), 5);
    }
}
