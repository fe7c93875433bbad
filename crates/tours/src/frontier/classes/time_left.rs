//! How long the classes that are not finished will take, by the speed so far.

use std::time::{Duration, Instant};

use super::tree::{ClassSizes, Part};

/// The classes' estimated states, and the time since the first class began.
pub(super) struct TimeLeft {
    sizes: ClassSizes,
    /// The most slots of a key of the sizes.
    part_slots: usize,
    begun: Instant,
    /// The estimated states of the classes that are finished since.
    states_done: f64,
}

impl TimeLeft {
    /// Before the first class, of estimated sizes by keys of at most `part_slots` slots.
    pub(super) fn new(sizes: ClassSizes, part_slots: usize) -> Self {
        Self {
            sizes,
            part_slots,
            begun: Instant::now(),
            states_done: 0.0,
        }
    }

    /// The first class begins now.
    pub(super) fn begin(&mut self) {
        self.begun = Instant::now();
    }

    /// A class is finished.
    pub(super) fn finished(&mut self, part: Part) {
        self.states_done += self.states_of(part);
    }

    /// The time that these classes will take; `None` before the first is finished.
    pub(super) fn of<'a>(&self, open: impl Iterator<Item = &'a Part>) -> Option<Duration> {
        let states: f64 = open.map(|&part| self.states_of(part)).sum();
        (self.states_done > 0.0).then(|| {
            let seconds = self.begun.elapsed().as_secs_f64();
            Duration::from_secs_f64(seconds * states / self.states_done)
        })
    }

    /// The estimated states of a class.
    fn states_of(&self, part: Part) -> f64 {
        self.sizes
            .states_of(self.part_slots, part.level, part.number)
    }
}
