//! One step of retrograde analysis on one chunk: from losses to the wins before them to the losses
//! before those.

use std::sync::Arc;

use everymove_kernel::files::FileError;
use everymove_kernel::run::Stop;

use crate::generate::conversions::Conversions;
use crate::metric::Metric;
use crate::position::geometry::{attacks, squares};
use crate::position::index_space::Side;
use crate::position::partition::Partition;
use crate::position::subspace::{Placement, Reflections, Subspace, back, forth};
use crate::store::list::{Accumulator, List};
use crate::store::spool::{Bins, Spool, StoredList};
use crate::store::win_set::{ChunkRef, WinSet};
use crate::store::words::Words;

/// What a step needs to know about a subspace, apart from the set of wins.
///
/// That set holds the positions, attacker to move, that are known wins, and also those that are
/// illegal because the defender's king could be captured: a defender's move there is no escape, so
/// its legality needs no test.
#[derive(Debug)]
pub(crate) struct RetroStep {
    pub(crate) subspace: Subspace,
    pub(crate) metric: Metric,
    pub(crate) conversions: Arc<Conversions>,
    /// Defender to move: the smallest code of a loss that conversions do not prevent, by position;
    /// stored where recomputing it costs more than a byte.
    loss_bounds: Option<Vec<u8>>,
    /// Checked for every word, since a chunk of a large ending takes seconds. A step that was
    /// stopped has no meaning.
    stop: Stop,
}

/// The positions of one chunk that are decided by conversions or mate, by code.
#[derive(Debug, Default)]
pub(crate) struct InitialPositions {
    /// Wins by the attacker's best conversion.
    pub(crate) wins: Vec<Vec<StoredList>>,
    /// Losses where all conversions of the defender lose; the code is that of the longest.
    pub(crate) losses: Vec<Vec<StoredList>>,
    /// Positions in which the defender is mated.
    pub(crate) mates: List,
}

impl InitialPositions {
    /// Returns the wins by conversion of a code.
    pub(crate) fn wins(&self, code: u16) -> &[StoredList] {
        self.wins.get(usize::from(code)).map_or(&[], Vec::as_slice)
    }

    /// Returns the losses by conversion of a code.
    pub(crate) fn losses(&self, code: u16) -> &[StoredList] {
        self.losses
            .get(usize::from(code))
            .map_or(&[], Vec::as_slice)
    }

    /// Releases conversions that have been added.
    pub(crate) fn release(&mut self, wins: u16, losses: u16) {
        for (lists, code) in [(&mut self.wins, wins), (&mut self.losses, losses)] {
            if let Some(lists) = lists.get_mut(usize::from(code)) {
                lists.clear();
            }
        }
    }
}

/// A group of the attacker's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// All of them.
    All,
    /// All but the king.
    Pieces,
    /// The king.
    King,
}

/// The buffers of a thread that works on a chunk.
#[derive(Debug)]
pub(crate) struct Workspace<P> {
    pub(crate) wins: Accumulator<P>,
    candidates: Accumulator<P>,
    /// Words of the set of wins that moves led to.
    pub(crate) touched: u64,
}

impl<P: Words> Workspace<P> {
    pub(crate) fn new<W: WinSet<Buffer = P>>(win_set: &W, words: usize) -> Result<Self, FileError> {
        Ok(Self {
            wins: Accumulator::new(win_set.new_buffer(words)?, words),
            candidates: Accumulator::new(win_set.new_buffer(words)?, words),
            touched: 0,
        })
    }

    /// Returns the first error of the underlying words.
    pub(crate) fn take_error(&mut self) -> Result<(), FileError> {
        self.wins.take_error()?;
        self.candidates.take_error()
    }
}

impl Workspace<Vec<u64>> {
    /// Returns the bytes of a workspace for chunks of `words` words.
    pub(crate) fn bytes(words: usize) -> u64 {
        words as u64 * 16
    }
}

/// Marks wins of a word and returns those that are new.
#[inline]
fn mark_new(known_wins: &mut impl Words, word: usize, set: u64) -> u64 {
    let known = known_wins.get(word);
    let new = set & !known;
    if new != 0 {
        known_wins.set(word, known | new);
    }
    new
}

impl RetroStep {
    /// Returns a step for a set of wins that is still empty: [`RetroStep::initial`] must be called
    /// for every chunk.
    pub(crate) fn new(
        subspace: Subspace,
        metric: Metric,
        conversions: Arc<Conversions>,
        stop: Stop,
    ) -> Self {
        Self {
            subspace,
            metric,
            conversions,
            loss_bounds: None,
            stop,
        }
    }

    /// Returns the bytes of the loss bounds of `words` words.
    pub(crate) fn loss_bounds_bytes(words: usize) -> u64 {
        words as u64 * 64
    }

    /// Stores the loss bounds in memory; for subspaces of one chunk.
    pub(crate) fn with_loss_bounds(mut self) -> Self {
        self.loss_bounds = Some(vec![255; self.subspace.words * 64]);
        self
    }

