//! The board and the problem that a question is about.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use everymove_pegs::{Board, BoardError, Finish, Hole, Lattice, NAMED, Position, Problem};

use crate::failure::Failure;

/// Larger files hold no board of 64 holes.
const MAX_TEXT: u64 = 1 << 16;

/// The board in words.
#[derive(Debug, Args)]
pub(crate) struct BoardArgs {
    /// The board: a name (see: everymove pegs boards), rows from the top with '/' between them (o a peg, . an empty
    /// hole, space or _ no place), or a file of such rows; - for standard input
    #[arg(allow_hyphen_values = true)]
    board: String,
    #[command(flatten)]
    lattice: LatticeArgs,
}

/// How places touch, in words.
#[derive(Debug, Args)]
pub(crate) struct LatticeArgs {
    /// square or triangular [default: triangular for rows of one, two, three, ... places, otherwise square]
    #[arg(long, value_name = "LATTICE")]
    lattice: Option<String>,
}

/// The problem in words.
#[derive(Debug, Args)]
pub(crate) struct ProblemArgs {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    ends: EndArgs,
}

/// Where a game starts and where it is to end, in words.
#[derive(Debug, Args)]
pub(crate) struct EndArgs {
    /// The hole that is empty at the start, or a position [default: the board as drawn if it is drawn with empty
    /// holes, otherwise the hole in the middle, or the first]
    #[arg(long, value_name = "HOLE")]
    start: Option<String>,
    #[command(flatten)]
    finish: FinishArgs,
}

/// Where a game is to end, in words.
#[derive(Debug, Args)]
pub(crate) struct FinishArgs {
    /// The hole of the last peg, a position, or anywhere [default: the hole in the middle where the class of the start
    /// allows it, otherwise anywhere]
    #[arg(long, value_name = "HOLE")]
    finish: Option<String>,
}

/// A board and, where it was drawn with empty holes, a position.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    pub(crate) board: Board,
    pub(crate) position: Option<Position>,
}

impl BoardArgs {
    /// The board, checked, and the position it was drawn in.
    pub(crate) fn drawn(&self) -> Result<Drawn, Failure> {
        self.lattice.drawn(&self.board)
    }

    /// The board, checked.
    pub(crate) fn plan(&self) -> Result<Board, Failure> {
        Ok(self.drawn()?.board)
    }
}

impl LatticeArgs {
    /// The same where a lattice was given, otherwise as a file says.
    pub(crate) fn or(&self, said: Option<String>) -> Self {
        Self {
            lattice: self.lattice.clone().or(said),
        }
    }

    /// The board of a text, checked.
    pub(crate) fn drawn(&self, text: &str) -> Result<Drawn, Failure> {
        let lattice = self.lattice.as_deref().map(str::parse).transpose();
        drawn(text, lattice.map_err(Failure::input)?)
    }
}

impl ProblemArgs {
    /// The problem, checked.
    pub(crate) fn plan(&self) -> Result<Problem, Failure> {
        self.ends.plan(&self.board.drawn()?)
    }
}

impl EndArgs {
    /// The same where ends were given, otherwise as a file says.
    pub(crate) fn or(&self, start: Option<String>, finish: Option<String>) -> Self {
        Self {
            start: self.start.clone().or(start),
            finish: FinishArgs {
                finish: self.finish.finish.clone().or(finish),
            },
        }
    }

    /// Whether somebody said where the game is to end.
    pub(crate) fn has_finish(&self) -> bool {
        self.finish.finish.is_some()
    }

    /// Whether somebody said where the game starts.
    pub(crate) fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// The problem on a board, checked.
    pub(crate) fn plan(&self, drawn: &Drawn) -> Result<Problem, Failure> {
        let board = &drawn.board;
        let start = match (&self.start, drawn.position) {
            (Some(text), _) => start(board, text)?,
            (None, Some(position)) => position,
            (None, None) => board.vacate(middle(board).unwrap_or(0)),
        };
        self.finish.plan(board, start)
    }
}

impl FinishArgs {
    /// The problem from a start, checked.
    pub(crate) fn plan(&self, board: &Board, start: Position) -> Result<Problem, Failure> {
        let finish = match self.finish.as_deref() {
            None => natural_finish(board, start)?,
            Some(text) => finish(board, text)?,
        };
        Problem::new(board, start, finish).map_err(Failure::input)
    }
}

/// A start as written: the hole that is empty, or a position.
pub(crate) fn start(board: &Board, text: &str) -> Result<Position, Failure> {
    if is_drawing(text) {
        return position(board, text);
    }
    Ok(board.vacate(board.hole(text).map_err(Failure::input)?))
}

