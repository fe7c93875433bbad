//! All ways to make a half with pawns give the same file.

use std::path::Path;

use everymove_kernel::files::{Disk, publish};
use everymove_kernel::run::Ram;

use super::memory::{CachedWay, WAYS};
use super::*;
use crate::generate::build;
use crate::metric::Metric;
use crate::position::material::Material;

/// Makes a table one way, in a folder that has those it needs; returns its bytes.
fn made(material: &Material, tables: &Tables, way: Way, threads: usize) -> Vec<u8> {
    let plan = Plan::new(material.clone(), tables.metric());
    let run = Run::new(threads, Ram::unlimited());
    let halves = material.halves();
    let largest = halves.iter().map(|half| tables.space(half).len() as u64);
    publish(&Disk::new(tables.folder()), "made", |draft| {
        let mut writer = Writer::new(draft, material, tables.metric(), largest.max().unwrap())?;
        for half in &halves {
            let builder = PawnBuilder {
                ways: vec![way],
                ..PawnBuilder::new(half, &plan, tables, &run)
            };
            builder.build(&mut writer, &mut Work::default())?;
        }
        Ok::<_, TableError>(writer.finish()?)
    })
    .unwrap();
    std::fs::read(tables.folder().join("made")).unwrap()
}

/// One block of each half, and the codes of few blocks at once.
const SMALLEST: Way = Way::Cached(CachedWay {
    cache: 1,
    loss_bounds: false,
    packed_at_once: 1 << 16,
});

/// Makes a table in the first of all ways and in some others.
fn is_the_same_in(ways: &[Way], name: &str, metric: Metric) {
    let material: Material = name.parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), metric);
    for child in material.children() {
        build(&Plan::new(child, metric), &tables, &Run::serial()).unwrap();
    }
    let expected = made(&material, &tables, WAYS[0], 2);
    for &way in ways {
        let other = made(&material, &tables, way, 2);
        assert!(other == expected, "{name}: {way:?}");
    }
}

const FEW_BLOCKS: Way = Way::Cached(CachedWay {
    cache: 1 << 17,
    loss_bounds: true,
    packed_at_once: 1 << 16,
});

#[test]
fn every_way_gives_the_same_file() {
    let all = [&WAYS[1..], &[SMALLEST, FEW_BLOCKS]].concat();
    is_the_same_in(&all, "KPvK", Metric::Mate);
    is_the_same_in(&all, "KPvK", Metric::Zeroing);
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn every_way_gives_the_same_file_of_four_pieces() {
    let all = [&WAYS[1..], &[SMALLEST, FEW_BLOCKS]].concat();
    is_the_same_in(&all, "KPvKP", Metric::Mate);
    is_the_same_in(&all, "KRPvK", Metric::Zeroing);
}

/// What a build takes is within the memory that it reserves: the budget is refused below the least
/// and suffices there.
#[test]
fn the_least_budget_suffices() {
    let material: Material = "KRPvK".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Zeroing);
    for child in material.children() {
        build(&Plan::new(child, Metric::Zeroing), &tables, &Run::serial()).unwrap();
    }
    let plan = Plan::new(material.clone(), Metric::Zeroing);
    let least = crate::generate::least_bytes(&plan, &tables);
    assert!((8 << 20..32 << 20).contains(&least), "{least}");
    let limited = |bytes| {
        let run = Run::new(2, Ram::limited(bytes));
        build(&plan, &tables, &run).map(|_| ())
    };
    let small = limited(least - 1).unwrap_err();
    assert!(matches!(small, TableError::OverBudget(_)), "{small}");
    assert!(!Path::new(&tables.path(&material)).exists());
    limited(least).unwrap();
    assert!(tables.has(&material));
}
