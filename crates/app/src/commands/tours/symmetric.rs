//! `everymove tours symmetric`: tours that a rotation maps onto themselves.

use everymove_api::Request;
use everymove_api::tours::{Rotation, SymmetricAnswer, SymmetricPlan, SymmetricRequest};
use everymove_tours::symmetric::SymmetricError;

use super::show::board_words;
use super::stream::{StreamArgs, write_tours};
use crate::answer::{self, Outcome, Text, ask};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tours symmetric`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: SymmetricRequest,
    #[command(flatten)]
    stream: StreamArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.request.plan()?;
    if plan.list {
        return list(&plan, args, session);
    }
    let answer = ask(&args.request, session)?;
    show(&answer, session)
}

fn show(answer: &SymmetricAnswer, session: &Session) -> Result<Outcome, Failure> {
    answer::show::<SymmetricRequest>(answer, &text(answer), session)
}

fn text(answer: &SymmetricAnswer) -> Text {
    let board = board_words(&answer.question.board);
    let zero = |n: Option<u64>| n.unwrap_or(0);
    let (bare, full) = match (&answer.reason, answer.quarter_paths) {
        (Some(reason), _) => ("0\n".to_owned(), format!("0: {reason}\n")),
        (None, Some(paths)) => {
            let (a, b) = (zero(answer.type_a), zero(answer.type_b));
            let full = format!(
                "{paths} quarter paths of the {board}, one start per orbit\n\
                 {a} make an open tour of type A: four copies, then the centre\n\
                 {b} make an open tour of type B: the centre between two copies and two\n"
            );
            (format!("{paths} {a} {b}\n"), full)
        }
        (None, None) => {
            let rotation = match answer.rotation {
                Rotation::Half => "half turn",
                Rotation::Quarter => "quarter turn",
            };
            let diagrams = zero(answer.diagrams);
            let full = format!(
                "{diagrams} closed tours of the {board} are symmetric under a {rotation}\n"
            );
            (format!("{diagrams}\n"), full)
        }
    };
    Text { bare, full }
}

fn list(plan: &SymmetricPlan, args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let question = &plan.question;
    let rotation = match plan.rotation {
        Rotation::Half => "half",
        Rotation::Quarter => "quarter",
    };
    let fields = vec![
        ("command", SymmetricRequest::COMMAND.into()),
        ("board", question.board.grid().to_string().into()),
        ("kind", question.kind.to_string().into()),
        ("rotation", rotation.into()),
    ];
    let mut outcome = Outcome::No;
    let mut impossible = None;
    write_tours(
        question,
        args.stream.plan()?,
        fields,
        session,
        |stream| match plan.visit(&session.run, |order| stream.take(order)) {
            Ok(work) => {
                outcome = Outcome::yes_if(stream.written() > 0);
                Ok(Some(work))
            }
            Err(error @ SymmetricError::Impossible { .. }) => {
                impossible = Some(error);
                Ok(None)
            }
            Err(error) => Err(everymove_api::Error::from(error).into()),
        },
    )?;
    match impossible {
        Some(error) => show(&plan.impossible(&error), session),
        None => Ok(outcome),
    }
}
