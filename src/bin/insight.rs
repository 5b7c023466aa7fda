//! The views that show consensus: fetched by the page when one is first opened. Natively it is empty.

#[cfg(target_arch = "wasm32")]
mod program {
    use std::cell::OnceCell;
    use std::rc::Rc;

    use etcd_playground::ui::InsightPage;
    use wasm_bindgen::prelude::*;

    thread_local! {
        static PAGE: OnceCell<Rc<InsightPage>> = const { OnceCell::new() };
    }

    /// Puts the views into an element of the page; `ask` takes what they want to know.
    #[wasm_bindgen]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn mount(element: web_sys::HtmlElement, ask: js_sys::Function) {
        console_error_panic_hook::set_once();
        let ask = move |bytes: &[u8]| {
            let bytes = js_sys::Uint8Array::from(bytes);
            // What the page throws is told in its own console.
            let _ = ask.call1(&JsValue::NULL, &bytes);
        };
        PAGE.with(|page| page.get_or_init(|| InsightPage::mount(element, ask)).show(""));
    }

    /// Takes in what the page tells.
    #[wasm_bindgen]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn hear(bytes: &[u8]) {
        PAGE.with(|page| page.get().map(|page| page.hear(bytes)));
    }

    /// Shows a view, or none.
    #[wasm_bindgen]
    #[expect(unreachable_pub, reason = "JavaScript is the caller")]
    pub fn show(view: &str) {
        PAGE.with(|page| page.get().map(|page| page.show(view)));
    }
}

fn main() {}
