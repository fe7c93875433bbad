//! Looking positions up.

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position, Role};

use crate::library::{TableError, Tables};
use crate::material::{Army, Half, Kind, Material};
use crate::metric::Metric;
use crate::space::{Side, Squares};
use crate::stats::FIFTY_MOVES;

/// What a position is worth to the side to move, and how far its goal is, in plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move forces it.
    Win(u16),
    /// Neither side forces anything.
    Draw,
    /// The other side forces it.
    Loss(u16),
}

impl Value {
    /// The value of a move to the one who makes it, from that of the position it leads to.
    #[must_use]
    pub(crate) fn before(self) -> Self {
        match self {
            Self::Win(n) => Self::Loss(n + 1),
            Self::Draw => Self::Draw,
            Self::Loss(n) => Self::Win(n + 1),
        }
    }

    /// Larger is better for the side to move: quick wins first, late losses before quick ones.
    fn merit(self) -> i32 {
        match self {
            Self::Win(n) => 100_000 - i32::from(n),
            Self::Draw => 0,
            Self::Loss(n) => i32::from(n) - 100_000,
        }
    }

    /// Plies, none for a draw.
    pub fn plies(self) -> Option<u16> {
        match self {
            Self::Win(n) | Self::Loss(n) => Some(n),
            Self::Draw => None,
        }
    }

    /// In words; distances to zeroing beyond the fifty-move rule make a win cursed and a loss blessed.
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

/// A move and what it leads to.
#[derive(Clone, Debug)]
pub struct Choice {
    /// As UCI writes it.
    pub uci: String,
    /// As people write it.
    pub san: String,
    /// What the move is worth to the one who makes it.
    pub value: Value,
    /// The move.
    pub play: Move,
}

/// A position looked up.
#[derive(Clone, Debug)]
pub struct Probed {
    /// Its value.
    pub value: Value,
    /// All moves, the best first.
    pub moves: Vec<Choice>,
}

/// The ending on a board.
///
/// # Errors
/// [`TableError::Position`] if there are castling rights or too few or many men.
pub fn material_of(position: &Chess) -> Result<Material, TableError> {
    if position.castles().any() {
        return Err(TableError::Position(
            "tables know no castling, but the position has castling rights".to_owned(),
        ));
    }
    let men = position.board().occupied().count();
    if !(3..=crate::material::MAX_MEN).contains(&men) {
        return Err(TableError::Position(format!(
            "the position has {men} men, but tables are for 3 to {}",
            crate::material::MAX_MEN
        )));
    }
    Ok(Material::new(
        army(position, Color::White),
        army(position, Color::Black),
    ))
}

pub(crate) fn army(position: &Chess, color: Color) -> Army {
    let board = position.board();
    let men = board.by_color(color).into_iter();
    Army::new(men.filter_map(|square| board.role_at(square)).map(kind))
}

pub(crate) fn kind(role: Role) -> Kind {
    match role {
        Role::Pawn => Kind::Pawn,
        Role::Knight => Kind::Knight,
        Role::Bishop => Kind::Bishop,
        Role::Rook => Kind::Rook,
        Role::Queen => Kind::Queen,
        Role::King => Kind::King,
    }
}

impl Tables {
    /// The value of a position, captures in passing included.
    ///
    /// # Errors
    /// [`TableError`] if the position is not one of tables, or the table is missing or damaged.
    pub fn value(&self, position: &Chess) -> Result<Value, TableError> {
        let quiet = self.value_at(position)?;
        if position.ep_square(EnPassantMode::PseudoLegal).is_none() {
            return Ok(quiet);
        }
        // Tables do not know of captures in passing: they are one more choice, or the only one.
        let mut best: Option<Value> = None;
        let mut others = false;
        for play in position.legal_moves() {
            if !play.is_en_passant() {
                others = true;
                continue;
            }
            let mut next = position.clone();
            next.play_unchecked(play);
            let value = self.converted(self.value(&next)?);
            if best.is_none_or(|b| value.merit() > b.merit()) {
                best = Some(value);
            }
        }
        Ok(match best {
            None => quiet,
            Some(best) if others && quiet.merit() >= best.merit() => quiet,
            Some(best) => best,
        })
    }

    /// The value of a capture or pawn move, from that of the position it leads to.
    fn converted(&self, next: Value) -> Value {
        match (self.metric(), next) {
            (Metric::Mate, next) => next.before(),
            (Metric::Zeroing, Value::Draw) => Value::Draw,
            (Metric::Zeroing, Value::Loss(n)) => {
                Value::Win(if n > FIFTY_MOVES { FIFTY_MOVES + 1 } else { 1 })
            }
            (Metric::Zeroing, Value::Win(n)) => {
                Value::Loss(if n > FIFTY_MOVES { FIFTY_MOVES + 1 } else { 1 })
            }
        }
    }

