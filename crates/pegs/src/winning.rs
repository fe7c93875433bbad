//! The winning set: every position that can be reached from the start and from which the finish can
//! be reached.

use std::sync::Arc;

use everymove_kernel::files::{Draft, Storage, publish};
use everymove_kernel::run::{Run, Work};

use crate::bidirectional::{WinningLayers, complete, find_winning};
use crate::error::PegError;
use crate::jump::Jump;
use crate::layers::layout::Span;
use crate::layers::split::LONGEST_TAIL;
use crate::layers::{ClassLayers, Layer, Split};
use crate::position::Position;
use crate::problem::Problem;
use crate::store::file::{Header, Reader, WINNING_SET, Writer, identity, read_identity};
use crate::store::{Folders, LayerFiles, LayersIn, Store, StoredLayer};

/// The winning positions of a problem, up to the problem's symmetries.
pub struct WinningSet {
    problem: Problem,
    pub(crate) class_layers: Arc<ClassLayers>,
    /// From the start down to the finish; empty if the problem cannot be solved.
    pub(crate) layers: Vec<Arc<Layer>>,
    sizes: Vec<u64>,
    work: Work,
}

impl WinningSet {
    /// Finds the winning set of a problem.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] before any work if the layers do not fit, [`PegError::Stopped`].
    pub fn new(problem: &Problem, run: &Run) -> Result<Self, PegError> {
        Self::resume(problem, LayerFiles::default(), run)
    }

    /// The same; every layer that took long is saved in the checkpoint, and loaded from there when
    /// the same problem is asked again.
    ///
    /// # Errors
    /// As [`WinningSet::new`]; [`PegError::File`].
    pub fn resume(problem: &Problem, files: LayerFiles<'_>, run: &Run) -> Result<Self, PegError> {
        files.open(problem, |folders| {
            let (class_layers, mut store, found) =
                find_winning(problem, folders, LayersIn::Memory, 0, run)?;
            Self::of_layers(problem, class_layers, &mut store, found)
        })
    }

    /// The set with these layers, which are in memory.
    fn of_layers(
        problem: &Problem,
        class_layers: Arc<ClassLayers>,
        store: &mut Store<'_>,
        found: WinningLayers,
    ) -> Result<Self, PegError> {
        let WinningLayers {
            mut layers,
            sizes,
            work,
        } = found;
        complete(store, &class_layers, problem, &mut layers)?;
        Ok(Self {
            problem: problem.clone(),
            class_layers,
            layers: layers
                .into_iter()
                .filter_map(|layer| layer.memory)
                .collect(),
            sizes,
            work,
        })
    }

    /// All its layers, as a store has them.
    pub(crate) fn stored(&self) -> Vec<StoredLayer> {
        let stored = |layer| StoredLayer::of(&self.class_layers, layer);
        self.layers.iter().map(stored).collect()
    }

