//! The page's whole state and its one function.
//!
//! What it is: [`Model::update`]: an event in, effects out; and the views of what changed.
//! What it is not: the parts themselves; each part keeps its own laws, this joins them.
//! Invariants: one event, then all its effects, in order; a view is asked for only after the event was
//! wholly taken in; what a saved cluster remembers is never overwritten by another one.

mod completion;
mod files;
mod held;
mod lesson;
mod long;
mod look;
mod lower;
mod membership;
mod news;
mod scenario;
mod share;
mod typed;
mod verbs;
mod why;

use crate::api;
use crate::etcdctl;
use crate::playground::cluster::{Action, Cluster, DEFAULT_SPEC, Phase, Refusal, SECOND};
use crate::playground::console::{
    Away, Console, ConsoleView, Kind, LINE_MAX, Numbers, Stream, Wires,
};
use crate::playground::edge::Effect;
use crate::playground::escape;
use crate::playground::event::{ConsoleEvent, Event, Lower, Panel, ShareEvent, Theme};
use crate::playground::keeper::Keeper;
use crate::playground::keys::Keys;
use crate::playground::layout::Layout;
use crate::playground::membership::{Change, Changes as MemberChanges};
use crate::playground::record::{RECORD_NAME, Record};
use crate::playground::settings::Settings;
use crate::playground::share::{Share, ShareView};
use crate::playground::strings::{EN, Language, Spoken, Strings};
use crate::playground::timeline::{Timeline, done_sentence};
use crate::playground::view::{self, ClusterView, FrameView, InsightState, LogView};
use crate::scenario::{World, link};
use crate::types::{MemberId, Millis, SmallMap};
use crate::wire::PersistenceMode;

/// Under this name the colours are remembered.
const THEME_NAME: &str = "theme";
/// Under this name the language is remembered.
const LANGUAGE_NAME: &str = "language";
/// Under this name it is remembered whether the tutorial is shown.
const TUTORIAL_SHOWN_NAME: &str = "tutorial-shown";
/// Most lines that one event may start, so that a queue of failing lines does not hold the page.
const LINES_PER_EVENT: u32 = 64;

/// Most characters of the reason why a line was not run. Source: ours.
const REFUSAL_MAX: usize = 400;

/// Which views are out of date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Header and banner.
    pub frame: bool,
    /// The console.
    pub console: bool,
    /// Members and links.
    pub cluster: bool,
    /// The log.
    pub log: bool,
    /// The keys.
    pub keys: bool,
    /// The dialog of links.
    pub share: bool,
    /// A person waits for some of it, or would not want to miss it: it is shown at once.
    pub at_once: bool,
}

impl Changes {
    /// All of them.
    const ALL: Self = Self {
        frame: true,
        console: true,
        cluster: true,
        log: true,
        keys: true,
        share: true,
        at_once: false,
    };
}

/// A console's request on its way: whom it went to and what it asks.
type Asked = (MemberId, api::Request);

