//! One component a file; each writes one view down.

mod banner;
mod cluster;
mod console;
mod dialogs;
mod events;
mod faults;
mod header;
mod icon;
mod keys;
mod panel_tabs;
mod prose;
mod ring;
mod share;
mod splitter;
mod tutorial;

pub(crate) use banner::banner;
pub(crate) use cluster::cluster;
pub(crate) use console::console;
pub(crate) use dialogs::{broken_link, change_question, file_question, new_cluster};
pub(crate) use events::events;
pub(crate) use header::{LANGUAGE_ID, top};
pub(crate) use icon::{Sign, icon};
pub(crate) use keys::keys;
pub(crate) use panel_tabs::panel_tabs;
pub(crate) use ring::role_glyph;
pub(crate) use share::share;
pub(crate) use splitter::splitter;
pub(crate) use tutorial::tutorial;
