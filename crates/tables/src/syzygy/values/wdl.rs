//! What a position is worth to the side to move, under the fifty-move rule.

/// Values of the side to move, as in the files.
pub(crate) const LOSS: u8 = 0;
pub(crate) const BLESSED: u8 = 1;
pub(crate) const DRAW: u8 = 2;
pub(crate) const CURSED: u8 = 3;
pub(crate) const WIN: u8 = 4;
/// Of positions that cannot be.
pub(crate) const IMPOSSIBLE: u8 = 255;

/// The class of a win's code: 0 is none.
pub(crate) fn class_of_win(code: u16) -> u8 {
    match code {
        0 => DRAW,
        1..=100 => WIN,
        _ => CURSED,
    }
}

/// The class of a loss's code: plies and one.
pub(crate) fn class_of_loss(code: u16) -> u8 {
    match code {
        0 => DRAW,
        1..=101 => LOSS,
        _ => BLESSED,
    }
}
