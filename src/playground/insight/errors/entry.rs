//! An entry as a reader meets it: what its message means, the lines that produce it, and what to do.
//!
//! What it is: a [`Script`] taken apart: its first part produces the message, its second one applies the remedy. One that has
//! no lines has a third part: why nothing here produces the message.
//! What it is not: a run of it.
//! Invariants: lines stand in the order of the script; what only judges a run is left out; foreign text is escaped in prose.

use super::shown;
use super::strings::ErrorStrings;
use super::view::ErrorLine;
use crate::playground::view::prose::Span;
use crate::scenario::prose::{self, Block};
use crate::scenario::{Action, ClusterSettings, Language, Say, SayKind, Script};

/// One part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// Paragraphs.
    pub(super) prose: Vec<Vec<Span>>,
    /// The lines.
    pub(super) lines: Vec<ErrorLine>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) sections: Vec<Section>,
    /// How many members its cluster has.
    pub(super) members: u32,
    /// What else is said of the cluster: flags, and settings that are not the usual ones.
    pub(super) settings: String,
}

fn spans(found: Vec<prose::Span>) -> Vec<Span> {
    let span = |span| match span {
        prose::Span::Text(text) => Span::Text(shown(&text)),
        prose::Span::Code(text) => Span::Code(shown(&text)),
        prose::Span::Emphasis(text) => Span::Emphasis(shown(&text)),
    };
    found.into_iter().map(span).collect()
}

fn paragraphs(lines: &[String]) -> Vec<Vec<Span>> {
    let mut found = Vec::new();
    for block in prose::read(lines.iter().map(String::as_str)) {
        match block {
            Block::Paragraph(paragraph) => found.push(spans(paragraph)),
            Block::List(items) => found.extend(items.into_iter().map(spans)),
            Block::Commands(lines) => {
                found.extend(lines.iter().map(|line| vec![Span::Code(shown(line))]));
            }
        }
    }
    found
}

/// The line of a step; nothing for what only judges.
fn line(action: &Action) -> Option<ErrorLine> {
    let can_write = match action {
        Action::Command { console: 1, .. } | Action::Verb(_) | Action::Change(_) => true,
        Action::Command { .. }
        | Action::Type { .. }
        | Action::Interrupt { .. }
        | Action::EndInput { .. }
        | Action::Open(_)
        | Action::WaitFor { .. } => false,
        Action::Say(_)
        | Action::Expect(_)
        | Action::Goal(_)
        | Action::Answer(_)
        | Action::Reply(_)
        | Action::Mark
        | Action::Solution
        | Action::EndSolution => return None,
    };
    Some(ErrorLine { text: action.to_string(), can_write })
}

/// What a cluster has beside its members, as a script's header says it.
fn settings(script: &Script) -> String {
    let usual = ClusterSettings::default();
    let ours = script.cluster;
    let alike = ClusterSettings { members: usual.members, seed: usual.seed, ..ours } == usual;
    let text = script.to_string();
    let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let mut found = Vec::new();
    if !alike || script.learners > 0 {
        found.extend(line("cluster: ").map(str::trim));
    }
    found.extend(line("flags: ").map(str::trim));
    found.join(" ")
}

impl Told {
    /// Reads an entry's file for a reader of this language.
    ///
    /// # Errors
    /// If it is no script, with the place.
    pub(super) fn read(text: &str, strings: &ErrorStrings) -> Result<Self, String> {
        let script = Script::parse(text).map_err(|error| error.to_string())?;
        let language = Language::parse(strings.language.name()).unwrap_or_default();
        let told = prose::told(&script.steps, &script.language, &language);
        let mut sections: Vec<(Section, Vec<String>)> = Vec::new();
        for (step, is_told) in script.steps.iter().zip(told) {
            match &step.action {
                Action::Say(Say { kind: SayKind::Part, language: None, .. }) => {
                    sections.push(Default::default());
                }
                Action::Say(Say { kind: SayKind::Narration, text, .. }) if is_told => {
                    if let Some((_, lines)) = sections.last_mut() {
                        lines.push(text.clone());
                    }
                }
                action => {
                    if let Some((section, _)) = sections.last_mut() {
                        section.lines.extend(line(action));
                    }
                }
            }
        }
        let section = |(section, lines): (Section, Vec<String>)| Section {
            prose: paragraphs(&lines),
            ..section
        };
        Ok(Self {
            sections: sections.into_iter().map(section).collect(),
            members: script.cluster.members,
            settings: settings(&script),
        })
    }

    /// The lines that produce the message.
    pub(super) fn lines(&self) -> &[ErrorLine] {
        self.sections.first().map_or(&[], |section| section.lines.as_slice())
    }

    /// True if a console can run them all, one after another, on a cluster as it usually is.
    pub(super) fn can_run(&self) -> bool {
        let lines = self.lines();
        self.settings.is_empty() && !lines.is_empty() && lines.iter().all(|line| line.can_write)
    }
}
