//! One step of retrograde analysis on one chunk: losses, the wins before them, the losses before those.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::files::FileError;

use crate::convert::Conversions;
use crate::cut::Cut;
use crate::frame::{Frame, Placement, Reflections, back, forth};
use crate::geometry::{attacks, squares};
use crate::list::{List, Pile};
use crate::metric::Metric;
use crate::space::Side;
use crate::spool::{Bins, Kept, Spool};

/// Everything known about a frame while its wins are found.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) frame: Frame,
    pub(crate) metric: Metric,
    pub(crate) conversions: Arc<Conversions>,
    /// Attacker to move: known to win, or impossible because the defender's king could be taken, which spares asking
    /// whether the defender's moves are legal. Every word belongs to the one thread that visits its chunk.
    won: Vec<AtomicU64>,
    /// Defender to move: the code below which a conversion keeps him from losing, by position; kept where looking it up
    /// again costs more than a byte.
    guards: Option<Vec<u8>>,
}

/// The conversions of one chunk that decide something, by code.
#[derive(Debug, Default)]
pub(crate) struct Seeds {
    /// The attacker's best winning conversion has this code.
    pub(crate) wins: Vec<Vec<Kept>>,
    /// The defender's conversions all lose, the last with this code.
    pub(crate) losses: Vec<Vec<Kept>>,
    /// The defender is mated.
    pub(crate) mates: List,
}

impl Seeds {
    /// The wins by conversion of a code.
    pub(crate) fn wins(&self, code: u16) -> &[Kept] {
        self.wins.get(usize::from(code)).map_or(&[], Vec::as_slice)
    }

    /// The losses by conversion of a code.
    pub(crate) fn losses(&self, code: u16) -> &[Kept] {
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

/// Which of the attacker's men move.
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
pub(crate) struct Bench {
    pub(crate) wins: Pile,
    candidates: Pile,
    /// Words of the won set that moves led to.
    pub(crate) touched: u64,
}

impl Bench {
    pub(crate) fn new(words: usize) -> Self {
        Self {
            wins: Pile::new(words),
            candidates: Pile::new(words),
            touched: 0,
        }
    }
}

/// A chunk as seen by a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk<'a> {
    pub(crate) cut: &'a Cut,
    pub(crate) number: usize,
}

impl State {
    /// A state that knows nothing yet: [`State::seed`] has to visit every chunk.
    pub(crate) fn new(frame: Frame, metric: Metric, conversions: Arc<Conversions>) -> Self {
        let won = (0..frame.words).map(|_| AtomicU64::new(0)).collect();
        Self {
            frame,
            metric,
            conversions,
            won,
            guards: None,
        }
    }

    /// Bytes of a state of so many words.
    pub(crate) fn bytes(words: usize, guarded: bool) -> u64 {
        words as u64 * if guarded { 72 } else { 8 }
    }

    /// Keeps the guards in memory; for frames that one chunk covers.
    pub(crate) fn guarded(mut self) -> Self {
        self.guards = Some(vec![255; self.frame.words * 64]);
        self
    }

    #[inline]
    fn won(&self, word: usize) -> u64 {
        self.won[word].load(Ordering::Relaxed)
    }

    /// Marks wins of a word and gives those that were not known.
    #[inline]
    fn win(&self, word: usize, set: u64) -> u64 {
        let known = self.won(word);
        let new = set & !known;
        if new != 0 {
            self.won[word].store(known | new, Ordering::Relaxed);
        }
        new
    }

    /// Finds the impossible positions, the conversions and the mates of a chunk, which must be closed under the
    /// defender's moves.
    pub(crate) fn seed(&mut self, chunk: Chunk<'_>, spool: &Spool) -> Result<Seeds, FileError> {
        let mut guards = self.guards.take();
        let seeds = self.seeds(chunk, guards.as_deref_mut(), spool);
        self.guards = guards;
        seeds
    }

    /// As [`State::seed`], for frames without guards.
    pub(crate) fn seeds(
        &self,
        chunk: Chunk<'_>,
        mut guards: Option<&mut [u8]>,
        spool: &Spool,
    ) -> Result<Seeds, FileError> {
        let mut wins = Bins::new(spool, 255);
        let mut losses = Bins::new(spool, 255);
        let mut checks = List::default();
        for local in 0..chunk.cut.len(chunk.number) {
            let word = chunk.cut.word(chunk.number, local);
            let Some(placed) = self.frame.place(word) else {
                continue;
            };
            let check = self.frame.king_attacked(&placed, Side::Defender);
            self.won[word].store(check, Ordering::Relaxed);
            let empty = !placed.occupied;
            let attacker = empty & !check;
            let row = self
                .conversions
                .row(&self.frame, &placed, Side::Attacker, attacker);
            sort(&mut wins, word, &row.codes, row.touched & attacker, 255);
            let defender = empty & !self.frame.king_attacked(&placed, Side::Attacker);
            let row = self
                .conversions
                .row(&self.frame, &placed, Side::Defender, defender);
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
            if let Some(placed) = self.frame.place(word as usize) {
                let mated = self.without_escape(word as usize, &placed, set, &mut 0);
                if mated != 0 {
                    mates.push(word, mated);
                }
            }
        }
        Ok(Seeds {
            wins: by_code(wins.finish()?),
            losses: by_code(losses.finish()?),
            mates: mates.pack(),
        })
    }

