//! Inputs of a network: a piece on a square, seen by one side.
//!
//! A side sees the board with its own pieces first and its own first rank at the bottom. If its
//! king is on files e to h, it sees the board mirrored from left to right, so that the king is on
//! files a to d: positions that are mirror images have the same inputs.

use shakmaty::{Color, File, Piece, Square};

/// Inputs for each side: 2 colours, 6 roles, 64 squares.
pub(crate) const INPUTS: usize = 768;

/// Outputs, one for each range of the number of pieces.
pub(crate) const OUTPUTS: usize = 8;

/// The output that evaluates positions with this many pieces, below [`OUTPUTS`].
#[inline]
pub(crate) fn output_of(pieces: usize) -> usize {
    (pieces.clamp(1, 32) - 1) * OUTPUTS / 32
}

/// Whether a side with its king on this square sees the board mirrored.
#[inline]
pub(crate) fn is_mirrored(king: Square) -> bool {
    king.file() >= File::E
}

/// The input of a piece on a square for the side `view`, below [`INPUTS`].
#[inline]
pub(crate) fn input(view: Color, mirrored: bool, piece: Piece, square: Square) -> usize {
    let flip = if view.is_white() { 0 } else { 56 } ^ if mirrored { 7 } else { 0 };
    let own = usize::from(piece.color != view);
    own * 384 + (piece.role as usize - 1) * 64 + (square.to_usize() ^ flip)
}

/// The same input for a side, from that for White on a board that is not mirrored.
#[inline]
pub(crate) fn seen_by(view: Color, mirrored: bool, white: u16) -> usize {
    let white = usize::from(white);
    let flip = if mirrored { 7 } else { 0 };
    match view {
        Color::White => white ^ flip,
        Color::Black => {
            (if white < 384 {
                white + 384
            } else {
                white - 384
            }) ^ 56
                ^ flip
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Role;

    use super::*;

    #[test]
    fn every_input_belongs_to_one_piece_and_square() {
        for view in Color::ALL {
            for mirrored in [false, true] {
                let mut seen = [false; INPUTS];
                for color in Color::ALL {
                    for role in Role::ALL {
                        for square in Square::ALL {
                            let piece = Piece { color, role };
                            let number = input(view, mirrored, piece, square);
                            let white = input(Color::White, false, piece, square) as u16;
                            assert_eq!(seen_by(view, mirrored, white), number);
                            seen[number] = true;
                        }
                    }
                }
                assert!(seen.iter().all(|&s| s));
            }
        }
    }

    #[test]
    fn every_number_of_pieces_has_an_output() {
        let outputs: Vec<usize> = (0..=64).map(output_of).collect();
        assert!(outputs.is_sorted());
        assert_eq!(outputs[2..=5], [0, 0, 0, 1]);
        assert_eq!((outputs[28], outputs[29], outputs[64]), (6, 7, 7));
    }

    /// The sides see mirrored positions alike: upside down for Black, left to right with the king
    /// on the other wing.
    #[test]
    fn mirror_images_have_the_same_inputs() {
        let knight = |color| Role::Knight.of(color);
        let white = input(Color::White, false, knight(Color::White), Square::C3);
        let black = input(Color::Black, false, knight(Color::Black), Square::C6);
        let right = input(Color::White, true, knight(Color::White), Square::F3);
        assert_eq!((white, white), (black, right));
        assert!(is_mirrored(Square::E1) && !is_mirrored(Square::D8));
    }
}
