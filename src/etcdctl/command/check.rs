//! `check perf` and `check datascale`: how a cluster stands a load.
//!
//! What it is: etcdctl's two measurements, with its numbers and its verdicts.
//! What it is not: a benchmark of a computer; natively the time is the simulation's.
//! Invariants: integers only; the test keys are deleted again, also after Ctrl-C.
//! Source: behaviour of etcdctl 3.7.1.

use bytes::Bytes;

use crate::api::{
    CompactionRequest, DefragmentRequest, DeleteRangeRequest, PutRequest, RangeRequest, Request,
    Response, StatusRequest,
};
use crate::etcdctl::command::lock::failed;
use crate::etcdctl::command::{
    Command, Config, EXIT_BAD_FEATURE, EXIT_ERROR, EXIT_INTERRUPTED_BY_SIGNAL, Failure, Invocation,
    Made, prefix_range, unexpected_answer,
};
use crate::etcdctl::executor::{Event, Io, RequestError, Ticket};
use crate::etcdctl::go;
use crate::types::{Millis, SmallMap};

/// How often writes are sent off. Unit: ms.
const PULSE_MS: u64 = 10;

/// How often something is said on the way. Unit: ms.
const NEWS_MS: u64 = 10_000;

/// Exit code where the test keys exist already.
const EXIT_BAD_INPUT: i32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// So many writes a second, for so long.
    Perf { a_second: u64, for_ms: u64 },
    /// So many writes as fast as they go.
    Datascale { writes: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Are there test keys?
    Looks,
    /// How large is the member's data?
    Before,
    Writes,
    After,
    Cleans,
    Compacts,
    Defrags,
    /// Ctrl-C: only the keys are deleted.
    GivesUp,
}

/// What became of the writes.
#[derive(Default)]
struct Tally {
    /// Unit: ms each.
    took: Vec<u64>,
    errors: SmallMap<String, u64>,
}

struct Check {
    config: Config,
    kind: Kind,
    clients: u64,
    key_bytes: usize,
    value: Bytes,
    prefix: String,
    auto_compact: bool,
    auto_defrag: bool,
    state: State,
    began: Millis,
    ended: Millis,
    said: Millis,
    sent: u64,
    open: SmallMap<Ticket, Millis>,
    tally: Tally,
    size_before: i64,
    size_after: i64,
    /// The revision of the compaction.
    compacted: i64,
    /// Endpoints still to be defragmented, the last one first.
    to_defragment: Vec<String>,
}

pub(crate) fn perf(invocation: &Invocation) -> Made {
    let (a_second, clients) = match load(invocation)? {
        'l' => (8000, 500),
        'm' => (1000, 200),
        'x' => (15_000, 1000),
        _ => (150, 50),
    };
    let kind = Kind::Perf { a_second, for_ms: 60_000 };
    new(invocation, kind, clients, 256, 1024)
}

pub(crate) fn datascale(invocation: &Invocation) -> Made {
    let (writes, clients) = match load(invocation)? {
        'l' => (1_000_000, 500),
        'm' => (100_000, 200),
        'x' => (3_000_000, 1000),
        _ => (10_000, 50),
    };
    new(invocation, Kind::Datascale { writes }, clients, 512, 512)
}

fn load(invocation: &Invocation) -> Result<char, Failure> {
    let load = invocation.flags.text("load");
    match load {
        "s" | "small" => Ok('s'),
        "m" | "medium" => Ok('m'),
        "l" | "large" => Ok('l'),
        "xl" | "xLarge" => Ok('x'),
        _ => Err(Failure::new(EXIT_BAD_FEATURE, format!("unknown load option {load}"))),
    }
}

fn new(
    invocation: &Invocation,
    kind: Kind,
    clients: u64,
    key_bytes: usize,
    value_bytes: usize,
) -> Made {
    let flags = &invocation.flags;
    Ok(Box::new(Check {
        config: invocation.client_config()?,
        kind,
        clients,
        key_bytes,
        value: vec![0; value_bytes].into(),
        prefix: flags.text("prefix").to_owned(),
        auto_compact: flags.bool("auto-compact"),
        auto_defrag: flags.bool("auto-defrag"),
        state: State::Looks,
        began: Millis(0),
        ended: Millis(0),
        said: Millis(0),
        sent: 0,
        open: SmallMap::new(),
        tally: Tally::default(),
        size_before: 0,
        size_after: 0,
        compacted: 0,
        to_defragment: Vec::new(),
    }))
}

