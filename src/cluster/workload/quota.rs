//! W11: values so large that the quota is used up, and then what etcd's documentation says to do about it.
//!
//! Invariants: compacts, defragments every member, and lifts every alarm, in this order, and begins anew.

use bytes::Bytes;

use super::{Action, Workload, World};
use crate::api::{
    AlarmMember, AlarmRequest, CompactionRequest, DefragmentRequest, Error, PutRequest, Request,
    Response,
};

/// What it is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Fills,
    Compacts,
    Defragments(u32),
    Lists,
    Disarms,
}

/// Fills the disk and cleans up.
#[derive(Debug)]
pub(super) struct Filler {
    stage: Stage,
    alarms: Vec<AlarmMember>,
}

impl Default for Filler {
    fn default() -> Self {
        Self { stage: Stage::Fills, alarms: Vec::new() }
    }
}

impl Workload for Filler {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        Action::Ask(match self.stage {
            Stage::Fills => {
                let mut value = world.value().to_vec();
                let bytes = world.random.between(1_000, 8_000);
                value.resize(usize::try_from(bytes).unwrap_or(0), b'.');
                let key = world.key();
                Request::Put(PutRequest { key, value: Bytes::from(value), ..PutRequest::default() })
            }
            Stage::Compacts => {
                let (revision, physical) = (world.revision, true);
                Request::Compaction(CompactionRequest { revision, physical })
            }
            Stage::Defragments(at) => {
                let next = at + 1;
                self.stage =
                    if next < world.members { Stage::Defragments(next) } else { Stage::Lists };
                return Action::AskMember(at, Request::Defragment(DefragmentRequest {}));
            }
            Stage::Lists => Request::Alarm(AlarmRequest::List),
            Stage::Disarms => match self.alarms.pop() {
                Some(alarm) => Request::Alarm(AlarmRequest::Disarm(alarm)),
                None => {
                    self.stage = Stage::Fills;
                    return Action::Rest;
                }
            },
        })
    }

    fn answered(&mut self, result: &Result<Response, Error>) {
        match (self.stage, result) {
            (Stage::Fills, Err(Error::NoSpace)) => self.stage = Stage::Compacts,
            (Stage::Compacts, Ok(_) | Err(Error::Compacted)) => self.stage = Stage::Defragments(0),
            (Stage::Lists, Ok(Response::Alarm(list))) => {
                self.alarms.clone_from(&list.alarms);
                self.stage = Stage::Disarms;
            }
            _ => {}
        }
    }

    fn pause_ms(&self) -> (u32, u32) {
        if self.stage == Stage::Fills { (5, 60) } else { (5, 150) }
    }
}
