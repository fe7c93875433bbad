//! Textbook backtracking for peg solitaire, serial against parallel, in many orders of jumps.
//!
//! After T. Merand and V. Varkevisser's course assignment of 2017: depth-first search, the same
//! with a set of positions known to fail, and an OpenMP loop over the first jumps that share the
//! set in a critical section. Their plot compares times; the nodes beside them here say why the
//! times are what they are.

use everymove_draw::chart::{Axis, Bars, Measured};
use everymove_kernel::run::Run;
use everymove_pegs::{
    Board, Keys, ORDERS, Order, PegError, Problem, Search, SearchEnd, game_text, replay, search,
};

use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size, known};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "pegs-search",
    about: "depth-first search for peg solitaire, with and without a memory, serial against parallel",
    seconds: (8, 400),
    run,
};

/// A way to search.
struct Method {
    name: &'static str,
    keys: Keys,
    split_depth: u32,
    /// Whether it is run on several threads.
    parallel: bool,
}

const fn method(name: &'static str, keys: Keys, split_depth: u32, parallel: bool) -> Method {
    Method {
        name,
        keys,
        split_depth,
        parallel,
    }
}

const METHODS: &[Method] = &[
    method("plain", Keys::None, 0, false),
    method("set", Keys::Raw, 0, false),
    method("set, canonical", Keys::Canonical, 0, false),
    method("set, first jumps in parallel", Keys::Raw, 1, true),
    method(
        "canonical, first jumps in parallel",
        Keys::Canonical,
        1,
        true,
    ),
    method(
        "canonical, prefixes of 4 in parallel",
        Keys::Canonical,
        4,
        true,
    ),
];

/// Threads of the parallel searches, unless others are asked for: in the assignment there is work
/// for up to four.
const THREADS: [usize; 1] = [2];

struct Row {
    order: Order,
    method: &'static Method,
    threads: usize,
    found: Option<String>,
    nodes: u64,
    remembered: usize,
    refused: usize,
    time: Timing,
}

fn orders(size: Size) -> &'static [Order] {
    match size {
        Size::Quick => &ORDERS[..4],
        Size::Full => &ORDERS,
    }
}

/// Positions after which a search gives up.
fn limit(size: Size, keys: Keys) -> u64 {
    match (size, keys) {
        (Size::Quick, Keys::None) => 8_000_000,
        (Size::Quick, _) => 1_000_000,
        (Size::Full, Keys::None) => 300_000_000,
        (Size::Full, _) => 10_000_000,
    }
}

/// Bytes for positions that failed: what the limit can fill and little more, since they are cleared
/// before every search and short searches would be measured by that.
fn memory(size: Size) -> u64 {
    match size {
        Size::Quick => 32 << 20,
        Size::Full => 128 << 20,
    }
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let problem = central()?;
    let mut several = options.several(&THREADS);
    if several.is_empty() {
        several.push(1);
    }
    let ways = METHODS.iter().flat_map(|method| {
        let threads = if method.parallel { &several[..] } else { &[1] };
        threads.iter().map(move |&threads| (method, threads))
    });
    let ways: Vec<_> = ways.collect();
    let searches = orders(size).len() * ways.len();
    let mut rows: Vec<Row> = Vec::new();
    for &order in orders(size) {
        for &(method, threads) in &ways {
            run.progress
                .part(format!("{} of {searches}", rows.len() + 1));
            rows.push(measure(&problem, order, method, threads, size, run)?);
        }
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Peg solitaire by depth-first search, serial against parallel".into(),
        notes: notes(),
        sections: vec![
            Section::Table(table(&rows)),
            Section::Bars(
                "nodes",
                bars(
                    &rows,
                    "Positions looked at until the first solution",
                    "positions",
                    |row| (row.nodes as f64).into(),
                ),
            ),
            Section::Bars(
                "times",
                bars(&rows, "Time to the first solution", "seconds", |row| {
                    row.time.wall
                }),
            ),
        ],
        checks: checks(&problem, &rows),
    })
}

fn central() -> Result<Problem, LabError> {
    let board = Board::named("english").map_err(|e| LabError::part("board", e))?;
    Problem::vacate(&board, "d4", Some("d4")).map_err(|e| LabError::part("problem", e))
}

fn measure(
    problem: &Problem,
    order: Order,
    method: &'static Method,
    threads: usize,
    size: Size,
    run: &Run,
) -> Result<Row, LabError> {
    let how = Search {
        order,
        keys: method.keys,
        memory: memory(size),
        split_depth: method.split_depth,
        limit: limit(size, method.keys),
    };
    let run = run.with_threads(threads);
    let (found, time) = repeat(size, || search(problem, &how, &run)).map_err(failed)?;
    Ok(Row {
        order,
        method,
        threads,
        found: match found.end {
            SearchEnd::Solution(jumps) => Some(game_text(problem.board(), &jumps)),
            SearchEnd::Exhausted | SearchEnd::GaveUp => None,
        },
        nodes: found.nodes,
        remembered: found.remembered,
        refused: found.refused,
        time,
    })
}

