//! Layer by layer: every position of a board, the winning set, all solutions, over methods and
//! threads.

use std::collections::{BTreeSet, HashSet};

use everymove_draw::chart::{Axis, Bars, Measured};
use everymove_kernel::run::Run;
use everymove_pegs::{Board, PegError, Position, Problem, Shortest, WinningSet, canonical, reach};

use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size, known};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "pegs-layers",
    about: "every position of peg solitaire, layer by layer: methods and threads",
    seconds: (8, 240),
    run,
};

/// What is asked of a board.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Task {
    /// All positions, in hash sets of the standard library, on one thread.
    Hashed,
    /// All positions, as ranked bitmaps.
    Reach,
    /// The winning set.
    Winning,
    /// The winning set and the number of solutions.
    Solutions,
    /// The winning set and the fewest moves.
    Moves,
}

impl Task {
    fn name(self) -> &'static str {
        match self {
            Self::Hashed => "positions, hash sets",
            Self::Reach => "positions, ranked bitmaps",
            Self::Winning => "winning set",
            Self::Solutions => "winning set, solutions",
            Self::Moves => "winning set, fewest moves",
        }
    }

    /// What the number it finds is called among the known ones.
    fn quantity(self) -> &'static str {
        match self {
            Self::Hashed | Self::Reach => "positions",
            Self::Winning => "winning",
            Self::Solutions => "solutions",
            Self::Moves => "moves",
        }
    }
}

struct Row {
    board: &'static str,
    task: Task,
    threads: usize,
    answer: String,
    jumps: u64,
    time: Timing,
    speed_up: Measured,
}

/// The hole that is empty at the start, and that of the last peg if it may not be anywhere.
type Ends = (&'static str, Option<&'static str>);

/// What is asked of which board.
fn cases(size: Size) -> Vec<(&'static str, Ends, Task)> {
    let mut cases = vec![
        ("triangle5", ("a1", None), Task::Hashed),
        ("triangle5", ("a1", None), Task::Reach),
        ("triangle5", ("a1", None), Task::Solutions),
        ("triangle6", ("a1", None), Task::Hashed),
        ("triangle6", ("a1", None), Task::Reach),
        ("english", ("d4", Some("d4")), Task::Reach),
        ("english", ("d4", Some("d4")), Task::Winning),
    ];
    if size == Size::Full {
        cases.extend([
            ("english", ("d4", Some("d4")), Task::Hashed),
            ("english", ("d4", Some("d4")), Task::Solutions),
            ("english", ("d4", Some("d4")), Task::Moves),
            ("european", ("d4", Some("d4")), Task::Reach),
        ]);
    }
    cases
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let mut rows = Vec::new();
    for (name, ends, task) in cases(size) {
        rows.extend(measure(name, ends, task, options, run)?);
    }
    let checks = checks(&rows);
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Peg solitaire layer by layer".into(),
        notes: notes(),
        sections: vec![
            Section::Table(table(&rows)),
            Section::Bars("times", bars(&rows)),
        ],
        checks,
    })
}

fn failed(error: PegError) -> LabError {
    match error {
        PegError::Stopped(stopped) => stopped.into(),
        PegError::OverBudget(over) => over.into(),
        error => LabError::part("layers", error),
    }
}

fn measure(
    name: &'static str,
    (start, finish): Ends,
    task: Task,
    options: &Options,
    run: &Run,
) -> Result<Vec<Row>, LabError> {
    let board = Board::named(name).map_err(|e| LabError::part("board", e))?;
    let problem =
        Problem::vacate(&board, start, finish).map_err(|e| LabError::part("problem", e))?;
    let mut rows: Vec<Row> = Vec::new();
    let threads = match task {
        Task::Hashed => BTreeSet::from([1]),
        _ => options.threads().clone(),
    };
    for threads in threads {
        let run = run.with_threads(threads);
        let ((answer, jumps), time) =
            repeat(options.size, || answer(&problem, task, &run)).map_err(failed)?;
        let serial = rows.first().map_or(time, |first| first.time);
        rows.push(Row {
            board: name,
            task,
            threads,
            answer,
            jumps,
            time,
            speed_up: time.speed_up(&serial),
        });
    }
    Ok(rows)
}

