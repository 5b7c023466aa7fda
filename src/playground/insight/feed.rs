//! What the page remembers of what passed by, so that a view that is opened late knows the past.
//!
//! What it is: a listener at the page's edge: every effect and every news passes it; [`Feed::take`] gives what is new.
//! What it is not: a model of the cluster; nothing is concluded here, and nothing on the first screen needs it.
//! Invariants: at most [`ITEMS_MAX`] items are kept, the oldest go first; of states and members only the newest.

use std::collections::VecDeque;

use super::passed::Passed;
use super::protocol::{Fault, Item, MemberNote, Sample};
use super::tap::Tap;
use crate::api;
use crate::playground::cluster::SECOND;
use crate::playground::edge::{Effect, News};
use crate::playground::escape;
use crate::types::{Index, MemberId, Millis, Term};

/// Most items that are kept for a view that is opened late.
///
/// Unit: items. Source: ours; some hundred bytes each, and hours of a calm cluster.
const ITEMS_MAX: usize = 4_000;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Feed {
    now: Millis,
    members: Vec<MemberNote>,
    statuses: Vec<api::MemberStatus>,
    cuts: Vec<(MemberId, MemberId)>,
    furthest: (Term, Index),
    items: VecDeque<Item>,
    passed: Passed,
    /// How many of the newest items nobody has taken.
    untold: usize,
    /// Members and cuts are other ones since they were taken.
    is_changed: bool,
    /// Members whose states are other ones since they were taken.
    fresh: Vec<MemberId>,
    /// The cluster goes on in another tab.
    is_given_up: bool,
    tap: Tap,
}

