//! The answers of everymove inside a web page, without a server: the commands that a server
//! answers, with the same requests and answers, on one thread.
//!
//! Compiled for `wasm32-wasip1` it is a library of three functions for the page's worker,
//! `crates/web/assets/local/worker.js`: `buffer` for what is asked, `ask`, and `answer` for what
//! was answered. Files (tables that were built) are in the memory of the page, in the folder
//! [`TABLES`].

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use everymove_api::command::Command;
use everymove_api::site::{Progress, Site};
use everymove_api::tables::TableService;
use everymove_api::{Error, ErrorKind, chess, pegs, tables, tours};
use everymove_kernel::run::{Ram, Run};
use serde::{Deserialize, Serialize};

#[cfg(target_family = "wasm")]
mod exports;

/// The folder of endgame tables.
pub const TABLES: &str = "/tables";

/// Milliseconds between two events of progress.
const INTERVAL: u64 = 100;

/// Receives events: `progress` and `line`, with their JSON.
pub type Listener = fn(&str, &str);

/// Answers questions, one after the other, and keeps what may be used again.
#[derive(Debug)]
pub struct PageService {
    commands: Vec<Command>,
    site: Site,
    tables: TableService,
    ram: u64,
}

/// Why there is no answer: the fields of a server's problem that a page reads.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// `/problems/` and the kind: `input`, `memory`, `internal`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What is wrong and what is expected, in one line.
    detail: String,
    /// The field of the request that is wrong, where one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

impl PageService {
    /// Answers within `ram` bytes for each question, and as many for what is kept.
    pub fn new(ram: u64) -> Self {
        let commands = vec![
            Command::in_page::<tours::FindRequest>(),
            Command::in_page::<tours::CountRequest>(),
            Command::in_page::<tours::CompleteRequest>(),
            Command::in_page::<tours::SampleRequest>(),
            Command::in_page::<tours::SymmetricRequest>(),
            Command::in_page::<pegs::BoardsRequest>(),
            Command::in_page::<pegs::SolveRequest>(),
            Command::in_page::<pegs::HintRequest>(),
            Command::in_page::<pegs::PuzzleRequest>(),
            Command::in_page::<pegs::ReviewRequest>(),
            Command::in_page::<chess::PositionRequest>(),
            Command::in_page::<chess::MoveRequest>(),
            Command::in_page::<chess::AnalyseRequest>(),
            Command::in_page::<tables::BuildRequest>(),
            Command::in_page::<tables::ProbeRequest>(),
            Command::in_page::<tables::StatsRequest>(),
        ];
        let site = Site {
            tables: Some(TABLES.into()),
            kept_ram: ram,
            ..Site::default()
        };
        Self {
            commands,
            tables: TableService::new(&site),
            site,
            ram,
        }
    }

    /// The answer to a request of a command, as JSON. Two commands are a server's addresses:
    /// `tables`, the list of tables that there are, and `standard`, what they say of a
    /// position.
    ///
    /// # Errors
    /// [`Problem`], as a server has them.
    pub fn answer(
        &self,
        command: &str,
        request: &[u8],
        listener: Listener,
    ) -> Result<Vec<u8>, Problem> {
        match command {
            "tables" => return json(&self.site.endings()),
            "standard" => {
                let Position { fen } =
                    serde_json::from_slice(request).map_err(|e| Error::input(Some("fen"), e))?;
                let found = self.tables.standard(&fen);
                return json(&found.map_err(Error::field("fen"))?);
            }
            _ => {}
        }
        let known = self.commands.iter().find(|known| known.name == command);
        let command = known.ok_or_else(|| {
            Error::message(
                None,
                format!("'{command}' needs a server: start \"everymove serve\""),
            )
        })?;
        let run = Run::new(1, Ram::limited(self.ram));
        let (begin, next) = (Instant::now(), AtomicU64::new(INTERVAL));
        run.progress.watch(move |progress| {
            let now = begin.elapsed().as_millis() as u64;
            if now >= next.load(Ordering::Relaxed) {
                next.store(now + INTERVAL, Ordering::Relaxed);
                let shown = serde_json::to_string(&Progress::from(progress.snapshot()));
                listener("progress", &shown.unwrap_or_default());
            }
        });
        let prepared = command.prepare(request, Some(&self.site))?;
        let answer = prepared(&run, &mut |line| listener("line", &line.to_string()))?;
        Ok(answer.json)
    }
}

/// What `standard` asks.
#[derive(Deserialize)]
struct Position {
    fen: String,
}

fn json(answer: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(answer).map_err(|e| Error::machine(e).into())
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self {
            kind: match error.kind() {
                ErrorKind::Input => "/problems/input",
                ErrorKind::Memory { .. } => "/problems/memory",
                ErrorKind::Stopped => "/problems/stopped",
                _ => "/problems/internal",
            },
            detail: error.to_string().replace('\n', " "),
            field: error.wrong_field().map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    fn ask(command: &str, request: &str) -> Result<Value, Problem> {
        let service = PageService::new(1 << 30);
        let answer = service.answer(command, request.as_bytes(), |_, _| {})?;
        Ok(serde_json::from_slice(&answer).unwrap())
    }

    /// What a script asks is answered here, or is one of those that are recorded or need a server.
    #[test]
    fn the_pages_are_answered() {
        let service = PageService::new(1 << 20);
        let others = ["lab list", "lab run", "chess compare"];
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/assets")];
        let mut asked = 0;
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "js") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let calls = ["ask('", "job('"].map(|call| text.split(call).skip(1));
                    for rest in calls.into_iter().flatten() {
                        let name = rest.split('\'').next().unwrap();
                        let known = service.commands.iter().any(|command| command.name == name);
                        assert!(
                            known || others.contains(&name),
                            "{}: {name}",
                            path.display()
                        );
                        asked += 1;
                    }
                }
            }
        }
        assert!(asked > 20, "{asked}");
    }

    #[test]
    fn commands_are_answered_as_by_a_server() {
        let answer = ask("tours count", r#"{"board": "6x6", "closed": true}"#).unwrap();
        assert_eq!(answer["count"], "9862");
        assert_eq!(ask("tables", "{}").unwrap(), Value::Array(Vec::new()));
        let wrong = ask("tours count", r#"{"board": "6x"}"#).unwrap_err();
        assert_eq!(
            (wrong.kind, wrong.field.as_deref()),
            ("/problems/input", Some("board"))
        );
        assert_eq!(
            ask("serve", "{}").unwrap_err().detail,
            "'serve' needs a server: start \"everymove serve\""
        );
        let large = r#"{"board": "8x8", "closed": true, "ram": "1M"}"#;
        assert!(ask("tours count", large).is_err());
    }
}
