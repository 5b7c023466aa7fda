//! "Why?": which command is explained, and what the page says of its calls.

use super::*;
use crate::playground::insight::{Ask, CallEnd, Item, WhyNote};
use crate::playground::strings::EN;

/// What the program was told last.
fn told(page: &Page) -> WhyNote {
    let note = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::TellInsight(item) => match &**item {
            Item::Why(note) => Some(note.clone()),
            _ => None,
        },
        _ => None,
    });
    *note.expect("nothing was told").expect("there is no command")
}

#[test]
fn a_button_explains_its_block_and_shows_the_view() {
    let mut page = Page::open();
    page.run("put foo bar");
    let block = page.last_block().id;
    page.console(ConsoleEvent::Why(block));
    assert_eq!(page.model.frame_view().lower, Lower::Why);
    let open = told(&page);
    assert_eq!((open.line.as_str(), open.is_running), ("put foo bar", true));
    assert_eq!(open.calls.len(), 1);
    assert!(open.calls[0].member.is_some() && open.calls[0].end == CallEnd::Open);
    page.answer_put(2);
    page.news(News::InsightAsked(Ask::Why));
    let done = told(&page);
    assert_eq!(
        (done.is_running, done.failure, done.calls[0].end),
        (false, None, CallEnd::Answered)
    );
    assert!(done.calls[0].ended.is_some());
}

#[test]
fn the_verb_explains_the_last_command_and_not_itself() {
    let mut page = Page::open();
    page.run("why");
    assert!(page.text().contains(EN.why_nothing));
    page.run("get foo --nope");
    page.run("why");
    assert!(page.text().contains(&EN.why_shown.of("get foo --nope")));
    let note = told(&page);
    assert!(note.calls.is_empty() && note.failure.is_some(), "{note:?}");
    assert!(note.said.contains("unknown flag"), "{note:?}");
    page.run("why");
    assert_eq!(told(&page).line, "get foo --nope");
}

#[test]
fn what_runs_elsewhere_is_explained_from_an_empty_console() {
    let mut page = Page::open();
    page.run("put foo bar");
    page.console(ConsoleEvent::OpenTab);
    page.run("why");
    let note = told(&page);
    assert_eq!((note.line.as_str(), note.is_running), ("put foo bar", true));
}

#[test]
fn a_member_that_is_down_was_not_asked() {
    let mut page = Page::open();
    for member in 1..=3 {
        let reason = DownReason::Killed;
        page.news(News::MemberDown { member: MemberId(member), reason });
    }
    page.run("put foo bar");
    let block = page.last_block().id;
    page.console(ConsoleEvent::Why(block));
    let note = told(&page);
    assert!(!note.calls.is_empty());
    assert!(
        note.calls.iter().all(|call| call.end == CallEnd::Refused && call.call == 0),
        "{note:?}"
    );
}

#[test]
fn a_view_leads_to_another_one() {
    let mut page = Page::open();
    page.news(News::InsightAsked(Ask::View("log".to_owned())));
    assert_eq!(page.model.frame_view().lower, Lower::Log);
}
