//! The view of time with the lab behind it: what a person does, question by question, as the page carries them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code: it panics to fail"
)]

use etcd_playground::lab::time::Machine;
use etcd_playground::playground::insight::{
    Ask, Folder, LessonAsk, Listed, Moves, RowId, Speed, StepKind, StepRow, TimeStage, TimeState,
    TimeView, TimeWanted, TimelineView, To,
};
use etcd_playground::playground::strings::Language;
use etcd_playground::scenario::moment::{TimeAnswer, TimeQuestion, TimeSource};
use etcd_playground::scenario::script::ClusterSettings;
use etcd_playground::scenario::{LeftOut, Question, Script, link};
use etcd_playground::types::Millis;
use etcd_playground::wire;

/// A page with the view of time, and the lab's worker.
#[derive(Default)]
struct Page {
    state: TimeState,
    lab: Machine,
    /// Everything that was asked.
    asked: Vec<TimeQuestion>,
    /// The worker was ended.
    is_ended: bool,
    /// What the address bar was told, and whether Back leads to what it was.
    bar: Vec<(String, bool)>,
    /// What was done in the page's cluster.
    lines: Vec<String>,
}

fn listed(folder: Folder) -> Vec<Listed> {
    let path = format!("{}/www/{}", env!("CARGO_MANIFEST_DIR"), folder.name());
    let mut files: Vec<String> = std::fs::read_dir(path)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".txt"))
        .collect();
    files.sort();
    let entry = |(number, file): (u32, String)| Listed {
        number,
        title: format!("title of {file}"),
        title_zh: String::new(),
        file,
    };
    (1..).zip(files).map(entry).collect()
}

impl Page {
    /// The page with its lists.
    fn new() -> Self {
        let mut page = Self::default();
        page.state.show();
        page.settle();
        page
    }

    /// Carries files and questions until nothing is open any more.
    fn settle(&mut self) {
        loop {
            let wanted = self.state.take_wanted();
            let asks = self.state.take_asks();
            if wanted.is_empty() && asks.is_empty() {
                return;
            }
            for wanted in wanted {
                self.fetch(wanted);
            }
            for ask in asks {
                self.carry(ask);
            }
        }
    }

    fn fetch(&mut self, wanted: TimeWanted) {
        match wanted {
            TimeWanted::List(folder) => self.state.set_list(folder, Ok(listed(folder))),
            TimeWanted::Script(folder, file) => {
                let root = env!("CARGO_MANIFEST_DIR");
                let path = format!("{root}/www/{}/{file}", folder.name());
                let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
                self.state.set_script(folder, &file, text);
            }
        }
    }

    fn carry(&mut self, ask: Ask) {
        match ask {
            Ask::Lab(bytes) => {
                let (number, question): (u64, TimeQuestion) = wire::decode(&bytes).unwrap();
                self.asked.push(question.clone());
                let answer = self.lab.answer(question);
                let bytes = wire::encode(&(number, answer)).unwrap();
                self.state.hear(Ok(bytes.into()));
            }
            Ask::EndLab => {
                self.lab = Machine::default();
                self.is_ended = true;
            }
            Ask::Lesson(LessonAsk::Address { fragment, push }) => self.bar.push((fragment, push)),
            Ask::Session => {
                let (cluster, left_out) = (ClusterSettings::default(), LeftOut::default());
                let lines = self.lines.clone();
                self.state.hear_session(Question::Compose { cluster, lines, left_out });
            }
            _ => {}
        }
    }

    /// Time passes; gives back what the address bar was told.
    fn rest(&mut self, ms: u64) -> Vec<(String, bool)> {
        self.act(|state| state.look(Millis(ms)));
        std::mem::take(&mut self.bar)
    }

    fn act(&mut self, act: impl FnOnce(&mut TimeState)) -> TimeView {
        act(&mut self.state);
        self.settle();
        self.state.view()
    }

    fn lane(&self, at: usize) -> TimelineView {
        self.state.view().lanes[at].clone()
    }

    /// The failover lesson, open.
    fn with_lesson() -> Self {
        let mut page = Self::new();
        let view = page.act(|state| state.open_file(Folder::Lessons, LESSON.to_owned()));
        assert_eq!(view.stage, TimeStage::Open);
        page
    }

    /// The number of the step with this line.
    fn step(&self, line: &str) -> u64 {
        match self.lane(0).steps.iter().find(|step| step.line == line).unwrap().id {
            RowId::Step(number) => number,
            RowId::Own(_) => panic!("{line} is a change"),
        }
    }

