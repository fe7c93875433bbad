//! The commands that a server answers for others, with what it allows them.
//!
//! A command that is not listed here is not answered. A request names no path: where a command reads or writes files, the
//! folders are those that the server was started with, and a path in a request is refused.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use everymove_kernel::machine::{self, Meter};
use everymove_kernel::run::{Reservation, Run, Stop};
use serde::Serialize;
use serde_json::Value;

use crate::command::CommandSchema;
use crate::envelope::{Cost, Envelope};
use crate::error::Error;
use crate::request::{Answer, Outcome, Request, Updates, read_fields};
use crate::schema::property_names;
pub use crate::site::{Serving, Site};
use crate::{chess, lab, pegs, tables, tours};

/// Tables of more pieces, kings included, are not built for others: they take minutes and gigabytes.
const MOST_PIECES: usize = 4;

/// An answer as the bytes that are sent.
#[derive(Debug)]
pub struct RemoteAnswer {
    /// Whether it is a yes or a sound no.
    pub outcome: Outcome,
    /// The answer in its [`Envelope`], as JSON.
    pub json: Vec<u8>,
    /// The memory of the JSON, of the budget of the run.
    pub held: Reservation,
}

/// A checked request, ready to be run.
pub type Prepared = Box<dyn FnOnce(&Run, &mut Updates<'_>) -> Result<RemoteAnswer, Error> + Send>;

type Check = Box<dyn Fn(Value, &Site) -> Result<Prepared, Error> + Send + Sync>;

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
    pub fn prepare(&self, json: &[u8], site: &Site) -> Result<Prepared, Error> {
        let value = read_fields(json, &self.fields)?;
        (self.check)(value, site)
    }

    /// A command whose request is changed by `restrict` before it is checked.
    fn new<R: Request + 'static>(
        restrict: impl Fn(&mut R, &Site) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Self
    where
        R::Plan: Send + 'static,
    {
        Self::run_by(
            restrict,
            |plan: &R::Plan, _: &Site, run: &Run, updates: &mut Updates<'_>| {
                R::run_with_updates(plan, run, updates)
            },
        )
    }

    /// The same, answered by `answer`.
    fn run_by<R, F>(
        restrict: impl Fn(&mut R, &Site) -> Result<(), Error> + Send + Sync + 'static,
        answer: F,
    ) -> Self
    where
        R: Request + 'static,
        R::Plan: Send + 'static,
        F: Fn(&R::Plan, &Site, &Run, &mut Updates<'_>) -> Result<R::Answer, Error>
            + Clone
            + Send
            + Sync
            + 'static,
    {
        let check = move |value: Value, site: &Site| -> Result<Prepared, Error> {
            let mut request: R =
                serde_json::from_value(value).map_err(|e| Error::input(None, e))?;
            restrict(&mut request, site)?;
            let plan = request.plan()?;
            let (answer, site) = (answer.clone(), site.clone());
            Ok(Box::new(move |run, updates| {
                let meter = Meter::start();
                let answer = answer(&plan, &site, run, updates)?;
                let cost = Cost::now(&answer.work(), &meter);
                let outcome = answer.outcome();
                let (json, held) = json_within(&Envelope::of::<R>(answer, cost), run)?;
                Ok(RemoteAnswer {
                    outcome,
                    json,
                    held,
                })
            }))
        };
        Self {
            schema: CommandSchema::of::<R>(),
            fields: property_names::<R>(),
            check: Box::new(check),
        }
    }
}

