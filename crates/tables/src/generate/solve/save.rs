//! Saves the results of a subspace and resumes from them.

use serde::{Deserialize, Serialize};

use super::{Solver, row};
use crate::error::TableError;
use crate::generate::by_distance::{ByDistance, DistanceList};
use crate::generate::checkpoint::Log;
use crate::position::partition::Partition;
use crate::store::spool::StoredList;
use crate::store::win_set::{WinSet, cell as cell_of};
use crate::store::words::Words;

/// The retro of a schedule.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ScheduleState {
    /// The last step that was begun.
    pub(super) last: Option<u16>,
    /// The step of which half is done.
    pub(super) open: Option<u16>,
    /// The last step that is done.
    pub(super) done: Option<u16>,
    /// The partition of the next pass.
    #[serde(rename = "cut")]
    pub(super) partition: usize,
}

/// More steps than any ending has.
const MOST_STEPS: u16 = 1 << 14;

/// A list: code, cell, offset, bytes, number of positions.
type SavedList = (u16, usize, u64, u64, u64);

/// The results since the last save.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    #[serde(rename = "stand")]
    reached: ScheduleState,
    wins: Vec<SavedList>,
    losses: Vec<SavedList>,
    /// Whether there is no more to find.
    finished: bool,
}

/// The checkpoint of a subspace.
pub(crate) struct SubspaceLog {
    pub(crate) log: Log,
    saved: Vec<Saved>,
    fresh: Saved,
}

impl SubspaceLog {
    /// The checkpoint of a subspace of a given number of words, whose entries are checked.
    ///
    /// # Errors
    /// [`TableError::File`] if a list does not hold positions of its cell, or cannot be read.
    pub(crate) fn new(
        (log, saved): (Log, Vec<Saved>),
        partitions: &[Partition; 2],
        words: usize,
    ) -> Result<Self, TableError> {
        let log = Self {
            log,
            saved,
            fresh: Saved::default(),
        };
        let cells = partitions[0].chunks * partitions[1].chunks;
        for saved in &log.saved {
            let ScheduleState {
                last,
                open,
                done,
                partition,
            } = saved.reached;
            let steps = [last, open, done].into_iter().flatten();
            if partition > 1 || steps.max() > Some(MOST_STEPS) {
                return Err(log.log.wrong());
            }
            for &(code, cell, at, bytes, positions) in saved.wins.iter().chain(&saved.losses) {
                if !(1..=MOST_STEPS).contains(&code) || cell >= cells || !log.log.holds(at, bytes) {
                    return Err(log.log.wrong());
                }
                let list = StoredList::in_file(log.log.data(), (at, bytes, positions)).load()?;
                let own = |word| word < words && cell_of(partitions, word) == cell;
                if !list.is_sound(own) {
                    return Err(log.log.wrong());
                }
            }
        }
        Ok(log)
    }

    /// Returns all wins and losses if the subspace was solved completely.
    pub(crate) fn finished(
        &self,
        partitions: &[Partition; 2],
        mut by_distance: ByDistance,
    ) -> Option<ByDistance> {
        self.saved.last().filter(|saved| saved.finished)?;
        for (which, code, cell, list) in self.lists() {
            let row = row(partitions, cell);
            by_distance
                .add(which, DistanceList { code, row, list })
                .ok()?;
        }
        Some(by_distance)
    }

    /// Returns all saved lists: wins (0) or losses (1), code, cell, list.
    fn lists(&self) -> impl Iterator<Item = (usize, u16, usize, StoredList)> + '_ {
        let kept = move |which: usize| {
            move |&(code, cell, at, bytes, positions): &SavedList| {
                let list = StoredList::in_file(self.log.data(), (at, bytes, positions));
                (which, code, cell, list)
            }
        };
        self.saved.iter().flat_map(move |saved| {
            let wins = saved.wins.iter().map(kept(0));
            wins.chain(saved.losses.iter().map(kept(1)))
        })
    }

    /// Records a list of wins (0) or losses (1).
    pub(super) fn record_list(&mut self, which: usize, code: u16, cell: usize, list: &StoredList) {
        let rows = match which {
            0 => &mut self.fresh.wins,
            _ => &mut self.fresh.losses,
        };
        let location = list.location();
        rows.extend(location.map(|(at, bytes, positions)| (code, cell, at, bytes, positions)));
    }
}

impl<W: WinSet> Solver<'_, W> {
    /// Restores the saved results and returns the retro of the schedule; `None` if nothing was
    /// saved.
    pub(super) fn resume(&mut self) -> Result<Option<ScheduleState>, TableError> {
        let Some(log) = self.log.take() else {
            return Ok(None);
        };
        let reached = log.saved.last().map(|saved| saved.reached);
        let mut wins = vec![Vec::new(); self.partitions[0].chunks];
        for (which, code, cell, list) in log.lists() {
            if which == 0 {
                wins[cell / self.partitions[1].chunks].push(list.clone());
                self.record_win(code, cell, list)?;
            } else {
                self.record_loss(code, cell, list)?;
            }
        }
        self.log = Some(log);
        let Some(reached) = reached else {
            return Ok(None);
        };
        let chunks: Vec<_> = (0..wins.len()).filter(|&c| !wins[c].is_empty()).collect();
        self.process_chunks(0, &chunks, |chunk_ref, known_wins, _| {
            for list in &wins[chunk_ref.number] {
                for (word, set) in list.load()?.iter() {
                    let word = word as usize;
                    let known = known_wins.get(word);
                    known_wins.set(word, known | set);
                }
            }
            Ok(())
        })?;
        if let Some(done) = reached.done {
            (0..=done).for_each(|step| self.release(step));
        }
        Ok(Some(reached))
    }

    /// Saves the results if the interval has passed.
    pub(super) fn save_if_due(&mut self, reached: ScheduleState) -> Result<(), TableError> {
        match &mut self.log {
            Some(log) if log.log.is_due() => {
                let saved = Saved {
                    reached,
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
