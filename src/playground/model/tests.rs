//! Flows of the page with a browser played by hand.

mod errors;
mod faults;
mod held;
mod language;
mod lesson;
mod look;
mod lower;
mod running;
mod scenario;
mod shell;
mod typed;
mod why;

use std::cell::RefCell;

use super::*;
use crate::etcdctl::away::{Host, Program};
use crate::playground::cluster::tests::{opened, status};
use crate::playground::console::BlockView;
use crate::playground::edge::{LabAnswer, News};
use crate::playground::strings::ZH;
use crate::playground::view::StageView;
use crate::scenario::{Question, Report, answer};
use crate::types::{LeaseId, Term};
use crate::wire::{self, DownReason};

/// The page, and what it has asked for so far.
struct Page {
    model: Model,
    effects: Vec<Effect>,
    now: u64,
    /// What the browser says its user reads.
    languages: Vec<&'static str>,
    /// The texts of Chinese come as soon as they are asked for.
    has_chinese: bool,
    /// So does the program of rare commands.
    has_program: bool,
}

impl Page {
    fn empty() -> Self {
        Self {
            model: Model::default(),
            effects: Vec::new(),
            now: 0,
            languages: vec!["en-US"],
            has_chinese: true,
            has_program: true,
        }
    }

    /// Three members, infra1 leads term 2.
    fn open() -> Self {
        let mut page = Self::empty();
        page.start("", &[]);
        page.news(opened(3));
        for id in 1..=3 {
            page.news(News::MemberUp(MemberId(id)));
            page.news(News::Status(status(id, 1, 2)));
        }
        page
    }

    fn start(&mut self, fragment: &str, remembered: &[(&str, &str)]) {
        let remembered = remembered
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let fragment = fragment.to_owned();
        let languages = self.languages.iter().map(|tag| (*tag).to_owned()).collect();
        self.news(News::Started { now: Millis(0), fragment, remembered, languages, seed: 7 });
    }

    fn event(&mut self, event: Event) {
        let effects = self.model.update(event);
        let fetches = effects.iter().any(|effect| matches!(effect, Effect::FetchTexts(_)));
        let loads = effects.iter().any(|effect| matches!(effect, Effect::LoadProgram));
        self.effects.extend(effects);
        if loads && self.has_program {
            self.load_program();
        }
        if fetches && self.has_chinese {
            self.news(News::Texts(Ok(ZH.texts())));
        }
    }

    /// The program of rare commands comes, and is asked as in a browser: in bytes.
    fn load_program(&mut self) {
        let host = RefCell::new(Host::default());
        let program = Program::new(move |message| {
            let message = wire::decode(&wire::encode(message).unwrap()).unwrap();
            let turn = host.borrow_mut().take(message);
            Ok(wire::decode(&wire::encode(&turn).unwrap()).unwrap())
        });
        self.news(News::ProgramLoaded(Ok(program)));
    }

    fn news(&mut self, news: News) {
        self.event(Event::News(news));
    }

    fn pass(&mut self, ms: u64) {
        self.now += ms;
        self.news(News::Now(Millis(self.now)));
    }

    fn console(&mut self, event: ConsoleEvent) {
        self.event(Event::Console(event));
    }

    fn run(&mut self, line: &str) {
        self.console(ConsoleEvent::Typed(line.to_owned()));
        self.console(ConsoleEvent::Submit);
    }

    fn last_block(&mut self) -> BlockView {
        (**self.model.console_view().blocks.last().unwrap()).clone()
    }

    fn text(&mut self) -> String {
        self.last_block().pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// The newest request made, with its number and member.
    fn request(&self) -> (u64, MemberId, api::Request) {
        let found = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Request { call, member, request, .. } => {
                Some((*call, *member, request.clone()))
            }
            _ => None,
        });
        found.unwrap()
    }

    fn requests(&self) -> usize {
        self.effects.iter().filter(|effect| matches!(effect, Effect::Request { .. })).count()
    }

    fn answer_put(&mut self, revision: i64) {
        let (call, ..) = self.request();
        let header = api::ResponseHeader { revision, ..Default::default() };
        let response = api::Response::Put(api::PutResponse { header, prev_kv: None });
        self.news(News::Reply { call, result: Ok(response) });
    }

    /// Lets the lab answer what it is asked, until it is asked nothing more; every run gives this report.
    fn answer_lab(&mut self, report: &Report) {
        let mut heard = 0;
        loop {
            let asked = self.effects.iter().rev().find_map(|effect| match effect {
                Effect::AskLab { call, question } => Some((*call, question.clone())),
                _ => None,
            });
            let Some((call, question)) = asked.filter(|(call, _)| *call != heard) else { return };
            heard = call;
            let answer = match answer(question, |_| report.clone()) {
                Ok(sheet) => LabAnswer::Sheet(Box::new(sheet)),
                Err(why) => LabAnswer::Refused(why),
            };
            self.news(News::Lab { call, answer });
        }
    }

    fn remembered(&self, name: &str) -> Option<&str> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Remember { name: found, text } if *found == name => Some(text.as_str()),
            _ => None,
        })
    }
}

