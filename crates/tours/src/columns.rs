//! Boards of few rows and any number of columns: one transfer for all columns.
//!
//! Squares are taken column by column. A *state* says of each square that a later one may still be
//! joined to whether it has no edge, both, or one, and then which other square is the end of its
//! path. Squares before the first column count as having both edges, so that the same steps hold
//! for every column; what a state becomes by the next square is found once, for all states that
//! occur. Before a column a state and its mirror image, rows reversed, are one: as many tours come
//! of either.
//!
//! Where the colours of columns alternate, the degrees of a state tell most states of even columns
//! from those of odd ones. Steps are then those of two columns, and each has its own states.
//!
//! A closed tour is closed by its last square, and an open tour is whole there: the number of tours
//! of `n` columns is a sum over the states before the last square of the `n`-th column.

use std::collections::HashMap;

use everymove_kernel::parallel;
use everymove_kernel::run::{OverBudget, Reservation, Run, Stopped};
use num_bigint::BigUint;
use thiserror::Error;

use crate::board::{Kind, Leaper};
use crate::frontier::residues::{Combined, is_prime, power, primes_below};

/// Squares of a state, four bits each.
const MOST_SQUARES: usize = 16;

/// Digits of the longest counts.
const MOST_DIGITS: u64 = 30_000;

/// Terms that must agree with a recurrence beyond those that determine it.
pub(crate) const MORE_TERMS: usize = 100;

/// Primes of one pass.
const LANES: usize = 8;

/// A square without an edge.
const FREE: u8 = 0;
/// A square that is one end of a path whose other end is an end of the tour.
const END: u8 = 14;
/// A square with both edges, or an end of the tour with one.
const FULL: u8 = 15;

/// Why there is no transfer.
#[derive(Debug, Error)]
pub enum ColumnsError {
    /// The states have too many squares.
    #[error(
        "boards of {rows} rows have states of {squares} squares or more: expected at most {MOST_SQUARES}"
    )]
    Wide {
        /// The rows.
        rows: usize,
        /// The squares of a state.
        squares: usize,
    },
    /// The count has too many digits.
    #[error("the count has about {digits} digits: expected at most {MOST_DIGITS}, or a modulus")]
    Long {
        /// Its digits, about.
        digits: u64,
    },
    /// Not a prime, or too large a one.
    #[error("{0}: expected a prime below 2^31")]
    Modulus(u64),
    /// The memory does not suffice.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// What a state becomes: of each state after a step, the states before it, one for each way.
#[derive(Debug)]
struct Step {
    /// Of each state before the last square of a column, the tours that this square completes.
    tours: Vec<u32>,
    /// Neighbouring states with equally many before them: how many that is, and how many states.
    runs: Vec<(usize, usize)>,
    sources: Vec<u32>,
}

impl Step {
    /// The states after it.
    fn states(&self) -> usize {
        self.runs.iter().map(|&(_, states)| states).sum()
    }

    /// Of each state after it, the sum over those before it.
    fn each<T>(&self, next: &mut Vec<T>, sum: impl Fn(&[u32]) -> T) {
        next.clear();
        let mut sources = self.sources.as_slice();
        for &(before, states) in &self.runs {
            let (lists, rest) = sources.split_at(before * states);
            sources = rest;
            match before {
                0 => next.extend((0..states).map(|_| sum(&[]))),
                _ => next.extend(lists.chunks_exact(before).map(&sum)),
            }
        }
    }
}

/// The transfer of a number of rows.
#[derive(Debug)]
pub struct Columns {
    /// Those of one column, or of two. The first state before the first of them is that before the
    /// first column.
    steps: Vec<Step>,
    rows: usize,
    held: Option<Reservation>,
}

const WHAT: &str = "the transfer of a column";

/// Bytes of a state while states are found: its number, and its list of those after it.
const BYTES_A_STATE: usize = 110;

/// Bytes of a state after another: in the list of that one, in a pair, and in the transfer.
const BYTES_A_LINK: usize = 24;

/// The squares of a state, the earliest first.
#[derive(Clone, Copy, Debug)]
struct State {
    labels: [u8; MOST_SQUARES],
    len: usize,
}

