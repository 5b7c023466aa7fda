//! What is said of a step on the live cluster, and of the whole run.
//!
//! What it is: [`Said`], typed, so that it follows the language of the page; what was found is the judge's [`Told`].
//! What it is not: what the engine or etcdctl say, whose words stay as they are.
//! Invariants: none.

use crate::playground::insight::scenario::strings::ScenarioStrings;
use crate::scenario::{Cannot, Told, told_answer};

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::playground::insight::scenario) enum Said {
    /// Nothing.
    #[default]
    Nothing,
    /// What was found, in the words of the judge.
    Found(Told),
    /// It cannot be done now.
    Cannot(Cannot),
    /// The page did not do it.
    NotDone,
    /// A console is busy.
    Busy,
    /// Nothing reads in that console.
    NothingRuns,
    /// The page may ask.
    Asks,
    /// A goal is judged later.
    AtEnd,
    /// A command ran for too long.
    TooLong,
    /// A command's exit status.
    Status(i32),
    /// A wait was in vain, after so many seconds: what was found.
    InVain(u64, Option<Told>),
    /// An expectation was not met: what was found.
    NotSo(Told),
    /// The right answer.
    Right(String),
    /// A person stopped it.
    Stopped,
    /// Another cluster came.
    OtherCluster,
    /// Another tab has the cluster now.
    TakenOver,
    /// Nobody led.
    NoLeader,
    /// A learner did not come.
    NoLearner,
}

impl Said {
    /// In the language of these texts.
    pub(in crate::playground::insight::scenario) fn told(&self, s: &ScenarioStrings) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Found(found) => (s.found)(found),
            Self::Cannot(why) => (s.cannot)(why),
            Self::NotDone => s.live_not_done.to_owned(),
            Self::Busy => s.live_busy.to_owned(),
            Self::NothingRuns => s.live_nothing_runs.to_owned(),
            Self::Asks => s.live_asks.to_owned(),
            Self::AtEnd => s.live_at_end.to_owned(),
            Self::TooLong => s.live_too_long.to_owned(),
            Self::Status(status) => (s.live_status)(*status),
            Self::InVain(seconds, found) => {
                let found = found.as_ref().map(s.found).unwrap_or_default();
                (s.live_in_vain)(*seconds, &found)
            }
            Self::NotSo(found) => (s.live_not_so)(&(s.found)(found)),
            Self::Right(answer) => (s.live_right)(&(s.found)(&told_answer(answer))),
            Self::Stopped => s.live_stopped.to_owned(),
            Self::OtherCluster => s.live_other_cluster.to_owned(),
            Self::TakenOver => s.live_taken_over.to_owned(),
            Self::NoLearner => s.live_no_learner.to_owned(),
            Self::NoLeader => s.live_no_leader.to_owned(),
        }
    }
}
