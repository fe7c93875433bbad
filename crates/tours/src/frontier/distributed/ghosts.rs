//! Ghost blocks: copies of blocks of other processes, from which a process makes its own blocks of the next layer.

use std::sync::Arc;

use everymove_kernel::run::{Reservation, Run};

use super::super::FrontierError;
use super::super::block::{BlockRef, Layer};
use super::super::degrees::Degrees;
use super::super::reach::in_ranges;
use super::link::{AnyExchange, Ended};
use super::message::{self, Pieces};

/// What the memory of ghost blocks is called when it is asked for.
const WHAT: &str = "counting: the blocks of other processes";

/// Which of a process's blocks the others need.
pub(super) struct Wanted {
    /// For each process, the positions of the blocks in the layer, ascending.
    positions: Vec<Vec<u32>>,
    /// Their memory.
    held: Vec<Reservation>,
}

impl Wanted {
    /// The blocks of `layer` that this process owns, for each process that `needed_by` gives for their degree vectors.
    pub(super) fn new(
        layer: &Layer,
        exchange: &AnyExchange<'_>,
        owned: impl Fn(Degrees) -> bool + Sync,
        needed_by: impl Fn(Degrees, &mut dyn FnMut(usize)) + Sync,
        run: &Run,
    ) -> Result<Self, FrontierError> {
        let (process, processes) = (exchange.process(), exchange.processes());
        let mut positions = vec![Vec::new(); processes];
        if processes == 1 {
            let held = Vec::new();
            return Ok(Self { positions, held });
        }
        let parts = in_ranges(layer.degrees.len(), run, |range| {
            let mut positions = vec![Vec::new(); processes];
            for position in range {
                let degrees = layer.degrees[position];
                if !owned(degrees) || layer.block(position).is_empty() {
                    continue;
                }
                let position = position as u32;
                needed_by(degrees, &mut |other: usize| {
                    if other != process && positions[other].last() != Some(&position) {
                        positions[other].push(position);
                    }
                });
            }
            positions
        })?;
        // They are there twice while they are put together.
        let number: usize = parts.iter().flatten().map(Vec::len).sum();
        let bytes = (2 * number * size_of::<u32>()) as u64;
        let held = vec![run.ram.reserve(WHAT, bytes)?];
        for part in parts {
            for (all, more) in positions.iter_mut().zip(part) {
                all.extend(more);
            }
        }
        Ok(Self { positions, held })
    }

    /// What this and the other are together.
    pub(super) fn and(mut self, other: Self) -> Self {
        for (own, more) in self.positions.iter_mut().zip(other.positions) {
            own.extend(more);
            own.sort_unstable();
            own.dedup();
        }
        self.held.extend(other.held);
        self
    }

    /// The bytes of the blocks that go to a process.
    fn bytes(&self, layer: &Layer, process: usize) -> u64 {
        let positions = self.positions[process].iter();
        let bytes = positions.map(|&position| {
            let position = position as usize;
            message::bytes(&layer.block(position), layer.degrees[position])
        });
        bytes.sum()
    }
}

/// Sends the blocks of a layer, of a frontier of `slots` slots, that others need, and adds to it those of the others that this process needs.
pub(super) fn exchange_ghosts(
    mut layer: Layer,
    slots: usize,
    wanted: &Wanted,
    exchange: &mut AnyExchange<'_>,
    run: &Run,
) -> Result<Layer, Ended> {
    let (process, processes) = (exchange.process(), exchange.processes());
    if processes == 1 {
        return Ok(layer);
    }
    let sizes = (0..processes).map(|to| wanted.bytes(&layer, to));
    let all = exchange.gather(sizes.collect())?;
    let incoming: u64 = all.iter().map(|sizes| sizes[process]).sum();
    let held = run.ram.reserve(WHAT, incoming);
    layer.held.push(held.map_err(FrontierError::from)?);
    exchange.begin()?;
    let mut pieces = Pieces::default();
    for to in (1..processes).map(|step| (process + step) % processes) {
        for &position in &wanted.positions[to] {
            let position = position as usize;
            if let Some(piece) = pieces.add(&layer.block(position), layer.degrees[position]) {
                exchange.send(to, piece)?;
            }
        }
        if let Some(piece) = pieces.rest() {
            exchange.send(to, piece)?;
        }
    }
    let pieces = exchange.end()?;
    Ok(with_pieces(layer, slots, pieces, run)?)
}

/// The layer with the blocks of pieces as well.
pub(super) fn with_pieces(
    mut layer: Layer,
    slots: usize,
    pieces: Vec<Vec<u8>>,
    run: &Run,
) -> Result<Layer, FrontierError> {
    let mut ghosts = Vec::new();
    for piece in pieces {
        run.stop.check()?;
        let (chunk, blocks) = message::read(&piece, slots, layer.chunks.len() as u32)?;
        layer.chunks.push(chunk);
        ghosts.extend(blocks);
    }
    // The lists are there twice while they are merged.
    let entry = size_of::<(Degrees, BlockRef)>();
    let bytes = (2 * ghosts.len() + layer.degrees.len()) * entry;
    let _merging = run.ram.reserve(WHAT, bytes as u64)?;
    ghosts.sort_unstable_by_key(|&(degrees, _)| degrees);
    let all = layer.degrees.len() + ghosts.len();
    let mut merged = (Vec::with_capacity(all), Vec::with_capacity(all));
    let own = layer.degrees.iter().copied().zip(layer.blocks.drain(..));
    let (mut own, mut ghosts) = (own.peekable(), ghosts.into_iter().peekable());
    loop {
        let next = match (own.peek(), ghosts.peek()) {
            (Some((a, _)), Some((b, _))) if a <= b => {
                // A block that came before comes again if it is needed again.
                if a == b {
                    ghosts.next();
                }
                own.next()
            }
            (_, Some(_)) => ghosts.next(),
            (_, None) => own.next(),
        };
        let Some((degrees, block)) = next else { break };
        merged.0.push(degrees);
        merged.1.push(block);
    }
    drop(own);
    let added = (merged.0.len() * entry) as u64;
    layer.held.push(run.ram.reserve(WHAT, added)?);
    layer.degrees = Arc::new(merged.0);
    layer.blocks = merged.1;
    Ok(layer)
}
