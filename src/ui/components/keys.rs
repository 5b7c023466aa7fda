//! Keys, every revision of one, and the key space as it was.

use leptos::prelude::*;

use crate::playground::event::{Event, KeysEvent};
use crate::playground::view::{KeyRow, PastRow, PastView, RevisionRow};
use crate::ui::context::Context;

/// The panel.
#[component]
pub(crate) fn Keys(context: Context) -> impl IntoView {
    let text = context.text;
    let keys = context.views.keys;
    let send = move |event| context.send(Event::Keys(event));
    let filter = Memo::new(move |_| keys.with(|keys| keys.filter.clone()));
    let note = Memo::new(move |_| {
        keys.with(|keys| {
            let mut note = (text.keys_count)(keys.total);
            if keys.is_live {
                note.push_str(" · ");
                note.push_str(&(text.keys_live)(&keys.revision.to_string()));
            } else {
                note.push_str(" · ");
                note.push_str(text.keys_behind);
            }
            if keys.compact_revision > 0 {
                note.push_str(" · ");
                note.push_str(&(text.keys_compacted)(&keys.compact_revision.to_string()));
            }
            note
        })
    });
    view! {
        <section class="panel panel-keys" aria-labelledby="keys-title">
            <div class="panel-head">
                <h2 id="keys-title">{text.panel_keys}</h2>
                <p class="panel-note" data-testid="keys-note">{note}</p>
                <input
                    type="search"
                    class="field-input"
                    data-testid="key-filter"
                    aria-label=text.keys_filter
                    placeholder=text.keys_filter
                    spellcheck="false"
                    prop:value=move || filter.get()
                    on:input=move |event| send(KeysEvent::Filter(event_target_value(&event)))
                />
            </div>
            <div class="keys-body">
                <Space context />
                <History context />
            </div>
        </section>
    }
}

/// The key space: now, or at a revision.
#[component]
fn Space(context: Context) -> impl IntoView {
    let text = context.text;
    let keys = context.views.keys;
    let past = Memo::new(move |_| keys.with(|keys| keys.past.clone()));
    let is_empty = Memo::new(move |_| keys.with(|keys| keys.total == 0));
    let more = Memo::new(move |_| {
        keys.with(|keys| {
            keys.matching.saturating_sub(u64::try_from(keys.rows.len()).unwrap_or(u64::MAX))
        })
    });
    let has_more = Memo::new(move |_| more.get() > 0);
    view! {
        <div class="space" tabindex="0" role="region" aria-label=text.panel_keys>
            <Show
                when=move || past.with(Option::is_some)
                fallback=move || {
                    view! {
                        <ul class="key-list" data-testid="key-list">
                            <For
                                each=move || keys.with(|keys| keys.rows.clone())
                                key=|row| row.clone_key()
                                let(row)
                            >
                                {key_row(context, row)}
                            </For>
                        </ul>
                        <Show when=move || is_empty.get()>
                            <p class="empty">{text.keys_empty}</p>
                        </Show>
                        <Show when=move || has_more.get()>
                            <p class="empty">{move || (text.keys_more)(more.get())}</p>
                        </Show>
                    }
                }
            >
                {move || past.get().map(|past| past_view(context, past))}
            </Show>
        </div>
    }
}

impl KeyRow {
    /// What a row's element is made anew for.
    fn clone_key(&self) -> (bytes::Bytes, i64, u64, bool) {
        (self.key.clone(), self.mod_revision, self.revisions, self.is_selected)
    }
}

fn key_row(context: Context, row: KeyRow) -> impl IntoView {
    let text = context.text;
    let key = row.key.clone();
    view! {
        <li>
            <button
                type="button"
                class="key"
                class:is-deleted=row.is_deleted
                data-testid="key-row"
                aria-pressed=row.is_selected.to_string()
                on:click=move |_| context.send(Event::Keys(KeysEvent::Select(Some(key.clone()))))
            >
                <span class="key-name">{row.name}</span>
                <span class="key-meta">
                    {row.is_deleted.then(|| view! { <span class="tag">{text.key_deleted}</span> })}
                    {(text.key_versions)(row.revisions)}
                </span>
            </button>
        </li>
    }
}