    /// Takes back the attacker's moves of a group from losses and collects the wins that were not known.
    pub(crate) fn expand(&self, chunk: Chunk<'_>, losses: &List, group: Group, bench: &mut Bench) {
        let Bench { wins, touched, .. } = bench;
        let word_man = self.frame.word_man();
        let men: Vec<usize> = self
            .frame
            .pieces(Side::Attacker)
            .filter(|&man| match group {
                Group::All => true,
                Group::Pieces => man != 0,
                Group::King => man == 0,
            })
            .collect();
        for (word, set) in losses.iter() {
            let word = word as usize;
            let Some(placed) = self.frame.place(word) else {
                continue;
            };
            for &man in &men {
                if man == word_man {
                    *touched += 1;
                    let new = self.win(word, self.frame.word_steps(&placed, set));
                    if new != 0 {
                        wins.add(chunk.cut.local(word), new);
                    }
                    continue;
                }
                let both = Reflections::Both;
                self.frame.steps(word, &placed, man, both, |to, path, m| {
                    let from = set & !path;
                    if from != 0 {
                        *touched += 1;
                        let new = self.win(to, forth(from, m));
                        if new != 0 {
                            wins.add(chunk.cut.local(to), new);
                        }
                    }
                });
            }
        }
    }

    /// Marks wins and collects those that were not known.
    pub(crate) fn mark(&self, chunk: Chunk<'_>, list: &List, wins: &mut Pile) {
        for (word, set) in list.iter() {
            let new = self.win(word as usize, set);
            if new != 0 {
                wins.add(chunk.cut.local(word as usize), new);
            }
        }
    }

    /// Takes back the defender's moves from the new wins, checks which of the positions before are lost, and gives those
    /// of `code` to `lost`. The new wins go to `won`.
    pub(crate) fn answer(
        &self,
        chunk: Chunk<'_>,
        bench: &mut Bench,
        seeds: &[Arc<List>],
        code: u16,
        mut won: impl FnMut(usize, u64),
        mut lost: impl FnMut(usize, u64),
    ) {
        let Bench {
            wins,
            candidates,
            touched,
        } = bench;
        wins.drain(|local, set| {
            let word = chunk.cut.word(chunk.number, local);
            won(word, set);
            self.raise(chunk, word, set, candidates);
        });
        for (word, set) in seeds.iter().flat_map(|list| list.iter()) {
            candidates.add(chunk.cut.local(word as usize), set);
        }
        candidates.drain(|local, set| {
            let word = chunk.cut.word(chunk.number, local);
            let Some(placed) = self.frame.place(word) else {
                return;
            };
            let set = self.without_escape(word, &placed, set & !placed.occupied, touched);
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
    fn raise(&self, chunk: Chunk<'_>, word: usize, set: u64, candidates: &mut Pile) {
        let Some(placed) = self.frame.place(word) else {
            return;
        };
        for man in self.frame.pieces(Side::Defender) {
            if man == self.frame.word_man() {
                let before = self.frame.word_steps(&placed, set);
                candidates.add(chunk.cut.local(word), before);
                continue;
            }
            let both = Reflections::Both;
            self.frame.steps(word, &placed, man, both, |to, path, m| {
                let before = forth(set & !path, m);
                if before != 0 {
                    candidates.add(chunk.cut.local(to), before);
                }
            });
        }
    }

    /// The positions of a set, the defender to move, in which every quiet move leads to a win of the attacker.
    #[inline]
    fn without_escape(&self, word: usize, placed: &Placement, set: u64, touched: &mut u64) -> u64 {
        let mut left = set;
        for man in self.frame.pieces(Side::Defender) {
            if man == self.frame.word_man() {
                let kind = self.frame.man(man).kind;
                *touched += 1;
                let safe = !self.won(word) & !placed.occupied;
                left &= !attacks(kind, safe, !placed.occupied);
            } else {
                let one = Reflections::One;
                self.frame.steps(word, placed, man, one, |to, path, m| {
                    if left & !path != 0 {
                        *touched += 1;
                        left &= back(self.won(to), m) | path;
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
        let legal = set & !self.frame.king_attacked(placed, Side::Attacker);
        if legal == 0 {
            return 0;
        }
        let row = self
            .conversions
            .row(&self.frame, placed, Side::Defender, legal);
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

fn by_code(lists: Vec<(usize, Kept)>) -> Vec<Vec<Kept>> {
    let mut by_code = Vec::new();
    for (code, kept) in lists {
        if by_code.len() <= code {
            by_code.resize(code + 1, Vec::new());
        }
        by_code[code].push(kept);
    }
    by_code
}
