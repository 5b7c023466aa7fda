//! `version`.

use crate::etcdctl::command::{Invocation, Made, Text};

#[expect(clippy::unnecessary_wraps, reason = "every row of the table has this type")]
pub(crate) fn new(_invocation: &Invocation) -> Made {
    Ok(Box::new(Text(b"etcdctl version: 3.7.1\nAPI version: 3.7\n".to_vec())))
}
