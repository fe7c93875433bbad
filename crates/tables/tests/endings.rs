//! Whole tables against known counts, and against the rules.

use std::collections::BTreeMap;

use everymove_kernel::run::{Ram, Run};
use everymove_tables::stats::{Counting, SideStats, stats};
use everymove_tables::verify::{Thoroughness, verify};
use everymove_tables::{Material, Metric, Plan, Schedule, TableError, Tables, build, least_bytes};

fn run() -> Run {
    Run::new(2, Ram::unlimited())
}

fn make(tables: &Tables, name: &str, schedule: Schedule) -> Material {
    let material: Material = name.parse().unwrap();
    let plan = Plan {
        schedule,
        ..Plan::new(material.clone(), tables.metric())
    };
    build(&plan, tables, &run()).unwrap();
    material
}

/// The columns of the file of known counts, for a side.
fn columns(all: &SideStats, classes: &SideStats) -> Vec<u64> {
    let last = |counts: &BTreeMap<u16, u64>| {
        let last = counts.iter().next_back();
        last.map_or((0, 0), |(&plies, &n)| (u64::from(plies), n))
    };
    let (win, loss) = (last(&all.wins), last(&all.losses));
    vec![
        all.legal,
        all.won(),
        all.drawn(),
        all.lost(),
        win.0,
        win.1,
        loss.0,
        loss.1,
        classes.legal,
        classes.won(),
        classes.drawn(),
        classes.lost(),
        last(&classes.wins).1,
        last(&classes.losses).1,
    ]
}

fn known() -> BTreeMap<(String, String), Vec<u64>> {
    let text = include_str!("endings.tsv");
    let rows = text.lines().filter(|line| !line.starts_with(['#', 'm']));
    rows.map(|line| {
        let mut fields = line.split('\t').map(str::to_owned);
        let key = (fields.next().unwrap(), fields.next().unwrap());
        (key, fields.map(|n| n.parse().unwrap()).collect())
    })
    .collect()
}

fn agrees(names: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Mate);
    let known = known();
    for name in names {
        let material = make(&tables, name, Schedule::Leapfrog);
        let all = stats(&material, &tables, Counting::Positions, &run()).unwrap();
        let classes = stats(&material, &tables, Counting::Classes, &run()).unwrap();
        for (side, all, classes) in [
            ("w", &all.white, &classes.white),
            ("b", &all.black, &classes.black),
        ] {
            let key = (material.to_string(), side.to_owned());
            assert_eq!(columns(all, classes), known[&key], "{name} {side}");
        }
    }
}

#[test]
fn three_men_have_the_known_counts() {
    agrees(&["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]);
}

#[test]
fn some_of_four_men_have_the_known_counts() {
    agrees(&["KBBvK", "KQvKR", "KNNvK", "KPvKP"]);
}

#[test]
#[ignore = "takes a minute; cargo xtask long"]
fn all_of_four_men_have_the_known_counts() {
    let all: std::collections::BTreeSet<String> =
        known().into_keys().map(|(name, _)| name).collect();
    assert_eq!(all.len(), 35);
    agrees(&all.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
#[ignore = "takes some minutes and 700 MB; cargo xtask long"]
fn some_of_five_men_have_the_known_longest_wins() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Mate);
    for line in include_str!("longest.tsv").lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let material = make(&tables, fields[0], Schedule::Leapfrog);
        let longest = tables.longest_win(&material).unwrap();
        assert_eq!(
            longest.to_string(),
            fields[1],
            "{}: {}",
            fields[0],
            fields[2]
        );
    }
}

#[test]
fn three_men_follow_from_the_rules() {
    for metric in [Metric::Mate, Metric::Zeroing, Metric::Conversion] {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), metric);
        for name in ["KQvK", "KPvK"] {
            let material = make(&tables, name, Schedule::Leapfrog);
            for how in [Thoroughness::Boards(1), Thoroughness::Scan] {
                let verified = verify(&material, &tables, how, &run()).unwrap();
                assert!(verified.positions > 40_000);
            }
        }
    }
}

