//! The schedule by sides: a pass of the attacker's moves, then a pass of the defender's.

use super::{ChunkResult, Solver};
use crate::error::TableError;
use crate::generate::retro_step::{Group, RetroStep};
use crate::store::spool::StoredList;
use crate::store::win_set::WinSet;

impl<W: WinSet> Solver<'_, W> {
    pub(super) fn subcycle(&mut self, step: u16) -> Result<(), TableError> {
        let fresh = self.attack(step)?;
        self.defend(step, &fresh)
    }

    /// The attacker's pass of a cycle: all of its moves, over chunks in which the defender's king
    /// is fixed. Returns the new wins by the chunk of the attacker's king.
    fn attack(&mut self, step: u16) -> Result<Vec<Vec<StoredList>>, TableError> {
        let chunks: Vec<_> = (0..self.partitions[1].chunks)
            .filter(|&chunk| self.lists(step, 1, chunk).next().is_some())
            .collect();
        let results = self.process_chunks(1, &chunks, |chunk_ref, known_wins, workspace| {
            let (partition, number) = (chunk_ref.partition(), chunk_ref.number);
            let mut found = ChunkResult::default();
            for list in self.lists(step, 1, number) {
                found.traffic.sparse += list.bytes() * 8;
                let list = list.load()?;
                self.retro
                    .find_wins(known_wins, partition, &list, Group::All, workspace);
            }
            let mut cells = self.cells();
            workspace.wins.drain(|local, set| {
                let word = partition.word(number, local);
                cells.push(self.cell(word), word, set);
            });
            for (cell, list) in cells.finish()? {
                found.traffic.sparse += list.bytes() * 8;
                found.wins.push((step, cell, list));
            }
            self.count_chunk(partition.len(number), true, workspace, &mut found);
            Ok(found)
        })?;
        let columns = self.partitions[1].chunks;
        let mut fresh = vec![Vec::new(); self.partitions[0].chunks];
        for found in &results {
            for (_, cell, list) in &found.wins {
                fresh[cell / columns].push(list.clone());
            }
        }
        self.record(results)?;
        Ok(fresh)
    }

    /// The defender's pass of a cycle, over chunks in which the attacker's king is fixed.
    fn defend(&mut self, step: u16, fresh: &[Vec<StoredList>]) -> Result<(), TableError> {
        let chunks: Vec<_> = (0..self.partitions[0].chunks)
            .filter(|&c| !fresh[c].is_empty() || self.has_conversions(&self.initial[c], step))
            .collect();
        let results = self.process_chunks(0, &chunks, |chunk_ref, known_wins, workspace| {
            let (partition, number) = (chunk_ref.partition(), chunk_ref.number);
            let mut found = ChunkResult::default();
            let initial = &self.initial[number];
            // Conversions first: their wins are new, and are recorded with the losses they lead to.
            for list in initial.wins(step) {
                RetroStep::mark(known_wins, partition, &*list.load()?, &mut workspace.wins);
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
                found.traffic.sparse += list.bytes() * 8;
                for (word, set) in list.load()?.iter() {
                    workspace.wins.add(partition.local(word as usize), set);
                }
            }
            self.find_losses(
                chunk_ref,
                known_wins,
                workspace,
                step,
                Some(initial),
                false,
                &mut found,
            )?;
            let marked = marked.finish()?;
            self.count_chunk(
                partition.len(number),
                !marked.is_empty(),
                workspace,
                &mut found,
            );
            found
                .wins
                .extend(marked.into_iter().map(|(cell, list)| (step, cell, list)));
            Ok(found)
        })?;
        self.record(results)
    }
}
