//! What lessons are told, and what they want: they live in the program of the views.
//!
//! What it is: the notes of what happens, once a lesson listens, and what its reader asks the page for.
//! What it is not: a lesson: the page does not know what is taught.
//! Invariants: see `model`; notes are told in the order in which things happen; a line that a lesson gives runs as if typed.

use super::{Effect, InsightState, Model, Panel};
use crate::api;
use crate::playground::edge::ClusterSpec;
use crate::playground::insight::{Item, Key, LessonAsk, LessonNote, Reader};
use crate::playground::settings::{SETTINGS, Settings};
use crate::scenario::World;
use crate::types::{Millis, SmallMap};

/// Under this name the progress is remembered.
pub(super) const PROGRESS_NAME: &str = "tutorial";

/// So begins the address of a lesson, behind `#`.
const LESSON_PREFIX: &str = "lesson=";

/// True of the address of a run in the lab.
fn is_run(fragment: &str) -> bool {
    fragment.starts_with("seed=") || fragment.starts_with("time=")
}

/// The program of the lessons is fetched so long after the page has started. Unit: ms.
const FETCH_AFTER_MS: u64 = 1_000;

/// How much of a console's newest command was told: its number, piece and byte, and whether it ran.
type Told = (u64, u64, usize, bool);

/// How a cluster came to be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// It is a new one.
    Fresh,
    /// An earlier visit left it.
    Resumed,
    /// It was open before the lesson listened.
    Before,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Teller {
    /// A lesson listens.
    is_heard: bool,
    /// The program was asked for, for the sake of lessons.
    pub(super) is_wanted: bool,
    pub(super) started: Millis,
    pub(super) progress: String,
    pub(super) fragment: String,
    is_busy: bool,
    world: World,
    told: SmallMap<u32, Told>,
    /// Watches of consoles: call and tab.
    watches: SmallMap<u64, u32>,
    /// The reads beside the consoles.
    proofs: Vec<(u64, Reader)>,
}

impl Model {
    /// Fetches the program of the lessons when the page has started, while lessons are shown or a run is to be played.
    pub(super) fn want_lessons(&mut self) {
        let is_time = self.now.since(self.teller.started) >= FETCH_AFTER_MS;
        let is_wanted = self.has_tutorial || is_run(&self.teller.fragment);
        if is_wanted && is_time && self.was_ready && !self.teller.is_wanted {
            self.teller.is_wanted = true;
            if self.insight == InsightState::Loading {
                self.effects.push(Effect::ShowInsight(self.lower));
            }
        }
    }

    fn tell_lesson(&mut self, note: LessonNote) {
        if self.teller.is_heard {
            self.effects.push(Effect::TellInsight(Box::new(Item::Lesson(note))));
        }
    }

    /// Somebody came by the address of a lesson or a run: they want to see it, also where lessons are hidden or one of many panels.
    pub(super) fn show_addressed(&mut self, fragment: &str) {
        if fragment.starts_with(LESSON_PREFIX) {
            self.has_tutorial = true;
            self.panel = Panel::Tutorial;
            self.changes.frame = true;
        } else if is_run(fragment) {
            self.panel = Panel::Keys;
            self.changes.frame = true;
        }
    }

    /// The address bar has changed.
    pub(super) fn lesson_address(&mut self, fragment: String) {
        self.show_addressed(&fragment);
        self.teller.fragment.clone_from(&fragment);
        self.tell_lesson(LessonNote::Address(fragment));
    }

    pub(super) fn lesson_cluster(&mut self, came: Came) {
        self.teller.watches.clear();
        self.teller.world = World::default();
        let (members, settings) = numbers(&self.cluster.spec);
        let (is_resumed, is_old) = (came != Came::Fresh, came == Came::Before);
        self.tell_lesson(LessonNote::Opened { members, settings, is_resumed, is_old });
    }

    /// Tells if another tab has the cluster now.
    pub(super) fn lesson_taken_over(&mut self) {
        if self.cluster.phase == super::Phase::TakenOver {
            self.tell_lesson(LessonNote::TakenOver);
        }
    }

