//! Classes of a count of tours as jobs, after all processes have made the half together that every job needs.

use everymove_cluster::exchange::{Mesh, Place};
use everymove_cluster::handout::Event;
use everymove_cluster::{JobList, Port, Results, Traffic};
use everymove_kernel::run::Run;

use super::cluster::ClusterRunPlan;
use super::distributed::{Blocks, Together};
use super::tours::ByClass;
use crate::error::Error;

/// What may be done when a process is lost.
const RESUMES: &str = "the same command resumes from the finished jobs";

/// Jobs whose common half the processes share.
pub(super) struct SharedHalf {
    pub(super) work: ByClass,
    together: Together,
}

/// What process 0 has: the port where all meet, and the results so far.
pub(super) struct First<'a> {
    pub(super) port: &'a Port,
    pub(super) results: &'a Results,
}

/// What the processes have come to.
pub(super) struct Made {
    /// How many jobs are left; without any, no half was made.
    pub(super) jobs_left: u64,
    pub(super) traffic: Traffic,
}

impl SharedHalf {
    /// Checks that there is a process with this number.
    pub(super) fn new(
        work: ByClass,
        process: usize,
        processes: Option<usize>,
        listen: &Option<String>,
    ) -> Result<Self, Error> {
        let together = Together::new(process, processes, listen)?;
        Ok(Self { work, together })
    }

    /// Makes the half with the other processes, if any job is left, which process 0 knows.
    pub(super) fn make(
        &self,
        plan: &ClusterRunPlan,
        first: Option<First<'_>>,
        list: &JobList,
        run: &Run,
        observe: &(dyn Fn(Event) + Sync),
    ) -> Result<Made, Error> {
        let mut jobs_left = 0;
        if let Some(First { results, .. }) = &first {
            for job in list.jobs() {
                jobs_left += u64::from(results.get(&job.id)?.is_none());
            }
        }
        let place = Place {
            port: first.map(|first| first.port),
            ..self.together.place(plan, RESUMES)
        };
        let digest = format!("{} shared half", list.digest());
        let mesh = Mesh::join(&place, list.question(), &digest, run, observe)?;
        let (jobs_left, traffic) = mesh.run(run, |exchange| {
            let said = exchange.gather(vec![jobs_left])?;
            let jobs_left = said[0][0];
            if jobs_left > 0 {
                self.work.share_second_half(&mut Blocks { exchange }, run)?;
            }
            Ok::<_, Error>(jobs_left)
        })?;
        Ok(Made { jobs_left, traffic })
    }
}
