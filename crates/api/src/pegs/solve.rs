//! `pegs solve`: a solution, the proved shortest if asked for, or why there is none.

use std::path::{Path, PathBuf};

use everymove_kernel::run::{Bytes, Run, Work};
use everymove_pegs::{
    Keys, Method, Order, PegError, Problem, Search, ShortestCount, Verdict, Want, game_text,
    parse_game, solve_by, verified,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{ProblemRequest, open_board};
use super::names::{
    Reason, board_name, counted, finish_name, game_file, game_lines, jump_names, start_name, title,
};
use super::picture::{PictureView, steps, wrote};
use crate::error::Error;
use crate::picture::Content;
use crate::request::{Answer, Outcome, Request};
use crate::terminal::{OnTerminal, Shown, Source, Text};

/// A solution, the proved shortest if asked for, or why there is none.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct SolveRequest {
    /// The problem.
    #[command(flatten)]
    #[serde(flatten)]
    pub problem: ProblemRequest,
    /// The fewest moves, proved; consecutive jumps of one peg are one move
    #[arg(long)]
    #[serde(default)]
    pub shortest: bool,
    /// The method.
    #[command(flatten)]
    #[serde(flatten)]
    pub method: MethodRequest,
}

/// The method as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
#[command(next_help_heading = "Method")]
pub struct MethodRequest {
    /// The method [default: auto]
    #[arg(long, value_name = "METHOD")]
    pub method: Option<MethodName>,
    /// Depth first: the order in which jumps are tried: rows, rows-reversed, directions or
    /// random:SEED [default: rows]
    #[arg(long, value_name = "ORDER")]
    pub order: Option<String>,
    /// Depth first: every position this many jumps from the start is a job for a thread; 1 deals
    /// out the first jumps [default: 0]
    #[arg(long, value_name = "JUMPS")]
    pub split: Option<u32>,
    /// Depth first: memory for positions that failed, a part of the budget [default: 64M]
    #[arg(long, value_name = "SIZE")]
    pub hash: Option<String>,
    /// Depth first: give up after about this many positions [default: no limit]
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
}

/// A way to solve a problem.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum MethodName {
    /// Whatever answers soonest
    #[default]
    Auto,
    /// The winning set
    Layers,
    /// Depth first, nothing remembered
    Dfs,
    /// Depth first, with the set of positions that failed
    DfsSet,
    /// Depth first, with the set of positions that failed, images under symmetries being one
    DfsCanonical,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct SolvePlan {
    problem: Problem,
    want: Want,
    name: MethodName,
    method: Method,
}

/// A solution, or why there is none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SolveAnswer {
    /// The name of the board, or its rows.
    pub board: String,
    /// The hole that is empty at the start, or the start's rows.
    pub start: String,
    /// The hole of the last peg, the rows of the finish, or `anywhere`.
    pub finish: String,
    /// Whether there is a solution.
    pub solvable: bool,
    /// The method.
    pub method: MethodName,
    /// Number of moves of the solution; consecutive jumps of one peg are one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<usize>,
    /// The jumps of the solution, such as `d2-d4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jumps: Option<Vec<String>>,
    /// The moves of the solution, such as `d2-d4-f4`, separated by blanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The holes that hold a peg at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Vec<String>>,
    /// True: the solution was replayed by the independent checker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// Whether no solution has fewer moves, proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest: Option<bool>,
    /// How many solutions have as few moves, as ordered sequences of moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest_solutions: Option<String>,
    /// Why there is no solution: `class`, `pegs` or `exhaustion`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The reason in words, with drawings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    #[serde(skip)]
    work: Work,
}

/// Prefixes of more jumps than this are more than any machine has threads.
const MAX_SPLIT: u32 = 8;

impl MethodRequest {
    fn plan(&self, shortest: bool) -> Result<(MethodName, Method), Error> {
        let name = self.method.unwrap_or_default();
        let keys = match name {
            MethodName::Auto => return self.without_search(name, Method::Auto),
            MethodName::Layers => return self.without_search(name, Method::Layers),
            MethodName::Dfs => Keys::None,
            MethodName::DfsSet => Keys::Raw,
            MethodName::DfsCanonical => Keys::Canonical,
        };
        if shortest {
            let line = "a depth-first search does not find the fewest moves: leave out the method, or the fewest moves";
            return Err(Error::message(Some("shortest"), line));
        }
        let usual = Search::default();
        let split_depth = self.split.unwrap_or(usual.split_depth);
        if split_depth > MAX_SPLIT {
            let line =
                format!("cannot split after {split_depth} jumps: expected at most {MAX_SPLIT}");
            return Err(Error::message(Some("split"), line));
        }
        let order = self.order.as_deref().map(str::parse::<Order>).transpose();
        let memory = self.hash.as_deref().map(str::parse::<Bytes>).transpose();
        let search = Search {
            order: order.map_err(Error::field("order"))?.unwrap_or(usual.order),
            keys,
            memory: memory
                .map_err(Error::field("hash"))?
                .map_or(usual.memory, |bytes| bytes.0),
            split_depth,
            limit: self.nodes.unwrap_or(usual.limit),
        };
        Ok((name, Method::DepthFirst(search)))
    }

