//! Layers in memory. With a folder, the last layer of each phase is written there now and then.

use std::sync::Arc;

use everymove_kernel::files::publish;
use everymove_kernel::run::Run;

use crate::frontier::FrontierError;
use crate::frontier::counted::{Width, width_of_join, width_of_step};
use crate::frontier::join::{Detail, Join, Tally};
use crate::frontier::states::block::{BlockRef, Builder, Layer};
use crate::frontier::states::maps::Maps;
use crate::frontier::step::Step;
use crate::frontier::step::plan::{Meet, Phase};
use crate::frontier::step::pull::{Puller, Spare};
use crate::frontier::store::folder::Folder;
use crate::frontier::store::stored::{
    Packer, SEGMENT_BYTES, Storing, Totals, Writer, blocks_a_segment, is_unusable, read,
};
use crate::frontier::store::{Facing, Place, Ready, Store};
use crate::frontier::vectors::degrees::Order;
use crate::frontier::vectors::index::Vectors;
use crate::frontier::vectors::live::Members;

/// Layers in memory.
pub(crate) struct Memory<'a> {
    maps: Maps,
    run: &'a Run,
    folder: Option<Folder>,
    modulus: Option<u64>,
    /// Sums may be computed modulo 2^128, since the count fits.
    wraps: bool,
    /// The memory of the steps of a phase.
    spare: Spare,
    second: Option<Facing<Layer>>,
}

/// What further counts of the same plan need: the tables of maps, and the second half.
pub(crate) struct Kept {
    maps: Maps,
    second: Option<Facing<Layer>>,
}

impl<'a> Memory<'a> {
    /// Tables of maps take `maps` bytes.
    pub(crate) fn new(maps: u64, folder: Option<Folder>, wraps: bool, run: &'a Run) -> Self {
        Self {
            maps: Maps::new(maps),
            run,
            folder,
            modulus: None,
            wraps,
            spare: Spare::new(run),
            second: None,
        }
    }

    /// The same with what an earlier count has kept.
    pub(crate) fn with(self, kept: Kept) -> Self {
        let Kept { maps, second } = kept;
        Self {
            maps,
            second,
            ..self
        }
    }

    /// Gives back the memory of everything else.
    pub(crate) fn into_kept(self) -> Kept {
        let Self { maps, second, .. } = self;
        Kept { maps, second }
    }
}

