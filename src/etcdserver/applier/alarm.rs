//! Alarms: raised by members, kept by all, lifted by people.
//!
//! Invariants: the set changes by entries of the log only; a member raises an alarm for itself, or as the
//! leader for another.
//! Source: behaviour of etcd `api/v3alarm/alarms.go`.

use crate::api::{AlarmMember, AlarmRequest, AlarmResponse, AlarmType};
use crate::etcdserver::io::RequestId;
use crate::etcdserver::request::Operation;
use crate::etcdserver::server::Server;
use crate::types::{self, MemberId};

impl Server {
    pub(in crate::etcdserver) fn has_alarm(&self, alarm: AlarmType) -> bool {
        self.alarms.iter().any(|active| active.alarm == alarm)
    }

    /// The active alarms, by kind and then by member.
    pub(in crate::etcdserver) fn alarm_list(&self) -> Vec<AlarmMember> {
        let mut list: Vec<AlarmMember> = self.alarms.iter().copied().collect();
        types::sort_by(&mut list, |one, other| {
            (one.alarm, one.member_id).cmp(&(other.alarm, other.member_id))
        });
        list
    }

    pub(super) fn apply_alarm(&mut self, request: AlarmRequest) -> AlarmResponse {
        let alarms = match request {
            AlarmRequest::List => self.alarm_list(),
            AlarmRequest::Activate(alarm) => {
                self.alarms.insert(alarm);
                vec![alarm]
            }
            AlarmRequest::Disarm(alarm) if self.alarms.remove(&alarm) => vec![alarm],
            AlarmRequest::Disarm(_) => Vec::new(),
        };
        AlarmResponse { header: self.header(), alarms }
    }

    /// Raises an alarm; `refused` is told that the space is used up once it is raised.
    pub(in crate::etcdserver) fn raise_alarm(
        &mut self,
        member_id: MemberId,
        alarm: AlarmType,
        refused: Option<RequestId>,
    ) {
        log::warn!("raises the alarm {alarm} for {member_id:x}");
        let request = AlarmRequest::Activate(AlarmMember { member_id, alarm });
        self.propose_alarm(Operation::Alarm(request), refused);
    }
}
