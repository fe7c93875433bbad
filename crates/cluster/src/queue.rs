//! Which job is next: the largest that is ready and that nobody works on.

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
    states: Vec<State>,
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
            states: vec![State::Open; jobs.len()],
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
        match (0..self.states.len()).find(is_ready) {
            Some(at) => {
                self.states[at] = State::Taken(worker);
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

    /// The jobs of a worker are open again; how many they are.
    pub(crate) fn give_back(&mut self, worker: usize) -> usize {
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
}
