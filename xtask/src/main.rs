//! The project's commands; see `README.md`.
fn main() {}
