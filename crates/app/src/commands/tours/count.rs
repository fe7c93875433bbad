//! `everymove tours count`: how many tours there are.

use std::path::PathBuf;

use everymove_draw::terminal;
use everymove_tours::frontier::FrontierError;
use everymove_tours::question::{Direction, Question};
use everymove_tours::{Count, CountError, CountOptions, MethodChoice};
use serde_json::{Map, Value};

use super::question::{QuestionArgs, board_words, square};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

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

struct Plan {
    question: Question,
    options: CountOptions,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let question = self.question.plan()?;
        let method = match self.method.as_str() {
            "auto" => MethodChoice::Auto,
            "search" => MethodChoice::Search,
            "frontier" => MethodChoice::Frontier,
            other => {
                return Err(Failure::Input(format!(
                    "'{other}' is not a method: expected auto, search or frontier"
                )));
            }
        };
        if method == MethodChoice::Search && self.checkpoint.is_some() {
            let line = "a search has no checkpoints: leave out --checkpoint, or --method search";
            return Err(Failure::Input(line.into()));
        }
        let direction = match self.directed {
            true => Direction::Directed,
            false => Direction::Undirected,
        };
        let start = square(&question.board, &self.start)?;
        Ok(Plan {
            options: CountOptions {
                direction,
                by_start: self.by_start,
                classes: self.classes,
                method,
                checkpoint: self.checkpoint.clone(),
            },
            question: question.starting_on(start),
        })
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.plan()?;
    let advice = match plan.options.checkpoint {
        Some(_) => "the same command resumes from the checkpoint",
        None => "",
    };
    let counted = session
        .work(|run| everymove_tours::count(&plan.question, &plan.options, run))
        .map_err(|error| failure(error, advice))?;
    show(&plan, counted, session)
}

fn failure(error: CountError, advice: &str) -> Failure {
    match error {
        CountError::Stopped(_) => Failure::stopped(advice),
        CountError::OverBudget(error) => Failure::resource(error),
        CountError::Frontier(FrontierError::File(error)) => error.into(),
        error => Failure::input(error),
    }
}

fn show(plan: &Plan, counted: Count, session: &Session) -> Result<Outcome, Failure> {
    let question = &plan.question;
    let grid = question.board.grid();
    let directed = plan.options.direction == Direction::Directed;
    let direction = match (question.start, directed) {
        (Some(start), _) => format!(" from {}", grid.name(start)),
        (None, true) => ", directed".to_owned(),
        (None, false) => String::new(),
    };
    let reason = counted.theorem.map(|theorem| theorem.to_string());
    let mut text = format!(
        "{} {} tours of the {}{direction}\n",
        counted.count,
        question.kind,
        board_words(&question.board)
    );
    if let Some(reason) = &reason {
        text += &format!("{reason}\n");
    }
    let names = || question.board.squares().map(|s| (s, grid.name(s)));
    let mut answer = Answer::new("tours count", Outcome::Yes)
        .field("board", grid.to_string())
        .field("kind", question.kind.to_string())
        .field("directed", directed)
        .field("count", counted.count.to_string())
        .field("method", counted.method.to_string())
        .field("method_reason", counted.method_reason);
    if let Some(start) = question.start {
        answer = answer.field("start", grid.name(start));
    }
    if let Some(reason) = reason {
        answer = answer.field("reason", reason);
    }
    if let Some(classes) = counted.classes {
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
    }
    if let Some(by_start) = counted.by_start {
        let cell = |s| (!question.board.is_hole(s)).then(|| by_start[s].to_string());
        text += &format!(
            "directed, from each square:\n{}",
            terminal::boxed(grid, cell)
        );
        let fields: Map<_, Value> = names()
            .map(|(s, name)| (name, by_start[s].to_string().into()))
            .collect();
        answer = answer.field("by_start", fields);
    }
    answer
        .bare(format!("{}\n", counted.count))
        .text(text)
        .work(&counted.work)
        .show(session)
}