    /// What the table says, captures in passing left out.
    fn value_at(&self, position: &Chess) -> Result<Value, TableError> {
        if position.board().occupied().count() == 2 {
            return Ok(Value::Draw);
        }
        material_of(position)?;
        let turn = position.turn();
        let metric = self.metric();
        let code = |attacker: Color| -> Result<u16, TableError> {
            let half = Half {
                attacker: army(position, attacker),
                defender: army(position, !attacker),
            };
            if half.attacker.men().is_empty() {
                return Ok(0);
            }
            let to_move = if attacker == turn {
                Side::Attacker
            } else {
                Side::Defender
            };
            let (reader, section) = self.section(&half, to_move)?;
            let space = self.space(&half);
            let at = squares_of(position, attacker, &space.men);
            match space.locate(&at) {
                Some((index, _)) => Ok(reader.code(section, index)?),
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

    /// The value of a position and of all its moves, the best first.
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn probe(&self, position: &Chess) -> Result<Probed, TableError> {
        Ok(Probed {
            value: self.value(position)?,
            moves: choices(position, |play, next| {
                let led_to = self.value(next)?;
                Ok(if play.is_zeroing() {
                    self.converted(led_to)
                } else {
                    led_to.before()
                })
            })?,
        })
    }

    /// The best play of both sides from a position, until mate, a draw or `limit` plies.
    ///
    /// # Errors
    /// As [`Tables::value`].
    pub fn line(&self, position: &Chess, limit: usize) -> Result<Vec<Choice>, TableError> {
        best_line(position, limit, |position| self.probe(position))
    }
}

/// All moves of a position, the best first; what each is worth unless it mates is asked for with the position it leads to.
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
    moves.sort_by_key(|m| std::cmp::Reverse(m.value.merit()));
    Ok(moves)
}

/// The best play from a position, until mate, a draw or `limit` plies.
pub(crate) fn best_line(
    position: &Chess,
    limit: usize,
    probe: impl Fn(&Chess) -> Result<Probed, TableError>,
) -> Result<Vec<Choice>, TableError> {
    let mut position = position.clone();
    let mut line = Vec::new();
    while line.len() < limit {
        let best = probe(&position)?.moves.into_iter().next();
        let Some(best) = best.filter(|best| best.value != Value::Draw) else {
            break;
        };
        position.play_unchecked(best.play);
        line.push(best);
    }
    Ok(line)
}

/// The squares of a half's men on a board, seen with the attacker's pawns moving up.
pub(crate) fn squares_of(position: &Chess, attacker: Color, men: &[crate::space::Man]) -> Squares {
    let board = position.board();
    let flip = if attacker == Color::White { 0 } else { 56 };
    let mut at = [0; 8];
    let mut taken = shakmaty::Bitboard::EMPTY;
    for (entry, man) in at.iter_mut().zip(men) {
        let color = match man.side {
            Side::Attacker => attacker,
            Side::Defender => !attacker,
        };
        let fitting = board.by_color(color) & board.by_role(role(man.kind)) & !taken;
        if let Some(square) = fitting.first() {
            taken.add(square);
            *entry = u32::from(square) as u8 ^ flip;
        }
    }
    at
}

/// The kind of man in the words of the rules.
pub(crate) fn role(kind: Kind) -> Role {
    match kind {
        Kind::King => Role::King,
        Kind::Queen => Role::Queen,
        Kind::Rook => Role::Rook,
        Kind::Bishop => Role::Bishop,
        Kind::Knight => Role::Knight,
        Kind::Pawn => Role::Pawn,
    }
}

/// Reads a position.
///
/// # Errors
/// [`TableError::Position`] saying what is wrong with it.
pub fn read_position(fen: &str) -> Result<Chess, TableError> {
    let parsed: shakmaty::fen::Fen = fen
        .parse()
        .map_err(|e| TableError::Position(format!("'{fen}' is not a FEN: {e}")))?;
    parsed
        .into_position(CastlingMode::Standard)
        // No game leads to some checks, but the tables have the positions.
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .map_err(|e| TableError::Position(format!("'{fen}' is not a legal position: {e}")))
}

/// Writes a position.
pub fn write_position(position: &Chess) -> String {
    shakmaty::fen::Fen::from_position(position, EnPassantMode::Legal).to_string()
}
