use bytes::Bytes;

use super::*;
use crate::api;
use crate::playground::insight::lesson::{Key, Reader};
use crate::playground::insight::sample::world;
use crate::types::MemberId;

/// An editor, and a page that does what it asks for.
struct Desk {
    editor: Editor,
    now: u64,
    /// What was typed: console, line, key.
    typed: Vec<(u32, String, Key)>,
    asks: Vec<Ask>,
}

impl Desk {
    fn new(draft: &str) -> Self {
        let mut editor = Editor::default();
        editor.begin();
        assert_eq!(editor.take_asks(), [Ask::Scenario(ScenarioAsk::Begin)]);
        editor.hear(ScenarioNote::Draft(draft.to_owned()));
        Self { editor, now: 0, typed: Vec::new(), asks: Vec::new() }
    }

    /// With a cluster of three at term 2.
    fn live(text: &str) -> Self {
        let mut desk = Self::new(text);
        let settings = vec![100, 1_000, 16 << 20, 10_000, 5_000, 1, 1];
        desk.tell(LessonNote::Opened { members: 3, settings, is_resumed: false, is_old: false });
        desk.see(1, 2, 1);
        desk
    }

    fn see(&mut self, leader: u64, term: u64, revision: i64) {
        self.tell(LessonNote::World(Box::new(world(leader, term, revision))));
    }

    fn tell(&mut self, note: LessonNote) {
        self.editor.hear_live(&note, Millis(self.now));
        self.collect();
    }

    fn collect(&mut self) {
        for ask in self.editor.take_asks() {
            match ask {
                Ask::Lesson(LessonAsk::Type { console, line, key }) => {
                    self.typed.push((console, line, key));
                }
                ask => self.asks.push(ask),
            }
        }
    }

    fn pass(&mut self, ms: u64) {
        for _ in 0..ms.div_ceil(100) {
            self.now += 100;
            self.editor.look(Millis(self.now));
        }
        self.collect();
    }

    fn play(&mut self, is_single: bool) {
        self.editor.play_live(is_single);
        self.collect();
    }

    /// The newest line that was typed.
    fn line(&self) -> &str {
        self.typed.last().map(|(_, line, _)| line.as_str()).unwrap_or_default()
    }

    /// The command in a console runs and ends.
    fn runs(&mut self, console: u32, stdout: &str, status: i32) {
        self.tell(LessonNote::Busy(true));
        self.tell(LessonNote::Began(console));
        self.tell(LessonNote::Said {
            console,
            stdout: stdout.to_owned(),
            stderr: String::new(),
            status: Some(status),
        });
        self.tell(LessonNote::Busy(false));
        self.pass(500);
    }

    fn put(&mut self, key: &'static str, value: &'static str, revision: i64) {
        let request = api::PutRequest {
            key: Bytes::from_static(key.as_bytes()),
            value: Bytes::from_static(value.as_bytes()),
            ..api::PutRequest::default()
        };
        let header = api::ResponseHeader { revision, ..api::ResponseHeader::default() };
        let answer = api::PutResponse { header, prev_kv: None };
        self.tell(LessonNote::Answered {
            member: MemberId(1),
            request: Box::new(api::Request::Put(request)),
            result: Box::new(Ok(api::Response::Put(answer))),
        });
    }

    fn live_view(&self) -> LiveView {
        self.editor.view().live
    }

    fn mark(&self, text: &str) -> (StepMark, String) {
        let rows = self.editor.view().rows;
        let row = rows.iter().find(|row| row.text == text).unwrap_or_else(|| panic!("{text}"));
        (row.mark, row.said.clone())
    }
}

#[test]
fn a_first_visit_begins_with_a_template_that_nobody_keeps_and_a_draft_comes_back() {
    let mut desk = Desk::new("");
    assert_eq!(desk.editor.text(), Template::Failover.text());
    desk.pass(500);
    assert_eq!(desk.asks, []);
    desk.editor.set_text("put a 1".to_owned());
    desk.pass(100);
    assert_eq!(desk.asks, [Ask::Scenario(ScenarioAsk::Keep("put a 1".to_owned()))]);
    let again = Desk::new("put a 1");
    assert_eq!(again.editor.text(), "put a 1");
    assert!(again.editor.view().is_good);
}

