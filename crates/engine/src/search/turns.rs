//! Virtual time: the threads of a search run one at a time, so that more threads than the machine
//! has cores can be studied.
//!
//! Each thread has a clock that counts the nodes it has searched. The thread with the least clock
//! runs next, and the clock of a thread that waited for work is set to that of the thread that gave
//! it some. So the threads meet as they would on as many processors, each of which searches a node
//! in one unit of time. With limits that do not depend on the clock the same search visits the same
//! nodes every time.

use std::sync::{Condvar, Mutex, MutexGuard};

/// How many nodes a thread may be ahead of the others before another one runs: fewer cost more
/// changes of threads.
const AHEAD: u64 = 16;
/// The nodes that a thread could have searched while it is woken: some 15 microseconds.
const WAKING: u64 = 20;
/// A thread that has waited for less than this is not asleep yet: some 50 microseconds.
const SLEEPING: u64 = 60;

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    Waiting,
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Clock {
    phase: Phase,
    /// Nodes searched and units waited.
    now: u64,
    nodes: u64,
}

#[derive(Debug)]
struct State {
    clocks: Vec<Clock>,
    /// The thread that runs; all others wait for it.
    current: usize,
    /// It runs until its clock is this.
    until: u64,
    /// The clock of the thread that ended first.
    elapsed: Option<u64>,
}

impl State {
    /// The running thread, other than `but`, with the least clock.
    fn next(&self, but: Option<usize>) -> Option<usize> {
        let others = self.clocks.iter().enumerate();
        let running = others.filter(|&(id, c)| c.phase == Phase::Running && Some(id) != but);
        running.min_by_key(|(id, c)| (c.now, *id)).map(|(id, _)| id)
    }

    fn set_until(&mut self) {
        let next = self.next(Some(self.current));
        self.until = next.map_or(u64::MAX, |id| self.clocks[id].now + AHEAD);
    }
}

/// Whose turn it is.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
    /// One for each thread.
    turned: Vec<Condvar>,
}

/// What a simulated search took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Units of time until the first thread had ended; in one unit a processor searches one node.
    pub elapsed: u64,
    /// The nodes that each thread has searched.
    pub nodes: Vec<u64>,
}

impl Simulation {
    /// The nodes of all threads.
    pub fn all_nodes(&self) -> u64 {
        self.nodes.iter().sum()
    }

    /// The part of the processors' time in which they waited, 0 to 1.
    pub fn idle_share(&self) -> f64 {
        let available = self.elapsed.max(1) as f64 * self.nodes.len() as f64;
        (1.0 - self.all_nodes() as f64 / available).max(0.0)
    }
}

impl Turns {
    pub(crate) fn new(threads: usize) -> Self {
        let clock = Clock {
            phase: Phase::Running,
            now: 0,
            nodes: 0,
        };
        let mut state = State {
            clocks: vec![clock; threads],
            current: 0,
            until: 0,
            elapsed: None,
        };
        state.set_until();
        Self {
            state: Mutex::new(state),
            turned: (0..threads).map(|_| Condvar::new()).collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Begins the part of a thread: returns when it is its turn. The part ends when the result is
    /// dropped.
    pub(crate) fn begin(&self, id: usize) -> Turn<'_> {
        self.wait_for_turn(self.lock(), id);
        Turn { turns: self, id }
    }

    fn wait_for_turn<'a>(&'a self, mut state: MutexGuard<'a, State>, id: usize) {
        while state.current != id {
            state = (self.turned[id].wait(state)).unwrap_or_else(|e| e.into_inner());
        }
    }

    /// Lets the thread with the least clock run.
    fn pass_on(&self, state: &mut State) {
        let Some(next) = state.next(None).or_else(|| {
            // All wait for each other: they look again whether the search is over.
            let waiting = |c: &&mut Clock| c.phase == Phase::Waiting;
            for clock in state.clocks.iter_mut().filter(waiting) {
                clock.phase = Phase::Running;
            }
            state.next(None)
        }) else {
            return;
        };
        state.current = next;
        state.set_until();
        self.turned[next].notify_all();
    }

