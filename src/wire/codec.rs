//! The codec of every byte envelope: format byte, then postcard.
//!
//! Invariants: never panics on foreign bytes; refuses other formats by number.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Format of all byte envelopes. Changes with any change of the types they carry.
pub const FORMAT: u8 = 5;

/// Largest envelope accepted.
///
/// Unit: bytes. Range: above etcd's request limit of 1.5 MiB times a full append batch.
/// Source: ours; a batch of appends is cut at 1 MiB, one oversize entry may pass.
pub const ENVELOPE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Why bytes were refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing there.
    #[error("the message is empty")]
    Empty,
    /// Made by another version of the page.
    #[error("the message has format {found}, this page speaks {FORMAT}: reload all its tabs")]
    Format {
        /// The format byte found.
        found: u8,
    },
    /// Over [`ENVELOPE_BYTES_MAX`].
    #[error("the message has {bytes} bytes, more than {ENVELOPE_BYTES_MAX}")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// Not what was expected.
    #[error("the message cannot be read")]
    Postcard(#[from] postcard::Error),
}

/// Encodes an envelope.
///
/// # Errors
/// [`Error::Postcard`] if the value cannot be serialised.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    Ok(postcard::to_extend(value, vec![FORMAT])?)
}

/// Decodes an envelope.
///
/// # Errors
/// Every variant of [`Error`]: the bytes come from outside.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if size > ENVELOPE_BYTES_MAX {
        return Err(Error::TooLarge { bytes: size });
    }
    match bytes.split_first() {
        None => Err(Error::Empty),
        Some((&FORMAT, body)) => {
            let (value, rest) = postcard::take_from_bytes(body)?;
            if rest.is_empty() {
                Ok(value)
            } else {
                Err(Error::Postcard(postcard::Error::DeserializeBadEncoding))
            }
        }
        Some((&found, _)) => Err(Error::Format { found }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_and_refuses_everything_else() {
        let bytes = encode(&(7u64, "x".to_owned())).unwrap();
        assert_eq!(decode::<(u64, String)>(&bytes).unwrap(), (7, "x".to_owned()));
        assert!(matches!(decode::<u64>(&[]), Err(Error::Empty)));
        assert!(matches!(decode::<u64>(&[9, 1]), Err(Error::Format { found: 9 })));
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(decode::<(u64, String)>(&longer).is_err());
        for cut in 0..bytes.len() {
            assert!(decode::<(u64, String)>(&bytes[..cut]).is_err());
        }
    }
}
