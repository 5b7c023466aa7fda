//! The members of a cluster and the changes to them.
//!
//! What it is: a value that every member keeps and changes in the same way, as entries are applied.
//! What it is not: a decision whether a change is wise (quorum, health); see `etcdserver`.
//! Invariants: a member is keyed by its own id; members and removed ids are disjoint; peer URLs are
//! unique over all members.
//! Source: etcd `server/etcdserver/api/membership/cluster.go` (`ValidateConfigurationChange`).

use serde::{Deserialize, Serialize};

use super::identity::{CLUSTER_TOKEN, client_url, cluster_id, member_id, member_name, peer_url};
use crate::api::{Error, Member};
use crate::types::{ClusterId, MemberId, SmallMap, SmallSet};

/// Learners that a cluster may have. Source: etcd `--max-learners`, default 1.
pub const LEARNERS_MAX: u32 = 1;

/// A cluster as one of its members knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// Derived from the members it started with; it never changes.
    pub id: ClusterId,
    /// Everybody who belongs to it.
    pub members: SmallMap<MemberId, Member>,
    /// Everybody who ever left it.
    pub removed: SmallSet<MemberId>,
    /// The version all members agree to behave as; `None` until the first leader has set it.
    pub version: Option<String>,
}

impl Cluster {
    /// The cluster that starts with `members`.
    ///
    /// # Errors
    /// `MemberBadUrls` without members or with a member without peer URL, `MemberExist` and
    /// `PeerUrlExist` if two members are alike.
    pub fn new(members: impl IntoIterator<Item = Member>) -> Result<Self, Error> {
        let mut cluster = Self::default();
        for member in members {
            cluster.check_peer_urls(member.id, &member.peer_urls)?;
            if cluster.members.insert(member.id, member).is_some() {
                return Err(Error::MemberExist);
            }
        }
        if cluster.members.is_empty() {
            return Err(Error::MemberBadUrls);
        }
        cluster.id = cluster_id(cluster.members.keys().copied());
        Ok(cluster)
    }

    /// The static topology: members infra1 to infra`count` on this machine.
    #[must_use]
    pub fn new_static(count: u32) -> Self {
        let members = (1..=count).map(|number| {
            let peer_urls = vec![peer_url(number)];
            let member = Member {
                id: member_id(&peer_urls, CLUSTER_TOKEN, None),
                name: member_name(number),
                peer_urls,
                client_urls: vec![client_url(number)],
                is_learner: false,
            };
            (member.id, member)
        });
        let members: SmallMap<_, _> = members.collect();
        let id = cluster_id(members.keys().copied());
        Self { id, members, ..Self::default() }
    }

    /// The member with this id.
    #[must_use]
    pub fn member(&self, id: MemberId) -> Option<&Member> {
        self.members.get(&id)
    }

    /// The member with this name, if one has it.
    #[must_use]
    pub fn member_named(&self, name: &str) -> Option<&Member> {
        self.members.values().find(|member| member.name == name)
    }

    /// Every member, sorted by id.
    #[must_use]
    pub fn member_list(&self) -> Vec<Member> {
        self.members.values().cloned().collect()
    }

    /// Members that vote, sorted by id.
    pub fn voters(&self) -> impl Iterator<Item = MemberId> {
        self.members.values().filter(|member| !member.is_learner).map(|member| member.id)
    }

    /// Members that do not vote, sorted by id.
    pub fn learners(&self) -> impl Iterator<Item = MemberId> {
        self.members.values().filter(|member| member.is_learner).map(|member| member.id)
    }

    /// Whether this id left the cluster.
    #[must_use]
    pub fn is_removed(&self, id: MemberId) -> bool {
        self.removed.contains(&id)
    }

