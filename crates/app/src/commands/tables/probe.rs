//! `everymove tables probe`: a position's value and its moves.

use everymove_tables::probe::{material_of, read_position};
use everymove_tables::{Metric, Value};
use serde_json::json;

use super::{Source, counts, failure};
use crate::answer::{Answer, Verdict};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables probe`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The position
    #[arg(value_name = "FEN")]
    fen: String,
    #[command(flatten)]
    source: Source,
    /// Show the best play of both sides to the end
    #[arg(long)]
    line: bool,
}

/// Longer lines are of no use to anybody.
const LONGEST_LINE: usize = 2000;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Verdict, Failure> {
    let fail = |e| failure(e, session);
    let position = read_position(&args.fen).map_err(fail)?;
    let material = material_of(&position).map_err(fail)?;
    let tables = args.source.open(&material)?;
    let metric = tables.metric();
    let probed = tables.probe(&position).map_err(fail)?;
    let unit = match metric {
        Metric::Mate => "dtm",
        Metric::Zeroing => "dtz",
    };
    let words = |value: Value| match value.plies() {
        Some(plies) => format!(
            "{}, {plies} plies to {}",
            value.word(metric),
            counts::goal(metric)
        ),
        None => value.word(metric).to_owned(),
    };
    let mut text = format!("{}\n", words(probed.value));
    for choice in &probed.moves {
        text += &format!("  {:8} {}\n", choice.san, words(choice.value));
    }
    let moves: Vec<_> = (probed.moves.iter())
        .map(|choice| {
            json!({
                "uci": choice.uci,
                "san": choice.san,
                "value": choice.value.word(metric),
                "distance": choice.value.plies(),
            })
        })
        .collect();
    let mut answer = Answer::new("tables probe", Verdict::Yes)
        .field("material", material.to_string())
        .field("metric", metric.to_string())
        .field("value", probed.value.word(metric))
        .field(unit, probed.value.plies())
        .field("moves", moves);
    if args.line {
        let line = tables.line(&position, LONGEST_LINE).map_err(fail)?;
        let sans: Vec<_> = line.iter().map(|choice| choice.san.as_str()).collect();
        text += &format!("{}\n", sans.join(" "));
        answer = answer.field("line", sans);
    }
    answer
        .bare(format!("{}\n", words(probed.value)))
        .text(text)
        .show(session)
}
