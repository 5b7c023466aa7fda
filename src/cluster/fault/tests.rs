//! Every rule, alone and together.

use super::*;

const ONE: MemberId = MemberId(1);
const TWO: MemberId = MemberId(2);
const THREE: MemberId = MemberId(3);

fn rule(faults: &[LinkFault]) -> LinkRule {
    let mut links = Links::default();
    for fault in faults {
        links.disturb_one_way(ONE, TWO, *fault);
    }
    links.rule(ONE, TWO)
}

/// What becomes of 1,000 messages, by one seed.
fn thousand(rule: LinkRule, may_double: bool) -> Vec<Vec<u64>> {
    let mut random = Pcg32::for_stream(7, &[]);
    (0..1_000).map(|_| rule.arrivals(may_double, &mut random)).collect()
}

#[test]
fn isolating_and_healing_are_inverse_and_one_way_cuts_stay_one_way() {
    let all = [ONE, TWO, THREE];
    let mut links = Links::default();
    links.isolate(ONE, &all);
    assert_eq!(links.cut_links().count(), 4);
    assert!(links.is_open(TWO, THREE));
    assert!(links.is_open(ONE, ONE));
    links.heal_member(ONE);
    assert!(links.is_whole());
    links.cut_one_way(ONE, TWO);
    assert!(!links.is_open(ONE, TWO));
    assert!(links.is_open(TWO, ONE));
}

#[test]
fn a_partition_cuts_between_its_sides_only_and_leaves_a_bridge() {
    let (four, five) = (MemberId(4), MemberId(5));
    let mut links = Links::default();
    links.partition(&[(ONE, 1), (TWO, 1), (THREE, 2), (four, 2)]);
    assert_eq!(links.cut_links().count(), 8);
    assert!(links.is_open(ONE, TWO) && links.is_open(four, THREE));
    assert!(!links.is_open(ONE, THREE) && !links.is_open(four, TWO));
    assert!([ONE, TWO, THREE, four].iter().all(|member| links.is_open(*member, five)));
}

#[test]
fn a_rule_is_of_one_direction_adds_up_and_goes_with_its_last_fault() {
    let mut links = Links::default();
    links.disturb(ONE, TWO, true, LinkFault::Loss(300));
    links.disturb(ONE, TWO, true, LinkFault::Delay { ms: 200, jitter_ms: 50 });
    assert!(links.rule(TWO, ONE).is_none());
    let both = LinkRule { delay_ms: 200, jitter_ms: 50, loss: 300, ..LinkRule::default() };
    assert_eq!(links.rules().collect::<Vec<_>>(), [(ONE, TWO, both)]);
    assert!(!links.is_whole());
    links.disturb(ONE, TWO, false, LinkFault::Loss(0));
    links.disturb(ONE, TWO, false, LinkFault::Delay { ms: 0, jitter_ms: 0 });
    assert!(links.is_whole());
}

#[test]
fn healing_ends_rules_as_it_ends_cuts() {
    let disturbed = || {
        let mut links = Links::default();
        links.disturb(ONE, TWO, false, LinkFault::Reorder(100));
        links.disturb(TWO, THREE, false, LinkFault::Reorder(100));
        links
    };
    let left = |heal: fn(&mut Links)| {
        let mut links = disturbed();
        heal(&mut links);
        links.rules().count()
    };
    assert_eq!(left(|links| links.heal_one_way(ONE, TWO)), 3);
    assert_eq!(left(|links| links.heal_pair(TWO, ONE)), 2);
    assert_eq!(left(|links| links.heal_member(THREE)), 2);
    assert_eq!(left(Links::heal), 0);
}

