//! Scripts as somebody sees them, and the questions about them.
//!
//! What it is: what goes between the page and the lab's program: a [`Question`] there, a [`Sheet`] back; and the one
//! function that answers, so that whoever only asks needs neither grammar nor codec.
//! What it is not: a run; whoever answers brings the player.
//! Invariants: a question carries all it needs, so it can be asked again of a program that was just loaded;
//! foreign text gives a sentence, never a panic; a sheet tells a bounded part of what was printed.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::etcdctl;
use crate::scenario::link::{self, Refusal};
use crate::scenario::prose;
use crate::scenario::report::{Report, StepReport, Verdict};
use crate::scenario::script::{Action, ClusterSettings, Language, Say, SayKind, Script};

/// Most of one output of a step that a sheet tells. Unit: characters.
const OUTPUT_CHARS_MAX: usize = 4000;
/// Most bytes of a character in UTF-8.
const CHAR_BYTES_MAX: usize = 4;

/// What is asked about a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// What is in this link?
    Open {
        /// An address with `#s=…`, or its fragment.
        link: String,
    },
    /// What is the script of these steps?
    Compose {
        /// How its cluster is made.
        cluster: ClusterSettings,
        /// The steps as a script has them.
        lines: Vec<String>,
        /// What they lack of what was done.
        left_out: LeftOut,
    },
    /// What does this script do?
    Play {
        /// The script.
        script: String,
        /// True: the run becomes what the script expects, and a link carries both; false: the run is compared
        /// with what the script expects.
        is_own: bool,
    },
    /// What is in this script?
    Read {
        /// The script.
        script: String,
    },
    /// What does this script do? The run is compared with what it expects, if it expects something, and becomes what it
    /// expects from now on; a link carries both.
    Check {
        /// The script.
        script: String,
    },
    /// What is this script as a shell script for a real etcd? It stands in the place of the sheet's script; who has no writer of
    /// such (see `lab`) answers as to [`Question::Read`].
    Export {
        /// The script.
        script: String,
    },
    /// What is the script and its link under another title?
    Rename {
        /// The script.
        script: String,
        /// The title.
        title: String,
    },
}

/// What a record lacks of what was done, so that a run of it can differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Lines that may hold a password.
    pub secrets: u32,
    /// Other lines that a script cannot hold.
    pub lines: u32,
    /// Something was done for which a script has no words.
    pub has_others: bool,
    /// More was done than a link can carry.
    pub is_full: bool,
    /// The cluster was not empty when recording began.
    pub is_partial: bool,
}

impl LeftOut {
    /// In sentences; nothing if nothing is lacking.
    fn told(self) -> Option<Refusal> {
        let Self { secrets, lines, has_others, is_full, is_partial } = self;
        let (line, is) = (
            |count| if count == 1 { "line" } else { "lines" },
            |count| {
                if count == 1 { "is" } else { "are" }
            },
        );
        let told = [
            (is_full, "More was done than a link can carry: the last steps are left out.".to_owned(), "操作太多，链接容纳不下：最后的步骤没有包括在内。".to_owned()),
            (
                has_others,
                "Members were replaced, handed the lead or made a cluster of their own by buttons, which a script cannot say; answers can differ.".to_owned(),
                "有些成员是用按钮替换、设为 leader 或强制新建集群的，脚本无法表达，因此结果可能不同。".to_owned(),
            ),
            (
                lines > 0,
                format!("{lines} {} for the second cluster, or too long for a link, {} left out; answers can differ.", line(lines), is(lines)),
                format!("有 {lines} 行没有包括在内：它们发往另一个集群，或者太长，链接容纳不下，因此结果可能不同。"),
            ),
            (
                is_partial,
                "Recording began on a cluster that had data already; the lab starts from an empty one, so answers can differ.".to_owned(),
                "开始记录时集群中已有数据，而实验室从空集群开始，因此结果可能不同。".to_owned(),
            ),
            (
                secrets > 0,
                format!("{secrets} {} with passwords {} left out of every link: the record of a session never keeps passwords, while a scenario that you write carries what you write; answers can differ.", line(secrets), is(secrets)),
                format!("有 {secrets} 行含密码，没有包括在链接内：会话记录从不保存密码，而您自己写的场景会原样携带您写的内容。因此结果可能不同。"),
            ),
        ];
        let told: Vec<(String, String)> = told
            .into_iter()
            .filter(|(is_so, ..)| *is_so)
            .map(|(_, english, chinese)| (english, chinese))
            .collect();
        let (english, chinese): (Vec<String>, Vec<String>) = told.into_iter().unzip();
        (!english.is_empty())
            .then(|| Refusal { english: english.join(" "), chinese: chinese.concat() })
    }
}

