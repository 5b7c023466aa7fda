//! Faults by verbs and by buttons.

use super::*;
use crate::cluster::fault::{LinkFault, Links, MemberFault, MemberFaults};
use crate::playground::membership::Change;

impl Page {
    fn links(&self) -> Links {
        let found = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::SetLinks(links) => Some(links.clone()),
            _ => None,
        });
        found.unwrap_or_default()
    }

    fn faults(&self) -> (MemberId, MemberFaults) {
        let found = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::SetFaults(member, faults) => Some((*member, *faults)),
            _ => None,
        });
        found.unwrap()
    }

    /// The newest sentence of the event log.
    fn told(&self) -> String {
        self.model.log_view().lines[0].sentence.clone()
    }
}

#[test]
fn link_verbs_set_rules_and_say_so_in_the_console_the_log_and_the_list_of_links() {
    let mut page = Page::open();
    page.run("loss infra1 infra2 30%");
    assert_eq!(page.text(), "infra1 – infra2: loss 30%.\n");
    assert_eq!(page.told(), "infra1 – infra2: loss 30%.");
    page.run("delay leader infra2 200ms jitter 50ms one-way");
    assert_eq!(page.text(), "infra1 → infra2: delay 200ms and up to 50ms more.\n");
    let rule = page.links().rule(MemberId(1), MemberId(2));
    assert_eq!((rule.loss, rule.delay_ms, rule.jitter_ms), (300, 200, 50));
    assert_eq!(page.links().rules().count(), 2);
    let view = page.model.cluster_view();
    assert!(view.can_heal);
    assert!(view.links[0].sentence.contains("disturbed"), "{}", view.links[0].sentence);
    assert_eq!(view.links[1].words, "open");
    page.run("heal infra2 -> infra1");
    assert_eq!(page.links().rules().count(), 1);
    page.run("heal");
    assert!(page.links().is_whole());
    page.run("heal");
    assert_eq!(page.text(), "No link is cut or disturbed.\n");
}

#[test]
fn a_partition_names_its_sides_and_refuses_who_is_not_there() {
    let mut page = Page::open();
    page.run("partition infra1 | infra2,infra3");
    assert_eq!(page.text(), "The network is split: infra1 | infra2,infra3.\n");
    assert_eq!(page.links().cut_links().count(), 4);
    page.run("partition infra1 | infra4");
    assert!(page.text().contains("there is no infra4"), "{}", page.text());
}

#[test]
fn member_verbs_reach_the_member_and_outlive_its_restart() {
    let mut page = Page::open();
    page.run("slow-disk leader 1500ms");
    assert_eq!(page.faults().0, MemberId(1));
    page.run("clock infra1 150%");
    page.run("fill-disk infra1");
    let faults = page.faults().1;
    assert_eq!((faults.disk_delay_ms(), faults.clock()), (1_500, 1_500));
    assert!(faults.is_disk_full());
    let card = &page.model.cluster_view().cards[0];
    assert_eq!(card.fault_words, "disk +1500ms, disk full, clock 150%");
    let message = "the disk is full (as ordered)".to_owned();
    let reason = DownReason::DiskFailed { message };
    page.news(News::MemberDown { member: MemberId(1), reason });
    let (_, remedy) = page.model.cluster_view().cards[0].trouble.clone().unwrap();
    assert!(remedy.contains("Free its disk"), "{remedy}");
    page.run("free-disk killed");
    page.run("slow-disk infra1 off");
    page.run("clock infra1 100%");
    assert_eq!(page.faults(), (MemberId(1), MemberFaults::default()));
}

#[test]
fn power_is_cut_without_a_gate_and_told_when_it_is_gone() {
    let mut page = Page::open();
    page.run("power-cut leader");
    let cut = |effect: &Effect| matches!(effect, Effect::PowerCut(MemberId(1)));
    assert!(page.effects.iter().any(cut));
    assert!(!page.effects.iter().any(|effect| matches!(effect, Effect::Kill(_))));
    page.news(News::MemberDown { member: MemberId(1), reason: DownReason::PowerCut });
    assert_eq!(page.told(), "infra1 lost its power.");
    page.run("power-cut infra1");
    assert_eq!(page.last_block().failure, Some(1));
    page.run("restart killed");
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::Restart(MemberId(1)))));
}

#[test]
fn a_disk_is_wiped_by_a_verb_at_once_and_by_a_button_after_a_question() {
    let mut page = Page::open();
    let wipes = |page: &Page| {
        page.effects.iter().filter(|effect| matches!(effect, Effect::Wipe(_))).count()
    };
    page.run("wipe infra2");
    assert_eq!(wipes(&page), 1);
    page.event(Event::Act(Action::Change(Change::Wipe(MemberId(3)))));
    let question = page.model.frame_view().asks_change.unwrap();
    assert!(question.title.contains("infra3"), "{}", question.title);
    page.event(Event::AnswerChange(false));
    assert_eq!(wipes(&page), 1);
    page.event(Event::Act(Action::Change(Change::Wipe(MemberId(3)))));
    page.event(Event::AnswerChange(true));
    assert_eq!(wipes(&page), 2);
    assert!(page.told().contains("infra3"), "{}", page.told());
}

#[test]
fn a_direction_is_chosen_in_the_matrix_and_let_go_by_a_second_press() {
    let mut page = Page::open();
    let ends = (MemberId(2), MemberId(1));
    page.event(Event::EditLink(ends));
    let faults = page.model.cluster_view().faults;
    assert!(faults.rows[1][0].as_ref().unwrap().is_edited);
    let loss = &faults.editor.unwrap().choices[2];
    let option = loss.options.iter().find(|option| option.label == "30%").unwrap();
    page.event(Event::Act(option.action));
    assert_eq!(page.links().rule(MemberId(2), MemberId(1)).loss, 300);
    assert_eq!(page.told(), "infra2 → infra1: loss 30%.");
    page.event(Event::EditLink(ends));
    assert_eq!(page.model.cluster_view().faults.editor, None);
}

#[test]
fn what_buttons_break_is_recorded_as_verbs() {
    let mut page = Page::open();
    let (one, two) = (MemberId(1), MemberId(2));
    let reorder = LinkFault::Reorder(300);
    page.event(Event::Act(Action::Disturb { from: two, to: one, one_way: true, fault: reorder }));
    page.event(Event::Act(Action::HealOneWay(two, one)));
    page.event(Event::Act(Action::HealPair(two, one)));
    page.event(Event::Act(Action::Afflict(one, MemberFault::SlowDisk(500))));
    let split = page.model.cluster_view().faults.presets[1].action.unwrap();
    page.event(Event::Act(split));
    let record = page.remembered("record").unwrap().to_owned();
    for line in [
        "reorder infra2->infra1 30%",
        "heal infra2->infra1",
        "heal infra2 infra1",
        "slow-disk leader 500ms",
        "partition infra1 | infra2,infra3",
    ] {
        assert!(record.lines().any(|found| found == line), "{line}: {record}");
    }
}
