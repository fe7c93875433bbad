//! The five values of a position for the side to move, under the fifty-move rule.

/// Values as WDL files store them: lost.
pub(crate) const LOSS: u8 = 0;
/// Lost, but drawn by the fifty-move rule.
pub(crate) const BLESSED_LOSS: u8 = 1;
/// Drawn.
pub(crate) const DRAW: u8 = 2;
/// Won, but drawn by the fifty-move rule.
pub(crate) const CURSED_WIN: u8 = 3;
/// Won.
pub(crate) const WIN: u8 = 4;
/// Stored in no file: the position is not legal.
pub(crate) const ILLEGAL: u8 = 255;

/// The value of an encoded win of our tables: 0 is no win, others are plies to a zeroing move.
pub(crate) fn value_of_win(code: u16) -> u8 {
    match code {
        0 => DRAW,
        1..=100 => WIN,
        _ => CURSED_WIN,
    }
}

/// The value of an encoded loss of our tables: 0 is no loss, others are plies to a zeroing move
/// plus one.
pub(crate) fn value_of_loss(code: u16) -> u8 {
    match code {
        0 => DRAW,
        1..=101 => LOSS,
        _ => BLESSED_LOSS,
    }
}
