//! What lessons are told, and what they ask for.

use super::*;
use crate::playground::insight::{Ask, Item, Key, LessonAsk, LessonNote, Reader};

fn ask(page: &mut Page, ask: LessonAsk) {
    page.news(News::InsightAsked(Ask::Lesson(ask)));
}

fn notes(page: &mut Page) -> Vec<LessonNote> {
    let effects = std::mem::take(&mut page.effects);
    let note = |effect| match effect {
        Effect::TellInsight(item) => match *item {
            Item::Lesson(note) => Some(note),
            _ => None,
        },
        _ => None,
    };
    effects.into_iter().filter_map(note).collect()
}

fn listening() -> Page {
    let mut page = Page::open();
    ask(&mut page, LessonAsk::Listen);
    let told = notes(&mut page);
    assert!(matches!(told[0], LessonNote::Known { .. }), "{told:?}");
    assert!(
        told.iter().any(|note| matches!(note, LessonNote::Opened { members: 3, is_old: true, .. }))
    );
    assert!(told.iter().any(|note| matches!(note, LessonNote::World(_))));
    page
}

#[test]
fn nothing_is_told_before_a_lesson_listens() {
    let mut page = Page::open();
    page.run("put a 1");
    assert!(notes(&mut page).is_empty());
}

#[test]
fn a_line_of_a_lesson_runs_in_its_console_and_what_comes_of_it_is_told() {
    let mut page = listening();
    let line = LessonAsk::Type { console: 1, line: "put a 1".to_owned(), key: Key::Enter };
    ask(&mut page, line);
    assert_eq!(page.last_block().line, "put a 1");
    let call = page.effects.iter().find_map(|effect| match effect {
        Effect::Request { call, request: api::Request::Put(_), .. } => Some(*call),
        _ => None,
    });
    let told = notes(&mut page);
    assert!(
        told.contains(&LessonNote::Began(1)) && told.contains(&LessonNote::Busy(true)),
        "{told:?}"
    );
    let answer = api::Response::Put(api::PutResponse::default());
    page.news(News::Reply { call: call.unwrap(), result: Ok(answer) });
    let told = notes(&mut page);
    assert!(matches!(told[0], LessonNote::Answered { .. }), "{told:?}");
    assert!(told.contains(&LessonNote::Said {
        console: 1,
        stdout: "OK\n".to_owned(),
        stderr: String::new(),
        status: Some(0)
    }));
    assert_eq!(told.last(), Some(&LessonNote::Busy(false)));
}

#[test]
fn a_lesson_reads_beside_the_consoles() {
    let mut page = listening();
    let (member, key) = (MemberId(1), bytes::Bytes::from_static(b"a"));
    ask(&mut page, LessonAsk::Read { reader: Reader::Scenario, member, key, revision: 2 });
    let Some(Effect::Request { call, client: 0, .. }) = page.effects.last().cloned() else {
        panic!("nobody was asked");
    };
    page.news(News::CallFailed { call, was_sent: true });
    assert_eq!(notes(&mut page), [LessonNote::Proved { reader: Reader::Scenario, answer: None }]);
}

#[test]
fn progress_and_place_are_kept_and_the_cluster_is_asked_for() {
    let mut page = listening();
    ask(&mut page, LessonAsk::Remember("lessons 1; on 4".to_owned()));
    assert_eq!(page.remembered(super::super::lesson::PROGRESS_NAME), Some("lessons 1; on 4"));
    ask(&mut page, LessonAsk::Address { fragment: "lesson=04/2".to_owned(), push: true });
    assert!(matches!(page.effects.last(), Some(Effect::SetFragment { push: true, .. })));
    page.news(News::FragmentChanged("lesson=04/1".to_owned()));
    assert!(notes(&mut page).contains(&LessonNote::Address("lesson=04/1".to_owned())));
    let settings = vec![None, None, Some(1 << 20)];
    ask(&mut page, LessonAsk::NewCluster { members: 1, settings });
    assert_eq!(page.model.frame_view().asks_new, Some(1));
    page.event(Event::AnswerNewCluster(true));
    assert!(page.effects.iter().any(|effect| matches!(
        effect,
        Effect::NewCluster(spec) if spec.members == 1 && spec.quota_bytes == 1 << 20
    )));
}

#[test]
fn the_program_of_the_lessons_is_fetched_when_the_page_has_started() {
    let mut page = Page::open();
    let fetched = |page: &Page| {
        page.effects.iter().filter(|effect| matches!(effect, Effect::ShowInsight(_))).count()
    };
    assert_eq!(fetched(&page), 0);
    page.pass(1_000);
    assert_eq!(fetched(&page), 1);
    page.pass(5_000);
    assert_eq!(fetched(&page), 1);
    assert!(page.model.frame_view().no_keys.is_some(), "there is nothing to see of keys");
}

#[test]
fn who_comes_by_the_address_of_a_lesson_sees_it() {
    let mut page = Page::empty();
    page.start("lesson=07/2", &[("tutorial-shown", "no")]);
    assert!(page.model.frame_view().has_tutorial);
    assert_eq!(page.model.frame_view().panel, Panel::Tutorial);
    let mut other = Page::open();
    other.event(Event::ShowPanel(Panel::Cluster));
    other.news(News::FragmentChanged("lesson=04/1".to_owned()));
    assert_eq!(other.model.frame_view().panel, Panel::Tutorial);
    let mut plain = Page::empty();
    plain.start("", &[("tutorial-shown", "no")]);
    assert!(!plain.model.frame_view().has_tutorial);
}

#[test]
fn a_view_is_told_what_was_done_for_a_script() {
    use crate::scenario::Question;

    let mut page = Page::open();
    let session = |page: &mut Page| {
        page.effects.clear();
        page.news(News::InsightAsked(Ask::Session));
        let told = page.effects.iter().find_map(|effect| match effect {
            Effect::TellInsight(item) => match &**item {
                Item::Session(question) => Some((**question).clone()),
                _ => None,
            },
            _ => None,
        });
        let Some(Question::Compose { lines, .. }) = told else { panic!("it is not told") };
        lines
    };
    assert_eq!(session(&mut page), Vec::<String>::new());
    page.run("put a 1");
    let lines = session(&mut page);
    assert!(lines.len() == 1 && lines[0].ends_with("put a 1"), "{lines:?}");
}

#[test]
fn a_line_of_a_lesson_shows_the_console_and_one_of_a_scenario_leaves_its_view() {
    for (before, after) in [(Panel::Tutorial, Panel::Console), (Panel::Keys, Panel::Keys)] {
        let mut page = listening();
        page.model.panel = before;
        let line = LessonAsk::Type { console: 1, line: "put a 1".to_owned(), key: Key::Enter };
        ask(&mut page, line);
        assert_eq!(page.model.panel, after);
    }
}

#[test]
fn who_comes_by_the_address_of_a_run_sees_the_panel_where_it_plays() {
    for fragment in ["seed=7", "time=lesson-04@57"] {
        let mut page = listening();
        page.model.panel = Panel::Console;
        page.news(News::FragmentChanged(fragment.to_owned()));
        assert_eq!(page.model.panel, Panel::Keys, "{fragment}");
        let told = notes(&mut page);
        assert!(told.contains(&LessonNote::Address(fragment.to_owned())), "{told:?}");
    }
}
