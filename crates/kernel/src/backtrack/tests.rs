//! Random trees against a plain recursion, for several numbers of threads.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::rng::SplitMix64;
use crate::run::Ram;

/// A tree given by a seed: every node has 0 to 3 children, none below `height`. Searching ends at
/// the nodes that the seed marks, about one in `end_rate`; a panic happens at the `panic_at`-th.
#[derive(Clone)]
struct Seeded {
    height: u32,
    end_rate: u64,
    panic_rate: u64,
    stop_at: Option<(u64, Run)>,
}

#[derive(Clone, Copy)]
struct Node {
    seed: u64,
    level: u32,
}

/// The nodes in the order of the visit: as sensitive to order as a tally can be.
#[derive(Default, PartialEq, Eq, Debug)]
struct Visited(Vec<u64>);

impl Tally for Visited {
    fn merge(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}

impl Seeded {
    fn new(height: u32, end_rate: u64) -> Self {
        Self {
            height,
            end_rate,
            panic_rate: 0,
            stop_at: None,
        }
    }

    fn marked(seed: u64, salt: u64, rate: u64) -> bool {
        rate != 0 && SplitMix64::new(seed ^ salt).below(rate) == 0
    }

    fn children(&self, node: Node) -> Vec<Node> {
        let mut rng = SplitMix64::new(node.seed);
        let count = match node.level {
            level if level == self.height => 0,
            0..=2 => 3,
            _ => rng.below(4),
        };
        (0..count)
            .map(|_| Node {
                seed: rng.next_u64(),
                level: node.level + 1,
            })
            .collect()
    }
}

impl Tree for Seeded {
    type Node = Node;
    type Tally = Visited;

    fn branch(&self, node: Node, tally: &mut Visited, children: &mut Vec<Node>) -> ControlFlow<()> {
        tally.0.push(node.seed);
        if Self::marked(node.seed, 3, 30) {
            // Lets other workers steal, at points that differ between threads and runs.
            thread::sleep(Duration::from_micros(1));
        }
        assert!(!Self::marked(node.seed, 1, self.panic_rate), "as arranged");
        if let Some((at, run)) = &self.stop_at
            && node.seed == *at
        {
            run.stop.raise();
        }
        if Self::marked(node.seed, 2, self.end_rate) {
            return ControlFlow::Break(());
        }
        children.extend(self.children(node));
        ControlFlow::Continue(())
    }

