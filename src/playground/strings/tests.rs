//! Both tables against each other.

use super::template::put_in;
use super::*;

/// A text with sample values in its places, once for each form that it can have.
pub(super) trait Sample {
    fn samples(&self) -> Vec<String>;
}

impl Sample for &'static str {
    fn samples(&self) -> Vec<String> {
        vec![(*self).to_owned()]
    }
}

impl<const N: usize> Sample for [&'static str; N] {
    fn samples(&self) -> Vec<String> {
        self.iter().map(|text| put_in(text, &["αα", "ββ"])).collect()
    }
}

macro_rules! samples {
    ($($kind:ty: $($values:tt)|+;)*) => {
        $(
            impl Sample for $kind {
                fn samples(&self) -> Vec<String> {
                    let forms = vec![$(self.of $values),+];
                    let count = if self.0.contains('|') { forms.len() } else { 1 };
                    forms.into_iter().rev().take(count).collect()
                }
            }
        )*
    };
}

// Numbers of which none is a part of another, names that are no words.
samples! {
    With1: ("") | ("αα");
    With2: ("αα", "") | ("αα", "ββ");
    With3: ("αα", "ββ", "") | ("αα", "ββ", "γγ");
    With4: ("αα", "ββ", "γγ", "δδ");
    WithCount: ("αα", 777_u64);
    With2Count: ("αα", "ββ", 777_u64);
}

// A language may have one form for one and for more.
impl Sample for Count {
    fn samples(&self) -> Vec<String> {
        vec![self.of(1_u64), self.of(777_u64)]
    }
}

impl Sample for Duration {
    fn samples(&self) -> Vec<String> {
        vec![self.of(7_700), self.of(777_000)]
    }
}

const SAMPLES: [&str; 6] = ["αα", "ββ", "γγ", "δδ", "777", "7.7"];

/// Texts that are the same in both languages: words that are not translated, and figures.
const SAME: [&str; 29] = [
    // Signs.
    "cell_open",
    "cell_disturbed",
    "arrow_one_way",
    "arrow_both_ways",
    "fault_slower",
    "summary_leader",
    "summary_term",
    "summary_revision",
    "clock",
    "bytes",
    "mode_indexed_db",
    "role_leader",
    "role_follower",
    "role_candidate",
    "role_pre_candidate",
    "role_learner",
    "field_term",
    "field_revision",
    "link_between",
    "console_placeholder",
    // Of the keys.
    "revision",
    "version",
    "lease",
    "forms",
    "folders",
    // What a change is and what was refused, with a colon, which is another one.
    "change_failed",
    "labelled",
    "noted",
    // Of watches and leases.
    "checkpoint",
];

/// Both texts of each name, form by form.
fn pairs() -> impl Iterator<Item = (&'static str, String, String)> {
    let keys = |language| KeysStrings::of(language).samples();
    let held = |language| HeldStrings::of(language).samples();
    let english = EN.samples().into_iter().chain(keys(Language::English));
    let chinese = ZH.samples().into_iter().chain(keys(Language::Chinese));
    let english = english.chain(held(Language::English));
    let chinese = chinese.chain(held(Language::Chinese));
    english.zip(chinese).flat_map(|((name, english), (_, chinese))| {
        assert_eq!(english.len(), chinese.len(), "{name}");
        english.into_iter().zip(chinese).map(move |(english, chinese)| (name, english, chinese))
    })
}

const fn is_chinese(letter: char) -> bool {
    matches!(letter, '\u{4e00}'..='\u{9fff}')
}

fn between_backticks(text: &str) -> Vec<&str> {
    let mut spans: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    spans.sort_unstable();
    spans
}

#[test]
fn every_text_is_translated_but_for_those_that_shall_be_the_same() {
    let same: Vec<&str> =
        pairs().filter(|(_, english, chinese)| english == chinese).map(|(name, ..)| name).collect();
    let odd: Vec<&&str> = same.iter().filter(|name| !SAME.contains(name)).collect();
    assert!(odd.is_empty(), "not translated: {odd:?}");
    for (name, _, chinese) in pairs() {
        let is_empty = chinese.is_empty() && name != "sentence_gap";
        assert!(!is_empty && !chinese.contains(['{', '}']), "{name}: {chinese}");
        // A partition is written so.
        assert!(!chinese.contains('|') || name == "verb_wrong", "{name}: {chinese}");
    }
}

#[test]
fn both_languages_put_in_the_same_values_and_show_the_same_code() {
    for (name, english, chinese) in pairs() {
        for value in SAMPLES {
            let count = |text: &str| text.matches(value).count();
            assert_eq!(count(&english) > 0, count(&chinese) > 0, "{name} {value}: {chinese}");
        }
        assert_eq!(between_backticks(&english), between_backticks(&chinese), "{name}");
    }
}

