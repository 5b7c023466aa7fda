//! What a set of members can do.
//!
//! What it is: the arithmetic of majorities over the configuration in force, in words.
//! What it is not: an election; whether the one who could win has the right log is not asked here.
//! Invariants: learners count for no majority; in a joint configuration both halves need one; what a member answers
//! from its own store needs nobody else.
//! Source: Raft thesis, chapters 3, 4 and 6; behaviour of etcd 3.7 (learners answer serializable reads only).

use super::log::role_words;
use super::model::Known;
use super::strings::InsightStrings;
use crate::types::MemberId;

/// Who counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Configuration {
    /// The voters; in a joint configuration the incoming ones.
    pub(super) voters: Vec<MemberId>,
    /// In a joint configuration the voters before it.
    pub(super) outgoing: Vec<MemberId>,
    /// Who does not vote.
    pub(super) learners: Vec<MemberId>,
}

/// Whom somebody thinks reachable.
#[derive(Clone, Debug, Default)]
pub(super) struct Thought {
    /// Nothing while it is as it is.
    chosen: Option<Vec<MemberId>>,
}

impl Thought {
    /// A member comes or goes.
    pub(super) fn toggle(&mut self, member: MemberId, real: &[MemberId]) {
        let chosen = self.chosen.get_or_insert_with(|| real.to_vec());
        match chosen.iter().position(|id| *id == member) {
            Some(at) => drop(chosen.remove(at)),
            None => chosen.push(member),
        }
    }
}

/// A member that can be thought reachable or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachView {
    /// Who.
    pub id: MemberId,
    /// Its name.
    pub name: String,
    /// What it is: voter, learner, leader.
    pub role: &'static str,
    /// It is one of the set.
    pub is_on: bool,
    /// It can really be reached.
    pub is_real: bool,
    /// Why not, in a word.
    pub why: &'static str,
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerView {
    /// What is asked.
    pub question: &'static str,
    /// Its name for tests.
    pub name: &'static str,
    /// The answer.
    pub is_yes: bool,
    /// The arithmetic.
    pub because: String,
}

/// The quorum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuorumView {
    /// The members.
    pub members: Vec<ReachView>,
    /// The answers.
    pub answers: Vec<AnswerView>,
    /// The set is who can really be reached.
    pub is_real: bool,
    /// What else is good to know.
    pub notes: Vec<&'static str>,
}

/// One half of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Half {
    of: u64,
    has: u64,
}

impl Half {
    fn new(voters: &[MemberId], chosen: &[MemberId]) -> Self {
        let has = voters.iter().filter(|voter| chosen.contains(voter)).count();
        Self { of: voters.len() as u64, has: has as u64 }
    }

    const fn needs(self) -> u64 {
        self.of / 2 + 1
    }

    /// A half without voters asks for nothing.
    const fn is_met(self) -> bool {
        self.of == 0 || self.has >= self.needs()
    }

    fn words(self, s: &InsightStrings) -> String {
        [(s.needs)(self.needs(), self.of), (s.has)(self.has)].join(s.comma)
    }
}

/// Who can really be reached: the members that serve and hear one another, around the leader if there is one.
pub(super) fn reachable(known: &Known) -> Vec<MemberId> {
    let serving: Vec<MemberId> =
        known.members.iter().filter(|note| known.is_serving(note.id)).map(|note| note.id).collect();
    let is_open = |from: MemberId, to: MemberId| !known.cuts.contains(&(from, to));
    let group = |center: MemberId| -> Vec<MemberId> {
        let hears = |other: &MemberId| {
            *other == center || (is_open(center, *other) && is_open(*other, center))
        };
        serving.iter().copied().filter(hears).collect()
    };
    let voters = |group: &[MemberId]| {
        let is_voter = |id: &&MemberId| known.note(**id).is_some_and(|note| !note.is_learner);
        group.iter().filter(is_voter).count()
    };
    let leader = known.leader().map(|status| status.member);
    let mut best: Vec<MemberId> = Vec::new();
    for center in leader.into_iter().chain(serving.iter().copied()) {
        let group = group(center);
        if voters(&group) > voters(&best) || best.is_empty() {
            best = group;
        }
    }
    best
}

pub(super) fn view(
    told: Option<&Configuration>,
    thought: &Thought,
    known: &Known,
    s: &InsightStrings,
) -> QuorumView {
    let real = reachable(known);
    let chosen = thought.chosen.as_ref().unwrap_or(&real);
    let Some(configuration) = told else { return QuorumView::default() };
    let is_in = |id: MemberId| {
        [&configuration.voters, &configuration.outgoing, &configuration.learners]
            .iter()
            .any(|list| list.contains(&id))
    };
    let mut members = Vec::new();
    for note in known.members.iter().filter(|note| is_in(note.id)) {
        let is_learner = configuration.learners.contains(&note.id);
        let is_real = real.contains(&note.id);
        let role = role_words(note, known.status(note.id), s);
        let is_leader = role == s.leader;
        members.push(ReachView {
            id: note.id,
            name: note.name.clone(),
            role: match (is_learner, is_leader) {
                (true, _) => s.learner,
                (false, true) => s.leader,
                (false, false) => s.voter,
            },
            is_on: chosen.contains(&note.id),
            is_real,
            why: match (is_real, known.is_serving(note.id)) {
                (true, _) => s.reachable,
                (false, true) => s.cut_off,
                (false, false) => role,
            },
        });
    }
    let mut sorted = (chosen.clone(), real.clone());
    crate::types::sort(&mut sorted.0);
    crate::types::sort(&mut sorted.1);
    let mut notes = vec![s.vote_note];
    if !configuration.learners.is_empty() {
        notes.push(s.learners_do_not_count);
    }
    if !configuration.outgoing.is_empty() {
        notes.push(s.joint_now);
    }
    let answers = answers(configuration, chosen, s);
    QuorumView { members, answers, is_real: sorted.0 == sorted.1, notes }
}

