//! The journal of a count by classes: what is counted, and a line for every class that is finished.

use std::io::Read as _;

use everymove_kernel::files::{FileError, Journal, Memory, Storage, publish};
use serde::{Deserialize, Serialize};

use crate::frontier::FrontierError;

/// The name of the file.
pub(crate) const JOURNAL: &str = "classes.journal";

/// The first entry: what the sums are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    /// The question in words.
    pub(crate) question: String,
    /// A digest of the steps of both halves and of the key.
    pub(crate) plan: String,
    /// The number of classes.
    pub(crate) classes: u64,
    /// The sum over all classes is this many times the number of tours that are counted.
    pub(crate) multiplicity: u32,
}

/// A finished class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The degrees of the key's slots, the first most significant, in base 3.
    pub class: u32,
    /// The sum over the class, as a decimal number.
    pub sum: String,
    /// For every slot of the middle, the parts of the sum by the degree of the slot in the first
    /// half.
    pub by_degree: Vec<[String; 3]>,
    /// Transitions of states.
    pub transitions: u64,
    /// States of all layers of the class that no other class shares.
    pub states: u64,
}

#[derive(Serialize, Deserialize)]
enum Entry {
    Subject(Subject),
    Finished(Finished),
}

/// An open journal.
pub(crate) struct ClassJournal {
    journal: Journal,
}

impl ClassJournal {
    /// Opens the journal of a storage, or starts it; returns the classes that are finished.
    pub(crate) fn open(
        storage: &dyn Storage,
        subject: &Subject,
    ) -> Result<(Self, Vec<Finished>), FrontierError> {
        let (mut journal, entries) = Journal::open::<Entry>(storage, JOURNAL)?;
        let (known, finished) = sorted(entries);
        match known {
            None => journal.append(&Entry::Subject(subject.clone()))?,
            Some(found) if found == *subject => {}
            Some(found) => {
                return Err(FrontierError::OtherCheckpoint {
                    path: storage.display(JOURNAL),
                    found: format!("{} (plan {})", found.question, found.plan),
                    asked: format!("{} (plan {})", subject.question, subject.plan),
                });
            }
        }
        Ok((Self { journal }, finished))
    }

    /// Adds a finished class; when this returns, it is on the disk.
    pub(crate) fn append(&mut self, finished: &Finished) -> Result<(), FrontierError> {
        Ok(self.journal.append(&Entry::Finished(finished.clone()))?)
    }
}

/// What the journal of a storage is of, and the classes that are finished; nothing is written
/// there.
pub(crate) fn read(
    storage: &dyn Storage,
) -> Result<(Option<Subject>, Vec<Finished>), FrontierError> {
    let mut text = Vec::new();
    match storage.open(JOURNAL) {
        Ok(mut file) => file
            .read_to_end(&mut text)
            .map_err(|e| FileError::io("read", storage.display(JOURNAL), e))?,
        Err(error) if error.is_not_found() => return Ok((None, vec![])),
        Err(error) => return Err(error.into()),
    };
    // Opening a journal makes it ready to grow, so that a copy is opened.
    let copy = Memory::default();
    publish(&copy, JOURNAL, |draft| draft.put(&text))?;
    let (_, entries) = Journal::open::<Entry>(&copy, JOURNAL)?;
    Ok(sorted(entries))
}

fn sorted(entries: Vec<Entry>) -> (Option<Subject>, Vec<Finished>) {
    let mut subject = None;
    let mut finished = Vec::new();
    for entry in entries {
        match entry {
            Entry::Subject(found) => subject = Some(found),
            Entry::Finished(class) => finished.push(class),
        }
    }
    (subject, finished)
}
