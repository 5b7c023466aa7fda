//! The console as a shell: completions, history, passwords, pasting.

use bytes::Bytes;

use super::*;
use crate::etcdctl::{FileAnswer, FileError, FileOrder};
use crate::playground::console::MenuView;
use crate::playground::event::Brought;
use crate::types::LeaseId;

impl Page {
    fn write(&mut self, text: &str) {
        self.console(ConsoleEvent::Typed(text.to_owned()));
    }

    fn draft(&mut self) -> String {
        self.model.console_view().draft
    }

    fn menu(&mut self) -> Option<MenuView> {
        self.model.console_view().menu
    }

    fn choices(&mut self) -> Vec<String> {
        let menu = self.menu().expect("a list is open");
        menu.choices.into_iter().map(|choice| choice.text).collect()
    }

    fn ran(&mut self) -> Vec<String> {
        let view = self.model.console_view();
        view.blocks.iter().map(|block| block.line.clone()).collect()
    }
}

#[test]
fn tab_lists_what_may_follow_and_enter_takes_the_chosen_one_without_running_it() {
    let mut page = Page::open();
    page.write("member remove ");
    page.console(ConsoleEvent::Complete { after: 0 });
    assert_eq!(page.choices(), ["1", "2", "3"]);
    assert_eq!(page.menu().unwrap().chosen, None);
    page.console(ConsoleEvent::Complete { after: 0 });
    page.console(ConsoleEvent::Newer);
    assert_eq!(page.menu().unwrap().chosen, Some(1));
    page.console(ConsoleEvent::Submit);
    assert_eq!(page.draft(), "member remove 2 ");
    assert!(page.menu().is_none() && page.ran().is_empty());
}

#[test]
fn typing_on_narrows_the_list_and_escape_closes_it_leaving_the_line() {
    let mut page = Page::open();
    page.write("member ");
    page.console(ConsoleEvent::Complete { after: 0 });
    assert_eq!(page.choices(), ["add", "remove", "update", "list", "promote"]);
    page.write("member u");
    assert!(page.menu().is_none(), "one is left: Tab takes it");
    page.console(ConsoleEvent::Complete { after: 0 });
    assert_eq!(page.draft(), "member update ");
    page.write("kill ");
    page.console(ConsoleEvent::Complete { after: 0 });
    page.write("kill i");
    assert_eq!(page.choices(), ["infra1", "infra2", "infra3"]);
    page.console(ConsoleEvent::CloseMenu);
    assert_eq!(page.draft(), "kill i");
    assert!(page.menu().is_none());
}

#[test]
fn a_row_that_is_clicked_is_taken() {
    let mut page = Page::open();
    page.write("get -w ");
    page.console(ConsoleEvent::Complete { after: 0 });
    page.console(ConsoleEvent::Choose(2));
    assert_eq!(page.draft(), "get -w json ");
}

#[test]
fn leases_and_users_are_asked_of_the_cluster_and_an_answer_for_another_line_is_passed_over() {
    let mut page = Page::open();
    let leases = |ids: &[i64]| {
        let leases = ids.iter().map(|id| api::LeaseStatus { id: LeaseId(*id) }).collect();
        api::Response::LeaseLeases(api::LeaseLeasesResponse { leases, ..Default::default() })
    };
    page.write("lease revoke ");
    page.console(ConsoleEvent::Complete { after: 0 });
    let (call, _, request) = page.request();
    assert!(matches!(request, api::Request::LeaseLeases(_)));
    assert!(page.menu().is_none());
    page.news(News::Reply { call, result: Ok(leases(&[0xabc, 0xdef])) });
    assert_eq!(page.choices(), ["0000000000000abc", "0000000000000def"]);
    assert_eq!(page.draft(), "lease revoke 0000000000000");
    page.console(ConsoleEvent::CloseMenu);
    page.console(ConsoleEvent::Complete { after: 0 });
    let (call, ..) = page.request();
    page.write("get a");
    page.news(News::Reply { call, result: Ok(leases(&[1])) });
    assert_eq!(page.draft(), "get a");
    assert!(page.menu().is_none());
}