    /// Adds a member, as voter or learner.
    ///
    /// # Errors
    /// `MemberNotFound` if the id was removed before, `MemberExist`, `PeerUrlExist`,
    /// `MemberBadUrls` without peer URL, `TooManyLearners` over `learners_max`.
    pub fn add(&mut self, member: Member, learners_max: u32) -> Result<(), Error> {
        self.check_not_removed(member.id)?;
        if self.members.contains_key(&member.id) {
            return Err(Error::MemberExist);
        }
        self.check_peer_urls(member.id, &member.peer_urls)?;
        let learners = u32::try_from(self.learners().count()).unwrap_or(u32::MAX);
        if member.is_learner && learners >= learners_max {
            return Err(Error::TooManyLearners);
        }
        self.members.insert(member.id, member);
        Ok(())
    }

    /// Removes a member; its id can never be used again.
    ///
    /// # Errors
    /// `MemberNotFound`.
    pub fn remove(&mut self, id: MemberId) -> Result<Member, Error> {
        self.check_not_removed(id)?;
        let member = self.members.remove(&id).ok_or(Error::MemberNotFound)?;
        self.removed.insert(id);
        Ok(member)
    }

    /// Changes where peers reach a member.
    ///
    /// # Errors
    /// `MemberNotFound`, `PeerUrlExist`, `MemberBadUrls` without peer URL.
    pub fn update(&mut self, id: MemberId, peer_urls: Vec<String>) -> Result<(), Error> {
        self.check_not_removed(id)?;
        if !self.members.contains_key(&id) {
            return Err(Error::MemberNotFound);
        }
        self.check_peer_urls(id, &peer_urls)?;
        self.member_mut(id)?.peer_urls = peer_urls;
        Ok(())
    }

    /// Makes a learner a voter.
    ///
    /// # Errors
    /// `MemberNotFound`, `MemberNotLearner`.
    pub fn promote(&mut self, id: MemberId) -> Result<(), Error> {
        self.check_not_removed(id)?;
        let member = self.member_mut(id)?;
        if !member.is_learner {
            return Err(Error::MemberNotLearner);
        }
        member.is_learner = false;
        Ok(())
    }

    /// Notes what a member told about itself after it had started.
    ///
    /// # Errors
    /// `MemberNotFound`.
    pub fn set_attributes(
        &mut self,
        id: MemberId,
        name: String,
        client_urls: Vec<String>,
    ) -> Result<(), Error> {
        let member = self.member_mut(id)?;
        member.name = name;
        member.client_urls = client_urls;
        Ok(())
    }

    fn member_mut(&mut self, id: MemberId) -> Result<&mut Member, Error> {
        self.members.get_mut(&id).ok_or(Error::MemberNotFound)
    }

    fn check_not_removed(&self, id: MemberId) -> Result<(), Error> {
        if self.is_removed(id) { Err(Error::MemberNotFound) } else { Ok(()) }
    }

    fn check_peer_urls(&self, id: MemberId, peer_urls: &[String]) -> Result<(), Error> {
        if peer_urls.is_empty() {
            return Err(Error::MemberBadUrls);
        }
        let mut others = self.members.values().filter(|member| member.id != id);
        let is_taken =
            others.any(|other| other.peer_urls.iter().any(|url| peer_urls.contains(url)));
        if is_taken { Err(Error::PeerUrlExist) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: u64, url: &str, is_learner: bool) -> Member {
        let peer_urls = vec![url.to_owned()];
        Member { id: MemberId(id), peer_urls, is_learner, ..Member::default() }
    }

    fn id_of(number: u32) -> MemberId {
        member_id(&[peer_url(number)], CLUSTER_TOKEN, None)
    }

    #[test]
    fn static_cluster_has_etcds_ids_names_and_urls() {
        let cluster = Cluster::new_static(3);
        assert_eq!(cluster.id, ClusterId(0x7384_1b4a_9097_c907));
        let names: Vec<_> = cluster.members.values().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["infra3", "infra2", "infra1"], "sorted by id");
        let infra2 = cluster.member(id_of(2)).expect("infra2");
        assert_eq!(infra2.peer_urls, ["http://127.0.0.1:22380"]);
        assert_eq!(infra2.client_urls, ["http://127.0.0.1:22379"]);
        assert_eq!(cluster.member_named("infra1").map(|m| m.id), Some(id_of(1)));
        assert_eq!(cluster.voters().count(), 3);
        assert_eq!(Cluster::new(cluster.member_list()), Ok(cluster));
    }

