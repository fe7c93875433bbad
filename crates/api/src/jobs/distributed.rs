//! Counts whose layers several processes share: the exchange of the crate `everymove-cluster` for `everymove-pegs` and
//! `everymove-tours`.

use std::path::PathBuf;
use std::sync::Mutex;

use everymove_cluster::exchange::kept::Kept;
use everymove_cluster::exchange::words::{Pieces, Words};
use everymove_cluster::exchange::{self, Mesh, Place};
use everymove_cluster::hosts;
use everymove_kernel::files::SavedParts;
use everymove_kernel::run::{Run, Work};
use everymove_pegs::{Problem, SHARED_PART, reach_distributed};
use everymove_tours::frontier::distributed::{self, count_distributed};
use everymove_tours::question::{Direction, Question};
use schemars::JsonSchema;
use serde::Serialize;

use super::Event;
use super::cluster::{ClusterRunAnswer, ClusterRunPlan};
use crate::error::Error;
use crate::request::{Answer, Updates};
use crate::{pegs, tours};

/// What several processes counted together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DistributedAnswer {
    /// The answer, as one process gives it.
    pub count: DistributedCount,
    /// How many processes there were.
    pub processes: usize,
    /// A digest of each layer, 16 hexadecimal digits: the same for any number of processes.
    pub digests: Vec<String>,
}

/// The answer of a count whose layers are shared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum DistributedCount {
    /// Positions of pegs.
    Pegs(Box<pegs::CountAnswer>),
    /// Tours.
    Tours(Box<tours::CountAnswer>),
}

impl DistributedCount {
    pub(super) fn work(&self) -> Work {
        match self {
            Self::Pegs(count) => count.work(),
            Self::Tours(count) => count.work(),
        }
    }
}

/// A count whose layers can be shared.
pub(super) enum Shared {
    Positions(Problem),
    Tours(Question, Direction),
}

impl Shared {
    /// The count in words, and what it is of in full.
    fn described(&self) -> (String, String) {
        match self {
            Self::Positions(problem) => {
                let board = problem.board();
                let line = |position| board.line(position);
                let digest = format!("{} from {}", line(board.full()), line(problem.start()));
                (format!("{problem}, positions"), digest)
            }
            Self::Tours(question, direction) => {
                let words = format!("{} {} tours", question.board.grid(), question.kind);
                (words, format!("{question:?} {direction:?}"))
            }
        }
    }
}

/// What the user may do when a process that shares layers is lost.
pub fn lost_advice(is_saved: bool) -> &'static str {
    match is_saved {
        true => "the same command resumes, with any number of processes",
        false => "the same command begins again",
    }
}

/// The processes that begin together.
pub(super) struct Together {
    processes: usize,
    listen: Option<String>,
}

impl Together {
    /// Checks that there is a process with this number.
    pub(super) fn new(
        process: usize,
        processes: Option<usize>,
        listen: &Option<String>,
    ) -> Result<Self, Error> {
        let field = Some("processes");
        let Some(processes) = processes.filter(|&processes| processes > 0) else {
            let line = "expected the number of processes (processes): they begin together";
            return Err(Error::message(field, line));
        };
        if process >= processes {
            let line = format!("there is no process {process} of {processes}: they count from 0");
            return Err(Error::message(Some("process"), line));
        }
        let listen = listen.as_deref().map(hosts::address).transpose();
        Ok(Self {
            processes,
            listen: listen.map_err(Error::field("listen"))?,
        })
    }

    /// How the process of a plan meets the others; `advice` is what the user may do when one is lost.
    pub(super) fn place<'a>(&'a self, plan: &'a ClusterRunPlan, advice: &'static str) -> Place<'a> {
        Place {
            process: plan.process,
            processes: self.processes,
            address: &plan.address,
            port: None,
            listen: self.listen.as_deref(),
            secret: &plan.secret,
            patience: plan.patience,
            advice,
        }
    }
}

/// A count by several processes.
pub(super) struct Distributed {
    count: Shared,
    together: Together,
    /// Where this process saves its parts of layers.
    checkpoint: Option<PathBuf>,
}

impl Distributed {
    /// Checks that there is a process with this number.
    pub(super) fn new(
        count: Shared,
        process: usize,
        processes: Option<usize>,
        listen: &Option<String>,
        checkpoint: &Option<PathBuf>,
    ) -> Result<Self, Error> {
        Ok(Self {
            count,
            together: Together::new(process, processes, listen)?,
            checkpoint: checkpoint.clone(),
        })
    }

