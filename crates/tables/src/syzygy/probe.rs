//! Positions looked up in Syzygy files, as chess programs do it: captures first, then the file.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use shakmaty::{Chess, Color, Move, Position};

use crate::error::TableError;
use crate::position::board::{kind, material_of};
use crate::position::material::{Kind, Material};
use crate::probe::{Choice, Probed, Value, best_line, choices};
use crate::store::directory::lock;
use crate::syzygy::build::file_name;
use crate::syzygy::file::parse::{BLACK, Contents, LOSS_PLIES, SubTable, SyzygyFile, WIN_PLIES};
use crate::syzygy::index::leading::normalise_pawns;
use crate::syzygy::index::piece_order::{Piece, Placed};

/// What a position is worth to the side to move, under the fifty-move rule.
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

    /// What it is worth to the other side.
    pub fn turned(self) -> Self {
        Self::ALL[4 - self as usize]
    }

    /// Plies to a zeroing move if that is the next: negative for losses, beyond 100 what the fifty-move rule makes a draw.
    fn at_once(self) -> i32 {
        [-1, -101, 0, 101, 1][self as usize]
    }
}

impl Value {
    /// From plies that are positive for wins and negative for losses.
    fn of_dtz(plies: i32) -> Self {
        let distance = plies.unsigned_abs() as u16;
        match plies.signum() {
            1 => Self::Win(distance),
            -1 => Self::Loss(distance),
            _ => Self::Draw,
        }
    }
}

/// A folder of Syzygy files, opened as they are needed.
#[derive(Debug)]
pub struct SyzygyFolder {
    folder: PathBuf,
    files: Mutex<HashMap<(Material, Contents), Arc<SyzygyFile>>>,
}

impl SyzygyFolder {
    /// The files of a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            files: Mutex::default(),
        }
    }

    /// Where the file of an ending is, or would be.
    pub fn path(&self, material: &Material, contents: Contents) -> PathBuf {
        self.folder.join(file_name(material, contents))
    }

    /// The file of an ending, its checksum compared.
    ///
    /// # Errors
    /// [`TableError`] if it is not there or damaged; its blocks are looked at when they are used.
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
                    folder: self.folder.display().to_string(),
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

    /// Takes a file that is in memory for that of the folder, without a look at its checksum.
    pub fn insert(&self, file: SyzygyFile) {
        let key = (file.material.clone(), file.contents);
        lock(&self.files).insert(key, Arc::new(file));
    }

    /// What a position is worth, captures in passing included.
    ///
    /// # Errors
    /// [`TableError`] if it has castling rights or too many men, or a file is missing or damaged.
    pub fn wdl(&self, position: &Chess) -> Result<Wdl, TableError> {
        Ok(self.weigh(position)?.0)
    }

    /// A position's worth, and that of its best capture.
    pub(crate) fn weigh(&self, position: &Chess) -> Result<(Wdl, Option<Wdl>), TableError> {
        if position.board().occupied().count() == 2 {
            return Ok((Wdl::Draw, None));
        }
        let (mut best, mut in_passing, mut others) = (None, false, false);
        for play in position.legal_moves() {
            in_passing |= play.is_en_passant();
            others |= !play.is_en_passant();
            if play.is_capture() {
                let value = self.wdl(&after(position, play))?.turned();
                best = best.max(Some(value));
            }
        }
        if let Some(best) = best.filter(|&best| best == Wdl::Win || (in_passing && !others)) {
            return Ok((best, Some(best)));
        }
        let material = material_of(position)?;
        let file = self.file(&material, Contents::Wdl)?;
        let Some((_, value)) = look_up(&file, position)? else {
            unreachable!("both sides to move are in WDL files");
        };
        let told = Wdl::from_value(value).unwrap_or(Wdl::Draw);
        Ok((best.map_or(told, |best| best.max(told)), best))
    }

    /// Plies to the next zeroing move with best play: positive for wins, negative for losses, 0 for draws; 101 and more where
    /// the fifty-move rule makes it a draw. A file may tell one ply too few, never one of a position won in 100 plies.
    ///
    /// # Errors
    /// As [`SyzygyFolder::wdl`].
    pub fn dtz(&self, position: &Chess) -> Result<i32, TableError> {
        let (wdl, capture) = self.weigh(position)?;
        let at_once = wdl.at_once();
        if wdl == Wdl::Draw || (wdl > Wdl::Draw && capture == Some(wdl)) {
            return Ok(at_once);
        }
        if wdl > Wdl::Draw {
            for play in position.legal_moves() {
                if play.role() == shakmaty::Role::Pawn
                    && !play.is_capture()
                    && self.wdl(&after(position, play))?.turned() == wdl
                {
                    return Ok(at_once);
                }
            }
        }
        let file = self.file(&material_of(position)?, Contents::Dtz)?;
        if let Some((sub, value)) = look_up(&file, position)? {
            let beyond = distance(sub, wdl, value).ok_or_else(|| TableError::Wrong {
                path: file_name(file.material(), Contents::Dtz),
                what: format!("a value of {value} has no meaning"),
            })?;
            return Ok(at_once + at_once.signum() * i32::from(beyond));
        }
        self.by_moves(position, wdl)
    }

    /// The value of a position and of all its moves, the best first, with plies as [`SyzygyFolder::dtz`] has them.
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
                Value::of_dtz(self.wdl(next)?.turned().at_once())
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
        best_line(position, limit, |position| self.probe(position))
    }

    /// Whether both files of an ending are there. Their contents are looked at when they are used.
    pub fn has(&self, material: &Material) -> bool {
        [Contents::Wdl, Contents::Dtz]
            .iter()
            .all(|&contents| self.path(material, contents).is_file())
    }

    /// The distance of a position of the side to move that no file has.
    fn by_moves(&self, position: &Chess, wdl: Wdl) -> Result<i32, TableError> {
        let mut best: Option<i32> = None;
        for play in position.legal_moves() {
            let next = after(position, play);
            let own = if next.is_checkmate() {
                1
            } else if play.is_zeroing() {
                self.wdl(&next)?.turned().at_once()
            } else {
                let next = -self.dtz(&next)?;
                next + next.signum()
            };
            // The fastest win, or the slowest loss: in both cases the smallest of its sign.
            if own.signum() == wdl.at_once().signum() {
                best = Some(best.map_or(own, |best| best.min(own)));
            }
        }
        // Without moves, mated.
        Ok(best.unwrap_or(-1))
    }
}

