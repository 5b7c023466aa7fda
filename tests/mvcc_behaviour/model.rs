//! Random histories against a model that is too simple to be wrong.
//!
//! The model keeps the whole key space at every revision, and every event ever; the store has to give
//! the same answers at each revision that is not compacted, through compactions in parts and restarts,
//! and its watches have to deliver the same events: in order, each once, none left out.

use std::collections::BTreeMap;

use etcd_playground::api;
use etcd_playground::mvcc::WatchableStore;
use etcd_playground::types::{LeaseId, WatchId};
use proptest::prelude::*;

use crate::support::*;

const KEYS: [&str; 5] = ["a", "ab", "b", "c", "d"];

#[derive(Clone, Debug)]
enum Step {
    /// Keys of one transaction: put (true) or delete.
    Write(Vec<(usize, bool)>),
    DeleteRange(usize, usize),
    /// Back from the current revision.
    Compact(i64),
    CompactBatch(u32),
    Restart,
    /// Key, whether it is a range from there, how far back it starts.
    Watch(usize, bool, i64),
    Sync(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = 0..KEYS.len();
    let write = prop::collection::vec((key.clone(), any::<bool>()), 1..4).prop_map(Step::Write);
    let step = prop_oneof![
        6 => write,
        1 => (key.clone(), key.clone()).prop_map(|(from, to)| Step::DeleteRange(from, to)),
        1 => (0_i64..6).prop_map(Step::Compact),
        2 => (1_u32..4).prop_map(Step::CompactBatch),
        1 => Just(Step::Restart),
        1 => (key, any::<bool>(), 0_i64..6).prop_map(|(key, range, back)| Step::Watch(key, range, back)),
        2 => (1_u32..4).prop_map(Step::Sync),
    ];
    prop::collection::vec(step, 1..60)
}

type KeySpace = BTreeMap<&'static str, api::KeyValue>;

#[derive(Clone, Debug)]
struct Model {
    /// The key space at each revision; the first is revision 1.
    states: Vec<KeySpace>,
    /// (key, revision, is it a put)
    events: Vec<(&'static str, i64, bool)>,
    compact_revision: i64,
}

impl Model {
    fn current(&self) -> i64 {
        i64::try_from(self.states.len()).unwrap()
    }

    fn at(&self, revision: i64) -> &KeySpace {
        &self.states[usize::try_from(revision).unwrap() - 1]
    }

