//! `course-pegs`: backtracking with a set of failed states, by the program of the course.
//!
//! After Tau Merand and Vincent Varkevisser, "COMS3008: Parallel Computing Assignment" (2017).

use everymove_course::infeasible::InfeasibleSet;
use everymove_course::pegs::{Board, Outcome, Parallel, solve};
use everymove_course::schedule::{Interval, Schedule};
use everymove_draw::chart::{Axis, Bars};
use everymove_kernel::run::Run;
use everymove_pegs::{
    DrawnBoard, Finish, Keys, Lattice, PegError, Problem, Search, SearchEnd, search,
};

use super::{Case, SCHEDULES, name, processors, simulated, speed_up_chart};
use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size};

pub(in crate::experiments) const EXPERIMENT: Experiment = Experiment {
    name: "course-pegs",
    about: "the course's peg solitaire: schedules, sets behind locks, nested loops",
    seconds: (3, 60),
    run,
};

/// Boards with the hole in which the last peg has to be. The first two are measured; the second has
/// no solution, so that every search of it does all of its work.
const BOARDS: [(&str, &str, usize); 5] = [
    (
        "central game",
        "  ooo  /  ooo  /ooooooo/ooo.ooo/ooooooo/  ooo  /  ooo  ",
        16,
    ),
    (
        "position without solution",
        "  ooo  /  ..o  /o.o.ooo/..ooooo/..o..oo/  o.o  /  ooo  ",
        16,
    ),
    ("4x4", "oooo/.ooo/oooo/oooo", 8),
    ("4x4 without solution", ".ooo/oooo/oooo/oooo", 0),
    ("4x5", "o.ooo/ooooo/ooooo/ooooo", 0),
];

const SERIAL: Parallel = Parallel {
    threads: 1,
    schedule: Schedule::Static,
    depth: 0,
};

struct Row {
    problem: &'static str,
    way: String,
    set: &'static str,
    threads: usize,
    steps: u64,
    is_solved: bool,
    time: Timing,
}

/// An empty set of the kind that a name says; 64 MiB at most.
fn set(kind: &str) -> InfeasibleSet {
    match kind {
        "none" => InfeasibleSet::None,
        "64 locks" => InfeasibleSet::behind(64),
        "no lock" => InfeasibleSet::lock_free(1 << 20),
        _ => InfeasibleSet::behind(1),
    }
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let _held = run.ram.reserve("sets of failed states", 64 << 20)?;
    let is_quick = options.size == Size::Quick;
    let several = options.several(if is_quick { &[2] } else { &[2, 4, 8] });
    let most = several.last().copied().unwrap_or(1);
    let (mut rows, mut cases, mut log): (Vec<Row>, Vec<Case>, Vec<Interval>) = Default::default();
    for (problem, text, last) in BOARDS.into_iter().take(2) {
        let board = Board::new(text, last);
        let mut ways: Vec<(String, &'static str, Parallel)> = Vec::new();
        if problem == "central game" && !is_quick {
            ways.push(("serial, Algorithm 1".into(), "none", SERIAL));
        }
        ways.push(("serial, Algorithm 2".into(), "one lock", SERIAL));
        for &threads in &several {
            for schedule in SCHEDULES {
                let how = Parallel {
                    threads,
                    schedule,
                    depth: 1,
                };
                ways.push((format!("first moves, {}", name(schedule)), "one lock", how));
            }
            let how = Parallel {
                threads,
                schedule: Schedule::Dynamic(1),
                depth: 1,
            };
            let others = ["64 locks", "no lock"].into_iter();
            for kind in others.filter(|_| problem != "central game") {
                ways.push(("first moves, dynamic(1)".into(), kind, how));
            }
        }
        // Each nested loop has threads of its own: two are enough to show it.
        for depth in [2, 4, 6]
            .into_iter()
            .filter(|&depth| depth < 4 || !is_quick)
        {
            let how = Parallel {
                threads: most.min(2),
                schedule: Schedule::Dynamic(1),
                depth,
            };
            if most > 1 {
                ways.push((format!("nested to depth {depth}"), "one lock", how));
            }
        }
        for (way, kind, how) in ways {
            run.stop.check()?;
            run.progress.part(format!("{problem}, {way}"));
            let (found, time) = repeat(options.size, || {
                Ok::<_, LabError>(solve(&board, &set(kind), how))
            })?;
            if (problem, kind, how)
                == (
                    "position without solution",
                    "one lock",
                    Parallel {
                        threads: most,
                        schedule: Schedule::Dynamic(1),
                        depth: 1,
                    },
                )
            {
                log.clone_from(&found.log);
            }
            rows.push(Row {
                problem,
                way,
                set: kind,
                threads: how.threads,
                steps: found.steps,
                is_solved: found.moves.is_some(),
                time,
            });
        }
        rows.push(solver(problem, text, last, options.size, run)?);
        if problem != "central game" {
            cases.extend(first_moves(problem, &board));
        }
    }
    let processors = processors(options);
    let mut sections = vec![
        Section::Table(table(&rows)),
        Section::Bars("times", bars(&rows)),
    ];
    sections.extend(cases.last().map(|case| speed_up_chart(case, &processors)));
    sections.push(Section::Table(simulated(&cases, &processors)));
    if !log.is_empty() {
        let title = format!("First moves on {most} threads, dynamic(1): position without solution");
        sections.push(super::timeline(title, "seconds", most, &log));
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Course: peg solitaire by backtracking".into(),
        notes: notes(),
        sections,
        checks: checks(run)?,
    })
}

