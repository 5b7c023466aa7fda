//! The page and its members: one program, so that a visitor downloads what both need once.
//! `www/boot.mjs` starts it in the page, `www/node_worker.mjs` in each worker. Natively it is empty.

#[cfg(target_arch = "wasm32")]
mod program {
    use std::cell::OnceCell;
    use std::rc::Rc;

    use etcd_playground::{browser, ui};
    use wasm_bindgen::prelude::*;

    /// Joins the user interface and the browser's driver.
    #[wasm_bindgen(js_name = startPage)]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn start_page() {
        // Each needs the other: effects go to the driver, news come back to the page.
        let driver: Rc<OnceCell<Rc<browser::Browser>>> = Rc::default();
        let effects = Rc::clone(&driver);
        let on_news = ui::mount(move |effect| {
            if let Some(driver) = effects.get() {
                driver.perform(effect);
            }
        });
        let _ = driver.set(browser::start(on_news));
    }

    /// Starts the member that the page's first message describes.
    #[wasm_bindgen(js_name = startMember)]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn start_member(message: &JsValue) {
        browser::start_node(message);
    }
}

fn main() {}
