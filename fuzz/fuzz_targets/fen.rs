//! Any text read as a position: refused with a reason, or written as a text that is read as the same position; never a
//! panic, for chess and Chess960.

#![no_main]

use everymove_engine::Position;
use libfuzzer_sys::fuzz_target;
use shakmaty::CastlingMode;

fuzz_target!(|text: &str| {
    for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
        if let Ok(position) = Position::from_fen(text, mode) {
            let again = Position::from_fen(&position.fen(), mode).expect("what is written is read");
            assert_eq!(again.fen(), position.fen());
            assert_eq!(again.keys().all, position.keys().all);
        }
    }
});
