//! The theorems in words.

use thiserror::Error;

use crate::board::{Kind, Leaper};

/// Why a tour exists or does not. Its text names the theorem and gives the idea of the proof where
/// that is short.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Theorem {
    /// A board of one square.
    #[error("a single square is an open tour of no moves")]
    OneSquare,
    /// Fewer than three squares for a closed tour.
    #[error(
        "a closed tour needs at least 3 squares to return without repeating a move, and this board has {squares}"
    )]
    TooFewSquares {
        /// The squares of the board.
        squares: usize,
    },
    /// Closed, both sides odd.
    #[error(
        "Schwenk's theorem (1991): with both sides odd one colour has a square more, but a closed knight's tour alternates colours"
    )]
    OddBoard,
    /// Closed, a side of 1, 2 or 4.
    #[error("Schwenk's theorem (1991): a board with a side of {side} has no closed knight's tour{}", schwenk_side(*.side))]
    SchwenkSide {
        /// The side.
        side: usize,
    },
    /// Closed, 3x4, 3x6, 3x8.
    #[error(
        "Schwenk's theorem (1991): a board of 3 rows has a closed knight's tour only from 10 columns on, and this one has {length}"
    )]
    SchwenkThree {
        /// The longer side.
        length: usize,
    },
    /// All other rectangles have closed tours.
    #[error(
        "Schwenk's theorem (1991): every rectangle has a closed knight's tour but for two odd sides, a side of 1, 2 or 4, and 3x4, 3x6, 3x8"
    )]
    Schwenk,
    /// Open, a side of 1 or 2.
    #[error("on a board with a side of {side} the knight can not reach every square")]
    TwoRows {
        /// The side.
        side: usize,
    },
    /// Open, the exceptions among boards of three and four rows.
    #[error(
        "the {rows}x{cols} board is one of the exceptions 3x3, 3x5, 3x6, 4x4 of the theorem on open knight's tours (Conrad, Hindrichs, Morsy, Wegener 1994)"
    )]
    ConradExceptions {
        /// The shorter side.
        rows: usize,
        /// The longer side.
        cols: usize,
    },
    /// Both sides at least five.
    #[error(
        "Cull and De Curtins (1978): every rectangle with sides of at least 5 has an open knight's tour"
    )]
    CullDeCurtins,
    /// Three and four rows.
    #[error(
        "Conrad, Hindrichs, Morsy, Wegener (1994): every rectangle with sides of at least 3 has an open knight's tour but for 3x3, 3x5, 3x6, 4x4"
    )]
    Conrad,
    /// A closed tour gives an open one from each square.
    #[error(
        "a closed tour of this board, begun at the square asked for, is an open tour from there"
    )]
    Rotation,
    /// The (0,1)-leaper, or a piece that moves so, too.
    #[error("the squares can be visited row by row in alternating directions (boustrophedon)")]
    Boustrophedon,
    /// Start and end are the same square.
    #[error("a tour can not start and end on the same square {square}")]
    SameEnds {
        /// The square.
        square: String,
    },
    /// The ends of a closed tour are not a move apart.
    #[error(
        "a closed tour ends a move away from its start, and {end} is not a move away from {start}"
    )]
    EndsApart {
        /// The start.
        start: String,
        /// The end.
        end: String,
    },
    /// The legs have a common divisor.
    #[error(
        "all legs of a {leaper} leaper are multiples of {divisor}, so it never gets from {from} to {to}"
    )]
    CommonDivisor {
        /// The piece.
        leaper: Leaper,
        /// The common divisor.
        divisor: usize,
        /// A square.
        from: String,
        /// A square of another class.
        to: String,
    },
    /// The legs have an even sum.
    #[error(
        "the legs of each leap of a {leaper} leaper have an even sum, so it never leaves its colour, and {from} and {to} differ in colour"
    )]
    KeepsColour {
        /// The piece.
        leaper: Leaper,
        /// A square.
        from: String,
        /// A square of the other colour.
        to: String,
    },
    /// Too many squares of one colour.
    #[error("each move changes the colour, so {} but the board has {dark} squares of the colour of a1 and {light} of the other", balance(*.kind))]
    Colours {
        /// Open or closed.
        kind: Kind,
        /// Squares of the colour of a1.
        dark: usize,
        /// Squares of the other colour.
        light: usize,
    },
    /// The colour that is one ahead must be at both ends.
    #[error(
        "each move changes the colour, so an open tour starts and ends on the colour with a square more ({dark} squares are of the colour of a1, {light} of the other), and {end} is of the other colour"
    )]
    MinorityEnd {
        /// The end of the wrong colour.
        end: String,
        /// Squares of the colour of a1.
        dark: usize,
        /// Squares of the other colour.
        light: usize,
    },
    /// As many squares of either colour, but both ends of the same.
    #[error(
        "each move changes the colour and both colours have as many squares, so an open tour ends on the other colour than it starts; {start} and {end} have the same"
    )]
    EndsOfOneColour {
        /// The start.
        start: String,
        /// The end.
        end: String,
    },
    /// Ends inside a board of four rows.
    #[error(
        "on a board with a side of 4 every open knight's tour starts and ends in the two outer lines, whose squares have all their moves into the two inner ones; {end} is inside"
    )]
    FourRows {
        /// The end.
        end: String,
    },
    /// Too small for the leaper to reach all.
    #[error("Knuth's theorem on leaper graphs (1994): an {leaper} leaper reaches all squares of a rectangle only if the sides are at least {} and {}", .leaper.legs()[0].0 + .leaper.long(), 2 * .leaper.long())]
    Narrow {
        /// The piece.
        leaper: Leaper,
    },
    /// A square without moves.
    #[error("no move leads to {square}")]
    Isolated {
        /// The square.
        square: String,
    },
    /// A square with a single move in a closed tour.
    #[error("only one move leads to {square}, and a closed tour needs two at each square")]
    DeadEnd {
        /// The square.
        square: String,
    },
    /// Too many squares with a single move for an open tour.
    #[error(
        "only one move leads to {squares}: such squares must be ends of an open tour, and here that is not possible"
    )]
    DeadEnds {
        /// The squares, separated by commas.
        squares: String,
    },
    /// Not connected.
    #[error("no sequence of moves leads from {from} to {to}")]
    Disconnected {
        /// A square.
        from: String,
        /// A square out of its reach.
        to: String,
    },
    /// A square that three neighbours need.
    #[error(
        "{first}, {second} and {third} have only two moves each, and one of them to {square} each: a closed tour would pass {square} three times"
    )]
    Crowded {
        /// The square.
        square: String,
        /// A neighbour of two moves.
        first: String,
        /// Another.
        second: String,
        /// Another.
        third: String,
    },
    /// A square whose loss cuts the board in two.
    #[error("without {square} the board falls apart, so a closed tour would pass it twice")]
    CutSquare {
        /// The square.
        square: String,
    },
}

fn schwenk_side(side: usize) -> &'static str {
    match side {
        4 => {
            ": the outer lines have all their moves into the inner ones, so the two would alternate like the colours"
        }
        _ => ": the knight can not reach every square and come back",
    }
}

fn balance(kind: Kind) -> &'static str {
    match kind {
        Kind::Open => {
            "an open tour visits as many squares of one colour as of the other or one more,"
        }
        Kind::Closed => "a closed tour visits as many squares of one colour as of the other,",
    }
}
