//! Lines and bars over linear and logarithmic axes, as SVG.
//!
//! The one file that knows the chart library (plotters, SVG back end alone): callers see plain
//! numbers.

mod number;

use std::fmt::Display;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thiserror::Error;

use crate::theme::{self, Theme};
use number::{short, superscript};

const SIZE: (u32, u32) = (860, 500);

/// How values become lengths on an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long. The axis includes 0.
    #[default]
    Linear,
    /// Equal ratios are equally long. Every value must be positive.
    Log,
}

/// One axis: its label and scale.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What is measured, with the unit.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Linear,
        }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Log,
        }
    }
}

/// The median of measurements, or a single value, with the least and the greatest measurement.
/// Where they differ, the chart shows the range as a thin line through the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The value of the mark or bar, usually a median.
    pub value: f64,
    /// The least measurement.
    pub least: f64,
    /// The greatest measurement.
    pub greatest: f64,
}

impl Measured {
    fn all(self) -> [f64; 3] {
        [self.value, self.least, self.greatest]
    }
}

impl From<f64> for Measured {
    /// A value without a range.
    fn from(value: f64) -> Self {
        Self {
            value,
            least: value,
            greatest: value,
        }
    }
}

/// Measurements that belong together: one line.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points as (x, y), in ascending x.
    pub points: Vec<(f64, Measured)>,
}

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Above the chart.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
}

/// What each of several threads did and when: a row a thread.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Above the chart.
    pub title: String,
    /// The axis of time.
    pub x: Axis,
    /// The intervals of each thread as (from, to), ascending.
    pub rows: Vec<Vec<(f64, f64)>>,
}

/// A chart of bars in groups.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Above the chart.
    pub title: String,
    /// The names of the groups, from left to right.
    pub groups: Vec<String>,
    /// The vertical axis.
    pub y: Axis,
    /// The bars: a name in the legend, and one value a group (`None` leaves a gap).
    pub series: Vec<(String, Vec<Option<Measured>>)>,
}

/// Numbers that make no chart.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ChartError {
    /// There is nothing to show.
    #[error("the chart '{0}' has no values")]
    Empty(String),
    /// A value that its axis cannot show.
    #[error("the chart '{chart}' cannot show {value} on its axis '{axis}': expected {expected}")]
    Value {
        /// The chart's title.
        chart: String,
        /// The axis' label.
        axis: String,
        /// The value as text.
        value: String,
        /// What the axis can show.
        expected: &'static str,
    },
    /// The chart library failed.
    #[error("the chart '{0}' could not be drawn: {1}")]
    Library(String, String),
}

/// Draws lines with a mark at every point.
///
/// # Errors
/// [`ChartError`] if there are no points or one does not fit its axis.
pub fn lines(chart: &Lines, theme: Theme) -> Result<String, ChartError> {
    let points = || chart.series.iter().flat_map(|s| &s.points);
    let x = Span::of(&chart.title, &chart.x, points().map(|p| p.0))?;
    let y = Span::of(&chart.title, &chart.y, points().flat_map(|p| p.1.all()))?;
    let mut svg = String::new();
    draw_lines(chart, theme, &x, &y, &mut svg).map_err(|e| library(&chart.title, e))?;
    Ok(svg)
}

/// Draws bars side by side in their groups.
///
/// # Errors
/// [`ChartError`] if there are no values or one does not fit the axis.
pub fn bars(chart: &Bars, theme: Theme) -> Result<String, ChartError> {
    let values = chart.series.iter().flat_map(|s| &s.1).flatten();
    let y = Span::of(&chart.title, &chart.y, values.flat_map(|v| v.all()))?;
    let mut svg = String::new();
    draw_bars(chart, theme, &y, &mut svg).map_err(|e| library(&chart.title, e))?;
    Ok(svg)
}

