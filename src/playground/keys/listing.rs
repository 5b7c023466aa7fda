//! The rows of the list of keys: one after the other, or grouped by prefix.
//!
//! What it is: [`Listing`], made of the keys in their order, once per change of which keys there are.
//! What it is not: what a row says; that is read from the history when the row can be seen.
//! Invariants: rows are in the order of their keys, a folder before what it holds; keys are bytes, and `/` divides
//! them only for the eye.

use bytes::Bytes;

use super::view::Folder;
use crate::playground::escape;

/// Most folders around a key; what is deeper is part of its name.
const DEPTH_MAX: usize = 16;
/// Under this Kubernetes keeps everything. Source: the API server's `--etcd-prefix`.
const KUBERNETES: &[u8] = b"/registry/";

/// A row.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The key, or the prefix with its `/`.
    pub(super) name: Bytes,
    /// Where what is shown of it begins.
    pub(super) from: usize,
    pub(super) depth: u32,
    /// A prefix: what it holds, and whether that is shown.
    pub(super) folder: Option<(Folder, bool)>,
    /// How many keys a folder holds.
    pub(super) keys: u64,
}

/// What is listed, and how.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    filter: String,
    pub(super) is_grouped: bool,
    /// Folders that are not as they are at first.
    toggled: Vec<Bytes>,
    /// The same while something is looked for.
    toggled_found: Vec<Bytes>,
}

impl Order {
    /// True if a key is one of those looked for.
    pub(super) fn matches(&self, key: &[u8]) -> bool {
        let filter = self.filter.as_bytes();
        // What cannot be typed is looked for as it is shown.
        contains(key, filter)
            || (filter.contains(&b'\\') && contains(escape::line(key).as_bytes(), filter))
    }

    fn is_open(&self, prefix: &[u8]) -> bool {
        // Whoever searches wants to see what is found.
        let is_search = !self.filter.is_empty();
        let toggled = if is_search { &self.toggled_found } else { &self.toggled };
        (is_search || prefix == KUBERNETES) != toggled.iter().any(|other| *other == prefix)
    }

    /// What is looked for.
    pub(super) fn filtered(&self) -> &str {
        &self.filter
    }

    /// Looks for something else.
    pub(super) fn filter(&mut self, filter: String) {
        self.filter = filter;
        self.toggled_found.clear();
    }

    pub(super) fn toggle(&mut self, prefix: Bytes) {
        let toggled =
            if self.filter.is_empty() { &mut self.toggled } else { &mut self.toggled_found };
        match toggled.iter().position(|other| *other == prefix) {
            Some(at) => drop(toggled.remove(at)),
            None => toggled.push(prefix),
        }
    }
}

/// The rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    pub(super) places: Vec<Place>,
    pub(super) matching: u64,
}

impl Listing {
    /// The rows for these keys, which come in their order.
    pub(super) fn new(keys: &mut dyn Iterator<Item = &Bytes>, order: &Order) -> Self {
        let mut listing = Self::default();
        // The folders around the key that comes next.
        let mut around: Vec<usize> = Vec::new();
        for key in keys {
            if !order.matches(key) {
                continue;
            }
            listing.matching += 1;
            if order.is_grouped {
                listing.grouped(key, order, &mut around);
            } else {
                listing.places.push(Place {
                    name: key.clone(),
                    from: 0,
                    depth: 0,
                    folder: None,
                    keys: 0,
                });
            }
        }
        listing
    }

    fn grouped(&mut self, key: &Bytes, order: &Order, around: &mut Vec<usize>) {
        while let Some(place) = around.last().and_then(|at| self.places.get(*at)) {
            if key.starts_with(&place.name) {
                break;
            }
            around.pop();
        }
        for at in around.iter() {
            if let Some(place) = self.places.get_mut(*at) {
                place.keys += 1;
            }
        }
        loop {
            let parent = around.last().and_then(|at| self.places.get(*at));
            if parent.is_some_and(|parent| parent.folder.is_some_and(|(_, is_open)| !is_open)) {
                return;
            }
            let from = parent.map_or(0, |parent| parent.name.len());
            let depth = u32::try_from(around.len()).unwrap_or(u32::MAX);
            let Some(end) = divider(key, from).filter(|_| around.len() < DEPTH_MAX) else {
                self.places.push(Place { name: key.clone(), from, depth, folder: None, keys: 0 });
                return;
            };
            let name = key.slice(..end);
            let folder = Some((kind_of(&name), order.is_open(&name)));
            around.push(self.places.len());
            self.places.push(Place { name, from, depth, folder, keys: 1 });
        }
    }

    /// Where the row of a key or a prefix stands.
    pub(super) fn position(&self, name: &[u8], is_folder: bool) -> Option<usize> {
        // Rows are in the order of their names, and a key stands before a folder of the same name.
        let place =
            |place: &Place| (*place.name).cmp(name).then(place.folder.is_some().cmp(&is_folder));
        self.places.binary_search_by(place).ok()
    }

    /// The row that a row stands in.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        let depth = self.places.get(at)?.depth;
        let before = self.places.get(..at)?;
        before.iter().rposition(|place| place.depth < depth)
    }
}

/// Behind the next `/`; one that begins a key does not divide it.
fn divider(key: &[u8], from: usize) -> Option<usize> {
    let begin = from.max(1);
    let found = key.get(begin..)?.iter().position(|byte| *byte == b'/')?;
    let end = begin + found + 1;
    // A key that ends with it is a key in the folder, and needs a name there.
    (end < key.len()).then_some(end)
}

