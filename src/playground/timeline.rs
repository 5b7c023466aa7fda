//! What happened, as facts with a time, and the sentences that tell them.
//!
//! What it is: a bounded list of facts from members' events and from what was done to them, with the
//! elections counted.
//! What it is not: a log of text; sentences are made when they are looked at, in the page's language.
//! Invariants: facts are in the order of their time; an election is a term somebody campaigned in or
//! won, counted once however many campaigned.

use std::collections::VecDeque;

use crate::api::MemberEvent;
use crate::cluster::fault::{LinkFault, LinkRule, MemberFault};
use crate::playground::cluster::Action;
use crate::playground::membership::Change;
use crate::playground::strings::Strings;
use crate::scenario::verb::{duration, percent};
use crate::types::{MemberId, Millis, SmallSet, Term};
use crate::wire::DownReason;

/// Most facts kept. Unit: facts.
pub const FACTS_MAX: usize = 400;

/// What took the leader away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It was killed.
    Killed(MemberId),
    /// It crashed, or its disk failed.
    Failed(MemberId),
    /// It was paused.
    Paused(MemberId),
    /// It was cut off.
    Isolated(MemberId),
    /// The cluster was opened.
    Opened,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The cluster was made or opened again.
    Opened {
        /// How many members.
        members: u32,
        /// Its data was there already.
        is_resumed: bool,
    },
    /// A member did something.
    Member(MemberId, MemberEvent),
    /// A member won, and how long after which cause.
    Leader {
        /// Who.
        member: MemberId,
        /// Its term.
        term: Term,
        /// Since when there was no leader, and why.
        after: Option<(u64, Cause)>,
    },
    /// Somebody did something to the cluster.
    Done(Action),
    /// A member went down.
    Down(MemberId, DownReason),
    /// A member's clock stood still.
    Gap(MemberId, u64),
    /// A member would not notice that its disk was rolled back.
    NoFence(MemberId),
    /// Another tab has the cluster now.
    TakenOver,
}

/// How much a fact matters to somebody who only glances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Told aloud.
    Major,
    /// Shown, quietly.
    Minor,
    /// Told aloud, and looks like trouble.
    Trouble,
}

/// A fact with its number and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number; later facts have larger ones.
    pub id: u64,
    /// When.
    pub at: Millis,
    /// What.
    pub fact: Fact,
    /// How often, where the same happens again and again; `at` is the last time.
    pub times: u64,
}

/// What happened so far.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    entries: VecDeque<Entry>,
    next_id: u64,
    began: Millis,
    leaderless: Option<(Millis, Cause)>,
    elections: SmallSet<Term>,
    last_told: Option<(MemberId, MemberEvent)>,
}

impl Timeline {
    /// The facts kept, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// When the cluster was opened.
    #[must_use]
    pub const fn began(&self) -> Millis {
        self.began
    }

    /// Elections held since the cluster was opened in this page.
    #[must_use]
    pub fn elections(&self) -> u64 {
        u64::try_from(self.elections.len()).unwrap_or(u64::MAX)
    }

    /// A cluster was opened: everything before belongs to another one.
    pub fn opened(&mut self, now: Millis, members: u32, is_resumed: bool) {
        *self = Self { next_id: self.next_id, began: now, ..Self::default() };
        self.leaderless = Some((now, Cause::Opened));
        self.push(now, Fact::Opened { members, is_resumed });
    }

    /// Somebody did something; `hits_leader` tells whether the leader was the target.
    pub fn done(&mut self, now: Millis, action: Action, hits_leader: bool) {
        let cause = match action {
            Action::Kill(member) | Action::Afflict(member, MemberFault::Wipe) => {
                Some(Cause::Killed(member))
            }
            Action::Afflict(member, MemberFault::PowerCut) => Some(Cause::Failed(member)),
            Action::Pause(member) => Some(Cause::Paused(member)),
            Action::Isolate(member) => Some(Cause::Isolated(member)),
            Action::Crash(member) => Some(Cause::Failed(member)),
            Action::Restart(_)
            | Action::Resume(_)
            | Action::HealMember(_)
            | Action::Cut(..)
            | Action::CutOneWay(..)
            | Action::HealPair(..)
            | Action::HealOneWay(..)
            | Action::HealAll
            | Action::Partition(_)
            | Action::Disturb { .. }
            | Action::Speed(_)
            | Action::Latency(_)
            | Action::PauseAll(_)
            | Action::Afflict(..)
            | Action::Change(_) => None,
        };
        if let (Some(cause), true) = (cause, hits_leader) {
            self.leaderless = Some((now, cause));
        }
        // What ends a member is told when it has happened.
        let ends = matches!(
            action,
            Action::Kill(_) | Action::Crash(_) | Action::Afflict(_, MemberFault::PowerCut)
        );
        if !ends {
            self.push(now, Fact::Done(action));
        }
    }

