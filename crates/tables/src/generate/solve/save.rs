//! Saving what was found of a frame, and going on from there.

use serde::{Deserialize, Serialize};

use super::{Solver, row};
use crate::error::TableError;
use crate::generate::by_distance::{Level, Levels};
use crate::generate::checkpoint::Log;
use crate::generate::partition::Cut;
use crate::store::spool::Kept;
use crate::store::win_set::Won;
use crate::store::words::Words;

/// How far a schedule has come.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Stand {
    /// The last step that was begun.
    pub(super) last: Option<u16>,
    /// The step that half is done of.
    pub(super) open: Option<u16>,
    /// The last step that is done.
    pub(super) done: Option<u16>,
    /// The cut of the next pass.
    pub(super) cut: usize,
}

/// A list: its code and cell, where it is, in how many bytes, how many positions.
type Row = (u16, usize, u64, u64, u64);

/// What was found since the last time.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    stand: Stand,
    wins: Vec<Row>,
    losses: Vec<Row>,
    /// Whether there is no more to find.
    finished: bool,
}

/// What is saved of a frame.
pub(crate) struct FrameLog {
    pub(crate) log: Log,
    saved: Vec<Saved>,
    fresh: Saved,
}

impl FrameLog {
    pub(crate) fn new((log, saved): (Log, Vec<Saved>)) -> Self {
        Self {
            log,
            saved,
            fresh: Saved::default(),
        }
    }

    /// All wins and losses, if there are no more to find.
    pub(crate) fn finished(&self, cuts: &[Cut; 2], mut levels: Levels) -> Option<Levels> {
        self.saved.last().filter(|saved| saved.finished)?;
        for (which, code, cell, list) in self.lists() {
            let row = row(cuts, cell);
            levels.take(which, Level { code, row, list }).ok()?;
        }
        Some(levels)
    }

    /// All lists that were saved: of wins (0) or losses (1), their codes and cells.
    fn lists(&self) -> impl Iterator<Item = (usize, u16, usize, Kept)> + '_ {
        let kept = move |which: usize| {
            move |&(code, cell, at, bytes, positions): &Row| {
                let list = Kept::filed(self.log.data(), (at, bytes, positions));
                (which, code, cell, list)
            }
        };
        self.saved.iter().flat_map(move |saved| {
            let wins = saved.wins.iter().map(kept(0));
            wins.chain(saved.losses.iter().map(kept(1)))
        })
    }

    /// Notes a list of wins (0) or losses (1) that was found.
    pub(super) fn note(&mut self, which: usize, code: u16, cell: usize, list: &Kept) {
        let rows = match which {
            0 => &mut self.fresh.wins,
            _ => &mut self.fresh.losses,
        };
        let place = list.place();
        rows.extend(place.map(|(at, bytes, positions)| (code, cell, at, bytes, positions)));
    }
}

impl<W: Won> Solver<'_, W> {
    /// Goes on from what was saved: what was found, and how far the schedule had come; none if nothing was saved.
    pub(super) fn resume(&mut self) -> Result<Option<Stand>, TableError> {
        let Some(log) = self.log.take() else {
            return Ok(None);
        };
        let stand = log.saved.last().map(|saved| saved.stand);
        let mut wins = vec![Vec::new(); self.cuts[0].chunks];
        for (which, code, cell, list) in log.lists() {
            if which == 0 {
                wins[cell / self.cuts[1].chunks].push(list.clone());
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
        let marked = self.visits(0, &chunks, |place, near, _| {
            for list in &wins[place.number] {
                for (word, set) in list.load()?.iter() {
                    let word = word as usize;
                    let known = near.get(word);
                    near.set(word, known | set);
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
    pub(super) fn settle(&mut self, stand: Stand) -> Result<(), TableError> {
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