impl State {
    fn of(bits: u64, len: usize) -> Self {
        let mut labels = [FREE; MOST_SQUARES];
        for (i, label) in labels.iter_mut().enumerate().take(len) {
            *label = (bits >> (4 * i) & 15) as u8;
        }
        Self { labels, len }
    }

    fn labels(&self) -> &[u8] {
        &self.labels[..self.len]
    }

    /// The state as a number: labels of paths are 1, 2, 3 and so on in the order of their first
    /// squares.
    fn bits(&self) -> u64 {
        let (mut bits, mut names, mut next) = (0, [0u8; 16], 1);
        for (i, &label) in self.labels().iter().enumerate() {
            let name = match label {
                FREE | END | FULL => label,
                label => {
                    let name = &mut names[usize::from(label)];
                    if *name == 0 {
                        (*name, next) = (next, next + 1);
                    }
                    *name
                }
            };
            bits |= u64::from(name) << (4 * i);
        }
        bits
    }

    /// The state with its squares in another order.
    fn arranged(&self, places: &[usize]) -> Self {
        let mut other = *self;
        for (label, &place) in other.labels.iter_mut().zip(places) {
            *label = self.labels[place];
        }
        other
    }

    /// Gives the other end of a path the label of what it is joined to.
    fn rename(&mut self, label: u8, new: u8) {
        for other in &mut self.labels[..self.len] {
            if *other == label {
                *other = new;
            }
        }
    }

    /// Joins two squares that are not full; if that closes a path, its label.
    fn join(&mut self, x: usize, y: usize) -> Option<u8> {
        let (a, b) = (self.labels[x], self.labels[y]);
        if a != FREE {
            self.labels[x] = FULL;
        }
        if b != FREE {
            self.labels[y] = FULL;
        }
        match (a, b) {
            (FREE, FREE) => {
                let unused = (1..END).find(|label| !self.labels().contains(label));
                let label = unused.expect("fewer paths than labels");
                (self.labels[x], self.labels[y]) = (label, label);
                None
            }
            (FREE, other) => {
                self.labels[x] = other;
                None
            }
            (other, FREE) => {
                self.labels[y] = other;
                None
            }
            (a, b) if a == b => Some(a),
            (END, other) | (other, END) => {
                self.rename(other, END);
                None
            }
            (a, b) => {
                self.rename(b, a);
                None
            }
        }
    }
}

/// What is joined to a square, and which squares leave the state after it.
#[derive(Clone, Debug)]
struct Plan {
    /// Squares of the state before.
    before: usize,
    /// Their places that have a move to the square.
    neighbours: Vec<usize>,
    /// The places that stay, the square itself included.
    stay: Vec<usize>,
}

/// The plans of the squares of a column, and where the squares of a state before them are in its
/// mirror image.
fn plans(rows: usize, leaper: &Leaper) -> (Vec<Plan>, Vec<usize>) {
    let rows = rows as i32;
    // Rows up and columns to the right, each with its reverse.
    let moves: Vec<(i32, i32)> = (leaper.leaps().iter())
        .map(|&(up, right)| (up as i32, right as i32))
        .collect();
    let is_later = |&(up, right): &(i32, i32)| right > 0 || (right == 0 && up > 0);
    // A square's number in the order in which squares are taken, and that of the last square with a
    // move to it.
    let number = |column: i32, row: i32| column * rows + row;
    let last = |column: i32, row: i32| {
        let later = moves.iter().filter(|step| is_later(step));
        let inside = later.filter(|(up, _)| (0..rows).contains(&(row + up)));
        inside
            .map(|(up, right)| number(column + right, row + up))
            .max()
    };
    let depth = moves.iter().map(|step| step.1).max().unwrap_or(0);
    let mut window: Vec<(i32, i32)> = (-depth..0)
        .flat_map(|column| (0..rows).map(move |row| (column, row)))
        .filter(|&(column, row)| last(column, row).is_some_and(|last| last >= 0))
        .collect();
    let mirrored = |&(column, row): &(i32, i32)| {
        let image = (column, rows - 1 - row);
        window.iter().position(|&other| other == image)
    };
    let mirror = window.iter().filter_map(mirrored).collect();
    let plan = |row: i32| {
        let before = window.len();
        let is_neighbour = |&(column, other): &(i32, i32)| moves.contains(&(other - row, column));
        let neighbours = (0..before).filter(|&i| is_neighbour(&window[i])).collect();
        window.push((0, row));
        let has_more = |&(column, other): &(i32, i32)| {
            last(column, other).is_some_and(|last| last > number(0, row))
        };
        let stay: Vec<usize> = (0..=before).filter(|&i| has_more(&window[i])).collect();
        window = stay.iter().map(|&i| window[i]).collect();
        Plan {
            before,
            neighbours,
            stay,
        }
    };
    ((0..rows).map(plan).collect(), mirror)
}