    /// A member went down; `was_leading` as far as the page knew.
    pub fn down(&mut self, now: Millis, member: MemberId, reason: &DownReason, was_leading: bool) {
        let cause = match reason {
            DownReason::Killed => Cause::Killed(member),
            DownReason::Crashed { .. }
            | DownReason::PowerCut
            | DownReason::DiskFailed { .. }
            | DownReason::DiskSilent
            | DownReason::DiskRolledBack { .. }
            | DownReason::DiskUnreadable { .. }
            | DownReason::Unresponsive
            | DownReason::Removed
            | DownReason::NotStarted => Cause::Failed(member),
        };
        let was_asked = matches!(
            self.leaderless,
            Some((_, Cause::Killed(who) | Cause::Failed(who))) if who == member
        );
        if was_leading || was_asked {
            self.leaderless = Some((now, cause));
        }
        self.push(now, Fact::Down(member, reason.clone()));
    }

    /// Another tab has the cluster now.
    pub fn taken_over(&mut self, now: Millis) {
        self.push(now, Fact::TakenOver);
    }

    /// A member's clock stood still.
    pub fn gap(&mut self, now: Millis, member: MemberId, gap_ms: u64) {
        self.push(now, Fact::Gap(member, gap_ms));
    }

    /// A member runs without a fence.
    pub fn no_fence(&mut self, now: Millis, member: MemberId) {
        self.push(now, Fact::NoFence(member));
    }

    /// A member did something.
    pub fn member(&mut self, now: Millis, member: MemberId, event: &MemberEvent) {
        match event {
            MemberEvent::BecameLeader { term } => {
                self.elections.insert(*term);
                let after = self.leaderless.take().map(|(at, cause)| (now.since(at), cause));
                self.push(now, Fact::Leader { member, term: *term, after });
                return;
            }
            MemberEvent::CampaignStarted { term } => {
                self.elections.insert(*term);
            }
            // A leader's own "follows itself" says nothing new.
            MemberEvent::LeaderChanged { leader, .. } if *leader == Some(member) => return,
            MemberEvent::PreVoteStarted { .. }
                if self.last_told.as_ref().is_some_and(|told| *told == (member, event.clone())) =>
            {
                // The same pre-candidate asks again and again while it is alone: told once.
                return;
            }
            MemberEvent::Started { .. }
            | MemberEvent::PreVoteStarted { .. }
            | MemberEvent::SteppedDown { .. }
            | MemberEvent::LeaderChanged { .. }
            | MemberEvent::ConfChanged { .. }
            | MemberEvent::Removed
            | MemberEvent::ApplyTookTooLong { .. }
            | MemberEvent::SlowDisk { .. }
            | MemberEvent::SnapshotInstalled { .. } => {}
        }
        self.last_told = Some((member, event.clone()));
        self.push(now, Fact::Member(member, event.clone()));
    }

    fn push(&mut self, at: Millis, fact: Fact) {
        let times = 1 + self.take_same(&fact);
        if self.entries.len() == FACTS_MAX {
            self.entries.pop_front();
        }
        self.entries.push_back(Entry { id: self.next_id, at, fact, times });
        self.next_id += 1;
    }

    /// Takes out the same fact of the same member, if nothing but such facts came since; how often it was.
    fn take_same(&mut self, fact: &Fact) -> u64 {
        let Some(key) = fact.repeated() else { return 0 };
        let newest = self.entries.iter().rev().take_while(|entry| entry.fact.repeated().is_some());
        let since = newest.take_while(|entry| entry.fact.repeated() != Some(key)).count();
        let Some(at) = self.entries.len().checked_sub(since + 1) else { return 0 };
        if self.entries.get(at).is_none_or(|entry| entry.fact.repeated() != Some(key)) {
            return 0;
        }
        self.entries.remove(at).map_or(0, |entry| entry.times)
    }
}

