//! States of a computation that several processes share, each saved in parts.
//!
//! A *state* is what the computation has after a step. Every process saves its part of it as a file of its own, in a folder
//! that all have in common or in one of its own machine. Any number of processes resumes from a state if together they find
//! all its parts:
//! 1. [`found_parts`] are numbers that each process says to all others;
//! 2. [`complete_states`] are the states of which all parts are there, and who reads which part;
//! 3. [`SavedParts::save`] by all processes, then, when all of them have done that, [`SavedParts::keep_only`].
//!
//! So there is always a complete state once one has been saved, whenever the processes are killed.
//!
//! A file is a block file of the computation's format: the question (tag 1), the head, numbers that are the same in all parts (tag 2,
//! u64, little-endian), and the pieces of the part. A piece is compressed in stretches of at most 16 MiB, each a block: tag 3 if more of the
//! piece follows, otherwise tag 4.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use super::blocks::{BlockReader, BlockWriter, Format};
use super::disk::Disk;
use super::packed::{Packer, Unpacker};
use super::publish::{DRAFT, publish};
use super::storage::{FileError, Storage};

/// Tags of the blocks.
const QUESTION: u32 = 1;
const HEAD: u32 = 2;
const MORE: u32 = 3;
const LAST: u32 = 4;

/// The most bytes that are compressed at once.
const STRETCH: usize = 16 << 20;

/// The ending of the files.
const ENDING: &str = ".part";

/// The time between two saves, unless a save itself takes long.
const INTERVAL: Duration = Duration::from_secs(10);

/// A save that takes long is repeated after this many times its duration.
const PAUSE: u32 = 3;

/// A state that is saved in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SavedState {
    /// The number of its step.
    pub step: u64,
    /// How many parts it has: as many as there were processes.
    pub parts: u64,
    /// Sets it apart from states of the same step with other parts.
    pub id: u64,
}

impl SavedState {
    fn name(&self, part: usize) -> String {
        let Self { step, parts, id } = self;
        format!("{step:05}-{part}-of-{parts}-{id:016x}{ENDING}")
    }

    /// The state and the number of the part of a file.
    fn of_name(name: &str) -> Option<(Self, u64)> {
        let mut words = name.strip_suffix(ENDING)?.split('-');
        let mut next = || words.next();
        let (step, part, _, parts, id) = (next()?, next()?, next()?, next()?, next()?);
        let state = Self {
            step: step.parse().ok()?,
            parts: parts.parse().ok()?,
            id: u64::from_str_radix(id, 16).ok()?,
        };
        let part = part.parse().ok()?;
        // Names that are written in another way are not of this program.
        (part < state.parts && state.name(part as usize) == name).then_some((state, part))
    }
}

/// What a process found: 1 and the parts in its folder, four numbers each; 0 if it saves nothing.
///
/// # Errors
/// [`FileError::OtherQuestion`], and whatever is wrong with a file.
pub fn found_parts(saved: Option<&SavedParts>) -> Result<Vec<u64>, FileError> {
    let Some(saved) = saved else {
        return Ok(vec![0]);
    };
    let mut found = vec![1];
    for name in saved.storage.list()? {
        if let Some((SavedState { step, parts, id }, part)) = SavedState::of_name(&name) {
            saved.open_part(&name)?;
            found.extend([step, parts, id, part]);
        }
    }
    Ok(found)
}

