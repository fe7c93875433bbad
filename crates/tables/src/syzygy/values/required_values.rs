//! The values that a Syzygy file must store, and don't-care entries where readers find the value by
//! other means.

use std::collections::BTreeMap;

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};

use crate::error::TableError;
use crate::position::index_space::Side;
use crate::position::material::{Half, Kind};
use crate::position::subspace::{Placement, Reflections, Subspace};
use crate::store::directory::Tables;
use crate::store::format::{BLOCK, Reader};
use crate::syzygy::values::captures::Captures;
use crate::syzygy::values::dont_care::{AT_MOST, DONT_CARE};
use crate::syzygy::values::value_table::{CodeMap, ValueTable, illegal, store_at};
use crate::syzygy::values::wdl::{CURSED_WIN, DRAW, LOSS, WIN, value_of_loss, value_of_win};

/// The values of a WDL file for a half's attacker to move.
///
/// Readers take the better of the stored value and the best capture. Illegal positions and wins by
/// a capture are don't-cares; a value that a capture exceeds may be stored as itself or a smaller
/// one ([`AT_MOST`]).
pub(crate) fn required_wdl(
    half: &Half,
    slices: Vec<usize>,
    captures: &Captures,
    tables: &Tables,
    run: &Run,
) -> Result<ValueTable, TableError> {
    let mut table = ValueTable::new(half, slices, &CodeMap::to_wdl(), tables, run)?;
    table.for_each_word(run, |subspace, word, _, bytes| {
        let placed = subspace.placement(word);
        store_at(bytes, illegal(subspace, placed.as_ref()), DONT_CARE);
        let Some(placed) = placed else { return };
        let best = captures.best(subspace, &placed);
        for (value, best) in bytes.iter_mut().zip(best) {
            // A losing capture is not better than any stored value. `best` is the value plus one,
            // and less than `DONT_CARE`. There are no branches, so that several values
            // are compared at a time.
            let open = match *value {
                WIN => DONT_CARE,
                value => AT_MOST.wrapping_add(value),
            };
            let is_better = (best > LOSS + 1) & (best > *value);
            *value = if is_better { open } else { *value };
        }
    })?;
    Ok(table)
}

/// What the bytes of a table of distances mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DtzMeaning {
    /// By byte: the class (of `wdl`), and the distance as the file stores it. Where bytes are
    /// shared, the class is that of won positions, [`DRAW`] if it may be a win or a cursed
    /// win.
    pub(crate) distances: Vec<(u8, u16)>,
    /// Whether a byte means one distance in all classes.
    pub(crate) is_shared: bool,
    /// Whether wins, and losses, are stored in plies and not in moves.
    pub(crate) in_plies: [bool; 2],
}

impl DtzMeaning {
    /// Whether all positions are won or lost with a distance of 0, so that one value is enough.
    pub(crate) fn is_single_value(&self) -> bool {
        let at_once =
            |&(class, distance): &(u8, u16)| distance == 0 && [WIN, LOSS].contains(&class);
        !self.is_shared && self.distances.iter().all(at_once)
    }
}

/// The distance that a file stores for an encoded distance: 0 is the shortest of the class.
fn stored_distance(class: u8, code: u16, in_plies: [bool; 2]) -> u16 {
    let (beyond, exact) = match class {
        WIN => (code - 1, in_plies[0]),
        // The code of a loss is plies plus one. Checkmate (code 1) is stored as a loss in one ply.
        LOSS => (code.saturating_sub(2), in_plies[1]),
        CURSED_WIN => (code - 101, false),
        _ => (code - 102, false),
    };
    if exact { beyond } else { beyond / 2 }
}

/// The class under which a distance has a byte, if all classes share bytes.
///
/// Wins by a capture, whose class decides whether they are don't-cares, have the distance 0: wins
/// and cursed wins share no byte there.
fn shared_class(class: u8, distance: u16) -> u8 {
    match (class, distance) {
        (WIN | LOSS, 0) => WIN,
        (_, 0) => CURSED_WIN,
        _ => DRAW,
    }
}

/// The distances of a DTZ file for a half's attacker to move.
pub(crate) struct RequiredDtz {
    map: CodeMap,
    pub(crate) meaning: DtzMeaning,
}

impl RequiredDtz {
    /// The largest number of bytes with a meaning.
    pub(crate) const MOST_BYTES: usize = AT_MOST as usize;

    /// Finds the distances that occur in an ending's table and gives each a byte: one for each
    /// class and distance, or, if these are more than `most`, one for each distance.
    ///
    /// # Errors
    /// [`TableError::TooManyDistances`] if there are more distances than `most`; as for reading
    /// tables.
    pub(crate) fn new(
        half: &Half,
        most: usize,
        tables: &Tables,
        run: &Run,
    ) -> Result<Self, TableError> {
        let wins = codes_in(half, Side::Attacker, tables, run)?;
        let losses = codes_in(&half.swapped(), Side::Defender, tables, run)?;
        [false, true]
            .into_iter()
            .find_map(|is_shared| Self::of_codes([&wins, &losses], is_shared, most))
            .ok_or_else(|| TableError::TooManyDistances {
                half: half.to_string(),
            })
    }

