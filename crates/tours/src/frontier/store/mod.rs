//! Where the layers of a count are: in memory, or in files.

pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod memory;
mod portions;
pub(crate) mod room;
mod stored;

use std::sync::Arc;

use everymove_kernel::run::{Reservation, Run};

use crate::frontier::FrontierError;
use crate::frontier::join::{Detail, Tally};
use crate::frontier::step::plan::{Meet, Phase};
use crate::frontier::step::{Action, Step};
use crate::frontier::vectors::degrees::{Degrees, Order};
use crate::frontier::vectors::index::{Class, Index, Vectors};
use crate::frontier::vectors::live::Members;
use folder::Folder;

/// Which layer of a count it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) phase: Phase,
    /// How many steps of the phase come before it.
    pub(crate) step: usize,
    /// How many squares are eliminated.
    pub(crate) eliminated: usize,
    /// How many slots its frontier has.
    pub(crate) slots: usize,
    /// Not only one class of it, which no other run reads.
    pub(crate) is_whole: bool,
}

impl Place {
    /// The layer after some steps of a phase that begins with this layer.
    pub(crate) fn after(self, phase: Phase, steps: &[Step]) -> Self {
        let eliminations = steps
            .iter()
            .filter(|step| matches!(step.action, Action::Eliminate(_)));
        Self {
            phase,
            step: steps.len(),
            eliminated: self.eliminated + eliminations.count(),
            slots: steps.last().map_or(self.slots, |step| step.slots_out),
            is_whole: true,
        }
    }
}

/// A layer that is ready, and what it took.
pub(crate) struct Ready<L> {
    pub(crate) layer: L,
    /// Degree vectors.
    pub(crate) blocks: u64,
    pub(crate) states: u64,
    /// Bytes of the states.
    pub(crate) bytes: u64,
    pub(crate) transitions: u64,
}

/// The second half's last layer, and where it has its degree vectors.
struct Facing<L> {
    layer: Arc<L>,
    index: Index,
    _held: Reservation,
}

impl<L> Facing<L> {
    /// A layer with these degree vectors of `slots` slots.
    fn new(
        layer: &Arc<L>,
        degrees: &[Degrees],
        class: Option<&Class>,
        slots: usize,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let what = "counting: the index of a layer";
        let held = run.ram.reserve(what, Index::bytes(slots, class))?;
        Ok(Self {
            layer: layer.clone(),
            index: Index::new(degrees, slots, class, run)?,
            _held: held,
        })
    }
}

/// Makes layers, keeps them, and joins them.
pub(crate) trait Store {
    /// A layer, or the part of one that belongs to a class.
    type Layer;

    /// Where what later runs go on from is kept, if it is.
    fn folder(&mut self) -> &mut Option<Folder>;

    /// Counts modulo a number from here on, or exactly.
    fn pass(&mut self, modulus: Option<u64>);

    /// The live degree vectors of a layer in the order in which it is stored.
    fn ordered(&self, place: Place, members: Members) -> Result<Vectors, FrontierError>;

    /// The order of the degree vectors of a layer of which the slots of `key` decide the class.
    fn order(&self, place: Place, key: &[u8]) -> Option<Order>;

    /// The layer before the first step.
    fn start(&mut self, vectors: Vectors) -> Result<Self::Layer, FrontierError>;

    /// A layer of an earlier run; `None` if the file is damaged or of another count, which is
    /// removed.
    fn resume(
        &mut self,
        place: Place,
        vectors: Vectors,
    ) -> Result<Option<Self::Layer>, FrontierError>;

    /// The layer after a step.
    fn advance(
        &mut self,
        before: &Self::Layer,
        step: &Step,
        place: Place,
        after: Vectors,
    ) -> Result<Ready<Self::Layer>, FrontierError>;

    /// Keeps a whole layer for later runs, if it is time.
    fn save(&mut self, place: Place, layer: &Self::Layer) -> Result<(), FrontierError>;

    /// A phase is complete with its last layer.
    fn end_phase(&mut self, phase: Phase, last: &Self::Layer);

    /// Takes the second half's last layer.
    fn face(&mut self, meet: &Meet, second: Arc<Self::Layer>) -> Result<(), FrontierError>;

    /// Joins a layer of the first half with the second half, from a pair on; `done` gets the number
    /// of pairs of each portion and their sum.
    fn join(
        &mut self,
        meet: &Meet,
        first: &Self::Layer,
        detail: Detail,
        from: u64,
        done: &mut dyn FnMut(u64, Tally) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError>;

    /// The sum of all counts of a layer.
    fn sum(layer: &Self::Layer) -> u128;

    /// Gives back what a layer takes.
    fn release(&mut self, layer: Self::Layer) -> Result<(), FrontierError>;
}
