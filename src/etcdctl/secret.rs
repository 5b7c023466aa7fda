//! Lines that may hold a password.
//!
//! What it is: the question that whoever keeps or shares lines has to ask first.
//! What it is not: a search for passwords; a doubtful line counts as one that holds one.
//! Invariants: every flag and variable of the tables that takes a password or a user is known here.

use crate::etcdctl::lexer;
use crate::etcdctl::parser::Path;
use crate::etcdctl::table::ROOT;

/// Flags whose value is a password, or may have one behind a colon.
const FLAGS: [&str; 6] =
    ["user", "password", "new-user-password", "dest-user", "dest-password", "auth-jwt-token"];
/// The same for variables.
const VARIABLES: [&str; 3] = ["ETCDCTL_USER", "ETCDCTL_PASSWORD", "ETCDCTL_AUTH_JWT_TOKEN"];
/// Commands that take a password as an argument or from standard input.
const COMMANDS: [&str; 2] = ["etcdctl user add", "etcdctl user passwd"];

/// Whether a line may hold a password, so that it must not be kept.
#[must_use]
pub fn holds_secret(line: &str) -> bool {
    line.split(['|', ';', '\n', '&']).any(part_holds_secret)
}

fn part_holds_secret(part: &str) -> bool {
    let words: Vec<String> = match lexer::split(part) {
        Ok(words) => words.into_iter().map(|word| word.text).collect(),
        Err(_unfinished) => part.split_whitespace().map(str::to_owned).collect(),
    };
    let names_secret = |word: &String| {
        let name = word.split('=').next().unwrap_or_default();
        let flag = name.strip_prefix("--");
        flag.is_some_and(|flag| FLAGS.contains(&flag)) || VARIABLES.contains(&name)
    };
    if words.iter().any(names_secret) {
        return true;
    }
    let rest: Vec<String> = words
        .into_iter()
        .skip_while(|word| word.contains('=') && !word.starts_with('-'))
        .skip_while(|word| word == ROOT.name)
        .collect();
    COMMANDS.contains(&Path::of_words(&rest).name().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::etcdctl::table::GLOBAL_FLAGS;

    #[test]
    fn lines_with_passwords_are_known() {
        for line in [
            "etcdctl --user=root:pw get a",
            "get a --user root:pw",
            "get a --password pw",
            "user add alice:pw",
            "etcdctl -w json us add alice --interactive=false",
            "echo pw | etcdctl user passwd alice --interactive=false",
            "export ETCDCTL_USER=root:pw",
            "ETCDCTL_PASSWORD=pw etcdctl get a",
            "put a 1; user add bob:x",
            "make-mirror x --dest-password=y",
            "get 'unfinished --user root:pw",
        ] {
            assert!(holds_secret(line), "{line}");
        }
        for line in ["", "put user add", "get --prefix a", "user list", "user get alice", "etcdctl"]
        {
            assert!(!holds_secret(line), "{line}");
        }
    }

    #[test]
    fn every_flag_about_users_is_known() {
        let about = |name: &str| ["user", "password", "token"].iter().any(|w| name.contains(w));
        for flag in GLOBAL_FLAGS.iter().filter(|flag| about(flag.name)) {
            assert!(FLAGS.contains(&flag.name), "{}", flag.name);
        }
    }
}
