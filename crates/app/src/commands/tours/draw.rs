//! `everymove tours draw`: tours of a file as pictures.

use everymove_tours::check;

use super::picture::PictureArgs;
use super::read::FileArgs;
use super::show;
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tours draw`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let picture = args.picture.plan()?;
    let mut tours = Vec::new();
    for tour in args.file.open(session)? {
        let tour = tour.map_err(|e| args.file.failure(e))?;
        // What is no tour has no line to draw.
        check::verify(&tour, session.run.threads.get())
            .map_err(|fault| Failure::Input(format!("tour {}: {fault}", tours.len() + 1)))?;
        tours.push(tour);
    }
    let text = match (&picture, &tours[..]) {
        (None, tours) => tours
            .iter()
            .map(|tour| show::grid(tour) + &show::line(tour))
            .collect::<Vec<_>>()
            .join("\n"),
        (Some(_), _) => String::new(),
    };
    let count = tours.len();
    if let Some(picture) = picture {
        picture.draw(&tours)?;
    }
    Answer::new("tours draw", Outcome::Yes)
        .bare(text.as_str())
        .text(text)
        .field("tours", count)
        .show(session)
}
