//! An independent checker: replays a game from text by the rules alone.
//!
//! It shares no code with the boards, the notation and the solvers of this crate (only the name of
//! the lattice): places are rows and columns in a map, and a jump is checked by looking at three of
//! them. So a solution that this accepts is a solution, whatever the solvers did.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::lattice::Lattice;

/// What a replayed game came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Jumps made.
    pub jumps: usize,
    /// Moves made: consecutive jumps of one peg count once.
    pub moves: usize,
    /// Pegs left.
    pub pegs: usize,
    /// The holes that hold them, by name, along the rows.
    pub last: Vec<String>,
    /// Every position, as rows separated by '/', from the start to the end: one more than jumps.
    pub positions: Vec<String>,
}

/// Why a text is not a game by the rules.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReplayError {
    /// The start is no drawing.
    #[error(
        "start, row {row}, column {col}: '{found}' is neither 'o' (peg), '.' (empty hole) nor '_' (no place)"
    )]
    BadStart {
        /// From 1.
        row: usize,
        /// From 1.
        col: usize,
        /// The character.
        found: char,
    },
    /// A word that is no name of a hole.
    #[error("jump {jump}: '{text}' is not a hole; expected a letter and a number, for example d4")]
    NotAHole {
        /// The jump's number, from 1.
        jump: usize,
        /// The word.
        text: String,
    },
    /// A hole that does not exist.
    #[error("jump {jump}: the board has no hole {hole}")]
    NoSuchHole {
        /// The jump's number, from 1.
        jump: usize,
        /// The hole.
        hole: String,
    },
    /// A move of one hole only.
    #[error("after jump {jumps}: '{text}' names no jump; expected for example d2-d4")]
    Nowhere {
        /// Jumps made before.
        jumps: usize,
        /// The word.
        text: String,
    },
    /// Two holes that are not two apart in a straight line.
    #[error("jump {jump}: {from} and {to} are not two apart in a line")]
    NotAJump {
        /// The jump's number, from 1.
        jump: usize,
        /// Where it starts.
        from: String,
        /// Where it ends.
        to: String,
    },
    /// A hole that should hold a peg is empty.
    #[error("jump {jump} ({from}-{to}): {hole} holds no peg")]
    NoPeg {
        /// The jump's number, from 1.
        jump: usize,
        /// Where it starts.
        from: String,
        /// Where it ends.
        to: String,
        /// The empty hole.
        hole: String,
    },
    /// The landing is taken.
    #[error("jump {jump} ({from}-{to}): {to} is not empty")]
    Taken {
        /// The jump's number, from 1.
        jump: usize,
        /// Where it starts.
        from: String,
        /// Where it ends.
        to: String,
    },
}

type Place = (i64, i64);

/// Replays `moves` from `start`, a drawing whose rows are separated by '/' or line breaks.
///
/// Moves are hole names joined by '-' and separated by blanks, commas or semicolons.
///
/// ```
/// use everymove_pegs::{Lattice, replay};
///
/// let game = replay("oo.o", Lattice::Square, "a1-c1 d1-b1")?;
/// assert_eq!((game.jumps, game.moves, game.last), (2, 2, vec!["b1".to_owned()]));
/// # Ok::<(), everymove_pegs::ReplayError>(())
/// ```
///
/// # Errors
/// The first thing that is wrong.
pub fn replay(start: &str, lattice: Lattice, moves: &str) -> Result<Replayed, ReplayError> {
    let mut checker = Checker::new(start, lattice)?;
    for word in moves
        .split([' ', '\t', '\r', '\n', ',', ';'])
        .filter(|word| !word.is_empty())
    {
        let stops: Vec<&str> = word.split('-').collect();
        if stops.len() < 2 {
            return Err(ReplayError::Nowhere {
                jumps: checker.jumps,
                text: word.to_owned(),
            });
        }
        for pair in stops.windows(2) {
            checker.jump(pair[0], pair[1])?;
        }
    }
    Ok(checker.result())
}

struct Checker {
    lattice: Lattice,
    /// Whether each place holds a peg.
    pegs: BTreeMap<Place, bool>,
    jumps: usize,
    moves: usize,
    landed: Option<Place>,
    positions: Vec<String>,
}

