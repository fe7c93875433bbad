//! Answers on a terminal: what a command shows there, and the files that it writes.

use std::io::{self, Write};
use std::path::Path;

use everymove_kernel::files::{FileError, Output};
use everymove_kernel::machine::Meter;
use everymove_kernel::run::{Run, Stopped, Work};

use crate::envelope::{Cost, Envelope};
use crate::error::{Error, ErrorKind};
use crate::picture::Content;
use crate::request::{Answer, Outcome, Request};

/// An answer in words; lines that end with a line break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The bare answer.
    pub bare: String,
    /// What is shown otherwise.
    pub full: String,
}

impl Text {
    /// The same words for the bare answer.
    pub(crate) fn same(lines: String) -> Self {
        Self {
            bare: lines.clone(),
            full: lines,
        }
    }
}

/// How answers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Full,
    /// The bare answer.
    Bare,
    /// For programs.
    Json,
}

/// A terminal, or whatever is in its place.
pub trait Screen {
    /// Threads, memory, stop flag and progress.
    fn run(&self) -> &Run;

    /// The numbers of threads that were given; several where a command compares them.
    fn threads(&self) -> &[usize];

    /// Running since the start.
    fn meter(&self) -> &Meter;

    /// How answers are shown.
    fn format(&self) -> Format;

    /// The commit that the program is built from.
    fn commit(&self) -> &str;

    /// Whether progress is shown while work is done.
    fn is_live(&self) -> bool;

    /// Does some work under a display of its progress.
    fn work(&self, work: &mut dyn FnMut(&Run));

    /// Where answers go.
    fn out(&self) -> Box<dyn Write + '_>;

    /// Shows a line beside the answer.
    fn note(&self, line: &str);
}

/// Does some work under a display of its progress.
pub(crate) fn under_display<T>(screen: &dyn Screen, work: impl FnOnce(&Run) -> T) -> T {
    let (mut work, mut done) = (Some(work), None);
    screen.work(&mut |run| done = work.take().map(|work| work(run)));
    done.expect("work is done once")
}

/// What is shown of an answer.
#[derive(Debug, Default)]
pub struct Shown {
    /// The answer in words.
    pub text: Text,
    /// The contents of the files, in the order of [`OnTerminal::files`]; of an answer that has
    /// none, fewer.
    pub files: Vec<Content>,
}

impl From<Text> for Shown {
    fn from(text: Text) -> Self {
        Self {
            text,
            files: Vec::new(),
        }
    }
}

/// What was shown.
#[derive(Debug)]
pub struct Ended {
    /// Whether the answer is a yes or a sound no.
    pub outcome: Outcome,
    /// What it took; none where that is not shown.
    pub work: Option<Work>,
    /// What is wrong with an answer that was shown.
    pub fault: Option<Error>,
}

/// A command on a terminal.
pub trait OnTerminal: Request + clap::Args {
    /// What can be asked for on a terminal only: how the answer is shown, and files of it.
    type View: clap::Args;

    /// Takes what a terminal gives in other ways: the text of a file in place of its name, the
    /// words of one argument.
    ///
    /// # Errors
    /// [`Error`] if a file cannot be read.
    fn complete(&mut self, view: &mut Self::View, run: &Run) -> Result<Source, Error> {
        let _ = (view, run);
        Ok(Source::default())
    }

    /// The files that are written; whether they can be is found out before the work.
    ///
    /// # Errors
    /// [`Error`] if what is asked for makes no sense.
    fn files(view: &Self::View) -> Result<Vec<&Path>, Error> {
        let _ = view;
        Ok(Vec::new())
    }

    /// The answer in words, and its files; nothing where words and files are written during the
    /// work.
    ///
    /// # Errors
    /// [`Error`] if it cannot be drawn.
    fn show(plan: &Self::Plan, answer: &Self::Answer, view: &Self::View) -> Result<Shown, Error> {
        let _ = (plan, answer, view);
        Ok(Shown::default())
    }

    /// Says beside an error what a person can do about it.
    fn advise(&self, error: Error) -> Error {
        error
    }

    /// Answers a checked question; what is known early may be shown at once.
    ///
    /// # Errors
    /// As [`Request::run`].
    fn run_on(plan: &Self::Plan, screen: &dyn Screen) -> Result<Self::Answer, Error> {
        under_display(screen, |run| Self::run(plan, run))
    }

    /// Answers the request and shows the answer.
    ///
    /// # Errors
    /// [`Error`] if there is no answer, or it cannot be written.
    fn ask(self, view: Self::View, screen: &dyn Screen) -> Result<Ended, Error> {
        ask(self, view, screen)
    }
}

/// Answers a request and shows the answer.
pub(crate) fn ask<R: OnTerminal>(
    mut request: R,
    mut view: R::View,
    screen: &dyn Screen,
) -> Result<Ended, Error> {
    let source = request.complete(&mut view, screen.run())?;
    let plan = request.plan().map_err(|error| source.named(error));
    let plan = plan.map_err(|error| request.advise(error))?;
    let outputs = prepared(R::files(&view)?)?;
    let answer = R::run_on(&plan, screen).map_err(|error| request.advise(error))?;
    let shown = R::show(&plan, &answer, &view)?;
    for (output, content) in outputs.into_iter().zip(shown.files) {
        let bytes = content.bytes(screen.run())?;
        output.publish(|draft| draft.put(&bytes))?;
    }
    write_answer::<R>(&answer, &shown.text, screen)
}

/// Files that are known to be writable.
pub(crate) fn prepared(files: Vec<&Path>) -> Result<Vec<Output>, Error> {
    let outputs = files.into_iter().map(|path| Ok(Output::prepare(path)?));
    outputs.collect()
}

/// Shows the answer to a request of type `R`, as text or as JSON.
///
/// # Errors
/// [`Error`] if it cannot be written.
pub fn write_answer<R: Request>(
    answer: &impl Answer,
    text: &Text,
    screen: &dyn Screen,
) -> Result<Ended, Error> {
    let mut out = screen.out();
    let written = match screen.format() {
        Format::Json => {
            let cost = Cost::now(&answer.work(), screen.meter());
            let envelope = Envelope::of::<R>(answer, cost);
            let written = envelope.write(&mut out).map_err(io::Error::from);
            written.and_then(|()| out.write_all(b"\n"))
        }
        Format::Bare => out.write_all(text.bare.as_bytes()),
        Format::Full => out.write_all(text.full.as_bytes()),
    };
    written.and_then(|()| out.flush()).map_err(unwritten)?;
    if screen.format() != Format::Json {
        for note in answer.notes() {
            screen.note(note);
        }
        for fault in answer.table_faults() {
            screen.note(&format!("not used: {fault}"));
        }
    }
    Ok(Ended {
        outcome: answer.outcome(),
        work: Some(answer.work()),
        fault: None,
    })
}

/// Standard output could not be written.
pub fn unwritten(error: io::Error) -> Error {
    let inner = error.get_ref();
    let stopped = inner.and_then(|inner| inner.downcast_ref::<Stopped>());
    match stopped {
        Some(&stopped) => stopped.into(),
        None => FileError::io("write to", "standard output", error).into(),
    }
}

/// Where the text of a request came from: a file, which errors name, or the command line.
#[derive(Debug, Default)]
pub struct Source(pub(crate) Option<String>);

impl Source {
    /// An error of the text with the name of the file before it.
    pub fn named(&self, error: Error) -> Error {
        match (&self.0, error.kind()) {
            (Some(name), ErrorKind::Input) => error.in_file(name),
            _ => error,
        }
    }
}
