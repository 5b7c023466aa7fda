//! The members: the ring, a card each, the links.

use std::sync::Arc;

use leptos::prelude::*;

use crate::playground::cluster::Action;
use crate::playground::event::Event;
use crate::playground::view::cluster::FieldView;
use crate::playground::view::{ButtonView, CardView, ClusterView, LinkView};
use crate::types::MemberId;
use crate::ui::components::faults::{self, choices};
use crate::ui::components::ring::{glyph, ring, strokes};
use crate::ui::context::Context;
use crate::ui::node::{
    Kept, Node, Row, button, dd, details, div, dl, dt, h2, h3, li, memo, p, part, rows, section,
    show, span, strong, summary, ul,
};
use crate::ui::shape::svg;

/// The sizes a cluster may have.
const SIZES: [u32; 4] = [1, 3, 5, 7];

/// The panel.
pub(crate) fn cluster(context: Context) -> Node {
    let text = context.text;
    let cluster = context.views.cluster;
    let members = memo(move || {
        cluster.with(|cluster| cluster.cards.iter().map(|card| card.member).collect::<Vec<_>>())
    });
    let cards = rows(move || {
        let row = |member: MemberId| Row::new(member.to_string(), move || card(context, member));
        members.get().into_iter().map(row).collect()
    });
    section()
        .class("panel panel-cluster")
        .set("aria-labelledby", "cluster-title")
        .child(
            div()
                .class("panel-head")
                .child(h2().set("id", "cluster-title").child(text.panel_cluster))
                .child(sizes(context)),
        )
        .child(
            div()
                .class("panel-body")
                .child(picture(context))
                .child(faults::pause(context))
                .child(adds(context))
                .child(ul().class("cards").child(cards))
                .child(faults::presets(context))
                .child(faults::pace(context))
                .child(links(context))
                .child(faults::matrix(context)),
        )
}

/// New clusters.
/// The ring, and above it the place for what is in flight.
///
/// What moves there is no part of the picture: a browser lays a picture out anew for each step of a dot in it.
fn picture(context: Context) -> Node {
    let flights = div().class("ring-flights").set("id", "ring-flights").set("aria-hidden", "true");
    div().class("ring-box").child(ring(context)).child(flights)
}

fn sizes(context: Context) -> Node {
    let text = context.text;
    let cluster = context.views.cluster;
    let note = span().class("panel-note").set("aria-hidden", "true").child(text.new_cluster);
    let mut row = div().class("sizes").set("role", "group").label(text.new_cluster).child(note);
    for size in SIZES {
        let label = text.labelled.of(text.new_cluster, &text.size_words.of(size));
        let choice = button("size")
            .class_while("is-now", move || cluster.with(|cluster| cluster.size == size))
            .testid(format!("new-cluster-{size}"))
            .label(label.clone())
            .set("title", label)
            .press(move || context.send(Event::AskNewCluster(size)))
            .child(size.to_string());
        row = row.child(choice);
    }
    row
}

/// Adds members, and tells how a change goes.
fn adds(context: Context) -> Node {
    let text = context.text;
    let cluster = context.views.cluster;
    let add = |at: usize| {
        let read = move |of: fn(&ButtonView) -> String| {
            cluster.with(|cluster| cluster.adds.get(at).map(of).unwrap_or_default())
        };
        button("button button-small")
            .follow("data-testid", move || read(|button| button.id.to_owned()))
            .disabled_while(move || {
                cluster.with(|cluster| cluster.adds.get(at).is_none_or(|button| !button.is_enabled))
            })
            .press(move || {
                let pick = |cluster: &ClusterView| cluster.adds.get(at).map(|button| button.action);
                if let Some(action) = cluster.with_untracked(pick) {
                    context.send(Event::Act(action));
                }
            })
            .text(move || read(|button| button.label.to_owned()))
    };
    let notice = memo(move || cluster.with(|cluster| cluster.notice.clone()));
    let notice = part(move || {
        let notice = notice.get()?;
        let classes = if notice.is_trouble { "change-notice is-trouble" } else { "change-notice" };
        Some(p().class(classes).testid("change-notice").child(notice.text))
    });
    div()
        .class("members-head")
        .child(h3().class("links-title").child(text.members))
        .child(span().class("card-buttons").child(add(0)).child(add(1)))
        .child(div().class("whole").set("role", "status").child(notice))
}

/// Reads a member's card; it may just have gone.
#[derive(Clone, Copy)]
struct Card {
    context: Context,
    view: Kept<Option<Arc<CardView>>>,
}

impl Card {
    fn read<T: Default>(self, of: impl FnOnce(&CardView) -> T) -> T {
        self.view.get().map(|card| of(&card)).unwrap_or_default()
    }

    fn first<T: Default>(self, of: impl FnOnce(&CardView) -> T) -> T {
        untrack(move || self.read(of))
    }
}

