//! Spreads expiries that pile up after a promotion.
//!
//! What it is: one function over times. What it is not: a choice of when to do so.
//! Invariants: nothing expires earlier than before; the order stays; no stretch of one second holds
//! more than the given number; of leases that wait, the waits are even.
//! Source: the purpose, not the way, of etcd's `Promote`.

use std::collections::VecDeque;

use crate::types::{LeaseId, Millis};

const SECOND_MS: u64 = 1000;

/// Leases that were moved one after the other, without one in between that could stay.
#[derive(Clone, Copy)]
struct Run {
    /// Where the first one went.
    start: Millis,
    /// How many there are.
    length: u64,
}

/// Moves expiries, which must be in order, so that at most `per_second` fall into one second.
pub(super) fn spread(expiries: &mut [(Millis, LeaseId)], per_second: u32) {
    debug_assert!(expiries.is_sorted(), "expiries come in order");
    assert!(per_second > 0, "something must be allowed to expire");
    // The last `per_second` expiries: the first of them opens the second that is full.
    let mut full_second: VecDeque<Millis> = VecDeque::new();
    let mut run: Option<Run> = None;
    for (expiry, _) in expiries {
        let is_full = u32::try_from(full_second.len()).is_ok_and(|length| length == per_second);
        let after_second =
            if is_full { full_second.pop_front() } else { None }.map(|first| first.plus(SECOND_MS));
        let after_run = run.map(|run| {
            run.start.plus(run.length.saturating_mul(SECOND_MS) / u64::from(per_second))
        });
        run = match after_second.max(after_run) {
            Some(earliest) if earliest > *expiry => {
                *expiry = earliest;
                let (start, length) = run.map_or((earliest, 0), |run| (run.start, run.length));
                Some(Run { start, length: length + 1 })
            }
            _ => None,
        };
        full_second.push_back(*expiry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread_times(times: &[u64], per_second: u32) -> Vec<u64> {
        let mut expiries: Vec<(Millis, LeaseId)> =
            times.iter().zip(1..).map(|(time, id)| (Millis(*time), LeaseId(id))).collect();
        spread(&mut expiries, per_second);
        expiries.iter().map(|(time, _)| time.0).collect()
    }

    #[test]
    fn few_expiries_stay_where_they_are() {
        assert_eq!(spread_times(&[], 2), Vec::<u64>::new());
        assert_eq!(spread_times(&[10, 10, 1010, 1010, 2500], 2), [10, 10, 1010, 1010, 2500]);
    }

    #[test]
    fn a_pile_becomes_an_even_stream_after_its_first_second() {
        assert_eq!(
            spread_times(&[5000; 9], 4),
            [5000, 5000, 5000, 5000, 6000, 6250, 6500, 6750, 7000]
        );
    }

    #[test]
    fn the_end_of_one_pile_does_not_fall_on_the_start_of_the_next() {
        // The first pile ends at 7000 and 7500; two more at 7600 would make four within a second.
        assert_eq!(
            spread_times(&[5000, 5000, 5000, 5000, 5000, 5000, 7600, 7600, 9500], 2),
            [5000, 5000, 6000, 6500, 7000, 7500, 8000, 8500, 9500]
        );
    }
}