#[test]
fn an_empty_text_is_no_fault_but_there_is_nothing_to_play() {
    let mut desk = Desk::new("put a 1");
    for text in ["", " \n\n", "# nothing yet\n", "title: T\n\n"] {
        desk.editor.set_text(text.to_owned());
        desk.pass(100);
        let view = desk.editor.view();
        assert!(!view.is_good && view.fault.is_none() && !view.live.can_play, "{text:?} {view:?}");
    }
}

#[test]
fn a_text_that_is_too_long_is_not_kept_and_the_reader_is_told() {
    let mut desk = Desk::new("put a 1");
    desk.editor.set_text("# x\n".repeat(30_000));
    desk.pass(500);
    assert_eq!(desk.asks, []);
    let view = desk.editor.view();
    assert!(view.too_long.contains("100 KB") && view.lines == 30_001);
}

#[test]
fn a_fault_is_told_with_its_place_and_nothing_typed_changes() {
    let mut desk = Desk::new("put a 1\nkill infra9\n");
    let fault = desk.editor.view().fault.unwrap();
    assert_eq!((fault.line, fault.column), (2, 6));
    assert!(fault.message.contains("expected a member"));
    desk.editor.share();
    desk.editor.export();
    desk.editor.play_live(false);
    desk.collect();
    assert_eq!((desk.asks.len(), desk.typed.len()), (0, 0), "nothing runs");
    assert_eq!(desk.editor.text(), "put a 1\nkill infra9\n");
    desk.editor.set_text("put a 1\nkill infra1\n".to_owned());
    assert!(desk.editor.view().is_good);
    assert_eq!(desk.editor.view().placed, 1, "typing is no replacement");
}

#[test]
fn what_is_replaced_can_be_had_back() {
    let mut desk = Desk::new("put mine 1");
    desk.editor.take_template(Template::Empty);
    assert_eq!(desk.editor.text(), Template::Empty.text());
    let view = desk.editor.view();
    assert!(view.can_undo && !view.notice.is_empty());
    desk.editor.take_template(Template::Quiz);
    desk.editor.undo();
    assert_eq!(desk.editor.text(), "put mine 1");
    desk.editor.hear(ScenarioNote::Edit("put mine 1".to_owned()));
    assert_eq!(desk.editor.view().notice, SCENARIO_EN.took_back, "it is here already");
    let theirs = "script: 2\ntitle: expect: x\nexpect: outcome=1\nput theirs 1\n";
    desk.editor.hear(ScenarioNote::Edit(theirs.to_owned()));
    let theirs = "script: 2\ntitle: expect: x\nput theirs 1\n";
    assert_eq!(desk.editor.text(), theirs, "an edited run has other hashes");
    desk.editor.undo();
    assert_eq!(desk.editor.text(), "put mine 1");
    desk.editor.undo();
}

#[test]
fn files_are_read_as_text_within_limits() {
    let mut desk = Desk::new("put a 1");
    desk.editor.open_file("w.txt", Some("\u{feff}put a 1\r\nput b 2\r\n".as_bytes()));
    assert_eq!(desk.editor.text(), "put a 1\nput b 2\n");
    for bytes in [Some(b"\xff\xfe".as_slice()), None, Some(&[b'#'; FILE_BYTES_MAX + 1])] {
        desk.editor.open_file("a\u{202e}<b>.txt", bytes);
        assert!(desk.editor.view().notice.contains("a\\u{202e}<b>.txt"));
        assert_eq!(desk.editor.text(), "put a 1\nput b 2\n");
    }
    desk.editor.set_text("title: Two  Puts!\nput a 1".to_owned());
    desk.editor.save();
    desk.collect();
    let saved =
        LessonAsk::Save("two--puts.txt".to_owned(), "title: Two  Puts!\nput a 1".to_owned());
    assert_eq!(desk.asks, [Ask::Lesson(saved)]);
}

#[test]
fn the_length_of_the_link_is_shown_while_the_text_is_the_one_that_was_played() {
    let mut desk = Desk::new("put a 1");
    desk.editor.share();
    desk.collect();
    assert_eq!(desk.asks, [Ask::Share("put a 1".to_owned())]);
    desk.editor.hear(ScenarioNote::Link(321));
    assert_eq!(desk.editor.view().link, Some(321));
    desk.editor.set_text("put a 2".to_owned());
    assert_eq!(desk.editor.view().link, None);
}

