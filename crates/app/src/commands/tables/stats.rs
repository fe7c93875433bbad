//! `everymove tables stats`: what a table holds.

use everymove_tables::Material;
use everymove_tables::notable::notable;
use everymove_tables::stats::{Counting, stats};

use super::{Source, counts, failure};
use crate::answer::{Answer, Outcome, grouped};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables stats`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The ending, for example KRBvKR
    #[arg(value_name = "MATERIAL")]
    material: String,
    #[command(flatten)]
    source: Source,
    /// What is counted: positions, classes (up to symmetry), or labelled (classes with men of a kind told apart, as the published
    /// Syzygy statistics count)
    #[arg(long, value_name = "WHAT", default_value = "positions")]
    count: String,
    /// Positions to name of each sort
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let material: Material = args.material.parse().map_err(Failure::input)?;
    let counting = match args.count.as_str() {
        "positions" => Counting::Positions,
        "classes" => Counting::Classes,
        "labelled" => Counting::Labelled,
        other => {
            return Err(Failure::Input(format!(
                "cannot count '{other}': expected positions, classes or labelled"
            )));
        }
    };
    let tables = args.source.open(&material)?;
    let metric = tables.metric();
    let fail = |e| failure(e);
    let stats = session
        .work(|run| stats(&material, &tables, counting, run))
        .map_err(fail)?;
    let notable = session
        .work(|run| notable(&material, &tables, args.examples, run))
        .map_err(fail)?;
    let mut text = counts::text(&stats, metric);
    let mut list = |title: String, fens: &[String]| {
        text += &format!("{title}\n");
        text.extend(fens.iter().map(|fen| format!("  {fen}\n")));
    };
    list("longest wins:".to_owned(), &notable.longest_wins);
    list(
        format!(
            "mutual zugzwangs up to symmetry: {}",
            grouped(notable.zugzwangs)
        ),
        &notable.zugzwang_examples,
    );
    Answer::new("tables stats", Outcome::Yes)
        .field("material", material.to_string())
        .field("metric", metric.to_string())
        .field("counting", args.count.as_str())
        .field("white_to_move", counts::object(&stats.white, metric))
        .field("black_to_move", counts::object(&stats.black, metric))
        .field("white_histogram", counts::histogram(&stats.white))
        .field("black_histogram", counts::histogram(&stats.black))
        .field("longest_wins", notable.longest_wins)
        .field("mutual_zugzwangs", notable.zugzwangs)
        .field("zugzwang_examples", notable.zugzwang_examples)
        .bare(text.as_str())
        .text(text.as_str())
        .show(session)
}
