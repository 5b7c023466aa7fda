//! What the user reads: numbered steps, elapsed times, and errors that carry their remedy.

use std::fmt;
use std::time::{Duration, Instant};

/// A plain error: what went wrong, and what to do about it.
#[derive(Debug)]
pub struct Problem {
    what: String,
    remedy: Option<String>,
}

impl Problem {
    /// An error that explains itself.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: None }
    }

    /// An error with the thing to do next.
    pub fn with_remedy(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: Some(remedy.into()) }
    }

    /// The same error with a remedy, unless it has one.
    pub fn or_remedy(mut self, remedy: &str) -> Self {
        self.remedy.get_or_insert_with(|| remedy.to_owned());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(remedy) = &self.remedy {
            write!(f, "\n\nWhat to do:\n  {}", remedy.replace('\n', "\n  "))?;
        }
        Ok(())
    }
}

/// Counts the steps of one command as they happen.
pub struct Steps {
    done: u32,
    total: u32,
    started: Instant,
}

impl Steps {
    /// A command of `total` steps that starts now.
    pub fn new(total: u32) -> Self {
        Self { done: 0, total, started: Instant::now() }
    }

    /// Announces the next step.
    pub fn next(&mut self, what: &str) {
        self.done += 1;
        println!("[{}/{} {:>6}] {what}", self.done, self.total, short(self.started.elapsed()));
    }

    /// Adds a line to the step that was announced last.
    pub fn note(&self, what: &str) {
        println!("             {what}");
    }
}

/// A duration as people say it: `0.4 s`, `12 s`, `3m07`.
pub fn short(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{}.{} s", seconds, duration.subsec_millis() / 100),
        10..60 => format!("{seconds} s"),
        _ => format!("{}m{:02}", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_naturally() {
        assert_eq!(short(Duration::from_millis(430)), "0.4 s");
        assert_eq!(short(Duration::from_secs(12)), "12 s");
        assert_eq!(short(Duration::from_secs(187)), "3m07");
    }

    #[test]
    fn an_error_shows_its_remedy_indented() {
        let problem = Problem::with_remedy("no trunk", "run a\nthen b");
        assert_eq!(problem.to_string(), "no trunk\n\nWhat to do:\n  run a\n  then b");
        assert_eq!(Problem::new("x").or_remedy("y").to_string(), "x\n\nWhat to do:\n  y");
    }
}
