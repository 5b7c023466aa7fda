//! One component a file; each writes one view down.

mod banner;
mod cluster;
mod console;
mod dialogs;
mod events;
mod header;
mod icon;
mod keys;
mod panel_tabs;
mod prose;
mod ring;
mod share;
mod tutorial;

pub(crate) use banner::Banner;
pub(crate) use cluster::Cluster;
pub(crate) use console::Console;
pub(crate) use dialogs::Dialogs;
pub(crate) use events::Events;
pub(crate) use header::Header;
pub(crate) use keys::Keys;
pub(crate) use panel_tabs::PanelTabs;
pub(crate) use share::ShareDialog;
pub(crate) use tutorial::Tutorial;
