//! Elements with few types.
//!
//! What it is: a builder over Leptos for elements, live text, live attributes and keyed lists.
//! Leptos' own builders and its `view!` macro make a type per tag, per attribute and per closure, and code for
//! each; here a page has one type of element, one of attribute, one of list.
//! It more than halves the compiled page, which a visitor downloads before anything else.
//! What it is not: a renderer or a reactive system; both are Leptos'.
//! Invariants: no markup is made of strings; what a closure reads is tracked, what a row or a branch reads while
//! it is built is not; a row or a branch that goes takes its effects with it.

use std::any::Any;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use leptos::ev;
use leptos::prelude::*;
use leptos::reactive::owner::Owner;
use leptos::tachys::html::attribute::any_attribute::{AnyAttribute, IntoAnyAttribute};
use leptos::tachys::html::attribute::custom::custom_attribute;
use leptos::tachys::html::class::class;
use leptos::tachys::html::element::{Custom, custom};
use leptos::tachys::html::event::on;
use leptos::tachys::html::node_ref::node_ref;
use leptos::tachys::html::property::prop;
use leptos::tachys::html::style::style;
use leptos::tachys::reactive_graph::node_ref::NodeRef;
use leptos::tachys::reactive_graph::{OwnedView, ReactiveFunction, SharedReactiveFunction};
use leptos::tachys::view::any_view::IntoAny;
use leptos::tachys::view::iterators::StaticVec;
use leptos::tachys::view::keyed::keyed;
use leptos::web_sys;

/// A closure whose value follows what it reads, as Leptos takes it.
type Live<T> = SharedReactiveFunction<T>;

/// A closure behind one pointer to one function: a `dyn FnMut` brings a second one, a `dyn Fn` a third.
pub(crate) trait Call<In, Out>: 'static {
    /// Calls it.
    fn call(&mut self, input: In) -> Out;
}

impl<In, Out, F: FnMut(In) -> Out + 'static> Call<In, Out> for F {
    fn call(&mut self, input: In) -> Out {
        self(input)
    }
}

/// As [`Call`], for a closure that changes nothing.
trait Look<Out>: Send + Sync + 'static {
    fn look(&self) -> Out;
}

impl<Out, F: Fn() -> Out + Send + Sync + 'static> Look<Out> for F {
    fn look(&self) -> Out {
        self()
    }
}

/// A closure that gives a text.
pub(crate) type Words = Box<dyn Call<(), String> + Send>;

/// One type for all live texts.
pub(crate) fn live<T: 'static>(mut read: Box<dyn Call<(), T> + Send>) -> Live<T> {
    (move || read.call(())).into_shared()
}

/// One type for all listeners.
pub(crate) fn listener(
    event: &'static str,
    mut take: Box<dyn Call<web_sys::Event, ()>>,
) -> AnyAttribute {
    // An element that goes may lose the focus on its way, and what its listener reads has gone before it.
    let life = StoredValue::new(());
    let take = move |event: web_sys::Event| {
        if !life.is_disposed() {
            take.call(event);
        }
    };
    on(ev::Custom::<web_sys::Event>::new(event), take).into_any_attr()
}

/// Finds an element once it is in the document.
pub(crate) type Place = NodeRef<Custom<Tag>>;

/// A place that nothing has yet.
pub(crate) fn place() -> Place {
    NodeRef::new()
}

/// What stands at a place now; nothing after its component has gone, which a frame may be too late for.
pub(crate) fn found(place: Place) -> Option<web_sys::HtmlElement> {
    place.try_get_untracked().flatten()
}

/// A tag's name, in capitals: what the document calls its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag(&'static str);

impl AsRef<str> for Tag {
    fn as_ref(&self) -> &str {
        self.0
    }
}

/// An element before it is built.
pub(crate) struct Node(Box<Parts>);

/// Boxed, so that a builder's step hands on a pointer.
struct Parts {
    tag: Tag,
    classes: String,
    attributes: Vec<AnyAttribute>,
    children: Vec<AnyView>,
}

macro_rules! tags {
    ($($name:ident $tag:literal,)*) => {
        $(
            #[doc = concat!("A `", stringify!($name), "` element.")]
            pub(crate) fn $name() -> Node {
                Node::new(Tag($tag))
            }
        )*
    };
}

