//! `pegs table`: every problem "vacate x, finish y" of a board.

use std::io::{self, Write};

use everymove_kernel::run::{Run, Work};
use everymove_pegs::{Board, Columns, ProblemRow, problem_table, ruled_out};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{BoardRequest, open_board};
use super::names::board_name;
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{Format, OnTerminal, Screen, Shown, Source, Text, under_display, unwritten};

/// Every problem "vacate x, finish y" of a board: solvable, solutions, fewest moves.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct TableRequest {
    /// The board.
    #[command(flatten)]
    #[serde(flatten)]
    pub board: BoardRequest,
    /// What to find out about each problem [default: all]
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Option<ColumnChoice>,
}

/// What to find out about each problem.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum ColumnChoice {
    /// Whether it can be solved
    Solvable,
    /// The number of solutions too
    Solutions,
    /// The fewest moves too
    #[default]
    All,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct TablePlan {
    /// The board.
    pub board: Board,
    columns: Columns,
}

/// Every problem of a board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TableAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The problems that the classes allow, up to symmetry.
    pub problems: Vec<Row>,
    /// How many of them can be solved.
    pub solvable: usize,
    /// How many problems from one empty hole to one peg, up to symmetry, the classes rule out.
    pub ruled_out: usize,
    /// The fewest moves of any.
    pub fewest_moves: Option<u32>,
    #[serde(skip)]
    work: Work,
}

/// One problem of a board.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// The hole that is empty at the start.
    pub start: String,
    /// The hole of the last peg.
    pub finish: String,
    /// Whether it can be solved.
    pub solvable: bool,
    /// The number of solutions, if it was counted.
    pub solutions: Option<String>,
    /// Positions from which it can be solved, up to symmetry, if they were found.
    pub winning: Option<u64>,
    /// The fewest moves, if they were found.
    pub moves: Option<u32>,
    /// How many solutions have as few moves.
    pub shortest_solutions: Option<String>,
}

impl Row {
    fn new(board: &Board, row: &ProblemRow) -> Self {
        Self {
            start: board.name_of(row.start),
            finish: board.name_of(row.finish),
            solvable: row.is_solvable,
            solutions: row.solutions.map(|n| n.to_string()),
            winning: row.winning,
            moves: row.shortest.map(|shortest| shortest.moves),
            shortest_solutions: row.shortest.map(|shortest| shortest.solutions.to_string()),
        }
    }
}

impl TablePlan {
    /// Answers the question and hands over each row as soon as it is known: a large board takes
    /// minutes.
    ///
    /// # Errors
    /// [`Error`] if the run is stopped or does not fit its budget.
    pub fn run_by_row(
        &self,
        run: &Run,
        mut hand_over: impl FnMut(&Row),
    ) -> Result<TableAnswer, Error> {
        let mut rows = Vec::new();
        let mut work = Work::default();
        problem_table(&self.board, self.columns, run, |row| {
            work.merge(&row.work);
            let row = Row::new(&self.board, row);
            hand_over(&row);
            rows.push(row);
        })?;
        Ok(TableAnswer {
            board: board_name(&self.board),
            solvable: rows.iter().filter(|row| row.solvable).count(),
            fewest_moves: rows.iter().filter_map(|row| row.moves).min(),
            problems: rows,
            ruled_out: ruled_out(&self.board),
            work,
        })
    }
}

impl Request for TableRequest {
    const COMMAND: &'static str = "pegs table";
    const IS_SERVED: bool = true;
    type Plan = TablePlan;
    type Answer = TableAnswer;

    fn plan(&self) -> Result<TablePlan, Error> {
        Ok(TablePlan {
            board: self.board.drawn()?.board,
            columns: match self.columns.unwrap_or_default() {
                ColumnChoice::Solvable => Columns::Solvable,
                ColumnChoice::Solutions => Columns::Solutions,
                ColumnChoice::All => Columns::Everything,
            },
        })
    }

    fn run(plan: &TablePlan, run: &Run) -> Result<TableAnswer, Error> {
        plan.run_by_row(run, |_| ())
    }
}

impl Answer for TableAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}

impl OnTerminal for TableRequest {
    type View = ();

    fn complete(&mut self, (): &mut (), run: &Run) -> Result<Source, Error> {
        open_board(&mut self.board.board, run)
    }

    fn show(plan: &TablePlan, answer: &TableAnswer, (): &()) -> Result<Shown, Error> {
        let name = plan.board.name();
        let text = match answer.problems.len() {
            0 => Text {
                bare: "no problem\n".to_owned(),
                full: format!(
                    "{name}: colouring leaves no problem from one empty hole to one peg\n"
                ),
            },
            n => Text {
                bare: String::new(),
                full: format!(
                    "{name}: {} of {n} problems can be solved; colouring rules out {} more\n",
                    answer.solvable, answer.ruled_out
                ),
            },
        };
        Ok(text.into())
    }

    fn run_on(plan: &TablePlan, screen: &dyn Screen) -> Result<TableAnswer, Error> {
        let mut broken = None;
        let is_shown = screen.format() != Format::Json;
        let answer = under_display(screen, |run| {
            // Each row is shown as soon as it is known: a large board takes minutes.
            plan.run_by_row(run, |row| {
                if is_shown && let Err(error) = write_row(row, &mut *screen.out()) {
                    broken.get_or_insert(error);
                    run.stop.raise();
                }
            })
        });
        match broken {
            Some(error) => Err(unwritten(error)),
            None => answer,
        }
    }
}

fn write_row(row: &Row, out: &mut dyn Write) -> io::Result<()> {
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
