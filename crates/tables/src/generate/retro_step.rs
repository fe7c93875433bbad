//! One step of retrograde analysis on one chunk: losses, the wins before them, the losses before those.

use std::sync::Arc;

use everymove_kernel::files::FileError;

use crate::generate::conversions::Conversions;
use crate::metric::Metric;
use crate::position::geometry::{attacks, squares};
use crate::position::index_space::Side;
use crate::position::partition::Partition;
use crate::position::subspace::{Placement, Reflections, Subspace, back, forth};
use crate::store::list::{Accumulator, List};
use crate::store::spool::{Bins, Spool, StoredList};
use crate::store::win_set::{Place, WinSet};
use crate::store::words::Words;

/// What a step asks about a subspace, apart from the set of wins.
///
/// That set holds the positions, attacker to move, that are known to win, and those that are impossible because the
/// defender's king could be taken, which spares asking whether the defender's moves are legal.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) subspace: Subspace,
    pub(crate) metric: Metric,
    pub(crate) conversions: Arc<Conversions>,
    /// Defender to move: the code below which a conversion keeps him from losing, by position; kept where looking it up
    /// again costs more than a byte.
    guards: Option<Vec<u8>>,
}

/// The conversions of one chunk that decide something, by code.
#[derive(Debug, Default)]
pub(crate) struct InitialPositions {
    /// The attacker's best winning conversion has this code.
    pub(crate) wins: Vec<Vec<StoredList>>,
    /// The defender's conversions all lose, the last with this code.
    pub(crate) losses: Vec<Vec<StoredList>>,
    /// The defender is mated.
    pub(crate) mates: List,
}

impl InitialPositions {
    /// The wins by conversion of a code.
    pub(crate) fn wins(&self, code: u16) -> &[StoredList] {
        self.wins.get(usize::from(code)).map_or(&[], Vec::as_slice)
    }

    /// The losses by conversion of a code.
    pub(crate) fn losses(&self, code: u16) -> &[StoredList] {
        self.losses
            .get(usize::from(code))
            .map_or(&[], Vec::as_slice)
    }

    /// Forgets conversions that have been put in.
    pub(crate) fn forget(&mut self, wins: u16, losses: u16) {
        for (lists, code) in [(&mut self.wins, wins), (&mut self.losses, losses)] {
            if let Some(lists) = lists.get_mut(usize::from(code)) {
                lists.clear();
            }
        }
    }
}

/// Which of the attacker's pieces move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// All of them.
    All,
    /// All but the king.
    Pieces,
    /// The king.
    King,
}

/// What a thread needs to work on a chunk.
#[derive(Debug)]
pub(crate) struct Workspace<P> {
    pub(crate) wins: Accumulator<P>,
    candidates: Accumulator<P>,
    /// Words of the won set that moves led to.
    pub(crate) touched: u64,
}

impl<P: Words> Workspace<P> {
    pub(crate) fn new<W: WinSet<Accumulator = P>>(
        won: &W,
        words: usize,
    ) -> Result<Self, FileError> {
        Ok(Self {
            wins: Accumulator::new(won.accumulator(words)?, words),
            candidates: Accumulator::new(won.accumulator(words)?, words),
            touched: 0,
        })
    }

    /// What went wrong with the sets, if anything did.
    pub(crate) fn take_error(&mut self) -> Result<(), FileError> {
        self.wins.take_error()?;
        self.candidates.take_error()
    }
}

impl Workspace<Vec<u64>> {
    /// Bytes of a workspace for chunks of so many words.
    pub(crate) fn bytes(words: usize) -> u64 {
        words as u64 * 16
    }
}

/// Marks wins of a word and gives those that were not known.
#[inline]
fn win(win_set: &mut impl Words, word: usize, set: u64) -> u64 {
    let known = win_set.get(word);
    let new = set & !known;
    if new != 0 {
        win_set.set(word, known | new);
    }
    new
}

impl State {
    /// A state of a set of wins that is empty yet: [`State::initial`] has to visit every chunk.
    pub(crate) fn new(subspace: Subspace, metric: Metric, conversions: Arc<Conversions>) -> Self {
        Self {
            subspace,
            metric,
            conversions,
            guards: None,
        }
    }

    /// Bytes of the guards of so many words.
    pub(crate) fn guard_bytes(words: usize) -> u64 {
        words as u64 * 64
    }

    /// Keeps the guards in memory; for subspaces that one chunk covers.
    pub(crate) fn guarded(mut self) -> Self {
        self.guards = Some(vec![255; self.subspace.words * 64]);
        self
    }

    /// Finds the impossible positions, the conversions and the mates of a chunk, which must be closed under the
    /// defender's moves.
    pub(crate) fn seed(
        &mut self,
        win_set: &mut impl Words,
        chunk: Place<'_>,
        spool: &Spool,
    ) -> Result<InitialPositions, FileError> {
        let mut guards = self.guards.take();
        let initial = self.initial(win_set, chunk, guards.as_deref_mut(), spool);
        self.guards = guards;
        initial
    }

