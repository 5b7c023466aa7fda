//! The notes of the catalogue of errors: messages that nothing here produces.
//!
//! Invariants: each begins with `# note NAME` and has lines `# code`, `# from`, `# area`, `# printed` and `# form` in its head.

use etcd_playground::scenario::Script;

/// Where they stand below `www/errors/`.
pub(crate) const FILE: &str = "notes.txt";

/// One.
pub(crate) struct Note {
    pub(crate) name: String,
    text: String,
    pub(crate) script: Script,
}

impl Note {
    /// What its head says of this; empty for nothing.
    pub(crate) fn head(&self, what: &str) -> String {
        let found = self.text.lines().find_map(|line| {
            let rest = line.strip_prefix("# ")?.strip_prefix(what)?;
            (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim())
        });
        found.unwrap_or_else(|| panic!("{}: no line # {what}", self.name)).to_owned()
    }

    /// The fixed pieces of every way in which it is worded, in order.
    pub(crate) fn forms(&self) -> Vec<Vec<String>> {
        let pieces = |line: &str| line.split(" | ").map(|piece| piece.to_owned()).collect();
        self.text.lines().filter_map(|line| line.strip_prefix("# form ")).map(pieces).collect()
    }
}

/// All, in the order of the file.
pub(crate) fn all() -> Vec<Note> {
    let path = format!("{}/www/errors/{FILE}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"));
    let (before, notes) = text.split_once("# note ").unwrap();
    assert_eq!(before, "", "something stands before the first note");
    let note = |text: &str| {
        let (name, text) = text.split_once('\n').unwrap();
        let script = Script::parse(text).unwrap_or_else(|why| panic!("{name}: {why}"));
        Note { name: name.to_owned(), text: text.to_owned(), script }
    };
    notes.split("\n# note ").map(note).collect()
}
