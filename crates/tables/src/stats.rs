//! Counts the values of a table.

use std::collections::BTreeMap;

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::position::index_space::{IndexSpace, Side, Squares};
use crate::position::material::{Half, Material};
use crate::position::subspace::Subspace;
use crate::store::directory::Tables;
use crate::store::format::BLOCK;

/// How positions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Every position once.
    Positions,
    /// Positions that are images of each other under a symmetry of the board once (eight
    /// symmetries; with pawns, the mirror of files).
    Classes,
    /// As `Classes`, with like pieces distinguished: the counts of the published Syzygy statistics.
    Labelled,
}

/// Counts of one side to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SideStats {
    /// Legal positions.
    pub legal: u64,
    /// Wins of the side to move, by plies.
    pub wins: BTreeMap<u16, u64>,
    /// Losses of the side to move, by plies.
    pub losses: BTreeMap<u16, u64>,
}

/// Number of plies without capture or pawn move after which a game is drawn.
pub const FIFTY_MOVES: u16 = 100;

impl SideStats {
    /// Number of wins, cursed ones included.
    pub fn won(&self) -> u64 {
        self.wins.values().sum()
    }

    /// Number of losses, blessed ones included.
    pub fn lost(&self) -> u64 {
        self.losses.values().sum()
    }

    /// Number of positions that neither side wins.
    pub fn drawn(&self) -> u64 {
        self.legal - self.won() - self.lost()
    }

    /// Plies of the longest win, 0 if there is none.
    pub fn longest_win(&self) -> u16 {
        self.wins.keys().next_back().copied().unwrap_or(0)
    }

    /// Plies of the longest loss, 0 if there is none.
    pub fn longest_loss(&self) -> u16 {
        self.losses.keys().next_back().copied().unwrap_or(0)
    }

    /// Returns how many of the wins or losses the fifty-move rule makes draws.
    pub fn beyond_fifty(counts: &BTreeMap<u16, u64>) -> u64 {
        counts.range(FIFTY_MOVES + 1..).map(|(_, n)| n).sum()
    }
}

/// The counts of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// The ending.
    pub material: Material,
    /// With White, the stronger side, to move.
    pub white: SideStats,
    /// With Black to move.
    pub black: SideStats,
}

/// Counts a table.
///
/// # Errors
/// [`TableError`] if the table is missing or damaged, or the run is stopped.
pub fn stats(
    material: &Material,
    tables: &Tables,
    counting: Counting,
    run: &Run,
) -> Result<Stats, TableError> {
    let mut stats = Stats {
        material: material.clone(),
        white: SideStats::default(),
        black: SideStats::default(),
    };
    for (number, half) in material.halves().iter().enumerate() {
        let (attacker, defender) = count_half(half, tables, counting, run)?;
        let (own, other) = if number == 0 {
            (&mut stats.white, &mut stats.black)
        } else {
            (&mut stats.black, &mut stats.white)
        };
        own.legal = attacker.legal;
        own.wins = attacker.plies;
        other.legal = defender.legal;
        other.losses = defender.plies;
    }
    if material.is_symmetric() {
        stats.white.losses = stats.black.losses.clone();
        stats.black.wins = stats.white.wins.clone();
    }
    Ok(stats)
}

/// One side to move in a half.
#[derive(Debug, Default)]
struct Counted {
    legal: u64,
    plies: BTreeMap<u16, u64>,
}

fn count_half(
    half: &Half,
    tables: &Tables,
    counting: Counting,
    run: &Run,
) -> Result<(Counted, Counted), TableError> {
    let mut sides = Vec::new();
    for to_move in [Side::Attacker, Side::Defender] {
        let (reader, section) = tables.section(half, to_move)?;
        run.progress
            .start(format!("counting {half}"), reader.blocks(section) as u64);
        let codes = |block| Ok(reader.block(section, block)?);
        let tallies = count_codes(half, to_move, tables, counting, run, codes)?;
        let metric = tables.metric();
        let mut counted = Counted::default();
        for (code, n) in tallies {
            counted.legal += n;
            let plies = match to_move {
                _ if code == 0 => continue,
                Side::Attacker => metric.win_plies(code),
                Side::Defender => metric.loss_plies(code),
            };
            counted.plies.insert(plies, n);
        }
        sides.push(counted);
    }
    let defender = sides.pop().unwrap_or_default();
    Ok((sides.pop().unwrap_or_default(), defender))
}

