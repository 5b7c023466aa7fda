//! The dialog of links: what was done here, or what somebody sent.

use leptos::prelude::*;
use leptos::web_sys;

use crate::playground::event::{Event, ShareEvent};
use crate::playground::view::{ShareView, StageView, StepView};
use crate::ui::components::dialogs::modal;
use crate::ui::components::icon::{Sign, icon};
use crate::ui::context::Context;
use crate::ui::dom;
use crate::ui::node::{
    Build, Node, button, code, div, either, h2, h3, input, label, li, memo, ol, p, part, parts,
    pre, show, span,
};

/// Reads the dialog's view; the default while it is closed.
fn read<T: Default>(context: Context, of: impl FnOnce(&ShareView) -> T) -> T {
    context.views.share.with(|share| share.as_ref().map(of).unwrap_or_default())
}

fn send(context: Context, event: ShareEvent) {
    context.send(Event::Share(event));
}

/// The dialog.
pub(crate) fn share(context: Context) -> Node {
    let text = context.text;
    let is_link = move || read(context, |share| share.is_link);
    let title = move || read(context, |share| share.heading.to_owned());
    let intro = move || read(context, |share| share.intro.to_owned());
    let name_of_link = move || {
        let title = move || {
            let title = read(context, |share| share.title.clone());
            let is_known = read(context, |share| !share.steps.is_empty());
            // A heading is never empty, also while the lab reads the link.
            match (title.is_empty(), is_known) {
                (false, _) => title,
                (true, true) => text.link_untitled.to_owned(),
                (true, false) => "…".to_owned(),
            }
        };
        h3().class("run-title").testid("link-title").text(title)
    };
    let is_open = move || context.views.share.with(Option::is_some);
    modal(is_open, move || send(context, ShareEvent::Close))
        .set("aria-labelledby", "share-title")
        .testid("share-dialog")
        .child(
            div().class("dialog-head").child(h2().set("id", "share-title").text(title)).child(
                button("button button-quiet")
                    .testid("share-close")
                    .label(text.close)
                    .press(move || send(context, ShareEvent::Close))
                    .child(icon(Sign::Close)),
            ),
        )
        .child(p().class("dialog-intro").text(intro))
        .child(either(is_link, name_of_link, move || name_field(context)))
        .child(p().class("run-setting").text(move || read(context, |share| share.setting.clone())))
        .child(warning(context))
        .child(h3().class("visually-hidden").child(text.share_steps))
        .child(steps(context))
        .child(verdict(context))
        .child(tally(context))
        .child(link(context))
        .child(foot(context))
}

fn name_field(context: Context) -> Node {
    let text = context.text;
    let field = input()
        .set("type", "text")
        .class("field-input")
        .testid("share-name")
        .set("autofocus", "")
        .set("maxlength", "80")
        .set("placeholder", text.share_name_hint)
        .value(move || read(context, |share| share.title.clone()))
        .on("input", move |event| send(context, ShareEvent::Title(dom::value_of(&event))));
    label().class("field-label").child(span().child(text.share_name)).child(field)
}

fn warning(context: Context) -> AnyView {
    let warning = memo(move || read(context, |share| share.warning.clone()));
    part(move || Some(p().class("run-warning").child(warning.get()?)))
}

fn steps(context: Context) -> Node {
    let steps = memo(move || read(context, |share| share.steps.clone()));
    let list = parts(move || {
        steps.get().into_iter().map(|step| step_row(context, step).build()).collect()
    });
    ol().class("run-steps").testid("run-steps").set("tabindex", "0").child(list)
}

fn step_row(context: Context, step: StepView) -> Node {
    let text = context.text;
    let Some(number) = step.number else {
        return li().class("run-prose").child(step.prose);
    };
    let output = (!step.output.is_empty()).then(|| pre().class("piece").child(step.output));
    let errors = (!step.errors.is_empty()).then(|| {
        pre()
            .class("piece is-error")
            .child(span().class("visually-hidden").child(text.labelled.of(text.error_mark, "")))
            .child(step.errors)
    });
    let status = step
        .failure
        .map(|status| p().class("block-status").child(text.exit_status.of(&status.to_string())));
    li().class("run-step")
        .class_if("differs", step.differs)
        .testid("run-step")
        .child(span().class("run-number").child(number.to_string()))
        .child(
            div()
                .class("run-text")
                .child(code().class("run-line").child(step.line))
                .child(output)
                .child(errors)
                .child(status),
        )
}

