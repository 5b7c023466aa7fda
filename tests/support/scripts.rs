//! Scenarios that stand in a folder below `www/`, read when a test runs.
//!
//! Invariants: in the order of their names; the folder is there, not empty, and holds nothing but scenarios, an index of them, and notes.

use etcd_playground::scenario::Script;

/// A scenario and where it came from.
pub(crate) struct ScriptFile {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) script: Script,
}

/// All scenarios of `www/FOLDER`.
pub(crate) fn scripts(folder: &str) -> Vec<ScriptFile> {
    let folder = format!("{}/www/{folder}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(&folder).unwrap_or_else(|why| panic!("{folder}: {why}"));
    let mut found: Vec<ScriptFile> = files
        .map(|file| file.unwrap().path())
        .filter(|path| ["index.json", "notes.txt"].iter().all(|other| !path.ends_with(other)))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let script = Script::parse(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
            ScriptFile { name, text, script }
        })
        .collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(!found.is_empty(), "{folder} is empty");
    found
}

/// True if some of it is Chinese.
pub(crate) fn has_chinese(text: &str) -> bool {
    text.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter))
}