    fn search_below(&self, node: Node, tally: &mut Visited, watch: &Watch<'_>) -> ControlFlow<()> {
        watch.tick(1)?;
        let mut children = Vec::new();
        self.branch(node, tally, &mut children)?;
        children
            .into_iter()
            .try_for_each(|child| self.search_below(child, tally, watch))
    }
}

fn roots(seed: u64, count: u64) -> Vec<Node> {
    (0..count)
        .map(|i| Node {
            seed: seed.wrapping_add(i),
            level: 0,
        })
        .collect()
}

/// The order of a plain recursion, and whether it ended early.
fn recursion(tree: &Seeded, node: Node, visited: &mut Vec<u64>) -> ControlFlow<()> {
    visited.push(node.seed);
    if Seeded::marked(node.seed, 2, tree.end_rate) {
        return ControlFlow::Break(());
    }
    tree.children(node)
        .into_iter()
        .try_for_each(|child| recursion(tree, child, visited))
}

fn expected(tree: &Seeded, roots: &[Node]) -> Vec<u64> {
    let mut visited = Vec::new();
    let _ = roots
        .iter()
        .try_for_each(|&root| recursion(tree, root, &mut visited));
    visited
}

fn with(threads: usize) -> Run {
    Run::new(threads, Ram::unlimited())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_node_once_in_serial_order(
        seed: u64, count in 0u64..4, height in 0u32..9, depth in 0u32..6, threads in 1usize..6,
    ) {
        let tree = Seeded::new(height, 0);
        let run = with(threads);
        let got = explore(&tree, roots(seed, count), depth, &run).unwrap();
        prop_assert_eq!(&got.0, &expected(&tree, &roots(seed, count)));
        prop_assert_eq!(run.progress.snapshot().work, got.0.len() as u64);
    }

    #[test]
    fn an_early_end_is_the_first_in_serial_order(
        seed: u64, rate in 1u64..300, depth in 0u32..6, threads in 1usize..6,
    ) {
        let tree = Seeded::new(8, rate);
        let got = explore(&tree, roots(seed, 3), depth, &with(threads)).unwrap();
        prop_assert_eq!(got.0, expected(&tree, &roots(seed, 3)));
    }

    #[test]
    fn a_panic_reaches_the_caller_and_hangs_nobody(seed: u64, depth in 0u32..6, threads in 1usize..6) {
        let mut tree = Seeded::new(8, 0);
        tree.panic_rate = 40;
        let nodes = expected(&tree, &roots(seed, 3));
        let due = nodes.iter().any(|&seed| Seeded::marked(seed, 1, 40));
        let result = catch_unwind(AssertUnwindSafe(|| {
            explore(&tree, roots(seed, 3), depth, &with(threads))
        }));
        match result {
            Ok(got) => {
                prop_assert!(!due);
                prop_assert_eq!(got.unwrap().0, nodes);
            }
            Err(panic) => {
                prop_assert!(due);
                prop_assert_eq!(panic.downcast_ref::<&str>().copied(), Some("as arranged"));
            }
        }
    }

    #[test]
    fn a_raised_flag_stops_the_search(
        seed: u64, depth in 0u32..6, threads in 1usize..6, pick in any::<prop::sample::Index>(),
    ) {
        let run = with(threads);
        let mut tree = Seeded::new(8, 0);
        let nodes = expected(&tree, &roots(seed, 3));
        // Not the last node: a search that is complete when the flag goes up may say so.
        let at = nodes[pick.index(nodes.len() - 1)];
        tree.stop_at = Some((at, run.clone()));
        let got = explore(&tree, roots(seed, 3), depth, &run);
        prop_assert!(got.is_err() || got.unwrap().0 == nodes);
    }
}

#[test]
fn a_flag_that_is_up_beforehand_stops_at_once() {
    let run = with(2);
    run.stop.raise();
    assert_eq!(
        explore(&Seeded::new(8, 0), roots(1, 3), 2, &run),
        Err(Stopped)
    );
}

#[test]
fn progress_ends_at_the_whole() {
    for threads in [1, 3] {
        let run = with(threads);
        explore(&Seeded::new(7, 0), roots(5, 7), 3, &run).unwrap();
        assert_eq!(run.progress.snapshot().done, PARTS);
    }
}

/// Two subtree searches that each wait for the other to begin.
#[derive(Default)]
struct Meeting {
    here: Mutex<u32>,
    came: Condvar,
}

impl Tree for Meeting {
    type Node = ();
    type Tally = Visited;

    fn branch(&self, (): (), _: &mut Visited, children: &mut Vec<()>) -> ControlFlow<()> {
        children.extend([(), ()]);
        ControlFlow::Continue(())
    }

    fn search_below(&self, (): (), tally: &mut Visited, _: &Watch<'_>) -> ControlFlow<()> {
        let mut here = self.here.lock().unwrap();
        *here += 1;
        self.came.notify_all();
        let patience = Duration::from_secs(60);
        let (here, _) = self
            .came
            .wait_timeout_while(here, patience, |here| *here < 2)
            .unwrap();
        tally.0.push(u64::from(*here));
        ControlFlow::Continue(())
    }
}

#[test]
fn jobs_of_one_root_are_shared_out() {
    let met = explore(&Meeting::default(), vec![()], 1, &with(2)).unwrap();
    assert_eq!(met.0, [2, 2]);
}