impl Store for Memory<'_> {
    type Layer = Layer;

    fn folder(&mut self) -> &mut Option<Folder> {
        &mut self.folder
    }

    fn pass(&mut self, modulus: Option<u64>) {
        self.modulus = modulus;
        self.second = None;
    }

    fn ordered(&self, _: Place, members: Members) -> Result<Vectors, FrontierError> {
        Ok(Vectors {
            list: members.list,
            class: None,
            held: Some(members.held),
        })
    }

    fn order(&self, place: Place, key: &[u8]) -> Option<Order> {
        order(place.slots, key)
    }

    fn start(&mut self, _: Vectors) -> Result<Layer, FrontierError> {
        Ok(Layer::start())
    }

    fn resume(&mut self, place: Place, vectors: Vectors) -> Result<Option<Layer>, FrontierError> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let (storage, name) = (&**folder.storage(), folder.name(place));
        let mut layer = Layer::of(vectors);
        let degrees = layer.degrees.clone();
        let loaded = read(storage, &name, &degrees, self.run, &mut |segment| {
            let what = "counting: the counts of a saved layer";
            layer
                .held
                .push(self.run.ram.reserve(what, segment.bytes())?);
            let chunk = layer.chunks.len() as u32;
            let of_chunk = |block| BlockRef { chunk, ..block };
            layer
                .blocks
                .extend(segment.blocks.into_iter().map(of_chunk));
            layer.chunks.push(segment.chunk);
            Ok(())
        });
        match loaded {
            Ok((totals, _)) => {
                (layer.states, layer.sum) = (totals.states, totals.sum);
                Ok(Some(layer))
            }
            Err(error) if is_unusable(&error) => {
                storage.remove(&name)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn advance(
        &mut self,
        before: &Layer,
        step: &Step,
        _: Place,
        after: Vectors,
    ) -> Result<Ready<Layer>, FrontierError> {
        let width = match self.modulus {
            Some(_) => Width::Bits64,
            None => width_of_step(before.sum, step)?,
        };
        let puller = Puller {
            spare: self.spare.clone(),
            ..Puller::new(&self.maps, self.run, self.modulus)
        };
        let pulled = puller.advance(width, before, step, after)?;
        Ok(Ready {
            blocks: pulled.layer.degrees.len() as u64,
            states: pulled.layer.states,
            bytes: pulled.layer.bytes(),
            layer: pulled.layer,
            transitions: pulled.transitions,
        })
    }

    fn save(&mut self, place: Place, layer: &Layer) -> Result<(), FrontierError> {
        let Some(folder) = &mut self.folder else {
            return Ok(());
        };
        let older = folder.steps(place.phase)?;
        let older: Vec<String> = (older.into_iter().filter(|&step| step != place.step))
            .map(|step| folder.name(Place { step, ..place }))
            .collect();
        let name = folder.name(place);
        folder.when_due(|storage| {
            publish(storage, &name, |draft| {
                let blocks = layer.blocks.len();
                let a_segment = blocks_a_segment(SEGMENT_BYTES, blocks, layer.states);
                let mut packer = Packer::new(Storing::Plain);
                let mut writer = Writer::new(draft, &layer.degrees, a_segment, Storing::Plain)?;
                for blocks in layer.blocks.chunks(a_segment) {
                    self.run.stop.check()?;
                    let mut builder = Builder::default();
                    for &block in blocks {
                        builder.copy(layer.read(block))?;
                    }
                    writer.segment(&packer.pack(&builder)?)?;
                }
                writer.finish(Totals {
                    states: layer.states,
                    sum: layer.sum,
                })?;
                Ok::<_, FrontierError>(())
            })?;
            older.iter().try_for_each(|name| storage.remove(name))?;
            Ok(())
        })
    }

    fn end_phase(&mut self, _: Phase, _: &Layer) {
        self.spare = Spare::new(self.run);
    }

    fn face(&mut self, meet: &Meet, layer: Arc<Layer>) -> Result<(), FrontierError> {
        let (slots, class) = (meet.facing.len(), layer.class.as_ref());
        let facing = Facing::new(&layer, &layer.degrees, class, slots, self.run)?;
        self.second = Some(facing);
        Ok(())
    }

    fn join(
        &mut self,
        meet: &Meet,
        first: &Layer,
        detail: Detail,
        from: u64,
        done: &mut dyn FnMut(u64, Tally) -> Result<(), FrontierError>,
    ) -> Result<(), FrontierError> {
        let second = self
            .second
            .as_ref()
            .expect("the second half is counted first");
        let sums = [first.sum, second.layer.sum];
        let width = match (self.modulus, width_of_join(sums)) {
            (Some(_), _) => Width::Bits64,
            (None, Err(_)) if self.wraps => Width::Bits128,
            (None, width) => width?,
        };
        let (layer, index) = (&second.layer, Some(&second.index));
        let join = Join::new(meet, layer, index, &self.maps, self.modulus, self.run);
        join.join(width, first, detail, from, done)
    }

    fn sum(layer: &Layer) -> u128 {
        layer.sum
    }

    fn release(&mut self, layer: Layer) -> Result<(), FrontierError> {
        self.spare.keep(layer);
        Ok(())
    }
}

/// The order of the degree vectors of a layer of which the slots of `key` decide the class; without
/// a key they ascend.
pub(crate) fn order(slots: usize, key: &[u8]) -> Option<Order> {
    (!key.is_empty()).then(|| Order::new(slots, key))
}
