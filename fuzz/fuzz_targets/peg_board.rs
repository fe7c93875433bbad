//! Any text read as a board, a position, a start, a finish and a game: refused with a reason, or read; never a panic.
//!
//! What is read is written and read again, and must be the same.

#![no_main]

use everymove_pegs::{DrawnBoard, Lattice, Problem, parse_game, replay};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut parts = text.splitn(4, '\0');
    let board = parts.next().unwrap_or_default();
    let (start, finish, game) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
    for lattice in [None, Some(Lattice::Square), Some(Lattice::Triangular)] {
        let Ok(drawn) = DrawnBoard::read(board, lattice) else {
            continue;
        };
        let position = drawn.position.unwrap_or(drawn.board.full());
        let line = drawn.board.line(position);
        assert_eq!(drawn.board.position(&line), Ok(position), "{line}");
        let Ok(problem) = Problem::read(&drawn, start, finish) else {
            continue;
        };
        let from = drawn.board.line(problem.start());
        let parsed = parse_game(&drawn.board, problem.start(), game);
        let replayed = replay(&from, drawn.board.lattice(), game);
        // Numbers before moves are passed over by one and refused by the other.
        if let (Ok(jumps), Ok(replayed)) = (parsed, replayed) {
            assert_eq!(jumps.len(), replayed.jumps);
        }
    }
});
