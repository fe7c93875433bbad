//! The commands that a server answers for others, with what it allows them.
//!
//! A command that is not listed here is not answered. A request names no path: where a command reads or writes files, the
//! folders are those that the server was started with, and a path in a request is refused.

use std::collections::BTreeSet;
use std::path::PathBuf;

use everymove_kernel::machine::Meter;
use everymove_kernel::run::Run;
use serde_json::Value;

use crate::command::CommandSchema;
use crate::envelope::{Cost, Envelope};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request, Updates, read_fields};
use crate::schema::property_names;
use crate::{chess, lab, pegs, tables, tours};

/// Tables of more pieces, kings included, are not built for others: they take minutes and gigabytes.
const MOST_PIECES: usize = 4;

/// The folders that requests may use, fixed when the server starts.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// Tables of our own, read and built.
    pub tables: Option<PathBuf>,
    /// Syzygy tables, read.
    pub syzygy: Option<PathBuf>,
}

/// An answer as the bytes that are sent.
#[derive(Clone, Debug)]
pub struct RemoteAnswer {
    /// Whether it is a yes or a sound no.
    pub outcome: Outcome,
    /// The answer in its [`Envelope`], as JSON.
    pub json: Vec<u8>,
}

/// A checked request, ready to be run.
pub type Prepared = Box<dyn FnOnce(&Run, &mut Updates<'_>) -> Result<RemoteAnswer, Error> + Send>;

type Check = Box<dyn Fn(Value, &Folders) -> Result<Prepared, Error> + Send + Sync>;

/// A command that is answered for others.
pub struct RemoteCommand {
    /// Its name and schemas.
    pub schema: CommandSchema,
    fields: BTreeSet<String>,
    check: Check,
}

impl std::fmt::Debug for RemoteCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RemoteCommand")
            .field(&self.schema.command)
            .finish()
    }
}

impl RemoteCommand {
    /// Reads and checks a request.
    ///
    /// # Errors
    /// [`Error`] of kind [`Input`](crate::ErrorKind::Input), with the name of the field that is wrong.
    pub fn prepare(&self, json: &[u8], folders: &Folders) -> Result<Prepared, Error> {
        let value = read_fields(self.schema.command, json, &self.fields)?;
        (self.check)(value, folders)
    }

    fn new<R: Request + 'static>(
        restrict: impl Fn(&mut R, &Folders) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Self
    where
        R::Plan: Send + 'static,
    {
        let check = move |value: Value, folders: &Folders| -> Result<Prepared, Error> {
            let mut request: R =
                serde_json::from_value(value).map_err(|e| Error::input(None, e))?;
            restrict(&mut request, folders)?;
            let plan = request.plan()?;
            Ok(Box::new(move |run, updates| {
                let meter = Meter::start();
                let answer = R::run_with_updates(&plan, run, updates)?;
                let cost = Cost::now(&answer.work(), &meter);
                let outcome = answer.outcome();
                let json = serde_json::to_vec(&Envelope::of::<R>(answer, cost));
                let json = json.map_err(Error::machine)?;
                Ok(RemoteAnswer { outcome, json })
            }))
        };
        Self {
            schema: CommandSchema::of::<R>(),
            fields: property_names::<R>(),
            check: Box::new(check),
        }
    }
}

/// A command whose requests name no files.
fn plain<R: Request + 'static>() -> RemoteCommand
where
    R::Plan: Send + 'static,
{
    RemoteCommand::new::<R>(|_, _| Ok(()))
}

/// Refuses a path in a request.
fn absent<T>(field: &'static str, path: &Option<T>) -> Result<(), Error> {
    match path {
        None => Ok(()),
        Some(_) => {
            let line = format!("the server uses its own files: leave out '{field}'");
            Err(Error::message(Some(field), line))
        }
    }
}

fn tables_folder(folders: &Folders, field: &'static str) -> Result<PathBuf, Error> {
    folders.tables.clone().ok_or_else(|| {
        let line = "the server was started without a folder of tables";
        Error::message(Some(field), line)
    })
}

/// Sets the folder of tables of our own.
fn source(request: &mut tables::SourceRequest, folders: &Folders) -> Result<(), Error> {
    absent("tables", &request.tables)?;
    request.tables = Some(tables_folder(folders, "tables")?);
    Ok(())
}

/// Sets the folders of the engine's tables, where there are any.
fn engine_tables(
    (tables, syzygy): (&mut Option<String>, &mut Option<String>),
    folders: &Folders,
) -> Result<(), Error> {
    absent("tables", tables)?;
    absent("syzygy", syzygy)?;
    let existing = |folder: &Option<PathBuf>| {
        let folder = folder.as_ref().filter(|folder| folder.is_dir());
        folder.map(|folder| folder.display().to_string())
    };
    *tables = existing(&folders.tables);
    *syzygy = existing(&folders.syzygy);
    Ok(())
}

