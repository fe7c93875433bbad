//! The service's categories and order of moves, on published examples and by comparison with the
//! tables themselves.

use everymove_kernel::run::Run;
use everymove_tables::probe::{read_position, write_position};
use everymove_tables::service::Category;
use everymove_tables::{Metric, OutputFiles, Plan, Tablebase, Tables, Value, build, build_ending};
use shakmaty::{Color, Position};
use tempfile::TempDir;

/// Tables of both metrics; of two endings also Syzygy files.
fn tables() -> (TempDir, Tablebase) {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::serial().with_threads(2);
    for (material, metric) in [
        ("KRvK", Metric::Mate),
        ("KPvK", Metric::Mate),
        ("KPvK", Metric::Zeroing),
    ] {
        let tables = Tables::new(folder.path(), metric);
        build(&Plan::new(material.parse().unwrap(), metric), &tables, &run).unwrap();
    }
    let tables = Tables::new(folder.path().join("made"), Metric::Zeroing);
    let plan = Plan::new("KRvK".parse().unwrap(), Metric::Zeroing);
    build_ending(&plan, OutputFiles::TablesAndSyzygy, &tables, &run).unwrap();
    for kind in ["rtbw", "rtbz"] {
        let name = format!("KRvK.{kind}");
        let made = folder.path().join("made").join(&name);
        std::fs::rename(made, folder.path().join(name)).unwrap();
    }
    let service = Tablebase::open(&[folder.path()], &[folder.path()]).0;
    (folder, service)
}

#[test]
fn published_examples_are_answered_alike() {
    let (_folder, service) = tables();
    let position = |fen: &str| service.position(&read_position(fen).unwrap()).unwrap();

    let lost = position("k7/8/1K6/8/8/8/8/7R b - - 0 1");
    let root = lost.root;
    assert_eq!((root.dtz, root.dtm), (Some(-2), Some(-2)));
    assert_eq!(root.category, Category::Loss);
    let after = lost.moves[0].after;
    assert_eq!((lost.moves.len(), lost.moves[0].san.as_str()), (1, "Kb8"));
    assert_eq!(
        (after.dtz, after.dtm, after.category),
        (Some(1), Some(1), Category::Win)
    );
    let line = service.mainline(&read_position("k7/8/1K6/8/8/8/8/7R b - - 0 1").unwrap());
    let line = line.unwrap().unwrap();
    let moves: Vec<_> = line
        .moves
        .iter()
        .map(|m| (m.san.as_str(), m.after.dtz))
        .collect();
    assert_eq!(moves, [("Kb8", Some(1)), ("Rh8#", Some(-1))]);
    assert_eq!(line.winner, Some(Color::White));

    let late = position("k7/8/1K6/8/8/8/8/7R b - - 99 80");
    assert_eq!(late.root.category, Category::BlessedLoss);
    assert_eq!(late.moves[0].after.category, Category::CursedWin);

    let drawn = position("8/8/8/8/8/2k5/p7/K7 w - - 0 1");
    assert_eq!(
        (drawn.root.category, drawn.root.dtz, drawn.root.dtm),
        (Category::Draw, Some(0), Some(0))
    );
    let only = &drawn.moves[0];
    assert_eq!((drawn.moves.len(), only.san.as_str()), (1, "Kxa2"));
    assert!(only.zeroing && only.conversion && only.after.insufficient_material);
    assert_eq!(
        (only.after.category, only.after.dtz),
        (Category::Draw, Some(0))
    );

    let mated = position("1k5R/8/1K6/8/8/8/8/8 b - - 2 2");
    assert!(mated.root.checkmate && mated.moves.is_empty());
    assert_eq!(
        (mated.root.dtz, mated.root.dtm, mated.root.category),
        (Some(-1), None, Category::Loss)
    );
}

#[test]
fn what_tables_lack_is_unknown() {
    let (_folder, service) = tables();
    for fen in [
        "4k3/8/8/8/8/8/8/3BKN2 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ] {
        let position = read_position(fen).unwrap();
        let found = service.position(&position).unwrap();
        assert_eq!(found.root.dtz, None, "{fen}");
        // The best move ends the right to castle, and the tables know what follows.
        let expected = if fen.contains(" K ") {
            Category::Win
        } else {
            Category::Unknown
        };
        assert_eq!(found.root.category, expected, "{fen}");
        assert!(service.mainline(&position).unwrap().is_none(), "{fen}");
    }
}

/// The root's category and the best move against the values of the tables, for every position of a
/// won ending reached by best play.
#[test]
fn the_best_move_is_that_of_the_tables() {
    let (folder, service) = tables();
    let dtm = Tables::new(folder.path(), Metric::Mate);
    let mut position = read_position("8/8/8/3k4/8/8/8/K6R w - - 0 1").unwrap();
    let mut plies = 0;
    while !position.is_checkmate() {
        let found = service.position(&position).unwrap();
        let fen = write_position(&position);
        let value = dtm.value(&position).unwrap();
        let expected = match value {
            Value::Win(n) => (Category::Win, i32::from(n)),
            Value::Loss(n) => (Category::Loss, -i32::from(n)),
            Value::Draw => panic!("{fen}"),
        };
        assert_eq!(
            (found.root.category, found.root.dtm.unwrap()),
            expected,
            "{fen}"
        );
        let best = &found.moves[0];
        position.play_unchecked(best.play);
        plies += 1;
    }
    assert!((20..=32).contains(&plies), "{plies}");
}

/// A pawn ending whose order of moves is published: KPvKP and all it converts into are built.
#[test]
#[ignore = "builds KPvKP and the endings it needs"]
fn published_order_of_moves() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::serial().with_threads(2);
    for metric in [Metric::Mate, Metric::Zeroing] {
        let tables = Tables::new(folder.path(), metric);
        build(&Plan::new("KPvKP".parse().unwrap(), metric), &tables, &run).unwrap();
    }
    let service = Tablebase::open(&[folder.path()], &[folder.path()]).0;
    let found = service.position(&read_position("4k3/6KP/8/8/8/8/7p/8 w - - 0 1").unwrap());
    let found = found.unwrap();
    assert_eq!(
        (found.root.dtz, found.root.dtm, found.root.category),
        (Some(1), Some(17), Category::Win)
    );
    let moves: Vec<_> = (found.moves.iter())
        .map(|m| (m.san.as_str(), m.after.dtm.unwrap()))
        .collect();
    let expected = [
        ("h8=Q+", -16),
        ("h8=R+", -26),
        ("Kg8", 0),
        ("Kf6", 19),
        ("Kg6", 19),
        ("Kh6", 19),
        ("Kh8", 19),
        ("h8=N", 19),
        ("h8=B", 15),
    ];
    assert_eq!(moves, expected);
}