    /// Right after the leader was killed, when a member asks for votes: the number of such a message.
    fn at_a_vote(&mut self) -> u64 {
        let step = self.step("kill leader");
        self.act(|state| state.go_to_step(0, step));
        for _ in 0..400 {
            let flights = self.lane(0).flights;
            if let Some(vote) = flights.iter().find(|flight| flight.kind == "MsgVote") {
                return vote.id;
            }
            self.act(|state| state.travel(To::NextEvent));
        }
        panic!("nobody asked for votes");
    }
}

const LESSON: &str = "04-failover.txt";

#[test]
fn a_run_is_measured_and_stands_at_its_start() {
    let page = Page::with_lesson();
    let view = page.state.view();
    assert_eq!(view.title, "4. title of 04-failover.txt");
    assert!(view.controls.high > 100, "{:?}", view.controls);
    assert!(view.controls.is_at_start && !view.controls.is_at_end && view.controls.has_steps);
    assert_eq!((view.controls.value, view.lanes.len()), (0, 1));
    assert!(view.lanes[0].steps.iter().any(|step| step.line == "kill leader"));
}

#[test]
fn presses_add_up_and_of_several_wishes_the_newest_counts() {
    let mut page = Page::with_lesson();
    page.act(|state| {
        for _ in 0..5 {
            state.travel(To::NextEvent);
        }
    });
    assert_eq!(page.state.view().controls.value, 5);
    page.act(|state| state.travel(To::Back));
    assert_eq!(page.state.view().controls.value, 4);
    page.asked.clear();
    page.act(|state| {
        for event in [10, 20, 30, 40] {
            state.scrub(event);
        }
    });
    let go = |event| TimeQuestion::Go { timeline: 0, to: To::Event(event) };
    assert_eq!(page.asked, [go(10), go(40)]);
    assert_eq!(page.state.view().controls.value, 40);
}

#[test]
fn a_run_is_gone_through_by_messages_ticks_and_steps() {
    let mut page = Page::with_lesson();
    let view = page.act(|state| state.travel(To::NextMessage));
    assert!(view.told.contains(" arrives at infra"), "{}", view.told);
    let view = page.act(|state| state.travel(To::NextTick));
    assert!(view.told.contains("ticks"), "{}", view.told);
    let step = page.step("kill leader");
    page.act(|state| state.go_to_step(0, step));
    let current = |page: &Page| {
        let lane = page.lane(0);
        lane.current.and_then(|at| lane.steps.get(at)).map(|step| step.line.clone())
    };
    // A verb takes no time: the next step has begun, too.
    assert_eq!(current(&page).as_deref(), Some("put /app/gap 1"));
    let lane = page.lane(0);
    let at = lane.steps.iter().position(|it| it.line == "kill leader").unwrap();
    assert_eq!(lane.marks[at].state, "here");
    page.act(|state| state.travel(To::NextStep));
    assert_ne!(current(&page).as_deref(), Some("put /app/gap 1"));
    page.act(|state| state.step_back());
    let words = page.lane(0).happenings.iter().any(|row| row.words.contains("leader of term"));
    assert!(words, "{:?}", page.lane(0).happenings);
    let view = page.act(|state| state.travel(To::End));
    assert!(view.controls.is_at_end);
    let end = view.lanes[0].end.clone().unwrap();
    assert_eq!(end.kind, "good", "{end:?}");
    assert!(end.verdict.contains(", 0 not met"), "{end:?}");
    assert!(view.lanes[0].members.iter().all(|member| member.revision == "revision 4"));
    let view = page.act(|state| state.travel(To::Start));
    assert!(view.lanes[0].end.is_none());
}