#[test]
fn no_member_disturbs_itself_and_numbers_stay_within_their_limits() {
    let mut links = Links::default();
    links.disturb(ONE, ONE, false, LinkFault::Loss(WHOLE));
    assert!(links.is_whole());
    let most = rule(&[
        LinkFault::Loss(u32::MAX),
        LinkFault::Duplicate(u32::MAX),
        LinkFault::Reorder(u32::MAX),
        LinkFault::Delay { ms: u32::MAX, jitter_ms: u32::MAX },
    ]);
    let wanted = LinkRule {
        delay_ms: DELAY_MS_MAX,
        jitter_ms: DELAY_MS_MAX,
        loss: WHOLE,
        duplicate: WHOLE,
        reorder: WHOLE,
    };
    assert_eq!(most, wanted);
}

#[test]
fn a_link_without_faults_passes_everything_at_once_and_draws_nothing() {
    let mut random = Pcg32::for_stream(7, &[]);
    let before = random.clone();
    assert_eq!(LinkRule::default().arrivals(true, &mut random), [0]);
    assert_eq!(random, before);
}

#[test]
fn a_link_that_loses_all_passes_nothing_and_one_that_loses_some_passes_the_others() {
    let lost = |loss| {
        let arrived = thousand(rule(&[LinkFault::Loss(loss)]), true);
        arrived.iter().filter(|copies| copies.is_empty()).count()
    };
    assert_eq!(lost(WHOLE), 1_000);
    assert_eq!(lost(300), 298, "by seed 7");
}

#[test]
fn duplicates_come_twice_but_for_what_must_not() {
    let doubled = |duplicate, may_double| {
        let arrived = thousand(rule(&[LinkFault::Duplicate(duplicate)]), may_double);
        arrived.iter().filter(|copies| copies.len() == 2).count()
    };
    assert_eq!(doubled(WHOLE, true), 1_000);
    assert_eq!(doubled(100, true), 92, "by seed 7");
    assert_eq!(doubled(WHOLE, false), 0);
}

#[test]
fn a_delay_is_at_least_itself_and_at_most_its_jitter_more() {
    let plain = thousand(rule(&[LinkFault::Delay { ms: 200, jitter_ms: 0 }]), true);
    assert!(plain.iter().all(|copies| *copies == [200]));
    let drawn = thousand(rule(&[LinkFault::Delay { ms: 200, jitter_ms: 50 }]), true);
    assert!(drawn.iter().flatten().all(|ms| (200..=250).contains(ms)));
    assert!(drawn.contains(&vec![200]) && drawn.contains(&vec![250]));
}

#[test]
fn reordered_messages_are_overtaken_by_those_that_are_not() {
    let arrived = thousand(rule(&[LinkFault::Reorder(200)]), true);
    let held = arrived.iter().flatten().filter(|ms| **ms > 0).count();
    assert_eq!(held, 201, "by seed 7");
    assert!(arrived.iter().flatten().all(|ms| *ms <= u64::from(REORDER_MS.1)));
}

#[test]
fn a_member_keeps_what_lasts_until_it_is_put_right() {
    let mut faults = MemberFaults::default();
    for fault in [MemberFault::PowerCut, MemberFault::Wipe, MemberFault::FreeDisk] {
        faults.set(fault);
        assert!(faults.is_none(), "{fault:?}");
    }
    faults.set(MemberFault::SlowDisk(u32::MAX));
    faults.set(MemberFault::FillDisk);
    assert_eq!((faults.disk_delay_ms(), faults.is_disk_full()), (DISK_DELAY_MS_MAX, true));
    faults.set(MemberFault::SlowDisk(0));
    faults.set(MemberFault::FreeDisk);
    assert!(faults.is_none());
}

#[test]
fn a_fast_clock_has_short_ticks_and_none_stands_still() {
    let tick = |rate| {
        let mut faults = MemberFaults::default();
        faults.set(MemberFault::Clock(rate));
        faults.tick_ms(100)
    };
    assert_eq!([tick(WHOLE), tick(1_500), tick(500), tick(0)], [100, 66, 200, 1_000]);
    let mut fast = MemberFaults::default();
    fast.set(MemberFault::Clock(u32::MAX));
    assert_eq!((fast.clock(), fast.tick_ms(1)), (CLOCK_RATE.1, 1));
}
