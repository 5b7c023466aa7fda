//! One console: a shell, what runs in it, and what it printed.
//!
//! What it is: the driver of one `etcdctl::Execution` at a time; it turns outputs into effects and
//! news into inputs.
//! What it is not: etcdctl (see `etcdctl`), nor the doer of verbs (see `model`).
//! Invariants: at most one command runs; every call, stream and timer of it is forgotten when it ends.

mod running;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use crate::api;
use crate::etcdctl::away::Program;
use crate::etcdctl::{
    self, CallError, CallId, Execution, FileAnswer, FileError, FileOrder, Input, NOTICE_PREFIX,
    Output, Shell, TimerId,
};
use crate::playground::cluster::{Cluster, Life, SECOND, names_second};
use crate::playground::console::away::Away;
use crate::playground::console::block::{Block, BlockView, Kind, Stream, TEXT_MAX};
use crate::playground::console::menu::Menu;
use crate::playground::console::{LINE_MAX, history};
use crate::playground::edge::Effect;
use crate::playground::escape;
use crate::playground::insight::{CallEnd, Watcher};
use crate::playground::strings::Strings;
use crate::scenario::verb::Condition;
use crate::types::{MemberId, Millis, SmallMap};

use running::Received;

/// What a shell says of a line or a command that Ctrl-C ended.
const EXIT_INTERRUPTED: i32 = 130;
/// Most blocks kept in a tab; the oldest go first.
const BLOCKS_MAX: usize = 300;
/// How much of a line that is too long is shown. Unit: characters.
const REFUSED_SHOWN: u32 = 200;
/// How much of its line stands beside a watch. Unit: characters.
const LINE_SHOWN: u32 = 120;
/// Most outputs taken from a command in one go; a command that says more is broken.
const OUTPUTS_MAX: u32 = 100_000;

/// Numbers for calls, timers and runs; never reused.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    last: u64,
}

impl Numbers {
    /// A number nobody had before.
    pub const fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

/// What a tab needs from the rest of the page.
#[derive(Debug)]
pub struct Wires<'a> {
    /// Now.
    pub now: Millis,
    /// Who is there.
    pub cluster: &'a Cluster,
    /// Where numbers come from.
    pub numbers: &'a mut Numbers,
    /// What shall be done.
    pub effects: &'a mut Vec<Effect>,
    /// The program of rare commands.
    pub away: &'a mut Away,
    /// The page's language.
    pub strings: &'static Strings,
}

#[derive(Debug)]
enum Run {
    Command(Box<Command>),
    Wait {
        condition: Condition,
        timer: u64,
    },
    /// The page changes the membership.
    Change,
}

#[derive(Debug)]
struct Command {
    execution: Execution,
    calls: SmallMap<u64, Call>,
    timers: SmallMap<u64, TimerId>,
    /// True beside those that restore a cluster.
    files: SmallMap<u64, (CallId, bool)>,
    received: Received,
}

#[derive(Clone, Debug)]
struct Call {
    id: CallId,
    member: MemberId,
    endpoint: String,
    kind: CallKind,
}

/// What is answered once, and what goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallKind {
    Request,
    Watch,
}

impl CallKind {
    /// What the command hears when the call ends with an error.
    const fn failed(self, call: CallId, error: CallError) -> Input {
        match self {
            Self::Request => Input::Reply { call, result: Err(error) },
            Self::Watch => Input::StreamEnded { call, error },
        }
    }
}

/// One console.
#[derive(Debug)]
pub struct Tab {
    id: u32,
    shell: Shell,
    run: Option<Run>,
    blocks: VecDeque<Block>,
    next_block: u64,
    /// The line being written.
    pub(super) draft: String,
    /// The end of it that stands after the caret, where a completion put that.
    pub(super) tail: String,
    /// How often the caret was put before that.
    caret_moves: u32,
    /// Where the arrow keys stand.
    pub(super) cursor: history::Cursor,
    /// Lines that run after the one that runs now.
    pub(super) queue: VecDeque<String>,
    /// The list above the line.
    pub(super) menu: Option<Menu>,
    /// A pasted text of several lines that waits for a yes.
    pub(super) paste: Option<Vec<String>>,
    /// Something was printed while another tab was shown.
    pub(super) has_news: bool,
    running_line: String,
    /// When what runs was started.
    began: Millis,
    /// Ctrl-D was typed while the running line waits for its program.
    pub(super) is_end_ahead: bool,
    /// It was said what the second cluster is.
    knows_second: bool,
}

