//! The lessor against a model that keeps plain lists and looks through all of them each time.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Grant {
        id: i64,
        ttl: i64,
    },
    Revoke {
        id: i64,
    },
    Put {
        key: u8,
        id: i64,
    },
    Delete {
        key: u8,
    },
    Checkpoint {
        id: i64,
        remaining: i64,
    },
    Renew {
        id: i64,
    },
    Pass {
        ms: u64,
    },
    /// Ticks, and applies so many of the revocations and all checkpoints that are asked for.
    Tick {
        applied: usize,
    },
    Promote {
        extend_ms: u64,
    },
    Demote,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let id = || -2_i64..7;
    let ttl = prop_oneof![4 => 1_i64..12, 1 => -3_i64..20, 1 => Just(TTL_MAX + 1)];
    prop_oneof![
        6 => (id(), ttl).prop_map(|(id, ttl)| Step::Grant { id, ttl }),
        2 => id().prop_map(|id| Step::Revoke { id }),
        6 => (0..6_u8, id()).prop_map(|(key, id)| Step::Put { key, id }),
        2 => (0..6_u8).prop_map(|key| Step::Delete { key }),
        2 => (id(), -1_i64..9).prop_map(|(id, remaining)| Step::Checkpoint { id, remaining }),
        4 => id().prop_map(|id| Step::Renew { id }),
        6 => prop_oneof![0_u64..400, 500_u64..4000].prop_map(|ms| Step::Pass { ms }),
        8 => (0..4_usize).prop_map(|applied| Step::Tick { applied }),
        2 => (0_u64..2000).prop_map(|extend_ms| Step::Promote { extend_ms }),
        1 => Just(Step::Demote),
        1 => Just(Step::Restart),
    ]
}

#[derive(Clone, Debug)]
struct ModelLease {
    ttl: i64,
    remaining: i64,
    /// The primary's: when it expires, when it is looked at, when it is checkpointed.
    expiry: u64,
    look: u64,
    checkpoint: Option<u64>,
}

#[derive(Default)]
struct Model {
    leases: BTreeMap<i64, ModelLease>,
    keys: BTreeMap<u8, i64>,
    next_check: Option<u64>,
}

const RETRY_MS: u64 = 1500;
const CHECKPOINT_MS: u64 = 2000;

fn config() -> Config {
    Config {
        ttl_min: 2,
        revoke_rate: 4,
        expired_retry_ms: RETRY_MS,
        checkpoints: true,
        checkpoint_interval_ms: CHECKPOINT_MS,
        checkpoint_persist: true,
    }
}

impl ModelLease {
    fn full_ms(&self) -> u64 {
        let seconds = if self.remaining > 0 { self.remaining } else { self.ttl };
        u64::try_from(seconds).unwrap() * 1000
    }

    fn plan_checkpoint(&mut self, now: u64) {
        if self.full_ms() > CHECKPOINT_MS {
            self.checkpoint = Some(now + CHECKPOINT_MS);
        }
    }
}

impl Model {
    fn grant(&mut self, id: i64, ttl: i64, now: u64) -> Result<i64, api::Error> {
        if id == 0 {
            return Err(api::Error::LeaseNotFound);
        }
        if ttl > 9_000_000_000 {
            return Err(api::Error::LeaseTtlTooLarge);
        }
        if self.leases.contains_key(&id) {
            return Err(api::Error::LeaseExist);
        }
        let ttl = ttl.max(2);
        let mut lease = ModelLease { ttl, remaining: 0, expiry: 0, look: 0, checkpoint: None };
        lease.expiry = now + lease.full_ms();
        lease.look = lease.expiry;
        lease.plan_checkpoint(now);
        self.leases.insert(id, lease);
        Ok(ttl)
    }

    fn revoke(&mut self, id: i64) -> Result<Vec<u8>, api::Error> {
        self.leases.remove(&id).ok_or(api::Error::LeaseNotFound)?;
        let gone: Vec<u8> =
            self.keys.iter().filter(|(_, of)| **of == id).map(|(key, _)| *key).collect();
        self.keys.retain(|_, of| *of != id);
        Ok(gone)
    }

    fn put(&mut self, key: u8, id: i64) -> Result<(), api::Error> {
        if id == 0 {
            self.keys.remove(&key);
        } else if self.leases.contains_key(&id) {
            self.keys.insert(key, id);
        } else {
            return Err(api::Error::LeaseNotFound);
        }
        Ok(())
    }

    fn checkpoint(&mut self, id: i64, remaining: i64, now: u64) {
        if let Some(lease) = self.leases.get_mut(&id) {
            lease.remaining = remaining.max(0).min(lease.ttl);
            lease.plan_checkpoint(now);
        }
    }

