//! Classes of a count of tours as jobs, after all processes have made the half together that every job needs.

use everymove_cluster::exchange::Mesh;
use everymove_cluster::handout::Event;
use everymove_cluster::{JobList, Port, Traffic};
use everymove_kernel::run::Run;

use super::cluster::ClusterRunPlan;
use super::distributed::{Blocks, Place};
use super::tours::ByClass;
use crate::error::Error;

/// What may be done when a process is lost.
const RESUMES: &str = "the same command resumes from the finished jobs";

/// Jobs whose common half the processes share.
pub(super) struct SharedHalf {
    pub(super) work: ByClass,
    place: Place,
}

impl SharedHalf {
    /// Checks that there is a process with this number.
    pub(super) fn new(
        work: ByClass,
        process: usize,
        processes: Option<usize>,
        listen: &Option<String>,
    ) -> Result<Self, Error> {
        let place = Place::new(process, processes, listen)?;
        Ok(Self { work, place })
    }

    /// Makes the half with the other processes, if any job needs it, which process 0 knows; its port is where all meet.
    pub(super) fn make(
        &self,
        (plan, first): (&ClusterRunPlan, Option<(&Port, bool)>),
        list: &JobList,
        run: &Run,
        observe: &(dyn Fn(Event) + Sync),
    ) -> Result<Traffic, Error> {
        let (port, is_needed) = first.unzip();
        let place = self.place.of(plan, RESUMES);
        let digest = format!("{} shared half", list.digest());
        let mesh = Mesh::join_on(port, &place, list.question(), &digest, run, observe)?;
        let ((), traffic) = mesh.run(run, |exchange| {
            let said = exchange.gather(vec![is_needed.map_or(0, u64::from)])?;
            match said[0][0] {
                0 => Ok(()),
                _ => self.work.share_second_half(&mut Blocks { exchange }, run),
            }
        })?;
        Ok(traffic)
    }
}