#[test]
fn a_put_goes_to_the_first_endpoint_and_prints_what_etcd_prints() {
    let mut page = Page::open();
    page.run("put foo bar");
    let (_, member, request) = page.request();
    assert_eq!(member, MemberId(1));
    assert!(matches!(request, api::Request::Put(put) if put.value == "bar"));
    assert!(page.last_block().is_running);
    page.answer_put(2);
    assert_eq!(page.text(), "OK\n");
    assert!(!page.last_block().is_running);
    assert_eq!(page.last_block().failure, None);
}

#[test]
fn an_error_shows_etcds_text_on_standard_error_and_the_exit_status() {
    let mut page = Page::open();
    page.run("put foo bar");
    let (call, ..) = page.request();
    page.news(News::Reply { call, result: Err(api::Error::NoSpace) });
    let block = page.last_block();
    assert_eq!(block.failure, Some(1));
    let errors: String = block
        .pieces
        .iter()
        .filter(|piece| piece.stream == Stream::Err)
        .map(|piece| piece.text.as_str())
        .collect();
    assert!(errors.contains("etcdserver: mvcc: database space exceeded"), "{errors}");
}

#[test]
fn a_request_to_a_member_that_is_down_goes_to_the_next_endpoint() {
    let mut page = Page::open();
    page.news(News::MemberDown { member: MemberId(1), reason: DownReason::Killed });
    page.run("put foo bar");
    assert_eq!(page.request().1, MemberId(2));
}

#[test]
fn an_endpoint_that_nobody_serves_fails_and_changes_nothing() {
    let mut page = Page::open();
    page.run("get foo --endpoints=127.0.0.1:9 --command-timeout=1s");
    let before = page.requests();
    for timer in 1..=40 {
        page.pass(1000);
        page.news(News::Timer(timer));
    }
    assert_eq!(page.requests(), before);
    assert!(page.last_block().failure.is_some(), "{}", page.text());
}

#[test]
fn unknown_commands_and_open_quotes_are_refused_before_anything_is_sent() {
    for line in ["frobnicate", "put 'foo", "get foo --bogus", "put"] {
        let mut page = Page::open();
        let before = page.requests();
        page.run(line);
        page.console(ConsoleEvent::EndOfInput);
        assert_eq!(page.requests(), before, "{line}");
        let block = page.last_block();
        assert!(!block.is_running, "{line}");
        assert!(block.failure.is_some(), "{line}: {}", page.text());
    }
}

#[test]
fn output_that_tries_to_control_the_screen_is_shown_escaped() {
    let mut page = Page::open();
    page.run("get foo");
    let (call, ..) = page.request();
    let kv = api::KeyValue {
        key: "foo".into(),
        value: bytes::Bytes::from_static(b"\x1b[2J<img src=x>\xe2\x80\xae\xff"),
        ..Default::default()
    };
    let range = api::RangeResponse { kvs: vec![kv], count: 1, ..Default::default() };
    page.news(News::Reply { call, result: Ok(api::Response::Range(range)) });
    assert_eq!(page.text(), "foo\n\\x1b[2J<img src=x>\\u{202e}\\xff\n");
}

