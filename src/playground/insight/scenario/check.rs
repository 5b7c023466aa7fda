//! What a text is: a scenario, or where it ceases to be one, and what was expected there.
//!
//! What it is: a [`Script`] or a fault, counts, and the outline: a row for each step that a reader of the list wants to see.
//! What it is not: an editor; nothing here changes a text.
//! Invariants: foreign text is escaped; the outline is bounded by [`ROWS_MAX`]; up to a fault it shows what could be read.

use super::strings::ScenarioStrings;
use super::view::{FaultView, OutlineRow, RowKind};
use crate::playground::escape;
use crate::scenario::link::{self, Fit};
use crate::scenario::{Action, Language, Say, SayKind, Script, prose};

/// Most rows of the outline. Source: ours; more than anybody reads.
pub(super) const ROWS_MAX: usize = 600;
/// Most characters of a row.
const ROW_CHARS_MAX: u32 = 100;
/// Most characters of a fault's message.
const MESSAGE_CHARS_MAX: u32 = 400;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Checked {
    /// The scenario, if the whole text is one.
    pub(super) script: Option<Script>,
    pub(super) fault: Option<FaultView>,
    /// Whether it becomes a link.
    pub(super) fit: Fit,
    pub(super) rows: Vec<OutlineRow>,
    /// Rows that are not in the outline, since there are too many.
    pub(super) more: u32,
    /// Steps that do something.
    pub(super) steps: u32,
    /// Sentences.
    pub(super) sentences: u32,
}

pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Checked {
    /// True if there is something to play: the text is a scenario, and says or does something.
    pub(super) fn is_playable(&self) -> bool {
        self.script.is_some() && self.steps + self.sentences > 0
    }

    /// Looks at a text.
    pub(super) fn of(text: &str, language: &Language, s: &ScenarioStrings) -> Self {
        match Script::parse(text) {
            Ok(script) => {
                let fit = link::fit(&script, text.len());
                Self { script: Some(script.clone()), fit, ..Self::outlined(&script, language) }
            }
            Err(fault) => {
                let before = before(text, fault.line);
                let known = before.map(|script| Self::outlined(&script, language));
                let message = (s.wrong)(&fault.wrong);
                let message = escape::clipped(message.as_bytes(), MESSAGE_CHARS_MAX);
                let fault = FaultView { line: fault.line, column: fault.column, message };
                Self { fault: Some(fault), ..known.unwrap_or_default() }
            }
        }
    }

    /// Looks at a scenario.
    pub(super) fn outlined(script: &Script, language: &Language) -> Self {
        let told = prose::told(&script.steps, &script.language, language);
        let said = script.steps.iter().filter(|step| matches!(step.action, Action::Say(_))).count();
        let mut rows: Vec<OutlineRow> = Vec::new();
        let mut is_passage = false;
        for ((at, step), is_told) in script.steps.iter().enumerate().zip(told) {
            let is_narration =
                matches!(&step.action, Action::Say(Say { kind: SayKind::Narration, .. }));
            if is_narration && (is_passage || !is_told) {
                continue;
            }
            // Sentences in other languages stand between those of a passage.
            is_passage = is_narration || (is_passage && matches!(step.action, Action::Say(_)));
            if !is_told {
                continue;
            }
            let Some((kind, text)) = row(&step.action) else { continue };
            let text = escape::clipped(text.as_bytes(), ROW_CHARS_MAX);
            rows.push(OutlineRow {
                step: count(at),
                line: step.line,
                kind,
                text,
                ..OutlineRow::default()
            });
        }
        let more = count(rows.len().saturating_sub(ROWS_MAX));
        rows.truncate(ROWS_MAX);
        let steps = count(script.steps.len() - said);
        Self { rows, more, steps, sentences: count(said), ..Self::default() }
    }
}