impl Command for Check {
    fn start(&mut self, io: &mut Io) {
        let (key, range_end) = prefix_range(self.prefix.as_bytes());
        let look = RangeRequest { key, range_end, limit: 1, ..RangeRequest::default() };
        io.ask(&self.config, Request::Range(look));
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Woken if self.state == State::Writes => self.pulse(io),
            Event::Reply(ticket, result) => match self.open.remove(&ticket) {
                Some(since) => self.written(io, since, result),
                None => self.answered(io, result),
            },
            _ => {}
        }
    }

    fn interrupt(&mut self, io: &mut Io) -> bool {
        if !matches!(self.state, State::Writes | State::After) {
            return false;
        }
        self.state = State::GivesUp;
        self.clean(io);
        true
    }
}

impl Check {
    fn answered(&mut self, io: &mut Io, result: Result<Response, RequestError>) {
        match (self.state, result) {
            (State::Looks, Ok(Response::Range(found))) => self.looked(io, found.kvs.is_empty()),
            (State::Looks | State::Before | State::After, Err(error)) => io.fail(&failed(error)),
            (State::Before, Ok(Response::Status(status))) => {
                self.size_before = status.db_size_in_use;
                self.begin(io);
            }
            (State::After, Ok(Response::Status(status))) => {
                self.size_after = status.db_size_in_use;
                self.state = State::Cleans;
                self.clean(io);
            }
            (State::GivesUp, _) => io.exit(EXIT_INTERRUPTED_BY_SIGNAL),
            (State::Cleans, Ok(Response::DeleteRange(deleted))) if self.auto_compact => {
                let revision = deleted.header.revision;
                io.stdout(format!("Compacting with revision {revision}\n").into_bytes());
                self.state = State::Compacts;
                let request = CompactionRequest { revision, physical: true };
                io.ask(&self.config, Request::Compaction(request));
                self.compacted = revision;
            }
            (State::Cleans, Ok(Response::DeleteRange(_))) => self.defragment(io),
            (State::Compacts, Ok(Response::Compaction(_))) => {
                let revision = self.compacted;
                io.stdout(format!("Compacted with revision {revision}\n").into_bytes());
                self.defragment(io);
            }
            (State::Defrags, Ok(Response::Defragment(_))) => {
                let endpoint = self.to_defragment.pop().unwrap_or_default();
                let endpoint = go::quote(endpoint.as_bytes());
                io.stdout(format!("Defragmented {endpoint}\n").into_bytes());
                self.defragment_next(io);
            }
            (State::Cleans, Err(error)) if matches!(self.kind, Kind::Perf { .. }) => {
                let line = format!("FAIL: Cleanup failed during key deletion: ERROR({error})\n");
                io.stdout(line.into_bytes());
                self.defragment(io);
            }
            (_, Err(error)) => io.fail(&failed(error)),
            (_, Ok(_)) => io.fail(&unexpected_answer()),
        }
    }

    fn looked(&mut self, io: &mut Io, is_empty: bool) {
        if !is_empty {
            let (quoted, prefix) = (go::quote(self.prefix.as_bytes()), &self.prefix);
            let (before, after) = match self.kind {
                Kind::Perf { .. } => ("'", "'"),
                Kind::Datascale { .. } => ("", ""),
            };
            let message = format!(
                "prefix {quoted} has keys. Delete with {before}etcdctl del --prefix {prefix}{after} first"
            );
            return io.fail(&Failure::new(EXIT_BAD_INPUT, message));
        }
        match self.kind {
            Kind::Perf { .. } => self.begin(io),
            Kind::Datascale { writes } => {
                io.notice("the memory of a process cannot be seen here; what is measured is how the first endpoint's data grows");
                let clients = self.clients;
                let line = format!(
                    "Start data scale check for work load [{writes} key-value pairs, 1024 bytes per key-value, {clients} concurrent clients].\n"
                );
                io.stdout(line.into_bytes());
                self.state = State::Before;
                self.ask_size(io);
            }
        }
    }

