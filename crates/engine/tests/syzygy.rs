//! Syzygy tables, made here: at the root and in the tree, whole and damaged.

use everymove_engine::{Engine, Game, Limits, Options, Position, Signals};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Work};
use everymove_tables::metric::Metric;
use everymove_tables::syzygy::Wdl;
use everymove_tables::{Plan, Tablebase, Tables, build, search_path, syzygy};
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

/// What a search finds of a position.
fn wdl(tables: &Tablebase, fen: &str) -> Option<Wdl> {
    tables.noted(tables.wdl(position(fen).chess(), Some(&|| true)))
}

fn syzygy_files(path: &str) -> Tablebase {
    Tablebase::open(&[], &search_path(path)).0
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
    let tables = syzygy_files(path);
    assert_eq!(tables.most_pieces(), 3);
    for (fen, expected) in [
        ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", Some(Wdl::Win)),
        ("8/8/8/8/8/3k4/8/KR6 b - - 0 1", Some(Wdl::Loss)),
        ("8/8/8/8/8/8/k7/1R1K4 b - - 0 1", Some(Wdl::Draw)),
        // A draw without a table; not in the tables.
        ("8/8/8/8/8/3k4/8/KB6 b - - 0 1", Some(Wdl::Draw)),
        ("8/8/8/8/8/3k4/P7/K7 b - - 0 1", None),
    ] {
        assert_eq!(wdl(&tables, fen), expected, "{fen}");
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
            assert!(fault.contains(name), "{path}: {fault}");
        }
        let won = wdl(&syzygy_files(&path), "8/8/8/3k4/8/8/8/KQ6 w - - 0 1");
        assert_eq!(won, Some(Wdl::Win), "{path}");
    }
    for names in [vec![&*empty], vec![&*missing, &*file]] {
        let path = path(&names);
        let mut engine = Engine::new(Options::default()).unwrap();
        assert!(engine.set_syzygy(&path).is_err(), "{path}");
    }
}

/// A root in the tables has their score, or that of a mate that was found, and counts what was
/// looked up.
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

/// From the root the tables lead to the mate before the fifty moves are over, however little is
/// searched.
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

/// What the tables of a folder say of some positions, and the faults that are reported.
fn said(folder: &std::path::Path) -> (Vec<Option<Wdl>>, Vec<String>) {
    let tables = syzygy_files(folder.to_str().unwrap());
    let mut engine = Engine::new(Options::default()).unwrap();
    engine.set_syzygy(folder.to_str().unwrap()).unwrap();
    let fens = [
        "8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KQ6 b - - 0 1",
        "8/8/8/8/8/3k4/8/KR6 b - - 0 1",
        "8/8/8/8/8/8/k7/1R1K4 b - - 0 1",
    ];
    let values = fens.map(|fen| wdl(&tables, fen));
    let mut faults = tables.faults().take();
    // The same by a search, whose root also needs the distances.
    for fen in fens {
        let game = Game::from(position(fen));
        let answer = engine.search(&game, &limits(1), &Signals::new(), &mut |_| {});
        assert_eq!(
            answer.table_faults.is_empty(),
            answer.check_tables().is_ok()
        );
        faults.extend(answer.table_faults);
    }
    (values.to_vec(), faults)
}

/// No byte of a file can be changed without a word that names the file, and no value comes from
/// such a file.
#[test]
fn a_damaged_file_is_named_and_not_used() {
    let folder = folder();
    let (whole, faults) = said(folder.path());
    assert!(faults.is_empty() && whole.iter().all(Option::is_some));
    for name in ["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw", "KRvK.rtbz"] {
        let path = folder.path().join(name);
        let sound = std::fs::read(&path).unwrap();
        // Every section: magic, header, index, sizes, blocks, checksum.
        let places = (0..sound.len()).step_by(sound.len() / 23);
        for at in (0..24)
            .chain(places)
            .chain([sound.len() - 16, sound.len() - 1])
        {
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).unwrap();
            let (found, faults) = said(folder.path());
            assert!(
                faults.iter().any(|line| line.contains(name)),
                "{name} {at}: {faults:?}"
            );
            assert!(
                faults.iter().all(|line| line.contains(name)),
                "{name} {at}: {faults:?}"
            );
            for (found, whole) in found.iter().zip(&whole) {
                assert!(found.is_none() || found == whole, "{name} {at}");
            }
        }
        std::fs::write(&path, &sound[..sound.len() / 2]).unwrap();
        assert!(!said(folder.path()).1.is_empty(), "{name} cut");
        std::fs::write(&path, &sound).unwrap();
    }
    assert_eq!(said(folder.path()), (whole, Vec::new()));
}

/// With a running half-move clock the score of a root is that of the exact distance, or leaves open
/// what a rounded one does not say.
#[test]
fn the_clock_of_the_root_counts() {
    use everymove_engine::score::is_known;
    use everymove_tables::Value;

    let folder = folder();
    let exact = Tables::new(folder.path(), Metric::Zeroing);
    let mut engine = Engine::new(Options::default()).unwrap();
    engine.set_syzygy(folder.path().to_str().unwrap()).unwrap();
    let mut decided = 0;
    for place in [
        "8/8/8/4k3/8/8/8/KR6",
        "8/8/8/3k4/8/8/8/R6K",
        "8/8/8/3k4/8/8/8/Q6K",
    ] {
        for turn in ["w", "b"] {
            let fresh = position(&format!("{place} {turn} - - 0 1"));
            let value = exact.value(fresh.chess()).unwrap();
            let (plies, sign) = match value {
                Value::Win(n) => (u32::from(n), 1),
                Value::Loss(n) => (u32::from(n), -1),
                Value::Draw => unreachable!("{place} is decided"),
            };
            for clock in 100 - plies.min(99) - 2..=99.min(102 - plies) {
                let fen = format!("{place} {turn} - - {clock} 80");
                let game = Game::from(position(&fen));
                let answer = engine.search(&game, &limits(1), &Signals::new(), &mut |_| {});
                let score = answer.report.lines[0].score;
                let in_time = clock + plies <= 100;
                assert!(
                    !is_known(score) || in_time && score.signum() == sign,
                    "{fen} {score}"
                );
                decided += u32::from(is_known(score));
                if clock + plies < 99 {
                    assert_eq!(score.signum(), sign, "{fen}");
                }
            }
        }
    }
    assert!(decided > 6, "{decided}");
}
