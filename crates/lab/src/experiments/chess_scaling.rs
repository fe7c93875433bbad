//! Parallel searches on more processors than the machine has: simulated in virtual time.

use everymove_draw::chart::{Axis, Lines, Series};
use everymove_engine::{Engine, Game, Limits, Options, Position, Signals, Strategy, bench};
use everymove_kernel::run::Run;

use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chess-scaling",
    about: "every parallel search on 2 to 64 processors, simulated: speed-up, nodes, waiting",
    seconds: (3, 180),
    run,
};

/// Positions, depth, numbers of processors.
fn scope(size: Size) -> (usize, u32, &'static [usize]) {
    match size {
        Size::Quick => (3, 9, &[2, 4, 8]),
        Size::Full => (12, 14, &[2, 4, 8, 16, 32, 64]),
    }
}

/// What a strategy took on a number of processors, on all positions.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    processors: usize,
    nodes: u64,
    /// Units of time, each that of a node.
    elapsed: u64,
    /// The mean over the positions of how many times as fast it was as one processor: the
    /// geometric mean.
    speed_up: f64,
}

impl Row {
    fn idle_share(&self) -> f64 {
        1.0 - self.nodes as f64 / (self.elapsed.max(1) as f64 * self.processors as f64)
    }
}

fn run(options: &crate::Options, run: &Run) -> Result<Report, LabError> {
    let (number, depth, usual) = scope(options.size);
    let processors = options.several(usual);
    let positions: Vec<Position> = bench::positions().take(number).collect();
    let strategies = || {
        Strategy::ALL
            .into_iter()
            .filter(|&s| s != Strategy::Sequential)
    };
    let searches = (1 + strategies().count() * processors.len()) * positions.len();
    run.progress.start("simulating", searches as u64);
    let alone = simulate(Strategy::Sequential, 1, &positions, depth, run)?;
    let base: Vec<u64> = alone.iter().map(|s| s.0).collect();
    let mut rows = Vec::new();
    for strategy in strategies() {
        let mut of_strategy = vec![row(1, &alone, &base)];
        for &n in &processors {
            of_strategy.push(row(
                n,
                &simulate(strategy, n, &positions, depth, run)?,
                &base,
            ));
        }
        rows.push((strategy, of_strategy));
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Parallel searches on simulated processors".into(),
        notes: notes(positions.len(), depth),
        sections: vec![
            Section::Table(table(&rows, depth)),
            Section::Lines("speed-up", chart(&rows)),
        ],
        checks: vec![check(&positions[0], &alone[0], depth, run)?],
    })
}

/// Time and nodes of the search of each position.
fn simulate(
    strategy: Strategy,
    processors: usize,
    positions: &[Position],
    depth: u32,
    run: &Run,
) -> Result<Vec<(u64, u64)>, LabError> {
    let mut engine = engine(strategy, processors, run)?;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    positions
        .iter()
        .map(|position| {
            run.stop.check()?;
            engine.clear();
            let signals = Signals::with_stop(run.stop.clone());
            let game = Game::from(position.clone());
            let Some((_, simulation)) = engine.simulate(&game, &limits, &signals) else {
                return Err(LabError::part(
                    strategy.to_string(),
                    "no thread could be started",
                ));
            };
            run.stop.check()?;
            run.progress.advance(1);
            Ok((simulation.elapsed, simulation.all_nodes()))
        })
        .collect()
}

fn engine(strategy: Strategy, threads: usize, run: &Run) -> Result<Engine, LabError> {
    let options = Options {
        hash: 64 << 20,
        threads,
        strategy,
        ..Options::default()
    };
    Ok(Engine::reserved(options, &run.ram)?)
}

fn row(processors: usize, searches: &[(u64, u64)], base: &[u64]) -> Row {
    let times = searches.iter().zip(base);
    let logarithms = times.map(|(&(time, _), &alone)| (alone as f64 / time.max(1) as f64).ln());
    Row {
        processors,
        nodes: searches.iter().map(|s| s.1).sum(),
        elapsed: searches.iter().map(|s| s.0).sum(),
        speed_up: (logarithms.sum::<f64>() / base.len() as f64).exp(),
    }
}

fn table(rows: &[(Strategy, Vec<Row>)], depth: u32) -> Table {
    let lines = rows.iter().flat_map(|(strategy, rows)| {
        let alone = rows[0].nodes as f64;
        rows.iter().skip(1).map(move |row| {
            vec![
                Cell::text(strategy.to_string()),
                Cell::count(row.processors),
                Cell::count(row.nodes),
                Cell::Ratio(row.nodes as f64 / alone),
                Cell::text(format!("{:.0} %", 100.0 * row.idle_share().max(0.0))),
                Cell::Ratio(row.speed_up),
            ]
        })
    });
    Table {
        name: "scaling",
        title: format!("All positions to depth {depth}, against one processor"),
        head: vec![
            "strategy",
            "processors",
            "nodes",
            "nodes ratio",
            "waiting",
            "times as fast",
        ],
        rows: lines.collect(),
    }
}

fn chart(rows: &[(Strategy, Vec<Row>)]) -> Lines {
    let series = rows.iter().map(|(strategy, rows)| Series {
        name: strategy.to_string(),
        points: (rows.iter())
            .map(|row| (row.processors as f64, row.speed_up.into()))
            .collect(),
    });
    Lines {
        title: "Times as fast as one processor, simulated".into(),
        x: Axis::log("processors"),
        y: Axis::log("times as fast"),
        series: series.collect(),
    }
}

/// One processor of the simulation searches what one thread of the engine searches.
fn check(
    position: &Position,
    alone: &(u64, u64),
    depth: u32,
    run: &Run,
) -> Result<Check, LabError> {
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let game = Game::from(position.clone());
    let mut engine = engine(Strategy::Sequential, 1, run)?;
    let real = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
    Ok(Check {
        what: "nodes of the first position on one processor".into(),
        found: alone.1.to_string(),
        known: real.report.nodes.to_string(),
        source: "the same search in real time".into(),
    })
}

fn notes(positions: usize, depth: u32) -> Vec<String> {
    vec![
        format!(
            "{positions} positions, each searched to depth {depth} with an empty hash table of 64M. The program of the engine itself runs, with \
             as many threads as the simulation has processors, but one thread at a time: each has a clock that counts its nodes, and the \
             thread whose clock is least runs next. A thread that waited for work begins 20 nodes later than the thread that gave it. \
             The same command gives the same numbers on any machine."
        ),
        "A simulated processor searches a node in one unit of time, whatever the others do: what real ones lose by sharing memory, caches \
         and locks is not in these numbers, so that they are upper bounds. The speed-up is the geometric mean over the positions; nodes and \
         waiting are those of all positions together. As everywhere, equal depth is not equal strength: threads of Lazy SMP \
         fill the hash table with deeper results."
            .into(),
    ]
}