/// What is said of commands that may hold a password.
fn told_secrets(count: u32) -> Option<Refusal> {
    let english = match count {
        0 => return None,
        1 => "1 line has a password, which the link carries: use no real one. A scenario that you write carries what you write; only the record of a session leaves passwords out.".to_owned(),
        _ => format!("{count} lines have passwords, which the link carries: use no real ones. A scenario that you write carries what you write; only the record of a session leaves passwords out."),
    };
    let chinese = format!(
        "有 {count} 行含密码，链接会原样携带：请不要使用任何真实的密码。您自己写的场景会原样携带您写的内容，只有会话记录会略去密码。"
    );
    Some(Refusal { english, chinese })
}

/// A script, what it did, and the link that carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    /// Its canonical text.
    pub script: String,
    /// Its title.
    pub title: String,
    /// How its cluster is made.
    pub cluster: ClusterSettings,
    /// Its steps, in order.
    pub steps: Vec<SheetStep>,
    /// How a run compares with what the script expected; `None` without a run or an expectation.
    pub verdict: Option<Verdict>,
    /// The fragment of the link without `#`, or why there is none; `None` if nobody asked.
    pub link: Option<Result<String, Refusal>>,
    /// How many expectations, goals, replies and waits for claims of a run came out as they should.
    pub met: u32,
    /// How many did not.
    pub unmet: u32,
    /// What its author has to know before it is shared.
    pub warning: Option<Refusal>,
}

/// A step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetStep {
    /// It does nothing: `text` is a sentence for the reader.
    pub is_prose: bool,
    /// The line as a script has it, or the sentence.
    pub text: String,
    /// The language of the sentence; empty for that of the script.
    pub language: String,
    /// It is a sentence that somebody who reads English does not see, since there is another one for them.
    pub is_not_english: bool,
    /// The same for Chinese.
    pub is_not_chinese: bool,
    /// What it printed, and behind it what ran beside it printed.
    pub output: Bytes,
    /// What it printed as errors.
    pub errors: Bytes,
    /// Output and errors in Chinese, if whoever plays the script has said something in them.
    pub chinese: Option<Box<(Bytes, Bytes)>>,
    /// Its exit status, if it is not 0.
    pub failure: Option<i32>,
}

/// Answers a question; `play` runs a script.
///
/// # Errors
/// Why the link or the script cannot be read, with what to do.
pub fn answer(question: Question, play: impl FnOnce(Script) -> Report) -> Result<Sheet, Refusal> {
    match question {
        Question::Open { link } => Ok(Sheet::of(&link::open(&link)?)),
        Question::Compose { cluster, lines, left_out } => {
            let (text, warning) = compose(cluster, &lines, left_out);
            Ok(Sheet { warning, ..Sheet::of(&read(&text)?) })
        }
        Question::Read { script } | Question::Export { script } => Ok(Sheet::of(&read(&script)?)),
        Question::Play { script, is_own } => {
            let purpose = if is_own { Purpose::Share } else { Purpose::Compare };
            Ok(Sheet::played(read(&script)?, play, purpose))
        }
        Question::Check { script } => Ok(Sheet::played(read(&script)?, play, Purpose::Both)),
        Question::Rename { script, title } => {
            let mut script = read(&script)?;
            script.title = title;
            Ok(Sheet { link: Some(write(&script)), ..Sheet::of(&script) })
        }
    }
}

/// The text of a script of these steps, and what its author has to know.
#[must_use]
pub fn compose(
    cluster: ClusterSettings,
    lines: &[String],
    left_out: LeftOut,
) -> (String, Option<Refusal>) {
    let mut text = Script { cluster, ..Script::default() }.to_string();
    let warning = left_out.told();
    if let Some(told) = &warning {
        // Whoever opens the link has to know it, too.
        text.push_str(&format!("> {}\n>[zh] {}\n", told.english, told.chinese));
    }
    text.push_str(&lines.join("\n"));
    (text, warning)
}

