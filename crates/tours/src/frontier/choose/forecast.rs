//! What each way of counting is estimated to take, without counting.

use everymove_kernel::grid::Grid;
use everymove_kernel::run::{Ram, Run};
use everymove_kernel::system;

use crate::board::Board;
use crate::frontier::FrontierError;
use crate::frontier::choose::known::Known;
use crate::frontier::choose::need::{InMemory, files};
use crate::frontier::choose::reserve_plan;
use crate::frontier::choose::scheme::{FileBytes, Need, Scheme, widest};
use crate::frontier::choose::sizes::{Counts, Size, bytes_at_once, sizes, states};
use crate::frontier::classes::need::ByClasses;
use crate::frontier::classes::{self, ClassOptions};
use crate::frontier::counted::{EXACT, given_end};
use crate::frontier::residues::{MOST_BITS, log2_bound};
use crate::frontier::step::plan::{Phases, Plan};
use crate::frontier::step::strip::refuse_wide;
use crate::frontier::store::room::Rest;
use crate::frontier::vectors::degrees::{Degrees, MAX_SLOTS};
use crate::frontier::vectors::live::{
    Found, List, Live, Members, Packed, list_bytes, packed_bytes, set_bytes,
};
use crate::question::Question;

/// What a count is estimated to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Steps of the elimination, of both halves, each of which makes a layer.
    pub layers: u64,
    /// The most squares of a frontier, the end of open tours included.
    pub slots: u64,
    /// Every way that the board has and that can be planned within the memory, in the order in
    /// which they are tried. Boards of more than 110 squares, whose counts may not fit 128
    /// bits, are not counted by classes.
    pub needs: Vec<Need>,
    /// The board from whose plan the numbers are extrapolated, if that of the board itself would
    /// take too long.
    pub from: Option<Grid>,
}

/// Frontiers of more slots are extrapolated from a board of two columns less: their plan would take
/// many minutes and gigabytes.
const PLANNED: usize = 19;

/// Frontiers of more slots are refused: with two columns less, which are four slots, they would
/// still be wide.
const EXTRAPOLATED: usize = 22;

/// What two columns more multiply states and bytes by, and vectors, as measured between 7 and 9
/// columns.
const GROWTH: f64 = 950.0;
const VECTOR_GROWTH: f64 = 90.0;

impl Estimate {
    /// The way that a count takes with this many bytes of memory and of disk: the first that fits.
    pub fn chosen(&self, ram: u64, disk: u64) -> Option<&Need> {
        let fits = |need: &&Need| need.memory <= ram && need.files.compressed <= disk;
        self.needs.iter().find(fits)
    }
}

/// Estimates what the count of a question takes, without counting.
///
/// # Errors
/// As [`crate::frontier::count`]; [`FrontierError::OverBudget`] if the plan itself does not fit the
/// memory budget.
pub fn estimate(question: &Question, run: &Run) -> Result<Estimate, FrontierError> {
    let start = given_end(question)?;
    run.progress.start("planning the count", 0);
    let slots = widest(question);
    if slots > EXTRAPOLATED {
        return Err(FrontierError::TooWide {
            board: question.board.grid(),
            slots,
            most: MAX_SLOTS,
        });
    }
    if slots > PLANNED {
        let smaller = narrower(&question.board);
        let inner = estimate(&Question::new(smaller.clone(), question.kind), run)?;
        return Ok(Estimate {
            layers: question.board.playable() as u64 * inner.layers / smaller.playable() as u64,
            slots: slots as u64,
            needs: inner.needs.into_iter().map(grown).collect(),
            from: Some(smaller.grid()),
        });
    }
    refuse_wide(&question.board)?;
    let known = Known::of(question).disk;
    let _steps = reserve_plan(question, known, "planning the count", run)?;
    let plan = Plan::new(&question.board, question.kind, start, &run.stop)?;
    let needs = match all_ways(question, &plan, run) {
        Err(FrontierError::OverBudget(_)) => {
            system::release_freed_memory();
            let rough = run.ram.used() + known;
            few_ways(question, &plan, run).map_err(|error| error.at_least(rough))?
        }
        needs => needs?,
    };
    Ok(Estimate {
        layers: plan.all().count() as u64,
        slots: plan.slots() as u64,
        needs,
        from: None,
    })
}

