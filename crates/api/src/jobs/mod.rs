//! Large questions in independent jobs: for a scheduler of the user's own, or for several processes over the network.

mod cluster;
mod collect;
mod distributed;
mod error;
mod list;
mod question;
mod run;
mod secret;
mod shared_half;
mod tables;
mod tours;

pub use cluster::{ClusterRunAnswer, ClusterRunPlan, ClusterRunRequest};
pub use collect::{CollectAnswer, CollectPlan, CollectRequest, Collected};
pub use distributed::{DistributedAnswer, DistributedCount, lost_advice};
pub use everymove_cluster::handout::Event;
pub use everymove_cluster::{Secret, hosts};
pub use list::{JobSize, ListAnswer, ListPlan, ListRequest};
pub use question::{ClusterQuestion, JobQuestion, JobWork};
pub use run::{RunAnswer, RunPlan, RunRequest};
pub use secret::SecretAnswer;

use crate::command::CommandSchema;

/// The directory of the results by default.
const RESULTS: &str = "jobs";

/// The schemas of all commands about jobs.
pub(crate) fn schemas() -> Vec<CommandSchema> {
    vec![
        CommandSchema::of::<ListRequest>(),
        CommandSchema::of::<RunRequest>(),
        CommandSchema::of::<CollectRequest>(),
        CommandSchema::of::<ClusterRunRequest>(),
    ]
}
