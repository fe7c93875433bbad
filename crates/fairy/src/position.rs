//! Positions as text, their moves, and what tables have for them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use everymove_kernel::grid::Grid;
use everymove_kernel::run::Run;
use everymove_kernel::text::shown;

use crate::ending::{Ending, Metric, Side, board_name};
use crate::error::FairyError;
use crate::moves::{Bits, Mover};
use crate::store::{TableFile, open};
use crate::table::Value;

/// Men on squares: what a position text says before it is known of which ending it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The board.
    pub board: Grid,
    /// The side to move.
    pub side: Side,
    /// The side, the letter and the square of each man.
    pub men: Vec<(Side, char, usize)>,
}

impl Placement {
    /// Reads rows from the top, `/` between them, and the side to move: `4k5/10/10/3A6/10/10/10/K9
    /// w`. White's men are capitals, numbers are vacant squares, `_` is as good as a blank.
    ///
    /// # Errors
    /// [`FairyError::Position`].
    pub fn read(text: &str) -> Result<Self, FairyError> {
        let wrong = |why: &str| FairyError::Position(format!("'{}': {why}", shown(text)));
        let words = text.split(|c: char| c.is_ascii_whitespace() || c == '_');
        let mut words = words.filter(|word| !word.is_empty());
        let rows = words.next().ok_or_else(|| wrong("a position is missing"))?;
        let side = match words.next() {
            Some("w") => 0,
            Some("b") => 1,
            _ => return Err(wrong("expected rows and the side to move, w or b")),
        };
        let rows: Vec<&str> = rows.split('/').collect();
        let (mut cells, mut width) = (Vec::new(), None);
        for (rank, row) in rows.iter().rev().enumerate() {
            let (mut file, mut number) = (0, 0);
            for c in row.chars() {
                if let Some(digit) = c.to_digit(10) {
                    number = (10 * number + digit as usize).min(1000);
                    continue;
                }
                if !c.is_ascii_alphabetic() {
                    return Err(wrong("expected letters of pieces, numbers and /"));
                }
                cells.push((rank, file + number, c));
                (file, number) = (file + number + 1, 0);
            }
            if *width.get_or_insert(file + number) != file + number {
                return Err(wrong("the rows are not equally long"));
            }
        }
        let width = width.unwrap_or(0);
        let board = Grid::new(rows.len() as u32, width as u32)
            .map_err(|error| FairyError::Position(error.to_string()))?;
        let men = cells.into_iter().map(|(rank, file, c)| {
            let side = usize::from(c.is_ascii_lowercase());
            (side, c.to_ascii_uppercase(), board.square(rank, file))
        });
        let men: Vec<_> = men.collect();
        let has_king = |side| men.iter().any(|man| (man.0, man.1) == (side, 'K'));
        if !has_king(0) || !has_king(1) {
            return Err(wrong("expected a K of White and a k of Black"));
        }
        Ok(Self { board, side, men })
    }

    /// The letters as the name of a material: `KAvKN`.
    pub fn material(&self) -> String {
        let army = |side| {
            let letters = self.men.iter().filter(|man| man.0 == side).map(|man| man.1);
            let (kings, others): (String, String) = letters.partition(|letter| *letter == 'K');
            kings + &others
        };
        format!("{}v{}", army(0), army(1))
    }
}

/// A position of an ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The ending.
    pub ending: Ending,
    /// The side to move.
    pub side: Side,
    /// The squares of the royals.
    pub royals: [usize; 2],
    /// The squares of the men, in the order of the ending.
    pub men: Vec<usize>,
}

/// A move and its value for the side that makes it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move: `a1c2`.
    pub squares: String,
    /// The move with the letter of its man: `Na1-c2`, `Na1xc2`.
    pub text: String,
    /// The value.
    pub value: Value,
    /// The position after it.
    pub after: Position,
}

impl Position {
    /// The position of some men in an ending that has them.
    ///
    /// # Errors
    /// [`FairyError::Position`].
    pub fn new(ending: &Ending, placement: &Placement) -> Result<Self, FairyError> {
        if placement.board != ending.board {
            let (found, expected) = (board_name(placement.board), ending.board_name());
            let line = format!("the position has a board of {found}: expected {expected}");
            return Err(FairyError::Position(line));
        }
        let mut left = placement.men.clone();
        let mut take = |side: Side, letter: char| {
            let found = left.iter().position(|man| (man.0, man.1) == (side, letter));
            let line = format!("the position is not one of {ending}");
            let at = found.ok_or(FairyError::Position(line))?;
            Ok::<_, FairyError>(left.remove(at).2)
        };
        let royals = [take(0, 'K')?, take(1, 'K')?];
        let men = ending
            .men
            .iter()
            .map(|man| take(man.side, man.definition.letter));
        let men = men.collect::<Result<_, _>>()?;
        Ok(Self {
            ending: ending.clone(),
            side: placement.side,
            royals,
            men,
        })
    }

    /// The side, the letter and the square of every man.
    pub fn placement(&self) -> Placement {
        let royals = (0..2).map(|side| (side, 'K', self.royals[side]));
        let men = self.ending.men.iter().zip(&self.men);
        let men = men.map(|(man, &square)| (man.side, man.definition.letter, square));
        Placement {
            board: self.ending.board,
            side: self.side,
            men: royals.chain(men).collect(),
        }
    }

