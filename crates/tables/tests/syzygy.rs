//! Syzygy files made here, read by another library and by our own reader.

use std::collections::HashMap;

use crate::common::{is_pawn_on_edge, other_reader, position};
use everymove_kernel::run::{Ram, Run, Work};
use everymove_tables::syzygy::{
    Contents, SyzygyFile, SyzygyFolder, Wdl, file_name, require, write,
};
use everymove_tables::{Material, Metric, Tables, Value};
use proptest::prelude::*;
use shakmaty::{CastlingMode, Chess, Color, Piece, Position, PositionError, Setup, Square};
use shakmaty_syzygy::Tablebase;

/// Makes the files of endings and of those they lead to in a new folder.
fn make(names: &[&str], threads: usize) -> (tempfile::TempDir, Tables) {
    let folder = tempfile::tempdir().unwrap();
    let tables = crate::common::make(folder.path(), names, threads);
    (folder, tables)
}

/// Our table, our Syzygy reader and the other library give the same value.
fn agree(tables: &Tables, ours: &SyzygyFolder, theirs: &Tablebase<Chess>, position: &Chess) {
    let value = tables.value(position).unwrap();
    let expected = match value {
        Value::Win(..=100) => Wdl::Win,
        Value::Win(_) => Wdl::CursedWin,
        Value::Draw => Wdl::Draw,
        Value::Loss(..=100) => Wdl::Loss,
        Value::Loss(_) => Wdl::BlessedLoss,
    };
    let fen = everymove_tables::probe::write_position(position);
    assert_eq!(ours.wdl(position).unwrap(), expected, "{fen}");
    let wdl = theirs.probe_wdl_after_zeroing(position).unwrap();
    assert_eq!(i32::from(wdl), expected as i32 - 2, "{fen}");
    let plies = match value {
        Value::Win(plies) => i32::from(plies),
        Value::Draw => 0,
        // Checkmate is stored like a loss in one ply.
        Value::Loss(plies) => -i32::from(plies.max(1)),
    };
    let dtz = ours.dtz(position).unwrap();
    let off = plies.abs() - dtz.abs();
    assert!(
        (0..=1).contains(&off) && plies.signum() == dtz.signum(),
        "{fen}: {plies} {dtz}"
    );
    let their = theirs.probe_dtz(position).unwrap().ignore_rounding();
    assert_eq!(i32::from(their), dtz, "{fen}");
}

fn folders(tables: &Tables) -> (SyzygyFolder, Tablebase<Chess>) {
    let theirs = other_reader(tables.folder(), 1);
    (SyzygyFolder::new(tables.folder()), theirs)
}

