//! What a request must satisfy before anything is done with it.
//!
//! What it is: etcd's `v3rpc` checks, in etcd's order, and how a request travels from here.
//! What it is not: a check against the store; that happens when the entry is applied.
//! Invariants: a refused request has changed nothing.
//! Source: behaviour of etcd `server/etcdserver/api/v3rpc/key.go`.

use super::config::ServerConfig;
use super::request::Operation;
use crate::api::{Error, Request};
use crate::mvcc::request_check::{
    check_delete_range_request, check_put_request, check_range_request, check_txn_request,
};
use crate::mvcc::txn;

/// How a request is answered.
#[derive(Debug)]
pub(crate) enum Route {
    /// From this member's own state, at once.
    Local(Request),
    /// From this member's own state, once it has caught up with the quorum.
    Linearizable(Request),
    /// Through the log.
    Propose(Operation),
    /// By this member itself, with what it knows of the others.
    Member(Request),
}

/// Whether a learner answers it.
pub(crate) const fn is_for_learners(request: &Request) -> bool {
    match request {
        // The one stream that etcd's learners serve.
        Request::Status(_) | Request::Snapshot(_) => true,
        Request::Range(range) => range.serializable,
        _ => false,
    }
}

/// Checks a request and says how it is answered.
pub(crate) fn route(config: &ServerConfig, request: Request) -> Result<Route, Error> {
    check(config, &request)?;
    Ok(match request {
        Request::Range(range) if range.serializable => Route::Local(Request::Range(range)),
        Request::Range(range) => Route::Linearizable(Request::Range(range)),
        Request::MemberList(list) if list.linearizable => {
            Route::Linearizable(Request::MemberList(list))
        }
        Request::MemberList(_)
        | Request::Status(_)
        | Request::HashKv(_)
        | Request::LeaseLeases(_) => Route::Local(request),
        Request::Txn(request) if txn::is_read_only(&request) => {
            if txn::is_serializable(&request) {
                Route::Local(Request::Txn(request))
            } else {
                Route::Linearizable(Request::Txn(request))
            }
        }
        Request::Put(put) => Route::Propose(Operation::Put(put)),
        Request::DeleteRange(delete) => Route::Propose(Operation::DeleteRange(delete)),
        Request::Txn(txn) => Route::Propose(Operation::Txn(txn)),
        Request::Compaction(compaction) => Route::Propose(Operation::Compaction(compaction)),
        Request::Alarm(alarm) => Route::Propose(Operation::Alarm(alarm)),
        Request::Authenticate(_) => Route::Linearizable(request),
        Request::LeaseRevoke(revoke) => Route::Propose(Operation::LeaseRevoke(revoke)),
        Request::MemberAdd(_)
        | Request::MemberRemove(_)
        | Request::MemberUpdate(_)
        | Request::MemberPromote(_)
        | Request::MoveLeader(_)
        | Request::Defragment(_)
        | Request::Downgrade(_)
        | Request::LeaseGrant(_)
        | Request::LeaseKeepAlive(_)
        | Request::LeaseTimeToLive(_)
        | Request::Auth(_)
        | Request::Snapshot(_) => Route::Member(request),
    })
}

fn check(config: &ServerConfig, request: &Request) -> Result<(), Error> {
    match request {
        Request::Range(range) => check_range_request(range),
        Request::Put(put) => check_put_request(put),
        Request::DeleteRange(delete) => check_delete_range_request(delete),
        Request::Txn(txn) => check_txn_request(txn, config.max_txn_ops),
        Request::Compaction(_)
        | Request::MemberList(_)
        | Request::Status(_)
        | Request::HashKv(_)
        | Request::Alarm(_)
        | Request::MemberAdd(_)
        | Request::MemberRemove(_)
        | Request::MemberUpdate(_)
        | Request::MemberPromote(_)
        | Request::MoveLeader(_)
        | Request::Defragment(_)
        | Request::Downgrade(_)
        | Request::LeaseGrant(_)
        | Request::LeaseRevoke(_)
        | Request::LeaseKeepAlive(_)
        | Request::LeaseTimeToLive(_)
        | Request::LeaseLeases(_)
        | Request::Auth(_)
        | Request::Authenticate(_)
        | Request::Snapshot(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::api::{PutRequest, RangeRequest, RequestOp, TxnRequest};
    use crate::types::MemberId;

    fn routed(request: Request) -> Result<Route, Error> {
        route(&ServerConfig::new(MemberId(1), Vec::new(), 0), request)
    }

    fn range(serializable: bool) -> RangeRequest {
        RangeRequest { key: Bytes::from_static(b"k"), serializable, ..Default::default() }
    }

    #[test]
    fn reads_are_local_only_when_they_ask_for_it() {
        assert!(matches!(routed(Request::Range(range(true))), Ok(Route::Local(_))));
        assert!(matches!(routed(Request::Range(range(false))), Ok(Route::Linearizable(_))));
        let txn = |op| TxnRequest { success: vec![op], ..Default::default() };
        let read = |serializable| Request::Txn(txn(RequestOp::Range(range(serializable))));
        assert!(matches!(routed(read(true)), Ok(Route::Local(_))));
        assert!(matches!(routed(read(false)), Ok(Route::Linearizable(_))));
    }

    #[test]
    fn a_nested_read_only_transaction_goes_through_the_log() {
        let inner =
            TxnRequest { success: vec![RequestOp::Range(range(true))], ..Default::default() };
        let outer = TxnRequest { success: vec![RequestOp::Txn(inner)], ..Default::default() };
        assert!(matches!(routed(Request::Txn(outer)), Ok(Route::Propose(_))));
    }

    #[test]
    fn an_empty_key_is_refused_before_anything_is_proposed() {
        let put = PutRequest::default();
        assert_eq!(routed(Request::Put(put)).err(), Some(Error::EmptyKey));
    }
}
