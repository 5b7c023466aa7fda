//! What the program knows, and what it shows.
//!
//! What it is: [`Insight`]: items in, questions out, and the views.
//! What it is not: the page's model; nothing here changes the cluster.
//! Invariants: a view is made only of what was told; what is kept is bounded.

use super::clocks::{Clocks, ClocksView, Mark};
use super::errors::{Catalogue, ErrorsView};
use super::exact::{ExactView, Suite};
use super::history::{Chronicle, HistoryView};
use super::keys::{Desk, DetailView, Form};
use super::log::{LogView, Logs};
use super::messages::{Messages, MessagesView, Shown};
use super::monitor::Monitor;
use super::protocol::{Ask, Fault, Item, MemberNote};
use super::quorum::{Configuration, QuorumView, Thought};
use super::strings::InsightStrings;
use super::traffic::{Flight, way_of};
use super::watches::{Watches, WatchesView};
use super::why::{Why, WhyView};
use crate::api::{self, LogPart, PeerProgress, Role};
use crate::playground::keys::KeysView;
use crate::playground::reference::{Reference, ReferenceView};
use crate::playground::strings::clock;
use crate::playground::view::ring::Segment;
use crate::types::{MemberId, Millis, SmallMap};
use crate::wire;

/// Most of the newest entries that the clocks look at. Unit: entries. Source: ours; what one can still scroll through.
const CLOCK_ENTRIES_MAX: u64 = 400;

/// Which view is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// None: the page shows something of its own.
    #[default]
    None,
    /// The keys.
    Keys,
    /// The logs.
    Log,
    /// The messages.
    Messages,
    /// The clocks.
    Clocks,
    /// The quorum.
    Quorum,
    /// Watches and leases.
    Watches,
    /// What clients did, and the verdict.
    History,
    /// What is exact.
    Exact,
    /// The reference of commands.
    Commands,
    /// Why a command got its answer.
    Why,
    /// A run in the lab, moment by moment.
    Time,
    /// A scenario that is written.
    Scenario,
    /// The catalogue of error messages.
    Errors,
}

impl View {
    /// The view that the page names so.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "keys" => Self::Keys,
            "log" => Self::Log,
            "messages" => Self::Messages,
            "clocks" => Self::Clocks,
            "quorum" => Self::Quorum,
            "watches" => Self::Watches,
            "history" => Self::History,
            "exact" => Self::Exact,
            "commands" => Self::Commands,
            "why" => Self::Why,
            "time" => Self::Time,
            "scenario" => Self::Scenario,
            "errors" => Self::Errors,
            _ => Self::None,
        }
    }
}

/// What was told of the cluster as it is now.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// When the cluster was opened.
    pub(super) opened: Millis,
    pub(super) members: Vec<MemberNote>,
    pub(super) statuses: Vec<api::MemberStatus>,
    pub(super) cuts: Vec<(MemberId, MemberId)>,
}

impl Known {
    /// A member as it is now, new or not; they stand in the order of their names.
    fn hear_member(&mut self, note: MemberNote) {
        match self.members.iter_mut().find(|old| old.id == note.id) {
            Some(old) => *old = note,
            None => {
                let at = self.members.partition_point(|other| other.name <= note.name);
                self.members.insert(at, note);
            }
        }
    }

    fn hear_status(&mut self, status: api::MemberStatus) {
        match self.statuses.iter_mut().find(|old| old.member == status.member) {
            Some(old) => *old = status,
            None => self.statuses.push(status),
        }
    }

    /// Those that have a place in a view, in the order of their names.
    pub(super) fn shown(&self) -> Vec<MemberNote> {
        self.members.iter().filter(|note| !note.is_removed).cloned().collect()
    }

    pub(super) fn note(&self, id: MemberId) -> Option<&MemberNote> {
        self.members.iter().find(|note| note.id == id)
    }

    pub(super) fn name(&self, id: MemberId) -> String {
        self.note(id).map_or_else(|| format!("{id:x}"), |note| note.name.clone())
    }

    pub(super) fn status(&self, id: MemberId) -> Option<&api::MemberStatus> {
        self.statuses.iter().find(|status| status.member == id)
    }

    /// A moment as every list shows it: how long after the cluster was opened.
    pub(super) fn time(&self, at: Millis) -> String {
        clock(at.since(self.opened))
    }

    /// True if a member can be asked.
    pub(super) fn is_serving(&self, id: MemberId) -> bool {
        self.note(id).is_some_and(|note| note.is_up && !note.is_paused && !note.is_removed)
    }

    /// The states of those that can be asked.
    pub(super) fn serving(&self) -> impl Iterator<Item = &api::MemberStatus> {
        self.statuses.iter().filter(|status| self.is_serving(status.member))
    }

