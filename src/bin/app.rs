//! The page: mounts the user interface. Natively it is empty.

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    etcd_playground::ui::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
