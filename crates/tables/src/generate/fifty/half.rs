//! Generates a half, with or without pawns, in memory.

use std::sync::Arc;

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Work};
use rustc_hash::FxHashMap;

use super::functions::{FunctionId, Functions, TooManyFunctions};
use super::layers::{FUNCTION_BYTES, LAYER_BYTES, Solved, Unsolved, solve};
use crate::error::TableError;
use crate::generate::conversions::Conversions;
use crate::generate::dependencies::Dependencies;
use crate::generate::plan::{Need, PROGRAM_BYTES};
use crate::generate::schedule::Traffic;
use crate::generate::sections::write_section;
use crate::generate::with_pawns::loaded::LoadedSlices;
use crate::generate::with_pawns::{AdvancementGroup, groups};
use crate::metric::Metric;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::Half;
use crate::position::subspace::Subspace;
use crate::store::clock_steps::ClockSteps;
use crate::store::directory::{Tables, mark_illegal};
use crate::store::format::{BLOCK, Writer};
use crate::store::half_codes::{EncodedDistances, HalfView};

/// Bytes of blocks while tables are read and written.
const BLOCKS: u64 = 8 << 20;
/// Layers that are computed, that of the mates aside.
const LAYERS: u64 = ClockSteps::END as u64;

/// Generates a half.
pub(crate) struct FiftyBuilder<'a> {
    half: &'a Half,
    space: Arc<IndexSpace>,
    metric: Metric,
    tables: &'a Tables,
    run: &'a Run,
}

/// The results by subspace: the only one, or the P-slices.
struct Slices {
    /// By side to move and subspace: codes with a clock of 0; wins with the marks of illegal
    /// positions if there are pawns.
    codes: [Vec<Option<Arc<Vec<u8>>>>; 2],
    /// By side to move and subspace.
    functions: [Vec<Vec<FunctionId>>; 2],
}

impl<'a> FiftyBuilder<'a> {
    pub(crate) fn new(half: &'a Half, metric: Metric, tables: &'a Tables, run: &'a Run) -> Self {
        Self {
            half,
            space: tables.space(half),
            metric,
            tables,
            run,
        }
    }

    /// Bytes of memory without which the half cannot be made.
    pub(crate) fn least_bytes(&self) -> u64 {
        self.need().least()
    }

    /// Each thread solves a P-slice.
    fn need(&self) -> Need {
        let len = self.space.len() as u64;
        let results = (2 + FUNCTION_BYTES) * len;
        let slice = if self.space.pawns == 0 {
            len
        } else {
            self.space.slice_len() as u64
        };
        let once = PROGRAM_BYTES
            + BLOCKS
            + 2 * Functions::bytes(len)
            + 2 * self.space.lookup_bytes()
            + self.others()
            + results;
        Need {
            once,
            each: LAYER_BYTES * slice,
        }
    }

    /// Bytes of the tables that conversions lead to.
    fn others(&self) -> u64 {
        let len = |half: &Half| self.tables.space(half).len() as u64;
        if self.space.pawns == 0 {
            let halves = Conversions::halves(&self.space);
            return halves.iter().map(|(half, _)| len(half)).sum();
        }
        let of_group = |group: &AdvancementGroup| {
            let dependencies = Dependencies::new(&self.space, &group.slices, self.tables);
            dependencies.bytes(self.tables)
        };
        groups(&self.space).iter().map(of_group).max().unwrap_or(0)
    }

