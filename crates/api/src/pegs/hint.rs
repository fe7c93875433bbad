//! `pegs hint`: whether a position can still be won, and which jumps keep it so.

use everymove_kernel::run::{Run, Work};
use everymove_pegs::{
    Advised, DrawnBoard, HintDetail, Loss, Position, Problem, WinningSet, advise, advise_in,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{Lattice, open_board, read, text_of_file};
use super::names::{Reason, board_name, counted, finish_name, jump_name, rows};
use super::picture::{characters, pegs_in_words};
use super::winning::{SetPlan, SetRequest};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request, Updates};
use crate::site::{Site, absent};
use crate::terminal::{
    Ended, OnTerminal, Screen, Shown, Source, Text, ask, under_display, write_answer,
};

/// Whether a position can still be won, and which jumps keep it so.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct HintRequest {
    /// The position: rows from the top with '/' between them (o a peg, . an empty hole, space or _
    /// no place)
    #[arg(allow_hyphen_values = true)]
    pub position: String,
    /// The lattice [default: triangular for pyramids and rows of 1, 2, 3, ... places, otherwise
    /// square]
    #[arg(long, value_name = "LATTICE")]
    pub lattice: Option<Lattice>,
    /// The hole of the last peg, a position, or anywhere [default: the hole in the middle where
    /// the class of the position allows it, otherwise anywhere]
    #[arg(long, value_name = "HOLE")]
    pub finish: Option<String>,
    /// The winning set.
    #[command(flatten)]
    #[serde(flatten)]
    pub set: SetRequest,
    /// The position arose in a game of the winning set's problem: what is not in the set is lost,
    /// without a search
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
    drawn: DrawnBoard,
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
    /// For a lost position: whether a game from the board's usual start reaches it, where a short
    /// search decides that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reachable: Option<bool>,
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
struct HintsAnswer {
    /// The advice on each position, in their order.
    pub hints: Vec<HintFields>,
    #[serde(skip)]
    work: Work,
}

impl HintFields {
    fn new(problem: &Problem, advised: Advised) -> Self {
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
            finish: finish_name(problem),
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
        }
    }
}

impl HintPlan {
    fn position(&self) -> Position {
        self.drawn.position.unwrap_or(self.drawn.board.full())
    }

    fn problem(&self, set: Option<&WinningSet>) -> Result<Problem, Error> {
        let (board, position) = (&self.drawn.board, self.position());
        let Some(set) = set else {
            let finish = self.request.finish.as_deref();
            return Problem::read_finish(board, position, finish).map_err(Error::field("finish"));
        };
        if set.problem().board() != board {
            let line = format!(
                "the winning set is of the {} board, the position of another: {}",
                set.problem().board().name(),
                self.request.position
            );
            return Err(Error::message(Some("position"), line));
        }
        set.problem()
            .from(position)
            .map_err(Error::field("position"))
    }

    fn advise(&self, set: Option<&WinningSet>, run: &Run) -> Result<HintAnswer, Error> {
        let problem = self.problem(set)?;
        let position = problem.start();
        let request = &self.request;
        let fewest = request.shortest.then_some(HintDetail::FewestMoves);
        let fewest = fewest.or(request.verdict_only.then_some(HintDetail::SafeJumps));
        let advised = match set {
            // From a file, an answer comes at once; counting what it holds would take longer than
            // the answer.
            Some(set) if request.played || set.contains(position) => {
                advise_in(set, position, fewest.unwrap_or(HintDetail::SafeJumps), run)?
            }
            _ => advise(&problem, fewest.unwrap_or(HintDetail::Solutions), run)?,
        };
        let work = advised.work.clone();
        let hint = HintFields::new(&problem, advised);
        Ok(HintAnswer { hint, work })
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
        let problem = plan.problem(None)?;
        let is_kept = plan.request.verdict_only && problem.board().holes() <= MOST_HOLES;
        let set = match is_kept {
            true => site.kept.sets.of(&problem, site.ram_of_sets(), run)?,
            false => None,
        };
        // What is not in the set may be a position of no game: it is examined by itself.
        let set = set.filter(|set| set.contains(problem.start()));
        plan.advise(set.as_deref(), run)
    }

    fn plan(&self) -> Result<HintPlan, Error> {
        let drawn = read(&self.position, self.lattice).map_err(|error| {
            let field = error.wrong_field().filter(|field| *field != "board");
            Error::input(field.or(Some("position")), error)
        })?;
        Ok(HintPlan {
            drawn,
            request: self.clone(),
            set: self.set.plan()?,
        })
    }