/// What a run is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// It becomes what the script expects, and a link carries both.
    Share,
    /// It is compared with what the script expects.
    Compare,
    /// One after the other.
    Both,
}

fn read(text: &str) -> Result<Script, Refusal> {
    Ok(Script::parse(text)?)
}

fn write(script: &Script) -> Result<String, Refusal> {
    Ok(link::write(script)?)
}

impl Sheet {
    /// A script that has not run.
    #[must_use]
    pub fn of(script: &Script) -> Self {
        let mut steps: Vec<SheetStep> =
            script.steps.iter().map(|found| SheetStep::of(&found.action)).collect();
        let told = |tag: &str| {
            let language = Language::parse(tag).unwrap_or_default();
            prose::told(&script.steps, &script.language, &language)
        };
        for (step, (english, chinese)) in
            steps.iter_mut().zip(told("en").into_iter().zip(told("zh")))
        {
            (step.is_not_english, step.is_not_chinese) = (!english, !chinese);
        }
        let holds_secret = |action: &Action| match action {
            Action::Command { text, .. } => etcdctl::holds_secret(text),
            _ => false,
        };
        let secrets = script.steps.iter().filter(|step| holds_secret(&step.action)).count();
        Self {
            script: script.to_string(),
            title: script.title.clone(),
            cluster: script.cluster,
            steps,
            warning: told_secrets(u32::try_from(secrets).unwrap_or(u32::MAX)),
            ..Self::default()
        }
    }
}

impl Sheet {
    /// A script that is played: compared with what it expects, or carried by a link, or both.
    fn played(mut script: Script, play: impl FnOnce(Script) -> Report, purpose: Purpose) -> Self {
        let report = play(script.clone());
        let expected = script.expected.as_ref().filter(|_| purpose != Purpose::Share);
        let verdict = expected.map(|expected| report.compare(expected));
        let is_linked = purpose != Purpose::Compare;
        if is_linked {
            script.expected = Some(report.expected());
        }
        let link = is_linked.then(|| write(&script));
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (met, unmet) = report.tally();
        let (met, unmet) = (count(met), count(unmet));
        let mut sheet = Self { verdict, link, met, unmet, ..Self::of(&script) };
        for (step, found) in sheet.steps.iter_mut().zip(&report.steps) {
            step.take(found);
        }
        sheet
    }
}

fn language(say: &Say) -> String {
    say.language.as_ref().map(|language| language.tag().to_owned()).unwrap_or_default()
}

impl SheetStep {
    /// A step that has not run.
    #[must_use]
    pub fn of(action: &Action) -> Self {
        match action {
            Action::Say(say) if say.kind == SayKind::Narration => {
                let text = say.text.clone();
                let language = language(say);
                Self { is_prose: true, text, language, ..Self::default() }
            }
            action => {
                let language =
                    if let Action::Say(say) = action { language(say) } else { String::new() };
                Self { text: action.to_string(), language, ..Self::default() }
            }
        }
    }

    /// Output and errors, in Chinese or in English.
    #[must_use]
    pub fn printed(&self, is_chinese: bool) -> (&Bytes, &Bytes) {
        match self.chinese.as_deref().filter(|_| is_chinese) {
            Some((output, errors)) => (output, errors),
            None => (&self.output, &self.errors),
        }
    }

    /// Takes over what a step printed.
    pub fn take(&mut self, report: &StepReport) {
        let output = |stdout: &[u8], is_chinese: bool| {
            let mut output = head(stdout).to_vec();
            for (label, bytes) in &report.background {
                output.extend(format!("[{label}] ").into_bytes());
                let chinese = is_chinese.then(|| report.chinese_beside(label, bytes));
                output.extend(head(chinese.as_deref().unwrap_or(bytes)));
            }
            Bytes::from(output)
        };
        self.output = output(&report.stdout, false);
        self.errors = Bytes::copy_from_slice(head(&report.stderr));
        self.chinese = (!report.said.is_empty() || !report.ended_beside.is_empty()).then(|| {
            let [out, err] =
                [(false, &report.stdout), (true, &report.stderr)].map(|(is_error, stream)| {
                    report.chinese(is_error).unwrap_or_else(|| stream.clone())
                });
            Box::new((output(&out, true), Bytes::copy_from_slice(head(&err))))
        });
        self.failure = report.status.filter(|status| *status != 0);
    }
}