    fn without_search(
        &self,
        name: MethodName,
        method: Method,
    ) -> Result<(MethodName, Method), Error> {
        let given = [
            ("order", self.order.is_some()),
            ("split", self.split.is_some()),
            ("hash", self.hash.is_some()),
            ("nodes", self.nodes.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok((name, method)),
            Some((field, _)) => {
                let line = format!(
                    "{field} belongs to a depth-first search: expected the method dfs, dfs-set or dfs-canonical with it"
                );
                Err(Error::message(Some(field), line))
            }
        }
    }
}

impl Request for SolveRequest {
    const COMMAND: &'static str = "pegs solve";
    const IS_SERVED: bool = true;
    type Plan = SolvePlan;
    type Answer = SolveAnswer;

    fn plan(&self) -> Result<SolvePlan, Error> {
        let (name, method) = self.method.plan(self.shortest)?;
        Ok(SolvePlan {
            problem: self.problem.plan()?,
            want: if self.shortest {
                Want::Shortest
            } else {
                Want::Any
            },
            name,
            method,
        })
    }

    fn run(plan: &SolvePlan, run: &Run) -> Result<SolveAnswer, Error> {
        let problem = &plan.problem;
        let board = problem.board();
        let solved = solve_by(problem, plan.want, &plan.method, run)?;
        let mut answer = SolveAnswer {
            board: board_name(board),
            start: start_name(problem),
            finish: finish_name(problem),
            solvable: false,
            method: plan.name,
            moves: None,
            jumps: None,
            game: None,
            last: None,
            verified: None,
            shortest: None,
            shortest_solutions: None,
            reason: None,
            proof: None,
            work: solved.work,
        };
        let (reason, proof) = match solved.verdict {
            Verdict::Solution(jumps) => {
                let game = verified(problem, &jumps)?;
                let solutions = solved
                    .shortest
                    .map(|ShortestCount { solutions, .. }| solutions.to_string());
                answer.solvable = true;
                answer.moves = Some(game.moves);
                answer.jumps = Some(jump_names(board, &jumps));
                answer.game = Some(game_text(board, &jumps));
                answer.last = Some(game.last);
                answer.verified = Some(true);
                answer.shortest = Some(solutions.is_some());
                answer.shortest_solutions = solutions;
                return Ok(answer);
            }
            Verdict::Class(proof) => (Reason::Class, proof.text(board)),
            Verdict::TooManyPegs => (
                Reason::Pegs,
                "The start has no more pegs than the finish, and every jump takes one away."
                    .to_owned(),
            ),
            Verdict::Exhaustion => (
                Reason::Exhaustion,
                "Every position that could matter was examined: none leads to the finish."
                    .to_owned(),
            ),
        };
        answer.reason = Some(reason);
        answer.proof = Some(proof.trim_end().to_owned());
        Ok(answer)
    }
}

impl Answer for SolveAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.solvable)
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

/// How a solution is shown, and where it is written.
#[derive(Debug, clap::Args)]
pub struct SolveView {
    /// Show the board after every move
    #[arg(long)]
    steps: bool,
    /// Write the game into a file that replay and review read
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureView,
}

impl OnTerminal for SolveRequest {
    type View = SolveView;

    fn complete(&mut self, _: &mut SolveView, run: &Run) -> Result<Source, Error> {
        open_board(&mut self.problem.board.board, run)
    }

    fn files(view: &SolveView) -> Result<Vec<&Path>, Error> {
        let files = view.out.as_deref().into_iter();
        Ok(files.chain(view.picture.files()?).collect())
    }

    fn show(plan: &SolvePlan, answer: &SolveAnswer, view: &SolveView) -> Result<Shown, Error> {
        let problem = &plan.problem;
        let Some(game) = &answer.game else {
            return Ok(unsolvable(problem, answer).into());
        };
        let (board, start) = (problem.board(), problem.start());
        let jumps = parse_game(board, start, game).map_err(Error::machine)?;
        let moves = counted(answer.moves.unwrap_or_default() as u128, "move", "moves");
        let proved = match answer.shortest_solutions.as_deref() {
            Some("1") => ", proved shortest (1 way)".to_owned(),
            Some(ways) => format!(", proved shortest ({ways} ways)"),
            None => String::new(),
        };
        let jumps_made = counted(jumps.len() as u128, "jump", "jumps");
        let mut full = format!("{}: {moves}, {jumps_made}{proved}\n", title(problem));
        full += &match view.steps {
            true => format!("\n{}", steps(board, start, &jumps)),
            false => game_lines(board, &jumps),
        };
        let mut files = Vec::new();
        if let Some(out) = &view.out {
            files.push(Content::Bytes(game_file(problem, &jumps).into_bytes()));
            full += &wrote(out);
        }
        files.extend(view.picture.draw(board, start, &jumps)?);
        full.extend(view.picture.files()?.into_iter().map(wrote));
        let bare = format!("{game}\n");
        Ok(Shown {
            text: Text { bare, full },
            files,
        })
    }

    fn advise(&self, error: Error) -> Error {
        match error.downcast_ref() {
            Some(PegError::GaveUp { refused: 1.., .. }) => error.advising("give --hash more"),
            _ => error,
        }
    }
}

/// The sound answer that there is none, with its reason.
fn unsolvable(problem: &Problem, answer: &SolveAnswer) -> Text {
    let reason = match answer.reason {
        Some(Reason::Class) => "proved by colouring",
        Some(Reason::Pegs) => "the start has too few pegs",
        _ => "proved by exhaustion",
    };
    let proof = answer.proof.as_deref().unwrap_or_default();
    Text {
        bare: "no solution\n".to_owned(),
        full: format!("{}: no solution, {reason}\n\n{proof}\n", title(problem)),
    }
}
