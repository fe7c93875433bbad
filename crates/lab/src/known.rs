//! Results from the literature, from `data/tours.tsv`.

/// A known number and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) value: &'static str,
    pub(crate) source: &'static str,
}

/// The known number of `what` on `board`, if there is one.
pub(crate) fn tours(board: &str, what: &str) -> Option<Known> {
    rows()
        .find(|row| row.0 == board && row.1 == what)
        .map(|row| row.2)
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str, Known)> {
    let lines = include_str!("../data/tours.tsv").lines().skip(1);
    lines.filter_map(|line| {
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
        let lines = include_str!("../data/tours.tsv").lines().count();
        let rows: Vec<_> = rows().collect();
        assert_eq!(rows.len(), lines - 1);
        for (i, row) in rows.iter().enumerate() {
            assert!(row.2.value.bytes().all(|b| b.is_ascii_digit()), "{row:?}");
            assert!(!row.2.source.is_empty(), "{row:?}");
            let same = |other: &&(_, _, _)| (other.0, other.1) == (row.0, row.1);
            assert!(!rows[..i].iter().any(|other| same(&other)), "{row:?}");
        }
        assert_eq!(tours("5x5", "open directed").unwrap().value, "1728");
        assert_eq!(tours("5x5", "unknown"), None);
    }
}
