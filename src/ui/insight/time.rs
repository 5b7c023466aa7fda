//! A run in the lab, moment by moment.
//!
//! What it is: the part of the program that drives the model of time: files are fetched here, frames are counted while a run
//! plays, and keys are heard; and the list of what can be played.
//! What it is not: what a run is (see `playground::insight`).
//! Invariants: an element that has the focus stays while a run plays; what is new is said once, in one live region.

mod controls;
mod fetch;
mod lane;
mod script;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::Bytes;
use leptos::prelude::*;
use leptos::web_sys;
use wasm_bindgen::JsCast;

use super::lesson::Asker;
use super::{Context, write};
use crate::playground::insight::{
    ComparisonView, Folder, SHARES, ShelfList, ShelfRow, TIME_EN, TIME_ZH, TimeStage, TimeState,
    TimeStrings, TimeView, TimeWanted, To, encode_ask,
};
use crate::playground::strings::Language;
use crate::types::Millis;
use crate::ui::dom;
use crate::ui::node::{
    Node, Row, button, div, h3, h4, input, label, li, memo, next_frame, p, part, rows, section,
    show, span, ul,
};

/// Plays, or stops.
const PLAY_ID: &str = "time-play";
/// What can be played.
const SHELF_ID: &str = "time-shelf";

/// The part of the program that drives a run.
pub(super) struct TimePage {
    model: RefCell<TimeState>,
    view: RwSignal<TimeView>,
    ask: Asker,
    /// A frame is waited for.
    is_framed: Cell<bool>,
    /// What is shown at the end, while a run passes so fast that it is written in parts, and how many were.
    target: RefCell<Option<(TimeView, u32)>>,
}

/// What every component of the view gets.
#[derive(Clone, Copy)]
struct Desk {
    text: &'static TimeStrings,
    view: RwSignal<TimeView>,
    page: StoredValue<Rc<TimePage>, LocalStorage>,
}

impl Desk {
    /// Does something with the model, and shows it at once.
    fn act(self, act: impl FnOnce(&mut TimeState)) {
        if let Some(page) = self.page.try_get_value() {
            page.act(act);
        }
    }
}

impl TimePage {
    /// Nothing is open.
    pub(super) fn new(ask: Asker) -> Rc<Self> {
        Rc::new(Self {
            model: RefCell::new(TimeState::default()),
            view: RwSignal::new(TimeView::default()),
            ask,
            is_framed: Cell::new(false),
            target: RefCell::new(None),
        })
    }

    /// Takes in what the lab's worker answered, or why it does not.
    pub(super) fn hear(self: &Rc<Self>, told: Result<Bytes, String>) {
        self.act(|model| model.hear(told));
    }

    /// What stands behind `#` in the address bar; true if it is something to play.
    pub(super) fn address(self: &Rc<Self>, fragment: &str) -> bool {
        let mut is_it = false;
        self.act(|model| is_it = model.address(fragment));
        is_it
    }

    /// Opens a script.
    pub(super) fn open_script(self: &Rc<Self>, text: String) {
        self.act(|model| model.open_script(text));
    }

    /// Time passes.
    pub(super) fn look(self: &Rc<Self>) {
        self.act(|_| {});
    }

    /// Does something with the model, and shows what came of it.
    pub(super) fn act(self: &Rc<Self>, act: impl FnOnce(&mut TimeState)) {
        {
            let mut model = self.model.borrow_mut();
            model.look(Millis(dom::now_ms()));
            act(&mut model);
        }
        self.flush();
    }

    fn flush(self: &Rc<Self>) {
        let (wanted, asks, view, is_playing, is_rushing) = {
            let mut model = self.model.borrow_mut();
            let (wanted, asks) = (model.take_wanted(), model.take_asks());
            (wanted, asks, model.view(), model.is_playing(), model.is_rushing())
        };
        for wanted in wanted {
            self.fetch(wanted);
        }
        for ask in asks {
            (self.ask)(&encode_ask(&ask));
        }
        if is_rushing {
            // What comes before all of the last is written goes on with the part that is due.
            let frames = self.target.take().map_or(0, |(_, frames)| frames);
            self.target.replace(Some((view, frames)));
        } else {
            self.target.replace(None);
            write(self.view, view);
        }
        if is_playing {
            self.frame_soon();
        }
    }

    /// Writes the next part of what is shown at the end.
    fn write_part(&self) {
        let Some((target, frames)) = self.target.take() else { return };
        let frames = frames + 1;
        let view = self.view.with_untracked(|shown| target.share(shown, frames));
        if frames < SHARES {
            self.target.replace(Some((target, frames)));
        }
        write(self.view, view);
    }

