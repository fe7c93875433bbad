//! A command: one entry for the command line, servers, Python and the schema.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::sync::OnceLock;

use clap::{ArgMatches, Args, FromArgMatches};
use everymove_kernel::machine::Meter;
use everymove_kernel::run::{Reservation, Run, Stop};
use serde_json::Value;

use crate::envelope::{Cost, Envelope};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request, Updates, read_fields};
use crate::schema;
use crate::site::Site;
use crate::terminal::{Ended, OnTerminal, Screen};

/// A command of which only the name is known: what is asked and answered is JSON, or the words of a
/// command line.
pub struct Command {
    /// The words that ask it: `tours count`.
    pub name: &'static str,
    /// Whether servers answer it for others.
    pub is_served: bool,
    /// How it is asked on a terminal, if it is.
    pub on_terminal: Option<Terminal>,
    request: fn() -> Value,
    answer: fn() -> Value,
    fields: OnceLock<BTreeSet<String>>,
    prepare: fn(Value, Option<&Site>) -> Result<Prepared, Error>,
}

/// How a command is asked on a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Its arguments and options, and what it is about.
    pub arguments: fn(clap::Command) -> clap::Command,
    /// Answers what was asked and shows the answer.
    pub ask: fn(&ArgMatches, &dyn Screen) -> Result<Ended, Error>,
}

/// An answer as the bytes that are sent.
#[derive(Debug)]
pub struct JsonAnswer {
    /// Whether it is a yes or a sound no.
    pub outcome: Outcome,
    /// The answer in its [`Envelope`], as JSON.
    pub json: Vec<u8>,
    /// The memory of the JSON, of the budget of the run.
    pub held: Reservation,
}

/// A checked request, ready to be run.
pub type Prepared = Box<dyn FnOnce(&Run, &mut Updates<'_>) -> Result<JsonAnswer, Error> + Send>;

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Command").field(&self.name).finish()
    }
}

impl Command {
    /// The command that `R` asks, on a terminal too.
    pub(crate) fn shown<R: OnTerminal + 'static>() -> Self
    where
        R::Plan: Send + 'static,
    {
        Self {
            on_terminal: Some(Terminal {
                arguments: |command| {
                    let asked = R::augment_args(command);
                    // What the view is about would replace what the request is about.
                    let about = asked.get_about().cloned().unwrap_or_default();
                    R::View::augment_args(asked).about(about).long_about(None)
                },
                ask: |matches, screen| {
                    let wrong = |error: clap::Error| Error::message(None, one_line(&error));
                    let request = R::from_arg_matches(matches).map_err(wrong)?;
                    let view = R::View::from_arg_matches(matches).map_err(wrong)?;
                    request.ask(view, screen)
                },
            }),
            ..Self::of::<R>()
        }
    }

    /// The command that `R` asks, for programs.
    pub(crate) fn of<R: Request + 'static>() -> Self
    where
        R::Plan: Send + 'static,
    {
        Self {
            answer: schema::of_answer::<Envelope<R::Answer>>,
            ..Self::in_page::<R>()
        }
    }

    /// The command that `R` asks, for a page that answers it itself: without the schema of the
    /// answer, which is not small.
    pub fn in_page<R: Request + 'static>() -> Self
    where
        R::Plan: Send + 'static,
    {
        Self {
            name: R::COMMAND,
            is_served: R::IS_SERVED,
            on_terminal: None,
            request: schema::of_request::<R>,
            answer: || Value::Null,
            fields: OnceLock::new(),
            prepare: prepare::<R>,
        }
    }

    /// The schema of the request.
    pub fn request_schema(&self) -> Value {
        (self.request)()
    }

    /// The schema of the answer in its envelope.
    pub fn answer_schema(&self) -> Value {
        (self.answer)()
    }

    /// The names of the fields of the request.
    pub fn fields(&self) -> &BTreeSet<String> {
        self.fields
            .get_or_init(|| schema::property_names(&self.request_schema()))
    }

    /// Reads and checks a request; of others, what `site` allows them.
    ///
    /// # Errors
    /// [`Error`] of kind [`Input`](crate::ErrorKind::Input), with the name of the field that is
    /// wrong.
    pub fn prepare(&self, json: &[u8], site: Option<&Site>) -> Result<Prepared, Error> {
        let value = read_fields(json, self.fields())?;
        (self.prepare)(value, site)
    }
}

