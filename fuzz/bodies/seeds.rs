//! How `fuzz/seeds/` writes the first inputs of a target: one a line, with `\n`, `\r`, `\0`, `\xNN` and `\\`.
//!
//! Invariants: foreign lines give bytes, never a panic; what is escaped otherwise stands for itself.

/// The bytes of a line.
pub(crate) fn unescaped(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b'0') => 0,
            Some(b'x') => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8_lossy(&digits).into_owned();
                u8::from_str_radix(&digits, 16).unwrap_or(b'x')
            }
            Some(other) => other,
            None => b'\\',
        });
    }
    bytes
}
