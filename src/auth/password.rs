//! Passwords: bcrypt with a cost, in the form Go's `x/crypto/bcrypt` writes.
//!
//! What it is: hash with a salt from the caller's stream, and compare. Both are slow on purpose (at cost 10
//! about a tenth of a second), so they come before a proposal, never while an entry is applied.
//! What it is not: a source of randomness, or a rule about who has a password (see `changes`).
//! Invariants: the same password, cost and salt give the same 60 characters `$2a$…` everywhere.
//! Only the raw function of the `bcrypt` crate is used: the rest of it brings its own entropy.
//! Source: etcd `server/auth/store.go`; N. Provos, D. Mazières, "A Future-Adaptable Password Scheme".

use bytes::Bytes;

use crate::api::Error;
use crate::random::Pcg32;
use crate::types::Base64;

/// Lowest `--bcrypt-cost`. Unit: log2 of rounds. Source: `x/crypto/bcrypt` `MinCost`.
pub const BCRYPT_COST_MIN: u32 = 4;

/// Highest `--bcrypt-cost`. Unit: log2 of rounds. Source: `x/crypto/bcrypt` `MaxCost`.
pub const BCRYPT_COST_MAX: u32 = 31;

/// Default `--bcrypt-cost`, also used if the given one is out of range. Unit: log2 of rounds.
/// Source: etcd `server/embed/config.go`, `x/crypto/bcrypt` `DefaultCost`.
pub const BCRYPT_COST_DEFAULT: u32 = 10;

/// Longest password. Unit: bytes. Source: `x/crypto/bcrypt` (`ErrPasswordTooLong`).
pub const PASSWORD_BYTES_MAX: u32 = 72;

/// Characters of a hash: `$2a$10$`, 22 of salt, 31 of hash.
pub(super) const HASH_BYTES: u32 = 60;

/// The given cost, or the default if bcrypt does not allow it.
pub(super) const fn allowed_cost(cost: u32) -> u32 {
    if cost < BCRYPT_COST_MIN || cost > BCRYPT_COST_MAX { BCRYPT_COST_DEFAULT } else { cost }
}

/// Hashes a password with a salt of 16 bytes from `random`: the text for
/// `AuthUserAddRequest::hashed_password` and `AuthUserChangePasswordRequest::hashed_password`.
///
/// # Errors
/// `PasswordTooLong`.
pub fn hash_password(password: &str, cost: u32, random: &mut Pcg32) -> Result<String, Error> {
    if u32::try_from(password.len()).map_or(true, |length| length > PASSWORD_BYTES_MAX) {
        return Err(Error::PasswordTooLong);
    }
    let mut salt = [0; 16];
    for (four, draw) in salt.chunks_exact_mut(4).zip(std::iter::repeat_with(|| random.next_u32())) {
        four.copy_from_slice(&draw.to_be_bytes());
    }
    Ok(Base64::STANDARD.encode(hash(password.as_bytes(), allowed_cost(cost), salt).as_bytes()))
}

/// The stored form of a `hashed_password`; `None` if it is not base64.
pub(super) fn decode(hashed_password: &str) -> Option<Bytes> {
    Base64::STANDARD.decode(hashed_password).map(Bytes::from)
}

/// Whether `password` gives `stored`. A stored text that is no hash matches nothing.
pub(super) fn is_match(stored: &[u8], password: &str) -> bool {
    let Some((cost, salt)) = split(stored) else { return false };
    let computed = hash(password.as_bytes(), cost, salt);
    // The version letter does not change the function for passwords without a NUL.
    let (Some(stored), Some(computed)) = (stored.get(3..), computed.as_bytes().get(3..)) else {
        return false;
    };
    // Every byte is looked at, whatever the first difference is.
    stored.len() == computed.len()
        && stored.iter().zip(computed).fold(0, |sum, (one, other)| sum | (one ^ other)) == 0
}

