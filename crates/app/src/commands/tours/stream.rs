//! Tours written while they are found: there may be more than fit in memory.

use std::io::{self, Write};
use std::ops::ControlFlow;

use everymove_api::Cost;
use everymove_kernel::grid::Square;
use everymove_kernel::run::Work;
use everymove_tours::formats::{Format, Writer};
use everymove_tours::question::Question;
use everymove_tours::tour::Tour;
use serde_json::Value;

use super::picture::{Picture, PictureArgs};
use super::show::{self, FormatArg};
use crate::answer::footer;
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// The most tours of one picture.
const MAX_DRAWN: usize = 1000;

/// What commands that list tours share.
#[derive(Debug, clap::Args)]
pub(crate) struct StreamArgs {
    /// How the tours are written
    #[arg(long, value_enum, default_value = "squares")]
    format: FormatArg,
    #[command(flatten)]
    picture: PictureArgs,
}

/// How tours are to be listed.
#[derive(Debug)]
pub(crate) struct StreamPlan {
    format: Format,
    picture: Option<Picture>,
}

impl StreamArgs {
    pub(crate) fn plan(&self) -> Result<StreamPlan, Failure> {
        Ok(StreamPlan {
            format: self.format.into(),
            picture: self.picture.plan()?,
        })
    }
}

/// Tours that are written to standard output one by one.
pub(crate) struct Stream<'a> {
    session: &'a Session,
    question: &'a Question,
    picture: Option<Picture>,
    /// The first fields of the JSON object.
    fields: Vec<(&'static str, Value)>,
    out: Writer<io::StdoutLock<'static>>,
    json: io::BufWriter<io::Stdout>,
    written: u64,
    drawn: Vec<Tour>,
    failure: Option<Failure>,
}

impl<'a> Stream<'a> {
    /// A stream of tours of `question`; `fields` come first in the JSON object, then `tours` and `count`.
    pub(crate) fn new(
        question: &'a Question,
        plan: StreamPlan,
        fields: Vec<(&'static str, Value)>,
        session: &'a Session,
    ) -> Self {
        Self {
            session,
            question,
            fields,
            out: Writer::new(io::stdout().lock(), plan.format),
            json: io::BufWriter::new(io::stdout()),
            picture: plan.picture,
            written: 0,
            drawn: Vec::new(),
            failure: None,
        }
    }

    /// How many tours were written.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Writes a tour given as its squares in order; breaks after a failure.
    pub(crate) fn take(&mut self, order: &[Square]) -> ControlFlow<()> {
        match self.put(order) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn put(&mut self, order: &[Square]) -> Result<(), Failure> {
        let (board, kind) = (&self.question.board, self.question.kind);
        let tour = Tour::from_order(board.clone(), kind, order);
        match self.session.format {
            OutputFormat::Json => {
                if self.written == 0 {
                    self.head()?;
                }
                let comma = if self.written == 0 { "" } else { "," };
                write!(self.json, "{comma}\"{}\"", show::squares(&tour))?;
            }
            OutputFormat::Human | OutputFormat::Quiet => self.out.write(&tour)?,
        }
        self.written += 1;
        if self.picture.is_some() {
            if self.drawn.len() == MAX_DRAWN {
                return Err(Failure::Input(format!(
                    "more than {MAX_DRAWN} tours in pictures: give --limit {MAX_DRAWN} or less"
                )));
            }
            self.drawn.push(tour);
        }
        Ok(())
    }

    /// The JSON object up to its list.
    fn head(&mut self) -> io::Result<()> {
        self.json.write_all(b"{")?;
        for (name, value) in &self.fields {
            write!(self.json, "\"{name}\":{value},")?;
        }
        self.json.write_all(b"\"tours\":[")
    }

    /// Ends the list, and draws the picture.
    pub(crate) fn finish(mut self, work: &Work) -> Result<(), Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        match self.session.format {
            OutputFormat::Json => {
                if self.written == 0 {
                    self.head()?;
                }
                write!(self.json, "],\"count\":{},", self.written)?;
                let cost = Cost::now(work, &self.session.meter);
                let cost = serde_json::to_string(&cost).map_err(io::Error::from)?;
                // The fields of the cost without the opening brace of their object.
                self.json
                    .write_all(cost.as_bytes().get(1..).unwrap_or_default())?;
                self.json.write_all(b"\n")?;
                self.json.flush()?;
            }
            OutputFormat::Quiet => self.out.finish()?.flush()?,
            OutputFormat::Human => {
                self.out.finish()?.flush()?;
                let mut work = work.clone();
                work.add("tours", self.written);
                footer(self.session, &work);
            }
        }
        match self.picture {
            Some(picture) => picture.draw(&self.drawn, self.session),
            None => Ok(()),
        }
    }
}