/// A finish as written: the hole of the last peg, a position, or anywhere.
pub(crate) fn finish(board: &Board, text: &str) -> Result<Finish, Failure> {
    if text == "anywhere" {
        return Ok(Finish::Anywhere);
    }
    if is_drawing(text) {
        return Ok(Finish::Exactly(position(board, text)?));
    }
    Ok(Finish::At(board.hole(text).map_err(Failure::input)?))
}

/// A position of a board as written.
pub(crate) fn position(board: &Board, text: &str) -> Result<Position, Failure> {
    board.position(text).map_err(Failure::input)
}

/// What a game from here is to end with when nobody says so.
fn natural_finish(board: &Board, start: Position) -> Result<Finish, Failure> {
    let problem = Problem::new(board, start, Finish::Anywhere).map_err(Failure::input)?;
    let is_open = |hole: &Hole| problem.targets().contains(&Position::single(*hole));
    let natural = middle(board).filter(is_open);
    Ok(natural.map_or(Finish::Anywhere, Finish::At))
}

/// The one hole that every symmetry of the board keeps.
pub(crate) fn middle(board: &Board) -> Option<Hole> {
    let is_kept = |hole: &Hole| board.symmetries().iter().all(|s| s.hole(*hole) == *hole);
    let mut kept = (0..board.holes()).filter(is_kept);
    kept.next().filter(|_| kept.next().is_none())
}

fn drawn(text: &str, lattice: Option<Lattice>) -> Result<Drawn, Failure> {
    if is_drawing(text) {
        return parse(text, lattice).map_err(Failure::input);
    }
    let unknown = match Board::named(text) {
        Ok(board) => {
            return match lattice.filter(|&lattice| lattice != board.lattice()) {
                None => Ok(Drawn {
                    board,
                    position: None,
                }),
                Some(_) => Err(Failure::Input(format!(
                    "the {text} board is {}",
                    board.lattice()
                ))),
            };
        }
        Err(error) => error,
    };
    let is_file = text == "-" || Path::new(text).exists();
    match unknown {
        BoardError::UnknownName { .. } if is_file => {
            let rows = file(text)?;
            parse(&rows, lattice).map_err(|e| Failure::Input(format!("{text}: {e}")))
        }
        // What is wrong with rows is told by where it is wrong.
        BoardError::UnknownName { .. } if text.contains('/') => {
            let error = parse(text, lattice).err().unwrap_or(unknown);
            Err(Failure::Input(format!(
                "{error}; and there is no file {text}"
            )))
        }
        BoardError::UnknownName { .. } => {
            Err(Failure::Input(format!("{unknown}, or a file of such rows")))
        }
        error => Err(Failure::input(error)),
    }
}

fn parse(text: &str, lattice: Option<Lattice>) -> Result<Drawn, BoardError> {
    let rows: Vec<&str> = text
        .split(['/', '\n'])
        .map(str::trim_end)
        .filter(|row| !row.is_empty())
        .collect();
    let is_staircase = rows.len() > 1
        && rows
            .iter()
            .enumerate()
            .all(|(i, row)| row.len() == i + 1 && !row.contains(['_', ' ']));
    let lattice = lattice.unwrap_or(match is_staircase {
        true => Lattice::Triangular,
        false => Lattice::Square,
    });
    let board = Board::parse(text, lattice)?;
    let position = match text.contains('.') || !text.contains('o') {
        true => Some(board.position(text)?),
        false => None,
    };
    Ok(Drawn {
        board: christened(board),
        position,
    })
}

/// The same board with its name, if it has one. Holes are numbered along the rows either way.
fn christened(board: Board) -> Board {
    let triangle = format!("triangle{}", board.rows());
    let square = format!("square{}x{}", board.rows(), board.cols());
    let names = NAMED.iter().map(|named| named.name);
    let named = names
        .chain([&*triangle, &*square])
        .filter_map(|name| Board::named(name).ok());
    named
        .into_iter()
        .find(|named| *named == board)
        .unwrap_or(board)
}

/// Whether a text is rows of places.
fn is_drawing(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| "o._ /\r\n".contains(c))
}

/// The text of a file, without the lines that begin with '#'.
pub(crate) fn file(name: &str) -> Result<String, Failure> {
    let refuse = |reason: &str| Failure::Input(format!("cannot read {name}: {reason}"));
    let open = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match name {
            "-" => io::stdin().take(MAX_TEXT + 1).read_to_end(&mut bytes)?,
            _ => File::open(name)?
                .take(MAX_TEXT + 1)
                .read_to_end(&mut bytes)?,
        };
        Ok(bytes)
    };
    let bytes = open().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refuse("there is no such file"),
        io::ErrorKind::PermissionDenied => refuse("permission denied"),
        io::ErrorKind::IsADirectory => refuse("it is a directory"),
        _ => refuse(&error.to_string()),
    })?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(refuse("it is larger than 64K"));
    }
    let text = String::from_utf8(bytes).map_err(|_| refuse("it is no text"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}
