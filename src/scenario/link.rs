//! Links: a script in the fragment of the page's address.
//!
//! What it is: `s=` and base64url of a version byte and the raw-deflated canonical script, with every
//! cluster setting explicit and the hashes of a run. The version is that of the script's grammar, so that a page that knows
//! only the older one says so and opens what it can.
//! What it is not: trusted; a link is hostile data until it has passed [`open`].
//! Invariants: [`open`] never panics, never inflates past its limit, and names what to do;
//! versions 1 and 2 decode for ever (golden tests).
//! Source of the limits: DESIGN 20 and the survey of browser limits (shared links as hostile data).

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
use serde::{Deserialize, Serialize};

use crate::scenario::script::{Action, Grammar, ParseError, Script};
use crate::scenario::verb::WAIT_LIMIT_MAX_MS;
use crate::types::Base64;

/// The newest version of the format.
pub const LINK_VERSION: u8 = 2;

/// Most characters that are written; longer links break in mail and chat programs.
pub const WRITTEN_CHARS_MAX: usize = 8_000;

/// Most characters that are read.
pub const READ_CHARS_MAX: usize = 16 * 1024;

/// Most bytes a link may inflate to.
pub const INFLATED_BYTES_MAX: usize = 256 * 1024;

/// Most steps of a link's script that do something; with version 1 sentences count as well.
pub const STEPS_MAX: usize = 200;

/// Most sentences of a link's script.
pub const SENTENCES_MAX: usize = 1_000;

/// The longest that a link's waits may last, taken together. Unit: ms.
pub const TOTAL_WAIT_MS_MAX: u64 = WAIT_LIMIT_MAX_MS;

/// Effort of the deflater. Range: 0 to 10.
const DEFLATE_LEVEL: u8 = 9;

/// Why there is no link, or no script in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The script makes too long a link.
    #[error(
        "the link would be {chars} characters long, more than the {WRITTEN_CHARS_MAX} that mail and \
         chat programs carry safely; save the script as a file and send that"
    )]
    TooLongToWrite {
        /// Its length.
        chars: usize,
    },
    /// The link is too long.
    #[error(
        "the link is {chars} characters long, more than the {READ_CHARS_MAX} that are read; \
         ask its sender for the script as a file"
    )]
    TooLongToRead {
        /// Its length.
        chars: usize,
    },
    /// There is no link in the text.
    #[error("this is no link to a script: nothing stands after \"#s=\"; copy the whole address")]
    Empty,
    /// A character that no link has.
    #[error("the link is damaged at character {at}; copy the whole address again")]
    Damaged {
        /// Counted from 1, after `s=`.
        at: usize,
    },
    /// Cut off or changed on its way.
    #[error("the link is incomplete or was changed on its way; copy the whole address again")]
    Incomplete,
    /// Made by another version.
    #[error(
        "the link says version {version}, and this page reads versions 1 to {LINK_VERSION}: it was changed on its way, or made by a newer page; copy the whole address again, or reload this page"
    )]
    UnknownVersion {
        /// Its version byte.
        version: u8,
    },
    /// It inflates to too much.
    #[error("the link holds more than {} KiB of text and is not opened", INFLATED_BYTES_MAX / 1024)]
    TooLarge,
    /// The text in it is no UTF-8.
    #[error("the link holds no text; copy the whole address again")]
    NoText,
    /// The text in it is no script.
    #[error("the script in the link cannot be read: {0}")]
    Script(ParseError),
    /// Too many steps.
    #[error(
        "the script has {steps} steps, and a link may have {STEPS_MAX} that do something and {SENTENCES_MAX} sentences; such a script is sent as a file"
    )]
    TooManySteps {
        /// How many.
        steps: usize,
    },
    /// It waits too long.
    #[error(
        "the script waits longer than 10 minutes in all, and that of a link may not; such a script is sent as a file"
    )]
    TooMuchWaiting,
}

