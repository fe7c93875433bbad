//! The features of a student engine one by one: sequential, root splitting, + reordering, + beam, +
//! iterative deepening, + table.
//!
//! After M. Henni and Y. Gaci's student engine, which played versions against each other at depths
//! 1 to 4 and plotted mean time and nodes a move. There each version met other positions; here all
//! search the same ones, and games at equal time show what a step costs or gains in strength.

use everymove_draw::chart::{Axis, Lines, Measured, Series};
use everymove_engine::{
    Clock, Engine, Features, Game, Limits, Options, Position, Signals, Strategy, bench,
};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use everymove_kernel::system;
use shakmaty::Color;
use std::time::Duration;

use crate::measure::{ratio, repeat};
use crate::report::{Cell, Report, Section, Table};
use crate::{Experiment, LabError, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chess-features",
    about: "from plain alpha-beta to a hash table, step by step: time, nodes, and games at equal time",
    seconds: (3, 90),
    run,
};

struct Scope {
    positions: usize,
    depth: u32,
    /// Pairs of games between neighbouring steps, and time a move.
    pairs: u64,
    time: Duration,
}

fn scope(size: Size) -> Scope {
    match size {
        Size::Quick => Scope {
            positions: 4,
            depth: 3,
            pairs: 1,
            time: Duration::from_millis(3),
        },
        Size::Full => Scope {
            positions: 20,
            depth: 4,
            pairs: 20,
            time: Duration::from_millis(30),
        },
    }
}

/// A version of the engine.
struct Step {
    name: &'static str,
    strategy: Strategy,
    threads: usize,
    features: Features,
}

/// Each step is the one before with one thing more.
fn steps() -> Vec<Step> {
    let mut features = Features::plain();
    let mut steps = Vec::new();
    let mut add = |name, strategy, threads, features: &Features| {
        steps.push(Step {
            name,
            strategy,
            threads,
            features: features.clone(),
        });
    };
    add("sequential", Strategy::Sequential, 1, &features);
    add("root splitting", Strategy::RootSplitting, 2, &features);
    features.order_moves = true;
    add("+ reordering", Strategy::RootSplitting, 2, &features);
    features.beam_percent = 50;
    add("+ beam 1/2", Strategy::RootSplitting, 2, &features);
    features.iterative_deepening = true;
    add(
        "+ iterative deepening",
        Strategy::RootSplitting,
        2,
        &features,
    );
    features.use_tt = true;
    add("+ hash table", Strategy::RootSplitting, 2, &features);
    add(
        "everything, Lazy SMP",
        Strategy::LazySmp,
        2,
        &Features::default(),
    );
    steps
}

impl Step {
    fn options(&self) -> Options {
        Options {
            threads: self.threads,
            strategy: self.strategy,
            features: self.features.clone(),
            overhead: Duration::ZERO,
            ..Options::default()
        }
    }

    fn engine(&self, run: &Run) -> Result<Engine, LabError> {
        Ok(Engine::reserved(self.options(), &run.ram)?)
    }
}

/// Means over the positions.
#[derive(Clone, Copy)]
struct Cost {
    seconds: Measured,
    nodes: f64,
}

fn run(options: &crate::Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let scope = scope(size);
    let mut steps = steps();
    for step in &mut steps {
        if step.threads > 1 {
            step.threads = options
                .several(&[step.threads])
                .last()
                .copied()
                .unwrap_or(1);
        }
    }
    // In games two engines are in memory; the tables of those before them would come on top.
    let largest = steps.iter().map(|step| step.options().bytes()).max();
    run.ram.require("two engines", 2 * largest.unwrap_or(0))?;
    system::return_large_buffers();
    let positions: Vec<Position> = bench::positions().take(scope.positions).collect();
    run.progress
        .start("searching", steps.len() as u64 * u64::from(scope.depth));
    let mut costs = Vec::new();
    for step in &steps {
        costs.push(measure(step, &positions, scope.depth, size, run)?);
    }
    let games = games(&steps, &scope, run)?;
    Ok(Report {
        name: EXPERIMENT.name,
        title: "What each technique is worth".into(),
        notes: notes(&scope),
        sections: vec![
            Section::Table(table(&steps, &costs)),
            Section::Lines(
                "time",
                chart("Mean time a move", "seconds", &steps, &costs, |c| c.seconds),
            ),
            Section::Lines(
                "nodes",
                chart("Mean nodes a move", "nodes", &steps, &costs, |c| {
                    c.nodes.into()
                }),
            ),
            Section::Table(games),
        ],
        checks: Vec::new(),
    })
}

