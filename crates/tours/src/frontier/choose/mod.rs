//! Where the layers of a count are: whole in memory if they fit, else one class of them in memory
//! at a time, else in files, else one class in files at a time.

pub(crate) mod forecast;
pub(crate) mod known;
pub(crate) mod need;
pub(crate) mod scheme;
pub(crate) mod sizes;

use std::path::{Path, PathBuf};

use everymove_kernel::grid::Square;
use everymove_kernel::run::{OverBudget, Ram, Reservation, Run, Work};
use num_bigint::BigUint;

use crate::board::{Board, Kind};
use crate::frontier::FrontierError;
use crate::frontier::classes::{self, ClassOptions};
use crate::frontier::counted::{Count, EXACT, describe, given_end};
use crate::frontier::engine::Engine;
use crate::frontier::residues::{EXACT_BITS, log2_bound};
use crate::frontier::step::plan::Plan;
use crate::frontier::step::strip::{Strip, refuse_wide};
use crate::frontier::store::files::Files;
use crate::frontier::store::folder::{Folder, in_folder};
use crate::frontier::store::memory::Memory;
use crate::frontier::store::room::Rest;
use crate::frontier::vectors::live::{Found, Live, Members, Packed};
use crate::question::Question;
use known::{Known, is_hopeless};
use need::{InMemory, files, plan_bytes, refusal};
use scheme::Scheme;
use sizes::{Counts, bytes_at_once, layer_bytes};

/// How to count; the answer does not depend on it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A folder where layers are saved, or the sums of classes, and from which a count is resumed.
    pub checkpoint: Option<PathBuf>,
    /// A folder for the layers of a count that does not fit the memory budget; without one, the
    /// folder `checkpoint`.
    pub work: Option<PathBuf>,
    /// The most bytes of files there; without it, half of what is free.
    pub disk: Option<u64>,
}

/// Counts the tours that a question asks for.
///
/// ```
/// use everymove_kernel::run::Run;
/// use everymove_tours::board::{Board, Kind};
/// use everymove_tours::frontier::{Options, count};
/// use everymove_tours::question::Question;
///
/// let question = Question::new(Board::knight(6, 6)?, Kind::Closed);
/// let answer = count(&question, &Options::default(), &Run::serial())?;
/// assert_eq!(answer.undirected, 9862u32.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FrontierError`]: stopped, over the memory budget, a board too wide for the method, an unusable checkpoint, or both
/// ends given.
pub fn count(question: &Question, options: &Options, run: &Run) -> Result<Count, FrontierError> {
    let grid = question.board.grid();
    let what = format!("counting the {} tours of {grid}", question.kind);
    counted(question, options, run, &what).map_err(|error| match error {
        // What is estimated is exceeded by a part of it.
        FrontierError::OverBudget(OverBudget { need, limit, .. }) => {
            let need = need.saturating_add(need.saturating_sub(Ram::PROGRAM) / 8);
            OverBudget { what, need, limit }.into()
        }
        other => other,
    })
}

/// The count; `what` names it when memory is asked for.
fn counted(
    question: &Question,
    options: &Options,
    run: &Run,
    what: &str,
) -> Result<Count, FrontierError> {
    let start = given_end(question)?;
    if question.board.playable() == 1 {
        let paths = u32::from(question.kind == Kind::Open);
        return Ok(Count {
            undirected: paths.into(),
            work: Work::default(),
            scheme: Scheme::Whole,
        });
    }
    let words = describe(question, start);
    let opened = |directory: &PathBuf| Folder::open(directory, &words);
    let folder = options.checkpoint.as_ref().map(opened).transpose()?;
    run.progress.start("planning the count", 0);
    refuse_wide(&question.board)?;
    // Of the ways that are refused, the one that needs least memory is reported, or that of the
    // disk.
    let mut least = match whole(question, start, folder, run, what) {
        Err(Refused::Before(over)) => over,
        Err(Refused::Other(error)) => return Err(error),
        Ok(count) => return Ok(count),
    };
    let mut keep = |over: OverBudget| {
        if over.need < least.need {
            least = over;
        }
    };
    let by_classes = question.board.playable() <= EXACT && classes::are_smaller(question, run)?;
    let in_classes = ClassOptions {
        journal: options.checkpoint.clone(),
        ..ClassOptions::default()
    };
    let known = Known::of(question).classes;
    // With the longest keys they take more than half, and planning alone takes much of that.
    if by_classes && run.ram.left() < known / 2 {
        keep(refusal(what, known, run));
    } else if by_classes {
        match classes::count_by_classes(question, &in_classes, run, &mut |_| ()) {
            Err(FrontierError::OverBudget(over)) => keep(over),
            Ok(None) => {}
            done => return done.map(|count| count.expect("a count by classes")),
        }
    }
    let work = options.work.as_ref().or(options.checkpoint.as_ref());
    let Some(parent) = work else {
        return Err(least.into());
    };
    let mut over_disk = match on_disk(question, start, parent, options.disk, run) {
        // Classes in files need more memory than files that are not divided.
        Err(FrontierError::OverBudget(over)) => {
            keep(over);
            return Err(least.into());
        }
        Err(error @ FrontierError::OverDisk { .. }) => error,
        counted => return counted,
    };
    if by_classes {
        let in_files = ClassOptions {
            files: Some(parent.clone()),
            disk: options.disk,
            ..in_classes
        };
        match classes::count_by_classes(question, &in_files, run, &mut |_| ()) {
            Err(FrontierError::OverBudget(over)) => {
                if let FrontierError::OverDisk { or_memory, .. } = &mut over_disk {
                    *or_memory = Some(over.need);
                }
            }
            Err(error @ FrontierError::OverDisk { .. }) => over_disk = error,
            Ok(None) => {}
            counted => return counted.map(|count| count.expect("a count by classes")),
        }
    }
    Err(over_disk)
}