fn failed(error: PegError) -> LabError {
    match error {
        PegError::Stopped(stopped) => stopped.into(),
        PegError::OverBudget(over) => over.into(),
        error => LabError::part("search", error),
    }
}

fn table(rows: &[Row]) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::text(row.order.to_string()),
            Cell::text(row.method.name),
            Cell::count(row.threads),
            Cell::text(if row.found.is_some() {
                "solution"
            } else {
                "gave up"
            }),
            Cell::count(row.nodes),
            Cell::count(row.remembered),
            Cell::count(row.refused),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::count(row.time.runs),
        ]
    };
    Table {
        name: "searches",
        title: "The central game of the English board, until the first solution (medians; nodes of the last run)".into(),
        head: vec![
            "order", "method", "threads", "end", "nodes", "remembered", "refused", "time", "CPU", "runs",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

/// A group an order, a bar a method; no bar where the search gave up.
fn bars(rows: &[Row], title: &str, unit: &str, value: fn(&Row) -> Measured) -> Bars {
    let mut orders: Vec<Order> = rows.iter().map(|row| row.order).collect();
    orders.dedup();
    let way = |row: &Row| (row.method.name, row.threads);
    let mut ways: Vec<_> = rows.iter().map(way).collect();
    ways.truncate(rows.len() / orders.len().max(1));
    let series = ways.iter().map(|&(method, threads)| {
        let values = orders.iter().map(|&order| {
            let same = |row: &&Row| row.order == order && way(row) == (method, threads);
            rows.iter()
                .find(same)
                .filter(|row| row.found.is_some())
                .map(value)
        });
        let name = match threads {
            1 => method.to_owned(),
            _ => format!("{method} ({threads} threads)"),
        };
        (name, values.collect())
    });
    Bars {
        title: title.into(),
        y: Axis::log(unit),
        series: series.collect(),
        groups: orders.iter().map(Order::to_string).collect(),
    }
}

fn checks(problem: &Problem, rows: &[Row]) -> Vec<Check> {
    let mut checks = Vec::new();
    let by_rows = |row: &&Row| row.order == Order::Rows && row.method.keys == Keys::None;
    if let (Some(row), Some(known)) = (
        rows.iter().find(by_rows),
        known::pegs("english", "nodes by rows"),
    ) {
        checks.push(Check {
            what: "nodes of the plain search in row order".into(),
            found: row.nodes.to_string(),
            known: known.value.into(),
            source: known.source.into(),
        });
    }
    let board = problem.board();
    let start = board.line(problem.start());
    for row in rows {
        let Some(game) = &row.found else { continue };
        let what = format!("{}, {}", row.order, row.method.name);
        let last = match replay(&start, board.lattice(), game) {
            Ok(played) => played.last.join(" "),
            Err(fault) => fault.to_string(),
        };
        checks.push(Check {
            what: format!("{what}: last peg"),
            found: last,
            known: "d4".into(),
            source: "the rules of the game, by an independent referee".into(),
        });
        // What a memory leaves out cannot be a solution, and prefixes are taken in order.
        let serial = |other: &&Row| other.order == row.order && other.found.is_some();
        if let Some(first) = rows
            .iter()
            .find(serial)
            .and_then(|first| first.found.as_ref())
        {
            checks.push(Check {
                what: format!("{what}: the solution"),
                found: game.clone(),
                known: first.clone(),
                source: "the first solution in this order of jumps".into(),
            });
        }
    }
    checks
}

fn notes() -> Vec<String> {
    [
        "A course assignment of 2017 (T. Merand and V. Varkevisser) solved the central game of the English board by \
         recursive backtracking, by the same with a set of positions known to fail, and in parallel with an OpenMP loop \
         over the first jumps, all threads sharing the set. Its plot shows the parallel version a little ahead.",
        "A first solution says little about a method: it depends on the order in which jumps are tried. Over twelve orders \
         the plain search mostly finds nothing within hundreds of millions of positions; with the set it always does, after \
         some thousands to some millions. Keeping one position for its eight images helps in most orders.",
        "A loop over the first jumps cannot speed this game up: its four first jumps are images of each other, so each \
         thread searches a copy of the same tree under other names, and the answer has to wait for the first of them. With \
         images merged a single task is left. Longer prefixes share more and still visit many positions in vain that a serial \
         search would never have come to. Work that is worth dividing is that of the layers: see pegs-layers.",
    ]
    .map(str::to_owned)
    .into()
}
