//! Verifies Syzygy files by the rules of chess.
//!
//! The value of a position is the one that every reader computes: captures first, then the file,
//! and for distances pawn moves before the file. Don't-care entries are therefore never used.
//! `decoded` decodes the values of a half's positions; `classes` combines them with the
//! captures; `rounding` computes exact plies where the file stores moves. The result is verified
//! like a table of our own, by a verifier over all positions with the rules alone. `import` writes
//! it as a table of our own.

mod classes;
mod decoded;
mod import;
mod rounding;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use everymove_kernel::parallel;
use everymove_kernel::run::Run;
use shakmaty::Color;

use super::Verified;
use super::conversion::{Conversions, HalfCodes, Leaving};
use super::half_verifier::HalfVerifier;
use super::placed_pieces::PlacedPieces;
use crate::error::TableError;
use crate::metric::Metric;
use crate::position::board::set_up;
use crate::position::board::write_position;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::{Half, Material};
use crate::store::directory::lock;
use crate::syzygy::{Contents, SyzygyFile, SyzygyFolder, Wdl};
use decoded::{Decoded, FileView};
pub use import::import_syzygy;

/// Indices that a thread processes at a time.
const RANGE: usize = 1 << 13;

/// How much of an ending's files is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Both files, completely: every value is right, provided that the files of the endings that
    /// captures and promotions lead to are right.
    Pair,
    /// The WDL file alone: every value is consistent with those of the positions that the moves
    /// lead to. That proves neither that wins make progress nor that the fifty-move rule is
    /// applied right.
    Wdl,
}

/// Why a check ends early.
enum CheckError {
    /// The file is wrong; the text names a position.
    Wrong(String),
    Table(TableError),
}

impl From<TableError> for CheckError {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

/// Verifies Syzygy files of a folder. The values of smaller endings are kept from one ending to the
/// next, as memory allows.
pub struct SyzygyVerifier<'a> {
    folder: &'a SyzygyFolder,
    run: &'a Run,
    spaces: Mutex<HashMap<Half, Arc<IndexSpace>>>,
    known: Mutex<HashMap<Half, Arc<HalfCodes>>>,
    #[cfg(test)]
    damage: Option<Damage>,
}

/// A changed value of one index, for tests.
#[cfg(test)]
#[derive(Clone, Debug)]
struct Damage {
    contents: Contents,
    material: Material,
    /// File of the leading pawn.
    file: usize,
    black_to_move: bool,
    number: usize,
    value: u8,
}

impl<'a> SyzygyVerifier<'a> {
    /// A verifier of a folder's files.
    pub fn new(folder: &'a SyzygyFolder, run: &'a Run) -> Self {
        Self {
            folder,
            run,
            spaces: Mutex::default(),
            known: Mutex::default(),
            #[cfg(test)]
            damage: None,
        }
    }

    /// Derives every value of an ending's files from those of the positions that the moves lead to,
    /// and compares.
    ///
    /// # Errors
    /// [`TableError::Wrong`] with the first position whose value does not follow from its moves;
    /// [`TableError::OverBudget`] before the work begins; and as for probing.
    pub fn verify(&self, material: &Material, proof: Proof) -> Result<Verified, TableError> {
        let mut total = Verified::default();
        self.each_half(material, proof, |_, verified| {
            total.add(verified);
            Ok(())
        })?;
        Ok(total)
    }

    /// Verifies every half of an ending and calls `done` with its encoded distances; they are exact
    /// plies to zeroing moves if both files are verified.
    pub(crate) fn each_half(
        &self,
        material: &Material,
        proof: Proof,
        mut done: impl FnMut(HalfCodes, Verified) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let wdl = self.checked(material, Contents::Wdl)?;
        let dtz = match proof {
            Proof::Pair => Some(self.checked(material, Contents::Dtz)?),
            Proof::Wdl => None,
        };
        for half in material.halves() {
            self.fit_budget(material, &half)?;
            let checked = self.half(&half, &wdl, dtz.as_deref());
            let (held, verified) = checked.map_err(|trouble| match trouble {
                CheckError::Table(error) => error,
                CheckError::Wrong(what) => {
                    TableError::wrong(&self.folder.path(material, Contents::Wdl), what)
                }
            })?;
            done(held, verified)?;
        }
        Ok(())
    }