/// The memory of the steps of a count that is known to take `known` bytes.
pub(crate) fn reserve_plan(
    question: &Question,
    known: u64,
    what: &str,
    run: &Run,
) -> Result<Reservation, OverBudget> {
    let bytes = plan_bytes(&question.board);
    // The lists of a long board take as much again as its steps.
    (run.ram.reserve(what, bytes)).map_err(|over| {
        let need = over.need.saturating_add(2 * bytes + known);
        over.at_least(need)
    })
}

/// Why whole layers in memory gave no count.
enum Refused {
    /// They were estimated not to fit.
    Before(OverBudget),
    Other(FrontierError),
}

impl<E: Into<FrontierError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// The count with whole layers in memory.
fn whole(
    question: &Question,
    start: Option<Square>,
    folder: Option<Folder>,
    run: &Run,
    what: &str,
) -> Result<Count, Refused> {
    let known = Known::of(question).whole;
    let refused = |over: OverBudget| Refused::Before(over);
    let _steps = reserve_plan(question, known, what, run).map_err(refused)?;
    let plan = Plan::new(&question.board, question.kind, start, &run.stop)?;
    if is_hopeless(question, known, run.ram.left()) {
        return Err(refused(refusal(what, known, run)));
    }
    // What is short so far is a part of what the count needs.
    let short = |error: FrontierError| match error {
        FrontierError::OverBudget(over) => refused(over.at_least(run.ram.used() + known)),
        other => Refused::Other(other),
    };
    let live: Live<Members> = Live::new(&plan, run).map_err(short)?;
    let counts = Counts::of(&question.board);
    let layers = layer_bytes(question, &plan, &live, counts, run).map_err(short)?;
    let found = Found::of(&live, run)?;
    let need = InMemory::of(layers, false, &plan, found, run);
    run.ram.require(what, need.bytes).map_err(refused)?;
    let _unaccounted = run.ram.reserve(what, need.unaccounted).map_err(refused)?;
    let is_small = question.board.playable() <= EXACT;
    let wraps = match counts {
        Counts::Exact if !is_small => log2_bound(&plan, &live, run).map_err(short)? <= EXACT_BITS,
        _ => false,
    };
    let ignore = &mut |_| ();
    let store = Memory::new(need.maps, folder, wraps, run);
    let mut engine = Engine::new(store, &plan, found.vectors, None, ignore, run);
    let undirected = engine.count(live, is_small || wraps)?;
    let (work, folder) = engine.end();
    if let Some(mut folder) = folder {
        folder.clear()?;
    }
    Ok(Count {
        undirected,
        work,
        scheme: Scheme::Whole,
    })
}

/// The count with layers in files of a folder of its own in `parent`, which may have `disk` bytes;
/// without a limit half of what is free. The folder is removed when the count is complete.
pub(crate) fn on_disk(
    question: &Question,
    start: Option<Square>,
    parent: &Path,
    disk: Option<u64>,
    run: &Run,
) -> Result<Count, FrontierError> {
    let known = Known::of(question).disk;
    let _steps = reserve_plan(question, known, "planning the count", run)?;
    // Whole layers may take a fourth less than is known; lists, tables and caches do not.
    if is_hopeless(question, known / 3 * 4, run.ram.left()) {
        return Err(refusal("planning the count", known, run).into());
    }
    let words = describe(question, start);
    in_folder(&words, parent, disk, |folder, limit| {
        let plan = Plan::new(&question.board, question.kind, start, &run.stop)?;
        let rough = run.ram.used() + known;
        let live: Live<Packed> = Live::new(&plan, run).map_err(|error| error.at_least(rough))?;
        let found = Found::of(&live, run)?;
        let grid = question.board.grid();
        let what = format!("counting the {} tours of {grid} on disk", question.kind);
        let rest = Rest::of(&plan, found);
        run.ram.require(&what, rest.bytes())?;
        let counts = Counts::of(&question.board);
        let sizes = sizes::sizes(&plan, &live, counts, run)?;
        let estimated = (files(bytes_at_once(&sizes)), limit);
        let strip = Strip::new(&question.board, question.kind, start);
        let store = Files::new(folder, strip, rest, estimated, what, run)?;
        let ignore = &mut |_| ();
        let mut engine = Engine::new(store, &plan, found.vectors, Some(sizes), ignore, run);
        let undirected = engine.count(live, counts == Counts::Exact)?;
        let (work, _) = engine.end();
        Ok(Count {
            undirected,
            work,
            scheme: Scheme::Disk,
        })
    })
}

/// Counts the open tours from every square: directed tours that begin there, square by square in
/// ascending order; squares that are images of each other are counted once. The work is that of all
/// counts together.
///
/// # Errors
/// As [`count`].
pub fn by_start(board: &Board, run: &Run) -> Result<(Vec<(Square, BigUint)>, Work), FrontierError> {
    let symmetries = board.symmetries();
    let mut counts: Vec<(Square, BigUint)> = Vec::new();
    let mut work = Work::default();
    for square in board.squares() {
        let first = symmetries
            .iter()
            .map(|&s| board.grid().image(s, square))
            .min();
        let known = counts
            .iter()
            .find(|&&(s, _)| Some(s) == first)
            .map(|(_, n)| n.clone());
        let number = match known {
            Some(number) => number,
            None => {
                let question = Question::new(board.clone(), Kind::Open).starting_on(square);
                let answer = count(&question, &Options::default(), run)?;
                work.merge(&answer.work);
                answer.undirected
            }
        };
        counts.push((square, number));
    }
    Ok((counts, work))
}
