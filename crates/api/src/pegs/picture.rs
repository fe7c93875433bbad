//! Positions and games in characters and as pictures.

use std::path::Path;

use everymove_draw::pegs::{self, Pegboard};
use everymove_draw::theme::Theme;
use everymove_kernel::text::shown;
use everymove_pegs::{Board, Jump, Lattice, Position, moves};

use super::names::counted;
use crate::error::Error;
use crate::picture::{Content, Images};

/// The picture in words.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Picture")]
pub(super) struct PictureView {
    /// Files of a position, or of a game as a strip with a board a move.
    #[command(flatten)]
    images: Images,
    /// Let the game play itself
    #[arg(long, requires = "svg", conflicts_with = "png")]
    animate: bool,
    /// light or dark
    #[arg(
        long,
        requires = "Images",
        value_name = "THEME",
        default_value = "light"
    )]
    theme: String,
}

impl PictureView {
    fn theme(&self) -> Result<Theme, Error> {
        self.theme
            .parse()
            .map_err(|error| Error::input(None, error))
    }

    /// The files of the picture, if one is asked for.
    pub(super) fn files(&self) -> Result<Vec<&Path>, Error> {
        self.theme()?;
        let files = self.images.files()?.into_iter();
        Ok(files.map(|(_, path)| path).collect())
    }

    /// The contents of the files: a game from a position, or the position where there are no jumps.
    pub(super) fn draw(
        &self,
        board: &Board,
        start: Position,
        jumps: &[Jump],
    ) -> Result<Vec<Content>, Error> {
        let images = self.images.files()?;
        if images.is_empty() {
            return Ok(Vec::new());
        }
        let theme = self.theme()?;
        let plain = |jump: &Jump| pegs::Jump {
            from: jump.from,
            over: jump.over,
            to: jump.to,
        };
        let moves: Vec<Vec<pegs::Jump>> = moves(jumps)
            .iter()
            .map(|chain| chain.jumps().iter().map(plain).collect())
            .collect();
        let slices: Vec<&[pegs::Jump]> = moves.iter().map(Vec::as_slice).collect();
        let places = places(board);
        let board = pegboard(board, &places);
        let picture = match (self.animate, &slices[..]) {
            (_, []) => pegs::picture(&board, start.0, &[], theme),
            (true, moves) => pegs::animation(&board, start.0, moves, theme),
            (false, moves) => pegs::strip(&board, start.0, moves, theme),
        };
        let pictures = (images.iter()).map(|(format, _)| format.of(picture.clone()));
        Ok(pictures.collect())
    }
}

/// The line that says that a file was written.
pub(super) fn wrote(path: &Path) -> String {
    format!("wrote {}\n", shown(&path.display().to_string()))
}

/// A position in characters.
pub fn characters(board: &Board, position: Position) -> String {
    pegs::characters(&pegboard(board, &places(board)), position.0)
}

fn places(board: &Board) -> Vec<(usize, usize)> {
    (0..board.holes()).map(|hole| board.row_col(hole)).collect()
}

fn pegboard<'a>(board: &Board, places: &'a [(usize, usize)]) -> Pegboard<'a> {
    Pegboard {
        places,
        lattice: match board.lattice() {
            Lattice::Square => pegs::Lattice::Square,
            Lattice::Triangular => pegs::Lattice::Triangular,
        },
    }
}

/// The moves of a game, each with the board after it.
pub(super) fn steps(board: &Board, start: Position, jumps: &[Jump]) -> String {
    let mut position = start;
    let mut text = format!("Start\n{}\n", characters(board, position));
    for (i, chain) in moves(jumps).iter().enumerate() {
        position = after(position, chain.jumps());
        let board_text = characters(board, position);
        text += &format!("Move {}: {}\n{board_text}\n", i + 1, chain.text(board));
    }
    text
}

/// The position after some jumps.
pub(super) fn after(start: Position, jumps: &[Jump]) -> Position {
    (jumps.iter()).fold(start, |position, jump| jump.after(position))
}

/// `1 peg`, `2 pegs`.
pub fn pegs_in_words(n: usize) -> String {
    counted(n as u128, "peg", "pegs")
}
