//! `tables stats`: counts, longest wins and mutual zugzwangs of a table.

use std::path::{Path, PathBuf};

use everymove_kernel::run::Run;
use everymove_kernel::text::grouped;
use everymove_tables::notable::notable;
use everymove_tables::stats::stats;
use everymove_tables::{Material, Source, Tablebase, Tables, Wanted, search_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::{self, Histogram, SideCounts, lines};
use super::error::advise;
use super::fairy::{FairyRequest, folder_of, is_fairy_file, stats_answer};
use super::pages::PagesRequest;
use super::source::{Metric, SourceRequest, check_material, folder_with, material};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::site::Site;
use crate::terminal::{Ended, OnTerminal, Screen, Shown, Text, ask, under_display, write_answer};

/// What is counted.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Counting {
    /// Every position
    #[default]
    Positions,
    /// Positions up to symmetry
    Classes,
    /// Positions up to symmetry, with like pieces told apart, as the published Syzygy statistics
    /// count
    Labelled,
}

/// Counts, longest wins and mutual zugzwangs of a table.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct StatsRequest {
    /// The ending, for example KRBvKR, or a table file (.dtm, .dtz, .dtm50, .dtc, .fairy)
    pub material: String,
    /// Where the table is.
    #[command(flatten)]
    #[serde(flatten)]
    pub source: SourceRequest,
    /// What is counted [default: positions]
    #[arg(long, value_name = "WHAT")]
    pub count: Option<Counting>,
    /// How many positions of each kind are listed [default: 3]
    #[arg(long, value_name = "N")]
    pub number: Option<usize>,
    /// Pieces by their moves, other boards and other rules.
    #[command(flatten)]
    #[serde(flatten)]
    pub fairy: FairyRequest,
}

/// The checked request.
#[derive(Clone, Debug)]
pub struct StatsPlan {
    table: Table,
    counting: Counting,
    examples: usize,
}

#[derive(Clone, Debug)]
enum Table {
    File(PathBuf),
    Ending(PathBuf, Material, Wanted),
    FairyFile(PathBuf),
    Fairy(PathBuf, Box<everymove_fairy::Ending>),
}

/// What a table holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatsAnswer {
    /// The ending.
    pub material: String,
    /// The board, files x ranks, of pieces by their moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// What the distances count.
    pub metric: Metric,
    /// What is counted.
    pub counting: Counting,
    /// Counts with White to move.
    pub white_to_move: SideCounts,
    /// Counts with Black to move.
    pub black_to_move: SideCounts,
    /// Distances with White to move.
    pub white_histogram: Histogram,
    /// Distances with Black to move.
    pub black_histogram: Histogram,
    /// Positions of the longest wins, as FEN.
    pub longest_wins: Vec<String>,
    /// Number of mutual zugzwangs: up to symmetry; of pieces by their moves, every placement.
    pub mutual_zugzwangs: u64,
    /// Some of them, as FEN, with the side to move that loses.
    pub zugzwang_examples: Vec<String>,
}

impl Request for StatsRequest {
    const COMMAND: &'static str = "tables stats";
    const IS_SERVED: bool = true;
    type Plan = StatsPlan;
    type Answer = StatsAnswer;

    fn restrict(&mut self, site: &Site) -> Result<(), Error> {
        if self.fairy.is_given() {
            self.fairy.ending(&self.material, self.source.metric)?;
        } else {
            check_material(&self.material)?;
        }
        self.source.restrict(site)
    }

    fn plan(&self) -> Result<StatsPlan, Error> {
        let path = Path::new(&self.material);
        let extension = path.extension().and_then(|e| e.to_str());
        let table = match extension {
            Some("dtm" | "dtz" | "dtm50" | "dtc") => Table::File(path.to_owned()),
            Some("rtbw" | "rtbz") => {
                let line = format!(
                    "{} is a Syzygy file, which has no exact distances to count: convert it to a .dtz table first",
                    self.material
                );
                return Err(Error::message(Some("material"), line));
            }
            _ if is_fairy_file(path) => Table::FairyFile(path.to_owned()),
            _ if self.fairy.is_given() => {
                if self.count.is_some_and(|count| count != Counting::Positions) {
                    let line = "of pieces by their moves, positions are counted";
                    return Err(Error::message(Some("count"), line));
                }
                let ending = self.fairy.ending(&self.material, self.source.metric)?;
                Table::Fairy(self.source.folder(), Box::new(ending))
            }
            _ => {
                let material = material(&self.material)?;
                let source = &self.source;
                Table::Ending(source.folder(), material, source.wanted())
            }
        };
        Ok(StatsPlan {
            table,
            counting: self.count.unwrap_or_default(),
            examples: self.number.unwrap_or(3),
        })
    }

