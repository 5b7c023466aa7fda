//! A worker: `www/node_worker.mjs` calls `start` once. Natively it is empty.

#[cfg(target_arch = "wasm32")]
mod worker {
    use wasm_bindgen::prelude::*;

    /// Starts the role that the page's first message asks for.
    #[wasm_bindgen]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn start(message: JsValue) {
        etcd_playground::browser::start_node(&message);
    }
}

fn main() {}