#[test]
fn chinese_has_full_width_punctuation_and_spaces_around_latin_words() {
    for (name, _, chinese) in pairs() {
        let letters: Vec<char> = chinese.chars().collect();
        for pair in letters.windows(2) {
            let [one, other] = [pair[0], pair[1]];
            assert!(
                !(is_chinese(one) && other.is_ascii_punctuation()) || other == '`',
                "{name}: {chinese}"
            );
            // What follows a cause is made of Chinese words.
            let touches = is_chinese(one) && (other.is_ascii_alphanumeric() || other == '`')
                || (one.is_ascii_alphanumeric() || one == '`') && is_chinese(other);
            assert!(!touches || name == "told_after", "{name}: {chinese}");
        }
        let narrow = ["，", "。", "：", "；", "、", "？", "（", "）"];
        for mark in narrow {
            let has_gap =
                chinese.contains(&format!("{mark} ")) || chinese.contains(&format!(" {mark}"));
            assert!(!has_gap, "{name}: {chinese}");
        }
    }
}

#[test]
fn tags_of_the_browser_name_a_language() {
    for tag in ["zh", "zh-CN", "zh-Hant-TW", "ZH-hk", "zh_CN"] {
        assert_eq!(Language::of_tag(tag), Some(Language::Chinese), "{tag}");
    }
    assert_eq!(Language::of_tag("en-GB"), Some(Language::English));
    for tag in ["", "de", "zha", "e"] {
        assert_eq!(Language::of_tag(tag), None, "{tag}");
    }
    for language in [Language::English, Language::Chinese] {
        assert_eq!(Language::of_tag(language.name()), Some(language));
        assert_eq!(Language::of_tag(strings_of(language).language), Some(language));
        assert_eq!(language.other().other(), language);
        assert_eq!(
            Language::of_tag(strings_of(language).language_other_tag),
            Some(language.other())
        );
    }
}

#[test]
fn values_are_put_into_their_places_once() {
    assert_eq!(put_in("{1} and {0}, {1}.", &["a {1}", "b"]), "b and a {1}, b.");
    assert_eq!(put_in("nothing", &["a"]), "nothing");
    assert!(
        EN.banner_memory.of("").ends_with("reload.") && ZH.banner_memory.of("").ends_with("留下。")
    );
    assert_eq!(EN.queued.of(1_u64), "1 line waits");
    assert_eq!(EN.queued.of(0_u64), "0 lines wait");
    assert_eq!(EN.told_conf.of("a", "b", ""), "a applied a configuration: voters b.");
    assert_eq!(EN.told_conf.of("a", "b", "c"), "a applied a configuration: voters b, learners c.");
}

#[test]
fn times_and_sizes_read_well() {
    assert_eq!(EN.seconds.of(1240), "1.2 s");
    assert_eq!(EN.seconds.of(59_960), "1 min 00 s");
    assert_eq!(EN.seconds.of(125_000), "2 min 05 s");
    assert_eq!(ZH.seconds.of(125_000), "2 分 05 秒");
    assert_eq!(clock(125_390), "2:05.3");
    assert_eq!(bytes(20_480), "20 KiB");
    assert_eq!(bytes(1_572_864), "1.5 MiB");
    assert_eq!(bytes(-1), "0 B");
}

fn strings_of(language: Language) -> &'static Strings {
    match language {
        Language::English => &EN,
        Language::Chinese => &ZH,
    }
}

/// With `UPDATE_TEXTS` set, the file is written instead.
#[test]
fn the_file_that_the_page_fetches_is_the_chinese_table() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("www/zh.txt");
    let texts = ZH.texts();
    if std::env::var_os("UPDATE_TEXTS").is_some() {
        std::fs::write(&path, &texts).unwrap();
    }
    let file = std::fs::read_to_string(&path).unwrap();
    let other = file.lines().zip(texts.lines()).find(|(kept, made)| kept != made);
    assert_eq!(other, None, "UPDATE_TEXTS=1 cargo test --lib strings writes it anew");
    assert!(file == texts, "one of them is longer: UPDATE_TEXTS=1 cargo test --lib strings");
}

#[test]
fn a_table_is_read_back_as_it_was_and_nothing_else_is_a_table() {
    for table in [&EN, &ZH] {
        let texts = table.texts();
        assert_eq!(Strings::from_texts(texts.clone()).map(Strings::texts), Some(texts.clone()));
        let lines: Vec<&str> = texts.lines().collect();
        assert!(Strings::from_texts(lines[1..].join("\n")).is_none(), "a line is missing");
        assert!(Strings::from_texts(texts + "more\n").is_none(), "a line too many");
    }
    assert!(Strings::from_texts(String::new()).is_none());
}
