//! What there is to see of the lanes.
//!
//! Invariants: see `watches`; a mark keeps its place on the axis, which moves under it.

use std::borrow::Cow;

use super::lane::{Ended, Entry, Lane, What};
use super::{SAID_MS, Watches};
use crate::api::{self, HeldWatch, WatchPace};
use crate::playground::escape;
use crate::playground::insight::leases::{LeaseState, LeasesView};
use crate::playground::insight::model::Known;
use crate::playground::insight::passed::{Batch, WatchNote};
use crate::playground::strings::HeldStrings;
use crate::types::{MemberId, Millis, WatchId};

/// What the axis shows. Unit: ms. Source: ours; a minute.
const WINDOW_MS: u64 = 60_000;
/// Bars of batches stand so far apart at least; what comes sooner is part of the one before. Unit: ms. Source: ours; a bar
/// is as wide as 0.7 s on a phone.
const MARK_GAP_MS: u64 = 900;
/// Signs of a kind stand so far apart at least. Unit: ms. Source: ours; one is as wide as 3.2 s on a phone.
const SIGN_GAP_MS: u64 = 3_200;
/// Entries of the story that is shown. Unit: entries.
const STORY_MAX: usize = 60;
/// How much of a reason is shown. Unit: characters.
const REASON_SHOWN: u32 = 160;
/// How much of a key is shown. Unit: characters.
const KEY_SHOWN: u32 = 40;

/// How a watch is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LaneState {
    /// It was asked for.
    #[default]
    Opening,
    /// Its member has made it and told nothing else yet.
    Open,
    /// It gets each change when it is made.
    Synced,
    /// It reads what happened before.
    CatchingUp,
    /// Its stream is full.
    Slow,
    /// Its stream is gone.
    Away,
    /// The member ended it.
    Canceled,
    /// Its client ended it.
    Closed,
}

impl LaneState {
    /// Its name, for the style sheet and for tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Open => "open",
            Self::Synced => "synced",
            Self::CatchingUp => "catching-up",
            Self::Slow => "slow",
            Self::Away => "away",
            Self::Canceled => "canceled",
            Self::Closed => "closed",
        }
    }

    /// Its sign.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Opening => "…",
            Self::Open | Self::Synced => "●",
            Self::CatchingUp => "▸",
            Self::Slow => "!",
            Self::Away => "◌",
            Self::Canceled => "✕",
            Self::Closed => "■",
        }
    }

    const fn is_over(self) -> bool {
        matches!(self, Self::Canceled | Self::Closed)
    }
}

/// What kind of mark stands on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkKind {
    /// A stream begins.
    Opened,
    /// Events.
    Batch,
    /// Progress.
    Progress,
    /// The stream was cut, or its member went away.
    Away,
    /// The member ended it.
    Canceled,
    /// Its client ended it.
    Closed,
}

impl MarkKind {
    /// Its name, for the style sheet and for tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Batch => "batch",
            Self::Progress => "progress",
            Self::Away => "away",
            Self::Canceled => "canceled",
            Self::Closed => "closed",
        }
    }
}

/// A mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MarkView {
    /// Its name among the lane's marks; it changes when more comes into it.
    pub id: String,
    /// What kind.
    pub kind: MarkKind,
    /// Where it stands. Unit: ms since the axis began.
    pub at: u64,
    /// How large it is, 1 to 4.
    pub size: u32,
    /// In words.
    pub words: String,
}

/// An entry of a lane's story.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoryView {
    /// Its name among the entries.
    pub id: String,
    /// When.
    pub time: String,
    /// What kind.
    pub kind: MarkKind,
    /// In words.
    pub words: String,
}

