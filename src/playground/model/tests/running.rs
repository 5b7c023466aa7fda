//! Long work: what is said of it, and that it can be ended.

use bytes::Bytes;

use super::*;
use crate::etcdctl::{FileAnswer, FileError, FileOrder};
use crate::playground::event::Brought;

impl Page {
    fn running(&mut self) -> String {
        self.model.console_view().running
    }

    fn restore(&mut self) -> u64 {
        self.run("etcdutl snapshot restore my.db --data-dir new");
        let order = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::File { call, order: FileOrder::Restore(_) } => Some(*call),
            _ => None,
        });
        order.unwrap()
    }

    fn cancels(&self, order: u64) -> bool {
        let is_it =
            |effect: &Effect| matches!(effect, Effect::CancelFile { call } if *call == order);
        self.effects.iter().any(is_it)
    }
}

#[test]
fn a_command_that_lasts_says_whom_it_waits_for_how_long_and_how_to_end_it() {
    let mut page = Page::open();
    page.run("get a");
    assert_eq!(page.running(), "waits for an answer of infra1");
    page.pass(900);
    assert_eq!(page.running(), "waits for an answer of infra1", "most are quick");
    page.model.take_changes();
    page.pass(400);
    assert!(page.model.take_changes().console);
    assert_eq!(page.running(), "waits for an answer of infra1 · 1 s");
    page.pass(3_000);
    assert_eq!(page.running(), "waits for an answer of infra1 · 4 s · Stop or Ctrl-C ends it");
    page.pass(61_000);
    page.event(Event::SetLanguage(Language::Chinese));
    assert_eq!(page.running(), "等待 infra1 答复 · 1 分 05 秒 · 按“停止”或 Ctrl-C 可结束");
    page.console(ConsoleEvent::Interrupt);
    assert_eq!(page.running(), "");
}

#[test]
fn watches_waits_and_programs_on_their_way_are_told_apart() {
    let mut page = Page::open();
    page.run("watch a");
    assert_eq!(page.running(), "listens to infra1");
    page.console(ConsoleEvent::Interrupt);
    page.run("wait 3s");
    assert!(page.running().starts_with("waits for "), "{}", page.running());
    page.console(ConsoleEvent::Interrupt);
    page.has_program = false;
    page.run("user list");
    assert_eq!(page.running(), EN.run_program);
}

#[test]
fn an_answer_in_pieces_says_how_much_of_it_has_come() {
    let mut page = Page::open();
    page.run("snapshot save my.db --endpoints=127.0.0.1:12379");
    let (call, ..) = page.request();
    let part = |blob: usize, remaining_bytes| {
        let blob = Bytes::from(vec![0; blob]);
        let part = api::SnapshotResponse { blob, remaining_bytes, ..Default::default() };
        News::ReplyPart { call, part: api::Response::Snapshot(part) }
    };
    page.news(part(65_536, 3 * 65_536));
    assert_eq!(page.running(), "waits for an answer of infra1 · 64 KiB of 256 KiB received");
    page.news(part(65_536, 2 * 65_536));
    assert!(page.running().ends_with("128 KiB of 256 KiB received"), "{}", page.running());
    page.console(ConsoleEvent::Interrupt);
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::Cancel { .. })));
}

#[test]
fn a_restore_that_was_ended_ends_its_worker_and_asks_nothing() {
    let mut page = Page::open();
    let call = page.restore();
    assert_eq!(page.running(), EN.run_restore);
    page.console(ConsoleEvent::Interrupt);
    assert!(page.cancels(call));
    assert!(!page.last_block().is_running);
    // What it had sent already is not heard.
    page.news(News::File { call, result: Ok(FileAnswer::Restored) });
    assert_eq!(page.model.frame_view().asks_change, None);
    // A restore that was not ended still asks.
    let call = page.restore();
    page.news(News::File { call, result: Ok(FileAnswer::Restored) });
    assert!(page.model.frame_view().asks_change.is_some() && !page.cancels(call));
}

#[test]
fn a_command_that_asks_for_a_file_does_not_say_that_it_works() {
    let mut page = Page::open();
    let call = page.restore();
    page.news(News::File { call, result: Err(FileError::Missing) });
    page.pass(5_000);
    assert_eq!(page.running(), "Where is my.db?");
    page.event(Event::AnswerFile(Brought::File(Bytes::from_static(b"db"))));
    page.pass(100);
    assert!(page.running().starts_with(EN.run_restore), "{}", page.running());
}

#[test]
fn a_program_for_files_that_is_not_there_or_stops_is_told_in_the_pages_language() {
    for (answer, words) in [
        (LabAnswer::NotLoaded("404".to_owned()), "无法加载执行此命令的程序（404）"),
        (LabAnswer::Stopped("trap".to_owned()), "意外停止（trap）"),
    ] {
        let mut page = Page::open();
        page.event(Event::SetLanguage(Language::Chinese));
        let call = page.restore();
        page.news(News::FileFailed { call, answer });
        assert!(page.text().contains(words), "{}", page.text());
        assert!(!page.last_block().is_running);
    }
}

#[test]
fn a_file_that_finds_no_room_is_not_called_missing() {
    let mut page = Page::open();
    let call = page.restore();
    page.news(News::File { call, result: Err(FileError::Full) });
    assert!(page.text().contains("no space left"), "{}", page.text());
    let call = page.restore();
    page.news(News::File { call, result: Err(FileError::Missing) });
    page.event(Event::AnswerFile(Brought::TooLarge));
    assert!(page.text().contains("no space left"), "{}", page.text());
    assert!(!page.last_block().is_running);
}

#[test]
fn an_opening_that_lasts_is_told_with_its_time() {
    let mut page = Page::empty();
    page.start("", &[]);
    page.pass(1_900);
    assert_eq!(page.model.frame_view().banner, None, "most are quick");
    page.pass(1_200);
    assert!(page.model.take_changes().frame);
    let banner = page.model.frame_view().banner.unwrap();
    assert_eq!(banner.text, "The cluster is being opened, for 3 s now.");
    assert!(!banner.is_trouble);
    page.news(opened(3));
    assert_eq!(page.model.frame_view().banner, None);
    page.event(Event::AskNewCluster(3));
    page.event(Event::AnswerNewCluster(true));
    page.pass(2_500);
    assert!(page.model.frame_view().banner.is_some(), "a new one is told, too");
}
