//! Judges claims and answers questions.
//!
//! What it is: a pure function of what can be seen now ([`Sight`]) and a claim, with a sentence about what was found.
//! What it is not: a player (see `lab`), nor does it ask the cluster anything: who wants "no write lost" judged brings the proof.
//! Invariants: the same sight gives the same judgement; sentences are bounded.

use crate::scenario::claim::{Claim, MemberState, Quantity, Source, TextTest};
use crate::scenario::script::Answer;
use crate::scenario::told::{Saying, Told};
use crate::scenario::verb::Target;
use crate::scenario::witness::{Witness, highest};
use crate::scenario::world::{MemberView, World};
use crate::types::MemberId;

/// Most characters of an output that a sentence quotes.
const QUOTED_CHARS_MAX: usize = 300;

/// What a console's last command has printed so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit status; `None` while it runs.
    pub status: Option<i32>,
}

/// Who belongs to the cluster, as its newest configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// Members with a vote.
    pub voters: Vec<MemberId>,
    /// Members without one.
    pub learners: Vec<MemberId>,
}

/// What can be seen now.
pub struct Sight<'run> {
    /// The cluster.
    pub world: &'run World,
    /// Its configuration.
    pub roster: &'run Roster,
    /// What was seen.
    pub witness: &'run Witness,
    /// What the last command of a console said; without a number that of the last command at all.
    pub said: &'run dyn Fn(Option<u32>) -> Option<Said>,
    /// Whether every acknowledged put can be read; `None` if nobody looked.
    pub writes: Option<&'run Result<u64, Told>>,
}

impl std::fmt::Debug for Sight<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sight").field("world", &self.world).finish_non_exhaustive()
    }
}

/// A judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The claim holds.
    pub is_met: bool,
    /// What was found, in a few words.
    pub found: Told,
}

fn judged(is_met: bool, found: impl Into<Told>) -> Judged {
    Judged { is_met, found: found.into() }
}