#[test]
fn a_watch_streams_into_its_own_tab_until_ctrl_c() {
    let mut page = Page::open();
    page.console(ConsoleEvent::OpenTab);
    page.run("watch foo");
    let stream = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::Watch { call, request: api::WatchRequest::Create(create), .. }
            if create.key == "foo" =>
        {
            Some(*call)
        }
        _ => None,
    });
    let call = stream.unwrap();
    page.news(News::Watch {
        call,
        response: api::WatchResponse { created: true, ..Default::default() },
    });
    page.console(ConsoleEvent::SelectTab(1));
    let kv = api::KeyValue { key: "foo".into(), value: "v1".into(), ..Default::default() };
    let event = api::Event { kv, ..Default::default() };
    page.news(News::Watch {
        call,
        response: api::WatchResponse { events: vec![event], ..Default::default() },
    });
    let view = page.model.console_view();
    assert!(view.tabs[1].has_news);
    assert_eq!(view.tabs[1].running, "watch foo");
    page.console(ConsoleEvent::SelectTab(2));
    assert_eq!(page.text(), "PUT\nfoo\nv1\n");
    page.console(ConsoleEvent::Interrupt);
    assert!(!page.model.console_view().is_running);
    assert!(page.text().ends_with("^C\n"));
    assert!(
        page.effects
            .iter()
            .any(|effect| matches!(effect, Effect::Cancel { call: own, .. } if *own == call))
    );
}

#[test]
fn kill_leader_kills_the_leader_and_the_log_tells_what_followed_and_when() {
    let mut page = Page::open();
    page.pass(5000);
    page.run("kill leader");
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::Kill(MemberId(1)))));
    assert_eq!(page.text(), "infra1 is being killed.\n");
    page.pass(40);
    page.news(News::MemberDown { member: MemberId(1), reason: DownReason::Killed });
    assert!(!page.model.frame_view().has_leader);
    page.pass(1200);
    let events = vec![
        api::MemberEvent::CampaignStarted { term: Term(3) },
        api::MemberEvent::BecameLeader { term: Term(3) },
    ];
    page.news(News::MemberEvents { member: MemberId(2), events });
    let log = page.model.log_view();
    assert_eq!(log.aloud, "infra2 became leader at term 3, 1.2 s after infra1 was killed.");
    assert_eq!(log.lines[0].time, "0:06.2");
    assert_eq!(log.elections, "1 election held");
    assert_eq!(page.model.frame_view().leader, "infra2");
    page.run("restart killed");
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::Restart(MemberId(1)))));
}

#[test]
fn verbs_with_wrong_targets_are_refused_in_words() {
    let mut page = Page::open();
    page.run("kill infra9");
    assert!(page.text().contains("infra9"), "{}", page.text());
    assert_eq!(page.last_block().failure, Some(1));
    page.run("heal");
    assert_eq!(page.text(), "No link is cut or disturbed.\n");
    assert!(!page.effects.iter().any(|effect| matches!(effect, Effect::Kill(_))));
}

#[test]
fn wait_ends_when_its_condition_holds() {
    let mut page = Page::open();
    page.run("wait leader");
    assert!(page.text().starts_with("There it is"));
    page.run("wait term 3");
    assert!(page.last_block().is_running);
    page.news(News::Status(status(2, 2, 3)));
    assert!(!page.last_block().is_running);
    page.run("wait term 9");
    let timer = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::SetTimer { timer, .. } => Some(*timer),
        _ => None,
    });
    page.news(News::Timer(timer.unwrap()));
    assert_eq!(page.last_block().failure, Some(1));
}

#[test]
fn pasted_lines_ask_first_and_run_one_after_another() {
    let mut page = Page::open();
    page.console(ConsoleEvent::Pasted("put a 1\n\n# a comment\n$ put b 2\n".to_owned()));
    assert_eq!(page.model.console_view().paste.map(|lines| lines.len()), Some(2));
    assert_eq!(page.requests(), 0);
    page.console(ConsoleEvent::AnswerPaste(true));
    assert_eq!(page.requests(), 1);
    page.answer_put(2);
    assert_eq!(page.requests(), 2);
    page.console(ConsoleEvent::Pasted("put c 3\nput d 4".to_owned()));
    page.console(ConsoleEvent::AnswerPaste(false));
    page.answer_put(3);
    assert_eq!(page.requests(), 2);
}

#[test]
fn a_pasted_transaction_is_read_by_the_command_and_the_lines_after_it_are_not() {
    let mut page = Page::open();
    let pasted = "txn\n\nput a 'x y'\n\n\nput b 2";
    page.console(ConsoleEvent::Pasted(pasted.to_owned()));
    assert_eq!(page.requests(), 0);
    page.console(ConsoleEvent::AnswerPaste(true));
    assert_eq!(page.requests(), 1, "the next command waits for the answer");
    let (call, _, request) = page.request();
    let api::Request::Txn(txn) = request else { panic!("{request:?}") };
    assert_eq!((txn.compare.len(), txn.success.len(), txn.failure.len()), (0, 1, 0));
    let response = api::TxnResponse { succeeded: true, ..api::TxnResponse::default() };
    page.news(News::Reply { call, result: Ok(api::Response::Txn(response)) });
    assert_eq!(page.requests(), 2);
    assert!(matches!(page.request().2, api::Request::Put(_)));
}