impl LinkError {
    /// The same in Chinese.
    fn chinese(&self) -> String {
        match self {
            Self::TooLongToWrite { chars } => format!(
                "链接会有 {chars} 个字符，超过了邮件和聊天工具能可靠传送的 {WRITTEN_CHARS_MAX} 个；请把脚本保存为文件再发送"
            ),
            Self::TooLongToRead { chars } => format!(
                "链接有 {chars} 个字符，这里最多读取 {READ_CHARS_MAX} 个；请让发送者把脚本作为文件发给您"
            ),
            Self::Empty => "这不是脚本链接：“#s=” 之后没有内容；请复制完整的地址".to_owned(),
            Self::Damaged { at } => {
                format!("链接在第 {at} 个字符处已损坏；请重新复制完整的地址")
            }
            Self::Incomplete => "链接不完整，或在传送途中被改动；请重新复制完整的地址".to_owned(),
            Self::UnknownVersion { version } => format!(
                "链接标明的版本是 {version}，此页面能读取版本 1 到 {LINK_VERSION}：它在传送途中被改动，或由更新的页面生成；请重新复制完整的地址，或刷新此页面"
            ),
            Self::TooLarge => {
                format!("链接中的文本超过 {} KiB，不予打开", INFLATED_BYTES_MAX / 1024)
            }
            Self::NoText => "链接中没有文本；请重新复制完整的地址".to_owned(),
            Self::Script(fault) => {
                let ParseError { line, column, wrong } = fault;
                format!("无法读取链接中的脚本，第 {line} 行第 {column} 列：{}", wrong.chinese())
            }
            Self::TooManySteps { steps } => format!(
                "脚本有 {steps} 步，而链接最多可有 {STEPS_MAX} 个执行步骤和 {SENTENCES_MAX} 句说明；请用文件传送这样的脚本"
            ),
            Self::TooMuchWaiting => {
                "脚本总共等待超过 10 分钟，链接不能这么长；请用文件传送这样的脚本".to_owned()
            }
        }
    }
}

/// Why a script or a link cannot be read or written, in the languages of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// In English.
    pub english: String,
    /// In Chinese.
    pub chinese: String,
}

impl Refusal {
    /// In the language of this tag, such as `zh-CN`; in English if it is none of the two.
    #[must_use]
    pub fn of(&self, tag: &str) -> &str {
        if tag.starts_with("zh") { &self.chinese } else { &self.english }
    }
}

impl From<LinkError> for Refusal {
    fn from(error: LinkError) -> Self {
        Self { english: error.to_string(), chinese: error.chinese() }
    }
}

impl From<ParseError> for Refusal {
    fn from(fault: ParseError) -> Self {
        let ParseError { line, column, wrong } = &fault;
        let chinese = format!("无法读取脚本，第 {line} 行第 {column} 列：{}", wrong.chinese());
        Self { english: fault.to_string(), chinese }
    }
}

/// The fragment (without `#`) for a script.
///
/// # Errors
/// [`LinkError::TooLongToWrite`], or a limit that the reader would refuse.
pub fn write(script: &Script) -> Result<String, LinkError> {
    check(script)?;
    let mut bytes = vec![version(script)];
    bytes.extend(compress_to_vec(script.to_string().as_bytes(), DEFLATE_LEVEL));
    let fragment = format!("s={}", Base64::URL.encode(&bytes));
    if fragment.len() > WRITTEN_CHARS_MAX {
        return Err(LinkError::TooLongToWrite { chars: fragment.len() });
    }
    Ok(fragment)
}

