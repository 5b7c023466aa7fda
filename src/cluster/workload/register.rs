//! W0, W1 and W2: quick puts, registers with compare-and-swap, and values that grow by transactions.
//!
//! Invariants: a compare-and-swap asks for the version that the client saw last.

use bytes::Bytes;

use super::{Action, Workload, World, get};
use crate::api::{
    Compare, CompareResult, CompareTarget, Error, KeyValue, PutRequest, Request, RequestOp,
    Response, ResponseOp, TxnRequest,
};

/// Put, get, delete, and compare-and-swap by mod revision.
#[derive(Debug, Default)]
pub(super) struct Register {
    /// What the last read showed.
    seen: Option<KeyValue>,
}

/// A transaction that writes `value` if the key is still as it was seen, and reads it otherwise.
fn swap(key: &Bytes, target: CompareTarget, value: Bytes) -> Request {
    let compare =
        Compare { result: CompareResult::Equal, target, key: key.clone(), range_end: Bytes::new() };
    let put = PutRequest { key: key.clone(), value, prev_kv: true, ..PutRequest::default() };
    let Request::Range(read) = get(key.clone()) else { return get(key.clone()) };
    Request::Txn(TxnRequest {
        compare: vec![compare],
        success: vec![RequestOp::Put(put)],
        failure: vec![RequestOp::Range(read)],
    })
}

impl Workload for Register {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        Action::Ask(match world.random.below(10) {
            0..=3 => Request::Put(world.put()),
            4 | 5 => get(world.key()),
            6 => Request::DeleteRange(world.delete()),
            _ => {
                let value = world.value();
                match self.seen.take() {
                    Some(kv) => {
                        let target = match world.random.below(4) {
                            0 => CompareTarget::Version(kv.version),
                            1 => CompareTarget::Create(kv.create_revision),
                            2 => CompareTarget::Value(kv.value.clone()),
                            _ => CompareTarget::Mod(kv.mod_revision),
                        };
                        swap(&kv.key, target, value)
                    }
                    None => {
                        let key = world.key();
                        let target = if world.random.chance(1, 4) {
                            CompareTarget::Value(Bytes::new())
                        } else {
                            CompareTarget::Version(0)
                        };
                        swap(&key, target, value)
                    }
                }
            }
        })
    }

    fn answered(&mut self, result: &Result<Response, Error>) {
        if let Ok(Response::Range(range)) = result {
            self.seen = range.kvs.first().cloned();
        }
    }

    fn pause_ms(&self) -> (u32, u32) {
        (1, 60)
    }
}

/// Puts, as quick as they are answered: for long histories.
#[derive(Debug)]
pub(super) struct Quick;

impl Workload for Quick {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        Action::Ask(Request::Put(world.put()))
    }

    fn pause_ms(&self) -> (u32, u32) {
        (0, 4)
    }
}

/// Reads a key, then appends to what it read, if nobody was faster.
#[derive(Debug, Default)]
pub(super) struct Append {
    key: Bytes,
    seen: Option<Option<KeyValue>>,
}

/// A value that has grown this long starts anew. Unit: bytes.
const VALUE_MAX: usize = 200;

impl Workload for Append {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        let Some(seen) = self.seen.take() else {
            self.key = world.key();
            return Action::Ask(get(self.key.clone()));
        };
        let piece = world.value();
        let mut value = seen.as_ref().map(|kv| kv.value.to_vec()).unwrap_or_default();
        if value.len() > VALUE_MAX {
            value.clear();
        }
        value.push(b',');
        value.extend_from_slice(&piece);
        let revision = seen.map_or(0, |kv| kv.mod_revision);
        Action::Ask(swap(&self.key, CompareTarget::Mod(revision), value.into()))
    }

    fn answered(&mut self, result: &Result<Response, Error>) {
        self.seen = match result {
            Ok(Response::Range(range)) => Some(range.kvs.first().cloned()),
            Ok(Response::Txn(txn)) => match txn.responses.first() {
                Some(ResponseOp::Range(range)) => Some(range.kvs.first().cloned()),
                _ => None,
            },
            _ => None,
        };
    }

    fn pause_ms(&self) -> (u32, u32) {
        (1, 40)
    }
}