/// What every way needs that can be planned, from lists of degree vectors that are all in memory.
fn all_ways(question: &Question, plan: &Plan, run: &Run) -> Result<Vec<Need>, FrontierError> {
    // Beside what is reserved, the allocator keeps gaps between lists that are made and freed in
    // turn: up to a sixth of it, measured.
    let gaps = (run.ram).reserve("planning the count", run.ram.left() / 5)?;
    let live: Live<Members> = Live::new(plan, run)?;
    let mut layers = Layers::of(question, plan, &live, run)?;
    if question.board.playable() > EXACT {
        layers.bits = log2_bound(plan, &live, run)?;
    }
    let mut packed = 0;
    for list in live.lists() {
        packed += packed_bytes(&list.list);
    }
    layers.packed = packed;
    layers.used = run.ram.used() - gaps.bytes();
    drop(live);
    system::release_freed_memory();
    let mut needs = layers.ways(question, plan, run)?;
    if question.board.playable() <= EXACT {
        match by_classes(question, gaps.bytes(), run) {
            Err(FrontierError::OverBudget(_)) => {}
            by_classes => needs.extend(by_classes?),
        }
        system::release_freed_memory();
        // In the order in which they are tried.
        needs.sort_by_key(|need| need.scheme.turn());
    }
    Ok(needs)
}

/// The bits of the bound of a count, for each square of the board: 7x24 closed has a count of 0.92,
/// 8x32 closed of 1.02.
const BITS_A_SQUARE: f64 = 1.1;

/// The same where the lists do not fit: one is in memory at a time. Classes are left out; their
/// lists do not fit either.
fn few_ways(question: &Question, plan: &Plan, run: &Run) -> Result<Vec<Need>, FrontierError> {
    let used = run.ram.used();
    let live: Live<Packed> = Live::new(plan, run)?;
    let mut layers = Layers::of(question, plan, &live, run)?;
    layers.packed = run.ram.used() - used;
    layers.used = Ram::PROGRAM + list_bytes(layers.found.vectors);
    layers.ways(question, plan, run)
}

/// What is estimated of the layers of a count.
struct Layers {
    found: Found,
    counts: Counts,
    sizes: Phases<Vec<Size>>,
    /// About the bits of the count.
    bits: f64,
    /// Bytes of the program and of the lists of degree vectors.
    used: u64,
    /// Bytes of the lists when they are packed.
    packed: u64,
}

impl Layers {
    fn of<L: List>(
        question: &Question,
        plan: &Plan,
        live: &Live<L>,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let counts = Counts::of(&question.board);
        Ok(Self {
            found: Found::of(live, run)?,
            counts,
            sizes: sizes(plan, live, counts, run)?,
            bits: question.board.playable() as f64 * BITS_A_SQUARE,
            used: 0,
            packed: 0,
        })
    }

    /// What whole layers need, in memory and on disk.
    fn ways(
        &self,
        question: &Question,
        plan: &Plan,
        run: &Run,
    ) -> Result<Vec<Need>, FrontierError> {
        let passes = match question.board.playable() {
            ..=EXACT => 1,
            _ if self.bits > MOST_BITS => return Err(FrontierError::TooMany),
            _ => self.counts.passes(self.bits),
        };
        let at_once = bytes_at_once(&self.sizes);
        let need = |scheme, memory, files| {
            let vectors = self.found.vectors as f64;
            Need::of(scheme, memory, files, vectors, states(&self.sizes)).times(passes)
        };
        let whole = InMemory::of(at_once, false, plan, self.found, run);
        let planning = set_bytes(plan) + 4 * self.found.longest * size_of::<Degrees>() as u64;
        let counting = Rest::of(plan, self.found).bytes();
        let on_disk = Ram::PROGRAM + self.packed + planning.max(counting);
        Ok(vec![
            need(Scheme::Whole, self.used + whole.bytes, FileBytes::default()),
            need(Scheme::Disk, on_disk, files(at_once)),
        ])
    }
}