#[test]
fn the_word_before_the_caret_is_completed_and_what_stands_after_it_stays() {
    let mut page = Page::open();
    page.write("endp --cluster 🦀");
    page.console(ConsoleEvent::Complete { after: 13 });
    assert_eq!(page.draft(), "endpoint --cluster 🦀");
    assert_eq!(page.model.console_view().caret, [1, 13]);
    page.write("endpoint h --cluster 🦀");
    page.console(ConsoleEvent::Complete { after: 13 });
    assert_eq!(page.choices(), ["health", "hashkv"]);
    page.console(ConsoleEvent::Complete { after: 13 });
    page.console(ConsoleEvent::Submit);
    assert_eq!(page.draft(), "endpoint health --cluster 🦀");
    page.write("get --w=1 x");
    page.console(ConsoleEvent::Complete { after: 4 });
    assert_eq!(page.draft(), "get --write-out=1 x");
    page.console(ConsoleEvent::Complete { after: 9_999 });
    assert_eq!(page.draft(), "get --write-out=1 x", "nothing stands before the caret");
    page.write("");
    page.console(ConsoleEvent::Older);
    assert_eq!(page.model.console_view().caret[1], 0);
}

#[test]
fn names_that_were_seen_are_proposed_where_the_page_itself_may_not_ask() {
    let mut page = Page::open();
    page.run("role add reader");
    let (call, ..) = page.request();
    let response = api::Response::Auth(api::AuthResponse::RoleAdd(Default::default()));
    page.news(News::Reply { call, result: Ok(response) });
    page.write("role get r");
    page.console(ConsoleEvent::Complete { after: 0 });
    let (call, ..) = page.request();
    page.news(News::Reply { call, result: Err(api::Error::UserEmpty) });
    assert_eq!(page.draft(), "role get reader ");
}

#[test]
fn what_a_command_does_not_read_runs_after_it() {
    let mut page = Page::open();
    page.run("get a");
    let (call, ..) = page.request();
    page.run("get b");
    assert_eq!(page.model.console_view().queued, 1);
    let range = || Ok(api::Response::Range(api::RangeResponse::default()));
    page.news(News::Reply { call, result: range() });
    let (_, _, request) = page.request();
    assert!(matches!(request, api::Request::Range(range) if range.key == b"b"[..]));
    assert_eq!(page.ran(), ["get a", "get b"]);
}

#[test]
fn ctrl_r_finds_lines_enter_runs_and_escape_goes_back() {
    let mut page = Page::open();
    for line in ["kill infra1 nonsense", "wait 1ms nonsense", "kill infra2 nonsense"] {
        page.run(line);
    }
    page.write("unfinished");
    page.console(ConsoleEvent::Search);
    assert!(page.menu().unwrap().is_search);
    assert_eq!(page.draft(), "");
    assert_eq!(page.choices().len(), 3);
    page.write("kill");
    assert_eq!(page.choices(), ["kill infra2 nonsense", "kill infra1 nonsense"]);
    page.console(ConsoleEvent::CloseMenu);
    assert_eq!(page.draft(), "unfinished");
    page.console(ConsoleEvent::Search);
    page.write("kill");
    page.console(ConsoleEvent::Search);
    assert_eq!(page.menu().unwrap().chosen, Some(1));
    page.console(ConsoleEvent::Submit);
    assert_eq!(page.ran().last().unwrap(), "kill infra1 nonsense");
    assert_eq!(page.draft(), "");
    page.console(ConsoleEvent::Search);
    page.write("wait");
    page.console(ConsoleEvent::Complete { after: 0 });
    assert_eq!(page.draft(), "wait 1ms nonsense");
    let count = page.ran().len();
    page.write("");
    page.console(ConsoleEvent::Search);
    page.write("nowhere");
    page.console(ConsoleEvent::Submit);
    assert_eq!(page.ran().len(), count, "nothing was found, so nothing runs");
    assert!(page.menu().is_none());
}

