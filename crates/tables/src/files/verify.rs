//! Verifies files of tables against the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use everymove_kernel::run::Run;

use super::{TableFile, directory_of, expect_name};
use crate::error::TableError;
use crate::position::material::Material;
use crate::syzygy::{Contents, SyzygyFolder, file_name};
use crate::verify::{Proof, SyzygyVerifier, Thoroughness, Verified, verify};

/// The result of verifying some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifiedFiles {
    /// Number of files.
    pub files: usize,
    /// Number of files that do not follow from the rules.
    pub failed: usize,
    /// Their errors, one line each; the two Syzygy files of an ending have one.
    pub wrong: Vec<String>,
    /// Names of WDL files that were verified without their DTZ file.
    pub without_dtz: Vec<String>,
    /// What was verified.
    pub verified: Verified,
}

/// Verifies files of tables; the tables they need must be in the same directories. Syzygy files of
/// one ending are verified together, always completely.
///
/// # Errors
/// [`TableError`] if a file is missing or damaged, or the run is stopped. A wrong value is not an
/// error: it is listed.
pub fn verify_files(
    paths: &[PathBuf],
    how: Thoroughness,
    run: &Run,
) -> Result<VerifiedFiles, TableError> {
    let mut found = VerifiedFiles::default();
    let mut endings: BTreeMap<PathBuf, BTreeSet<Material>> = BTreeMap::new();
    for path in paths {
        found.files += 1;
        match TableFile::open(path)? {
            TableFile::Own(tables, material) => {
                found.add(verify(&material, &tables, how, run), 1)?;
            }
            TableFile::Syzygy(file, folder) => {
                expect_name(&file, path)?;
                let material = file.material().clone();
                endings.entry(folder).or_default().insert(material);
            }
        }
    }
    for (path, materials) in endings {
        let folder = SyzygyFolder::new(&path);
        let verifier = SyzygyVerifier::new(&folder, run);
        for material in materials {
            let files = paths.iter().filter(|file| names(file, &path, &material));
            let proof = if folder.has(&material, Contents::Dtz) {
                Proof::Pair
            } else {
                found.without_dtz.push(file_name(&material, Contents::Wdl));
                Proof::Wdl
            };
            found.add(verifier.verify(&material, proof), files.count())?;
        }
    }
    Ok(found)
}

impl VerifiedFiles {
    fn add(
        &mut self,
        verified: Result<Verified, TableError>,
        files: usize,
    ) -> Result<(), TableError> {
        match verified {
            Ok(verified) => self.verified.add(verified),
            Err(error @ TableError::Wrong { .. }) => {
                self.failed += files;
                self.wrong.push(error.to_string());
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Whether a file is one of an ending's Syzygy files in a directory.
fn names(file: &Path, folder: &Path, material: &Material) -> bool {
    let is = |contents| file.file_name() == Some(file_name(material, contents).as_ref());
    directory_of(file) == folder && (is(Contents::Wdl) || is(Contents::Dtz))
}