/// Writes JSON within the memory of a run, from which it is reserved.
fn json_within(answer: &impl Serialize, run: &Run) -> Result<(Vec<u8>, Reservation), Error> {
    let mut json = Growing {
        bytes: Vec::new(),
        held: run.ram.reserve(ANSWER, 0)?,
        refused: None,
        stop: &run.stop,
    };
    let written = serde_json::to_writer(&mut json, answer);
    match (written, json.refused) {
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

/// A command whose requests name no files.
fn plain<R: Request + 'static>() -> RemoteCommand
where
    R::Plan: Send + 'static,
{
    RemoteCommand::new::<R>(|_, _| Ok(()))
}

/// The part of the kept memory that is for winning sets, in bytes; the rest is for samplers.
fn ram_of_sets(site: &Site) -> u64 {
    site.kept_ram / 16
}

/// `pegs hint`, with winning sets that are kept between requests.
fn hint() -> RemoteCommand {
    let sets = Arc::new(pegs::KeptSets::default());
    RemoteCommand::run_by(
        |r: &mut pegs::HintRequest, _: &Site| absent("winning_set", &r.set.winning_set),
        move |plan: &pegs::HintPlan, site: &Site, run: &Run, _: &mut Updates<'_>| {
            plan.run_with(&sets, ram_of_sets(site), run)
        },
    )
}

/// `tours sample`, with samplers that are kept between requests.
fn sample() -> RemoteCommand {
    let kept = Arc::new(tours::KeptSamplers::default());
    RemoteCommand::run_by(
        |_: &mut tours::SampleRequest, _: &Site| Ok(()),
        move |plan: &tours::SamplePlan, site: &Site, run: &Run, _: &mut Updates<'_>| {
            plan.run_with(&kept, site.kept_ram - ram_of_sets(site), run)
        },
    )
}

/// `tables probe`, with tables whose files stay open. An ending that has no table of our own is looked up in the Syzygy
/// folder.
fn probe() -> RemoteCommand {
    let kept = Arc::new(tables::KeptTables::default());
    RemoteCommand::run_by(
        |r: &mut tables::ProbeRequest, site: &Site| {
            source(&mut r.source, site)?;
            if r.syzygy && site.syzygy.is_some() {
                r.source.tables.clone_from(&site.syzygy);
            }
            Ok(())
        },
        move |plan: &tables::ProbePlan, site: &Site, run: &Run, _: &mut Updates<'_>| {
            plan.run_with(&kept, site.syzygy.as_deref(), run)
        },
    )
}

/// `lab run`, which writes its reports into a folder of the server. The updates are the finished reports: `report` with
/// the experiment, `title`, and the numbers of `checks` and of those that `agree`.
fn lab_run() -> RemoteCommand {
    RemoteCommand::run_by(
        |request: &mut lab::RunRequest, _: &Site| {
            let most = (2 * machine::cores()).max(4);
            match request.threads.iter().find(|n| **n > most) {
                None => Ok(()),
                Some(n) => {
                    let line = format!("cannot use {n} threads: expected 1 to {most}");
                    Err(Error::message(Some("threads"), line))
                }
            }
        },
        |plan: &lab::RunPlan, site: &Site, run: &Run, updates: &mut Updates<'_>| {
            let folder = site.reports.as_deref();
            lab::run_and_store(plan, folder, &site.commit, run, updates)
        },
    )
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

fn tables_folder(site: &Site, field: &'static str) -> Result<PathBuf, Error> {
    site.tables.clone().ok_or_else(|| {
        let line = "the server was started without a folder of tables";
        Error::message(Some(field), line)
    })
}

/// Sets the folder of tables of our own.
fn source(request: &mut tables::SourceRequest, site: &Site) -> Result<(), Error> {
    absent("tables", &request.tables)?;
    request.tables = Some(tables_folder(site, "tables")?);
    Ok(())
}

/// Sets the folders of the engine's tables, where there are any.
fn engine_tables(
    (tables, syzygy): (&mut Option<String>, &mut Option<String>),
    site: &Site,
) -> Result<(), Error> {
    absent("tables", tables)?;
    absent("syzygy_path", syzygy)?;
    let existing = |folder: &Option<PathBuf>| {
        let folder = folder.as_ref().filter(|folder| folder.is_dir());
        folder.map(|folder| folder.display().to_string())
    };
    *tables = existing(&site.tables);
    *syzygy = existing(&site.syzygy);
    Ok(())
}

