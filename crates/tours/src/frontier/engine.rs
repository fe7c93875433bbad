//! A count from beginning to end: phases, join, passes, resuming, wherever the layers are.
//!
//! The common layers come first, then those of the second half, then those of the first, which are
//! joined with the second's last one. Counts beyond 128 bits are made in several passes, each
//! modulo a prime.

use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::run::{Run, Work};
use num_bigint::BigUint;

use crate::frontier::FrontierError;
use crate::frontier::choose::sizes::Size;
use crate::frontier::classes::journal::Finished;
use crate::frontier::join::{Detail, Joined, Tally};
use crate::frontier::residues::{Combined, MOST_BITS, log2_bound, primes, primes_needed};
use crate::frontier::step::plan::{Meet, Phase, Phases, Plan};
use crate::frontier::store::folder::Folder;
use crate::frontier::store::{Place, Ready, Store};
use crate::frontier::vectors::index::Vectors;
use crate::frontier::vectors::live::{List, Live, Members};

/// Remaining times of more seconds are not shown.
const LONGEST: f64 = 1e9;

/// What a count reports while it runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The live degree vectors of a layer.
    List {
        /// `common`, `second` or `first`.
        phase: &'static str,
        /// The step that makes it, from 1.
        step: usize,
        /// How many have 0, 2, 4, ... endpoints.
        by_pairs: Vec<u64>,
    },
    /// The plan is made: live degree vectors of all layers, classes, and how many of them the
    /// journal has.
    Planned {
        /// Live degree vectors, of all layers.
        blocks: u64,
        /// Classes.
        classes: u64,
        /// Classes that are finished.
        finished: u64,
    },
    /// A layer, or the part of it that belongs to a class.
    Layer {
        /// `common`, `second` or `first`.
        phase: &'static str,
        /// The step that made it, from 1.
        step: usize,
        /// The number of its class, by the degrees of as many slots as are settled.
        class: u32,
        /// Degree vectors.
        blocks: u64,
        /// States.
        states: u64,
        /// Bytes of the states.
        bytes: u64,
        /// Transitions from the layer before.
        transitions: u64,
    },
    /// A class is finished.
    Class {
        /// What the journal has of it.
        finished: Finished,
        /// Classes that are finished, this one included.
        done: u64,
        /// All classes.
        of: u64,
    },
}

/// A count under way.
pub(crate) struct Engine<'a, S: Store> {
    pub(crate) store: S,
    pub(crate) plan: &'a Plan,
    pub(crate) run: &'a Run,
    pub(crate) work: Work,
    modulus: Option<u64>,
    progress: Progress,
    observe: &'a mut dyn FnMut(Event),
}

/// How far a count is.
struct Progress {
    layers: usize,
    ready: usize,
    /// The estimated sizes of the layers, where they are known.
    sizes: Option<Phases<Vec<Size>>>,
    /// When the first layer of this run began.
    begun: Instant,
    /// The estimated states of the layers that this run has counted.
    counted: f64,
}

impl<'a, S: Store> Engine<'a, S> {
    /// A count of `vectors` live degree vectors; with the estimated sizes of its layers the time
    /// that is left is shown.
    pub(crate) fn new(
        store: S,
        plan: &'a Plan,
        vectors: u64,
        sizes: Option<Phases<Vec<Size>>>,
        observe: &'a mut dyn FnMut(Event),
        run: &'a Run,
    ) -> Self {
        Self {
            store,
            plan,
            run,
            work: Work::of("blocks", vectors),
            modulus: None,
            progress: Progress {
                layers: plan.all().count(),
                ready: 0,
                sizes,
                begun: Instant::now(),
                counted: 0.0,
            },
            observe,
        }
    }

