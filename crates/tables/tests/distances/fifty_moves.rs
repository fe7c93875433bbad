//! Tables of plies to mate under the fifty-move rule, against plain computation over positions and
//! clocks, and against those without the rule.

use everymove_kernel::run::{Ram, Run};
use everymove_tables::differences::compare;
use everymove_tables::probe::read_position;
use everymove_tables::stats::Counting;
use everymove_tables::verify::{Thoroughness, verify};
use everymove_tables::{Material, Metric, Plan, TableError, Tables, Value, build, least_bytes};

use super::brute::{Goal, agrees_with_brute_force, four_men};

fn run() -> Run {
    Run::new(2, Ram::unlimited())
}

#[test]
fn three_men_agree_with_brute_force() {
    agrees_with_brute_force(Goal::MateFifty, &["KQvK", "KPvK"]);
}

#[test]
fn the_parts_are_all_endings_of_four_men() {
    assert_eq!(four_men().map(|part| part.len()), [20, 5, 5]);
}

fn part_agrees_with_brute_force(part: usize) {
    let names = &four_men()[part];
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    agrees_with_brute_force(Goal::MateFifty, &names);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn four_men_without_pawns_agree_with_brute_force() {
    part_agrees_with_brute_force(0);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn four_men_with_pawns_against_a_king_agree_with_brute_force() {
    part_agrees_with_brute_force(1);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn four_men_with_pawns_on_both_sides_agree_with_brute_force() {
    part_agrees_with_brute_force(2);
}

#[test]
fn tables_follow_from_the_rules_with_every_clock() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::MateFifty);
    for name in ["KQvK", "KPvK", "KRvKN"] {
        let material: Material = name.parse().unwrap();
        build(
            &Plan::new(material.clone(), Metric::MateFifty),
            &tables,
            &run(),
        )
        .unwrap();
        let how = match material.piece_count() {
            3 => Thoroughness::Scan,
            _ => Thoroughness::Boards(97),
        };
        let verified = verify(&material, &tables, how, &run()).unwrap();
        assert!(verified.positions > 40_000, "{name}: {verified:?}");
    }
}

/// Captures en passant, promotions, both sides winning.
#[test]
#[ignore = "takes a minute or two; cargo xtask long"]
fn pawns_against_pawns_follow_from_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::MateFifty);
    let material: Material = "KPvKP".parse().unwrap();
    build(
        &Plan::new(material.clone(), Metric::MateFifty),
        &tables,
        &run(),
    )
    .unwrap();
    verify(&material, &tables, Thoroughness::Boards(101), &run()).unwrap();
}

/// Without a draw by the rule, the distances with a clock of 0 are those of plies to mate;
/// otherwise they are not smaller.
#[test]
fn mates_within_the_limit_are_those_without_the_rule() {
    let folder = tempfile::tempdir().unwrap();
    let [mate, fifty] = [Metric::Mate, Metric::MateFifty].map(|m| Tables::new(folder.path(), m));
    let material: Material = "KRvKN".parse().unwrap();
    for tables in [&mate, &fifty] {
        build(
            &Plan::new(material.clone(), tables.metric()),
            tables,
            &run(),
        )
        .unwrap();
    }
    let compared = compare(&material, &mate, &fifty, Counting::Positions, &run()).unwrap();
    let wins = compared.white_wins;
    // The longest win takes 79 plies: no capture or pawn move is late with a clock of 0, but some
    // are with a larger one.
    assert_eq!((wins.longer, wins.drawn), (0, 0));
    assert_eq!(wins.same + wins.longer_with_clock, 5_210_920);
    assert!(wins.longer_with_clock > 0);
    assert!(compare(&material, &fifty, &mate, Counting::Positions, &run()).is_err());
}

#[test]
fn a_mate_ends_the_game_before_the_rule_does() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::MateFifty);
    build(
        &Plan::new("KQvK".parse().unwrap(), Metric::MateFifty),
        &tables,
        &run(),
    )
    .unwrap();
    let value = |fen: &str, clock| {
        let position = read_position(fen).unwrap();
        tables.value_with_clock(&position, clock).unwrap()
    };
    let mate_in_one = "k7/8/1K6/8/8/8/7Q/8 w - - 0 1";
    assert_eq!(value(mate_in_one, 99), Value::Win(1));
    assert_eq!(value(mate_in_one, 100), Value::Draw);
    let mated = "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1";
    for clock in [0, 99, 100, 1000] {
        assert_eq!(value(mated, clock), Value::Loss(0));
    }
    let mate_in_six = "8/8/8/8/8/2k5/7Q/K7 w - - 0 1";
    assert_eq!(value(mate_in_six, 89), Value::Win(11));
    assert_eq!(value(mate_in_six, 90), Value::Draw);
    let position = read_position(mate_in_six).unwrap();
    let line = tables.line(&position, 89, 50).unwrap();
    assert_eq!(line.len(), 11);
    assert!(line.last().unwrap().san.ends_with('#'));
    assert!(tables.line(&position, 90, 50).unwrap().is_empty());
    let over = tables.probe(&position, 100).unwrap();
    assert!(over.moves.iter().all(|choice| choice.value == Value::Draw));
}

/// The least memory suffices, a byte less is refused before any table is made, and the bytes depend
/// neither on it nor on the threads.
#[test]
fn budgets_are_obeyed_or_refused() {
    for name in ["KRvKN", "KPvK"] {
        let material: Material = name.parse().unwrap();
        let plan = Plan::new(material.clone(), Metric::MateFifty);
        let [ample, small] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let expected = Tables::new(ample.path(), Metric::MateFifty);
        build(&plan, &expected, &Run::new(3, Ram::unlimited())).unwrap();
        let tables = Tables::new(small.path(), Metric::MateFifty);
        let least = least_bytes(&plan, &tables);
        let refused = build(&plan, &tables, &Run::new(2, Ram::limited(least - 1)));
        assert!(
            matches!(refused, Err(TableError::OverBudget(_))),
            "{refused:?}"
        );
        assert!(!tables.has(&material));
        let run = Run::new(1, Ram::limited(least));
        build(&plan, &tables, &run).unwrap();
        assert!(run.ram.peak() <= least);
        assert_eq!(run.ram.used(), 0, "{name}");
        let bytes = |tables: &Tables| std::fs::read(tables.path(&material)).unwrap();
        assert!(bytes(&tables) == bytes(&expected), "{name}");
    }
}

/// A damaged byte anywhere is refused by name, or changes no value.
#[test]
fn a_damaged_file_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::MateFifty);
    let material: Material = "KRvK".parse().unwrap();
    build(
        &Plan::new(material.clone(), Metric::MateFifty),
        &tables,
        &run(),
    )
    .unwrap();
    let path = tables.path(&material);
    let good = std::fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(1 + good.len() / 97) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::write(&path, &bad).unwrap();
        let fresh = Tables::new(folder.path(), Metric::MateFifty);
        let error = fresh.scrub(&material, &run()).unwrap_err();
        assert!(
            error.to_string().contains("KRvK.dtm50"),
            "byte {at}: {error}"
        );
    }
}
