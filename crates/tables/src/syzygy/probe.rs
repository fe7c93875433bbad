//! Looks positions up in Syzygy files, as chess programs do it: captures first, then the file.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Move, Position};

use crate::error::TableError;
use crate::position::board::{kind, material_of, require_no_castling, role};
use crate::position::index_space::Squares;
use crate::position::material::{Kind, Material};
use crate::probe::{Choice, Probed, Value, best_line, choices};
use crate::store::directory::lock;
use crate::store::locate::piece_key;
use crate::syzygy::file::parse::{
    BLACK_TO_MOVE, Contents, LOSS_PLIES, SubTable, SyzygyFile, WIN_PLIES, file_name,
};
use crate::syzygy::index::leading::normalise_pawns;
use crate::syzygy::index::piece_order::ColoredPiece;

/// The value of a position for the side to move, under the fifty-move rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// Mated, or mated in time.
    Loss,
    /// Lost but for the fifty-move rule.
    BlessedLoss,
    /// Neither side can force mate.
    Draw,
    /// Won but for the fifty-move rule.
    CursedWin,
    /// Mates in time.
    Win,
}

/// Whether a distance is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// It is.
    Exact,
    /// The file stores moves: the distance may be a ply too few.
    Rounded,
}

impl Wdl {
    const ALL: [Self; 5] = [
        Self::Loss,
        Self::BlessedLoss,
        Self::Draw,
        Self::CursedWin,
        Self::Win,
    ];

    fn from_value(value: u16) -> Option<Self> {
        Self::ALL.get(usize::from(value)).copied()
    }

    /// The value for the other side.
    pub fn negated(self) -> Self {
        Self::ALL[4 - self as usize]
    }

    /// The signed distance of a position whose next move is zeroing: 1 ply, or 101 if the fifty-move rule makes it a draw.
    fn zeroing_distance(self) -> i32 {
        [-1, -101, 0, 101, 1][self as usize]
    }
}

impl Value {
    /// From signed plies: positive for wins, negative for losses.
    pub(crate) fn of_dtz(plies: i32) -> Self {
        let distance = plies.unsigned_abs() as u16;
        match plies.signum() {
            1 => Self::Win(distance),
            -1 => Self::Loss(distance),
            _ => Self::Draw,
        }
    }
}

/// A folder of Syzygy files, or several that are searched in order; each file is opened on first use.
#[derive(Debug)]
pub struct SyzygyFolder {
    /// At least one.
    folders: Vec<PathBuf>,
    files: Mutex<HashMap<(Material, Contents), Arc<SyzygyFile>>>,
    /// By the pieces of a board and the kind of file.
    located: RwLock<FxHashMap<(u64, Contents), Arc<LocatedFile>>>,
}

/// The file of a position.
#[derive(Debug)]
struct LocatedFile {
    file: Arc<SyzygyFile>,
    /// Whether the file's white pieces are the position's white ones.
    as_white: bool,
}

