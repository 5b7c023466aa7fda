//! The editor of scenarios.

use super::Context;
use crate::ui::node::{Node, div};

/// The view.
pub(super) fn scenario(_: Context) -> Node {
    div()
}
