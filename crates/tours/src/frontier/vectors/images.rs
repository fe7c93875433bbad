//! What a step makes of a set of degree vectors, and of which vectors it makes a set: many vectors
//! at a time.
//!
//! The sets have words of 27 vectors each ([`Marks`]). An edge at one of the three lowest slots
//! shifts the bits of a word, an edge at another slot moves words. So a step takes some operations
//! for each word and choice of edges, however many of the 27 vectors are in the set.
//!
//! The vectors before a step are in three sets, by the degree of the square that leaves; their
//! numbers are those of the other slots.

use everymove_kernel::dispatch::{self, Task};
use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

use crate::frontier::step::{Action, Step};
use crate::frontier::vectors::degrees::{Degrees, POW3};
use crate::frontier::vectors::live::in_ranges;
use crate::frontier::vectors::marks::{IN_SPAN, IN_WORD, Marks, PART, Plain, SPAN, Span, spans};

/// Degree vectors of a span.
const MEMBERS: u32 = POW3[IN_SPAN];

/// For each slot of a word, the bits of vectors with degree 0 or 1 there.
const BELOW_2: [u32; IN_WORD] = {
    let mut masks = [0; IN_WORD];
    let mut bit = 0;
    while bit < POW3[IN_WORD] {
        let mut slot = 0;
        while slot < IN_WORD {
            if bit / POW3[slot] % 3 < 2 {
                masks[slot] |= 1 << bit;
            }
            slot += 1;
        }
        bit += 1;
    }
    masks
};

/// Edges that a step may choose together.
struct Choice {
    /// The degree that the square has which leaves; 0 if none does that was in the window.
    degree: usize,
    /// The slots of the other ends of the edges, once for each edge.
    slots: Vec<u8>,
}

/// All choices of a step.
fn choices(step: &Step) -> Vec<Choice> {
    let choice = |degree, slots: &[u8]| Choice {
        degree,
        slots: slots.to_vec(),
    };
    let mut all = Vec::new();
    match &step.action {
        Action::Eliminate(action) => {
            let may_choose = |slots: &[u8]| !action.starts || slots.contains(&0);
            if action.seen && may_choose(&[]) {
                all.push(choice(2, &[]));
            }
            for (i, &a) in action.neighbours.iter().enumerate() {
                if action.seen && may_choose(&[a]) {
                    all.push(choice(1, &[a]));
                }
                let pairs = action.neighbours[i + 1..].iter().map(|&b| [a, b]);
                let pairs = pairs.filter(|pair| may_choose(pair));
                all.extend(pairs.map(|pair| choice(0, &pair)));
            }
        }
        Action::Edges(action) => {
            let every: Vec<u8> = action.edges.iter().flat_map(|&(a, b)| [a, b]).collect();
            if !action.forced {
                all.push(choice(0, &[]));
                let single = action.edges.iter().filter(|_| action.edges.len() > 1);
                all.extend(single.map(|&(a, b)| choice(0, &[a, b])));
            }
            all.push(choice(0, &every));
        }
    }
    all
}

/// Whether the square that leaves was in the window, and whether the apex has the slot before it.
fn leaves(step: &Step) -> (bool, bool) {
    match &step.action {
        Action::Eliminate(action) => (action.seen, action.apex),
        Action::Edges(_) => (false, false),
    }
}

/// The slots before a step without that of the square that leaves.
fn other_slots(step: &Step) -> usize {
    step.slots_in - usize::from(leaves(step).0)
}

/// The degree of the square that leaves, 0 if it was not in the window, and the degrees of the
/// other slots.
#[inline]
fn split(before: Degrees, (seen, apex): (bool, bool)) -> (usize, Degrees) {
    match (seen, apex) {
        (false, _) => (0, before),
        (true, false) => ((before % 3) as usize, before / 3),
        (true, true) => (
            (before / 3 % 3) as usize,
            before % 3 + 3 * (before / POW3[2]),
        ),
    }
}

/// The degree vectors that steps can reach.
pub(crate) struct Images {
    /// Those before a step, by the degree of the square that leaves; empty between two steps.
    before: [Marks; 3],
    /// Those after a step; empty between two steps.
    after: Marks,
}

impl Images {
    /// Memory for each of some steps.
    pub(crate) fn new(steps: &[Step]) -> Self {
        let [before, after] = most_slots(steps);
        Self {
            before: [(); 3].map(|()| Marks::new(before)),
            after: Marks::new(after),
        }
    }

