//! The editor of scenarios, the dialog of links, and the address bar between them.

use super::*;
use crate::playground::insight::{Ask, Item, Key, LessonAsk, ScenarioAsk, ScenarioNote};

fn ask(page: &mut Page, ask: ScenarioAsk) {
    page.news(News::InsightAsked(Ask::Scenario(ask)));
}

fn notes(page: &Page) -> Vec<ScenarioNote> {
    let note = |effect: &Effect| match effect {
        Effect::TellInsight(item) => match &**item {
            Item::Scenario(note) => Some(note.clone()),
            _ => None,
        },
        _ => None,
    };
    page.effects.iter().filter_map(note).collect()
}

fn fragments(page: &Page) -> Vec<(&str, bool)> {
    let found = |effect: &'_ Effect| match effect {
        Effect::SetFragment { fragment, push } => Some((fragment.clone(), *push)),
        _ => None,
    };
    let all: Vec<(String, bool)> = page.effects.iter().filter_map(found).collect();
    all.into_iter().map(|(fragment, push)| (&*fragment.leak(), push)).collect()
}

fn is_opened(page: &Page) -> bool {
    page.effects.iter().any(|effect| matches!(effect, Effect::OpenCluster(_)))
}

/// The fragment of a link to one put.
fn link() -> String {
    let script = "title: Theirs\n> One\nput a 1\n".to_owned();
    let sheet = answer(Question::Check { script }, |_| Report::default()).unwrap();
    sheet.link.unwrap().unwrap()
}

#[test]
fn a_draft_is_remembered_and_told_to_an_editor_that_begins() {
    let mut page = Page::empty();
    page.start("", &[("scenario", "put a 1")]);
    ask(&mut page, ScenarioAsk::Begin);
    assert_eq!(notes(&page), [ScenarioNote::Draft("put a 1".to_owned())]);
    ask(&mut page, ScenarioAsk::Keep("put a 2".to_owned()));
    assert_eq!(page.remembered("scenario"), Some("put a 2"));
}

#[test]
fn a_written_text_is_played_in_the_dialog_and_its_link_is_told_to_the_editor() {
    let mut page = Page::open();
    page.news(News::InsightAsked(Ask::Share("put a 1".to_owned())));
    page.answer_lab(&Report::default());
    let view = page.model.share_view().unwrap();
    assert_eq!((view.stage, view.heading), (StageView::Done, EN.text_title));
    let length = u64::try_from(view.link.unwrap().unwrap().len()).unwrap();
    assert_eq!(notes(&page), [ScenarioNote::Link(length)]);
    page.event(Event::Share(ShareEvent::Close));
    assert!(fragments(&page).is_empty(), "it had no address");
}

#[test]
fn whoever_writes_a_password_into_a_scenario_is_told_that_the_link_carries_it() {
    let mut page = Page::open();
    let text = "> user add alice:pw\nput a 1\n@2 user add alice:pw\nget a --user=alice:pw\n";
    page.news(News::InsightAsked(Ask::Share(text.to_owned())));
    page.answer_lab(&Report::default());
    let warning = page.model.share_view().unwrap().warning.unwrap();
    assert!(warning.starts_with("2 lines have passwords"), "{warning}");
}

#[test]
fn what_was_done_goes_into_the_editor_and_waits_until_it_is_there() {
    let mut page = Page::open();
    page.run("put a 1");
    page.event(Event::Share(ShareEvent::Open));
    page.answer_lab(&Report::default());
    page.event(Event::Share(ShareEvent::Edit));
    assert!(page.model.share_view().is_none());
    assert_eq!(page.model.frame_view().lower, Lower::Scenario);
    assert!(matches!(page.effects.last(), Some(Effect::ShowInsight(Lower::Scenario))));
    assert_eq!(notes(&page), []);
    ask(&mut page, ScenarioAsk::Begin);
    let told = notes(&page);
    let [ScenarioNote::Draft(_), ScenarioNote::Edit(text)] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert!(text.ends_with("\n@1 put a 1\n"), "{text}");
}