/// The number asked for, and the jumps that were made on the way.
fn answer(problem: &Problem, task: Task, run: &Run) -> Result<(String, u64), PegError> {
    let board = problem.board();
    if task == Task::Hashed {
        return hashed(board, problem.start(), run);
    }
    if task == Task::Reach {
        let reach = reach(board, problem.start(), run)?;
        return Ok((reach.positions().to_string(), reach.work.get("jumps")));
    }
    let set = WinningSet::new(problem, run)?;
    let answer = match task {
        Task::Solutions => set.count_solutions(run)?.solutions.to_string(),
        Task::Moves => {
            Shortest::new(&set, run)?.map_or("none".to_owned(), |found| found.moves().to_string())
        }
        Task::Hashed | Task::Reach | Task::Winning => set.positions().to_string(),
    };
    Ok((answer, set.work().get("jumps")))
}

/// The same layers as anybody would write them first.
fn hashed(board: &Board, start: Position, run: &Run) -> Result<(String, u64), PegError> {
    let group = board.class_symmetries(start);
    let mut layer = HashSet::from([canonical(&group, start)]);
    let (mut positions, mut jumps) = (0u64, 0u64);
    while !layer.is_empty() {
        positions += layer.len() as u64;
        let mut next = HashSet::new();
        for (i, &position) in layer.iter().enumerate() {
            if i % 4096 == 0 {
                run.stop.check()?;
            }
            for jump in board.legal_jumps(position) {
                jumps += 1;
                next.insert(canonical(&group, jump.after(position)));
            }
        }
        layer = next;
    }
    Ok((positions.to_string(), jumps))
}

fn table(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::text(row.board),
            Cell::text(row.task.name()),
            Cell::count(row.threads),
            Cell::count(&row.answer),
            Cell::count(row.jumps),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::Ratios(row.speed_up),
            Cell::count(row.time.runs),
        ]
    };
    Table {
        name: "layers",
        title: "Layers of whole boards (medians)".into(),
        head: vec![
            "board", "task", "threads", "answer", "jumps", "time", "CPU", "speed-up", "runs",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn bars(rows: &[Row]) -> Bars {
    let group = |row: &Row| format!("{} {}", row.board, row.task.name());
    let threads: BTreeSet<usize> = rows.iter().map(|row| row.threads).collect();
    let mut groups: Vec<String> = rows.iter().map(group).collect();
    groups.dedup();
    let series = threads.into_iter().map(|count| {
        let words = if count == 1 { "thread" } else { "threads" };
        let times = groups.iter().map(|name| {
            let same = |row: &&Row| group(row) == *name && row.threads == count;
            rows.iter().find(same).map(|row| row.time.wall)
        });
        (format!("{count} {words}"), times.collect())
    });
    let series = series.collect();
    Bars {
        title: "Time over methods and threads".into(),
        y: Axis::log("seconds"),
        series,
        groups,
    }
}

fn checks(rows: &[Row]) -> Vec<Check> {
    let check = |row: &Row, what: &str, found: &str, known: &str, source: &str| Check {
        what: format!(
            "{} {} on {} thread(s){what}",
            row.board,
            row.task.name(),
            row.threads
        ),
        found: found.into(),
        known: known.into(),
        source: source.into(),
    };
    let mut checks = Vec::new();
    for row in rows {
        if let Some(known) = known::pegs(row.board, row.task.quantity()) {
            checks.push(check(row, "", &row.answer, known.value, known.source));
        }
        let same =
            |other: &&Row| (other.board, other.task.quantity()) == (row.board, row.task.quantity());
        let first = rows.iter().find(same).unwrap_or(row);
        if first.threads != row.threads || first.task != row.task {
            checks.push(check(
                row,
                ", another way",
                &row.answer,
                &first.answer,
                first.task.name(),
            ));
            if first.task == row.task || row.task == Task::Reach {
                let jumps = (row.jumps.to_string(), first.jumps.to_string());
                checks.push(check(row, ": jumps", &jumps.0, &jumps.1, first.task.name()));
            }
        }
    }
    checks
}

fn notes() -> Vec<String> {
    [
        "A jump takes one peg away, so positions lie in layers, and a layer follows from the one above alone. That work can be \
         divided, which a search for a first solution cannot (see pegs-search).",
        "Ranked bitmaps keep a bit for each position that the class of the start allows, under an index that is computed, so \
         no keys are stored and no set grows. Each thread sets bits in its own copy, and the copies are joined.",
        "The winning set is found from both ends: forward to the middle, where positions and complements of positions meet, \
         because a game played backwards is a game on the complement.",
    ]
    .map(str::to_owned)
    .into()
}
