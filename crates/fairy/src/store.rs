//! Tables in files: block files that hold their definitions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use everymove_kernel::files::{
    BlockReader, BlockWriter, Disk, FileError, Format, Packer, Storage, Unpacker, publish,
};
use everymove_kernel::parallel;
use everymove_kernel::run::Run;
use xxhash_rust::xxh3::xxh3_64;

use crate::ending::{BareKing, Definition, Ending, Metric, Rules, SIDES, Stalemate, read_board};
use crate::error::FairyError;
use crate::index::Index;
use crate::solve::{self, bytes};
use crate::table::Table;

/// The ending of the names of table files.
pub const EXTENSION: &str = "fairy";

const FORMAT: Format = Format {
    magic: *b"EMFAIRYT",
    version: 1,
    what: "a table of fairy pieces",
};

/// Tags of blocks: the definitions, the codes that occur, and the number of the code of each position.
const DEFINITIONS: u32 = 1;
const CODES: u32 = 2;
const POSITIONS: u32 = 3;

/// Positions of a block.
const BLOCK: usize = 1 << 20;

/// The name of the file of an ending: its letters, the board, and a hash of all that decides its values.
pub fn file_name(ending: &Ending) -> String {
    let hash = xxh3_64(ending.identity().as_bytes());
    let board = ending.board_name();
    format!("{ending}-{board}-{:08x}.{EXTENSION}", hash as u32)
}

/// What was built.
#[derive(Debug)]
pub struct Built {
    /// The table of the ending.
    pub table: Arc<Table>,
    /// The endings that captures lead to, the smallest first, without the ending itself.
    pub smaller: Vec<String>,
    /// The endings whose tables were made.
    pub made: Vec<String>,
    /// The endings whose tables existed.
    pub found: Vec<String>,
    /// Positions that were solved, of both sides to move, symmetric ones once.
    pub solved: u64,
}

/// Bytes of memory that building the tables of an ending and of those it needs takes.
pub fn needed_bytes(ending: &Ending) -> u64 {
    let closure = ending.closure();
    let bytes = closure
        .iter()
        .map(|ending| bytes(ending, &Index::new(ending)));
    let (mut kept, mut beside) = (0, 0);
    for (table, work) in bytes {
        kept += table;
        beside = work.max(beside);
    }
    kept + beside
}

/// Builds the table of an ending in a folder, after those of the endings that captures lead to; tables that are there are read.
///
/// # Errors
/// [`FairyError`].
pub fn build(ending: &Ending, folder: &Path, run: &Run) -> Result<Built, FairyError> {
    run.ram
        .require(&format!("the table of {ending}"), needed_bytes(ending))?;
    let disk = Disk::create(folder)?;
    let mut tables: Vec<Arc<Table>> = Vec::new();
    let (mut smaller, mut made, mut found, mut solved) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let closure = ending.closure();
    for (i, one) in closure.iter().enumerate() {
        run.progress
            .part(format!("table {} of {}", i + 1, closure.len()));
        run.progress.start(one.to_string(), 0);
        let name = file_name(one);
        let table = match read(&disk, &name, run) {
            Ok(table) if table.ending.identity() == one.identity() => {
                found.push(one.to_string());
                table
            }
            Ok(_) => return Err(foreign(&disk, &name)),
            Err(FairyError::File(error)) if error.is_not_found() => {
                let without = (0..one.men.len()).map(|man| {
                    let rest = one.without(man);
                    let known = tables.iter().find(|table| table.ending == rest);
                    known.cloned().expect("smaller endings come first")
                });
                let table = solve::solve(one, &without.collect::<Vec<_>>(), run)?;
                write(&table, &disk, &name, run)?;
                made.push(one.to_string());
                solved += table.positions();
                table
            }
            Err(error) => return Err(error),
        };
        tables.push(Arc::new(table));
        smaller.push(one.to_string());
    }
    smaller.pop();
    Ok(Built {
        table: tables.pop().expect("the ending itself is last"),
        smaller,
        made,
        found,
        solved,
    })
}

/// A file whose name is that of another ending.
fn foreign(disk: &Disk, name: &str) -> FairyError {
    FairyError::File(FileError::Damaged {
        path: disk.display(name),
        what: "it is of another ending than its name says".to_owned(),
    })
}

