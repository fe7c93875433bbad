//! The search of one of the processes.

use std::sync::atomic::AtomicU64;

use everymove_kernel::files::SavedParts;
use everymove_kernel::run::{Reservation, Run};

use super::parts::Parts;
use super::saved::{Begun, Done};
use super::{DistributedReach, Exchange};
use crate::error::PegError;
use crate::layers::estimate::Sizes;
use crate::layers::layout::{ClassLayers, Span, index, positions_of};
use crate::layers::next_layer::{Expand, LayerCounts, Tally, jumps};
use crate::position::Position;
use crate::problem::Problem;
use crate::reach::layers_of;
use crate::reached::{LayersIn, Reach, ReachedLayer, class_symmetries, last_pegs};

/// Words of the buffers of a process.
#[derive(Clone, Copy)]
pub(super) struct Buffers {
    /// The least words of the next layer that are made in one pass; more if they fit the memory.
    pub(super) window: usize,
    /// The most words that are sent at once.
    pub(super) piece: usize,
}

/// 2 MiB and 256 KiB. A group of tails has 2^10 words at most.
pub(super) const BUFFERS: Buffers = Buffers {
    window: 1 << 18,
    piece: 1 << 15,
};

/// Counts the positions that can be reached, as a part of the processes of an exchange.
pub(super) fn reach<E: Exchange>(
    problem: &Problem,
    exchange: &mut E,
    saved: Option<SavedParts>,
    buffers: Buffers,
    run: &Run,
) -> Result<DistributedReach, E::Error> {
    let (board, start) = (problem.board(), problem.start());
    run.stop.check().map_err(PegError::from)?;
    let group = class_symmetries(board, start);
    let what = format!(
        "a part of the {} board, of {} processes,",
        board.name(),
        exchange.processes()
    );
    if let Some(sizes) = Sizes::new(board, &group, board.class(start)) {
        let words = |pegs: usize| (sizes.layers[pegs] - sizes.layout) / 8;
        let need = sizes.tables + need(start.pegs(), sizes.layout, words, exchange, buffers);
        sizes.require(&what, need, run).map_err(PegError::from)?;
    }
    let class_layers = layers_of(board, start, &group, run)?;
    let places = 4 * class_layers.split().heads().len() as u64;
    let words = |pegs: usize| class_layers.words(pegs);
    let need = need(start.pegs(), places, words, exchange, buffers);
    let held = run.ram.reserve(&what, need).map_err(PegError::from)?;
    // What is left of the memory makes the window larger, up to the largest layer.
    let most = (0..=start.pegs()).map(words).max().unwrap_or(0) as usize;
    let left = usize::try_from(run.ram.left() / 8).unwrap_or(usize::MAX);
    let window = buffers.window.max(most.min(left));
    let more = (window - buffers.window) as u64;
    let more = run.ram.reserve(&what, 8 * more).map_err(PegError::from)?;
    Search {
        steps: jumps(class_layers.split()),
        class_layers: &class_layers,
        start,
        window: std::iter::repeat_with(AtomicU64::default)
            .take(window)
            .collect(),
        piece: buffers.piece,
        exchange,
        saved,
        run,
        _held: [held, more],
    }
    .run()
}

/// Bytes that a process takes besides the tables: the places of two layers, its parts of two, and the buffers.
fn need<E: Exchange>(
    pegs: usize,
    places: u64,
    words: impl Fn(usize) -> u64,
    exchange: &E,
    buffers: Buffers,
) -> u64 {
    let part = |pegs: usize| Parts::most(words(pegs), exchange.processes());
    let pair = (1..=pegs).map(|pegs| part(pegs) + part(pegs - 1)).max();
    let words = pair.unwrap_or(0) + (buffers.window + buffers.piece) as u64;
    2 * places + 8 * words
}

pub(super) struct Search<'a, E> {
    pub(super) class_layers: &'a ClassLayers,
    pub(super) start: Position,
    steps: Box<dyn Expand>,
    /// Words of the next layer, before they are sent.
    window: Vec<AtomicU64>,
    pub(super) piece: usize,
    pub(super) exchange: &'a mut E,
    /// Where the parts of layers are saved.
    pub(super) saved: Option<SavedParts>,
    run: &'a Run,
    _held: [Reservation; 2],
}