fn past_view(context: Context, past: PastView) -> impl IntoView {
    let text = context.text;
    let body = match past.rows {
        None => view! { <p class="empty">{text.past_loading}</p> }.into_any(),
        Some(Err(error)) => {
            view! { <p class="past-error" role="alert" data-testid="past-error">{(text.past_error)(&error)}</p> }
                .into_any()
        }
        Some(Ok(rows)) if rows.is_empty() => {
            view! { <p class="empty">{text.past_empty}</p> }.into_any()
        }
        Some(Ok(rows)) => {
            let shown = i64::try_from(rows.len()).unwrap_or(i64::MAX);
            let more = u64::try_from(past.count.saturating_sub(shown)).unwrap_or(0);
            view! {
                <ul class="past-list" data-testid="past-list">
                    {rows.into_iter().map(|row| past_row(context, row)).collect_view()}
                </ul>
                {(more > 0).then(|| view! { <p class="empty">{(text.keys_more)(more)}</p> })}
            }
                .into_any()
        }
    };
    view! {
        <div class="past" data-testid="key-space-at">
            <div class="past-head">
                <h3>{(text.past_title)(&past.revision.to_string())}</h3>
                <button
                    type="button"
                    class="button button-small"
                    data-testid="past-back"
                    on:click=move |_| context.send(Event::Keys(KeysEvent::LookAtNow))
                >
                    {text.past_back}
                </button>
            </div>
            {body}
        </div>
    }
}

fn past_row(context: Context, row: PastRow) -> impl IntoView {
    view! {
        <li class="past-row" class:is-fresh=row.is_fresh>
            <span class="past-key">{row.name}</span>
            <span class="past-value">{row.value}</span>
            <span class="key-meta">
                {row.is_fresh.then(|| view! { <span class="tag tag-good">{context.text.past_fresh}</span> })}
                {format!("{} {} · {} {}", context.text.col_revision, row.mod_revision, context.text.col_version, row.version)}
            </span>
        </li>
    }
}

/// Every revision of the chosen key.
#[component]
fn History(context: Context) -> impl IntoView {
    let text = context.text;
    let keys = context.views.keys;
    let selected = Memo::new(move |_| keys.with(|keys| keys.selected.clone()));
    let older = Memo::new(move |_| keys.with(|keys| keys.older_revisions));
    let has_older = Memo::new(move |_| older.get() > 0);
    let is_bounded = Memo::new(move |_| keys.with(|keys| keys.is_bounded));
    view! {
        <div class="history" tabindex="0" role="region" aria-label=text.col_revision>
            <Show
                when=move || selected.with(Option::is_some)
                fallback=move || view! { <p class="empty">{text.key_choose}</p> }
            >
                <h3 class="history-title" data-testid="key-history">
                    {move || selected.get().map(|key| (text.key_history)(&key))}
                </h3>
                <table class="revisions">
                    <thead>
                        <tr>
                            <th scope="col" class="is-number" title=text.col_revision_hint>{text.col_revision}</th>
                            <th scope="col" class="is-number" title=text.col_create_hint>{text.col_create}</th>
                            <th scope="col" class="is-number" title=text.col_version_hint>{text.col_version}</th>
                            <th scope="col">{text.col_value}</th>
                        </tr>
                    </thead>
                    <tbody>
                        <For
                            each=move || keys.with(|keys| keys.revisions.clone())
                            key=|row| (row.mod_revision, row.is_selected, row.is_compacted)
                            let(row)
                        >
                            {revision_row(context, row)}
                        </For>
                    </tbody>
                </table>
                <Show when=move || has_older.get()>
                    <p class="empty">{move || (text.key_older)(older.get())}</p>
                </Show>
                <Show when=move || is_bounded.get()>
                    <p class="empty">{text.keys_bounded}</p>
                </Show>
            </Show>
        </div>
    }
}

fn revision_row(context: Context, row: RevisionRow) -> impl IntoView {
    let text = context.text;
    let revision = row.mod_revision;
    let value = if row.is_delete {
        view! { <span class="tag tag-bad">{text.tombstone}</span> }.into_any()
    } else {
        row.value.into_any()
    };
    let dash = |number: i64| if number == 0 { "–".to_owned() } else { number.to_string() };
    view! {
        <tr
            class="revision"
            class:is-selected=row.is_selected
            class:is-compacted=row.is_compacted
            data-testid="key-revision"
        >
            <td class="is-number">
                <button
                    type="button"
                    class="revision-button"
                    data-testid=format!("revision-{revision}")
                    aria-label=(text.look_at)(&revision.to_string())
                    aria-pressed=row.is_selected.to_string()
                    title=(text.look_at)(&revision.to_string())
                    on:click=move |_| context.send(Event::Keys(KeysEvent::LookAt(revision)))
                >
                    {revision}
                </button>
            </td>
            <td class="is-number">{dash(row.create_revision)}</td>
            <td class="is-number">{dash(row.version)}</td>
            <td class="revision-value">
                {value}
                {row.is_compacted.then(|| view! { <span class="tag">{text.compacted_mark}</span> })}
            </td>
        </tr>
    }
}
