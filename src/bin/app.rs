//! The page: joins the user interface and the browser. Natively it is empty.

#[cfg(target_arch = "wasm32")]
fn main() {
    use std::cell::OnceCell;
    use std::rc::Rc;

    use etcd_playground::{browser, ui};

    console_error_panic_hook::set_once();
    let slot: Rc<OnceCell<Rc<browser::Browser>>> = Rc::default();
    let target = Rc::clone(&slot);
    let on_news = ui::mount(move |effect| {
        if let Some(browser) = target.get() {
            browser.perform(effect);
        }
    });
    let browser = browser::start(on_news);
    assert!(slot.set(browser).is_ok(), "the browser is started once");
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
