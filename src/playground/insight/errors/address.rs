//! The address of an entry: `error=lease-not-found`.
//!
//! Invariants: reading what was written gives the same; a foreign text gives nothing.

/// The most characters of a name. Source: ours; file names are shorter.
const NAME_MAX: usize = 64;

/// The name of the entry behind `#`.
pub(super) fn read(fragment: &str) -> Option<String> {
    let name = fragment.strip_prefix("error=")?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_name = !name.is_empty() && name.len() <= NAME_MAX && name.bytes().all(is_plain);
    is_name.then(|| name.to_owned())
}

/// As [`read`] reads it.
pub(super) fn write(name: &str) -> String {
    format!("error={name}")
}
