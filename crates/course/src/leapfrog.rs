//! An endgame table made backwards on plain arrays, with the same work in four orders.
//!
//! After H. G. Muller, "Leapfrog: Tree Decomposition". White has won when Black is mated, or when
//! White takes the rook and wins without it. Try other orders of the pieces in `run`, and a bit of
//! `won` for each position in place of a byte of both arrays as what the cache holds.

use std::sync::Arc;

use crate::cache::Cache;
use crate::endgame::{BLACK_KING, Endgame, KING, PIECE, Place, ROOK};

/// The order in which the work of a cycle is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From each lost position the moves of White and then of Black, position after position.
    Scan,
    /// All moves of White, then all moves of Black from the positions that became won.
    SubCycles,
    /// The moves of White's king, then of the other piece, each followed by those of Black.
    RootSplitting,
    /// The same; the last half of a cycle and the first half of the next are one pass.
    Leapfrog,
}

/// `won` of a place where White could take the king of Black: Black may not move there.
const ILLEGAL: u8 = u8::MAX;

/// A table. Cycles are counted from 1; 0 means that a position is not won or not lost.
#[derive(Debug)]
pub struct Table {
    endgame: Arc<Endgame>,
    /// With White to move: the cycle in which the position became won.
    pub won: Vec<u8>,
    /// With Black to move: the cycle in which it became lost; 1 is mate.
    pub lost: Vec<u8>,
    /// Count the accesses to places: `won` and `lost` of a place are one entry.
    pub caches: Vec<Cache>,
}

impl Table {
    /// Makes a table on a square board. `smaller` is the table without Black's rook; where there is
    /// none, Black has no rook. The accesses are counted in a cache of each of the given sizes.
    /// If `is_stopped` says so after a cycle, the table is left unfinished.
    pub fn new(
        side: usize,
        has_queen: bool,
        smaller: Option<&Table>,
        order: Order,
        caches: &[u32],
        is_stopped: &dyn Fn() -> bool,
    ) -> Self {
        let endgame = Endgame::new(side, has_queen, 3 + usize::from(smaller.is_some()));
        let length = endgame.squares.pow(endgame.pieces as u32);
        let mut table = Self {
            endgame: Arc::new(endgame),
            won: vec![0; length],
            lost: vec![0; length],
            caches: Vec::new(),
        };
        table.begin(smaller);
        table.caches = caches
            .iter()
            .map(|&entries| Cache::new(entries, length))
            .collect();
        table.run(order, is_stopped);
        table
    }

    /// Does all cycles. A pass keeps its first pieces where they are, the outer loops of the
    /// author, while the others go through all their squares: that slice should fit the cache.
    fn run(&mut self, order: Order, is_stopped: &dyn Fn() -> bool) {
        let fixed_black = [BLACK_KING, ROOK, KING, PIECE];
        let fixed_king = [KING, PIECE, BLACK_KING, ROOK];
        let fixed_piece = [PIECE, KING, BLACK_KING, ROOK];
        let black = self.endgame.pieces - 2;
        for cycle in 1.. {
            match order {
                Order::Scan => self.pass(&fixed_king, 0, &[cycle], &mut |table, place, cycle| {
                    table.white_from_lost(place, cycle, &[KING, PIECE], true);
                }),
                Order::SubCycles => {
                    self.pass(&fixed_black, black, &[cycle], &mut |table, place, cycle| {
                        table.white_from_lost(place, cycle, &[KING, PIECE], false);
                    });
                    self.pass(&fixed_king, 2, &[cycle], &mut |table, place, cycle| {
                        let index = table.touch(place);
                        if table.won[index] == cycle {
                            table.black_from_won(place, cycle);
                        }
                    });
                }
                Order::RootSplitting => {
                    self.half(&fixed_piece, &[cycle], KING);
                    self.half(&fixed_king, &[cycle], PIECE);
                }
                // Each pass is the second half of a cycle and the first half of the next.
                Order::Leapfrog => {
                    if cycle == 1 {
                        self.half(&fixed_king, &[1], PIECE);
                    }
                    match cycle % 2 {
                        1 => self.half(&fixed_piece, &[cycle, cycle + 1], KING),
                        _ => self.half(&fixed_king, &[cycle, cycle + 1], PIECE),
                    }
                }
            }
            if is_stopped() || !self.lost.contains(&(cycle + 1)) {
                return;
            }
        }
    }