/// The loop over the first moves with one set for all of them, filled in the order of the moves,
/// and with a set for each.
fn first_moves(problem: &str, board: &Board) -> [Case; 2] {
    let one = Parallel { depth: 1, ..SERIAL };
    let shared = solve(board, &InfeasibleSet::behind(1), one).log;
    let own: Vec<Interval> = (shared.iter().zip(board.legal_moves(board.initial)))
        .map(|(done, (_, initial))| {
            let child = Board {
                initial,
                ..board.clone()
            };
            let found = solve(&child, &InfeasibleSet::behind(1), SERIAL);
            Interval {
                work: found.steps,
                ..*done
            }
        })
        .collect();
    [
        Case::of(problem, "first moves, one set in serial order", &shared),
        Case::of(problem, "first moves, a set for each", &own),
    ]
}

fn problem(text: &str, last: usize) -> Result<Problem, LabError> {
    let drawn = DrawnBoard::read(&text.replace(' ', "_"), Some(Lattice::Square));
    let drawn = drawn.map_err(|e| LabError::part("board", e))?;
    let start = drawn.position.unwrap_or(drawn.board.full());
    Problem::new(&drawn.board, start, Finish::At(last)).map_err(|e| LabError::part("problem", e))
}

fn failed(error: PegError) -> LabError {
    match error {
        PegError::Stopped(stopped) => stopped.into(),
        PegError::OverBudget(over) => over.into(),
        error => LabError::part("search", error),
    }
}

/// The real search, which keeps one position for its eight images.
fn solver(
    name: &'static str,
    text: &str,
    last: usize,
    size: Size,
    run: &Run,
) -> Result<Row, LabError> {
    let problem = problem(text, last)?;
    let how = Search {
        memory: 8 << 20,
        ..Search::default()
    };
    let run = run.with_threads(1);
    let (found, time) = repeat(size, || search(&problem, &how, &run)).map_err(failed)?;
    Ok(Row {
        problem: name,
        way: "everymove's search".into(),
        set: "no lock",
        threads: 1,
        steps: found.nodes,
        is_solved: matches!(found.end, SearchEnd::Solution(_)),
        time,
    })
}

/// The program's calls are the positions of the real search with the same order and plain keys.
fn checks(run: &Run) -> Result<Vec<Check>, LabError> {
    let mut checks = Vec::new();
    for (name, text, last) in BOARDS {
        let Outcome { moves, steps, .. } = solve(&Board::new(text, last), &set("one lock"), SERIAL);
        let how = Search {
            keys: Keys::Raw,
            memory: 16 << 20,
            ..Search::default()
        };
        let found = search(&problem(text, last)?, &how, &run.with_threads(1)).map_err(failed)?;
        let known = matches!(found.end, SearchEnd::Solution(_));
        checks.push(Check {
            what: format!("{name}: calls, and whether it is solved"),
            found: format!("{steps}, {}", moves.is_some()),
            known: format!("{}, {known}", found.nodes),
            source: "everymove's search with the same order and set".into(),
        });
    }
    Ok(checks)
}

fn table(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        let serial =
            |other: &&Row| other.problem == row.problem && other.way == "serial, Algorithm 2";
        let first = rows.iter().find(serial).unwrap_or(row);
        vec![
            Cell::text(row.problem),
            Cell::text(&row.way),
            Cell::text(row.set),
            Cell::count(row.threads),
            Cell::text(if row.is_solved {
                "solved"
            } else {
                "no solution"
            }),
            Cell::count(row.steps),
            Cell::Ratio(row.steps as f64 / first.steps as f64),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::Ratios(row.time.speed_up(&first.time)),
        ]
    };
    Table {
        name: "searches",
        title: "Searches (medians; steps of the last run); ratios to Algorithm 2 in series".into(),
        head: vec![
            "problem",
            "way",
            "set",
            "threads",
            "end",
            "steps",
            "steps ratio",
            "time",
            "CPU",
            "speed-up",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

/// The document's plot: running times of the serial and the parallel program.
fn bars(rows: &[Row]) -> Bars {
    let groups: Vec<String> = BOARDS[..2].iter().map(|board| board.0.to_owned()).collect();
    let mut ways: Vec<(String, usize)> = Vec::new();
    for row in rows.iter().filter(|row| row.set == "one lock") {
        let way = (row.way.clone(), row.threads);
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    let series = ways.into_iter().map(|(way, threads)| {
        let values = groups.iter().map(|group| {
            let is_it = |row: &&Row| {
                row.problem == *group
                    && row.way == way
                    && row.threads == threads
                    && row.set == "one lock"
            };
            rows.iter().find(is_it).map(|row| row.time.wall)
        });
        (format!("{way} ({threads})"), values.collect())
    });
    let series = series.collect();
    Bars {
        title: "Time of Algorithm 2, serial and parallel (threads)".into(),
        groups,
        y: Axis::log("seconds"),
        series,
    }
}

fn notes() -> Vec<String> {
    [
        "The program of the course (crates/course/src/pegs.rs) has both algorithms of the document. The document prints one plot of times without \
         numbers: the parallel version is generally faster than the serial one, by less than the number of threads.",
        "On the central game the time to the first solution is luck: threads search states that the serial program never comes to, and how many \
         differs from run to run. So it cannot show what a schedule is worth. The second problem has no solution, so that all searches do the same work.",
        "In the document, only the addition of a state is a critical region while other threads read the set. That is a race: a set that grows while it is \
         read may be read wrongly. Here a state cannot be looked up without the lock.",
        "Simulated: with one set in the order of the moves, later moves find the states of earlier ones; in parallel they cannot, as far as both are searched at \
         the same time. With a set for each move nothing is shared. A real run is between the two.",
    ]
    .map(str::to_owned)
    .into()
}
