//! Pieces by their moves, in the notation of Ralph Betza.
//!
//! An upper-case letter is a leap and all its reflections: `W` (0,1), `F` (1,1), `D` (0,2), `N`
//! (1,2), `A` (2,2), `H` (0,3), `C` or `L` (1,3), `Z` or `J` (2,3), `G` (3,3), or `(m,n)`. A
//! doubled letter rides (`NN`), a number behind it limits the ride (`W2`; `W0` is unlimited); `R`,
//! `B`, `Q` are `WW`, `FF` and both, `K` is `W` and `F`. Letters side by side add up (`BN`). Before
//! a letter:
//! - directions `f b l r v s`: `fN` is the narrow pair of forward leaps, `fsN` the wide pair, `fhN`
//!   all four, `flN` the wide and `lfN` the narrow leap to the left. Directions are the player's
//!   own: the half turn of a piece is the opponent's.
//! - modes: `m` moves only, `c` captures only; `n` lame (the squares between must be vacant), `p`
//!   jumps over exactly one man like the cannon, `g` lands directly behind a man like the
//!   grasshopper.
//!
//! ```
//! use everymove_kernel::pieces::Piece;
//!
//! let archbishop: Piece = "BN".parse()?;
//! assert_eq!(archbishop.atoms().len(), 12);
//! assert_eq!("archbishop".parse::<Piece>()?, archbishop);
//! let error = "BNx".parse::<Piece>().unwrap_err();
//! assert_eq!(error.column, 3);
//! # Ok::<(), everymove_kernel::pieces::NotAPiece>(())
//! ```

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::text::{nearest, shown};

/// What a move may jump over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Steps of one size over vacant squares; a leap is one step.
    Slide,
    /// A leap whose squares between must be vacant.
    Lame,
    /// Steps with exactly one man between.
    Cannon,
    /// Steps over vacant squares to a man, and one step more.
    Grasshopper,
}

/// Moves in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom {
    /// Columns to the right for each step.
    pub dx: i32,
    /// Rows forward for each step.
    pub dy: i32,
    /// The most steps; for a grasshopper, those to the man it jumps over.
    pub range: u32,
    /// Whether it moves to vacant squares.
    pub quiet: bool,
    /// Whether it captures.
    pub capture: bool,
    /// What it may jump over.
    pub kind: Kind,
}

impl Atom {
    /// Where the squares that a lame leap passes are, as columns and rows from its origin; none of
    /// other moves.
    ///
    /// An oblique leap first steps along its longer side, as the horse of xiangqi does.
    pub fn legs(&self) -> Vec<(i32, i32)> {
        if self.kind != Kind::Lame {
            return Vec::new();
        }
        let (x, y) = (self.dx.abs(), self.dy.abs());
        let (sx, sy) = (self.dx.signum(), self.dy.signum());
        let (ux, uy, squares) = match x == 0 || y == 0 || x == y {
            true => (sx, sy, x.max(y)),
            false if x > y => (sx, 0, 2),
            false => (0, sy, 2),
        };
        (1..squares).map(|i| (ux * i, uy * i)).collect()
    }

    fn half_turn(self) -> Self {
        Self {
            dx: -self.dx,
            dy: -self.dy,
            ..self
        }
    }
}

/// A piece: its atoms in ascending order, each once. Two texts that mean the same moves are the
/// same piece.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece(Vec<Atom>);

/// Why a text is no piece.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{text}' is not a piece: column {column}: {reason}")]
pub struct NotAPiece {
    /// The text, fit for a message.
    pub text: String,
    /// The character at fault, counted from 1; one more than there are where something is missing
    /// at the end.
    pub column: usize,
    /// What is wrong, and what is expected.
    pub reason: String,
}

/// A range without a limit.
pub const UNLIMITED: u32 = u32::MAX;

/// The longest side of a leap.
pub const LONGEST_LEAP: i32 = 15;