    /// `None` stands for "wait for the revocation", a negative time for "lift the checkpoint".
    fn renew(&mut self, id: i64, now: u64) -> Result<Option<i64>, api::Error> {
        if self.next_check.is_none() {
            return Err(api::Error::NotPrimary);
        }
        let lease = self.leases.get_mut(&id).ok_or(api::Error::LeaseNotFound)?;
        if lease.expiry <= now {
            return Ok(None);
        }
        if lease.remaining > 0 {
            return Ok(Some(-1));
        }
        lease.expiry = now + lease.full_ms();
        lease.look = lease.expiry;
        Ok(Some(lease.ttl))
    }

    fn tick(&mut self, now: u64) -> (Vec<i64>, Vec<(i64, i64)>) {
        let Some(next_check) = self.next_check else { return Default::default() };
        if now < next_check {
            return Default::default();
        }
        self.next_check = Some(now + 500);
        let mut due: Vec<(u64, i64)> = self
            .leases
            .iter()
            .filter(|(_, l)| l.look <= now)
            .map(|(id, l)| (l.look, *id))
            .collect();
        due.sort_unstable();
        due.truncate(2);
        for (_, id) in &due {
            self.leases.get_mut(id).unwrap().look = now + RETRY_MS;
        }
        let mut planned: Vec<(u64, i64)> = self
            .leases
            .iter()
            .filter_map(|(id, lease)| lease.checkpoint.map(|at| (at, *id)))
            .filter(|(at, _)| *at <= now)
            .collect();
        planned.sort_unstable();
        let mut checkpoints = Vec::new();
        for (_, id) in planned {
            let lease = self.leases.get_mut(&id).unwrap();
            lease.checkpoint = None;
            let left = i64::try_from(lease.expiry.saturating_sub(now).div_ceil(1000)).unwrap();
            if left >= lease.ttl {
                lease.plan_checkpoint(now);
            } else if left > 0 {
                checkpoints.push((id, left));
            }
        }
        (due.into_iter().map(|(_, id)| id).collect(), checkpoints)
    }

    /// Expiries after a promotion are checked for what they promise, then taken over.
    fn promote(&mut self, lessor: &Lessor, now: u64, extend_ms: u64) {
        self.next_check = Some(now + 500);
        let mut promised: Vec<(u64, u64)> = Vec::new();
        let count = u64::try_from(self.leases.len()).unwrap();
        for (id, lease) in &mut self.leases {
            let own = now + extend_ms + lease.full_ms();
            lease.expiry = lessor.expiry(LeaseId(*id)).unwrap().0;
            lease.look = lease.expiry;
            lease.checkpoint = None;
            lease.plan_checkpoint(now);
            promised.push((lease.expiry, own));
        }
        promised.sort_unstable();
        for (given, own) in &promised {
            assert!(given >= own, "never earlier");
            // At three a second the last of n leases waits n/3 s and the start of the stream.
            assert!(*given <= own + count * 1000 / 3 + 1000, "never much later");
            assert!(given == own || count >= 4, "few leases are left alone");
        }
        for window in promised.windows(4) {
            assert!(
                count < 4 || window[3].0 - window[0].0 >= 1000,
                "four in a second: {promised:?}"
            );
        }
    }
}

fn name(key: u8) -> Bytes {
    Bytes::from(vec![b'k', key])
}

struct Both {
    lessor: Lessor,
    model: Model,
    now: u64,
}

impl Both {
    fn apply(&mut self, step: &Step) {
        let now = Millis(self.now);
        match *step {
            Step::Grant { id, ttl } => assert_eq!(
                self.lessor.grant(LeaseId(id), ttl, now),
                self.model.grant(id, ttl, self.now)
            ),
            Step::Revoke { id } => self.revoke(id),
            Step::Put { key, id } => {
                assert_eq!(self.lessor.set_lease(&name(key), LeaseId(id)), self.model.put(key, id));
            }
            Step::Delete { key } => {
                assert_eq!(self.lessor.set_lease(&name(key), LeaseId(0)), self.model.put(key, 0));
            }
            Step::Checkpoint { id, remaining } => self.checkpoint(id, remaining),
            Step::Renew { id } => self.renew(id),
            Step::Pass { ms } => self.now += ms,
            Step::Tick { applied } => self.tick(applied),
            Step::Promote { extend_ms } => {
                self.lessor.promote(now, extend_ms);
                self.model.promote(&self.lessor, self.now, extend_ms);
            }
            Step::Demote => {
                self.lessor.demote();
                self.model.next_check = None;
            }
            Step::Restart => self.restart(),
        }
        self.compare();
    }

    fn revoke(&mut self, id: i64) {
        let gone = self.model.revoke(id).map(|gone| gone.into_iter().map(name).collect::<Vec<_>>());
        assert_eq!(self.lessor.revoke(LeaseId(id)), gone);
    }