impl Tab {
    /// An empty console that talks to these endpoints.
    #[must_use]
    pub fn new(id: u32, endpoints: Vec<String>) -> Self {
        Self {
            id,
            shell: Shell::new(endpoints),
            run: None,
            blocks: VecDeque::new(),
            next_block: 0,
            draft: String::new(),
            tail: String::new(),
            caret_moves: 0,
            cursor: history::Cursor::default(),
            queue: VecDeque::new(),
            menu: None,
            paste: None,
            has_news: false,
            running_line: String::new(),
            began: Millis(0),
            is_end_ahead: false,
            knows_second: false,
        }
    }

    /// Its number.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// Lines wait to be run in it.
    #[must_use]
    pub fn has_queue(&self) -> bool {
        !self.queue.is_empty()
    }

    /// True while a command or a `wait` runs.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// The line that runs, or nothing.
    #[must_use]
    pub fn running_line(&self) -> &str {
        if self.is_running() { &self.running_line } else { "" }
    }

    /// What the newest command said when it failed: its error line, without the word.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        let said = self.blocks.back()?.why().said;
        said.strip_prefix("Error: ").map(str::to_owned)
    }

    /// The exit status of the last command.
    #[must_use]
    pub fn last_status(&self) -> i32 {
        self.shell.last_status()
    }

    /// The condition a `wait` waits for.
    #[must_use]
    pub const fn waits_for(&self) -> Option<Condition> {
        match &self.run {
            Some(Run::Wait { condition, .. }) => Some(*condition),
            Some(Run::Command(_) | Run::Change) | None => None,
        }
    }

    /// The cluster is a new one: what runs is over, the endpoints are others, and a line below what came before says so.
    pub fn reset(&mut self, endpoints: Vec<String>, said: &str, wires: &mut Wires<'_>) {
        self.forget(wires);
        self.queue.clear();
        if self.run.take().is_some() {
            self.end_block(None);
        }
        if !self.blocks.is_empty() {
            self.open_block(said, Kind::Verb).end(None);
        }
        self.shell = Shell::new(endpoints);
    }

    /// The members are others now: what is preset for the lines to come.
    pub fn set_endpoints(&mut self, endpoints: Vec<String>) {
        self.shell.set_endpoints(endpoints);
    }

    /// The line is this now, with the caret at its end.
    pub(super) fn set_line(&mut self, line: String) {
        self.draft = line;
        self.tail.clear();
        self.cursor = history::Cursor::default();
    }

    /// The line up to the caret.
    pub(super) fn head(&self) -> &str {
        self.draft.strip_suffix(self.tail.as_str()).unwrap_or(&self.draft)
    }

    /// The line up to the caret is this now; what stands after it stays.
    ///
    /// A space that ends the completed word is not needed before something.
    pub(super) fn write_head(&mut self, head: &str) {
        if self.head() == head {
            return;
        }
        let is_end = self.tail.is_empty();
        let head = if is_end { head } else { head.strip_suffix(' ').unwrap_or(head) };
        self.draft = format!("{head}{}", self.tail);
        self.caret_moves += 1;
        self.cursor = history::Cursor::default();
    }

    /// See `ConsoleView`.
    pub(super) fn caret(&self) -> [u32; 2] {
        let after = self.tail.encode_utf16().count();
        [self.caret_moves, u32::try_from(after).unwrap_or(u32::MAX)]
    }

    /// Shows a line and returns the block that its answer goes to.
    pub fn open_block(&mut self, line: &str, kind: Kind) -> &mut Block {
        let mut size: usize = self.blocks.iter().map(Block::size).sum();
        while self.blocks.len() >= BLOCKS_MAX || size > TEXT_MAX {
            let Some(oldest) = self.blocks.pop_front() else { break };
            size = size.saturating_sub(oldest.size());
        }
        self.next_block += 1;
        // What is too long to run is too long to show.
        let shown = if line.len() > LINE_MAX {
            escape::clipped(line.as_bytes(), REFUSED_SHOWN)
        } else {
            escape::block(line.as_bytes())
        };
        self.blocks.push_back(Block::new(self.next_block, shown, kind));
        let at = self.blocks.len() - 1;
        let block = self.blocks.get_mut(at);
        block.unwrap_or_else(|| unreachable!("a block was pushed just now"))
    }

    /// Starts an etcdctl line; it is shown as typed and runs as expanded.
    pub fn start(&mut self, typed: &str, expanded: &str, wires: &mut Wires<'_>) {
        assert!(self.run.is_none(), "one command at a time");
        typed.clone_into(&mut self.running_line);
        self.is_end_ahead = false;
        self.open_block(typed, Kind::Command);
        let execution = self.shell.start(expanded, None, wires.now);
        let command = Command {
            execution,
            calls: SmallMap::new(),
            timers: SmallMap::new(),
            files: SmallMap::new(),
            received: Received::default(),
        };
        self.began = wires.now;
        self.run = Some(Run::Command(Box::new(command)));
        self.drain(wires);
    }

    /// Starts a `wait`; its block is open already.
    pub fn start_wait(&mut self, condition: Condition, limit_ms: u64, wires: &mut Wires<'_>) {
        let timer = wires.numbers.next();
        wires.effects.push(Effect::SetTimer { timer, after_ms: limit_ms });
        self.began = wires.now;
        self.run = Some(Run::Wait { condition, timer });
    }

    /// What a `wait` waited for has come.
    pub fn end_wait(&mut self, sentence: &str, status: i32) {
        if matches!(self.run, Some(Run::Wait { .. })) {
            self.run = None;
            self.print(if status == 0 { Stream::Out } else { Stream::Err }, sentence);
            self.end_block(Some(status));
        }
    }

    /// A change of the membership begins; its block is open already.
    pub fn start_change(&mut self, line: &str, now: Millis) {
        self.running_line = escape::line(line.as_bytes());
        self.began = now;
        self.run = Some(Run::Change);
    }

    /// What came of it: a sentence, or why not.
    pub fn end_change(&mut self, said: &Result<String, String>) {
        if matches!(self.run, Some(Run::Change)) {
            self.run = None;
            match said {
                Ok(sentence) => self.print(Stream::Out, sentence),
                Err(refusal) => self.print(Stream::Err, &format!("Error: {refusal}")),
            }
            self.end_block(Some(i32::from(said.is_err())));
        }
    }

    /// Prints a sentence of the page itself, with a line break, into the newest block.
    pub fn print(&mut self, stream: Stream, sentence: &str) {
        if let Some(block) = self.blocks.back_mut() {
            block.write(stream, sentence.as_bytes());
            block.write(stream, b"\n");
        }
    }

    /// The newest block's command ended.
    pub fn end_block(&mut self, status: Option<i32>) {
        if let Some(status) = status {
            self.shell.finish(status);
        }
        if let Some(block) = self.blocks.back_mut() {
            block.end(status);
        }
    }

    /// Takes an answer; false if it is not for this tab.
    pub fn reply(
        &mut self,
        call: u64,
        result: &Result<api::Response, api::Error>,
        wires: &mut Wires<'_>,
    ) -> bool {
        let Some(entry) = self.end_call(call, CallEnd::Answered, wires) else { return false };
        let result = result.clone().map_err(CallError::Status);
        self.input(Input::Reply { call: entry.id, result }, wires);
        true
    }

    /// Takes a watch message; false if it is not for this tab.
    pub fn watch(
        &mut self,
        call: u64,
        response: &api::WatchResponse,
        wires: &mut Wires<'_>,
    ) -> bool {
        let Some(Run::Command(command)) = &self.run else { return false };
        let Some(entry) = command.calls.get(&call) else { return false };
        let input = Input::Watch { call: entry.id, response: response.clone() };
        self.input(input, wires);
        true
    }

    /// Takes a piece of an answer; false if it is not for this tab.
    pub fn reply_part(&mut self, call: u64, part: &api::Response, wires: &mut Wires<'_>) -> bool {
        let Some(Run::Command(command)) = &mut self.run else { return false };
        let Some(entry) = command.calls.get(&call) else { return false };
        command.received.add(part);
        let input = Input::ReplyPart { call: entry.id, part: part.clone() };
        self.input(input, wires);
        true
    }

    /// True if the command waits for what comes of this order about a file.
    #[must_use]
    pub fn awaits_file(&self, call: u64) -> bool {
        matches!(&self.run, Some(Run::Command(command)) if command.files.contains_key(&call))
    }

    /// Takes what came of a file order; false if it is not for this tab.
    pub fn file(
        &mut self,
        call: u64,
        result: &Result<FileAnswer, FileError>,
        wires: &mut Wires<'_>,
    ) -> bool {
        let Some(Run::Command(command)) = &mut self.run else { return false };
        let Some((id, _)) = command.files.remove(&call) else { return false };
        self.input(Input::File { call: id, result: result.clone() }, wires);
        true
    }

    /// A stream ended; false if it is not for this tab.
    pub fn stream_ended(&mut self, call: u64, error: api::Error, wires: &mut Wires<'_>) -> bool {
        let Some(entry) = self.end_call(call, CallEnd::Answered, wires) else { return false };
        let error = CallError::Status(error);
        self.input(Input::StreamEnded { call: entry.id, error }, wires);
        true
    }

    /// A member went away; false if the call is not for this tab.
    pub fn call_failed(&mut self, call: u64, was_sent: bool, wires: &mut Wires<'_>) -> bool {
        let Some(entry) = self.end_call(call, CallEnd::Lost, wires) else { return false };
        let reason = failure_reason(entry.member, was_sent, wires);
        let error = unreachable(entry.endpoint, reason, was_sent);
        self.input(entry.kind.failed(entry.id, error), wires);
        true
    }

    /// A timer ran out; false if it is not for this tab.
    pub fn timer(&mut self, timer: u64, wires: &mut Wires<'_>) -> bool {
        match &mut self.run {
            Some(Run::Command(command)) => {
                let Some(id) = command.timers.remove(&timer) else { return false };
                self.input(Input::Timer { timer: id }, wires);
                true
            }
            Some(Run::Wait { condition, timer: own }) if *own == timer => {
                let is_over = *condition == Condition::Time;
                let sentence = if is_over {
                    wires.strings.wait_over.to_owned()
                } else {
                    wires.strings.wait_failed.of(&condition.to_string())
                };
                self.end_wait(&sentence, i32::from(!is_over));
                true
            }
            Some(Run::Wait { .. } | Run::Change) | None => false,
        }
    }

    /// Ctrl-C: ends what runs, or clears the line.
    pub fn interrupt(&mut self, wires: &mut Wires<'_>) {
        self.queue.clear();
        self.paste = None;
        self.menu = None;
        let draft = std::mem::take(&mut self.draft);
        self.tail.clear();
        match &self.run {
            None if draft.is_empty() => {}
            None => {
                self.open_block(&format!("{draft}^C"), Kind::Command);
                self.end_block(None);
                self.shell.finish(EXIT_INTERRUPTED);
            }
            Some(run) => {
                let is_command = matches!(run, Run::Command(_));
                self.print(Stream::In, "^C");
                if is_command {
                    self.input(Input::Interrupt, wires);
                } else {
                    self.run = None;
                    self.end_block(Some(EXIT_INTERRUPTED));
                }
            }
        }
    }

    /// True if what is typed next is a secret of the running command's.
    #[must_use]
    pub fn reads_secret(&self) -> bool {
        let Some(Run::Command(run)) = &self.run else { return false };
        // Nobody knows yet what the command will ask for.
        run.execution.reads_secret()
            || (run.execution.awaits_program() && etcdctl::holds_secret(&self.running_line))
    }

    /// True while the running line waits for the program that runs it.
    #[must_use]
    pub fn awaits_program(&self) -> bool {
        matches!(&self.run, Some(Run::Command(run)) if run.execution.awaits_program())
    }

    /// The program of rare commands is there, or why not.
    pub fn provide(&mut self, program: &Result<Program, String>, wires: &mut Wires<'_>) {
        if let Some(Run::Command(command)) = &mut self.run {
            let program = program.as_ref().map_err(|why| wires.strings.no_program.of(why));
            match &program {
                Ok(program) => command.execution.provide(Ok(program), wires.now),
                Err(why) => command.execution.provide(Err(why), wires.now),
            }
            self.drain(wires);
        }
    }

    /// True if a command runs that waits for standard input.
    #[must_use]
    pub fn reads_stdin(&self) -> bool {
        matches!(&self.run, Some(Run::Command(command)) if command.execution.reads_stdin())
    }

    /// A line for the command's standard input; false if nothing takes it.
    pub fn stdin(&mut self, line: &str, wires: &mut Wires<'_>) -> bool {
        if !matches!(self.run, Some(Run::Command(_))) {
            return false;
        }
        let text = format!("{line}\n");
        let is_secret = self.reads_secret();
        if let Some(block) = self.blocks.back_mut().filter(|_| !is_secret) {
            block.write(Stream::In, text.as_bytes());
        }
        self.input(Input::Stdin(Bytes::from(text)), wires);
        true
    }

    /// Ctrl-D.
    pub fn stdin_end(&mut self, wires: &mut Wires<'_>) {
        self.is_end_ahead = self.awaits_program();
        self.input(Input::StdinEnd, wires);
    }

    /// Forgets all output; a running command goes on in its block.
    pub fn clear(&mut self) {
        let keep = usize::from(self.is_running());
        while self.blocks.len() > keep {
            self.blocks.pop_front();
        }
    }

    /// A block's line and all that is kept of its output.
    #[must_use]
    pub fn block_text(&self, block: u64) -> Option<(&str, String)> {
        let found = self.blocks.iter().find(|found| found.id() == block);
        found.map(|block| (block.line(), block.text()))
    }

    /// What there is to see.
    pub fn views(&mut self) -> Vec<Arc<BlockView>> {
        self.blocks.iter_mut().map(Block::view).collect()
    }

    /// Ends what runs without a word, as a closed tab does.
    pub fn forget(&mut self, wires: &mut Wires<'_>) {
        if let Some(Run::Command(command)) = &mut self.run {
            for (call, entry) in std::mem::take(&mut command.calls) {
                if let Some(block) = self.blocks.back_mut() {
                    block.asked.end(call, CallEnd::Canceled, wires.now);
                }
                wires.effects.push(Effect::Cancel { call, member: entry.member });
            }
            for (call, _) in std::mem::take(&mut command.files) {
                wires.effects.push(Effect::CancelFile { call });
            }
        }
    }

    fn end_call(&mut self, call: u64, end: CallEnd, wires: &Wires<'_>) -> Option<Call> {
        let Some(Run::Command(command)) = &mut self.run else { return None };
        let ended = command.calls.remove(&call)?;
        if let Some(block) = self.blocks.back_mut() {
            block.asked.end(call, end, wires.now);
        }
        Some(ended)
    }

    /// The newest command of this console, or the one of this number.
    #[must_use]
    pub fn asked(&self, block: Option<u64>) -> Option<&Block> {
        self.blocks.iter().rev().find(|it| match block {
            Some(id) => it.id() == id,
            None => it.is_command(),
        })
    }

    fn input(&mut self, input: Input, wires: &mut Wires<'_>) {
        if let Some(Run::Command(command)) = &mut self.run {
            command.execution.handle(input, wires.now);
            self.drain(wires);
        }
    }

    /// One input, then all its outputs.
    fn drain(&mut self, wires: &mut Wires<'_>) {
        if let Some(Run::Command(command)) = &mut self.run
            && command.execution.awaits_program()
            && let Some(program) = wires.away.program(wires.effects)
        {
            command.execution.provide(Ok(&program), wires.now);
        }
        for _ in 0..OUTPUTS_MAX {
            let Some(Run::Command(command)) = &mut self.run else { return };
            let Some(output) = command.execution.poll_output() else {
                let Some(why) = command.execution.program_failure() else { return };
                let sentence = wires.strings.program_failed.of(why);
                command.execution.fail_away(&sentence);
                continue;
            };
            self.output(output, wires);
        }
    }

    fn output(&mut self, output: Output, wires: &mut Wires<'_>) {
        match output {
            Output::Call { call, endpoint, token, request } => {
                if let Some((call, member)) = self.route((call, CallKind::Request), endpoint, wires)
                {
                    let client = self.id;
                    wires.effects.push(Effect::Request { call, member, client, token, request });
                }
            }
            Output::OpenWatch { call, endpoint, token, request } => {
                if let Some((call, member)) = self.route((call, CallKind::Watch), endpoint, wires) {
                    let watcher = self.watcher();
                    wires.effects.push(Effect::Watch { call, member, token, request, watcher });
                }
            }
            Output::File { call, order } => {
                let number = wires.numbers.next();
                if let Some(Run::Command(command)) = &mut self.run {
                    let is_restore = matches!(order, FileOrder::Restore(_));
                    command.files.insert(number, (call, is_restore));
                }
                wires.effects.push(Effect::File { call: number, order });
            }
            Output::SendWatch { call, request } => {
                if let Some((number, member)) = self.find_call(call) {
                    wires.effects.push(Effect::Watch {
                        call: number,
                        member,
                        token: None,
                        request,
                        watcher: Watcher::default(),
                    });
                }
            }
            Output::CancelCall { call } => {
                if let Some((number, member)) = self.find_call(call) {
                    self.end_call(number, CallEnd::Canceled, wires);
                    wires.effects.push(Effect::Cancel { call: number, member });
                }
            }
            Output::SetTimer { timer, after_ms } => {
                let number = wires.numbers.next();
                if let Some(Run::Command(command)) = &mut self.run {
                    command.timers.insert(number, timer);
                }
                wires.effects.push(Effect::SetTimer { timer: number, after_ms });
            }
            Output::Stdout(bytes) => self.write(Stream::Out, &bytes),
            Output::Stderr(bytes) => self.write(Stream::Err, &bytes),
            Output::Exit { status } => {
                self.forget(wires);
                self.run = None;
                self.end_block(Some(status));
            }
        }
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if let Some(block) = self.blocks.back_mut() {
            block.write(stream, bytes);
        }
    }

    /// Who has a watch that this tab opens.
    fn watcher(&self) -> Watcher {
        Watcher {
            tab: self.id,
            run: self.next_block,
            line: escape::clipped(self.running_line.as_bytes(), LINE_SHOWN),
        }
    }

    fn find_call(&self, id: CallId) -> Option<(u64, MemberId)> {
        let Some(Run::Command(command)) = &self.run else { return None };
        command
            .calls
            .iter()
            .find(|(_, entry)| entry.id == id)
            .map(|(number, entry)| (*number, entry.member))
    }

    /// The member behind an endpoint; tells the command at once if there is none to reach.
    fn route(
        &mut self,
        (call, kind): (CallId, CallKind),
        endpoint: String,
        wires: &mut Wires<'_>,
    ) -> Option<(u64, MemberId)> {
        let found = wires.cluster.by_endpoint(&endpoint);
        let found = found.or_else(|| names_second(&endpoint).then_some(SECOND));
        if found == Some(SECOND) && !std::mem::replace(&mut self.knows_second, true) {
            let notice = format!("{NOTICE_PREFIX}{}", wires.strings.second_notice);
            self.print(Stream::Err, &notice);
        }
        let Some(Run::Command(command)) = &mut self.run else { return None };
        let refusal = match found
            .filter(|member| *member != SECOND)
            .and_then(|member| wires.cluster.node(member))
        {
            None if found == Some(SECOND) => None,
            None => Some(wires.strings.nobody_serves.of(&endpoint)),
            Some(node) => match &node.life {
                Life::Up => None,
                Life::Starting => Some(wires.strings.is_starting.of(&node.shown_name())),
                Life::Stopping | Life::Down(_) => {
                    Some(failure_reason(node.member.id, false, wires))
                }
            },
        };
        if let Some(reason) = refusal {
            let error = unreachable(endpoint, reason, false);
            if let Some(block) = self.blocks.back_mut() {
                block.asked.begin(0, found, wires.now);
            }
            command.execution.handle(kind.failed(call, error), wires.now);
            return None;
        }
        let member = found?;
        let number = wires.numbers.next();
        command.calls.insert(number, Call { id: call, member, endpoint, kind });
        if let Some(block) = self.blocks.back_mut() {
            block.asked.begin(number, found, wires.now);
        }
        Some((number, member))
    }
}

fn unreachable(endpoint: String, reason: String, was_sent: bool) -> CallError {
    if was_sent {
        CallError::Lost { endpoint, reason }
    } else {
        CallError::Unreachable { endpoint, reason }
    }
}

/// Why a member does not answer, in words.
fn failure_reason(member: MemberId, was_sent: bool, wires: &Wires<'_>) -> String {
    let name = wires.cluster.name(member);
    let s = wires.strings;
    if was_sent { s.went_away.of(&name) } else { s.is_down.of(&name) }
}