    fn ask_size(&self, io: &mut Io) {
        let first = self.config.endpoints.iter().take(1).cloned().collect();
        let deadline = io.now().plus(self.config.timeout_ms);
        io.ask_one(&self.config, first, Request::Status(StatusRequest {}), deadline);
    }

    fn begin(&mut self, io: &mut Io) {
        self.state = State::Writes;
        self.began = io.now();
        self.said = io.now();
        self.pulse(io);
    }

    /// How many writes should have been sent by now.
    fn due(&self, now: Millis) -> u64 {
        match self.kind {
            Kind::Perf { a_second, for_ms } => {
                1 + a_second * now.since(self.began).min(for_ms) / 1000
            }
            Kind::Datascale { writes } => writes,
        }
    }

    fn is_over(&self, now: Millis) -> bool {
        match self.kind {
            Kind::Perf { for_ms, .. } => now.since(self.began) >= for_ms,
            Kind::Datascale { writes } => self.sent >= writes,
        }
    }

    fn pulse(&mut self, io: &mut Io) {
        self.send(io);
        if self.state == State::Writes && !self.is_over(io.now()) {
            if io.now().since(self.said) >= NEWS_MS {
                self.said = io.now();
                let seconds = io.now().since(self.began) / 1000;
                let done = self.tally.took.len();
                io.notice(&format!("{done} writes in {seconds} s"));
            }
            io.sleep(PULSE_MS);
        }
        self.end_writes(io);
    }

    fn send(&mut self, io: &mut Io) {
        while !self.is_over(io.now())
            && self.sent < self.due(io.now())
            && u64::try_from(self.open.len()).is_ok_and(|open| open < self.clients)
        {
            self.sent += 1;
            let put =
                PutRequest { key: self.key(), value: self.value.clone(), ..PutRequest::default() };
            let since = io.now();
            let ticket = io.ask_forever(&self.config, Request::Put(put));
            self.open.insert(ticket, since);
        }
    }

    /// A key that was not there before: a mixed number, then zeros.
    fn key(&self) -> Bytes {
        let number = self.sent.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 1;
        let mut key = number.to_be_bytes().to_vec();
        key.resize(self.key_bytes, 0);
        [self.prefix.as_bytes(), &key].concat().into()
    }

    fn written(&mut self, io: &mut Io, since: Millis, result: Result<Response, RequestError>) {
        match result {
            Ok(_) => self.tally.took.push(io.now().since(since)),
            Err(error) => {
                *self.tally.errors.get_or_insert_with(error.to_string(), || 0) += 1;
            }
        }
        if self.state == State::Writes {
            self.send(io);
            self.end_writes(io);
        }
    }

    fn end_writes(&mut self, io: &mut Io) {
        if self.state != State::Writes || !self.open.is_empty() || !self.is_over(io.now()) {
            return;
        }
        self.ended = io.now();
        match self.kind {
            Kind::Perf { .. } => {
                self.state = State::Cleans;
                self.clean(io);
            }
            Kind::Datascale { .. } => {
                self.state = State::After;
                self.ask_size(io);
            }
        }
    }

    fn clean(&self, io: &mut Io) {
        let (key, range_end) = prefix_range(self.prefix.as_bytes());
        let delete = DeleteRangeRequest { key, range_end, prev_kv: false };
        io.ask_forever(&self.config, Request::DeleteRange(delete));
    }

    fn defragment(&mut self, io: &mut Io) {
        if self.auto_defrag {
            self.to_defragment = self.config.endpoints.iter().rev().cloned().collect();
        }
        self.state = State::Defrags;
        self.defragment_next(io);
    }

    fn defragment_next(&mut self, io: &mut Io) {
        let Some(endpoint) = self.to_defragment.last().cloned() else {
            return self.report(io);
        };
        let quoted = go::quote(endpoint.as_bytes());
        io.stdout(format!("Defragmenting {quoted}\n").into_bytes());
        let deadline = io.now().plus(self.config.timeout_ms);
        let request = Request::Defragment(DefragmentRequest {});
        io.ask_one(&self.config, vec![endpoint], request, deadline);
    }

