//! A walk that draws itself, in SMIL: it runs in every browser that opens the file, without script.
//! Viewers that do not animate show the whole walk.

use std::fmt::Write;

use super::{MAX_ANIMATED, Style, Walk, board, centre, line, picture, title};

/// Seconds for which the finished walk is shown before the animation starts again.
const PAUSE: f64 = 2.5;

/// A walk as an animation of `seconds` for the whole way, repeated for ever; walks longer than
/// [`MAX_ANIMATED`] come out as a still [`picture`].
///
/// # Panics
/// If a square is outside the grid, or `seconds` is not positive.
pub fn animation(walk: &Walk<'_>, style: &Style, seconds: f64) -> String {
    assert!(seconds > 0.0, "an animation takes time");
    let count = line::segments(walk);
    if count == 0 || walk.order.len() > MAX_ANIMATED {
        return picture(walk, style);
    }
    let frame = board::Frame::of(walk.grid);
    let clock = Clock {
        step: seconds / count as f64,
        total: seconds + PAUSE,
    };
    let mut out = String::new();
    frame.open(&mut out, style.theme, &title(walk));
    board::squares(&mut out, walk, style.theme, &frame);
    segments(&mut out, walk, style, &clock);
    line::ends(&mut out, walk, style.theme);
    piece(&mut out, walk, style, &clock);
    frame.close(&mut out);
    out
}

struct Clock {
    /// Seconds a segment.
    step: f64,
    /// Seconds a round, with the pause.
    total: f64,
}

impl Clock {
    /// When step `i` begins, as a part of the round.
    fn part(&self, i: usize) -> f64 {
        i as f64 * self.step / self.total
    }
}

fn segments(out: &mut String, walk: &Walk<'_>, style: &Style, clock: &Clock) {
    let count = line::segments(walk);
    let _ = writeln!(
        out,
        "<g fill=\"none\" stroke-linecap=\"round\" stroke-width=\"{}\">",
        line::LINE_WIDTH
    );
    for i in 0..count {
        let (a, b) = line::segment(walk, i);
        let ((x, y), (u, v)) = (centre(walk.grid, a), centre(walk.grid, b));
        let (from, to) = (clock.part(i), clock.part(i + 1));
        // A segment not yet reached is invisible; a dash of the whole length slides in when its
        // time comes.
        let _ = writeln!(
            out,
            "<path stroke=\"{}\" d=\"M{x} {y}L{u} {v}\" pathLength=\"1\" stroke-dasharray=\"1 1\">\
             <animate attributeName=\"stroke-dashoffset\" values=\"1;1;0;0\" \
             keyTimes=\"0;{from:.5};{to:.5};1\" dur=\"{total:.2}s\" repeatCount=\"indefinite\"/>\
             <animate attributeName=\"opacity\" values=\"0;1\" keyTimes=\"0;{from:.5}\" \
             calcMode=\"discrete\" dur=\"{total:.2}s\" repeatCount=\"indefinite\"/></path>",
            line::colour(style.theme, i, count),
            total = clock.total,
        );
    }
    out.push_str("</g>\n");
}

/// The piece that walks ahead of the line.
fn piece(out: &mut String, walk: &Walk<'_>, style: &Style, clock: &Clock) {
    let count = line::segments(walk);
    let palette = style.theme.palette();
    let (mut places, mut times) = (String::new(), String::new());
    for i in 0..=count {
        let (x, y) = centre(walk.grid, walk.order[i % walk.order.len()]);
        let _ = write!(places, "{x} {y};");
        let _ = write!(times, "{:.5};", clock.part(i));
    }
    let (x, y) = centre(walk.grid, walk.order[count % walk.order.len()]);
    let _ = writeln!(
        out,
        "<circle r=\"27\" fill=\"{}\" stroke=\"{}\" stroke-width=\"10\" \
         transform=\"translate({x} {y})\">\
         <animateTransform attributeName=\"transform\" type=\"translate\" values=\"{places}{x} {y}\" \
         keyTimes=\"{times}1\" dur=\"{:.2}s\" repeatCount=\"indefinite\"/></circle>",
        palette.text, palette.light, clock.total,
    );
}
