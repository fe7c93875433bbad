//! Folders of Syzygy files.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use everymove_kernel::files::FileError;
use rustc_hash::FxHashMap;
use shakmaty::Chess;

use super::pieces::Pieces;
use super::search::{Interrupted, Search, Searched};
use crate::error::TableError;
use crate::position::board::require_no_castling;
use crate::position::material::{Army, MAX_PIECES, Material};
use crate::store::directory::{lock, tables_in};
use crate::store::locate::{material_key, material_of_key};
use crate::syzygy::error::SyzygyError;
use crate::syzygy::file::parse::{Contents, SyzygyFile, file_name};

/// The checksum of a larger file takes more than some hundredths of a second to compare.
const COMPARED_AT_ONCE: u64 = 16 << 20;

/// How long a probe sleeps before it asks again for a file that is being checked.
const NAP: Duration = Duration::from_millis(2);

/// Whether a probe waits for a file whose checksum is being compared.
pub type Patience<'a> = &'a (dyn Fn() -> bool + 'a);

/// Faults of table files, each of which is reported once.
#[derive(Debug, Default)]
pub struct Faults {
    known: Mutex<(BTreeSet<String>, Vec<String>)>,
}

impl Faults {
    /// Keeps an error, unless it only says that there is no table for a position.
    pub(crate) fn note(&self, error: &TableError) {
        if !error.is_missing() {
            let (known, new) = &mut *lock(&self.known);
            let line = error.to_string();
            if known.insert(line.clone()) {
                new.push(line);
            }
        }
    }

    /// The faults that were not taken before, one line each, with the name of the file.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.known).1)
    }
}

/// The Syzygy files that some folders have when it is opened. Where several have a file, that of
/// the first is used.
///
/// A file is opened, and its structure checked, when the first position needs it. Then its whole
/// checksum is compared, and the file is not used before: so no value comes from a file that is not
/// as it was written. All threads may look positions up; to look into files that are open takes no
/// lock.
#[derive(Debug)]
pub struct SyzygyFolder {
    folders: Vec<PathBuf>,
    endings: Vec<Ending>,
    /// By the pieces of a board: the number of its ending, and whether White has the pieces that
    /// the ending's name has second.
    by_pieces: FxHashMap<u64, (u32, bool)>,
    most_pieces: usize,
    /// The bytes of the largest file whose checksum is compared at once, where a probe may have no
    /// patience.
    at_once: u64,
    faults: Arc<Faults>,
    /// To the thread that compares the checksums of large files, once there are any.
    checks: Mutex<Option<Sender<Check>>>,
    dropped: Arc<AtomicBool>,
}

/// An ending and its files, by [`Contents`].
#[derive(Debug)]
struct Ending {
    material: Material,
    files: [FileOfEnding; 2],
}

#[derive(Debug, Default)]
struct FileOfEnding {
    path: Option<PathBuf>,
    /// The file after its first use; none where it cannot be used.
    opened: OnceLock<Option<OpenFile>>,
}

#[derive(Debug)]
struct OpenFile {
    file: Arc<SyzygyFile>,
    /// Whether the file's white pieces are those that the ending's name has first.
    in_order: bool,
    /// Whether both sides have the same pieces.
    is_symmetric: bool,
}

/// The file of some pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedFile<'a> {
    pub(super) file: &'a Arc<SyzygyFile>,
    /// Whether the file's white pieces are the position's white ones.
    pub(super) as_white: bool,
    /// Whether both sides have the same pieces.
    pub(super) is_symmetric: bool,
}

/// A file whose checksum is to be compared.
struct Check {
    file: Arc<SyzygyFile>,
    source: File,
    path: PathBuf,
}

