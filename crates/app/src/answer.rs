//! An answer, shown for people or for programs.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

pub(crate) use everymove_api::Outcome;
use everymove_api::{Answer as _, Cost, Envelope, Request};
use everymove_kernel::machine;
use everymove_kernel::run::{Bytes, Work};
use serde::Serializer;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// The exit code of an outcome.
pub(crate) fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Outcome::Yes => ExitCode::SUCCESS,
        Outcome::No => ExitCode::from(1),
    }
}

/// An answer for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// What `--quiet` shows; lines that end with a line break.
    pub(crate) bare: String,
    /// What is shown otherwise; lines that end with a line break.
    pub(crate) full: String,
}

/// Checks a request and answers it under the progress line.
pub(crate) fn ask<R: Request>(request: &R, session: &Session) -> Result<R::Answer, Failure> {
    let plan = request.plan()?;
    Ok(session.work(|run| R::run(&plan, run))?)
}

/// Shows the answer to a request of type `R` on standard output, as text or as JSON, and below a text its work and time
/// on standard error.
pub(crate) fn show<R: Request>(
    answer: &R::Answer,
    text: &Text,
    session: &Session,
) -> Result<Outcome, Failure> {
    let mut out = io::stdout().lock();
    match session.format {
        OutputFormat::Json => {
            let cost = Cost::now(&answer.work(), &session.meter);
            let envelope = Envelope::of::<R>(answer, cost);
            serde_json::to_writer(&mut out, &envelope).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
        OutputFormat::Quiet => out.write_all(text.bare.as_bytes())?,
        OutputFormat::Human => {
            out.write_all(text.full.as_bytes())?;
            out.flush()?;
            footer(session, &answer.work());
        }
    }
    out.flush()?;
    Ok(answer.outcome())
}

/// An answer with what it cost.
#[derive(Debug)]
pub(crate) struct Answer {
    command: &'static str,
    verdict: Outcome,
    bare: String,
    text: String,
    fields: Fields,
    work: Work,
}

/// Names and values of a JSON object in the order in which they are shown.
pub(crate) type Fields = Vec<(String, Value)>;

impl Answer {
    /// An answer of `command`, as the JSON object calls it.
    pub(crate) fn new(command: &'static str, verdict: Outcome) -> Self {
        Self {
            command,
            verdict,
            bare: String::new(),
            text: String::new(),
            fields: Fields::new(),
            work: Work::default(),
        }
    }

    /// The answer for people; lines that end with a line break.
    pub(crate) fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// What `--quiet` shows in place of the text.
    pub(crate) fn bare(mut self, text: impl Into<String>) -> Self {
        self.bare = text.into();
        self
    }

    /// A field of the JSON object.
    pub(crate) fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.push((name.to_owned(), value.into()));
        self
    }

    /// What the answer cost.
    pub(crate) fn work(mut self, work: &Work) -> Self {
        self.work.merge(work);
        self
    }

    /// Shows the answer on standard output, and its work and time on standard error.
    pub(crate) fn show(self, session: &Session) -> Result<Outcome, Failure> {
        let mut out = io::stdout().lock();
        match session.format {
            OutputFormat::Json => {
                let fields = self.object(session);
                let mut json = serde_json::Serializer::new(&mut out);
                (json.collect_map(fields)).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
            }
            OutputFormat::Quiet => out.write_all(self.bare.as_bytes())?,
            OutputFormat::Human => {
                out.write_all(self.text.as_bytes())?;
                out.flush()?;
                footer(session, &self.work);
            }
        }
        out.flush()?;
        Ok(self.verdict)
    }

    fn object(&self, session: &Session) -> Fields {
        let mut object = vec![("command".to_owned(), self.command.into())];
        object.extend(self.fields.iter().cloned());
        object.extend(cost(session, &self.work));
        object
    }
}

/// The fields that every JSON object carries beside its command and its answer.
pub(crate) fn cost(session: &Session, work: &Work) -> Fields {
    let work: Map<_, _> = (work.iter())
        .map(|(unit, n)| (unit.to_owned(), number(n)))
        .collect();
    let seconds = |s: f64| json!((s * 1e6).round() / 1e6);
    let fields = [
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("work", work.into()),
        ("cpu_seconds", seconds(session.meter.cpu_seconds())),
        ("wall_seconds", seconds(session.meter.wall_seconds())),
        ("peak_rss_bytes", json!(machine::peak_rss_bytes())),
    ];
    fields.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A number, or its text where a JSON reader might round it.
fn number(n: u64) -> Value {
    if n < 1 << 53 {
        json!(n)
    } else {
        json!(n.to_string())
    }
}

/// Work, time and memory in a faint line.
pub(crate) fn footer(session: &Session, work: &Work) {
    let mut parts: Vec<String> = work
        .iter()
        .map(|(unit, n)| format!("{} {}", grouped(n), unit.replace('_', " ")))
        .collect();
    parts.push(format!("{:.2} CPU-s", session.meter.cpu_seconds()));
    parts.push(format!("{:.2} s", session.meter.wall_seconds()));
    if let Some(peak) = machine::peak_rss_bytes() {
        parts.push(format!("{} RAM", Bytes(peak)));
    }
    let line = parts.join(" · ");
    let mut err = io::stderr();
    // Nobody misses the footer if standard error is closed.
    let _ = if err.is_terminal() {
        writeln!(err, "\x1b[2m{line}\x1b[0m")
    } else {
        writeln!(err, "{line}")
    };
}

/// A number with commas between thousands.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}