    /// Gives the distances of the encoded wins and losses bytes; `None` if more than `most` are
    /// needed.
    fn of_codes([wins, losses]: [&[u16]; 2], is_shared: bool, most: usize) -> Option<Self> {
        // In moves, which may be one ply off, a win in 100 plies could not be distinguished from a
        // cursed win in 101.
        let in_plies = [wins.contains(&100), losses.contains(&101)];
        let mut ids: BTreeMap<(u8, u16), u8> = BTreeMap::new();
        let mut maps = [vec![DONT_CARE], vec![DONT_CARE]];
        let classes: [fn(u16) -> u8; 2] = [value_of_win, value_of_loss];
        for ((codes, map), class) in [wins, losses].iter().zip(&mut maps).zip(classes) {
            for &code in *codes {
                let class = class(code);
                let distance = stored_distance(class, code, in_plies);
                let class = match is_shared {
                    true => shared_class(class, distance),
                    false => class,
                };
                let next = ids.len();
                let id = *ids.entry((class, distance)).or_insert(next as u8);
                if ids.len() > most {
                    return None;
                }
                map.resize(map.len().max(usize::from(code) + 1), DONT_CARE);
                map[usize::from(code)] = id;
            }
        }
        let mut distances = vec![(DRAW, 0); ids.len()];
        for (key, id) in ids {
            distances[usize::from(id)] = key;
        }
        let [win, loss] = maps;
        Some(Self {
            map: CodeMap { win, loss },
            meaning: DtzMeaning {
                distances,
                is_shared,
                in_plies,
            },
        })
    }

    /// The bytes of some slices. Don't-cares are draws, illegal positions, and wins that a reader
    /// finds without the file: by a capture or pawn move that preserves the class.
    pub(crate) fn value_table(
        &self,
        half: &Half,
        slices: Vec<usize>,
        captures: &Captures,
        tables: &Tables,
        run: &Run,
    ) -> Result<ValueTable, TableError> {
        let mut table = ValueTable::new(half, slices, &self.map, tables, run)?;
        let distances = self.meaning.distances.iter();
        // By byte: the best capture that finds the same win, as in `BestCaptures`.
        let mut same_win = [NO_WIN; 256];
        for (own, &(class, _)) in same_win.iter_mut().zip(distances) {
            if class >= CURSED_WIN {
                *own = class + 1;
            }
        }
        let pawns = half.attacker.pawns() > 0;
        let win_in_one = self.map.win.get(1).copied().unwrap_or(DONT_CARE);
        // Readers try pawn moves before they look up a distance, but not checkmates by other
        // pieces.
        let wins_in_one = if pawns && win_in_one != DONT_CARE {
            Some(WinsInOne::new(half, &table, tables, run)?)
        } else {
            None
        };
        table.for_each_word(run, |subspace, word, slot, bytes| {
            let placed = subspace.placement(word);
            store_at(bytes, illegal(subspace, placed.as_ref()), DONT_CARE);
            let Some(placed) = placed else { return };
            if let Some(wins) = &wins_in_one {
                store_at(bytes, wins.only_by_pawn_or_capture(slot), DONT_CARE);
            }
            // A byte may be shared with lost positions, but these have no capture that wins.
            let wins = bytes.map(|byte| same_win[usize::from(byte)]);
            if wins.iter().all(|&win| win == NO_WIN) {
                return;
            }
            let best = captures.best(subspace, &placed);
            for ((byte, win), best) in bytes.iter_mut().zip(wins).zip(best) {
                if best == win {
                    *byte = DONT_CARE;
                }
            }
        })?;
        Ok(table)
    }
}

/// Stands for no win: no best capture has this value.
const NO_WIN: u8 = u8::MAX;

/// The codes above 0 that occur in a section, ascending.
fn codes_in(half: &Half, side: Side, tables: &Tables, run: &Run) -> Result<Vec<u16>, TableError> {
    if half.attacker.pieces().is_empty() {
        return Ok(Vec::new());
    }
    let (reader, section) = tables.section(half, side)?;
    // The WDL file has needed most blocks already.
    let decode = |(): &mut (), block| {
        reader.block(section, block)?;
        Ok::<_, TableError>(())
    };
    parallel::try_for_each(run, reader.unseen_blocks(section), || (), decode)?;
    let codes = reader.seen_codes(section).into_iter();
    Ok(codes.filter(|&code| code > 0).collect())
}

/// The positions won in one ply, and those in which a quiet move of the king or a piece (not a
/// pawn) is checkmate.
struct WinsInOne {
    /// A bit for each slot of the value table.
    won_in_one: Vec<u64>,
    mate_in_one: Vec<u64>,
    _memory: Reservation,
}

