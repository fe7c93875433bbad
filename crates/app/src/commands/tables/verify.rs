//! `everymove tables verify`: every value derived again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use everymove_kernel::run::Work;
use everymove_tables::syzygy::{Contents, SyzygyFolder, file_name};
use everymove_tables::verify::{Proof, SyzygyVerifier, Thoroughness, Verified, verify};
use everymove_tables::{Material, TableError, Tables};

use super::{failure, folder_of, syzygy_file};
use crate::answer::{Answer, Outcome, grouped};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Table files: .dtm, .dtz, .rtbw, .rtbz; the tables they need are looked for beside them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Set up every N-th position on a board of its own (slow; not for Syzygy files) [default: a sweep over all, and some thousands
    /// on boards]
    #[arg(long, value_name = "N")]
    every: Option<usize>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let how = match args.every {
        None => Thoroughness::Sweep,
        Some(0) => {
            return Err(Failure::Input(
                "cannot check every 0-th position: expected 1 or more".into(),
            ));
        }
        Some(every) => Thoroughness::Boards(every),
    };
    let mut tally = Tally::default();
    let mut endings: BTreeMap<PathBuf, BTreeSet<Material>> = BTreeMap::new();
    for file in &args.files {
        match syzygy_file(file) {
            Ok(Some((folder, material))) => {
                endings.entry(folder).or_default().insert(material);
                tally.files += 1;
            }
            Ok(None) => {
                tally.files += 1;
                let verified = Tables::beside(file).and_then(|(tables, material)| {
                    session.work(|run| verify(&material, &tables, how, run))
                });
                tally.take(verified, 1).map_err(|e| failure(e))?;
            }
            Err(error) => return Err(failure(error)),
        }
    }
    if !endings.is_empty() && args.every.is_some() {
        return Err(Failure::Input(
            "--every sets up positions of our own tables: Syzygy files are checked whole".into(),
        ));
    }
    for (path, materials) in endings {
        let folder = SyzygyFolder::new(&path);
        let verifier = SyzygyVerifier::new(&folder, &session.run);
        for material in materials {
            let named = (args.files.iter())
                .filter(|file| names(file, &path, &material))
                .count();
            let proof = if folder.path(&material, Contents::Dtz).exists() {
                Proof::Pair
            } else {
                tally.alone.push(file_name(&material, Contents::Wdl));
                Proof::Wdl
            };
            let verified = session.work(|_| verifier.verify(&material, proof));
            tally.take(verified, named).map_err(|e| failure(e))?;
        }
    }
    tally.show(session)
}

/// Whether a file is one of an ending's in a folder.
fn names(file: &Path, folder: &Path, material: &Material) -> bool {
    let is = |contents| file.file_name() == Some(file_name(material, contents).as_ref());
    folder_of(file) == folder && (is(Contents::Wdl) || is(Contents::Dtz))
}

/// What came of the files.
#[derive(Default)]
struct Tally {
    files: usize,
    failed: usize,
    wrong: Vec<String>,
    /// WDL files without their DTZ file.
    alone: Vec<String>,
    work: Work,
}

impl Tally {
    fn take(
        &mut self,
        verified: Result<Verified, TableError>,
        files: usize,
    ) -> Result<(), TableError> {
        match verified {
            Ok(verified) => {
                self.work.add("positions", verified.positions);
                self.work.add("moves", verified.moves);
            }
            Err(error @ TableError::Wrong { .. }) => {
                self.failed += files;
                self.wrong.push(error.to_string());
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn show(self, session: &Session) -> Result<Outcome, Failure> {
        let verdict = if self.wrong.is_empty() {
            Outcome::Yes
        } else {
            Outcome::No
        };
        let mut text: String = self.wrong.iter().map(|line| format!("{line}\n")).collect();
        let summary = format!(
            "{} of {} tables follow from the rules, {} positions checked\n",
            self.files - self.failed,
            self.files,
            grouped(self.work.get("positions"))
        );
        for name in &self.alone {
            text += &format!(
                "{name} was checked without its .rtbz: that its wins make progress is not shown\n"
            );
        }
        let bare = format!("{text}{summary}");
        Answer::new("tables verify", verdict)
            .field("files", self.files)
            .field("valid", self.wrong.is_empty())
            .field("wrong", self.wrong)
            .field("without_dtz", self.alone)
            .bare(bare.clone())
            .text(bare)
            .work(&self.work)
            .show(session)
    }
}
