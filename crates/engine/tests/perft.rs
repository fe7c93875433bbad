//! Leaf counts against published ones.

use everymove_engine::{Position, perft};
use everymove_kernel::run::Run;
use shakmaty::CastlingMode;

#[test]
fn published_counts() {
    let rows = include_str!("perft.tsv")
        .lines()
        .filter(|l| !l.starts_with('#'));
    for row in rows {
        let mut cells = row.split('\t');
        let mut cell = || cells.next().expect("five columns");
        let (fen, chess960, depth, leaves) = (cell(), cell(), cell(), cell());
        let mode = CastlingMode::from_chess960(chess960 == "yes");
        let position = Position::from_fen(fen, mode).unwrap();
        let count = perft::count(&position, depth.parse().unwrap(), &Run::serial());
        assert_eq!(count.unwrap(), leaves.parse::<u64>().unwrap(), "{fen}");
    }
}