fn card(context: Context, member: MemberId) -> Node {
    let card = Card { context, view: context.card(member) };
    let mark = move || card.read(|card| card.mark.name().to_owned());
    let lines = move || card.read(|card| strokes(card.mark).to_owned());
    let name = card.first(|card| card.name.clone());
    let trouble = memo(move || card.read(|card| card.trouble.clone()));
    let text = context.text;
    let trouble = part(move || {
        let (sentence, remedy) = trouble.get()?;
        let remedy = strong().child(remedy);
        Some(
            p().class("card-trouble")
                .set("role", "alert")
                .child(sentence)
                .child(text.sentence_gap)
                .child(remedy),
        )
    });
    let sign = svg("-14 -14 28 28")
        .class("card-glyph")
        .set("width", "22")
        .set("height", "22")
        .set("aria-hidden", "true")
        .child(glyph(mark, lines));
    let isolated = show(
        move || card.read(|card| card.is_isolated),
        move || span().class("tag tag-bad").child(text.tag_isolated),
    );
    let removed = show(
        move || card.read(|card| card.is_removed),
        move || span().class("tag tag-bad").child(text.tag_removed),
    );
    let disturbed = show(
        move || card.read(|card| !card.fault_words.is_empty()),
        move || {
            span().class("tag tag-bad").text(move || card.read(|card| card.fault_words.clone()))
        },
    );
    let role = span()
        .class("card-role")
        .testid(format!("role-{name}"))
        .text(move || card.read(|card| card.role.to_owned()));
    let head = div()
        .class("card-head")
        .child(sign)
        .child(h3().class("card-name").child(name.clone()))
        .child(role)
        .child(isolated)
        .child(removed)
        .child(disturbed)
        .child(div().class("card-buttons").child(buttons(card, &name, |card| &card.buttons)));
    li().class("card")
        .testid(format!("member-card-{name}"))
        .follow("data-mark", mark)
        .child(head)
        .child(trouble)
        .child(named(card, &name, "card-offers", |card| &card.offers))
        .child(waits(card, &name))
        .child(fields(card, &name, |card| &card.fields))
        .child(more(card, &name))
        .child(timer(card))
}

/// What it waits for; its line is there also while it waits for nothing.
fn waits(card: Card, name: &str) -> Node {
    let words = move || card.read(|card| card.waits.clone());
    p().class("card-waits").testid(format!("waits-{name}")).follow("title", words).text(words)
}

/// What is shown on demand.
fn more(card: Card, name: &str) -> Node {
    let text = card.context.text;
    let head = summary()
        .testid(format!("more-{name}"))
        .child(span().set("aria-hidden", "true").child(text.details))
        .child(span().class("visually-hidden").child(text.action_more.of(name)));
    details()
        .class("card-more")
        .child(head)
        .child(fields(card, name, |card| &card.more))
        .child(p().class("card-endpoint").child(card.first(|card| card.endpoint.clone())))
        .child(named(card, name, "row", |card| &card.rare))
        .child(choices(
            card.context,
            format!("fault-{name}"),
            text.faults_member.of(name),
            memo(move || card.read(|card| card.faults.clone())),
        ))
}

/// Buttons that come and go.
fn named(card: Card, name: &str, classes: &'static str, pick: Picked<ButtonView>) -> Node {
    let ids = memo(move || {
        card.read(|card| pick(card).iter().map(|button| button.id).collect::<Vec<_>>())
    });
    let name = name.to_owned();
    let list = rows(move || {
        let row = |(at, id): (usize, &'static str)| {
            let name = name.clone();
            Row::new(format!("{at} {id}"), move || action(card, name, at, pick))
        };
        ids.get().into_iter().enumerate().map(row).collect()
    });
    div().class(classes).child(list)
}

type Picked<T> = fn(&CardView) -> &Vec<T>;

fn buttons(card: Card, name: &str, pick: Picked<ButtonView>) -> Vec<Node> {
    let count = card.first(|card| pick(card).len());
    (0..count).map(|at| action(card, name.to_owned(), at, pick)).collect()
}

fn action(card: Card, name: String, at: usize, pick: Picked<ButtonView>) -> Node {
    let read = move |of: fn(&ButtonView) -> String| {
        card.read(|card| pick(card).get(at).map(of).unwrap_or_default())
    };
    button("button button-small")
        .class_while("is-harsh", move || {
            card.read(|card| pick(card).get(at).is_some_and(|button| button.is_harsh))
        })
        .follow("data-testid", move || format!("{}-{name}", read(|button| button.id.to_owned())))
        .follow("aria-label", move || read(|button| button.title.clone()))
        .disabled_while(move || {
            card.read(|card| pick(card).get(at).is_none_or(|button| !button.is_enabled))
        })
        .press(move || {
            if let Some(action) = card.first(|card| pick(card).get(at).map(|button| button.action))
            {
                card.context.send(Event::Act(action));
            }
        })
        .text(move || read(|button| button.label.to_owned()))
}

