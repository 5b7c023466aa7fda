//! What happened, in sentences.

use leptos::prelude::*;

use crate::playground::timeline::Weight;
use crate::ui::context::Context;

/// The log of events, newest first.
#[component]
pub(crate) fn Events(context: Context) -> impl IntoView {
    let text = context.text;
    let log = context.views.log;
    let aloud = Memo::new(move |_| log.with(|log| log.aloud.clone()));
    let is_empty = Memo::new(move |_| log.with(|log| log.lines.is_empty()));
    view! {
        <section class="panel panel-events" aria-labelledby="events-title">
            <div class="panel-head">
                <h2 id="events-title">{text.panel_events}</h2>
                <p class="panel-note" data-testid="elections" title=text.elections_hint>
                    {move || log.with(|log| log.elections.clone())}
                </p>
            </div>
            <p class="visually-hidden" aria-live="polite" data-testid="event-aloud">{aloud}</p>
            <div class="panel-body" tabindex="0" role="region" aria-labelledby="events-title">
                <ol class="events" data-testid="event-log">
                    <For each=move || log.with(|log| log.lines.clone()) key=|line| line.id let(line)>
                        <li
                            class="event"
                            data-testid="event"
                            class:is-minor=line.weight == Weight::Minor
                            class:is-trouble=line.weight == Weight::Trouble
                        >
                            <span class="event-time">{line.time.clone()}</span>
                            " "
                            <span class="event-text">{line.sentence.clone()}</span>
                        </li>
                    </For>
                </ol>
                <Show when=move || is_empty.get()>
                    <p class="empty">{text.events_empty}</p>
                </Show>
            </div>
        </section>
    }
}
