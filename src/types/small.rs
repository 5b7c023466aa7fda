//! Maps and sets of a few entries: sorted vectors.
//!
//! What it is: [`SmallMap`] and [`SmallSet`], with the order, the words, the printed form and the
//! encoding of `BTreeMap` and `BTreeSet`, in a tenth of their machine code per type of entry.
//! What it is not: fit for entries that grow with a user's data; inserting and removing move what
//! stands behind the place, unless it is the end: see [`super::BigMap`].
//! Invariants: keys rise strictly.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A map in key order, for few entries.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SmallMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> SmallMap<K, V> {
    /// A map without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// The number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// True without entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes every entry.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entries in key order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The entries in key order, with values that can be changed.
    pub fn iter_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (&K, &mut V)> + ExactSizeIterator {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values in the order of their keys, to change them.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// Keeps the entries that `wanted` agrees to.
    pub fn retain(&mut self, mut wanted: impl FnMut(&K, &mut V) -> bool) {
        self.entries.retain_mut(|(key, value)| wanted(key, value));
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    /// Where `key` stands, or where it would.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries.binary_search_by(|(other, _)| other.borrow().cmp(key))
    }

    /// The value of `key`.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        self.entries.get(at).map(|(_, value)| value)
    }

    /// The value of `key`, to change it.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let at = self.find(key).ok()?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// True if there is an entry with `key`.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Sets the value of `key`; gives the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => self.entries.get_mut(at).map(|(_, old)| std::mem::replace(old, value)),
            Err(at) => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }

    /// The value of `key`, which `make` makes if there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = self.find(&key).unwrap_or_else(|at| {
            self.entries.insert(at, (key, make()));
            at
        });
        #[expect(clippy::indexing_slicing, reason = "found or inserted there just now")]
        let (_, value) = &mut self.entries[at];
        value
    }

    /// Takes the entry of `key` out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| self.entries.remove(at).1)
    }
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SmallMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SmallMap<K, V> {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(entries: T) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<K, V> IntoIterator for SmallMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a SmallMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = std::iter::Map<std::slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter().map(|(key, value)| (key, value))
    }
}

impl<K: Serialize, V: Serialize> Serialize for SmallMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

struct MapVisitor<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for MapVisitor<K, V> {
    type Value = SmallMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut map = SmallMap::new();
        while let Some((key, value)) = access.next_entry()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for SmallMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

/// A set in order, for few elements.
#[derive(Clone, PartialEq, Eq)]
pub struct SmallSet<T> {
    elements: Vec<T>,
}

impl<T> SmallSet<T> {
    /// A set without elements.
    #[must_use]
    pub const fn new() -> Self {
        Self { elements: Vec::new() }
    }

    /// The number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.elements.len()
    }

    /// True without elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Removes every element.
    pub fn clear(&mut self) {
        self.elements.clear();
    }

    /// Keeps the elements that `wanted` agrees to.
    pub fn retain(&mut self, wanted: impl FnMut(&T) -> bool) {
        self.elements.retain(wanted);
    }

    /// The elements in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.elements.iter()
    }
}

impl<T: Ord> SmallSet<T> {
    /// True if `element` is in the set.
    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.elements.binary_search_by(|other| other.borrow().cmp(element)).is_ok()
    }

    /// Adds an element; false if it was there.
    pub fn insert(&mut self, element: T) -> bool {
        match self.elements.binary_search(&element) {
            Ok(_) => false,
            Err(at) => {
                self.elements.insert(at, element);
                true
            }
        }
    }

    /// Removes an element; false if it was not there.
    pub fn remove(&mut self, element: &T) -> bool {
        let found = self.elements.binary_search(element);
        if let Ok(at) = found {
            self.elements.remove(at);
        }
        found.is_ok()
    }

    /// The elements above `element`, in order.
    pub fn after(&self, element: &T) -> std::slice::Iter<'_, T> {
        let start = self.elements.partition_point(|other| other <= element);
        self.elements.get(start..).unwrap_or_default().iter()
    }
}

impl<T> Default for SmallSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SmallSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.elements).finish()
    }
}

impl<T: Ord> FromIterator<T> for SmallSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut set = Self::new();
        set.extend(elements);
        set
    }
}

impl<T: Ord> Extend<T> for SmallSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.insert(element);
        }
    }
}

impl<T> IntoIterator for SmallSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SmallSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}

impl<T: Serialize> Serialize for SmallSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.elements.serialize(serializer)
    }
}

struct SetVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Ord> Visitor<'de> for SetVisitor<T> {
    type Value = SmallSet<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a set")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut set = SmallSet::new();
        while let Some(element) = access.next_element()? {
            set.insert(element);
        }
        Ok(set)
    }
}

impl<'de, T: Deserialize<'de> + Ord> Deserialize<'de> for SmallSet<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(SetVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests;
