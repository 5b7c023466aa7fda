//! Figures of the pure engine's store, natively; `cargo xtask bench engine` runs this.
//!
//! What it is: the cost of each operation at 10^4, 10^5 and 10^6 keys, revisions or watches, and the memory they take.
//! What it is not: a test; nothing here fails on a time.
//! How to read it: the second half of a row is the first divided by log2 n; it stays level where the whole grows
//! as n log n. A machine's caches raise it as well: what no longer fits them costs two to four times as much.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "a measurement panics to fail, prints its table, looks at the clock and counts allocations"
)]

mod allocations;
mod clock;
mod counts;
mod store;
mod table;
mod watches;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let ["count", operation, size] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        counts::count(operation, size.parse().expect("a number"));
        return;
    }
    let is_wanted = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if is_wanted("store") {
        store::measure();
    }
    if is_wanted("watches") {
        watches::measure();
    }
    if is_wanted("memory") {
        store::measure_memory();
    }
}
