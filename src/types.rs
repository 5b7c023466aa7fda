//! The words every layer shares: ids, terms, indexes, time.
//!
//! What it is: newtypes for numbers that must not be mixed up, and maps, sets, a sort and base64 of
//! little code.
//! What it is not: a place for behaviour; arithmetic beyond `next` and `saturating_prev` belongs to the owner.
//! Invariants: widths are fixed (`u64` for Raft, `i64` for revisions and leases, as on etcd's wire);
//! no `usize` in anything that is stored, sent or hashed.

mod base64;
mod big;
mod small;
mod sort;

use std::fmt;

use crc::{CRC_32_ISCSI, Crc, Table};
use serde::{Deserialize, Serialize};

pub use base64::Base64;
pub use big::{BigMap, BigSet};
pub use small::{SmallMap, SmallSet};
pub use sort::{sort, sort_by};

/// CRC-32C (Castagnoli): what guards stored records and what etcd's `HashKV` is made of.
///
/// With a small table: the eight tables that are three times as quick are 8 KB that no compression shrinks.
pub static CRC32C: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);

/// A number as Go writes it: a sign and a magnitude.
trait Signed {
    /// Whether it is below 0, and how far it is from there.
    fn parts(self) -> (bool, u64);
}

impl Signed for u64 {
    fn parts(self) -> (bool, u64) {
        (false, self)
    }
}

impl Signed for i64 {
    fn parts(self) -> (bool, u64) {
        (self < 0, self.unsigned_abs())
    }
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $inner:ty) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::LowerHex for $name {
            /// A negative number has a sign, as Go writes it, not two's complement.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (is_negative, magnitude) = self.0.parts();
                f.pad_integral(!is_negative, "0x", &format!("{magnitude:x}"))
            }
        }
    };
}

number!(
    /// A Raft member. In a cluster: the first 8 bytes of a SHA-1 (see `membership`).
    MemberId, u64
);
number!(
    /// A cluster: the first 8 bytes of SHA-1 over its sorted member ids.
    ClusterId, u64
);
number!(
    /// A Raft term. 0 before anything happened.
    Term, u64
);
number!(
    /// A position in the Raft log. The first entry has index 1; 0 means "before the log".
    Index, u64
);
number!(
    /// A lease. 0 means "no lease"; negative ids are legal.
    LeaseId, i64
);
number!(
    /// A watch within its stream. -1 stands for "the stream itself" or "never created".
    WatchId, i64
);
number!(
    /// Milliseconds since the driver's own start; virtual in the simulator.
    Millis, u64
);
number!(
    /// Raft ticks. One tick is one heartbeat interval (100 ms by default).
    Ticks, u64
);

impl Index {
    /// The index after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The index before this one; 0 stays 0.
    #[must_use]
    pub const fn saturating_prev(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl Term {
    /// The term after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl Millis {
    /// This moment plus `duration_ms`, saturating.
    #[must_use]
    pub const fn plus(self, duration_ms: u64) -> Self {
        Self(self.0.saturating_add(duration_ms))
    }

    /// Milliseconds from `earlier` to this moment; 0 if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
