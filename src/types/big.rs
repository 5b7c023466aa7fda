//! Maps and sets of many entries: sorted vectors in a sorted vector.
//!
//! What it is: [`BigMap`] and [`BigSet`], with the order, the words and the printed form of `BTreeMap`
//! and `BTreeSet`, in a quarter of their machine code per type of entry.
//! A call costs two binary searches and moves at most one chunk of entries, and now and then one
//! pointer per chunk.
//! What it is not: the quickest beyond some ten thousand entries, where random looks take up to twice a
//! tree's time (entries in order take less): the store's index and rows are trees.
//! Invariants: no chunk is empty or longer than [`CHUNK_MAX`]; keys rise strictly, across chunks too.
//! How entries are spread over chunks means nothing.

use std::borrow::Borrow;
use std::fmt;
use std::ops::{Bound, RangeBounds};

/// Entries in one chunk at most. Chosen by measurement: fewer make more chunks, more make longer moves.
const CHUNK_MAX: usize = 64;

type Chunk<K, V> = Vec<(K, V)>;

/// A map in key order, for any number of entries.
#[derive(Clone)]
pub struct BigMap<K, V> {
    chunks: Vec<Chunk<K, V>>,
}

impl<K, V> BigMap<K, V> {
    /// A map without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    /// The number of entries: a look at each chunk.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum()
    }

    /// True without entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Removes every entry.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// The entries in key order.
    #[must_use]
    pub fn iter(&self) -> Entries<'_, K, V> {
        Entries { front: [].iter(), chunks: self.chunks.iter(), back: [].iter() }
    }

    /// The entries in key order, with values that can be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.chunks.iter_mut().flatten().map(|(key, value)| (&*key, value))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The values, which may be changed, in the order of their keys.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// The entry with the lowest key.
    #[must_use]
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.chunks.first()?.first().map(|(key, value)| (key, value))
    }

    /// The entry with the highest key.
    #[must_use]
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.chunks.last()?.last().map(|(key, value)| (key, value))
    }

    /// Keeps the entries that `wanted` agrees to; it may change their values.
    pub fn retain(&mut self, mut wanted: impl FnMut(&K, &mut V) -> bool) {
        for chunk in &mut self.chunks {
            chunk.retain_mut(|(key, value)| wanted(key, value));
        }
        self.chunks.retain(|chunk| !chunk.is_empty());
    }
}

impl<K: Ord, V> BigMap<K, V> {
    /// In which chunk `key` stands and where, or where it would.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> (usize, Result<usize, usize>)
    where
        K: Borrow<Q>,
    {
        let begins_before =
            |chunk: &Chunk<K, V>| chunk.first().is_some_and(|(first, _)| first.borrow() <= key);
        let chunk = self.chunks.partition_point(begins_before).saturating_sub(1);
        let place = self
            .chunks
            .get(chunk)
            .map_or(Err(0), |chunk| chunk.binary_search_by(|(other, _)| other.borrow().cmp(key)));
        (chunk, place)
    }

