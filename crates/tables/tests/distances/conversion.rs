//! Tables of plies to a conversion against plain computation, against tables of plies to a zeroing
//! move, and against known longest wins.

use everymove_kernel::run::{Ram, Run};
use everymove_tables::probe::read_position;
use everymove_tables::stats::{Counting, stats};
use everymove_tables::{Material, Metric, Plan, Tables, Value, build};

use super::brute::{Goal, agrees_with_brute_force, four_men};

fn run() -> Run {
    Run::new(2, Ram::unlimited())
}

fn make(folder: &std::path::Path, metric: Metric, name: &str) -> (Tables, Material) {
    let tables = Tables::new(folder, metric);
    let material: Material = name.parse().unwrap();
    build(&Plan::new(material.clone(), metric), &tables, &run()).unwrap();
    (tables, material)
}

#[test]
fn three_men_agree_with_brute_force() {
    agrees_with_brute_force(Goal::Conversion, &["KQvK", "KPvK"]);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn four_men_agree_with_brute_force() {
    for part in four_men() {
        let names: Vec<&str> = part.iter().map(String::as_str).collect();
        agrees_with_brute_force(Goal::Conversion, &names);
    }
}

/// Without pawns a zeroing move is a capture: the tables hold the same distances (Bourzutschky,
/// Tamplin and Haworth, "Chess endgames: 6-man data and strategy", 2005), where no win takes more
/// than 100 plies.
#[test]
fn without_pawns_the_distances_are_those_to_a_zeroing_move() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["KQvKR", "KBNvK"] {
        let counts = [Metric::Conversion, Metric::Zeroing].map(|metric| {
            let (tables, material) = make(folder.path(), metric, name);
            stats(&material, &tables, Counting::Positions, &run()).unwrap()
        });
        assert_eq!(counts[0], counts[1], "{name}");
    }
}

/// With pawns: the same side wins as in tables of plies to mate; a conversion comes no later than
/// mate and no earlier than a zeroing move.
#[test]
fn a_conversion_comes_between_a_zeroing_move_and_mate() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = [Metric::Zeroing, Metric::Conversion, Metric::Mate];
    let tables = metrics.map(|metric| make(folder.path(), metric, "KPvK").0);
    let mut strictly_between = 0;
    for square in 0..64 * 64 {
        let (white, black) = (square / 64, square % 64);
        let Some(fen) = king_and_pawn(white, black) else {
            continue;
        };
        let Ok(position) = read_position(&fen) else {
            continue;
        };
        let found = tables
            .each_ref()
            .map(|tables| tables.value(&position).unwrap());
        let plies = match found {
            [Value::Draw, Value::Draw, Value::Draw] => continue,
            [Value::Win(a), Value::Win(b), Value::Win(c)] => [a, b, c],
            other => panic!("{fen}: {other:?}"),
        };
        assert!(plies.is_sorted(), "{fen}: {plies:?}");
        strictly_between += u32::from(plies[0] < plies[1] && plies[1] < plies[2]);
    }
    assert!(strictly_between > 1000, "{strictly_between}");
}

/// A position with a pawn on e4, White to move; `None` if pieces share a square.
fn king_and_pawn(white: usize, black: usize) -> Option<String> {
    let mut board = [['1'; 8]; 8];
    for (square, piece) in [(28, 'P'), (white, 'K'), (black, 'k')] {
        let place = &mut board[7 - square / 8][square % 8];
        if *place != '1' {
            return None;
        }
        *place = piece;
    }
    let rows = board.map(|row| row.iter().collect::<String>());
    Some(format!("{} w - - 0 1", rows.join("/")))
}

/// Longest wins in moves from `conversion.tsv`: as they are commonly quoted from the sources named
/// there, which were not read for it.
fn have_the_known_longest_wins(pieces: std::ops::RangeInclusive<usize>) {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for line in include_str!("conversion.tsv").lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let material: Material = fields[0].parse().unwrap();
        if pieces.contains(&material.piece_count()) {
            let (tables, material) = make(folder.path(), Metric::Conversion, fields[0]);
            let longest = tables.longest_win(&material).unwrap();
            let moves = longest.div_ceil(2).to_string();
            assert_eq!(moves, fields[1], "{}: {}", fields[0], fields[2]);
            compared += 1;
        }
    }
    assert!(compared > 0);
}

#[test]
fn up_to_four_men_have_the_known_longest_wins() {
    have_the_known_longest_wins(3..=4);
}

#[test]
#[ignore = "takes some minutes; cargo xtask long"]
fn five_men_have_the_known_longest_wins() {
    have_the_known_longest_wins(5..=5);
}