    /// Publishes the set under `name`; returns the number of winning positions written.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub fn save(&self, storage: &dyn Storage, name: &str) -> Result<u64, PegError> {
        publish(storage, name, |draft| {
            let mut layers = self.stored();
            if !layers.is_empty() {
                layers.truncate(layers_written(&self.problem));
            }
            let run = Run::serial();
            let store = Store::in_memory(&run);
            write(&store, &self.problem, &self.class_layers, &layers, draft)
        })
    }

    /// Reads a set that [`save`](WinningSet::save) wrote.
    ///
    /// # Errors
    /// [`PegError::File`] if the file is missing, damaged or no winning set;
    /// [`PegError::OverBudget`].
    pub fn load(storage: &dyn Storage, name: &str, run: &Run) -> Result<Self, PegError> {
        let mut reader = Reader::open(storage, name)?;
        let header = reader.header.clone();
        let (problem, tail) = read_identity(&header.identity)
            .filter(|_| header.content == WINNING_SET)
            .ok_or_else(|| reader.damaged("it is no winning set"))?;
        let group = problem.symmetries();
        let is_kept = group.iter().all(|symmetry| symmetry.position(tail) == tail);
        let layers = header.notes.len();
        let is_whole = layers == 0 || (problem.is_open() && layers == layers_written(&problem));
        if !is_kept || tail.pegs() > LONGEST_TAIL || !is_whole {
            return Err(reader.damaged("its header makes no sense").into());
        }
        let split = Split::with_tail(problem.board(), &group, tail, run)?;
        let class = problem.board().class(problem.start());
        let class_layers = Arc::new(ClassLayers::new(&Arc::new(split), class));
        let mut layers = Vec::with_capacity(layers);
        for (jumps, &size) in header.notes.iter().enumerate() {
            let layout = Arc::new(class_layers.layout(problem.start().pegs() - jumps));
            let mut layer = Layer::empty(Arc::clone(&layout), &run.ram)?;
            reader.read(&mut layer.words, run)?;
            if class_layers.positions_in(&Span::whole(&layout), &layer.words) != Some(size) {
                return Err(reader.damaged("its positions make no sense").into());
            }
            layers.push(StoredLayer::of(&class_layers, &Arc::new(layer)));
        }
        reader.finish()?;
        let found = WinningLayers::new(&problem, layers, Work::default());
        Self::of_layers(&problem, class_layers, &mut Store::in_memory(run), found)
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Whether the problem can be solved.
    pub fn is_solvable(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Positions in all layers, up to the problem's symmetries.
    pub fn positions(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Positions after each number of jumps, from the start to the finish; empty if the problem
    /// cannot be solved.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// `positions` and `jumps` examined up to the middle layer, and `winning` positions.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Whether a position can arise in a game from the start and the finish can be reached from it.
    pub fn contains(&self, position: Position) -> bool {
        self.layer_of(position)
            .is_some_and(|layer| layer.has(self.class_layers.split(), position))
    }

    /// A solution: from each position the first jump that keeps it winning; `None` if there is
    /// none.
    pub fn solution(&self) -> Option<Vec<Jump>> {
        self.solution_from(self.problem.start())
    }

    /// The same from any winning position; `None` from any other.
    pub fn solution_from(&self, position: Position) -> Option<Vec<Jump>> {
        let board = self.problem.board();
        let mut position = position;
        let mut jumps = Vec::new();
        if !self.contains(position) {
            return None;
        }
        while position.pegs() > self.problem.last_pegs() {
            let jump = board
                .legal_jumps(position)
                .find(|jump| self.contains(jump.after(position)))?;
            position = jump.after(position);
            jumps.push(jump);
        }
        Some(jumps)
    }

    /// A set that was loaded, if it is this problem's.
    ///
    /// # Errors
    /// [`PegError::OtherProblem`] if it is not.
    pub fn of(self, problem: &Problem) -> Result<Self, PegError> {
        match &self.problem == problem {
            true => Ok(self),
            false => Err(PegError::OtherProblem {
                found: self.problem.to_string(),
                expected: problem.to_string(),
            }),
        }
    }

    /// The winning positions with a number of pegs, each as one of its images.
    pub fn with_pegs(&self, pegs: usize) -> impl Iterator<Item = Position> {
        let layer = self
            .problem
            .start()
            .pegs()
            .checked_sub(pegs)
            .and_then(|n| self.layers.get(n));
        layer
            .into_iter()
            .flat_map(|layer| layer.positions(&self.class_layers))
    }

    /// The layer that a position is in, if it is winning.
    pub(crate) fn layer_of(&self, position: Position) -> Option<&Arc<Layer>> {
        let jumps = self.problem.start().pegs().checked_sub(position.pegs())?;
        let is_ours = self.problem.board().class(position) == self.class_layers.class();
        self.layers.get(jumps).filter(|_| is_ours)
    }
}

/// How many layers of a solvable problem's set are in its file: half of them if the other half is
/// their complement.
fn layers_written(problem: &Problem) -> usize {
    let jumps = problem.start().pegs() - problem.last_pegs();
    match problem.is_mirrored() {
        true => jumps / 2 + 1,
        false => jumps + 1,
    }
}

/// Writes the layers of a set into a file; returns the number of winning positions written.
fn write(
    store: &Store<'_>,
    problem: &Problem,
    class_layers: &ClassLayers,
    layers: &[StoredLayer],
    draft: &mut Draft,
) -> Result<u64, PegError> {
    let split = class_layers.split();
    let sizes = layers.iter().map(|layer| layer.positions());
    let header = Header {
        content: WINNING_SET.to_owned(),
        identity: identity(problem, WINNING_SET, split),
        heads: 0..split.heads().len(),
        positions: sizes.clone().sum(),
        notes: sizes.collect(),
    };
    let mut writer = Writer::new(draft, &header, None)?;
    for layer in layers {
        store.each_window(layer, |_, words| writer.write(words, store.run))?;
    }
    writer.finish()?;
    Ok(header.positions)
}

/// Finds the winning set of a problem, with layers in files where they do not fit the memory, and
/// writes it into a file, as [`WinningSet::save`] does. Returns the winning positions after each
/// number of jumps, none if the problem cannot be solved, and the work.
///
/// # Errors
/// [`PegError::OverBudget`], [`PegError::OverDisk`], [`PegError::Stopped`], [`PegError::File`].
pub fn winning_set_into(
    problem: &Problem,
    files: LayerFiles<'_>,
    draft: &mut Draft,
    run: &Run,
) -> Result<(Vec<u64>, Work), PegError> {
    files.open(problem, |folders| set_in(problem, folders, draft, run))
}

/// The same with layers in folders.
///
/// # Errors
/// As [`winning_set_into`].
pub(crate) fn set_in(
    problem: &Problem,
    folders: Folders<'_>,
    draft: &mut Draft,
    run: &Run,
) -> Result<(Vec<u64>, Work), PegError> {
    folders.place(|layers_in| {
        let (class_layers, store, found) = find_winning(problem, folders, layers_in, 0, run)?;
        write(&store, problem, &class_layers, &found.layers, draft)?;
        Ok((found.sizes, found.work))
    })
}