/// The page's state.
#[derive(Debug)]
pub struct Model {
    language: Option<Language>,
    /// The texts of Chinese, once they were fetched.
    chinese: Option<&'static Strings>,
    /// Why they could not be.
    no_chinese: Option<String>,
    /// Spoken as soon as its texts are there.
    wanted: Language,
    strings: &'static Strings,
    now: Millis,
    seed: u64,
    numbers: Numbers,
    effects: Vec<Effect>,
    changes: Changes,
    cluster: Cluster,
    console: Console,
    timeline: Timeline,
    keys: Keys,
    keeper: Keeper,
    teller: lesson::Teller,
    writer: scenario::Writer,
    record: Record,
    share: Share,
    asked: SmallMap<u64, Asked>,
    names: completion::Seen,
    files: files::FileOrders,
    theme: Theme,
    layout: Layout,
    panel: Panel,
    lower: Lower,
    /// The console and the block that are explained.
    explains: Option<(u32, u64)>,
    insight: InsightState,
    away: Away,
    /// The program of the views was asked for.
    is_insight_wanted: bool,
    has_tutorial: bool,
    asks_new: Option<u32>,
    asks_change: Option<Change>,
    /// The direction whose faults are being chosen.
    edits_link: Option<(MemberId, MemberId)>,
    membership: MemberChanges,
    begun: typed::Begun,
    settings: Settings,
    was_ready: bool,
    /// When the cluster that is being opened was asked for.
    began_opening: Millis,
    /// What the running command of the console that is shown is doing.
    running: String,
    /// Time has passed.
    is_counting: bool,
    remembered: Vec<(&'static str, String)>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            language: None,
            chinese: None,
            no_chinese: None,
            wanted: Language::default(),
            strings: &EN,
            now: Millis(0),
            seed: 1,
            numbers: Numbers::default(),
            effects: Vec::new(),
            changes: Changes::default(),
            cluster: Cluster::default(),
            console: Console::default(),
            timeline: Timeline::default(),
            keys: Keys::default(),
            keeper: Keeper::default(),
            teller: lesson::Teller::default(),
            writer: scenario::Writer::default(),
            record: Record::default(),
            share: Share::default(),
            asked: SmallMap::new(),
            names: completion::Seen::default(),
            files: files::FileOrders::default(),
            theme: Theme::System,
            layout: Layout::default(),
            panel: Panel::Console,
            lower: Lower::Keys,
            explains: None,
            insight: InsightState::Loading,
            away: Away::default(),
            is_insight_wanted: false,
            has_tutorial: true,
            asks_new: None,
            asks_change: None,
            edits_link: None,
            membership: MemberChanges::default(),
            begun: typed::Begun::default(),
            settings: Settings::default(),
            was_ready: false,
            began_opening: Millis(0),
            running: String::new(),
            is_counting: false,
            remembered: Vec::new(),
        }
    }
}

