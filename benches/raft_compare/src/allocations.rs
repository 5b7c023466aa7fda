//! Counts allocations: how many, and of how many bytes.
//!
//! What it is: the system's allocator with two counters that run only inside [`during`].
//! Invariants: a reallocation counts as one call, and as the bytes it adds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static IS_ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counted.
pub struct Counting;

/// What happened while counting was on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    pub calls: u64,
    pub bytes: u64,
}

/// Counts the allocations of `work`.
pub fn during<T>(work: impl FnOnce() -> T) -> (T, Counted) {
    CALLS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    IS_ON.store(true, Relaxed);
    let result = work();
    IS_ON.store(false, Relaxed);
    (result, Counted { calls: CALLS.load(Relaxed), bytes: BYTES.load(Relaxed) })
}

fn count(bytes: usize) {
    if IS_ON.load(Relaxed) {
        CALLS.fetch_add(1, Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
    }
}

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size.saturating_sub(layout.size()));
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
