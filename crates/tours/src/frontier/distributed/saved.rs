//! Layers saved by the processes that share them, each its part, from which any number of processes resumes.
//!
//! A state is a layer; its step is the number of steps done before it, those of the common beginning first, then those of the second half,
//! then those of the first. A count needs the last layer and, if that is of a half, the last layers of the phases before. The pieces of
//! a part are those of [`message`](super::message).
//!
//! The head: the slots of the frontier; the sum of all counts (two words, the lower one first); then four lists, each after its length: the key
//! squares, the edges offered to each slot, the part that has each group, and the digest, states and transitions of every layer up to this one.

use std::sync::Arc;
use std::time::Instant;

use everymove_kernel::files::{
    FileError, Format, SavedParts, SavedState, complete_states, found_parts,
};
use xxhash_rust::xxh3::xxh3_64;

use super::super::FrontierError;
use super::super::block::Layer;
use super::count::{At, Counting, Made, Part, digest};
use super::ghosts::with_pieces;
use super::key_squares::KeySquares;
use super::link::Ended;
use super::message::Pieces;
use super::owners::Owners;

/// The files of parts of layers.
pub const SHARED_PART: Format = Format {
    magic: *b"EMTSHARE",
    version: 1,
    what: "a part of a shared layer of a tours count",
};

/// What the memory of saved blocks is called when it is asked for.
const WHAT: &str = "counting: the counts of a saved layer";

/// The states of a count that are saved.
pub(super) struct Saved {
    parts: Option<SavedParts>,
    /// Those that are needed.
    states: Vec<SavedState>,
}

impl Saved {
    pub(super) fn new(parts: Option<SavedParts>) -> Self {
        let states = Vec::new();
        Self { parts, states }
    }

    /// Whether the last save is long enough ago.
    pub(super) fn is_due(&self) -> bool {
        self.parts.as_ref().is_some_and(SavedParts::is_due)
    }

    /// Removes what was saved: call it when all processes have the answer.
    pub(super) fn remove(&self) -> Result<(), FrontierError> {
        match &self.parts {
            Some(parts) => Ok(parts.keep_only(&[])?),
            None => Ok(()),
        }
    }
}

/// What is the same in all parts of a layer.
struct Head {
    slots: usize,
    sum: u128,
    squares: KeySquares,
    /// The part in which the blocks of each group are.
    of_group: Vec<usize>,
    /// The layers up to this one.
    made: Vec<Made>,
}

impl Head {
    fn numbers(part: &Part, made: &[Made]) -> Vec<u64> {
        let mut numbers = vec![part.slots as u64, part.sum as u64, (part.sum >> 64) as u64];
        let bytes = |bytes: &[u8]| bytes.iter().map(|&byte| byte.into()).collect::<Vec<u64>>();
        let (squares, offered) = part.squares.numbers();
        let owners = part.owners.of_groups().iter().map(|&owner| owner as u64);
        let made = made.iter();
        let made = made.flat_map(|made| [made.digest, made.states, made.transitions]);
        let lists = [
            bytes(squares),
            bytes(offered),
            owners.collect(),
            made.collect(),
        ];
        for list in lists {
            numbers.push(list.len() as u64);
            numbers.extend(list);
        }
        numbers
    }

    fn of_numbers(numbers: &[u64], processes: usize) -> Option<Self> {
        let (fixed, mut rest) = numbers.split_first_chunk::<3>()?;
        let mut list = || {
            let (&length, list) = rest.split_first()?;
            let (list, left) = list.split_at_checked(usize::try_from(length).ok()?)?;
            rest = left;
            Some(list.to_vec())
        };
        let bytes = |list: Vec<u64>| {
            let bytes = list.into_iter().map(|byte| u8::try_from(byte).ok());
            bytes.collect::<Option<Vec<u8>>>()
        };
        let (squares, offered) = (bytes(list()?)?, bytes(list()?)?);
        let of_group = list()?.into_iter().map(|owner| usize::try_from(owner).ok());
        let of_group: Vec<usize> = of_group.collect::<Option<_>>()?;
        let made = list()?;
        let (made, _) = made.as_chunks::<3>();
        let made = made.iter().map(|&[digest, states, transitions]| Made {
            digest,
            states,
            transitions,
        });
        let &[slots, low, high] = fixed;
        let slots = usize::try_from(slots).ok()?;
        Some(Self {
            slots,
            sum: u128::from(high) << 64 | u128::from(low),
            squares: KeySquares::of_numbers(squares, offered, slots, processes)?,
            of_group,
            made: made.collect(),
        })
    }
}