/// What a step shows in the outline; nothing if it has no row of its own.
fn row(action: &Action) -> Option<(RowKind, String)> {
    Some(match action {
        Action::Say(say) => match say.kind {
            SayKind::Part => (RowKind::Part, say.text.clone()),
            SayKind::Narration => (RowKind::Say, say.text.clone()),
            SayKind::Ask => (RowKind::Ask, say.text.clone()),
            SayKind::Hint | SayKind::Means => return None,
        },
        Action::Command { .. }
        | Action::Interrupt { .. }
        | Action::Type { .. }
        | Action::EndInput { .. } => (RowKind::Command, action.to_string()),
        Action::Verb(_) | Action::Change(_) | Action::Open(_) => {
            (RowKind::Verb, action.to_string())
        }
        Action::WaitFor { .. } => (RowKind::Wait, action.to_string()),
        Action::Expect(_) | Action::Goal(_) | Action::Reply(_) => {
            (RowKind::Claim, action.to_string())
        }
        Action::Answer(_) | Action::Mark | Action::Solution | Action::EndSolution => {
            (RowKind::Other, action.to_string())
        }
    })
}

/// What stands before a line, if that is a scenario.
fn before(text: &str, line: u32) -> Option<Script> {
    let lines = usize::try_from(line.saturating_sub(1)).unwrap_or_default();
    let head: String = text.lines().take(lines).map(|line| format!("{line}\n")).collect();
    // A solution that has begun is not ended yet.
    Script::parse(&head).or_else(|_| Script::parse(&format!("{head}end\n"))).ok()
}

#[cfg(test)]
mod tests {
    use super::super::{SCENARIO_EN, SCENARIO_ZH};
    use super::*;

    fn checked(text: &str) -> Checked {
        Checked::of(text, &Language::default(), &SCENARIO_EN)
    }

    #[test]
    fn the_outline_has_a_row_for_each_step_and_one_for_each_passage_in_the_readers_language() {
        let text = "title: T\n\npart One\npart[zh] 一\n> a\n> b\n>[zh] 甲\n\nput k v\nhint h\nkill leader\nwait for leader\nexpect term rose\nask Who?\nanswer leader\nreply infra1\n";
        let rows = |language: &str| -> Vec<(u32, RowKind, String)> {
            let language = Language::parse(language).unwrap();
            let rows = Checked::of(text, &language, &SCENARIO_ZH).rows;
            rows.into_iter().map(|row| (row.line, row.kind, row.text)).collect()
        };
        let english = rows("en");
        assert_eq!(english[0], (3, RowKind::Part, "One".to_owned()));
        assert_eq!(english[1], (5, RowKind::Say, "a".to_owned()));
        assert_eq!(english[2], (9, RowKind::Command, "put k v".to_owned()));
        assert_eq!(english.len(), 9, "{english:?}");
        let chinese = rows("zh");
        assert_eq!(chinese[0], (4, RowKind::Part, "一".to_owned()));
        assert_eq!(chinese[1], (7, RowKind::Say, "甲".to_owned()));
        assert_eq!(chinese.len(), 9, "{chinese:?}");
        let found = checked(text);
        assert_eq!((found.steps, found.sentences), (6, 7));
    }

    #[test]
    fn a_fault_has_its_place_and_what_stands_before_it_is_outlined() {
        let found = checked("part One\nsolution\nput a 1\nkill infra9\nput b 2\n");
        let fault = found.fault.unwrap();
        assert_eq!((fault.line, fault.column), (4, 6));
        assert!(fault.message.contains("expected a member"), "{}", fault.message);
        assert!(found.script.is_none());
        assert!(found.rows.iter().any(|row| row.text == "put a 1"));
        assert!(!found.rows.iter().any(|row| row.text == "put b 2"));
        assert_eq!(checked("cluster: members=99\nput a 1").rows, []);
    }

    #[test]
    fn a_long_text_has_a_bounded_outline_and_a_too_long_one_is_refused() {
        let found = checked(&"put a 1\n".repeat(2_000));
        assert_eq!((found.rows.len(), found.more, found.steps), (ROWS_MAX, 1_400, 2_000));
        let found = checked(&"#".repeat(300 * 1024));
        assert!(found.fault.unwrap().message.contains("larger than"));
    }

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        let found = checked("> a\u{202e}b\nput \u{1b}[31m x\n@9 kill leader\u{200b}\u{7}");
        assert_eq!(found.rows[0].text, "a\\u{202e}b");
        assert_eq!(found.rows[1].text, "put \\x1b[31m x");
        let message = found.fault.unwrap().message;
        assert!(message.chars().all(|letter| !letter.is_control()), "{message}");
    }
}
