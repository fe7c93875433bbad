//! Everything that the tables of several folders say of a position and its moves, as table servers
//! report it.
//!
//! Categories, the fifty-move rule and the order of the moves follow the description of the public
//! Lichess tablebase service. Every value of a move is that of the position after it, for the
//! opponent.

use std::cmp::Reverse;

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Move, Position, Role};

use crate::error::TableError;
use crate::metric::Metric;
use crate::probe::Value;
use crate::stats::FIFTY_MOVES;
use crate::syzygy::Rounding;
use crate::tablebase::Tablebase;

/// Longer lines are cut off: no ending of seven pieces has one.
const LONGEST_LINE: usize = 1200;

/// What a position is worth for the side to move. The order is that of the moves that lead there:
/// the best move first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// It loses.
    Loss,
    /// No table has the position.
    Unknown,
    /// It loses, or a distance that is rounded down makes it a draw by the fifty-move rule.
    SyzygyLoss,
    /// It loses without the fifty-move rule.
    MaybeLoss,
    /// It would lose, but the fifty-move rule makes it a draw.
    BlessedLoss,
    /// Neither side wins.
    Draw,
    /// It would win, but the fifty-move rule makes it a draw.
    CursedWin,
    /// It wins without the fifty-move rule.
    MaybeWin,
    /// It wins, or a distance that is rounded down makes it a draw by the fifty-move rule.
    SyzygyWin,
    /// It wins.
    Win,
}

impl Category {
    /// The category for the other side.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Unknown => Self::Unknown,
            Self::SyzygyLoss => Self::SyzygyWin,
            Self::MaybeLoss => Self::MaybeWin,
            Self::BlessedLoss => Self::CursedWin,
            Self::Draw => Self::Draw,
            Self::CursedWin => Self::BlessedLoss,
            Self::MaybeWin => Self::MaybeLoss,
            Self::SyzygyWin => Self::SyzygyLoss,
            Self::Win => Self::Loss,
        }
    }

    /// Whether the side to move wins, at least without the fifty-move rule.
    fn is_winning(self) -> bool {
        self >= Self::CursedWin
    }
}

/// What the tables say of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The side to move is checkmated.
    pub checkmate: bool,
    /// The side to move has no move and is not in check.
    pub stalemate: bool,
    /// Neither side can mate by any play.
    pub insufficient_material: bool,
    /// Plies to a capture, a pawn move or mate: positive for wins, negative for losses, 0 for
    /// draws, -1 for checkmate.
    pub dtz: Option<i32>,
    /// Whether `dtz` is exact.
    pub dtz_is_exact: bool,
    /// Plies to mate: positive for wins, negative for losses, 0 for draws; none for checkmate.
    pub dtm: Option<i32>,
    /// Plies to a capture, a promotion or mate without the fifty-move rule: positive for wins,
    /// negative for losses, 0 for draws; none for checkmate.
    pub dtc: Option<i32>,
    /// What the position is worth.
    pub category: Category,
}

/// A move and what the tables say of the position after it.
#[derive(Clone, Debug)]
pub struct MoveFacts {
    /// The move.
    pub play: Move,
    /// The move in UCI notation.
    pub uci: String,
    /// The move in standard algebraic notation.
    pub san: String,
    /// Whether it is a capture or a pawn move.
    pub zeroing: bool,
    /// Whether it changes the ending: a capture or promotion.
    pub conversion: bool,
    /// The position after it.
    pub after: Facts,
}

/// A position and all its moves.
#[derive(Clone, Debug)]
pub struct PositionFacts {
    /// The position.
    pub root: Facts,
    /// Its moves, the best first.
    pub moves: Vec<MoveFacts>,
}

/// A line of best play.
#[derive(Clone, Debug)]
pub struct Mainline {
    /// The position from which it starts.
    pub root: Facts,
    /// The moves; none for a draw.
    pub moves: Vec<MoveFacts>,
    /// Who mates at the end of the line.
    pub winner: Option<Color>,
}

impl Tablebase {
    /// What the tables say of a position, without its moves.
    ///
    /// # Errors
    /// [`TableError`] if a table is damaged; a missing table is no error.
    pub fn facts(&self, position: &Chess) -> Result<Facts, TableError> {
        let legal = position.legal_moves();
        let mut facts = Facts {
            checkmate: legal.is_empty() && position.is_check(),
            stalemate: legal.is_empty() && !position.is_check(),
            insufficient_material: position.is_insufficient_material(),
            dtz: None,
            dtz_is_exact: false,
            dtm: None,
            dtc: None,
            category: Category::Unknown,
        };
        if facts.checkmate {
            facts.dtz = Some(-1);
            facts.dtz_is_exact = true;
        } else if facts.stalemate || facts.insufficient_material {
            (facts.dtz, facts.dtm, facts.dtc) = (Some(0), Some(0), Some(0));
            facts.dtz_is_exact = true;
        } else if position.castles().is_empty() {
            if let Some((dtz, rounding)) = self.dtz(position, None)? {
                facts.dtz = Some(signed(dtz));
                facts.dtz_is_exact = rounding == Rounding::Exact;
            }
            facts.dtm = self.own(Metric::Mate, position)?.map(signed);
            facts.dtc = self.own(Metric::Conversion, position)?.map(signed);
        }
        facts.category = category(
            &facts,
            i32::try_from(position.halfmoves()).unwrap_or(i32::MAX),
        );
        Ok(facts)
    }

