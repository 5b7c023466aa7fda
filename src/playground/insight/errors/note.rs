//! Entries without lines: all of them stand in one file, since each is short.
//!
//! What it is: a note begins with a line `# note NAME`; what follows, up to the next one, is a scenario that only tells.
//! Invariants: a text without the note gives nothing.

/// Where they stand.
pub(in crate::playground::insight) const FILE: &str = "notes.txt";

const BEGIN: &str = "# note ";

/// The note of this name.
pub(super) fn read<'text>(text: &'text str, name: &str) -> Option<&'text str> {
    let is_begin =
        |line: &str| line.strip_prefix(BEGIN).is_some_and(|found| found.trim_end() == name);
    let mut begin = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match begin {
            None if is_begin(line) => begin = Some(at + line.len()),
            Some(begin) if line.starts_with(BEGIN) => return text.get(begin..at),
            _ => {}
        }
        at += line.len();
    }
    text.get(begin?..)
}