/// The script in a link: an address with `#s=…`, or the fragment with or without `#`.
///
/// # Errors
/// See [`LinkError`]; each says what to do.
pub fn open(link: &str) -> Result<Script, LinkError> {
    let link = link.trim();
    let fragment = link.split_once('#').map_or(link, |(_, fragment)| fragment);
    let Some(encoded) = fragment.strip_prefix("s=").filter(|rest| !rest.is_empty()) else {
        return Err(LinkError::Empty);
    };
    if encoded.len() > READ_CHARS_MAX {
        return Err(LinkError::TooLongToRead { chars: encoded.len() });
    }
    let is_foreign = |byte: u8| !(byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if let Some(at) = encoded.bytes().position(is_foreign) {
        return Err(LinkError::Damaged { at: at + 1 });
    }
    let bytes = Base64::URL.decode(encoded).ok_or(LinkError::Incomplete)?;
    let (version, deflated) = bytes.split_first().ok_or(LinkError::Empty)?;
    if !(1..=LINK_VERSION).contains(version) {
        return Err(LinkError::UnknownVersion { version: *version });
    }
    let inflated = decompress_to_vec_with_limit(deflated, INFLATED_BYTES_MAX);
    let inflated = inflated.map_err(|fault| match fault.status {
        TINFLStatus::HasMoreOutput => LinkError::TooLarge,
        _ => LinkError::Incomplete,
    })?;
    let text = String::from_utf8(inflated).map_err(|_fault| LinkError::NoText)?;
    let script = Script::parse(&text).map_err(LinkError::Script)?;
    if self::version(&script) > *version {
        // The first pages read such a text without its "script: 1".
        return Script::parse(&format!("script: 1\n{text}")).map_err(LinkError::Script).and_then(
            |script| {
                check(&script)?;
                Ok(script)
            },
        );
    }
    check(&script)?;
    Ok(script)
}

/// The version byte of a script's link.
const fn version(script: &Script) -> u8 {
    match script.version {
        Grammar::One => 1,
        Grammar::Two => 2,
    }
}

/// True if a fragment (without `#`) is meant as a link to a script.
#[must_use]
pub fn is_link(fragment: &str) -> bool {
    fragment.starts_with("s=")
}

/// Canonical texts up to this size nearly always become links that are short enough. Unit: bytes.
/// Source: ours; three bytes of a scenario become one of a link.
const SURE_BYTES: usize = 3 * WRITTEN_CHARS_MAX;

/// Whether a script becomes a link, as far as that is known without making it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// It does, most likely.
    #[default]
    Fits,
    /// Its link may be too long.
    Large,
    /// It has too many steps, sentences or waits for one.
    TooMuch,
}

/// Looks whether a script, whose text has so many bytes, becomes a link.
#[must_use]
pub fn fit(script: &Script, bytes: usize) -> Fit {
    match check(script) {
        Err(_too_much) => Fit::TooMuch,
        Ok(()) if bytes > SURE_BYTES => Fit::Large,
        Ok(()) => Fit::Fits,
    }
}