#[test]
fn pawns_against_pawns_follow_from_the_rules() {
    pawns_against_pawns(&[Metric::Zeroing]);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn pawns_against_pawns_follow_from_the_rules_to_mate_and_conversion() {
    pawns_against_pawns(&[Metric::Mate, Metric::Conversion]);
}

/// Captures in passing, promotions by capture, both sides winning.
fn pawns_against_pawns(metrics: &[Metric]) {
    for &metric in metrics {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), metric);
        let material = make(&tables, "KPvKP", Schedule::Leapfrog);
        for how in [Thoroughness::Boards(101), Thoroughness::Scan] {
            verify(&material, &tables, how, &run()).unwrap();
        }
    }
}

#[test]
fn schedules_and_threads_make_the_same_bytes() {
    let bytes = |metric, schedule, threads| {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), metric);
        let material: Material = "KQvKR".parse().unwrap();
        let plan = Plan {
            schedule,
            ..Plan::new(material.clone(), metric)
        };
        build(&plan, &tables, &Run::new(threads, Ram::unlimited())).unwrap();
        std::fs::read(tables.path(&material)).unwrap()
    };
    for metric in [Metric::Mate, Metric::Zeroing, Metric::Conversion] {
        let expected = bytes(metric, Schedule::Scan, 1);
        for schedule in Schedule::ALL {
            for threads in [1, 3] {
                assert!(
                    bytes(metric, schedule, threads) == expected,
                    "{metric} {schedule} {threads}"
                );
            }
        }
    }
}

/// With and without pawns: the least memory suffices, a byte less is refused before any table is
/// made, and the bytes do not depend on it.
#[test]
fn budgets_are_obeyed_or_refused() {
    the_least_memory_suffices(&[("KQvKR", Metric::Mate), ("KPvKP", Metric::Conversion)]);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn budgets_are_obeyed_or_refused_by_more_endings() {
    the_least_memory_suffices(&[("KQPvK", Metric::Mate), ("KPvKP", Metric::Mate)]);
}

fn the_least_memory_suffices(endings: &[(&str, Metric)]) {
    for &(name, metric) in endings {
        let ample = tempfile::tempdir().unwrap();
        let expected = Tables::new(ample.path(), metric);
        let material = make(&expected, name, Schedule::Leapfrog);

        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), metric);
        let plan = Plan::new(material.clone(), metric);
        let least = least_bytes(&plan, &tables);
        let refused = build(&plan, &tables, &Run::new(2, Ram::limited(least - 1)));
        let error = refused.unwrap_err();
        assert!(matches!(error, TableError::OverBudget(_)), "{error}");
        for material in material.closure() {
            assert!(!tables.has(&material), "{name}: {material} was made");
        }

        let run = Run::new(2, Ram::limited(least));
        build(&plan, &tables, &run).unwrap();
        assert!(run.ram.peak() <= least);
        assert_eq!(run.ram.used(), 0, "{name} gives everything back");
        let bytes = |tables: &Tables| std::fs::read(tables.path(&material)).unwrap();
        assert!(bytes(&tables) == bytes(&expected), "{name}");
        let drafts = std::fs::read_dir(folder.path()).unwrap();
        let names = drafts.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(names.into_iter().all(|n| !n.ends_with(".draft")), "{name}");
    }
}

#[test]
fn a_damaged_file_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Mate);
    let material = make(&tables, "KRvK", Schedule::Leapfrog);
    let path = tables.path(&material);
    let good = std::fs::read(&path).unwrap();
    for at in (0..good.len()).step_by(1 + good.len() / 97) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::write(&path, &bad).unwrap();
        let fresh = Tables::new(folder.path(), Metric::Mate);
        let error = stats(&material, &fresh, Counting::Positions, &run()).unwrap_err();
        assert!(error.to_string().contains("KRvK.dtm"), "byte {at}: {error}");
    }
    std::fs::write(&path, &good[..good.len() - 5]).unwrap();
    let fresh = Tables::new(folder.path(), Metric::Mate);
    assert!(stats(&material, &fresh, Counting::Positions, &run()).is_err());
}