    /// A file whose checksum and structure are valid.
    fn checked(
        &self,
        material: &Material,
        contents: Contents,
    ) -> Result<Arc<SyzygyFile>, TableError> {
        let file = self.folder.file(material, contents)?;
        let path = self.folder.path(material, contents);
        let checked = file.check_blocks(self.run)?;
        checked.map_err(|error| error.in_file(&path))?;
        Ok(file)
    }

    /// Compares the memory for a half with the budget; drops the values of other endings if that
    /// makes it fit.
    fn fit_budget(&self, material: &Material, half: &Half) -> Result<(), TableError> {
        let what = format!("verifying {half}");
        let space = self.space(half);
        let mut needed = Conversions::halves(&space, Leaving::All);
        let mut at = 0;
        while let Some(child) = needed.get(at).cloned() {
            let space = self.space(&child);
            for next in Conversions::halves(&space, Leaving::Captures) {
                if !needed.contains(&next) {
                    needed.push(next);
                }
            }
            at += 1;
        }
        let sizes = |known: &HashMap<Half, Arc<HalfCodes>>| -> u64 {
            let unknown = needed.iter().filter(|half| !known.contains_key(half));
            unknown.map(|half| 2 * self.space(half).len() as u64).sum()
        };
        let decoded = |contents| -> Result<u64, TableError> {
            let file = self.folder.file(material, contents)?;
            let files = file.subs.iter().map(|sides| {
                let sizes = sides.iter().map(|sub| sub.piece_order.size());
                sizes.max().unwrap_or(0)
            });
            Ok(files.max().unwrap_or(0) + file.bytes())
        };
        let own = 3 * space.len() as u64 + decoded(Contents::Wdl)?;
        let mut known = lock(&self.known);
        if self.run.ram.require(&what, own + sizes(&known)).is_err() {
            known.clear();
            self.run.ram.require(&what, own + sizes(&known))?;
        }
        Ok(())
    }

    fn space(&self, half: &Half) -> Arc<IndexSpace> {
        let mut spaces = lock(&self.spaces);
        let space = spaces
            .entry(half.clone())
            .or_insert_with(|| Arc::new(IndexSpace::new(half)));
        space.clone()
    }

    fn half(
        &self,
        half: &Half,
        wdl: &SyzygyFile,
        dtz: Option<&SyzygyFile>,
    ) -> Result<(HalfCodes, Verified), CheckError> {
        let space = self.space(half);
        let what = format!("verifying {half}");
        let reserved = self.run.ram.reserve(&what, 2 * space.len() as u64);
        let reserved = reserved.map_err(TableError::from)?;
        let conversions = Conversions::new(&space, Leaving::All, |half| self.held(half))?;
        let held = HalfCodes::empty(space, reserved);
        let mut verifier = HalfVerifier::of(half, held, conversions, Metric::Zeroing);
        self.store_classes(&mut verifier, wdl)?;
        let Some(dtz) = dtz else {
            let verified = self.check_classes(&verifier)?;
            return Ok((verifier.own, verified));
        };
        self.store_distances(&mut verifier, dtz)?;
        match verifier.check(self.run)? {
            Ok(verified) => Ok((verifier.own, verified)),
            Err(what) => Err(CheckError::Wrong(what)),
        }
    }