/// Reads the table of an ending from a folder.
///
/// # Errors
/// [`FairyError::Missing`] if it is not there.
pub fn load(ending: &Ending, folder: &Path, run: &Run) -> Result<Table, FairyError> {
    let name = file_name(ending);
    let disk = Disk::new(folder);
    match read(&disk, &name, run) {
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

/// Reads a table file; every block must match its checksum.
///
/// # Errors
/// [`FairyError`].
pub fn load_file(path: &Path, run: &Run) -> Result<Table, FairyError> {
    let (disk, name) = located(path);
    read(&disk, &name, run)
}

/// Compares the checksums of a table file, and its structure; returns the number of its blocks.
///
/// # Errors
/// [`FairyError`].
pub fn check(path: &Path, run: &Run) -> Result<u64, FairyError> {
    let (disk, name) = located(path);
    let table = read(&disk, &name, run)?;
    let expected = file_name(&table.ending);
    if name != expected {
        return Err(FairyError::File(FileError::Damaged {
            path: disk.display(&name),
            what: format!("it holds {expected}"),
        }));
    }
    let of_positions = table
        .codes
        .iter()
        .map(|codes| codes.len().div_ceil(BLOCK) as u64);
    Ok(2 + of_positions.sum::<u64>())
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

fn write(table: &Table, disk: &Disk, name: &str, run: &Run) -> Result<(), FairyError> {
    let mut numbers = BTreeMap::new();
    for &code in table.codes.iter().flatten() {
        numbers.insert(code, 0u16);
    }
    for (number, of_code) in numbers.values_mut().enumerate() {
        *of_code = number as u16;
    }
    let is_wide = numbers.len() > 256;
    let mut number_of = vec![0; 1 << 16];
    numbers
        .iter()
        .for_each(|(&code, &number)| number_of[usize::from(code)] = number);
    publish(disk, name, |draft| {
        let mut blocks = BlockWriter::new(draft, FORMAT)?;
        blocks.write(DEFINITIONS, header(&table.ending).as_bytes())?;
        let codes: Vec<u8> = numbers.keys().flat_map(|code| code.to_le_bytes()).collect();
        blocks.write(CODES, &codes)?;
        let jobs = table
            .codes
            .iter()
            .flat_map(|codes| codes.chunks(BLOCK))
            .collect::<Vec<_>>();
        let pack = |packer: &mut Result<Packer, FileError>, codes: &[u16]| {
            let numbers = codes.iter().map(|&code| number_of[usize::from(code)]);
            let bytes: Vec<u8> = match is_wide {
                true => numbers.flat_map(u16::to_le_bytes).collect(),
                false => numbers.map(|number| number as u8).collect(),
            };
            match packer {
                Ok(packer) => Ok(packer.pack(&bytes)?),
                Err(_) => Ok(Packer::new()?.pack(&bytes)?),
            }
        };
        let waiting = 2 * run.threads.get();
        parallel::try_in_order::<_, _, _, FairyError>(
            run,
            jobs,
            waiting,
            Packer::new,
            pack,
            |payload| Ok(blocks.write(POSITIONS, &payload)?),
        )?;
        blocks.finish()?;
        Ok::<_, FairyError>(())
    })
}

fn read(disk: &Disk, name: &str, run: &Run) -> Result<Table, FairyError> {
    let mut blocks = BlockReader::open(disk, name, FORMAT)?;
    let mut payload = Vec::new();
    let mut next = |wanted: u32, what: &str, payload: &mut Vec<u8>| -> Result<(), FairyError> {
        match blocks.read(payload)? {
            Some(tag) if tag == wanted => Ok(()),
            _ => Err(blocks.damaged(what).into()),
        }
    };
    let damaged = |what: &str| {
        let path = disk.display(name);
        let what = what.to_owned();
        FairyError::File(FileError::Damaged { path, what })
    };
    next(DEFINITIONS, "the definitions are missing", &mut payload)?;
    let text = std::str::from_utf8(&payload).ok();
    let ending = text
        .and_then(read_header)
        .ok_or_else(|| damaged("its definitions make no ending"))?;
    next(CODES, "the codes are missing", &mut payload)?;
    let (pairs, rest) = payload.as_chunks::<2>();
    let known: Vec<u16> = pairs.iter().map(|&pair| u16::from_le_bytes(pair)).collect();
    if !rest.is_empty() || known.len() > 1 << 16 {
        return Err(damaged("its codes make no sense"));
    }
    let index = Index::new(&ending);
    let what = format!("the table of {ending}");
    let held = run.ram.reserve(&what, bytes(&ending, &index).0)?;
    let width = if known.len() > 256 { 2 } else { 1 };
    let (mut unpacker, mut unpacked) = (Unpacker::new()?, Vec::new());
    let mut codes = [0, 1].map(|_| Vec::with_capacity(index.len()));
    for codes in &mut codes {
        while codes.len() < index.len() {
            run.stop.check()?;
            next(POSITIONS, "positions are missing", &mut payload)?;
            let count = BLOCK.min(index.len() - codes.len());
            let is_whole = unpacker
                .unpack(&payload, width * count, &mut unpacked)
                .is_some();
            if !is_whole || unpacked.len() != width * count {
                return Err(damaged("a block has not the length of its positions"));
            }
            let number = |bytes: &[u8]| match bytes {
                [low] => usize::from(*low),
                bytes => usize::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            };
            let numbers = unpacked.chunks_exact(width).map(number);
            let found = numbers.map(|number| known.get(number).copied());
            let found: Option<Vec<u16>> = found.collect();
            codes.extend(found.ok_or_else(|| damaged("a position has no code"))?);
        }
    }
    if blocks.read(&mut payload)?.is_some() {
        return Err(damaged("blocks follow the last"));
    }
    Ok(Table {
        ending,
        index,
        codes,
        _held: held,
    })
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
