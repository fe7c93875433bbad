//! Compares Syzygy files made here with published ones: the 35 endings of three and four pieces, in
//! the folder named by the environment variable `EVERYMOVE_SYZYGY`.

#![expect(clippy::print_stdout, reason = "a test reports how much it compared")]

use std::path::Path;

use crate::common::{is_pawn_on_edge, make, other_reader, position};
use everymove_kernel::rng::SplitMix64;
use everymove_tables::{Material, Tables, Value};
use shakmaty::{Chess, Color};
use shakmaty_syzygy::{MaybeRounded, Tablebase};

/// Positions of each ending of four pieces.
const RANDOM_POSITIONS: u64 = 10_000;

/// Our files and the published ones, read by the same library, give the same value and distance,
/// and so do our own tables: for random positions of four pieces and every position of three. Only
/// if no folder is named, nothing is compared.
#[test]
#[ignore = "takes minutes, and published files in EVERYMOVE_SYZYGY; cargo xtask long"]
fn published_files_give_the_same_values() {
    let Some(published) = std::env::var_os("EVERYMOVE_SYZYGY") else {
        println!("nothing was compared: EVERYMOVE_SYZYGY names no folder of published files");
        return;
    };
    let compared = compare(Path::new(&published));
    println!("{compared} positions were compared");
    // 30 endings of four pieces, and more than 200,000 positions of each of five endings of three.
    assert!(compared > 30 * RANDOM_POSITIONS + 5 * 200_000);
}

/// A folder without published files is an error, not a comparison of nothing.
#[test]
#[should_panic(expected = "0 of 70 Syzygy files")]
fn an_empty_folder_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    compare(folder.path());
}

/// Compares all endings; returns the number of positions.
fn compare(published: &Path) -> u64 {
    let names = endings_of_four_pieces();
    assert_eq!(names.len(), 35);
    let theirs = other_reader(published, 2 * names.len());
    let folder = tempfile::tempdir().unwrap();
    let tables = make(folder.path(), &names, 2);
    let ours = other_reader(folder.path(), 2 * names.len());
    let mut rng = SplitMix64::new(9);
    let (mut compared, mut mislabelled) = (0, 0);
    for name in &names {
        let (white, black) = name.split_once('v').unwrap();
        let letters: Vec<char> = (white.chars())
            .chain(black.chars().map(|c| c.to_ascii_lowercase()))
            .collect();
        let all = 2 * 64u64.pow(3);
        let (mut legal, mut number) = (0, 0);
        while if letters.len() == 3 {
            number < all
        } else {
            legal < RANDOM_POSITIONS
        } {
            let mut code = match letters.len() {
                3 => number,
                _ => rng.next_u64(),
            };
            number += 1;
            let turn = Color::from_white(code & 1 == 0);
            code >>= 1;
            let place = |&letter| {
                let square = (code & 63) as u8;
                code >>= 6;
                (letter, square)
            };
            let pieces: Vec<_> = letters.iter().map(place).collect();
            if pieces.iter().any(is_pawn_on_edge) {
                continue;
            }
            if let Some(position) = position(&pieces, turn) {
                legal += 1;
                mislabelled += compare_position(&tables, &ours, &theirs, &position);
            }
        }
        compared += legal;
    }
    println!("{mislabelled} losses in 3 plies, stored as 2 and rounded, are labelled as exact");
    compared
}

/// Compares our file with a published one, both read by the same library, and with our table.
/// Returns 1 if the library calls a rounded distance exact.
fn compare_position(
    tables: &Tables,
    ours: &Tablebase<Chess>,
    theirs: &Tablebase<Chess>,
    position: &Chess,
) -> u64 {
    let fen = everymove_tables::probe::write_position(position);
    assert_eq!(
        ours.probe_wdl(position).unwrap(),
        theirs.probe_wdl(position).unwrap(),
        "{fen}"
    );
    let dtz = |tables: &Tablebase<Chess>| {
        let dtz = tables.probe_dtz(position).unwrap();
        let rounded = matches!(dtz, MaybeRounded::Rounded(_));
        (i32::from(dtz.ignore_rounding()), rounded)
    };
    let (published, rounded) = dtz(theirs);
    assert_eq!(dtz(ours), (published, rounded), "{fen}");
    let plies = match tables.value(position).unwrap() {
        Value::Win(plies) => i32::from(plies),
        Value::Draw => 0,
        // Checkmate is stored like a loss in one ply.
        Value::Loss(plies) => -i32::from(plies.max(1)),
    };
    let difference = plies.abs() - published.abs();
    assert_eq!(plies.signum(), published.signum(), "{fen}");
    match difference {
        0 => 0,
        // A file that stores moves has the smaller of two numbers of plies.
        1 if rounded => 0,
        // For a loss in 2 or 3 plies the library returns the distance of the best move as exact.
        1 if published == -2 => 1,
        _ => panic!("{fen}: {plies} plies, the files have {published}"),
    }
}

/// The names of all endings of three and four pieces.
fn endings_of_four_pieces() -> Vec<String> {
    let endings = (3..=4).flat_map(Material::all);
    endings.map(|material| material.to_string()).collect()
}
