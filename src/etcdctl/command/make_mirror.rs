//! `make-mirror`: copy keys to another cluster, first what is there, then what changes.
//!
//! One request is under way at a time; the changes of a revision go into one transaction, or into several if they
//! are more than `--max-txn-ops`.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::api::{
    self, DeleteRangeRequest, EventType, KeyValue, PutRequest, RangeRequest, RangeResponse,
    Request, RequestOp, Response, TxnRequest, WatchCreateRequest, WatchResponse,
};
use crate::etcdctl::command::lock::failed;
use crate::etcdctl::command::{
    Command, Config, EXIT_BAD_CONNECTION, Failure, Invocation, Made, from_key_range, prefix_range,
    unexpected_answer,
};
use crate::etcdctl::executor::{Access, Event, Io, RequestError, WatchEvent};
use crate::etcdctl::printer::Format;

/// Keys of one page. Source: etcd `mirror.batchLimit`.
const PAGE_KEYS: i64 = 1000;

/// How often the number of copied keys is printed. Unit: ms. Source: etcdctl.
const TOTAL_MS: u64 = 30_000;

const BOTH: &str =
    "`--dest-prefix` and `--no-dest-prefix` cannot be set at the same time, choose one";

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Nothing,
    /// Any key, for the newest revision.
    Revision,
    Page,
    Copy,
}

struct Mirror {
    source: Config,
    destination: Config,
    prefix: String,
    destination_prefix: String,
    max_ops: u64,
    /// What is there at this revision is copied first; then come the changes after it.
    revision: i64,
    /// Where the next page begins; `None`: there is none.
    page_from: Option<Bytes>,
    /// Writes for the destination, in order.
    copies: VecDeque<Request>,
    asked: Asked,
    is_watching: bool,
    total: i64,
}

pub(crate) fn new(invocation: &Invocation) -> Made {
    let flags = &invocation.flags;
    let [destination] = invocation.args.as_slice() else {
        return Err(Failure::bad_args("make-mirror takes one destination argument").into());
    };
    // The destination's client comes first.
    let (user, password) = (flags.text("dest-user"), flags.text("dest-password"));
    let access =
        Access { fails_fast: true, ..invocation.user(user, password, "Destination Password: ")? };
    let endpoints = vec![destination.trim().to_owned()];
    let destination = invocation.config_of(endpoints, access, Format::Simple);
    let destination = invocation.connected(destination, EXIT_BAD_CONNECTION)?;
    let source = invocation.client_config()?;
    let (destination_prefix, none) = (flags.text("dest-prefix"), flags.bool("no-dest-prefix"));
    if none && !destination_prefix.is_empty() {
        return Err(Failure::bad_args(BOTH).into());
    }
    let prefix = flags.text("prefix").to_owned();
    let revision = (flags.int("rev") - 1).max(0);
    // From a revision on, etcdctl takes an unset prefix for an empty one.
    let keeps_prefix = !none && destination_prefix.is_empty() && revision == 0;
    let destination_prefix =
        if keeps_prefix { prefix.clone() } else { destination_prefix.to_owned() };
    Ok(Box::new(Mirror {
        source,
        destination,
        prefix,
        destination_prefix,
        max_ops: flags.uint("max-txn-ops"),
        revision,
        page_from: None,
        copies: VecDeque::new(),
        asked: Asked::Nothing,
        is_watching: false,
        total: 0,
    }))
}

impl Command for Mirror {
    fn start(&mut self, io: &mut Io) {
        io.sleep(TOTAL_MS);
        if self.revision > 0 {
            return self.go_on(io);
        }
        let key = if self.prefix.is_empty() { "foo" } else { &self.prefix };
        let key = Bytes::copy_from_slice(key.as_bytes());
        self.asked = Asked::Revision;
        io.ask_forever(
            &self.source,
            Request::Range(RangeRequest { key, ..RangeRequest::default() }),
        );
    }

