//! The members: the ring, a card each, the links.

use leptos::prelude::*;

use crate::playground::cluster::Action;
use crate::playground::event::Event;
use crate::playground::view::{ButtonView, CardView, LinkView, Mark};
use crate::types::MemberId;
use crate::ui::components::ring::{Ring, glyph};
use crate::ui::context::Context;

/// The sizes a cluster may have.
const SIZES: [u32; 3] = [1, 3, 5];

/// The panel.
#[component]
pub(crate) fn Cluster(context: Context) -> impl IntoView {
    let text = context.text;
    let cluster = context.views.cluster;
    let members = Memo::new(move |_| {
        cluster.with(|cluster| cluster.cards.iter().map(|card| card.member).collect::<Vec<_>>())
    });
    view! {
        <section class="panel panel-cluster" aria-labelledby="cluster-title">
            <div class="panel-head">
                <h2 id="cluster-title">{text.panel_cluster}</h2>
                <div class="sizes" role="group" aria-label=text.new_cluster>
                    <span class="panel-note" aria-hidden="true">{text.new_cluster}</span>
                    {SIZES
                        .into_iter()
                        .map(|size| {
                            let is_now = move || cluster.with(|cluster| cluster.size == size);
                            let label = format!("{}: {}", text.new_cluster, (text.size_words)(size));
                            view! {
                                <button
                                    type="button"
                                    class="size"
                                    class:is-now=is_now
                                    data-testid=format!("new-cluster-{size}")
                                    aria-label=label.clone()
                                    title=label
                                    on:click=move |_| context.send(Event::AskNewCluster(size))
                                >
                                    {size}
                                </button>
                            }
                        })
                        .collect_view()}
                </div>
            </div>
            <div class="panel-body">
                <Ring context />
                <ul class="cards">
                    <For each=move || members.get() key=|member| *member let(member)>
                        <Card context member />
                    </For>
                </ul>
                <Links context />
            </div>
        </section>
    }
}

#[component]
fn Card(context: Context, member: MemberId) -> impl IntoView {
    let text = context.text;
    let cluster = context.views.cluster;
    let card = Memo::new(move |_| {
        cluster.with(|cluster| cluster.cards.iter().find(|card| card.member == member).cloned())
    });
    let name =
        card.with_untracked(|card| card.as_ref().map_or(String::new(), |card| card.name.clone()));
    let endpoint = card
        .with_untracked(|card| card.as_ref().map_or(String::new(), |card| card.endpoint.clone()));
    let mark =
        Memo::new(move |_| card.with(|card| card.as_ref().map_or(Mark::Down, |card| card.mark)));
    let role = Memo::new(move |_| card.with(|card| card.as_ref().map_or("", |card| card.role)));
    let is_isolated =
        Memo::new(move |_| card.with(|card| card.as_ref().is_some_and(|card| card.is_isolated)));
    let lacks_leader =
        Memo::new(move |_| card.with(|card| card.as_ref().is_some_and(|card| card.lacks_leader)));
    let trouble =
        Memo::new(move |_| card.with(|card| card.as_ref().and_then(|card| card.trouble.clone())));
    view! {
        <li
            class="card"
            data-testid=format!("member-card-{name}")
            data-mark=move || mark.get().name()
        >
            <div class="card-head">
                <svg class="card-glyph" viewBox="-14 -14 28 28" width="22" height="22" aria-hidden="true">
                    {move || glyph(mark.get())}
                </svg>
                <h3 class="card-name">{name.clone()}</h3>
                <span class="card-role" data-testid=format!("role-{name}")>{role}</span>
                <Show when=move || is_isolated.get()>
                    <span class="tag tag-bad">{text.tag_isolated}</span>
                </Show>
                <Show when=move || lacks_leader.get()>
                    <span class="tag">{text.tag_no_leader}</span>
                </Show>
                <div class="card-buttons">
                    <Buttons context card pick=|card| &card.buttons name=name.clone() />
                </div>
            </div>
            {move || {
                trouble
                    .get()
                    .map(|(sentence, remedy)| {
                        view! {
                            <p class="card-trouble" role="alert">
                                {sentence}
                                " "
                                <strong>{remedy}</strong>
                            </p>
                        }
                    })
            }}
            <Fields card pick=|card| &card.fields name=name.clone() />
            <details class="card-more">
                <summary data-testid=format!("more-{name}")>
                    <span aria-hidden="true">{text.details}</span>
                    <span class="visually-hidden">{(text.action_more)(&name)}</span>
                </summary>
                <Fields card pick=|card| &card.more name=name.clone() />
                <p class="card-endpoint">{endpoint}</p>
                <div class="row">
                    <Buttons context card pick=|card| &card.rare name=name.clone() />
                </div>
            </details>
            <Timer card />
        </li>
    }
}

type Picked<T> = fn(&CardView) -> &Vec<T>;

