//! Makes rows of `tests/mates.tsv`: mates met in own games and in endings, each proved to be the shortest.
//!
//! `cargo run --release -p everymove-engine --example make_mates -- 24 24 18 14 10 10`: the numbers of mates in 2, 3, 4, 5, 6 and 7.
#![expect(clippy::print_stdout, reason = "the table is its output")]

use std::collections::HashSet;

use everymove_engine::mate::Prover;
use everymove_engine::score::UciScore;
use everymove_engine::{Engine, Game, Limits, Options, Position, Signals, Strategy};
use everymove_kernel::rng::SplitMix64;
use shakmaty::CastlingMode;

/// Positions that may be visited for a proof.
const PROOF: u64 = 400_000;

fn main() {
    // The numbers of positions wanted by number of moves, from 2.
    let mut words = std::env::args().skip(1);
    let wanted: [usize; 6] =
        std::array::from_fn(|_| words.next().and_then(|w| w.parse().ok()).unwrap_or(0));
    println!("# fen\tmoves\tsource");
    let mut found = [0; 6];
    let mut seen = HashSet::new();
    let mut rng = SplitMix64::new(2024);
    let options = Options {
        hash: 1 << 20,
        strategy: Strategy::Sequential,
        ..Options::default()
    };
    let mut engine = Engine::new(options).unwrap();
    for number in 0.. {
        if found == wanted {
            return;
        }
        engine.clear();
        let mut game = if number % 3 == 0 {
            ending(&mut rng)
        } else {
            let mut game = Game::default();
            (0..8).for_each(|_| step_at_random(&mut game, &mut rng));
            game
        };
        while game.moves().len() < 260 && game.position().halfmoves() < 60 {
            // A random move in six, so that kings are mated on full boards too.
            if rng.below(6) == 0 {
                step_at_random(&mut game, &mut rng);
            }
            let limits = Limits {
                nodes: Some(600),
                ..Limits::default()
            };
            let answer = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
            let Some(best) = answer.best else {
                break;
            };
            let claim = UciScore::of(answer.report.lines[0].score).mate();
            // With few pieces a proof costs less than a search that would find so long a mate.
            let few = game.position().board().occupied().count() <= 5;
            let most = claim.unwrap_or(if few { 7 } else { 0 });
            if (2..=7).contains(&most)
                && (most..=7).any(|n| found[n as usize - 2] < wanted[n as usize - 2])
                && let Ok(Some(n @ 2..=7)) =
                    Prover::new(PROOF).shortest(game.position(), most as u32)
                && found[n as usize - 2] < wanted[n as usize - 2]
                && seen.insert((number, n))
            {
                found[n as usize - 2] += 1;
                println!(
                    "{}\t{n}\town game {number}, proved by everymove_engine::mate",
                    game.position().fen()
                );
            }
            game.play(best);
        }
    }
}

/// Few pieces at random: there long mates can be proved.
fn ending(rng: &mut SplitMix64) -> Game {
    const PIECES: [&str; 7] = ["KQk", "KRk", "KRRk", "KQkp", "KRBk", "KQkr", "KBBk"];
    loop {
        let pieces = PIECES[rng.below(PIECES.len() as u64) as usize];
        let mut board = ['1'; 64];
        for piece in pieces.chars() {
            let square = rng.below(64) as usize;
            board[square] = piece;
        }
        let rows: Vec<String> = board.chunks(8).map(|row| row.iter().collect()).collect();
        let fen = format!("{} w - - 0 1", rows.join("/"));
        if let Ok(position) = Position::from_fen(&fen, CastlingMode::Standard)
            && position.board().occupied().count() == pieces.len()
        {
            return Game::from(position);
        }
    }
}

fn step_at_random(game: &mut Game, rng: &mut SplitMix64) {
    let moves = game.position().legal_moves();
    if !moves.is_empty() {
        game.play(moves[rng.below(moves.len() as u64) as usize]);
    }
}
