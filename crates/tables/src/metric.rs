//! Distances and their encoding.
//!
//! Within a half, a distance is stored as an *encoded distance*, called `code` in the source: a
//! small number, 0 for "not forced". A win of the attacker to move and a loss of the defender to
//! move have codes; a loss of code c has predecessors that are wins of code c, which have
//! predecessors that are losses of code c + `stride`.

use std::fmt;

use shakmaty::Move;

/// The event that a distance is counted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// Plies to mate.
    Mate,
    /// Plies to the next capture or pawn move, or to mate, under the fifty-move rule: beyond 100
    /// plies the game is drawn.
    Zeroing,
    /// Plies to mate under the fifty-move rule, which makes a game a draw at 100 plies without a
    /// capture or pawn move unless the last of them mates. The distance depends on the
    /// half-move clock.
    MateFifty,
    /// Plies to the next conversion, which is a capture or promotion by either side, or to mate,
    /// without the fifty-move rule: the winner converts as soon as it can without losing its
    /// win, the loser as late as it can. J. A. Tamplin and G. McC. Haworth, "Chess Endgames:
    /// Data and Strategy", Advances in Computer Games 10 (2004): "Depth to Conversion, i.e., to
    /// force change and/or mate".
    Conversion,
}

/// Moves that cannot be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ZeroingMove {
    /// A pawn move that neither captures nor promotes: the pieces stay the same.
    PawnMove,
    /// A capture or promotion, which leads to another ending.
    Conversion,
}

/// The code of illegal positions.
pub(crate) const ILLEGAL: u8 = 255;

impl ZeroingMove {
    /// Returns the kind of a move, `None` if the fifty-move rule counts it.
    pub(crate) fn of(play: Move) -> Option<Self> {
        match play.is_zeroing() {
            true if play.is_capture() || play.is_promotion() => Some(Self::Conversion),
            true => Some(Self::PawnMove),
            false => None,
        }
    }
}

impl Metric {
    /// All metrics.
    pub const ALL: [Self; 4] = [Self::Mate, Self::Zeroing, Self::MateFifty, Self::Conversion];

    /// The extension of the file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Mate => "dtm",
            Self::Zeroing => "dtz",
            Self::MateFifty => "dtm50",
            Self::Conversion => "dtc",
        }
    }

    /// The metric of files with an extension.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|metric| metric.extension() == extension)
    }

    /// Whether a distance depends on the half-move clock, so that a table holds more than the
    /// distances for a clock of 0.
    pub(crate) fn depends_on_clock(self) -> bool {
        self == Self::MateFifty
    }

    /// Number of sections of a half in a table file.
    pub(crate) fn sections_of_half(self) -> usize {
        if self.depends_on_clock() { 6 } else { 2 }
    }

    /// Returns the difference between the codes of a loss and of the losses two plies before it.
    pub(crate) fn stride(self) -> u16 {
        match self {
            Self::Mate | Self::MateFifty => 1,
            Self::Zeroing | Self::Conversion => 2,
        }
    }

    /// Returns the plies of a win; `code` is at least 1.
    pub(crate) fn win_plies(self, code: u16) -> u16 {
        match self {
            Self::Mate | Self::MateFifty => 2 * code - 1,
            Self::Zeroing | Self::Conversion => code,
        }
    }

    /// Returns the plies of a loss; `code` is at least 1.
    pub(crate) fn loss_plies(self, code: u16) -> u16 {
        match self {
            Self::Mate | Self::MateFifty => 2 * code - 2,
            Self::Zeroing | Self::Conversion => code - 1,
        }
    }

    /// Whether a distance ends with such a move, so that what follows does not add to it.
    pub(crate) fn ends_at(self, by: ZeroingMove) -> bool {
        match self {
            Self::Mate | Self::MateFifty => false,
            Self::Zeroing => true,
            Self::Conversion => by == ZeroingMove::Conversion,
        }
    }

    /// Returns the code of a win by a move to a loss; 0 stays 0.
    pub(crate) fn win_by(self, by: ZeroingMove, loss: u8) -> u8 {
        match (self, loss) {
            (_, 0) => 0,
            (_, code) if !self.ends_at(by) => code,
            (Self::Zeroing, 102..) => 101,
            _ => 1,
        }
    }

    /// Returns the code of a loss by a move to a win; 0 stays 0. A win of a code beyond
    /// [`Self::largest_code_after`] has none.
    pub(crate) fn loss_by(self, by: ZeroingMove, win: u8) -> u8 {
        match (self, win) {
            (_, 0) => 0,
            (_, code) if !self.ends_at(by) => code.saturating_add(self.stride() as u8),
            (Self::Zeroing, 101..) => 102,
            _ => 2,
        }
    }

    /// Returns the largest code of a position that such a move may lead to: the code before it must
    /// be less than [`ILLEGAL`].
    pub(crate) fn largest_code_after(self, by: ZeroingMove) -> u16 {
        let largest = u16::from(ILLEGAL) - 1;
        match self.ends_at(by) {
            true => largest,
            false => largest - self.stride(),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}