#[test]
fn a_dropped_vote_gives_another_future() {
    let mut page = Page::with_lesson();
    let vote = page.at_a_vote();
    let was = page.lane(0);
    let view = page.act(TimeState::fork);
    assert_eq!(view.lanes.len(), 2);
    assert_eq!(view.lanes[1].picture, was.picture);
    let comparison = view.comparison.unwrap();
    assert!(!comparison.has_difference && comparison.sentence.contains("nothing was changed"));
    let view = page.act(|state| state.drop_message(1, vote));
    assert_eq!((view.lanes[0].changes.len(), view.lanes[1].changes.len()), (0, 1));
    assert!(view.notice.1, "{:?}", view.notice);
    assert!(view.lanes[1].flights.iter().all(|flight| flight.id != vote));
    let comparison = view.comparison.unwrap();
    assert!(comparison.has_difference, "{comparison:?}");
    assert_eq!(comparison.sides.len(), 2);
    let view = page.act(TimeState::go_to_difference);
    assert_eq!(view.controls.moves, Moves::Both);
    let event = |lane: &TimelineView| lane.place.split(' ').nth(1).unwrap().to_owned();
    assert_eq!(event(&view.lanes[0]), event(&view.lanes[1]));
    assert!(comparison.sentence.ends_with(event(&view.lanes[0]).as_str()), "{comparison:?}");
    let view = page.act(|state| state.undo(1));
    assert!(view.lanes[1].changes.is_empty());
    assert!(!view.comparison.unwrap().has_difference);
}

#[test]
fn two_timelines_move_by_time_or_alone() {
    let mut page = Page::with_lesson();
    page.at_a_vote();
    page.act(TimeState::fork);
    let view = page.act(|state| state.do_line(1, "kill infra1"));
    assert!(view.controls.is_timed && view.controls.high > 4_000, "{:?}", view.controls);
    let half = view.controls.high / 2;
    let view = page.act(|state| state.scrub(half));
    assert!(
        view.controls.value <= half && view.controls.value + 100 > half,
        "{half} {:?}",
        view.controls
    );
    let time = |lane: &TimelineView| lane.place.rsplit(", ").next().unwrap().to_owned();
    assert!(view.lanes[0].end.is_some() && view.lanes[1].end.is_none(), "one goes on longer");
    let before = view.lanes[1].place.clone();
    page.act(|state| state.set_moves(Moves::First));
    let view = page.act(|state| state.scrub(3));
    assert!(!view.controls.is_timed);
    assert_eq!(view.controls.value, 3);
    assert_eq!(view.lanes[1].place, before);
    let view = page.act(|state| state.set_moves(Moves::Both));
    assert!(time(&view.lanes[1]) <= time(&view.lanes[0]));
    let view = page.act(|state| state.travel(To::End));
    assert!(view.lanes.iter().all(|lane| lane.end.is_some()));
    let view = page.act(|state| state.close_lane(0));
    assert_eq!(view.lanes.len(), 1);
    assert_eq!(view.lanes[0].changes.len(), 1, "the second one is left");
    assert!(view.comparison.is_none());
}

#[test]
fn timers_are_fired_votes_are_split_and_lines_run() {
    let mut page = Page::with_lesson();
    let step = page.step("put /app/mode slow");
    page.act(|state| state.go_to_step(0, step));
    let member = page.lane(0).members.into_iter().find(|member| member.can_fire).unwrap();
    let view = page.act(|state| state.fire(0, member.id));
    let now = view.lanes[0].members.iter().find(|it| it.id == member.id).unwrap();
    assert_eq!(now.role, "pre-candidate", "{:?}", view.notice);
    assert!(view.controls.high > 100, "it was measured again: {:?}", view.controls);
    page.act(|state| state.undo(0));
    let view = page.act(|state| state.split_vote(0));
    assert!(view.notice.1 && !view.notice.0.is_empty(), "{:?}", view.notice);
    page.act(|state| state.undo(0));
    page.act(|state| state.do_line(0, "  etcdctl put a b  "));
    let view = page.act(|state| state.travel(To::End));
    let own = view.lanes[0].steps.last().unwrap().clone();
    assert!(own.line.contains("put a b") && own.kind == StepKind::Own, "{own:?}");
    let view = page.act(|state| state.choose(0, own.id));
    assert_eq!(view.lanes[0].printed.output, "OK\n");
    let view = page.act(|state| state.do_line(0, "kill infra99"));
    assert!(!view.notice.1 && view.notice.0.contains("infra99"), "{:?}", view.notice);
    let leader = view.lanes[0].members.iter().find(|it| it.role == "leader").unwrap().id;
    let view = page.act(|state| state.fire(0, leader));
    assert!(!view.notice.1 && !view.notice.0.is_empty(), "{:?}", view.notice);
}

