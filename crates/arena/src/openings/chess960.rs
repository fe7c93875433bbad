//! The initial positions of Chess960.

/// Initial position number `id` (0 to 959) in Forsyth-Edwards notation; 518 is that of chess.
///
/// Numbered as by R. Scharnagl: `id` is a mixed-radix number of the bishop on light squares (4
/// ways), the bishop on dark squares (4), the queen (6 empty squares) and the two knights (10);
/// rook, king and rook fill the other squares.
///
/// # Panics
/// If `id` is above 959.
///
/// ```
/// let fen = everymove_arena::openings::chess960::fen(518);
/// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
pub fn fen(id: u64) -> String {
    assert!(id < 960, "there is no initial position {id}");
    let (rest, light) = (id / 4, id % 4);
    let (rest, dark) = (rest / 4, rest % 4);
    let (knights, queen) = ((rest / 6) as usize, (rest % 6) as usize);
    let mut row = [None; 8];
    row[2 * light as usize + 1] = Some('b');
    row[2 * dark as usize] = Some('b');
    let free = |row: &[Option<char>; 8], n: usize| {
        let mut empty = (0..8).filter(|&i| row[i].is_none());
        empty.nth(n).expect("fewer pieces than squares")
    };
    row[free(&row, queen)] = Some('q');
    let pairs: Vec<_> = (0..5)
        .flat_map(|a| (a + 1..5).map(move |b| (a, b)))
        .collect();
    let (a, b) = pairs[knights];
    let (a, b) = (free(&row, a), free(&row, b));
    (row[a], row[b]) = (Some('n'), Some('n'));
    for piece in ['r', 'k', 'r'] {
        row[free(&row, 0)] = Some(piece);
    }
    let black: String = row.iter().flatten().collect();
    let white = black.to_ascii_uppercase();
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game_state::position;
    use shakmaty::CastlingMode;

    #[test]
    fn there_are_960_legal_positions() {
        let all: HashSet<String> = (0..960).map(fen).collect();
        assert_eq!(all.len(), 960);
        for fen in &all {
            assert!(position(fen, CastlingMode::Chess960).is_ok(), "{fen}");
            let row = fen.split('/').next().unwrap();
            let at = |c| row.match_indices(c).map(|(i, _)| i).collect::<Vec<_>>();
            let (rooks, bishops) = (at('r'), at('b'));
            assert!(rooks[0] < at('k')[0] && at('k')[0] < rooks[1], "{row}");
            assert_ne!(bishops[0] % 2, bishops[1] % 2, "{row}");
        }
    }
}
