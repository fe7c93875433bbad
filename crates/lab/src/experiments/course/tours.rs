//! `course-tours`: every knight's tour from every square, by the program of the course.
//!
//! After Cameron Carter, "PCSE Final Project" (2016), section 2.1 with its table.

use everymove_course::schedule::{Interval, Schedule, for_each};
use everymove_course::tours::{Board, Found, Split, begin_with};
use everymove_kernel::run::Run;
use everymove_tours::board::{self, Kind};
use everymove_tours::question::Question;
use everymove_tours::search::{self, Folding, Method, SearchError};
use std::sync::Mutex;

use super::{Case, name, processors, simulated, speed_up_chart};
use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size, known};

pub(in crate::experiments) const EXPERIMENT: Experiment = Experiment {
    name: "course-tours",
    about: "the course's brute force for knight's tours: schedules, simulated processors, printed figures",
    seconds: (2, 300),
    run,
};

/// The printed table: squares, cores, seconds in series (with 4 cores only) and in parallel.
const PRINTED: [(usize, usize, Option<f64>, f64); 15] = [
    (12, 4, Some(1e-5), 1.3e-4),
    (12, 8, None, 1.1e-4),
    (12, 16, None, 2.2e-4),
    (16, 4, Some(4.7e-5), 4.8e-4),
    (16, 8, None, 3.6e-4),
    (16, 16, None, 4.8e-4),
    (20, 4, Some(1.1e-3), 1.5e-4),
    (20, 8, None, 1.6e-4),
    (20, 16, None, 6.2e-4),
    (25, 4, Some(8.3e-2), 6.7e-3),
    (25, 8, None, 6.5e-3),
    (25, 16, None, 6.9e-3),
    (30, 4, None, 0.42),
    (30, 8, None, 0.43),
    (30, 16, None, 0.48),
];

/// Rows, columns, and the calls of `find_tours` from all squares, which the runs are checked
/// against.
const BOARDS: [(usize, usize, u64); 5] = [
    (3, 4, 760),
    (4, 4, 29_976),
    (4, 5, 605_708),
    (5, 5, 38_010_697),
    (5, 6, 2_497_405_638),
];

/// A way to search a board, and what it gave.
struct Row {
    board: String,
    way: String,
    threads: usize,
    tours: u64,
    steps: u64,
    time: Timing,
    serial: Timing,
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let is_quick = options.size == Size::Quick;
    let several = options.several(if is_quick { &[2] } else { &[2, 4] });
    let (mut rows, mut cases) = (Vec::new(), Vec::new());
    let mut last_log: (usize, Vec<Interval>) = (0, Vec::new());
    for (r, c, steps) in BOARDS {
        let squares = r * c;
        if is_quick && squares > 25 {
            continue;
        }
        let is_large = squares >= 25;
        let board = Board::new(r, c);
        let named = format!("{r}x{c}");
        let mut baseline = None;
        let mut add = |way: String, threads, found: Found, time: Timing| {
            rows.push(Row {
                board: named.clone(),
                way,
                threads,
                tours: found.tours,
                steps: found.steps,
                time,
                serial: *baseline.get_or_insert(time),
            });
        };
        run.stop.check()?;
        let (found, time) = repeat(options.size, || {
            search_all(&board, Split::Squares, 1, Schedule::Static, run)
        })?;
        let (found, _) = found;
        add("serial".into(), 1, found, time);
        // A thread for each square as the author had them, then other schedules on as many threads
        // as are compared.
        let mut ways = vec![(Split::Squares, Schedule::Static, squares)];
        for &threads in &several {
            if is_large && is_quick {
                continue;
            }
            if squares < 30 {
                ways.push((Split::Squares, Schedule::Static, threads));
                ways.push((Split::Squares, Schedule::Guided, threads));
                ways.push((Split::TwoMoves, Schedule::Dynamic(1), threads));
            }
            ways.push((Split::Squares, Schedule::Dynamic(1), threads));
        }
        for (split, schedule, threads) in ways {
            run.stop.check()?;
            let mut log = Vec::new();
            let (found, time) = repeat(options.size, || {
                let (found, done) = search_all(&board, split, threads, schedule, run)?;
                log = done;
                Ok::<_, LabError>(found)
            })?;
            let items = match split {
                Split::Squares => "start squares",
                Split::TwoMoves => "first two moves",
            };
            add(format!("{items}, {}", name(schedule)), threads, found, time);
            if threads == squares {
                cases.push(Case::of(&named, items, &log));
            } else if schedule == Schedule::Dynamic(1) {
                last_log = (threads, log);
            }
        }
        if squares <= 25 {
            let (_, log) = search_all(&board, Split::TwoMoves, 1, Schedule::Static, run)?;
            cases.push(Case::of(&named, "first two moves", &log));
        }
        rows.push(solver(
            r,
            c,
            options.size,
            run,
            rows.last().map(|row| row.serial),
        )?);
        run.progress.part(format!("{named}, {steps} calls"));
    }
    let processors = processors(options);
    let by_squares: Vec<&Case> = cases
        .iter()
        .filter(|case| case.what.1 == "start squares")
        .collect();
    let mut sections = vec![Section::Table(times(&rows)), Section::Table(printed(&rows))];
    sections.extend(
        by_squares
            .last()
            .map(|case| speed_up_chart(case, &processors)),
    );
    sections.push(Section::Table(simulated(&cases, &processors)));
    if last_log.0 > 0 {
        let title = format!("{} threads, start squares, dynamic(1)", last_log.0);
        sections.push(super::timeline(title, "seconds", last_log.0, &last_log.1));
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Course: every knight's tour by recursion".into(),
        notes: notes(),
        sections,
        checks: checks(&rows),
    })
}