    #[test]
    fn refused_changes_change_nothing() {
        let mut cluster = Cluster::new_static(2);
        cluster.add(member(7, "http://l", true), LEARNERS_MAX).expect("learner");
        let before = cluster.clone();
        let mut add = |member| cluster.add(member, LEARNERS_MAX);
        assert_eq!(add(member(7, "http://x", false)), Err(Error::MemberExist));
        assert_eq!(add(member(8, &peer_url(1), false)), Err(Error::PeerUrlExist));
        assert_eq!(add(member(8, "http://x", true)), Err(Error::TooManyLearners));
        let no_url = Member { id: MemberId(8), ..Member::default() };
        assert_eq!(add(no_url), Err(Error::MemberBadUrls));
        assert_eq!(cluster.remove(MemberId(8)), Err(Error::MemberNotFound));
        assert_eq!(cluster.update(MemberId(8), vec![peer_url(9)]), Err(Error::MemberNotFound));
        assert_eq!(cluster.update(id_of(1), vec![peer_url(2)]), Err(Error::PeerUrlExist));
        assert_eq!(cluster.update(id_of(1), Vec::new()), Err(Error::MemberBadUrls));
        assert_eq!(cluster.promote(id_of(1)), Err(Error::MemberNotLearner));
        assert_eq!(cluster.promote(MemberId(8)), Err(Error::MemberNotFound));
        let attributes = cluster.set_attributes(MemberId(8), "x".to_owned(), Vec::new());
        assert_eq!(attributes, Err(Error::MemberNotFound));
        assert_eq!(cluster, before);
    }

    #[test]
    fn member_is_added_promoted_updated_and_removed_for_good() {
        let mut cluster = Cluster::new_static(1);
        let id = MemberId(7);
        cluster.add(member(7, "http://l", true), LEARNERS_MAX).expect("add");
        assert_eq!(cluster.learners().collect::<Vec<_>>(), [id]);
        cluster.promote(id).expect("promote");
        assert_eq!(cluster.learners().count(), 0);
        cluster.update(id, vec!["http://m".to_owned()]).expect("update");
        cluster.set_attributes(id, "infra7".to_owned(), vec![client_url(7)]).expect("attributes");
        let expected = Member {
            id,
            name: "infra7".to_owned(),
            peer_urls: vec!["http://m".to_owned()],
            client_urls: vec![client_url(7)],
            is_learner: false,
        };
        assert_eq!(cluster.remove(id), Ok(expected));
        assert!(cluster.is_removed(id));
        assert_eq!(cluster.remove(id), Err(Error::MemberNotFound));
        let again = cluster.add(member(7, "http://n", false), LEARNERS_MAX);
        assert_eq!(again, Err(Error::MemberNotFound));
        assert_eq!(cluster.id, Cluster::new_static(1).id, "the cluster id never changes");
    }

    #[test]
    fn a_cluster_needs_members_that_differ() {
        assert_eq!(Cluster::new([]), Err(Error::MemberBadUrls));
        let twice = [member(1, "http://a", false), member(1, "http://b", false)];
        assert_eq!(Cluster::new(twice), Err(Error::MemberExist));
        let same_url = [member(1, "http://a", false), member(2, "http://a", false)];
        assert_eq!(Cluster::new(same_url), Err(Error::PeerUrlExist));
    }

    #[test]
    fn cluster_survives_being_stored() {
        let mut cluster = Cluster::new_static(3);
        cluster.remove(id_of(2)).expect("remove");
        cluster.version = Some("3.7.0".to_owned());
        let bytes = postcard::to_allocvec(&cluster).expect("encode");
        assert_eq!(postcard::from_bytes::<Cluster>(&bytes), Ok(cluster));
    }
}