#[test]
fn a_password_that_is_asked_for_is_nowhere_but_in_the_request() {
    let mut page = Page::open();
    page.run("user add alice");
    assert!(page.model.console_view().is_secret);
    let before = page.effects.len();
    for text in ["s3cret\n", "s3cret\n"] {
        page.write(text.trim());
        page.console(ConsoleEvent::Search);
        page.console(ConsoleEvent::Complete { after: 0 });
        assert!(page.menu().is_none());
        page.console(ConsoleEvent::Submit);
    }
    assert!(!page.model.console_view().is_secret);
    let (_, _, request) = page.request();
    assert!(format!("{request:?}").contains("s3cret"));
    let said = format!("{:?}{:?}", page.model.console_view(), page.model.log_view());
    assert!(!said.contains("s3cret"), "{said}");
    let kept = page.effects.iter().skip(before).any(|effect| match effect {
        Effect::Remember { text, .. } => text.contains("s3cret") || text.contains("alice"),
        _ => false,
    });
    assert!(!kept);
    page.console(ConsoleEvent::Interrupt);
    page.run("get a");
    page.event(Event::Share(ShareEvent::Open));
    page.answer_lab(&Report::default());
    let share = page.model.share_view().unwrap();
    assert!(share.warning.unwrap().contains("1 line with passwords is left out"));
    // The link says it, too, to whoever opens it.
    let lines: Vec<&str> = share.steps.iter().map(|step| step.line.as_str()).collect();
    assert_eq!(lines, ["", "@1 get a"]);
}

#[test]
fn a_password_that_was_begun_is_forgotten_by_ctrl_c() {
    let mut page = Page::open();
    page.run("user passwd alice");
    page.write("s3cr");
    page.console(ConsoleEvent::Interrupt);
    let view = page.model.console_view();
    assert_eq!(view.draft, "");
    assert!(!view.is_secret);
    assert!(!format!("{view:?}").contains("s3cr"));
    page.console(ConsoleEvent::Older);
    assert_eq!(page.draft(), "");
}

#[test]
fn ctrl_c_shows_the_line_it_gave_up_and_sets_the_status() {
    let mut page = Page::open();
    page.write("put a");
    page.console(ConsoleEvent::Interrupt);
    assert_eq!(page.ran(), ["put a^C"]);
    assert_eq!(page.draft(), "");
    page.run("echo $?");
    assert_eq!(page.text(), "130\n");
    page.console(ConsoleEvent::Interrupt);
    assert_eq!(page.ran().len(), 2, "an empty line leaves nothing");
}

#[test]
fn pasted_lines_can_be_edited_and_are_kept_in_the_history_unless_one_has_a_password() {
    let mut page = Page::open();
    page.console(ConsoleEvent::Pasted("kill x\n# a comment\nkill y\n".to_owned()));
    page.console(ConsoleEvent::EditPaste);
    assert_eq!(page.draft(), "kill x\nkill y");
    page.console(ConsoleEvent::Submit);
    assert_eq!(page.ran(), ["kill x", "kill y"]);
    page.console(ConsoleEvent::Pasted("kill one\nkill two\n".to_owned()));
    page.console(ConsoleEvent::AnswerPaste(true));
    assert!(page.remembered("console-history").unwrap().ends_with("kill one\nkill two"));
    page.console(ConsoleEvent::Pasted("user add bob\nhunter2\nhunter2\n".to_owned()));
    page.console(ConsoleEvent::AnswerPaste(true));
    assert!(!page.remembered("console-history").unwrap().contains("hunter2"));
    assert!(!page.text().contains("hunter2"));
}

#[test]
fn pasted_lines_are_shown_escaped_and_run_as_they_are() {
    let mut page = Page::open();
    page.console(ConsoleEvent::Pasted("echo \u{202e}x\u{1b}[31m\nkill y\n".to_owned()));
    let shown = page.model.console_view().paste.unwrap();
    assert_eq!(shown, ["echo \\u{202e}x\\x1b[31m", "kill y"]);
    page.console(ConsoleEvent::EditPaste);
    assert_eq!(page.draft(), "echo \u{202e}x\u{1b}[31m\nkill y");
}

#[test]
fn semicolons_comments_and_the_last_status_are_understood() {
    let mut page = Page::open();
    page.run("kill x; echo $?");
    assert_eq!(page.ran().len(), 2);
    assert_eq!(page.text(), "1\n");
    page.run("# nothing");
    assert_eq!(page.ran().len(), 2);
    page.run("get; echo $?");
    assert_eq!(page.text(), "128\n");
}

