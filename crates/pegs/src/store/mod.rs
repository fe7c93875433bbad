//! One store of layers, in memory or in files, and the passes over them.
//!
//! A layer in memory is whole. A layer in files is in one or more *parts*, each with the rows of
//! consecutive heads ([`file`]): a pass makes one part at a time and reads other layers in
//! *windows*. As the steps of a head lead to few heads, most of which are in the same part, several
//! passes over a window cost little more than one. A part is complete when its file has
//! its name, `LAYER-NUMBER-HEAD.part`: that is all the state there is, from which a run is resumed,
//! with another budget too. A checkpoint is a folder in which layers in memory are saved as such
//! files.
//!
//! [`folder`] says where the files are.

pub(crate) mod file;
mod folder;
mod parts;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;
use std::time::{Duration, Instant};

use everymove_kernel::files::Storage;
use everymove_kernel::run::{Reservation, Run};

pub use crate::store::folder::{LayerFiles, LayersIn};

use crate::error::PegError;
use crate::forecast::{LEAST_VALUES, LEAST_WORDS, Sizes, buffers};
use crate::layers::filter::filter_into;
use crate::layers::layout::{ClassLayers, Layer, Layout, Span, index, ones};
use crate::layers::next_layer::{LayerCounts, Tally, expand_into};
use crate::layers::{Split, Steps};
use crate::position::Position;
use crate::problem::Problem;
use crate::store::file::{DiskLimit, identity};
pub(crate) use crate::store::folder::Folders;
use crate::store::parts::{FileParts, RowReader};
pub(crate) use crate::store::values::StoredValues;
use crate::symmetry::Symmetry;

/// A layer in memory or in files.
#[derive(Clone)]
pub(crate) struct StoredLayer {
    pub(crate) class_layers: Arc<ClassLayers>,
    pub(crate) pegs: usize,
    /// Words of its bitmap.
    pub(crate) words: usize,
    pub(crate) memory: Option<Arc<Layer>>,
    parts: FileParts,
}

impl StoredLayer {
    /// A layer in memory.
    pub(crate) fn of(class_layers: &Arc<ClassLayers>, layer: &Arc<Layer>) -> Self {
        Self {
            class_layers: Arc::clone(class_layers),
            pegs: layer.pegs(),
            words: layer.words.len(),
            memory: Some(Arc::clone(layer)),
            parts: FileParts {
                positions: layer.len(),
                ..FileParts::default()
            },
        }
    }

    pub(crate) fn positions(&self) -> u64 {
        self.parts.positions
    }

    /// Numbers that belong to it.
    pub(crate) fn notes(&self) -> &[u64] {
        &self.parts.notes
    }

    /// All its heads. Only a layer in memory keeps the places of their groups.
    fn span(&self) -> Span {
        match &self.memory {
            Some(layer) => Span::whole(&layer.layout),
            None => Span::whole(&Arc::new(self.class_layers.layout(self.pegs))),
        }
    }
}

/// The words of a layer, some heads after the other.
struct WordReader<'a> {
    layer: &'a StoredLayer,
    rows: RowReader<'a>,
    buffer: Vec<u64>,
}

impl WordReader<'_> {
    /// The words of a span; the next one begins where it ends or later.
    fn of(&mut self, span: &Span, run: &Run) -> Result<&[u64], PegError> {
        let first = span.layout.start(span.heads.start);
        match &self.layer.memory {
            Some(layer) => Ok(&layer.words[first..first + span.words()]),
            None => {
                self.buffer.clear();
                self.buffer.resize(span.words(), 0);
                self.rows.read(first, &mut self.buffer, run)?;
                Ok(&self.buffer)
            }
        }
    }
}

/// How much of layers in files is in memory at a time.
struct Windows {
    /// Words that are read of another layer.
    source: usize,
    /// Words that are made.
    target: usize,
    held: Reservation,
}

/// What is asked of a store.
pub(crate) struct Question<'a> {
    pub(crate) problem: &'a Problem,
    /// What is found, in a word or two.
    pub(crate) subject: &'a str,
    /// The symmetries up to which positions are one; they keep the class of the start.
    pub(crate) group: &'a [Symmetry],
    /// How a refusal calls it.
    pub(crate) what: String,
    /// Bytes of the number that is to be computed for each position, 0 for none.
    pub(crate) value_bytes: usize,
}

