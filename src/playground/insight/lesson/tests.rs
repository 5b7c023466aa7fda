use bytes::Bytes;

use super::*;
use crate::api;
use crate::playground::insight::sample::world;
use crate::types::MemberId;

const FAILOVER: &str = include_str!("../../../../www/lessons/04-failover.txt");
const FIRST_KEYS: &str = include_str!("../../../../www/lessons/01-first-keys.txt");
const STALE: &str = include_str!("../../../../www/lessons/07-stale-read.txt");

struct Desk {
    lessons: Lessons,
}

impl Desk {
    fn hear_world(&mut self, leader: u64, term: u64, revision: i64) {
        self.lessons.hear(LessonNote::World(Box::new(world(leader, term, revision))));
    }

    fn put(&mut self, key: &str, value: &str, revision: i64) {
        let request = api::Request::Put(api::PutRequest {
            key: Bytes::copy_from_slice(key.as_bytes()),
            value: Bytes::copy_from_slice(value.as_bytes()),
            ..api::PutRequest::default()
        });
        let header = api::ResponseHeader { revision, ..api::ResponseHeader::default() };
        let answer = api::PutResponse { header, prev_kv: None };
        self.answered(request, Ok(api::Response::Put(answer)));
    }

    fn get(&mut self, key: &str, value: &str) {
        let request = api::Request::Range(api::RangeRequest {
            key: Bytes::copy_from_slice(key.as_bytes()),
            ..api::RangeRequest::default()
        });
        self.answered(request, Ok(api::Response::Range(range(key, value, 2))));
    }

    fn answered(&mut self, request: api::Request, result: Result<api::Response, api::Error>) {
        self.lessons.hear(LessonNote::Answered {
            member: MemberId(1),
            request: Box::new(request),
            result: Box::new(result),
        });
    }

    fn opened(&mut self, is_resumed: bool) {
        self.lessons.hear(LessonNote::Opened {
            members: 3,
            settings: vec![100, 1_000, 16 << 20, 10_000, 5_000, 1, 1],
            is_resumed,
            is_old: false,
        });
    }

    fn view(&self) -> LessonView {
        self.lessons.view()
    }

    fn met(&self) -> Vec<bool> {
        self.view().goals.iter().map(|goal| goal.is_met).collect()
    }

    /// What the page would keep.
    fn kept(&mut self) -> Option<String> {
        let asks = self.lessons.take_asks();
        asks.into_iter().rev().find_map(|ask| match ask {
            LessonAsk::Remember(text) => Some(text),
            _ => None,
        })
    }
}

fn range(key: &str, value: &str, revision: i64) -> api::RangeResponse {
    let kv = api::KeyValue {
        key: Bytes::copy_from_slice(key.as_bytes()),
        value: Bytes::copy_from_slice(value.as_bytes()),
        mod_revision: revision,
        ..api::KeyValue::default()
    };
    api::RangeResponse { kvs: vec![kv], ..api::RangeResponse::default() }
}

fn entry(number: u32, parts: u32) -> Entry {
    let file = format!("{number}.txt");
    Entry { number, file, title: format!("T{number}"), title_zh: format!("题{number}"), parts }
}

fn desk(progress: &str, fragment: &str) -> Desk {
    let mut lessons = Lessons::default();
    lessons.begin();
    assert_eq!(lessons.take_asks(), [LessonAsk::Listen]);
    assert_eq!(lessons.take_wanted(), [Wanted::List]);
    lessons
        .hear(LessonNote::Known { progress: progress.to_owned(), fragment: fragment.to_owned() });
    lessons.set_list(Ok(vec![entry(1, 4), entry(4, 5), entry(7, 4)]));
    let wanted = lessons.take_wanted();
    let mut desk = Desk { lessons };
    for wanted in wanted {
        if let Wanted::Lesson(number, _) = wanted {
            desk.lessons.set_lesson(number, Ok(text_of(number)));
        }
    }
    desk
}

fn text_of(number: u32) -> String {
    match number {
        1 => FIRST_KEYS,
        4 => FAILOVER,
        _ => STALE,
    }
    .to_owned()
}