/// Draws a row for each thread, with its intervals in two alternating colours.
///
/// # Errors
/// [`ChartError`] if there are no intervals or one does not fit the axis.
pub fn timeline(chart: &Timeline, theme: Theme) -> Result<String, ChartError> {
    let ends = chart
        .rows
        .iter()
        .flatten()
        .flat_map(|&(from, to)| [from, to]);
    let x = Span::of(&chart.title, &chart.x, ends)?;
    let mut svg = String::new();
    draw_timeline(chart, theme, &x, &mut svg).map_err(|e| library(&chart.title, e))?;
    Ok(svg)
}

fn library(title: &str, error: impl Display) -> ChartError {
    ChartError::Library(title.to_owned(), error.to_string())
}

/// The part of an axis that is shown. Places are values, or their logarithms.
#[derive(Clone)]
struct Span {
    scale: Scale,
    from: f64,
    to: f64,
    ticks: Vec<f64>,
}

impl Span {
    fn of(chart: &str, axis: &Axis, values: impl Iterator<Item = f64>) -> Result<Self, ChartError> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            let (fits, expected) = match axis.scale {
                Scale::Linear => (value.is_finite(), "finite numbers"),
                Scale::Log => (value.is_finite() && value > 0.0, "positive numbers"),
            };
            if !fits {
                return Err(ChartError::Value {
                    chart: chart.to_owned(),
                    axis: axis.label.clone(),
                    value: value.to_string(),
                    expected,
                });
            }
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return Err(ChartError::Empty(chart.to_owned()));
        }
        Ok(match axis.scale {
            Scale::Linear => Self::linear(low.min(0.0), high.max(0.0)),
            Scale::Log => Self::log(low.log10(), high.log10()),
        })
    }

    fn linear(low: f64, high: f64) -> Self {
        let room = if high > low { high - low } else { 1.0 };
        let rough = room / 6.0;
        let unit = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|n| n * unit)
            .into_iter()
            .find(|&step| step >= rough)
            .unwrap_or(rough);
        let (first, last) = ((low / step).floor(), ((low + room) / step).ceil());
        let ticks = (first as i64..=last as i64).map(|i| i as f64 * step);
        Self {
            scale: Scale::Linear,
            from: first * step,
            to: last * step,
            ticks: ticks.collect(),
        }
    }

    /// Whole powers of ten, thinned if there are many; with 2 and 5 between them if there are few.
    fn log(low: f64, high: f64) -> Self {
        let (from, to) = ((low - 0.1).floor(), (high + 0.1).ceil());
        let decades = (to - from) as i64;
        let every = (decades as usize).div_ceil(9).max(1);
        let mut ticks = Vec::new();
        for power in (from as i64..=to as i64).step_by(every) {
            ticks.push(power as f64);
            if decades <= 2 && power < to as i64 {
                ticks.extend([2f64, 5.0].map(|n| power as f64 + n.log10()));
            }
        }
        Self {
            scale: Scale::Log,
            from,
            to,
            ticks,
        }
    }

    fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        }
    }

    fn label(&self, place: f64) -> String {
        match self.scale {
            Scale::Linear => short(place),
            // Over many decades, powers alone are easier to compare.
            Scale::Log if self.to - self.from > 4.0 && place.abs() > 3.5 => {
                format!("10{}", superscript(place.round() as i64))
            }
            Scale::Log => short(10f64.powf(place)),
        }
    }

    /// The value at which bars begin: 0, or at the lower end of a logarithmic axis.
    fn ground(&self) -> f64 {
        match self.scale {
            Scale::Linear => 0.0,
            Scale::Log => self.from,
        }
    }
}

