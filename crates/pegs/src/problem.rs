//! A question about a board: where it starts and what counts as its end.

use std::collections::BTreeSet;

use crate::board::{Board, BoardError, DrawnBoard};
use crate::invariant::Class;
use crate::position::{Hole, Position};
use crate::symmetry::Symmetry;

/// What a game is to end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// One peg, in this hole.
    At(Hole),
    /// One peg, anywhere.
    Anywhere,
    /// Exactly these pegs; a problem with one of them is [`Finish::At`].
    Exactly(Position),
}

/// A board, a start and a finish that belong together: the plan of every solver.
///
/// ```
/// use everymove_pegs::{Board, Problem};
///
/// let english = Board::named("english")?;
/// let central = Problem::vacate(&english, "d4", Some("d4"))?;
/// assert_eq!(central.to_string(), "english, vacate d4, finish d4");
/// assert_eq!(central.start().pegs(), 32);
/// # Ok::<(), everymove_pegs::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    board: Board,
    start: Position,
    finish: Finish,
}

impl Problem {
    /// A problem with any start.
    ///
    /// # Errors
    /// [`BoardError::NoPegs`] if the start or the finish is empty, [`BoardError::OtherShape`] if
    /// they have bits beyond the board.
    pub fn new(board: &Board, start: Position, finish: Finish) -> Result<Self, BoardError> {
        // One position has one name.
        let finish = match finish {
            Finish::Exactly(target) if target.pegs() == 1 => {
                Finish::At(target.0.trailing_zeros() as Hole)
            }
            _ => finish,
        };
        let target = match finish {
            Finish::At(hole) if hole < board.holes() => Position::single(hole),
            Finish::At(_) => {
                return Err(BoardError::OtherShape {
                    board: board.clone(),
                });
            }
            Finish::Anywhere => Position::single(0),
            Finish::Exactly(target) => target,
        };
        for position in [start, target] {
            if position == Position::EMPTY {
                return Err(BoardError::NoPegs);
            }
            if position.0 & !board.full().0 != 0 {
                return Err(BoardError::OtherShape {
                    board: board.clone(),
                });
            }
        }
        Ok(Self {
            board: board.clone(),
            start,
            finish,
        })
    }

    /// Every hole filled but `start`; the last peg is to end in `finish`, or anywhere.
    ///
    /// # Errors
    /// [`BoardError::NotAHole`] and [`BoardError::Outside`] for names that are none of the board's;
    /// [`BoardError::NoPegs`] on a board of one hole.
    pub fn vacate(board: &Board, start: &str, finish: Option<&str>) -> Result<Self, BoardError> {
        let start = board.vacate(board.hole(start)?);
        let finish = finish.map(|name| board.hole(name)).transpose()?;
        Self::new(board, start, finish.map_or(Finish::Anywhere, Finish::At))
    }

    /// The problem on a board as it was written, with what was left out as people mean it.
    ///
    /// `start` is the hole that is empty, or a position; without it, the board as drawn if it was
    /// drawn with empty holes, otherwise every hole filled but the [usual
    /// one](Board::usual_vacancy). `finish` is the hole of the last peg, a position, or
    /// `anywhere`; without it, the [middle](Board::middle) hole where the class of the start allows
    /// it, otherwise anywhere.
    ///
    /// # Errors
    /// What is wrong with the start or the finish.
    pub fn read(
        drawn: &DrawnBoard,
        start: Option<&str>,
        finish: Option<&str>,
    ) -> Result<Self, BoardError> {
        let board = &drawn.board;
        let start = match (start, drawn.position) {
            (Some(text), _) => board.read_start(text)?,
            (None, Some(position)) => position,
            (None, None) => board.vacate(board.usual_vacancy()),
        };
        Self::read_finish(board, start, finish)
    }

