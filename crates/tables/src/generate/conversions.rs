//! Conversions: captures and pawn moves, which lead from a subspace to a finished table or P-slice.
//!
//! They are evaluated forwards: for the 64 positions of a word, a conversion is a set of squares of
//! the word piece for which it is possible, and a row of encoded distances of the positions it
//! leads to.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::metric::{ILLEGAL, Metric, ZeroingMove};
use crate::position::geometry::{GEOMETRY, attacks, pawn_attacks, squares, transform};
use crate::position::index_space::{IndexSpace, Piece, Side, Squares};
use crate::position::material::{Army, Half, Kind};
use crate::position::rules;
use crate::position::subspace::{Placement, Subspace};
use crate::store::half_codes::HalfView;

/// One kind of conversion: a piece moves, optionally captures a piece, optionally promotes.
#[derive(Debug)]
struct Route {
    kind: ZeroingMove,
    /// `None` if the attacker is left with a bare king.
    view: Option<Arc<HalfView>>,
    /// By piece of the resulting half: the piece of this half that it was.
    sources: Squares,
    pieces: usize,
    /// The word piece's entry in the resulting half, unless it was captured.
    word_slot: Option<usize>,
    /// The moved piece's entry in the resulting half.
    mover_slot: usize,
}

/// All conversions of a subspace.
#[derive(Debug)]
pub(crate) struct Conversions {
    metric: Metric,
    /// By mover, victim + 1 (0 for none) and promotion + 1 (0 for none).
    routes: Vec<Option<Route>>,
}

/// The value of the best conversion for each position of a word.
#[derive(Clone, Debug)]
pub(crate) struct ConversionRow {
    /// Attacker to move: the smallest code of a winning conversion, 255 for none. Defender to
    /// move: the largest code of a losing conversion, 255 if a conversion does not lose, 0 if
    /// there is no legal conversion.
    pub(crate) codes: [u8; 64],
    /// The squares of the word piece for which there is a conversion.
    pub(crate) touched: u64,
    side: Side,
}

impl ConversionRow {
    fn new(side: Side) -> Self {
        let codes = match side {
            Side::Attacker => [255; 64],
            Side::Defender => [0; 64],
        };
        Self {
            codes,
            touched: 0,
            side,
        }
    }

    #[inline]
    fn merge(&mut self, square: u8, code: u8) {
        let entry = &mut self.codes[usize::from(square)];
        *entry = match self.side {
            Side::Attacker => (*entry).min(code),
            Side::Defender => (*entry).max(code),
        };
    }
}

/// Returns the half that a conversion leads to.
pub(crate) fn child(
    half: &Half,
    mover: Side,
    victim: Option<Kind>,
    promotion: Option<Kind>,
) -> Half {
    let moved = |army: &Army| promotion.map_or(army.clone(), |kind| army.promoted(kind));
    let taken = |army: &Army| victim.map_or(army.clone(), |kind| army.without(kind));
    match mover {
        Side::Attacker => Half {
            attacker: moved(&half.attacker),
            defender: taken(&half.defender),
        },
        Side::Defender => Half {
            attacker: taken(&half.attacker),
            defender: moved(&half.defender),
        },
    }
}

/// Returns mover, victim and promotion of every kind of conversion.
fn kinds(space: &IndexSpace) -> Vec<(usize, Option<usize>, Option<Kind>)> {
    let mut kinds = Vec::new();
    for (mover, piece) in space.pieces.iter().enumerate() {
        let mut promotions = vec![None];
        if piece.kind == Kind::Pawn {
            promotions.extend(Kind::PROMOTIONS.map(Some));
        }
        let mut victims: Vec<Option<usize>> = (2..space.pieces.len())
            .filter(|&v| space.pieces[v].side != piece.side)
            .map(Some)
            .collect();
        if piece.kind == Kind::Pawn {
            victims.push(None);
        }
        for victim in victims {
            kinds.extend(
                promotions
                    .iter()
                    .map(|&promotion| (mover, victim, promotion)),
            );
        }
    }
    kinds
}

fn led_to(
    space: &IndexSpace,
    mover: usize,
    victim: Option<usize>,
    promotion: Option<Kind>,
) -> Half {
    let victim = victim.map(|v| space.pieces[v].kind);
    child(&space.half, space.pieces[mover].side, victim, promotion)
}

fn slot(mover: usize, victim: Option<usize>, promotion: Option<Kind>) -> usize {
    let promotion = promotion.map_or(0, |kind| kind as usize);
    (mover * 9 + victim.map_or(0, |v| v + 1)) * 6 + promotion
}