#[test]
fn values_come_from_typed_lines_here_documents_and_echo() {
    let mut page = Page::open();
    let mut value = |lines: &[&str]| {
        for line in lines {
            page.run(line);
        }
        let api::Request::Put(put) = page.request().2 else { panic!("no put") };
        page.answer_put(2);
        put.value
    };
    assert_eq!(value(&["put k <<EOF", "a", "", "EOF"]), "a\n\n");
    assert_eq!(value(&["echo v | etcdctl put k"]), "v\n");
    assert_eq!(value(&["get_nothing; put k v"]), "v");
    page.run("put k");
    page.run("typed");
    page.console(ConsoleEvent::EndOfInput);
    let api::Request::Put(put) = page.request().2 else { panic!("no put") };
    assert_eq!(put.value, "typed\n");
}

#[test]
fn lines_are_remembered_across_reloads_and_recalled_with_the_arrow() {
    let mut page = Page::open();
    page.run("put foo bar");
    let text = page.remembered(crate::playground::console::HISTORY_NAME).unwrap().to_owned();
    let mut again = Page::empty();
    again.start("", &[("console-history", &text), ("theme", "dark"), ("tutorial-shown", "no")]);
    again.console(ConsoleEvent::Older);
    assert_eq!(again.model.console_view().draft, "put foo bar");
    assert_eq!(again.model.frame_view().theme, Theme::Dark);
    assert!(!again.model.frame_view().has_tutorial);
}

#[test]
fn a_watch_goes_to_the_next_member_when_its_own_goes_away_and_ends_without_a_leader() {
    let watches = |page: &Page| -> Vec<(u64, MemberId)> {
        let to = |effect: &Effect| match effect {
            Effect::Watch { call, member, .. } => Some((*call, *member)),
            _ => None,
        };
        page.effects.iter().filter_map(to).collect()
    };
    let mut page = Page::open();
    let before = watches(&page).len();
    page.run("watch k");
    let (call, first) = watches(&page)[before];
    let reason = DownReason::Killed;
    page.news(News::MemberDown { member: first, reason });
    page.news(News::CallFailed { call, was_sent: true });
    let (_, second) = *watches(&page).last().unwrap();
    assert_ne!(second, first, "it did not go on at another member");
    page.console(ConsoleEvent::Interrupt);

    // One that begins while its first endpoint is down goes to the next one at once.
    page.run("watch k");
    let (call, member) = *watches(&page).last().unwrap();
    assert_eq!(member, second);
    page.news(News::StreamEnded { call, error: api::Error::NoLeader });
    assert!(page.text().contains("watch was canceled (etcdserver: no leader)"), "{}", page.text());
    assert!(!page.last_block().is_running);
}

#[test]
fn a_line_that_is_too_long_is_refused_and_not_shown_whole() {
    let mut page = Page::open();
    page.run(&format!("put k {}", "x".repeat(100_000)));
    assert!(page.text().contains("longer than 64 KiB"), "{}", page.text());
    assert!(page.last_block().line.len() < 1000);
    assert_eq!(page.requests(), 0);
}

#[test]
fn the_page_is_ready_when_a_leader_is_known() {
    let mut page = Page::empty();
    page.start("", &[]);
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::OpenCluster(_))));
    page.news(opened(3));
    assert!(!page.model.frame_view().is_ready);
    page.run("get a");
    assert_eq!(page.requests(), 0);
    page.news(News::MemberUp(MemberId(1)));
    page.news(News::Status(status(1, 1, 2)));
    assert!(page.model.frame_view().is_ready);
    assert_eq!(page.model.frame_view().term, 2);
}

#[test]
fn lines_of_a_former_cluster_are_set_apart() {
    let mut page = Page::open();
    assert!(page.model.console_view().blocks.is_empty(), "there are none yet");
    page.run("version");
    page.news(opened(3));
    let blocks = page.model.console_view().blocks;
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[1].line, "# A new cluster of 3 members was made.");
    assert!(!blocks[1].is_running && blocks[1].pieces.is_empty());
    // It is no line that somebody typed.
    page.console(ConsoleEvent::Older);
    assert_eq!(page.model.console_view().draft, "version");
}

