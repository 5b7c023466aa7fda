//! Leases, as the member that counts their time knows them.
//!
//! What it is: what is left of each lease between two looks at the member, its keys, who renews it, and how it ended.
//! What it is not: a clock: the page's time comes with each look.
//! Invariants: the primary's word goes before any other's; a lease keeps its place; one that ended stays a while; what
//! is kept is bounded.

use bytes::Bytes;

use super::passed::LeaseNote;
use crate::api::{HeldKey, HeldLease, Holdings};
use crate::playground::escape;
use crate::playground::strings::HeldStrings;
use crate::types::{Index, LeaseId, MemberId, Millis, SmallMap};

/// So long one that ended is shown. Unit: ms. Source: ours.
const ENDED_SHOWN_MS: u64 = 60_000;
/// Most that ended and are shown. Unit: leases. Source: ours.
const ENDED_MAX: usize = 20;
/// Renewals and revocations that are kept. Unit: leases. Source: ours.
const NOTES_MAX: usize = 200;
/// A lease that had no more than this left when it went has expired. Unit: ms. Source: ours; two looks and a commit.
const EXPIRY_MARGIN_MS: i64 = 1_500;
/// After this without the primary's word another member's is taken. Unit: ms. Source: ours.
const PRIMARY_SILENT_MS: u64 = 2_000;
/// How much of a key is shown. Unit: characters.
const KEY_SHOWN: u32 = 40;

/// How a lease is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LeaseState {
    /// Its time runs.
    #[default]
    Running,
    /// Its time is over, and it is not revoked yet.
    Ending,
    /// Nobody counts its time.
    Standing,
    /// Its time ran out, and it is gone.
    Expired,
    /// A client ended it.
    Revoked,
}

impl LeaseState {
    /// Its name, for the style sheet and for tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ending => "ending",
            Self::Standing => "standing",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }

    /// It is no more.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Expired | Self::Revoked)
    }
}

/// A key of a lease.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaseKeyView {
    /// As it is shown.
    pub words: String,
    /// Itself, unless it is too long to be told whole.
    pub key: Option<Bytes>,
}

/// A lease.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaseView {
    /// Which.
    pub lease: LeaseId,
    /// Its id as etcdctl writes it.
    pub id: String,
    /// How it is.
    pub state: LeaseState,
    /// What is left, or how it ended.
    pub words: String,
    /// What was granted.
    pub granted: String,
    /// What is left of a thousand parts.
    pub share: u64,
    /// What is left. Unit: s.
    pub seconds: i64,
    /// What was granted. Unit: s.
    pub granted_seconds: i64,
    /// The page keeps it alive.
    pub is_kept: bool,
    /// The page ceased to keep it alive because it could not; `renewed` says why.
    pub is_failed: bool,
    /// When it was renewed last.
    pub renewed: String,
    /// What a checkpoint left of it, if there was one.
    pub checkpoint: String,
    /// Its keys.
    pub keys: Vec<LeaseKeyView>,
    /// What is said of further keys, or that there are none.
    pub keys_note: String,
}

/// The leases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeasesView {
    /// Each.
    pub leases: Vec<LeaseView>,
    /// Who counts their time.
    pub primary: String,
    /// Leases that are not listed.
    pub more: String,
    /// A member has told of its leases.
    pub is_known: bool,
}

#[derive(Clone, Debug)]
struct Known {
    held: HeldLease,
    /// When that was said.
    at: Millis,
    ended: Option<(Millis, LeaseState)>,
}

