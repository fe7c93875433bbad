//! Jobs: what they are called, how large they are, which come after which.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use everymove_kernel::run::Stop;
use serde_json::Value;

use super::error::JobError;
use super::results::Results;

/// A part of some work that can be done alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Its name: ASCII letters, digits and hyphens.
    pub(super) id: String,
    /// How large it is, in a unit of the work's own.
    pub(super) weight: u64,
    /// The names of the jobs that must be finished before.
    pub(super) after: Vec<String>,
    /// What it shares with others, the largest part first: jobs whose paths begin alike need the
    /// same parts, which a process computes once if it runs them one after the other.
    pub(super) path: Vec<u32>,
}

/// All jobs of some work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobList {
    question: String,
    digest: String,
    jobs: Vec<Job>,
}

impl JobList {
    /// The jobs of a question in words; results with another `digest` do not belong to it. Jobs
    /// with the same path are a group; groups are ordered by weight, and jobs within a group,
    /// the largest first, but after those that they need.
    ///
    /// # Panics
    /// If two jobs have one name, a name is not plain, or jobs need each other in a circle.
    pub(super) fn new(
        question: impl Into<String>,
        digest: impl Into<String>,
        jobs: Vec<Job>,
    ) -> Self {
        let plain =
            |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        assert!(jobs.iter().all(|job| plain(&job.id)), "names are plain");
        let names: BTreeSet<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(names.len(), jobs.len(), "names are different");
        Self {
            question: question.into(),
            digest: digest.into(),
            jobs: in_order(jobs),
        }
    }

    /// The question in words.
    pub(super) fn question(&self) -> &str {
        &self.question
    }

    /// What marks the results of this question.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// The jobs, group by group, the largest first, but after those that they need.
    pub(super) fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// A job by its name.
    ///
    /// # Errors
    /// [`JobError::NoJob`].
    pub(super) fn job(&self, id: &str) -> Result<&Job, JobError> {
        let found = self.jobs.iter().find(|job| job.id == id);
        found.ok_or_else(|| JobError::NoJob {
            id: id.to_owned(),
            count: self.jobs.len(),
            question: self.question.clone(),
        })
    }
}

/// By level (0 without needs, else one more than the largest level of its needs), then by the
/// weight of the group, then by weight, then by name.
fn in_order(jobs: Vec<Job>) -> Vec<Job> {
    let mut levels: BTreeMap<String, usize> = BTreeMap::new();
    while levels.len() < jobs.len() {
        let before = levels.len();
        for job in &jobs {
            let needs: Option<Vec<usize>> =
                job.after.iter().map(|id| levels.get(id).copied()).collect();
            if let (false, Some(needs)) = (levels.contains_key(&job.id), needs) {
                let level = needs.into_iter().max().map_or(0, |level| level + 1);
                levels.insert(job.id.clone(), level);
            }
        }
        assert!(levels.len() > before, "no job needs itself");
    }
    let mut groups: BTreeMap<(usize, Vec<u32>), u64> = BTreeMap::new();
    for job in &jobs {
        let group = groups.entry((levels[&job.id], job.path.clone()));
        *group.or_default() += job.weight;
    }
    let mut jobs = jobs;
    jobs.sort_by_cached_key(|job| {
        let group = (levels[&job.id], job.path.clone());
        let weights = (Reverse(groups[&group]), Reverse(job.weight));
        (group.0, weights.0, group.1, weights.1, job.id.clone())
    });
    jobs
}

/// Some jobs, one after the other, into a folder of results.
pub(super) struct Chosen<'a> {
    jobs: Vec<&'a Job>,
    results: &'a Results,
    stop: Stop,
    at: usize,
    /// How many of them were finished before.
    pub(super) found: usize,
}

impl<'a> Chosen<'a> {
    /// The jobs with these names, in this order but for those that share work, which come one after
    /// the other; those that are finished are left out when it is their turn.
    ///
    /// # Errors
    /// [`JobError::NoJob`].
    pub(super) fn new(
        list: &'a JobList,
        ids: &[String],
        results: &'a Results,
        stop: Stop,
    ) -> Result<Self, JobError> {
        let jobs: Result<Vec<_>, _> = ids.iter().map(|id| list.job(id)).collect();
        let mut jobs = jobs?;
        jobs.sort_by_key(|job| &job.path);
        Ok(Self {
            jobs,
            results,
            stop,
            at: 0,
            found: 0,
        })
    }

