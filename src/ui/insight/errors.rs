//! The catalogue of error messages.

use super::Context;
use crate::ui::node::{Node, div};

/// The view.
pub(super) fn errors(_: Context) -> Node {
    div()
}
