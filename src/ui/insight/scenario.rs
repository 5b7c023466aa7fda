//! The editor of scenarios: the text with its lines' numbers, what it is, and where it can run.
//!
//! What it is: the third place of the program with a model of its own; markup, and the caret.
//! What it is not: what a scenario is (see `playground::insight`).
//! Invariants: what is typed is put into the field by nobody but the person; Tab leaves the field; an element that has the
//! focus stays while words change.

mod live;
mod text;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;
use leptos::web_sys;

use super::lesson::Asker;
use super::{Context, encode_ask, write};
use crate::playground::event::Brought;
use crate::playground::insight::{
    Ask, Editor, LessonAsk, LessonNote, OutlineRow, ScenarioNote, ScenarioStrings, ScenarioView,
    Template,
};
use crate::playground::strings::Language;
use crate::types::Millis;
use crate::ui::dom;
use crate::ui::node::{
    Node, Place, Row, button, div, h3, input, label, li, ol, p, place, rows, show, span,
};

/// The editor's model and what is seen of it.
pub(super) struct ScenarioPage {
    model: RefCell<Editor>,
    view: RwSignal<ScenarioView>,
    ask: Asker,
    /// How often the field got the focus that it asked for.
    focused: Cell<u64>,
}

impl ScenarioPage {
    pub(super) fn new(ask: Asker) -> Rc<Self> {
        let (model, view) = (Editor::default(), RwSignal::new(ScenarioView::default()));
        Rc::new(Self { model: RefCell::new(model), view, ask, focused: Cell::new(0) })
    }

    /// Begins, once the page hears what is asked; where no lesson listens to the page, it is asked to tell what happens.
    pub(super) fn begin(&self, has_lesson: bool) {
        if !has_lesson {
            (self.ask)(&encode_ask(&Ask::Lesson(LessonAsk::Listen)));
        }
        self.model.borrow_mut().begin();
        self.flush();
    }

    pub(super) fn speak(&self, language: Language) {
        self.model.borrow_mut().speak(language);
        self.flush();
    }

    /// Takes in what the page tells.
    pub(super) fn hear(&self, note: ScenarioNote) {
        self.model.borrow_mut().hear(note);
        self.flush();
    }

    /// Takes in what happens in the cluster and the consoles.
    pub(super) fn hear_live(&self, note: &LessonNote) {
        self.model.borrow_mut().hear_live(note, Millis(dom::now_ms()));
        self.flush();
    }

    /// Counts the time.
    pub(super) fn look(&self) {
        self.model.borrow_mut().look(Millis(dom::now_ms()));
        self.flush();
    }

    fn flush(&self) {
        let (asks, view) = {
            let mut model = self.model.borrow_mut();
            (model.take_asks(), model.take_change().then(|| model.view()))
        };
        for ask in asks {
            (self.ask)(&encode_ask(&ask));
        }
        if let Some(view) = view {
            write(self.view, view);
        }
    }
}

/// What every part of the view gets.
#[derive(Clone, Copy)]
struct Desk {
    context: Context,
    text: &'static ScenarioStrings,
    view: RwSignal<ScenarioView>,
    page: StoredValue<Rc<ScenarioPage>, LocalStorage>,
    /// The field.
    field: Place,
    /// The run on the live cluster is shown.
    is_live: RwSignal<bool>,
    /// Templates and files are.
    has_more: RwSignal<bool>,
}

impl Desk {
    /// Does something with the editor, and shows it at once.
    fn act(self, act: impl FnOnce(&mut Editor)) {
        if let Some(page) = self.page.try_get_value() {
            act(&mut page.model.borrow_mut());
            page.flush();
        }
    }

    /// What is written.
    fn written(self) -> String {
        let page = self.page.try_get_value();
        page.map(|page| page.model.borrow().text().to_owned()).unwrap_or_default()
    }

    /// True once for each time that the field asked for the focus.
    fn is_focus_new(self, wanted: u64) -> bool {
        self.page.try_get_value().is_some_and(|page| page.focused.replace(wanted) < wanted)
    }

    fn is_good(self) -> bool {
        self.view.with(|view| view.is_good)
    }
}

/// The view.
pub(super) fn scenario(context: Context) -> Node {
    let Some(page) = context.page.try_get_value().map(|page| Rc::clone(&page.scenario)) else {
        return div();
    };
    let (text, view) = (page.model.borrow().strings(), page.view);
    let page = StoredValue::new_local(page);
    let is_live = RwSignal::new(view.with_untracked(|view| view.live.done > 0));
    // Who has written nothing yet begins with them.
    let is_new = page.with_value(|page| page.model.borrow().is_new());
    let has_more = RwSignal::new(is_new);
    let desk = Desk { context, text, view, page, field: place(), is_live, has_more };
    let side = div()
        .class("scenario-side")
        .child(show(move || is_live.get(), move || live::live(desk)))
        .child(outline(desk));
    div()
        .class("insight-view scenario")
        .testid("scenario-view")
        .set("role", "region")
        .label(text.title)
        .child(bar(desk))
        .child(notice(desk))
        .child(text::status(desk))
        .child(div().class("scenario-desk").child(text::text(desk)).child(side))
}

