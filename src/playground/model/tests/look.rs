//! Sizes of panels and of letters, and what is shown at once.

use super::*;
use crate::playground::keys::KeysEvent;
use crate::playground::layout::{Layout, Split};

#[test]
fn sizes_of_panels_and_letters_are_remembered() {
    let mut page = Page::open();
    assert_eq!(page.model.frame_view().layout, Layout::default());
    page.event(Event::MoveSplit(Split::Console, Some(40)));
    page.event(Event::ToggleLarge);
    let layout = page.model.frame_view().layout;
    assert!(layout.is_large);
    assert_eq!(layout.chosen(Split::Console), Some(40));
    let kept = ["layout", "large"].map(|name| page.remembered(name).unwrap().to_owned());
    let mut again = Page::empty();
    again.start("", &[("layout", &kept[0]), ("large", &kept[1])]);
    assert_eq!(again.model.frame_view().layout, layout);
    again.event(Event::ToggleLarge);
    assert_eq!(again.remembered("large"), Some("no"));
}

#[test]
fn a_line_that_does_not_move_asks_for_nothing() {
    let mut page = Page::open();
    page.event(Event::MoveSplit(Split::Side, Some(99)));
    let before = page.effects.len();
    page.event(Event::MoveSplit(Split::Side, Some(98)));
    assert_eq!(page.effects.len(), before, "both are as far as it goes");
}

#[test]
fn what_a_person_waits_for_or_must_not_miss_is_shown_at_once() {
    let mut page = Page::open();
    page.model.take_changes();
    let (member, term) = (MemberId(1), Term(7));
    let entry = api::MemberEvent::CampaignStarted { term };
    page.news(News::MemberEvents { member, events: vec![entry] });
    assert!(!page.model.shows_at_once(), "what members tell all the time is shown in its turn");
    let events = vec![api::MemberEvent::BecameLeader { term }];
    page.news(News::MemberEvents { member, events });
    assert!(page.model.shows_at_once(), "nobody wants to miss it");
    page.model.take_changes();
    page.run("put foo bar");
    page.answer_put(2);
    assert!(page.model.shows_at_once(), "a command has ended");
    page.model.take_changes();
    page.event(Event::Keys(KeysEvent::LookAt(2)));
    let (call, ..) = page.request();
    page.model.take_changes();
    let header = api::ResponseHeader { revision: 2, ..Default::default() };
    let range = api::RangeResponse { header, ..Default::default() };
    page.news(News::Reply { call, result: Ok(api::Response::Range(range)) });
    assert!(page.model.shows_at_once());
    page.model.take_changes();
    assert!(!page.model.shows_at_once());
}
