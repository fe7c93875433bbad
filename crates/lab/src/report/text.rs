//! Reports on the terminal.

use comfy_table::{CellAlignment, Table as Drawn, presets};

use super::{Cell, Report, Section, Table, shown};

pub(super) fn report(report: &Report) -> String {
    let mut text = format!("{}: {}\n", report.name, report.title);
    for section in &report.sections {
        if let Section::Table(found) = section {
            text += &format!("\n{}\n{}", found.title, table(found));
        }
    }
    let wrong: Vec<_> = report
        .checks
        .iter()
        .filter(|check| !check.agrees())
        .collect();
    text += &match (report.checks.len(), wrong.len()) {
        (0, _) => String::new(),
        (1, 0) => "\nthe known result agrees\n".to_owned(),
        (all, 0) => format!("\nall {all} known results agree\n"),
        (all, n) => format!("\n{n} of {all} known results DISAGREE\n"),
    };
    for check in wrong {
        text += &format!(
            "  {}: found {}, but {} says {}\n",
            check.what, check.found, check.source, check.known
        );
    }
    text
}

fn table(table: &Table) -> String {
    let mut drawn = Drawn::new();
    drawn.load_style(presets::NOTHING);
    let head = table.head.iter().enumerate();
    drawn.set_header(
        head.map(|(col, &head)| comfy_table::Cell::new(head).set_alignment(side(table, col))),
    );
    for row in &table.rows {
        drawn.add_row(row.iter().enumerate().map(|(col, cell)| {
            comfy_table::Cell::new(shown(cell)).set_alignment(side(table, col))
        }));
    }
    let lines: Vec<_> = drawn
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    lines.join("\n") + "\n"
}

/// Words to the left, numbers to the right.
fn side(table: &Table, col: usize) -> CellAlignment {
    let is_text = |row: &Vec<Cell>| matches!(row[col], Cell::Text(_));
    if table.rows.iter().any(is_text) {
        CellAlignment::Left
    } else {
        CellAlignment::Right
    }
}