    pub(crate) fn build(
        &self,
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<Traffic, TableError> {
        let (what, ram) = (self.half.to_string(), &self.run.ram);
        let need = self.need();
        let _once = ram.reserve(&what, need.least())?;
        let functions = [(); 2].map(|()| Functions::new(self.space.len() as u64));
        let slices = if self.space.pawns == 0 {
            self.pawnless(&functions)?
        } else {
            let more = (ram.left() / need.each) as usize;
            let threads = self.run.threads.get().min(1 + more);
            let _more = ram.reserve(&what, (threads as u64 - 1) * need.each)?;
            self.with_pawns(&functions, &self.run.with_threads(threads))?
        };
        self.write(&slices, &functions, writer, work)?;
        Ok(Traffic::default())
    }

    fn pawnless(&self, functions: &[Functions; 2]) -> Result<Slices, TableError> {
        let conversions = Conversions::new(&self.space, self.metric, |half, side| {
            self.tables.view(half, side, self.run)
        })?;
        let subspace = Subspace::new(self.space.clone(), None);
        self.run.progress.start(self.half.to_string(), LAYERS);
        let solved = solve(&subspace, &conversions, functions, self.run);
        let solved = solved.map_err(|error| error.of(self.half))?;
        let mut slices = Slices::new(1);
        slices.put(0, solved);
        Ok(slices)
    }

    fn with_pawns(&self, functions: &[Functions; 2], run: &Run) -> Result<Slices, TableError> {
        let mut slices = Slices::new(self.space.slices());
        let mut loaded = LoadedSlices::new(self.tables);
        let what = self.half.to_string();
        run.progress.start(what, self.space.slices() as u64);
        for group in groups(&self.space) {
            let dependencies = Dependencies::new(&self.space, &group.slices, self.tables);
            loaded.load(&dependencies, run)?;
            let conversions = Conversions::new(&self.space, self.metric, |half, side| {
                Ok::<_, TableError>(if half == self.half {
                    slices.view(&self.space, side)
                } else {
                    loaded.view(half, side)
                })
            })?;
            let solve = |(): &mut (), &slice: &usize| {
                let serial = run.with_threads(1).unseen();
                let subspace = Subspace::new(self.space.clone(), Some(slice));
                let mut solved = solve(&subspace, &conversions, functions, &serial)?;
                mark_illegal(&subspace, 0, &mut solved.codes[0]);
                run.progress.advance(1);
                Ok::<_, Unsolved>(solved)
            };
            let solved = parallel::try_map(run, &group.slices, || (), solve);
            let solved = solved.map_err(|error| error.of(self.half))?;
            for (&slice, solved) in group.slices.iter().zip(solved) {
                slices.put(slice, solved);
            }
        }
        Ok(slices)
    }

    /// Writes the codes of both sides to move, then the numbers of their functions, then the
    /// functions.
    fn write(
        &self,
        slices: &Slices,
        functions: &[Functions; 2],
        writer: &mut Writer<'_>,
        work: &mut Work,
    ) -> Result<(), TableError> {
        let too_many = |error: TooManyFunctions| Unsolved::from(error).of(self.half);
        let positions = self.space.len() as u64;
        self.run.progress.start(format!("writing {}", self.half), 0);
        let mut steps = Vec::new();
        for (side, functions) in functions.iter().enumerate() {
            let count = self.count(slices, side)?;
            steps.push(functions.numbering(&count).map_err(too_many)?);
        }
        for (side, counted) in ["wins", "losses"].into_iter().enumerate() {
            let forced = slices
                .codes(side)
                .flatten()
                .filter(|&&code| is_forced(code));
            work.add(counted, forced.count() as u64);
            let max = slices
                .codes(side)
                .flatten()
                .filter(|&&code| is_forced(code))
                .max();
            let max = max.copied().map_or(0, u16::from);
            let block = |number| {
                let codes = slices.block(number, |slice| slices.code_slice(side, slice));
                Ok(codes
                    .map(|&code| if is_forced(code) { code.into() } else { 0 })
                    .collect())
            };
            write_section(positions, max, block, self.run, writer)?;
        }
        for (side, numbering) in steps.iter().enumerate() {
            let block = |number| {
                let functions = slices.block(number, |slice| &slices.functions[side][slice]);
                let numbers = functions.map(|&id| numbering.numbers[id as usize]);
                Ok(numbers.collect())
            };
            write_section(positions, numbering.most, block, self.run, writer)?;
        }
        for numbering in &steps {
            work.add("clock functions", numbering.steps.len() as u64);
            let numbers = numbering.steps.to_numbers();
            let max = numbers.iter().max().copied().unwrap_or(0);
            let block = |number: usize| {
                let part = numbers.chunks(BLOCK).nth(number);
                Ok(part.unwrap_or_default().to_vec())
            };
            write_section(numbers.len() as u64, max, block, self.run, writer)?;
        }
        Ok(())
    }

    /// Returns how many indices have each function.
    fn count(
        &self,
        slices: &Slices,
        side: usize,
    ) -> Result<FxHashMap<FunctionId, u64>, TableError> {
        let parts = slices.functions[side]
            .iter()
            .flat_map(|slice| slice.chunks(1 << 20));
        let parts: Vec<_> = parts.collect();
        let count = |count: &mut FxHashMap<FunctionId, u64>, part: &[FunctionId]| {
            for &id in part {
                *count.entry(id).or_default() += 1;
            }
        };
        let counted = parallel::for_each(self.run, parts, FxHashMap::default, count)?;
        let mut all = FxHashMap::default();
        for (id, n) in counted.into_iter().flatten() {
            *all.entry(id).or_default() += n;
        }
        Ok(all)
    }
}

/// Whether a code is one of a win or loss: not 0, and no mark of an illegal position.
fn is_forced(code: u8) -> bool {
    !matches!(code, 0 | crate::metric::ILLEGAL)
}

impl Slices {
    fn new(count: usize) -> Self {
        Self {
            codes: [(); 2].map(|()| vec![None; count]),
            functions: [(); 2].map(|()| vec![Vec::new(); count]),
        }
    }

    fn put(&mut self, slice: usize, solved: Solved) {
        for (to, codes) in self.codes.iter_mut().zip(solved.codes) {
            to[slice] = Some(Arc::new(codes));
        }
        for (to, functions) in self.functions.iter_mut().zip(solved.functions) {
            to[slice] = functions;
        }
    }

    /// Returns the P-slices that are finished, as those that pawn moves lead to.
    fn view(&self, space: &Arc<IndexSpace>, to_move: Side) -> Arc<HalfView> {
        let codes = &self.codes[usize::from(to_move == Side::Defender)];
        Arc::new(HalfView {
            space: space.clone(),
            codes: EncodedDistances::Slices(codes.clone()),
        })
    }

    fn code_slice(&self, side: usize, slice: usize) -> &Vec<u8> {
        let codes = self.codes[side][slice].as_ref();
        codes.expect("every P-slice is finished before the table is written")
    }

    fn codes(&self, side: usize) -> impl Iterator<Item = &Vec<u8>> {
        (0..self.codes[side].len()).map(move |slice| self.code_slice(side, slice))
    }

    /// Iterates over the values of a block; `of` returns those of a subspace.
    fn block<'a, T: 'a>(
        &'a self,
        number: usize,
        of: impl Fn(usize) -> &'a Vec<T>,
    ) -> impl Iterator<Item = &'a T> {
        let length = of(0).len();
        let subspaces = self.codes[0].len();
        let (from, to) = (
            number * BLOCK,
            ((number + 1) * BLOCK).min(length * subspaces),
        );
        (from / length..to.div_ceil(length)).flat_map(move |slice| {
            let start = slice * length;
            let end = to.min(start + length) - start;
            &of(slice)[from.max(start) - start..end]
        })
    }
}