    /// The values of a file of the leading pawn (0 to 3); `None` if the Syzygy file stores the
    /// other side to move.
    fn decoded<'f>(
        &self,
        file: &'f SyzygyFile,
        number: usize,
        space: &IndexSpace,
        to_move: Side,
    ) -> Result<Option<Decoded<'f>>, TableError> {
        let decoded = Decoded::new(file, number, space, to_move, self.run)?;
        #[cfg(test)]
        let decoded = self.damaged(decoded, file, number, space, to_move);
        Ok(decoded)
    }

    #[cfg(test)]
    fn damaged<'f>(
        &self,
        mut decoded: Option<Decoded<'f>>,
        file: &SyzygyFile,
        number: usize,
        space: &IndexSpace,
        to_move: Side,
    ) -> Option<Decoded<'f>> {
        if let (Some(decoded), Some(damage)) = (&mut decoded, &self.damage) {
            let black_to_move = FileView::new(file, space, to_move).black_to_move;
            let place = (file.contents, &file.material, number, black_to_move);
            if place
                == (
                    damage.contents,
                    &damage.material,
                    damage.file,
                    damage.black_to_move,
                )
            {
                decoded.damage(damage.number, damage.value);
            }
        }
        decoded
    }

    /// As [`SyzygyVerifier::change`] for the codes of a side to move, of which `work` has those of
    /// the other side.
    fn change_side(
        &self,
        verifier: &mut HalfVerifier<'_>,
        side: Side,
        ranges: &[Range<usize>],
        work: impl Fn(&HalfVerifier<'_>, &mut PlacedPieces, usize, u8) -> Result<u8, CheckError> + Sync,
    ) -> Result<u64, CheckError> {
        let mut codes = std::mem::take(verifier.own.codes_mut(side));
        let others = &*verifier;
        let changed = self.change(
            &mut codes,
            &others.own.space,
            ranges,
            |placed, number, code| work(others, placed, number, code),
        );
        *verifier.own.codes_mut(side) = codes;
        changed
    }

    /// Replaces the codes of some ranges of indices by `work(pieces, index, code)`. Returns the
    /// number of codes that changed, or the first error in the order of indices.
    fn change(
        &self,
        codes: &mut [u8],
        space: &IndexSpace,
        ranges: &[Range<usize>],
        work: impl Fn(&mut PlacedPieces, usize, u8) -> Result<u8, CheckError> + Sync,
    ) -> Result<u64, CheckError> {
        let mut changes = 0;
        for wave in ranges.chunks(64 * self.run.threads.get()) {
            let old = &*codes;
            let parts = parallel::map(
                self.run,
                wave,
                || PlacedPieces::new(space),
                |placed, range| {
                    let mut new: Option<Vec<u8>> = None;
                    let mut changes = 0u64;
                    for number in range.clone() {
                        let code = work(placed, number, old[number])?;
                        if code != old[number] {
                            let new = new.get_or_insert_with(|| old[range.clone()].to_vec());
                            new[number - range.start] = code;
                            changes += 1;
                        }
                    }
                    Ok::<_, CheckError>((new, changes))
                },
            );
            for (range, part) in wave.iter().zip(parts.map_err(TableError::from)?) {
                let (new, changed) = part?;
                changes += changed;
                if let Some(new) = new {
                    codes[range.clone()].copy_from_slice(&new);
                }
            }
            self.run.progress.advance(wave.len() as u64);
        }
        Ok(changes)
    }

    /// The FEN of a position.
    fn fen(&self, file: &SyzygyFile, space: &IndexSpace, number: usize, to_move: Side) -> String {
        let color = match space.half.attacker == *file.material.white() {
            true => Color::White,
            false => Color::Black,
        };
        match set_up(space, number, color, to_move) {
            Some(position) => write_position(&position),
            None => "an impossible position".to_owned(),
        }
    }

    /// The codes of a smaller ending, made when they are first wanted.
    fn held(&self, half: &Half) -> Result<Arc<HalfCodes>, TableError> {
        if let Some(held) = lock(&self.known).get(half) {
            return Ok(held.clone());
        }
        let held = Arc::new(self.wdl_codes(half)?);
        lock(&self.known).insert(half.clone(), held.clone());
        Ok(held)
    }
}

/// The indices of some slices in ranges of at most [`RANGE`].
fn ranges_of(space: &IndexSpace, slices: &[usize]) -> Vec<Range<usize>> {
    let length = space.slice_len();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for &slice in slices {
        let own = slice * length..(slice + 1) * length;
        match runs.last_mut() {
            Some(last) if last.end == own.start => last.end = own.end,
            _ => runs.push(own),
        }
    }
    let cut = |run: Range<usize>| {
        let end = run.end;
        run.step_by(RANGE).map(move |at| at..(at + RANGE).min(end))
    };
    runs.into_iter().flat_map(cut).collect()
}

/// The value that an encoded distance stands for.
fn class(code: u8, to_move: Side) -> Wdl {
    match (to_move, code) {
        (_, 0) => Wdl::Draw,
        (Side::Attacker, 1..=100) => Wdl::Win,
        (Side::Attacker, _) => Wdl::CursedWin,
        (Side::Defender, 1..=101) => Wdl::Loss,
        (Side::Defender, _) => Wdl::BlessedLoss,
    }
}

#[cfg(test)]
mod tests;
