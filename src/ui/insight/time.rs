//! A run in the lab, moment by moment.

use super::Context;
use crate::ui::node::{Node, div};

/// The view.
pub(super) fn time(_: Context) -> Node {
    div()
}