impl Feed {
    /// True if [`Feed::take`] would give something.
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.untold > 0
            || self.is_changed
            || !self.fresh.is_empty()
            || self.passed.has_news()
            || self.tap.has_news()
    }

    /// What is new since this was last asked; the first time everything that is known.
    pub fn take(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        let skipped = self.items.len() - self.untold.min(self.items.len());
        items.extend(self.items.iter().skip(skipped).cloned());
        self.untold = 0;
        let tapped = self.tap.take();
        if std::mem::take(&mut self.is_changed) {
            items.extend(self.members.iter().cloned().map(Item::Member));
            items.push(Item::Cuts(self.cuts.clone()));
        }
        for member in std::mem::take(&mut self.fresh) {
            let status = self.statuses.iter().find(|status| status.member == member);
            items.extend(status.cloned().map(Item::Status));
        }
        self.passed.take(&mut items);
        items.extend(tapped.into_iter().map(Item::History));
        items
    }

    /// The newest time.
    #[must_use]
    pub const fn now(&self) -> Millis {
        self.now
    }

    /// Everything is news again: somebody new listens.
    pub fn rewind(&mut self) {
        self.untold = self.items.len();
        self.passed.rewind();
        self.tap.rewind();
        self.is_changed = true;
        self.fresh = self.statuses.iter().map(|status| status.member).collect();
    }

    /// The page wants this done.
    pub fn effect(&mut self, effect: &Effect) {
        let at = self.now;
        self.passed.effect(effect, at);
        self.tap.effect(at, effect);
        match effect {
            Effect::Pause(member) => {
                self.change(*member, |note| note.is_paused = true);
                self.push(Item::Fault { at, fault: Fault::Paused(*member) });
            }
            Effect::Resume(member) => {
                self.change(*member, |note| note.is_paused = false);
                self.push(Item::Fault { at, fault: Fault::Resumed(*member) });
            }
            Effect::SetLinks(links) => {
                self.cuts = links.cut_links().collect();
                self.is_changed = true;
                let count = u32::try_from(self.cuts.len()).unwrap_or(u32::MAX);
                self.push(Item::Fault { at, fault: Fault::Links(count) });
            }
            Effect::Admit(member) => self.admit(member),
            Effect::Retire(member) => self.change(*member, |note| note.is_removed = true),
            Effect::DeleteMember(member) => {
                self.members.retain(|note| note.id != *member);
                self.statuses.retain(|status| status.member != *member);
                self.push(Item::Gone(*member));
            }
            Effect::Request { call, member, .. } if *member != SECOND => {
                self.push(Item::Called { at, call: *call, member: *member });
            }
            _ => {}
        }
    }

    /// The page hears this.
    pub fn news(&mut self, news: &News) {
        let at = self.now;
        self.tap.news(at, news);
        match news {
            News::Now(now) => self.now = *now,
            News::ClusterOpened { members, is_resumed, .. } => {
                let tap = self.tap.opened(*is_resumed);
                *self = Self { now: at, is_changed: true, tap, ..Self::default() };
                self.push(Item::Opened { at });
                members.iter().for_each(|member| self.admit(member));
            }
            News::MemberStarting(member) => {
                self.push(Item::Fault { at, fault: Fault::Started(*member) });
            }
            News::MemberUp(member) => self.change(*member, |note| {
                note.is_up = true;
                note.is_paused = false;
            }),
            News::GivingUp | News::TakenOver => self.is_given_up = true,
            News::MemberDown { member, .. } if self.is_given_up => {
                self.change(*member, |note| note.is_up = false);
            }
            News::MemberDown { member, .. } => {
                self.change(*member, |note| note.is_up = false);
                self.push(Item::Fault { at, fault: Fault::Down(*member) });
            }
            News::Status(status) => self.status(status),
            News::MemberEvents { member, events } => {
                for event in events {
                    self.push(Item::Event { at, member: *member, event: event.clone() });
                }
            }
            News::Reply { call, result } => {
                self.passed.reply(*call, result, at);
                let result = result.as_ref().map(revision_of).map_err(|error| error.to_string());
                self.push(Item::Answered { at, call: *call, result: Some(result) });
            }
            News::CallFailed { call, .. } if !self.passed.failed(*call, at) => {
                self.push(Item::Answered { at, call: *call, result: None });
            }
            news => self.passed.news(news, at),
        }
    }

    fn push(&mut self, item: Item) {
        if self.items.len() == ITEMS_MAX {
            self.items.pop_front();
        }
        self.items.push_back(item);
        self.untold = (self.untold + 1).min(ITEMS_MAX);
    }

    fn admit(&mut self, member: &api::Member) {
        self.is_changed = true;
        if self.members.iter().any(|note| note.id == member.id) {
            return;
        }
        let note = MemberNote {
            id: member.id,
            name: escape::line(member.name.as_bytes()),
            is_learner: member.is_learner,
            is_up: false,
            is_paused: false,
            is_removed: false,
        };
        let at = self.members.partition_point(|other| other.name <= note.name);
        self.members.insert(at, note);
    }

    fn change(&mut self, member: MemberId, change: impl FnOnce(&mut MemberNote)) {
        if let Some(note) = self.members.iter_mut().find(|note| note.id == member) {
            change(note);
            self.is_changed = true;
        }
    }

    fn status(&mut self, status: &api::MemberStatus) {
        if (status.term, status.applied) > self.furthest && status.applied >= self.furthest.1 {
            self.furthest = (status.term, status.applied);
            self.push(Item::Sample(Sample {
                at: self.now,
                term: status.term,
                applied: status.applied,
                revision: status.revision,
            }));
        }
        match self.statuses.iter_mut().find(|old| old.member == status.member) {
            Some(old) if old == status => return,
            Some(old) => old.clone_from(status),
            None => self.statuses.push(status.clone()),
        }
        if !self.fresh.contains(&status.member) {
            self.fresh.push(status.member);
        }
    }
}

