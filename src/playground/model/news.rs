//! What the browser says, handed to the parts it concerns.
//!
//! Invariants: see `model`.

use super::lesson::{Came, PROGRESS_NAME};
use super::lower::LOWER_NAME;
use super::scenario::DRAFT_NAME;
use super::{
    Keeper, Keys, LANGUAGE_NAME, Language, Lower, MemberChanges, Model, RECORD_NAME, Record,
    THEME_NAME, TUTORIAL_SHOWN_NAME, Theme, link,
};
use crate::api::{self, MemberEvent};
use crate::etcdctl::away::Program;
use crate::playground::cluster::{Life, SECOND};

use crate::playground::console::HISTORY_NAME;
use crate::playground::edge::News;
use crate::playground::insight::revision_of;
use crate::playground::layout::{LARGE_NAME, LAYOUT_NAME};
use crate::types::{MemberId, Millis};
use crate::wire::DownReason;

impl Model {
    pub(super) fn hear(&mut self, news: News) {
        match news {
            News::Now(now) => {
                self.now = now;
                self.is_counting = true;
                self.tell_opening();
            }
            News::Started { now, fragment, remembered, languages, seed } => {
                self.start(now, &remembered, &languages, seed);
                self.arrive(now, &fragment);
            }
            News::FragmentChanged(fragment) => self.fragment_changed(fragment),
            News::Lab { call, answer } => self.hear_lab(call, answer),
            News::InsightLoaded(result) => self.insight_loaded(result),
            News::FileFailed { call, answer } => self.file_failed(call, &answer),
            News::Texts(texts) => self.hear_texts(texts),
            News::ProgramLoaded(program) => self.hear_program(&program),
            News::InsightAsked(ask) => self.insight_asked(ask),
            News::Reply { .. }
            | News::ReplyPart { .. }
            | News::File { .. }
            | News::Watch { .. }
            | News::StreamEnded { .. }
            | News::CallFailed { .. }
            | News::Timer(_) => {
                if !self.hear_members(&news) {
                    self.hear_call(&news);
                }
            }
            News::ClusterOpened { .. }
            | News::OwnedElsewhere
            | News::OwnerSilent
            | News::GivingUp
            | News::TakenOver
            | News::ClusterFailed(_)
            | News::MemberStarting(_)
            | News::MemberUp(_)
            | News::NoFence(_)
            | News::MemberDown { .. }
            | News::Status(_)
            | News::MemberEvents { .. }
            | News::TickGap { .. } => {
                let compacted = self.cluster.compact_revision();
                self.changes.at_once |= is_not_to_miss(&news);
                self.hear_cluster(&news);
                self.changes.keys |= self.cluster.compact_revision() != compacted;
            }
        }
    }

    /// Somebody came by an address.
    fn arrive(&mut self, now: Millis, fragment: &str) {
        self.teller.started = now;
        fragment.clone_into(&mut self.teller.fragment);
        self.show_addressed(fragment);
        if link::is_link(fragment) {
            self.open_link(fragment);
        } else {
            self.open_saved();
            self.errors_address();
        }
    }

    fn start(
        &mut self,
        now: Millis,
        remembered: &[(String, String)],
        languages: &[String],
        seed: u64,
    ) {
        self.now = now;
        // Small enough to stand in a link without making it longer than it must be.
        self.seed = seed % 1_000_000;
        let mut language = languages.iter().find_map(|tag| Language::of_tag(tag));
        for (name, text) in remembered {
            match name.as_str() {
                THEME_NAME => {
                    self.theme = match text.as_str() {
                        "light" => Theme::Light,
                        "dark" => Theme::Dark,
                        _ => Theme::System,
                    }
                }
                LAYOUT_NAME => self.layout.remember(text),
                LARGE_NAME => self.layout.is_large = text == "yes",
                LANGUAGE_NAME => language = Language::of_tag(text).or(language),
                LOWER_NAME => {
                    let lower = Lower::ALL.into_iter().find(|lower| lower.name() == text);
                    if let Some(lower) = lower.filter(|lower| *lower != Lower::Keys) {
                        self.show_lower(lower);
                    }
                }
                TUTORIAL_SHOWN_NAME => self.has_tutorial = text != "no",
                HISTORY_NAME => self.console.remember(text),
                PROGRESS_NAME => self.teller.progress.clone_from(text),
                DRAFT_NAME => self.writer.draft.clone_from(text),
                RECORD_NAME => self.record = Record::from_text(text),
                _ => {}
            }
        }
        // All views are made anew.
        self.speak(language.unwrap_or_default());
    }

