//! Counts allocations: how many, of how many bytes, and how many bytes stay.
//!
//! What it is: the system's allocator with counters that run only inside [`during`].
//! What it is not: for several threads at once; the counters are for all of them together.
//! Invariants: a reallocation counts as one call, and as the bytes it adds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static IS_ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counted.
pub(crate) struct Counting;

/// What happened while counting was on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
    pub(crate) freed: u64,
}

impl Counted {
    /// Bytes that were allocated and not freed again.
    pub(crate) const fn kept(self) -> u64 {
        self.bytes.saturating_sub(self.freed)
    }
}

/// Counts the allocations of `work`.
pub(crate) fn during<T>(work: impl FnOnce() -> T) -> (T, Counted) {
    for counter in [&CALLS, &BYTES, &FREED] {
        counter.store(0, Relaxed);
    }
    IS_ON.store(true, Relaxed);
    let result = work();
    IS_ON.store(false, Relaxed);
    let [calls, bytes, freed] = [&CALLS, &BYTES, &FREED].map(|counter| counter.load(Relaxed));
    (result, Counted { calls, bytes, freed })
}

fn count(bytes: usize, freed: usize) {
    if IS_ON.load(Relaxed) {
        CALLS.fetch_add(u64::from(bytes > 0), Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
        FREED.fetch_add(freed as u64, Relaxed);
    }
}

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size.saturating_sub(layout.size()), layout.size().saturating_sub(size));
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