/// All commands that are answered for others.
pub fn commands() -> Vec<RemoteCommand> {
    vec![
        plain::<tours::ExistsRequest>(),
        plain::<tours::FindRequest>(),
        plain::<tours::ListRequest>(),
        RemoteCommand::new(|r: &mut tours::CountRequest, _| absent("checkpoint", &r.checkpoint)),
        plain::<tours::SampleRequest>(),
        plain::<tours::UnrankRequest>(),
        plain::<tours::SymmetricRequest>(),
        plain::<pegs::BoardsRequest>(),
        plain::<pegs::SolveRequest>(),
        RemoteCommand::new(|r: &mut pegs::CountRequest, _| absent("checkpoint", &r.checkpoint)),
        plain::<pegs::TableRequest>(),
        RemoteCommand::new(|r: &mut pegs::HintRequest, _| {
            absent("winning_set", &r.set.winning_set)
        }),
        RemoteCommand::new(|r: &mut pegs::PuzzleRequest, _| {
            absent("winning_set", &r.set.winning_set)
        }),
        plain::<pegs::ReviewRequest>(),
        plain::<pegs::ReplayRequest>(),
        plain::<pegs::PlayRequest>(),
        RemoteCommand::new(|r: &mut tables::ProbeRequest, folders| {
            source(&mut r.source, folders)?;
            if r.syzygy && folders.syzygy.is_some() {
                r.source.tables.clone_from(&folders.syzygy);
            }
            Ok(())
        }),
        RemoteCommand::new(|r: &mut tables::StatsRequest, folders| {
            tables::check_material(&r.material)?;
            source(&mut r.source, folders)
        }),
        plain::<tables::ClosureRequest>(),
        RemoteCommand::new(|r: &mut tables::BuildRequest, folders| {
            absent("out", &r.out)?;
            absent("checkpoint", &r.checkpoint)?;
            if tables::check_material(&r.material)? > MOST_PIECES {
                let line = format!(
                    "{}: a server builds tables of up to {MOST_PIECES} pieces only",
                    r.material
                );
                return Err(Error::message(Some("material"), line));
            }
            r.out = Some(tables_folder(folders, "out")?);
            Ok(())
        }),
        RemoteCommand::new(|r: &mut chess::AnalyseRequest, folders| {
            engine_tables((&mut r.tables, &mut r.syzygy), folders)
        }),
        plain::<chess::PositionRequest>(),
        RemoteCommand::new(|r: &mut chess::MoveRequest, folders| {
            engine_tables((&mut r.tables, &mut r.syzygy), folders)
        }),
        plain::<chess::CompareRequest>(),
        plain::<chess::PerftRequest>(),
        plain::<chess::BenchRequest>(),
        plain::<lab::ListRequest>(),
        plain::<lab::RunRequest>(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepare(command: &str, json: &str, folders: &Folders) -> Result<Prepared, Error> {
        let all = commands();
        let found = all.iter().find(|c| c.schema.command == command).unwrap();
        found.prepare(json.as_bytes(), folders)
    }

    /// Every field that could name a file is refused in every command that has one.
    #[test]
    fn no_request_names_a_file() {
        let folders = Folders {
            tables: Some("tables".into()),
            syzygy: None,
        };
        let named = [
            "checkpoint",
            "out",
            "winning_set",
            "tables",
            "syzygy",
            "files",
        ];
        let mut tried = 0;
        for command in commands() {
            for field in named.iter().filter(|f| command.fields.contains(**f)) {
                let schema = &command.schema.request["properties"][*field];
                if schema["type"] == "boolean" {
                    continue;
                }
                let mut request = serde_json::json!({
                    "board": "5x5", "position": "o.o", "material": "KQvK",
                    "fen": "8/8/8/8/8/2k5/7Q/K7 w - - 0 1",
                });
                let object = request.as_object_mut().unwrap();
                object.retain(|name, _| command.fields.contains(name));
                object.insert((*field).to_owned(), "/etc/passwd".into());
                let name = command.schema.command;
                let refused = command.prepare(request.to_string().as_bytes(), &folders);
                let error = refused.err().unwrap_or_else(|| panic!("{name} {field}"));
                assert_eq!(error.wrong_field(), Some(*field), "{name}: {error}");
                tried += 1;
            }
        }
        assert!(tried >= 8, "{tried}");
    }

    #[test]
    fn answers_are_those_of_the_command_line() {
        let run = Run::serial();
        let prepared = prepare(
            "tours exists",
            r#"{"board":"4x10","closed":true}"#,
            &Folders::default(),
        );
        let answer = prepared.unwrap()(&run, &mut |_| {}).unwrap();
        let value: Value = serde_json::from_slice(&answer.json).unwrap();
        assert_eq!(answer.outcome, Outcome::No);
        assert_eq!(value["command"], "tours exists");
        assert_eq!(value["exists"], "no");
    }

    #[test]
    fn large_tables_are_not_built() {
        let folders = Folders {
            tables: Some("tables".into()),
            syzygy: None,
        };
        let error = prepare("tables build", r#"{"material":"KRBvKR"}"#, &folders).err();
        assert_eq!(error.unwrap().wrong_field(), Some("material"));
        assert!(prepare("tables build", r#"{"material":"KQvKR"}"#, &folders).is_ok());
        assert!(prepare("tables stats", r#"{"material":"../KQvK.dtm"}"#, &folders).is_err());
        let none = Folders::default();
        assert!(prepare("tables build", r#"{"material":"KQvKR"}"#, &none).is_err());
    }
}
