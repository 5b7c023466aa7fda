//! The rare commands of etcdctl: fetched by the page for the first line that needs one. Natively it is empty.

#[cfg(target_arch = "wasm32")]
mod program {
    use wasm_bindgen::prelude::*;

    /// Takes what the page tells, and answers; see `browser::away`.
    #[wasm_bindgen]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn take(bytes: &[u8]) -> Result<Vec<u8>, String> {
        console_error_panic_hook::set_once();
        etcd_playground::browser::take(bytes)
    }
}

fn main() {}