/// Pieces with plain names, and their notation.
pub const NAMES: &[(&str, &str)] = &[
    ("king", "K"),
    ("queen", "Q"),
    ("rook", "R"),
    ("bishop", "B"),
    ("knight", "N"),
    ("wazir", "W"),
    ("ferz", "F"),
    ("dabbaba", "D"),
    ("alfil", "A"),
    ("threeleaper", "H"),
    ("camel", "C"),
    ("zebra", "Z"),
    ("tripper", "G"),
    ("giraffe", "(1,4)"),
    ("antelope", "(3,4)"),
    ("archbishop", "BN"),
    ("marshall", "RN"),
    ("amazon", "QN"),
    ("commoner", "WF"),
    ("centaur", "WFN"),
    ("nightrider", "NN"),
    ("gold", "WfF"),
    ("silver", "FfW"),
    ("horse", "nN"),
    ("elephant", "nA"),
    ("cannon", "mRcpR"),
    ("grasshopper", "gQ"),
];

/// The letters of leaps, the shorter side first; a leap of several letters is written by the first
/// of them.
pub const LEAPS: &[(char, (i32, i32))] = &[
    ('W', (0, 1)),
    ('F', (1, 1)),
    ('D', (0, 2)),
    ('N', (1, 2)),
    ('A', (2, 2)),
    ('H', (0, 3)),
    ('C', (1, 3)),
    ('L', (1, 3)),
    ('Z', (2, 3)),
    ('J', (2, 3)),
    ('G', (3, 3)),
];

const DIRECTIONS: &str = "fblrvsh";

const MODES: &str = "mcnpg";

impl Piece {
    /// The atoms.
    pub fn atoms(&self) -> &[Atom] {
        &self.0
    }

    /// The same piece seen from the other side of the board: the opponent's.
    #[must_use]
    pub fn half_turn(&self) -> Self {
        Self::of(self.0.iter().map(|atom| atom.half_turn()).collect())
    }

    /// Whether a reflection or rotation of directions maps the piece to itself.
    pub fn is_kept_by(&self, turn: impl Fn(i32, i32) -> (i32, i32)) -> bool {
        self.0.iter().all(|atom| {
            let (dx, dy) = turn(atom.dx, atom.dy);
            self.0.binary_search(&Atom { dx, dy, ..*atom }).is_ok()
        })
    }

    fn of(mut atoms: Vec<Atom>) -> Self {
        atoms.sort_unstable();
        atoms.dedup();
        Self(atoms)
    }
}

impl FromStr for Piece {
    type Err = NotAPiece;

    /// Reads Betza's notation or a plain name.
    fn from_str(text: &str) -> Result<Self, NotAPiece> {
        let named = (NAMES.iter()).find(|(name, _)| name.eq_ignore_ascii_case(text));
        let notation = named.map_or(text, |&(_, notation)| notation);
        let mut reader = Reader {
            characters: notation.chars().collect(),
            at: 0,
        };
        let atoms = reader.piece().map_err(|(column, mut reason)| {
            let is_word = text.len() > 3 && text.chars().all(|c| c.is_ascii_lowercase());
            let names = NAMES.iter().map(|&(name, _)| name);
            if let Some(name) = nearest(text, names).filter(|_| is_word) {
                reason = format!("{reason}; did you mean {name}?");
            }
            NotAPiece {
                text: shown(text),
                column: column + 1,
                reason,
            }
        })?;
        Ok(Self::of(atoms))
    }
}

/// The column of a fault, from 0, and what it is.
type Fault = (usize, String);

struct Reader {
    characters: Vec<char>,
    at: usize,
}

impl Reader {
    fn next(&mut self) -> Option<char> {
        let next = self.characters.get(self.at).copied();
        self.at += usize::from(next.is_some());
        next
    }

    fn next_if(&mut self, is_wanted: impl Fn(char) -> bool) -> Option<char> {
        let next = self.characters.get(self.at).copied();
        next.filter(|&c| is_wanted(c)).and_then(|_| self.next())
    }

