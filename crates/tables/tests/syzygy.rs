//! Syzygy files made here, read by another library and by our own reader.

use std::collections::HashMap;

use everymove_kernel::run::{Ram, Run, Work};
use everymove_tables::syzygy::{
    Contents, SyzygyFile, SyzygyFolder, Wdl, file_name, require, write,
};
use everymove_tables::{Material, Metric, Plan, Tables, Value, build};
use proptest::prelude::*;
use shakmaty::{Chess, Color, Setup, Square};
use shakmaty_syzygy::Tablebase;

/// Makes the files of endings and of all they need; gives the tables they are made from.
fn make(names: &[&str], threads: usize) -> (tempfile::TempDir, Tables) {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Zeroing);
    let run = Run::new(threads, Ram::unlimited());
    for name in names {
        let material: Material = name.parse().unwrap();
        let plan = Plan::new(material.clone(), Metric::Zeroing);
        build(&plan, &tables, &run).unwrap();
        for material in material.closure() {
            write(&material, &tables, &run, &mut Work::default()).unwrap();
        }
    }
    (folder, tables)
}

/// A position of some men: letters as in FEN, squares; none if it is not legal.
fn position(men: &[(char, u8)], turn: Color) -> Option<Chess> {
    let mut setup = Setup::empty();
    for &(letter, square) in men {
        let square = Square::new(u32::from(square));
        if setup.board.piece_at(square).is_some() {
            return None;
        }
        setup
            .board
            .set_piece_at(square, shakmaty::Piece::from_char(letter)?);
    }
    setup.turn = turn;
    let position = setup.position(shakmaty::CastlingMode::Standard);
    position
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .ok()
}

/// Our table, our reader of the Syzygy file and another's agree.
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
        // Who is mated is told as who is mated next.
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
    let mut theirs = Tablebase::new();
    theirs.add_directory(tables.folder()).unwrap();
    (SyzygyFolder::new(tables.folder()), theirs)
}

#[test]
fn positions_of_three_men_are_told_to_other_programs() {
    assert!(three_men(13) > 60_000);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn every_position_of_three_men_is_told_to_other_programs() {
    assert!(three_men(1) > 800_000);
}

/// Compares every so many positions; gives their number.
fn three_men(every: usize) -> u64 {
    let (_folder, tables) = make(&["KQvK", "KPvK"], 2);
    let (ours, theirs) = folders(&tables);
    let mut legal = 0;
    for letter in ['Q', 'R', 'B', 'N', 'P'] {
        for number in (0..64u32 * 64 * 64).step_by(every) {
            let [a, b, c] = [number >> 12, number >> 6 & 63, number & 63].map(|s| s as u8);
            // White's king in the left half: the rest is its mirror image.
            if a & 7 > 3 || (letter == 'P' && !(8..56).contains(&c)) {
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

/// Symmetric men, both sides' pawns, several like men.
#[test]
fn positions_of_four_men_are_told_to_other_programs() {
    let (_folder, tables) = make(&["KQvKQ", "KPvKP", "KRRvK", "KBvKP"], 2);
    let (ours, theirs) = folders(&tables);
    let mut rng = everymove_kernel::rng::SplitMix64::new(5);
    for men in ["KkQq", "KkPp", "KkRR", "KkBp", "KkbP", "KkQp", "Kkrr"] {
        let mut legal = 0;
        while legal < 250 {
            let placed: Vec<_> = men.chars().map(|c| (c, rng.below(64) as u8)).collect();
            let pawns = |&(c, s): &(char, u8)| "Pp".contains(c) && !(8..56).contains(&s);
            if placed.iter().any(pawns) {
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

/// In the least memory that is enough, no distances are kept from the choice of a side: they are made again, the same.
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
                // Whatever the blocks say then, without harm.
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

proptest! {
    #[test]
    fn any_bytes_are_refused_without_harm(
        magic in prop::sample::select(vec![[0x71u8, 0xe8, 0x23, 0x5d], [0xd7, 0x66, 0x0c, 0xa5]]),
        rest in prop::collection::vec(any::<u8>(), 0..600)
    ) {
        let bytes = [&magic[..], &rest].concat();
        if let Ok(file) = SyzygyFile::parse(bytes) {
            prop_assert!(file.check(&Run::serial()).unwrap().is_err());
        }
    }
}

/// The files tell moves and one side to move only: a table made from them is that which they were made from, to the byte.
#[test]
fn tables_are_made_from_syzygy_files_again() {
    round_trip(&["KQvK", "KPvK", "KRvKR", "KBvKP"]);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn tables_of_four_men_are_made_from_syzygy_files_again() {
    round_trip(&[
        "KPvKP", "KQvKQ", "KPPvK", "KBNvK", "KQvKP", "KRRvK", "KNvKP",
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