#[test]
fn an_answer_is_copied_and_saved_whole() {
    let mut page = Page::open();
    page.run("help");
    let id = page.last_block().id;
    let text = page.text();
    page.console(ConsoleEvent::CopyBlock(id));
    page.console(ConsoleEvent::SaveBlock(id));
    let copied = page.effects.iter().any(|effect| matches!(effect, Effect::Copy(t) if *t == text));
    assert!(copied);
    let saved = page.effects.iter().find_map(|effect| match effect {
        Effect::Download { name, bytes } => Some((name.clone(), bytes.clone())),
        _ => None,
    });
    assert_eq!(saved, Some(("help.txt".to_owned(), text.into_bytes())));
}

fn file_order(page: &Page) -> (u64, FileOrder) {
    let order = page.effects.iter().rev().find_map(|effect| match effect {
        Effect::File { call, order } => Some((*call, order.clone())),
        _ => None,
    });
    order.expect("an order about a file")
}

#[test]
fn a_file_that_is_not_there_is_asked_for_and_the_command_goes_on_with_it() {
    let mut page = Page::open();
    page.run("etcdutl snapshot status my.db");
    let (call, order) = file_order(&page);
    page.news(News::File { call, result: Err(FileError::Missing) });
    assert_eq!(page.model.frame_view().asks_file.as_deref(), Some("my.db"));
    assert!(page.last_block().is_running);
    page.event(Event::AnswerFile(Brought::File(Bytes::from_static(b"bytes"))));
    assert_eq!(page.model.frame_view().asks_file, None);
    let kept = page.effects.iter().any(
        |effect| matches!(effect, Effect::KeepFile { name, bytes, .. } if name == "my.db" && bytes == "bytes"),
    );
    assert!(kept);
    assert_eq!(file_order(&page), (call, order));
    page.news(News::File { call, result: Err(FileError::Refused("invalid database".to_owned())) });
    assert_eq!(page.text(), "Error: invalid database\n");
}

#[test]
fn without_a_file_the_command_says_what_etcdutl_says() {
    for by_ctrl_c in [false, true] {
        let mut page = Page::open();
        page.run("etcdutl snapshot status my.db");
        let (call, _) = file_order(&page);
        page.news(News::File { call, result: Err(FileError::Missing) });
        if by_ctrl_c {
            page.console(ConsoleEvent::Interrupt);
        } else {
            page.event(Event::AnswerFile(Brought::Nothing));
            assert_eq!(page.text(), "Error: stat my.db: no such file or directory\n");
        }
        assert_eq!(page.model.frame_view().asks_file, None);
        assert!(!page.last_block().is_running);
    }
}

#[test]
fn a_restored_cluster_is_started_only_after_a_yes_and_its_record_is_no_longer_the_old_one() {
    let mut page = Page::open();
    page.run("get a");
    let (call, ..) = page.request();
    page.news(News::Reply { call, result: Err(api::Error::NoSpace) });
    for is_yes in [false, true] {
        page.run("etcdutl snapshot restore my.db --data-dir new");
        let (call, _) = file_order(&page);
        page.news(News::File { call, result: Ok(FileAnswer::Restored) });
        assert!(!page.last_block().is_running);
        let question = page.model.frame_view().asks_change.unwrap();
        assert!(question.title.contains("new"), "{question:?}");
        page.event(Event::AnswerChange(is_yes));
        assert_eq!(page.model.frame_view().asks_change, None);
        let starts = |effect: &Effect| matches!(effect, Effect::StartRestored { data_dir } if data_dir == "new");
        assert_eq!(page.effects.iter().any(starts), is_yes);
    }
    let News::ClusterOpened { spec, members, mode, mode_reason, .. } = opened(1) else {
        unreachable!("opened gives that");
    };
    page.news(News::ClusterOpened { spec, members, mode, mode_reason, is_resumed: true });
    page.news(News::MemberUp(MemberId(1)));
    page.run("get b");
    page.event(Event::Share(ShareEvent::Open));
    page.answer_lab(&Report::default());
    let share = page.model.share_view().unwrap();
    let lines: Vec<&str> = share.steps.iter().map(|step| step.line.as_str()).collect();
    assert_eq!(lines, ["", "@1 get b"]);
    assert!(share.warning.unwrap().starts_with("Recording began on a cluster that had data"));
}

