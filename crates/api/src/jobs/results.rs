//! A folder with one file for each finished job.
//!
//! The file of a job is `ID.json`: a manifest of `kernel::files`, with a checksum. It appears under
//! its name when it is complete and on the disk; two processes that run one job at the same time
//! write drafts of different names, and either result is right. So the folder may be shared by any
//! number of processes and machines.

use std::path::Path;

use everymove_kernel::files::{Disk, FileError, Storage, read_manifest, write_manifest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::JobError;
use super::job::JobList;

const FORMAT: &str = "result of a job of everymove";
const VERSION: u32 = 1;
const ENDING: &str = ".json";

/// A folder of results of one question.
pub(super) struct Results {
    disk: Disk,
    question: String,
    digest: String,
}

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Stored {
    question: String,
    digest: String,
    id: String,
    result: Value,
}

impl Results {
    /// The results of a question in a folder, which is created if it is missing.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub(super) fn new(folder: &Path, list: &JobList) -> Result<Self, JobError> {
        let path = folder.display().to_string();
        std::fs::create_dir_all(folder).map_err(|e| FileError::io("create", path, e))?;
        Ok(Self {
            disk: Disk::new(folder),
            question: list.question().to_owned(),
            digest: list.digest().to_owned(),
        })
    }

    /// The result of a job, if it is finished.
    ///
    /// # Errors
    /// [`JobError::OtherQuestion`], [`JobError::File`].
    pub(super) fn get(&self, id: &str) -> Result<Option<Value>, JobError> {
        let name = format!("{id}{ENDING}");
        let stored: Option<Stored> = read_manifest(&self.disk, &name, FORMAT, VERSION)?;
        let Some(stored) = stored else {
            return Ok(None);
        };
        if (&stored.digest, stored.id.as_str()) != (&self.digest, id) {
            return Err(JobError::OtherQuestion {
                path: self.disk.display(&name),
                found: format!("{} ({})", stored.question, stored.digest),
                asked: format!("{} ({})", self.question, self.digest),
            });
        }
        Ok(Some(stored.result))
    }

    /// Stores the result of a job; when this returns, it is on the disk.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub(super) fn put(&self, id: &str, result: Value) -> Result<(), JobError> {
        let stored = Stored {
            question: self.question.clone(),
            digest: self.digest.clone(),
            id: id.to_owned(),
            result,
        };
        let name = format!("{id}{ENDING}");
        Ok(write_manifest(&self.disk, &name, FORMAT, VERSION, &stored)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::job::Job;

    fn list(digest: &str) -> JobList {
        let job = Job {
            id: "a-1".to_owned(),
            weight: 1,
            after: vec![],
            path: vec![],
        };
        JobList::new("a question", digest, vec![job])
    }

    #[test]
    fn results_are_found_again_and_no_draft_stays() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::new(&folder.path().join("new"), &list("1")).unwrap();
        assert!(results.get("a-1").unwrap().is_none());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        results.put("a-1", Value::from("17")).unwrap();
                    }
                });
            }
        });
        assert_eq!(results.get("a-1").unwrap(), Some(Value::from("17")));
        let names: Vec<_> = std::fs::read_dir(folder.path().join("new"))
            .unwrap()
            .collect();
        assert_eq!(names.len(), 1);
    }

    #[test]
    fn results_of_others_and_damaged_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::new(folder.path(), &list("1")).unwrap();
        results.put("a-1", Value::from(1)).unwrap();
        let others = Results::new(folder.path(), &list("2")).unwrap();
        let error = others.get("a-1").unwrap_err();
        assert!(matches!(error, JobError::OtherQuestion { .. }), "{error}");
        let path = folder.path().join("a-1.json");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("\"result\": 1", "\"result\": 2")).unwrap();
        let error = results.get("a-1").unwrap_err();
        assert!(error.to_string().contains("checksum"), "{error}");
    }
}