/// Calls `on` with every state that a square may lead to, before squares leave it, and the label of
/// a path that it closes.
fn each_choice(state: State, plan: &Plan, mut on: impl FnMut(State, Option<u8>)) {
    let square = state.len;
    let mut with = state;
    with.labels[square] = FREE;
    with.len += 1;
    on(with, None);
    for (i, &one) in plan.neighbours.iter().enumerate() {
        if state.labels[one] == FULL {
            continue;
        }
        let mut joined = with;
        let closed = joined.join(square, one);
        on(joined, closed);
        if closed.is_some() {
            continue;
        }
        for &other in &plan.neighbours[i + 1..] {
            if joined.labels[other] != FULL {
                let mut both = joined;
                let closed = both.join(square, other);
                on(both, closed);
            }
        }
    }
}

/// A state without the squares that leave it; none if one of these has too few edges.
fn left(mut state: State, plan: &Plan, kind: Kind) -> Option<State> {
    let mut stay = plan.stay.iter().peekable();
    for i in 0..state.len {
        if stay.next_if(|&&place| place == i).is_some() || state.labels[i] == FULL {
            continue;
        }
        let label = std::mem::replace(&mut state.labels[i], FULL);
        if kind == Kind::Closed || matches!(label, FREE | END) {
            return None;
        }
        state.rename(label, END);
    }
    let mut rest = State {
        labels: [FREE; MOST_SQUARES],
        len: plan.stay.len(),
    };
    for (label, &place) in rest.labels.iter_mut().zip(&plan.stay) {
        *label = state.labels[place];
    }
    let ends = rest.labels().iter().filter(|&&label| label == END).count();
    (ends <= 2).then_some(rest)
}

/// Whether a state after the last square of a board is a tour.
fn is_tour(state: &State, closed: Option<u8>, kind: Kind) -> bool {
    let mut open = state.labels().iter().filter(|&&label| label != FULL);
    match (open.next(), open.next(), open.next()) {
        (None, ..) => closed.is_some_and(|label| (label == END) == (kind == Kind::Open)),
        (Some(_), ..) if kind == Kind::Closed || closed.is_some() => false,
        (Some(&END), None, _) => true,
        (Some(&one), Some(&other), None) => one == other && one != FREE && one != END,
        _ => false,
    }
}

