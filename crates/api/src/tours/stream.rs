//! Tours written while they are found: there may be more than fit in memory.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use everymove_kernel::files::{FileError, Output};
use everymove_kernel::grid::Square;
use everymove_kernel::run::Work;
use everymove_tours::formats::Writer;
use everymove_tours::question::Question;
use everymove_tours::tour::Tour;
use serde_json::Value;

use super::picture::{self, Picture, PictureView};
use super::text::squares;
use super::words::{FormatName, MagicTours};
use crate::envelope::Cost;
use crate::error::Error;
use crate::request::Outcome;
use crate::terminal::{self, Ended, Format, Screen};

/// The most tours of one picture.
const MAX_DRAWN: usize = 1000;

/// What commands that list tours share.
#[derive(Debug, clap::Args)]
pub struct StreamView {
    /// How the tours are written
    #[arg(long, value_enum, default_value = "squares")]
    format: FormatName,
    /// Write the tours into this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    picture: PictureView,
}

/// How tours are to be listed, and where.
#[derive(Debug)]
pub(super) struct StreamPlan {
    format: everymove_tours::formats::Format,
    out: Option<Output>,
    picture: Option<Picture>,
}

impl StreamView {
    pub(super) fn plan(&self) -> Result<StreamPlan, Error> {
        Ok(StreamPlan {
            format: self.format.into(),
            out: self.out.as_ref().map(Output::prepare).transpose()?,
            picture: self.picture.plan()?,
        })
    }
}

/// Tours that are written one by one.
pub(super) struct Stream<'a> {
    screen: &'a dyn Screen,
    question: &'a Question,
    picture: Option<Picture>,
    /// The first fields of the JSON object.
    fields: Vec<(&'static str, Value)>,
    out: Writer<Box<dyn Write + 'a>>,
    /// The file of the tours, if they do not go to standard output.
    file: Option<String>,
    json: io::BufWriter<Box<dyn Write + 'a>>,
    written: u64,
    magic: MagicTours,
    drawn: Vec<Tour>,
    failure: Option<Error>,
}

/// Lets `list` write tours of `question`, to standard output or into a file, which is written whole
/// or not at all. `fields` come first in the JSON object, then `tours`, `count` and `magic`. `list`
/// returns the outcome and its work.
pub(super) fn write_tours(
    question: &Question,
    mut plan: StreamPlan,
    fields: Vec<(&'static str, Value)>,
    screen: &dyn Screen,
    list: impl FnOnce(&mut Stream<'_>) -> Result<(Outcome, Work), Error>,
) -> Result<Ended, Error> {
    let listed = |mut stream: Stream<'_>| {
        let (outcome, mut work) = list(&mut stream)?;
        let written = stream.written();
        stream.finish(&work)?;
        work.add("tours", written);
        let ended = Ended {
            outcome,
            work: Some(work),
            fault: None,
        };
        Ok::<_, Error>((ended, written))
    };
    match plan.out.take() {
        None => {
            let out = screen.out();
            let (ended, _) = listed(Stream::new(question, plan, fields, screen, out, None))?;
            Ok(ended)
        }
        Some(out) => {
            let path = out.path().display().to_string();
            let (ended, written) = out.publish(|draft| {
                let (draft, path) = (Box::new(draft), Some(path.clone()));
                listed(Stream::new(question, plan, fields, screen, draft, path))
            })?;
            picture::report(screen, &path, written);
            Ok(ended)
        }
    }
}

impl<'a> Stream<'a> {
    fn new(
        question: &'a Question,
        plan: StreamPlan,
        fields: Vec<(&'static str, Value)>,
        screen: &'a dyn Screen,
        out: Box<dyn Write + 'a>,
        file: Option<String>,
    ) -> Self {
        Self {
            screen,
            question,
            fields,
            out: Writer::new(out, plan.format),
            file,
            json: io::BufWriter::new(screen.out()),
            picture: plan.picture,
            written: 0,
            magic: MagicTours::default(),
            drawn: Vec::new(),
            failure: None,
        }
    }

    /// How many tours were written.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Writes a tour given as its squares in order; breaks after a failure.
    pub(super) fn take(&mut self, order: &[Square]) -> ControlFlow<()> {
        match self.put(order) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn put(&mut self, order: &[Square]) -> Result<(), Error> {
        let (board, kind) = (&self.question.board, self.question.kind);
        let tour = Tour::from_order(board.clone(), kind, order);
        let is_json = self.screen.format() == Format::Json;
        if is_json {
            self.put_json(&tour).map_err(terminal::unwritten)?;
        }
        if self.file.is_some() || !is_json {
            let written = self.out.write(&tour);
            written.map_err(|e| unwritten(self.file.as_deref(), e))?;
        }
        self.written += 1;
        self.magic.add(self.written, &tour);
        if self.picture.is_some() {
            if self.drawn.len() == MAX_DRAWN {
                return Err(Error::message(
                    None,
                    format!(
                        "more than {MAX_DRAWN} tours in pictures: give --number {MAX_DRAWN} or less"
                    ),
                ));
            }
            self.drawn.push(tour);
        }
        Ok(())
    }

    fn put_json(&mut self, tour: &Tour) -> io::Result<()> {
        match self.written {
            0 => self.head()?,
            _ => self.json.write_all(b",")?,
        }
        write!(self.json, "\"{}\"", squares(tour))
    }

    fn end_json(&mut self, work: &Work) -> io::Result<()> {
        if self.written == 0 {
            self.head()?;
        }
        write!(self.json, "],\"count\":{},", self.written)?;
        let magic = self.magic.list();
        if !magic.is_empty() {
            write!(self.json, "\"magic\":{},", serde_json::to_string(&magic)?)?;
        }
        let cost = serde_json::to_string(&Cost::now(work, self.screen.meter()))?;
        // The fields of the cost without the opening brace of their object.
        let fields = cost.as_bytes().get(1..).unwrap_or_default();
        self.json.write_all(fields)?;
        self.json.write_all(b"\n")?;
        self.json.flush()
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
    fn finish(mut self, work: &Work) -> Result<(), Error> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let is_json = self.screen.format() == Format::Json;
        if is_json {
            self.end_json(work).map_err(terminal::unwritten)?;
        }
        if self.file.is_some() || !is_json {
            let finished = self.out.finish().map(drop);
            finished.map_err(|e| unwritten(self.file.as_deref(), e))?;
        }
        self.magic.report(self.screen);
        match self.picture {
            Some(picture) => picture.draw(&self.drawn, self.screen),
            None => Ok(()),
        }
    }
}

/// Tours could not be written into a file, or to standard output.
pub(super) fn unwritten(file: Option<&str>, error: io::Error) -> Error {
    match file {
        Some(path) => FileError::io("write", path, error).into(),
        None => terminal::unwritten(error),
    }
}
