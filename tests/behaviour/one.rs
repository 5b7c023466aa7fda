//! A fresh cluster of one member, and requests in few words.

use bytes::Bytes;
use etcd_playground::api::{
    CompactionRequest, Compare, CompareResult, CompareTarget, DeleteRangeRequest,
    DeleteRangeResponse, EventType, KeyValue, LeaseGrantRequest, LeaseRevokeRequest, PutRequest,
    PutResponse, RangeRequest, RangeResponse, Request, RequestOp, Response, TxnRequest,
    TxnResponse, WatchCreateRequest, WatchRequest, WatchResponse,
};
use etcd_playground::cluster::CallId;
use etcd_playground::etcdserver::ServerConfig;
use etcd_playground::types::{LeaseId, MemberId};

use super::support::Run;

pub(crate) const COMPACTED: &str = "etcdserver: mvcc: required revision has been compacted";
pub(crate) const FUTURE: &str = "etcdserver: mvcc: required revision is a future revision";
pub(crate) const DUPLICATE: &str = "etcdserver: duplicate key given in txn request";
pub(crate) const NO_KEY: &str = "etcdserver: key not found";
pub(crate) const NO_LEASE: &str = "etcdserver: requested lease not found";

pub(crate) fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All keys.
pub(crate) fn everything() -> RangeRequest {
    range("\0", "\0")
}

pub(crate) fn range(key: &str, range_end: &str) -> RangeRequest {
    RangeRequest { key: bytes(key), range_end: bytes(range_end), ..Default::default() }
}

pub(crate) fn put(key: &str, value: &str) -> PutRequest {
    PutRequest { key: bytes(key), value: bytes(value), ..Default::default() }
}

pub(crate) fn put_op(key: &str, value: &str) -> RequestOp {
    RequestOp::Put(put(key, value))
}

pub(crate) fn get_op(key: &str) -> RequestOp {
    RequestOp::Range(range(key, ""))
}

pub(crate) fn delete(key: &str, range_end: &str) -> DeleteRangeRequest {
    DeleteRangeRequest { key: bytes(key), range_end: bytes(range_end), prev_kv: false }
}

pub(crate) fn delete_op(key: &str, range_end: &str) -> RequestOp {
    RequestOp::DeleteRange(delete(key, range_end))
}

pub(crate) fn compare(key: &str, result: CompareResult, target: CompareTarget) -> Compare {
    Compare { result, target, key: bytes(key), range_end: Bytes::new() }
}

pub(crate) fn then(success: Vec<RequestOp>) -> TxnRequest {
    TxnRequest { success, ..Default::default() }
}

/// `create/mod/version value`.
pub(crate) fn shown(kv: &KeyValue) -> String {
    format!("{}/{}/{} {}", kv.create_revision, kv.mod_revision, kv.version, text(&kv.value))
}

pub(crate) fn keys(found: &RangeResponse) -> Vec<String> {
    found.kvs.iter().map(|kv| text(&kv.key)).collect()
}

/// `PUT key revision` per event.
pub(crate) fn lines(responses: &[WatchResponse]) -> Vec<String> {
    let events = responses.iter().flat_map(|response| &response.events);
    let line = |event: &etcd_playground::api::Event| {
        let kind = if event.event_type == EventType::Put { "PUT" } else { "DELETE" };
        format!("{kind} {} {}", text(&event.kv.key), event.kv.mod_revision)
    };
    events.map(line).collect()
}

/// One member with a store at revision 1.
pub(crate) struct One {
    pub(crate) run: Run,
    pub(crate) member: MemberId,
}

impl One {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(configure: impl Fn(&mut ServerConfig)) -> Self {
        let mut run = Run::new(1, 1, configure);
        let member = run.wait_leader();
        Self { run, member }
    }

    pub(crate) fn ask(&mut self, request: Request) -> Result<Response, String> {
        self.run.ask(self.member, request)
    }

    pub(crate) fn revision(&mut self) -> i64 {
        self.range(everything()).unwrap().header.revision
    }

    pub(crate) fn try_put(&mut self, request: PutRequest) -> Result<PutResponse, String> {
        match self.ask(Request::Put(request))? {
            Response::Put(response) => Ok(response),
            other => panic!("{other:?}"),
        }
    }

