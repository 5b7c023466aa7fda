//! A saved snapshot, made into a cluster of its own and held against what was saved.
//!
//! What it is: the second half of W12: the file is looked at, damaged, restored with and without a bump of the revision,
//! and the cluster made from it must come up with the same data, serve watches, take a write, and survive a restart.
//! What it is not: a part of the run that the file comes from: the new cluster has a time, a network and disks of its
//! own, and nobody harms it.
//! Invariants: what is expected is the checker's model at the file's revision, never the engine's own word.
//! Source: behaviour of `etcdutl snapshot restore`.

use bytes::Bytes;

use super::event::{CallId, SimNews};
use super::invariants::Violation;
use super::simulation::{Simulation, SimulationSpec};
use super::workload::password;
use crate::api::{
    AuthenticateRequest, Error, Event, KeyValue, PutRequest, RangeRequest, Request, Response, Role,
    WatchCreateRequest, WatchRequest, WatchResponse,
};
use crate::auth::BCRYPT_COST_MIN;
use crate::check::Model;
use crate::etcdserver::backup::{self, RestoreSpec, Restored};
use crate::membership::{member_name, peer_url};
use crate::random::Pcg32;
use crate::types::{LeaseId, MemberId};

/// The largest bump. Unit: revisions. Source: ours.
const BUMP_MAX: u32 = 1_000;

/// Election timeouts within which the new cluster must serve.
const COMES_UP_MS: u64 = 20_000;

/// How long an answer may take, and a watch. Unit: ms.
const ANSWERS_MS: u64 = 3_000;

/// The number of its violations but for hashes, watches and restarts.
const DATA: u32 = 32;

type Broken<T> = Result<T, Violation>;

fn broken<T>(number: u32, what: impl Into<String>) -> Broken<T> {
    Err(Violation { number, what: what.into() })
}

fn hold(number: u32, is_true: bool, what: impl FnOnce() -> String) -> Broken<()> {
    if is_true { Ok(()) } else { broken(number, what()) }
}

/// Everything there is.
fn all_keys() -> (Bytes, Bytes) {
    (Bytes::from_static(&[0]), Bytes::from_static(&[0]))
}

/// A cluster made from a file.
struct Trial<'m> {
    model: &'m Model,
    restored: Restored,
    /// The newest revision of the file, and by how much it was raised.
    saved: i64,
    bump: i64,
    sim: Simulation,
    token: Option<String>,
    answers: Vec<(CallId, Result<Response, Error>)>,
    watched: Vec<(CallId, WatchResponse)>,
}

/// Restores a file, digest and all, and holds the cluster against the model; `hash_at` is what members hashed at a
/// revision and a compact revision.
pub(super) fn hold_against(
    file: &[u8],
    model: &Model,
    hash_at: &dyn Fn(i64, i64) -> Option<u32>,
    random: &mut Pcg32,
) -> Broken<()> {
    let status = backup::status(file).or_else(|error| broken(DATA, error.to_string()))?;
    hold(DATA, status.revision <= model.revision(), || {
        format!("the file has revision {}, the cluster {}", status.revision, model.revision())
    })?;
    damage(file, random)?;
    let bump = if random.chance(1, 2) { random.between(1, BUMP_MAX) } else { 0 };
    let members = random.between(1, 3);
    let spec = RestoreSpec {
        members: (1..=members).map(|n| (member_name(n), vec![peer_url(n)])).collect(),
        token: "etcd-cluster".to_owned(),
        bump_revision: u64::from(bump),
        mark_compacted: bump > 0,
        skip_hash_check: false,
    };
    let restored = backup::restore(file, &spec).or_else(|error| broken(DATA, error.to_string()))?;
    let bump = i64::from(bump);
    let saved = restored.revision - bump;
    let keys = u64::try_from(model.visible(&[0], &[0], saved).len()).unwrap_or(u64::MAX);
    hold(DATA, status.total_keys == keys, || {
        format!("the file says {} keys at {saved}, there were {keys}", status.total_keys)
    })?;
    let spec = SimulationSpec {
        members,
        seed: u64::from(random.below(u32::MAX)),
        ..SimulationSpec::default()
    };
    let disks = restored.members.iter().map(|member| member.id).zip(restored.disks.clone());
    let sim = Simulation::on_disks(spec, |config| config.auth.bcrypt_cost = BCRYPT_COST_MIN, disks);
    let (answers, watched) = (Vec::new(), Vec::new());
    let mut trial = Trial { model, restored, saved, bump, sim, token: None, answers, watched };
    trial.come_up(DATA)?;
    trial.compare()?;
    trial.compare_hashes(hash_at)?;
    trial.serve()?;
    trial.restart()
}

