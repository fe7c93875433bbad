//! `everymove tours exists`: what theory says.

use everymove_tours::theory::{self, Ends};

use super::question::QuestionArgs;
use crate::answer::{Answer, Verdict};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tours exists`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,
    /// Only tours that start here
    #[arg(long, value_name = "SQUARE")]
    start: Option<String>,
    /// Only tours that end here
    #[arg(long, value_name = "SQUARE")]
    end: Option<String>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Verdict, Failure> {
    let question = args.question.plan()?;
    let ends = Ends {
        start: question.square(&args.start)?,
        end: question.square(&args.end)?,
    };
    let (word, verdict, reason) =
        match theory::existence_between(&question.board, question.kind, ends) {
            theory::Verdict::Exists(theorem) => ("yes", Verdict::Yes, theorem.to_string()),
            theory::Verdict::None(theorem) => ("no", Verdict::No, theorem.to_string()),
            theory::Verdict::Unknown => {
                let reason = "no theorem known here settles it: search with tours find or count";
                ("unknown", Verdict::Yes, reason.to_owned())
            }
        };
    let board = question.board.grid().to_string();
    Answer::new("tours exists", verdict)
        .field("board", board)
        .field("kind", question.kind.to_string())
        .field("exists", word)
        .field("reason", reason.as_str())
        .bare(format!("{word}\n"))
        .text(format!("{word}: {reason}\n"))
        .show(session)
}
