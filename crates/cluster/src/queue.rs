//! Which job is next: one that is ready, that nobody works on, and that shares work with the worker's last one.
//!
//! Jobs with the same path are a group. A worker stays in its group; then it begins one in which nobody works, near its
//! last one; then it helps others where most is left.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::job::JobList;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// A worker with this number has it.
    Taken(usize),
    Finished,
}

/// The state of every job.
pub(crate) struct Queue {
    ids: Vec<String>,
    /// The positions of the jobs that a job needs.
    after: Vec<Vec<usize>>,
    paths: Vec<Vec<u32>>,
    weights: Vec<u64>,
    states: Vec<State>,
    /// The last job of each worker.
    last: BTreeMap<usize, usize>,
    finished: usize,
}

/// What a worker gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Job(String),
    /// Others must finish first.
    Wait,
    /// Every job is finished.
    End,
}

impl Queue {
    pub(crate) fn new(list: &JobList) -> Self {
        let jobs = list.jobs();
        let positions: BTreeMap<&str, usize> = (jobs.iter().enumerate())
            .map(|(at, job)| (job.id.as_str(), at))
            .collect();
        let needs = |job: &crate::job::Job| {
            let needs = job.after.iter();
            needs
                .filter_map(|id| positions.get(id.as_str()).copied())
                .collect()
        };
        Self {
            ids: jobs.iter().map(|job| job.id.clone()).collect(),
            after: jobs.iter().map(needs).collect(),
            paths: jobs.iter().map(|job| job.path.clone()).collect(),
            weights: jobs.iter().map(|job| job.weight).collect(),
            states: vec![State::Open; jobs.len()],
            last: BTreeMap::new(),
            finished: 0,
        }
    }

    /// The next job for a worker, which has it from now on.
    pub(crate) fn take(&mut self, worker: usize) -> Next {
        if self.finished == self.states.len() {
            return Next::End;
        }
        let is_ready = |at: &usize| {
            let mut needs = self.after[*at].iter();
            self.states[*at] == State::Open
                && needs.all(|&needed| self.states[needed] == State::Finished)
        };
        let mut left: BTreeMap<&[u32], u64> = BTreeMap::new();
        for at in (0..self.states.len()).filter(|&at| self.states[at] == State::Open) {
            *left.entry(&self.paths[at]).or_default() += self.weights[at];
        }
        let own = self.last.get(&worker).map(|&at| &self.paths[at]);
        let others = self.last.iter().filter(|&(&other, _)| other != worker);
        let others: Vec<_> = others.map(|(_, &at)| &self.paths[at]).collect();
        let worth = |&at: &usize| {
            let path = &self.paths[at];
            let steps = own.map_or(0, |own| {
                let pairs = own.iter().zip(path);
                pairs.take_while(|(a, b)| a == b).count()
            });
            let is_own = own == Some(path);
            let is_free = !others.contains(&path);
            (is_own, is_free, steps, left[&path[..]], Reverse(at))
        };
        match (0..self.states.len()).filter(is_ready).max_by_key(worth) {
            Some(at) => {
                self.states[at] = State::Taken(worker);
                self.last.insert(worker, at);
                Next::Job(self.ids[at].clone())
            }
            None => Next::Wait,
        }
    }

    /// Whether a worker has a job.
    pub(crate) fn has(&self, worker: usize, id: &str) -> bool {
        let at = self.ids.iter().position(|known| known == id);
        at.is_some_and(|at| self.states[at] == State::Taken(worker))
    }

    /// A job is finished.
    pub(crate) fn finish(&mut self, id: &str) {
        let at = self.ids.iter().position(|known| known == id);
        if let Some(at) = at
            && self.states[at] != State::Finished
        {
            self.states[at] = State::Finished;
            self.finished += 1;
        }
    }

    /// The jobs of a worker that is lost are open again; how many they are.
    pub(crate) fn give_back(&mut self, worker: usize) -> usize {
        self.last.remove(&worker);
        let taken = self
            .states
            .iter_mut()
            .filter(|state| **state == State::Taken(worker));
        taken.map(|state| *state = State::Open).count()
    }

    pub(crate) fn finished(&self) -> usize {
        self.finished
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;

    #[test]
    fn jobs_are_handed_out_once_unless_their_worker_is_lost() {
        let job = |id: &str, weight, after: &[&str]| Job {
            id: id.to_owned(),
            weight,
            after: after.iter().map(|&id| id.to_owned()).collect(),
            path: vec![],
        };
        let jobs = vec![job("a", 1, &[]), job("b", 2, &[]), job("c", 3, &["a"])];
        let mut queue = Queue::new(&JobList::new("q", "0", jobs));
        let named = |id: &str| Next::Job(id.to_owned());
        assert_eq!(queue.take(0), named("b"));
        assert_eq!(queue.take(1), named("a"));
        assert_eq!(queue.take(2), Next::Wait);
        assert_eq!(queue.give_back(1), 1);
        assert!(!queue.has(1, "a") && queue.has(0, "b"));
        assert_eq!(queue.take(2), named("a"));
        queue.finish("a");
        queue.finish("a");
        assert_eq!((queue.finished(), queue.len()), (1, 3));
        assert_eq!(queue.take(1), named("c"));
        queue.finish("b");
        assert_eq!(queue.take(0), Next::Wait);
        queue.finish("c");
        assert_eq!(queue.take(0), Next::End);
    }

    /// Two groups with a common beginning, and a third one.
    #[test]
    fn workers_stay_where_they_share_work() {
        let job = |id: &str, weight, path: &[u32]| Job {
            id: id.to_owned(),
            weight,
            after: vec![],
            path: path.to_vec(),
        };
        let jobs = vec![
            job("a1", 9, &[0, 0]),
            job("a2", 8, &[0, 0]),
            job("a3", 7, &[0, 0]),
            job("b1", 6, &[1, 0]),
            job("b2", 5, &[1, 0]),
            job("c1", 3, &[0, 1]),
        ];
        let mut queue = Queue::new(&JobList::new("q", "0", jobs));
        let mut take = |worker| match queue.take(worker) {
            Next::Job(id) => {
                queue.finish(&id);
                id
            }
            other => format!("{other:?}"),
        };
        assert_eq!([take(0), take(1), take(0)], ["a1", "b1", "a2"]);
        assert_eq!([take(1), take(1), take(1)], ["b2", "c1", "a3"]);
        assert_eq!(take(0), "End");
    }
}
