//! With our own tables the engine plays endings to the ply.

use everymove_engine::mate::Prover;
use everymove_engine::score::UciScore;
use everymove_engine::{Engine, Game, Limits, Options, Position, Signals};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use everymove_tables::metric::Metric;
use everymove_tables::probe::Value;
use everymove_tables::{Plan, Tables, build};
use shakmaty::CastlingMode;

fn tables(folder: &std::path::Path) -> Tables {
    let tables = Tables::new(folder, Metric::Mate);
    let plan = Plan::new("KPvK".parse().unwrap(), Metric::Mate);
    build(&plan, &tables, &Run::serial()).unwrap();
    tables
}

/// Legal positions of the kings and one man.
fn positions(man: char, number: usize) -> Vec<Position> {
    let mut rng = SplitMix64::new(3);
    let mut found = Vec::new();
    while found.len() < number {
        let mut board = ['1'; 64];
        for piece in ['K', 'k', man] {
            board[rng.below(64) as usize] = piece;
        }
        let rows: Vec<String> = board.chunks(8).map(|row| row.iter().collect()).collect();
        let side = if rng.below(2) == 0 { 'w' } else { 'b' };
        let fen = format!("{} {side} - - 0 1", rows.join("/"));
        let position = Position::from_fen(&fen, CastlingMode::Standard);
        let whole = |p: &Position| p.board().occupied().count() == 3 && !p.legal_moves().is_empty();
        found.extend(position.ok().filter(whole));
    }
    found
}

#[test]
fn roots_in_tables_are_known_to_the_ply() {
    let folder = tempfile::tempdir().unwrap();
    let tables = tables(folder.path());
    let mut engine = Engine::new(Options::default()).unwrap();
    assert!(engine.set_tables("/nowhere/at/all").is_err());
    engine.set_tables(folder.path().to_str().unwrap()).unwrap();
    let limits = Limits {
        depth: Some(4),
        ..Limits::default()
    };
    let (mut won, mut drawn) = (0, 0);
    let mut all = positions('Q', 60);
    all.extend(positions('P', 60));
    for position in all {
        let game = Game::from(position.clone());
        let answer = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
        let line = &answer.report.lines[0];
        let fen = position.fen();
        let Some(plies) = tables.value(position.chess()).unwrap().plies() else {
            let next = position.play(answer.best.unwrap());
            assert_eq!(tables.value(next.chess()).unwrap().plies(), None, "{fen}");
            drawn += 1;
            continue;
        };
        let end = line.pv.iter().fold(position.clone(), |p, &m| p.play(m));
        assert!(
            end.legal_moves().is_empty() && end.checkers().any(),
            "{fen}"
        );
        assert_eq!(line.pv.len(), usize::from(plies), "{fen}");
        let mate = UciScore::of(line.score).mate().unwrap();
        assert_eq!(mate.unsigned_abs(), u32::from(plies).div_ceil(2), "{fen}");
        if (1..=3).contains(&mate) {
            // The rules alone agree.
            let proved = Prover::new(1_000_000).shortest(&position, 3);
            assert_eq!(proved, Ok(Some(mate as u32)), "{fen}");
        }
        won += 1;
    }
    assert!(won > 40 && drawn > 10, "{won} {drawn}");
}

/// A pawn is to be taken, or to be promoted by a capture: the mate behind it is known as soon as
/// the move is looked at.
#[test]
fn captures_into_tables_are_known_to_the_ply() {
    let folder = tempfile::tempdir().unwrap();
    let tables = tables(folder.path());
    let mut engine = Engine::new(Options::default()).unwrap();
    assert_eq!(
        engine.set_tables(folder.path().to_str().unwrap()).unwrap(),
        3
    );
    let limits = Limits {
        depth: Some(3),
        ..Limits::default()
    };
    for (fen, capture) in [
        ("8/8/8/3k4/8/7Q/1p6/K7 w - - 0 1", "a1b2"),
        ("8/8/8/3k4/8/7R/1p6/K7 w - - 0 1", "a1b2"),
        ("1n6/P7/8/4k3/8/3K4/8/8 w - - 0 1", "a7b8q"),
    ] {
        let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let answer = engine.search(
            &Game::from(position.clone()),
            &limits,
            &Signals::new(),
            &mut |_| {},
        );
        let best = answer.best.unwrap();
        assert_eq!(
            best.to_uci(CastlingMode::Standard).to_string(),
            capture,
            "{fen}"
        );
        let next = tables.value(position.play(best).chess()).unwrap();
        let plies = i32::from(next.plies().unwrap()) + 1;
        let mate = UciScore::of(answer.report.lines[0].score).mate().unwrap();
        assert_eq!(mate, (plies + 1) / 2, "{fen}");
    }
}

/// Where a folder has only distances to captures and pawn moves, they are used: wins are won before
/// the fifty moves are over, scores are those of tables.
#[test]
fn distances_to_zeroing_moves_win_too() {
    use everymove_engine::score::{KNOWN_WIN, is_known};

    let folder = tempfile::tempdir().unwrap();
    let made = Tables::new(folder.path(), Metric::Zeroing);
    let plan = Plan::new("KPvK".parse().unwrap(), Metric::Zeroing);
    build(&plan, &made, &Run::serial()).unwrap();
    let mut engine = Engine::new(Options::default()).unwrap();
    let path = folder.path().to_str().unwrap();
    assert_eq!(engine.set_tables(path).unwrap(), 3);
    let limits = Limits {
        depth: Some(2),
        ..Limits::default()
    };
    let mut rng = SplitMix64::new(6);
    let (mut won, mut drawn, mut lost) = (0, 0, 0);
    let mut all = positions('R', 12);
    all.extend(positions('P', 40));
    for position in all {
        let fen = position.fen();
        let value = made.value(position.chess()).unwrap();
        let mut game = Game::from(position);
        let answer = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
        let score = answer.report.lines[0].score;
        assert!(answer.report.tb_hits > 0, "{fen}");
        match value {
            Value::Draw => {
                assert_eq!(score, 0, "{fen}");
                drawn += 1;
                continue;
            }
            Value::Loss(_) => {
                assert!(score <= -KNOWN_WIN, "{fen} {score}");
                lost += 1;
                continue;
            }
            Value::Win(_) => assert!(is_known(score) && score > 0, "{fen} {score}"),
        }
        let strong = game.position().turn();
        while !game.position().legal_moves().is_empty() {
            let now = game.position().clone();
            let m = if now.turn() == strong {
                let answer = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
                answer.best.unwrap()
            } else {
                let moves = now.legal_moves();
                moves[rng.below(moves.len() as u64) as usize]
            };
            game.play(m);
            assert!(game.position().halfmoves() < 100, "{fen}");
        }
        assert!(game.position().checkers().any(), "{fen}");
        won += 1;
    }
    assert!(won > 10 && drawn > 3 && lost > 3, "{won} {drawn} {lost}");
}
