//! Drawings with few types: [`node`](super::node) for SVG.
//!
//! What it is: the handful of shapes that the page draws with.
//! What it is not: a chart library.
//! Invariants: those of [`node`](super::node).

use std::borrow::Cow;

use leptos::prelude::*;
use leptos::svg as element;
use leptos::tachys::html::attribute::any_attribute::{AnyAttribute, IntoAnyAttribute};
use leptos::tachys::html::attribute::custom::custom_attribute;
use leptos::tachys::view::any_view::IntoAny;
use leptos::tachys::view::iterators::StaticVec;

use crate::ui::node::{Build, Child, Words, listener, live};

/// A shape before it is built.
pub(crate) struct Shape {
    kind: Kind,
    attributes: Vec<AnyAttribute>,
    children: Vec<AnyView>,
}

#[derive(Clone, Copy)]
enum Kind {
    Svg,
    Group,
    Path,
    Circle,
    Line,
    Text,
    Title,
}

/// A drawing with its box.
pub(crate) fn svg(view_box: impl Into<Cow<'static, str>>) -> Shape {
    Shape::new(Kind::Svg).set("viewBox", view_box)
}

/// Shapes that belong together.
pub(crate) const fn group() -> Shape {
    Shape::new(Kind::Group)
}

/// A path.
pub(crate) const fn path() -> Shape {
    Shape::new(Kind::Path)
}

/// A circle.
pub(crate) fn circle(
    x: &'static str,
    y: &'static str,
    radius: impl Into<Cow<'static, str>>,
) -> Shape {
    Shape::new(Kind::Circle).set("cx", x).set("cy", y).set("r", radius)
}

/// A line from one point to another.
pub(crate) fn line(from: (i32, i32), to: (i32, i32)) -> Shape {
    Shape::new(Kind::Line)
        .set("x1", from.0.to_string())
        .set("y1", from.1.to_string())
        .set("x2", to.0.to_string())
        .set("y2", to.1.to_string())
}

/// Words in a drawing.
pub(crate) const fn text() -> Shape {
    Shape::new(Kind::Text)
}

/// What a pointer that rests on a shape is told.
pub(crate) const fn title() -> Shape {
    Shape::new(Kind::Title)
}

impl Shape {
    const fn new(kind: Kind) -> Self {
        Self { kind, attributes: Vec::new(), children: Vec::new() }
    }

    /// Sets its class.
    pub(crate) fn class(self, name: &'static str) -> Self {
        self.set("class", name)
    }

    /// Sets an attribute.
    pub(crate) fn set(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        let value: String = value.into().into_owned();
        self.attributes.push(custom_attribute(name, value).into_any_attr());
        self
    }

    /// Sets an attribute that follows what its closure reads.
    pub(crate) fn follow(
        mut self,
        name: &'static str,
        mut value: impl FnMut() -> String + Send + 'static,
    ) -> Self {
        let value: Words = Box::new(move |()| value());
        self.attributes.push(custom_attribute(name, live(value)).into_any_attr());
        self
    }

    /// Hears a click.
    pub(crate) fn press(mut self, mut act: impl FnMut() + 'static) -> Self {
        self.attributes.push(listener("click", Box::new(move |_| act())));
        self
    }

    /// Has a text that follows what its closure reads.
    pub(crate) fn text(mut self, mut text: impl FnMut() -> String + Send + 'static) -> Self {
        let text: Words = Box::new(move |()| text());
        self.children.push(live(text).into_any());
        self
    }

    /// Has one more child, several, or none.
    pub(crate) fn child(mut self, child: impl Child) -> Self {
        child.add_to(&mut self.children);
        self
    }
}

impl Build for Shape {
    fn build(self) -> AnyView {
        let children: StaticVec<AnyView> = self.children.into();
        macro_rules! build {
            ($element:expr) => {
                $element.child(children).add_any_attr(self.attributes).into_any()
            };
        }
        match self.kind {
            Kind::Svg => build!(element::svg()),
            Kind::Group => build!(element::g()),
            Kind::Path => build!(element::path()),
            Kind::Circle => build!(element::circle()),
            Kind::Line => build!(element::line()),
            Kind::Text => build!(element::text()),
            Kind::Title => build!(element::title()),
        }
    }
}

impl Child for Shape {
    fn add_to(self, children: &mut Vec<AnyView>) {
        children.push(self.build());
    }
}
