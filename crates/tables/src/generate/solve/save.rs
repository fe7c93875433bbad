//! Saving what was found of a subspace, and going on from there.

use serde::{Deserialize, Serialize};

use super::{Solver, row};
use crate::error::TableError;
use crate::generate::by_distance::{ByDistance, DistanceList};
use crate::generate::checkpoint::Log;
use crate::position::partition::Partition;
use crate::store::spool::StoredList;
use crate::store::win_set::WinSet;
use crate::store::words::Words;

/// How far a schedule has come.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// The last step that was begun.
    pub(super) last: Option<u16>,
    /// The step that half is done of.
    pub(super) open: Option<u16>,
    /// The last step that is done.
    pub(super) done: Option<u16>,
    /// The partition of the next pass.
    pub(super) partition: usize,
}

/// A list: its code and cell, where it is, in how many bytes, how many positions.
type Row = (u16, usize, u64, u64, u64);

/// What was found since the last time.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    stand: Progress,
    wins: Vec<Row>,
    losses: Vec<Row>,
    /// Whether there is no more to find.
    finished: bool,
}

/// What is saved of a subspace.
pub(crate) struct SubspaceLog {
    pub(crate) log: Log,
    saved: Vec<Saved>,
    fresh: Saved,
}

impl SubspaceLog {
    pub(crate) fn new((log, saved): (Log, Vec<Saved>)) -> Self {
        Self {
            log,
            saved,
            fresh: Saved::default(),
        }
    }

    /// All wins and losses, if there are no more to find.
    pub(crate) fn finished(
        &self,
        partitions: &[Partition; 2],
        mut by_distance: ByDistance,
    ) -> Option<ByDistance> {
        self.saved.last().filter(|saved| saved.finished)?;
        for (which, code, cell, list) in self.lists() {
            let row = row(partitions, cell);
            by_distance
                .take(which, DistanceList { code, row, list })
                .ok()?;
        }
        Some(by_distance)
    }

    /// All lists that were saved: of wins (0) or losses (1), their codes and cells.
    fn lists(&self) -> impl Iterator<Item = (usize, u16, usize, StoredList)> + '_ {
        let kept = move |which: usize| {
            move |&(code, cell, at, bytes, positions): &Row| {
                let list = StoredList::filed(self.log.data(), (at, bytes, positions));
                (which, code, cell, list)
            }
        };
        self.saved.iter().flat_map(move |saved| {
            let wins = saved.wins.iter().map(kept(0));
            wins.chain(saved.losses.iter().map(kept(1)))
        })
    }

    /// Notes a list of wins (0) or losses (1) that was found.
    pub(super) fn note(&mut self, which: usize, code: u16, cell: usize, list: &StoredList) {
        let rows = match which {
            0 => &mut self.fresh.wins,
            _ => &mut self.fresh.losses,
        };
        let place = list.place();
        rows.extend(place.map(|(at, bytes, positions)| (code, cell, at, bytes, positions)));
    }
}

impl<W: WinSet> Solver<'_, W> {
    /// Goes on from what was saved: what was found, and how far the schedule had come; none if nothing was saved.
    pub(super) fn resume(&mut self) -> Result<Option<Progress>, TableError> {
        let Some(log) = self.log.take() else {
            return Ok(None);
        };
        let stand = log.saved.last().map(|saved| saved.stand);
        let mut wins = vec![Vec::new(); self.partitions[0].chunks];
        for (which, code, cell, list) in log.lists() {
            if which == 0 {
                wins[cell / self.partitions[1].chunks].push(list.clone());
                self.keep_win(code, cell, list)?;
            } else {
                self.keep_loss(code, cell, list)?;
            }
        }
        self.log = Some(log);
        let Some(stand) = stand else {
            return Ok(None);
        };
        let chunks: Vec<_> = (0..wins.len()).filter(|&c| !wins[c].is_empty()).collect();
        let marked = self.visits(0, &chunks, |place, win_set, _| {
            for list in &wins[place.number] {
                for (word, set) in list.load()?.iter() {
                    let word = word as usize;
                    let known = win_set.get(word);
                    win_set.set(word, known | set);
                }
            }
            Ok(())
        })?;
        marked.into_iter().collect::<Result<(), _>>()?;
        if let Some(done) = stand.done {
            (0..=done).for_each(|step| self.forget(step));
        }
        Ok(Some(stand))
    }

    /// Saves what was found if it is time.
    pub(super) fn settle(&mut self, stand: Progress) -> Result<(), TableError> {
        match &mut self.log {
            Some(log) if log.log.is_due() => {
                let saved = Saved {
                    stand,
                    ..std::mem::take(&mut log.fresh)
                };
                Ok(log.log.save(saved)?)
            }
            _ => Ok(()),
        }
    }

    /// Saves that there is no more to find.
    pub(super) fn finish(&mut self) -> Result<(), TableError> {
        if let Some(log) = &mut self.log {
            let saved = Saved {
                finished: true,
                ..std::mem::take(&mut log.fresh)
            };
            log.log.save(saved)?;
        }
        Ok(())
    }
}
