//! Bytes made safe to look at: what cannot be seen, or lies about its order, is spelled out.
//!
//! What it is: the one way by which keys, values, command output and foreign text reach the screen.
//! What it is not: an encoder for transport; nothing is decoded from it.
//! Invariants: the result holds no control, bidirectional or zero-width character except newline and
//! tab, and no byte of the input is lost: what is not UTF-8 shows as `\x1b`, what is as `\u{202e}`.

use std::fmt::Write;

/// Turns a stream of bytes into text piece by piece; characters may be split between pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Escaper {
    pending: Vec<u8>,
}

impl Escaper {
    /// Takes the next bytes and returns the text that is certain by now.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let input = std::mem::take(&mut self.pending);
        let mut out = String::with_capacity(input.len());
        let mut rest: &[u8] = &input;
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    escape_into(&mut out, text);
                    break;
                }
                Err(error) => {
                    let (valid, bad) = rest.split_at(error.valid_up_to());
                    escape_into(&mut out, std::str::from_utf8(valid).unwrap_or_default());
                    let Some(length) = error.error_len() else {
                        self.pending = bad.to_vec();
                        break;
                    };
                    let (invalid, after) = bad.split_at(length);
                    escape_bytes_into(&mut out, invalid);
                    rest = after;
                }
            }
        }
        out
    }

    /// The stream ended: returns what was held back.
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        escape_bytes_into(&mut out, &std::mem::take(&mut self.pending));
        out
    }
}

/// Text of several lines: newline and tab stay.
#[must_use]
pub fn block(bytes: &[u8]) -> String {
    let mut escaper = Escaper::default();
    let mut out = escaper.push(bytes);
    out.push_str(&escaper.finish());
    out
}

/// Text of one line, such as a key in a list: newline and tab are spelled out too.
#[must_use]
pub fn line(bytes: &[u8]) -> String {
    block(bytes).replace('\n', "\\n").replace('\t', "\\t")
}

/// One line, cut after about `chars_max` characters with an ellipsis.
#[must_use]
pub fn clipped(bytes: &[u8], chars_max: u32) -> String {
    let most = usize::try_from(chars_max).unwrap_or(usize::MAX);
    let head = bytes.get(..most.saturating_mul(4).min(bytes.len())).unwrap_or_default();
    let text = line(head);
    if head.len() == bytes.len() && text.chars().count() <= most {
        return text;
    }
    let mut cut: String = text.chars().take(most).collect();
    cut.push('…');
    cut
}

fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        if character == '\n' || character == '\t' || !is_hidden(character) {
            out.push(character);
        } else if u32::from(character) < 0x80 {
            let _ = write!(out, "\\x{:02x}", u32::from(character));
        } else {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        }
    }
}

fn escape_bytes_into(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(out, "\\x{byte:02x}");
    }
}

/// Characters that show nothing, or change how others are shown.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A file's name without its ending, made of a text; `otherwise` where nothing is left of it.
#[must_use]
pub fn file_stem(text: &str, otherwise: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let stem: String = text.chars().map(plain).take(40).collect();
    let stem = stem.trim_matches('-');
    if stem.is_empty() { otherwise } else { stem }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newline_and_tab_stay_and_every_other_control_is_spelled_out() {
        assert_eq!(block(b"a\n\tb"), "a\n\tb");
        assert_eq!(block(b"\x1b[31m\0\x7f"), "\\x1b[31m\\x00\\x7f");
        assert_eq!(block("\u{85}\u{9b}".as_bytes()), "\\u{85}\\u{9b}");
    }

    #[test]
    fn bidirectional_and_zero_width_characters_are_spelled_out() {
        for code in (0x202a..=0x202e).chain(0x2066..=0x2069).chain([0x200b, 0x200d, 0xfeff, 0x200f])
        {
            let character = char::from_u32(code).unwrap();
            assert_eq!(block(character.to_string().as_bytes()), format!("\\u{{{code:x}}}"));
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_and_what_surrounds_them_is_kept() {
        assert_eq!(block(b"a\xffb\xc3"), "a\\xffb\\xc3");
        assert_eq!(block("中文 ünïcode €".as_bytes()), "中文 ünïcode €");
    }

    #[test]
    fn a_character_split_between_two_pieces_is_put_together() {
        let bytes = "€".as_bytes();
        let mut escaper = Escaper::default();
        assert_eq!(escaper.push(&bytes[..1]), "");
        assert_eq!(escaper.push(&bytes[1..]), "€");
        assert_eq!(escaper.push(&bytes[..2]), "");
        assert_eq!(escaper.finish(), "\\xe2\\x82");
    }

    #[test]
    fn a_line_has_no_line_break_and_a_clipped_one_ends_in_an_ellipsis() {
        assert_eq!(line(b"a\nb\tc"), "a\\nb\\tc");
        assert_eq!(clipped(b"abcdef", 4), "abcd…");
        assert_eq!(clipped(b"abcd", 4), "abcd");
        assert_eq!(clipped(&vec![b'x'; 100_000], 3), "xxx…");
    }
}
