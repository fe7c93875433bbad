//! Pictures of tours: the options that commands share.

use std::path::PathBuf;

use clap::Args;
use everymove_draw::svg::{self, MAX_ANIMATED, Numbers, Style, Walk};
use everymove_draw::theme::Theme;
use everymove_kernel::files::Output;
use everymove_tours::board::Kind;
use everymove_tours::tour::Tour;

use crate::failure::Failure;

/// Pictures of more squares would choke what opens them.
const MAX_SQUARES: usize = 4_000_000;

/// The picture in words.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Draw into an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Let the line draw itself
    #[arg(long, requires = "svg")]
    animate: bool,
    /// Write the step numbers into the squares
    #[arg(long, requires = "svg", conflicts_with = "animate")]
    numbers: bool,
    /// light or dark
    #[arg(long, requires = "svg", value_name = "THEME", default_value = "light")]
    theme: String,
}

/// A picture that can be drawn: its file is known to be writable.
#[derive(Debug)]
pub(crate) struct Picture {
    output: Output,
    style: Style,
    animate: bool,
}

impl PictureArgs {
    /// The picture, if one is asked for.
    pub(crate) fn plan(&self) -> Result<Option<Picture>, Failure> {
        let theme: Theme = self.theme.parse().map_err(Failure::input)?;
        let Some(path) = &self.svg else {
            return Ok(None);
        };
        let numbers = if self.numbers {
            Numbers::Shown
        } else {
            Numbers::Hidden
        };
        Ok(Some(Picture {
            output: Output::prepare(path)?,
            style: Style { theme, numbers },
            animate: self.animate,
        }))
    }
}

impl Picture {
    /// Refuses boards that are too large for the picture.
    pub(crate) fn fits(&self, squares: usize) -> Result<(), Failure> {
        let most = if self.animate {
            MAX_ANIMATED
        } else {
            MAX_SQUARES
        };
        if squares <= most {
            return Ok(());
        }
        let kind = if self.animate {
            "an animation"
        } else {
            "a picture"
        };
        Err(Failure::Input(format!(
            "{squares} squares are too many for {kind}: expected at most {most}"
        )))
    }

    /// Draws one tour, or several on one sheet, of which an animation shows the first.
    pub(crate) fn draw(self, tours: &[Tour]) -> Result<(), Failure> {
        let squares = tours.iter().map(|tour| tour.board().playable()).sum();
        self.fits(squares)?;
        let orders: Vec<_> = tours.iter().map(Tour::order).collect();
        let walks: Vec<_> = tours
            .iter()
            .zip(&orders)
            .map(|(tour, order)| Walk {
                grid: tour.board().grid(),
                order,
                closed: tour.kind() == Kind::Closed,
                holes: tour.board().holes(),
            })
            .collect();
        let picture = match walks.first() {
            None => return Ok(()),
            Some(walk) if self.animate => {
                // A third of a second a step, but no longer than a minute altogether.
                let seconds = (walk.order.len() as f64 / 3.0).clamp(2.0, 60.0);
                svg::animation(walk, &self.style, seconds)
            }
            Some(_) => svg::sheet(&walks, &self.style),
        };
        self.output.publish(|draft| draft.put(picture.as_bytes()))?;
        Ok(())
    }
}
