//! A box that stays at its end while it grows, unless somebody has scrolled up.
//!
//! What it is: for the console's output and for the log: where a box stands, who has moved it, and how many rows of one
//! height it has room for.
//! What it is not: the rows, or which of them are made.
//! Invariants: places are only asked for when the layout is done or somebody scrolls, never because there is more; a
//! step of its own is not taken for a person's; only a step up stops following.

use leptos::prelude::*;
use leptos::web_sys;

use super::dom;
use super::node::{Place, found, place};

/// Rows of the element by which they are measured.
pub(crate) const ROWS_MEASURED: u16 = 100;
/// Who comes down so near to the end goes on with it. Unit: CSS pixels. Source: ours; a row and a half.
const NEAR: i32 = 32;
/// Who is so near to the end has not left it. Unit: CSS pixels. Source: ours; what zooming rounds away.
const AT_END: i32 = 2;

/// Where the box stands.
#[derive(Clone, Copy)]
struct Stand {
    /// The next step is our own, to the end.
    is_ours: bool,
    /// Where it stood when it was last looked at. Unit: CSS pixels.
    top: i32,
    /// So many rows can be seen at a time.
    fit: u32,
}

/// See the module.
#[derive(Clone, Copy)]
pub(crate) struct Tail {
    /// The box.
    pub(crate) scroller: Place,
    /// An element as high as [`ROWS_MEASURED`] rows.
    pub(crate) measure: Place,
    follows: RwSignal<bool>,
    stand: StoredValue<Stand>,
}

impl Tail {
    /// Follows its end; before it was laid out it has room for so many rows.
    pub(crate) fn new(fit: u32) -> Self {
        Self {
            scroller: place(),
            measure: place(),
            follows: RwSignal::new(true),
            stand: StoredValue::new(Stand { is_ours: false, top: 0, fit }),
        }
    }

    /// True while it stays at its end; whoever reads this is told of a change.
    pub(crate) fn follows(self) -> bool {
        self.follows.get()
    }

    /// The same, told of nothing; false, too, when the view has gone, which a frame may be too late for.
    pub(crate) fn is_following(self) -> bool {
        self.follows.try_get_untracked().unwrap_or_default()
    }

    /// Follows its end from now on, or stays where it is.
    pub(crate) fn set_following(self, follows: bool) {
        if self.follows.try_get_untracked().is_some_and(|old| old != follows) {
            self.follows.set(follows);
        }
    }

    /// So many rows can be seen at a time; none if it is not laid out, or has gone.
    pub(crate) fn fit(self) -> u32 {
        self.stand.try_get_value().map_or(0, |stand| stand.fit)
    }

    /// So many rows are so high; none before there is anything to measure by.
    pub(crate) fn rows_in(self, pixels: i32) -> u32 {
        let Some(measure) = found(self.measure) else { return 0 };
        let pixels = i64::from(pixels.max(0)) * i64::from(ROWS_MEASURED);
        u32::try_from(pixels / i64::from(measure.offset_height().max(1))).unwrap_or(u32::MAX)
    }

    /// Goes to the end; the step that this is is heard as nobody's.
    pub(crate) fn to_end(self) {
        let Some(scroller) = found(self.scroller) else { return };
        let before = scroller.scroll_top();
        scroller.set_scroll_top(scroller.scroll_height());
        let top = scroller.scroll_top();
        self.stand.update_value(|stand| {
            // Several steps of ours may be heard as one.
            stand.is_ours |= top != before;
            stand.top = top;
        });
    }

    /// Stays at the end whenever the box, or what stands in it, has another size; `then` is done if other rows can be
    /// seen by that. Call it once, in an effect.
    pub(crate) fn keep(self, inside: &web_sys::Element, then: impl Fn() + Copy + 'static) {
        if let Some(scroller) = self.scroller.get() {
            dom::on_resize(&[&scroller, inside], move || self.resized(), then);
        }
    }

    /// True if other rows can be seen than before.
    fn resized(self) -> bool {
        let Some(scroller) = found(self.scroller) else { return false };
        let before = self.fit();
        let fit = self.rows_in(scroller.client_height());
        self.stand.update_value(|stand| stand.fit = fit);
        let follows = self.is_following();
        if follows {
            self.to_end();
        }
        fit != before || !follows
    }

    /// It was scrolled: true if it was not by us.
    pub(crate) fn scrolled(self) -> bool {
        let Some(mut stand) = self.stand.try_get_value() else { return false };
        if std::mem::take(&mut stand.is_ours) {
            self.stand.set_value(stand);
            return false;
        }
        let Some(scroller) = found(self.scroller) else { return false };
        let top = scroller.scroll_top();
        let below = scroller.scroll_height() - top - scroller.client_height();
        // Growing rows move the end away without anybody scrolling.
        let is_up = top < stand.top;
        if below <= if is_up { AT_END } else { NEAR } {
            self.set_following(true);
        } else if is_up {
            self.set_following(false);
        }
        stand.top = top;
        self.stand.set_value(stand);
        true
    }
}
