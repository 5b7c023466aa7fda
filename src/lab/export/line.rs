//! A line of a console in a script for a real shell.
//!
//! What it is: the line read as the lab's own console reads it, and written again: every word in quotes, variables filled in
//! by the script.
//! What it is not: the line as it was typed: a real shell would do more with it than the lab does.
//! Invariants: whatever a line holds, only its program and the variables that a scenario knows mean anything to the shell;
//! a line that the lab's console refuses comes into no script.

use crate::etcdctl::{self, Plain};
use crate::scenario::fill;

/// Stand around the name of a variable while the line is read: no keyboard writes them.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';

/// A line in the words of a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// What the shell runs.
    pub(super) text: String,
    /// Variables that it needs.
    pub(super) variables: Vec<&'static str>,
    /// It grants a lease.
    pub(super) grants: bool,
    /// What it prints differs from run to run: only its shape can be compared.
    pub(super) is_fleeting: bool,
}

/// A word of a shell.
pub(super) fn word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Writes a line that follows a command which ended with `status`; the error says why it cannot be.
pub(super) fn written(line: &str, status: i32) -> Result<Line, String> {
    if line.contains([OPEN, CLOSE]) {
        return Err("it holds characters that stand for nothing".to_owned());
    }
    let mut variables = Vec::new();
    let masked = fill(line, &mut |name| {
        if !variables.contains(&name) {
            variables.push(name);
        }
        Ok(format!("{OPEN}{name}{CLOSE}"))
    });
    let masked = masked.map_err(|why| why.to_string())?;
    if variables.contains(&"ISOLATED") {
        return Err("nobody can be isolated here".to_owned());
    }
    let Plain { assigned, words, input } = etcdctl::plain(&masked, status)?;
    let quoted = |text: &str| word(text).replace(OPEN, "'\"$").replace(CLOSE, "\"'");
    let mut text = String::new();
    if let Some(bytes) = input {
        let given =
            String::from_utf8(bytes).map_err(|why| format!("its input is no text: {why}"))?;
        text = format!("printf '%s' {} | ", quoted(&given));
    }
    let names: Vec<&str> = words.iter().map(String::as_str).collect();
    if names.is_empty() {
        text.push_str("export");
    }
    for (name, value) in &assigned {
        let before = if text.is_empty() || text.ends_with(' ') { "" } else { " " };
        text.push_str(&format!("{before}{name}={}", quoted(value)));
    }
    if !assigned.is_empty() && !names.is_empty() {
        text.push(' ');
    }
    let (program, rest) = match names.as_slice() {
        [] => ("", [].as_slice()),
        [program @ ("etcdctl" | "etcdutl" | "export" | "unset" | "echo" | "printf"), rest @ ..] => {
            (*program, rest)
        }
        rest => ("etcdctl", rest),
    };
    text.push_str(program);
    for name in rest {
        text.push(' ');
        text.push_str(&quoted(name));
    }
    let mut plain: Vec<&str> = rest.iter().copied().filter(|name| !name.starts_with('-')).collect();
    // The value of a flag before the command, unless it is written with a sign of equality.
    if rest.first().is_some_and(|first| first.starts_with('-') && !first.contains('=')) {
        plain = plain.split_off(plain.len().min(1));
    }
    let grants = program == "etcdctl" && plain.starts_with(&["lease", "grant"]);
    let is_fleeting = program == "etcdctl" && is_fleeting(&plain);
    Ok(Line { text, variables, grants, is_fleeting })
}

/// Sizes, terms, hashes and times of a cluster.
fn is_fleeting(words: &[&str]) -> bool {
    matches!(
        words,
        ["endpoint", "status" | "hashkv", ..] | ["check", ..] | ["snapshot", "status", ..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> String {
        written(line, 0).unwrap().text
    }

    #[test]
    fn words_are_quoted_and_the_program_stands_before_them() {
        for (line, wanted) in [
            ("put a 'it''s'", "etcdctl 'put' 'a' 'its'"),
            ("etcdctl get a", "etcdctl 'get' 'a'"),
            ("compact 3", "etcdctl 'compact' '3'"),
            ("-w json get a", "etcdctl '-w' 'json' 'get' 'a'"),
            ("etcdutl version", "etcdutl 'version'"),
            ("ETCDCTL_API=3 put put a", "ETCDCTL_API='3' etcdctl 'put' 'put' 'a'"),
            ("ETCDCTL_USER=root", "export ETCDCTL_USER='root'"),
            ("export ETCDCTL_USER=root:a", "export 'ETCDCTL_USER=root:a'"),
            ("echo v | etcdctl put a", "printf '%s' 'v\n' | etcdctl 'put' 'a'"),
            ("put a <<E\nx\ny\nE", "printf '%s' 'x\ny\n' | etcdctl 'put' 'a'"),
            ("put a \"it's\" # why", "etcdctl 'put' 'a' 'it'\\''s'"),
            ("get a --endpoints=$LEADER", "etcdctl 'get' 'a' '--endpoints='\"$LEADER\"''"),
            ("get '$LEADER'", "etcdctl 'get' '$LEADER'"),
        ] {
            assert_eq!(text(line), wanted, "{line}");
        }
        assert_eq!(written("compact $REVISION", 0).unwrap().variables, ["REVISION"]);
        assert!(written("lease grant 20 -w json", 0).unwrap().grants);
        for line in ["endpoint status -w table", "-w json endpoint status", "snapshot status a"] {
            assert!(written(line, 0).unwrap().is_fleeting, "{line}");
        }
        assert!(!written("put endpoint status", 0).unwrap().is_fleeting);
    }

    #[test]
    fn nothing_of_a_line_means_more_to_a_shell_than_to_the_lab() {
        for line in [
            "put a $(reboot)",
            "put a; reboot",
            "put a `reboot`",
            "put a && reboot",
            "put a > /x",
            "put a $HOME",
        ] {
            assert!(written(line, 0).is_err(), "{line}");
        }
        for line in ["put a *", "put a ~", "put a {b,c}", "put a !x", "put '$(x)' '`x`'"] {
            let text = text(line);
            let bare: String = text.split('\'').step_by(2).collect();
            assert!(!bare.contains(['$', '`', '*', '~', '{', '!', ';']), "{text}");
        }
        assert!(written("put a \u{e000}x\u{e001}", 0).is_err());
        assert!(written("get a --endpoints=$ISOLATED", 0).is_err());
    }
}