    fn number(&mut self) -> Option<Result<u32, Fault>> {
        let (start, mut digits) = (self.at, String::new());
        while let Some(digit) = self.next_if(|c| c.is_ascii_digit()) {
            digits.push(digit);
        }
        let too_large = |_| (start, "the number is too large".to_owned());
        (!digits.is_empty()).then(|| digits.parse().map_err(too_large))
    }

    fn piece(&mut self) -> Result<Vec<Atom>, Fault> {
        if self.characters.is_empty() {
            return Err((0, "expected a letter of a move, for example N".to_owned()));
        }
        let mut atoms = Vec::new();
        while self.at < self.characters.len() {
            self.term(&mut atoms)?;
        }
        Ok(atoms)
    }

    /// Modifiers, a letter and its range.
    fn term(&mut self, atoms: &mut Vec<Atom>) -> Result<(), Fault> {
        let start = self.at;
        let (mut directions, mut modes) = (Vec::new(), Vec::new());
        while let Some(modifier) = self.next_if(|c| c.is_ascii_lowercase()) {
            if DIRECTIONS.contains(modifier) {
                directions.push(modifier);
            } else if MODES.contains(modifier) && !modes.contains(&modifier) {
                modes.push(modifier);
            } else {
                let line = format!(
                    "'{modifier}': expected a direction (f b l r v s h) or a mode (m c n p g), each mode once"
                );
                return Err((self.at - 1, line));
            }
        }
        let letter_at = self.at;
        let (leaps, is_rider) = self.leaps(&directions, start)?;
        let mut range = if is_rider { UNLIMITED } else { 1 };
        let range_at = self.at;
        if let Some(number) = self.number() {
            range = match number? {
                0 => UNLIMITED,
                number => number,
            };
        }
        let kind = kind(&modes).ok_or_else(|| {
            let line = "expected one of the modes n, p and g at most";
            (start, line.to_owned())
        })?;
        if kind == Kind::Cannon && range == 1 {
            let line = "a piece that jumps over a man needs two steps: double the letter, or give a number from 2, or 0";
            return Err((range_at, line.to_owned()));
        }
        let [moves, captures] = ['m', 'c'].map(|mode| modes.contains(&mode));
        for (a, b) in leaps {
            let has_path = a == 0 || a == b || (a, b) == (1, 2);
            if kind == Kind::Lame && (range != 1 || !has_path) {
                let line = "a lame leap is straight, diagonal or N, and no ride: no other has a known path";
                return Err((letter_at, line.to_owned()));
            }
            let is_oblique = a != 0 && a != b;
            if directions.contains(&'h') && !is_oblique {
                let line = "the direction h is for oblique leaps, such as fhN";
                return Err((start, line.to_owned()));
            }
            let mut is_empty = true;
            for (x, y) in [(a, b), (b, a)] {
                for (dx, dy) in [(x, y), (-x, y), (x, -y), (-x, -y)] {
                    if is_chosen((dx, dy), &directions) {
                        is_empty = false;
                        atoms.push(Atom {
                            dx,
                            dy,
                            range,
                            quiet: moves || !captures,
                            capture: captures || !moves,
                            kind,
                        });
                    }
                }
            }
            if is_empty {
                return Err((start, "no move has these directions".to_owned()));
            }
        }
        Ok(())
    }

