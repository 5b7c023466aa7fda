//! The `table` format: box drawing, headings centred, cells to the right.
//!
//! Invariants: every line is equally wide on a screen, whatever the script of its cells.

use unicode_width::UnicodeWidthStr;

/// Draws a table. Rows that are shorter than the headings are filled up.
pub(super) fn render(headings: &[&str], rows: &[Vec<String>]) -> Vec<u8> {
    let widths: Vec<usize> = (0..headings.len())
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(String::as_str);
            cells
                .chain(headings.get(column).copied())
                .map(UnicodeWidthStr::width)
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = rule(&widths, "┌", "┬", "┐");
    out.push_str(&line(&widths, headings.iter().copied(), |spare| spare / 2));
    if !rows.is_empty() {
        out.push_str(&rule(&widths, "├", "┼", "┤"));
    }
    for row in rows {
        out.push_str(&line(&widths, row.iter().map(String::as_str), |spare| spare));
    }
    out.push_str(&rule(&widths, "└", "┴", "┘"));
    out.into_bytes()
}

fn rule(widths: &[usize], left: &str, middle: &str, right: &str) -> String {
    let parts: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
    format!("{left}{}{right}\n", parts.join(middle))
}

fn line<'a>(
    widths: &[usize],
    cells: impl Iterator<Item = &'a str>,
    left: impl Fn(usize) -> usize,
) -> String {
    let mut out = String::new();
    let mut cells = cells;
    for width in widths {
        let cell = cells.next().unwrap_or_default();
        let spare = width.saturating_sub(cell.width());
        let before = left(spare);
        out.push_str("│ ");
        out.push_str(&" ".repeat(before));
        out.push_str(cell);
        out.push_str(&" ".repeat(spare - before));
        out.push(' ');
    }
    out.push_str("│\n");
    out
}
