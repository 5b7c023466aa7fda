//! Lessons in the page: the list, the shown part, what is met of it.
//!
//! What it is: the second place of the program in the page, with a model of its own; files are fetched here.
//! What it is not: what a lesson is (see `playground::insight`).
//! Invariants: an element that has the focus stays while words change; what was just met is said once in a live region.

mod part;

use std::cell::RefCell;
use std::rc::Rc;

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsValue;

use super::fetch::{get, read_json, read_text, words_of};
use super::{Ask, encode_ask, language, write};
use crate::playground::event::Brought;
use crate::playground::insight::{
    Entry, LESSONS_EN, LESSONS_ZH, LessonNote, LessonRow, LessonState, LessonStrings, LessonView,
    Lessons, Wanted,
};
use crate::playground::strings::Language;
use crate::types::Millis;
use crate::ui::components::{Sign, icon};
use crate::ui::dom;
use crate::ui::node::{
    Node, Row, button, div, h3, input, label, li, memo, ol, p, part as part_of, rows, show, span,
};

/// Takes encoded questions.
pub(super) type Asker = Rc<dyn Fn(&[u8])>;

/// What every component of a lesson gets.
#[derive(Clone, Copy)]
struct Desk {
    text: &'static LessonStrings,
    view: RwSignal<LessonView>,
    page: StoredValue<Rc<LessonPage>, LocalStorage>,
}

impl Desk {
    /// Does something with the lessons, and shows it at once.
    fn act(self, act: impl FnOnce(&mut Lessons)) {
        if let Some(page) = self.page.try_get_value() {
            act(&mut page.model.borrow_mut());
            page.flush();
        }
    }
}

/// See the module.
pub(super) struct LessonPage {
    model: RefCell<Lessons>,
    host: web_sys::HtmlElement,
    view: RwSignal<LessonView>,
    language: RwSignal<Language>,
    ask: Asker,
}

impl LessonPage {
    /// Puts the lessons into their place, or comes along when there is one: the page may not have its texts yet.
    pub(super) fn mount(ask: Asker) -> Option<Rc<Self>> {
        let host = dom::element("lesson-host")?;
        if let Some(place) = document().get_element_by_id("lesson") {
            let _ = place.append_child(&host);
        }
        let page = Rc::new(Self {
            model: RefCell::new(Lessons::default()),
            host: host.clone(),
            view: RwSignal::new(LessonView::default()),
            language: RwSignal::new(language()),
            ask,
        });
        let shown = Rc::clone(&page);
        mount_to(host, move || {
            let (view, spoken) = (shown.view, shown.language);
            let page = StoredValue::new_local(shown);
            rows(move || {
                let language = spoken.get();
                let text = match language {
                    Language::English => &LESSONS_EN,
                    Language::Chinese => &LESSONS_ZH,
                };
                let desk = Desk { text, view, page };
                desk.act(|model| model.speak(language));
                vec![Row::new(language.name().to_owned(), move || lesson(desk))]
            })
        })
        .forget();
        Some(page)
    }

    /// Begins, once the page hears what is asked.
    pub(super) fn begin(self: &Rc<Self>) {
        self.model.borrow_mut().begin();
        self.flush();
    }

    /// Takes in what the page tells.
    pub(super) fn hear(self: &Rc<Self>, note: LessonNote) {
        self.model.borrow_mut().hear(note);
        self.flush();
    }

    /// Comes along when the page was made anew in another language, and counts the time.
    pub(super) fn look(self: &Rc<Self>) {
        if !self.host.is_connected()
            && let Some(place) = document().get_element_by_id("lesson")
        {
            let _ = place.append_child(&self.host);
        }
        write(self.language, language());
        self.model.borrow_mut().look(Millis(dom::now_ms()));
        self.flush();
    }

    fn flush(self: &Rc<Self>) {
        let (wanted, asks, view) = {
            let mut model = self.model.borrow_mut();
            (model.take_wanted(), model.take_asks(), model.view())
        };
        for wanted in wanted {
            self.fetch(wanted);
        }
        for ask in asks {
            (self.ask)(&encode_ask(&Ask::Lesson(ask)));
        }
        write(self.view, view);
    }

    fn fetch(self: &Rc<Self>, wanted: Wanted) {
        let page = Rc::clone(self);
        leptos::task::spawn_local(async move {
            match wanted {
                Wanted::List => {
                    let list = read_list().await.map_err(|error| words_of(&error));
                    page.model.borrow_mut().set_list(list);
                }
                Wanted::Lesson(number, file) => {
                    let text = read_text(&format!("lessons/{file}"))
                        .await
                        .map_err(|error| words_of(&error));
                    page.model.borrow_mut().set_lesson(number, text);
                }
            }
            page.flush();
        });
    }
}

