//! Tests of the claims' grammar.

use proptest::prelude::*;

use super::*;
use crate::scenario::token::{Fault, tokens};
use crate::scenario::verb::MEMBERS_MAX;

fn parse(line: &str) -> Result<Claim, Fault> {
    let tokens = tokens(line)?;
    let mut cursor = Cursor::new(&tokens, 0, line.len(), None);
    let claim = read(&mut cursor)?;
    cursor.finish()?;
    Ok(claim)
}

fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z/0-9é]{1,6}",
        "[ -~\té]{0,8}",
        prop::sample::select(vec!["not", "empty", "within", "at", "each", "failed", "once", "<<E"])
            .prop_map(str::to_owned),
    ]
}

fn any_source() -> impl Strategy<Value = Source> {
    (prop::option::of(1..=9_u32), any::<bool>())
        .prop_map(|(console, is_error)| Source { console, is_error })
}

/// Any claim but those with "not"; texts with line breaks only on request.
fn any_plain(text: BoxedStrategy<String>) -> impl Strategy<Value = Claim> {
    let infra = || (1..=MEMBERS_MAX).prop_map(Target::Infra);
    let kind = || prop::sample::select(EventKind::ALL.to_vec());
    let compare = prop::sample::select(vec![
        Compare::Is,
        Compare::More,
        Compare::AtLeast,
        Compare::Less,
        Compare::AtMost,
    ]);
    let quantity = prop_oneof![
        prop::sample::select(Quantity::NAMED.to_vec()),
        kind().prop_map(Quantity::Events)
    ];
    let rising = prop::sample::select(vec![Quantity::Term, Quantity::Revision]);
    let pair = || (any_word(), prop::option::of(any_word()));
    let test = prop_oneof![
        text.clone().prop_map(TextTest::Is),
        text.prop_map(TextTest::Contains),
        Just(TextTest::IsEmpty)
    ];
    prop_oneof![
        prop::sample::select(vec![
            Claim::HasLeader,
            Claim::LeaderChanged,
            Claim::LinksWhole,
            Claim::ReadFailed,
            Claim::NoWriteLost,
            Claim::HashesEqual,
        ]),
        (prop_oneof![infra(), Just(Target::All)], prop::sample::select(MemberState::ALL.to_vec()))
            .prop_map(|(target, state)| Claim::Member(target, state)),
        (quantity, compare, any::<u64>())
            .prop_map(|(quantity, compare, number)| Claim::Number(quantity, compare, number)),
        (rising, prop::option::of(any::<u64>()))
            .prop_map(|(quantity, by)| Claim::Rose(quantity, by)),
        (kind(), prop::option::of(infra())).prop_map(|(kind, by)| Claim::Event(kind, by)),
        (any_source(), test).prop_map(|(source, test)| Claim::Output(source, test)),
        (prop::option::of(1..=9_u32), any::<u64>())
            .prop_map(|(console, status)| Claim::Status(console, status)),
        pair().prop_map(|(key, value)| Claim::Wrote(key, value)),
        pair().prop_map(|(key, value)| Claim::Refused(key, value)),
        (pair(), prop::option::of(any::<u64>())).prop_map(|((key, value), revision)| Claim::Read {
            key,
            value: value.unwrap_or_default(),
            revision
        }),
        (1..=9_u32, any_word(), prop::collection::vec(any_word(), 1..4))
            .prop_map(|(console, key, values)| Claim::Saw(console, key, values)),
        (1..=9_u32).prop_map(Claim::SawEachOnce),
    ]
}

pub(in crate::scenario) fn any_claim(
    text: impl Strategy<Value = String> + 'static,
) -> impl Strategy<Value = Claim> {
    (any_plain(text.boxed()), any::<bool>())
        .prop_map(|(claim, is_not)| if is_not { Claim::Not(Box::new(claim)) } else { claim })
}

proptest! {
    #[test]
    fn a_claim_reads_back_as_written(claim in any_claim(any_word())) {
        let line = claim.to_string();
        prop_assert_eq!(parse(&line), Ok(claim), "{}", line);
    }

    #[test]
    fn any_words_give_an_answer(line in "((not|no|leader|is|infra1|all|are|term|rose|by|1|@2|saw|each|event|once|output|contains|\"|<<E|read|at|elected) ?){0,7}") {
        let _ = parse(&line);
    }
}

#[test]
fn claims_may_be_written_in_several_ways() {
    let cases = [
        ("leader is infra2", "infra2 is leader"),
        ("leader is not infra2", "not infra2 is leader"),
        ("no acknowledged write lost", "no write lost"),
        ("not leader", "no leader"),
        ("term = 3", "term is 3"),
        ("term is not 3", "not term is 3"),
        ("term != 3", "not term is 3"),
        ("all is up", "all are up"),
        ("output lacks x", "not output contains x"),
        ("output is not \"a b\"", "not output is \"a b\""),
        ("output is \"x\"", "output is x"),
        ("@2 error is empty", "@2 error is empty"),
        ("read a b at 3", "read a b at 3"),
        ("read failed b", "read \"failed\" b"),
        ("not no write lost", "not no write lost"),
        ("events elected >= 2", "events elected >= 2"),
    ];
    for (line, written) in cases {
        assert_eq!(parse(line).map(|claim| claim.to_string()).as_deref(), Ok(written), "{line}");
    }
}

#[test]
fn faults_have_a_place_and_say_what_was_expected() {
    let cases = [
        ("", 0, "expected leader, no leader"),
        ("leadr", 0, "found \"leadr\""),
        ("not not leader", 4, "one \"not\" only"),
        ("no lead", 3, "\"write lost\" after \"no\", found \"lead\""),
        ("leader is infra9", 10, "infra1 … infra7, found \"infra9\""),
        ("infra1 is ill", 10, "one of up, down, paused"),
        ("infra1", 6, "\"is\" and a state"),
        ("all up", 4, "\"are\""),
        ("links are cut", 10, "are whole"),
        ("term", 4, "or rose"),
        ("members rose", 8, "is, is not, >, >=, < or <= and a number, found \"rose\""),
        ("term is high", 8, "expected a number, found \"high\""),
        ("event born", 6, "one of started, pre-vote"),
        ("event elected by leader", 17, "expected a member"),
        ("output", 6, "is, contains or lacks"),
        ("output contains", 15, "<<END with lines below it"),
        ("output contains a b", 18, "a text with blanks stands in quotes"),
        ("@0 output is x", 0, "@1 to @9"),
        ("@2 said x", 3, "output, error, status or saw"),
        ("@2 saw a", 8, "values of one message"),
        ("read a", 6, "the value that was read"),
        ("status 0", 7, "\"is\" and a number"),
        ("wrote", 5, "a key"),
    ];
    for (line, at, part) in cases {
        let (place, wrong) = parse(line).unwrap_err();
        let message = wrong.to_string();
        assert_eq!(place, at, "{line}: {message}");
        assert!(message.contains(part), "{line}: {message}");
    }
}