impl Columns {
    /// The transfer of boards of some rows for a piece.
    ///
    /// # Errors
    /// [`ColumnsError`].
    pub fn new(rows: usize, leaper: &Leaper, kind: Kind, run: &Run) -> Result<Self, ColumnsError> {
        let squares = Self::squares(rows, leaper);
        if squares > MOST_SQUARES {
            return Err(ColumnsError::Wide { rows, squares });
        }
        let (plans, mirror) = plans(rows, leaper);
        let changes_colour = leaper
            .leaps()
            .iter()
            .any(|(up, right)| (up + right) % 2 != 0);
        let period = 1 + usize::from(rows % 2 == 1 && changes_colour);
        let count = period * rows;
        let mut held = run.ram.reserve(WHAT, 0)?;
        let start = State {
            labels: [FULL; MOST_SQUARES],
            len: plans[0].before,
        };
        let mut numbers: Vec<HashMap<u64, u32>> = vec![HashMap::new(); count];
        let mut states: Vec<Vec<u64>> = vec![Vec::new(); count];
        numbers[0].insert(start.bits(), 0);
        states[0].push(start.bits());
        // From each state in the order of its number, the states after it.
        let mut targets: Vec<Vec<Vec<u32>>> = vec![Vec::new(); count];
        let mut completed: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut links = 0;
        loop {
            let mut is_done = true;
            for step in 0..count {
                let (plan, after) = (&plans[step % rows], (step + 1) % count);
                while targets[step].len() < states[step].len() {
                    is_done = false;
                    let state = State::of(states[step][targets[step].len()], plan.before);
                    let is_last = (step + 1) % rows == 0;
                    let (mut list, mut tours) = (Vec::new(), 0);
                    each_choice(state, plan, |state, closed| {
                        tours += u32::from(is_last && is_tour(&state, closed, kind));
                        let rest = left(state, plan, kind).filter(|_| closed.is_none());
                        if let Some(rest) = rest {
                            let mut bits = rest.bits();
                            if is_last {
                                bits = bits.min(rest.arranged(&mirror).bits());
                            }
                            let next = numbers[after].len() as u32;
                            let number = *numbers[after].entry(bits).or_insert_with(|| {
                                states[after].push(bits);
                                next
                            });
                            list.push(number);
                        }
                    });
                    links += list.len();
                    targets[step].push(list);
                    if is_last {
                        completed[step].push(tours);
                    }
                }
                run.stop.check()?;
                let found: usize = states.iter().map(Vec::len).sum();
                held.resize(WHAT, (BYTES_A_STATE * found + BYTES_A_LINK * links) as u64)?;
            }
            if is_done {
                break;
            }
        }
        let mut columns = Self::without_dead_ends(rows, &states, &targets, &completed);
        let tours: usize = columns.steps.iter().map(|step| step.tours.len()).sum();
        held.resize(WHAT, 4 * (tours + columns.transitions()) as u64)?;
        columns.held = Some(held);
        Ok(columns)
    }