    /// The bytes of its memory.
    pub(crate) fn bytes(steps: &[Step]) -> u64 {
        let [before, after] = most_slots(steps);
        3 * Marks::bytes(before) + Marks::bytes(after)
    }

    /// Finds the degree vectors that a step can reach from those of a list; an image of each pair
    /// of mirror images if they are counted together.
    pub(crate) fn find(&mut self, list: &[Degrees], step: &Step, run: &Run) -> Result<(), Stopped> {
        let square = leaves(step);
        for marks in &mut self.before {
            marks.resize(other_slots(step));
        }
        let before = &self.before;
        in_ranges(list.len(), run, |range| {
            for &degrees in &list[range] {
                let (degree, others) = split(degrees, square);
                before[degree].insert(others);
            }
        })?;
        let before = [0, 1, 2].map(|degree| std::mem::take(&mut self.before[degree]).into_plain());
        let choices = choices(step);
        let mut after = std::mem::take(&mut self.after);
        after.resize(step.slots_out);
        let mut after = after.into_plain();
        let spans = spans(step.slots_out);
        let parts = after.words[..spans * SPAN].chunks_mut(PART * SPAN);
        let parts = parts.zip(after.used[..spans].chunks_mut(PART)).enumerate();
        parallel::for_each(
            run,
            parts,
            || (),
            |(), (part, (words, used))| {
                dispatch::run(Find {
                    before: &before,
                    choices: &choices,
                    first: part * PART,
                    after: words.as_chunks_mut().0,
                    used,
                });
            },
        )?;
        self.after = Marks::of(after);
        for (marks, plain) in self.before.iter_mut().zip(before) {
            *marks = Marks::of(plain);
            marks.clear(run)?;
        }
        self.after
            .remove_without_ends(step.slots_out, step.may_close());
        if let Some(fold) = &step.fold {
            self.after.replace(|degrees| fold.canonical(degrees), run)?;
        }
        Ok(())
    }

    /// What was found, as a set that is to be made empty.
    pub(crate) fn found(&mut self) -> &mut Marks {
        &mut self.after
    }
}

/// Makes spans after a step, of which the first has the number `first`.
struct Find<'a> {
    before: &'a [Plain; 3],
    choices: &'a [Choice],
    first: usize,
    after: &'a mut [Span],
    used: &'a mut [bool],
}

impl Task for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for ((number, span), used) in (self.first..).zip(self.after).zip(self.used) {
            for Choice { degree, slots } in self.choices {
                let origin = with_edges_less(number, slots);
                if let Some(from) = origin.and_then(|origin| self.before[*degree].span(origin)) {
                    through(span, from, slots, add_edge);
                    *used = true;
                }
            }
            *used = *used && span.iter().fold(0, |all, word| all | word) != 0;
        }
    }
}

/// The most slots before each of some steps, without that of the square that leaves, and after
/// each.
fn most_slots(steps: &[Step]) -> [usize; 2] {
    let before = steps.iter().map(other_slots).max().unwrap_or(0);
    let after = steps.iter().map(|step| step.slots_out).max().unwrap_or(0);
    [before, after]
}

/// The degree vectors that can become one of a set of vectors after a step.
pub(crate) struct Preimages {
    after: Plain,
}

impl Preimages {
    /// Memory for each of some steps.
    pub(crate) fn new(steps: &[Step]) -> Self {
        Self {
            after: Marks::new(most_slots(steps)[1]).into_plain(),
        }
    }

    /// The bytes of its memory.
    pub(crate) fn bytes(steps: &[Step]) -> u64 {
        Marks::bytes(most_slots(steps)[1])
    }

    /// Takes the vectors of a list after a step.
    pub(crate) fn replace(
        &mut self,
        list: &[Degrees],
        step: &Step,
        run: &Run,
    ) -> Result<(), Stopped> {
        let mut after = Marks::of(std::mem::take(&mut self.after));
        after.clear(run)?;
        after.resize(step.slots_out);
        in_ranges(list.len(), run, |range| {
            for &degrees in &list[range] {
                after.insert(degrees);
                if let Some(fold) = &step.fold {
                    after.insert(fold.mirror.apply(degrees));
                }
            }
        })?;
        self.after = after.into_plain();
        Ok(())
    }

