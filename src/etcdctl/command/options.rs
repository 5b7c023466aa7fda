//! `options`: the flags of every command.

use crate::etcdctl::command::{Command, Failure, Invocation, Text};
use crate::etcdctl::help;

#[expect(clippy::unnecessary_wraps, reason = "every row of the table has this type")]
pub(crate) fn new(_invocation: &Invocation) -> Result<Box<dyn Command>, Failure> {
    Ok(Box::new(Text(help::options().into_bytes())))
}
