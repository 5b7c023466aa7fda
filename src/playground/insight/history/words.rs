//! Operations and the verdict in words.
//!
//! What it is: the command in short, the facts of one operation, and why the verdict is what it is.
//! What it is not: etcdctl's output.
//! Invariants: keys and values are escaped and cut; a number stands only for what was checked.

use super::super::history_strings::HistoryStrings;
use super::super::model::Known;
use super::super::tap::{Asked, Service};
use super::axis::{Tone, client_name};
use super::{Base, Chronicle, Operation, Outcome};
use crate::api::{self, KeyValue, Request, Response};
use crate::check::{Breach, Ruling, Standing};
use crate::playground::escape::clipped;

/// Characters of a key or value in a bar. Unit: characters.
const SHORT: u32 = 18;
/// Characters of a key or value in a fact. Unit: characters.
const LONG: u32 = 60;
/// Keys of an answer that are written out. Unit: keys.
const KEYS_MAX: usize = 3;

/// A fact with its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactView {
    /// Its name.
    pub name: &'static str,
    /// The fact.
    pub value: String,
}

/// The verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerdictView {
    /// How good it is.
    pub tone: Tone,
    /// In two or three words.
    pub title: &'static str,
    /// In a sentence.
    pub sentence: String,
    /// What was counted.
    pub facts: Vec<FactView>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationView {
    /// The command.
    pub title: String,
    /// What the verdict says of it.
    pub sentence: String,
    /// How good that is.
    pub tone: Tone,
    /// Everything else.
    pub facts: Vec<FactView>,
}

fn cut(bytes: &[u8], most: u32) -> String {
    clipped(bytes, most)
}

/// The command in short, as one would write it.
pub(super) fn command(asked: &Asked, s: &HistoryStrings) -> String {
    match asked {
        Asked::Keys(request) => request_words(request, SHORT),
        Asked::Other(Service::Lease) => s.service_lease.to_owned(),
        Asked::Other(Service::Cluster) => s.service_cluster.to_owned(),
        Asked::Other(Service::Maintenance) => s.service_maintenance.to_owned(),
        Asked::Other(Service::Auth) => s.service_auth.to_owned(),
    }
}

fn range_words(key: &[u8], end: &[u8], most: u32) -> String {
    match (key, end) {
        ([0], [0]) => "\"\" --prefix".to_owned(),
        (key, []) => cut(key, most),
        (key, [0]) => format!("{} --from-key", cut(key, most)),
        (key, end) if is_prefix(key, end) => format!("{} --prefix", cut(key, most)),
        (key, end) => format!("{} {}", cut(key, most), cut(end, most)),
    }
}

fn is_prefix(key: &[u8], end: &[u8]) -> bool {
    match (key.split_last(), end.split_last()) {
        (Some((one, rest)), Some((two, others))) => {
            rest == others && one.checked_add(1) == Some(*two)
        }
        _ => false,
    }
}

fn request_words(request: &Request, most: u32) -> String {
    match request {
        Request::Range(range) => {
            let mut words = format!("get {}", range_words(&range.key, &range.range_end, most));
            if range.serializable {
                words.push_str(" --consistency=s");
            }
            if range.revision > 0 {
                words.push_str(&format!(" --rev={}", range.revision));
            }
            words
        }
        Request::Put(put) => format!("put {} {}", cut(&put.key, most), cut(&put.value, most)),
        Request::DeleteRange(delete) => {
            format!("del {}", range_words(&delete.key, &delete.range_end, most))
        }
        Request::Txn(txn) => {
            let (compares, success) = (txn.compare.len(), txn.success.len());
            format!("txn {compares}: {success}, {}", txn.failure.len())
        }
        Request::Compaction(compaction) => format!("compaction {}", compaction.revision),
        Request::LeaseGrant(grant) => format!("lease grant {}", grant.ttl),
        Request::LeaseRevoke(revoke) => format!("lease revoke {:x}", revoke.id.0),
        Request::HashKv(hash) => format!("hashkv --rev={}", hash.revision),
        _ => String::new(),
    }
}

/// The revision of an answer about keys.
pub(super) fn revision_of(operation: &Operation) -> Option<i64> {
    match &operation.ended.as_ref()?.2 {
        Outcome::Answered(result) => match &**result {
            Ok(Response::HashKv(hash)) => Some(hash.hash_revision),
            Ok(response) => crate::check::revision_of(response),
            Err(_) => None,
        },
        Outcome::Large(revision) if *revision > 0 => Some(*revision),
        Outcome::Large(_) | Outcome::Unsent | Outcome::Lost => None,
    }
}