    fn hear_cluster(&mut self, news: &News) {
        let was_leading =
            |model: &Self, member: MemberId| model.cluster.known_leader() == Some(member);
        match news {
            News::MemberDown { member, reason } => {
                let is_known = self.cluster.node(*member).is_none_or(|node| {
                    node.life == Life::Down(reason.clone()) && *reason == DownReason::Removed
                });
                if is_known {
                    // It was told when it was taken out, or its place is gone.
                    return;
                }
                if *reason == DownReason::Removed {
                    self.retire(*member);
                }
                let was_leading = was_leading(self, *member);
                self.cluster.hear(news, self.now);
                self.member_down(*member, reason, was_leading);
            }
            News::MemberEvents { member, events } => {
                self.cluster.hear(news, self.now);
                if events.iter().any(|event| matches!(event, MemberEvent::ConfChanged { .. })) {
                    self.membership.look_again();
                }
                for event in events {
                    self.timeline.member(self.now, *member, event);
                    self.lesson_event(*member, event);
                }
                self.changes.log = true;
            }
            News::NoFence(member) => {
                self.timeline.no_fence(self.now, *member);
                self.changes.log = true;
            }
            News::TickGap { member, gap_ms } => {
                self.timeline.gap(self.now, *member, *gap_ms);
                self.changes.log = true;
            }
            News::ClusterOpened { spec, is_resumed, .. } => {
                self.cluster.hear(news, self.now);
                self.cluster_opened(spec.members, *is_resumed);
            }
            News::ClusterFailed(_) => {
                self.files.is_starting = false;
                self.cluster.hear(news, self.now);
            }
            News::TakenOver => {
                self.timeline.taken_over(self.now);
                self.changes.log = true;
                self.cluster.hear(news, self.now);
                self.lesson_taken_over();
            }
            _ => self.cluster.hear(news, self.now),
        }
        self.changes.cluster = true;
    }

    fn member_down(&mut self, member: MemberId, reason: &DownReason, was_leading: bool) {
        // It lives on in another tab.
        if !self.cluster.is_given_up {
            self.timeline.down(self.now, member, reason, was_leading);
        }
        self.changes.log = true;
        self.changes.console = true;
    }

    fn cluster_opened(&mut self, members: u32, is_resumed: bool) {
        self.was_ready = false;
        self.asks_new = None;
        self.asks_change = None;
        self.membership = MemberChanges::default();
        (self.cluster.lease, self.cluster.answered) = (None, 0);
        self.begun = super::typed::Begun::default();
        if is_resumed {
            self.membership.look_again();
        }
        self.timeline.opened(self.now, members, is_resumed);
        self.keys = Keys::default();
        self.keeper = Keeper::default();
        self.asked.clear();
        self.names.forget();
        if std::mem::take(&mut self.files.is_starting) {
            self.record.cluster_restored();
        } else {
            self.record.cluster_opened(is_resumed, self.now);
        }
        self.lesson_cluster(if is_resumed { Came::Resumed } else { Came::Fresh });
        let endpoints = self.cluster.endpoints();
        let said = if is_resumed { &self.strings.told_resumed } else { &self.strings.told_opened };
        // As a comment: nobody typed it.
        let said = ["# ", &said.of(members)].concat();
        self.with_console(|console, wires| console.set_endpoints(endpoints, &said, wires));
        self.remember_record();
        self.changes.log = true;
        self.changes.keys = true;
    }

