//! Steps of recorded cases that are not reproduced, and why.

use serde_json::Value;

/// (case, step counted from 1, reason). A step that is reproduced must not stand here.
pub(crate) const DEVIATIONS: &[(&str, usize, &str)] = &[];

/// A reason that holds for every step of a kind.
pub(crate) struct Rule {
    pub(crate) reason: &'static str,
    applies: fn(&Value) -> bool,
}

/// What `etcdctl` does and ours never will.
const RULES: [Rule; 2] = [
    Rule {
        reason: "etcdctl crashes; ours answers with an error, or does what was meant",
        applies: |step| {
            let stderr = step["expect"]["stderr"].as_str().unwrap_or_default();
            stderr.starts_with("panic: ") && step["expect"]["exit"] == 2
        },
    },
    Rule {
        reason: "commands that would run a program are refused on purpose",
        applies: |step| {
            let words: Vec<&str> =
                step["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let runs = match words.get(1).copied() {
                Some("watch") => words
                    .iter()
                    .position(|word| *word == "--")
                    .is_some_and(|at| at + 1 < words.len()),
                Some("lock") => arguments(&words) > 1,
                _ => false,
            };
            runs && step["expect"]["exit"] != 128
        },
    },
];

/// How many words of a `lock` are neither flags nor their values.
fn arguments(words: &[&str]) -> usize {
    let takes_value = |word: &str| word.starts_with('-') && !word.contains('=') && word != "--";
    (2..words.len())
        .filter(|at| !words[*at].starts_with('-') && !takes_value(words[at - 1]))
        .count()
}

/// Why this step may differ, if it may.
pub(crate) fn reason(case: &str, number: usize, step: &Value) -> Option<&'static str> {
    let listed = DEVIATIONS.iter().find(|(id, at, _)| *id == case && *at == number);
    let rule = || RULES.iter().find(|rule| (rule.applies)(step)).map(|rule| rule.reason);
    listed.map(|(_, _, why)| *why).or_else(rule)
}