fn fresh(progress: &str, fragment: &str) -> Desk {
    let mut desk = desk(progress, fragment);
    desk.opened(false);
    desk.hear_world(1, 2, 1);
    desk
}

#[test]
fn a_first_visit_sees_the_failover_and_nothing_counts_before_somebody_leads() {
    let mut desk = desk("", "");
    let view = desk.view();
    assert_eq!(view.state, LessonState::Ready);
    assert_eq!((view.part.number, view.part.part, view.part.parts), (4, 1, 5));
    assert!(view.is_waiting && view.wants_fresh.is_none());
    desk.opened(false);
    desk.put("/app/mode", "slow", 2);
    assert_eq!(desk.met(), [false]);
    desk.hear_world(1, 2, 1);
    assert!(!desk.view().is_waiting);
    desk.put("/app/mode", "slow", 2);
    assert!(desk.view().is_done);
    assert_eq!(desk.view().told, LESSONS_EN.part_done);
    assert_eq!(desk.view().part.part, 1, "nothing goes on by itself");
    assert_eq!(desk.kept().unwrap(), "lessons 1; on 4; cluster 4; 4 shown 1 done 1");
}

#[test]
fn a_goal_stays_met_and_the_mark_is_where_the_part_began() {
    let mut desk = fresh("", "lesson=01/3");
    assert_eq!(desk.view().part.part, 3);
    desk.put("/app/color", "blue", 3);
    desk.hear_world(1, 2, 3);
    assert_eq!(desk.met(), [true, false, true]);
    desk.hear_world(1, 2, 9);
    assert_eq!(desk.met(), [true, false, true], "it was met once");
    desk.lessons.restart();
    assert_eq!(desk.met(), [false, false, false], "the part began anew");
    desk.put("/app/color", "blue", 10);
    desk.lessons.show_part(2);
    desk.lessons.show_part(3);
    assert_eq!(desk.met(), [true, false, false], "it was only looked away");
    desk.opened(false);
    desk.hear_world(1, 2, 1);
    assert_eq!(desk.met(), [false, false, false], "another cluster");
}

#[test]
fn what_held_from_the_beginning_counts_with_the_last_of_the_others() {
    let mut desk = fresh("", "lesson=04/4");
    assert_eq!(desk.met(), [true, false], "all members run");
    assert!(!desk.view().is_done);
    let mut cut = world(1, 2, 1);
    cut.members[2].is_up = false;
    desk.lessons.hear(LessonNote::World(Box::new(cut)));
    assert_eq!(desk.met(), [false, false]);
    desk.hear_world(1, 2, 1);
    assert_eq!(desk.met(), [true, false]);
}

#[test]
fn acknowledged_writes_are_read_again_before_they_are_said_to_be_there() {
    let mut desk = fresh("", "lesson=04/3");
    desk.get("/app/mode", "slow");
    desk.put("/app/mode", "fast", 3);
    assert_eq!(desk.met(), [true, true, false]);
    assert!(desk.view().goals[2].is_checked);
    let read = desk.lessons.take_asks();
    assert!(read.contains(&LessonAsk::Read {
        reader: Reader::Lesson,
        member: MemberId(1),
        key: Bytes::from_static(b"/app/mode"),
        revision: 3
    }));
    let lost = Ok(api::Response::Range(api::RangeResponse::default()));
    let proved =
        |answer| LessonNote::Proved { reader: Reader::Lesson, answer: Some(Box::new(answer)) };
    desk.lessons.hear(proved(lost));
    assert!(!desk.view().is_done);
    desk.lessons.look(Millis(10_000));
    assert!(desk.view().goals[2].is_checked, "it is tried again");
    let found = Ok(api::Response::Range(range("/app/mode", "fast", 3)));
    desk.lessons.hear(proved(found));
    assert!(desk.view().is_done);
}

