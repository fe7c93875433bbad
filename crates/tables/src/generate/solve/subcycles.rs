//! The schedule by sides: a pass of the attacker's moves, then one of the defender's.

use super::save::Progress;
use super::{Solver, Visit};
use crate::error::TableError;
use crate::generate::retro_step::{Group, State};
use crate::store::spool::StoredList;
use crate::store::win_set::WinSet;

impl<W: WinSet> Solver<'_, W> {
    pub(super) fn subcycles(&mut self, stand: Progress) -> Result<(), TableError> {
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
    fn attack(&mut self, step: u16) -> Result<Vec<Vec<StoredList>>, TableError> {
        let chunks: Vec<_> = (0..self.partitions[1].chunks)
            .filter(|&chunk| self.lists(step, 1, chunk).next().is_some())
            .collect();
        let visits = self.visits(1, &chunks, |place, win_set, workspace| {
            let (partition, number) = (place.partition(), place.number);
            let mut visit = Visit::default();
            for list in self.lists(step, 1, number) {
                visit.traffic.sparse += list.bytes() * 8;
                let list = list.load()?;
                self.state
                    .expand(win_set, partition, &list, Group::All, workspace);
            }
            let mut cells = self.cells();
            workspace.wins.drain(|local, set| {
                let word = partition.word(number, local);
                cells.push(self.cell(word), word, set);
            });
            for (cell, list) in cells.finish()? {
                visit.traffic.sparse += list.bytes() * 8;
                visit.wins.push((step, cell, list));
            }
            self.count_chunk(partition.len(number), true, workspace, &mut visit);
            Ok(visit)
        })?;
        let columns = self.partitions[1].chunks;
        let mut fresh = vec![Vec::new(); self.partitions[0].chunks];
        for visit in visits.iter().flatten() {
            for (_, cell, list) in &visit.wins {
                fresh[cell / columns].push(list.clone());
            }
        }
        self.keep(visits)?;
        Ok(fresh)
    }

    /// The defender's pass of a cycle, over chunks in which the attacker's king stays.
    fn defend(&mut self, step: u16, fresh: &[Vec<StoredList>]) -> Result<(), TableError> {
        let chunks: Vec<_> = (0..self.partitions[0].chunks)
            .filter(|&c| !fresh[c].is_empty() || self.seeded(&self.initial[c], step))
            .collect();
        let visits = self.visits(0, &chunks, |place, win_set, workspace| {
            let (partition, number) = (place.partition(), place.number);
            let mut visit = Visit::default();
            let initial = &self.initial[number];
            // Conversions first: what they win is new, and is kept with the losses it leads to.
            for list in initial.wins(step) {
                State::mark(win_set, partition, &*list.load()?, &mut workspace.wins);
            }
            let mut marked = self.cells();
            let mut again: Vec<(usize, u64)> = Vec::new();
            workspace.wins.drain(|local, set| {
                let word = partition.word(number, local);
                marked.push(self.cell(word), word, set);
                again.push((local, set));
            });
            for (local, set) in again {
                workspace.wins.add(local, set);
            }
            for list in &fresh[number] {
                visit.traffic.sparse += list.bytes() * 8;
                for (word, set) in list.load()?.iter() {
                    workspace.wins.add(partition.local(word as usize), set);
                }
            }
            self.answer(
                place,
                win_set,
                workspace,
                step,
                Some(initial),
                false,
                &mut visit,
            )?;
            let marked = marked.finish()?;
            self.count_chunk(
                partition.len(number),
                !marked.is_empty(),
                workspace,
                &mut visit,
            );
            visit
                .wins
                .extend(marked.into_iter().map(|(cell, list)| (step, cell, list)));
            Ok(visit)
        })?;
        self.keep(visits)
    }
}