    /// The transfer among the states from which tours may come.
    fn without_dead_ends(
        rows: usize,
        states: &[Vec<u64>],
        targets: &[Vec<Vec<u32>>],
        completed: &[Vec<u32>],
    ) -> Self {
        let count = targets.len();
        let mut is_alive: Vec<Vec<bool>> = targets
            .iter()
            .map(|lists| vec![false; lists.len()])
            .collect();
        for (alive, completed) in is_alive.iter_mut().zip(completed) {
            for (alive, &tours) in alive.iter_mut().zip(completed) {
                *alive = tours > 0;
            }
        }
        // The state before the first column stays, though there may be no tours.
        is_alive[0][0] = true;
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for step in (0..count).rev() {
                let after = (step + 1) % count;
                for (state, list) in targets[step].iter().enumerate() {
                    if !is_alive[step][state]
                        && list.iter().any(|&target| is_alive[after][target as usize])
                    {
                        (is_alive[step][state], is_done) = (true, false);
                    }
                }
            }
        }
        // States with equally many before them are neighbours, so that loops over these are of one
        // length; among those the order of the numbers keeps together what comes of neighbours. None
        // leads to the state before the first column, which stays the first.
        let ordered = |step: usize| {
            let before = (step + count - 1) % count;
            let mut ways = vec![0u32; is_alive[step].len()];
            let lists = targets[before].iter().zip(&is_alive[before]);
            for (list, _) in lists.filter(|&(_, alive)| *alive) {
                list.iter().for_each(|&target| ways[target as usize] += 1);
            }
            let all = 0..ways.len();
            let mut alive: Vec<usize> = all.filter(|&state| is_alive[step][state]).collect();
            alive.sort_unstable_by_key(|&state| (ways[state], states[step][state]));
            alive
        };
        let alive: Vec<Vec<usize>> = (0..count).map(ordered).collect();
        let number = |step: usize| {
            let mut numbers = vec![0u32; is_alive[step].len()];
            for (number, &state) in (0..).zip(&alive[step]) {
                numbers[state] = number;
            }
            numbers
        };
        let numbers: Vec<Vec<u32>> = (0..count).map(number).collect();
        let step = |step: usize| {
            let after = (step + 1) % count;
            // Pairs of a state and one after it, by their new numbers.
            let mut pairs = Vec::new();
            for &source in &alive[step] {
                let live = targets[step][source].iter().map(|&target| target as usize);
                let live = live.filter(|&target| is_alive[after][target]);
                pairs.extend(live.map(|target| (numbers[after][target], numbers[step][source])));
            }
            pairs.sort_unstable();
            let mut before = vec![0; alive[after].len()];
            for &(target, _) in &pairs {
                before[target as usize] += 1;
            }
            let same = before.chunk_by(|a, b| a == b);
            let tours = match completed[step].as_slice() {
                [] => Vec::new(),
                tours => alive[step].iter().map(|&state| tours[state]).collect(),
            };
            Step {
                tours,
                runs: same.map(|states| (states[0], states.len())).collect(),
                sources: pairs.into_iter().map(|(_, source)| source).collect(),
            }
        };
        Self {
            steps: (0..count).map(step).collect(),
            rows,
            held: None,
        }
    }

    /// The steps of a column, counted from 0.
    fn column(&self, column: usize) -> &[Step] {
        let first = column * self.rows % self.steps.len();
        &self.steps[first..first + self.rows]
    }

    /// The least number of squares that states of boards of some rows must hold.
    pub(crate) fn squares(rows: usize, leaper: &Leaper) -> usize {
        let whole = rows.saturating_mul(leaper.long() as usize);
        if rows.max(whole) > 4 * MOST_SQUARES {
            return rows.max(whole);
        }
        let (plans, _) = plans(rows, leaper);
        plans.iter().map(|plan| plan.before + 1).max().unwrap_or(0)
    }

    /// The number of tours of a number of columns.
    ///
    /// # Errors
    /// [`ColumnsError`].
    pub fn count(&self, columns: u64, run: &Run) -> Result<BigUint, ColumnsError> {
        let bits = self.bits(columns, run)?;
        let digits = (bits / std::f64::consts::LOG2_10) as u64;
        if digits > MOST_DIGITS {
            return Err(ColumnsError::Long { digits });
        }
        // Each prime has more than 30 bits.
        let number = (bits / 30.0) as usize + 1;
        let primes: Vec<u32> = primes_below(1 << 31)
            .map(|prime| prime as u32)
            .take(number.next_multiple_of(LANES))
            .collect();
        let (passes, _) = primes.as_chunks::<LANES>();
        let bytes = self.vector_bytes(LANES) * run.threads.get().min(passes.len()) as u64;
        let _held = run
            .ram
            .reserve("the ways to the states of a column", bytes)?;
        let residues = parallel::try_map(
            run,
            passes,
            || (),
            |(), &primes| self.residues(columns, primes, run),
        )?;
        let mut combined = Combined::default();
        let residues = residues.into_iter().flatten();
        for (residue, &prime) in residues.zip(&primes).take(number) {
            combined.add(residue.into(), prime.into());
        }
        Ok(combined.value())
    }

    /// The number of tours of a number of columns modulo a prime, and the order of the recurrence
    /// that it follows from, if it does.
    ///
    /// # Errors
    /// [`ColumnsError`].
    pub fn count_modulo(
        &self,
        columns: u64,
        modulus: u64,
        run: &Run,
    ) -> Result<(u32, Option<usize>), ColumnsError> {
        let prime = u32::try_from(modulus)
            .ok()
            .filter(|&n| n < 1 << 31 && is_prime(n.into()));
        let prime = prime.ok_or(ColumnsError::Modulus(modulus))?;
        let bytes = self.vector_bytes(1);
        let _held = run
            .ram
            .reserve("the ways to the states of a column", bytes)?;
        let mut recurrence = Recurrence::new(prime);
        for (n, [term]) in (1..).zip(self.terms([prime])) {
            run.stop.check()?;
            if n == columns {
                return Ok((term, None));
            }
            recurrence.push(term);
            if recurrence.terms.len() >= 2 * recurrence.order() + MORE_TERMS {
                break;
            }
        }
        Ok((recurrence.term(columns - 1), Some(recurrence.order())))
    }

    fn residues<const N: usize>(
        &self,
        columns: u64,
        primes: [u32; N],
        run: &Run,
    ) -> Result<[u32; N], ColumnsError> {
        let mut last = [0; N];
        for (_, term) in (0..columns).zip(self.terms(primes)) {
            run.stop.check()?;
            last = term;
        }
        Ok(last)
    }

    fn vector_bytes(&self, lanes: usize) -> u64 {
        let most = self.steps.iter().map(Step::states).max();
        2 * 4 * (lanes * most.unwrap_or(0)) as u64
    }

    /// An upper bound of the base-2 logarithm of the number of tours: rounding errors of sums of
    /// positive numbers are small.
    fn bits(&self, columns: u64, run: &Run) -> Result<f64, ColumnsError> {
        let mut vector = self.start(0.0, 1.0);
        let (mut next, mut exponent) = (Vec::new(), 0.0);
        let mut bits = 0.0;
        for column in 1..=columns {
            run.stop.check()?;
            for step in self.column((column - 1) as usize) {
                if !step.tours.is_empty() {
                    let tours = vector.iter().zip(&step.tours);
                    let tours: f64 = tours.map(|(ways, &weight)| ways * f64::from(weight)).sum();
                    bits = exponent + tours.max(f64::MIN_POSITIVE).log2();
                }
                step.each(&mut next, |sources| {
                    sources.iter().map(|&source| vector[source as usize]).sum()
                });
                std::mem::swap(&mut vector, &mut next);
            }
            let most = vector.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            vector.iter_mut().for_each(|ways| *ways /= most);
            exponent += most.log2();
            // Counts grow by a factor a column: far beyond what is counted, the rest is extrapolated.
            let all = exponent / column as f64 * columns as f64;
            let limit = 2.0 * MOST_DIGITS as f64 * std::f64::consts::LOG2_10;
            if column >= 1000 && all > limit {
                return Ok(all);
            }
        }
        Ok(bits.max(0.0) + 0.01)
    }

    /// The vector before the first column.
    fn start<T: Copy>(&self, none: T, one: T) -> Vec<T> {
        let states = self.steps.last().map_or(0, Step::states);
        let mut vector = vec![none; states];
        vector[0] = one;
        vector
    }

    /// States before a column, even and odd columns together if they have their own. The numbers of
    /// tours obey a linear recurrence of at most this order.
    pub fn states(&self) -> usize {
        let before = self.steps.iter().skip(self.rows - 1).step_by(self.rows);
        before.map(Step::states).sum()
    }

    /// Ways from one state to the next in all steps.
    pub fn transitions(&self) -> usize {
        self.steps.iter().map(|step| step.sources.len()).sum()
    }

    /// The numbers of tours of 1, 2, 3 and so on columns, modulo several numbers below 2^31.
    pub fn terms<const N: usize>(&self, moduli: [u32; N]) -> Terms<'_, N> {
        Terms {
            columns: self,
            moduli,
            column: 0,
            vector: self.start([0; N], moduli.map(|modulus| 1 % modulus)),
            next: Vec::new(),
        }
    }
}

