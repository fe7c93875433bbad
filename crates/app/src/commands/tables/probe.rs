//! `everymove tables probe`: a position's value and its moves.

use everymove_tables::probe::{material_of, read_position};
use everymove_tables::syzygy::SyzygyFolder;
use everymove_tables::{Choice, Material, Metric, Probed, TableError, Tables, Value};
use serde_json::json;
use shakmaty::Chess;

use super::{Source, counts, failure};
use crate::answer::{Answer, Outcome};
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
    /// Look into Syzygy files, even where there is a table of our own [default: only where there is none]
    #[arg(long, conflicts_with = "metric")]
    syzygy: bool,
    /// Show the best play of both sides to the end
    #[arg(long)]
    line: bool,
}

/// The tables that have the ending.
enum Found {
    Own(Tables),
    Syzygy(SyzygyFolder),
}

impl Found {
    /// Our own tables are exact to the ply, so that Syzygy files are asked only for or where there are none.
    fn new(args: &Args, material: &Material) -> Result<Self, Failure> {
        let own = args.source.open(material)?;
        let syzygy = SyzygyFolder::new(&args.source.tables);
        let other = args.source.metric.is_none() && !own.has(material) && syzygy.has(material);
        Ok(if args.syzygy || other {
            Self::Syzygy(syzygy)
        } else {
            Self::Own(own)
        })
    }

    fn metric(&self) -> Metric {
        match self {
            Self::Own(tables) => tables.metric(),
            Self::Syzygy(_) => Metric::Zeroing,
        }
    }

    /// The name of the kind of tables.
    fn name(&self) -> &'static str {
        match self {
            Self::Own(tables) => tables.metric().extension(),
            Self::Syzygy(_) => "syzygy",
        }
    }

    fn probe(&self, position: &Chess) -> Result<Probed, TableError> {
        match self {
            Self::Own(tables) => tables.probe(position),
            Self::Syzygy(folder) => folder.probe(position),
        }
    }

    fn line(&self, position: &Chess) -> Result<Vec<Choice>, TableError> {
        match self {
            Self::Own(tables) => tables.line(position, LONGEST_LINE),
            Self::Syzygy(folder) => folder.line(position, LONGEST_LINE),
        }
    }
}

/// Longer lines are of no use to anybody.
const LONGEST_LINE: usize = 2000;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let fail = |e| failure(e);
    let position = read_position(&args.fen).map_err(fail)?;
    let material = material_of(&position).map_err(fail)?;
    let tables = Found::new(args, &material)?;
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
    if matches!(tables, Found::Syzygy(_)) && probed.value != Value::Draw {
        text += "  from Syzygy files, which tell moves: it may take a ply more\n";
    }
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
    let mut answer = Answer::new("tables probe", Outcome::Yes)
        .field("material", material.to_string())
        .field("metric", metric.to_string())
        .field("tables", tables.name())
        .field("value", probed.value.word(metric))
        .field(unit, probed.value.plies())
        .field("moves", moves);
    if args.line {
        let line = tables.line(&position).map_err(fail)?;
        let sans: Vec<_> = line.iter().map(|choice| choice.san.as_str()).collect();
        text += &format!("{}\n", sans.join(" "));
        answer = answer.field("line", sans);
    }
    answer
        .bare(format!("{}\n", words(probed.value)))
        .text(text)
        .show(session)
}
