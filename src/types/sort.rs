//! Sorting in little code: what `sort` of the standard library does, in a tenth of its machine code per
//! type of element.
//!
//! What it is: a merge sort of places, compiled once; a type of its own adds its comparison only.
//! What it is not: as quick as the standard library's, which the lists sorted here do not need; a list
//! that is in order already costs one look at each element.
//! Invariants: stable; an inconsistent comparison gives some order of all elements.

use std::cmp::Ordering;

/// Sorts a list.
pub fn sort<T: Ord>(list: &mut Vec<T>) {
    sort_by(list, T::cmp);
}

/// Sorts a list by a comparison; what compares as equal stays in its order.
pub fn sort_by<T>(list: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let is_above = |one: usize, other: usize| match (list.get(one), list.get(other)) {
        (Some(one), Some(other)) => compare(one, other) == Ordering::Greater,
        _ => false,
    };
    let Some(order) = order_of(list.len(), &is_above) else { return };
    let mut unsorted: Vec<Option<T>> = std::mem::take(list).into_iter().map(Some).collect();
    list.extend(order.into_iter().filter_map(|at| unsorted.get_mut(at)?.take()));
}

/// Places in the order of what stands there; `None` if that is in order as it is.
fn order_of(length: usize, is_above: &dyn Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    if !(1..length).any(|at| is_above(at - 1, at)) {
        return None;
    }
    let mut order: Vec<usize> = (0..length).collect();
    let mut run = 1;
    while run < length {
        let mut merged = Vec::with_capacity(length);
        for pair in order.chunks(run * 2) {
            let (mut low, mut high) = pair.split_at(run.min(pair.len()));
            while let (Some((one, rest)), Some((other, other_rest))) =
                (low.split_first(), high.split_first())
            {
                if is_above(*one, *other) {
                    merged.push(*other);
                    high = other_rest;
                } else {
                    merged.push(*one);
                    low = rest;
                }
            }
            merged.extend_from_slice(low);
            merged.extend_from_slice(high);
        }
        order = merged;
        run *= 2;
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_every_length_come_out_as_from_the_standard_library() {
        let mut state = 7_u64;
        for length in 0..200 {
            for span in [1, 3, 1 << 20] {
                let draw = |at| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    ((state >> 33) % span, at)
                };
                let mut list: Vec<(u64, u32)> = (0..length).map(draw).collect();
                let mut wanted = list.clone();
                wanted.sort_by_key(|(key, _)| *key);
                sort_by(&mut list, |one, other| one.0.cmp(&other.0));
                assert_eq!(list, wanted, "equal keys keep their order");
                list.reverse();
                sort(&mut list);
                wanted.sort_unstable();
                assert_eq!(list, wanted);
            }
        }
    }

    #[test]
    fn a_comparison_without_sense_loses_nothing() {
        let mut list: Vec<String> = (0..100).map(|number| format!("{number}")).collect();
        sort_by(&mut list, |_, _| Ordering::Greater);
        let mut found = list.clone();
        found.sort_by_key(|text| text.parse::<u32>().unwrap());
        assert!(found.iter().enumerate().all(|(at, text)| *text == at.to_string()));
        assert_eq!(found.len(), 100);
    }
}
