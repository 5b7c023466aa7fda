//! The interaction scripts: a small cluster moved step by step, its transcript compared.
//!
//! What it is: the commands; every line that describes the engine comes from `raft::describe`.
//! Invariants: nodes have the ids 1, 2, 3, … in order of creation; messages keep their order.

use std::collections::VecDeque;

use bytes::Bytes;
use etcd_playground::raft::conf_change::parse_changes;
use etcd_playground::raft::describe::{describe_log, describe_message, describe_ready};
use etcd_playground::raft::{
    AsConfChange, ConfChange, ConfChangeTransition, ConfChangeV2, ConfState, Config, Entry,
    EntryType, Error, HardState, MemoryStorage, Message, MessageType, RawNode, ReadOnlyOption,
    Snapshot, Storage, StorageError, is_local_target,
};
use etcd_playground::random::Pcg32;
use etcd_playground::types::{Index, MemberId, Term};

use crate::reader::Block;

const ELECTION_TICK: u32 = 3;
const HEARTBEAT_TICK: u32 = 1;
const V1_ONE: &str = "v1 conf change can only have one operation and no transition";

/// A stable log whose snapshot is the state after the last applied entry.
#[derive(Debug)]
struct ScriptStorage {
    memory: MemoryStorage,
    applied: Snapshot,
}

impl Storage for ScriptStorage {
    fn initial_state(&self) -> Result<(HardState, ConfState), StorageError> {
        self.memory.initial_state()
    }
    fn entries(&self, low: Index, high: Index, size_max: u64) -> Result<Vec<Entry>, StorageError> {
        self.memory.entries(low, high, size_max)
    }
    fn term(&self, index: Index) -> Result<Term, StorageError> {
        self.memory.term(index)
    }
    fn last_index(&self) -> Index {
        self.memory.last_index()
    }
    fn first_index(&self) -> Index {
        self.memory.first_index()
    }
    fn snapshot(&self) -> Result<Snapshot, StorageError> {
        Ok(self.applied.clone())
    }
}

struct Node {
    raw: RawNode<ScriptStorage>,
    is_async: bool,
    append_work: VecDeque<Message>,
    apply_work: VecDeque<Message>,
}

impl Node {
    fn append(
        &mut self,
        hard_state: Option<HardState>,
        entries: &[Entry],
        snapshot: Option<&Snapshot>,
    ) -> Result<(), String> {
        let storage = self.raw.storage_mut();
        if let Some(hard_state) = hard_state {
            storage.memory.set_hard_state(hard_state);
        }
        if let Some(snapshot) = snapshot {
            if !entries.is_empty() {
                return Err("can't apply snapshot and entries at the same time".to_owned());
            }
            storage.applied = snapshot.clone();
            return storage
                .memory
                .apply_snapshot(snapshot.clone())
                .map_err(|error| error.to_string());
        }
        storage.memory.append(entries).map_err(|error| error.to_string())
    }

