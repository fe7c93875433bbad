//! A directory of tables.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use everymove_kernel::files::{Access, Disk, FileError, Storage};
use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::metric::{ILLEGAL, Metric, ZeroingMove};
use crate::position::geometry::squares;
use crate::position::index_space::{IndexSpace, Side};
use crate::position::material::{Half, Material};
use crate::position::subspace::Subspace;
use crate::store::block_cache::BlockCache;
use crate::store::folder_use::Scratch;
use crate::store::format::{BLOCK, Reader, file_name};
use crate::store::half_codes::{EncodedDistances, HalfView};
use crate::store::locate::Locations;

/// Bytes of blocks that are cached for single positions.
const CACHE: u64 = 64 << 20;

/// A directory of tables of one metric. Files are opened on first use.
#[derive(Debug)]
pub struct Tables {
    storage: Arc<dyn Storage>,
    folder: PathBuf,
    metric: Metric,
    readers: Mutex<HashMap<Material, Arc<Reader>>>,
    views: Mutex<HashMap<(Half, bool), Weak<HalfView>>>,
    spaces: Mutex<HashMap<Half, Arc<IndexSpace>>>,
    cache: Arc<BlockCache>,
    locations: Locations,
}

impl Tables {
    /// Returns the tables of a metric in a directory.
    pub fn new(folder: impl Into<PathBuf>, metric: Metric) -> Self {
        let folder = folder.into();
        Self::on(Arc::new(Disk::new(&folder)), folder, metric)
    }

    /// Returns the tables of a metric in any storage; `folder` is its name.
    pub(crate) fn on(storage: Arc<dyn Storage>, folder: PathBuf, metric: Metric) -> Self {
        Self {
            storage,
            folder,
            metric,
            readers: Mutex::default(),
            views: Mutex::default(),
            spaces: Mutex::default(),
            cache: Arc::new(BlockCache::new(CACHE)),
            locations: Locations::default(),
        }
    }

    /// Uses a cache of blocks that other tables use, too.
    pub(crate) fn share_cache(&mut self, cache: Arc<BlockCache>) {
        self.cache = cache;
    }

    /// Sets the bytes of the cache of blocks in which single positions are looked up: 64 MiB unless
    /// set. All threads share it.
    #[must_use]
    pub fn with_cache(mut self, bytes: u64) -> Self {
        self.cache = Arc::new(BlockCache::new(bytes));
        self
    }

    /// Drops what is cached of files: blocks, and decoders, which take half a megabyte for each
    /// section of rows.
    pub(crate) fn clear_cache(&self) {
        self.cache.clear();
    }

    /// Bytes that are cached of files.
    #[cfg(test)]
    pub(crate) fn cached_bytes(&self) -> u64 {
        self.cache.bytes()
    }

    /// Where the values of positions were found.
    pub(crate) fn locations(&self) -> &Locations {
        &self.locations
    }

    /// The storage.
    #[cfg(test)]
    pub(crate) fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// The scratch files of the build of an ending.
    pub(crate) fn scratch(&self, half: &Half) -> Arc<dyn Storage> {
        let name = file_name(&half.material(), self.metric);
        Arc::new(Scratch::new(&self.storage, name))
    }

    /// Returns the tables in the directory of a table file, and the ending of that file.
    ///
    /// # Errors
    /// [`TableError::File`] if the file is not a table, or its header or index is damaged.
    pub fn beside(file: &Path) -> Result<(Self, Material), TableError> {
        let folder = directory_of(file);
        let Some(name) = file.file_name().and_then(OsStr::to_str) else {
            return Err(TableError::wrong(file, "expected the name of a table file"));
        };
        let reader = Reader::open(&Disk::new(&folder), name, &Arc::new(BlockCache::new(0)))?;
        let tables = Self::new(folder, reader.metric);
        let (material, metric) = (reader.material.clone(), reader.metric);
        if tables.path(&material).file_name() != file.file_name() {
            let name = file_name(&material, metric);
            let what = format!("it holds {material}, so expected {name}");
            return Err(TableError::wrong(file, what));
        }
        Ok((tables, material))
    }

    /// The directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The metric of the distances.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Whether the table of an ending exists. Its contents are checked when they are read.
    pub fn has(&self, material: &Material) -> bool {
        let name = file_name(material, self.metric);
        // A directory can be opened, too.
        self.storage.open_at(&name, Access::Read).is_ok() && !self.path(material).is_dir()
    }

    /// Returns the path of the table of an ending, whether it exists or not.
    pub fn path(&self, material: &Material) -> PathBuf {
        self.folder.join(file_name(material, self.metric))
    }