/// A lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneView {
    /// Its number.
    pub id: u64,
    /// The line, or that it is the page's own.
    pub title: String,
    /// The keys.
    pub keys: String,
    /// The console; empty for the page.
    pub place: String,
    /// The console's number; 0 for the page.
    pub tab: u32,
    /// The call of its stream.
    pub call: u64,
    /// Its member.
    pub member: MemberId,
    /// Its member's name.
    pub member_name: String,
    /// How it is.
    pub state: LaneState,
    /// That in words.
    pub words: String,
    /// What was counted.
    pub counts: String,
    /// Whether each event came once.
    pub check: String,
    /// One did not.
    pub is_broken: bool,
    /// Not each was looked at.
    pub is_unchecked: bool,
    /// What it asked for besides.
    pub tags: Vec<String>,
    /// The revision from which it goes on.
    pub next_revision: i64,
    /// Its stream can be cut.
    pub can_cut: bool,
    /// Its command can be ended.
    pub can_stop: bool,
    /// Times in which a stream was open. Unit: ms since the axis began.
    pub spans: Vec<(u64, Option<u64>)>,
    /// Marks.
    pub marks: Vec<MarkView>,
    /// The story, newest first, if it is shown.
    pub story: Option<Vec<StoryView>>,
}

/// Watches and leases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchesView {
    /// The lanes.
    pub lanes: Vec<LaneView>,
    /// The leases.
    pub leases: LeasesView,
    /// Watches of members that have no lane, and other notes.
    pub notes: Vec<String>,
    /// The time. Unit: ms since the axis began.
    pub now: u64,
    /// The newest end of a watch or a lease, to be told aloud.
    pub told: String,
    /// Nothing is known yet.
    pub is_waiting: bool,
    /// Only the page watches.
    pub is_alone: bool,
}

impl WatchesView {
    /// What the axis shows. Unit: ms.
    pub const WINDOW_MS: u64 = WINDOW_MS;
}

impl Watches {
    pub(in crate::playground::insight) fn view(
        &self,
        known: &Known,
        text: &'static HeldStrings,
    ) -> WatchesView {
        let teller = Teller { watches: self, known, text };
        let leases = self.leases.view(self.now, |id| known.name(id), text);
        WatchesView {
            lanes: self.lanes.iter().map(|lane| teller.lane(lane)).collect(),
            is_waiting: self.lanes.is_empty() && !leases.is_known,
            is_alone: self.lanes.iter().all(|lane| lane.watcher.tab == 0),
            leases,
            notes: teller.notes(),
            now: self.now.0,
            told: teller.told(),
        }
    }
}

struct Teller<'a> {
    watches: &'a Watches,
    known: &'a Known,
    text: &'static HeldStrings,
}

