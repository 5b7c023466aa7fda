//! What the view of watches and leases asks for.

use super::*;
use crate::playground::insight::{Ask, Item, Watcher};
use crate::types::LeaseId;

/// The newest watch that was opened: call, member, first revision, who.
fn watch(page: &Page) -> (u64, MemberId, i64, Watcher) {
    let open = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::Watch {
            call, member, watcher, request: api::WatchRequest::Create(create), ..
        } => Some((*call, *member, create.start_revision, watcher.clone())),
        _ => None,
    });
    open.unwrap()
}

fn kept(page: &Page) -> Vec<LeaseId> {
    let told = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::TellInsight(item) => match &**item {
            Item::Kept { leases, .. } => Some(leases.clone()),
            _ => None,
        },
        _ => None,
    });
    told.unwrap_or_default()
}

#[test]
fn a_cut_watch_goes_on_at_the_next_member_right_after_what_it_has_seen() {
    let mut page = Page::open();
    page.run("watch k");
    let (call, member, from, watcher) = watch(&page);
    assert_eq!((from, watcher.tab, watcher.line.as_str()), (0, 1, "watch k"));
    let header = api::ResponseHeader { revision: 4, ..Default::default() };
    let created = api::WatchResponse { header, created: true, ..Default::default() };
    page.news(News::Watch { call, response: created });
    let kv = api::KeyValue { key: "k".into(), mod_revision: 9, version: 1, ..Default::default() };
    let event = api::Event { event_type: api::EventType::Put, kv, prev_kv: None };
    let response = api::WatchResponse { events: vec![event], ..Default::default() };
    page.news(News::Watch { call, response });
    page.news(News::InsightAsked(Ask::CutWatch { call, member }));
    let is_cut = |effect: &Effect| matches!(effect, Effect::Cancel { call: it, .. } if *it == call);
    assert!(page.effects.iter().any(is_cut));
    let (again, next, from, same) = watch(&page);
    assert!(again != call && next != member);
    assert_eq!((from, same), (10, watcher));
    assert!(page.last_block().is_running, "its command notices nothing");
    // Once more for a stream that is gone already: nothing happens.
    page.news(News::InsightAsked(Ask::CutWatch { call, member }));
    assert_eq!(watch(&page).0, again);
}

#[test]
fn the_pages_own_watch_can_be_cut_and_comes_back() {
    let mut page = Page::open();
    let (call, member, _, watcher) = watch(&page);
    assert_eq!(watcher, Watcher::default());
    page.news(News::InsightAsked(Ask::CutWatch { call, member }));
    let timer = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::SetTimer { timer, .. } => Some(*timer),
        _ => None,
    });
    page.news(News::Timer(timer.unwrap()));
    let (again, _, _, watcher) = watch(&page);
    assert!(again != call && watcher == Watcher::default());
}

#[test]
fn a_watch_in_another_console_is_ended_by_its_number() {
    let mut page = Page::open();
    page.run("watch k");
    let (.., watcher) = watch(&page);
    page.console(ConsoleEvent::OpenTab);
    page.console(ConsoleEvent::Typed("unfinished".to_owned()));
    page.news(News::InsightAsked(Ask::Interrupt(watcher.tab)));
    assert_eq!(page.model.console_view().draft, "unfinished");
    page.console(ConsoleEvent::SelectTab(watcher.tab));
    assert!(!page.last_block().is_running);
}

#[test]
fn a_lease_is_kept_alive_until_it_is_switched_off_or_gone() {
    let mut page = Page::open();
    let keep = |is_on| News::InsightAsked(Ask::KeepAlive { lease: LeaseId(0x1f), is_on });
    page.news(keep(true));
    assert_eq!(kept(&page), [LeaseId(0x1f)]);
    let (call, _, request) = page.request();
    let asked = api::LeaseKeepAliveRequest { id: LeaseId(0x1f) };
    assert_eq!(request, api::Request::LeaseKeepAlive(asked));
    let answer = |ttl| {
        let response = api::LeaseKeepAliveResponse { id: LeaseId(0x1f), ttl, ..Default::default() };
        Ok(api::Response::LeaseKeepAlive(response))
    };
    page.news(News::Reply { call, result: answer(3) });
    let before = page.requests();
    // After a third of its time it is renewed again.
    for _ in 0..4 {
        page.pass(500);
        let timer = page.effects.iter().rev().find_map(|effect| match effect {
            Effect::SetTimer { timer, .. } => Some(*timer),
            _ => None,
        });
        page.news(News::Timer(timer.unwrap()));
    }
    assert_eq!(page.requests(), before + 1);
    let (call, ..) = page.request();
    page.news(News::Reply { call, result: answer(0) });
    assert!(kept(&page).is_empty(), "it is gone");
    page.news(keep(true));
    assert_eq!(kept(&page), [LeaseId(0x1f)]);
    page.news(keep(false));
    assert!(kept(&page).is_empty());
    assert!(page.model.console_view().blocks.is_empty(), "no console shows it");
}

/// What the page last said of a lease that it could not keep.
fn not_kept(page: &Page) -> Option<(LeaseId, String)> {
    page.effects.iter().rev().find_map(|effect| match effect {
        Effect::TellInsight(item) => match &**item {
            Item::Kept { failed, .. } => failed.first().cloned(),
            _ => None,
        },
        _ => None,
    })
}

#[test]
fn a_keep_alive_whose_program_is_not_there_says_so_and_can_be_tried_again() {
    for (language, words) in
        [(Language::English, "could not be fetched"), (Language::Chinese, "无法加载")]
    {
        let mut page = Page::open();
        page.has_program = false;
        page.event(Event::SetLanguage(language));
        let keep = || News::InsightAsked(Ask::KeepAlive { lease: LeaseId(0x1f), is_on: true });
        page.news(keep());
        assert_eq!(kept(&page), [LeaseId(0x1f)], "it waits for the program");
        page.news(News::ProgramLoaded(Err("Failed to fetch".to_owned())));
        assert!(kept(&page).is_empty());
        let (lease, why) = not_kept(&page).unwrap();
        assert_eq!(lease, LeaseId(0x1f));
        assert!(why.contains(words) && why.contains("Failed to fetch"), "{why}");
        page.news(keep());
        assert_eq!(kept(&page), [LeaseId(0x1f)]);
    }
}

#[test]
fn a_program_that_stops_says_so_in_the_pages_language() {
    let mut page = Page::open();
    page.has_program = false;
    page.event(Event::SetLanguage(Language::Chinese));
    let broken = || News::ProgramLoaded(Ok(Program::new(|_| Err("unreachable".to_owned()))));
    page.run("user list");
    page.news(broken());
    let said = page.last_block().pieces[0].text.clone();
    assert!(said.starts_with("Error: ") && said.contains("意外停止（unreachable）"), "{said}");
    assert!(!page.last_block().is_running);
    page.news(News::InsightAsked(Ask::KeepAlive { lease: LeaseId(0x1f), is_on: true }));
    page.news(broken());
    assert!(not_kept(&page).unwrap().1.contains("意外停止"));
    assert!(kept(&page).is_empty());
}
