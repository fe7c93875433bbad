//! All commands: the one list that the command line, servers, Python and the schema read.

use std::sync::LazyLock;

use everymove_kernel::text::nearest;
use serde_json::{Map, Value, json};

use crate::command::Command;
use crate::error::{Error, ErrorAnswer};
use crate::site::Serving;
use crate::{arena, chess, jobs, lab, pegs, pieces, schema, tables, tours};

/// Groups of commands in the order in which help lists them, and what they are about.
pub const GROUPS: &[(&str, &str)] = &[
    (
        "tours",
        "Knight's tours: find, list, count, sample, rank, draw, verify",
    ),
    (
        "chess",
        "Chess: legal moves, the engine's move, the parallel searches compared",
    ),
    (
        "pegs",
        "Peg solitaire: solve, count, hint, puzzle, review, replay, draw, play",
    ),
    (
        "engine",
        "The chess engine: UCI for chess programs, bench, perft",
    ),
    ("tables", "Endgame tables: build, probe, verify, count"),
    (
        "pieces",
        "Pieces by their moves: what a notation means, what wins against a king alone",
    ),
    (
        "arena",
        "Matches between chess engines: Elo with error bars, sequential tests",
    ),
    (
        "lab",
        "Experiments: measured, checked against known results, reported",
    ),
    (
        "jobs",
        "Large questions in independent jobs, for GNU parallel, Slurm and other schedulers",
    ),
];

static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
    vec![
        Command::shown::<tours::ExistsRequest>(),
        Command::shown::<tours::FindRequest>(),
        Command::shown::<tours::ListRequest>(),
        Command::shown::<tours::CompleteRequest>(),
        Command::shown::<tours::CountRequest>(),
        Command::of::<tours::EstimateRequest>(),
        Command::of::<tours::RangeRequest>(),
        Command::shown::<tours::SampleRequest>(),
        Command::shown::<tours::RankRequest>(),
        Command::shown::<tours::UnrankRequest>(),
        Command::shown::<tours::SymmetricRequest>(),
        Command::shown::<tours::VerifyRequest>(),
        Command::shown::<tours::DrawRequest>(),
        Command::shown::<chess::AnalyseRequest>(),
        Command::shown::<chess::PositionRequest>(),
        Command::shown::<chess::MoveRequest>(),
        Command::shown::<chess::CompareRequest>(),
        Command::shown::<pegs::SolveRequest>(),
        Command::shown::<pegs::CountRequest>(),
        Command::of::<pegs::EstimateRequest>(),
        Command::shown::<pegs::TableRequest>(),
        Command::shown::<pegs::WinningRequest>(),
        Command::shown::<pegs::HintRequest>(),
        Command::shown::<pegs::PuzzleRequest>(),
        Command::shown::<pegs::ReviewRequest>(),
        Command::shown::<pegs::ReplayRequest>(),
        Command::shown::<pegs::DrawRequest>(),
        Command::of::<pegs::PlayRequest>(),
        Command::shown::<pegs::BoardsRequest>(),
        Command::shown::<chess::BenchRequest>(),
        Command::shown::<chess::PerftRequest>(),
        Command::shown::<chess::DatagenRequest>(),
        Command::shown::<chess::TrainRequest>(),
        Command::shown::<tables::BuildRequest>(),
        Command::shown::<tables::ProbeRequest>(),
        Command::shown::<tables::VerifyRequest>(),
        Command::shown::<tables::StatsRequest>(),
        Command::of::<tables::PagesRequest>(),
        Command::shown::<tables::ClosureRequest>(),
        Command::shown::<tables::ConvertRequest>(),
        Command::shown::<tables::CheckRequest>(),
        Command::shown::<pieces::ShowRequest>(),
        Command::shown::<pieces::PotentialRequest>(),
        Command::shown::<arena::PlayRequest>(),
        Command::shown::<arena::SpsaRequest>(),
        Command::shown::<arena::StatsRequest>(),
        Command::shown::<arena::OpeningsRequest>(),
        Command::shown::<lab::ListRequest>(),
        Command::shown::<lab::RunRequest>(),
        Command::shown::<jobs::ListRequest>(),
        Command::shown::<jobs::RunRequest>(),
        Command::shown::<jobs::CollectRequest>(),
    ]
});

/// All commands, those of a group in the order in which help lists them.
pub fn commands() -> &'static [Command] {
    &COMMANDS
}

/// The commands that servers answer for others.
pub fn served() -> impl Iterator<Item = &'static Command> {
    commands().iter().filter(|command| command.is_served)
}

/// The command of a name, such as `tours count`.
///
/// # Errors
/// [`Error`] of kind [`Input`](crate::ErrorKind::Input) with the names that there are, or the one
/// that is nearest.
pub fn find(name: &str) -> Result<&'static Command, Error> {
    let found = commands().iter().find(|command| command.name == name);
    found.ok_or_else(|| {
        let names: Vec<_> = commands().iter().map(|command| command.name).collect();
        let advice = match nearest(name, names.iter().copied()) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("expected one of {}", names.join(", ")),
        };
        Error::message(None, format!("there is no command '{name}': {advice}"))
    })
}

/// One JSON document with the schemas of all commands, and of what is printed in place of an
/// answer.
pub fn document() -> Value {
    let commands: Map<String, Value> = commands()
        .iter()
        .map(|command| {
            let schemas =
                json!({ "request": command.request_schema(), "answer": command.answer_schema() });
            (command.name.to_owned(), schemas)
        })
        .collect();
    json!({
        "title": "Requests and answers of everymove",
        "version": env!("CARGO_PKG_VERSION"),
        "commands": commands,
        "error": schema::of_answer::<ErrorAnswer>(),
        "serving": schema::of_answer::<Serving>(),
        "line of tables probe --fens": schema::of_answer::<tables::PositionValue>(),
    })
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Run;

    use super::*;
    use crate::command::Prepared;
    use crate::request::Outcome;
    use crate::site::Site;

    fn prepare(command: &str, json: &str, site: &Site) -> Result<Prepared, Error> {
        let found = find(command).unwrap();
        found.prepare(json.as_bytes(), Some(site))
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
        for command in served() {
            for field in named.iter().filter(|f| command.fields().contains(**f)) {
                let schema = &command.request_schema()["properties"][*field];
                if schema["type"] == "boolean" {
                    continue;
                }
                let is_pegs = command.name.starts_with("pegs ");
                let mut request = serde_json::json!({
                    "board": if is_pegs { "square5x5" } else { "5x5" },
                    "position": "o.o", "material": "KQvK", "game": "a3-c3",
                    "fen": "8/8/8/8/8/2k5/7Q/K7 w - - 0 1",
                });
                let object = request.as_object_mut().unwrap();
                object.retain(|name, _| command.fields().contains(name));
                object.insert((*field).to_owned(), "/etc/passwd".into());
                let name = command.name;
                let refused = command.prepare(request.to_string().as_bytes(), Some(&site));
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

    /// Boards of 10^8 squares and more, posted to every command that has a board, end in an answer
    /// or an error: their squares are not laid out, and whatever takes long can be stopped.
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
        for command in served() {
            let is_tours = command.name.starts_with("tours ");
            if !is_tours || !command.fields().contains("board") {
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
                fields.retain(|name, _| command.fields().contains(name));
                let Ok(prepared) =
                    command.prepare(request.to_string().as_bytes(), Some(&Site::default()))
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
