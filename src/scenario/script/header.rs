//! The header of a script: grammar version, titles, language, cluster settings, flags, expected hashes.
//!
//! What it is: the lines `script:`, `title:`, `title[zh]:`, `language:`, `cluster:`, `flags:` and `expect:`.
//! Invariants: each stands at most once; every number has a range, and what is out of it is an error.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::step::tagged;
use super::{Fault, Flags, Grammar, Language, Script};
use crate::scenario::units::{parse_duration, parse_number, parse_size, show_duration, show_size};
use crate::scenario::verb::MEMBERS_MAX;
use crate::scenario::wrong::{Rule, Thing, Wanted, Wrong};

/// The header's names.
const NAMES: [&str; 4] = ["script", "title", "cluster", "expect"];
/// Those that only version 2 has; titles may have a language, too.
const NAMES_TWO: [&str; 2] = ["language", "flags"];
/// Between two hashes that a script keeps of a run: so many steps, at most.
const HASHES_MAX: u32 = 50;

/// True for the name of a header line.
pub(super) fn is_name(version: Grammar, name: &str) -> bool {
    let is_two = NAMES_TWO.contains(&name) || matches!(tagged(name), Some(("title", Some(_))));
    NAMES.contains(&name) || (version > Grammar::One && is_two)
}

/// The names of header lines, as they are told.
fn known_names(version: Grammar) -> String {
    let more: &[&str] = if version > Grammar::One { &NAMES_TWO } else { &[] };
    let known = NAMES.iter().chain(more).map(|name| format!("{name}:"));
    known.collect::<Vec<String>>().join(", ")
}

/// Smallest election timeout in ticks. Source: etcd `server/embed/config.go`.
const ELECTION_TICKS_MIN: u64 = 5;
/// Longest election timeout. Unit: ms. Source: etcd `server/embed/config.go`.
const ELECTION_MS_MAX: u64 = 50_000;
/// Longest tick. Unit: ms. Source: as above, at five ticks an election.
const TICK_MS_MAX: u64 = 5_000;
/// Largest quota. Unit: bytes. Source: etcd's suggested maximum.
const QUOTA_BYTES_MAX: u64 = 8 << 30;

/// How the cluster of a script is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterSettings {
    /// Range: 1 to 7. Default: 3.
    pub members: u32,
    /// Seed of every random draw. Default: 1.
    pub seed: u64,
    /// Unit: ms per tick. Range: 1 to 5000. Default: 100.
    pub tick_ms: u64,
    /// Ticks per election timeout; written as a time. Range: 5 ticks to 50 s. Default: 10 (1000 ms).
    pub election_ticks: u32,
    /// Unit: bytes. Range: 1 to 8 GiB. Default: 16 MiB, as in the page.
    pub quota_bytes: i64,
    /// Campaigns begin with pre-votes. Default: true; written only where it is off.
    pub pre_vote: bool,
    /// A leader that hears from too few steps down. Default: true; written only where it is off.
    pub check_quorum: bool,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self {
            members: 3,
            seed: 1,
            tick_ms: 100,
            election_ticks: 10,
            quota_bytes: 16 << 20,
            pre_vote: true,
            check_quorum: true,
        }
    }
}

/// What a run gave when the script was shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// See [`crate::scenario::Report::outcome`].
    pub outcome: u64,
    /// See [`crate::scenario::Report::trace`].
    pub trace: u64,
    /// See [`crate::scenario::Report::engine_trace`].
    pub engine_trace: u32,
    /// Of how many steps one has its hash below. Range: 1 or more; version 1 has 1.
    pub every: u32,
    /// The high 16 bits of the outcome after each such step, so that the first difference has a place.
    pub steps: Vec<u16>,
}

impl Expected {
    /// Of how many steps one is enough for a run of so many.
    #[must_use]
    pub fn every(steps: u32) -> u32 {
        steps.div_ceil(HASHES_MAX).max(1)
    }
}

/// Which header lines were read.
#[derive(Debug, Default)]
pub(super) struct Seen(Vec<String>);

