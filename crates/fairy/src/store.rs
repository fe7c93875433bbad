//! Tables in files: block files that hold their definitions.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::files::{
    BlockFile, BlockWriter, Disk, FileError, Format, Packer, Storage, Unpacker, publish,
};
use everymove_kernel::parallel;
use everymove_kernel::run::Run;
use xxhash_rust::xxh3::xxh3_64;

use crate::ending::{
    BareKing, Definition, Ending, Metric, Rules, SIDES, Side, Stalemate, read_board,
};
use crate::error::FairyError;
use crate::index::Index;
use crate::log::Log;
use crate::solve::{self, bytes};
use crate::stats::{self, Stats};
use crate::table::{Blocks, Table, Value, code, decoded, width};

/// The ending of the names of table files.
pub const EXTENSION: &str = "fairy";

const FORMAT: Format = Format {
    magic: *b"EMFAIRYT",
    version: 2,
    what: "a table of fairy pieces",
};

/// Tags of blocks: the definitions, the codes that occur, and of each job the numbers of the codes
/// of its positions.
const DEFINITIONS: u32 = 1;
const CODES: u32 = 2;
const POSITIONS: u32 = 3;

/// The name of the file of an ending: its letters, the board, and a hash of all that decides its
/// values.
pub fn file_name(ending: &Ending) -> String {
    let hash = xxh3_64(ending.identity().as_bytes());
    let board = ending.board_name();
    format!("{ending}-{board}-{:08x}.{EXTENSION}", hash as u32)
}

/// What was built.
#[derive(Debug)]
pub struct Built {
    /// The table of the ending.
    pub table: TableFile,
    /// The endings that captures lead to, the smallest first, without the ending itself.
    pub smaller: Vec<String>,
    /// The endings whose tables were made.
    pub made: Vec<String>,
    /// The endings whose tables existed.
    pub found: Vec<String>,
    /// Positions that were solved, of both sides to move, symmetric ones once.
    pub solved: u64,
}

/// What solving an ending takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The ending.
    pub ending: String,
    /// Positions of both sides to move, symmetric ones once.
    pub positions: u64,
    /// Bytes of memory, with the tables of the endings that captures lead to.
    pub memory: u64,
}

/// What solving takes, of an ending and of those that captures lead to, as far as a folder has no
/// tables of them; the ending is last.
///
/// # Errors
/// [`FairyError::File`] if a table is damaged.
pub fn missing(ending: &Ending, folder: &Path, threads: usize) -> Result<Vec<Size>, FairyError> {
    let mut missing = Vec::new();
    for one in ending.closure() {
        match open(&one, folder) {
            Ok(_) => {}
            Err(FairyError::Missing { .. }) => missing.push(size(&one, threads)),
            Err(error) => return Err(error),
        }
    }
    Ok(missing)
}

fn size(ending: &Ending, threads: usize) -> Size {
    let index = Index::new(ending);
    // Of up to 256 codes, which nearly all endings have.
    let smaller =
        (0..ending.men.len()).map(|man| 2 * Index::new(&ending.without(man)).len() as u64);
    Size {
        ending: ending.to_string(),
        positions: 2 * index.len() as u64,
        memory: smaller.sum::<u64>() + bytes(ending, &index, threads) + log_bytes(&index),
    }
}

/// Endings of fewer positions have their logs in memory: solving them again takes less than a
/// second.
const LOGGED: usize = 1 << 20;

/// Bytes of the log of an ending in memory; none if it is in a file.
fn log_bytes(index: &Index) -> u64 {
    match index.len() {
        LOGGED.. => 0,
        positions => 5 * positions as u64,
    }
}

