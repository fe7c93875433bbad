//! The four schedules of retrograde analysis on the same endings.
//!
//! H. G. Muller, "Leapfrog: Tree Decomposition", counts what each way of cutting up the work moves
//! between far and near memory: per position and cycle 3 bits of the won set by side (loaded and
//! stored by the attacker's pass, loaded by the defender's), 4 by the root's moves, and 2 where the
//! last pass of a cycle and the first of the next are one.

use everymove_draw::chart::{Axis, Bars, Measured};
use everymove_kernel::run::{Ram, Run};
use everymove_tables::{Schedule, Traffic};

use super::tables::{self, Made, Workshop};
use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "leapfrog",
    about: "endgame tables by four schedules: bits loaded per position and cycle, time, bytes from disk",
    seconds: (9, 240),
    run,
};

fn endings(size: Size) -> &'static [&'static str] {
    match size {
        Size::Quick => &["KQvKR"],
        Size::Full => &["KQvKR", "KRvKN", "KRBvKR"],
    }
}

/// How much memory there was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Ample,
    /// The least in which all schedules can work.
    Least,
    /// The same, and nothing that is in files stays in the system's cache from one pass to the
    /// next.
    Disk,
}

impl Memory {
    fn name(self) -> &'static str {
        match self {
            Self::Ample => "ample memory",
            Self::Least => "least memory",
            Self::Disk => "least memory, no cache",
        }
    }
}

struct Row {
    ending: &'static str,
    schedule: Schedule,
    memory: Memory,
    made: Made,
    time: Timing,
    /// Whether the bytes are those that the first schedule made.
    same: bool,
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let mut rows: Vec<Row> = Vec::new();
    for &ending in endings(size) {
        let mut workshop = Workshop::new(ending, run)?;
        let least = Schedule::ALL.map(|schedule| workshop.least(schedule));
        let least = least.into_iter().max().unwrap_or(0);
        let mut first: Option<Vec<u8>> = None;
        for memory in [Memory::Ample, Memory::Least, Memory::Disk] {
            workshop.set_uncached(memory == Memory::Disk);
            for schedule in Schedule::ALL {
                let (ram, held) = match memory {
                    Memory::Ample => (run.ram.clone(), 0),
                    Memory::Least | Memory::Disk => (Ram::limited(least), least),
                };
                let _held = run.ram.reserve("making a table", held)?;
                let own = Run {
                    ram,
                    ..run.with_threads(1)
                };
                let (made, time) = repeat(size, || workshop.make(schedule, &own))?;
                let bytes = workshop.bytes()?;
                rows.push(Row {
                    ending,
                    schedule,
                    memory,
                    made,
                    time,
                    same: *first.get_or_insert_with(|| bytes.clone()) == bytes,
                });
            }
        }
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Four schedules of retrograde analysis".into(),
        notes: notes(),
        sections: vec![
            Section::Table(traffic(&rows)),
            Section::Bars("bits", bits(&rows)),
            Section::Table(times(&rows)),
            Section::Bars("time", seconds(&rows)),
        ],
        checks: checks(&rows),
    })
}

/// Bits per position (of one side to move) and cycle.
fn per_cycle(bits: u64, traffic: &Traffic) -> f64 {
    bits as f64 / traffic.positions.max(1) as f64
}

/// Bits of the won set that moves led to, if each word had to be fetched.
fn naive(traffic: &Traffic) -> f64 {
    per_cycle(traffic.touched * 64, traffic)
}

fn whole(traffic: &Traffic) -> f64 {
    per_cycle(traffic.loaded + traffic.stored, traffic)
}

fn traffic(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        let traffic = &row.made.traffic;
        let number = |value: f64| Cell::text(format!("{value:.3}"));
        let moved = match row.schedule {
            Schedule::Scan => naive(traffic),
            _ => whole(traffic),
        };
        vec![
            Cell::text(row.ending),
            Cell::text(row.schedule.to_string()),
            number(moved),
            number(per_cycle(traffic.sparse, traffic)),
            number(naive(traffic)),
            Cell::count(traffic.passes),
            Cell::count(traffic.cycles),
        ]
    };
    let rows = rows.iter().filter(|row| row.memory == Memory::Ample);
    Table {
        name: "bits",
        title: "Bits moved between far and near memory per position and cycle".into(),
        head: vec![
            "ending",
            "schedule",
            "won set",
            "lists",
            "each word fetched",
            "passes",
            "cycles",
        ],
        rows: rows.map(cells).collect(),
    }
}

