//! Drawings of boards and positions, as people type them and as this program prints them.
//!
//! Rows are separated by line breaks or `/`. Pegs are `o O x X * 1 ●`, empty holes `. · 0 ○`; blank
//! and `_` are no place. Three forms are understood:
//! * *compact*, one character for each place: `_o_/ooo/_o_`; rows may be of different lengths;
//! * *spaced*, one blank between neighbouring places, as the program prints boards; rows that are
//!   shifted by half a place against each other lie on the triangular lattice, so that a triangle
//!   may be drawn as a pyramid;
//! * *labelled*, the spaced form with row numbers and column letters.

use crate::board::BoardError;
use crate::lattice::{Lattice, Step};

/// The places of a drawing.
pub(super) struct Drawing {
    /// (row, column) of each place, the least of each 0, and whether it holds a peg; along the
    /// rows.
    pub(super) places: Vec<(Step, bool)>,
    /// The lattice on which the drawing lies: the one that was asked for, or else as its form
    /// suggests.
    pub(super) lattice: Lattice,
}

/// The meaning of a character of a drawing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Peg,
    Hole,
    Nothing,
}

fn mark(c: char) -> Option<Mark> {
    match c {
        'o' | 'O' | 'x' | 'X' | '*' | '1' | '●' => Some(Mark::Peg),
        '.' | '·' | '0' | '○' => Some(Mark::Hole),
        ' ' | '_' => Some(Mark::Nothing),
        _ => None,
    }
}

/// Whether a text can be a drawing and nothing else: it is made of the characters of drawings, or
/// is a labelled one.
pub(super) fn is_drawing(text: &str) -> bool {
    let is_separator = |c: char| matches!(c, '/' | '\n' | '\r');
    if text.is_empty() {
        return false;
    }
    text.chars().all(|c| mark(c).is_some() || is_separator(c))
        || unlabelled(&rows_of(text)).is_some()
}

impl Drawing {
    /// Reads a drawing. Blank rows above and below it and blank columns at its left are dropped.
    ///
    /// Without a `lattice`, spaced rows that are shifted by half a place, and compact rows of 1, 2,
    /// 3, ... places, are triangular, all others square.
    ///
    /// # Errors
    /// [`BoardError::BadCharacter`], [`BoardError::MixedPegs`] and [`BoardError::NoHoles`].
    pub(super) fn read(text: &str, lattice: Option<Lattice>) -> Result<Self, BoardError> {
        let rows = rows_of(text);
        let rows = unlabelled(&rows).unwrap_or(rows);
        let marked = Marked::new(&rows)?;
        let (mut places, lattice) = match marked.spaced(lattice) {
            Some(spaced) => spaced,
            None => marked.compact(lattice),
        };
        let top = places.iter().map(|place| place.0.0).min().unwrap_or(0);
        let left = places.iter().map(|place| place.0.1).min().unwrap_or(0);
        for ((row, col), _) in &mut places {
            *row -= top;
            *col -= left;
        }
        Ok(Self { places, lattice })
    }
}

fn rows_of(text: &str) -> Vec<String> {
    let rows = text.split(['/', '\n']);
    rows.map(|row| row.trim_end_matches(['\r', ' ']).to_owned())
        .collect()
}

/// The characters that are places, with their rows and columns in the text.
struct Marked {
    places: Vec<(Step, bool)>,
    /// Whether `_` or neighbouring places show that every character is a place of its own.
    is_compact: bool,
    /// Whether the rows that are not blank have 1, 2, 3, ... places from the left margin.
    is_staircase: bool,
}

impl Marked {
    fn new(rows: &[String]) -> Result<Self, BoardError> {
        let mut places = Vec::new();
        let mut is_compact = false;
        let (mut crosses, mut circles) = (None, None);
        for (r, row) in rows.iter().enumerate() {
            let mut last = None;
            for (c, found) in row.chars().enumerate() {
                let at = (r + 1, c + 1);
                match mark(found) {
                    None => {
                        let (row, col) = at;
                        return Err(BoardError::BadCharacter { row, col, found });
                    }
                    Some(Mark::Nothing) => is_compact |= found == '_',
                    Some(mark) => {
                        is_compact |= c > 0 && last == Some(c - 1);
                        last = Some(c);
                        places.push(((r as i32, c as i32), mark == Mark::Peg));
                    }
                }
                match found {
                    'x' | 'X' => crosses = crosses.or(Some(at)),
                    'o' | 'O' => circles = circles.or(Some(at)),
                    _ => {}
                }
            }
        }
        if let (Some(cross), Some(circle)) = (crosses, circles) {
            let (row, col) = cross.max(circle);
            return Err(BoardError::MixedPegs { row, col });
        }
        if places.is_empty() {
            return Err(BoardError::NoHoles);
        }
        // Rows of 1, 2, 3, ... places without blanks, or with one between each two.
        let filled: Vec<&str> = rows
            .iter()
            .filter(|row| !row.trim().is_empty())
            .map(String::as_str)
            .collect();
        let packed = |row: &str| row.split(' ').collect::<String>();
        let is_step = |(i, row): (usize, &&str)| {
            let (len, packed) = (row.chars().count(), packed(row).chars().count());
            packed == i + 1 && (len == packed || len == 2 * packed - 1) && !row.contains('_')
        };
        let is_staircase = filled.len() > 1 && filled.iter().enumerate().all(is_step);
        Ok(Self {
            places,
            is_compact,
            is_staircase,
        })
    }