/// Bytes of [`WinsInOne`] while it is made: two bits for each slot, and as much for the parts that
/// are put together.
pub(crate) fn wins_in_one_bytes(slots: u64) -> u64 {
    slots / 2
}

impl WinsInOne {
    /// Takes back every quiet move of the attacker's king and pieces from the positions in which
    /// the defender is checkmated.
    fn new(
        half: &Half,
        table: &ValueTable,
        tables: &Tables,
        run: &Run,
    ) -> Result<Self, TableError> {
        let space = &table.space;
        let (wins, win_section) = tables.section(half, Side::Attacker)?;
        let (losses, loss_section) = tables.section(half, Side::Defender)?;
        let length = space.slice_len();
        let bytes = wins_in_one_bytes((table.slices.len() * length) as u64);
        let memory = run.ram.reserve(&half.to_string(), bytes)?;
        let parts = parallel::try_map(
            run,
            &table.slices,
            || (),
            |(), &slice| {
                let subspace = Subspace::new(space.clone(), Some(slice));
                // The positions of code 1: won in one ply, or checkmated.
                let code_one = |reader: &Reader, section| {
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
                let won = code_one(&wins, win_section)?;
                let checkmates = code_one(&losses, loss_section)?;
                let mut mate_in_one = vec![0u64; length / 64];
                for (word, &set) in checkmates.iter().enumerate().filter(|&(_, &set)| set != 0) {
                    if let Some(placed) = subspace.placement(word) {
                        take_back(&subspace, word, &placed, set, &mut mate_in_one);
                    }
                }
                Ok::<_, TableError>((won, mate_in_one))
            },
        )?;
        let (mut won_in_one, mut mate_in_one) = (Vec::new(), Vec::new());
        for (won, mate) in parts {
            won_in_one.extend(won);
            mate_in_one.extend(mate);
        }
        Ok(Self {
            won_in_one,
            mate_in_one,
            _memory: memory,
        })
    }

    /// The positions of a slot's word that are won in one ply by a capture or a pawn move, but by
    /// no other move.
    fn only_by_pawn_or_capture(&self, slot: usize) -> u64 {
        self.won_in_one[slot / 64] & !self.mate_in_one[slot / 64]
    }
}

/// Adds the positions from which a quiet move of the attacker's king or pieces leads to a set of a
/// word.
fn take_back(
    subspace: &Subspace,
    word: usize,
    placed: &Placement,
    set: u64,
    predecessors: &mut [u64],
) {
    for piece in subspace.pieces(Side::Attacker) {
        if subspace.piece(piece).kind == Kind::Pawn {
            continue;
        }
        if piece == subspace.word_piece() {
            predecessors[word] |= subspace.word_moves(placed, set);
        } else {
            subspace.steps(word, placed, piece, Reflections::One, |from, path, _| {
                predecessors[from] |= set & !path;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code has a byte of its class and distance, with bytes of their own for each class and
    /// shared ones.
    #[test]
    fn every_distance_has_a_byte() {
        let upto = |last: u16| (1..=last).collect::<Vec<_>>();
        for [last_win, last_loss] in [[1, 1], [99, 40], [100, 101], [130, 140], [485, 470]] {
            let (wins, losses) = (upto(last_win), upto(last_loss));
            for is_shared in [false, true] {
                let required = RequiredDtz::of_codes([&wins, &losses], is_shared, 254);
                let Some(RequiredDtz { map, meaning }) = required else {
                    assert!(last_win == 485 && !is_shared);
                    continue;
                };
                assert_eq!(map.win.len(), wins.len() + 1);
                assert_eq!(map.loss.len(), losses.len() + 1);
                let own = |code, class, byte: u8| {
                    let distance = stored_distance(class, code, meaning.in_plies);
                    let expected = match is_shared {
                        true => shared_class(class, distance),
                        false => class,
                    };
                    assert_eq!(meaning.distances[usize::from(byte)], (expected, distance));
                };
                for code in wins.iter().copied() {
                    own(code, value_of_win(code), map.win[usize::from(code)]);
                }
                for code in losses.iter().copied() {
                    own(code, value_of_loss(code), map.loss[usize::from(code)]);
                }
            }
        }
    }

    /// The wins by a capture of both classes can be distinguished, and no other byte is taken for
    /// one of them.
    #[test]
    fn shared_bytes_distinguish_wins_by_a_capture() {
        let codes: Vec<u16> = (1..=485).collect();
        let required = RequiredDtz::of_codes([&codes, &codes], true, RequiredDtz::MOST_BYTES);
        let RequiredDtz { map, meaning } = required.expect("shared bytes are few");
        let class = |code: usize| meaning.distances[usize::from(map.win[code])].0;
        assert_eq!([class(1), class(101)], [WIN, CURSED_WIN]);
        assert!((3..=100).chain(103..=485).all(|code| class(code) == DRAW));
    }
}