impl Seen {
    /// Reads one header line.
    pub(super) fn read(
        &mut self,
        script: &mut Script,
        name: &str,
        words: &[(usize, &str)],
        line: &str,
    ) -> Result<(), Fault> {
        let at = words.first().map_or(0, |(at, _)| *at);
        if !is_name(script.version, name) {
            return Err((at, Wrong::UnknownHeader(name.to_owned(), known_names(script.version))));
        }
        if self.0.iter().any(|seen| seen == name) {
            return Err((at, Wrong::Twice(format!("{name}:"))));
        }
        self.0.push(name.to_owned());
        let settings = words.get(1..).unwrap_or_default();
        let end = line.trim_end().len();
        if let Some(("title", Some(language))) = tagged(name) {
            let title = super::from_word(words, 1, line);
            if title.is_empty() {
                return Err((end, Thing::Title.into()));
            }
            script.titles.push((language, title.to_owned()));
            script.titles.sort_unstable();
            return Ok(());
        }
        match name {
            "script" => {
                script.version = read_version(settings, line)?;
                let is_plain = script.titles.is_empty()
                    && script.language == Language::default()
                    && script.flags.is_empty()
                    && script.learners == 0
                    && script.expected.as_ref().is_none_or(|expected| expected.every == 1);
                if script.version == Grammar::One && !is_plain {
                    return Err((at, Rule::NeedsTwo.into()));
                }
                Ok(())
            }
            "language" => {
                let found = match settings {
                    [(_, word)] => Language::parse(word),
                    _ => None,
                };
                let Some(found) = found else {
                    let at = settings.first().map_or(end, |(at, _)| *at);
                    return Err((at, Thing::Language.into()));
                };
                script.language = found;
                Ok(())
            }
            "flags" => {
                script.flags = Flags::read(settings, end)?;
                Ok(())
            }
            "title" => {
                script.title = super::from_word(words, 1, line).to_owned();
                Ok(())
            }
            "cluster" => {
                let learners = (script.version > Grammar::One).then_some(&mut script.learners);
                read_cluster(&mut script.cluster, learners, settings)
            }
            _ => {
                script.expected = Some(read_expected(script.version, settings, line)?);
                Ok(())
            }
        }
    }
}

fn read_version(settings: &[(usize, &str)], line: &str) -> Result<Grammar, Fault> {
    match settings {
        [(at, word)] => match parse_number(word) {
            Some(1) => Ok(Grammar::One),
            Some(2) => Ok(Grammar::Two),
            Some(other) => Err((*at, Wrong::OtherVersion(other))),
            None => Err((*at, Thing::Version.into())),
        },
        _ => Err((line.trim_end().len(), Thing::Version.into())),
    }
}

/// `name=value` with the value's offset.
fn setting<'line>(
    at: usize,
    word: &'line str,
    known: &str,
) -> Result<(&'line str, usize, &'line str), Fault> {
    match word.split_once('=') {
        Some((name, value)) => Ok((name, at + name.len() + 1, value)),
        None => Err((at, Wrong::missing(Wanted::Setting(known.to_owned())))),
    }
}

fn read_cluster(
    cluster: &mut ClusterSettings,
    mut learners: Option<&mut u32>,
    settings: &[(usize, &str)],
) -> Result<(), Fault> {
    const ONE: &str = "members, seed, tick, election, quota, pre-vote, check-quorum";
    const TWO: &str = "members, learners, seed, tick, election, quota, pre-vote, check-quorum";
    let known = if learners.is_some() { TWO } else { ONE };
    let mut members_at = settings.first().map_or(0, |(at, _)| *at);
    let mut election: Option<(usize, u64)> = None;
    let mut seen: Vec<&str> = Vec::new();
    for (at, word) in settings {
        let (name, value_at, value) = setting(*at, word, known)?;
        if seen.contains(&name) {
            return Err((*at, Wrong::Twice(name.to_owned())));
        }
        seen.push(name);
        match name {
            "members" => cluster.members = read_count(value_at, value, Wanted::Members(1))?,
            "learners" if learners.is_some() => {
                members_at = value_at;
                let found = read_count(value_at, value, Wanted::Learners(0))?;
                learners = learners.map(|learners| {
                    *learners = found;
                    learners
                });
            }
            "seed" => {
                let Some(found) = parse_number(value) else {
                    return Err((value_at, Thing::Seed.into()));
                };
                cluster.seed = found;
            }
            "tick" => {
                let range = 1..=TICK_MS_MAX;
                let Some(found) = parse_duration(value).filter(|ms| range.contains(ms)) else {
                    return Err((value_at, Thing::Tick.into()));
                };
                cluster.tick_ms = found;
            }
            "election" => {
                let Some(found) = parse_duration(value).filter(|ms| *ms <= ELECTION_MS_MAX) else {
                    return Err((value_at, Thing::Election.into()));
                };
                election = Some((value_at, found));
            }
            "quota" => cluster.quota_bytes = read_quota(value_at, value)?,
            "pre-vote" => cluster.pre_vote = switch(value_at, value)?,
            "check-quorum" => cluster.check_quorum = switch(value_at, value)?,
            _ => return Err((*at, Wrong::UnknownSetting(name.to_owned(), known.to_owned()))),
        }
    }
    let learners = learners.map_or(0, |learners| *learners);
    if cluster.members + learners > MEMBERS_MAX {
        return Err((members_at, Wrong::missing(Wanted::Together)));
    }
    set_election(cluster, election, settings)
}

fn read_count(at: usize, value: &str, what: Wanted) -> Result<u32, Fault> {
    let least = if let Wanted::Members(least) | Wanted::Learners(least) = what { least } else { 0 };
    let found = parse_number(value).and_then(|number| u32::try_from(number).ok());
    let found = found.filter(|number| (least..=MEMBERS_MAX).contains(number));
    found.ok_or_else(|| (at, Wrong::missing(what)))
}

fn read_quota(at: usize, value: &str) -> Result<i64, Fault> {
    let found = parse_size(value).filter(|bytes| (1..=QUOTA_BYTES_MAX).contains(bytes));
    let found = found.and_then(|bytes| i64::try_from(bytes).ok());
    found.ok_or_else(|| (at, Thing::Quota.into()))
}