#[test]
fn an_export_is_asked_for_once_and_told_in_the_language_of_the_page() {
    let mut desk = Desk::new("put a 1");
    desk.editor.speak(Spoken::Chinese);
    desk.editor.export();
    desk.editor.export();
    desk.collect();
    assert_eq!(desk.asks, [Ask::Scenario(ScenarioAsk::Export("put a 1".to_owned()))]);
    desk.editor.hear(ScenarioNote::Exported(Some("404\u{202e}".to_owned())));
    assert_eq!(desk.editor.view().notice, "未能生成 shell 脚本：404\\u{202e}");
}

#[test]
fn a_scenario_plays_on_the_cluster_with_a_mark_for_each_step() {
    let mut desk = Desk::live(
        "put a 1\nkill leader\nwait for leader changed within 30s\nexpect term rose\nexpect revision is 9\nget a\nexpect output contains 1\n",
    );
    assert_eq!(desk.live_view().state, LiveState::None);
    desk.play(false);
    assert_eq!(desk.typed, [(1, "put a 1".to_owned(), Key::Enter)]);
    assert_eq!(desk.mark("put a 1").0, StepMark::Runs);
    desk.put("a", "1", 2);
    desk.runs(1, "OK\n", 0);
    assert_eq!(desk.mark("put a 1").0, StepMark::Done);
    assert_eq!(desk.line(), "kill leader");
    desk.tell(LessonNote::Acted);
    desk.pass(1_000);
    assert_eq!(desk.mark("wait for leader changed within 30s").0, StepMark::Runs);
    desk.see(2, 3, 2);
    assert_eq!(desk.mark("wait for leader changed within 30s").0, StepMark::Met);
    assert_eq!(desk.mark("expect term rose").0, StepMark::Met);
    // It may become true a moment later.
    assert_eq!(desk.mark("expect revision is 9").0, StepMark::Runs);
    desk.pass(4_000);
    let (mark, said) = desk.mark("expect revision is 9");
    assert_eq!(mark, StepMark::Unmet);
    assert!(said.contains("revision is 2"), "{said}");
    assert_eq!(desk.line(), "get a");
    desk.runs(1, "a\n1\n", 0);
    let view = desk.live_view();
    assert_eq!((view.state, view.met, view.unmet), (LiveState::Ended, 3, 1));
    desk.editor.set_text("put a 2".to_owned());
    assert_eq!(desk.live_view().state, LiveState::None, "what became of it is shown until then");
}

#[test]
fn step_by_step_it_waits_for_a_person_and_it_can_be_stopped() {
    let mut desk = Desk::live("> Words\nput a 1\nput b 2\nput c 3\n");
    desk.play(true);
    assert_eq!(desk.line(), "put a 1");
    desk.runs(1, "OK\n", 0);
    assert_eq!((desk.live_view().state, desk.typed.len()), (LiveState::Waits, 1));
    assert!(desk.live_view().said.contains("line 3"), "{}", desk.live_view().said);
    desk.play(true);
    assert_eq!(desk.line(), "put b 2");
    desk.editor.stop_live();
    desk.runs(1, "OK\n", 0);
    assert_eq!((desk.live_view().state, desk.typed.len()), (LiveState::Stopped, 2));
    assert_eq!(desk.mark("put b 2").0, StepMark::Passed);
}

#[test]
fn goals_are_judged_at_the_end_of_their_part_and_replies_at_once() {
    let mut desk = Desk::live(
        "part One\ngoal wrote a\nask Who?\nanswer leader\nreply infra1\nreply infra3\npart Two\nput b 1\n",
    );
    desk.play(false);
    desk.pass(1_000);
    assert_eq!(desk.mark("reply infra1").0, StepMark::Met);
    let (mark, said) = desk.mark("reply infra3");
    assert_eq!(mark, StepMark::Unmet);
    assert!(said.contains("infra1"));
    assert_eq!(desk.mark("goal wrote a").0, StepMark::Runs);
    desk.put("a", "1", 2);
    assert_eq!(desk.mark("goal wrote a").0, StepMark::Met);
    desk.pass(1_000);
    assert_eq!(desk.line(), "put b 1");
    desk.runs(1, "OK\n", 0);
    assert_eq!(desk.live_view().state, LiveState::Ended);
}