    fn compact(self, lattice: Option<Lattice>) -> (Vec<(Step, bool)>, Lattice) {
        let natural = self.natural_lattice();
        (self.places, lattice.unwrap_or(natural))
    }

    fn natural_lattice(&self) -> Lattice {
        match self.is_staircase {
            true => Lattice::Triangular,
            false => Lattice::Square,
        }
    }

    /// The places of a spaced drawing; `None` if it is not one.
    fn spaced(&self, lattice: Option<Lattice>) -> Option<(Vec<(Step, bool)>, Lattice)> {
        if self.is_compact {
            return None;
        }
        // Some row must show the spacing, and the places of a row must lie in columns of one
        // parity.
        let pairs = || {
            self.places
                .windows(2)
                .filter(|pair| pair[0].0.0 == pair[1].0.0)
        };
        if pairs().next().is_none() || pairs().any(|pair| (pair[1].0.1 - pair[0].0.1) % 2 != 0) {
            return None;
        }
        let (first, _) = self.places[0];
        let parity = |(row, col): Step| (col - first.1 - (row - first.0)).rem_euclid(2);
        let is_shifted = self.places.iter().all(|&(place, _)| parity(place) == 0);
        let is_aligned = self
            .places
            .iter()
            .all(|&((_, col), _)| (col - first.1) % 2 == 0);
        let half = |place: fn(Step, Step) -> Step| {
            let halved = |&(at, peg): &(Step, bool)| (place(at, first), peg);
            self.places.iter().map(halved).collect()
        };
        let one_row = self.places.iter().all(|(place, _)| place.0 == first.0);
        match lattice {
            // Each row lies half a place further left than the row above.
            None | Some(Lattice::Triangular) if is_shifted && !one_row => {
                let place = |(row, col): Step, first: Step| {
                    (row, (col - first.1 + row - first.0).div_euclid(2))
                };
                Some((half(place), Lattice::Triangular))
            }
            _ if is_aligned => {
                let place = |(row, col): Step, first: Step| (row, (col - first.1).div_euclid(2));
                Some((half(place), lattice.unwrap_or(self.natural_lattice())))
            }
            _ => None,
        }
    }
}

/// The rows without their labels; `None` if they have none.
///
/// Square boards are printed with a first row of letters `a b c ...` and the number of each row
/// before it; triangular ones with the number before and the letters of the row (`a` or `a-d`)
/// behind it.
fn unlabelled(rows: &[String]) -> Option<Vec<String>> {
    let mut rows = rows.iter().filter(|row| !row.trim().is_empty()).peekable();
    let is_header = |row: &str| {
        let letters = row.split_whitespace().enumerate();
        let mut letters = letters
            .map(|(i, word)| word.len() == 1 && word.bytes().next() == Some(b'a' + (i % 26) as u8));
        letters.all(|is_next| is_next)
    };
    let has_header = rows.next_if(|row| is_header(row)).is_some();
    let mut bare = Vec::new();
    for (i, row) in rows.enumerate() {
        let number = (i + 1).to_string();
        let row = row.trim_start().strip_prefix(&number)?;
        let row = row.strip_prefix(' ')?;
        // Numbers of fewer digits are printed further right.
        let row = format!("{}{row}", " ".repeat(number.len()));
        bare.push(if has_header {
            row
        } else {
            without_letters(&row)?
        });
    }
    (!bare.is_empty()).then_some(bare)
}

/// A row without the column letters behind it.
fn without_letters(row: &str) -> Option<String> {
    let (places, letters) = row.rsplit_once("  ")?;
    let is_label = match *letters.trim().as_bytes() {
        [letter] => letter.is_ascii_lowercase(),
        [first, b'-', last] => first.is_ascii_lowercase() && last.is_ascii_lowercase(),
        _ => false,
    };
    is_label.then(|| places.trim_end().to_owned())
}
