//! The page without a DOM: event, model, update, effect, view.

pub mod edge;
