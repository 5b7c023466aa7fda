//! Base64: bytes as letters, six bits each.
//!
//! What it is: the three alphabets that are met here, written and read strictly.
//! What it is not: quick, or forgiving: white space, another alphabet's letters and wrong padding are
//! refused.
//! Invariants: what was written is read back; with left-over bits refused no two texts give the same bytes.
//! Source: RFC 4648, sections 4 and 5; bcrypt's alphabet is OpenBSD's.

/// One way to write base64.
#[derive(Clone, Copy, Debug)]
pub struct Base64 {
    letters: &'static [u8; 64],
    /// Fills up with `=` to fours.
    is_padded: bool,
    /// Bits beyond the last byte, which are written as zeros, may be anything when read.
    may_have_bits_left: bool,
}

impl Base64 {
    /// The ordinary one, with padding.
    pub const STANDARD: Self = Self {
        letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        is_padded: true,
        may_have_bits_left: false,
    };

    /// For addresses, without padding.
    pub const URL: Self = Self {
        letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        is_padded: false,
        may_have_bits_left: false,
    };

    /// bcrypt's own; like Go's, it does not mind left-over bits at the end.
    pub const BCRYPT: Self = Self {
        letters: b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        is_padded: false,
        may_have_bits_left: true,
    };

    /// The letters of these bytes.
    #[must_use]
    pub fn encode(&self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for three in bytes.chunks(3) {
            let mut bits = three.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte));
            bits <<= 8 * (3 - three.len());
            for at in 0..4 {
                let value = usize::try_from((bits >> (18 - 6 * at)) & 63);
                let letter = value.ok().and_then(|value| self.letters.get(value));
                match letter.filter(|_| at <= three.len()) {
                    Some(letter) => text.push(char::from(*letter)),
                    None if self.is_padded => text.push('='),
                    None => {}
                }
            }
        }
        text
    }

    /// The bytes of these letters; `None` if they are not what `encode` writes.
    #[must_use]
    pub fn decode(&self, text: &str) -> Option<Vec<u8>> {
        let letters = if self.is_padded {
            let padding = text.bytes().rev().take(2).take_while(|letter| *letter == b'=').count();
            let is_whole = text.len().is_multiple_of(4);
            text.as_bytes().get(..text.len() - padding).filter(|_| is_whole)?
        } else {
            text.as_bytes()
        };
        let mut bytes = Vec::with_capacity(letters.len() / 4 * 3 + 2);
        let (mut bits, mut count) = (0_u32, 0);
        for letter in letters {
            let value = self.letters.iter().position(|known| known == letter)?;
            bits = (bits << 6) | u32::try_from(value).ok()?;
            count += 6;
            if count >= 8 {
                count -= 8;
                bytes.push(u8::try_from(bits >> count).ok()?);
                bits &= (1 << count) - 1;
            }
        }
        // Six bits left are a letter that belongs to no byte.
        (count < 6 && (bits == 0 || self.may_have_bits_left)).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::alphabet;
    use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, STANDARD, URL_SAFE_NO_PAD};

    use super::*;

    const BCRYPT: GeneralPurpose =
        GeneralPurpose::new(&alphabet::BCRYPT, NO_PAD.with_decode_allow_trailing_bits(true));

    fn pairs() -> [(Base64, GeneralPurpose); 3] {
        [(Base64::STANDARD, STANDARD), (Base64::URL, URL_SAFE_NO_PAD), (Base64::BCRYPT, BCRYPT)]
    }

    #[test]
    fn bytes_of_every_length_are_written_as_the_library_writes_them_and_read_back() {
        for (own, library) in pairs() {
            for length in 0..70_u8 {
                let bytes: Vec<u8> = (0..length).map(|at| at.wrapping_mul(73) ^ length).collect();
                let text = own.encode(&bytes);
                assert_eq!(text, library.encode(&bytes));
                assert_eq!(own.decode(&text), Some(bytes));
            }
        }
    }

    #[test]
    fn texts_that_are_not_base64_are_refused_as_the_library_refuses_them() {
        let letters = ["", "A", "B", "/", "-", ".", "=", " ", "é", "9"];
        for (own, library) in pairs() {
            for number in 0..10_000_usize {
                let digits = [number / 1000, number / 100, number / 10, number];
                let text: String = digits.iter().map(|digit| letters[digit % 10]).collect();
                for text in [text.clone(), format!("QUJD{text}")] {
                    assert_eq!(own.decode(&text), library.decode(&text).ok(), "{text:?}");
                }
            }
        }
    }
}