impl SyzygyFolder {
    /// The files of a folder; none where it cannot be listed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::open(&[folder.into()]).0
    }

    /// The files of some folders, and the errors of folders that cannot be listed or have none.
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> (Self, Vec<TableError>) {
        let folders = folders.iter().map(|folder| folder.as_ref().to_owned());
        let mut opened = Self {
            folders: folders.collect(),
            endings: Vec::new(),
            by_pieces: FxHashMap::default(),
            most_pieces: 0,
            at_once: COMPARED_AT_ONCE,
            faults: Arc::default(),
            checks: Mutex::default(),
            dropped: Arc::default(),
        };
        let mut errors = Vec::new();
        for folder in opened.folders.clone() {
            match tables_in(&folder, Contents::of_extension) {
                Ok(found) if found.is_empty() => errors.push(TableError::NoTables {
                    folder: folder.display().to_string(),
                    expected: ".rtbw or .rtbz",
                }),
                Ok(found) => found.iter().for_each(|(material, contents)| {
                    let path = folder.join(file_name(material, *contents));
                    opened.slot(material, *contents).path.get_or_insert(path);
                }),
                Err(error) => errors.push(error),
            }
        }
        let with_wdl = opened.endings.iter().filter(|e| e.files[0].path.is_some());
        let pieces = with_wdl.map(|ending| ending.material.piece_count());
        opened.most_pieces = pieces.max().unwrap_or(0);
        (opened, errors)
    }

    /// The place of a file.
    fn slot(&mut self, material: &Material, contents: Contents) -> &mut FileOfEnding {
        let (white, black) = (material.white(), material.black());
        let number = self.endings.len() as u32;
        let key = material_key(white, black);
        let (number, _) = *self.by_pieces.entry(key).or_insert((number, false));
        self.by_pieces
            .entry(material_key(black, white))
            .or_insert((number, true));
        if self.endings.len() == number as usize {
            self.endings.push(Ending {
                material: material.clone(),
                files: Default::default(),
            });
        }
        &mut self.endings[number as usize].files[contents as usize]
    }

    /// The most pieces of a file of win, draw or loss, kings included; 0 if there is none.
    pub fn most_pieces(&self) -> usize {
        self.most_pieces
    }

    /// What is wrong with files that were needed.
    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The path of an ending's file, whether it exists or not.
    pub(crate) fn path(&self, material: &Material, contents: Contents) -> PathBuf {
        let ending = self.ending(material);
        let path = ending.and_then(|ending| ending.files[contents as usize].path.clone());
        path.unwrap_or_else(|| {
            let folder = self.folders.first().map_or(Path::new(""), PathBuf::as_path);
            folder.join(file_name(material, contents))
        })
    }

    /// Whether a file of an ending exists.
    pub(crate) fn has(&self, material: &Material, contents: Contents) -> bool {
        let ending = self.ending(material);
        ending.is_some_and(|ending| ending.files[contents as usize].path.is_some())
    }

    fn ending(&self, material: &Material) -> Option<&Ending> {
        let key = material_key(material.white(), material.black());
        let (number, _) = self.by_pieces.get(&key)?;
        self.endings.get(*number as usize)
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
        let key = material_key(material.white(), material.black());
        let found = self.located(key, contents, None);
        let found = found.map_err(|interrupted| self.error(interrupted))?;
        Ok(found.file.clone())
    }

    /// Uses a file that is in memory in place of that of the folder. Its checksum is not compared.
    pub fn insert(&mut self, file: SyzygyFile) {
        let (material, contents) = (file.material.clone(), file.contents);
        let _ = file.sound.set(true);
        let slot = self.slot(&material, contents);
        slot.opened = OnceLock::from(Some(OpenFile::new(file, &material)));
    }

    /// Returns what `search` finds of a position; without patience it waits for files that are
    /// being checked.
    #[inline]
    pub(super) fn search<'a, T>(
        &'a self,
        position: &Chess,
        patience: Option<Patience<'a>>,
        search: impl Fn(Search<'a>, &Pieces) -> Searched<T>,
    ) -> Searched<T> {
        require_no_castling(position)?;
        let folder = self;
        search(Search { folder, patience }, &Pieces::new(position))
    }

    /// The file of some pieces, opened on first use.
    #[inline]
    pub(super) fn located(
        &self,
        key: u64,
        contents: Contents,
        patience: Option<Patience<'_>>,
    ) -> Searched<LocatedFile<'_>> {
        let unusable = Interrupted::Unusable { key, contents };
        let Some(&(number, swapped)) = self.by_pieces.get(&key) else {
            return Err(unusable);
        };
        let ending = &self.endings[number as usize];
        let opened = &ending.files[contents as usize].opened;
        let opened = match opened.get() {
            Some(opened) => opened,
            // Another thread that needs the file waits: it would read it, too.
            None => opened.get_or_init(|| self.open_file(ending, contents, patience)),
        };
        let Some(opened) = opened else {
            return Err(unusable);
        };
        let file = &opened.file;
        while file.sound.get().is_none() {
            if patience.is_some_and(|goes_on| !goes_on()) {
                return Err(Interrupted::BeingChecked);
            }
            std::thread::sleep(NAP);
        }
        match file.sound.get() {
            Some(true) => Ok(LocatedFile {
                file,
                as_white: opened.in_order != swapped,
                is_symmetric: opened.is_symmetric,
            }),
            _ => Err(unusable),
        }
    }

    /// Opens a file that may be needed; none where it is missing or damaged. Its checksum may not
    /// be compared yet.
    #[cold]
    fn open_file(
        &self,
        ending: &Ending,
        contents: Contents,
        patience: Option<Patience<'_>>,
    ) -> Option<OpenFile> {
        ending.files[contents as usize].path.as_ref()?;
        let opened = self.load(&ending.material, contents).and_then(|check| {
            let file = check.file.clone();
            if patience.is_none() || file.bytes() <= self.at_once {
                check.run(|| true)?;
            } else if let Err(here) = self.check_later(check) {
                here.run(|| true)?;
            }
            Ok(OpenFile::new(file, &ending.material))
        });
        opened.inspect_err(|error| self.faults.note(error)).ok()
    }

    /// Reads a file, and checks its name and structure.
    fn load(&self, material: &Material, contents: Contents) -> Result<Check, TableError> {
        let path = self.path(material, contents);
        let (file, source) = match SyzygyFile::open_with_source(&path) {
            Err(error) if error.is_not_found() => return Err(self.missing(material, contents)),
            other => other?,
        };
        if file.material != *material || file.contents != contents {
            let name = file_name(&file.material, file.contents);
            return Err(TableError::wrong(&path, format!("it holds {name}")));
        }
        let file = Arc::new(file);
        Ok(Check { file, source, path })
    }

    /// Passes a check to the thread for it; returns it where the system refuses that thread.
    fn check_later(&self, check: Check) -> Result<(), Check> {
        let mut checks = lock(&self.checks);
        if checks.is_none() {
            let (sender, receiver) = channel();
            let (faults, dropped) = (self.faults.clone(), self.dropped.clone());
            let thread = std::thread::Builder::new().name("checksums".into());
            if thread
                .spawn(move || run_checks(&receiver, &faults, &dropped))
                .is_ok()
            {
                *checks = Some(sender);
            }
        }
        match &*checks {
            Some(sender) => sender.send(check).map_err(|unsent| unsent.0),
            None => Err(check),
        }
    }

    fn missing(&self, material: &Material, contents: Contents) -> TableError {
        let names = self.folders.iter().map(|f| f.display().to_string());
        TableError::Missing {
            name: file_name(material, contents),
            folder: names.collect::<Vec<_>>().join(", "),
            material: format!("{material} --syzygy"),
        }
    }

    /// The error of a search that waits for files. A file that cannot be used is read again for it.
    #[cold]
    pub(super) fn error(&self, interrupted: Interrupted) -> TableError {
        let (key, contents) = match interrupted {
            Interrupted::Failed(error) => return *error,
            Interrupted::Unusable { key, contents } => (key, contents),
            Interrupted::BeingChecked => unreachable!("a search without patience waits"),
        };
        let material = material_of_key(key);
        let count = material.piece_count();
        if count > MAX_PIECES {
            return TableError::Position(format!(
                "the position has {count} pieces, but tables are for 3 to {MAX_PIECES}"
            ));
        }
        if !self.has(&material, contents) {
            return self.missing(&material, contents);
        }
        let load = self.load(&material, contents);
        match load.and_then(|check| check.run(|| true)) {
            Err(error) => error,
            Ok(()) => self.missing(&material, contents),
        }
    }
}