#[test]
fn other_programs_read_positions_of_three_pieces() {
    assert!(three_pieces(13) > 60_000);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn other_programs_read_every_position_of_three_pieces() {
    assert!(three_pieces(1) > 800_000);
}

/// Compares every `every`-th position; returns the number of legal ones.
fn three_pieces(every: usize) -> u64 {
    let (_folder, tables) = make(&["KQvK", "KPvK"], 2);
    let (ours, theirs) = folders(&tables);
    let mut legal = 0;
    for letter in ['Q', 'R', 'B', 'N', 'P'] {
        for number in (0..64u32 * 64 * 64).step_by(every) {
            let [a, b, c] = [number >> 12, number >> 6 & 63, number & 63].map(|s| s as u8);
            // White's king is on files a to d: all other positions are mirror images.
            if a & 7 > 3 || is_pawn_on_edge(&(letter, c)) {
                continue;
            }
            for turn in Color::ALL {
                if let Some(position) = position(&[('K', a), ('k', b), (letter, c)], turn) {
                    legal += 1;
                    agree(&tables, &ours, &theirs, &position);
                }
            }
        }
    }
    legal
}

/// The same pieces on both sides, a pawn of either side, like pieces.
#[test]
fn other_programs_read_positions_of_four_pieces() {
    let pieces = ["KkQq", "KkRR", "KkBp", "KkbP", "Kkrr"];
    compare_random_positions(&["KQvKQ", "KRRvK", "KBvKP"], &pieces, 250);
}

/// Pawns of both sides.
#[test]
#[ignore = "takes a minute; cargo xtask long"]
fn other_programs_read_positions_of_pawns_against_pawns() {
    compare_random_positions(&["KPvKP"], &["KkPp", "KkQp"], 10_000);
}

/// Like pieces beside three different ones, which then are the least significant group.
#[test]
#[ignore = "takes a minute; cargo xtask long"]
fn other_programs_read_positions_of_five_pieces() {
    compare_random_positions(&["KNNvKR"], &["KkNNr", "KkRnn"], 10_000);
}

/// Makes the files of endings and compares `count` random positions of each list of pieces.
fn compare_random_positions(endings: &[&str], lists: &[&str], count: u32) {
    let (_folder, tables) = make(endings, 2);
    let (ours, theirs) = folders(&tables);
    let mut rng = everymove_kernel::rng::SplitMix64::new(5);
    for pieces in lists {
        let mut legal = 0;
        while legal < count {
            let placed: Vec<_> = pieces.chars().map(|c| (c, rng.below(64) as u8)).collect();
            if placed.iter().any(is_pawn_on_edge) {
                continue;
            }
            let turn = Color::from_white(rng.below(2) == 0);
            if let Some(position) = position(&placed, turn) {
                legal += 1;
                agree(&tables, &ours, &theirs, &position);
            }
        }
    }
}

/// With the smallest sufficient budget, the distances of the side to move that is stored are
/// computed twice and not kept: the same files.
#[test]
fn a_budget_is_obeyed_or_refused_before_the_work() {
    for name in ["KRvKB", "KPvK"] {
        let (_folder, tables) = make(&[name], 1);
        let material: Material = name.parse().unwrap();
        let paths = [Contents::Wdl, Contents::Dtz]
            .map(|contents| tables.folder().join(file_name(&material, contents)));
        let read = || paths.each_ref().map(|path| std::fs::read(path).unwrap());
        let unlimited = read();
        paths
            .iter()
            .for_each(|path| std::fs::remove_file(path).unwrap());
        let small = Run::new(1, Ram::limited(1 << 20));
        let refused = require(&material, &tables, &small).unwrap_err();
        assert!(
            refused.need > 1 << 20 && refused.need < 64 << 20,
            "{refused}"
        );
        assert!(write(&material, &tables, &small, &mut Work::default()).is_err());
        let run = Run::new(1, Ram::limited(refused.need));
        require(&material, &tables, &run).unwrap();
        let made = write(&material, &tables, &run, &mut Work::default()).unwrap();
        assert_eq!(made.len(), 2);
        assert!(run.ram.peak() <= refused.need);
        assert!(read() == unlimited, "{name}");
    }
}

#[test]
fn files_are_the_same_for_any_number_of_threads() {
    let read = |threads| {
        let (folder, _tables) = make(&["KRvKR"], threads);
        let mut files = HashMap::new();
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            files.insert(path.file_name().unwrap().to_owned(), bytes);
        }
        files
    };
    assert!(read(1) == read(3));
}

#[test]
fn damaged_files_are_refused() {
    let (_folder, tables) = make(&["KPvK"], 1);
    let run = Run::serial();
    for contents in [Contents::Wdl, Contents::Dtz] {
        let material: Material = "KPvK".parse().unwrap();
        let path = tables.folder().join(file_name(&material, contents));
        let good = std::fs::read(path).unwrap();
        let checked = SyzygyFile::parse(good.clone())
            .unwrap()
            .check(&run)
            .unwrap();
        assert!(checked.unwrap().blocks > 4);
        for at in (0..good.len()).step_by(7) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            if let Ok(file) = SyzygyFile::parse(bad) {
                assert!(file.check(&run).unwrap().is_err(), "byte {at}");
                // Without the checksum the result may be anything, but no panic.
                let _ = file.check_blocks(&run).unwrap();
            }
        }
        for end in (0..good.len()).step_by(11) {
            assert!(
                SyzygyFile::parse(good[..end].to_vec()).is_err(),
                "{end} bytes"
            );
        }
    }
}

