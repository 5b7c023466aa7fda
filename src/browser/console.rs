//! Log lines on the browser's console.
//!
//! What it is: the sink of the `log` crate in pages and workers.
//! What it is not: a source for the page; what the page shows comes from typed events.
//! Invariants: installing it twice is harmless.

use log::{Level, LevelFilter, Log, Metadata, Record};

use super::js;

struct Console;

static CONSOLE: Console = Console;

impl Log for Console {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let line = format!("{}: {}", record.target(), record.args());
        match record.level() {
            Level::Error => js::console_error(&line),
            Level::Warn => js::console_warn(&line),
            Level::Info | Level::Debug | Level::Trace => js::console_info(&line),
        }
    }

    fn flush(&self) {}
}

/// Sends log lines to the console from now on.
pub(super) fn install() {
    if log::set_logger(&CONSOLE).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}