    /// As [`State::seed`], for subspaces without guards.
    pub(crate) fn initial(
        &self,
        win_set: &mut impl Words,
        chunk: Place<'_>,
        mut guards: Option<&mut [u8]>,
        spool: &Spool,
    ) -> Result<InitialPositions, FileError> {
        let mut wins = Bins::new(spool, 255);
        let mut losses = Bins::new(spool, 255);
        let mut checks = List::default();
        let partition = chunk.partition();
        for local in 0..partition.len(chunk.number) {
            let word = partition.word(chunk.number, local);
            let Some(placed) = self.subspace.placement(word) else {
                continue;
            };
            let check = self.subspace.king_attacked(&placed, Side::Defender);
            win_set.set(word, check);
            let empty = !placed.occupied;
            let attacker = empty & !check;
            let row = self
                .conversions
                .row(&self.subspace, &placed, Side::Attacker, attacker);
            sort(&mut wins, word, &row.codes, row.touched & attacker, 255);
            let defender = empty & !self.subspace.king_attacked(&placed, Side::Attacker);
            let row = self
                .conversions
                .row(&self.subspace, &placed, Side::Defender, defender);
            let legal = sort(&mut losses, word, &row.codes, row.touched & defender, 0);
            if let Some(guards) = guards.as_deref_mut() {
                for square in squares(defender) {
                    guards[word << 6 | usize::from(square)] = row.codes[usize::from(square)];
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
                let mated = self.without_escape(win_set, word as usize, &placed, set, &mut 0);
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

    /// Takes back the attacker's moves of a group from losses and collects the wins that were not known.
    pub(crate) fn expand<P: Words>(
        &self,
        win_set: &mut impl Words,
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
            let word = word as usize;
            let Some(placed) = self.subspace.placement(word) else {
                continue;
            };
            for &piece in &pieces {
                if piece == word_piece {
                    *touched += 1;
                    let new = win(win_set, word, self.subspace.word_moves(&placed, set));
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
                            let new = win(win_set, to, forth(from, m));
                            if new != 0 {
                                wins.add(partition.local(to), new);
                            }
                        }
                    });
            }
        }
    }

    /// Marks wins and collects those that were not known.
    pub(crate) fn mark<P: Words>(
        win_set: &mut impl Words,
        partition: &Partition,
        list: &List,
        wins: &mut Accumulator<P>,
    ) {
        for (word, set) in list.iter() {
            let new = win(win_set, word as usize, set);
            if new != 0 {
                wins.add(partition.local(word as usize), new);
            }
        }
    }

    /// Takes back the defender's moves from the new wins, checks which of the positions before are lost, and gives those
    /// of `code` to `lost`. The new wins go to `won`.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a step reads, writes and reports"
    )]
    pub(crate) fn answer<P: Words>(
        &self,
        win_set: &mut impl Words,
        chunk: Place<'_>,
        workspace: &mut Workspace<P>,
        initial: &[Arc<List>],
        code: u16,
        mut won: impl FnMut(usize, u64),
        mut lost: impl FnMut(usize, u64),
    ) {
        let Workspace {
            wins,
            candidates,
            touched,
        } = workspace;
        let partition = chunk.partition();
        wins.drain(|local, set| {
            let word = partition.word(chunk.number, local);
            won(word, set);
            self.raise(partition, word, set, candidates);
        });
        for (word, set) in initial.iter().flat_map(|list| list.iter()) {
            candidates.add(partition.local(word as usize), set);
        }
        candidates.drain(|local, set| {
            let word = partition.word(chunk.number, local);
            let Some(placed) = self.subspace.placement(word) else {
                return;
            };
            let set = self.without_escape(win_set, word, &placed, set & !placed.occupied, touched);
            if set == 0 {
                return;
            }
            let set = self.unguarded(word, &placed, set, code);
            if set != 0 {
                lost(word, set);
            }
        });
    }

    /// The positions one of the defender's moves before those of a word.
    #[inline]
    fn raise<P: Words>(
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

    /// The positions of a set, the defender to move, in which every quiet move leads to a win of the attacker.
    #[inline]
    fn without_escape(
        &self,
        win_set: &mut impl Words,
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
                let safe = !win_set.get(word) & !placed.occupied;
                left &= !attacks(kind, safe, !placed.occupied);
            } else {
                let one = Reflections::One;
                self.subspace
                    .steps(word, placed, piece, one, |to, path, m| {
                        if left & !path != 0 {
                            *touched += 1;
                            left &= back(win_set.get(to), m) | path;
                        }
                    });
            }
            if left == 0 {
                return 0;
            }
        }
        left
    }

    /// The legal positions of a set in which no conversion keeps the defender from losing with `code`.
    fn unguarded(&self, word: usize, placed: &Placement, set: u64, code: u16) -> u64 {
        let guarded = |guard: u8| guard == 255 || u16::from(guard) > code;
        if let Some(guards) = &self.guards {
            let held = squares(set).filter(|&s| guarded(guards[word << 6 | usize::from(s)]));
            return set & !held.fold(0, |held, s| held | 1 << s);
        }
        let legal = set & !self.subspace.king_attacked(placed, Side::Attacker);
        if legal == 0 {
            return 0;
        }
        let row = self
            .conversions
            .row(&self.subspace, placed, Side::Defender, legal);
        let held = squares(legal & row.touched).filter(|&s| guarded(row.codes[usize::from(s)]));
        legal & !held.fold(0, |held, s| held | 1 << s)
    }
}

/// Puts the squares of `set` into the bins that their codes say, those with the code `none` nowhere; gives those with a
/// code. The code 255 has no bin: it is a conversion that saves the defender whatever happens.
fn sort(bins: &mut Bins<'_>, word: usize, codes: &[u8; 64], set: u64, none: u8) -> u64 {
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
