//! The tree of games as the kernel's backtracking sees it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::backtrack::{Tally, Tree, Watch};

use crate::board::Board;
use crate::jump::Jump;
use crate::position::{Bits, Position};
use crate::problem::Problem;
use crate::search::{Keys, Search};
use crate::step_table::{Condition, StepTable};
use crate::symmetry::Symmetry;
use crate::words::{Inserted, WordSet};

/// Positions between two checks of the watch.
const STRIDE: u64 = 4096;

pub(super) struct JumpTree<'a, const W: usize> {
    problem: &'a Problem,
    /// Jumps in the order in which they are tried.
    jumps: Vec<Jump>,
    /// The same as a table of those that can be made.
    table: StepTable<W>,
    last_pegs: usize,
    /// Images under the symmetries that keep the finish, if keys are canonical.
    images: Option<Images>,
    failed: Option<&'a WordSet>,
    limit: u64,
    /// Positions examined by all jobs, counted in strides.
    nodes: AtomicU64,
}

/// A position and the jumps that led to it.
pub(super) struct Node {
    position: Position,
    path: Vec<u16>,
}

/// What a search gathers.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) nodes: u64,
    pub(super) solution: Option<Vec<Jump>>,
    pub(super) gave_up: bool,
}

impl Tally for Gathered {
    fn merge(&mut self, later: Self) {
        self.nodes += later.nodes;
        self.solution = self.solution.take().or(later.solution);
        self.gave_up |= later.gave_up;
    }
}

impl<'a, const W: usize> JumpTree<'a, W> {
    pub(super) fn new(problem: &'a Problem, how: &Search, failed: Option<&'a WordSet>) -> Self {
        let board = problem.board();
        let numbers = how.order.numbers(board).into_iter();
        let jumps: Vec<Jump> = numbers.map(|number| board.jumps()[number]).collect();
        let conditions: Vec<Condition> = jumps.iter().map(Condition::of).collect();
        Self {
            problem,
            table: StepTable::new(board.holes(), &conditions),
            jumps,
            last_pegs: problem.last_pegs(),
            images: (how.keys == Keys::Canonical)
                .then(|| Images::new(board, &problem.keeping_targets(board.symmetries()))),
            failed,
            limit: how.limit,
            nodes: AtomicU64::new(0),
        }
    }

    pub(super) fn root(&self) -> Node {
        Node {
            position: self.problem.start(),
            path: Vec::new(),
        }
    }

    /// The jumps that can be made, by their places in the order, and the positions that they lead
    /// to.
    fn children(&self, position: Position) -> impl Iterator<Item = (u16, Position)> {
        let forbidden = self.table.forbidden(position.0.to_le_bytes());
        // Places beyond the last jump are forbidden by no condition.
        let words = (0..W).map(move |i| (i, !forbidden[i] & self.listed(i)));
        let places = words.flat_map(|(i, word)| Bits(word).map(move |bit| i * 64 + bit));
        places.map(move |place| (place as u16, self.jumps[place].after(position)))
    }

    /// The places of word `i` that hold a jump.
    #[inline(always)]
    fn listed(&self, i: usize) -> u64 {
        match self.jumps.len().saturating_sub(64 * i) {
            0 => 0,
            n @ 1..64 => u64::MAX >> (64 - n),
            _ => u64::MAX,
        }
    }

    fn key(&self, position: Position) -> u64 {
        self.images
            .as_ref()
            .map_or(position.0, |images| images.least(position))
    }

    fn solution(&self, path: &[u16]) -> Option<Vec<Jump>> {
        Some(
            path.iter()
                .map(|&place| self.jumps[usize::from(place)])
                .collect(),
        )
    }

    /// Counts a position; breaks now and then if the search is not wanted any more.
    fn count(&self, tally: &mut Gathered, watch: &Watch<'_>) -> ControlFlow<()> {
        tally.nodes += 1;
        if tally.nodes.is_multiple_of(STRIDE) {
            watch.tick(STRIDE)?;
            if self.nodes.fetch_add(STRIDE, Ordering::Relaxed) + STRIDE >= self.limit {
                tally.gave_up = true;
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn descend(
        &self,
        position: Position,
        path: &mut Vec<u16>,
        tally: &mut Gathered,
        watch: &Watch<'_>,
    ) -> ControlFlow<()> {
        if self.problem.is_finish(position) {
            tally.solution = self.solution(path);
            return ControlFlow::Break(());
        }
        self.count(tally, watch)?;
        if position.pegs() <= self.last_pegs {
            return ControlFlow::Continue(());
        }
        for (place, child) in self.children(position) {
            let key = self.key(child);
            if self.failed.is_some_and(|failed| failed.contains(key)) {
                continue;
            }
            path.push(place);
            self.descend(child, path, tally, watch)?;
            path.pop();
            if let Some(failed) = self.failed {
                // A full memory refuses and counts it; the position may then be searched again.
                let _: Inserted = failed.insert(key);
            }
        }
        ControlFlow::Continue(())
    }
}

impl<const W: usize> Tree for JumpTree<'_, W> {
    type Node = Node;
    type Tally = Gathered;

    fn branch(
        &self,
        node: Node,
        tally: &mut Gathered,
        children: &mut Vec<Node>,
    ) -> ControlFlow<()> {
        if self.problem.is_finish(node.position) {
            tally.solution = self.solution(&node.path);
            return ControlFlow::Break(());
        }
        tally.nodes += 1;
        if node.position.pegs() <= self.last_pegs {
            return ControlFlow::Continue(());
        }
        let mut keys = Vec::new();
        for (place, position) in self.children(node.position) {
            let key = self.key(position);
            // With canonical keys, jumps that are images of each other make one job.
            if !keys.contains(&key) {
                keys.push(key);
                let path = node.path.iter().copied().chain([place]).collect();
                children.push(Node { position, path });
            }
        }
        ControlFlow::Continue(())
    }

    fn search_below(&self, node: Node, tally: &mut Gathered, watch: &Watch<'_>) -> ControlFlow<()> {
        let Node { position, mut path } = node;
        let key = self.key(position);
        if self.failed.is_some_and(|failed| failed.contains(key)) {
            return ControlFlow::Continue(());
        }
        self.descend(position, &mut path, tally, watch)?;
        if let Some(failed) = self.failed {
            let _: Inserted = failed.insert(key);
        }
        ControlFlow::Continue(())
    }
}

/// The images of a position, byte by byte.
struct Images(Vec<Vec<[u64; 256]>>);

impl Images {
    fn new(board: &Board, group: &[Symmetry]) -> Self {
        let table = |symmetry: &Symmetry, byte: usize| {
            std::array::from_fn(|value| {
                let within = (value as u64) << (8 * byte) & board.full().0;
                symmetry.position(Position(within)).0
            })
        };
        let bytes = board.holes().div_ceil(8);
        let tables = |symmetry| (0..bytes).map(|byte| table(symmetry, byte)).collect();
        Self(group.iter().map(tables).collect())
    }

    fn least(&self, position: Position) -> u64 {
        let bytes = position.0.to_le_bytes();
        let image = |tables: &Vec<[u64; 256]>| {
            tables
                .iter()
                .zip(bytes)
                .fold(0, |word, (table, byte)| word | table[usize::from(byte)])
        };
        self.0.iter().map(image).min().unwrap_or(position.0)
    }
}