fn bar(desk: Desk) -> Node {
    let text = desk.text;
    let tool = |name: &'static str, words: &'static str| {
        button("button button-small").testid(name).child(words)
    };
    let is_bad = move || !desk.is_good();
    let lab = button("button button-small button-primary")
        .testid("scenario-lab")
        .disabled_while(is_bad)
        .press(move || desk.act(Editor::share))
        .child(text.lab);
    let live = tool("scenario-live", text.live)
        .follow("aria-expanded", move || desk.is_live.get().to_string())
        .press(move || desk.is_live.update(|is_live| *is_live = !*is_live));
    let time = tool("scenario-time", text.time).disabled_while(is_bad).press(move || {
        desk.context.open_in_time(desk.written());
    });
    let more = tool("scenario-more", text.files)
        .follow("aria-expanded", move || desk.has_more.get().to_string())
        .press(move || desk.has_more.update(|has_more| *has_more = !*has_more));
    div()
        .class("scenario-tools")
        .child(div().class("scenario-bar").child(lab).child(live).child(time).child(more))
        .child(show(move || desk.has_more.get(), move || files(desk)))
}

/// Templates and files.
fn files(desk: Desk) -> Node {
    let text = desk.text;
    let tool = |name: &'static str, words: &'static str| {
        button("button button-small").testid(name).child(words)
    };
    let save = tool("scenario-save", text.save).press(move || desk.act(Editor::save));
    let export = tool("scenario-export", text.export)
        .disabled_while(move || desk.view.with(|view| !view.is_good || view.is_exporting))
        .press(move || desk.act(Editor::export));
    div()
        .class("scenario-more")
        .child(p().class("scenario-label").child(text.intro))
        .child(templates(desk))
        .child(div().class("scenario-bar").child(opener(desk)).child(save).child(export))
}

/// Opens a file.
fn opener(desk: Desk) -> Node {
    let text = desk.text;
    let take = move |event: web_sys::Event| {
        let Some(target) = event.target() else { return };
        let files = dom::files_of(&target);
        if let Some(file) = files.first() {
            dom::read_file(file, move |name, brought| {
                let bytes = match &brought {
                    Brought::File(bytes) => Some(bytes.as_ref()),
                    Brought::TooLarge | Brought::Nothing => None,
                };
                desk.act(|editor| editor.open_file(&name, bytes));
            });
        }
        // The same file can be opened again.
        dom::clear_value(&target);
    };
    let field = input()
        .set("type", "file")
        .class("visually-hidden")
        .testid("scenario-open")
        .label(text.open)
        .on("change", take);
    label().class("button button-small lesson-import").child(text.open).child(field)
}

fn templates(desk: Desk) -> Node {
    let text = desk.text;
    let mut list = div()
        .class("scenario-templates")
        .set("role", "group")
        .label(text.templates)
        .child(span().class("scenario-label").child(text.templates));
    for (template, name) in Template::ALL.into_iter().zip(text.names) {
        list = list.child(
            button("button button-small")
                .testid(format!("template-{}", template.name()))
                .press(move || desk.act(|editor| editor.take_template(template)))
                .child(name),
        );
    }
    list
}

/// What happened last, and the way back.
fn notice(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let words = p()
        .set("aria-live", "polite")
        .testid("scenario-notice")
        .text(move || view.with(|view| view.notice.clone()));
    let undo = move || {
        button("button button-small")
            .testid("scenario-undo")
            .press(move || desk.act(Editor::undo))
            .child(text.undo)
    };
    let too_long = move || view.with(|view| view.too_long.clone());
    div()
        .class("scenario-notice")
        .child(words)
        .child(show(move || view.with(|view| view.can_undo), undo))
        .child(show(
            move || !too_long().is_empty(),
            move || p().class("run-warning").set("role", "alert").text(too_long),
        ))
}

fn outline(desk: Desk) -> Node {
    let (text, view) = (desk.text, desk.view);
    let list = rows(move || {
        let found = view.with(|view| view.rows.clone());
        let row = |(at, row): (usize, OutlineRow)| {
            let key = format!("{at}/{}/{}/{}", row.line, row.kind.name(), row.text);
            Row::new(key, move || outline_row(desk, at, &row))
        };
        found.into_iter().enumerate().map(row).collect()
    });
    let more = move || view.with(|view| view.more);
    div()
        .class("scenario-outline")
        .child(h3().set("id", "scenario-steps").child(text.outline))
        .child(
            ol().class("scenario-rows")
                .set("aria-labelledby", "scenario-steps")
                .testid("scenario-rows")
                .child(list),
        )
        .child(show(
            move || view.with(|view| view.rows.is_empty()),
            move || p().class("scenario-label").child(text.no_rows),
        ))
        .child(show(
            move || more() > 0,
            move || p().class("scenario-label").text(move || (text.more)(more())),
        ))
}

fn outline_row(desk: Desk, at: usize, row: &OutlineRow) -> Node {
    let (text, view) = (desk.text, desk.view);
    let line = row.line;
    let kind = text.kinds.get(row.kind as usize).copied().unwrap_or_default();
    let read = move |of: &dyn Fn(&OutlineRow) -> String| {
        view.with(|view| view.rows.get(at).map(of).unwrap_or_default())
    };
    let mark = move || {
        read(&|row| text.marks.get(row.mark as usize).copied().unwrap_or_default().to_owned())
    };
    let go = button("scenario-row")
        .testid(format!("scenario-row-{}", row.step))
        .set("data-kind", row.kind.name())
        .press(move || text::go_to(desk, line, 1))
        .child(span().class("scenario-row-line").set("aria-hidden", "true").child(line.to_string()))
        .child(span().class("visually-hidden").child((text.at_line)(line)))
        .child(span().class("scenario-row-kind").child(kind))
        .child(span().class("scenario-row-text").child(row.text.clone()));
    let became = div()
        .class("scenario-mark")
        .follow("data-mark", move || read(&|row| row.mark.name().to_owned()))
        .child(span().class("scenario-mark-word").text(mark))
        .child(span().class("scenario-mark-said").text(move || read(&|row| row.said.clone())));
    li().child(go).child(became)
}
