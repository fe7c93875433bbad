//! A report as one page that needs nothing else: style, charts and tables inside.

use super::{Both, Cell, Report, Section, Setting, Table, shown};

const STYLE: &str = include_str!("page.css");

pub(super) fn page(report: &Report, setting: &Setting, charts: &[Both]) -> String {
    let mut body = format!("<h1>{}</h1>\n", escaped(&report.title));
    for note in &report.notes {
        body += &format!("<p>{}</p>\n", escaped(note));
    }
    let mut charts = charts.iter();
    for section in &report.sections {
        body += &match section {
            Section::Table(found) => table(found),
            Section::Lines(..) | Section::Bars(..) => charts.next().map(chart).unwrap_or_default(),
        };
    }
    body += &checks(report);
    body += "<h2>How it was made</h2>\n<table class=\"setting\">\n";
    for (name, value) in setting.fields() {
        body += &format!("<tr><th>{name}</th><td>{}</td></tr>\n", escaped(&value));
    }
    body += "</table>\n";
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} - everymove</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(&report.title)
    )
}

fn chart(both: &Both) -> String {
    format!(
        "<figure class=\"light\">{}</figure>\n<figure class=\"dark\">{}</figure>\n",
        both.light, both.dark
    )
}

fn table(table: &Table) -> String {
    let mut text = format!(
        "<h2>{}</h2>\n<div class=\"wide\"><table>\n<tr>",
        escaped(&table.title)
    );
    for (col, head) in table.head.iter().enumerate() {
        let class = class(table.rows.first().and_then(|row| row.get(col)));
        text += &format!("<th{class}>{}</th>", escaped(head));
    }
    text += "</tr>\n";
    for row in &table.rows {
        text += "<tr>";
        for cell in row {
            let class = class(Some(cell));
            text += &format!("<td{class}>{}</td>", escaped(&shown(cell)));
        }
        text += "</tr>\n";
    }
    text + "</table></div>\n"
}

/// Numbers stand to the right.
fn class(cell: Option<&Cell>) -> &'static str {
    match cell {
        Some(Cell::Text(_)) | None => "",
        Some(_) => " class=\"n\"",
    }
}

fn checks(report: &Report) -> String {
    if report.checks.is_empty() {
        return String::new();
    }
    let mut text = "<h2>Checked against known results</h2>\n<div class=\"wide\"><table>\n\
                    <tr><th>what</th><th>found</th><th>known</th><th>source</th><th></th></tr>\n"
        .to_owned();
    for check in &report.checks {
        let (class, word) = if check.agrees() {
            ("yes", "agrees")
        } else {
            ("no", "DISAGREES")
        };
        text += &format!(
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td>\
             <td class=\"{class}\">{word}</td></tr>\n",
            escaped(&check.what),
            escaped(&check.found),
            escaped(&check.known),
            escaped(&check.source)
        );
    }
    text + "</table></div>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
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
