//! What is fuzzed: functions of foreign bytes that must neither panic nor hang.
//!
//! Both `fuzz_targets/` (libFuzzer) and `tests/fuzz.rs` (every test run) include this file.

mod console;
mod disk;

pub(crate) use console::{console_line, txn_form, watch_form};
pub(crate) use disk::{snapshot_file, stored_record};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use etcd_playground::scenario::{Script, link};
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
