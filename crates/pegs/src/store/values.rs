//! The numbers of the positions of layers, in memory or in files.

use std::sync::Arc;
use std::time::Instant;

use everymove_kernel::run::Reservation;

use crate::error::PegError;
use crate::forecast::LEAST_VALUES;
use crate::layers::Steps;
use crate::layers::layout::{Span, ones};
use crate::layers::values::{LayerValues, Recurrence, ValueWindow, add_successors};
use crate::store::file::Row;
use crate::store::folder::LayersIn;
use crate::store::parts::FileParts;
use crate::store::{Name, Store, StoredLayer, numbered};

/// The numbers of the positions of a layer, in memory or in files.
pub(crate) struct StoredValues<T> {
    pub(crate) memory: Option<LayerValues<T>>,
    pub(crate) parts: FileParts,
}

/// The numbers of the positions of layers.
impl Store<'_> {
    /// The numbers, under a name and number, of the positions of a layer, by `rule` from those of
    /// the layer below. `note` takes numbers into the notes, which begin as given.
    ///
    /// # Errors
    /// As [`expand`](Self::expand).
    pub(crate) fn values<const W: usize, R: Recurrence<Value: Row>>(
        &mut self,
        name: Name<'_>,
        layer: &StoredLayer,
        steps: &Steps<W>,
        below: Option<(&StoredLayer, &StoredValues<R::Value>)>,
        rule: &R,
        (notes, note): (Vec<u64>, impl Fn(&mut [u64], &[R::Value])),
    ) -> Result<StoredValues<R::Value>, PegError> {
        let run = self.run;
        let (layout, class_layers) = (layer.span().layout, &layer.class_layers);
        let mut found = self.open_values(name, layer)?;
        let mut notes = match found.parts.end() {
            0 => notes,
            _ => found.parts.notes.clone(),
        };
        let begun = Instant::now();
        let windows = self.value_windows(layer, size_of::<R::Value>())?;
        while found.memory.is_none() && found.parts.end() < layout.heads() {
            let span = Span {
                heads: layout.heads_within(found.parts.end(), windows.words),
                layout: Arc::clone(&layout),
            };
            let mut source = self.words(layer);
            let bits = source.of(&span, run)?;
            let span = with_positions(&span, bits, windows.values);
            let bits = &bits[..span.words()];
            let mut numbers = LayerValues::new(bits, &run.ram)?;
            let mut add = |below: Option<ValueWindow<'_, R::Value>>| {
                let from = (&span, bits);
                add_successors(class_layers, from, &mut numbers, steps, below, rule, run)
            };
            match below {
                None => add(None)?,
                Some((below, successors)) => {
                    self.each_value_window(below, successors, &windows, add)?;
                }
            }
            note(&mut notes, &numbers.values);
            let positions = numbers.values.len() as u64;
            let made = (&numbers.values[..], positions, notes.clone());
            self.keep(&mut found.parts, &span, made, begun)?;
            if self.layers_in == LayersIn::Memory {
                found.memory = Some(numbers);
            }
        }
        Ok(found)
    }

    /// Calls `visit` with some heads of a layer after the other, their words and the numbers of
    /// their positions.
    fn each_value_window<T: Row + Default>(
        &self,
        layer: &StoredLayer,
        numbers: &StoredValues<T>,
        windows: &ValueWindows,
        mut visit: impl FnMut(Option<ValueWindow<'_, T>>) -> Result<(), PegError>,
    ) -> Result<(), PegError> {
        let whole = layer.span();
        let mut source = self.words(layer);
        if let Some(numbers) = &numbers.memory {
            return visit(Some((&whole, source.of(&whole, self.run)?, numbers, true)));
        }
        let mut rows = self.rows(&numbers.parts);
        let mut first = 0;
        for mut window in whole.windows(windows.words) {
            let mut words = source.of(&window, self.run)?;
            while !window.heads.is_empty() {
                let span = with_positions(&window, words, windows.values);
                let (now, later) = words.split_at(span.words());
                let mut numbers = LayerValues::new(now, &self.run.ram)?;
                rows.read(first, &mut numbers.values, self.run)?;
                first += numbers.values.len();
                let is_last = span.heads.end == whole.heads.end;
                visit(Some((&span, now, &numbers, is_last)))?;
                window.heads.start = span.heads.end;
                words = later;
            }
        }
        Ok(())
    }

    /// Takes the memory that is left for passes over numbers of `bytes` bytes: what is computed,
    /// and what it is computed from.
    fn value_windows(&self, layer: &StoredLayer, bytes: usize) -> Result<ValueWindows, PegError> {
        let (mut words, mut values, mut held) = (usize::MAX, usize::MAX, 0);
        if self.layers_in == LayersIn::Files {
            let other = self.buffers(layer);
            let left = self.run.ram.left().saturating_sub(other);
            let left = usize::try_from(left).unwrap_or(usize::MAX);
            // Of each of the two, the words, with the ordinals of their positions, have an eighth
            // and the numbers the rest.
            words = (left / 8 / 12).min(self.most);
            values = (left / 8 * 3 / bytes).max(LEAST_VALUES).min(self.most);
            held = other + 2 * 8 * words as u64;
        }
        Ok(ValueWindows {
            words,
            values,
            _held: self.run.ram.reserve(&self.disk.what, held)?,
        })
    }

    /// The numbers with a name and a number of the positions of a layer, if all of them are in
    /// files.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub(crate) fn find_values<T: Row + Default>(
        &mut self,
        name: Name<'_>,
        layer: &StoredLayer,
    ) -> Result<Option<StoredValues<T>>, PegError> {
        let found = self.open_values(name, layer)?;
        let heads = layer.class_layers.split().heads().len();
        Ok(Some(found).filter(|found| found.parts.end() == heads))
    }

    fn open_values<T: Row + Default>(
        &mut self,
        name: Name<'_>,
        layer: &StoredLayer,
    ) -> Result<StoredValues<T>, PegError> {
        let (run, span, name) = (self.run, layer.span(), numbered(name));
        let mut memory: Option<LayerValues<T>> = None;
        let mut sum = 0u64;
        let parts = self.open_parts(&name, span.layout.heads(), |reader, heads| {
            let positions = reader.header.positions;
            sum = sum.saturating_add(positions);
            if sum > layer.positions()
                || (heads.end == span.layout.heads() && sum < layer.positions())
            {
                return Ok(None);
            }
            match &layer.memory {
                None => reader.skip(positions * T::BYTES as u64, run)?,
                Some(layer) => {
                    let numbers = match &mut memory {
                        Some(numbers) => numbers,
                        empty => empty.insert(LayerValues::new(&layer.words, &run.ram)?),
                    };
                    let before = |head| numbers.ordinals.before(span.start(head));
                    let of = before(heads.start)..before(heads.end);
                    if of.len() as u64 != positions {
                        return Ok(None);
                    }
                    reader.read(&mut numbers.values[of], run)?;
                }
            }
            Ok(Some((positions as usize, positions)))
        })?;
        Ok(StoredValues {
            memory: memory.filter(|_| !parts.parts.is_empty()),
            parts,
        })
    }

    /// The number of the first position.
    ///
    /// # Errors
    /// [`PegError::File`], [`PegError::Stopped`].
    pub(crate) fn first_value<T: Row + Default>(
        &self,
        numbers: &StoredValues<T>,
    ) -> Result<T, PegError> {
        let mut first = [T::default()];
        match &numbers.memory {
            Some(numbers) => first[0] = numbers.values.first().copied().unwrap_or_default(),
            None if numbers.parts.positions == 0 => {}
            None => self.rows(&numbers.parts).read(0, &mut first, self.run)?,
        }
        Ok(first[0])
    }
}

/// How much of the numbers of layers in files is in memory at a time.
struct ValueWindows {
    words: usize,
    values: usize,
    _held: Reservation,
}

/// The first heads of a span, whose words are given: as many as have at most `most` positions, but
/// at least one.
fn with_positions(span: &Span, words: &[u64], most: usize) -> Span {
    let mut heads = span.heads.start..span.heads.start;
    let mut positions = 0;
    for id in span.heads.clone() {
        positions += ones(&words[span.range(id)]) as usize;
        if positions > most && !heads.is_empty() {
            break;
        }
        heads.end = id + 1;
    }
    Span {
        heads,
        layout: Arc::clone(&span.layout),
    }
}