    /// While a run plays, each frame is counted.
    fn frame_soon(self: &Rc<Self>) {
        if !self.is_framed.replace(true) {
            let page = Rc::clone(self);
            next_frame(move || {
                page.is_framed.set(false);
                let now = Millis(dom::now_ms());
                let (asks, is_playing) = {
                    let mut model = page.model.borrow_mut();
                    model.frame(now);
                    (model.take_asks(), model.is_playing())
                };
                for ask in &asks {
                    (page.ask)(&encode_ask(ask));
                }
                if is_playing {
                    page.write_part();
                    page.frame_soon();
                } else {
                    page.flush();
                }
            });
        }
    }

    fn fetch(self: &Rc<Self>, wanted: TimeWanted) {
        let page = Rc::clone(self);
        leptos::task::spawn_local(async move {
            match wanted {
                TimeWanted::List(folder) => {
                    let list = fetch::list(folder).await;
                    page.act(|model| model.set_list(folder, list));
                }
                TimeWanted::Script(folder, file) => {
                    let text = fetch::script(folder, &file).await;
                    page.act(|model| model.set_script(folder, &file, text));
                }
            }
        });
    }
}

/// The view.
pub(super) fn time(context: Context) -> Node {
    let Some(page) = context.page.try_get_value().map(|page| Rc::clone(&page.time)) else {
        return div();
    };
    let language = context.views.language.get_untracked();
    let text = match language {
        Language::English => &TIME_EN,
        Language::Chinese => &TIME_ZH,
    };
    let view = page.view;
    let desk = Desk { text, view, page: StoredValue::new_local(page) };
    desk.act(|model| {
        model.speak(language);
        model.be_still(dom::wants_stillness());
        model.show();
    });
    let stage = memo(move || view.with(|view| view.stage.clone()));
    let mut is_first = true;
    let content = rows(move || {
        let stage = stage.get();
        // Whoever pressed something that is gone now goes on in what came for it.
        if !std::mem::take(&mut is_first) {
            next_frame(take_focus);
        }
        vec![Row::new(format!("{stage:?}"), move || stage_of(desk, stage))]
    });
    div()
        .class("insight-view time")
        .testid("time-view")
        .set("role", "group")
        .label(text.title)
        .on("keydown", move |event| key(desk, &event))
        .child(content)
        .child(
            p().class("visually-hidden")
                .testid("time-told")
                .set("aria-live", "polite")
                .text(move || view.with(|view| view.told.clone())),
        )
}

/// Puts the focus, if nothing has it, where one goes on.
fn take_focus() {
    if dom::is_focus_free() {
        dom::focus_on(PLAY_ID);
        dom::focus_on(SHELF_ID);
    }
}

fn stage_of(desk: Desk, stage: TimeStage) -> Node {
    match stage {
        TimeStage::Shelf => shelf(desk),
        TimeStage::Open => run(desk),
        TimeStage::Loading(words) => loading(desk, words),
        TimeStage::Failed(title, words) => failed(desk, title, words),
        TimeStage::Refused(words) => refused(desk, words),
    }
}

fn to_list(desk: Desk) -> Node {
    button("button")
        .testid("time-close")
        .press(move || desk.act(TimeState::close))
        .child(desk.text.back_to_list)
}

/// A run is being opened; when that takes long, somebody may want to stop it.
fn loading(desk: Desk, words: String) -> Node {
    let (text, view) = (desk.text, desk.view);
    let late = move || {
        div().class("time-late").child(p().child(text.computing)).child(
            button("button")
                .testid("time-stop")
                .press(move || desk.act(TimeState::stop))
                .child(text.stop),
        )
    };
    div()
        .class("empty insight-wait")
        .testid("time-loading")
        .set("role", "status")
        .child(span().class("pulse").set("aria-hidden", "true"))
        .child(words)
        .child(show(move || view.with(|view| view.is_late), late))
        .child(to_list(desk))
}

/// The lab could not be fetched, or stopped.
fn failed(desk: Desk, title: &'static str, words: String) -> Node {
    let (text, view) = (desk.text, desk.view);
    div()
        .class("empty insight-wait")
        .testid("time-failed")
        .set("role", "alert")
        .child(h3().child(title))
        .child(p().class("verdict").set("data-kind", "bad").child(words))
        .child(p().text(move || view.with(|view| view.hint.to_owned())))
        .child(
            button("button button-primary")
                .testid("time-again")
                .press(move || desk.act(TimeState::open_again))
                .child(text.open_again),
        )
        .child(to_list(desk))
}

/// What was chosen cannot be played.
fn refused(desk: Desk, words: String) -> Node {
    let (text, view) = (desk.text, desk.view);
    let again = move || {
        button("button button-primary")
            .testid("time-again")
            .press(move || desk.act(TimeState::open_again))
            .child(text.again)
    };
    div()
        .class("empty insight-wait")
        .testid("time-refused")
        .set("role", "alert")
        .child(h3().child(text.refused_title))
        .child(p().class("verdict").set("data-kind", "bad").child(words))
        .child(show(move || view.with(|view| view.can_retry), again))
        .child(to_list(desk))
}

