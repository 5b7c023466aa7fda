//! The page: joins the user interface and the browser's driver. Natively it is empty.

#[cfg(target_arch = "wasm32")]
fn main() {
    use std::cell::OnceCell;
    use std::rc::Rc;

    use etcd_playground::{browser, ui};

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

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
