//! Durations and sizes as scripts write them: `1500ms`, `2s`, `5m`, `64KiB`, `16MiB`.
//!
//! What it is: whole numbers with a unit, both ways.
//! What it is not: Go's duration grammar (`1h2m`, fractions), which belongs to etcdctl's flags.
//! Invariants: what is written reads back to the same number; overflow is `None`.

/// Units of time, largest first. Unit: ms.
const TIME_UNITS: [(&str, u64); 3] = [("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Units of size, largest first. Unit: bytes.
const SIZE_UNITS: [(&str, u64); 4] =
    [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// Milliseconds in `text`.
pub(super) fn parse_duration(text: &str) -> Option<u64> {
    parse(text, &TIME_UNITS)
}

/// `ms` in the largest unit that is exact.
pub(super) fn show_duration(ms: u64) -> String {
    show(ms, &TIME_UNITS)
}

/// Bytes in `text`.
pub(super) fn parse_size(text: &str) -> Option<u64> {
    parse(text, &SIZE_UNITS)
}

/// `bytes` in the largest unit that is exact.
pub(super) fn show_size(bytes: u64) -> String {
    show(bytes, &SIZE_UNITS)
}

/// A decimal number of up to 20 digits, without a sign.
pub(super) fn parse_number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    parse_number(number)?.checked_mul(*factor)
}

fn show(value: u64, units: &[(&str, u64)]) -> String {
    let exact = units.iter().find(|(_, factor)| value != 0 && value.is_multiple_of(*factor));
    let (name, factor) = exact.or(units.last()).copied().unwrap_or(("", 1));
    format!("{}{name}", value / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_read_back_as_written() {
        for ms in [0, 1, 999, 1000, 1500, 60_000, 90_000, u64::MAX] {
            assert_eq!(parse_duration(&show_duration(ms)), Some(ms));
            assert_eq!(parse_size(&show_size(ms)), Some(ms));
        }
        assert_eq!(show_duration(90_000), "90s");
        assert_eq!(show_size(16 << 20), "16MiB");
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "5", "s", "-1s", "1.5s", "1h", "1 s", "99999999999999999999s", "１s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