    fn run(plan: &StatsPlan, run: &Run) -> Result<StatsAnswer, Error> {
        let (tables, material) = match &plan.table {
            Table::FairyFile(path) => {
                return stats_answer(&everymove_fairy::store::open_file(path)?, run);
            }
            Table::Fairy(path, ending) => {
                let folder = folder_of(ending, path);
                return stats_answer(&everymove_fairy::store::open(ending, &folder)?, run);
            }
            Table::File(path) => Tables::beside(path)?,
            Table::Ending(folder, material, wanted) => {
                let folders = search_path(folder);
                let (tables, _) = Tablebase::open(&folders, &[]);
                let metric = match tables.source_of(material, *wanted) {
                    Source::Own(metric) => metric,
                    Source::Syzygy => everymove_tables::Metric::Mate,
                };
                let folder = folder_with(folder, material, &[metric])?;
                (Tables::new(folder, metric), material.clone())
            }
        };
        let counting = match plan.counting {
            Counting::Positions => everymove_tables::stats::Counting::Positions,
            Counting::Classes => everymove_tables::stats::Counting::Classes,
            Counting::Labelled => everymove_tables::stats::Counting::Labelled,
        };
        let metric = tables.metric();
        let stats = stats(&material, &tables, counting, run)?;
        let notable = notable(&material, &tables, plan.examples, run)?;
        Ok(StatsAnswer {
            material: material.to_string(),
            board: None,
            metric: metric.into(),
            counting: plan.counting,
            white_to_move: SideCounts::new(&stats.white, metric),
            black_to_move: SideCounts::new(&stats.black, metric),
            white_histogram: Histogram::new(&stats.white),
            black_histogram: Histogram::new(&stats.black),
            longest_wins: notable.longest_wins,
            mutual_zugzwangs: notable.zugzwangs,
            zugzwang_examples: notable.zugzwang_examples,
        })
    }
}

impl Answer for StatsAnswer {}

/// What else can be asked of the counts.
#[derive(Debug, clap::Args)]
pub struct StatsView {
    /// Write a page for each ending and one that lists them into this directory; in place of an
    /// ending a directory of tables may be given
    #[arg(long, value_name = "DIR", conflicts_with_all = ["count", "metric"])]
    html: Option<PathBuf>,
}

impl OnTerminal for StatsRequest {
    type View = StatsView;

    fn show(_: &StatsPlan, answer: &StatsAnswer, _: &StatsView) -> Result<Shown, Error> {
        let (white, black) = (&answer.white_to_move, &answer.black_to_move);
        let mut text = counts::text(white, black, answer.metric);
        let mut list = |title: String, fens: &[String]| {
            text += &format!("{title}\n");
            text.extend(fens.iter().map(|fen| format!("  {fen}\n")));
        };
        list("longest wins:".to_owned(), &answer.longest_wins);
        let zugzwangs = grouped(answer.mutual_zugzwangs);
        let title = match &answer.board {
            None => format!("mutual zugzwangs up to symmetry: {zugzwangs}"),
            Some(_) => format!("mutual zugzwangs: {zugzwangs}"),
        };
        list(title, &answer.zugzwang_examples);
        Ok(Text::same(text).into())
    }

    fn advise(&self, error: Error) -> Error {
        advise(error, "")
    }

    fn ask(self, view: StatsView, screen: &dyn Screen) -> Result<Ended, Error> {
        let Some(out) = view.html else {
            return ask(self, view, screen);
        };
        let request = PagesRequest {
            material: self.material,
            tables: self.source.tables,
            number: self.number,
            out,
        };
        let plan = request.plan()?;
        let answer = under_display(screen, |run| PagesRequest::run(&plan, run));
        let answer = answer.map_err(|error| advise(error, ""))?;
        let files = answer.files.iter();
        let text = Text {
            bare: lines(&answer.files),
            full: files.map(|file| format!("wrote {file}\n")).collect(),
        };
        write_answer::<PagesRequest>(&answer, &text, screen)
    }
}
