//! `everymove tours list`: every tour of a small board.

use std::io::{self, Write};

use everymove_kernel::run::Work;
use everymove_tours::question::{Direction, Question};
use everymove_tours::search::{self, Method};
use everymove_tours::theory::{self, Existence};

use super::question::{QuestionArgs, square};
use super::search_failure;
use super::stream::{Stream, StreamArgs, StreamPlan};
use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove tours list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,
    /// A tour and its reverse are two
    #[arg(long)]
    directed: bool,
    /// Only tours that start here
    #[arg(long, value_name = "SQUARE")]
    start: Option<String>,
    /// Only open tours that end here
    #[arg(long, value_name = "SQUARE", conflicts_with = "closed")]
    end: Option<String>,
    #[command(flatten)]
    stream: StreamArgs,
}

struct Plan {
    question: Question,
    direction: Direction,
    stream: StreamPlan,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let question = self.question.plan()?;
        let start = square(&question.board, &self.start)?;
        let end = square(&question.board, &self.end)?;
        let direction = match self.directed {
            true => Direction::Directed,
            false => Direction::Undirected,
        };
        Ok(Plan {
            question: question.starting_on(start).ending_on(end),
            direction,
            stream: self.stream.plan()?,
        })
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.plan()?;
    let (board, kind) = (&plan.question.board, plan.question.kind);
    let fields = [
        ("command", "tours list".into()),
        ("board", board.grid().to_string().into()),
        ("kind", kind.to_string().into()),
        ("directed", (plan.direction == Direction::Directed).into()),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value)).into();
    let mut stream = Stream::new(&plan.question, plan.stream, fields, session);
    let mut work = Work::default();
    if let Existence::None(theorem) = theory::existence(&plan.question) {
        if session.format == OutputFormat::Human {
            let _ = writeln!(io::stderr(), "no tours: {theorem}");
        }
    } else if !stream.is_full() {
        // No progress display: the tours themselves go to the terminal.
        let (question, method) = (&plan.question, Method::default());
        work = search::visit(question, plan.direction, method, &session.run, |order| {
            stream.take(order)
        })
        .map_err(search_failure)?;
    }
    // Nothing was asked for, or something was found.
    let verdict = match stream.written() > 0 || stream.is_full() {
        true => Outcome::Yes,
        false => Outcome::No,
    };
    stream.finish(&work)?;
    Ok(verdict)
}