impl Model {
    /// Takes one event in and gives back what shall be done.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        // What earlier events changed is known already: only this one's changes have consequences.
        let seen_cluster = std::mem::take(&mut self.changes.cluster);
        self.take(event);
        let is_counting = self.is_counting;
        self.settle();
        if is_counting || self.changes.console {
            self.tell_running();
        }
        self.changes.cluster |= seen_cluster;
        std::mem::take(&mut self.effects)
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::News(news) => self.hear(news),
            Event::Console(event) => self.on_console(event),
            Event::Act(action) => self.on_action(action),
            Event::EditLink(ends) => {
                self.edits_link = if self.edits_link == Some(ends) { None } else { Some(ends) };
                self.changes.cluster = true;
            }
            Event::Keys(event) => self.on_keys(event),
            Event::Share(event) => self.on_share(event),
            Event::AskNewCluster(members) => {
                self.asks_new = matches!(members, 1 | 3 | 5 | 7).then_some(members);
                self.changes.frame = true;
            }
            Event::AnswerNewCluster(is_yes) => {
                if let (Some(members), true) = (self.asks_new.take(), is_yes) {
                    self.new_cluster(members);
                }
                self.changes.frame = true;
            }
            Event::SetSetting(setting, text) => {
                self.settings.set(setting, &text);
                self.changes.frame = true;
            }
            Event::AnswerChange(is_yes) => {
                if !self.answer_restored(is_yes) {
                    self.answer_change(is_yes);
                }
            }
            Event::AnswerFile(brought) => self.answer_file(brought),
            Event::DropFile(name, brought) => self.drop_file(&name, brought),
            Event::TakeOver => {
                self.begin_opening();
                self.effects.push(Effect::TakeOver);
                self.changes.frame = true;
            }
            Event::ShowPanel(panel) => {
                self.panel = panel;
                self.changes.frame = true;
            }
            Event::ShowLower(lower) => self.show_lower(lower),
            Event::ToggleTutorial => self.toggle_tutorial(),
            Event::SetTheme(theme) => self.set_theme(theme),
            Event::MoveSplit(split, share) => self.move_split(split, share),
            Event::ToggleLarge => self.toggle_large(),
            Event::SetLanguage(language) => {
                self.speak(language);
                self.remember(LANGUAGE_NAME, language.name().to_owned());
            }
        }
    }

    /// What follows from an event: queued lines, waits that are over, the watch on the keys.
    fn settle(&mut self) {
        if self.cluster.phase == Phase::Open {
            if self.with_keys(Keys::tend) {
                self.changes.keys = true;
            }
            self.want_keys();
            self.tend_members();
            // The words of those that wait count the time.
            if (self.changes.cluster || self.is_counting) && self.cluster.note_waits(self.now) {
                self.changes.cluster = true;
            }
            self.is_counting = false;
            if self.changes.cluster {
                let world = self.cluster.world();
                self.end_waits(&world);
                self.lesson_world();
            }
        }
        for _ in 0..LINES_PER_EVENT {
            while let Some((tab, line)) = self.console.next_fed() {
                self.feed(tab, &line);
            }
            self.with_console(Console::end_fed);
            let Some((tab, line)) = self.console.next_queued() else { break };
            self.run_line(tab, &line);
            self.lesson_consoles();
        }
        if self.changes.console {
            self.lesson_consoles();
        }
        self.want_lessons();
        let is_ready = self.cluster.phase == Phase::Open && self.cluster.known_leader().is_some();
        if is_ready && !self.was_ready {
            self.was_ready = true;
            self.changes.frame = true;
        }
    }

    /// True if something has come that a person waits for, or would not want to miss.
    #[must_use]
    pub const fn shows_at_once(&self) -> bool {
        self.changes.at_once
    }

    /// Which views are out of date since this was last asked.
    pub fn take_changes(&mut self) -> Changes {
        let mut changes = std::mem::take(&mut self.changes);
        // The header names leader, term and revision.
        changes.frame |= changes.cluster;
        changes
    }

    /// Header and banner.
    #[must_use]
    pub fn frame_view(&self) -> FrameView {
        let s = self.strings;
        let leader = self.cluster.known_leader();
        FrameView {
            is_ready: self.was_ready && self.cluster.phase == Phase::Open,
            leader: leader.map_or_else(|| s.summary_none.to_owned(), |id| self.cluster.name(id)),
            has_leader: leader.is_some(),
            term: self.cluster.term(),
            revision: self.cluster.revision(),
            storage: match self.cluster.mode {
                PersistenceMode::IndexedDb => s.mode_indexed_db,
                PersistenceMode::Memory => s.mode_memory,
            },
            is_durable: self.cluster.mode == PersistenceMode::IndexedDb,
            banner: view::frame::banner(&self.cluster, self.was_ready, s)
                .or_else(|| {
                    let is_opening = self.cluster.phase == Phase::Opening;
                    let ms = is_opening.then(|| self.now.since(self.began_opening))?;
                    view::frame::opening_banner(ms, s)
                })
                .or_else(|| view::frame::language_banner(self.no_chinese.as_deref()?, s)),
            theme: self.theme,
            layout: self.layout,
            spoken: self.language.map(|language| Spoken { language, strings: s }),
            panel: self.panel,
            lower: self.lower,
            insight: self.insight.clone(),
            no_keys: self.no_keys(),
            has_tutorial: self.has_tutorial,
            asks_new: self.asks_new,
            settings: view::frame::settings(&self.settings, self.strings),
            asks_change: self.restore_question().or_else(|| {
                let change = self.asks_change?;
                Some(view::cluster::question(change, &self.cluster, self.strings))
            }),
            asks_file: self.asked_file(),
            broken_link: self.share.broken(self.strings),
            can_share: !self.record.is_empty(),
        }
    }

    /// The console.
    pub fn console_view(&mut self) -> ConsoleView {
        ConsoleView { running: self.running.clone(), ..self.console.view() }
    }

    /// Members and links.
    #[must_use]
    pub fn cluster_view(&self) -> ClusterView {
        let mut view = view::cluster::view(&self.cluster, &self.membership, self.strings);
        view.faults = view::faults::view(&self.cluster, self.edits_link, self.strings);
        view::waiting::fill(&mut view, &self.cluster, self.now, self.strings);
        view
    }

    /// The log.
    #[must_use]
    pub fn log_view(&self) -> LogView {
        view::frame::log(&self.timeline, &self.cluster, self.strings)
    }

    /// The dialog of links.
    #[must_use]
    pub fn share_view(&self) -> Option<ShareView> {
        self.share.view(self.strings)
    }

    fn on_console(&mut self, event: ConsoleEvent) {
        self.changes.console = true;
        match event {
            ConsoleEvent::Typed(text) => {
                if self.console.typed(text) {
                    self.complete_again();
                }
            }
            ConsoleEvent::Submit => self.enter(),
            ConsoleEvent::Older => {
                if !self.console.step(false) {
                    self.console.older();
                }
            }
            ConsoleEvent::Newer => {
                if !self.console.step(true) {
                    self.console.newer();
                }
            }
            ConsoleEvent::Complete { after } => self.complete(after),
            ConsoleEvent::Search => self.console.search(),
            ConsoleEvent::CloseMenu => self.console.close_menu(),
            ConsoleEvent::Choose(at) => self.console.choose(at),
            ConsoleEvent::Interrupt => self.interrupt(),
            ConsoleEvent::EndOfInput => self.end_input(),
            ConsoleEvent::Clear => self.console.active().clear(),
            ConsoleEvent::Pasted(text) => self.console.pasted(&text),
            ConsoleEvent::AnswerPaste(is_yes) => {
                self.console.answer_paste(is_yes, &mut self.effects);
            }
            ConsoleEvent::EditPaste => self.console.edit_paste(),
            ConsoleEvent::OpenTab => {
                self.console.open_tab();
            }
            ConsoleEvent::SelectTab(id) => self.console.select(id),
            ConsoleEvent::CloseTab(id) => {
                self.record.interrupted(id);
                self.with_console(|console, wires| console.close(id, wires));
            }
            ConsoleEvent::CopyBlock(block) => {
                if let Some((_, text)) = self.console.active().block_text(block) {
                    self.effects.push(Effect::Copy(text));
                }
            }
            ConsoleEvent::Why(block) => self.explain(block),
            ConsoleEvent::SaveBlock(block) => {
                if let Some((line, text)) = self.console.active().block_text(block) {
                    let name = format!("{}.txt", escape::file_stem(line, "output"));
                    self.effects.push(Effect::Download { name, bytes: text.into_bytes() });
                }
            }
        }
    }

    /// Enter: takes a completion, or runs the line.
    fn enter(&mut self) {
        let is_search = self.console.has_search();
        let has_taken = is_search.is_some() && self.console.take_choice();
        match is_search {
            Some(false) if has_taken => {}
            // Nothing was found: there is nothing to run.
            Some(true) if !has_taken => {}
            _ => self.submit(),
        }
    }

    fn submit(&mut self) {
        let line = self.console.take_line(&mut self.effects);
        // What a command does not read runs after it, as in a shell.
        if self.console.active().reads_stdin() {
            let tab = self.console.active_id();
            return self.feed(tab, &line);
        }
        // What the program of the running line will read, nobody knows yet: the line stays whole.
        if self.console.active().awaits_program() {
            return self.console.enqueue(line);
        }
        for line in etcdctl::statements(&line) {
            self.console.enqueue(line);
        }
    }

    /// The command of a tab reads a line.
    fn feed(&mut self, tab: u32, line: &str) {
        // It may be the last that it reads.
        if !self.console.tab(tab).is_some_and(|tab| tab.reads_secret()) {
            self.record.input(tab, Some(line));
        }
        self.with_console(|console, wires| {
            console.tab(tab).is_some_and(|tab| tab.stdin(line, wires))
        });
    }

    /// The input of the shown tab's command ends.
    fn end_input(&mut self) {
        let (tab, active) = (self.console.active_id(), self.console.active());
        if active.reads_stdin() || active.awaits_program() {
            self.record.input(tab, None);
        }
        self.with_console(|console, wires| console.active().stdin_end(wires));
    }

    fn interrupt(&mut self) {
        let id = self.console.active_id();
        let was_running = self.console.active().is_running();
        self.with_console(|console, wires| {
            console.active().interrupt(wires);
        });
        if was_running {
            self.record.interrupted(id);
            self.remember_record();
        }
    }

    /// Runs a line in a tab in which nothing runs.
    fn run_line(&mut self, tab: u32, line: &str) {
        self.changes.console = true;
        let line = line.trim();
        if line == "clear" {
            if let Some(tab) = self.console.tab(tab) {
                tab.clear();
            }
            return;
        }
        if line == why::WHY {
            self.run_why(tab);
            return;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(verb) = crate::scenario::verb::parse(&words) {
            self.run_verb_line(tab, line, verb);
            return;
        }
        if self.run_own_line(tab, line, &words) {
            return;
        }
        let refusal = if line.len() > LINE_MAX {
            Some(self.strings.line_too_long.to_owned())
        } else if self.cluster.phase == Phase::Open {
            None
        } else {
            Some(self.not_open().to_owned())
        };
        let expanded = match refusal {
            Some(refusal) => Err(refusal),
            None => {
                let expanded = self.cluster.world().expand(line);
                expanded.map_err(|cannot| cannot.told(&self.strings.verb_cannot))
            }
        };
        match expanded {
            Err(refusal) => self.refuse(tab, line, Kind::Command, &refusal),
            Ok(expanded) => {
                let place = self.console.place(tab);
                let has_leader = self.cluster.known_leader().is_some();
                self.record.line(tab, place, line, self.now, has_leader);
                self.with_console(|console, wires| {
                    if let Some(tab) = console.tab(tab) {
                        tab.start(line, &expanded, wires);
                    }
                });
                // What was refused before anything was sent has ended already.
                if self.console.tab(tab).is_some_and(|tab| !tab.is_running()) {
                    self.record.line_ended(tab);
                }
                self.remember_record();
            }
        }
    }

    /// Shows a line with the reason why it was not run.
    fn refuse(&mut self, tab: u32, line: &str, kind: Kind, refusal: &str) {
        if let Some(tab) = self.console.tab(tab) {
            tab.open_block(line, kind);
            // It may repeat a word of the line, and that may be anything.
            let mut shown: String = refusal.chars().take(REFUSAL_MAX).collect();
            if shown.len() < refusal.len() {
                shown.push('…');
            }
            tab.print(Stream::Err, &format!("Error: {shown}"));
            tab.end_block(Some(1));
        }
    }

    /// Why nobody answers here.
    fn not_open(&self) -> &'static str {
        match self.cluster.phase {
            Phase::TakenOver => self.strings.banner_taken,
            _ => self.strings.not_ready,
        }
    }

    fn on_action(&mut self, action: Action) {
        // Another tab may have the members by now.
        if self.cluster.phase == Phase::TakenOver {
            return;
        }
        if let Action::Change(change) = action {
            self.on_change(change);
            return;
        }
        if let Action::PauseAll(is_pause) = action {
            self.pause_all(is_pause);
            return;
        }
        self.do_recorded(action);
    }

    /// Does what a button says, and keeps the verb that it stands for.
    fn do_recorded(&mut self, action: Action) {
        let verb = self.verb_of(action);
        let had_leader = self.cluster.known_leader().is_some();
        if self.act(action).is_ok()
            && let Some(verb) = verb
        {
            self.record.verb(verb, self.now, had_leader);
            self.remember_record();
        }
    }

    /// Does an action; the sentence that says so, or why not.
    fn act(&mut self, action: Action) -> Result<String, String> {
        let s = self.strings;
        let leader = self.cluster.known_leader();
        match self.cluster.act(action) {
            Ok(effect) => {
                let hits_leader = leader.is_some() && leader == verbs::target(action);
                self.effects.push(effect);
                self.lesson_acted();
                self.timeline.done(self.now, action, hits_leader);
                self.changes.cluster = true;
                self.changes.log = true;
                Ok(done_sentence(action, s, &|id| self.cluster.name(id)))
            }
            Err(refusal) => Err(self.refusal_words(refusal)),
        }
    }

    fn refusal_words(&self, refusal: Refusal) -> String {
        let s = self.strings;
        let name = |id| self.cluster.name(id);
        match refusal {
            Refusal::Unknown => s.refused_unknown.to_owned(),
            Refusal::NotRunning(id) => s.refused_not_running.of(&name(id)),
            Refusal::Running(id) => s.refused_running.of(&name(id)),
            Refusal::Paused(id) => s.refused_paused.of(&name(id)),
            Refusal::NotPaused(id) => s.refused_not_paused.of(&name(id)),
            Refusal::SameMember(id) => s.refused_same.of(&name(id)),
            Refusal::NothingCut => s.refused_nothing_cut.to_owned(),
            Refusal::Removed(id) => s.down_removed.of(&name(id)),
        }
    }

    fn open_saved(&mut self) {
        if self.cluster.phase == Phase::Idle {
            self.begin_opening();
            self.effects.push(Effect::OpenCluster(DEFAULT_SPEC));
            self.changes.frame = true;
        }
    }

    fn new_cluster(&mut self, members: u32) {
        let Some(spec) = self.settings.spec(members) else { return };
        self.begin_opening();
        self.was_ready = false;
        self.effects.push(Effect::NewCluster(spec));
    }

    fn with_console<T: Default>(
        &mut self,
        run: impl FnOnce(&mut Console, &mut Wires<'_>) -> T,
    ) -> T {
        let (mut run, mut result) = (Some(run), T::default());
        self.run_console(&mut |console, wires| {
            if let Some(run) = run.take() {
                result = run(console, wires);
            }
        });
        result
    }

    fn run_console(&mut self, run: &mut dyn FnMut(&mut Console, &mut Wires<'_>)) {
        let mut effects = Vec::new();
        let before = self.console.running_tabs();
        let mut wires = Wires {
            now: self.now,
            cluster: &self.cluster,
            numbers: &mut self.numbers,
            effects: &mut effects,
            away: &mut self.away,
            strings: self.strings,
        };
        run(&mut self.console, &mut wires);
        self.lesson_consoles();
        for effect in &effects {
            if let Effect::Watch { call, request, watcher, .. } = effect {
                self.lesson_watching(*call, watcher.tab, request);
            }
            // The second cluster's answers say nothing of the one that is shown.
            if let Effect::Request { call, member, request, .. } = effect
                && *member != SECOND
            {
                self.asked.insert(*call, (*member, request.clone()));
            }
            if let Effect::Cancel { call, .. } = effect
                && let Some((_, request)) = self.asked.remove(call)
            {
                self.lesson_failure(&request);
            }
        }
        self.note_orders(&effects);
        self.effects.append(&mut effects);
        let after = self.console.running_tabs();
        for tab in before.into_iter().filter(|tab| !after.contains(tab)) {
            self.record.line_ended(tab);
        }
        self.tend_files();
        self.changes.console = true;
    }

    /// True if what is remembered belongs to the saved cluster.
    fn is_saved_cluster(&self) -> bool {
        self.cluster.mode == PersistenceMode::IndexedDb && !self.cluster.is_owned_elsewhere
    }

    fn remember_record(&mut self) {
        self.changes.frame = true;
        if self.is_saved_cluster() {
            self.remember(RECORD_NAME, self.record.to_text());
        }
    }

    /// Asks for a text to be remembered, unless it is already.
    fn remember(&mut self, name: &'static str, text: String) {
        let known = self.remembered.iter_mut().find(|(known, _)| *known == name);
        match known {
            Some((_, old)) if *old == text => return,
            Some((_, old)) => old.clone_from(&text),
            None => self.remembered.push((name, text.clone())),
        }
        self.effects.push(Effect::Remember { name, text });
    }
}

#[cfg(test)]
mod tests;
