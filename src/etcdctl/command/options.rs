//! `options`: the flags of every command.

use crate::etcdctl::command::{Invocation, Made, Text};
use crate::etcdctl::help;

#[expect(clippy::unnecessary_wraps, reason = "every row of the table has this type")]
pub(crate) fn new(_invocation: &Invocation) -> Made {
    Ok(Box::new(Text(help::options().into_bytes())))
}