impl Fact {
    /// What comes again and again on a busy machine: whose it is, and which.
    const fn repeated(&self) -> Option<(MemberId, u8)> {
        match self {
            Self::Gap(member, _) => Some((*member, 0)),
            Self::Member(member, MemberEvent::SlowDisk { .. }) => Some((*member, 1)),
            Self::Member(member, MemberEvent::ApplyTookTooLong { .. }) => Some((*member, 2)),
            _ => None,
        }
    }

    /// How much it matters.
    #[must_use]
    pub const fn weight(&self) -> Weight {
        match self {
            Self::Opened { .. } | Self::Leader { .. } | Self::Done(_) | Self::TakenOver => {
                Weight::Major
            }
            Self::Member(_, event) => match event {
                MemberEvent::SteppedDown { .. } | MemberEvent::Removed => Weight::Major,
                MemberEvent::Started { .. }
                | MemberEvent::PreVoteStarted { .. }
                | MemberEvent::CampaignStarted { .. }
                | MemberEvent::BecameLeader { .. }
                | MemberEvent::LeaderChanged { .. }
                | MemberEvent::ConfChanged { .. }
                | MemberEvent::ApplyTookTooLong { .. }
                | MemberEvent::SlowDisk { .. }
                | MemberEvent::SnapshotInstalled { .. } => Weight::Minor,
            },
            Self::Down(
                _,
                DownReason::Killed
                | DownReason::PowerCut
                | DownReason::Removed
                | DownReason::NotStarted,
            ) => Weight::Major,
            Self::Down(..) => Weight::Trouble,
            Self::Gap(..) | Self::NoFence(_) => Weight::Minor,
        }
    }

    /// The sentence that tells it.
    pub fn sentence(&self, s: &Strings, name: &dyn Fn(MemberId) -> String) -> String {
        match self {
            Self::Opened { members, is_resumed: true } => s.told_resumed.of(*members),
            Self::Opened { members, is_resumed: false } => s.told_opened.of(*members),
            Self::Member(member, event) => event_sentence(&name(*member), event, s, name),
            Self::Leader { member, term, after } => {
                let after = after.map_or_else(String::new, |(ms, cause)| {
                    s.told_after.of(&s.seconds.of(ms), &cause_words(cause, s, name))
                });
                s.told_leader.of(&name(*member), &term.to_string(), &after)
            }
            Self::Done(action) => done_sentence(*action, s, name),
            Self::Down(member, reason) => down_sentence(&name(*member), reason, s),
            Self::Gap(member, gap_ms) => s.told_gap.of(&name(*member), &s.seconds.of(*gap_ms)),
            Self::NoFence(member) => s.told_no_fence.of(&name(*member)),
            Self::TakenOver => s.banner_taken.to_owned(),
        }
    }
}

fn cause_words(cause: Cause, s: &Strings, name: &dyn Fn(MemberId) -> String) -> String {
    match cause {
        Cause::Killed(member) => s.cause_killed.of(&name(member)),
        Cause::Failed(member) => s.cause_failed.of(&name(member)),
        Cause::Paused(member) => s.cause_paused.of(&name(member)),
        Cause::Isolated(member) => s.cause_isolated.of(&name(member)),
        Cause::Opened => s.cause_opened.to_owned(),
    }
}

