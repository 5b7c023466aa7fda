//! Placeholder until the page exists.
fn main() {}