    /// The state machine: everything applied, one after the other.
    fn apply(&mut self, entries: &[Entry]) -> Result<(), String> {
        for entry in entries {
            let change = ConfChangeV2::from_entry(entry).map_err(|error| error.to_string())?;
            let conf_state = change.as_ref().map(|change| self.raw.apply_conf_change(change));
            let update = match entry.entry_type {
                EntryType::Normal => entry.data.clone(),
                EntryType::ConfChange | EntryType::ConfChangeV2 => {
                    change.map(|change| change.context).unwrap_or_default()
                }
            };
            let applied = &mut self.raw.storage_mut().applied;
            let mut data = applied.data.to_vec();
            data.extend_from_slice(&update);
            applied.data = Bytes::from(data);
            applied.metadata.index = entry.index;
            applied.metadata.term = entry.term;
            if let Some(conf_state) = conf_state {
                applied.metadata.conf_state = conf_state;
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Cluster {
    nodes: Vec<Node>,
    messages: Vec<Message>,
    is_quiet: bool,
}

/// What a command printed; an error is printed as well.
type Answer = Result<String, String>;

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn parse<T: std::str::FromStr>(word: Option<&str>, what: &str) -> Result<T, String> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| format!("missing or bad {what}"))
}

fn member_ids(values: Option<&[String]>) -> Result<Vec<MemberId>, String> {
    values.unwrap_or_default().iter().map(|value| parse(Some(value), "id").map(MemberId)).collect()
}

/// True for the level that hides everything but errors.
fn is_quiet(level: &str) -> Result<bool, String> {
    const LEVELS: [&str; 6] = ["debug", "info", "warn", "error", "fatal", "none"];
    let level = level.to_lowercase();
    if !LEVELS.contains(&level.as_str()) {
        return Err("log levels must be either of [DEBUG INFO WARN ERROR FATAL NONE]".to_owned());
    }
    Ok(level == "none")
}

fn is_never_dropped(message: &Message) -> bool {
    message.from == message.to || is_local_target(message.from) || is_local_target(message.to)
}

pub(crate) fn start() -> Box<dyn FnMut(&Block) -> String> {
    let mut cluster = Cluster::default();
    Box::new(move |block| cluster.run(block))
}

/// Drops the lines that come from a logger; what remains empty means `ok`.
pub(crate) fn without_log_lines(text: &str) -> String {
    let is_log = |line: &str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        matches!(first, "INFO" | "DEBUG" | "WARN" | "ERROR")
    };
    let kept: String =
        text.lines().filter(|line| !is_log(line)).map(|line| format!("{line}\n")).collect();
    if kept.trim().is_empty() { "ok\n".to_owned() } else { kept }
}

impl Cluster {
    fn run(&mut self, block: &Block) -> String {
        let quiet_before = self.is_quiet;
        if let Some(Ok(quiet)) = block.value("log-level").map(is_quiet) {
            self.is_quiet = quiet;
        }
        let answer = self.command(block);
        let is_quiet = self.is_quiet;
        if block.value("log-level").is_some() {
            self.is_quiet = quiet_before;
        }
        match answer {
            Ok(text) if is_quiet || text.is_empty() => "ok".to_owned(),
            Ok(text) | Err(text) => text,
        }
    }

    fn command(&mut self, block: &Block) -> Answer {
        match block.command.as_str() {
            // A place to stop a debugger at.
            "_breakpoint" => Ok(String::new()),
            "log-level" => {
                self.is_quiet = is_quiet(block.words().next().unwrap_or_default())?;
                Ok("ok".to_owned())
            }
            "add-nodes" => self.add_nodes(block),
            "campaign" => self.on_first(block, RawNode::campaign),
            "forget-leader" => self.on_first(block, RawNode::forget_leader),
            "propose" => {
                let data = block.words().nth(1).unwrap_or_default().to_owned();
                self.on_first(block, |raw| raw.propose(Bytes::from(data)))
            }
            "propose-conf-change" => self.propose_conf_change(block),
            "tick-election" => self.tick(block, ELECTION_TICK),
            "tick-heartbeat" => self.tick(block, HEARTBEAT_TICK),
            "set-randomized-election-timeout" => {
                let ticks = parse(block.value("timeout"), "timeout")?;
                self.on_first(block, |raw| {
                    raw.set_randomized_election_timeout(ticks);
                    Ok(())
                })
            }
            "process-ready" => self.each(block, "handling Ready", Self::process_ready),
            "process-append-thread" => {
                self.each(block, "processing append thread", Self::process_append)
            }
            "process-apply-thread" => {
                self.each(block, "processing apply thread", Self::process_apply)
            }
            "deliver-msgs" => self.deliver_command(block),
            "stabilize" => self.stabilize(block),
            "compact" => self.compact(block),
            "send-snapshot" => self.send_snapshot(block),
            "report-unreachable" => {
                let other = MemberId(parse(block.words().nth(1), "id")?);
                self.on_first(block, |raw| {
                    raw.report_unreachable(other);
                    Ok(())
                })
            }
            "transfer-leadership" => {
                let from = self.position(block.value("from"))?;
                let to = MemberId(parse(block.value("to"), "id")?);
                self.nodes[from].raw.transfer_leader(to);
                Ok(String::new())
            }
            "raft-log" => {
                let at = self.position(block.words().next())?;
                Ok(describe_log(self.nodes[at].raw.storage()))
            }
            "raft-state" => Ok(self.raft_state()),
            "status" => {
                let at = self.position(block.words().next())?;
                let progress = self.nodes[at].raw.status().progress;
                Ok(progress.iter().map(|(id, member)| format!("{id}: {member}\n")).collect())
            }
            other => Err(format!("unknown command: {other}")),
        }
    }

