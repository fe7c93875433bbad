//! `everymove tours draw`: the tours of a file as pictures.

use everymove_api::tours::DrawRequest;

use super::picture::PictureArgs;
use super::show;
use crate::answer::{self, Outcome, Text, ask};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tours draw`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: DrawRequest,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let picture = args.picture.plan()?;
    let answer = ask(&args.request, session)?;
    let boxes: Vec<_> = match picture {
        None => answer
            .list
            .iter()
            .map(|tour| show::grid(tour) + &show::line(tour))
            .collect(),
        Some(picture) => {
            picture.draw(&answer.list, session)?;
            Vec::new()
        }
    };
    let text = Text {
        bare: boxes.join("\n"),
        full: boxes.join("\n"),
    };
    answer::show::<DrawRequest>(&answer, &text, session)
}
