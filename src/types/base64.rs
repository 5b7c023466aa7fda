//! Base64: bytes as letters, six bits each.
//!
//! What it is: the three alphabets that are met here, under one name each, by the crate `base64`.
//! What it is not: an implementation, or forgiving: white space, another alphabet's letters and wrong padding are
//! refused.
//! Invariants: what was written is read back; with left-over bits refused no two texts give the same bytes.
//! Source: RFC 4648, sections 4 and 5; bcrypt's alphabet is OpenBSD's.

use ::base64::Engine as _;
use ::base64::alphabet;
use ::base64::engine::general_purpose::{GeneralPurpose, NO_PAD, PAD};

/// One way to write base64.
#[derive(Clone, Debug)]
pub struct Base64(GeneralPurpose);

impl Base64 {
    /// The ordinary one, with padding.
    pub const STANDARD: Self = Self(GeneralPurpose::new(&alphabet::STANDARD, PAD));

    /// For addresses, without padding.
    pub const URL: Self = Self(GeneralPurpose::new(&alphabet::URL_SAFE, NO_PAD));

    /// bcrypt's own; like Go's, it does not mind left-over bits at the end.
    pub const BCRYPT: Self =
        Self(GeneralPurpose::new(&alphabet::BCRYPT, NO_PAD.with_decode_allow_trailing_bits(true)));

    /// The letters of these bytes.
    #[must_use]
    pub fn encode(&self, bytes: &[u8]) -> String {
        self.0.encode(bytes)
    }

    /// The bytes of these letters; `None` if they are not what `encode` writes.
    #[must_use]
    pub fn decode(&self, text: &str) -> Option<Vec<u8>> {
        self.0.decode(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_every_length_are_read_back_and_a_text_has_one_form() {
        for alphabet in [Base64::STANDARD, Base64::URL, Base64::BCRYPT] {
            for length in 0..70_u8 {
                let bytes: Vec<u8> = (0..length).map(|at| at.wrapping_mul(73) ^ length).collect();
                assert_eq!(alphabet.decode(&alphabet.encode(&bytes)), Some(bytes));
            }
        }
        for text in ["QQ", "QQ= ", "QR==", "Q Q=", "QQ-="] {
            assert_eq!(Base64::STANDARD.decode(text), None, "{text}");
        }
        assert_eq!(Base64::URL.decode("QQ=="), None);
        assert_eq!(Base64::BCRYPT.decode("O/"), Base64::BCRYPT.decode("O."));
        assert!(Base64::BCRYPT.decode("O/").is_some());
    }
}