impl SyzygyFolder {
    /// The files of a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::several(folder.into(), [])
    }

    /// The files of a folder and of others: where several have a file, the first of them.
    pub fn several(first: PathBuf, others: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut folders = vec![first];
        folders.extend(others);
        Self {
            folders,
            files: Mutex::default(),
            located: RwLock::default(),
        }
    }

    /// The path of an ending's file, whether it exists or not.
    pub fn path(&self, material: &Material, contents: Contents) -> PathBuf {
        let name = file_name(material, contents);
        let mut paths = self.folders.iter().map(|folder| folder.join(&name));
        let found = match self.folders.len() {
            1 => None,
            _ => paths.find(|path| path.is_file()),
        };
        found.unwrap_or_else(|| self.folders[0].join(name))
    }

    /// The file of an ending, its checksum compared on first use.
    ///
    /// # Errors
    /// [`TableError`] if it is missing or damaged; its blocks are not decoded.
    pub fn file(
        &self,
        material: &Material,
        contents: Contents,
    ) -> Result<Arc<SyzygyFile>, TableError> {
        let key = (material.clone(), contents);
        if let Some(file) = lock(&self.files).get(&key) {
            return Ok(file.clone());
        }
        let path = self.path(material, contents);
        let file = match SyzygyFile::open(&path) {
            Err(error) if error.is_not_found() => {
                return Err(TableError::Missing {
                    name: file_name(material, contents),
                    folder: names(&self.folders),
                    material: format!("{material} --syzygy"),
                });
            }
            other => other?,
        };
        file.check_sum().map_err(|error| error.in_file(&path))?;
        if file.material != *material || file.contents != contents {
            return Err(TableError::Wrong {
                path: path.display().to_string(),
                what: format!("it holds {}", file_name(&file.material, file.contents)),
            });
        }
        let file = Arc::new(file);
        lock(&self.files).insert(key, file.clone());
        Ok(file)
    }

    /// The file of a position.
    fn locate(&self, position: &Chess, contents: Contents) -> Result<Arc<LocatedFile>, TableError> {
        require_no_castling(position)?;
        let key = (piece_key(position), contents);
        let read = self.located.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(located) = read.get(&key) {
            return Ok(located.clone());
        }
        drop(read);
        let file = self.file(&material_of(position)?, contents)?;
        let pieces = file.subs[0][0].piece_order.pieces.iter();
        let white = pieces.filter(|p| !p.black).copied();
        let located = Arc::new(LocatedFile {
            as_white: is_made_of(position, Color::White, white),
            file,
        });
        let mut write = self.located.write().unwrap_or_else(PoisonError::into_inner);
        write.insert(key, located.clone());
        Ok(located)
    }

    /// Uses a file that is in memory in place of that of the folder. Its checksum is not compared.
    pub fn insert(&self, file: SyzygyFile) {
        let key = (file.material.clone(), file.contents);
        lock(&self.files).insert(key, Arc::new(file));
        let mut located = self.located.write().unwrap_or_else(PoisonError::into_inner);
        located.clear();
    }

    /// The value of a position, captures en passant included.
    ///
    /// # Errors
    /// [`TableError`] if the position has castling rights or too many pieces, or a file is missing or damaged.
    pub fn wdl(&self, position: &Chess) -> Result<Wdl, TableError> {
        Ok(self.wdl_and_capture(position)?.0)
    }

    /// The value of a position, and that of its best capture, if any.
    pub(crate) fn wdl_and_capture(
        &self,
        position: &Chess,
    ) -> Result<(Wdl, Option<Wdl>), TableError> {
        if position.board().occupied().count() == 2 {
            return Ok((Wdl::Draw, None));
        }
        let mut best = None;
        let en_passant = position.ep_square(EnPassantMode::PseudoLegal).is_some();
        if en_passant || may_capture(position) {
            let (mut in_passing, mut others) = (false, false);
            for play in position.legal_moves() {
                in_passing |= play.is_en_passant();
                others |= !play.is_en_passant();
                if play.is_capture() {
                    let value = self.wdl(&after(position, play))?.negated();
                    best = best.max(Some(value));
                }
            }
            if let Some(best) = best.filter(|&best| best == Wdl::Win || (in_passing && !others)) {
                return Ok((best, Some(best)));
            }
        }
        let located = self.locate(position, Contents::Wdl)?;
        let Some((_, value)) = look_up(&located, position)? else {
            unreachable!("both sides to move are in WDL files");
        };
        let stored = Wdl::from_value(value).unwrap_or(Wdl::Draw);
        Ok((best.map_or(stored, |best| best.max(stored)), best))
    }

    /// Plies to the next zeroing move with best play: positive for wins, negative for losses, 0 for draws; 101 and more where
    /// the fifty-move rule makes it a draw. A file that stores moves gives one ply too few for some positions, never for one won in 100
    /// plies.
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn dtz(&self, position: &Chess) -> Result<i32, TableError> {
        Ok(self.dtz_and_rounding(position)?.0)
    }

    /// The same, and whether it may be a ply too few.
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn dtz_and_rounding(&self, position: &Chess) -> Result<(i32, Rounding), TableError> {
        let (wdl, capture) = self.wdl_and_capture(position)?;
        let first = wdl.zeroing_distance();
        if wdl == Wdl::Draw || (wdl > Wdl::Draw && capture == Some(wdl)) {
            return Ok((first, Rounding::Exact));
        }
        if wdl > Wdl::Draw {
            for play in position.legal_moves() {
                if play.role() == shakmaty::Role::Pawn
                    && !play.is_capture()
                    && self.wdl(&after(position, play))?.negated() == wdl
                {
                    return Ok((first, Rounding::Exact));
                }
            }
        }
        let located = self.locate(position, Contents::Dtz)?;
        let file = &located.file;
        if let Some((sub, value)) = look_up(&located, position)? {
            let (beyond, rounding) =
                distance(sub, wdl, value).ok_or_else(|| TableError::Wrong {
                    path: file_name(file.material(), Contents::Dtz),
                    what: format!("a value of {value} has no meaning"),
                })?;
            return Ok((first + first.signum() * i32::from(beyond), rounding));
        }
        self.dtz_by_moves(position, wdl)
    }

    /// The value of a position and of all its moves, the best first, with plies as of [`SyzygyFolder::dtz`].
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn probe(&self, position: &Chess) -> Result<Probed, TableError> {
        let value = if position.is_checkmate() {
            Value::Loss(0)
        } else {
            Value::of_dtz(self.dtz(position)?)
        };
        let moves = choices(position, |play, next| {
            Ok(if play.is_zeroing() {
                Value::of_dtz(self.wdl(next)?.negated().zeroing_distance())
            } else {
                Value::of_dtz(self.dtz(next)?).before()
            })
        })?;
        Ok(Probed { value, moves })
    }

    /// The best play of both sides from a position, until mate, a draw or `limit` plies.
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn line(&self, position: &Chess, limit: usize) -> Result<Vec<Choice>, TableError> {
        best_line(position, limit, |position, _| self.probe(position))
    }

    /// Whether both files of an ending exist. They are not opened.
    pub fn has(&self, material: &Material) -> bool {
        [Contents::Wdl, Contents::Dtz]
            .iter()
            .all(|&contents| self.path(material, contents).is_file())
    }

    /// Whether a file of an ending exists.
    pub(crate) fn has_any(&self, material: &Material) -> bool {
        [Contents::Wdl, Contents::Dtz]
            .iter()
            .any(|&contents| self.path(material, contents).is_file())
    }

    /// The distance of a position whose side to move is not stored, from those after its moves.
    fn dtz_by_moves(&self, position: &Chess, wdl: Wdl) -> Result<(i32, Rounding), TableError> {
        let mut best: Option<(i32, Rounding)> = None;
        for play in position.legal_moves() {
            let next = after(position, play);
            let (own, rounding) = if next.is_checkmate() {
                (1, Rounding::Exact)
            } else if play.is_zeroing() {
                let distance = self.wdl(&next)?.negated().zeroing_distance();
                (distance, Rounding::Exact)
            } else {
                let (next, rounding) = self.dtz_and_rounding(&next)?;
                (-next - next.signum(), rounding)
            };
            // The fastest win is the smallest positive number, the slowest loss the smallest negative one.
            if own.signum() == wdl.zeroing_distance().signum() {
                let better = best.is_none_or(|(best, _)| own < best);
                best = if better { Some((own, rounding)) } else { best };
            }
        }
        // Without a move it is checkmate, stored as a loss in one ply.
        Ok(best.unwrap_or((-1, Rounding::Exact)))
    }
}

