//! What the model does by itself; with the lab it is tested in `tests/time_view.rs`.

use super::*;

#[test]
fn wishes() {}
