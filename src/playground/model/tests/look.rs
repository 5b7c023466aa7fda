//! Sizes of panels and of letters.

use super::*;
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
