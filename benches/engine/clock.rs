//! The processor time of this thread, so that other programs on the machine do not count.

use std::time::Duration;

/// Time used by this thread since some moment in the past.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) fn now() -> Duration {
    /// `CLOCK_THREAD_CPUTIME_ID` of Linux.
    const THREAD_TIME: i32 = 3;

    #[repr(C)]
    struct Moment {
        seconds: u64,
        nanoseconds: u64,
    }

    unsafe extern "C" {
        fn clock_gettime(clock: i32, moment: *mut Moment) -> i32;
    }

    let mut moment = Moment { seconds: 0, nanoseconds: 0 };
    // SAFETY: the C library, which std links, writes two 64-bit numbers to where the pointer points.
    let answer = unsafe { clock_gettime(THREAD_TIME, &raw mut moment) };
    assert!(answer == 0, "the clock of the thread can be read");
    Duration::from_secs(moment.seconds) + Duration::from_nanos(moment.nanoseconds)
}

/// Time since some moment in the past: where the thread's own time cannot be had, that of the wall.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub(crate) fn now() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
