//! One tree, many threads: every parallel strategy on the same positions to the same depths.

use std::collections::BTreeMap;

use everymove_draw::chart::{Axis, Lines, Series};
use everymove_engine::{Engine, Game, Limits, Options, Position, Signals, Strategy, bench};
use everymove_kernel::run::Run;

use crate::report::{Cell, Report, Section, Table};
use crate::{Experiment, LabError, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chess-strategies",
    about: "every parallel search on identical positions: time to depth, nodes, overhead",
    seconds: (4, 70),
    run,
};

/// Positions, deepest iteration, numbers of threads.
fn scope(size: Size) -> (usize, u32, &'static [usize]) {
    match size {
        Size::Quick => (4, 8, &[2]),
        Size::Full => (40, 16, &[2, 4]),
    }
}

/// What a configuration needed for a depth, on all positions together.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    seconds: f64,
    nodes: u64,
}

/// A strategy on some threads.
struct Row {
    strategy: Strategy,
    threads: usize,
    by_depth: BTreeMap<u32, Cost>,
}

fn run(options: &crate::Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let (number, depth, threads) = scope(size);
    let threads: Vec<usize> = threads
        .iter()
        .copied()
        .filter(|&n| n <= options.at_most(n))
        .collect();
    let positions: Vec<Position> = bench::positions().take(number).collect();
    run.progress.start(
        "searching",
        (1 + 4 * threads.len() as u64) * positions.len() as u64,
    );
    let mut rows = vec![measure(Strategy::Sequential, 1, &positions, depth, run)?];
    for &threads in &threads {
        for strategy in Strategy::ALL
            .into_iter()
            .filter(|&s| s != Strategy::Sequential)
        {
            rows.push(measure(strategy, threads, &positions, depth, run)?);
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
    let mut by_depth = BTreeMap::<u32, Cost>::new();
    for position in positions {
        run.stop.check()?;
        engine.clear();
        let game = Game::from(position.clone());
        let mut reached = BTreeMap::new();
        let mut listen = |report: &everymove_engine::SearchReport| {
            let cost = Cost {
                seconds: report.elapsed.as_secs_f64(),
                nodes: report.nodes,
            };
            reached.insert(report.depth, cost);
        };
        engine.search(&game, &limits, &Signals::new(), &mut listen);
        // Lazy threads may pass over a depth: then the next one counts for it, too.
        let mut next = Cost::default();
        for d in (1..=depth).rev() {
            next = reached.get(&d).copied().unwrap_or(next);
            let sum = by_depth.entry(d).or_default();
            sum.seconds += next.seconds;
            sum.nodes += next.nodes;
        }
        run.progress.advance(1);
    }
    Ok(Row {
        strategy,
        threads,
        by_depth,
    })
}

fn table(rows: &[Row], depth: u32) -> Table {
    let base = rows[0].by_depth[&depth];
    let cells = |row: &Row| {
        let cost = row.by_depth[&depth];
        let rate = |c: Cost| c.nodes as f64 / c.seconds.max(1e-9);
        vec![
            Cell::text(row.strategy.to_string()),
            Cell::count(row.threads),
            Cell::Seconds(cost.seconds),
            Cell::count(cost.nodes),
            Cell::count(rate(cost) as u64),
            Cell::Ratio(rate(cost) / rate(base)),
            Cell::Ratio(cost.nodes as f64 / base.nodes as f64),
            Cell::Ratio(base.seconds / cost.seconds.max(1e-9)),
        ]
    };
    Table {
        name: "strategies",
        title: format!("All positions to depth {depth}, against one thread"),
        head: vec![
            "strategy",
            "threads",
            "time",
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
            .map(|(d, cost)| {
                let ratio = base[d].seconds / cost.seconds.max(1e-9);
                (f64::from(*d), ratio.into())
            })
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
            "{positions} positions, each searched by every strategy to depth {depth} with an empty hash table of 64 MiB. Times are \
             wall-clock and mean something on a quiet machine only; nodes and their ratio (the search overhead) do on any."
        ),
        "Equal depth is not equal strength: threads of Lazy SMP fill the hash table with deeper results, so its tree at the same \
         depth is wider. Published: root splitting 1.30 on 2 threads, Young Brothers Wait 1.66 to 1.8, simplified ABDADA 1.92, Lazy SMP \
         about 1.1 to 1.65 in time to depth."
            .into(),
    ]
}
