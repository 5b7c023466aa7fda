//! On a narrow screen: which panel is shown.

use leptos::prelude::*;

use crate::playground::event::{Event, Panel};
use crate::ui::components::icon::{Icon, Sign};
use crate::ui::context::Context;

/// The row of panels.
#[component]
pub(crate) fn PanelTabs(context: Context) -> impl IntoView {
    let text = context.text;
    let frame = context.views.frame;
    let tabs = [
        (Panel::Tutorial, "tutorial", text.panel_tutorial, Sign::Tutorial),
        (Panel::Console, "console", text.panel_console, Sign::Console),
        (Panel::Cluster, "cluster", text.panel_cluster, Sign::Cluster),
        (Panel::Keys, "keys", text.panel_keys, Sign::Keys),
        (Panel::Events, "events", text.panel_events, Sign::Events),
    ];
    view! {
        <nav class="panel-tabs" aria-label=text.panels>
            {tabs
                .into_iter()
                .map(|(panel, name, label, sign)| {
                    let is_shown = move || frame.with(|frame| frame.panel == panel);
                    view! {
                        <button
                            type="button"
                            class="panel-tab"
                            data-testid=format!("panel-{name}")
                            data-for=name
                            aria-current=move || if is_shown() { "true" } else { "false" }
                            on:click=move |_| context.send(Event::ShowPanel(panel))
                        >
                            <Icon sign />
                            <span>{label}</span>
                        </button>
                    }
                })
                .collect_view()}
        </nav>
    }
}