/// What a prefix holds.
fn kind_of(prefix: &[u8]) -> Folder {
    let Some(rest) = prefix.strip_prefix(KUBERNETES) else { return Folder::Plain };
    let mut names = rest.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
    let Some(first) = names.next() else { return Folder::Kubernetes };
    // Resources of an API group stand one deeper, and so do the two kinds of services.
    let is_group = first.contains(&b'.') || first == b"services";
    match (is_group, names.count()) {
        (true, 0) => Folder::Group,
        (true, 1) | (false, 0) => Folder::Resource,
        (true, 2) | (false, 1) => Folder::Namespace,
        _ => Folder::Plain,
    }
}

fn contains(hay: &[u8], needle: &[u8]) -> bool {
    let Some(first) = needle.first() else { return true };
    hay.windows(needle.len()).any(|part| part.first() == Some(first) && part == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(keys: &[&'static str], order: &Order) -> Vec<(String, u32, u64)> {
        let keys: Vec<Bytes> = keys.iter().map(|key| Bytes::from_static(key.as_bytes())).collect();
        let listing = Listing::new(&mut keys.iter(), order);
        let row = |place: &Place| {
            let name = String::from_utf8_lossy(&place.name[place.from..]).into_owned();
            (name, place.depth, place.keys)
        };
        listing.places.iter().map(row).collect()
    }

    fn row(name: &str, depth: u32, keys: u64) -> (String, u32, u64) {
        (name.to_owned(), depth, keys)
    }

    const KEYS: [&str; 6] = ["/a/1", "/a/b/2", "/a/b/3", "/c", "d/", "plain"];

    #[test]
    fn folders_count_what_they_hold_and_show_it_when_they_are_open() {
        let mut order = Order { is_grouped: true, ..Order::default() };
        assert_eq!(
            listed(&KEYS, &order),
            [row("/a/", 0, 3), row("/c", 0, 0), row("d/", 0, 0), row("plain", 0, 0)]
        );
        order.toggle(Bytes::from_static(b"/a/"));
        assert_eq!(listed(&KEYS, &order)[..3], [row("/a/", 0, 3), row("1", 1, 0), row("b/", 1, 2)]);
        order.toggle(Bytes::from_static(b"/a/b/"));
        assert_eq!(listed(&KEYS, &order)[2..5], [row("b/", 1, 2), row("2", 2, 0), row("3", 2, 0)]);
        order.toggle(Bytes::from_static(b"/a/"));
        assert_eq!(listed(&KEYS, &order)[..2], [row("/a/", 0, 3), row("/c", 0, 0)]);
    }

    #[test]
    fn a_search_opens_what_it_finds_and_counts_only_that() {
        let mut order = Order { is_grouped: true, ..Order::default() };
        // What was open before is open, too, and what is closed now is open again for the next search.
        order.toggle(Bytes::from_static(b"/a/"));
        order.filter("1".to_owned());
        order.toggle(Bytes::from_static(b"/a/"));
        assert_eq!(listed(&KEYS, &order), [row("/a/", 0, 1)]);
        order.filter("b/".to_owned());
        assert_eq!(
            listed(&KEYS, &order),
            [row("/a/", 0, 2), row("b/", 1, 2), row("2", 2, 0), row("3", 2, 0)]
        );
        let flat = Order { filter: "a".to_owned(), ..Order::default() };
        assert_eq!(listed(&KEYS, &flat).len(), 4);
        let shown = Order { filter: "\\xff".to_owned(), ..Order::default() };
        assert!(shown.matches(b"a\xff") && !shown.matches(b"a"));
    }

    #[test]
    fn keys_of_kubernetes_are_grouped_by_resource_and_namespace() {
        let kinds = [
            ("/registry/", Folder::Kubernetes),
            ("/registry/pods/", Folder::Resource),
            ("/registry/pods/default/", Folder::Namespace),
            ("/registry/pods/default/deeper/", Folder::Plain),
            ("/registry/stable.example.com/", Folder::Group),
            ("/registry/stable.example.com/crontabs/", Folder::Resource),
            ("/registry/stable.example.com/crontabs/default/", Folder::Namespace),
            ("/registry/services/specs/", Folder::Resource),
            ("/app/", Folder::Plain),
        ];
        for (prefix, kind) in kinds {
            assert_eq!(kind_of(prefix.as_bytes()), kind, "{prefix}");
        }
        let order = Order { is_grouped: true, ..Order::default() };
        let keys = [
            "/registry/pods/default/a",
            "/registry/pods/kube-system/b",
            "/registry/secrets/default/c",
        ];
        assert_eq!(
            listed(&keys, &order),
            [row("/registry/", 0, 3), row("pods/", 1, 2), row("secrets/", 1, 1)]
        );
    }

    #[test]
    fn rows_are_found_by_their_names_and_know_what_they_stand_in() {
        let mut order = Order { is_grouped: true, ..Order::default() };
        order.toggle(Bytes::from_static(b"/a/"));
        let keys = ["/a/", "/a/1", "/a/b/2", "/c"].map(|key| Bytes::from_static(key.as_bytes()));
        let listing = Listing::new(&mut keys.iter(), &order);
        for (at, place) in listing.places.iter().enumerate() {
            assert_eq!(listing.position(&place.name, place.folder.is_some()), Some(at));
        }
        let inner = listing.position(b"/a/b/", true).unwrap();
        assert_eq!(listing.parent(inner), listing.position(b"/a/", true));
        assert_eq!(listing.parent(0), None);
    }

    #[test]
    fn a_key_of_slashes_has_a_bounded_depth() {
        let order = Order { is_grouped: true, filter: "/".to_owned(), ..Order::default() };
        let deep = "/".repeat(5_000);
        let key = Bytes::from(deep.into_bytes());
        let listing = Listing::new(&mut [key].iter(), &order);
        assert_eq!(listing.places.len(), DEPTH_MAX + 1);
    }
}
