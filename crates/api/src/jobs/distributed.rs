//! Counts whose layers several processes share: the exchange of the crate `everymove-cluster` for `everymove-pegs`.

use std::sync::Mutex;

use everymove_cluster::exchange::words::{Pieces, Words};
use everymove_cluster::exchange::{self, Mesh, Place};
use everymove_cluster::hosts;
use everymove_kernel::run::Run;
use everymove_pegs::{Problem, reach_distributed};
use schemars::JsonSchema;
use serde::Serialize;

use super::Event;
use super::cluster::{ClusterRunAnswer, ClusterRunPlan};
use crate::error::Error;
use crate::pegs::CountAnswer;
use crate::request::Updates;

/// What several processes counted together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DistributedAnswer {
    /// The answer, as one process gives it.
    pub count: CountAnswer,
    /// How many processes there were.
    pub processes: usize,
    /// A digest of each layer, 16 hexadecimal digits: the same for any number of processes.
    pub digests: Vec<String>,
}

/// A count of positions by several processes.
pub(super) struct Distributed {
    problem: Problem,
    processes: usize,
    listen: Option<String>,
}

impl Distributed {
    /// Checks that there is a process with this number.
    pub(super) fn new(
        problem: Problem,
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
            problem,
            processes,
            listen: listen.map_err(Error::field("listen"))?,
        })
    }

    pub(super) fn run(
        &self,
        plan: &ClusterRunPlan,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<ClusterRunAnswer, Error> {
        let place = Place {
            process: plan.process,
            processes: self.processes,
            address: &plan.address,
            listen: self.listen.as_deref(),
            secret: &plan.secret,
            patience: plan.patience,
        };
        let updates = Mutex::new(updates);
        let observe = |event: Event| {
            let mut updates = updates.lock().unwrap_or_else(|e| e.into_inner());
            updates(serde_json::to_value(&event).unwrap_or_default());
        };
        let question = format!("{}, positions", self.problem);
        let board = self.problem.board();
        let digest = format!(
            "{} from {}",
            board.line(board.full()),
            board.line(self.problem.start())
        );
        let mesh = Mesh::join(&place, &question, &digest, run, &observe)?;
        let (found, traffic) = mesh.run(run, |exchange| {
            let pieces = Pieces::new()?;
            reach_distributed(&self.problem, &mut Bound { exchange, pieces }, run)
        })?;
        let digests = found.digests.iter().map(|digest| format!("{digest:016x}"));
        let distributed = DistributedAnswer {
            digests: digests.collect(),
            processes: self.processes,
            count: CountAnswer::of_positions(&self.problem, found),
        };
        Ok(ClusterRunAnswer {
            distributed: Some(distributed),
            ..ClusterRunAnswer::new(plan.process, 0, traffic)
        })
    }
}

/// The exchange of the cluster, for layers of peg positions.
struct Bound<'a, 'b> {
    exchange: &'a mut exchange::Exchange<'b, Words>,
    pieces: Pieces,
}

impl everymove_pegs::Exchange for Bound<'_, '_> {
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
