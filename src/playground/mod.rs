//! The page without a DOM: event, model, update, effect, view.
//!
//! What it is: everything the page knows and decides. [`model::Model::update`] takes one
//! [`event::Event`] and gives back effects; the structs of [`view`] are what there is to see.
//! What it is not: markup, timers, sockets or storage; it runs natively and its tests do.
//! Invariants: no clock (time comes with [`edge::News`]); every text a person reads comes from
//! [`strings`]; foreign bytes reach a view only through [`escape`].

pub mod cluster;
mod complete;
pub mod console;
pub mod edge;
pub mod escape;
pub mod event;
pub mod insight;
mod keeper;
pub mod keys;
pub mod layout;
pub mod membership;
pub mod model;
mod record;
pub mod reference;
pub mod settings;
pub mod share;
pub mod strings;
pub mod timeline;
pub mod view;
pub mod waits;
