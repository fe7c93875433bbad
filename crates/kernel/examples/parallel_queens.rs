//! Counts the ways to place 10 queens on the work-stealing pool, under a memory budget and a stop
//! flag: `cargo run --release -p everymove-kernel --example parallel_queens`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::ops::ControlFlow;

use everymove_kernel::backtrack::{Tally, Tree, Watch, explore};
use everymove_kernel::machine;
use everymove_kernel::run::{Ram, Run};

/// Ways to place this many queens, one row after the other. A node is the columns and diagonals
/// taken so far.
struct Queens(u32);

#[derive(Default)]
struct Solutions(u64);

impl Tally for Solutions {
    fn merge(&mut self, later: Self) {
        self.0 += later.0;
    }
}

impl Tree for Queens {
    type Node = [u32; 3];
    type Tally = Solutions;

    fn branch(
        &self,
        [cols, left, right]: [u32; 3],
        tally: &mut Solutions,
        children: &mut Vec<[u32; 3]>,
    ) -> ControlFlow<()> {
        if cols == (1 << self.0) - 1 {
            tally.0 += 1;
        }
        for queen in (0..self.0).map(|col| 1 << col) {
            if queen & (cols | left | right) == 0 {
                children.push([cols | queen, (left | queen) << 1, (right | queen) >> 1]);
            }
        }
        ControlFlow::Continue(())
    }

    fn search_below(
        &self,
        node: [u32; 3],
        tally: &mut Solutions,
        watch: &Watch<'_>,
    ) -> ControlFlow<()> {
        watch.tick(1)?;
        let mut children = Vec::new();
        self.branch(node, tally, &mut children)?;
        (children.into_iter()).try_for_each(|child| self.search_below(child, tally, watch))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let run = Run::new(machine::cores(), Ram::of_process(64 << 20)?);
    let solutions = explore(&Queens(10), vec![[0; 3]], 3, &run)?;
    assert_eq!(solutions.0, 724);
    println!(
        "10 queens: {} solutions on {} threads",
        solutions.0, run.threads
    );
    Ok(())
}
