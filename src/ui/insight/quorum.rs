//! What a set of members can do: switches, and five answers.

use leptos::prelude::*;

use super::Context;
use crate::playground::insight::{AnswerView, ReachView};
use crate::ui::node::{Node, Row, button, div, h3, li, memo, p, rows, show, span, ul};

pub(super) fn quorum(context: Context) -> Node {
    let text = context.text;
    let quorum = context.views.quorum;
    let ids = memo(move || {
        quorum.with(|quorum| quorum.members.iter().map(|it| it.id).collect::<Vec<_>>())
    });
    let members = rows(move || {
        let row =
            |id: crate::types::MemberId| Row::new(format!("{id:x}"), move || member(context, id));
        ids.get().into_iter().map(row).collect()
    });
    let answers = rows(move || {
        let row = |answer: AnswerView| {
            let key = format!("{} {} {}", answer.name, answer.is_yes, answer.because);
            Row::new(key, move || answer_of(context, answer))
        };
        quorum.with(|quorum| quorum.answers.clone()).into_iter().map(row).collect()
    });
    let notes = rows(move || {
        let row = |note: &'static str| Row::new(note.to_owned(), move || li().child(note));
        quorum.with(|quorum| quorum.notes.clone()).into_iter().map(row).collect()
    });
    let is_real = move || quorum.with(|quorum| quorum.is_real);
    let state =
        p().class("quorum-state").testid("quorum-state").set("aria-live", "polite").text(
            move || if is_real() { text.quorum_real } else { text.quorum_thought }.to_owned(),
        );
    let back = button("button button-small")
        .testid("quorum-back")
        .disabled_while(is_real)
        .press(move || context.act(|model| model.think_no_more()))
        .child(text.quorum_back);
    let choice = div()
        .class("quorum-choice")
        .child(h3().child(text.quorum_members))
        .child(p().class("quorum-hint").child(text.quorum_hint))
        .child(
            div()
                .class("quorum-members")
                .set("role", "group")
                .label(text.quorum_members)
                .child(members),
        )
        .child(div().class("quorum-foot").child(state).child(back));
    let outcome = div()
        .class("quorum-outcome")
        .child(h3().child(text.quorum_title))
        .child(
            ul().class("quorum-answers")
                .testid("quorum-answers")
                .set("aria-live", "polite")
                .child(answers),
        )
        .child(ul().class("quorum-notes").child(notes));
    div()
        .class("insight-view quorum")
        .testid("quorum-view")
        .set("tabindex", "0")
        .set("role", "region")
        .label(text.quorum_title)
        .child(choice)
        .child(outcome)
        .child(show(
            move || quorum.with(|quorum| quorum.members.is_empty()),
            move || p().class("empty").child(text.quorum_waiting),
        ))
}

/// Reads one member; it may just have gone.
fn read<T: Default>(
    context: Context,
    id: crate::types::MemberId,
    of: impl FnOnce(&ReachView) -> T,
) -> T {
    context.views.quorum.with(|quorum| {
        quorum.members.iter().find(|member| member.id == id).map(of).unwrap_or_default()
    })
}

fn member(context: Context, id: crate::types::MemberId) -> Node {
    let name = untrack(|| read(context, id, |it| it.name.clone()));
    let is_on = move || read(context, id, |it| it.is_on);
    button("quorum-member")
        .testid(format!("quorum-{name}"))
        .follow("aria-pressed", move || is_on().to_string())
        .press(move || context.act(|model| model.think(id)))
        .child(
            span()
                .class("quorum-box")
                .set("aria-hidden", "true")
                .text(move || if is_on() { "✓" } else { "✕" }.to_owned()),
        )
        .child(
            span().class("quorum-name").child(name).child(
                span()
                    .class("quorum-role")
                    .text(move || read(context, id, |it| format!(" {} · {}", it.role, it.why))),
            ),
        )
}

fn answer_of(context: Context, answer: AnswerView) -> Node {
    let text = context.text;
    let (sign, words) = if answer.is_yes { ("✓", text.yes) } else { ("✕", text.no) };
    li().class("quorum-answer")
        .class_if("is-no", !answer.is_yes)
        .testid(format!("quorum-answer-{}", answer.name))
        .child(span().class("quorum-sign").set("aria-hidden", "true").child(sign))
        .child(
            span()
                .class("quorum-question")
                .child(answer.question)
                .child(text.colon)
                .child(span().class("quorum-word").child(words)),
        )
        .child(span().class("quorum-because").child(answer.because))
}
