//! `pegs hint`: whether a position can still be won, and which jumps keep it so.

use everymove_kernel::run::{Run, Work};
use everymove_pegs::{Advised, Hint, HintDetail, Loss, Problem, WinningSet, advise, advise_in};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Lattice, read};
use super::kept_sets::KeptSets;
use super::names::{Reason, board_name, finish_name, jump_name, rows};
use super::winning::{SetPlan, SetRequest};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request, Updates};
use crate::site::{Site, absent};

/// Whether a position can still be won, and which jumps keep it so.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct HintRequest {
    /// The position: rows from the top with '/' between them (o a peg, . an empty hole, space or _ no place)
    #[arg(allow_hyphen_values = true)]
    pub position: String,
    /// The lattice [default: triangular for pyramids and rows of 1, 2, 3, ... places, otherwise square]
    #[arg(long, value_name = "LATTICE")]
    #[serde(default)]
    pub lattice: Option<Lattice>,
    /// The hole of the last peg, a position, or anywhere [default: the hole in the middle where the class of the
    /// position allows it, otherwise anywhere]
    #[arg(long, value_name = "HOLE")]
    #[serde(default)]
    pub finish: Option<String>,
    /// The winning set.
    #[command(flatten)]
    #[serde(flatten)]
    pub set: SetRequest,
    /// The position arose in a game of the winning set's problem: what is not in the set is lost, without a search
    #[arg(long, requires = "winning_set")]
    #[serde(default)]
    pub played: bool,
    /// The fewest moves too
    #[arg(long)]
    #[serde(default)]
    pub shortest: bool,
    /// Do not count solutions
    #[arg(long, conflicts_with = "shortest")]
    #[serde(default)]
    pub verdict_only: bool,
}

/// Winning sets of larger boards are not kept: they take minutes and gigabytes.
const MOST_HOLES: usize = 37;

/// The checked question.
#[derive(Debug)]
pub struct HintPlan {
    request: HintRequest,
    set: SetPlan,
}

/// Advice on a position.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HintFields {
    /// The name of the board, or its rows.
    pub board: String,
    /// The rows of the position.
    pub position: String,
    /// The hole of the last peg, the rows of the finish, or `anywhere`.
    pub finish: String,
    /// Number of pegs.
    pub pegs: usize,
    /// Whether it is a finish.
    pub solved: bool,
    /// Whether the finish can be reached.
    pub winnable: bool,
    /// The jumps that keep it winnable.
    pub jumps: Vec<String>,
    /// Solutions from here, if they were counted.
    pub solutions: Option<String>,
    /// The fewest moves from here, if they were found.
    pub moves: Option<u32>,
    /// Every jump that can be made.
    pub all_jumps: Vec<JumpAdvice>,
    /// Why the position is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The proof of a reason `class` in words, with drawings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// For a lost position: whether a game from the board's usual start reaches it, where a short search decides that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reachable: Option<bool>,
    /// The problem from this position.
    #[serde(skip)]
    pub problem: Problem,
    /// The advice.
    #[serde(skip)]
    pub hint: Hint,
}

/// Advice on a jump.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JumpAdvice {
    /// The jump.
    pub jump: String,
    /// Whether the finish can still be reached after it.
    pub keeps_winnable: bool,
    /// Solutions after it, if they were counted.
    pub solutions: Option<String>,
    /// The share of the solutions that begin with it, from 0 to 1.
    pub share: Option<f64>,
    /// The fewest moves from the position after it, if they were found.
    pub moves_after: Option<u32>,
}

/// Advice on a position, with its work.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HintAnswer {
    /// The advice.
    #[serde(flatten)]
    pub hint: HintFields,
    #[serde(skip)]
    work: Work,
}

/// Advice on several positions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HintsAnswer {
    /// The advice on each position, in their order.
    pub hints: Vec<HintFields>,
    #[serde(skip)]
    work: Work,
}

impl HintFields {
    fn new(problem: Problem, advised: Advised) -> Self {
        let board = problem.board();
        let hint = &advised.hint;
        let text = |n: Option<u128>| n.map(|n| n.to_string());
        let all = hint.jumps.iter().map(|jump| JumpAdvice {
            jump: jump_name(board, &jump.jump),
            keeps_winnable: jump.keeps_winnable,
            solutions: text(jump.solutions),
            share: hint.share(jump),
            moves_after: jump.moves_after,
        });
        let safe = hint.safe().map(|hint| jump_name(board, &hint.jump));
        let proof = match &advised.loss {
            Some(Loss::Class(proof)) => Some(proof.text(board).trim_end().to_owned()),
            _ => None,
        };
        Self {
            board: board_name(board),
            position: rows(board, hint.position),
            finish: finish_name(&problem),
            pegs: hint.position.pegs(),
            solved: problem.is_finish(hint.position),
            winnable: hint.is_winnable,
            jumps: safe.collect(),
            solutions: text(hint.solutions),
            moves: hint.moves,
            all_jumps: all.collect(),
            reason: advised.loss.as_ref().map(Reason::from),
            proof,
            reachable: advised.is_reachable,
            problem: problem.clone(),
            hint: advised.hint,
        }
    }
}

