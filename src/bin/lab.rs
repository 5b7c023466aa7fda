//! The lab's worker: `www/lab_worker.mjs` calls `start` once. Natively it is empty.

#[cfg(target_arch = "wasm32")]
mod worker {
    use wasm_bindgen::prelude::*;

    /// Waits for questions and answers them.
    #[wasm_bindgen]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn start() {
        etcd_playground::browser::start_lab();
    }
}

fn main() {}