    /// The problem from a start, with the finish as written or left out: see [`Problem::read`].
    ///
    /// # Errors
    /// What is wrong with the start or the finish.
    pub fn read_finish(
        board: &Board,
        start: Position,
        finish: Option<&str>,
    ) -> Result<Self, BoardError> {
        let Some(text) = finish else {
            let problem = Self::new(board, start, Finish::Anywhere)?;
            let middle = board.middle().filter(|&hole| {
                let last = Position::single(hole);
                problem.targets().contains(&last)
            });
            return match middle {
                Some(hole) => Self::new(board, start, Finish::At(hole)),
                None => Ok(problem),
            };
        };
        let finish = if text == "anywhere" {
            Finish::Anywhere
        } else if is_position(text) {
            Finish::Exactly(board.position(text)?)
        } else {
            Finish::At(board.hole(text)?)
        };
        Self::new(board, start, finish)
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The position to start from.
    pub fn start(&self) -> Position {
        self.start
    }

    /// What to end with.
    pub fn finish(&self) -> Finish {
        self.finish
    }

    /// The same board and finish from another position.
    ///
    /// # Errors
    /// As [`Problem::new`].
    pub fn from(&self, start: Position) -> Result<Self, BoardError> {
        Self::new(&self.board, start, self.finish)
    }

    /// The hole that is empty at the start, if it is only one.
    pub fn vacancy(&self) -> Option<Hole> {
        let holes = self.board.complement(self.start);
        holes.holes().next().filter(|_| holes.pegs() == 1)
    }

    /// Whether a position is an end that was asked for.
    pub fn is_finish(&self, position: Position) -> bool {
        match self.finish {
            Finish::At(hole) => position == Position::single(hole),
            Finish::Anywhere => position.pegs() == 1,
            Finish::Exactly(target) => position == target,
        }
    }

    /// The ends that the classes allow; none if the problem is impossible by its class.
    pub fn targets(&self) -> Vec<Position> {
        let class = self.board.class(self.start);
        let mut targets = self.ends();
        targets.retain(|&target| self.board.class(target) == class);
        targets
    }

    /// The ends that the finish allows.
    pub(crate) fn ends(&self) -> Vec<Position> {
        match self.finish {
            Finish::At(hole) => vec![Position::single(hole)],
            Finish::Anywhere => (0..self.board.holes()).map(Position::single).collect(),
            Finish::Exactly(target) => vec![target],
        }
    }

    /// Whether there are ends that the classes allow, with no more pegs than the start: otherwise
    /// no position wins.
    pub(crate) fn is_open(&self) -> bool {
        !self.targets().is_empty() && self.last_pegs() <= self.start.pegs()
    }

    /// Whether the complement of the end is the start, as in the central game: then each half of a
    /// game is the other's mirror.
    pub(crate) fn is_mirrored(&self) -> bool {
        let ends = self.targets().into_iter();
        ends.map(|end| self.board.complement(end)).eq([self.start])
    }

    /// Pegs at the end.
    pub fn last_pegs(&self) -> usize {
        match self.finish {
            Finish::At(_) | Finish::Anywhere => 1,
            Finish::Exactly(target) => target.pegs(),
        }
    }

    /// The symmetries that keep the start and the set of ends: those that turn the problem into
    /// itself.
    pub fn symmetries(&self) -> Vec<Symmetry> {
        let mut symmetries = self.keeping_targets(self.board.symmetries());
        symmetries.retain(|symmetry| symmetry.position(self.start) == self.start);
        symmetries
    }

    /// Those of some symmetries that keep the set of ends.
    pub(crate) fn keeping_targets(&self, symmetries: &[Symmetry]) -> Vec<Symmetry> {
        let targets = self.targets();
        let keeps = |symmetry: &&Symmetry| {
            let image = |&target: &Position| targets.contains(&symmetry.position(target));
            targets.iter().all(image)
        };
        symmetries.iter().filter(keeps).cloned().collect()
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let board = &self.board;
        match board.name() {
            Board::UNNAMED => write!(f, "{}, ", board.line(board.full()))?,
            name => write!(f, "{name}, ")?,
        }
        match self.vacancy() {
            Some(hole) => write!(f, "vacate {}", board.name_of(hole))?,
            None => write!(f, "from {}", board.line(self.start))?,
        }
        match self.finish {
            Finish::At(hole) => write!(f, ", finish {}", board.name_of(hole)),
            Finish::Anywhere => write!(f, ", finish anywhere"),
            Finish::Exactly(target) => write!(f, ", finish {}", board.line(target)),
        }
    }
}

impl Board {
    /// A start as written: the hole that is empty, or a position.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read_start(&self, text: &str) -> Result<Position, BoardError> {
        if is_position(text) {
            return self.position(text);
        }
        Ok(self.vacate(self.hole(text)?))
    }

    /// The one hole that every symmetry of the board keeps, if there is exactly one.
    pub fn middle(&self) -> Option<Hole> {
        let is_kept = |hole: &Hole| self.symmetries().iter().all(|s| s.hole(*hole) == *hole);
        let mut kept = (0..self.holes()).filter(is_kept);
        kept.next().filter(|_| kept.next().is_none())
    }

    /// The holes that can be the only empty one at the start of a game to one peg, as far as
    /// classes say; one of each set of images.
    pub fn open_vacancies(&self) -> Vec<Hole> {
        let singles = (0..self.holes()).map(|hole| self.class(Position::single(hole)));
        let singles: BTreeSet<Class> = singles.collect();
        let mut holes = self.distinct_holes();
        holes.retain(|&hole| singles.contains(&self.class(self.vacate(hole))));
        holes
    }

    /// The hole that is usually empty at the start: the middle one, unless no game from there ends
    /// with one peg, else the first from which one may.
    pub fn usual_vacancy(&self) -> Hole {
        let open = self.open_vacancies();
        let middle = self.middle();
        let usual = middle.filter(|hole| open.contains(hole));
        usual.or(open.first().copied()).or(middle).unwrap_or(0)
    }
}

/// Whether a text is a position and not the name of a hole, such as `o1`.
fn is_position(text: &str) -> bool {
    let is_name = text.split_at_checked(1).is_some_and(|(letter, row)| {
        letter.bytes().all(|b| b.is_ascii_alphabetic())
            && !row.is_empty()
            && row.bytes().all(|b| b.is_ascii_digit())
    });
    !is_name && DrawnBoard::is_drawing(text)
}
