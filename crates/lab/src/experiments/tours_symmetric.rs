//! Tours of odd boards that are made of four turned copies of a path, serial against parallel.
//!
//! After C. Carter's course project of 2016, whose second program searched for such tours without
//! gaining from threads.

use std::collections::BTreeSet;

use everymove_draw::chart::{Axis, Bars, Measured};
use everymove_kernel::run::Run;
use everymove_tours::board::Board;
use everymove_tours::symmetric::{self, QuarterCount, Rotation, SymmetricError};

use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size, known};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tours-symmetric",
    about: "tours made of four turned paths, and closed tours with symmetry, serial against parallel",
    seconds: (4, 40),
    run,
};

struct Row {
    board: String,
    threads: usize,
    found: QuarterCount,
    time: Timing,
    speed_up: Measured,
}

fn failed(error: SymmetricError) -> LabError {
    match error {
        SymmetricError::Stopped(stopped) => stopped.into(),
        error => LabError::part("symmetric tours", error),
    }
}

fn square(side: u32) -> Result<Board, LabError> {
    Board::knight(side, side).map_err(|e| LabError::part("board", e))
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let mut rows: Vec<Row> = Vec::new();
    for side in [5, 7, 9] {
        let board = square(side)?;
        let mut serial = None;
        for &threads in options.threads() {
            let run = run.with_threads(threads);
            let (found, time) =
                repeat(size, || symmetric::quarter_paths(&board, &run)).map_err(failed)?;
            rows.push(Row {
                board: board.grid().to_string(),
                threads,
                found,
                time,
                speed_up: time.speed_up(serial.get_or_insert(time)),
            });
        }
    }
    let mut checks: Vec<Check> = rows.iter().flat_map(checks).collect();
    let closed = closed(size, run, &mut checks)?;
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Tours of turned paths, serial against parallel".into(),
        notes: notes(),
        sections: vec![
            Section::Table(quarter_table(&rows)),
            Section::Bars("quarter", bars(&rows)),
            Section::Table(closed),
        ],
        checks,
    })
}

fn quarter_table(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::text(&row.board),
            Cell::count(row.threads),
            Cell::count(row.found.quarter_paths),
            Cell::count(row.found.type_a),
            Cell::count(row.found.type_b),
            Cell::count(row.found.work.get("nodes")),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::Ratios(row.speed_up),
            Cell::count(row.time.runs),
        ]
    };
    Table {
        name: "quarter",
        title: "Quarter paths of odd boards, and the tours that four of them make (medians)".into(),
        head: vec![
            "board", "threads", "paths", "type A", "type B", "nodes", "time", "CPU", "speed-up",
            "runs",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn bars(rows: &[Row]) -> Bars {
    let threads: BTreeSet<usize> = rows.iter().map(|row| row.threads).collect();
    let mut groups: Vec<String> = rows.iter().map(|row| row.board.clone()).collect();
    groups.dedup();
    let series = threads.into_iter().map(|count| {
        let words = if count == 1 { "thread" } else { "threads" };
        let times = groups.iter().map(|board| {
            let same = |row: &&Row| row.board == *board && row.threads == count;
            rows.iter().find(same).map(|row| row.time.wall)
        });
        (format!("{count} {words}"), times.collect())
    });
    let series = series.collect();
    Bars {
        title: "Time for all quarter paths".into(),
        y: Axis::log("seconds"),
        series,
        groups,
    }
}

fn checks(row: &Row) -> Vec<Check> {
    let found = [
        ("quarter paths", row.found.quarter_paths),
        ("type A", row.found.type_a),
        ("type B", row.found.type_b),
    ];
    let check = |(what, found): (&str, u64)| {
        let known = known::tours(&row.board, what)?;
        Some(Check {
            what: format!("{} {what} on {} thread(s)", row.board, row.threads),
            found: found.to_string(),
            known: known.value.into(),
            source: known.source.into(),
        })
    };
    found.into_iter().filter_map(check).collect()
}

/// Closed tours that a rotation maps onto themselves; C. Carter's project left them out.
fn closed(size: Size, run: &Run, checks: &mut Vec<Check>) -> Result<Table, LabError> {
    let cases = [
        (6, Rotation::Quarter, "quarter diagrams"),
        (10, Rotation::Quarter, "quarter diagrams"),
        (8, Rotation::Half, "half diagrams"),
    ];
    let mut rows = Vec::new();
    for (side, rotation, what) in cases {
        let board = square(side)?;
        let (found, time) =
            repeat(size, || symmetric::diagrams(&board, rotation, run)).map_err(failed)?;
        let name = board.grid().to_string();
        if let Some(known) = known::tours(&name, what) {
            checks.push(Check {
                what: format!("{name} {what}"),
                found: found.diagrams.to_string(),
                known: known.value.into(),
                source: known.source.into(),
            });
        }
        rows.push(vec![
            Cell::text(name),
            Cell::text(rotation.to_string()),
            Cell::count(found.diagrams),
            Cell::count(found.work.get("nodes")),
            Cell::Times(time.wall),
            Cell::Times(time.cpu),
        ]);
    }
    Ok(Table {
        name: "closed",
        title: format!("Closed tours with symmetry, {} thread(s)", run.threads),
        head: vec!["board", "symmetry", "diagrams", "nodes", "time", "CPU"],
        rows,
    })
}

fn notes() -> Vec<String> {
    [
        "A quarter path meets every orbit of the quarter turn about the centre once and ends a move away from the \
         centre; four turned copies of it make an open tour of the board. The project of 2016 searched for such tours \
         on 7x7 and 9x9, tried tasks and parallel loops, and measured 0.39 s for 9x9 whatever the number of cores.",
        "Split by prefixes over a pool of threads, the search does scale, as far as there are cores and work: on 5x5 \
         and 7x7 starting the threads costs more than the search.",
        "Boards with even sides, which that project left out, have closed tours with symmetry; the second table counts \
         them with the same search over orbits.",
    ]
    .map(str::to_owned)
    .into()
}
