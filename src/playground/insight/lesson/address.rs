//! The address of a part: `lesson=07/2`.
//!
//! Invariants: reading what was written gives the same; a foreign text gives nothing.

use super::progress::{LESSONS_MAX, PARTS_MAX};

/// How one begins.
const PREFIX: &str = "lesson=";

/// True if it is meant to be one.
pub(super) fn is_meant(fragment: &str) -> bool {
    fragment.starts_with(PREFIX)
}

/// Lesson and part behind `#`; the first part if none is named.
pub(super) fn read(fragment: &str) -> Option<(u32, u32)> {
    let place = fragment.strip_prefix(PREFIX)?;
    let (lesson, part) = place.split_once('/').unwrap_or((place, "1"));
    let number = |text: &str, most: u32| {
        let is_plain = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| is_plain && (1..=most).contains(number))
    };
    Some((number(lesson, LESSONS_MAX)?, number(part, u32::MAX)?.min(PARTS_MAX)))
}

/// As [`read`] reads it.
pub(super) fn write(lesson: u32, part: u32) -> String {
    format!("lesson={lesson:02}/{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_an_address_of_its_own() {
        assert_eq!(read(&write(7, 2)), Some((7, 2)));
        assert_eq!(read("lesson=24"), Some((24, 1)));
        for text in
            ["", "s=abc", "lesson=", "lesson=0/1", "lesson=7/0", "lesson=7/+1", "lesson=100"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
