//! What a lesson, or a scenario on the live cluster, has seen of the cluster and the consoles.
//!
//! What it is: the newest picture, what was seen since the mark, and what consoles printed, as the page told them.
//! What it is not: the judge (see `scenario`), nor anything that asks the cluster.
//! Invariants: memory is bounded; another cluster voids all of it.

use super::lesson::LessonNote;
use crate::scenario::{Answer, Claim, Judged, Roster, Said, Sight, Told, Witness, World};
use crate::types::SmallMap;

/// Most bytes that are kept of what one command prints, of each stream. Unit: bytes.
const SAID_BYTES_MAX: usize = 1 << 20;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) witness: Witness,
    said: SmallMap<u32, Said>,
    last: Option<u32>,
    /// The first console runs something, or will.
    pub(super) is_busy: bool,
}

impl Scene {
    /// Has seen nothing but this picture, and whether the first console is busy.
    pub(super) fn new(world: World, is_busy: bool) -> Self {
        Self { world, is_busy, ..Self::default() }
    }

    /// Takes in what happened; true if something may be judged otherwise now.
    pub(super) fn hear(&mut self, note: LessonNote) -> bool {
        match note {
            LessonNote::World(world) => self.world = *world,
            LessonNote::Event(member, event) => self.witness.saw_event(member, &event),
            LessonNote::Acted => self.witness.acted(),
            LessonNote::Answered { member, request, result } => {
                self.witness.saw_answer(member, &request, &result);
            }
            LessonNote::Failed(request) => self.witness.saw_failure(&request),
            LessonNote::Watching(console, request) => self.witness.watch_asked(console, &request),
            LessonNote::Watched(console, response) => self.witness.saw_watch(console, &response),
            LessonNote::Began(console) => {
                self.witness.command_began(console);
                self.last = Some(console);
                self.said.insert(console, Said::default());
            }
            LessonNote::Said { console, stdout, stderr, status } => {
                let said = self.said.get_or_insert_with(console, Said::default);
                for (kept, more) in [(&mut said.stdout, stdout), (&mut said.stderr, stderr)] {
                    let room = SAID_BYTES_MAX.saturating_sub(kept.len());
                    kept.extend(more.into_bytes().into_iter().take(room));
                }
                said.status = status;
            }
            LessonNote::Busy(is_busy) => self.is_busy = is_busy,
            LessonNote::Known { .. }
            | LessonNote::Address(_)
            | LessonNote::Opened { .. }
            | LessonNote::TakenOver
            | LessonNote::Proved { .. } => return false,
        }
        true
    }

    /// Claims count from now on.
    pub(super) fn mark(&mut self) {
        self.witness.mark(&self.world);
    }

    /// The highest revision of a running member.
    pub(super) fn revision(&self) -> i64 {
        let statuses = self.world.members.iter().filter_map(|view| view.status.as_ref());
        statuses.map(|status| status.revision).max().unwrap_or_default()
    }

    fn roster(&self) -> Roster {
        let mut roster = Roster::default();
        for view in &self.world.members {
            let list =
                if view.member.is_learner { &mut roster.learners } else { &mut roster.voters };
            list.push(view.member.id);
        }
        roster
    }

    fn look<T>(&self, writes: Option<&Result<u64, Told>>, see: impl FnOnce(&Sight<'_>) -> T) -> T {
        let roster = self.roster();
        let said = |console: Option<u32>| self.said.get(&console.or(self.last)?).cloned();
        see(&Sight {
            world: &self.world,
            roster: &roster,
            witness: &self.witness,
            said: &said,
            writes,
        })
    }

    /// Whether a claim holds now.
    pub(super) fn holds(&self, claim: &Claim, writes: Option<&Result<u64, Told>>) -> bool {
        self.judge(claim, writes).is_met
    }

    /// The same, and what was found.
    pub(super) fn judge(&self, claim: &Claim, writes: Option<&Result<u64, Told>>) -> Judged {
        self.look(writes, |sight| sight.judge(claim))
    }

    /// What the newest command of a console has printed.
    pub(super) fn said(&self, console: u32) -> Option<&Said> {
        self.said.get(&console)
    }

    /// The right answer now.
    pub(super) fn answer(&self, answer: &Answer, writes: Option<&Result<u64, Told>>) -> String {
        self.look(writes, |sight| sight.answer(answer))
    }
}
