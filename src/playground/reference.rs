//! The reference of commands: every command of etcdctl and etcdutl, and the page of one of them.
//!
//! What it is: [`sections`] and [`page`], which the page tells the program of the views, and [`Reference`], what that
//! program knows: a filter, a choice, and what there is to see.
//! What it is not: texts of its own; names, sentences, pages and examples come from etcdctl's table, and their
//! translation from the program of the views.
//! Invariants: every command that can be run is listed once, under its heading; a page is what `--help` prints, line by
//! line.

use serde::{Deserialize, Serialize};

use crate::etcdctl::table::{CommandSpec, ROOT, Section};
use crate::etcdctl::{self, utl};
use crate::playground::insight::{self, Phrase};

/// A command in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRow {
    /// As it is typed: `endpoint status`, `etcdutl snapshot status`.
    pub name: String,
    /// What it does.
    pub about: String,
}

/// The commands under one heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandSection {
    /// The heading.
    pub heading: String,
    /// The commands.
    pub commands: Vec<CommandRow>,
}

/// The page of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandPage {
    /// As it is typed.
    pub name: String,
    /// What `--help` prints.
    pub text: String,
    /// Lines that show how it is used.
    pub examples: Vec<String>,
}

/// What there is to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceView {
    /// What the commands must contain.
    pub filter: String,
    /// The commands that do, by heading; headings without any are left out.
    pub sections: Vec<CommandSection>,
    /// The list is known.
    pub is_known: bool,
    /// The chosen one.
    pub page: Option<CommandPage>,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    filter: String,
    sections: Vec<CommandSection>,
    page: Option<CommandPage>,
}

impl Reference {
    /// Only commands whose name or sentence contains this.
    pub fn filter(&mut self, text: String) {
        self.filter = text;
    }

    /// All commands were told.
    pub fn set_sections(&mut self, sections: Vec<CommandSection>) {
        self.sections = sections;
    }

    /// The page of the chosen command was told.
    pub fn set_page(&mut self, page: CommandPage) {
        self.page = Some(page);
    }

    /// True if nothing was told yet.
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        self.sections.is_empty()
    }

    /// What there is to see, in the language of the phrases.
    #[must_use]
    pub fn view(&self, phrases: &'static [Phrase]) -> ReferenceView {
        let said = |english: &str| insight::phrase(english, phrases).to_owned();
        let wanted = self.filter.trim().to_ascii_lowercase();
        let fits = |row: &CommandRow| {
            row.name.contains(&wanted) || row.about.to_ascii_lowercase().contains(&wanted)
        };
        let left = |section: &CommandSection| CommandSection {
            heading: said(&section.heading),
            commands: section
                .commands
                .iter()
                .map(|row| CommandRow { name: row.name.clone(), about: said(&row.about) })
                .filter(|row| fits(row))
                .collect(),
        };
        let mut sections: Vec<CommandSection> = self.sections.iter().map(left).collect();
        sections.retain(|section| !section.commands.is_empty());
        ReferenceView {
            filter: self.filter.clone(),
            sections,
            is_known: !self.is_unknown(),
            page: self.page.as_ref().map(|page| CommandPage {
                text: insight::page(&page.text, phrases),
                ..page.clone()
            }),
        }
    }
}

/// Every command that can be run, by heading.
#[must_use]
pub fn sections() -> Vec<CommandSection> {
    let mut sections: Vec<CommandSection> = Section::ALL
        .iter()
        .map(|section| CommandSection {
            heading: section.heading().to_owned(),
            commands: Vec::new(),
        })
        .collect();
    for (name, heading, spec) in all() {
        if let Some(section) = sections.iter_mut().find(|section| section.heading == heading) {
            section.commands.push(CommandRow { name, about: spec.about.to_owned() });
        }
    }
    sections
}

/// The page of a command; `None` if there is none of this name.
#[must_use]
pub fn page(wanted: &str) -> Option<CommandPage> {
    let (name, _, spec) = all().into_iter().find(|(name, ..)| name == wanted)?;
    let text = etcdctl::help_page(&name);
    let examples = spec.examples.iter().map(|example| (*example).to_owned()).collect();
    Some(CommandPage { name, text, examples })
}

/// Every command that can be run: its name, its heading, its row of the table.
fn all() -> Vec<(String, &'static str, &'static CommandSpec)> {
    let mut found = Vec::new();
    for command in ROOT.commands {
        below(command, "", command.section.heading(), &mut found);
    }
    for command in utl::ROOT.commands {
        below(command, "etcdutl ", Section::Cluster.heading(), &mut found);
    }
    found
}

fn below(
    command: &'static CommandSpec,
    before: &str,
    heading: &'static str,
    found: &mut Vec<(String, &'static str, &'static CommandSpec)>,
) {
    let name = format!("{before}{}", command.name);
    if command.commands.is_empty() {
        found.push((name, heading, command));
        return;
    }
    for one in command.commands {
        below(one, &format!("{name} "), heading, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> Reference {
        let mut reference = Reference::default();
        assert!(!reference.view(&[]).is_known);
        reference.set_sections(sections());
        reference
    }

    fn names(view: &ReferenceView) -> Vec<&str> {
        view.sections.iter().flat_map(|it| &it.commands).map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn every_command_is_listed_once_under_a_heading() {
        let view = told().view(&[]);
        let names = names(&view);
        for name in ["get", "endpoint status", "user grant-role", "etcdutl snapshot restore"] {
            assert_eq!(names.iter().filter(|known| **known == name).count(), 1, "{name}");
        }
        assert!(!names.contains(&"endpoint"), "a group cannot be run");
        for name in etcdctl::command_names() {
            let is_listed = names.iter().any(|known| known.starts_with(name.as_str()));
            assert!(is_listed, "{name}");
        }
        let mut rows = view.sections.iter().flat_map(|section| &section.commands);
        assert!(rows.all(|row| !row.about.is_empty()));
    }

    #[test]
    fn a_choice_shows_what_help_prints_and_a_filter_looks_at_names_and_sentences() {
        let shown = page("endpoint status").unwrap();
        assert!(shown.text.starts_with("etcdctl endpoint status: "), "{}", shown.text);
        assert!(shown.text.contains("--cluster"));
        assert!(page("etcdutl snapshot restore").unwrap().text.contains("--bump-revision"));
        assert_eq!(page("endpoint"), None);
        let mut reference = told();
        reference.set_page(shown.clone());
        reference.filter(" DEFRAG ".to_owned());
        let view = reference.view(&[]);
        assert!(names(&view).contains(&"defrag"));
        assert!(!names(&view).contains(&"get"));
        assert_eq!(view.page, Some(shown));
        let chinese = reference.view(insight::ZH.commands_phrases);
        assert!(names(&chinese).contains(&"defrag"), "a name is found in any language");
        assert!(chinese.page.unwrap().text.starts_with("etcdctl endpoint status："));
        reference.filter("碎片整理".to_owned());
        let chinese = reference.view(insight::ZH.commands_phrases);
        assert_eq!(chinese.sections[0].heading, "成员与维护");
        assert!(names(&chinese).contains(&"defrag") && !names(&chinese).contains(&"get"));
        reference.filter("no such thing".to_owned());
        let view = reference.view(&[]);
        assert!(view.sections.is_empty() && view.is_known);
    }
}
