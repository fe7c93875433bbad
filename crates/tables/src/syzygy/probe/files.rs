//! Folders of Syzygy files.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use everymove_kernel::files::FileError;
use shakmaty::{Chess, Color};

use super::pieces::Pieces;
use super::search::{Interrupted, OpenFiles, Search};
use crate::error::TableError;
use crate::position::board::require_no_castling;
use crate::position::material::{Army, MAX_PIECES, Material};
use crate::store::directory::lock;
use crate::syzygy::error::SyzygyError;
use crate::syzygy::file::parse::{Contents, SyzygyFile, file_name};

/// A folder of Syzygy files, or several that are searched in order; each file is opened on first use.
#[derive(Debug)]
pub struct SyzygyFolder {
    /// At least one.
    folders: Vec<PathBuf>,
    files: Mutex<HashMap<(Material, Contents), Arc<SyzygyFile>>>,
    open: RwLock<OpenFiles>,
}

/// The file of some pieces.
#[derive(Debug)]
pub(super) struct LocatedFile {
    pub(super) file: Arc<SyzygyFile>,
    /// Whether the file's white pieces are the position's white ones.
    pub(super) as_white: bool,
    /// Whether both sides have the same pieces.
    pub(super) is_symmetric: bool,
}

impl SyzygyFolder {
    /// The files of a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::several(folder.into(), [])
    }

    /// The files of a folder and of others: where several have a file, the first of them.
    pub fn several(first: PathBuf, others: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut folders = vec![first];
        folders.extend(others);
        Self {
            folders,
            files: Mutex::default(),
            open: RwLock::default(),
        }
    }

    /// The path of an ending's file, whether it exists or not.
    pub fn path(&self, material: &Material, contents: Contents) -> PathBuf {
        let name = file_name(material, contents);
        let mut paths = self.folders.iter().map(|folder| folder.join(&name));
        let found = match self.folders.len() {
            1 => None,
            _ => paths.find(|path| path.is_file()),
        };
        found.unwrap_or_else(|| self.folders[0].join(name))
    }

    /// The file of an ending, its checksum compared on first use.
    ///
    /// # Errors
    /// [`TableError`] if it is missing or damaged; its blocks are not decoded.
    pub fn file(
        &self,
        material: &Material,
        contents: Contents,
    ) -> Result<Arc<SyzygyFile>, TableError> {
        let key = (material.clone(), contents);
        if let Some(file) = lock(&self.files).get(&key) {
            return Ok(file.clone());
        }
        let (file, mut source, path) = self.open_file(material, contents)?;
        let compared = file.compare_sum(&mut source, || true);
        if compared.map_err(|e| cannot_read(&path, e))? != Some(true) {
            return Err(SyzygyError::Checksum.in_file(&path).into());
        }
        let file = Arc::new(file);
        lock(&self.files).insert(key, file.clone());
        Ok(file)
    }

    /// The file of an ending, its name and structure checked, but not its checksum; with the file to read that from.
    pub(super) fn open_file(
        &self,
        material: &Material,
        contents: Contents,
    ) -> Result<(SyzygyFile, File, PathBuf), TableError> {
        let path = self.path(material, contents);
        let (file, source) = match SyzygyFile::open_with_source(&path) {
            Err(error) if error.is_not_found() => {
                return Err(TableError::Missing {
                    name: file_name(material, contents),
                    folder: names(&self.folders),
                    material: format!("{material} --syzygy"),
                });
            }
            other => other?,
        };
        if file.material != *material || file.contents != contents {
            return Err(TableError::Wrong {
                path: path.display().to_string(),
                what: format!("it holds {}", file_name(&file.material, file.contents)),
            });
        }
        Ok((file, source, path))
    }

    /// Uses a file that is in memory in place of that of the folder. Its checksum is not compared.
    pub fn insert(&self, file: SyzygyFile) {
        let key = (file.material.clone(), file.contents);
        let _ = file.sound.set(true);
        lock(&self.files).insert(key, Arc::new(file));
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        *open = OpenFiles::default();
    }

    /// Whether both files of an ending exist. They are not opened.
    pub fn has(&self, material: &Material) -> bool {
        [Contents::Wdl, Contents::Dtz]
            .iter()
            .all(|&contents| self.path(material, contents).is_file())
    }

    /// Whether a file of an ending exists.
    pub(crate) fn has_any(&self, material: &Material) -> bool {
        [Contents::Wdl, Contents::Dtz]
            .iter()
            .any(|&contents| self.path(material, contents).is_file())
    }

    /// Returns what `search` finds of a position; opens files that it needs, and searches again.
    pub(super) fn search<T>(
        &self,
        position: &Chess,
        search: impl Fn(Search<'_>, &Pieces) -> Result<T, Interrupted>,
    ) -> Result<T, TableError> {
        require_no_castling(position)?;
        let pieces = Pieces::new(position);
        loop {
            let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
            match search(Search(&open), &pieces) {
                Ok(found) => return Ok(found),
                Err(Interrupted::Failed(error)) => return Err(*error),
                Err(Interrupted::NotOpen(needed)) => {
                    drop(open);
                    let (pieces, contents) = *needed;
                    self.open(&pieces, contents)?;
                }
                Err(Interrupted::BeingChecked | Interrupted::Unusable) => {
                    unreachable!("a folder keeps only files that it has checked")
                }
            }
        }
    }

    fn open(&self, pieces: &Pieces, contents: Contents) -> Result<(), TableError> {
        require_few_pieces(pieces)?;
        let file = self.file(&pieces.material(), contents)?;
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open[contents as usize].insert(pieces.key(), Some(LocatedFile::of(file, pieces)));
        Ok(())
    }
}

impl LocatedFile {
    /// The file of some pieces.
    pub(super) fn of(file: Arc<SyzygyFile>, pieces: &Pieces) -> Self {
        let white = file.subs[0][0].piece_order.pieces.iter();
        let white = Army::new(white.filter(|p| !p.black).map(|p| p.kind));
        Self {
            as_white: pieces.army(Color::White) == white,
            is_symmetric: file.material.is_symmetric(),
            file,
        }
    }
}

/// Refuses more pieces than files are made for.
pub(super) fn require_few_pieces(pieces: &Pieces) -> Result<(), TableError> {
    let count = pieces.count();
    if count > MAX_PIECES {
        return Err(TableError::Position(format!(
            "the position has {count} pieces, but tables are for 3 to {MAX_PIECES}"
        )));
    }
    Ok(())
}

pub(super) fn cannot_read(path: &Path, error: std::io::Error) -> TableError {
    FileError::io("read", path.display().to_string(), error).into()
}

fn names(folders: &[PathBuf]) -> String {
    let names: Vec<_> = folders.iter().map(|f| f.display().to_string()).collect();
    names.join(", ")
}
