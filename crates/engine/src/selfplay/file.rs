//! Files of games: one for each seed, appended by blocks of whole games.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `89 45 4D 47 0D 0A 1A 0A` |
//! | 8 | 4 | version, 2 |
//! | 12 | 4 | which network evaluated ([`Network::checksum`]); 0 for the classical evaluation |
//! | 16 | 8 | seed |
//! | 24 | 8 | nodes after which no iteration of a search begins |
//! | 32 | 8 | XXH3-64 of the 32 bytes above |
//!
//! then blocks, each of
//!
//! | bytes | content |
//! |---|---|
//! | 4 | length of the payload, 1 to 1048576 |
//! | 4 | number of games |
//! | 4 | number of quiet positions in them |
//! | 4 | 0 |
//! | 8 | XXH3-64 of the 16 bytes above and the payload, seeded with the block's number from 0 |
//! | length | the games ([`GameRecord`]) |
//!
//! A block that the file does not hold whole at its end was cut off by a crash: readers ignore it,
//! and the next run writes over it.

use everymove_kernel::files::{Access, FileError, PositionalFile, Storage};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::record::GameRecord;
use super::sample::Sample;
#[cfg(doc)]
use crate::eval::Network;

/// The ending of the names of files of games.
const ENDING: &str = ".games";
const MAGIC: [u8; 8] = *b"\x89EMG\r\n\x1a\n";
const VERSION: u32 = 2;
const HEADER: usize = 40;
const HEAD: usize = 24;
/// The largest payload of a block.
const MOST_PAYLOAD: usize = 1 << 20;

/// What a file of games says of its games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Seed of the openings.
    pub seed: u64,
    /// Nodes of a move after which no iteration of its search begins.
    pub nodes: u64,
    /// [`Network::checksum`] of the network that evaluated, 0 for the classical evaluation.
    pub network: u32,
}

impl Header {
    fn bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.network.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.seed.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.nodes.to_le_bytes());
        let sum = xxh3_64(&bytes[..32]);
        bytes[32..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }
}

/// Games as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) games: u32,
    /// Quiet positions in them.
    pub(super) samples: u32,
    pub(super) payload: Vec<u8>,
}

impl Block {
    /// Appends a game with `samples` quiet positions.
    pub(super) fn push(&mut self, game: &GameRecord, samples: usize) {
        game.write(&mut self.payload);
        self.games += 1;
        self.samples += samples as u32;
    }

    /// The bytes in the file, for the block with this number.
    fn bytes(&self, number: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + self.payload.len());
        for word in [self.payload.len() as u32, self.games, self.samples, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(checksum(number, &bytes, &self.payload).to_le_bytes());
        bytes.extend(&self.payload);
        bytes
    }

    /// The games; `path` and `number` are for the error.
    pub(super) fn games(&self, path: &str, number: u64) -> Result<Vec<GameRecord>, FileError> {
        let mut rest = &self.payload[..];
        let mut games = Vec::new();
        while !rest.is_empty() {
            games.push(
                GameRecord::read(&mut rest).map_err(|e| damaged(path, number, &e.to_string()))?,
            );
        }
        if games.len() != self.games as usize {
            return Err(damaged(path, number, "the number of games is another one"));
        }
        Ok(games)
    }
}

fn damaged(path: &str, number: u64, what: &str) -> FileError {
    FileError::Damaged {
        path: path.to_owned(),
        what: format!("block {number}: {what}"),
    }
}