/// The states of which all parts are there, ascending by step, each with the process that reads each part; `said` is what all processes
/// [found](found_parts).
///
/// # Errors
/// [`FileError::NotSavedByAll`] if some processes save their parts and others do not.
pub fn complete_states(said: &[Vec<u64>]) -> Result<Vec<(SavedState, Vec<usize>)>, FileError> {
    let mut finders: BTreeMap<SavedState, BTreeMap<u64, Vec<usize>>> = BTreeMap::new();
    let saves = |process: usize| said[process].first() == Some(&1);
    if let Some(process) = (0..said.len()).find(|&process| saves(process) != saves(0)) {
        let process = if saves(0) { process } else { 0 };
        return Err(FileError::NotSavedByAll { process });
    }
    for (process, said) in said.iter().enumerate() {
        let found = &said[1.min(said.len())..];
        for &[step, parts, id, part] in found.as_chunks::<4>().0 {
            let state = SavedState { step, parts, id };
            let of_state = finders.entry(state).or_default();
            of_state.entry(part).or_default().push(process);
        }
    }
    finders.retain(|state, parts| parts.len() as u64 == state.parts);
    let reader = |(part, finders): (usize, Vec<usize>)| finders[part % finders.len()];
    let readers = |parts: BTreeMap<u64, Vec<usize>>| {
        let finders = parts.into_values().enumerate();
        finders.map(reader).collect()
    };
    let states = finders.into_iter();
    let states = states.map(|(state, parts)| (state, readers(parts)));
    Ok(states.collect())
}

/// The parts of states that one process saves and finds.
pub struct SavedParts {
    storage: Box<dyn Storage>,
    format: Format,
    question: String,
    process: usize,
    interval: Option<Duration>,
    next: Instant,
}

impl SavedParts {
    /// Opens a folder, making it if need be, for a question in words; process 0 locks it until it ends.
    ///
    /// # Errors
    /// [`FileError::InUse`] at process 0, [`FileError::Io`].
    pub fn open(
        folder: &Path,
        format: Format,
        question: &str,
        process: usize,
    ) -> Result<Self, FileError> {
        let disk = match process {
            0 => Disk::exclusive(folder)?,
            _ => Disk::create(folder)?,
        };
        Self::on(Box::new(disk), format, question, process, Some(INTERVAL))
    }

