//! Tables as CSV (RFC 4180): plain numbers, seconds in full.

use super::{Cell, Table};

pub(super) fn table(table: &Table) -> String {
    let head = table.head.iter().map(|head| quoted(head));
    let mut text = line(head);
    for row in &table.rows {
        text += &line(row.iter().map(|cell| match cell {
            Cell::Text(text) => quoted(text),
            Cell::Count(digits) => digits.clone(),
            Cell::Seconds(value) | Cell::Ratio(value) => format!("{value}"),
            Cell::Times(measured) | Cell::Ratios(measured) => format!("{}", measured.value),
            Cell::Empty => String::new(),
        }));
    }
    text
}

fn line(fields: impl Iterator<Item = String>) -> String {
    fields.collect::<Vec<_>>().join(",") + "\n"
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_where_they_must_be() {
        let cells = vec![
            Cell::text("a, \"b\""),
            Cell::count(12),
            Cell::Seconds(0.25),
            Cell::Empty,
        ];
        let sample = Table {
            name: "t",
            title: String::new(),
            head: vec!["words", "n", "s", "x"],
            rows: vec![cells],
        };
        assert_eq!(table(&sample), "words,n,s,x\n\"a, \"\"b\"\"\",12,0.25,\n");
    }
}