impl Teller<'_> {
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let recent = |at: Millis| self.watches.now.since(at) <= SAID_MS;
        for (member, (at, part)) in self.watches.held.iter() {
            let has_lane =
                |watch: &&HeldWatch| self.watches.lanes.iter().any(|it| it.had(watch.stream));
            let without = part.watches.iter().filter(|watch| !has_lane(watch)).count();
            let others = part.watches_more + u64::try_from(without).unwrap_or(u64::MAX);
            if others > 0 && recent(*at) {
                notes.push(self.text.others.of(&self.known.name(*member), &others.to_string()));
            }
        }
        if self.watches.has_dropped {
            notes.push(self.text.dropped.to_owned());
        }
        notes
    }

    fn told(&self) -> String {
        let lane =
            self.watches.told.and_then(|id| self.watches.lanes.iter().find(|it| it.id == id));
        if let Some(lane) = lane {
            let reason = match &lane.ended {
                Some(Ended::Canceled { reason, compact_revision }) => {
                    reason_of(reason, *compact_revision)
                }
                Some(Ended::Failed(error)) => error.clone(),
                _ => return String::new(),
            };
            return self.text.told_canceled.of(&self.title(lane), &reason);
        }
        match self.watches.leases.told {
            Some((lease, LeaseState::Expired)) => {
                self.text.told_expired.of(&format!("{lease:016x}"))
            }
            Some((lease, _)) => self.text.told_revoked.of(&format!("{lease:016x}")),
            None => String::new(),
        }
    }

    fn title(&self, lane: &Lane) -> String {
        match lane.watcher.tab {
            0 => self.text.own.to_owned(),
            _ => lane.watcher.line.clone(),
        }
    }

    fn lane(&self, lane: &Lane) -> LaneView {
        let (held, is_old) = self.watches.held(lane);
        let (state, mut words) = self.state(lane, held);
        let is_over = state.is_over();
        let is_silent = !self.known.is_serving(lane.member) || is_old;
        if is_silent && !is_over && state != LaneState::Away {
            words = self.text.silent.of(&self.known.name(lane.member));
        }
        let is_console = lane.watcher.tab != 0;
        LaneView {
            id: lane.id,
            title: self.title(lane),
            keys: keys_of(lane),
            place: match lane.watcher.tab {
                0 => String::new(),
                tab => self.text.console.of(&tab.to_string()),
            },
            tab: lane.watcher.tab,
            call: lane.call,
            member: lane.member,
            member_name: self.known.name(lane.member),
            state,
            words,
            counts: self.counts(lane),
            check: self.check(lane),
            is_broken: lane.versions.lost > 0 || lane.versions.doubled > 0,
            is_unchecked: lane.is_unchecked(),
            tags: held.filter(|_| lane.ended.is_none()).map(|it| self.tags(it)).unwrap_or_default(),
            next_revision: lane.next_revision,
            can_cut: lane.ended.is_none(),
            can_stop: is_console && !is_over,
            spans: self.spans(lane),
            marks: self.marks(lane),
            story: (self.watches.chosen == Some(lane.id)).then(|| self.story(lane)),
        }
    }

    fn state(&self, lane: &Lane, held: Option<&HeldWatch>) -> (LaneState, String) {
        let text = self.text;
        match (&lane.ended, held) {
            (Some(Ended::Away), _) => (LaneState::Away, text.away.to_owned()),
            (Some(Ended::Closed), _) => (LaneState::Closed, text.closed.to_owned()),
            (Some(Ended::Failed(error)), _) => (LaneState::Canceled, text.failed.of(&shown(error))),
            (Some(Ended::Canceled { reason, compact_revision }), _) => {
                let reason = reason_of(reason, *compact_revision);
                let words = match compact_revision {
                    0 => text.canceled.of(&reason),
                    revision => text.canceled_at.of(&reason, &revision.to_string()),
                };
                (LaneState::Canceled, words)
            }
            (None, Some(held)) => match held.pace {
                WatchPace::Synced => (LaneState::Synced, text.synced.to_owned()),
                WatchPace::CatchingUp => {
                    (LaneState::CatchingUp, text.catching_up.of(self.behind(lane, held)))
                }
                WatchPace::Slow => (LaneState::Slow, text.slow.of(held.queued)),
            },
            (None, None) if lane.is_created => (LaneState::Open, text.untold.to_owned()),
            (None, None) => (LaneState::Opening, text.opening.to_owned()),
        }
    }

    fn behind(&self, lane: &Lane, held: &HeldWatch) -> u64 {
        let part = self.watches.held.get(&lane.member);
        let revision = part.map_or(0, |(_, part)| part.revision);
        u64::try_from(revision.saturating_sub(held.next_revision).saturating_add(1)).unwrap_or(0)
    }

    fn counts(&self, lane: &Lane) -> String {
        let text = self.text;
        let mut words = text.events.of(lane.events);
        if lane.events > 0 {
            words = format!("{words} {}", text.batches.of(lane.batches));
        }
        if lane.resumed > 0 {
            words = format!("{words} · {}", text.resumed.of(lane.resumed));
        }
        words
    }

    fn check(&self, lane: &Lane) -> String {
        let (text, versions) = (self.text, &lane.versions);
        if versions.lost > 0 || versions.doubled > 0 {
            text.not_whole.of(&versions.lost.to_string(), &versions.doubled.to_string())
        } else if lane.events == 0 {
            String::new()
        } else if lane.is_unchecked() {
            text.unchecked.to_owned()
        } else {
            text.whole.to_owned()
        }
    }

    fn tags(&self, held: &HeldWatch) -> Vec<String> {
        let flags = [
            (held.watch_id != WatchId(0), format!("id {}", held.watch_id.0)),
            (held.prev_kv, "prev-kv".to_owned()),
            (held.progress_notify, "progress-notify".to_owned()),
            (held.fragment, "fragment".to_owned()),
            (!held.puts, self.text.no_puts.to_owned()),
            (!held.deletes, self.text.no_deletes.to_owned()),
        ];
        flags.into_iter().filter(|(is_on, _)| *is_on).map(|(_, tag)| tag).collect()
    }

    /// The first time that the axis shows.
    fn begin(&self) -> Millis {
        // A little more, so that nothing vanishes before it has left.
        Millis(self.watches.now.0.saturating_sub(WINDOW_MS + 2_000))
    }

    fn spans(&self, lane: &Lane) -> Vec<(u64, Option<u64>)> {
        let begin = self.begin();
        let seen = lane.spans.iter().filter(|(_, end)| end.is_none_or(|end| end >= begin));
        seen.map(|(from, end)| (from.0, end.map(|end| end.0))).collect()
    }

    fn marks(&self, lane: &Lane) -> Vec<MarkView> {
        let begin = self.begin();
        let mut marks = Vec::new();
        // From the oldest on, so that what belongs together does not change while the axis moves.
        let mut entries = lane.entries.iter().peekable();
        while let Some(entry) = entries.next() {
            let Some(kind) = kind_of(entry) else { continue };
            let (mut id, mut size) = (entry.id.to_string(), 1);
            let mut words = String::new();
            if let What::Note(WatchNote::Batch(first)) = &entry.what {
                let mut batch = Cow::Borrowed(first);
                while let Some(more) = entries.next_if(|it| is_near(entry, it)) {
                    if let What::Note(WatchNote::Batch(more)) = &more.what {
                        batch.to_mut().join(more);
                    }
                }
                id = format!("{id} {}", batch.events);
                size = match batch.events {
                    0..=1 => 1,
                    2..=9 => 2,
                    10..=99 => 3,
                    _ => 4,
                };
                words = self.batch(&batch);
            }
            if entry.at < begin {
                continue;
            }
            if words.is_empty() {
                words = self.words(entry);
            }
            // Of signs that would lie on one another, with no events between, the newest stands.
            let at = entry.at.0;
            let is_sign = |mark: &&MarkView| mark.kind != MarkKind::Batch;
            let signs = marks.iter().rev().take_while(is_sign).count();
            let hidden =
                |mark: &MarkView| mark.kind == kind && at.saturating_sub(mark.at) < SIGN_GAP_MS;
            if let Some(back) = marks.iter().rev().take(signs).position(hidden)
                && kind != MarkKind::Batch
            {
                marks.remove(marks.len() - 1 - back);
            }
            marks.push(MarkView { id, kind, at, size, words });
        }
        marks
    }

    fn story(&self, lane: &Lane) -> Vec<StoryView> {
        let view = |entry: &Entry| {
            let words = self.words(entry);
            let kind = kind_of(entry).unwrap_or(MarkKind::Opened);
            let time = self.known.time(entry.at);
            StoryView { id: format!("{} {words}", entry.id), time, kind, words }
        };
        lane.entries.iter().rev().take(STORY_MAX).map(view).collect()
    }

    fn words(&self, entry: &Entry) -> String {
        let text = self.text;
        match &entry.what {
            What::Opened { member, from, after } => {
                let (name, from_words) = (self.known.name(*member), from.to_string());
                match after {
                    Some(after) => text.did_resume.of(&name, &from_words, &after.to_string()),
                    None if *from > 0 => text.did_open.of(&name, &from_words),
                    None => text.did_open_now.of(&name),
                }
            }
            What::Note(note) => match note {
                WatchNote::Created(revision) => text.did_create.of(&revision.to_string()),
                WatchNote::Progress(revision) => text.did_progress.of(&revision.to_string()),
                WatchNote::Batch(batch) => self.batch(batch),
                WatchNote::Canceled { reason, compact_revision: 0 } => {
                    text.canceled.of(&reason_of(reason, 0))
                }
                WatchNote::Canceled { reason, compact_revision } => {
                    let revision = compact_revision.to_string();
                    text.canceled_at.of(&reason_of(reason, *compact_revision), &revision)
                }
                WatchNote::Failed(error) => text.failed.of(&shown(error)),
                WatchNote::Cut => text.did_cut.to_owned(),
                WatchNote::Lost => text.did_lose.to_owned(),
                WatchNote::Closed => text.closed.to_owned(),
                WatchNote::Opened(_) | WatchNote::Dropped => String::new(),
            },
        }
    }

    fn batch(&self, batch: &Batch) -> String {
        let text = self.text;
        let mut events = text.events.of(batch.events);
        if batch.responses > 1 {
            events = format!("{events} {}", text.responses.of(batch.responses));
        }
        let (first, last) = (batch.first.to_string(), batch.last.to_string());
        let mut words = if batch.first == batch.last {
            text.did_batch.of(&events, &last)
        } else {
            text.did_batches.of(&events, &first, &last)
        };
        if batch.fragments > 0 {
            words = format!("{words} · {}", text.fragments.of(batch.fragments));
        }
        words
    }
}

