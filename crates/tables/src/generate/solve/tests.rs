//! Sets of wins in memory, in chunks and in pages lead to the same results.

use std::collections::BTreeMap;

use everymove_kernel::run::{Ram, Run};

use super::*;
use crate::Tables;
use crate::generate::by_distance::{ByDistance, Representation};
use crate::generate::conversions::Conversions;
use crate::generate::retro_step::RetroStep;
use crate::generate::schedule::Schedule;
use crate::generate::solve::{SolveOptions, partitions, solve};
use crate::generate::{Plan, build};
use crate::metric::Metric;
use crate::position::index_space::IndexSpace;
use crate::position::material::Material;
use crate::position::subspace::Subspace;
use crate::store::paged::Paged;
use crate::store::spool::Spool;
use crate::store::win_set::{Chunked, InMemory};

/// What was found, by code and word.
fn found(by_distance: &ByDistance) -> [BTreeMap<(u16, u32), u64>; 2] {
    [&by_distance.wins, &by_distance.losses].map(|lists| {
        let mut all = BTreeMap::new();
        for level in lists {
            for (word, set) in level.list.load().unwrap().iter() {
                *all.entry((level.code, word)).or_default() |= set;
            }
        }
        all
    })
}

#[test]
fn sets_in_files_find_what_sets_in_memory_find() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Mate);
    let material: Material = "KRvKN".parse().unwrap();
    let run = Run::new(2, Ram::unlimited());
    for material in material.children() {
        let plan = Plan::new(material, Metric::Mate);
        build(&plan, &tables, &run).unwrap();
    }
    let half = material.halves().remove(0);
    let space = std::sync::Arc::new(IndexSpace::new(&half));
    let words = space.len() / 64;
    let mut expected = None;
    for schedule in Schedule::ALL {
        let partitions = partitions(&space, schedule, words);
        let solve_in = |backing: &str| {
            let view = |half: &_, side| tables.view(half, side, &run);
            let conversions = Conversions::new(&space, Metric::Mate, view).unwrap();
            let subspace = Subspace::new(space.clone(), None);
            let mut state =
                RetroStep::new(subspace, Metric::Mate, conversions.into(), run.stop.clone());
            let order = SolveOptions {
                schedule,
                representation: Representation::Lists,
                uncached: backing == "uncached",
            };
            let spool = match backing {
                "memory" => Spool::in_memory(),
                _ => Spool::in_file(tables.storage(), "lists").unwrap(),
            };
            let (state, spool) = (&mut state, &spool);
            let by_distance = if backing == "memory" {
                solve(
                    state,
                    &InMemory::new(words),
                    &partitions,
                    order,
                    None,
                    spool,
                    &run,
                )
            } else if schedule == Schedule::Scan {
                let win_set = Paged::new(tables.storage(), words, 40_000).unwrap();
                let by_distance = solve(state, &win_set, &partitions, order, None, spool, &run);
                assert!(win_set.bytes_moved().0 > 0);
                by_distance
            } else {
                let win_set = Chunked::new(tables.storage(), "won", &partitions, words).unwrap();
                let by_distance = solve(state, &win_set, &partitions, order, None, spool, &run);
                assert!(win_set.bytes_moved().1 > 0);
                by_distance
            };
            found(&by_distance.unwrap())
        };
        for backing in ["memory", "files", "uncached"] {
            let found = solve_in(backing);
            assert!(found[0].len() > 1000 && found[1].len() > 1000);
            let same = *expected.get_or_insert_with(|| found.clone()) == found;
            assert!(same, "{schedule} {backing}");
        }
    }
}