    /// Which vectors before the step can become one of those taken last.
    pub(crate) fn of(&self, step: &Step) -> Preimage<'_> {
        Preimage {
            after: &self.after,
            choices: choices(step),
            square: leaves(step),
        }
    }
}

/// The vectors before a step that can become one of a set.
pub(crate) struct Preimage<'a> {
    after: &'a Plain,
    choices: Vec<Choice>,
    square: (bool, bool),
}

/// The span at which a thread looks: those vectors that can become one of the set, by the degree of
/// the square that leaves.
pub(crate) struct Looked {
    number: Option<usize>,
    spans: [Span; 3],
}

impl Default for Looked {
    fn default() -> Self {
        Self {
            number: None,
            spans: [[0; SPAN]; 3],
        }
    }
}

impl Preimage<'_> {
    /// Whether a vector can become one of the set. Quick for vectors in ascending order.
    #[inline]
    pub(crate) fn contains(&self, looked: &mut Looked, before: Degrees) -> bool {
        let (degree, others) = split(before, self.square);
        let number = (others / MEMBERS) as usize;
        if looked.number != Some(number) {
            self.look(looked, number);
        }
        let place = others % MEMBERS;
        let word = looked.spans[degree][(place / POW3[IN_WORD]) as usize];
        word >> (place % POW3[IN_WORD]) & 1 == 1
    }

    /// Makes the span with a number.
    #[inline(never)]
    fn look(&self, looked: &mut Looked, number: usize) {
        looked.spans = [[0; SPAN]; 3];
        dispatch::run(Look {
            preimage: self,
            number,
            before: &mut looked.spans,
        });
        looked.number = Some(number);
    }
}

/// Makes a span before a step, in three parts.
struct Look<'a, 'b> {
    preimage: &'a Preimage<'b>,
    number: usize,
    before: &'a mut [Span; 3],
}

impl Task for Look<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for Choice { degree, slots } in &self.preimage.choices {
            let target = with_edges_more(self.number, slots);
            if let Some(from) = target.and_then(|target| self.preimage.after.span(target)) {
                through(&mut self.before[*degree], from, slots, remove_edge);
            }
        }
    }
}

/// The span that becomes the span `number` with edges at some slots; `None` if none does.
fn with_edges_less(number: usize, slots: &[u8]) -> Option<usize> {
    units(slots).try_fold(number, |number, unit| {
        (number / unit % 3 > 0).then(|| number - unit)
    })
}

/// The span that the span `number` becomes with edges at some slots; `None` if it has two there.
fn with_edges_more(number: usize, slots: &[u8]) -> Option<usize> {
    units(slots).try_fold(number, |number, unit| {
        (number / unit % 3 < 2).then(|| number + unit)
    })
}

/// What an edge at each of the slots that number the spans adds to the number.
fn units(slots: &[u8]) -> impl Iterator<Item = usize> {
    let upper = slots
        .iter()
        .map(|&slot| usize::from(slot))
        .filter(|&slot| slot >= IN_SPAN);
    upper.map(|slot| POW3[slot - IN_SPAN] as usize)
}

/// Adds to a span what becomes of another with an edge more, or less, at each of the slots that are
/// not those of spans.
#[inline(always)]
fn through(to: &mut Span, from: &Span, slots: &[u8], edge: impl Fn(&mut Span, &Span, usize)) {
    let mut inner = slots
        .iter()
        .map(|&slot| usize::from(slot))
        .filter(|&slot| slot < IN_SPAN);
    let Some(mut slot) = inner.next() else {
        to.iter_mut().zip(from).for_each(|(to, from)| *to |= from);
        return;
    };
    let mut made = *from;
    for next in inner {
        let mut next_made = [0; SPAN];
        edge(&mut next_made, &made, slot);
        (made, slot) = (next_made, next);
    }
    edge(to, &made, slot);
}

/// Adds the vectors with an edge more at a slot.
#[inline(always)]
fn add_edge(to: &mut Span, from: &Span, slot: usize) {
    match BELOW_2.get(slot) {
        Some(&below_2) => {
            for (to, from) in to.iter_mut().zip(from) {
                *to |= (from & below_2) << POW3[slot];
            }
        }
        None => {
            let unit = POW3[slot - IN_WORD] as usize;
            add_words(to, unit, from, 0, unit);
        }
    }
}

