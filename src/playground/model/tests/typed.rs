//! Changes of the membership as console lines, and the help of verbs.

use super::*;
use crate::api::{Error, Member, MemberAddResponse, Request, Response};

/// The newest request of a kind.
fn call(page: &Page, is_it: fn(&Request) -> bool) -> u64 {
    let found = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::Request { call, request, .. } if is_it(request) => Some(*call),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{:?}", page.effects))
}

fn is_add(request: &Request) -> bool {
    matches!(request, Request::MemberAdd(_))
}

fn is_remove(request: &Request) -> bool {
    matches!(request, Request::MemberRemove(_))
}

fn is_promote(request: &Request) -> bool {
    matches!(request, Request::MemberPromote(_))
}

fn added(is_learner: bool) -> Response {
    let member = Member {
        id: MemberId(44),
        name: String::new(),
        peer_urls: vec!["http://127.0.0.1:42380".to_owned()],
        client_urls: Vec::new(),
        is_learner,
    };
    Response::MemberAdd(MemberAddResponse { member, ..MemberAddResponse::default() })
}

fn recorded(page: &Page) -> String {
    page.remembered(RECORD_NAME).unwrap_or_default().to_owned()
}

#[test]
fn a_typed_learner_is_added_started_promoted_and_recorded() {
    let mut page = Page::open();
    page.run("add learner");
    assert!(page.last_block().is_running);
    let asked = call(&page, is_add);
    page.news(News::Reply { call: asked, result: Ok(added(true)) });
    let block = page.last_block();
    assert!(!block.is_running, "{block:?}");
    assert!(page.text().contains(EN.done_add_learner), "{}", page.text());
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::Admit(_))));
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::Restart(_))));
    assert_eq!(recorded(&page), "add learner");
    page.run("promote infra4");
    let asked = call(&page, is_promote);
    page.news(News::Reply { call: asked, result: Ok(Response::MemberPromote(Default::default())) });
    assert!(page.text().contains(&EN.done_promote.of("infra4")), "{}", page.text());
    assert!(recorded(&page).ends_with("promote infra4"), "{}", recorded(&page));
}

#[test]
fn a_typed_removal_asks_nothing_and_says_why_not() {
    let mut page = Page::open();
    page.run("remove infra3");
    assert_eq!(page.model.asks_change, None);
    let asked = call(&page, is_remove);
    page.news(News::Reply { call: asked, result: Ok(Response::MemberRemove(Default::default())) });
    assert!(page.text().contains(&EN.done_remove.of("infra3")), "{}", page.text());
    assert_eq!(recorded(&page), "remove infra3");
    page.run("remove infra3");
    assert!(page.text().contains("Error: "), "{}", page.text());
    page.run("remove infra2");
    let asked = call(&page, is_remove);
    page.news(News::Reply { call: asked, result: Err(Error::MemberNotFound) });
    assert!(page.text().contains("etcdserver: member not found"), "{}", page.text());
    assert!(!page.last_block().is_running);
    assert!(!recorded(&page).contains("infra2"), "{}", recorded(&page));
}

#[test]
fn buttons_are_recorded_as_the_lines_they_stand_for() {
    let mut page = Page::open();
    page.event(Event::Act(Action::Change(Change::Add)));
    let asked = call(&page, is_add);
    page.news(News::Reply { call: asked, result: Ok(added(false)) });
    assert_eq!(recorded(&page), "add");
    page.event(Event::Act(Action::Change(Change::Lead(MemberId(2)))));
    assert_eq!(recorded(&page), "add");
}

/// Members tell their state some times a second; a line that comes at once must not fall behind the answer before it.
#[test]
fn the_newest_revision_is_that_of_the_newest_answer() {
    let mut page = Page::open();
    page.run("put a 1");
    let (asked, ..) = page.request();
    let header = api::ResponseHeader { revision: 7, ..Default::default() };
    let answer = Response::Put(api::PutResponse { header, ..Default::default() });
    page.news(News::Reply { call: asked, result: Ok(answer) });
    page.run("compact $REVISION");
    let (_, _, request) = page.request();
    assert!(matches!(request, Request::Compaction(ref it) if it.revision == 7), "{request:?}");
}

#[test]
fn one_change_at_a_time_and_ctrl_c_leaves_it_to_the_cluster() {
    let mut page = Page::open();
    page.run("add");
    let asked = call(&page, is_add);
    page.event(Event::Act(Action::Change(Change::AddLearner)));
    page.console(ConsoleEvent::Interrupt);
    assert!(!page.last_block().is_running);
    page.run("remove infra3");
    assert!(page.text().contains(EN.change_busy), "{}", page.text());
    page.news(News::Reply { call: asked, result: Ok(added(false)) });
    assert_eq!(recorded(&page), "add");
}

#[test]
fn a_line_without_a_leader_a_wrong_one_and_help_are_told() {
    let mut page = Page::open();
    page.run("add one");
    assert!(page.text().contains("Error: expected the end of the line"), "{}", page.text());
    page.run("promote leader");
    assert!(page.text().contains("expected a learner"), "{}", page.text());
    page.run("open nowhere.etcd");
    assert!(page.text().contains(&EN.open_unknown.of("nowhere.etcd")), "{}", page.text());
    page.run("help kill");
    assert!(page.text().contains("kill MEMBER"), "{}", page.text());
    assert!(page.text().contains("its disk stays"));
    assert_eq!(recorded(&page), "# from the beginning\n", "nothing was done");
    for (line, hint) in
        [("etcdutl hashkv a.db", "endpoint hashkv"), ("etcdutl defrag", "etcdctl defrag")]
    {
        page.run(line);
        assert!(page.text().contains(hint), "{}", page.text());
    }
    let long = format!("kill {}", "x".repeat(100_000));
    page.run(&long);
    assert!(page.text().ends_with("…\n") && page.text().len() < 2_000);
    let shown = page.last_block().line.clone();
    assert!(shown.ends_with('…') && shown.len() < 2_000, "{} characters", shown.len());
}

#[test]
fn a_cluster_that_another_tab_took_over_is_said_to_be_taken_over_and_not_killed() {
    let mut page = Page::open();
    page.news(News::GivingUp);
    page.news(News::MemberDown { member: MemberId(1), reason: DownReason::Killed });
    page.news(News::TakenOver);
    page.news(News::MemberDown { member: MemberId(2), reason: DownReason::Killed });
    let told: Vec<String> = page
        .model
        .timeline
        .entries()
        .map(|entry| entry.fact.sentence(page.model.strings, &|id| format!("infra{id}")))
        .collect();
    assert!(!told.iter().any(|told| told.contains("killed")), "{told:?}");
    let taken = page.model.strings.banner_taken;
    assert_eq!(told.iter().filter(|told| *told == taken).count(), 1, "{told:?}");
    page.run("kill infra1");
    assert!(page.text().contains(taken), "{}", page.text());
}

#[test]
fn errors_of_verbs_are_told_in_the_language_of_the_page() {
    let mut page = Page::open();
    page.model.strings = &ZH;
    page.run("kill infra9");
    assert!(page.text().contains("此处应为成员：infra1 … infra7"), "{}", page.text());
    page.run("remove infra7");
    assert!(page.text().contains("没有 infra7：集群有 3 个成员"), "{}", page.text());
    page.run("put a $LEASE");
    assert!(page.text().contains("$LEASE：还没有申请过 lease"), "{}", page.text());
}