impl Known {
    fn remaining_ms(&self, now: Millis) -> Option<i64> {
        let passed = i64::try_from(now.since(self.at)).unwrap_or(i64::MAX);
        self.held.remaining_ms.map(|ms| ms.saturating_sub(passed))
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Leases {
    known: Vec<Known>,
    applied: Index,
    primary: Option<(MemberId, Millis)>,
    is_known: bool,
    more: u64,
    kept: Vec<LeaseId>,
    /// Why the page could not keep them.
    failed: SmallMap<LeaseId, String>,
    renewed: SmallMap<LeaseId, Millis>,
    revoked: SmallMap<LeaseId, Millis>,
    /// What is to be told aloud.
    pub(super) told: Option<(LeaseId, LeaseState)>,
}

impl Leases {
    pub(super) fn note(&mut self, at: Millis, lease: LeaseId, note: LeaseNote) {
        let notes = match note {
            LeaseNote::Renewed => {
                if let Some(known) = self.known.iter_mut().find(|known| known.held.id == lease) {
                    // What is left is known again at the next look; until then it is all of it.
                    known.at = at;
                    known.held.remaining_ms = known
                        .held
                        .remaining_ms
                        .map(|_| known.held.granted_ttl.saturating_mul(1000));
                }
                &mut self.renewed
            }
            LeaseNote::Revoked => &mut self.revoked,
        };
        notes.insert(lease, at);
        if notes.iter().len() > NOTES_MAX
            && let Some(oldest) = notes.iter().min_by_key(|(_, at)| **at).map(|(lease, _)| *lease)
        {
            notes.remove(&oldest);
        }
    }

    pub(super) fn set_kept(&mut self, kept: Vec<LeaseId>, failed: Vec<(LeaseId, String)>) {
        self.failed.retain(|lease, _| !kept.contains(lease));
        for (lease, why) in failed.into_iter().take(NOTES_MAX) {
            self.failed.insert(lease, escape::line(why.as_bytes()));
        }
        self.kept = kept;
    }

    /// Takes what a member said.
    pub(super) fn hear(&mut self, at: Millis, part: &Holdings) {
        let is_silent = self.primary.is_none_or(|(_, heard)| at.since(heard) > PRIMARY_SILENT_MS);
        if part.applied < self.applied || !(part.is_primary || is_silent) {
            return;
        }
        self.applied = part.applied;
        self.primary = part.is_primary.then_some((part.member, at));
        self.is_known = true;
        self.more = part.leases_more;
        for held in &part.leases {
            match self.known.iter_mut().find(|known| known.held.id == held.id) {
                Some(known) => *known = Known { held: held.clone(), at, ended: None },
                None => self.known.push(Known { held: held.clone(), at, ended: None }),
            }
        }
        let is_told = |id: LeaseId| part.leases.iter().any(|held| held.id == id);
        if part.leases_more > 0 {
            self.known.retain(|known| known.ended.is_some() || is_told(known.held.id));
        }
        for known in self.known.iter_mut().filter(|known| known.ended.is_none()) {
            if is_told(known.held.id) {
                continue;
            }
            let is_over = known.remaining_ms(at).is_some_and(|left| left <= EXPIRY_MARGIN_MS);
            let is_revoked = self.revoked.contains_key(&known.held.id) || !is_over;
            let state = if is_revoked { LeaseState::Revoked } else { LeaseState::Expired };
            known.ended = Some((at, state));
            self.told = Some((known.held.id, state));
        }
    }

    /// Lets go what ended long ago.
    pub(super) fn look(&mut self, now: Millis) {
        let mut over = self.known.iter().filter(|known| known.ended.is_some()).count();
        self.known.retain(|known| {
            let Some((at, _)) = known.ended else { return true };
            let goes = now.since(at) > ENDED_SHOWN_MS || over > ENDED_MAX;
            over -= usize::from(goes);
            !goes
        });
    }

    pub(super) fn view(
        &self,
        now: Millis,
        name: impl Fn(MemberId) -> String,
        text: &'static HeldStrings,
    ) -> LeasesView {
        let primary = match self.primary {
            Some((member, at)) if now.since(at) <= PRIMARY_SILENT_MS => {
                text.primary.of(&name(member))
            }
            _ => text.no_primary.to_owned(),
        };
        LeasesView {
            leases: self.known.iter().map(|known| self.lease(known, now, text)).collect(),
            primary: if self.is_known { primary } else { String::new() },
            more: match self.more {
                0 => String::new(),
                more => text.more_leases.of(more),
            },
            is_known: self.is_known,
        }
    }

    fn state(&self, known: &Known, now: Millis) -> LeaseState {
        let is_counted = self.primary.is_some_and(|(_, at)| now.since(at) <= PRIMARY_SILENT_MS);
        match (known.ended, known.remaining_ms(now)) {
            (Some((_, state)), _) => state,
            (None, Some(ms)) if is_counted && ms <= 0 => LeaseState::Ending,
            (None, Some(_)) if is_counted => LeaseState::Running,
            (None, _) => LeaseState::Standing,
        }
    }

    fn lease(&self, known: &Known, now: Millis, text: &'static HeldStrings) -> LeaseView {
        let held = &known.held;
        let state = self.state(known, now);
        let left_ms = match state {
            LeaseState::Running => known.remaining_ms(now).unwrap_or(0).max(0),
            _ => 0,
        };
        let granted_ms = held.granted_ttl.max(1).saturating_mul(1000);
        // Rounded up: a lease has time left until there is none.
        let seconds = left_ms.saturating_add(999) / 1000;
        let words = match state {
            LeaseState::Running => text.left.of(&time(seconds, text)),
            LeaseState::Ending => text.ending.to_owned(),
            LeaseState::Standing => text.standing.to_owned(),
            LeaseState::Expired => text.expired.to_owned(),
            LeaseState::Revoked => text.revoked.to_owned(),
        };
        let is_kept = self.kept.contains(&held.id) && !state.is_over();
        let keys_note = match (state.is_over(), held.keys.is_empty(), held.keys_more) {
            (_, true, _) => text.no_keys.to_owned(),
            (true, false, _) => text.keys_gone.to_owned(),
            (false, false, 0) => String::new(),
            (false, false, more) => text.more_keys.of(more),
        };
        LeaseView {
            lease: held.id,
            id: format!("{:016x}", held.id),
            state,
            words,
            granted: text.granted.of(&time(held.granted_ttl, text)),
            share: u64::try_from(left_ms.saturating_mul(1000) / granted_ms).unwrap_or(0).min(1000),
            seconds,
            granted_seconds: held.granted_ttl,
            is_kept,
            is_failed: !state.is_over() && self.failed.contains_key(&held.id),
            renewed: if state.is_over() { String::new() } else { self.renewed(held.id, now, text) },
            checkpoint: match held.checkpoint_ttl {
                0 => String::new(),
                left => text.checkpoint.of(&time(left, text)),
            },
            keys: held.keys.iter().map(key_view).collect(),
            keys_note,
        }
    }

    fn renewed(&self, id: LeaseId, now: Millis, text: &'static HeldStrings) -> String {
        if let Some(why) = self.failed.get(&id) {
            return text.keep_failed.of(why);
        }
        let Some(at) = self.renewed.get(&id) else { return text.not_renewed.to_owned() };
        let ago = time(i64::try_from(now.since(*at) / 1000).unwrap_or(i64::MAX), text);
        if self.kept.contains(&id) { text.renewed_here.of(&ago) } else { text.renewed.of(&ago) }
    }
}

fn time(seconds: i64, text: &'static HeldStrings) -> String {
    if seconds < 120 {
        return text.seconds.of(&seconds.to_string());
    }
    text.minutes.of(&format!("{}:{:02}", seconds / 60, seconds % 60))
}

fn key_view(held: &HeldKey) -> LeaseKeyView {
    LeaseKeyView {
        words: escape::clipped(&held.key, KEY_SHOWN),
        key: (!held.is_cut).then(|| held.key.clone()),
    }
}