#[test]
fn a_dropped_file_is_kept_and_the_line_proposes_to_look_at_it() {
    let mut page = Page::open();
    page.event(Event::DropFile("a b/c.db".to_owned(), Brought::File(Bytes::from_static(b"x"))));
    assert_eq!(page.draft(), "etcdutl snapshot status 'a bc.db'");
    assert!(
        matches!(page.effects.last(), Some(Effect::KeepFile { name, .. }) if name == "a bc.db")
    );
}

/// The page before the program of rare commands is there.
fn without_program() -> Page {
    let mut page = Page::open();
    page.has_program = false;
    page
}

fn loads(page: &Page) -> usize {
    page.effects.iter().filter(|effect| matches!(effect, Effect::LoadProgram)).count()
}

#[test]
fn a_rare_command_waits_for_its_program_which_is_asked_for_once() {
    let mut page = without_program();
    page.run("get a -w json");
    assert_eq!((loads(&page), page.requests()), (1, 0));
    assert!(page.last_block().is_running);
    page.console(ConsoleEvent::OpenTab);
    page.run("lease list");
    assert_eq!((loads(&page), page.requests()), (1, 0));
    page.load_program();
    assert_eq!((loads(&page), page.requests()), (1, 2));
    page.run("role list");
    assert_eq!(loads(&page), 1);
}

#[test]
fn what_is_typed_while_the_program_loads_is_read_by_the_command_or_runs_after_it() {
    let mut page = without_program();
    page.run("user add alice");
    assert!(page.model.console_view().is_secret);
    page.run("pass;word");
    page.run("pass;word");
    page.run("get a; get b");
    page.load_program();
    let (.., request) = page.request();
    let api::Request::Auth(api::AuthRequest::UserAdd(add)) = request else {
        unreachable!("{request:?}")
    };
    assert_eq!((add.name.as_str(), add.password.as_str()), ("alice", "pass;word"));
    assert!(!page.text().contains("pass;"));
    let kept =
        |effect: &Effect| matches!(effect, Effect::Remember { text, .. } if text.contains("pass;"));
    assert!(!page.effects.iter().any(kept));
    let (call, ..) = page.request();
    page.news(News::Reply { call, result: Err(api::Error::PermissionDenied) });
    assert_eq!(page.ran(), ["user add alice", "get a"]);
    assert_eq!(page.model.console_view().queued, 1);
}

#[test]
fn ctrl_d_and_ctrl_c_count_while_the_program_loads() {
    let mut page = without_program();
    page.run("txn");
    page.run("");
    page.run("put a b");
    page.console(ConsoleEvent::EndOfInput);
    page.load_program();
    assert_eq!(page.last_block().failure, Some(3));
    assert!(page.text().ends_with("put a b\nError: EOF\n"), "{}", page.text());

    let mut page = without_program();
    page.run("lease list");
    page.console(ConsoleEvent::Interrupt);
    assert_eq!(page.last_block().failure, Some(130));
    page.load_program();
    assert_eq!(page.requests(), 0);
}

#[test]
fn a_program_that_cannot_be_fetched_is_an_error_and_is_fetched_for_the_next_line() {
    let mut page = without_program();
    page.run("lease list");
    page.news(News::ProgramLoaded(Err("no network".to_owned())));
    assert_eq!(page.last_block().failure, Some(1));
    assert!(page.text().contains("could not be fetched (no network)"), "{}", page.text());
    page.run("lease list");
    assert_eq!(loads(&page), 2);
    // One that traps, too.
    let broken = Program::new(|_message| Err("it trapped".to_owned()));
    page.news(News::ProgramLoaded(Ok(broken)));
    assert_eq!(page.last_block().failure, Some(1));
    assert!(page.text().contains("it trapped"), "{}", page.text());
    page.has_program = true;
    page.run("lease list");
    assert_eq!((loads(&page), page.requests()), (3, 1));
}