#[test]
fn acknowledged_writes_are_read_again_one_after_the_other() {
    let mut desk = Desk::live("put a 1\nexpect no write lost\n");
    desk.play(false);
    desk.put("a", "1", 2);
    desk.runs(1, "OK\n", 0);
    let Some(Ask::Lesson(LessonAsk::Read { reader, revision, .. })) = desk.asks.pop() else {
        panic!("{:?}", desk.asks)
    };
    assert_eq!((reader, revision), (Reader::Scenario, 2));
    let found = |value: &'static str| {
        let kv = api::KeyValue {
            key: Bytes::from_static(b"a"),
            value: Bytes::from_static(value.as_bytes()),
            mod_revision: 2,
            ..api::KeyValue::default()
        };
        api::Response::Range(api::RangeResponse { kvs: vec![kv], ..api::RangeResponse::default() })
    };
    let theirs = Some(Box::new(Ok(found("x"))));
    desk.tell(LessonNote::Proved { reader: Reader::Lesson, answer: theirs });
    assert_eq!(desk.mark("expect no write lost").0, StepMark::Runs, "it is a lesson's");
    let ours = Some(Box::new(Ok(found("1"))));
    desk.tell(LessonNote::Proved { reader: Reader::Scenario, answer: ours });
    assert_eq!(desk.mark("expect no write lost").0, StepMark::Met);
}

#[test]
fn what_cannot_be_done_is_said_and_the_run_goes_on() {
    let mut desk = Desk::live(
        "kill infra7\n@3 ^D\nheal\n@2 watch a\n@2 < x\nremove infra3\nwait infra7 up within 1s\nclear\n",
    );
    desk.play(false);
    let (mark, said) = desk.mark("kill infra7");
    assert_eq!(mark, StepMark::Failed);
    assert!(said.contains("no infra7"), "{said}");
    assert_eq!(desk.mark("@3 ^D").0, StepMark::Failed);
    assert_eq!(desk.mark("heal").0, StepMark::Done, "there was nothing to heal");
    assert_eq!(desk.typed, [(2, "watch a".to_owned(), Key::Enter)]);
    desk.tell(LessonNote::Began(2));
    desk.pass(1_000);
    assert_eq!(desk.typed.last().unwrap(), &(2, "x".to_owned(), Key::Input));
    desk.pass(500);
    assert_eq!(desk.line(), "remove infra3", "as a lesson types it");
    desk.tell(LessonNote::Busy(true));
    desk.tell(LessonNote::Busy(false));
    let mut two = world(1, 2, 1);
    two.members.pop();
    desk.tell(LessonNote::World(Box::new(two)));
    desk.pass(2_000);
    assert_eq!(desk.mark("remove infra3").0, StepMark::Done);
    assert_eq!(desk.mark("wait infra7 up within 1s").0, StepMark::Failed);
    // A line of the page's own begins no command.
    assert_eq!(desk.line(), "clear");
    desk.tell(LessonNote::Busy(true));
    desk.tell(LessonNote::Busy(false));
    desk.pass(500);
    assert_eq!(desk.live_view().state, LiveState::Ended);
}

#[test]
fn another_cluster_ends_a_run_and_one_as_wanted_can_be_made() {
    let mut desk = Desk::live("cluster: members=5 tick=50ms\nflags: --max-txn-ops=7\nput a 1\n");
    desk.see(1, 2, 4);
    let view = desk.live_view();
    assert_eq!(view.can_make, Some(5));
    for part in ["cluster of 5", "other settings", "revision 4", "only: --max-txn-ops=7."] {
        assert!(view.other.contains(part), "{part}: {}", view.other);
    }
    desk.editor.make_cluster();
    desk.collect();
    let Some(Ask::Lesson(LessonAsk::NewCluster { members: 5, settings })) = desk.asks.pop() else {
        panic!("{:?}", desk.asks)
    };
    assert_eq!(settings[0], Some(50));
    desk.play(false);
    assert_eq!(desk.live_view().state, LiveState::Runs, "it can be played all the same");
    desk.tell(LessonNote::Opened {
        members: 5,
        settings: vec![50, 500, 16 << 20, 10_000, 5_000, 1, 1],
        is_resumed: false,
        is_old: false,
    });
    let view = desk.live_view();
    assert_eq!(view.state, LiveState::Stopped);
    assert!(view.said.contains("another cluster"), "{}", view.said);
    let mut fresh = Desk::live("put a 1");
    assert_eq!(fresh.live_view().other, "");
    fresh.see(1, 2, 1);
    assert_eq!(fresh.live_view().can_make, None);
}

