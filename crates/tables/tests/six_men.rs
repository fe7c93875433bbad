//! Tables of six men against published counts. They take gigabytes and hours, so they are made
//! before, by `everymove tables build KNNPPvK --metric dtz --out DIR`, and the environment variable
//! `EVERYMOVE_SIX_MEN` names their folder.

#![expect(clippy::print_stdout, reason = "a test reports how much it compared")]

use std::collections::BTreeMap;
use std::path::Path;

use everymove_kernel::run::{Ram, Run};
use everymove_tables::stats::{Counting, stats};
use everymove_tables::{Material, Metric, Tables};

/// The columns of a row of `six_men.tsv`.
const COLUMNS: usize = 8;

/// The published counts of an ending in which White alone has pieces.
fn published() -> Vec<(Material, [u64; COLUMNS])> {
    let text = include_str!("six_men.tsv");
    let rows = text.lines().filter(|line| !line.starts_with(['#', 'm']));
    let read = |line: &str| {
        let (name, numbers) = line.split_once('\t').expect("a name and numbers");
        let numbers: Vec<u64> = numbers.split('\t').map(|n| n.parse().unwrap()).collect();
        (name.parse().unwrap(), numbers.try_into().unwrap())
    };
    rows.map(read).collect()
}

/// The same counts of a table of plies to a zeroing move.
fn counted(material: &Material, tables: &Tables) -> [u64; COLUMNS] {
    let run = Run::new(2, Ram::unlimited());
    let counts = stats(material, tables, Counting::Labelled, &run).unwrap();
    let last = |counts: &BTreeMap<u16, u64>| {
        let (&plies, &n) = counts.iter().next_back().expect("a win");
        [u64::from(plies), n]
    };
    let (white, black) = (&counts.white, &counts.black);
    assert_eq!((white.lost(), black.won()), (0, 0), "{material}");
    let [wins, losses] = [last(&white.wins), last(&black.losses)];
    [
        white.won(),
        white.drawn(),
        black.drawn(),
        black.lost(),
        wins[0],
        wins[1],
        losses[0],
        losses[1],
    ]
}

/// Every table of the folder has the published counts. Only if no folder is named, nothing is
/// compared.
#[test]
#[ignore = "takes minutes a table, and tables of six men in EVERYMOVE_SIX_MEN; cargo xtask long"]
fn tables_of_six_men_have_the_published_counts() {
    let Some(folder) = std::env::var_os("EVERYMOVE_SIX_MEN") else {
        println!("nothing was compared: EVERYMOVE_SIX_MEN names no folder of tables");
        return;
    };
    let tables = Tables::new(Path::new(&folder), Metric::Zeroing);
    let mut compared = 0;
    for (material, expected) in published() {
        if tables.has(&material) {
            assert_eq!(counted(&material, &tables), expected, "{material}");
            println!("{material} has the published counts");
            compared += 1;
        }
    }
    assert!(compared > 0, "no table of six men in the folder");
}