tags! {
    a "A",
    code "CODE",
    dd "DD",
    details "DETAILS",
    dialog "DIALOG",
    div "DIV",
    dl "DL",
    dt "DT",
    em "EM",
    h1 "H1",
    h2 "H2",
    h3 "H3",
    h4 "H4",
    header "HEADER",
    input "INPUT",
    label "LABEL",
    li "LI",
    main "MAIN",
    nav "NAV",
    ol "OL",
    p "P",
    pre "PRE",
    section "SECTION",
    span "SPAN",
    strong "STRONG",
    summary "SUMMARY",
    table "TABLE",
    tbody "TBODY",
    td "TD",
    textarea "TEXTAREA",
    th "TH",
    thead "THEAD",
    tr "TR",
    ul "UL",
}

/// A button that submits nothing.
pub(crate) fn button(classes: &'static str) -> Node {
    Node::new(Tag("BUTTON")).set("type", "button").class(classes)
}

impl Node {
    fn new(tag: Tag) -> Self {
        let (attributes, children) = (Vec::new(), Vec::new());
        Self(Box::new(Parts { tag, classes: String::new(), attributes, children }))
    }

    fn with(mut self, attribute: AnyAttribute) -> Self {
        self.0.attributes.push(attribute);
        self
    }

    /// Has these classes, too.
    pub(crate) fn class(mut self, names: &str) -> Self {
        let classes = &mut self.0.classes;
        if !classes.is_empty() {
            classes.push(' ');
        }
        classes.push_str(names);
        self
    }

    /// Has these classes, too, if `is_so`.
    pub(crate) fn class_if(self, names: &str, is_so: bool) -> Self {
        if is_so { self.class(names) } else { self }
    }

    /// Has one more class while `is_on` says so.
    pub(crate) fn class_while(
        self,
        name: &'static str,
        mut is_on: impl FnMut() -> bool + Send + 'static,
    ) -> Self {
        self.toggle(name, live(Box::new(move |()| is_on())))
    }

    fn toggle(self, name: &'static str, is_on: Live<bool>) -> Self {
        self.with(class((name, is_on)).into_any_attr())
    }

    /// Sets an attribute.
    pub(crate) fn set(self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.put(name, value.into())
    }

    fn put(self, name: &'static str, value: Cow<'static, str>) -> Self {
        self.with(custom_attribute(name, value.into_owned()).into_any_attr())
    }

    /// Sets an attribute that follows what its closure reads.
    pub(crate) fn follow(
        self,
        name: &'static str,
        mut value: impl FnMut() -> String + Send + 'static,
    ) -> Self {
        self.put_live(name, Box::new(move |()| value()))
    }

    fn put_live(self, name: &'static str, value: Words) -> Self {
        self.with(custom_attribute(name, live(value)).into_any_attr())
    }

    /// Says what it is to those who do not see it.
    pub(crate) fn label(self, words: impl Into<Cow<'static, str>>) -> Self {
        self.set("aria-label", words)
    }

    /// Gives it the name by which tests find it.
    pub(crate) fn testid(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.set("data-testid", name)
    }

    /// Is disabled while `is_off` says so.
    ///
    /// By its attribute: a property would be written again whenever its closure reads the same.
    pub(crate) fn disabled_while(self, mut is_off: impl FnMut() -> bool + Send + 'static) -> Self {
        self.with(custom_attribute("disabled", live(Box::new(move |()| is_off()))).into_any_attr())
    }

    /// The value of a field follows what its closure reads.
    pub(crate) fn value(self, mut value: impl FnMut() -> String + Send + 'static) -> Self {
        self.with(prop("value", live(Box::new(move |()| value()))).into_any_attr())
    }

    /// A switch follows what its closure reads.
    pub(crate) fn checked(self, mut is_on: impl FnMut() -> bool + Send + 'static) -> Self {
        self.with(prop("checked", live(Box::new(move |()| is_on()))).into_any_attr())
    }

    /// Its width follows what its closure reads.
    pub(crate) fn width(self, mut width: impl FnMut() -> String + Send + 'static) -> Self {
        self.styled("width", Box::new(move |()| width()))
    }

    /// Has this height.
    pub(crate) fn height(self, height: String) -> Self {
        self.styled("height", Box::new(move |()| height.clone()))
    }

