//! What is fuzzed: functions of foreign bytes that must neither panic nor hang.
//!
//! Both `fuzz_targets/` (libFuzzer) and `tests/fuzz.rs` (every test run) include this file.

mod console;
mod disk;

pub(crate) use console::{console_line, txn_form, watch_form};
pub(crate) use disk::{snapshot_file, stored_record};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use etcd_playground::lab::{Lab, export};
use etcd_playground::scenario::verb::{self, Typed};
use etcd_playground::scenario::{Action, Script, link};
use etcd_playground::wire;

/// Scripts and links.
pub(crate) fn scenario_link(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // As somebody's address bar has it.
    let _ = link::open(&text);
    // As a link whose letters are right.
    let encoded = URL_SAFE_NO_PAD.encode(data);
    let _ = link::open(&format!("s={encoded}"));
    let Ok(script) = Script::parse(&text) else { return };
    let written = script.to_string();
    let again = Script::parse(&written).expect("what is written can be read");
    assert_eq!(again.to_string(), written, "the canonical text is stable");
    if let Ok(fragment) = link::write(&script) {
        let opened = link::open(&fragment).expect("a link that was written opens");
        assert_eq!(opened.to_string(), written, "a link carries the whole script");
    }
}

/// Any text as a line of the page's own: what a console takes, a script reads as the same step.
pub(crate) fn typed_line(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let line = text.lines().next().unwrap_or_default().trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    if let Some(name) = words.first() {
        let _ = verb::help(name);
    }
    let _ = verb::continuations(&words);
    let Some(Ok(typed)) = verb::typed(&words) else { return };
    let ours = match typed {
        Typed::Change(change) => Action::Change(change),
        // A script may quote a name; the console takes it as it stands.
        Typed::Open(name) if name.contains(['"', '\\', '\'', '#']) => return,
        Typed::Open(name) => Action::Open(name),
    };
    if let Ok(script) = Script::parse(&ours.to_string()) {
        let actions: Vec<&Action> = script.steps.iter().map(|step| &step.action).collect();
        assert_eq!(actions, [&ours], "a script reads it as the console does");
    }
}

/// Most steps of a script that is played.
const PLAYED_STEPS_MAX: usize = 12;
/// Most members of its cluster.
const PLAYED_MEMBERS_MAX: u32 = 3;

/// Any small script: it plays to its end or says why not, twice in the same way, and an exporter takes it.
pub(crate) fn scenario_play(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(script) = Script::parse(&text) else { return };
    let members = script.cluster.members.saturating_add(script.learners);
    let can_link = link::write(&script).is_ok();
    if script.steps.len() > PLAYED_STEPS_MAX || members > PLAYED_MEMBERS_MAX || !can_link {
        return;
    }
    let (one, other) = (Lab::new(script.clone()).play_all(), Lab::new(script.clone()).play_all());
    assert_eq!((one.outcome, one.trace), (other.outcome, other.trace), "a run is reproduced");
    assert!(!export(&script, &one).is_empty());
}

/// Messages between page, members and lab.
pub(crate) fn wire_message(data: &[u8]) {
    fn read<T: serde_bounds::Both>(data: &[u8]) {
        let Ok(value) = wire::decode::<T>(data) else { return };
        let encoded = wire::encode(&value).expect("what was read can be written");
        assert!(wire::decode::<T>(&encoded).is_ok(), "what was written can be read");
    }
    let framed = [&[wire::FORMAT], data].concat();
    for bytes in [data, &framed] {
        read::<Vec<wire::PageToMember>>(bytes);
        read::<Vec<wire::MemberToPage>>(bytes);
        read::<wire::PeerMessage>(bytes);
        read::<wire::PeerFrame>(bytes);
    }
}

mod serde_bounds {
    /// What the codec takes, both ways.
    pub(crate) trait Both: serde::Serialize + serde::de::DeserializeOwned {}
    impl<T: serde::Serialize + serde::de::DeserializeOwned> Both for T {}
}
