//! Properties of arbitrary lines.

#![cfg(not(target_arch = "wasm32"))]

use etcd_playground::etcdctl::{Input, Output, Shell, command_names, lexer, statements};
use etcd_playground::types::Millis;
use proptest::prelude::*;

/// Starts a line, answers nothing, interrupts it; it must end with exactly one exit.
fn ends(line: &str, exits: &mut u32) {
    let mut shell = Shell::new(vec!["a:1".to_owned()]);
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