    fn write(&mut self, changes: &[(&'static str, bool)]) {
        let revision = self.current() + 1;
        let mut state = self.at(revision - 1).clone();
        let events = self.events.len();
        for (key, is_put) in changes {
            if *is_put {
                let (create, version) =
                    state.get(key).map_or((revision, 0), |kv| (kv.create_revision, kv.version));
                state.insert(*key, kv(key, create, revision, version + 1, &revision.to_string()));
            } else if state.remove(key).is_none() {
                continue;
            }
            self.events.push((key, revision, *is_put));
        }
        if self.events.len() > events {
            self.states.push(state);
        }
    }
}

/// One watch and what it got.
struct Watched {
    from_key: &'static str,
    is_range: bool,
    start: i64,
    got: Vec<(String, i64, bool)>,
    canceled: bool,
}

struct World {
    store: WatchableStore,
    model: Model,
    watches: BTreeMap<WatchId, Watched>,
}

impl World {
    fn new() -> Self {
        let model =
            Model { states: vec![KeySpace::new()], events: Vec::new(), compact_revision: -1 };
        Self { store: WatchableStore::new(), model, watches: BTreeMap::new() }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Write(changes) => self.write(changes),
            Step::DeleteRange(from, to) => {
                let (from, to) = (KEYS[*from], KEYS[*to]);
                let keys = KEYS.iter().filter(|key| (from..to).contains(*key));
                let changes: Vec<_> = keys.map(|key| (*key, false)).collect();
                if from < to {
                    self.model.write(&changes);
                }
                let expected = if from < to { self.model.current() } else { 0 };
                let (_, revision) = delete(&mut self.store, from, to);
                assert!(expected == 0 || revision == expected);
            }
            Step::Compact(back) => {
                let revision = self.model.current() - back;
                let accepted = self.store.compact(revision).is_ok();
                assert_eq!(accepted, revision > self.model.compact_revision);
                self.model.compact_revision = self.model.compact_revision.max(revision);
            }
            Step::CompactBatch(limit) => {
                self.store.compact_batch(*limit);
            }
            Step::Restart => {
                self.store = restart(&self.store);
                self.watches.clear();
            }
            Step::Watch(key, is_range, back) => self.watch(KEYS[*key], *is_range, *back),
            Step::Sync(batches) => {
                self.store.sync_watchers(*batches);
            }
        }
        while let Some(response) = next(&mut self.store) {
            self.take(&response);
        }
    }

    /// A key is written at most once in a transaction, as the API demands.
    fn write(&mut self, changes: &[(usize, bool)]) {
        let mut once: Vec<(&'static str, bool)> = Vec::new();
        for (key, is_put) in changes {
            if once.iter().all(|(other, _)| *other != KEYS[*key]) {
                once.push((KEYS[*key], *is_put));
            }
        }
        let value = (self.model.current() + 1).to_string();
        let mut txn = self.store.begin_write();
        for (key, is_put) in &once {
            if *is_put {
                txn.put(&bytes(key), bytes(&value), LeaseId(0));
            } else {
                txn.delete_range(&bytes(key), &bytes(""));
            }
        }
        let change = txn.end();
        self.model.write(&once);
        assert_eq!(change.revision, self.model.current());
    }

    fn watch(&mut self, from_key: &'static str, is_range: bool, back: i64) {
        let start = (self.model.current() + 1 - back).max(1);
        let range_end = bytes(if is_range { "\0" } else { "" });
        let request = api::WatchCreateRequest { range_end, ..watch_request(from_key, start) };
        let created = watch(&mut self.store, request);
        let watched = Watched { from_key, is_range, start, got: Vec::new(), canceled: false };
        self.watches.insert(created.watch_id, watched);
    }

    fn take(&mut self, response: &api::WatchResponse) {
        let watched = self.watches.get_mut(&response.watch_id).expect("a known watch");
        assert!(!watched.canceled, "nothing follows a cancel");
        if response.canceled {
            assert_eq!(response.compact_revision, self.model.compact_revision);
            watched.canceled = true;
        }
        for event in &response.events {
            let key = String::from_utf8(event.kv.key.to_vec()).expect("a test key");
            let is_put = event.event_type == api::EventType::Put;
            if is_put {
                let state = self.model.at(event.kv.mod_revision);
                assert_eq!(state.get(key.as_str()), Some(&event.kv));
            }
            watched.got.push((key, event.kv.mod_revision, is_put));
        }
    }

    fn check_reads(&self) {
        for revision in 1..=self.model.current() {
            let all = api::RangeRequest { revision, ..range_request("\0", "\0") };
            let result = self.store.range(&all);
            if revision < self.model.compact_revision {
                assert_eq!(result, Err(api::Error::Compacted));
                continue;
            }
            let expected: Vec<_> = self.model.at(revision).values().cloned().collect();
            let result = result.expect("range");
            assert_eq!(result.kvs, expected, "at {revision}");
            let hash = self.store.hash_kv(revision);
            assert_eq!(restart(&self.store).hash_kv(revision), hash, "hash at {revision}");
        }
    }

    fn check_watches(&mut self) {
        for response in drain(&mut self.store) {
            self.take(&response);
        }
        for watched in self.watches.values() {
            let wanted: Vec<_> = self
                .model
                .events
                .iter()
                .filter(|(key, revision, _)| {
                    let is_in_range = if watched.is_range {
                        *key >= watched.from_key
                    } else {
                        *key == watched.from_key
                    };
                    is_in_range && *revision >= watched.start
                })
                .map(|(key, revision, is_put)| ((*key).to_owned(), *revision, *is_put))
                .collect();
            if watched.canceled {
                assert_eq!(watched.got, wanted[..watched.got.len()], "no gap before the cancel");
            } else {
                assert_eq!(watched.got, wanted);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_histories_agree_with_the_model(steps in steps()) {
        let mut world = World::new();
        for step in &steps {
            world.step(step);
        }
        world.check_reads();
        world.check_watches();
        if world.store.is_compacting() {
            let before = world.store.hash_kv(0);
            finish_compaction(&mut world.store);
            prop_assert_eq!(world.store.hash_kv(0), before);
            world.check_reads();
        }
    }
}