fn checksum(number: u64, head: &[u8], payload: &[u8]) -> u64 {
    let mut hash = Xxh3::with_seed(number);
    hash.update(head);
    hash.update(payload);
    hash.digest()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn double_word(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

/// Reads the blocks of one file in order.
#[derive(Debug)]
pub(super) struct Blocks {
    file: Box<dyn PositionalFile>,
    pub(super) path: String,
    pub(super) header: Header,
    size: u64,
    at: u64,
    /// Blocks read so far.
    pub(super) number: u64,
}

impl Blocks {
    pub(super) fn open(storage: &dyn Storage, name: &str) -> Result<Self, FileError> {
        let path = storage.display(name);
        Self::of(storage.open_at(name, Access::Read)?, path)
    }

    fn of(file: Box<dyn PositionalFile>, path: String) -> Result<Self, FileError> {
        let io = |e| FileError::io("read", path.as_str(), e);
        let size = file.size().map_err(io)?;
        let mut header = [0; HEADER];
        let known = &mut header[..size.min(HEADER as u64) as usize];
        file.read_exact_at(known, 0).map_err(io)?;
        if !known.starts_with(&MAGIC) {
            let expected = "a file of games";
            return Err(FileError::Foreign { path, expected });
        }
        if size < HEADER as u64 || xxh3_64(&header[..32]) != double_word(&header, 32) {
            let what = "its header does not match its checksum".to_owned();
            return Err(FileError::Damaged { path, what });
        }
        let found = word(&header, 8);
        if found != VERSION {
            let expected = VERSION;
            return Err(FileError::Version {
                path,
                found,
                expected,
            });
        }
        Ok(Self {
            header: Header {
                seed: double_word(&header, 16),
                nodes: double_word(&header, 24),
                network: word(&header, 12),
            },
            file,
            path,
            size,
            at: HEADER as u64,
            number: 0,
        })
    }

    /// The next block; `None` at the end, or where the last block is not whole.
    pub(super) fn read(&mut self) -> Result<Option<Block>, FileError> {
        let left = self.size - self.at;
        // An interrupted run leaves less than one block.
        let cut = left <= (HEAD + MOST_PAYLOAD) as u64;
        if left < HEAD as u64 {
            return Ok(None);
        }
        let io = |e| FileError::io("read", self.path.as_str(), e);
        let mut head = [0; HEAD];
        self.file.read_exact_at(&mut head, self.at).map_err(io)?;
        let length = word(&head, 0) as usize;
        let whole = (1..=MOST_PAYLOAD).contains(&length) && (HEAD + length) as u64 <= left;
        if whole {
            let mut payload = vec![0; length];
            let start = self.at + HEAD as u64;
            self.file.read_exact_at(&mut payload, start).map_err(io)?;
            if checksum(self.number, &head[..16], &payload) == double_word(&head, 16) {
                self.at = start + length as u64;
                self.number += 1;
                return Ok(Some(Block {
                    games: word(&head, 4),
                    samples: word(&head, 8),
                    payload,
                }));
            }
            let last = (HEAD + length) as u64 == left;
            if !last {
                return Err(self.damaged());
            }
        }
        if cut { Ok(None) } else { Err(self.damaged()) }
    }

    /// Bytes of the file up to the end of the last block that was read.
    pub(super) fn bytes(&self) -> u64 {
        self.at
    }

    fn damaged(&self) -> FileError {
        damaged(&self.path, self.number, "it does not match its checksum")
    }
}

/// The file of one seed, open for more games. One process at a time: lock the folder.
#[derive(Debug)]
pub struct GameFile {
    file: Box<dyn PositionalFile>,
    path: String,
    end: u64,
    blocks: u64,
    games: u64,
    samples: u64,
}

impl GameFile {
    /// Opens or starts the file of a seed. A block that a crash cut off is removed.
    ///
    /// # Errors
    /// [`FileError`]; [`FileError::OtherQuestion`] if its games were played with another number of
    /// nodes or another evaluation.
    pub fn open(storage: &dyn Storage, header: Header) -> Result<Self, FileError> {
        let name = format!("seed-{}{ENDING}", header.seed);
        let path = storage.display(&name);
        let file = storage.open_at(&name, Access::Update)?;
        let io = |doing: &'static str| {
            let path = path.clone();
            move |e| FileError::io(doing, path, e)
        };
        // A file shorter than its header was cut off when it was made.
        if file.size().map_err(io("read"))? < HEADER as u64 {
            file.resize(0).map_err(io("write"))?;
            file.write_all_at(&header.bytes(), 0).map_err(io("write"))?;
            file.sync().map_err(io("write"))?;
            storage.sync_dir()?;
        }
        let mut blocks = Blocks::of(storage.open_at(&name, Access::Read)?, path.clone())?;
        if blocks.header != header {
            let games = |header: &Header| {
                let network = header.network;
                format!(
                    "games of {} nodes a move by evaluation {network:x}",
                    header.nodes
                )
            };
            let (found, asked) = (games(&blocks.header), games(&header));
            return Err(FileError::OtherQuestion { path, found, asked });
        }
        let (mut games, mut samples) = (0, 0);
        while let Some(block) = blocks.read()? {
            games += u64::from(block.games);
            samples += u64::from(block.samples);
        }
        file.resize(blocks.bytes()).map_err(io("write"))?;
        Ok(Self {
            file,
            end: blocks.bytes(),
            blocks: blocks.number,
            path,
            games,
            samples,
        })
    }

    /// Appends games; when this returns, they are on the disk.
    pub(super) fn append(&mut self, block: &Block) -> Result<(), FileError> {
        if block.games == 0 {
            return Ok(());
        }
        let bytes = block.bytes(self.blocks);
        (self.file.write_all_at(&bytes, self.end))
            .and_then(|()| self.file.sync())
            .map_err(|e| FileError::io("write", self.path.as_str(), e))?;
        self.end += bytes.len() as u64;
        self.blocks += 1;
        self.games += u64::from(block.games);
        self.samples += u64::from(block.samples);
        Ok(())
    }

    /// Number of games in the file.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of quiet positions in them.
    pub fn samples(&self) -> u64 {
        self.samples
    }
}

/// The blocks of all files of games in a folder, in the order of the names.
pub struct GameFiles<'a> {
    storage: &'a dyn Storage,
    names: std::vec::IntoIter<String>,
    open: Option<Blocks>,
}

