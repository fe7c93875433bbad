//! Experiments with their tables and charts, matches with their games: what the JSON answers of the
//! commands leave out.

use std::path::PathBuf;

use everymove_api::lab::RunRequest;
use everymove_api::{Cost, Envelope, Error, Request, arena, read};
use everymove_draw::theme::Theme;
use everymove_kernel::machine::Meter;
use everymove_lab::Report;
use everymove_lab::report::{Cell, Section, Table};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error::raise;
use crate::run::{Frame, work};

/// A cell as a value. Digits of any length stay a text, since many readers of JSON round large
/// numbers.
fn cell(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => json!({ "text": text }),
        Cell::Count(digits) => json!({ "count": digits }),
        Cell::Seconds(value) | Cell::Ratio(value) => json!(value),
        Cell::Times(of) | Cell::Ratios(of) => json!({ "times": [of.value, of.least, of.greatest] }),
        Cell::Empty => Value::Null,
    }
}

fn table(table: &Table) -> Value {
    let rows = table.rows.iter();
    let rows: Vec<Vec<Value>> = rows.map(|row| row.iter().map(cell).collect()).collect();
    json!({ "name": table.name, "title": table.title, "head": table.head, "rows": rows })
}

fn report(report: &Report) -> Result<Value, Error> {
    let (mut tables, mut charts) = (Vec::new(), Vec::new());
    for section in &report.sections {
        if let Section::Table(found) = section {
            tables.push(table(found));
        }
        let Some((name, svg)) = section.chart(Theme::Light) else {
            continue;
        };
        charts.push(json!({ "name": name, "svg": svg.map_err(Error::machine)? }));
    }
    Ok(json!({
        "name": report.name, "title": report.title, "notes": report.notes, "tables": tables, "charts": charts,
    }))
}

/// Runs experiments; the answer has their reports, too.
#[pyfunction]
#[pyo3(signature = (request, threads=None, ram=None, progress=None))]
pub(crate) fn lab_run(
    py: Python<'_>,
    request: &str,
    threads: Option<usize>,
    ram: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let plan = read::<RunRequest>(request).and_then(|request| request.plan());
    let plan = plan.map_err(|error| raise(py, &error))?;
    let frame = Frame::new(threads, ram, progress);
    work(py, &frame, move |run, _| {
        let meter = Meter::start();
        let (answer, reports) = plan.run_each(run, |_| Ok(()))?;
        let reports: Vec<Value> = reports.iter().map(report).collect::<Result<_, _>>()?;
        let cost = Cost::now(&Default::default(), &meter);
        let envelope = Envelope::of::<RunRequest>(answer, cost);
        let mut answer = serde_json::to_value(envelope).map_err(Error::machine)?;
        answer["reports"] = reports.into();
        Ok(answer.to_string())
    })
}

/// Plays a match; the answer has the games as PGN, too, which are added to a file if one is named.
#[pyfunction]
#[pyo3(signature = (request, pgn=None, event=None, threads=None, ram=None, progress=None))]
pub(crate) fn arena_play(
    py: Python<'_>,
    request: &str,
    pgn: Option<PathBuf>,
    event: Option<String>,
    threads: Option<usize>,
    ram: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let checked = read::<arena::PlayRequest>(request).and_then(|request| {
        let file = pgn.map(arena::PgnFile::prepare).transpose()?;
        Ok((request.plan()?, file))
    });
    let (plan, mut file) = checked.map_err(|error| raise(py, &error))?;
    let frame = Frame::new(threads, ram, progress);
    work(py, &frame, move |run, _| {
        let meter = Meter::start();
        let event = event.unwrap_or_else(|| "everymove arena".to_owned());
        let progress = run.progress.clone();
        let players = plan.match_plan();
        let (answer, report) = plan.play(None, run, &mut |_, game| {
            progress.advance(1);
            if let Some(file) = &mut file {
                // An error is reported at the end, when the game is added again.
                let _ = file.add(players, game, &event);
            }
        })?;
        let name = |engine: usize| players.engines[engine].name.clone();
        let games: Vec<Value> = (report.games.values())
            .map(|game| {
                json!({
                    "number": game.number, "white": name(game.white), "black": name(game.black),
                    "result": game.outcome.to_string(), "ending": game.ending.name(), "plies": game.moves.len(),
                    "pgn": players.pgn(game, &event),
                })
            })
            .collect();
        if let Some(file) = &mut file {
            file.finish(players, &report, &event)?;
        }
        let cost = Cost::now(&everymove_api::Answer::work(&answer), &meter);
        let envelope = Envelope::of::<arena::PlayRequest>(answer, cost);
        let mut answer = serde_json::to_value(envelope).map_err(Error::machine)?;
        answer["game_list"] = games.into();
        Ok(answer.to_string())
    })
}