    /// A property of its style sheet follows what its closure reads; while it reads nothing, it is not set.
    pub(crate) fn property(
        self,
        name: &'static str,
        mut value: impl FnMut() -> String + Send + 'static,
    ) -> Self {
        self.styled(name, Box::new(move |()| value()))
    }

    fn styled(self, name: &'static str, value: Words) -> Self {
        self.with(style((name, live(value))).into_any_attr())
    }

    /// Hears an event.
    pub(crate) fn on(
        self,
        event: &'static str,
        take: impl FnMut(web_sys::Event) + 'static,
    ) -> Self {
        self.with(listener(event, Box::new(take)))
    }

    /// Hears a click.
    pub(crate) fn press(self, mut act: impl FnMut() + 'static) -> Self {
        self.with(listener("click", Box::new(move |_| act())))
    }

    /// Can be found at `place` once it is in the document.
    pub(crate) fn at(self, place: Place) -> Self {
        self.with(node_ref(place).into_any_attr())
    }

    /// Has one more child, several, or none.
    pub(crate) fn child(mut self, child: impl Child) -> Self {
        child.add_to(&mut self.0.children);
        self
    }

    /// Has a text that follows what its closure reads.
    pub(crate) fn text(self, mut text: impl FnMut() -> String + Send + 'static) -> Self {
        self.live_text(Box::new(move |()| text()))
    }

    fn live_text(mut self, text: Words) -> Self {
        self.0.children.push(live(text).into_any());
        self
    }
}

/// What can be built.
pub(crate) trait Build {
    /// As Leptos takes it.
    fn build(self) -> AnyView;
}

impl Build for Node {
    fn build(self) -> AnyView {
        let Parts { tag, classes, mut attributes, children } = *self.0;
        if !classes.is_empty() {
            // Before the others: a class that comes and goes is added to these.
            attributes.insert(0, custom_attribute("class", classes).into_any_attr());
        }
        let children: StaticVec<AnyView> = children.into();
        custom(tag).child(children).add_any_attr(attributes).into_any()
    }
}

/// What an element can hold.
pub(crate) trait Child {
    /// Puts itself behind the children there are.
    fn add_to(self, children: &mut Vec<AnyView>);
}

impl Child for Node {
    fn add_to(self, children: &mut Vec<AnyView>) {
        children.push(self.build());
    }
}

impl Child for AnyView {
    fn add_to(self, children: &mut Vec<AnyView>) {
        children.push(self);
    }
}

impl Child for String {
    fn add_to(self, children: &mut Vec<AnyView>) {
        children.push(self.into_any());
    }
}

impl Child for &str {
    fn add_to(self, children: &mut Vec<AnyView>) {
        self.to_owned().add_to(children);
    }
}

impl<T: Child> Child for Option<T> {
    fn add_to(self, children: &mut Vec<AnyView>) {
        if let Some(child) = self {
            child.add_to(children);
        }
    }
}

impl<T: Child> Child for Vec<T> {
    fn add_to(self, children: &mut Vec<AnyView>) {
        for child in self {
            child.add_to(children);
        }
    }
}

/// A row of a list: it is made anew only when its key is a new one.
pub(crate) struct Row {
    key: String,
    make: Box<dyn FnOnce() -> AnyView + Send>,
}

impl Row {
    /// A row.
    pub(crate) fn new<B: Build>(key: String, make: impl FnOnce() -> B + Send + 'static) -> Self {
        Self { key, make: Box::new(move || make().build()) }
    }
}

/// A list that follows what its closure reads.
pub(crate) fn rows(mut each: impl FnMut() -> Vec<Row> + Send + 'static) -> AnyView {
    rows_of(Box::new(move |()| each()))
}

fn rows_of(mut each: Box<dyn Call<(), Vec<Row>> + Send>) -> AnyView {
    let parent = Owner::current().unwrap_or_default();
    let list = move || {
        let parent = parent.clone();
        let view = move |_: usize, row: Row| {
            let owner = parent.with(Owner::new);
            let view = owner.with(|| untrack(row.make));
            (drop::<usize>, OwnedView::new_with_owner(view, owner))
        };
        keyed(each.call(()), |row: &Row| row.key.clone(), view)
    };
    list.into_any()
}

