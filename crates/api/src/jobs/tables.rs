//! The jobs of a set of endgame tables: an ending each, after those it leads to.

use everymove_kernel::run::Run;
use everymove_tables::batch::Batch;
use everymove_tables::{Material, OutputFiles, Plan, Tables, build_ending};
use serde_json::json;

use super::collect::Collected;
use super::job::{Chosen, Job, JobList};
use super::question::JobWork;
use super::results::Results;
use crate::error::Error;
use crate::request::Request;
use crate::tables::{BuildPlan, BuildRequest};

/// Endings whose tables are wanted, and how.
pub(super) struct Endings {
    batch: Batch,
    build: BuildPlan,
}

impl Endings {
    /// Those of a request.
    pub(super) fn new(request: &BuildRequest) -> Result<Self, Error> {
        if request.fairy.is_given() {
            let line = "a build in jobs is of chess pieces on 8x8: build endings of other pieces one by one";
            return Err(Error::message(Some("piece"), line));
        }
        let build = request.plan()?;
        for (field, given) in [
            ("checkpoint", request.checkpoint.is_some()),
            ("estimate", request.estimate),
            ("syzygy_only", request.syzygy_only),
        ] {
            if given {
                let line = format!("a build in jobs has no {field}: the jobs are its parts");
                return Err(Error::message(Some(field), line));
            }
        }
        Ok(Self {
            batch: build.batch(),
            build,
        })
    }

    fn ending(&self, id: &str) -> Option<&Material> {
        let mut endings = self.batch.endings().iter();
        endings.find(|ending| ending.to_string() == id)
    }
}

/// About the positions of an ending: pairs of kings up to symmetry, times 64 for each other piece,
/// for each side that can win.
fn positions(ending: &Material) -> u64 {
    let kings = if ending.has_pawns() { 1806 } else { 462 };
    let others = ending.piece_count().saturating_sub(2) as u32;
    ending.halves().len() as u64 * kings * 64u64.saturating_pow(others)
}

impl JobWork for Endings {
    fn jobs(&self, _: &Run) -> Result<JobList, Error> {
        let metric = self.batch.metric;
        let jobs = self.batch.endings().iter().map(|ending| Job {
            id: ending.to_string(),
            weight: positions(ending),
            after: ending.children().iter().map(Material::to_string).collect(),
            path: vec![],
        });
        let kinds = match self.batch.files {
            OutputFiles::Tables => format!("{metric}"),
            OutputFiles::TablesAndSyzygy | OutputFiles::Syzygy => format!("{metric} and Syzygy"),
        };
        let endings = self.batch.endings();
        let question = match endings.last() {
            Some(last) => format!("{} endgame tables up to {last}", endings.len()),
            None => "no endgame tables".to_owned(),
        };
        Ok(JobList::new(question, kinds, jobs.collect()))
    }

    fn work(&self, run: &Run, chosen: &mut Chosen<'_>) -> Result<(), Error> {
        let tables = Tables::new(self.build.directory(), self.batch.metric);
        while let Some(id) = chosen.next_job()? {
            let ending = self.ending(&id).ok_or_else(|| {
                Error::message(None, format!("{id} is not an ending of this question"))
            })?;
            let plan = Plan {
                schedule: self.batch.schedule,
                ..Plan::new(ending.clone(), self.batch.metric)
            };
            let built = build_ending(&plan, self.batch.files, &tables, run)?;
            let made = built.built.made.contains(ending);
            let result = json!({ "made": made, "syzygy": built.syzygy });
            chosen.done(&id, result)?;
        }
        Ok(())
    }

    fn collected(&self, _: &JobList, _: &Results) -> Result<Collected, Error> {
        let directory = self.build.directory();
        let tables = Tables::new(directory, self.batch.metric);
        for ending in self.batch.endings() {
            if !tables.has(ending) {
                let path = tables.path(ending);
                let line = format!(
                    "{}: its job is finished, but the table is missing",
                    path.display()
                );
                return Err(Error::message(None, line));
            }
        }
        Ok(Collected::Tables {
            endings: (self.batch.endings().iter().map(Material::to_string)).collect(),
            directory: directory.display().to_string(),
        })
    }
}
