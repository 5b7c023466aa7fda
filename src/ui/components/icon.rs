//! Small line drawings, hidden from those who do not see; a control's label says what it does.

use leptos::prelude::*;

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
}

impl Sign {
    const fn path(self) -> &'static str {
        match self {
            Self::Run => "M5 3.2v9.6L12.6 8z",
            Self::Stop => "M4 4h8v8H4z",
            Self::Close => "M4 4l8 8M12 4l-8 8",
            Self::Add => "M8 3v10M3 8h10",
            Self::Check => "M3 8.5l3.2 3.2L13 4.8",
            Self::Theme => "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 2.2v11.6M8 5l4.6-.1M8 8h5.8M8 11l4.6.1",
            Self::Share => "M8 10V2.5M5 5l3-2.7L11 5M3.5 8v5h9V8",
            Self::Tutorial => "M2.5 3.2c2 0 4 .2 5.5 1.3 1.500-1.100 3.500-1.300 5.500-1.300v9c-2 0-4 .2-5.500 1.300-1.500-1.100-3.500-1.300-5.500-1.300zM8 4.500v9",
            Self::Console => "M2.500 4l4 4-4 4M8 12.200h5.500",
            Self::Cluster => "M8 4.800L4.300 11M8 4.800L11.700 11M5.300 12h5.400M8 2.200a1.400 1.400 0 1 0 0 2.800 1.400 1.400 0 0 0 0-2.800zM3.700 10.600a1.400 1.400 0 1 0 0 2.800 1.400 1.400 0 0 0 0-2.800zM12.300 10.600a1.400 1.400 0 1 0 0 2.800 1.400 1.400 0 0 0 0-2.800z",
            Self::Keys => "M8 2.200l6 3-6 3-6-3zM2.600 8L8 10.700 13.400 8M2.600 10.800L8 13.500l5.400-2.700",
            Self::Events => "M2.500 4h1M6 4h7.500M2.500 8h1M6 8h7.500M2.500 12h1M6 12h7.500",
            Self::Copy => "M5.500 5.500h7v8h-7zM3.500 10.500v-8h7",
        }
    }
}

/// A sign.
#[component]
pub(crate) fn Icon(sign: Sign) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
            <path d=sign.path() />
        </svg>
    }
}