fn check(script: &Script) -> Result<(), LinkError> {
    let all = script.steps.len();
    let said = script.steps.iter().filter(|step| matches!(step.action, Action::Say(_))).count();
    let steps = if script.version == Grammar::One { all } else { all - said };
    if steps > STEPS_MAX || said > SENTENCES_MAX {
        return Err(LinkError::TooManySteps { steps: all });
    }
    if script.total_wait_ms() > TOTAL_WAIT_MS_MAX {
        return Err(LinkError::TooMuchWaiting);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::scenario::Expected;
    use crate::scenario::script::tests::any_script;

    /// Made once by version 1. Never change it: links in the world look like this.
    const GOLDEN: &str = "s=AS2NzW6DMBCE736KvUWKRIXNTxIkR_059NRXqGTspdnG2NReSh-_gHKa0Yy-mWwTTdyBFEzssYP3\
        6B0GYf2cGVMHI449pqwbyIhO1wqY7F035ZgBPVqmGLTM8DNHNrqtP-hV4N-0Fh3EmW0cUZdSVXXTns4X01uH\
        A3AyFvWAzvbmcj61TV0pWQKGLwqoJazXU96xDdhQcYUXOGYMjMHi8Uk8K1gM2xsMMUJRJPzVCooFvnMMYpp5\
        zw8G-oO4k_fg0ThMYjHEDw8L8Y0CVGXe1j7fhF0xCkMysrjuqsQ_";

    fn raw(version: u8, text: &[u8]) -> String {
        let mut bytes = vec![version];
        bytes.extend(compress_to_vec(text, DEFLATE_LEVEL));
        format!("s={}", Base64::URL.encode(&bytes))
    }

    /// Made once by version 2. Never change it, either.
    const GOLDEN_TWO: &str = "s=Ak2Rv44TMRDG-3mK0ZUnJdrdbHJ3q_j4Iw6KE7oGiQKBzmvPJla8trG9lwsVHXSIB6BBokS0SLwOf98Ce0\
        MkKns0-r5vfjNBeOVigxVEFTU1-MhqSWZfPXu1ft7gnzfvQeghRPIN9tS35AObYSCSrK4wKrFh86IPSJpEVN\
        awMuDLwUbOFvVjdR81cW-yqIRO81VocDIJhruwtnEi7GAiK4sC6NYlfYN2iML2xIqymtXzxcnpGW-FpA6j54\
        JYR1K0_Oz0ZDGvZ1VZIJmVMsRqpBvyO1ZhmtSFUZ6F4LiPeKm0Hn-ZCX99e_vz80c4x3t4HMhEMoKOp3A-Nr\
        9_ff3j3affXz7AynKNCbtHbwNhu8MSeuIm4EVGncJamYhPdo7wepMCMqkkfz0FN0TsrMXl8uLqIXBsIb97wg\
        yY-yrg1SUEq4e8NPjPALZcZb3PSClhXCxJ3KqYEnFWBCAjgYcNPl3bURTuQJprS_5g4cnpHSrTeV7B3XSmW4\
        MTlX9LzOk8saTixQPgUh5OBM7b3kba6-pk0tsbwjwaSei53xwYkvQfhrAmcpV2cpQwjw59Y3HrVXLSNkT4Cw";

    fn golden_script_two() -> Script {
        Script::parse(
            "title: Golden\ntitle[zh]: 金\n\
             cluster: members=3 learners=1 seed=42 tick=50ms election=1s quota=64MiB\n\
             flags: --snapshot-count=100\n\
             expect: outcome=0123456789abcdef trace=fedcba9876543210 engine=4 every=2 steps=0123abcd\n\
             part Kill\npart[zh] 终止\n> A *sentence*.\n>[zh] 一句话\ngoal term rose by 1\nmeans Elect.\n\
             hint Type `kill leader`.\nput foo <<EOF\na b\nEOF\nexpect output is OK\nsolution\n\
             kill leader\nwait for event elected within 30s\nend\nask Who leads?\nanswer leader\n\
             reply infra2\n@2 txn -i\n@2 < put a 1\n@2 ^D\nadd learner\npromote infra4\nremove killed\n\
             mark\nexpect @2 output contains \"a b\"\nexpect no write lost\n",
        )
        .unwrap()
    }

    fn golden_script() -> Script {
        Script::parse(
            "script: 1\ntitle: Golden\ncluster: members=5 seed=42 tick=50ms election=1s quota=64MiB\n\
             expect: outcome=0123456789abcdef trace=fedcba9876543210 engine=1 steps=0123abcd4567\n\
             > A *sentence*.\n@2 watch foo --rev=2 -w json\nput foo 'a b'\nkill leader\n\
             wait leader within 30s\n@2 ^C\ncut infra1->infra2\n",
        )
        .unwrap()
    }

    #[test]
    fn version_one_opens_for_ever() {
        let mut opened = open(GOLDEN).unwrap();
        let mut made = golden_script();
        for step in opened.steps.iter_mut().chain(&mut made.steps) {
            step.line = 0;
        }
        assert_eq!(opened, made);
    }

    #[test]
    fn version_two_opens_for_ever() {
        let written = golden_script_two().to_string();
        assert_eq!(open(GOLDEN_TWO).map(|found| found.to_string()), Ok(written));
    }

    #[test]
    fn a_failover_in_ten_steps_fits_where_chats_cut() {
        let mut script = Script::parse(
            "title: Failover\n> A leader dies, and nothing is lost.\nput /registry/pods/default/web-1 v1\n\
             @2 watch /registry/pods/default/web-1 --rev=2 -w json\nkill leader\n\
             wait for event elected within 30s\nexpect term rose by 1\nput /registry/pods/default/web-1 v2\n\
             restart killed\nwait for all are caught-up within 30s\nexpect @2 saw each event once\n\
             expect no write lost\n",
        )
        .unwrap();
        let hash = |number: u64| {
            let digest = Sha256::digest(number.to_be_bytes());
            digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
        };
        let steps = (0..11).map(|number| (hash(number) >> 48) as u16).collect();
        let (outcome, trace) = (hash(90), hash(91));
        script.expected = Some(Expected { outcome, trace, engine_trace: 4, every: 1, steps });
        let link = write(&script).unwrap();
        assert!(link.len() < 600, "{} characters", link.len());
    }

    #[test]
    fn every_reason_is_said_in_chinese_with_the_same_numbers() {
        let wrong = crate::scenario::Wrong::LongLine;
        let fault = ParseError { line: 3, column: 5, wrong };
        let reasons = [
            LinkError::TooLongToWrite { chars: 9_001 },
            LinkError::TooLongToRead { chars: 20_000 },
            LinkError::Empty,
            LinkError::Damaged { at: 7 },
            LinkError::Incomplete,
            LinkError::UnknownVersion { version: 9 },
            LinkError::TooLarge,
            LinkError::NoText,
            LinkError::Script(fault),
            LinkError::TooManySteps { steps: 201 },
            LinkError::TooMuchWaiting,
        ];
        let numbers = |text: &str| -> Vec<u32> {
            let parts = text.split(|c: char| !c.is_ascii_digit());
            parts.filter_map(|part| part.parse().ok()).collect()
        };
        for reason in reasons {
            let said = Refusal::from(reason);
            assert!(!said.of("zh-CN").is_ascii() && said.of("en").is_ascii(), "{said:?}");
            assert_eq!(numbers(&said.english), numbers(&said.chinese), "{said:?}");
        }
    }

    #[test]
    fn a_link_is_found_in_a_whole_address() {
        let fragment = write(&golden_script()).unwrap();
        let opened = open(&fragment).unwrap();
        assert_eq!(open(&format!(" https://x.example/play/#{fragment}\n")), Ok(opened.clone()));
        assert_eq!(open(&format!("#{fragment}")), Ok(opened));
        assert!(is_link(&fragment) && !is_link("tutorial"));
    }

    #[test]
    fn bad_links_say_what_to_do() {
        let good = raw(LINK_VERSION, b"put a b\n");
        let cases = [
            ("", "copy the whole address"),
            ("#s=", "copy the whole address"),
            ("https://x.example/", "copy the whole address"),
            ("s=AA+A", "damaged at character 3"),
            (&good[..good.len() - 4], "incomplete"),
            (&raw(3, b"put a b\n"), "version 3, and this page reads versions 1 to 2"),
            (&raw(1, &[0xff, 0xfe]), "holds no text"),
            (&raw(1, b"kill"), "line 1, column 5: expected a member"),
            (&raw(1, "put a b\n".repeat(201).as_bytes()), "201 steps"),
            (&raw(2, "put a b\n".repeat(201).as_bytes()), "201 steps"),
            (&raw(2, "> a\n".repeat(1001).as_bytes()), "1000 sentences"),
            (&raw(1, b"script: 2\nput a b"), "\"script:\" stands here twice"),
            (&raw(2, b"wait for leader within 9m\nwait 2m"), "longer than 10 minutes"),
            (&raw(1, b"wait 10m\nwait 1ms"), "longer than 10 minutes"),
            (&raw(1, b"cluster: members=8"), "1 to 7 members"),
            (&format!("s={}", "A".repeat(READ_CHARS_MAX + 1)), "16385 characters long"),
        ];
        for (link, part) in cases {
            let fault = open(link).unwrap_err().to_string();
            assert!(fault.contains(part), "{link}: {fault}");
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let bomb = raw(LINK_VERSION, &vec![b'#'; 8 << 20]);
        assert!(bomb.len() < READ_CHARS_MAX, "{}", bomb.len());
        assert_eq!(open(&bomb), Err(LinkError::TooLarge));
        let fits = raw(LINK_VERSION, "#\n".repeat(INFLATED_BYTES_MAX / 2).as_bytes());
        assert!(open(&fits).is_ok());
    }

    #[test]
    fn a_link_that_would_be_too_long_is_not_written() {
        // Values without any pattern do not deflate.
        let mut text = String::new();
        for step in 0..150 {
            let value = Sha256::digest(format!("value {step}"));
            text.push_str(&format!("put k{step} {value:x}\n"));
        }
        let script = Script::parse(&text).unwrap();
        let fault = write(&script).unwrap_err();
        assert!(matches!(fault, LinkError::TooLongToWrite { chars } if chars > WRITTEN_CHARS_MAX));
        assert!(fault.to_string().contains("save the script as a file"));
    }

    proptest! {
        #[test]
        fn a_script_comes_back_out_of_its_link(script in any_script()) {
            match write(&script) {
                Ok(link) => prop_assert_eq!(open(&link).map(|found| found.to_string()), Ok(script.to_string())),
                Err(fault) => prop_assert!(matches!(fault, LinkError::TooMuchWaiting), "{}", fault),
            }
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut with_version = vec![LINK_VERSION];
            with_version.extend(&bytes);
            let _ = open(&format!("s={}", Base64::URL.encode(&with_version)));
            let _ = open(&format!("s={}", Base64::URL.encode(&bytes)));
            let _ = open(&String::from_utf8_lossy(&bytes));
            let _ = open(&raw(LINK_VERSION, &bytes));
        }
    }
}