fn event_sentence(
    who: &str,
    event: &MemberEvent,
    s: &Strings,
    name: &dyn Fn(MemberId) -> String,
) -> String {
    match event {
        MemberEvent::Started { boot, last_index, revision } => {
            if *boot <= 1 {
                s.told_started_fresh.of(who)
            } else {
                s.told_started.of(
                    who,
                    &boot.to_string(),
                    &last_index.to_string(),
                    &revision.to_string(),
                )
            }
        }
        MemberEvent::PreVoteStarted { term } => s.told_pre_vote.of(who, term.0),
        MemberEvent::CampaignStarted { term } => s.told_campaign.of(who, term.0),
        MemberEvent::BecameLeader { term } => s.told_leader.of(who, &term.to_string(), ""),
        MemberEvent::SteppedDown { term, quorum_lost: true } => s.told_quorum_lost.of(who, term.0),
        MemberEvent::SteppedDown { term, quorum_lost: false } => s.told_stepped.of(who, term.0),
        MemberEvent::LeaderChanged { term, leader: Some(leader) } => {
            s.told_follows.of(who, &name(*leader), term.0)
        }
        MemberEvent::LeaderChanged { term, leader: None } => s.told_no_leader.of(who, term.0),
        MemberEvent::ConfChanged { voters, learners } => {
            let listed = |ids: &[MemberId]| {
                let names: SmallSet<String> = ids.iter().map(|id| name(*id)).collect();
                let names: Vec<String> = names.iter().cloned().collect();
                names.join(s.list_gap)
            };
            s.told_conf.of(who, &listed(voters), &listed(learners))
        }
        MemberEvent::Removed => s.told_removed.of(who),
        MemberEvent::ApplyTookTooLong { took_ms, entries, .. } => {
            s.told_slow_apply.of(who, &took_ms.to_string(), &entries.to_string())
        }
        MemberEvent::SlowDisk { took_ms, .. } => s.told_slow_disk.of(who, *took_ms),
        MemberEvent::SnapshotInstalled { index, from } => {
            s.told_snapshot.of(who, &name(*from), index.0)
        }
    }
}

/// What a person did, also printed below the verb in the console.
pub fn done_sentence(action: Action, s: &Strings, name: &dyn Fn(MemberId) -> String) -> String {
    match action {
        Action::Kill(member) => s.done_kill.of(&name(member)),
        Action::Restart(member) => s.done_restart.of(&name(member)),
        Action::Pause(member) => s.done_pause.of(&name(member)),
        Action::Resume(member) => s.done_resume.of(&name(member)),
        Action::Isolate(member) => s.done_isolate.of(&name(member)),
        Action::HealMember(member) => s.done_heal_member.of(&name(member)),
        Action::Crash(member) => s.done_crash.of(&name(member)),
        Action::Cut(one, other) => s.done_cut.of(&name(one), &name(other)),
        Action::CutOneWay(from, to) => s.done_cut_one_way.of(&name(from), &name(to)),
        Action::HealPair(one, other) => s.done_heal_pair.of(&name(one), &name(other)),
        Action::HealOneWay(from, to) => s.done_heal_one_way.of(&name(from), &name(to)),
        Action::HealAll => s.done_heal_all.to_owned(),
        Action::Speed(speed) if speed.is_real() => s.done_real_time.to_owned(),
        Action::Speed(speed) => s.done_speed.of(&speed.to_string()),
        Action::Latency(0) => s.done_latency.of(""),
        Action::Latency(ms) => s.done_latency.of(&duration(ms)),
        // Each member is told of.
        Action::PauseAll(_) => String::new(),
        Action::Partition(sides) => s.done_partition.of(&sides.to_string()),
        Action::Disturb { from, to, one_way, fault } => {
            let arrow = if one_way { s.arrow_one_way } else { s.arrow_both_ways };
            let link = format!("{}{arrow}{}", name(from), name(to));
            s.done_disturb.of(&link, &link_fault_words(fault, s))
        }
        Action::Afflict(member, fault) => afflict_sentence(&name(member), fault, s),
        Action::Change(change) => change_sentence(change, s, name),
    }
}

/// What is done to a link's messages: `loss 30%`.
pub fn link_fault_words(fault: LinkFault, s: &Strings) -> String {
    let (label, value) = link_fault_parts(fault, s);
    format!("{label} {value}")
}

/// The same in two: its name, and how much of it.
pub fn link_fault_parts(fault: LinkFault, s: &Strings) -> (&'static str, String) {
    let count = |count| if count == 0 { s.fault_off.to_owned() } else { percent(count) };
    match fault {
        LinkFault::Delay { ms: 0, jitter_ms: 0 } => (s.fault_delay, s.fault_off.to_owned()),
        LinkFault::Delay { ms, jitter_ms: 0 } => (s.fault_delay, duration(ms)),
        LinkFault::Delay { ms, jitter_ms } => {
            (s.fault_delay, s.fault_jitter.of(&duration(ms), &duration(jitter_ms)))
        }
        LinkFault::Loss(lost) => (s.fault_loss, count(lost)),
        LinkFault::Duplicate(doubled) => (s.fault_duplicate, count(doubled)),
        LinkFault::Reorder(late) => (s.fault_reorder, count(late)),
    }
}

