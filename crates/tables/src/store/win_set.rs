//! Where the set of wins is while a frame is solved: in memory, or in a file from which a visit brings its chunk near.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use everymove_kernel::files::FileError;

use crate::error::TableError;
use crate::generate::partition::{Cut, largest};
use crate::store::spool::Scratch;
use crate::store::words::Words;

/// A chunk that is visited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) cuts: &'a [Cut; 2],
    /// Which of the cuts.
    pub(crate) which: usize,
    pub(crate) number: usize,
}

impl<'a> Place<'a> {
    pub(crate) fn cut(&self) -> &'a Cut {
        &self.cuts[self.which]
    }
}

/// The set of wins of a frame.
pub(crate) trait Won: Sync {
    /// What a visit sees of it: the words of its chunk.
    type Near<'a>: Words
    where
        Self: 'a;
    /// Sets that a thread collects while it visits.
    type Pile: Words + Send;

    /// Sets of so many words, all empty.
    fn pile(&self, words: usize) -> Result<Self::Pile, FileError>;

    /// Brings a chunk near, works on it, and takes it back. No other visit may touch the chunk at the same time.
    fn visit<T>(
        &self,
        place: Place<'_>,
        desk: &mut Desk,
        work: impl FnOnce(&mut Self::Near<'_>) -> Result<T, TableError>,
    ) -> Result<T, TableError>;

    /// Bytes read from disk and written to it so far.
    fn moved(&self) -> (u64, u64);

    /// As [`Scratch::uncache`].
    fn uncache(&self) -> Result<(), FileError>;
}

/// Where a thread puts a chunk.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    words: Vec<u64>,
    dirty: Vec<bool>,
    bytes: Vec<u8>,
}

impl Desk {
    /// Bytes of the largest chunk and cell of a set of so many words.
    pub(crate) fn bytes(cuts: &[Cut; 2], words: usize) -> u64 {
        let bits = stretch_bits(cuts);
        let mut cells = vec![0u64; cuts[0].chunks * cuts[1].chunks];
        for first in (0..words).step_by(1 << bits) {
            cells[cell(cuts, first)] += 8 << bits;
        }
        largest(cuts) as u64 * 8 + cells.into_iter().max().unwrap_or(0)
    }
}

/// The cell of a word: its chunks of both cuts.
#[inline]
pub(crate) fn cell(cuts: &[Cut; 2], word: usize) -> usize {
    cuts[0].chunk(word) * cuts[1].chunks + cuts[1].chunk(word)
}

/// The logarithm of how many words are neighbours in the chunks of both cuts.
fn stretch_bits(cuts: &[Cut; 2]) -> u32 {
    cuts[0].stretch_bits().min(cuts[1].stretch_bits())
}

/// The whole set in memory.
#[derive(Debug)]
pub(crate) struct Held(Vec<AtomicU64>);

impl Held {
    /// Bytes of a set of so many words.
    pub(crate) fn bytes(words: usize) -> u64 {
        words as u64 * 8
    }