/// The numbers of tours, column by column.
#[derive(Debug)]
pub struct Terms<'a, const N: usize> {
    columns: &'a Columns,
    moduli: [u32; N],
    column: usize,
    /// The number of ways to each state.
    vector: Vec<[u32; N]>,
    next: Vec<[u32; N]>,
}

impl<const N: usize> Iterator for Terms<'_, N> {
    type Item = [u32; N];

    fn next(&mut self) -> Option<[u32; N]> {
        let mut tours = [0; N];
        for step in self.columns.column(self.column) {
            if !step.tours.is_empty() {
                let mut sums = [0u64; N];
                for (ways, &weight) in self.vector.iter().zip(&step.tours) {
                    for i in 0..N {
                        sums[i] = (sums[i] + u64::from(ways[i]) * u64::from(weight))
                            % u64::from(self.moduli[i]);
                    }
                }
                tours = sums.map(|sum| sum as u32);
            }
            let (vector, moduli) = (&self.vector, self.moduli);
            step.each(&mut self.next, |sources| {
                let mut sum = [0u32; N];
                for &source in sources {
                    let ways = &vector[source as usize];
                    for i in 0..N {
                        let more = sum[i] + ways[i];
                        // The smaller of the two is the one that did not wrap.
                        sum[i] = more.min(more.wrapping_sub(moduli[i]));
                    }
                }
                sum
            });
            std::mem::swap(&mut self.vector, &mut self.next);
        }
        self.column += 1;
        Some(tours)
    }
}

