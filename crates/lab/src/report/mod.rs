//! What an experiment found.

mod csv;
mod html;
mod text;

use everymove_draw::chart;
use everymove_draw::chart::{Bars, ChartError, Lines, Measured, Timeline};
use everymove_draw::theme::Theme;
use everymove_kernel::machine;
use everymove_kernel::run::Bytes;
use everymove_kernel::text::grouped;

pub(crate) use html::document;

/// What an experiment found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The experiment's name.
    pub name: &'static str,
    /// What it asked, as a headline.
    pub title: String,
    /// Paragraphs for the reader, before everything else.
    pub notes: Vec<String>,
    /// Tables and charts in the order of reading.
    pub sections: Vec<Section>,
    /// Results that are known from elsewhere.
    pub checks: Vec<Check>,
}

/// A table or a chart.
#[derive(Clone, Debug)]
pub enum Section {
    /// Numbers.
    Table(Table),
    /// Lines; the text names the file.
    Lines(&'static str, Lines),
    /// Bars; the text names the file.
    Bars(&'static str, Bars),
    /// What threads did; the text names the file.
    Timeline(&'static str, Timeline),
}

impl Section {
    /// The name and the picture of a chart; none of a table.
    pub fn chart(&self, theme: Theme) -> Option<(&'static str, Result<String, ChartError>)> {
        match self {
            Self::Table(_) => None,
            Self::Lines(name, lines) => Some((name, chart::lines(lines, theme))),
            Self::Bars(name, bars) => Some((name, chart::bars(bars, theme))),
            Self::Timeline(name, timeline) => Some((name, chart::timeline(timeline, theme))),
        }
    }

    /// The picture of a chart in both themes; none of a table.
    fn both(&self) -> Result<Option<Both>, ChartError> {
        let of = |theme| self.chart(theme).map(|(_, svg)| svg).transpose();
        let (light, dark) = (of(Theme::Light)?, of(Theme::Dark)?);
        Ok(light.zip(dark).map(|(light, dark)| Both { light, dark }))
    }
}

/// Numbers in rows.
#[derive(Clone, Debug)]
pub struct Table {
    /// Names the file.
    pub name: &'static str,
    /// Above the table.
    pub title: String,
    /// The heads of the columns.
    pub head: Vec<&'static str>,
    /// As many cells a row as there are heads.
    pub rows: Vec<Vec<Cell>>,
}

/// One thing in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A whole number of any size, in digits.
    Count(String),
    /// Seconds.
    Seconds(f64),
    /// Seconds of repeated runs.
    Times(Measured),
    /// How many times something is another.
    Ratio(f64),
    /// The same of repeated runs.
    Ratios(Measured),
    /// Nothing to show.
    Empty,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A whole number.
    pub fn count(number: impl ToString) -> Self {
        Self::Count(number.to_string())
    }
}

/// A result beside what is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was found out.
    pub what: String,
    /// What this run says.
    pub found: String,
    /// What is known.
    pub known: String,
    /// Who says so.
    pub source: String,
}

impl Check {
    /// Whether the two are the same.
    pub fn agrees(&self) -> bool {
        self.found == self.known
    }
}

/// Where and with what a report was made: enough to compare it with another, nothing about the
/// person.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The processor as its maker names it.
    pub processor: String,
    /// Threads that can run at the same time.
    pub cores: usize,
    /// Memory of the machine.
    pub memory: String,
    /// Operating system and architecture.
    pub system: String,
    /// The program's version.
    pub version: String,
    /// The commit it was built from.
    pub commit: String,
    /// The command that makes the report again.
    pub command: String,
}

impl Setting {
    /// This machine, with what only the program knows.
    pub fn here(version: &str, commit: &str, command: String) -> Self {
        let unknown = || "unknown".to_owned();
        Self {
            processor: machine::processor().unwrap_or_else(unknown),
            cores: machine::cores(),
            memory: machine::memory_bytes().map_or_else(unknown, |b| Bytes(b).to_string()),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            version: version.to_owned(),
            commit: commit.to_owned(),
            command,
        }
    }

    fn fields(&self) -> [(&'static str, String); 7] {
        [
            ("command", self.command.clone()),
            ("version", self.version.clone()),
            ("commit", self.commit.clone()),
            ("processor", self.processor.clone()),
            ("cores", self.cores.to_string()),
            ("memory", self.memory.clone()),
            ("system", self.system.clone()),
        ]
    }
}

/// A file of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its plain name.
    pub name: String,
    /// What it holds.
    pub text: String,
}

