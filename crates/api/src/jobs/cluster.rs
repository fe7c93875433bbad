//! `cluster run`: a question over several processes, in jobs or in parts.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use everymove_cluster::handout::{Coordinator, Event, Worker};
use everymove_cluster::{Port, Results, Secret, Traffic, hosts};
use everymove_kernel::input::{Input, read_text};
use everymove_kernel::run::{Run, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RESULTS;
use super::collect::{CollectAnswer, collect};
use super::distributed::{Distributed, DistributedAnswer, Shared};
use super::question::{ClusterQuestion, JobQuestion, JobWork};
use super::shared_half::{First, SharedHalf};
use super::tours::{ByClass, ByStart};
use crate::error::Error;
use crate::request::{Answer, Request, Updates};

/// A secret is 64 digits; a larger file is none.
const SECRET_BYTES: u64 = 1 << 10;
/// How long process 0 is tried to be reached by default, in seconds.
const PATIENCE: u64 = 60;

/// Answers a question in several processes, on one machine or several. Each is started with the same question. Process 0
/// gives the answer; where a question falls into jobs, it hands them out, otherwise each process owns a part of each layer.
/// What happens in between is sent as updates: objects with the field `event`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClusterRunRequest {
    /// The number of this process. Default: 0.
    #[serde(default)]
    pub process: usize,
    /// Where process 0 listens: HOST:PORT. Port 0 is any free port.
    pub address: String,
    /// How many processes there are, for questions that do not fall into jobs and for a shared half: these processes begin together.
    #[serde(default)]
    pub processes: Option<usize>,
    /// Where this process, if it is not process 0, listens for the others: HOST:PORT. Default: any free port of the network over which it
    /// reaches process 0. Not used by jobs, but for a shared half.
    #[serde(default)]
    pub listen: Option<String>,
    /// A file with the secret of the run, 64 hexadecimal digits; - is standard input. Default: a new secret, for processes that process 0
    /// starts itself.
    #[serde(default)]
    pub secret_file: Option<PathBuf>,
    /// How long process 0 is tried to be reached, or processes that begin together are awaited, in seconds. Default: 60.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// The directory of the results, a file for each job, at process 0. Default: `jobs`. Not with shared layers.
    #[serde(default)]
    pub out: Option<PathBuf>,
    /// Where this process saves its parts of shared layers, from which a run resumes with any number of processes: one directory that all
    /// see, or one on each machine; all processes have one, or none. Not with jobs.
    #[serde(default)]
    pub checkpoint: Option<PathBuf>,
    /// Count tours in layers that the processes share, in place of jobs: each owns a part of every layer. Default: false.
    #[serde(default)]
    pub shared_layers: bool,
    /// Count tours in jobs, and share the half of the board that all jobs need: each process makes a part of each of its layers, and
    /// gets the whole last layer. All processes begin together. Without it each makes that half by itself. Default: false.
    #[serde(default)]
    pub shared_half: bool,
    /// The question.
    pub question: ClusterQuestion,
}

/// The checked request.
pub struct ClusterRunPlan {
    pub(super) process: usize,
    pub(super) address: String,
    /// The secret of the run.
    pub secret: Secret,
    pub(super) patience: Duration,
    work: ClusterWork,
}

/// What is done.
enum ClusterWork {
    /// Jobs, whose results process 0 keeps in a directory.
    Jobs(Box<dyn JobWork>, PathBuf),
    /// The same, after the half that all jobs need is made by all processes together.
    SharedHalf(Box<SharedHalf>, PathBuf),
    /// A part of every layer.
    Parts(Distributed),
}

/// What a process did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClusterRunAnswer {
    /// The number of this process.
    pub process: usize,
    /// How many jobs this process ran; 0 if the question does not fall into jobs.
    pub run: usize,
    /// Bytes that this process sent to others, with encryption and the signs of life, without the headers of TCP.
    pub bytes_sent: u64,
    /// Bytes that it received from others.
    pub bytes_received: u64,
    /// The answer of a question that falls into jobs, at process 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collected: Option<CollectAnswer>,
    /// The answer of a question whose layers the processes share, in each of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distributed: Option<DistributedAnswer>,
}

impl Request for ClusterRunRequest {
    const COMMAND: &'static str = "cluster run";
    type Plan = ClusterRunPlan;
    type Answer = ClusterRunAnswer;