/// What a count by classes needs, in memory, if that can be planned within it, and on disk; nothing
/// where whole layers need no more.
fn by_classes(question: &Question, gaps: u64, run: &Run) -> Result<Vec<Need>, FrontierError> {
    let options = ClassOptions::default();
    let Some(plan) = classes::plan(question, &options, run)?.filter(classes::is_uneven) else {
        return Ok(vec![]);
    };
    let live: Live<Members> = Live::new(&plan, run)?;
    system::release_freed_memory();
    let found = Found::of(&live, run)?;
    let sizes = match ByClasses::new(&plan, &live, None, false, run) {
        Err(FrontierError::OverBudget(_)) => ByClasses::new(&plan, &live, None, true, run),
        sizes => sizes,
    }?;
    let classes = sizes.classes.classes(options.key_slots);
    let (vectors, states) = (found.vectors as f64, sizes.states());
    let need = |scheme, memory, files| Need::of(scheme, memory, files, vectors, states);
    let mut needs = vec![];
    if !sizes.on_disk {
        let memory = |layers| InMemory::of(layers, true, &plan, found, run).bytes;
        let fits = |layers| memory(layers) <= run.ram.left();
        let (_, layers) = sizes.slots(None, options.key_slots, fits);
        let memory = run.ram.used() - gaps + memory(layers);
        needs.push(need(Scheme::Classes(classes), memory, FileBytes::default()));
    }
    let sizes = ByClasses {
        on_disk: true,
        ..sizes
    };
    // The classes may be larger where files may take more.
    let (_, layers) = sizes.slots(None, options.key_slots, |_| false);
    let members: usize = live.first.iter().map(|list| list.len()).sum();
    let packed = live
        .lists()
        .map(|list| packed_bytes(&list.list))
        .sum::<u64>();
    let last = live.second.last().map_or(0, |list| list.len() as u64);
    let lists = packed + (members * size_of::<Degrees>()) as u64;
    let memory = Ram::PROGRAM + lists + Rest::by_classes(&plan, found, last).bytes();
    needs.push(need(Scheme::ClassesOnDisk(classes), memory, files(layers)));
    Ok(needs)
}

/// What the same number of rows with two columns more needs.
fn grown(need: Need) -> Need {
    let bytes = |bytes: u64| (bytes as f64 * GROWTH) as u64;
    let memory = match need.scheme {
        Scheme::Whole | Scheme::Classes(_) => bytes(need.memory),
        // Lists of degree vectors, and indices over all of them.
        Scheme::Disk | Scheme::ClassesOnDisk(_) => {
            ((need.memory - Ram::PROGRAM) as f64 * VECTOR_GROWTH) as u64
        }
    };
    Need::of(
        need.scheme,
        memory,
        FileBytes {
            compressed: bytes(need.files.compressed),
            plain: bytes(need.files.plain),
        },
        need.vectors * VECTOR_GROWTH,
        need.states * GROWTH,
    )
}

