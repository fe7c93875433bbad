//! Boards and positions as text.

use crate::board::drawing::{Drawing, is_drawing};
use crate::board::{Board, BoardError};
use crate::lattice::Lattice;
use crate::position::{Bits, Position};

/// A board and, where it was drawn with empty holes, a position.
#[derive(Clone, Debug)]
pub struct DrawnBoard {
    /// The board, with its usual name if it has one.
    pub board: Board,
    /// The position, if the drawing has an empty hole.
    pub position: Option<Position>,
}

impl DrawnBoard {
    /// Reads a board: a name, or a drawing (see [`Board::parse`]).
    ///
    /// Without a `lattice`, drawings of rows of 1, 2, 3, ... places and pyramids are triangular,
    /// others square.
    ///
    /// # Errors
    /// What is wrong with the name or the drawing; [`BoardError::OtherLattice`] if a named board
    /// has another lattice.
    pub fn read(text: &str, lattice: Option<Lattice>) -> Result<Self, BoardError> {
        if !is_drawing(text) && !text.contains(['/', '\n']) {
            let board = Board::named(text)?;
            return match lattice.filter(|&lattice| lattice != board.lattice()) {
                None => Ok(Self {
                    board,
                    position: None,
                }),
                Some(_) => Err(BoardError::OtherLattice { board }),
            };
        }
        let drawing = Drawing::read(text, lattice)?;
        let is_full = drawing.places.iter().all(|&(_, peg)| peg);
        let board = drawing.board()?.with_known_name();
        let position = match is_full {
            true => None,
            false => Some(board.drawn(&drawing)?),
        };
        Ok(Self { board, position })
    }

    /// Whether a text can only be a drawing: no name has all its characters.
    pub fn is_drawing(text: &str) -> bool {
        is_drawing(text)
    }
}

impl Drawing {
    fn board(&self) -> Result<Board, BoardError> {
        let places = self.places.iter().map(|&(place, _)| place).collect();
        Board::new(Board::UNNAMED.to_owned(), self.lattice, places)
    }
}

impl Board {
    /// The board of a drawing on a lattice; pegs and empty holes are both holes.
    ///
    /// Rows are separated by line breaks or `/`, `o` is a peg, `.` an empty hole, blank or `_` no
    /// place; short rows are filled up on the right. Other usual characters, spaced drawings
    /// and the program's own pictures are read too.
    ///
    /// # Errors
    /// What is wrong with the drawing, and where.
    pub fn parse(text: &str, lattice: Lattice) -> Result<Self, BoardError> {
        let drawing = Drawing::read(text, Some(lattice))?;
        drawing.board()
    }

    /// Reads a position of this board: the same drawing with `.` for empty holes.
    ///
    /// # Errors
    /// What is wrong with the drawing, and where; [`BoardError::OtherShape`] if it is another
    /// board's.
    pub fn position(&self, text: &str) -> Result<Position, BoardError> {
        self.drawn(&Drawing::read(text, Some(self.lattice()))?)
    }

    fn drawn(&self, drawing: &Drawing) -> Result<Position, BoardError> {
        if !drawing
            .places
            .iter()
            .map(|(place, _)| place)
            .eq(&self.0.places)
        {
            return Err(BoardError::OtherShape {
                board: self.clone(),
            });
        }
        let pegs = drawing.places.iter().enumerate();
        let position = Position(pegs.fold(0, |word, (i, &(_, peg))| word | u64::from(peg) << i));
        if position == Position::EMPTY {
            return Err(BoardError::NoPegs);
        }
        Ok(position)
    }

    /// A position as one line, as [`position`](Board::position) reads it: rows separated by '/'.
    pub fn line(&self, position: Position) -> String {
        let rows: Vec<String> = self.drawn_rows(position, '_').collect();
        rows.join("/")
    }

    /// The same with the rows of a triangular board cut after their last place, which shows that it
    /// is triangular where its rows have 1, 2, 3, ... places.
    pub fn short_line(&self, position: Position) -> String {
        let line = self.line(position);
        match self.lattice() {
            Lattice::Square => line,
            Lattice::Triangular => {
                let rows: Vec<&str> = line.split('/').collect();
                let cut = rows.into_iter().map(|row| row.trim_end_matches('_'));
                cut.collect::<Vec<_>>().join("/")
            }
        }
    }

    /// A position as a drawing of one line per row.
    pub fn drawing(&self, position: Position) -> String {
        let rows: Vec<String> = self.drawn_rows(position, ' ').collect();
        rows.join("\n")
    }

    fn drawn_rows(&self, position: Position, no_place: char) -> impl Iterator<Item = String> {
        let sign = move |row, col| match self.hole_at(row, col) {
            None => no_place,
            Some(hole) if position.has(hole) => 'o',
            Some(_) => '.',
        };
        (0..self.rows()).map(move |row| (0..self.cols()).map(|col| sign(row, col)).collect())
    }

    /// The names of some holes, separated by blanks.
    pub fn names_of(&self, holes: Position) -> String {
        let names: Vec<String> = Bits(holes.0).map(|hole| self.name_of(hole)).collect();
        names.join(" ")
    }

    /// The names of all holes row by row, neighbours drawn together: `c1-e1 c2-e2 a3-g3`.
    pub fn ranges(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut first = 0;
        for hole in 0..self.holes() {
            let (row, col) = self.row_col(hole);
            if hole + 1 == self.holes() || self.row_col(hole + 1) != (row, col + 1) {
                let (from, to) = (self.name_of(first), self.name_of(hole));
                parts.push(if first == hole {
                    from
                } else {
                    format!("{from}-{to}")
                });
                first = hole + 1;
            }
        }
        parts.join(" ")
    }
}