    /// What the tables say of a position and of all its moves.
    ///
    /// # Errors
    /// As [`Self::facts`].
    pub fn position(&self, position: &Chess) -> Result<PositionFacts, TableError> {
        let mut root = self.facts(position)?;
        let mut moves = self.moves(position)?;
        moves.sort_by_cached_key(|m| rank(m, Some(m.after.dtm.unwrap_or(0))));
        if let Some(best) = moves.first() {
            root.category = best.after.category.negated();
        }
        Ok(PositionFacts { root, moves })
    }

    /// The best play of both sides until mate, a draw by the fifty-move rule, or where tables end:
    /// under that rule where plies to a capture or pawn move are known, else the shortest way
    /// to mate. `None` where the tables do not have the position.
    ///
    /// # Errors
    /// As [`Self::facts`].
    pub fn mainline(&self, position: &Chess) -> Result<Option<Mainline>, TableError> {
        let root = self.facts(position)?;
        let is_known = |facts: &Facts| facts.dtz.is_some() || facts.dtm.is_some();
        if !is_known(&root) {
            return Ok(None);
        }
        let by_mate = root.dtz.is_none();
        let is_over = |facts: &Facts| match by_mate {
            true => facts.dtm == Some(0),
            false => facts.dtz == Some(0),
        };
        let mut line = Mainline {
            root,
            moves: Vec::new(),
            winner: root.checkmate.then_some(!position.turn()),
        };
        let mut now = position.clone();
        while !is_over(&root) && now.halfmoves() < 100 && line.moves.len() < LONGEST_LINE {
            let mut moves = self.moves(&now)?;
            moves.sort_by_cached_key(|m| rank(m, m.after.dtm.filter(|_| by_mate)));
            let Some(best) = moves.into_iter().next() else {
                break;
            };
            if !is_known(&best.after) {
                return Ok(None);
            }
            if best.after.checkmate {
                line.winner = Some(now.turn());
            }
            now.play_unchecked(best.play);
            line.moves.push(best);
        }
        Ok(Some(line))
    }

    fn moves(&self, position: &Chess) -> Result<Vec<MoveFacts>, TableError> {
        let legal = position.legal_moves().into_iter();
        let facts = legal.map(|play| {
            let mut after = position.clone();
            after.play_unchecked(play);
            Ok(MoveFacts {
                play,
                uci: UciMove::from_move(play, CastlingMode::Standard).to_string(),
                san: SanPlus::from_move(position.clone(), play).to_string(),
                zeroing: play.is_zeroing(),
                conversion: play.is_capture() || play.is_promotion(),
                after: self.facts(&after)?,
            })
        });
        facts.collect()
    }
}

fn signed(value: Value) -> i32 {
    match value {
        Value::Win(plies) => i32::from(plies),
        Value::Draw => 0,
        Value::Loss(plies) => -i32::from(plies),
    }
}

/// The category of a position after `clock` plies without a capture or pawn move.
fn category(facts: &Facts, clock: i32) -> Category {
    let winning = match (facts.dtz, facts.dtm) {
        (Some(0), _) | (None, Some(0)) => return Category::Draw,
        (Some(dtz), _) => {
            let plies = dtz.saturating_abs().saturating_add(clock);
            match plies.cmp(&i32::from(FIFTY_MOVES)) {
                std::cmp::Ordering::Less => Category::Win,
                std::cmp::Ordering::Equal if facts.dtz_is_exact => Category::Win,
                std::cmp::Ordering::Equal => Category::SyzygyWin,
                std::cmp::Ordering::Greater => Category::CursedWin,
            }
        }
        (None, Some(dtm))
            if dtm.saturating_abs().saturating_add(clock) <= i32::from(FIFTY_MOVES) =>
        {
            Category::Win
        }
        (None, Some(_)) => Category::MaybeWin,
        (None, None) => return Category::Unknown,
    };
    let wins = facts.dtz.or(facts.dtm).is_some_and(|plies| plies > 0);
    if wins { winning } else { winning.negated() }
}

/// The successive keys of the order of moves, the best first.
type Rank = (
    (Category, Reverse<[bool; 3]>),
    (u8, i32),
    (bool, bool),
    (bool, Reverse<i32>),
    Reverse<(u8, u8)>,
    String,
);

/// The rank of a move; `dtm` decides among moves of a category where it is given.
fn rank(m: &MoveFacts, dtm: Option<i32>) -> Rank {
    let after = &m.after;
    let ends = [
        after.checkmate,
        after.stalemate,
        after.insufficient_material,
    ];
    let mate = match dtm.unwrap_or(0) {
        n if n < 0 => (0, -n),
        0 => (1, 0),
        n => (2, -n),
    };
    let opponent_wins = after.category.is_winning();
    (
        (after.category, Reverse(ends)),
        mate,
        (m.conversion == opponent_wins, m.zeroing == opponent_wins),
        (after.dtz.is_some(), Reverse(after.dtz.unwrap_or(0))),
        Reverse((
            m.play.capture().map_or(0, order),
            m.play.promotion().map_or(0, order),
        )),
        m.uci.clone(),
    )
}

fn order(role: Role) -> u8 {
    role as u8
}
