//! Endings: a board, two armies and the rules.

use std::fmt;
use std::str::FromStr;

use everymove_kernel::grid::Grid;
use everymove_kernel::pieces::Piece;
use everymove_kernel::text::shown;
use thiserror::Error;

/// White or Black: 0 or 1.
pub type Side = usize;

/// Names of the sides.
pub const SIDES: [&str; 2] = ["white", "black"];

/// The longest side of a board.
pub const LONGEST_SIDE: usize = 16;

/// The most men, royals included.
pub const MOST_MEN: usize = 5;

/// What the side without a legal move gets that is not attacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stalemate {
    /// A draw.
    #[default]
    Draw,
    /// A win.
    Win,
    /// A loss.
    Loss,
}

/// What the side gets that has its royal alone against more men.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BareKing {
    /// It plays on.
    #[default]
    None,
    /// It has lost.
    Loss,
    /// It has lost, unless it takes the last man of the opponent at once.
    Shatranj,
}

/// What the distances count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Plies to the end of the game.
    #[default]
    Mate,
    /// Plies to a capture by either side, or to the end of the game.
    Conversion,
}

/// The rules that an ending can choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// No legal move, not attacked.
    pub stalemate: Stalemate,
    /// A royal alone.
    pub bare_king: BareKing,
    /// The distances.
    pub metric: Metric,
}

/// A piece with its letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its letter, upper case.
    pub letter: char,
    /// Its notation, as it was given.
    pub notation: String,
    /// Its moves, in the direction of the player.
    pub piece: Piece,
}

/// A man that is not royal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Man {
    /// Whose it is.
    pub side: Side,
    /// What it is.
    pub definition: Definition,
}

/// A board with armies: what a table is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The board: its columns are files, its rows ranks.
    pub board: Grid,
    /// The royals of White and Black.
    pub royals: [Definition; 2],
    /// The other men in the order of their squares in an index: by the number of their moves on
    /// the empty board, the most mobile last.
    pub men: Vec<Man>,
    /// The rules.
    pub rules: Rules,
}

/// Why letters and definitions make no ending.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EndingError {
    /// The text has not the form of a material.
    #[error(
        "'{0}' is no ending: expected two armies such as KAvKN, each of a K and letters of pieces"
    )]
    Form(String),
    /// A letter without a meaning.
    #[error("'{letter}' in '{text}' is no piece: define it, for example {letter}=BN")]
    Letter {
        /// The letter.
        letter: char,
        /// The ending, fit for a message.
        text: String,
    },
    /// Two letters for the same moves.
    #[error("{} and {} have the same moves: take one letter for both", .letters[0], .letters[1])]
    Twice {
        /// The letters.
        letters: [char; 2],
    },
    /// More men than are solved.
    #[error("'{text}' has {men} men: expected up to {MOST_MEN}")]
    Men {
        /// The ending, fit for a message.
        text: String,
        /// How many there are.
        men: usize,
    },
    /// A board that is too long.
    #[error(
        "a board of {files}x{ranks} is too large: expected up to {LONGEST_SIDE}x{LONGEST_SIDE}"
    )]
    Board {
        /// Files.
        files: usize,
        /// Ranks.
        ranks: usize,
    },
    /// A board with one square.
    #[error("a board of 1x1 has no place for two royals")]
    OneSquare,
}

impl Ending {
    /// Two armies by the letters of a material such as `KAvKN`, in which `K` is the royal of its
    /// side and `define` knows the other letters.
    ///
    /// # Errors
    /// [`EndingError`].
    pub fn new(
        board: Grid,
        material: &str,
        royals: [Definition; 2],
        define: impl Fn(char) -> Option<Definition>,
        rules: Rules,
    ) -> Result<Self, EndingError> {
        let (files, ranks) = (board.cols(), board.rows());
        if files.max(ranks) > LONGEST_SIDE {
            return Err(EndingError::Board { files, ranks });
        }
        if board.len() < 2 {
            return Err(EndingError::OneSquare);
        }
        let form = || EndingError::Form(shown(material));
        let (white, black) = material.split_once(['v', 'V']).ok_or_else(form)?;
        let mut men = Vec::new();
        for (side, army) in [white, black].into_iter().enumerate() {
            let mut letters = army.chars().map(|c| c.to_ascii_uppercase());
            if letters.next() != Some('K') {
                return Err(form());
            }
            for letter in letters {
                if !letter.is_ascii_uppercase() || letter == 'K' {
                    return Err(form());
                }
                let definition = define(letter).ok_or_else(|| EndingError::Letter {
                    letter,
                    text: shown(material),
                })?;
                men.push(Man { side, definition });
            }
        }
        if men.len() + 2 > MOST_MEN {
            let text = shown(material);
            return Err(EndingError::Men {
                text,
                men: men.len() + 2,
            });
        }
        for man in &men {
            // Files are found by their letters: what captures lead to must have the same ones.
            let same = |other: &&Man| other.definition.piece == man.definition.piece;
            let first = men.iter().find(same).unwrap_or(man);
            if first.definition.letter != man.definition.letter {
                let letters = [first, man].map(|man| man.definition.letter);
                return Err(EndingError::Twice { letters });
            }
        }
        men.sort_by_cached_key(|man| {
            let piece = man.definition.piece.clone();
            (mobility(board, &piece), piece, man.side)
        });
        Ok(Self {
            board,
            royals,
            men,
            rules,
        })
    }