#[test]
fn a_long_wait_ends_and_a_command_that_never_ends_gets_ctrl_c() {
    let mut desk = Desk::live("watch a\nwait for no leader within 2s\n");
    desk.play(false);
    desk.tell(LessonNote::Busy(true));
    desk.tell(LessonNote::Began(1));
    desk.pass(61_000);
    assert_eq!(desk.typed.last().unwrap(), &(1, String::new(), Key::Interrupt));
    assert!(desk.mark("watch a").1.contains("minute"));
    desk.pass(3_000);
    let (mark, said) = desk.mark("wait for no leader within 2s");
    assert_eq!(mark, StepMark::Unmet);
    assert!(said.contains("2 s in vain: infra1 leads"), "{said}");
}

#[test]
fn faults_and_what_cannot_be_done_are_told_in_the_language_of_the_page() {
    let mut desk = Desk::live("kill infra9\n");
    desk.editor.speak(Spoken::Chinese);
    let fault = desk.editor.view().fault.unwrap();
    assert!(fault.message.starts_with("此处应为成员：infra1 … infra7"), "{}", fault.message);
    assert!(fault.message.contains("“infra9”") && !fault.message.contains("expected"));
    desk.editor.set_text("kill infra7\nresume paused\nput a 1\n".to_owned());
    desk.play(false);
    assert_eq!(desk.mark("kill infra7").1, "没有 infra7：集群有 3 个成员");
    assert_eq!(desk.mark("resume paused").1, "没有已暂停的成员");
    desk.editor.stop_live();
    assert_eq!(desk.live_view().said, SCENARIO_ZH.live_stopped);
    desk.editor.speak(Spoken::English);
    assert_eq!(desk.live_view().said, SCENARIO_EN.live_stopped, "it follows the language");
    assert_eq!(desk.mark("kill infra7").1, "there is no infra7: the cluster has 3 member(s)");
}

#[test]
fn a_text_that_is_edited_while_it_plays_is_listed_as_written_once_the_run_is_over() {
    let mut desk = Desk::live("put a 3\nput b 4\n");
    desk.play(true);
    desk.runs(1, "OK\n", 0);
    assert_eq!(desk.mark("put a 3").0, StepMark::Done);
    desk.editor.set_text("put a 3zzz\nput b 4\n".to_owned());
    assert_eq!(desk.mark("put a 3").0, StepMark::Done, "this is what plays");
    desk.editor.stop_live();
    assert_eq!(desk.mark("put a 3zzz").0, StepMark::None);
    assert_eq!(desk.live_view().state, LiveState::Stopped);
}

#[test]
fn what_is_too_much_for_a_link_is_told_before_it_plays() {
    let mut desk = Desk::new("put a 1");
    assert_eq!(desk.editor.view().no_link, "");
    desk.editor.set_text("put a 1\n".repeat(201));
    let view = desk.editor.view();
    assert!(view.is_good && view.no_link.contains("200 steps"), "{}", view.no_link);
    desk.editor.set_text(format!("put a {}", "x".repeat(30_000)));
    desk.pass(100);
    assert_eq!(desk.editor.view().no_link, SCENARIO_EN.large_link);
    desk.editor.set_text("kill".to_owned());
    assert_eq!(desk.editor.view().no_link, "", "it is no scenario at all");
}

#[test]
fn a_text_that_comes_from_the_dialog_of_links_asks_for_the_focus() {
    let mut desk = Desk::new("put a 1");
    assert_eq!(desk.editor.view().focus, 0);
    desk.editor.hear(ScenarioNote::Edit("put b 1\n".to_owned()));
    desk.editor.hear(ScenarioNote::Edit("put b 1\n".to_owned()));
    assert_eq!(desk.editor.view().focus, 2, "also where it stands there already");
}

#[test]
fn a_run_ends_where_another_tab_takes_the_cluster_and_nothing_can_be_played_then() {
    let mut desk = Desk::live("put a 1\nput b 1\n");
    desk.play(false);
    desk.tell(LessonNote::TakenOver);
    let view = desk.live_view();
    assert_eq!((view.state, view.can_play), (LiveState::Stopped, false));
    assert_eq!(view.said, SCENARIO_EN.live_taken_over);
    desk.play(false);
    let view = desk.live_view();
    assert_eq!(view.other, SCENARIO_EN.live_is_taken);
    assert_eq!((view.state, desk.typed.len()), (LiveState::None, 1), "nothing hangs");
    let settings = vec![100, 1_000, 16 << 20, 10_000, 5_000, 1, 1];
    desk.tell(LessonNote::Opened { members: 3, settings, is_resumed: true, is_old: false });
    assert!(desk.live_view().can_play);
}