fn answers(
    configuration: &Configuration,
    chosen: &[MemberId],
    s: &InsightStrings,
) -> Vec<AnswerView> {
    let new = Half::new(&configuration.voters, chosen);
    let old = Half::new(&configuration.outgoing, chosen);
    let has_majority = new.is_met() && old.is_met();
    let arithmetic =
        if old.of == 0 { new.words(s) } else { (s.needs_both)(&new.words(s), &old.words(s)) };
    let all = [&configuration.voters, &configuration.outgoing, &configuration.learners];
    let is_member = |id: &&MemberId| all.iter().any(|list| list.contains(id));
    let any = chosen.iter().filter(is_member).count() as u64;
    let spare = |half: Half| half.of == 0 || half.has > half.needs();
    let scarce = if old.of > 0
        && old.has.saturating_sub(old.needs()) < new.has.saturating_sub(new.needs())
    {
        old
    } else {
        new
    };
    let spare_words = if has_majority {
        (s.spare_keeps)(scarce.has.saturating_sub(1), scarce.needs())
    } else {
        s.spare_none.to_owned()
    };
    let answer = |question, name, is_yes, because| AnswerView { question, name, is_yes, because };
    vec![
        answer(s.quorum_elect, "elect", has_majority, arithmetic.clone()),
        answer(s.quorum_commit, "commit", has_majority, arithmetic.clone()),
        answer(s.quorum_read, "read", has_majority, arithmetic),
        answer(s.quorum_serializable, "serializable", any > 0, (s.needs_one)(any)),
        answer(s.quorum_spare, "spare", has_majority && spare(new) && spare(old), spare_words),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::strings::EN;
    use super::*;

    fn ids(list: &[u64]) -> Vec<MemberId> {
        list.iter().copied().map(MemberId).collect()
    }

    fn yes(configuration: &Configuration, chosen: &[u64]) -> Vec<bool> {
        answers(configuration, &ids(chosen), &EN).iter().map(|answer| answer.is_yes).collect()
    }

    #[test]
    fn one_of_three_reads_only_what_may_be_old() {
        let three = Configuration { voters: ids(&[1, 2, 3]), ..Configuration::default() };
        assert_eq!(yes(&three, &[1]), [false, false, false, true, false]);
        assert_eq!(yes(&three, &[1, 3]), [true, true, true, true, false]);
        assert_eq!(yes(&three, &[1, 2, 3]), [true; 5]);
        assert_eq!(yes(&three, &[]), [false; 5]);
        let because = &answers(&three, &ids(&[1]), &EN)[0].because;
        assert_eq!(because, "needs 2 of 3, has 1");
    }

    #[test]
    fn an_even_number_loses_as_few_as_the_odd_one_below() {
        let four = Configuration { voters: ids(&[1, 2, 3, 4]), ..Configuration::default() };
        assert_eq!(yes(&four, &[1, 2]), [false, false, false, true, false]);
        assert_eq!(yes(&four, &[1, 2, 3]), [true, true, true, true, false]);
        assert_eq!(yes(&four, &[1, 2, 3, 4]), [true; 5]);
    }

    #[test]
    fn a_learner_answers_serializable_reads_and_counts_for_nothing_else() {
        let with_learner = Configuration {
            voters: ids(&[1, 2, 3]),
            learners: ids(&[4]),
            ..Configuration::default()
        };
        assert_eq!(yes(&with_learner, &[1, 4]), [false, false, false, true, false]);
        assert_eq!(yes(&with_learner, &[4]), [false, false, false, true, false]);
    }

    #[test]
    fn a_joint_configuration_needs_both_majorities() {
        let joint = Configuration {
            voters: ids(&[3, 4, 5]),
            outgoing: ids(&[1, 2, 3]),
            learners: Vec::new(),
        };
        assert_eq!(yes(&joint, &[3, 4]), [false, false, false, true, false]);
        assert_eq!(yes(&joint, &[1, 3, 4]), [true, true, true, true, false]);
        assert_eq!(yes(&joint, &[1, 2, 3, 4, 5]), [true; 5]);
        let because = &answers(&joint, &ids(&[3, 4]), &EN)[0].because;
        assert_eq!(
            because,
            "of the new voters: needs 2 of 3, has 2; of the old: needs 2 of 3, has 1"
        );
    }
}