    fn position(&self, word: Option<&str>) -> Result<usize, String> {
        let id: usize = parse(word, "node")?;
        if id == 0 || id > self.nodes.len() {
            return Err(format!("no node {id}"));
        }
        Ok(id - 1)
    }

    fn positions(&self, block: &Block) -> Result<Vec<usize>, String> {
        block.words().map(|word| self.position(Some(word))).collect()
    }

    fn on_first(
        &mut self,
        block: &Block,
        call: impl FnOnce(&mut RawNode<ScriptStorage>) -> Result<(), Error>,
    ) -> Answer {
        let at = self.position(block.words().next())?;
        call(&mut self.nodes[at].raw).map_err(|error| error.to_string())?;
        Ok(String::new())
    }

    fn tick(&mut self, block: &Block, ticks: u32) -> Answer {
        self.on_first(block, |raw| {
            for _ in 0..ticks {
                raw.tick();
            }
            Ok(())
        })
    }

    /// One node: its output as it is; several: a head each, and the output indented.
    fn each(
        &mut self,
        block: &Block,
        head: &str,
        work: impl Fn(&mut Self, usize) -> Answer,
    ) -> Answer {
        let positions = self.positions(block)?;
        if let [only] = positions.as_slice() {
            return work(self, *only);
        }
        let mut shown = String::new();
        for at in positions {
            shown.push_str(&format!("> {} {head}\n", at + 1));
            shown.push_str(&indent(&work(self, at)?));
        }
        Ok(shown)
    }

    fn add_nodes(&mut self, block: &Block) -> Answer {
        let count: usize = parse(block.words().next(), "number of nodes")?;
        let mut snapshot = Snapshot::default();
        snapshot.metadata.conf_state.voters = member_ids(block.values("voters"))?;
        snapshot.metadata.conf_state.learners = member_ids(block.values("learners"))?;
        snapshot.data = Bytes::from(block.value("content").unwrap_or_default().to_owned());
        if let Some(index) = block.value("index") {
            snapshot.metadata.index = Index(parse(Some(index), "index")?);
            snapshot.metadata.term = Term(1);
        }
        let is_bootstrapped = snapshot != Snapshot::default();
        if is_bootstrapped && snapshot.metadata.index <= Index(1) {
            return Err("index must be specified as > 1 due to bootstrap".to_owned());
        }
        for _ in 0..count {
            let id = MemberId(self.nodes.len() as u64 + 1);
            let mut memory = MemoryStorage::new();
            if is_bootstrapped {
                memory.apply_snapshot(snapshot.clone()).map_err(|error| error.to_string())?;
            }
            let storage = ScriptStorage { memory, applied: snapshot.clone() };
            let config = node_config(block, id, snapshot.metadata.index)?;
            let is_async = config.async_storage_writes;
            let raw = RawNode::new(config, storage, Pcg32::for_stream(1, &[id.0]))
                .map_err(|error| error.to_string())?;
            self.nodes.push(Node {
                raw,
                is_async,
                append_work: VecDeque::new(),
                apply_work: VecDeque::new(),
            });
        }
        Ok(String::new())
    }

    fn propose_conf_change(&mut self, block: &Block) -> Answer {
        let changes = parse_changes(&block.input).map_err(|error| error.to_string())?;
        let transition = match block.value("transition") {
            None | Some("auto") => ConfChangeTransition::Auto,
            Some("implicit") => ConfChangeTransition::JointImplicit,
            Some("explicit") => ConfChangeTransition::JointExplicit,
            Some(other) => return Err(format!("unknown transition {other}")),
        };
        if block.value("v1") != Some("true") {
            let change = ConfChangeV2 { transition, changes, context: Bytes::new() };
            return self.propose_change(block, &change);
        }
        let [single] = changes.as_slice() else { return Err(V1_ONE.to_owned()) };
        if transition != ConfChangeTransition::Auto {
            return Err(V1_ONE.to_owned());
        }
        let change = ConfChange {
            change_type: single.change_type,
            node_id: single.node_id,
            ..ConfChange::default()
        };
        self.propose_change(block, &change)
    }