/// Layers of one question, in memory or in files.
pub(crate) struct Store<'a> {
    pub(crate) run: &'a Run,
    pub(crate) layers_in: LayersIn,
    storage: Option<&'a dyn Storage>,
    worth: Duration,
    identity: String,
    disk: DiskLimit,
    /// See [`Folders::window`].
    most: usize,
}

impl<'a> Store<'a> {
    /// A store in memory that saves nothing.
    pub(crate) fn in_memory(run: &'a Run) -> Self {
        Self {
            run,
            layers_in: LayersIn::Memory,
            storage: None,
            worth: Duration::ZERO,
            identity: String::new(),
            disk: DiskLimit::default(),
            most: usize::MAX,
        }
    }

    /// The layers of a question and the store where they are, which takes `memory` bytes besides
    /// the tables if it is in memory.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] if the layers do not fit, [`PegError::Stopped`],
    /// [`PegError::File`].
    pub(crate) fn open(
        folders: Folders<'a>,
        layers_in: LayersIn,
        question: &Question<'_>,
        memory: impl Fn(&Sizes) -> u64,
        run: &'a Run,
    ) -> Result<(Arc<ClassLayers>, Self), PegError> {
        run.stop.check()?;
        let problem = question.problem;
        let (board, class) = (problem.board(), problem.board().class(problem.start()));
        let (need, what, storage, most): (&dyn Fn(&Sizes) -> u64, _, _, _) = match layers_in {
            LayersIn::Memory => (
                &memory,
                question.what.clone(),
                folders.files.checkpoint,
                u64::MAX,
            ),
            LayersIn::Files => (
                &|sizes| sizes.windows(run) + (2 * LEAST_VALUES * question.value_bytes) as u64,
                format!("{} with layers on disk,", question.what),
                folders.overflow,
                folders.files.limit,
            ),
        };
        let sizes = Sizes::new(board, question.group, class);
        if let Some(sizes) = &sizes {
            sizes.require(&what, need(sizes), run)?;
        }
        run.progress.start("numbering the positions", 0);
        let split = Arc::new(Split::new(board, question.group, run)?);
        let class_layers = Arc::new(ClassLayers::new(&split, class));
        if sizes.is_none() {
            let sizes = Sizes::of_layers(&class_layers);
            sizes.require(&what, need(&sizes), run)?;
        }
        let mut store = Self {
            run,
            layers_in,
            storage,
            worth: folders.files.worth,
            identity: identity(problem, question.subject, &split),
            disk: DiskLimit {
                what: format!("{problem}, {}", question.subject),
                most,
                used: 0,
            },
            most: folders.window,
        };
        for (_, _, file) in store.files()? {
            if let Some(storage) = storage {
                let size = storage.open(&file)?.size();
                store.disk.used += size.unwrap_or(0);
            }
        }
        Ok((class_layers, store))
    }

    /// The layer with a name of which some parts may be in files; in memory, if that is where
    /// layers are.
    fn open_layer(
        &mut self,
        name: Name<'_>,
        class_layers: &Arc<ClassLayers>,
        layout: &Arc<Layout>,
    ) -> Result<StoredLayer, PegError> {
        let (run, layers_in) = (self.run, self.layers_in);
        let mut memory: Option<Layer> = None;
        let mut buffer = Vec::new();
        let parts = self.open_parts(&numbered(name), layout.heads(), |reader, heads| {
            let span = Span {
                heads,
                layout: Arc::clone(layout),
            };
            if layers_in == LayersIn::Memory && memory.is_none() {
                memory = Some(Layer::empty(Arc::clone(layout), &run.ram)?);
            }
            let mut positions = Some(0);
            for window in span.windows(LEAST_WORDS / 8) {
                buffer.resize(window.words(), 0);
                reader.read(&mut buffer, run)?;
                if let Some(layer) = &mut memory {
                    let first = layout.start(window.heads.start);
                    layer.words[first..first + buffer.len()].copy_from_slice(&buffer);
                }
                let more = class_layers.positions_in(&window, &buffer);
                positions = positions.zip(more).map(|(sum, more)| sum + more);
            }
            Ok(positions.map(|positions| (span.words(), positions)))
        })?;
        Ok(StoredLayer {
            class_layers: Arc::clone(class_layers),
            pegs: layout.pegs,
            words: layout.words(),
            memory: memory.filter(|_| parts.end() > 0).map(Arc::new),
            parts,
        })
    }