/// The cost and salt in a stored hash.
fn split(stored: &[u8]) -> Option<(u32, [u8; 16])> {
    let text = std::str::from_utf8(stored).ok()?;
    let is_whole = u32::try_from(text.len()).is_ok_and(|length| length == HASH_BYTES);
    let rest = ["$2a$", "$2b$", "$2y$"].iter().find_map(|version| text.strip_prefix(version))?;
    let (cost, rest) = rest.split_once('$')?;
    let cost: u32 = cost.parse().ok()?;
    let salt = Base64::BCRYPT.decode(rest.get(..22)?)?;
    (is_whole && allowed_cost(cost) == cost).then_some((cost, salt.try_into().ok()?))
}

/// The 60 characters of a hash.
fn hash(password: &[u8], cost: u32, salt: [u8; 16]) -> String {
    // bcrypt reads at most 72 bytes of the password and the NUL that ends it.
    let read: Vec<u8> = password.iter().copied().chain([0]).take(72).collect();
    let raw = bcrypt::bcrypt(cost, salt, &read);
    // The last of the 24 bytes is dropped, as it always was.
    let kept = raw.first_chunk::<23>().map_or(&raw[..], |kept| &kept[..]);
    format!("$2a${cost:02}${}{}", Base64::BCRYPT.encode(&salt), Base64::BCRYPT.encode(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> Pcg32 {
        Pcg32::for_stream(7, &[1])
    }

    fn hashed(password: &str) -> Bytes {
        decode(&hash_password(password, BCRYPT_COST_MIN, &mut random()).unwrap()).unwrap()
    }

    #[test]
    fn published_hashes_are_reproduced() {
        // From the test vectors of jBCrypt and of OpenBSD.
        for (password, stored) in [
            ("", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."),
            ("a", "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe"),
            ("abc", "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i"),
        ] {
            assert!(is_match(stored.as_bytes(), password), "{password}");
            assert!(!is_match(stored.as_bytes(), "wrong"));
        }
    }

    #[test]
    fn the_same_stream_gives_the_same_hash_and_another_one_another() {
        assert_eq!(hashed("bar"), hashed("bar"));
        let mut later = random();
        later.next_u64();
        let other = hash_password("bar", BCRYPT_COST_MIN, &mut later).unwrap();
        assert_ne!(decode(&other).unwrap(), hashed("bar"));
        assert!(is_match(&decode(&other).unwrap(), "bar"));
        assert!(hashed("bar").starts_with(b"$2a$04$"));
    }

    #[test]
    fn a_password_of_72_bytes_is_taken_and_one_of_73_is_not() {
        let longest = "x".repeat(72);
        assert!(is_match(&hashed(&longest), &longest));
        assert!(!is_match(&hashed(&longest), &longest[1..]));
        let result = hash_password(&"x".repeat(73), BCRYPT_COST_MIN, &mut random());
        assert_eq!(result, Err(Error::PasswordTooLong));
    }

    #[test]
    fn what_is_no_hash_matches_nothing() {
        let good = hashed("bar");
        for end in 0..good.len() {
            assert!(!is_match(&good[..end], "bar"));
        }
        for bad in [
            &b"$2a$99$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe"[..],
            b"$2a$03$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe",
            b"$1a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe",
            b"\xff\xfe",
            "é".repeat(30).as_bytes(),
        ] {
            assert!(!is_match(bad, "a"));
        }
    }

    #[test]
    fn a_cost_out_of_bounds_becomes_the_default() {
        assert_eq!(allowed_cost(BCRYPT_COST_MIN - 1), BCRYPT_COST_DEFAULT);
        assert_eq!(allowed_cost(BCRYPT_COST_MAX + 1), BCRYPT_COST_DEFAULT);
        assert_eq!(allowed_cost(BCRYPT_COST_MIN), BCRYPT_COST_MIN);
        assert_eq!(allowed_cost(BCRYPT_COST_MAX), BCRYPT_COST_MAX);
    }
}