impl Counting<'_> {
    /// Saves this process's part of a layer, and those of other layers that are needed and were not saved; all processes do.
    pub(super) fn save(
        &mut self,
        needed: &[(usize, &Part)],
        last: (usize, &Part),
    ) -> Result<(), Ended> {
        let Some(parts) = &mut self.saved.parts else {
            return Ok(());
        };
        let started = Instant::now();
        let mut states = Vec::new();
        for &(step, part) in needed.iter().chain([&last]) {
            let known = self.saved.states.iter();
            let known = known.copied().find(|state| state.step == step as u64);
            states.push(match known {
                Some(state) => state,
                // The layer before the first step is not saved.
                None if step == 0 => continue,
                None => {
                    let head = Head::numbers(part, &self.made[..=step]);
                    let bytes: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
                    let state = SavedState {
                        step: step as u64,
                        parts: self.exchange.processes() as u64,
                        id: xxh3_64(&bytes),
                    };
                    let process = self.exchange.process();
                    parts.save(&state, &head, |write| write_blocks(part, process, write))?;
                    state
                }
            });
        }
        self.exchange.gather(Vec::new())?;
        parts.keep_only(&states).map_err(FrontierError::from)?;
        parts.saved_since(started);
        self.saved.states = states;
        Ok(())
    }

    /// The layers that are needed to resume from the last one for which the processes find them all, each of its phase; none if nothing
    /// was saved. `common` and `second` are the numbers of steps of the common beginning and of the second half.
    pub(super) fn resumed(&mut self, common: usize, second: usize) -> Result<Vec<At>, Ended> {
        let found = found_parts(self.saved.parts.as_ref()).map_err(FrontierError::from)?;
        let said = self.exchange.gather(found)?;
        let complete = complete_states(&said).map_err(FrontierError::from)?;
        let of_step = |step: usize| complete.iter().find(|(state, _)| state.step == step as u64);
        let needed = |last: u64| {
            let last = usize::try_from(last).ok()?;
            let ends = [common, common + second].into_iter();
            let mut steps: Vec<usize> = ends.filter(|&end| end > 0 && end < last).collect();
            steps.push(last);
            steps.dedup();
            steps.into_iter().map(of_step).collect::<Option<Vec<_>>>()
        };
        let last = complete.iter().rev();
        let Some(needed) = last
            .map(|(state, _)| needed(state.step))
            .find_map(|found| found)
        else {
            return Ok(Vec::new());
        };
        let mut layers = Vec::new();
        for (state, readers) in needed {
            let part = self.read(state, readers)?;
            layers.push((state.step as usize, part));
            self.saved.states.push(*state);
        }
        Ok(layers)
    }

    /// This process's part of a saved layer, which is what it reads.
    fn read(&mut self, state: &SavedState, readers: &[usize]) -> Result<Part, Ended> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let parts = self.saved.parts.as_ref();
        let parts = parts.expect("parts were found, so that they are saved");
        let own = (0..).zip(readers).filter(|&(_, &reader)| reader == process);
        let files = own.map(|(part, _)| parts.read(state, part));
        let files: Result<Vec<_>, FileError> = files.collect();
        let mut files = files.map_err(FrontierError::from)?;
        // Who reads part 0 says the head to all.
        let head = match readers[0] == process {
            true => files[0].head.clone(),
            false => Vec::new(),
        };
        let said = self.exchange.gather(head)?;
        let damaged = |what: &str| FrontierError::from(parts.damaged(state, what));
        let head = Head::of_numbers(&said[readers[0]], processes)
            .filter(|head| head.made.len() as u64 == state.step + 1)
            .ok_or_else(|| damaged("its head makes no sense"))?;
        let owner = |&part: &usize| readers.get(part).copied();
        let of_group = head.of_group.iter().map(owner).collect::<Option<Vec<_>>>();
        let owners = of_group.and_then(|of_group| Owners::of_groups_of(&head.squares, of_group));
        let owners = owners.ok_or_else(|| damaged("its groups of blocks make no sense"))?;
        let mut layer = Layer::empty(Arc::default());
        let mut pieces = Vec::new();
        for file in &mut files {
            let mut piece = Vec::new();
            while file.next(&mut piece).map_err(FrontierError::from)? {
                let bytes = self.run.ram.reserve(WHAT, piece.len() as u64);
                layer.held.push(bytes.map_err(FrontierError::from)?);
                pieces.push(std::mem::take(&mut piece));
            }
        }
        let layer = with_pieces(layer, head.slots, pieces, self.run)?;
        let said = self.exchange.gather(vec![digest(&layer, self.run)?])?;
        let sum = said.iter().fold(0, |sum, said| said[0].wrapping_add(sum));
        if head.made.last().map(|made| made.digest) != Some(sum) {
            return Err(damaged("the layer does not have the digest that was saved").into());
        }
        // The last layer that is read is the last of the count.
        self.made = head.made;
        Ok(Part {
            layer,
            owners,
            squares: head.squares,
            slots: head.slots,
            sum: head.sum,
            states: Vec::new(),
        })
    }
}

/// Writes the blocks of a part that a process owns.
fn write_blocks(
    part: &Part,
    process: usize,
    write: &mut dyn FnMut(&[u8]) -> Result<(), FileError>,
) -> Result<(), FrontierError> {
    let mut pieces = Pieces::default();
    for (position, &degrees) in part.layer.degrees.iter().enumerate() {
        if part.owners.of(degrees) != process {
            continue;
        }
        if let Some(piece) = pieces.add(&part.layer.block(position), degrees) {
            write(piece)?;
        }
    }
    match pieces.rest() {
        Some(piece) => Ok(write(piece)?),
        None => Ok(()),
    }
}