/// The games of a folder.
///
/// # Errors
/// [`FileError`] if the folder cannot be listed.
pub fn read_folder(storage: &dyn Storage) -> Result<GameFiles<'_>, FileError> {
    let mut names = storage.list()?;
    names.retain(|name| name.ends_with(ENDING));
    Ok(GameFiles {
        storage,
        names: names.into_iter(),
        open: None,
    })
}

impl Iterator for GameFiles<'_> {
    type Item = Result<FoundBlock, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(blocks) = &mut self.open {
                let number = blocks.number;
                match blocks.read() {
                    Ok(Some(block)) => {
                        return Some(Ok(FoundBlock {
                            block,
                            path: blocks.path.clone(),
                            number,
                            header: blocks.header,
                            end: blocks.bytes(),
                        }));
                    }
                    Ok(None) => self.open = None,
                    Err(error) => {
                        self.open = None;
                        return Some(Err(error));
                    }
                }
            } else {
                match Blocks::open(self.storage, &self.names.next()?) {
                    Ok(blocks) => self.open = Some(blocks),
                    Err(error) => return Some(Err(error)),
                }
            }
        }
    }
}

/// A block of a file of games.
#[derive(Debug)]
pub struct FoundBlock {
    block: Block,
    path: String,
    number: u64,
    header: Header,
    end: u64,
}

impl FoundBlock {
    /// Its games.
    ///
    /// # Errors
    /// [`FileError::Damaged`] if the bytes are no games.
    pub fn games(&self) -> Result<Vec<GameRecord>, FileError> {
        self.block.games(&self.path, self.number)
    }

    /// The header of its file.
    pub fn header(&self) -> Header {
        self.header
    }

