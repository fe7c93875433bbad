//! What a file must tell of each position, and where it may tell anything.

use std::collections::BTreeMap;

use everymove_kernel::run::{Reservation, Run};

use crate::error::TableError;
use crate::parallel::in_parallel;
use crate::position::index_space::Side;
use crate::position::material::{Half, Kind};
use crate::position::subspace::{Placement, Reflections, Subspace};
use crate::store::directory::Tables;
use crate::store::format::BLOCK;
use crate::syzygy::values::captures::Captures;
use crate::syzygy::values::dont_care::{ANY, AT_MOST};
use crate::syzygy::values::value_table::{Coding, Field, impossible, put};
use crate::syzygy::values::wdl::{CURSED, DRAW, LOSS, WIN, class_of_loss, class_of_win};

/// The values that WDL files tell of a half's attacker to move.
pub(crate) fn wdl(
    half: &Half,
    slices: Vec<usize>,
    captures: &Captures,
    tables: &Tables,
    run: &Run,
) -> Result<Field, TableError> {
    let mut field = Field::new(half, slices, &Coding::classes(), tables, run)?;
    field.each_row(run, |frame, word, _, row| {
        let placed = frame.placement(word);
        put(row, impossible(frame, placed.as_ref()), ANY);
        let Some(placed) = placed else { return };
        let best = captures.best(frame, &placed);
        for (value, best) in row.iter_mut().zip(best) {
            // A capture that loses tells nothing.
            if best > LOSS + 1 && *value != ANY && best > *value {
                *value = if *value == WIN { ANY } else { AT_MOST + *value };
            }
        }
    })?;
    Ok(field)
}

/// What the bytes of a DTZ field mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// By byte: the class, and the distance as a file tells it.
    pub(crate) distances: Vec<(u8, u16)>,
    /// Whether wins, and losses, are told in plies and not in moves.
    pub(crate) plies: [bool; 2],
}

impl Meaning {
    /// Whether everything that is told is a distance of 0: then it needs no telling.
    pub(crate) fn is_one_value(&self) -> bool {
        let at_once =
            |&(class, distance): &(u8, u16)| distance == 0 && [WIN, LOSS].contains(&class);
        self.distances.iter().all(at_once)
    }
}

/// How far a class's distances are from its first.
fn distance(class: u8, code: u16, plies: [bool; 2]) -> u16 {
    let (beyond, exact) = match class {
        WIN => (code - 1, plies[0]),
        // The code of a loss is plies and one; who is mated has no move to make, and is told as one who has one.
        LOSS => (code.saturating_sub(2), plies[1]),
        CURSED => (code - 101, false),
        _ => (code - 102, false),
    };
    if exact { beyond } else { beyond / 2 }
}

/// The distances that DTZ files tell of a half's attacker to move.
pub(crate) struct Distances {
    coding: Coding,
    pub(crate) meaning: Meaning,
}

impl Distances {
    /// Finds out which distances there are.
    pub(crate) fn of(half: &Half, tables: &Tables, run: &Run) -> Result<Self, TableError> {
        let other = Half {
            attacker: half.defender.clone(),
            defender: half.attacker.clone(),
        };
        let wins = codes_of(half, Side::Attacker, tables, run)?;
        let losses = codes_of(&other, Side::Defender, tables, run)?;
        // In moves, a win in 100 plies could not be told from one that the rule makes a draw.
        let plies = [wins.contains(&100), losses.contains(&101)];
        let mut ids: BTreeMap<(u8, u16), u8> = BTreeMap::new();
        let mut tables = [vec![ANY], vec![ANY]];
        let classes: [fn(u16) -> u8; 2] = [class_of_win, class_of_loss];
        for ((codes, to), class) in [wins, losses].iter().zip(&mut tables).zip(classes) {
            for &code in codes {
                let class = class(code);
                let key = (class, distance(class, code, plies));
                let next = ids.len();
                if next >= usize::from(AT_MOST) && !ids.contains_key(&key) {
                    return Err(TableError::TooDeep {
                        half: half.to_string(),
                    });
                }
                let id = *ids.entry(key).or_insert(next as u8);
                to.resize(to.len().max(usize::from(code) + 1), ANY);
                to[usize::from(code)] = id;
            }
        }
        let mut distances = vec![(DRAW, 0); ids.len()];
        for (key, id) in ids {
            distances[usize::from(id)] = key;
        }
        let [win, loss] = tables;
        Ok(Self {
            coding: Coding { win, loss },
            meaning: Meaning { distances, plies },
        })
    }