fn kvs_words(kvs: &[KeyValue], count: i64, s: &HistoryStrings) -> String {
    let count = u64::try_from(count).unwrap_or(0).max(kvs.len() as u64);
    let mut words = (s.answer_keys)(count);
    for (at, kv) in kvs.iter().take(KEYS_MAX).enumerate() {
        words.push_str(if at == 0 { ": " } else { ", " });
        let (key, value) = (cut(&kv.key, LONG), cut(&kv.value, LONG));
        words.push_str(&format!("{key} = {value} (mod {})", kv.mod_revision));
    }
    if kvs.len() > KEYS_MAX {
        words.push_str(", …");
    }
    words
}

fn response_words(response: &Response, s: &HistoryStrings) -> String {
    match response {
        Response::Range(range) => kvs_words(&range.kvs, range.count, s),
        Response::DeleteRange(delete) => {
            (s.answer_deleted)(u64::try_from(delete.deleted).unwrap_or(0))
        }
        Response::Txn(txn) if txn.succeeded => s.answer_succeeded.to_owned(),
        Response::Txn(_) => s.answer_failed.to_owned(),
        Response::HashKv(hash) => format!("{:08x}", hash.hash),
        _ => s.answer_done.to_owned(),
    }
}

fn result_words(result: &Result<Response, api::Error>, s: &HistoryStrings) -> String {
    match result {
        Ok(response) => match crate::check::revision_of(response) {
            Some(revision) => {
                format!("{}, {}", (s.bar_revision)(revision), response_words(response, s))
            }
            None => response_words(response, s),
        },
        Err(error) => error.to_string(),
    }
}

fn answer_words(operation: &Operation, s: &HistoryStrings) -> String {
    match &operation.ended {
        None => s.bar_pending.to_owned(),
        Some((_, _, outcome)) => match outcome {
            Outcome::Answered(result) => match &**result {
                Ok(response) => response_words(response, s),
                Err(error) => error.to_string(),
            },
            Outcome::Large(0) => s.answer_done.to_owned(),
            Outcome::Large(_) => s.answer_large.to_owned(),
            Outcome::Unsent | Outcome::Lost => s.answer_none.to_owned(),
        },
    }
}

impl Chronicle {
    /// What the verdict says of an operation.
    pub(super) fn explain(
        &self,
        operation: &Operation,
        known: &Known,
        s: &'static HistoryStrings,
    ) -> String {
        let Some(ruling) = &operation.ruling else {
            return match (&operation.asked, &operation.ended) {
                (Asked::Other(_), _) => s.ruling_aside.to_owned(),
                (Asked::Keys(_), None) => s.ruling_pending.to_owned(),
                // The verdict ended at a violation before it came to this.
                (Asked::Keys(_), Some(_)) => s.verdict_unsure.to_owned(),
            };
        };
        match ruling {
            Ruling::Waiting { revision } => (s.ruling_waiting)(*revision),
            Ruling::Fits { revision } if self.made(operation, *revision) => {
                (s.ruling_write)(*revision)
            }
            Ruling::Fits { revision } => (s.ruling_read)(*revision),
            Ruling::Ordered { revision } => (s.ruling_ordered)(*revision),
            Ruling::Current { revision } => (s.ruling_current)(*revision),
            Ruling::Stale { revision, newest } => (s.ruling_stale)(*revision, *newest),
            Ruling::Refused => s.ruling_refused.to_owned(),
            Ruling::Aside => s.ruling_aside.to_owned(),
            Ruling::Unknown { seen: Some(revision) } => (s.ruling_shown)(*revision),
            Ruling::Unknown { seen: None } if operation.is_write() => s.ruling_unknown.to_owned(),
            Ruling::Unknown { seen: None } => s.ruling_unknown_read.to_owned(),
            Ruling::Violation(breach) => self.breach(Some(operation), breach, known, s),
        }
    }

    fn made(&self, operation: &Operation, revision: i64) -> bool {
        let Some((_, _, Outcome::Answered(result))) = &operation.ended else { return false };
        match &**result {
            Ok(Response::Put(_)) => true,
            Ok(Response::DeleteRange(delete)) => delete.deleted > 0,
            Ok(Response::Txn(_)) => operation.is_write() && revision > 1,
            _ => false,
        }
    }

    fn named(&self, call: u64, known: &Known, s: &HistoryStrings) -> String {
        match self.operations.iter().find(|it| it.call == call) {
            Some(other) => {
                let words = command(&other.asked, s);
                format!("“{words}” ({})", known.name(other.member))
            }
            None => format!("#{call}"),
        }
    }

    fn breach(
        &self,
        operation: Option<&Operation>,
        breach: &Breach,
        known: &Known,
        s: &HistoryStrings,
    ) -> String {
        match breach {
            Breach::Order { revision, floor, by, is_write } => {
                let mut words = if *is_write {
                    (s.breach_write)(*revision, *floor)
                } else {
                    (s.breach_order)(*revision, *floor)
                };
                if let Some(by) = by {
                    words.push(' ');
                    words.push_str(&(s.breach_by)(&self.named(*by, known, s)));
                }
                words
            }
            Breach::Answer { revision, expected } => {
                let said = operation.map(|it| answer_words(it, s)).unwrap_or_default();
                (s.breach_answer)(*revision, &said, &result_words(expected, s))
            }
            Breach::Twice { revision, other } => {
                (s.breach_twice)(*revision, &self.named(*other, known, s))
            }
            Breach::Watch { revision } => (s.breach_watch)(*revision),
        }
    }

