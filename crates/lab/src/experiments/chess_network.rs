//! Networks trained on own games: the loss by epoch, for several numbers of hidden units and of
//! games.
//!
//! The loss is the mean squared error of the predicted share of the points, on positions that were
//! learnt from and on others that were held out. Where the two part, there are too few games for
//! the number of weights.

use everymove_draw::chart::{Axis, Lines, Series};
use everymove_engine::selfplay::{self, generate};
use everymove_engine::train::{self, Trained};
use everymove_engine::{DataError, TrainError};
use everymove_kernel::files::Memory;
use everymove_kernel::run::Run;
use everymove_kernel::system;

use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "chess-network",
    about: "networks from own games: loss by epoch, hidden units and number of games",
    seconds: (4, 500),
    run,
};

struct Scope {
    /// Quiet positions of the smaller and the larger data.
    positions: [u64; 2],
    nodes: u64,
    hidden: &'static [usize],
    epochs: u32,
}

fn scope(size: Size) -> Scope {
    match size {
        Size::Quick => Scope {
            positions: [3_000, 6_000],
            nodes: 40,
            hidden: &[64, 128],
            epochs: 4,
        },
        Size::Full => Scope {
            positions: [100_000, 400_000],
            nodes: 500,
            hidden: &[64, 128, 256],
            epochs: 10,
        },
    }
}

/// A trained network, and from how many positions.
struct Row {
    hidden: usize,
    trained: Trained,
}

impl Row {
    fn name(&self) -> String {
        let learnt = self.trained.positions[0];
        format!("{} units, {learnt} positions", self.hidden)
    }
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let scope = scope(options.size);
    let mut rows = Vec::new();
    let mut repeated = None;
    for positions in scope.positions {
        let games = games(positions, scope.nodes, run)?;
        for &hidden in scope.hidden {
            let trained = trained(&games, hidden, scope.epochs, run)?;
            if repeated.is_none() {
                let again = self::trained(&games, hidden, scope.epochs, run)?;
                repeated = Some(again.network == trained.network);
            }
            rows.push(Row { hidden, trained });
        }
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Networks from own games".into(),
        notes: notes(&scope),
        sections: vec![
            Section::Table(table(&rows)),
            Section::Lines(
                "held-out",
                chart("Loss on positions held out", &rows, |l| l.validation),
            ),
            Section::Lines(
                "learnt",
                chart("Loss on positions learnt from", &rows, |l| l.training),
            ),
        ],
        checks: vec![Check {
            what: "the first training, repeated with the same seed".into(),
            found: if repeated == Some(true) {
                "the same weights"
            } else {
                "other weights"
            }
            .into(),
            known: "the same weights".into(),
            source: "the trainer's promise".into(),
        }],
    })
}

fn games(positions: u64, nodes: u64, run: &Run) -> Result<Memory, LabError> {
    let storage = Memory::default();
    let plan = selfplay::Plan {
        positions,
        nodes,
        ..selfplay::Plan::default()
    };
    // What the allocator keeps of the training before would come on top.
    system::release_freed_memory();
    generate(&storage, &plan, run).map_err(|e| match e {
        DataError::OverBudget(over) => over.into(),
        e => LabError::part("games", e),
    })?;
    run.stop.check()?;
    Ok(storage)
}

fn trained(games: &Memory, hidden: usize, epochs: u32, run: &Run) -> Result<Trained, LabError> {
    let plan = train::Plan {
        hidden,
        epochs,
        ..train::Plan::default()
    };
    let part = format!("{hidden} hidden units");
    system::release_freed_memory();
    train::run(&plan, games, None, run).map_err(|e| match e {
        TrainError::OverBudget(over) => over.into(),
        e => LabError::part(part, e),
    })
}

fn table(rows: &[Row]) -> Table {
    let loss = |loss: f64| Cell::text(format!("{loss:.5}"));
    let row = |row: &Row| {
        let trained = &row.trained;
        let last = trained.losses.last();
        vec![
            Cell::count(row.hidden),
            Cell::count(trained.games),
            Cell::count(trained.positions[0]),
            last.map_or(Cell::Empty, |l| loss(l.training)),
            last.map_or(Cell::Empty, |l| loss(l.validation)),
            loss(trained.quantised_loss),
            loss(trained.constant_loss),
        ]
    };
    Table {
        name: "losses",
        title: "Losses after the last epoch".into(),
        head: vec![
            "hidden units",
            "games",
            "positions",
            "learnt from",
            "held out",
            "rounded weights",
            "the mean alone",
        ],
        rows: rows.iter().map(row).collect(),
    }
}

fn chart(title: &str, rows: &[Row], value: fn(&train::Losses) -> f64) -> Lines {
    let series = rows.iter().map(|row| Series {
        name: row.name(),
        points: (row.trained.losses.iter().zip(1u32..))
            .map(|(losses, epoch)| (f64::from(epoch), value(losses).into()))
            .collect(),
    });
    Lines {
        title: title.into(),
        x: Axis::linear("epoch"),
        y: Axis::linear("mean squared error"),
        series: series.collect(),
    }
}

fn notes(scope: &Scope) -> Vec<String> {
    vec![format!(
        "Games of the engine against itself with {} nodes a move. One stretch of 512 positions in 20 is held out: a network that learns the results of \
         single games by heart gets better on the positions learnt from only. The shipped network is from 22 million positions and then 16 million of stronger games (docs/network.md).",
        scope.nodes
    )]
}
