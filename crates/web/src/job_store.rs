//! Results of jobs in a folder: one file a job, whole or absent after a crash.

use std::io::Read;
use std::path::Path;

use axum::body::Bytes;
use everymove_api::catalogue::served;
use everymove_kernel::files::{Disk, FileError, Storage, publish, remove_stale_drafts};
use serde_json::value::RawValue;

use crate::job::{Job, Record};

/// The ending of files of results.
const ENDING: &str = ".job.json";

/// Results that stay in the folder; the oldest are removed.
const MOST_FILES: usize = 1000;

/// A folder with results of jobs, which no other process uses.
#[derive(Debug)]
pub(crate) struct Store {
    disk: Disk,
    /// Larger files, in bytes, are no results.
    most: u64,
}

impl Store {
    /// The results of a folder, which is created where it is missing.
    pub(crate) fn open(folder: &Path, most: u64) -> Result<Self, FileError> {
        let disk = Disk::exclusive(folder)?;
        remove_stale_drafts(&disk)?;
        Ok(Self { disk, most })
    }

    /// Stores a result under its own name in one step.
    pub(crate) fn save(&self, id: &str, record: &[Bytes]) -> Result<(), FileError> {
        let name = format!("{id}{ENDING}");
        publish(&self.disk, &name, |draft| {
            record.iter().try_for_each(|part| draft.put(part))
        })?;
        self.prune()
    }

    /// Gives all results one by one, and none of the files that are no results.
    pub(crate) fn load(&self, mut take: impl FnMut(Job)) -> Result<(), FileError> {
        for name in self.names()? {
            let Some(record) = self.read(&name)? else {
                tracing::warn!(name, "not the result of a job");
                continue;
            };
            let command = served().map(|command| command.name);
            let command = { command }.find(|command| *command == record.command);
            if let Some(job) = command.and_then(|command| Job::stored(record, command)) {
                take(job);
            }
        }
        Ok(())
    }

    fn read(&self, name: &str) -> Result<Option<Record>, FileError> {
        let mut bytes = Vec::new();
        let file = self.disk.open(name)?;
        file.take(self.most)
            .read_to_end(&mut bytes)
            .map_err(|e| FileError::io("read", self.disk.display(name), e))?;
        let record: Option<Record> = serde_json::from_slice(&bytes).ok();
        // Events have the answer in one line.
        let is_line = |answer: &RawValue| !answer.get().contains('\n');
        Ok(record.filter(|record| {
            name.strip_suffix(ENDING) == Some(&record.id)
                && record.answer.as_deref().is_none_or(is_line)
        }))
    }

    fn names(&self) -> Result<Vec<String>, FileError> {
        let mut names = self.disk.list()?;
        names.retain(|name| name.ends_with(ENDING));
        Ok(names)
    }

    /// Removes the oldest results where there are too many.
    fn prune(&self) -> Result<(), FileError> {
        let names = self.names()?;
        if names.len() <= MOST_FILES {
            return Ok(());
        }
        let mut dated = Vec::new();
        for name in names {
            let created = self.read(&name)?.map_or(0.0, |record| record.created);
            dated.push((created, name));
        }
        dated.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, name) in &dated[MOST_FILES * 9 / 10..] {
            self.disk.remove(name)?;
        }
        Ok(())
    }
}