/// As `timeline` of the course, until the run is stopped.
fn search_all(
    board: &Board,
    split: Split,
    threads: usize,
    schedule: Schedule,
    run: &Run,
) -> Result<(Found, Vec<Interval>), LabError> {
    let items = board.items(split);
    let all = Mutex::new(Found::default());
    let log = for_each(schedule, threads, items.len(), |item| {
        if run.stop.is_raised() {
            return 0;
        }
        let found = begin_with(&items[item], board);
        *all.lock().unwrap_or_else(|e| e.into_inner()) += found;
        found.steps
    });
    run.stop.check()?;
    Ok((all.into_inner().unwrap_or_else(|e| e.into_inner()), log))
}

/// The real solver on the same board: a search that recognises dead ends.
fn solver(
    rows: usize,
    cols: usize,
    size: Size,
    run: &Run,
    serial: Option<Timing>,
) -> Result<Row, LabError> {
    let board =
        board::Board::knight(rows as u32, cols as u32).map_err(|e| LabError::part("board", e))?;
    let question = Question::new(board, Kind::Open);
    let options = search::Options {
        method: Method::Pruned,
        folding: Folding::Off,
    };
    let run = run.with_threads(1);
    let (count, time) =
        repeat(size, || search::count(&question, options, &run)).map_err(|error| match error {
            SearchError::Stopped(stopped) => stopped.into(),
            SearchError::OverBudget(over) => over.into(),
            error => LabError::part("search", error),
        })?;
    Ok(Row {
        board: question.board.grid().to_string(),
        way: "everymove's search".into(),
        threads: 1,
        tours: count.directed,
        steps: count.work.get("nodes"),
        time,
        serial: serial.unwrap_or(time),
    })
}

fn times(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::text(&row.board),
            Cell::text(&row.way),
            Cell::count(row.threads),
            Cell::count(row.tours),
            Cell::count(row.steps),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::Ratios(row.time.speed_up(&row.serial)),
        ]
    };
    Table {
        name: "times",
        title: "All directed open tours (medians)".into(),
        head: vec![
            "board", "way", "threads", "tours", "steps", "time", "CPU", "speed-up",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

/// The figures of the document with what they would mean for each call of `find_tours`.
fn printed(rows: &[Row]) -> Table {
    let cells = PRINTED
        .iter()
        .zip(0..)
        .map(|(&(squares, cores, _, parallel), i): (_, usize)| {
            let (r, c, steps) = BOARDS[i / 3];
            let serial = PRINTED[i / 3 * 3].2;
            let named = format!("{r}x{c}");
            let ours = rows
                .iter()
                .find(|row| row.board == named && row.way == "serial");
            let each = |seconds: f64| Cell::Seconds(seconds / steps as f64);
            vec![
                Cell::count(squares),
                Cell::count(cores),
                serial.map_or(Cell::Empty, Cell::Seconds),
                Cell::Seconds(parallel),
                serial.map_or(Cell::Empty, |serial| Cell::Ratio(serial / parallel)),
                Cell::count(steps),
                serial.map_or(Cell::Empty, each),
                each(parallel * cores as f64),
                ours.map_or(Cell::Empty, |row| {
                    Cell::Seconds(row.time.wall.value / steps as f64)
                }),
            ]
        });
    Table {
        name: "printed",
        title: "Printed by C. Carter (2016), and the time for each call that follows from it"
            .into(),
        head: vec![
            "squares",
            "cores",
            "serial",
            "parallel",
            "speed-up",
            "calls",
            "serial, a call",
            "parallel, core time a call",
            "ours, a call",
        ],
        rows: cells.collect(),
    }
}

fn checks(rows: &[Row]) -> Vec<Check> {
    let mut checks = Vec::new();
    for row in rows {
        if let Some(known) = known::tours(&row.board, "open directed") {
            checks.push(Check {
                what: format!("{}, {}, {} thread(s)", row.board, row.way, row.threads),
                found: row.tours.to_string(),
                known: known.value.into(),
                source: known.source.into(),
            });
        }
        let calls = BOARDS
            .iter()
            .find(|(r, c, _)| row.board == format!("{r}x{c}"));
        if let (Some((_, _, steps)), "serial") = (calls, &row.way[..]) {
            checks.push(Check {
                what: format!("{}: calls of find_tours", row.board),
                found: row.steps.to_string(),
                known: steps.to_string(),
                source: "an earlier run of the same program".into(),
            });
        }
    }
    checks
}

fn notes() -> Vec<String> {
    [
        "The program of the course (crates/course/src/tours.rs) is the one that C. Carter describes: recursion over eight moves from every \
         square, with one thread for each start square and a static schedule, or with other schedules.",
        "A step is a call of find_tours. Steps do not depend on the machine, so they show what the printed times would mean: 83 ms for 5x5 \
         are 2.2 ns a call, and 0.43 s on 8 cores for 5x6 are 1.4 ns of a core a call, in which eight moves are tried. Both are less than \
         such a call takes. Three numbers of cores gave the same parallel time (6.7, 6.5 and 6.9 ms), so it was not cores that made it short. A \
         speed-up of 12.8 on 8 cores (12.4 on 4) says that the parallel program did less: in the printed code, vis and hist are private to each \
         thread and have no value there, and the threads add to tot without a lock.",
        "Simulated: the steps of the items are counted in a real run and then dealt out to processors that do nothing else. Starts differ in \
         their work, which bounds every schedule over start squares by work / critical path; the first two moves make smaller items.",
    ]
    .map(str::to_owned)
    .into()
}
