//! Simple tokens: random letters, a dot, and the index of the entry that made them.
//!
//! What it is: who holds which token, kept by each member for itself, and until when.
//! What it is not: replicated, stored, or a secret worth the name (etcd says so of its own).
//! Every member applies the same entry, so each knows the token; a restarted one knows none, and its
//! clients log in again.
//! Invariants: at most [`SIMPLE_TOKENS_MAX`] tokens; a token belongs to one user.
//! Source: etcd `server/auth/simple_token.go`.

use crate::random::Pcg32;
use crate::types::{BigMap, Index, Millis};

/// Default `--auth-token-ttl`. Unit: ms. Source: etcd `server/embed/config.go` (300 s).
pub const SIMPLE_TOKEN_TTL_MS: u64 = 300_000;

/// Tokens a member keeps; beyond, the one that would expire first goes.
///
/// Unit: tokens. Source: etcd has no limit, and warns at each 10,000.
pub const SIMPLE_TOKENS_MAX: u32 = 10_000;

/// Letters in a token before the dot. Source: etcd `defaultSimpleTokenLength`.
const LETTERS: u32 = 16;

/// What a token is made of.
const ALPHABET: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The random part of a token.
pub(super) fn draw_letters(random: &mut Pcg32) -> String {
    let letters = (0..LETTERS).filter_map(|_| {
        let at = usize::try_from(random.below(52)).ok()?;
        ALPHABET.get(at).copied().map(char::from)
    });
    letters.collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    user: String,
    expires: Millis,
}

/// The tokens one member knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SimpleTokens {
    tokens: BigMap<String, Token>,
}

impl SimpleTokens {
    /// Gives `user` a token that lives until `expires` unless it is used.
    pub(super) fn assign(
        &mut self,
        user: &str,
        letters: &str,
        index: Index,
        expires: Millis,
    ) -> String {
        let token = format!("{letters}.{index}");
        if u32::try_from(self.tokens.len()).map_or(true, |count| count >= SIMPLE_TOKENS_MAX) {
            let first = self.tokens.iter().min_by_key(|(_, held)| held.expires);
            if let Some(name) = first.map(|(name, _)| name.clone()) {
                self.tokens.remove(&name);
            }
        }
        let held = Token { user: user.to_owned(), expires };
        let before = self.tokens.insert(token.clone(), held);
        assert!(before.is_none(), "entry {index} gave a token that was given before");
        token
    }

    /// Whose token it is; it then lives until `expires` at least.
    pub(super) fn renew(&mut self, token: &str, now: Millis, expires: Millis) -> Option<String> {
        let held = self.tokens.get_mut(token).filter(|held| now <= held.expires)?;
        held.expires = held.expires.max(expires);
        Some(held.user.clone())
    }

    /// Forgets what expired before `now`.
    pub(super) fn expire(&mut self, now: Millis) {
        self.tokens.retain(|_, held| now <= held.expires);
    }

    /// Forgets the tokens of all users that `keeps` says no to.
    pub(super) fn retain_users(&mut self, keeps: impl Fn(&str) -> bool) {
        self.tokens.retain(|_, held| keeps(&held.user));
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.tokens.clear();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.tokens.len()).unwrap()
    }
}

/// The index in a token; `None` if it is no token at all.
pub(super) fn index_of(token: &str) -> Option<Index> {
    let (_, index) = token.split_once('.')?;
    // `parse` alone would take a sign.
    let is_number = index.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| index.parse().ok().map(Index)).flatten()
}