fn times(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        let scan = rows.iter().find(|other| {
            (other.ending, other.memory) == (row.ending, row.memory)
                && other.schedule == Schedule::Scan
        });
        let gain = scan.map_or(1.0, |scan| scan.time.wall.value / row.time.wall.value);
        vec![
            Cell::text(row.ending),
            Cell::text(row.memory.name()),
            Cell::text(row.schedule.to_string()),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::Ratio(gain),
            Cell::count(row.made.budget_peak),
            Cell::count(row.made.traffic.disk_read),
            Cell::count(row.made.traffic.disk_written),
            Cell::count(row.time.runs),
        ]
    };
    Table {
        name: "times",
        title: "One thread, with ample memory and with the least that all schedules can work in (medians)".into(),
        head: vec![
            "ending",
            "memory",
            "schedule",
            "time",
            "CPU",
            "as fast as scan",
            "bytes of budget",
            "bytes from disk",
            "bytes to disk",
            "runs",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

/// Bars by schedule, a series an ending.
fn bars(rows: &[Row], title: &str, y: Axis, value: impl Fn(&Row) -> Measured) -> Bars {
    let name = |row: &Row| format!("{}, {}", row.ending, row.memory.name());
    let mut names: Vec<String> = rows.iter().map(name).collect();
    names.dedup();
    let series = names.into_iter().map(|series| {
        let of = |schedule: Schedule| {
            let fits = |row: &&Row| name(row) == series && row.schedule == schedule;
            rows.iter().find(fits).map(&value)
        };
        let values = Schedule::ALL.into_iter().map(of).collect();
        (series, values)
    });
    Bars {
        title: title.into(),
        groups: Schedule::ALL.map(|schedule| schedule.to_string()).into(),
        y,
        series: series.collect(),
    }
}

fn bits(rows: &[Row]) -> Bars {
    let y = Axis::log("bits per position and cycle");
    bars(rows, "Bits of the won set moved", y, |row| {
        match row.schedule {
            Schedule::Scan => naive(&row.made.traffic).into(),
            _ => whole(&row.made.traffic).into(),
        }
    })
}

fn seconds(rows: &[Row]) -> Bars {
    let y = Axis::log("seconds");
    bars(rows, "Time over schedules", y, |row| row.time.wall)
}

fn checks(rows: &[Row]) -> Vec<Check> {
    let checks = rows.iter().flat_map(|row| {
        let (ending, memory) = (row.ending, row.memory.name());
        let what = format!("{ending} by {}, {memory}", row.schedule);
        tables::checks(ending, &what, &row.made, row.same)
    });
    checks.collect()
}

fn notes() -> Vec<String> {
    [
        "The won set has a bit for each position with the attacker to move. A schedule loads a part of it, does in that part all \
         moves that stay there, and stores it again. By side of the move that is 3 bits per position and cycle (loaded and \
         stored for the attacker's moves, loaded for the defender's), by the root's moves 4, and with leapfrog 2. A schedule that \
         is not cut up has no near part: every move fetches a word of 64 bits, which is the figure of its first column. Parts in \
         which a cycle has nothing to do are not loaded, so that all figures fall below 2, 3 and 4 when few positions are left; \
         and a cycle that finds no new win stores nothing in the defender's pass.",
        "Loading a part counts all its bits, whether they are needed or not; fetching counts 64 bits a move, wherever they are. \
         Where few positions change in a cycle the second number is the smaller one, but its accesses are scattered, which \
         costs little in memory and very much on a disk.",
        "Lists of losses, and for the schedule by sides those of new wins, come on top; they are written in few bytes each.",
        "With the least memory, the won set of an ending of five men or more and all lists are in files: a part of the table that \
         is worked on is read, and what changed of it is written. A schedule that is not cut up has pages of 4K in memory, \
         which go and come as its moves need them. An operating system with free memory keeps what it read and wrote, so that \
         the files cost little; the last rows have it write everything and forget it after each pass, as a table that is larger \
         than the machine's memory would.",
    ]
    .map(str::to_owned)
    .into()
}