    fn propose_change(&mut self, block: &Block, change: &impl AsConfChange) -> Answer {
        self.on_first(block, |raw| raw.propose_conf_change(change))
    }

    fn process_ready(&mut self, at: usize) -> Answer {
        let node = &mut self.nodes[at];
        let ready = node.raw.ready();
        let shown = describe_ready(&ready);
        if !node.is_async {
            node.append(ready.hard_state, &ready.entries, ready.snapshot.as_ref())?;
            node.apply(&ready.committed_entries)?;
        }
        for message in ready.messages.clone() {
            match message.msg_type {
                MessageType::MsgStorageAppend => node.append_work.push_back(message),
                MessageType::MsgStorageApply => node.apply_work.push_back(message),
                _ => self.messages.push(message),
            }
        }
        if !node.is_async {
            node.raw.advance(ready);
        }
        Ok(shown)
    }

    fn process_append(&mut self, at: usize) -> Answer {
        let node = &mut self.nodes[at];
        let Some(mut message) = node.append_work.pop_front() else {
            return Ok("no append work to perform".to_owned());
        };
        let responses = std::mem::take(&mut message.responses);
        let hard_state =
            HardState { term: message.term, vote: message.vote, commit: message.commit };
        let hard_state = (!hard_state.is_empty()).then_some(hard_state);
        node.append(hard_state, &message.entries, message.snapshot.as_deref())?;
        Ok(self.deliver_responses(&message, responses))
    }

    fn process_apply(&mut self, at: usize) -> Answer {
        let node = &mut self.nodes[at];
        let Some(mut message) = node.apply_work.pop_front() else {
            return Ok("no apply work to perform".to_owned());
        };
        let responses = std::mem::take(&mut message.responses);
        node.apply(&message.entries)?;
        Ok(self.deliver_responses(&message, responses))
    }

    fn deliver_responses(&mut self, message: &Message, responses: Vec<Message>) -> String {
        let mut shown = format!("Processing:\n{}\nResponses:\n", describe_message(message));
        for response in &responses {
            shown.push_str(&format!("{}\n", describe_message(response)));
        }
        self.messages.extend(responses);
        shown
    }

    fn deliver_command(&mut self, block: &Block) -> Answer {
        let kind = block.value("type");
        let mut recipients: Vec<(MemberId, bool)> = vec![];
        for argument in &block.arguments {
            if argument.values.is_empty() {
                recipients.push((MemberId(parse(Some(&argument.key), "id")?), false));
            } else if argument.key == "drop" {
                for id in member_ids(Some(&argument.values))? {
                    if recipients.iter().any(|(other, _)| *other == id) {
                        return Err(format!("can't both deliver and drop msgs to {id}"));
                    }
                    recipients.push((id, true));
                }
            }
        }
        let mut shown = String::new();
        for (id, is_dropped) in recipients {
            shown.push_str(&self.deliver(id, is_dropped, kind));
        }
        Ok(if shown.is_empty() { "no messages\n".to_owned() } else { shown })
    }

    fn deliver(&mut self, to: MemberId, is_dropped: bool, kind: Option<&str>) -> String {
        let is_meant = |message: &Message| {
            message.to == to
                && !(is_dropped && is_never_dropped(message))
                && kind.is_none_or(|kind| message.msg_type.to_string() == kind)
        };
        let (due, rest): (Vec<Message>, Vec<Message>) =
            std::mem::take(&mut self.messages).into_iter().partition(is_meant);
        self.messages = rest;
        let mut shown = String::new();
        for message in due {
            let head = if is_dropped { "dropped: " } else { "" };
            shown.push_str(&format!("{head}{}\n", describe_message(&message)));
            if is_dropped {
                continue;
            }
            let Ok(at) = self.position(Some(&to.to_string())) else {
                shown.push_str(&format!("no node {to}\n"));
                continue;
            };
            if let Err(error) = self.nodes[at].raw.step(message) {
                shown.push_str(&format!("{error}\n"));
            }
        }
        shown
    }