#[test]
fn a_new_cluster_asks_before_it_throws_the_old_one_away() {
    let mut page = Page::open();
    page.event(Event::AskNewCluster(5));
    assert_eq!(page.model.frame_view().asks_new, Some(5));
    page.event(Event::AnswerNewCluster(false));
    assert!(!page.effects.iter().any(|effect| matches!(effect, Effect::NewCluster(_))));
    page.event(Event::AskNewCluster(4));
    page.event(Event::AnswerNewCluster(true));
    page.event(Event::AskNewCluster(5));
    page.event(Event::AnswerNewCluster(true));
    let made: Vec<u32> = page
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::NewCluster(spec) => Some(spec.members),
            _ => None,
        })
        .collect();
    assert_eq!(made, [5]);
    assert!(!page.model.frame_view().is_ready);
}

#[test]
fn a_variable_stands_for_the_endpoint_of_its_member() {
    let mut page = Page::open();
    page.run("isolate leader");
    page.run("put a lost --endpoints=$ISOLATED");
    assert_eq!(page.request().1, MemberId(1));
    assert_eq!(page.last_block().line, "put a lost --endpoints=$ISOLATED");
}

#[test]
fn a_variable_stands_for_the_lease_that_was_granted_last() {
    let mut page = Page::open();
    page.run("lease grant 20");
    let (call, ..) = page.request();
    let granted = api::LeaseGrantResponse { id: LeaseId(0x2a), ttl: 20, ..Default::default() };
    page.news(News::Reply { call, result: Ok(api::Response::LeaseGrant(granted)) });
    page.run("put a b --lease=$LEASE");
    let (_, _, request) = page.request();
    let api::Request::Put(put) = request else { panic!("{request:?}") };
    assert_eq!(put.lease, LeaseId(0x2a));
}

#[test]
fn what_was_done_is_shared_and_a_link_leaves_the_saved_cluster_alone() {
    let mut page = Page::open();
    page.run("put foo bar");
    page.answer_put(2);
    page.run("get foo --bogus");
    page.event(Event::Act(Action::Kill(MemberId(1))));
    page.event(Event::Share(ShareEvent::Open));
    page.answer_lab(&Report { outcome: 5 << 48, ..Report::default() });
    let played = page.effects.iter().find_map(|effect| match effect {
        Effect::AskLab { question: Question::Play { script, .. }, .. } => Some(script.as_str()),
        _ => None,
    });
    let script = played.unwrap();
    assert!(script.contains("\nput foo bar\nget foo --bogus\nkill leader\n"), "{script}");
    let fragment = page.model.share_view().unwrap().link.unwrap().unwrap();

    let mut other = Page::empty();
    other.start(&fragment, &[]);
    other.answer_lab(&Report::default());
    let [Effect::AskLab { question: Question::Open { .. }, .. }] = other.effects.as_slice() else {
        panic!("more was done than reading the link: {:?}", other.effects);
    };
    let view = other.model.share_view().unwrap();
    assert!(view.is_link && view.stage == StageView::Shown);
    assert_eq!(view.steps[0].line, "put foo bar");
    other.event(Event::Share(ShareEvent::Replay));
    assert!(matches!(
        other.effects.as_slice(),
        [_, Effect::AskLab { question: Question::Play { is_own: false, .. }, .. }]
    ));
    other.event(Event::Share(ShareEvent::Close));
    assert!(other.effects.iter().any(|effect| matches!(effect, Effect::EndLab)));
    assert!(other.effects.iter().any(|effect| matches!(effect, Effect::OpenCluster(_))));
}

#[test]
fn a_broken_link_is_told_and_nothing_is_opened_until_it_is_closed() {
    let mut page = Page::empty();
    page.start("s=%%%", &[]);
    let before = page.model.share_view().unwrap();
    assert!(before.is_link && before.stage == StageView::Loading && before.steps.is_empty());
    page.answer_lab(&Report::default());
    let told = page.model.frame_view().broken_link.unwrap();
    assert!(told.contains("damaged at character 1"), "{told}");
    assert!(page.model.share_view().is_none());
    assert_eq!(page.effects.len(), 1, "the lab was asked: {:?}", page.effects);
    page.event(Event::Share(ShareEvent::Close));
    assert!(page.model.frame_view().broken_link.is_none());
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::OpenCluster(_))));
}

