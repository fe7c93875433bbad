//! Where the layers of the first half are while its classes are counted: in memory, or in files (`on_disk`).

use std::sync::Arc;

use everymove_kernel::run::Run;

use super::super::FrontierError;
use super::super::block::Layer;
use super::super::counted::{width_of_join, width_of_step};
use super::super::degrees::Degrees;
use super::super::join::{Join, Tally};
use super::super::pull::{Pulled, Puller, Spare};
use super::super::steps::Step;
use super::tree::{Part, Tree};

/// Makes layers of the first half and joins the last ones with the second half.
pub(super) trait Store {
    /// The part of a layer that belongs to a class.
    type Layer;

    /// The layer of the class `part` of `tree` after a step.
    fn advance(
        &mut self,
        before: &Self::Layer,
        step: &Step,
        part: Part,
        tree: &Tree,
    ) -> Result<Made<Self::Layer>, FrontierError>;

    /// Adds the pairs of a last layer and the second half to a sum.
    fn join(&mut self, layer: &Self::Layer, tally: &mut Tally) -> Result<(), FrontierError>;

    /// Gives back what a layer takes.
    fn release(&mut self, layer: Self::Layer) -> Result<(), FrontierError>;
}

/// A layer that is ready, and what it took.
pub(super) struct Made<L> {
    pub(super) layer: L,
    /// Degree vectors.
    pub(super) blocks: u64,
    pub(super) states: u64,
    /// Bytes of the states.
    pub(super) bytes: u64,
    pub(super) transitions: u64,
}

impl From<Pulled> for Made<Layer> {
    fn from(pulled: Pulled) -> Self {
        let layer = pulled.layer;
        Self {
            blocks: layer.degrees.len() as u64,
            states: layer.states,
            bytes: layer.held.iter().map(|held| held.bytes()).sum(),
            transitions: pulled.transitions,
            layer,
        }
    }
}

/// Layers in memory, and the second half.
pub(super) struct InMemory<'a> {
    join: Join<'a, Layer>,
    run: &'a Run,
    spare: Spare,
}

impl<'a> InMemory<'a> {
    pub(super) fn new(join: Join<'a, Layer>, run: &'a Run) -> Self {
        Self {
            join,
            run,
            spare: Spare::new(run),
        }
    }
}

impl Store for InMemory<'_> {
    type Layer = Layer;

    fn advance(
        &mut self,
        before: &Layer,
        step: &Step,
        part: Part,
        tree: &Tree,
    ) -> Result<Made<Layer>, FrontierError> {
        let after = Arc::new(tree.members(part).to_vec());
        let puller = Puller {
            spare: self.spare.clone(),
            ..Puller::new(self.join.maps, self.run, None)
        };
        let mut pulled = advance(&puller, before, step, &after)?;
        pulled.layer.class = tree.class(part);
        Ok(pulled.into())
    }

    fn join(&mut self, layer: &Layer, tally: &mut Tally) -> Result<(), FrontierError> {
        let width = width_of_join([layer.sum, self.join.second.sum])?;
        let part = self.join.tally(width, layer)?;
        self.join.merge(tally, part);
        Ok(())
    }

    fn release(&mut self, layer: Layer) -> Result<(), FrontierError> {
        self.spare.keep(layer);
        Ok(())
    }
}

/// The layer after a step, with sums as wide as they need be.
pub(super) fn advance(
    puller: &Puller<'_>,
    before: &Layer,
    step: &Step,
    after: &Arc<Vec<Degrees>>,
) -> Result<Pulled, FrontierError> {
    puller.advance(width_of_step(before.sum, step)?, before, step, after)
}
