//! The schedule by sides: a pass of the attacker's moves, then one of the defender's.

use super::save::Stand;
use super::{Solver, Visit};
use crate::error::TableError;
use crate::generate::retro_step::{Group, State};
use crate::store::spool::Kept;
use crate::store::win_set::Won;

impl<W: Won> Solver<'_, W> {
    pub(super) fn subcycles(&mut self, stand: Stand) -> Result<(), TableError> {
        let mut step = self.next(stand.last, false);
        while let Some(now) = step {
            self.begin_cycle(now);
            let fresh = self.attack(now)?;
            self.defend(now, &fresh)?;
            self.end_cycle(now);
            self.settle_after(now)?;
            step = self.next(step, false);
        }
        Ok(())
    }

    /// The attacker's pass of a cycle: all his moves, over chunks in which the defender's king stays. Gives the new wins by
    /// the chunk of the attacker's king.
    fn attack(&mut self, step: u16) -> Result<Vec<Vec<Kept>>, TableError> {
        let chunks: Vec<_> = (0..self.cuts[1].chunks)
            .filter(|&chunk| self.lists(step, 1, chunk).next().is_some())
            .collect();
        let visits = self.visits(1, &chunks, |place, near, bench| {
            let (cut, number) = (place.cut(), place.number);
            let mut visit = Visit::default();
            for list in self.lists(step, 1, number) {
                visit.traffic.sparse += list.bytes() * 8;
                let list = list.load()?;
                self.state.expand(near, cut, &list, Group::All, bench);
            }
            let mut cells = self.cells();
            bench.wins.drain(|local, set| {
                let word = cut.word(number, local);
                cells.push(self.cell(word), word, set);
            });
            for (cell, list) in cells.finish()? {
                visit.traffic.sparse += list.bytes() * 8;
                visit.wins.push((step, cell, list));
            }
            self.count_chunk(cut.len(number), true, bench, &mut visit);
            Ok(visit)
        })?;
        let columns = self.cuts[1].chunks;
        let mut fresh = vec![Vec::new(); self.cuts[0].chunks];
        for visit in visits.iter().flatten() {
            for (_, cell, list) in &visit.wins {
                fresh[cell / columns].push(list.clone());
            }
        }
        self.keep(visits)?;
        Ok(fresh)
    }

    /// The defender's pass of a cycle, over chunks in which the attacker's king stays.
    fn defend(&mut self, step: u16, fresh: &[Vec<Kept>]) -> Result<(), TableError> {
        let chunks: Vec<_> = (0..self.cuts[0].chunks)
            .filter(|&c| !fresh[c].is_empty() || self.seeded(&self.seeds[c], step))
            .collect();
        let visits = self.visits(0, &chunks, |place, near, bench| {
            let (cut, number) = (place.cut(), place.number);
            let mut visit = Visit::default();
            let seeds = &self.seeds[number];
            // Conversions first: what they win is new, and is kept with the losses it leads to.
            for list in seeds.wins(step) {
                State::mark(near, cut, &*list.load()?, &mut bench.wins);
            }
            let mut marked = self.cells();
            let mut again: Vec<(usize, u64)> = Vec::new();
            bench.wins.drain(|local, set| {
                let word = cut.word(number, local);
                marked.push(self.cell(word), word, set);
                again.push((local, set));
            });
            for (local, set) in again {
                bench.wins.add(local, set);
            }
            for list in &fresh[number] {
                visit.traffic.sparse += list.bytes() * 8;
                for (word, set) in list.load()?.iter() {
                    bench.wins.add(cut.local(word as usize), set);
                }
            }
            self.answer(place, near, bench, step, Some(seeds), false, &mut visit)?;
            let marked = marked.finish()?;
            self.count_chunk(cut.len(number), !marked.is_empty(), bench, &mut visit);
            visit
                .wins
                .extend(marked.into_iter().map(|(cell, list)| (step, cell, list)));
            Ok(visit)
        })?;
        self.keep(visits)
    }
}