    /// What an answer to a console tells the page by the way.
    fn learn(&mut self, member: MemberId, request: &api::Request, response: &api::Response) {
        self.names.learn(request, response);
        if let api::Response::LeaseGrant(granted) = response {
            self.cluster.lease = Some(granted.id);
        }
        if member != SECOND {
            self.cluster.answered = self.cluster.answered.max(revision_of(response));
        }
    }

    fn hear_reply(&mut self, call: u64, result: &Result<api::Response, api::Error>) {
        if self.names_answered(call, Some(result)) || self.lesson_proved(call, Some(result)) {
            return;
        }
        if self.with_keys(|keys, wires| keys.reply(call, result, wires)) {
            self.changes.keys = true;
            self.changes.at_once = true;
            return;
        }
        if let Some((member, request)) = self.asked.remove(&call) {
            if let Ok(response) = result {
                self.learn(member, &request, response);
            }
            self.lesson_answer(member, &request, result);
        }
        self.offer(&|tab, wires| tab.reply(call, result, wires));
    }

    pub(super) fn hear_call(&mut self, news: &News) {
        match news {
            News::Reply { call, result } => self.hear_reply(*call, result),
            News::ReplyPart { call, part } => {
                self.offer(&|tab, wires| tab.reply_part(*call, part, wires));
            }
            News::File { call, result } => {
                if self.file_answered(*call, result) {
                    return;
                }
                self.offer(&|tab, wires| tab.file(*call, result, wires));
            }
            News::Watch { call, response } => {
                if self.with_keys(|keys, wires| keys.hear(*call, response, wires)) {
                    self.changes.keys = true;
                } else {
                    self.lesson_watched(*call, response);
                    self.offer(&|tab, wires| tab.watch(*call, response, wires));
                }
            }
            News::StreamEnded { call, error } => {
                if self.with_keys(|keys, wires| keys.lost(*call, wires)) {
                    self.changes.keys = true;
                } else {
                    self.offer(&|tab, wires| tab.stream_ended(*call, *error, wires));
                }
            }
            News::CallFailed { call, was_sent } => {
                if self.names_answered(*call, None) || self.lesson_proved(*call, None) {
                    return;
                }
                if self.with_keys(|keys, wires| keys.lost(*call, wires)) {
                    self.changes.keys = true;
                    return;
                }
                if let Some((_, request)) = self.asked.remove(call) {
                    self.lesson_failure(&request);
                }
                self.offer(&|tab, wires| tab.call_failed(*call, *was_sent, wires));
            }
            News::Timer(timer) => {
                if self.with_keys(|keys, wires| keys.timer(*timer, wires)) {
                    self.changes.keys = true;
                } else {
                    self.offer(&|tab, wires| tab.timer(*timer, wires));
                }
            }
            _ => unreachable!("only news of calls and timers come here"),
        }
    }

    /// The lines that waited for the program run.
    fn hear_program(&mut self, program: &Result<Program, String>) {
        self.away.loaded(program);
        // Every tab may wait, so none takes it for itself alone.
        self.offer(&|tab, wires| {
            tab.provide(program, wires);
            false
        });
    }

    /// Offers something to every tab until one takes it.
    fn offer(
        &mut self,
        take: &dyn Fn(&mut crate::playground::console::Tab, &mut super::Wires<'_>) -> bool,
    ) -> bool {
        let running = self.console.running_tabs().len();
        let is_taken = self.with_console(|console, wires| {
            let taker = console.tabs().find_map(|tab| take(tab, wires).then_some(tab.id()));
            if let Some(id) = taker {
                console.mark_news(id);
            }
            taker.is_some()
        });
        // A command has ended.
        self.changes.at_once |= self.console.running_tabs().len() < running;
        is_taken || self.offer_kept(take)
    }
}

/// News of the cluster that nobody wants to miss; the others are many.
fn is_not_to_miss(news: &News) -> bool {
    match news {
        News::Status(_) | News::TickGap { .. } => false,
        News::MemberEvents { events, .. } => {
            events.iter().any(|event| matches!(event, MemberEvent::BecameLeader { .. }))
        }
        _ => true,
    }
}
