//! Every text of the page, in one typed table per language.
//!
//! What it is: [`Strings`], whose fields are texts or functions that put values into a text, and [`EN`].
//! What it is not: etcdctl's output, etcd's errors or the lessons' words, which have their own places.
//! Invariants: a language is one value of [`Strings`]; a missing text is a compile error; functions get
//! values that are escaped already.

mod en;

pub use en::{EN, Strings};

/// A text with one name or number put in.
pub type With1 = fn(&str) -> String;
/// A text with two.
pub type With2 = fn(&str, &str) -> String;

/// Milliseconds as seconds with one decimal.
#[must_use]
pub fn seconds(ms: u64) -> String {
    let tenths = ms.saturating_add(50) / 100;
    if tenths < 600 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let whole = tenths / 10;
    format!("{} min {:02} s", whole / 60, whole % 60)
}

/// Milliseconds since the start as a clock: `2:05.3`.
#[must_use]
pub fn clock(ms: u64) -> String {
    let tenths = ms / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

/// Bytes in a unit that reads well.
#[must_use]
pub fn bytes(count: i64) -> String {
    let count = u64::try_from(count).unwrap_or(0);
    let tenths = |unit: u64| {
        let tenths = count.saturating_mul(10) / unit;
        if tenths.is_multiple_of(10) {
            format!("{}", tenths / 10)
        } else {
            format!("{}.{}", tenths / 10, tenths % 10)
        }
    };
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{} KiB", tenths(1024)),
        _ => format!("{} MiB", tenths(1_048_576)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_read_well() {
        assert_eq!(seconds(1240), "1.2 s");
        assert_eq!(seconds(59_960), "1 min 00 s");
        assert_eq!(seconds(125_000), "2 min 05 s");
        assert_eq!(clock(125_390), "2:05.3");
        assert_eq!(bytes(20_480), "20 KiB");
        assert_eq!(bytes(1_572_864), "1.5 MiB");
        assert_eq!(bytes(-1), "0 B");
    }
}
