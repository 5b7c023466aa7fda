//! `version`.

use crate::etcdctl::command::{Command, Failure, Invocation, Text};

#[expect(clippy::unnecessary_wraps, reason = "every row of the table has this type")]
pub(crate) fn new(_invocation: &Invocation) -> Result<Box<dyn Command>, Failure> {
    Ok(Box::new(Text(b"etcdctl version: 3.7.1\nAPI version: 3.7\n".to_vec())))
}
