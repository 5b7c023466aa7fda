//! Members that a script adds, removes and promotes.
//!
//! What it is: the request to the cluster, tried again while the refusal is one that passes, and what a person would do then: start
//! the new member, and tell the consoles the endpoints.
//! What it is not: etcd's checks, which the cluster makes; a refusal is told in etcd's words.
//! Invariants: a request that may have been applied is never sent again.

use super::Lab;
use crate::api;
use crate::scenario::Change;
use crate::scenario::verb::MEMBERS_MAX;

/// A refusal that passes with time is tried again after this. Unit: virtual ms.
const RETRY_MS: u64 = 1_000;
/// So often. Range: longer than the 5 s after which etcd trusts a connection.
const RETRIES_MAX: u32 = 10;

impl Lab {
    /// Changes the membership; gives back a sentence.
    pub(super) fn change(&mut self, change: Change) -> Result<String, String> {
        self.session.acts();
        match change {
            Change::Add { is_learner } => self.add(is_learner),
            Change::Remove(target) => {
                let world = self.session.world();
                let id = world.resolve(target)?;
                self.persuade(&api::Request::MemberRemove(api::MemberRemoveRequest { id }))?;
                self.session.forget(id);
                self.session.renew_endpoints();
                Ok(format!("{} was removed\n", world.name(id)))
            }
            Change::Promote(target) => {
                let world = self.session.world();
                let id = world.resolve(target)?;
                self.persuade(&api::Request::MemberPromote(api::MemberPromoteRequest { id }))?;
                Ok(format!("{} has a vote now\n", world.name(id)))
            }
        }
    }

    fn add(&mut self, is_learner: bool) -> Result<String, String> {
        let members = self.session.simulation().members();
        let is_taken =
            |number: &u32| members.iter().any(|member| member.name == format!("infra{number}"));
        let Some(number) = (1..=MEMBERS_MAX).find(|number| !is_taken(number)) else {
            return Err(format!("a script can have {MEMBERS_MAX} members, removed ones included"));
        };
        let peer_url = format!("http://127.0.0.1:{number}2380");
        let peer_urls = vec![peer_url.clone()];
        let request = api::MemberAddRequest { peer_urls, is_learner };
        self.persuade(&api::Request::MemberAdd(request))?;
        let name = format!("infra{number}");
        let has_joined =
            self.session.join(&peer_url, &name, &format!("http://127.0.0.1:{number}2379"));
        assert!(has_joined, "the cluster has just told of this member");
        self.session.renew_endpoints();
        let what = if is_learner { "as a learner and started" } else { "and started" };
        Ok(format!("{name} was added {what}\n"))
    }

    /// Asks until the cluster agrees, or refuses for good.
    fn persuade(&mut self, request: &api::Request) -> Result<api::Response, String> {
        let mut tries = 0;
        loop {
            let member = self.somebody()?;
            match self.ask(member, request.clone()) {
                Some(Ok(response)) => return Ok(response),
                Some(Err(api::Error::Unhealthy | api::Error::LearnerNotReady))
                    if tries < RETRIES_MAX =>
                {
                    tries += 1;
                    self.session.run(RETRY_MS, |_| false);
                }
                Some(Err(error)) => return Err(error.to_string()),
                None => return Err("no answer came".to_owned()),
            }
        }
    }
}