/// A batch that would stand in the place of an earlier one.
fn is_near(first: &Entry, next: &Entry) -> bool {
    matches!(next.what, What::Note(WatchNote::Batch(_))) && next.at.since(first.at) < MARK_GAP_MS
}

/// What a mark of an entry looks like; being made has none of its own.
const fn kind_of(entry: &Entry) -> Option<MarkKind> {
    let What::Note(note) = &entry.what else { return Some(MarkKind::Opened) };
    Some(match note {
        WatchNote::Created(_) | WatchNote::Opened(_) | WatchNote::Dropped => return None,
        WatchNote::Batch(_) => MarkKind::Batch,
        WatchNote::Progress(_) => MarkKind::Progress,
        WatchNote::Cut | WatchNote::Lost => MarkKind::Away,
        WatchNote::Canceled { .. } | WatchNote::Failed(_) => MarkKind::Canceled,
        WatchNote::Closed => MarkKind::Closed,
    })
}

fn shown(text: &str) -> String {
    escape::clipped(text.as_bytes(), REASON_SHOWN)
}

/// Why a member ended a watch, as etcd's client says it: the member sends no words with a compaction.
fn reason_of(reason: &str, compact_revision: i64) -> String {
    if compact_revision > 0 {
        return api::Error::Compacted.text().to_owned();
    }
    shown(reason)
}

/// The keys of a watch, in a form that reads like a range.
fn keys_of(lane: &Lane) -> String {
    let key = escape::clipped(&lane.key.key, KEY_SHOWN);
    match lane.range_end.key.as_ref() {
        [] => key,
        [0] if matches!(lane.key.key.as_ref(), [] | [0]) => "*".to_owned(),
        [0] => format!("≥ {key}"),
        end => match lane.key.key.split_last() {
            // A prefix ends before its last byte plus one.
            Some((last, head))
                if last.checked_add(1).is_some_and(|next| is_next(end, head, next)) =>
            {
                format!("{key}*")
            }
            _ => format!("{key} … {}", escape::clipped(end, KEY_SHOWN)),
        },
    }
}

fn is_next(end: &[u8], head: &[u8], last: u8) -> bool {
    end.split_last() == Some((&last, head))
}
