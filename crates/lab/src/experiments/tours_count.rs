//! Counting without listing: the frontier against the search.

use everymove_draw::chart::{Axis, Lines, Series};
use everymove_kernel::run::Run;
use everymove_kernel::system;
use everymove_tours::board::{Board, Kind};
use everymove_tours::frontier::{self, FrontierError};
use everymove_tours::question::Question;
use everymove_tours::search::{self, SearchError};

use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size, known};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "tours-count",
    about: "exact counts by frontier, far beyond what a search can list",
    seconds: (4, 300),
    run,
};

struct Case {
    rows: u32,
    cols: u32,
    kind: Kind,
    /// Whether a search takes part.
    searched: bool,
}

struct Row {
    board: String,
    squares: usize,
    kind: Kind,
    method: &'static str,
    count: String,
    steps: u64,
    time: Timing,
}

fn cases(size: Size) -> Vec<Case> {
    let case = |rows, cols, kind, searched| Case {
        rows,
        cols,
        kind,
        searched,
    };
    let mut cases = vec![
        case(5, 6, Kind::Closed, true),
        case(6, 6, Kind::Closed, true),
        case(6, 7, Kind::Closed, true),
        case(6, 8, Kind::Closed, size == Size::Full),
        case(6, 10, Kind::Closed, false),
        case(7, 8, Kind::Closed, false),
        case(6, 6, Kind::Open, true),
        case(5, 8, Kind::Open, true),
    ];
    if size == Size::Full {
        cases.extend([
            case(6, 8, Kind::Open, false),
            case(6, 12, Kind::Closed, false),
            case(8, 8, Kind::Closed, false),
            case(7, 7, Kind::Open, false),
            case(8, 9, Kind::Closed, false),
            case(8, 10, Kind::Closed, false),
        ]);
    }
    cases
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let size = options.size;
    let mut rows = Vec::new();
    for case in cases(size) {
        let board = Board::knight(case.rows, case.cols).map_err(|e| LabError::part("board", e))?;
        if case.searched {
            rows.push(by_search(&board, case.kind, size, run)?);
        }
        rows.push(by_frontier(&board, case.kind, size, run)?);
    }
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Exact counts of knight's tours by frontier".into(),
        notes: notes(),
        sections: vec![
            Section::Table(table(&rows, run)),
            Section::Lines("times", lines(&rows)),
        ],
        checks: rows.iter().filter_map(check).collect(),
    })
}

fn by_search(board: &Board, kind: Kind, size: Size, run: &Run) -> Result<Row, LabError> {
    let question = Question::new(board.clone(), kind);
    // What the allocator keeps of the count before would come on top.
    system::release_freed_memory();
    let count = || search::count(&question, search::Options::default(), run);
    let (found, time) = repeat(size, count).map_err(|e| match e {
        SearchError::Stopped(stopped) => stopped.into(),
        SearchError::OverBudget(over) => over.into(),
        e => LabError::part("search", e),
    })?;
    let steps = found.work.get("nodes");
    Ok(row(
        board,
        kind,
        "search",
        found.undirected().to_string(),
        steps,
        time,
    ))
}

fn by_frontier(board: &Board, kind: Kind, size: Size, run: &Run) -> Result<Row, LabError> {
    let question = Question::new(board.clone(), kind);
    // What the allocator keeps of the count before would come on top.
    system::release_freed_memory();
    let count = || frontier::count(&question, &frontier::Options::default(), run);
    let (found, time) = repeat(size, count).map_err(|e| match e {
        FrontierError::Stopped(stopped) => stopped.into(),
        FrontierError::OverBudget(over) => over.into(),
        e => LabError::part("frontier", e),
    })?;
    let steps = found.work.get("transitions");
    Ok(row(
        board,
        kind,
        "frontier",
        found.undirected.to_string(),
        steps,
        time,
    ))
}

fn row(
    board: &Board,
    kind: Kind,
    method: &'static str,
    count: String,
    steps: u64,
    time: Timing,
) -> Row {
    Row {
        board: board.grid().to_string(),
        squares: board.playable(),
        kind,
        method,
        count,
        steps,
        time,
    }
}

fn table(rows: &[Row], run: &Run) -> Table {
    let cells = |row: &Row| {
        vec![
            Cell::text(&row.board),
            Cell::text(row.kind.to_string()),
            Cell::text(row.method),
            Cell::count(&row.count),
            Cell::count(row.steps),
            Cell::Times(row.time.wall),
            Cell::Times(row.time.cpu),
            Cell::count(row.time.runs),
        ]
    };
    Table {
        name: "counts",
        title: format!(
            "Undirected tours, {} thread(s); steps are nodes of a search, transitions of a frontier",
            run.threads
        ),
        head: vec![
            "board", "kind", "method", "tours", "steps", "time", "CPU", "runs",
        ],
        rows: rows.iter().map(cells).collect(),
    }
}

fn lines(rows: &[Row]) -> Lines {
    let mut series = Vec::new();
    for kind in [Kind::Closed, Kind::Open] {
        for method in ["search", "frontier"] {
            let same = |row: &&Row| row.kind == kind && row.method == method;
            let mut points: Vec<_> = (rows.iter().filter(same))
                .map(|row| (row.squares as f64, row.time.cpu))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            series.push(Series {
                name: format!("{kind}, {method}"),
                points,
            });
        }
    }
    Lines {
        title: "CPU time of exact counts".into(),
        x: Axis::linear("squares of the board"),
        y: Axis::log("CPU seconds"),
        series,
    }
}

fn check(row: &Row) -> Option<Check> {
    let known = known::tours(&row.board, &format!("{} undirected", row.kind))?;
    Some(Check {
        what: format!("{} {} by {}", row.board, row.kind, row.method),
        found: row.count.clone(),
        known: known.value.into(),
        source: known.source.into(),
    })
}

fn notes() -> Vec<String> {
    [
        "A search visits every tour, so its time grows with their number. The frontier method eliminates one square \
         after the other and keeps, for each way in which the squares at the edge can be joined, only how often it \
         occurs: its time grows with the number of such ways, which the shorter side of the board decides.",
        "Both give the same numbers wherever both can be run, and those of the literature.",
    ]
    .map(str::to_owned)
    .into()
}
