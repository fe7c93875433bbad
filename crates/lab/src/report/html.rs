//! A report as one page that needs nothing else: style, charts and tables inside.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Both, Cell, Check, Report, Section, Setting, Summary, Table, shown};

const STYLE: &str = include_str!("page.css");

pub(super) fn page(report: &Report, setting: &Setting, charts: &[Both]) -> String {
    let mut charts = charts.iter();
    let content = html! {
                    h1 { (report.title) }
                    @for note in &report.notes { p { (note) } }
                    @for section in &report.sections {
                        @match section {
                            Section::Table(found) => (table(found)),
                            _ => {
                                @if let Some(both) = charts.next() { (both.figures()) }
                            }
                        }
                    }
                    @if !report.checks.is_empty() { (checks(&report.checks)) }
                    (how_it_was_made(setting))
    };
    document(&report.title, &content)
}

/// The page that summarizes several reports; a chart for each of `reports` that has one.
pub(super) fn index(
    summaries: &[Summary],
    reports: &[Report],
    setting: &Setting,
    charts: &[Option<Both>],
) -> String {
    let title = match summaries {
        [one] => one.title.clone(),
        _ => format!("{} experiments", summaries.len()),
    };
    let agree: usize = summaries.iter().map(|s| s.agree).sum();
    let known: usize = summaries.iter().map(|s| s.checks).sum();
    let content = html! {
        h1 { (title) }
        p { (agree) " of " (known) " results that are known from elsewhere agree." }
        h2 { "Summary" }
        div.wide {
            table {
                tr { th { "experiment" } th { "question" } th.n { "agree" } th { "finding" } }
                @for of in summaries {
                    tr {
                        td { a href=(format!("{}.html", of.name)) { (of.name) } }
                        td { (of.title) }
                        td.n { (of.agree) " of " (of.checks) }
                        td { (of.finding) }
                    }
                }
            }
        }
        @for (report, first) in reports.iter().zip(charts) {
            h2 #(report.name) { (report.name) ": " (report.title) }
            @for note in &report.notes { p { (note) } }
            @if let Some(both) = first { (both.figures()) }
            @let first_table = report.sections.iter().find_map(|section| match section {
                Section::Table(found) => Some(found),
                _ => None,
            });
            @if let Some(found) = first_table { (table(found)) }
            @if !report.checks.is_empty() { (checks(&report.checks)) }
            p { a href=(format!("{}.html", report.name)) { "All tables and charts of " (report.name) } }
        }
        (how_it_was_made(setting))
    };
    document(&title, &content)
}

pub(crate) fn document(title: &str, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " - everymove" }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (content) } }
        }
    };
    page.into_string()
}

fn how_it_was_made(setting: &Setting) -> Markup {
    html! {
        h2 { "How it was made" }
        table.setting {
            @for (name, value) in setting.fields() {
                tr { th { (name) } td { (value) } }
            }
        }
    }
}

impl Both {
    /// One figure for each theme; the page shows that of the reader's.
    pub(crate) fn figures(&self) -> Markup {
        html! {
            figure.light { (PreEscaped(&self.light)) }
            figure.dark { (PreEscaped(&self.dark)) }
        }
    }
}

fn table(table: &Table) -> Markup {
    let is_number = |col: usize| {
        let first = table.rows.first().and_then(|row| row.get(col));
        first.is_some_and(|cell| !matches!(cell, Cell::Text(_)))
    };
    html! {
        h2 { (table.title) }
        div.wide tabindex="0" role="region" aria-label=(table.title) {
            table {
                tr {
                    @for (col, head) in table.head.iter().enumerate() {
                        th.n[is_number(col)] { (head) }
                    }
                }
                @for row in &table.rows {
                    tr {
                        @for cell in row {
                            td.n[!matches!(cell, Cell::Text(_))] { (shown(cell)) }
                        }
                    }
                }
            }
        }
    }
}

fn checks(checks: &[Check]) -> Markup {
    html! {
        h2 { "Checked against known results" }
        div.wide tabindex="0" role="region" aria-label="checks" {
            table {
                tr { th { "what" } th { "found" } th { "known" } th { "source" } th {} }
                @for check in checks {
                    tr {
                        td { (check.what) }
                        td.n { (check.found) }
                        td.n { (check.known) }
                        td { (check.source) }
                        @if check.agrees() { td.yes { "agrees" } } @else { td.no { "DISAGREES" } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Check;

    #[test]
    fn the_page_holds_everything_and_escapes_it() {
        let report = Report {
            name: "sample",
            title: "a < b & c".into(),
            notes: vec!["why".into()],
            sections: vec![Section::Table(Table {
                name: "t",
                title: "numbers".into(),
                head: vec!["n"],
                rows: vec![vec![Cell::count(1234)]],
            })],
            checks: vec![Check {
                what: "tours".into(),
                found: "8".into(),
                known: "9".into(),
                source: "a table".into(),
            }],
        };
        let setting = Setting::here("1.0", "abc", "lab run sample".into());
        let page = page(&report, &setting, &[]);
        for part in [
            "a &lt; b &amp; c",
            "1,234",
            "DISAGREES",
            "lab run sample",
            "abc",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("<script") && !page.contains("http-equiv"));
    }
}