/// The revision that an answer tells; 0 if it is not about keys.
pub const fn revision_of(response: &api::Response) -> i64 {
    match response {
        api::Response::Range(answer) => answer.header.revision,
        api::Response::Put(answer) => answer.header.revision,
        api::Response::DeleteRange(answer) => answer.header.revision,
        api::Response::Txn(answer) => answer.header.revision,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::fault::Links;
    use crate::playground::cluster::DEFAULT_SPEC;
    use crate::wire::{DownReason, PersistenceMode};

    fn opened() -> Feed {
        let mut feed = Feed::default();
        feed.news(&News::Now(Millis(5)));
        let member = |id: u64| api::Member {
            id: MemberId(id),
            name: format!("infra{id}"),
            ..api::Member::default()
        };
        feed.news(&News::ClusterOpened {
            spec: DEFAULT_SPEC,
            members: vec![member(1), member(2)],
            mode: PersistenceMode::Memory,
            mode_reason: None,
            is_resumed: false,
        });
        feed
    }

    fn status(applied: u64, revision: i64) -> News {
        News::Status(api::MemberStatus {
            member: MemberId(1),
            applied: Index(applied),
            revision,
            ..api::MemberStatus::default()
        })
    }

    #[test]
    fn who_listens_late_hears_the_past_and_then_only_what_is_new() {
        let mut feed = opened();
        feed.news(&News::MemberUp(MemberId(1)));
        feed.news(&status(4, 1));
        feed.news(&status(5, 2));
        let all = feed.take();
        assert_eq!(all.first(), Some(&Item::Opened { at: Millis(5) }));
        let samples = all.iter().filter(|item| matches!(item, Item::Sample(_))).count();
        let states = all.iter().filter(|item| matches!(item, Item::Status(_))).count();
        assert_eq!((samples, states), (2, 1), "{all:?}");
        assert!(!feed.has_news() && feed.take().is_empty());
        feed.news(&status(5, 2));
        assert!(!feed.has_news(), "the same state again is no news");
        feed.rewind();
        assert_eq!(feed.take().len(), all.len());
    }

    #[test]
    fn what_is_told_bit_by_bit_is_told_once_and_members_after_what_forgets_them() {
        let mut feed = opened();
        let first = feed.take();
        let at = |wanted: fn(&Item) -> bool| first.iter().position(wanted);
        let opened = at(|item| matches!(item, Item::Opened { .. }));
        let member = at(|item| matches!(item, Item::Member(_)));
        assert!(opened.is_some() && opened < member, "{first:?}");
        feed.news(&status(5, 2));
        let rest = feed.take();
        assert!(rest.iter().any(|item| matches!(item, Item::Status(_))), "{rest:?}");
        assert!(!rest.iter().any(|item| matches!(item, Item::Member(_))), "{rest:?}");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut feed = opened();
        for applied in 1..10_000 {
            feed.news(&status(applied, 1));
        }
        assert!(feed.take().len() <= ITEMS_MAX + 5);
        let last = feed.items.back();
        assert!(matches!(last, Some(Item::Sample(sample)) if sample.applied == Index(9_999)));
    }

    #[test]
    fn who_goes_on_in_another_tab_was_not_killed() {
        let mut feed = opened();
        feed.take();
        feed.news(&News::GivingUp);
        feed.news(&News::MemberDown { member: MemberId(2), reason: DownReason::Killed });
        let told = feed.take();
        assert!(!told.iter().any(|item| matches!(item, Item::Fault { .. })), "{told:?}");
        assert!(told.iter().any(|item| matches!(item, Item::Member(note) if !note.is_up)));
    }

    #[test]
    fn faults_and_links_are_told() {
        let mut feed = opened();
        feed.take();
        let mut links = Links::default();
        links.cut(MemberId(1), MemberId(2));
        feed.effect(&Effect::SetLinks(links));
        feed.news(&News::MemberDown { member: MemberId(2), reason: DownReason::Killed });
        let told = feed.take();
        assert!(told.contains(&Item::Fault { at: Millis(5), fault: Fault::Links(2) }));
        assert!(told.contains(&Item::Fault { at: Millis(5), fault: Fault::Down(MemberId(2)) }));
        assert!(told.iter().any(|item| matches!(item, Item::Cuts(cuts) if cuts.len() == 2)));
    }
}
