//! Pictures of positions and games: the options that commands share.

use std::path::PathBuf;

use clap::Args;
use everymove_draw::pegs::{self, Pegboard};
use everymove_draw::theme::Theme;
use everymove_kernel::files::Output;
use everymove_kernel::text::shown;
use everymove_pegs::{Board, Jump, Lattice, Position, moves};

use crate::failure::Failure;

/// The picture in words.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Draw into an SVG file: a position, or a game as a strip with a board a move
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Let the game play itself
    #[arg(long, requires = "svg")]
    animate: bool,
    /// light or dark
    #[arg(long, requires = "svg", value_name = "THEME", default_value = "light")]
    theme: String,
}

/// A picture that can be drawn: its file is known to be writable.
#[derive(Debug)]
pub(crate) struct Picture {
    output: Output,
    theme: Theme,
    animate: bool,
}

impl PictureArgs {
    /// Whether a picture is asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.svg.is_some()
    }

    /// The picture, if one is asked for.
    pub(crate) fn plan(&self) -> Result<Option<Picture>, Failure> {
        let theme: Theme = self.theme.parse().map_err(Failure::input)?;
        let Some(path) = &self.svg else {
            return Ok(None);
        };
        let other = path
            .extension()
            .filter(|extension| !extension.eq_ignore_ascii_case("svg"));
        if let Some(extension) = other {
            return Err(Failure::Input(format!(
                "--svg writes SVG, not {}: name the file {}",
                shown(&extension.to_string_lossy()),
                shown(&path.with_extension("svg").display().to_string())
            )));
        }
        Ok(Some(Picture {
            output: Output::prepare(path)?,
            theme,
            animate: self.animate,
        }))
    }
}

impl Picture {
    /// Draws a game from a position; without jumps, the position. Returns the line that says so.
    pub(crate) fn game(
        self,
        board: &Board,
        start: Position,
        jumps: &[Jump],
    ) -> Result<String, Failure> {
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
            (_, []) => pegs::picture(&board, start.0, &[], self.theme),
            (true, moves) => pegs::animation(&board, start.0, moves, self.theme),
            (false, moves) => pegs::strip(&board, start.0, moves, self.theme),
        };
        let line = format!(
            "wrote {}\n",
            shown(&self.output.path().display().to_string())
        );
        self.output.publish(|draft| draft.put(picture.as_bytes()))?;
        Ok(line)
    }
}

/// A position for the terminal.
pub(crate) fn characters(board: &Board, position: Position) -> String {
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