impl Report {
    /// For the terminal.
    pub fn text(&self) -> String {
        text::report(self)
    }

    /// All files: a CSV a table, an SVG a chart, and one HTML page that holds everything.
    ///
    /// # Errors
    /// [`ChartError`] if a chart has values that it cannot show.
    pub fn files(&self, setting: &Setting) -> Result<Vec<File>, ChartError> {
        let mut files = Vec::new();
        let mut charts = Vec::new();
        for section in &self.sections {
            let (ending, name, text) = match (section, section.chart(Theme::Light)) {
                (Section::Table(table), _) => ("csv", table.name, csv::table(table)),
                (_, Some((name, svg))) => ("svg", name, svg?),
                (_, None) => continue,
            };
            charts.extend(section.both()?);
            files.push(File {
                name: format!("{}-{name}.{ending}", self.name),
                text,
            });
        }
        files.push(File {
            name: format!("{}.html", self.name),
            text: html::page(self, setting, &charts),
        });
        Ok(files)
    }
}

/// A report in a line of the page that lists the reports of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The experiment's name.
    pub name: String,
    /// Its headline.
    pub title: String,
    /// Results that are known from elsewhere.
    pub checks: usize,
    /// How many of them agree.
    pub agree: usize,
    /// The first of these results; may be empty.
    pub finding: String,
}

/// A page that shows what several reports found: a summary first, then of each of `reports` what it
/// asked, its first chart and table, and a link to the whole.
///
/// # Errors
/// [`ChartError`] if a chart has values that it cannot show.
pub fn index(
    summaries: &[Summary],
    reports: &[Report],
    setting: &Setting,
) -> Result<String, ChartError> {
    let first = |report: &Report| {
        let mut charts = report.sections.iter().map(Section::both);
        charts.find_map(Result::transpose).transpose()
    };
    let charts: Vec<_> = reports.iter().map(first).collect::<Result<_, _>>()?;
    Ok(html::index(summaries, reports, setting, &charts))
}

/// A chart in both themes.
pub(crate) struct Both {
    light: String,
    dark: String,
}

impl Both {
    pub(crate) fn of(
        draw: impl Fn(Theme) -> Result<String, ChartError>,
    ) -> Result<Self, ChartError> {
        Ok(Self {
            light: draw(Theme::Light)?,
            dark: draw(Theme::Dark)?,
        })
    }
}

/// Seconds as people read them: `950 ns`, `12.3 µs`, `1.50 s`.
fn seconds(value: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let (unit, name) = *units
        .iter()
        .find(|(unit, _)| value >= *unit)
        .unwrap_or(&units[3]);
    let digits = match value / unit {
        n if n >= 100.0 => 0,
        n if n >= 10.0 => 1,
        _ => 2,
    };
    format!("{:.digits$} {name}", value / unit)
}

/// A cell for people.
pub fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(digits) => grouped(digits),
        Cell::Seconds(value) => seconds(*value),
        Cell::Times(times) if times.least < times.greatest => format!(
            "{} ({} to {})",
            seconds(times.value),
            seconds(times.least),
            seconds(times.greatest)
        ),
        Cell::Times(times) => seconds(times.value),
        Cell::Ratio(value) => format!("{value:.2}x"),
        Cell::Ratios(r) if r.least < r.greatest => {
            format!("{:.2}x ({:.2} to {:.2})", r.value, r.least, r.greatest)
        }
        Cell::Ratios(r) => format!("{:.2}x", r.value),
        Cell::Empty => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_for_people() {
        let texts = [1.5, 0.0123, 45.6e-6, 3e-9, 0.0, 123.4].map(seconds);
        assert_eq!(
            texts,
            [
                "1.50 s", "12.3 ms", "45.6 µs", "3.00 ns", "0.00 ns", "123 s"
            ]
        );
        assert_eq!(shown(&Cell::count(1_234_567)), "1,234,567");
        assert_eq!(shown(&Cell::Ratio(1.987)), "1.99x");
        let times = Measured {
            value: 0.25,
            least: 0.125,
            greatest: 1.5,
        };
        assert_eq!(shown(&Cell::Times(times)), "250 ms (125 ms to 1.50 s)");
        assert_eq!(shown(&Cell::Times(2.0.into())), "2.00 s");
    }
}