    /// The same in any storage, and with another time between two saves; `None` saves at every opportunity.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn on(
        storage: Box<dyn Storage>,
        format: Format,
        question: &str,
        process: usize,
        interval: Option<Duration>,
    ) -> Result<Self, FileError> {
        let saved = Self {
            storage,
            format,
            question: question.to_owned(),
            process,
            interval,
            next: Instant::now() + interval.unwrap_or_default(),
        };
        // No process saves before it knows what all others found.
        let ending = format!("{ENDING}{DRAFT}");
        saved.remove(|name| name.ends_with(&ending))?;
        Ok(saved)
    }

    /// A file of this question, read up to its head.
    fn open_part(&self, name: &str) -> Result<BlockReader, FileError> {
        let mut reader = BlockReader::open(&*self.storage, name, self.format)?;
        let mut question = Vec::new();
        let tag = reader.read(&mut question)?;
        if tag != Some(QUESTION) {
            return Err(reader.damaged("it should be the question"));
        }
        if question != self.question.as_bytes() {
            return Err(FileError::OtherQuestion {
                path: self.storage.display(name),
                found: String::from_utf8_lossy(&question).into_owned(),
                asked: self.question.clone(),
            });
        }
        Ok(reader)
    }

    /// A part of a state.
    ///
    /// # Errors
    /// Whatever is wrong with the file.
    pub fn read(&self, state: &SavedState, part: usize) -> Result<SavedPart, FileError> {
        let mut reader = self.open_part(&state.name(part))?;
        let mut payload = Vec::new();
        let tag = reader.read(&mut payload)?;
        let (words, rest) = payload.as_chunks::<8>();
        if tag != Some(HEAD) || !rest.is_empty() {
            return Err(reader.damaged("it should be the head"));
        }
        Ok(SavedPart {
            head: words.iter().map(|&word| u64::from_le_bytes(word)).collect(),
            reader,
            unpacker: Unpacker::new()?,
            payload,
            stretch: Vec::new(),
        })
    }

    /// Saves the part of this process; `pieces` are written by calls of its argument.
    ///
    /// # Errors
    /// Those of `pieces`, and [`FileError::Io`], for example on a full disk.
    pub fn save<E: From<FileError>>(
        &self,
        state: &SavedState,
        head: &[u64],
        pieces: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<(), FileError>) -> Result<(), E>,
    ) -> Result<(), E> {
        publish(&*self.storage, &state.name(self.process), |draft| {
            let mut writer = BlockWriter::new(draft, self.format)?;
            writer.write(QUESTION, self.question.as_bytes())?;
            let head: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
            writer.write(HEAD, &head)?;
            let mut packer = Packer::new()?;
            pieces(&mut |piece| {
                let mut stretches = piece.chunks(STRETCH).peekable();
                while let Some(stretch) = stretches.next() {
                    let tag = match stretches.peek() {
                        Some(_) => MORE,
                        None => LAST,
                    };
                    writer.write(tag, &packer.pack(stretch)?)?;
                }
                Ok(())
            })?;
            writer.finish()?;
            Ok(())
        })
    }

    /// Removes the parts of all other states; call it when every process has saved its part of these.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn keep_only(&self, states: &[SavedState]) -> Result<(), FileError> {
        self.remove(|name| {
            let of_name = SavedState::of_name(name);
            of_name.is_some_and(|(state, _)| !states.contains(&state))
        })
    }

    /// Removes files that another process may remove at the same time.
    fn remove(&self, chosen: impl Fn(&str) -> bool) -> Result<(), FileError> {
        for name in self.storage.list()?.iter().filter(|name| chosen(name)) {
            match self.storage.remove(name) {
                Err(error) if !error.is_not_found() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// An error of a state whose content makes no sense.
    pub fn damaged(&self, state: &SavedState, what: &str) -> FileError {
        FileError::Damaged {
            path: self.storage.display(&state.name(self.process)),
            what: what.to_owned(),
        }
    }

    /// Whether the last save is long enough ago.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Sets the time of the next save by what a save has cost that began then.
    pub fn saved_since(&mut self, started: Instant) {
        if let Some(interval) = self.interval {
            self.next = Instant::now() + interval.max(PAUSE * started.elapsed());
        }
    }
}

/// A part of a state that is being read.
pub struct SavedPart {
    /// The numbers of the state.
    pub head: Vec<u64>,
    reader: BlockReader,
    unpacker: Unpacker,
    payload: Vec<u8>,
    stretch: Vec<u8>,
}

impl SavedPart {
    /// Reads the next piece into `piece`; false after the last.
    ///
    /// # Errors
    /// [`FileError::Damaged`], [`FileError::Io`].
    pub fn next(&mut self, piece: &mut Vec<u8>) -> Result<bool, FileError> {
        piece.clear();
        loop {
            let tag = match self.reader.read(&mut self.payload)? {
                Some(tag @ (MORE | LAST)) => tag,
                None if piece.is_empty() => return Ok(false),
                _ => return Err(self.damaged("a piece is not complete")),
            };
            let unpacked = self
                .unpacker
                .unpack(&self.payload, STRETCH, &mut self.stretch);
            unpacked.ok_or_else(|| self.damaged("it cannot be decompressed"))?;
            if tag == LAST && piece.is_empty() {
                std::mem::swap(piece, &mut self.stretch);
                return Ok(true);
            }
            piece.extend_from_slice(&self.stretch);
            if tag == LAST {
                return Ok(true);
            }
        }
    }

    /// An error for content that makes no sense.
    pub fn damaged(&self, what: &str) -> FileError {
        self.reader.damaged(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    const FORMAT: Format = Format {
        magic: *b"EMTESTSP",
        version: 1,
        what: "a part of a test",
    };

    fn state(step: u64, parts: u64) -> SavedState {
        let id = 7 * step + parts;
        SavedState { step, parts, id }
    }

    fn saved(storage: &Memory, process: usize) -> SavedParts {
        let storage = Box::new(storage.clone());
        SavedParts::on(storage, FORMAT, "a question", process, None).unwrap()
    }

    fn save(saved: &SavedParts, state: &SavedState, pieces: &[Vec<u8>]) -> Result<(), FileError> {
        saved.save(state, &[1, u64::MAX], |write| {
            pieces.iter().try_for_each(|piece| write(piece))
        })
    }

    #[test]
    fn pieces_and_head_come_back() {
        let storage = Memory::default();
        let own = saved(&storage, 1);
        let large = (0..STRETCH + 5).map(|i| (i % 251) as u8).collect();
        let pieces = [vec![1, 2, 3], large, vec![9; 100]];
        save(&own, &state(4, 2), &pieces).unwrap();
        let mut part = own.read(&state(4, 2), 1).unwrap();
        assert_eq!(part.head, [1, u64::MAX]);
        let mut piece_found = Vec::new();
        for piece in &pieces {
            assert!(part.next(&mut piece_found).unwrap());
            assert!(piece_found == *piece);
        }
        assert!(!part.next(&mut piece_found).unwrap());
        let other = SavedParts::on(Box::new(storage.clone()), FORMAT, "another", 0, None);
        let error = found_parts(other.as_ref().ok()).unwrap_err();
        assert!(matches!(error, FileError::OtherQuestion { .. }), "{error}");
        storage.damage("00004-1-of-2-000000000000001e.part", |bytes| bytes[90] ^= 1);
        let mut part = own.read(&state(4, 2), 1).unwrap();
        assert!(matches!(
            part.next(&mut piece_found),
            Err(FileError::Damaged { .. })
        ));
    }

    #[test]
    fn a_state_is_complete_if_all_its_parts_are_found() {
        let (here, there) = (Memory::default(), Memory::default());
        save(&saved(&here, 0), &state(3, 2), &[]).unwrap();
        save(&saved(&there, 1), &state(3, 2), &[]).unwrap();
        save(&saved(&there, 1), &state(5, 2), &[]).unwrap();
        let found = |storage| found_parts(Some(&saved(storage, 0))).unwrap();
        let complete = |said: &[Vec<u64>]| complete_states(said).unwrap();
        let said = [found(&here), found(&there)];
        assert_eq!(complete(&said), [(state(3, 2), vec![0, 1])]);
        assert_eq!(complete(&said[..1]), []);
        // Of a folder that all have in common they read about equally many parts.
        save(&saved(&here, 1), &state(3, 2), &[]).unwrap();
        let said = vec![found(&here); 3];
        assert_eq!(complete(&said), [(state(3, 2), vec![0, 1])]);
        saved(&there, 0).keep_only(&[state(5, 2)]).unwrap();
        assert_eq!(found(&there), [1, 5, 2, state(5, 2).id, 1]);
    }

    #[test]
    fn all_processes_save_their_parts_or_none() {
        assert_eq!(complete_states(&[vec![0], vec![0]]).unwrap(), []);
        for (said, process) in [([vec![1], vec![0]], "1"), ([vec![0], vec![1]], "0")] {
            let error = complete_states(&said).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("process {process} saves")),
                "{error}"
            );
        }
    }

    /// A process is killed at any instant of saving a state and removing the older one: one of them stays complete.
    #[test]
    fn a_crash_leaves_a_complete_state() {
        let pieces = [vec![5; 2000]];
        for crash_at in 1.. {
            let storage = Memory::default();
            save(&saved(&storage, 0), &state(1, 1), &pieces).unwrap();
            storage.crash_after(crash_at);
            let own = SavedParts {
                storage: Box::new(storage.clone()),
                ..saved(&Memory::default(), 0)
            };
            let done =
                save(&own, &state(2, 1), &pieces).and_then(|()| own.keep_only(&[state(2, 1)]));
            for seed in 0..20 {
                let image = storage.image(seed);
                let after = saved(&image, 0);
                let complete = complete_states(&[found_parts(Some(&after)).unwrap()]).unwrap();
                let (last, _) = complete.last().expect("a state is complete");
                let mut part = after.read(last, 0).unwrap();
                let mut piece = Vec::new();
                assert!(part.next(&mut piece).unwrap() && piece == pieces[0]);
            }
            if done.is_ok() {
                break;
            }
        }
    }
}
