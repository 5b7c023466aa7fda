//! The consoles: tabs, the line being written, history, completions, pasting.
//!
//! What it is: which tab is shown and what keys mean in it.
//! What it is not: the running of one command (see `tab`).
//! Invariants: there is always at least one tab; the shown tab exists.

mod asked;
mod away;
mod block;
mod history;
mod menu;
mod tab;

use std::sync::Arc;

pub use away::Away;
pub use block::{BlockView, Kind, Piece, Stream, TEXT_MAX, Window};
pub use menu::{ChoiceView, MenuView};
pub use tab::{Numbers, Tab, Wires};

use crate::etcdctl;
use crate::playground::complete::{Found, LISTED_MAX, Place};
use crate::playground::console::history::History;
use crate::playground::console::menu::Menu;
use crate::playground::edge::Effect;

/// Most tabs.
pub const TABS_MAX: usize = 8;
/// Longest line. Unit: bytes. Source: `browser.md` 5.4; a value of 1.5 MiB does not fit on purpose.
pub const LINE_MAX: usize = 64 * 1024;
/// Most lines of one paste.
pub const PASTE_LINES_MAX: usize = 200;
/// Under this name the history is remembered.
pub const HISTORY_NAME: &str = "console-history";

/// A tab in the row of tabs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabView {
    /// Its number.
    pub id: u32,
    /// Its place in the row, from 1.
    pub place: u32,
    /// The line that runs in it, shortened, or nothing.
    pub running: String,
    /// It is shown.
    pub is_active: bool,
    /// It printed something while another tab was shown.
    pub has_news: bool,
}

/// The console as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsoleView {
    /// The tabs.
    pub tabs: Vec<TabView>,
    /// The number of the tab shown.
    pub active: u32,
    /// What it printed.
    pub blocks: Vec<Arc<BlockView>>,
    /// The line being written.
    pub draft: String,
    /// Where a completion put the caret: how often it has done so by now, and how much of the line stands after it.
    /// Unit: UTF-16 code units.
    pub caret: [u32; 2],
    /// What is written goes to a command that asked for something secret: it is not shown.
    pub is_secret: bool,
    /// The list above the line.
    pub menu: Option<MenuView>,
    /// A command runs in it.
    pub is_running: bool,
    /// What that is doing, and for how long.
    pub running: String,
    /// A pasted text of several lines waits for a yes.
    pub paste: Option<Vec<String>>,
    /// Another tab may be opened.
    pub can_open: bool,
    /// Lines still to run.
    pub queued: u32,
}

/// All consoles.
#[derive(Debug)]
pub struct Console {
    tabs: Vec<Tab>,
    active: u32,
    next_tab: u32,
    endpoints: Vec<String>,
    history: History,
}

impl Default for Console {
    fn default() -> Self {
        Self {
            tabs: vec![Tab::new(1, Vec::new())],
            active: 1,
            next_tab: 2,
            endpoints: Vec::new(),
            history: History::default(),
        }
    }
}