#[test]
fn an_answer_is_judged_by_the_engine_at_that_moment() {
    let mut desk = fresh("", "lesson=04/1");
    let verdict = |desk: &Desk| desk.view().queries[0].verdict;
    desk.lessons.reply(0);
    assert_eq!(verdict(&desk), ReplyVerdict::None, "nothing was answered");
    desk.lessons.set_reply(0, "3".to_owned());
    desk.lessons.reply(0);
    assert_eq!(verdict(&desk), ReplyVerdict::Wrong);
    desk.lessons.set_reply(0, " 2. ".to_owned());
    desk.lessons.reply(0);
    assert_eq!(verdict(&desk), ReplyVerdict::Right);
}

#[test]
fn lines_run_in_the_console_that_they_name() {
    let mut desk = fresh("", "lesson=04/2");
    let view = desk.view();
    let lines: Vec<&LessonLine> = view
        .part
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            LessonPiece::Lines(lines) => Some(lines.iter()),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(lines[0].text, "kill leader");
    desk.lessons.take_asks();
    desk.lessons.run(lines[0].id);
    let typed =
        |console, line: &str| LessonAsk::Type { console, line: line.to_owned(), key: Key::Enter };
    assert_eq!(desk.lessons.take_asks(), [typed(1, "kill leader")]);
    let last = view.part.solution.last().unwrap();
    desk.lessons.run(last.id);
    assert_eq!(desk.lessons.take_asks(), [typed(1, &last.text)]);
}

#[test]
fn what_a_lesson_prepares_runs_line_by_line_when_it_is_asked_for() {
    let script = "script: 2\ncluster: members=3\npart A\n> Text.\nput a 1\nwait for revision >= 2 within 5s\nmark\ngoal revision rose by 1\nmeans One more.\nhint x\nsolution\nput a 2\nend\n";
    let mut desk = fresh("", "lesson=01");
    desk.lessons.set_lesson(1, Ok(script.to_owned()));
    desk.lessons.take_asks();
    assert_eq!(desk.view().prepare, PrepareState::Waits);
    desk.lessons.prepare();
    let asks = desk.lessons.take_asks();
    assert!(matches!(&asks[..], [LessonAsk::Type { line, .. }] if line == "put a 1"), "{asks:?}");
    desk.lessons.hear(LessonNote::Busy(true));
    desk.lessons.hear(LessonNote::Busy(false));
    assert_eq!(desk.view().prepare, PrepareState::Runs, "the revision is not there yet");
    desk.hear_world(1, 2, 2);
    assert_eq!(desk.view().prepare, PrepareState::Ended);
    assert_eq!(desk.met(), [false], "counted from the mark");
    desk.hear_world(1, 2, 3);
    assert!(desk.view().is_done);
}

#[test]
fn each_part_has_an_address_and_back_leads_back() {
    let mut desk = fresh("", "");
    desk.lessons.take_asks();
    desk.lessons.forward();
    let asks = desk.lessons.take_asks();
    let address = LessonAsk::Address { fragment: "lesson=04/2".to_owned(), push: true };
    assert!(asks.contains(&address), "{asks:?}");
    desk.lessons.hear(LessonNote::Address(String::new()));
    assert_eq!(desk.view().part.part, 1);
    desk.lessons.hear(LessonNote::Address("lesson=07/2".to_owned()));
    assert_eq!(desk.lessons.take_wanted(), [Wanted::Lesson(7, "7.txt".to_owned())]);
    assert_eq!(desk.view().state, LessonState::Loading);
    desk.lessons.set_lesson(7, Ok(text_of(7)));
    assert_eq!((desk.view().part.number, desk.view().part.part), (7, 2));
    desk.lessons.back();
    desk.lessons.back();
    assert_eq!(desk.view().part.part, 1);
}

#[test]
fn an_address_of_no_lesson_leads_to_the_list_and_is_not_remembered() {
    for fragment in ["lesson=99/1", "lesson=0/1", "lesson=abc", "lesson="] {
        for is_first in [true, false] {
            let mut desk = fresh("", if is_first { fragment } else { "" });
            if !is_first {
                desk.lessons.hear(LessonNote::Address(fragment.to_owned()));
            }
            let view = desk.view();
            assert_eq!(view.part.number, 4, "{fragment}");
            assert!(view.is_list_open && view.notice == Some(LESSONS_EN.missing), "{fragment}");
            let kept = desk.kept().unwrap_or_default();
            assert!(!kept.contains("99"), "{kept}");
        }
    }
}

