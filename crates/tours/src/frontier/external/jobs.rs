//! A thread's part of a step: some segments of the next layer at a time.

use super::super::FrontierError;
use super::super::bits::Index;
use super::super::block::{Builder, Cell};
use super::super::degrees::Degrees;
use super::super::pull::{Pull, Puller, Scratch};
use super::super::steps::Step;
use super::stored::{Packer, Reader, Storing, Totals};

/// What a thread keeps between jobs.
pub(super) struct Space<'a, C> {
    pub(super) scratch: Scratch<'a, C>,
    pub(super) reader: Reader<'a>,
    pub(super) storing: Storing,
    pub(super) packer: Option<Packer>,
}

/// A job that is complete.
#[derive(Default)]
pub(super) struct Done {
    pub(super) payloads: Vec<Vec<u8>>,
    pub(super) totals: Totals,
    pub(super) transitions: u64,
}

impl<C: Cell> Space<'_, C> {
    /// Computes the blocks of some segments.
    pub(super) fn job(
        &mut self,
        puller: &Puller<'_>,
        index: &Index,
        step: &Step,
        job: &[Degrees],
        a_segment: usize,
    ) -> Result<Done, FrontierError> {
        let mut done = Done::default();
        let packer = match &mut self.packer {
            Some(packer) => packer,
            empty => empty.insert(Packer::new(self.storing)?),
        };
        for part in job.chunks(a_segment) {
            let mut builder = Builder::default();
            for &degrees in part {
                puller.run.stop.check()?;
                let mut pull = Pull {
                    puller,
                    before: &mut self.reader,
                    index,
                    step,
                    scratch: &mut self.scratch,
                };
                done.transitions += pull.block(degrees, &mut builder)?;
            }
            done.totals.states += builder.states;
            done.totals.sum += builder.sum;
            done.payloads.push(packer.pack(&builder)?);
        }
        puller.run.progress.worked(done.transitions);
        Ok(done)
    }
}
