//! An engine that keeps its hash table between searches, and its UCI door.

use std::ffi::CString;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everymove_api::chess::notation;
use everymove_api::{Error, Updates};
use everymove_engine::score::UciScore;
use everymove_engine::transposition_table::Bound;
use everymove_engine::{
    self as engine, Clock, Game, Limits, Line, Options, Position, SearchReport, Signals, Strategy,
    Strength, uci,
};
use everymove_kernel::machine;
use everymove_kernel::run::{Bytes, Run};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::raise;
use crate::run::{Frame, work};

/// The options of an engine as they are written.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct OptionsRequest {
    threads: Option<usize>,
    hash: Option<String>,
    strategy: Option<String>,
    tables: Option<String>,
    syzygy_path: Option<String>,
}

/// The limits of a search as they are written; times in seconds.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SearchRequest {
    fen: Option<String>,
    moves: Vec<String>,
    depth: Option<u32>,
    nodes: Option<u64>,
    mate: Option<u32>,
    time: Option<f64>,
    clock: Option<f64>,
    increment: Option<f64>,
    moves_to_go: Option<u32>,
    root_moves: Vec<String>,
    lines: Option<usize>,
    elo: Option<u32>,
}

fn seconds(field: &'static str, value: f64) -> Result<Duration, Error> {
    if (0.0..=1e7).contains(&value) {
        return Ok(Duration::from_secs_f64(value));
    }
    let line = format!("{field} {value} is not a time: expected seconds");
    Err(Error::message(Some(field), line))
}

impl SearchRequest {
    fn game(&self) -> Result<Game, Error> {
        let start = match &self.fen {
            Some(fen) => notation::read_position(fen).map_err(Error::field("fen"))?,
            None => Position::default(),
        };
        let mut game = Game::from(start);
        for text in &self.moves {
            let play = self.read_move("moves", game.position(), text)?;
            game.play(play);
        }
        Ok(game)
    }

    fn read_move(
        &self,
        field: &'static str,
        position: &Position,
        text: &str,
    ) -> Result<shakmaty::Move, Error> {
        notation::read_move(position, text).map_err(Error::field(field))
    }

    fn limits(&self, game: &Game) -> Result<Limits, Error> {
        let time = self.time.map(|s| seconds("time", s)).transpose()?;
        let left = self.clock.map(|s| seconds("clock", s)).transpose()?;
        let increment = self
            .increment
            .map(|s| seconds("increment", s))
            .transpose()?;
        let clock = match (time, left) {
            (Some(time), _) => Some(Clock::PerMove(time)),
            (None, Some(left)) => Some(Clock::Game {
                left,
                increment: increment.unwrap_or_default(),
                moves_to_go: self.moves_to_go,
            }),
            (None, None) => None,
        };
        if clock.is_none() && self.depth.is_none() && self.nodes.is_none() && self.mate.is_none() {
            let line =
                "nothing limits the search: expected a depth, nodes, a time, a clock or a mate";
            return Err(Error::message(Some("limit"), line));
        }
        let root_moves = self.root_moves.iter();
        let root_moves = root_moves.map(|text| self.read_move("root_moves", game.position(), text));
        Ok(Limits {
            depth: self.depth,
            nodes: self.nodes,
            mate: self.mate,
            clock,
            root_moves: root_moves.collect::<Result<_, _>>()?,
            ..Limits::default()
        })
    }
}

/// The lines of a report, scores for the side to move.
fn lines(position: &Position, report: &SearchReport) -> Value {
    let line = |line: &Line| {
        let score = UciScore::of(line.score);
        let centipawns = match score {
            UciScore::Centipawns(n) => Some(n),
            _ => None,
        };
        let bound = match line.bound {
            Bound::Lower => Some("lower"),
            Bound::Upper => Some("upper"),
            Bound::None | Bound::Exact => None,
        };
        json!({
            "cp": centipawns,
            "mate": score.mate(),
            "bound": bound,
            "pv": notation::uci_line(position, &line.pv),
            "san": notation::line(position, &line.pv),
            "seldepth": line.sel_depth,
        })
    };
    json!({
        "depth": report.depth,
        "nodes": report.nodes,
        "time": report.elapsed.as_secs_f64(),
        "hashfull": report.hashfull,
        "tbhits": report.tb_hits,
        "lines": report.lines.iter().map(line).collect::<Vec<_>>(),
    })
}

/// A chess engine.
#[pyclass(frozen, module = "everymove._native")]
pub(crate) struct Engine(Arc<Mutex<engine::Engine>>);

