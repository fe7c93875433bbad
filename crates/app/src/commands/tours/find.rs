//! `everymove tours find`: one tour of any board that has one.

use std::io::{self, Write};
use std::path::PathBuf;

use everymove_api as api;
use everymove_api::tours::{FindAnswer, FindRequest};
use everymove_api::{Answer as _, Request};
use everymove_kernel::files::{FileError, Output};
use everymove_kernel::run::Stop;
use everymove_tours::formats::{Format, Writer};
use everymove_tours::tour::Tour;

use super::picture::PictureArgs;
use super::show::{self, FormatArg};
use crate::answer::{self, Outcome, Text};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove tours find`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: FindRequest,
    /// Write the tour into a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How the tour is written [default: grid into a file, boxes on the terminal]
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    #[command(flatten)]
    picture: PictureArgs,
}

/// Tours of more squares are not in an answer for programs, and what one in it takes for each square.
const MOST_AS_TEXT: u64 = 1_000_000;
const BYTES_AS_TEXT: u64 = 36;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.request.plan()?;
    let format = args.format.map(Format::from);
    let picture = args.picture.plan()?;
    if let Some(picture) = &picture {
        picture.fits(plan.question.board.playable())?;
    }
    let out = args.out.as_ref().map(Output::prepare).transpose()?;
    // A tour that the answer holds as text.
    let squares = plan.question.board.playable() as u64;
    let is_text = session.format == OutputFormat::Json && out.is_none();
    let bytes = match is_text && squares <= MOST_AS_TEXT {
        true => BYTES_AS_TEXT * squares,
        false => 0,
    };
    let held = session.run.ram.reserve("the tour as text", bytes);
    let _held = held.map_err(|over| {
        let need = over.need + 6 * squares;
        api::Error::from(over.at_least(need))
    })?;
    let mut answer = session.work(|run| FindRequest::run(&plan, run))?;
    let Some((tour, report)) = answer.solution.take() else {
        let board = show::board_words(&plan.question.board);
        let reason = answer.reason.as_deref().unwrap_or_default();
        let full = format!("no {} tour of the {board}: {reason}\n", plan.question.kind);
        return answer::show::<FindRequest>(
            &answer,
            &Text {
                bare: String::new(),
                full,
            },
            session,
        );
    };
    let shown = match (&out, session.format) {
        (Some(_), _) | (_, OutputFormat::Json) => String::new(),
        _ => shown(format, &tour, session)?,
    };
    // What was asked for in a format goes out as that alone, for other programs to read.
    let full = match format {
        Some(_) if out.is_none() => String::new(),
        _ => format!("{shown}{}, verified\n", show::words(&tour, &report)),
    };
    if let Some(out) = out {
        session.work(|run| {
            run.progress.start("writing the tour", 0);
            write(out, format.unwrap_or(Format::Grid), &tour, &run.stop)
        })?;
        answer.tour = None;
    }
    if let Some(picture) = picture {
        picture.draw(std::slice::from_ref(&tour), session)?;
    }
    let outcome = answer.outcome();
    show(&answer, Text { bare: shown, full }, session).map(|_| outcome)
}

fn show(answer: &FindAnswer, text: Text, session: &Session) -> Result<Outcome, Failure> {
    answer::show::<FindRequest>(answer, &text, session)
}

/// The tour as the terminal shows it: in the format that was asked for, in boxes if it is small, or not at all.
fn shown(format: Option<Format>, tour: &Tour, session: &Session) -> Result<String, Failure> {
    match format {
        // Bytes and large boards are written at once: a copy in memory is avoided.
        Some(format) => {
            let mut writer = Writer::new(session.out(), format);
            writer.write(tour)?;
            writer.finish()?.flush()?;
            Ok(String::new())
        }
        None if show::fits(tour) => Ok(show::grid(tour)),
        None => Ok(String::new()),
    }
}

fn write(out: Output, format: Format, tour: &Tour, stop: &Stop) -> Result<(), Failure> {
    let path = out.path().display().to_string();
    out.publish(|draft| {
        let mut writer = Writer::new(UntilStopped(draft, stop), format);
        let written = writer.write(tour).and_then(|()| writer.finish().map(drop));
        written.map_err(|error| match stop.check() {
            Err(stopped) => api::Error::from(stopped).into(),
            Ok(()) => Failure::from(FileError::io("write", path, error)),
        })
    })
}

/// A file that takes no more bytes once a run is stopped.
struct UntilStopped<'a, W>(W, &'a Stop);

impl<W: Write> Write for UntilStopped<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.check().map_err(io::Error::other)?;
        self.0.write(&bytes[..bytes.len().min(1 << 20)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