#[component]
fn Buttons(
    context: Context,
    card: Memo<Option<CardView>>,
    pick: Picked<ButtonView>,
    name: String,
) -> impl IntoView {
    let count = card.with_untracked(|card| card.as_ref().map_or(0, |card| pick(card).len()));
    let name = StoredValue::new(name);
    (0..count)
        .map(|at| {
            let button = Memo::new(move |_| {
                card.with(|card| card.as_ref().and_then(|card| pick(card).get(at).cloned()))
            });
            let read = move |of: fn(&ButtonView) -> String| {
                button.with(|button| button.as_ref().map(of).unwrap_or_default())
            };
            view! {
                <button
                    type="button"
                    class="button button-small"
                    class:is-harsh=move || button.with(|button| button.as_ref().is_some_and(|button| button.is_harsh))
                    data-testid=move || format!("{}-{}", read(|button| button.id.to_owned()), name.get_value())
                    aria-label=move || read(|button| button.title.clone())
                    prop:disabled=move || button.with(|button| button.as_ref().is_none_or(|button| !button.is_enabled))
                    on:click=move |_| {
                        if let Some(action) = button.with_untracked(|button| button.as_ref().map(|button| button.action)) {
                            context.send(Event::Act(action));
                        }
                    }
                >
                    {move || read(|button| button.label.to_owned())}
                </button>
            }
        })
        .collect_view()
}

#[component]
fn Fields(
    card: Memo<Option<CardView>>,
    pick: Picked<crate::playground::view::cluster::FieldView>,
    name: String,
) -> impl IntoView {
    let first = card
        .with_untracked(|card| card.as_ref().map(|card| pick(card).clone()))
        .unwrap_or_default();
    view! {
        <dl class="fields">
            {first
                .into_iter()
                .enumerate()
                .map(|(at, field)| {
                    let value = Memo::new(move |_| {
                        card.with(|card| {
                            card.as_ref().and_then(|card| pick(card).get(at).map(|field| field.value.clone()))
                        })
                    });
                    view! {
                        <div class="field">
                            <dt>{field.label}</dt>
                            <dd data-testid=format!("{}-{name}", field.id)>{value}</dd>
                        </div>
                    }
                })
                .collect_view()}
        </dl>
    }
}

#[component]
fn Timer(card: Memo<Option<CardView>>) -> impl IntoView {
    let permille =
        Memo::new(move |_| card.with(|card| card.as_ref().map_or(0, |card| card.timer_permille)));
    let words = Memo::new(move |_| {
        card.with(|card| card.as_ref().map_or(String::new(), |card| card.timer.clone()))
    });
    view! {
        <div class="timer" title=words>
            <span class="timer-bar" style:width=move || format!("{}%", permille.get() / 10)></span>
            <span class="visually-hidden">{words}</span>
        </div>
    }
}

#[component]
fn Links(context: Context) -> impl IntoView {
    let text = context.text;
    let cluster = context.views.cluster;
    let links = Memo::new(move |_| cluster.with(|cluster| cluster.links.clone()));
    let can_heal = Memo::new(move |_| cluster.with(|cluster| cluster.can_heal));
    let has_links = Memo::new(move |_| links.with(|links| !links.is_empty()));
    view! {
        <Show when=move || has_links.get()>
            <div class="links-head">
                <h3 class="links-title">{text.links}</h3>
                <button
                    type="button"
                    class="button button-small"
                    data-testid="heal-all"
                    prop:disabled=move || !can_heal.get()
                    on:click=move |_| context.send(Event::Act(Action::HealAll))
                >
                    {text.heal_all}
                </button>
            </div>
            <ul class="links">
                <For
                    each=move || links.with(|links| links.iter().map(|link| link.id.clone()).collect::<Vec<_>>())
                    key=|id| id.clone()
                    let(id)
                >
                    <LinkRow context id />
                </For>
            </ul>
        </Show>
    }
}

#[component]
fn LinkRow(context: Context, id: String) -> impl IntoView {
    let cluster = context.views.cluster;
    let wanted = id.clone();
    let link = Memo::new(move |_| {
        cluster.with(|cluster| cluster.links.iter().find(|link| link.id == wanted).cloned())
    });
    let read = move |of: fn(&LinkView) -> String| {
        link.with(|link| link.as_ref().map(of).unwrap_or_default())
    };
    let is_cut = Memo::new(move |_| {
        link.with(|link| link.as_ref().is_some_and(|link| link.button.id != "cut"))
    });
    let one_way = Memo::new(move |_| {
        link.with(|link| link.as_ref().map(|link| link.one_way.clone())).unwrap_or_default()
    });
    let press = move |button: Option<ButtonView>| {
        if let Some(button) = button {
            context.send(Event::Act(button.action));
        }
    };
    let arrows = id.clone();
    view! {
        <li class="link-row" class:is-cut=move || is_cut.get() data-testid=format!("link-{id}")>
            <span class="link-name">{move || read(|link| link.name.clone())}</span>
            <span class="link-words">{move || read(|link| link.words.clone())}</span>
            <span class="link-buttons">
                {move || {
                    one_way
                        .get()
                        .into_iter()
                        .zip([("forth", "\u{2192}"), ("back", "\u{2190}")])
                        .map(|(button, (way, arrow))| {
                            let action = button.action;
                            view! {
                                <button
                                    type="button"
                                    class="button button-small is-harsh"
                                    data-testid=format!("cut-{way}-{arrows}")
                                    aria-label=button.title.clone()
                                    title=button.title
                                    on:click=move |_| context.send(Event::Act(action))
                                >
                                    {arrow}
                                </button>
                            }
                        })
                        .collect_view()
                }}
                <button
                    type="button"
                    class="button button-small"
                    class:is-harsh=move || !is_cut.get()
                    data-testid=format!("toggle-link-{id}")
                    aria-label=move || read(|link| link.button.title.clone())
                    on:click=move |_| press(link.with_untracked(|link| link.as_ref().map(|link| link.button.clone())))
                >
                    {move || read(|link| link.button.label.to_owned())}
                </button>
            </span>
        </li>
    }
}