/// What can be played.
fn shelf(desk: Desk) -> Node {
    let text = desk.text;
    let filter = label().class("field-label").child(text.filter).child(
        input().set("type", "search").class("field-input").testid("time-filter").on(
            "input",
            move |event| {
                let filter = dom::value_of(&event);
                desk.act(|model| model.set_filter(&filter));
            },
        ),
    );
    // What a newcomer needs comes first; the long list is the last thing of the page.
    let lists = div()
        .class("time-lists")
        .child(list(desk, Folder::Lessons))
        .child(div().class("time-fields").child(link(desk)).child(seed(desk)))
        .child(list(desk, Folder::Errors));
    div()
        .class("time-body time-shelf")
        .set("id", SHELF_ID)
        .testid("time-shelf")
        .set("tabindex", "0")
        .set("role", "group")
        .label(text.title)
        .child(h3().child(text.title))
        .child(p().class("time-intro").child(text.intro))
        .child(
            p().class("time-wrong")
                .testid("time-shelf-told")
                .set("role", "alert")
                .text(move || desk.view.with(|view| view.shelf.told.to_owned())),
        )
        .child(session(desk))
        .child(filter)
        .child(lists)
}

/// What was done in the page's cluster.
fn session(desk: Desk) -> Node {
    let text = desk.text;
    section()
        .class("time-session")
        .label(text.session_title)
        .child(
            button("button")
                .testid("time-session")
                .press(move || desk.act(TimeState::open_session))
                .child(text.session_open),
        )
        .child(span().class("time-hint").child(text.session_hint))
}

/// A field with a button.
struct Field {
    name: &'static str,
    title: &'static str,
    label: &'static str,
    hint: &'static str,
    button: &'static str,
    set: fn(&mut TimeState, String),
    open: fn(&mut TimeState),
    wrong: fn(&TimeView) -> &'static str,
}

fn field(desk: Desk, field: &Field) -> Node {
    let view = desk.view;
    let Field { set, open, wrong, .. } = *field;
    let wrong = move || view.with(wrong);
    let is_wrong = move || !wrong().is_empty();
    let error = format!("time-{}-error", field.name);
    let entry = input()
        .set("type", "text")
        .class("field-input")
        .testid(format!("time-{}", field.name))
        .set("autocomplete", "off")
        .set("spellcheck", "false")
        .follow("aria-invalid", move || is_wrong().to_string())
        .set("aria-describedby", error.clone())
        .on("input", move |event| {
            let value = dom::value_of(&event);
            desk.act(|model| set(model, value));
        })
        .on("keydown", move |event| {
            if dom::key_of(&event) == "Enter" {
                desk.act(open);
            }
        });
    section()
        .class("time-field")
        .label(field.title)
        .child(h4().child(field.title))
        .child(p().class("time-hint").child(field.hint))
        .child(
            div()
                .class("time-entry")
                .child(label().class("field-label").child(field.label).child(entry))
                .child(
                    button("button")
                        .testid(format!("time-{}-open", field.name))
                        .press(move || desk.act(open))
                        .child(field.button),
                ),
        )
        .child(
            p().class("time-wrong")
                .set("id", error.clone())
                .testid(error)
                .set("aria-live", "polite")
                .text(move || wrong().to_owned()),
        )
}

fn seed(desk: Desk) -> Node {
    let text = desk.text;
    field(
        desk,
        &Field {
            name: "seed",
            title: text.seed_title,
            label: text.seed_field,
            hint: text.seed_hint,
            button: text.open_seed,
            set: TimeState::set_seed,
            open: TimeState::open_seed,
            wrong: |view| view.shelf.wrong_seed,
        },
    )
}

fn link(desk: Desk) -> Node {
    let text = desk.text;
    field(
        desk,
        &Field {
            name: "link",
            title: text.link_title,
            label: text.link_field,
            hint: text.link_hint,
            button: text.open_link,
            set: TimeState::set_link,
            open: TimeState::open_link,
            wrong: |view| view.shelf.wrong_link,
        },
    )
}

fn list(desk: Desk, folder: Folder) -> Node {
    let (text, view) = (desk.text, desk.view);
    let found = memo(move || {
        view.with(|view| view.shelf.lists.iter().find(|it| it.folder == folder).cloned())
    });
    let read =
        move |of: fn(&ShelfList) -> String| found.get().map(|it| of(&it)).unwrap_or_default();
    let lines = rows(move || {
        let row =
            |it: ShelfRow| Row::new(format!("{} {}", it.file, it.title), move || choice(desk, it));
        found.get().map(|list| list.rows.into_iter().map(row).collect()).unwrap_or_default()
    });
    let again = move || {
        button("button button-small")
            .testid("time-list-again")
            .press(move || desk.act(TimeState::fetch_again))
            .child(text.again)
    };
    section()
        .class("time-list")
        .testid(format!("time-list-{}", folder.name()))
        .child(h4().text(move || read(|it| it.title.to_owned())))
        .child(ul().child(lines))
        .child(
            p().class("time-hint").set("role", "status").text(move || read(|it| it.note.clone())),
        )
        .child(show(move || found.get().is_some_and(|it| it.has_failed), again))
}