impl Engine {
    fn make(json: &str) -> Result<engine::Engine, Error> {
        let request: OptionsRequest =
            serde_json::from_str(json).map_err(|error| Error::input(None, error))?;
        let usual = Options::default();
        let hash = request.hash.as_deref().map(str::parse::<Bytes>);
        let strategy = request.strategy.as_deref().map(str::parse::<Strategy>);
        let frame = Frame {
            threads: request.threads,
            ..Frame::default()
        };
        let options = Options {
            threads: frame.run()?.threads.get(),
            hash: (hash.transpose().map_err(Error::field("hash"))?).map_or(64 << 20, |b| b.0),
            strategy: (strategy.transpose().map_err(Error::field("strategy"))?).unwrap_or_default(),
            overhead: Duration::ZERO,
            ..usual
        };
        let most = machine::memory_bytes().unwrap_or(u64::MAX);
        if options.hash > most {
            let line = format!(
                "a hash table of {} does not fit the {} of memory of this machine",
                Bytes(options.hash),
                Bytes(most)
            );
            return Err(Error::message(Some("hash"), line));
        }
        let mut engine = engine::Engine::new(options).map_err(Error::machine)?;
        if let Some(folder) = &request.tables {
            engine.set_tables(folder).map_err(Error::field("tables"))?;
        }
        if let Some(folders) = &request.syzygy_path {
            engine
                .set_syzygy(folders)
                .map_err(Error::field("syzygy_path"))?;
        }
        Ok(engine)
    }
}

fn search(
    engine: &Mutex<engine::Engine>,
    request: &SearchRequest,
    run: &Run,
    updates: &mut Updates<'_>,
) -> Result<String, Error> {
    let game = request.game()?;
    let limits = request.limits(&game)?;
    let position = game.position();
    let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
    let before = engine.options().clone();
    let options = Options {
        multi_pv: request.lines.unwrap_or(1).clamp(1, 256),
        ..before.clone()
    };
    let strength = request.elo.map(Strength::elo);
    let (options, limits) = match &strength {
        Some(strength) => (strength.options(options), strength.limits(limits)),
        None => (options, limits),
    };
    engine.set_options(options).map_err(Error::machine)?;
    run.progress.start("searching the position", 0);
    let signals = Signals::with_stop(run.stop.clone());
    let progress = &run.progress;
    let mut counted = 0;
    let mut listener = |report: &SearchReport| {
        progress.worked(report.nodes.saturating_sub(counted));
        counted = report.nodes;
        updates(lines(position, report));
    };
    let result = engine.search(&game, &limits, &signals, &mut listener);
    engine.set_options(before).map_err(Error::machine)?;
    drop(engine);
    run.stop.check()?;
    result
        .check_tables()
        .map_err(|damaged| Error::input(None, damaged))?;
    let (best, ponder) = match &strength {
        Some(strength) => strength.choose(&result, &game),
        None => (result.best, result.ponder),
    };
    let ponder = best.and_then(|best| {
        let after = position.play(best);
        ponder.map(|m| after.uci(m))
    });
    let answer = json!({
        "fen": position.fen(),
        "best": best.map(|m| position.uci(m)),
        "san": best.map(|m| notation::san(position, m)),
        "ponder": ponder,
        "report": lines(position, &result.report),
    });
    Ok(answer.to_string())
}

#[pymethods]
impl Engine {
    #[new]
    fn new(py: Python<'_>, options: &str) -> PyResult<Self> {
        let engine = py.detach(|| Self::make(options));
        let engine = engine.map_err(|error| raise(py, &error))?;
        for fault in engine.table_faults() {
            let line = CString::new(format!("not used: {fault}"))?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &line, 2)?;
        }
        Ok(Self(Arc::new(Mutex::new(engine))))
    }

    /// Searches a position; request and answer are JSON, scores for the side to move.
    #[pyo3(signature = (request, progress=None, updates=None))]
    fn search(
        &self,
        py: Python<'_>,
        request: &str,
        progress: Option<Py<PyAny>>,
        updates: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let request: SearchRequest =
            serde_json::from_str(request).map_err(|e| raise(py, &Error::input(None, e)))?;
        let frame = Frame {
            updates,
            ..Frame::new(None, None, progress)
        };
        let engine = self.0.clone();
        work(py, &frame, move |run, updates| {
            search(&engine, &request, run, updates)
        })
    }

    /// Clears the hash table and all that was learnt.
    fn clear(&self, py: Python<'_>) {
        py.detach(|| {
            let mut engine = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            engine.clear();
        });
    }

    /// The names of the parallel searches.
    #[staticmethod]
    fn strategies() -> Vec<String> {
        Strategy::ALL.iter().map(Strategy::to_string).collect()
    }
}

/// Speaks UCI over standard input and output until `quit` or the end of the input.
#[pyfunction]
pub(crate) fn serve_uci(py: Python<'_>) -> PyResult<()> {
    let run = Frame::default().run().map_err(|error| raise(py, &error))?;
    py.detach(|| uci::serve(io::stdin().lock(), io::stdout(), &run));
    Ok(())
}
