//! The page's clock: a tiny worker, since a hidden page's own timers are slowed down.
//!
//! What it is: wake-ups after some milliseconds, and a beat four times a second.
//! What it is not: exact; a frozen page gets its wake-ups late.
//! Invariants: every wake-up comes once. Source: DESIGN 14.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Object;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker};

use super::{js, workers};
use crate::types::SmallMap;

/// The longest wait `setTimeout` takes. Unit: ms.
const AFTER_MS_MAX: u64 = 0x7fff_ffff;

type Waiting = Rc<RefCell<SmallMap<u64, Box<dyn FnOnce()>>>>;

/// See the module.
pub(super) struct Timers {
    worker: Worker,
    _listener: Closure<dyn FnMut(MessageEvent)>,
    waiting: Waiting,
    next: Cell<u64>,
}

impl Timers {
    /// Starts the worker; `on_beat` is called four times a second.
    ///
    /// # Errors
    /// What the browser says.
    pub(super) fn start(on_beat: impl Fn() + 'static) -> Result<Self, String> {
        let worker = workers::new_worker("timer", workers::Program::Node)?;
        let waiting: Waiting = Rc::default();
        let due = Rc::clone(&waiting);
        let listener = Closure::new(move |event: MessageEvent| match event.data().as_f64() {
            None => on_beat(),
            Some(timer) => {
                let wake = due.borrow_mut().remove(&js::whole(timer));
                if let Some(wake) = wake {
                    wake();
                }
            }
        });
        worker.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        let boot = Object::new();
        js::set(&boot, "config", &JsValue::from_str("timer"));
        worker.post_message(&boot).map_err(|error| js::error_text(&error))?;
        Ok(Self { worker, _listener: listener, waiting, next: Cell::new(0) })
    }

    /// Calls `wake` after some time.
    pub(super) fn after(&self, after_ms: u64, wake: impl FnOnce() + 'static) {
        let timer = self.next.get();
        self.next.set(timer + 1);
        self.waiting.borrow_mut().insert(timer, Box::new(wake));
        let message = Object::new();
        js::set(&message, "timer", &JsValue::from_f64(js::number(timer)));
        let after_ms = js::number(after_ms.min(AFTER_MS_MAX));
        js::set(&message, "after", &JsValue::from_f64(after_ms));
        if let Err(error) = self.worker.post_message(&message) {
            log::error!("a timer could not be set: {}", js::error_text(&error));
        }
    }
}

impl Drop for Timers {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}