    /// The bytes of some slices, by [`Meaning`].
    pub(crate) fn field(
        &self,
        half: &Half,
        slices: Vec<usize>,
        captures: &Captures,
        tables: &Tables,
        run: &Run,
    ) -> Result<Field, TableError> {
        let mut field = Field::new(half, slices, &self.coding, tables, run)?;
        let classes: Vec<u8> = self
            .meaning
            .distances
            .iter()
            .map(|&(class, _)| class)
            .collect();
        let pawns = half.attacker.pawns() > 0;
        let win_in_one = self.coding.win.get(1).copied().unwrap_or(ANY);
        // A program that reads the file looks for pawn moves that win before it asks for a distance, but not for mates.
        let mates = if pawns && win_in_one != ANY {
            Some(QuietMates::new(half, &field, tables, run)?)
        } else {
            None
        };
        field.each_row(run, |frame, word, home, row| {
            let placed = frame.placement(word);
            put(row, impossible(frame, placed.as_ref()), ANY);
            let Some(placed) = placed else { return };
            if let Some(mates) = &mates {
                put(row, mates.won_by_pawn(home), ANY);
            }
            let won = |&byte: &u8| byte != ANY && classes[usize::from(byte)] >= CURSED;
            if !row.iter().any(won) {
                return;
            }
            let best = captures.best(frame, &placed);
            for (byte, best) in row.iter_mut().zip(best) {
                if won(byte) && best == classes[usize::from(*byte)] + 1 {
                    *byte = ANY;
                }
            }
        })?;
        Ok(field)
    }
}

/// The codes that a section has, but for 0.
fn codes_of(half: &Half, side: Side, tables: &Tables, run: &Run) -> Result<Vec<u16>, TableError> {
    if half.attacker.pieces().is_empty() {
        return Ok(Vec::new());
    }
    let (reader, section) = tables.section(half, side)?;
    let blocks: Vec<usize> = (0..reader.blocks(section)).collect();
    let max = usize::from(reader.max_code(section));
    let found = in_parallel(
        &blocks,
        run,
        || (),
        |(), &block| -> Result<Vec<bool>, TableError> {
            let mut found = vec![false; max + 1];
            for code in reader.block(section, block)? {
                if let Some(found) = found.get_mut(usize::from(code)) {
                    *found = true;
                }
            }
            Ok(found)
        },
    )?;
    let mut all = vec![false; max + 1];
    for found in found {
        for (all, found) in all.iter_mut().zip(found?) {
            *all |= found;
        }
    }
    let codes = (1..=max).filter(|&code| all[code]);
    Ok(codes.map(|code| code as u16).collect())
}

/// Positions won in one ply, and among them those in which a move of a king or piece mates.
struct QuietMates {
    /// A bit for each home.
    won_in_one: Vec<u64>,
    mates: Vec<u64>,
    _held: Reservation,
}

/// Bytes of a field's quiet mates while they are found: two bits for each home, put together from parts.
pub(crate) fn mates_bytes(homes: u64) -> u64 {
    homes / 2
}

impl QuietMates {
    /// Takes back every quiet move of a king or piece from the positions in which the defender is mated.
    fn new(half: &Half, field: &Field, tables: &Tables, run: &Run) -> Result<Self, TableError> {
        let space = &field.space;
        let (wins, win_section) = tables.section(half, Side::Attacker)?;
        let (losses, loss_section) = tables.section(half, Side::Defender)?;
        let slices: Vec<(usize, usize)> = field.slices.iter().copied().enumerate().collect();
        let length = space.slice_len();
        let bytes = mates_bytes((slices.len() * length) as u64);
        let held = run.ram.reserve(&half.to_string(), bytes)?;
        let parts = in_parallel(
            &slices,
            run,
            || (),
            |(), &(_, slice)| -> Result<(Vec<u64>, Vec<u64>), TableError> {
                let frame = Subspace::new(space.clone(), Some(slice));
                let read = |reader: &crate::store::format::Reader, section| {
                    let mut set = vec![0u64; length / 64];
                    let first = slice * length;
                    for block in first / BLOCK..(first + length).div_ceil(BLOCK) {
                        for (i, code) in reader.block(section, block)?.into_iter().enumerate() {
                            let at = (block * BLOCK + i).wrapping_sub(first);
                            if code == 1 && at < length {
                                set[at / 64] |= 1 << (at % 64);
                            }
                        }
                    }
                    Ok::<_, TableError>(set)
                };
                let won = read(&wins, win_section)?;
                let mated = read(&losses, loss_section)?;
                let mut mates = vec![0u64; length / 64];
                for (word, &set) in mated.iter().enumerate().filter(|&(_, &set)| set != 0) {
                    if let Some(placed) = frame.placement(word) {
                        take_back(&frame, word, &placed, set, &mut mates);
                    }
                }
                Ok((won, mates))
            },
        )?;
        let (mut won_in_one, mut mates) = (Vec::new(), Vec::new());
        for part in parts {
            let (won, mate) = part?;
            won_in_one.extend(won);
            mates.extend(mate);
        }
        Ok(Self {
            won_in_one,
            mates,
            _held: held,
        })
    }

    /// The positions of a word that are won by a capture or a pawn's move, and by no other move at once.
    fn won_by_pawn(&self, home: usize) -> u64 {
        self.won_in_one[home / 64] & !self.mates[home / 64]
    }
}

fn take_back(frame: &Subspace, word: usize, placed: &Placement, set: u64, mates: &mut [u64]) {
    for man in frame.pieces(Side::Attacker) {
        if frame.piece(man).kind == Kind::Pawn {
            continue;
        }
        if man == frame.word_piece() {
            mates[word] |= frame.word_moves(placed, set);
        } else {
            frame.steps(word, placed, man, Reflections::One, |from, path, _| {
                mates[from] |= set & !path;
            });
        }
    }
}