    fn on(&mut self, io: &mut Io, event: Event) {
        match event {
            Event::Woken => {
                io.stdout(format!("{}\n", self.total).into_bytes());
                io.sleep(TOTAL_MS);
            }
            Event::Reply(_, result) => self.answered(io, result),
            Event::Watch(WatchEvent::Response(response)) => {
                self.changed(&response);
                self.go_on(io);
            }
            Event::Watch(WatchEvent::Closed(response, _)) => {
                if response.compact_revision == 0 {
                    // etcdctl has no word for it.
                    io.fail(&failed("<nil>"));
                } else {
                    io.fail(&failed(api::Error::Compacted));
                }
            }
            _ => {}
        }
    }
}

impl Mirror {
    fn answered(&mut self, io: &mut Io, result: Result<Response, RequestError>) {
        let response = match result {
            Ok(response) => response,
            Err(error) => return io.fail(&failed(error)),
        };
        match (std::mem::replace(&mut self.asked, Asked::Nothing), response) {
            (Asked::Revision, Response::Range(range)) => {
                self.revision = range.header.revision;
                self.page_from = Some(self.range().0);
            }
            (Asked::Page, Response::Range(range)) => self.copy_page(range),
            (Asked::Copy, Response::Put(_) | Response::Txn(_)) => {}
            (Asked::Nothing | Asked::Revision | Asked::Page | Asked::Copy, _) => {
                return io.fail(&unexpected_answer());
            }
        }
        self.go_on(io);
    }

    /// The keys that are copied.
    fn range(&self) -> (Bytes, Bytes) {
        if self.prefix.is_empty() {
            from_key_range(b"")
        } else {
            prefix_range(self.prefix.as_bytes())
        }
    }

    /// The next copy, the next page, or the watch.
    fn go_on(&mut self, io: &mut Io) {
        if self.asked != Asked::Nothing {
            return;
        }
        if let Some(copy) = self.copies.pop_front() {
            self.asked = Asked::Copy;
            io.ask_forever(&self.destination, copy);
        } else if let Some(key) = self.page_from.take() {
            self.asked = Asked::Page;
            let (_, range_end) = self.range();
            let (limit, revision) = (PAGE_KEYS, self.revision);
            let page = RangeRequest { key, range_end, limit, revision, ..RangeRequest::default() };
            io.ask_forever(&self.source, Request::Range(page));
        } else if !self.is_watching {
            self.is_watching = true;
            let (key, range_end) = self.range();
            let start_revision = self.revision + 1;
            let create = WatchCreateRequest {
                key,
                range_end,
                start_revision,
                ..WatchCreateRequest::default()
            };
            io.watch(&self.source, create);
        }
    }

    fn copy_page(&mut self, page: RangeResponse) {
        if page.more {
            let last = page.kvs.last().map(|kv| [&kv.key[..], b"\0"].concat());
            self.page_from = last.map(Bytes::from);
        }
        for kv in &page.kvs {
            let put = self.put(kv);
            self.copies.push_back(Request::Put(put));
            self.total += 1;
        }
    }

    /// The first occurrence of the prefix is replaced, as etcdctl does it.
    fn key(&self, key: &Bytes) -> Bytes {
        let rest = key.strip_prefix(self.prefix.as_bytes()).unwrap_or(key);
        [self.destination_prefix.as_bytes(), rest].concat().into()
    }

    fn put(&self, kv: &KeyValue) -> PutRequest {
        PutRequest { key: self.key(&kv.key), value: kv.value.clone(), ..PutRequest::default() }
    }

    fn changed(&mut self, response: &WatchResponse) {
        let mut ops: Vec<RequestOp> = Vec::new();
        let mut last = 0;
        for event in &response.events {
            let revision = event.kv.mod_revision;
            let is_full = u64::try_from(ops.len()).is_ok_and(|ops| ops == self.max_ops);
            if (last != 0 && revision > last) || is_full {
                self.copy(std::mem::take(&mut ops));
            }
            last = revision;
            ops.push(match event.event_type {
                EventType::Put => RequestOp::Put(self.put(&event.kv)),
                EventType::Delete => RequestOp::DeleteRange(DeleteRangeRequest {
                    key: self.key(&event.kv.key),
                    ..DeleteRangeRequest::default()
                }),
            });
            self.total += 1;
        }
        if !ops.is_empty() {
            self.copy(ops);
        }
    }

    fn copy(&mut self, success: Vec<RequestOp>) {
        self.copies.push_back(Request::Txn(TxnRequest { success, ..TxnRequest::default() }));
    }
}
