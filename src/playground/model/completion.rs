//! Completion in the console, with what the cluster has to be asked for.
//!
//! Invariants: see `model`; a question is asked for the line as it stands, and its answer is passed over once that
//! has changed.

use super::{Effect, Model, api};
use crate::etcdctl::endpoint_address;
use crate::playground::cluster::SECOND_ENDPOINT;
use crate::playground::complete::{Candidate, Found, Known, Names, Place};

/// Names that were seen in answers, the newest list of each kind.
#[derive(Debug, Default)]
pub(super) struct Seen {
    users: Vec<String>,
    roles: Vec<String>,
    leases: Vec<String>,
    /// The question that is open, and the tab and line it is for.
    open: Option<(u64, u32, String)>,
}

impl Seen {
    /// The cluster is another one.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    fn list(&mut self, names: Names) -> &mut Vec<String> {
        match names {
            Names::Users => &mut self.users,
            Names::Roles => &mut self.roles,
            Names::Leases => &mut self.leases,
        }
    }

    fn add(&mut self, names: Names, name: &str) {
        let list = self.list(names);
        if !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
    }

    /// Learns from what a question was answered with.
    pub(super) fn learn(&mut self, request: &api::Request, response: &api::Response) {
        match (request, response) {
            (_, api::Response::LeaseLeases(list)) => {
                self.leases = list.leases.iter().map(|lease| lease_name(lease.id)).collect();
            }
            (_, api::Response::LeaseGrant(grant)) => {
                self.add(Names::Leases, &lease_name(grant.id));
            }
            (_, api::Response::Auth(api::AuthResponse::UserList(list))) => {
                self.users.clone_from(&list.users);
            }
            (_, api::Response::Auth(api::AuthResponse::RoleList(list))) => {
                self.roles.clone_from(&list.roles);
            }
            (api::Request::Auth(api::AuthRequest::UserAdd(user)), _) => {
                self.add(Names::Users, &user.name);
            }
            (api::Request::Auth(api::AuthRequest::RoleAdd(role)), _) => {
                self.add(Names::Roles, &role.name);
            }
            _ => {}
        }
    }
}

fn lease_name(id: crate::types::LeaseId) -> String {
    format!("{:016x}", id.0)
}

impl Model {
    /// Tab: the next completion, or what may stand here.
    pub(super) fn complete(&mut self, after: u32) {
        match self.console.has_search() {
            Some(true) => {
                self.console.take_choice();
            }
            Some(false) => {
                self.console.step(true);
            }
            None => self.complete_line(after),
        }
    }

    fn complete_line(&mut self, after: u32) {
        self.console.split_line(after);
        let draft = self.console.head().to_owned();
        if draft.trim().is_empty() || self.console.active().reads_secret() {
            return;
        }
        let Some(place) = Place::of(&draft) else { return };
        let asked = place.names().zip(self.cluster.best_reader());
        let Some((names, member)) = asked else { return self.propose(place, &draft) };
        let request = match names {
            Names::Users => {
                api::Request::Auth(api::AuthRequest::UserList(api::AuthUserListRequest::default()))
            }
            Names::Roles => {
                api::Request::Auth(api::AuthRequest::RoleList(api::AuthRoleListRequest::default()))
            }
            Names::Leases => api::Request::LeaseLeases(api::LeaseLeasesRequest::default()),
        };
        let call = self.numbers.next();
        self.names.open = Some((call, self.console.active_id(), draft));
        self.effects.push(Effect::Request { call, member, client: 0, token: None, request });
    }

    /// What was written has changed while completions are shown.
    pub(super) fn complete_again(&mut self) {
        let draft = self.console.head().to_owned();
        match Place::of(&draft) {
            Some(place) => {
                let found = self.find(&place, &draft);
                // Only Tab extends the line.
                self.console.completed(place, Found { line: draft, ..found });
            }
            None => self.console.close_menu(),
        }
    }

    fn propose(&mut self, place: Place, draft: &str) {
        let found = self.find(&place, draft);
        // The list belongs to the line as it is now.
        let place = Place::of(&found.line).unwrap_or(place);
        self.console.completed(place, found);
        self.changes.console = true;
    }

    fn find(&mut self, place: &Place, draft: &str) -> Found {
        let names: &[String] = match place.names() {
            Some(names) => self.names.list(names),
            None => &[],
        };
        let mut known = Known {
            members: Vec::new(),
            endpoints: vec![Candidate {
                text: SECOND_ENDPOINT.to_owned(),
                about: self.strings.second_about.to_owned(),
            }],
            keys: self.keys.live_keys(),
            names,
        };
        for node in &self.cluster.nodes {
            let member = &node.member;
            known.members.push([member.name.clone(), format!("{:x}", member.id)]);
            let text =
                member.client_urls.first().map_or("", |url| endpoint_address(url)).to_owned();
            known.endpoints.push(Candidate { text, about: member.name.clone() });
        }
        place.clone().find(draft, known)
    }

    /// Takes the answer to the question that is open; false if it answers something else.
    pub(super) fn names_answered(
        &mut self,
        call: u64,
        result: Option<&Result<api::Response, api::Error>>,
    ) -> bool {
        let Some((_, tab, draft)) = self.names.open.take_if(|(open, ..)| *open == call) else {
            return false;
        };
        if let Some(Ok(response)) = result {
            let nothing = api::Request::LeaseLeases(api::LeaseLeasesRequest::default());
            self.names.learn(&nothing, response);
        }
        if self.console.active_id() == tab
            && self.console.head() == draft
            && let Some(place) = Place::of(&draft)
        {
            self.propose(place, &draft);
        }
        true
    }
}
