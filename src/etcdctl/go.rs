//! How Go writes and reads small things: quoted strings, numbers, booleans, durations, sizes.
//!
//! What it is: the few formats of Go's standard library that show in etcdctl's output and errors.
//! What it is not: a Go library; anything etcdctl does not print is absent.
//! Invariants: integer arithmetic only; foreign text gives `Err` with Go's own words.
//! Source: the documentation of Go's `strconv`, `time` and `fmt`.

use std::fmt::Write as _;

/// A `%q` string: printable characters as they are, the rest escaped; bytes that are not UTF-8 as `\x..`.
pub(crate) fn quote(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            push_quoted(&mut out, c);
        }
        for byte in chunk.invalid() {
            push(&mut out, format_args!("\\x{byte:02x}"));
        }
    }
    out.push('"');
    out
}

fn push(out: &mut String, args: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = out.write_fmt(args);
}

fn push_quoted(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{b}' => out.push_str("\\v"),
        c if is_printable(c) => out.push(c),
        c if u32::from(c) < 0x20 || c == '\u{7f}' => {
            push(out, format_args!("\\x{:02x}", u32::from(c)));
        }
        c if u32::from(c) < 0x1_0000 => push(out, format_args!("\\u{:04x}", u32::from(c))),
        c => push(out, format_args!("\\U{:08x}", u32::from(c))),
    }
}

/// Go's `IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    // `escape_debug` escapes what is not printable; after the first character it leaves marks alone.
    let mut probe = String::from("a");
    probe.push(c);
    probe.escape_debug().count() == 2
}

/// `strconv.ParseInt` with the given base; 0 means "by prefix".
pub(crate) fn parse_int(text: &str, base: u32) -> Result<i64, String> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    let magnitude =
        parse_magnitude(digits, base).map_err(|problem| number_error("ParseInt", text, problem))?;
    let limit = 1_u64 << 63;
    if negative && magnitude <= limit {
        return Ok(0_i64.wrapping_sub_unsigned(magnitude));
    }
    i64::try_from(magnitude).map_err(|_too_large| number_error("ParseInt", text, Problem::Range))
}

/// `strconv.ParseUint` with the given base; 0 means "by prefix".
pub(crate) fn parse_uint(text: &str, base: u32) -> Result<u64, String> {
    parse_magnitude(text, base).map_err(|problem| number_error("ParseUint", text, problem))
}

#[derive(Clone, Copy)]
enum Problem {
    Syntax,
    Range,
}

fn number_error(function: &str, text: &str, problem: Problem) -> String {
    let what = match problem {
        Problem::Syntax => "invalid syntax",
        Problem::Range => "value out of range",
    };
    format!("strconv.{function}: parsing {}: {what}", quote(text.as_bytes()))
}

fn parse_magnitude(text: &str, base: u32) -> Result<u64, Problem> {
    let (base, digits) = if base == 0 { split_base(text)? } else { (base, text.to_owned()) };
    if digits.is_empty() {
        return Err(Problem::Syntax);
    }
    // What comes first counts: Go stops at the digit that is too much, whatever follows it.
    digits.chars().try_fold(0_u64, |value, c| {
        let digit = c.to_digit(base).ok_or(Problem::Syntax)?;
        value
            .checked_mul(u64::from(base))
            .and_then(|value| value.checked_add(u64::from(digit)))
            .ok_or(Problem::Range)
    })
}

fn split_base(text: &str) -> Result<(u32, String), Problem> {
    let lower = text.to_ascii_lowercase();
    let (base, digits) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if let Some(rest) = lower.strip_prefix("0o") {
        (8, rest)
    } else if let Some(rest) = lower.strip_prefix('0').filter(|rest| !rest.is_empty()) {
        (8, rest)
    } else {
        (10, lower.as_str())
    };
    let after_prefix = if base == 10 { digits } else { digits.strip_prefix('_').unwrap_or(digits) };
    if after_prefix.starts_with('_') || after_prefix.ends_with('_') || after_prefix.contains("__") {
        return Err(Problem::Syntax);
    }
    Ok((base, after_prefix.replace('_', "")))
}

/// `strconv.ParseBool`.
pub(crate) fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        _ => Err(format!("strconv.ParseBool: parsing {}: invalid syntax", quote(text.as_bytes()))),
    }
}

