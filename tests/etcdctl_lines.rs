//! Properties of arbitrary lines.

#![cfg(not(target_arch = "wasm32"))]

use etcd_playground::etcdctl::{
    Input, Output, Shell, command_names, is_unfinished, lexer, statements,
};
use etcd_playground::types::Millis;
use proptest::prelude::*;

/// Starts a line, answers nothing, interrupts it; it must end with exactly one exit.
fn ends(line: &str, exits: &mut u32) {
    let mut shell = Shell::whole(vec!["a:1".to_owned()]);
    let mut execution = shell.start(line, None, Millis(0));
    let mut count = |output: Output| *exits += u32::from(matches!(output, Output::Exit { .. }));
    while let Some(output) = execution.poll_output() {
        count(output);
    }
    execution.handle(Input::Interrupt, Millis(1));
    while let Some(output) = execution.poll_output() {
        count(output);
    }
    assert!(!execution.is_running(), "{line}");
}

fn command_line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(command_names()),
        2 => "--[a-z-]{1,12}(=[a-z0-9]{0,4})?",
        2 => "-[a-zA-Z=]{1,3}",
        1 => Just("--".to_owned()),
        1 => "ETCDCTL_[A-Z_]{1,8}=[a-z0-9]{0,3}",
        2 => "['\"\\\\a-z0-9$|é ]{0,6}",
    ];
    prop::collection::vec(word, 0..7).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn quoting_round_trips(words in prop::collection::vec(any::<String>(), 0..6)) {
        let line = words.iter().map(|word| lexer::quote(word)).collect::<Vec<_>>().join(" ");
        let split: Vec<String> = lexer::split(&line).unwrap().into_iter().map(|w| w.text).collect();
        prop_assert_eq!(split, words);
    }

    #[test]
    fn spans_lie_on_characters_and_in_order(line in any::<String>()) {
        if let Ok(partial) = lexer::split_partial(&line) {
            let mut last = 0;
            for word in partial.words {
                prop_assert!(word.start >= last && word.end >= word.start);
                last = word.end;
                let span = usize::try_from(word.start).unwrap()..usize::try_from(word.end).unwrap();
                prop_assert!(line.get(span).is_some());
            }
        }
    }

    #[test]
    fn splitting_into_statements_loses_nothing(text in "[a-e<E;'\"\\\\# \n-]{0,40}") {
        // What follows a here-document's word on its line comes after the document.
        let kept = |text: &str| {
            let mut kept: Vec<char> = text.chars().filter(|char| !";\n".contains(*char)).collect();
            kept.sort_unstable();
            kept
        };
        prop_assert_eq!(kept(&statements(&text).concat()), kept(&text));
    }

    #[test]
    fn quoted_words_stay_in_one_statement_and_are_complete(
        words in prop::collection::vec("[a-z;|<>$?'\"\\\\#\n ]{0,8}", 1..5)
    ) {
        let line = words.iter().map(|word| lexer::quote(word)).collect::<Vec<_>>().join(" ");
        prop_assert!(!is_unfinished(&line), "{line:?}");
        prop_assert_eq!(statements(&line), [line]);
    }

    #[test]
    fn a_text_whose_last_command_breaks_off_is_unfinished(text in "[a-c;'\"\\\\# \n]{0,24}") {
        let last = statements(&text).pop().unwrap_or_default();
        let breaks_off = matches!(
            lexer::split(&last),
            Err(lexer::LexError::Unclosed { .. } | lexer::LexError::TrailingBackslash { .. })
        );
        prop_assert_eq!(breaks_off && !text.ends_with('\n'), is_unfinished(&text) && !text.ends_with('\n'));
    }

    #[test]
    fn the_last_status_is_filled_in_outside_single_quotes_only(words in prop::collection::vec("[a-z ]{0,4}", 0..4), status in 0..256) {
        let mut shell = Shell::whole(vec!["a:1".to_owned()]);
        shell.finish(status);
        let joined = words.join(" ");
        let mut printed = |line: String| {
            let mut out = Vec::new();
            let mut execution = shell.start(&line, None, Millis(0));
            while let Some(output) = execution.poll_output() {
                if let Output::Stdout(bytes) = output {
                    out.extend(bytes);
                }
            }
            String::from_utf8(out).unwrap()
        };
        prop_assert_eq!(printed(format!("echo \"{joined}$?\"")), format!("{joined}{status}\n"));
        prop_assert_eq!(printed(format!("echo '{joined}$?'")), format!("{joined}$?\n"));
    }

    #[test]
    fn arbitrary_text_never_panics(line in any::<String>()) {
        let mut exits = 0;
        ends(&line, &mut exits);
        prop_assert_eq!(exits, 1);
    }

    #[test]
    fn arbitrary_commands_never_panic(line in command_line()) {
        let mut exits = 0;
        ends(&line, &mut exits);
        prop_assert_eq!(exits, 1);
    }
}
