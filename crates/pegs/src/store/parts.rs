//! What files hold of a layer, in one or more parts.

use std::ops::Range;
use std::time::Instant;

use everymove_kernel::files::{FileError, Storage, publish};
use everymove_kernel::run::Run;

use crate::error::PegError;
use crate::layers::layout::Span;
use crate::store::file::{Header, Reader, Row, Writer};
use crate::store::folder::{LayersIn, PART};
use crate::store::{Store, numbered};

/// A file with the rows of some heads of a layer.
#[derive(Clone, Debug)]
pub(super) struct FilePart {
    name: String,
    /// The end of its heads.
    end: usize,
    rows: usize,
}

/// What files hold of a layer: its bitmap, or the numbers of its positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileParts {
    /// The name of the layer with its number.
    pub(super) name: String,
    pub(super) parts: Vec<FilePart>,
    pub(crate) positions: u64,
    /// Numbers that belong to it.
    pub(crate) notes: Vec<u64>,
}

impl FileParts {
    fn named(layer: &str) -> Self {
        Self {
            name: layer.to_owned(),
            ..Self::default()
        }
    }

    /// The head after those of the parts.
    pub(super) fn end(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    /// An error for notes that make no sense.
    pub(crate) fn damaged(&self, storage: Option<&dyn Storage>, what: &str) -> PegError {
        let name = self.parts.last().map_or(&self.name, |part| &part.name);
        let path = storage.map_or_else(|| name.clone(), |storage| storage.display(name));
        let what = what.to_owned();
        FileError::Damaged { path, what }.into()
    }

    fn next_file(&self) -> String {
        format!("{}-{:010}{PART}", self.name, self.end())
    }
}

/// Reads the rows of a layer's files in ascending order.
pub(super) struct RowReader<'a> {
    storage: Option<&'a dyn Storage>,
    parts: &'a [FilePart],
    file: Option<Reader>,
    /// The row that comes next, and how many the open file has from it on.
    next: usize,
    left: usize,
}

impl RowReader<'_> {
    /// Reads the rows from number `first` on, which is not before the end of those read last.
    pub(super) fn read<T: Row>(
        &mut self,
        first: usize,
        rows: &mut [T],
        run: &Run,
    ) -> Result<(), PegError> {
        let mut rows = rows;
        while !rows.is_empty() {
            let Some(file) = self.file.as_mut().filter(|_| self.left > 0) else {
                let (Some((part, rest)), Some(storage)) = (self.parts.split_first(), self.storage)
                else {
                    panic!("a layer that is read is complete");
                };
                self.parts = rest;
                if first >= self.next + part.rows {
                    self.next += part.rows;
                } else {
                    self.file = Some(Reader::open(storage, &part.name)?);
                    self.left = part.rows;
                }
                continue;
            };
            let skipped = first.saturating_sub(self.next).min(self.left);
            file.skip((skipped * T::BYTES) as u64, run)?;
            let taken = (self.left - skipped).min(rows.len());
            let (now, later) = std::mem::take(&mut rows).split_at_mut(taken);
            file.read(now, run)?;
            rows = later;
            self.next += skipped + taken;
            self.left -= skipped + taken;
        }
        Ok(())
    }
}

impl<'a> Store<'a> {
    /// The files of parts: the layers they belong to, their first heads, and their names;
    /// ascending.
    pub(super) fn files(&self) -> Result<Vec<(String, usize, String)>, PegError> {
        let Some(storage) = self.storage else {
            return Ok(Vec::new());
        };
        let part = |file: String| {
            let (layer, head) = file.strip_suffix(PART)?.rsplit_once('-')?;
            Some((layer.to_owned(), head.parse().ok()?, file))
        };
        Ok(storage.list()?.into_iter().filter_map(part).collect())
    }

    /// The numbers of the layers with a name that are in files, whole or in part, ascending.
    pub(crate) fn layer_numbers(&self, name: &str) -> Result<Vec<usize>, PegError> {
        let number = |(layer, _, _): &(String, usize, String)| {
            layer.strip_prefix(name)?.strip_prefix('-')?.parse().ok()
        };
        let mut numbers: Vec<usize> = self.files()?.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }

    /// Removes the files of the layers with a name but of one.
    ///
    /// # Errors
    /// [`PegError::File`].
    pub(crate) fn keep_only(&mut self, name: &str, kept: usize) -> Result<(), PegError> {
        let numbers = self.layer_numbers(name)?;
        if !numbers.contains(&kept) {
            return Ok(());
        }
        for number in numbers.into_iter().filter(|&number| number != kept) {
            self.remove(&numbered((name, number)))?;
        }
        Ok(())
    }

