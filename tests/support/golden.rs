//! Files with what long runs come to: written on request, and checked by two threads.
//!
//! Invariants: only `UPDATE_GOLDEN=1` writes.

use std::path::Path;

/// True if the files are to be written rather than read.
pub(crate) fn is_writing() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}

/// Writes a file below `tests/`.
pub(crate) fn write(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    std::fs::write(&path, text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
}

/// What is different in every second thing from the first one on, and from the second one on; nothing may be.
pub(crate) fn assert_none(different: impl Fn(usize) -> String + Sync) {
    let found = std::thread::scope(|scope| {
        let different = &different;
        let halves = [0, 1].map(|first| scope.spawn(move || different(first)));
        halves.map(|half| half.join().expect("no run panics")).concat()
    });
    assert!(found.is_empty(), "UPDATE_GOLDEN=1 if that is meant:\n{found}");
}