    /// Its number in its file, from 0.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of its file up to its end.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The quiet positions of its games.
    ///
    /// # Errors
    /// [`FileError::Damaged`] if the bytes are no games.
    pub fn samples(&self) -> Result<Vec<Sample>, FileError> {
        let mut samples = Vec::with_capacity(self.block.samples.min(1 << 20) as usize);
        for game in self.games()? {
            game.samples(&mut samples)
                .map_err(|error| damaged(&self.path, self.number, &error.to_string()))?;
        }
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::files::Memory;

    use super::*;
    use crate::selfplay::GameResult;

    const HEADER: Header = Header {
        seed: 4,
        nodes: 90,
        network: 0,
    };

    /// A game of as many moves as its number.
    fn game(number: u8) -> GameRecord {
        GameRecord {
            result: GameResult::Draw,
            random: 0,
            moves: vec![number; usize::from(number)],
            scores: vec![i16::from(number); usize::from(number)],
        }
    }

    fn block(number: u8) -> Block {
        let mut block = Block::default();
        block.push(&game(number), 1);
        block.push(&game(number + 1), 2);
        block
    }

    /// Appends blocks until the file has `upto` games.
    fn fill(storage: &Memory, upto: u64) -> Result<u64, FileError> {
        let mut file = GameFile::open(storage, HEADER)?;
        while file.games() < upto {
            file.append(&block(file.games() as u8))?;
        }
        Ok(file.games())
    }

    fn numbers(storage: &Memory) -> Result<Vec<usize>, FileError> {
        let mut found = Vec::new();
        for block in read_folder(storage)? {
            found.extend(block?.games()?.iter().map(|g| g.moves.len()));
        }
        Ok(found)
    }

    /// Whatever instant the power fails at, the games that were acknowledged are there, and the
    /// file grows on.
    #[test]
    fn no_crash_loses_an_acknowledged_game() {
        for crash in 0..30 {
            for seed in 0..6 {
                let storage = Memory::default();
                fill(&storage, 4).unwrap();
                storage.crash_after(crash);
                let mut acknowledged = 4;
                if let Ok(mut file) = GameFile::open(&storage, HEADER) {
                    while file.games() < 12 && file.append(&block(file.games() as u8)).is_ok() {
                        acknowledged = file.games();
                    }
                }
                let image = storage.image(seed);
                assert!(numbers(&image).unwrap().len() as u64 >= acknowledged);
                assert_eq!(fill(&image, 12).unwrap(), 12, "crash {crash} seed {seed}");
                assert!(numbers(&image).unwrap().into_iter().eq(0..12));
                let file = GameFile::open(&image, HEADER).unwrap();
                assert_eq!((file.games(), file.samples()), (12, 18));
            }
        }
    }

    #[test]
    fn damage_is_named_and_cut_ends_are_dropped() {
        let storage = Memory::default();
        fill(&storage, 6).unwrap();
        storage.damage("seed-4.games", |bytes| bytes.truncate(bytes.len() - 1));
        assert!(numbers(&storage).unwrap().into_iter().eq(0..4));
        storage.damage("seed-4.games", |bytes| bytes[70] ^= 1);
        let error = numbers(&storage).unwrap_err().to_string();
        assert!(error.contains("block 0: it does not match"), "{error}");
        storage.damage("seed-4.games", |bytes| bytes[20] ^= 1);
        let error = numbers(&storage).unwrap_err().to_string();
        assert!(error.contains("its header"), "{error}");
        storage.damage("seed-4.games", |bytes| bytes[0] = 0);
        let error = numbers(&storage).unwrap_err().to_string();
        assert!(error.contains("is not a file of games"), "{error}");
    }

    #[test]
    fn games_with_other_nodes_or_another_evaluation_are_refused() {
        let storage = Memory::default();
        fill(&storage, 2).unwrap();
        let nodes = Header {
            nodes: 91,
            ..HEADER
        };
        let network = Header {
            network: 7,
            ..HEADER
        };
        for other in [nodes, network] {
            let error = GameFile::open(&storage, other).unwrap_err().to_string();
            assert!(error.contains("90 nodes a move"), "{error}");
        }
    }
}