impl Drop for SyzygyFolder {
    fn drop(&mut self) {
        self.dropped.store(true, Relaxed);
    }
}

impl OpenFile {
    fn new(file: impl Into<Arc<SyzygyFile>>, material: &Material) -> Self {
        let file = file.into();
        let white = file.subs[0][0].piece_order.pieces.iter();
        let white = Army::new(white.filter(|p| !p.black).map(|p| p.kind));
        Self {
            in_order: white == *material.white(),
            is_symmetric: material.is_symmetric(),
            file,
        }
    }
}

fn run_checks(checks: &Receiver<Check>, faults: &Faults, dropped: &AtomicBool) {
    while let Ok(check) = checks.recv() {
        if let Err(error) = check.run(|| !dropped.load(Relaxed)) {
            faults.note(&error);
        }
        if dropped.load(Relaxed) {
            return;
        }
    }
}

impl Check {
    /// Compares the checksum, as long as `goes_on`.
    fn run(mut self, goes_on: impl Fn() -> bool) -> Result<(), TableError> {
        match self.file.compare_sum(&mut self.source, goes_on) {
            Ok(Some(false)) => Err(SyzygyError::Checksum.in_file(&self.path).into()),
            Ok(_) => Ok(()),
            Err(error) => {
                let _ = self.file.sound.set(false);
                Err(FileError::io("read", self.path.display().to_string(), error).into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::{Run, Work};

    use super::*;
    use crate::generate::{Plan, build};
    use crate::metric::Metric;
    use crate::probe::read_position;
    use crate::store::Tables;
    use crate::syzygy::{Wdl, write};

    /// A probe without patience gets no value before the checksum is compared, one with patience
    /// waits for it; of a damaged file, and of one that is missing, neither gets any.
    #[test]
    fn large_files_are_checked_before_they_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let own = Tables::new(folder.path(), Metric::Zeroing);
        let material: Material = "KQvK".parse().unwrap();
        build(
            &Plan::new(material.clone(), Metric::Zeroing),
            &own,
            &Run::serial(),
        )
        .unwrap();
        write(&material, &own, &Run::serial(), &mut Work::default()).unwrap();
        let position = read_position("8/8/8/8/8/2k5/7Q/K7 w - - 0 1").unwrap();
        let other = read_position("8/8/8/8/8/2k5/7R/K7 w - - 0 1").unwrap();
        let open = || {
            let mut tables = SyzygyFolder::new(folder.path());
            assert_eq!(tables.most_pieces(), 3);
            tables.at_once = 0;
            tables
        };
        let wdl = |tables: &SyzygyFolder, position: &Chess, patience: bool| {
            let goes_on = || patience;
            tables.known_wdl(position, Some(&goes_on)).unwrap()
        };
        let tables = open();
        let first = wdl(&tables, &position, false);
        assert!(first.is_none_or(|wdl| wdl == Wdl::Win));
        assert_eq!(wdl(&tables, &position, true), Some(Wdl::Win));
        assert_eq!(wdl(&tables, &position, false), Some(Wdl::Win));
        assert_eq!(tables.dtz(&position).unwrap(), 11);
        assert_eq!(wdl(&tables, &other, true), None);
        assert!(tables.faults().take().is_empty());

        let path = folder.path().join("KQvK.rtbw");
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let tables = open();
        assert_eq!(wdl(&tables, &position, false), None);
        assert_eq!(wdl(&tables, &position, true), None);
        let error = tables.dtz(&position).unwrap_err().to_string();
        assert!(error.contains("KQvK.rtbw"), "{error}");
        assert_eq!(tables.faults().take(), [error]);
        assert!(tables.faults().take().is_empty());
    }
}
