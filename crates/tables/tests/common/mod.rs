//! Shared by the tests of Syzygy files.

use std::path::Path;

use everymove_kernel::run::{Ram, Run, Work};
use everymove_tables::{Material, Metric, Plan, Tables, build, syzygy};
use shakmaty::{CastlingMode, Chess, Color, Piece, PositionError, Setup, Square};
use shakmaty_syzygy::Tablebase;

/// Makes our tables and Syzygy files of endings, and of those they lead to, in a folder.
pub(crate) fn make(folder: &Path, names: &[impl AsRef<str>], threads: usize) -> Tables {
    let tables = Tables::new(folder, Metric::Zeroing);
    let run = Run::new(threads, Ram::unlimited());
    for name in names {
        let material: Material = name.as_ref().parse().unwrap();
        let plan = Plan::new(material.clone(), Metric::Zeroing);
        build(&plan, &tables, &run).unwrap();
        for material in material.closure() {
            syzygy::write(&material, &tables, &run, &mut Work::default()).unwrap();
        }
    }
    tables
}

/// The position of some pieces, given as FEN letters and squares (a1 is 0); `None` if it is not
/// legal.
pub(crate) fn position(pieces: &[(char, u8)], turn: Color) -> Option<Chess> {
    let mut setup = Setup::empty();
    for &(letter, square) in pieces {
        let square = Square::new(u32::from(square));
        if setup.board.piece_at(square).is_some() {
            return None;
        }
        setup.board.set_piece_at(square, Piece::from_char(letter)?);
    }
    setup.turn = turn;
    let position = setup.position(CastlingMode::Standard);
    let position = position.or_else(PositionError::ignore_impossible_check);
    position.ok()
}

/// Whether a letter's square is on the first or the last rank, where no pawn can be.
pub(crate) fn is_pawn_on_edge(&(letter, square): &(char, u8)) -> bool {
    "Pp".contains(letter) && !(8..56).contains(&square)
}

/// The Syzygy files of a folder, read by the library shakmaty-syzygy. Panics unless it has at least
/// `files` of them.
pub(crate) fn other_reader(folder: &Path, files: usize) -> Tablebase<Chess> {
    let mut tablebase = Tablebase::new();
    let found = tablebase.add_directory(folder).unwrap();
    assert!(
        found >= files,
        "{}: {found} of {files} Syzygy files",
        folder.display()
    );
    tablebase
}