    pub(super) fn lesson_world(&mut self) {
        if !self.teller.is_heard {
            return;
        }
        let world = self.cluster.world();
        if world != self.teller.world {
            self.teller.world = world.clone();
            self.tell_lesson(LessonNote::World(Box::new(world)));
        }
    }

    pub(super) fn lesson_event(
        &mut self,
        member: crate::types::MemberId,
        event: &api::MemberEvent,
    ) {
        if self.teller.is_heard {
            // What it tells of is judged with the cluster as it is then.
            self.lesson_world();
            self.tell_lesson(LessonNote::Event(member, Box::new(event.clone())));
        }
    }

    pub(super) fn lesson_acted(&mut self) {
        self.tell_lesson(LessonNote::Acted);
    }

    pub(super) fn lesson_answer(
        &mut self,
        member: crate::types::MemberId,
        request: &api::Request,
        result: &Result<api::Response, api::Error>,
    ) {
        let is_about_keys = matches!(
            request,
            api::Request::Range(_)
                | api::Request::Put(_)
                | api::Request::Txn(_)
                | api::Request::HashKv(_)
                | api::Request::LeaseGrant(_)
        );
        if self.teller.is_heard && is_about_keys {
            let (request, result) = (Box::new(request.clone()), Box::new(result.clone()));
            self.tell_lesson(LessonNote::Answered { member, request, result });
        }
    }

    pub(super) fn lesson_failure(&mut self, request: &api::Request) {
        let is_told = matches!(request, api::Request::Range(_) | api::Request::Put(_));
        if self.teller.is_heard && is_told {
            self.tell_lesson(LessonNote::Failed(Box::new(request.clone())));
        }
    }

    /// A console's command asks for a watch.
    pub(super) fn lesson_watching(&mut self, call: u64, tab: u32, request: &api::WatchRequest) {
        if self.teller.is_heard {
            self.teller.watches.insert(call, tab);
            let place = self.console.place(tab);
            self.tell_lesson(LessonNote::Watching(place, Box::new(request.clone())));
        }
    }

    pub(super) fn lesson_watched(&mut self, call: u64, response: &api::WatchResponse) {
        if let Some(tab) = self.teller.watches.get(&call).copied() {
            let place = self.console.place(tab);
            self.tell_lesson(LessonNote::Watched(place, Box::new(response.clone())));
        }
    }

    /// The answer to what a lesson asked beside the consoles; true if it is one.
    pub(super) fn lesson_proved(
        &mut self,
        call: u64,
        result: Option<&Result<api::Response, api::Error>>,
    ) -> bool {
        let Some(at) = self.teller.proofs.iter().position(|(own, _)| *own == call) else {
            return false;
        };
        let (_, reader) = self.teller.proofs.remove(at);
        let answer = result.map(|result| Box::new(result.clone()));
        self.tell_lesson(LessonNote::Proved { reader, answer });
        true
    }

    /// Tells what consoles began and printed since this was last asked.
    pub(super) fn lesson_consoles(&mut self) {
        if !self.teller.is_heard {
            return;
        }
        let mut notes = Vec::new();
        let mut is_busy = false;
        for (tab, console) in self.console.tabs().zip(1_u32..) {
            is_busy |= console == 1 && (tab.is_running() || tab.has_queue());
            let Some(block) = tab.asked(None) else { continue };
            let known = self.teller.told.get(&tab.id()).copied();
            let known = known.filter(|(id, ..)| *id == block.id());
            if known.is_none() {
                notes.push(LessonNote::Began(console));
            }
            let (_, piece, byte, was_running) = known.unwrap_or((block.id(), 0, 0, true));
            let (stdout, stderr, piece, byte) = block.since(piece, byte);
            let is_running = block.is_running();
            if !stdout.is_empty() || !stderr.is_empty() || is_running != was_running {
                let status = (!is_running).then(|| block.failure().unwrap_or(0));
                notes.push(LessonNote::Said { console, stdout, stderr, status });
            }
            self.teller.told.insert(tab.id(), (block.id(), piece, byte, is_running));
        }
        if is_busy != self.teller.is_busy {
            self.teller.is_busy = is_busy;
            notes.push(LessonNote::Busy(is_busy));
        }
        for note in notes {
            self.tell_lesson(note);
        }
    }

