//! Looks up positions.

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position};

use crate::error::TableError;
use crate::metric::{Metric, ZeroingMove};
use crate::position::board::squares_of;
use crate::stats::FIFTY_MOVES;
use crate::store::directory::Tables;

pub use crate::position::board::{material_of, read_position, write_position};

/// The value of a position for the side to move, with the distance in plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins.
    Win(u16),
    /// Neither side wins.
    Draw,
    /// The side to move loses.
    Loss(u16),
}

impl Value {
    /// Returns the value of a move for the side that makes it, from the value of the position after
    /// it.
    #[must_use]
    pub(crate) fn before(self) -> Self {
        match self {
            Self::Win(n) => Self::Loss(n + 1),
            Self::Draw => Self::Draw,
            Self::Loss(n) => Self::Win(n + 1),
        }
    }

    /// Orders values for the side to move: quick wins first, late losses before quick ones.
    fn score(self) -> i32 {
        match self {
            Self::Win(n) => 100_000 - i32::from(n),
            Self::Draw => 0,
            Self::Loss(n) => i32::from(n) - 100_000,
        }
    }

    /// Returns the plies, `None` for a draw.
    pub fn plies(self) -> Option<u16> {
        match self {
            Self::Win(n) | Self::Loss(n) => Some(n),
            Self::Draw => None,
        }
    }

    /// Returns the value in words; beyond the fifty-move rule a win is cursed and a loss blessed.
    pub fn word(self, metric: Metric) -> &'static str {
        match (self, metric) {
            (Self::Win(n), Metric::Zeroing) if n > FIFTY_MOVES => "cursed win",
            (Self::Loss(n), Metric::Zeroing) if n > FIFTY_MOVES => "blessed loss",
            (Self::Win(_), _) => "win",
            (Self::Draw, _) => "draw",
            (Self::Loss(_), _) => "loss",
        }
    }
}

/// A move and its value.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move in UCI notation.
    pub uci: String,
    /// The move in standard algebraic notation.
    pub san: String,
    /// The value for the side that makes the move.
    pub value: Value,
    /// The move.
    pub play: Move,
}

/// The result of a probe.
#[derive(Clone, Debug)]
pub struct Probed {
    /// The value of the position.
    pub value: Value,
    /// All moves, the best first.
    pub moves: Vec<Choice>,
}

impl Tables {
    /// Returns the value of a position with a half-move clock of 0, en passant captures included.
    ///
    /// # Errors
    /// [`TableError`] if tables do not cover the position, or the table is missing or damaged.
    pub fn value(&self, position: &Chess) -> Result<Value, TableError> {
        self.value_with_clock(position, 0)
    }

    /// Returns the value of a position after `clock` plies without a capture or pawn move, en
    /// passant captures included. The clock counts only for [`Metric::MateFifty`]; others have
    /// one distance for all clocks.
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn value_with_clock(&self, position: &Chess, clock: u32) -> Result<Value, TableError> {
        let quiet = self.value_at(position, clock)?;
        if self.is_over(clock) {
            return Ok(quiet);
        }
        if position.ep_square(EnPassantMode::PseudoLegal).is_none() {
            return Ok(quiet);
        }
        // Tables do not store en passant captures: they are one more choice, or the only one.
        let mut best: Option<Value> = None;
        let mut others = false;
        for play in position.legal_moves() {
            if !play.is_en_passant() {
                others = true;
                continue;
            }
            let mut next = position.clone();
            next.play_unchecked(play);
            let value = self.before_zeroing(ZeroingMove::Conversion, self.value(&next)?);
            if best.is_none_or(|b| value.score() > b.score()) {
                best = Some(value);
            }
        }
        Ok(match best {
            None => quiet,
            Some(best) if others && quiet.score() >= best.score() => quiet,
            Some(best) => best,
        })
    }

    /// Returns the value of a capture or pawn move from that of the position after it.
    fn before_zeroing(&self, by: ZeroingMove, next: Value) -> Value {
        let metric = self.metric();
        let plies = |n: u16| match metric {
            Metric::Zeroing if n > FIFTY_MOVES => FIFTY_MOVES + 1,
            _ => 1,
        };
        match next {
            next if !metric.ends_at(by) => next.before(),
            Value::Win(n) => Value::Loss(plies(n)),
            Value::Draw => Value::Draw,
            Value::Loss(n) => Value::Win(plies(n)),
        }
    }

    /// Whether the fifty-move rule ends a game with this clock; mates aside.
    fn is_over(&self, clock: u32) -> bool {
        self.metric().depends_on_clock() && clock >= u32::from(FIFTY_MOVES)
    }

