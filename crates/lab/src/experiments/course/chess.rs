//! `course-chess`: the versions of a student engine, by the program of the course.
//!
//! After Mohammed Henni and Yacine Gaci, "Parallelizing a chess engine", with its plots.

use everymove_course::minimax::{Outcome, Version, search};
use everymove_course::schedule::Schedule;
use everymove_draw::chart::{Axis, Lines, Measured, Series};
use everymove_engine::{Engine, Game, Limits, Position, Signals, bench};
use everymove_kernel::run::Run;

use super::{Case, processors, simulated, speed_up_chart};
use crate::measure::{Timing, ratio, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size};

pub(in crate::experiments) const EXPERIMENT: Experiment = Experiment {
    name: "course-chess",
    about: "the course's alpha-beta: root splitting, reordering, beam, deepening, hash table",
    seconds: (2, 90),
    run,
};

const PLAIN: Version = Version {
    threads: 1,
    reorders: false,
    beam: 100,
    deepens: false,
    has_table: false,
};

/// The versions in the order in which the authors made them; what each is compared with is the
/// first.
fn versions(threads: &[usize]) -> Vec<(&'static str, Version)> {
    let mut versions = vec![("sequential", PLAIN)];
    versions.extend(
        threads
            .iter()
            .map(|&threads| ("root splitting", Version { threads, ..PLAIN })),
    );
    let most = threads.last().copied().unwrap_or(1);
    for (name, threads) in [("", 1), (" + root splitting", most)] {
        let base = Version { threads, ..PLAIN };
        let names: [&'static str; 4] = match name {
            "" => [
                "reordering",
                "reordering + beam 1/2",
                "deepening",
                "reordering + deepening + table",
            ],
            _ => [
                "root splitting + reordering",
                "root splitting + reordering + beam 1/2",
                "root splitting + deepening",
                "root splitting + reordering + deepening + table",
            ],
        };
        if threads == 1 && !name.is_empty() {
            continue;
        }
        versions.extend([
            (
                names[0],
                Version {
                    reorders: true,
                    ..base
                },
            ),
            (
                names[1],
                Version {
                    reorders: true,
                    beam: 50,
                    ..base
                },
            ),
            (
                names[2],
                Version {
                    deepens: true,
                    ..base
                },
            ),
            (
                names[3],
                Version {
                    reorders: true,
                    deepens: true,
                    has_table: true,
                    ..base
                },
            ),
        ]);
    }
    versions
}

struct Row {
    name: &'static str,
    threads: usize,
    depth: u32,
    nodes: u64,
    time: Timing,
    /// Scores of all positions.
    scores: Vec<i32>,
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let (number, deepest) = match options.size {
        Size::Quick => (4, 3),
        Size::Full => (20, 4),
    };
    let positions: Vec<Position> = bench::positions().take(number).collect();
    let usual = [2, 4];
    let threads = options.several(match options.size {
        Size::Quick => &usual[..1],
        Size::Full => &usual,
    });
    let mut rows: Vec<Row> = Vec::new();
    for depth in 1..=deepest {
        for (name, version) in versions(&threads) {
            run.progress.part(format!("{name}, depth {depth}"));
            let ((nodes, scores), time) = repeat(options.size, || {
                let (mut nodes, mut scores) = (0, Vec::new());
                for position in &positions {
                    run.stop.check()?;
                    let found = search(position.chess(), depth, version, Schedule::Dynamic(1));
                    nodes += found.nodes;
                    scores.push(found.score);
                }
                Ok::<_, LabError>((nodes, scores))
            })?;
            rows.push(Row {
                name,
                threads: version.threads,
                depth,
                nodes,
                time,
                scores,
            });
        }
        rows.push(solver(&positions, depth, options.size, run)?);
    }
    // The moves of the root as a loop: their nodes in a search by one thread, position after
    // position.
    let loops = |version: Version| {
        let outcomes: Vec<Outcome> = (positions.iter())
            .map(|position| search(position.chess(), deepest, version, Schedule::Dynamic(1)))
            .collect();
        outcomes
            .iter()
            .map(|found| found.log.iter().map(|done| done.work).collect())
            .collect()
    };
    let what = format!("{number} positions, depth {deepest}");
    let cases = [
        Case {
            what: (what.clone(), "moves of the root".into()),
            loops: loops(PLAIN),
        },
        Case {
            what: (what, "moves of the root, reordered".into()),
            loops: loops(Version {
                reorders: true,
                ..PLAIN
            }),
        },
    ];
    let processors = processors(options);
    let mut sections = vec![
        Section::Table(table(&rows)),
        Section::Lines(
            "time",
            chart("Mean time a move", "seconds", &rows, number, |row| {
                row.time.wall
            }),
        ),
        Section::Lines(
            "nodes",
            chart("Mean nodes a move", "nodes", &rows, number, |row| {
                (row.nodes as f64).into()
            }),
        ),
        Section::Table(printed(&rows, deepest)),
        Section::Table(beams(&positions, deepest, run)?),
        speed_up_chart(&cases[0], &processors),
        Section::Table(simulated(&cases, &processors)),
    ];
    if let (Some(&threads), Some(position)) = (threads.last(), positions.get(1)) {
        let found = search(
            position.chess(),
            deepest,
            Version { threads, ..PLAIN },
            Schedule::Dynamic(1),
        );
        let title = format!("Moves of one root on {threads} threads, dynamic(1), depth {deepest}");
        sections.push(super::timeline(title, "seconds", threads, &found.log));
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Course: versions of a chess search".into(),
        notes: notes(),
        sections,
        checks: checks(&rows),
    })
}

