//! Lanes of operations, faults and leaders on one axis.
//!
//! What it is: a column per call, fault and leader, in order; a bar spans the columns from its call to its return.
//! What it is not: to scale: a request takes milliseconds and a history minutes; each column tells its time.
//! Invariants: two bars with both ends share a column exactly if the operations overlapped; one that will never have
//! an end is drawn open after two columns, so that it leaves room; bars of a lane that overlap stand in
//! different rows; the newest [`COLUMNS_MAX`] columns are shown.

use super::super::history_strings::HistoryStrings;
use super::super::model::Known;
use super::super::monitor::InvariantView;
use super::super::protocol::Fault;
use super::words::{OperationView, VerdictView, command, revision_of};
use super::{Chronicle, Mark, Operation, Outcome};
use crate::check::Ruling;
use crate::types::Millis;

/// Columns of the axis. Unit: columns. Source: ours; what one can still scroll through.
const COLUMNS_MAX: usize = 80;
/// Columns after its own that a bar without an end takes. Unit: columns.
const NO_END_COLUMNS: usize = 1;
/// Rows of one lane; what overlaps more is not shown. Unit: rows.
const ROWS_MAX: usize = 5;

/// How good something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Nothing is known.
    #[default]
    Idle,
    /// It holds.
    Good,
    /// It is not decided yet.
    Busy,
    /// It cannot be told, or is allowed and odd.
    Warn,
    /// It is broken.
    Bad,
}

/// What kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarKind {
    /// It may write.
    Write,
    /// A linearizable read.
    Read,
    /// A serializable read.
    Serializable,
    /// It was refused.
    Failed,
    /// Nobody knows whether it happened.
    Unknown,
    /// It is not about keys.
    Other,
    /// It has no place in any order.
    Violation,
}

/// One operation on the axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BarView {
    /// Number of the call.
    pub call: u64,
    /// Its first column.
    pub column: u32,
    /// How many columns it spans.
    pub span: u32,
    /// Its row in the lane.
    pub row: u32,
    /// What kind.
    pub kind: BarKind,
    /// The command, in short.
    pub words: String,
    /// Member and revision, or how it ended.
    pub note: String,
    /// All of it for those who do not see it.
    pub label: String,
    /// It has no return yet, or will never have one.
    pub is_open: bool,
}

/// What one client did.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientLaneView {
    /// Number of the client.
    pub client: u32,
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: u32,
    /// Its operations.
    pub bars: Vec<BarView>,
}

/// What kind of mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AxisMarkKind {
    /// A fault, or its end.
    Fault,
    /// Somebody became leader.
    Leader,
}

/// A fault, or a leader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AxisMarkView {
    /// Its column.
    pub column: u32,
    /// What kind.
    pub kind: AxisMarkKind,
    /// What.
    pub words: String,
    /// When.
    pub time: String,
}

/// The view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryView {
    /// The verdict.
    pub verdict: VerdictView,
    /// The invariants.
    pub invariants: Vec<InvariantView>,
    /// Columns.
    pub columns: u32,
    /// For each column its time; nothing where it is that of the column before.
    pub times: Vec<String>,
    /// The clients, the page last.
    pub lanes: Vec<ClientLaneView>,
    /// Faults and leaders.
    pub marks: Vec<AxisMarkView>,
    /// Operations that are not shown.
    pub older: u64,
    /// Number of the chosen operation's call.
    pub chosen_call: Option<u64>,
    /// The chosen operation.
    pub chosen: Option<OperationView>,
}