/// `time.ParseDuration`, in nanoseconds.
pub(crate) fn parse_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quote(text.as_bytes()));
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let (whole, after) = split_digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => split_digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let unit_length =
            after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(unit_length).unwrap_or((after, ""));
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", quote(text.as_bytes())));
        }
        let scale = unit_nanos(unit).ok_or_else(|| {
            let unit = quote(unit.as_bytes());
            format!("time: unknown unit {unit} in duration {}", quote(text.as_bytes()))
        })?;
        total = nanos(whole, fraction, scale)
            .and_then(|part| total.checked_add(part))
            .ok_or_else(invalid)?;
        rest = after;
    }
    i64::try_from(if negative { -total } else { total }).map_err(|_too_long| invalid())
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn unit_nanos(unit: &str) -> Option<i128> {
    Some(match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

fn nanos(whole: &str, fraction: &str, scale: i128) -> Option<i128> {
    // One more than the longest duration is read: with a minus it fits.
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    if whole > 1 << 63 {
        return None;
    }
    let mut value = i128::from(whole).checked_mul(scale)?;
    let mut unit = scale;
    for digit in fraction.bytes() {
        unit /= 10;
        value += i128::from(digit - b'0') * unit;
    }
    Some(value)
}

/// `time.Duration`'s text for whole milliseconds.
pub(crate) fn duration(ms: u64) -> String {
    if ms == 0 {
        return "0s".to_owned();
    }
    if ms < 1000 {
        return format!("{ms}ms");
    }
    let (minutes, ms) = (ms / 60_000, ms % 60_000);
    let fraction = format!("{:03}", ms % 1000);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    let seconds = format!("{}{dot}{fraction}s", ms / 1000);
    match (minutes / 60, minutes % 60) {
        (0, 0) => seconds,
        (0, minutes) => format!("{minutes}m{seconds}"),
        (hours, minutes) => format!("{hours}h{minutes}m{seconds}"),
    }
}

/// A size as etcdctl shows it: steps of 1000, one decimal below ten.
pub(crate) fn size(bytes: i64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    let bytes = u128::from(u64::try_from(bytes).unwrap_or(0));
    let mut unit = 1_u128;
    let mut name = "B";
    for larger in UNITS {
        if bytes < unit * 1000 {
            break;
        }
        unit *= 1000;
        name = larger;
    }
    if unit == 1 {
        return format!("{bytes} B");
    }
    let tenths = (bytes * 10 + unit / 2) / unit;
    if tenths < 100 {
        return format!("{}.{} {name}", tenths / 10, tenths % 10);
    }
    let (whole, rest) = (tenths / 10, tenths % 10);
    let up = rest > 5 || (rest == 5 && whole % 2 == 1);
    format!("{} {name}", whole + u128::from(up))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_is_go_s() {
        assert_eq!(quote(b"a\nb"), r#""a\nb""#);
        assert_eq!(quote(b"\x00\x01\xff\xfe\x80abc\n"), r#""\x00\x01\xff\xfe\x80abc\n""#);
        assert_eq!(quote("é中\u{301}".as_bytes()), "\"é中\u{301}\"");
        assert_eq!(quote("\u{202e}\u{200b}\u{a0}".as_bytes()), r#""\u202e\u200b\u00a0""#);
        assert_eq!(quote("\u{10ffff}\u{7f}".as_bytes()), r#""\U0010ffff\x7f""#);
        assert_eq!(quote(br#"say "x\""#), r#""say \"x\\\"""#);
    }

    #[test]
    fn integers_take_prefixes_only_with_base_0() {
        assert_eq!(parse_int("0x10", 0), Ok(16));
        assert_eq!(parse_int("1_000", 0), Ok(1000));
        assert_eq!(parse_int("017", 0), Ok(15));
        assert_eq!(parse_int("-1", 10), Ok(-1));
        assert_eq!(parse_int("1234abcd", 16), Ok(0x1234_abcd));
        assert_eq!(parse_int("-9223372036854775808", 10), Ok(i64::MIN));
        assert_eq!(
            parse_int("abc", 10),
            Err("strconv.ParseInt: parsing \"abc\": invalid syntax".to_owned())
        );
        assert_eq!(
            parse_int("9223372036854775808", 0),
            Err("strconv.ParseInt: parsing \"9223372036854775808\": value out of range".to_owned())
        );
        for (text, base) in [("99999999999999999999x", 0), ("ffffffffffffffffffz", 16)] {
            let error = parse_int(text, base).unwrap_err();
            assert!(error.ends_with("value out of range"), "{error}");
        }
        assert!(parse_int("9223372036854775807x", 0).unwrap_err().ends_with("invalid syntax"));
        assert!(parse_int("1__0", 0).is_err());
        assert!(parse_int("1_0", 10).is_err());
        assert!(parse_uint("-1", 0).is_err());
    }

    #[test]
    fn durations_read_and_fail_as_go_s() {
        assert_eq!(parse_duration("5s"), Ok(5_000_000_000));
        assert_eq!(parse_duration("1m30.5s"), Ok(90_500_000_000));
        assert_eq!(parse_duration("1ns"), Ok(1));
        assert_eq!(parse_duration("-1ms"), Ok(-1_000_000));
        assert_eq!(parse_duration("-9223372036854775808ns"), Ok(i64::MIN));
        assert!(parse_duration("9223372036854775808ns").is_err());
        assert!(parse_duration("-9223372036854775809ns").is_err());
        assert_eq!(parse_duration("0"), Ok(0));
        assert_eq!(parse_duration("5"), Err("time: missing unit in duration \"5\"".to_owned()));
        assert_eq!(parse_duration("abc"), Err("time: invalid duration \"abc\"".to_owned()));
        assert_eq!(parse_duration(""), Err("time: invalid duration \"\"".to_owned()));
        assert_eq!(
            parse_duration("5x"),
            Err("time: unknown unit \"x\" in duration \"5x\"".to_owned())
        );
        assert!(parse_duration("99999999999999h").is_err());
    }

    #[test]
    fn durations_are_written_as_go_s() {
        let written: Vec<String> =
            [0, 7, 1000, 1500, 5012, 60_000, 3_600_000].into_iter().map(duration).collect();
        assert_eq!(written, ["0s", "7ms", "1s", "1.5s", "5.012s", "1m0s", "1h0m0s"]);
    }

    #[test]
    fn sizes_are_decimal_with_one_digit_below_ten() {
        let written: Vec<String> =
            [0, 999, 1024, 20_480, 1_000_000, 2_147_483_648, 9_960, 76_000_000, -1]
                .into_iter()
                .map(size)
                .collect();
        assert_eq!(
            written,
            ["0 B", "999 B", "1.0 kB", "20 kB", "1.0 MB", "2.1 GB", "10 kB", "76 MB", "0 B"]
        );
    }
}
