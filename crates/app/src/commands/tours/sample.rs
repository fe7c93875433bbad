//! `everymove tours sample`, `rank`, `unrank`: the tours of a board by number.

use std::io::{self, Write};
use std::path::PathBuf;

use everymove_api::tours::{RankRequest, SampleRequest, TourText, UnrankRequest};
use everymove_api::{Answer, Request};
use everymove_kernel::files::Output;
use everymove_tours::formats::Writer;
use everymove_tours::tour::Tour;

use super::picture::{self, PictureArgs};
use super::show::{self, FormatArg};
use super::stream::unwritten;
use crate::answer::{self, Outcome, Text, ask};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// What commands that write a few tours share.
#[derive(Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// How the tours are written
    #[arg(long, value_enum, default_value = "grid")]
    format: FormatArg,
    /// Write the tours into this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureArgs,
}

/// `everymove tours sample`.
#[derive(Debug, clap::Args)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    request: SampleRequest,
    #[command(flatten)]
    write: WriteArgs,
}

/// `everymove tours unrank`.
#[derive(Debug, clap::Args)]
pub(crate) struct UnrankArgs {
    #[command(flatten)]
    request: UnrankRequest,
    #[command(flatten)]
    write: WriteArgs,
}

pub(crate) fn sample(args: &SampleArgs, session: &Session) -> Result<Outcome, Failure> {
    let tours = |answer: &everymove_api::tours::SampleAnswer| answer.tours.clone();
    answered(&args.request, &args.write, tours, session, |answer| {
        let board = show::board_words(&answer.question.board);
        let kind = answer.question.kind;
        let reason = answer.reason.as_deref().unwrap_or_default();
        format!("no {kind} tours of the {board}: {reason}\n")
    })
}

pub(crate) fn unrank(args: &UnrankArgs, session: &Session) -> Result<Outcome, Failure> {
    let tours = |answer: &everymove_api::tours::UnrankAnswer| Some(answer.tours.clone());
    answered(&args.request, &args.write, tours, session, |_| {
        String::new()
    })
}

/// Answers a request for tours: writes them in the format asked for, and draws them. `none` is the text where there are
/// none.
fn answered<R: Request>(
    request: &R,
    write: &WriteArgs,
    tours: impl FnOnce(&R::Answer) -> Option<Vec<TourText>>,
    session: &Session,
    none: impl FnOnce(&R::Answer) -> String,
) -> Result<Outcome, Failure> {
    let picture = write.picture.plan()?;
    let out = write.out.as_ref().map(Output::prepare).transpose()?;
    let answer = ask(request, session)?;
    if answer.outcome() == Outcome::No {
        let text = Text {
            bare: String::new(),
            full: none(&answer),
        };
        return answer::show::<R>(&answer, &text, session);
    }
    let tours = tours(&answer).unwrap_or_default();
    let tours: Vec<_> = tours.into_iter().map(|TourText(tour)| tour).collect();
    match out {
        Some(out) => {
            let path = out.path().display().to_string();
            out.publish(|draft| {
                let written = put(&tours, write.format, draft);
                written.map_err(|e| unwritten(Some(&path), e))
            })?;
            picture::report(session, &path, tours.len() as u64);
        }
        None if session.format == OutputFormat::Json => {}
        // The tours are the answer; what is left to show is what they cost.
        None => put(&tours, write.format, session.out())?,
    }
    let outcome = answer::show::<R>(&answer, &Text::default(), session)?;
    if let Some(picture) = picture {
        picture.draw(&tours, session)?;
    }
    Ok(outcome)
}

/// Writes tours in a format.
fn put(tours: &[Tour], format: FormatArg, out: impl Write) -> io::Result<()> {
    let mut writer = Writer::new(out, format.into());
    for tour in tours {
        writer.write(tour)?;
    }
    writer.finish()?.flush()
}

pub(crate) fn rank(request: &RankRequest, session: &Session) -> Result<Outcome, Failure> {
    let answer = ask(request, session)?;
    let lines: String = answer
        .ranks
        .iter()
        .map(|rank| format!("{rank}\n"))
        .collect();
    let text = Text {
        bare: lines.clone(),
        full: lines,
    };
    answer::show::<RankRequest>(&answer, &text, session)
}