    /// The ending without one of its men: what a capture leads to.
    pub fn without(&self, man: usize) -> Self {
        let mut rest = self.clone();
        rest.men.remove(man);
        rest
    }

    /// The endings that captures lead to, each once, the smallest first; the ending itself is last.
    pub fn closure(&self) -> Vec<Self> {
        let mut all = vec![self.clone()];
        let mut next = 0;
        while next < all.len() {
            for man in 0..all[next].men.len() {
                let smaller = all[next].without(man);
                if !all.contains(&smaller) {
                    all.push(smaller);
                }
            }
            next += 1;
        }
        all.reverse();
        all
    }

    /// Whether a man and the one before it are alike, so that their exchange gives the same
    /// position.
    pub fn is_twin(&self, man: usize) -> bool {
        let Some(before) = man.checked_sub(1).map(|before| &self.men[before]) else {
            return false;
        };
        let man = &self.men[man];
        (before.side, &before.definition.piece) == (man.side, &man.definition.piece)
    }

    /// The number of men of a side, its royal included.
    pub fn men_of(&self, side: Side) -> usize {
        1 + self.men.iter().filter(|man| man.side == side).count()
    }

    /// Whether the rule of the bare king decides every position: one side has its royal alone.
    pub(crate) fn bare_side(&self) -> Option<Side> {
        let is_bare = [self.men_of(0) == 1, self.men_of(1) == 1];
        match (self.rules.bare_king, is_bare) {
            (BareKing::None, _) | (_, [true, true] | [false, false]) => None,
            (_, [true, false]) => Some(0),
            (_, [false, true]) => Some(1),
        }
    }

    /// The board as files x ranks.
    pub fn board_name(&self) -> String {
        board_name(self.board)
    }

    /// All that decides the values, as text: equal texts are equal tables.
    pub fn identity(&self) -> String {
        let rules = &self.rules;
        let mut text = format!("board {}\n{rules}\n", self.board_name());
        for (side, royal) in SIDES.iter().zip(&self.royals) {
            text += &format!("{side} royal {}\n", royal.piece);
        }
        for man in &self.men {
            text += &format!("{} {}\n", SIDES[man.side], man.definition.piece);
        }
        text
    }
}

/// A board as files x ranks, in the order in which players name it.
pub fn board_name(board: Grid) -> String {
    format!("{}x{}", board.cols(), board.rows())
}

/// A board of files x ranks.
///
/// # Errors
/// As [`Grid::from_str`].
pub fn read_board(text: &str) -> Result<Grid, everymove_kernel::grid::GridError> {
    let turned = Grid::from_str(text)?;
    Grid::new(turned.cols() as u32, turned.rows() as u32)
}

/// The letters of pieces that need no definition, and their notation.
pub fn usual(letter: char) -> Option<Definition> {
    let notation = letter.to_string();
    let piece = notation.parse().ok()?;
    Some(Definition {
        letter,
        notation,
        piece,
    })
}

/// Moves on the empty board, of all squares together.
fn mobility(board: Grid, piece: &Piece) -> usize {
    let moves = |square, dx: i32, dy: i32, range: u32| {
        let step = |&at: &usize| board.step(at, i64::from(dy), i64::from(dx));
        let walk = std::iter::successors(Some(square), step);
        walk.skip(1).take(range as usize).count()
    };
    let squares = 0..board.len();
    let of = |square| {
        let atoms = piece.atoms().iter();
        atoms
            .map(move |a| moves(square, a.dx, a.dy, a.range))
            .sum::<usize>()
    };
    squares.map(of).sum()
}

impl fmt::Display for Ending {
    /// The letters: `KAvKN`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in 0..2 {
            f.write_str(["K", "vK"][side])?;
            let men = self.men.iter().rev().filter(|man| man.side == side);
            for man in men {
                write!(f, "{}", man.definition.letter)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stalemate = match self.stalemate {
            Stalemate::Draw => "draw",
            Stalemate::Win => "win",
            Stalemate::Loss => "loss",
        };
        let bare = match self.bare_king {
            BareKing::None => "none",
            BareKing::Loss => "loss",
            BareKing::Shatranj => "shatranj",
        };
        write!(
            f,
            "stalemate {stalemate}\nbare king {bare}\nmetric {}",
            self.metric
        )
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mate => "dtm",
            Self::Conversion => "dtc",
        })
    }
}
