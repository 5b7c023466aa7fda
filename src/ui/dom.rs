//! The few things components need from the document that Leptos does not give.
//!
//! Invariants: nothing here panics if the document is not as expected.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::playground::event::{Brought, FILE_BYTES_MAX};
use crate::types::Millis;
use crate::ui::node::next_frame;

/// The element the page lives in.
pub(crate) fn app_element() -> web_sys::HtmlElement {
    document()
        .get_element_by_id("app")
        .and_then(|element| element.dyn_into().ok())
        .or_else(|| document().body())
        .unwrap_or_else(|| unreachable!("a document has a body"))
}

/// Sets an attribute of the document's root element.
pub(crate) fn set_root_attribute(name: &str, value: &str) {
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute(name, value);
    }
}

/// An attribute of the document's root element.
pub(crate) fn root_attribute(name: &str) -> Option<String> {
    document().document_element()?.get_attribute(name)
}

/// A new element with this class.
pub(crate) fn element(class: &str) -> Option<web_sys::HtmlElement> {
    let element = document().create_element("div").ok()?;
    element.set_class_name(class);
    element.dyn_into().ok()
}

/// Sets an attribute of the body; one that it has already would cost the styles of the whole page.
pub(crate) fn set_body_attribute(name: &str, value: &str) {
    let body = document().body();
    if let Some(body) = body.filter(|body| body.get_attribute(name).as_deref() != Some(value)) {
        let _ = body.set_attribute(name, value);
    }
}

/// The address of this page without its fragment.
pub(crate) fn address() -> String {
    let href = window().location().href().unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// The page's time, from the same beginning as the driver's.
pub(crate) fn now() -> Millis {
    let now = window().performance().map_or(0.0, |clock| clock.now());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time since the page began"
    )]
    Millis(now as u64)
}

/// True if the person wants things to stand still.
pub(crate) fn wants_stillness() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// True if some text of the page is selected.
pub(crate) fn has_selection() -> bool {
    let selection = js_sys::Reflect::get(&window(), &JsValue::from_str("getSelection"))
        .ok()
        .and_then(|function| function.dyn_into::<js_sys::Function>().ok())
        .and_then(|function| function.call0(&window()).ok());
    selection
        .and_then(|selection| selection.dyn_into::<js_sys::Object>().ok())
        .is_some_and(|selection| selection.to_string().length() > 0)
}

/// What the field says now that told of a change.
pub(crate) fn value_of(event: &web_sys::Event) -> String {
    event_target_value(event)
}

/// Empties a field, so that the same choice tells of a change again.
pub(crate) fn clear_value(field: &JsValue) {
    let _ = js_sys::Reflect::set(field, &JsValue::from_str("value"), &JsValue::from_str(""));
}

/// Whether the switch is on that told of a change.
pub(crate) fn is_checked(event: &web_sys::Event) -> bool {
    event_target_checked(event)
}

/// The text that a paste event carries.
pub(crate) fn pasted_text(event: &web_sys::Event) -> Option<String> {
    let data = js_sys::Reflect::get(event, &JsValue::from_str("clipboardData")).ok()?;
    let get = js_sys::Reflect::get(&data, &JsValue::from_str("getData")).ok()?;
    let get = get.dyn_into::<js_sys::Function>().ok()?;
    get.call1(&data, &JsValue::from_str("text/plain")).ok()?.as_string()
}

/// True if the screen is as wide as a desk's.
pub(crate) fn is_wide() -> bool {
    window().match_media("(min-width: 760px)").ok().flatten().is_some_and(|list| list.matches())
}

/// Looks whenever one of these elements has another size, and does something with the next frame if there is a need.
///
/// `look` runs after the layout and before the paint: there places can be read, and a box be scrolled, without a layout
/// of their own. It must change nothing that could give an element another size (a browser calls that a loop and
/// complains); that is what `then` is for. Both end with the elements.
pub(crate) fn on_resize(
    elements: &[&web_sys::Element],
    mut look: impl FnMut() -> bool + 'static,
    then: impl Fn() + Copy + 'static,
) {
    let is_due = Rc::new(Cell::new(false));
    let seen: Closure<dyn FnMut()> = Closure::new(move || {
        if look() && !is_due.replace(true) {
            let is_due = Rc::clone(&is_due);
            next_frame(move || {
                is_due.set(false);
                then();
            });
        }
    });
    let Ok(observer) = web_sys::ResizeObserver::new(seen.into_js_value().unchecked_ref()) else {
        return;
    };
    for element in elements {
        observer.observe(element);
    }
}

/// Lets those who know the window's size look at it again.
pub(crate) fn tell_resized() {
    if let Ok(event) = web_sys::Event::new("resize") {
        let _ = window().dispatch_event(&event);
    }
}

/// A number that an object carries, without its fraction.
#[expect(clippy::cast_possible_truncation, reason = "saturating is what is wanted")]
fn number_of(object: &JsValue, name: &str) -> i32 {
    let number = js_sys::Reflect::get(object, &JsValue::from_str(name)).ok();
    number.and_then(|number| number.as_f64()).unwrap_or_default() as i32
}

/// The element that hears an event.
fn hearer(event: &web_sys::Event) -> Option<web_sys::HtmlElement> {
    event.current_target().and_then(|element| element.dyn_into().ok())
}

/// The element that hears a press of a pointer hears all of that pointer until it is let go.
pub(crate) fn capture_pointer(event: &web_sys::Event) {
    if let Some(element) = hearer(event) {
        let _ = element.set_pointer_capture(number_of(event, "pointerId"));
    }
}

