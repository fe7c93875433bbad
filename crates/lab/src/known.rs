//! Results from the literature, from the tables in `data`.

/// A known number and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) value: &'static str,
    pub(crate) source: &'static str,
}

const TOURS: &str = include_str!("../data/tours.tsv");
const PEGS: &str = include_str!("../data/pegs.tsv");
const TABLES: &str = include_str!("../data/tables.tsv");

/// The known number of `what` about tours of `board`, if there is one.
pub(crate) fn tours(board: &str, what: &str) -> Option<Known> {
    find(TOURS, board, what)
}

/// The known number of `what` about peg solitaire on `board`, if there is one.
pub(crate) fn pegs(board: &str, what: &str) -> Option<Known> {
    find(PEGS, board, what)
}

/// The known number of `what` about an ending, if there is one.
pub(crate) fn tables(ending: &str, what: &str) -> Option<Known> {
    find(TABLES, ending, what)
}

fn find(table: &'static str, board: &str, what: &str) -> Option<Known> {
    rows(table)
        .find(|row| row.0 == board && row.1 == what)
        .map(|row| row.2)
}

fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str, Known)> {
    table.lines().skip(1).filter_map(|line| {
        let mut fields = line.split('\t');
        let (board, what) = (fields.next()?, fields.next()?);
        let (value, source) = (fields.next()?, fields.next()?);
        Some((board, what, Known { value, source }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_whole_and_none_is_said_twice() {
        for table in [TOURS, PEGS, TABLES] {
            let rows: Vec<_> = rows(table).collect();
            assert_eq!(rows.len(), table.lines().count() - 1);
            for (i, row) in rows.iter().enumerate() {
                assert!(row.2.value.bytes().all(|b| b.is_ascii_digit()), "{row:?}");
                assert!(!row.2.source.is_empty(), "{row:?}");
                let same = |other: &&(_, _, _)| (other.0, other.1) == (row.0, row.1);
                assert!(!rows[..i].iter().any(|other| same(&other)), "{row:?}");
            }
        }
        assert_eq!(tours("5x5", "open directed").unwrap().value, "1728");
        assert_eq!(tours("5x5", "unknown"), None);
        assert_eq!(pegs("english", "moves").unwrap().value, "18");
    }
}
