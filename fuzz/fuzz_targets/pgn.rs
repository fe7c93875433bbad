//! Any bytes read as PGN, as openings and as results; any text as a move: refused, or legal; never a panic.

#![no_main]

use everymove_api::chess::notation::{read_move, san};
use everymove_arena::openings::{FileFormat, read};
use everymove_arena::pgn::{games, results};
use everymove_arena::{CastlingMode, GameState};
use everymove_engine::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = games::read(bytes);
    let _ = results::read(bytes);
    for format in [FileFormat::Epd, FileFormat::Pgn] {
        if let Ok(openings) = read(bytes, format, Some(16), CastlingMode::Standard) {
            for opening in openings {
                GameState::new(&opening, CastlingMode::Standard).expect("openings are checked");
            }
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let position = Position::default();
        if let Some(m) = read_move(&position, text) {
            assert!(position.legal_moves().contains(&m), "{}", san(&position, m));
        }
    }
});