/// The shortest linear recurrence of a sequence modulo a prime (Berlekamp and Massey; Massey,
/// "Shift-register synthesis and BCH decoding", 1969). It is that of the whole sequence if there
/// are at least twice as many terms as its order.
#[derive(Clone, Debug)]
pub struct Recurrence {
    prime: u32,
    terms: Vec<u32>,
    /// `c` of `c[0] a(n) + c[1] a(n-1) + ... = 0`, where `c[0]` is 1.
    now: Vec<u64>,
    /// The same before its last change, the error that it had then, and how many terms ago that
    /// was.
    before: Vec<u64>,
    error_before: u64,
    behind: usize,
    order: usize,
}

impl Recurrence {
    /// That of no terms, modulo a prime below 2^31.
    pub fn new(prime: u32) -> Self {
        Self {
            prime,
            terms: Vec::new(),
            now: vec![1],
            before: vec![1],
            error_before: 1,
            behind: 1,
            order: 0,
        }
    }

    /// Takes the next term.
    pub fn push(&mut self, term: u32) {
        let p = u64::from(self.prime);
        self.terms.push(term);
        let latest = self.terms.iter().rev().map(|&term| u64::from(term));
        let error = dot(self.now.iter().copied(), latest, p);
        if error == 0 {
            self.behind += 1;
            return;
        }
        let factor = error * power(self.error_before, p - 2, p) % p;
        let count = self.terms.len();
        let old = (2 * self.order < count).then(|| self.now.clone());
        let length = self.before.len() + self.behind;
        self.now.resize(self.now.len().max(length), 0);
        for (now, &before) in self.now[self.behind..].iter_mut().zip(&self.before) {
            *now = (*now + p - factor * before % p) % p;
        }
        self.behind += 1;
        if let Some(old) = old {
            self.order = count - self.order;
            (self.before, self.error_before, self.behind) = (old, error, 1);
        }
    }

    /// The denominator of the generating function, its coefficients from the constant, which is 1,
    /// on.
    pub fn denominator(&self) -> Vec<u64> {
        let mut denominator = self.now.clone();
        denominator.truncate(self.order + 1);
        denominator
    }

    /// How many earlier terms a term depends on.
    pub fn order(&self) -> usize {
        self.order
    }

    /// A term, counted from 0.
    pub fn term(&self, n: u64) -> u32 {
        let order = self.order;
        if order == 0 {
            return 0;
        }
        let reversed = self.reversed();
        let p = u64::from(self.prime);
        // The power of x modulo the characteristic polynomial, by the binary digits of n.
        let mut rest: Vec<u64> = vec![1];
        for bit in (0..64 - n.leading_zeros()).rev() {
            let mut product = vec![0u64; 2 * rest.len()];
            for (i, &a) in rest.iter().enumerate() {
                for (sum, &b) in product[i..].iter_mut().zip(&rest) {
                    // Products are below 2^62: one may be added to a sum below 2^63.
                    *sum += a * b;
                    *sum = (*sum).min(sum.wrapping_sub(p << 31));
                }
            }
            let shift = usize::from(n >> bit & 1 == 1);
            let mut shifted = vec![0u64; shift];
            shifted.extend(product.iter().map(|sum| sum % p));
            rest = self.reduced(shifted, &reversed);
        }
        let known = self.terms[..order].iter().map(|&t| u64::from(t));
        dot(rest.into_iter(), known, p) as u32
    }