#[test]
fn a_dialog_that_is_closed_while_the_lab_loads_ends_it_and_a_late_answer_opens_nothing() {
    let mut page = Page::open();
    page.run("get a");
    page.event(Event::Share(ShareEvent::Open));
    let Some(Effect::AskLab { call, question }) = page.effects.last().cloned() else {
        panic!("the lab was not asked");
    };
    page.event(Event::Share(ShareEvent::Close));
    assert!(matches!(page.effects.last(), Some(Effect::EndLab)));
    let sheet = Box::new(answer(question, |_| Report::default()).unwrap());
    page.news(News::Lab { call, answer: LabAnswer::Sheet(sheet) });
    assert!(page.model.share_view().is_none());
    assert!(matches!(page.effects.last(), Some(Effect::EndLab)));
}

#[test]
fn a_cluster_in_memory_does_not_overwrite_what_the_saved_one_remembers() {
    let mut page = Page::empty();
    page.start("", &[]);
    page.news(News::OwnedElsewhere);
    let News::ClusterOpened { spec, members, .. } = opened(3) else { panic!("not opened") };
    page.news(News::ClusterOpened {
        spec,
        members,
        mode: PersistenceMode::Memory,
        mode_reason: None,
        is_resumed: false,
    });
    page.news(News::MemberUp(MemberId(1)));
    page.run("put foo bar");
    assert_eq!(page.remembered(RECORD_NAME), None);
    assert!(page.model.frame_view().banner.is_some());
}

fn member_added(id: u64, number: u32) -> api::Response {
    let peer_urls = vec![format!("http://127.0.0.1:{number}2380")];
    let member = api::Member { id: MemberId(id), peer_urls, ..api::Member::default() };
    api::Response::MemberAdd(api::MemberAddResponse { member, ..Default::default() })
}

#[test]
fn an_added_member_gets_a_place_a_card_and_a_start() {
    let mut page = Page::open();
    page.event(Event::Act(Action::Isolate(MemberId(3))));
    page.event(Event::Act(Action::Change(Change::Add)));
    let (call, member, request) = page.request();
    assert_eq!(member, MemberId(1), "the leader is asked");
    assert!(matches!(request, api::Request::MemberAdd(_)));
    let before = page.effects.len();
    page.news(News::Reply { call, result: Ok(member_added(9, 4)) });
    let done = &page.effects[before..];
    let is = |wanted: fn(&Effect) -> bool| done.iter().position(wanted).unwrap();
    let place = is(|effect| matches!(effect, Effect::Admit(new) if new.name == "infra4"));
    let start = is(|effect| matches!(effect, Effect::Restart(MemberId(9))));
    assert!(place < start);
    let links = is(|effect| matches!(effect, Effect::SetLinks(_)));
    let Effect::SetLinks(links) = &done[links] else { panic!("no links") };
    assert!(!links.is_open(MemberId(3), MemberId(9)), "who is isolated stays so");
    let names: Vec<String> =
        page.model.cluster_view().cards.iter().map(|card| card.name.clone()).collect();
    assert_eq!(names, ["infra1", "infra2", "infra3", "infra4"]);
}