    pub(crate) fn new(words: usize) -> Self {
        Self((0..words).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Won for Held {
    type Near<'a> = &'a [AtomicU64];
    type Pile = Vec<u64>;

    fn pile(&self, words: usize) -> Result<Vec<u64>, FileError> {
        Ok(vec![0; words])
    }

    fn visit<T>(
        &self,
        _: Place<'_>,
        _: &mut Desk,
        work: impl FnOnce(&mut Self::Near<'_>) -> Result<T, TableError>,
    ) -> Result<T, TableError> {
        work(&mut &self.0[..])
    }

    fn moved(&self) -> (u64, u64) {
        (0, 0)
    }

    fn uncache(&self) -> Result<(), FileError> {
        Ok(())
    }
}

/// The set in a file, cell by cell: a chunk of either cut is some cells, each read and written in one go.
#[derive(Debug)]
pub(crate) struct Filed {
    file: Scratch,
    /// By cell (chunk of the first cut, then of the second): where it begins, in words.
    starts: Vec<usize>,
    /// By cell: the first words of its stretches of words that are neighbours in all chunks.
    stretches: Vec<Vec<u32>>,
    stretch_bits: u32,
    columns: usize,
}

impl Filed {
    /// An empty set of a frame cut in two ways, in a file of its own, which goes with this value.
    pub(crate) fn new(path: &Path, cuts: &[Cut; 2], words: usize) -> Result<Self, FileError> {
        let stretch_bits = stretch_bits(cuts);
        let columns = cuts[1].chunks;
        let mut stretches = vec![Vec::new(); cuts[0].chunks * columns];
        for first in (0..words).step_by(1 << stretch_bits) {
            stretches[cell(cuts, first)].push(first as u32);
        }
        let mut starts = Vec::with_capacity(stretches.len());
        let mut end = 0;
        for cell in &stretches {
            starts.push(end);
            end += cell.len() << stretch_bits;
        }
        let file = Scratch::new(path)?;
        file.resize(end as u64 * 8)?;
        Ok(Self {
            file,
            starts,
            stretches,
            stretch_bits,
            columns,
        })
    }

    /// The cells of a chunk.
    fn cells(&self, place: Place<'_>) -> impl Iterator<Item = usize> + use<> {
        let (columns, number) = (self.columns, place.number);
        let (first, step, count) = match place.which {
            0 => (number * columns, 1, columns),
            _ => (number, columns, place.cuts[0].chunks),
        };
        (0..count).map(move |i| first + i * step)
    }

    fn load(&self, place: Place<'_>, desk: &mut Desk) -> Result<(), FileError> {
        let cut = place.cut();
        let length = 1 << self.stretch_bits;
        desk.words.resize(cut.len(place.number), 0);
        desk.dirty.clear();
        desk.dirty.resize(self.starts.len(), false);
        for cell in self.cells(place) {
            let stretches = &self.stretches[cell];
            desk.bytes.resize((stretches.len() * length) * 8, 0);
            let at = self.starts[cell] as u64 * 8;
            self.file.fetch(at, &mut desk.bytes)?;
            let parts = desk.bytes.chunks_exact(length * 8);
            for (&first, part) in stretches.iter().zip(parts) {
                let local = cut.local(first as usize);
                let words = &mut desk.words[local..local + length];
                for (word, bytes) in words.iter_mut().zip(part.as_chunks().0) {
                    *word = u64::from_le_bytes(*bytes);
                }
            }
        }
        Ok(())
    }

    fn store(&self, place: Place<'_>, desk: &mut Desk) -> Result<(), FileError> {
        let cut = place.cut();
        let length = 1 << self.stretch_bits;
        for cell in self.cells(place).filter(|&cell| desk.dirty[cell]) {
            desk.bytes.clear();
            for &first in &self.stretches[cell] {
                let local = cut.local(first as usize);
                let words = &desk.words[local..local + length];
                desk.bytes
                    .extend(words.iter().flat_map(|word| word.to_le_bytes()));
            }
            self.file.put(self.starts[cell] as u64 * 8, &desk.bytes)?;
        }
        Ok(())
    }
}

/// A chunk on a desk.
#[derive(Debug)]
pub(crate) struct Loaded<'a> {
    cuts: &'a [Cut; 2],
    cut: &'a Cut,
    words: &'a mut [u64],
    /// By cell: whether it was changed.
    dirty: &'a mut [bool],
}

impl Words for Loaded<'_> {
    #[inline]
    fn get(&mut self, word: usize) -> u64 {
        self.words[self.cut.local(word)]
    }

    #[inline]
    fn set(&mut self, word: usize, set: u64) {
        self.words[self.cut.local(word)] = set;
        self.dirty[cell(self.cuts, word)] = true;
    }
}

impl Won for Filed {
    type Near<'a> = Loaded<'a>;
    type Pile = Vec<u64>;

    fn pile(&self, words: usize) -> Result<Vec<u64>, FileError> {
        Ok(vec![0; words])
    }

    fn visit<T>(
        &self,
        place: Place<'_>,
        desk: &mut Desk,
        work: impl FnOnce(&mut Self::Near<'_>) -> Result<T, TableError>,
    ) -> Result<T, TableError> {
        self.load(place, desk)?;
        let done = work(&mut Loaded {
            cuts: place.cuts,
            cut: place.cut(),
            words: &mut desk.words,
            dirty: &mut desk.dirty,
        })?;
        self.store(place, desk)?;
        Ok(done)
    }

    fn moved(&self) -> (u64, u64) {
        self.file.moved()
    }

    fn uncache(&self) -> Result<(), FileError> {
        self.file.uncache()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use everymove_kernel::run::{Ram, Run};

    use super::*;
    use crate::generate::by_distance::{Form, Levels};
    use crate::generate::conversions::Conversions;
    use crate::generate::retro_step::State;
    use crate::generate::schedule::Schedule;
    use crate::generate::solve::{Order, cuts, solve};
    use crate::metric::Metric;
    use crate::position::index_space::Space;
    use crate::position::material::Material;
    use crate::position::subspace::Frame;
    use crate::store::paged::Swapped;
    use crate::store::spool::Spool;
    use crate::{Plan, Tables, build};

    /// What was found, by code and word.
    fn found(levels: &Levels) -> [BTreeMap<(u16, u32), u64>; 2] {
        [&levels.wins, &levels.losses].map(|lists| {
            let mut all = BTreeMap::new();
            for level in lists {
                for (word, set) in level.list.load().unwrap().iter() {
                    *all.entry((level.code, word)).or_default() |= set;
                }
            }
            all
        })
    }

    #[test]
    fn sets_in_files_find_what_sets_in_memory_find() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::new(folder.path(), Metric::Mate);
        let material: Material = "KRvKN".parse().unwrap();
        let run = Run::new(2, Ram::unlimited());
        for material in material.children() {
            let plan = Plan::new(material, Metric::Mate);
            build(&plan, &tables, &run).unwrap();
        }
        let half = material.halves().remove(0);
        let space = std::sync::Arc::new(Space::new(&half));
        let words = space.len() / 64;
        let mut expected = None;
        for schedule in Schedule::ALL {
            let cuts = cuts(&space, schedule, words);
            let solve_in = |home: &str| {
                let view = |half: &_, side| tables.view(half, side, &run);
                let conversions = Conversions::new(&space, Metric::Mate, view).unwrap();
                let frame = Frame::new(space.clone(), None);
                let mut state = State::new(frame, Metric::Mate, conversions.into());
                let order = Order {
                    schedule,
                    form: Form::Lists,
                    uncached: home == "uncached",
                };
                let spool = match home {
                    "memory" => Spool::held(),
                    _ => Spool::filed(&folder.path().join("lists")).unwrap(),
                };
                let path = folder.path().join("won");
                let (state, spool) = (&mut state, &spool);
                let levels = if home == "memory" {
                    solve(state, &Held::new(words), &cuts, order, None, spool, &run)
                } else if schedule == Schedule::Scan {
                    let won = Swapped::new(folder.path(), words, 40_000).unwrap();
                    let levels = solve(state, &won, &cuts, order, None, spool, &run);
                    assert!(won.moved().0 > 0);
                    levels
                } else {
                    let won = Filed::new(&path, &cuts, words).unwrap();
                    let levels = solve(state, &won, &cuts, order, None, spool, &run);
                    assert!(won.moved().1 > 0);
                    levels
                };
                found(&levels.unwrap())
            };
            for home in ["memory", "files", "uncached"] {
                let found = solve_in(home);
                assert!(found[0].len() > 1000 && found[1].len() > 1000);
                let same = *expected.get_or_insert_with(|| found.clone()) == found;
                assert!(same, "{schedule} {home}");
            }
        }
    }
}