impl Checker {
    fn new(start: &str, lattice: Lattice) -> Result<Self, ReplayError> {
        let mut pegs = BTreeMap::new();
        for (row, line) in start.split(['/', '\n']).enumerate() {
            for (col, found) in line.chars().enumerate() {
                let place = (row as i64, col as i64);
                match found {
                    'o' => drop(pegs.insert(place, true)),
                    '.' => drop(pegs.insert(place, false)),
                    '_' | ' ' | '\r' => {}
                    _ => {
                        return Err(ReplayError::BadStart {
                            row: row + 1,
                            col: col + 1,
                            found,
                        });
                    }
                }
            }
        }
        let mut checker = Self {
            lattice,
            pegs,
            jumps: 0,
            moves: 0,
            landed: None,
            positions: Vec::new(),
        };
        checker.positions.push(checker.drawing());
        Ok(checker)
    }

    fn jump(&mut self, from: &str, to: &str) -> Result<(), ReplayError> {
        let jump = self.jumps + 1;
        let (start, end) = (self.place(from)?, self.place(to)?);
        let named = || (from.to_owned(), to.to_owned());
        let (down, right) = (end.0 - start.0, end.1 - start.1);
        let is_straight = match self.lattice {
            Lattice::Square => matches!((down.abs(), right.abs()), (0, 2) | (2, 0)),
            Lattice::Triangular => {
                matches!((down, right), (0, 2 | -2) | (2 | -2, 0) | (2, 2) | (-2, -2))
            }
        };
        if !is_straight {
            let (from, to) = named();
            return Err(ReplayError::NotAJump { jump, from, to });
        }
        let over = (start.0 + down / 2, start.1 + right / 2);
        for place in [start, over] {
            if self.pegs.get(&place) != Some(&true) {
                let (from, to) = named();
                return Err(ReplayError::NoPeg {
                    jump,
                    from,
                    to,
                    hole: name(place),
                });
            }
        }
        if self.pegs[&end] {
            let (from, to) = named();
            return Err(ReplayError::Taken { jump, from, to });
        }
        self.pegs.insert(start, false);
        self.pegs.insert(over, false);
        self.pegs.insert(end, true);
        self.moves += usize::from(self.landed != Some(start));
        self.landed = Some(end);
        self.jumps += 1;
        self.positions.push(self.drawing());
        Ok(())
    }

    fn place(&self, text: &str) -> Result<Place, ReplayError> {
        let jump = self.jumps + 1;
        let bad = || ReplayError::NotAHole {
            jump,
            text: text.to_owned(),
        };
        let mut chars = text.chars();
        let letter = chars
            .next()
            .filter(char::is_ascii_alphabetic)
            .ok_or_else(bad)?;
        let row: u32 = chars.as_str().parse().map_err(|_| bad())?;
        let place = (
            i64::from(row) - 1,
            i64::from(letter.to_ascii_lowercase() as u32 - 'a' as u32),
        );
        if !self.pegs.contains_key(&place) {
            return Err(ReplayError::NoSuchHole {
                jump,
                hole: text.to_owned(),
            });
        }
        Ok(place)
    }

    fn drawing(&self) -> String {
        let rows = self.pegs.keys().map(|place| place.0).max().unwrap_or(0);
        let cols = self.pegs.keys().map(|place| place.1).max().unwrap_or(0);
        let sign = |row, col| match self.pegs.get(&(row, col)) {
            Some(true) => 'o',
            Some(false) => '.',
            None => '_',
        };
        let row = |row| (0..=cols).map(|col| sign(row, col)).collect::<String>();
        (0..=rows).map(row).collect::<Vec<_>>().join("/")
    }

    fn result(self) -> Replayed {
        let last: Vec<String> = self
            .pegs
            .iter()
            .filter(|(_, peg)| **peg)
            .map(|(&place, _)| name(place))
            .collect();
        Replayed {
            jumps: self.jumps,
            moves: self.moves,
            pegs: last.len(),
            last,
            positions: self.positions,
        }
    }
}

fn name((row, col): Place) -> String {
    format!("{}{}", (b'a' + col as u8) as char, row + 1)
}
