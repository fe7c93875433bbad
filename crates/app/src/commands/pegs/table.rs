//! `everymove pegs table`: every problem of a board.

use std::io::{self, Write};
use std::str::FromStr;

use everymove_kernel::run::Work;
use everymove_pegs::{Board, Columns, ProblemRow, problem_table, problems};
use serde_json::{Value, json};

use super::question::BoardArgs;
use super::{failure, show};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove pegs table`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    board: BoardArgs,
    /// What to find out: solvable, solutions (their number too) or all (fewest moves too)
    #[arg(long, value_name = "COLUMNS", default_value = "all")]
    columns: String,
}

struct Wanted(Columns);

impl FromStr for Wanted {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        match text {
            "solvable" => Ok(Self(Columns::Solvable)),
            "solutions" => Ok(Self(Columns::Solutions)),
            "all" => Ok(Self(Columns::Everything)),
            _ => Err(Failure::Input(format!(
                "'{text}' is no choice of columns: expected solvable, solutions or all"
            ))),
        }
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let board = args.board.plan()?;
    let Wanted(columns) = args.columns.parse()?;
    let mut broken = None;
    let stream = session.format != OutputFormat::Json;
    let rows = session.work(|run| {
        // Each row is shown as soon as it is known: a large board takes minutes.
        problem_table(&board, columns, run, |row| {
            if stream && let Err(error) = print(&board, row) {
                broken.get_or_insert(error);
                run.stop.raise();
            }
        })
    });
    if let Some(error) = broken {
        return Err(error.into());
    }
    let rows = rows.map_err(|error| failure(error, ""))?;
    let mut work = Work::default();
    rows.iter().for_each(|row| work.merge(&row.work));
    let solvable = rows.iter().filter(|row| row.is_solvable).count();
    let text = match problems(&board).len() {
        0 => format!(
            "{}: the classes leave no problem from one vacancy to one peg\n",
            board.name()
        ),
        n => format!(
            "{}: {solvable} of {n} problems can be solved\n",
            board.name()
        ),
    };
    let fewest = rows
        .iter()
        .filter_map(|row| Some(row.shortest?.moves))
        .min();
    Answer::new("pegs table", Outcome::Yes)
        .field("board", show::board_name(&board))
        .field(
            "problems",
            rows.iter()
                .map(|row| object(&board, row))
                .collect::<Value>(),
        )
        .field("solvable", solvable)
        .field("fewest_moves", fewest)
        .text(text)
        .work(&work)
        .show(session)
}

fn print(board: &Board, row: &ProblemRow) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write!(
        out,
        "{:>3} -> {:<3}  ",
        board.name_of(row.start),
        board.name_of(row.finish)
    )?;
    let solutions = row.solutions.map_or(String::new(), |n| n.to_string());
    match (row.is_solvable, row.shortest) {
        (false, _) => writeln!(out, "no solution")?,
        (true, Some(shortest)) => writeln!(
            out,
            "{solutions:>28} solutions, {:>2} moves at least ({})",
            shortest.moves,
            show::counted(shortest.solutions, "way", "ways"),
        )?,
        (true, None) if row.solutions.is_some() => writeln!(out, "{solutions:>28} solutions")?,
        (true, None) => writeln!(out, "can be solved")?,
    }
    out.flush()
}

fn object(board: &Board, row: &ProblemRow) -> Value {
    json!({
        "start": board.name_of(row.start),
        "finish": board.name_of(row.finish),
        "solvable": row.is_solvable,
        "solutions": row.solutions.map(|n| n.to_string()),
        "winning": row.winning,
        "moves": row.shortest.map(|shortest| shortest.moves),
        "shortest_solutions": row.shortest.map(|shortest| shortest.solutions.to_string()),
    })
}
