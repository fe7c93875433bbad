//! `course-leapfrog`: orders of retrograde analysis with simulated caches, by the program of the
//! course.
//!
//! After H. G. Muller, "Leapfrog: Tree Decomposition", with the example of one rook.

use everymove_course::cache::{Lines as Scan, one_rook};
use everymove_course::leapfrog::{Order, Table as Endgame};
use everymove_course::schedule::{Schedule, for_each};
use everymove_draw::chart::{Axis, Lines, Series};
use everymove_kernel::run::Run;
use everymove_tables::Schedule as SolverSchedule;
use std::sync::Mutex;

use crate::experiments::tables::Workshop;
use crate::measure::{Timing, repeat};
use crate::report::{Cell, Check, Report, Section, Table};
use crate::{Experiment, LabError, Options, Size};

pub(in crate::experiments) const EXPERIMENT: Experiment = Experiment {
    name: "course-leapfrog",
    about: "the course's endgame table in four orders: loads of simulated caches, and one rook",
    seconds: (1, 300),
    run,
};

const ORDERS: [(Order, &str); 4] = [
    (Order::Scan, "scan"),
    (Order::SubCycles, "sub-cycles"),
    (Order::RootSplitting, "root splitting"),
    (Order::Leapfrog, "leapfrog"),
];

/// Wins, losses and cycles of KQvKR on 8x8 and KRvK: `everymove tables build KQvKR --metric dtc`.
const KQVKR: [u64; 3] = [8_863_768, 7_062_680, 31];
const KRVK: [u64; 3] = [175_168, 201_700, 16];

/// A table in one order.
struct Made {
    order: &'static str,
    counts: [u64; 3],
    positions: usize,
    /// Loads of each cache.
    misses: Vec<u32>,
    /// Whether the table is that of the scan.
    same: bool,
}

fn run(options: &Options, run: &Run) -> Result<Report, LabError> {
    let (side, bits): (usize, [u32; 6]) = match options.size {
        Size::Quick => (4, [6, 8, 10, 12, 14, 16]),
        Size::Full => (8, [10, 12, 14, 16, 18, 20]),
    };
    let sizes = bits.map(|bits| 1u32 << bits);
    let threads = options.at_most(2);
    let positions = (side as u64).pow(8);
    // Two bytes a position, and four for each cache.
    let bytes = positions * (2 + 4 * sizes.len() as u64);
    let _held = run
        .ram
        .reserve("the course's tables", bytes * threads as u64)?;
    let mut checks = Vec::new();
    let rook = Endgame::new(8, false, None, Order::Leapfrog, &[], &|| {
        run.stop.is_raised()
    });
    checks.extend(known("KRvK on 8x8", &counts(&rook), KRVK));
    let without_rook = Endgame::new(side, true, None, Order::Scan, &[], &|| run.stop.is_raised());
    // Two tables at a time; a table is made by one thread.
    let made = Mutex::new(Vec::new());
    let scan = Mutex::new(None);
    run.stop.check()?;
    for_each(Schedule::Dynamic(1), threads, ORDERS.len(), |item| {
        if run.stop.is_raised() {
            return 0;
        }
        let (order, name) = ORDERS[item];
        let table = Endgame::new(side, true, Some(&without_rook), order, &sizes, &|| {
            run.stop.is_raised()
        });
        let hash = fingerprint(&table);
        if order == Order::Scan {
            *scan.lock().unwrap_or_else(|e| e.into_inner()) = Some(hash);
        }
        let row = (
            item,
            hash,
            Made {
                order: name,
                counts: counts(&table),
                positions: table.won.len(),
                misses: table.caches.iter().map(|cache| cache.misses()).collect(),
                same: true,
            },
        );
        made.lock().unwrap_or_else(|e| e.into_inner()).push(row);
        1
    });
    run.stop.check()?;
    let mut made = made.into_inner().unwrap_or_else(|e| e.into_inner());
    made.sort_by_key(|&(item, ..)| item);
    let scan = scan.into_inner().unwrap_or_else(|e| e.into_inner());
    let made: Vec<Made> = made
        .into_iter()
        .map(|(_, hash, made)| Made {
            same: Some(hash) == scan,
            ..made
        })
        .collect();
    for row in &made {
        if side == 8 {
            checks.extend(known(
                &format!("KQvKR by {}", row.order),
                &row.counts,
                KQVKR,
            ));
        }
        checks.push(Check {
            what: format!("KQvKR by {}: the table", row.order),
            found: if row.same { "the same" } else { "another" }.into(),
            known: "the same".into(),
            source: "the table of the scan".into(),
        });
    }
    let (solver, time) = solver(options.size, run)?;
    Ok(Report {
        name: EXPERIMENT.name,
        title: "Course: an endgame table in four orders".into(),
        notes: notes(side),
        sections: vec![
            Section::Table(rook_table()),
            Section::Table(misses(side, &sizes, &made)),
            Section::Lines("misses", chart(side, &sizes, &made)),
            Section::Table(totals(&made, side, solver, &time)),
        ],
        checks,
    })
}

fn counts(table: &Endgame) -> [u64; 3] {
    let won = || {
        table
            .won
            .iter()
            .filter(|&&cycle| cycle != 0 && cycle != u8::MAX)
    };
    let lost = table.lost.iter().filter(|&&cycle| cycle != 0);
    [
        won().count() as u64,
        lost.count() as u64,
        won().max().copied().unwrap_or(0).into(),
    ]
}