    /// The revision of the put.
    pub(crate) fn put(&mut self, key: &str, value: &str) -> i64 {
        self.try_put(put(key, value)).unwrap().header.revision
    }

    pub(crate) fn put_leased(&mut self, key: &str, lease: i64) -> i64 {
        let request = PutRequest { lease: LeaseId(lease), ..put(key, "v") };
        self.try_put(request).unwrap().header.revision
    }

    pub(crate) fn delete(&mut self, request: DeleteRangeRequest) -> DeleteRangeResponse {
        match self.ask(Request::DeleteRange(request)) {
            Ok(Response::DeleteRange(response)) => response,
            other => panic!("{other:?}"),
        }
    }

    /// How many went, and the revision of the answer.
    pub(crate) fn del(&mut self, key: &str, range_end: &str) -> (i64, i64) {
        let response = self.delete(delete(key, range_end));
        (response.deleted, response.header.revision)
    }

    pub(crate) fn range(&mut self, request: RangeRequest) -> Result<RangeResponse, String> {
        match self.ask(Request::Range(request))? {
            Response::Range(response) => Ok(response),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn get(&mut self, key: &str) -> Option<KeyValue> {
        self.range(range(key, "")).unwrap().kvs.pop()
    }

    /// As `shown`, or nothing.
    pub(crate) fn get_at(&mut self, key: &str, revision: i64) -> Result<Option<String>, String> {
        let found = self.range(RangeRequest { revision, ..range(key, "") })?;
        Ok(found.kvs.first().map(shown))
    }

    pub(crate) fn txn(&mut self, request: TxnRequest) -> Result<TxnResponse, String> {
        match self.ask(Request::Txn(request))? {
            Response::Txn(response) => Ok(response),
            other => panic!("{other:?}"),
        }
    }

    /// Whether the compares hold.
    pub(crate) fn holds(&mut self, compare: Vec<Compare>) -> bool {
        self.txn(TxnRequest { compare, ..Default::default() }).unwrap().succeeded
    }

    pub(crate) fn compact(&mut self, revision: i64) -> Result<(), String> {
        self.ask(Request::Compaction(CompactionRequest { revision, physical: true })).map(|_| ())
    }

    pub(crate) fn grant(&mut self, id: i64, ttl: i64) {
        let grant = LeaseGrantRequest { id: LeaseId(id), ttl };
        assert!(self.ask(Request::LeaseGrant(grant)).is_ok());
    }

    pub(crate) fn revoke(&mut self, id: i64) -> Result<i64, String> {
        match self.ask(Request::LeaseRevoke(LeaseRevokeRequest { id: LeaseId(id) }))? {
            Response::LeaseRevoke(response) => Ok(response.header.revision),
            other => panic!("{other:?}"),
        }
    }

    /// Opens a stream with one watch, and lets its first answers come.
    pub(crate) fn open(&mut self, request: WatchCreateRequest) -> CallId {
        let call = self.run.sim.open_watch(self.member, WatchRequest::Create(request));
        self.run.run_ms(300);
        call
    }

    /// One more request on the stream.
    pub(crate) fn send(&mut self, call: CallId, request: WatchRequest) {
        self.run.sim.send_watch(call, request);
        self.run.run_ms(300);
    }

    /// What the stream has said since the last call.
    pub(crate) fn heard(&mut self, call: CallId) -> Vec<WatchResponse> {
        self.run.run_ms(300);
        self.run.watched.remove(&call).unwrap_or_default()
    }

    /// As `heard`, as lines.
    pub(crate) fn events(&mut self, call: CallId) -> Vec<String> {
        lines(&self.heard(call))
    }

    /// Kills the member, starts it again and waits until it leads.
    pub(crate) fn restart(&mut self) {
        self.run.sim.kill(self.member);
        self.run.run_ms(500);
        self.run.sim.restart(self.member);
        self.run.wait_leader();
    }
}

pub(crate) fn watch(key: &str, start_revision: i64) -> WatchCreateRequest {
    WatchCreateRequest { key: bytes(key), start_revision, ..Default::default() }
}

pub(crate) fn watch_range(key: &str, range_end: &str, start_revision: i64) -> WatchCreateRequest {
    WatchCreateRequest { range_end: bytes(range_end), ..watch(key, start_revision) }
}