/// The position with White's king, queen and pawn against Black's king and pawn, Black to move,
/// after the double step of White's pawn on a file; `None` if it is not legal.
fn after_double_step(kings: [u8; 2], queen: u8, white_file: u8, black_file: u8) -> Option<Chess> {
    let mut setup = Setup::empty();
    let pawns = [('P', 24 + white_file), ('p', 24 + black_file)];
    let others = [('K', kings[0]), ('k', kings[1]), ('Q', queen)];
    for (letter, square) in pawns.into_iter().chain(others) {
        let behind = [8, 16].map(|rank| rank + white_file);
        let square = Square::new(u32::from(square));
        if setup.board.piece_at(square).is_some() || behind.contains(&(square as u8)) {
            return None;
        }
        setup.board.set_piece_at(square, Piece::from_char(letter)?);
    }
    setup.turn = Color::Black;
    setup.ep_square = Some(Square::new(u32::from(16 + white_file)));
    let position = setup.position(CastlingMode::Standard);
    position
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// A loss whose only legal move is a capture en passant is a loss in one ply; the positions are
/// found by search, their values are those of our own table after the capture. No Syzygy file of
/// the ending before the capture is needed.
#[test]
fn a_forced_capture_en_passant_ends_the_distance() {
    let (_folder, tables) = make(&["KQvKP"], 2);
    let files = SyzygyFolder::new(tables.folder());
    let mut lost = 0;
    for number in 0..64u32 * 64 * 64 {
        let [white, black, queen] = [number >> 12, number >> 6 & 63, number & 63].map(|s| s as u8);
        for files_of_pawns in [(0, 1), (3, 4), (6, 5)] {
            let (white_file, black_file) = files_of_pawns;
            let position = after_double_step([white, black], queen, white_file, black_file);
            let Some(position) = position else { continue };
            let [only] = position.legal_moves()[..] else {
                continue;
            };
            if !only.is_en_passant() {
                continue;
            }
            let mut next = position.clone();
            next.play_unchecked(only);
            let fen = everymove_tables::probe::write_position(&position);
            let value = tables.value(&next).unwrap();
            assert!(matches!(value, Value::Win(..=100)), "{value:?} after {fen}");
            assert_eq!(files.wdl(&position).unwrap(), Wdl::Loss, "{fen}");
            assert_eq!(files.dtz(&position).unwrap(), -1, "{fen}");
            lost += 1;
        }
    }
    assert!(lost > 100, "{lost} lost");
}

proptest! {
    #[test]
    fn any_bytes_are_refused_without_panic(
        magic in prop::sample::select(vec![[0x71u8, 0xe8, 0x23, 0x5d], [0xd7, 0x66, 0x0c, 0xa5]]),
        rest in prop::collection::vec(any::<u8>(), 0..600)
    ) {
        let bytes = [&magic[..], &rest].concat();
        if let Ok(file) = SyzygyFile::parse(bytes) {
            prop_assert!(file.check(&Run::serial()).unwrap().is_err());
        }
    }
}

/// The files store moves and one side to move only; still a table made from them has the bytes of
/// the table that they were made from.
#[test]
fn tables_are_made_from_syzygy_files_again() {
    round_trip(&["KQvK", "KPvK", "KRvKR"]);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn tables_of_four_pieces_are_made_from_syzygy_files_again() {
    round_trip(&[
        "KPvKP", "KQvKQ", "KPPvK", "KBNvK", "KQvKP", "KRRvK", "KNvKP", "KBvKP",
    ]);
}

fn round_trip(names: &[&str]) {
    let (folder, tables) = make(names, 2);
    let syzygy = SyzygyFolder::new(folder.path());
    let out = tempfile::tempdir().unwrap();
    let made = Tables::new(out.path(), Metric::Zeroing);
    for name in names {
        for material in name.parse::<Material>().unwrap().closure() {
            let run = Run::new(2, Ram::unlimited());
            let verified =
                everymove_tables::verify::import_syzygy(&material, &syzygy, &made, &run).unwrap();
            assert!(verified.positions > 0);
            let bytes = |tables: &Tables| std::fs::read(tables.path(&material)).unwrap();
            assert!(bytes(&tables) == bytes(&made), "{material}");
        }
    }
}