    /// Everything that a lesson has to know when it begins to listen.
    fn lesson_listens(&mut self) {
        self.teller.is_heard = true;
        self.teller.world = World::default();
        let (progress, fragment) = (self.teller.progress.clone(), self.teller.fragment.clone());
        self.tell_lesson(LessonNote::Known { progress, fragment });
        if self.cluster.phase == super::Phase::Open {
            self.lesson_cluster(Came::Before);
            self.lesson_world();
        }
        self.lesson_taken_over();
        self.lesson_consoles();
    }

    pub(super) fn lesson_asked(&mut self, ask: LessonAsk) {
        match ask {
            LessonAsk::Listen => self.lesson_listens(),
            LessonAsk::Type { console, line, key } => self.lesson_types(console, line, key),
            LessonAsk::NewCluster { members, settings } => {
                self.settings = Settings::default();
                for (setting, number) in SETTINGS.into_iter().zip(settings) {
                    if let Some(number) = number {
                        self.settings.set(setting, &number.to_string());
                    }
                }
                self.asks_new = Some(members);
                self.changes.frame = true;
            }
            LessonAsk::Remember(text) => {
                self.teller.progress.clone_from(&text);
                if !self.cluster.is_owned_elsewhere {
                    self.remember(PROGRESS_NAME, text);
                }
            }
            LessonAsk::Address { fragment, push } => {
                // A link that is open keeps its own address.
                if !self.share.is_open() {
                    self.teller.fragment.clone_from(&fragment);
                    self.effects.push(Effect::SetFragment { fragment, push });
                }
            }
            LessonAsk::Read { reader, member, key, revision } => {
                let call = self.numbers.next();
                self.teller.proofs.retain(|(_, its)| *its != reader);
                self.teller.proofs.push((call, reader));
                let range = api::RangeRequest { key, revision, ..api::RangeRequest::default() };
                let (client, token, request) = (0, None, api::Request::Range(range));
                self.effects.push(Effect::Request { call, member, client, token, request });
            }
            LessonAsk::Save(name, text) => {
                self.effects.push(Effect::Download { name, bytes: text.into_bytes() });
            }
            LessonAsk::Share => self.on_share(crate::playground::event::ShareEvent::Open),
        }
    }

    /// Types a line into the console at a place, which is opened if it is not there.
    fn lesson_types(&mut self, place: u32, line: String, key: Key) {
        while self.console.count() < place && self.console.can_open() {
            self.console.open_tab();
        }
        if self.console.count() < place {
            // There is no room for so many consoles: another one would be the wrong one.
            return;
        }
        self.console.select_place(place);
        match key {
            Key::Interrupt => self.interrupt(),
            Key::End => self.end_input(),
            // A line that nobody reads is no command.
            Key::Input => {
                let tab = self.console.active();
                if tab.reads_stdin() || tab.awaits_program() {
                    self.console.enqueue(line);
                }
            }
            Key::Enter => {
                let tab = self.console.active();
                let (is_running, reads) = (tab.is_running(), tab.reads_stdin());
                if place > 1 && is_running && !reads {
                    self.interrupt();
                }
                if !reads {
                    self.console.keep(&line, &mut self.effects);
                }
                self.console.enqueue(line);
            }
        }
        // A phone shows one panel: who plays a scenario keeps its marks and its Stop in sight.
        if self.panel != Panel::Keys {
            self.panel = Panel::Console;
        }
        self.changes.console = true;
        self.changes.frame = true;
    }
}

/// Members and settings of a cluster, in the order of [`SETTINGS`].
fn numbers(spec: &ClusterSpec) -> (u32, Vec<u64>) {
    (spec.members, SETTINGS.into_iter().map(|setting| setting.of(spec)).collect())
}