    /// The name of the next job; `None` if there are no more.
    ///
    /// # Errors
    /// [`JobError`] if the run is stopped, a result cannot be read, or a job that it needs is not
    /// finished.
    pub(super) fn next_job(&mut self) -> Result<Option<String>, JobError> {
        while let Some(job) = self.jobs.get(self.at) {
            self.stop.check()?;
            self.at += 1;
            if self.results.get(&job.id)?.is_some() {
                self.found += 1;
                continue;
            }
            for needed in &job.after {
                if self.results.get(needed)?.is_none() {
                    return Err(JobError::TooEarly {
                        id: job.id.clone(),
                        missing: needed.clone(),
                    });
                }
            }
            return Ok(Some(job.id.clone()));
        }
        Ok(None)
    }

    /// Stores the result of a job; when this returns, it is on the disk.
    ///
    /// # Errors
    /// [`JobError::File`].
    pub(super) fn done(&mut self, id: &str, result: Value) -> Result<(), JobError> {
        self.results.put(id, result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str, weight: u64, after: &[&str]) -> Job {
        Job {
            id: id.to_owned(),
            weight,
            after: after.iter().map(|&id| id.to_owned()).collect(),
            path: vec![],
        }
    }

    #[test]
    fn jobs_that_share_work_come_one_after_the_other() {
        let with_path = |id: &str, weight, path: &[u32]| Job {
            path: path.to_vec(),
            ..job(id, weight, &[])
        };
        let jobs = vec![
            with_path("a", 5, &[0, 1]),
            with_path("b", 4, &[0, 2]),
            with_path("c", 2, &[0, 1]),
            with_path("d", 4, &[0, 2]),
        ];
        let list = JobList::new("q", "0", jobs);
        let order: Vec<_> = list.jobs().iter().map(|job| job.id.as_str()).collect();
        assert_eq!(order, ["b", "d", "a", "c"]);
        let folder = tempfile::tempdir().unwrap();
        let results = Results::new(folder.path(), &list).unwrap();
        let ids: Vec<_> = ["d", "c", "b", "a"].map(String::from).into();
        let mut chosen = Chosen::new(&list, &ids, &results, Stop::default()).unwrap();
        let chosen: Vec<_> = std::iter::from_fn(|| chosen.next_job().unwrap()).collect();
        assert_eq!(chosen, ["c", "a", "d", "b"]);
    }

    #[test]
    fn the_largest_come_first_but_after_what_they_need() {
        let jobs = vec![
            job("a", 9, &["b"]),
            job("b", 1, &["c"]),
            job("c", 2, &[]),
            job("d", 5, &[]),
            job("e", 7, &["c"]),
        ];
        let list = JobList::new("q", "0", jobs);
        let order: Vec<_> = list.jobs().iter().map(|job| job.id.as_str()).collect();
        assert_eq!(order, ["d", "c", "e", "b", "a"]);
    }

    #[test]
    #[should_panic(expected = "no job needs itself")]
    fn circles_are_refused() {
        JobList::new("q", "0", vec![job("a", 1, &["b"]), job("b", 1, &["a"])]);
    }

    #[test]
    fn jobs_that_are_finished_are_left_out_and_needs_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let list = JobList::new("q", "0", vec![job("a", 1, &[]), job("b", 1, &["a"])]);
        let results = Results::new(folder.path(), &list).unwrap();
        let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        let chosen = |ids| Chosen::new(&list, ids, &results, Stop::default());
        let (second, other) = (ids(&["b"]), ids(&["c"]));
        let early = chosen(&second).unwrap().next_job().unwrap_err();
        assert_eq!(
            early.to_string(),
            "job b comes after job a, which is not finished"
        );
        let unknown = chosen(&other).err().unwrap();
        assert_eq!(
            unknown.to_string(),
            "there is no job c: expected one of the 2 jobs of q"
        );
        let wanted = ids(&["a", "b"]);
        let mut both = chosen(&wanted).unwrap();
        assert_eq!(both.next_job().unwrap().as_deref(), Some("a"));
        both.done("a", Value::from(1)).unwrap();
        assert_eq!(both.next_job().unwrap().as_deref(), Some("b"));
        let mut again = chosen(&wanted).unwrap();
        assert_eq!(again.next_job().unwrap().as_deref(), Some("b"));
        assert_eq!(again.found, 1);
        again.stop.raise();
        assert!(matches!(
            again.next_job(),
            Err(JobError::Stopped(_)) | Ok(None)
        ));
    }
}
