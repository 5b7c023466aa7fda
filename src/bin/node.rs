//! A member's Web Worker: `www/node_worker.mjs` calls `start` once. Natively it is empty.

#[cfg(target_arch = "wasm32")]
mod worker {
    use wasm_bindgen::prelude::*;

    /// Starts what the page asked for; `ports` are the message ports that came with it.
    #[wasm_bindgen]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn start(config: JsValue, ports: JsValue) {
        etcd_playground::browser::start(config, ports);
    }
}

fn main() {
    #[cfg(target_arch = "wasm32")]
    console_error_panic_hook::set_once();
}