    fn run(plan: &HintPlan, run: &Run) -> Result<HintAnswer, Error> {
        plan.advise(plan.set.load(run)?.as_ref(), run)
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

impl OnTerminal for HintRequest {
    type View = ();

    fn complete(&mut self, (): &mut (), run: &Run) -> Result<Source, Error> {
        open_board(&mut self.position, run)
    }

    fn show(plan: &HintPlan, answer: &HintAnswer, (): &()) -> Result<Shown, Error> {
        let text = Text {
            bare: bare(&answer.hint),
            full: full(plan, &answer.hint),
        };
        Ok(text.into())
    }

    fn ask(self, (): (), screen: &dyn Screen) -> Result<Ended, Error> {
        match &*self.position {
            "-" => self.ask_many(screen),
            _ => ask(self, (), screen),
        }
    }
}

impl HintRequest {
    /// Advice on each line of standard input.
    fn ask_many(self, screen: &dyn Screen) -> Result<Ended, Error> {
        let text = text_of_file("-", screen.run())?;
        let (mut hints, mut work) = (Vec::new(), Work::default());
        under_display(screen, |run| {
            let set = self.set.plan()?.load(run)?;
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let request = Self {
                    position: line.to_owned(),
                    ..self.clone()
                };
                let answer = request.plan()?.advise(set.as_ref(), run)?;
                work.merge(&answer.work);
                hints.push(answer.hint);
            }
            Ok::<_, Error>(())
        })?;
        let text = Text::same(hints.iter().map(bare).collect());
        write_answer::<Self>(&HintsAnswer { hints, work }, &text, screen)
    }
}

fn bare(hint: &HintFields) -> String {
    match hint.winnable {
        true => format!("{}\n", hint.jumps.join(" ")),
        false => "lost\n".to_owned(),
    }
}

fn full(plan: &HintPlan, hint: &HintFields) -> String {
    let picture = characters(&plan.drawn.board, plan.position());
    let mut text = format!("{picture}\n{}", summary(plan, hint));
    // Where all jumps lose, a list of them says nothing.
    if hint.winnable {
        let width = hint
            .all_jumps
            .iter()
            .map(|jump| jump.jump.len())
            .max()
            .unwrap_or(0)
            .max(8);
        for jump in &hint.all_jumps {
            let name = &jump.jump;
            text += &match (jump.keeps_winnable, jump.share, &jump.solutions) {
                (false, ..) => format!("  {name:<width$} loses\n"),
                (true, Some(share), Some(n)) => {
                    let solutions = if n == "1" { "solution" } else { "solutions" };
                    format!("  {name:<width$} {n} {solutions}, {:.1}%\n", 100.0 * share)
                }
                (true, ..) => format!("  {name:<width$} keeps it winnable\n"),
            };
        }
    }
    text
}

fn summary(plan: &HintPlan, hint: &HintFields) -> String {
    let pegs = pegs_in_words(hint.pegs);
    let goal = match &*hint.finish {
        "anywhere" => "last peg in any hole".to_owned(),
        finish if finish.len() <= 3 => format!("last peg in {finish}"),
        finish => format!("finish {finish}"),
    };
    if hint.solved {
        return format!("{pegs}, solved\n");
    }
    if !hint.winnable {
        return lost(plan, hint, &pegs, &goal);
    }
    let solutions = match hint.solutions.as_deref() {
        None => String::new(),
        Some("1") => ", 1 solution".to_owned(),
        Some(n) => format!(", {n} solutions"),
    };
    let moves = hint.moves.map_or(String::new(), |n| {
        format!(", {} at least", counted(n, "move", "moves"))
    });
    format!("{pegs}, can still be won ({goal}){solutions}{moves}\n")
}

fn lost(plan: &HintPlan, hint: &HintFields, pegs: &str, goal: &str) -> String {
    let board = &plan.drawn.board;
    let usual = board.name_of(board.usual_vacancy());
    let mut text = match hint.reason {
        Some(Reason::Full) => {
            return format!(
                "{pegs}: every hole is full, so no jump can be made. Write '.' for the hole that is empty, or ask for \
                 the usual start ({usual} empty): everymove pegs solve {}\n",
                hint.board
            );
        }
        Some(Reason::Stuck) => format!("{pegs}, lost: no peg can jump\n"),
        Some(Reason::Pegs) => format!(
            "{pegs}, lost: the finish needs as many pegs or more, and jumps only take pegs away\n"
        ),
        Some(Reason::Class) => format!(
            "{pegs}, lost ({goal}): proved by colouring\n\n{}\n",
            hint.proof.as_deref().unwrap_or_default()
        ),
        _ => format!("{pegs}, lost ({goal}): every sequence of jumps was examined\n"),
    };
    if hint.reachable == Some(false) {
        text += &format!("No game from the usual start ({usual} empty) reaches this position.\n");
    }
    text
}