#[test]
fn learners_that_a_scenario_begins_with_are_added_before_its_first_step() {
    let text = "cluster: learners=1\nflags: --snapshot-count=100\nput a 1\n";
    let mut desk = Desk::live(text);
    let view = desk.live_view();
    assert!(view.other.contains("added before the first step"), "{}", view.other);
    assert!(!view.other.contains("lab only"), "{}", view.other);
    desk.editor.make_cluster();
    desk.collect();
    let Some(Ask::Lesson(LessonAsk::NewCluster { members: 3, settings })) = desk.asks.pop() else {
        panic!("{:?}", desk.asks)
    };
    assert_eq!(settings[3], Some(100), "the flag counts on a new cluster");
    desk.play(false);
    assert_eq!(desk.typed, [(1, "add learner".to_owned(), Key::Enter)]);
    desk.tell(LessonNote::Busy(true));
    let mut four = world(1, 2, 1);
    let mut learner = four.members[2].clone();
    learner.member.id = MemberId(4);
    learner.member.is_learner = true;
    four.members.push(learner);
    desk.tell(LessonNote::World(Box::new(four)));
    desk.tell(LessonNote::Busy(false));
    assert_eq!(desk.line(), "put a 1");
    let mut refused = Desk::live(text);
    refused.play(false);
    refused.tell(LessonNote::Busy(true));
    refused.tell(LessonNote::Busy(false));
    refused.pass(5_000);
    assert_eq!(refused.live_view().said, SCENARIO_EN.live_no_learner);
}

#[test]
fn a_change_that_the_console_refuses_fails_soon_and_open_is_typed() {
    let mut desk = Desk::live("add\nopen new.etcd\n");
    desk.play(false);
    assert_eq!(desk.line(), "add");
    desk.tell(LessonNote::Busy(true));
    desk.tell(LessonNote::Busy(false));
    desk.pass(4_000);
    assert_eq!(desk.mark("add").0, StepMark::Failed);
    assert_eq!(desk.line(), "open new.etcd");
}

/// Words that make elements, requests or lies in pages that take text for markup.
fn hostile() -> Vec<String> {
    let marks =
        ["<img src=x onerror=alert(1)>", "<script>1</script>", "\u{202e}txt.exe", "\u{0}\u{1b}[2J"];
    let many = (0..60).map(|at: u32| {
        let mark = marks[usize::try_from(at).unwrap() % marks.len()];
        format!("{mark}{at}{}", char::from_u32(0x200b + at % 5).unwrap())
    });
    many.collect()
}

#[test]
fn hostile_titles_and_lines_are_shown_as_text_alone() {
    for text in hostile() {
        for script in [
            format!("title: {text}\nput a 1\n"),
            format!("> {text}\nput {text} 1\n"),
            format!("part {text}\nkill {text}\n"),
            format!("expect output is \"{text}\"\n@9{text}\n"),
        ] {
            let mut desk = Desk::new(&script);
            desk.editor.open_file(&text, None);
            let view = desk.editor.view();
            let shown = view.rows.iter().map(|row| row.text.clone());
            let shown: Vec<String> = shown.chain(view.fault.map(|it| it.message)).collect();
            for shown in shown.iter().chain([&view.notice]) {
                let is_hidden = |c: char| {
                    c.is_control() || ('\u{200b}'..='\u{200f}').contains(&c) || c == '\u{202e}'
                };
                assert!(!shown.contains(is_hidden), "{shown:?}");
            }
            desk.editor.save();
            desk.collect();
            let Some(Ask::Lesson(LessonAsk::Save(name, _))) = desk.asks.pop() else { panic!() };
            assert!(
                name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b)),
                "{name}"
            );
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_looked_at_without_a_panic(text in "(?s).{0,300}", lines in proptest::collection::vec("(part|goal|kill|wait for|expect|put|solution|end|@2|>|ask|answer|reply|open|add)[ -~]{0,20}", 0..12)) {
        let mut desk = Desk::live(&text);
        desk.play(false);
        desk.editor.set_text(lines.join("\n"));
        desk.play(false);
        desk.pass(20_000);
        let view = desk.editor.view();
        proptest::prop_assert!(view.rows.len() <= 600);
    }
}