impl<E: Exchange> Search<'_, E> {
    /// Counts layer by layer.
    fn run(mut self) -> Result<DistributedReach, E::Error> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let pegs = self.start.pegs();
        let progress = &self.run.progress;
        progress.start(
            "counting positions, layers in several processes",
            pegs as u64,
        );
        let (mut done, mut from, mut words) = match self.resumed()? {
            Some(resumed) => resumed,
            None => self.first_layer()?,
        };
        progress.advance(done.layers.len() as u64);
        loop {
            let below = pegs - done.layers.len() - 1;
            let to = Parts::new(self.class_layers.layout(below), processes);
            self.exchange.begin(vec![0; to.words_of(process)])?;
            let counts = self.expand(&from, &words, &to)?;
            let next = self.exchange.end()?;
            // Process 0 decides when all save their parts.
            let is_due = self.saved.as_ref().is_some_and(SavedParts::is_due);
            let mut said = vec![u64::from(is_due)];
            said.extend(counts.numbers());
            said.extend(to.digests(process, &next));
            let said = self.exchange.gather(said)?;
            let (counts, digests) = united(&said);
            progress.advance(1);
            progress.worked(counts.jumps);
            done.layers.push(counts);
            if counts.jumps == 0 {
                break;
            }
            done.digests.push(to.digest(&digests));
            (from, words) = (to, next);
            if said[0][0] == 1 {
                self.save(&done, &from, &words)?;
            }
        }
        let last = self.last_pegs(&from, &words)?;
        if let Some(saved) = &self.saved {
            saved.keep_only(&[]).map_err(PegError::from)?;
        }
        let counts = (0..=pegs).rev().zip(&done.layers);
        let layers = counts.map(|(pegs, counts)| ReachedLayer::new(pegs, counts));
        Ok(DistributedReach {
            reach: Reach::new(layers.collect(), last, LayersIn::Memory),
            digests: done.digests,
        })
    }

    /// The layer of the start.
    fn first_layer(&mut self) -> Result<Begun, E::Error> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let parts = Parts::new(self.class_layers.layout(self.start.pegs()), processes);
        let mut words = vec![0; parts.words_of(process)];
        self.insert_start(&parts, &mut words);
        let done = Done {
            layers: Vec::new(),
            digests: vec![self.digest(&parts, &words)?],
        };
        Ok((done, parts, words))
    }

    /// The digest of the layer of which all processes have their parts.
    pub(super) fn digest(&mut self, parts: &Parts, words: &[u64]) -> Result<u64, E::Error> {
        let own = parts.digests(self.exchange.process(), words);
        let said = self.exchange.gather(own)?;
        let said: Vec<&[u64]> = said.iter().map(Vec::as_slice).collect();
        Ok(parts.digest(&said))
    }

    /// Puts the start into this process's part if it has its word.
    fn insert_start(&self, parts: &Parts, words: &mut [u64]) {
        let at = index(&parts.layout, self.class_layers.split(), self.start);
        let (section, word) = parts.locate(at / 64);
        if section.owner == self.exchange.process() {
            words[word] |= 1 << (at % 64);
        }
    }

    /// Sends the positions one step from those of this process's part, whose words are given, to the owners of their sections.
    fn expand(&mut self, from: &Parts, words: &[u64], to: &Parts) -> Result<LayerCounts, E::Error> {
        let mut tally = Tally::Count;
        let mut counts = LayerCounts::default();
        for window in Span::whole(&to.layout).windows(self.window.len()) {
            let target = &mut self.window[..window.words()];
            target.iter_mut().for_each(|word| *word.get_mut() = 0);
            for section in from.of(self.exchange.process()) {
                let source = (section.span.clone(), section.words(words));
                let (layers, steps) = (self.class_layers, &self.steps);
                let counted =
                    steps.expand_into(layers, &source, &window, target, tally, self.run)?;
                counts.add(&counted);
            }
            tally = Tally::Skip;
            self.send(&window, to)?;
        }
        Ok(counts)
    }

    /// Sends the words of a window of the next layer to their owners; those of this process come last, while the others are on
    /// their way.
    fn send(&mut self, window: &Span, to: &Parts) -> Result<(), E::Error> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let mut piece = Vec::with_capacity(self.piece);
        for owner in (1..=processes).map(|step| (process + step) % processes) {
            for (mut first, range) in to.within(owner, window) {
                for words in self.window[range].chunks_mut(self.piece) {
                    piece.clear();
                    piece.extend(words.iter_mut().map(|word| *word.get_mut()));
                    if piece.iter().any(|&word| word != 0) {
                        self.exchange.send(owner, first, &piece)?;
                    }
                    first += piece.len();
                }
            }
        }
        Ok(())
    }

    /// The holes that can hold the last peg, by what all processes have of the last layer.
    fn last_pegs(&mut self, parts: &Parts, words: &[u64]) -> Result<Position, E::Error> {
        let mut own = 0;
        if parts.layout.pegs == 1 {
            let split = self.class_layers.split();
            for section in parts.of(self.exchange.process()) {
                let first = parts.layout.start(section.span.heads.start);
                let words = section.words(words);
                let positions = positions_of(self.class_layers, &parts.layout, first, words);
                own |= last_pegs(split.board(), positions).0;
            }
        }
        let said = self.exchange.gather(vec![own])?;
        let all = said.iter().flatten().fold(0, |all, more| all | more);
        Ok(Position(all))
    }
}

/// The sums of what all processes counted, and the digests of the blocks of each.
fn united(said: &[Vec<u64>]) -> (LayerCounts, Vec<&[u64]>) {
    let mut sum = LayerCounts::default();
    let mut digests = Vec::new();
    for said in said {
        let counts = said[1..].split_first_chunk();
        let (counts, own) = counts.expect("all say what they counted");
        sum.add(&LayerCounts::of_numbers(counts));
        digests.push(own);
    }
    (sum, digests)
}
