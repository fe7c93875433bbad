//! One tree, many threads: every parallel strategy on the same positions to the same depths.

use std::collections::BTreeMap;

use everymove_draw::chart::{Axis, Lines, Measured, Series};
use everymove_engine::{Engine, Game, Limits, Options, Position, Signals, Strategy, bench};
use everymove_kernel::run::Run;

use crate::measure::{ratio, repeat_at_least, summary};
use crate::report::{Cell, Report, Section, Table};
use crate::{Experiment, LabError, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chess-strategies",
    about: "every parallel search on identical positions: time to depth, nodes, overhead",
    seconds: (4, 70),
    run,
};

/// Runs of each strategy, the first of which does not count.
const LEAST: usize = 6;

/// Positions, deepest iteration, numbers of threads.
fn scope(size: Size) -> (usize, u32, &'static [usize]) {
    match size {
        Size::Quick => (4, 11, &[2]),
        Size::Full => (40, 14, &[2, 4]),
    }
}

/// What a configuration needed for a depth, on all positions together: medians of repeated runs.
#[derive(Clone, Copy, Debug)]
struct Cost {
    seconds: Measured,
    nodes: Measured,
}

/// A strategy on some threads.
struct Row {
    strategy: Strategy,
    threads: usize,
    by_depth: BTreeMap<u32, Cost>,
    runs: usize,
}

fn run(options: &crate::Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let (number, depth, usual) = scope(size);
    let threads = options.several(usual);
    let positions: Vec<Position> = bench::positions().take(number).collect();
    run.progress
        .start("searching", 1 + 4 * threads.len() as u64);
    let mut rows = vec![measure(
        Strategy::Sequential,
        1,
        &positions,
        depth,
        size,
        run,
    )?];
    for &threads in &threads {
        for strategy in Strategy::ALL
            .into_iter()
            .filter(|&s| s != Strategy::Sequential)
        {
            rows.push(measure(strategy, threads, &positions, depth, size, run)?);
        }
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Parallel searches of one tree".into(),
        notes: notes(positions.len(), depth),
        sections: vec![
            Section::Table(table(&rows, depth)),
            Section::Lines("time-to-depth", chart(&rows)),
        ],
        checks: Vec::new(),
    })
}

fn measure(
    strategy: Strategy,
    threads: usize,
    positions: &[Position],
    depth: u32,
    size: Size,
    run: &Run,
) -> Result<Row, LabError> {
    let options = Options {
        hash: 64 << 20,
        threads,
        strategy,
        ..Options::default()
    };
    let mut engine = Engine::reserved(options, &run.ram)?;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    // Of each run: seconds and nodes by depth.
    let mut runs: Vec<BTreeMap<u32, (f64, u64)>> = Vec::new();
    let (_, timing) = repeat_at_least(LEAST, size, || {
        let mut by_depth = BTreeMap::<u32, (f64, u64)>::new();
        for position in positions {
            run.stop.check()?;
            engine.clear();
            let game = Game::from(position.clone());
            let mut reached = BTreeMap::new();
            let mut listen = |report: &everymove_engine::SearchReport| {
                reached.insert(
                    report.depth,
                    (report.elapsed.as_secs_f64().max(1e-9), report.nodes),
                );
            };
            let signals = Signals::with_stop(run.stop.clone());
            engine.search(&game, &limits, &signals, &mut listen);
            // Lazy threads may pass over a depth: then the next one counts for it, too.
            let mut next = (0.0, 0);
            for d in (1..=depth).rev() {
                next = reached.get(&d).copied().unwrap_or(next);
                let sum = by_depth.entry(d).or_default();
                *sum = (sum.0 + next.0, sum.1 + next.1);
            }
        }
        runs.push(by_depth);
        Ok::<_, LabError>(())
    })?;
    run.progress.advance(1);
    let warm = &runs[runs.len() - timing.runs..];
    let cost = |d: u32| Cost {
        seconds: summary(&mut warm.iter().map(|run| run[&d].0).collect::<Vec<_>>()),
        nodes: summary(&mut warm.iter().map(|run| run[&d].1 as f64).collect::<Vec<_>>()),
    };
    Ok(Row {
        strategy,
        threads,
        by_depth: (1..=depth).map(|d| (d, cost(d))).collect(),
        runs: timing.runs,
    })
}

fn table(rows: &[Row], depth: u32) -> Table {
    let base = rows[0].by_depth[&depth];
    let cells = |row: &Row| {
        let cost = row.by_depth[&depth];
        let rate = |c: Cost| c.nodes.value / c.seconds.value;
        vec![
            Cell::text(row.strategy.to_string()),
            Cell::count(row.threads),
            Cell::Times(cost.seconds),
            Cell::count(row.runs),
            Cell::count(cost.nodes.value as u64),
            Cell::count(rate(cost) as u64),
            Cell::Ratio(rate(cost) / rate(base)),
            Cell::Ratio(cost.nodes.value / base.nodes.value),
            Cell::Ratios(ratio(base.seconds, cost.seconds)),
        ]
    };
    Table {
        name: "strategies",
        title: format!("All positions to depth {depth}, against one thread (medians)"),
        head: vec![
            "strategy",
            "threads",
            "time",
            "runs",
            "nodes",
            "nodes/s",
            "nodes/s ratio",
            "nodes ratio",
            "time-to-depth ratio",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn chart(rows: &[Row]) -> Lines {
    let base = &rows[0].by_depth;
    let series = |row: &Row| Series {
        name: format!("{} {}", row.strategy, row.threads),
        points: (row.by_depth.iter().filter(|&(&d, _)| d >= 5))
            .map(|(d, cost)| (f64::from(*d), ratio(base[d].seconds, cost.seconds)))
            .collect(),
    };
    Lines {
        title: "Time to depth: times as fast as one thread".into(),
        x: Axis::linear("depth"),
        y: Axis::linear("ratio"),
        series: rows.iter().skip(1).map(series).collect(),
    }
}

fn notes(positions: usize, depth: u32) -> Vec<String> {
    vec![
        format!(
            "{positions} positions, each searched by every strategy to depth {depth} with an empty hash table of 64M, all of it repeated. \
             Times are wall-clock and mean something on a quiet machine only; nodes and their ratio (the search overhead) do on any."
        ),
        "Equal depth is not equal strength: threads of Lazy SMP fill the hash table with deeper results, so its tree at the same \
         depth is wider. Published: root splitting 1.30 on 2 threads, Young Brothers Wait 1.66 to 1.8, simplified ABDADA 1.92, Lazy SMP \
         about 1.1 to 1.65 in time to depth."
            .into(),
    ]
}