/// Something that is made anew whenever what its closure reads changes, or nothing.
///
/// What has the focus loses it then: for what a person may be using, let a row's or a branch's attributes follow
/// instead.
pub(crate) fn part(mut make: impl FnMut() -> Option<Node> + Send + 'static) -> AnyView {
    parts(move || make().into_iter().map(Node::build).collect())
}

/// As [`part`], for several.
pub(crate) fn parts(mut make: impl FnMut() -> Vec<AnyView> + Send + 'static) -> AnyView {
    parts_of(Box::new(move |()| make()))
}

fn parts_of(mut make: Box<dyn Call<(), Vec<AnyView>> + Send>) -> AnyView {
    let mut count = 0_u64;
    rows(move || {
        let row = |view| {
            count += 1;
            Row { key: count.to_string(), make: Box::new(move || view) }
        };
        make.call(()).into_iter().map(row).collect()
    })
}

/// Something that is there while `is_there` says so.
pub(crate) fn show(
    is_there: impl Fn() -> bool + Send + Sync + 'static,
    make: impl Fn() -> Node + Send + Sync + 'static,
) -> AnyView {
    branches(memo(is_there), Arc::new(make), None)
}

/// One of two: the first while `is_first` says so.
pub(crate) fn either(
    is_first: impl Fn() -> bool + Send + Sync + 'static,
    first: impl Fn() -> Node + Send + Sync + 'static,
    second: impl Fn() -> Node + Send + Sync + 'static,
) -> AnyView {
    branches(memo(is_first), Arc::new(first), Some(Arc::new(second)))
}

type Branch = Arc<dyn Look<Node>>;

fn branches(is_first: Kept<bool>, first: Branch, second: Option<Branch>) -> AnyView {
    rows(move || {
        let is_first = is_first.get();
        let branch = if is_first { Some(&first) } else { second.as_ref() };
        let row = |branch: &Branch| {
            let branch = Arc::clone(branch);
            Row::new(is_first.to_string(), move || branch.look())
        };
        branch.map(row).into_iter().collect()
    })
}

/// A value whose type Leptos need not know.
#[derive(Clone)]
struct Value {
    value: Arc<dyn Any + Send + Sync>,
    is_same: fn(&dyn Any, &dyn Any) -> bool,
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        (self.is_same)(&*self.value, &*other.value)
    }
}

fn is_same<T: PartialEq + 'static>(one: &dyn Any, other: &dyn Any) -> bool {
    one.downcast_ref::<T>() == other.downcast_ref::<T>()
}

/// A value that tells those who read it only when it is another one.
pub(crate) struct Kept<T> {
    memo: Memo<Value>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Kept<T> {}

impl<T: Clone + 'static> Kept<T> {
    /// What it is now; read again when it is another one.
    pub(crate) fn get(&self) -> T {
        let Some(value) = self.memo.get().value.downcast_ref::<T>().cloned() else {
            unreachable!("a value keeps its type");
        };
        value
    }

    /// Reads it for its news alone.
    pub(crate) fn track(&self) {
        // Read, too: a value that nobody has read yet follows nothing.
        self.memo.with(|_| ());
    }
}

/// See [`Kept`].
pub(crate) fn memo<T: PartialEq + Send + Sync + 'static>(
    read: impl Fn() -> T + Send + Sync + 'static,
) -> Kept<T> {
    let read = move || Value { value: Arc::new(read()), is_same: is_same::<T> };
    Kept { memo: memo_of(Box::new(read)), value: PhantomData }
}

fn memo_of(read: Box<dyn Look<Value>>) -> Memo<Value> {
    Memo::new(move |_| read.look())
}

/// Does something now, and again whenever what it read has changed.
pub(crate) fn effect(mut run: impl FnMut() + 'static) {
    effect_of(Box::new(move |()| run()));
}

fn effect_of(mut run: Box<dyn Call<(), ()>>) {
    Effect::new(move |_| run.call(()));
}

/// Does something before the next frame is drawn.
pub(crate) fn next_frame(run: impl FnOnce() + 'static) {
    let mut run = Some(run);
    frame_of(Box::new(move |()| {
        if let Some(run) = run.take() {
            run();
        }
    }));
}

fn frame_of(mut run: Box<dyn Call<(), ()>>) {
    request_animation_frame(move || run.call(()));
}
