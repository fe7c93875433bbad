//! Syzygy files as a chess engine asks for them: by several threads, which ignore what a file cannot tell.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use shakmaty::Chess;

use super::files::{cannot_read, require_few_pieces};
use super::pieces::Pieces;
use super::search::{Interrupted, OpenFiles, Search};
use super::{LocatedFile, Rounding, SyzygyFolder, Wdl};
use crate::error::TableError;
use crate::position::board::require_no_castling;
use crate::position::material::Material;
use crate::store::directory::lock;
use crate::syzygy::error::SyzygyError;
use crate::syzygy::file::parse::{Contents, SyzygyFile};

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
    pub fn note(&self, error: &TableError) {
        match error {
            TableError::Missing { .. } | TableError::Position(_) => {}
            TableError::File(error) if error.is_not_found() => {}
            _ => {
                let (known, new) = &mut *lock(&self.known);
                let line = error.to_string();
                if known.insert(line.clone()) {
                    new.push(line);
                }
            }
        }
    }

    /// The faults that were not taken before, one line each, with the name of the file.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.known).1)
    }
}

/// The Syzygy files of some folders for a search, which continues without a file that is missing or damaged. What is wrong with a file is kept
/// in [`SearchTables::faults`].
///
/// A file is opened, and its structure checked, when the first position needs it. Then its whole checksum is compared: at once if the
/// file is small, else by another thread, and the file is not used before. So no value comes from a file that is not as it was written.
#[derive(Debug)]
pub struct SearchTables {
    folder: SyzygyFolder,
    most_pieces: usize,
    /// The bytes of the largest file whose checksum is compared at once.
    at_once: u64,
    open: RwLock<OpenFiles>,
    files: Mutex<KnownFiles>,
    faults: Arc<Faults>,
    /// To the thread that compares the checksums of large files, once there are any.
    checks: Mutex<Option<Sender<Check>>>,
    dropped: Arc<AtomicBool>,
}

/// The files that were looked for; none where one is missing or damaged.
type KnownFiles = HashMap<(Material, Contents), Option<Arc<SyzygyFile>>>;

/// A file whose checksum is to be compared.
struct Check {
    file: Arc<SyzygyFile>,
    source: File,
    path: PathBuf,
}