    /// The folder of the parts of this process; `digest` is what positions are counted of.
    fn saved(&self, process: usize, digest: &str) -> Result<Option<SavedParts>, Error> {
        let Some(folder) = &self.checkpoint else {
            return Ok(None);
        };
        let (format, question) = match &self.count {
            Shared::Positions(_) => (SHARED_PART, digest.to_owned()),
            Shared::Tours(question, _) => {
                (distributed::SHARED_PART, distributed::in_words(question)?)
            }
        };
        Ok(Some(SavedParts::open(folder, format, &question, process)?))
    }

    pub(super) fn run(
        &self,
        plan: &ClusterRunPlan,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<ClusterRunAnswer, Error> {
        let advice = lost_advice(self.checkpoint.is_some());
        let place = self.together.place(plan, advice);
        let updates = Mutex::new(updates);
        let observe = |event: Event| {
            let mut updates = updates.lock().unwrap_or_else(|e| e.into_inner());
            updates(serde_json::to_value(&event).unwrap_or_default());
        };
        let (question, digest) = self.count.described();
        let saved = self.saved(plan.process, &digest)?;
        let mesh = Mesh::join(&place, &question, &digest, run, &observe)?;
        let ((count, digests), traffic) = match &self.count {
            Shared::Positions(problem) => {
                let (found, traffic) = mesh.run(run, |exchange| {
                    let pieces = Pieces::new()?;
                    reach_distributed(problem, &mut Bitmaps { exchange, pieces }, saved, run)
                })?;
                let digests = found.digests.clone();
                let count = pegs::CountAnswer::of_positions(problem, found);
                ((DistributedCount::Pegs(Box::new(count)), digests), traffic)
            }
            Shared::Tours(question, direction) => {
                let (counted, traffic) = mesh.run(run, |exchange| {
                    count_distributed(question, &mut Blocks { exchange }, saved, run)
                })?;
                let digests = counted.digests.clone();
                let count = tours::CountAnswer::of_shared(question, *direction, counted);
                ((DistributedCount::Tours(Box::new(count)), digests), traffic)
            }
        };
        let digests = digests.iter().map(|digest| format!("{digest:016x}"));
        let distributed = DistributedAnswer {
            digests: digests.collect(),
            processes: self.together.processes,
            count,
        };
        Ok(ClusterRunAnswer {
            distributed: Some(distributed),
            ..ClusterRunAnswer::new(plan.process, 0, traffic)
        })
    }
}

/// The exchange of the cluster, for layers of peg positions.
struct Bitmaps<'a, 'b> {
    exchange: &'a mut exchange::Exchange<'b, Words>,
    pieces: Pieces,
}

impl everymove_pegs::Exchange for Bitmaps<'_, '_> {
    type Error = Error;

    fn processes(&self) -> usize {
        self.exchange.processes()
    }

    fn process(&self) -> usize {
        self.exchange.process()
    }

    fn begin(&mut self, part: Vec<u64>) -> Result<(), Error> {
        Ok(self.exchange.begin(Words::new(part)?)?)
    }

    fn send(&mut self, to: usize, first: usize, words: &[u64]) -> Result<(), Error> {
        let exchange = &mut *self.exchange;
        if to == exchange.process() {
            exchange.own(|part| part.or(first, words));
            return Ok(());
        }
        self.pieces
            .each(first, words, |piece| Ok(exchange.send(to, piece)?))
    }

    fn end(&mut self) -> Result<Vec<u64>, Error> {
        Ok(self.exchange.end()?.into_words())
    }

    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, Error> {
        Ok(self.exchange.gather(values)?)
    }
}

/// The exchange of the cluster, for layers of tours.
pub(super) struct Blocks<'a, 'b> {
    pub(super) exchange: &'a mut exchange::Exchange<'b, Kept>,
}

impl distributed::Exchange for Blocks<'_, '_> {
    type Error = Error;

    fn processes(&self) -> usize {
        self.exchange.processes()
    }

    fn process(&self) -> usize {
        self.exchange.process()
    }

    fn begin(&mut self) -> Result<(), Error> {
        Ok(self.exchange.begin(Kept::default())?)
    }

    fn send(&mut self, to: usize, piece: &[u8]) -> Result<(), Error> {
        Ok(self.exchange.send(to, piece)?)
    }

    fn end(&mut self) -> Result<Vec<Vec<u8>>, Error> {
        Ok(self.exchange.end()?.into_pieces())
    }

    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, Error> {
        Ok(self.exchange.gather(values)?)
    }
}