/// All that a rule does, in a few words; nothing if it does nothing.
pub fn rule_words(rule: LinkRule, s: &Strings) -> String {
    let words: Vec<String> = faults_of(rule)
        .into_iter()
        .filter(|(_, is_on)| *is_on)
        .map(|(fault, _)| link_fault_words(fault, s))
        .collect();
    words.join(s.list_gap)
}

/// The faults that a rule is made of, and whether each does anything.
pub const fn faults_of(rule: LinkRule) -> [(LinkFault, bool); 4] {
    let delay = LinkFault::Delay { ms: rule.delay_ms, jitter_ms: rule.jitter_ms };
    [
        (delay, rule.delay_ms > 0 || rule.jitter_ms > 0),
        (LinkFault::Loss(rule.loss), rule.loss > 0),
        (LinkFault::Duplicate(rule.duplicate), rule.duplicate > 0),
        (LinkFault::Reorder(rule.reorder), rule.reorder > 0),
    ]
}

fn afflict_sentence(who: &str, fault: MemberFault, s: &Strings) -> String {
    match fault {
        MemberFault::SlowDisk(0) => s.done_quick_disk.of(who),
        MemberFault::SlowDisk(ms) => s.done_slow_disk.of(who, &duration(ms)),
        MemberFault::FillDisk => s.done_fill_disk.of(who),
        MemberFault::FreeDisk => s.done_free_disk.of(who),
        MemberFault::PowerCut => s.done_power_cut.of(who),
        MemberFault::Wipe => s.done_wipe.of(who),
        MemberFault::Clock(rate) => s.done_clock.of(who, &percent(rate)),
    }
}

fn change_sentence(change: Change, s: &Strings, name: &dyn Fn(MemberId) -> String) -> String {
    let words = match change {
        Change::Add => return s.done_add.to_owned(),
        Change::AddLearner => return s.done_add_learner.to_owned(),
        Change::Promote(_) => s.done_promote,
        Change::Remove(_) => s.done_remove,
        Change::Lead(_) => s.done_lead,
        Change::Replace(_) => s.done_replace,
        Change::ForceNew(_) => s.done_force,
        Change::Delete(_) => s.done_delete,
        Change::Wipe(_) => s.done_wipe,
    };
    change.member().map_or_else(String::new, |member| words.of(&name(member)))
}

