//! Passes over layers in files: the words of some heads of each layer are in memory at a time.
//!
//! All steps into the heads of one part of a layer are made in one pass over the layer before it. As the steps of a head
//! lead to few heads, most of which are in the same part, several passes cost little more than one.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use everymove_kernel::parallel;
use everymove_kernel::run::{Reservation, Run};

use super::folder::Folder;
use super::need::{LEAST_WORDS, buffers};
use super::stored::StoredLayer;
use crate::error::PegError;
use crate::layers::filter::with_step;
use crate::layers::layout::{ClassLayers, Layout, Span};
use crate::layers::next_layer::{Expand, LayerCounts, Tally, jobs};
use crate::layers::slices::split_lengths;
use crate::layers::{Steps, successors::SuccessorTable};

/// Computes layers in files.
pub(super) struct Passes<'a> {
    pub(super) folder: Folder<'a>,
    pub(super) run: &'a Run,
    /// Words of the layer that is read: the one before, or the set that steps shall lead into.
    source: Vec<u64>,
    /// Words of the layer that is made; when positions are selected, half of them for the candidates.
    target: Vec<AtomicU64>,
    _held: Option<Reservation>,
}

impl<'a> Passes<'a> {
    /// Takes the memory that is left, for layers of at most `largest` words, `copies` of which are made at once.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] if that is less than the least that is needed.
    pub(super) fn new(
        folder: Folder<'a>,
        class_layers: &ClassLayers,
        largest: usize,
        copies: usize,
        run: &'a Run,
    ) -> Result<Self, PegError> {
        let layout = 4 * class_layers.split().heads().len() as u64;
        let other = buffers(layout, run.threads.get());
        let left = run.ram.left().saturating_sub(other) / 8;
        let left = usize::try_from(left).unwrap_or(usize::MAX).max(LEAST_WORDS);
        // With a target of a whole layer the source is read once; of what is left a fourth is enough for the source.
        let whole = largest.max(LEAST_WORDS / 4);
        let source = left
            .saturating_sub(copies * whole)
            .clamp(left / 4, left / 2);
        let source = source.min(whole);
        let target = (left - source).min(copies * whole);
        let held = other + 8 * (source + target) as u64;
        Ok(Self {
            _held: Some(run.ram.reserve(folder.question, held)?),
            ..Self::with_words(folder, source, target, run)
        })
    }

    /// With memory for this many words of the layer that is read and of the one that is made, each enough for a group.
    pub(super) fn with_words(
        folder: Folder<'a>,
        source: usize,
        target: usize,
        run: &'a Run,
    ) -> Self {
        Self {
            folder,
            run,
            source: vec![0; source],
            target: std::iter::repeat_with(AtomicU64::default)
                .take(target)
                .collect(),
            _held: None,
        }
    }

    /// The layer with a name of which some parts may be in files.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::OtherQuestion`], [`PegError::Stopped`].
    pub(super) fn open(
        &mut self,
        name: &str,
        layout: &Arc<Layout>,
    ) -> Result<StoredLayer, PegError> {
        let layer = StoredLayer::open(&self.folder, name, Arc::clone(layout), self.run)?;
        self.folder.add(layer.bytes);
        Ok(layer)
    }

    /// A layer of few positions.
    ///
    /// # Errors
    /// As [`expand`](Self::expand).
    pub(super) fn layer_of(
        &mut self,
        name: &str,
        layout: &Arc<Layout>,
        indexes: &[usize],
    ) -> Result<StoredLayer, PegError> {
        self.make(name, layout, 1, |_, span, target| {
            let first = 64 * span.layout.start(span.heads.start);
            for index in indexes {
                if let Some(index) = index.checked_sub(first)
                    && let Some(word) = target.get_mut(index / 64)
                {
                    *word.get_mut() |= 1 << (index % 64);
                }
            }
            Ok(None)
        })
    }

    /// The layer of all positions one step from those of `from`. The notes of a new layer are made from what was counted.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::OtherQuestion`], [`PegError::OverDisk`], [`PegError::Stopped`].
    pub(super) fn expand<const W: usize>(
        &mut self,
        name: &str,
        class_layers: &ClassLayers,
        from: &StoredLayer,
        steps: &Steps<W>,
        to: &Arc<Layout>,
        notes: impl Fn(&LayerCounts) -> String,
    ) -> Result<StoredLayer, PegError> {
        self.make(name, to, 1, |passes, span, target| {
            let (storage, run) = (passes.folder.storage, passes.run);
            let is_first = span.heads.start == 0;
            let tally = if is_first { Tally::Count } else { Tally::Skip };
            let mut counts = LayerCounts::default();
            let mut reader = from.reader(storage);
            for window in Span::whole(&from.layout).windows(passes.source.len()) {
                let words = &mut passes.source[..window.words()];
                reader.read(&window, words, run)?;
                let window = (window, &*words);
                let counted = steps.expand_into(class_layers, &window, span, target, tally, run)?;
                counts.add(&counted);
            }
            run.progress.worked(counts.jumps);
            Ok(is_first.then(|| notes(&counts)))
        })
    }