    fn remove(&mut self, layer: &str) -> Result<(), PegError> {
        for (of, _, file) in self.files()? {
            if let Some(storage) = self.storage.filter(|_| of == layer) {
                self.remove_file(storage, &file)?;
            }
        }
        Ok(())
    }

    fn remove_file(&mut self, storage: &dyn Storage, file: &str) -> Result<(), PegError> {
        let size = storage.open(file)?.size().unwrap_or(0);
        storage.remove(file)?;
        self.disk.used = self.disk.used.saturating_sub(size);
        Ok(())
    }

    /// The parts of a layer with `heads` heads that are in files. `read` takes the rows of some
    /// heads and returns their number and that of the positions, `None` if they make no sense.
    /// Damaged parts are removed, and so are those after a gap.
    pub(super) fn open_parts(
        &mut self,
        layer: &str,
        heads: usize,
        mut read: impl FnMut(&mut Reader, Range<usize>) -> Result<Option<(usize, u64)>, PegError>,
    ) -> Result<FileParts, PegError> {
        let mut parts = FileParts::named(layer);
        for (of, _, file) in self.files()? {
            let Some(storage) = self.storage.filter(|_| of == layer) else {
                continue;
            };
            let is_next = file == parts.next_file();
            if !is_next || !self.open_part(&mut parts, storage, (&file, heads), &mut read)? {
                self.remove_file(storage, &file)?;
            }
        }
        // What is made in memory is made whole.
        if self.layers_in == LayersIn::Memory && parts.end() < heads && !parts.parts.is_empty() {
            self.remove(layer)?;
            parts = FileParts::named(layer);
        }
        Ok(parts)
    }

    /// Adds the next part of a layer; false if its file is damaged.
    fn open_part(
        &self,
        parts: &mut FileParts,
        storage: &dyn Storage,
        (file, heads): (&str, usize),
        read: &mut impl FnMut(&mut Reader, Range<usize>) -> Result<Option<(usize, u64)>, PegError>,
    ) -> Result<bool, PegError> {
        let mut open = || {
            let mut reader = Reader::open_as(storage, file, &parts.name, &self.identity)?;
            let own = reader.header.heads.clone();
            if own.start != parts.end() || own.is_empty() || own.end > heads {
                return Err(reader.damaged("its heads make no sense").into());
            }
            let counted = read(&mut reader, own.clone())?;
            let rows = counted.filter(|&(_, positions)| positions == reader.header.positions);
            let Some((rows, positions)) = rows else {
                return Err(reader.damaged("its positions make no sense").into());
            };
            let notes = std::mem::take(&mut reader.header.notes);
            reader.finish()?;
            Ok((own.end, rows, positions, notes))
        };
        let (end, rows, positions, notes) = match open() {
            Ok(opened) => opened,
            Err(PegError::File(
                FileError::Damaged { .. } | FileError::Foreign { .. } | FileError::Version { .. },
            )) => return Ok(false),
            Err(error) => return Err(error),
        };
        let name = file.to_owned();
        parts.parts.push(FilePart { name, end, rows });
        parts.positions += positions;
        parts.notes = notes;
        Ok(true)
    }

    /// Writes the rows of a span as the next part of a layer, if layers are in files, or in memory
    /// and what was begun then took long; takes over positions and notes.
    pub(super) fn keep<T: Row>(
        &mut self,
        parts: &mut FileParts,
        span: &Span,
        (rows, positions, notes): (&[T], u64, Vec<u64>),
        begun: Instant,
    ) -> Result<(), PegError> {
        let is_kept = self.layers_in == LayersIn::Files || begun.elapsed() >= self.worth;
        if let Some(storage) = self.storage.filter(|_| is_kept) {
            let header = Header {
                content: parts.name.clone(),
                identity: self.identity.clone(),
                heads: span.heads.clone(),
                positions,
                notes: notes.clone(),
            };
            let name = parts.next_file();
            self.disk.used += publish(storage, &name, |draft| {
                let mut writer = Writer::new(draft, &header, Some(&self.disk))?;
                writer.write(rows, self.run)?;
                writer.finish()?;
                Ok::<_, PegError>(draft.length())
            })?;
            let (end, rows) = (span.heads.end, rows.len());
            parts.parts.push(FilePart { name, end, rows });
        }
        parts.positions += positions;
        parts.notes = notes;
        Ok(())
    }

    pub(super) fn rows<'l>(&self, parts: &'l FileParts) -> RowReader<'l>
    where
        'a: 'l,
    {
        RowReader {
            storage: self.storage,
            parts: &parts.parts,
            file: None,
            next: 0,
            left: 0,
        }
    }
}
