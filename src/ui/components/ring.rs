//! The cluster as a picture: discs on a ring, lines between them.

use leptos::prelude::*;

use crate::playground::event::Event;
use crate::playground::view::ring::{HEIGHT, NODE_RADIUS, WIDTH};
use crate::playground::view::{CardView, LinkState, LinkView, Mark};
use crate::ui::context::Context;

/// The picture. Its text twin is its label; links can be pressed here and in the list below it.
#[component]
pub(crate) fn Ring(context: Context) -> impl IntoView {
    let cluster = context.views.cluster;
    let text = context.text;
    let links = Memo::new(move |_| cluster.with(|cluster| cluster.links.clone()));
    let label = Memo::new(move |_| cluster.with(|cluster| (text.ring_label)(&cluster.summary)));
    let members = Memo::new(move |_| {
        cluster.with(|cluster| cluster.cards.iter().map(|card| card.member).collect::<Vec<_>>())
    });
    view! {
        <svg
            class="ring"
            viewBox=format!("0 0 {WIDTH} {HEIGHT}")
            role="img"
            aria-label=label
            data-testid="ring"
        >
            {move || links.get().into_iter().map(|link| link_view(context, &link)).collect_view()}
            <For each=move || members.get() key=|member| *member let(member)>
                {move || {
                    cluster.with(|cluster| {
                        cluster.cards.iter().find(|card| card.member == member).map(node_view)
                    })
                }}
            </For>
        </svg>
    }
}

fn link_view(context: Context, link: &LinkView) -> impl IntoView + use<> {
    let line = link.line;
    let state = match link.state {
        LinkState::Open => "open",
        LinkState::Idle => "idle",
        LinkState::Cut => "cut",
        LinkState::CutForth => "cut-forth",
        LinkState::CutBack => "cut-back",
    };
    let middle = line.middle();
    // A direction that is cut is broken at the end where nothing arrives.
    let break_at = match link.state {
        LinkState::Open | LinkState::Idle => None,
        LinkState::Cut => Some(middle),
        LinkState::CutForth => Some(toward(middle, line.to)),
        LinkState::CutBack => Some(toward(middle, line.from)),
    };
    let action = link.button.action;
    view! {
        <g class="ring-link" data-state=state data-led=link.is_led.to_string()>
            <line class="ring-line" x1=line.from.x y1=line.from.y x2=line.to.x y2=line.to.y />
            {break_at
                .map(|at| {
                    view! {
                        <path
                            class="ring-break"
                            d=format!("M{} {}l12 12M{} {}l-12 12", at.x - 6, at.y - 6, at.x + 6, at.y - 6)
                        />
                    }
                })}
            <line
                class="ring-hit"
                x1=line.from.x
                y1=line.from.y
                x2=line.to.x
                y2=line.to.y
                on:click=move |_| context.send(Event::Act(action))
            >
                <title>{format!("{} ({})", link.sentence, link.button.label)}</title>
            </line>
        </g>
    }
}

const fn toward(
    from: crate::playground::view::ring::Point,
    to: crate::playground::view::ring::Point,
) -> crate::playground::view::ring::Point {
    crate::playground::view::ring::Point { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
}

fn node_view(card: &CardView) -> impl IntoView + use<> {
    let (x, y) = (card.at.x, card.at.y);
    let r = NODE_RADIUS;
    view! {
        <g
            class="ring-node"
            data-mark=card.mark.name()
            data-isolated=card.is_isolated.to_string()
            transform=format!("translate({x} {y})")
        >
            <circle class="ring-halo" r=r + 6 />
            <circle class="ring-disc" r=r />
            {glyph(card.mark)}
            <text class="ring-name" y=r + 17>{card.name.clone()}</text>
        </g>
    }
}

/// The sign inside a disc: role by shape.
pub(crate) fn glyph(mark: Mark) -> impl IntoView {
    let path = match mark {
        Mark::Leader => "M-11 6l-2-13 7 5 6-9 6 9 7-5-2 13z",
        Mark::Follower => "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
        Mark::Candidate | Mark::PreCandidate => "M0-11L11 0 0 11-11 0z",
        Mark::Learner => "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
        Mark::Paused => "M-7-9h5v18h-5zM2-9h5v18H2z",
        Mark::Starting => "M-9 0h4M-2 0h4M5 0h4",
        Mark::Down => "M-8-8L8 8M8-8L-8 8",
    };
    view! { <path class="glyph" data-mark=mark.name() d=path /> }
}
