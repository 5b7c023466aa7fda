//! The page's side of the lab's program: workers that are started when there is something to do, and what they say.
//!
//! What it is: errands out, answers back, and what went wrong between. The dialog of links has one worker as long as
//! it is open, the time machine one until it is ended, an order about a file one until it is done.
//! What it is not: the lab (see `lab_worker`), nor a memory; an errand carries all it needs.
//! Invariants: each errand is answered once unless its worker was ended meanwhile; a worker that stopped is dropped,
//! and the next errand starts a new one.

use std::rc::Rc;

use bytes::Bytes;
use wasm_bindgen_futures::spawn_local;

use super::boot::Boot;
use super::effects::Browser;
use super::errand::{Done, Errand};
use super::workers::{self, BootExtras, Heard, NodeWorker, Program};
use crate::etcdctl::{FileAnswer, FileError, FileOrder};
use crate::playground::edge::{LabAnswer, News};
use crate::playground::insight::Item;
use crate::scenario::Question;
use crate::scenario::moment::NOT_LOADED;
use crate::wire::{self, DownReason, MemberToPage};

/// A worker of the lab's program, or one that is about to start.
pub(super) struct Room {
    /// No other worker has it.
    life: u64,
    /// Whose it is.
    whose: Whose,
    /// The newest errand.
    call: u64,
    /// It has answered, so its program was loaded.
    has_answered: bool,
    worker: Option<NodeWorker>,
    /// Errands for a worker that is about to start, in order.
    waiting: Vec<Vec<u8>>,
}

/// What a worker is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The dialog of links has one.
    Dialog,
    /// The time machine has one, which remembers what it plays.
    Time,
    /// Every order about a file has one.
    File,
}

impl Browser {
    pub(super) fn ask_lab(self: &Rc<Self>, call: u64, question: Question) {
        self.send_errand(call, &Errand::Ask(question), Whose::Dialog);
    }

    /// Hands a question to the time machine unread.
    pub(super) fn ask_time(self: &Rc<Self>, question: Bytes) {
        self.send_errand(0, &Errand::Time(question), Whose::Time);
    }

    /// Ends the time machine, whatever it does.
    pub(super) fn end_time(&self) {
        self.lab().retain(|room| room.whose != Whose::Time);
    }

    pub(super) fn file_order(self: &Rc<Self>, call: u64, order: FileOrder) {
        // As an answer of a member: later.
        let browser = Rc::clone(self);
        let answer = move |result| {
            let news = News::File { call, result };
            Rc::clone(&browser).timers().after(0, move || browser.tell(news));
        };
        if let FileOrder::Save { name, bytes } = order {
            self.download(&name, &bytes);
            let is_kept = self.files().keep(&name, bytes);
            return answer(if is_kept { Ok(FileAnswer::Saved) } else { Err(FileError::Full) });
        }
        if self.no_room.take() == Some(call) {
            return answer(Err(FileError::Full));
        }
        let errand = self.files().errand(order);
        self.send_errand(call, &Errand::File(errand), Whose::File);
    }

    fn send_errand(self: &Rc<Self>, call: u64, errand: &Errand, whose: Whose) {
        let bytes = match wire::encode(&(call, errand)) {
            Ok(bytes) => bytes,
            Err(error) => unreachable!("an errand cannot be encoded: {error}"),
        };
        let stays = whose != Whose::File;
        if let Some(room) = self.lab().iter_mut().find(|room| stays && room.whose == whose) {
            room.call = call;
            match &room.worker {
                Some(worker) => worker.post_bytes(&bytes),
                None => room.waiting.push(bytes),
            }
            return;
        }
        let life = self.next_life();
        let (has_answered, worker) = (false, None);
        self.lab().push(Room { life, whose, call, has_answered, worker, waiting: vec![bytes] });
        let browser = Rc::clone(self);
        spawn_local(async move {
            let module = workers::module(Program::Lab).await;
            let hearer = Rc::clone(&browser);
            let on_heard = move |heard| hearer.lab_heard(life, heard);
            if !browser.lab().iter().any(|room| room.life == life) {
                return;
            }
            let started = module.and_then(|module| {
                let extras = BootExtras::default();
                NodeWorker::start("lab", Program::Lab, &module, &Boot::Lab, extras, on_heard)
            });
            match started {
                Ok(worker) => {
                    if let Some(room) = browser.lab().iter_mut().find(|room| room.life == life) {
                        room.waiting.drain(..).for_each(|bytes| worker.post_bytes(&bytes));
                        room.worker = Some(worker);
                    }
                }
                Err(error) => browser.lab_heard(life, Heard::Fatal(error)),
            }
        });
    }

    /// Ends the dialog's worker, whatever it does.
    pub(super) fn end_lab(&self) {
        self.lab().retain(|room| room.whose != Whose::Dialog);
    }

    /// Ends the worker that carries out an order about a file.
    pub(super) fn cancel_file(&self, call: u64) {
        self.lab().retain(|room| room.whose != Whose::File || room.call != call);
    }

    fn lab_heard(&self, life: u64, heard: Heard) {
        let (call, whose, has_answered) = {
            let mut rooms = self.lab();
            let Some(room) = rooms.iter_mut().find(|room| room.life == life) else { return };
            (room.call, room.whose, std::mem::replace(&mut room.has_answered, true))
        };
        let failure = match heard {
            Heard::Bytes(bytes) => match wire::decode(&bytes) {
                Ok((call, done)) => {
                    if whose == Whose::File {
                        self.leave(life);
                    }
                    self.tell_done(call, done);
                    return;
                }
                Err(error) => LabAnswer::Stopped(crash_of(&bytes, &error)),
            },
            Heard::Fatal(why) if has_answered => LabAnswer::Stopped(why),
            Heard::Fatal(why) => LabAnswer::NotLoaded(why),
        };
        self.leave(life);
        match whose {
            Whose::Dialog => self.tell(News::Lab { call, answer: failure }),
            Whose::File => self.tell(News::FileFailed { call, answer: failure }),
            Whose::Time => self.tell_insight_one(Item::Lab(Err(match failure {
                LabAnswer::NotLoaded(why) => format!("{NOT_LOADED}{why}"),
                LabAnswer::Stopped(why) => why,
                LabAnswer::Sheet(_) | LabAnswer::Refused(_) => return,
            }))),
        }
    }

    fn tell_done(&self, call: u64, done: Done) {
        self.tell(match done {
            Done::Sheet(sheet) => News::Lab { call, answer: LabAnswer::Sheet(Box::new(sheet)) },
            Done::Refused(why) => News::Lab { call, answer: LabAnswer::Refused(why) },
            Done::Time(answer) => return self.tell_insight_one(Item::Lab(Ok(answer))),
            Done::File(result) => News::File { call, result },
            Done::Restored(parts) => {
                let (data_dir, restored) = parts.into_restored();
                self.files().keep_restored(data_dir, restored);
                News::File { call, result: Ok(FileAnswer::Restored) }
            }
        });
    }

    /// Drops a worker a moment later: its own listener runs this.
    fn leave(&self, life: u64) {
        let ended: Vec<Room> = self.lab().extract_if(.., |room| room.life == life).collect();
        spawn_local(async move { drop(ended) });
    }
}

/// What a worker's panic hook says, which speaks as a member's does; else why the bytes cannot be read.
fn crash_of(bytes: &[u8], error: &wire::Error) -> String {
    match wire::decode::<Vec<MemberToPage>>(bytes).as_deref() {
        Ok([MemberToPage::Down(DownReason::Crashed { message })]) => message.clone(),
        _ => error.to_string(),
    }
}