/// All commands that are answered for others.
pub fn commands() -> Vec<RemoteCommand> {
    vec![
        plain::<tours::ExistsRequest>(),
        plain::<tours::FindRequest>(),
        plain::<tours::CompleteRequest>(),
        plain::<tours::ListRequest>(),
        RemoteCommand::new(|r: &mut tours::CountRequest, _| {
            absent("checkpoint", &r.checkpoint)?;
            absent("work", &r.work)
        }),
        sample(),
        plain::<tours::UnrankRequest>(),
        plain::<tours::SymmetricRequest>(),
        plain::<pegs::BoardsRequest>(),
        plain::<pegs::SolveRequest>(),
        RemoteCommand::new(|r: &mut pegs::CountRequest, _| {
            absent("checkpoint", &r.checkpoint)?;
            absent("work", &r.layers.work)
        }),
        plain::<pegs::TableRequest>(),
        hint(),
        RemoteCommand::new(|r: &mut pegs::PuzzleRequest, _| {
            absent("winning_set", &r.set.winning_set)
        }),
        RemoteCommand::new(|r: &mut pegs::ReviewRequest, _| {
            absent("winning_set", &r.set.winning_set)
        }),
        plain::<pegs::ReplayRequest>(),
        RemoteCommand::new(|r: &mut pegs::PlayRequest, _| {
            absent("winning_set", &r.set.winning_set)
        }),
        probe(),
        RemoteCommand::new(|r: &mut tables::StatsRequest, site| {
            tables::check_material(&r.material)?;
            source(&mut r.source, site)
        }),
        plain::<tables::ClosureRequest>(),
        RemoteCommand::new(|r: &mut tables::BuildRequest, site| {
            absent("out", &r.out)?;
            absent("checkpoint", &r.checkpoint)?;
            absent("all", &r.all)?;
            let material = r.material.as_deref().unwrap_or_default();
            if tables::check_material(material)? > MOST_PIECES {
                let line = format!(
                    "{material}: a server builds tables of up to {MOST_PIECES} pieces only"
                );
                return Err(Error::message(Some("material"), line));
            }
            r.out = Some(tables_folder(site, "out")?);
            Ok(())
        }),
        RemoteCommand::new(|r: &mut chess::AnalyseRequest, site| {
            engine_tables((&mut r.tables, &mut r.syzygy_path), site)
        }),
        plain::<chess::PositionRequest>(),
        RemoteCommand::new(|r: &mut chess::MoveRequest, site| {
            engine_tables((&mut r.tables, &mut r.syzygy_path), site)
        }),
        plain::<chess::CompareRequest>(),
        plain::<chess::PerftRequest>(),
        plain::<chess::BenchRequest>(),
        plain::<lab::ListRequest>(),
        lab_run(),
    ]
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::error::ErrorKind;

    fn prepare(command: &str, json: &str, site: &Site) -> Result<Prepared, Error> {
        let all = commands();
        let found = all.iter().find(|c| c.schema.command == command).unwrap();
        found.prepare(json.as_bytes(), site)
    }

    /// Every field that could name a file is refused in every command that has one.
    #[test]
    fn no_request_names_a_file() {
        let site = Site {
            tables: Some("tables".into()),
            ..Site::default()
        };
        let named = [
            "checkpoint",
            "work",
            "out",
            "winning_set",
            "tables",
            "syzygy_path",
            "files",
        ];
        let mut tried = 0;
        for command in commands() {
            for field in named.iter().filter(|f| command.fields.contains(**f)) {
                let schema = &command.schema.request["properties"][*field];
                if schema["type"] == "boolean" {
                    continue;
                }
                let is_pegs = command.schema.command.starts_with("pegs ");
                let mut request = serde_json::json!({
                    "board": if is_pegs { "square5x5" } else { "5x5" },
                    "position": "o.o", "material": "KQvK", "game": "a3-c3",
                    "fen": "8/8/8/8/8/2k5/7Q/K7 w - - 0 1",
                });
                let object = request.as_object_mut().unwrap();
                object.retain(|name, _| command.fields.contains(name));
                object.insert((*field).to_owned(), "/etc/passwd".into());
                let name = command.schema.command;
                let refused = command.prepare(request.to_string().as_bytes(), &site);
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
            &Site::default(),
        );
        let answer = prepared.unwrap()(&run, &mut |_| {}).unwrap();
        let value: Value = serde_json::from_slice(&answer.json).unwrap();
        assert_eq!(answer.outcome, Outcome::No);
        assert_eq!(value["command"], "tours exists");
        assert_eq!(value["exists"], "no");
    }

    /// The JSON of an answer is refused where it does not fit the memory of the run, and given up when the run is stopped.
    #[test]
    fn the_json_of_an_answer_is_within_the_memory_of_the_run() {
        let numbers = vec![7u64; 100_000];
        let of = |run: &Run| json_within(&numbers, run);
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

    #[test]
    fn large_tables_are_not_built() {
        let site = Site {
            tables: Some("tables".into()),
            ..Site::default()
        };
        let error = prepare("tables build", r#"{"material":"KRBvKR"}"#, &site).err();
        assert_eq!(error.unwrap().wrong_field(), Some("material"));
        assert!(prepare("tables build", r#"{"material":"KQvKR"}"#, &site).is_ok());
        let all = prepare("tables build", r#"{"all":3}"#, &site).err();
        assert_eq!(all.unwrap().wrong_field(), Some("all"));
        let none = prepare("tables build", "{}", &site).err();
        assert_eq!(none.unwrap().wrong_field(), Some("material"));
        assert!(prepare("tables stats", r#"{"material":"../KQvK.dtm"}"#, &site).is_err());
        let none = Site::default();
        assert!(prepare("tables build", r#"{"material":"KQvKR"}"#, &none).is_err());
    }

    /// Boards of 10^8 squares and more, posted to every command that has a board, end in an answer or an error: their
    /// squares are not laid out, and whatever takes long can be stopped.
    #[test]
    fn boards_without_bounds_end_in_an_answer() {
        use everymove_kernel::run::Ram;

        let boards = [
            serde_json::json!({"board": "60000x60000"}),
            serde_json::json!({"board": "20000x20000", "holes": "a1,b2"}),
            serde_json::json!({"board": "20001x20001", "closed": true, "classes": true}),
            serde_json::json!({"board": "1x4294967294", "leaper": "0,1"}),
            serde_json::json!({"board": "3x100000000", "classes": true, "by_start": true}),
            serde_json::json!({"board": "999x999", "leaper": "2,3"}),
            serde_json::json!({"board": "65535x65535", "leaper": "1,1"}),
        ];
        let (mut answered, mut refused) = (0, 0);
        for command in commands() {
            let is_tours = command.schema.command.starts_with("tours ");
            if !is_tours || !command.fields.contains("board") {
                continue;
            }
            for (board, more) in boards.iter().flat_map(|board| {
                let more = [
                    serde_json::json!({"rotation": "half", "ranks": ["0"], "path": "a1-b3"}),
                    serde_json::json!({"rotation": "quarter", "ranks": ["7"], "list": true}),
                ];
                more.map(|more| (board, more))
            }) {
                let mut request = board.clone();
                let fields = request.as_object_mut().unwrap();
                fields.extend(more.as_object().unwrap().clone());
                fields.retain(|name, _| command.fields.contains(name));
                let Ok(prepared) =
                    command.prepare(request.to_string().as_bytes(), &Site::default())
                else {
                    refused += 1;
                    continue;
                };
                let run = Run::new(1, Ram::limited(4 << 20));
                let stop = run.stop.clone();
                let ended = std::thread::scope(|scope| {
                    let (done, is_done) = std::sync::mpsc::channel::<()>();
                    scope.spawn(move || {
                        let _ = is_done.recv_timeout(std::time::Duration::from_millis(200));
                        stop.raise();
                    });
                    let ended = prepared(&run, &mut |_| {});
                    drop(done);
                    ended
                });
                match ended {
                    Ok(_) => answered += 1,
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(answered >= 5 && refused >= 50, "{answered} {refused}");
    }
}