/// The first characters, whole ones.
fn head(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.get(..OUTPUT_CHARS_MAX * CHAR_BYTES_MAX).unwrap_or(bytes);
    let is_first = |(_, byte): &(usize, &u8)| !(0x80..0xc0).contains(*byte);
    let end = bytes.iter().enumerate().filter(is_first).nth(OUTPUT_CHARS_MAX);
    end.and_then(|(at, _)| bytes.get(..at)).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never(_: Script) -> Report {
        unreachable!("nothing shall be played")
    }

    fn compose(lines: &[&str]) -> Result<Sheet, Refusal> {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        let (cluster, left_out) = (ClusterSettings::default(), LeftOut::default());
        answer(Question::Compose { cluster, lines, left_out }, never)
    }

    fn report(script: &Script) -> Report {
        let step = |(at, step): (u64, &crate::scenario::Step)| StepReport {
            line: step.action.to_string(),
            stdout: b"OK\n".to_vec(),
            status: Some(i32::from(at == 2)),
            outcome: at << 48,
            background: vec![("@2".to_owned(), b"PUT\n".to_vec())],
            ..StepReport::default()
        };
        let steps: Vec<StepReport> = (1..).zip(&script.steps).map(step).collect();
        let outcome = steps.last().map(|step| step.outcome).unwrap_or_default();
        Report { steps, outcome, trace: 77, engine_trace: 1, ..Report::default() }
    }

    fn play(script: &str, is_own: bool) -> Sheet {
        let question = Question::Play { script: script.to_owned(), is_own };
        answer(question, |script| report(&script)).unwrap()
    }

    #[test]
    fn steps_become_a_script_that_is_played_and_a_link_that_opens_to_the_same_steps() {
        let composed = compose(&["put a 1", "@2 watch a", "kill leader"]).unwrap();
        assert!(composed.script.ends_with("\nput a 1\n@2 watch a\nkill leader\n"));
        assert!(composed.script.contains("members=3 seed=1 tick=100ms"), "{}", composed.script);
        assert_eq!(composed.link, None);
        let played = play(&composed.script, true);
        assert_eq!(played.verdict, None);
        assert_eq!(played.steps[1].failure, Some(1));
        assert_eq!(played.steps[0].output, "OK\n[@2] PUT\n");
        assert!(played.script.contains("\nexpect: outcome=0003"));
        let link = played.link.unwrap().unwrap();
        let opened = answer(Question::Open { link }, never).unwrap();
        assert_eq!(opened.script, played.script);
        assert_eq!((opened.title.as_str(), opened.link), ("", None));
        let texts = |sheet: &[SheetStep]| -> Vec<String> {
            sheet.iter().map(|step| step.text.clone()).collect()
        };
        assert_eq!(texts(&opened.steps), texts(&composed.steps));
        assert_eq!(play(&opened.script, false).verdict, Some(Verdict::Exact));
    }

    #[test]
    fn what_was_left_out_is_told_in_the_script_and_passwords_that_were_written_are_warned_of() {
        let left_out = LeftOut { secrets: 1, lines: 2, is_partial: true, ..LeftOut::default() };
        let (cluster, lines) = (ClusterSettings::default(), vec!["get a".to_owned()]);
        let sheet = answer(Question::Compose { cluster, lines, left_out }, never).unwrap();
        let told = sheet.warning.unwrap();
        assert!(told.english.starts_with("2 lines for the second cluster"), "{}", told.english);
        assert!(told.english.contains("1 line with passwords is left out"), "{}", told.english);
        assert!(told.chinese.contains("有 1 行含密码"), "{}", told.chinese);
        let texts: Vec<&str> = sheet.steps.iter().map(|step| step.text.as_str()).collect();
        assert_eq!(texts, [told.english.as_str(), told.chinese.as_str(), "get a"]);
        let script = "> user add alice:pw\nput a 1\n@2 user add alice:pw\nget a --user=alice:pw\n";
        let sheet = answer(Question::Read { script: script.to_owned() }, never).unwrap();
        assert!(sheet.warning.unwrap().english.starts_with("2 lines have passwords"));
        assert_eq!(compose(&["get a"]).unwrap().warning, None);
    }

    #[test]
    fn another_title_keeps_everything_else() {
        let played = play(&compose(&["put a 1"]).unwrap().script, true);
        let question = Question::Rename { script: played.script.clone(), title: "Two".to_owned() };
        let renamed = answer(question, never).unwrap();
        assert_eq!(renamed.script.replace("title: Two\n", ""), played.script);
        let link = renamed.link.unwrap().unwrap();
        assert_eq!(answer(Question::Open { link }, never).unwrap().title, "Two");
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_the_reason() {
        let open = |link: &str| answer(Question::Open { link: link.to_owned() }, never);
        let damaged = open("s=AA+A").unwrap_err();
        assert!(damaged.english.contains("damaged at character 3"), "{damaged:?}");
        assert!(damaged.chinese.contains("第 3 个字符"), "{damaged:?}");
        let unread = compose(&["kill infra9"]).unwrap_err();
        assert!(unread.english.contains("expected a member"), "{unread:?}");
        assert!(unread.chinese.starts_with("无法读取脚本，第 "), "{unread:?}");
        let nothing = Question::Play { script: "put a b".to_owned(), is_own: false };
        let sheet = answer(nothing, |script| report(&script)).unwrap();
        assert_eq!(sheet.verdict, None, "it expects nothing");
    }

    #[test]
    fn a_script_that_is_checked_is_compared_with_what_it_expects_and_gets_a_link_of_this_run() {
        let check = |script: &str, of: fn(&Script) -> Report| {
            answer(Question::Check { script: script.to_owned() }, |script| of(&script)).unwrap()
        };
        let first = check("put a 1\nput a 2\n", report);
        assert_eq!(first.verdict, None, "it expected nothing");
        let again = check(&first.script, report);
        assert_eq!(again.verdict, Some(Verdict::Exact));
        assert_eq!((again.link, again.script), (first.link, first.script.clone()));
        let differs = check(&first.script, |script| Report { outcome: 9, ..report(script) });
        assert!(matches!(differs.verdict, Some(Verdict::OutcomeDiffers { .. })));
        assert_eq!(
            check(&differs.script, |script| Report { outcome: 9, ..report(script) }).verdict,
            Some(Verdict::Exact)
        );
        let read = answer(Question::Read { script: first.script.clone() }, never).unwrap();
        assert_eq!((read.script, read.verdict, read.link), (first.script, None, None));
        assert!(answer(Question::Check { script: "kill infra9".to_owned() }, never).is_err());
    }

    #[test]
    fn a_sentence_has_its_language() {
        let question =
            Question::Play { script: "> One\n>[zh] 一\nhint[zh] 二".to_owned(), is_own: true };
        let sheet = answer(question, |script| report(&script)).unwrap();
        let told: Vec<(bool, &str, &str)> = sheet
            .steps
            .iter()
            .map(|step| (step.is_prose, step.language.as_str(), step.text.as_str()))
            .collect();
        assert_eq!(told, [(true, "", "One"), (true, "zh", "一"), (false, "zh", "hint[zh] 二")]);
        let english: Vec<bool> = sheet.steps.iter().map(|step| !step.is_not_english).collect();
        let chinese: Vec<bool> = sheet.steps.iter().map(|step| !step.is_not_chinese).collect();
        assert_eq!((english, chinese), (vec![true, false, false], vec![false, true, true]));
    }

    #[test]
    fn a_sentence_is_prose_and_a_long_output_is_cut_between_characters() {
        let sheet = compose(&["> A *sentence*."]).unwrap();
        assert!(sheet.steps[0].is_prose && sheet.steps[0].text == "A *sentence*.");
        let long = "é".repeat(OUTPUT_CHARS_MAX + 1);
        assert_eq!(head(long.as_bytes()), "é".repeat(OUTPUT_CHARS_MAX).as_bytes());
        assert_eq!(head(&[0x80; 1 << 20]).len(), OUTPUT_CHARS_MAX * CHAR_BYTES_MAX);
        assert_eq!(head(b"short"), b"short");
    }
}