    /// The number of undirected tours: exact at once if it surely fits 128 bits, otherwise by
    /// residues.
    pub(crate) fn count<L: List>(
        &mut self,
        mut live: Live<L>,
        fits: bool,
    ) -> Result<BigUint, FrontierError> {
        if fits {
            match self.total(&mut live) {
                Err(FrontierError::TooMany) => live = Live::new(self.plan, self.run)?,
                total => return Ok(total?.into()),
            }
        }
        let bits = log2_bound(self.plan, &live, self.run)?;
        if bits > MOST_BITS {
            return Err(FrontierError::TooMany);
        }
        let mut combined = Combined::default();
        for prime in primes().take(primes_needed(bits)) {
            combined.add(self.residue(&mut live, prime)?, prime);
        }
        Ok(combined.value())
    }

    /// The count modulo a prime: from the folder, if an earlier run finished that pass.
    fn residue<L: List>(&mut self, live: &mut Live<L>, prime: u64) -> Result<u64, FrontierError> {
        if let Some(folder) = self.store.folder() {
            if let Some(&residue) = folder.residues()?.get(&prime) {
                return Ok(residue);
            }
            folder.pass(prime);
        }
        self.modulus = Some(prime);
        self.store.pass(Some(prime));
        self.progress.ready = 0;
        let residue = self.total(live)? as u64;
        if let Some(folder) = self.store.folder() {
            folder.keep_residue(prime, residue)?;
        }
        Ok(residue)
    }

    /// The count of one pass.
    fn total<L: List>(&mut self, live: &mut Live<L>) -> Result<u128, FrontierError> {
        let plan = self.plan;
        let (branch, place) = self.common(&mut live.common)?;
        let Some(meet) = &plan.meet else {
            return Ok(S::sum(&branch));
        };
        let second = self.phase(Phase::Second, branch.clone(), place, &mut live.second)?;
        let first = self.phase(Phase::First, branch, place, &mut live.first)?;
        self.store.face(meet, second)?;
        let total = self.joined(meet, &first)?;
        Ok(match (self.modulus, meet.multiplicity()) {
            // The modulus is odd.
            (Some(modulus), 2) if total % 2 == 1 => (total + u128::from(modulus)) / 2,
            (_, multiplicity) => total / u128::from(multiplicity),
        })
    }

    /// The last common layer, and which it is.
    pub(crate) fn common<L: List>(
        &mut self,
        live: &mut [L],
    ) -> Result<(Arc<S::Layer>, Place), FrontierError> {
        let start = self.place(0);
        self.progress.begun = Instant::now();
        let vectors = self.vectors(start, &mut live[0])?;
        let layer = Arc::new(self.store.start(vectors)?);
        let branch = self.phase(Phase::Common, layer, start, live)?;
        Ok((branch, self.place(live.len() - 1)))
    }

    /// Which layer the one after some common steps is.
    pub(crate) fn place(&self, steps: usize) -> Place {
        let start = Place {
            phase: Phase::Common,
            step: 0,
            eliminated: 0,
            slots: self.plan.first_slots(),
            is_whole: true,
        };
        start.after(Phase::Common, &self.plan.steps.common[..steps])
    }

    /// Takes a layer through the steps of a phase, from the last layer of it on that an earlier run
    /// left; `live` are its degree vectors, which are taken unless there are other passes.
    pub(crate) fn phase<L: List>(
        &mut self,
        phase: Phase,
        mut layer: Arc<S::Layer>,
        before: Place,
        live: &mut [L],
    ) -> Result<Arc<S::Layer>, FrontierError> {
        let steps = &self.plan.steps[phase];
        let place = |step: usize| before.after(phase, &steps[..step]);
        let mut done = 0;
        let folder = self.store.folder().as_ref();
        let saved = folder.map(|folder| folder.steps(phase)).transpose()?;
        for step in saved
            .into_iter()
            .flatten()
            .filter(|&step| step <= steps.len())
        {
            let members = Members::new(live[step].open(self.run)?.to_vec(), self.run)?;
            let vectors = self.store.ordered(place(step), members)?;
            if let Some(resumed) = self.store.resume(place(step), vectors)? {
                (layer, done) = (Arc::new(resumed), step);
                break;
            }
        }
        self.shown(phase, 0..done, false);
        for (i, step) in steps.iter().enumerate().skip(done) {
            let place = place(i + 1);
            let after = self.vectors(place, &mut live[i + 1])?;
            let ready = self.store.advance(&layer, step, place, after)?;
            self.report(place, 0, &ready);
            self.shown(phase, i..i + 1, true);
            let older = std::mem::replace(&mut layer, Arc::new(ready.layer));
            self.store.save(place, &layer)?;
            if let Some(older) = Arc::into_inner(older) {
                self.store.release(older)?;
            }
        }
        self.store.end_phase(phase, &layer);
        Ok(layer)
    }

