//! Syzygy files made here beside those that were published: the 35 endings of up to four men, in the folder that the
//! environment variable `EVERYMOVE_SYZYGY` names.

#![expect(clippy::print_stdout, reason = "a test tells what it did not compare")]

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Ram, Run, Work};
use everymove_tables::{Material, Metric, Plan, Tables, Value, build, syzygy};
use shakmaty::{CastlingMode, Chess, Color, Piece, PositionError, Setup, Square};
use shakmaty_syzygy::{MaybeRounded, Tablebase};

/// Makes our tables and Syzygy files of endings, those they need coming before them.
fn make(names: &[String], tables: &Tables) {
    let run = Run::new(2, Ram::unlimited());
    for name in names {
        let material: Material = name.parse().unwrap();
        build(&Plan::new(material.clone(), Metric::Zeroing), tables, &run).unwrap();
        for material in material.closure() {
            syzygy::write(&material, tables, &run, &mut Work::default()).unwrap();
        }
    }
}

/// A position of some men: letters as in FEN, squares; none if it is not legal.
fn position(men: &[(char, u8)], turn: Color) -> Option<Chess> {
    let mut setup = Setup::empty();
    for &(letter, square) in men {
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

/// Our files, read by the same library, tell the same of 10,000 random positions of each ending of four men, and of every
/// position of three men; and our own tables agree.
#[test]
#[ignore = "takes minutes, and published files in EVERYMOVE_SYZYGY; cargo xtask long"]
fn published_files_tell_the_same() {
    let Some(published) = std::env::var_os("EVERYMOVE_SYZYGY") else {
        println!("nothing is compared: EVERYMOVE_SYZYGY names no folder of published files");
        return;
    };
    let mut theirs = Tablebase::new();
    theirs.add_directory(published).unwrap();
    let names = endings_of_four_men();
    assert_eq!(names.len(), 35);
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Zeroing);
    make(&names, &tables);
    let mut ours = Tablebase::new();
    ours.add_directory(folder.path()).unwrap();
    let mut rng = SplitMix64::new(9);
    let mut mislabelled = 0;
    for name in &names {
        let (white, black) = name.split_once('v').unwrap();
        let letters: Vec<char> = (white.chars())
            .chain(black.chars().map(|c| c.to_ascii_lowercase()))
            .collect();
        let every = 2 * 64u64.pow(3);
        let (mut legal, mut number) = (0, 0);
        while if letters.len() == 3 {
            number < every
        } else {
            legal < 10_000
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
            let men: Vec<_> = letters.iter().map(place).collect();
            let pawns = |&(c, s): &(char, u8)| "Pp".contains(c) && !(8..56).contains(&s);
            if men.iter().any(pawns) {
                continue;
            }
            if let Some(position) = position(&men, turn) {
                legal += 1;
                mislabelled += same(&tables, &ours, &theirs, &position);
            }
        }
    }
    println!("{mislabelled} losses in 3 plies, told as 2 and rounded, are labelled as exact");
}

/// Our file and another's, read by the same library, agree, and with our table; gives 1 if the library calls a rounded
/// distance exact.
fn same(
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
    let (told, rounded) = dtz(theirs);
    assert_eq!(dtz(ours), (told, rounded), "{fen}");
    let plies = match tables.value(position).unwrap() {
        Value::Win(plies) => i32::from(plies),
        Value::Draw => 0,
        Value::Loss(plies) => -i32::from(plies.max(1)),
    };
    let off = plies.abs() - told.abs();
    assert_eq!(plies.signum(), told.signum(), "{fen}");
    match off {
        0 => 0,
        // A file that is not exact to the ply tells the lesser of two distances.
        1 if rounded => 0,
        // Of a position whose best move is looked at, its loss in 2 or 3 plies is labelled as exact.
        1 if told == -2 => 1,
        _ => panic!("{fen}: {plies} plies, the files tell {told}"),
    }
}

/// The names of all endings of three and four men.
fn endings_of_four_men() -> Vec<String> {
    let letters = ["Q", "R", "B", "N", "P"];
    let mut names = Vec::new();
    for (i, a) in letters.iter().enumerate() {
        names.push(format!("K{a}vK"));
        for b in &letters[i..] {
            names.push(format!("K{a}{b}vK"));
            names.push(format!("K{a}vK{b}"));
        }
    }
    names
}