    /// The position as text, as [`Placement::read`] reads it.
    pub fn text(&self) -> String {
        let board = self.ending.board;
        let placement = self.placement();
        let row = |rank: usize| {
            let (mut text, mut vacant) = (String::new(), 0);
            for file in 0..board.cols() {
                let square = board.square(rank, file);
                match placement.men.iter().find(|man| man.2 == square) {
                    None => vacant += 1,
                    Some(&(side, letter, _)) => {
                        if vacant > 0 {
                            text += &vacant.to_string();
                        }
                        vacant = 0;
                        text.push(if side == 0 {
                            letter
                        } else {
                            letter.to_ascii_lowercase()
                        });
                    }
                }
            }
            if vacant > 0 {
                text += &vacant.to_string();
            }
            text
        };
        let rows: Vec<String> = (0..board.rows()).rev().map(row).collect();
        format!("{} {}", rows.join("/"), ["w", "b"][self.side])
    }

    /// The moves of the side to move with the positions after them, those that leave its royal
    /// attacked among them.
    fn moves(&self) -> Vec<(String, String, bool, Position)> {
        let board = self.ending.board;
        let squares = self.royals.iter().chain(&self.men);
        let occupied = squares.fold(Bits::<4>::EMPTY, |all, &square| all | Bits::one(square));
        let own_men = (0..self.men.len()).filter(|&man| self.ending.men[man].side == self.side);
        let mut all = Vec::new();
        for who in std::iter::once(None).chain(own_men.map(Some)) {
            let (definition, from) = match who {
                None => (&self.ending.royals[self.side], self.royals[self.side]),
                Some(man) => (&self.ending.men[man].definition, self.men[man]),
            };
            let piece = match self.side {
                0 => definition.piece.clone(),
                _ => definition.piece.half_turn(),
            };
            let mover = Mover::<4>::new(&piece, board);
            let letter = if who.is_none() {
                'K'
            } else {
                definition.letter
            };
            let mut add = |to: usize, taken: Option<usize>| {
                let mut after = self.clone();
                after.side = 1 - self.side;
                match who {
                    None => after.royals[self.side] = to,
                    Some(man) => after.men[man] = to,
                }
                if let Some(man) = taken {
                    after.ending = self.ending.without(man);
                    after.men.remove(man);
                }
                let (from, to) = (board.name(from), board.name(to));
                let sign = if taken.is_some() { 'x' } else { '-' };
                let text = format!("{letter}{from}{sign}{to}");
                all.push((from + &to, text, taken.is_some(), after));
            };
            for step in mover.quiet.from[from]
                .iter()
                .filter(|step| step.is_possible(occupied))
            {
                let to = usize::from(step.square);
                if !occupied.has(to) {
                    add(to, None);
                }
            }
            for step in mover.capture.from[from]
                .iter()
                .filter(|step| step.is_possible(occupied))
            {
                let to = usize::from(step.square);
                let is_taken =
                    |&man: &usize| self.men[man] == to && self.ending.men[man].side != self.side;
                if let Some(man) = (0..self.men.len()).find(is_taken) {
                    add(to, Some(man));
                }
            }
        }
        // Two atoms may give the same move.
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all.dedup_by(|one, other| one.0 == other.0);
        all
    }
}

/// The tables of a folder, read as they are needed.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    tables: HashMap<String, TableFile>,
}

impl Folder {
    /// The tables of a folder.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            tables: HashMap::new(),
        }
    }

    /// The value of a position for the side to move; none if it is not legal.
    ///
    /// # Errors
    /// [`FairyError::Missing`] if there is no table.
    pub fn value(&mut self, position: &Position) -> Result<Option<Value>, FairyError> {
        let table = match self.tables.entry(position.ending.identity()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(open(&position.ending, &self.path)?),
        };
        table.value(position.side, position.royals, &position.men)
    }

    /// The legal moves of a position with their values, the best first; none once the game has
    /// ended.
    ///
    /// # Errors
    /// [`FairyError::Missing`] if there is no table.
    pub fn moves(&mut self, position: &Position) -> Result<Vec<Choice>, FairyError> {
        let mut choices = Vec::new();
        if position.ending.bare_side().is_some() {
            return Ok(choices);
        }
        for (squares, text, is_capture, after) in position.moves() {
            let Some(value) = self.value(&after)? else {
                continue;
            };
            let converts = is_capture && position.ending.rules.metric == Metric::Conversion;
            let plies = |plies: u16| if converts { 1 } else { plies + 1 };
            let value = match value {
                Value::Win(n) => Value::Loss(plies(n)),
                Value::Draw => Value::Draw,
                Value::Loss(n) => Value::Win(plies(n)),
            };
            choices.push(Choice {
                squares,
                text,
                value,
                after,
            });
        }
        choices.sort_by_key(|choice| match choice.value {
            Value::Win(plies) => (0, i32::from(plies)),
            Value::Draw => (1, 0),
            Value::Loss(plies) => (2, -i32::from(plies)),
        });
        Ok(choices)
    }

    /// The best play of both sides until the game ends, a draw is reached, or `most` moves are
    /// made.
    ///
    /// # Errors
    /// [`FairyError::Missing`] if there is no table.
    pub fn line(
        &mut self,
        position: &Position,
        most: usize,
        run: &Run,
    ) -> Result<Vec<Choice>, FairyError> {
        let (mut line, mut position) = (Vec::new(), position.clone());
        while line.len() < most {
            run.stop.check()?;
            let best = self.moves(&position)?.into_iter().next();
            let Some(best) = best.filter(|best| best.value != Value::Draw) else {
                break;
            };
            position = best.after.clone();
            line.push(best);
        }
        Ok(line)
    }
}
