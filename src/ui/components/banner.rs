//! The one sentence that matters most.

use leptos::prelude::*;

use crate::playground::cluster::Action;
use crate::playground::event::Event;
use crate::playground::view::Remedy;
use crate::ui::context::Context;

/// Above the panels.
#[component]
pub(crate) fn Banner(context: Context) -> impl IntoView {
    let frame = context.views.frame;
    let cluster = context.views.cluster;
    let banner = Memo::new(move |_| frame.with(|frame| frame.banner.clone()));
    let press = move |remedy: Remedy| match remedy {
        Remedy::None => {}
        Remedy::TakeOver => context.send(Event::TakeOver),
        Remedy::NewCluster => {
            let size = cluster.with_untracked(|cluster| cluster.size);
            context.send(Event::AskNewCluster(if size == 0 { 3 } else { size }));
        }
        Remedy::HealAll => context.send(Event::Act(Action::HealAll)),
    };
    view! {
        <div class="banner-slot" role="status" aria-live="polite">
            {move || {
                banner
                    .get()
                    .map(|banner| {
                        let remedy = banner.remedy;
                        view! {
                            <div class="banner" class:is-trouble=banner.is_trouble data-testid="banner">
                                <p>{banner.text}</p>
                                {(remedy != Remedy::None)
                                    .then(|| {
                                        view! {
                                            <button
                                                type="button"
                                                class="button"
                                                data-testid="banner-remedy"
                                                on:click=move |_| press(remedy)
                                            >
                                                {banner.label}
                                            </button>
                                        }
                                    })}
                            </div>
                        }
                    })
            }}
        </div>
    }
}