/// The position after a move.
pub(crate) fn after(position: &Chess, play: Move) -> Chess {
    let mut next = position.clone();
    next.play_unchecked(play);
    next
}

/// The distance beyond the first that a stored value stands for.
pub(crate) fn distance(sub: &SubTable, wdl: Wdl, value: u16) -> Option<u16> {
    let (place, exact) = match wdl {
        Wdl::Win => (0, sub.flags & WIN_PLIES != 0),
        Wdl::Loss => (1, sub.flags & LOSS_PLIES != 0),
        Wdl::CursedWin => (2, false),
        Wdl::BlessedLoss => (3, false),
        Wdl::Draw => return None,
    };
    let distance = match &sub.maps {
        None => value,
        Some(maps) => *maps[place].get(usize::from(value))?,
    };
    Some(if exact { distance } else { 2 * distance })
}

/// A file's sub-table and value for a position; none if the file has the other side to move.
fn look_up<'a>(
    file: &'a SyzygyFile,
    position: &Chess,
) -> Result<Option<(&'a SubTable, u16)>, TableError> {
    let white = file.subs[0][0].arrangement.men.iter().filter(|p| !p.black);
    let as_white = is_made_of(position, Color::White, white.copied());
    // The file's white may be the position's black; with equal men, white is who is to move.
    let symmetric = file.material.is_symmetric();
    let flipped = if symmetric {
        position.turn() == Color::Black
    } else {
        !as_white
    };
    let black_to_move = (position.turn() == Color::Black) != flipped;
    let lead = &file.subs[0][0].arrangement;
    let sides = if file.material.has_pawns() {
        let mut at = placed(position, &lead.men, flipped);
        &file.subs[normalise_pawns(&mut at[..lead.men.len()], lead.leading())]
    } else {
        &file.subs[0]
    };
    let sub = match sides.as_slice() {
        [one] => one,
        two => &two[usize::from(black_to_move)],
    };
    if file.contents == Contents::Dtz && !symmetric && (sub.flags & BLACK != 0) != black_to_move {
        return Ok(None);
    }
    let at = placed(position, &sub.arrangement.men, flipped);
    let number = sub.arrangement.number(&at).unwrap_or(0);
    let path = || std::path::PathBuf::from(file_name(&file.material, file.contents));
    let value = file
        .value(sub, number)
        .map_err(|error| error.in_file(&path()))?;
    Ok(Some((sub, value)))
}

fn is_made_of(position: &Chess, color: Color, men: impl Iterator<Item = Piece>) -> bool {
    let board = position.board();
    let on_board = board.by_color(color).into_iter();
    let mut own: Vec<Kind> = on_board
        .filter_map(|s| board.role_at(s))
        .map(kind)
        .collect();
    let mut men: Vec<Kind> = men.map(|p| p.kind).collect();
    own.sort_unstable();
    men.sort_unstable();
    own == men
}

/// The squares of men in an order.
fn placed(position: &Chess, men: &[Piece], flipped: bool) -> Placed {
    let board = position.board();
    let mut at = [0; 8];
    let mut taken = shakmaty::Bitboard::EMPTY;
    for (place, piece) in at.iter_mut().zip(men) {
        let color = Color::from_white(piece.black == flipped);
        let fitting = board.by_color(color)
            & board.by_role(crate::position::board::role(piece.kind))
            & !taken;
        if let Some(square) = fitting.first() {
            taken.add(square);
            *place = u32::from(square) as u8 ^ if flipped { 56 } else { 0 };
        }
    }
    at
}