fn names(folders: &[PathBuf]) -> String {
    let names: Vec<_> = folders.iter().map(|f| f.display().to_string()).collect();
    names.join(", ")
}

/// The position after a move.
pub(crate) fn after(position: &Chess, play: Move) -> Chess {
    let mut next = position.clone();
    next.play_unchecked(play);
    next
}

/// The plies beyond the shortest distance of a class (1 or 101) that a stored value stands for, and whether they are
/// exact; `None` if the value has no meaning.
pub(crate) fn distance(sub: &SubTable, wdl: Wdl, value: u16) -> Option<(u16, Rounding)> {
    let (class, exact) = match wdl {
        Wdl::Win => (0, sub.flags & WIN_PLIES != 0),
        Wdl::Loss => (1, sub.flags & LOSS_PLIES != 0),
        Wdl::CursedWin => (2, false),
        Wdl::BlessedLoss => (3, false),
        Wdl::Draw => return None,
    };
    let distance = match &sub.maps {
        None => value,
        Some(maps) => *maps[class].get(usize::from(value))?,
    };
    Some(match exact {
        true => (distance, Rounding::Exact),
        false => (2 * distance, Rounding::Rounded),
    })
}

/// Whether the side to move attacks a piece of the other side, en passant captures excluded.
fn may_capture(position: &Chess) -> bool {
    let board = position.board();
    let (us, them) = (position.us(), position.them());
    let occupied = board.occupied();
    us.into_iter().any(|square| {
        let attacks = board.piece_at(square).map_or(Bitboard::EMPTY, |piece| {
            shakmaty::attacks::attacks(square, piece, occupied)
        });
        !attacks.is_disjoint(them)
    })
}