    /// The value of `key`.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (chunk, place) = self.find(key);
        self.chunks.get(chunk)?.get(place.ok()?).map(|(_, value)| value)
    }

    /// The value of `key`, to change it.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (chunk, place) = self.find(key);
        self.chunks.get_mut(chunk)?.get_mut(place.ok()?).map(|(_, value)| value)
    }

    /// True if there is an entry with `key`.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).1.is_ok()
    }

    /// Sets the value of `key`; gives the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (chunk, place) = self.find(&key);
        match place {
            Ok(at) => {
                let (_, old) = self.chunks.get_mut(chunk)?.get_mut(at)?;
                Some(std::mem::replace(old, value))
            }
            Err(at) => {
                self.insert_at(chunk, at, (key, value));
                None
            }
        }
    }

    /// The value of `key`, which `make` makes if there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let (chunk, place) = self.find(&key);
        let (chunk, at) = match place {
            Ok(at) => (chunk, at),
            Err(at) => self.insert_at(chunk, at, (key, make())),
        };
        #[expect(clippy::indexing_slicing, reason = "found or inserted there just now")]
        let (_, value) = &mut self.chunks[chunk][at];
        value
    }

    /// Puts an entry where [`Self::find`] said; gives back where it stands.
    fn insert_at(&mut self, chunk: usize, at: usize, entry: (K, V)) -> (usize, usize) {
        let (mut chunk, mut at) = (chunk, at);
        if let Some(full) = self.chunks.get_mut(chunk).filter(|chunk| chunk.len() == CHUNK_MAX) {
            // Entries that come in order leave full chunks behind.
            let middle = if at == CHUNK_MAX { at } else { CHUNK_MAX / 2 };
            let upper = full.split_off(middle);
            self.chunks.insert(chunk + 1, upper);
            if at > middle || middle == CHUNK_MAX {
                (chunk, at) = (chunk + 1, at - middle);
            }
        }
        match self.chunks.get_mut(chunk) {
            Some(entries) => entries.insert(at, entry),
            None => self.chunks.push(vec![entry]),
        }
        (chunk, at)
    }

    /// Takes the entry of `key` out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (chunk, place) = self.find(key);
        let entries = self.chunks.get_mut(chunk)?;
        let (_, value) = entries.remove(place.ok()?);
        if entries.is_empty() {
            self.chunks.remove(chunk);
        } else {
            self.join(chunk);
            self.join(chunk.saturating_sub(1));
        }
        Some(value)
    }

    /// Makes one chunk of this one and the next if both together are short.
    fn join(&mut self, chunk: usize) {
        let length = |at: usize| self.chunks.get(at).map(Vec::len);
        let (Some(one), Some(next)) = (length(chunk), length(chunk + 1)) else { return };
        if one + next <= CHUNK_MAX / 2 {
            let next = self.chunks.remove(chunk + 1);
            if let Some(entries) = self.chunks.get_mut(chunk) {
                entries.extend(next);
            }
        }
    }

    /// The entries whose keys lie in `range`, in order; none if it ends before it begins.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> Entries<'_, K, V>
    where
        K: Borrow<Q>,
    {
        // A bound stands before the entry at its place, or behind it.
        let place = |key: &Q, is_behind: bool| match self.find(key) {
            (chunk, Ok(at)) => (chunk, at + usize::from(is_behind)),
            (chunk, Err(at)) => (chunk, at),
        };
        let from = match range.start_bound() {
            Bound::Included(key) => place(key, false),
            Bound::Excluded(key) => place(key, true),
            Bound::Unbounded => (0, 0),
        };
        let to = match range.end_bound() {
            Bound::Included(key) => place(key, true),
            Bound::Excluded(key) => place(key, false),
            Bound::Unbounded => (self.chunks.len(), 0),
        };
        self.between(from, to)
    }

    fn between(&self, from: (usize, usize), to: (usize, usize)) -> Entries<'_, K, V> {
        let chunk = |at: usize| self.chunks.get(at).map(Vec::as_slice).unwrap_or_default();
        let (front, back) = if from.0 == to.0 {
            (chunk(from.0).get(from.1..to.1), None)
        } else if from.0 < to.0 {
            (chunk(from.0).get(from.1..), chunk(to.0).get(..to.1))
        } else {
            (None, None)
        };
        let whole = self.chunks.get(from.0 + 1..to.0).unwrap_or_default();
        Entries {
            front: front.unwrap_or_default().iter(),
            chunks: whole.iter(),
            back: back.unwrap_or_default().iter(),
        }
    }
}

/// Entries of a [`BigMap`] in key order.
pub struct Entries<'a, K, V> {
    front: std::slice::Iter<'a, (K, V)>,
    chunks: std::slice::Iter<'a, Chunk<K, V>>,
    back: std::slice::Iter<'a, (K, V)>,
}

impl<'a, K, V> Iterator for Entries<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.front.next() {
                return Some((key, value));
            }
            match self.chunks.next() {
                Some(chunk) => self.front = chunk.iter(),
                None if self.back.as_slice().is_empty() => return None,
                None => self.front = std::mem::take(&mut self.back),
            }
        }
    }
}

impl<K, V> Default for BigMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for BigMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for BigMap<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for BigMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for BigMap<K, V> {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<K, V> IntoIterator for BigMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<(K, V)>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.chunks.into_iter().flatten()
    }
}

impl<'a, K, V> IntoIterator for &'a BigMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Entries<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A set in order, for any number of elements.
#[derive(Clone, PartialEq, Eq)]
pub struct BigSet<T> {
    elements: BigMap<T, ()>,
}

impl<T> BigSet<T> {
    /// A set without elements.
    #[must_use]
    pub const fn new() -> Self {
        Self { elements: BigMap::new() }
    }

    /// The number of elements: a look at each chunk.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// True without elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The elements in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.elements.keys()
    }

    /// The lowest element.
    #[must_use]
    pub fn first(&self) -> Option<&T> {
        self.elements.first_key_value().map(|(element, ())| element)
    }
}

impl<T: Ord> BigSet<T> {
    /// True if `element` is in the set.
    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.elements.contains_key(element)
    }

    /// Adds an element; false if it was there.
    pub fn insert(&mut self, element: T) -> bool {
        self.elements.insert(element, ()).is_none()
    }

    /// Removes an element; false if it was not there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.elements.remove(element).is_some()
    }

    /// The elements above `element`, in order.
    pub fn after(&self, element: &T) -> impl Iterator<Item = &T> {
        let above = (Bound::Excluded(element), Bound::Unbounded);
        self.elements.range::<T>(above).map(|(element, ())| element)
    }
}

impl<T> Default for BigSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for BigSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests;
