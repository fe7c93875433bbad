//! Files of pictures, which problems draw as SVG.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use everymove_draw::raster::{Raster, RasterError};
use everymove_kernel::run::{Ram, Run};
use everymove_kernel::text::shown;

use crate::error::Error;

/// The files of a picture.
#[derive(Debug, clap::Args)]
pub(crate) struct Images {
    /// Draw into an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw into a PNG file
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

impl Images {
    /// The files that are asked for.
    ///
    /// # Errors
    /// [`Error`] if a name promises another format.
    pub(crate) fn files(&self) -> Result<Vec<(ImageFormat, &Path)>, Error> {
        let svg = (self.svg.as_deref()).map(|path| (ImageFormat::Svg, path));
        let png = (self.png.as_deref()).map(|path| (ImageFormat::Png, path));
        let files: Vec<_> = svg.into_iter().chain(png).collect();
        files
            .iter()
            .try_for_each(|(format, path)| format.check(path))?;
        Ok(files)
    }
}

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageFormat {
    Svg,
    Png,
}

impl ImageFormat {
    fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    /// Refuses names that promise another format.
    pub(crate) fn check(self, path: &Path) -> Result<(), Error> {
        let (own, named) = (self.extension(), path.extension());
        let Some(named) = named.filter(|named| !named.eq_ignore_ascii_case(own)) else {
            return Ok(());
        };
        let show = |path: &Path| shown(&path.display().to_string());
        let line = format!(
            "--{own} writes {}, not {}: name the file {}",
            own.to_ascii_uppercase(),
            shown(&named.to_string_lossy()),
            show(&path.with_extension(own))
        );
        let others = [Self::Svg, Self::Png];
        let other = (others.iter()).find(|other| named.eq_ignore_ascii_case(other.extension()));
        let line = match other {
            Some(other) => format!("{line}, or give --{} {}", other.extension(), show(path)),
            None => line,
        };
        Err(Error::message(None, line))
    }

    /// A picture in this format.
    pub(crate) fn of(self, svg: String) -> Content {
        match self {
            Self::Svg => Content::Bytes(svg.into_bytes()),
            Self::Png => Content::Png(svg),
        }
    }
}

/// What a file is to hold.
#[derive(Clone, Debug)]
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// This SVG, drawn in pixels.
    Png(String),
}

impl Content {
    /// The bytes of the file.
    ///
    /// # Errors
    /// [`Error`] if a picture has too many parts, or does not fit the memory budget.
    pub fn bytes(self, run: &Run) -> Result<Vec<u8>, Error> {
        let svg = match self {
            Self::Bytes(bytes) => return Ok(bytes),
            Self::Png(svg) => svg,
        };
        // The renderer knows no stop flag: it works beside a thread that does.
        let (sender, receiver) = mpsc::channel();
        let ram = run.ram.clone();
        thread::spawn(move || sender.send(draw(&svg, &ram)));
        loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok(png) => return png,
                Err(RecvTimeoutError::Timeout) => run.stop.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::machine("the picture could not be drawn"));
                }
            }
        }
    }
}

fn draw(svg: &str, ram: &Ram) -> Result<Vec<u8>, Error> {
    let what = "the picture";
    let _tree = ram.reserve(what, Raster::BYTES_PER_BYTE * svg.len() as u64)?;
    let raster = Raster::new(svg).map_err(refusal)?;
    let _pixels = ram.reserve(what, raster.bytes())?;
    raster.png().map_err(refusal)
}

fn refusal(error: RasterError) -> Error {
    Error::message(None, format!("cannot draw PNG: {error}; SVG can be drawn"))
}