    fn checkpoint(&mut self, id: i64, remaining_ttl: i64) {
        let checkpoint = LeaseCheckpoint { id: LeaseId(id), remaining_ttl };
        self.lessor.checkpoint(checkpoint, Millis(self.now));
        self.model.checkpoint(id, remaining_ttl, self.now);
    }

    fn renew(&mut self, id: i64) {
        let before = self.lessor.leases().clone();
        let found = self.lessor.renew(LeaseId(id), Millis(self.now));
        let found = found.map(|renewal| match renewal {
            Renewal::Renewed { ttl } => Some(ttl),
            Renewal::AwaitRevoke => None,
            Renewal::LiftCheckpoint(lift) => {
                let lifted = LeaseCheckpoint { id: LeaseId(id), remaining_ttl: 0 };
                assert_eq!(lift.checkpoints, [lifted]);
                Some(-1)
            }
        });
        assert_eq!(found, self.model.renew(id, self.now));
        assert_eq!(*self.lessor.leases(), before, "a keep-alive is not replicated");
    }

    fn tick(&mut self, applied: usize) {
        let actions = self.lessor.tick(Millis(self.now));
        let (revoke, checkpoints) = self.model.tick(self.now);
        assert_eq!(actions.revoke, ids(revoke.iter().copied()));
        let batches: Vec<(i64, i64)> = actions
            .checkpoints
            .iter()
            .flat_map(|batch| &batch.checkpoints)
            .map(|found| (found.id.0, found.remaining_ttl))
            .collect();
        assert_eq!(batches, checkpoints);
        for (id, remaining) in checkpoints {
            self.checkpoint(id, remaining);
        }
        for id in revoke.into_iter().take(applied) {
            self.revoke(id);
        }
    }

    fn restart(&mut self) {
        let stored: Vec<StoredLease> = self.lessor.all_stored().collect();
        let mut restored = Lessor::restore(config(), stored).unwrap();
        for (key, id) in &self.model.keys {
            assert_eq!(restored.set_lease(&name(*key), LeaseId(*id)), Ok(()));
        }
        assert_eq!(restored.leases(), self.lessor.leases());
        self.lessor = restored;
        self.model.next_check = None;
    }

    fn compare(&self) {
        self.lessor.assert_invariants();
        let times: Vec<(i64, i64, i64)> = self
            .lessor
            .leases()
            .iter()
            .map(|(id, lease)| (id.0, lease.granted_ttl(), lease.remaining_ttl()))
            .collect();
        let expected: Vec<(i64, i64, i64)> =
            self.model.leases.iter().map(|(id, l)| (*id, l.ttl, l.remaining)).collect();
        assert_eq!(times, expected);
        let attached: Vec<(Bytes, i64)> =
            self.lessor.leases().attachments().map(|(key, id)| (key.clone(), id.0)).collect();
        let expected: Vec<(Bytes, i64)> =
            self.model.keys.iter().map(|(key, id)| (name(*key), *id)).collect();
        assert_eq!(attached, expected);
        for (id, lease) in &self.model.leases {
            let expiry = self.model.next_check.map(|_| Millis(lease.expiry));
            assert_eq!(self.lessor.expiry(LeaseId(*id)), expiry);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_lessor_does_what_the_model_does(steps in prop::collection::vec(step(), 1..120)) {
        let mut both = Both { lessor: Lessor::new(config()), model: Model::default(), now: 0 };
        for step in &steps {
            both.apply(step);
        }
    }

    #[test]
    fn spreading_keeps_order_and_rate_and_delays_no_more_than_needed(
        mut times in prop::collection::vec(0_u64..6000, 0..200),
        per_second in 1_u32..40,
    ) {
        times.sort_unstable();
        let mut expiries: Vec<(Millis, LeaseId)> =
            times.iter().zip(1..).map(|(time, id)| (Millis(*time), LeaseId(id))).collect();
        spread::spread(&mut expiries, per_second);
        prop_assert!(expiries.iter().map(|(_, id)| id.0).eq(1..=i64::try_from(times.len()).unwrap()));
        let spread: Vec<u64> = expiries.iter().map(|(time, _)| time.0).collect();
        prop_assert!(spread.is_sorted());
        let width = usize::try_from(per_second).unwrap();
        for (index, (given, own)) in spread.iter().zip(&times).enumerate() {
            prop_assert!(given >= own);
            if index >= width {
                prop_assert!(given - spread[index - width] >= 1000, "{spread:?}");
            }
            // The stream of those who wait flows at the full rate, and starts behind a full second.
            prop_assert!(*given <= own + u64::try_from(index).unwrap() * 1000 / u64::from(per_second));
            if given > own && (index == 0 || spread[index - 1] == times[index - 1]) {
                let before = spread[..index].iter().filter(|before| **before + 1000 > *own);
                prop_assert!(before.count() >= width, "{spread:?}");
            }
        }
    }
}