    /// Returns the stored value, en passant captures excluded.
    fn value_at(&self, position: &Chess, clock: u32) -> Result<Value, TableError> {
        if position.board().occupied().count() == 2 {
            return Ok(Value::Draw);
        }
        let located = self.locate(position)?;
        let turn = position.turn();
        let metric = self.metric();
        let code = |attacker: Color| -> Result<u16, TableError> {
            let Some(half) = located.half(attacker) else {
                return Ok(0);
            };
            let at = squares_of(position, attacker, &half.space.pieces);
            match half.space.encode(&at) {
                Some((index, _)) => half.code(attacker == turn, index, clock),
                None => Ok(0),
            }
        };
        match code(turn)? {
            0 => {}
            win => return Ok(Value::Win(metric.win_plies(win))),
        }
        match code(!turn)? {
            0 => Ok(Value::Draw),
            loss => Ok(Value::Loss(metric.loss_plies(loss))),
        }
    }

    /// Returns the values of a position, en passant captures excluded, each with the first
    /// half-move clock that has it.
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub(crate) fn values_by_clock(&self, position: &Chess) -> Result<Vec<(u8, Value)>, TableError> {
        if position.board().occupied().count() == 2 {
            return Ok(vec![(0, Value::Draw)]);
        }
        let located = self.locate(position)?;
        let (turn, metric) = (position.turn(), self.metric());
        for attacker in [turn, !turn] {
            let Some(half) = located.half(attacker) else {
                continue;
            };
            let at = squares_of(position, attacker, &half.space.pieces);
            let Some((index, _)) = half.space.encode(&at) else {
                continue;
            };
            let (code, steps) = half.steps(attacker == turn, index)?;
            let value = |code: u16| match code {
                0 => Value::Draw,
                code if attacker == turn => Value::Win(metric.win_plies(code)),
                code => Value::Loss(metric.loss_plies(code)),
            };
            if code > 0 {
                let later = steps
                    .iter()
                    .map(|step| (step.clock, value(step.code.into())));
                return Ok([(0, value(code))].into_iter().chain(later).collect());
            }
        }
        Ok(vec![(0, Value::Draw)])
    }

    /// Returns the value of a position and of all its moves, the best first, after `clock` plies
    /// without a capture or pawn move, as for [`Tables::value_with_clock`].
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn probe(&self, position: &Chess, clock: u32) -> Result<Probed, TableError> {
        let mut moves = choices(position, |play, next| {
            Ok(match ZeroingMove::of(play) {
                Some(by) => self.before_zeroing(by, self.value(next)?),
                None => {
                    let clock = clock.saturating_add(1);
                    self.value_with_clock(next, clock)?.before()
                }
            })
        })?;
        if self.is_over(clock) {
            for choice in &mut moves {
                choice.value = Value::Draw;
            }
        }
        Ok(Probed {
            value: self.value_with_clock(position, clock)?,
            moves,
        })
    }

    /// Returns the best play of both sides from a position, until mate, a draw or `limit` plies,
    /// after `clock` plies without a capture or pawn move, as for [`Tables::value_with_clock`].
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn line(
        &self,
        position: &Chess,
        mut clock: u32,
        limit: usize,
    ) -> Result<Vec<Choice>, TableError> {
        best_line(position, limit, |position, last| {
            clock = match last {
                Some(play) if play.is_zeroing() => 0,
                Some(_) => clock.saturating_add(1),
                None => clock,
            };
            self.probe(position, clock)
        })
    }
}

/// Returns all moves of a position, the best first; `value` is called with each move that does not
/// mate and the position after it.
pub(crate) fn choices(
    position: &Chess,
    value: impl Fn(Move, &Chess) -> Result<Value, TableError>,
) -> Result<Vec<Choice>, TableError> {
    let mut moves = Vec::new();
    for play in position.legal_moves() {
        let mut next = position.clone();
        next.play_unchecked(play);
        moves.push(Choice {
            uci: UciMove::from_move(play, CastlingMode::Standard).to_string(),
            san: SanPlus::from_move(position.clone(), play).to_string(),
            value: if next.is_checkmate() {
                Value::Win(1)
            } else {
                value(play, &next)?
            },
            play,
        });
    }
    moves.sort_by_key(|m| std::cmp::Reverse(m.value.score()));
    Ok(moves)
}

/// Returns the best play from a position, until mate, a draw or `limit` plies; `probe` is called
/// with each position and the move that led to it.
pub(crate) fn best_line(
    position: &Chess,
    limit: usize,
    mut probe: impl FnMut(&Chess, Option<Move>) -> Result<Probed, TableError>,
) -> Result<Vec<Choice>, TableError> {
    let mut position = position.clone();
    let mut line: Vec<Choice> = Vec::new();
    while line.len() < limit {
        let last = line.last().map(|choice| choice.play);
        let best = probe(&position, last)?.moves.into_iter().next();
        let Some(best) = best.filter(|best| best.value != Value::Draw) else {
            break;
        };
        position.play_unchecked(best.play);
        line.push(best);
    }
    Ok(line)
}