/// Builds the table of an ending in a folder, after those of the endings that captures lead to;
/// tables that are there are read. A run that was stopped within the table of a large ending is
/// resumed.
///
/// # Errors
/// [`FairyError`].
pub fn build(ending: &Ending, folder: &Path, run: &Run) -> Result<Built, FairyError> {
    let what = format!("the table of {ending}");
    for one in missing(ending, folder, run.threads.get())? {
        run.ram.require(&what, one.memory)?;
    }
    let disk = Disk::create(folder)?;
    let mut tables: Vec<Arc<Table>> = Vec::new();
    let (mut smaller, mut made, mut found, mut solved) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let closure = ending.closure();
    for (i, one) in closure.iter().enumerate() {
        run.progress
            .part(format!("table {} of {}", i + 1, closure.len()));
        run.progress.start(one.to_string(), 0);
        smaller.push(one.to_string());
        match open(one, folder) {
            Ok(_) => {
                found.push(one.to_string());
                continue;
            }
            Err(FairyError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
        let needed: Vec<Ending> = (0..one.men.len()).map(|man| one.without(man)).collect();
        tables.retain(|table| needed.contains(table.ending()));
        for rest in &needed {
            if !tables.iter().any(|table| table.ending() == rest) {
                tables.push(Arc::new(Table::read(&open(rest, folder)?, run)?));
            }
        }
        let without = needed.iter().map(|rest| {
            let known = tables.iter().find(|table| table.ending() == rest);
            known.cloned().expect("it was read")
        });
        let without: Vec<_> = without.collect();
        solved += build_one(one, &without, folder, &disk, run)?;
        made.push(one.to_string());
    }
    smaller.pop();
    Ok(Built {
        table: open(ending, folder)?,
        smaller,
        made,
        found,
        solved,
    })
}

/// Makes one table; returns the number of its positions.
fn build_one(
    ending: &Ending,
    smaller: &[Arc<Table>],
    folder: &Path,
    disk: &Disk,
    run: &Run,
) -> Result<u64, FairyError> {
    let (index, name) = (Index::new(ending), file_name(ending));
    let positions = 2 * index.len() as u64;
    let what = format!("the table of {ending}");
    let _held = run.ram.reserve(&what, log_bytes(&index))?;
    if index.len() < LOGGED {
        let solved = solve::solve(ending, smaller, Log::in_memory(), run)?;
        write(&*solved, disk, &name, run)?;
        return Ok(positions);
    }
    let alone = Disk::exclusive(folder)?;
    let log_name = format!("{name}.log");
    let log = Log::open(&alone, &log_name, &ending.identity(), index.jobs())?;
    let solved = solve::solve(ending, smaller, log, run)?;
    write(&*solved, disk, &name, run)?;
    drop(solved);
    alone.remove(&log_name)?;
    Ok(positions)
}

/// A file whose name is that of another ending.
fn foreign(disk: &Disk, name: &str) -> FairyError {
    FairyError::File(FileError::Damaged {
        path: disk.display(name),
        what: "it is of another ending than its name says".to_owned(),
    })
}

/// A table in a file, whose positions are read where they are wanted.
#[derive(Debug)]
pub struct TableFile {
    ending: Ending,
    index: Index,
    known: Vec<u16>,
    blocks: BlockFile,
    /// Blocks that were read last, the newest at the end.
    recent: Mutex<Vec<(usize, Arc<Vec<u8>>)>>,
}

/// Blocks that are kept after they were read.
const RECENT: usize = 8;

/// Blocks before those of positions.
const FIRST: usize = 2;

/// Opens the table of an ending in a folder.
///
/// # Errors
/// [`FairyError::Missing`] if it is not there.
pub fn open(ending: &Ending, folder: &Path) -> Result<TableFile, FairyError> {
    let name = file_name(ending);
    let disk = Disk::new(folder);
    match TableFile::open(&disk, &name) {
        Ok(table) if table.ending.identity() == ending.identity() => Ok(table),
        Ok(_) => Err(foreign(&disk, &name)),
        Err(FairyError::File(error)) if error.is_not_found() => Err(FairyError::Missing {
            ending: ending.to_string(),
            name,
            folder: folder.display().to_string(),
        }),
        Err(error) => Err(error),
    }
}

/// Opens a table file.
///
/// # Errors
/// [`FairyError`].
pub fn open_file(path: &Path) -> Result<TableFile, FairyError> {
    let (disk, name) = located(path);
    TableFile::open(&disk, &name)
}

/// Compares the checksums of a table file, and its structure; returns the number of its blocks.
///
/// # Errors
/// [`FairyError`].
pub fn check(path: &Path, run: &Run) -> Result<u64, FairyError> {
    let (disk, name) = located(path);
    let table = TableFile::open(&disk, &name)?;
    let expected = file_name(&table.ending);
    if name != expected {
        return Err(FairyError::File(FileError::Damaged {
            path: disk.display(&name),
            what: format!("it holds {expected}"),
        }));
    }
    let jobs = 0..table.index.jobs();
    parallel::try_for_each(run, jobs, || (), |(), job| table.block(job).map(|_| ()))?;
    Ok(table.blocks.len() as u64)
}

/// The folder of a file, and its name.
fn located(path: &Path) -> (Disk, String) {
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    (Disk::new(folder), name.unwrap_or_default())
}

fn write(table: &dyn Blocks, disk: &Disk, name: &str, run: &Run) -> Result<(), FairyError> {
    publish(disk, name, |draft| {
        let mut blocks = BlockWriter::new(draft, FORMAT)?;
        blocks.write(DEFINITIONS, header(table.ending()).as_bytes())?;
        let codes = table.known().iter().flat_map(|code| code.to_le_bytes());
        blocks.write(CODES, &codes.collect::<Vec<u8>>())?;
        let waiting = 2 * run.threads.get();
        parallel::try_in_order::<_, _, _, FairyError>(
            run,
            0..table.index().jobs(),
            waiting,
            || None,
            |packer: &mut Option<Packer>, job| {
                let packer = match packer {
                    Some(packer) => packer,
                    None => packer.insert(Packer::new()?),
                };
                Ok(packer.pack(&table.block(job)?)?)
            },
            |payload| Ok(blocks.write(POSITIONS, &payload)?),
        )?;
        blocks.finish()?;
        Ok::<_, FairyError>(())
    })
}

impl TableFile {
    fn open(disk: &Disk, name: &str) -> Result<Self, FairyError> {
        let blocks = BlockFile::open(disk, name, FORMAT)?;
        let read = |number: usize, wanted: u32, what: &str| match blocks.len() > number {
            true => match blocks.read(number)? {
                (tag, payload) if tag == wanted => Ok(payload),
                _ => Err(blocks.damaged(number, what)),
            },
            false => Err(blocks.damaged(number, what)),
        };
        let text = read(0, DEFINITIONS, "the definitions are missing")?;
        let text = std::str::from_utf8(&text).ok();
        let ending = text
            .and_then(read_header)
            .ok_or_else(|| blocks.damaged(0, "its definitions make no ending"))?;
        let payload = read(1, CODES, "the codes are missing")?;
        let (pairs, rest) = payload.as_chunks::<2>();
        let known: Vec<u16> = pairs.iter().map(|&pair| u16::from_le_bytes(pair)).collect();
        if !rest.is_empty() || known.len() > 1 << 16 {
            return Err(blocks.damaged(1, "its codes make no sense").into());
        }
        let index = Index::new(&ending);
        if blocks.len() != FIRST + index.jobs() {
            let what = "there are more or fewer blocks than the ending has";
            return Err(blocks.damaged(blocks.len(), what).into());
        }
        Ok(Self {
            ending,
            index,
            known,
            blocks,
            recent: Mutex::default(),
        })
    }

    /// What it is the table of.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The order of the group of symmetries by which positions are the same.
    pub fn symmetries(&self) -> usize {
        self.index.symmetries.len()
    }

    /// Counts all positions.
    ///
    /// # Errors
    /// [`FairyError`].
    pub fn stats(&self, run: &Run) -> Result<Stats, FairyError> {
        stats::of_blocks(self, run)
    }

    /// The value of a position with the royals and the men of the ending on these squares; none if
    /// it is not legal.
    ///
    /// # Errors
    /// [`FairyError::File`].
    pub fn value(
        &self,
        side: Side,
        royals: [usize; 2],
        men: &[usize],
    ) -> Result<Option<Value>, FairyError> {
        let Some((job, at, of_side)) = self.index.position(royals, men.iter().copied()) else {
            return Ok(None);
        };
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        match recent.iter().position(|(known, _)| *known == job) {
            Some(i) => recent[i..].rotate_left(1),
            None => {
                let block = Arc::new(self.block(job)?);
                recent.push((job, block));
                if recent.len() > RECENT {
                    recent.remove(0);
                }
            }
        }
        let block = &recent[recent.len() - 1].1;
        Ok(decoded(code(block, &self.known, side * of_side + at)))
    }
}

impl Blocks for TableFile {
    fn ending(&self) -> &Ending {
        &self.ending
    }

    fn index(&self) -> &Index {
        &self.index
    }

    fn known(&self) -> &[u16] {
        &self.known
    }

    fn block(&self, job: usize) -> Result<Vec<u8>, FairyError> {
        let number = FIRST + job;
        let (tag, payload) = self.blocks.read(number)?;
        let (length, mut bytes) = (self.block_len(job), Vec::new());
        let is_whole = Unpacker::new()?
            .unpack(&payload, length, &mut bytes)
            .is_some();
        if tag != POSITIONS || !is_whole || bytes.len() != length {
            let what = "it has not the length of its positions";
            return Err(self.blocks.damaged(number, what).into());
        }
        let known = self.known.len();
        let has_code = match width(known) {
            1 => bytes.iter().all(|&number| usize::from(number) < known),
            _ => bytes
                .as_chunks::<2>()
                .0
                .iter()
                .all(|&pair| usize::from(u16::from_le_bytes(pair)) < known),
        };
        has_code
            .then_some(bytes)
            .ok_or_else(|| self.blocks.damaged(number, "a position has no code").into())
    }
}

/// The definitions of an ending as text, from which [`read_header`] makes it again.
fn header(ending: &Ending) -> String {
    let mut text = format!("board {}\n{}\n", ending.board_name(), ending.rules);
    let royals = ending.royals.iter().enumerate();
    let men = ending.men.iter().map(|man| (man.side, &man.definition));
    for (side, definition) in royals.chain(men) {
        let Definition {
            letter, notation, ..
        } = definition;
        text += &format!("{} {letter} {notation}\n", SIDES[side]);
    }
    text
}

fn read_header(text: &str) -> Option<Ending> {
    let mut lines = text.lines();
    let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let board = read_board(field("board")?).ok()?;
    let rules = Rules {
        stalemate: match field("stalemate")? {
            "draw" => Stalemate::Draw,
            "win" => Stalemate::Win,
            "loss" => Stalemate::Loss,
            _ => return None,
        },
        bare_king: match field("bare king")? {
            "none" => BareKing::None,
            "loss" => BareKing::Loss,
            "shatranj" => BareKing::Shatranj,
            _ => return None,
        },
        metric: match field("metric")? {
            "dtm" => Metric::Mate,
            "dtc" => Metric::Conversion,
            _ => return None,
        },
    };
    let mut armies = [Vec::new(), Vec::new()];
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let side = words.next()?;
        let side = SIDES.iter().position(|known| *known == side)?;
        let mut letters = words.next()?.chars();
        let (letter, notation) = (letters.next()?, words.next()?);
        if letters.next().is_some() {
            return None;
        }
        armies[side].push(Definition {
            letter,
            notation: notation.to_owned(),
            piece: notation.parse().ok()?,
        });
    }
    let letters = |army: &[Definition]| army.iter().map(|man| man.letter).collect::<String>();
    let material = format!("{}v{}", letters(&armies[0]), letters(&armies[1]));
    let royals = [armies[0].first()?.clone(), armies[1].first()?.clone()];
    let define = |letter| {
        let men = armies.iter().flat_map(|army| army.iter().skip(1));
        men.into_iter().find(|man| man.letter == letter).cloned()
    };
    Ending::new(board, &material, royals, define, rules).ok()
}
