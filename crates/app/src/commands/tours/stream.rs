//! Tours written while they are found: there may be more than fit in memory.

use std::io::{self, Write};
use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::run::Work;
use everymove_tours::formats::{Format, Writer};
use everymove_tours::question::Question;
use everymove_tours::tour::Tour;
use serde_json::Value;

use super::picture::{Picture, PictureArgs};
use super::show;
use crate::answer::{Fields, cost, footer};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// More tours than this make a sheet that nobody looks at.
const MAX_DRAWN: usize = 1000;

/// What commands that list tours share.
#[derive(Debug, clap::Args)]
pub(crate) struct StreamArgs {
    /// No more than this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// grid, squares, csv, json or bin
    #[arg(long, value_name = "FORMAT", default_value = "squares")]
    format: String,
    #[command(flatten)]
    picture: PictureArgs,
}

/// How tours are to be listed.
#[derive(Debug)]
pub(crate) struct StreamPlan {
    limit: u64,
    format: Format,
    picture: Option<Picture>,
}

impl StreamArgs {
    pub(crate) fn plan(&self) -> Result<StreamPlan, Failure> {
        Ok(StreamPlan {
            limit: self.limit.unwrap_or(u64::MAX),
            format: self.format.parse().map_err(Failure::input)?,
            picture: self.picture.plan()?,
        })
    }
}

/// Tours on their way to standard output.
pub(crate) struct Stream<'a> {
    session: &'a Session,
    question: &'a Question,
    plan: StreamPlan,
    /// The first fields of the JSON object.
    fields: Fields,
    out: Writer<io::StdoutLock<'static>>,
    json: io::BufWriter<io::Stdout>,
    written: u64,
    drawn: Vec<Tour>,
    trouble: Option<Failure>,
}

impl<'a> Stream<'a> {
    /// A stream of tours of `question`; `fields` come first in the JSON object.
    pub(crate) fn new(
        question: &'a Question,
        plan: StreamPlan,
        fields: Fields,
        session: &'a Session,
    ) -> Self {
        Self {
            session,
            question,
            fields,
            out: Writer::new(io::stdout().lock(), plan.format),
            json: io::BufWriter::new(io::stdout()),
            plan,
            written: 0,
            drawn: Vec::new(),
            trouble: None,
        }
    }

    /// Whether no more tours are wanted.
    pub(crate) fn is_full(&self) -> bool {
        self.written >= self.plan.limit || self.trouble.is_some()
    }

    /// How many tours there were.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Takes a tour as its squares in order, and says whether more are wanted.
    pub(crate) fn take(&mut self, order: &[Square]) -> ControlFlow<()> {
        if let Err(error) = self.put(order) {
            self.trouble = Some(error);
        }
        match self.is_full() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
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
        if self.plan.picture.is_some() {
            if self.drawn.len() == MAX_DRAWN {
                return Err(Failure::Input(format!(
                    "more than {MAX_DRAWN} tours on one picture: give --limit {MAX_DRAWN} or less"
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
            write!(self.json, "{}:{value},", Value::from(name.as_str()))?;
        }
        self.json.write_all(b"\"tours\":[")
    }

    /// Ends the list, and draws the picture.
    pub(crate) fn finish(mut self, work: &Work) -> Result<(), Failure> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        match self.session.format {
            OutputFormat::Json => {
                if self.written == 0 {
                    self.head()?;
                }
                write!(self.json, "],\"count\":{}", self.written)?;
                for (name, value) in cost(self.session, work) {
                    write!(self.json, ",\"{name}\":{value}")?;
                }
                self.json.write_all(b"}\n")?;
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
        match self.plan.picture {
            Some(picture) => picture.draw(&self.drawn),
            None => Ok(()),
        }
    }
}