    /// The leader in the highest term, if one can be asked.
    pub(super) fn leader(&self) -> Option<&api::MemberStatus> {
        let leaders = self.serving().filter(|status| status.role == Role::Leader);
        leaders.max_by_key(|status| status.term)
    }

    /// What the leader knows of a follower.
    pub(super) fn progress_of(&self, member: MemberId) -> Option<&PeerProgress> {
        self.leader()?.progress.iter().find(|peer| peer.member == member)
    }

    /// The leader, or who is furthest.
    pub(super) fn best(&self) -> Option<&api::MemberStatus> {
        self.leader()
            .or_else(|| self.serving().max_by_key(|status| (status.term, status.last_index)))
    }
}

/// Bytes in a unit that reads well.
pub(super) fn bytes_words(bytes: u64) -> String {
    crate::playground::strings::bytes(i64::try_from(bytes).unwrap_or(i64::MAX))
}

/// See the module.
#[derive(Debug)]
pub struct Insight {
    strings: &'static InsightStrings,
    view: View,
    known: Known,
    logs: Logs,
    clocks: Clocks,
    messages: Messages,
    thought: Thought,
    suites: Option<Result<Vec<Suite>, String>>,
    desk: Desk,
    configurations: SmallMap<MemberId, Configuration>,
    reference: Reference,
    watches: Watches,
    why: Why,
    catalogue: Catalogue,
    chronicle: Chronicle,
    monitor: Monitor,
    unread: Vec<wire::Error>,
}

impl Insight {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(strings: &'static InsightStrings) -> Self {
        Self {
            strings,
            view: View::None,
            known: Known::default(),
            logs: Logs::default(),
            clocks: Clocks::default(),
            messages: Messages::default(),
            thought: Thought::default(),
            suites: None,
            desk: Desk::default(),
            configurations: SmallMap::new(),
            reference: Reference::default(),
            watches: Watches::default(),
            why: Why::default(),
            catalogue: Catalogue::default(),
            chronicle: Chronicle::default(),
            monitor: Monitor::default(),
            unread: Vec::new(),
        }
    }

    /// Speaks another language from now on.
    pub const fn speak(&mut self, strings: &'static InsightStrings) {
        self.strings = strings;
    }

