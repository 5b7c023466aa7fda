//! The tabs of the lower centre panel.

use super::*;
use crate::playground::insight::Ask;
use crate::playground::keys::KeysEvent;
use crate::playground::strings::EN;

fn shown(page: &Page) -> Vec<Lower> {
    let shown = |effect: &Effect| match effect {
        Effect::ShowInsight(lower) => Some(*lower),
        _ => None,
    };
    page.effects.iter().filter_map(shown).collect()
}

#[test]
fn a_view_is_fetched_when_it_is_first_opened_and_remembered() {
    let mut page = Page::open();
    assert!(shown(&page).is_empty(), "a first visit fetches nothing");
    page.event(Event::ShowLower(Lower::Log));
    assert_eq!(shown(&page), [Lower::Log]);
    assert_eq!(page.model.frame_view().insight, InsightState::Loading);
    page.news(News::InsightLoaded(Ok(())));
    let view = page.model.frame_view();
    assert_eq!((view.lower, view.insight), (Lower::Log, InsightState::Ready));
    let is_kept = |effect: &Effect| matches!(effect, Effect::Remember { name: "lower", text } if text == "log");
    assert!(page.effects.iter().any(is_kept));
    let mut again = Page::empty();
    again.start("", &[("lower", "log")]);
    assert_eq!(shown(&again), [Lower::Log]);
    let mut odd = Page::empty();
    odd.start("", &[("lower", "nonsense")]);
    assert!(shown(&odd).is_empty());
}

#[test]
fn the_keys_fetch_their_view_when_there_is_something_to_show() {
    let mut page = Page::open();
    let empty = page.model.frame_view().no_keys;
    assert_eq!(empty, Some(EN.keys_empty));
    let watch = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::Watch { call, .. } => Some(*call),
        _ => None,
    });
    let kv = api::KeyValue {
        key: "foo".into(),
        mod_revision: 2,
        create_revision: 2,
        version: 1,
        ..api::KeyValue::default()
    };
    let event = api::Event { event_type: api::EventType::Put, kv, prev_kv: None };
    let response = api::WatchResponse { events: vec![event], ..api::WatchResponse::default() };
    page.news(News::Watch { call: watch.unwrap(), response });
    assert_eq!(shown(&page), [Lower::Keys]);
    assert_eq!(page.model.frame_view().no_keys, None);
    assert!(!page.model.shows_keys(), "its program is not there yet");
    page.news(News::InsightLoaded(Ok(())));
    assert!(page.model.shows_keys());
    page.news(News::InsightAsked(Ask::Keys(KeysEvent::Filter("x".to_owned()))));
    assert_eq!(page.model.keys_view().list.count, 0);
}

#[test]
fn a_compaction_is_shown_without_a_change_of_a_key() {
    let mut page = Page::open();
    let mut news = status(1, 2, 5);
    page.news(News::Status(news.clone()));
    page.model.take_changes();
    page.news(News::Status(news.clone()));
    assert!(!page.model.take_changes().keys);
    news.compact_revision = 4;
    page.news(News::Status(news));
    assert!(page.model.take_changes().keys);
    assert_eq!(page.model.keys_view().compact_revision, 4);
}

#[test]
fn a_line_of_a_view_runs_beside_a_command_that_goes_on() {
    let mut page = Page::open();
    page.run("watch foo");
    let consoles = page.model.console_view().tabs.len();
    page.news(News::InsightAsked(Ask::Line("put foo bar".to_owned())));
    assert_eq!(page.model.console_view().tabs.len(), consoles + 1);
    let is_asked =
        |effect: &Effect| matches!(effect, Effect::Request { request: api::Request::Put(_), .. });
    assert!(page.effects.iter().any(is_asked));
}

#[test]
fn a_view_that_did_not_come_is_told_and_fetched_again() {
    let mut page = Page::open();
    page.event(Event::ShowLower(Lower::Quorum));
    page.news(News::InsightLoaded(Err("no network".to_owned())));
    let told = InsightState::Failed("no network".to_owned());
    assert_eq!(page.model.frame_view().insight, told);
    page.event(Event::ShowLower(Lower::Quorum));
    assert_eq!(page.model.frame_view().insight, InsightState::Loading);
    assert_eq!(shown(&page), [Lower::Quorum, Lower::Quorum]);
}

#[test]
fn a_view_can_show_a_key_and_run_a_line() {
    let mut page = Page::open();
    page.event(Event::ShowLower(Lower::Log));
    page.news(News::InsightAsked(Ask::Key(bytes::Bytes::from_static(b"foo"))));
    assert_eq!(page.model.frame_view().lower, Lower::Keys);
    assert_eq!(page.model.keys_view().selected.as_deref(), Some(&b"foo"[..]));
    page.news(News::InsightAsked(Ask::Line("put foo bar".to_owned())));
    let is_asked =
        |effect: &Effect| matches!(effect, Effect::Request { request: api::Request::Put(_), .. });
    assert!(page.effects.iter().any(is_asked));
}

#[test]
fn a_view_asks_a_member_in_the_name_of_the_page() {
    let mut page = Page::open();
    page.effects.clear();
    let request = Box::new(api::Request::HashKv(api::HashKvRequest { revision: 3 }));
    let member = MemberId(1);
    page.news(News::InsightAsked(Ask::Request { member, request }));
    let call = page.effects.iter().find_map(|effect| match effect {
        Effect::Request {
            call, client: 0, token: None, request: api::Request::HashKv(_), ..
        } => Some(*call),
        _ => None,
    });
    // The answer is the view's, which hears it at the page's edge.
    let result = Ok(api::Response::HashKv(api::HashKvResponse::default()));
    page.news(News::Reply { call: call.unwrap(), result });
    assert!(!page.model.console_view().tabs.is_empty());
}