#[test]
fn a_run_that_plays_is_where_its_speed_says() {
    let mut page = Page::with_lesson();
    page.state.frame(Millis(1_000));
    page.act(|state| state.set_speed(Speed::Faster(1)));
    page.act(TimeState::toggle_play);
    let mut values = Vec::new();
    for ms in (1_000..5_000).step_by(50) {
        page.act(|state| state.frame(Millis(ms)));
        values.push(page.state.view().controls.value);
    }
    assert!(values.is_sorted() && values[70] > values[10], "{values:?}");
    let place = page.state.view().controls.place;
    assert!(place.contains(", 0:03.8") || place.contains(", 0:03.9"), "{place}");
    for ms in (5_000..120_000).step_by(1_000) {
        page.act(|state| state.frame(Millis(ms)));
    }
    assert!(!page.state.is_playing() && page.state.view().controls.is_at_end);
    page.act(TimeState::toggle_play);
    assert!(page.state.is_playing() && page.state.view().controls.is_at_start);
}

#[test]
fn a_seed_plays_to_its_verdict() {
    let mut page = Page::new();
    page.act(|state| state.set_seed("seven".to_owned()));
    let view = page.act(TimeState::open_seed);
    assert!(view.stage == TimeStage::Shelf && view.shelf.wrong_seed.contains("whole number"));
    let view = page.act(|state| state.set_seed(" 7 ".to_owned()));
    assert!(view.shelf.wrong_seed.is_empty());
    let view = page.act(TimeState::open_seed);
    assert_eq!((view.stage, view.title.as_str()), (TimeStage::Open, "Seed 7"));
    assert_eq!(view.plan, "5 members, 5 clients, 100 ms ticks, 10 election ticks");
    assert!(!view.controls.has_steps);
    page.state.speak(Language::Chinese);
    let plan = page.state.view().plan;
    assert_eq!(plan, "5 个成员，5 个客户端，每个 tick 100 ms，选举超时 10 个 tick");
    page.state.speak(Language::English);
    let view = page.act(|state| state.travel(To::End));
    let end = view.lanes[0].end.clone().unwrap();
    assert!(end.verdict.starts_with("Valid") && end.kind == "good", "{end:?}");
    assert!(!view.lanes[0].happenings.is_empty());
}

#[test]
fn an_address_opens_a_seed() {
    let mut page = Page::new();
    assert!(!page.state.address("lesson=04/2"));
    assert!(page.state.address("seed=5"));
    page.settle();
    assert_eq!(page.state.view().title, "Seed 5");
    page.asked.clear();
    assert!(page.state.address("seed=5"), "the same again");
    page.settle();
    assert!(page.asked.is_empty());
    for hostile in ["seed=", "seed=-1", "seed=+1", "seed=99999999999999999999999", "seed=%00"] {
        assert!(page.state.address(hostile), "{hostile}");
        page.settle();
        let view = page.state.view();
        assert!(view.stage == TimeStage::Shelf && !view.shelf.wrong_seed.is_empty(), "{hostile}");
    }
}

#[test]
fn what_was_lost_is_opened_again_with_its_changes() {
    let mut page = Page::with_lesson();
    let vote = page.at_a_vote();
    page.act(|state| state.do_line(0, "etcdctl put x 1"));
    page.act(TimeState::fork);
    page.act(|state| state.drop_message(1, vote));
    page.act(|state| state.undo(0));
    page.act(|state| state.split_vote(0));
    page.act(|state| state.set_moves(Moves::Second));
    page.act(|state| state.travel(To::NextMessage));
    let before = page.state.view();
    assert_eq!((before.lanes[0].changes.len(), before.lanes[1].changes.len()), (1, 2));
    page.lab = Machine::default();
    page.state.hear(Err("the worker\u{7} stopped".to_owned()));
    let TimeStage::Failed(_, words) = page.state.view().stage else { panic!("it is lost") };
    assert!(!words.contains('\u{7}') && words.contains("stopped"), "{words}");
    let after = page.act(TimeState::open_again);
    assert_eq!(after.stage, TimeStage::Open);
    for (one, other) in before.lanes.iter().zip(&after.lanes) {
        assert_eq!(one.place, other.place);
        assert_eq!(one.picture, other.picture);
        assert_eq!(one.changes, other.changes);
    }
}

