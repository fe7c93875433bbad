//! Any bytes read as PGN, as openings, as results and as EPD; any text as a move: refused, or legal; never a panic. A game that
//! is read has a tree of legal moves.

#![no_main]

use everymove_api::chess::notation::{read_move, san};
use everymove_arena::fen::Epd;
use everymove_arena::openings::{FileFormat, read};
use everymove_arena::pgn::{PgnError, Scope, read_games, results};
use everymove_arena::{CastlingMode, GameState};
use everymove_engine::Position;
use everymove_kernel::input::Input;
use everymove_kernel::run::Run;
use libfuzzer_sys::fuzz_target;
use shakmaty::Position as _;

fuzz_target!(|bytes: &[u8]| {
    let run = Run::serial();
    let input = || Input::new("fuzz", std::io::Cursor::new(bytes.to_vec()), &run);
    let _ = read_games(input(), Scope::Tree, |game| {
        let mut position = game.start.clone();
        for m in game.main_line() {
            assert!(position.is_legal(m), "{m:?}");
            position.play_unchecked(m);
        }
        let moves: usize = game.nodes.iter().map(|node| node.next.len()).sum();
        assert_eq!(moves + 1, game.nodes.len());
        Ok::<_, PgnError>(())
    });
    let _ = results::read(input());
    for format in [FileFormat::Lines, FileFormat::Pgn] {
        if let Ok(list) = read(input(), format, Some(16), CastlingMode::Standard) {
            for opening in list.openings {
                GameState::new(&opening, CastlingMode::Standard).expect("openings are checked");
            }
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Ok(epd) = Epd::read(text) {
            assert!(Epd::read(&epd.fen).is_ok());
        }
        let position = Position::default();
        if let Ok(m) = read_move(&position, text) {
            assert!(position.legal_moves().contains(&m), "{}", san(&position, m));
        }
    }
});