/// Why a member is down, in a sentence.
#[must_use]
pub fn down_sentence(who: &str, reason: &DownReason, s: &Strings) -> String {
    match reason {
        DownReason::Killed => s.down_killed.of(who),
        DownReason::PowerCut => s.down_power_cut.of(who),
        DownReason::Crashed { message } => s.down_crashed.of(who, message),
        DownReason::DiskFailed { message } => s.down_disk_failed.of(who, message),
        DownReason::DiskSilent => s.down_disk_silent.of(who),
        DownReason::DiskRolledBack { message } => s.down_rolled_back.of(who, message),
        DownReason::DiskUnreadable { message } => s.down_unreadable.of(who, message),
        DownReason::Unresponsive => s.down_unresponsive.of(who),
        DownReason::Removed => s.down_removed.of(who),
        DownReason::NotStarted => s.down_not_started.of(who),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playground::strings::EN;
    use crate::types::Index;

    fn name(member: MemberId) -> String {
        format!("infra{member}")
    }

    fn sentences(timeline: &Timeline) -> Vec<String> {
        timeline.entries().map(|entry| entry.fact.sentence(&EN, &name)).collect()
    }

    #[test]
    fn a_snapshot_and_learners_are_told_in_words() {
        let mut timeline = Timeline::default();
        let event = MemberEvent::SnapshotInstalled { index: Index(42), from: MemberId(1) };
        timeline.member(Millis(1), MemberId(4), &event);
        for learners in [vec![MemberId(4)], Vec::new()] {
            let voters = vec![MemberId(2), MemberId(1)];
            let event = MemberEvent::ConfChanged { voters, learners };
            timeline.member(Millis(2), MemberId(4), &event);
        }
        assert_eq!(
            sentences(&timeline),
            [
                "infra4 was too far behind and took a snapshot from infra1: the state at entry 42.",
                "infra4 applied a configuration: voters infra1, infra2, learners infra4.",
                "infra4 applied a configuration: voters infra1, infra2.",
            ]
        );
    }

    #[test]
    fn a_new_leader_is_told_with_the_time_since_the_old_one_was_killed() {
        let mut timeline = Timeline::default();
        timeline.opened(Millis(0), 3, false);
        timeline.member(Millis(1300), MemberId(1), &MemberEvent::BecameLeader { term: Term(2) });
        timeline.done(Millis(10_000), Action::Kill(MemberId(1)), true);
        timeline.down(Millis(10_040), MemberId(1), &DownReason::Killed, true);
        timeline.member(
            Millis(11_100),
            MemberId(2),
            &MemberEvent::CampaignStarted { term: Term(3) },
        );
        timeline.member(Millis(11_240), MemberId(2), &MemberEvent::BecameLeader { term: Term(3) });
        assert_eq!(
            sentences(&timeline),
            [
                "A new cluster of 3 members was made.",
                "infra1 became leader at term 2, 1.3 s after the cluster was opened.",
                "infra1 was killed.",
                "infra2 campaigns: election for term 3.",
                "infra2 became leader at term 3, 1.2 s after infra1 was killed.",
            ]
        );
        assert_eq!(timeline.elections(), 2);
    }

    #[test]
    fn elections_are_counted_by_term_also_those_that_nobody_won() {
        let mut timeline = Timeline::default();
        timeline.opened(Millis(0), 3, false);
        for (member, term) in [(1, 2), (2, 2), (3, 3)] {
            let event = MemberEvent::CampaignStarted { term: Term(term) };
            timeline.member(Millis(1), MemberId(member), &event);
        }
        timeline.member(Millis(2), MemberId(3), &MemberEvent::BecameLeader { term: Term(3) });
        assert_eq!(timeline.elections(), 2);
    }

    #[test]
    fn a_pre_candidate_that_keeps_asking_is_told_once() {
        let mut timeline = Timeline::default();
        for _ in 0..5 {
            timeline.member(Millis(1), MemberId(1), &MemberEvent::PreVoteStarted { term: Term(4) });
        }
        assert_eq!(timeline.entries().count(), 1);
    }

    #[test]
    fn killing_a_follower_does_not_become_the_cause_of_a_later_election() {
        let mut timeline = Timeline::default();
        timeline.done(Millis(0), Action::Kill(MemberId(3)), false);
        timeline.down(Millis(10), MemberId(3), &DownReason::Killed, false);
        timeline.member(Millis(99), MemberId(2), &MemberEvent::BecameLeader { term: Term(3) });
        assert_eq!(
            sentences(&timeline).last().map(String::as_str),
            Some("infra2 became leader at term 3.")
        );
    }

    #[test]
    fn the_list_is_bounded_and_keeps_the_newest() {
        let mut timeline = Timeline::default();
        for at in 0..1000 {
            timeline.no_fence(Millis(at), MemberId(1));
        }
        assert_eq!(timeline.entries().count(), FACTS_MAX);
        assert_eq!(timeline.entries().next_back().map(|entry| entry.at), Some(Millis(999)));
    }

    #[test]
    fn what_comes_again_and_again_is_one_line_with_a_count_and_the_newest_time() {
        let mut timeline = Timeline::default();
        for at in 1..=3 {
            for member in [1, 2] {
                timeline.gap(Millis(at * 1_000), MemberId(member), at * 100);
            }
        }
        let told = |timeline: &Timeline| -> Vec<(u64, u64)> {
            timeline.entries().map(|entry| (entry.at.0, entry.times)).collect()
        };
        assert_eq!(told(&timeline), [(3_000, 3), (3_000, 3)]);
        assert!(sentences(&timeline)[0].contains("0.3 s"), "the newest one");
        timeline.no_fence(Millis(4_000), MemberId(1));
        timeline.gap(Millis(5_000), MemberId(1), 500);
        assert_eq!(told(&timeline), [(3_000, 3), (3_000, 3), (4_000, 1), (5_000, 1)]);
        let slow = MemberEvent::SlowDisk { took_ms: 1_500, expected_ms: 1_000 };
        for at in 6..9 {
            timeline.member(Millis(at * 1_000), MemberId(1), &slow);
        }
        assert_eq!(told(&timeline).last(), Some(&(8_000, 3)));
    }
}