    /// Counts a node of the thread that runs.
    pub(crate) fn advance(&self) {
        let mut state = self.lock();
        let id = state.current;
        state.clocks[id].now += 1;
        state.clocks[id].nodes += 1;
        if state.clocks[id].now >= state.until {
            self.pass_on(&mut state);
            self.wait_for_turn(state, id);
        }
    }

    /// The thread that runs waits until another one calls [`Self::wake_all`].
    pub(crate) fn wait(&self) {
        let mut state = self.lock();
        let id = state.current;
        state.clocks[id].phase = Phase::Waiting;
        self.pass_on(&mut state);
        self.wait_for_turn(state, id);
    }

    /// Ends the waiting of all threads.
    pub(crate) fn wake_all(&self) {
        let mut state = self.lock();
        let now = state.clocks[state.current].now;
        let waiting = |c: &&mut Clock| c.phase == Phase::Waiting;
        for clock in state.clocks.iter_mut().filter(waiting) {
            clock.phase = Phase::Running;
            let waking = if clock.now + SLEEPING <= now {
                WAKING
            } else {
                0
            };
            clock.now = clock.now.max(now) + waking;
        }
        state.set_until();
    }

    /// Ends the part of a thread.
    pub(crate) fn end(&self, id: usize) {
        let mut state = self.lock();
        let now = state.clocks[id].now;
        state.clocks[id].phase = Phase::Ended;
        if state.current == id {
            state.elapsed.get_or_insert(now);
            self.pass_on(&mut state);
        }
    }

    /// What the search took.
    pub(crate) fn simulation(&self) -> Simulation {
        let state = self.lock();
        Simulation {
            elapsed: state.elapsed.unwrap_or(0),
            nodes: state.clocks.iter().map(|c| c.nodes).collect(),
        }
    }
}

/// The part of a thread in virtual time.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    id: usize,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.end(self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Three threads do 1000, 500 and 250 nodes; a fourth waits for the second to end, and then
    /// does 100.
    #[test]
    fn clocks_count_nodes_and_waiting() {
        let turns = Turns::new(4);
        let ended = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for (id, nodes) in [1000, 500, 250, 100].into_iter().enumerate() {
                let (turns, ended) = (&turns, &ended);
                scope.spawn(move || {
                    let _turn = turns.begin(id);
                    while id == 3 && ended.load(Ordering::Relaxed) == 0 {
                        turns.wait();
                    }
                    for _ in 0..nodes {
                        turns.advance();
                    }
                    if id == 1 {
                        ended.store(1, Ordering::Relaxed);
                        turns.wake_all();
                    }
                });
            }
        });
        let state = turns.lock();
        let clocks: Vec<u64> = state.clocks.iter().map(|c| c.now).collect();
        assert_eq!(clocks, [1000, 500, 250, 500 + WAKING + 100]);
        drop(state);
        let simulation = turns.simulation();
        assert_eq!(simulation.nodes, [1000, 500, 250, 100]);
        assert_eq!(simulation.elapsed, 250, "when the first thread ended");
    }

    /// A thread that has waited for a short time continues at once.
    #[test]
    fn short_waits_end_without_delay() {
        for (waited, delay) in [(SLEEPING - 1, 0), (SLEEPING, WAKING)] {
            let turns = Turns::new(2);
            std::thread::scope(|scope| {
                for id in 0..2 {
                    let turns = &turns;
                    scope.spawn(move || {
                        let _turn = turns.begin(id);
                        if id == 0 {
                            turns.wait();
                        } else {
                            (0..waited).for_each(|_| turns.advance());
                            turns.wake_all();
                        }
                    });
                }
            });
            assert_eq!(turns.lock().clocks[0].now, waited + delay);
        }
    }

    /// Where every thread waits, all look again.
    #[test]
    fn no_thread_waits_for_ever() {
        let turns = Turns::new(2);
        std::thread::scope(|scope| {
            for id in 0..2 {
                let turns = &turns;
                scope.spawn(move || {
                    let _turn = turns.begin(id);
                    turns.wait();
                });
            }
        });
        assert_eq!(turns.simulation().all_nodes(), 0);
    }
}
