//! `pieces show`: what a notation means.

use std::path::Path;

use everymove_draw::pieces::{characters, picture};
use everymove_draw::theme::Theme;
use everymove_kernel::pieces::{Kind, NAMES, Piece, UNLIMITED};
use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::picture::Images;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// The moves of a piece: as characters, or as a picture.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ShowRequest {
    /// The piece: Betza's notation, such as BN or mRcpR, or a name, such as camel
    pub piece: String,
}

/// The moves of a piece.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShowAnswer {
    /// The piece as it was given.
    pub piece: String,
    /// The usual names of a piece with these moves.
    pub names: Vec<&'static str>,
    /// Its moves, one direction each.
    pub atoms: Vec<AtomAnswer>,
    /// The moves as rows of characters, forward upwards, with an explanation of the marks.
    pub diagram: String,
}

/// Moves in one direction.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct AtomAnswer {
    /// Files to the right for each step.
    pub dx: i32,
    /// Ranks forward for each step.
    pub dy: i32,
    /// The most steps; null if there is no limit.
    pub range: Option<u32>,
    /// Whether it moves to vacant squares.
    pub moves: bool,
    /// Whether it captures.
    pub captures: bool,
    /// What it may jump over.
    pub kind: AtomKind,
}

/// What a move may jump over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AtomKind {
    /// Nothing between its steps.
    Slide,
    /// A leap whose squares between must be vacant.
    Lame,
    /// Exactly one man.
    Cannon,
    /// A man directly before its target.
    Grasshopper,
}

impl Request for ShowRequest {
    const COMMAND: &'static str = "pieces show";
    const IS_SERVED: bool = true;
    type Plan = (String, Piece);
    type Answer = ShowAnswer;

    fn plan(&self) -> Result<(String, Piece), Error> {
        let piece = self.piece.parse().map_err(Error::field("piece"))?;
        Ok((self.piece.clone(), piece))
    }

    fn run((text, piece): &(String, Piece), _: &Run) -> Result<ShowAnswer, Error> {
        let same = |notation: &str| notation.parse::<Piece>().is_ok_and(|named| named == *piece);
        let names = NAMES.iter().filter(|(_, notation)| same(notation));
        let atoms = piece.atoms().iter().map(|atom| AtomAnswer {
            dx: atom.dx,
            dy: atom.dy,
            range: (atom.range != UNLIMITED).then_some(atom.range),
            moves: atom.quiet,
            captures: atom.capture,
            kind: match atom.kind {
                Kind::Slide => AtomKind::Slide,
                Kind::Lame => AtomKind::Lame,
                Kind::Cannon => AtomKind::Cannon,
                Kind::Grasshopper => AtomKind::Grasshopper,
            },
        });
        Ok(ShowAnswer {
            piece: text.clone(),
            names: names.map(|&(name, _)| name).collect(),
            atoms: atoms.collect(),
            diagram: characters(piece),
        })
    }
}

impl Answer for ShowAnswer {}

/// A picture of the moves.
#[derive(Debug, clap::Args)]
pub struct ShowView {
    /// Files of the picture.
    #[command(flatten)]
    images: Images,
}

impl OnTerminal for ShowRequest {
    type View = ShowView;

    fn files(view: &ShowView) -> Result<Vec<&Path>, Error> {
        let images = view.images.files()?.into_iter();
        Ok(images.map(|(_, path)| path).collect())
    }

    fn show(
        (_, piece): &(String, Piece),
        answer: &ShowAnswer,
        view: &ShowView,
    ) -> Result<Shown, Error> {
        let images = view.images.files()?.into_iter();
        let title = match &answer.names[..] {
            [] => String::new(),
            names => format!("{}\n", names.join(", ")),
        };
        Ok(Shown {
            text: Text {
                bare: answer.diagram.clone(),
                full: title + &answer.diagram,
            },
            files: images
                .map(|(format, _)| format.of(picture(piece, Theme::Light)))
                .collect(),
        })
    }
}