impl Ranged for Span {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (low, high): (i32, i32)) -> i32 {
        let part = (place - self.from) / (self.to - self.from);
        low + (part * f64::from(high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Span {
    fn format(place: &f64) -> String {
        short(*place)
    }

    fn format_ext(&self, place: &f64) -> String {
        self.label(*place)
    }
}

fn rgb(c: theme::Colour) -> RGBColor {
    RGBColor(c.0, c.1, c.2)
}

fn series_colour(i: usize, theme: Theme) -> RGBColor {
    rgb(theme.series(i))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failure = DrawingAreaErrorKind<std::io::Error>;
type Plot<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Span, Span>>;

/// The page with its title and its legend, which is left out for a single series; and the area for
/// the plot.
fn page<'a>(
    area: &Area<'a>,
    title: &str,
    names: &[&str],
    theme: Theme,
) -> Result<Area<'a>, Failure> {
    let palette = theme.palette();
    area.fill(&rgb(palette.page))?;
    let font = |size: i32| ("system-ui, sans-serif", size).into_font();
    area.draw_text(title, &font(20).color(&rgb(palette.text)), (26, 20))?;
    if names.len() < 2 {
        return Ok(area.margin(58, 16, 16, 28));
    }
    let (mut x, mut y) = (32, 64);
    for (i, name) in names.iter().enumerate() {
        let width = 36 + 7 * name.chars().count() as i32;
        if x + width > SIZE.0 as i32 {
            (x, y) = (32, y + 20);
        }
        mark(area, theme, i, (x, y))?;
        area.draw_text(name, &font(13).color(&rgb(palette.text)), (x + 12, y - 6))?;
        x += width;
    }
    Ok(area.margin(y + 20, 16, 16, 28))
}

/// The axes with their grid.
fn plot<'a>(
    area: &Area<'a>,
    theme: Theme,
    (x, x_label): (&Span, &str),
    (y, y_label): (&Span, &str),
) -> Result<Plot<'a>, Failure> {
    let palette = theme.palette();
    let font = |size: i32| {
        ("system-ui, sans-serif", size)
            .into_font()
            .color(&rgb(palette.faint))
    };
    let mut plot = ChartBuilder::on(area)
        .set_label_area_size(LabelAreaPosition::Left, 76)
        .set_label_area_size(LabelAreaPosition::Bottom, 48)
        .build_cartesian_2d(x.clone(), y.clone())?;
    plot.configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(rgb(palette.edge).mix(0.45))
        .axis_style(rgb(palette.edge))
        .label_style(font(13))
        .axis_desc_style(font(14))
        .x_desc(x_label)
        .y_desc(y_label)
        .draw()?;
    Ok(plot)
}

/// A mark in the colour and the shape of series `i`: nobody needs the colour to tell two series
/// apart.
fn mark(area: &Area<'_>, theme: Theme, i: usize, (x, y): (i32, i32)) -> Result<(), Failure> {
    let fill = series_colour(i, theme).filled();
    match i % 4 {
        0 => area.draw(&Circle::new((x, y), 5, fill)),
        1 => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], fill)),
        2 => area.draw(&Polygon::new(
            vec![(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)],
            fill,
        )),
        _ => area.draw(&Polygon::new(
            vec![(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)],
            fill,
        )),
    }
}

/// The range of a measured value as a thin vertical line with ends, `across` pixels from the left.
fn range(
    root: &Area<'_>,
    theme: Theme,
    plot: &Plot<'_>,
    y: &Span,
    measured: Measured,
    across: i32,
) -> Result<(), Failure> {
    if measured.least >= measured.greatest {
        return Ok(());
    }
    let down = |value: f64| plot.backend_coord(&(0.0, y.place(value))).1;
    let (low, high) = (down(measured.least), down(measured.greatest));
    let style = rgb(theme.palette().text).stroke_width(1);
    let strokes = [
        [(across, low), (across, high)],
        [(across - 4, low), (across + 4, low)],
        [(across - 4, high), (across + 4, high)],
    ];
    for stroke in strokes {
        root.draw(&PathElement::new(stroke.to_vec(), style))?;
    }
    Ok(())
}

