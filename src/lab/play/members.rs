//! Members that a script adds, removes and promotes.
//!
//! What it is: the request to the cluster, tried again while the refusal is one that passes, and what a person would do then: start
//! the new member, and tell the consoles the endpoints; and a whole cluster that is opened from restored data.
//! What it is not: etcd's checks, which the cluster makes; a refusal is told in etcd's words.
//! Invariants: a request that may have been applied is never sent again.

use super::{BOOT_LIMIT_MS, Lab, settings, spec};
use crate::api;
use crate::cluster::Simulation;
use crate::etcdserver::ServerConfig;
use crate::membership::Cluster;
use crate::scenario::verb::MEMBERS_MAX;
use crate::scenario::{Change, Saying, Told};

/// A refusal that passes with time is tried again after this. Unit: virtual ms.
const RETRY_MS: u64 = 1_000;
/// So often. Range: longer than the 5 s after which etcd trusts a connection.
const RETRIES_MAX: u32 = 10;

impl Lab {
    /// Changes the membership; gives back a sentence.
    pub(super) fn change(&mut self, change: Change) -> Result<Told, Told> {
        self.session.acts();
        match change {
            Change::Add { is_learner } => self.add(is_learner),
            Change::Remove(target) => {
                let world = self.session.world();
                let id = world.resolve(target)?;
                self.persuade(&api::Request::MemberRemove(api::MemberRemoveRequest { id }))?;
                self.session.forget(id);
                self.session.renew_endpoints();
                Ok(Told::of(Saying::Removed, world.name(id)))
            }
            Change::Promote(target) => {
                let world = self.session.world();
                let id = world.resolve(target)?;
                self.persuade(&api::Request::MemberPromote(api::MemberPromoteRequest { id }))?;
                Ok(Told::of(Saying::Promoted, world.name(id)))
            }
        }
    }

    fn add(&mut self, is_learner: bool) -> Result<Told, Told> {
        let members = self.session.simulation().members();
        let is_taken =
            |number: &u32| members.iter().any(|member| member.name == format!("infra{number}"));
        let Some(number) = (1..=MEMBERS_MAX).find(|number| !is_taken(number)) else {
            return Err(Told::of(Saying::ManyMembers, MEMBERS_MAX));
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
        Ok(Told::of(if is_learner { Saying::AddedLearner } else { Saying::Added }, name))
    }

    /// The cluster of restored data takes the place of the one that runs; gives back a sentence.
    pub(super) fn open(&mut self, name: &str) -> Result<Told, Told> {
        let Some(restored) = self.session.files_mut().take_restored(name) else {
            return Err(Told::of(Saying::NotRestored, name));
        };
        let count = u32::try_from(restored.members.len()).unwrap_or(u32::MAX).min(MEMBERS_MAX);
        let usual = Cluster::new_static(count);
        if restored.members.iter().any(|member| usual.member(member.id).is_none()) {
            self.session.files_mut().keep_restored(name.to_owned(), restored);
            return Err(Told::of(Saying::OtherMembers, name));
        }
        let settings = settings(&self.script);
        let configure = |config: &mut ServerConfig| {
            if let Some(settings) = &settings {
                config.set(settings);
            }
        };
        let disks = restored.members.iter().map(|member| member.id).zip(restored.disks);
        let simulation = Simulation::on_disks(spec(&self.script, count), configure, disks);
        self.session.replace(simulation);
        self.session.run(BOOT_LIMIT_MS, |session| session.world().leader().is_some());
        self.session.mark();
        Ok(Told::of(Saying::Opened, name).and(count))
    }

    /// Asks until the cluster agrees, or refuses for good.
    fn persuade(&mut self, request: &api::Request) -> Result<api::Response, Told> {
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
                Some(Err(error)) => return Err(Told::plain(error)),
                None => return Err(Told::new(Saying::NoAnswer)),
            }
        }
    }
}