impl Sight<'_> {
    /// Judges a claim.
    #[must_use]
    pub fn judge(&self, claim: &Claim) -> Judged {
        match claim {
            Claim::Not(claim) => {
                let Judged { is_met, found } = self.judge(claim);
                Judged { is_met: !is_met, found }
            }
            Claim::HasLeader => judged(self.world.leader().is_some(), self.who_leads()),
            Claim::LeaderChanged => {
                let leader = self.world.leader();
                let has_changed = leader.is_some() && leader != self.witness.base_leader;
                judged(has_changed, self.who_leads())
            }
            Claim::Member(target, state) => self.judge_member(*target, *state),
            Claim::LinksWhole => {
                let is_whole = self.world.links.is_whole();
                judged(is_whole, if is_whole { Saying::LinksWhole } else { Saying::LinksBroken })
            }
            Claim::Number(quantity, compare, wanted) => {
                let found = self.number(*quantity);
                let told = Told::of(Saying::NumberIs, quantity).and(found);
                judged(compare.holds(found, *wanted), told)
            }
            Claim::Rose(quantity, by) => self.judge_rose(*quantity, *by),
            Claim::Event(kind, by) => {
                let by = by.map(|by| self.world.resolve(by));
                let is_it = |(member, found): &(MemberId, _)| {
                    found == kind && by.as_ref().is_none_or(|by| by.as_ref() == Ok(member))
                };
                let is_met = self.witness.fresh.iter().any(is_it);
                let count = self.witness.fresh.len();
                judged(is_met, Told::of(Saying::Events, count))
            }
            Claim::Output(source, test) => self.judge_output(*source, test),
            Claim::Status(console, wanted) => {
                let status = (self.said)(*console).and_then(|said| said.status);
                let is_met = status.is_some_and(|status| u64::try_from(status) == Ok(*wanted));
                let found = status.map(|status| Told::of(Saying::Status, status));
                judged(is_met, found.unwrap_or(Told::new(Saying::NoStatus)))
            }
            Claim::NoWriteLost => match self.writes {
                Some(Ok(count)) => judged(true, Told::of(Saying::Readable, count)),
                Some(Err(why)) => judged(false, why.clone()),
                None => judged(false, Saying::Unlooked),
            },
            claim => self.judge_seen(claim),
        }
    }

    /// What clients saw.
    fn judge_seen(&self, claim: &Claim) -> Judged {
        let witness = self.witness;
        let has = |value: &Option<String>, found: &[u8]| {
            value.as_ref().is_none_or(|value| found == value.as_bytes())
        };
        match claim {
            Claim::Wrote(key, value) => {
                let mut fits = witness.fresh_writes();
                let is_met =
                    fits.any(|write| write.key == key.as_bytes() && has(value, &write.value));
                let count = witness.fresh_writes().count();
                judged(is_met, Told::of(Saying::Acknowledged, count))
            }
            Claim::Refused(key, value) => {
                let mut puts = witness.refused.iter();
                let is_met = puts.any(|(put, its)| put == key.as_bytes() && has(value, its));
                judged(is_met, Told::of(Saying::Unacknowledged, witness.refused.len()))
            }
            Claim::Read { key, value, revision } => {
                let is_at = |found: i64| match revision {
                    Some(revision) => u64::try_from(found) == Ok(*revision),
                    None => found <= 0,
                };
                let mut reads = witness.reads.iter().filter(|read| is_at(read.revision));
                let is_it = |(found, its): &(bytes::Bytes, bytes::Bytes)| {
                    found == key.as_bytes() && its == value.as_bytes()
                };
                let is_met = reads.any(|read| read.kvs.iter().any(is_it));
                judged(is_met, Told::of(Saying::Answered, witness.reads.len()))
            }
            Claim::ReadFailed => {
                let count = witness.reads_failed;
                judged(count > 0, Told::of(Saying::Unanswered, count))
            }
            Claim::Saw(console, key, values) => {
                let holds = |message: &&Vec<(bytes::Bytes, bytes::Bytes)>| {
                    message.len() == values.len()
                        && message.iter().zip(values).all(|((found, its), value)| {
                            found == key.as_bytes() && its == value.as_bytes()
                        })
                };
                let messages = witness.messages(*console);
                let is_met = messages.iter().any(|message| holds(&message));
                judged(is_met, Told::of(Saying::Messages, messages.len()))
            }
            Claim::SawEachOnce(console) => match witness.each_once(*console) {
                Ok(count) => judged(true, Told::of(Saying::SawEvents, count)),
                Err(why) => judged(false, why),
            },
            Claim::HashesEqual => self.judge_hashes(),
            other => unreachable!("{other} is no claim about what clients saw"),
        }
    }

    fn who_leads(&self) -> Told {
        match self.world.leader() {
            Some(leader) => Told::of(Saying::Leads, self.world.name(leader)),
            None => Told::new(Saying::NobodyLeads),
        }
    }

    fn judge_rose(&self, quantity: Quantity, by: Option<u64>) -> Judged {
        let base = match quantity {
            Quantity::Term => self.witness.base_term,
            _ => self.witness.base_revision,
        };
        let now = self.number(quantity);
        let risen = now.saturating_sub(base);
        let is_met = by.map_or(risen > 0, |by| now >= base && risen == by);
        judged(is_met, Told::of(Saying::NumberRose, quantity).and(now).and(base))
    }

    fn number(&self, quantity: Quantity) -> u64 {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let events =
            |kind| count(self.witness.events.iter().filter(|(_, its)| *its == kind).count());
        let (term, revision) = highest(self.world);
        match quantity {
            Quantity::Term => term,
            Quantity::Revision => revision,
            Quantity::Members => count(self.roster.voters.len() + self.roster.learners.len()),
            Quantity::Voters => count(self.roster.voters.len()),
            Quantity::Learners => count(self.roster.learners.len()),
            Quantity::Running => {
                count(self.world.members.iter().filter(|view| view.runs()).count())
            }
            Quantity::Elections => events(crate::scenario::claim::EventKind::Elected),
            Quantity::Events(kind) => events(kind),
        }
    }

    fn is_in(&self, view: &MemberView, state: MemberState) -> bool {
        let id = view.id();
        match state {
            MemberState::Up => view.runs(),
            MemberState::Down => !view.is_up,
            MemberState::Paused => view.is_up && view.is_paused,
            MemberState::Isolated => self.world.is_isolated(id),
            MemberState::Leader => self.world.leader() == Some(id),
            MemberState::Follower => view.runs() && self.world.leader() != Some(id),
            MemberState::Voter => self.roster.voters.contains(&id),
            MemberState::Learner => self.roster.learners.contains(&id),
            MemberState::CaughtUp => {
                let revision = view.status.as_ref().map(|status| status.revision);
                let (_, highest) = highest(self.world);
                view.runs() && revision.and_then(|found| u64::try_from(found).ok()) == Some(highest)
            }
        }
    }

    fn judge_member(&self, target: Target, state: MemberState) -> Judged {
        if target == Target::All {
            let not_so = self.world.members.iter().filter(|view| !self.is_in(view, state));
            let names: Vec<&str> = not_so.map(|view| view.member.name.as_str()).collect();
            let found = match names.as_slice() {
                [] => Told::of(Saying::AllAre, state.word()),
                _ => Told::of(Saying::NotAll, state.word()).list(names.iter().copied()),
            };
            return judged(names.is_empty(), found);
        }
        let member = match self.world.resolve(target) {
            Ok(member) => member,
            Err(why) => return judged(false, why),
        };
        let Some(view) = self.world.members.iter().find(|view| view.id() == member) else {
            return judged(false, Saying::NoSuchMember);
        };
        let states = MemberState::ALL.into_iter().filter(|state| self.is_in(view, *state));
        let found =
            Told::of(Saying::MemberIs, self.world.name(member)).list(states.map(MemberState::word));
        judged(self.is_in(view, state), found)
    }

    fn judge_output(&self, source: Source, test: &TextTest) -> Judged {
        let Some(said) = (self.said)(source.console) else {
            return judged(false, Saying::NoCommand);
        };
        let bytes = if source.is_error { said.stderr } else { said.stdout };
        let text = String::from_utf8_lossy(&bytes);
        let is_met = match test {
            TextTest::Is(wanted) => text.trim() == wanted.trim(),
            TextTest::Contains(wanted) => text.contains(wanted.as_str()),
            TextTest::IsEmpty => text.trim().is_empty(),
        };
        judged(is_met, Told::of(Saying::OutputIs, source).and(shown(text.trim())))
    }

    fn judge_hashes(&self) -> Judged {
        let running = self.world.members.iter().filter(|view| view.runs());
        let hashes: Vec<_> = running.map(|view| self.witness.hashes.get(&view.id())).collect();
        let first = hashes.first().copied().flatten();
        let is_met = first.is_some() && hashes.iter().all(|hash| *hash == first);
        let missing = hashes.iter().filter(|hash| hash.is_none()).count();
        let found = match (is_met, missing) {
            (true, _) => Told::new(Saying::HashesEqual),
            (false, 0) => Told::new(Saying::HashesDiffer),
            (false, _) => Told::of(Saying::HashesMissing, missing),
        };
        judged(is_met, found)
    }

    /// The right answer to a question now.
    #[must_use]
    pub fn answer(&self, answer: &Answer) -> String {
        match answer {
            Answer::Leader => match self.world.leader() {
                Some(leader) => self.world.name(leader),
                None => "nobody".to_owned(),
            },
            Answer::Quorum => (self.roster.voters.len() / 2 + 1).to_string(),
            Answer::Number(quantity) => self.number(*quantity).to_string(),
            Answer::Whether(claim) => {
                let is_met = self.judge(claim).is_met;
                if is_met { "yes" } else { "no" }.to_owned()
            }
        }
    }
}