/// Returns the number of legal positions of a half, with a side to move, by code; `codes` returns
/// those of a block.
pub(crate) fn count_codes(
    half: &Half,
    to_move: Side,
    tables: &Tables,
    counting: Counting,
    run: &Run,
    codes: impl Fn(usize) -> Result<Vec<u16>, TableError> + Sync,
) -> Result<Tallies, TableError> {
    let space = tables.space(half);
    let counter = Counter {
        space: &space,
        subspaces: Subspaces::new(&space),
        to_move,
        counting,
    };
    let count = |tallies: &mut Tallies, block| {
        for (code, n) in counter.block(block, &codes(block)?) {
            *tallies.entry(code).or_default() += n;
        }
        run.progress.advance(1);
        Ok::<_, TableError>(())
    };
    let blocks = 0..space.len().div_ceil(BLOCK);
    let mut tallies = Tallies::new();
    for part in parallel::try_for_each(run, blocks, Tallies::new, count)? {
        for (code, n) in part {
            *tallies.entry(code).or_default() += n;
        }
    }
    // Like pieces have an index for each permutation, like pawns one for all.
    let (times, exchanges) = match counting {
        Counting::Labelled => (space.pawn_exchanges(), 1),
        _ => (1, space.exchanges()),
    };
    for n in tallies.values_mut() {
        // Each class of positions was counted once for each permutation, and once for each
        // reflection that keeps its slice.
        *n = *n * times / exchanges / 2;
    }
    Ok(tallies)
}

/// Numbers of positions by code.
pub(crate) type Tallies = BTreeMap<u16, u64>;

/// The subspaces of an index space.
enum Subspaces {
    One(Subspace),
    Slices(Vec<Subspace>),
}

impl Subspaces {
    fn new(space: &std::sync::Arc<IndexSpace>) -> Self {
        if space.pawns == 0 {
            Self::One(Subspace::new(space.clone(), None))
        } else {
            let subspaces =
                (0..space.slices()).map(|slice| Subspace::new(space.clone(), Some(slice)));
            Self::Slices(subspaces.collect())
        }
    }

    /// Returns the subspace of a word of the index space, and the word within it.
    fn at(&self, word: usize, space: &IndexSpace) -> (&Subspace, usize) {
        match self {
            Self::One(subspace) => (subspace, word),
            Self::Slices(subspaces) => {
                let words = space.slice_len() / 64;
                (&subspaces[word / words], word % words)
            }
        }
    }
}

struct Counter<'a> {
    space: &'a IndexSpace,
    subspaces: Subspaces,
    to_move: Side,
    counting: Counting,
}

impl Counter<'_> {
    /// Returns twice the number of legal positions of a block by code, each index counted for the
    /// positions it represents.
    fn block(&self, block: usize, codes: &[u16]) -> Tallies {
        let mut tallies = vec![0u64; 1];
        for (i, codes) in codes.chunks_exact(64).enumerate() {
            let word = block * (BLOCK / 64) + i;
            let (subspace, local) = self.subspaces.at(word, self.space);
            let Some(placed) = subspace.placement(local) else {
                continue;
            };
            let waiting = self.to_move.other();
            let legal = !placed.occupied & !subspace.king_attacked(&placed, waiting);
            let slice = word * 64 / self.space.slice_len();
            let twins = self.space.is_own_mirror(slice);
            let weight = match self.counting {
                Counting::Positions => 2 * self.space.weight(slice),
                _ if twins => 1,
                _ => 2,
            };
            for square in crate::position::geometry::squares(legal) {
                let code = usize::from(codes[usize::from(square)]);
                if tallies.len() <= code {
                    tallies.resize(code + 1, 0);
                }
                let index = word << 6 | usize::from(square);
                let alone = twins
                    && self.counting != Counting::Positions
                    && self.is_fixed(&self.space.decode(index));
                tallies[code] += if alone { 2 } else { weight };
            }
        }
        let tallies = tallies.into_iter().enumerate();
        tallies
            .filter(|&(_, n)| n > 0)
            .map(|(code, n)| (code as u16, n))
            .collect()
    }

    /// Whether the reflection that keeps the slice also keeps the position.
    fn is_fixed(&self, at: &Squares) -> bool {
        let pieces = self.space.pieces.len();
        let (mut image, mut own) = (self.space.reflected(at), *at);
        if self.counting == Counting::Classes {
            self.space.sort_like(&mut image);
            self.space.sort_like(&mut own);
        }
        image[..pieces] == own[..pieces]
    }
}
