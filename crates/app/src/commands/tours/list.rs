//! `everymove tours list`: every tour of a small board.

use std::io::{self, Write};

use everymove_api::Request;
use everymove_api::tours::ListRequest;
use everymove_tours::question::Direction;

use super::stream::{StreamArgs, write_tours};
use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove tours list`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: ListRequest,
    #[command(flatten)]
    stream: StreamArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.request.plan()?;
    let question = &plan.question;
    let fields = vec![
        ("command", ListRequest::COMMAND.into()),
        ("board", question.board.grid().to_string().into()),
        ("kind", question.kind.to_string().into()),
        ("directed", (plan.direction == Direction::Directed).into()),
    ];
    let mut outcome = Outcome::No;
    write_tours(question, args.stream.plan()?, fields, session, |stream| {
        // No progress display: the tours themselves go to the terminal.
        let listed = plan.visit(&session.run, |order| stream.take(order))?;
        if let (Some(theorem), OutputFormat::Full) = (&listed.theorem, session.format) {
            let _ = writeln!(io::stderr(), "no tours: {theorem}");
        }
        outcome = Outcome::yes_if(stream.written() > 0 || plan.limit == 0);
        Ok(Some(listed.work))
    })?;
    Ok(outcome)
}
