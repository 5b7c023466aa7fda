//! How a person has arranged the page: where panels meet, and how large letters are.
//!
//! What it is: [`Layout`], in shares of the space that two panels have, so that it fits every window.
//! What it is not: pixels, or which panels there are; the style sheet knows both, and where panels meet by default.
//! Invariants: a share is inside the range of its [`Split`]; what is remembered is read back as it was, and what
//! cannot be read counts as never chosen.

/// Under this name the shares are remembered.
pub const LAYOUT_NAME: &str = "layout";
/// Under this name it is remembered whether letters are large.
pub const LARGE_NAME: &str = "large";

/// A line between two panels that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Between the tutorial and what is right of it.
    Tutorial,
    /// Between the centre and the right column.
    Side,
    /// Between the console and what is below it.
    Console,
    /// Between the cluster and the events.
    Cluster,
}

impl Split {
    /// All.
    pub const ALL: [Self; 4] = [Self::Tutorial, Self::Side, Self::Console, Self::Cluster];

    /// Its name in style sheets and tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tutorial => "tutorial",
            Self::Side => "side",
            Self::Console => "console",
            Self::Cluster => "cluster",
        }
    }

    /// It stands between panels that are side by side.
    #[must_use]
    pub const fn is_upright(self) -> bool {
        matches!(self, Self::Tutorial | Self::Side)
    }

    /// The least and the largest share of what is before it.
    ///
    /// Unit: percent of the space of both. The centre keeps a fifth of the window.
    #[must_use]
    pub const fn range(self) -> (u8, u8) {
        match self {
            Self::Tutorial => (15, 35),
            Self::Side => (55, 78),
            Self::Console | Self::Cluster => (15, 85),
        }
    }

    /// About where it stands in a window of a desk's size until it is moved. Unit: as [`Split::range`].
    const fn default_share(self) -> u8 {
        match self {
            Self::Tutorial => 23,
            Self::Side => 72,
            Self::Console => 59,
            Self::Cluster => 60,
        }
    }
}

/// About where the line below the console stands while one works below it. Unit: as [`Split::range`].
const WORKING_SHARE: u8 = 30;

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// In the order of [`Split::ALL`].
    shares: [Option<u8>; 4],
    /// Letters are large, for a wall.
    pub is_large: bool,
}

impl Layout {
    /// Moves a line, or puts it back where it was at first; true: it stands elsewhere now.
    pub fn set(&mut self, split: Split, share: Option<u8>) -> bool {
        let (least, most) = split.range();
        let share = share.map(|share| share.clamp(least, most));
        let before = *self;
        for (known, kept) in Split::ALL.iter().zip(&mut self.shares) {
            if *known == split {
                *kept = share;
            }
        }
        *self != before
    }

    /// The share of what is before a line, if it was moved. Unit: percent.
    #[must_use]
    pub fn chosen(&self, split: Split) -> Option<u8> {
        let mut both = Split::ALL.iter().zip(&self.shares);
        both.find(|(known, _)| **known == split).and_then(|(_, share)| *share)
    }

    /// The share of what is before a line, or about what it is until it was moved; `is_working`: the panel below the
    /// console is one to work in. Unit: percent.
    #[must_use]
    pub fn share(&self, split: Split, is_working: bool) -> u8 {
        self.chosen(split).unwrap_or(match split {
            Split::Console if is_working => WORKING_SHARE,
            split => split.default_share(),
        })
    }

    /// The shares as they are remembered.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for share in self.shares {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&share.unwrap_or(0).to_string());
        }
        text
    }

    /// Takes in what was remembered.
    pub fn remember(&mut self, text: &str) {
        for (split, word) in Split::ALL.into_iter().zip(text.split(' ')) {
            let share = word.parse().ok().filter(|share| *share != 0);
            self.set(split, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_line_is_remembered_and_stays_in_its_range() {
        let mut layout = Layout::default();
        assert_eq!(layout.share(Split::Console, false), 59);
        assert_eq!(layout.share(Split::Console, true), 30);
        assert!(layout.set(Split::Console, Some(40)));
        assert!(!layout.set(Split::Console, Some(40)), "it stands there already");
        assert!(layout.set(Split::Side, Some(99)));
        assert_eq!(layout.chosen(Split::Side), Some(78));
        assert_eq!(layout.to_text(), "0 78 40 0");
        let mut again = Layout::default();
        again.remember(&layout.to_text());
        assert_eq!(again, layout);
        assert!(again.set(Split::Console, None));
        assert_eq!(again.chosen(Split::Console), None);
    }

    #[test]
    fn what_cannot_be_read_counts_as_never_chosen() {
        for text in ["", "x", "-1 300 999999999999 .5", "0 0 0 0 0 0"] {
            let mut layout = Layout::default();
            layout.remember(text);
            assert_eq!(layout, Layout::default(), "{text:?}");
        }
        let mut layout = Layout::default();
        layout.remember("1 x 50");
        assert_eq!(layout.to_text(), "15 0 50 0");
    }
}