    /// Finds the illegal positions, the conversions and the mates of a chunk, which must be closed
    /// under the defender's moves.
    pub(crate) fn initial_with_bounds(
        &mut self,
        known_wins: &mut impl Words,
        chunk: ChunkRef<'_>,
        spool: &Spool,
    ) -> Result<InitialPositions, FileError> {
        let mut loss_bounds = self.loss_bounds.take();
        let initial = self.initial(known_wins, chunk, loss_bounds.as_deref_mut(), spool);
        self.loss_bounds = loss_bounds;
        initial
    }

    /// As [`RetroStep::initial_with_bounds`], for subspaces without stored loss bounds.
    pub(crate) fn initial(
        &self,
        known_wins: &mut impl Words,
        chunk: ChunkRef<'_>,
        mut loss_bounds: Option<&mut [u8]>,
        spool: &Spool,
    ) -> Result<InitialPositions, FileError> {
        let mut wins = Bins::new(spool, 255);
        let mut losses = Bins::new(spool, 255);
        let mut checks = List::default();
        let partition = chunk.partition();
        for local in 0..partition.len(chunk.number) {
            if self.stop.is_raised() {
                break;
            }
            let word = partition.word(chunk.number, local);
            let Some(placed) = self.subspace.placement(word) else {
                continue;
            };
            let check = self.subspace.king_attacked(&placed, Side::Defender);
            known_wins.set(word, check);
            let empty = !placed.occupied;
            let attacker = empty & !check;
            let row = self
                .conversions
                .row(&self.subspace, &placed, Side::Attacker, attacker);
            distribute(&mut wins, word, &row.codes, row.touched & attacker, 255);
            let defender = empty & !self.subspace.king_attacked(&placed, Side::Attacker);
            let row = self
                .conversions
                .row(&self.subspace, &placed, Side::Defender, defender);
            let legal = distribute(&mut losses, word, &row.codes, row.touched & defender, 0);
            if let Some(loss_bounds) = loss_bounds.as_deref_mut() {
                for square in squares(defender) {
                    loss_bounds[word << 6 | usize::from(square)] = row.codes[usize::from(square)];
                }
            }
            let checked = check & defender & !legal;
            if checked != 0 {
                checks.push(word as u32, checked);
            }
        }
        let mut mates = List::default();
        for (word, set) in checks.iter() {
            if let Some(placed) = self.subspace.placement(word as usize) {
                let mated =
                    self.without_quiet_escape(known_wins, word as usize, &placed, set, &mut 0);
                if mated != 0 {
                    mates.push(word, mated);
                }
            }
        }
        Ok(InitialPositions {
            wins: by_code(wins.finish()?),
            losses: by_code(losses.finish()?),
            mates: mates.pack(),
        })
    }

    /// Takes back the moves of a group of the attacker's pieces from losses and collects the wins
    /// that are new.
    pub(crate) fn find_wins<P: Words>(
        &self,
        known_wins: &mut impl Words,
        partition: &Partition,
        losses: &List,
        group: Group,
        workspace: &mut Workspace<P>,
    ) {
        let Workspace { wins, touched, .. } = workspace;
        let word_piece = self.subspace.word_piece();
        let pieces: Vec<usize> = self
            .subspace
            .pieces(Side::Attacker)
            .filter(|&piece| match group {
                Group::All => true,
                Group::Pieces => piece != 0,
                Group::King => piece == 0,
            })
            .collect();
        for (word, set) in losses.iter() {
            if self.stop.is_raised() {
                break;
            }
            let word = word as usize;
            let Some(placed) = self.subspace.placement(word) else {
                continue;
            };
            for &piece in &pieces {
                if piece == word_piece {
                    *touched += 1;
                    let new = mark_new(known_wins, word, self.subspace.word_moves(&placed, set));
                    if new != 0 {
                        wins.add(partition.local(word), new);
                    }
                    continue;
                }
                let both = Reflections::Both;
                self.subspace
                    .steps(word, &placed, piece, both, |to, path, m| {
                        let from = set & !path;
                        if from != 0 {
                            *touched += 1;
                            let new = mark_new(known_wins, to, forth(from, m));
                            if new != 0 {
                                wins.add(partition.local(to), new);
                            }
                        }
                    });
            }
        }
    }

    /// Marks wins and collects those that are new.
    pub(crate) fn mark<P: Words>(
        known_wins: &mut impl Words,
        partition: &Partition,
        list: &List,
        wins: &mut Accumulator<P>,
    ) {
        for (word, set) in list.iter() {
            let new = mark_new(known_wins, word as usize, set);
            if new != 0 {
                wins.add(partition.local(word as usize), new);
            }
        }
    }

