//! `everymove pegs table`: every problem of a board.

use std::io::{self, Write};

use everymove_api::Request;
use everymove_api::pegs::{Row, TableRequest};

use super::input;
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove pegs table`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: TableRequest,
}

pub(crate) fn run(mut args: Args, session: &Session) -> Result<Outcome, Failure> {
    let source = input::board(&mut args.request.board.board, session)?;
    let plan = args.request.plan().map_err(|error| source.named(error))?;
    let mut broken = None;
    let stream = session.format != OutputFormat::Json;
    let answer = session.work(|run| {
        // Each row is shown as soon as it is known: a large board takes minutes.
        plan.run_by_row(run, |row| {
            if stream && let Err(error) = print(row, session) {
                broken.get_or_insert(error);
                run.stop.raise();
            }
        })
    });
    if let Some(error) = broken {
        return Err(error.into());
    }
    let answer = answer?;
    let name = plan.board.name();
    let full = match answer.problems.len() {
        0 => format!("{name}: the classes leave no problem from one vacancy to one peg\n"),
        n => format!(
            "{name}: {} of {n} problems can be solved\n",
            answer.solvable
        ),
    };
    let bare = match answer.problems.len() {
        0 => "no problem\n".to_owned(),
        _ => String::new(),
    };
    show::<TableRequest>(&answer, &Text { bare, full }, session)
}

fn print(row: &Row, session: &Session) -> io::Result<()> {
    let mut out = session.out();
    write!(out, "{:>3} -> {:<3}  ", row.start, row.finish)?;
    match (row.solvable, &row.solutions, row.moves) {
        (false, ..) => writeln!(out, "no solution")?,
        (true, Some(solutions), Some(moves)) => {
            let ways = match row.shortest_solutions.as_deref().unwrap_or_default() {
                "1" => "1 way".to_owned(),
                n => format!("{n} ways"),
            };
            writeln!(
                out,
                "{solutions:>28} solutions, {moves:>2} moves at least ({ways})"
            )?;
        }
        (true, Some(solutions), None) => writeln!(out, "{solutions:>28} solutions")?,
        (true, None, _) => writeln!(out, "can be solved")?,
    }
    out.flush()
}
