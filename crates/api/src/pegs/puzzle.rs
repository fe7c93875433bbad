//! `pegs puzzle`: positions with a point.

use std::collections::BTreeMap;

use everymove_kernel::run::{Run, Work};
use everymove_pegs::{Position, Problem, PuzzleKind, Puzzles, WinningSet, game_text, verified};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{ProblemRequest, open_board};
use super::names::{board_name, finish_name, rows, start_name, title};
use super::picture::characters;
use super::winning::{SetPlan, SetRequest};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request};
use crate::site::{Site, absent};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// Positions with a point: a unique completion, a last safe jump.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct PuzzleRequest {
    /// The problem.
    #[command(flatten)]
    #[serde(flatten)]
    pub problem: ProblemRequest,
    /// The winning set.
    #[command(flatten)]
    #[serde(flatten)]
    pub set: SetRequest,
    /// The kind of puzzle [default: unique]
    #[arg(long, value_name = "KIND")]
    pub kind: Option<Kind>,
    /// Pegs of the puzzles [default: the most that any has]
    #[arg(long, value_name = "N")]
    pub pegs: Option<usize>,
    /// How many to show [default: 1]
    #[arg(long, value_name = "N")]
    pub number: Option<usize>,
    /// Other seeds give other puzzles, equal seeds the same [default: 0]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Show a solution of each
    #[arg(long)]
    #[serde(default)]
    pub solution: bool,
}

/// A kind of puzzle.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Exactly one sequence of jumps leads to the finish
    #[default]
    Unique,
    /// Of several jumps exactly one keeps it winnable
    LastSafe,
    /// Any position that can be won
    Winnable,
}

impl Kind {
    /// The name: `unique`, `last-safe` or `winnable`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unique => "unique",
            Self::LastSafe => "last-safe",
            Self::Winnable => "winnable",
        }
    }
}

/// The checked question.
#[derive(Debug)]
pub struct PuzzlePlan {
    problem: Problem,
    set: SetPlan,
    kind: Kind,
    pegs: Option<usize>,
    number: usize,
    seed: u64,
    solution: bool,
}

/// Puzzles of a problem.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PuzzleAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The hole that is empty at the start, or the start's rows.
    pub start: String,
    /// The hole of the last peg, the rows of the finish, or `anywhere`.
    pub finish: String,
    /// The kind of puzzle.
    pub kind: Kind,
    /// How many there are, up to symmetry.
    pub total: usize,
    /// How many there are with each number of pegs.
    pub by_pegs: BTreeMap<usize, usize>,
    /// The rows of those that were chosen.
    pub puzzles: Vec<String>,
    /// A solution of each, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solutions: Option<Vec<String>>,
    #[serde(skip)]
    work: Work,
}

impl Request for PuzzleRequest {
    const COMMAND: &'static str = "pegs puzzle";
    const IS_SERVED: bool = true;
    type Plan = PuzzlePlan;
    type Answer = PuzzleAnswer;

    fn restrict(&mut self, _: &Site) -> Result<(), Error> {
        absent("winning_set", &self.set.winning_set)
    }

    fn plan(&self) -> Result<PuzzlePlan, Error> {
        let problem = self.problem.plan()?;
        let (least, most) = (problem.last_pegs() + 1, problem.start().pegs());
        if let Some(pegs) = self.pegs.filter(|pegs| !(least..=most).contains(pegs)) {
            let line =
                format!("no puzzle of this problem has {pegs} pegs: expected {least} to {most}");
            return Err(Error::message(Some("pegs"), line));
        }
        Ok(PuzzlePlan {
            problem,
            set: self.set.plan()?,
            kind: self.kind.unwrap_or_default(),
            pegs: self.pegs,
            number: self.number.unwrap_or(1),
            seed: self.seed.unwrap_or(0),
            solution: self.solution,
        })
    }

    fn run(plan: &PuzzlePlan, run: &Run) -> Result<PuzzleAnswer, Error> {
        let problem = &plan.problem;
        let board = problem.board();
        let set = plan.set.load_or_find(problem, run)?;
        let kind = match plan.kind {
            Kind::Unique => PuzzleKind::UniqueCompletion,
            Kind::LastSafe => PuzzleKind::LastSafeJump,
            Kind::Winnable => PuzzleKind::Winnable,
        };
        let puzzles = Puzzles::new(&set, kind, run)?;
        let pegs = plan.pegs.or(puzzles.most_pegs());
        let chosen = pegs.map_or_else(Vec::new, |pegs| {
            puzzles.choose(pegs, plan.number, plan.seed)
        });
        let counts = puzzles.by_pegs.iter().map(Vec::len).enumerate();
        let solutions = chosen.iter().map(|&position| solution(&set, position));
        Ok(PuzzleAnswer {
            board: board_name(board),
            start: start_name(problem),
            finish: finish_name(problem),
            kind: plan.kind,
            total: puzzles.len(),
            by_pegs: counts.filter(|&(_, count)| count > 0).collect(),
            puzzles: chosen
                .iter()
                .map(|&position| rows(board, position))
                .collect(),
            solutions: plan.solution.then(|| solutions.collect()).transpose()?,
            work: set.work().clone(),
        })
    }
}

/// The first way to the finish from a winning position.
fn solution(set: &WinningSet, from: Position) -> Result<String, Error> {
    let jumps = set.solution_from(from).unwrap_or_default();
    let problem = set.problem().from(from).map_err(Error::field("problem"))?;
    verified(&problem, &jumps)?;
    Ok(game_text(problem.board(), &jumps))
}

impl Answer for PuzzleAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(!self.puzzles.is_empty())
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

impl OnTerminal for PuzzleRequest {
    type View = ();

    fn complete(&mut self, (): &mut (), run: &Run) -> Result<Source, Error> {
        open_board(&mut self.problem.board.board, run)
    }

    fn show(plan: &PuzzlePlan, answer: &PuzzleAnswer, (): &()) -> Result<Shown, Error> {
        let board = plan.problem.board();
        let mut full = String::new();
        for (i, rows) in answer.puzzles.iter().enumerate() {
            let position = board.position(rows).map_err(Error::machine)?;
            full += &format!("{}\n{rows}\n", characters(board, position));
            if let Some(solutions) = &answer.solutions {
                full += &format!("{}\n", solutions[i]);
            }
            full.push('\n');
        }
        let (title, kind) = (title(&plan.problem), answer.kind.name());
        full += &match answer.total {
            0 => format!("{title}: no puzzles of kind {kind}\n"),
            n => format!("{title}: {n} puzzles of kind {kind}, up to symmetry; by pegs:\n"),
        };
        let counts = answer.by_pegs.iter();
        let words: Vec<String> = counts
            .map(|(pegs, count)| format!("{pegs}: {count}"))
            .collect();
        for line in words.chunks(8) {
            full += &format!("{}\n", line.join("  "));
        }
        let bare = match &answer.puzzles[..] {
            [] => "none\n".to_owned(),
            rows => rows.iter().map(|row| format!("{row}\n")).collect(),
        };
        Ok(Text { bare, full }.into())
    }
}
