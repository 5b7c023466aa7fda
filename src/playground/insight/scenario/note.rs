//! What the page tells the editor of scenarios, and what the editor wants of the page.
//!
//! What it is: the words that lessons do not have already: a run on the live cluster is told and asked in theirs.

use serde::{Deserialize, Serialize};

/// What the page tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScenarioNote {
    /// The text as [`ScenarioAsk::Keep`] gave it, in this visit or an earlier one; told first.
    Draft(String),
    /// A text to be edited.
    Edit(String),
    /// The text that was last shown in the dialog of links has a link of so many characters.
    Link(u64),
    /// The shell script was offered as a file, or why not.
    Exported(Option<String>),
}

/// What the editor wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScenarioAsk {
    /// Tell the draft, and from now on what is to be edited.
    Begin,
    /// Keep this draft.
    Keep(String),
    /// Offer this scenario as a shell script.
    Export(String),
}
