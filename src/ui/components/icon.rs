//! Small line drawings, hidden from those who do not see; a control's label says what it does.

use crate::ui::shape::{Shape, path, svg};

/// Paths in a box of 16 by 16.
#[derive(Clone, Copy)]
pub(crate) enum Sign {
    /// A right-pointing triangle.
    Run,
    /// A square.
    Stop,
    /// A cross.
    Close,
    /// A plus.
    Add,
    /// A check mark.
    Check,
    /// A half-filled disc.
    Theme,
    /// A large letter beside a small one.
    Large,
    /// An arrow out of a box.
    Share,
    /// A book.
    Tutorial,
    /// A prompt.
    Console,
    /// Three joined discs.
    Cluster,
    /// Stacked layers.
    Keys,
    /// A list with times.
    Events,
    /// Two sheets.
    Copy,
    /// An arrow onto a line.
    Save,
}

impl Sign {
    const fn path(self) -> &'static str {
        match self {
            Self::Run => "M5 3.2v9.6L12.6 8z",
            Self::Stop => "M4 4h8v8H4z",
            Self::Close => "M4 4l8 8M12 4l-8 8",
            Self::Add => "M8 3v10M3 8h10",
            Self::Check => "M3 8.5l3.2 3.2L13 4.8",
            Self::Theme => {
                "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 2.2v11.6M8 5l4.6-.1M8 8h5.8M8 11l4.6.1"
            }
            Self::Large => "M1.5 13L5.5 3l4 10M2.9 9.6h5.2M10 13l2.2-5.5L14.5 13M10.8 11.2h2.9",
            Self::Share => "M8 10V2.5M5 5l3-2.7L11 5M3.5 8v5h9V8",
            Self::Tutorial => {
                "M2.5 3.2c2 0 4 .2 5.5 1.3 1.5-1.1 3.5-1.3 5.5-1.3v9c-2 0-4 .2-5.5 1.3-1.5-1.1-3.5-1.3-5.5-1.3zM8 4.5v9"
            }
            Self::Console => "M2.5 4l4 4-4 4M8 12.2h5.5",
            Self::Cluster => {
                "M8 4.8L4.3 11M8 4.8L11.7 11M5.3 12h5.4M8 2.2a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.8zM3.7 10.6a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.8zM12.3 10.6a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.8z"
            }
            Self::Keys => "M8 2.2l6 3-6 3-6-3zM2.6 8L8 10.7 13.4 8M2.6 10.8L8 13.5l5.4-2.7",
            Self::Events => "M2.5 4h1M6 4h7.5M2.5 8h1M6 8h7.5M2.5 12h1M6 12h7.5",
            Self::Save => "M8 2.5v7M5 7l3 3 3-3M3 13h10",
            Self::Copy => "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
        }
    }
}

/// A sign.
pub(crate) fn icon(sign: Sign) -> Shape {
    svg("0 0 16 16")
        .class("icon")
        .set("width", "16")
        .set("height", "16")
        .set("aria-hidden", "true")
        .set("focusable", "false")
        .child(path().set("d", sign.path()))
}
