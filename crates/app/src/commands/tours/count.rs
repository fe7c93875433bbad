//! `everymove tours count`: how many, by theory, by search or by frontier.

use std::str::FromStr;

use everymove_draw::terminal;
use everymove_kernel::run::Work;
use everymove_tours::search;
use everymove_tours::theory;
use serde_json::{Map, Value};

use super::question::{Question, QuestionArgs};
use super::search_failure;
use crate::answer::{Answer, Verdict};
use crate::failure::Failure;
use crate::session::Session;

/// Up to this many squares a search is over before a frontier has been planned.
const TINY: usize = 20;

/// `everymove tours count`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,
    /// A tour and its reverse are two
    #[arg(long)]
    directed: bool,
    /// Open tours from each square: a tour counts where it starts, its reverse where that does
    #[arg(long, conflicts_with = "closed")]
    by_start: bool,
    /// auto, search or frontier
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    method: String,
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
    method: Method,
}

/// A count and how it came about.
struct Counted {
    count: String,
    method: String,
    reason: Option<String>,
    by_start: Option<Vec<String>>,
    work: Work,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Verdict, Failure> {
    let plan = Plan {
        question: args.question.plan()?,
        directed: args.directed,
        by_start: args.by_start,
        method: args.method.parse()?,
    };
    let counted = count(&plan, session)?;
    show(&plan, counted, session)
}

fn count(plan: &Plan, session: &Session) -> Result<Counted, Failure> {
    let question = &plan.question;
    if plan.method == Method::Auto
        && let theory::Verdict::None(theorem) = theory::existence(&question.board, question.kind)
    {
        let squares = question.board.grid().len();
        return Ok(Counted {
            count: "0".into(),
            method: "theory".into(),
            reason: Some(theorem.to_string()),
            by_start: plan.by_start.then(|| vec!["0".into(); squares]),
            work: Work::default(),
        });
    }
    let method = match plan.method {
        Method::Auto if question.board.playable() <= TINY => Method::Search,
        Method::Auto => Method::Search,
        method => method,
    };
    match method {
        Method::Search | Method::Auto => by_search(plan, session),
        Method::Frontier => by_search(plan, session),
    }
}

fn by_search(plan: &Plan, session: &Session) -> Result<Counted, Failure> {
    let question = search::Question::new(plan.question.board.clone(), plan.question.kind);
    let counted = session
        .work(|run| search::count(&question, run))
        .map_err(|e| search_failure(e, session))?;
    let count = if plan.directed {
        counted.directed
    } else {
        counted.undirected()
    };
    let texts = |counts: &[u64]| counts.iter().map(u64::to_string).collect();
    Ok(Counted {
        count: count.to_string(),
        method: "search".into(),
        reason: None,
        by_start: plan.by_start.then(|| texts(&counted.by_start)),
        work: counted.work,
    })
}

fn show(plan: &Plan, counted: Counted, session: &Session) -> Result<Verdict, Failure> {
    let question = &plan.question;
    let direction = if plan.directed {
        "directed"
    } else {
        "undirected"
    };
    let mut text = format!(
        "{} {direction} {} tours of the {}\n",
        counted.count,
        question.kind,
        question.board_words()
    );
    if let Some(reason) = &counted.reason {
        text += &format!("{reason}\n");
    }
    let names = || {
        question
            .board
            .squares()
            .map(|s| (s, question.board.grid().name(s)))
    };
    let mut answer = Answer::new("tours count", Verdict::Yes)
        .field("board", question.board.grid().to_string())
        .field("kind", question.kind.to_string())
        .field("directed", plan.directed)
        .field("count", counted.count.as_str())
        .field("method", counted.method.as_str());
    if let Some(reason) = counted.reason {
        answer = answer.field("reason", reason);
    }
    if let Some(by_start) = counted.by_start {
        let grid = question.board.grid();
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
