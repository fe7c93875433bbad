//! `everymove tours count`: how many, by theory, by search or by frontier.

use std::path::PathBuf;
use std::str::FromStr;

use everymove_draw::terminal;
use everymove_kernel::grid::Square;
use everymove_kernel::run::Work;
use everymove_tours::frontier::{self, Options};
use everymove_tours::search;
use everymove_tours::symmetric::{self, Classes};
use everymove_tours::theory::{self, Ends};
use num_bigint::BigUint;
use serde_json::{Map, Value};

use super::question::{Question, QuestionArgs};
use super::{count_failure, search_failure, symmetric_failure};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// Up to this many squares a search is over before a frontier has been planned.
const TINY: usize = 36;

/// `everymove tours count`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,
    /// A tour and its reverse are two
    #[arg(long)]
    directed: bool,
    /// Open tours from each square: a tour counts where it starts, its reverse where that does
    #[arg(long, conflicts_with_all = ["closed", "directed"])]
    by_start: bool,
    /// Only open tours that start here
    #[arg(long, value_name = "SQUARE", conflicts_with_all = ["closed", "directed", "by_start"])]
    start: Option<String>,
    /// Also count classes: tours that symmetries of the board map onto each other are one
    #[arg(long, conflicts_with_all = ["by_start", "start"])]
    classes: bool,
    /// auto, search or frontier
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: String,
    /// Save the state of a long count in this directory, and go on from what is there
    #[arg(long, value_name = "DIR", conflicts_with = "by_start")]
    checkpoint: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Auto,
    Search,
    Frontier,
}

impl FromStr for Method {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        match text {
            "auto" => Ok(Self::Auto),
            "search" => Ok(Self::Search),
            "frontier" => Ok(Self::Frontier),
            _ => Err(Failure::Input(format!(
                "'{text}' is not a method: expected auto, search or frontier"
            ))),
        }
    }
}

struct Plan {
    question: Question,
    directed: bool,
    by_start: bool,
    classes: bool,
    start: Option<Square>,
    method: Method,
    options: Options,
}

/// A count and how it came about.
struct Counted {
    /// As asked for: directed or not.
    count: BigUint,
    method: &'static str,
    reason: Option<String>,
    by_start: Option<Vec<String>>,
    work: Work,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let question = self.question.plan()?;
        let method = self.method.parse()?;
        if method == Method::Search && self.checkpoint.is_some() {
            let line = "a search has no checkpoints: leave out --checkpoint, or --method search";
            return Err(Failure::Input(line.into()));
        }
        Ok(Plan {
            start: question.square(&self.start)?,
            directed: self.directed,
            by_start: self.by_start,
            classes: self.classes,
            method,
            options: Options {
                checkpoint: self.checkpoint.clone(),
            },
            question,
        })
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.plan()?;
    let counted = count(&plan, session)?;
    let classes = plan
        .classes
        .then(|| classes(&plan, &counted, session))
        .transpose()?;
    show(&plan, counted, classes, session)
}

fn count(plan: &Plan, session: &Session) -> Result<Counted, Failure> {
    let question = &plan.question;
    let ends = Ends {
        start: plan.start,
        end: None,
    };
    if plan.method == Method::Auto
        && let theory::Verdict::None(theorem) =
            theory::existence_between(&question.board, question.kind, ends)
    {
        let squares = question.board.grid().len();
        return Ok(Counted {
            count: BigUint::ZERO,
            method: "theory",
            reason: Some(theorem.to_string()),
            by_start: plan.by_start.then(|| vec!["0".into(); squares]),
            work: Work::default(),
        });
    }
    match plan.method {
        Method::Auto if question.board.playable() <= TINY => by_search(plan, session),
        Method::Search => by_search(plan, session),
        Method::Auto | Method::Frontier => by_frontier(plan, session),
    }
}

fn by_search(plan: &Plan, session: &Session) -> Result<Counted, Failure> {
    let mut question = search::Question::new(plan.question.board.clone(), plan.question.kind);
    question.start = plan.start;
    let counted = session
        .work(|run| search::count(&question, run))
        .map_err(|e| search_failure(e))?;
    // From a given start, a tour and its reverse are not both counted.
    let undirected = !plan.directed && plan.start.is_none();
    let count = if undirected {
        counted.undirected()
    } else {
        counted.directed
    };
    let texts = |counts: &[u64]| counts.iter().map(u64::to_string).collect();
    Ok(Counted {
        count: count.into(),
        method: "search",
        reason: None,
        by_start: plan.by_start.then(|| texts(&counted.by_start)),
        work: counted.work,
    })
}

