//! Pictures of tours: the options that commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use everymove_draw::svg::{self, MAX_ANIMATED, Numbers, Style, Walk};
use everymove_draw::theme::Theme;
use everymove_draw::tikz;
use everymove_kernel::files::Output;
use everymove_kernel::text::{grouped, shown};
use everymove_tours::board::Kind;
use everymove_tours::tour::Tour;

use crate::error::Error;
use crate::picture::{ImageFormat, Images};
use crate::terminal::{Format, Screen};

/// Viewers fail on pictures of more squares.
const MAX_SQUARES: usize = 4_000_000;

/// Squares of more would be smaller than a pixel, or take long.
const MAX_IN_PNG: usize = 250_000;

/// The picture as it is asked for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PictureView {
    /// Files of the picture; several tours are on one sheet.
    #[command(flatten)]
    images: Images,
    /// Draw each tour into an SVG file of its own in this directory: tour-1.svg, tour-2.svg, ...
    #[arg(long, value_name = "DIR")]
    svg_each: Option<PathBuf>,
    /// Draw into a file for LaTeX, one TikZ picture a tour
    #[arg(long, value_name = "FILE", conflicts_with_all = ["animate", "theme"])]
    tikz: Option<PathBuf>,
    /// Animate the line
    #[arg(long, conflicts_with = "png")]
    animate: bool,
    /// Write the step numbers into the squares
    #[arg(long, conflicts_with = "animate")]
    step_numbers: bool,
    /// The colours
    #[arg(long, value_enum)]
    theme: Option<ThemeArg>,
}

/// The colours of a picture.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ThemeArg {
    /// Dark lines on a light ground
    Light,
    /// Light lines on a dark ground
    Dark,
}

/// A picture that can be drawn: its files are known to be writable.
#[derive(Debug)]
pub(super) struct Picture {
    sheets: Vec<(ImageFormat, Output)>,
    tikz: Option<Output>,
    each: Option<PathBuf>,
    style: Style,
    animate: bool,
}

impl PictureView {
    /// The picture, if one is asked for.
    pub(super) fn plan(&self) -> Result<Option<Picture>, Error> {
        let images = self.images.files()?;
        if images.is_empty() && self.svg_each.is_none() && self.tikz.is_none() {
            let styled = self.animate || self.step_numbers || self.theme.is_some();
            return match styled {
                true => Err(Error::message(
                    None,
                    "--animate, --step-numbers and --theme are about a picture: give --svg FILE, --png FILE, --svg-each DIR or --tikz FILE",
                )),
                false => Ok(None),
            };
        }
        if let Some(folder) = &self.svg_each
            && !folder.is_dir()
        {
            let folder = shown(&folder.display().to_string());
            return Err(Error::message(
                None,
                format!("there is no directory {folder}"),
            ));
        }
        let numbers = match self.step_numbers {
            true => Numbers::Shown,
            false => Numbers::Hidden,
        };
        let theme = match self.theme {
            None | Some(ThemeArg::Light) => Theme::Light,
            Some(ThemeArg::Dark) => Theme::Dark,
        };
        Ok(Some(Picture {
            sheets: images
                .into_iter()
                .map(|(format, path)| Ok((format, Output::prepare(path)?)))
                .collect::<Result<_, Error>>()?,
            tikz: self.tikz.as_ref().map(Output::prepare).transpose()?,
            each: self.svg_each.clone(),
            style: Style { theme, numbers },
            animate: self.animate,
        }))
    }
}

impl Picture {
    /// Refuses boards that are too large for the picture.
    pub(super) fn fits(&self, squares: usize) -> Result<(), Error> {
        let is_png = |(format, _): &(ImageFormat, Output)| *format == ImageFormat::Png;
        let (most, kind) = match self.animate {
            true => (MAX_ANIMATED, "an animation"),
            false if self.sheets.iter().any(is_png) => (MAX_IN_PNG, "a PNG"),
            false => (MAX_SQUARES, "a picture"),
        };
        if squares <= most {
            return Ok(());
        }
        Err(Error::message(
            None,
            format!(
                "{} squares are too many for {kind}: expected at most {}",
                grouped(squares),
                grouped(most)
            ),
        ))
    }

    /// Draws the tours: on one sheet (of which an animation shows the first), each for itself, or
    /// both.
    pub(super) fn draw(self, tours: &[Tour], screen: &dyn Screen) -> Result<(), Error> {
        if tours.is_empty() {
            return Ok(());
        }
        let squares = tours.iter().map(|tour| tour.board().playable());
        self.fits(squares.clone().sum())?;
        let (style, animate) = (self.style, self.animate);
        for (format, sheet) in self.sheets {
            let drawn = if animate { &tours[..1] } else { tours };
            let path = sheet.path().display().to_string();
            let picture = format.of(picture(drawn, &style, animate));
            let picture = picture.bytes(screen.run())?;
            sheet.publish(|draft| draft.put(&picture))?;
            report(screen, &path, drawn.len() as u64);
        }
        if let Some(file) = self.tikz {
            let path = file.path().display().to_string();
            let pictures = with_walks(tours, |walks| tikz::pictures(walks, style.numbers));
            file.publish(|draft| draft.put(pictures.as_bytes()))?;
            report(screen, &path, tours.len() as u64);
        }
        if let Some(folder) = &self.each {
            for (i, tour) in tours.iter().enumerate() {
                let output = Output::prepare(folder.join(format!("tour-{}.svg", i + 1)))?;
                let picture = picture(std::slice::from_ref(tour), &style, animate);
                output.publish(|draft| draft.put(picture.as_bytes()))?;
            }
            let path = folder.join(format!("tour-1.svg to tour-{}.svg", tours.len()));
            report(screen, &path.display().to_string(), tours.len() as u64);
        }
        Ok(())
    }
}

/// One SVG picture of all tours.
fn picture(tours: &[Tour], style: &Style, animate: bool) -> String {
    with_walks(tours, |walks| match walks {
        [walk, ..] if animate => {
            // A third of a second per step, at most a minute altogether.
            let seconds = (walk.order.len() as f64 / 3.0).clamp(2.0, 60.0);
            svg::animation(walk, style, seconds)
        }
        walks => svg::sheet(walks, style),
    })
}

/// What `draw` makes of the tours as walks.
fn with_walks(tours: &[Tour], draw: impl FnOnce(&[Walk<'_>]) -> String) -> String {
    let orders: Vec<_> = tours.iter().map(Tour::order).collect();
    let walks = tours.iter().zip(&orders).map(|(tour, order)| Walk {
        grid: tour.board().grid(),
        order,
        closed: tour.kind() == Kind::Closed,
        holes: tour.board().holes(),
    });
    draw(&walks.collect::<Vec<_>>())
}

/// Says beside the answer what was written.
pub(super) fn report(screen: &dyn Screen, path: &str, tours: u64) {
    if screen.format() == Format::Full {
        let plural = if tours == 1 { "" } else { "s" };
        screen.note(&format!(
            "wrote {} ({} tour{plural})",
            shown(path),
            grouped(tours)
        ));
    }
}