#[test]
fn what_cannot_be_played_says_where_it_is_wrong() {
    let mut page = Page::new();
    let text = "script: 2\ncluster: members=3\nput a b\nwait for\n";
    let view = page.act(|state| state.open_script(text.to_owned()));
    let TimeStage::Refused(words) = view.stage else { panic!("{:?}", view.stage) };
    assert!(words.contains('4') && words.contains("expected"), "{words}");
    assert_eq!(page.act(TimeState::close).stage, TimeStage::Shelf);
    page.act(|state| state.set_link("https://example.org/#s=AAAA".to_owned()));
    let view = page.act(TimeState::open_link);
    assert!(matches!(view.stage, TimeStage::Refused(_)), "{:?}", view.stage);
    page.act(TimeState::close);
    page.act(|state| state.set_link("https://example.org/".to_owned()));
    let view = page.act(TimeState::open_link);
    assert!(view.stage == TimeStage::Shelf && !view.shelf.wrong_link.is_empty());
    let view = page.act(|state| state.open_file(Folder::Errors, "99-none.txt".to_owned()));
    assert!(matches!(view.stage, TimeStage::Refused(_)) && view.can_retry, "{:?}", view.stage);
}

#[test]
fn a_chinese_reader_gets_chinese_words_and_sentences() {
    let has_chinese = |text: &str| text.chars().any(|it| ('\u{4e00}'..='\u{9fff}').contains(&it));
    let mut page = Page::with_lesson();
    page.state.speak(Language::Chinese);
    let step = page.step("kill leader");
    page.act(|state| state.go_to_step(0, step));
    let view = page.act(|state| state.travel(To::NextMessage));
    assert!(has_chinese(&view.told) && has_chinese(&view.controls.place), "{}", view.told);
    let lane = &view.lanes[0];
    let said = lane.steps.iter().filter(|it| !it.prose.is_empty());
    let said: Vec<String> = said.map(|it| format!("{:?}", it.prose)).collect();
    assert!(
        said.len() > 5 && said.iter().all(|it| it.starts_with("[Code(") || has_chinese(it)),
        "{said:?}"
    );
    assert!(lane.members.iter().all(|it| it.numbers.is_empty() || has_chinese(&it.numbers)));
    assert!(lane.happenings.iter().all(|it| has_chinese(&it.words)), "{:?}", lane.happenings);
    assert!(lane.happenings.iter().any(|it| it.words.contains("infra3 已终止")));
    page.state.speak(Language::English);
    let lane = page.lane(0);
    let words = |step: &StepRow| format!("{} {:?}", step.line, step.prose);
    assert!(!lane.steps.iter().any(|step| has_chinese(&words(step))), "{:?}", lane.steps);
}

#[test]
fn a_script_is_shown_for_people() {
    let mut page = Page::with_lesson();
    let words = |page: &Page| -> Vec<String> {
        let row = |step: &StepRow| format!("{} {:?}", step.line, step.prose);
        page.lane(0).steps.iter().map(row).collect()
    };
    for language in [Language::English, Language::Chinese] {
        page.state.speak(language);
        for row in words(&page) {
            let is_machinery = ["hint", "answer", "reply", "solution", "end ", "goal", "means"]
                .iter()
                .any(|word| row.starts_with(word));
            assert!(!is_machinery && !row.contains('*') && !row.contains("[zh]"), "{row}");
        }
        let kinds = |kind| page.lane(0).steps.iter().filter(|it| it.kind == kind).count();
        assert!(kinds(StepKind::Part) == 5 && kinds(StepKind::Question) > 0);
        assert!(kinds(StepKind::Check) > 20 && kinds(StepKind::Prose) > 5);
    }
    page.state.speak(Language::English);
    let goal = |page: &Page| {
        let is_it = |row: &StepRow| format!("{:?}", row.prose).contains("slow was written to");
        page.lane(0).steps.iter().position(is_it).unwrap()
    };
    let at = goal(&page);
    let check = |page: &Page, at: usize| page.lane(0).marks[at].outcome;
    assert_eq!(page.lane(0).steps[at].kind, StepKind::Check);
    assert_eq!(check(&page, at), "");
    let put = page.step("put /app/mode slow");
    page.act(|state| state.go_to_step(0, put));
    assert_eq!(check(&page, at), "", "a goal is judged with its part");
    let kill = page.step("kill leader");
    page.act(|state| state.go_to_step(0, kill));
    assert_eq!(check(&page, at), "met");
}