    fn report(&self, io: &mut Io) {
        let mut text = String::new();
        if !self.tally.errors.is_empty() {
            text.push_str("FAIL: too many errors\n");
            for (error, count) in &self.tally.errors {
                text.push_str(&format!("FAIL: ERROR({error}) -> {count}\n"));
            }
        }
        let mut is_good = self.tally.errors.is_empty();
        match self.kind {
            Kind::Perf { a_second, .. } => {
                let total_ms = self.ended.since(self.began);
                is_good &= self.tally.judge(&mut text, a_second, total_ms);
                text.push_str(if is_good { "PASS\n" } else { "FAIL\n" });
            }
            Kind::Datascale { .. } if is_good => {
                let grown = self.size_after.saturating_sub(self.size_before);
                let hundredths = u64::try_from(grown).unwrap_or(0) * 100 / (1024 * 1024);
                let (whole, rest) = (hundredths / 100, hundredths % 100);
                text.push_str(&format!(
                    "PASS: Approximate system memory used : {whole}.{rest:02} MB.\n"
                ));
            }
            Kind::Datascale { .. } => {}
        }
        io.stdout(text.into_bytes());
        io.exit(if is_good { 0 } else { EXIT_ERROR });
    }
}

impl Tally {
    /// Judges the writes of a load; true if they are good enough.
    fn judge(&self, text: &mut String, a_second: u64, total_ms: u64) -> bool {
        let count = u64::try_from(self.took.len()).unwrap_or(u64::MAX);
        let a_second_done = (count * 1000).checked_div(total_ms).unwrap_or(0);
        let is_fast = count * 10_000 > 9 * a_second * total_ms;
        let slowest_ms = self.took.iter().copied().max().unwrap_or(0);
        let spread_us = self.spread_us();
        let writes = a_second_done + 1;
        text.push_str(&if is_fast {
            format!("PASS: Throughput is {writes} writes/s\n")
        } else {
            format!("FAIL: Throughput too low: {writes} writes/s\n")
        });
        let slowest = seconds(slowest_ms * 1000);
        text.push_str(&if slowest_ms > 500 {
            format!("Slowest request took too long: {slowest}s\n")
        } else {
            format!("PASS: Slowest request took {slowest}s\n")
        });
        let spread = seconds(spread_us);
        text.push_str(&if spread_us > 100_000 {
            format!("Stddev too high: {spread}s\n")
        } else {
            format!("PASS: Stddev is {spread}s\n")
        });
        is_fast && slowest_ms <= 500 && spread_us <= 100_000
    }

    /// The standard deviation. Unit: µs.
    fn spread_us(&self) -> u64 {
        let count = u128::try_from(self.took.len()).unwrap_or(0);
        let sum: u128 = self.took.iter().map(|ms| u128::from(*ms)).sum();
        let squares: u128 = self.took.iter().map(|ms| u128::from(*ms) * u128::from(*ms)).sum();
        let scaled = (count * squares).saturating_sub(sum * sum) * 1_000_000;
        let variance = scaled.checked_div(count * count).unwrap_or(0);
        u64::try_from(variance.isqrt()).unwrap_or(u64::MAX)
    }
}

/// Go's `%f` of a time.
fn seconds(us: u64) -> String {
    format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_that_keep_up_and_are_even_pass() {
        let tally = Tally { took: vec![4; 9000], errors: SmallMap::new() };
        let mut text = String::new();
        assert!(tally.judge(&mut text, 150, 60_000));
        assert_eq!(
            text,
            "PASS: Throughput is 151 writes/s\nPASS: Slowest request took 0.004000s\nPASS: Stddev is 0.000000s\n"
        );
    }

    #[test]
    fn slow_and_uneven_writes_fail() {
        let tally = Tally { took: vec![0, 1000], errors: SmallMap::new() };
        let mut text = String::new();
        assert!(!tally.judge(&mut text, 150, 60_000));
        assert_eq!(
            text,
            "FAIL: Throughput too low: 1 writes/s\nSlowest request took too long: 1.000000s\nStddev too high: 0.500000s\n"
        );
    }
}