    /// Takes back the defender's moves from the new wins, verifies which of the predecessors are
    /// lost, and passes those of `code` to `on_loss`. The new wins are passed to `on_win`.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a step reads, writes and reports"
    )]
    pub(crate) fn find_losses<P: Words>(
        &self,
        known_wins: &mut impl Words,
        chunk: ChunkRef<'_>,
        workspace: &mut Workspace<P>,
        initial: &[Arc<List>],
        code: u16,
        mut on_win: impl FnMut(usize, u64),
        mut on_loss: impl FnMut(usize, u64),
    ) {
        let Workspace {
            wins,
            candidates,
            touched,
        } = workspace;
        let partition = chunk.partition();
        wins.drain(|local, set| {
            if self.stop.is_raised() {
                return;
            }
            let word = partition.word(chunk.number, local);
            on_win(word, set);
            self.add_predecessors(partition, word, set, candidates);
        });
        for (word, set) in initial.iter().flat_map(|list| list.iter()) {
            candidates.add(partition.local(word as usize), set);
        }
        candidates.drain(|local, set| {
            if self.stop.is_raised() {
                return;
            }
            let word = partition.word(chunk.number, local);
            let Some(placed) = self.subspace.placement(word) else {
                return;
            };
            let set = self.without_quiet_escape(
                known_wins,
                word,
                &placed,
                set & !placed.occupied,
                touched,
            );
            if set == 0 {
                return;
            }
            let set = self.without_converting_escape(word, &placed, set, code);
            if set != 0 {
                on_loss(word, set);
            }
        });
    }

    /// Adds the predecessors, by the defender's quiet moves, of positions of a word.
    #[inline]
    fn add_predecessors<P: Words>(
        &self,
        partition: &Partition,
        word: usize,
        set: u64,
        candidates: &mut Accumulator<P>,
    ) {
        let Some(placed) = self.subspace.placement(word) else {
            return;
        };
        for piece in self.subspace.pieces(Side::Defender) {
            if piece == self.subspace.word_piece() {
                let before = self.subspace.word_moves(&placed, set);
                candidates.add(partition.local(word), before);
                continue;
            }
            let both = Reflections::Both;
            self.subspace
                .steps(word, &placed, piece, both, |to, path, m| {
                    let before = forth(set & !path, m);
                    if before != 0 {
                        candidates.add(partition.local(to), before);
                    }
                });
        }
    }

    /// Returns the positions of a set, defender to move, in which every quiet move leads to a win
    /// of the attacker.
    #[inline]
    fn without_quiet_escape(
        &self,
        known_wins: &mut impl Words,
        word: usize,
        placed: &Placement,
        set: u64,
        touched: &mut u64,
    ) -> u64 {
        let mut left = set;
        for piece in self.subspace.pieces(Side::Defender) {
            if piece == self.subspace.word_piece() {
                let kind = self.subspace.piece(piece).kind;
                *touched += 1;
                let safe = !known_wins.get(word) & !placed.occupied;
                left &= !attacks(kind, safe, !placed.occupied);
            } else {
                let one = Reflections::One;
                self.subspace
                    .steps(word, placed, piece, one, |to, path, m| {
                        if left & !path != 0 {
                            *touched += 1;
                            left &= back(known_wins.get(to), m) | path;
                        }
                    });
            }
            if left == 0 {
                return 0;
            }
        }
        left
    }

    /// Returns the legal positions of a set in which no conversion prevents a loss of `code`.
    fn without_converting_escape(
        &self,
        word: usize,
        placed: &Placement,
        set: u64,
        code: u16,
    ) -> u64 {
        let prevents = |bound: u8| bound == 255 || u16::from(bound) > code;
        if let Some(loss_bounds) = &self.loss_bounds {
            let held = squares(set).filter(|&s| prevents(loss_bounds[word << 6 | usize::from(s)]));
            return set & !held.fold(0, |held, s| held | 1 << s);
        }
        let legal = set & !self.subspace.king_attacked(placed, Side::Attacker);
        if legal == 0 {
            return 0;
        }
        let row = self
            .conversions
            .row(&self.subspace, placed, Side::Defender, legal);
        let held = squares(legal & row.touched).filter(|&s| prevents(row.codes[usize::from(s)]));
        legal & !held.fold(0, |held, s| held | 1 << s)
    }
}

/// Distributes the squares of `set` to bins by their code, except those with the code `none`;
/// returns the others. Code 255 has no bin: it is a conversion that does not lose.
fn distribute(bins: &mut Bins<'_>, word: usize, codes: &[u8; 64], set: u64, none: u8) -> u64 {
    let mut left = set;
    let mut coded = 0;
    while left != 0 {
        let code = codes[left.trailing_zeros() as usize];
        let same = squares(left).filter(|&s| codes[usize::from(s)] == code);
        let same = same.fold(0, |same, s| same | 1 << s);
        left &= !same;
        if code != none {
            coded |= same;
            if code != 255 {
                bins.push(usize::from(code), word, same);
            }
        }
    }
    coded
}

fn by_code(lists: Vec<(usize, StoredList)>) -> Vec<Vec<StoredList>> {
    let mut by_code = Vec::new();
    for (code, kept) in lists {
        if by_code.len() <= code {
            by_code.resize(code + 1, Vec::new());
        }
        by_code[code].push(kept);
    }
    by_code
}