fn draw_lines(
    chart: &Lines,
    theme: Theme,
    x: &Span,
    y: &Span,
    svg: &mut String,
) -> Result<(), Failure> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let names: Vec<_> = chart.series.iter().map(|s| s.name.as_str()).collect();
    let area = page(&root, &chart.title, &names, theme)?;
    let plot = plot(&area, theme, (x, &chart.x.label), (y, &chart.y.label))?;
    for (i, series) in chart.series.iter().enumerate() {
        let pixels: Vec<_> = (series.points.iter())
            .map(|&(px, py)| plot.backend_coord(&(x.place(px), y.place(py.value))))
            .collect();
        for (&(_, measured), &(across, _)) in series.points.iter().zip(&pixels) {
            range(&root, theme, &plot, y, measured, across)?;
        }
        root.draw(&PathElement::new(
            pixels.clone(),
            series_colour(i, theme).stroke_width(2),
        ))?;
        for pixel in pixels {
            mark(&root, theme, i, pixel)?;
        }
    }
    root.present()
}

fn draw_bars(chart: &Bars, theme: Theme, y: &Span, svg: &mut String) -> Result<(), Failure> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let names: Vec<_> = chart.series.iter().map(|s| s.0.as_str()).collect();
    let area = page(&root, &chart.title, &names, theme)?;
    let groups = Span {
        scale: Scale::Linear,
        from: 0.0,
        to: chart.groups.len() as f64,
        ticks: Vec::new(),
    };
    let plot = plot(&area, theme, (&groups, ""), (y, &chart.y.label))?;
    let base = y.ground();
    let width = 0.76 / chart.series.len() as f64;
    let style = ("system-ui, sans-serif", 13)
        .into_font()
        .color(&rgb(theme.palette().text))
        .pos(Pos::new(HPos::Center, VPos::Top));
    for (g, group) in chart.groups.iter().enumerate() {
        for (i, (_, values)) in chart.series.iter().enumerate() {
            let Some(value) = values.get(g).copied().flatten() else {
                continue;
            };
            let left = g as f64 + 0.12 + width * i as f64;
            let top = plot.backend_coord(&(left + width * 0.04, y.place(value.value)));
            let foot = plot.backend_coord(&(left + width * 0.96, base));
            root.draw(&Rectangle::new(
                [top, foot],
                series_colour(i, theme).filled(),
            ))?;
            range(&root, theme, &plot, y, value, (top.0 + foot.0) / 2)?;
        }
        let (gx, gy) = plot.backend_coord(&(g as f64 + 0.5, y.from));
        root.draw_text(group, &style, (gx, gy + 10))?;
    }
    root.present()
}

