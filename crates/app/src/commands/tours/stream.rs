//! Tours written while they are found: there may be more than fit in memory.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use everymove_api::Cost;
use everymove_kernel::files::{FileError, Output};
use everymove_kernel::grid::Square;
use everymove_kernel::run::Work;
use everymove_tours::formats::{Format, Writer};
use everymove_tours::question::Question;
use everymove_tours::tour::Tour;
use serde_json::Value;

use super::picture::{self, Picture, PictureArgs};
use super::show::{self, FormatArg};
use crate::answer::footer;
use crate::failure::Failure;
use crate::output::Out;
use crate::session::{OutputFormat, Session};

/// The most tours of one picture.
const MAX_DRAWN: usize = 1000;

/// What commands that list tours share.
#[derive(Debug, clap::Args)]
pub(crate) struct StreamArgs {
    /// How the tours are written
    #[arg(long, value_enum, default_value = "squares")]
    format: FormatArg,
    /// Write the tours into this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureArgs,
}

/// How tours are to be listed, and where.
#[derive(Debug)]
pub(crate) struct StreamPlan {
    format: Format,
    out: Option<Output>,
    picture: Option<Picture>,
}

impl StreamArgs {
    pub(crate) fn plan(&self) -> Result<StreamPlan, Failure> {
        Ok(StreamPlan {
            format: self.format.into(),
            out: self.out.as_ref().map(Output::prepare).transpose()?,
            picture: self.picture.plan()?,
        })
    }
}

/// Tours that are written one by one.
pub(crate) struct Stream<'a> {
    session: &'a Session,
    question: &'a Question,
    picture: Option<Picture>,
    /// The first fields of the JSON object.
    fields: Vec<(&'static str, Value)>,
    out: Writer<Box<dyn Write + 'a>>,
    /// The file of the tours, if they do not go to standard output.
    file: Option<String>,
    json: io::BufWriter<Out>,
    written: u64,
    drawn: Vec<Tour>,
    failure: Option<Failure>,
}

/// Lets `list` write tours of `question`, to standard output or into a file, which is written whole or not at all.
/// `fields` come first in the JSON object, then `tours` and `count`. `list` returns its work, or `None` if it has shown
/// an answer itself.
pub(crate) fn write_tours(
    question: &Question,
    mut plan: StreamPlan,
    fields: Vec<(&'static str, Value)>,
    session: &Session,
    list: impl FnOnce(&mut Stream<'_>) -> Result<Option<Work>, Failure>,
) -> Result<(), Failure> {
    let listed = |mut stream: Stream<'_>| {
        let work = list(&mut stream)?;
        let written = stream.written();
        work.map(|work| stream.finish(&work)).transpose()?;
        Ok::<_, Failure>(written)
    };
    match plan.out.take() {
        None => {
            let out = Box::new(session.out());
            listed(Stream::new(question, plan, fields, session, out, None)).map(drop)
        }
        Some(out) => {
            let path = out.path().display().to_string();
            let written = out.publish(|draft| {
                listed(Stream::new(
                    question,
                    plan,
                    fields,
                    session,
                    Box::new(draft),
                    Some(path.clone()),
                ))
            })?;
            picture::report(session, &path, written);
            Ok(())
        }
    }
}

impl<'a> Stream<'a> {
    fn new(
        question: &'a Question,
        plan: StreamPlan,
        fields: Vec<(&'static str, Value)>,
        session: &'a Session,
        out: Box<dyn Write + 'a>,
        file: Option<String>,
    ) -> Self {
        Self {
            session,
            question,
            fields,
            out: Writer::new(out, plan.format),
            file,
            json: io::BufWriter::new(session.out()),
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
        let is_json = self.session.format == OutputFormat::Json;
        if is_json {
            if self.written == 0 {
                self.head()?;
            }
            let comma = if self.written == 0 { "" } else { "," };
            write!(self.json, "{comma}\"{}\"", show::squares(&tour))?;
        }
        if self.file.is_some() || !is_json {
            let written = self.out.write(&tour);
            written.map_err(|e| unwritten(self.file.as_deref(), e))?;
        }
        self.written += 1;
        if self.picture.is_some() {
            if self.drawn.len() == MAX_DRAWN {
                return Err(Failure::Input(format!(
                    "more than {MAX_DRAWN} tours in pictures: give --number {MAX_DRAWN} or less"
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
    fn finish(mut self, work: &Work) -> Result<(), Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let is_json = self.session.format == OutputFormat::Json;
        if is_json {
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
        if self.file.is_some() || !is_json {
            let finished = self.out.finish().map(drop);
            finished.map_err(|e| unwritten(self.file.as_deref(), e))?;
        }
        if self.session.format == OutputFormat::Full {
            let mut work = work.clone();
            work.add("tours", self.written);
            footer(self.session, &work);
        }
        match self.picture {
            Some(picture) => picture.draw(&self.drawn, self.session),
            None => Ok(()),
        }
    }
}

/// The failure to write tours into a file, or to standard output.
pub(super) fn unwritten(file: Option<&str>, error: io::Error) -> Failure {
    match file {
        Some(path) => FileError::io("write", path, error).into(),
        None => error.into(),
    }
}