impl Conversions {
    /// Returns the conversions of a half; `view(half, side to move)` supplies the halves they lead
    /// to.
    pub(crate) fn new<E>(
        space: &IndexSpace,
        metric: Metric,
        mut view: impl FnMut(&Half, Side) -> Result<Arc<HalfView>, E>,
    ) -> Result<Self, E> {
        let mut routes = Vec::new();
        routes.resize_with(8 * 9 * 6, || None);
        for (mover, victim, promotion) in kinds(space) {
            let half = led_to(space, mover, victim, promotion);
            let view = if half.attacker.pieces().is_empty() {
                None
            } else {
                Some(view(&half, space.pieces[mover].side.other())?)
            };
            let route = Route::new(space, &half, view, mover, victim, promotion);
            routes[slot(mover, victim, promotion)] = Some(route);
        }
        Ok(Self { metric, routes })
    }

    /// Returns the halves that the conversions of a half lead to, with the side to move.
    pub(crate) fn halves(space: &IndexSpace) -> BTreeSet<(Half, Side)> {
        let halves = kinds(space).into_iter().map(|(mover, victim, promotion)| {
            let half = led_to(space, mover, victim, promotion);
            (half, space.pieces[mover].side.other())
        });
        halves
            .filter(|(half, _)| !half.attacker.pieces().is_empty())
            .collect()
    }

    fn route(&self, mover: usize, victim: Option<usize>, promotion: Option<Kind>) -> &Route {
        self.routes[slot(mover, victim, promotion)]
            .as_ref()
            .expect("every conversion has a route")
    }

    /// Evaluates a side's conversions for the squares of the word piece in `mask`.
    pub(crate) fn row(
        &self,
        subspace: &Subspace,
        placed: &Placement,
        side: Side,
        mask: u64,
    ) -> ConversionRow {
        let mut row = ConversionRow::new(side);
        let mut search = Search {
            conversions: self,
            subspace,
            placed,
            side,
            row: &mut row,
        };
        for (mover, piece) in subspace.space.pieces.iter().enumerate() {
            if piece.side != side {
                continue;
            }
            if piece.kind == Kind::Pawn {
                search.pawn(mover, mask);
            } else {
                search.piece(mover, *piece, mask);
            }
        }
        row
    }
}

impl Route {
    fn new(
        space: &IndexSpace,
        half: &Half,
        view: Option<Arc<HalfView>>,
        mover: usize,
        victim: Option<usize>,
        promotion: Option<Kind>,
    ) -> Self {
        let led_to = view.as_ref().map(|v| v.space.clone());
        let pieces = led_to.map_or_else(
            || IndexSpace::new(half).pieces,
            |space| space.pieces.clone(),
        );
        let mut sources = [0; 8];
        let mut used = [false; 8];
        for (to, piece) in pieces.iter().enumerate() {
            let fits = |from: &usize| {
                let of = space.pieces[*from];
                let kind = match promotion {
                    Some(kind) if *from == mover => kind,
                    _ => of.kind,
                };
                !used[*from] && Some(*from) != victim && (kind, of.side) == (piece.kind, piece.side)
            };
            // A promoted piece takes the first place of its kind: then positions that differ in the
            // pieces after it are in one block.
            let from = std::iter::once(mover)
                .chain(0..space.pieces.len())
                .find(fits)
                .expect("the pieces stay the same");
            used[from] = true;
            sources[to] = from as u8;
        }
        let slot_of = |piece| (0..pieces.len()).find(|&to| usize::from(sources[to]) == piece);
        let kind = match (victim, promotion) {
            (None, None) => ZeroingMove::PawnMove,
            _ => ZeroingMove::Conversion,
        };
        Self {
            kind,
            view,
            sources,
            pieces: pieces.len(),
            word_slot: slot_of(space.word_piece()),
            mover_slot: slot_of(mover).expect("a piece that moves stays on the board"),
        }
    }

    /// Returns the half that the conversion leads to, if the symmetry that leads to an index of it
    /// does not depend on the square of the piece of this entry: then the indices of positions
    /// that differ only in that square follow from one of them.
    fn view_by_square(&self, slot: usize) -> Option<&HalfView> {
        let view = self.view.as_deref()?;
        (slot > 1 || view.space.pawns > 0).then_some(view)
    }
}

/// Evaluates the conversions of one word and one side.
struct Search<'a> {
    conversions: &'a Conversions,
    subspace: &'a Subspace,
    placed: &'a Placement,
    side: Side,
    row: &'a mut ConversionRow,
}