async fn read_list() -> Result<Vec<Entry>, JsValue> {
    let list = read_json("lessons/index.json").await?;
    let entry = |entry: JsValue| {
        let text = |name: &str| get(&entry, name).as_string().unwrap_or_default();
        let number = |name: &str| {
            let number = get(&entry, name).as_f64().unwrap_or(0.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "saturating is what is wanted"
            )]
            let whole = number as u32;
            whole
        };
        Entry {
            number: number("number"),
            file: text("file"),
            title: text("title"),
            title_zh: text("title_zh"),
            parts: number("parts"),
        }
    };
    Ok(js_sys::Array::from(&list).iter().map(entry).collect())
}

fn lesson(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let is_open = move || view.with(|view| view.is_list_open);
    let title = move || {
        view.with(|view| match view.part.lesson.as_str() {
            "" => text.lessons.to_owned(),
            title => (text.name)(view.part.number, title),
        })
    };
    let head = div()
        .class("lesson-head")
        .child(h3().class("lesson-title").testid("lesson-title").text(title))
        .child(
            button("button button-small")
                .testid("lesson-list-toggle")
                .follow("aria-expanded", move || is_open().to_string())
                .press(move || desk.act(Lessons::toggle_list))
                .child(text.choose),
        );
    let is_ready = move || view.with(|view| view.state == LessonState::Ready);
    let body = div()
        .class("panel-body lesson-body")
        .set("tabindex", "0")
        .set("role", "group")
        .set("aria-labelledby", "tutorial-title")
        .child(show(is_open, move || list(desk)))
        .child(state(desk))
        .child(show(is_ready, move || part::part(desk)));
    div()
        .class("lesson")
        .testid("lesson")
        .child(head)
        .child(body)
        .child(show(is_ready, move || part::steer(desk)))
}

fn state(desk: Desk) -> AnyView {
    let (text, view) = (desk.text, desk.view);
    let state = memo(move || view.with(|view| view.state.clone()));
    part_of(move || {
        let wait = div().class("empty insight-wait").testid("lesson-wait");
        Some(match state.get() {
            LessonState::Ready => return None,
            LessonState::Loading => {
                let pulse = span().class("pulse").set("aria-hidden", "true");
                wait.set("role", "status").child(pulse).child(text.loading)
            }
            LessonState::Failed(reason) => {
                let why = p().class("verdict").set("data-kind", "bad");
                wait.set("role", "alert").child(why.child((text.failed)(&reason))).child(
                    button("button")
                        .testid("lesson-again")
                        .press(move || desk.act(Lessons::fetch_again))
                        .child(text.again),
                )
            }
        })
    })
}

/// All lessons, and the progress to take along.
fn list(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let numbers =
        memo(move || view.with(|view| view.list.iter().map(|row| row.number).collect::<Vec<_>>()));
    let lessons = ol().class("lesson-list").child(rows(move || {
        let row = |number: u32| Row::new(number.to_string(), move || list_row(desk, number));
        numbers.get().into_iter().map(row).collect()
    }));
    let take = move |event: web_sys::Event| {
        let files = event.target().map(|target| dom::files_of(&target)).unwrap_or_default();
        let Some(file) = files.first() else { return };
        dom::read_file(file, move |_, brought| {
            let text = match brought {
                Brought::File(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Brought::TooLarge | Brought::Nothing => String::new(),
            };
            desk.act(|model| model.import(&text));
        });
    };
    let import = label().class("button button-small lesson-import").child(text.import).child(
        input()
            .set("type", "file")
            .class("visually-hidden")
            .testid("lesson-import")
            .label(text.import)
            .on("change", take),
    );
    let notice = p()
        .class("lesson-note")
        .set("aria-live", "polite")
        .text(move || view.with(|view| view.notice.unwrap_or_default().to_owned()));
    let progress = div()
        .class("lesson-progress")
        .set("role", "group")
        .label(text.progress)
        .child(span().class("lesson-progress-title").child(text.progress))
        .child(
            button("button button-small")
                .testid("lesson-export")
                .press(move || desk.act(Lessons::export))
                .child(text.export),
        )
        .child(import);
    div().class("lesson-picker").testid("lesson-list").child(lessons).child(progress).child(notice)
}

fn list_row(desk: Desk, number: u32) -> Node {
    let (text, view) = (desk.text, desk.view);
    let read = move |of: &dyn Fn(&LessonRow) -> String| {
        view.with(|view| {
            let row = view.list.iter().find(|row| row.number == number);
            row.map(of).unwrap_or_default()
        })
    };
    let is_done = move || {
        view.with(|view| view.list.iter().any(|row| row.number == number && row.done >= row.parts))
    };
    li().child(
        button("lesson-row")
            .testid(format!("lesson-{number}"))
            .class_while("is-done", is_done)
            .follow("aria-current", move || read(&|row| row.is_current.to_string()))
            .press(move || desk.act(|model| model.choose(number)))
            .child(
                span()
                    .class("lesson-row-title")
                    .text(move || read(&|row| (text.name)(row.number, &row.title))),
            )
            .child(span().class("lesson-row-done").text(move || {
                read(&|row| match row.done {
                    0 => String::new(),
                    done if done >= row.parts => text.all_done.to_owned(),
                    done => (text.done_of)(done, row.parts),
                })
            }))
            .child(show(is_done, || span().class("lesson-row-sign").child(icon(Sign::Check)))),
    )
}
