//! Pictures in pixels: PNG of the SVG that this crate draws.
//!
//! The renderer has no fonts: text is written with strokes first, so that a picture is the same on
//! every machine.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::roxmltree::{self, Document};
use resvg::usvg::{self, Options, Tree};
use thiserror::Error;

use crate::lettering;

/// Pixels for each unit of the size that an SVG names: sharp on screens with two pixels a point.
const SCALE: f32 = 2.0;

/// The most pixels of a side.
const MAX_SIDE: f32 = 4096.0;

/// Why a picture could not be made.
#[derive(Debug, Error)]
pub enum RasterError {
    /// More elements than the renderer accepts.
    #[error(transparent)]
    Parts(#[from] usvg::Error),
    /// It is not XML.
    #[error(transparent)]
    Xml(#[from] roxmltree::Error),
    /// The file could not be encoded.
    #[error("the picture cannot be encoded as PNG")]
    Encoding,
}

/// An SVG of this crate, ready to be drawn in pixels.
///
/// ```
/// use everymove_draw::chess;
/// use everymove_draw::raster::Raster;
///
/// let board = chess::diagram("8/8/8/8/8/2k5/7Q/K7").unwrap();
/// let png = Raster::new(&board)?.png()?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), everymove_draw::raster::RasterError>(())
/// ```
#[derive(Debug)]
pub struct Raster {
    tree: Tree,
    scale: f32,
    width: u32,
    height: u32,
}

impl Raster {
    /// About the most bytes that the elements take, for each byte of the SVG.
    pub const BYTES_PER_BYTE: u64 = 30;

    /// Reads an SVG of this crate. Two pixels are drawn for each unit of its width and height, at
    /// most 4096 a side; of an animation the picture at its start.
    ///
    /// # Errors
    /// [`RasterError`] if it has more than a million elements.
    pub fn new(svg: &str) -> Result<Self, RasterError> {
        let outlined = lettering::outlined(svg)?;
        let document = Document::parse(&outlined)?;
        let tree = Tree::from_xmltree(&document, &Options::default())?;
        let size = tree.size();
        let scale = SCALE.min(MAX_SIDE / size.width().max(size.height()));
        let side = |length: f32| (length * scale).round().max(1.0) as u32;
        Ok(Self {
            scale,
            width: side(size.width()),
            height: side(size.height()),
            tree,
        })
    }

    /// The most bytes that [`png`](Self::png) takes: the pixels, and as many of the file.
    pub fn bytes(&self) -> u64 {
        2 * 4 * u64::from(self.width) * u64::from(self.height)
    }

    /// The picture as PNG.
    ///
    /// # Errors
    /// [`RasterError::Encoding`].
    pub fn png(&self) -> Result<Vec<u8>, RasterError> {
        let mut pixels = Pixmap::new(self.width, self.height).ok_or(RasterError::Encoding)?;
        let transform = Transform::from_scale(self.scale, self.scale);
        resvg::render(&self.tree, transform, &mut pixels.as_mut());
        pixels.encode_png().map_err(|_| RasterError::Encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(svg: &str) -> Pixmap {
        let png = Raster::new(svg).unwrap().png().unwrap();
        Pixmap::decode_png(&png).unwrap()
    }

    #[test]
    fn shapes_and_letters_have_their_colours() {
        let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" viewBox="0 0 400 200">
<rect width="400" height="200" fill="#ffffff"/><rect width="100" height="100" fill="#0000ff"/>
<text x="300" y="150" fill="#ff0000" font-size="100" text-anchor="middle">l</text></svg>"##;
        let picture = drawn(svg);
        assert_eq!((picture.width(), picture.height()), (80, 40));
        let colour = |x, y| {
            let pixel = picture.pixel(x, y).unwrap();
            (pixel.red(), pixel.green(), pixel.blue())
        };
        assert_eq!(colour(10, 10), (0, 0, 255));
        assert_eq!(colour(30, 30), (255, 255, 255));
        let (red, green, _) = colour(60, 22);
        assert!(
            red > 200 && green < 128,
            "the letter is a red line at 300: {red} {green}"
        );
    }

    #[test]
    fn no_side_is_longer_than_the_most() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="20000" height="10"><rect width="9" height="9"/></svg>"#;
        let raster = Raster::new(svg).unwrap();
        assert_eq!((raster.width, raster.height), (4096, 2));
        assert_eq!(raster.bytes(), 8 * 4096 * 2);
    }
}
