//! The frame: header, banner, panels, dialogs.

use leptos::prelude::*;

use crate::playground::event::{Panel, Theme};
use crate::ui::components::{
    Banner, Cluster, Console, Dialogs, Events, Header, Keys, PanelTabs, ShareDialog, Tutorial,
};
use crate::ui::context::Context;
use crate::ui::dom;

/// For style sheets.
const fn panel_name(panel: Panel) -> &'static str {
    match panel {
        Panel::Tutorial => "tutorial",
        Panel::Console => "console",
        Panel::Cluster => "cluster",
        Panel::Keys => "keys",
        Panel::Events => "events",
    }
}

/// The whole page.
#[component]
pub(crate) fn App(context: Context) -> impl IntoView {
    let frame = context.views.frame;
    dom::set_root_attribute("lang", context.text.language);
    Effect::new(move |_| {
        let theme = match frame.with(|frame| frame.theme) {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        dom::set_root_attribute("data-theme", theme);
    });
    Effect::new(move |_| {
        let is_ready = frame.with(|frame| frame.is_ready);
        dom::set_body_attribute("data-ready", if is_ready { "true" } else { "false" });
    });
    let panel = Memo::new(move |_| panel_name(frame.with(|frame| frame.panel)));
    let has_tutorial = Memo::new(move |_| frame.with(|frame| frame.has_tutorial).to_string());
    view! {
        <a class="skip" href="#console-input">{context.text.skip_to_console}</a>
        <div class="shell" data-panel=panel data-tutorial=has_tutorial>
            <Header context />
            <Banner context />
            <main class="panels">
                <Tutorial context />
                <div class="column column-center">
                    <Console context />
                    <Keys context />
                </div>
                <div class="column column-right">
                    <Cluster context />
                    <Events context />
                </div>
            </main>
            <PanelTabs context />
        </div>
        <Dialogs context />
        <ShareDialog context />
    }
}
