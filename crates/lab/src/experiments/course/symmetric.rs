//! `course-symmetric`: four turned paths at once, by the program of the course.
//!
//! After Cameron Carter, "PCSE Final Project" (2016), sections 2.2 and 2.3.

use everymove_course::schedule::{Interval, Schedule, for_each};
use everymove_course::symmetric::{Found, Turning, begin_with, items};
use everymove_kernel::run::Run;
use everymove_tours::board::Board;
use everymove_tours::symmetric::{SymmetricError, quarter_paths};
use std::sync::Mutex;

use super::{Case, name, processors, simulated, speed_up_chart};
use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size, known};

pub(in crate::experiments) const EXPERIMENT: Experiment = Experiment {
    name: "course-symmetric",
    about: "the course's four turned paths: parallel over first moves, tasks inside the recursion",
    seconds: (1, 150),
    run,
};

/// The printed times in series: the side of the board and seconds, the same for 4, 8 and 16 cores.
const PRINTED: [(i32, f64); 2] = [(7, 8.6e-6), (9, 0.39)];

struct Row {
    side: i32,
    way: String,
    threads: usize,
    found: Found,
    time: Timing,
    serial: Timing,
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let sides: &[i32] = match options.size {
        Size::Quick => &[5, 7],
        Size::Full => &[5, 7, 9],
    };
    let (mut rows, mut cases) = (Vec::new(), Vec::new());
    let mut last: (usize, Vec<Interval>) = (0, Vec::new());
    for &side in sides {
        let mut baseline = None;
        let mut add = |way: String, threads, found, time| {
            let serial = *baseline.get_or_insert(time);
            rows.push(Row {
                side,
                way,
                threads,
                found,
                time,
                serial,
            });
        };
        run.progress.part(format!("{side}x{side}"));
        run.stop.check()?;
        let mut log = Vec::new();
        let (found, time) = repeat(options.size, || {
            let (found, done) = search_all(side, 0, 1, Schedule::Static, run)?;
            log = done;
            Ok::<_, LabError>(found)
        })?;
        add("serial".into(), 1, found, time);
        cases.push(Case::of(format!("{side}x{side}"), "starts", &log));
        if side == 5 {
            // The author's tasks: on larger boards one would wait for minutes.
            let (found, time) = repeat(options.size, || {
                let mut all = Found::default();
                items(side, 0)
                    .iter()
                    .for_each(|path| all += begin_with(side, Turning::Tasks, path));
                Ok::<_, LabError>(all)
            })?;
            add("tasks in each step".into(), 3, found, time);
        }
        for moves in [1, 2] {
            for threads in options.several(&[2, 4]) {
                run.stop.check()?;
                let schedule = Schedule::Dynamic(1);
                let (found, time) = repeat(options.size, || {
                    let (found, done) = search_all(side, moves, threads, schedule, run)?;
                    log = done;
                    Ok::<_, LabError>(found)
                })?;
                add(
                    format!("first {moves} move(s), {}", name(schedule)),
                    threads,
                    found,
                    time,
                );
                last = (threads, log.clone());
            }
            if options.several(&[2, 4]).is_empty() {
                log = search_all(side, moves, 1, Schedule::Static, run)?.1;
            }
            cases.push(Case::of(
                format!("{side}x{side}"),
                format!("first {moves} move(s)"),
                &log,
            ));
        }
        let serial = rows.last().map(|row: &Row| row.serial);
        rows.push(solver(side, options.size, run, serial)?);
    }
    let processors = processors(options);
    let mut sections = vec![Section::Table(times(&rows)), Section::Table(printed(&rows))];
    sections.extend(cases.last().map(|case| speed_up_chart(case, &processors)));
    sections.push(Section::Table(simulated(&cases, &processors)));
    if last.0 > 0 {
        let title = format!("{} threads, first two moves, dynamic(1)", last.0);
        sections.push(super::timeline(title, "seconds", last.0, &last.1));
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Course: four turned paths".into(),
        notes: notes(),
        sections,
        checks: rows.iter().flat_map(checks).collect(),
    })
}

