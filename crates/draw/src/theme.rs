//! Dark and light, and the colours along a walk.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What the picture is looked at on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark lines on a light board: paper.
    #[default]
    Light,
    /// Bright lines on a dark board: screens.
    Dark,
}

/// A theme's name that is none.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a theme: expected light or dark")]
pub struct NotATheme(String);

impl FromStr for Theme {
    type Err = NotATheme;

    fn from_str(text: &str) -> Result<Self, NotATheme> {
        match text {
            "light" => Ok(Self::Light),
            "dark" => Ok(Self::Dark),
            _ => Err(NotATheme(text.to_owned())),
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Light => "light",
            Self::Dark => "dark",
        })
    }
}

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl fmt::Display for Colour {
    /// As SVG writes it: `#rrggbb`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The colours of a picture's ground and its writing.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// Behind everything.
    pub page: Colour,
    /// The light squares.
    pub light: Colour,
    /// The dark squares.
    pub dark: Colour,
    /// The board's edge and a hole's outline.
    pub edge: Colour,
    /// Coordinates and small writing.
    pub faint: Colour,
    /// Titles and step numbers.
    pub text: Colour,
}

impl Theme {
    /// The ground colours.
    pub const fn palette(self) -> Palette {
        match self {
            Self::Light => Palette {
                page: Colour(0xff, 0xff, 0xff),
                light: Colour(0xf7, 0xf4, 0xec),
                dark: Colour(0xe9, 0xe3, 0xd4),
                edge: Colour(0xc9, 0xc0, 0xab),
                faint: Colour(0x7d, 0x76, 0x68),
                text: Colour(0x2b, 0x28, 0x22),
            },
            Self::Dark => Palette {
                page: Colour(0x0f, 0x11, 0x17),
                light: Colour(0x23, 0x27, 0x33),
                dark: Colour(0x1a, 0x1d, 0x27),
                edge: Colour(0x3a, 0x40, 0x51),
                faint: Colour(0x8a, 0x91, 0xa3),
                text: Colour(0xe8, 0xea, 0xf0),
            },
        }
    }

    /// The colour at `t` in 0..=1 along a walk: the part of "plasma" (Smith and van der Walt, 2015,
    /// public domain) that contrasts with the background. Its lightness runs one way, so that
    /// it also reads in print and by people who see fewer colours.
    pub fn along(self, t: f64) -> Colour {
        let (from, to) = match self {
            Self::Light => (0.0, 0.72),
            Self::Dark => (0.36, 1.0),
        };
        plasma(from + (to - from) * t.clamp(0.0, 1.0))
    }
}

impl Theme {
    /// The colour of series `i` in a chart; they repeat after seven.
    pub fn series(self, i: usize) -> Colour {
        let Colour(r, g, b) = SERIES[i % SERIES.len()];
        match self {
            Self::Light => Colour(r, g, b),
            Self::Dark => {
                let lift = |c: u8| c + (255 - c) / 4;
                Colour(lift(r), lift(g), lift(b))
            }
        }
    }
}

const PLASMA: [Colour; 11] = [
    Colour(0x0d, 0x08, 0x87),
    Colour(0x41, 0x04, 0x9d),
    Colour(0x6a, 0x00, 0xa8),
    Colour(0x8f, 0x0d, 0xa4),
    Colour(0xb1, 0x2a, 0x90),
    Colour(0xcc, 0x47, 0x78),
    Colour(0xe1, 0x64, 0x62),
    Colour(0xf2, 0x84, 0x4b),
    Colour(0xfc, 0xa6, 0x36),
    Colour(0xfc, 0xce, 0x25),
    Colour(0xf0, 0xf9, 0x21),
];

fn plasma(t: f64) -> Colour {
    let place = t * (PLASMA.len() - 1) as f64;
    let i = (place as usize).min(PLASMA.len() - 2);
    let (a, b, f) = (PLASMA[i], PLASMA[i + 1], place - i as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * f).round() as u8;
    Colour(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// Seven colours that people with any colour vision tell apart (Okabe and Ito, "Color universal
/// design", 2008), without the black and with a darker yellow that shows on white.
const SERIES: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xd5, 0x5e, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x56, 0xb4, 0xe9),
    Colour(0xb8, 0xa9, 0x20),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance and contrast as WCAG 2.1 defines them.
    fn contrast(a: Colour, b: Colour) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        let luminance =
            |c: Colour| 0.2126 * linear(c.0) + 0.7152 * linear(c.1) + 0.0722 * linear(c.2);
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn lines_and_writing_stand_out_on_every_ground() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = theme.palette();
            for ground in [palette.light, palette.dark] {
                for i in 0..=100 {
                    let line = theme.along(f64::from(i) / 100.0);
                    let ratio = contrast(line, ground);
                    assert!(ratio > 1.7, "{theme} {line} on {ground}: {ratio:.2}");
                }
                assert!(contrast(palette.text, ground) > 7.0);
            }
            assert!(contrast(palette.faint, palette.page) > 4.5);
        }
    }

    #[test]
    fn names_read_back() {
        for theme in [Theme::Light, Theme::Dark] {
            assert_eq!(theme.to_string().parse(), Ok(theme));
        }
        assert_eq!(
            "pink".parse::<Theme>().unwrap_err().to_string(),
            "'pink' is not a theme: expected light or dark"
        );
    }
}