/// The right answer, as it is told: what a person is to type stands in it in every language.
#[must_use]
pub fn told_answer(right: &str) -> Told {
    match right {
        "nobody" => Told::new(Saying::Nobody),
        "yes" => Told::new(Saying::Yes),
        "no" => Told::new(Saying::No),
        right => Told::plain(right),
    }
}

/// Whether what somebody replied is the right answer, however it is written.
#[must_use]
pub fn is_right(right: &str, reply: &str) -> bool {
    // A Chinese keyboard writes full-width digits and letters.
    let narrow = |letter: char| match u32::from(letter) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(letter),
        _ => letter,
    };
    let plain: String = reply.trim().chars().map(narrow).collect();
    let plain = plain.trim_end_matches(['.', '。', '!']).to_lowercase();
    let same: &[&str] = match right {
        "yes" => &["y", "true", "是", "是的"],
        "no" => &["n", "false", "否", "不是"],
        "nobody" => &["none", "no one", "no leader", "没有"],
        _ => &[],
    };
    let number = right.strip_prefix("infra").unwrap_or(right);
    plain == right || plain == number || same.contains(&plain.as_str())
}

/// The beginning of a text, in quotes, on one line.
fn shown(text: &str) -> String {
    let mut head: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if head.len() < text.len() {
        head.push('…');
    }
    format!("{head:?}")
}

#[cfg(test)]
mod tests;