/// A number that two different tables hardly share (FNV).
fn fingerprint(table: &Endgame) -> u64 {
    let bytes = table.won.iter().chain(&table.lost);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn known(what: &str, found: &[u64; 3], known: [u64; 3]) -> Vec<Check> {
    let names = [
        "wins of White to move",
        "losses of Black to move",
        "moves to mate or to the capture",
    ];
    let check = |i: usize| Check {
        what: format!("{what}: {}", names[i]),
        found: found[i].to_string(),
        known: known[i].to_string(),
        source: "everymove tables build --metric dtc".into(),
    };
    (0..3).map(check).collect()
}

/// The document's example: a rook alone, its moves by rank and by file, and caches of some squares.
fn rook_table() -> Table {
    let ways = [
        ("all moves, scanned by rank", Scan::Ranks, Scan::Both),
        (
            "moves along ranks, scanned by rank",
            Scan::Ranks,
            Scan::Ranks,
        ),
        (
            "moves along files, scanned by rank",
            Scan::Ranks,
            Scan::Files,
        ),
        (
            "moves along files, scanned by file",
            Scan::Files,
            Scan::Files,
        ),
    ];
    let mut rows = Vec::new();
    for (name, scan, moves) in ways {
        for entries in [4, 8, 16, 32, 64] {
            let (probes, misses) = one_rook(scan, moves, entries);
            rows.push(vec![
                Cell::text(name),
                Cell::count(entries),
                Cell::count(probes),
                Cell::count(misses),
                Cell::Ratio(f64::from(misses) / 64.0),
            ]);
        }
    }
    Table {
        name: "rook",
        title: "One rook on an empty board: squares loaded into a cache".into(),
        head: vec![
            "moves",
            "squares cached",
            "probes",
            "loads",
            "loads a square",
        ],
        rows,
    }
}

fn per_cycle(made: &Made, cache: usize) -> f64 {
    f64::from(made.misses[cache]) / made.positions as f64 / made.counts[2].max(1) as f64
}

fn misses(side: usize, sizes: &[u32], made: &[Made]) -> Table {
    let mut rows = Vec::new();
    for row in made {
        for (cache, size) in sizes.iter().enumerate() {
            rows.push(vec![
                Cell::text(row.order),
                Cell::count(size),
                Cell::Ratio(f64::from(row.misses[cache]) / row.positions as f64),
                Cell::Ratio(per_cycle(row, cache)),
                Cell::Ratio(per_cycle(row, cache) / per_cycle(made.last().unwrap_or(row), cache)),
            ]);
        }
    }
    Table {
        name: "misses",
        title: format!("KQvKR on a board of {side}x{side}: loads of a simulated cache"),
        head: vec![
            "order",
            "positions cached",
            "loads a position",
            "loads a position and cycle",
            "as many as leapfrog",
        ],
        rows,
    }
}

fn chart(side: usize, sizes: &[u32], made: &[Made]) -> Lines {
    let series = made.iter().map(|row| Series {
        name: row.order.into(),
        points: sizes
            .iter()
            .enumerate()
            .map(|(i, &size)| (f64::from(size), per_cycle(row, i).into()))
            .collect(),
    });
    Lines {
        title: format!("KQvKR on {side}x{side}: loads of a position in each cycle"),
        x: Axis::log("positions in the cache"),
        y: Axis::linear("loads of a position and cycle"),
        series: series.collect(),
    }
}

/// The real generator makes the table of 8x8 up to symmetry, with distances to mate.
fn solver(size: Size, run: &Run) -> Result<(u64, Timing), LabError> {
    let workshop = Workshop::new("KQvKR", run)?;
    let (made, time) = repeat(size, || {
        workshop.make(SolverSchedule::Leapfrog, &run.with_threads(1))
    })?;
    Ok((made.positions, time))
}

fn totals(made: &[Made], side: usize, solver: u64, time: &Timing) -> Table {
    let mut rows: Vec<_> = (made.iter())
        .map(|row| {
            vec![
                Cell::text(row.order),
                Cell::text(format!("{side}x{side}")),
                Cell::count(row.positions),
                Cell::count(row.counts[0]),
                Cell::count(row.counts[1]),
                Cell::count(row.counts[2]),
                Cell::Empty,
            ]
        })
        .collect();
    rows.push(vec![
        Cell::text("everymove's generator, leapfrog"),
        Cell::text("8x8"),
        Cell::count(solver),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Times(time.wall),
    ]);
    Table {
        name: "tables",
        title: "KQvKR: what each order makes, and the real generator".into(),
        head: vec![
            "order",
            "board",
            "positions",
            "wins",
            "losses",
            "cycles",
            "time",
        ],
        rows,
    }
}

fn notes(side: usize) -> Vec<String> {
    vec![
        "The document has no figures measured; it counts loads of a position in each cycle: sub-cycles and root splitting load each position twice, \
         leapfrog once, and a scan an unknown number of times."
            .into(),
        "The caches are simulated: a cache of N entries has the N positions that were loaded last, whatever their places in memory. One run counts \
         for all sizes. What begins a table (illegal positions, mates, captures) is not counted."
            .into(),
        format!(
            "A slice of the sub-cycles has all places of two pieces ({} positions), one of root splitting and leapfrog all places of three ({}). Once a \
             slice fits, these loads are those that the document counts; before, the scan may load less.",
            side.pow(4),
            side.pow(6)
        ),
    ]
}
