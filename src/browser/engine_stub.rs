//! Stand-in until the engine is merged.
use crate::api;
use crate::etcdserver::{DiskImage, Fence, Input, Output, ServerConfig};
use crate::types::MemberId;
pub(super) enum StartError {
    RolledBack(String),
    Unreadable(String),
    WrongIdentity(String),
    Config(String),
}
pub(super) struct Server;
impl Server {
    pub(super) fn start(
        _c: ServerConfig,
        _d: &DiskImage,
        _f: Option<&Fence>,
    ) -> Result<Self, StartError> {
        Ok(Self)
    }
    pub(super) fn handle(&mut self, _i: Input) {}
    pub(super) fn poll_output(&mut self) -> Option<Output> {
        None
    }
    pub(super) fn status(&self) -> api::MemberStatus {
        api::MemberStatus::default()
    }
    pub(super) fn boot(&self) -> u64 {
        1
    }
}
pub(super) fn recipient(_m: &crate::raft::Message) -> MemberId {
    MemberId(0)
}