    /// The leaps of a letter, the shorter side first, and whether they ride.
    fn leaps(
        &mut self,
        directions: &[char],
        start: usize,
    ) -> Result<(Vec<(i32, i32)>, bool), Fault> {
        let at = self.at;
        let found = match self.next() {
            None => {
                let line = "expected a letter of a move, for example N";
                return Err((at, line.to_owned()));
            }
            Some('(') => (vec![self.sides(at)?], false),
            Some('K' | 'Q') if !directions.is_empty() => {
                let line =
                    "directions of K and Q are read in two ways: write fWfF for fK, fRfB for fQ";
                return Err((start, line.to_owned()));
            }
            Some('K') => (vec![(0, 1), (1, 1)], false),
            Some('Q') => (vec![(0, 1), (1, 1)], true),
            Some('R') => (vec![(0, 1)], true),
            Some('B') => (vec![(1, 1)], true),
            Some(letter) => match LEAPS.iter().find(|(known, _)| *known == letter) {
                Some(&(_, leap)) => {
                    let doubled = self.next_if(|c| c == letter).is_some();
                    (vec![leap], doubled)
                }
                None => {
                    let line = format!(
                        "'{}': expected one of K Q R B W F D N A H C L Z J G or a leap such as (1,4)",
                        letter.escape_default()
                    );
                    return Err((at, line));
                }
            },
        };
        Ok(found)
    }

    /// The sides of a leap, behind its `(`.
    fn sides(&mut self, start: usize) -> Result<(i32, i32), Fault> {
        let mut sides = [0; 2];
        for (side, end) in sides.iter_mut().zip([',', ')']) {
            let at = self.at;
            *side = match self.number() {
                Some(number) => i32::try_from(number?).unwrap_or(i32::MAX),
                None => return Err((at, "expected a number, as in (1,4)".to_owned())),
            };
            if *side > LONGEST_LEAP {
                let line = format!("expected a side of up to {LONGEST_LEAP} squares");
                return Err((at, line));
            }
            if self.next_if(|c| c == end).is_none() {
                return Err((self.at, format!("expected '{end}', as in (1,4)")));
            }
        }
        match sides {
            [0, 0] => Err((start, "a leap by (0,0) is no move".to_owned())),
            [a, b] => Ok((a.min(b), a.max(b))),
        }
    }
}

fn kind(modes: &[char]) -> Option<Kind> {
    let mut kinds = modes.iter().filter_map(|mode| match mode {
        'n' => Some(Kind::Lame),
        'p' => Some(Kind::Cannon),
        'g' => Some(Kind::Grasshopper),
        _ => None,
    });
    let kind = kinds.next().unwrap_or(Kind::Slide);
    kinds.next().is_none().then_some(kind)
}

/// Whether some directions choose a leap.
fn is_chosen((dx, dy): (i32, i32), directions: &[char]) -> bool {
    let has = |direction: char| match direction {
        'f' => dy > 0,
        'b' => dy < 0,
        'l' => dx < 0,
        'r' => dx > 0,
        'v' => dy != 0,
        's' => dx != 0,
        _ => true,
    };
    let is_straight = dx == 0 || dy == 0;
    let is_oblique = !is_straight && dx.abs() != dy.abs();
    let is_narrow = dy.abs() > dx.abs();
    let vertical = |direction: char| "fbv".contains(direction);
    let mut left = directions;
    if left.is_empty() {
        return true;
    }
    while let Some((&first, rest)) = left.split_first() {
        // Two directions belong together if they are equal, of different axes (of no straight
        // leap), or if the second is h.
        let second = rest.first().copied().filter(|&second| {
            first == second
                || second == 'h'
                || (!is_straight && vertical(first) != vertical(second))
        });
        left = &rest[usize::from(second.is_some())..];
        let is_chosen = match second {
            _ if !is_oblique => has(first) && second.is_none_or(has),
            Some('h') => has(first),
            // The letter that is nearest to the leap decides between the narrow pair and the wide
            // one.
            Some(second) if second != first => {
                has(first) && has(second) && is_narrow == vertical(second)
            }
            _ => has(first) && is_narrow == vertical(first),
        };
        if is_chosen {
            return true;
        }
    }
    false
}

