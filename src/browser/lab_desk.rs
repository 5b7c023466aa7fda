//! The page's side of the lab: its worker, which is started when somebody first asks, and what it answers.
//!
//! What it is: questions out, answers back, and what went wrong between.
//! What it is not: the lab (see `lab_worker`), nor a memory; a question carries all it needs.
//! Invariants: each question gets one answer unless the lab was ended meanwhile; a worker that stopped is dropped,
//! and the next question starts a new one.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;

use super::boot::Boot;
use super::effects::Browser;
use super::workers::{self, BootExtras, Heard, NodeWorker, Program};
use crate::playground::edge::{LabAnswer, News};
use crate::scenario::{Question, Sheet};
use crate::wire::{self, DownReason, MemberToPage};

/// See the module.
#[derive(Default)]
pub(super) struct LabDesk {
    worker: Option<NodeWorker>,
    /// The newest question.
    call: u64,
    /// Counts the ends: what was started for an earlier life is not wanted any more.
    life: u64,
    /// The worker has answered, so its program was loaded.
    has_answered: bool,
}

impl LabDesk {
    /// What the worker has started for is not wanted any more, or it has stopped.
    fn end(&mut self) -> Option<NodeWorker> {
        self.life += 1;
        self.has_answered = false;
        self.worker.take()
    }
}

impl Browser {
    pub(super) fn ask_lab(self: &Rc<Self>, call: u64, question: &Question) {
        let bytes = match wire::encode(&(call, question)) {
            Ok(bytes) => bytes,
            Err(error) => unreachable!("a question cannot be encoded: {error}"),
        };
        self.lab().call = call;
        if let Some(worker) = &self.lab().worker {
            worker.post_bytes(&bytes);
            return;
        }
        let life = self.lab().life;
        let browser = Rc::clone(self);
        spawn_local(async move {
            let module = workers::module(Program::Lab).await;
            if browser.lab().life != life {
                return;
            }
            let hearer = Rc::clone(&browser);
            let on_heard = move |heard| hearer.lab_heard(life, heard);
            let started = module.and_then(|module| {
                let extras = BootExtras::default();
                NodeWorker::start("lab", Program::Lab, &module, &Boot::Lab, extras, on_heard)
            });
            match started {
                Ok(worker) => {
                    worker.post_bytes(&bytes);
                    browser.lab().worker = Some(worker);
                }
                Err(error) => {
                    let answer = LabAnswer::NotLoaded(error);
                    browser.tell(News::Lab { call, answer });
                }
            }
        });
    }

    /// Ends the lab, whatever it does.
    pub(super) fn end_lab(&self) {
        let ended = self.lab().end();
        drop(ended);
    }

    fn lab_heard(&self, life: u64, heard: Heard) {
        if self.lab().life != life {
            return;
        }
        let newest = self.lab().call;
        let (call, answer) = match heard {
            Heard::Fatal(why) if self.lab().has_answered => (newest, LabAnswer::Stopped(why)),
            Heard::Fatal(why) => (newest, LabAnswer::NotLoaded(why)),
            Heard::Bytes(bytes) => read_answer(&bytes, newest),
        };
        if matches!(answer, LabAnswer::Sheet(_) | LabAnswer::Refused(_)) {
            self.lab().has_answered = true;
        } else {
            // The worker's own listener runs this, so the worker is dropped a moment later.
            let ended = self.lab().end();
            spawn_local(async move { drop(ended) });
        }
        self.tell(News::Lab { call, answer });
    }
}

/// A lab worker answers with a sheet; its panic hook speaks as a member's does.
fn read_answer(bytes: &[u8], newest: u64) -> (u64, LabAnswer) {
    match wire::decode::<(u64, Result<Sheet, String>)>(bytes) {
        Ok((call, Ok(sheet))) => (call, LabAnswer::Sheet(Box::new(sheet))),
        Ok((call, Err(why))) => (call, LabAnswer::Refused(why)),
        Err(error) => match wire::decode::<Vec<MemberToPage>>(bytes).as_deref() {
            Ok([MemberToPage::Down(DownReason::Crashed { message })]) => {
                (newest, LabAnswer::Stopped(message.clone()))
            }
            _ => (newest, LabAnswer::Stopped(error.to_string())),
        },
    }
}
