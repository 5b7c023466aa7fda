//! What is exact, simplified or absent, and the counts of the suites.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use super::Context;
use super::fetch::{get, read_json, words_of};
use crate::playground::insight::Suite;
use crate::ui::node::{
    Node, div, h3, li, p, part, section, span, table, tbody, td, th, thead, tr, ul,
};

pub(super) fn exact(context: Context) -> Node {
    let text = context.text;
    let exact = context.views.exact;
    fetch_suites(context);
    let counts = part(move || {
        Some(match exact.with(|exact| exact.suites.clone()) {
            None => p().class("exact-note").set("role", "status").child(text.suites_loading),
            Some(Err(reason)) => {
                p().class("exact-note").set("role", "alert").child((text.suites_failed)(&reason))
            }
            Some(Ok(suites)) => table_of(context, suites),
        })
    });
    let suites = section().class("exact-suites").child(h3().child(text.suites_title)).child(counts);
    let mut all = div()
        .class("insight-view exact")
        .testid("exact-view")
        .set("tabindex", "0")
        .set("role", "region")
        .label(text.exact_title)
        .child(suites);
    let groups = exact.with_untracked(|exact| exact.groups.clone());
    for ((title, sentences), (sign, kind)) in
        groups.into_iter().zip([("=", "exact"), ("≈", "simplified"), ("–", "absent")])
    {
        let mut list = ul().class("exact-list");
        for sentence in sentences {
            let mark = span().class("exact-sign").set("aria-hidden", "true").child(sign);
            list = list.child(li().child(mark).child(span().child(sentence)));
        }
        let group = section()
            .class("exact-group")
            .set("data-kind", kind)
            .child(h3().child(title))
            .child(list);
        all = all.child(group);
    }
    all
}

fn table_of(context: Context, suites: Vec<Suite>) -> Node {
    let text = context.text;
    let column = |words: &'static str| th().set("scope", "col").child(words);
    let number = |count: u64| td().class("is-number").child(count.to_string());
    let head = tr()
        .child(column(text.suite_name))
        .child(column(text.suite_passed).class("is-number"))
        .child(column(text.suite_failed).class("is-number"))
        .child(column(text.suite_of).class("is-number"));
    let mut body = tbody();
    for suite in suites {
        let row = tr()
            .child(th().set("scope", "row").child(suite.suite))
            .child(number(suite.passed))
            .child(number(suite.failed))
            .child(number(suite.of));
        body = body.child(row);
    }
    table().class("exact-table").testid("suites").child(thead().child(head)).child(body)
}

/// Fetches the counts, once they are looked at.
fn fetch_suites(context: Context) {
    leptos::task::spawn_local(async move {
        let suites = read_suites().await.map_err(|error| words_of(&error));
        context.act(|model| model.set_suites(suites));
    });
}

async fn read_suites() -> Result<Vec<Suite>, JsValue> {
    let list = read_json("suites.json").await?;
    let mut suites = Vec::new();
    for entry in js_sys::Array::from(&list).iter() {
        let number = |name: &str| {
            let number = get(&entry, name).as_f64().unwrap_or(0.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "saturating is what is wanted"
            )]
            let whole = number as u64;
            whole
        };
        suites.push(Suite {
            suite: get(&entry, "suite").as_string().unwrap_or_default(),
            passed: number("passed"),
            failed: number("failed"),
            of: number("of"),
        });
    }
    Ok(suites)
}