    /// The layer with a name, if all of it is in files.
    ///
    /// # Errors
    /// As [`expand`](Self::expand).
    pub(crate) fn find(
        &mut self,
        name: Name<'_>,
        class_layers: &Arc<ClassLayers>,
        pegs: usize,
    ) -> Result<Option<StoredLayer>, PegError> {
        let layout = Arc::new(class_layers.layout(pegs));
        let layer = self.open_layer(name, class_layers, &layout)?;
        Ok(Some(layer).filter(|layer| layer.parts.end() == layout.heads()))
    }

    /// An error for the notes of a layer, if they make no sense.
    pub(crate) fn damaged(&self, layer: &StoredLayer, what: &str) -> PegError {
        layer.parts.damaged(self.storage, what)
    }

    fn words<'l>(&self, layer: &'l StoredLayer) -> WordReader<'l>
    where
        'a: 'l,
    {
        WordReader {
            layer,
            rows: self.rows(&layer.parts),
            buffer: Vec::new(),
        }
    }

    /// Bytes that a pass over layers in files takes besides their words.
    fn buffers(&self, layer: &StoredLayer) -> u64 {
        let layout = 4 * layer.class_layers.split().heads().len() as u64;
        buffers(layout, self.run.threads.get())
    }

    /// Takes the memory for a pass that reads a layer of `read` words and makes one, `copies` of
    /// which are made at once: for all of the layer that is made, or what is left for windows
    /// of layers in files.
    fn windows(
        &self,
        made: &StoredLayer,
        layout: &Layout,
        (read, copies): (usize, usize),
    ) -> Result<Windows, PegError> {
        let run = self.run;
        if self.layers_in == LayersIn::Memory {
            return Ok(Windows {
                source: usize::MAX,
                target: usize::MAX,
                held: run.ram.reserve("a layer of positions", layout.bytes())?,
            });
        }
        let other = self.buffers(made);
        let left = run.ram.left().saturating_sub(other) / 8;
        let left = usize::try_from(left).unwrap_or(usize::MAX).max(LEAST_WORDS);
        // With a target of a whole layer the source is read once; of what is left a fourth is
        // enough for the source.
        let (read, made) = (read.max(LEAST_WORDS / 4), made.words.max(LEAST_WORDS / 4));
        let source = left.saturating_sub(copies.saturating_mul(made));
        let source = source.clamp(left / 4, left / 2).min(read);
        let target = ((left - source) / copies).min(made);
        let held = other + 8 * (source + copies * target) as u64;
        Ok(Windows {
            source: source.min(self.most),
            target: target.min(self.most),
            held: run.ram.reserve(&self.disk.what, held)?,
        })
    }

    /// Makes what is not in files yet of a layer: `fill` sets the bits of some heads, in words that
    /// are 0, from windows of so many words, and returns the notes of the layer if they are
    /// new. See [`windows`](Self::windows).
    fn make(
        &mut self,
        name: Name<'_>,
        (class_layers, layout): (&Arc<ClassLayers>, &Arc<Layout>),
        memory: (usize, usize),
        mut fill: impl FnMut(&Self, &Span, &mut Vec<u64>, usize) -> Result<Option<Vec<u64>>, PegError>,
    ) -> Result<StoredLayer, PegError> {
        let mut layer = self.open_layer(name, class_layers, layout)?;
        if layer.parts.end() == layout.heads() {
            return Ok(layer);
        }
        let windows = self.windows(&layer, layout, memory)?;
        let begun = Instant::now();
        while layer.parts.end() < layout.heads() {
            let span = Span {
                heads: layout.heads_within(layer.parts.end(), windows.target),
                layout: Arc::clone(layout),
            };
            let mut words = vec![0; span.words()];
            let notes = fill(self, &span, &mut words, windows.source)?;
            let notes = notes.unwrap_or_else(|| layer.parts.notes.clone());
            let made = (&words[..], ones(&words), notes);
            self.keep(&mut layer.parts, &span, made, begun)?;
            if self.layers_in == LayersIn::Memory {
                let made = Layer::new(Arc::clone(layout), words, windows.held);
                layer.memory = Some(Arc::new(made));
                break;
            }
        }
        Ok(layer)
    }

    /// A layer of few positions, all with the same number of pegs.
    ///
    /// # Errors
    /// As [`expand`](Self::expand).
    pub(crate) fn layer_of(
        &mut self,
        name: Name<'_>,
        class_layers: &Arc<ClassLayers>,
        positions: &[Position],
    ) -> Result<StoredLayer, PegError> {
        let layout = Arc::new(class_layers.layout(positions[0].pegs()));
        let split = class_layers.split();
        self.make(
            name,
            (class_layers, &layout),
            (0, 1),
            |_, span, words, _| {
                let places = 64 * layout.start(span.heads.start)..64 * layout.start(span.heads.end);
                let indexes = positions
                    .iter()
                    .map(|&position| index(&layout, split, position));
                for index in indexes.filter(|index| places.contains(index)) {
                    let index = index - places.start;
                    words[index / 64] |= 1 << (index % 64);
                }
                Ok(None)
            },
        )
    }

    /// The layer, with `pegs` pegs and in the class of `to`, of all positions one step from those
    /// of `from`. Its notes are made from what was counted.
    ///
    /// # Errors
    /// [`PegError::OverBudget`], [`PegError::Stopped`], [`PegError::File`],
    /// [`PegError::OverDisk`].
    pub(crate) fn expand<const W: usize>(
        &mut self,
        name: Name<'_>,
        from: &StoredLayer,
        steps: &Steps<W>,
        (to, pegs): (&Arc<ClassLayers>, usize),
        notes: impl Fn(&LayerCounts) -> Vec<u64>,
    ) -> Result<StoredLayer, PegError> {
        let (layout, whole, run) = (Arc::new(to.layout(pegs)), from.span(), self.run);
        let memory = (from.words, 1);
        self.make(
            name,
            (to, &layout),
            memory,
            |store, span, target, window| {
                let is_first = span.heads.start == 0;
                let tally = if is_first { Tally::Count } else { Tally::Skip };
                let mut counts = LayerCounts::default();
                let mut source = store.words(from);
                for window in whole.windows(window) {
                    let words = (&window, source.of(&window, run)?);
                    let of = &from.class_layers;
                    counts.add(&expand_into(of, words, steps, span, target, tally, run)?);
                }
                run.progress.worked(counts.jumps);
                Ok(is_first.then(|| notes(&counts)))
            },
        )
    }

    /// The positions of `from` with a step into `into`.
    ///
    /// # Errors
    /// As [`expand`](Self::expand).
    pub(crate) fn filter<const W: usize>(
        &mut self,
        name: Name<'_>,
        from: &StoredLayer,
        steps: &Steps<W>,
        into: &StoredLayer,
    ) -> Result<StoredLayer, PegError> {
        let (layout, whole, run) = (from.span().layout, into.span(), self.run);
        let of = &from.class_layers;
        let (mut candidates, memory) = (self.words(from), (into.words, 2));
        self.make(name, (of, &layout), memory, |store, span, kept, window| {
            let candidates = (span, candidates.of(span, run)?);
            let mut source = store.words(into);
            for window in whole.windows(window) {
                let set = (&window, source.of(&window, run)?);
                filter_into(of, candidates, steps, set, kept, run)?;
            }
            Ok(None)
        })
    }

    /// Calls `visit` with some heads of a layer after the other and their words.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::Stopped`], and those of `visit`.
    pub(crate) fn each_window(
        &self,
        layer: &StoredLayer,
        mut visit: impl FnMut(&Span, &[u64]) -> Result<(), PegError>,
    ) -> Result<(), PegError> {
        let files = || self.buffers(layer) + 8 * LEAST_WORDS as u64;
        let held = layer.memory.as_ref().map_or_else(files, |_| 0);
        let _held = self.run.ram.reserve(&self.disk.what, held)?;
        let mut source = self.words(layer);
        for window in layer.span().windows(LEAST_WORDS.min(self.most)) {
            visit(&window, source.of(&window, self.run)?)?;
        }
        Ok(())
    }
}

/// The name of a layer: what it is of and a number, most often of jumps.
type Name<'a> = (&'a str, usize);

fn numbered((name, number): Name<'_>) -> String {
    format!("{name}-{number:02}")
}
