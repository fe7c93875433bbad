//! What a request and an answer have in common.

use std::collections::BTreeSet;

use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Error;
use crate::json;
use crate::schema::{self, property_names};
use crate::site::Site;

/// A question as a person or a program writes it: text and numbers that are not checked yet.
///
/// Fields that must be given are plain; all others are `Option`, or `bool` or `Vec` with
/// `#[serde(default)]`, and their documentation names the default. The documentation of a field is
/// its help text on the command line and its description in the schema.
pub trait Request: Serialize + DeserializeOwned + JsonSchema {
    /// The command that asks it: `tours count`.
    const COMMAND: &'static str;
    /// Whether servers answer it for others.
    const IS_SERVED: bool = false;
    /// The checked question.
    type Plan;
    /// What is answered.
    type Answer: Answer;

    /// Checks every field, without doing any of the work.
    ///
    /// # Errors
    /// [`Error`] of kind [`Input`](crate::ErrorKind::Input), with the name of the field that is
    /// wrong.
    fn plan(&self) -> Result<Self::Plan, Error>;

    /// Answers a checked question.
    ///
    /// # Errors
    /// [`Error`] if the run is stopped, does not fit its budget, or a file cannot be used.
    fn run(plan: &Self::Plan, run: &Run) -> Result<Self::Answer, Error>;

    /// Refuses what others may not ask of a server, and sets the folders that it was started with:
    /// a request of others names no path.
    ///
    /// # Errors
    /// [`Error`] of kind [`Input`](crate::ErrorKind::Input), with the name of the field that is
    /// refused.
    fn restrict(&mut self, site: &Site) -> Result<(), Error> {
        let _ = site;
        Ok(())
    }

    /// As [`Self::run_with_updates`], by a server, with what it keeps between requests.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn run_for(
        plan: &Self::Plan,
        site: &Site,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<Self::Answer, Error> {
        let _ = site;
        Self::run_with_updates(plan, run, updates)
    }

    /// Answers a checked question, and gives intermediate results to `updates` as they are found.
    /// Most commands have none; those that have document their form.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn run_with_updates(
        plan: &Self::Plan,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<Self::Answer, Error> {
        let _ = updates;
        Self::run(plan, run)
    }
}

/// Receives intermediate results as JSON while the work goes on.
pub type Updates<'a> = dyn FnMut(Value) + Send + 'a;

/// What is answered. Its serialization is the answer for programs.
pub trait Answer: Serialize + JsonSchema {
    /// Whether the answer is a yes or a sound no.
    fn outcome(&self) -> Outcome {
        Outcome::Yes
    }

    /// The work that the answer took; part of the envelope, not of the answer's own fields.
    fn work(&self) -> Work {
        Work::default()
    }

    /// What was changed in what was asked, so that it could be answered, a line for each.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// Why endgame tables that were named are not used, a line for each.
    fn table_faults(&self) -> &[String] {
        &[]
    }
}

/// Whether an answer is a yes or a sound no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What was asked for: exit code 0.
    Yes,
    /// There is none, or it is not so: exit code 1.
    No,
}

impl Outcome {
    /// [`Outcome::Yes`] where the condition holds.
    pub fn yes_if(condition: bool) -> Self {
        if condition { Self::Yes } else { Self::No }
    }
}

/// Reads a request from JSON. A field that the request does not have is an error, so that a
/// misspelt option is not ignored.
///
/// # Errors
/// [`Error`] of kind [`Input`](crate::ErrorKind::Input) if the text is not JSON, not an object,
/// lacks a field that must be given, or has a field that is unknown or of the wrong type.
pub fn read<R: Request>(json: &str) -> Result<R, Error> {
    let known = property_names(&schema::of_request::<R>());
    let value = read_fields(json.as_bytes(), &known)?;
    serde_json::from_value(value).map_err(|e| Error::input(None, e))
}

/// Reads JSON; an object with a field that is not `known` is an error.
pub(crate) fn read_fields(text: &[u8], known: &BTreeSet<String>) -> Result<Value, Error> {
    let value: Value = json::read(text).map_err(|e| Error::input(None, e))?;
    let given = value
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.keys());
    if let Some(unknown) = given.into_iter().find(|name| !known.contains(*name)) {
        let expected = known.iter().map(String::as_str).collect::<Vec<_>>();
        let message = format!(
            "'{}' is not a field of this request: expected {}",
            shown(unknown),
            expected.join(", ")
        );
        return Err(Error::message(None, message));
    }
    Ok(value)
}