    /// The positions of `from` with a step into `into`.
    ///
    /// # Errors
    /// As [`expand`](Self::expand).
    pub(super) fn filter<const W: usize>(
        &mut self,
        name: &str,
        class_layers: &ClassLayers,
        from: &StoredLayer,
        steps: &Steps<W>,
        into: &StoredLayer,
    ) -> Result<StoredLayer, PegError> {
        let storage = self.folder.storage;
        let mut candidates_from = from.reader(storage);
        self.make(name, &from.layout, 2, |passes, span, target| {
            let run = passes.run;
            let (kept, candidates) = target.split_at_mut(span.words());
            candidates_from.read(span, candidates, run)?;
            let mut reader = into.reader(storage);
            for window in Span::whole(&into.layout).windows(passes.source.len()) {
                let words = &mut passes.source[..window.words()];
                reader.read(&window, words, run)?;
                let has = |index: usize| words[index >> 6] >> (index & 63) & 1 == 1;
                let heads = jobs(span, run);
                let lengths = || {
                    heads
                        .iter()
                        .map(|run| span.start(run.end) - span.start(run.start))
                };
                let parts = split_lengths(candidates, lengths()).into_iter();
                let parts = parts.zip(split_lengths(kept, lengths()));
                let jobs = heads.iter().cloned().zip(parts);
                let start = || SuccessorTable::new(class_layers.split(), steps, window.clone());
                parallel::for_each(run, jobs, start, |table, (heads, (candidates, kept))| {
                    let first = span.start(heads.start);
                    for id in heads {
                        let range = span.start(id) - first..span.start(id + 1) - first;
                        let candidates = &mut candidates[range.clone()];
                        if candidates.iter_mut().all(|word| *word.get_mut() == 0) {
                            continue;
                        }
                        table.take(id);
                        if table.is_empty() {
                            continue;
                        }
                        let words = candidates.iter_mut().zip(&mut kept[range]);
                        let tails = class_layers.group(id, span.layout.pegs).chunks(64);
                        for ((candidates, kept), tails) in words.zip(tails) {
                            let found = with_step(*candidates.get_mut(), tails, table, has);
                            *candidates.get_mut() &= !found;
                            *kept.get_mut() |= found;
                        }
                    }
                })?;
            }
            Ok(None)
        })
    }

    /// Makes the parts of a layer that are not in files yet: `fill` sets the bits of each, in words that are 0, and returns
    /// the notes of the layer if they are new. With two `copies` there are twice as many words.
    fn make(
        &mut self,
        name: &str,
        layout: &Arc<Layout>,
        copies: usize,
        mut fill: impl FnMut(&mut Self, &Span, &mut [AtomicU64]) -> Result<Option<String>, PegError>,
    ) -> Result<StoredLayer, PegError> {
        let mut layer = self.open(name, layout)?;
        while !layer.is_complete() {
            let mut target = std::mem::take(&mut self.target);
            let span = Span {
                heads: layout.heads_within(layer.end(), target.len() / copies),
                layout: Arc::clone(layout),
            };
            let words = &mut target[..copies * span.words()];
            words.iter_mut().for_each(|word| *word.get_mut() = 0);
            let filled = fill(self, &span, words);
            let written = filled.and_then(|notes| {
                let notes = notes.unwrap_or_else(|| layer.notes.clone());
                let words = &words[..span.words()];
                let bytes = layer.bytes;
                layer.write(&self.folder, &span, words, &notes, self.run)?;
                self.folder.add(layer.bytes - bytes);
                Ok(())
            });
            self.target = target;
            written?;
        }
        Ok(layer)
    }

    /// Calls `visit` with the number of the first of some words of a layer, and these words, until all were visited.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::Stopped`], and those of `visit`.
    pub(super) fn each_word(
        &mut self,
        layer: &StoredLayer,
        mut visit: impl FnMut(usize, &[u64]) -> Result<(), PegError>,
    ) -> Result<(), PegError> {
        let mut reader = layer.reader(self.folder.storage);
        for window in Span::whole(&layer.layout).windows(self.source.len()) {
            let words = &mut self.source[..window.words()];
            reader.read(&window, words, self.run)?;
            visit(layer.layout.start(window.heads.start), words)?;
        }
        Ok(())
    }

    /// Removes the files of a layer.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(super) fn remove(&mut self, layer: StoredLayer) -> Result<(), PegError> {
        self.folder.subtract(layer.bytes);
        layer.remove(self.folder.storage)
    }
}
