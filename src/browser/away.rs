//! Both ends of the program of etcdctl's rare commands, `ctl`: how the page has it, and how it is asked.
//!
//! What it is: its loading, and its messages as bytes; the answer to each comes back from the same call.
//! What it is not: what it says (see `etcdctl::away`).
//! Invariants: page and program are of one build; one that trapped is not called again, and another is fetched.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::effects::Browser;
use super::js;
use crate::etcdctl::away::{Host, Message, Program, Turn};
use crate::playground::edge::News;
use crate::wire;

impl Browser {
    /// Fetches the program.
    pub(super) fn load_program(self: &Rc<Self>) {
        let browser = Rc::clone(self);
        spawn_local(async move {
            let loaded = load().await.map_err(|error| js::error_text(&error));
            browser.tell(News::ProgramLoaded(loaded));
        });
    }
}

async fn load() -> Result<Program, JsValue> {
    let program = js::page_call("ctl", &Array::new()).await?;
    let take: Function = js::get(&program, "take").dyn_into()?;
    Ok(Program::new(move |message| ask(&take, message)))
}

fn ask(take: &Function, message: &Message) -> Result<Turn, String> {
    let bytes = wire::encode(message).map_err(|error| error.to_string())?;
    let answer = take
        .call1(&JsValue::NULL, &Uint8Array::from(bytes.as_slice()))
        .map_err(|error| js::error_text(&error))?;
    let answer: Uint8Array =
        answer.dyn_into().map_err(|_other| "it answered nothing".to_owned())?;
    wire::decode(&answer.to_vec()).map_err(|error| error.to_string())
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

/// The other end: takes what the page tells, and answers.
///
/// # Errors
/// The bytes are of another build.
pub fn take(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let message = wire::decode(bytes).map_err(|error| error.to_string())?;
    let turn = HOST.with_borrow_mut(|host| host.take(message));
    wire::encode(&turn).map_err(|error| error.to_string())
}
