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
    Ask, Folder, Listed, Moves, Speed, StepRow, TimeStage, TimeState, TimeView, TimeWanted,
    TimelineView, To,
};
use etcd_playground::playground::strings::Language;
use etcd_playground::scenario::moment::TimeQuestion;
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
            _ => {}
        }
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
        self.lane(0).steps.iter().find(|step| step.line == line).unwrap().number
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
        page.lane(0).steps.iter().find(|step| step.is_current).map(|step| step.line.clone())
    };
    // A verb takes no time: the next step has begun, too.
    assert_eq!(current(&page).as_deref(), Some("put /app/gap 1"));
    assert!(page.lane(0).steps.iter().any(|it| it.line == "kill leader" && it.is_here));
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
    let own = view.lanes[0].steps.last().unwrap();
    assert!(own.line.contains("put a b") && own.output == "OK\n", "{own:?}");
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
    assert!(!view.plan.is_empty() && !view.controls.has_steps);
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
        said.len() > 5 && said.iter().all(|it| it.contains("\"$") || has_chinese(it)),
        "{said:?}"
    );
    // Whose language a hint is in goes without saying.
    let hints: Vec<_> = lane.steps.iter().filter(|it| it.line.starts_with("hint ")).collect();
    assert!(hints.len() > 2 && hints.iter().all(|it| has_chinese(&it.line)), "{hints:?}");
    assert!(lane.members.iter().all(|it| it.numbers.is_empty() || has_chinese(&it.numbers)));
    // What a verb did is said as consoles say it.
    let events = lane.happenings.iter().filter(|it| it.words != "infra3 was killed");
    assert!(events.clone().all(|it| has_chinese(&it.words)), "{:?}", lane.happenings);
    page.state.speak(Language::English);
    let lane = page.lane(0);
    let words = |step: &StepRow| format!("{} {:?}", step.line, step.prose);
    assert!(!lane.steps.iter().any(|step| has_chinese(&words(step))), "{:?}", lane.steps);
}