    fn plan(&self) -> Result<ClusterRunPlan, Error> {
        let address = hosts::address(&self.address).map_err(Error::field("address"))?;
        let secret = match &self.secret_file {
            Some(path) => {
                let run = Run::serial();
                let input = match path.as_os_str() == "-" {
                    true => Input::standard(&run)?,
                    false => Input::open(path, &run)?,
                };
                Secret::parse(&read_text(input, SECRET_BYTES)?)?
            }
            None => Secret::random()
                .ok_or_else(|| Error::machine("the system has no source of random numbers"))?,
        };
        let folder = || {
            if self.checkpoint.is_some() {
                let line = "jobs keep their results in the directory `out`: a checkpoint is for shared layers";
                return Err(Error::message(Some("checkpoint"), line));
            }
            Ok::<_, Error>(self.out.clone().unwrap_or_else(|| RESULTS.into()))
        };
        let jobs = |question: JobQuestion| {
            let folder = folder()?;
            Ok::<_, Error>(ClusterWork::Jobs(question.work()?, folder))
        };
        let (process, processes) = (self.process, self.processes);
        let parts = |count: Shared| {
            if self.out.is_some() {
                let line = "processes that share layers keep no results: only jobs do";
                return Err(Error::message(Some("out"), line));
            }
            let parts =
                Distributed::new(count, process, processes, &self.listen, &self.checkpoint)?;
            Ok::<_, Error>(ClusterWork::Parts(parts))
        };
        let no_half = |line| Err(Error::message(Some("shared_half"), line));
        Ok(ClusterRunPlan {
            process: self.process,
            address,
            secret,
            patience: Duration::from_secs(self.timeout.unwrap_or(PATIENCE)),
            work: match &self.question {
                _ if self.shared_layers && self.shared_half => {
                    return no_half("expected a shared half or shared layers: layers need no half");
                }
                ClusterQuestion::ToursCount(count)
                    if self.shared_half && ByStart::new(count)?.is_none() =>
                {
                    let (folder, work) = (folder()?, ByClass::new(count)?);
                    let half = SharedHalf::new(work, process, processes, &self.listen)?;
                    ClusterWork::SharedHalf(Box::new(half), folder)
                }
                _ if self.shared_half => {
                    return no_half(
                        "expected a count of tours by classes: other jobs have no half",
                    );
                }
                ClusterQuestion::ToursCount(count) if self.shared_layers => {
                    let (question, direction) = count.shared()?;
                    parts(Shared::Tours(question, direction))?
                }
                ClusterQuestion::TablesBuild(_) if self.shared_layers => {
                    let line = "expected a count: tables have no layers to share";
                    return Err(Error::message(Some("shared_layers"), line));
                }
                ClusterQuestion::ToursCount(count) => jobs(JobQuestion::ToursCount(count.clone()))?,
                ClusterQuestion::TablesBuild(build) => {
                    jobs(JobQuestion::TablesBuild(build.clone()))?
                }
                ClusterQuestion::PegsCount(count) => {
                    parts(Shared::Positions(count.distributed()?))?
                }
            },
        })
    }

    fn run(plan: &ClusterRunPlan, run: &Run) -> Result<ClusterRunAnswer, Error> {
        Self::run_with_updates(plan, run, &mut |_| ())
    }

    fn run_with_updates(
        plan: &ClusterRunPlan,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<ClusterRunAnswer, Error> {
        let (work, half, folder): (&dyn JobWork, _, _) = match &plan.work {
            ClusterWork::Jobs(work, folder) => (&**work, None, folder),
            ClusterWork::SharedHalf(half, folder) => (&half.work, Some(&**half), folder),
            ClusterWork::Parts(work) => return work.run(plan, run, updates),
        };
        let here = Mutex::new((0, updates));
        let observe = |event: Event| {
            let mut here = here.lock().unwrap_or_else(|e| e.into_inner());
            if matches!(event, Event::Finished { process: 0, .. }) {
                here.0 += 1;
            }
            (here.1)(serde_json::to_value(&event).unwrap_or_default());
        };
        let mut traffic = Traffic::default();
        if plan.process > 0 {
            let list = work.jobs(run)?;
            if let Some(half) = half {
                let made = half.make(plan, None, &list, run, &observe)?;
                traffic += made.traffic;
                if made.jobs_left == 0 {
                    return Ok(ClusterRunAnswer::new(plan.process, 0, traffic));
                }
            }
            let (address, process) = (&plan.address, plan.process);
            let worker = Worker::join(address, process, &list, &plan.secret, plan.patience, run)?;
            let report = worker.run(work, run)?;
            traffic += report.traffic;
            return Ok(ClusterRunAnswer::new(process, report.jobs, traffic));
        }
        let port = Port::take(&hosts::to_listen_on(&plan.address))?;
        let address = port.address().to_string();
        observe(Event::Planning { address });
        let list = work.jobs(run)?;
        let results = Results::new(folder, &list)?;
        if let Some(half) = half {
            let (port, results) = (&port, &results);
            let first = Some(First { port, results });
            traffic += half.make(plan, first, &list, run, &observe)?.traffic;
        }
        let coordinator = Coordinator::new(port);
        traffic += coordinator.run(work, &list, &results, &plan.secret, run, &observe)?;
        let run = here.into_inner().map_or(0, |here| here.0);
        Ok(ClusterRunAnswer {
            collected: Some(collect(work, &list, &results)?),
            ..ClusterRunAnswer::new(0, run, traffic)
        })
    }
}

impl ClusterRunAnswer {
    pub(super) fn new(process: usize, run: usize, traffic: Traffic) -> Self {
        Self {
            process,
            run,
            bytes_sent: traffic.sent,
            bytes_received: traffic.received,
            collected: None,
            distributed: None,
        }
    }
}

impl Answer for ClusterRunAnswer {
    fn work(&self) -> Work {
        let distributed = self.distributed.as_ref();
        distributed
            .map(|answer| answer.count.work())
            .unwrap_or_default()
    }
}