fn measure(
    step: &Step,
    positions: &[Position],
    depth: u32,
    size: Size,
    run: &Run,
) -> Result<Vec<Cost>, LabError> {
    let mut engine = step.engine(run)?;
    let mut costs = Vec::new();
    let n = positions.len() as f64;
    for depth in 1..=depth {
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        let mut pass = || {
            let mut nodes = 0;
            for position in positions {
                run.stop.check()?;
                engine.clear();
                let game = Game::from(position.clone());
                let signals = Signals::with_stop(run.stop.clone());
                nodes += engine
                    .search(&game, &limits, &signals, &mut |_| {})
                    .report
                    .nodes;
            }
            Ok::<_, LabError>(nodes)
        };
        let (nodes, time) = repeat(size, &mut pass)?;
        costs.push(Cost {
            seconds: ratio(time.wall, n.into()),
            nodes: nodes as f64 / n,
        });
        run.progress.advance(1);
    }
    Ok(costs)
}

fn table(steps: &[Step], costs: &[Vec<Cost>]) -> Table {
    let rows = steps.iter().zip(costs).flat_map(|(step, costs)| {
        costs.iter().zip(1u32..).map(|(cost, depth)| {
            vec![
                Cell::text(step.name),
                Cell::count(step.threads),
                Cell::count(depth),
                Cell::Times(cost.seconds),
                Cell::count(cost.nodes.round() as u64),
            ]
        })
    });
    Table {
        name: "features",
        title: "Mean time and nodes a move, by depth".into(),
        head: vec!["version", "threads", "depth", "time", "nodes"],
        rows: rows.collect(),
    }
}

fn chart(
    title: &str,
    unit: &str,
    steps: &[Step],
    costs: &[Vec<Cost>],
    value: fn(&Cost) -> Measured,
) -> Lines {
    let series = steps.iter().zip(costs).map(|(step, costs)| Series {
        name: step.name.into(),
        points: costs
            .iter()
            .zip(1u32..)
            .map(|(c, d)| (f64::from(d), value(c)))
            .collect(),
    });
    Lines {
        title: title.into(),
        x: Axis::linear("depth"),
        y: Axis::log(unit),
        series: series.collect(),
    }
}

/// Each step against the one before it, at equal time a move, every opening with both colours.
fn games(steps: &[Step], scope: &Scope, run: &Run) -> Result<Table, LabError> {
    run.progress
        .start("playing", (steps.len() as u64 - 1) * 2 * scope.pairs);
    let mut rows = Vec::new();
    for pair in steps.windows(2) {
        let [older, newer] = pair else { continue };
        let mut engines = [older.engine(run)?, newer.engine(run)?];
        let (mut wins, mut draws, mut losses) = (0u32, 0u32, 0u32);
        for number in 0..scope.pairs {
            for newer_side in [Color::White, Color::Black] {
                match play(&mut engines, newer_side, number, scope, run)? {
                    Some(winner) if winner == newer_side => wins += 1,
                    Some(_) => losses += 1,
                    None => draws += 1,
                }
                run.progress.advance(1);
            }
        }
        rows.push(vec![
            Cell::text(newer.name),
            Cell::text(older.name),
            Cell::count(wins),
            Cell::count(draws),
            Cell::count(losses),
        ]);
    }
    Ok(Table {
        name: "games",
        title: format!("Games at {} ms a move", scope.time.as_millis()),
        head: vec!["version", "against", "wins", "draws", "losses"],
        rows,
    })
}

/// A game is a draw if it lasts longer than people would watch.
const LONGEST: usize = 200;

fn play(
    engines: &mut [Engine; 2],
    newer_side: Color,
    opening: u64,
    scope: &Scope,
    run: &Run,
) -> Result<Option<Color>, LabError> {
    let mut rng = SplitMix64::new(opening);
    let mut game = Game::default();
    for _ in 0..6 {
        let moves = game.position().legal_moves();
        if !moves.is_empty() {
            game.play(moves[rng.below(moves.len() as u64) as usize]);
        }
    }
    engines.iter_mut().for_each(Engine::clear);
    while game.moves().len() < LONGEST {
        run.stop.check()?;
        if let Some(ending) = game.termination() {
            return Ok(ending.winner());
        }
        let newer = game.position().turn() == newer_side;
        let clock = Clock::PerMove(scope.time);
        // Without iterative deepening a version has to know its depth beforehand: the deepest that
        // it can afford, as measured.
        let engine = &mut engines[usize::from(newer)];
        let deepening = engine.options().features.iterative_deepening;
        let limits = Limits {
            clock: Some(clock),
            depth: (!deepening).then_some(2),
            ..Limits::default()
        };
        let answer = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
        let Some(best) = answer.best else { break };
        game.play(best);
    }
    Ok(None)
}

fn notes(scope: &Scope) -> Vec<String> {
    vec![
        "A student engine (M. Henni, Y. Gaci) grew by these steps and compared neighbours by mean time and nodes a move at depths 1 to 4, each \
         version on the positions of its own games. Here all versions search the same positions to the same depths, with the same evaluation, \
         without quiescence, pruning or reductions except in the last row."
            .into(),
        format!(
            "Games: each version against the one before, {} ms a move and every opening with both colours. Versions without iterative \
             deepening cannot be interrupted with a move in hand: they search to depth 2, which they manage in that time.",
            scope.time.as_millis()
        ),
    ]
}