/// The real engine to the same depth, with everything that it has.
fn solver(positions: &[Position], depth: u32, size: Size, run: &Run) -> Result<Row, LabError> {
    let options = everymove_engine::Options {
        hash: 16 << 20,
        threads: 1,
        ..Default::default()
    };
    let mut engine = Engine::reserved(options, &run.ram)?;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let (nodes, time) = repeat(size, || {
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
    })?;
    Ok(Row {
        name: "everymove's engine",
        threads: 1,
        depth,
        nodes,
        time,
        scores: Vec::new(),
    })
}

fn table(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        let first = rows
            .iter()
            .find(|other| other.depth == row.depth)
            .unwrap_or(row);
        vec![
            Cell::text(row.name),
            Cell::count(row.threads),
            Cell::count(row.depth),
            Cell::count(row.nodes),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::Ratio(row.nodes as f64 / first.nodes as f64),
            Cell::Ratios(row.time.speed_up(&first.time)),
        ]
    };
    Table {
        name: "versions",
        title: "All positions, by depth; ratios to the sequential search".into(),
        head: vec![
            "version",
            "threads",
            "depth",
            "nodes",
            "time",
            "CPU",
            "nodes ratio",
            "speed-up",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn chart(
    title: &str,
    unit: &str,
    rows: &[Row],
    positions: usize,
    value: fn(&Row) -> Measured,
) -> Lines {
    let first = rows.iter().filter(|row| row.depth == 1);
    let series = first.map(|of| Series {
        name: match of.threads {
            1 => of.name.into(),
            threads => format!("{} ({threads})", of.name),
        },
        points: (rows.iter())
            .filter(|row| (row.name, row.threads) == (of.name, of.threads))
            .map(|row| {
                (
                    f64::from(row.depth),
                    ratio(value(row), (positions as f64).into()),
                )
            })
            .collect(),
    });
    Lines {
        title: title.into(),
        x: Axis::linear("depth"),
        y: Axis::log(unit),
        series: series.collect(),
    }
}

/// The printed speed-ups, each beside the parts that make it up.
fn printed(rows: &[Row], depth: u32) -> Table {
    let at = |name: &str| {
        rows.iter()
            .rfind(|row| row.depth == depth && row.name == name)
    };
    let Some(first) = at("sequential") else {
        return Table {
            name: "printed",
            title: String::new(),
            head: Vec::new(),
            rows: Vec::new(),
        };
    };
    let claims = [
        ("root splitting", Some(2.0)),
        ("reordering", None),
        ("root splitting + reordering", None),
        ("reordering + beam 1/2", None),
        ("root splitting + reordering + beam 1/2", Some(3.467_685)),
        ("root splitting + deepening", None),
    ];
    let rows = claims.into_iter().filter_map(|(name, claim)| {
        let row = at(name)?;
        Some(vec![
            Cell::text(name),
            Cell::count(row.threads),
            claim.map_or(Cell::Empty, Cell::Ratio),
            Cell::Ratios(row.time.speed_up(&first.time)),
            Cell::Ratio(row.nodes as f64 / first.nodes as f64),
            Cell::Ratio(
                row.time.cpu.value / row.nodes as f64 / (first.time.cpu.value / first.nodes as f64),
            ),
        ])
    });
    Table {
        name: "printed",
        title: format!("Depth {depth}: printed by M. Henni and Y. Gaci (4 threads), and ours"),
        head: vec![
            "version",
            "threads",
            "printed",
            "ours",
            "nodes ratio",
            "CPU time of a node, ratio",
        ],
        rows: rows.collect(),
    }
}

/// What a beam leaves out: nodes, and positions whose value it gets wrong.
fn beams(positions: &[Position], depth: u32, run: &Run) -> Result<Table, LabError> {
    let search_all = |beam| {
        let version = Version {
            reorders: true,
            beam,
            ..PLAIN
        };
        let found = positions.iter().map(|position| {
            run.stop.check()?;
            Ok(search(position.chess(), depth, version, Schedule::Static))
        });
        found.collect::<Result<Vec<Outcome>, LabError>>()
    };
    let full = search_all(100)?;
    let nodes = |found: &[Outcome]| found.iter().map(|found| found.nodes).sum::<u64>();
    let mut rows = Vec::new();
    for beam in [100, 75, 50, 25] {
        let found = search_all(beam)?;
        let pairs = || found.iter().zip(&full);
        rows.push(vec![
            Cell::count(beam),
            Cell::count(nodes(&found)),
            Cell::Ratio(nodes(&found) as f64 / nodes(&full) as f64),
            Cell::count(pairs().filter(|(a, b)| a.score != b.score).count()),
            Cell::count(pairs().filter(|(a, b)| a.best != b.best).count()),
            Cell::count(positions.len()),
        ]);
    }
    Ok(Table {
        name: "beams",
        title: format!(
            "Reordering and a beam, depth {depth}: nodes, and positions with another result"
        ),
        head: vec![
            "percent of the moves",
            "nodes",
            "nodes ratio",
            "other value",
            "other move",
            "positions",
        ],
        rows,
    })
}

fn checks(rows: &[Row]) -> Vec<Check> {
    let full = rows
        .iter()
        .filter(|row| !row.scores.is_empty() && !row.name.contains("beam"));
    let check = |row: &Row| {
        let first = rows
            .iter()
            .find(|other| other.depth == row.depth)
            .unwrap_or(row);
        Check {
            what: format!(
                "{}, {} thread(s), depth {}: sum of values",
                row.name, row.threads, row.depth
            ),
            found: row.scores.iter().sum::<i32>().to_string(),
            known: first.scores.iter().sum::<i32>().to_string(),
            source: "the sequential search".into(),
        }
    };
    full.map(check).collect()
}

fn notes() -> Vec<String> {
    [
        "The program of the course (crates/course/src/minimax.rs) has the versions of the document as parameters. All search the same positions; in the \
         document each version met the positions of its own games, so that times and nodes of two versions were of different trees.",
        "Reordering visits fewer nodes and each costs more, because all children are made and evaluated before the first is searched: the authors saw \
         this, too. A beam of half the moves halves the base of the tree. That is not a faster search of the same tree: its value and its move are \
         others in many positions.",
        "Simulated: the nodes below each move of the root are counted in a search by one thread. In parallel the later moves have weaker bounds and more \
         nodes, so real speed-ups are smaller; the nodes of the measured rows show by how much.",
    ]
    .map(str::to_owned)
    .into()
}