/// False for empty lines and comments.
fn is_command(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

impl Console {
    /// Takes the history of an earlier visit.
    pub fn remember(&mut self, text: &str) {
        self.history = History::from_text(text);
    }

    /// The cluster is another one, of which this is said where a console has lines from before it.
    pub fn set_endpoints(&mut self, endpoints: Vec<String>, said: &str, wires: &mut Wires<'_>) {
        self.endpoints = endpoints;
        for tab in &mut self.tabs {
            tab.reset(self.endpoints.clone(), said, wires);
        }
    }

    /// The members are others now: what is preset changes, what runs goes on.
    pub fn change_endpoints(&mut self, endpoints: &[String]) {
        self.endpoints = endpoints.to_vec();
        for tab in &mut self.tabs {
            tab.set_endpoints(endpoints.to_vec());
        }
    }

    /// The number of the tab shown.
    #[must_use]
    pub const fn active_id(&self) -> u32 {
        self.active
    }

    /// The tab with this number.
    pub fn tab(&mut self, id: u32) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.id() == id)
    }

    /// The tab shown.
    pub fn active(&mut self) -> &mut Tab {
        let active = self.active;
        let at = self.tabs.iter().position(|tab| tab.id() == active).unwrap_or(0);
        self.tabs.get_mut(at).unwrap_or_else(|| unreachable!("there is always one tab"))
    }

    /// Every tab.
    pub fn tabs(&mut self) -> impl Iterator<Item = &mut Tab> {
        self.tabs.iter_mut()
    }

    /// The line in the shown tab was edited. True: completions are shown, which have to be found anew.
    pub fn typed(&mut self, text: String) -> bool {
        let tab = self.active();
        let keeps_tail = tab.menu.is_some() && text.ends_with(&tab.tail);
        let tail = if keeps_tail { std::mem::take(&mut tab.tail) } else { String::new() };
        tab.set_line(text);
        tab.tail = tail;
        match &tab.menu {
            Some(menu) if menu.is_search() => {
                self.look_up();
                false
            }
            Some(_) => true,
            None => false,
        }
    }

    /// Whether the list above the line is open, and is one of lines of the history.
    pub fn has_search(&mut self) -> Option<bool> {
        self.active().menu.as_ref().map(Menu::is_search)
    }

    /// Notes where the caret is: what stands after it is not completed.
    pub(in crate::playground) fn split_line(&mut self, after: u32) {
        let tab = self.active();
        let mut units = after;
        let tail = tab.draft.chars().rev().take_while(|c| {
            let rest = units.checked_sub(if *c > '\u{ffff}' { 2 } else { 1 });
            units = rest.unwrap_or_default();
            rest.is_some()
        });
        let length = tail.map(char::len_utf8).sum::<usize>();
        tab.tail = tab.draft.split_at(tab.draft.len() - length).1.to_owned();
    }

    /// The line up to the caret.
    pub(in crate::playground) fn head(&mut self) -> &str {
        self.active().head()
    }

    /// Takes a completed line over and shows what may follow.
    pub(in crate::playground) fn completed(&mut self, place: Place, found: Found) {
        let tab = self.active();
        tab.write_head(&found.line);
        tab.menu = Menu::of_completions(place, found);
    }

    /// Ctrl-R: a search in the history, or an older line of it.
    pub fn search(&mut self) {
        let tab = self.active();
        if tab.reads_secret() {
            return;
        }
        match &mut tab.menu {
            Some(menu) if menu.is_search() => menu.step(true),
            _ => {
                let written = std::mem::take(&mut tab.draft);
                tab.tail.clear();
                tab.menu = Some(Menu::of_lines(written, Vec::new(), 0));
                self.look_up();
            }
        }
    }

    fn look_up(&mut self) {
        let active = self.active;
        let Self { tabs, history, .. } = self;
        let Some(tab) = tabs.iter_mut().find(|tab| tab.id() == active) else { return };
        let Some(menu) = tab.menu.take() else { return };
        let (lines, more) = history.search(&tab.draft, LISTED_MAX);
        tab.menu = Some(Menu::of_lines(menu.written, lines, more));
    }

    /// Moves the choice in the open list; false if none is open.
    pub fn step(&mut self, is_forward: bool) -> bool {
        let menu = self.active().menu.as_mut();
        let is_open = menu.is_some();
        if let Some(menu) = menu {
            menu.step(is_forward);
        }
        is_open
    }

    /// Takes what is chosen in the open list; false if nothing is.
    pub fn take_choice(&mut self) -> bool {
        let tab = self.active();
        let Some(menu) = tab.menu.take() else { return false };
        let line = menu.line(tab.head());
        let has_taken = line.is_some();
        match line {
            Some(line) if menu.is_search() => tab.set_line(line),
            Some(line) => tab.write_head(&line),
            None => {}
        }
        has_taken
    }

    /// Takes this row of the open list.
    pub fn choose(&mut self, at: u32) {
        if let Some(menu) = &mut self.active().menu {
            menu.choose(at);
        }
        self.take_choice();
    }

    /// Closes the open list; after a search the line is what it was before.
    pub fn close_menu(&mut self) {
        let tab = self.active();
        if let Some(menu) = tab.menu.take().filter(Menu::is_search) {
            tab.set_line(menu.written);
        }
    }

    /// Takes the line out of the shown tab, keeping it in the history.
    pub fn take_line(&mut self, effects: &mut Vec<Effect>) -> String {
        let tab = self.active();
        tab.menu = None;
        let line = std::mem::take(&mut tab.draft);
        tab.set_line(String::new());
        if !tab.is_running() {
            self.keep(&line, effects);
        }
        line
    }

    /// Keeps a line in the history.
    pub fn keep(&mut self, line: &str, effects: &mut Vec<Effect>) {
        self.history.add(line);
        effects.push(Effect::Remember { name: HISTORY_NAME, text: self.history.to_text() });
    }

    /// Arrow up.
    pub fn older(&mut self) {
        let history = self.history.clone();
        let tab = self.active();
        if tab.reads_secret() {
            return;
        }
        let draft = tab.draft.clone();
        if let Some(line) = history.older(&mut tab.cursor, &draft) {
            tab.tail.clear();
            tab.draft = line;
        }
    }

    /// Arrow down.
    pub fn newer(&mut self) {
        let history = self.history.clone();
        let tab = self.active();
        if let Some(line) = history.newer(&mut tab.cursor) {
            tab.tail.clear();
            tab.draft = line;
        }
    }

    /// Text was pasted: one line goes to the cursor (the component does that), several ask first.
    pub fn pasted(&mut self, text: &str) {
        let lines = etcdctl::statements(text);
        // A command that reads lines ends its parts at empty ones.
        let reads_lines = lines.iter().any(|line| {
            line.split_whitespace().any(|word| ["txn", "-i", "--interactive"].contains(&word))
        });
        let lines: Vec<String> = lines
            .into_iter()
            .map(|line| line.trim().trim_start_matches("$ ").to_owned())
            .filter(|line| reads_lines || is_command(line))
            .take(PASTE_LINES_MAX)
            .collect();
        let has_command = lines.iter().any(|line| is_command(line));
        self.active().paste = has_command.then_some(lines);
    }

    /// The answer to "run these lines?".
    pub fn answer_paste(&mut self, is_yes: bool, effects: &mut Vec<Effect>) {
        let Some(lines) = self.active().paste.take().filter(|_| is_yes) else { return };
        // What follows such a line may be the password itself.
        if !lines.iter().any(|line| etcdctl::holds_secret(line)) {
            for line in lines.iter().filter(|line| is_command(line)) {
                self.keep(line, effects);
            }
        }
        self.active().queue.extend(lines);
    }

    /// The lines that wait for a yes become the line being written.
    pub fn edit_paste(&mut self) {
        if let Some(lines) = self.active().paste.take() {
            self.typed(lines.join("\n"));
        }
    }

    /// Puts a line at the end of the shown tab's queue.
    pub fn enqueue(&mut self, line: String) {
        self.active().queue.push_back(line);
    }

    /// The next queued line of a tab in which nothing runs: (tab, line).
    ///
    /// Lines that say nothing are passed over.
    pub fn next_queued(&mut self) -> Option<(u32, String)> {
        self.tabs.iter_mut().filter(|tab| !tab.is_running()).find_map(|tab| {
            while let Some(line) = tab.queue.pop_front() {
                // A line that was typed while its forerunner was still to begin is whole.
                let mut parts = etcdctl::statements(&line).into_iter();
                let first = parts.next();
                parts.rev().for_each(|part| tab.queue.push_front(part));
                if let Some(line) = first.filter(|line| is_command(line)) {
                    return Some((tab.id(), line));
                }
            }
            None
        })
    }

    /// The next queued line of a tab whose command reads standard input: (tab, line).
    pub fn next_fed(&mut self) -> Option<(u32, String)> {
        let mut reading = self.tabs.iter_mut().filter(|tab| tab.reads_stdin());
        reading.find_map(|tab| Some((tab.id(), tab.queue.pop_front()?)))
    }

    /// Ends the input of commands that read, where that was said before they could.
    pub fn end_fed(&mut self, wires: &mut Wires<'_>) {
        for tab in &mut self.tabs {
            if tab.reads_stdin() && tab.queue.is_empty() && std::mem::take(&mut tab.is_end_ahead) {
                tab.stdin_end(wires);
            }
        }
    }

    /// True if a command waits for what comes of this order about a file.
    #[must_use]
    pub fn awaits_file(&self, call: u64) -> bool {
        self.tabs.iter().any(|tab| tab.awaits_file(call))
    }

    /// Opens a tab and shows it.
    pub fn open_tab(&mut self) -> u32 {
        if self.tabs.len() < TABS_MAX {
            let id = self.next_tab;
            self.next_tab += 1;
            self.tabs.push(Tab::new(id, self.endpoints.clone()));
            self.active = id;
        }
        self.active
    }

    /// Shows a tab.
    pub fn select(&mut self, id: u32) {
        if let Some(tab) = self.tab(id) {
            tab.has_news = false;
            self.active = id;
        }
    }

    /// Shows the tab at this place of the row, from 1.
    pub fn select_place(&mut self, place: u32) {
        let at = usize::try_from(place.saturating_sub(1)).unwrap_or(usize::MAX);
        if let Some(id) = self.tabs.get(at).map(Tab::id) {
            self.select(id);
        }
    }

    /// Closes a tab and ends what runs in it; the last one stays.
    pub fn close(&mut self, id: u32, wires: &mut Wires<'_>) {
        if self.tabs.len() < 2 {
            return;
        }
        let Some(at) = self.tabs.iter().position(|tab| tab.id() == id) else { return };
        self.tabs.remove(at).forget(wires);
        if self.active == id {
            let next = self.tabs.get(at.min(self.tabs.len() - 1)).map(Tab::id);
            self.select(next.unwrap_or_default());
        }
    }

    /// A tab printed something.
    pub fn mark_news(&mut self, id: u32) {
        let active = self.active;
        if let Some(tab) = self.tab(id).filter(|_| id != active) {
            tab.has_news = true;
        }
    }

    /// The line being written in the shown tab.
    pub fn draft(&mut self) -> &str {
        &self.active().draft
    }

    /// How many tabs there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.tabs.len()).unwrap_or(u32::MAX)
    }

    /// True if another tab may be opened.
    #[must_use]
    pub fn can_open(&self) -> bool {
        self.tabs.len() < TABS_MAX
    }

    /// A tab's place in the row, from 1.
    #[must_use]
    pub fn place(&self, id: u32) -> u32 {
        self.tabs.iter().zip(1_u32..).find(|(tab, _)| tab.id() == id).map_or(1, |(_, at)| at)
    }

    /// The tabs in which something runs.
    #[must_use]
    pub fn running_tabs(&self) -> Vec<u32> {
        self.tabs.iter().filter(|tab| tab.is_running()).map(Tab::id).collect()
    }

    /// What there is to see.
    pub fn view(&mut self) -> ConsoleView {
        let active = self.active;
        let can_open = self.can_open();
        let tabs = self
            .tabs
            .iter()
            .zip(1_u32..)
            .map(|(tab, place)| TabView {
                id: tab.id(),
                place,
                running: crate::playground::escape::clipped(tab.running_line().as_bytes(), 24),
                is_active: tab.id() == active,
                has_news: tab.has_news,
            })
            .collect();
        let tab = self.active();
        ConsoleView {
            tabs,
            active,
            blocks: tab.views(),
            draft: tab.draft.clone(),
            caret: tab.caret(),
            is_secret: tab.reads_secret(),
            menu: tab.menu.as_ref().map(Menu::view),
            is_running: tab.is_running(),
            running: String::new(),
            paste: tab.paste.as_ref().map(|lines| {
                lines.iter().map(|line| crate::playground::escape::block(line.as_bytes())).collect()
            }),
            can_open,
            queued: u32::try_from(tab.queue.len()).unwrap_or(u32::MAX),
        }
    }
}
