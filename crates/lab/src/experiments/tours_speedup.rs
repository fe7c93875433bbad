//! Brute force for knight's tours, serial against parallel.
//!
//! After C. Carter's course project of 2016, which searched for all tours of boards from 3x4 to 5x6
//! by plain backtracking; `course-tours` has that program. No thread visits fewer nodes because
//! there are others.

use std::collections::BTreeSet;

use everymove_draw::chart::{Axis, Lines, Measured, Series};
use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind};
use everymove_tours::question::Question;
use everymove_tours::search::{self, Folding, Method, SearchError};

use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size, known};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tours-speedup",
    about: "brute force for knight's tours, serial against parallel, with nodes beside times",
    seconds: (3, 120),
    run,
};

/// A board and the ways in which it is searched.
struct Case {
    rows: u32,
    cols: u32,
    methods: &'static [Method],
}

const BOTH: &[Method] = &[Method::Unpruned, Method::Pruned];
const PRUNED: &[Method] = &[Method::Pruned];

fn cases(size: Size) -> Vec<Case> {
    let case = |rows, cols, methods| Case {
        rows,
        cols,
        methods,
    };
    let mut cases = vec![
        case(3, 4, BOTH),
        case(4, 4, BOTH),
        case(4, 5, BOTH),
        case(5, 5, BOTH),
    ];
    cases.extend(match size {
        Size::Quick => vec![case(5, 6, PRUNED)],
        Size::Full => vec![case(5, 6, BOTH), case(6, 6, PRUNED)],
    });
    cases
}

fn name(method: Method) -> &'static str {
    match method {
        Method::Unpruned => "unpruned",
        Method::Pruned => "pruned",
        Method::Segments => "segments",
    }
}

/// One line of the table of times.
struct Row {
    board: String,
    squares: usize,
    method: Method,
    threads: usize,
    tours: u64,
    nodes: u64,
    time: Timing,
    speed_up: Measured,
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let mut rows = Vec::new();
    for case in cases(size) {
        for &method in case.methods {
            rows.extend(measure(&case, method, options, run)?);
        }
    }
    let mut sections = vec![Section::Table(times(&rows))];
    sections.extend(charts(&rows));
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Knight's tours by brute force, serial against parallel".into(),
        notes: notes(),
        sections,
        checks: checks(&rows),
    })
}

fn failed(error: SearchError) -> LabError {
    match error {
        SearchError::Stopped(stopped) => stopped.into(),
        SearchError::OverBudget(over) => over.into(),
        error => LabError::part("search", error),
    }
}

fn question(rows: u32, cols: u32) -> Result<Question, LabError> {
    let board = Board::knight(rows, cols).map_err(|e| LabError::part("board", e))?;
    Ok(Question::new(board, Kind::Open))
}

/// Every start square is searched, as in Carter's program.
fn every_start(method: Method) -> search::Options {
    let folding = Folding::Off;
    search::Options { method, folding }
}

fn measure(
    case: &Case,
    method: Method,
    options: &Options,
    run: &Run,
) -> Result<Vec<Row>, LabError> {
    let question = question(case.rows, case.cols)?;
    let mut rows: Vec<Row> = Vec::new();
    for &threads in options.threads() {
        let run = run.with_threads(threads);
        let (count, time) = repeat(options.size, || {
            search::count(&question, every_start(method), &run)
        })
        .map_err(failed)?;
        let serial = rows.first().map_or(time, |first| first.time);
        rows.push(Row {
            board: question.board.grid().to_string(),
            squares: question.board.playable(),
            method,
            threads,
            tours: count.directed,
            nodes: count.work.get("nodes"),
            time,
            speed_up: time.speed_up(&serial),
        });
    }
    Ok(rows)
}

fn times(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::text(&row.board),
            Cell::count(row.squares),
            Cell::text(name(row.method)),
            Cell::count(row.threads),
            Cell::count(row.tours),
            Cell::count(row.nodes),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::Ratios(row.speed_up),
            Cell::count(row.time.runs),
        ]
    };
    Table {
        name: "times",
        title: "All directed open tours, every start square searched (medians)".into(),
        head: vec![
            "board", "squares", "method", "threads", "tours", "nodes", "time", "CPU", "speed-up",
            "runs",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn charts(rows: &[Row]) -> Vec<Section> {
    let counts: BTreeSet<usize> = rows.iter().map(|row| row.threads).collect();
    let series = |value: fn(&Row) -> Measured, least: usize| -> Vec<Series> {
        let mut all = Vec::new();
        for &method in BOTH {
            for &count in counts.range(least..) {
                let words = if count == 1 { "thread" } else { "threads" };
                let same = |row: &&Row| row.method == method && row.threads == count;
                all.push(Series {
                    name: format!("{}, {count} {words}", name(method)),
                    points: (rows.iter().filter(same))
                        .map(|row| (row.squares as f64, value(row)))
                        .collect(),
                });
            }
        }
        all
    };
    vec![
        Section::Lines(
            "times",
            Lines {
                title: "Time to find all directed open tours".into(),
                x: Axis::linear("squares of the board"),
                y: Axis::log("seconds"),
                series: series(|row| row.time.wall, 1),
            },
        ),
        Section::Lines(
            "speed-up",
            Lines {
                title: "Speed-up over one thread".into(),
                x: Axis::linear("squares of the board"),
                y: Axis::linear("times as fast as one thread"),
                series: series(|row| row.speed_up, 2),
            },
        ),
    ]
}

fn checks(rows: &[Row]) -> Vec<Check> {
    let check = |row: &Row| {
        let known = known::tours(&row.board, "open directed")?;
        Some(Check {
            what: format!(
                "{} {} on {} thread(s)",
                row.board,
                name(row.method),
                row.threads
            ),
            found: row.tours.to_string(),
            known: known.value.into(),
            source: known.source.into(),
        })
    };
    // The same nodes on any number of threads: the condition of a fair comparison.
    let fair = rows.iter().filter(|row| row.threads > 1).map(|row| {
        let same = |other: &&Row| (&other.board, other.method) == (&row.board, row.method);
        let first = rows.iter().find(same).unwrap_or(row);
        Check {
            what: format!(
                "{} {}: nodes on {} threads",
                row.board,
                name(row.method),
                row.threads
            ),
            found: row.nodes.to_string(),
            known: first.nodes.to_string(),
            source: format!("nodes on {} thread(s)", first.threads),
        }
    });
    rows.iter().filter_map(check).chain(fair).collect()
}

fn notes() -> Vec<String> {
    [
        "A course project of 2016 (C. Carter) counted all knight's tours of small boards by plain backtracking from \
         every square, in series and with OpenMP on 4, 8 and 16 cores, one start square at a time. course-tours has that program, the \
         figures that it printed, and the schedules over start squares.",
        "The tables here count nodes beside times: the same nodes are visited for any number of threads, and then no speed-up exceeds the number \
         of cores.",
        "Pruning (a square cut off, two dead ends, colours that do not come out) is worth more than any number of \
         cores: it makes 6x6, out of reach for plain backtracking, a matter of a second.",
    ]
    .map(str::to_owned)
    .into()
}