enum Opener<'c> {
    Call(&'c Operation),
    Mark(&'c Mark),
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Chronicle {
    pub(super) fn axis(&self, known: &Known, s: &'static HistoryStrings) -> HistoryView {
        let mut openers: Vec<(Millis, u64, Opener<'_>)> = Vec::new();
        let calls = self.operations.iter().map(|it| (it.called.0, it.called.1, Opener::Call(it)));
        openers.extend(self.marks.iter().map(|(at, mark)| (*at, 0, Opener::Mark(mark))));
        openers.extend(calls);
        // Both are in order; a stable sort by time keeps the order of calls.
        openers.sort_by_key(|(at, moment, _)| (*at, *moment));
        let skipped = openers.len().saturating_sub(COLUMNS_MAX);
        let mut view = HistoryView { older: self.older, ..HistoryView::default() };
        for (at, opener) in openers.iter().enumerate() {
            match &opener.2 {
                Opener::Call(operation) => {
                    let last = last_column(&openers, at, operation);
                    if last < skipped {
                        view.older += 1;
                        continue;
                    }
                    let first = at.max(skipped);
                    let place = (number(first - skipped), number(last - first + 1));
                    self.add_bar(&mut view, operation, place, known, s);
                }
                Opener::Mark(mark) if at >= skipped => {
                    let (kind, words) = mark_words(mark, known);
                    let (column, time) = (number(at - skipped), known.time(opener.0));
                    view.marks.push(AxisMarkView { column, kind, words, time });
                }
                Opener::Mark(_) => {}
            }
        }
        let mut before = String::new();
        for (at, _, _) in openers.iter().skip(skipped) {
            let time = known.time(*at);
            view.times.push(if time == before { String::new() } else { time.clone() });
            before = time;
        }
        view.columns = number(view.times.len());
        // The page asks for its own purposes; people come first.
        view.lanes.sort_by_key(|lane| (lane.client == 0, lane.client));
        view
    }

    fn add_bar(
        &self,
        view: &mut HistoryView,
        operation: &Operation,
        (column, span): (u32, u32),
        known: &Known,
        s: &'static HistoryStrings,
    ) {
        let at = match view.lanes.iter().position(|lane| lane.client == operation.client) {
            Some(at) => at,
            None => {
                let client = operation.client;
                let name = client_name(client, s);
                view.lanes.push(ClientLaneView { client, name, rows: 1, bars: Vec::new() });
                view.lanes.len() - 1
            }
        };
        let Some(lane) = view.lanes.get_mut(at) else { return };
        let is_taken =
            |row: u32| lane.bars.iter().any(|bar| bar.row == row && bar.column + bar.span > column);
        let Some(row) = (0..number(ROWS_MAX)).find(|row| !is_taken(*row)) else {
            view.older += 1;
            return;
        };
        lane.rows = lane.rows.max(row + 1);
        let words = command(&operation.asked, s);
        let note = note_of(operation, known, s);
        let label =
            format!("{}: {words}, {note}. {}", lane.name, self.explain(operation, known, s));
        let is_open = operation.ended.is_none() || operation.has_no_end();
        let (call, kind) = (operation.call, kind_of(operation));
        lane.bars.push(BarView { call, column, span, row, kind, words, note, label, is_open });
    }
}

/// The last column that was opened before an operation ended.
fn last_column(openers: &[(Millis, u64, Opener<'_>)], first: usize, it: &Operation) -> usize {
    let newest = openers.len() - 1;
    if it.has_no_end() {
        return newest.min(first + NO_END_COLUMNS);
    }
    let Some((at, moment, _)) = &it.ended else { return newest };
    let end = (*at, *moment);
    let is_before = |(at, moment, opener): &(Millis, u64, Opener<'_>)| match opener {
        Opener::Call(_) => *moment < end.1,
        Opener::Mark(_) => *at < end.0,
    };
    let later = openers.iter().skip(first + 1).take_while(|opener| is_before(opener)).count();
    first + later
}

pub(super) fn client_name(client: u32, s: &HistoryStrings) -> String {
    match client {
        0 => s.lane_page.to_owned(),
        tab => (s.lane_console)(u64::from(tab)),
    }
}

fn kind_of(operation: &Operation) -> BarKind {
    match (&operation.ruling, &operation.ended) {
        (Some(Ruling::Violation(_)), _) => BarKind::Violation,
        (_, Some((_, _, Outcome::Lost))) | (Some(Ruling::Unknown { .. }), _) => BarKind::Unknown,
        (_, Some((_, _, Outcome::Unsent))) | (Some(Ruling::Refused), _) => BarKind::Failed,
        (Some(Ruling::Aside), _) | (None, _) => match &operation.asked {
            super::Asked::Keys(request) if !matches!(**request, crate::api::Request::HashKv(_)) => {
                plain_kind(operation)
            }
            _ => BarKind::Other,
        },
        _ => plain_kind(operation),
    }
}

fn plain_kind(operation: &Operation) -> BarKind {
    if operation.is_serializable() {
        BarKind::Serializable
    } else if operation.is_write() {
        BarKind::Write
    } else {
        BarKind::Read
    }
}

fn note_of(operation: &Operation, known: &Known, s: &HistoryStrings) -> String {
    let name = known.name(operation.member);
    let end = match (&operation.ended, revision_of(operation)) {
        (_, Some(revision)) => (s.bar_revision)(revision),
        (None, _) => s.bar_pending.to_owned(),
        (Some((_, _, Outcome::Lost)), _) => s.legend_unknown.to_owned(),
        (Some((_, _, Outcome::Unsent)), _) => s.legend_failed.to_owned(),
        (Some((_, _, Outcome::Answered(result))), _) if result.is_err() => {
            s.legend_failed.to_owned()
        }
        (Some(_), _) => return name,
    };
    format!("{name} · {end}")
}

fn mark_words(mark: &Mark, known: &Known) -> (AxisMarkKind, String) {
    let of = |sign: &str, member| format!("{sign} {}", known.name(member));
    match mark {
        Mark::Leader(member, term) => {
            (AxisMarkKind::Leader, format!("★ {} · t{term}", known.name(*member)))
        }
        Mark::Fault(fault) => {
            let words = match fault {
                Fault::Down(member) => of("✕", *member),
                Fault::Started(member) => of("▶", *member),
                Fault::Paused(member) => of("⏸", *member),
                Fault::Resumed(member) => of("⏵", *member),
                Fault::Links(0) => "⇄".to_owned(),
                Fault::Links(count) => format!("✂ {count}"),
            };
            (AxisMarkKind::Fault, words)
        }
    }
}