fn fields(card: Card, name: &str, pick: Picked<FieldView>) -> Node {
    let mut list = dl().class("fields");
    for (at, field) in card.first(|card| pick(card).clone()).into_iter().enumerate() {
        let value = dd().testid(format!("{}-{name}", field.id)).text(move || {
            card.read(|card| {
                pick(card).get(at).map(|field| field.value.clone()).unwrap_or_default()
            })
        });
        list = list.child(div().class("field").child(dt().child(field.label)).child(value));
    }
    list
}

fn timer(card: Card) -> Node {
    let words = move || card.read(|card| card.timer.clone());
    let bar = span()
        .class("timer-bar")
        .property("--part", move || format!("{}e-3", card.read(|card| card.timer_permille)));
    div()
        .class("timer")
        .follow("title", words)
        .child(bar)
        .child(span().class("visually-hidden").text(words))
}

fn links(context: Context) -> AnyView {
    let cluster = context.views.cluster;
    show(
        move || cluster.with(|cluster| !cluster.links.is_empty()),
        move || {
            let text = context.text;
            let heal = button("button button-small")
                .testid("heal-all")
                .disabled_while(move || cluster.with(|cluster| !cluster.can_heal))
                .press(move || context.send(Event::Act(Action::HealAll)))
                .child(text.heal_all);
            let ids = memo(move || {
                cluster.with(|cluster| {
                    cluster.links.iter().map(|link| link.id.clone()).collect::<Vec<_>>()
                })
            });
            let list = rows(move || {
                let row = |id: String| Row::new(id.clone(), move || link_row(context, id));
                ids.get().into_iter().map(row).collect()
            });
            div()
                .class("whole")
                .child(
                    div()
                        .class("links-head")
                        .child(h3().class("links-title").child(text.links))
                        .child(heal),
                )
                .child(ul().class("links").child(list))
        },
    )
}

/// Reads a link; it may just have gone.
#[derive(Clone)]
struct Link {
    context: Context,
    id: String,
    view: Kept<Option<Arc<LinkView>>>,
}

impl Link {
    fn new(context: Context, id: String) -> Self {
        let (cluster, wanted) = (context.views.cluster, id.clone());
        let view = memo(move || {
            cluster.with(|cluster| {
                let link = cluster.links.iter().find(|link| link.id == wanted);
                link.cloned().map(Arc::new)
            })
        });
        Self { context, id, view }
    }

    fn read<T: Default>(&self, of: impl FnOnce(&LinkView) -> T) -> T {
        self.view.get().map(|link| of(&link)).unwrap_or_default()
    }

    fn text(&self, of: fn(&LinkView) -> String) -> impl Fn() -> String + Send + Sync + 'static {
        let link = self.clone();
        move || link.read(of)
    }

    fn is_cut(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let link = self.clone();
        move || link.read(|link| link.button.id != "cut")
    }

    /// Does what the button that is picked does now.
    fn press(&self, pick: impl Fn(&LinkView) -> Option<Action> + 'static) -> impl Fn() + 'static {
        let link = self.clone();
        move || {
            if let Some(action) = untrack(|| link.read(&pick)) {
                link.context.send(Event::Act(action));
            }
        }
    }
}

fn link_row(context: Context, id: String) -> Node {
    let link = Link::new(context, id);
    let id = &link.id;
    let is_cut = link.is_cut();
    let toggle = button("button button-small")
        .class_while("is-harsh", move || !is_cut())
        .testid(format!("toggle-link-{id}"))
        .follow("aria-label", link.text(|link| link.button.title.clone()))
        .press(link.press(|link| Some(link.button.action)))
        .text(link.text(|link| link.button.label.to_owned()));
    li().class("link-row")
        .class_while("is-cut", link.is_cut())
        .testid(format!("link-{id}"))
        .child(span().class("link-name").text(link.text(|link| link.name.clone())))
        .child(span().class("link-words").text(link.text(|link| link.words.clone())))
        .child(
            span()
                .class("link-buttons")
                .child(one_way(&link, 0, "forth", "\u{2192}"))
                .child(one_way(&link, 1, "back", "\u{2190}"))
                .child(toggle),
        )
}

/// Cuts one direction; there only while that can be done.
fn one_way(link: &Link, at: usize, way: &'static str, arrow: &'static str) -> AnyView {
    let (is_there, link) = (link.clone(), link.clone());
    show(
        move || is_there.read(|link| link.one_way.get(at).is_some()),
        move || {
            let title = move |link: &LinkView| {
                link.one_way.get(at).map(|button| button.title.clone()).unwrap_or_default()
            };
            let (label, hint) = (link.clone(), link.clone());
            button("button button-small is-harsh")
                .testid(format!("cut-{way}-{}", link.id))
                .follow("aria-label", move || label.read(title))
                .follow("title", move || hint.read(title))
                .press(link.press(move |link| link.one_way.get(at).map(|button| button.action)))
                .child(arrow)
        },
    )
}