fn prepare<R: Request + 'static>(value: Value, site: Option<&Site>) -> Result<Prepared, Error>
where
    R::Plan: Send + 'static,
{
    let mut request: R = serde_json::from_value(value).map_err(|e| Error::input(None, e))?;
    if let Some(site) = site {
        request.restrict(site)?;
    }
    let plan = request.plan()?;
    let site = site.cloned();
    Ok(Box::new(move |run, updates| {
        let meter = Meter::start();
        let answer = match &site {
            Some(site) => R::run_for(&plan, site, run, updates)?,
            None => R::run_with_updates(&plan, run, updates)?,
        };
        let cost = Cost::now(&answer.work(), &meter);
        let outcome = answer.outcome();
        let envelope = Envelope::of::<R>(&answer, cost);
        let (json, held) = json_within(&|out| envelope.write(out), run)?;
        Ok(JsonAnswer {
            outcome,
            json,
            held,
        })
    }))
}

/// Writes JSON within the memory of a run, from which it is reserved.
fn json_within(
    write: &dyn Fn(&mut dyn Write) -> serde_json::Result<()>,
    run: &Run,
) -> Result<(Vec<u8>, Reservation), Error> {
    let mut json = Growing {
        bytes: Vec::new(),
        held: run.ram.reserve(ANSWER, 0)?,
        refused: None,
        stop: &run.stop,
    };
    match (write(&mut json), json.refused) {
        (Ok(()), _) => Ok((json.bytes, json.held)),
        (Err(_), Some(refused)) => Err(refused),
        (Err(error), None) => Err(Error::machine(error)),
    }
}

/// What the memory of an answer is called in a refusal.
const ANSWER: &str = "the answer as JSON";

/// Bytes that grow within a budget, until the run is stopped.
struct Growing<'a> {
    bytes: Vec<u8>,
    held: Reservation,
    /// Why they could not grow.
    refused: Option<Error>,
    stop: &'a Stop,
}

impl Growing<'_> {
    /// Takes memory for at least `more` further bytes.
    fn grow(&mut self, more: usize) -> Result<(), Error> {
        self.stop.check()?;
        let now = self.bytes.capacity();
        let then = (2 * now).max(self.bytes.len() + more).max(1 << 10);
        // While they are moved, both places are in use.
        self.held.resize(ANSWER, (now + then) as u64)?;
        self.bytes.reserve_exact(then - self.bytes.len());
        self.held.resize(ANSWER, self.bytes.capacity() as u64)?;
        Ok(())
    }
}

impl Write for Growing<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        if self.bytes.capacity() - self.bytes.len() < part.len()
            && let Err(error) = self.grow(part.len())
        {
            self.refused = Some(error);
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is wrong with a command line and what is expected, of clap's longer text: its first
/// paragraph, its tips and its usage line.
pub fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = text.split("\n\n").map(words);
    let mut line = parts.next().unwrap_or_default();
    for part in parts {
        if let Some(tip) = part.strip_prefix("tip: ") {
            line += &format!("; {tip}");
        } else if let Some(usage) = part.strip_prefix("Usage: ") {
            line += &format!(" (usage: {usage})");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::error::ErrorKind;

    /// The JSON of an answer is refused where it does not fit the memory of the run, and given up
    /// when the run is stopped.
    #[test]
    fn the_json_of_an_answer_is_within_the_memory_of_the_run() {
        let numbers = vec![7u64; 100_000];
        let of = |run: &Run| json_within(&|out| serde_json::to_writer(out, &numbers), run);
        let run = Run::new(1, Ram::limited(1 << 20));
        let (json, held) = of(&run).unwrap();
        assert_eq!(json.len(), 200_001);
        assert_eq!(
            (held.bytes(), run.ram.used()),
            (json.capacity() as u64, held.bytes())
        );
        assert!(run.ram.peak() < 3 * 262_144);
        drop(held);
        assert_eq!(run.ram.used(), 0);
        for limit in [0, 1, 1 << 10, 100_000, 200_000, 250_000] {
            let run = Run::new(1, Ram::limited(limit));
            let refused = of(&run).unwrap_err();
            assert!(
                matches!(refused.kind(), ErrorKind::Memory { need } if need > limit),
                "{refused}"
            );
            assert_eq!(run.ram.used(), 0);
        }
        let run = Run::serial();
        run.stop.raise();
        assert_eq!(of(&run).unwrap_err().kind(), ErrorKind::Stopped);
    }
}