#[test]
fn what_a_solution_checks_is_said_only_once_it_was_checked() {
    let mut page = Page::with_lesson();
    let is_check = |row: &StepRow| row.kind == StepKind::Check && row.line == "output is OK";
    let at = page.lane(0).steps.iter().position(is_check).unwrap();
    assert!(page.lane(0).marks[at].is_secret);
    let id = page.lane(0).steps[at].id;
    let view = page.act(|state| state.choose(0, id));
    assert!(!view.lanes[0].printed.title.contains("OK"), "{:?}", view.lanes[0].printed);
    let view = page.act(|state| state.travel(To::End));
    assert!(!view.lanes[0].marks[at].is_secret);
    assert_eq!((view.lanes[0].marks[at].outcome, view.lanes[0].chosen), ("met", Some(at)));
    assert!(view.lanes[0].printed.title.contains("OK"), "{:?}", view.lanes[0].printed);
}

#[test]
fn what_fails_as_it_is_meant_to_is_no_fault() {
    let mut page = Page::with_lesson();
    let view = page.act(|state| state.travel(To::End));
    let end = view.lanes[0].end.clone().unwrap();
    assert!(end.verdict.contains("1 command ends with an error, as it is meant to"), "{end:?}");
    let gap = page.step("put /app/gap 1");
    let view = page.act(|state| state.choose(0, RowId::Step(gap)));
    let printed = &view.lanes[0].printed;
    assert!(printed.is_meant && printed.failure.contains("as it is meant"), "{printed:?}");
    let own = "script: 2\ncluster: members=1\nget\nput a b\nexpect output is OK\n";
    page.act(|state| state.open_script(own.to_owned()));
    let view = page.act(|state| state.travel(To::End));
    let end = view.lanes[0].end.clone().unwrap();
    assert!(end.verdict.contains("1 check met, 0 not met. 1 command ended"), "{end:?}");
}

#[test]
fn what_any_step_printed_is_shown() {
    let mut page = Page::with_lesson();
    let first = page.step("endpoint status -w table");
    let view = page.act(|state| state.choose(0, RowId::Step(first)));
    assert!(view.lanes[0].printed.note.contains("not begun"), "{:?}", view.lanes[0].printed);
    page.asked.clear();
    page.act(|state| state.travel(To::End));
    let last = page.lane(0).steps.iter().rev().find(|it| it.kind == StepKind::Line).unwrap().id;
    page.act(|state| state.choose(0, last));
    let view = page.act(|state| state.choose(0, RowId::Step(first)));
    let step = u32::try_from(first - 1).unwrap();
    let asked = page.asked.iter().filter(|it| **it == TimeQuestion::Step { timeline: 0, step });
    assert_eq!(asked.count(), 1, "{:?}", page.asked);
    let printed = &view.lanes[0].printed;
    assert!(printed.output.contains("IS LEADER") && printed.can_go, "{printed:?}");
    page.act(|state| state.choose(0, last));
    // It is not asked for while a moment tells it, and the change may have made another one of it.
    page.act(|state| state.do_line(0, "kill infra1"));
    let view = page.act(|state| state.choose(0, RowId::Step(first)));
    assert!(view.lanes[0].printed.output.contains("IS LEADER"), "{:?}", view.lanes[0].printed);
    let view = page.act(|state| state.go_to_step(0, first));
    assert_eq!(view.lanes[0].chosen, None, "it goes along with the run again");
}

#[test]
fn the_address_follows_what_is_open_and_where_it_stands() {
    let pushed = |text: &str| (text.to_owned(), true);
    let replaced = |text: &str| (text.to_owned(), false);
    let mut page = Page::with_lesson();
    assert_eq!(page.rest(1_000), [pushed("time=lesson-04")]);
    page.act(|state| state.travel(To::NextEvent));
    page.act(|state| state.travel(To::NextEvent));
    assert_eq!(page.rest(1_100), [], "it follows what rests");
    assert_eq!(page.rest(1_400), [replaced("time=lesson-04@2")]);
    assert_eq!(page.rest(9_000), []);
    page.act(|state| state.travel(To::Start));
    assert_eq!(page.rest(10_000), [replaced("time=lesson-04")]);
    page.act(TimeState::close);
    assert_eq!(page.rest(11_000), [pushed("")]);
    page.act(|state| state.open_file(Folder::Errors, "01-compacted.txt".to_owned()));
    assert_eq!(page.rest(12_000), [pushed("time=error-01-compacted")]);
    // Back to the list, and on to where it was.
    assert!(!page.state.address(""));
    assert_eq!((page.rest(13_000), page.state.view().stage), (vec![], TimeStage::Shelf));
    assert!(page.state.address("time=lesson-04@55"));
    page.settle();
    assert_eq!(page.state.view().controls.value, 55);
    assert!(page.state.address("time=lesson-04@5"));
    page.settle();
    assert_eq!((page.state.view().controls.value, page.rest(14_000)), (5, vec![]));
    assert!(page.state.address("seed=7@30"));
    page.settle();
    assert_eq!((page.state.view().title, page.state.view().controls.value), ("Seed 7".into(), 30));
    assert_eq!(page.rest(15_000), []);
    let own = "script: 2\ncluster: members=1\nput a b\n";
    page.act(|state| state.open_script(own.to_owned()));
    page.act(|state| state.travel(To::NextEvent));
    assert_eq!(page.rest(16_000), [pushed("")], "a text of one's own has no address");
    assert_eq!(page.rest(17_000), []);
}

