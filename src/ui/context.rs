//! What every component gets: texts, signals of views, and where events go.

use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;

use crate::playground::event::Event;
use crate::playground::model::Model;
use crate::playground::strings::{Language, Strings};
use crate::playground::view::{CardView, ClusterView, ConsoleView, FrameView, LogView, ShareView};
use crate::types::MemberId;
use crate::ui::node::{Kept, memo};

/// Takes events.
#[derive(Clone, Copy)]
pub(crate) struct Sender(StoredValue<Rc<dyn Fn(Event)>, LocalStorage>);

impl Sender {
    pub(crate) fn new(take: Rc<dyn Fn(Event)>) -> Self {
        Self(StoredValue::new_local(take))
    }

    /// Hands an event to the model.
    pub(crate) fn send(self, event: Event) {
        if let Some(take) = self.0.try_get_value() {
            take(event);
        }
    }
}

/// The views, each behind a signal.
#[derive(Clone, Copy)]
pub(crate) struct Signals {
    pub(crate) frame: RwSignal<FrameView>,
    pub(crate) console: RwSignal<ConsoleView>,
    pub(crate) cluster: RwSignal<ClusterView>,
    pub(crate) log: RwSignal<LogView>,
    pub(crate) share: RwSignal<Option<ShareView>>,
}

impl Signals {
    pub(crate) fn new(model: &mut Model) -> Self {
        Self {
            frame: RwSignal::new(model.frame_view()),
            console: RwSignal::new(model.console_view()),
            cluster: RwSignal::new(model.cluster_view()),
            log: RwSignal::new(model.log_view()),
            share: RwSignal::new(model.share_view()),
        }
    }
}

/// All that a component needs.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    pub(crate) text: &'static Strings,
    /// The language of the texts; with another one all components are made anew.
    pub(crate) language: Language,
    pub(crate) views: Signals,
    pub(crate) sender: Sender,
}

impl Context {
    /// A member's card, which tells its readers only when it is another one; it may just have gone.
    ///
    /// Whoever reads the cluster itself is asked again with every state of every member.
    pub(crate) fn card(self, member: MemberId) -> Kept<Option<Arc<CardView>>> {
        let cluster = self.views.cluster;
        memo(move || {
            cluster.with(|cluster| {
                let card = cluster.cards.iter().find(|card| card.member == member);
                card.cloned().map(Arc::new)
            })
        })
    }

    pub(crate) fn send(self, event: Event) {
        self.sender.send(event);
    }
}