    fn stabilize(&mut self, block: &Block) -> Answer {
        let mut positions = self.positions(block)?;
        if positions.is_empty() {
            positions = (0..self.nodes.len()).collect();
        }
        let mut shown = String::new();
        loop {
            let round = self.stabilize_round(&positions)?;
            if round.is_empty() {
                return Ok(shown);
            }
            shown.push_str(&round);
        }
    }

    fn stabilize_round(&mut self, positions: &[usize]) -> Answer {
        let mut shown = String::new();
        for at in positions {
            if self.nodes[*at].raw.has_ready() {
                shown.push_str(&format!("> {} handling Ready\n", at + 1));
                shown.push_str(&indent(&self.process_ready(*at)?));
            }
        }
        for at in positions {
            let id = MemberId(*at as u64 + 1);
            let received = self.deliver(id, false, None);
            if !received.is_empty() {
                shown.push_str(&format!("> {id} receiving messages\n{}", indent(&received)));
            }
        }
        for at in positions {
            if !self.nodes[*at].append_work.is_empty() {
                shown.push_str(&format!("> {} processing append thread\n", at + 1));
            }
            while !self.nodes[*at].append_work.is_empty() {
                shown.push_str(&indent(&self.process_append(*at)?));
            }
        }
        for at in positions {
            if !self.nodes[*at].apply_work.is_empty() {
                shown.push_str(&format!("> {} processing apply thread\n", at + 1));
            }
            while !self.nodes[*at].apply_work.is_empty() {
                shown.push_str(&indent(&self.process_apply(*at)?));
            }
        }
        Ok(shown)
    }

    fn compact(&mut self, block: &Block) -> Answer {
        let at = self.position(block.words().next())?;
        let index = Index(parse(block.words().nth(1), "index")?);
        let storage = self.nodes[at].raw.storage_mut();
        storage.memory.compact(index).map_err(|error| error.to_string())?;
        Ok(describe_log(storage))
    }

    fn send_snapshot(&mut self, block: &Block) -> Answer {
        let positions = self.positions(block)?;
        let [from, to] = positions.as_slice() else {
            return Err("send-snapshot needs two nodes".to_owned());
        };
        let raw = &self.nodes[*from].raw;
        let snapshot = raw.storage().snapshot().map_err(|error| error.to_string())?;
        let message = Message {
            msg_type: MessageType::MsgSnap,
            term: raw.term(),
            from: raw.id(),
            to: MemberId(*to as u64 + 1),
            snapshot: Some(Box::new(snapshot)),
            ..Message::default()
        };
        let shown = describe_message(&message);
        self.messages.push(message);
        Ok(shown)
    }

    fn raft_state(&self) -> String {
        let mut shown = String::new();
        for node in &self.nodes {
            let status = node.raw.status();
            let id = status.basic.id;
            let part = if status.config.voters.contains(id) { "(Voter)" } else { "(Non-Voter)" };
            let soft = status.basic.soft_state;
            shown.push_str(&format!(
                "{id}: {} {part} Term:{} Lead:{}\n",
                soft.role,
                status.basic.hard_state.term,
                soft.lead.unwrap_or_default()
            ));
        }
        shown
    }
}

fn node_config(block: &Block, id: MemberId, applied: Index) -> Result<Config, String> {
    let is_set = |key: &str| block.value(key) == Some("true");
    let mut config = Config::new(id);
    config.election_tick = ELECTION_TICK;
    config.heartbeat_tick = HEARTBEAT_TICK;
    config.applied = applied;
    config.max_inflight_msgs = match block.value("inflight") {
        Some(limit) => parse(Some(limit), "inflight")?,
        None => u32::MAX,
    };
    config.pre_vote = is_set("prevote");
    config.check_quorum = is_set("checkquorum");
    config.async_storage_writes = is_set("async-storage-writes");
    config.step_down_on_removal = is_set("step-down-on-removal");
    config.disable_conf_change_validation = is_set("disable-conf-change-validation");
    if let Some(limit) = block.value("max-committed-size-per-ready") {
        config.max_committed_size_per_ready = parse(Some(limit), "limit")?;
    }
    config.read_only_option = match block.value("read-only") {
        None | Some("safe") => ReadOnlyOption::Safe,
        Some("lease-based") => ReadOnlyOption::LeaseBased,
        Some(other) => return Err(format!("unknown read-only {other}")),
    };
    Ok(config)
}
