//! Which keys a user may read, and which write: intervals, merged.
//!
//! What it is: a set of keys as sorted intervals that neither overlap nor touch, and the question
//! whether a key or a range lies wholly inside.
//! What it is not: a list of what was granted; that is gone once it is merged.
//! Invariants: intervals are not empty; each one ends before the next begins; comparison is bytewise,
//! so `*` is a byte like any other.
//! Source: etcd `server/auth/range_perm_cache.go`.

use bytes::Bytes;

use crate::api::{Permission, PermissionType};
use crate::types;

/// The end of an interval, exclusive. The order of the variants is the order of ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Before(Bytes),
    Open,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Interval {
    begin: Bytes,
    end: End,
}

impl Interval {
    /// Reads `key` and `range_end` as requests and permissions carry them.
    fn new(key: &Bytes, range_end: &Bytes) -> Self {
        let end = match range_end.as_ref() {
            [] => End::Before(successor(key)),
            [0] => End::Open,
            _ => End::Before(range_end.clone()),
        };
        Self { begin: key.clone(), end }
    }

    fn is_empty(&self) -> bool {
        match &self.end {
            End::Before(end) => *end <= self.begin,
            End::Open => false,
        }
    }
}

/// The smallest key after `key`.
fn successor(key: &Bytes) -> Bytes {
    let mut next = Vec::with_capacity(key.len().saturating_add(1));
    next.extend_from_slice(key);
    next.push(0);
    next.into()
}

/// Whether a permission may be granted: it must have a key and cover something.
pub(super) fn is_valid_permission_range(key: &Bytes, range_end: &Bytes) -> bool {
    !key.is_empty() && !Interval::new(key, range_end).is_empty()
}

/// A set of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RangeSet {
    intervals: Vec<Interval>,
}

impl RangeSet {
    fn new(mut granted: Vec<Interval>) -> Self {
        granted.retain(|interval| !interval.is_empty());
        types::sort(&mut granted);
        let mut intervals: Vec<Interval> = Vec::with_capacity(granted.len());
        for next in granted {
            match intervals.last_mut() {
                Some(last) if touches(last, &next) => {
                    if next.end > last.end {
                        last.end = next.end;
                    }
                }
                _ => intervals.push(next),
            }
        }
        Self { intervals }
    }

    /// Whether the key (`range_end` empty) or the whole range lies inside.
    ///
    /// A range that contains nothing lies inside if an interval reaches over both its ends.
    pub(super) fn contains(&self, key: &Bytes, range_end: &Bytes) -> bool {
        let asked = Interval::new(key, range_end);
        let after = self.intervals.partition_point(|interval| interval.begin <= asked.begin);
        let Some(around) = after.checked_sub(1).and_then(|at| self.intervals.get(at)) else {
            return false;
        };
        if asked.is_empty() {
            let End::Before(end) = &asked.end else { return false };
            return around.begin < *end && End::Before(asked.begin) < around.end;
        }
        asked.end <= around.end
    }
}

/// Whether `next`, which does not begin before `last`, begins inside it or exactly at its end.
fn touches(last: &Interval, next: &Interval) -> bool {
    match &last.end {
        End::Before(end) => next.begin <= *end,
        End::Open => true,
    }
}

/// What the roles of one user add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UserPermissions {
    pub(super) read: RangeSet,
    pub(super) write: RangeSet,
}

impl UserPermissions {
    /// Merges permissions.
    pub(super) fn new<'a>(permissions: impl Iterator<Item = &'a Permission>) -> Self {
        let (mut read, mut write) = (Vec::new(), Vec::new());
        for permission in permissions {
            let interval = Interval::new(&permission.key, &permission.range_end);
            match permission.perm_type {
                PermissionType::Read => read.push(interval),
                PermissionType::Write => write.push(interval),
                PermissionType::ReadWrite => {
                    read.push(interval.clone());
                    write.push(interval);
                }
            }
        }
        Self { read: RangeSet::new(read), write: RangeSet::new(write) }
    }
}
