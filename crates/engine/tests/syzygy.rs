//! Syzygy tables, made here by our own writer and read by another library: at the root and in the tree.

use everymove_engine::{Engine, Game, Limits, Options, Position, Signals, Syzygy, Wdl};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Work};
use everymove_tables::metric::Metric;
use everymove_tables::{Plan, Tables, build, syzygy};
use shakmaty::CastlingMode;

/// A folder with the files of KQvK and KRvK.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Zeroing);
    for ending in ["KQvK", "KRvK"] {
        let material: everymove_tables::Material = ending.parse().unwrap();
        let plan = Plan::new(material.clone(), Metric::Zeroing);
        build(&plan, &tables, &Run::serial()).unwrap();
        syzygy::write(&material, &tables, &Run::serial(), &mut Work::default()).unwrap();
    }
    folder
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen, CastlingMode::Standard).unwrap()
}

fn limits(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

#[test]
fn tables_are_found_and_asked() {
    let folder = folder();
    let path = folder.path().to_str().unwrap();
    let tables = Syzygy::open_path(path).unwrap();
    assert_eq!(tables.most_pieces(), 3);
    for (fen, probe_wdl) in [
        ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", Some(Wdl::Win)),
        ("8/8/8/8/8/3k4/8/KR6 b - - 0 1", Some(Wdl::Loss)),
        ("8/8/8/8/8/8/k7/1R1K4 b - - 0 1", Some(Wdl::Draw)),
        // Not right after a capture; not in the tables.
        ("8/8/8/8/8/3k4/8/KR6 b - - 3 1", None),
        ("8/8/8/8/8/3k4/8/KB6 b - - 0 1", None),
    ] {
        assert_eq!(tables.probe_wdl(&position(fen)), probe_wdl, "{fen}");
    }
    let mut engine = Engine::new(Options::default()).unwrap();
    assert_eq!(engine.set_syzygy(path).unwrap(), 3);
    assert!(engine.set_syzygy("/nowhere/at/all").is_err());
    // A queen that takes the rook comes to a table.
    let game = Game::from(position("8/8/3k4/8/3r4/8/8/K2Q4 w - - 0 1"));
    let answer = engine.search(&game, &limits(6), &Signals::new(), &mut |_| {});
    assert!(answer.report.tb_hits > 0);
}

/// Directories without tables are left out and named; where none can be used, the path is refused.
#[test]
fn usable_directories_are_used() {
    let good = folder();
    let bad = tempfile::tempdir().unwrap();
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let good = text(good.path());
    let [empty, missing, file] = ["empty", "missing", "file"].map(|n| bad.path().join(n));
    std::fs::create_dir(&empty).unwrap();
    std::fs::write(&file, "not a directory").unwrap();
    let (empty, missing, file) = (text(&empty), text(&missing), text(&file));
    let separator = if cfg!(windows) { ";" } else { ":" };
    let path = |names: &[&str]| names.join(separator);
    for (names, unusable) in [
        (vec![&*empty, &*good], vec![&*empty]),
        (vec![&*good, &*empty], vec![&*empty]),
        (vec![&*missing, &*good], vec![&*missing]),
        (vec![&*good, &*missing, &*empty], vec![&*missing, &*empty]),
        (vec![&*file, &*empty, &*good], vec![&*file, &*empty]),
        (vec!["", &*good, "", &*missing, ""], vec![&*missing]),
        (vec![&*good, ""], vec![]),
    ] {
        let path = path(&names);
        let mut engine = Engine::new(Options::default()).unwrap();
        assert_eq!(engine.set_syzygy(&path).unwrap(), 3, "{path}");
        let faults = engine.table_faults();
        assert_eq!(faults.len(), unusable.len(), "{path}: {faults:?}");
        for (fault, name) in faults.iter().zip(unusable) {
            assert!(fault.contains(&format!("'{name}'")), "{path}: {fault}");
        }
        let tables = Syzygy::open_path(&path).unwrap();
        let won = position("8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
        assert_eq!(tables.probe_wdl(&won), Some(Wdl::Win), "{path}");
    }
    for names in [vec![&*empty], vec![&*missing, &*file], vec!["", ""]] {
        let path = path(&names);
        assert!(Syzygy::open_path(&path).is_err(), "{path}");
    }
}

/// A root in the tables has their score, or that of a mate that was found, and counts what was looked up.
#[test]
fn a_root_in_the_tables_has_their_score() {
    use everymove_engine::score::{TABLE_WIN, is_mate};

    let folder = folder();
    let mut engine = Engine::new(Options::default()).unwrap();
    engine.set_syzygy(folder.path().to_str().unwrap()).unwrap();
    for (fen, sign) in [
        ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", 1),
        ("8/8/8/8/8/3k4/8/KR6 b - - 0 1", -1),
        ("8/8/8/8/8/8/k7/1R1K4 b - - 0 1", 0),
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", 1),
    ] {
        let position = position(fen);
        let moves = position.legal_moves().len() as u64;
        let game = Game::from(position);
        let answer = engine.search(&game, &limits(3), &Signals::new(), &mut |_| {});
        let score = answer.report.lines[0].score;
        assert!(
            score == sign * TABLE_WIN || is_mate(score) && score.signum() == sign,
            "{fen} {score}"
        );
        assert_eq!(answer.report.tb_hits, moves, "{fen}");
    }
}

/// From the root the tables lead to the mate before the fifty moves are over, however little is searched.
#[test]
fn won_endings_are_won() {
    let folder = folder();
    let mut engine = Engine::new(Options::default()).unwrap();
    engine.set_syzygy(folder.path().to_str().unwrap()).unwrap();
    let mut rng = SplitMix64::new(8);
    for fen in [
        "8/8/8/4k3/8/8/8/KR6 w - - 0 1",
        "8/8/8/3k4/8/8/8/R6K w - - 0 1",
        "8/8/8/3k4/8/8/8/Q6K w - - 0 1",
    ] {
        let mut game = Game::from(position(fen));
        let mut plies = 0;
        while !game.position().legal_moves().is_empty() {
            let now = game.position().clone();
            let m = if now.turn().is_white() {
                let answer = engine.search(&game, &limits(2), &Signals::new(), &mut |_| {});
                answer.best.unwrap()
            } else {
                let moves = now.legal_moves();
                moves[rng.below(moves.len() as u64) as usize]
            };
            game.play(m);
            plies += 1;
            assert!(plies <= 100, "{fen}: {}", game.position().fen());
        }
        assert!(game.position().checkers().any(), "{fen}");
    }
}