/// As `parallel` of the course, until the run is stopped.
fn search_all(
    side: i32,
    moves: usize,
    threads: usize,
    schedule: Schedule,
    run: &Run,
) -> Result<(Found, Vec<Interval>), LabError> {
    let items = items(side, moves);
    let all = Mutex::new(Found::default());
    let log = for_each(schedule, threads, items.len(), |item| {
        if run.stop.is_raised() {
            return 0;
        }
        let found = begin_with(side, Turning::Plain, &items[item]);
        *all.lock().unwrap_or_else(|e| e.into_inner()) += found;
        found.steps
    });
    run.stop.check()?;
    Ok((all.into_inner().unwrap_or_else(|e| e.into_inner()), log))
}

fn solver(side: i32, size: Size, run: &Run, serial: Option<Timing>) -> Result<Row, LabError> {
    let board = Board::knight(side as u32, side as u32).map_err(|e| LabError::part("board", e))?;
    let run = run.with_threads(1);
    let (count, time) =
        repeat(size, || quarter_paths(&board, &run)).map_err(|error| match error {
            SymmetricError::Stopped(stopped) => stopped.into(),
            error => LabError::part("symmetric tours", error),
        })?;
    let found = Found {
        paths: count.quarter_paths,
        type_a: count.type_a,
        type_b: count.type_b,
        steps: count.work.get("nodes"),
    };
    let way = "everymove's search".into();
    Ok(Row {
        side,
        way,
        threads: 1,
        found,
        time,
        serial: serial.unwrap_or(time),
    })
}

fn times(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::text(format!("{0}x{0}", row.side)),
            Cell::text(&row.way),
            Cell::count(row.threads),
            Cell::count(row.found.paths),
            Cell::count(row.found.type_a),
            Cell::count(row.found.type_b),
            Cell::count(row.found.steps),
            Cell::Times(row.time.wall),
            Cell::Seconds(row.time.wall.value / row.found.steps.max(1) as f64),
            Cell::Ratios(row.time.speed_up(&row.serial)),
        ]
    };
    Table {
        name: "times",
        title: "All paths, and those that make tours of both types (medians)".into(),
        head: vec![
            "board", "way", "threads", "paths", "type A", "type B", "steps", "time", "a step",
            "speed-up",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn printed(rows: &[Row]) -> Table {
    let cells = PRINTED.iter().map(|&(side, seconds)| {
        let ours = rows
            .iter()
            .find(|row| row.side == side && row.way == "serial");
        let steps = ours.map(|row| row.found.steps);
        vec![
            Cell::text(format!("{side}x{side}")),
            Cell::Seconds(seconds),
            ours.map_or(Cell::Empty, |row| Cell::Times(row.time.wall)),
            steps.map_or(Cell::Empty, Cell::count),
            steps.map_or(Cell::Empty, |steps| Cell::Seconds(seconds / steps as f64)),
        ]
    });
    Table {
        name: "printed",
        title: "Printed by C. Carter (2016), the same for 4, 8 and 16 cores".into(),
        head: vec![
            "board",
            "printed",
            "ours, serial",
            "steps for all paths",
            "printed, a step",
        ],
        rows: cells.collect(),
    }
}

fn checks(row: &Row) -> Vec<Check> {
    let board = format!("{0}x{0}", row.side);
    let found = [
        ("quarter paths", row.found.paths),
        ("type A", row.found.type_a),
        ("type B", row.found.type_b),
    ];
    let check = |(what, found): (&str, u64)| {
        let known = known::tours(&board, what)?;
        Some(Check {
            what: format!("{board} {what}, {}, {} thread(s)", row.way, row.threads),
            found: found.to_string(),
            known: known.value.into(),
            source: known.source.into(),
        })
    };
    found.into_iter().filter_map(check).collect()
}

fn notes() -> Vec<String> {
    [
        "The program of the course (crates/course/src/symmetric.rs) takes four squares in each step, as C. Carter describes. The author found no \
         parallel version that was faster. A loop over the first one or two moves is one: its items share nothing.",
        "Tasks inside the recursion start threads for three changes of sign. A step takes nanoseconds and the start of a thread microseconds, \
         so the program is slower by the ratio of the two, on any number of cores.",
        "The printed times are shorter than a step for each square of each path takes, so not all paths were searched in them. That they do not grow \
         linearly with the squares is no overhead: the paths themselves grow so.",
    ]
    .map(str::to_owned)
    .into()
}