impl Search<'_> {
    /// Captures by a king or piece.
    fn piece(&mut self, mover: usize, piece: Piece, mask: u64) {
        let (subspace, placed) = (self.subspace, self.placed);
        let word_piece = subspace.word_piece();
        let empty = !placed.occupied;
        for victim in 2..subspace.space.pieces.len() {
            if subspace.piece(victim).side == self.side {
                continue;
            }
            let route = self.conversions.route(mover, Some(victim), None);
            if mover == word_piece {
                let to = placed.at[victim];
                let from = attacks(piece.kind, 1 << to, empty) & empty & mask;
                if from != 0 {
                    let code = self.look_up(route, mover, to, to);
                    for square in squares(from) {
                        self.row.merge(square, code);
                    }
                    self.row.touched |= from;
                }
            } else if victim == word_piece {
                let targets = attacks(piece.kind, 1 << placed.at[mover], empty) & mask;
                self.row.touched |= targets;
                if let Some(view) = route.view_by_square(route.mover_slot) {
                    self.merge_by_square(route, view, route.mover_slot, (mover, 0), targets);
                } else {
                    for to in squares(targets) {
                        let code = self.look_up(route, mover, to, to);
                        self.row.merge(to, code);
                    }
                }
            } else {
                let to = placed.at[victim];
                let line = GEOMETRY.line(piece.kind, true, placed.at[mover], to, placed.occupied);
                if let Some(between) = line {
                    self.merge_many(route, mover, to, mask & !between);
                }
            }
        }
    }

    /// Pushes, captures and promotions of a pawn.
    fn pawn(&mut self, mover: usize, mask: u64) {
        let placed = self.placed;
        let from = placed.at[mover];
        let up = self.side == Side::Attacker;
        let (ahead, home, last) = if up {
            (from + 8, 1, 7)
        } else {
            (from - 8, 6, 0)
        };
        let free = |to: u8| placed.occupied >> to & 1 == 0;
        if free(ahead) {
            let mask = mask & !(1 << ahead);
            self.pawn_to(mover, None, ahead, last, mask);
            let two = if up {
                from.wrapping_add(16)
            } else {
                from.wrapping_sub(16)
            };
            if from >> 3 == home && free(two) {
                self.double_push(mover, ahead, two, mask & !(1 << two));
            }
        }
        let targets = pawn_attacks(from, up);
        for victim in 2..self.subspace.space.pieces.len() {
            if self.subspace.piece(victim).side == self.side {
                continue;
            }
            if victim == self.subspace.word_piece() {
                for to in squares(targets & mask & !placed.occupied) {
                    self.pawn_to(mover, Some(victim), to, last, 1 << to);
                }
            } else if targets >> placed.at[victim] & 1 != 0 {
                self.pawn_to(mover, Some(victim), placed.at[victim], last, mask);
            }
        }
    }

    fn pawn_to(&mut self, mover: usize, victim: Option<usize>, to: u8, last: u8, mask: u64) {
        if to >> 3 == last {
            for kind in Kind::PROMOTIONS {
                let route = self.conversions.route(mover, victim, Some(kind));
                self.merge_many(route, mover, to, mask);
            }
        } else {
            let route = self.conversions.route(mover, victim, None);
            self.merge_many(route, mover, to, mask);
        }
    }

    /// A double push, after which the opponent may capture en passant.
    fn double_push(&mut self, mover: usize, passed: u8, to: u8, mask: u64) {
        let beside = pawn_attacks(passed, self.side == Side::Attacker);
        let takers: Vec<usize> = (0..self.subspace.space.pieces.len())
            .filter(|&piece| {
                let of = self.subspace.piece(piece);
                of.kind == Kind::Pawn
                    && of.side != self.side
                    && beside >> self.placed.at[piece] & 1 != 0
            })
            .collect();
        let route = self.conversions.route(mover, None, None);
        if takers.is_empty() {
            return self.merge_many(route, mover, to, mask);
        }
        self.row.touched |= mask;
        for square in squares(mask) {
            let quiet = self.code_after(route, mover, to, square);
            let replies = takers.iter().map(|&taker| {
                let route = self.conversions.route(taker, Some(mover), None);
                self.code_after(route, taker, passed, square)
            });
            let code = match self.side {
                Side::Attacker => self.loss_with_en_passant(quiet, replies, mover, to, square),
                Side::Defender => self.win_with_en_passant(quiet, replies),
            };
            self.row.merge(square, self.after(route, code));
        }
    }

    /// Returns the code of the defender's loss where it may also capture en passant; `quiet` is the
    /// code without such captures, `replies` are the codes of the attacker's wins after them.
    fn loss_with_en_passant(
        &self,
        quiet: u8,
        replies: impl Iterator<Item = u8>,
        mover: usize,
        to: u8,
        square: u8,
    ) -> u8 {
        let metric = self.conversions.metric;
        let (mut worst, mut legal) = (0, false);
        for win in replies.filter(|&win| win != ILLEGAL) {
            if win == 0 {
                return 0;
            }
            legal = true;
            worst = worst.max(metric.loss_by(ZeroingMove::Conversion, win));
        }
        if quiet != 0 || !legal {
            return if quiet == 0 { 0 } else { quiet.max(worst) };
        }
        // The other moves do not lose: either one of them avoids the loss, or there are none.
        let mut at = self.placed.at;
        at[self.subspace.word_piece()] = square;
        at[mover] = to;
        if rules::has_move(&self.subspace.space.pieces, &at, Side::Defender) {
            0
        } else {
            worst
        }
    }

    /// Returns the code of the attacker's win where it may also capture en passant; `replies` are
    /// the codes of the defender's losses after the captures.
    fn win_with_en_passant(&self, quiet: u8, replies: impl Iterator<Item = u8>) -> u8 {
        if quiet == ILLEGAL {
            return ILLEGAL;
        }
        let metric = self.conversions.metric;
        let wins = replies.map(|loss| metric.win_by(ZeroingMove::Conversion, loss));
        let wins = wins.chain([quiet]).filter(|&win| win != 0);
        wins.min().unwrap_or(0)
    }

    /// Merges one conversion of a piece other than the word piece for many squares of the word
    /// piece.
    fn merge_many(&mut self, route: &Route, mover: usize, to: u8, mask: u64) {
        if mask == 0 {
            return;
        }
        self.row.touched |= mask;
        let by_square = route
            .word_slot
            .and_then(|slot| Some((route.view_by_square(slot)?, slot)));
        if let Some((view, slot)) = by_square {
            return self.merge_by_square(route, view, slot, (mover, to), mask);
        }
        for square in squares(mask) {
            let code = self.look_up(route, mover, to, square);
            self.row.merge(square, code);
        }
    }

    /// Merges conversions that lead to positions of `view` that differ only in the square of the
    /// piece of entry `slot`: the word piece, or the moved one where it captures the word
    /// piece. `mover` moves to `to`; where `slot` is the moved piece, `to` has no effect.
    fn merge_by_square(
        &mut self,
        route: &Route,
        view: &HalfView,
        slot: usize,
        (mover, to): (usize, u8),
        mask: u64,
    ) {
        let mut at = self.squares_after(route, mover, to, 0);
        at[slot] = 0;
        let Some((index, m)) = view.space.encode(&at) else {
            // The kings are adjacent: the conversion is not legal.
            return;
        };
        let shift = view.space.shift(slot);
        let base = index - (usize::from(transform(0, m)) << shift);
        let mut codes = view.codes();
        for square in squares(mask) {
            let code = codes.of(base + (usize::from(transform(square, m)) << shift));
            self.row.merge(square, self.after(route, code));
        }
    }

    /// Returns the code of a conversion from that of the position it leads to.
    #[inline]
    fn after(&self, route: &Route, code: u8) -> u8 {
        let metric = self.conversions.metric;
        match (self.side, code) {
            (Side::Attacker, 0) => 255,
            (Side::Attacker, loss) => metric.win_by(route.kind, loss),
            (Side::Defender, 0) => 255,
            (Side::Defender, ILLEGAL) => 0,
            (Side::Defender, win) => metric.loss_by(route.kind, win),
        }
    }

    fn look_up(&self, route: &Route, mover: usize, to: u8, square: u8) -> u8 {
        self.after(route, self.code_after(route, mover, to, square))
    }

    /// Returns the code of the position that a conversion leads to, with the word piece on
    /// `square`.
    fn code_after(&self, route: &Route, mover: usize, to: u8, square: u8) -> u8 {
        let at = self.squares_after(route, mover, to, square);
        // The kings are adjacent: the conversion is not legal.
        let touching = if self.subspace.piece(mover).side == Side::Attacker {
            0
        } else {
            ILLEGAL
        };
        let Some(view) = &route.view else {
            let touch = attacks(Kind::King, 1 << at[0], 0) >> at[1] & 1 != 0;
            return if touch { touching } else { 0 };
        };
        match view.space.encode(&at) {
            Some((index, _)) => view.code(index),
            None => touching,
        }
    }

    fn squares_after(&self, route: &Route, mover: usize, to: u8, square: u8) -> Squares {
        let word_piece = self.subspace.word_piece();
        let mut at = [0; 8];
        for (entry, &source) in at[..route.pieces].iter_mut().zip(&route.sources) {
            let source = usize::from(source);
            *entry = if source == mover {
                to
            } else if source == word_piece {
                square
            } else {
                self.placed.at[source]
            };
        }
        at
    }
}