fn switch(at: usize, value: &str) -> Result<bool, Fault> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err((at, Thing::OnOff.into())),
    }
}

/// The election timeout is whole ticks: checked when both are known.
fn set_election(
    cluster: &mut ClusterSettings,
    election: Option<(usize, u64)>,
    settings: &[(usize, &str)],
) -> Result<(), Fault> {
    let first = settings.first().map_or(0, |(at, _)| *at);
    let (at, election_ms) = election.unwrap_or((first, cluster.tick_ms * 10));
    let ticks = election_ms / cluster.tick_ms;
    let is_whole = election_ms.is_multiple_of(cluster.tick_ms);
    match u32::try_from(ticks) {
        Ok(found) if is_whole && ticks >= ELECTION_TICKS_MIN => {
            cluster.election_ticks = found;
            Ok(())
        }
        _ => Err((at, Thing::ElectionTicks.into())),
    }
}

fn read_expected(
    version: Grammar,
    settings: &[(usize, &str)],
    line: &str,
) -> Result<Expected, Fault> {
    const KNOWN: &str = "outcome, trace, engine, steps";
    let mut every = 1;
    let (mut outcome, mut trace, mut engine, mut steps) = (None, None, None, None);
    for (at, word) in settings {
        let (name, value_at, value) = setting(*at, word, KNOWN)?;
        match name {
            "outcome" => outcome = Some(read_hash(value_at, value)?),
            "trace" => trace = Some(read_hash(value_at, value)?),
            "engine" => {
                let found = parse_number(value).and_then(|number| u32::try_from(number).ok());
                let Some(found) = found else {
                    return Err((value_at, Thing::Engine.into()));
                };
                engine = Some(found);
            }
            "steps" => steps = Some(read_steps(value_at, value)?),
            "every" if version > Grammar::One => {
                let found = parse_number(value).and_then(|number| u32::try_from(number).ok());
                let Some(found) = found.filter(|number| *number > 0) else {
                    return Err((value_at, Thing::Every.into()));
                };
                every = found;
            }
            _ => return Err((*at, Wrong::UnknownSetting(name.to_owned(), KNOWN.to_owned()))),
        }
    }
    let all = outcome.zip(trace).zip(engine).zip(steps);
    let Some((((outcome, trace), engine_trace), steps)) = all else {
        return Err((line.trim_end().len(), Wrong::missing(Wanted::AllOf(KNOWN.to_owned()))));
    };
    Ok(Expected { outcome, trace, engine_trace, every, steps })
}

fn read_hash(at: usize, text: &str) -> Result<u64, Fault> {
    let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match u64::from_str_radix(text, 16) {
        Ok(found) if is_hex => Ok(found),
        _ => Err((at, Thing::Hash.into())),
    }
}

fn read_steps(at: usize, text: &str) -> Result<Vec<u16>, Fault> {
    let expected = || (at, Thing::StepHashes.into());
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || !text.len().is_multiple_of(4) {
        return Err(expected());
    }
    let count = text.len() / 4;
    (0..count)
        .map(|index| {
            let digits = text.get(index * 4..index * 4 + 4).unwrap_or_default();
            u16::from_str_radix(digits, 16).map_err(|_not_hex| expected())
        })
        .collect()
}

/// Writes the canonical header.
pub(super) fn write(script: &Script, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let version = if script.version == Grammar::One { 1 } else { 2 };
    writeln!(f, "script: {version}")?;
    if !script.title.is_empty() {
        writeln!(f, "title: {}", script.title)?;
    }
    for (language, title) in &script.titles {
        writeln!(f, "title[{language}]: {title}")?;
    }
    if script.language != Language::default() {
        writeln!(f, "language: {}", script.language)?;
    }
    let cluster = &script.cluster;
    let election_ms = cluster.tick_ms.saturating_mul(u64::from(cluster.election_ticks));
    write!(
        f,
        "cluster: members={} seed={} tick={} election={} quota={}",
        cluster.members,
        cluster.seed,
        show_duration(cluster.tick_ms),
        show_duration(election_ms),
        show_size(u64::try_from(cluster.quota_bytes).unwrap_or_default()),
    )?;
    let switches = [(cluster.pre_vote, "pre-vote"), (cluster.check_quorum, "check-quorum")];
    for (_, name) in switches.iter().filter(|(is_on, _)| !is_on) {
        write!(f, " {name}=off")?;
    }
    if script.learners > 0 {
        write!(f, " learners={}", script.learners)?;
    }
    writeln!(f)?;
    if !script.flags.is_empty() {
        writeln!(f, "flags: {}", script.flags)?;
    }
    if let Some(expected) = &script.expected {
        write!(
            f,
            "expect: outcome={:016x} trace={:016x} engine={}",
            expected.outcome, expected.trace, expected.engine_trace
        )?;
        if expected.every != 1 {
            write!(f, " every={}", expected.every)?;
        }
        f.write_str(" steps=")?;
        for step in &expected.steps {
            write!(f, "{step:04x}")?;
        }
        writeln!(f)?;
    }
    Ok(())
}