#[test]
fn somebodys_link_can_be_edited_before_anything_ran_and_back_leads_to_it() {
    let mut page = Page::empty();
    page.start(&link(), &[]);
    page.answer_lab(&Report::default());
    assert_eq!(page.model.share_view().unwrap().stage, StageView::Shown);
    ask(&mut page, ScenarioAsk::Begin);
    page.event(Event::Share(ShareEvent::Edit));
    assert_eq!(fragments(&page), [("", true)]);
    assert!(is_opened(&page), "the saved cluster comes");
    let ScenarioNote::Edit(text) = notes(&page).pop().unwrap() else { panic!("no text") };
    assert!(text.contains("title: Theirs\n") && text.ends_with("\n> One\nput a 1\n"), "{text}");
    let plays =
        |effect: &Effect| matches!(effect, Effect::AskLab { question: Question::Play { .. }, .. });
    assert!(!page.effects.iter().any(plays));
}

#[test]
fn back_closes_somebodys_link_and_forward_opens_it_again() {
    let mut page = Page::open();
    let link = link();
    page.news(News::FragmentChanged(link.clone()));
    page.answer_lab(&Report::default());
    assert!(page.model.share_view().is_some_and(|view| view.is_link));
    page.news(News::FragmentChanged("lesson=04/2".to_owned()));
    assert!(page.model.share_view().is_none());
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::EndLab)));
    page.news(News::FragmentChanged(link));
    page.answer_lab(&Report::default());
    assert!(page.model.share_view().is_some_and(|view| view.is_link));
    assert!(fragments(&page).is_empty(), "the address bar is a person's here");
    page.event(Event::Share(ShareEvent::Close));
    assert_eq!(fragments(&page), [("", false)]);
}

#[test]
fn back_from_a_link_that_was_opened_first_opens_the_saved_cluster() {
    let mut page = Page::empty();
    page.start(&link(), &[]);
    assert!(!is_opened(&page));
    page.news(News::FragmentChanged(String::new()));
    assert!(is_opened(&page) && page.model.share_view().is_none());
}

#[test]
fn a_dialog_without_an_address_stays_when_the_address_changes() {
    let mut page = Page::open();
    page.news(News::InsightAsked(Ask::Share("put a 1".to_owned())));
    page.answer_lab(&Report::default());
    page.news(News::FragmentChanged("lesson=04/2".to_owned()));
    assert!(page.model.share_view().is_some());
}

#[test]
fn a_shell_script_is_offered_as_a_file_and_its_worker_ends() {
    let mut page = Page::open();
    ask(&mut page, ScenarioAsk::Export("title: Two\nput a 1".to_owned()));
    page.answer_lab(&Report::default());
    let names: Vec<&str> = page
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Download { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["two.sh"]);
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::EndLab)));
    assert_eq!(notes(&page), [ScenarioNote::Exported(None)]);
    assert!(page.model.share_view().is_none());
    ask(&mut page, ScenarioAsk::Export("put a 1".to_owned()));
    let Some(Effect::AskLab { call, .. }) = page.effects.last().cloned() else {
        panic!("the lab was not asked")
    };
    page.news(News::Lab { call, answer: LabAnswer::NotLoaded("404".to_owned()) });
    assert_eq!(notes(&page).pop(), Some(ScenarioNote::Exported(Some("404".to_owned()))));
}

#[test]
fn what_a_command_reads_is_recorded_to_its_last_line() {
    let mut page = Page::open();
    page.run("txn -i");
    for line in ["", "put a 1", "", ""] {
        page.run(line);
    }
    page.event(Event::Share(ShareEvent::Open));
    let Some(Effect::AskLab { question: Question::Compose { lines, .. }, .. }) =
        page.effects.last()
    else {
        panic!("the lab was not asked")
    };
    assert_eq!(lines, &["@1 txn -i", "@1 <", "@1 < put a 1", "@1 <", "@1 <"]);
}

#[test]
fn a_line_for_a_console_that_cannot_be_opened_and_one_that_nobody_reads_run_nowhere() {
    let mut page = Page::open();
    let type_into = |page: &mut Page, console, line: &str, key| {
        let line = line.to_owned();
        page.news(News::InsightAsked(Ask::Lesson(LessonAsk::Type { console, line, key })));
    };
    type_into(&mut page, 9, "put a 1", Key::Enter);
    type_into(&mut page, 1, "put a 1", Key::Input);
    type_into(&mut page, 1, "", Key::End);
    assert_eq!(page.requests(), 0);
    type_into(&mut page, 2, "txn -i", Key::Enter);
    for line in ["", "put a 1", "", ""] {
        type_into(&mut page, 2, line, Key::Input);
    }
    assert!(matches!(page.request().2, api::Request::Txn(_)));
}