    /// The coefficients of the terms that a term depends on, the earliest first.
    fn reversed(&self) -> Vec<u64> {
        let p = u64::from(self.prime);
        let coefficient = |i: usize| self.now.get(i).map_or(0, |c| (p - c) % p);
        (1..=self.order).rev().map(coefficient).collect()
    }

    /// A polynomial modulo the characteristic one; its coefficients from the constant on.
    fn reduced(&self, mut polynomial: Vec<u64>, reversed: &[u64]) -> Vec<u64> {
        let (order, p) = (self.order, u64::from(self.prime));
        while polynomial.len() > order {
            let top = polynomial.pop().unwrap_or(0) % p;
            let at = polynomial.len() - order;
            if top != 0 {
                for (sum, &c) in polynomial[at..].iter_mut().zip(reversed) {
                    *sum += top * c;
                    *sum = (*sum).min(sum.wrapping_sub(p << 31));
                }
            }
        }
        polynomial.iter().map(|sum| sum % p).collect()
    }
}

/// The sum of products modulo a prime below 2^31.
fn dot(a: impl Iterator<Item = u64>, b: impl Iterator<Item = u64>, prime: u64) -> u64 {
    let mut sum = 0u64;
    for (a, b) in a.zip(b) {
        sum += a * b;
        sum = sum.min(sum.wrapping_sub(prime << 31));
    }
    sum % prime
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIME: u32 = 2_147_483_647;

    fn list(name: &str) -> Vec<num_bigint::BigUint> {
        let path = format!(
            "{}/../../docs/figures/oeis/{name}.txt",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).unwrap();
        let terms = text.lines().filter(|line| !line.starts_with('#'));
        terms
            .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap())
            .collect()
    }

    fn compared(rows: usize, kind: Kind, name: &str, most: usize) -> Columns {
        let columns = Columns::new(rows, &Leaper::KNIGHT, kind, &Run::serial()).unwrap();
        let primes = [PRIME, 2_147_483_629];
        let known = list(name);
        for (i, (known, found)) in known
            .iter()
            .zip(columns.terms(primes))
            .enumerate()
            .take(most)
        {
            for (found, prime) in found.into_iter().zip(primes) {
                assert_eq!(
                    num_bigint::BigUint::from(found),
                    known % prime,
                    "{name} {}",
                    i + 1
                );
            }
        }
        columns
    }

    #[test]
    fn terms_are_those_of_the_lists() {
        let columns = compared(3, Kind::Closed, "3xn-closed", 200);
        let terms: Vec<u32> = columns
            .terms([PRIME])
            .take(200)
            .map(|[term]| term)
            .collect();
        let mut recurrence = Recurrence::new(PRIME);
        terms.iter().for_each(|&term| recurrence.push(term));
        // Of every second term it is 21.
        assert_eq!(recurrence.order(), 44);
        assert_eq!(recurrence.term(199), terms[199]);
        let far = columns.terms([PRIME]).nth(9_999).unwrap();
        assert_eq!([recurrence.term(9_999)], far);
        let run = Run::serial();
        assert_eq!(
            columns.count_modulo(10_000, PRIME.into(), &run).unwrap(),
            (far[0], Some(44))
        );
        assert!(columns.count_modulo(9, 91, &run).is_err());
        let known = list("3xn-closed");
        assert_eq!(columns.count(200, &run).unwrap(), known[199]);
        assert_eq!(columns.count(10, &run).unwrap(), 16u32.into());
        assert_eq!(columns.count(9, &run).unwrap(), BigUint::ZERO);
        assert!(columns.count(1_000_000, &run).is_err());
        // Nothing is laid out for boards of many rows and far leaps.
        let far = Leaper::new(0, u32::MAX).unwrap();
        for (rows, leaper) in [(60_000, &Leaper::KNIGHT), (1, &far)] {
            let wide = Columns::new(rows, leaper, Kind::Open, &run);
            assert!(matches!(wide, Err(ColumnsError::Wide { .. })));
        }
        compared(3, Kind::Open, "b169696", 200);
        compared(4, Kind::Open, "b079137", 200);
        compared(5, Kind::Closed, "5xn-closed", 20);
    }
}