/// What the lab says.
fn verdict(context: Context) -> Node {
    let text = context.text;
    let verdict = memo(move || {
        read(context, |share| match &share.stage {
            StageView::Shown => None,
            StageView::Loading => Some((text.lab_loading.to_owned(), "running")),
            StageView::Running => Some((text.share_running.to_owned(), "running")),
            StageView::NotLoaded(why) => Some((text.lab_not_loaded.of(why), "bad")),
            StageView::Failed(why) => Some((text.lab_failed.of(why), "bad")),
            StageView::Done => Some(match &share.verdict {
                Some(words) => (words.clone(), if share.is_exact { "good" } else { "plain" }),
                None if matches!(share.link, Some(Err(_))) => {
                    (text.share_played_only.to_owned(), "good")
                }
                None => (text.share_played.to_owned(), "good"),
            }),
        })
    });
    let words = part(move || {
        let (words, kind) = verdict.get()?;
        Some(p().class("verdict").set("data-kind", kind).testid("replay-result").child(words))
    });
    div().set("aria-live", "polite").child(words)
}

/// How many expectations were met.
fn tally(context: Context) -> AnyView {
    let tally = memo(move || read(context, |share| share.tally.clone()));
    part(move || {
        let (words, is_all) = tally.get()?;
        let kind = if is_all { "good" } else { "bad" };
        Some(p().class("verdict").set("data-kind", kind).testid("replay-tally").child(words))
    })
}

fn link(context: Context) -> AnyView {
    let link = memo(move || read(context, |share| share.link.clone().filter(|_| !share.is_link)));
    part(move || {
        Some(match link.get()? {
            Ok(fragment) => address_field(context, &fragment),
            Err(why) => p().class("run-warning").set("role", "alert").child(why),
        })
    })
}

fn address_field(context: Context, fragment: &str) -> Node {
    let text = context.text;
    let address = format!("{}#{fragment}", dom::address());
    let size = u64::try_from(address.chars().count()).unwrap_or(u64::MAX);
    let is_copied = RwSignal::new(false);
    let (shown, copied) = (address.clone(), address);
    let field = input()
        .set("type", "text")
        .class("field-input field-mono")
        .testid("share-link")
        .set("readonly", "")
        .value(move || shown.clone())
        .on("focus", |event| select_all(&event));
    let says = move || if is_copied.get() { text.share_copied } else { text.share_copy }.to_owned();
    let copy = button("button button-primary")
        .testid("share-copy")
        .disabled_while(move || read(context, |share| !share.is_written))
        .press(move || {
            send(context, ShareEvent::Copy(copied.clone()));
            is_copied.set(true);
        })
        .child(icon(Sign::Copy))
        .child(span().set("aria-live", "polite").text(says));
    let heading = format!("{} · {}", text.share_link, text.share_size.of(size));
    label()
        .class("field-label")
        .child(span().child(heading))
        .child(span().class("row").child(field).child(copy))
}

fn foot(context: Context) -> Node {
    let text = context.text;
    let download = button("button")
        .testid("share-download")
        .disabled_while(move || read(context, |share| !share.is_written))
        .press(move || send(context, ShareEvent::Download))
        .child(text.share_download);
    let edit = button("button")
        .testid("share-edit")
        .disabled_while(move || read(context, |share| share.steps.is_empty()))
        .press(move || send(context, ShareEvent::Edit))
        .child(text.share_edit);
    let is_busy = move || {
        read(context, |share| matches!(share.stage, StageView::Loading | StageView::Running))
    };
    let says = move || {
        read(context, |share| match share.stage {
            StageView::Done | StageView::Failed(_) => text.link_again,
            StageView::NotLoaded(_) => text.lab_again,
            StageView::Loading | StageView::Shown | StageView::Running => text.link_replay,
        })
        .to_owned()
    };
    let again = show(
        move || {
            read(context, |share| {
                !share.is_link
                    && matches!(share.stage, StageView::Failed(_) | StageView::NotLoaded(_))
            })
        },
        move || {
            button("button button-primary")
                .testid("lab-again")
                .press(move || send(context, ShareEvent::Replay))
                .child(text.lab_again)
        },
    );
    let of_link = show(
        move || read(context, |share| share.is_link),
        move || {
            div()
                .class("whole")
                .child(
                    button("button")
                        .testid("link-close")
                        .press(move || send(context, ShareEvent::Close))
                        .child(text.link_close),
                )
                .child(
                    button("button button-primary")
                        .testid("replay")
                        .set("autofocus", "")
                        // It keeps the focus while it can do nothing.
                        .follow("aria-disabled", move || is_busy().to_string())
                        .press(move || send(context, ShareEvent::Replay))
                        .text(says),
                )
        },
    );
    div().class("row row-end dialog-foot").child(edit).child(download).child(again).child(of_link)
}

fn select_all(event: &web_sys::Event) {
    event_target::<web_sys::HtmlInputElement>(event).select();
}