impl fmt::Display for Atom {
    /// All that the atom is, for the names of files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Slide => "",
            Kind::Lame => "n",
            Kind::Cannon => "p",
            Kind::Grasshopper => "g",
        };
        let (quiet, capture) = (
            if self.quiet { "m" } else { "" },
            if self.capture { "c" } else { "" },
        );
        write!(f, "{quiet}{capture}{kind}({},{})", self.dx, self.dy)?;
        match self.range {
            1 => Ok(()),
            UNLIMITED => write!(f, "0"),
            range => write!(f, "{range}"),
        }
    }
}

impl fmt::Display for Piece {
    /// The atoms one after the other.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|atom| atom.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaps(text: &str) -> Vec<(i32, i32)> {
        let piece: Piece = text.parse().unwrap();
        piece.atoms().iter().map(|a| (a.dx, a.dy)).collect()
    }

    #[test]
    fn directions_of_oblique_leaps() {
        assert_eq!(leaps("fN"), [(-1, 2), (1, 2)]);
        assert_eq!(leaps("fsN"), [(-2, 1), (2, 1)]);
        assert_eq!(leaps("fhN"), [(-2, 1), (-1, 2), (1, 2), (2, 1)]);
        assert_eq!(leaps("flN"), [(-2, 1)]);
        assert_eq!(leaps("lfN"), [(-1, 2)]);
        assert_eq!(leaps("fbN"), [(-1, -2), (-1, 2), (1, -2), (1, 2)]);
        assert_eq!(leaps("vrN"), [(2, -1), (2, 1)]);
        assert_eq!(leaps("brR"), [(0, -1), (1, 0)]);
        assert_eq!(leaps("flF"), [(-1, 1)]);
        assert_eq!(leaps("sW"), [(-1, 0), (1, 0)]);
        assert_eq!(leaps("N").len(), 8);
    }

    #[test]
    fn equal_moves_are_the_same_piece() {
        let piece = |text: &str| text.parse::<Piece>().unwrap();
        for (one, other) in [
            ("R", "WW"),
            ("K", "FW"),
            ("Q", "B0R0"),
            ("C", "L"),
            ("(1,2)", "N"),
            ("mcN", "N"),
            ("NIGHTRIDER", "NN"),
        ] {
            assert_eq!(piece(one), piece(other), "{one} {other}");
        }
        assert_ne!(piece("WWW"), piece("R"));
        assert_eq!(piece("WfF").half_turn(), piece("WbF"));
        assert_eq!(piece("flN").half_turn(), piece("brN"));
        assert_eq!(piece("R4").atoms()[0].range, 4);
        assert_eq!(piece("mW2").to_string(), "m(-1,0)2m(0,-1)2m(0,1)2m(1,0)2");
        assert!(
            piece("mRcpR")
                .atoms()
                .iter()
                .any(|a| a.kind == Kind::Cannon && !a.quiet)
        );
        assert_eq!(piece("nN").atoms()[0].legs(), [(-1, 0)]);
        assert_eq!(piece("nH").atoms()[0].legs(), [(-1, 0), (-2, 0)]);
        for (_, notation) in NAMES {
            piece(notation);
        }
    }

    #[test]
    fn faults_have_their_column() {
        for (text, column, part) in [
            ("", 1, "expected a letter"),
            ("BNx", 3, "'x'"),
            ("BNf", 4, "expected a letter"),
            ("BX", 2, "expected one of K"),
            ("WfK", 2, "fWfF"),
            ("W(1,", 5, "a number"),
            ("(1;2)", 3, "','"),
            ("(0,0)", 1, "no move"),
            ("(1,16)", 4, "up to 15"),
            ("nC", 2, "lame"),
            ("nNN", 2, "lame"),
            ("pgR", 1, "one of the modes"),
            ("mmN", 2, "each mode once"),
            ("pW", 3, "two steps"),
            ("fhR", 1, "oblique"),
            ("W99999999999", 2, "too large"),
            ("knigth", 1, "did you mean knight?"),
        ] {
            let error = text.parse::<Piece>().unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
            assert!(error.to_string().contains(part), "{text}: {error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}