#[test]
fn an_address_of_no_part_becomes_that_of_the_last_one() {
    let mended = LessonAsk::Address { fragment: "lesson=04/5".to_owned(), push: false };
    let mut desk = fresh("", "lesson=04/99");
    assert_eq!((desk.view().part.number, desk.view().part.part), (4, 5));
    let asks = desk.lessons.take_asks();
    assert!(asks.contains(&mended), "{asks:?}");
    // Its text is there already; and what is right stays as it was written.
    desk.lessons.hear(LessonNote::Address("lesson=04/6".to_owned()));
    assert!(desk.lessons.take_asks().contains(&mended));
    desk.lessons.hear(LessonNote::Address("lesson=4/3".to_owned()));
    assert_eq!(desk.view().part.part, 3);
    let is_address = |ask: &LessonAsk| matches!(ask, LessonAsk::Address { .. });
    assert!(!desk.lessons.take_asks().iter().any(is_address));
}

#[test]
fn a_lesson_that_does_not_come_is_fetched_again() {
    let mut desk = fresh("", "");
    desk.lessons.choose(7);
    desk.lessons.take_wanted();
    desk.lessons.set_lesson(7, Err("offline".to_owned()));
    assert_eq!(desk.view().state, LessonState::Failed("offline".to_owned()));
    desk.lessons.fetch_again();
    assert_eq!(desk.lessons.take_wanted().len(), 1);
    desk.lessons.set_lesson(7, Ok("script: 2\nkill nobody\n".to_owned()));
    assert!(matches!(desk.view().state, LessonState::Failed(why) if why.contains("line 2")));
}

#[test]
fn progress_is_kept_and_a_used_cluster_is_not_what_a_lesson_wants() {
    let mut desk = fresh("", "");
    desk.put("/app/mode", "slow", 2);
    let kept = desk.kept().unwrap();
    let mut again = self::desk(&kept, "");
    again.opened(true);
    again.hear_world(2, 3, 2);
    assert!(again.view().dots[0].is_done);
    assert_eq!(again.view().wants_fresh, None, "the cluster is the lesson's");
    again.lessons.choose(1);
    again.lessons.set_lesson(1, Ok(text_of(1)));
    assert_eq!(again.view().wants_fresh, Some(3));
    again.lessons.start_fresh();
    let asks = again.lessons.take_asks();
    assert!(asks.iter().any(|ask| matches!(ask, LessonAsk::NewCluster { members: 3, .. })));
    again.opened(false);
    again.hear_world(1, 2, 1);
    assert_eq!(again.view().wants_fresh, None);
}

#[test]
fn progress_of_a_file_is_joined_and_a_foreign_file_is_refused() {
    let mut desk = fresh("", "");
    desk.lessons.import("PNG");
    assert_eq!(desk.view().notice, Some(LESSONS_EN.not_imported));
    desk.lessons.import("lessons 1; 4 shown 2 done 1,2,3\n");
    assert_eq!(desk.view().notice, Some(LESSONS_EN.imported));
    assert_eq!(desk.view().list[1].done, 3);
    desk.lessons.export();
    let asks = desk.lessons.take_asks();
    assert!(matches!(asks.last(), Some(LessonAsk::Save(_, text)) if text.contains("done 1,2,3")));
}

#[test]
fn both_languages_have_the_same_lines() {
    let mut desk = fresh("", "");
    let english = desk.view();
    desk.lessons.speak(Spoken::Chinese);
    let chinese = desk.view();
    assert_eq!(chinese.part.lesson, "故障转移：leader 宕机");
    assert_eq!(chinese.list[0].title, "题1");
    assert_eq!(english.part.pieces.len(), chinese.part.pieces.len());
    assert_eq!(english.part.solution, chinese.part.solution);
    assert_ne!(english.goals, chinese.goals);
}
