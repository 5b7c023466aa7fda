//! The catalogue of error messages: a search, the list by area, and the chosen entry with what can be done with it.
//!
//! Invariants: elements stay while words in them change, so that nothing that has the focus goes; files are fetched here, once
//! each, when the model wants them.

mod entry;

use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::{JsCast, JsValue};

use super::fetch::{get, read_json, read_text, words_of};
use super::stop::OneStop;
use super::{Context, encode_ask};
use crate::playground::insight::{
    Area, Catalogue, ErrorEntry, ErrorGroup, ErrorRow, ErrorsView, FetchState, Origin, WantedError,
};
use crate::ui::dom;
use crate::ui::node::{
    Node, Place, Row, button, code, div, effect, found, input, memo, next_frame, p, part, place,
    rows, span,
};

/// By this the field above the list is found.
const FILTER_ID: &str = "errors-filter";

fn read<T>(context: Context, of: impl FnOnce(&ErrorsView) -> T) -> T {
    context.views.errors.with(of)
}

/// Does something with the catalogue, shows it at once, and asks the page for what it wants.
pub(super) fn act(context: Context, act: impl FnOnce(&mut Catalogue)) {
    context.act(|model| act(model.catalogue()));
    let Some(page) = context.page.try_get_value() else { return };
    let asks = page.model.borrow_mut().catalogue().take_asks();
    for ask in asks {
        (page.ask)(&encode_ask(&ask));
    }
}

/// The view.
pub(super) fn errors(context: Context) -> Node {
    let text = context.text.errors;
    let told = p()
        .class("errors-found")
        .testid("errors-found")
        .set("role", "status")
        .text(move || read(context, |view| view.found.clone()));
    div()
        .class("insight-view errors")
        .testid("errors-view")
        .set("role", "region")
        .label(text.title)
        .child(
            div()
                .class("errors-head")
                .child(p().class("commands-hint").child(text.hint))
                .child(filter(context))
                .child(told),
        )
        .child(state(context))
        .child(div().class("reference").child(list(context)).child(entry::entry(context)))
}

fn filter(context: Context) -> Node {
    let text = context.text.errors;
    input()
        .set("type", "search")
        .class("field-input reference-filter")
        .testid("errors-filter")
        .set("id", FILTER_ID)
        .label(text.filter)
        .set("placeholder", text.filter)
        .set("spellcheck", "false")
        .set("autocomplete", "off")
        .value(move || read(context, |view| view.query.clone()))
        .on("input", move |event| {
            let query = dom::value_of(&event);
            act(context, |catalogue| catalogue.search(&query));
        })
}

/// What is said while the list is not there.
fn state(context: Context) -> AnyView {
    let text = context.text.errors;
    part(move || match read(context, |view| view.state.clone()) {
        FetchState::Ready => None,
        state => Some(waiting(context, state, text.loading, "errors-wait")),
    })
}

/// What stands in the place of a file that is not there.
fn waiting(context: Context, state: FetchState, loading: &'static str, name: &'static str) -> Node {
    let text = context.text.errors;
    let wait = div().class("empty insight-wait").testid(name);
    match state {
        FetchState::Failed(reason) => {
            let words = text.failed.replace("{0}", &reason);
            wait.set("role", "alert")
                .child(p().class("verdict").set("data-kind", "bad").child(words))
                .child(
                    button("button")
                        .testid("errors-again")
                        .press(move || act(context, Catalogue::fetch_again))
                        .child(text.again),
                )
        }
        // Fetching again would not bring it: the list has those that there are.
        FetchState::Missing(words) => wait
            .set("role", "alert")
            .child(p().class("verdict").set("data-kind", "bad").child(words))
            .child(
                button("button")
                    .testid("errors-to-list")
                    .press(|| dom::focus_on(FILTER_ID))
                    .child(text.to_list),
            ),
        FetchState::Loading | FetchState::Ready => {
            let pulse = span().class("pulse").set("aria-hidden", "true");
            wait.set("role", "status").child(pulse).child(loading)
        }
    }
}