    /// Removes the tables of some endings, as far as there are any; returns these.
    ///
    /// # Errors
    /// [`TableError::File`] if another process works in the directory, or a table cannot be
    /// removed.
    pub(crate) fn remove(&self, endings: &[Material]) -> Result<Vec<Material>, TableError> {
        let disk = Disk::exclusive(&self.folder)?;
        let existing = endings.iter().filter(|&material| self.has(material));
        let existing: Vec<_> = existing.cloned().collect();
        for material in &existing {
            disk.remove(&file_name(material, self.metric))?;
            lock(&self.readers).remove(material);
        }
        Ok(existing)
    }

    /// Opens the table of an ending.
    pub(crate) fn reader(&self, material: &Material) -> Result<Arc<Reader>, TableError> {
        if let Some(reader) = lock(&self.readers).get(material) {
            return Ok(reader.clone());
        }
        let path = self.path(material);
        let name = file_name(material, self.metric);
        let reader = match Reader::open(&*self.storage, &name, &self.cache) {
            Err(error) if error.is_not_found() => {
                return Err(TableError::Missing {
                    name,
                    folder: self.folder.display().to_string(),
                    material: material.to_string(),
                });
            }
            other => Arc::new(other?),
        };
        if reader.material != *material || reader.metric != self.metric {
            let what = format!("it holds {}.{}", reader.material, reader.metric);
            return Err(TableError::wrong(&path, what));
        }
        lock(&self.readers).insert(material.clone(), reader.clone());
        Ok(reader)
    }

    /// Returns the plies of the longest win of either side to move, 0 if there is none.
    ///
    /// # Errors
    /// [`TableError`] if the table is missing, or its header or index is damaged.
    pub fn longest_win(&self, material: &Material) -> Result<u16, TableError> {
        let reader = self.reader(material)?;
        let attackers = (0..reader.sections()).step_by(self.metric.sections_of_half());
        let codes = attackers.map(|section| reader.max_code(section));
        let longest = codes.max().filter(|&code| code > 0);
        Ok(longest.map_or(0, |code| self.metric.win_plies(code)))
    }

    /// Reads every block of a table and compares its checksum; returns the number of blocks.
    ///
    /// # Errors
    /// [`TableError::File`] with the file and the first damaged block.
    pub fn scrub(&self, material: &Material, run: &Run) -> Result<u64, TableError> {
        let reader = self.reader(material)?;
        let mut blocks = Vec::new();
        for section in 0..reader.sections() {
            blocks.extend((0..reader.blocks(section)).map(|block| (section, block)));
        }
        run.progress
            .start(format!("scrubbing {material}"), blocks.len() as u64);
        let read = |(): &mut (), &(section, block): &(usize, usize)| {
            run.progress.advance(1);
            reader.block(section, block)?;
            Ok::<_, TableError>(())
        };
        parallel::try_for_each(run, &blocks, || (), read)?;
        Ok(blocks.len() as u64)
    }

    /// Returns the index space of a half.
    pub(crate) fn space(&self, half: &Half) -> Arc<IndexSpace> {
        let mut spaces = lock(&self.spaces);
        let space = spaces
            .entry(half.clone())
            .or_insert_with(|| Arc::new(IndexSpace::new(half)));
        space.clone()
    }

    /// Loads one side to move of a half without pawns into memory.
    pub(crate) fn view(
        &self,
        half: &Half,
        to_move: Side,
        run: &Run,
    ) -> Result<Arc<HalfView>, TableError> {
        let key = (half.clone(), to_move == Side::Attacker);
        if let Some(view) = lock(&self.views).get(&key).and_then(Weak::upgrade) {
            return Ok(view);
        }
        let space = self.space(half);
        let mut codes = self.codes(half, to_move, run)?;
        if to_move == Side::Attacker {
            mark_illegal(&Subspace::new(space.clone(), None), 0, &mut codes);
        }
        let view = Arc::new(HalfView {
            space,
            codes: EncodedDistances::Whole(Arc::new(codes)),
        });
        lock(&self.views).insert(key, Arc::downgrade(&view));
        Ok(view)
    }

    /// Loads all encoded distances of a half with one side to move; 0 where nothing is forced or
    /// the position is illegal.
    pub(crate) fn codes(
        &self,
        half: &Half,
        to_move: Side,
        run: &Run,
    ) -> Result<Vec<u8>, TableError> {
        let (reader, section) = self.byte_section(half, to_move)?;
        let mut codes = vec![0u8; self.space(half).len()];
        let mut parts = codes.chunks_mut(BLOCK);
        let read = |(): &mut (), block| Ok::<_, TableError>(reader.block(section, block)?);
        let narrow = |block: Vec<u16>| {
            for (to, code) in parts.next().into_iter().flatten().zip(block) {
                *to = code as u8;
            }
            Ok(())
        };
        parallel::try_in_order(run, 0..reader.blocks(section), 64, || (), read, narrow)?;
        Ok(codes)
    }