    /// The moves of one white piece, followed by those of Black; the other white piece is fixed.
    fn half(&mut self, order: &[usize], cycles: &[u8], piece: usize) {
        self.pass(order, 1, cycles, &mut |table, place, cycle| {
            table.white_from_lost(place, cycle, &[piece], true);
        });
    }

    /// Goes through the table slice by slice, and in a slice once for each of `cycles`.
    fn pass(
        &mut self,
        order: &[usize],
        fixed: usize,
        cycles: &[u8],
        act: &mut dyn FnMut(&mut Self, &Place, u8),
    ) {
        let slices = self.endgame.squares.pow(fixed as u32);
        let slice = self.won.len() / slices;
        let mut place = [0; 4];
        for _ in 0..slices {
            for &cycle in cycles {
                for _ in 0..slice {
                    act(self, &place, cycle);
                    self.endgame.advance(&mut place, &order[fixed..]);
                }
            }
            self.endgame.advance(&mut place, &order[..fixed]);
        }
    }

    fn touch(&mut self, place: &Place) -> usize {
        let index = self.endgame.index(place);
        self.caches.iter_mut().for_each(|cache| cache.touch(index));
        index
    }

    /// If Black to move was lost in `cycle`, White wins from where these pieces came.
    fn white_from_lost(&mut self, place: &Place, cycle: u8, pieces: &[usize], black_too: bool) {
        let index = self.touch(place);
        if self.lost[index] != cycle {
            return;
        }
        // A second owner of the endgame, so that `self` can be changed while its moves are made.
        let endgame = Arc::clone(&self.endgame);
        for before in pieces
            .iter()
            .flat_map(|&piece| endgame.moves(*place, piece))
        {
            let index = self.touch(&before);
            if self.won[index] == 0 {
                self.won[index] = cycle;
                if black_too {
                    self.black_from_won(&before, cycle);
                }
            }
        }
    }

    /// Black may have lost where it came from: if all its moves lead to won places.
    fn black_from_won(&mut self, place: &Place, cycle: u8) {
        let endgame = Arc::clone(&self.endgame);
        for before in endgame.black_moves(*place) {
            let index = self.touch(&before);
            if self.lost[index] == 0 && self.is_lost(&before) {
                self.lost[index] = cycle + 1;
            }
        }
    }

    fn is_lost(&mut self, place: &Place) -> bool {
        let endgame = Arc::clone(&self.endgame);
        let all_won = endgame.black_moves(*place).all(|after| {
            let index = self.touch(&after);
            self.won[index] != 0
        });
        all_won && !endgame.black_takes(place)
    }

    /// Marks illegal places, mates, and wins by taking the rook with what they make lost.
    fn begin(&mut self, smaller: Option<&Table>) {
        let every = [KING, PIECE, BLACK_KING, ROOK];
        self.pass(&every, 0, &[1], &mut |table, place, _| {
            let is_checked = [KING, PIECE]
                .iter()
                .any(|&p| table.endgame.attacks(place, p, BLACK_KING));
            if is_checked && table.endgame.is_place(place) {
                let index = table.endgame.index(place);
                table.won[index] = ILLEGAL;
            }
        });
        self.pass(&every, 0, &[1], &mut |table, place, cycle| {
            let index = table.endgame.index(place);
            if table.won[index] == ILLEGAL && table.is_lost(place) {
                table.lost[index] = cycle;
            }
        });
        let Some(smaller) = smaller else { return };
        self.pass(&every, 0, &[1], &mut |table, place, cycle| {
            let index = table.endgame.index(place);
            let takes = [KING, PIECE].iter().any(|&piece| {
                let mut after = *place;
                after[piece] = place[ROOK];
                let wins = smaller.lost[smaller.endgame.index(&after)] != 0;
                wins && table.endgame.attacks(place, piece, ROOK)
            });
            if table.won[index] == 0 && takes && table.endgame.is_place(place) {
                table.won[index] = cycle;
                table.black_from_won(place, cycle);
            }
        });
    }
}
