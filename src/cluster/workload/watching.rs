//! W3 and W6: clients that list and then watch, and clients that watch in odd ways.
//!
//! Invariants: a list-and-watch client goes on exactly where its list or its last watch ended.

use bytes::Bytes;

use super::{Action, Workload, World};
use crate::api::{Error, RangeRequest, Request, Response, WatchCreateRequest, WatchFilter};

/// Lists everything, watches from there on, and writes meanwhile.
#[derive(Debug, Default)]
pub(super) struct ListWatch {
    next_revision: Option<i64>,
    has_listed: bool,
}

impl Workload for ListWatch {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        if world.watches == 0 {
            if let Some(revision) = self.next_revision {
                let (key, range_end) = (Bytes::from_static(&[0]), Bytes::from_static(&[0]));
                // If the history is gone the watch says so, and the client lists anew.
                self.next_revision = None;
                return Action::Watch(WatchCreateRequest {
                    key,
                    range_end,
                    start_revision: revision,
                    prev_kv: world.random.chance(3, 4),
                    progress_notify: world.random.chance(1, 2),
                    ..WatchCreateRequest::default()
                });
            }
            self.has_listed = true;
            let (key, range_end) = (Bytes::from_static(b"k"), Bytes::from_static(b"l"));
            return Action::Ask(Request::Range(RangeRequest {
                key,
                range_end,
                ..RangeRequest::default()
            }));
        }
        match world.random.below(10) {
            0 => Action::Progress,
            1..=7 => Action::Ask(Request::Put(world.put())),
            8 => Action::Ask(Request::DeleteRange(world.delete())),
            _ => Action::Rest,
        }
    }

    fn answered(&mut self, result: &Result<Response, Error>) {
        if let Ok(Response::Range(range)) = result
            && std::mem::take(&mut self.has_listed)
        {
            self.next_revision = Some(range.header.revision + 1);
        }
    }

    fn stream_ended(&mut self, next_revision: i64) {
        self.next_revision = (next_revision > 0).then_some(next_revision);
    }

    fn pause_ms(&self) -> (u32, u32) {
        (5, 80)
    }
}

/// Watches from far before to far after now, with and without filters, and not for long.
#[derive(Debug, Default)]
pub(super) struct Odd {
    /// It has just started a watch, and may ask at once how far that one is.
    is_curious: bool,
}

/// Watches of one stream.
const WATCHES_MAX: u32 = 4;

impl Workload for Odd {
    fn next(&mut self, world: &mut World<'_>) -> Action {
        if std::mem::take(&mut self.is_curious) {
            return Action::Progress;
        }
        match world.random.below(12) {
            0..=4 if world.watches < WATCHES_MAX => {
                let (key, range_end) = world.range();
                let start_revision = match world.random.below(6) {
                    0 | 1 => 0,
                    2 => world.compacted.max(1),
                    _ => world.near(100, 100),
                };
                self.is_curious = world.random.chance(1, 3);
                let mut filters = Vec::new();
                if world.random.chance(1, 5) {
                    filters.push(WatchFilter::NoPut);
                } else if world.random.chance(1, 5) {
                    filters.push(WatchFilter::NoDelete);
                }
                Action::Watch(WatchCreateRequest {
                    key,
                    range_end,
                    start_revision,
                    filters,
                    prev_kv: world.random.chance(1, 2),
                    progress_notify: world.random.chance(1, 2),
                    ..WatchCreateRequest::default()
                })
            }
            0..=5 => Action::CancelWatch,
            6 | 7 => Action::Progress,
            8 if world.random.chance(1, 4) => Action::CloseStream,
            9 | 10 => Action::Ask(Request::Put(world.put())),
            _ => Action::Rest,
        }
    }

    fn pause_ms(&self) -> (u32, u32) {
        if self.is_curious { (0, 5) } else { (10, 200) }
    }
}
