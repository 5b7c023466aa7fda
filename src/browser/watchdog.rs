//! Notices a disk that does not answer.
//!
//! What it is: a sum of short waits, kept by whoever checks now and then.
//! What it is not: a timer; a worker that was frozen must not blame its disk, so one check counts
//! for at most [`CHECK_MS_MAX`].
//! Invariants: it fires only while a round is in flight. Source: DESIGN 12.

/// How long a disk may take for one round, or for being opened.
///
/// Unit: ms. Source: DESIGN 12; a terminated worker's clean-up was measured at up to 0.65 s.
pub const DISK_SILENT_MS: u32 = 5000;

/// What one check may add. Unit: ms.
const CHECK_MS_MAX: u64 = 1000;

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watchdog {
    waited_ms: Option<u64>,
}

impl Watchdog {
    /// A round is on its way.
    pub const fn begin(&mut self) {
        self.waited_ms = Some(0);
    }

    /// It was answered.
    pub const fn end(&mut self) {
        self.waited_ms = None;
    }

    /// `elapsed_ms` have passed since the last check; true: the disk has been silent too long.
    pub fn check(&mut self, elapsed_ms: u64) -> bool {
        let Some(waited_ms) = &mut self.waited_ms else {
            return false;
        };
        *waited_ms = waited_ms.saturating_add(elapsed_ms.min(CHECK_MS_MAX));
        *waited_ms >= u64::from(DISK_SILENT_MS)
    }
}
