//! The conditions of `txn` as they are written: `mod("key") > "0"`.
//!
//! What it is: the reading of one line.
//! What it is not: the comparison itself, which a member makes.
//! Invariants: refusals have etcdctl's words; where etcdctl would crash (an operator that it does not know) there is an
//! error of our own, and a comparison of leases, which crashes it, too, is read as it is meant.
//! Source: the behaviour of etcdctl 3.7.1 and of Go's `fmt.Sscanf`, which it reads these lines with.

use bytes::Bytes;

use crate::api::{Compare, CompareResult, CompareTarget};
use crate::etcdctl::{go, lines};
use crate::types::LeaseId;

/// Why a condition is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// With etcdctl's words.
    Malformed(String),
    /// etcdctl crashes on this operator.
    Operator(String),
}

/// Reads one condition.
pub(super) fn parse(line: &str) -> Result<Compare, Refusal> {
    let Some((target, rest)) = line.split_once('(') else {
        return Err(Refusal::Malformed(format!("malformed comparison: {line}")));
    };
    let (key, operator, value) = match scan(rest) {
        Scanned { key: Some(key), operator: Some(operator), value: Some(value) } => {
            (key, operator, value)
        }
        Scanned { key, operator, .. } => {
            let key = go::quote(&key.unwrap_or_default());
            let operator = operator.unwrap_or_default();
            return Err(Refusal::Malformed(format!(
                "malformed comparison: {line}; got {target}({key}) {operator} \"\""
            )));
        }
    };
    let number = |base| {
        go::parse_int(&String::from_utf8_lossy(&value), base)
            .map_err(|_error| Refusal::Malformed(format!("invalid txn compare request: {line}")))
    };
    let target = match target {
        "ver" | "version" => CompareTarget::Version(number(10)?),
        "c" | "create" => CompareTarget::Create(number(10)?),
        "m" | "mod" => CompareTarget::Mod(number(10)?),
        "val" | "value" => CompareTarget::Value(Bytes::from(value)),
        "lease" => CompareTarget::Lease(LeaseId(number(16)?)),
        _ => {
            return Err(Refusal::Malformed(format!(
                "malformed comparison: {line} (unknown target {target})"
            )));
        }
    };
    let result = match operator.as_str() {
        "=" => CompareResult::Equal,
        "!=" => CompareResult::NotEqual,
        ">" => CompareResult::Greater,
        "<" => CompareResult::Less,
        _ => return Err(Refusal::Operator(operator)),
    };
    Ok(Compare { result, target, key: Bytes::from(key), range_end: Bytes::new() })
}

/// What was found of `"key") operator "value"`, from the left.
#[derive(Default)]
struct Scanned {
    key: Option<Vec<u8>>,
    operator: Option<String>,
    value: Option<Vec<u8>>,
}

fn scan(text: &str) -> Scanned {
    let mut scanned = Scanned::default();
    let Some((key, rest)) = quoted(text.trim_start()) else { return scanned };
    scanned.key = Some(key);
    // The bracket touches the key, and a blank (or the end) follows it.
    let Some(rest) = rest.strip_prefix(')').filter(|rest| starts_blank(rest)) else {
        return scanned;
    };
    let rest = rest.trim_start();
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let Some((operator, rest)) = rest.split_at_checked(end).filter(|_| end > 0) else {
        return scanned;
    };
    scanned.operator = Some(operator.to_owned());
    scanned.value = quoted(rest.trim_start()).map(|(value, _)| value);
    scanned
}

fn starts_blank(text: &str) -> bool {
    text.chars().next().is_none_or(char::is_whitespace)
}

/// A string in double quotes or backquotes, and what follows it.
fn quoted(text: &str) -> Option<(Vec<u8>, &str)> {
    if let Some(rest) = text.strip_prefix('`') {
        return rest.split_once('`').map(|(inside, rest)| (inside.as_bytes().to_vec(), rest));
    }
    let inside = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.char_indices().find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    let (literal, rest) = text.split_at_checked(end?.0 + 2)?;
    Some((lines::unquote(literal)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_and_operator_is_read() {
        let compare = |line: &str| parse(line).unwrap();
        for (line, target) in [
            ("ver(\"k\") = \"2\"", CompareTarget::Version(2)),
            ("version( \"k\") = \"-1\"", CompareTarget::Version(-1)),
            ("c(\"k\") = \"2\"", CompareTarget::Create(2)),
            ("create(\"k\") = \"2\"", CompareTarget::Create(2)),
            ("m(\"k\") = \"2\"", CompareTarget::Mod(2)),
            ("mod(\"k\") = \"2\" and more", CompareTarget::Mod(2)),
            ("val(`k`) = `a\"b`", CompareTarget::Value(Bytes::from_static(b"a\"b"))),
            ("value(\"k\") = \"\\xff\"", CompareTarget::Value(Bytes::from_static(b"\xff"))),
            ("lease(\"k\") = \"1f\"", CompareTarget::Lease(LeaseId(31))),
        ] {
            assert_eq!(compare(line).target, target, "{line}");
            assert_eq!(compare(line).key, Bytes::from_static(b"k"), "{line}");
        }
        for (operator, result) in [
            ("=", CompareResult::Equal),
            ("!=", CompareResult::NotEqual),
            (">", CompareResult::Greater),
            ("<", CompareResult::Less),
        ] {
            assert_eq!(compare(&format!("ver(\"k\")  {operator}  \"1\"")).result, result);
        }
    }

    #[test]
    fn refusals_have_the_words_of_etcdctl() {
        for (line, words) in [
            ("foo", "malformed comparison: foo"),
            ("val(\"a\" = \"1\"", "malformed comparison: val(\"a\" = \"1\"; got val(\"a\")  \"\""),
            ("val(a) = 1", "malformed comparison: val(a) = 1; got val(\"\")  \"\""),
            ("mod(\"a\")", "malformed comparison: mod(\"a\"); got mod(\"a\")  \"\""),
            ("mod(\"a\") =", "malformed comparison: mod(\"a\") =; got mod(\"a\") = \"\""),
            ("m(\"a\") = 1", "malformed comparison: m(\"a\") = 1; got m(\"a\") = \"\""),
            ("m(\"a\")=\"1\"", "malformed comparison: m(\"a\")=\"1\"; got m(\"a\")  \"\""),
            ("m(\"\\z\") = \"1\"", "malformed comparison: m(\"\\z\") = \"1\"; got m(\"\")  \"\""),
            (
                "size(\"a\") = \"1\"",
                "malformed comparison: size(\"a\") = \"1\" (unknown target size)",
            ),
            ("mod(\"a\") = \"x\"", "invalid txn compare request: mod(\"a\") = \"x\""),
        ] {
            assert_eq!(parse(line), Err(Refusal::Malformed(words.to_owned())), "{line}");
        }
        assert_eq!(parse("val(\"a\") >= \"1\""), Err(Refusal::Operator(">=".to_owned())));
    }
}