/// The board with two columns less on its narrow side.
fn narrower(board: &Board) -> Board {
    let grid = board.grid();
    let (rows, cols) = (grid.rows().max(grid.cols()), grid.rows().min(grid.cols()));
    Board::knight(rows as u32, cols as u32 - 2).unwrap_or_else(|_| board.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Kind, Leaper};

    /// Where only one list of degree vectors fits, the ways that are left need the same as where
    /// all fit.
    #[test]
    fn one_list_at_a_time_gives_the_same_estimate() {
        let question = Question::new(Board::knight(7, 7).unwrap(), Kind::Open);
        let within = |ram| estimate(&question, &Run::new(1, ram)).unwrap().needs;
        let all = within(Ram::unlimited());
        let left = within(Ram::limited(24 << 20));
        assert!(left.len() < all.len(), "{left:?}");
        for need in left {
            let same = all
                .iter()
                .find(|other| other.scheme == need.scheme)
                .unwrap();
            assert_eq!((need.vectors, need.states), (same.vectors, same.states));
            // The memory of the program is not part of these budgets.
            let most = Ram::PROGRAM + same.memory / 20;
            assert!(
                need.memory.abs_diff(same.memory) <= most,
                "{need:?} {same:?}"
            );
        }
    }

    /// A count beyond 128 bits is made in several passes, with whole layers in memory, and takes
    /// about what is estimated.
    #[test]
    fn passes_of_large_boards_are_estimated() {
        for (rows, cols, is_large) in [(5, 40, true), (6, 20, false)] {
            let question = Question::new(Board::knight(rows, cols).unwrap(), Kind::Closed);
            let run = Run::serial();
            let needs = estimate(&question, &run).unwrap().needs;
            let [need, on_disk] = &needs[..] else {
                panic!("{needs:?}")
            };
            assert_eq!((need.scheme, on_disk.scheme), (Scheme::Whole, Scheme::Disk));
            assert_eq!(need.states, on_disk.states);
            let counted = crate::frontier::count(&question, &Default::default(), &run).unwrap();
            assert_eq!(counted.undirected.bits() > 128, is_large);
            let states = counted.work.get("states") as f64;
            let ratio = need.states / states;
            assert!((0.6..1.5).contains(&ratio), "{rows}x{cols}: {ratio}");
        }
    }

    /// What a plan takes for each square is reserved before the squares are laid out.
    #[test]
    fn boards_without_bounds_are_refused_at_once() {
        let holed = |rows, cols| {
            let board = Board::knight(rows, cols).unwrap();
            board.with_holes(&[0, cols as usize + 1]).unwrap()
        };
        for board in [
            Board::knight(1, 1_000_000).unwrap(),
            Board::knight(2, 500_000).unwrap(),
            Board::knight(5, 100_000).unwrap(),
            Board::knight(3, 1_000_000).unwrap(),
            Board::knight(1, u32::MAX - 1).unwrap(),
            holed(20_000, 20_000),
            holed(3, 1_000_000),
        ] {
            let run = Run::new(1, Ram::limited(32 << 20));
            let grid = board.grid();
            let refused = estimate(&Question::new(board, Kind::Closed), &run);
            assert!(
                matches!(refused, Err(FrontierError::OverBudget(_))),
                "{grid}: {refused:?}"
            );
        }
    }

    /// The bound of the count of a board of thousands of squares is beyond any number of primes,
    /// and beyond floating point.
    #[test]
    fn counts_without_bounds_are_refused() {
        for rows in [900, 3000] {
            let board = Board::new(Grid::new(rows, 4).unwrap(), Leaper::WAZIR);
            let refused = estimate(&Question::new(board, Kind::Closed), &Run::serial());
            assert!(
                matches!(refused, Err(FrontierError::TooMany)),
                "{rows}: {refused:?}"
            );
        }
    }

    /// Whether a plan of two columns less could be extrapolated or not: no board is extrapolated
    /// twice, however wide it is.
    #[test]
    fn boards_far_too_wide_are_refused() {
        for (rows, cols) in [(12, 11), (60, 60), (20_000, 20_000)] {
            let board = Board::knight(rows, cols).unwrap();
            let found = estimate(&Question::new(board, Kind::Closed), &Run::serial());
            assert!(
                matches!(found, Err(FrontierError::TooWide { .. })),
                "{rows}x{cols}: {found:?}"
            );
        }
    }
}
