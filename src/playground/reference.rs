//! The reference of commands: every command of etcdctl and etcdutl, and the page of one of them.
//!
//! What it is: a filter, a choice, and what there is to see.
//! What it is not: texts of its own; names, sentences, pages and examples come from etcdctl's table.
//! Invariants: every command that can be run is listed once, under its heading; the page is what `--help` prints.

use crate::etcdctl::table::{CommandSpec, ROOT, Section};
use crate::etcdctl::{self, utl};

/// A command in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRow {
    /// As it is typed: `endpoint status`, `etcdutl snapshot status`.
    pub name: String,
    /// What it does.
    pub about: &'static str,
}

/// The page of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPage {
    /// As it is typed.
    pub name: String,
    /// What `--help` prints.
    pub text: String,
    /// Lines that show how it is used.
    pub examples: Vec<&'static str>,
}

/// What there is to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceView {
    /// What the commands must contain.
    pub filter: String,
    /// The commands that do, by heading; headings without any are left out.
    pub sections: Vec<(&'static str, Vec<CommandRow>)>,
    /// The chosen one.
    pub page: Option<CommandPage>,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    filter: String,
    chosen: String,
}

impl Reference {
    /// Only commands whose name or sentence contains this.
    pub fn filter(&mut self, text: String) {
        self.filter = text;
    }

    /// The page of this command; one that does not exist is no choice.
    pub fn choose(&mut self, name: &str) {
        name.clone_into(&mut self.chosen);
    }

    /// What there is to see.
    #[must_use]
    pub fn view(&self) -> ReferenceView {
        let wanted = self.filter.trim().to_ascii_lowercase();
        let mut sections: Vec<(&'static str, Vec<CommandRow>)> =
            Section::ALL.iter().map(|section| (section.heading(), Vec::new())).collect();
        let mut page = None;
        for (name, section, spec) in all() {
            if name == self.chosen {
                let text = etcdctl::help_page(&name);
                page = Some(CommandPage {
                    name: name.clone(),
                    text,
                    examples: spec.examples.to_vec(),
                });
            }
            if !name.contains(&wanted) && !spec.about.to_ascii_lowercase().contains(&wanted) {
                continue;
            }
            if let Some((_, rows)) = sections.iter_mut().find(|(heading, _)| *heading == section) {
                rows.push(CommandRow { name, about: spec.about });
            }
        }
        sections.retain(|(_, rows)| !rows.is_empty());
        ReferenceView { filter: self.filter.clone(), sections, page }
    }
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

    fn names(view: &ReferenceView) -> Vec<&str> {
        view.sections.iter().flat_map(|(_, rows)| rows).map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn every_command_is_listed_once_under_a_heading() {
        let view = Reference::default().view();
        let names = names(&view);
        for name in ["get", "endpoint status", "user grant-role", "etcdutl snapshot restore"] {
            assert_eq!(names.iter().filter(|known| **known == name).count(), 1, "{name}");
        }
        assert!(!names.contains(&"endpoint"), "a group cannot be run");
        for name in etcdctl::command_names() {
            let is_listed = names.iter().any(|known| known.starts_with(name.as_str()));
            assert!(is_listed, "{name}");
        }
        assert!(view.sections.iter().flat_map(|(_, rows)| rows).all(|row| !row.about.is_empty()));
    }

    #[test]
    fn a_choice_shows_what_help_prints_and_a_filter_looks_at_names_and_sentences() {
        let mut reference = Reference::default();
        reference.choose("endpoint status");
        let page = reference.view().page.unwrap();
        assert!(page.text.starts_with("etcdctl endpoint status: "), "{}", page.text);
        assert!(page.text.contains("--cluster"));
        reference.choose("etcdutl snapshot restore");
        assert!(reference.view().page.unwrap().text.contains("--bump-revision"));
        reference.choose("endpoint");
        assert_eq!(reference.view().page, None);
        reference.filter(" DEFRAG ".to_owned());
        let view = reference.view();
        assert!(names(&view).contains(&"defrag"));
        assert!(!names(&view).contains(&"get"));
        reference.filter("no such thing".to_owned());
        assert!(reference.view().sections.is_empty());
    }
}