fn choice(desk: Desk, row: ShelfRow) -> Node {
    let ShelfRow { folder, file, title } = row;
    let name = file.split('.').next().unwrap_or_default().to_owned();
    li().child(
        button("time-choice")
            .testid(format!("time-{}-{name}", folder.name()))
            .press(move || {
                let file = file.clone();
                desk.act(|model| model.open_file(folder, file));
            })
            .child(title),
    )
}

/// A run with its one or two timelines.
fn run(desk: Desk) -> Node {
    let view = desk.view;
    let has_two = memo(move || view.with(|view| view.lanes.len() > 1));
    let lanes = rows(move || {
        let count = if has_two.get() { 2 } else { 1 };
        let row = |at: usize| Row::new(format!("{at}"), move || lane::lane(desk, at));
        (0..count).map(row).collect()
    });
    let notice = p()
        .class("time-notice")
        .testid("time-notice")
        .set("role", "status")
        .follow("data-kind", move || {
            view.with(|view| if view.notice.1 { "good" } else { "bad" }).to_owned()
        })
        .text(move || view.with(|view| view.notice.0.clone()));
    let body = div()
        .class("time-body")
        .testid("time-body")
        .set("tabindex", "0")
        .set("role", "group")
        .label(desk.text.moment)
        .child(notice)
        .child(show(move || has_two.get(), move || comparison(desk)))
        .child(
            div()
                .class("time-lanes")
                .class_while("is-two", move || has_two.get())
                .class_while("is-rushing", move || view.with(|view| view.controls.is_rushing))
                .child(lanes),
        );
    div()
        .class("time-run")
        .testid("time-run")
        .child(controls::controls(desk))
        .child(div().class("time-hold").child(body))
}

/// How two timelines compare.
fn comparison(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let read = move |of: fn(&ComparisonView) -> String| {
        view.with(|view| view.comparison.as_ref().map(of).unwrap_or_default())
    };
    let has_difference =
        move || view.with(|view| view.comparison.as_ref().is_some_and(|it| it.has_difference));
    let sides = memo(move || {
        view.with(|view| view.comparison.as_ref().map(|it| it.sides.clone()).unwrap_or_default())
    });
    let go = move || {
        button("button button-small")
            .testid("time-difference")
            .press(move || desk.act(TimeState::go_to_difference))
            .child(text.to_difference)
    };
    section()
        .class("time-comparison")
        .testid("time-comparison")
        .set("role", "status")
        .child(
            div()
                .class("time-comparison-head")
                .child(h4().testid("time-first").text(move || read(|it| it.sentence.clone())))
                .child(show(has_difference, go)),
        )
        .child(part(move || {
            let mut list = ul().class("time-sides");
            for side in sides.get() {
                list = list.child(li().child(side));
            }
            Some(list)
        }))
        .child(p().testid("time-outcome").text(move || read(|it| it.outcome.clone())))
}

/// Keys that move time, unless somebody types.
fn key(desk: Desk, event: &web_sys::Event) {
    let Some(key) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
    if key.ctrl_key() || key.alt_key() || key.meta_key() {
        return;
    }
    let is_open = desk.view.with_untracked(|view| view.stage == TimeStage::Open);
    let target = event.target().and_then(|it| it.dyn_into::<web_sys::Element>().ok());
    let Some(target) = target.filter(|_| is_open) else { return };
    let is_range = target.get_attribute("type").is_some_and(|kind| kind == "range");
    let is_typed = matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA") && !is_range;
    if is_typed {
        return;
    }
    // A button is pressed by its own space, and the scrubber has arrows of its own.
    let is_button = matches!(target.tag_name().as_str(), "BUTTON" | "SUMMARY");
    match key.key().as_str() {
        " " if !is_button => desk.act(TimeState::toggle_play),
        "ArrowLeft" if !is_range => desk.act(|model| model.travel(To::Back)),
        "ArrowRight" if !is_range => desk.act(|model| model.travel(To::NextEvent)),
        "m" | "M" => desk.act(|model| model.travel(To::NextMessage)),
        "t" | "T" => desk.act(|model| model.travel(To::NextTick)),
        "s" => desk.act(|model| model.travel(To::NextStep)),
        "S" => desk.act(TimeState::step_back),
        _ => return,
    }
    event.prevent_default();
}