fn by_frontier(plan: &Plan, session: &Session) -> Result<Counted, Failure> {
    let advice = match plan.options.checkpoint {
        Some(_) => "the same command goes on from the checkpoint",
        None => "",
    };
    let board = &plan.question.board;
    let failed = |e| count_failure(e, advice);
    if plan.by_start {
        let (counts, work) = session
            .work(|run| frontier::by_start(board, run))
            .map_err(failed)?;
        let mut by_start = vec!["0".to_owned(); board.grid().len()];
        let mut directed = BigUint::ZERO;
        for (square, count) in counts {
            by_start[square] = count.to_string();
            directed += count;
        }
        return Ok(Counted {
            count: undirected(directed, board.playable()),
            method: "frontier",
            reason: None,
            by_start: Some(by_start),
            work,
        });
    }
    let question = frontier::Question {
        board: board.clone(),
        kind: plan.question.kind,
        start: plan.start,
    };
    let counted = session
        .work(|run| frontier::count(&question, &plan.options, run))
        .map_err(failed)?;
    // The tour of a single square is its own reverse.
    let both = if plan.directed && board.playable() > 1 {
        2u32
    } else {
        1
    };
    Ok(Counted {
        count: counted.undirected * both,
        method: "frontier",
        reason: None,
        by_start: None,
        work: counted.work,
    })
}

/// How many classes the tours fall into. Both directions of a tour are one here, whatever was counted.
fn classes(plan: &Plan, counted: &Counted, session: &Session) -> Result<Classes, Failure> {
    let board = &plan.question.board;
    let total = match plan.directed {
        true => undirected(counted.count.clone(), board.playable()),
        false => counted.count.clone(),
    };
    let total = u128::try_from(&total)
        .map_err(|_| Failure::Input("more than 2^128 tours are not sorted into classes".into()))?;
    session
        .work(|run| symmetric::classes(board, plan.question.kind, total, run))
        .map_err(|e| symmetric_failure(e))
}

fn undirected(directed: BigUint, squares: usize) -> BigUint {
    if squares == 1 {
        directed
    } else {
        directed / 2u32
    }
}

fn show(
    plan: &Plan,
    counted: Counted,
    classes: Option<Classes>,
    session: &Session,
) -> Result<Outcome, Failure> {
    let question = &plan.question;
    let grid = question.board.grid();
    let direction = match (plan.start, plan.directed) {
        (Some(start), _) => format!(" from {}", grid.name(start)),
        (None, true) => ", directed".to_owned(),
        (None, false) => String::new(),
    };
    let mut text = format!(
        "{} {} tours of the {}{direction}\n",
        counted.count,
        question.kind,
        question.board_words()
    );
    if let Some(reason) = &counted.reason {
        text += &format!("{reason}\n");
    }
    let names = || question.board.squares().map(|s| (s, grid.name(s)));
    let mut answer = Answer::new("tours count", Outcome::Yes)
        .field("board", grid.to_string())
        .field("kind", question.kind.to_string())
        .field("directed", plan.directed)
        .field("count", counted.count.to_string())
        .field("method", counted.method);
    if let Some(start) = plan.start {
        answer = answer.field("start", grid.name(start));
    }
    if let Some(reason) = counted.reason {
        answer = answer.field("reason", reason);
    }
    if let Some(classes) = classes {
        text += &format!(
            "{} classes under the symmetries of the board",
            classes.classes
        );
        answer = answer.field("classes", classes.classes.to_string());
        if let Some(by) = classes.by_symmetry {
            text += &format!(
                ": {} asymmetric, {} of binary and {} of quaternary symmetry",
                by.asymmetric, by.binary, by.quaternary
            );
            let by = [
                ("asymmetric", by.asymmetric),
                ("binary", by.binary),
                ("quaternary", by.quaternary),
            ];
            let by = by.map(|(name, n)| (name.to_owned(), n.to_string().into()));
            answer = answer.field("by_symmetry", Map::from_iter(by));
        }
        text.push('\n');
        answer = answer.work(&classes.work);
    }
    if let Some(by_start) = counted.by_start {
        let cell = |s| (!question.board.is_hole(s)).then(|| by_start[s].as_str());
        text += &format!(
            "directed, from each square:\n{}",
            terminal::boxed(grid, cell)
        );
        let fields: Map<_, Value> = names()
            .map(|(s, name)| (name, by_start[s].clone().into()))
            .collect();
        answer = answer.field("by_start", fields);
    }
    answer
        .bare(format!("{}\n", counted.count))
        .text(text)
        .work(&counted.work)
        .show(session)
}
