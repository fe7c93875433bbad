//! `everymove tours find`: one tour of any board that has one.

use std::path::PathBuf;

use everymove_kernel::files::{FileError, Output};
use everymove_tours::check;
use everymove_tours::construct::{self, FindError, Found, Method, Options};
use everymove_tours::formats::{Format, Writer};
use everymove_tours::question::Question;
use everymove_tours::tour::Tour;

use super::picture::{Picture, PictureArgs};
use super::question::{QuestionArgs, board_words, square};
use super::show;
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// Larger tours are not part of a JSON object: `--out` is the place for them.
const MAX_IN_JSON: usize = 1_000_000;

/// `everymove tours find`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,
    /// The first square
    #[arg(long, value_name = "SQUARE")]
    start: Option<String>,
    /// The last square
    #[arg(long, value_name = "SQUARE", conflicts_with = "closed")]
    end: Option<String>,
    /// Other seeds give other tours, equal seeds the same
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Write the tour into a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// grid, squares, csv, json or bin [default: grid into a file, boxes on the terminal]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    picture: PictureArgs,
}

struct Plan {
    question: Question,
    options: Options,
    out: Option<Output>,
    format: Option<Format>,
    picture: Option<Picture>,
}

impl Args {
    fn plan(&self) -> Result<Plan, Failure> {
        let question = self.question.plan()?;
        let start = square(&question.board, &self.start)?;
        let end = square(&question.board, &self.end)?;
        let options = Options {
            seed: self.seed,
            ..Options::default()
        };
        let format = self.format.as_deref().map(str::parse).transpose();
        let picture = self.picture.plan()?;
        if let Some(picture) = &picture {
            picture.fits(question.board.playable())?;
        }
        Ok(Plan {
            question: question.starting_on(start).ending_on(end),
            options,
            out: self.out.as_ref().map(Output::prepare).transpose()?,
            format: format.map_err(Failure::input)?,
            picture,
        })
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.plan()?;
    let Found { tour, method, work } =
        match session.work(|run| construct::find(&plan.question, plan.options, run)) {
            Ok(found) => found,
            Err(error) if error.is_answer() => return none(&plan, &error, session),
            Err(FindError::Stopped(_)) => return Err(Failure::stopped("")),
            Err(error @ FindError::NoSquare { .. }) => return Err(Failure::input(error)),
            Err(error) => return Err(Failure::resource(error)),
        };
    // Whoever found it, the checker has the last word.
    let report = check::verify(&tour, session.run.threads.get())
        .map_err(|fault| Failure::resource(format!("a wrong tour was constructed: {fault}")))?;
    let words = show::words(&tour, &report);
    let shown = shown(&plan, &tour, session)?;
    // What was asked for in a format goes out as that alone, for other programs to read.
    let text = match plan.format {
        Some(_) if plan.out.is_none() => shown.clone(),
        _ => format!("{shown}{words}, verified\n"),
    };
    let name = |square| tour.board().grid().name(square);
    let mut answer = Answer::new("tours find", Outcome::Yes)
        .field("board", tour.board().grid().to_string())
        .field("kind", tour.kind().to_string())
        .field("found", true)
        .field("method", method_name(method))
        .field("start", name(report.start))
        .field("end", name(report.end))
        .field("verified", true);
    if session.format == OutputFormat::Json && plan.out.is_none() && report.squares <= MAX_IN_JSON {
        answer = answer.field("tour", show::squares(&tour));
    }
    if let Some(out) = plan.out {
        let format = plan.format.unwrap_or(Format::Grid);
        let path = out.path().display().to_string();
        out.publish(|draft| -> Result<(), FileError> {
            let mut writer = Writer::new(draft, format);
            let written = writer.write(&tour).and_then(|()| writer.finish().map(drop));
            written.map_err(|e| FileError::io("write", path, e))
        })?;
    }
    if let Some(picture) = plan.picture {
        picture.draw(std::slice::from_ref(&tour))?;
    }
    answer
        .bare(shown.as_str())
        .text(text)
        .work(&work)
        .show(session)
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Search => "search",
        Method::Tiles => "tiles",
        Method::Boustrophedon => "boustrophedon",
    }
}

/// The tour as the terminal gets it: in the format that was asked for, in boxes if it is small, or not at all.
fn shown(plan: &Plan, tour: &Tour, session: &Session) -> Result<String, Failure> {
    if plan.out.is_some() || session.format == OutputFormat::Json {
        return Ok(String::new());
    }
    match plan.format {
        // Bytes and large boards go straight out: a copy in memory would be one too many.
        Some(format) => {
            let mut writer = Writer::new(std::io::stdout().lock(), format);
            writer.write(tour)?;
            drop(writer.finish()?);
            Ok(String::new())
        }
        None if show::fits(tour) => Ok(show::grid(tour)),
        None => Ok(String::new()),
    }
}

/// The sound answer that there is none, with its reason.
fn none(plan: &Plan, error: &FindError, session: &Session) -> Result<Outcome, Failure> {
    let reason = match error {
        FindError::Impossible(theorem) => theorem.to_string(),
        other => other.to_string(),
    };
    let question = &plan.question;
    let text = format!(
        "no {} tour of the {}: {reason}\n",
        question.kind,
        board_words(&question.board)
    );
    Answer::new("tours find", Outcome::No)
        .field("board", question.board.grid().to_string())
        .field("kind", question.kind.to_string())
        .field("found", false)
        .field("reason", reason)
        .text(text)
        .show(session)
}