#[test]
fn a_moment_of_a_link_has_an_address_to_which_reload_and_back_return() {
    let script = Script::parse("script: 2\ncluster: members=1\nput a b\nput a c\n").unwrap();
    let link = link::write(&script).unwrap();
    let mut page = Page::new();
    page.act(|state| state.set_link(format!("https://example.org/#{link}")));
    page.act(TimeState::open_link);
    assert_eq!(page.rest(1_000), [(format!("time={link}"), true)]);
    page.act(|state| state.travel(To::Event(7)));
    let there = format!("time={link}@7");
    assert_eq!(page.rest(2_000), [(there.clone(), false)]);
    // Back to the list, and on.
    assert!(!page.state.address(""));
    assert_eq!(page.state.view().stage, TimeStage::Shelf);
    let mut fresh = Page::new();
    for page in [&mut page, &mut fresh] {
        assert!(page.state.address(&there));
        page.settle();
        let view = page.state.view();
        assert_eq!((view.stage, view.controls.value), (TimeStage::Open, 7));
        assert_eq!(page.rest(9_000), [], "the address stays");
    }
    // A link is a link: its dialog is the page's.
    assert!(!fresh.state.address(&link));
    let mut bad = Page::new();
    assert!(bad.state.address("time=s=AAAA@7"));
    bad.settle();
    assert!(matches!(bad.state.view().stage, TimeStage::Refused(_)));
    assert_eq!(bad.rest(1_000), [(String::new(), false)], "nobody comes here by it again");
}

#[test]
fn what_a_step_found_and_what_a_seed_does_are_told_in_the_language_of_the_page() {
    let has_chinese = |text: &str| text.chars().any(|it| ('\u{4e00}'..='\u{9fff}').contains(&it));
    let mut page = Page::new();
    page.state.speak(Language::Chinese);
    let text = "script: 2\ncluster: members=3\nkill leader\nexpect term is 99\nslow-disk infra1 50ms\n\
                wait term 99 within 1s\n@2 get b --endpoints=127.0.0.1:1\nwait 20s\n";
    page.act(|state| state.open_script(text.to_owned()));
    let view = page.act(|state| state.travel(To::End));
    let faults = &view.lanes[0].cuts;
    assert!(!faults.is_empty() && faults.iter().all(|it| has_chinese(it)), "{faults:?}");
    let mut seen = Vec::new();
    for row in view.lanes[0].steps.iter() {
        let id = row.id;
        let view = page.act(|state| state.choose(0, id));
        let printed = &view.lanes[0].printed;
        seen.push(format!("{}{}", printed.output, printed.errors));
    }
    assert!(seen.len() == 6 && seen.iter().take(4).all(|it| has_chinese(it)), "{seen:?}");
    assert!(seen[5].ends_with("（退出码 1）\n"), "what ended beside a step: {seen:?}");
    assert!(seen[1].starts_with("不符合预期：term 为 "), "{seen:?}");
    page.act(|state| state.set_seed("7".to_owned()));
    page.act(TimeState::open_seed);
    let view = page.act(|state| state.travel(To::End));
    assert!(has_chinese(&view.plan), "{}", view.plan);
    let told = &view.lanes[0].happenings;
    assert!(told.iter().any(|it| it.words.contains("全部成员从磁盘重新启动")), "{told:?}");
}

#[test]
fn an_address_that_comes_first_waits_for_the_list() {
    let mut page = Page::default();
    assert!(page.state.address("time=error-99-compacted@3"));
    assert_eq!(page.state.view().stage, TimeStage::Shelf);
    page.settle();
    let view = page.state.view();
    assert_eq!((view.stage, view.controls.value), (TimeStage::Open, 3), "by its name");
    assert!(page.bar.is_empty());
}