#[test]
fn a_removal_is_asked_first_and_a_removed_member_is_retired_once() {
    let mut page = Page::open();
    page.event(Event::Act(Action::Change(Change::Remove(MemberId(2)))));
    assert_eq!(page.requests(), 0);
    assert!(page.model.frame_view().asks_change.is_some());
    page.event(Event::AnswerChange(false));
    assert_eq!(page.requests(), 0);
    page.event(Event::Act(Action::Change(Change::Remove(MemberId(2)))));
    page.event(Event::AnswerChange(true));
    let (call, ..) = page.request();
    let removed = api::Response::MemberRemove(api::MemberRemoveResponse::default());
    page.news(News::Reply { call, result: Ok(removed) });
    let reason = DownReason::Removed;
    page.news(News::MemberDown { member: MemberId(2), reason: reason.clone() });
    page.news(News::MemberDown { member: MemberId(2), reason });
    let retired = page.effects.iter().filter(|effect| matches!(effect, Effect::Retire(_))).count();
    assert_eq!(retired, 1);
    let lines = page.model.log_view().lines;
    let told = lines.iter().filter(|line| line.sentence.contains("infra2 was removed")).count();
    assert_eq!(told, 2, "when it was removed, and when it stopped");
    let card = page.model.cluster_view().cards[1].clone();
    assert!(card.is_removed && !card.buttons[0].is_enabled);
    assert_eq!(card.offers[0].id, "delete");
    page.event(Event::Act(Action::Change(Change::Delete(MemberId(2)))));
    page.event(Event::AnswerChange(true));
    assert_eq!(page.model.cluster_view().cards.len(), 2);

    // A member that has not heard of the removal yet still lists it.
    let events = vec![api::MemberEvent::ConfChanged { voters: Vec::new(), learners: Vec::new() }];
    page.news(News::MemberEvents { member: MemberId(1), events });
    let (call, _, request) = page.request();
    assert!(matches!(request, api::Request::MemberList(_)));
    let members = (1..=3).map(|id| api::Member { id: MemberId(id), ..Default::default() });
    let list = api::MemberListResponse { members: members.collect(), ..Default::default() };
    page.news(News::Reply { call, result: Ok(api::Response::MemberList(list)) });
    assert_eq!(page.model.cluster_view().cards.len(), 2);
}

#[test]
fn buttons_do_nothing_once_another_tab_has_the_members() {
    let mut page = Page::open();
    page.news(News::TakenOver);
    let before = page.effects.len();
    page.event(Event::Act(Action::Kill(MemberId(1))));
    page.event(Event::Act(Action::Change(Change::Add)));
    assert_eq!(page.effects.len(), before);
    assert!(page.model.frame_view().asks_change.is_none());
    page.news(News::MemberDown { member: MemberId(1), reason: DownReason::Killed });
    let view = page.model.cluster_view();
    assert!(view.faults.is_elsewhere && view.cards.iter().all(|card| card.waits.is_empty()));
    for card in view.cards {
        let all = card.buttons.iter().chain(&card.offers).chain(&card.rare);
        let enabled: Vec<&str> = all.filter(|it| it.is_enabled).map(|it| it.id).collect();
        assert!(enabled.is_empty(), "{enabled:?}");
    }
}

#[test]
fn what_the_cluster_says_of_its_members_corrects_the_picture() {
    let mut page = Page::open();
    let voters = vec![MemberId(1), MemberId(3), MemberId(9)];
    let events = vec![api::MemberEvent::ConfChanged { voters, learners: Vec::new() }];
    page.news(News::MemberEvents { member: MemberId(1), events });
    let (call, _, request) = page.request();
    assert!(matches!(request, api::Request::MemberList(_)));
    let member = |id, number: u32| api::Member {
        id: MemberId(id),
        peer_urls: vec![format!("http://127.0.0.1:{number}2380")],
        ..api::Member::default()
    };
    let members = vec![member(1, 1), member(3, 3), member(9, 5)];
    let list = api::MemberListResponse { members, ..Default::default() };
    page.news(News::Reply { call, result: Ok(api::Response::MemberList(list)) });
    let view = page.model.cluster_view();
    let names: Vec<(&str, bool)> =
        view.cards.iter().map(|card| (card.name.as_str(), card.is_removed)).collect();
    assert_eq!(names, [("infra1", false), ("infra2", true), ("infra3", false), ("infra5", false)]);
    assert_eq!(view.cards[3].buttons[0].label, EN.action_start);
    assert!(!page.effects.iter().any(|effect| matches!(effect, Effect::Restart(_))));
}

#[test]
fn one_member_of_a_lost_majority_can_go_on_alone_after_a_yes() {
    let mut page = Page::open();
    for id in [1, 2] {
        let reason = DownReason::Killed;
        page.news(News::MemberDown { member: MemberId(id), reason });
    }
    let rare = page.model.cluster_view().cards[2].rare.clone();
    assert!(rare.iter().any(|button| button.id == "force-new"), "{rare:?}");
    page.event(Event::Act(Action::Change(Change::ForceNew(MemberId(3)))));
    page.event(Event::AnswerChange(true));
    let is_forced = |effect: &Effect| matches!(effect, Effect::ForceNewCluster(MemberId(3)));
    assert!(page.effects.iter().any(is_forced));
    let view = page.model.cluster_view();
    assert!(view.cards[0].is_removed && view.cards[1].is_removed && !view.cards[2].is_removed);
}