/// The sub-table and stored value of a position; `None` if the file has only the other side to move.
fn look_up<'a>(
    located: &'a LocatedFile,
    position: &Chess,
) -> Result<Option<(&'a SubTable, u16)>, TableError> {
    let file = &located.file;
    // The file's white pieces may be the position's black ones; if both sides have the same pieces, white is the side to move.
    let symmetric = file.material.is_symmetric();
    let flipped = if symmetric {
        position.turn() == Color::Black
    } else {
        !located.as_white
    };
    let black_to_move = (position.turn() == Color::Black) != flipped;
    let lead = &file.subs[0][0].piece_order;
    let sides = if file.subs.len() > 1 {
        let mut at = squares_of(position, &lead.pieces, flipped);
        &file.subs[normalise_pawns(&mut at[..lead.pieces.len()], lead.leading())]
    } else {
        &file.subs[0]
    };
    let sub = match sides.as_slice() {
        [one] => one,
        two => &two[usize::from(black_to_move)],
    };
    if file.contents == Contents::Dtz
        && !symmetric
        && (sub.flags & BLACK_TO_MOVE != 0) != black_to_move
    {
        return Ok(None);
    }
    let at = squares_of(position, &sub.piece_order.pieces, flipped);
    let index = sub.piece_order.index(&at).unwrap_or(0);
    let path = || std::path::PathBuf::from(file_name(&file.material, file.contents));
    let value = file
        .value(sub, index)
        .map_err(|error| error.in_file(&path()))?;
    Ok(Some((sub, value)))
}

fn is_made_of(position: &Chess, color: Color, pieces: impl Iterator<Item = ColoredPiece>) -> bool {
    let board = position.board();
    let on_board = board.by_color(color).into_iter();
    let mut own: Vec<Kind> = on_board
        .filter_map(|s| board.role_at(s))
        .map(kind)
        .collect();
    let mut pieces: Vec<Kind> = pieces.map(|p| p.kind).collect();
    own.sort_unstable();
    pieces.sort_unstable();
    own == pieces
}

/// The squares of the pieces of an order, by place; with ranks mirrored if the colours are exchanged (`flipped`).
fn squares_of(position: &Chess, pieces: &[ColoredPiece], flipped: bool) -> Squares {
    let board = position.board();
    let mut at = [0; 8];
    let mut taken = shakmaty::Bitboard::EMPTY;
    for (square, piece) in at.iter_mut().zip(pieces) {
        let color = Color::from_white(piece.black == flipped);
        let fitting = board.by_color(color) & board.by_role(role(piece.kind)) & !taken;
        if let Some(found) = fitting.first() {
            taken.add(found);
            *square = u32::from(found) as u8 ^ if flipped { 56 } else { 0 };
        }
    }
    at
}
