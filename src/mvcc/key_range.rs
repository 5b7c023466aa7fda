//! `key` and `range_end` of a request as one value.
//!
//! What it is: one key, an interval, or everything from a key on; bytewise.
//! Invariants: an interval may be empty (`end <= start`): it then contains nothing.
//! Source: etcd `api/etcdserverpb/rpc.proto` (`RangeRequest.range_end`).

use std::ops::Bound;

use bytes::Bytes;

/// Which keys are meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyRange {
    pub(super) start: Bytes,
    pub(super) end: RangeEnd,
}

/// Bounds for `BTreeMap::range`.
pub(super) type Bounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// Where a [`KeyRange`] ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RangeEnd {
    /// Only the start.
    One,
    /// Before this key.
    Before(Bytes),
    /// Nowhere.
    Open,
}

impl KeyRange {
    /// Reads the two fields of a request: an empty end means one key, `[0]` means "to the end".
    pub(super) fn new(key: &Bytes, range_end: &Bytes) -> Self {
        let end = match range_end.as_ref() {
            [] => RangeEnd::One,
            [0] => RangeEnd::Open,
            _ => RangeEnd::Before(range_end.clone()),
        };
        Self { start: key.clone(), end }
    }

    /// The end as a request says it.
    pub(super) fn request_end(&self) -> Bytes {
        match &self.end {
            RangeEnd::One => Bytes::new(),
            RangeEnd::Before(end) => end.clone(),
            RangeEnd::Open => Bytes::from_static(&[0]),
        }
    }

    pub(super) const fn is_one(&self) -> bool {
        matches!(self.end, RangeEnd::One)
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.end {
            RangeEnd::Before(end) => *end <= self.start,
            RangeEnd::One | RangeEnd::Open => false,
        }
    }

    pub(super) fn contains(&self, key: &[u8]) -> bool {
        match &self.end {
            RangeEnd::One => key == self.start,
            RangeEnd::Before(end) => key >= &*self.start && key < &**end,
            RangeEnd::Open => key >= &*self.start,
        }
    }

    /// The bounds for `BTreeMap::range`; `None` if the range is empty, which it would panic on.
    pub(super) fn bounds(&self) -> Option<Bounds<'_>> {
        if self.is_empty() {
            return None;
        }
        let start = Bound::Included(&*self.start);
        Some(match &self.end {
            RangeEnd::One => (start, Bound::Included(&*self.start)),
            RangeEnd::Before(end) => (start, Bound::Excluded(&**end)),
            RangeEnd::Open => (start, Bound::Unbounded),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(key: &'static [u8], end: &'static [u8]) -> KeyRange {
        KeyRange::new(&Bytes::from_static(key), &Bytes::from_static(end))
    }

    #[test]
    fn empty_end_is_one_key_and_nul_end_is_open() {
        assert!(range(b"b", b"").contains(b"b"));
        assert!(!range(b"b", b"").contains(b"b\0"));
        assert!(range(b"b", b"\0").contains(b"\xff\xff"));
        assert!(!range(b"b", b"\0").contains(b"a"));
        assert!(range(b"b", b"d").contains(b"c\xff"));
        assert!(!range(b"b", b"d").contains(b"d"));
    }

    #[test]
    fn end_before_start_contains_nothing_and_has_no_bounds() {
        for (key, end) in [(&b"b"[..], &b"a"[..]), (b"b", b"b")] {
            assert!(range(key, end).is_empty());
            assert!(range(key, end).bounds().is_none());
            assert!(!range(key, end).contains(b"b"));
        }
    }
}