/// A file that is not what was saved is refused.
fn damage(file: &[u8], random: &mut Pcg32) -> Broken<()> {
    let mut damaged = file.to_vec();
    let length = u32::try_from(damaged.len()).unwrap_or(u32::MAX);
    let at = random.below(length.max(1));
    if random.chance(1, 4) {
        damaged.truncate(usize::try_from(at).unwrap_or(0));
    } else if let Some(byte) = damaged.get_mut(usize::try_from(at).unwrap_or(0)) {
        *byte ^= 1 << random.below(8);
    }
    let spec = RestoreSpec {
        members: vec![(member_name(1), vec![peer_url(1)])],
        token: String::new(),
        bump_revision: 0,
        mark_compacted: false,
        skip_hash_check: false,
    };
    hold(DATA, backup::restore(&damaged, &spec).is_err(), || {
        format!("a file that was damaged at {at} of {length} bytes is restored")
    })
}

impl Trial<'_> {
    fn ids(&self) -> Vec<MemberId> {
        self.restored.members.iter().map(|member| member.id).collect()
    }

    /// What the newest revision of the new cluster is before anybody writes.
    const fn newest(&self) -> i64 {
        self.saved + self.bump
    }

    fn run_ms(&mut self, ms: u64) {
        let end = self.sim.now().plus(ms);
        self.sim.run_until(end);
        while let Some(news) = self.sim.poll() {
            match news {
                SimNews::Reply { call, result } => self.answers.push((call, result)),
                SimNews::Watch { call, response } => self.watched.push((call, response)),
                _ => {}
            }
        }
    }

    /// Waits until all members have the same log, applied.
    fn come_up(&mut self, number: u32) -> Broken<()> {
        let end = self.sim.now().plus(COMES_UP_MS);
        while self.sim.now() < end {
            self.run_ms(20);
            let all: Vec<_> = self.ids().iter().filter_map(|id| self.sim.status(*id)).collect();
            let leader = all.iter().find(|status| status.role == Role::Leader);
            let is_up = leader.is_some_and(|leader| {
                all.iter().all(|status| {
                    status.applied == leader.last_index && status.leader == Some(leader.member)
                })
            });
            if is_up && all.len() == self.restored.members.len() {
                return Ok(());
            }
        }
        broken(number, format!("a cluster restored at {} does not come up", self.saved))
    }

    fn range(&self, id: MemberId, revision: i64) -> Result<Vec<KeyValue>, Error> {
        let (key, range_end) = all_keys();
        let request = RangeRequest { key, range_end, revision, ..RangeRequest::default() };
        let view = self.sim.view(id).ok_or(Error::Compacted)?;
        view.store().range(&request).map(|found| found.kvs)
    }

    /// Data and leases of each member are those of the file, history too unless the revision was raised.
    fn compare(&self) -> Broken<()> {
        for id in self.ids() {
            let Some(view) = self.sim.view(id) else { continue };
            let state = (view.store().current_revision(), view.store().compact_revision());
            hold(14, state.0 == self.newest(), || {
                format!("restored {id:x} is at {state:?}, expected {}", self.newest())
            })?;
            let expected = self.model.visible(&[0], &[0], self.saved);
            let found = self.range(id, 0);
            hold(DATA, found.as_ref() == Ok(&expected), || {
                format!("restored {id:x} has {found:?}, saved were {expected:?}")
            })?;
            let leases = expected.iter().map(|kv| kv.lease).filter(|lease| *lease != LeaseId(0));
            for lease in leases {
                hold(DATA, view.leases().get(lease).is_some(), || {
                    format!("restored {id:x} has a key of lease {lease:?}, and no lease")
                })?;
            }
            if self.bump > 0 {
                let old = self.range(id, self.saved);
                hold(17, state.1 == state.0 && old == Err(Error::Compacted), || {
                    format!("restored {id:x} at {state:?} reads {old:?} at {}", self.saved)
                })?;
                continue;
            }
            let first = state.1.max(1);
            for revision in [first, first.midpoint(self.saved)] {
                let found = self.range(id, revision);
                let expected = self.model.visible(&[0], &[0], revision);
                hold(17, found.as_ref() == Ok(&expected), || {
                    format!("restored {id:x} reads {found:?} at {revision}, expected {expected:?}")
                })?;
            }
        }
        Ok(())
    }

    /// All members hash alike, and without a bump as the cluster that was saved.
    fn compare_hashes(&self, hash_at: &dyn Fn(i64, i64) -> Option<u32>) -> Broken<()> {
        let revision = self.newest();
        let mut first = None;
        for id in self.ids() {
            let Some(view) = self.sim.view(id) else { continue };
            let Ok(found) = view.store().hash_kv(revision) else {
                return broken(15, format!("restored {id:x} has no hash at {revision}"));
            };
            let found = (found.hash, found.compact_revision);
            let other = *first.get_or_insert(found);
            hold(15, found == other, || {
                format!("restored {id:x} hashes {found:?}, not {other:?}")
            })?;
            let Some(hash) = hash_at(revision, found.1).filter(|_| self.bump == 0) else {
                continue;
            };
            hold(15, hash == found.0, || {
                format!("restored {id:x} hashes {found:?} at {revision}, the saved one {hash}")
            })?;
        }
        Ok(())
    }

    fn ask(&mut self, member: MemberId, request: Request) -> Option<Result<Response, Error>> {
        let call = self.sim.request_as(member, self.token.clone(), request);
        for _ in 0..ANSWERS_MS / 10 {
            self.run_ms(10);
            if let Some(at) = self.answers.iter().position(|(answered, _)| *answered == call) {
                return Some(self.answers.swap_remove(at).1);
            }
        }
        None
    }

    /// A write takes the next revision, and watches get what there is.
    fn serve(&mut self) -> Broken<()> {
        let Some(member) = self.ids().last().copied() else { return Ok(()) };
        let Some(view) = self.sim.view(member) else { return Ok(()) };
        let has_alarm = !view.alarms().is_empty();
        if view.auth_state().is_enabled() {
            let (name, password) = ("root".to_owned(), password("root"));
            let login = Request::Authenticate(AuthenticateRequest { name, password });
            match self.ask(member, login) {
                Some(Ok(Response::Authenticate(granted))) => self.token = Some(granted.token),
                other => return broken(DATA, format!("root does not get in: {other:?}")),
            }
        }
        let before = self.sim.view(member).map_or(0, |view| view.store().current_revision());
        let old = self.watch(member, if self.bump > 0 { self.saved } else { self.first() });
        let new = self.watch(member, before + 1);
        let put = PutRequest {
            key: Bytes::from_static(b"restored"),
            value: Bytes::from_static(b"1"),
            ..PutRequest::default()
        };
        let is_written = match self.ask(member, Request::Put(put)) {
            Some(Ok(Response::Put(_))) => true,
            Some(Err(Error::NoSpace)) if has_alarm => false,
            other => return broken(DATA, format!("a restored cluster writes nothing: {other:?}")),
        };
        self.run_ms(ANSWERS_MS / 10);
        self.judge_old_watch(old)?;
        let events = self.events_of(new);
        let written = events.iter().filter(|event| event.kv.key.as_ref() == b"restored");
        let revisions: Vec<i64> = written.map(|event| event.kv.mod_revision).collect();
        // A lease may end meanwhile.
        let is_next = matches!(revisions.as_slice(), [one] if *one > before);
        hold(18, is_next == is_written, || {
            format!("a watch of {} on sees {events:?}, written: {is_written}", before + 1)
        })
    }

    fn watch(&mut self, member: MemberId, start_revision: i64) -> CallId {
        let (key, range_end) = all_keys();
        let create =
            WatchCreateRequest { key, range_end, start_revision, ..WatchCreateRequest::default() };
        self.sim.open_watch_as(member, self.token.clone(), WatchRequest::Create(create))
    }

    fn events_of(&self, watch: CallId) -> Vec<Event> {
        let own = self.watched.iter().filter(|(call, _)| *call == watch);
        own.flat_map(|(_, response)| response.events.clone()).collect()
    }

    /// A watch of the past gets all of it, or hears that it is compacted.
    fn judge_old_watch(&self, watch: CallId) -> Broken<()> {
        if self.bump > 0 {
            let mut own = self.watched.iter().filter(|(call, _)| *call == watch);
            let newest = self.newest();
            let is_told = own.any(|(_, told)| told.canceled && told.compact_revision == newest);
            return hold(18, is_told, || {
                format!("a watch from {} hears nothing of compaction at {newest}", self.saved)
            });
        }
        let events = self.events_of(watch);
        let found = events.iter().filter(|event| event.kv.mod_revision <= self.saved);
        let first = self.first();
        let changes = (first..=self.saved).flat_map(|revision| self.model.changes(revision));
        // The previous version was not asked for.
        let bare = |event: &Event| Event { prev_kv: None, ..event.clone() };
        let expected: Vec<Event> = changes.map(|change| bare(&change.event)).collect();
        let found: Vec<Event> = found.map(bare).collect();
        let differs = found.iter().zip(&expected).find(|(found, expected)| found != expected);
        hold(18, found == expected, || {
            let (have, want) = (found.len(), expected.len());
            format!("a watch from {first} gets {have} events of {want}, wrong: {differs:?}")
        })
    }

    /// The first revision whose events are not compacted.
    fn first(&self) -> i64 {
        let first = self.ids().first().and_then(|id| self.sim.view(*id));
        first.map_or(1, |view| (view.store().compact_revision() + 1).max(1))
    }

    /// The disks alone give the same again.
    fn restart(&mut self) -> Broken<()> {
        self.come_up(DATA)?;
        let ids = self.ids();
        let Some(id) = ids.first().copied() else { return Ok(()) };
        let revision = self.sim.view(id).map_or(0, |view| view.store().current_revision());
        let hash = |sim: &Simulation, id| {
            let view = sim.view(id)?;
            Some(view.store().hash_kv(revision).ok()?.hash)
        };
        let before = hash(&self.sim, id);
        for id in &ids {
            self.sim.kill(*id);
        }
        for id in &ids {
            self.sim.restart(*id);
        }
        self.come_up(24)?;
        for id in ids {
            let after = hash(&self.sim, id);
            hold(24, after == before && after.is_some(), || {
                format!("restored {id:x} hashes {after:?} after a restart, before {before:?}")
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::SnapshotRequest;

    /// A cluster's file, and its model, of so many writes.
    fn saved(puts: u32, modelled: u32) -> (Vec<u8>, Model) {
        let mut sim = Simulation::new(SimulationSpec { members: 1, ..Default::default() });
        let id = sim.members()[0].id;
        let mut model = Model::default();
        let mut file = Vec::new();
        let mut end = sim.now().plus(2_000);
        sim.run_until(end);
        let mut requests: Vec<Request> = (0..puts)
            .map(|number| {
                let key = Bytes::from(format!("k{}", number % 5));
                let value = Bytes::from(format!("v{number}"));
                Request::Put(PutRequest { key, value, ..PutRequest::default() })
            })
            .collect();
        for request in requests.iter().take(usize::try_from(modelled).unwrap()) {
            model.apply(request).unwrap();
        }
        requests.push(Request::Snapshot(SnapshotRequest {}));
        for request in requests {
            sim.request(id, request);
            end = end.plus(50);
            sim.run_until(end);
            while let Some(news) = sim.poll() {
                match news {
                    SimNews::ReplyPart { part: Response::Snapshot(part), .. } => {
                        file.extend_from_slice(&part.blob);
                    }
                    SimNews::Reply { result: Ok(Response::Snapshot(last)), .. } => {
                        file.extend_from_slice(&last.blob);
                    }
                    _ => {}
                }
            }
        }
        (file, model)
    }

    fn judge(file: &[u8], model: &Model, seed: u64) -> Broken<()> {
        hold_against(file, model, &|_, _| None, &mut Pcg32::for_stream(seed, &[]))
    }

    #[test]
    fn what_was_saved_comes_back_with_and_without_a_bump() {
        let (file, model) = saved(23, 23);
        for seed in 0..12 {
            assert_eq!(judge(&file, &model, seed), Ok(()), "seed={seed}");
        }
    }

    #[test]
    fn a_file_of_other_data_is_noticed() {
        // A write that nobody made, and one that is missing.
        let (file, model) = saved(12, 11);
        assert_eq!(judge(&file, &model, 1).map_err(|fault| fault.number), Err(DATA));
        let (file, mut model) = saved(12, 12);
        let other = PutRequest { key: Bytes::from_static(b"k0"), ..PutRequest::default() };
        model.apply(&Request::Put(other)).unwrap();
        let (short, _) = saved(11, 11);
        assert_eq!(judge(&file, &model, 1), Ok(()), "it was saved before the last write");
        let (_, shorter) = saved(10, 10);
        assert!(judge(&short, &shorter, 1).is_err());
        // A hash that is another one.
        let wrong = |_: i64, _: i64| Some(7);
        let mut numbers = (0..8).map(|seed| {
            let mut random = Pcg32::for_stream(seed, &[]);
            hold_against(&file, &model, &wrong, &mut random).map_err(|fault| fault.number)
        });
        assert!(numbers.any(|number| number == Err(15)));
    }
}
