//! Making endgame tables over threads, schedules and memory budgets.

use everymove_draw::chart::{Axis, Lines, Measured, Series};
use everymove_kernel::run::{Bytes, Ram, Run};
use everymove_tables::Schedule;

use super::tables::{self, Made, Workshop};
use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tables-speedup",
    about: "endgame tables over threads, schedules and memory budgets",
    seconds: (9, 240),
    run,
};

struct Row {
    ending: &'static str,
    schedule: Schedule,
    threads: usize,
    /// Bytes; none for no limit.
    budget: Option<u64>,
    made: Made,
    time: Timing,
    speed_up: Measured,
    same: bool,
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let endings: &[&str] = match size {
        Size::Quick => &["KRvKB"],
        Size::Full => &["KQvKR", "KRBvKR"],
    };
    let mut rows: Vec<Row> = Vec::new();
    for &ending in endings {
        let workshop = Workshop::new(ending, run)?;
        let mut first: Option<Vec<u8>> = None;
        for (schedule, budget) in cases(&workshop) {
            let mut serial = None;
            for &threads in options.threads() {
                let what = "making a table";
                let _held = run.ram.reserve(what, budget.unwrap_or(0))?;
                let own = Run {
                    ram: budget.map_or_else(|| run.ram.clone(), Ram::limited),
                    ..run.with_threads(threads)
                };
                let (made, time) = repeat(size, || workshop.make(schedule, &own))?;
                let bytes = workshop.bytes()?;
                rows.push(Row {
                    ending,
                    schedule,
                    threads,
                    budget,
                    made,
                    time,
                    speed_up: time.speed_up(serial.get_or_insert(time)),
                    same: *first.get_or_insert_with(|| bytes.clone()) == bytes,
                });
            }
        }
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Endgame tables over threads, schedules and memory".into(),
        notes: notes(),
        sections: vec![
            Section::Table(table(&rows)),
            Section::Lines("speedup", lines(&rows)),
        ],
        checks: checks(&rows),
    })
}

/// All schedules without a limit, and the default with little memory: the least, and half as much
/// again.
fn cases(workshop: &Workshop) -> Vec<(Schedule, Option<u64>)> {
    let least = workshop.least(Schedule::Leapfrog);
    let unlimited = Schedule::ALL.into_iter().map(|schedule| (schedule, None));
    let limited = [least + least / 2, least].map(|budget| (Schedule::Leapfrog, Some(budget)));
    unlimited.chain(limited).collect()
}

fn budget(row: &Row) -> String {
    let limit = row.budget.map(|bytes| Bytes(bytes).to_string());
    limit.unwrap_or_else(|| "no limit".to_owned())
}

fn table(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::text(row.ending),
            Cell::text(row.schedule.to_string()),
            Cell::text(budget(row)),
            Cell::count(row.threads),
            Cell::count(row.made.positions),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::Ratios(row.speed_up),
            Cell::count(row.made.budget_peak),
            Cell::count(row.made.traffic.disk_read + row.made.traffic.disk_written),
            Cell::count(row.time.runs),
        ]
    };
    Table {
        name: "times",
        title: "Making one table, those it needs being there (medians)".into(),
        head: vec![
            "ending",
            "schedule",
            "budget",
            "threads",
            "positions",
            "time",
            "CPU",
            "speed-up",
            "bytes of budget",
            "bytes to and from disk",
            "runs",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn lines(rows: &[Row]) -> Lines {
    let name = |row: &Row| format!("{} {}, {}", row.ending, row.schedule, budget(row));
    let mut names: Vec<String> = rows.iter().map(name).collect();
    names.dedup();
    let series = names.into_iter().map(|series| {
        let own = rows.iter().filter(|row| name(row) == series);
        let points = own.map(|row| (row.threads as f64, row.speed_up)).collect();
        Series {
            name: series,
            points,
        }
    });
    Lines {
        title: "Speed-up over threads".into(),
        x: Axis::linear("threads"),
        y: Axis::linear("times as fast as one thread"),
        series: series.collect(),
    }
}

fn checks(rows: &[Row]) -> Vec<Check> {
    let mut checks = Vec::new();
    for row in rows {
        let what = format!(
            "{} by {}, {}, {} thread(s)",
            row.ending,
            row.schedule,
            budget(row),
            row.threads
        );
        checks.extend(tables::checks(row.ending, &what, &row.made, row.same));
        if let Some(limit) = row.budget {
            let obeyed = row.made.budget_peak <= limit;
            let words = |obeyed| if obeyed { "within" } else { "beyond" };
            checks.push(Check {
                what: format!("{what}: the budget"),
                found: words(obeyed).into(),
                known: words(true).into(),
                source: "the budget".into(),
            });
        }
    }
    checks
}

fn notes() -> Vec<String> {
    [
        "A pass visits the parts of a table in any order, so threads share them out; passes follow each other, and a pass ends with \
         its slowest part. A schedule that is not cut up has one part, and threads do not help it.",
        "A budget that has no room for the lists sends them to a file, one that has no room for the set of wins sends that to a \
         file, too, and one that has no room for a second thread's part runs one thread, whatever was asked for. The file that is made is the same to the byte in every case.",
    ]
    .map(str::to_owned)
    .into()
}
