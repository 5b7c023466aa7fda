//! The one sentence that matters most.

use leptos::prelude::*;

use crate::playground::cluster::Action;
use crate::playground::event::Event;
use crate::playground::membership::Change;
use crate::playground::view::Remedy;
use crate::ui::context::Context;
use crate::ui::node::{Node, button, div, memo, p, part};

/// Above the panels.
pub(crate) fn banner(context: Context) -> Node {
    let frame = context.views.frame;
    let banner = memo(move || frame.with(|frame| frame.banner.clone()));
    let shown = part(move || {
        let banner = banner.get()?;
        let remedy = banner.remedy;
        let way_out = (remedy != Remedy::None).then(|| {
            button("button")
                .testid("banner-remedy")
                .press(move || press(context, remedy))
                .child(banner.label)
        });
        Some(
            div()
                .class("banner")
                .class_if("is-trouble", banner.is_trouble)
                .testid("banner")
                .child(p().child(banner.text))
                .child(way_out),
        )
    });
    div().class("banner-slot").set("role", "status").set("aria-live", "polite").child(shown)
}

fn press(context: Context, remedy: Remedy) {
    match remedy {
        Remedy::None => {}
        Remedy::TakeOver => context.send(Event::TakeOver),
        Remedy::NewCluster => {
            let size = context.views.cluster.with_untracked(|cluster| cluster.size);
            context.send(Event::AskNewCluster(if size == 0 { 3 } else { size }));
        }
        Remedy::HealAll => context.send(Event::Act(Action::HealAll)),
        Remedy::Replace(member) => {
            context.send(Event::Act(Action::Change(Change::Replace(member))));
        }
    }
}
