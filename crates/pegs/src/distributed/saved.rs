//! Layers saved by the processes that share them, each its part, from which any number of processes resumes.
//!
//! The head of a state: how many layers are done, for each of them its positions, images, jumps and dead ends, and the digests of all
//! layers up to the saved one. Its pieces are the words of the sections of the part, in order.

use std::time::Instant;

use everymove_kernel::files::{Format, SavedState, complete_states, found_parts};
use xxhash_rust::xxh3::xxh3_64;

use super::Exchange;
use super::parts::Parts;
use super::search::Search;
use crate::error::PegError;
use crate::layers::next_layer::LayerCounts;

/// The files of parts of layers.
pub const SHARED_PART: Format = Format {
    magic: *b"EMPSHARE",
    version: 1,
    what: "a part of a shared layer of peg positions",
};

/// The most words of a piece with more than one head; files depend on it.
const PIECE: usize = 1 << 15;

/// How far a search is.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    /// What was counted in the layers that are done.
    pub(super) layers: Vec<LayerCounts>,
    /// The digests of these layers and of the next one.
    pub(super) digests: Vec<u64>,
}

/// How far a search is, the parts of the next layer, and the words of that of this process.
pub(super) type Begun = (Done, Parts, Vec<u64>);

impl Done {
    fn head(&self) -> Vec<u64> {
        let mut head = vec![self.layers.len() as u64];
        head.extend(self.layers.iter().flat_map(LayerCounts::numbers));
        head.extend(&self.digests);
        head
    }

    fn of_head(head: &[u64]) -> Option<Self> {
        let (&layers, rest) = head.split_first()?;
        let layers = usize::try_from(layers).ok()?;
        let (counts, digests) = rest.split_at_checked(layers.checked_mul(4)?)?;
        let (counts, _) = counts.as_chunks::<4>();
        (digests.len() == layers + 1).then(|| Self {
            layers: counts.iter().map(LayerCounts::of_numbers).collect(),
            digests: digests.to_vec(),
        })
    }
}

impl<E: Exchange> Search<'_, E> {
    /// Saves this process's part of a layer, whose words are given; all processes do.
    pub(super) fn save(
        &mut self,
        done: &Done,
        parts: &Parts,
        words: &[u64],
    ) -> Result<(), E::Error> {
        let Some(saved) = &mut self.saved else {
            return Ok(());
        };
        let started = Instant::now();
        let head = done.head();
        let bytes: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
        let state = SavedState {
            step: done.layers.len() as u64,
            parts: self.exchange.processes() as u64,
            id: xxh3_64(&bytes),
        };
        let mut piece = Vec::new();
        let written = saved.save(&state, &head, |write| {
            for section in parts.of(self.exchange.process()) {
                let words = section.words(words);
                for window in section.span.windows(PIECE) {
                    let first = section.span.start(window.heads.start);
                    let words = &words[first..][..window.words()];
                    piece.clear();
                    piece.extend(words.iter().flat_map(|word| word.to_le_bytes()));
                    write(&piece)?;
                }
            }
            Ok::<_, PegError>(())
        });
        written?;
        self.exchange.gather(Vec::new())?;
        saved.keep_only(&[state]).map_err(PegError::from)?;
        saved.saved_since(started);
        Ok(())
    }

    /// The last layer of which the processes find all parts: how far the search was, and the part of this process with its words.
    pub(super) fn resumed(&mut self) -> Result<Option<Begun>, E::Error> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let found = found_parts(self.saved.as_ref()).map_err(PegError::from)?;
        let said = self.exchange.gather(found)?;
        let last = complete_states(&said).map_err(PegError::from)?.pop();
        let (Some(saved), Some((state, readers))) = (&self.saved, last) else {
            return Ok(None);
        };
        let own = (0..).zip(&readers);
        let own = own.filter(|&(_, &reader)| reader == process);
        let files = own.map(|(part, _)| Ok((part, saved.read(&state, part)?)));
        let files: Result<Vec<_>, PegError> = files.collect();
        let files = files?;
        // Who reads part 0 says the head to all.
        let head = match files.first() {
            Some((0, file)) => file.head.clone(),
            _ => Vec::new(),
        };
        let said = self.exchange.gather(head)?;
        let done = Done::of_head(&said[readers[0]]);
        let done = done.filter(|done| done.layers.len() < self.start.pegs());
        let Some(done) = done else {
            let what = "the head of a state of this search makes no sense";
            return Err(PegError::from(saved.damaged(&state, what)).into());
        };
        let what = "the layer does not have the digest that was saved";
        let other_digest = saved.damaged(&state, what);
        let pegs = self.start.pegs() - done.layers.len();
        let old = Parts::new(self.class_layers.layout(pegs), state.parts as usize);
        let parts = Parts::new(self.class_layers.layout(pegs), processes);
        self.exchange.begin(vec![0; parts.words_of(process)])?;
        let mut piece = Vec::new();
        let mut words: Vec<u64> = Vec::new();
        for (part, mut file) in files {
            for section in old.of(part) {
                for span in section.span.windows(PIECE) {
                    file.next(&mut piece).map_err(PegError::from)?;
                    let (numbers, rest) = piece.as_chunks::<8>();
                    if numbers.len() != span.words() || !rest.is_empty() {
                        let error = file.damaged("it should have the words of some groups");
                        return Err(PegError::from(error).into());
                    }
                    words.clear();
                    words.extend(numbers.iter().map(|&word| u64::from_le_bytes(word)));
                    for owner in (1..=processes).map(|step| (process + step) % processes) {
                        for (first, range) in parts.within(owner, &span) {
                            self.exchange.send(owner, first, &words[range])?;
                        }
                    }
                }
            }
        }
        let words = self.exchange.end()?;
        if done.digests.last() != Some(&self.digest(&parts, &words)?) {
            return Err(PegError::from(other_digest).into());
        }
        Ok(Some((done, parts, words)))
    }
}