    /// The language.
    #[must_use]
    pub const fn strings(&self) -> &'static InsightStrings {
        self.strings
    }

    /// Another view is shown.
    pub fn show(&mut self, view: View) {
        self.view = view;
        if view == View::Errors {
            self.catalogue.begin();
        }
    }

    /// Takes in what the page tells.
    pub fn hear(&mut self, items: Vec<Item>) {
        for item in items {
            self.hear_one(item);
        }
    }

    /// All before is void; what a person looks at, and what was fetched, stays.
    fn opened(&mut self, at: Millis) {
        let (view, suites) = (self.view, self.suites.take());
        let reference = std::mem::take(&mut self.reference);
        let catalogue = std::mem::take(&mut self.catalogue);
        let messages = Messages::opened(at, &self.messages);
        *self = Self { view, suites, reference, catalogue, messages, ..Self::new(self.strings) };
        self.known.opened = at;
    }

    fn hear_one(&mut self, item: Item) {
        match item {
            Item::Opened { at } => self.opened(at),
            Item::Member(note) => self.known.hear_member(note),
            Item::Gone(member) => {
                self.known.members.retain(|note| note.id != member);
                self.known.statuses.retain(|status| status.member != member);
                self.logs.forget(member);
                self.watches.forget(member);
            }
            Item::Cuts(cuts) => {
                self.why.cuts(&self.known.cuts, &cuts);
                self.known.cuts = cuts;
            }
            Item::Status(status) => {
                self.monitor.status(&status);
                self.known.hear_status(status);
            }
            Item::Sample(sample) => self.clocks.sample(sample),
            Item::Event { at, member, event } => {
                self.monitor.event(member, &event);
                self.chronicle.event(at, member, &event);
                self.clocks.event(at, member, event);
            }
            Item::History(note) => self.chronicle.hear(note),
            Item::Fault { at, fault } => {
                if let Fault::Started(member) = fault {
                    self.logs.forget(member);
                    self.watches.forget(member);
                }
                self.why.fault(at, fault);
                self.chronicle.fault(at, fault);
                self.clocks.fault(at, fault);
            }
            // Lessons and the editor of scenarios hear for themselves.
            Item::Called { .. }
            | Item::Lesson(_)
            | Item::Scenario(_)
            | Item::Lab(_)
            | Item::Session(_) => {}
            Item::Answered { at, result, .. } => {
                if let Some(Ok(revision)) = result {
                    self.clocks.answered(at, revision);
                }
            }
            Item::Why(note) => {
                self.why.explain(note.map(|note| *note));
                if !self.why.said().is_empty() {
                    self.catalogue.begin();
                }
            }
            Item::Address(fragment) => self.catalogue.hear_address(&fragment),
            Item::Keys(view) => self.desk.hear(*view),
            Item::Commands(sections) => self.reference.set_sections(sections),
            Item::Command(page) => self.reference.set_page(page),
            Item::Watch { at, call, note } => self.watches.note(at, call, note),
            Item::Lease { at, lease, note } => self.watches.leases.note(at, lease, note),
            Item::Kept { leases, failed } => self.watches.leases.set_kept(leases, failed),
            part @ (Item::Trace { .. }
            | Item::Holdings { .. }
            | Item::Messages { .. }
            | Item::Log(_)) => {
                let heard = self.hear_part(part);
                self.unread.extend(heard.err());
            }
        }
    }

    /// What a member told, which went through the page unread.
    fn hear_part(&mut self, item: Item) -> Result<(), wire::Error> {
        match item {
            Item::Trace { at, part } => self.why.hear(at, wire::decode(&part)?),
            Item::Holdings { at, part } => self.watches.hear(at, wire::decode(&part)?),
            Item::Messages { at, member, sample } => {
                self.messages.hear(at, member, wire::decode(&sample)?);
                self.messages.traffic.depart(at, &self.known, self.strings);
            }
            Item::Log(bytes) => self.hear_log(wire::decode(&bytes)?),
            _ => {}
        }
        Ok(())
    }

    /// Why parts that members told could not be read, once each.
    pub fn take_unread(&mut self) -> Vec<wire::Error> {
        std::mem::take(&mut self.unread)
    }

    fn hear_log(&mut self, part: LogPart) {
        let configuration = Configuration {
            voters: part.voters.clone(),
            outgoing: part.voters_outgoing.clone(),
            learners: part.learners.clone(),
        };
        self.configurations.insert(part.member, configuration);
        self.monitor.log(&part);
        let status = self.known.statuses.iter().find(|status| status.member == part.member);
        self.logs.hear(part, status);
    }

    /// What to ask the page for now.
    pub fn asks(&mut self) -> Vec<Ask> {
        match self.view {
            View::None
            | View::Keys
            | View::Messages
            | View::Exact
            | View::Time
            | View::Scenario
            | View::Errors => Vec::new(),
            View::Why => self.why.asks(&self.known),
            View::Commands if self.reference.is_unknown() => vec![Ask::Commands],
            View::Commands => Vec::new(),
            View::Log => self.logs.asks(&self.known),
            View::Watches => self.watches.asks(&self.known),
            View::Clocks => {
                let Some(best) = self.known.best() else { return Vec::new() };
                let first = self.clocks.first_index().max(clock_start(best));
                self.logs.ask(best, (first, best.applied.0)).into_iter().collect()
            }
            View::History => {
                let mut asks = self.monitor.asks(&self.known);
                asks.extend(self.chronicle.asks(&self.known));
                asks
            }
            // The configuration comes with any part.
            View::Quorum => {
                let Some(best) = self.known.best() else { return Vec::new() };
                self.logs.ask(best, (best.last_index.0, best.last_index.0)).into_iter().collect()
            }
        }
    }

    /// The rows of the log that can be seen; true if they are other ones.
    pub fn see_rows(&mut self, first: u64, last: u64) -> bool {
        self.logs.see(first, last)
    }

    /// So many rows at the end of the log can be seen, and those that come; true if that is new.
    pub fn see_last_rows(&mut self, count: u64) -> bool {
        self.logs.see_end(count)
    }

    /// The keys.
    #[must_use]
    pub const fn keys_view(&self) -> &KeysView {
        &self.desk.told
    }

    /// The chosen revision of the chosen key.
    pub fn detail_view(&mut self) -> Option<DetailView> {
        self.desk.detail()
    }

    /// The form in which values are shown.
    pub fn set_form(&mut self, form: Form) {
        self.desk.set_form(form);
    }

    /// The logs.
    #[must_use]
    pub fn log_view(&self) -> LogView {
        self.logs.view(&self.known, self.strings)
    }

    /// The messages.
    #[must_use]
    pub fn messages_view(&self) -> MessagesView {
        self.messages.view(&self.known, self.strings)
    }

    /// Which kinds of messages are listed.
    pub const fn show_messages(&mut self, shown: Shown) {
        self.messages.choose(shown);
    }

    /// Whose messages are listed; of anybody.
    pub const fn show_messages_of(&mut self, member: Option<MemberId>) {
        self.messages.choose_member(member);
    }

    /// Lets the list of messages stand still, or go on.
    pub const fn pause_messages(&mut self) {
        self.messages.toggle_pause();
    }

    /// Opens a message, or closes it.
    pub fn open_message(&mut self, id: u64) {
        self.messages.toggle(id);
    }

    /// A direction is pointed at, or none.
    pub const fn point_at(&mut self, link: Option<(MemberId, MemberId)>) {
        self.messages.mark(link);
    }

    /// The way in the ring that is marked, while the list is shown.
    #[must_use]
    pub fn marked_way(&self) -> Option<Segment> {
        let link = self.messages.marked().filter(|_| self.view == View::Messages)?;
        way_of(&self.known, link)
    }

    /// The dots that leave now in the ring.
    pub fn flights(&mut self) -> Vec<Flight> {
        self.messages.traffic.take()
    }

    /// Time passes: lets dots leave for what was counted before.
    pub fn pass(&mut self, now: Millis) {
        self.messages.traffic.depart(now, &self.known, self.strings);
    }

    /// The clocks.
    #[must_use]
    pub fn clocks_view(&self) -> ClocksView {
        let mut entries = Vec::new();
        if let Some(best) = self.known.best() {
            let first = self.clocks.first_index().max(clock_start(best));
            entries.extend(self.logs.entries(best.member, first, best.applied.0));
        }
        self.clocks.view(&entries, &self.known, self.strings)
    }

    /// The index and the revision of what is marked, by either of them.
    #[must_use]
    pub fn marked(&self, mark: Mark) -> Mark {
        Clocks::marked(&self.clocks_view(), mark)
    }

    /// A member is thought to be reachable, or not.
    pub fn think(&mut self, member: MemberId) {
        let real = super::quorum::reachable(&self.known);
        self.thought.toggle(member, &real);
    }

    /// Back to who is really reachable.
    pub fn think_no_more(&mut self) {
        self.thought = Thought::default();
    }

    /// The quorum.
    #[must_use]
    pub fn quorum_view(&self) -> QuorumView {
        let best = self.known.best().map(|status| status.member);
        let told = best.and_then(|best| self.configurations.get(&best)).or_else(|| {
            // Nobody serves: the newest that was told.
            self.configurations.values().next_back()
        });
        super::quorum::view(told, &self.thought, &self.known, self.strings)
    }

    /// The time, for what runs between two things that are told.
    pub fn look(&mut self, now: Millis) {
        self.watches.look(now);
    }

    /// Shows what happened to a watch, or no more.
    pub fn choose_lane(&mut self, lane: u64) {
        self.watches.choose(lane);
    }

    /// Watches and leases.
    #[must_use]
    pub fn watches_view(&self) -> WatchesView {
        self.watches.view(&self.known, self.strings.held)
    }

    /// Judges as much of the history as a frame has room for; true if more waits.
    pub fn work(&mut self) -> bool {
        self.chronicle.work(&mut self.monitor)
    }

    /// The history and the verdict.
    #[must_use]
    pub fn history_view(&self) -> HistoryView {
        self.chronicle.view(&self.monitor, &self.known, self.strings.history)
    }

    /// This operation is looked at.
    pub const fn choose_operation(&mut self, call: u64) {
        self.chronicle.choose(Some(call));
    }

    /// The hashes shall be compared soon.
    pub const fn compare_hashes(&mut self) {
        self.monitor.want_hashes();
    }

    /// The counts of the suites came, or could not be fetched.
    pub fn set_suites(&mut self, suites: Result<Vec<Suite>, String>) {
        self.suites = Some(suites);
    }

    /// What is exact.
    #[must_use]
    pub fn exact_view(&self) -> ExactView {
        super::exact::view(self.suites.as_ref(), self.strings)
    }

    /// Why a command got its answer, or gets none.
    #[must_use]
    pub fn why_view(&self) -> WhyView {
        let error = self.catalogue.of_message(self.why.said());
        WhyView { error, ..self.why.view(&self.known, self.strings.why) }
    }

    /// The catalogue of errors, to search and to choose from.
    pub const fn catalogue(&mut self) -> &mut Catalogue {
        &mut self.catalogue
    }

    /// The catalogue of errors.
    #[must_use]
    pub fn errors_view(&self) -> ErrorsView {
        self.catalogue.view(self.strings.errors)
    }

    /// The reference of commands, to filter and to choose from.
    pub const fn reference(&mut self) -> &mut Reference {
        &mut self.reference
    }

    /// The reference of commands.
    #[must_use]
    pub fn commands_view(&self) -> ReferenceView {
        self.reference.view(self.strings.commands_phrases)
    }
}

/// The first entry that the clocks look at.
const fn clock_start(best: &api::MemberStatus) -> u64 {
    best.applied.0.saturating_sub(CLOCK_ENTRIES_MAX - 1)
}

#[cfg(test)]
mod tests;