/// Adds the vectors with an edge less at a slot.
#[inline(always)]
fn remove_edge(to: &mut Span, from: &Span, slot: usize) {
    match BELOW_2.get(slot) {
        Some(&below_2) => {
            for (to, from) in to.iter_mut().zip(from) {
                *to |= from >> POW3[slot] & below_2;
            }
        }
        None => {
            let unit = POW3[slot - IN_WORD] as usize;
            add_words(to, 0, from, unit, unit);
        }
    }
}

/// Of every three times `unit` words, adds two thirds that begin at `from_at` to those that begin
/// at `to_at`.
#[inline(always)]
fn add_words(to: &mut Span, to_at: usize, from: &Span, from_at: usize, unit: usize) {
    let threes = to.chunks_exact_mut(3 * unit);
    for (to, from) in threes.zip(from.chunks_exact(3 * unit)) {
        let from = &from[from_at..from_at + 2 * unit];
        let words = to[to_at..to_at + 2 * unit].iter_mut().zip(from);
        words.for_each(|(to, from)| *to |= from);
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::grid::Grid;
    use everymove_kernel::rng::SplitMix64;
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::board::{Board, Kind, Leaper};
    use crate::frontier::step::plan::Plan;
    use crate::frontier::vectors::live::{Members, backward, forward};

    /// Some vectors of `slots` slots, ascending, each with an end.
    fn some(slots: usize, rng: &mut SplitMix64) -> Vec<Degrees> {
        let all = POW3[slots];
        let has_end = |&d: &Degrees| (0..slots).any(|slot| d / POW3[slot] % 3 == 1);
        // Many small ones, and a few of any size.
        let mut some: Vec<Degrees> = (0..all.min(3000)).filter(|_| rng.below(3) == 0).collect();
        some.extend((0..3000).map(|_| rng.below(all.into()) as Degrees));
        some.retain(has_end);
        some.sort_unstable();
        some.dedup();
        some
    }

    /// Of lists before and after every step, against the vectors one by one.
    #[test]
    fn sets_become_what_their_members_become() {
        let mut rng = SplitMix64::new(5);
        let boards = [(4, 4), (3, 7), (5, 5), (6, 7), (7, 6)];
        let boards = boards.map(|(rows, cols)| Board::knight(rows, cols).unwrap());
        let with_holes = Board::knight(6, 6)
            .unwrap()
            .with_holes(&[0, 8, 27])
            .unwrap();
        let others = ["C", "K", "WD", "FDNC"]
            .map(|piece| Board::new(Grid::new(4, 8).unwrap(), Leaper::piece(piece).unwrap()));
        for board in boards.into_iter().chain([with_holes]).chain(others) {
            for (kind, start) in [
                (Kind::Open, None),
                (Kind::Closed, None),
                (Kind::Open, Some(1)),
            ] {
                let plan = Plan::new(&board, kind, start, &everymove_kernel::run::Stop::default())
                    .unwrap();
                for step in plan.all() {
                    let run = Run::new(2, Ram::unlimited());
                    let canonical = |d| step.fold.as_ref().map_or(d, |fold| fold.canonical(d));
                    let before = some(step.slots_in, &mut rng);
                    let mut expected = Vec::new();
                    for &d in &before {
                        step.any_after(d, |after| {
                            expected.push(canonical(after));
                            false
                        });
                    }
                    expected.sort_unstable();
                    expected.dedup();
                    let steps = std::slice::from_ref(step);
                    let members = |list: &[Degrees]| Members::new(list.to_vec(), &run).unwrap();
                    let found: Vec<Members> = forward(members(&before), steps, &run).unwrap();
                    assert_eq!(found[1].list, expected);
                    let mut live: Vec<Degrees> = some(step.slots_out, &mut rng)
                        .into_iter()
                        .map(canonical)
                        .collect();
                    live.extend(expected.iter().step_by(3));
                    live.sort_unstable();
                    live.dedup();
                    let mut kept = before.clone();
                    kept.retain(|&d| {
                        step.any_after(d, |after| live.binary_search(&canonical(after)).is_ok())
                    });
                    let mut lists = vec![members(&before), members(&live)];
                    backward(&mut lists, steps, &run).unwrap();
                    assert_eq!(lists[0].list, kept);
                }
            }
        }
    }
}
