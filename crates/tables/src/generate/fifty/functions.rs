//! The step functions of the clock that occur in a half with one side to move, each kept once.

use std::sync::Mutex;

use rustc_hash::FxHashMap;

use crate::store::clock_steps::{ClockSteps, Step};
use crate::store::directory::lock;

/// A step function from some clock on: a number, [`NEVER`] at first.
pub(super) type FunctionId = u32;

/// The function that is nowhere forced.
pub(super) const NEVER: FunctionId = 0;

/// The most functions of one side to move: one for each of this many indices, within bounds. Far
/// fewer were found.
const INDICES_PER_FUNCTION: u64 = 32;
const LEAST_MOST: u64 = 1 << 12;
const LARGEST_MOST: u64 = 1 << 20;
/// Bytes of a function and of its entries in the map.
const BYTES: u64 = 48;

/// A function that has a code for the clocks up to `clock`, and is another one for those above.
#[derive(Clone, Copy, Debug)]
struct Node {
    above: FunctionId,
    clock: u8,
    code: u8,
}

/// Step functions, numbered in the order in which they are found.
#[derive(Debug)]
pub(super) struct Functions {
    most: usize,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    nodes: Vec<Node>,
    by_node: FxHashMap<(FunctionId, u8, u8), FunctionId>,
}

/// There are more functions than a table can hold.
#[derive(Debug)]
pub(super) struct TooManyFunctions;

/// The functions that a thread extended in a layer: by function and new code.
pub(super) type Extended = FxHashMap<(FunctionId, u8), FunctionId>;

impl Functions {
    /// Returns no functions, of a half with a number of indices.
    pub(super) fn new(indices: u64) -> Self {
        let never = Node {
            above: NEVER,
            clock: 0,
            code: 0,
        };
        Self {
            most: Self::most(indices) as usize,
            known: Mutex::new(Known {
                nodes: vec![never],
                by_node: FxHashMap::default(),
            }),
        }
    }

    /// The most functions of a half with a number of indices.
    fn most(indices: u64) -> u64 {
        (indices / INDICES_PER_FUNCTION).clamp(LEAST_MOST, LARGEST_MOST)
    }

    /// Bytes of the functions of one side to move of a half with a number of indices, at most.
    pub(super) fn bytes(indices: u64) -> u64 {
        BYTES * Self::most(indices)
    }

    /// Returns the function that is `above` for larger clocks than `clock`, and has the code `code`
    /// up to it.
    pub(super) fn extend(
        &self,
        above: FunctionId,
        clock: u8,
        code: u8,
        extended: &mut Extended,
    ) -> Result<FunctionId, TooManyFunctions> {
        if let Some(&known) = extended.get(&(above, code)) {
            return Ok(known);
        }
        let mut known = lock(&self.known);
        let Known { nodes, by_node } = &mut *known;
        let next = nodes.len();
        let id = *by_node.entry((above, clock, code)).or_insert(next as u32);
        if id as usize == next {
            if next == self.most {
                return Err(TooManyFunctions);
            }
            nodes.push(Node { above, clock, code });
        }
        extended.insert((above, code), id);
        Ok(id)
    }

    /// Numbers the functions that occur, from how many positions have each.
    ///
    /// # Errors
    /// [`TooManyFunctions`] if a code has more than a file can hold.
    pub(super) fn numbering(
        &self,
        count: &FxHashMap<FunctionId, u64>,
    ) -> Result<Numbering, TooManyFunctions> {
        let known = lock(&self.known);
        let mut by_code: Vec<Vec<(u64, Vec<Step>, FunctionId)>> = Vec::new();
        for (&id, &n) in count {
            let steps = steps(&known.nodes, id);
            let code = usize::from(known.nodes[id as usize].code);
            if by_code.len() <= code {
                by_code.resize_with(code + 1, Vec::new);
            }
            by_code[code].push((n, steps, id));
        }
        let mut numbering = Numbering {
            numbers: vec![0; known.nodes.len()],
            steps: ClockSteps::default(),
            most: 0,
        };
        for (code, functions) in by_code.iter_mut().enumerate().skip(1) {
            // The most frequent first; the order does not depend on the order in which threads
            // found them.
            functions.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
            for (number, (_, steps, id)) in functions.drain(..).enumerate() {
                let number = u16::try_from(number)
                    .ok()
                    .filter(|&n| n <= ClockSteps::MOST);
                let number = number.ok_or(TooManyFunctions)?;
                numbering.numbers[id as usize] = number;
                numbering.most = numbering.most.max(number);
                numbering.steps.push(code as u16, steps);
            }
        }
        Ok(numbering)
    }
}

/// Returns the steps of a function as the clock rises from 0.
fn steps(nodes: &[Node], id: FunctionId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = nodes[id as usize];
    while at.code != 0 {
        let above = nodes[at.above as usize];
        // A mate is a mate with a clock of 100 as well.
        if at.clock < ClockSteps::END {
            steps.push(Step {
                clock: at.clock + 1,
                code: above.code,
            });
        }
        at = above;
    }
    steps
}

/// The numbers of functions in a file: among those with the same code with a clock of 0, by
/// frequency.
#[derive(Debug)]
pub(super) struct Numbering {
    /// By function.
    pub(super) numbers: Vec<u16>,
    /// By code and number.
    pub(super) steps: ClockSteps,
    /// The largest number.
    pub(super) most: u16,
}