/// True while the element that hears an event has its pointer.
pub(crate) fn has_pointer(event: &web_sys::Event) -> bool {
    hearer(event).is_some_and(|element| element.has_pointer_capture(number_of(event, "pointerId")))
}

/// Where the pointer is in the space of the panels on both sides of a line. Unit: percent.
pub(crate) fn share_at(event: &web_sys::Event, is_upright: bool) -> Option<i32> {
    let pixel = number_of(event, if is_upright { "clientX" } else { "clientY" });
    share(&hearer(event)?, is_upright, pixel)
}

/// Where the line that hears an event is in the space of the panels on both sides. Unit: percent.
pub(crate) fn share_of(event: &web_sys::Event, is_upright: bool) -> Option<i32> {
    let line = hearer(event)?;
    let (begin, length) = extent(&line, is_upright);
    share(&line, is_upright, begin + length / 2)
}

fn share(line: &web_sys::HtmlElement, is_upright: bool, pixel: i32) -> Option<i32> {
    // An upright line stands in the column that it begins.
    let column = line.parent_element()?;
    let both = if is_upright { column.parent_element()? } else { column };
    let (begin, length) = extent(&both, is_upright);
    let length = length.max(1);
    Some((pixel - begin).saturating_mul(100).saturating_add(length / 2) / length)
}

fn extent(element: &web_sys::Element, is_upright: bool) -> (i32, i32) {
    let box_of = JsValue::from(element.get_bounding_client_rect());
    let (begin, length) = if is_upright { ("left", "width") } else { ("top", "height") };
    (number_of(&box_of, begin), number_of(&box_of, length))
}

/// True if nothing has the focus.
pub(crate) fn is_focus_free() -> bool {
    document().active_element().is_none_or(|element| element.tag_name() == "BODY")
}

/// Puts the focus on the element with this id.
pub(crate) fn focus_on(id: &str) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into().ok());
    let Some(element): Option<web_sys::HtmlElement> = element else { return };
    let _ = element.focus();
}

/// Scrolls a list so far that the row with this id can be seen.
pub(crate) fn reveal(list: &web_sys::HtmlElement, id: &str) {
    let row = document().get_element_by_id(id).and_then(|row| row.dyn_into().ok());
    let Some(row): Option<web_sys::HtmlElement> = row else { return };
    let (top, height) = (row.offset_top(), row.offset_height());
    let end = top + height - list.client_height();
    list.set_scroll_top(list.scroll_top().min(top).max(end));
}

/// An attribute of the element on which something happened, or of the nearest above it that has it.
pub(crate) fn attribute_above(event: &web_sys::Event, name: &str) -> Option<String> {
    let target = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    target.closest(&format!("[{name}]")).ok()??.get_attribute(name)
}

/// The key of a key event; nothing for another event.
pub(crate) fn key_of(event: &web_sys::Event) -> String {
    event.dyn_ref::<web_sys::KeyboardEvent>().map(web_sys::KeyboardEvent::key).unwrap_or_default()
}

/// True if this element has the focus.
pub(crate) fn has_focus(element: &web_sys::HtmlElement) -> bool {
    let element: &web_sys::Element = element;
    document().active_element().is_some_and(|active| active == *element)
}

/// The files that a field or a drop carries.
pub(crate) fn files_of(carrier: &JsValue) -> Vec<web_sys::File> {
    let files = js_sys::Reflect::get(carrier, &JsValue::from_str("files")).unwrap_or_default();
    if !files.is_object() {
        return Vec::new();
    }
    js_sys::Array::from(&files).iter().filter_map(|file| file.dyn_into().ok()).collect()
}

/// What was dropped.
pub(crate) fn dropped_files(event: &web_sys::Event) -> Vec<web_sys::File> {
    let data = js_sys::Reflect::get(event, &JsValue::from_str("dataTransfer"));
    data.map(|data| files_of(&data)).unwrap_or_default()
}

/// Reads a file, unless it is too large.
pub(crate) fn read_file(file: &web_sys::File, take: impl FnOnce(String, Brought) + 'static) {
    let name = file.name();
    if file.size() > f64::from(FILE_BYTES_MAX) {
        return take(name, Brought::TooLarge);
    }
    let promise = js_sys::Reflect::get(file, &JsValue::from_str("arrayBuffer"))
        .ok()
        .and_then(|function| function.dyn_into::<js_sys::Function>().ok())
        .and_then(|function| function.call0(file).ok());
    let Some(promise) = promise else { return };
    leptos::task::spawn_local(async move {
        let promise = js_sys::Promise::resolve(&promise);
        let buffer = wasm_bindgen_futures::JsFuture::from(promise).await;
        take(
            name,
            match buffer {
                Ok(buffer) => Brought::File(js_sys::Uint8Array::new(&buffer).to_vec().into()),
                Err(_) => Brought::TooLarge,
            },
        );
    });
}

/// True if the element with this id has the focus.
pub(crate) fn is_focused(id: &str) -> bool {
    document().active_element().is_some_and(|active| active.id() == id)
}

/// Puts the cursor into what has the focus: a dialog that closes gives the focus back without it in Chromium, and a
/// field would take no keys.
pub(crate) fn focus_again() {
    let active = document().active_element().and_then(|active| active.dyn_into().ok());
    let Some(active): Option<web_sys::HtmlElement> = active else { return };
    let _ = active.blur();
    let _ = active.focus();
}

/// Milliseconds since the page began: the clock of the page's driver.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the browser's clock is a float, and far from the end of whole numbers"
)]
pub(crate) fn now_ms() -> u64 {
    let performance = window().performance();
    performance.map(|performance| performance.now() as u64).unwrap_or_default()
}