fn draw_timeline(
    chart: &Timeline,
    theme: Theme,
    x: &Span,
    svg: &mut String,
) -> Result<(), Failure> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let area = page(&root, &chart.title, &[], theme)?;
    let rows = Span {
        scale: Scale::Linear,
        from: 0.0,
        to: chart.rows.len() as f64,
        ticks: Vec::new(),
    };
    let plot = plot(&area, theme, (x, &chart.x.label), (&rows, "thread"))?;
    let style = ("system-ui, sans-serif", 13)
        .into_font()
        .color(&rgb(theme.palette().text))
        .pos(Pos::new(HPos::Right, VPos::Center));
    for (row, intervals) in chart.rows.iter().enumerate() {
        let middle = (chart.rows.len() - row) as f64 - 0.5;
        let (left, down) = plot.backend_coord(&(x.from, middle));
        root.draw_text(&row.to_string(), &style, (left - 10, down))?;
        for (i, &(from, to)) in intervals.iter().enumerate() {
            let corner = |time, height| plot.backend_coord(&(x.place(time), middle + height));
            let fill = series_colour(i % 2, theme).filled();
            root.draw(&Rectangle::new([corner(from, 0.4), corner(to, -0.4)], fill))?;
        }
    }
    root.present()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(x: Axis, y: Axis, points: &[(f64, f64)]) -> Lines {
        Lines {
            title: "Times".into(),
            x,
            y,
            series: vec![Series {
                name: "serial".into(),
                points: points.iter().map(|&(x, y)| (x, y.into())).collect(),
            }],
        }
    }

    #[test]
    fn ranges_are_drawn_and_fit_the_axis() {
        let mut chart = one(Axis::linear("n"), Axis::log("seconds"), &[(1.0, 2.0)]);
        let without = lines(&chart, Theme::Light).unwrap();
        chart.series[0].points[0].1 = Measured {
            value: 2.0,
            least: 1.5,
            greatest: 300.0,
        };
        let with = lines(&chart, Theme::Light).unwrap();
        let strokes = |svg: &str| svg.matches("<polyline").count();
        assert_eq!(strokes(&with), strokes(&without) + 3);
        let greatest_label = |svg: &str| svg.lines().any(|line| line == "1000");
        assert!(greatest_label(&with) && !greatest_label(&without), "{with}");
        let bar = |value| Bars {
            title: "Bars".into(),
            groups: vec!["a".into()],
            y: Axis::linear("seconds"),
            series: vec![("one".into(), vec![Some(value)])],
        };
        let plain = bars(&bar(2.0.into()), Theme::Dark).unwrap();
        // A range within the bar leaves the axis and its grid as they are.
        let within = Measured {
            value: 2.0,
            least: 1.5,
            greatest: 2.0,
        };
        let ranged = bars(&bar(within), Theme::Dark).unwrap();
        assert_eq!(strokes(&ranged), strokes(&plain) + 3);
    }

    #[test]
    fn a_timeline_has_a_bar_for_each_interval() {
        let chart = Timeline {
            title: "Two threads".into(),
            x: Axis::linear("seconds"),
            rows: vec![vec![(0.0, 1.0), (1.0, 3.0)], vec![(0.0, 2.0)], vec![]],
        };
        let svg = timeline(&chart, Theme::Light).unwrap();
        // The background is a rectangle, too.
        assert_eq!(svg.matches("<rect").count(), 4, "{svg}");
        let empty = Timeline {
            rows: vec![],
            ..chart
        };
        assert!(timeline(&empty, Theme::Light).is_err());
    }

    #[test]
    fn axes_hold_their_values() {
        for values in [vec![3.0], vec![0.0, 1e-6], vec![-5.0, 5.0], vec![1e9, 2e9]] {
            let span = Span::of("c", &Axis::linear("v"), values.iter().copied()).unwrap();
            assert!(values.iter().all(|&v| span.from <= v && v <= span.to));
            assert!((2..=12).contains(&span.ticks.len()), "{:?}", span.ticks);
        }
        for values in [
            vec![3.0],
            vec![1e-5, 1e9],
            vec![1.0, 1.1],
            vec![1e-300, 1e300],
        ] {
            let span = Span::of("c", &Axis::log("v"), values.iter().copied()).unwrap();
            assert!((values.iter()).all(|v| (span.from..=span.to).contains(&v.log10())));
            assert!((2..=12).contains(&span.ticks.len()), "{:?}", span.ticks);
        }
    }

    #[test]
    fn what_makes_no_chart_is_said() {
        let log = || Axis::log("seconds");
        let empty = lines(&one(log(), log(), &[]), Theme::Light).unwrap_err();
        assert_eq!(empty.to_string(), "the chart 'Times' has no values");
        let zero = lines(&one(Axis::linear("n"), log(), &[(1.0, 0.0)]), Theme::Light);
        assert_eq!(
            zero.unwrap_err().to_string(),
            "the chart 'Times' cannot show 0 on its axis 'seconds': expected positive numbers"
        );
    }

    #[test]
    fn titles_are_escaped() {
        let mut chart = one(Axis::linear("a"), Axis::linear("b"), &[(1.0, 2.0)]);
        chart.title = "m<n & more".into();
        let svg = lines(&chart, Theme::Dark).unwrap();
        assert!(svg.contains("m&lt;n &amp; more"), "{svg}");
    }
}
