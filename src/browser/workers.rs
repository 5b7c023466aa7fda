//! Workers as the page holds them: made, told, heard, ended.
//!
//! What it is: a `Worker` with its listeners and the first message of each role.
//! What it is not: the life of a member (see `members`).
//! Invariants: dropping it ends the worker; the first message is the boot message.

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort, Worker, WorkerOptions, WorkerType};

use super::boot::{Boot, hex};
use super::js;
use crate::types::MemberId;

/// What a worker said.
#[derive(Debug)]
pub(super) enum Heard {
    /// An encoded message.
    Bytes(Vec<u8>),
    /// It trapped, or could not be loaded.
    Fatal(String),
}

/// See the module.
pub(super) struct NodeWorker {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(JsValue)>,
}

/// A port to a peer, on its way to a worker.
pub(super) struct PeerPort {
    /// Who is at the other end.
    pub(super) peer: MemberId,
    /// This end.
    pub(super) port: MessagePort,
}

/// The programs that run in workers; each is a script and a module of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// A member, or the page's clock.
    Node,
    /// The lab; fetched when it is first asked.
    Lab,
}

/// A program's compiled module; compiled once.
///
/// # Errors
/// What the browser says.
pub(super) async fn module(program: Program) -> Result<JsValue, String> {
    let compile = match program {
        Program::Node => "nodeModule",
        Program::Lab => "labModule",
    };
    js::page_call(compile, &Array::new()).await.map_err(|error| js::error_text(&error))
}

/// A worker of a program's script.
///
/// # Errors
/// What the browser says.
pub(super) fn new_worker(name: &str, program: Program) -> Result<Worker, String> {
    let property = match program {
        Program::Node => "nodeUrl",
        Program::Lab => "labUrl",
    };
    let url = js::get(&js::page(), property)
        .as_string()
        .ok_or_else(|| "the page was not started by boot.mjs".to_owned())?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(name);
    Worker::new_with_options(&url, &options).map_err(|error| js::error_text(&error))
}

impl NodeWorker {
    /// Makes a worker and sends its boot message.
    ///
    /// # Errors
    /// What the browser says.
    pub(super) fn start(
        name: &str,
        program: Program,
        module: &JsValue,
        boot: &Boot,
        extras: BootExtras,
        on_heard: impl Fn(Heard) + Clone + 'static,
    ) -> Result<Self, String> {
        let worker = new_worker(name, program)?;
        let hear = on_heard.clone();
        let on_message = Closure::new(move |event: MessageEvent| {
            let data = event.data();
            match js::bytes(&data) {
                Some(bytes) => hear(Heard::Bytes(bytes)),
                None => {
                    let fatal = js::get(&data, "fatal").as_string();
                    hear(Heard::Fatal(fatal.unwrap_or_else(|| "it said nonsense".to_owned())));
                }
            }
        });
        let on_error = Closure::new(move |event: JsValue| {
            let message = js::get(&event, "message").as_string();
            let text = message.unwrap_or_else(|| "its script could not be loaded".to_owned());
            on_heard(Heard::Fatal(text));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let node = Self { worker, _on_message: on_message, _on_error: on_error };
        node.post_boot(module, boot, extras)?;
        Ok(node)
    }

    fn post_boot(&self, module: &JsValue, boot: &Boot, extras: BootExtras) -> Result<(), String> {
        let config = serde_wasm_bindgen::to_value(boot).map_err(|error| error.to_string())?;
        let message = Object::new();
        let transfer = Array::new();
        js::set(&message, "module", module);
        js::set(&message, "config", &config);
        let ports = Array::new();
        for port in extras.ports {
            transfer.push(&port.port);
            ports.push(&port_entry(port.peer, Some(&port.port)));
        }
        js::set(&message, "ports", &ports);
        if let Some(image) = extras.image {
            let buffer = js::buffer(&image);
            transfer.push(&buffer);
            js::set(&message, "image", &buffer);
        }
        self.worker
            .post_message_with_transfer(&message, &transfer)
            .map_err(|error| js::error_text(&error))
    }

    /// Sends an encoded message.
    pub(super) fn post_bytes(&self, bytes: &[u8]) {
        let buffer = js::buffer(bytes);
        if let Err(error) = self.worker.post_message_with_transfer(&buffer, &js::list(&buffer)) {
            log::error!("a message to a worker was dropped: {}", js::error_text(&error));
        }
    }

    /// Gives the member a new port to a peer, or tells it that the peer is gone.
    pub(super) fn post_port(&self, peer: MemberId, port: Option<&MessagePort>) {
        let transfer = Array::new();
        if let Some(port) = port {
            transfer.push(port);
        }
        let entry = port_entry(peer, port);
        if let Err(error) = self.worker.post_message_with_transfer(&entry, &transfer) {
            log::error!("a port was dropped: {}", js::error_text(&error));
        }
    }
}

/// What goes along with a boot message.
#[derive(Default)]
pub(super) struct BootExtras {
    /// Ports to the peers that run.
    pub(super) ports: Vec<PeerPort>,
    /// The encoded disk image, in memory mode.
    pub(super) image: Option<Vec<u8>>,
}

fn port_entry(peer: MemberId, port: Option<&MessagePort>) -> JsValue {
    let entry = Object::new();
    js::set(&entry, "peer", &JsValue::from_str(&hex(peer.0)));
    if let Some(port) = port {
        js::set(&entry, "port", port);
    }
    entry.into()
}

impl Drop for NodeWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
