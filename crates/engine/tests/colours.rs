//! A position with the colours exchanged has exactly the negated score for White.

use everymove_engine::score::UciScore;
use everymove_engine::{Engine, Features, Game, Limits, Options, Position, Signals};
use everymove_kernel::rng::SplitMix64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Position as _};

fn mirrored(position: &Position) -> Option<Position> {
    let mut setup = position.chess().to_setup(EnPassantMode::Legal);
    setup.mirror();
    let chess = Chess::from_setup(setup, position.castling_mode()).ok()?;
    Some(Position::from(chess))
}

/// Positions of random games: even ones and won ones, with either side to move.
fn random_positions(number: usize) -> Vec<Position> {
    let mut rng = SplitMix64::new(77);
    let mut found = Vec::new();
    while found.len() < number {
        let mut position = Position::default();
        for _ in 0..4 + rng.below(90) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play(moves[rng.below(moves.len() as u64) as usize]);
        }
        if !position.legal_moves().is_empty() && position.halfmoves() < 50 {
            found.push(position);
        }
    }
    found
}

fn score_for_white(engine: &mut Engine, position: &Position, limits: &Limits) -> UciScore {
    engine.clear();
    let game = Game::from(position.clone());
    let answer = engine.search(&game, limits, &Signals::new(), &mut |_| {});
    UciScore::for_white(answer.report.lines[0].score, position.turn())
}

/// Without heuristics that depend on the order of squares, the value of a position is that of its
/// mirror image.
#[test]
fn scores_of_200_positions_are_exact_negatives() {
    let mut engine = Engine::new(Options {
        features: Features::plain(),
        ..Options::default()
    })
    .unwrap();
    let limits = Limits {
        depth: Some(2),
        ..Limits::default()
    };
    let mut compared = 0;
    for position in random_positions(200) {
        let Some(other) = mirrored(&position) else {
            continue;
        };
        let score = score_for_white(&mut engine, &position, &limits);
        let negated = score_for_white(&mut engine, &other, &limits);
        assert_eq!(score, -negated, "{}", position.fen());
        assert_eq!(score.mate(), negated.mate().map(|n| -n));
        compared += 1;
    }
    assert!(compared >= 190, "{compared}");
}

#[test]
fn mates_are_exact_negatives() {
    let mut engine = Engine::new(Options::default()).unwrap();
    let rows = include_str!("mates.tsv");
    let mut sides = [0; 2];
    for row in rows.lines().filter(|l| !l.starts_with('#')) {
        let mut cells = row.split('\t');
        let fen = cells.next().unwrap();
        let moves: u32 = cells.next().unwrap().parse().unwrap();
        if moves > 3 {
            continue;
        }
        let position = Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let other = mirrored(&position).unwrap();
        let limits = Limits {
            mate: Some(moves),
            nodes: Some(4_000_000),
            ..Limits::default()
        };
        for (position, winner) in [(&position, position.turn()), (&other, other.turn())] {
            let expected = if winner.is_white() {
                UciScore::Mates(moves)
            } else {
                UciScore::IsMated(moves)
            };
            let found = score_for_white(&mut engine, position, &limits);
            assert_eq!(found, expected, "{}", position.fen());
            sides[winner as usize] += 1;
        }
    }
    assert!(sides[0] > 20 && sides[0] == sides[1], "{sides:?}");
}
