//! The one sentence that matters most.

use leptos::prelude::*;

use crate::playground::cluster::Action;
use crate::playground::event::Event;
use crate::playground::membership::Change;
use crate::playground::view::Remedy;
use crate::ui::context::Context;
use crate::ui::node::{Node, button, div, memo, p, part};

/// One of its two places: in the header, where what comes and goes while somebody reads moves nothing, or above the panels.
///
/// Above them stands what is so from the beginning, or takes the whole page with it.
pub(crate) fn banner(context: Context, is_in_header: bool) -> Node {
    let frame = context.views.frame;
    let banner = memo(move || frame.with(|frame| frame.banner.clone()));
    // What is said of memory stands above the panels all the time.
    let is_volatile = move || frame.with(|frame| !frame.is_durable);
    let shown = part(move || {
        let banner = banner.get()?;
        let remedy = banner.remedy;
        let comes_and_goes =
            banner.is_trouble && matches!(remedy, Remedy::None | Remedy::HealAll) && !is_volatile();
        if comes_and_goes != is_in_header {
            return None;
        }
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