fn list(context: Context) -> Node {
    let names = move || {
        read(context, |view| {
            let rows = view.groups.iter().flat_map(|group| &group.rows);
            rows.map(|row| row.name.clone()).collect()
        })
    };
    let chosen = move || read(context, |view| view.entry.as_ref().map(|entry| entry.name.clone()));
    let stop = OneStop::new("error", names, chosen);
    let groups = rows(move || {
        let groups = read(context, |view| view.groups.clone());
        let group = |group: ErrorGroup| {
            let names: Vec<&str> = group.rows.iter().map(|row| row.name.as_str()).collect();
            let key = format!("{} {}", group.title, names.join(" "));
            Row::new(key, move || group_of(context, stop, group))
        };
        groups.into_iter().map(group).collect()
    });
    let list = place();
    keep_the_chosen_in_sight(context, list);
    let label = context.text.errors.title;
    stop.list(label).class("reference-list").testid("errors-list").at(list).child(groups)
}

/// Whatever chose it: an address, a search, or another view.
fn keep_the_chosen_in_sight(context: Context, list: Place) {
    let seen = memo(move || {
        read(context, |view| {
            let mut rows = view.groups.iter().flat_map(|group| &group.rows);
            let chosen = view.entry.as_ref().map(|entry| entry.name.clone());
            rows.position(|row| Some(&row.name) == chosen.as_ref()).zip(chosen)
        })
    });
    effect(move || {
        seen.track();
        next_frame(move || scroll_to_the_chosen(list));
    });
}

/// Moves nothing but the list, and only if the row is not wholly in sight.
fn scroll_to_the_chosen(list: Place) {
    let Some(list) = found(list) else { return };
    let row = list.query_selector("[aria-selected=true]").ok().flatten();
    let Some(row) = row.and_then(|row| row.dyn_into::<web_sys::HtmlElement>().ok()) else { return };
    let (top, height) = (row.offset_top() - list.offset_top(), list.client_height());
    let above = top - list.scroll_top();
    if above < 0 || above + row.offset_height() > height {
        list.set_scroll_top(top - height / 3);
    }
}

fn group_of(context: Context, stop: OneStop, group: ErrorGroup) -> Node {
    let rows = group.rows.into_iter().map(|row| row_of(context, stop, row)).collect();
    stop.group(group.title.to_owned(), rows)
}

fn row_of(context: Context, stop: OneStop, row: ErrorRow) -> Node {
    let name = row.name.clone();
    let shown = button("reference-row")
        .testid(format!("error-{name}"))
        .press(move || act(context, |catalogue| catalogue.choose(&name)))
        .child(code().child(row.message))
        .child(span().child(row.about));
    stop.row(&row.name, shown)
}

/// Fetches what the catalogue wants, as soon as it wants it.
pub(super) fn fetch_wanted(context: Context) {
    effect(move || {
        context.views.view.track();
        context.views.errors.track();
        context.views.why.track();
        let Some(page) = context.page.try_get_value() else { return };
        for wanted in page.model.borrow_mut().catalogue().take_wanted() {
            fetch(context, wanted);
        }
    });
}

fn fetch(context: Context, wanted: WantedError) {
    leptos::task::spawn_local(async move {
        match wanted {
            WantedError::List => {
                let list = read_list().await.map_err(|error| words_of(&error));
                act(context, |catalogue| catalogue.set_list(list));
            }
            WantedError::Entry(name, file) => {
                let text = read_text(&format!("errors/{file}")).await;
                let text = text.map_err(|error| words_of(&error));
                act(context, |catalogue| catalogue.set_entry(name, text));
            }
        }
    });
}

async fn read_list() -> Result<Vec<ErrorEntry>, JsValue> {
    let list = read_json("errors/index.json").await?;
    let strings = |list: &JsValue| -> Vec<String> {
        let list = list.dyn_ref::<js_sys::Array>().map(js_sys::Array::iter);
        list.into_iter().flatten().filter_map(|piece| piece.as_string()).collect()
    };
    let entry = |entry: JsValue| {
        let text = |name: &str| get(&entry, name).as_string().unwrap_or_default();
        let forms = get(&entry, "forms");
        let forms = forms.dyn_ref::<js_sys::Array>().map(js_sys::Array::iter);
        ErrorEntry {
            name: text("name"),
            file: text("file"),
            message: text("message"),
            printed: text("printed"),
            code: text("code"),
            origin: Origin::named(&text("from")),
            area: Area::named(&text("area")),
            forms: forms.into_iter().flatten().map(|form| strings(&form)).collect(),
            about: text("about"),
            about_zh: text("about_zh"),
        }
    };
    Ok(js_sys::Array::from(&list).iter().map(entry).collect())
}
