//! Boards and positions as text: rows from the top, `o` a peg, `.` an empty hole, space or `_` no place.

use super::{Board, BoardError};
use crate::lattice::{Lattice, Step};
use crate::position::{Bits, Position};

/// The places of a drawing and whether each holds a peg, along the rows.
struct Drawing {
    places: Vec<(Step, bool)>,
}

/// Reads rows separated by line breaks or '/'. Empty rows above and below and columns without places at the left
/// are dropped, so that a drawing may be indented.
fn read(text: &str, lattice: Lattice) -> Result<Drawing, BoardError> {
    let rows: Vec<&str> = text
        .split(['/', '\n'])
        .map(|row| row.strip_suffix('\r').unwrap_or(row))
        .collect();
    let is_blank = |row: &&str| row.chars().all(|c| c == ' ' || c == '_');
    let top = rows.iter().take_while(|row| is_blank(row)).count();
    if top == rows.len() {
        return Err(BoardError::NoHoles);
    }
    let bottom = rows.len() - rows.iter().rev().take_while(|row| is_blank(row)).count();
    let rows = &rows[top..bottom];

    let mut places = Vec::new();
    for (r, row) in rows.iter().enumerate() {
        for (c, found) in row.chars().enumerate() {
            match found {
                'o' | '.' => places.push(((r as i32, c as i32), found == 'o')),
                ' ' | '_' => {}
                _ => {
                    return Err(BoardError::BadCharacter {
                        row: top + r + 1,
                        col: c + 1,
                        found,
                    });
                }
            }
        }
    }
    // On the square lattice a short row is more likely a slip of the pen than a shape; staircases are triangles.
    let expected = rows[0].chars().count();
    for (r, row) in rows.iter().enumerate() {
        let len = row.chars().count();
        if lattice == Lattice::Square && len != expected {
            return Err(BoardError::Ragged {
                row: top + r + 1,
                len,
                expected,
            });
        }
    }
    let left = places.iter().map(|place| place.0.1).min().unwrap_or(0);
    for (place, _) in &mut places {
        place.1 -= left;
    }
    Ok(Drawing { places })
}

impl Board {
    /// The board of a drawing; `o` and `.` are both holes.
    ///
    /// # Errors
    /// What is wrong with the drawing, and where.
    pub fn parse(text: &str, lattice: Lattice) -> Result<Self, BoardError> {
        let drawing = read(text, lattice)?;
        let places = drawing.places.iter().map(|&(place, _)| place).collect();
        Self::new("custom".to_owned(), lattice, places)
    }

    /// Reads a position of this board: the same drawing with `.` for empty holes.
    ///
    /// # Errors
    /// What is wrong with the drawing, and where; [`BoardError::OtherShape`] if it is another board's.
    pub fn position(&self, text: &str) -> Result<Position, BoardError> {
        let drawing = read(text, self.lattice())?;
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