    /// Loads slices of a half with pawns, in the order of `wanted`, which must ascend.
    pub(crate) fn slices(
        &self,
        half: &Half,
        to_move: Side,
        wanted: &[usize],
        run: &Run,
    ) -> Result<Vec<Vec<u8>>, TableError> {
        let space = self.space(half);
        let (reader, section) = self.byte_section(half, to_move)?;
        let length = space.slice_len();
        let blocks_of =
            |slice: usize| slice * length / BLOCK..((slice + 1) * length).div_ceil(BLOCK);
        // Slices that share blocks are loaded together.
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &slice in wanted {
            match groups.last_mut() {
                Some(group) if blocks_of(group[0]).contains(&blocks_of(slice).start) => {
                    group.push(slice);
                }
                _ => groups.push(vec![slice]),
            }
        }
        let load = |(): &mut (), group: &Vec<usize>| {
            let blocks = blocks_of(group[0]);
            let mut loaded = vec![Vec::with_capacity(length); group.len()];
            for number in blocks {
                let block = reader.block(section, number)?;
                for (&slice, codes) in group.iter().zip(&mut loaded) {
                    let from = (slice * length).max(number * BLOCK);
                    let to = ((slice + 1) * length).min((number + 1) * BLOCK);
                    let part = &block[from - number * BLOCK..to - number * BLOCK];
                    codes.extend(part.iter().map(|&code| code as u8));
                }
            }
            if to_move == Side::Attacker {
                for (&slice, codes) in group.iter().zip(&mut loaded) {
                    mark_illegal(&Subspace::new(space.clone(), Some(slice)), 0, codes);
                }
            }
            Ok::<_, TableError>(loaded)
        };
        let loaded = parallel::try_map(run, &groups, || (), load)?;
        Ok(loaded.into_iter().flatten().collect())
    }

    /// Returns the file and section of a half with a side to move, whose codes, and those of the
    /// positions before them, take a byte beside the mark of illegal positions.
    pub(crate) fn byte_section(
        &self,
        half: &Half,
        to_move: Side,
    ) -> Result<(Arc<Reader>, usize), TableError> {
        let (reader, section) = self.section(half, to_move)?;
        if reader.max_code(section) > self.metric.largest_code_after(ZeroingMove::Conversion) {
            return Err(TableError::TooDeep {
                half: half.to_string(),
            });
        }
        Ok((reader, section))
    }

    /// Returns the file and section of a half with a side to move.
    pub(crate) fn section(
        &self,
        half: &Half,
        to_move: Side,
    ) -> Result<(Arc<Reader>, usize), TableError> {
        let material = half.material();
        let reader = self.reader(&material)?;
        let number = material
            .halves()
            .iter()
            .position(|h| h == half)
            .unwrap_or(0);
        let section =
            self.metric.sections_of_half() * number + usize::from(to_move == Side::Defender);
        let positions = self.space(half).len() as u64;
        if reader.positions(section) != positions {
            let found = reader.positions(section);
            let what = format!("it has {found} numbers of {half}, which has {positions}");
            return Err(TableError::wrong(&self.path(&material), what));
        }
        Ok((reader, section))
    }
}

/// The directory of a file.
pub(crate) fn directory_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Returns the endings of which a directory has tables, by the names of its files; `kind` has the
/// kinds of tables by extension.
///
/// # Errors
/// [`TableError::File`] if it cannot be listed.
pub(crate) fn tables_in<T>(
    folder: &Path,
    kind: impl Fn(&str) -> Option<T>,
) -> Result<Vec<(Material, T)>, TableError> {
    let error = |e| FileError::io("list", folder.display().to_string(), e);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let name = entry.map_err(error)?.file_name();
        if let Some((stem, extension)) = name.to_str().and_then(|name| name.split_once('.'))
            && let Some(kind) = kind(extension)
            && let Ok(material) = stem.parse::<Material>()
            // A name that has the sides in the other order is not looked for.
            && material.to_string() == stem
        {
            found.push((material, kind));
        }
    }
    Ok(found)
}

/// Sets the positions of a subspace, attacker to move, in which the defender's king could be
/// captured, to [`ILLEGAL`]; `codes` are those of the words from `first` on.
pub(crate) fn mark_illegal(subspace: &Subspace, first: usize, codes: &mut [u8]) {
    for (word, codes) in (first..).zip(codes.as_chunks_mut::<64>().0) {
        if let Some(placed) = subspace.placement(word) {
            let attacked = subspace.king_attacked(&placed, Side::Defender);
            for square in squares(attacked & !placed.occupied) {
                codes[usize::from(square)] = ILLEGAL;
            }
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