    pub(super) fn operation(
        &self,
        operation: &Operation,
        known: &Known,
        s: &'static HistoryStrings,
    ) -> OperationView {
        let title = match &operation.asked {
            Asked::Keys(request) => request_words(request, LONG),
            other @ Asked::Other(_) => command(other, s),
        };
        let fact = |name, value| FactView { name, value };
        let mut facts = vec![
            fact(s.fact_client, client_name(operation.client, s)),
            fact(s.fact_member, known.name(operation.member)),
            fact(s.fact_call, known.time(operation.called.0)),
        ];
        if let Some((at, _, outcome)) = &operation.ended
            && *outcome != Outcome::Lost
        {
            let took = at.since(operation.called.0);
            facts.push(fact(s.fact_return, format!("{} (+{took} ms)", known.time(*at))));
        }
        if let Some(revision) = revision_of(operation) {
            facts.push(fact(s.fact_revision, revision.to_string()));
        }
        facts.push(fact(s.fact_answer, answer_words(operation, s)));
        let tone = match &operation.ruling {
            Some(Ruling::Violation(_)) => Tone::Bad,
            Some(Ruling::Fits { .. } | Ruling::Current { .. }) => Tone::Good,
            Some(Ruling::Stale { .. } | Ruling::Unknown { .. }) => Tone::Warn,
            Some(Ruling::Waiting { .. }) => Tone::Busy,
            Some(Ruling::Ordered { .. } | Ruling::Refused | Ruling::Aside) | None => Tone::Idle,
        };
        let sentence = self.explain(operation, known, s);
        OperationView { title, sentence, tone, facts }
    }

    /// The verdict in words.
    pub(super) fn verdict(&self, known: &Known, s: &'static HistoryStrings) -> VerdictView {
        let standing = self.live.standing();
        let facts = self.facts(&standing, s);
        let say =
            |tone, title, sentence| VerdictView { tone, title, sentence, facts: facts.clone() };
        if let Some((call, Ruling::Violation(breach))) = &self.broken {
            let operation = self.operations.iter().find(|it| Some(it.call) == *call);
            let why = self.breach(operation, breach, known, s);
            return match operation {
                Some(operation) => {
                    let words = command(&operation.asked, s);
                    let member = known.name(operation.member);
                    say(Tone::Bad, s.verdict_bad, format!("“{words}” ({member}): {why}"))
                }
                None => say(Tone::Bad, s.verdict_watch, why),
            };
        }
        let queued = self.queue.len() as u64;
        if standing.from.is_none() {
            let why = match self.base {
                Base::TooLarge => s.base_large,
                Base::Refused => s.base_refused,
                Base::Untried => s.verdict_base_hint,
            };
            let sentence = if standing.ordered > 0 {
                format!("{} {why}", (s.verdict_order_hint)(standing.ordered))
            } else {
                why.to_owned()
            };
            return say(Tone::Warn, s.verdict_unsure, sentence);
        }
        if standing.waiting + queued > 0 {
            let sentence = (s.verdict_busy_hint)(standing.waiting + queued);
            return say(Tone::Busy, s.verdict_busy, sentence);
        }
        let judged = standing.compared + standing.ordered;
        if judged + standing.serializable + standing.unknown == 0 {
            return say(Tone::Idle, s.verdict_idle, s.verdict_idle_hint.to_owned());
        }
        say(Tone::Good, s.verdict_good, (s.verdict_good_hint)(judged))
    }

    fn facts(&self, standing: &Standing, s: &HistoryStrings) -> Vec<FactView> {
        let mut facts =
            vec![FactView { name: s.fact_compared, value: standing.compared.to_string() }];
        let mut add = |name, count: u64, extra: Option<String>| {
            if count > 0 {
                let value = match extra {
                    Some(extra) => format!("{count} ({extra})"),
                    None => count.to_string(),
                };
                facts.push(FactView { name, value });
            }
        };
        let some = |count: u64, words: fn(u64) -> String| (count > 0).then(|| words(count));
        add(s.fact_ordered, standing.ordered, None);
        add(s.fact_serializable, standing.serializable, some(standing.stale, s.fact_stale));
        add(s.fact_unknown, standing.unknown, some(standing.shown, s.fact_shown));
        add(s.fact_refused, standing.refused, None);
        add(s.fact_unclaimed, standing.unclaimed, None);
        add(s.fact_dropped, self.dropped, None);
        if let Some(from) = standing.from.filter(|from| *from > 1) {
            facts.push(FactView { name: s.fact_from, value: from.to_string() });
        }
        facts
    }
}
