//! What is fetched from beside the page, as a model knows it.
//!
//! What it is not: the fetching, which the page's side does.
//! Invariants: it is asked for once, until somebody asks again.

/// Whether something is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Fetched<T> {
    /// Nobody has asked.
    #[default]
    Not,
    /// It is under way.
    Asked,
    /// It could not be fetched, or not be read, with the reason.
    Failed(String),
    /// It is.
    There(T),
}

impl<T> From<Result<T, String>> for Fetched<T> {
    fn from(came: Result<T, String>) -> Self {
        match came {
            Ok(it) => Self::There(it),
            Err(reason) => Self::Failed(reason),
        }
    }
}