impl HintPlan {
    fn problem(&self, text: &str, set: Option<&WinningSet>) -> Result<Problem, Error> {
        let drawn = read(text, self.request.lattice).map_err(|error| {
            let field = error.wrong_field().filter(|field| *field != "board");
            Error::input(field.or(Some("position")), error)
        })?;
        let position = drawn.position.unwrap_or(drawn.board.full());
        let Some(set) = set else {
            let finish = self.request.finish.as_deref();
            return Problem::read_finish(&drawn.board, position, finish)
                .map_err(Error::field("finish"));
        };
        if set.problem().board() != &drawn.board {
            let line = format!(
                "the winning set is of the {} board, the position of another: {text}",
                set.problem().board().name()
            );
            return Err(Error::message(Some("position"), line));
        }
        set.problem()
            .from(position)
            .map_err(Error::field("position"))
    }

    fn advise(
        &self,
        text: &str,
        set: Option<&WinningSet>,
        run: &Run,
    ) -> Result<(HintFields, Work), Error> {
        let problem = self.problem(text, set)?;
        let position = problem.start();
        let fewest = self.request.shortest.then_some(HintDetail::FewestMoves);
        let fewest = fewest.or(self.request.verdict_only.then_some(HintDetail::SafeJumps));
        let advised = match set {
            // From a file, an answer comes at once; counting what it holds would take longer than the answer.
            Some(set) if self.request.played || set.contains(position) => {
                advise_in(set, position, fewest.unwrap_or(HintDetail::SafeJumps), run)?
            }
            _ => advise(&problem, fewest.unwrap_or(HintDetail::Solutions), run)?,
        };
        let work = advised.work.clone();
        Ok((HintFields::new(problem, advised), work))
    }

    /// As [`Request::run`], with winning sets that are kept between requests: where one holds the position, the answer
    /// takes no search. Sets of up to `most` bytes together are kept.
    ///
    /// # Errors
    /// As [`Request::run`].
    pub(crate) fn run_with(
        &self,
        sets: &KeptSets,
        most: u64,
        run: &Run,
    ) -> Result<HintAnswer, Error> {
        let text = &self.request.position;
        let problem = self.problem(text, None)?;
        let is_kept = self.request.verdict_only && problem.board().holes() <= MOST_HOLES;
        let set = match is_kept {
            true => sets.of(&problem, most, run)?,
            false => None,
        };
        // What is not in the set may be a position of no game: it is examined by itself.
        let set = set.filter(|set| set.contains(problem.start()));
        let (hint, work) = self.advise(text, set.as_deref(), run)?;
        Ok(HintAnswer { hint, work })
    }

    /// Advice on several positions in place of the one of the request.
    ///
    /// # Errors
    /// As [`Request::run`].
    pub fn run_many<'t>(
        &self,
        positions: impl IntoIterator<Item = &'t str>,
        run: &Run,
    ) -> Result<HintsAnswer, Error> {
        let set = self.set.load(run)?;
        let (mut hints, mut work) = (Vec::new(), Work::default());
        for text in positions {
            let (hint, cost) = self.advise(text, set.as_ref(), run)?;
            hints.push(hint);
            work.merge(&cost);
        }
        Ok(HintsAnswer { hints, work })
    }
}

impl Request for HintRequest {
    const COMMAND: &'static str = "pegs hint";
    const IS_SERVED: bool = true;
    type Plan = HintPlan;
    type Answer = HintAnswer;

    fn restrict(&mut self, _: &Site) -> Result<(), Error> {
        absent("winning_set", &self.set.winning_set)
    }

    fn run_for(
        plan: &HintPlan,
        site: &Site,
        run: &Run,
        _: &mut Updates<'_>,
    ) -> Result<HintAnswer, Error> {
        plan.run_with(&site.kept.sets, site.ram_of_sets(), run)
    }

    fn plan(&self) -> Result<HintPlan, Error> {
        Ok(HintPlan {
            request: self.clone(),
            set: self.set.plan()?,
        })
    }

    fn run(plan: &HintPlan, run: &Run) -> Result<HintAnswer, Error> {
        let set = plan.set.load(run)?;
        let (hint, work) = plan.advise(&plan.request.position, set.as_ref(), run)?;
        Ok(HintAnswer { hint, work })
    }
}

impl Answer for HintAnswer {
    fn outcome(&self) -> Outcome {
        Outcome::yes_if(self.hint.winnable)
    }

    fn work(&self) -> Work {
        self.work.clone()
    }
}

impl Answer for HintsAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}
