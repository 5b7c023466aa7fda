//! The verbs for how fast a cluster's world is: `speed` and `latency`.
//!
//! What it is: their grammar, both ways. What it is not: what they do (see `cluster::fault`).
//! Invariants: those of the module above.

use super::faults::{OFF, milliseconds};
use super::{Parsed, Thing, Verb, end, expected};
use crate::cluster::fault::{DELAY_MS_MAX, Speed};
use crate::scenario::units::show_duration;

pub(super) fn parse(words: &[&str]) -> Option<Parsed<Verb>> {
    Some(match *words.first()? {
        "speed" => parse_speed(words),
        "latency" => parse_latency(words),
        _ => return None,
    })
}

/// What may stand behind the first word.
pub(super) fn values(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "speed" => Some(&["1", "1/2", "1/5", "1/10", "1/50"]),
        "latency" => Some(&["10ms", "50ms", "200ms", "1s", OFF]),
        _ => None,
    }
}

fn parse_speed(words: &[&str]) -> Parsed<Verb> {
    let Some(speed) = words.get(1).and_then(|word| Speed::parse(word)) else {
        return expected(words, 1, Thing::Speed);
    };
    end(words, 2)?;
    Ok(Verb::Speed(speed))
}

fn parse_latency(words: &[&str]) -> Parsed<Verb> {
    let ms = milliseconds(words, 1, DELAY_MS_MAX)?;
    end(words, 2)?;
    Ok(Verb::Latency(ms))
}

/// A latency as it is written.
pub(super) fn latency(ms: u32) -> String {
    if ms == 0 { OFF.to_owned() } else { show_duration(u64::from(ms)) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;

    #[test]
    fn speed_and_latency_say_what_they_expect() {
        let cases = [
            ("speed", 1, "expected 1 for real time"),
            ("speed 2", 1, "from 1/2 to 1/100, found \"2\""),
            ("speed 1/101", 1, "found \"1/101\""),
            ("speed 1/10 now", 2, "expected the end of the line"),
            ("latency", 1, "expected a time such as 200ms"),
            ("latency 11s", 1, "10s is the most"),
            ("latency 1s infra1", 2, "expected the end of the line"),
        ];
        for (line, word, part) in cases {
            let fault = read(line).unwrap().unwrap_err();
            assert_eq!(fault.word, word, "{line}: {fault}");
            assert!(fault.to_string().contains(part), "{line}: {fault}");
        }
        let written = |line| read(line).unwrap().unwrap().to_string();
        assert_eq!(written("speed 1/10"), "speed 1/10");
        assert_eq!(written("latency 1000ms"), "latency 1s");
        assert_eq!(written("latency 0ms"), "latency off");
    }
}