#[test]
fn an_address_of_no_run_says_so_and_is_not_kept() {
    for hostile in ["time=lesson-99", "time=error-none", "time=%00", "time=lesson-4@x", "seed=-1"] {
        let mut page = Page::new();
        assert!(page.state.address(hostile), "{hostile}");
        page.settle();
        let view = page.state.view();
        assert_eq!(view.stage, TimeStage::Shelf, "{hostile}");
        assert!(view.shelf.told.starts_with("The address names"), "{hostile}: {:?}", view.shelf);
        assert_eq!(page.rest(1_000), [(String::new(), false)], "{hostile}");
        let view = page.act(|state| state.open_file(Folder::Lessons, LESSON.to_owned()));
        assert!(view.shelf.told.is_empty());
    }
}

#[test]
fn what_was_just_done_is_played() {
    let mut page = Page::new();
    let view = page.act(TimeState::open_session);
    assert!(
        view.stage == TimeStage::Shelf && view.shelf.told.contains("Nothing has been recorded")
    );
    page.lines = vec!["put a 1".to_owned(), "kill leader".to_owned()];
    let view = page.act(TimeState::open_session);
    assert_eq!((view.stage, view.title.as_str()), (TimeStage::Open, "What I just did"));
    let lines: Vec<_> = view.lanes[0].steps.iter().map(|it| it.line.as_str()).collect();
    assert_eq!(lines, ["put a 1", "kill leader"]);
    assert!(page.bar.is_empty(), "it has no address");
}

#[test]
fn a_thousand_events_a_second_come_in_few_pictures_and_the_lab_plays_few_runs() {
    let mut page = Page::new();
    page.act(|state| state.set_seed("7".to_owned()));
    page.act(TimeState::open_seed);
    page.act(|state| state.set_speed(Speed::Events(1_000)));
    page.act(|state| state.look(Millis(10_000)));
    page.act(TimeState::toggle_play);
    page.asked.clear();
    let mut values = Vec::new();
    for ms in (10_000..11_000).step_by(16) {
        page.act(|state| state.frame(Millis(ms)));
        values.push(page.state.view().controls.value);
    }
    let pictures = page.asked.len();
    assert!((8..=11).contains(&pictures), "{pictures}");
    assert_eq!(values.last(), Some(&900), "{values:?}");
    // What was kept ahead is what is there.
    let moment = |page: &mut Machine, to| match page.answer(TimeQuestion::Go { timeline: 0, to }) {
        TimeAnswer::Moment(moment) => *moment,
        other => panic!("{other:?}"),
    };
    let mut fresh = Machine::default();
    fresh.answer(TimeQuestion::Open(TimeSource::Seed(7)));
    fresh.answer(TimeQuestion::Go { timeline: 0, to: To::End });
    let direct = moment(&mut fresh, To::Event(900));
    assert_eq!(moment(&mut page.lab, To::Event(900)), direct);
    let lane = page.lane(0);
    assert!(lane.flights.len() <= 12 && lane.happenings.len() <= 12);
    page.act(TimeState::toggle_play);
    assert!(page.lane(0).happenings.len() > 12, "all of it, once it stands");
}

#[test]
fn the_end_of_a_play_is_told_and_so_is_a_pause() {
    let mut page = Page::with_lesson();
    page.act(|state| state.set_speed(Speed::Events(100)));
    page.act(|state| state.look(Millis(1_000)));
    page.act(TimeState::toggle_play);
    page.act(|state| state.frame(Millis(1_500)));
    page.act(|state| state.frame(Millis(1_600)));
    let view = page.act(TimeState::toggle_play);
    assert!(view.told.starts_with(&view.controls.place), "{} {}", view.told, view.controls.place);
    page.act(TimeState::toggle_play);
    for ms in (1_700..60_000).step_by(200) {
        page.act(|state| state.frame(Millis(ms)));
    }
    let view = page.state.view();
    assert!(!page.state.is_playing() && view.told.starts_with(&view.controls.place), "{view:?}");
    assert!(view.told.ends_with("The run has ended."), "{}", view.told);
}

#[test]
fn whoever_leads_follows_nobody() {
    let mut page = Page::with_lesson();
    let view = page.act(|state| state.travel(To::End));
    for row in &view.lanes[0].happenings {
        let own = row.words.split_once(" follows ");
        let is_own = own.is_some_and(|(who, whom)| whom.starts_with(&format!("{who} ")));
        assert!(!is_own, "{}", row.words);
    }
}
