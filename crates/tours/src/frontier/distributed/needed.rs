//! The layers that every class of a count needs, made by several processes together: each makes a part of every layer, and
//! gets the last two whole.

use std::sync::Arc;

use everymove_kernel::run::Run;

use super::super::block::Layer;
use super::super::maps::Maps;
use super::super::plan::Meet;
use super::super::pull::Spare;
use super::super::reach::{Layers, Live};
use super::Exchange;
use super::count::{Counting, Digests, Half, Part};
use super::ghosts::{Wanted, exchange_ghosts};
use super::link::{Ended, Link};
use super::saved::Saved;

/// The last layers of the common beginning and of the second half, and the tables with which they were made.
pub(in super::super) struct Needed {
    pub(in super::super) branch: Arc<Layer>,
    pub(in super::super) second: Arc<Layer>,
    pub(in super::super) maps: Maps,
}

/// Makes them, given the live degree vectors of the common beginning and of the second half.
pub(in super::super) fn make_needed<E: Exchange>(
    meet: &Meet,
    lists: [Layers; 2],
    maps: Maps,
    exchange: &mut E,
    run: &Run,
) -> Result<Needed, E::Error> {
    Link::run(exchange, |exchange| {
        let steps = meet.common.len() + meet.second.len();
        let what = "counting the half that all classes need, in several processes";
        run.progress.start(what, steps as u64);
        let slots = meet.common.iter().chain(&meet.second);
        let slots = slots.map(|step| step.slots_out);
        let mut counting = Counting {
            maps,
            digests: Digests::Omitted,
            run,
            made: Vec::new(),
            exchange,
            saved: Saved::new(None),
            spare: Spare::new(run),
            live: Live::new(&[], slots.max().unwrap_or(0), run)?,
            _held: Vec::new(),
        };
        let [common, second] = lists;
        counting.begin()?;
        let start = (0, counting.start(&meet.common));
        let branch = counting.advance(start, 0, &meet.common, common, &[])?;
        let branch = counting.whole(branch)?;
        let mut half = Half::new(&meet.second, second, meet.common.len(), None);
        if !half.steps.is_empty() {
            let (next, _) = counting.next(&branch, half.steps, &half.lists[1])?;
            half.next = Some(next);
        }
        let second = counting.half(half, &branch, &[])?;
        let second = second.map(|part| counting.whole(part)).transpose()?;
        let branch = Arc::new(branch.layer);
        Ok(Needed {
            second: second.map_or_else(|| branch.clone(), |part| Arc::new(part.layer)),
            branch,
            maps: counting.maps,
        })
    })
}

impl Counting<'_> {
    /// A part with the blocks of all other processes.
    fn whole(&mut self, mut part: Part) -> Result<Part, Ended> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let owned = |degrees| part.owners.of(degrees) == process;
        let needed_by = |_, needs: &mut dyn FnMut(usize)| (0..processes).for_each(needs);
        let wanted = Wanted::new(&part.layer, self.exchange, owned, needed_by, self.run)?;
        let layer = std::mem::replace(&mut part.layer, Layer::empty(Arc::default()));
        part.layer = exchange_ghosts(layer, part.slots, &wanted, self.exchange, self.run)?;
        part.layer.sum = part.sum;
        part.layer.states = self.made.last().map_or(0, |made| made.states);
        Ok(part)
    }
}