    /// The degree vectors of a layer as they are stored.
    fn vectors<L: List>(&self, place: Place, list: &mut L) -> Result<Vectors, FrontierError> {
        let members = match self.modulus {
            Some(_) => Members::new(list.open(self.run)?.to_vec(), self.run)?,
            None => list.take(self.run)?,
        };
        self.store.ordered(place, members)
    }

    /// The sum over the pairs of a layer with the second half, from where an earlier run was.
    fn joined(&mut self, meet: &Meet, first: &S::Layer) -> Result<u128, FrontierError> {
        let mut folder = self.store.folder().take();
        let resumed = folder.as_ref().map(|folder| folder.resume_join());
        let mut joined: Joined = resumed.transpose()?.unwrap_or_default();
        let (from, modulus) = (joined.pairs, self.modulus);
        let done = &mut |pairs, part: Tally| {
            let total = joined.total.wrapping_add(part.total);
            joined.total = modulus.map_or(total, |modulus| total % u128::from(modulus));
            joined.pairs += pairs;
            match &mut folder {
                Some(folder) => folder.keep_join(&joined),
                None => Ok(()),
            }
        };
        let ended = self.store.join(meet, first, Detail::Total, from, done);
        *self.store.folder() = folder;
        ended.map(|()| joined.total)
    }

    /// Counts and shows a layer, of the class with a number.
    pub(crate) fn report(&mut self, place: Place, class: u32, ready: &Ready<S::Layer>) {
        self.work.add("states", ready.states);
        self.work.add("transitions", ready.transitions);
        self.work.at_least("peak_states", ready.states);
        self.tell(Event::Layer {
            phase: place.phase.name(),
            step: place.step,
            class,
            blocks: ready.blocks,
            states: ready.states,
            bytes: ready.bytes,
            transitions: ready.transitions,
        });
    }

    /// The work, and the folder.
    pub(crate) fn end(mut self) -> (Work, Option<Folder>) {
        (self.work, self.store.folder().take())
    }

    pub(crate) fn tell(&mut self, event: Event) {
        (self.observe)(event);
    }

    /// Counts layers as ready, `new` of which this run has counted, and shows how long the others
    /// will take at the speed so far.
    fn shown(&mut self, phase: Phase, steps: std::ops::Range<usize>, new: bool) {
        let now = &mut self.progress;
        now.ready += steps.len();
        if let Some(sizes) = &now.sizes {
            if new {
                now.counted += Size::sum(&sizes[phase][steps]).states;
            }
            let all = Size::sum(sizes.each().into_iter().flatten()).states;
            let seconds = now.begun.elapsed().as_secs_f64() * (all - now.counted) / now.counted;
            let left = (now.counted > 0.0 && seconds < LONGEST)
                .then(|| Duration::from_secs_f64(seconds.max(0.0)));
            let stage = format!("{} of {} layers", now.ready, now.layers);
            self.run.progress.stage(stage, left);
        }
        self.run.progress.start("counting tours", now.layers as u64);
        self.run.progress.advance(now.ready as u64);
    }
}

#[cfg(test)]
mod tests;
