//! Takes one figure at three sizes and prints it as a row.

use std::hint::black_box;
use std::time::Duration;

use crate::clock;

/// The sizes: keys, revisions or watches.
pub(crate) const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];

/// Work of this many elements is repeated at least, in at most [`ROUNDS_MAX`] rounds.
const ELEMENTS_MIN: u64 = 3_000_000;
const ROUNDS_MAX: u64 = 5;

/// Time spent on a number of operations.
pub(crate) struct Spent {
    pub(crate) time: Duration,
    pub(crate) operations: u64,
}

/// Measures `work`, which does `operations` operations.
pub(crate) fn spent<T>(operations: u64, work: impl FnOnce() -> T) -> Spent {
    let started = clock::now();
    let result = work();
    let time = clock::now() - started;
    black_box(result);
    Spent { time, operations }
}

/// Prints what the following rows are.
pub(crate) fn head(what: &str, how: &str) {
    println!("\n{what}: {how}");
    println!(
        "{:<44}{:>9}{:>9}{:>9}  {:>8}{:>8}{:>8}  {:>6}",
        "ns per operation at n =", "10^4", "10^5", "10^6", "/log2 n", "", "", "growth"
    );
}

/// One row: the median of some rounds at each size; `round` sets up and measures one.
pub(crate) fn row(what: &str, mut round: impl FnMut(u64) -> Spent) {
    let at = SIZES.map(|size| {
        let rounds = (ELEMENTS_MIN / size).clamp(1, ROUNDS_MAX);
        let mut times: Vec<f64> = (0..rounds)
            .map(|_| {
                let spent = round(size);
                spent.time.as_nanos() as f64 / spent.operations as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let normal: Vec<f64> =
        at.iter().zip(SIZES).map(|(time, size)| time / (size as f64).log2()).collect();
    println!(
        "{what:<44}{:>9.0}{:>9.0}{:>9.0}  {:>8.1}{:>8.1}{:>8.1}  {:>6.1}",
        at[0],
        at[1],
        at[2],
        normal[0],
        normal[1],
        normal[2],
        normal[2] / normal[0]
    );
}