impl SearchTables {
    /// The files of some folders, at least one, and the largest number of pieces of a file, as of [`most_pieces_in`]. Where several folders have
    /// a file, that of the first is used.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>, most_pieces: usize) -> Option<Self> {
        let mut folders = folders.into_iter();
        Some(Self {
            folder: SyzygyFolder::several(folders.next()?, folders),
            most_pieces,
            at_once: COMPARED_AT_ONCE,
            open: RwLock::default(),
            files: Mutex::default(),
            faults: Arc::default(),
            checks: Mutex::default(),
            dropped: Arc::default(),
        })
    }

    /// The largest number of pieces of a file, kings included.
    pub fn most_pieces(&self) -> usize {
        self.most_pieces
    }

    /// What is wrong with files that were needed.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// As [`SyzygyFolder::wdl`]; `None` where files do not have the position, cannot be used, or are still being checked.
    pub fn wdl(&self, position: &Chess, patience: Patience<'_>) -> Option<Wdl> {
        self.search(position, patience, |search, pieces| {
            search.wdl(pieces, Wdl::Loss, Wdl::Win)
        })
    }

    /// As [`SyzygyFolder::dtz_and_rounding`], and `None` as for [`SearchTables::wdl`].
    pub fn dtz(&self, position: &Chess, patience: Patience<'_>) -> Option<(i32, Rounding)> {
        self.search(position, patience, |search, pieces| search.dtz(pieces))
    }

    fn search<T>(
        &self,
        position: &Chess,
        patience: Patience<'_>,
        search: impl Fn(Search<'_>, &Pieces) -> Result<T, Interrupted>,
    ) -> Option<T> {
        let pieces = Pieces::new(position);
        if require_no_castling(position).is_err() || require_few_pieces(&pieces).is_err() {
            return None;
        }
        loop {
            let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
            let found = search(Search(&open), &pieces);
            drop(open);
            match found {
                Ok(found) => return Some(found),
                Err(Interrupted::Failed(error)) => {
                    self.faults.note(&error);
                    return None;
                }
                Err(Interrupted::NotOpen(needed)) => {
                    let (pieces, contents) = *needed;
                    let file = self.file(&pieces.material(), contents);
                    let located = file.map(|file| LocatedFile::of(file, &pieces));
                    let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
                    open[contents as usize].insert(pieces.key(), located);
                }
                Err(Interrupted::BeingChecked) if patience() => std::thread::sleep(NAP),
                Err(Interrupted::BeingChecked | Interrupted::Unusable) => return None,
            }
        }
    }

    /// The file of an ending, which may be being checked; `None` if it is missing or damaged.
    fn file(&self, material: &Material, contents: Contents) -> Option<Arc<SyzygyFile>> {
        // Held while a small file is read: another thread that needs it would read it, too.
        let mut files = lock(&self.files);
        let known = files.entry((material.clone(), contents));
        let file = known.or_insert_with(|| match self.open_and_check(material, contents) {
            Ok(file) => Some(file),
            Err(error) => {
                self.faults.note(&error);
                None
            }
        });
        file.clone()
    }

    fn open_and_check(
        &self,
        material: &Material,
        contents: Contents,
    ) -> Result<Arc<SyzygyFile>, TableError> {
        let (file, source, path) = self.folder.open_file(material, contents)?;
        let file = Arc::new(file);
        let check = Check {
            file: file.clone(),
            source,
            path,
        };
        if file.bytes() <= self.at_once {
            check.run(|| true)?;
        } else if let Err(here) = self.check_later(check) {
            here.run(|| true)?;
        }
        Ok(file)
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
}

/// The largest number of pieces, kings included, of a folder's files of win, draw or loss; 0 if it has none.
///
/// # Errors
/// If the folder cannot be listed.
pub fn most_pieces_in(folder: &Path) -> io::Result<usize> {
    let mut most = 0;
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if path.extension() == Some(Contents::Wdl.extension().as_ref())
            && let Some(Ok(material)) = stem.map(str::parse::<Material>)
        {
            most = most.max(material.piece_count());
        }
    }
    Ok(most)
}

impl Drop for SearchTables {
    fn drop(&mut self) {
        self.dropped.store(true, Relaxed);
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
                Err(cannot_read(&self.path, error))
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
    use crate::syzygy::write;

    /// A probe without patience gets no value before the checksum is compared, one with patience waits for it; of a damaged file, and of one
    /// that is missing, neither gets any.
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
            let most = most_pieces_in(folder.path()).unwrap();
            let mut tables = SearchTables::new([folder.path().to_owned()], most).unwrap();
            tables.at_once = 0;
            tables
        };
        let tables = open();
        let first = tables.wdl(&position, &|| false);
        assert!(first.is_none_or(|wdl| wdl == Wdl::Win));
        assert_eq!(tables.wdl(&position, &|| true), Some(Wdl::Win));
        assert_eq!(tables.wdl(&position, &|| false), Some(Wdl::Win));
        assert_eq!(tables.dtz(&position, &|| true).unwrap().0, 11);
        assert_eq!(tables.wdl(&other, &|| true), None);
        assert!(tables.faults().take().is_empty());

        let path = folder.path().join("KQvK.rtbw");
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let tables = open();
        assert_eq!(tables.wdl(&position, &|| false), None);
        assert_eq!(tables.wdl(&position, &|| true), None);
        assert_eq!(tables.dtz(&position, &|| true), None);
        let faults = tables.faults().take();
        assert!(
            faults.len() == 1 && faults[0].contains("KQvK.rtbw"),
            "{faults:?}"
        );
        assert!(tables.faults().take().is_empty());
    }
}
