//! The page's side of the lab's program: workers that are started when there is something to do, and what they say.
//!
//! What it is: errands out, answers back, and what went wrong between. The dialog of links has one worker as long as
//! it is open, an order about a file one until it is done.
//! What it is not: the lab (see `lab_worker`), nor a memory; an errand carries all it needs.
//! Invariants: each errand is answered once unless its worker was ended meanwhile; a worker that stopped is dropped,
//! and the next errand starts a new one.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::boot::Boot;
use super::effects::Browser;
use super::errand::{Done, Errand};
use super::workers::{self, BootExtras, Heard, NodeWorker, Program};
use crate::etcdctl::{FileAnswer, FileError, FileOrder};
use crate::playground::edge::{LabAnswer, News};
use crate::scenario::Question;
use crate::wire::{self, DownReason, MemberToPage};

/// A worker of the lab's program, or one that is about to start.
pub(super) struct Room {
    /// No other worker has it.
    life: u64,
    /// It is the dialog's.
    is_dialog: bool,
    /// The newest errand.
    call: u64,
    /// It has answered, so its program was loaded.
    has_answered: bool,
    worker: Option<NodeWorker>,
    /// Errands for a worker that is about to start, in order.
    waiting: Vec<Vec<u8>>,
}

impl Browser {
    pub(super) fn ask_lab(self: &Rc<Self>, call: u64, question: Question) {
        self.send_errand(call, &Errand::Ask(question), true);
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
        self.send_errand(call, &Errand::File(errand), false);
    }

    fn send_errand(self: &Rc<Self>, call: u64, errand: &Errand, is_dialog: bool) {
        let bytes = match wire::encode(&(call, errand)) {
            Ok(bytes) => bytes,
            Err(error) => unreachable!("an errand cannot be encoded: {error}"),
        };
        if let Some(room) = self.lab().iter_mut().find(|room| room.is_dialog && is_dialog) {
            room.call = call;
            match &room.worker {
                Some(worker) => worker.post_bytes(&bytes),
                None => room.waiting.push(bytes),
            }
            return;
        }
        let life = self.next_life();
        let (has_answered, worker) = (false, None);
        self.lab().push(Room { life, is_dialog, call, has_answered, worker, waiting: vec![bytes] });
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
        self.lab().retain(|room| !room.is_dialog);
    }

    /// Ends the worker that carries out an order about a file.
    pub(super) fn cancel_file(&self, call: u64) {
        self.lab().retain(|room| room.is_dialog || room.call != call);
    }

    fn lab_heard(&self, life: u64, heard: Heard) {
        let (call, is_dialog, has_answered) = {
            let mut rooms = self.lab();
            let Some(room) = rooms.iter_mut().find(|room| room.life == life) else { return };
            (room.call, room.is_dialog, std::mem::replace(&mut room.has_answered, true))
        };
        let failure = match heard {
            Heard::Bytes(bytes) => match wire::decode(&bytes) {
                Ok((call, done)) => {
                    if !is_dialog {
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
        self.tell(if is_dialog {
            News::Lab { call, answer: failure }
        } else {
            News::FileFailed { call, answer: failure }
        });
    }

    fn tell_done(&self, call: u64, done: Done) {
        self.tell(match done {
            Done::Sheet(sheet) => News::Lab { call, answer: LabAnswer::Sheet(Box::new(sheet)) },
            Done::Refused(why) => News::Lab { call, answer: LabAnswer::Refused(why) },
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
