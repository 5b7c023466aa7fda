//! Faults: presets, the matrix of directed links with the choices for one of them, and choices as such.

use leptos::prelude::*;

use crate::playground::cluster::Action;
use crate::playground::event::Event;
use crate::playground::view::{CellView, ChoicesView, FaultsView, OptionView, PresetView};
use crate::ui::context::Context;
use crate::ui::node::{
    Kept, Node, Row, button, details, div, h3, memo, part, rows, span, summary, table, tbody, td,
    th, thead, tr,
};

/// Places of the presets.
const PRESETS: usize = 5;

/// Faults that are a press away.
pub(crate) fn presets(context: Context) -> Node {
    let text = context.text;
    let cluster = context.views.cluster;
    let preset = |at: usize| {
        let preset = memo(move || cluster.with(|cluster| cluster.faults.presets.get(at).cloned()));
        let read =
            move |of: fn(&PresetView) -> String| preset.get().as_ref().map(of).unwrap_or_default();
        let action = move || preset.get().and_then(|preset| preset.action);
        button("button button-small is-harsh")
            .follow("data-testid", move || read(|preset| preset.id.to_owned()))
            .follow("title", move || read(|preset| preset.hint.clone()))
            .disabled_while(move || action().is_none())
            .press(move || act(context, untrack(action)))
            .text(move || read(|preset| preset.label.clone()))
    };
    let mut list = div().class("presets").set("role", "group").set("aria-labelledby", "presets");
    for at in 0..PRESETS {
        list = list.child(preset(at));
    }
    let heal = button("button button-small")
        .testid("preset-heal")
        .disabled_while(move || cluster.with(|cluster| !cluster.can_heal))
        .press(move || context.send(Event::Act(Action::HealAll)))
        .child(text.heal_all);
    let title = h3().class("links-title").set("id", "presets").child(text.presets);
    div().class("faults").child(title).child(list.child(heal))
}

/// Stops everything, and lets it go on.
pub(crate) fn pause(context: Context) -> Node {
    let text = context.text;
    let cluster = context.views.cluster;
    let is_paused = move || cluster.with(|cluster| cluster.faults.is_paused);
    button("button button-small pause")
        .class_while("is-now", is_paused)
        .testid("pause-all")
        .disabled_while(move || cluster.with(|cluster| cluster.faults.is_elsewhere))
        .press(move || act(context, Some(Action::PauseAll(!untrack(is_paused)))))
        .text(move || if is_paused() { text.resume_all } else { text.pause_all }.to_owned())
}

/// How fast everything goes.
pub(crate) fn pace(context: Context) -> Node {
    let text = context.text;
    let cluster = context.views.cluster;
    let read = memo(move || cluster.with(|cluster| cluster.faults.pace.clone()));
    let list = choices(context, "pace".to_owned(), text.pace.to_owned(), read);
    div().class("pace").set("title", text.pace_hint).child(list)
}

fn act(context: Context, action: Option<Action>) {
    if let Some(action) = action {
        context.send(Event::Act(action));
    }
}

/// The matrix of directed links.
pub(crate) fn matrix(context: Context) -> Node {
    let text = context.text;
    let cluster = context.views.cluster;
    let faults = memo(move || cluster.with(|cluster| cluster.faults.clone()));
    let names = memo(move || faults.get().names);
    // Made anew with other members only: what has the focus keeps it.
    let grid = rows(move || {
        let names = names.get();
        let key = names.join(" ");
        vec![Row::new(key, move || grid(context, faults, &names))]
    });
    let title = memo(move || faults.get().editor.map(|editor| editor.title));
    let editor = part(move || {
        let choices_of = move || faults.get().editor.map(|editor| editor.choices);
        let read = memo(move || choices_of().unwrap_or_default());
        let title = title.get()?;
        let head = h3().class("links-title").child(title.clone());
        Some(div().class("editor").testid("link-editor").child(head).child(choices(
            context,
            "edit".to_owned(),
            title,
            read,
        )))
    });
    details()
        .class("matrix")
        .child(summary().testid("faults-matrix").child(text.faults_matrix))
        .child(span().class("setting-hint").child(text.faults_matrix_hint))
        .child(div().class("matrix-scroll").child(grid))
        .child(editor)
}

fn grid(context: Context, faults: Kept<FaultsView>, names: &[String]) -> Node {
    let mut head = tr().child(th().set("scope", "col").child(context.text.faults_from));
    for name in names {
        head = head.child(th().set("scope", "col").child(name.clone()));
    }
    let mut body = tbody();
    for (at, name) in names.iter().enumerate() {
        let mut row = tr().child(th().set("scope", "row").child(name.clone()));
        for to in 0..names.len() {
            let cell = (at != to).then(|| cell(context, faults, (at, to)));
            row = row.child(td().child(cell));
        }
        body = body.child(row);
    }
    table().label(context.text.faults_matrix).child(thead().child(head)).child(body)
}

fn cell(context: Context, faults: Kept<FaultsView>, (from, to): (usize, usize)) -> Node {
    let find = move || faults.get().rows.get(from)?.get(to)?.clone();
    let read =
        move |of: fn(&CellView) -> String| move || find().as_ref().map(of).unwrap_or_default();
    button("cell")
        .follow("data-testid", read(|cell| format!("cell-{}", cell.id)))
        .follow("data-state", read(|cell| cell.state.to_owned()))
        .follow("aria-label", read(|cell| cell.label.clone()))
        .follow("aria-expanded", read(|cell| cell.is_edited.to_string()))
        .press(move || {
            if let Some(cell) = untrack(find) {
                context.send(Event::EditLink(cell.ends));
            }
        })
        .text(read(|cell| cell.sign.clone()))
}

/// Several values to choose from, each list with its name.
pub(crate) fn choices(
    context: Context,
    id: String,
    title: String,
    read: Kept<Vec<ChoicesView>>,
) -> Node {
    let lists = rows(move || {
        let row = |list: ChoicesView| {
            let id = id.clone();
            Row::new(list.label.to_owned(), move || values(context, &id, list.label, read))
        };
        read.get().into_iter().map(row).collect()
    });
    div().class("choices").set("role", "group").label(title).child(lists)
}

fn values(context: Context, id: &str, label: &'static str, read: Kept<Vec<ChoicesView>>) -> Node {
    let id = format!("{id}-{label}");
    let find = move || read.get().into_iter().find(|list| list.label == label);
    let options = rows(move || {
        let row = |option: OptionView| {
            let id = format!("{id}-{}", option.label);
            let name = option.label.clone();
            let find = move || find()?.options.into_iter().find(|option| option.label == name);
            Row::new(option.label, move || value(context, id, find))
        };
        find().into_iter().flat_map(|list| list.options).map(row).collect()
    });
    div()
        .class("choice")
        .set("role", "group")
        .label(label)
        .child(span().class("choice-label").set("aria-hidden", "true").child(label))
        .child(options)
}

fn value(
    context: Context,
    id: String,
    find: impl Fn() -> Option<OptionView> + Clone + Send + Sync + 'static,
) -> Node {
    let is_on = find.clone();
    let is_pressed = memo(move || is_on().is_some_and(|option| option.is_on));
    let words = find.clone();
    button("button button-small choice-value")
        .class_while("is-now", move || is_pressed.get())
        .follow("aria-pressed", move || is_pressed.get().to_string())
        .testid(id)
        .press(move || act(context, untrack(&find).map(|option| option.action)))
        .text(move || words().map(|option| option.label).unwrap_or_default())
}
