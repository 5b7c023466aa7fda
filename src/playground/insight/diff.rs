//! Two values, compared line by line.
//!
//! What it is: [`DiffView`], with what is equal folded away but for a few lines around each change.
//! What it is not: an algorithm: the crate `similar` finds what is equal.
//! Invariants: of a value at most [`LINES_MAX`] lines are compared, so that no value holds the page; what is left out
//! is said.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Most lines of a value that are compared. Unit: lines. Source: ours; the worst case takes some 20 ms.
const LINES_MAX: usize = 1_000;
/// Equal lines that are shown around a change.
const AROUND: usize = 3;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// In both.
    Same,
    /// In the older one only.
    Old,
    /// In the newer one only.
    New,
    /// So many equal lines are left out here.
    Folded(u64),
}

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What it is.
    pub kind: LineKind,
    /// Its number in the older one.
    pub old: Option<u64>,
    /// Its number in the newer one.
    pub new: Option<u64>,
    /// The line.
    pub text: String,
}

/// A comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffView {
    /// The older revision.
    pub from: i64,
    /// The newer revision.
    pub to: i64,
    /// Both are JSON, and compared as it is set.
    pub is_json: bool,
    /// The lines.
    pub lines: Vec<DiffLine>,
    /// Lines only in the newer one.
    pub added: u64,
    /// Lines only in the older one.
    pub removed: u64,
    /// Lines at the end that were not compared.
    pub uncompared: u64,
}

/// Compares two texts.
pub(super) fn compare(old: &str, new: &str) -> DiffView {
    let mut view = DiffView::default();
    let mut split = |text| {
        let mut lines: Vec<&str> = str::lines(text).collect();
        view.uncompared += count(lines.len().saturating_sub(LINES_MAX));
        lines.truncate(LINES_MAX);
        lines
    };
    let (old, new) = (split(old), split(new));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let last = ops.len().saturating_sub(1);
    for (place, op) in ops.iter().enumerate() {
        match *op {
            DiffOp::Equal { old_index, new_index, len } => {
                let before = if place == 0 { 0 } else { AROUND };
                let after = if place == last { 0 } else { AROUND };
                // To fold one line takes one line.
                let is_folded = len > before + after + 1;
                for at in 0..len {
                    if is_folded && at == before {
                        let folded = LineKind::Folded(count(len - before - after));
                        view.lines.push(DiffLine {
                            kind: folded,
                            old: None,
                            new: None,
                            text: String::new(),
                        });
                    }
                    if !is_folded || at < before || at >= len - after {
                        view.push(LineKind::Same, Some(old_index + at), Some(new_index + at), &old);
                    }
                }
            }
            DiffOp::Delete { old_index, old_len, .. } => view.removed(old_index, old_len, &old),
            DiffOp::Insert { new_index, new_len, .. } => view.added(new_index, new_len, &new),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                view.removed(old_index, old_len, &old);
                view.added(new_index, new_len, &new);
            }
        }
    }
    view
}

impl DiffView {
    fn push(&mut self, kind: LineKind, old: Option<usize>, new: Option<usize>, lines: &[&str]) {
        let text = old.or(new).and_then(|at| lines.get(at)).copied().unwrap_or_default();
        let number = |at: usize| count(at + 1);
        let (old, new) = (old.map(number), new.map(number));
        self.lines.push(DiffLine { kind, old, new, text: text.to_owned() });
    }

    fn removed(&mut self, from: usize, length: usize, lines: &[&str]) {
        self.removed += count(length);
        for at in from..from + length {
            self.push(LineKind::Old, Some(at), None, lines);
        }
    }

    fn added(&mut self, from: usize, length: usize, lines: &[&str]) {
        self.added += count(length);
        for at in from..from + length {
            self.push(LineKind::New, None, Some(at), lines);
        }
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(view: &DiffView) -> Vec<String> {
        let line = |line: &DiffLine| match line.kind {
            LineKind::Same => format!(" {}", line.text),
            LineKind::Old => format!("-{}", line.text),
            LineKind::New => format!("+{}", line.text),
            LineKind::Folded(count) => format!("@{count}"),
        };
        view.lines.iter().map(line).collect()
    }

    #[test]
    fn changed_lines_stand_between_equal_ones_with_their_numbers() {
        let view = compare("a\nb\nc\n", "a\nx\nc\nd\n");
        assert_eq!(shown(&view), [" a", "-b", "+x", " c", "+d"]);
        assert_eq!((view.added, view.removed), (2, 1));
        assert_eq!((view.lines[1].old, view.lines[1].new), (Some(2), None));
        assert_eq!((view.lines[3].old, view.lines[3].new), (Some(3), Some(3)));
        assert!(compare("same", "same").added == 0);
    }

    #[test]
    fn equal_lines_far_from_a_change_are_folded() {
        let lines = |middle: &str| {
            let line = |at: u32| if at == 20 { format!("{middle}\n") } else { format!("{at}\n") };
            (0..40).map(line).collect::<String>()
        };
        let view = compare(&lines("old"), &lines("new"));
        assert_eq!(
            shown(&view),
            ["@17", " 17", " 18", " 19", "-old", "+new", " 21", " 22", " 23", "@16"]
        );
    }

    #[test]
    fn what_is_too_long_is_compared_in_part_and_that_is_said() {
        let one = "a\n".repeat(1_500);
        let other = "b\n".repeat(1_200);
        let view = compare(&one, &other);
        assert_eq!((view.removed, view.added, view.uncompared), (1_000, 1_000, 700));
    }
}
